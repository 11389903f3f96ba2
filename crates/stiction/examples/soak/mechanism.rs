//! Mechanisms: trees with every kind of joint, couplings, tendons and actuators.

use crate::matter::{Matter, inertia, shape};
use crate::random::{Draw, Random};
use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use stiction::model::{
    Actuator, Body, Dynamics, Equality, EqualityKind, Joint, JointKind, Muscle, PathStage, Pose, Sensor,
    SensorKind, Shape, Site, Source, Tendon, TendonPath, Transmission, World,
};

/// A tree of `count` bodies below the world at `place`; with `free` its root is.
pub fn tree(
    random: &mut Random,
    world: &mut World,
    matter: &Matter,
    place: Vector3<f64>,
    free: bool,
    count: usize,
) {
    let chain = random.one_in(2);
    let first = world.bodies.len();
    for k in 0..count {
        let n = world.bodies.len();
        // Depth first: a body hangs on the one before it, or on one of that one's ancestors.
        let mut parent = if k == 0 { 0 } else { n - 1 };
        while k > 1 && !chain && parent > first && random.one_in(3) {
            parent = world.bodies[parent].parent.unwrap_or(first);
        }
        let mut body = Body::new(format!("b{n}"), parent);
        body.inertia = inertia(random);
        let offset = if k == 0 { place } else { random.direction() * random.range(0.15, 0.25) };
        body.pose = Isometry3::from_parts(Translation3::from(offset), random.turn());
        if k == 0 && free {
            body.joints.push(Joint::new(format!("j{n}"), JointKind::Free));
        } else {
            if random.one_in(5) {
                // Two joints in sequence. Other kinds could rotate about the same axis, which leaves a joint without
                // inertia.
                let kind = JointKind::Slide { axis: random.direction() };
                body.joints.push(joint(random, format!("j{n}.0"), kind, body.inertia.mass));
                let kind = JointKind::Hinge { axis: random.direction() };
                body.joints.push(joint(random, format!("j{n}.1"), kind, body.inertia.mass));
            } else {
                let kind = kind(random);
                body.joints.push(joint(random, format!("j{n}.0"), kind, body.inertia.mass));
            }
        }
        if random.one_in(6) {
            body.gravity_compensation = 1.0;
        }
        world.bodies.push(body);
        let drawn = shape(random, world);
        let geom = matter.geom(random, format!("g{n}"), n, drawn);
        world.geoms.push(geom);
        let mut site = Site::new(format!("s{n}"), n);
        site.pose.translation = Translation3::from(random.vector(0.05));
        world.sites.push(site);
    }
}

fn kind(random: &mut Random) -> JointKind {
    let axis = random.direction();
    let other = axis.cross(&random.direction()).try_normalize(1e-3).unwrap_or(Vector3::x());
    let other = (other - axis * axis.dot(&other)).normalize();
    match random.modulo(9) {
        0..=2 => JointKind::Hinge { axis },
        3 => JointKind::Slide { axis },
        4 => JointKind::Screw { axis, pitch: random.range(0.02, 0.2) },
        5 => JointKind::Cylindrical { axis },
        6 => JointKind::Universal { first: axis, second: other },
        7 => JointKind::Planar { x: axis, y: other },
        _ => JointKind::Ball,
    }
}

fn joint(random: &mut Random, name: String, kind: JointKind, mass: f64) -> Joint {
    let mut joint = Joint::new(name, kind);
    joint.anchor = random.vector(0.08);
    let ball = kind == JointKind::Ball;
    for (k, dof) in joint.dofs.iter_mut().enumerate() {
        let size = 0.04 * mass;
        if random.one_in(3) {
            dof.damping = size * random.decades(0.01, 100.0);
        }
        if random.one_in(4) && (k == 0 || !ball) {
            (dof.stiffness, dof.rest) = (size * random.decades(0.1, 1e4), random.range(-0.2, 0.2));
        }
        if random.one_in(4) {
            dof.armature = size * random.decades(1e-3, 10.0);
        }
        if random.one_in(6) {
            (dof.rotor_inertia, dof.gear_ratio) = (size * 1e-4, random.range(10.0, 100.0));
        }
        if random.one_in(4) {
            dof.friction = size * random.decades(0.01, 10.0);
        }
        if random.one_in(3) {
            let reach = if matches!(kind, JointKind::Slide { .. }) { 0.1 } else { 0.8 };
            (dof.lower, dof.upper) = (-random.range(0.05, reach), random.range(0.05, reach));
        }
    }
    if random.one_in(4) {
        joint.limit_stiffness = Some(random.decades(1e2, 1e8));
    }
    joint
}

/// Joints of one coordinate: (body, place in its list).
fn single(world: &World) -> Vec<(usize, usize)> {
    let each = |(b, body): (usize, &Body)| {
        let joints = body.joints.iter().enumerate();
        joints.filter(|(_, j)| j.kind.nq() == 1).map(|(k, _)| (b, k)).collect::<Vec<_>>()
    };
    world.bodies.iter().enumerate().flat_map(each).collect()
}

/// Couplings that hold at the poses given, and close loops.
pub fn couple(random: &mut Random, world: &mut World, poses: &[Pose]) {
    let (count, joints) = (1 + random.modulo(2), single(world));
    let bodies = world.sites.iter().map(|s| s.body).collect::<Vec<_>>();
    for k in 0..count {
        let body_b = bodies[random.modulo(bodies.len())];
        let others = bodies.iter().copied().filter(|b| *b != body_b).chain([0]).collect::<Vec<_>>();
        let body_a = others[random.modulo(others.len())];
        let (x_wa, x_wb) = (poses[body_a], poses[body_b]);
        let middle = Point3::from(x_wb.translation.vector + random.vector(0.1));
        let (point_a, point_b) =
            (x_wa.inverse_transform_point(&middle).coords, x_wb.inverse_transform_point(&middle).coords);
        let kind = match random.modulo(6) {
            0 | 1 => EqualityKind::Connect { body_a, body_b, point_a, point_b },
            2 => EqualityKind::Weld { body_a, body_b, pose_ab: x_wa.inverse() * x_wb, point_b },
            3 => {
                let point_a = random.vector(0.1);
                let distance = (x_wa * Point3::from(point_a) - middle).norm();
                EqualityKind::Distance { body_a, body_b, point_a, point_b, distance }
            }
            4 if !world.tendons.is_empty() => {
                let coefficients = [0.0, random.range(-1.0, 1.0), 0.0, 0.0, 0.0];
                let second = (world.tendons.len() > 1).then_some(1);
                EqualityKind::Tendon { first: 0, second, coefficients }
            }
            _ if joints.len() > 1 => {
                let first = random.modulo(joints.len());
                let second = (first + 1 + random.modulo(joints.len() - 1)) % joints.len();
                let coefficients = [0.0, random.range(-2.0, 2.0), random.range(-0.5, 0.5), 0.0, 0.0];
                EqualityKind::Joint { first: joints[first], second: Some(joints[second]), coefficients }
            }
            _ => EqualityKind::Connect { body_a, body_b, point_a, point_b },
        };
        let (stiffness, relaxation_time) = match random.modulo(2) {
            0 => (None, 0.0),
            _ => (Some(random.decades(1e3, 1e10)), random.range(0.0, 0.02)),
        };
        let source = Source::default();
        let name = format!("e{k}");
        world.equalities.push(Equality { name, kind, active: true, stiffness, relaxation_time, source });
    }
}

/// Tendons over joints and along paths.
pub fn tie(random: &mut Random, world: &mut World, poses: &[Pose]) {
    let (joints, sites) = (single(world), world.sites.len());
    for k in 0..1 + random.modulo(3) {
        let spatial = joints.len() < 2 || random.one_in(2);
        if spatial && sites < 2 {
            continue;
        }
        let (path, length) = if spatial {
            let first = random.modulo(sites);
            let last = (first + 1 + random.modulo(sites - 1)) % sites;
            let round = |shape: &Shape| matches!(shape, Shape::Sphere { .. } | Shape::Cylinder { .. });
            let wraps = world.geoms.iter().enumerate().filter(|(_, g)| round(&g.shape) && g.body > 0);
            let wraps = wraps.map(|(g, _)| g).collect::<Vec<_>>();
            let mut stages = vec![PathStage::Site { site: first }];
            if !wraps.is_empty() && random.one_in(2) {
                let side = random.one_in(2).then(|| random.modulo(sites));
                stages.push(PathStage::Wrap { geom: wraps[random.modulo(wraps.len())], side });
            }
            stages.push(PathStage::Site { site: last });
            let at =
                |s: usize| poses[world.sites[s].body] * Point3::from(world.sites[s].pose.translation.vector);
            (TendonPath::Spatial { stages }, (at(first) - at(last)).norm())
        } else {
            let terms = (0..2).map(|_| (joints[random.modulo(joints.len())], random.range(-1.0, 1.0)));
            (TendonPath::Fixed { terms: terms.collect() }, 0.0)
        };
        let mut tendon = Tendon::new(format!("t{k}"), path);
        let mass = world.bodies.iter().map(|b| b.inertia.mass).fold(0.0, f64::max);
        if random.one_in(2) {
            tendon.stiffness = mass * random.decades(1.0, 1e4);
        }
        if random.one_in(2) {
            tendon.damping = mass * random.decades(0.01, 10.0);
        }
        if random.one_in(3) {
            tendon.friction = mass * random.decades(0.01, 1.0);
        }
        if random.one_in(3) {
            tendon.range = [length - 0.1, length + 0.4];
        }
        world.tendons.push(tendon);
    }
}

/// Actuators of every kind, with sensors of their forces. `plain` ones act on joints at once.
pub fn drive(random: &mut Random, world: &mut World, inertia: &[f64], plain: bool) {
    let mut dof = 0;
    let place = |(b, j): (usize, &Joint)| {
        dof += j.kind.nv();
        (b, j.name.clone(), j.kind, inertia[dof - j.kind.nv()])
    };
    let all = world.joints().map(place).collect::<Vec<_>>();
    for k in 0..1 + random.modulo(4) {
        let (body, name, kind, inertia) = &all[random.modulo(all.len())];
        let index = world.bodies[*body].joints.iter().position(|j| j.name == *name).unwrap_or(0);
        let mut gear = [0.0; 6];
        for g in gear.iter_mut().take(kind.nv()) {
            *g = random.range(-1.0, 1.0);
        }
        let transmission = match random.modulo(if plain { 1 } else { 6 }) {
            3 if !world.tendons.is_empty() => {
                Transmission::Tendon { tendon: random.modulo(world.tendons.len()), gear: 1.0 }
            }
            4 if world.sites.len() > 1 => Transmission::Site {
                site: random.modulo(world.sites.len()),
                reference: random.one_in(2).then_some(0),
                gear: std::array::from_fn(|k| random.range(-1.0, 1.0) * [1.0, 0.01][k / 3]),
            },
            5 => Transmission::JointInParent { body: *body, joint: index, gear },
            _ => Transmission::Joint { body: *body, joint: index, gear },
        };
        // Forces that accelerate by some 10 m/s² or rad/s².
        let strength = match transmission {
            Transmission::Joint { .. } | Transmission::JointInParent { .. } => 2.0 * inertia,
            _ => 2.0 * world.bodies[*body].inertia.mass,
        };
        let name = format!("a{k}");
        let mut actuator = match random.modulo(4) {
            0 => Actuator::motor(name, transmission),
            1 => {
                let kp = strength * random.decades(1.0, 1e5);
                Actuator::position(name, transmission, kp, kp * random.decades(1e-3, 0.1))
            }
            2 => Actuator::velocity(name, transmission, strength * random.decades(0.1, 1e3)),
            _ if !plain && matches!(transmission, Transmission::Tendon { .. }) => {
                let mut actuator = Actuator::motor(name, transmission);
                actuator.dynamics = Dynamics::Muscle { rise: 0.01, fall: 0.04, smoothing: 0.0 };
                actuator.control_range = Some([0.0, 1.0]);
                actuator.muscle = Some(Muscle {
                    range: [0.75, 1.05],
                    force: 10.0 * strength,
                    scale: 200.0,
                    shortest: 0.5,
                    longest: 1.6,
                    fastest: 1.5,
                    passive: 1.3,
                    lengthening: 1.2,
                    length_range: Some([0.05, 0.6]),
                });
                actuator
            }
            _ => Actuator::motor(name, transmission),
        };
        if actuator.muscle.is_none() {
            actuator.gain[0] *= if actuator.bias == [0.0; 3] { 5.0 * strength } else { 1.0 };
            if random.one_in(2) {
                actuator.force_range = Some([-10.0 * strength, 10.0 * strength]);
            }
            if !plain {
                actuator.dynamics = match random.modulo(8) {
                    0 => Dynamics::Filter { time: random.decades(1e-3, 0.1) },
                    1 => Dynamics::ExactFilter { time: random.decades(1e-3, 0.1) },
                    2 => Dynamics::Integrator,
                    _ => Dynamics::None,
                };
            }
            if actuator.dynamics == Dynamics::Integrator {
                actuator.activation_range = Some([-1.0, 1.0]);
            }
        }
        world.actuators.push(actuator);
    }
    if plain {
        return; // continuous time reports no forces
    }
    let sense = |name: String, kind| Sensor { name, kind, cutoff: None, source: Source::default() };
    for actuator in 0..world.actuators.len() {
        world.sensors.push(sense(format!("f{actuator}"), SensorKind::ActuatorForce { actuator }));
    }
}
