//! A ball is thrown along a floor: it slides, then rolls.

use stiction::{Format, LoadOptions, Model, Options, Simulation};
use stiction_examples::Outcome;

const BALL: &str = r#"
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.3"/>
    <body name="ball" pos="0 0 0.05">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.05" mass="0.5" friction="0.3"/>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Outcome {
    // From a string, a file (`from_file`: MJCF, URDF, SDFormat) or a scene that is built in (`from_scene`).
    let model = Model::from_string(BALL, Format::Mjcf, &LoadOptions::default())?;
    for warning in model.warnings() {
        println!("{warning}");
    }
    let mut simulation = Simulation::new(&model, Options { step: 1e-3, ..Options::default() })?;

    // q = [x y z, qw qx qy qz], v = [velocity of the origin, angular velocity in the body's axes].
    simulation.state_mut().v[0] = 1.0;
    simulation.step(100)?;
    for contact in simulation.contacts() {
        let names = [contact.geom_a, contact.geom_b].map(|geom| &model.world().geoms[geom.0].name);
        println!(
            "{} on {}: {:.3?} N, slips {:.3} m/s",
            names[1],
            names[0],
            contact.force,
            contact.slip.norm()
        );
    }

    // A saved state goes on bit for bit.
    let saved = simulation.save_state();
    simulation.run_until(1.0)?;
    let speed = simulation.state().v[0];
    simulation.load_state(&saved)?;
    simulation.run_until(1.0)?;
    assert_eq!(speed, simulation.state().v[0]);

    // A solid ball that begins without spin rolls at 5/7 of its launch speed.
    println!("rolls at {speed:.4} m/s, energy {:.4} J", simulation.energy().total());
    assert!((speed - 5.0 / 7.0).abs() < 5e-3);
    assert_eq!(simulation.stats().unconverged, 0);
    Ok(())
}
