//! How does a sliding box's velocity after a step depend on friction?

use stiction::{ContactParameter, Format, LoadOptions, Model, Options, Simulation};
use stiction_examples::Outcome;

const BOX: &str = r#"
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.5"/>
    <body pos="0 0 0.05">
      <freejoint/>
      <geom name="box" type="box" size="0.05 0.05 0.05" mass="1" friction="0.5"/>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Outcome {
    let model = Model::from_string(BOX, Format::Mjcf, &LoadOptions::default())?;
    let step = 2e-3;
    let mut simulation = Simulation::new(&model, Options { step, ..Options::default() })?;
    simulation.run_until(0.5)?; // at rest on the floor
    simulation.state_mut().v[0] = 1.0;
    simulation.step(5)?;

    let friction = ["floor", "box"]
        .map(|geom| ContactParameter::named(&model, geom, "dynamic_friction"))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let derivatives = simulation.step_derivatives(&friction)?;
    // Rows are [δq; δv]; columns of `parameters` are those asked for.
    let vx = model.nv();
    let sum = derivatives.parameters[(vx, 0)] + derivatives.parameters[(vx, 1)];
    println!("d vx/d mu = {sum:.5} m/s; -g dt = {:.5} m/s", -9.81 * step);

    // Both coefficients are 0.5 and so is the pair's, which follows both at once: v⁺ = v − μ g δt.
    assert!((sum / (-9.81 * step) - 1.0).abs() < 0.02);
    Ok(())
}
