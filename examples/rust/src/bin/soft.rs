//! A rubber ball rests on the floor by a patch, not a point.

use stiction::{Format, LoadOptions, Model, Options, Simulation};
use stiction_examples::Outcome;

const BALL: &str = r#"
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 0.1">
      <drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>
    </geom>
    <body pos="0 0 0.1">
      <freejoint/>
      <geom type="sphere" size="0.1" mass="1">
        <drake:proximity_properties>
          <drake:compliant_hydroelastic/>
          <drake:hydroelastic_modulus value="1e5"/>
          <drake:hunt_crossley_dissipation value="10"/>
          <drake:mesh_resolution_hint value="0.01"/>
        </drake:proximity_properties>
      </geom>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Outcome {
    let model = Model::from_string(BALL, Format::Mjcf, &LoadOptions::default())?;
    let mut simulation = Simulation::new(&model, Options { step: 2e-3, ..Options::default() })?;
    simulation.run_until(2.0)?;

    let patches = simulation.patches();
    let patch = patches.first().ok_or("the ball should touch the floor")?;
    let peak = patch.pressure.iter().copied().fold(0.0, f64::max);
    println!("{} polygons, {:.1} cm2, up to {:.2} kPa", patch.polygons.len(), 1e4 * patch.area, 1e-3 * peak);

    // The patch carries the weight, and is the cut of the ball at the depth it sank: π (2 R d − d²).
    let depth = 0.1 - simulation.state().q[2];
    let cut = std::f64::consts::PI * depth * (0.2 - depth);
    assert!((patch.force.z - 9.81).abs() < 1e-3);
    assert!((patch.area / cut - 1.0).abs() < 0.05, "{} m2 is not {cut} m2", patch.area);
    Ok(())
}
