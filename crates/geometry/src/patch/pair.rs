//! The patch of one pair of solids: which kernel, which elements, in which order.

use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use super::faces::{Patch, PatchFaces, PatchOptions};
use super::kernels;
use super::polygon::Polygon;
use super::sink::{Sink, Sums};
use crate::V3;
use crate::solid::linear::{Field, Pose};
use crate::solid::tree::Tree;
use crate::solid::{Facet, RigidMesh, Solid, SolidError};

/// What a geom is to patch contact, in the geom's frame.
#[derive(Debug, Clone)]
pub enum ContactSolid {
    /// Tetrahedra with a pressure field.
    Compliant(Arc<Solid>),
    /// All points with z <= 0; the pressure is modulus / thickness times the depth.
    CompliantHalfSpace {
        /// Hydroelastic modulus, Pa.
        modulus: f64,
        /// Thickness of the compliant slab, m.
        thickness: f64,
    },
    /// A surface that does not yield.
    Rigid(Arc<RigidMesh>),
    /// All points with z <= 0, not yielding.
    RigidHalfSpace,
}

/// Why there can be no patch between two solids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PatchError {
    /// Neither body has a pressure field.
    #[error(
        "both bodies are rigid, so no pressure field carries the contact; use point contact, or make one compliant"
    )]
    BothRigid,
    /// Two half-spaces.
    #[error("two half-spaces overlap without bound; give one of the bodies a bounded shape")]
    BothHalfSpaces,
}

impl ContactSolid {
    /// A compliant half-space, sizes checked.
    pub fn compliant_half_space(modulus: f64, thickness: f64) -> Result<Self, SolidError> {
        for (what, value, unit) in
            [("hydroelastic modulus", modulus, "Pa"), ("slab thickness", thickness, "m")]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SolidError::NotPositive { what, value, unit });
            }
        }
        Ok(Self::CompliantHalfSpace { modulus, thickness })
    }

    /// Whether the body has a pressure field.
    pub fn is_compliant(&self) -> bool {
        matches!(self, Self::Compliant(_) | Self::CompliantHalfSpace { .. })
    }

    /// Whether the body is a half-space.
    pub fn is_half_space(&self) -> bool {
        matches!(self, Self::RigidHalfSpace | Self::CompliantHalfSpace { .. })
    }

    /// Hydroelastic modulus, Pa; infinite for rigid bodies.
    pub fn modulus(&self) -> f64 {
        match self {
            Self::Compliant(s) => s.modulus(),
            Self::CompliantHalfSpace { modulus, .. } => *modulus,
            _ => f64::INFINITY,
        }
    }

    /// Whether the pair makes patches, and if not, why.
    pub fn check_pair(a: &Self, b: &Self) -> Result<(), PatchError> {
        if a.is_half_space() && b.is_half_space() {
            Err(PatchError::BothHalfSpaces)
        } else if !a.is_compliant() && !b.is_compliant() {
            Err(PatchError::BothRigid)
        } else {
            Ok(())
        }
    }
}

/// Memory for [`contact_patch`], reused between calls; grows to what the largest pair needs.
#[derive(Debug, Clone, Default)]
pub struct PatchScratch {
    pairs: Vec<u64>,
    polygon: Polygon,
    tests: u64,
}

impl PatchScratch {
    /// Pairs of elements looked at since construction (tetrahedra, triangles, half-spaces).
    pub fn element_tests(&self) -> u64 {
        self.tests
    }
}

/// Appends the faces between solids a and b at poses `x_wa`, `x_wb` to `out` and returns the patch.
///
/// Fails only for pairs that can have no patch, see [`ContactSolid::check_pair`]. Allocates nothing once
/// `scratch` and `out` have grown to their size.
pub fn contact_patch(
    a: &ContactSolid,
    x_wa: &Isometry3<f64>,
    b: &ContactSolid,
    x_wb: &Isometry3<f64>,
    options: &PatchOptions,
    scratch: &mut PatchScratch,
    out: &mut PatchFaces,
) -> Result<Patch, PatchError> {
    use ContactSolid::{Compliant, CompliantHalfSpace, Rigid, RigidHalfSpace};
    ContactSolid::check_pair(a, b)?;
    let first = out.faces.len();
    // The frame of one bounded body is the working frame.
    let a_works = matches!(
        (a, b),
        (Compliant(_), CompliantHalfSpace { .. } | Rigid(_) | RigidHalfSpace)
            | (Rigid(_), CompliantHalfSpace { .. })
    );
    let (x_ww, one, other) = if a_works { (x_wa, a, b) } else { (x_wb, b, a) };
    let x_wo = if a_works { x_wb } else { x_wa };
    // Pose of the other body in the working body.
    let x = Pose::relative(x_ww, x_wo);
    let mut sink = Sink::new(options, out, Pose::new(x_ww), a_works);
    let mut swallowed = false;
    match (one, other) {
        (Compliant(s), Compliant(o)) => solid_solid(o, s, &x, &mut sink, scratch),
        (Compliant(s), Rigid(o)) => rigid_solid(o, s, &x, !a_works, &mut sink, scratch),
        (Compliant(s), RigidHalfSpace) => {
            swallowed = plane_solid(s, &x, !a_works, &mut sink, scratch);
        }
        (Compliant(s), CompliantHalfSpace { modulus, thickness }) => {
            half_space_solid(s, modulus / thickness, &x, a_works, &mut sink, scratch);
        }
        (Rigid(m), CompliantHalfSpace { modulus, thickness }) => {
            half_space_rigid(m, modulus / thickness, &x, a_works, &mut sink, scratch);
        }
        // Ruled out by check_pair and the choice of the working body.
        _ => return Err(PatchError::BothRigid),
    }
    let sums = sink.sums;
    let modulus = a.modulus().min(b.modulus());
    let middle = 0.5 * (x_wa.translation.vector + x_wb.translation.vector);
    let faces = first..out.faces.len();
    Ok(summary(&sums, &Pose::new(x_ww), faces, modulus, middle, swallowed))
}

fn summary(
    s: &Sums,
    x: &Pose,
    faces: std::ops::Range<usize>,
    modulus: f64,
    middle: V3,
    swallowed: bool,
) -> Patch {
    let centroid = if s.area > 0.0 { s.first_moment / s.area } else { x.inverse().point(&middle) };
    let center = if s.pressure > 0.0 { s.pressure_moment / s.pressure } else { centroid };
    Patch {
        faces,
        area: s.area,
        centroid: x.point(&centroid),
        center_of_pressure: x.point(&center),
        force: x.vector(&s.force),
        moment: x.vector(&(s.moment - centroid.cross(&s.force))),
        pressure_integral: s.pressure,
        peak_pressure: s.peak,
        peak_extent: s.peak / modulus,
        swallowed,
    }
}

fn key(i: u32, j: u32) -> u64 {
    u64::from(i) << 32 | u64::from(j)
}

fn unkey(k: u64) -> (usize, usize) {
    ((k >> 32) as usize, (k & 0xffff_ffff) as usize)
}

/// How deep any point of both bodies can lie below their surfaces: overlaps of the root boxes along
/// their axes, and of the balls around them.
fn depth_bound(
    a: &Tree,
    radius_a: f64,
    level_a: usize,
    b: &Tree,
    radius_b: f64,
    level_b: usize,
    x_ab: &Pose,
) -> f64 {
    let apart = (x_ab.point(&b.root(level_b).center) - a.root(level_a).center).norm();
    Tree::root_overlap(a, b, x_ab).min(radius_a + radius_b - apart)
}

/// Level of the full boxes of a solid.
const FULL: usize = 3;

/// The working body is B.
fn solid_solid(a: &Solid, b: &Solid, x_ba: &Pose, sink: &mut Sink, scratch: &mut PatchScratch) {
    let margin = sink.options.margin;
    let gap = margin * (a.flare + b.flare);
    let depth = depth_bound(&b.tree, b.radius, FULL, &a.tree, a.radius, FULL, x_ba);
    if depth + gap < 0.0 {
        return;
    }
    let limit = a.pressure_within(depth).min(b.pressure_within(depth));
    let (level_a, level_b) = (a.level_for_pressure(limit), b.level_for_pressure(limit));
    let x_ab = x_ba.inverse();
    let PatchScratch { pairs, polygon, tests } = scratch;
    pairs.clear();
    Tree::pairs(&a.tree, level_a, &b.tree, level_b, &x_ab, gap, |i, j| {
        *tests += 1;
        let (ca, cb) = (&a.cells[i as usize], &b.cells[j as usize]);
        let field_a = ca.field.moved(x_ba);
        if kernels::tets_may_meet(ca, cb, &field_a, || cb.field.moved(&x_ab), margin) {
            pairs.push(key(i, j));
        }
    });
    pairs.sort_unstable();
    for &k in pairs.iter() {
        let (i, j) = unkey(k);
        let ca = &a.cells[i];
        kernels::tet_tet(ca, &b.cells[j], x_ba, &ca.field.moved(x_ba), sink, polygon);
    }
}

/// The working body is the solid; `rigid_is_a` says who is A.
fn rigid_solid(
    m: &RigidMesh,
    s: &Solid,
    x_sm: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) {
    let gap = sink.options.margin * s.flare;
    let depth = depth_bound(&s.tree, s.radius, FULL, &m.tree, m.radius, 0, x_sm);
    if depth + gap < 0.0 {
        return;
    }
    let level = s.level_for_pressure(s.pressure_within(depth));
    let PatchScratch { pairs, polygon, tests } = scratch;
    pairs.clear();
    Tree::pairs(&m.tree, 0, &s.tree, level, &x_sm.inverse(), gap, |i, j| {
        *tests += 1;
        pairs.push(key(i, j));
    });
    pairs.sort_unstable();
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let mut last = usize::MAX;
    let mut facet = m.facets[0];
    for &k in pairs.iter() {
        let (i, j) = unkey(k);
        if i != last {
            facet = moved(&m.facets[i], x_sm);
            last = i;
        }
        kernels::triangle_tet(&facet, &s.cells[j], out_of_rigid, sink, polygon);
    }
}

pub(super) fn moved(f: &Facet, x: &Pose) -> Facet {
    Facet { v: f.v.map(|v| x.point(&v)), n: x.vector(&f.n), id: f.id }
}

/// Normal and offset of the plane z = 0 of frame h, seen from the frame in which `x` is h's pose.
fn plane(x: &Pose) -> (V3, f64) {
    let n = x.r.column(2).into_owned();
    (n, n.dot(&x.p))
}

/// Rigid half-space; returns whether the solid lies wholly inside it.
fn plane_solid(
    s: &Solid,
    x_sh: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) -> bool {
    let (n, d) = plane(x_sh);
    let root = s.tree.root(FULL);
    let (height, reach) = (n.dot(&root.center) - d, n.abs().dot(&root.half));
    let gap = sink.options.margin * s.flare;
    let level = s.level_for_pressure(s.pressure_within((reach - height).min(s.radius - height)));
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let PatchScratch { polygon, tests, .. } = scratch;
    let before = *tests;
    s.tree.slab(level, &n, d, -gap, gap, |j| {
        *tests += 1;
        kernels::plane_tet(&n, d, &s.cells[j as usize], out_of_rigid, sink, polygon);
    });
    *tests == before && height < 0.0
}

/// Compliant half-space of slope `steep` (Pa/m) against a solid.
fn half_space_solid(
    s: &Solid,
    steep: f64,
    x_sh: &Pose,
    solid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) {
    let (n, d) = plane(x_sh);
    let root = s.tree.root(FULL);
    let (height, reach) = (n.dot(&root.center) - d, n.abs().dot(&root.half));
    let depth = (reach - height).min(s.radius - height);
    let gap = sink.options.margin * s.flare;
    if depth + gap < 0.0 {
        return;
    }
    let field = Field { grad: -n * steep, offset: steep * d };
    // The half-space's own pressure bounds too.
    let limit = s.pressure_within(depth).min(steep * depth.max(0.0) * (1.0 + 1e-9) + 1e-9 * steep * s.radius);
    let PatchScratch { polygon, tests, .. } = scratch;
    s.tree.slab(s.level_for_pressure(limit), &n, d, f64::NEG_INFINITY, gap, |j| {
        *tests += 1;
        kernels::field_tet(&field, &s.cells[j as usize], solid_is_a, sink, polygon);
    });
}

/// Compliant half-space of slope `steep` (Pa/m) against a rigid surface.
fn half_space_rigid(
    m: &RigidMesh,
    steep: f64,
    x_mh: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) {
    let (n, d) = plane(x_mh);
    let field = Field { grad: -n * steep, offset: steep * d };
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let PatchScratch { polygon, tests, .. } = scratch;
    let margin = sink.options.margin;
    m.tree.slab(0, &n, d, f64::NEG_INFINITY, margin, |i| {
        *tests += 1;
        kernels::triangle_field(&m.facets[i as usize], &field, out_of_rigid, sink, polygon);
    });
}
