//! PFC Fig. 6.2 and 6.3: what a spring and a damper in series with Coulomb friction remember.
//!
//! Object B is dragged over A at a given velocity v. Its shell sticks to A or slips, and between shell and B are a spring k and
//! a damper c side by side, τ = c/k (PFC Fig. 6.1). In one dimension, from rest at t = 0 and stopped at t₁:
//!
//! ```text
//! stick   f = k v t + c v                            until t* = μN/(k v) − τ, if c v < μN
//! slip    f = μN,   k δ = μN − c v e^(−(t − t*)/τ)   the damper's share goes over to the spring
//! stop    f = k δ(t₁): it drops by what the damper still carried, and stays
//! ```
//!
//! A block that is only shifted sticks or slips as a whole (PFC Fig. 6.4), so the distributed model with its six numbers must
//! follow the pointwise law exactly. Both are integrated here: the law by itself, and a patch in the simulator.

use crate::Reproduction;
use crate::driven::{FRICTION, Underside, drive, friction, normal_force};
use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, Table};
use nalgebra::Vector3;
use stiction::continuous::TangentialCompliance;
use stiction::continuous::law::KelvinVoigt;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "dragging",
    summary: "A dragged block with tangential springs: one and two dimensions (PFC Fig. 6.2, 6.3)",
    claim: "PFC section 6.1: when B starts to move, the damper's force jumps and the spring's rises linearly until the \
            friction strength μp is reached; from then on traction goes over from the damper to the spring. When the motion \
            stops, friction drops by what the damper still carried, and what is left stays locked in. When the motion \
            turns, the spring's force goes on continuously, friction opposes the velocity of the shell, the tractions on the \
            shell sum to zero, and the damper's force is not along the spring's.",
    run,
};

const SPRINGS: TangentialCompliance = TangentialCompliance { stretch: 1e-3, relaxation_time: 0.05 };
const SPEED: f64 = 4e-3;
const STOP: f64 = 0.25;

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    one_dimension(study, &mut outcome)?;
    two_dimensions(study, &mut outcome)?;
    Ok(outcome)
}

fn block() -> Underside {
    Underside::new(0.0, 0.05, 4, 12, |_| 1e-5)
}

/// Friction over μN, and the spring's and damper's shares of it, in the simulator.
struct Sample {
    time: f64,
    friction: Vector3<f64>,
    spring: Vector3<f64>,
}

/// Drags the block along `path`: (until, velocity); friction over μN at `count` equal times.
fn drag(path: &[(f64, Vector3<f64>)], begin: f64, count: usize) -> Result<Vec<Sample>, Failure> {
    let mut sim = block().over_plate(SPRINGS, 1e-8)?;
    let end = path.last().map_or(0.0, |p| p.0);
    sim.state_mut().time = begin;
    let mut samples = Vec::new();
    let mut limit = 0.0;
    for k in 1..=count {
        let time = begin + (end - begin) * k as f64 / count as f64;
        while sim.state().time < time - 1e-12 {
            let now = sim.state().time;
            let Some((until, velocity)) = path.iter().find(|p| p.0 > now + 1e-12) else { break };
            drive(&mut sim, *velocity, 0.0);
            sim.run_until(until.min(time)).map_err(Failure::work)?;
        }
        limit = FRICTION * normal_force(&sim);
        // f = −K Δ of the springs: with a patch that is shifted only, s = √K Δ in the translational part.
        let stiffness = normal_force(&sim) / SPRINGS.stretch;
        let s = sim.state().springs.first().map_or([0.0; 6], |s| s.s);
        let spring = -Vector3::new(s[3], s[4], s[5]) * stiffness.sqrt();
        samples.push(Sample { time, friction: friction(&sim).0 / limit, spring: spring / limit });
    }
    if limit > 0.0 { Ok(samples) } else { Err(Failure::work("the block does not touch the plate")) }
}

fn one_dimension(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    study.say("dragging in one dimension");
    let count = if study.quick { 80 } else { 400 };
    let path = [(STOP, Vector3::x() * SPEED), (0.4, Vector3::zeros())];
    let samples = drag(&path, 0.0, count)?;
    // In units of μN: k/(μN) = 1/(μ ℓ), c/(μN) = τ/(μ ℓ).
    let (k, c) = (1.0 / (FRICTION * SPRINGS.stretch), SPRINGS.relaxation_time / (FRICTION * SPRINGS.stretch));
    let slip = 1.0 / (k * SPEED) - SPRINGS.relaxation_time;
    let spring = |t: f64| {
        if t <= slip {
            k * SPEED * t
        } else {
            1.0 - c * SPEED * (-(t - slip) / SPRINGS.relaxation_time).exp()
        }
    };
    let exact = |t: f64| {
        if t > STOP {
            [spring(STOP), spring(STOP)]
        } else if t <= slip {
            [k * SPEED * t + c * SPEED, spring(t)]
        } else {
            [1.0, spring(t)]
        }
    };
    let mut table = Table::new(
        "dragging-1d",
        &["time_s", "friction", "spring", "damper", "friction_exact", "spring_exact"],
    );
    let (mut worst, mut worst_spring) = (0.0f64, 0.0f64);
    // At the stop the friction jumps: the sample there may be on either side.
    for s in samples.iter().filter(|s| (s.time - STOP).abs() > 1e-9) {
        let [f, p] = exact(s.time);
        let damper = -s.friction.x + s.spring.x;
        table.rows.push(vec![s.time, -s.friction.x, -s.spring.x, damper, f, p]);
        worst = worst.max((-s.friction.x - f).abs());
        worst_spring = worst_spring.max((-s.spring.x - p).abs());
    }
    let source = "closed form (this file), PFC eq. 6.4-6.6";
    outcome.checks.push(Check::within(
        "largest error of the friction over μN, patch in the simulator",
        worst,
        0.0,
        1e-3,
        source,
    ));
    outcome.checks.push(Check::within(
        "largest error of the spring's share",
        worst_spring,
        0.0,
        1e-3,
        source,
    ));
    let last = samples.last().map_or(0.0, |s| -s.friction.x);
    outcome.checks.push(Check::within(
        "friction locked in after the stop, over μN",
        last,
        spring(STOP),
        1e-3,
        "PFC Fig. 6.2",
    ));
    outcome.checks.push(Check::at_least(
        "that it is close to the friction strength",
        last,
        0.9,
        "PFC Fig. 6.2",
    ));

    // The law by itself, in small steps.
    let law = KelvinVoigt { stiffness: k, damping: c };
    let (steps, mut delta, mut off) = (200_000, Vector3::zeros(), 0.0f64);
    let h = 0.4 / f64::from(steps);
    for i in 0..steps {
        let t = (f64::from(i) + 0.5) * h;
        let v = Vector3::x() * if t < STOP { SPEED } else { 0.0 };
        let half = delta + 0.5 * h * law.stretch_rate(&delta, &law.friction(&delta, &v, 1.0));
        let f = law.friction(&half, &v, 1.0);
        off = off.max((-f.x - exact(t)[0]).abs() * f64::from(u8::from((t - STOP).abs() > h)));
        delta += h * law.stretch_rate(&half, &f);
    }
    outcome.checks.push(Check::within("largest error of the pointwise law", off, 0.0, 1e-3, source));

    let series = |label: &str, column: usize, look: Look, color: [u8; 3]| {
        Series::new(label, look, color, table.rows.iter().map(|r| [r[0], r[column]]).collect())
    };
    let panel = Panel {
        title: "One dimension: dragged until 0.25 s, then stopped".into(),
        x: Axis::linear("time (s)"),
        y: Axis::linear("traction on the shell over μp").over(0.0, 1.15),
        series: vec![
            series("closed form", 4, Look::Dashed, color::BLACK),
            series("friction", 1, Look::Line, color::BLUE),
            series("spring", 2, Look::Line, color::VERMILLION),
            series("damper", 3, Look::Line, color::GREEN),
        ],
        legend: Corner::BottomRight,
    };
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "dragging-1d",
        caption: "PFC Fig. 6.2. Friction jumps when the motion starts, rises to its strength, is handed over from the damper \
                  to the spring, and what the spring carries stays when the motion stops."
            .into(),
        panels: vec![panel],
    });
    Ok(())
}

fn two_dimensions(study: &Study, outcome: &mut Outcome) -> Result<(), Failure> {
    study.say("dragging in two dimensions");
    let count = if study.quick { 100 } else { 500 };
    let (x, y) = (Vector3::x() * SPEED, Vector3::y() * SPEED);
    let samples = drag(&[(0.0, y), (1.0, x)], -1.0, count)?;
    let (k, c) = (1.0 / (FRICTION * SPRINGS.stretch), SPRINGS.relaxation_time / (FRICTION * SPRINGS.stretch));
    let law = KelvinVoigt { stiffness: k, damping: c };
    let mut table = Table::new(
        "dragging-2d",
        &[
            "time_s",
            "block_x_m",
            "block_y_m",
            "shell_x_m",
            "shell_y_m",
            "friction_x",
            "friction_y",
            "spring_x",
            "spring_y",
        ],
    );
    let (mut against, mut aligned, mut law_off) = (0.0f64, 1.0f64, 0.0f64);
    let mut delta = Vector3::y() / k; // steady: the spring carries all
    let mut time = 0.0;
    for s in samples.iter().filter(|s| s.time > 1e-9) {
        // The pointwise law alongside.
        let steps = 400;
        let h = (s.time - time) / f64::from(steps);
        for _ in 0..steps {
            let half = delta + 0.5 * h * law.stretch_rate(&delta, &law.friction(&delta, &x, 1.0));
            delta += h * law.stretch_rate(&half, &law.friction(&half, &x, 1.0));
        }
        time = s.time;
        let f = law.friction(&delta, &x, 1.0);
        law_off = law_off.max((f - s.friction).norm());
        let stretch = -s.spring / k;
        let slip = law.slip(&stretch, &x, &s.friction);
        against = against.max((s.friction.normalize() + slip.normalize()).norm());
        let damper = s.friction - s.spring;
        if damper.norm() > 0.05 {
            aligned = aligned.min(damper.normalize().dot(&s.spring.normalize()).abs());
        }
        let block = x * s.time;
        let shell = block - stretch;
        table.rows.push(vec![
            s.time,
            block.x,
            block.y,
            shell.x,
            shell.y,
            s.friction.x,
            s.friction.y,
            s.spring.x,
            s.spring.y,
        ]);
    }
    let before = samples.iter().rfind(|s| s.time < 1e-9).map_or(Vector3::zeros(), |s| s.spring);
    let after = samples.iter().find(|s| s.time > 1e-9).map_or(Vector3::zeros(), |s| s.spring);
    let gap = (after - before).norm();
    let pace = 2.0 / (count as f64 * SPRINGS.relaxation_time); // a spring cannot change faster than at 1/τ of itself
    let figure = "PFC Fig. 6.3 and section 6.1.3";
    outcome.checks.push(Check::within(
        "largest deviation of the patch from the pointwise law",
        law_off,
        0.0,
        5e-3,
        "PFC eq. 6.5",
    ));
    outcome.checks.push(Check::within(
        "friction against the shell's velocity, largest deviation",
        against,
        0.0,
        2e-2,
        figure,
    ));
    outcome.checks.push(Check::at_most(
        "change of the spring's force in the sample across the turn",
        gap,
        2.0 * pace,
        figure,
    ));
    outcome.checks.push(Check::at_most("least alignment of damper and spring", aligned, 0.9, figure));
    let end = samples.last().map_or(Vector3::zeros(), |s| s.friction);
    outcome.checks.push(Check::within("friction in the end, along −x, over μN", -end.x, 1.0, 1e-3, figure));

    let mm = |r: &[f64], i: usize| [1e3 * r[i], 1e3 * r[i + 1]];
    let path = Panel {
        title: "Paths of the block and of its shell".into(),
        x: Axis::linear("x (mm)"),
        y: Axis::linear("y (mm)"),
        series: vec![
            Series::new("block", Look::Line, color::BLACK, table.rows.iter().map(|r| mm(r, 1)).collect()),
            Series::new("shell", Look::Line, color::GREY, table.rows.iter().map(|r| mm(r, 3)).collect()),
        ],
        legend: Corner::BottomRight,
    };
    let every = (table.rows.len() / 25).max(1);
    let force = |label: &str, column: usize, color: [u8; 3], glyph: Glyph| {
        let points = table.rows.iter().step_by(every).map(|r| [r[0], r[column]]).collect();
        Series::new(label, Look::Joined(glyph), color, points)
    };
    let forces = Panel {
        title: "Tractions on the block over μp".into(),
        x: Axis::linear("time after the turn (s)"),
        y: Axis::linear("component").over(-1.05, 0.5),
        series: vec![
            force("friction x", 5, color::BLUE, Glyph::Circle),
            force("friction y", 6, color::SKY, Glyph::Square),
            force("spring x", 7, color::VERMILLION, Glyph::Triangle),
            force("spring y", 8, color::ORANGE, Glyph::Diamond),
        ],
        legend: Corner::TopRight,
    };
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "dragging-2d",
        caption: "PFC Fig. 6.3. The block came along y and turns to x at t = 0. The spring's force turns slowly, so the \
                  shell leaves its line and comes back behind the block."
            .into(),
        panels: vec![path, forces],
    });
    Ok(())
}
