//! MFI Fig. 2: the velocity of a single contact along Routh's path.
//!
//! A uniform rod (m = 1, length 1) at θ from the horizontal hits with its lower end; at the contact m W_tt = 1 + 3 sin²θ,
//! m W_nn = 1 + 3 cos²θ, m W_tn = 3 sinθ cosθ. Slip ends on the line u_t = 0, the contact then sticks if
//! μ ≥ W_tn/W_tt (0.6 at 45°), and the impact ends on u_n = 0. In space slip turns: the second panel is the curve
//! u_x ∝ u_y² of W_tt = diag(3.4, 1.7).

use crate::Reproduction;
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use stiction_impact::routh::Event;
use stiction_impact::{Restitution, Routh, RouthOptions, routh};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "routh-path",
    summary: "A single impact followed by Routh's method, in the plane and in space (MFI Fig. 2)",
    claim: "MFI Fig. 2: the contact slides first; where its velocity meets J_t v = 0 it goes over to sticking, and the impact \
            ends at J_n v = 0. The path is made of straight lines in the plane, and is curved in space.",
    run,
};

fn rod(theta: f64) -> Matrix3<f64> {
    let (s, c) = theta.sin_cos();
    let (tt, nn, tn) = (1.0 + 3.0 * s * s, 1.0 + 3.0 * c * c, 3.0 * s * c);
    Matrix3::new(tt, 0.0, tn, 0.0, 1.0, 0.0, tn, 0.0, nn)
}

fn follow(w: &Matrix3<f64>, u: [f64; 3], mu: f64, law: Restitution) -> Result<Routh, Failure> {
    routh(w, &Vector3::from(u), mu, law, &RouthOptions::default()).map_err(Failure::work)
}

fn run(_study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    plane(&mut outcome)?;
    space(&mut outcome)?;
    pendulum(&mut outcome)?;
    Ok(outcome)
}

fn plane(outcome: &mut Outcome) -> Result<(), Failure> {
    let w = rod(std::f64::consts::FRAC_PI_4);
    let start = [0.3, 0.0, -2.0];
    let cases = [
        (0.7, color::BLUE, Shape::Circle),
        (0.5, color::GREEN, Shape::Square),
        (0.2, color::VERMILLION, Shape::Triangle),
    ];
    let mut series = Vec::new();
    let mut table =
        Table::new("routh-path", &["friction", "u_t_m_per_s", "u_n_m_per_s", "normal_impulse_Ns"]);
    for (mu, shade, glyph) in cases {
        let path = follow(&w, start, mu, Restitution::Inelastic)?;
        for p in &path.path {
            table.rows.push(vec![mu, p.velocity.x, p.velocity.z, p.impulse.z]);
        }
        let points = path.path.iter().map(|p| [p.velocity.x, p.velocity.z]).collect();
        series.push(Series::new(format!("μ = {mu}"), Look::Joined(glyph), shade, points));
    }
    // Slip that reverses: friction 0.3 stops it at p = |u_t|/(W_tn + μ W_tt) and cannot hold it.
    let reversed = follow(&w, [-0.8, 0.0, -2.0], 0.3, Restitution::Inelastic)?;
    let points = reversed.path.iter().map(|p| [p.velocity.x, p.velocity.z]).collect();
    series.push(Series::new("μ = 0.3, slip reverses", Look::Joined(Shape::Diamond), color::ORANGE, points));
    let (tt, tn, nn) = (w.m11, w.m13, w.m33);
    let stop = 0.8 / (tn + 0.3 * tt);
    let rise = stop - (-2.0 + stop * (nn + 0.3 * tn)) / (nn - 0.3 * tn);
    let metric = "slip after it has reversed (m/s)";
    let closed = (rise - stop) * (tn - 0.3 * tt);
    outcome.checks.push(Check::within(
        metric,
        reversed.velocity.x,
        closed,
        1e-12,
        "piecewise linear closed form",
    ));
    // Closed form for μ = 0.7: slip stops at p = u_t/(μ W_tt − W_tn), then u_n rises at W_nn − W_tn²/W_tt.
    let path = follow(&w, start, 0.7, Restitution::Inelastic)?;
    let (tt, tn, nn) = (w.m11, w.m13, w.m33);
    let stop = start[0] / (0.7 * tt - tn);
    let u_n = start[2] + stop * (nn - 0.7 * tn);
    let end = stop - u_n / (nn - tn * tn / tt);
    let at = |event: Event| {
        path.events.iter().find(|e| e.0 == event).map_or(f64::NAN, |e| path.path[e.1].impulse.z)
    };
    let source = "piecewise linear closed form";
    outcome.checks.push(Check::within(
        "normal impulse where slip stops (N s)",
        at(Event::SlipStops),
        stop,
        1e-12,
        source,
    ));
    outcome.checks.push(Check::within(
        "normal impulse at the end (N s)",
        at(Event::Ends),
        end,
        1e-12,
        source,
    ));
    // The threshold of sticking by bisection over friction.
    let (mut low, mut high) = (0.3, 0.9);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let slips = follow(&w, [0.0, 0.0, -1.0], middle, Restitution::Inelastic)?.velocity.x != 0.0;
        if slips { low = middle } else { high = middle }
    }
    outcome.checks.push(Check::within(
        "friction from which a rod at 45° sticks",
        high,
        0.6,
        1e-10,
        "W_tn/W_tt",
    ));
    let (mut low, mut high) = (0.5, 3.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let presses = follow(&rod(2.0f64.atan()), [1.0, 0.0, -1.0], middle, Restitution::Inelastic)?.painleve;
        if presses { high = middle } else { low = middle }
    }
    let metric = "friction from which slip presses a rod at atan 2 down (Painlevé)";
    outcome.checks.push(Check::within(metric, high, 4.0 / 3.0, 1e-10, "min W_nn/W_tn = 4/3"));
    outcome.tables.push(table);
    let panel = Panel {
        title: "rod at 45°".into(),
        x: Axis { range: Some([-1.0, 2.8]), ..Axis::linear("slip u_t (m/s)") },
        y: Axis::linear("normal velocity u_n (m/s)"),
        series,
        legend: Corner::BottomRight,
    };
    outcome.figures.push(Figure {
        name: "routh-path",
        caption: "Contact velocity along Routh's path, from the bottom up. Left: a rod at 45°; it sticks from friction 0.6 on, \
                  slip grows below, and reverses where it came from the other side. Right: slip that turns, and the straight paths along the axes."
            .into(),
        panels: vec![panel],
    });
    Ok(())
}

fn space(outcome: &mut Outcome) -> Result<(), Failure> {
    let w = Matrix3::from_diagonal(&Vector3::new(3.4, 1.7, 1.0));
    let mut series = Vec::new();
    for (u, shade) in [
        ([1.0, 0.8], color::BLUE),
        ([1.0, 0.3], color::GREEN),
        ([0.4, 1.0], color::VERMILLION),
        ([-0.7, 0.9], color::PURPLE),
        ([1.0, 0.0], color::GREY),
    ] {
        let path = follow(&w, [u[0], u[1], -20.0], 0.3, Restitution::Inelastic)?;
        let points = path.path.iter().map(|p| [p.velocity.x, p.velocity.y]).collect();
        series.push(Series::new("", Look::Line, shade, points));
    }
    // With W_nn = 1 the path ends at the normal impulse −u_n: the one at which |u| = 0.3, by bisection.
    let ends_at = |p: f64| follow(&w, [1.0, 0.8, -p], 0.3, Restitution::Inelastic);
    let (mut low, mut high) = (1.0, 1.6);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if ends_at(middle)?.velocity.xy().norm() > 0.3 { low = middle } else { high = middle }
    }
    let u = ends_at(high)?.velocity.xy();
    let source = "theory: curved slip, W_tt = diag(3.4, 1.7), μ = 0.3, u = (1, 0.8)";
    outcome.checks.push(Check::within(
        "normal impulse at which |u| = 0.3 (N s)",
        high,
        1.35628,
        5e-6,
        source,
    ));
    outcome.checks.push(Check::within("u_x there over u_x at the start", u.x, 0.118634, 1e-6, source));
    let invariant = u.x - (u.y / 0.8).powi(2);
    outcome.checks.push(Check::within(
        "u_x − (u_y/0.8)² there",
        invariant,
        0.0,
        1e-11,
        "invariant of the curve",
    ));
    outcome.figures[0].panels.push(Panel {
        title: "slip in space".into(),
        x: Axis::linear("u_x (m/s)"),
        y: Axis::linear("u_y (m/s)"),
        series,
        legend: Corner::BottomRight,
    });
    Ok(())
}

/// Kane's double pendulum: laws of restitution and energy.
fn pendulum(outcome: &mut Outcome) -> Result<(), Failure> {
    let (a, b) = (20f64.to_radians(), 30f64.to_radians());
    let c = 0.5 * (a - b).cos();
    let mass = Matrix2::new(4.0 / 3.0, c, c, 1.0 / 3.0);
    let j = nalgebra::Matrix3x2::new(a.cos(), b.cos(), 0.0, 0.0, a.sin(), b.sin());
    let rates = Vector2::new(-0.1, -0.2);
    let Some(inverse) = mass.try_inverse() else { return Err(Failure::work("a singular pendulum")) };
    let (w, u) = (j * inverse * j.transpose(), j * rates);
    let before = 0.5 * rates.dot(&(mass * rates));
    let source = "theory: Kane's double pendulum, μ = 0.5, e = 0.5";
    for (name, law, expected) in [
        ("Poisson", Restitution::Poisson(0.5), 0.012636),
        ("Stronge", Restitution::Stronge(0.5), 0.012824),
        ("no restitution", Restitution::Inelastic, 0.011906),
    ] {
        let path = follow(&w, u.into(), 0.5, law)?;
        let after = before + path.energy_change();
        outcome.checks.push(Check::within(
            format!("energy after, {name} (J)"),
            after,
            expected,
            5e-7,
            source,
        ));
    }
    let newton = follow(&w, u.into(), 0.5, Restitution::Newton(0.5))?;
    outcome.notes = format!(
        "Newton's restitution on Routh's path leaves {:.6} J; the algebraic law of Kane and Levinson, which takes slip as if it \
         kept its direction, would leave 0.036800 J, more than there was.",
        before + newton.energy_change()
    );
    Ok(())
}
