//! Which geoms may touch.

use crate::{Geom, GeometryError};

/// Whom the geoms of a body never touch because of how the body is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyRule {
    /// Bodies of one group, which are welded to each other, never touch.
    pub group: u32,
    /// Whether nothing moves it. Two such bodies never touch.
    pub fixed: bool,
    /// A group that it never touches, as that of the body to which a joint ties it.
    pub joined: Option<u32>,
}

/// Rules beyond the bits of the geoms. Geoms on one body never touch unless included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CollisionRules {
    /// How each body is held. A body without an entry is one that moves by itself.
    pub bodies: Vec<BodyRule>,
    /// Pairs of bodies whose geoms never touch.
    pub excluded_bodies: Vec<(usize, usize)>,
    /// Pairs of geoms that are tested whatever bits and bodies say.
    pub included_geoms: Vec<(usize, usize)>,
}

/// The rules, compiled. Their size grows with the bodies and the pairs that are named, not with all pairs of bodies.
#[derive(Debug, Clone)]
pub(crate) struct PairFilter {
    bodies: Vec<BodyRule>,
    /// `excluded_start[a]..excluded_start[a + 1]` into `excluded`: bodies b > a that a never touches, sorted.
    excluded_start: Vec<u32>,
    excluded: Vec<u32>,
    included: Vec<(u32, u32)>,
}

impl PairFilter {
    pub fn new(geoms: &[Geom], rules: &CollisionRules) -> Result<Self, GeometryError> {
        let count = geoms.iter().map(|g| g.body + 1).max().unwrap_or(0);
        let alone = |b: usize| BodyRule { group: b as u32, fixed: false, joined: None };
        let bodies = (0..count).map(|b| rules.bodies.get(b).copied().unwrap_or(alone(b))).collect();
        // A body without geoms is unknown here and harmless.
        let known = rules.excluded_bodies.iter().filter(|&&(a, b)| a != b && a.max(b) < count);
        let mut pairs: Vec<(u32, u32)> = known.map(|&(a, b)| (a.min(b) as u32, a.max(b) as u32)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let excluded_start =
            (0..=count as u32).map(|a| pairs.partition_point(|pair| pair.0 < a) as u32).collect();
        let excluded = pairs.into_iter().map(|pair| pair.1).collect();
        let mut filter = Self { bodies, excluded_start, excluded, included: Vec::new() };
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

    /// Whether bodies `a` and `b` may touch.
    fn may_touch(&self, a: usize, b: usize) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        let (p, q) = (&self.bodies[a], &self.bodies[b]);
        if p.group == q.group || p.fixed && q.fixed || p.joined == Some(q.group) || q.joined == Some(p.group)
        {
            return false;
        }
        let partners = &self.excluded[self.excluded_start[a] as usize..self.excluded_start[a + 1] as usize];
        partners.is_empty() || partners.binary_search(&(b as u32)).is_err()
    }

    /// Whether geoms `a < b` are to be tested.
    pub fn allows(&self, geoms: &[Geom], a: usize, b: usize) -> bool {
        let (ga, gb) = (&geoms[a], &geoms[b]);
        let bits = ga.contype & gb.conaffinity != 0 || gb.contype & ga.conaffinity != 0;
        bits && self.may_touch(ga.body, gb.body)
            || !self.included.is_empty() && self.included.binary_search(&(a as u32, b as u32)).is_ok()
    }
}
