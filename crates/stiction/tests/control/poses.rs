//! Inverse kinematics within limits, and paths of joints and poses with their derivatives.

use crate::arm;
use crate::common::{model, simulation};
use nalgebra::{UnitQuaternion, Vector3, Vector6};
use proptest::prelude::*;
use stiction::control::{
    IkSettings, InverseKinematics, JointControlLaw, JointPath, JointPoint, Joints, PosePath, PosePoint,
    PoseServo, PoseTracking,
};
use stiction::model::Pose;
use stiction::{Model, Options};

/// An arm that reaches every pose nearby: six hinges.
fn six() -> Model {
    let mut text = String::new();
    let axes = ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"];
    for (k, axis) in axes.iter().enumerate() {
        text += &format!(
            "<body pos=\"0.15 0 0.02\"><joint name=\"j{k}\" axis=\"{axis}\" range=\"-100 100\"/>\
             <geom type=\"sphere\" size=\"0.03\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>"
        );
    }
    text += "<site name=\"tip\" pos=\"0.1 0 0\"/>";
    text += &"</body>".repeat(6);
    let servo = |k: usize| format!("<position joint=\"j{k}\" kp=\"500\" kv=\"40\"/>");
    model(&text, &format!("<actuator>{}</actuator>", (0..6).map(servo).collect::<String>()))
}

fn six_joints(model: &Model) -> Joints {
    Joints::new(model, &["j0", "j1", "j2", "j3", "j4", "j5"]).unwrap()
}

pub fn pose(p: [f64; 3], turn: [f64; 3]) -> Pose {
    Pose::from_parts(Vector3::from(p).into(), UnitQuaternion::from_scaled_axis(turn.into()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn inverse_kinematics_keeps_limits_exactly_and_is_damped_least_squares_within(
        q in proptest::collection::vec(-1.74f64..1.74, 6),
        p in proptest::array::uniform3(-1.0f64..1.0),
        turn in proptest::array::uniform3(-2.0f64..2.0),
        speed in 0.05f64..3.0,
    ) {
        let model = six();
        let joints = six_joints(&model).with_speed_limits(&[speed; 6]).unwrap();
        let settings = IkSettings { damping: 0.02, linear_speed: 1e9, angular_speed: 1e9, ..IkSettings::default() };
        let mut ik = InverseKinematics::of_site(&model, joints.clone(), "tip", settings.clone()).unwrap();
        let (target, period) = (PosePoint::rest(pose(p, turn)), 0.1);
        let mut v = [0.0; 6];
        ik.solve(&model, &q, &[], &target, period, &mut v).unwrap();
        for (joint, (v, q)) in joints.iter().zip(v.iter().zip(&q)) {
            prop_assert!(v.abs() <= speed);
            let next = q + period * v;
            prop_assert!(next >= joint.lower - 1e-15 && next <= joint.upper + 1e-15);
        }
        // Without limits: (JᵀW J + λ²) v = JᵀW V, here with angles times the length.
        let mut free = InverseKinematics::of_site(&model, six_joints(&model), "tip", settings).unwrap();
        free.solve(&model, &[0.1, 0.2, -0.3, 0.4, 0.5, -0.2], &[], &target, 0.0, &mut v).unwrap();
        let ws = model.at(&[0.1, 0.2, -0.3, 0.4, 0.5, -0.2], &[0.0; 6]).unwrap();
        let x = free.pose(&model, &[0.1, 0.2, -0.3, 0.4, 0.5, -0.2], &[]);
        let mut j = model.multibody().full_jacobian(&ws, 6, &x.translation.vector);
        let turn = (target.pose.rotation * x.rotation.inverse()).scaled_axis();
        let shift = target.pose.translation.vector - x.translation.vector;
        let mut wanted = 10.0 * Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
        for k in 0..3 {
            wanted[k] *= 0.1;
            j.row_mut(k).scale_mut(0.1);
        }
        let least = j.clone().svd(false, false).singular_values.min() / 0.03;
        let damping = 0.02 * 0.02 * (1e-4 + (1.0 - least * least).max(0.0));
        let h = j.transpose() * &j + nalgebra::DMatrix::identity(6, 6) * damping;
        let expected = h.lu().solve(&(j.transpose() * wanted)).unwrap();
        for k in 0..6 {
            prop_assert!((v[k] - expected[k]).abs() < 1e-8 * (1.0 + expected.norm()), "{v:?} {expected}");
        }
    }

    #[test]
    fn poses_the_arm_has_had_are_reached_again(q in proptest::collection::vec(-1.2f64..1.2, 6)) {
        let model = six();
        let mut ik =
            InverseKinematics::of_site(&model, six_joints(&model), "tip", IkSettings::default()).unwrap();
        let target = ik.pose(&model, &q, &[]);
        let near: Vec<f64> = q.iter().map(|q| 0.7 * q).collect();
        if let Some(found) = ik.reach(&model, &near, &[], &target) {
            let have = ik.pose(&model, &found, &[]);
            prop_assert!((have.translation.vector - target.translation.vector).norm() < 2e-6);
            prop_assert!(have.rotation.angle_to(&target.rotation) < 2e-6);
        } else {
            // Only where the search runs into a limit or a singular position on its way.
            let ws = model.at(&q, &[0.0; 6]).unwrap();
            let j = model.multibody().full_jacobian(&ws, 6, &target.translation.vector);
            let least = j.svd(false, false).singular_values.min();
            prop_assert!(least < 0.05, "a regular pose was not found: {q:?} {least}");
        }
    }

    #[test]
    fn pose_paths_have_the_twist_of_their_motion(
        turns in proptest::collection::vec(proptest::array::uniform3(-1.5f64..1.5), 4),
        time in 0.01f64..2.99,
        cubic in proptest::bool::ANY,
    ) {
        let poses: Vec<Pose> =
            turns.iter().enumerate().map(|(k, t)| pose([t[1], k as f64, t[0] * t[2]], *t)).collect();
        let times = [0.0, 0.8, 2.0, 3.0];
        let path =
            if cubic { PosePath::cubic(&times, &poses) } else { PosePath::minimum_jerk(&times, &poses) }.unwrap();
        // Keep away from keyframes, where the second derivative of a difference is not small.
        prop_assume!(times.iter().all(|t| (t - time).abs() > 1e-4));
        let h = 1e-6;
        let (before, after) = (path.at(time - h).pose, path.at(time + h).pose);
        let spin = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * h);
        let speed = (after.translation.vector - before.translation.vector) / (2.0 * h);
        let twist = path.at(time).twist;
        prop_assert!((spin - twist.fixed_rows::<3>(0)).norm() < 1e-6, "{spin} {twist}");
        prop_assert!((speed - twist.fixed_rows::<3>(3)).norm() < 1e-6);
        for (t, pose) in times.iter().zip(&poses) {
            let at = path.at(*t);
            prop_assert!((at.pose.translation.vector - pose.translation.vector).norm() < 1e-12);
            prop_assert!(at.pose.rotation.angle_to(&pose.rotation) < 1e-7);
        }
        // Velocities are continuous at the inner keyframes, and zero at the ends.
        for t in times {
            let jump = path.at(t - 1e-9).twist - path.at(t + 1e-9).twist;
            prop_assert!(jump.norm() < 1e-5, "{jump}");
        }
    }

    #[test]
    fn joint_paths_have_the_derivatives_they_say(
        values in proptest::collection::vec(-2.0f64..2.0, 5),
        time in 0.01f64..3.99,
        cubic in proptest::bool::ANY,
    ) {
        let times = [0.0, 0.5, 1.7, 3.0, 4.0];
        let points: Vec<Vec<f64>> = values.iter().map(|x| vec![*x]).collect();
        let path =
            if cubic { JointPath::cubic(&times, &points) } else { JointPath::minimum_jerk(&times, &points) }.unwrap();
        prop_assume!(times.iter().all(|t| (t - time).abs() > 1e-4));
        let at = |t: f64| {
            let mut point = JointPoint::default();
            path.at(t, &mut point);
            [point.q[0], point.v[0], point.a[0]]
        };
        let h = 1e-6;
        for k in 0..2 {
            let slope = (at(time + h)[k] - at(time - h)[k]) / (2.0 * h);
            let scale = 1.0 + at(time)[2].abs();
            prop_assert!((slope - at(time)[k + 1]).abs() < 1e-5 * scale, "{k}: {slope} {:?}", at(time));
        }
        for (t, x) in times.iter().zip(&values) {
            prop_assert!((at(*t)[0] - x).abs() < 1e-12);
        }
        // Positions and velocities, and inside also accelerations, are continuous.
        for t in &times[1..4] {
            let (before, after) = (at(t - 1e-9), at(t + 1e-9));
            prop_assert!((0..3).all(|k| (before[k] - after[k]).abs() < 1e-5), "{before:?} {after:?}");
        }
    }
}

#[test]
fn paths_refuse_times_that_do_not_increase() {
    let text = |e: stiction::InputError| e.to_string();
    let points = vec![vec![0.0], vec![1.0]];
    assert!(text(JointPath::cubic(&[1.0, 1.0], &points).unwrap_err()).contains("increase"));
    assert!(text(JointPath::minimum_jerk(&[0.0], &points).unwrap_err()).contains("needs 2"));
    assert!(text(JointPath::minimum_jerk(&[], &[]).unwrap_err()).contains("at least one"));
    let nan = vec![vec![0.0], vec![f64::NAN]];
    assert!(text(JointPath::minimum_jerk(&[0.0, 1.0], &nan).unwrap_err()).contains("NaN"));
    assert!(text(PosePath::at_speed(0.0, &[Pose::identity()], 0.0, 1.0).unwrap_err()).contains("speeds"));
}

#[test]
fn a_path_at_speed_peaks_at_that_speed() {
    let poses =
        [pose([0.0; 3], [0.0; 3]), pose([0.3, 0.0, 0.4], [0.0; 3]), pose([0.3, 0.0, 0.4], [0.0, 1.0, 0.0])];
    let path = PosePath::at_speed(1.0, &poses, 0.25, 2.0).unwrap();
    assert!((path.end() - 1.0 - 1.875 * (0.5 / 0.25 + 1.0 / 2.0)).abs() < 1e-12);
    let times = (0..=1000).map(|k| path.at(1.0 + (path.end() - 1.0) * f64::from(k) / 1000.0).twist);
    let (mut linear, mut angular) = (0.0f64, 0.0f64);
    for twist in times {
        linear = linear.max(twist.fixed_rows::<3>(3).norm());
        angular = angular.max(twist.fixed_rows::<3>(0).norm());
    }
    assert!((linear - 0.25).abs() < 1e-4 && (angular - 2.0).abs() < 1e-3, "{linear} {angular}");
}

#[test]
fn a_frame_follows_a_path_of_poses() {
    let model = six();
    let joints = six_joints(&model);
    let mut servo =
        PoseServo::new(&model, &joints, "tip", IkSettings::default(), JointControlLaw::ServoFeedForward)
            .unwrap();
    let mut sim = simulation(&model, Options { step: 1e-3, ..Options::default() });
    sim.state_mut().q.copy_from_slice(&[0.2, -0.9, 1.5, 0.3, 0.8, -0.2]);
    let start = servo.ik().pose(&model, &sim.state().q, &[]);
    let end = start * pose([-0.05, -0.06, 0.04], [0.2, 0.1, -0.2]);
    let path = PosePath::minimum_jerk(&[0.1, 1.1], &[start, end]).unwrap();
    sim.set_controller(Box::new(PoseTracking::new(servo, path.clone(), 2e-3).unwrap()));
    let mut watch = InverseKinematics::of_site(&model, joints, "tip", IkSettings::default()).unwrap();
    let mut worst = 0.0f64;
    while sim.step_towards(2.5).unwrap() {
        let have = watch.pose(&model, &sim.state().q, &[]);
        let wanted = path.at(sim.state().time).pose;
        worst = worst.max((have.translation.vector - wanted.translation.vector).norm());
    }
    let have = watch.pose(&model, &sim.state().q, &[]);
    assert!(worst < 1e-3, "{worst} m, in the end at {:?}", sim.state().q);
    let (off, angle) =
        ((have.translation.vector - end.translation.vector).norm(), have.rotation.angle_to(&end.rotation));
    assert!(
        off < 1e-6 && angle < 1e-5,
        "{off} m, {angle} rad at {:?}, reference {:?}",
        sim.state().q,
        sim.state().controllers[0].memory
    );
}

#[test]
fn a_frame_out_of_reach_stretches_and_rests() {
    let model = six();
    let joints = six_joints(&model);
    let servo =
        PoseServo::new(&model, &joints, "tip", IkSettings::default(), JointControlLaw::ServoFeedForward)
            .unwrap();
    let mut sim = simulation(&model, Options { step: 2e-3, ..Options::default() });
    sim.state_mut().q.copy_from_slice(&[0.2, -0.4, 0.9, 0.3, 0.6, -0.2]);
    let path = PosePath::minimum_jerk(&[0.0], &[pose([1.5, 0.6, 0.3], [0.0; 3])]).unwrap();
    sim.set_controller(Box::new(PoseTracking::new(servo, path, 2e-3).unwrap()));
    sim.run_until(10.0).unwrap();
    let fastest = sim.state().v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    assert!(fastest < 1e-3, "{fastest} rad/s");
    let mut watch = InverseKinematics::of_site(&model, joints, "tip", IkSettings::default()).unwrap();
    let tip = watch.pose(&model, &sim.state().q, &[]).translation.vector;
    // It points where it was sent: the tip lies near the line from the shoulder to the target.
    let (shoulder, target) = (Vector3::new(0.3, 0.0, 0.04), Vector3::new(1.5, 0.6, 0.3));
    let angle = (tip - shoulder).angle(&(target - shoulder));
    assert!(angle < 0.2, "{angle} rad off, tip at {tip}");
}

#[test]
fn a_path_through_keyframes_is_at_each_of_them_at_its_time_and_at_rest() {
    let model = arm("<actuator><motor name=\"turn\" joint=\"a\"/></actuator>\
         <keyframe><key name=\"low\" qpos=\"0.1 0.2 0.3\"/><key name=\"high\" qpos=\"-1 0.5 1.2\"/></keyframe>");
    let joints = Joints::new(&model, &["c", "a"]).unwrap();
    let keys = [(0.5, "low"), (1.5, "high"), (2.0, "low")];
    let path = JointPath::from_keyframes(&model, &joints, &keys).unwrap();
    let mut point = JointPoint::default();
    for (time, expected) in [(0.5, [0.3, 0.1]), (1.5, [1.2, -1.0]), (2.0, [0.3, 0.1])] {
        path.at(time, &mut point);
        assert!(point.q.iter().zip(expected).all(|(q, e)| (q - e).abs() < 1e-12), "{:?}", point.q);
        assert!(point.v.iter().all(|v| v.abs() < 1e-12), "{:?}", point.v);
    }
    let unknown = JointPath::from_keyframes(&model, &joints, &[(0.0, "low"), (1.0, "nowhere")]).unwrap_err();
    assert!(unknown.to_string().contains("nowhere"), "{unknown}");
    assert_eq!(model.actuator_index("turn").unwrap(), 0);
    let misspelt = model.actuator_index("trun").unwrap_err().to_string();
    assert!(misspelt.contains("turn"), "{misspelt}");
}
