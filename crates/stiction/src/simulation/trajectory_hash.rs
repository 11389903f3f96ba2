//! A number that stands for every bit of a trajectory.

use crate::state::State;
use stiction_base::hash::Fnv1a;

/// FNV-1a (64 bits) over the little-endian bytes of time, positions and velocities of the states added, in their order: two
/// runs with the same hash took the same way, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryHash(Fnv1a);

impl TrajectoryHash {
    /// Adds a state, usually that after each step.
    pub fn add(&mut self, state: &State) {
        self.add_numbers(&[state.time]);
        self.add_numbers(&state.q);
        self.add_numbers(&state.v);
    }

    /// Adds other numbers, such as readings of sensors.
    pub fn add_numbers(&mut self, numbers: &[f64]) {
        self.0.add_numbers(numbers);
    }

    /// The hash of what was added so far.
    pub fn value(&self) -> u64 {
        self.0.value()
    }
}
