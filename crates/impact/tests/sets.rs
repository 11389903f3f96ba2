//! The set of outcomes against closed forms and brute force.

mod common;

use common::{block, planar_body, random_instant};
use nalgebra::{DMatrix, DVector, Vector2};
use proptest::prelude::*;
use stiction_impact::euler::euler;
use stiction_impact::{ContactMode, Level, Options, Origin, Outcomes, Problem, certify, check, outcomes};
use stiction_rigid::Instant;

fn set(instant: &Instant, samples: usize) -> Outcomes {
    outcomes(&Problem::new(instant).unwrap(), &Options { samples, ..Options::default() }).unwrap()
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn the_block_rocks_left_or_right_by_seven_tenths_or_stops() {
    let set = set(&block(), 512);
    let of = |origin: &Origin| {
        let i = set.origins.iter().position(|o| o == origin).unwrap();
        set.velocity(i).to_vec()
    };
    assert!(close(&of(&Origin::Sequence(vec![0, 1])), &[0.21, 0.105, -0.21], 1e-13));
    assert!(close(&of(&Origin::Sequence(vec![1, 0])), &[-0.21, 0.105, 0.21], 1e-13));
    assert!(close(&of(&Origin::OneShot), &[0.0, 0.0, 0.0], 1e-12));
    let (low, high) = set.extremes(&[0.0, 0.0, 1.0]);
    assert!((low.value + 0.21).abs() < 1e-9 && (high.value - 0.21).abs() < 1e-9);
    let ambiguity = set.ambiguity();
    assert_eq!(ambiguity.level, Level::Modes);
    // Between ±(0.21, 0.105, 0.21): √(4·(0.21² + 0.21²·5/12)) over 1.
    let spread = (4.0 * (0.21f64.powi(2) * (1.0 + 5.0 / 12.0))).sqrt();
    assert!((ambiguity.spread - spread).abs() < 1e-9, "{}", ambiguity.spread);
}

#[test]
fn after_the_first_corner_alone_the_block_moves_as_the_theory_says() {
    let problem = Problem::new(&block()).unwrap();
    let one = planar_body(1.0, 5.0 / 12.0, &[(-0.5, -1.0, 0.0, 1.0)], [0.0, -1.0, 0.0]);
    let set = set(&one, 16);
    assert!(close(set.velocity(0), &[0.3, -0.15, -0.3], 1e-13));
    assert_eq!(set.ambiguity().level, Level::Agree);
    assert!(problem.planar() && problem.contacts() == 2);
}

#[test]
fn orthogonal_frictionless_normals_have_one_outcome() {
    // Two normals orthogonal in the mass metric: corners at x = ±√(I/m).
    let x = (5.0f64 / 12.0).sqrt();
    let body = planar_body(1.0, 5.0 / 12.0, &[(-x, -1.0, 0.0, 0.0), (x, -1.0, 0.0, 0.0)], [0.3, -1.0, 0.1]);
    let set = set(&body, 256);
    for i in 0..set.len() {
        assert!(close(set.velocity(i), &[0.3, 0.0, 0.0], 1e-8), "{:?}", set.velocity(i));
    }
    assert_eq!(set.ambiguity().level, Level::Agree);
}

#[test]
fn equal_contacts_are_merged_and_share_the_impulse() {
    let corners = [(-0.5, -1.0, 0.0, 1.0), (0.5, -1.0, 0.0, 1.0), (-0.5, -1.0, 0.0, 1.0)];
    let three = planar_body(1.0, 5.0 / 12.0, &corners, [0.0, -1.0, 0.0]);
    let problem = Problem::new(&three).unwrap();
    assert_eq!(problem.groups(), &[vec![0, 2], vec![1]]);
    let set = outcomes(&problem, &Options { samples: 64, ..Options::default() }).unwrap();
    let i = set.origins.iter().position(|o| *o == Origin::Sequence(vec![0, 1])).unwrap();
    assert!(close(set.velocity(i), &[0.21, 0.105, -0.21], 1e-13));
    assert_eq!(set.impulse(i)[2], set.impulse(i)[8]);
    let instant = set.problem().instant();
    let v = instant.velocity_after(&DVector::from_column_slice(set.impulse(i)));
    assert!(close(v.as_slice(), set.velocity(i), 1e-14));
}

#[test]
fn nothing_that_approaches_gives_an_empty_set() {
    let body = planar_body(1.0, 1.0, &[(-0.5, -1.0, 0.0, 1.0), (0.5, -1.0, 0.0, 1.0)], [0.4, 0.0, 0.0]);
    let set = set(&body, 64);
    assert!(set.is_empty() && set.unfinished == 0);
    assert_eq!(set.ambiguity().level, Level::Agree);
    assert_eq!(set.extremes(&[1.0, 0.0, 0.0]).0.value, 0.0);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let instant = random_instant(7, 4, 6, false);
    let problem = Problem::new(&instant).unwrap();
    let options = Options { samples: 300, ..Options::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| outcomes(&problem, &options).unwrap().velocities)
    };
    assert_eq!(run(1), run(3));
    // And another seed gives other samples.
    let other = outcomes(&problem, &Options { seed: 1, ..options }).unwrap().velocities;
    assert_ne!(other, run(1));
}

#[test]
fn samples_end_inside_what_brute_force_finds_and_the_other_way_round() {
    let problem = Problem::new(&block()).unwrap();
    let brute = euler(&problem, 600, 2e-4, 3);
    let mut before = f64::INFINITY;
    for (samples, parts) in [(64, 2.0), (512, 8.0), (4096, 32.0)] {
        // The cap that parts the stop of one corner, 1/1.6 N s, in so many.
        let options = Options { samples, cap: Some(0.625 / parts), ..Options::default() };
        let set = outcomes(&problem, &options).unwrap();
        let to = |from: &[f64], other: &[f64]| {
            from.chunks(3)
                .map(|a| {
                    let d =
                        other.chunks(3).map(|b| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>());
                    d.fold(f64::INFINITY, f64::min).sqrt()
                })
                .fold(0.0, f64::max)
        };
        let distance = to(&brute, &set.velocities).max(to(&set.velocities, &brute));
        assert!(distance < before, "{distance} after {before}");
        before = distance;
    }
    assert!(before < 0.01, "{before}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_outcome_of_a_random_mechanism_obeys_the_inclusion(seed in 0u64..1_000_000) {
        let (m, planar) = (1 + (seed % 4) as usize, seed % 3 == 0);
        let nv = 2 + (seed % 5) as usize;
        let instant = random_instant(seed, m, nv, planar);
        let problem = Problem::new(&instant).unwrap();
        let set = outcomes(&problem, &Options { samples: 48, ..Options::default() }).unwrap();
        prop_assert_eq!(set.unfinished, 0);
        prop_assert_eq!(set.unsolved, 0);
        let before = instant.kinetic_energy(instant.velocity());
        let certificate = certify(&problem);
        for i in 0..set.len() {
            prop_assert!(set.kinetic_energy(i) <= before * (1.0 + 1e-12), "energy of {:?}", set.origins[i]);
            let report = check(&problem, &set.trace(i));
            // Steps in space are curved; the checker's own collocation is not exact there.
            prop_assert!(report.worst() < if planar { 1e-7 } else { 1e-6 }, "{:?}: {:?}", set.origins[i], report);
            // Nothing approaches, and modes say what velocities do.
            let u = instant.jacobian() * DVector::from_column_slice(set.velocity(i));
            for (c, mode) in set.modes_of(i).iter().enumerate() {
                let size = instant.contact_velocity().amax();
                prop_assert!(u[3 * c + 2] > -2e-8 * size);
                prop_assert_eq!(*mode == ContactMode::Separate, u[3 * c + 2] > 1e-7 * size);
            }
            if let Some(bound) = certificate.impulse_bound {
                let spent: f64 = set.impulse(i).iter().skip(2).step_by(3).sum();
                prop_assert!(spent <= bound * (1.0 + 1e-9), "{} > {}", spent, bound);
            }
        }
    }

    #[test]
    fn outcomes_scale_with_the_velocity(seed in 0u64..1_000_000, k in 0.05..20.0f64) {
        let instant = random_instant(seed, 1 + (seed % 3) as usize, 4, seed % 2 == 0);
        let scaled = instant.clone().with_velocity(instant.velocity() * k).unwrap();
        let (one, many) = (set(&instant, 32), set(&scaled, 32));
        prop_assert_eq!(one.len(), many.len());
        let size = instant.velocity().amax();
        for (a, b) in one.velocities.iter().zip(&many.velocities) {
            prop_assert!((a * k - b).abs() < 1e-7 * k * size, "{} {}", a * k, b);
        }
        // By a power of two, to the last bit: the scaled problems are the same numbers.
        let twice = instant.clone().with_velocity(instant.velocity() * 4.0).unwrap();
        let four = set(&twice, 32);
        for (a, b) in one.velocities.iter().zip(&four.velocities) {
            prop_assert_eq!(a * 4.0, *b);
        }
    }

    #[test]
    fn minimal_coordinates_have_the_same_outcomes(seed in 0u64..1_000_000) {
        // More coordinates than the contacts see, or fewer.
        let (m, nv) = (1 + (seed % 3) as usize, 3 + (seed % 6) as usize);
        let instant = random_instant(seed, m, nv, seed % 2 == 0);
        let problem = Problem::new(&instant).unwrap();
        let minimal = problem.minimal_instant().unwrap();
        prop_assert!(minimal.nv() <= instant.nv());
        let (whole, small) = (set(&instant, 32), set(&minimal, 32));
        prop_assert_eq!(whole.len(), small.len());
        let size = instant.contact_velocity().amax();
        // The same contact space to rounding (MFI eq. 21–23); planar contacts are turned into their plane
        // there, and contacts without friction lose their tangents.
        let (w, w_small) = (instant.delassus(), minimal.delassus());
        let (u, u_small) = (instant.contact_velocity(), minimal.contact_velocity());
        let whole_frames = seed % 2 == 1 && instant.friction().iter().all(|mu| mu.x > 0.0);
        let rows: Vec<usize> = (0..3 * m).filter(|k| k % 3 == 2 || whole_frames).collect();
        for &i in &rows {
            prop_assert!((u[i] - u_small[i]).abs() < 1e-12 * size, "{} {}", u[i], u_small[i]);
            for &j in &rows {
                prop_assert!((w[(i, j)] - w_small[(i, j)]).abs() < 1e-12 * w.amax());
            }
        }
        // What the solver finds there agrees as its steps do.
        for i in 0..whole.len() {
            let a = instant.jacobian() * DVector::from_column_slice(whole.velocity(i));
            let b = minimal.jacobian() * DVector::from_column_slice(small.velocity(i));
            for c in 0..m {
                prop_assert!((a[3 * c + 2] - b[3 * c + 2]).abs() < 1e-6 * size);
            }
        }
    }
}

/// A table of four legs at the corners of a square, landing flat: every symmetry there can be.
#[test]
fn no_sample_of_a_symmetric_landing_on_four_legs_is_dropped() {
    for velocity in
        [[0.0, 0.0, -1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0, 0.0, 2.0], [0.3, 0.0, -1.0, 0.0, 0.0, 0.0]]
    {
        let instant = common::table(0.5, 0.5, velocity);
        let problem = Problem::new(&instant).unwrap();
        let set = set(&instant, 1024);
        assert_eq!((set.unsolved, set.unfinished), (0, 0), "{velocity:?}");
        for i in (0..set.len()).step_by(7) {
            let report = check(&problem, &set.trace(i));
            assert!(report.worst() < 1e-6, "{velocity:?} {:?}: {report:?}", set.origins[i]);
        }
    }
}

#[test]
fn a_body_between_walls_that_do_not_move_can_jam() {
    // A point between two vertical walls that face each other, and a floor: the walls balance each other.
    let mut jacobian = DMatrix::zeros(9, 2);
    for (c, (t, n)) in
        [([0.0, 1.0], [1.0, 0.0]), ([0.0, 1.0], [-1.0, 0.0]), ([1.0, 0.0], [0.0, 1.0])].iter().enumerate()
    {
        jacobian.row_mut(3 * c).copy_from_slice(t);
        jacobian.row_mut(3 * c + 2).copy_from_slice(n);
    }
    let with = |mu: f64| {
        let friction = vec![Vector2::repeat(mu), Vector2::repeat(mu), Vector2::zeros()];
        let v = DVector::from_vec(vec![0.3, -1.0]);
        let instant = Instant::from_matrices(DMatrix::identity(2, 2), jacobian.clone(), friction, v).unwrap();
        Problem::new(&instant).unwrap()
    };
    // Without friction the walls hold nothing that moves along them: the floor may go on being approached.
    let smooth = certify(&with(0.0));
    assert_eq!(smooth.in_n, Some(false));
    assert_eq!(smooth.jams().next().unwrap().holding, vec![0, 1]);
    assert_eq!(smooth.jams().next().unwrap().stuck, vec![2]);
    assert_eq!(smooth.impulse_bound, None);
    // With friction they hold the body altogether, and J v = 0 leaves the floor no approach.
    let rough = certify(&with(0.5));
    assert_eq!(rough.in_n, Some(true));
    assert_eq!(rough.balanced.len(), 1);
    // One wall and the floor cannot jam.
    let body = planar_body(
        1.0,
        0.2,
        &[(0.5, 0.0, -std::f64::consts::FRAC_PI_2, 0.3), (0.0, -0.5, 0.0, 0.3)],
        [1.0, -1.0, 0.0],
    );
    let free = certify(&Problem::new(&body).unwrap());
    assert!(free.terminates() && free.epsilon > 0.0 && free.impulse_bound.is_some());
}

#[test]
fn feet_on_a_floor_are_certified_by_rising() {
    let certificate = certify(&Problem::new(&block()).unwrap());
    assert!(certificate.terminates());
    // v* is upward for the symmetric block: ε = 1 in units of 1/√m.
    assert!((certificate.epsilon - 1.0).abs() < 1e-6, "{}", certificate.epsilon);
    assert!((certificate.direction[1] - 1.0).abs() < 1e-4);
    // (‖v0‖ − v*·v0)/ε = 2.
    assert!((certificate.impulse_bound.unwrap() - 2.0).abs() < 1e-5);
}
