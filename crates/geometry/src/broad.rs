//! Broad phase: pairs whose boxes may overlap, kept from call to call.
//!
//! Every geom has a fat box around its current one. The pairs of overlapping fat boxes are kept sorted; only
//! a geom that has left its fat box gets a new one and has its pairs found anew in the tree. The list is
//! a superset of the truth by construction, and the caller applies the exact box test to it, so how
//! the list came about cannot be seen in the results.

use crate::{Aabb, Bvh, GeomSet};

/// Pair of geoms, lower index first.
pub(crate) type Pair = (u32, u32);

/// Part of a geom's size by which its box is fattened.
const FAT: f64 = 0.1;
/// Growth of the tree's surface that makes it worth building anew.
const LOOSE: f64 = 1.5;

#[derive(Debug, Default)]
pub(crate) struct Broad {
    /// Geoms with finite boxes; the tree's items are positions in this list.
    finite: Vec<u32>,
    fat: Vec<Aabb>,
    bvh: Bvh,
    pairs: Vec<Pair>,
    escaped: Vec<u32>,
    is_escaped: Vec<bool>,
    fresh: Vec<Pair>,
    merged: Vec<Pair>,
}

impl Broad {
    pub fn new(set: &GeomSet) -> Self {
        let finite: Vec<u32> = (0..set.geoms().len() as u32)
            .filter(|&g| set.geoms()[g as usize].shape.kind() != crate::ShapeKind::HalfSpace)
            .collect();
        let n = finite.len();
        Self { finite, fat: vec![Aabb::EMPTY; n], is_escaped: vec![false; n], ..Self::default() }
    }

    /// Sorted pairs that contain all that [`Broad::update`] was asked for.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Finds pairs that contain all whose boxes `need(geom)` overlap and that the rules allow.
    pub fn update(&mut self, set: &GeomSet, need: impl Fn(usize) -> Aabb) {
        self.escaped.clear();
        for (k, &g) in self.finite.iter().enumerate() {
            let needed = need(g as usize);
            if !self.fat[k].contains(&needed) {
                self.fat[k] = needed.grown(FAT * needed.half().max());
                self.is_escaped[k] = true;
                self.escaped.push(k as u32);
            }
        }
        if !self.escaped.is_empty() {
            self.refresh(set);
        }
    }

    fn refresh(&mut self, set: &GeomSet) {
        if self.bvh.len() != self.fat.len() {
            self.bvh.rebuild(&self.fat);
        } else {
            for &k in &self.escaped {
                self.bvh.move_leaf(k as usize, self.fat[k as usize]);
            }
            if self.bvh.slack() > LOOSE {
                self.bvh.rebuild(&self.fat);
            }
        }
        // `finite` is sorted, so positions compare as geoms do.
        self.fresh.clear();
        let (finite, is_escaped, fresh) = (&self.finite, &self.is_escaped, &mut self.fresh);
        for &k in &self.escaped {
            self.bvh.query(&self.fat[k as usize], |other| {
                // Two escaped geoms find each other twice: the lower one reports.
                let twice = is_escaped[other] && other <= k as usize;
                let (a, b) = (finite[k as usize].min(finite[other]), finite[k as usize].max(finite[other]));
                if !twice && a != b && set.tests_pair(a as usize, b as usize) {
                    fresh.push((a, b));
                }
            });
        }
        self.fresh.sort_unstable();
        self.merge();
        for &k in &self.escaped {
            self.is_escaped[k as usize] = false;
        }
    }

    /// Old pairs without escaped geoms, merged with the fresh ones.
    fn merge(&mut self) {
        let position = |g: u32| self.finite.binary_search(&g).unwrap_or(0);
        self.merged.clear();
        let mut fresh = self.fresh.iter().copied().peekable();
        for &p in &self.pairs {
            if self.is_escaped[position(p.0)] || self.is_escaped[position(p.1)] {
                continue;
            }
            while let Some(f) = fresh.next_if(|f| *f < p) {
                self.merged.push(f);
            }
            self.merged.push(p);
        }
        self.merged.extend(fresh);
        std::mem::swap(&mut self.pairs, &mut self.merged);
    }
}
