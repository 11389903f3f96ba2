//! A synthetic pile: iterations, time by stage, and how cost grows with bodies and with faces a pair.
//!
//! `cargo run --release -p stiction-convex --example pile`

use nalgebra::{Rotation3, Vector3, Vector6};
use stiction_base::random::Random;
use stiction_convex::*;

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::new(random.sym(), random.sym(), random.sym())
}

/// Bodies on a jittered lattice four wide, each touching its lower neighbour and some beside it; half of the
/// pairs are single points, half four-point manifolds. Velocities are a mix of rest, slip and impact.
fn pile(problem: &mut Problem, bodies: usize, faces: Option<usize>, seed: u64) {
    problem.clear();
    let mut rng = Random::new(seed);
    let size = 0.05;
    let dt = problem.time_step();
    let mut centres = Vec::new();
    for i in 0..bodies {
        let (x, y, z) = (i % 4, (i / 4) % 4, i / 16);
        let centre = 2.0 * size * (Vector3::new(x as f64, y as f64, z as f64) + 0.2 * vector(&mut rng));
        let rotation = Rotation3::new(vector(&mut rng));
        let m = 0.5;
        let inertia = 0.4 * m * size * size;
        let mut a = [0.0; 36];
        for k in 0..6 {
            a[k * 7] = if k < 3 { m } else { inertia * (1.0 + 0.3 * k as f64 / 5.0) };
        }
        let calm = if rng.sym() > 0.7 { 1.0 } else { 0.02 };
        let v0: Vec<f64> = (0..6).map(|k| calm * rng.sym() * if k < 3 { 0.3 } else { 3.0 }).collect();
        let weight = [0.0, 0.0, -m * 9.81 * dt, 0.0, 0.0, 0.0];
        problem.add_free_body(&a, &weight, &v0, rotation.matrix(), centre).unwrap();
        centres.push(centre);
    }
    let mut touch = |a: Option<usize>, b: usize, normal: Vector3<f64>, rng: &mut Random| {
        let normal = (normal + 0.2 * vector(rng)).normalize();
        let frame = frame_from_normal(&normal);
        let point = a.map_or(centres[b] - size * normal, |a| 0.5 * (centres[a] + centres[b]));
        let id = |i: usize| BodyId(i as u32);
        problem.add_pair(a.map(id), Some(id(b)), point, Vector6::zeros()).unwrap();
        let count = faces.unwrap_or(if rng.sym() > 0.0 { 1 } else { 4 });
        for c in 0..count {
            let angle = c as f64 * 2.4;
            let radius = if count == 1 { 0.0 } else { 0.8 * size * ((c as f64 + 0.5) / count as f64).sqrt() };
            let r = radius * (frame.column(0) * angle.cos() + frame.column(1) * angle.sin());
            let k = 1e7 / count as f64;
            // Between a light touch and a hard press of about ten weights, some still apart.
            let depth = 5e-6 * (rng.sym() + 0.6);
            let mut entry = ContactEntry::point(r, frame, depth, k, 1.0);
            entry.dissipation = 10.0;
            entry.relaxation_time = 1e-3;
            problem.add_contact(entry).unwrap();
        }
    };
    for i in 0..bodies {
        if i < 16 {
            touch(None, i, Vector3::z(), &mut rng);
        } else {
            touch(Some(i - 16), i, Vector3::z(), &mut rng);
        }
        if i % 4 > 0 && rng.sym() > -0.4 {
            touch(Some(i - 1), i, Vector3::x(), &mut rng);
        }
        if (i / 4) % 4 > 0 && rng.sym() > -0.4 {
            touch(Some(i - 4), i, Vector3::y(), &mut rng);
        }
    }
}

/// Best of `repeats` timed solves of problems with different seeds; iterations averaged over seeds.
fn measure(bodies: usize, faces: Option<usize>, model: FrictionModel, seeds: u64, repeats: usize) {
    let settings = ContactSettings { model, ..Default::default() };
    let mut problem = Problem::new(2e-3, settings).unwrap();
    let mut solver =
        Solver::new(SolverSettings { relative_tolerance: 1e-5, timings: true, ..Default::default() })
            .unwrap();
    let (mut iterations, mut evaluations, mut worst) = (0, 0, 0);
    let mut best = SolverSeconds::default();
    let mut total = 0.0;
    let (mut contacts, mut pairs, mut blocks) = (0, 0, 0);
    for seed in 0..seeds {
        pile(&mut problem, bodies, faces, 1 + 77 * seed);
        let guess = problem.previous_velocities().to_vec();
        let mut fastest = f64::INFINITY;
        let mut stages = SolverSeconds::default();
        for _ in 0..repeats {
            let start = std::time::Instant::now();
            let report = *solver.solve(&problem, &guess).unwrap();
            let time = start.elapsed().as_secs_f64();
            assert!(report.converged(), "{report:?}");
            if time < fastest {
                fastest = time;
                stages = report.seconds;
            }
        }
        best.add(&stages);
        total += fastest;
        let report = solver.report();
        iterations += report.total_iterations;
        evaluations += report.line_evaluations;
        worst = worst.max(report.iterations);
        contacts += report.contacts;
        pairs += problem.pair_count();
        blocks += solver.island_reports().map(|i| i.factor_blocks).sum::<usize>();
    }
    let s = seeds as f64;
    let it = iterations as f64;
    let us = |x: f64| 1e6 * x / it;
    println!(
        "{bodies:>5} {:>6} {:>6} {:>6} {model:?}  {:>5.1} ({worst:>2}) {:>5.1}  {:>8.1} {:>7.1} | {:>6.1} {:>6.1} {:>6.1} {:>6.1} {:>6.1} | {:>6.1} {:>6.1}",
        pairs as f64 / s,
        contacts as f64 / s,
        blocks as f64 / s,
        it / s,
        evaluations as f64 / it,
        1e6 * total / s,
        us(best.total() - best.compile - best.output),
        us(best.evaluate),
        us(best.assemble),
        us(best.factor),
        us(best.substitute),
        us(best.line_search),
        1e6 * best.compile / s,
        1e6 * best.output / s,
    );
}

fn main() {
    println!("times in µs, best of several; per iteration unless said otherwise");
    println!(
        "bodies pairs points blocks model   iterations line/it  solve/step  per it | laws   assem  factor subst  line   | compile/step output/step"
    );
    let quick = std::env::args().any(|a| a == "--quick");
    if quick {
        measure(40, None, FrictionModel::Lagged, 10, 40);
        return;
    }
    for model in [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap] {
        measure(40, None, model, 10, 20);
    }
    println!("growth with bodies");
    for bodies in [10, 20, 50, 100, 200, 500, 1000] {
        measure(bodies, None, FrictionModel::Lagged, 5, 5);
    }
    println!("growth with faces a pair");
    for faces in [1, 4, 16, 50, 100, 200, 400] {
        measure(40, Some(faces), FrictionModel::Lagged, 5, 5);
    }
}
