//! Splitting a non-convex solid into convex parts, on request.

use crate::point::distance_to_hull;
use crate::{Aabb, ConvexHull, GeometryError, TriangleMesh, V3, parry};

/// How finely [`convex_decomposition`] cuts.
#[derive(Debug, Clone, PartialEq)]
pub struct DecompositionOptions {
    /// Voxels along the longest side (64 is a fair start; cost grows with the cube).
    pub resolution: u32,
    /// Largest concavity left in a part, relative to the whole (0 to 1).
    pub concavity: f64,
    /// Upper bound for the number of parts.
    pub max_parts: u32,
}

impl Default for DecompositionOptions {
    fn default() -> Self {
        Self { resolution: 64, concavity: 0.01, max_parts: 32 }
    }
}

/// Convex parts that together approximate the solid inside a closed surface (voxel-based, V-HACD).
/// The parts are an approximation: their union differs from the solid by about a voxel.
pub fn convex_decomposition(
    mesh: &TriangleMesh,
    options: &DecompositionOptions,
) -> Result<Vec<ConvexHull>, GeometryError> {
    if !mesh.is_watertight() {
        let reason = format!("the surface is open: {}", mesh.topology_note());
        return Err(GeometryError::Decomposition { reason });
    }
    // The library takes the number for a depth of cutting, and may return twice as many parts.
    let mut wanted = options.clone();
    loop {
        let parts = parry::decompose(mesh.vertices(), mesh.faces(), &wanted);
        let hulls: Vec<_> = parts.iter().filter_map(|p| hull_of(p)).collect();
        if hulls.is_empty() {
            let reason = format!("{} parts, none of them solid", parts.len());
            return Err(GeometryError::Decomposition { reason });
        }
        if hulls.len() <= options.max_parts as usize {
            return Ok(hulls);
        }
        if wanted.max_parts <= 1 {
            // One part is the hull of all.
            return Ok(vec![ConvexHull::from_points(mesh.vertices())?]);
        }
        wanted.max_parts /= 2;
    }
}

/// The hull of a part. Points almost on top of each other, of which cutting leaves many, can keep it from closing; then points
/// that fall together on a grid are taken for one.
fn hull_of(points: &[V3]) -> Option<ConvexHull> {
    let size = Aabb::of_points(points).half().norm();
    [0.0, 1e-6, 1e-5, 1e-4, 1e-3].into_iter().find_map(|cell| {
        let cell = cell * size;
        if cell == 0.0 {
            return ConvexHull::from_points(points).ok();
        }
        let snapped: Vec<V3> = points.iter().map(|p| p.map(|c| (c / cell).round() * cell)).collect();
        ConvexHull::from_points(&snapped).ok()
    })
}

/// How far convex parts differ from the solid that they stand for, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecompositionError {
    /// How far the parts stick out of its surface.
    pub added: f64,
    /// How far its surface sticks out of the parts.
    pub missing: f64,
}

/// Points per edge of a triangle at which [`decomposition_error`] looks.
const SAMPLES: usize = 4;

/// The largest distances between a solid and its convex parts, at its corners and at points spread over its faces and theirs.
pub fn decomposition_error(mesh: &TriangleMesh, parts: &[ConvexHull]) -> DecompositionError {
    let missing = |p: &V3| parts.iter().map(|h| distance_to_hull(h, p)).fold(f64::INFINITY, f64::min);
    let added = |p: &V3| match mesh.nearest_face(p) {
        Some((_, square)) if !mesh.contains(p) => square.sqrt(),
        _ => 0.0,
    };
    let faces = (0..mesh.faces().len()).flat_map(|f| spread(mesh.corners(f)));
    let part_faces =
        parts.iter().flat_map(|h| h.triangles().flat_map(|t| spread(t.map(|v| h.vertices()[v as usize]))));
    DecompositionError {
        added: part_faces.map(|p| added(&p)).fold(0.0, f64::max),
        missing: faces.map(|p| missing(&p)).fold(0.0, f64::max),
    }
}

/// Points spread over a triangle, its corners among them.
fn spread([a, b, c]: [V3; 3]) -> impl Iterator<Item = V3> {
    let at = |k: usize| k as f64 / (SAMPLES - 1) as f64;
    (0..SAMPLES).flat_map(move |i| (0..SAMPLES - i).map(move |j| a + (b - a) * at(i) + (c - a) * at(j)))
}
