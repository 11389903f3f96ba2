//! Jacobian of the accelerations and spring rates by positions, velocities and springs, by finite differences.
//!
//! Varying a tree affects only the tree itself, the trees that it touches and their springs. Trees that are neither
//! neighbours nor share a neighbour are varied together. The surfaces of pairs that do not move are cached (see
//! `surface`), and no surface moves while velocities or springs are varied.
//!
//! θ̇ is approximated by v, because this matrix is only used in Newton's iteration, where θ is eliminated (see
//! `radau`).

use super::dynamics::{Dynamics, Interrupt};
use crate::model::Model;
use crate::model::geom_id::GeomPair;
use crate::options::Options;
use crate::state::State;

/// Steps of the differences: m and rad, m/s and rad/s, and relative to the size of a spring's state.
const POSITION: f64 = 1e-8;
const VELOCITY: f64 = 1e-7;
const SPRING: f64 = 1e-6;

/// The derivatives of (v̇, ṡ), rows of both together, by θ and by (v, s).
#[derive(Default)]
pub(crate) struct Jacobian {
    /// m × nv, row after row, where m = nv + the number of spring states.
    pub theta: Vec<f64>,
    /// m × m.
    pub rest: Vec<f64>,
    groups: Vec<usize>,
    group_of: Vec<usize>,
    near: Vec<bool>,
    x: Vec<f64>,
    f: Vec<f64>,
}

/// What is differentiated, and where.
struct Differences<'a> {
    dynamics: &'a mut Dynamics,
    model: &'a Model,
    options: &'a Options,
    state: &'a State,
    x: &'a [f64],
    f0: &'a [f64],
    nv: usize,
}

impl Differences<'_> {
    /// The derivative at a varied x, which is restored.
    fn evaluate(&mut self, varied: &mut [f64], f: &mut [f64]) -> Result<(), Interrupt> {
        self.dynamics.derivative(self.model, self.options, self.state, varied, f)?;
        varied.copy_from_slice(self.x);
        Ok(())
    }
}

impl Jacobian {
    /// Computes it at `x`, where the derivative is `f0`. `scale` is the size of each spring's state.
    pub fn compute(
        &mut self,
        dynamics: &mut Dynamics,
        model: &Model,
        options: &Options,
        state: &State,
        x: &[f64],
        f0: &[f64],
        scale: &[f64],
    ) -> Result<(), Interrupt> {
        let nv = model.nv();
        let m = x.len() - nv;
        self.theta.clear();
        self.theta.resize(m * nv, 0.0);
        self.rest.clear();
        self.rest.resize(m * m, 0.0);
        self.x.clear();
        self.x.extend_from_slice(x);
        self.f.clear();
        self.f.resize(x.len(), 0.0);
        let mut at = Differences { dynamics, model, options, state, x, f0, nv };
        self.by_trees(&mut at)?;
        self.by_springs(&mut at, scale)
    }

    /// Columns of positions and velocities, for trees in groups that do not affect each other.
    fn by_trees(&mut self, at: &mut Differences) -> Result<(), Interrupt> {
        let (nv, m, trees) = (at.nv, at.x.len() - at.nv, at.model.multibody().trees());
        self.neighbours(at.dynamics, at.model);
        self.color(trees.len(), |near, count, i, j| {
            (0..count).any(|k| near[i * count + k] && near[j * count + k])
        });
        for group in 0..self.groups.len() {
            let in_group = (0..trees.len()).filter(|&t| self.group_of[t] == group);
            let widest = in_group.map(|t| trees[t].v.len()).max().unwrap_or(0);
            for (velocity, column) in [false, true].into_iter().flat_map(|v| (0..widest).map(move |c| (v, c)))
            {
                let (step, offset) = if velocity { (VELOCITY, nv) } else { (POSITION, 0) };
                for (t, tree) in trees.iter().enumerate() {
                    if self.group_of[t] == group && column < tree.v.len() {
                        self.x[offset + tree.v.start + column] += step;
                    }
                }
                at.evaluate(&mut self.x, &mut self.f)?;
                for (t, tree) in trees.iter().enumerate() {
                    if self.group_of[t] != group || column >= tree.v.len() {
                        continue;
                    }
                    let (index, count) = (tree.v.start + column, trees.len());
                    let rows =
                        (0..count).filter(|&u| self.near[t * count + u]).flat_map(|u| trees[u].v.clone());
                    let springs = spring_rows(at.dynamics, at.model, t);
                    for row in rows.chain(springs.map(|r| nv + r)) {
                        let slope = (self.f[nv + row] - at.f0[nv + row]) / step;
                        if velocity {
                            self.rest[row * m + index] = slope;
                        } else {
                            self.theta[row * nv + index] = slope;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Columns of springs, in groups that share no tree.
    fn by_springs(&mut self, at: &mut Differences, scale: &[f64]) -> Result<(), Interrupt> {
        let (nv, m, trees) = (at.nv, at.x.len() - at.nv, at.model.multibody().trees());
        let count = at.dynamics.sprung.len();
        self.near.clear();
        self.near.resize(count * count, false);
        for i in 0..count {
            for j in 0..count {
                let [a, b] = [i, j].map(|k| tree_ends(at.model, at.dynamics.sprung[k]));
                let shared = |t: Option<usize>| t.is_some() && (t == b.0 || t == b.1);
                self.near[i * count + j] = i == j || shared(a.0) || shared(a.1);
            }
        }
        self.color(count, |near, count, i, j| near[i * count + j]);
        for group in 0..self.groups.len() {
            for column in 0..6 {
                for k in (0..count).filter(|&k| self.group_of[k] == group) {
                    self.x[2 * nv + 6 * k + column] += SPRING * scale[k];
                }
                at.evaluate(&mut self.x, &mut self.f)?;
                for k in (0..count).filter(|&k| self.group_of[k] == group) {
                    let (a, b) = tree_ends(at.model, at.dynamics.sprung[k]);
                    let index = nv + 6 * k + column;
                    let rows = [a, b].into_iter().flatten().flat_map(|t| trees[t].v.clone());
                    for row in rows.chain(nv + 6 * k..nv + 6 * k + 6) {
                        self.rest[row * m + index] =
                            (self.f[nv + row] - at.f0[nv + row]) / (SPRING * scale[k]);
                    }
                }
            }
        }
        Ok(())
    }

    /// The trees that may touch each tree, including itself.
    fn neighbours(&mut self, dynamics: &Dynamics, model: &Model) {
        let count = model.multibody().trees().len();
        self.near.clear();
        self.near.resize(count * count, false);
        for t in 0..count {
            self.near[t * count + t] = true;
        }
        for geoms in dynamics.contacts.patch_pairs().chain(dynamics.sprung.iter().copied()) {
            if let (Some(a), Some(b)) = tree_ends(model, geoms) {
                self.near[a * count + b] = true;
                self.near[b * count + a] = true;
            }
        }
    }

    /// Assigns each of `count` items to the first group without a conflict.
    fn color(&mut self, count: usize, conflict: impl Fn(&[bool], usize, usize, usize) -> bool) {
        self.group_of.clear();
        self.groups.clear();
        for i in 0..count {
            let free = |g: usize| (0..i).all(|j| self.group_of[j] != g || !conflict(&self.near, count, i, j));
            let group = (0..).find(|&g| free(g)).unwrap_or(0);
            self.group_of.push(group);
            if group == self.groups.len() {
                self.groups.push(group);
            }
        }
    }
}

/// The trees of a pair of geoms.
fn tree_ends(model: &Model, geoms: GeomPair) -> (Option<usize>, Option<usize>) {
    let tree = |g| model.multibody().body_tree(model.compiled().geom(g).body);
    (tree(geoms.0), tree(geoms.1))
}

/// Rows of the springs attached to a tree.
fn spring_rows<'a>(dynamics: &'a Dynamics, model: &'a Model, t: usize) -> impl Iterator<Item = usize> + 'a {
    let at = move |&(_, geoms): &(usize, &GeomPair)| {
        let (a, b) = tree_ends(model, *geoms);
        a == Some(t) || b == Some(t)
    };
    dynamics.sprung.iter().enumerate().filter(at).flat_map(|(k, _)| 6 * k..6 * k + 6)
}
