//! Poisson's restitution of simultaneous impacts.

mod common;

use common::{block, planar_body, random_instant};
use nalgebra::{DVector, Matrix3, Vector3};
use stiction_impact::{Options, Origin, Problem, Restitution, RouthOptions, outcomes, routh};

#[test]
fn a_single_contact_bounces_as_rouths_method_says() {
    for seed in 0..200 {
        let one = random_instant(seed, 1, 3 + (seed % 3) as usize, seed % 2 == 0);
        let e = 0.1 + 0.004 * seed as f64;
        let options = Options { tolerance: 1e-9, ..Options::default() };
        let set = outcomes(&Problem::new(&one).unwrap(), &options).unwrap();
        let bounces = set.bounce(&[e]).unwrap();
        assert!(bounces.dropped.is_empty() && bounces.shortened.is_empty(), "seed {seed}");
        let w = Matrix3::from_iterator(one.delassus().iter().copied());
        let u = Vector3::from_iterator(one.contact_velocity().iter().copied());
        let end =
            routh(&w, &u, one.friction()[0].x, Restitution::Poisson(e), &RouthOptions::default()).unwrap();
        let v = one.velocity_after(&DVector::from_column_slice(end.impulse.as_slice()));
        for (a, b) in bounces.velocities.iter().zip(v.iter()) {
            assert!((a - b).abs() < 1e-6 * u.amax(), "seed {seed}: {a} {b}");
        }
    }
}

#[test]
fn a_block_that_lands_at_once_on_both_corners_bounces_straight_up() {
    let set =
        outcomes(&Problem::new(&block()).unwrap(), &Options { samples: 16, ..Options::default() }).unwrap();
    let at_once = set.origins.iter().position(|o| *o == Origin::OneShot).unwrap();
    let bounces = set.bounce(&[0.6, 0.6]).unwrap();
    let v = &bounces.velocities[3 * at_once..3 * at_once + 3];
    assert!(v[0].abs() < 1e-12 && (v[1] - 0.6).abs() < 1e-12 && v[2].abs() < 1e-12, "{v:?}");
    // None comes back without restitution.
    assert_eq!(set.bounce(&[0.0, 0.0]).unwrap().velocities, set.velocities);
    // One foot alone may bounce.
    let one = set.bounce(&[0.6, 0.0]).unwrap();
    assert!(one.velocities[3 * at_once + 2] < -1e-3, "{:?}", &one.velocities[3 * at_once..3 * at_once + 3]);
}

#[test]
fn energy_never_rises_and_nothing_approaches_after() {
    let mut shortened = 0;
    for seed in 0..150 {
        let instant =
            random_instant(4000 + seed, 2 + (seed % 3) as usize, 3 + (seed % 4) as usize, seed % 2 == 0);
        let problem = Problem::new(&instant).unwrap();
        let set = outcomes(&problem, &Options { samples: 32, ..Options::default() }).unwrap();
        let e: Vec<f64> = (0..problem.contacts()).map(|c| [1.0, 0.5, 0.9, 0.0][c % 4]).collect();
        let bounces = set.bounce(&e).unwrap();
        shortened += bounces.shortened.len();
        let before = instant.kinetic_energy(instant.velocity());
        let size = instant.contact_velocity().amax();
        for (i, v) in bounces.velocities.chunks(instant.nv()).enumerate() {
            let v = DVector::from_column_slice(v);
            let after = instant.kinetic_energy(&v);
            assert!(after <= before * (1.0 + 1e-9), "seed {seed}, outcome {i}: {after} > {before}");
            let u = instant.jacobian() * &v;
            assert!((0..problem.contacts()).all(|c| u[3 * c + 2] > -1e-5 * size), "seed {seed}, outcome {i}");
        }
    }
    // The cut is needed: Poisson's law alone would create energy.
    assert!(shortened > 0);
}

#[test]
fn wrong_coefficients_are_refused() {
    let body = planar_body(1.0, 1.0, &[(0.0, -1.0, 0.0, 0.5)], [0.0, -1.0, 0.0]);
    let set = outcomes(&Problem::new(&body).unwrap(), &Options::default()).unwrap();
    for e in [vec![1.5], vec![-0.1], vec![f64::NAN], vec![0.5, 0.5], vec![]] {
        assert!(set.bounce(&e).is_err(), "{e:?}");
    }
}
