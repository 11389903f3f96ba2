//! Meshes cut into convex parts on loading, for geoms that ask for it ([`stiction_model::Geom::convex_parts`]).
//!
//! The parts are geoms of their own that collide in the place of the mesh, which is still drawn and keeps its index. How far they
//! differ from the mesh is reported as a warning. Compliant geoms and those marked rigid keep their surface.

use crate::error::LoadError;
use std::sync::Arc;
use stiction_geometry::{
    ConvexHull, DecompositionOptions, TriangleMesh, convex_decomposition, decomposition_error,
};
use stiction_model::{
    Compliance, ContactsOf, ConvexParts, Geom, GeomRole, Mesh, ModelError, SensorKind, Shape, Warning, World,
};

/// Concavity down to which meshes are cut if the number of parts allows it, relative to the whole.
const CONCAVITY: f64 = 0.001;

/// Replaces the geoms that ask for it by their parts.
pub(crate) fn cut_meshes(world: &mut World) -> Result<(), LoadError> {
    // Mesh, how it is cut, and its parts; none if it is not cut.
    let mut done: Vec<(usize, ConvexParts, Vec<usize>)> = Vec::new();
    for index in 0..world.geoms.len() {
        let Some(wanted) = world.geoms[index].convex_parts.take() else { continue };
        let geom = &world.geoms[index];
        let Shape::Mesh { mesh, .. } = geom.shape else { continue };
        let collides = geom.role != GeomRole::Visual
            && (geom.filter.group != 0
                || geom.filter.mask != 0
                || world.pairs.iter().any(|p| p.geom_a == index || p.geom_b == index));
        if !collides || geom.contact.compliance != Compliance::Unspecified {
            continue;
        }
        let meshes = match done.iter().find(|d| (d.0, d.1) == (mesh, wanted)) {
            Some((.., meshes)) => meshes.clone(),
            None => {
                let meshes = parts_of(world, mesh, &wanted)?;
                done.push((mesh, wanted, meshes.clone()));
                meshes
            }
        };
        if !meshes.is_empty() {
            replace(world, index, &meshes)?;
        }
    }
    Ok(())
}

/// New meshes of the world that are the parts of one. None if it is convex or cannot be cut, which is reported.
fn parts_of(world: &mut World, mesh: usize, wanted: &ConvexParts) -> Result<Vec<usize>, LoadError> {
    let data = world.meshes[mesh].clone();
    if stiction_formats::mesh::is_convex(&data) {
        return Ok(Vec::new());
    }
    let failed = |reason: String| LoadError::Shape { place: data.source.to_string(), reason };
    let surface = TriangleMesh::new(data.vertices.clone(), data.triangles.clone())
        .map_err(|error| failed(error.to_string()))?;
    let options =
        DecompositionOptions { max_parts: wanted.most, resolution: wanted.resolution, concavity: CONCAVITY };
    let mut warn = |message: String| world.warnings.push(Warning { source: data.source.clone(), message });
    let parts = match convex_decomposition(&surface, &options) {
        Ok(parts) => parts,
        Err(error) => {
            warn(format!("\"{}\" is not cut into convex parts: {error}", data.name));
            return Ok(Vec::new());
        }
    };
    let error = decomposition_error(&surface, &parts);
    warn(format!(
        "\"{}\" collides as {} convex parts, which stick out of its surface by up to {:.2} mm and leave out up to {:.2} mm",
        data.name,
        parts.len(),
        1e3 * error.added,
        1e3 * error.missing
    ));
    let first = world.meshes.len();
    for (k, part) in parts.iter().enumerate() {
        world.meshes.push(Arc::new(as_mesh(part, &data, k)));
    }
    Ok((first..world.meshes.len()).collect())
}

fn as_mesh(part: &ConvexHull, whole: &Mesh, k: usize) -> Mesh {
    Mesh {
        name: format!("{} part {k}", whole.name),
        vertices: part.vertices().to_vec(),
        triangles: part.triangles().collect(),
        source: whole.source.clone(),
        ..Mesh::default()
    }
}

/// Lets the parts collide in the place of a geom.
fn replace(world: &mut World, index: usize, meshes: &[usize]) -> Result<(), LoadError> {
    for sensor in &world.sensors {
        let SensorKind::Contact { contact } = &sensor.kind else { continue };
        if [contact.first, contact.second].contains(&ContactsOf::Geom(index)) {
            let what = format!(
                "the sensor \"{}\" reads the contacts of the geom \"{}\", which is cut into convex parts; let it read those of \
                 its body",
                sensor.name, world.geoms[index].name
            );
            return Err(LoadError::Model(ModelError { place: sensor.source.clone(), what }));
        }
    }
    let whole = world.geoms[index].clone();
    let first = world.geoms.len();
    for (k, &mesh) in meshes.iter().enumerate() {
        let name = if whole.name.is_empty() { String::new() } else { format!("{} part {k}", whole.name) };
        let shape = Shape::Mesh { mesh, convex: true };
        world.geoms.push(Geom { name, shape, role: GeomRole::Collision, ..whole.clone() });
    }
    let geom = &mut world.geoms[index];
    if geom.role == GeomRole::Both {
        geom.role = GeomRole::Visual;
    }
    (geom.filter.group, geom.filter.mask) = (0, 0);
    let parts = first..world.geoms.len();
    for pair in std::mem::take(&mut world.pairs) {
        if pair.geom_a != index && pair.geom_b != index {
            world.pairs.push(pair);
            continue;
        }
        for part in parts.clone() {
            let of = |g: usize| if g == index { part } else { g };
            let (geom_a, geom_b) = (of(pair.geom_a), of(pair.geom_b));
            world.pairs.push(stiction_model::ContactPair { geom_a, geom_b, ..pair.clone() });
        }
    }
    Ok(())
}
