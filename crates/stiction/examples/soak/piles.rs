//! Piles: forty bodies fall into a box, at every stiffness, step and contact model, with default options. Nothing may leave the
//! box, and nothing may gain energy.
//!
//! A run is a pile, a stiffness, a step and a contact model; it depends on its number alone. Even piles are spheres and cubes of
//! 10 cm in four columns, as in the paper's clutter; odd ones have boxes, spheres, capsules, cylinders and ellipsoids of other sizes,
//! turned at random. Every other pair of piles has the paper's material (d = 10 s/m, τ = 1e-4 s, μ = 1), the rest the
//! default one. Nothing overlaps at the beginning.
//!
//! **Energy**, after each step: kinetic, that of gravity from the box's floor, and what the contacts hold, Σ ½ f x over their
//! normal forces f and the depths x to which the step brought them.
//! **Left** means: a body's centre is above the walls, or deeper in a wall or the floor than the middle of it.

use crate::random::{Draw, Random};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use stiction::model::{Body, ContactProperties, Geom, Inertia, Joint, JointKind, Shape, World};
use stiction::{ContactModel, Model, Options, Simulation, contact_model_name};

const EXPONENTS: std::ops::RangeInclusive<i32> = 4..=12;
const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];
const MODELS: [ContactModel; 3] = [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap];
/// Runs of one pile.
pub const RUNS: u64 = 9 * 4 * 3;
/// Simulated time of a run, s.
const DURATION: f64 = 3.0;
const BODIES: usize = 40;
/// Half the width of the box's inside, and the height of its walls, m.
const HALF: f64 = 0.4;
const HEIGHT: f64 = 3.0;
/// Energy may exceed that at the beginning by this part of it.
const ALLOWED: f64 = 0.01;

/// What a run is about.
#[derive(Clone, Copy)]
struct Cell {
    pile: u64,
    exponent: i32,
    step: f64,
    contact: ContactModel,
}

impl Cell {
    fn of(number: u64) -> Self {
        let k = (number % RUNS) as usize;
        Self {
            pile: number / RUNS,
            exponent: EXPONENTS.start() + (k / 12) as i32,
            step: STEPS[k / 3 % 4],
            contact: MODELS[k % 3],
        }
    }
}

/// What became of a run.
#[derive(Clone, Copy, Default)]
struct Outcome {
    /// Bodies outside the box at the end of a step, at most.
    left: u64,
    /// Largest energy over that at the beginning.
    energy: f64,
    /// The same without what contacts hold.
    motion: f64,
    /// Largest speed, m/s.
    speed: f64,
    unconverged: u64,
    /// Steps that ended in an error.
    errors: u64,
    seconds: f64,
}

impl Outcome {
    fn fine(&self) -> bool {
        self.left == 0 && self.energy <= 1.0 + ALLOWED && self.unconverged == 0 && self.errors == 0
    }

    fn line(&self, number: u64) -> String {
        let Self { left, energy, motion, speed, unconverged, errors, seconds } = self;
        format!("{number} {left} {energy:e} {motion:e} {speed:e} {unconverged} {errors} {seconds:.2}\n")
    }

    fn read(line: &str) -> Option<(u64, Self)> {
        let mut words = line.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut next = || words.next()?.parse::<f64>().ok();
        let outcome = Self {
            left: next()? as u64,
            energy: next()?,
            motion: next()?,
            speed: next()?,
            unconverged: next()? as u64,
            errors: next()? as u64,
            seconds: next()?,
        };
        Some((number, outcome))
    }
}

/// A body of some shape and the radius of a ball around it.
fn object(random: &mut Random, plain: bool) -> (Shape, f64) {
    let size = |r: &mut Random| r.range(0.03, 0.06);
    if plain {
        return match random.modulo(2) {
            0 => (Shape::Sphere { radius: 0.05 }, 0.05),
            _ => (Shape::Box { half_extents: Vector3::repeat(0.05) }, 0.05),
        };
    }
    match random.modulo(5) {
        0 => {
            let radius = size(random);
            (Shape::Sphere { radius }, radius)
        }
        1 => {
            let (radius, half_length) = (0.7 * size(random), size(random));
            (Shape::Capsule { radius, half_length }, radius + half_length)
        }
        2 => {
            let (radius, half_length) = (size(random), size(random));
            (Shape::Cylinder { radius, half_length }, radius.hypot(half_length))
        }
        3 => {
            let radii = Vector3::from_fn(|_, _| size(random));
            (Shape::Ellipsoid { radii }, radii.max())
        }
        _ => {
            let half_extents = Vector3::from_fn(|_, _| size(random));
            (Shape::Box { half_extents }, half_extents.norm())
        }
    }
}

/// Mass 1000 kg/m³; moments of inertia of a box or ellipsoid of the shape's extents.
fn inertia(shape: &Shape) -> Inertia {
    use std::f64::consts::PI;
    let (mass, moments) = match *shape {
        Shape::Sphere { radius: r } => (4.0 / 3.0 * PI * r.powi(3), Vector3::repeat(0.4 * r * r)),
        Shape::Box { half_extents: h } => {
            let s = h.component_mul(&h) / 3.0;
            (8.0 * h.product(), Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y))
        }
        Shape::Ellipsoid { radii: r } => {
            let s = r.component_mul(&r) / 5.0;
            (4.0 / 3.0 * PI * r.product(), Vector3::new(s.y + s.z, s.x + s.z, s.x + s.y))
        }
        Shape::Cylinder { radius: r, half_length: h } | Shape::Capsule { radius: r, half_length: h } => {
            let side = r * r / 4.0 + h * h / 3.0;
            (2.0 * PI * r * r * h, Vector3::new(side, side, 0.5 * r * r))
        }
        _ => unreachable!("piles have no other shapes"),
    };
    let mass = 1000.0 * mass;
    Inertia { mass, rotational: nalgebra::Matrix3::from_diagonal(&(mass * moments)), com: Vector3::zeros() }
}

/// The pile of a number with the stiffness of a pair of geoms.
fn pile(number: u64, stiffness: f64) -> World {
    let mut random = Random::new(number.wrapping_mul(0x9e37_79b9).wrapping_add(7));
    let plain = number.is_multiple_of(2);
    let mut contact = ContactProperties { stiffness: Some(2.0 * stiffness), ..Default::default() };
    if number % 4 < 2 {
        contact.dissipation = Some(10.0);
        contact.relaxation_time = Some(5e-5);
        contact.static_friction = Some(1.0);
        contact.dynamic_friction = Some(1.0);
    }
    let mut world = World::new(format!("pile {number}"));
    let add = |world: &mut World, name: String, body: usize, shape: Shape, at: Vector3<f64>| {
        let mut geom = Geom::new(name, body, shape);
        geom.contact = contact;
        geom.pose.translation = Translation3::from(at);
        world.geoms.push(geom);
    };
    let boxed = |x: f64, y: f64, z: f64| Shape::Box { half_extents: Vector3::new(x, y, z) };
    add(&mut world, "floor".into(), 0, boxed(HALF + 0.1, HALF + 0.1, 0.05), -0.05 * Vector3::z());
    let (up, out) = (0.5 * HEIGHT, HALF + 0.05);
    for sign in [-1.0, 1.0] {
        let name = |axis| format!("wall {axis}{sign}");
        add(&mut world, name("x"), 0, boxed(0.05, HALF + 0.1, up), Vector3::new(sign * out, 0.0, up));
        add(&mut world, name("y"), 0, boxed(HALF, 0.05, up), Vector3::new(0.0, sign * out, up));
    }
    for column in 0..4 {
        let mut top = 0.0;
        for k in 0..BODIES / 4 {
            let (shape, reach) = object(&mut random, plain);
            let name = format!("object {column}.{k}");
            let place = if plain { 0.15 } else { 0.2 };
            let side = |bit: usize| if column & bit > 0 { place } else { -place };
            let offset = if plain { 0.005 } else { 0.02 };
            top += random.range(0.001, 0.02) + reach;
            let at = Vector3::new(side(1), side(2), top) + random.vector(offset).xy().push(0.0);
            top += reach;
            let turn = if plain { UnitQuaternion::identity() } else { random.turn() };
            let n = world.bodies.len();
            let mut body = Body::new(name.clone(), 0);
            body.joints.push(Joint::new(format!("{name} free"), JointKind::Free));
            body.pose = Isometry3::from_parts(Translation3::from(at), turn);
            body.inertia = inertia(&shape);
            world.bodies.push(body);
            add(&mut world, name, n, shape, Vector3::zeros());
        }
    }
    world
}

/// What the contacts hold at the end of the last step, J: half of their normal force times the depth to which the step brought them.
fn held(sim: &Simulation) -> f64 {
    let (problem, solver) = (sim.last_problem(), sim.last_solver());
    let dt = problem.time_step();
    let results = solver.contact_impulses().iter().zip(solver.contact_velocities());
    let each = problem.contacts().iter().zip(results).map(|(entry, (impulse, velocity))| {
        let n = entry.frame.column(2);
        0.5 * n.dot(impulse) / dt * (entry.penetration - dt * n.dot(velocity)).max(0.0)
    });
    each.sum()
}

fn run(cell: Cell, tell: bool) -> Outcome {
    let begin = Instant::now();
    let model = Model::new(pile(cell.pile, 10_f64.powi(cell.exponent))).expect("a pile is a model");
    let options = Options { step: cell.step, contact: cell.contact, ..Options::default() };
    let mut sim = Simulation::new(&model, options).expect("options that are allowed");
    let start = sim.energy().total();
    let mut outcome = Outcome::default();
    for _ in 0..(DURATION / cell.step).round() as usize {
        if sim.step(1).is_err() {
            outcome.errors = 1;
            break;
        }
        let motion = sim.energy().total();
        let contacts = held(&sim);
        outcome.motion = outcome.motion.max(motion / start);
        outcome.energy = outcome.energy.max((motion + contacts) / start);
        let state = sim.state();
        let outside = |b: &usize| {
            let [x, y, z] = [0, 1, 2].map(|i| state.q[7 * b + i]);
            !(x.abs() < HALF + 0.05 && y.abs() < HALF + 0.05 && z > -0.05 && z < HEIGHT)
        };
        if tell {
            for b in (0..BODIES).filter(outside) {
                eprintln!(
                    "  outside: {:?} {:?} {:?}",
                    sim.model().world().bodies[b + 1].name,
                    &state.q[7 * b..7 * b + 3],
                    sim.model().world().geoms[b + 5].shape
                );
            }
        }
        let left = (0..BODIES).filter(outside).count() as u64;
        outcome.left = outcome.left.max(left);
        let speed = (0..BODIES).map(|b| Vector3::from_column_slice(&state.v[6 * b..6 * b + 3]).norm());
        let speed = speed.fold(0.0, f64::max);
        outcome.speed = outcome.speed.max(speed);
        if tell {
            let report = sim.last_report();
            eprintln!(
                "t {:.3} s: motion {motion:.3} J, contacts {contacts:.3e} J, start {start:.3} J, outside {left}, fastest {speed:.3} m/s, \
                 deepest {:.2e} m, iterations {}, {:?}, friction passes {}, travelling {}, turn {:.2}, speculative {}, held back {}",
                state.time,
                report.max_penetration,
                report.iterations,
                report.criterion,
                report.friction_passes,
                report.travelling,
                report.max_turn,
                report.speculative,
                report.held_back,
            );
        }
    }
    outcome.unconverged = sim.stats().unconverged;
    outcome.seconds = begin.elapsed().as_secs_f64();
    outcome
}

/// Outcomes by number.
pub struct Outcomes(BTreeMap<u64, Outcome>);

/// Makes these runs on several threads, until they are finished or `end` is asked for. The file `journal` has a line for each
/// finished run, and none of those is repeated.
pub fn runs(
    numbers: &[u64],
    threads: u64,
    journal: Option<&str>,
    tell: bool,
    end: &(impl Fn() -> bool + Sync),
) -> std::io::Result<Outcomes> {
    let mut known = BTreeMap::new();
    let mut file = None;
    if let Some(path) = journal {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        known.extend(text.lines().filter_map(Outcome::read).filter(|(number, _)| numbers.contains(number)));
        file = Some(std::fs::OpenOptions::new().create(true).append(true).open(path)?);
    }
    let left: Vec<u64> = numbers.iter().copied().filter(|n| !known.contains_key(n)).collect();
    let (next, results) = (AtomicUsize::new(0), Mutex::new((known, file)));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some(&number) = left.get(next.fetch_add(1, Relaxed)).filter(|_| !end()) {
                    let outcome = run(Cell::of(number), tell);
                    let (known, file) = &mut *results.lock().expect("no thread panics with the results");
                    if let Some(file) = file {
                        let _ = file.write_all(outcome.line(number).as_bytes());
                    }
                    known.insert(number, outcome);
                }
            });
        }
    });
    Ok(Outcomes(results.into_inner().expect("no thread panics with the results").0))
}

impl Outcomes {
    /// Tables by model, stiffness and step; whether all is well.
    pub fn report(&self) -> (String, bool) {
        let mut text = String::new();
        for (m, model) in MODELS.iter().enumerate() {
            let name = contact_model_name(*model);
            let _ = write!(
                text,
                "\n{name}: runs that fail, largest energy over that at the beginning\n\n| k (N/m) |"
            );
            STEPS.iter().for_each(|dt| text += &format!(" {} ms |", 1e3 * dt));
            text += "\n|---|---|---|---|---|\n";
            for exponent in EXPONENTS {
                let _ = write!(text, "| 1e{exponent} |");
                for dt in STEPS {
                    let here = self.0.iter().filter(|(number, _)| {
                        let cell = Cell::of(**number);
                        cell.contact == MODELS[m] && cell.exponent == exponent && cell.step == dt
                    });
                    let here: Vec<&Outcome> = here.map(|(_, outcome)| outcome).collect();
                    let failed = here.iter().filter(|o| !o.fine()).count();
                    let energy = here.iter().map(|o| o.energy).fold(0.0, f64::max);
                    let _ = write!(text, " {failed} of {}, {energy:.4} |", here.len());
                }
                text.push('\n');
            }
        }
        let all = || self.0.values();
        let most = |f: fn(&Outcome) -> f64| all().map(f).fold(0.0, f64::max);
        let sum = |f: fn(&Outcome) -> u64| all().map(f).sum::<u64>();
        let failed: Vec<u64> = self.0.iter().filter(|(_, o)| !o.fine()).map(|(n, _)| *n).collect();
        let _ = write!(
            text,
            "\n| of | |\n|---|---:|\n| runs | {} |\n| runs that fail | {} |\n| bodies that left the box | {} |\n\
             | largest energy over that at the beginning | {:.4} |\n| the same without what contacts hold | {:.4} |\n\
             | highest speed, m/s | {:.1} |\n| steps that did not converge | {} |\n| runs that ended in an error | {} |\n\
             | processor time, s | {:.0} |\n",
            self.0.len(),
            failed.len(),
            sum(|o| o.left),
            most(|o| o.energy),
            most(|o| o.motion),
            most(|o| o.speed),
            sum(|o| o.unconverged),
            sum(|o| o.errors),
            all().map(|o| o.seconds).sum::<f64>(),
        );
        if !failed.is_empty() {
            text += "\nFindings (`--only NUMBER`):\n\n";
            for number in failed.iter().take(40) {
                let (cell, o) = (Cell::of(*number), &self.0[number]);
                let _ = writeln!(
                    text,
                    "- {number}: pile {}, k 1e{} N/m, {} ms, {}: {} left, energy {:.4}, without contacts {:.4}, {:.1} m/s, \
                     {} unconverged, {} errors",
                    cell.pile,
                    cell.exponent,
                    1e3 * cell.step,
                    contact_model_name(cell.contact),
                    o.left,
                    o.energy,
                    o.motion,
                    o.speed,
                    o.unconverged,
                    o.errors
                );
            }
        }
        (text, failed.is_empty())
    }
}
