//! Which recorded tosses can be compared with a model at all.

use crate::failure::Failure;
use std::borrow::Borrow;
use std::path::Path;
use stiction::Model;
use stiction_calibrate::protocol::Unusable;
use stiction_calibrate::{Protocol, Toss};

const REMEDY: &str = "record each toss until it lies still (stiction learn collect: with more --steps), in metres and with \
                      the table at z = 0; --touch-height says from which height on the body may touch";

/// The tosses that can be compared, and how many were left out, which is also said. None at all is an error: means over no
/// toss would look like a perfect model.
pub fn comparable<T: Borrow<Toss>>(
    tosses: Vec<T>,
    model: &Model,
    protocol: &Protocol,
    file: &Path,
) -> Result<(Vec<T>, usize), Failure> {
    let (all, file) = (tosses.len(), file.display());
    let mut lost = Vec::new();
    let mut kept = Vec::new();
    for toss in tosses {
        match protocol.unusable(model, toss.borrow()) {
            Some(why) => lost.push(why),
            None => kept.push(toss),
        }
    }
    if kept.is_empty() {
        let why = reasons(&lost);
        return Err(Failure::input(format!("{file}: none of {all} tosses can be compared: {why}; {REMEDY}")));
    }
    if !lost.is_empty() {
        eprintln!("note: {file}: {} of {all} tosses are left out: {}", lost.len(), reasons(&lost));
    }
    Ok((kept, lost.len()))
}

/// How many tosses are lost for which reason.
fn reasons(lost: &[Unusable]) -> String {
    let mut said = Vec::new();
    let heights = lost.iter().filter_map(|why| match why {
        Unusable::Aloft(height) => Some(*height),
        Unusable::Short => None,
    });
    let (aloft, lowest) = heights.fold((0, f64::INFINITY), |(n, least), h| (n + 1, least.min(h)));
    if aloft > 0 {
        said.push(format!(
            "{aloft} too short or too high, never near the table (the lowest stays {lowest:.3} m above where it could touch)"
        ));
    }
    if lost.len() > aloft {
        said.push(format!("{} too short, with no sample to compare", lost.len() - aloft));
    }
    said.join(", ")
}
