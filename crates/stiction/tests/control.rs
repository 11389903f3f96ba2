//! Controllers: laws against closed forms, limits kept, paths consistent with their derivatives, and what is read when.

mod common;
use common::{G, model, simulation};
use nalgebra::{UnitQuaternion, Vector3, Vector6};
use proptest::prelude::*;
use stiction::control::{
    Gains, IkSettings, InverseKinematics, JointLaw, JointPath, JointPoint, JointTracking, Joints, Law, Part,
    PosePath, PosePoint, PoseServo, PoseTracking,
};
use stiction::model::Pose;
use stiction::{Controller, Model, Options, Sample, Sampled, Senses, Simulation, StepError, TactileGrid};

/// Three hinges with links of different weight; `actuators` for joints a, b and c.
fn arm(actuators: &str) -> Model {
    model(
        "<body pos=\"0 0 1\"><joint name=\"a\" axis=\"0 0 1\" damping=\"0.3\" armature=\"0.01\" range=\"-170 170\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.1 0 0.1\" size=\"0.04\" mass=\"2\" contype=\"0\" conaffinity=\"0\"/>\
         <body pos=\"0.1 0 0.1\"><joint name=\"b\" axis=\"0 1 0\" stiffness=\"1\" range=\"-120 120\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.4 0 0\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
         <body pos=\"0.4 0 0\"><joint name=\"c\" axis=\"0 1 0\" range=\"-120 120\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.3 0 0.05\" size=\"0.02\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
         <site name=\"tip\" pos=\"0.3 0 0.05\"/></body></body></body>",
        actuators,
    )
}

const MOTORS: &str = "<actuator><motor joint=\"a\" gear=\"2\"/><motor joint=\"b\"/><motor joint=\"c\" gear=\"-1\"/></actuator>";
const SERVOS: &str = "<actuator><position joint=\"a\" kp=\"300\" kv=\"20\" gear=\"1.5\"/><position joint=\"b\" kp=\"300\" kv=\"20\"/>\
                      <position joint=\"c\" kp=\"200\" kv=\"10\"/></actuator>";
const NAMES: [&str; 3] = ["a", "b", "c"];

fn tracking(model: &Model, law: Law, path: JointPath) -> Box<JointTracking> {
    let joints = Joints::new(model, &NAMES).unwrap();
    Box::new(JointTracking::new(JointLaw::new(model, joints, law).unwrap(), path, 0.0).unwrap())
}

#[test]
fn under_inverse_dynamics_errors_decay_as_of_unit_masses() {
    // ë + 2 w ė + w² e = 0 from rest: e = e₀ (1 + w t) exp(−w t), for all joints alike, gravity and coupling or not.
    let model = arm(MOTORS);
    let (w, target) = (5.0, vec![0.4, -0.3, 0.8]);
    let worst = |step: f64| {
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        let path = JointPath::minimum_jerk(&[0.0], std::slice::from_ref(&target)).unwrap();
        sim.set_controller(tracking(&model, Law::InverseDynamics { gains: vec![Gains::critical(w)] }, path));
        let mut worst = 0.0f64;
        while sim.step_towards(1.0).unwrap() {
            let t = sim.state().time;
            let decay = (1.0 + w * t) * (-w * t).exp();
            for (q, q_d) in sim.state().q.iter().zip(&target) {
                worst = worst.max((q_d - q - q_d * decay).abs());
            }
        }
        worst
    };
    let (coarse, fine) = (worst(2e-3), worst(1e-3));
    assert!(fine < 5e-3, "{fine}");
    assert!((coarse / fine - 2.0).abs() < 0.15, "of first order: {coarse} {fine}");
}

#[test]
fn pd_with_gravity_rests_where_it_should() {
    let model = arm(MOTORS);
    let mut sim = simulation(&model, Options::default());
    let target = vec![0.2, 0.5, -0.7];
    let path = JointPath::minimum_jerk(&[0.0], std::slice::from_ref(&target)).unwrap();
    let gains = vec![Gains { stiffness: 40.0, damping: 8.0 }];
    sim.set_controller(tracking(&model, Law::Pd { gains: gains.clone(), gravity: true }, path.clone()));
    sim.run_until(6.0).unwrap();
    let off =
        |sim: &Simulation| sim.state().q.iter().zip(&target).map(|(q, t)| (q - t).abs()).fold(0.0, f64::max);
    assert!(off(&sim) < 1e-6, "{}", off(&sim));
    // Without gravity it sags by the torque over the stiffness.
    sim.set_controller(tracking(&model, Law::Pd { gains, gravity: false }, path));
    sim.run_until(12.0).unwrap();
    let bias = model.bias(&sim.state().q, &[0.0; 3]).unwrap();
    let spring = [0.0, 1.0 * sim.state().q[1], 0.0];
    for k in 0..3 {
        let sag = (bias[k] + spring[k]) / 40.0;
        assert!((target[k] - sim.state().q[k] - sag).abs() < 1e-6, "joint {k}");
    }
}

#[test]
fn servos_with_feed_forward_follow_a_moving_reference() {
    let model = arm(SERVOS);
    let path = JointPath::cubic(
        &[0.0, 0.5, 1.0, 1.5],
        &[vec![0.0; 3], vec![0.5, -0.4, 0.6], vec![-0.3, 0.2, -0.5], vec![0.1, 0.3, 0.2]],
    )
    .unwrap();
    let worst = |law: Law| {
        let mut sim = simulation(&model, Options { step: 5e-4, ..Options::default() });
        sim.set_controller(tracking(&model, law, path.clone()));
        let (mut worst, mut point) = (0.0f64, JointPoint::default());
        while sim.step_towards(1.5).unwrap() {
            path.at(sim.state().time, &mut point);
            sim.state().q.iter().zip(&point.q).for_each(|(q, d)| worst = worst.max((q - d).abs()));
        }
        worst
    };
    let (fed, plain) = (worst(Law::ServoFeedForward), worst(Law::Servo));
    assert!(fed < 3e-3, "{fed}");
    assert!(plain > 10.0 * fed, "{plain} {fed}");
}

#[test]
fn laws_name_the_joint_that_lacks_an_actuator() {
    let (motors, servos) = (arm(MOTORS), arm(SERVOS));
    let law = |model: &Model, law: Law| {
        JointLaw::new(model, Joints::new(model, &NAMES).unwrap(), law).err().map(|e| e.to_string())
    };
    let pd = Law::Pd { gains: vec![Gains::critical(1.0)], gravity: false };
    assert!(law(&motors, Law::Servo).unwrap().contains("\"a\" has no position servo"));
    assert!(law(&servos, pd).unwrap().contains("\"a\" has no motor"));
    let two = Law::InverseDynamics { gains: vec![Gains::critical(1.0); 2] };
    assert!(law(&motors, two).unwrap().contains("gains has 2 numbers"));
    let unknown = Joints::new(&motors, &["a", "d"]).unwrap_err().to_string();
    assert!(unknown.contains("no joint called \"d\"") && unknown.contains("a, b, c"), "{unknown}");
}

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

fn pose(p: [f64; 3], turn: [f64; 3]) -> Pose {
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
        PoseServo::new(&model, &joints, "tip", IkSettings::default(), Law::ServoFeedForward).unwrap();
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
    let servo = PoseServo::new(&model, &joints, "tip", IkSettings::default(), Law::ServoFeedForward).unwrap();
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

/// A block on a table under a press: a slide with a motor, sensors at the hand.
fn press() -> Model {
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
                <drake:hunt_crossley_dissipation value=\"20\"/></drake:proximity_properties>";
    model(
        &format!(
            "<geom name=\"table\" type=\"box\" pos=\"0 0 -0.1\" size=\"1 1 0.1\"/>\
             <body name=\"block\" pos=\"0 0 0.05\"><freejoint/><geom name=\"block\" type=\"box\" size=\"0.05 0.05 0.05\" mass=\"2\"/></body>\
             <body name=\"hand\" pos=\"0 0 0.16\"><joint name=\"lift\" type=\"slide\" axis=\"0 0 1\" damping=\"20\"/>\
             <geom name=\"palm\" type=\"box\" size=\"0.03 0.03 0.02\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
             <body name=\"pad\" pos=\"0 0 -0.03\"><geom name=\"pad\" type=\"box\" size=\"0.02 0.03 0.01\" mass=\"0.1\">{soft}</geom>\
             <site name=\"mount\" pos=\"0 0 0.01\"/></body></body>"
        ),
        "<actuator><motor name=\"push\" joint=\"lift\" gear=\"-1\"/></actuator>\
         <sensor><force name=\"ft\" site=\"mount\"/><jointpos name=\"height\" joint=\"lift\"/><accelerometer name=\"imu\" site=\"mount\"/></sensor>",
    )
}

/// Presses with a force that follows what it feels, by everything a sample offers.
struct Feeler {
    period: f64,
    skin: stiction::TactileGrid,
}

impl Feeler {
    fn new(model: &Model, period: f64) -> Self {
        let skin = stiction::TactileGrid::new(
            model.body_index("pad").unwrap(),
            pose([0.0, 0.0, -0.01], [std::f64::consts::PI, 0.0, 0.0]),
            [0.04, 0.06],
            4,
            4,
        );
        Self { period, skin: skin.unwrap() }
    }
}

impl Controller for Feeler {
    fn period(&self) -> f64 {
        self.period
    }

    fn senses(&self) -> Senses {
        let pad = self.skin.body();
        Senses { bodies: vec![pad], skins: vec![self.skin.clone()], ..Senses::all() }
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        memory.resize(1, 0.0);
        let model = sample.model;
        let (pad, block) = (self.skin.body(), model.body_index("block").map_err(|e| e.to_string())?);
        let felt = sample.normal_force(Part::Body(pad), Part::Body(block))?;
        let skin: f64 = sample.skin(0)?.pressure.iter().sum::<f64>() * self.skin.cell_area();
        let mount = sample.wrench(pad)?[5] + sample.sensor("ft")?[2] + sample.joint_torques()?[6];
        memory[0] += self.period.max(1e-3) * (30.0 - felt);
        ctrl[0] =
            10.0 + memory[0] + 1e-3 * (skin + mount + sample.sensor("imu")?[2]) + sample.sensor("height")?[0];
        Ok(())
    }
}

#[test]
fn what_a_controller_reads_of_a_press_at_rest_is_in_balance() {
    let model = press();
    let mut sim = simulation(&model, common::tight());
    let senses = Feeler::new(&model, 0.0).senses();
    let read = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let write = read.clone();
    let (pad, block) = (model.body_index("pad").unwrap(), model.body_index("block").unwrap());
    let table = model.geom_index("table").unwrap();
    let area = Feeler::new(&model, 0.0).skin.cell_area();
    sim.set_controller(Box::new(
        Sampled::new(0.01, move |sample, ctrl| {
            ctrl[0] = 25.0;
            let touch = sample.touches_between(Part::Body(block), Part::Body(pad))?.next();
            *write.lock().unwrap() = vec![
                sample.force_on(Part::Body(block), Part::Geom(table))?.z,
                sample.force_on(Part::Body(block), Part::Body(pad))?.z,
                sample.normal_force(Part::Any, Part::Body(pad))?,
                sample.contact_area(Part::Body(pad), Part::Any)?,
                sample.skin(0)?.pressure.iter().sum::<f64>() * area,
                sample.wrench(pad)?[5],
                sample.sensor("ft")?[2],
                sample.joint_torques()?[6],
                touch.map_or(0.0, |t| t.normal.z),
                sample.sensor("imu")?[2],
            ];
            Ok(())
        })
        .sensing(senses),
    ));
    sim.run_until(3.0).unwrap();
    let pressed = 25.0 + 0.6 * G;
    let expected = [
        pressed + 2.0 * G,
        -pressed,
        pressed,
        0.04 * 0.06,
        pressed,
        0.1 * G - pressed,
        0.1 * G - pressed,
        -25.0,
        -1.0,
        G,
    ];
    for (k, (have, want)) in read.lock().unwrap().iter().zip(expected).enumerate() {
        assert!((have - want).abs() < 1e-5 * want.abs().max(1.0), "reading {k}: {have}, not {want}");
    }
}

#[test]
fn a_run_with_controllers_that_feel_continues_bit_for_bit() {
    let model = press();
    let with = |options: Options| {
        let mut sim = simulation(&model, options);
        sim.add_controller(Box::new(Feeler::new(&model, 0.005)));
        // A faster one on top, that reads the memory of the slower.
        sim.add_controller(Box::new(
            Sampled::new(0.002, |sample, ctrl| {
                ctrl[0] += 0.01 * sample.memory_of(0).first().copied().unwrap_or(0.0);
                ctrl[0] -= 0.05 * sample.sensor("ft")?[2];
                Ok(())
            })
            .sensing(Senses::all()),
        ));
        sim
    };
    for accuracy in [None, Some(1e-3)] {
        let options = Options { step: 1e-3, accuracy, ..Options::default() };
        let mut whole = with(options);
        for pause in [0.0, 0.0137, 0.3, 0.3031] {
            whole.run_until(pause).unwrap();
            let blob = whole.save_state();
            let mut resumed = with(options);
            resumed.load_state(&blob).unwrap();
            let mut rest = with(options);
            rest.load_state(&blob).unwrap();
            *rest.state_mut() = whole.state().clone();
            whole.run_until(pause + 0.05).unwrap();
            resumed.run_until(pause + 0.05).unwrap();
            assert_eq!(whole.state(), resumed.state(), "paused at {pause}, accuracy {accuracy:?}");
            rest.run_until(pause + 0.05).unwrap();
            assert_eq!(whole.state(), rest.state());
        }
    }
}

#[test]
fn controllers_are_called_in_order_at_their_own_rates() {
    struct Log(f64, f64);
    impl Controller for Log {
        fn period(&self) -> f64 {
            self.0
        }
        fn control(
            &mut self,
            sample: &Sample<'_>,
            ctrl: &mut [f64],
            memory: &mut Vec<f64>,
        ) -> Result<(), String> {
            memory.push(sample.time);
            ctrl[0] = 0.5 * ctrl[0] + self.1;
            Ok(())
        }
    }
    let model = arm(MOTORS);
    for accuracy in [None, Some(1e-3)] {
        let mut sim = simulation(&model, Options { step: 2e-3, accuracy, ..Options::default() });
        assert_eq!(sim.add_controller(Box::new(Log(0.02, 1.0))), 0);
        assert_eq!(sim.add_controller(Box::new(Log(0.008, 2.0))), 1);
        sim.step(1).unwrap();
        assert_eq!(sim.state().ctrl[0], 2.5, "the first is called first");
        sim.run_until(0.1).unwrap();
        for (k, period) in [(0, 0.02), (1, 0.008)] {
            let times = &sim.state().controllers[k].memory;
            assert_eq!(times.len(), (0.0999f64 / period) as usize + 1);
            for (n, t) in times.iter().enumerate() {
                assert!((t - period * n as f64).abs() < 1e-12, "{t}");
            }
        }
        sim.clear_controllers();
        assert!(sim.state().controllers.is_empty());
    }
}

#[test]
fn reading_what_was_not_asked_for_is_an_error_that_says_what_to_do() {
    let model = press();
    let message = |read: fn(&Sample<'_>) -> Result<(), String>| {
        let mut sim = simulation(&model, Options::default());
        sim.state_mut().ctrl[0] = 3.0;
        sim.set_controller(Box::new(Sampled::new(0.0, move |sample, ctrl| {
            ctrl[0] = 7.0;
            read(sample)
        })));
        let Err(StepError::Controller { reason, .. }) = sim.step(1) else { panic!("it was read") };
        assert_eq!(sim.state().ctrl[0], 3.0, "a failed controller leaves the controls");
        reason
    };
    assert!(message(|s| s.sensors().map(|_| ())).contains("did not ask for sensors"));
    assert!(message(|s| s.touches().map(|_| ())).contains("Controller::senses"));
    assert!(message(|s| s.joint_torques().map(|_| ())).contains("joint_torques"));
    assert!(message(|s| s.wrench(1).map(|_| ())).contains("Senses::bodies"));
    assert!(message(|s| s.skin(0).map(|_| ())).contains("Senses::skins"));
}

#[test]
fn a_grip_closes_to_the_wanted_force() {
    use stiction::control::{GripForce, GripGains, GripTracking};
    let soft = "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
                <drake:hunt_crossley_dissipation value=\"5\"/></drake:proximity_properties>";
    // Fingers of different weight on a slope: without feedback they would press with the weight's difference more.
    let finger = |name: &str, x: f64, axis: f64, mass: f64| {
        format!(
            "<body name=\"{name}\" pos=\"{x} 0 0\"><joint name=\"{name}\" type=\"slide\" axis=\"{axis} 0 0\" range=\"0 0.05\"/>\
             <geom name=\"{name}\" type=\"box\" size=\"0.01 0.02 0.02\" mass=\"{mass}\">{soft}</geom></body>"
        )
    };
    let model = model(
        &format!(
            "{}{}<body name=\"ball\"><freejoint/><geom type=\"sphere\" size=\"0.02\" mass=\"0.05\"/></body>",
            finger("left", -0.06, 1.0, 0.4),
            finger("right", 0.06, -1.0, 0.1)
        ),
        "<equality><joint joint1=\"right\" joint2=\"left\"/></equality>\
         <actuator><motor joint=\"left\"/></actuator><option gravity=\"5 0 0\"/>",
    );
    let pads = || ["left", "right"].map(|name| Part::Geom(model.geom_index(name).unwrap())).to_vec();
    let grip = GripForce::new(&model, "left", 1.0, pads(), GripGains::default()).unwrap();
    let mut sim = simulation(&model, Options::default());
    let force = JointPath::minimum_jerk(&[4.0, 4.5], &[vec![4.0], vec![10.0]]).unwrap();
    sim.set_controller(Box::new(GripTracking::new(grip, force, 0.002).unwrap()));
    for (time, wanted) in [(4.0, 4.0), (8.0, 10.0)] {
        sim.run_until(time).unwrap();
        let felt = sim.state().controllers[0].memory[1] / 2.0;
        assert!((felt - wanted).abs() < 1e-3 * wanted, "{felt} N instead of {wanted} N");
    }
    let refused = GripForce::new(&model, "right", 1.0, pads(), GripGains::default());
    assert!(refused.unwrap_err().to_string().contains("\"right\" has no motor"));
}

/// Adds up samples in its memory; fails, or gives something that is not finite, at one of them.
struct Fails {
    at: usize,
    with: Option<f64>,
}

impl Controller for Fails {
    fn period(&self) -> f64 {
        0.0
    }
    fn control(
        &mut self,
        _sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        memory.push(1.0);
        ctrl[0] = memory.len() as f64;
        match self.with {
            _ if memory.len() <= self.at => Ok(()),
            Some(value) => {
                ctrl[0] = value;
                Ok(())
            }
            None => Err("it had enough".into()),
        }
    }
}

#[test]
fn a_controller_that_fails_is_named_and_leaves_the_state_before_the_step() {
    let model = arm(MOTORS);
    for with in [None, Some(f64::NAN), Some(f64::INFINITY)] {
        let mut sim = simulation(&model, Options::default());
        sim.add_controller(Box::new(Fails { at: usize::MAX, with: None }));
        sim.add_controller(Box::new(Fails { at: 5, with }));
        sim.step(5).unwrap();
        let before = sim.state().clone();
        let error = sim.step(1).unwrap_err();
        assert!(matches!(error, StepError::Controller { number: 1, .. }), "{error}");
        let text = error.to_string();
        let reason = if with.is_some() { "it set ctrl[0] to" } else { "it had enough" };
        assert!(
            text.starts_with("controller 1 (Fails) failed at t = 0.005 s: ") && text.contains(reason),
            "{text}"
        );
        // That of the first controller, which had been called, among it.
        assert_eq!(*sim.state(), before);
        sim.remove_controller(1).unwrap();
        sim.step(5).unwrap();
        assert_eq!(sim.state().controllers[0].memory.len(), 10);
    }
}

#[test]
fn a_step_that_fails_after_its_controllers_were_called_leaves_the_state_before_it() {
    let model = arm(MOTORS);
    let mut sim = simulation(&model, Options::default());
    // Finite, but the force it makes with the motor's gear is not.
    sim.set_controller(Box::new(Fails { at: 3, with: Some(f64::MAX) }));
    sim.step(3).unwrap();
    let before = sim.state().clone();
    let outcome = sim.step(1);
    assert!(matches!(outcome, Err(StepError::NotFinite { .. })), "{outcome:?}");
    assert_eq!(*sim.state(), before);
}

#[test]
fn controllers_after_one_that_is_removed_keep_their_memories_and_measurements() {
    let model = press();
    let grid = |rows| TactileGrid::new(1, Pose::identity(), [0.1, 0.1], rows, 2).unwrap();
    let looks = |rows: usize| {
        let senses = Senses { skins: vec![grid(rows)], ..Senses::touches() };
        Box::new(
            Sampled::new(0.0, move |sample: &Sample<'_>, _: &mut [f64]| {
                assert_eq!(sample.skin(0)?.rows, rows, "each sees its own skin");
                Ok(())
            })
            .sensing(senses),
        )
    };
    let mut sim = simulation(&model, Options::default());
    sim.add_controller(looks(2));
    sim.add_controller(Box::new(Fails { at: usize::MAX, with: None }));
    sim.add_controller(looks(5));
    sim.step(3).unwrap();
    assert!(sim.remove_controller(3).err().unwrap().to_string().contains("they go from 0 to 2"));
    sim.remove_controller(0).unwrap();
    assert_eq!(sim.controller_count(), 2);
    sim.step(3).unwrap();
    assert_eq!(sim.state().controllers[0].memory.len(), 6);
    assert_eq!(sim.state().measured.skins.len(), 1);
}

#[test]
fn a_wrench_is_its_torque_and_its_force_at_the_point() {
    let model = press();
    let body = model.body_index("block").unwrap();
    let (torque, force) = (Vector3::new(0.3, -0.2, 0.7), Vector3::new(2.0, 1.0, -1.0));
    let p = Vector3::new(0.1, -0.2, 0.4);
    let mut sim = simulation(&model, Options::default());
    sim.apply_wrench(body, torque, force, p).unwrap();
    let mut twin = simulation(&model, Options::default());
    twin.apply_force(body, force, p).unwrap();
    let (state, other) = (sim.state(), twin.state());
    // A free body at rest: its last three coordinates are torques about its own axes, here the world's.
    for k in 0..state.applied.len() {
        let free = model.multibody().joints().iter().find(|j| j.v.len() == 6).unwrap().v.clone();
        let more = if free.contains(&k) && k >= free.start + 3 { torque[k - free.start - 3] } else { 0.0 };
        assert!((state.applied[k] - other.applied[k] - more).abs() < 1e-12);
    }
    assert!(
        sim.apply_wrench(body, torque * f64::NAN, force, p).unwrap_err().to_string().contains("torque[0]")
    );
}
