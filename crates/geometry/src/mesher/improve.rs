//! After stuffing: vertices move onto sharp edges and corners, then to where tetrahedra are better.
//!
//! A move is made only if the worst tetrahedron around the vertex does not fall below a floor (snapping)
//! or becomes better (smoothing), so nothing is ever turned inside out.

use super::TetMesh;
use super::features::{Features, Hold};
use super::quality::shape_of;
use super::stuff::{Incidence, incidence};
use crate::V3;
use crate::surface::ClosedSurface;

/// Snapping may make a tetrahedron this bad, smoothing then makes it better.
const SNAP_FLOOR: f64 = 0.05;
/// Tetrahedra better than this are left alone.
const GOOD: f64 = 0.42;

pub(super) struct Improver<'a> {
    surface: &'a ClosedSurface,
    features: Features,
    around: Incidence,
    hold: Vec<Hold>,
    /// Mean length of the edges at a vertex.
    size: Vec<f64>,
}

impl<'a> Improver<'a> {
    pub(super) fn new(surface: &'a ClosedSurface, mesh: &TetMesh, feature_angle: f64) -> Self {
        let around = incidence(mesh.vertices.len(), &mesh.tets);
        let hold: Vec<Hold> =
            mesh.on_surface.iter().map(|&s| if s { Hold::Surface } else { Hold::Free }).collect();
        let mut size = vec![0.0; mesh.vertices.len()];
        let mut this =
            Self { surface, features: Features::new(surface, feature_angle), around, hold, size: vec![] };
        for v in 0..mesh.vertices.len() as u32 {
            let (mut sum, mut count) = (0.0, 0);
            this.others(mesh, v, |p, _| {
                sum += (p - mesh.vertices[v as usize]).norm();
                count += 1;
            });
            size[v as usize] = sum / f64::from(count.max(1));
        }
        this.size = size;
        // A membrane over a closed gap has no surface to slide on.
        for v in 0..mesh.vertices.len() {
            if mesh.on_surface[v] && this.surface.distance(&mesh.vertices[v]) > 0.02 * this.size[v] {
                this.hold[v] = Hold::Fixed;
            }
        }
        this
    }

    /// Calls back with the other corners of the tetrahedra around a vertex; some come several times.
    fn others(&self, mesh: &TetMesh, v: u32, mut visit: impl FnMut(&V3, u32)) {
        for &t in self.around.of(v) {
            for i in mesh.tets[t as usize].into_iter().filter(|&i| i != v) {
                visit(&mesh.vertices[i as usize], i);
            }
        }
    }

    /// The worst tetrahedron around a vertex.
    fn worst(&self, mesh: &TetMesh, v: u32) -> f64 {
        let shape = |&t: &u32| shape_of(&mesh.tets[t as usize].map(|i| mesh.vertices[i as usize]));
        self.around.of(v).iter().map(shape).fold(f64::INFINITY, f64::min)
    }

    /// Moves a vertex if the worst tetrahedron around it is then at least `least`.
    fn try_move(&self, mesh: &mut TetMesh, v: u32, to: V3, least: f64) -> bool {
        let old = mesh.vertices[v as usize];
        mesh.vertices[v as usize] = to;
        if self.worst(mesh, v) >= least {
            return true;
        }
        mesh.vertices[v as usize] = old;
        false
    }

    /// Moves vertices near corners and sharp edges onto them, the nearest first.
    pub(super) fn snap(&mut self, mesh: &mut TetMesh) -> usize {
        let mut count = 0;
        let surface_vertices: Vec<u32> =
            (0..mesh.vertices.len() as u32).filter(|&v| self.hold[v as usize] == Hold::Surface).collect();
        // Corners take the nearest vertex that may go there.
        let boxes: Vec<crate::Aabb> = surface_vertices
            .iter()
            .map(|&v| crate::Aabb { min: mesh.vertices[v as usize], max: mesh.vertices[v as usize] })
            .collect();
        let tree = crate::Bvh::new(&boxes);
        for corner in self.features.corners.clone() {
            let mut near: Vec<(f64, u32)> = Vec::new();
            let reach = |b: &crate::Aabb| (b.min - corner).sup(&(corner - b.max)).sup(&V3::zeros()).norm();
            let most = self.size.iter().copied().fold(0.0, f64::max);
            tree.walk(
                |b| reach(b) < most,
                |k| {
                    let v = surface_vertices[k];
                    let d = (mesh.vertices[v as usize] - corner).norm();
                    if d < 0.9 * self.size[v as usize] && self.hold[v as usize] == Hold::Surface {
                        near.push((d, v));
                    }
                },
            );
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, v) in near.iter().take(4) {
                let least = SNAP_FLOOR.min(self.worst(mesh, v));
                if self.try_move(mesh, v, corner, least) {
                    self.hold[v as usize] = Hold::Fixed;
                    count += 1;
                    break;
                }
            }
        }
        let mut near: Vec<(f64, u32, V3)> = Vec::new();
        for &v in &surface_vertices {
            let p = mesh.vertices[v as usize];
            let size = self.size[v as usize];
            if let Some(q) = self.features.nearest(&p, 0.55 * size) {
                near.push(((q - p).norm() / size, v, q));
            }
        }
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, v, q) in near {
            if self.hold[v as usize] == Hold::Surface {
                let least = SNAP_FLOOR.min(self.worst(mesh, v));
                if self.try_move(mesh, v, q, least) {
                    self.hold[v as usize] = Hold::Crease;
                    count += 1;
                }
            }
        }
        count
    }

    /// Passes over the vertices of bad tetrahedra. Gives the number of moves.
    pub(super) fn smooth(&self, mesh: &mut TetMesh, passes: usize) -> usize {
        let mut moves = 0;
        for _ in 0..passes {
            let mut any = 0;
            for v in 0..mesh.vertices.len() as u32 {
                any += usize::from(self.improve(mesh, v));
            }
            moves += any;
            if any == 0 {
                break;
            }
        }
        moves
    }

    fn improve(&self, mesh: &mut TetMesh, v: u32) -> bool {
        let hold = self.hold[v as usize];
        let now = self.worst(mesh, v);
        if hold == Hold::Fixed || now > GOOD {
            return false;
        }
        let old = mesh.vertices[v as usize];
        let (mut sum, mut weight) = (V3::zeros(), 0.0);
        self.others(mesh, v, |p, i| {
            let counts = match hold {
                Hold::Free => true,
                Hold::Surface => mesh.on_surface[i as usize],
                _ => matches!(self.hold[i as usize], Hold::Crease | Hold::Fixed),
            };
            if counts {
                sum += p;
                weight += 1.0;
            }
        });
        let mean = if weight > 0.0 { sum / weight } else { old };
        // Away from the face opposite in the worst tetrahedron, or towards it if that is wide.
        let shape = |t: u32| shape_of(&mesh.tets[t as usize].map(|i| mesh.vertices[i as usize]));
        let bad = self.around.of(v).iter().copied().min_by(|&a, &b| shape(a).total_cmp(&shape(b)));
        let lift = bad.map_or(V3::zeros(), |t| {
            let o: Vec<V3> = mesh.tets[t as usize]
                .iter()
                .filter(|&&i| i != v)
                .map(|&i| mesh.vertices[i as usize])
                .collect();
            let n = (o[1] - o[0]).cross(&(o[2] - o[0])).try_normalize(1e-300).unwrap_or_default();
            n * n.dot(&(old - o[0])).signum()
        });
        let size = self.size[v as usize];
        let steps =
            [mean - old, (mean - old) * 0.5, lift * (0.25 * size), lift * (0.08 * size), (mean - old) * 0.2];
        for step in steps {
            let Some(to) = self.held(hold, old + step, size) else { continue };
            if self.try_move(mesh, v, to, now * 1.02 + 1e-3) {
                return true;
            }
        }
        false
    }

    /// The nearest allowed place to a point.
    fn held(&self, hold: Hold, p: V3, size: f64) -> Option<V3> {
        match hold {
            Hold::Free => Some(p),
            Hold::Fixed => None,
            Hold::Crease => self.features.nearest(&p, size),
            Hold::Surface => {
                let nearest = self.surface.nearest(&p);
                let n = self.surface.normals()[nearest.face as usize];
                let inner = self.surface.volume().is_none()
                    && self.surface.contains(&(nearest.point + n * (1e-3 * size)));
                (nearest.distance < size && !inner).then_some(nearest.point)
            }
        }
    }
}
