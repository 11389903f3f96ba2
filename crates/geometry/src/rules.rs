//! Which geoms may touch.

use crate::{Geom, GeometryError};

/// Rules beyond the bits of the geoms. Geoms on one body never touch unless included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollisionRules {
    /// Pairs of bodies whose geoms never touch.
    pub excluded_bodies: Vec<(usize, usize)>,
    /// Pairs of geoms that are tested whatever bits and bodies say.
    pub included_geoms: Vec<(usize, usize)>,
}

/// The rules, compiled: a bit for every pair of bodies, and sorted pairs of included geoms.
#[derive(Debug, Clone)]
pub(crate) struct PairFilter {
    bodies: usize,
    /// Bit `a * bodies + b` (a < b): these bodies may not touch.
    blocked: Vec<u64>,
    included: Vec<(u32, u32)>,
}

impl PairFilter {
    pub fn new(
        geoms: &[Geom],
        rules: &CollisionRules,
        may_touch: impl Fn(usize, usize) -> bool,
    ) -> Result<Self, GeometryError> {
        let bodies = geoms.iter().map(|g| g.body + 1).max().unwrap_or(0);
        let mut filter =
            Self { bodies, blocked: vec![0; (bodies * bodies).div_ceil(64)], included: Vec::new() };
        for a in 0..bodies {
            for b in a + 1..bodies {
                if !may_touch(a, b) {
                    filter.block(a, b);
                }
            }
        }
        for &(a, b) in &rules.excluded_bodies {
            // A body without geoms is unknown here and harmless.
            if a != b && a.max(b) < bodies {
                filter.block(a.min(b), a.max(b));
            }
        }
        for &(a, b) in &rules.included_geoms {
            if a == b || a.max(b) >= geoms.len() {
                return Err(GeometryError::BadRule { a, b, count: geoms.len() });
            }
            filter.included.push((a.min(b) as u32, a.max(b) as u32));
        }
        filter.included.sort_unstable();
        filter.included.dedup();
        Ok(filter)
    }

    fn block(&mut self, a: usize, b: usize) {
        let bit = a * self.bodies + b;
        self.blocked[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether geoms `a < b` are to be tested.
    pub fn allows(&self, geoms: &[Geom], a: usize, b: usize) -> bool {
        let (ga, gb) = (&geoms[a], &geoms[b]);
        let bits = ga.contype & gb.conaffinity != 0 || gb.contype & ga.conaffinity != 0;
        let (p, q) = (ga.body.min(gb.body), ga.body.max(gb.body));
        let bit = p * self.bodies + q;
        let by_rule = bits && p != q && self.blocked[bit / 64] >> (bit % 64) & 1 == 0;
        by_rule || self.included.binary_search(&(a as u32, b as u32)).is_ok()
    }
}
