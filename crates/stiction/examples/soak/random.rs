//! Random numbers that are the same everywhere.

use nalgebra::{UnitQuaternion, Vector3};

pub use stiction_base::random::Random;

/// Numbers over magnitudes, chances, vectors and rotations.
pub trait Draw {
    /// A magnitude, uniform in its logarithm.
    fn decades(&mut self, low: f64, high: f64) -> f64;
    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool;
    fn vector(&mut self, size: f64) -> Vector3<f64>;
    fn direction(&mut self) -> Vector3<f64>;
    fn turn(&mut self) -> UnitQuaternion<f64>;
}

impl Draw for Random {
    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.range(low.log10(), high.log10()))
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.modulo(n) == 0
    }
    fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.range(-size, size))
    }
    fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector(1.0);
            if v.norm() > 0.1 && v.norm() < 1.0 {
                return v.normalize();
            }
        }
    }
    fn turn(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(self.vector(3.0))
    }
}
