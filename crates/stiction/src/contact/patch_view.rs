//! Contact patches with the results of a step's solve, for users.

use crate::contact::patches::PatchSet;
use crate::model::{GeomId, Model};
use nalgebra::Vector3;
use std::ops::Range;
use stiction_geometry::patch::PatchFace;

/// Result of the solve for a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FaceResult {
    /// Force on B, N, world axes.
    pub force: Vector3<f64>,
    /// Moment of that force about the face's centroid, N m, world axes.
    pub moment: Vector3<f64>,
    /// Tangential velocity of B relative to A, m/s, world axes.
    pub slip: Vector3<f64>,
}

/// The patches of a step and the results of their faces, one each.
#[derive(Clone, Copy)]
pub(crate) struct SolvedPatches<'a> {
    pub found: &'a PatchSet,
    pub results: &'a [FaceResult],
}

impl<'a> SolvedPatches<'a> {
    /// Whether every face has a result. A failed step has no results.
    pub fn complete(&self) -> bool {
        self.results.len() == self.found.faces.faces.len()
    }

    /// Borrowed views of the patches and their results. Empty if the step failed.
    pub fn views(self, model: &'a Model) -> impl ExactSizeIterator<Item = PatchView<'a>> {
        let compiled = model.compiled();
        let solved = if self.complete() { &self.found.patches[..] } else { &[] };
        solved.iter().map(move |found| {
            let range = found.patch.faces.clone();
            let (faces, results) = (&self.found.faces.faces[range.clone()], &self.results[range.clone()]);
            let first = self.found.faces.vertex_range(range.start).start;
            let last = self.found.faces.vertex_range(range.end - 1).end;
            let moment = |(f, r): (&PatchFace, &FaceResult)| {
                (f.centroid - found.patch.centroid).cross(&r.force) + r.moment
            };
            PatchView {
                geom_a: compiled.colliding.in_world(found.geoms.0),
                geom_b: compiled.colliding.in_world(found.geoms.1),
                body_a: compiled.geom(found.geoms.0).body,
                body_b: compiled.geom(found.geoms.1).body,
                vertices: &self.found.faces.vertices[first..last],
                pressure: &self.found.faces.vertex_pressure[first..last],
                area: found.patch.area,
                centroid: found.patch.centroid,
                center_of_pressure: found.patch.center_of_pressure,
                force: results.iter().map(|r| r.force).sum(),
                moment: faces.iter().zip(results).map(moment).sum(),
                peak_extent: found.patch.peak_extent,
                faces: range,
                solved: self,
            }
        })
    }
}

/// A contact patch after the solve. Vectors are in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPatch {
    /// Index of geom A in the world's list; smaller than B's.
    pub geom_a: GeomId,
    /// Index of geom B.
    pub geom_b: GeomId,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Vertices of the polygons at the beginning of the step, m.
    pub vertices: Vec<Vector3<f64>>,
    /// Indices of each polygon's vertices, counter-clockwise about its normal.
    pub polygons: Vec<Vec<u32>>,
    /// Pressure of the field at each vertex, Pa; negative on speculative faces.
    pub pressure: Vec<f64>,
    /// Area of each polygon, m².
    pub areas: Vec<f64>,
    /// Unit normal of each polygon, from A into B.
    pub normals: Vec<Vector3<f64>>,
    /// Centroid of each polygon, m.
    pub centroids: Vec<Vector3<f64>>,
    /// Force on B over area of each polygon, Pa.
    pub traction: Vec<Vector3<f64>>,
    /// Tangential velocity of B relative to A at each polygon's centroid at the end of the step, m/s.
    pub slip: Vec<Vector3<f64>>,
    /// Area under pressure, m².
    pub area: f64,
    /// Centroid of that area, m.
    pub centroid: Vector3<f64>,
    /// Pressure-weighted centre, m.
    pub center_of_pressure: Vector3<f64>,
    /// Force on body B, N: the step's impulse over its length.
    pub force: Vector3<f64>,
    /// Moment on body B about the centroid, N m.
    pub moment: Vector3<f64>,
    /// Largest pressure over the smallest modulus involved. Near 1 the core of a field is reached, and the force no
    /// longer grows with depth: the body is too thin or too soft for its load.
    pub peak_extent: f64,
}

/// A borrowed view of a contact patch after the solve. Vectors are in world axes.
///
/// Use it to read patches at every step without allocation. [`ContactPatch`] is the owned copy.
#[derive(Clone)]
pub struct PatchView<'a> {
    /// Index of geom A in the world's list; smaller than B's.
    pub geom_a: GeomId,
    /// Index of geom B.
    pub geom_b: GeomId,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Vertices of the polygons at the beginning of the step, m; the vertices of a face are consecutive.
    pub vertices: &'a [Vector3<f64>],
    /// Pressure of the field at each vertex, Pa; negative on speculative faces.
    pub pressure: &'a [f64],
    /// Area under pressure, m².
    pub area: f64,
    /// Centroid of that area, m.
    pub centroid: Vector3<f64>,
    /// Pressure-weighted centre, m.
    pub center_of_pressure: Vector3<f64>,
    /// Force on body B, N: the step's impulse over its length.
    pub force: Vector3<f64>,
    /// Moment on body B about the centroid, N m.
    pub moment: Vector3<f64>,
    /// Largest pressure over the smallest modulus involved, see [`ContactPatch::peak_extent`].
    pub peak_extent: f64,
    faces: Range<usize>,
    solved: SolvedPatches<'a>,
}

/// A polygon of a [`PatchView`].
#[derive(Clone, Debug, PartialEq)]
pub struct FaceView {
    /// Its vertices in those of the patch, counter-clockwise about the normal.
    pub vertices: Range<usize>,
    /// Area, m².
    pub area: f64,
    /// Unit normal, from A into B.
    pub normal: Vector3<f64>,
    /// Centroid, m.
    pub centroid: Vector3<f64>,
    /// Force on B, N.
    pub force: Vector3<f64>,
    /// Tangential velocity of B relative to A at the centroid at the end of the step, m/s.
    pub slip: Vector3<f64>,
}

impl FaceView {
    /// Force on B over area, Pa.
    pub fn traction(&self) -> Vector3<f64> {
        self.force / self.area
    }
}

impl PatchView<'_> {
    /// The polygons in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = FaceView> + '_ {
        let first = self.solved.found.faces.vertex_range(self.faces.start).start;
        self.faces.clone().map(move |f| {
            let (face, result) = (&self.solved.found.faces.faces[f], &self.solved.results[f]);
            let vertices = self.solved.found.faces.vertex_range(f);
            FaceView {
                vertices: vertices.start - first..vertices.end - first,
                area: face.area,
                normal: face.normal,
                centroid: face.centroid,
                force: result.force,
                slip: result.slip,
            }
        })
    }

    /// An owned copy of the patch. Allocates.
    pub fn to_patch(&self) -> ContactPatch {
        ContactPatch {
            geom_a: self.geom_a,
            geom_b: self.geom_b,
            body_a: self.body_a,
            body_b: self.body_b,
            vertices: self.vertices.to_vec(),
            polygons: self.faces().map(|f| f.vertices.map(|v| v as u32).collect()).collect(),
            pressure: self.pressure.to_vec(),
            areas: self.faces().map(|f| f.area).collect(),
            normals: self.faces().map(|f| f.normal).collect(),
            centroids: self.faces().map(|f| f.centroid).collect(),
            traction: self.faces().map(|f| f.traction()).collect(),
            slip: self.faces().map(|f| f.slip).collect(),
            area: self.area,
            centroid: self.centroid,
            center_of_pressure: self.center_of_pressure,
            force: self.force,
            moment: self.moment,
            peak_extent: self.peak_extent,
        }
    }
}
