//! Peak rates of this processor core, for comparison with the stages of a solve.
//!
//! Both measurements run on data in the L1 cache for a few milliseconds and return the best of several tries.

use crate::lanes::F4;
use crate::linear::kernels::{BLOCK6, sub_abt_6};
use crate::number::Number;
use std::hint::black_box;
use std::time::Instant;

/// Tries of a measurement.
const TRIES: usize = 20;

/// Floating-point operations per second of independent multiply-adds: the peak of this core for the compiled
/// instruction set.
pub fn peak_rate() -> f64 {
    const CHAINS: usize = 12;
    const ROUNDS: usize = 20_000;
    best((CHAINS * ROUNDS * 2 * F4::LANES) as f64, || {
        let (a, b) = (black_box(F4::constant(0.999_999)), black_box(F4::constant(1e-6)));
        let mut sums = [F4::constant(1.0); CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = b.plus(a, *sum);
            }
        }
        black_box(sums);
    })
}

/// Floating-point operations per second of the factorisation's inner kernel, C −= A Bᵀ on 6×6 blocks.
pub fn block_rate() -> f64 {
    const BLOCKS: usize = 16;
    const ROUNDS: usize = 500;
    let mut blocks = [[1e-3; BLOCK6]; BLOCKS];
    let (a, b) = ([1e-3; BLOCK6], [1e-3; BLOCK6]);
    best((BLOCKS * ROUNDS * 2 * BLOCK6 * 6) as f64, || {
        for _ in 0..ROUNDS {
            for block in &mut blocks {
                sub_abt_6(block, black_box(&a), black_box(&b));
            }
        }
        black_box(&blocks);
    })
}

fn best(operations: f64, mut work: impl FnMut()) -> f64 {
    let seconds = (0..TRIES).map(|_| {
        let clock = Instant::now();
        work();
        clock.elapsed().as_secs_f64()
    });
    operations / seconds.fold(f64::INFINITY, f64::min)
}
