//! The shapes of a world, fixed to bodies. Built once, shared between simulations.

use crate::patch::ContactSolid;
use crate::point::is_supported;
use crate::rules::PairFilter;
use crate::{CollisionRules, GeometryError, Iso, Shape, ShapeKind, V3};
use nalgebra::UnitQuaternion;

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

/// A bound on how far vertices stick out of a shape, m: along themselves, and across the axis of round shapes.
fn overhang_of(shape: &Shape, vertices: &[V3]) -> f64 {
    use ShapeKind::{Capsule, Cylinder, Ellipsoid, Sphere};
    if !matches!(shape.kind(), Sphere | Capsule | Cylinder | Ellipsoid) {
        return 0.0; // tessellated exactly
    }
    let mut most = 0.0f64;
    for v in vertices {
        for u in [*v, V3::new(v.x, v.y, 0.0), V3::new(0.0, 0.0, v.z)] {
            let Some(u) = nalgebra::Unit::try_new(u, 1e-12) else { continue };
            let turn = UnitQuaternion::rotation_between(&u, &V3::z())
                .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&V3::x_axis(), std::f64::consts::PI));
            let reach = shape.aabb(&Iso::from_parts(Default::default(), turn)).max.z;
            most = most.max(v.dot(&u) - reach);
        }
    }
    // Rounding is not sticking out; the rest is for directions not looked at.
    if most > 1e-9 { 1.5 * most } else { 0.0 }
}

/// All geoms of a world with the compiled rules of who may touch whom. Immutable.
#[derive(Debug, Clone)]
pub struct GeomSet {
    geoms: Vec<Geom>,
    filter: PairFilter,
    unsupported: Vec<UnsupportedPair>,
    bodies: usize,
    overhangs: Vec<f64>,
}

impl GeomSet {
    /// Checks the geoms and compiles the rules.
    pub fn new(geoms: Vec<Geom>, rules: &CollisionRules) -> Result<Self, GeometryError> {
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
        let filter = PairFilter::new(&geoms, rules)?;
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
        let overhangs = vec![0.0; geoms.len()];
        Ok(Self { geoms, filter, unsupported, bodies, overhangs })
    }

    /// The same with the solids of patch contact, one for each geom. Tessellations of curved shapes keep their volume, so
    /// their corners stick out: pairs that make patches are found that much earlier.
    pub fn with_solids(mut self, solids: &[ContactSolid]) -> Self {
        for ((overhang, geom), solid) in self.overhangs.iter_mut().zip(&self.geoms).zip(solids) {
            *overhang = match solid {
                ContactSolid::Compliant(solid) => overhang_of(&geom.shape, solid.vertices()),
                ContactSolid::Rigid(mesh) => overhang_of(&geom.shape, mesh.vertices()),
                ContactSolid::CompliantHalfSpace { .. } | ContactSolid::RigidHalfSpace => 0.0,
            };
        }
        self
    }

    /// How far a geom's solid sticks out of its shape, m.
    pub(crate) fn overhang(&self, geom: usize) -> f64 {
        self.overhangs[geom]
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
