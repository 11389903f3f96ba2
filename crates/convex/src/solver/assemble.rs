//! The Hessian of an island: H = A + Σ Jᵀ (6×6) J, one 6×6 per pair.
//!
//! Between free bodies J is a shift, X = [I 0; −p× I], and the products are a few cross products; the pair's
//! point is the first body's own reference, so its X is the identity. Other pairs use full products.

use super::columns::{self, Columns, columns_of};
use super::island::{Island, LocalPair, Side, SideJacobian};
use crate::linear::kernels;
use crate::spatial::{PairSum, V3};

/// A row-major 3×3 matrix.
type M3 = [[f64; 3]; 3];

impl Island {
    /// Assembles H into the factor's storage.
    pub fn assemble(&mut self) {
        let Self { factor, cliques, a, pairs, sums, columns, weighted, .. } = self;
        let values = &mut factor.values;
        for (j, &size) in factor.symbolic.size_at.iter().enumerate() {
            // Diagonal blocks are A's.
            let (at, end) = (factor.symbolic.diagonal[j], factor.symbolic.diagonal[j + 1]);
            values[(at + size * size) as usize..end as usize].fill(0.0);
        }
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
                _ => add_columns(values, pair, sides, sum, columns, weighted),
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
}

/// p× M for a row-major 3×3 M.
#[inline(always)]
fn cross_rows(p: V3, m: &M3) -> M3 {
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
fn parts(sum: &PairSum) -> [M3; 3] {
    let symmetric = |s: &[f64; 6]| [[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]];
    let c = &sum.tl;
    [symmetric(&sum.tt), [[c[0], c[1], c[2]], [c[3], c[4], c[5]], [c[6], c[7], c[8]]], symmetric(&sum.ll)]
}

/// block += scale [tt tl; lt ll], row-major parts into a column-major block.
#[inline(always)]
fn add_parts(block: &mut [f64; 36], scale: f64, tt: &M3, tl: &M3, lt: &M3, ll: &M3) {
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
fn transposed(m: &M3) -> M3 {
    [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]]
}

/// Xᵀ W X by parts for a free body at −p from the pair's point, X = [I 0; −p× I]: also the half-way product
/// T + p× Cᵀ, which couples it with a body at the pair's point.
#[inline(always)]
fn shifted(sum: &PairSum, p: V3) -> (M3, M3, M3) {
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
fn add_columns(
    values: &mut [f64],
    pair: &LocalPair,
    sides: &[Side],
    sum: &PairSum,
    columns: &[Columns],
    weighted: &mut Vec<Columns>,
) {
    let w = sum.matrix();
    let mut rooms = [[Columns::default(); 2]; 2];
    let [room0, room1] = &mut rooms;
    let n0 = sides[0].n as usize;
    let j0 = columns_of(&sides[0], columns, room0);
    columns::weigh(&w, j0, weighted);
    columns::project(block(values, sides[0].diagonal, n0 * n0), n0, j0, weighted, true);
    if sides.len() < 2 {
        return;
    }
    let n1 = sides[1].n as usize;
    let j1 = columns_of(&sides[1], columns, room1);
    let (at, first_rows) = pair.coupling;
    if !first_rows {
        columns::project(block(values, at, n0 * n1), n1, j1, weighted, false);
    }
    columns::weigh(&w, j1, weighted);
    columns::project(block(values, sides[1].diagonal, n1 * n1), n1, j1, weighted, true);
    if first_rows {
        columns::project(block(values, at, n0 * n1), n0, j0, weighted, false);
    }
}

#[inline(always)]
fn block(values: &mut [f64], at: u32, length: usize) -> &mut [f64] {
    &mut values[at as usize..at as usize + length]
}
