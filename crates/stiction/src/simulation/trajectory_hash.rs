//! Hash of all bits of a trajectory.

use crate::state::State;
use stiction_base::hash::Fnv1a;

/// FNV-1a (64 bits) over the little-endian bytes of time, positions and velocities of the states added, in order.
/// Two runs with the same hash have bitwise equal trajectories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrajectoryHash(Fnv1a);

impl TrajectoryHash {
    /// Adds a state, usually that after each step.
    pub fn add(&mut self, state: &State) {
        self.add_numbers(&[state.time]);
        self.add_numbers(&state.q);
        self.add_numbers(&state.v);
    }

    /// Adds other numbers, such as sensor readings.
    pub fn add_numbers(&mut self, numbers: &[f64]) {
        self.0.add_numbers(numbers);
    }

    /// The hash of all numbers added so far.
    pub fn value(&self) -> u64 {
        self.0.value()
    }
}
