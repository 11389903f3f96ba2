//! Solutions of the inclusion against Routh's method, and refinement where slip stops inside the impact.

mod common;

use common::{planar_body, random_instant};
use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};
use stiction_impact::{Options, Origin, Problem, Restitution, RouthOptions, check, outcomes, routh};
use stiction_rigid::Instant;

/// A mechanism with one contact, beside a second body on a line of its own that flies away from a wall: two contacts of which one
/// never acts. The general solver then has to find Routh's path.
fn beside(one: &Instant) -> Instant {
    let nv = one.nv();
    let mut mass = DMatrix::identity(nv + 1, nv + 1);
    mass.view_mut((0, 0), (nv, nv)).copy_from(one.mass());
    let mut jacobian = DMatrix::zeros(6, nv + 1);
    jacobian.view_mut((0, 0), (3, nv)).copy_from(one.jacobian());
    jacobian[(5, nv)] = 1.0;
    let mut friction = one.friction().to_vec();
    friction.push(Vector2::zeros());
    let velocity = DVector::from_iterator(nv + 1, one.velocity().iter().copied().chain([1.0]));
    Instant::from_matrices(mass, jacobian, friction, velocity).unwrap()
}

/// Largest difference of an outcome from Routh's, over the largest contact speed before.
fn off_routh(one: &Instant, options: &Options) -> f64 {
    let set = outcomes(&Problem::new(&beside(one)).unwrap(), options).unwrap();
    assert_eq!(
        (set.unfinished, set.unsolved),
        (0, 0),
        "{} {} {:?}",
        one.delassus(),
        one.contact_velocity(),
        one.friction()
    );
    assert!(set.origins.iter().any(|o| matches!(o, Origin::Sample(_))));
    let w = Matrix3::from_iterator(one.delassus().iter().copied());
    let u = Vector3::from_iterator(one.contact_velocity().iter().copied());
    let mu = one.friction()[0].x;
    let end = routh(&w, &u, mu, Restitution::Inelastic, &RouthOptions::default()).unwrap();
    let v = one.velocity_after(&DVector::from_column_slice(end.impulse.as_slice()));
    let size = one.contact_velocity().amax();
    let each = (0..set.len()).flat_map(|i| {
        set.velocity(i)[..one.nv()].iter().zip(v.iter()).map(|(a, b)| (a - b).abs()).collect::<Vec<_>>()
    });
    each.fold(0.0, f64::max) / size
}

#[test]
fn a_thousand_single_contact_mechanisms_agree_with_rouths_method() {
    let (mut reversals, mut curved) = (0, 0);
    for seed in 0..1000 {
        let planar = seed % 3 == 0;
        let one = random_instant(seed, 1, 3 + (seed % 3) as usize, planar);
        let off = off_routh(&one, &Options { samples: 4, tolerance: 1e-8, ..Options::default() });
        assert!(off < 1e-6, "seed {seed}: {off}");
        let w = Matrix3::from_iterator(one.delassus().iter().copied());
        let u = Vector3::from_iterator(one.contact_velocity().iter().copied());
        let mu = one.friction()[0].x;
        let path = routh(&w, &u, mu, Restitution::Inelastic, &RouthOptions::default()).unwrap();
        reversals += usize::from(planar && u.x * path.velocity.x < -1e-3);
        curved += usize::from(!planar && mu > 0.0 && path.path.len() > 8);
    }
    // Both are there in numbers.
    assert!(reversals > 5 && curved > 100, "{reversals} reversals, {curved} curved slips");
}

/// A rod at 45° whose slip reverses inside the impact: friction 0.3, tip at (−0.3, −1).
fn rod() -> Instant {
    let r = 0.5 * std::f64::consts::FRAC_1_SQRT_2;
    planar_body(1.0, 1.0 / 12.0, &[(r, -r, 0.0, 0.3)], [-0.3, -1.0, 0.0])
}

#[test]
fn a_rod_at_45_degrees_has_rouths_answer_alone() {
    let set = outcomes(&Problem::new(&rod()).unwrap(), &Options::default()).unwrap();
    assert_eq!(set.len(), 1);
    assert!((set.velocity(0)[0] + 143.0 / 410.0).abs() < 1e-12, "{:?}", set.velocity(0));
    assert!(off_routh(&rod(), &Options { samples: 64, ..Options::default() }) < 1e-12);
}

#[test]
fn errors_shrink_with_the_tolerance_where_slip_stops_inside_the_impact() {
    // In space, slip that turns and stops.
    let mut worst = Vec::new();
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let mut most: f64 = 0.0;
        for seed in 0..40 {
            let one = random_instant(7000 + seed, 1, 4, false);
            most = most.max(off_routh(&one, &Options { samples: 2, tolerance, ..Options::default() }));
        }
        assert!(most < 3.0 * tolerance, "{most} at {tolerance}");
        worst.push(most);
    }
    assert!(worst[2] < 1e-2 * worst[0], "{worst:?}");
}

#[test]
fn a_sample_obeys_the_inclusion_all_along_and_a_broken_one_does_not() {
    let mut most: [f64; 2] = [0.0; 2];
    for seed in 0..60 {
        let planar = seed % 2 == 0;
        let instant = random_instant(300 + seed, 2 + (seed % 3) as usize, 3 + (seed % 4) as usize, planar);
        let problem = Problem::new(&instant).unwrap();
        let set =
            outcomes(&problem, &Options { samples: 24, tolerance: 1e-8, ..Options::default() }).unwrap();
        for i in 0..set.len() {
            let mut trace = set.trace(i);
            let report = check(&problem, &trace);
            assert!(
                report.worst() < if planar { 1e-8 } else { 1e-6 },
                "{seed} {:?} {report:?}",
                set.origins[i]
            );
            most[usize::from(planar)] = most[usize::from(planar)].max(report.worst());
            // Friction that is a thousandth off is seen.
            if let Some(stiction_impact::Segment::Step { impulse }) = trace.segments.first_mut() {
                let k = impulse.iter().position(|l| l.abs() > 1e-2);
                if let Some(k) = k {
                    impulse[k] *= -1.0;
                    assert!(check(&problem, &trace).worst() > 1e-3, "{seed} {:?}", set.origins[i]);
                }
            }
        }
    }
    println!("worst violation {:.1e} in space, {:.1e} in the plane", most[0], most[1]);
}
