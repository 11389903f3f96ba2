//! Explicit embedded Runge–Kutta pairs: for motion without contact, or with soft contact.

use super::dynamics::{Dynamics, Interrupt};
use super::radau::{Start, norm};
use super::traction::Flow;

/// Coefficients of a pair whose last stage is the solution itself.
pub(super) struct Pair {
    a: &'static [&'static [f64]],
    /// Solution minus embedded solution.
    e: &'static [f64],
    /// Order of the embedded solution plus one.
    pub order: f64,
    /// Weights of the dense output's quartic.
    middle: &'static [f64],
}

/// Bogacki and Shampine, order 3(2).
pub(super) const BOGACKI_SHAMPINE: Pair = Pair {
    a: &[&[], &[0.5], &[0.0, 0.75], &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]],
    e: &[2.0 / 9.0 - 7.0 / 24.0, 1.0 / 3.0 - 0.25, 4.0 / 9.0 - 1.0 / 3.0, -0.125],
    order: 3.0,
    middle: &[],
};

/// Dormand and Prince, order 5(4).
pub(super) const DORMAND_PRINCE: Pair = Pair {
    a: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    e: &[71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0],
    order: 5.0,
    middle: &[
        -12715105075.0 / 11282082432.0,
        0.0,
        87487479700.0 / 32700410799.0,
        -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0,
        -1453857185.0 / 822651844.0,
        69997945.0 / 29380423.0,
    ],
};

/// Buffers of a step.
#[derive(Default)]
pub(super) struct Explicit {
    k: Vec<Vec<f64>>,
    pub y: Vec<f64>,
}

impl Explicit {
    /// Coordinate `i` at the share `t` of the last attempt's step from `x0` to `x1`: a cubic through values and
    /// slopes at both ends, with the dense-output correction of the pair (fourth order for Dormand and Prince).
    pub fn between(&self, pair: &Pair, i: usize, t: f64, h: f64, (x0, x1): (f64, f64)) -> f64 {
        let u = 1.0 - t;
        let (f0, f1) = (h * self.k[0][i], h * self.k[pair.a.len() - 1][i]);
        let middle: f64 = pair.middle.iter().zip(&self.k).map(|(d, k)| d * k[i]).sum();
        x0 * u * u * (1.0 + 2.0 * t)
            + x1 * t * t * (1.0 + 2.0 * u)
            + t * u * (f0 * u - f1 * t)
            + (t * u).powi(2) * h * middle
    }

    /// One step of length h from `start`, stored in `y`. Returns the error relative to the tolerance and the
    /// energies exchanged, J.
    pub fn attempt(
        &mut self,
        dynamics: &mut Dynamics,
        pair: &Pair,
        start: &Start,
        flow0: &Flow,
        h: f64,
    ) -> Result<(f64, Flow), Interrupt> {
        let (n, stages) = (start.x.len(), pair.a.len());
        if self.k.len() < stages {
            self.k.resize(stages, Vec::new());
        }
        for k in &mut self.k {
            k.resize(n, 0.0);
        }
        self.y.resize(n, 0.0);
        self.k[0].copy_from_slice(start.f);
        let weights = pair.a[stages - 1];
        let mut flow = Flow::default();
        flow.add(h * weights[0], flow0);
        for stage in 1..stages {
            for i in 0..n {
                let sum: f64 = pair.a[stage].iter().zip(&self.k).map(|(a, k)| a * k[i]).sum();
                self.y[i] = start.x[i] + h * sum;
            }
            let (model, options, state) = (start.model, start.options, start.state);
            let power = dynamics.derivative(model, options, state, &self.y, &mut self.k[stage])?;
            flow.add(h * weights.get(stage).copied().unwrap_or(0.0), &power);
        }
        let error = |i: usize| h * pair.e.iter().zip(&self.k).map(|(e, k)| e * k[i]).sum::<f64>();
        Ok((norm((0..n).map(error), start.weights), flow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pairs_meet_their_order_conditions() {
        for pair in [BOGACKI_SHAMPINE, DORMAND_PRINCE] {
            let stages = pair.a.len();
            let c: Vec<f64> = pair.a.iter().map(|row| row.iter().sum()).collect();
            let b = |i: usize| pair.a[stages - 1].get(i).copied().unwrap_or(0.0);
            for order in 1..=pair.order as i32 {
                let sum: f64 = (0..stages).map(|i| b(i) * c[i].powi(order - 1)).sum();
                assert!((sum - 1.0 / f64::from(order)).abs() < 1e-13, "order {order}: {sum}");
                let embedded: f64 = (0..stages).map(|i| pair.e[i] * c[i].powi(order - 1)).sum();
                assert!(embedded.abs() < 1e-13 || f64::from(order) >= pair.order, "{embedded}");
            }
        }
    }
}
