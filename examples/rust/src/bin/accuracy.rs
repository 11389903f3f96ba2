//! Instead of a step, ask for an accuracy: small steps in impacts, large ones at rest.

use stiction::{Model, Options, Simulation};
use stiction_examples::Outcome;

fn main() -> Outcome {
    let model = Model::from_scene("clutter")?;
    let options = Options { accuracy: Some(1e-3), step: 1e-3, max_step: 0.02, ..Options::default() };
    let mut simulation = Simulation::new(&model, options)?;
    let (mut shortest, mut longest, mut before) = (f64::INFINITY, 0.0f64, 0.0);
    while simulation.step_towards(1.0)? {
        let now = simulation.state().time;
        (shortest, longest) = (shortest.min(now - before), longest.max(now - before));
        before = now;
    }
    let stats = simulation.stats();
    println!("{} steps, {} tried again, from {shortest:.1e} to {longest:.1e} s", stats.steps, stats.rejected);
    assert_eq!(simulation.state().time, 1.0); // hit exactly
    assert!(longest > 2.0 * shortest);
    Ok(())
}
