//! A table lands on four feet at once: what can happen?

use stiction::rigid::FlightOptions;
use stiction::{Flight, Model};
use stiction_examples::Outcome;
use stiction_impact::{Options, Problem, certify, outcomes};

fn main() -> Outcome {
    let model = Model::from_scene("landing")?;
    let mut state = model.keyframe_state("drift")?;
    let mut flight = Flight::new(&model, FlightOptions::default())?;
    let touching = flight.next_impact(&mut state, 1.0)?.ok_or("the table should land within a second")?;
    println!("{} contacts at {:.4} s, at {:.2} m/s", touching.instant.contacts(), state.time, -state.v[2]);

    let problem = Problem::new(&touching.instant)?;
    let set = outcomes(&problem, &Options { samples: 256, ..Options::default() })?;
    let mut about_y = vec![0.0; model.nv()];
    about_y[4] = 1.0;
    let (low, high) = set.extremes(&about_y);
    println!("it may turn about y at anything from {:.2} to {:.2} rad/s", low.value, high.value);
    assert!(high.value - low.value > 0.1, "several outcomes");

    // A proof that every solution ends, whatever the order of the impulses.
    assert!(certify(&problem).terminates());
    Ok(())
}
