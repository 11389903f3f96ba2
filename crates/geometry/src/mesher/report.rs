//! Measurements of the mesher's result, and the limits beyond which it is refused.

use super::{MeshingError, Quality, TetMesh, quality};
use crate::V3;
use crate::surface::tree::SurfaceTree;
use crate::surface::{ClosedSurface, SurfaceReport};

/// Below this, a mesh is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Smallest dihedral angle, degrees.
    pub dihedral: f64,
    /// Largest error of the volume, as a part of it.
    pub volume_error: f64,
    /// Largest part of the surface's area that may be lost (thin walls, tips).
    pub lost_area: f64,
}

impl Default for Floor {
    fn default() -> Self {
        Self { dihedral: 1.0, volume_error: 0.15, lost_area: 0.01 }
    }
}

/// Numbers about a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshingReport {
    /// Faults found in the surface and repaired.
    pub repairs: SurfaceReport,
    /// Edge length asked for at the surface, m.
    pub resolution: f64,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Number of outer triangles.
    pub triangles: usize,
    /// Pieces that share no face.
    pub components: usize,
    /// Angles and shapes.
    pub quality: Quality,
    /// Volume of the mesh, m^3.
    pub volume: f64,
    /// Relative error of the volume; `None` where the surface's own shells overlap.
    pub volume_error: Option<f64>,
    /// Largest distance of a sample of the surface from the mesh, m, and where.
    pub deviation: f64,
    /// Where the deviation is largest.
    pub deviation_at: [f64; 3],
    /// Part of the surface's area farther than a cell from the mesh.
    pub lost_area: f64,
    /// Thinnest wall found, m (infinite if none is thinner than three cells), and where.
    pub thinnest_wall: f64,
    /// A point above that wall.
    pub thinnest_at: [f64; 3],
    /// Vertices put on sharp edges and corners.
    pub snapped: usize,
}

impl MeshingReport {
    /// Sentences a user should read: repairs and oddities.
    pub fn notes(&self) -> Vec<String> {
        let mut out = self.repairs.notes();
        if self.components > 1 {
            out.push(format!("the solid has {} separate pieces", self.components));
        }
        if self.lost_area > 0.0 {
            out.push(format!(
                "{:.2} % of the surface (thin tips or walls) is farther than a cell from the mesh, up to {:.2e} m near \
                 ({:.4}, {:.4}, {:.4}) m",
                100.0 * self.lost_area,
                self.deviation,
                self.deviation_at[0],
                self.deviation_at[1],
                self.deviation_at[2]
            ));
        }
        out
    }
}

/// Points on the faces, about one for each square of the resolution, with the area each stands for.
pub(super) fn samples(surface: &ClosedSurface, resolution: f64, mut visit: impl FnMut(usize, V3, f64)) {
    for face in 0..surface.faces().len() {
        let [a, b, c] = surface.corners(face);
        let area = (b - a).cross(&(c - a)).norm() / 2.0;
        let count = ((area / (resolution * resolution)).ceil() as usize).clamp(1, 256);
        for k in 0..count {
            // A Kronecker sequence, folded into the triangle; the first is the middle.
            let (mut u, mut v) = (1.0 / 3.0 + 0.754_877_666 * k as f64, 1.0 / 3.0 + 0.569_840_291 * k as f64);
            (u, v) = (u.fract(), v.fract());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            visit(face, a + (b - a) * u + (c - a) * v, area / count as f64);
        }
    }
}

pub(super) fn measure(
    surface: &ClosedSurface,
    mesh: &TetMesh,
    repairs: SurfaceReport,
    resolution: f64,
    snapped: usize,
) -> MeshingReport {
    let outer = mesh.surface();
    let tree = SurfaceTree::new(&mesh.vertices, &outer);
    let (mut deviation, mut deviation_at, mut lost) = (0.0, [0.0; 3], 0.0);
    let (mut thinnest, mut thinnest_at) = (f64::INFINITY, [0.0; 3]);
    let mut hits = Vec::new();
    let overlapping = surface.volume().is_none();
    samples(surface, resolution, |face, p, area| {
        let n = surface.normals()[face];
        if overlapping && surface.contains(&(p + n * (1e-3 * resolution))) {
            return; // a face inside the union
        }
        let d = tree.nearest(&p, f64::INFINITY).map_or(f64::INFINITY, |n| n.distance);
        if d > 0.5 * resolution {
            lost += area;
        }
        if d > deviation {
            (deviation, deviation_at) = (d, p.into());
        }
        let wall = surface.thickness(face, &p, 3.0 * resolution, &mut hits);
        if wall < thinnest {
            (thinnest, thinnest_at) = (wall, p.into());
        }
    });
    let volume = mesh.volume();
    MeshingReport {
        resolution,
        vertices: mesh.vertices.len(),
        tets: mesh.tets.len(),
        triangles: outer.len(),
        components: components(mesh),
        quality: quality(mesh),
        volume,
        volume_error: surface.volume().map(|v| (volume - v) / v),
        deviation,
        deviation_at,
        lost_area: lost / surface.area(),
        thinnest_wall: thinnest,
        thinnest_at,
        snapped,
        repairs,
    }
}

fn components(mesh: &TetMesh) -> usize {
    let mut groups = crate::surface::Groups::new(mesh.vertices.len());
    for t in &mesh.tets {
        (1..4).for_each(|k| groups.join(t[0], t[k]));
    }
    (0..mesh.vertices.len() as u32).filter(|&v| groups.find(v) == v).count()
}

impl Floor {
    /// Refuses a mesh that is worse.
    pub(super) fn check(&self, surface: &ClosedSurface, report: &MeshingReport) -> Result<(), MeshingError> {
        if report.lost_area > self.lost_area {
            let at = V3::from(report.deviation_at);
            let nearest = surface.nearest(&at);
            let limit = 4.0 * report.resolution;
            let mut hits = Vec::new();
            let wall = surface.thickness(nearest.face as usize, &nearest.point, limit, &mut hits);
            let thickness = if wall.is_finite() { wall } else { report.thinnest_wall };
            return Err(MeshingError::LostWalls {
                part: 100.0 * report.lost_area,
                at: report.deviation_at,
                thickness,
                resolution: report.resolution,
                // The resolution may still be halved three times below this.
                remedy: if thickness.is_finite() { 2.0 * thickness } else { 0.5 * report.resolution },
            });
        }
        let below =
            |what, value, floor| Err(MeshingError::BelowFloor { what, value, floor, place: String::new() });
        let angle = report.quality.dihedral_min;
        if angle.is_nan() || angle < self.dihedral {
            return below("the smallest dihedral angle (degrees)", angle, self.dihedral);
        }
        if let Some(error) = report.volume_error.map(f64::abs).filter(|e| *e > self.volume_error) {
            return below("the relative error of the volume", error, self.volume_error);
        }
        Ok(())
    }
}
