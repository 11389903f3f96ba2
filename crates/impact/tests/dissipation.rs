//! Strict dissipation with numbers: α(s) against closed forms and sampled solutions, the bounds S of Theorem 8 and Lemma 9.

mod common;

use common::{planar_body, random_instant, wheel};
use nalgebra::{DMatrix, DVector, Vector2};
use stiction_impact::{Dissipation, Options, Outcomes, Problem, Segment, certify, outcomes, structure};
use stiction_rigid::Instant;

fn set(instant: &Instant, samples: usize) -> Outcomes {
    outcomes(&Problem::new(instant).unwrap(), &Options { samples, ..Options::default() }).unwrap()
}

/// A point of 1 kg in the plane on surfaces with these normals (angles from the vertical) and friction coefficients.
fn point(surfaces: &[(f64, f64)], v: [f64; 2]) -> Instant {
    let contacts: Vec<_> = surfaces.iter().map(|(angle, mu)| (0.0, 0.0, *angle, *mu)).collect();
    planar_body(1.0, 1.0, &contacts, [v[0], v[1], 0.0])
}

fn dissipation(instant: &Instant) -> Dissipation {
    certify(&Problem::new(instant).unwrap()).dissipation.unwrap()
}

#[test]
fn a_single_contact_without_friction_has_its_closed_form() {
    // The solution that loses least over s approaches at s and moves along the floor with the rest: |v(s)|² = 1 − s².
    for s in [1e-3, 0.1, 0.5, 0.9] {
        let point = point(&[(0.0, 0.0)], [(1.0f64 - s * s).sqrt(), -s]);
        let end = set(&point, 1);
        let kept = end.kinetic_energy(0) / point.kinetic_energy(point.velocity());
        let alpha = dissipation(&point).alpha(s);
        assert!((1.0 - alpha - kept.sqrt()).abs() < 1e-12, "{s}: {alpha}");
    }
}

#[test]
fn alpha_is_positive_grows_and_stays_below_solutions_in_closed_form() {
    let right = -std::f64::consts::FRAC_PI_2;
    for (name, surfaces) in [
        ("floor and wall (paper, eq. 26)", vec![(0.0, 0.0), (right, 0.0)]),
        ("rough floor", vec![(0.0, 0.5)]),
        ("rough floor and wall", vec![(0.0, 0.5), (right, 0.0)]),
        ("rough floor and rough wall", vec![(0.0, 0.5), (right, 0.3)]),
    ] {
        let alpha = dissipation(&point(&surfaces, [0.0, -1.0]));
        let mut before = 0.0;
        for k in 1..=20 {
            let s = 0.05 * f64::from(k);
            let now = alpha.alpha(s);
            assert!(now > before, "{name}: α({s}) = {now}");
            before = now;
            // A point that meets the floor at speed s and has the rest of |v| = 1 in directions that no contact sees keeps √(1 − s²).
            let kept = (1.0 - s * s).sqrt();
            assert!(now <= 1.0 - kept + 1e-15, "{name}: α({s}) = {now}, a solution loses {}", 1.0 - kept);
        }
        // Beyond 2/ε nothing approaches any more.
        assert_eq!(alpha.alpha(2.01 / alpha.epsilon), 1.0);
    }
}

#[test]
fn sampled_solutions_lose_at_least_alpha_and_end_within_lemma_9() {
    let mut least = f64::INFINITY;
    for seed in 0..80 {
        let instant =
            random_instant(600 + seed, 1 + (seed % 4) as usize, 2 + (seed % 4) as usize, seed % 2 == 0);
        let Some(alpha) = certify(&Problem::new(&instant).unwrap()).dissipation else { continue };
        let set = set(&instant, 32);
        let before = (2.0 * instant.kinetic_energy(instant.velocity())).sqrt();
        for i in 0..set.len() {
            let s = set.impulse(i).iter().skip(2).step_by(3).sum::<f64>() / before;
            let kept = (2.0 * set.kinetic_energy(i)).sqrt() / before;
            assert!(kept <= 1.0 - alpha.alpha(s) + 1e-9, "seed {seed}: {kept}, α({s}) = {}", alpha.alpha(s));
            for k in 1..=8 {
                assert!(s <= alpha.exit(0.25 * f64::from(k) / alpha.epsilon), "seed {seed}");
            }
            least = least.min((1.0 - kept) / alpha.alpha(s));
        }
    }
    println!("solutions lose at least {least:.1} times α");
}

#[test]
fn energy_falls_in_every_step_of_every_solution() {
    // Theorems 6 and 7: within P_C energy is constant only where velocity is.
    for seed in 0..40 {
        let instant = random_instant(500 + seed, 2 + (seed % 3) as usize, 4, false);
        let set = set(&instant, 16);
        if set.problem().planar() || set.problem().groups().iter().any(|g| g.len() > 1) {
            continue;
        }
        for i in 0..set.len() {
            let path = set.path(i);
            let trace = set.trace(i);
            if trace.segments.iter().any(|s| matches!(s, Segment::Routh { .. })) {
                continue;
            }
            for (k, segment) in trace.segments.iter().enumerate() {
                let Segment::Step { impulse } = segment else { continue };
                let moved = path[k].iter().zip(&path[k + 1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let work: f64 =
                    impulse.iter().zip(path[k].iter().zip(&path[k + 1])).map(|(l, (a, b))| l * (a + b)).sum();
                assert!(work < 0.0 || moved < 1e-12, "seed {seed}, outcome {i}, step {k}: {work}");
            }
        }
    }
}

#[test]
fn walls_that_balance_without_harm_have_a_bound_of_the_impulse() {
    // A point between two rough walls that face each other slides down onto a floor: ε = 0, but friction lets nothing approach for ever. Every
    // impulse at a wall takes at least 0.5 of the fall, so walls alone need 2 N s to stop 1 m/s; nothing needs more.
    let mut jacobian = DMatrix::zeros(9, 2);
    for (c, (t, n)) in
        [([0.0, 1.0], [1.0, 0.0]), ([0.0, 1.0], [-1.0, 0.0]), ([1.0, 0.0], [0.0, 1.0])].iter().enumerate()
    {
        jacobian.row_mut(3 * c).copy_from_slice(t);
        jacobian.row_mut(3 * c + 2).copy_from_slice(n);
    }
    let friction = vec![Vector2::repeat(0.5), Vector2::repeat(0.5), Vector2::zeros()];
    let v = DVector::from_vec(vec![0.3, -1.0]);
    let instant = Instant::from_matrices(DMatrix::identity(2, 2), jacobian, friction, v).unwrap();
    let certificate = certify(&Problem::new(&instant).unwrap());
    assert!(certificate.terminates() && certificate.epsilon == 0.0);
    let bound = certificate.impulse_bound.unwrap();
    assert!((bound - 2.0).abs() < 1e-5, "{bound}");
    let set = set(&instant, 256);
    let most = (0..set.len()).map(|i| set.impulse(i).iter().skip(2).step_by(3).sum()).fold(0.0f64, f64::max);
    assert!(most <= bound, "{most} > {bound}");
    // Where both methods give a bound, cells do not exceed the cone program's by more than their slack: they are exact for the wheel.
    assert!(
        structure(set.problem()).is_none()
            && certify(&Problem::new(&wheel()).unwrap()).impulse_bound.is_some()
    );
}
