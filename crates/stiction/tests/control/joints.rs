//! Laws of joints against closed forms.

use crate::common::simulation;
use crate::{MOTORS, NAMES, arm};
use stiction::control::{Gains, JointControlLaw, JointLaw, JointPath, JointPoint, JointTracking, Joints};
use stiction::{Model, Options, Simulation};

const SERVOS: &str = "<actuator><position joint=\"a\" kp=\"300\" kv=\"20\" gear=\"1.5\"/><position joint=\"b\" kp=\"300\" kv=\"20\"/>\
                      <position joint=\"c\" kp=\"200\" kv=\"10\"/></actuator>";

fn tracking(model: &Model, law: JointControlLaw, path: JointPath) -> Box<JointTracking> {
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
        sim.set_controller(tracking(
            &model,
            JointControlLaw::InverseDynamics { gains: vec![Gains::critical(w)] },
            path,
        ));
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
    sim.set_controller(tracking(
        &model,
        JointControlLaw::Pd { gains: gains.clone(), gravity: true },
        path.clone(),
    ));
    sim.run_until(6.0).unwrap();
    let off =
        |sim: &Simulation| sim.state().q.iter().zip(&target).map(|(q, t)| (q - t).abs()).fold(0.0, f64::max);
    assert!(off(&sim) < 1e-6, "{}", off(&sim));
    // Without gravity it sags by the torque over the stiffness.
    sim.set_controller(tracking(&model, JointControlLaw::Pd { gains, gravity: false }, path));
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
    let worst = |law: JointControlLaw| {
        let mut sim = simulation(&model, Options { step: 5e-4, ..Options::default() });
        sim.set_controller(tracking(&model, law, path.clone()));
        let (mut worst, mut point) = (0.0f64, JointPoint::default());
        while sim.step_towards(1.5).unwrap() {
            path.at(sim.state().time, &mut point);
            sim.state().q.iter().zip(&point.q).for_each(|(q, d)| worst = worst.max((q - d).abs()));
        }
        worst
    };
    let (fed, plain) = (worst(JointControlLaw::ServoFeedForward), worst(JointControlLaw::Servo));
    assert!(fed < 3e-3, "{fed}");
    assert!(plain > 10.0 * fed, "{plain} {fed}");
}

#[test]
fn laws_name_the_joint_that_lacks_an_actuator() {
    let (motors, servos) = (arm(MOTORS), arm(SERVOS));
    let law = |model: &Model, law: JointControlLaw| {
        JointLaw::new(model, Joints::new(model, &NAMES).unwrap(), law).err().map(|e| e.to_string())
    };
    let pd = JointControlLaw::Pd { gains: vec![Gains::critical(1.0)], gravity: false };
    assert!(law(&motors, JointControlLaw::Servo).unwrap().contains("\"a\" has no position servo"));
    assert!(law(&servos, pd).unwrap().contains("\"a\" has no motor"));
    let two = JointControlLaw::InverseDynamics { gains: vec![Gains::critical(1.0); 2] };
    assert!(law(&motors, two).unwrap().contains("gains has 2 numbers"));
    let unknown = Joints::new(&motors, &["a", "d"]).unwrap_err().to_string();
    assert!(unknown.contains("no joint called \"d\"") && unknown.contains("a, b, c"), "{unknown}");
}
