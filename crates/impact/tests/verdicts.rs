//! Verdicts and bounds from outside: what is unique, what is ambiguous, and that no outcome escapes the bound.

mod common;

use common::{block, compass, planar_body, random_instant, sliding_box, table, wheel};
use nalgebra::{DMatrix, DVector, Vector2};
use stiction_impact::outer::Method;
use stiction_impact::{
    Options, Outcomes, OuterOptions, Problem, Proof, Verdict, check, impact_without_collision, outcomes,
    outer, structure, verdict,
};
use stiction_rigid::Instant;

fn set(instant: &Instant, samples: usize) -> Outcomes {
    outcomes(&Problem::new(instant).unwrap(), &Options { samples, ..Options::default() }).unwrap()
}

fn judge(instant: &Instant, samples: usize) -> (Outcomes, Verdict) {
    let set = set(instant, samples);
    let bound = outer(set.problem(), &OuterOptions::default()).unwrap();
    let verdict = verdict(&set, Some(&bound)).unwrap();
    (set, verdict)
}

/// Checks that every outcome lies within the bound of every coordinate and some slanted directions; returns the largest gap on
/// one side over the width of the inner set, for directions in which the set has a width.
fn enclosed(set: &Outcomes, options: &OuterOptions) -> f64 {
    let bound = outer(set.problem(), options).unwrap();
    let nv = set.nv;
    let mut worst: f64 = 0.0;
    for k in 0..nv + 4 {
        let c: Vec<f64> =
            (0..nv)
                .map(|i| {
                    if k < nv {
                        f64::from(u8::from(i == k))
                    } else {
                        ((i * 7 + k * 3) % 11) as f64 / 5.0 - 1.0
                    }
                })
                .collect();
        let (low, high) = set.extremes(&c);
        let [least, greatest] = bound.bounds(&c).unwrap();
        let size = set.problem().instant().velocity().amax();
        assert!(
            low.value >= least - 1e-9 * size && high.value <= greatest + 1e-9 * size,
            "[{}, {}] outside [{least}, {greatest}], {:?}",
            low.value,
            high.value,
            bound.method
        );
        let width = high.value - low.value;
        if width > 1e-3 * size {
            worst = worst.max((low.value - least).max(greatest - high.value) / width);
        }
    }
    worst
}

#[test]
fn a_compass_walker_whose_slip_lasts_less_than_a_sixteenth_is_ambiguous() {
    // At 10° and ratios 1.1 and 1.2 a fixed step of a sixteenth does not see the slip. An independent integration with fine steps
    // converges to spreads of 0.0019 and 0.0037.
    for (ratio, spread) in [(1.1, 0.0019), (1.2, 0.0037)] {
        let (set, verdict) = judge(&compass(10.0, ratio), 512);
        assert!(matches!(verdict, Verdict::Ambiguous { .. }), "{ratio}: {verdict:?}");
        let found = set.ambiguity().spread;
        assert!((found - spread).abs() < 1e-4, "{ratio}: {found}");
    }
}

#[test]
fn a_rod_at_45_degrees_whose_slip_reverses_is_unique() {
    let r = 0.5 * std::f64::consts::FRAC_1_SQRT_2;
    let rod = planar_body(1.0, 1.0 / 12.0, &[(r, -r, 0.0, 0.3)], [-0.3, -1.0, 0.0]);
    let (set, verdict) = judge(&rod, 512);
    assert_eq!(verdict, Verdict::Unique(Proof::SingleContact));
    assert!((set.velocity(0)[0] + 143.0 / 410.0).abs() < 1e-12);
}

#[test]
fn the_sliding_box_of_figure_4_is_ambiguous_or_unique_by_friction_and_angle() {
    for (tilt, mu, ambiguous) in [(40.0, 0.5, false), (40.0, 0.9, true), (35.0, 0.5, true), (30.0, 0.3, true)]
    {
        let (_, verdict) = judge(&sliding_box(tilt, mu), 512);
        assert_eq!(
            verdict.name(),
            if ambiguous { "ambiguous" } else { "unique" },
            "{tilt}° {mu}: {verdict:?}"
        );
    }
}

#[test]
fn dropped_samples_never_make_a_verdict_unique() {
    // All contacts at once, in steps too small to come to the end; it may not go on in another way.
    let problem = Problem::new(&wheel()).unwrap();
    let options = Options { samples: 0, cap: Some(5e-5), sequences: 0, ..Options::default() };
    let set = outcomes(&problem, &options).unwrap();
    assert!(set.is_empty() && set.unfinished == 1, "{} {}", set.len(), set.unfinished);
    let verdict = verdict(&set, None).unwrap();
    assert_eq!(verdict.name(), "unknown");
    assert!(verdict.reason().contains("1 were dropped"), "{}", verdict.reason());
    // Samples go on one contact after another instead, and are solutions all along.
    let set = outcomes(&problem, &Options { samples: 32, ..options }).unwrap();
    assert_eq!((set.len(), set.rerouted), (32, 32));
    for i in 0..set.len() {
        let report = check(&problem, &set.trace(i));
        assert!(report.worst() < 1e-8, "{i}: {report:?}");
        assert!(set.kinetic_energy(i) < 0.5);
    }
}

#[test]
fn membership_is_decided_both_ways_in_the_plane() {
    let found = set(&sliding_box(35.0, 0.5), 512);
    let bound = outer(found.problem(), &OuterOptions::default()).unwrap();
    let (few, exact) = (set(&sliding_box(35.0, 0.5), 0), bound.exact);
    assert!(exact, "cells of two contacts in the plane are not merged");
    let is = |of: &Outcomes, v: &[f64]| bound.membership(of, v, 1e-6).unwrap();
    for i in (0..found.len()).step_by(7) {
        let v = found.velocity(i);
        // Also where only the sequences are known, so that the cells have to decide.
        assert_eq!(is(&few, v).name(), "yes", "{i}: {:?}", is(&few, v));
        for off in [[0.05, 0.0, 0.0], [0.0, -0.05, 0.0], [0.0, 0.0, 0.3]] {
            let other: Vec<f64> = v.iter().zip(off).map(|(v, o)| v + o).collect();
            let near = (0..found.len()).map(|k| {
                let d = DVector::from_column_slice(found.velocity(k)) - DVector::from_column_slice(&other);
                (2.0 * found.problem().instant().kinetic_energy(&d)).sqrt()
            });
            // 512 samples leave no holes of a hundredth.
            if near.fold(f64::INFINITY, f64::min) > 0.01 {
                assert_eq!(is(&found, &other).name(), "no", "{i} {off:?}");
            }
        }
    }
    // What two contacts cannot change, and numbers that are none.
    assert!(bound.membership(&found, &[f64::NAN, 0.0, 0.0], 1e-6).is_err());
    assert!(bound.membership(&found, &[0.0, 0.0], 1e-6).is_err());
}

#[test]
fn membership_in_space_knows_outcomes_and_what_lies_beyond_the_bound() {
    let found = set(&table(0.5, 0.5, [0.3, 0.0, -1.0, 0.0, 0.0, 0.4]), 128);
    let bound = outer(found.problem(), &OuterOptions::default()).unwrap();
    let name = |v: &[f64]| bound.membership(&found, v, 1e-6).unwrap().name();
    assert_eq!(name(found.velocity(70)), "yes");
    // It rises at the speed at which it fell: as much energy as before, without a cause for the restitution.
    assert_eq!(name(&[0.3, 0.0, 1.0, 0.0, 0.0, 0.4]), "no");
    assert_eq!(name(&[0.3, 0.0, -0.1, 0.0, 0.0, 0.4]), "no");
    let between: Vec<f64> = (0..6).map(|k| 0.5 * (found.velocity(3)[k] + found.velocity(90)[k])).collect();
    assert_eq!(name(&between), "unknown");
}

#[test]
fn more_sectors_of_slip_tighten_the_bound_in_space_and_hold_all_outcomes() {
    let mut tighter = 0;
    for seed in [1701, 1801, 1805] {
        let found = set(&random_instant(seed, 2, 6, false), 256);
        let bounds = [4, 8].map(|sectors| {
            let options = OuterOptions { sectors, work: 60_000_000, ..OuterOptions::default() };
            enclosed(&found, &options);
            let bound = outer(found.problem(), &options).unwrap();
            (bound.method == Method::Cells).then(|| bound.box_bounds().unwrap())
        });
        let [Some(coarse), Some(fine)] = bounds else { continue };
        let width = |bounds: &[[f64; 2]]| bounds.iter().map(|[l, h]| h - l).sum::<f64>();
        assert!(width(&fine) <= width(&coarse) * (1.0 + 1e-6), "{seed}");
        tighter += usize::from(width(&fine) < 0.9 * width(&coarse));
    }
    assert!(tighter >= 1, "{tighter}");
    let problem = Problem::new(&random_instant(1701, 2, 6, false)).unwrap();
    for sectors in [0, 2, 5] {
        assert!(outer(&problem, &OuterOptions { sectors, ..OuterOptions::default() }).is_err());
    }
}

#[test]
fn samples_that_agree_are_unknown_without_a_bound_and_unique_with_one() {
    let set = set(&sliding_box(40.0, 0.5), 256);
    assert_eq!(verdict(&set, None).unwrap().name(), "unknown");
    let bound = outer(set.problem(), &OuterOptions::default()).unwrap();
    assert!(matches!(verdict(&set, Some(&bound)).unwrap(), Verdict::Unique(Proof::Bound(_))));
}

#[test]
fn contacts_that_do_not_affect_each_other_are_unique() {
    // Frictionless corners at the radius of gyration: normals orthogonal in the mass metric.
    let x = (5.0f64 / 12.0).sqrt();
    let body = planar_body(1.0, 5.0 / 12.0, &[(-x, -1.0, 0.0, 0.0), (x, -1.0, 0.0, 0.0)], [0.3, -1.0, 0.1]);
    assert_eq!(structure(&Problem::new(&body).unwrap()), Some(Proof::Decoupled));
    // With friction they do.
    let body = planar_body(1.0, 5.0 / 12.0, &[(-x, -1.0, 0.0, 0.2), (x, -1.0, 0.0, 0.2)], [0.3, -1.0, 0.1]);
    assert_eq!(structure(&Problem::new(&body).unwrap()), None);
}

#[test]
fn one_contact_that_reaches_no_other_is_unique_and_one_that_does_is_not() {
    // A block lands on its left corner and turns; the right one is apart at 1 m/s, or so slow that the turn drives it down.
    let turn = |v: f64, w: f64| {
        planar_body(1.0, 5.0 / 12.0, &[(-0.5, -1.0, 0.0, 1.0), (0.5, -1.0, 0.0, 1.0)], [0.0, v, w])
    };
    // u_n = v ∓ ω/2.
    let apart = Problem::new(&turn(0.0, 2.0)).unwrap();
    assert_eq!(structure(&apart), Some(Proof::Alone));
    let found = set(apart.instant(), 256);
    assert!(found.ambiguity().spread < 1e-9, "{}", found.ambiguity().spread);
    // Slow: corner A alone gives B the share of W that would press it: it must not count as alone if B is reached.
    for slow in [0.0, 0.01] {
        let reached = turn(-0.5 + slow, 1.0);
        let u = reached.contact_velocity();
        assert!(u[2] < 0.0 && u[5] >= 0.0);
        assert_eq!(structure(&Problem::new(&reached).unwrap()), None, "{slow}");
    }
    // In space, over random mechanisms: the proof never contradicts two solutions that differ.
    let mut alone = 0;
    for seed in 0..400 {
        let instant = random_instant(2600 + seed, 2, 4 + (seed % 3) as usize, seed % 3 == 0);
        let found = set(&instant, 32);
        if structure(found.problem()) == Some(Proof::Alone) {
            alone += 1;
            assert!(found.ambiguity().spread < 1e-5, "seed {seed}: {}", found.ambiguity().spread);
        }
    }
    assert!(alone > 10, "{alone}");
}

#[test]
fn the_gap_is_below_a_tenth_for_the_papers_examples() {
    for (name, instant) in [
        ("rimless wheel", wheel()),
        ("block", block()),
        ("box and wall, 35°", sliding_box(35.0, 0.5)),
        ("box and wall, 40°", sliding_box(40.0, 0.9)),
        ("compass at 20°", compass(20.0, 0.5)),
        ("compass at 30°", compass(30.0, 1.0)),
        ("compass at 10°", compass(10.0, 1.2)),
    ] {
        let clock = std::time::Instant::now();
        let gap = enclosed(&set(&instant, 4096), &OuterOptions::default());
        println!("{name}: gap {gap:.4} in {:.0} ms", 1e3 * clock.elapsed().as_secs_f64());
        assert!(gap < 0.1, "{name}: {gap}");
    }
}

#[test]
fn a_hundred_random_mechanisms_run_through() {
    // `cargo xtask soak --impacts` has two thousand.
    let mut tally = common::soak::Tally::default();
    (10_000..10_100).for_each(|seed| tally.add(seed));
    assert!(tally.failures.is_empty(), "{:?}", tally.failures);
    assert!(tally.outcomes > 5000 && tally.verdicts.len() >= 2, "{} {:?}", tally.outcomes, tally.verdicts);
}

#[test]
fn no_outcome_of_a_random_planar_mechanism_leaves_the_bound() {
    let mut by_cells = 0;
    for seed in 0..60 {
        let instant = random_instant(900 + seed, 2 + (seed % 2) as usize, 3 + (seed % 3) as usize, true);
        let (set, options) =
            (set(&instant, 64), OuterOptions { pieces: 2, work: 1_000_000, ..OuterOptions::default() });
        enclosed(&set, &options);
        by_cells += usize::from(outer(set.problem(), &options).unwrap().method == Method::Cells);
    }
    println!("{by_cells} of 60 by cells");
    assert!(by_cells > 30, "{by_cells}");
}

#[test]
fn no_outcome_in_space_leaves_the_bound() {
    for seed in 0..12 {
        enclosed(
            &set(&random_instant(1700 + seed, 2 + (seed % 3) as usize, 4 + (seed % 3) as usize, false), 64),
            &OuterOptions::default(),
        );
    }
    let gap =
        enclosed(&set(&table(0.5, 0.5, [0.3, 0.0, -1.0, 0.0, 0.0, 0.4]), 512), &OuterOptions::default());
    println!("table on four legs: gap {gap:.2}");
}

#[test]
fn more_pieces_do_not_loosen_the_bound() {
    let problem = Problem::new(&sliding_box(30.0, 0.3)).unwrap();
    let width = |pieces| {
        let [low, high] = outer(&problem, &OuterOptions { pieces, ..OuterOptions::default() })
            .unwrap()
            .bounds(&[0.0, 0.0, 1.0])
            .unwrap();
        high - low
    };
    let (one, eight) = (width(1), width(8));
    assert!(eight <= one * (1.0 + 1e-6), "{eight} {one}");
}

/// A frictionless ball that falls between two others, normals at ±β from the vertical: unit masses, (x, z) of the top, left and right one.
fn wedge(beta_deg: f64) -> Instant {
    let (s, c) = beta_deg.to_radians().sin_cos();
    let mut jacobian = DMatrix::zeros(6, 6);
    jacobian.row_mut(2).copy_from_slice(&[s, c, -s, -c, 0.0, 0.0]);
    jacobian.row_mut(5).copy_from_slice(&[-s, c, 0.0, 0.0, s, -c]);
    let v = DVector::from_vec(vec![0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    Instant::from_matrices(DMatrix::identity(6, 6), jacobian, vec![Vector2::zeros(); 2], v).unwrap()
}

#[test]
fn frictionless_contacts_that_press_each_other_are_unique_and_others_are_not() {
    // From 45° on a push of one ball presses the top one into the other.
    for (beta, unique) in [(30.0, false), (44.0, false), (50.0, true), (70.0, true)] {
        let problem = Problem::new(&wedge(beta)).unwrap();
        assert_eq!(structure(&problem), unique.then_some(Proof::Pressing), "{beta}");
        let (set, verdict) = judge(&wedge(beta), 256);
        assert_eq!(verdict.name(), if unique { "unique" } else { "ambiguous" }, "{beta}: {verdict:?}");
        if unique {
            // The outcomes found agree with the proof.
            assert!(set.ambiguity().spread < 1e-6, "{beta}");
        }
    }
}

#[test]
fn a_pressed_sliding_rod_beside_another_needs_an_impact_without_collision() {
    // Two rods of 1 m and 1 kg at atan 2 from the horizontal, side by side, sliding on their tips with different friction.
    let rods = |frictions: [f64; 2]| {
        let (s, c) = 2.0f64.atan().sin_cos();
        let (x, z) = (0.5 * c, -0.5 * s);
        let mut jacobian = DMatrix::zeros(6, 6);
        for k in 0..2 {
            jacobian.view_mut((3 * k, 3 * k), (1, 3)).copy_from_slice(&[1.0, 0.0, -z]);
            jacobian.view_mut((3 * k + 2, 3 * k), (1, 3)).copy_from_slice(&[0.0, 1.0, x]);
        }
        let mass = DMatrix::from_diagonal(&DVector::from_vec([1.0, 1.0, 1.0 / 12.0].repeat(2)));
        let v = DVector::from_vec([1.0, 0.0, 0.0].repeat(2));
        Instant::from_matrices(mass, jacobian, frictions.map(Vector2::repeat).to_vec(), v).unwrap()
    };
    let pressed = |frictions, gravity: f64| {
        let problem = Problem::new(&rods(frictions)).unwrap();
        impact_without_collision(&problem, &[-gravity, -gravity])
    };
    // The limit is 4/3.
    assert_eq!(pressed([1.6, 0.5], 9.81), Some(vec![0]));
    assert_eq!(pressed([1.3, 0.5], 9.81), None);
    // Nothing presses a rod that gravity lifts.
    assert_eq!(pressed([1.6, 0.5], -9.81), None);
}
