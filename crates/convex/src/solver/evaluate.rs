//! Laws, gradient and Hessian of an island at its current u.
//!
//! ```text
//! pair twist     V = Σ_sides J u + bias
//! contacts       v_c = Rᵀ(V_lin + ω × r) + b  →  γ, G  →  one wrench and one 6×6 per pair
//! gradient       ∇ℓ = A(u − u*) − Σ Jᵀ (wrench)
//! Hessian        H = A + Σ Jᵀ (6×6) J
//! ```

use super::island::{Island, LocalPair, Side, SideJacobian};
use crate::linear::kernels;
use crate::normal::NormalLaw;
use crate::packet::{self, Hessian};
use crate::problem::Problem;
use crate::spatial::{PairSum, V3, V6, add, cross, dot, rotate_symmetric, shift_twist, v3};

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
                SideJacobian::Dense { at } => {
                    let at = at as usize;
                    kernels::add_ax(&mut twist, &self.jacobians[at..at + 6 * n], &u[dof..dof + n], 6, n);
                }
            }
        }
        twist
    }

    /// Evaluates all laws at u: velocities, impulses, pair sums, row curvatures. False when a law is
    /// outside its domain or a number is not finite. `hessian` chooses between the true one and
    /// the primal–dual one of [`crate::packet`].
    pub fn evaluate_laws(&mut self, problem: &Problem, hessian: Hessian) -> bool {
        for p in 0..self.pairs.len() {
            let pair = &self.pairs[p];
            let mut twist = self.twist_of(pair, &self.u);
            for i in 0..6 {
                twist[i] += pair.bias[i];
            }
            self.twists[p] = twist;
            let mut sum = PairSum::default();
            let packets = &mut self.packets[pair.packets.start as usize..pair.packets.end as usize];
            packet::evaluate(packets, problem.settings.model, &twist, hessian, &mut sum);
            for c in pair.contacts.start as usize..pair.contacts.end as usize {
                let contact = &self.contacts[c];
                let v = point_velocity(&twist, contact.r);
                let v = v3(|i| dot(contact.axes[i], v) + contact.bias[i]);
                let value = contact.evaluate(problem, self.stand_in, v);
                let [x, y, z] = value.impulse;
                let force = v3(|i| contact.axes[0][i] * x + contact.axes[1][i] * y + contact.axes[2][i] * z);
                sum.add_point(contact.r, force, rotate_symmetric(&contact.axes, &value.hessian));
                self.contact_velocity[c] = v;
                self.contact_impulse[c] = value.impulse;
            }
            for r in pair.rows.start as usize..pair.rows.end as usize {
                let row = &self.pair_rows[r];
                let v = dot6(&row.direction, &twist);
                let value = row.law.evaluate(v);
                sum.add_row(&row.direction, value.impulse, value.hessian);
                self.row_velocity[r] = v;
                self.row_impulse[r] = value.impulse;
            }
            self.sums[p] = sum;
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            let entries = &self.row_entries[row.entries.start as usize..row.entries.end as usize];
            let v = row.bias + entries.iter().map(|&(dof, c)| c * self.u[dof as usize]).sum::<f64>();
            let value = row.law.evaluate(v);
            self.row_velocity[first + r] = v;
            self.row_impulse[first + r] = value.impulse;
            self.row_hessian[first + r] = value.hessian;
        }
        self.sums.iter().all(|s| (s.wrench.iter().sum::<f64>() + s.ll.iter().sum::<f64>()).is_finite())
    }

    /// Momentum change, constraint impulse and gradient from the evaluated laws.
    pub fn evaluate_gradient(&mut self) {
        for c in &self.cliques {
            let (n, dof, a) = (c.n as usize, c.dof as usize, c.a as usize);
            let difference = &mut self.step[dof..dof + n]; // free at this point of an iteration
            for i in 0..n {
                difference[i] = self.u[dof + i] - self.u_star[dof + i];
            }
            let out = &mut self.momentum_change[dof..dof + n];
            multiply(&self.a[a..a + n * n], difference, out, n);
        }
        self.constraint_impulse.fill(0.0);
        for (pair, sum) in self.pairs.iter().zip(&self.sums) {
            for side in &pair.sides[..pair.side_count as usize] {
                let (dof, n) = (side.dof as usize, side.n as usize);
                let out = &mut self.constraint_impulse[dof..dof + n];
                match side.jacobian {
                    SideJacobian::Free { p, sign } => {
                        let [tx, ty, tz, x, y, z] = sum.wrench;
                        let c = cross(p, [x, y, z]);
                        let f = [tx + c[0], ty + c[1], tz + c[2], x, y, z];
                        for i in 0..6 {
                            out[i] += sign * f[i];
                        }
                    }
                    SideJacobian::Dense { at } => {
                        let j = &self.jacobians[at as usize..at as usize + 6 * n];
                        for i in 0..n {
                            let column: &V6 = j[6 * i..6 * i + 6].try_into().expect("six rows");
                            out[i] += dot6(column, &sum.wrench);
                        }
                    }
                }
            }
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

    /// Assembles H into the factor's room.
    pub fn assemble(&mut self) {
        let Self { factor, cliques, a, pairs, sums, jacobians, dense_scratch, .. } = self;
        let values = &mut factor.values;
        values.fill(0.0);
        for (index, c) in cliques.iter().enumerate() {
            if c.n == 6 {
                let to = factor.symbolic.diagonal_offset(index);
                *kernels::block6_mut(values, to) = *kernels::block6(a, c.a as usize);
                continue;
            }
            let (nn, from, to) = ((c.n * c.n) as usize, c.a as usize, factor.symbolic.diagonal_offset(index));
            values[to..to + nn].copy_from_slice(&a[from..from + nn]);
        }
        for (pair, sum) in pairs.iter().zip(sums.iter()) {
            let sides = &pair.sides[..pair.side_count as usize];
            match *sides {
                [Side { jacobian: SideJacobian::Free { p, .. }, diagonal, .. }] => {
                    add_free_diagonal(values, diagonal as usize, sum, p);
                }
                [
                    Side { jacobian: SideJacobian::Free { p: p0, .. }, diagonal: d0, .. },
                    Side { jacobian: SideJacobian::Free { p: p1, .. }, diagonal: d1, .. },
                ] => {
                    debug_assert!(p0 == [0.0; 3], "the pair's point is its first free side's reference");
                    add_free_pair(
                        values,
                        [d0, d1, pair.coupling.0].map(|at| at as usize),
                        pair.coupling.1,
                        sum,
                        p1,
                    );
                }
                _ => add_dense(values, pair, sides, sum, jacobians, dense_scratch),
            }
        }
        let first = self.pair_rows.len();
        for (r, row) in self.rows.iter().enumerate() {
            let g = self.row_hessian[first + r];
            if g == 0.0 {
                continue;
            }
            let segments = &self.row_segments[row.segments.start as usize..row.segments.end as usize];
            for (i, &(ca, sa, ea)) in segments.iter().enumerate() {
                for &(cb, sb, eb) in &segments[..=i] {
                    let (mut at, mut rows_of_a) = (0, true);
                    if ca == cb {
                        at += factor.symbolic.diagonal_offset(ca as usize);
                    } else {
                        (at, rows_of_a) = factor.symbolic.coupling_offset(ca as usize, cb as usize);
                    }
                    let (a0, b0) = (cliques[ca as usize], cliques[cb as usize]);
                    for &(da, xa) in &self.row_entries[sa as usize..ea as usize] {
                        for &(db, xb) in &self.row_entries[sb as usize..eb as usize] {
                            let (ia, ib) = ((da - a0.dof) as usize, (db - b0.dof) as usize);
                            let k = if rows_of_a { ia + a0.n as usize * ib } else { ib + b0.n as usize * ia };
                            factor.values[at + k] += g * xa * xb;
                        }
                    }
                }
            }
        }
    }

    /// Cost ℓ at the evaluated state: momentum term and constraint term.
    pub fn cost(&self, problem: &Problem) -> (f64, f64) {
        let mut momentum = 0.0;
        for i in 0..self.u.len() {
            momentum += 0.5 * (self.u[i] - self.u_star[i]) * self.momentum_change[i];
        }
        let mut constraints = 0.0;
        for (contact, &v) in self.contacts.iter().zip(&self.contact_velocity) {
            let law = &problem.normal_laws[contact.normal_law as usize];
            constraints += contact.law.evaluate(law, &problem.settings.regularizer, v).cost;
        }
        for contact in &self.packed {
            let (packet, lane) = (&self.packets[contact.packet as usize], contact.lane as usize);
            let axes = frame_axes(problem, contact.global);
            let world = packet.velocity(lane);
            let v = v3(|i| dot(axes[i], world));
            let law = packet.law(lane, problem.settings.model);
            constraints += law.evaluate(&NormalLaw::Linear, &problem.settings.regularizer, v).cost;
        }
        let laws = self.pair_rows.iter().map(|r| &r.law).chain(self.rows.iter().map(|r| &r.law));
        for (law, &v) in laws.zip(&self.row_velocity) {
            constraints += law.evaluate(v).cost;
        }
        (momentum, constraints)
    }
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
                y[r] = a[r + 6 * c].mul_add(x[c], y[r]);
            }
        }
        out.copy_from_slice(&y);
    } else {
        out.fill(0.0);
        kernels::add_ax(out, a, x, n, n);
    }
}

/// p× M for a row-major 3×3 M.
#[inline(always)]
fn cross_rows(p: V3, m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let [x, y, z] = p;
    let mut out = [[0.0; 3]; 3];
    for j in 0..3 {
        out[0][j] = y * m[2][j] - z * m[1][j];
        out[1][j] = z * m[0][j] - x * m[2][j];
        out[2][j] = x * m[1][j] - y * m[0][j];
    }
    out
}

/// The parts of a pair's 6×6 as row-major 3×3 matrices: T, C, F of [T C; Cᵀ F].
#[inline(always)]
fn parts(sum: &PairSum) -> [[[f64; 3]; 3]; 3] {
    let symmetric = |s: &[f64; 6]| [[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]];
    let c = &sum.tl;
    [symmetric(&sum.tt), [[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]], symmetric(&sum.ll)]
}

/// block += scale [tt tl; lt ll], row-major parts into a column-major block.
#[inline(always)]
fn add_parts(
    block: &mut [f64; 36],
    scale: f64,
    tt: &[[f64; 3]; 3],
    tl: &[[f64; 3]; 3],
    lt: &[[f64; 3]; 3],
    ll: &[[f64; 3]; 3],
) {
    for j in 0..3 {
        for i in 0..3 {
            block[i + 6 * j] += scale * tt[i][j];
            block[3 + i + 6 * j] += scale * lt[i][j];
            block[i + 6 * (3 + j)] += scale * tl[i][j];
            block[3 + i + 6 * (3 + j)] += scale * ll[i][j];
        }
    }
}

#[inline(always)]
fn transposed(m: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// Xᵀ W X by parts for a free body at −p from the pair's point, X = [I 0; −p× I]: also the half-way product
/// T + p× Cᵀ, which couples it with a body at the pair's point.
#[inline(always)]
fn shifted(sum: &PairSum, p: V3) -> ([[f64; 3]; 3], [[f64; 3]; 3], [[f64; 3]; 3]) {
    let [t, c, f] = parts(sum);
    let ct = cross_rows(p, &transposed(&c));
    let pf = cross_rows(p, &f);
    let (mut half, mut c_p) = (t, c);
    for i in 0..3 {
        for j in 0..3 {
            half[i][j] += ct[i][j];
            c_p[i][j] += pf[i][j];
        }
    }
    // tt = half − C_p p× = half + (p× C_pᵀ)ᵀ
    let last = cross_rows(p, &transposed(&c_p));
    let mut full = half;
    for i in 0..3 {
        for j in 0..3 {
            full[i][j] += last[j][i];
        }
    }
    (full, half, c_p)
}

/// H_dd += Xᵀ W X for a free body.
#[inline(always)]
fn add_free_diagonal(values: &mut [f64], at: usize, sum: &PairSum, p: V3) {
    let block = kernels::block6_mut(values, at);
    let [t, c, f] = parts(sum);
    if p == [0.0; 3] {
        // The pair's point is this body's own reference.
        add_parts(block, 1.0, &t, &c, &transposed(&c), &f);
    } else {
        let (tt, _, tl) = shifted(sum, p);
        add_parts(block, 1.0, &tt, &tl, &transposed(&tl), &f);
    }
}

/// Both diagonal blocks and the coupling of two free bodies, the first at the pair's point, the second at −p
/// from it. `at` holds the places of the blocks; `first_rows` says whether the coupling's rows are the first's.
#[inline(always)]
fn add_free_pair(values: &mut [f64], at: [usize; 3], first_rows: bool, sum: &PairSum, p: V3) {
    let [t, c, f] = parts(sum);
    let lt = transposed(&c);
    add_parts(kernels::block6_mut(values, at[0]), 1.0, &t, &c, &lt, &f);
    let (tt, half, tl) = shifted(sum, p);
    add_parts(kernels::block6_mut(values, at[1]), 1.0, &tt, &tl, &transposed(&tl), &f);
    // Rows second, columns first: [T + p×Cᵀ, C_p; Cᵀ, F], with the signs of b − a.
    let block = kernels::block6_mut(values, at[2]);
    if first_rows {
        add_parts(block, -1.0, &transposed(&half), &c, &transposed(&tl), &f);
    } else {
        add_parts(block, -1.0, &half, &tl, &lt, &f);
    }
}

/// H += Jᵀ W J for a pair with at least one side that is not a free body.
fn add_dense(
    values: &mut [f64],
    pair: &LocalPair,
    sides: &[Side],
    sum: &PairSum,
    jacobians: &[f64],
    scratch: &mut [f64],
) {
    let w = sum.matrix();
    let third = scratch.len() / 3;
    let (j0, rest) = scratch.split_at_mut(third);
    let (j1, wj) = rest.split_at_mut(third);
    let load = |side: &Side, out: &mut [f64]| match side.jacobian {
        SideJacobian::Dense { at } => {
            let len = 6 * side.n as usize;
            out[..len].copy_from_slice(&jacobians[at as usize..at as usize + len]);
        }
        SideJacobian::Free { p, sign } => {
            for k in 0..6 {
                let mut unit = [0.0; 6];
                unit[k] = sign;
                out[6 * k..6 * k + 6].copy_from_slice(&shift_twist(unit, p));
            }
        }
    };
    load(&sides[0], j0);
    if sides.len() == 2 {
        load(&sides[1], j1);
    }
    // W J of `column`, then Jᵀ (W J) for `row`.
    let mut project = |row: &[f64], rows: usize, column: &[f64], columns: usize, at: usize| {
        for c in 0..columns {
            let out = &mut wj[6 * c..6 * c + 6];
            out.fill(0.0);
            kernels::add_ax(out, &w, &column[6 * c..6 * c + 6], 6, 6);
        }
        let block = &mut values[at..at + rows * columns];
        for c in 0..columns {
            let x: &V6 = wj[6 * c..6 * c + 6].try_into().expect("six rows");
            for r in 0..rows {
                let column: &V6 = row[6 * r..6 * r + 6].try_into().expect("six rows");
                block[r + rows * c] += dot6(column, x);
            }
        }
    };
    let n0 = sides[0].n as usize;
    project(j0, n0, j0, n0, sides[0].diagonal as usize);
    if sides.len() == 2 {
        let n1 = sides[1].n as usize;
        project(j1, n1, j1, n1, sides[1].diagonal as usize);
        let at = pair.coupling.0 as usize;
        if pair.coupling.1 { project(j0, n0, j1, n1, at) } else { project(j1, n1, j0, n0, at) }
    }
}
