//! Sixty-four boxes pushed over floors whose friction nobody knows exactly.

use stiction::randomization::{Distribution, Quantity, Range};
use stiction::{Batch, Format, LoadOptions, Model, Options};
use stiction_examples::Outcome;

const BOX: &str = r#"
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.5"/>
    <body pos="0 0 0.05">
      <freejoint/>
      <geom name="box" type="box" size="0.05 0.05 0.05" mass="1" friction="0.05"/>
    </body>
  </worldbody>
</mujoco>"#;

fn main() -> Outcome {
    let model = Model::from_string(BOX, Format::Mjcf, &LoadOptions::default())?;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut batch = Batch::new(&model, 64, threads, Options { step: 2e-3, ..Options::default() })?;

    // What is drawn depends on the seed, the world and the geom alone. Of a pair's two coefficients MJCF takes the larger.
    let floor = Range {
        quantity: Quantity::Friction,
        target: 0,
        low: 0.5,
        high: 1.5,
        distribution: Distribution::Uniform,
    };
    let worlds: Vec<usize> = (0..batch.len()).collect();
    batch.randomize(&worlds, 7, &[floor])?;
    for world in worlds {
        batch.world(world).state_mut().v[0] = 1.0;
    }
    batch.step(500)?;

    let mut travelled: Vec<f64> = (0..batch.len()).map(|world| batch.world(world).state().q[0]).collect();
    travelled.sort_by(f64::total_cmp);
    println!("{:.3} m to {:.3} m, median {:.3} m", travelled[0], travelled[63], travelled[32]);

    // A box slides v²/(2 μ g).
    let slide = |friction: f64| 1.0 / (2.0 * friction * 9.81);
    assert!(travelled[0] > 0.95 * slide(0.75) && travelled[63] < 1.05 * slide(0.25));
    assert!(travelled[63] > 2.0 * travelled[0]);
    Ok(())
}
