//! Inertias that no rigid body can have.
//!
//! Many robots in use carry such numbers, and other simulators take them. Their mass matrix stays
//! positive definite as long as no principal moment is negative, and often even then, so the numbers are
//! used as they are, with a warning; a mass matrix that is not positive definite is found when compiling.

use crate::error::{FormatError, Read};
use crate::report::Report;
use stiction_model::Body;

/// Warns if the principal moments of a body break the triangle inequality.
pub fn check_body(body: &Body, report: &mut Report) -> Read<()> {
    let Some([a, b, c]) = body.inertia.broken_triangle() else { return Ok(()) };
    if let Some(least) = body.inertia.negative_moment() {
        let message = format!(
            "its rotational inertia has a negative principal moment ({least:.4e} kg m²), which no rigid body can have; it is used \
             as it is: correct it"
        );
        return report.warn_at(body.source.clone(), &format!("triangle {}", body.name), message);
    }
    let message = format!(
        "its principal moments {a:.4e}, {b:.4e}, {c:.4e} kg m² break the triangle inequality (the two smaller must add up to \
         at least the largest), which no rigid body can have; they are used as they are: correct them"
    );
    report.warn_at(body.source.clone(), &format!("triangle {}", body.name), message)
}

/// The same as an error, for formats that refuse such bodies.
pub fn refuse_body(body: &Body) -> Read<()> {
    let Some([a, b, c]) = body.inertia.broken_triangle() else { return Ok(()) };
    let mut place = body.source.clone();
    if place.element.is_empty() {
        place.element = format!("body \"{}\"", body.name);
    }
    let message = format!(
        "its principal moments {a:.6e}, {b:.6e}, {c:.6e} kg m² break the triangle inequality (the two smaller must add up to \
         at least the largest), which no rigid body can have; correct the inertia"
    );
    Err(FormatError::Invalid { place, message })
}
