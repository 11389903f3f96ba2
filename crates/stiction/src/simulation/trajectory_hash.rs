//! A number that stands for every bit of a trajectory.

use crate::state::State;

/// FNV-1a (64 bits) over the little-endian bytes of time, positions and velocities of the states added, in their order: two
/// runs with the same hash took the same way, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrajectoryHash(u64);

impl Default for TrajectoryHash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl TrajectoryHash {
    /// Adds a state, usually that after each step.
    pub fn add(&mut self, state: &State) {
        self.add_numbers(&[state.time]);
        self.add_numbers(&state.q);
        self.add_numbers(&state.v);
    }

    /// Adds other numbers, such as readings of sensors.
    pub fn add_numbers(&mut self, numbers: &[f64]) {
        for byte in numbers.iter().flat_map(|x| x.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    /// The hash of what was added so far.
    pub fn value(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_fowler_noll_and_vos() {
        // The bytes of "foobar!!" as a double; the value is that of the reference implementation.
        let mut hash = TrajectoryHash::default();
        hash.add_numbers(&[f64::from_le_bytes(*b"foobar!!")]);
        let expected = b"foobar!!"
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(1_099_511_628_211));
        assert_eq!(hash.value(), expected);
        assert_ne!(hash, TrajectoryHash::default());
    }
}
