//! Laws and gradient of an island at its current u.
//!
//! ```text
//! place          V = Σ_sides J u + bias,   v_c = Rᵀ(V_lin + ω × r) + b       once
//! follow         u += α Δu,   v_c += α Δv_c                                  after each line search
//! laws           v_c  →  γ, G  →  one wrench and one 6×6 per pair
//! gradient       ∇ℓ = A(u − u0) − p − Σ Jᵀ (wrench),   p the impulse of applied forces
//! ```

use super::columns::{self, Columns};
use super::island::{Island, LocalPair, LocalRow, SideJacobian};
use crate::linear::kernels;
use crate::packet::{self, Hessian, Kind};
use crate::problem::Problem;
use crate::spatial::{PairSum, V3, V6, add, cross, dot, shift_twist};
use stiction_base::fused::Fused;

/// ε_f of [`Island::rounding_level`]: rounding error of a sum of about a dozen terms, in units of the last place.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

impl Island {
    /// Relative twist of a pair for coordinates (or a step) `u`, without bias.
    pub fn twist_of(&self, pair: &LocalPair, u: &[f64]) -> V6 {
        let mut twist = [0.0; 6];
        for side in &pair.sides[..pair.side_count as usize] {
            let (dof, n) = (side.dof as usize, side.n as usize);
            match side.jacobian {
                SideJacobian::Free { p, sign } => {
                    let u: [f64; 6] = u[dof..dof + 6].try_into().expect("six dofs");
                    let shifted = shift_twist(u, p);
                    for i in 0..6 {
                        twist[i] += sign * shifted[i];
                    }
                }
                SideJacobian::Columns { at, count } => {
                    let columns = &self.columns[at as usize..(at + count) as usize];
                    columns::add_twist(columns, &u[dof..dof + n], &mut twist);
                }
            }
        }
        twist
    }

    /// Relative twist of a pair at the current u.
    pub fn twist_with_bias(&self, pair: &LocalPair) -> V6 {
        let mut twist = self.twist_of(pair, &self.u);
        for i in 0..6 {
            twist[i] += pair.bias[i];
        }
        twist
    }

    /// Computes all velocities from u. Afterwards Newton's steps update them: see [`crate::packet`].
    pub fn place(&mut self, problem: &Problem) {
        let kind = self.kind(problem.settings.model);
        for p in 0..self.pairs.len() {
            let pair = &self.pairs[p];
            let twist = self.twist_with_bias(pair);
            packet::place(&mut self.packets[range(&pair.packets)], kind, &twist);
            packet::place(&mut self.springs[range(&pair.springs)], Kind::Spring, &twist);
            packet::place(&mut self.turning[range(&pair.turning)], kind, &twist);
            packet::place(&mut self.turning_springs[range(&pair.turning_springs)], Kind::Spring, &twist);
            for c in range(&pair.contacts) {
                let contact = &self.contacts[c];
                let mut v = contact.velocity(&twist);
                (0..3).for_each(|i| v[i] += contact.bias[i]);
                self.contact_velocity[c] = v;
            }
            for r in range(&pair.rows) {
                let row = &self.pair_rows[r];
                self.row_argument[r] = dot6(&row.direction, &twist) - row.law.origin();
            }
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            self.row_argument[first + r] = self.row_velocity(row) - row.law.origin();
        }
    }

    /// Velocity of a row on dofs.
    fn row_velocity(&self, row: &LocalRow) -> f64 {
        let entries = &self.row_entries[range(&row.entries)];
        row.bias + entries.iter().map(|&(dof, c)| c * self.u[dof as usize]).sum::<f64>()
    }

    /// Velocities of all rows into their places in the problem.
    pub fn row_velocities(&self, out: &mut [f64]) {
        for pair in self.pairs.iter().filter(|pair| !pair.rows.is_empty()) {
            let twist = self.twist_with_bias(pair);
            for row in &self.pair_rows[range(&pair.rows)] {
                out[row.global as usize] = dot6(&row.direction, &twist);
            }
        }
        for row in &self.rows {
            out[row.global as usize] = self.row_velocity(row);
        }
    }

    /// Velocities after α of the step that the line search was prepared for.
    pub fn follow(&mut self, problem: &Problem, alpha: f64) {
        for i in 0..self.u.len() {
            self.u[i] = alpha.fused(self.step[i], self.u[i]);
        }
        let kind = self.kind(problem.settings.model);
        packet::advance(&mut self.packets, kind, alpha);
        packet::advance(&mut self.springs, Kind::Spring, alpha);
        packet::advance(&mut self.turning, kind, alpha);
        packet::advance(&mut self.turning_springs, Kind::Spring, alpha);
        for (v, dv) in self.contact_velocity.iter_mut().zip(&self.contact_step) {
            (0..6).for_each(|i| v[i] = alpha.fused(dv[i], v[i]));
        }
        for (v, dv) in self.row_argument.iter_mut().zip(&self.row_step) {
            *v = alpha.fused(*dv, *v);
        }
    }

    /// Evaluates all laws at the velocities: impulses, pair sums, row curvatures. False when a law is
    /// outside its domain or a number is not finite. `hessian` chooses between the true one and
    /// the primal–dual one of [`crate::packet`].
    pub fn evaluate_laws(&mut self, problem: &Problem, hessian: Hessian) -> bool {
        let kind = self.kind(problem.settings.model);
        for p in 0..self.pairs.len() {
            let pair = &self.pairs[p];
            let mut sum = PairSum::default();
            packet::evaluate(&mut self.packets[range(&pair.packets)], kind, hessian, &mut sum);
            packet::evaluate(&mut self.springs[range(&pair.springs)], Kind::Spring, hessian, &mut sum);
            packet::evaluate(&mut self.turning[range(&pair.turning)], kind, hessian, &mut sum);
            let springs = &mut self.turning_springs[range(&pair.turning_springs)];
            packet::evaluate(springs, Kind::Spring, hessian, &mut sum);
            for c in range(&pair.contacts) {
                let contact = &self.contacts[c];
                let value = contact.evaluate(problem, self.stand_in, self.contact_velocity[c]);
                contact.add_to(&mut sum, &value);
                self.contact_impulse[c] = value.impulse;
            }
            for r in range(&pair.rows) {
                let row = &self.pair_rows[r];
                let value = row.law.evaluate_from(self.row_argument[r]);
                sum.add_row(&row.direction, value.impulse, value.hessian);
                self.row_impulse[r] = value.impulse;
            }
            self.sums[p] = sum;
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            let value = row.law.evaluate_from(self.row_argument[first + r]);
            self.row_impulse[first + r] = value.impulse;
            self.row_hessian[first + r] = value.hessian;
        }
        self.sums.iter().all(|s| (s.wrench.iter().sum::<f64>() + s.ll.iter().sum::<f64>()).is_finite())
    }

    /// Rounding level of ‖D∇ℓ‖: ε_f D (|A| (|u| + |u0|) + |p| + Σ |Jᵀ| |γ|), every sum taken of magnitudes.
    ///
    /// The gradient is the difference of these sums, and each of their terms is accurate to a few units of the last
    /// place. Stiffness has no influence, because the arguments of the laws keep their own accuracy.
    pub fn rounding_level(&mut self) -> f64 {
        let out = &mut self.magnitude;
        for (out, applied) in out.iter_mut().zip(&self.applied) {
            *out = applied.abs();
        }
        for c in &self.cliques {
            let (n, dof, a) = (c.n as usize, c.dof as usize, c.a as usize);
            for j in 0..n {
                let size = self.u[dof + j].abs() + self.u0[dof + j].abs();
                for i in 0..n {
                    out[dof + i] += self.a[a + i + n * j].abs() * size;
                }
            }
        }
        for pair in &self.pairs {
            let mut wrench = [0.0; 6];
            let mut add = |(force, torque): (f64, f64)| {
                for i in 0..3 {
                    wrench[i] += torque;
                    wrench[3 + i] += force;
                }
            };
            self.packets[range(&pair.packets)].iter().for_each(|p| add(p.magnitude()));
            self.springs[range(&pair.springs)].iter().for_each(|p| add(p.magnitude()));
            self.turning[range(&pair.turning)].iter().for_each(|p| add(p.magnitude()));
            self.turning_springs[range(&pair.turning_springs)].iter().for_each(|p| add(p.magnitude()));
            for c in range(&pair.contacts) {
                let ([x, y, z, a, b, c], r) = (self.contact_impulse[c], self.contacts[c].r);
                let (size, turn) = (dot([x, y, z], [x, y, z]).sqrt(), dot([a, b, c], [a, b, c]).sqrt());
                add((size, dot(r, r).sqrt() * size + turn));
            }
            for r in range(&pair.rows) {
                for i in 0..6 {
                    wrench[i] += (self.pair_rows[r].direction[i] * self.row_impulse[r]).abs();
                }
            }
            for side in &pair.sides[..pair.side_count as usize] {
                let (dof, n) = (side.dof as usize, side.n as usize);
                match side.jacobian {
                    SideJacobian::Free { p, .. } => {
                        let arm = dot(p, p).sqrt();
                        for i in 0..3 {
                            out[dof + i] += wrench[i] + arm * wrench[3 + i];
                            out[dof + 3 + i] += wrench[3 + i];
                        }
                    }
                    SideJacobian::Columns { at, count } => {
                        let columns = &self.columns[at as usize..(at + count) as usize];
                        columns::add_magnitude(columns, &wrench, &mut out[dof..dof + n]);
                    }
                }
            }
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            for &(dof, c) in &self.row_entries[range(&row.entries)] {
                out[dof as usize] += (c * self.row_impulse[first + r]).abs();
            }
        }
        ROUNDING * out.iter().zip(&self.d).map(|(x, d)| (x * d) * (x * d)).sum::<f64>().sqrt()
    }

    /// Momentum change, constraint impulse and gradient from the evaluated laws.
    pub fn evaluate_gradient(&mut self) {
        for c in &self.cliques {
            let (n, dof, a) = (c.n as usize, c.dof as usize, c.a as usize);
            let difference = &mut self.step[dof..dof + n]; // free at this point of an iteration
            for i in 0..n {
                difference[i] = self.u[dof + i] - self.u0[dof + i];
            }
            let out = &mut self.momentum_change[dof..dof + n];
            multiply(&self.a[a..a + n * n], difference, out, n);
            for i in 0..n {
                out[i] -= self.applied[dof + i];
            }
        }
        self.constraint_impulse.fill(0.0);
        for (pair, sum) in self.pairs.iter().zip(&self.sums) {
            add_impulse(pair, &self.columns, &sum.wrench, &mut self.constraint_impulse);
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            for &(dof, c) in &self.row_entries[row.entries.start as usize..row.entries.end as usize] {
                self.constraint_impulse[dof as usize] += c * self.row_impulse[first + r];
            }
        }
        for i in 0..self.gradient.len() {
            self.gradient[i] = self.momentum_change[i] - self.constraint_impulse[i];
        }
    }
}

/// Adds Jᵀ of a wrench about the pair's point.
#[inline(always)]
pub fn add_impulse(pair: &LocalPair, all: &[Columns], wrench: &V6, out: &mut [f64]) {
    for side in &pair.sides[..pair.side_count as usize] {
        let (dof, n) = (side.dof as usize, side.n as usize);
        let out = &mut out[dof..dof + n];
        match side.jacobian {
            SideJacobian::Free { p, sign } => {
                let [tx, ty, tz, x, y, z] = *wrench;
                let c = cross(p, [x, y, z]);
                let f = [tx + c[0], ty + c[1], tz + c[2], x, y, z];
                for i in 0..6 {
                    out[i] += sign * f[i];
                }
            }
            SideJacobian::Columns { at, count } => {
                columns::add_impulse(&all[at as usize..(at + count) as usize], wrench, out);
            }
        }
    }
}

/// A range of indices.
#[inline(always)]
pub fn range(r: &std::ops::Range<u32>) -> std::ops::Range<usize> {
    r.start as usize..r.end as usize
}

/// Axes of a contact's frame in world.
#[inline(always)]
pub fn frame_axes(problem: &Problem, contact: u32) -> [V3; 3] {
    let frame = &problem.contacts[contact as usize].frame;
    let m = frame.as_slice();
    [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]]
}

/// Velocity of the point `r` of a twist.
#[inline(always)]
pub fn point_velocity(twist: &V6, r: V3) -> V3 {
    let [wx, wy, wz, x, y, z] = *twist;
    add([x, y, z], cross([wx, wy, wz], r))
}

#[inline(always)]
pub fn dot6(a: &V6, b: &V6) -> f64 {
    let mut sum = 0.0;
    for i in 0..6 {
        sum += a[i] * b[i];
    }
    sum
}

/// out = A x for a square block, with a fast path for six dofs.
#[inline(always)]
pub fn multiply(a: &[f64], x: &[f64], out: &mut [f64], n: usize) {
    if n == 6 {
        let (a, x): (&[f64; 36], &[f64; 6]) = (a.try_into().expect("6x6"), x.try_into().expect("six dofs"));
        let mut y = [0.0; 6];
        for c in 0..6 {
            for r in 0..6 {
                y[r] = a[r + 6 * c].fused(x[c], y[r]);
            }
        }
        out.copy_from_slice(&y);
    } else {
        kernels::multiply(out, a, x, n);
    }
}
