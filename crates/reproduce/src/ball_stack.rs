//! Beyond the paper: balls without friction.
//!
//! A vertical stack that falls on the floor has one outcome: the floor pushes only while the lowest ball falls, so that ball
//! never rises; a ball is pushed only while it falls faster than the one below, so none overtakes; all end at rest. The
//! sequences get there in infinitely many impacts, each leaving m₂/(m₁ + m₂) of the speed.
//!
//! A ball (v = 1, down) that falls between two equal ones, normals at ±β from the vertical, n_L·n_R = cos 2β: one after the
//! other, for β = 30°,
//!
//! ```text
//! v_T = (√3/32, −11/32) v        at once:  v_T = (0, −2/5) v
//! ```
//!
//! With m W = [2 cos2β; cos2β 2] the normals are orthogonal in the mass metric for β = 45°, and the outcome is one. For larger angles each ball's
//! impulse presses the top one into the other (W_LR < 0), neither can separate, and the outcome is one again.

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{at_once, sequence, set};
use crate::report::{Check, Outcome, Study, Table};
use nalgebra::{DMatrix, DVector, Vector2};
use stiction::rigid::contact::Instant;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "ball-stack",
    summary: "Balls without friction: a stack has one outcome, a ball between two has many",
    claim: "Beyond the paper. Without friction and with normals orthogonal in the mass metric the set is a single point; a vertical stack \
            is one although its normals are not orthogonal; a ball between two is not, unless the normals are 45° from the vertical or more, where each push presses it into the other ball.",
    run,
};

/// The top ball (x, z), left (x, z), right (x, z), all of mass 1; normals at ±β from the vertical.
fn wedge(beta: f64) -> Result<Instant, Failure> {
    let (s, c) = beta.sin_cos();
    let mut jacobian = DMatrix::zeros(6, 6);
    jacobian.row_mut(2).copy_from_slice(&[s, c, -s, -c, 0.0, 0.0]);
    jacobian.row_mut(5).copy_from_slice(&[-s, c, 0.0, 0.0, s, -c]);
    let mut v = DVector::zeros(6);
    v[1] = -1.0;
    Instant::from_matrices(DMatrix::identity(6, 6), jacobian, vec![Vector2::zeros(); 2], v)
        .map_err(Failure::work)
}

/// Balls on top of each other, falling at 1 m/s.
fn stack(masses: &[f64]) -> Result<Instant, Failure> {
    let n = masses.len();
    let mut jacobian = DMatrix::zeros(3 * n, n);
    for k in 0..n {
        jacobian[(3 * k + 2, k)] = 1.0;
        if k > 0 {
            jacobian[(3 * k + 2, k - 1)] = -1.0;
        }
    }
    let mass = DMatrix::from_diagonal(&DVector::from_column_slice(masses));
    let v = DVector::from_element(n, -1.0);
    Instant::from_matrices(mass, jacobian, vec![Vector2::zeros(); n], v).map_err(Failure::work)
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let samples = if study.quick { 512 } else { 4096 };
    let mut outcome = Outcome::default();
    for masses in [vec![1.0, 1.0], vec![1.0, 0.5, 0.25], vec![0.5, 1.0, 0.7, 0.2]] {
        let set = set(&stack(&masses)?, samples)?;
        let most = set.velocities.iter().fold(0.0f64, |x, v| x.max(v.abs()));
        let metric = format!("stack of {}: largest speed after (m/s)", masses.len());
        outcome.checks.push(Check::within(metric, most, 0.0, 1e-6, "all end at rest"));
    }
    let wedges = set(&wedge(30f64.to_radians())?, samples)?;
    let (left, together) = (sequence(&wedges, &[0, 1])?, at_once(&wedges)?);
    let source = "two-body impacts in closed form";
    let v = wedges.velocity(left);
    outcome.checks.push(Check::within(
        "left first: v_x of the top ball (m/s)",
        v[0],
        3f64.sqrt() / 32.0,
        1e-12,
        source,
    ));
    outcome.checks.push(Check::within(
        "left first: v_z of the top ball (m/s)",
        v[1],
        -11.0 / 32.0,
        1e-12,
        source,
    ));
    let v = wedges.velocity(together);
    outcome.checks.push(Check::within("at once: v_z of the top ball (m/s)", v[1], -0.4, 1e-9, source));
    outcome.checks.push(Check::within("at once: v_x of the top ball (m/s)", v[0], 0.0, 1e-9, source));
    let right_angle = set(&wedge(45f64.to_radians())?, samples)?;
    let spread = right_angle.ambiguity().spread;
    outcome.checks.push(Check::at_most(
        "normals at right angles: spread of the set",
        spread,
        1e-6,
        "orthogonal in the mass metric",
    ));
    let drift = right_angle.velocity(0)[1];
    outcome.checks.push(Check::within(
        "normals at right angles: v_z (m/s)",
        drift,
        -0.5,
        1e-7,
        "half of each normal's share is left",
    ));

    let mut table =
        Table::new("ball-stack", &["angle_deg", "spread", "v_x_least_m_per_s", "v_x_greatest_m_per_s"]);
    let mut width = Vec::new();
    for k in 0..=26 {
        let degrees = 20.0 + 2.0 * k as f64;
        let set = set(&wedge(degrees.to_radians())?, samples.min(1024))?;
        let (low, high) = set.extremes(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        width.push([degrees, high.value - low.value]);
        table.rows.push(vec![degrees, set.ambiguity().spread, low.value, high.value]);
    }
    outcome.tables.push(table);
    let top: Vec<[f64; 2]> =
        (0..wedges.len()).map(|i| [wedges.velocity(i)[0], wedges.velocity(i)[1]]).collect();
    let pick = |i: usize| vec![top[i]];
    outcome.figures.push(Figure {
        name: "ball-stack",
        caption: "A ball falls between two others. Left: its velocity after, for normals at 30° from the vertical. Right: how \
                  far its sideways speed is undetermined, over that angle; from 45° on, where the normals are orthogonal, it is determined."
            .into(),
        panels: vec![
            Panel {
                title: "velocity of the falling ball after".into(),
                x: Axis::linear("v_x (m/s)"),
                y: Axis::linear("v_z (m/s)"),
                series: vec![
                    Series::new("outcomes", Look::Marks(Shape::Circle), color::SKY, top.clone()),
                    Series::new("left first", Look::Marks(Shape::Triangle), color::VERMILLION, pick(left)),
                    Series::new("right first", Look::Marks(Shape::Diamond), color::GREEN, pick(sequence(&wedges, &[1, 0])?)),
                    Series::new("at once", Look::Marks(Shape::Square), color::BLACK, pick(together)),
                ],
                legend: Corner::BottomRight,
            },
            Panel {
                title: "width of the set".into(),
                x: Axis::linear("angle of the normals from the vertical (°)"),
                y: Axis::linear("range of v_x (m/s)"),
                series: vec![Series::new("", Look::Line, color::BLUE, width)],
                legend: Corner::TopRight,
            },
        ],
    });
    Ok(outcome)
}
