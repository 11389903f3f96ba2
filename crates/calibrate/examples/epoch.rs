//! Time of a pass over the data by the trainer of contact laws, for `docs/learned.md`:
//!
//! ```sh
//! cargo run --release -p stiction-calibrate --example epoch
//! cargo run --release -p stiction-calibrate --features gpu --example epoch   # on a machine with an NVIDIA GPU
//! ```
//!
//! A network of 45 inputs, hidden layers of 96 and 96 and 3 outputs, batches of 256 out of 100 000 samples: what
//! `validation/torch_epoch.py` has PyTorch do.

use nalgebra::DMatrix;
use std::time::Instant;
use stiction_base::random::Random;
use stiction_calibrate::dac::network::{FitOptions, Task, fit};

/// Trains, telling each pass and its loss.
type Train<'a> = &'a dyn Fn(&mut dyn FnMut(usize, f64));

fn main() {
    let mut random = Random::new(1);
    let count = 100_000;
    let mut normal = |rows: usize| DMatrix::from_fn(rows, count, |_, _| random.normal() as f32);
    // A few columns are watched, so that a pass is hardly more than its steps.
    let held = (0..count).map(|i| i % 1000 == 0).collect();
    let task = Task { x: normal(45), y: normal(3), weight: vec![1.0; count], held, classes: false };
    let options =
        FitOptions { hidden: vec![96, 96], epochs: 4, batch: 256, rate: 3e-3, patience: 9, seed: 1 };
    let time = |name: &str, train: Train| {
        let (mut best, mut before, mut losses) = (f64::INFINITY, Instant::now(), Vec::new());
        train(&mut |epoch, loss| {
            // The first pass includes what is made once.
            if epoch > 1 {
                best = best.min(before.elapsed().as_secs_f64());
            }
            before = Instant::now();
            losses.push(loss);
        });
        println!("{name}: {best:.3} s a pass of {count} samples; losses {losses:.4?}");
    };
    time("one core", &|progress| {
        fit(&task, &options, progress);
    });
    #[cfg(feature = "gpu")]
    match stiction_calibrate::dac::gpu::Gpu::new() {
        Ok(gpu) => time(&gpu.name(), &|progress| {
            if let Err(error) = gpu.fit(&task, &options, progress) {
                println!("{error}");
            }
        }),
        Err(error) => println!("{error}"),
    }
}
