//! Welds, stacked and composite joints, locks, mocap bodies, coordinates.

mod common;
use common::{Case, Random, RandomMechanics, max_abs, random_world, relative};
use nalgebra::{UnitQuaternion, Vector3, Vector6};
use proptest::prelude::*;
use stiction_model::{Body, Inertia, Joint, JointKind, Pose, World};
use stiction_multibody::{Factor, Multibody, QuaternionStep, Workspace};

/// The same world with every composite joint written as the sequence of its parts.
fn spelled_out(world: &World) -> World {
    let mut out = world.clone();
    for body in &mut out.bodies {
        let mut joints = Vec::new();
        for joint in &body.joints {
            let parts = match joint.kind {
                JointKind::Cylindrical { axis } => vec![JointKind::Slide { axis }, JointKind::Hinge { axis }],
                JointKind::Universal { first, second } => {
                    vec![JointKind::Hinge { axis: first }, JointKind::Hinge { axis: second }]
                }
                JointKind::Planar { x, y } => vec![
                    JointKind::Slide { axis: x },
                    JointKind::Slide { axis: y },
                    JointKind::Hinge { axis: x.cross(&y).normalize() },
                ],
                _ => {
                    joints.push(joint.clone());
                    continue;
                }
            };
            for (k, kind) in parts.into_iter().enumerate() {
                let mut part = Joint::new(format!("{} {k}", joint.name), kind);
                part.anchor = joint.anchor;
                part.dofs = vec![joint.dofs[k]];
                part.reference = vec![joint.reference[k]];
                joints.push(part);
            }
        }
        body.joints = joints;
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn composite_joints_equal_their_parts_in_sequence(seed: u64) {
        let world = random_world(seed);
        let (mut a, mut b) = (Case::of(world.clone(), seed), Case::of(spelled_out(&world), seed));
        b.q = a.q.clone();
        b.ws = b.at(&b.q, &a.v);
        let tau = a.r.vector(a.nv());
        prop_assert_eq!(a.rnea(&tau), b.rnea(&tau));
        prop_assert_eq!(a.aba(&tau), b.aba(&tau));
    }

    #[test]
    fn coordinates_turn_bodies_or_move_them_along_as_their_kind_says(seed: u64) {
        let case = Case::of(random_world(seed), seed);
        for joint in case.mb.joints() {
            let range = case.mb.trees()[case.mb.body_tree(joint.body).unwrap()].v.clone();
            let mut columns = vec![[0.0; 6]; range.len()];
            let point = case.mb.origin(&case.ws, joint.body);
            case.mb.body_jacobian(&case.ws, joint.body, &point, &mut columns);
            let mut along = false;
            for (k, v) in joint.v.clone().enumerate() {
                let [wx, wy, wz, ..] = columns[v - range.start];
                let spin = Vector3::new(wx, wy, wz).norm();
                let turns = joint.kind.turns(k);
                prop_assert!((spin - f64::from(u8::from(turns))).abs() < 1e-9, "{:?} {k}: {spin}", joint.kind);
                along |= !turns;
            }
            prop_assert_eq!(joint.kind.translates(), along || joint.kind.word() == "screw");
        }
    }

    /// A body cut in two halves welded together moves as before.
    #[test]
    fn welded_parts_act_as_one_body(seed: u64) {
        let world = random_world(seed);
        let mut cut = World::new("cut");
        cut.options = world.options.clone();
        let mut new_index = vec![0];
        let r = &mut Random(seed);
        for body in world.bodies.iter().skip(1) {
            let mut first = body.clone();
            first.parent = Some(new_index[body.parent.unwrap()]);
            first.inertia.mass *= 0.5;
            first.inertia.rotational *= 0.5;
            let index = cut.bodies.len();
            let mut second = Body::new(format!("{} half", body.name), index);
            second.pose = r.pose();
            let back = second.pose.inverse();
            let turn = back.rotation.to_rotation_matrix();
            let rotational = turn * first.inertia.rotational * turn.inverse();
            second.inertia = Inertia {
                mass: first.inertia.mass,
                com: (back * nalgebra::Point3::from(body.inertia.com)).coords,
                rotational: 0.5 * (rotational + rotational.transpose()),
            };
            new_index.push(index);
            cut.bodies.push(first);
            cut.bodies.push(second);
        }
        let (mut a, mut b) = (Case::of(world, seed), Case::of(cut, seed));
        prop_assert!((a.mb.total_mass() - b.mb.total_mass()).abs() < 1e-12);
        let tau = a.r.vector(a.nv());
        prop_assert!(relative(&a.rnea(&tau), &b.rnea(&tau), 1.0) <= 1e-12);
        let m = a.mass().to_dense();
        prop_assert!((&m - b.mass().to_dense()).iter().all(|d| d.abs() <= 1e-12 * (1.0 + m.abs().max())));
        for (old, &new) in new_index.iter().enumerate().skip(1) {
            prop_assert!((a.mb.pose(&a.ws, old).to_homogeneous() - b.mb.pose(&b.ws, new).to_homogeneous()).abs().max() < 1e-13);
            // The half turns with its body.
            let spin = |body: usize| b.mb.twist(&b.ws, body).fixed_rows::<3>(0).into_owned();
            prop_assert!((spin(new) - spin(new + 1)).norm() < 1e-13);
        }
    }

    /// Locked coordinates do not accelerate; the others obey their own rows of the equations of motion.
    #[test]
    fn locked_joints_stay_and_the_rest_obeys(seed: u64) {
        let mut world = random_world(seed);
        let r = &mut Random(seed ^ 7);
        for joint in world.bodies.iter_mut().flat_map(|b| &mut b.joints) {
            joint.locked = r.modulo(3) == 0;
        }
        let mut case = Case::of(world, seed);
        for i in 0..case.nv() {
            if case.mb.locked()[i] {
                case.v[i] = 0.0;
            }
        }
        case.ws = case.at(&case.q, &case.v);
        let tau = case.r.vector(case.nv());
        let vdot = case.aba(&tau);
        let need = case.rnea(&vdot);
        let mass = case.mass();
        let scale = 1.0 + mass.to_dense().iter().fold(0.0f64, |m, x| m.max(x.abs())) * max_abs(&vdot);
        // The factor solves the same reduced problem.
        let mut factor = Factor::new(&case.mb);
        prop_assert!(factor.compute(&mass, &[]));
        let mut x = vec![0.0; case.nv()];
        case.mb.bias(&mut case.ws, &mut x);
        for i in 0..case.nv() {
            x[i] = tau[i] - x[i];
        }
        factor.solve(&mut x);
        let from_factor = case.rnea(&x);
        for i in 0..case.nv() {
            if case.mb.locked()[i] {
                prop_assert_eq!(vdot[i], 0.0);
                prop_assert_eq!(x[i], 0.0);
            } else {
                prop_assert!((need[i] - tau[i]).abs() <= 1e-10 * scale);
                prop_assert!((from_factor[i] - tau[i]).abs() <= 1e-10 * (scale + max_abs(&x)));
            }
        }
    }

    #[test]
    fn coordinates_of_trees_are_contiguous_and_uncoupled(seed: u64) {
        let mut case = Case::new(seed);
        prop_assert_eq!(case.mb.nq(), case.world.nq());
        prop_assert_eq!(case.nv(), case.world.nv());
        let (mut q, mut v) = (0, 0);
        for tree in case.mb.trees() {
            prop_assert_eq!((tree.q.start, tree.v.start), (q, v));
            prop_assert!(tree.v.end > tree.v.start);
            (q, v) = (tree.q.end, tree.v.end);
        }
        prop_assert_eq!((q, v), (case.mb.nq(), case.nv()));
        let mass = case.mass();
        for (t, tree) in case.mb.trees().iter().enumerate() {
            let block = mass.lower_block(t);
            let n = tree.v.len();
            for i in 0..n {
                for j in 0..=i {
                    prop_assert_eq!(block[i * n + j], mass.get(tree.v.start + i, tree.v.start + j));
                }
            }
        }
        for joint in case.mb.joints() {
            let tree = case.mb.body_tree(joint.body).unwrap();
            let range = &case.mb.trees()[tree].v;
            prop_assert!(range.contains(&joint.v.start) && joint.v.end <= range.end);
        }
    }

    #[test]
    fn default_positions_put_bodies_where_they_are_described(seed: u64) {
        let world = random_world(seed);
        let mb = Multibody::new(&world).unwrap();
        let ws = Workspace::new(&mb);
        let mut poses = vec![Pose::identity()];
        for (b, body) in world.bodies.iter().enumerate().skip(1) {
            poses.push(poses[body.parent.unwrap()] * body.pose);
            prop_assert!((mb.pose(&ws, b).to_homogeneous() - poses[b].to_homogeneous()).abs().max() < 1e-13);
        }
    }
}

/// A random chain on a mocap body, and the mocap body's motion at a time.
fn carried(seed: u64) -> World {
    let mut world = random_world(seed);
    for body in &mut world.bodies[1..] {
        body.parent = body.parent.map(|p| p + 1);
        if body.joints.iter().any(|j| j.kind == JointKind::Free) {
            body.joints = vec![Joint::new(format!("{} pin", body.name), JointKind::Ball)];
        }
    }
    let mut cart = Body::new("cart", 0);
    cart.mocap = true;
    world.bodies.insert(1, cart);
    world
}

#[test]
fn bodies_on_a_moving_mocap_body_move_with_it() {
    for seed in 0..60 {
        let mut case = Case::of(carried(seed), seed);
        assert_eq!(case.mb.mocap_bodies(), &[1]);
        let (start, twist) = (case.r.pose(), Vector6::from_fn(|_, _| case.r.sym()));
        let vdot = case.r.vector(case.nv());
        let cart = |t: f64| {
            let turn = UnitQuaternion::from_scaled_axis(t * twist.fixed_rows::<3>(0));
            let shift = start.translation.vector + t * twist.fixed_rows::<3>(3);
            Pose::from_parts(shift.into(), turn * start.rotation)
        };
        let state = |t: f64| {
            let mut ws = case.ws.clone();
            ws.set_mocap(0, &cart(t), &twist);
            let v: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + t * a).collect();
            let mid: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + 0.5 * t * a).collect();
            case.mb.positions(&case.moved(&mid, t), &mut ws);
            case.mb.velocities(&v, &mut ws);
            case.mb.accelerations(&vdot, &mut ws);
            ws
        };
        let h = 1e-5;
        let (before, now, after) = (state(-h), state(0.0), state(h));
        for b in 1..case.mb.body_count() {
            let (x0, x1) = (case.mb.pose(&before, b), case.mb.pose(&after, b));
            let turn = (x1.rotation * x0.rotation.inverse()).scaled_axis() / (2.0 * h);
            let shift = (x1.translation.vector - x0.translation.vector) / (2.0 * h);
            let twist = case.mb.twist(&now, b);
            assert!((turn - twist.fixed_rows::<3>(0)).norm() < 1e-7 * (1.0 + twist.norm()));
            assert!((shift - twist.fixed_rows::<3>(3)).norm() < 1e-7 * (1.0 + twist.norm()));
            let rate = (case.mb.twist(&after, b) - case.mb.twist(&before, b)) / (2.0 * h);
            let acceleration = case.mb.acceleration(&now, b);
            assert!(
                (rate - acceleration).norm() < 1e-6 * (1.0 + acceleration.norm()),
                "seed {seed} body {b}"
            );
        }
    }
}

/// A turntable that turns at a steady rate, once as a mocap body and once as a hinge that is driven.
#[test]
fn a_mocap_turntable_equals_a_driven_hinge() {
    for seed in 0..60 {
        let mocap = carried(seed);
        let mut driven = mocap.clone();
        driven.bodies[1].mocap = false;
        let mut hinge = Joint::new("drive", JointKind::Hinge { axis: Vector3::z() });
        hinge.dofs[0].armature = 1.0;
        driven.bodies[1].joints.push(hinge);
        let (mut a, mut b) = (Case::of(mocap, seed), Case::of(driven, seed));
        let (angle, rate) = (0.4, 1.3);
        let turn = Pose::rotation(Vector3::z() * angle);
        a.ws.set_mocap(0, &turn, &Vector6::new(0.0, 0.0, rate, 0.0, 0.0, 0.0));
        a.mb.positions(&a.q, &mut a.ws);
        a.mb.velocities(&a.v, &mut a.ws);
        let with_drive = |first: f64, rest: &[f64]| [&[first], rest].concat();
        b.q = with_drive(angle, &a.q);
        b.v = with_drive(rate, &a.v);
        b.ws = b.at(&b.q, &b.v);
        let vdot = a.r.vector(a.nv());
        let (ours, theirs) = (a.rnea(&vdot), b.rnea(&with_drive(0.0, &vdot)));
        assert!(relative(&ours, &theirs[1..], 1.0) < 1e-12, "seed {seed}");
    }
}

#[test]
fn projected_quaternions_turn_by_twice_the_arctangent_of_half_the_angle() {
    let mut world = World::new("ball");
    let inertia = Inertia { mass: 1.0, com: Vector3::zeros(), rotational: nalgebra::Matrix3::identity() };
    world.bodies.push(common::jointed("ball", 0, JointKind::Ball, inertia));
    let mb = Multibody::new(&world).unwrap();
    let (w, dt) = ([0.3, -0.8, 0.5], 0.7f64);
    let speed: f64 = Vector3::from(w).norm();
    let mut q = [0.0; 4];
    let mut back = [0.0; 3];
    for (how, angle) in [
        (QuaternionStep::Exponential, dt * speed),
        (QuaternionStep::Projected, 2.0 * (0.5 * dt * speed).atan()),
    ] {
        mb.integrate(mb.default_q(), &w, dt, how, &mut q);
        mb.difference(&q, mb.default_q(), &mut back);
        let expected = Vector3::from(w) / speed * angle;
        assert!((Vector3::from(back) - expected).norm() < 1e-15);
    }
}

#[test]
fn a_compiled_world_can_be_shared_between_threads() {
    fn shareable<T: Send + Sync>(_: &T) {}
    let mb = Multibody::new(&random_world(1)).unwrap();
    shareable(&mb);
    shareable(&Workspace::new(&mb));
}
