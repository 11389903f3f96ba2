//! Norms, slopes and interpolation for convergence studies.

/// Slope of log y over log x by least squares: the observed order of convergence.
pub fn order(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k].ln()).sum::<f64>() / n;
    let (mx, my) = (mean(0), mean(1));
    let above: f64 = points.iter().map(|p| (p[0].ln() - mx) * (p[1].ln() - my)).sum();
    let below: f64 = points.iter().map(|p| (p[0].ln() - mx).powi(2)).sum();
    above / below
}

/// A line of the given slope on logarithmic axes, over the x of `points`, `factor` times the last of them.
pub fn slope_line(points: &[[f64; 2]], slope: f64, factor: f64) -> Vec<[f64; 2]> {
    let Some(&[x0, y0]) = points.last() else { return Vec::new() };
    points.iter().map(|p| [p[0], factor * y0 * (p[0] / x0).powf(slope)]).collect()
}

/// Positions sampled at every step, linear in between.
pub struct Trajectory {
    /// Time between samples, s.
    pub step: f64,
    /// Samples from time 0.
    pub samples: Vec<Vec<f64>>,
}

impl Trajectory {
    /// The position at `time`; that of the last sample after the end.
    pub fn at(&self, time: f64) -> Vec<f64> {
        let place = (time / self.step).max(0.0);
        let (i, last) = (place.floor() as usize, self.samples.len() - 1);
        if i >= last {
            return self.samples[last].clone();
        }
        let share = place - i as f64;
        self.samples[i].iter().zip(&self.samples[i + 1]).map(|(a, b)| a + share * (b - a)).collect()
    }

    /// Root mean square over [0, duration] of the distance to `other`, by the trapezoidal rule at this one's
    /// samples (ICF, section IX).
    pub fn distance(&self, other: &Self, duration: f64) -> f64 {
        let count = (duration / self.step).round() as usize;
        let square = |i: usize| {
            let (a, b) = (&self.samples[i.min(self.samples.len() - 1)], other.at(i as f64 * self.step));
            a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        let sum: f64 =
            (0..=count).map(|i| if i == 0 || i == count { 0.5 * square(i) } else { square(i) }).sum();
        (sum / count as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_power_law_is_its_exponent() {
        let points: Vec<[f64; 2]> = [0.1, 0.3, 2.0].map(|x: f64| [x, 7.0 * x.powf(1.5)]).to_vec();
        assert!((order(&points) - 1.5).abs() < 1e-12);
    }

    #[test]
    fn lines_a_constant_apart_are_that_distance_apart() {
        let line = |step: f64, offset: f64| Trajectory {
            step,
            samples: (0..=(1.0 / step) as usize).map(|i| vec![i as f64 * step + offset, 0.0]).collect(),
        };
        assert!((line(0.1, 0.25).distance(&line(0.03125, 0.0), 0.9) - 0.25).abs() < 1e-12);
    }
}
