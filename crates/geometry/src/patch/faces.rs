//! Results: faces in flat arrays, and one summary for each pair.

use std::ops::Range;

use crate::V3;

/// Which polygons become faces; see the [module](super) on when to use which.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaceFilter {
    /// Only faces with slopes of at least `min_slope` times the field's steepness on both sides.
    Convex {
        /// Cosine of the largest angle between a gradient and the normal, 0 to 1.
        min_slope: f64,
    },
    /// Every face, whatever its slopes; `gradient` is zero or negative where one of them is.
    All,
}

/// Polygons or triangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tessellation {
    /// One face a polygon.
    Polygons,
    /// Each polygon as a fan of triangles about its centroid (PFC Fig. 5.1).
    Fans,
    /// One face a polygon, which a step takes at three points of every triangle of its fan, as continuous time does: slower,
    /// and the limit of short steps is that of continuous time.
    Refined,
}

/// Options of a patch query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatchOptions {
    /// Polygons, or triangles.
    pub tessellation: Tessellation,
    /// Which faces are kept.
    pub filter: FaceFilter,
    /// Surfaces closer than this (m) give speculative faces with negative pressure.
    pub margin: f64,
    /// Faces with longer edges than this (m) are cut into triangles, at most 4096 from one side of a
    /// polygon. Sums do not change; friction under a large flat face that turns is resolved better, since
    /// each face slips as a whole. Infinite by default.
    pub max_face_edge: f64,
    /// Whether vertices and their pressures are stored, for results and drawing.
    pub vertices: bool,
}

impl Default for PatchOptions {
    fn default() -> Self {
        Self {
            tessellation: Tessellation::Polygons,
            filter: FaceFilter::Convex { min_slope: 0.01 },
            margin: 0.0,
            max_face_edge: f64::INFINITY,
            vertices: false,
        }
    }
}

/// A planar piece of a patch, world frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PatchFace {
    /// Centroid, m.
    pub centroid: V3,
    /// Unit normal, out of A into B.
    pub normal: V3,
    /// Area, m^2; positive.
    pub area: f64,
    /// Pressure at the centroid, Pa; negative for speculative faces.
    pub pressure: f64,
    /// Effective gradient g along the normal, Pa/m.
    pub gradient: f64,
    /// Tetrahedron or triangle of A (0 for a half-space).
    pub element_a: u32,
    /// Tetrahedron or triangle of B (0 for a half-space).
    pub element_b: u32,
}

impl PatchFace {
    /// Stiffness k = g A, N/m (VLP eq. 16).
    pub fn stiffness(&self) -> f64 {
        self.gradient * self.area
    }

    /// Normal force at the start of the step f0 = A p, N (VLP eq. 12).
    pub fn force(&self) -> f64 {
        self.area * self.pressure
    }
}

/// Faces of any number of patches, one after the other; clear and reuse.
#[derive(Debug, Clone, Default)]
pub struct PatchFaces {
    /// The faces.
    pub faces: Vec<PatchFace>,
    /// `vertex_end[f]` is where face f's vertices end and those of f + 1 begin; only with
    /// [`PatchOptions::vertices`].
    pub vertex_end: Vec<u32>,
    /// Vertices, world frame, counter-clockwise about the normal.
    pub vertices: Vec<V3>,
    /// Pressure at the vertices, Pa.
    pub vertex_pressure: Vec<f64>,
}

impl PatchFaces {
    /// Empties the arrays and keeps their memory.
    pub fn clear(&mut self) {
        self.faces.clear();
        self.vertex_end.clear();
        self.vertices.clear();
        self.vertex_pressure.clear();
    }

    /// Where the vertices of a face lie in [`PatchFaces::vertices`]; empty if they were not stored.
    pub fn vertex_range(&self, face: usize) -> Range<usize> {
        let start = if face == 0 { 0 } else { self.vertex_end.get(face - 1).copied().unwrap_or(0) };
        let end = self.vertex_end.get(face).copied().unwrap_or(start);
        start as usize..end as usize
    }
}

/// The patch of one pair, world frame. Sums are over faces with positive pressure.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// Its faces in [`PatchFaces::faces`], speculative ones included.
    pub faces: Range<usize>,
    /// Area, m^2.
    pub area: f64,
    /// Centroid of the area, m (the mean of the bodies' origins if there is no area).
    pub centroid: V3,
    /// Pressure-weighted centre, m (the centroid if there is no pressure).
    pub center_of_pressure: V3,
    /// Integral of p n: the frictionless static force on B, N. A gets the opposite.
    pub force: V3,
    /// Integral of (r - centroid) x p n: its moment on B about the centroid, N m. Exact, not one-point.
    pub moment: V3,
    /// Integral of p, N.
    pub pressure_integral: f64,
    /// Largest pressure at a vertex, Pa.
    pub peak_pressure: f64,
    /// Largest pressure over the smallest modulus involved; near 1 the core of a field is reached and the
    /// force cannot grow with depth as it should.
    pub peak_extent: f64,
    /// Pairs of overlapping tetrahedra whose fields are one and the same, so that no surface separates them (PFC C.2): the
    /// patch has a hole there. Like bodies placed exactly above each other have them at their rims.
    pub coincident: u32,
    /// A compliant body lies wholly inside a rigid one, out of reach of its surface: no force can push
    /// it out.
    pub swallowed: bool,
}

impl Patch {
    /// Moment of the force on B about `point` (world), N m.
    pub fn moment_about(&self, point: &V3) -> V3 {
        self.moment + (self.centroid - point).cross(&self.force)
    }
}
