//! A random scene, which depends only on its seed.

use crate::matter::{Matter, bumps, inertia, shape};
use crate::mechanism::{couple, drive, tie, tree};
use crate::random::{Draw, Random};
use nalgebra::{Isometry3, Translation3, Vector3};
use stiction::continuous::{ContinuousOptions, Integrator, TangentialCompliance, TractionFriction};
use stiction::model::{Body, Geom, Joint, JointKind, Pose, Shape, World};
use stiction::{ContactModel, Method, Model, Options, Simulation, contact_model_name};

pub struct Scene {
    pub model: Model,
    pub options: Options,
    pub velocities: Vec<f64>,
    /// Inertia along each coordinate at the default positions.
    pub inertia: Vec<f64>,
    /// Whether random forces act occasionally.
    pub pushes: bool,
    /// Whether a surface moves, which does work that is not counted.
    pub conveyor: bool,
    /// Whether bodies hang on the world by joints or couplings.
    pub held: bool,
    /// Bodies on free joints without children: they may not leave the pen through its floor.
    pub loose: Vec<usize>,
    /// One-line description.
    pub label: String,
    /// Random generator for pushes and controls.
    pub acts: u64,
}

pub fn draw(seed: u64) -> Result<Scene, String> {
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x50a4);
    let continuous = random.one_in(20);
    let mut matter = Matter::draw(&mut random);
    if continuous {
        // It supports only patches, and stiff ones are slow.
        matter.compliant = 10;
        matter.modulus = random.decades(1e4, 1e7);
    }
    let mut world = World::new(format!("soak {seed}"));
    let trees = if random.one_in(2) { 0 } else { 1 + random.modulo(2) };
    let half = if trees > 0 { 1.3 } else { 0.6 };
    let conveyor = pen(&mut random, &mut world, &matter, half, continuous);

    let count = match (continuous, trees) {
        (true, _) => 1 + random.modulo(2),
        (_, 0) => 3 + random.modulo(12),
        _ => random.modulo(6),
    };
    let loose = pile(&mut random, &mut world, &matter, count, continuous);
    let mut held = false;
    for t in 0..trees {
        let free = random.one_in(3);
        held |= !free;
        let place = Vector3::new(0.6 * (2.0 * t as f64 - 0.5), random.range(-0.3, 0.3), 1.6);
        let bodies = 2 + random.modulo(if continuous { 2 } else { 6 });
        tree(&mut random, &mut world, &matter, place, free, bodies);
    }
    if continuous {
        for geom in &mut world.geoms {
            if let Shape::Mesh { convex, .. } = &mut geom.shape {
                *convex = true;
            }
            if geom.body > 0 {
                geom.contact.compliance = stiction::model::Compliance::Compliant;
                geom.contact.hydroelastic_modulus = Some(matter.modulus);
                geom.contact.resolution_hint = Some(0.08);
            }
        }
    }
    if trees > 0 {
        let (poses, inertia) = rehearse(&mut world)?;
        if !continuous && random.one_in(2) {
            tie(&mut random, &mut world, &poses);
        }
        if !continuous && random.one_in(2) {
            couple(&mut random, &mut world, &poses);
            held = true;
        }
        if random.one_in(2) {
            drive(&mut random, &mut world, &inertia, continuous);
        }
    }

    let options = options(&mut random, continuous);
    let model = Model::new(world).map_err(|error| error.to_string())?;
    let velocities = (0..model.nv()).map(|_| random.range(-1.0, 1.0)).collect();
    let pushes = random.one_in(3);
    let label = label(seed, &model, &options, &matter, pushes, conveyor);
    let inertia = inertia_of(&model)?;
    let acts = random.bits();
    Ok(Scene { model, options, velocities, inertia, pushes, conveyor, held, loose, label, acts })
}

/// Floor and walls. Returns whether a part of them moves.
fn pen(random: &mut Random, world: &mut World, matter: &Matter, half: f64, continuous: bool) -> bool {
    let add = |world: &mut World, random: &mut Random, name: &str, shape: Shape, at: Vector3<f64>| {
        let mut geom: Geom = matter.geom(random, name.into(), 0, shape);
        geom.pose.translation = Translation3::from(at);
        world.geoms.push(geom);
    };
    if !continuous && random.one_in(6) {
        let field = bumps(random);
        world.height_fields.push(field.into());
        add(world, random, "floor", Shape::HeightField { field: 0 }, Vector3::new(0.0, 0.0, -0.05));
    } else {
        add(world, random, "floor", Shape::HalfSpace { size: [0.0; 2] }, Vector3::zeros());
    }
    let wall = |x, y| Shape::Box { half_extents: Vector3::new(x, y, 5.0) };
    for sign in [-1.0, 1.0] {
        let at = (half + 0.5) * sign;
        add(world, random, "", wall(0.5, half + 1.0), Vector3::new(at, 0.0, 5.0));
        add(world, random, "", wall(half, 0.5), Vector3::new(0.0, at, 5.0));
    }
    let conveyor = !continuous && random.one_in(12);
    if conveyor {
        world.geoms[0].surface_velocity = Some([0.0, 0.0, 0.0, random.range(-1.0, 1.0), 0.0, 0.0]);
    }
    conveyor
}

/// Free bodies above the floor. Returns their indices.
fn pile(
    random: &mut Random,
    world: &mut World,
    matter: &Matter,
    count: usize,
    continuous: bool,
) -> Vec<usize> {
    for k in 0..count {
        let n = world.bodies.len();
        let mut body = Body::new(format!("b{n}"), 0);
        body.joints.push(Joint::new(format!("j{n}"), JointKind::Free));
        let (x, y) = ([-0.28, 0.28][k % 2], [-0.28, 0.28][(k / 2) % 2]);
        let place = Vector3::new(x, y, 0.3 + 0.55 * (k / 4) as f64) + random.vector(0.02);
        body.pose = Isometry3::from_parts(Translation3::from(place), random.turn());
        body.inertia = inertia(random);
        world.bodies.push(body);
        let mut drawn = shape(random, world);
        if let (true, Shape::Mesh { convex, .. }) = (continuous, &mut drawn) {
            *convex = true;
        }
        let geom = matter.geom(random, format!("g{n}"), n, drawn);
        world.geoms.push(geom);
    }
    (1..world.bodies.len()).collect()
}

/// Effective inertia along each coordinate at the default positions: 1 over the diagonal of the mass matrix's
/// inverse.
fn inertia_of(model: &Model) -> Result<Vec<f64>, String> {
    let mass = model.mass_matrix(model.default_q()).map_err(|error| error.to_string())?;
    let inverse = mass.cholesky().ok_or("the mass matrix is not positive definite")?.inverse();
    Ok(inverse.diagonal().iter().map(|x| 1.0 / x).collect())
}

/// Poses and inertia at the default state. Contact between bodies that overlap there is disabled, because links of a
/// tree have random positions.
fn rehearse(world: &mut World) -> Result<(Vec<Pose>, Vec<f64>), String> {
    let mut bare = world.clone();
    for geom in &mut bare.geoms {
        geom.contact.compliance = stiction::model::Compliance::Unspecified;
    }
    let model = Model::new(bare).map_err(|error| error.to_string())?;
    let options = Options { step: 1e-9, ..Options::default() };
    let mut sim = Simulation::new(&model, options).map_err(|error| error.to_string())?;
    sim.step(1).map_err(|error| error.to_string())?;
    for contact in sim.contacts().iter().filter(|c| c.penetration > 0.0) {
        let pair = (contact.body_a, contact.body_b);
        if !world.exclusions.contains(&pair) {
            world.exclusions.push(pair);
        }
    }
    Ok((sim.poses().to_vec(), inertia_of(&model)?))
}

fn options(random: &mut Random, continuous: bool) -> Options {
    let contact = [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap][random.modulo(3)];
    let springs = contact == ContactModel::Lagged && random.one_in(3);
    let accurate = random.one_in(8);
    let plain = Options {
        step: [5e-4, 1e-3, 2e-3, 5e-3, 1e-2][random.modulo(5)],
        contact,
        margin: if random.one_in(2) { 0.0 } else { 1e-3 },
        regularization: if random.one_in(5) && contact != ContactModel::Sap { 0.0 } else { 1e-3 },
        tangential_springs: springs.into(),
        ..Options::default()
    };
    if continuous {
        let friction = match random.modulo(3) {
            0 => TractionFriction::Cutoff,
            1 => TractionFriction::Soft,
            _ => TractionFriction::Springs(TangentialCompliance::default()),
        };
        let integrator = if random.one_in(4) { Integrator::BogackiShampine } else { Integrator::Radau };
        let method = Method::Continuous(ContinuousOptions { integrator, friction, adhesion: 0.0 });
        return Options { method, step: plain.step, accuracy: Some(1e-3), ..Options::default() };
    }
    let accuracy = accurate.then(|| random.decades(1e-4, 1e-2));
    Options { accuracy, ..plain }
}

fn label(
    seed: u64,
    model: &Model,
    options: &Options,
    matter: &Matter,
    pushes: bool,
    conveyor: bool,
) -> String {
    let world = model.world();
    let compliant =
        world.geoms.iter().filter(|g| g.contact.compliance == stiction::model::Compliance::Compliant);
    let mut words = vec![match (options.method, options.accuracy) {
        (Method::Continuous(c), _) => format!("continuous ({})", c.integrator.name()),
        (_, Some(accuracy)) => format!("{}, accuracy {accuracy:.0e}", contact_model_name(options.contact)),
        _ => format!("{}, step {} s", contact_model_name(options.contact), options.step),
    }];
    words.push(format!("{} bodies, nv {}", world.bodies.len() - 1, model.nv()));
    for (count, what) in [
        (compliant.count(), "compliant geoms"),
        (world.equalities.len(), "equalities"),
        (world.tendons.len(), "tendons"),
        (world.actuators.len(), "actuators"),
        (usize::from(options.springs().is_some()), "tangential springs"),
        (usize::from(pushes), "pushes"),
        (usize::from(conveyor), "conveyor"),
    ] {
        if count > 0 {
            words.push(if count == 1 && !what.ends_with("geoms") {
                what.into()
            } else {
                format!("{count} {what}")
            });
        }
    }
    words.push(format!("k {:.0e} N/m", 0.5 * matter.stiffness));
    if matter.compliant > 0 {
        words.push(format!("modulus {:.0e} Pa", matter.modulus));
    }
    words.push(format!("d {:.0} s/m, μ {:.2}", matter.dissipation, matter.friction));
    format!("seed {seed}: {}", words.join(", "))
}
