//! A calibration finds what tosses were made with.

use stiction::{Format, LoadOptions, Model, Options, Simulation};
use stiction_base::random::Random;
use stiction_calibrate::calibrate::{Calibration, Settings};
use stiction_calibrate::parameters::Parameter;
use stiction_calibrate::score::score_all;
use stiction_calibrate::{Protocol, Sample, Summary, Toss};

fn cube() -> Model {
    let text = include_str!("../models/cube.xml");
    Model::from_string(text, Format::Mjcf, &LoadOptions::default()).expect("it reads")
}

/// Tosses of a model as a motion capture at 148 Hz sees them.
fn tosses(model: &Model, count: usize) -> Vec<Toss> {
    let mut random = Random::new(3);
    let toss = |number: usize, random: &mut Random| {
        let mut simulation = Simulation::new(model, Options { step: 1.0 / 1480.0, ..Options::default() })
            .expect("fine options");
        let state = simulation.state_mut();
        state.q[2] = 0.15;
        state.q[3..7].iter_mut().for_each(|q| *q = random.normal());
        model.multibody().normalize(&mut state.q);
        let v: Vec<f64> = (0..6).map(|i| if i < 3 { 0.7 } else { 4.0 } * random.normal()).collect();
        state.v.copy_from_slice(&v);
        let mut samples = Vec::new();
        for k in 0..60 {
            let state = simulation.state();
            samples.push(Sample { time: f64::from(k) / 148.0, q: state.q.clone(), v: state.v.clone() });
            simulation.step(10).expect("it tumbles");
        }
        Toss { number, samples }
    };
    (0..count).map(|number| toss(number, &mut random)).collect()
}

#[test]
fn friction_and_dissipation_are_found_within_a_few_per_cent() {
    let model = cube();
    let parameters = [Parameter::Friction, Parameter::RelaxationTime];
    let (mut truth, mut guess) = (model.world().clone(), model.world().clone());
    for world in [&mut truth, &mut guess] {
        Parameter::Stiffness.write(world, 2e4);
    }
    for (parameter, value, begin) in [(parameters[0], 0.22, 0.3), (parameters[1], 0.004, 0.006)] {
        parameter.write(&mut truth, value);
        parameter.write(&mut guess, begin);
    }
    let made = tosses(&Model::new(truth).expect("it compiles"), 10);
    let all: Vec<&Toss> = made.iter().collect();
    let mut protocol = Protocol::of(&model).expect("a cube is tossed");
    protocol.least_flight = None; // the recorded velocities are exact
    let settings = Settings { evaluations: 110, around: 24, starts: 1, ..Settings::default() };
    let calibration = Calibration {
        world: &guess,
        parameters: &parameters,
        start: parameters.iter().map(|p| p.read(&guess)).collect(),
        protocol: &protocol,
        options: Options::default(),
        settings,
    };
    let mut generations = 0;
    let fit = calibration.fit(&all, |_, _| generations += 1);
    assert!(generations > 5);
    assert!((fit.values[0] / 0.22 - 1.0).abs() < 0.03, "{:?}", fit.values);
    assert!((fit.values[1] / 0.004 - 1.0).abs() < 0.10, "{:?}", fit.values);
    let found = calibration.model_with(&fit.values).expect("it compiles");
    let summary = Summary::of(&score_all(&found, &Options::default(), &all, &protocol).expect("it runs"));
    assert!(summary.mean.position < 0.03, "{summary}");
    let spread = calibration.uncertainty(&fit, &all, |_| {});
    assert!(spread.iter().zip(&fit.values).all(|(s, v)| s.is_finite() && *s >= 0.0 && s < v), "{spread:?}");
}
