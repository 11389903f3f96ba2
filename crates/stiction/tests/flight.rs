//! Bodies in flight.

mod common;
use common::{MODELS, model, run, simulation};
use stiction::Options;

/// A pen with a cap at one end, thrown with 80 rad/s: 0.8 rad a step at 10 ms.
#[test]
fn what_spins_fast_in_flight_keeps_its_energy_at_large_steps() {
    let model = model(
        "<body><freejoint/><geom type=\"capsule\" size=\"0.005 0.07\" mass=\"0.01\"/>\
         <geom type=\"box\" pos=\"0 0.01 0.06\" size=\"0.008 0.004 0.02\" mass=\"0.008\"/></body>",
        "<option gravity=\"0 0 0\"/>",
    );
    for (contact, step) in MODELS.into_iter().flat_map(|m| [(m, 0.001), (m, 0.01), (m, 0.05)]) {
        let mut sim = simulation(&model, Options { contact, step, ..Options::default() });
        sim.state_mut().v.copy_from_slice(&[1.0, 0.0, 2.0, 60.0, -40.0, 30.0]);
        let before = sim.energy().kinetic;
        run(&mut sim, 20.0);
        let after = sim.energy().kinetic;
        // The solve ends at its tolerance of 1e-5 relative to the momentum, but without contact it begins at its solution.
        assert!((after / before - 1.0).abs() < 1e-9, "{contact:?} at {step} s: {before} J became {after} J");
    }
}
