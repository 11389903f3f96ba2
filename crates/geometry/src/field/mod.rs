//! Fields on tetrahedra: from a mesh to the extents of a pressure field (PFC section 5.1).
//!
//! ```text
//!   e = 0 on soft faces, 1 on rigid ones and in the core, no flux through insulated ones
//!   Distance   depth over the local half thickness, or over the depth of the core         distance.rs, thickness.rs
//!   Laplace    div grad e = 0 between the surface and the core                            poisson.rs
//!   Poisson    div grad e = -1 where there is no core, normalised                         poisson.rs
//!   p = M(e) e: the mesh is split at levels of e so that p is linear on each tetrahedron  stiffening.rs
//! ```
//!
//! The result is checked: between 0 and 1, and no dips inside. What the numbers mean in terms of Young's modulus
//! is in [`modulus`]; fields that act like half-spaces (PFC Appendix B) are in [`halfspace`].
//!
//! Open first: [`make_field`].
//!
//! | also here | |
//! |---|---|
//! | `check.rs` | bounds, monotonicity, characteristic length |
//! | `cut.rs` | where a plane cuts a solid |
//! | `options.rs` | options |
//! | `sparse.rs` | conjugate gradients |

mod check;
mod cut;
mod distance;
pub mod halfspace;
pub mod modulus;
mod options;
mod poisson;
mod sparse;
mod stiffening;
mod thickness;

pub use check::{FieldReport, characteristic_length};
pub use cut::{CutPolygon, cut};
pub use options::{Boundary, Core, FieldKind, FieldOptions, Normalization, Region};
pub use stiffening::{Stiffening, breakpoints};

use crate::V3;
use crate::mesher::split::split_at_level;
use crate::mesher::{MeshingError, TetMesh};
use crate::surface::tree::SurfaceTree;
use distance::Depths;

/// A core at a depth is no deeper than this part of the local half thickness: thin parts get one as well.
const THIN_CORE: f64 = 0.6;

/// Tetrahedra with a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldMesh {
    /// The tetrahedra.
    pub mesh: TetMesh,
    /// At the vertices: pressure over the largest pressure.
    pub extents: Vec<f64>,
    /// The largest pressure over the modulus M0: 1 unless the field stiffens.
    pub scale: f64,
}

/// Makes the field. The mesh may be split where the field has kinks.
pub fn make_field(
    mut mesh: TetMesh,
    options: &FieldOptions,
) -> Result<(FieldMesh, FieldReport), MeshingError> {
    let mut report = FieldReport::default();
    let boundary = distance::boundary(&mesh, &options.regions)?;
    let mut extents = match &options.kind {
        FieldKind::Values(values) => {
            let ok = values.len() == mesh.vertices.len() && values.iter().all(|x| (0.0..=1.0).contains(x));
            if !ok {
                return Err(MeshingError::Field(format!(
                    "{} values for {} vertices; give one between 0 (surface) and 1 (core) for each",
                    values.len(),
                    mesh.vertices.len()
                )));
            }
            values.clone()
        }
        kind => solve(kind, &mut mesh, &boundary, options, &mut report)?,
    };
    check::check(&mesh, &mut extents, &mut report);
    // PFC eq. 5.8 is about the extent e; stiffening (eq. 5.4) turns e into a pressure.
    report.characteristic_length = characteristic_length(&mesh.vertices, &mesh.tets, &extents);
    let scale = options.stiffening.apply(&mut mesh, &mut extents, options.layer_tolerance, &mut report)?;
    report.tets = mesh.tets.len();
    Ok((FieldMesh { mesh, extents, scale }, report))
}

fn solve(
    kind: &FieldKind,
    mesh: &mut TetMesh,
    boundary: &distance::BoundaryFaces,
    options: &FieldOptions,
    report: &mut FieldReport,
) -> Result<Vec<f64>, MeshingError> {
    let depths = Depths::new(mesh, boundary);
    let mut depth = depths.soft(&mesh.vertices);
    let half = match options.normalization {
        Normalization::Local => thickness::half_thickness(mesh, &depth, &depths),
        Normalization::Global => vec![depth.iter().copied().fold(0.0, f64::max); depth.len()],
    };
    report.depth = depth.iter().copied().fold(0.0, f64::max);
    report.thinnest =
        half.iter().zip(&mesh.on_surface).filter(|h| !h.1).map(|h| *h.0).fold(f64::INFINITY, f64::min);
    // A core: where this is not negative. Its surface becomes a level of the mesh.
    let core_level: Option<Vec<f64>> = match &options.core {
        Core::None => None,
        Core::Depth(core) => {
            let local = options.normalization == Normalization::Local;
            let limit = |h: f64| if local { core.min(THIN_CORE * h) } else { *core };
            report.thin_core =
                half.iter().zip(&mesh.on_surface).filter(|(h, on)| !**on && limit(**h) < *core).count();
            Some(depth.iter().zip(&half).map(|(d, h)| d - limit(*h)).collect())
        }
        Core::Surface(surface) => Some(mesh.vertices.iter().map(|v| surface.depth(v)).collect()),
    };
    let is_rigid = |v: usize| boundary.rigid[v];
    let mut core = vec![false; depth.len()];
    if let Some(mut level) = core_level {
        let least = match &options.core {
            Core::Depth(core) => core.min(THIN_CORE * report.thinnest),
            _ => report.thinnest,
        };
        let snap = 0.02 * least;
        // Surface vertices are outside whatever rounding says.
        level.iter_mut().zip(&mesh.on_surface).for_each(|(l, on)| {
            if *on {
                *l = l.min(-2.0 * snap);
            }
        });
        report.core_split = split_at_level(mesh, &mut level, 0.0, snap);
        core = level.iter().map(|l| *l >= 0.0).collect();
        if !core.contains(&true) {
            return Err(MeshingError::Field(format!(
                "no part of the solid lies in the core; its largest depth is {:.4} m: make the core larger or the \
                 mesh finer",
                report.depth
            )));
        }
        // The split added vertices.
        depth.extend(depths.soft(&mesh.vertices[depth.len()..]));
        report.core_vertices = core.iter().filter(|c| **c).count();
    }
    let rigid: Vec<bool> =
        (0..mesh.vertices.len()).map(|v| core[v] || (v < boundary.rigid.len() && is_rigid(v))).collect();
    let soft: Vec<bool> =
        (0..mesh.vertices.len()).map(|v| v < boundary.soft.len() && boundary.soft[v] && !core[v]).collect();
    let any_rigid = rigid.iter().zip(&soft).any(|(r, s)| *r && !*s);
    match kind {
        FieldKind::Distance if any_rigid => Ok(between(mesh, &depth, &rigid, &soft)),
        FieldKind::Distance => {
            let scaled = |(d, h): (&f64, &f64)| if *h > 0.0 { (d / h).min(1.0) } else { 0.0 };
            Ok(depth.iter().zip(&half).map(scaled).collect())
        }
        FieldKind::Laplace | FieldKind::Poisson => {
            let source = if any_rigid { 0.0 } else { 1.0 };
            if source > 0.0 && *kind == FieldKind::Laplace {
                return Err(MeshingError::Field(
                    "Laplace's equation needs something rigid to rise to: give a core (a depth or a surface) or a rigid \
                     region, or use Poisson's equation"
                        .into(),
                ));
            }
            let mut solution = poisson::solve(mesh, &soft, &rigid, source, report)?;
            if source > 0.0 {
                // A slab of half thickness R has u = (R^2 - x^2) / 2: sqrt(2 u) is a length that is R in the middle.
                let length: Vec<f64> = solution.iter().map(|u| (2.0 * u.max(0.0)).sqrt()).collect();
                let scale = match options.normalization {
                    Normalization::Local => thickness::largest_above(mesh, &depth, &length),
                    Normalization::Global => vec![length.iter().copied().fold(0.0, f64::max); length.len()],
                };
                for ((e, l), s) in solution.iter_mut().zip(&length).zip(&scale) {
                    *e = if *s > 0.0 { (l / s).powi(2).min(1.0) } else { 0.0 };
                }
            }
            Ok(solution)
        }
        FieldKind::Values(values) => Ok(values.clone()),
    }
}

/// Distance from the soft faces over the sum of distances from the soft faces and from what is rigid.
fn between(mesh: &TetMesh, depth: &[f64], rigid: &[bool], soft: &[bool]) -> Vec<f64> {
    // Faces of the mesh all of whose corners are rigid.
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for t in &mesh.tets {
        for f in crate::solid::check::faces(t) {
            if f.iter().all(|&i| rigid[i as usize]) {
                let mut key = f;
                key.sort_unstable();
                faces.push(key);
            }
        }
    }
    faces.sort_unstable();
    faces.dedup();
    let tree = (!faces.is_empty()).then(|| SurfaceTree::new(&mesh.vertices, &faces));
    let to_rigid = |p: &V3| {
        tree.as_ref().and_then(|t| t.nearest(p, f64::INFINITY)).map_or(f64::INFINITY, |n| n.distance)
    };
    (0..mesh.vertices.len())
        .map(|v| {
            if soft[v] {
                0.0
            } else if rigid[v] {
                1.0
            } else {
                depth[v] / (depth[v] + to_rigid(&mesh.vertices[v]))
            }
        })
        .collect()
}
