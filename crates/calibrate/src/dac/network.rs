//! Networks by Adam (Kingma, Ba 2015) with a falling rate and early stopping.
//!
//! These networks have some ten thousand weights. A batch is one matrix product a layer, in single precision; a
//! general framework would bring a large dependency for a few lines of it.

use nalgebra::{DMatrix, DVector};
use stiction_base::random::Random;
use stiction_dac::{Layer, Mlp};

/// How to train.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct FitOptions {
    /// Sizes of the hidden layers.
    pub hidden: Vec<usize>,
    /// Passes over the data at most.
    pub epochs: usize,
    /// Samples a step.
    pub batch: usize,
    /// Rate of the first steps; it falls to a hundredth along half a cosine.
    pub rate: f32,
    /// Passes without improvement on the data kept back before it stops.
    pub patience: usize,
    /// Seed of weights and order.
    pub seed: u64,
}

/// What is to be learned, one column a sample.
pub struct Task {
    /// Inputs, normalised.
    pub x: DMatrix<f32>,
    /// Outputs: numbers, or one-hot classes.
    pub y: DMatrix<f32>,
    /// Weight of each sample.
    pub weight: Vec<f32>,
    /// Columns kept back for early stopping.
    pub held: Vec<bool>,
    /// Whether `y` are classes (cross entropy) or numbers (squares).
    pub classes: bool,
}

/// How training went.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Fitted {
    /// Passes taken.
    pub epochs: usize,
    /// Loss on the data kept back, best.
    pub loss: f64,
}

/// Something that takes the steps of Adam: the CPU below, or a GPU (`gpu.rs`).
pub(crate) trait Descent {
    /// Why it could not.
    type Error;
    /// A pass over the data in this order, `batch` columns a step. One rate a step, Adam's correction included.
    fn pass(&mut self, order: &[usize], batch: usize, rates: &[f32]) -> Result<(), Self::Error>;
    /// The mean weighted loss of the columns that are watched.
    fn loss(&mut self) -> Result<f64, Self::Error>;
    /// The network as it is.
    fn layers(&self) -> Result<Vec<Layer>, Self::Error>;
}

/// Trains a network. `progress` is called with each epoch and its loss on the held-out data.
pub fn fit(task: &Task, options: &FitOptions, progress: impl FnMut(usize, f64)) -> (Mlp, Fitted) {
    let Start { layers, order, watched, random } = Start::new(task, options);
    let mut cpu = Cpu { task, layers: layers.iter().map(Dense::new).collect(), watched };
    match descend_by(&mut cpu, order, random, options, progress) {
        Ok(fitted) => fitted,
        Err(never) => match never {},
    }
}

/// Where training begins.
pub(crate) struct Start {
    /// A random network.
    pub layers: Vec<Layer>,
    /// The columns to learn from.
    pub order: Vec<usize>,
    /// The columns whose loss is watched: those kept back, or all.
    pub watched: Vec<usize>,
    /// For the order of each pass.
    pub random: Random,
}

impl Start {
    pub fn new(task: &Task, options: &FitOptions) -> Self {
        let mut random = Random::new(options.seed);
        let mut sizes = vec![task.x.nrows()];
        sizes.extend(&options.hidden);
        sizes.push(task.y.nrows());
        let layers = sizes
            .windows(2)
            .map(|s| {
                let spread = (2.0 / s[0] as f64).sqrt();
                // Filled by columns.
                let w = DMatrix::from_fn(s[1], s[0], |_, _| (spread * random.normal()) as f32);
                let weights = w.transpose().as_slice().to_vec();
                Layer { inputs: s[0], outputs: s[1], weights, bias: vec![0.0; s[1]] }
            })
            .collect();
        let (held, order): (Vec<usize>, Vec<usize>) = (0..task.x.ncols()).partition(|&i| task.held[i]);
        let watched = if held.is_empty() { order.clone() } else { held };
        Self { layers, order, watched, random }
    }
}

/// Passes until the loss no longer falls; the best network counts.
pub(crate) fn descend_by<D: Descent>(
    descent: &mut D,
    mut order: Vec<usize>,
    mut random: Random,
    options: &FitOptions,
    mut progress: impl FnMut(usize, f64),
) -> Result<(Mlp, Fitted), D::Error> {
    let batch = options.batch.max(1);
    let steps = order.len().div_ceil(batch).max(1);
    let total = (steps * options.epochs) as f32;
    let mut best = (f64::INFINITY, descent.layers()?, 0);
    let mut epochs = 0;
    for epoch in 0..options.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let rates: Vec<f32> = (1..=steps)
            .map(|k| {
                let step = epoch * steps + k;
                let fall = 0.5 * (1.0 + (std::f32::consts::PI * step as f32 / total).cos());
                options.rate * (0.01 + 0.99 * fall) * correction(step)
            })
            .collect();
        descent.pass(&order, batch, &rates)?;
        epochs = epoch + 1;
        let loss = descent.loss()?;
        progress(epochs, loss);
        if loss < best.0 {
            best = (loss, descent.layers()?, epochs);
        } else if epochs - best.2 >= options.patience {
            break;
        }
    }
    let last = descent.layers()?;
    let net = Mlp::new("network", best.1).unwrap_or_else(|_| {
        // Weights that overflowed were never the best; an empty task keeps its random start.
        Mlp::new("network", last).expect("layers fit together")
    });
    Ok((net, Fitted { epochs, loss: best.0 }))
}

const B1: f32 = 0.9;
const B2: f32 = 0.999;

/// What makes up for moments that began at zero.
fn correction(step: usize) -> f32 {
    let step = step.min(100_000) as i32;
    (1.0 - B2.powi(step)).sqrt() / (1.0 - B1.powi(step))
}

struct Cpu<'a> {
    task: &'a Task,
    layers: Vec<Dense>,
    watched: Vec<usize>,
}

impl Descent for Cpu<'_> {
    type Error = std::convert::Infallible;

    fn pass(&mut self, order: &[usize], batch: usize, rates: &[f32]) -> Result<(), Self::Error> {
        for (batch, rate) in order.chunks(batch).zip(rates) {
            descend(&mut self.layers, self.task, batch, *rate);
        }
        Ok(())
    }

    fn loss(&mut self) -> Result<f64, Self::Error> {
        Ok(loss_of(&self.layers, self.task, &self.watched))
    }

    fn layers(&self) -> Result<Vec<Layer>, Self::Error> {
        Ok(export(&self.layers))
    }
}

struct Dense {
    w: DMatrix<f32>,
    b: DVector<f32>,
    moments: [DMatrix<f32>; 2],
    moments_b: [DVector<f32>; 2],
}

impl Dense {
    fn new(layer: &Layer) -> Self {
        let (rows, columns) = (layer.outputs, layer.inputs);
        let zero = || DMatrix::zeros(rows, columns);
        Self {
            w: DMatrix::from_row_slice(rows, columns, &layer.weights),
            b: DVector::from_column_slice(&layer.bias),
            moments: [zero(), zero()],
            moments_b: [DVector::zeros(rows), DVector::zeros(rows)],
        }
    }
}

fn export(layers: &[Dense]) -> Vec<Layer> {
    let layer = |d: &Dense| Layer {
        inputs: d.w.ncols(),
        outputs: d.w.nrows(),
        weights: d.w.transpose().as_slice().to_vec(),
        bias: d.b.as_slice().to_vec(),
    };
    layers.iter().map(layer).collect()
}

fn gather(m: &DMatrix<f32>, columns: &[usize]) -> DMatrix<f32> {
    let rows = m.nrows();
    let mut out = DMatrix::zeros(rows, columns.len());
    for (k, &c) in columns.iter().enumerate() {
        out.as_mut_slice()[k * rows..(k + 1) * rows].copy_from_slice(&m.as_slice()[c * rows..(c + 1) * rows]);
    }
    out
}

fn affine(d: &Dense, x: &DMatrix<f32>) -> DMatrix<f32> {
    let mut z = DMatrix::zeros(d.w.nrows(), x.ncols());
    for mut column in z.column_iter_mut() {
        column.copy_from(&d.b);
    }
    z.gemm(1.0, &d.w, x, 1.0);
    z
}

/// Error signal of the last layer and the weighted loss.
fn signal(z: &DMatrix<f32>, task: &Task, columns: &[usize]) -> (DMatrix<f32>, f64, f64) {
    let mut delta = DMatrix::zeros(z.nrows(), z.ncols());
    let (mut loss, mut total) = (0.0f64, 0.0f64);
    for (k, &c) in columns.iter().enumerate() {
        let weight = task.weight[c];
        total += f64::from(weight);
        let (out, want) = (z.column(k), task.y.column(c));
        if task.classes {
            let top = out.max();
            let sum: f32 = out.iter().map(|v| (v - top).exp()).sum();
            for r in 0..z.nrows() {
                let p = (out[r] - top).exp() / sum;
                delta[(r, k)] = weight * (p - want[r]);
                if want[r] > 0.5 {
                    loss -= f64::from(weight * p.max(1e-12).ln());
                }
            }
        } else {
            for r in 0..z.nrows() {
                let off = out[r] - want[r];
                delta[(r, k)] = weight * off;
                loss += f64::from(0.5 * weight * off * off);
            }
        }
    }
    (delta, loss, total)
}

fn silu(z: &DMatrix<f32>) -> DMatrix<f32> {
    z.map(|v| v / (1.0 + (-v).exp()))
}

fn loss_of(layers: &[Dense], task: &Task, columns: &[usize]) -> f64 {
    let (mut loss, mut total) = (0.0, 0.0);
    for chunk in columns.chunks(2048) {
        let mut x = gather(&task.x, chunk);
        for (k, d) in layers.iter().enumerate() {
            let z = affine(d, &x);
            x = if k + 1 < layers.len() { silu(&z) } else { z };
        }
        let (_, l, t) = signal(&x, task, chunk);
        loss += l;
        total += t;
    }
    loss / total.max(1e-12)
}

/// One step of Adam on a batch.
fn descend(layers: &mut [Dense], task: &Task, batch: &[usize], rate: f32) {
    let last = layers.len() - 1;
    let mut inputs = vec![gather(&task.x, batch)];
    let mut pre = Vec::new();
    for (k, d) in layers.iter().enumerate() {
        let z = affine(d, &inputs[k]);
        if k < last {
            inputs.push(silu(&z));
        }
        pre.push(z);
    }
    let (mut delta, _, total) = signal(&pre[last], task, batch);
    delta /= total as f32;
    for k in (0..=last).rev() {
        let gradient = &delta * inputs[k].transpose();
        let gradient_b = delta.column_sum();
        if k > 0 {
            let mut back = layers[k].w.transpose() * &delta;
            for (d, z) in back.as_mut_slice().iter_mut().zip(pre[k - 1].as_slice()) {
                let s = 1.0 / (1.0 + (-z).exp());
                *d *= s * (1.0 + z * (1.0 - s));
            }
            delta = back;
        }
        let d = &mut layers[k];
        let adam = |w: &mut [f32], m: &mut [f32], v: &mut [f32], g: &[f32]| {
            for (((w, m), v), g) in w.iter_mut().zip(m).zip(v).zip(g) {
                *m = B1 * *m + (1.0 - B1) * g;
                *v = B2 * *v + (1.0 - B2) * g * g;
                *w -= rate * *m / (v.sqrt() + 1e-8);
            }
        };
        let [m, v] = &mut d.moments;
        adam(d.w.as_mut_slice(), m.as_mut_slice(), v.as_mut_slice(), gradient.as_slice());
        let [m, v] = &mut d.moments_b;
        adam(d.b.as_mut_slice(), m.as_mut_slice(), v.as_mut_slice(), gradient_b.as_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_learns_a_product_and_stops_by_itself() {
        let mut random = Random::new(3);
        let n = 4000;
        let x = DMatrix::from_fn(2, n, |_, _| (2.0 * random.unit() - 1.0) as f32);
        let y = DMatrix::from_fn(1, n, |_, c| x[(0, c)] * x[(1, c)]);
        let held = (0..n).map(|i| i % 10 == 0).collect();
        let task = Task { x, y, weight: vec![1.0; n], held, classes: false };
        let options =
            FitOptions { hidden: vec![16, 16], epochs: 60, batch: 64, rate: 1e-2, patience: 15, seed: 1 };
        let mut heard = 0;
        let (net, fitted) = fit(&task, &options, |_, _| heard += 1);
        assert_eq!(heard, fitted.epochs);
        // The spread of x y is 1/3; the error must be a few per cent of it.
        assert!(fitted.loss < 1e-4, "{fitted:?}");
        let out = net.evaluate(&[0.5, -0.6])[0];
        assert!((out + 0.3).abs() < 0.03, "{out}");
        let (again, _) = fit(&task, &options, |_, _| {});
        assert!(again == net, "training is a function of its seed");
    }
}
