//! The only user of parry (and glam): hulls of point clouds and convex decomposition.

use parry3d_f64::math::Vec3;
use parry3d_f64::transformation::{try_convex_hull, vhacd::VHACD, vhacd::VHACDParameters};

use crate::{DecompositionOptions, V3};

type Triangles = (Vec<V3>, Vec<[u32; 3]>);

fn to_glam(p: &V3) -> Vec3 {
    Vec3::new(p.x, p.y, p.z)
}

fn from_glam(p: &Vec3) -> V3 {
    V3::new(p.x, p.y, p.z)
}

/// Triangulated convex hull of points of about unit size.
pub(crate) fn convex_hull(points: &[V3]) -> Result<Triangles, String> {
    let points: Vec<Vec3> = points.iter().map(to_glam).collect();
    let (v, t) = try_convex_hull(&points).map_err(|e| e.to_string())?;
    Ok((v.iter().map(from_glam).collect(), t))
}

/// Vertices of the convex parts of a closed surface.
pub(crate) fn decompose(vertices: &[V3], faces: &[[u32; 3]], options: &DecompositionOptions) -> Vec<Vec<V3>> {
    let vertices: Vec<Vec3> = vertices.iter().map(to_glam).collect();
    let parameters = VHACDParameters {
        resolution: options.resolution,
        concavity: options.concavity,
        max_convex_hulls: options.max_parts,
        ..Default::default()
    };
    let vhacd = VHACD::decompose(&parameters, &vertices, faces, true);
    vhacd
        .compute_exact_convex_hulls(&vertices, faces)
        .iter()
        .map(|(v, _)| v.iter().map(from_glam).collect())
        .collect()
}
