//! The patch of one pair of solids: which kernel, which elements, in which order.

use std::sync::Arc;

use nalgebra::Isometry3;
use thiserror::Error;

use super::candidates::{CellsBetween, Slab, Spans, candidates};
use super::faces::{Patch, PatchFaces, PatchOptions};
use super::kernels;
use super::polygon::Polygon;
use super::sink::{Sink, Sums};
use crate::solid::linear::{Field, Pose};
use crate::solid::{Facet, Layer, MeshOptions, RigidMesh, Solid, SolidError};
use crate::{Shape, V3};

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
    /// A compliant body of any shape with a field of its own; `slab_thickness` (m) is for half-spaces only.
    pub fn compliant(
        shape: &Shape,
        modulus: f64,
        slab_thickness: f64,
        mesh: &MeshOptions,
    ) -> Result<Self, SolidError> {
        match shape {
            Shape::HalfSpace => Self::compliant_half_space(modulus, slab_thickness),
            _ => Ok(Self::Compliant(Arc::new(Solid::from_shape(shape, modulus, mesh)?))),
        }
    }

    /// A rigid body of any shape.
    pub fn rigid(shape: &Shape, mesh: &MeshOptions) -> Result<Self, SolidError> {
        match shape {
            Shape::HalfSpace => Ok(Self::RigidHalfSpace),
            _ => Ok(Self::Rigid(Arc::new(RigidMesh::from_shape(shape, mesh)?))),
        }
    }

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
    spans: Spans,
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
        (Compliant(s), Rigid(o)) => {
            swallowed = rigid_solid(o, s, &x, !a_works, &mut sink, scratch);
        }
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

/// Whether contact at a pressure up to `limit` can lie in a layer; with a margin the first layer
/// reaches below zero.
fn in_reach(layer: &Layer, limit: f64) -> bool {
    layer.low <= limit
}

/// The working body is B.
fn solid_solid(a: &Solid, b: &Solid, x_ba: &Pose, sink: &mut Sink, scratch: &mut PatchScratch) {
    let margin = sink.options.margin;
    let gap = margin * (a.flare + b.flare);
    let slab = Slab::new(&a.bounds, a.radius, &b.bounds, b.radius, x_ba);
    let depth = slab.depth();
    if depth + gap < 0.0 {
        return;
    }
    let limit = a.pressure_within(depth).min(b.pressure_within(depth));
    let x_ab = x_ba.inverse();
    let PatchScratch { pairs, spans, polygon, tests } = scratch;
    pairs.clear();
    for la in a.layers.iter().filter(|l| in_reach(l, limit)) {
        // p_a = p_b on the surface: the layers must share a pressure.
        for lb in b.layers.iter().filter(|l| in_reach(l, limit) && l.low < la.high && la.low < l.high) {
            let pressures = (la.low.max(lb.low), la.high.min(lb.high).min(limit));
            let elements_a = CellsBetween { cells: &a.cells, pressures };
            let elements_b = CellsBetween { cells: &b.cells, pressures };
            let (ta, tb) = ((&la.tree, &elements_a), (&lb.tree, &elements_b));
            candidates(ta, tb, x_ba, &x_ab, &slab, gap, spans, |i, j| {
                *tests += 1;
                let (ca, cb) = (&a.cells[i as usize], &b.cells[j as usize]);
                if kernels::tets_may_meet(ca, cb, x_ba, &x_ab, margin) {
                    pairs.push(key(i, j));
                }
            });
        }
    }
    // Tetrahedra that reach through several layers may have met several times.
    pairs.sort_unstable();
    pairs.dedup();
    for &k in pairs.iter() {
        let (i, j) = unkey(k);
        kernels::tet_tet(&a.cells[i], &b.cells[j], x_ba, &x_ab, sink, polygon);
    }
}

/// The working body is the solid; `rigid_is_a` says who is A. Returns whether the solid lies wholly inside.
fn rigid_solid(
    m: &RigidMesh,
    s: &Solid,
    x_sm: &Pose,
    rigid_is_a: bool,
    sink: &mut Sink,
    scratch: &mut PatchScratch,
) -> bool {
    let gap = sink.options.margin * s.flare;
    let slab = Slab::new(m.tree.root(), m.radius, &s.bounds, s.radius, x_sm);
    let depth = slab.depth();
    let x_ms = x_sm.inverse();
    if depth + gap < 0.0 {
        return false;
    }
    let limit = s.pressure_within(depth);
    let PatchScratch { pairs, spans, polygon, tests } = scratch;
    pairs.clear();
    for layer in s.layers.iter().filter(|l| in_reach(l, limit)) {
        let elements = CellsBetween { cells: &s.cells, pressures: (layer.low, layer.high.min(limit)) };
        candidates(
            (&m.tree, &m.facets[..]),
            (&layer.tree, &elements),
            x_sm,
            &x_ms,
            &slab,
            gap,
            spans,
            |i, j| {
                *tests += 1;
                pairs.push(key(i, j));
            },
        );
    }
    pairs.sort_unstable();
    pairs.dedup();
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
    pairs.is_empty() && m.contains(&x_ms.point(&s.bounds.center))
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
    let height = n.dot(&s.bounds.center) - d;
    let depth = n.abs().dot(&s.bounds.half).min(s.radius) - height;
    let gap = sink.options.margin * s.flare;
    let found = near_plane(s, &n, d, (-gap, gap), s.pressure_within(depth), scratch);
    let out_of_rigid = if rigid_is_a { 1.0 } else { -1.0 };
    let PatchScratch { pairs, polygon, .. } = scratch;
    for &j in pairs.iter() {
        kernels::plane_tet(&n, d, &s.cells[j as usize], out_of_rigid, sink, polygon);
    }
    !found && height < 0.0
}

/// Collects the cells whose parts with pressure up to `limit` meet `range.0 <= n.r - d <= range.1`.
fn near_plane(s: &Solid, n: &V3, d: f64, range: (f64, f64), limit: f64, scratch: &mut PatchScratch) -> bool {
    let PatchScratch { pairs, tests, .. } = scratch;
    pairs.clear();
    for layer in s.layers.iter().filter(|l| in_reach(l, limit)) {
        layer.tree.slab(n, d, range.0, range.1, |j, _| pairs.push(u64::from(j)));
    }
    *tests += pairs.len() as u64;
    pairs.sort_unstable();
    pairs.dedup();
    !pairs.is_empty()
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
    let height = n.dot(&s.bounds.center) - d;
    let depth = n.abs().dot(&s.bounds.half).min(s.radius) - height;
    // The cell's extension, and the half-space's above its surface.
    let gap = sink.options.margin * (s.flare + 1.0);
    if depth + gap < 0.0 {
        return;
    }
    let field = Field { grad: -n * steep, offset: steep * d };
    // The half-space's own pressure bounds too.
    let limit = s.pressure_within(depth).min(steep * (depth.max(0.0) + 1e-9 * s.radius) * (1.0 + 1e-9));
    near_plane(s, &n, d, (f64::NEG_INFINITY, gap), limit, scratch);
    let PatchScratch { pairs, polygon, .. } = scratch;
    for &j in pairs.iter() {
        kernels::field_tet(&field, &s.cells[j as usize], solid_is_a, sink, polygon);
    }
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
    m.tree.slab(&n, d, f64::NEG_INFINITY, margin, |i, _| {
        *tests += 1;
        kernels::triangle_field(&m.facets[i as usize], &field, out_of_rigid, sink, polygon);
    });
}
