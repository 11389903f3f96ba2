//! Seconds for 4,096 outcomes: `cargo run --release -p stiction-impact --example impact_speed`.

use nalgebra::{DMatrix, DVector, Vector2};
use std::time::Instant as Clock;
use stiction_impact::{Options, Problem, outcomes};
use stiction_rigid::Instant;

fn main() {
    for (name, instant) in [("two contacts, plane", block()), ("four contacts, space", cube())] {
        let problem = Problem::new(&instant).expect("a sound instant");
        let mut best = f64::INFINITY;
        let mut set = None;
        for _ in 0..5 {
            let clock = Clock::now();
            set = Some(outcomes(&problem, &Options::default()).expect("sound options"));
            best = best.min(clock.elapsed().as_secs_f64());
        }
        let set = set.expect("five runs");
        println!(
            "{name}: {} outcomes, {:.1} steps a sample, {:.1} ms, {} unsolved, {} unfinished",
            set.len(),
            set.steps as f64 / 4096.0,
            1e3 * best,
            set.unsolved,
            set.unfinished
        );
    }
}

fn block() -> Instant {
    let corner = |x: f64| [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, x]];
    let rows: Vec<f64> = [corner(-0.5), corner(0.5)].concat().concat();
    Instant::from_matrices(
        DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 5.0 / 12.0])),
        DMatrix::from_row_slice(6, 3, &rows),
        vec![Vector2::repeat(1.0); 2],
        DVector::from_vec(vec![0.1, -1.0, 0.0]),
    )
    .expect("a sound block")
}

/// A cube that lands flat on its bottom face, sliding and turning.
fn cube() -> Instant {
    let mut jacobian = DMatrix::zeros(12, 6);
    for (c, (x, y)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        let z = -0.5;
        // v + ω × r.
        jacobian.row_mut(3 * c).copy_from_slice(&[1.0, 0.0, 0.0, 0.0, z, -y]);
        jacobian.row_mut(3 * c + 1).copy_from_slice(&[0.0, 1.0, 0.0, -z, 0.0, x]);
        jacobian.row_mut(3 * c + 2).copy_from_slice(&[0.0, 0.0, 1.0, y, -x, 0.0]);
    }
    let sixth = 1.0 / 6.0;
    Instant::from_matrices(
        DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 1.0, sixth, sixth, sixth])),
        jacobian,
        vec![Vector2::repeat(0.5); 4],
        DVector::from_vec(vec![0.5, 0.2, -1.0, 0.1, -0.2, 0.3]),
    )
    .expect("a sound cube")
}
