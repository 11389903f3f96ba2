//! Exported models load back with the same physics: masses, poses, mass matrix, bias, actuators.

use nalgebra::{Matrix3, Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use stiction::model::{
    Actuator, Body, FrictionRule, Geom, Inertia, Joint, JointKind, Pose, Shape, Transmission, World,
};
use stiction::{Format, LoadOptions, Model, Options, Simulation, scenes};
use stiction_base::random::Random;
use stiction_formats::files::Memory;
use stiction_formats::{Export, export, load_with};

/// Random vectors and poses.
trait RandomMechanics {
    fn vector(&mut self) -> Vector3<f64>;
    fn direction(&mut self) -> Vector3<f64>;
    fn pose(&mut self) -> Pose;
}

impl RandomMechanics for Random {
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.sym(), self.sym(), self.sym())
    }

    fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector();
            if v.norm() > 0.1 {
                return v.normalize();
            }
        }
    }

    fn pose(&mut self) -> Pose {
        // Right angles are where roll, pitch and yaw are hardest to tell apart.
        let rotation = match self.below(3) {
            0 => UnitQuaternion::from_euler_angles(self.sym(), std::f64::consts::FRAC_PI_2, self.sym()),
            _ => UnitQuaternion::from_scaled_axis(self.vector() * 3.0),
        };
        Pose::from_parts(Translation3::from(self.vector()), rotation)
    }
}

/// A random tree; screws only for URDF, which has a word for them.
fn random_world(seed: u64, screws: bool) -> World {
    let mut n = Random(seed);
    let mut world = World::new("random");
    for b in 1..=1 + n.below(7) {
        let parent = n.below(b);
        let mut body = Body::new(format!("body_{b}"), parent);
        body.pose = n.pose();
        let root = nalgebra::Rotation3::from_scaled_axis(n.vector());
        let side = n.vector().map(|x| x * x + 0.1);
        // Moments of a box: they satisfy the triangle inequality.
        let moments = Vector3::new(side.y + side.z, side.x + side.z, side.x + side.y);
        let rotational = root * Matrix3::from_diagonal(&moments) * root.transpose();
        let rotational = (rotational + rotational.transpose()) * 0.5;
        body.inertia = Inertia { mass: 1.1 + n.sym(), com: n.vector(), rotational };
        for j in 0..n.below(3) {
            let (x, across) = (n.direction(), n.direction());
            let y = x.cross(&across).normalize();
            let kind = match n.below(if screws { 8 } else { 7 }) {
                0 | 1 => JointKind::Hinge { axis: x },
                2 => JointKind::Slide { axis: x },
                3 => JointKind::Cylindrical { axis: x },
                4 => JointKind::Universal { first: x, second: y },
                5 => JointKind::Planar { x, y },
                6 => JointKind::Ball,
                _ => JointKind::Screw { axis: x, pitch: n.sym() },
            };
            let mut joint = Joint::new(format!("joint_{b}_{j}"), kind);
            joint.anchor = if n.below(2) == 0 { n.vector() } else { Vector3::zeros() };
            if !matches!(kind, JointKind::Ball | JointKind::Screw { .. }) {
                joint.reference.iter_mut().for_each(|r| *r = n.sym());
            }
            if let [dof] = &mut joint.dofs[..] {
                (dof.damping, dof.lower, dof.upper) = (n.sym().abs(), -2.0, 3.0);
                if n.below(2) == 0 {
                    dof.armature = n.sym().abs();
                    let transmission =
                        Transmission::Joint { body: b, joint: j, gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0] };
                    let name = format!("motor_{b}_{j}");
                    world.actuators.push(match n.below(2) {
                        0 => Actuator::motor(name, transmission),
                        _ => Actuator::position(name, transmission, 10.0 + n.sym(), 1.5 + n.sym()),
                    });
                }
            }
            body.joints.push(joint);
        }
        if parent == 0 && body.joints.is_empty() && n.below(2) == 0 {
            body.joints.push(Joint::new(format!("free_{b}"), JointKind::Free));
        }
        let mut geom = Geom::new(format!("geom_{b}"), b, Shape::Sphere { radius: 0.1 });
        geom.pose = n.pose();
        world.geoms.push(geom);
        world.bodies.push(body);
    }
    sort(&mut world);
    world
}

/// Bodies depth first, as readers give them.
fn sort(world: &mut World) {
    let mut order = vec![0];
    let mut stack: Vec<usize> = children(world, 0);
    while let Some(b) = stack.pop() {
        order.push(b);
        stack.extend(children(world, b));
    }
    let place = |b: usize| order.iter().position(|&o| o == b).unwrap();
    let bodies: Vec<Body> = order
        .iter()
        .map(|&b| Body { parent: world.bodies[b].parent.map(place), ..world.bodies[b].clone() })
        .collect();
    world.geoms.iter_mut().for_each(|g| g.body = place(g.body));
    for actuator in &mut world.actuators {
        if let Transmission::Joint { body, .. } = &mut actuator.transmission {
            *body = place(*body);
        }
    }
    world.bodies = bodies;
}

fn children(world: &World, b: usize) -> Vec<usize> {
    let all = world.bodies.iter().enumerate().skip(1);
    all.filter(|(_, body)| body.parent == Some(b)).map(|(c, _)| c).rev().collect()
}

fn reload(exported: &Export, format: Format) -> Model {
    let name = if format == Format::Mjcf { "a.xml" } else { "a.urdf" };
    let mut files = Memory::default().with(name, exported.text.as_bytes());
    for (file, bytes) in &exported.files {
        files = files.with(file, bytes.as_slice());
    }
    let world = load_with(name, &files, &LoadOptions::default());
    Model::new(world.unwrap_or_else(|e| panic!("{e}\n{}", exported.text))).unwrap()
}

/// Largest difference relative to the size of what is compared.
fn difference<'x>(a: impl Iterator<Item = &'x f64>, b: impl Iterator<Item = &'x f64>) -> f64 {
    let (mut largest, mut scale) = (0.0f64, 1.0f64);
    for (x, y) in a.zip(b) {
        largest = largest.max((x - y).abs());
        scale = scale.max(x.abs());
    }
    largest / scale
}

/// Compares at random states; `same` says which joints of the first stand in the second.
fn assert_same_physics(world: &World, format: Format, seed: u64) {
    let model = Model::new(world.clone()).unwrap();
    let exported = export(world, format).unwrap();
    let again = reload(&exported, format);
    let context = || format!("{:?}\n{}", exported.losses, exported.text);
    assert_eq!((model.nq(), model.nv()), (again.nq(), again.nv()), "{}", context());
    assert!((model.total_mass() - again.total_mass()).abs() <= 1e-9 * model.total_mass(), "{}", context());
    let mut n = Random(seed);
    for _ in 0..3 {
        let mut q: Vec<f64> = (0..model.nq()).map(|_| n.sym()).collect();
        for joint in model.multibody().joints() {
            let at = joint.q.end - 4.min(joint.q.len());
            if joint.q.len() >= 4 {
                let norm = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
                q[at..at + 4].iter_mut().for_each(|x| *x /= norm);
            }
        }
        let v: Vec<f64> = (0..model.nv()).map(|_| n.sym()).collect();
        let (m, m2) = (model.mass_matrix(&q).unwrap(), again.mass_matrix(&q).unwrap());
        assert!(difference(m.iter(), m2.iter()) < 1e-9, "M: {}", context());
        let (b, b2) = (model.bias(&q, &v).unwrap(), again.bias(&q, &v).unwrap());
        assert!(difference(b.iter(), b2.iter()) < 1e-9, "bias: {}", context());
        let (w, w2) = (model.at(&q, &v).unwrap(), again.at(&q, &v).unwrap());
        let pose = |m: &Model, w: &_, b: usize| m.multibody().pose(w, b).to_homogeneous();
        for (k, body) in model.world().bodies.iter().enumerate() {
            let other = again
                .world()
                .body_index(&body.name)
                .unwrap_or_else(|| panic!("{}: {}", body.name, context()));
            let (x, x2) = (pose(&model, &w, k), pose(&again, &w2, other));
            assert!(difference(x.iter(), x2.iter()) < 1e-9, "pose of {}: {}", body.name, context());
        }
    }
    let law = |a: &Actuator| (a.gain, a.bias, a.dynamics, a.muscle);
    let forces = |m: &Model| m.world().actuators.iter().map(law).collect::<Vec<_>>();
    assert_eq!(forces(&model), forces(&again), "{}", context());
    let damping = |m: &Model| m.multibody().damping().to_vec();
    assert_eq!(damping(&model), damping(&again), "{}", context());
}

#[test]
fn scenes_exported_as_mjcf_load_back_to_the_same_physics() {
    for scene in scenes::all() {
        let world = Model::from_scene(scene.name).unwrap().world().clone();
        assert_same_physics(&world, Format::Mjcf, 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn random_trees_exported_as_mjcf_load_back_to_the_same_physics(seed in any::<u64>()) {
        assert_same_physics(&random_world(seed, false), Format::Mjcf, seed);
    }

    #[test]
    fn random_trees_exported_as_urdf_load_back_to_the_same_physics(seed in any::<u64>()) {
        assert_same_physics(&random_world(seed, true), Format::Urdf, seed);
    }
}

#[test]
fn a_negative_moment_is_an_error_only_where_the_mass_matrix_is_not_positive_definite() {
    let mut world = random_world(1, false);
    world.bodies.truncate(1);
    (world.geoms, world.actuators) = (Vec::new(), Vec::new());
    let mut base = Body::new("base", 0);
    base.inertia = Inertia { mass: 5.0, com: Vector3::zeros(), rotational: Matrix3::identity() };
    base.joints.push(Joint::new("free", JointKind::Free));
    let mut antenna = Body::new("antenna", 1);
    let diagonal = Vector3::new(1e-3, 1e-3, -1e-4);
    antenna.inertia =
        Inertia { mass: 0.1, com: Vector3::zeros(), rotational: Matrix3::from_diagonal(&diagonal) };
    world.bodies.extend([base, antenna]);
    assert!(Model::new(world.clone()).is_ok(), "the body it is welded to makes up for it");
    world.bodies[2].joints.push(Joint::new("spin", JointKind::Hinge { axis: Vector3::z() }));
    let error = Model::new(world).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("antenna") && error.contains("correct the inertia"), "{error}");
}

/// Positions and velocities after `steps` steps from the default state under these controls.
fn after(model: &Model, steps: usize, ctrl: f64) -> Vec<f64> {
    // Angles in URDF round poses: solved tightly, that does not show in how many iterations a step takes.
    let mut sim =
        Simulation::new(model, Options { relative_tolerance: 1e-12, ..Options::default() }).unwrap();
    sim.state_mut().ctrl.fill(ctrl);
    sim.step(steps).unwrap();
    sim.state().q.iter().chain(&sim.state().v).copied().collect()
}

/// Contact laws, compliant solids, pairs, couplings: what is written as MJCF moves as the scene does.
#[test]
fn scenes_exported_as_mjcf_move_as_they_did() {
    for scene in scenes::all() {
        let model = Model::from_scene(scene.name).unwrap();
        let exported = export(model.world(), Format::Mjcf).unwrap();
        let again = reload(&exported, Format::Mjcf);
        let (before, now) = (after(&model, 200, 0.0), after(&again, 200, 0.0));
        let apart = difference(before.iter(), now.iter());
        assert!(apart < 1e-9, "{}: {apart:e} apart; {:?}", scene.name, exported.losses);
    }
}

/// URDF cannot express every feature. A model exported without losses must move the same way.
#[test]
fn scenes_exported_as_urdf_move_as_they_did_or_say_why_not() {
    // Losses that do not affect the motion from the default state without controls.
    let harmless = ["keyframes", "sensors", "a plane is not part of URDF proper", "the ranges of actuator"];
    let mut faithful = Vec::new();
    for scene in scenes::all() {
        let mut world = Model::from_scene(scene.name).unwrap().world().clone();
        world.options.friction_rule = FrictionRule::HarmonicMean;
        world.options.gravity = Vector3::new(0.0, 0.0, -9.81);
        let exported = export(&world, Format::Urdf).unwrap();
        if exported.losses.iter().any(|loss| !harmless.iter().any(|h| loss.starts_with(h))) {
            continue;
        }
        faithful.push(scene.name);
        let (model, again) = (Model::new(world).unwrap(), reload(&exported, Format::Urdf));
        let apart = difference(after(&model, 200, 0.0).iter(), after(&again, 200, 0.0).iter());
        // Poses are written as angles and round: a box that starts just touching may touch one step later, after a fall of
        // g δt² = 1e-5 m.
        let bound = if scene.name == "incline" { 1e-5 } else { 1e-9 };
        assert!(apart < bound, "{}: {apart:e} apart; {:?}", scene.name, exported.losses);
    }
    assert!(faithful.len() >= 5, "only {faithful:?} can be said in URDF");
}

#[test]
fn an_actuator_on_several_coordinates_keeps_its_whole_gear() {
    let mut world = random_world(1, false);
    world.bodies.truncate(1);
    (world.geoms, world.actuators) = (Vec::new(), Vec::new());
    let mut body = Body::new("arm", 0);
    body.inertia = Inertia { mass: 1.0, com: Vector3::new(0.1, 0.2, 0.3), rotational: Matrix3::identity() };
    let kind = JointKind::Universal { first: Vector3::x(), second: Vector3::y() };
    body.joints.push(Joint::new("wrist", kind));
    world.bodies.push(body);
    let gear = [2.0, -3.0, 0.0, 0.0, 0.0, 0.0];
    world.actuators.push(Actuator::motor("both", Transmission::Joint { body: 1, joint: 0, gear }));
    let gear = [0.0, 5.0, 0.0, 0.0, 0.0, 0.0];
    world.actuators.push(Actuator::motor("second", Transmission::Joint { body: 1, joint: 0, gear }));
    let exported = export(&world, Format::Mjcf).unwrap();
    assert!(exported.losses.is_empty(), "{:?}", exported.losses);
    let (model, again) = (Model::new(world.clone()).unwrap(), reload(&exported, Format::Mjcf));
    assert!(difference(after(&model, 100, 0.7).iter(), after(&again, 100, 0.7).iter()) < 1e-9);
    // A servo at a site has no length, a tendon has one. This is reported.
    world.actuators[0].bias = [0.0, -1.0, 0.0];
    let losses = export(&world, Format::Mjcf).unwrap().losses;
    assert!(losses.iter().any(|l| l.contains("both") && l.contains("length")), "{losses:?}");
}

#[test]
fn contact_properties_that_mjcf_has_no_words_for_come_back() {
    let text = "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry><sphere><radius>0.1</radius></sphere>\
        </geometry><drake:proximity_properties><drake:mu_static>0.9</drake:mu_static><drake:mu_dynamic>0.5</drake:mu_dynamic>\
        <drake:hunt_crossley_dissipation>7</drake:hunt_crossley_dissipation></drake:proximity_properties></collision></link>\
        <link name='b'><pose>1 0 0 0 0 0</pose><collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model></sdf>";
    let model = Model::from_string(text, Format::Sdf, &LoadOptions::default()).unwrap();
    let exported = export(model.world(), Format::Mjcf).unwrap();
    let again = reload(&exported, Format::Mjcf);
    let contacts = |m: &Model| m.world().geoms.iter().map(|g| g.contact).collect::<Vec<_>>();
    assert_eq!(contacts(&model), contacts(&again), "{}", exported.text);
    assert_eq!(model.world().options.friction_rule, again.world().options.friction_rule);
    for part in ["static friction", "dissipation", "harmonic"] {
        assert!(exported.losses.iter().any(|l| l.contains(part)), "{part}: {:?}", exported.losses);
    }
}

/// Frames that only sensors see come back too: principal axes given, derived from one geom or from several, or in falling
/// order on the diagonal already; the frame of a mesh; cameras.
#[test]
fn what_sensors_read_survives_the_way_through_a_file() {
    let text = "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 2 0 0 0 3 1 1 1'/></asset><worldbody>
        <camera name='eye' pos='3 0 1' euler='80 0 90' resolution='640 480' fovy='50'/>
        <camera name='lens' pos='0 3 1' euler='80 0 10' resolution='320 200' focalpixel='300 250' sensorsize='0.01 0.02'/>
        <body name='given'><freejoint/><inertial pos='0.1 0 0' mass='2' quat='1 2 3 4' diaginertia='1 2 2.5'/><site name='s' pos='0.2 0.3 0'/></body>
        <body name='full'><freejoint/><inertial pos='0 0 0' mass='2' fullinertia='2 3 4 0.3 -0.2 0.5'/></body>
        <body name='one'><freejoint/><geom type='box' size='0.1 0.2 0.3' quat='4 3 2 1'/></body>
        <body name='two'><freejoint/><geom type='box' size='0.1 0.2 0.3'/><geom type='box' size='0.1 0.2 0.3' pos='1 0 0'/></body>
        <body name='mesh'><freejoint/><geom name='mesh' type='mesh' mesh='m' euler='10 20 30'/></body></worldbody>
        <actuator><position site='s' kp='3' dampratio='0.5' gear='1 0 0 0 0 0'/></actuator>
        <sensor><framequat name='a' objtype='body' objname='given'/><framexaxis name='b' objtype='body' objname='full'/>
        <framezaxis name='c' objtype='body' objname='one'/><frameyaxis name='d' objtype='body' objname='two'/>
        <framepos name='e' objtype='geom' objname='mesh' reftype='body' refname='given'/><framequat name='f' objtype='geom' objname='mesh'/>
        <framepos name='g' objtype='camera' objname='eye' reftype='body' refname='two'/>
        <camprojection name='h' site='s' camera='eye'/><camprojection name='i' site='s' camera='lens'/></sensor></mujoco>";
    let model = Model::from_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let exported = export(model.world(), Format::Mjcf).unwrap();
    assert_eq!(exported.losses, Vec::<String>::new());
    let back = reload(&exported, Format::Mjcf);
    let mut state = model.default_state();
    let mut n = Random(7);
    state.q.iter_mut().chain(&mut state.v).for_each(|x| *x += 0.3 * n.sym());
    for joint in model.multibody().joints() {
        let quaternion = &mut state.q[joint.q.start + 3..joint.q.end];
        let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
        quaternion.iter_mut().for_each(|x| *x /= norm);
    }
    let read = |model: &Model| {
        let mut simulation = Simulation::new(model, Options::default()).unwrap();
        *simulation.state_mut() = state.clone();
        let readings = |name: &str| simulation.sensor(name).unwrap().to_vec();
        let mut all: Vec<f64> = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(readings).concat();
        all.extend(model.actuator_forces(&state.q, &state.v, &[0.4], &[]).unwrap());
        all
    };
    let (before, after) = (read(&model), read(&back));
    assert!(difference(before.iter(), after.iter()) < 1e-9, "{before:?}\n{after:?}");
}
