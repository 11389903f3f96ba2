//! The last resort: bodies that no row keeps apart stay behind their velocities in this step.
//!
//! Rows of the convex problem are linear in the velocities. Where bodies turn far within a step, or where many meet at once, no
//! set of rows may be found that keeps every pair from going too deep. Then those bodies move only a fraction of their way: that up
//! to which the motion of each pair is within its limit. Others that they now stand in the way of are held back too. After some
//! rounds all bodies move the same fraction of the original way, and at last none moves: this keeps every pair where it was, so
//! the rounds end with a motion that passes through nothing. Velocities are kept; the next step starts from poses at touch.
//!
//! A contact pushes with what its overlap stores, and a body that is held back does not leave the overlap: it would be pushed again and
//! again, and its gyroscopic torque would not turn it. Either would give it energy without bound. So held bodies have no more
//! kinetic energy after the step than before, beyond what others lose ([`Sweep::keep_energy`]).
//!
//! Bodies whose motion is prescribed cannot be held back.

use super::Sweep;
use super::path::Path;
use crate::model::Model;
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use stiction_multibody::QuaternionStep;

/// Rounds in which bodies are held back one by one, and then all together.
const ROUNDS: [usize; 2] = [8, 16];

/// What came of it.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) struct HeldBack {
    /// Trees that moved less far than their velocities say.
    pub trees: usize,
    /// Pairs that passed their limit nevertheless.
    pub passed: usize,
}

/// For each tree the first of the trees that equalities hold together with it.
pub(super) fn groups(model: &Model) -> Vec<usize> {
    let multibody = model.multibody();
    let mut group: Vec<usize> = (0..multibody.trees().len()).collect();
    for equality in &model.compiled().world.equalities {
        let Some([(a, _), (b, _)]) = equality.bodies() else { continue };
        if let (Some(a), Some(b)) = (multibody.body_tree(a), multibody.body_tree(b)) {
            let (keep, drop) = (group[a].min(group[b]), group[a].max(group[b]));
            group.iter_mut().filter(|g| **g == drop).for_each(|g| *g = keep);
        }
    }
    group
}

impl Sweep {
    /// Shortens the motion to `q_next` of bodies that go too deep into each other on their way.
    pub fn hold_back(
        &mut self,
        model: &Model,
        state: &State,
        begin: &Kinematics,
        (v, q_next, dt): (&[f64], &mut [f64], f64),
    ) {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let trees = multibody.trees();
        self.fractions.clear();
        self.fractions.resize(trees.len(), 1.0);
        let mut result = HeldBack::default();
        for round in 0..=ROUNDS[1] {
            self.go_to_end(model, state, q_next, dt);
            self.find_candidates(compiled, begin);
            self.wanted.clear();
            self.wanted.resize(trees.len(), 1.0);
            result.passed = 0;
            for k in 0..self.candidates.list.len() {
                let candidate = self.candidates.list[k];
                let poses = (&begin.x_wb[..], &self.x_end[..]);
                let mut path = Path::new(compiled, &self.sizes, candidate.pair, poses, candidate.depth);
                let Some(meeting) = path.march(0.0, true, &mut self.scratch, &mut self.points) else {
                    continue;
                };
                result.passed += 1;
                let list =
                    if round < ROUNDS[1] { &mut self.shortened.held } else { &mut self.shortened.passed };
                super::insert(list, candidate.pair);
                for geom in [candidate.pair.0, candidate.pair.1] {
                    let body = compiled.geom(geom).body;
                    let Some(tree) = multibody.body_tree(body) else { continue };
                    for other in (0..trees.len()).filter(|&t| self.groups[t] == self.groups[tree]) {
                        self.wanted[other] = self.wanted[other].min(meeting.safe);
                    }
                }
            }
            if result.passed == 0 || round == ROUNDS[1] {
                break;
            }
            let least = |of: &[f64]| of.iter().copied().fold(1.0, f64::min);
            let common = least(&self.fractions) * least(&self.wanted);
            for (fraction, wanted) in self.fractions.iter_mut().zip(&self.wanted) {
                *fraction = match round {
                    _ if round + 1 == ROUNDS[1] => 0.0,
                    _ if round >= ROUNDS[0] => common,
                    _ => *fraction * wanted,
                };
            }
            self.held_v.clear();
            self.held_v.extend_from_slice(v);
            for (tree, fraction) in trees.iter().zip(&self.fractions) {
                self.held_v[tree.v.clone()].iter_mut().for_each(|v| *v *= fraction);
            }
            multibody.integrate(&state.q, &self.held_v, dt, QuaternionStep::Projected, q_next);
        }
        result.trees = self.fractions.iter().filter(|f| **f < 1.0).count();
        self.held = result;
    }

    /// Slows the bodies that were held back to the energy that there was, where nothing is moved from outside.
    pub fn keep_energy(&mut self, model: &Model, begin: &Kinematics, free: &FreeMotion, v: &mut [f64]) {
        let world = model.world();
        let moved =
            world.bodies.iter().any(|b| b.mocap) || world.geoms.iter().any(|g| g.surface_velocity.is_some());
        if self.held.trees == 0 || moved {
            return;
        }
        let trees = model.multibody().trees();
        self.held_v.resize(v.len(), 0.0);
        // Kinetic energy of all bodies, and of those held back.
        let mut kinetic = |v: &[f64]| {
            free.mass.multiply(v, &mut self.held_v);
            let of = |tree: &std::ops::Range<usize>| {
                0.5 * tree.clone().map(|i| v[i] * self.held_v[i]).sum::<f64>()
            };
            let parts = trees.iter().zip(&self.fractions).map(|(tree, fraction)| (of(&tree.v), *fraction));
            parts.fold((0.0, 0.0), |(all, held), (t, fraction)| {
                (all + t, if fraction < 1.0 { held + t } else { held })
            })
        };
        let (before, after) = (kinetic(&begin.v), kinetic(v));
        let excess = (after.0 - before.0).min(after.1 - before.1);
        if excess > 0.0 {
            let factor = (1.0 - excess / after.1).sqrt();
            for (tree, _) in trees.iter().zip(&self.fractions).filter(|(_, fraction)| **fraction < 1.0) {
                v[tree.v.clone()].iter_mut().for_each(|v| *v *= factor);
            }
        }
    }
}
