//! ICF Fig. 8 to 12: a rod that slides on its tip jams and jumps, an impact without collision.
//!
//! The rod leans back by φ from the ground and slides with its tip ahead. With W the inverse of the mass seen by the tip,
//!
//! ```text
//!     m W_nn = 1 + 3 cos²φ,   m W_tn = 3 sin φ cos φ:      normal acceleration = (W_nn − μ W_tn) f_n + …
//! ```
//!
//! friction turns the rod up until μ W_tn exceeds W_nn (possible for μ > 4/3, Painlevé): then normal force drives the tip
//! into the ground, force begets force, the tip stops and the rod is thrown up.
//!
//! SAP and Similar act at the distance of ICF eq. 41, so each model starts at the height at which its tip feels no force
//! yet; at the same height the two would start with a blow.
//!
//! Before the impact the force oscillates with ω² = k (W_nn − μ W_tn). Similar has k (1 + μ d ‖v_t‖) instead of k (ICF Table I).

use crate::Reproduction;
use crate::failure::Failure;
use crate::numerics::{order, slope_line};
use crate::report::{Check, Outcome, Study, Table};
use crate::worlds::{
    GRAVITY, MODELS, Sample, free_body, geom, icf_options, point_contact, simulation, step, trajectory,
};
use nalgebra::{UnitQuaternion, Vector3};
use stiction::model::{Shape, World};
use stiction::{ContactModel, Options};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "sliding-rod",
    summary: "A rod sliding on its tip jams and jumps: impact without collision (ICF Fig. 8 to 12)",
    claim: "ICF section IX-C: a rod of 0.5 m, 1 cm thick, 0.3 kg leans by 30° and slides at 10 m/s, μ = 2.3, k = 1e7 N/m. Friction \
            raises it until it jams into the ground, where the tip sticks for about 0.2 ms, and throws it into the air. \
            Without dissipation the three models agree even in the time of the impact. With d = 0.2 s/m and τ_d = 4e-6 s \
            Lagged hardly changes, Similar jams earlier and SAP later, and Similar's force oscillates faster, as if the \
            stiffness were k(1 + μ‖v_t‖d). Lagged misses the impact at steps above about 1 ms and converges with first order at \
            the smallest.",
    run,
};

const LENGTH: f64 = 0.5;
const RADIUS: f64 = 0.005;
const MASS: f64 = 0.3;
const FRICTION: f64 = 2.3;
const STIFFNESS: f64 = 1e7;
const LEAN: f64 = 30.0 * std::f64::consts::PI / 180.0;
const SPEED: f64 = 10.0;
/// Hunt & Crossley dissipation (s/m) and relaxation time (s) of the dissipative case.
const DISSIPATION: [f64; 2] = [0.2, 4e-6];
/// Simulated time of Fig. 8 to 12, s.
const DURATION: f64 = 0.04;
/// Time in which a rod that does not jam comes to rest or falls over, s.
const LONG: f64 = 0.3;

/// Height of the rod's centre at the start, where the tip feels no force.
fn start(contact: ContactModel, dt: f64, relaxation: f64) -> f64 {
    let distance = match contact {
        ContactModel::Lagged => 0.0,
        ContactModel::Similar => dt,
        ContactModel::Sap => dt + relaxation,
    };
    RADIUS + (0.5 * LENGTH - RADIUS) * LEAN.sin() + FRICTION * distance * SPEED
}

/// Slides the rod; `dissipation` is (d, τ_d).
fn slide(contact: ContactModel, dt: f64, dissipation: [f64; 2]) -> Result<Vec<Sample>, Failure> {
    slide_for(DURATION, contact, dt, dissipation)
}

fn slide_for(
    duration: f64,
    contact: ContactModel,
    dt: f64,
    dissipation: [f64; 2],
) -> Result<Vec<Sample>, Failure> {
    let mut world = World::new("sliding rod");
    let half = 0.5 * LENGTH - RADIUS;
    let across = MASS * LENGTH * LENGTH / 12.0;
    let inertia = Vector3::new(across, across, 0.5 * MASS * RADIUS * RADIUS);
    let body = free_body(&mut world, "rod", start(contact, dt, dissipation[1]), MASS, inertia);
    // The rod's z axis from the tip up and back.
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), LEAN - std::f64::consts::FRAC_PI_2);
    world.bodies[body].pose.rotation = turn;
    let contact_of = point_contact(STIFFNESS, dissipation[0], dissipation[1], FRICTION);
    geom(&mut world, "ground", 0, Shape::HalfSpace { size: [0.0; 2] }, contact_of);
    geom(&mut world, "rod", body, Shape::Capsule { radius: RADIUS, half_length: half }, contact_of);
    let mut sim = simulation(world, Options { margin: 0.05, ..icf_options(contact, dt) })?;
    sim.state_mut().v[0] = SPEED;
    let mut samples = Vec::new();
    for _ in 0..(duration / dt).round() as usize {
        step(&mut sim)?;
        let state = sim.state();
        let turn = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            state.q[3], state.q[4], state.q[5], state.q[6],
        ));
        let (v, w) =
            (Vector3::from_column_slice(&state.v[..3]), turn * Vector3::from_column_slice(&state.v[3..6]));
        let tip = turn * Vector3::new(0.0, 0.0, -half) - Vector3::z() * RADIUS;
        let velocity = v + w.cross(&tip);
        let force: Vector3<f64> = sim.contacts().iter().map(|c| c.force).sum();
        samples.push(Sample {
            time: state.time,
            place: [state.q[0], state.q[2]],
            velocity: [velocity.x, velocity.z],
            force: [force.x, force.z],
        });
    }
    Ok(samples)
}

/// What happened.
struct Jam {
    /// When the force is largest, s.
    time: f64,
    /// How large it is, N.
    force: f64,
    /// How long the tip sticks, s.
    stick: f64,
    /// Largest upward velocity of the tip afterwards, m/s.
    jump: f64,
    /// Time between the first two maxima of the force, s.
    period: f64,
}

fn jam(samples: &[Sample]) -> Jam {
    let force = |s: &&Sample| s.force[1];
    let Some(peak) = samples.iter().max_by(|a, b| force(a).total_cmp(&force(b))) else {
        return Jam { time: f64::NAN, force: f64::NAN, stick: f64::NAN, jump: f64::NAN, period: f64::NAN };
    };
    let step = samples[0].time;
    let sticks = samples.iter().filter(|s| s.force[1] > 0.0 && s.velocity[0].abs() < 1e-2).count();
    let after = samples.iter().filter(|s| s.time > peak.time);
    let rises = |w: &&[Sample]| w[1].force[1] > w[0].force[1] && w[1].force[1] >= w[2].force[1];
    let maxima: Vec<f64> = samples.windows(3).filter(rises).take(2).map(|w| w[1].time).collect();
    Jam {
        time: peak.time,
        force: peak.force[1],
        stick: step * sticks as f64,
        jump: after.map(|s| s.velocity[1]).fold(0.0, f64::max),
        period: if maxima.len() == 2 { maxima[1] - maxima[0] } else { f64::NAN },
    }
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let fine = if study.quick { 1e-6 } else { 1e-7 };
    let mut references = Vec::new();
    for (case, dissipation) in [[0.0; 2], DISSIPATION].into_iter().enumerate() {
        let mut slides = Vec::new();
        for (contact, name, _) in MODELS {
            study.say(format_args!("{name}, {}", ["no dissipation", "dissipation"][case]));
            slides.push(slide(contact, fine, dissipation)?);
        }
        outcome.figures.extend([figure(case, &slides), close_up(case, &slides)]);
        references.push(slides);
    }
    checks(&references, &mut outcome);
    outcome.notes = format!(
        "The paper does not say at which height the tip starts. SAP and Similar act at the distance of eq. 41, so here each \
         model starts at the height at which its tip feels no force yet. From Lagged's height SAP would start with a blow of \
         k μ (δt + τ_d) ‖v_t‖ = {:.0} N in the case with dissipation, against {:.0} N of weight.",
        STIFFNESS * FRICTION * (fine + DISSIPATION[1]) * SPEED,
        MASS * GRAVITY
    );
    convergence(study, &references, fine, &mut outcome)?;
    Ok(outcome)
}

fn checks(references: &[Vec<Vec<Sample>>], outcome: &mut Outcome) {
    let jams: Vec<Vec<Jam>> = references.iter().map(|case| case.iter().map(|s| jam(s)).collect()).collect();
    let (free, damped) = (&jams[0], &jams[1]);
    for (k, (_, name, _)) in MODELS.iter().enumerate() {
        let jam = &free[k];
        let mut check = |what: &str, value: f64, expected: f64, tolerance: f64, source: &str| {
            outcome.checks.push(Check::within(format!("{name}: {what}"), value, expected, tolerance, source));
        };
        check(
            "time for which the tip sticks, no dissipation (ms)",
            1e3 * jam.stick,
            0.2,
            0.05,
            "ICF Fig. 9: about 0.2 ms",
        );
        if k > 0 {
            let source = "ICF Fig. 8: almost the same for all models";
            check(
                "time of the impact over Lagged's, no dissipation",
                jam.time / free[0].time,
                1.0,
                0.01,
                source,
            );
            check(
                "force of the impact over Lagged's, no dissipation",
                jam.force / free[0].force,
                1.0,
                0.05,
                source,
            );
        }
        // Before the impact the tip moves with less than 0.2 m/s.
        let source =
            "ICF section IX-C: the rod jumps into the air; more than twice as fast as its tip moves before";
        for (case, jump) in [("after the impact", jam.jump), ("with dissipation", damped[k].jump)] {
            let comma = if case == "after the impact" { " " } else { ", " };
            let metric = format!("{name}: upward velocity of the tip{comma}{case} (m/s)");
            outcome.checks.push(Check::at_least(metric, jump, 0.5, source));
        }
        let metric = format!("{name}: time for which the tip sticks, with dissipation (ms)");
        let source = "ICF Fig. 11: the tip sticks; 0.15 to 0.25 ms as without dissipation";
        outcome.checks.push(Check::within(metric, 1e3 * damped[k].stick, 0.2, 0.05, source));
    }
    let shift = |k: usize| 1e3 * (damped[k].time - free[k].time);
    let source = "ICF Fig. 10: dissipation shifts Similar's impact earlier, SAP's later, Lagged's hardly";
    outcome.checks.push(Check::at_most(
        "Similar: shift of the impact by dissipation (ms)",
        shift(1),
        -3.0 * shift(0).abs(),
        source,
    ));
    outcome.checks.push(Check::at_least(
        "SAP: shift of the impact by dissipation (ms)",
        shift(2),
        3.0 * shift(0).abs(),
        source,
    ));
    let ratio = damped[0].period / damped[1].period;
    let expected = (1.0 + FRICTION * SPEED * DISSIPATION[0]).sqrt();
    let source = "ICF Fig. 10, Table I: √(1 + μ‖v_t‖d)";
    let metric = "Similar: frequency of the force over Lagged's";
    outcome.checks.push(Check::within(metric, ratio, expected, 0.05 * expected, source));
}

fn figure(case: usize, slides: &[Vec<Sample>]) -> Figure {
    let mut panels = [
        ("Normal force", Axis::log("normal force (N)").over(1.0, 1e4), Corner::TopLeft),
        ("Slip of the tip", Axis::linear("slip velocity (m/s)").over(-1.0, 11.0), Corner::BottomLeft),
        (
            "Normal velocity of the tip",
            Axis::linear("normal velocity (m/s)").over(-0.3, 1.2),
            Corner::TopLeft,
        ),
    ]
    .map(|(title, y, legend)| Panel {
        title: title.into(),
        x: Axis::linear("time (ms)").over(0.0, 22.0),
        y,
        series: Vec::new(),
        legend,
    });
    for ((contact, name, color), samples) in MODELS.into_iter().zip(slides) {
        // Up to 4000 points, and all around the impact.
        let (every, time) = ((samples.len() / 4000).max(1), jam(samples).time);
        let shown = samples
            .iter()
            .enumerate()
            .filter(|(i, s)| i % every == 0 || ((s.time - time).abs() < 3e-4 && i % 8 == 0));
        let shown: Vec<&Sample> = shown.map(|(_, s)| s).collect();
        let look = if contact == ContactModel::Sap { Look::Dashed } else { Look::Line };
        let data: [fn(&Sample) -> f64; 3] = [|s| s.force[1], |s| s.velocity[0], |s| s.velocity[1]];
        for (panel, value) in panels.iter_mut().zip(data) {
            let points = shown.iter().map(|s| [1e3 * s.time, value(s)]).collect();
            panel.series.push(Series::new(name, look, color, points));
        }
    }
    let (name, caption) = [
        ("sliding-rod-free", "ICF Fig. 8, 9: the rod without dissipation."),
        ("sliding-rod-damped", "ICF Fig. 10, 11: the rod with dissipation."),
    ][case];
    Figure { name, caption: caption.into(), panels: panels.into() }
}

/// The insets of Fig. 8 to 11: within half a millisecond of the impact of Lagged, each model over its own time.
fn close_up(case: usize, slides: &[Vec<Sample>]) -> Figure {
    let mut panels = [
        ("Normal force near the impact", "normal force (N)", Corner::TopLeft),
        ("Slip near the impact", "slip velocity (m/s)", Corner::BottomLeft),
        ("Normal velocity near the impact", "normal velocity (m/s)", Corner::TopLeft),
    ]
    .map(|(title, y, legend)| Panel {
        title: title.into(),
        x: Axis::linear("time from the model's largest force (ms)").over(-0.5, 0.5),
        y: Axis::linear(y),
        series: Vec::new(),
        legend,
    });
    for ((contact, name, color), samples) in MODELS.into_iter().zip(slides) {
        let time = jam(samples).time;
        let shown: Vec<&Sample> =
            samples.iter().filter(|s| (s.time - time).abs() <= 5e-4).step_by(4).collect();
        let look = if contact == ContactModel::Sap { Look::Dashed } else { Look::Line };
        let data: [fn(&Sample) -> f64; 3] = [|s| s.force[1], |s| s.velocity[0], |s| s.velocity[1]];
        for (panel, value) in panels.iter_mut().zip(data) {
            let points = shown.iter().map(|s| [1e3 * (s.time - time), value(s)]).collect();
            panel.series.push(Series::new(format!("{name}, {:.2} ms", 1e3 * time), look, color, points));
        }
    }
    let (name, caption) = [
        (
            "sliding-rod-free-impact",
            "Insets of ICF Fig. 8, 9: the impact without dissipation, each model from its own time, which the legend gives. The tip comes to rest, sticks for 0.2 ms and jumps.",
        ),
        (
            "sliding-rod-damped-impact",
            "Insets of ICF Fig. 10, 11: the same with dissipation, which moves the times apart.",
        ),
    ][case];
    Figure { name, caption: caption.into(), panels: panels.into() }
}

/// Fig. 12.
fn convergence(
    study: &Study,
    references: &[Vec<Vec<Sample>>],
    fine: f64,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    study.say("convergence");
    let steps = [1e-5, 4e-5, 1.6e-4, 6.4e-4];
    let (mut panels, mut free) = (Vec::new(), 1.0);
    for (case, dissipation) in [[0.0; 2], DISSIPATION].into_iter().enumerate() {
        let path = |contact: ContactModel, samples: &[Sample], dt: f64| {
            trajectory([0.0, start(contact, dt, dissipation[1])], samples, dt)
        };
        let reference = path(ContactModel::Lagged, &references[case][0], fine);
        let name = ["sliding-rod-convergence-free", "sliding-rod-convergence-damped"][case];
        let mut table = Table::new(name, &["step_s", "lagged_m", "similar_m", "sap_m"]);
        for dt in steps {
            let mut row = vec![dt];
            for (contact, ..) in MODELS {
                row.push(path(contact, &slide(contact, dt, dissipation)?, dt).distance(&reference, DURATION));
            }
            table.rows.push(row);
        }
        let column = |k: usize| table.rows.iter().map(|r| [r[0], r[k]]).collect::<Vec<_>>();
        let apart = table.rows.iter().map(|r| (r[2] / r[3]).ln().abs()).fold(0.0, f64::max).exp();
        if case == 0 {
            let metric = "Lagged: order of convergence over 10 and 40 µs, no dissipation";
            outcome.checks.push(Check::within(
                metric,
                order(&column(1)[..2]),
                1.0,
                0.2,
                "ICF Fig. 12: first order at the smallest steps",
            ));
            let metric = "SAP's error over Similar's, the farthest from 1, no dissipation";
            outcome.checks.push(Check::within(metric, apart, 1.0, 0.2, "ICF Fig. 12: indistinguishable"));
            let last = &table.rows[steps.len() - 1];
            let metric = "Lagged's error over Similar's at 0.64 ms, no dissipation";
            outcome.checks.push(Check::at_least(
                metric,
                last[1] / last[2],
                1.0,
                "ICF Fig. 12: Lagged has the most error",
            ));
            free = apart;
        } else {
            let metric = "SAP's error over Similar's, farthest from 1 with dissipation less without";
            outcome.checks.push(Check::at_least(
                metric,
                apart - free,
                0.2,
                "ICF Fig. 12: the curves depart; by more than 20 %",
            ));
        }
        let mut series = vec![Series::new(
            "first order",
            Look::Dashed,
            color::BLACK,
            slope_line(&column(1)[..2], 1.0, 0.5),
        )];
        for (k, glyph) in [Glyph::Circle, Glyph::Triangle, Glyph::Square].into_iter().enumerate() {
            series.push(Series::new(MODELS[k].1, Look::Joined(glyph), MODELS[k].2, column(k + 1)));
        }
        panels.push(Panel {
            title: ["No dissipation", "With dissipation"][case].into(),
            x: Axis::log("δt (s)"),
            y: Axis::log("error of the position (m)"),
            series,
            legend: Corner::BottomRight,
        });
        outcome.tables.push(table);
    }
    // The largest step at which the rod jams, over a window that is long enough to.
    let exact = jam(&references[0][0]);
    let mut table = Table::new("sliding-rod-missed", &["step_s", "largest_force_over_that_of_the_impact"]);
    let mut largest = 0.0;
    for dt in [2e-4, 3.2e-4, 4.5e-4, 6.4e-4, 8e-4, 1e-3, 1.3e-3, 1.6e-3, 2e-3] {
        let force = jam(&slide_for(LONG, ContactModel::Lagged, dt, [0.0; 2])?).force / exact.force;
        if force > 0.1 {
            largest = dt;
        }
        table.rows.push(vec![dt, force]);
    }
    outcome.tables.push(table);
    let metric = "Lagged: largest of our steps at which the rod jams within 0.3 s (ms)";
    let source = "ICF section IX-C: missed above about 1 ms; within a factor of two";
    outcome.checks.push(Check::within(metric, 1e3 * largest, 1.0, 0.5, source));
    outcome.figures.push(Figure {
        name: "sliding-rod-convergence",
        caption: "ICF Fig. 12: error of the rod's trajectory against the step.".into(),
        panels,
    });
    Ok(())
}
