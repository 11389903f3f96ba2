//! CMA-ES (Hansen 2016, "The CMA Evolution Strategy: A Tutorial"): a search that needs function values only.
//!
//! The result of a toss is not a smooth function of friction: a cube falls on one face or another. Derivatives carry little
//! information about the mean over many tosses; ranks of a population do.

use nalgebra::{DMatrix, DVector};
use stiction_base::random::Random;

/// The state of a search in n dimensions, in coordinates in which a step of 1 is reasonable.
pub struct Search {
    /// The present guess.
    pub mean: DVector<f64>,
    /// Overall length of a step.
    pub sigma: f64,
    covariance: DMatrix<f64>,
    path_c: DVector<f64>,
    path_s: DVector<f64>,
    axes: DMatrix<f64>,
    lengths: DVector<f64>,
    population: Vec<DVector<f64>>,
    weights: Vec<f64>,
    random: Random,
}

impl Search {
    /// From `mean` with steps of `sigma`.
    pub fn new(mean: DVector<f64>, sigma: f64, seed: u64) -> Self {
        let n = mean.len();
        let parents = Self::size(n) / 2;
        let raw: Vec<f64> =
            (0..parents).map(|i| (parents as f64 + 0.5).ln() - (i as f64 + 1.0).ln()).collect();
        let sum: f64 = raw.iter().sum();
        Self {
            sigma,
            covariance: DMatrix::identity(n, n),
            path_c: DVector::zeros(n),
            path_s: DVector::zeros(n),
            axes: DMatrix::identity(n, n),
            lengths: DVector::repeat(n, 1.0),
            population: Vec::new(),
            weights: raw.iter().map(|w| w / sum).collect(),
            random: Random::new(seed),
            mean,
        }
    }

    /// Candidates of a generation in n dimensions.
    pub fn size(n: usize) -> usize {
        6 + (3.0 * (n as f64).max(1.0).ln()) as usize
    }

    /// The candidates of the next generation.
    pub fn ask(&mut self) -> Vec<DVector<f64>> {
        let n = self.mean.len();
        self.population.clear();
        for _ in 0..Self::size(n) {
            let z = DVector::from_fn(n, |i, _| self.lengths[i] * self.random.normal());
            self.population.push(&self.axes * z);
        }
        self.population.iter().map(|y| &self.mean + self.sigma * y).collect()
    }

    /// Updates the search with the values of the candidates, in their order; a value that is not finite ranks last.
    pub fn tell(&mut self, values: &[f64]) {
        let n = self.mean.len() as f64;
        let mut order: Vec<usize> = (0..values.len()).collect();
        let value = |i: usize| if values[i].is_finite() { values[i] } else { f64::INFINITY };
        order.sort_by(|&i, &j| value(i).total_cmp(&value(j)));
        let effective = 1.0 / self.weights.iter().map(|w| w * w).sum::<f64>();
        let cc = (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n);
        let cs = (effective + 2.0) / (n + effective + 5.0);
        let c1 = 2.0 / ((n + 1.3).powi(2) + effective);
        let cmu = (1.0 - c1).min(2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0).powi(2) + effective));
        let damping = 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + cs;
        let expected = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

        let best = |k: usize| &self.population[order[k]];
        let step = (0..self.weights.len())
            .fold(DVector::zeros(self.mean.len()), |sum, k| sum + self.weights[k] * best(k));
        self.mean += self.sigma * &step;
        let whitened = &self.axes * self.axes.tr_mul(&step).component_div(&self.lengths);
        self.path_s = (1.0 - cs) * &self.path_s + (cs * (2.0 - cs) * effective).sqrt() * whitened;
        let length = self.path_s.norm() / expected;
        let steady = if length < 1.4 + 2.0 / (n + 1.0) { 1.0 } else { 0.0 };
        self.path_c = (1.0 - cc) * &self.path_c + steady * (cc * (2.0 - cc) * effective).sqrt() * &step;
        let mut covariance =
            (1.0 - c1 - cmu) * &self.covariance + c1 * &self.path_c * self.path_c.transpose();
        for k in 0..self.weights.len() {
            covariance += cmu * self.weights[k] * best(k) * best(k).transpose();
        }
        self.covariance = covariance;
        self.sigma *= ((cs / damping) * (length - 1.0)).min(1.0).exp();
        let eigen = self.covariance.clone().symmetric_eigen();
        self.lengths = eigen.eigenvalues.map(|x| x.max(1e-14).sqrt());
        self.axes = eigen.eigenvectors;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottom_of_a_narrow_curved_valley_is_found() {
        // Rosenbrock's function in four dimensions.
        let f = |x: &DVector<f64>| {
            (0..3).map(|i| 100.0 * (x[i + 1] - x[i] * x[i]).powi(2) + (1.0 - x[i]).powi(2)).sum::<f64>()
        };
        let mut search = Search::new(DVector::zeros(4), 0.5, 1);
        for _ in 0..400 {
            let values: Vec<f64> = search.ask().iter().map(f).collect();
            search.tell(&values);
        }
        assert!(f(&search.mean) < 1e-8, "{}", search.mean);
    }

    #[test]
    fn the_same_seed_searches_the_same_way() {
        let run = || {
            let mut search = Search::new(DVector::repeat(3, 2.0), 1.0, 5);
            for _ in 0..10 {
                let values: Vec<f64> = search.ask().iter().map(|x| x.norm_squared()).collect();
                search.tell(&values);
            }
            search.mean
        };
        assert_eq!(run(), run());
    }
}
