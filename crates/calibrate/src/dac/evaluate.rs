//! Rollouts against ground truth: DAC Fig. 5 (errors) and Fig. 6 (contact events).

use super::body::Motion;
use super::cases::Case;
use super::instances::at_rest;
use super::stepper::{Contact, Stepper};
use nalgebra::Vector3;
use rayon::prelude::*;
use serde::Serialize;
use stiction_dac::{LawError, Outside};

/// One toss simulated.
#[derive(Clone, Debug)]
pub struct Rollout {
    /// Where it started.
    pub start: Motion,
    /// Where it ended.
    pub end: Motion,
    /// Force impulse of the first contact, N s.
    pub first: Option<Vector3<f64>>,
    /// Sets of touching vertices, one after the other, without repeats.
    pub events: Vec<Vec<usize>>,
    /// Steps at which the law was outside its training range, and the first reason.
    pub outside: (usize, Option<Outside>),
    /// Steps in contact.
    pub touching: usize,
    /// Deepest vertex below the floor after any step, m.
    pub deepest: f64,
    /// Fastest approach to the floor, after a step, of a vertex that touched in it, m/s.
    pub approach: f64,
}

/// Simulates a toss for `steps` steps, or until it rests.
pub fn rollout(case: &Case, law: &dyn Contact, start: Motion, steps: usize) -> Result<Rollout, LawError> {
    let stepper = Stepper::default();
    let mut motion = start;
    let mut out = Rollout {
        start,
        end: start,
        first: None,
        events: Vec::new(),
        outside: (0, None),
        touching: 0,
        deepest: 0.0,
        approach: 0.0,
    };
    let mut still = 0;
    for _ in 0..steps {
        let before = motion;
        let touch = stepper.step(&case.body, &mut motion, law)?;
        out.end = motion;
        out.deepest = out.deepest.max(-case.body.lowest(&motion));
        let Some(touch) = touch else { continue };
        let vertices: Vec<Vector3<f64>> = case.body.vertices_w(&before).collect();
        for &k in &touch.vertices {
            let velocity = motion.linear + motion.spin.cross(&(vertices[k] - before.com));
            out.approach = out.approach.max(-velocity.z);
        }
        out.touching += 1;
        let force = touch.impulse.wrench.fixed_rows::<3>(3).into_owned();
        if out.first.is_none() && force.norm() > 0.0 {
            out.first = Some(force);
        }
        if force.norm() > 0.0 && out.events.last() != Some(&touch.vertices) {
            out.events.push(touch.vertices);
        }
        if let Some(outside) = touch.impulse.outside {
            out.outside.0 += 1;
            out.outside.1.get_or_insert(outside);
        }
        still = if at_rest(&motion) { still + 1 } else { 0 };
        if still > 20 {
            break;
        }
    }
    Ok(out)
}

/// Errors of one toss against ground truth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TossError {
    /// Distance of the final positions in the floor, m.
    pub position: f64,
    /// Angle between the final orientations, rad.
    pub orientation: f64,
    /// Size of the difference of the first impulses, N s.
    pub first: f64,
    /// Whether the same things touched in the same order.
    pub same_events: bool,
    /// Whether the law met a state outside its training range.
    pub outside: bool,
    /// Deepest penetration after a step, m.
    pub deepest: f64,
    /// Fastest approach of a vertex that touches, after a step, m/s.
    pub approach: f64,
}

/// Means over tosses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluation {
    /// Tosses.
    pub tosses: usize,
    /// Mean horizontal distance travelled in ground truth, m.
    pub distance: f64,
    /// Mean angle between start and end in ground truth, rad.
    pub turned: f64,
    /// Mean size of the first impulse in ground truth, N s.
    pub impulse: f64,
    /// Mean final position error, m.
    pub position: f64,
    /// Mean final orientation error, rad.
    pub orientation: f64,
    /// Mean first impulse error, over the mean first impulse.
    pub first: f64,
    /// Median final position error, m.
    pub position_median: f64,
    /// Median final orientation error, rad.
    pub orientation_median: f64,
    /// Share of tosses with the same sequence of contacts.
    pub same_events: f64,
    /// Share of tosses with some state outside the training range.
    pub outside: f64,
    /// Deepest penetration after a step, m.
    pub deepest: f64,
    /// Fastest approach of a vertex that touches, after a step, m/s.
    pub approach: f64,
    /// Tosses that could not be carried to the end.
    pub failed: usize,
}

/// Ground truth of a case.
pub fn truth(case: &Case, tosses: usize, steps: usize, seed: u64) -> Result<Vec<Rollout>, LawError> {
    (0..tosses)
        .into_par_iter()
        .map(|k| rollout(case, &case.reference, case.start(k as u64, seed), steps))
        .collect()
}

/// Compares a law with ground truth, toss by toss.
pub fn compare(
    case: &Case,
    law: &dyn Contact,
    truth: &[Rollout],
    steps: usize,
) -> (Evaluation, Vec<Option<TossError>>) {
    let each: Vec<Option<TossError>> = truth
        .par_iter()
        .map(|t| {
            let ours = rollout(case, law, t.start, steps).ok()?;
            let gap = ours.end.com - t.end.com;
            let first = match (ours.first, t.first) {
                (Some(a), Some(b)) => (a - b).norm(),
                (None, None) => 0.0,
                (a, b) => a.or(b).map_or(0.0, |p| p.norm()),
            };
            let error = TossError {
                position: gap.xy().norm(),
                orientation: ours.end.rotation.angle_to(&t.end.rotation),
                first,
                same_events: ours.events == t.events,
                outside: ours.outside.0 > 0,
                deepest: ours.deepest,
                approach: ours.approach,
            };
            (error.position.is_finite() && error.orientation.is_finite()).then_some(error)
        })
        .collect();
    let good: Vec<&TossError> = each.iter().flatten().collect();
    let mean =
        |f: &dyn Fn(&TossError) -> f64| good.iter().map(|e| f(e)).sum::<f64>() / good.len().max(1) as f64;
    let median = |f: &dyn Fn(&TossError) -> f64| {
        let mut values: Vec<f64> = good.iter().map(|e| f(e)).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let of_truth = |f: &dyn Fn(&Rollout) -> f64| truth.iter().map(f).sum::<f64>() / truth.len().max(1) as f64;
    let impulse = of_truth(&|t| t.first.map_or(0.0, |p| p.norm()));
    let evaluation = Evaluation {
        tosses: truth.len(),
        distance: of_truth(&|t| (t.end.com - t.start.com).xy().norm()),
        turned: of_truth(&|t| t.end.rotation.angle_to(&t.start.rotation)),
        impulse,
        position: mean(&|e| e.position),
        orientation: mean(&|e| e.orientation),
        first: mean(&|e| e.first) / impulse,
        position_median: median(&|e| e.position),
        orientation_median: median(&|e| e.orientation),
        same_events: mean(&|e| f64::from(e.same_events)),
        outside: mean(&|e| f64::from(e.outside)),
        deepest: good.iter().map(|e| e.deepest).fold(0.0, f64::max),
        approach: good.iter().map(|e| e.approach).fold(0.0, f64::max),
        failed: each.iter().filter(|e| e.is_none()).count(),
    };
    (evaluation, each)
}

/// Contact events as the paper writes them: 1, 2… for vertices, a, b… for edges, A, B… for faces.
pub fn events_text(case: &Case, events: &[Vec<usize>]) -> String {
    let count = case.body.vertices.len();
    let faces = faces(&case.body.vertices);
    let pairs: Vec<[usize; 2]> = (0..count)
        .flat_map(|a| (a + 1..count).map(move |b| [a, b]))
        .filter(|p| {
            let shared = faces.iter().filter(|f| p.iter().all(|v| f.contains(v))).count();
            faces.is_empty() || shared >= 2
        })
        .collect();
    let letter = |first: u8, k: usize| {
        let c = char::from(first + (k % 26) as u8);
        if k < 26 { c.to_string() } else { format!("{c}{}", k / 26) }
    };
    let name = |set: &Vec<usize>| match set.as_slice() {
        [v] => (v + 1).to_string(),
        [a, b] => match pairs.iter().position(|p| p == &[*a, *b]) {
            Some(k) => letter(b'a', k),
            None => format!("{}+{}", a + 1, b + 1),
        },
        many => match faces.iter().position(|f| many.iter().all(|v| f.contains(v))) {
            Some(k) => letter(b'A', k),
            None => many.iter().map(|v| (v + 1).to_string()).collect::<Vec<_>>().join("+"),
        },
    };
    events.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Vertices of each face; none for a flat body.
fn faces(vertices: &[Vector3<f64>]) -> Vec<Vec<usize>> {
    let Ok(hull) = stiction::geometry::ConvexHull::from_points(vertices) else { return Vec::new() };
    let nearest = |p: &Vector3<f64>| {
        (0..vertices.len()).min_by(|a, b| (vertices[*a] - p).norm().total_cmp(&(vertices[*b] - p).norm()))
    };
    let face =
        |f: usize| hull.face(f).iter().filter_map(|v| nearest(&hull.vertices()[*v as usize])).collect();
    (0..hull.face_count()).map(face).collect()
}
