//! Parameters that predict recorded tosses best, and their uncertainties.
//!
//! ```text
//! loss of a toss    position error/target + angle error/target (+ joints' error/target), by the field's protocol
//! fit               the mean loss over the tosses, each from several starts within the noise of its own, by CMA-ES
//! certainty         a quadratic surface through the losses around the fit, its minimum over resampled tosses
//! ```
//!
//! A toss is chaotic: a difference of the initial state below the noise can change the final face. The starts around the recorded
//! one smooth the loss, so that the result generalises to similar tosses.

use crate::cmaes::Search;
use crate::dataset::Toss;
use crate::parameters::Parameter;
use crate::protocol::Protocol;
use crate::score::{Comparison, Score};
use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use stiction::model::World;
use stiction::{LoadError, Model, Options, Simulation};
use stiction_base::random::{Random, mix};

/// Settings of a calibration.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Evaluations of the search.
    pub evaluations: usize,
    /// Evaluations around the result, for its uncertainty.
    pub around: usize,
    /// Seed of the search and of the starts.
    pub seed: u64,
    /// Starts of each toss; the first is the recorded one.
    pub starts: usize,
    /// Deviation of the other starts' velocities, m/s and rad/s.
    pub noise: [f64; 2],
    /// Errors that count as 1: position in widths, angle in rad, joints in rad.
    pub targets: [f64; 3],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            evaluations: 300,
            around: 120,
            seed: 1,
            starts: 2,
            noise: [0.01, 0.1],
            targets: [0.12, 16f64.to_radians(), 16f64.to_radians()],
        }
    }
}

/// A calibration: the model, the parameters to fit, and the protocol of the comparison.
pub struct Calibration<'a> {
    /// The world as its file states it.
    pub world: &'a World,
    /// The parameters to fit.
    pub parameters: &'a [Parameter],
    /// Initial values of the search, one per parameter.
    pub start: Vec<f64>,
    /// How tosses are compared.
    pub protocol: &'a Protocol,
    /// Options of the simulation.
    pub options: Options,
    /// The settings.
    pub settings: Settings,
}

/// Fitted parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Their values.
    pub values: Vec<f64>,
    /// The mean loss of the last generations.
    pub loss: f64,
}

/// Loss of a toss whose simulation failed.
const FAILED: f64 = 20.0;

impl Calibration<'_> {
    /// The world with these values.
    pub fn world_with(&self, values: &[f64]) -> World {
        let mut world = self.world.clone();
        for (parameter, value) in self.parameters.iter().zip(values) {
            parameter.write(&mut world, *value);
        }
        world
    }

    /// The model with these values.
    pub fn model_with(&self, values: &[f64]) -> Result<Model, LoadError> {
        Model::new(self.world_with(values))
    }

    /// Values from coordinates in which a step of 1 is reasonable.
    fn values(&self, x: &DVector<f64>) -> Vec<f64> {
        let value = |(k, parameter): (usize, &Parameter)| {
            let step = x[k] * parameter.scale();
            if parameter.logarithmic() { self.start[k] * step.exp() } else { self.start[k] + step }
        };
        self.parameters.iter().enumerate().map(value).collect()
    }

    /// Coordinates of values.
    fn coordinates(&self, values: &[f64]) -> DVector<f64> {
        DVector::from_iterator(
            values.len(),
            self.parameters.iter().enumerate().map(|(k, parameter)| {
                let step = if parameter.logarithmic() {
                    (values[k] / self.start[k]).ln()
                } else {
                    values[k] - self.start[k]
                };
                step / parameter.scale()
            }),
        )
    }

    /// The loss of each toss with these values; one that cannot be simulated has a large one.
    pub fn losses(&self, values: &[f64], tosses: &[&Toss]) -> Vec<f64> {
        let Ok(model) = self.model_with(values) else { return vec![FAILED; tosses.len()] };
        let options = Options { step: self.protocol.step, ..self.options.clone() };
        let one = |simulation: &mut Simulation, toss: &Toss| {
            let starts = self.settings.starts.max(1);
            let sum: f64 = (0..starts).map(|k| self.loss_from(simulation, toss, k)).sum();
            sum / starts as f64
        };
        tosses
            .par_chunks(8)
            .flat_map_iter(|chunk| match Simulation::new(&model, options.clone()) {
                Ok(mut simulation) => chunk.iter().map(|toss| one(&mut simulation, toss)).collect(),
                Err(_) => vec![FAILED; chunk.len()],
            })
            .collect()
    }

    /// The loss of a toss from its start number `k`.
    fn loss_from(&self, simulation: &mut Simulation, toss: &Toss, k: usize) -> f64 {
        let Some((at, mut from)) = self.protocol.start(simulation.model(), toss) else { return 0.0 };
        if k > 0 {
            let seed = mix(self.settings.seed ^ mix(toss.number as u64 + 1)).wrapping_add(k as u64);
            let mut random = Random::new(mix(seed));
            for (i, v) in from.v.iter_mut().enumerate() {
                *v += self.settings.noise[usize::from(i >= 3)] * random.normal();
            }
        }
        let mut comparison = Comparison::new(self.protocol.width);
        let each = |index: usize, state: &stiction::State| comparison.add(&toss.samples[index].q, &state.q);
        match self.protocol.simulate_from(simulation, toss, at, &from, each) {
            Ok(()) => comparison.score().map_or(0.0, |score| self.loss(&score)),
            Err(_) => FAILED,
        }
    }

    fn loss(&self, score: &Score) -> f64 {
        let [position, angle, joints] = self.settings.targets;
        score.position / position + score.angle / angle + score.joints / joints
    }

    /// Finds the values that predict these tosses best. `progress` is called after each generation with the number of
    /// evaluations and the mean loss.
    pub fn fit(&self, tosses: &[&Toss], mut progress: impl FnMut(usize, f64)) -> Fit {
        let n = self.parameters.len();
        let mut search = Search::new(DVector::zeros(n), 0.7, mix(self.settings.seed));
        let (mut done, mut recent) = (0, f64::INFINITY);
        while done < self.settings.evaluations && n > 0 {
            let candidates = search.ask();
            let values: Vec<f64> = candidates
                .iter()
                .map(|x| {
                    let losses = self.losses(&self.values(x), tosses);
                    // Far from the start nothing is known: a pull that is felt only there.
                    losses.iter().sum::<f64>() / losses.len().max(1) as f64 + 5e-5 * x.norm_squared()
                })
                .collect();
            search.tell(&values);
            done += candidates.len();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            recent = if recent.is_finite() { 0.7 * recent + 0.3 * mean } else { mean };
            progress(done, mean);
        }
        Fit { values: self.values(&search.mean), loss: recent }
    }

    /// The deviation of each value if other tosses like these had been recorded: a quadratic surface is laid through the
    /// losses at points around the fit, once for each of 200 resamplings of the tosses, and its lowest point is found.
    /// A parameter without effect on the losses is as uncertain as the whole cloud of points.
    pub fn uncertainty(&self, fit: &Fit, tosses: &[&Toss], mut progress: impl FnMut(usize)) -> Vec<f64> {
        let n = self.parameters.len();
        let centre = self.coordinates(&fit.values);
        let mut random = Random::new(mix(self.settings.seed ^ 0xC10D));
        let full = (n + 1) * (n + 2) / 2;
        let count = self.settings.around.max(4 * n + 4);
        let quadratic = full <= count / 2;
        let mut points = Vec::new();
        let mut losses: Vec<Vec<f64>> = Vec::new();
        for k in 0..count {
            let z = DVector::from_fn(n, |_, _| random.normal().clamp(-2.0, 2.0));
            losses.push(self.losses(&self.values(&(&centre + &z)), tosses));
            points.push(z);
            progress(k + 1);
        }
        let features = |z: &DVector<f64>| {
            let mut row = vec![1.0];
            row.extend(z.iter());
            for i in 0..n {
                row.extend((i..if quadratic { n } else { i + 1 }).map(|j| z[i] * z[j]));
            }
            row
        };
        let rows: Vec<Vec<f64>> = points.iter().map(features).collect();
        let design = DMatrix::from_fn(count, rows[0].len(), |i, j| rows[i][j]);
        let Some(solve) =
            (design.tr_mul(&design) + DMatrix::identity(rows[0].len(), rows[0].len()) * 1e-6).cholesky()
        else {
            return vec![f64::NAN; n];
        };
        let mut lowest: Vec<DVector<f64>> = Vec::new();
        let mut open = DVector::zeros(n);
        for _ in 0..200 {
            let mut weights = vec![0.0; tosses.len()];
            for _ in 0..tosses.len() {
                weights[random.below(tosses.len())] += 1.0 / tosses.len() as f64;
            }
            let y = DVector::from_fn(count, |i, _| {
                losses[i].iter().zip(&weights).map(|(l, w)| l * w).sum::<f64>()
            });
            let c = solve.solve(&design.tr_mul(&y));
            let gradient = c.rows(1, n).into_owned();
            let mut hessian = DMatrix::zeros(n, n);
            let mut at = 1 + n;
            for i in 0..n {
                for j in i..if quadratic { n } else { i + 1 } {
                    hessian[(i, j)] += c[at];
                    hessian[(j, i)] += c[at];
                    at += 1;
                }
            }
            // Directions in which the surface does not curve upwards enough to have its lowest point in the cloud say
            // nothing: the value is uncertain by the whole cloud along them.
            let eigen = hessian.symmetric_eigen();
            let along = eigen.eigenvectors.tr_mul(&gradient);
            let floor = 1e-3 * eigen.eigenvalues.amax().max(1e-9);
            let step =
                DVector::from_fn(n, |i, _| (-along[i] / eigen.eigenvalues[i].max(floor)).clamp(-3.0, 3.0));
            for i in (0..n).filter(|&i| step[i].abs() >= 3.0 || eigen.eigenvalues[i] <= floor) {
                open += eigen.eigenvectors.column(i).map(|x| (3.0 * x).powi(2)) / 200.0;
            }
            lowest.push(&eigen.eigenvectors * step);
        }
        let mean = lowest.iter().sum::<DVector<f64>>() / lowest.len() as f64;
        (0..n)
            .map(|k| {
                let variance =
                    lowest.iter().map(|x| (x[k] - mean[k]).powi(2)).sum::<f64>() / lowest.len() as f64;
                let step = (variance + open[k]).sqrt() * self.parameters[k].scale();
                if self.parameters[k].logarithmic() { fit.values[k] * step } else { step }
            })
            .collect()
    }
}
