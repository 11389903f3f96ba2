//! An arm follows a path by inverse dynamics; then by a law of one's own.

use stiction::control::{Gains, JointControlLaw, JointLaw, JointPath, JointTracking, Joints};
use stiction::{Controller, Format, LoadOptions, Model, Options, Sample, Simulation};
use stiction_examples::Outcome;

const ARM: &str = r#"
<mujoco>
  <worldbody>
    <body pos="0 0 1">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03" mass="2"/>
      <body pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.025" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="shoulder" joint="shoulder"/><motor name="elbow" joint="elbow"/></actuator>
</mujoco>"#;

/// A law of one's own. What it keeps between calls lives in the memory it is given, which is saved with the state.
struct Pid {
    target: [f64; 2],
}

impl Controller for Pid {
    fn period(&self) -> f64 {
        2e-3
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        memory.resize(2, 0.0);
        for (k, gain) in [400.0, 150.0].into_iter().enumerate() {
            let error = self.target[k] - sample.q[k];
            memory[k] += self.period() * error;
            ctrl[k] = gain * (error + 2.0 * memory[k] - 0.1 * sample.v[k]);
        }
        Ok(())
    }
}

fn main() -> Outcome {
    let model = Model::from_string(ARM, Format::Mjcf, &LoadOptions::default())?;
    let target = [-0.8, 1.2];
    let path = JointPath::minimum_jerk(&[0.0, 1.0], &[vec![0.0, 0.0], target.to_vec()])?;
    let law = JointControlLaw::InverseDynamics { gains: vec![Gains::critical(20.0)] };
    let joints = Joints::new(&model, &["shoulder", "elbow"])?;
    let tracking = JointTracking::new(JointLaw::new(&model, joints, law)?, path, 1e-3)?;

    let mut simulation = Simulation::new(&model, Options { step: 1e-3, ..Options::default() })?;
    simulation.set_controller(Box::new(tracking));
    simulation.run_until(1.5)?;
    let off = simulation.state().q.iter().zip(target).map(|(q, t)| (q - t).abs()).fold(0.0, f64::max);
    println!("off by {off:.1e} rad");
    assert!(off < 1e-3);

    simulation.set_controller(Box::new(Pid { target }));
    simulation.run_until(6.0)?;
    let off = simulation.state().q.iter().zip(target).map(|(q, t)| (q - t).abs()).fold(0.0, f64::max);
    println!("off by {off:.1e} rad");
    assert!(off < 5e-3);
    Ok(())
}
