//! Newton's method on a capped step whose modes Gauss–Seidel has found but approaches slowly.
//!
//! From the present impulse each contact is taken to be apart (λ = 0), at its cap, or in between (u_n = 0), and to stick
//! (u_t = 0) or to slip (λ_t = −μ λ_n û_t). With these held, the step is a smooth system in λ; feet that stick together make it
//! singular but consistent, so u = 0 is regularised by a trace of the identity. Whether the modes were right is for the
//! caller to check.

use crate::problem::Problem;

/// Room for the linear system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newton {
    a: Vec<f64>,
    b: Vec<f64>,
}

/// What regularises contacts at rest, relative to W's largest entry, which is one.
const TRACE: f64 = 1e-11;

impl Newton {
    /// A few iterations from `lambda`, with velocities u = `start` + W λ.
    pub fn improve(
        &mut self,
        problem: &Problem,
        caps: &[f64],
        start: &[f64],
        lambda: &mut [f64],
        u: &mut [f64],
    ) {
        let (n, side, t) = (problem.rows(), problem.side(), problem.tangents);
        for _ in 0..6 {
            self.a.clear();
            self.a.resize(n * n, 0.0);
            self.b.clear();
            self.b.resize(n, 0.0);
            for c in 0..problem.contacts() {
                let (at, mu) = (c * side, problem.mu[c]);
                let (normal, u_n) = (lambda[at + t], u[at + t]);
                let slip = (0..t).map(|k| u[at + k] * u[at + k]).sum::<f64>().sqrt();
                let push = (0..t).map(|k| lambda[at + k] * lambda[at + k]).sum::<f64>().sqrt();
                let row = |k: usize| (at + k) * n;
                let apart = normal <= 1e-14;
                // The normal row.
                if apart {
                    self.a[row(t) + at + t] = 1.0;
                    self.b[at + t] = -normal;
                } else if normal >= caps[c] * (1.0 - 1e-12) {
                    self.a[row(t) + at + t] = 1.0;
                    self.b[at + t] = caps[c] - normal;
                } else {
                    self.a[row(t)..row(t) + n].copy_from_slice(&problem.w[row(t)..row(t) + n]);
                    self.a[row(t) + at + t] += TRACE;
                    self.b[at + t] = -u_n;
                }
                // The tangent rows.
                let sticks = push < mu * normal * (1.0 - 1e-9) || slip <= 1e-13;
                for k in 0..t {
                    if apart || mu == 0.0 {
                        self.a[row(k) + at + k] = 1.0;
                        self.b[at + k] = -lambda[at + k];
                    } else if sticks {
                        self.a[row(k)..row(k) + n].copy_from_slice(&problem.w[row(k)..row(k) + n]);
                        self.a[row(k) + at + k] += TRACE;
                        self.b[at + k] = -u[at + k];
                    } else {
                        // λ_t + μ λ_n û = 0, û turns with u_t by (I − û ûᵀ)/|u_t|.
                        let direction = u[at + k] / slip;
                        self.b[at + k] = -(lambda[at + k] + mu * normal * direction);
                        for j in 0..t {
                            let turn = (f64::from(u8::from(j == k)) - direction * u[at + j] / slip) / slip;
                            let factor = mu * normal * turn;
                            if factor != 0.0 {
                                for i in 0..n {
                                    self.a[row(k) + i] += factor * problem.w[row(j) + i];
                                }
                            }
                        }
                        self.a[row(k) + at + k] += 1.0;
                        self.a[row(k) + at + t] += mu * direction;
                    }
                }
            }
            if !self.eliminate(n) {
                return;
            }
            let mut moved: f64 = 0.0;
            for (l, d) in lambda.iter_mut().zip(&self.b) {
                *l += d;
                moved = moved.max(d.abs());
            }
            u.copy_from_slice(start);
            for (k, &l) in lambda.iter().enumerate() {
                if l != 0.0 {
                    for (u, w) in u.iter_mut().zip(&problem.w[k * n..(k + 1) * n]) {
                        *u += l * w;
                    }
                }
            }
            if moved <= 1e-15 {
                return;
            }
        }
    }

    /// Gauss elimination with row pivots; the solution goes to `b`. False if singular or not finite.
    fn eliminate(&mut self, n: usize) -> bool {
        let (a, b) = (&mut self.a, &mut self.b);
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if a[i * n + k].abs() > a[best * n + k].abs() {
                    best = i;
                }
            }
            if a[best * n + k].is_nan() || a[best * n + k].abs() <= 1e-300 {
                return false;
            }
            if best != k {
                for j in k..n {
                    a.swap(k * n + j, best * n + j);
                }
                b.swap(k, best);
            }
            let inverse = 1.0 / a[k * n + k];
            let (upper, lower) = a.split_at_mut((k + 1) * n);
            let pivot = &upper[k * n..];
            for (i, row) in lower.chunks_exact_mut(n).enumerate() {
                let f = row[k] * inverse;
                if f != 0.0 {
                    for j in k..n {
                        row[j] -= f * pivot[j];
                    }
                    b[k + 1 + i] -= f * b[k];
                }
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                b[k] -= a[k * n + j] * b[j];
            }
            b[k] /= a[k * n + k];
        }
        b.iter().all(|x| x.is_finite())
    }
}
