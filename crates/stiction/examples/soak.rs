//! Random piles for as long as asked: does every step converge, does anything go wrong?
//!
//! ```text
//! cargo xtask soak --steps 1000000 [--seed 1] [--scene N] [--out FILE]
//! ```
//!
//! Every scene draws 3 to 14 bodies (spheres, boxes, capsules, cylinders, ellipsoids, hulls) with masses over
//! six decades, pair stiffness 1e4 to 1e12 N/m, dissipation 0 to 100 s/m, friction 0 to 10, a step of 0.5 to
//! 10 ms and one of the contact models, lets them fall into a walled pen, pushes some of them, and counts:
//! steps that did not converge, steps that failed, contacts that gave energy they had not stored, and bodies that left
//! the pen through its floor. A scene is a function of the seed and its number alone; `--scene` runs just that one.

use nalgebra::{Matrix3, Translation3, UnitQuaternion, Vector3};
use std::fmt::Write;
use stiction::model::{Body, Geom, Inertia, Joint, JointKind, Mesh, Shape, World};
use stiction::{ContactModel, Model, Options, Simulation, TangentialSprings, contact_model_name};

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.uniform(low.log10(), high.log10()))
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }
}

/// A shape of size about 0.05 to 0.15 m.
fn shape(random: &mut Random, world: &mut World) -> Shape {
    let size = |r: &mut Random| r.uniform(0.04, 0.12);
    match random.below(6) {
        0 => Shape::Sphere { radius: size(random) },
        1 => Shape::Box { half_extents: Vector3::from_fn(|_, _| size(random)) },
        2 => Shape::Capsule { radius: size(random), half_length: size(random) },
        3 => Shape::Cylinder { radius: size(random), half_length: size(random) },
        4 => Shape::Ellipsoid { radii: Vector3::from_fn(|_, _| size(random)) },
        _ => {
            let vertices = (0..12).map(|_| random.vector(1.0).normalize() * size(random)).collect();
            world.meshes.push(Mesh { name: "rock".into(), vertices, ..Mesh::default() }.into());
            Shape::Mesh { mesh: world.meshes.len() - 1, convex: true }
        }
    }
}

struct Scene {
    model: Model,
    options: Options,
    velocities: Vec<f64>,
    pushes: bool,
}

fn scene(seed: u64, number: u64) -> Scene {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ number);
    let mut world = World::new(format!("soak {seed}/{number}"));
    let stiffness = 2.0 * random.decades(1e4, 1e12);
    let dissipation = if random.below(4) == 0 { 0.0 } else { random.decades(1.0, 100.0) };
    let friction = [0.0, random.uniform(0.0, 1.0), random.uniform(0.0, 2.0), 10.0][random.below(4)];
    let add = |world: &mut World, body: usize, shape: Shape, at: Vector3<f64>| {
        let mut geom = Geom::new("", body, shape);
        geom.pose.translation = Translation3::from(at);
        geom.contact.stiffness = Some(stiffness);
        geom.contact.dissipation = Some(dissipation);
        geom.contact.relaxation_time = Some(1e-4);
        geom.contact.static_friction = Some(friction);
        geom.contact.dynamic_friction = Some(friction);
        world.geoms.push(geom);
    };
    add(&mut world, 0, Shape::HalfSpace { size: [0.0; 2] }, Vector3::zeros());
    let wall = |x, y| Shape::Box { half_extents: Vector3::new(x, y, 5.0) };
    for sign in [-1.0, 1.0] {
        add(&mut world, 0, wall(0.5, 1.5), Vector3::new(1.1 * sign, 0.0, 5.0));
        add(&mut world, 0, wall(0.6, 0.5), Vector3::new(0.0, 1.1 * sign, 5.0));
    }
    let count = 3 + random.below(12);
    for k in 0..count {
        let mut body = Body::new(format!("b{k}"), 0);
        body.joints.push(Joint::new(format!("j{k}"), JointKind::Free));
        let place =
            Vector3::new([-0.28, 0.28][k % 2], [-0.28, 0.28][(k / 2) % 2], 0.3 + 0.55 * (k / 4) as f64);
        let turn = UnitQuaternion::from_scaled_axis(random.vector(3.0));
        body.pose = nalgebra::Isometry3::from_parts(Translation3::from(place + random.vector(0.02)), turn);
        let mass = random.decades(1e-3, 1e3);
        let inertia = mass * 0.004;
        body.inertia = Inertia { mass, com: random.vector(0.005), rotational: Matrix3::identity() * inertia };
        world.bodies.push(body);
        let drawn = shape(&mut random, &mut world);
        add(&mut world, k + 1, drawn, Vector3::zeros());
    }
    let contact = [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap][random.below(3)];
    let springs = contact == ContactModel::Lagged && random.below(3) == 0;
    let options = Options {
        step: [5e-4, 1e-3, 2e-3, 5e-3, 1e-2][random.below(5)],
        contact,
        margin: if random.below(2) == 0 { 0.0 } else { 1e-3 },
        tangential_springs: springs.then(TangentialSprings::default),
        ..Options::default()
    };
    let model = Model::new(world).expect("a drawn scene is sound");
    let velocities = (0..model.nv()).map(|_| random.uniform(-1.0, 1.0)).collect();
    Scene { model, options, velocities, pushes: random.below(3) == 0 }
}

#[derive(Default)]
struct Tally {
    scenes: u64,
    steps: u64,
    points: u64,
    iterations: u64,
    most_iterations: u64,
    unconverged: u64,
    rounded: u64,
    worst_rounded: f64,
    long: u64,
    failed: u64,
    created: u64,
    worst_residual: f64,
    gained: u64,
    fast: u64,
    fell_through: u64,
    examples: Vec<String>,
}

impl Tally {
    fn note(&mut self, text: String) {
        if self.examples.len() < 20 {
            self.examples.push(text);
        }
    }
}

/// How the energy of a step went.
struct Balance {
    /// Energy in the contacts' springs at the beginning of the step, and at the end of its straight motion, J.
    stored: [f64; 2],
    /// Most that one of them gave beyond that, above rounding, J: must be zero.
    excess: f64,
    /// What the solver's tolerance added, as part of the energies at play.
    residual: f64,
}

/// The energy a step's contacts gave, γ·v, next to what they had stored in their springs, U = ½kx² (and ½k_tδ²): no
/// contact may give more than max(0, U₀ − U), U at the end of the step's own straight motion (`docs/contact.md`).
fn balance(sim: &Simulation) -> Balance {
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    let dt = problem.time_step();
    let mut balance = Balance { stored: [0.0; 2], excess: 0.0, residual: 0.0 };
    for (c, entry) in problem.contacts().iter().enumerate() {
        let (gamma, v) = (solver.contact_impulses()[c], solver.contact_velocities()[c]);
        let (x0, x) = (entry.penetration, entry.penetration - dt * v.z);
        let stored = |x: f64| 0.5 * entry.stiffness * x.max(0.0).powi(2);
        balance.stored[0] += stored(x0);
        balance.stored[1] += stored(x);
        let mut most = (stored(x0) - stored(x)).max(0.0);
        // A velocity is known to some 1e-16 of the speeds met; stiffness makes that an energy.
        let mut noise = entry.stiffness * (dt * v.z).hypot(x0).powi(2);
        if let Some(spring) = &entry.spring {
            let stored = |stretch: f64| 0.5 * spring.stiffness * stretch.powi(2);
            most += (stored(spring.stretch.norm()) - stored(solver.stretches()[c].norm())).max(0.0);
            noise += (spring.stiffness + spring.damping / dt)
                * (dt * v.xy().norm()).hypot(spring.stretch.norm()).powi(2);
        }
        let gave = gamma.dot(&v);
        if gave > most + 1e-9 * gamma.norm() * v.norm() + 1e-12 * noise {
            balance.excess = balance.excess.max(gave - most);
        }
    }
    let work = solver.work(problem);
    let size = work.kinetic.abs() + work.forces.abs() + work.impulses.abs() + work.numerical;
    balance.residual = if size > 0.0 { work.residual().max(0.0) / size } else { 0.0 };
    balance
}

fn run(seed: u64, number: u64, steps: u64, tally: &mut Tally) {
    let scene = scene(seed, number);
    let mut random = Random(number ^ 0x5eed);
    let mut sim = Simulation::new(&scene.model, scene.options).expect("drawn options are allowed");
    sim.state_mut().v.copy_from_slice(&scene.velocities);
    let begin = sim.energy().total();
    let world = scene.model.world();
    let contact = &world.geoms[0].contact;
    let label = format!(
        "scene {number}: {}{}, step {} s, {} bodies, k {:.0e} N/m, d {:.0} s/m, μ {:.2}",
        contact_model_name(scene.options.contact),
        if scene.options.tangential_springs.is_some() { " with springs" } else { "" },
        scene.options.step,
        world.bodies.len() - 1,
        0.5 * contact.stiffness.unwrap_or(0.0),
        contact.dissipation.unwrap_or(0.0),
        contact.static_friction.unwrap_or(0.0),
    );
    let mut first_unconverged = None;
    let (mut created, mut most, mut fastest) = (false, begin, 0.0_f64);
    let (mut left, mut drift) = (0.0, 0.0);
    for k in 0..steps {
        let pushing = scene.pushes && k % 97 < 10;
        if scene.pushes {
            let nv = scene.model.nv();
            sim.state_mut().applied.fill(0.0);
            if pushing {
                let dof = random.below(nv);
                sim.state_mut().applied[dof] = random.uniform(-50.0, 50.0);
            }
        }
        if let Err(error) = sim.step(1) {
            tally.failed += 1;
            tally.note(format!("{label}, step {k}: {error}"));
            break;
        }
        let report = sim.last_report();
        if report.criterion == stiction::convex::Criterion::Rounding {
            tally.rounded += 1;
            let rounded = sim.last_solver().island_reports().filter(|island| island.rounding.is_some());
            let worst = rounded.map(|island| island.residual / island.scale).fold(0.0, f64::max);
            tally.worst_rounded = tally.worst_rounded.max(worst);
        }
        tally.long += u64::from(report.iterations > 100);
        if !sim.last_report().converged && first_unconverged.is_none() {
            first_unconverged = Some(k);
            tally.note(format!(
                "{label}, step {k}: {:?}, residual {:.1e}",
                sim.last_report().criterion,
                sim.last_report().relative_residual
            ));
        }
        let speeds = sim.state().v.chunks(6).map(|v| v[0].hypot(v[1]).hypot(v[2]));
        fastest = speeds.fold(fastest, f64::max);
        let energy = balance(&sim);
        if energy.excess > 0.0 {
            tally.created += 1;
            if !created {
                created = true;
                tally.note(format!(
                    "{label}, step {k}: a contact gave {:.2e} J more than it had stored",
                    energy.excess
                ));
            }
        }
        tally.worst_residual = tally.worst_residual.max(energy.residual);
        drift += (energy.stored[0] - left).max(0.0);
        left = energy.stored[1];
        if !scene.pushes {
            most = most.max(sim.energy().total());
        }
    }
    if most > begin + 0.01 * begin.abs() + 1e-6 {
        tally.gained += 1;
        tally.note(format!(
            "{label}: energy rose from {begin:.4} to {most:.4} J; penetrations were found to hold {drift:.4} J more than straight \
             motions had left in them"
        ));
    }
    // What statics explains: all the weight on one contact, and as much again for the fall.
    let weight: f64 = scene.model.total_mass() * 9.81;
    let depth = 0.2 + 20.0 * weight / (0.5 * contact.stiffness.unwrap_or(1.0));
    // A body that moves further than its size in a step may pass through what is thinner.
    let tunnels = fastest * scene.options.step > 0.05;
    tally.fast += u64::from(tunnels);
    for k in (0..world.bodies.len() - 1).filter(|_| !tunnels) {
        if sim.state().q[7 * k + 2] < -depth {
            tally.fell_through += 1;
            tally.note(format!("{label}: body {k} ended at z = {:.3} m", sim.state().q[7 * k + 2]));
        }
    }
    let stats = sim.stats();
    tally.scenes += 1;
    tally.steps += stats.steps;
    tally.points += stats.points;
    tally.iterations += stats.iterations;
    tally.most_iterations = tally.most_iterations.max(stats.max_iterations);
    tally.unconverged += stats.unconverged;
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut steps, mut seed, mut out, mut only) = (100_000_u64, 1_u64, None, None);
    let usage = "usage: soak [--steps N] [--seed N] [--scene N] [--out FILE]";
    while let Some(flag) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{flag} needs a value; {usage}"));
        match flag.as_str() {
            "--steps" => steps = value.parse().unwrap_or_else(|_| panic!("{value} is not a number; {usage}")),
            "--seed" => seed = value.parse().unwrap_or_else(|_| panic!("{value} is not a number; {usage}")),
            "--scene" => {
                only = Some(value.parse().unwrap_or_else(|_| panic!("{value} is not a number; {usage}")))
            }
            "--out" => out = Some(value),
            _ => panic!("unknown {flag}; {usage}"),
        }
    }
    let begin = std::time::Instant::now();
    let mut tally = Tally::default();
    let mut number = only.unwrap_or(0);
    while tally.steps < steps {
        run(seed, number, 400, &mut tally);
        if only.is_some() {
            break;
        }
        number += 1;
        if number % 250 == 0 {
            eprintln!("{} of {steps} steps, {} unconverged", tally.steps, tally.unconverged);
        }
    }
    let mut text = String::from("# Soak: random piles\n\n");
    let _ = writeln!(text, "`cargo xtask soak --steps {steps} --seed {seed}`\n");
    let _ = writeln!(text, "| what | count |\n|---|---|");
    for (what, count) in [
        ("scenes", tally.scenes),
        ("steps", tally.steps),
        ("contact points", tally.points),
        ("Newton iterations", tally.iterations),
        ("most iterations in a step", tally.most_iterations),
        ("steps of more than 100 iterations", tally.long),
        ("steps that ended by rounding", tally.rounded),
        ("unconverged steps", tally.unconverged),
        ("failed steps", tally.failed),
        ("steps in which a contact gave energy it had not stored", tally.created),
        ("scenes with more energy at some time than at their beginning", tally.gained),
        ("scenes with a body faster than its size a step", tally.fast),
        ("bodies that fell through the floor", tally.fell_through),
    ] {
        let _ = writeln!(text, "| {what} | {count} |");
    }
    let _ = writeln!(
        text,
        "| largest residual of a group of bodies that ended by rounding, relative to its impulses | {:.1e} |",
        tally.worst_rounded
    );
    let _ = writeln!(
        text,
        "| largest energy a step gained by the solver's tolerance, of the energies at play | {:.1e} |",
        tally.worst_residual
    );
    for example in &tally.examples {
        let _ = writeln!(text, "- {example}");
    }
    print!("{text}");
    eprintln!("{:.1} s", begin.elapsed().as_secs_f64());
    if let Some(path) = out {
        std::fs::write(&path, &text).unwrap_or_else(|e| panic!("cannot write {path}: {e}"));
    }
    let wrong = tally.unconverged + tally.failed + tally.fell_through + tally.created;
    std::process::exit(i32::from(wrong > 0));
}
