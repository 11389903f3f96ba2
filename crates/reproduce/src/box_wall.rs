//! MFI Fig. 4: a box slides on its lower corner into a wall without friction.
//!
//! A box of 2 m × 1 m and 1 kg, tilted counter-clockwise, slides to the right on its lowest corner A (u_A,n = 0, friction μ) as its rightmost
//! corner B meets the wall. B lies above and A left of the centre of mass (from 26.6° on), so the wall turns the box counter-clockwise and presses A
//! into the floor: the wall's impact causes the floor's (caption of 4b). At smaller tilts the wall lifts A off, and the outcome is one. Switching to the floor before the wall's end, and back, gives other velocities (4c).
//!
//! The paper's text (III-A2) speaks of the first impact as one that is taken to its end "before activating the contact on the right wall"; its
//! caption has the wall first. A box that slides does not approach the floor, so the wall must be first, and this page follows the caption. The
//! paper gives no numbers; size, angles and friction are ours.

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{
    Corner, bound, largest_energy, largest_gap, planar_body, sequence, set, worst_violation,
};
use crate::report::{Check, Outcome, Study, Table};
use std::f64::consts::FRAC_PI_2;
use stiction::rigid::contact::Instant;
use stiction_impact::hull::convex_hull;
use stiction_impact::{Origin, verdict};
use stiction_plot::{Axis, Corner as Place, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "box-wall",
    summary: "A box slides along the floor into a wall without friction (MFI Fig. 4)",
    claim: "MFI Fig. 4: a box slides on its corner A into a wall; the wall's impact at B causes a second one at A (4b). If the impulse \
            switches before the first impact has ended, a slightly different solution emerges (4c). Here a box of 2 m × 1 m and 1 kg at 1 m/s; \
            whether the outcome is unique depends on tilt and friction. The paper's text takes the floor's impact first, its caption the wall's; a box that \
            slides does not approach the floor, so the wall is first here.",
    run,
};

/// Tilts (°) and friction coefficients, and whether the outcome is unique.
const CASES: [(f64, f64, bool); 6] = [
    (40.0, 0.5, true),
    (40.0, 0.9, false),
    (35.0, 0.5, false),
    (30.0, 0.3, false),
    (40.0, 0.2, true),
    (20.0, 0.5, true),
];

fn run(study: &Study) -> Result<Outcome, Failure> {
    let samples = if study.quick { 1024 } else { 4096 };
    let mut outcome = Outcome::default();
    let mut table = Table::new("box-wall", &["tilt_deg", "friction", "unique", "spread", "gap_over_width"]);
    let (mut energy, mut violation, mut gap) = (0.0f64, 0.0f64, 0.0f64);
    let mut words = Vec::new();
    for (tilt, mu, unique) in CASES {
        let set = set(&sliding_box(tilt, mu)?, samples)?;
        let outer = bound(&set)?;
        let answer = verdict(&set, Some(&outer)).map_err(Failure::work)?;
        let (spread, own) = (set.ambiguity().spread, largest_gap(&set, &outer)?);
        let metric = format!("{tilt}°, μ = {mu}: unique (1 for yes)");
        let value = match answer.name() {
            "unique" => 1.0,
            "ambiguous" => 0.0,
            _ => f64::NAN,
        };
        outcome.checks.push(Check::within(
            metric,
            value,
            f64::from(u8::from(unique)),
            0.0,
            "outer bound, or two solutions",
        ));
        outcome.checks.push(Check::at_least(
            format!("{tilt}°, μ = {mu}: gap (negative if an outcome is outside)"),
            own,
            0.0,
            "the bound is sound",
        ));
        gap = gap.max(own);
        energy = energy.max(largest_energy(&set));
        violation = violation.max(worst_violation(&set, 7));
        words.push(format!("{tilt}° and μ = {mu}: {} (spread {spread:.4})", answer.name()));
        table.rows.push(vec![tilt, mu, value, spread, own]);
    }
    outcome.checks.push(Check::at_most(
        "largest gap to the outer bound, over the set's width",
        gap,
        0.1,
        "the bound is tight here",
    ));
    outcome.checks.push(Check::at_most(
        "largest kinetic energy after, over that before",
        energy,
        1.0,
        "MFI Lemma 5",
    ));
    outcome.checks.push(Check::at_most(
        "worst violation of the inclusion, relative",
        violation,
        1e-8,
        "the checker's tolerance",
    ));
    wall_alone(&mut outcome)?;
    figure(&mut outcome, samples)?;
    outcome.notes = words.join("; ") + ".";
    outcome.tables.push(table);
    Ok(outcome)
}

/// The wall alone, in closed form: it presses A into the floor.
fn wall_alone(outcome: &mut Outcome) -> Result<(), Failure> {
    let (a, b) = corners(35.0);
    let p = 1.0 / (1.0 + b.1 * b.1 / INERTIA);
    let omega = b.1 * p / INERTIA;
    let alone = set(&planar_body(1.0, INERTIA, &[wall(b)], START)?, 1)?;
    let spin = alone.velocity(0)[2];
    outcome.checks.push(Check::within("wall alone: ω after (rad/s)", spin, omega, 1e-12, "closed form"));
    let metric = "wall alone: normal velocity of the floor contact (m/s)";
    outcome.checks.push(Check::within(
        metric,
        a.0 * spin,
        a.0 * omega,
        1e-12,
        "closed form; below zero, so it induces a second impact (MFI Fig. 4b)",
    ));
    Ok(())
}

fn figure(outcome: &mut Outcome, samples: usize) -> Result<(), Failure> {
    let set = set(&sliding_box(35.0, 0.5)?, samples)?;
    let outer = bound(&set)?;
    let (_, b) = corners(35.0);
    let at = |v: &[f64]| [v[1] + v[2] * b.0, v[2]];
    let of = |wanted: &dyn Fn(&Origin) -> bool| -> Vec<[f64; 2]> {
        (0..set.len()).filter(|&i| wanted(&set.origins[i])).map(|i| at(set.velocity(i))).collect()
    };
    let normal = |i: usize| -> Vec<[f64; 2]> { set.path(i).iter().map(|u| [u[2], u[5]]).collect() };
    let mut paths: Vec<Series> = (0..24)
        .map(|k| {
            let label = if k == 0 { "some solutions (4c)" } else { "" };
            Series::new(label, Look::Line, [160, 190, 215], normal(set.len() - 1 - 37 * k))
        })
        .collect();
    let first = set.origins.iter().position(|o| matches!(o, Origin::Sequence(order) if order[0] == 1));
    let wall_first = match first {
        Some(i) => i,
        None => sequence(&set, &[1, 0])?,
    };
    paths.push(Series::new(
        "wall to its end first (4b)",
        Look::Joined(Shape::Triangle),
        color::VERMILLION,
        normal(wall_first),
    ));
    let mut ends = Vec::new();
    for (k, piece) in outer.pieces.iter().enumerate() {
        let piece: Vec<[f64; 2]> = piece.iter().map(|v| at(v)).collect();
        let mut line: Vec<[f64; 2]> = convex_hull(&piece).into_iter().map(|i| piece[i]).collect();
        line.extend(line.first().copied());
        ends.push(Series::new(if k == 0 { "outer bound" } else { "" }, Look::Dashed, color::GREY, line));
    }
    ends.push(Series::new(
        "outcomes",
        Look::Marks(Shape::Dot),
        color::BLUE,
        of(&|o| matches!(o, Origin::Sample(_))),
    ));
    ends.push(Series::new(
        "sequences",
        Look::Marks(Shape::Triangle),
        color::VERMILLION,
        of(&|o| matches!(o, Origin::Sequence(_))),
    ));
    ends.push(Series::new(
        "at once",
        Look::Marks(Shape::Square),
        color::BLACK,
        of(&|o| *o == Origin::OneShot),
    ));
    outcome.figures.push(Figure {
        name: "box-wall",
        caption: "A sliding box (35°, μ = 0.5) meets a wall. Left: normal velocities at floor and wall on the way, from (0, −1). Right: the set of \
                  outcomes, over the upward speed of the corner at the wall and the spin, and its outer bound."
            .into(),
        panels: vec![
            Panel {
                title: "normal velocities".into(),
                x: Axis::linear("floor (m/s)"),
                y: Axis::linear("wall (m/s)"),
                series: paths,
                legend: Place::BottomLeft,
            },
            Panel {
                title: "after the impact".into(),
                x: Axis::linear("upward speed at the wall (m/s)"),
                y: Axis::linear("spin (rad/s)"),
                series: ends,
                legend: Place::TopRight,
            },
        ],
    });
    Ok(())
}

const INERTIA: f64 = 5.0 / 12.0;
const START: [f64; 3] = [1.0, 0.0, 0.0];

fn sliding_box(tilt: f64, mu: f64) -> Result<Instant, Failure> {
    let (a, b) = corners(tilt);
    let floor = Corner { x: a.0, z: a.1, angle: 0.0, friction: mu };
    planar_body(1.0, INERTIA, &[floor, wall(b)], START)
}

/// The lowest and the rightmost corner of the box tilted by so many degrees, from its centre.
fn corners(tilt: f64) -> ((f64, f64), (f64, f64)) {
    let (s, c) = tilt.to_radians().sin_cos();
    let corner = |x: f64, z: f64| (x * c - z * s, x * s + z * c);
    (corner(-1.0, -0.5), corner(1.0, -0.5))
}

/// The wall's normal points to the left.
fn wall(at: (f64, f64)) -> Corner {
    Corner { x: at.0, z: at.1, angle: -FRAC_PI_2, friction: 0.0 }
}
