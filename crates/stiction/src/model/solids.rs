//! Patch-contact geometry of geoms: tetrahedra with a pressure field, or the triangles of a rigid surface.
//!
//! Primitives and hulls get it from the geometry crate. A mesh file with tetrahedra defines its own solid and
//! optionally its field, as extents or pressures. Without a field, the extent of a vertex is its distance to the
//! surface over the largest such distance, as for primitives, and a warning is issued. Other non-convex meshes are
//! filled with tetrahedra on loading. With the feature `fs` the result is cached in a folder, by the hash of its
//! inputs (`mesh_cache.rs`).

use crate::error::LoadError;
use crate::model::geom_id::CollidingGeoms;
use crate::model::material::{DEFAULT_MODULUS, DEFAULT_RESOLUTION, DEFAULT_SLAB_THICKNESS};
use crate::model::mesh_cache::fill_cached;
use nalgebra::Vector3;
use std::sync::Arc;
use stiction_geometry::mesher::MesherOptions;
use stiction_geometry::patch::ContactSolid;
use stiction_geometry::solid::{FillOptions, MeshOptions, RigidMesh, Solid};
use stiction_geometry::{Geom, Shape};
use stiction_model::{Mesh, Shape as Described, Tetrahedra, Warning, World};

/// Maximum number of pairs of an inner vertex and an outer triangle for which distances are computed.
const MAX_PAIRS: usize = 1_000_000_000;

/// Tetrahedra for compliant geoms and triangles for the geoms that they may touch. Empty if no geom is compliant.
pub(crate) fn compile_solids(
    world: &World,
    geoms: &[Geom],
    colliding: &CollidingGeoms,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<ContactSolid>, LoadError> {
    if !geoms.iter().any(|g| g.compliant) {
        return Ok(Vec::new());
    }
    let mut filled = FilledMeshes::new(world);
    let mut solids = Vec::with_capacity(geoms.len());
    for (geom, (_, id)) in geoms.iter().zip(colliding.iter()) {
        let described = &world.geoms[id.0];
        let solid = solid_of(geom, described, &mut filled, warnings);
        let place = || format!("{} \"{}\"", described.source, described.name);
        solids.push(solid.map_err(|reason| LoadError::Shape { place: place(), reason })?);
    }
    Ok(solids)
}

/// Patch-contact geometry of a geom that a variant changed. The base model already has its warnings.
pub(crate) fn vary_solid(
    world: &World,
    geom: &Geom,
    described: &stiction_model::Geom,
) -> Result<ContactSolid, String> {
    solid_of(geom, described, &mut FilledMeshes::new(world), &mut Vec::new())
}

fn solid_of(
    geom: &Geom,
    described: &stiction_model::Geom,
    filled: &mut FilledMeshes,
    warnings: &mut Vec<Warning>,
) -> Result<ContactSolid, String> {
    let hint = described.contact.resolution_hint.unwrap_or(DEFAULT_RESOLUTION);
    let options = MeshOptions::with_hint(hint);
    if geom.compliant {
        compliant(geom, described, &options, filled, warnings)
    } else {
        filled.once(described, None, || match geom.shape {
            Shape::HalfSpace => Ok(ContactSolid::RigidHalfSpace),
            _ => RigidMesh::from_shape(&geom.shape, &options)
                .map(|m| ContactSolid::Rigid(Arc::new(m)))
                .map_err(|e| e.to_string()),
        })
    }
}

fn compliant(
    geom: &Geom,
    described: &stiction_model::Geom,
    options: &MeshOptions,
    filled: &mut FilledMeshes,
    warnings: &mut Vec<Warning>,
) -> Result<ContactSolid, String> {
    let contact = &described.contact;
    let mut default = |what: String| {
        let message = format!("a compliant geom without drake:{what}");
        warnings.push(Warning { source: described.source.clone(), message });
    };
    let own = filled.tetrahedra(&described.shape);
    let modulus = contact.hydroelastic_modulus.or(own.and_then(|t| t.modulus)).unwrap_or_else(|| {
        default(format!("hydroelastic_modulus: {DEFAULT_MODULUS:.0e} Pa is used"));
        DEFAULT_MODULUS
    });
    if let (Described::Mesh { mesh, .. }, Some(_)) = (described.shape, own) {
        return filled.solid(mesh, modulus, warnings).map(ContactSolid::Compliant);
    }
    match geom.shape {
        Shape::Mesh(_) => {
            let Described::Mesh { mesh, .. } = described.shape else {
                return Err("a mesh without a description".into());
            };
            filled.meshed(mesh, modulus, contact.resolution_hint, warnings).map(ContactSolid::Compliant)
        }
        Shape::HalfSpace => {
            let thickness = contact.slab_thickness.unwrap_or_else(|| {
                default(format!("slab_thickness: {DEFAULT_SLAB_THICKNESS} m is used"));
                DEFAULT_SLAB_THICKNESS
            });
            ContactSolid::compliant_half_space(modulus, thickness).map_err(|e| e.to_string())
        }
        _ => filled.once(described, Some(modulus), || {
            Solid::from_shape(&geom.shape, modulus, options)
                .map(|s| ContactSolid::Compliant(Arc::new(s)))
                .map_err(|e| e.to_string())
        }),
    }
}

/// Solids, built once for each modulus: meshes with their own tetrahedra, meshes filled by the mesher (by
/// resolution), and shapes. Equal geoms share a solid, so a pile of them stays in the processor's cache.
struct FilledMeshes<'a> {
    world: &'a World,
    built: Vec<(usize, f64, Arc<Solid>)>,
    meshed: Vec<(usize, f64, Option<f64>, Arc<Solid>)>,
    /// By shape, resolution and modulus. The modulus is `None` for a rigid solid.
    shapes: Vec<(ShapeKey, ContactSolid)>,
}

type ShapeKey = (Described, Option<f64>, Option<f64>);

impl<'a> FilledMeshes<'a> {
    fn new(world: &'a World) -> Self {
        Self { world, built: Vec::new(), meshed: Vec::new(), shapes: Vec::new() }
    }

    /// The result of `make` for a described shape, reused for equal shapes.
    fn once(
        &mut self,
        described: &stiction_model::Geom,
        modulus: Option<f64>,
        make: impl FnOnce() -> Result<ContactSolid, String>,
    ) -> Result<ContactSolid, String> {
        let key = (described.shape, described.contact.resolution_hint, modulus);
        if let Some((_, solid)) = self.shapes.iter().find(|(k, _)| *k == key) {
            return Ok(solid.clone());
        }
        let solid = make()?;
        self.shapes.push((key, solid.clone()));
        Ok(solid)
    }

    fn tetrahedra(&self, shape: &Described) -> Option<&'a Tetrahedra> {
        match *shape {
            Described::Mesh { mesh, .. } => self.world.meshes[mesh].tetrahedra.as_ref(),
            _ => None,
        }
    }

    /// A surface, filled by the mesher. Without a hint, the resolution is chosen automatically.
    fn meshed(
        &mut self,
        mesh: usize,
        modulus: f64,
        hint: Option<f64>,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arc<Solid>, String> {
        if let Some((.., solid)) = self.meshed.iter().find(|b| (b.0, b.1, b.2) == (mesh, modulus, hint)) {
            return Ok(solid.clone());
        }
        let first = self.meshed.iter().all(|b| b.0 != mesh);
        let data = &self.world.meshes[mesh];
        let options = FillOptions {
            mesher: MesherOptions { resolution: hint, ..MesherOptions::default() },
            ..FillOptions::default()
        };
        let (filled, notes) = fill_cached(&data.vertices, &data.triangles, &options)?;
        if first {
            let warning = |message| Warning { source: data.source.clone(), message };
            warnings.extend(notes.into_iter().map(warning));
        }
        let solid = Arc::new(filled.solid(modulus).map_err(|e| e.to_string())?);
        self.meshed.push((mesh, modulus, hint, solid.clone()));
        Ok(solid)
    }

    fn solid(
        &mut self,
        mesh: usize,
        modulus: f64,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arc<Solid>, String> {
        if let Some((.., solid)) = self.built.iter().find(|b| b.0 == mesh && b.1 == modulus) {
            return Ok(solid.clone());
        }
        let first = self.built.iter().all(|b| b.0 != mesh);
        let data = &self.world.meshes[mesh];
        let Some(tetrahedra) = &data.tetrahedra else { return Err("the mesh has no tetrahedra".into()) };
        let mut notes = Vec::new();
        let extents = match &tetrahedra.extents {
            Some(extents) => extents.clone(),
            None => {
                let (extents, note) = distance_extents(data, tetrahedra)?;
                notes.push(note);
                extents
            }
        };
        let built = Solid::from_tets(data.vertices.clone(), tetrahedra.cells.clone(), extents, modulus);
        let (solid, report) = built.map_err(|e| e.to_string())?;
        notes.extend(report.notes());
        let warning = |message| Warning { source: data.source.clone(), message };
        if first {
            warnings.extend(notes.into_iter().map(warning));
        }
        let solid = Arc::new(solid);
        self.built.push((mesh, modulus, solid.clone()));
        Ok(solid)
    }
}

/// Distance to the surface over the largest distance, at each vertex, with a warning.
fn distance_extents(mesh: &Mesh, tetrahedra: &Tetrahedra) -> Result<(Vec<f64>, String), String> {
    let remedy =
        "give the file POINT_DATA SCALARS \"extent\" (0 on the surface, 1 at the core) or \"pressure\" (Pa)";
    let mut inner = vec![false; mesh.vertices.len()];
    tetrahedra.cells.iter().flatten().for_each(|&i| inner[i as usize] = true);
    mesh.triangles.iter().flatten().for_each(|&i| inner[i as usize] = false);
    let count = inner.iter().filter(|i| **i).count();
    if count == 0 {
        return Err(format!(
            "the solid has no field, and none can be made because every vertex lies on its surface; {remedy}, or \
             mesh it finer"
        ));
    }
    if count.saturating_mul(mesh.triangles.len()) > MAX_PAIRS {
        return Err(format!("the solid has no field and is too large to make one; {remedy}"));
    }
    let corners = |t: &[u32; 3]| t.map(|i| mesh.vertices[i as usize]);
    let distance = |p: &Vector3<f64>| {
        mesh.triangles.iter().map(|t| distance_to_triangle(p, &corners(t))).fold(f64::INFINITY, f64::min)
    };
    let depth = |(v, &inside): (&Vector3<f64>, &bool)| if inside { distance(v) } else { 0.0 };
    let depths: Vec<f64> = mesh.vertices.iter().zip(&inner).map(depth).collect();
    let most = depths.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Err(format!("the solid has no field, and its inner vertices touch its surface; {remedy}"));
    }
    let flat = tetrahedra.cells.iter().filter(|c| c.iter().all(|&i| !inner[i as usize])).count();
    let soft = match flat {
        0 => String::new(),
        n => format!("; {n} tetrahedra have all corners on the surface and exert no pressure"),
    };
    let note = format!("it has no field: distance to the surface over {most:.4} m is used{soft}");
    Ok((depths.into_iter().map(|d| d / most).collect(), note))
}

/// Distance of a point from a triangle, by the region of the plane it projects to.
fn distance_to_triangle(p: &Vector3<f64>, [a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let inside = |u: &Vector3<f64>, v: &Vector3<f64>| (v - u).cross(&(p - u)).dot(&normal) >= 0.0;
    let size = normal.norm();
    if size > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return ((p - a).dot(&normal) / size).abs();
    }
    let to_edge = |u: &Vector3<f64>, v: &Vector3<f64>| {
        let along = v - u;
        let length = along.norm_squared();
        let t = if length > 0.0 { ((p - u).dot(&along) / length).clamp(0.0, 1.0) } else { 0.0 };
        (p - (u + t * along)).norm()
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_point_of_a_triangle_is_nearer_than_its_distance(
            p in prop::array::uniform3(-2.0f64..2.0), t in prop::array::uniform9(-1.0f64..1.0)
        ) {
            let p = Vector3::from(p);
            let t = [0, 3, 6].map(|k| Vector3::new(t[k], t[k + 1], t[k + 2]));
            let distance = distance_to_triangle(&p, &t);
            let (mut least, n) = (f64::INFINITY, 60);
            for i in 0..=n {
                for j in 0..=n - i {
                    let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                    least = least.min((p - (t[0] * (1.0 - u - v) + t[1] * u + t[2] * v)).norm());
                }
            }
            prop_assert!(distance <= least + 1e-12);
            // Maximum distance between grid points.
            prop_assert!(least - distance <= 6.0 / n as f64);
        }
    }
}
