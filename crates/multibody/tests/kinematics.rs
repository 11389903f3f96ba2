//! Poses, twists, accelerations and Jacobians against differences of each other.

mod common;
use common::{Case, RandomMechanics, max_abs, random_q};
use nalgebra::{Vector3, Vector6};
use proptest::prelude::*;
use stiction_model::Pose;

/// Central difference of a pose as a twist [angular; linear of the origin], world axes.
fn pose_rate(before: &Pose, after: &Pose, h: f64) -> Vector6<f64> {
    let turn = (after.rotation * before.rotation.inverse()).scaled_axis() / h;
    let shift = (after.translation.vector - before.translation.vector) / h;
    Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn twists_are_rates_of_poses(seed: u64) {
        let case = Case::new(seed);
        let h = 1e-5;
        let (before, after) = (case.at(&case.moved(&case.v, -h), &case.v), case.at(&case.moved(&case.v, h), &case.v));
        for body in 0..case.mb.body_count() {
            let rate = pose_rate(&case.mb.pose(&before, body), &case.mb.pose(&after, body), 2.0 * h);
            let twist = case.mb.twist(&case.ws, body);
            prop_assert!((rate - twist).abs().max() <= 1e-7 * (1.0 + twist.abs().max()));
        }
    }

    #[test]
    fn accelerations_are_rates_of_twists(seed: u64) {
        let mut case = Case::new(seed);
        let vdot = case.r.vector(case.nv());
        case.mb.accelerations(&vdot, &mut case.ws);
        let h = 1e-5;
        let state = |h: f64| {
            let v: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + h * a).collect();
            let mid: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + 0.5 * h * a).collect();
            case.at(&case.moved(&mid, h), &v)
        };
        let (before, after) = (state(-h), state(h));
        for body in 0..case.mb.body_count() {
            let rate = (case.mb.twist(&after, body) - case.mb.twist(&before, body)) / (2.0 * h);
            let acceleration = case.mb.acceleration(&case.ws, body);
            prop_assert!((rate - acceleration).abs().max() <= 1e-6 * (1.0 + acceleration.abs().max()));
        }
    }

    /// Inverse and forward dynamics leave the same accelerations behind as the plain recursion.
    #[test]
    fn dynamics_leave_the_accelerations_behind(seed: u64) {
        let mut case = Case::new(seed);
        let tau = case.r.vector(case.nv());
        let vdot = case.aba(&tau);
        let bodies = case.mb.body_count();
        let forward: Vec<_> = (0..bodies).map(|b| case.mb.acceleration(&case.ws, b)).collect();
        case.mb.accelerations(&vdot, &mut case.ws);
        let plain: Vec<_> = (0..bodies).map(|b| case.mb.acceleration(&case.ws, b)).collect();
        case.rnea(&vdot);
        for b in 0..bodies {
            let scale = 1.0 + max_abs(&vdot) + plain[b].abs().max();
            prop_assert!((forward[b] - plain[b]).abs().max() <= 1e-11 * scale);
            prop_assert!((case.mb.acceleration(&case.ws, b) - plain[b]).abs().max() <= 1e-12 * scale);
        }
    }

    #[test]
    fn jacobian_columns_are_rates_of_poses(seed: u64) {
        let case = Case::new(seed);
        let h = 1e-5;
        for i in 0..case.nv() {
            let mut unit = vec![0.0; case.nv()];
            unit[i] = 1.0;
            let (before, after) = (case.at(&case.moved(&unit, -h), &unit), case.at(&case.moved(&unit, h), &unit));
            for body in 0..case.mb.body_count() {
                let jacobian = case.mb.full_jacobian(&case.ws, body, &case.mb.origin(&case.ws, body));
                let rate = pose_rate(&case.mb.pose(&before, body), &case.mb.pose(&after, body), 2.0 * h);
                prop_assert!((rate - jacobian.column(i)).abs().max() <= 1e-7 * (1.0 + rate.abs().max()));
            }
        }
    }

    #[test]
    fn jacobian_times_v_is_the_velocity_of_the_point(seed: u64) {
        let mut case = Case::new(seed);
        let v = nalgebra::DVector::from_vec(case.v.clone());
        for body in 0..case.mb.body_count() {
            let point = case.mb.pose(&case.ws, body) * nalgebra::Point3::from(case.r.vec());
            let jacobian = case.mb.full_jacobian(&case.ws, body, &point.coords);
            let twist = &jacobian * &v;
            let velocity = case.mb.point_velocity(&case.ws, body, &point.coords);
            let scale = 1.0 + twist.abs().max();
            prop_assert!((twist.fixed_rows::<3>(3) - velocity).abs().max() <= 1e-13 * scale);
            let angular = case.mb.twist(&case.ws, body).fixed_rows::<3>(0).into_owned();
            prop_assert!((twist.fixed_rows::<3>(0) - angular).abs().max() <= 1e-13 * scale);
            let rows = case.mb.point_jacobian(&case.ws, body, &point.coords);
            prop_assert_eq!(rows, jacobian.fixed_rows::<3>(3));
            // Its transpose carries wrenches to joint forces.
            let wrench = Vector6::from_fn(|_, _| case.r.sym());
            let mut tau = vec![0.0; case.nv()];
            case.mb.add_wrench(&case.ws, body, &point.coords, &wrench, &mut tau);
            let expected = jacobian.transpose() * wrench;
            prop_assert!(common::relative(&tau, expected.as_slice(), 1.0) <= 1e-12);
        }
    }

    /// Poses by direct composition of the description, joint after joint, as its definition says.
    #[test]
    fn poses_compose_as_described(seed: u64) {
        use stiction_model::JointKind::*;
        let case = Case::new(seed);
        let mut poses = vec![Pose::identity()];
        let mut joints = case.mb.joints().iter();
        for (b, body) in case.world.bodies.iter().enumerate().skip(1) {
            let mut x = poses[body.parent.unwrap()] * body.pose;
            for joint in &body.joints {
                let info = joints.next().unwrap();
                let q = &case.q[info.q.clone()];
                let d: Vec<f64> = q.iter().zip(&joint.reference).map(|(q, r)| q - r).collect();
                let hinge = |a: Vector3<f64>, t: f64| Pose::rotation(a * t);
                let slide = |a: Vector3<f64>, t: f64| Pose::from_parts((a * t).into(), nalgebra::UnitQuaternion::identity());
                let quat = |q: &[f64]| nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]));
                let motion = match joint.kind {
                    Hinge { axis } => hinge(axis, d[0]),
                    Slide { axis } => slide(axis, d[0]),
                    Screw { axis, pitch } => hinge(axis, d[0]) * slide(axis, d[0] * pitch / std::f64::consts::TAU),
                    Cylindrical { axis } => slide(axis, d[0]) * hinge(axis, d[1]),
                    Universal { first, second } => hinge(first, d[0]) * hinge(second, d[1]),
                    Planar { x, y } => slide(x, d[0]) * slide(y, d[1]) * hinge(x.cross(&y), d[2]),
                    Ball => Pose::from_parts(Vector3::zeros().into(), quat(q)),
                    Free => {
                        x = Pose::from_parts(Vector3::new(q[0], q[1], q[2]).into(), quat(&q[3..]));
                        continue;
                    }
                };
                let anchor = slide(joint.anchor, 1.0);
                x = x * anchor * motion * anchor.inverse();
            }
            let ours = case.mb.pose(&case.ws, b);
            prop_assert!((ours.to_homogeneous() - x.to_homogeneous()).abs().max() <= 1e-13);
            poses.push(x);
        }
    }

    #[test]
    fn difference_undoes_integrate(seed: u64) {
        let mut case = Case::new(seed);
        let mut out = vec![0.0; case.nv()];
        case.mb.difference(&case.moved(&case.v, 0.7), &case.q, &mut out);
        let expected: Vec<f64> = case.v.iter().map(|v| 0.7 * v).collect();
        prop_assert!(common::relative(&out, &expected, 1.0) <= 1e-14);
        let q1 = random_q(&case.mb, &mut case.r);
        case.mb.difference(&q1, &case.q, &mut out);
        let there = case.at(&case.moved(&out, 1.0), &case.v);
        let direct = case.at(&q1, &case.v);
        for b in 0..case.mb.body_count() {
            let gap = case.mb.pose(&there, b).to_homogeneous() - case.mb.pose(&direct, b).to_homogeneous();
            prop_assert!(gap.abs().max() <= 1e-13);
        }
    }
}
