//! Splitting a non-convex solid into convex parts, on request.

use crate::{ConvexHull, GeometryError, TriangleMesh, parry};

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
    let parts = parry::decompose(mesh.vertices(), mesh.faces(), options);
    let hulls: Vec<_> = parts.iter().filter_map(|p| ConvexHull::from_points(p).ok()).collect();
    if hulls.is_empty() {
        let reason = format!("{} parts, none of them solid", parts.len());
        return Err(GeometryError::Decomposition { reason });
    }
    Ok(hulls)
}
