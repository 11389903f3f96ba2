//! Errors of many tosses.

use crate::dataset::Toss;
use crate::protocol::{Protocol, place, turn};
use nalgebra::Point3;
use rayon::prelude::*;
use serde::Serialize;
use stiction::model::Pose;
use stiction::multibody::Workspace;
use stiction::{Model, Options, Simulation, StepError};

/// Errors of one toss, as means over its time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// ‖Δp‖ of the tossed body over the width.
    pub position: f64,
    /// Angle of the rotation between the two, rad.
    pub angle: f64,
    /// Largest error of the other joints' angles, rad; 0 where there are none.
    pub joints: f64,
}

/// Collects the errors of one predicted toss.
#[derive(Clone, Debug)]
pub struct Comparison {
    width: f64,
    sum: Score,
    count: usize,
}

impl Comparison {
    /// For a width in m.
    pub fn new(width: f64) -> Self {
        Self { width, sum: Score::default(), count: 0 }
    }

    /// Adds a sample: recorded and predicted positions.
    pub fn add(&mut self, recorded: &[f64], predicted: &[f64]) {
        self.sum.position += (place(recorded) - place(predicted)).norm() / self.width;
        self.sum.angle += turn(recorded).angle_to(&turn(predicted));
        // A hinge is where it was after a whole turn.
        let turned = |a: f64, b: f64| (a - b).sin().atan2((a - b).cos()).abs();
        let joints = recorded[7..].iter().zip(&predicted[7..]).map(|(a, b)| turned(*a, *b));
        self.sum.joints += joints.fold(0.0, f64::max);
        self.count += 1;
    }

    /// The means; `None` if no sample was added.
    pub fn score(&self) -> Option<Score> {
        let mean = |x: f64| x / self.count as f64;
        let Score { position, angle, joints } = self.sum;
        (self.count > 0).then(|| Score { position: mean(position), angle: mean(angle), joints: mean(joints) })
    }
}

/// The errors of many tosses, in their order, on all cores. Those that never come near the table are left out.
pub fn score_all(
    model: &Model,
    options: &Options,
    tosses: &[&Toss],
    protocol: &Protocol,
) -> Result<Vec<Score>, StepError> {
    let options = Options { step: protocol.step, ..options.clone() };
    let scores: Result<Vec<Option<Score>>, StepError> = tosses
        .par_chunks(16)
        .flat_map_iter(|chunk| {
            let mut simulation = Simulation::new(model, options.clone()).expect("options were checked");
            chunk.iter().map(move |toss| protocol.score(&mut simulation, toss)).collect::<Vec<_>>()
        })
        .collect();
    Ok(scores?.into_iter().flatten().collect())
}

/// Errors of every link of a mechanism in one toss: ‖Δp‖ of its centre of mass and the angle of its rotation.
struct Links<'a> {
    model: &'a Model,
    workspace: Workspace,
    width: f64,
    recorded: Vec<Pose>,
    sums: Vec<Score>,
    count: usize,
}

impl<'a> Links<'a> {
    fn new(model: &'a Model, width: f64) -> Self {
        let links = model.world().bodies.len() - 1;
        let workspace = Workspace::new(model.multibody());
        Self { model, workspace, width, recorded: Vec::new(), sums: vec![Score::default(); links], count: 0 }
    }

    fn add(&mut self, recorded: &[f64], predicted: &[f64]) {
        let multibody = self.model.multibody();
        multibody.positions(recorded, &mut self.workspace);
        self.recorded.clear();
        self.recorded.extend((1..=self.sums.len()).map(|body| multibody.pose(&self.workspace, body)));
        multibody.positions(predicted, &mut self.workspace);
        for (k, (sum, before)) in self.sums.iter_mut().zip(&self.recorded).enumerate() {
            let (now, com) =
                (multibody.pose(&self.workspace, k + 1), &self.model.world().bodies[k + 1].inertia.com);
            sum.position += ((before * Point3::from(*com)) - (now * Point3::from(*com))).norm() / self.width;
            sum.angle += before.rotation.angle_to(&now.rotation);
        }
        self.count += 1;
    }

    fn scores(&self) -> Option<Vec<Score>> {
        let mean = |s: &Score| Score {
            position: s.position / self.count as f64,
            angle: s.angle / self.count as f64,
            joints: 0.0,
        };
        (self.count > 0).then(|| self.sums.iter().map(mean).collect())
    }
}

/// The errors of every body of the model, in its order, for each of many tosses.
pub fn score_links(
    model: &Model,
    options: &Options,
    tosses: &[&Toss],
    protocol: &Protocol,
) -> Result<Vec<Vec<Score>>, StepError> {
    let options = Options { step: protocol.step, ..options.clone() };
    let scores: Result<Vec<Option<Vec<Score>>>, StepError> = tosses
        .par_chunks(16)
        .flat_map_iter(|chunk| {
            let mut simulation = Simulation::new(model, options.clone()).expect("options were checked");
            let one = move |toss: &&Toss| {
                let mut links = Links::new(model, protocol.width);
                protocol.simulate(&mut simulation, toss, |index, state| {
                    links.add(&toss.samples[index].q, &state.q);
                })?;
                Ok(links.scores())
            };
            chunk.iter().map(one).collect::<Vec<_>>()
        })
        .collect();
    Ok(scores?.into_iter().flatten().collect())
}

/// A line for each link: its name, mean and deviation.
pub fn links_text(model: &Model, scores: &[Vec<Score>]) -> String {
    let names = model.world().bodies.iter().skip(1).enumerate();
    names
        .map(|(k, body)| {
            let each: Vec<Score> = scores.iter().map(|toss| toss[k]).collect();
            format!("  {:<12} {}\n", body.name, Summary::of(&each))
        })
        .collect()
}

/// Mean and deviation over tosses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Tosses.
    pub tosses: usize,
    /// Mean errors.
    pub mean: Score,
    /// Deviation of a toss from the mean.
    pub deviation: Score,
}

impl Summary {
    /// Of these tosses.
    pub fn of(scores: &[Score]) -> Self {
        let count = scores.len().max(1) as f64;
        let mean = |f: fn(&Score) -> f64| scores.iter().map(f).sum::<f64>() / count;
        let spread = |f: fn(&Score) -> f64| {
            let centre = mean(f);
            (scores.iter().map(|s| (f(s) - centre).powi(2)).sum::<f64>() / count).sqrt()
        };
        let each = |g: &dyn Fn(fn(&Score) -> f64) -> f64| Score {
            position: g(|s| s.position),
            angle: g(|s| s.angle),
            joints: g(|s| s.joints),
        };
        Self { tosses: scores.len(), mean: each(&mean), deviation: each(&spread) }
    }
}

impl std::fmt::Display for Summary {
    /// "12.3 ± 10.1 % of the width, 14.2 ± 20.0° (220 tosses)".
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (m, d) = (&self.mean, &self.deviation);
        write!(f, "{:.2} ± {:.2} % of the width, ", 100.0 * m.position, 100.0 * d.position)?;
        write!(f, "{:.2} ± {:.2}°", m.angle.to_degrees(), d.angle.to_degrees())?;
        if m.joints > 0.0 {
            write!(f, ", joints {:.2} ± {:.2}°", m.joints.to_degrees(), d.joints.to_degrees())?;
        }
        write!(f, " ({} tosses)", self.tosses)
    }
}
