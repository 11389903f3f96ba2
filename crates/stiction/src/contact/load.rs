//! What a contact may have to carry: the factor of its limits of stiffness.
//!
//! A step resolves a contact of stiffness k with the bodies' own effective mass m = 1/w if δt² k ≤ 4π² m. A heavy body that
//! rests on a light one is carried by a contact of the light one with the ground, for which that stiffness is too soft: it would sink
//! by M g δt²/(4π² m). Contacts between bodies that touch a heavier one, directly or through others, may therefore be as stiff as
//! if they were a tenth of its mass.

use super::entries::Manifold;
use crate::model::Model;
use crate::options::Options;

/// Ratio of masses up to which a contact has no load.
const LIGHT: f64 = 10.0;

/// Buffers.
#[derive(Default)]
pub(crate) struct Loads {
    /// Mass of each tree, kg.
    mass: Vec<f64>,
    /// Another tree of the same group, itself for the first.
    next: Vec<usize>,
    /// The largest mass in the group of each first tree, kg.
    heaviest: Vec<f64>,
}

impl Loads {
    pub fn new(model: &Model) -> Self {
        let multibody = model.multibody();
        let mut mass = vec![0.0; multibody.trees().len()];
        for (index, body) in model.world().bodies.iter().enumerate() {
            if let Some(tree) = multibody.body_tree(index) {
                mass[tree] += body.inertia.mass;
            }
        }
        Self { next: vec![0; mass.len()], heaviest: mass.clone(), mass }
    }

    /// Finds which trees touch each other.
    pub fn find(&mut self, model: &Model, manifolds: &[Manifold]) {
        self.next.iter_mut().enumerate().for_each(|(k, next)| *next = k);
        self.heaviest.copy_from_slice(&self.mass);
        for manifold in manifolds {
            if let [Some(a), Some(b)] = manifold_trees(model, manifold) {
                let (a, b) = (self.first(a), self.first(b));
                let (keep, drop) = (a.min(b), a.max(b));
                self.next[drop] = keep;
                manifold_trees(model, manifold).into_iter().flatten().for_each(|t| self.next[t] = keep);
                self.heaviest[keep] = self.heaviest[keep].max(self.heaviest[drop]);
            }
        }
    }

    fn first(&self, mut tree: usize) -> usize {
        while self.next[tree] != tree {
            tree = self.next[tree];
        }
        tree
    }

    /// The load of a manifold, at least 1.
    pub fn of(&self, model: &Model, manifold: &Manifold, options: &Options) -> f64 {
        if !options.limit_stiffness {
            return 1.0;
        }
        let trees = manifold_trees(model, manifold);
        let Some(tree) = trees.into_iter().flatten().next() else { return 1.0 };
        let heaviest = self.first(tree);
        let lightest = trees.into_iter().flatten().map(|t| self.mass[t]).fold(f64::INFINITY, f64::min);
        let load = self.heaviest[heaviest] / (LIGHT * lightest);
        if load.is_finite() { load.max(1.0) } else { 1.0 }
    }
}

fn manifold_trees(model: &Model, manifold: &Manifold) -> [Option<usize>; 2] {
    [manifold.bodies.0, manifold.bodies.1].map(|body| model.multibody().body_tree(body as usize))
}
