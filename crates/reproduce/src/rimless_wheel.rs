//! MFI Fig. 3: a rimless wheel falls on two feet.
//!
//! Mass m with inertia I at the hub, feet at l from it, at ±α from the vertical, enough friction to stick, vertical speed v.
//! An impact that sticks keeps the angular momentum about the foot. Foot A alone (s = l sin α):
//!
//! ```text
//! ω₁ = −m s v/(I + m l²),   u_B = 2 s ω₁ < 0;    then B:   ω₂ = ω₁ (I + m l² cos 2α)/(I + m l²),   u_A = −2 s ω₂
//! ```
//!
//! Both at once bring it to rest. The set of the inclusion holds these and what lies between: final velocities are on the
//! positive axes of normal coordinates.

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{
    Corner, at_once, largest_energy, largest_gap, planar_body, sequence, set, worst_violation,
};
use crate::report::{Check, Outcome, Study, Table};
use stiction_impact::certify;
use stiction_plot::{Axis, Corner as Place, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "rimless-wheel",
    summary: "A rimless wheel lands on two feet: sequences, all at once, and the whole set (MFI Fig. 3)",
    claim: "MFI Fig. 3, here with m = 1 kg, I = 0.1 kg m², l = 1 m, α = 22.5°, μ = 1, v = 1 m/s: impacts one after another \
            end with one foot lifting off, all at once with pure sticking. The model allows concurrent impacts until \
            a foot stops approaching (dashed in the paper); final velocities are a superset of the sequential and the simultaneous ones.",
    run,
};

fn run(study: &Study) -> Result<Outcome, Failure> {
    let (m, inertia, l, alpha, v) = (1.0, 0.1, 1.0, 22.5f64.to_radians(), 1.0);
    let (s, c) = (l * alpha.sin(), l * alpha.cos());
    let foot = |x: f64| Corner { x, z: -c, angle: 0.0, friction: 1.0 };
    let wheel = planar_body(m, inertia, &[foot(-s), foot(s)], [0.0, -v, 0.0])?;
    let set = set(&wheel, if study.quick { 1024 } else { 4096 })?;
    let (a_first, b_first, together) = (sequence(&set, &[0, 1])?, sequence(&set, &[1, 0])?, at_once(&set)?);

    let mut outcome = Outcome::default();
    let ends: Vec<[f64; 2]> = (0..set.len())
        .map(|i| {
            let v = set.velocity(i);
            [v[1] - s * v[2], v[1] + s * v[2]]
        })
        .collect();
    let first = -m * s * v / (inertia + m * l * l);
    let second = first * (inertia + m * l * l * (2.0 * alpha).cos()) / (inertia + m * l * l);
    let lift = -2.0 * s * second;
    let source = "angular momentum about each foot";
    outcome.checks.push(Check::within(
        "A then B: foot A lifts off at (m/s)",
        ends[a_first][0],
        lift,
        1e-12,
        source,
    ));
    outcome.checks.push(Check::within("A then B: foot B stays (m/s)", ends[a_first][1], 0.0, 1e-12, source));
    outcome.checks.push(Check::within(
        "B then A: foot B lifts off at (m/s)",
        ends[b_first][1],
        lift,
        1e-12,
        source,
    ));
    let rest = set.velocity(together).iter().fold(0.0f64, |x, v| x.max(v.abs()));
    outcome.checks.push(Check::within(
        "all at once: largest velocity",
        rest,
        0.0,
        1e-9,
        "MFI: pure sticking",
    ));
    let low = ends.iter().flatten().fold(f64::INFINITY, |x, y| x.min(*y));
    outcome.checks.push(Check::at_least(
        "least normal velocity in the set (m/s)",
        low,
        -1e-8,
        "MFI: termination",
    ));
    let inside = ends.iter().map(|e| e[0].min(e[1])).fold(0.0, f64::max);
    let metric = "off the axes: largest min(u_A, u_B) (m/s)";
    outcome.checks.push(Check::at_most(metric, inside, 1e-6, "MFI Fig. 3b: one foot stays"));
    let most = ends.iter().flatten().fold(0.0f64, |x, y| x.max(*y));
    outcome.checks.push(Check::within(
        "greatest lift-off in the set (m/s)",
        most,
        lift,
        1e-9,
        "the sequences are extreme",
    ));
    // The set is connected along the axes: the largest gap between neighbours on one of them.
    let mut on_axis: Vec<f64> = ends.iter().filter(|e| e[1] < 1e-6).map(|e| e[0]).collect();
    on_axis.sort_by(f64::total_cmp);
    let gap = on_axis.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max) / lift;
    let bound = if study.quick { 0.05 } else { 0.02 };
    let metric = "largest gap on an axis, over the greatest lift-off";
    outcome.checks.push(Check::at_most(metric, gap, bound, "MFI Fig. 3b: the whole segment is reached"));
    let metric = "largest kinetic energy after, over that before";
    outcome.checks.push(Check::at_most(metric, largest_energy(&set), 1.0, "MFI Lemma 5"));
    let metric = "worst violation of the inclusion, relative";
    outcome.checks.push(Check::at_most(metric, worst_violation(&set, 7), 1e-8, "the checker's tolerance"));
    let outer = crate::impacts::bound(&set)?;
    let gap = largest_gap(&set, &outer)?;
    outcome.checks.push(Check::at_least(
        "gap to the outer bound (negative if an outcome is outside)",
        gap,
        0.0,
        "the bound is sound",
    ));
    outcome.checks.push(Check::at_most(
        "largest gap to the outer bound, over the set's width",
        gap,
        0.1,
        "the bound is tight here",
    ));
    let certificate = certify(set.problem());
    let spent = (0..set.len()).map(|i| set.impulse(i)[2] + set.impulse(i)[5]).fold(0.0, f64::max);
    let bound = certificate.impulse_bound.unwrap_or(f64::NAN);
    outcome.checks.push(Check::at_most(
        "largest sum of normal impulses (N s)",
        spent,
        bound,
        "the certificate's bound on s",
    ));

    let normal = |i: usize| -> Vec<[f64; 2]> { set.path(i).iter().map(|u| [u[2], u[5]]).collect() };
    let mut series: Vec<Series> = (0..24)
        .map(|k| {
            Series::new(
                if k == 0 { "some solutions" } else { "" },
                Look::Line,
                [200, 215, 228],
                normal(set.len() - 1 - 37 * k),
            )
        })
        .collect();
    // Where solutions leave the third quadrant: the first foot stops approaching.
    let exits =
        (0..set.len()).filter_map(|i| normal(i).into_iter().find(|u| u[0].max(u[1]) > -1e-9)).collect();
    series.push(Series::new("exits of the third quadrant", Look::Marks(Shape::Dot), color::ORANGE, exits));
    series.push(Series::new("final velocities", Look::Marks(Shape::Circle), color::GREEN, ends.clone()));
    series.push(Series::new("A, then B", Look::Joined(Shape::Triangle), color::BLUE, normal(a_first)));
    series.push(Series::new("B, then A", Look::Joined(Shape::Diamond), color::VERMILLION, normal(b_first)));
    series.push(Series::new("all at once", Look::Joined(Shape::Square), color::BLACK, normal(together)));
    outcome.figures.push(Figure {
        name: "rimless-wheel",
        caption: "Rimless wheel on two feet, in normal coordinates. Every solution starts at (−1, −1), leaves the third \
                  quadrant on the orange set and ends on the green one: one foot stays, the other lifts off at any speed up to that of a sequence."
            .into(),
        panels: vec![Panel {
            title: "normal velocities of the two feet".into(),
            x: Axis { range: Some([-1.1, 1.3]), ..Axis::linear("foot A (m/s)") },
            y: Axis::linear("foot B (m/s)"),
            series,
            legend: Place::BottomRight,
        }],
    });
    let mut table = Table::new("rimless-wheel", &["foot_a_m_per_s", "foot_b_m_per_s"]);
    table.rows = ends.iter().map(|e| e.to_vec()).collect();
    outcome.tables.push(table);
    Ok(outcome)
}
