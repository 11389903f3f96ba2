//! Dense LU factors with partial pivoting, real or complex, with reused memory.

use nalgebra::ComplexField;

/// The factors of a square matrix.
#[derive(Default)]
pub(crate) struct Lu<T> {
    n: usize,
    /// Row after row.
    entries: Vec<T>,
    pivots: Vec<usize>,
}

impl<T: ComplexField<RealField = f64> + Copy> Lu<T> {
    /// Memory for an n × n matrix, to be filled and factored.
    pub fn matrix(&mut self, n: usize) -> &mut [T] {
        self.n = n;
        self.entries.clear();
        self.entries.resize(n * n, T::zero());
        &mut self.entries
    }

    /// Factors [`Lu::matrix`]. Returns false if it is singular.
    pub fn factor(&mut self) -> bool {
        let n = self.n;
        self.pivots.clear();
        for k in 0..n {
            let (mut best, mut size) = (k, -1.0);
            for i in k..n {
                let here = self.entries[i * n + k].norm1();
                if here > size {
                    (best, size) = (i, here);
                }
            }
            // Not `size <= 0`: NaN must be rejected.
            if !(size > 0.0 && size.is_finite()) {
                return false;
            }
            self.pivots.push(best);
            let (above, below) = self.entries.split_at_mut((k + 1) * n);
            let row = &mut above[k * n..];
            if best > k {
                row.swap_with_slice(&mut below[(best - k - 1) * n..(best - k) * n]);
            }
            let inverse = T::one() / row[k];
            for other in below.chunks_exact_mut(n) {
                if other[k] != T::zero() {
                    let factor = other[k] * inverse;
                    other[k] = factor;
                    for (o, r) in other[k + 1..].iter_mut().zip(&row[k + 1..]) {
                        *o -= factor * *r;
                    }
                }
            }
        }
        true
    }

    /// Solves in place.
    pub fn solve(&self, x: &mut [T]) {
        let n = self.n;
        for (k, &pivot) in self.pivots.iter().enumerate() {
            x.swap(k, pivot);
        }
        for i in 1..n {
            let sum = (0..i).fold(x[i], |sum, j| sum - self.entries[i * n + j] * x[j]);
            x[i] = sum;
        }
        for i in (0..n).rev() {
            let sum = (i + 1..n).fold(x[i], |sum, j| sum - self.entries[i * n + j] * x[j]);
            x[i] = sum / self.entries[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Complex;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solutions_solve(values in prop::collection::vec(-1.0f64..1.0, 2 * 25 + 10)) {
            let n = 5;
            let entry = |k: usize| Complex::new(values[2 * k], values[2 * k + 1]);
            let a: Vec<Complex<f64>> = (0..n * n).map(entry).collect();
            let b: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(values[50 + k], values[55 + k])).collect();
            let mut lu = Lu::default();
            lu.matrix(n).copy_from_slice(&a);
            prop_assume!(lu.factor());
            let mut x = b.clone();
            lu.solve(&mut x);
            let size: f64 = x.iter().map(|x| x.norm()).fold(1.0, f64::max);
            for i in 0..n {
                let row: Complex<f64> = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                prop_assert!((row - b[i]).norm() <= 1e-12 * size);
            }
        }
    }

    #[test]
    fn a_singular_matrix_has_no_factors() {
        let mut lu = Lu::<f64>::default();
        lu.matrix(2).copy_from_slice(&[1.0, 2.0, 2.0, 4.0]);
        assert!(!lu.factor());
    }
}
