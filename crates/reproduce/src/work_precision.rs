//! Work and precision of the ways through time, on five scenes.
//!
//! One physical model, four ways: convex steps of fixed length, convex steps by accuracy, and continuous time with an
//! implicit and an explicit integrator. Friction is the same smooth law everywhere (the convex steps go without impact
//! regularisation, as the continuous model does), so all converge to one trajectory, and what is compared is what an error
//! costs. The reference is continuous time, much more accurate.

use crate::Reproduction;
use crate::failure::Failure;
use crate::numerics::order;
use crate::report::{Check, Outcome, Study, Table, number};
use crate::worlds::{free_body, geom, published};
use nalgebra::Vector3;
use std::fmt::Write;
use std::time::Instant;
use stiction::continuous::{ContinuousOptions, Integrator, TractionFriction};
use stiction::model::{Compliance, ContactProperties, Shape, World};
use stiction::{Method, Model, Options, Simulation, Tessellation};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape as Glyph, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "work-precision",
    summary: "What an error costs: convex steps, convex steps by accuracy, continuous time, on five scenes",
    claim: "PFC section 7.1 expects continuous time to take large steps where motion is smooth and very small ones at sudden \
            changes, and velocity stepping to be the way where those are many. Measured here on one physical model: a box \
            that slides, a ball that starts to roll, a disc that slides and spins, a ball that bounces, and a stack of three \
            that is pushed.",
    run,
};

/// Slip speed of the smooth friction law, m/s.
const CUTOFF: f64 = 1e-2;

struct Scene {
    name: &'static str,
    model: Model,
    v: Vec<f64>,
    time: f64,
}

fn soft(modulus: f64) -> ContactProperties {
    ContactProperties {
        compliance: Compliance::Compliant,
        hydroelastic_modulus: Some(modulus),
        dissipation: Some(5.0),
        static_friction: Some(0.3),
        dynamic_friction: Some(0.3),
        resolution_hint: Some(0.1),
        ..ContactProperties::default()
    }
}

fn rigid() -> ContactProperties {
    ContactProperties { compliance: Compliance::Rigid, ..soft(1.0) }
}

/// One soft body of 1 kg on a rigid floor.
fn one(name: &'static str, shape: Shape, height: f64, v: [f64; 6], time: f64) -> Result<Scene, Failure> {
    let mut world = World::new(name);
    let body = free_body(&mut world, "body", height, 1.0, Vector3::new(3e-3, 3e-3, 4e-3));
    geom(&mut world, "floor", 0, Shape::HalfSpace { size: [0.0; 2] }, rigid());
    geom(&mut world, "shape", body, shape, soft(2e5));
    Ok(Scene { name, model: Model::new(world).map_err(Failure::work)?, v: v.to_vec(), time })
}

fn stack() -> Result<Scene, Failure> {
    let mut world = World::new("stack");
    geom(&mut world, "floor", 0, Shape::HalfSpace { size: [0.0; 2] }, rigid());
    let mut v = Vec::new();
    for k in 0..3 {
        let (half, height) = (0.1 - 0.01 * f64::from(k), 0.0497 + 0.0994 * f64::from(k));
        let body = free_body(&mut world, &format!("box {k}"), height, 1.0, Vector3::new(4e-3, 4e-3, 6e-3));
        let contact = if k % 2 == 0 { soft(2e5) } else { rigid() };
        let shape = Shape::Box { half_extents: Vector3::new(half, half, 0.05) };
        geom(&mut world, &format!("box {k}"), body, shape, contact);
        v.extend([0.3 * f64::from(k), 0.0, 0.0, 0.0, 0.0, f64::from(k)]);
    }
    Ok(Scene { name: "pushed stack", model: Model::new(world).map_err(Failure::work)?, v, time: 0.15 })
}

fn scenes() -> Result<Vec<Scene>, Failure> {
    let cuboid = Shape::Box { half_extents: Vector3::new(0.1, 0.08, 0.05) };
    let ball = Shape::Sphere { radius: 0.1 };
    let disc = Shape::Cylinder { radius: 0.1, half_length: 0.03 };
    Ok(vec![
        one("sliding box", cuboid, 0.0497, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 0.12)?,
        one("rolling ball", ball, 0.0985, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], 0.15)?,
        one("spinning disc", disc, 0.0298, [0.1, 0.0, 0.0, 0.0, 0.0, 4.0], 0.12)?,
        one("bouncing ball", ball, 0.11, [0.3, 0.0, -0.8, 0.0, 0.0, 0.0], 0.12)?,
        stack()?,
    ])
}

/// Ways through time and what each is tried with.
fn ways(quick: bool) -> Vec<(&'static str, [u8; 3], Glyph, Vec<Options>)> {
    let base = Options {
        stiction_tolerance: CUTOFF,
        regularization: 0.0,
        relative_tolerance: 1e-9,
        // All ways have the same limit if they take friction at the same points.
        tessellation: Tessellation::Refined,
        ..published()
    };
    let continuous = &|integrator: Integrator, accuracy: f64| Options {
        method: Method::Continuous(ContinuousOptions {
            integrator,
            friction: TractionFriction::Soft,
            ..ContinuousOptions::default()
        }),
        accuracy: Some(accuracy),
        stiction_tolerance: CUTOFF,
        ..Options::default()
    };
    let every = if quick { 2 } else { 1 };
    let range = |from: i32, to: i32| (from..=to).step_by(every).map(|k| 10f64.powf(-0.5 * f64::from(k)));
    let fixed = range(4, if quick { 8 } else { 10 }).map(|step| Options { step, ..base.clone() });
    let controlled = range(4, 12).map(|a| Options { accuracy: Some(a), step: 1e-3, ..base.clone() });
    vec![
        ("convex, fixed steps", color::BLUE, Glyph::Circle, fixed.collect()),
        ("convex, by accuracy", color::SKY, Glyph::Square, controlled.collect()),
        (
            "continuous, Radau",
            color::VERMILLION,
            Glyph::Triangle,
            range(4, 14).map(|a| continuous(Integrator::Radau, a)).collect(),
        ),
        (
            "continuous, Dormand–Prince",
            color::ORANGE,
            Glyph::Diamond,
            range(8, 14).map(|a| continuous(Integrator::DormandPrince, a)).collect(),
        ),
    ]
}

/// Runs a scene: where everything is in the end, and the seconds it took (the least of several).
fn go(scene: &Scene, options: Options, runs: usize) -> Result<(Vec<f64>, f64), Failure> {
    let (mut q, mut least) = (Vec::new(), f64::INFINITY);
    for _ in 0..runs {
        let mut sim = Simulation::new(&scene.model, options.clone()).map_err(Failure::work)?;
        sim.state_mut().v.copy_from_slice(&scene.v);
        let clock = Instant::now();
        sim.run_until(scene.time).map_err(Failure::work)?;
        least = least.min(clock.elapsed().as_secs_f64());
        q = sim.state().q.clone();
    }
    Ok((q, least))
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut table = Table::new("work-precision", &["scene", "way", "setting", "error_m_or_rad", "wall_s"]);
    let mut panels = Vec::new();
    let ways_there_are = ways(study.quick);
    let _ = writeln!(
        outcome.notes,
        "Seconds for an error of about 1e-4 and 1e-6 (m, or in a quaternion), between measured points; – where not reached.\n\n\
         | scene | {} |\n|---|{}|",
        ways_there_are.iter().map(|w| w.0).collect::<Vec<_>>().join(" | "),
        "---|".repeat(ways_there_are.len()).trim_end_matches('|')
    );
    for (s, scene) in scenes()?.iter().enumerate() {
        study.say(scene.name);
        let best = ContinuousOptions { friction: TractionFriction::Soft, ..ContinuousOptions::default() };
        let reference = Options {
            method: Method::Continuous(best),
            accuracy: Some(1e-9),
            stiction_tolerance: CUTOFF,
            ..Options::default()
        };
        let (exact, _) = go(scene, reference, 1)?;
        let mut series = Vec::new();
        let mut cells = Vec::new();
        for (w, (name, color, glyph, settings)) in ways(study.quick).into_iter().enumerate() {
            let mut points = Vec::new();
            let mut steps = Vec::new();
            for options in settings {
                let setting = options.accuracy.unwrap_or(options.step);
                let (q, wall) = go(scene, options, if study.quick { 1 } else { 3 })?;
                let error = q.iter().zip(&exact).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt().max(1e-14);
                table.rows.push(vec![s as f64, w as f64, setting, error, wall]);
                points.push([error, wall]);
                steps.push([setting, error]);
            }
            if w == 0 {
                let source =
                    "theory: the convex step is of first order, and converges to the continuous model";
                let metric = format!("{}: order of convex steps towards continuous time", scene.name);
                outcome.checks.push(Check::within(metric, order(&steps), 1.0, 0.35, source));
            }
            if w == 2 {
                let least = points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min);
                let metric = format!("{}: least error of Radau", scene.name);
                outcome.checks.push(Check::at_most(metric, least, 1e-5, "accuracy asked for: 1e-7 a step"));
            }
            cells.push(format!("{}, {}", cost(&points, 1e-4), cost(&points, 1e-6)));
            let label = if s % 3 == 0 { name } else { "" };
            series.push(Series::new(label, Look::Joined(glyph), color, points));
        }
        let _ = writeln!(outcome.notes, "| {} | {} |", scene.name, cells.join(" | "));
        panels.push(Panel {
            title: scene.name.into(),
            x: Axis::log("error (m, or in a quaternion)").over(1e-11, 1.0),
            y: Axis::log("seconds").over(1e-4, 100.0),
            series,
            legend: Corner::TopLeft,
        });
    }
    outcome.tables.push(table);
    let rest = panels.split_off(3);
    let caption = "Time for an error at the end, per scene. Down and to the left is better. Where coarse answers do, convex \
                   steps are cheapest; where errors must be small, continuous time is.";
    outcome.figures.push(Figure { name: "work-precision", caption: caption.into(), panels });
    let caption = "The same for an impact and for three bodies.";
    outcome.figures.push(Figure { name: "work-precision-impact", caption: caption.into(), panels: rest });
    Ok(outcome)
}

/// Seconds for an error, on the line between measured points; a dash where it is not reached.
fn cost(points: &[[f64; 2]], error: f64) -> String {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| b[0].total_cmp(&a[0]));
    let place = sorted.windows(2).find(|w| w[0][0] >= error && w[1][0] < error);
    match place {
        Some(w) => {
            let t = (w[0][0] / error).ln() / (w[0][0] / w[1][0]).ln();
            number((w[0][1].ln() + t * (w[1][1] / w[0][1]).ln()).exp())
        }
        None if sorted.first().is_some_and(|p| p[0] < error) => format!("< {}", number(sorted[0][1])),
        None => "–".into(),
    }
}
