//! A sparse symmetric matrix and conjugate gradients with a symmetric Gauss-Seidel preconditioner.

/// Rows of a symmetric positive definite matrix, diagonal apart.
#[derive(Debug, Default)]
pub(super) struct Symmetric {
    pub(super) diagonal: Vec<f64>,
    start: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Symmetric {
    /// From entries (row, column, value), row and column different, each pair in both orders; equal places add up.
    pub(super) fn new(diagonal: Vec<f64>, mut entries: Vec<(u32, u32, f64)>) -> Self {
        entries.sort_unstable_by_key(|e| (e.0, e.1));
        let mut this = Self { start: vec![0; diagonal.len() + 1], diagonal, ..Self::default() };
        for group in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            this.start[group[0].0 as usize + 1] += 1;
            this.columns.push(group[0].1);
            this.values.push(group.iter().map(|e| e.2).sum());
        }
        for row in 0..this.diagonal.len() {
            this.start[row + 1] += this.start[row];
        }
        this
    }

    /// Off-diagonal entries of a row.
    pub(super) fn row(&self, row: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> + '_ {
        let range = self.start[row] as usize..self.start[row + 1] as usize;
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(c, v)| (*c as usize, *v))
    }

    fn multiply(&self, x: &[f64], y: &mut [f64]) {
        for row in 0..x.len() {
            y[row] = self.diagonal[row] * x[row] + self.row(row).map(|(c, v)| v * x[c]).sum::<f64>();
        }
    }

    /// z = (D + U)^-1 D (D + L)^-1 r.
    fn precondition(&self, r: &[f64], z: &mut [f64]) {
        for row in 0..r.len() {
            let below: f64 = self.row(row).filter(|(c, _)| *c < row).map(|(c, v)| v * z[c]).sum();
            z[row] = (r[row] - below) / self.diagonal[row];
        }
        for row in (0..r.len()).rev() {
            let above: f64 = self.row(row).filter(|(c, _)| *c > row).map(|(c, v)| v * z[c]).sum();
            z[row] -= above / self.diagonal[row];
        }
    }

    /// Solves to a residual of `tolerance` relative to the right-hand side. Gives the number of iterations, or
    /// `None` if that was not reached.
    pub(super) fn solve(&self, b: &[f64], x: &mut [f64], tolerance: f64) -> Option<usize> {
        let n = b.len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (mut r, mut z, mut p, mut q) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        self.multiply(x, &mut q);
        r.iter_mut().zip(b).zip(&q).for_each(|((r, b), q)| *r = b - q);
        let goal = tolerance * dot(b, b).sqrt();
        let mut old = 0.0;
        for iteration in 0..10 * (n as f64).sqrt() as usize + 200 {
            if dot(&r, &r).sqrt() <= goal {
                return Some(iteration);
            }
            self.precondition(&r, &mut z);
            let new = dot(&r, &z);
            let beta = if iteration == 0 { 0.0 } else { new / old };
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
            self.multiply(&p, &mut q);
            let alpha = new / dot(&p, &q);
            if !alpha.is_finite() {
                return None;
            }
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += alpha * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= alpha * q);
            old = new;
        }
        None
    }
}
