//! Radau IIA with three stages: implicit, of order 5, stiffly accurate (Hairer and Wanner, Solving ODEs II, IV.8).
//!
//! Stages zᵢ = Yᵢ − y₀ solve z = h (A ⊗ 1) f(y₀ + z). A⁻¹ has one real and two complex eigenvalues; in eigenvector
//! coordinates Newton's equations decouple into one real and one complex system of the size of the problem,
//!
//! ```text
//! (γ − J) x = r,      γ = û/h,  (α + iβ)/h
//! ```
//!
//! With J = [0 1 0; J_θ, J_vs] in (θ; v, s), θ is eliminated: x_θ = (r_θ + x_v)/γ, and
//!
//! ```text
//! (γ − J_vs − J_θ P/γ) x_vs = r_vs + J_θ r_θ/γ,    P takes v out of (v, s)
//! ```
//!
//! An embedded formula of order 3 estimates the error; between y₀ and y₁ the collocation polynomial is the dense output.
//! Nothing is kept between steps except the next step size, so the result depends only on the state.

use super::dynamics::{Dynamics, Interrupt};
use super::jacobian::Jacobian;
use super::lu::Lu;
use super::traction::Flow;
use crate::model::Model;
use crate::options::Options;
use crate::state::State;
use nalgebra::Complex;

const SQRT6: f64 = 2.449_489_742_783_178;
/// Nodes.
pub(super) const C: [f64; 3] = [(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0];
/// Weights: the last row of A.
const B: [f64; 3] = [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0];
/// Eigenvectors of A⁻¹ and their inverse.
const T: [[f64; 3]; 3] = [
    [0.091_232_394_870_892_95, -0.141_255_295_020_954_2, -0.030_029_194_105_147_424],
    [0.241_717_932_707_107, 0.204_129_352_293_799_94, 0.382_942_112_757_262],
    [0.966_048_182_615_093, 1.0, 0.0],
];
const TI: [[f64; 3]; 3] = [
    [4.325_579_890_063_155, 0.339_199_251_815_809_84, 0.541_770_539_935_874_9],
    [-4.178_718_591_551_905, -0.327_682_820_761_062_4, 0.476_623_554_500_550_44],
    [-0.502_872_634_945_786_9, 2.571_926_949_855_605, -0.596_039_204_828_224_9],
];
/// Eigenvalues of A⁻¹: real, and real and imaginary part of the complex pair.
const REAL: f64 = 3.637_834_252_744_496;
const COMPLEX: (f64, f64) = (2.681_082_873_627_752, 3.050_430_199_247_411);
/// Weights of the error estimate.
const E: [f64; 3] = [-(13.0 + 7.0 * SQRT6) / 3.0, (-13.0 + 7.0 * SQRT6) / 3.0, -1.0 / 3.0];

/// Newton iterations allowed.
pub(super) const ITERATIONS: usize = 10;
/// Tolerance of Newton's method as a fraction of the step's tolerance.
const NEWTON: f64 = 1e-2;

/// Result of an attempt.
#[derive(Clone, Copy, Debug)]
pub(super) enum Attempt {
    /// Solved: error relative to the tolerance, Newton iterations, and energies exchanged, J.
    Solved { error: f64, iterations: usize, flow: Flow },
    /// Newton's iteration did not converge.
    Diverged { iterations: usize },
}

/// Buffers of a step.
#[derive(Default)]
pub(super) struct Radau {
    real: Lu<f64>,
    complex: Lu<Complex<f64>>,
    z: [Vec<f64>; 3],
    w: [Vec<f64>; 3],
    f: [Vec<f64>; 3],
    y: Vec<f64>,
    r: Vec<f64>,
    rc: Vec<Complex<f64>>,
    x: Vec<f64>,
    xc: Vec<Complex<f64>>,
}

/// Initial data of an attempt.
pub(super) struct Start<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    pub state: &'a State,
    /// (0, v, s).
    pub x: &'a [f64],
    pub f: &'a [f64],
    /// Inverse of the error tolerance of each coordinate.
    pub weights: &'a [f64],
}

/// The largest error relative to the tolerance. NaN counts as infinite.
pub(super) fn norm(x: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    let larger = |m: f64, (x, w): (f64, &f64)| if x.is_nan() { f64::INFINITY } else { m.max((x * w).abs()) };
    x.zip(weights).fold(0.0, larger)
}

impl Radau {
    /// The stages of the last solved attempt: y₀ + zᵢ at C[i].
    pub fn stages(&self) -> &[Vec<f64>; 3] {
        &self.z
    }

    pub fn attempt(
        &mut self,
        dynamics: &mut Dynamics,
        jacobian: &Jacobian,
        start: &Start,
        h: f64,
    ) -> Result<Attempt, Interrupt> {
        let (n, nv) = (start.x.len(), start.model.nv());
        if !self.factor(jacobian, n, nv, h) {
            return Ok(Attempt::Diverged { iterations: 0 });
        }
        for k in 0..3 {
            for list in [&mut self.z[k], &mut self.w[k], &mut self.f[k]] {
                list.clear();
                list.resize(n, 0.0);
            }
            // Initial guess: positions are extrapolated, velocities are constant, because they may be stiff.
            for i in 0..nv {
                self.z[k][i] = C[k] * h * start.x[nv + i];
            }
        }
        for list in [&mut self.y, &mut self.r, &mut self.x] {
            list.clear();
            list.resize(n, 0.0);
        }
        let zero = Complex::new(0.0, 0.0);
        for list in [&mut self.rc, &mut self.xc] {
            list.clear();
            list.resize(n, zero);
        }
        to_eigenvectors(&TI, &self.z, &mut self.w);
        let (mut previous, mut rate) = (0.0, 1.0f64);
        let mut flow;
        for iteration in 1..=ITERATIONS {
            flow = Flow::default();
            for k in 0..3 {
                for i in 0..n {
                    self.y[i] = start.x[i] + self.z[k][i];
                }
                let (model, options, state) = (start.model, start.options, start.state);
                let power = dynamics.derivative(model, options, state, &self.y, &mut self.f[k])?;
                flow.add(h * B[k], &power);
            }
            let size = self.newton(jacobian, n, nv, h, start.weights);
            to_eigenvectors(&T, &self.w, &mut self.z);
            if !size.is_finite() {
                return Ok(Attempt::Diverged { iterations: iteration });
            }
            if iteration > 1 {
                rate = size / previous;
                let left = (ITERATIONS - iteration) as i32;
                let hopeless = rate >= 0.99 || rate.powi(left) / (1.0 - rate) * size > NEWTON;
                if hopeless && size > 1e-13 {
                    return Ok(Attempt::Diverged { iterations: iteration });
                }
            }
            let error = if iteration > 1 { rate / (1.0 - rate) * size } else { size };
            if error <= NEWTON || size <= 1e-13 {
                let error = self.error(dynamics, jacobian, start, h)?;
                return Ok(Attempt::Solved { error, iterations: iteration, flow });
            }
            previous = size;
        }
        Ok(Attempt::Diverged { iterations: ITERATIONS })
    }

    /// Factors γ − J_vs − J_θ P/γ for the real and the complex eigenvalue.
    fn factor(&mut self, jacobian: &Jacobian, n: usize, nv: usize, h: f64) -> bool {
        let m = n - nv;
        let gamma = REAL / h;
        let a = self.real.matrix(m);
        for i in 0..m {
            let (rest, theta) = (&jacobian.rest[i * m..(i + 1) * m], &jacobian.theta[i * nv..(i + 1) * nv]);
            let row = &mut a[i * m..(i + 1) * m];
            row.iter_mut().zip(rest).for_each(|(a, r)| *a = -r);
            row.iter_mut().zip(theta).for_each(|(a, t)| *a -= t / gamma);
            row[i] += gamma;
        }
        let gamma = Complex::new(COMPLEX.0 / h, COMPLEX.1 / h);
        let inverse = Complex::new(1.0, 0.0) / gamma;
        let a = self.complex.matrix(m);
        for i in 0..m {
            let (rest, theta) = (&jacobian.rest[i * m..(i + 1) * m], &jacobian.theta[i * nv..(i + 1) * nv]);
            let row = &mut a[i * m..(i + 1) * m];
            row.iter_mut().zip(rest).for_each(|(a, r)| *a = Complex::new(-r, 0.0));
            row.iter_mut().zip(theta).for_each(|(a, t)| *a -= inverse * *t);
            row[i] += gamma;
        }
        self.real.factor() && self.complex.factor()
    }

    /// One Newton step on w; returns its size.
    fn newton(&mut self, jacobian: &Jacobian, n: usize, nv: usize, h: f64, weights: &[f64]) -> f64 {
        let (gamma, alpha, beta) = (REAL / h, COMPLEX.0 / h, COMPLEX.1 / h);
        for i in 0..n {
            let f: [f64; 3] = std::array::from_fn(|k| (0..3).map(|j| TI[k][j] * self.f[j][i]).sum());
            self.r[i] = f[0] - gamma * self.w[0][i];
            let re = f[1] - (alpha * self.w[1][i] - beta * self.w[2][i]);
            let im = f[2] - (alpha * self.w[2][i] + beta * self.w[1][i]);
            self.rc[i] = Complex::new(re, im);
        }
        solve(&self.real, jacobian, gamma, nv, &self.r, &mut self.x);
        solve(&self.complex, jacobian, Complex::new(alpha, beta), nv, &self.rc, &mut self.xc);
        for i in 0..n {
            self.w[0][i] += self.x[i];
            self.w[1][i] += self.xc[i].re;
            self.w[2][i] += self.xc[i].im;
        }
        let parts = self.x.iter().zip(&self.xc).map(|(x, c)| x.abs().max(c.norm()));
        norm(parts, weights)
    }

    /// The error estimate (γ − J)⁻¹ (f(y₀) + Σ eₖ zₖ/h), filtered once more if it is large.
    fn error(
        &mut self,
        dynamics: &mut Dynamics,
        jacobian: &Jacobian,
        start: &Start,
        h: f64,
    ) -> Result<f64, Interrupt> {
        let (n, nv, gamma) = (start.x.len(), start.model.nv(), REAL / h);
        let tail = |z: &[Vec<f64>; 3], i: usize| (0..3).map(|k| E[k] * z[k][i]).sum::<f64>() / h;
        for i in 0..n {
            self.r[i] = start.f[i] + tail(&self.z, i);
        }
        solve(&self.real, jacobian, gamma, nv, &self.r, &mut self.x);
        let error = norm(self.x.iter().copied(), start.weights);
        if error <= 1.0 {
            return Ok(error);
        }
        for i in 0..n {
            self.y[i] = start.x[i] + self.x[i];
        }
        dynamics.derivative(start.model, start.options, start.state, &self.y, &mut self.r)?;
        for i in 0..n {
            self.r[i] += tail(&self.z, i);
        }
        solve(&self.real, jacobian, gamma, nv, &self.r, &mut self.x);
        Ok(norm(self.x.iter().copied(), start.weights))
    }
}

/// x = (γ − J)⁻¹ r from the factors with θ eliminated.
fn solve<S>(lu: &Lu<S>, jacobian: &Jacobian, gamma: S, nv: usize, r: &[S], x: &mut [S])
where
    S: nalgebra::ComplexField<RealField = f64> + Copy,
{
    let m = r.len() - nv;
    let (x_theta, x_rest) = x.split_at_mut(nv);
    for i in 0..m {
        let row = &jacobian.theta[i * nv..(i + 1) * nv];
        let sum = row.iter().zip(r).fold(S::zero(), |sum, (t, r)| sum + r.scale(*t));
        x_rest[i] = r[nv + i] + sum / gamma;
    }
    lu.solve(x_rest);
    for i in 0..nv {
        x_theta[i] = (r[i] + x_rest[i]) / gamma;
    }
}

/// out = matrix · input, where each is three vectors.
fn to_eigenvectors(matrix: &[[f64; 3]; 3], input: &[Vec<f64>; 3], out: &mut [Vec<f64>; 3]) {
    for i in 0..input[0].len() {
        let z = [input[0][i], input[1][i], input[2][i]];
        for k in 0..3 {
            out[k][i] = matrix[k][0] * z[0] + matrix[k][1] * z[1] + matrix[k][2] * z[2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    /// Radau IIA from its definition: collocation at C.
    fn a() -> Matrix3<f64> {
        let powers = Matrix3::from_fn(|i, j| C[i].powi(j as i32));
        let integrals = Matrix3::from_fn(|i, j| C[i].powi(j as i32 + 1) / (j + 1) as f64);
        integrals * powers.try_inverse().unwrap()
    }

    fn matrix(rows: &[[f64; 3]; 3]) -> Matrix3<f64> {
        Matrix3::from_fn(|i, j| rows[i][j])
    }

    #[test]
    fn the_transformation_takes_the_inverse_of_a_apart() {
        let (t, ti) = (matrix(&T), matrix(&TI));
        assert!((t * ti - Matrix3::identity()).norm() < 1e-13);
        let (u, (alpha, beta)) = (REAL, COMPLEX);
        let blocks = Matrix3::new(u, 0.0, 0.0, 0.0, alpha, -beta, 0.0, beta, alpha);
        let inverse = a().try_inverse().unwrap();
        assert!((ti * inverse * t - blocks).norm() < 1e-12, "{}", ti * inverse * t);
    }

    #[test]
    fn weights_are_the_last_row_and_the_error_estimate_has_order_three() {
        let a = a();
        for k in 0..3 {
            assert!((a[(2, k)] - B[k]).abs() < 1e-14);
        }
        // γ₀ h f₀ + Σ eₖ zₖ annihilates polynomials up to degree 3: with y = tᵏ, z = cᵏ and f₀ = k 0^(k−1); the factor
        // û of the real eigenvalue times y₁'s defect is left out for k = 1, where f₀ counts.
        for k in 1..=3 {
            let sum: f64 = (0..3).map(|i| E[i] * C[i].powi(k)).sum();
            let f0 = if k == 1 { 1.0 } else { 0.0 };
            assert!((sum + f0).abs() < 1e-13, "{k}: {sum}");
        }
    }
}
