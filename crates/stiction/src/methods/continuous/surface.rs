//! The contact surface of a pair of geoms, as quadrature points (PFC 5.0.3, Algorithm 1).
//!
//! Each polygon is a fan of triangles about its centroid with the three-point rule ([`FacePolygon::fan_points`]):
//! exact for the frictionless wrench, and continuous when edges appear or vanish.

use super::damping::PairLaw;
use crate::contact::quadrature::FacePolygon;
use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use nalgebra::Vector3;
use std::convert::Infallible;
use stiction_geometry::patch::{FaceFilter, Patch, PatchFaces, PatchOptions, PatchScratch, contact_patch};
use stiction_model::Pose;

/// A quadrature point, world frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfacePoint {
    pub position: Vector3<f64>,
    /// Out of A into B.
    pub normal: Vector3<f64>,
    /// Pressure of the fields, Pa.
    pub pressure: f64,
    /// Part of the area, m².
    pub area: f64,
    /// The face it belongs to.
    pub face: u32,
}

/// The surface at one pair of poses.
#[derive(Default)]
pub(crate) struct Surface {
    poses: Option<(Pose, Pose)>,
    pub patch: Option<Patch>,
    pub faces: PatchFaces,
    pub points: Vec<SurfacePoint>,
}

/// All faces, for any pressure gradients. The wrench is then the gradient of the stored energy.
const SETTINGS: PatchOptions = PatchOptions {
    tessellation: stiction_geometry::patch::Tessellation::Polygons,
    filter: FaceFilter::All,
    margin: 0.0,
    max_face_edge: f64::INFINITY,
    vertices: true,
};

impl Surface {
    fn find(
        &mut self,
        compiled: &Compiled,
        (a, b): GeomPair,
        (x_wa, x_wb): (Pose, Pose),
        scratch: &mut PatchScratch,
    ) {
        self.faces.clear();
        self.points.clear();
        self.poses = Some((x_wa, x_wb));
        let (solid_a, solid_b) = (compiled.solid(a), compiled.solid(b));
        // Fails only for two rigid bodies, which are not candidates.
        self.patch = contact_patch(solid_a, &x_wa, solid_b, &x_wb, &SETTINGS, scratch, &mut self.faces).ok();
        for (index, face) in self.faces.faces.iter().enumerate() {
            let corners = self.faces.vertex_range(index);
            let vertices = &self.faces.vertices[corners.clone()];
            let pressures = &self.faces.vertex_pressure[corners];
            let (centroid, normal, pressure) = (face.centroid, face.normal, face.pressure);
            let polygon = FacePolygon { centroid, normal, pressure, vertices, pressures };
            let points = &mut self.points;
            let _: Result<(), Infallible> = polygon.fan_points(|position, area, pressure| {
                points.push(SurfacePoint {
                    position,
                    normal,
                    pressure: pressure.max(0.0), // rounding at the boundary
                    area,
                    face: index as u32,
                });
                Ok(())
            });
        }
    }
}

/// A pair of geoms that may touch, with the surfaces at the last two poses. A surface is a function of the poses, so
/// caching does not change results.
pub(crate) struct ContactPair {
    pub geoms: GeomPair,
    /// The bodies that carry A and B.
    pub bodies: (usize, usize),
    pub law: PairLaw,
    surfaces: [Surface; 2],
    recent: usize,
}

impl ContactPair {
    pub fn new(compiled: &Compiled, geoms: GeomPair) -> Self {
        let bodies = (compiled.geom(geoms.0).body, compiled.geom(geoms.1).body);
        let surfaces = [Surface::default(), Surface::default()];
        Self { geoms, bodies, law: PairLaw::new(compiled, geoms), surfaces, recent: 0 }
    }

    /// Computes the surface at body poses `x_wb`, unless it is cached.
    pub fn update(&mut self, compiled: &Compiled, x_wb: &[Pose], scratch: &mut PatchScratch) {
        let (a, b) = (compiled.geom(self.geoms.0), compiled.geom(self.geoms.1));
        let poses = (x_wb[a.body] * a.x_bg, x_wb[b.body] * b.x_bg);
        if let Some(known) = self.surfaces.iter().position(|s| s.poses == Some(poses)) {
            self.recent = known;
            return;
        }
        self.recent = 1 - self.recent;
        self.surfaces[self.recent].find(compiled, self.geoms, poses, scratch);
    }

    /// The surface of the last call.
    pub fn surface(&self) -> &Surface {
        &self.surfaces[self.recent]
    }
}
