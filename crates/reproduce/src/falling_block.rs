//! Beyond the paper: an upright block lands on both corners, and what a compliant simulation makes of it.
//!
//! Block 1 m wide and 2 m tall, m = 1, I = 5/12, μ = 1, speed v: corner A (left) alone to completion gives (v_x, v_z, ω) =
//! (0.3, −0.15, −0.3) v, then corner B (0.21, 0.105, −0.21) v; mirrored for B first; both at once 0.
//!
//! Two studies. **Refinement**: the distance between the sampled set and brute-force Euler integration of the inclusion falls as the cap
//! shrinks and samples grow. **Compliance**: the same block, with compliant feet of random stiffness ratio and tilted by
//! a random tiny angle, in the convex simulation: every landing must end in the predicted set, and fills a part of it.

use crate::Reproduction;
use crate::failure::Failure;
use crate::impacts::{
    Corner, at_once, largest_energy, nearest, one_sided, planar_body, sequence, set, worst_violation,
};
use crate::report::{Check, Outcome, Study, Table};
use crate::worlds::{geom, published, simulation, step};
use nalgebra::{Matrix3, Vector3};
use stiction::model::{Body, ContactProperties, Inertia, Joint, JointKind, Shape as Solid, World};
use stiction::rigid::contact::Instant;
use stiction::{ContactModel, Options as SimulationOptions};
use stiction_base::random::Random;
use stiction_impact::euler::euler;
use stiction_impact::{Options, Outcomes, Problem, outcomes};
use stiction_plot::{Axis, Corner as Place, Figure, Look, Panel, Series, Shape, color};

/// The reproduction.
pub const REPRODUCTION: Reproduction = Reproduction {
    name: "falling-block",
    summary: "A block lands on two corners: closed form, refinement, and a compliant simulation inside the set",
    claim: "Beyond the paper: the outcome set of the upright block against closed forms; its convergence against brute-force Euler integration of \
            the inclusion; and landings of a compliant block with random tilt and stiffness ratio, which must lie in the set.",
    run,
};

const INERTIA: f64 = 5.0 / 12.0;
/// Weights of the kinetic norm.
const WEIGHTS: [f64; 3] = [1.0, 1.0, INERTIA];

fn block() -> Result<Instant, Failure> {
    let corner = |x: f64| Corner { x, z: -1.0, angle: 0.0, friction: 1.0 };
    planar_body(1.0, INERTIA, &[corner(-0.5), corner(0.5)], [0.0, -1.0, 0.0])
}

fn run(study: &Study) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let instant = block()?;
    let set = set(&instant, if study.quick { 1024 } else { 4096 })?;
    closed_form(&set, &mut outcome)?;
    let refined = refinement(study, &instant, &mut outcome)?;
    let landed = compliance(study, &set, &mut outcome)?;
    let plane = |v: &[f64]| [v[0], v[2]];
    let (left, right) = (sequence(&set, &[0, 1])?, sequence(&set, &[1, 0])?);
    let sequences = vec![plane(set.velocity(left)), plane(set.velocity(right))];
    outcome.figures.push(Figure {
        name: "falling-block",
        caption: "A block lands on both corners. Left: the set of outcomes over sideways speed and spin, and landings of a compliant block \
                  with random tilt and stiffness ratio. Right: distance between the sampled set and brute force as caps shrink and samples grow."
            .into(),
        panels: vec![
            Panel {
                title: "after the landing".into(),
                x: Axis::linear("v_x (m/s)"),
                y: Axis::linear("spin (rad/s)"),
                series: vec![
                    Series::new("outcomes", Look::Marks(Shape::Circle), color::SKY, (0..set.len()).map(|i| plane(set.velocity(i))).collect()),
                    Series::new("compliant landings", Look::Marks(Shape::Diamond), color::ORANGE, landed.iter().map(|v| plane(v)).collect()),
                    Series::new("sequences", Look::Marks(Shape::Triangle), color::VERMILLION, sequences),
                    Series::new("at once", Look::Marks(Shape::Square), color::BLACK, vec![plane(set.velocity(at_once(&set)?))]),
                ],
                legend: Place::TopRight,
            },
            Panel {
                title: "refinement".into(),
                x: Axis::log("cap over the impulse that stops one corner"),
                y: Axis::log("distance to brute force (of v)"),
                series: vec![
                    Series::new("brute force to the set", Look::Joined(Shape::Circle), color::BLUE, refined[0].clone()),
                    Series::new("the set to brute force", Look::Joined(Shape::Square), color::GREEN, refined[1].clone()),
                ],
                legend: Place::TopLeft,
            },
        ],
    });
    Ok(outcome)
}

fn closed_form(set: &Outcomes, outcome: &mut Outcome) -> Result<(), Failure> {
    let source = "theory: upright block";
    for (order, sign) in [([0, 1], 1.0), ([1, 0], -1.0)] {
        let v = set.velocity(sequence(set, &order)?);
        for (name, value, expected) in
            [("v_x", v[0], 0.21 * sign), ("v_z", v[1], 0.105), ("ω", v[2], -0.21 * sign)]
        {
            let first = if sign > 0.0 { "A" } else { "B" };
            outcome.checks.push(Check::within(
                format!("{first} first: {name}/v"),
                value,
                expected,
                1e-12,
                source,
            ));
        }
    }
    let rest = set.velocity(at_once(set)?).iter().fold(0.0f64, |x, v| x.max(v.abs()));
    outcome.checks.push(Check::within("both at once: largest velocity/v", rest, 0.0, 1e-9, source));
    let (low, high) = set.extremes(&[0.0, 0.0, 1.0]);
    outcome.checks.push(Check::within(
        "least spin in the set",
        low.value,
        -0.21,
        1e-9,
        "the sequences are extreme",
    ));
    outcome.checks.push(Check::within(
        "greatest spin in the set",
        high.value,
        0.21,
        1e-9,
        "the sequences are extreme",
    ));
    let metric = "largest kinetic energy after, over that before";
    outcome.checks.push(Check::at_most(metric, largest_energy(set), 1.0, "MFI Lemma 5"));
    let metric = "worst violation of the inclusion, relative";
    outcome.checks.push(Check::at_most(metric, worst_violation(set, 7), 1e-8, "the checker's tolerance"));
    Ok(())
}

/// One-sided distances between brute force and the sampled set, over the cap.
fn refinement(
    study: &Study,
    instant: &Instant,
    outcome: &mut Outcome,
) -> Result<[Vec<[f64; 2]>; 2], Failure> {
    study.say("brute-force integration of the inclusion");
    let problem = Problem::new(instant).map_err(Failure::work)?;
    let (count, ds) = if study.quick { (600, 2e-4) } else { (4000, 5e-5) };
    let brute = euler(&problem, count, ds, 3);
    let mut table =
        Table::new("falling-block-refinement", &["cap_over_stop", "samples", "brute_to_set", "set_to_brute"]);
    let mut lines = [Vec::new(), Vec::new()];
    for k in 0..6 {
        let (parts, samples) = (f64::from(1 << k), 32 << (if study.quick { k } else { k + 1 }));
        // One corner alone stops with 1/1.6 N s.
        let options = Options { samples, cap: Some(0.625 / parts), ..Options::default() };
        let set = outcomes(&problem, &options).map_err(Failure::work)?;
        let there = one_sided(&brute, &set.velocities, &WEIGHTS);
        let back = one_sided(&set.velocities, &brute, &WEIGHTS);
        table.rows.push(vec![1.0 / parts, samples as f64, there, back]);
        lines[0].push([1.0 / parts, there]);
        lines[1].push([1.0 / parts, back]);
    }
    let first = table.rows[0][2].max(table.rows[0][3]);
    let last = table.rows[5][2].max(table.rows[5][3]);
    let metric = "distance to brute force, finest over coarsest";
    outcome.checks.push(Check::at_most(metric, last / first, 0.25, "the approximation tightens"));
    outcome.checks.push(Check::at_most(
        "distance to brute force, finest (of v)",
        last,
        0.01,
        "the approximation tightens",
    ));
    outcome.tables.push(table);
    Ok(lines)
}

/// A block with compliant feet, tilted by `tilt`, with stiffnesses `k`; its velocity after the landing, over its speed.
fn land(tilt: f64, k: [f64; 2], dt: f64) -> Result<[f64; 3], Failure> {
    const RADIUS: f64 = 0.01;
    const SPEED: f64 = 1.0;
    let mut world = World::new("block");
    world.options.gravity = Vector3::zeros();
    let mut body = Body::new("block", 0);
    body.inertia = Inertia {
        mass: 1.0,
        com: Vector3::zeros(),
        rotational: Matrix3::from_diagonal(&Vector3::new(1.0, INERTIA, 1.0)),
    };
    // A counter-clockwise turn in the x-z plane is one about −y.
    body.joints.push(Joint::new("x", JointKind::Slide { axis: Vector3::x() }));
    body.joints.push(Joint::new("z", JointKind::Slide { axis: Vector3::z() }));
    body.joints.push(Joint::new("turn", JointKind::Hinge { axis: -Vector3::y() }));
    world.bodies.push(body);
    let contact = |stiffness: f64| ContactProperties {
        stiffness: Some(stiffness),
        dissipation: Some(2e3),
        static_friction: Some(1.0),
        dynamic_friction: Some(1.0),
        ..ContactProperties::default()
    };
    geom(&mut world, "ground", 0, Solid::HalfSpace { size: [0.0; 2] }, contact(1e14));
    for (side, x) in [-0.5, 0.5].into_iter().enumerate() {
        geom(&mut world, ["left", "right"][side], 1, Solid::Sphere { radius: RADIUS }, contact(k[side]));
        let foot = world.geoms.last_mut().ok_or_else(|| Failure::work("a geom was just added"))?;
        foot.pose.translation.vector = Vector3::new(x, 0.0, RADIUS - 1.0);
    }
    let options = SimulationOptions {
        step: dt,
        contact: ContactModel::Similar,
        stiction_tolerance: 1e-6,
        regularization: 0.0,
        relative_tolerance: 1e-8,
        ..published()
    };
    let mut sim = simulation(world, options)?;
    // The lower foot just touches.
    sim.state_mut().q.copy_from_slice(&[0.0, 1.0 + 0.5 * tilt.abs(), tilt]);
    sim.state_mut().v.copy_from_slice(&[0.0, -SPEED, 0.0]);
    // Long beside the slowest contact, short beside anything else; at the end nothing touches or all rests.
    let slowest = (1.0 / k[0].min(k[1])).sqrt();
    let steps = (12.0 * slowest / dt).ceil() as usize;
    for _ in 0..steps {
        step(&mut sim)?;
    }
    let v = &sim.state().v;
    Ok([v[0] / SPEED, v[1] / SPEED, v[2] / SPEED])
}

/// Compliant landings against the set.
fn compliance(study: &Study, set: &Outcomes, outcome: &mut Outcome) -> Result<Vec<[f64; 3]>, Failure> {
    let count = if study.quick { 24 } else { 160 };
    study.say(format!("{count} landings of the compliant block"));
    let mut random = Random(11);
    let mut table = Table::new(
        "falling-block-compliant",
        &["tilt_rad", "stiffness_ratio", "v_x", "v_z", "spin", "distance_to_set"],
    );
    let (mut landed, mut flat) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let tilt = 2e-5 * random.sym();
        let ratio = 10f64.powf(1.5 * random.sym());
        let k = [1e8 * ratio.sqrt(), 1e8 / ratio.sqrt()];
        let v = land(tilt, k, 2e-7 * (1e8 / k[0].max(k[1])).sqrt() * 5.0)?;
        let distance = nearest(&v, &set.velocities, &WEIGHTS);
        table.rows.push(vec![tilt, ratio, v[0], v[1], v[2], distance]);
        flat.extend_from_slice(&v);
        landed.push(v);
    }
    let worst = table.rows.iter().map(|r| r[5]).fold(0.0, f64::max);
    let metric = format!("compliant landings ({count}): largest distance to the set (of v)");
    outcome.checks.push(Check::at_most(metric, worst, 0.02, "landings lie in the predicted set"));
    // How much of the set they fill: outcomes with a landing near, and the range of spin.
    let near = (0..set.len()).filter(|&i| nearest(set.velocity(i), &flat, &WEIGHTS) <= 0.02).count();
    let share = near as f64 / set.len() as f64;
    let spins = landed.iter().map(|v| v[2]);
    let (low, high) = spins.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let range = (high - low) / 0.42;
    outcome.checks.push(Check::at_least(
        "range of spin the landings fill, over that of the set",
        range,
        0.5,
        "they differ as predicted",
    ));
    outcome.notes = format!(
        "{count} landings with tilts up to 2e-5 rad and stiffness ratios from 0.03 to 32 end within {worst:.4} v of the predicted set; they fill \
         {:.0} % of its range of spin, and {:.0} % of the sampled outcomes have a landing within 0.02 v.",
        100.0 * range,
        100.0 * share
    );
    outcome.tables.push(table);
    Ok(landed)
}
