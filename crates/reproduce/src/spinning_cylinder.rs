//! PFC Fig. 6.5 and Table 6.1: a cylinder that starts to spin on its end, with tangential springs.
//!
//! In the full model every point has a spring of its own; at radius r it carries p min(μ, k̄ ω r (t + τ)), and in the end
//! everything slips,
//!
//! ```text
//! M_cont = μ ∫ p r dA                     = 2πμpR³/3 for a uniform disc            6.15
//! ```
//!
//! The reduced model has one turn Δ_θ for all. It begins to slip when the outer edge does, k̄ Δ_θ R = μ,
//!
//! ```text
//! M_reduced = (μ/R) ∫ p r² dA             = πμpR³/2 for a uniform disc             6.16
//! ```
//!
//! and if the cylinder turns slowly it stays there: what slips at the edge is all that the springs give. The faster it turns,
//! the more the dampers carry, and the moment tends to M_cont.

use crate::Reproduction;
use crate::driven::{FRICTION, SLOPE, Underside, drive, friction};
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table, number};
use nalgebra::Vector3;
use std::f64::consts::PI;
use std::fmt::Write;
use stiction::continuous::TangentialCompliance;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "spinning-cylinder",
    summary: "A spinning cylinder with tangential springs: transient and steady moment (PFC Fig. 6.5, Table 6.1)",
    claim: "PFC section 6.2.2: a cylinder on its end starts to turn. The moment rises linearly until slip begins. With a spring \
            at every point it ends at M_cont = 2πμpR³/3; the reduced model with six numbers begins to slip at \
            M_reduced = πμpR³/2, and its steady moment depends on the rate of rotation and approaches M_cont as the rate \
            grows. M_reduced/M_cont is 1 for a thin ring, 3/4 for a circle, 32/(15π) for a half-sphere of pressure and 3/5 \
            for a cone (Table 6.1).",
    run,
};

const RADIUS: f64 = 0.05;
const DEPTH: f64 = 1e-5;
const SPRINGS: TangentialCompliance = TangentialCompliance { stretch: 1e-3, relaxation_time: 0.05 };

/// Rates of rotation over that at which dampers alone would carry the edge: in the steady state the edge slips at the rate,
/// so that the springs are stretched beyond M_reduced in proportion to its square root.
const SLOW: f64 = 1e-6;
const FAST: f64 = 1e3;

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    transient(study, &mut outcome)?;
    table(study, &mut outcome)?;
    Ok(outcome)
}

/// The rate at which the dampers alone would carry the friction at the edge.
fn edge_rate() -> f64 {
    FRICTION * SPRINGS.stretch / (SPRINGS.relaxation_time * RADIUS)
}

/// Moment over time of an underside that starts to turn at `rate`, at `count` equal times until `end`.
fn moments(shape: &Underside, rate: f64, end: f64, count: usize) -> Result<Vec<[f64; 2]>, Failure> {
    let mut sim = shape.over_plate(SPRINGS, 1e-7)?;
    drive(&mut sim, Vector3::zeros(), rate);
    let mut out = Vec::new();
    for k in 1..=count {
        let time = end * k as f64 / count as f64;
        sim.run_until(time).map_err(Failure::work)?;
        out.push([time, -friction(&sim).1]);
    }
    Ok(out)
}

/// The steady moment at a rate: after the edge slips and the dampers have relaxed.
fn steady(shape: &Underside, rate: f64) -> Result<f64, Failure> {
    let until = FRICTION * SPRINGS.stretch / (RADIUS * rate) + 40.0 * SPRINGS.relaxation_time;
    Ok(moments(shape, rate, 2.0 * until, 1)?[0][1])
}

fn transient(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    let (rings, around) = if study.quick { (12, 24) } else { (24, 48) };
    let disc = Underside::new(0.0, RADIUS, rings, around, |_| DEPTH);
    let p = SLOPE * DEPTH;
    let full = 2.0 * PI * FRICTION * p * RADIUS.powi(3) / 3.0;
    let rate = 0.1 * edge_rate();
    let end = 3.0 * FRICTION * SPRINGS.stretch / (RADIUS * rate);
    study.say("transient of the disc");
    let samples = moments(&disc, rate, end, if study.quick { 60 } else { 240 })?;
    // The full model, ring by ring.
    let cells = 2000;
    let exact = |t: f64| {
        (0..cells)
            .map(|i| {
                let r = RADIUS * (f64::from(i) + 0.5) / f64::from(cells);
                let share = (rate * r * (t + SPRINGS.relaxation_time) / SPRINGS.stretch).min(FRICTION);
                2.0 * PI * r * r * p * share * RADIUS / f64::from(cells)
            })
            .sum::<f64>()
            / full
    };
    let mut table =
        Table::new("spinning-cylinder-transient", &["time_s", "reduced_over_M_cont", "full_over_M_cont"]);
    for [t, m] in &samples {
        table.rows.push(vec![*t, m / full, exact(*t)]);
    }
    // Until slip begins the two are the same, and linear in time.
    let slip = FRICTION * SPRINGS.stretch / (RADIUS * rate) - SPRINGS.relaxation_time;
    let off =
        table.rows.iter().filter(|r| r[0] < slip).map(|r| (r[1] / r[2] - 1.0).abs()).fold(0.0, f64::max);
    outcome.checks.push(Check::within(
        "sticking: largest relative deviation of the reduced from the full model",
        off,
        0.0,
        0.01,
        "PFC Fig. 6.5 (1, 2): captured exactly; the bound is for the outline, a polygon",
    ));
    let at_slip = table.rows.iter().rfind(|r| r[0] < slip).map_or(f64::NAN, |r| r[1] * full);
    let reduced = PI * FRICTION * p * RADIUS.powi(3) / 2.0;
    outcome.checks.push(Check::within(
        "moment when slip begins over πμpR³/2",
        at_slip / reduced,
        1.0,
        0.01,
        "PFC eq. 6.16",
    ));
    outcome.checks.push(Check::within(
        "full model in the end over 2πμpR³/3",
        exact(1e3 * end),
        1.0,
        1e-3,
        "PFC eq. 6.15",
    ));

    study.say("steady moment over the rate of rotation");
    let exponents: &[i32] = if study.quick { &[-6, 0, 3] } else { &[-6, -5, -4, -3, -2, -1, 0, 1, 2, 3] };
    let rates: Vec<f64> = exponents.iter().map(|&k| 10f64.powi(k)).collect();
    let mut over_rate =
        Table::new("spinning-cylinder-steady", &["rate_over_edge_rate", "moment_over_M_cont"]);
    for share in rates {
        over_rate.rows.push(vec![share, steady(&disc, share * edge_rate())? / full]);
    }
    let ends = (over_rate.rows[0][1], over_rate.rows[over_rate.rows.len() - 1][1]);
    outcome.checks.push(Check::within(
        "steady moment, slow, over M_cont",
        ends.0,
        0.75,
        0.015,
        "PFC eq. 6.15, 6.16",
    ));
    outcome.checks.push(Check::within(
        "steady moment, fast, over M_cont",
        ends.1,
        1.0,
        0.015,
        "PFC section 6.2.2",
    ));
    let rising = over_rate.rows.windows(2).all(|w| w[1][1] >= w[0][1] - 1e-9);
    outcome.checks.push(Check::within(
        "the steady moment grows with the rate (1: it does)",
        f64::from(u8::from(rising)),
        1.0,
        0.0,
        "PFC section 6.2.2",
    ));

    let line = |column: usize| table.rows.iter().map(|r| [r[0], r[column]]).collect::<Vec<_>>();
    let level = |y: f64| vec![[0.0, y], [end, y]];
    let left = Panel {
        title: "Starting to spin".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("moment over M_cont").over(0.0, 1.1),
        series: vec![
            Series::new("M_cont", Look::Dashed, color::BLACK, level(1.0)),
            Series::new("M_reduced", Look::Dotted, color::BLACK, level(0.75)),
            Series::new("a spring at every point", Look::Line, color::VERMILLION, line(2)),
            Series::new("six numbers (simulated)", Look::Line, color::BLUE, line(1)),
        ],
        legend: Corner::BottomRight,
    };
    let points: Vec<[f64; 2]> = over_rate.rows.iter().map(|r| [r[0], r[1]]).collect();
    let span = [points[0][0], points[points.len() - 1][0]];
    let right = Panel {
        title: "Steady moment".into(),
        x: Axis::log("rate over that at which dampers alone carry the edge"),
        y: Axis::linear("moment over M_cont").over(0.7, 1.05),
        series: vec![
            Series::new("M_cont", Look::Dashed, color::BLACK, span.map(|x| [x, 1.0]).to_vec()),
            Series::new("M_reduced", Look::Dotted, color::BLACK, span.map(|x| [x, 0.75]).to_vec()),
            Series::new("simulated", Look::Joined(Glyph::Circle), color::BLUE, points),
        ],
        legend: Corner::BottomRight,
    };
    outcome.tables.extend([table, over_rate]);
    outcome.figures.push(Figure {
        name: "spinning-cylinder",
        caption: "PFC Fig. 6.5. While all sticks the reduced model is exact. Slip begins at M_reduced; the full model goes on \
                  to M_cont, the reduced one as far as its dampers carry it."
            .into(),
        panels: vec![left, right],
    });
    Ok(())
}

fn table(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    study.say("Table 6.1");
    let (rings, around) = if study.quick { (24, 24) } else { (48, 48) };
    let share = |r: f64| (1.0 - (r / RADIUS).powi(2)).max(0.0).sqrt();
    let shapes = [
        ("Thin ring", Underside::new(0.995 * RADIUS, RADIUS, 1, 2 * around, |_| DEPTH), 1.0, "1"),
        ("Circle", Underside::new(0.0, RADIUS, rings, around, |_| DEPTH), 0.75, "3/4"),
        (
            "Half-sphere",
            Underside::new(0.0, RADIUS, rings, around, |r| DEPTH * share(r)),
            32.0 / (15.0 * PI),
            "32/(15π)",
        ),
        ("Cone", Underside::new(0.0, RADIUS, rings, around, |r| DEPTH * (1.0 - r / RADIUS)), 0.6, "3/5"),
    ];
    let mut table = Table::new("spinning-cylinder-table", &["row", "simulated", "paper"]);
    let _ = writeln!(
        outcome.notes,
        "| contact surface | M_reduced/M_cont, simulated | Table 6.1 |\n|---|---|---|"
    );
    for (row, (name, shape, expected, text)) in shapes.iter().enumerate() {
        // Slow enough that only the springs carry, fast enough that everything slips.
        let (slow, fast) = (steady(shape, SLOW * edge_rate())?, steady(shape, FAST * edge_rate())?);
        let ratio = slow / fast;
        let _ = writeln!(outcome.notes, "| {name} | {} | {text} = {} |", number(ratio), number(*expected));
        table.rows.push(vec![row as f64, ratio, *expected]);
        let metric = format!("{name}: M_reduced/M_cont");
        outcome.checks.push(Check::within(metric, ratio, *expected, 0.01 * expected, "PFC Table 6.1"));
    }
    outcome.tables.push(table);
    Ok(())
}
