//! Constraints with targets that a mechanism cannot reach: it settles at the least error and reports it.

mod common;
use common::{model, simulation};
use nalgebra::Vector3;
use stiction::{Model, Options, Simulation};

const STEPS: [f64; 4] = [1e-3, 2e-3, 5e-3, 1e-2];

/// Joint speed, rad/s, that no motion of the arms below at the closing speed of about 1 m/s exceeds.
const FAST: f64 = 30.0;

fn fastest(sim: &Simulation) -> f64 {
    sim.state().v.iter().fold(0.0, |top, v| v.abs().max(top))
}

/// Two links of 0.2 m in the plane of `turn`, straight at first, whose end is tied to a mocap body.
fn planar_arm(equality: &str, turn: f64) -> Model {
    let link =
        "<geom type=\"capsule\" fromto=\"0 0 0 0.2 0 0\" size=\"0.01\" contype=\"0\" conaffinity=\"0\"/>";
    let joint = "<joint axis=\"0 1 0\" damping=\"0.1\" armature=\"0.01\"/>";
    let (s, c) = turn.to_radians().sin_cos();
    model(
        &format!(
            "<body name=\"t\" mocap=\"true\" pos=\"{} {} 0\"/><body name=\"base\" euler=\"0 0 {turn}\">\
             <body name=\"l1\">{joint}{link}<body name=\"l2\" pos=\"0.2 0 0\">{joint}{link}</body></body></body>",
            0.4 * c,
            0.4 * s
        ),
        &format!("<option gravity=\"0 0 0\"/><equality>{equality}</equality>"),
    )
}

/// The arm of `turn` with its target at (x, y, z) of its own frame, after 10 s; the largest speed on the way.
fn settled(equality: &str, turn: f64, at: [f64; 3], step: f64) -> (Simulation, f64) {
    let model = planar_arm(equality, turn);
    let mut sim = simulation(&model, Options { step, ..Options::default() });
    let (s, c) = turn.to_radians().sin_cos();
    let target = Vector3::new(at[0] * c - at[1] * s, at[0] * s + at[1] * c, at[2]);
    sim.state_mut().mocap[0].pose.translation.vector = target;
    let mut top = 0.0f64;
    while sim.state().time < 10.0 {
        sim.step(1).unwrap();
        top = top.max(fastest(&sim));
    }
    assert_eq!(sim.stats().unconverged, 0);
    (sim, top)
}

/// An arm turned by 90° reached 46,000 rad/s for a target 1 mm out of its plane.
#[test]
fn a_target_out_of_the_plane_of_an_arm_is_reached_in_the_plane_at_every_orientation() {
    let connect = "<connect body1=\"l2\" body2=\"t\" anchor=\"0.2 0 0\"/>";
    for step in STEPS {
        for turn in [0.0, 90.0, 180.0, 1.0, 90.0001] {
            for off in [1e-3, 5e-2] {
                let (sim, top) = settled(connect, turn, [0.25, off, 0.1], step);
                assert!(top < FAST, "{turn}°, {step} s: {top} rad/s");
                assert!(fastest(&sim) < 1e-3, "{turn}°, {step} s: {} rad/s at the end", fastest(&sim));
                let gap = sim.last_report().max_gap;
                assert!((gap - off).abs() < 1e-3 * off, "{turn}°, {step} s: {gap} m for {off} m");
            }
        }
    }
}

#[test]
fn a_target_beyond_the_reach_of_an_arm_leaves_it_straight_and_is_reported() {
    for step in STEPS {
        let connect = "<connect name=\"tie\" body1=\"l2\" body2=\"t\" anchor=\"0.2 0 0\"/>";
        let (sim, top) = settled(connect, 90.0, [0.48, 0.0, 0.36], step);
        let report = sim.last_report();
        assert!((report.max_gap - 0.2).abs() < 1e-4 && top < FAST, "{} m, {top} rad/s", report.max_gap);
        assert_eq!(report.missed_equalities, 1);
        let warnings = sim.warnings();
        assert!(
            warnings.len() == 1 && warnings[0].message.contains("\"tie\" misses its target by 2.000e-1 m")
        );
    }
}

fn five_joints() -> Model {
    let body = |name: &str, pos: &str, axis: &str, to: &str, mass: f64, inside: &str| {
        format!(
            "<body name=\"{name}\" pos=\"{pos}\"><joint axis=\"{axis}\" damping=\"0.1\" armature=\"0.01\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 {to}\" size=\"0.02\" mass=\"{mass}\" contype=\"0\" conaffinity=\"0\"/>{inside}</body>"
        )
    };
    let roll = body("roll", "0.05 0 0", "1 0 0", "0.05 0 0", 0.1, "");
    let wrist = body("wrist", "0.13 0 0", "0 1 0", "0.05 0 0", 0.1, &roll);
    let fore = body("fore", "0 0 0.12", "0 1 0", "0.13 0 0", 0.2, &wrist);
    let upper = body("upper", "0 0 0.05", "0 1 0", "0 0 0.12", 0.3, &fore);
    let base = body("pan", "0 0 0", "0 0 1", "0 0 0.05", 0.5, &upper);
    model(
        &format!("<body name=\"target\" mocap=\"true\" pos=\"0.18 0 0.17\"/>{base}"),
        "<equality><weld body1=\"target\" body2=\"roll\" relpose=\"0 0 0 1 0 0 0\"/></equality>",
    )
}

/// Such an arm reached 35,000 rad/s.
#[test]
fn a_mocap_weld_that_five_joints_cannot_follow_is_followed_to_the_least_error() {
    for amplitude in [0.02, 0.05, 0.15] {
        let mut errors = Vec::new();
        for step in STEPS {
            let model = five_joints();
            let mut sim = simulation(&model, Options { step, ..Options::default() });
            let mut top = 0.0f64;
            while sim.state().time < 4.0 {
                let t = sim.state().time;
                let on = amplitude * t.min(1.0);
                let target = Vector3::new(0.18, 0.0, 0.17)
                    + on * Vector3::new((1.5 * t).sin(), (1.5 * t).cos() - 1.0, 0.5 * (3.0 * t).sin());
                sim.state_mut().mocap[0].pose.translation.vector = target;
                sim.step((0.02 / step).round() as usize).unwrap();
                top = top.max(fastest(&sim));
            }
            assert_eq!(sim.stats().unconverged, 0);
            assert!(top < FAST, "{amplitude} m, {step} s: {top} rad/s");
            errors.push(sim.stats().max_gap);
        }
        if amplitude > 0.1 {
            continue; // it is too far off to be at rest relative to its target
        }
        // The least error is a property of the arm, not of the step.
        let (least, most) = errors.iter().fold((f64::MAX, 0.0f64), |(a, b), e| (a.min(*e), b.max(*e)));
        assert!(most < 1.1 * least, "{amplitude} m: {errors:?}");
    }
}
