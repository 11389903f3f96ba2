//! Dense kernels on small column-major blocks.
//!
//! The 6×6 versions dominate the factorisation for a pile of free bodies. Fixed trip counts let the compiler keep a
//! column in one 4-wide and one 2-wide register and unroll the rest. The others take any size. All blocks are
//! column-major, entry (r, c) of an m×n block at `r + m * c`.

/// Entries of a 6×6 block.
use stiction_base::fused::Fused;

pub const BLOCK6: usize = 36;

/// A view of 36 consecutive values as a 6×6 block.
#[inline(always)]
pub fn block6(values: &[f64], offset: usize) -> &[f64; BLOCK6] {
    values[offset..offset + BLOCK6].try_into().expect("a 6x6 block")
}

/// A mutable view of 36 consecutive values as a 6×6 block.
#[inline(always)]
pub fn block6_mut(values: &mut [f64], offset: usize) -> &mut [f64; BLOCK6] {
    (&mut values[offset..offset + BLOCK6]).try_into().expect("a 6x6 block")
}

/// `C -= A Bᵀ` on 6×6 blocks.
#[inline]
pub fn sub_abt_6(c: &mut [f64; BLOCK6], a: &[f64; BLOCK6], b: &[f64; BLOCK6]) {
    for j in 0..6 {
        let mut col = [0.0; 6];
        col.copy_from_slice(&c[6 * j..6 * j + 6]);
        for k in 0..6 {
            let s = -b[j + 6 * k];
            for r in 0..6 {
                col[r] = a[r + 6 * k].fused(s, col[r]);
            }
        }
        c[6 * j..6 * j + 6].copy_from_slice(&col);
    }
}

/// `C -= A Bᵀ` with A of m×p, B of n×p and C of m×n.
pub fn sub_abt(c: &mut [f64], a: &[f64], b: &[f64], m: usize, n: usize, p: usize) {
    for j in 0..n {
        let col = &mut c[m * j..m * j + m];
        for k in 0..p {
            let s = -b[j + n * k];
            let a_col = &a[m * k..m * k + m];
            for r in 0..m {
                col[r] = a_col[r].fused(s, col[r]);
            }
        }
    }
}

/// `X = B L⁻ᵀ` and `B := X D⁻¹` on 6×6 blocks, L unit lower triangular.
#[inline]
pub fn solve_right_6(b: &mut [f64; BLOCK6], x: &mut [f64; BLOCK6], l: &[f64; BLOCK6], inv_d: &[f64; 6]) {
    for k in 0..6 {
        let mut col = [0.0; 6];
        for r in 0..6 {
            col[r] = b[r + 6 * k];
        }
        for m in 0..k {
            let s = -l[k + 6 * m];
            for r in 0..6 {
                col[r] = x[r + 6 * m].fused(s, col[r]);
            }
        }
        for r in 0..6 {
            x[r + 6 * k] = col[r];
            b[r + 6 * k] = col[r] * inv_d[k];
        }
    }
}

/// `X := X L⁻ᵀ` with X of m×n and L of n×n, unit lower triangular.
pub fn solve_right(x: &mut [f64], l: &[f64], m: usize, n: usize) {
    for k in 1..n {
        let (done, rest) = x.split_at_mut(m * k);
        let col = &mut rest[..m];
        for q in 0..k {
            let s = -l[k + n * q];
            let x_col = &done[m * q..m * q + m];
            for r in 0..m {
                col[r] = x_col[r].fused(s, col[r]);
            }
        }
    }
}

/// Scales the columns of X (m×n) by `d`.
#[inline(always)]
pub fn scale_columns(x: &mut [f64], d: &[f64], m: usize) {
    for (column, &d) in x.chunks_exact_mut(m).zip(d) {
        for value in column {
            *value *= d;
        }
    }
}

/// Smallest pivot accepted, relative to the diagonal entry the column started with.
///
/// H is positive definite by construction; a pivot below this is rounding noise (a mass some sixteen
/// orders below the stiffness that holds it). Noise is replaced by this floor, which leaves the factor
/// positive definite and the Newton direction a descent direction.
pub const PIVOT_FLOOR: f64 = 4.0 * f64::EPSILON;

/// Factors an n×n block as L D Lᵀ in place, L unit lower triangular; `inv_d` receives the inverse of D. On
/// entry it holds the diagonal of the matrix before any elimination, the reference for the pivot floor. Returns the
/// number of pivots raised to it. Reads the lower triangle. The upper triangle and the diagonal are undefined
/// afterwards.
///
/// It uses no square roots, which would dominate the latency of the dependent operations in a small block.
pub fn ldl(a: &mut [f64], inv_d: &mut [f64], n: usize) -> usize {
    let mut raised = 0;
    for k in 0..n {
        let (left, right) = a.split_at_mut(n * (k + 1));
        let column = &mut left[n * k..];
        let inverse = invert_pivot(column[k], inv_d[k], &mut raised);
        inv_d[k] = inverse;
        for c in k + 1..n {
            let s = -column[c] * inverse;
            let target = &mut right[n * (c - k - 1)..n * (c - k)];
            for r in c..n {
                target[r] = column[r].fused(s, target[r]);
            }
        }
        for value in &mut column[k + 1..] {
            *value *= inverse;
        }
    }
    raised
}

/// [`ldl`] for a 6×6 block.
#[inline]
pub fn ldl_6(a: &mut [f64; BLOCK6], inv_d: &mut [f64; 6]) -> usize {
    let mut raised = 0;
    eliminate_6::<0>(a, inv_d, &mut raised);
    eliminate_6::<1>(a, inv_d, &mut raised);
    eliminate_6::<2>(a, inv_d, &mut raised);
    eliminate_6::<3>(a, inv_d, &mut raised);
    eliminate_6::<4>(a, inv_d, &mut raised);
    eliminate_6::<5>(a, inv_d, &mut raised);
    raised
}

/// Eliminates column K. Whole columns are updated: stopping at the diagonal would be slower, and a constant K keeps
/// the block in registers.
#[inline(always)]
fn eliminate_6<const K: usize>(a: &mut [f64; BLOCK6], inv_d: &mut [f64; 6], raised: &mut usize) {
    let column: [f64; 6] = [a[6 * K], a[6 * K + 1], a[6 * K + 2], a[6 * K + 3], a[6 * K + 4], a[6 * K + 5]];
    let inverse = invert_pivot(column[K], inv_d[K], raised);
    inv_d[K] = inverse;
    for c in K + 1..6 {
        let s = -column[c] * inverse;
        for r in 0..6 {
            a[r + 6 * c] = column[r].fused(s, a[r + 6 * c]);
        }
    }
    for r in 0..6 {
        a[r + 6 * K] = column[r] * inverse;
    }
}

/// The inverse of a pivot, or of its floor.
#[inline(always)]
pub fn invert_pivot(pivot: f64, yardstick: f64, raised: &mut usize) -> f64 {
    let floor = PIVOT_FLOOR * yardstick;
    if pivot > floor {
        return 1.0 / pivot;
    }
    // NaN also takes this branch. The caller's finiteness test reports it.
    *raised += 1;
    1.0 / if floor > 0.0 { floor } else { f64::MIN_POSITIVE }
}

/// `y = A x` with A of n×n, four columns at a time.
#[inline(always)]
pub fn multiply(y: &mut [f64], a: &[f64], x: &[f64], n: usize) {
    let y = &mut y[..n];
    y.fill(0.0);
    let fours = n - n % 4;
    for (columns, x) in a[..n * fours].chunks_exact(4 * n).zip(x.chunks_exact(4)) {
        let (c0, rest) = columns.split_at(n);
        let (c1, rest) = rest.split_at(n);
        let (c2, c3) = rest.split_at(n);
        let (c0, c1, c2, c3) = (&c0[..n], &c1[..n], &c2[..n], &c3[..n]);
        for r in 0..n {
            let low = c1[r].fused(x[1], c0[r].fused(x[0], y[r]));
            y[r] = c3[r].fused(x[3], c2[r].fused(x[2], low));
        }
    }
    add_ax(y, &a[n * fours..], &x[fours..], n, n - fours);
}

/// `y += A x` with A of m×n.
#[inline(always)]
pub fn add_ax(y: &mut [f64], a: &[f64], x: &[f64], m: usize, n: usize) {
    let y = &mut y[..m];
    for c in 0..n {
        let s = x[c];
        let col = &a[m * c..m * c + m];
        for r in 0..m {
            y[r] = col[r].fused(s, y[r]);
        }
    }
}

/// `y -= A x` with A of m×n.
#[inline(always)]
pub fn sub_ax(y: &mut [f64], a: &[f64], x: &[f64], m: usize, n: usize) {
    let y = &mut y[..m];
    for c in 0..n {
        let s = -x[c];
        let col = &a[m * c..m * c + m];
        for r in 0..m {
            y[r] = col[r].fused(s, y[r]);
        }
    }
}

/// `y -= Aᵀ x` with A of m×n.
#[inline(always)]
pub fn sub_atx(y: &mut [f64], a: &[f64], x: &[f64], m: usize, n: usize) {
    let x = &x[..m];
    for c in 0..n {
        let col = &a[m * c..m * c + m];
        let mut sum = 0.0;
        for r in 0..m {
            sum = col[r].fused(x[r], sum);
        }
        y[c] -= sum;
    }
}
