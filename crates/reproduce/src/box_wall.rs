//! MFI Fig. 4: a box slides on the floor into a wall without friction.
//!
//! A square box tilted clockwise by 15° comes down on its lowest corner A, sliding to the right (friction μ), as its
//! rightmost corner B meets the wall. A to its end first, slipping all the way (p = −u_A/(W_nn − μ W_tn)), then B
//! (p = −u_B/W_B): A separates and B slides upward (4b). Switching before A's end (4c) gives other velocities.
//!
//! The figure's caption also speaks of a wall impact that presses A into the floor. That needs B above and A left of the
//! centre of mass, as a box of 2 × 1 tilted counter-clockwise by 40° has them; it is checked as well. The set then has one member.

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{Corner, largest_energy, planar_body, set, worst_violation};
use crate::report::{Check, Outcome, Study, Table};
use std::f64::consts::FRAC_PI_2;
use stiction_impact::{ContactMode, Origin};
use stiction_plot::{Axis, Corner as Place, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "box-wall",
    summary: "A box slides along the floor into a wall without friction (MFI Fig. 4)",
    claim: "MFI Fig. 4 and III-A, here with a square box of 1 m and 1 kg tilted by 15°, floor friction 0.3, velocity (1, −0.3) m/s: if the first \
            impact, on the floor, is taken to its end before the wall's, the floor contact separates and the wall contact slides upward; if \
            the impulse switches before that end, a slightly different solution emerges. The paper gives no numbers; geometry and speeds are ours.",
    run,
};

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    induced(&mut outcome)?;
    let (m, mu, tilt) = (1.0, 0.3, -15f64.to_radians());
    let inertia = m / 6.0;
    let (a, b) = (corner(tilt, 0.5, -0.5), corner(tilt, 0.5, 0.5));
    let start = [1.0, -0.3, 0.0];
    let body = planar_body(m, inertia, &[floor(a, mu), wall(b)], start)?;
    let set = set(&body, if study.quick { 1024 } else { 4096 })?;

    // Floor first, every impact to its end (4b), in closed form.
    let (w_nn, w_tn) = (1.0 / m + a.0 * a.0 / inertia, -a.0 * a.1 / inertia);
    let p = -start[1] / (w_nn - mu * w_tn);
    let v = [start[0] - mu * p / m, start[1] + p / m, (a.0 * p + a.1 * mu * p) / inertia];
    let q = (v[0] - b.1 * v[2]) / (1.0 / m + b.1 * b.1 / inertia);
    let expected = [v[0] - q / m, v[1], v[2] + b.1 * q / inertia];
    let floor_first = crate::impacts::sequence(&set, &[0, 1])?;
    let end = set.velocity(floor_first).to_vec();
    let off = end.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let metric = "4b: largest error of (v_x, v_z, ω)";
    outcome.checks.push(Check::at_most(metric, off, 1e-12, "slip to the end of A, then B, in closed form"));
    let (up_a, up_b) = (end[1] + end[2] * a.0, end[1] + end[2] * b.0);
    let modes = set.modes_of(floor_first);
    let separates = f64::from(modes[0] == ContactMode::Separate);
    outcome.checks.push(Check::within(
        "4b: the floor contact separates (1 for yes)",
        separates,
        1.0,
        0.0,
        "MFI III-A",
    ));
    outcome.checks.push(Check::at_least(
        "4b: upward speed of the wall contact (m/s)",
        up_b,
        1e-3,
        "MFI III-A",
    ));
    // Others: switched before the end (4c).
    let spread = set.ambiguity().spread;
    outcome.checks.push(Check::at_least("spread of the set", spread, 1e-3, "MFI Fig. 4c: another solution"));
    let metric = "largest kinetic energy after, over that before";
    outcome.checks.push(Check::at_most(metric, largest_energy(&set), 1.0, "MFI Lemma 5"));
    let metric = "worst violation of the inclusion, relative";
    outcome.checks.push(Check::at_most(metric, worst_violation(&set, 7), 1e-8, "the checker's tolerance"));

    let at = |i: usize| [set.velocity(i)[1] + set.velocity(i)[2] * b.0, set.velocity(i)[2]];
    let of = |wanted: &dyn Fn(&Origin) -> bool| -> Vec<[f64; 2]> {
        (0..set.len()).filter(|&i| wanted(&set.origins[i])).map(at).collect()
    };
    let normal = |i: usize| -> Vec<[f64; 2]> { set.path(i).iter().map(|u| [u[2], u[5]]).collect() };
    let mut paths: Vec<Series> = (0..24)
        .map(|k| {
            let label = if k == 0 { "some solutions (4c)" } else { "" };
            Series::new(label, Look::Line, [160, 190, 215], normal(set.len() - 1 - 37 * k))
        })
        .collect();
    paths.push(Series::new(
        "floor to its end first (4b)",
        Look::Joined(Shape::Triangle),
        color::VERMILLION,
        normal(floor_first),
    ));
    outcome.figures.push(Figure {
        name: "box-wall",
        caption: "A sliding box meets a wall. Left: normal velocities at floor and wall on the way, from (−0.3, −1). Right: the set of \
                  outcomes, over the upward speed of the corner at the wall and the spin."
            .into(),
        panels: vec![
            Panel {
                title: "normal velocities".into(),
                x: Axis::linear("floor (m/s)"),
                y: Axis::linear("wall (m/s)"),
                series: paths,
                legend: Place::TopLeft,
            },
            Panel {
                title: "after the impact".into(),
                x: Axis::linear("upward speed at the wall (m/s)"),
                y: Axis::linear("spin (rad/s)"),
                series: vec![
                    Series::new("outcomes", Look::Marks(Shape::Circle), color::SKY, of(&|o| matches!(o, Origin::Sample(_)))),
                    Series::new("sequences", Look::Marks(Shape::Triangle), color::VERMILLION, of(&|o| matches!(o, Origin::Sequence(_)))),
                    Series::new("at once", Look::Marks(Shape::Square), color::BLACK, of(&|o| *o == Origin::OneShot)),
                ],
                legend: Place::BottomRight,
            },
        ],
    });
    outcome.notes = format!(
        "Floor first: the box ends with (v_x, v_z, ω) = ({:.5}, {:.5}, {:.5}), its lower corner rising at {up_a:.5} m/s.",
        end[0], end[1], end[2]
    );
    let mut table = Table::new("box-wall", &["v_x_m_per_s", "v_z_m_per_s", "spin_rad_per_s"]);
    table.rows = (0..set.len()).map(|i| set.velocity(i).to_vec()).collect();
    outcome.tables.push(table);
    Ok(outcome)
}

/// A corner of a box tilted counter-clockwise, from its centre.
fn corner(tilt: f64, x: f64, z: f64) -> (f64, f64) {
    let (s, c) = tilt.sin_cos();
    (x * c - z * s, x * s + z * c)
}

fn floor(at: (f64, f64), friction: f64) -> Corner {
    Corner { x: at.0, z: at.1, angle: 0.0, friction }
}

/// The wall's normal points to the left.
fn wall(at: (f64, f64)) -> Corner {
    Corner { x: at.0, z: at.1, angle: -FRAC_PI_2, friction: 0.0 }
}

/// The caption's case: a wide box that slides on its lower corner; the wall alone presses that corner into the floor.
fn induced(outcome: &mut Outcome) -> Result<(), Failure> {
    let (m, tilt, start) = (1.0, 40f64.to_radians(), [1.0, 0.0, 0.0]);
    let inertia = m * 5.0 / 12.0;
    let (a, b) = (corner(tilt, -1.0, -0.5), corner(tilt, 1.0, -0.5));
    let p = start[0] / (1.0 / m + b.1 * b.1 / inertia);
    let omega = b.1 * p / inertia;
    let alone = set(&planar_body(m, inertia, &[wall(b)], start)?, 1)?;
    let spin = alone.velocity(0)[2];
    outcome.checks.push(Check::within(
        "wide box, wall alone: ω after (rad/s)",
        spin,
        omega,
        1e-12,
        "closed form",
    ));
    let metric = "wide box, wall alone: normal velocity of the floor contact (m/s)";
    outcome.checks.push(Check::at_most(metric, a.0 * spin, -1e-3, "MFI Fig. 4: induces a second impact"));
    let both = set(&planar_body(m, inertia, &[floor(a, 0.5), wall(b)], start)?, 512)?;
    let spread = both.ambiguity().spread;
    outcome.checks.push(Check::at_most(
        "wide box: spread of the set",
        spread,
        1e-6,
        "both contacts end at rest",
    ));
    Ok(())
}
