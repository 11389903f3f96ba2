//! Inputs of controllers, their scheduling, and bitwise resumption of a saved run.

use crate::common::{G, model, simulation, tight};
use crate::poses::pose;
use crate::{MOTORS, arm};
use stiction::control::{JointPath, Part};
use stiction::{Controller, Model, Options, Sample, Sampled, Senses, StepError};

/// A block on a table under a press: a slide with a motor, sensors at the hand.
pub fn press() -> Model {
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

/// Presses with a force that depends on all measurements of a sample.
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
    let mut sim = simulation(&model, tight());
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
        let mut sim = simulation(&model, options.clone());
        sim.add_controller(Box::new(Feeler::new(&model, 0.005)));
        // Adds a faster controller that reads the memory of the slower one.
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
        let mut whole = with(options.clone());
        for pause in [0.0, 0.0137, 0.3, 0.3031] {
            whole.run_until(pause).unwrap();
            let blob = whole.save_state();
            let mut resumed = with(options.clone());
            resumed.load_state(&blob).unwrap();
            let mut rest = with(options.clone());
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
