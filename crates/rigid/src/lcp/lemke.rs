//! Lemke's method with the lexicographic ratio test.
//!
//! The tableau holds w − M z − d z₀ = q. It starts on w, brings in z₀ along the covering vector d > 0, and
//! goes on with the complement of what left until z₀ leaves (a solution) or nothing can (a ray). Ties of the
//! ratio test are decided by the rows of the basis inverse, which stand in the columns of w: no basis comes
//! twice, so the method ends. For copositive-plus matrices, those of friction among them, a ray means that
//! there is no solution (Cottle, Pang, Stone, *The Linear Complementarity Problem*, 4.4).
//!
//! At the end the basic variables are computed again from M and q, which removes the rounding of the pivots.

use nalgebra::{DMatrix, DVector};

/// How the method ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LemkeEnd {
    /// z₀ left the basis.
    Solved,
    /// A secondary ray: for many classes of matrices there is no solution.
    Ray,
    /// Too many pivots.
    Limit,
}

/// The tableau, kept between solves of the same size.
#[derive(Clone, Debug)]
pub struct Lemke {
    n: usize,
    /// Rows of [w | z | z₀ | q].
    rows: Vec<f64>,
    basis: Vec<usize>,
    pivots: usize,
}

impl Lemke {
    /// Memory for problems of `n` variables.
    pub fn new(n: usize) -> Self {
        Self { n, rows: vec![0.0; n * (2 * n + 2)], basis: vec![0; n], pivots: 0 }
    }

    /// Pivots of the last solve.
    pub fn pivots(&self) -> usize {
        self.pivots
    }

    /// Solves along the covering vector `d` (positive). On a ray or at the limit `z` is the last basis's, with
    /// whatever z₀ it has left out.
    pub fn solve(
        &mut self,
        m: &DMatrix<f64>,
        q: &DVector<f64>,
        d: &DVector<f64>,
        z: &mut DVector<f64>,
    ) -> LemkeEnd {
        let n = self.n;
        let width = 2 * n + 2;
        self.pivots = 0;
        z.fill(0.0);
        if q.iter().all(|x| *x >= 0.0) {
            return LemkeEnd::Solved;
        }
        self.rows.fill(0.0);
        for i in 0..n {
            let row = &mut self.rows[i * width..(i + 1) * width];
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -m[(i, j)];
            }
            row[2 * n] = -d[i];
            row[2 * n + 1] = q[i];
            self.basis[i] = i;
        }
        // z₀ enters where q/d is least, and every right-hand side becomes non-negative.
        let mut leaving = 0;
        for i in 1..n {
            if q[i] / d[i] < q[leaving] / d[leaving] {
                leaving = i;
            }
        }
        let mut entering = 2 * n;
        let limit = 100 + 40 * n;
        let mut end = LemkeEnd::Limit;
        while self.pivots < limit {
            let left = self.pivot(leaving, entering);
            if left == 2 * n {
                end = LemkeEnd::Solved;
                break;
            }
            entering = if left < n { left + n } else { left - n };
            match self.ratio(entering) {
                Some(row) => leaving = row,
                None => {
                    end = LemkeEnd::Ray;
                    break;
                }
            }
        }
        for (i, &b) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&b) {
                z[b - n] = self.rows[i * width + 2 * n + 1].max(0.0);
            }
        }
        if end == LemkeEnd::Solved {
            polish(m, q, z);
        }
        end
    }

    /// Brings `entering` into the basis in row `r`; returns what left.
    fn pivot(&mut self, r: usize, entering: usize) -> usize {
        let width = 2 * self.n + 2;
        let (before, rest) = self.rows.split_at_mut(r * width);
        let (pivot_row, after) = rest.split_at_mut(width);
        let inverse = 1.0 / pivot_row[entering];
        for x in pivot_row.iter_mut() {
            *x *= inverse;
        }
        pivot_row[entering] = 1.0;
        for row in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let a = row[entering];
            if a != 0.0 {
                for (x, p) in row.iter_mut().zip(pivot_row.iter()) {
                    *x -= a * p;
                }
                row[entering] = 0.0;
            }
        }
        self.pivots += 1;
        std::mem::replace(&mut self.basis[r], entering)
    }

    /// The row that leaves when `entering` grows: least ratio, ties by the rows of the basis inverse; z₀ wins
    /// a tie, which ends the method.
    fn ratio(&self, entering: usize) -> Option<usize> {
        let (n, width) = (self.n, 2 * self.n + 2);
        let row = |i: usize| &self.rows[i * width..(i + 1) * width];
        let mut best: Option<usize> = None;
        for i in 0..n {
            let a = row(i)[entering];
            if a <= 1e-11 {
                continue;
            }
            let Some(b) = best else {
                best = Some(i);
                continue;
            };
            let (mine, theirs) = (row(i)[2 * n + 1] / a, row(b)[2 * n + 1] / row(b)[entering]);
            let slack = 1e-13 * (mine.abs() + theirs.abs()).max(f64::MIN_POSITIVE);
            if mine < theirs - slack {
                best = Some(i);
            } else if mine <= theirs + slack {
                let first = self.basis[b] != 2 * n && self.lexicographically_less(i, b, entering);
                if self.basis[i] == 2 * n || first {
                    best = Some(i);
                }
            }
        }
        best
    }

    fn lexicographically_less(&self, i: usize, b: usize, entering: usize) -> bool {
        let (n, width) = (self.n, 2 * self.n + 2);
        let (mine, theirs) = (&self.rows[i * width..], &self.rows[b * width..]);
        for k in 0..n {
            let (x, y) = (mine[k] / mine[entering], theirs[k] / theirs[entering]);
            if (x - y).abs() > 1e-12 * (x.abs() + y.abs()).max(1e-300) {
                return x < y;
            }
        }
        false
    }
}

/// Solves M z = −q on the support of z, if that improves it.
fn polish(m: &DMatrix<f64>, q: &DVector<f64>, z: &mut DVector<f64>) {
    let support: Vec<usize> = (0..z.len()).filter(|&i| z[i] > 0.0).collect();
    if support.is_empty() {
        return;
    }
    let block = m.select_rows(&support).select_columns(&support);
    let right = DVector::from_iterator(support.len(), support.iter().map(|&i| -q[i]));
    let Some(mut values) = block.clone().lu().solve(&right) else { return };
    let rest = &right - &block * &values;
    if let Some(more) = block.lu().solve(&rest) {
        values += more;
    }
    let mut better = DVector::zeros(z.len());
    for (k, &i) in support.iter().enumerate() {
        better[i] = values[k];
    }
    if better.iter().all(|x| x.is_finite()) && super::residual(m, q, &better) <= super::residual(m, q, z) {
        *z = better;
    }
}
