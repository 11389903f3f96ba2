//! Grippers hold what they grip under default options: no slip in a minute.

mod common;
use common::{model, run, simulation};
use stiction::{Model, Options};

/// Two pads on slides press with `force` on a mug of 300 g, a cylinder with a handle of three capsules, whose weight also twists
/// the grip: the pads hold it 30 mm beside its centre of mass.
fn mug(soft: bool, force: f64) -> Model {
    let soft = match soft {
        true => {
            "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
             <drake:hunt_crossley_dissipation value=\"20\"/></drake:proximity_properties>"
        }
        false => "",
    };
    let pad = |name: &str, x: f64, axis: f64| {
        format!(
            "<body name=\"{name}\" pos=\"{x} 0 0\"><joint name=\"{name}\" type=\"slide\" axis=\"{axis} 0 0\" damping=\"2\"/>\
             <geom type=\"box\" size=\"0.006 0.015 0.02\" mass=\"0.02\" friction=\"0.9 0 0\">{soft}</geom></body>"
        )
    };
    let handle = "<geom type=\"capsule\" size=\"0.006\" fromto=\"0.03 0.04 0.025 0.03 0.075 0.025\" mass=\"0.01\"/>\
                  <geom type=\"capsule\" size=\"0.006\" fromto=\"0.03 0.075 0.025 0.03 0.075 -0.025\" mass=\"0.02\"/>\
                  <geom type=\"capsule\" size=\"0.006\" fromto=\"0.03 0.075 -0.025 0.03 0.04 -0.025\" mass=\"0.01\"/>";
    model(
        &format!(
            "{}{}<body name=\"mug\" pos=\"0 0.01 0\"><freejoint/>\
             <geom type=\"box\" size=\"0.035 0.04 0.045\" mass=\"0.26\" friction=\"0.9 0 0\"/>{handle}</body>",
            pad("left", -0.0409, 1.0),
            pad("right", 0.0409, -1.0),
        ),
        &format!(
            "<actuator><motor joint=\"left\" ctrlrange=\"{force} {force}\"/><motor joint=\"right\" ctrlrange=\"{force} {force}\"/></actuator>"
        ),
    )
}

/// Largest change of a coordinate of the model from 3 s to the end, m or without unit.
fn slip(model: &Model, ctrl: &[f64], step: f64, time: f64) -> f64 {
    let mut sim = simulation(model, Options { step, ..Options::default() });
    sim.state_mut().ctrl.copy_from_slice(ctrl);
    run(&mut sim, 3.0);
    let held = sim.state().q.clone();
    run(&mut sim, time - 3.0);
    sim.state().q.iter().zip(&held).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn grippers_hold_a_block_a_banana_and_a_mug_for_a_minute() {
    for step in [1e-3, 5e-3, 1e-2] {
        // At 1 ms a tenth of the time with a tenth of the bound, for the sake of time.
        let (time, bound) = if step < 2e-3 { (9.0, 1e-7) } else { (60.0, 1e-6) };
        for scene in ["gripper", "gripper_soft", "gripper_banana"] {
            let model = Model::from_scene(scene).unwrap();
            let mut sim = simulation(&model, Options { step, ..Options::default() });
            sim.reset_to_keyframe("lift").unwrap();
            let q = sim.state().q.clone();
            sim.state_mut().ctrl[2] = 0.0;
            run(&mut sim, 0.5);
            sim.state_mut().ctrl[2] = 0.1;
            run(&mut sim, 3.0);
            let height = sim.state().q[5] - q[5];
            assert!(height > 0.08, "{scene} at {step} s rises by {height} m");
            let held = sim.state().q.clone();
            run(&mut sim, time - 3.5);
            let moved = sim.state().q.iter().zip(&held).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            println!("{scene} at {step} s: {moved:.1e} in {time} s");
            assert!(moved < bound, "{scene} at {step} s: {moved} m in {time} s");
        }
        for soft in [false, true] {
            let moved = slip(&mug(soft, 15.0), &[15.0, 15.0], step, time);
            println!("mug, soft {soft}, at {step} s: {moved:.1e} in {time} s");
            assert!(moved < bound, "mug, soft {soft}, at {step} s: {moved} m in {time} s");
        }
    }
}
