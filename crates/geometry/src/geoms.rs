//! The shapes of a world, fixed to bodies. Built once, shared between simulations.

use crate::point::is_supported;
use crate::rules::PairFilter;
use crate::{CollisionRules, GeometryError, Iso, Shape, ShapeKind};

/// A shape fixed to a body.
#[derive(Debug, Clone)]
pub struct Geom {
    /// The shape.
    pub shape: Shape,
    /// Index of the body it moves with.
    pub body: usize,
    /// Pose of the geom in its body.
    pub x_bg: Iso,
    /// Contacts are reported from this distance on, m. A pair uses the largest of its two and the query's.
    pub margin: f64,
    /// A pair is tested if `contype` of one shares a bit with `conaffinity` of the other.
    pub contype: u32,
    /// See `contype`.
    pub conaffinity: u32,
    /// Whether the geom has a pressure field: it makes patches with every other geom, not points.
    pub compliant: bool,
}

impl Geom {
    /// A geom with no margin that may touch everything.
    pub fn new(shape: Shape, body: usize, x_bg: Iso) -> Self {
        Self { shape, body, x_bg, margin: 0.0, contype: 1, conaffinity: 1, compliant: false }
    }
}

/// Two geoms that may meet but for which there is no contact routine. They pass through each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsupportedPair {
    /// First geom.
    pub geom_a: usize,
    /// Second geom.
    pub geom_b: usize,
    /// Kinds of the two.
    pub kinds: (ShapeKind, ShapeKind),
}

/// All geoms of a world with the compiled rules of who may touch whom. Immutable.
#[derive(Debug, Clone)]
pub struct GeomSet {
    geoms: Vec<Geom>,
    filter: PairFilter,
    unsupported: Vec<UnsupportedPair>,
    bodies: usize,
}

impl GeomSet {
    /// Checks the geoms and compiles the rules. `may_touch(a, b)` is asked once for every pair of bodies
    /// `a < b` and says no for pairs that never touch: parent and child, two bodies fixed to the world.
    pub fn new(
        geoms: Vec<Geom>,
        rules: &CollisionRules,
        may_touch: impl Fn(usize, usize) -> bool,
    ) -> Result<Self, GeometryError> {
        for (geom, g) in geoms.iter().enumerate() {
            g.shape.validate()?;
            if !g.margin.is_finite() {
                return Err(GeometryError::BadGeom { geom, what: "margin" });
            }
            if !(g.x_bg.translation.vector.iter().all(|c| c.is_finite())
                && g.x_bg.rotation.coords.iter().all(|c| c.is_finite()))
            {
                return Err(GeometryError::BadGeom { geom, what: "pose" });
            }
        }
        let filter = PairFilter::new(&geoms, rules, may_touch)?;
        let mut unsupported = Vec::new();
        let odd: Vec<usize> =
            (0..geoms.len()).filter(|&g| !geoms[g].shape.kind().is_bounded_convex()).collect();
        for (k, &a) in odd.iter().enumerate() {
            for &b in &odd[k + 1..] {
                let kinds = (geoms[a].shape.kind(), geoms[b].shape.kind());
                let patch = geoms[a].compliant || geoms[b].compliant;
                if !patch && !is_supported(kinds.0, kinds.1) && filter.allows(&geoms, a, b) {
                    unsupported.push(UnsupportedPair { geom_a: a, geom_b: b, kinds });
                }
            }
        }
        let bodies = geoms.iter().map(|g| g.body + 1).max().unwrap_or(0);
        Ok(Self { geoms, filter, unsupported, bodies })
    }

    /// The geoms; a geom's index is its id.
    pub fn geoms(&self) -> &[Geom] {
        &self.geoms
    }

    /// Number of body poses [`crate::Proximity::update`] needs.
    pub fn body_count(&self) -> usize {
        self.bodies
    }

    /// Pairs that the rules let touch but that cannot be tested. Tell the user about them.
    pub fn unsupported_pairs(&self) -> &[UnsupportedPair] {
        &self.unsupported
    }

    /// Whether a pair makes patches: one of the two has a pressure field.
    pub fn makes_patch(&self, a: usize, b: usize) -> bool {
        self.geoms[a].compliant || self.geoms[b].compliant
    }

    /// Whether a pair of different geoms is tested.
    pub fn tests_pair(&self, a: usize, b: usize) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        (self.makes_patch(a, b) || is_supported(self.geoms[a].shape.kind(), self.geoms[b].shape.kind()))
            && self.filter.allows(&self.geoms, a, b)
    }
}
