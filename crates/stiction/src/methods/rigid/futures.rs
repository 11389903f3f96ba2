//! Branching futures: a tree of motions that branches at every impact with several outcomes.
//!
//! Between impacts, the convex simulation advances a branch, including actuators, springs and limits. A new contact
//! with more than a small approach speed is an impact. The step is bisected, and the motion stops at the impact. The
//! caller provides the outcomes as velocities with weights; the crate `stiction-impact` computes them. Every outcome
//! continues as a separate branch.
//!
//! Weights are a sampling measure, not physical probabilities, because the distribution of clearances is unknown.

use super::arrival::arrival;
use super::touching::{RigidContactError, RigidContacts, Touching};
use crate::error::{OptionError, StepError};
use crate::model::Model;
use crate::options::Options;
use crate::simulation::Simulation;
use crate::state::State;
use nalgebra::Vector3;

/// Settings of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FuturesOptions {
    /// Horizon, s.
    pub horizon: f64,
    /// Step of the simulation, s.
    pub step: f64,
    /// Distance at which bodies touch, m.
    pub touch: f64,
    /// Approach speed above which a new contact is an impact, m/s. The simulation handles slower contacts.
    pub speed: f64,
    /// Branches at most; beyond, an impact goes on with one outcome and the tree counts it.
    pub budget: usize,
    /// Outcomes that a fork follows at most.
    pub outcomes: usize,
    /// Largest difference of positions and velocities at which two branches count as one.
    pub merge: f64,
    /// Time between recorded frames, s.
    pub frame: f64,
}

impl Default for FuturesOptions {
    fn default() -> Self {
        Self {
            horizon: 1.0,
            step: 1e-3,
            touch: 1e-5,
            speed: 0.02,
            budget: 64,
            outcomes: 3,
            merge: 1e-6,
            frame: 0.01,
        }
    }
}

/// End of a branch.
#[derive(Clone, Debug, PartialEq)]
pub enum BranchEnd {
    /// At the horizon.
    Horizon,
    /// At an impact with several outcomes, which are its children.
    Fork,
    /// At an impact that another branch reached with the same state. That branch's children represent both.
    Merged(usize),
}

/// A motion from one fork to the next.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The branch it comes from.
    pub parent: Option<usize>,
    /// Its weight in the sampling measure.
    pub weight: f64,
    /// Time, positions and velocities along it.
    pub frames: Vec<(f64, Vec<f64>, Vec<f64>)>,
    /// Impacts with a single outcome along it.
    pub passed: usize,
    /// Its end.
    pub end: BranchEnd,
}

/// The tree.
#[derive(Clone, Debug)]
pub struct Futures {
    /// All branches, parents before children.
    pub branches: Vec<Branch>,
    /// Impacts that went on with one outcome because the budget was spent.
    pub pruned: usize,
}

impl Futures {
    /// The branches that reach the horizon, with weights that add to one; the weight of a merged branch is added to
    /// the branch that represents it.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, &Branch)> {
        self.branches.iter().enumerate().filter(|(_, b)| b.end == BranchEnd::Horizon)
    }
}

/// Error of growing a tree.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FuturesError {
    /// The step's options.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The contacts cannot be described.
    #[error(transparent)]
    Rigid(#[from] RigidContactError),
    /// The caller could not provide the outcomes of an impact.
    #[error("the impact at t = {time} s has no outcome: {reason}")]
    Outcome {
        /// Time, s.
        time: f64,
        /// Why.
        reason: String,
    },
    /// A number out of its range.
    #[error("{what} = {value} is not allowed: give {allowed}")]
    Range {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
}

/// Outcomes of an impact, at most so many: velocities after, with weights.
pub type Resolve<'a> = &'a mut dyn FnMut(&Touching, usize) -> Result<Vec<(Vec<f64>, f64)>, String>;

/// Impacts with one outcome that a branch passes at most.
const PASSED: usize = 1_000;

/// Grows the tree of futures of a state.
pub fn futures(
    model: &Model,
    state: &State,
    options: &FuturesOptions,
    resolve: Resolve,
) -> Result<Futures, FuturesError> {
    for (what, value) in [("horizon", options.horizon), ("step", options.step), ("frame", options.frame)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(FuturesError::Range { what, value, allowed: "a positive number of seconds" });
        }
    }
    if options.outcomes == 0 {
        return Err(FuturesError::Range { what: "outcomes", value: 0.0, allowed: "1 or more" });
    }
    if options.budget == 0 {
        return Err(FuturesError::Range { what: "budget", value: 0.0, allowed: "1 or more branches" });
    }
    model.check_rigid(options.touch)?;
    let mut mover = Mover::new(model, options)?;
    let end = state.time + options.horizon;
    let mut tree = Futures { branches: vec![Branch::new(None, 1.0)], pruned: 0 };
    let mut open = std::collections::VecDeque::from([(0, state.clone())]);
    // States at forks, for merging equal branches.
    let mut forks: Vec<(usize, State)> = Vec::new();
    while let Some((at, start)) = open.pop_front() {
        mover.simulation.reset_to(&start).map_err(RigidContactError::from)?;
        let mut first = if at == 0 { mover.at_start()? } else { None };
        loop {
            let next = match first.take() {
                Some(touching) => Some(touching),
                None => mover.next_impact(end, &mut tree.branches[at].frames)?,
            };
            let Some(touching) = next else { break };
            let state = mover.simulation.state().clone();
            let fail = |reason| FuturesError::Outcome { time: state.time, reason };
            // A fork adds all of its outcomes.
            let room = tree.branches.len() + options.outcomes <= options.budget;
            tree.pruned += usize::from(!room);
            let outcomes = resolve(&touching, if room { options.outcomes } else { 1 }).map_err(fail)?;
            if outcomes.is_empty() {
                return Err(fail("the set is empty".into()));
            }
            if tree.branches[at].passed >= PASSED {
                return Err(fail(format!(
                    "more than {PASSED} impacts follow each other; give a larger speed"
                )));
            }
            if let [(velocity, _)] = outcomes.as_slice() {
                mover.simulation.state_mut().v.copy_from_slice(velocity);
                tree.branches[at].passed += 1;
                continue;
            }
            let twin = forks
                .iter()
                .find(|(k, other)| agree(other, &state, options.merge) && !comes_from(&tree.branches, at, *k))
                .map(|(k, _)| *k);
            if let Some(twin) = twin {
                let weight = tree.branches[at].weight;
                tree.branches[at].end = BranchEnd::Merged(twin);
                add_weight(&mut tree.branches, twin, weight);
                break;
            }
            tree.branches[at].end = BranchEnd::Fork;
            forks.push((at, state.clone()));
            let total: f64 = outcomes.iter().map(|o| o.1).sum();
            for (velocity, weight) in outcomes.into_iter().filter(|o| o.1 > 0.0) {
                let share = tree.branches[at].weight * weight / total;
                let mut next = state.clone();
                next.v.copy_from_slice(&velocity);
                open.push_back((tree.branches.len(), next));
                tree.branches.push(Branch::new(Some(at), share));
            }
            break;
        }
    }
    Ok(tree)
}

impl Branch {
    fn new(parent: Option<usize>, weight: f64) -> Self {
        Self { parent, weight, frames: Vec::new(), passed: 0, end: BranchEnd::Horizon }
    }
}

/// Gives a fork and its descendants the weight of a branch that was merged into it. A descendant that was merged hands its part on to
/// the fork that represents it.
fn add_weight(branches: &mut [Branch], fork: usize, weight: f64) {
    let mut open = vec![(fork, weight)];
    while let Some((top, weight)) = open.pop() {
        let growth = weight / branches[top].weight;
        let mut inside = vec![false; branches.len()];
        inside[top] = true;
        // Parents come before children.
        for k in top..branches.len() {
            inside[k] |= branches[k].parent.is_some_and(|parent| inside[parent]);
            if inside[k] {
                let more = growth * branches[k].weight;
                branches[k].weight += more;
                if let BranchEnd::Merged(twin) = branches[k].end {
                    open.push((twin, more));
                }
            }
        }
    }
}

/// Whether `branch` comes from `ancestor`.
fn comes_from(branches: &[Branch], branch: usize, ancestor: usize) -> bool {
    let mut at = Some(branch);
    while let Some(k) = at {
        if k == ancestor {
            return true;
        }
        at = branches[k].parent;
    }
    false
}

fn agree(a: &State, b: &State, tolerance: f64) -> bool {
    let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance);
    (a.time - b.time).abs() <= tolerance && near(&a.q, &b.q) && near(&a.v, &b.v)
}

/// Motion to the next impact by the convex simulation: for models with actuators, tendons or many contacts, which
/// [`super::Flight`] does not support. Resting contacts yield by the simulation's compliance. The approach of
/// existing contacts is not an impact, except at the start.
pub struct ConvexFlight {
    mover: Mover,
    begun: bool,
}

impl ConvexFlight {
    /// Creates the motion of a model.
    pub fn new(model: &Model, options: &super::FlightOptions) -> Result<Self, FuturesError> {
        model.check_rigid(options.touch)?;
        let super::FlightOptions { step, touch, speed } = *options;
        let options =
            FuturesOptions { step, touch, speed, frame: f64::INFINITY, ..FuturesOptions::default() };
        Ok(Self { mover: Mover::new(model, &options)?, begun: false })
    }

    /// Advances `state` to the next impact and returns the contacts there, or `None` if `end` (s) is reached first.
    /// The velocities of `state` are those before the impact. Replace them with the velocities after the impact to
    /// continue.
    pub fn next_impact(&mut self, state: &mut State, end: f64) -> Result<Option<Touching>, FuturesError> {
        self.mover.simulation.reset_to(state).map_err(RigidContactError::from)?;
        let first = if std::mem::replace(&mut self.begun, true) { None } else { self.mover.at_start()? };
        let found = match first {
            Some(touching) => Some(touching),
            None => self.mover.next_impact(end, &mut Vec::new())?,
        };
        state.clone_from(self.mover.simulation.state());
        Ok(found)
    }
}

/// Advances a branch by the convex simulation and stops at the next impact.
struct Mover {
    model: Model,
    simulation: Simulation,
    contacts: RigidContacts,
    options: FuturesOptions,
}

impl Mover {
    fn new(model: &Model, options: &FuturesOptions) -> Result<Self, FuturesError> {
        // Without a margin the simulation does not find contacts before they touch.
        let step = Options { step: options.step, margin: 0.0, ..Options::default() };
        let simulation = Simulation::new(model, step)?;
        Ok(Self { model: model.clone(), simulation, contacts: RigidContacts::new(model), options: *options })
    }

    /// Advances to the next impact and returns the contacts there, or `None` if `end` is reached first. Appends
    /// frames to `frames`.
    fn next_impact(
        &mut self,
        end: f64,
        frames: &mut Vec<(f64, Vec<f64>, Vec<f64>)>,
    ) -> Result<Option<Touching>, FuturesError> {
        let mut next = frames.last().map_or(f64::NEG_INFINITY, |f| f.0 + self.options.frame);
        loop {
            let state = self.simulation.state();
            if state.time >= next - 1e-9 {
                frames.push((state.time, state.q.clone(), state.v.clone()));
                next = state.time + self.options.frame;
            }
            let left = end - state.time;
            if left <= 1e-9 {
                if frames.last().is_none_or(|f| f.0 < state.time) {
                    frames.push((state.time, state.q.clone(), state.v.clone()));
                }
                return Ok(None);
            }
            let before = state.clone();
            let held = self.held(&before);
            let length = self.options.step.min(left);
            self.step(&before, length)?;
            if !self.arrives(&held)? {
                continue;
            }
            let first = arrival(length, |h| {
                self.step(&before, h)?;
                self.arrives(&held)
            })?;
            self.step(&before, first)?;
            let state = self.simulation.state();
            frames.push((state.time, state.q.clone(), state.v.clone()));
            let at = (state.q.as_slice(), state.v.as_slice());
            return Ok(Some(self.contacts.touching(&self.model, state, at, self.options.touch)?));
        }
    }

    /// The contacts, if one of them has more than the approach speed of an impact.
    fn at_start(&mut self) -> Result<Option<Touching>, FuturesError> {
        let state = self.simulation.state();
        let at = (state.q.as_slice(), state.v.as_slice());
        let touching = self.contacts.touching(&self.model, state, at, self.options.touch)?;
        let u = touching.instant.contact_velocity();
        let approaches = (0..touching.kinds.len()).any(|c| u[3 * c + 2] < -self.options.speed);
        Ok(approaches.then_some(touching))
    }

    fn step(&mut self, from: &State, length: f64) -> Result<(), FuturesError> {
        self.simulation.reset_to(from).map_err(RigidContactError::from)?;
        let step = Options { step: length, ..self.simulation.options().clone() };
        self.simulation.set_options(step)?;
        self.simulation.step(1)?;
        Ok(())
    }

    /// Existing contacts, and the distance that they may move in a step.
    fn held(&mut self, state: &State) -> (Vec<Vector3<f64>>, f64) {
        let points = self.contacts.points(&self.model, state, &state.q, self.options.touch);
        let points = points.iter().map(|p| 0.5 * (p.p_wa + p.p_wb)).collect();
        let fastest = state.v.iter().fold(0.0f64, |a, v| a.max(v.abs()));
        (points, 1e-3 + 3.0 * self.options.step * fastest)
    }

    /// Whether there is a new contact with more than the approach speed of an impact.
    fn arrives(&mut self, (held, reach): &(Vec<Vector3<f64>>, f64)) -> Result<bool, FuturesError> {
        let state = self.simulation.state();
        let at = (state.q.as_slice(), state.v.as_slice());
        let touching = self.contacts.touching(&self.model, state, at, 0.0)?;
        let u = touching.instant.contact_velocity();
        Ok(touching.kinds.iter().enumerate().any(|(c, kind)| match kind {
            super::TouchKind::Point { contact, .. } => {
                u[3 * c + 2] < -self.options.speed && held.iter().all(|p| (p - contact.point).norm() > *reach)
            }
            // The simulation handles joint stops.
            super::TouchKind::Stop { .. } => false,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_to_one_when_a_fork_grows_whose_descendant_was_merged() {
        use BranchEnd::{Fork, Horizon};
        let branch =
            |parent, weight, end: &BranchEnd| Branch { end: end.clone(), ..Branch::new(parent, weight) };
        let mut tree = Futures {
            branches: vec![
                branch(None, 1.0, &Fork),
                branch(Some(0), 0.4, &Fork),
                branch(Some(0), 0.3, &Fork),
                branch(Some(0), 0.3, &Horizon),
                branch(Some(1), 0.4, &Horizon),
                branch(Some(2), 0.2, &Horizon),
                branch(Some(2), 0.1, &Horizon),
            ],
            pruned: 0,
        };
        let total = |tree: &Futures| tree.leaves().map(|(_, b)| b.weight).sum::<f64>();
        // A child of branch 2 merges into branch 1, then branch 3 into branch 2: most of its weight goes on to branch 1.
        for (from, into) in [(5, 1), (3, 2)] {
            let weight = tree.branches[from].weight;
            tree.branches[from].end = BranchEnd::Merged(into);
            add_weight(&mut tree.branches, into, weight);
            assert!((total(&tree) - 1.0).abs() < 1e-15, "{}", total(&tree));
        }
        assert!(
            (tree.branches[4].weight - 0.8).abs() < 1e-15 && (tree.branches[6].weight - 0.2).abs() < 1e-15
        );
    }
}
