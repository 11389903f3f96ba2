//! DAC 4.3: three links on two joints, pinned at the top, swing from the horizontal onto the floor.
//!
//! The law was trained on tosses of the last link alone; Algorithm 2 puts it on the chain.

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use stiction_calibrate::dac::chain::{Chain, ChainState};
use stiction_calibrate::dac::{Case, Stepper, instances, models};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "articulated-chain",
    summary: "A chain of three links by a contact law trained on its last link alone (DAC 4.3)",
    claim: "DAC 4.3: a law trained only on contacts of the isolated last link predicts contact impulses and joint forces of a \
            chain that swings onto the ground (shown in a video, without numbers); Powell's method finds a joint force at \
            every step, often in fewer than 10 evaluations.",
    run,
};

fn run(_study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(case) = Case::named("link") else { return Err(Failure::work("the case is missing")) };
    let Some(law) = models::shipped("link") else { return Err(Failure::work("the law is missing")) };
    let mut table = Table::new(
        "articulated-chain",
        &["pin_m", "time_s", "truth_angle_3_rad", "angle_3_rad", "truth_impulse_Ns", "impulse_Ns"],
    );
    let stepper = Stepper::default();
    let mut panels = Vec::new();
    for pin in [0.75, 0.60] {
        let chain = Chain::new(pin, case.body.clone(), case.reference);
        let (mut truth, mut ours) = (chain.start(), chain.start());
        let (mut apart, mut turned, mut force, mut force_off): (f64, f64, f64, f64) = (0.0, 0.0, 0.0, 0.0);
        let (mut contacts, mut failures, mut evaluations, mut outside) = (0, 0, 0, 0);
        let (mut first, mut first_truth) = (None, None);
        let (mut line, mut line_truth) = (Vec::new(), Vec::new());
        for k in 1..=instances::STEPS {
            let t = chain.reference_step(&mut truth, &stepper).map_err(Failure::work)?;
            let o = chain.learned_step(&law, &mut ours, &stepper).map_err(Failure::work)?;
            if o.class.is_some() {
                contacts += 1;
                evaluations += o.evaluations;
                failures += usize::from(!o.converged);
                outside += usize::from(o.outside.is_some());
            }
            for (first, touch) in [(&mut first, &o), (&mut first_truth, &t)] {
                if first.is_none() && touch.impulse.norm() > 0.0 {
                    *first = Some(touch.impulse);
                }
            }
            force += t.impulse.norm();
            force_off += (o.impulse - t.impulse).norm();
            let gap = (chain.centre(&ours, 2) - chain.centre(&truth, 2)).norm();
            apart = apart.max(gap);
            turned = turned.max(largest_angle(&ours, &truth));
            let time = k as f64 * stepper.step;
            let (a, b) = (truth.angles[2], ours.angles[2]);
            line_truth.push([time, a]);
            line.push([time, b]);
            table.rows.push(vec![pin, time, a, b, t.impulse.norm(), o.impulse.norm()]);
        }
        let first_off = match (first, first_truth) {
            (Some(a), Some(b)) => (a - b).norm() / b.norm(),
            _ => f64::NAN,
        };
        let source = "the chain's own ground truth";
        let name = format!("pin at {pin} m");
        let bound = |metric: &str, value: f64, bound: f64| {
            Check::at_most(format!("{name}: {metric}"), value, bound, source)
        };
        outcome.checks.extend([
            bound("first impulse error, share", first_off, 0.01),
            bound("largest distance of the last link's centre in 1.6 s (m)", apart, 0.03),
            bound("largest error of an angle in 1.6 s (rad)", turned, 0.2),
            bound("sum of impulse errors over sum of impulses", force_off / force, 0.1),
            Check::at_most(
                format!("{name}: evaluations of G at a contact, mean"),
                evaluations as f64 / f64::from(contacts.max(1)),
                10.0,
                "DAC 3.3: often fewer than 10",
            ),
        ]);
        outcome.notes += &format!(
            "Pin at {pin} m: {contacts} contacts, Powell's method did not converge at {failures} of them (the whole-chain solve \
             then has the last word), {outside} outside the training range.\n\n"
        );
        panels.push(Panel {
            title: name,
            x: Axis::linear("time (s)"),
            y: Axis::linear("angle of the last link (rad)"),
            series: vec![
                Series::new("ground truth", Look::Line, color::GREY, line_truth),
                Series::new("learned", Look::Dashed, color::BLUE, line),
            ],
            legend: Corner::BottomRight,
        });
    }
    outcome.figures.push(Figure {
        name: "articulated-chain",
        caption: "A chain of three links swings onto the floor; the law was trained on its last link alone."
            .into(),
        panels,
    });
    outcome.tables.push(table);
    Ok(outcome)
}

fn largest_angle(a: &ChainState, b: &ChainState) -> f64 {
    a.angles.iter().zip(&b.angles).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}
