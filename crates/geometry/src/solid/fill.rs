//! From a surface to a solid in one go: repair, mesh, field.

use super::{Solid, SolidError};
use crate::V3;
use crate::field::{Core, FieldMesh, FieldOptions, FieldReport, make_field};
use crate::mesher::{MesherOptions, MeshingError, MeshingReport, Stage, tetrahedralize};
use crate::surface::ClosedSurface;

/// How a surface becomes a solid.
#[derive(Debug, Clone, Default)]
pub struct FillOptions {
    /// The mesh.
    pub mesher: MesherOptions,
    /// The field.
    pub field: FieldOptions,
}

/// Reports of all stages: repairs, mesh and field.
#[derive(Debug, Clone, PartialEq)]
pub struct FillReport {
    /// Surface and mesh.
    pub mesh: MeshingReport,
    /// Field.
    pub field: FieldReport,
}

impl FillReport {
    /// Sentences a user should read.
    pub fn notes(&self) -> Vec<String> {
        let mut out = self.mesh.notes();
        out.extend(self.field.notes());
        out
    }
}

/// Tetrahedra and extents, ready to be written or to become a [`Solid`].
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// Vertices, m.
    pub vertices: Vec<V3>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Pressure over the largest pressure, at the vertices.
    pub extents: Vec<f64>,
    /// The largest pressure over the modulus: 1 unless the field stiffens.
    pub scale: f64,
}

impl Filled {
    /// The solid, with modulus `modulus` (Pa) at the surface.
    pub fn solid(self, modulus: f64) -> Result<Solid, SolidError> {
        Solid::from_tets(self.vertices, self.tets, self.extents, modulus * self.scale).map(|(solid, _)| solid)
    }
}

/// Fills a surface with tetrahedra and a field. `progress` is told of each stage as it begins.
pub fn fill(
    vertices: &[V3],
    faces: &[[u32; 3]],
    options: &FillOptions,
    progress: &mut dyn FnMut(Stage),
) -> Result<(Filled, FillReport), MeshingError> {
    progress(Stage::Repair);
    let (surface, repairs) = ClosedSurface::new(vertices, faces)?;
    let mut mesher = options.mesher.clone();
    let core = match &options.field.core {
        Core::None => None,
        Core::Depth(depth) => {
            if !(*depth > 0.0 && depth.is_finite()) {
                return Err(MeshingError::NotPositive { what: "depth of the core", value: *depth });
            }
            // The soft layer is to be two cells thick.
            let automatic = 2.0 * surface.bounds().half().norm() / 30.0;
            mesher.resolution = Some(mesher.resolution.unwrap_or(automatic).min(depth / 1.5));
            None
        }
        Core::Surface(core) => Some(core.as_ref()),
    };
    let (mesh, report) = tetrahedralize(&surface, core, repairs, &mesher, progress)?;
    progress(Stage::Field);
    let (FieldMesh { mesh, extents, scale }, field) = make_field(mesh, &options.field)?;
    let filled = Filled { vertices: mesh.vertices, tets: mesh.tets, extents, scale };
    Ok((filled, FillReport { mesh: report, field }))
}
