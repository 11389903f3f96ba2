//! A box on a slope of 20 degrees under friction 0.7 should not move. How much does it?

use stiction::{ContactModel, Model, Options, Simulation, Sticking};
use stiction_examples::Outcome;

/// Mean speed of the box over two seconds, after two for coming to rest, m/s.
fn creep(options: Options) -> Result<f64, Box<dyn std::error::Error>> {
    let mut simulation = Simulation::new(&Model::from_scene("incline")?, options)?;
    simulation.run_until(2.0)?;
    let before = simulation.state().q.clone();
    simulation.run_until(4.0)?;
    let moved = simulation.state().q[..3].iter().zip(&before).map(|(after, before)| (after - before).powi(2));
    Ok(moved.sum::<f64>().sqrt() / 2.0)
}

fn main() -> Outcome {
    let tangential_springs = Sticking::Damped;
    for contact in [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap] {
        let speed = creep(Options { step: 2e-3, contact, tangential_springs, ..Options::default() })?;
        println!("{contact:?} without springs: {:.2} um/s", 1e6 * speed);
    }
    // Regularised friction needs some slip: v_s tan θ/√(μ² − tan² θ), whatever the step.
    let (slope, friction, tolerance) = (20f64.to_radians().tan(), 0.7f64, 1e-4);
    let expected = tolerance * slope / (friction * friction - slope * slope).sqrt();
    let lagged = creep(Options { step: 2e-3, tangential_springs, ..Options::default() })?;
    assert!((lagged / expected - 1.0).abs() < 0.02, "{lagged} is not {expected}");

    // By default springs carry friction while a contact sticks: nothing moves.
    let held = creep(Options { step: 2e-3, ..Options::default() })?;
    println!("Lagged: {:.1e} um/s", 1e6 * held);
    assert!(held < 1e-9);
    Ok(())
}
