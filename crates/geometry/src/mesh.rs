//! Triangle surfaces: vertices, faces, who is next to whom, and a tree to find them.

use crate::point::on_triangle;
use crate::ray::surface;
use crate::{Aabb, Bvh, GeometryError, V3};

const NONE: u32 = u32::MAX;

/// How a surface goes on beyond an edge of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bend {
    /// It falls away, or ends.
    Down,
    Flat,
    /// It rises above the face's plane.
    Up,
}

/// A triangle surface, faces counter-clockwise seen from outside (from the free side).
///
/// Vertices at the same place are welded, since neighbourhood is what keeps contact normals from
/// pointing along inner edges. Faces without area are dropped (see [`TriangleMesh::dropped_faces`]).
#[derive(Debug, Clone)]
pub struct TriangleMesh {
    vertices: Vec<V3>,
    faces: Vec<[u32; 3]>,
    normals: Vec<V3>,
    /// Face across edge `k` (from corner k to k + 1), `NONE` on a border.
    neighbours: Vec<[u32; 3]>,
    /// `ring_start[v]..ring_start[v + 1]` into `ring`: vertices joined to v by an edge.
    ring_start: Vec<u32>,
    ring: Vec<u32>,
    /// The same for faces around a vertex.
    fan_start: Vec<u32>,
    fan: Vec<u32>,
    /// Whether a corner of the face touches a border or a convex edge.
    at_rim: Vec<bool>,
    /// Per edge of a face: how the surface goes on beyond it.
    bends: Vec<[Bend; 3]>,
    /// Per face of a closed surface: thickness of the solid behind it.
    thickness: Vec<f64>,
    bvh: Bvh,
    dropped: usize,
    border_edges: usize,
    bad_edges: usize,
    signed_volume: f64,
}

impl TriangleMesh {
    /// Builds the surface; fails on indices out of range, non-finite vertices or no area at all.
    pub fn new(vertices: Vec<V3>, faces: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        if let Some(index) = vertices.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(GeometryError::NotFinite { shape: "triangle mesh", index });
        }
        for (face, f) in faces.iter().enumerate() {
            if let Some(&v) = f.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(GeometryError::BadFace { face, vertex: v as usize, count: vertices.len() });
            }
        }
        let (vertices, remap) = weld(&vertices);
        let size = Aabb::of_points(&vertices).half().norm();
        let total = faces.len();
        let mut kept = Vec::with_capacity(total);
        let mut normals = Vec::with_capacity(total);
        for f in faces {
            let f = f.map(|v| remap[v as usize]);
            let [a, b, c] = f.map(|v| vertices[v as usize]);
            let (ab, bc, ca) = (b - a, c - b, a - c);
            let n = ab.cross(&-ca);
            let longest = ab.norm().max(bc.norm()).max(ca.norm());
            // A height below rounding leaves no meaningful normal.
            if n.norm() > 1e-12 * longest * longest.max(1e-9 * size) {
                kept.push(f);
                normals.push(n.normalize());
            }
        }
        if kept.is_empty() {
            return Err(GeometryError::EmptyMesh);
        }
        let boxes: Vec<Aabb> =
            kept.iter().map(|f| Aabb::of_points(&f.map(|v| vertices[v as usize]))).collect();
        let (neighbours, border_edges, bad_edges) = neighbours(&kept);
        let (ring_start, ring) = gather(vertices.len(), &kept, |_, f, k| [f[(k + 1) % 3], f[(k + 2) % 3]]);
        let (fan_start, fan) = gather(vertices.len(), &kept, |face, _, _| [face; 2]);
        let bends = bends(&vertices, &kept, &normals, &neighbours);
        let at_rim = faces_at_rim(vertices.len(), &kept, &bends);
        let signed_volume = kept
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|v| vertices[v as usize]);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        let mut mesh = Self {
            dropped: total - kept.len(),
            bvh: Bvh::new(&boxes),
            vertices,
            faces: kept,
            normals,
            neighbours,
            ring_start,
            ring,
            fan_start,
            fan,
            at_rim,
            bends,
            thickness: Vec::new(),
            border_edges,
            bad_edges,
            signed_volume,
        };
        if mesh.is_watertight() {
            mesh.thickness = (0..mesh.faces.len()).map(|f| mesh.measure_thickness(f, size)).collect();
        }
        Ok(mesh)
    }

    /// Vertices after welding, in the shape frame.
    pub fn vertices(&self) -> &[V3] {
        &self.vertices
    }

    /// Faces with positive area.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Unit normals of the faces.
    pub fn normals(&self) -> &[V3] {
        &self.normals
    }

    /// Corners of a face.
    #[inline]
    pub fn corners(&self, face: usize) -> [V3; 3] {
        self.faces[face].map(|v| self.vertices[v as usize])
    }

    /// Face across edge `k` of `face`, if the edge is shared by exactly two.
    pub fn neighbour(&self, face: usize, k: usize) -> Option<usize> {
        let n = self.neighbours[face][k];
        (n != NONE).then_some(n as usize)
    }

    /// Vertices joined to `vertex` by an edge.
    #[inline]
    pub fn ring(&self, vertex: usize) -> &[u32] {
        &self.ring[self.ring_start[vertex] as usize..self.ring_start[vertex + 1] as usize]
    }

    /// Faces around `vertex`.
    #[inline]
    pub fn fan(&self, vertex: usize) -> &[u32] {
        &self.fan[self.fan_start[vertex] as usize..self.fan_start[vertex + 1] as usize]
    }

    /// Whether a corner of the face touches a border or a convex edge, so that it may be touched from the side.
    #[inline]
    pub(crate) fn is_at_rim(&self, face: usize) -> bool {
        self.at_rim[face]
    }

    /// Whether the surface falls away beyond edge `k` of `face`, or ends there.
    #[inline]
    pub(crate) fn sticks_out(&self, face: usize, k: usize) -> bool {
        self.bends[face][k] == Bend::Down
    }

    /// Whether the surface rises above the plane of `face` beyond its edge `k`.
    #[inline]
    pub(crate) fn rises_beyond(&self, face: usize, k: usize) -> bool {
        self.bends[face][k] == Bend::Up
    }

    /// Thickness of the solid behind a face: the shortest way to the other side along rays from its middle and from near its
    /// corners. Infinite for open surfaces, which have no other side.
    #[inline]
    pub(crate) fn thickness(&self, face: usize) -> f64 {
        self.thickness.get(face).copied().unwrap_or(f64::INFINITY)
    }

    fn measure_thickness(&self, face: usize, size: f64) -> f64 {
        let (corners, inward) = (self.corners(face), -self.normals[face]);
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let starts = corners.iter().map(|c| c + 0.05 * (middle - c)).chain([middle]);
        // From a little below, so that the face itself is not met.
        let lift = 1e-9 * size;
        starts.fold(f64::INFINITY, |least, start| {
            surface(&(start + lift * inward), &inward, least, self)
                .map_or(least, |(t, _)| (t + lift).min(least))
        })
    }

    /// The tree over the faces.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Bounding box.
    pub fn aabb(&self) -> Aabb {
        self.bvh.root()
    }

    /// Faces that had no area and were left out.
    pub fn dropped_faces(&self) -> usize {
        self.dropped
    }

    /// Whether every edge joins exactly two consistently oriented faces and the normals point outward.
    pub fn is_watertight(&self) -> bool {
        self.border_edges == 0 && self.bad_edges == 0 && self.signed_volume > 0.0
    }

    /// Volume enclosed, positive when the faces point outward; meaningless for open surfaces.
    pub fn signed_volume(&self) -> f64 {
        self.signed_volume
    }

    /// In words: what keeps the surface from being closed.
    pub fn topology_note(&self) -> String {
        if self.border_edges + self.bad_edges > 0 {
            format!(
                "{} border edges, {} edges with more than two or inconsistently oriented faces",
                self.border_edges, self.bad_edges
            )
        } else if self.signed_volume <= 0.0 {
            "faces point inward".into()
        } else {
            "closed".into()
        }
    }

    /// The face nearest to a point, and the squared distance.
    pub(crate) fn nearest_face(&self, c: &V3) -> Option<(usize, f64)> {
        let to_box = |b: &Aabb| (c - c.sup(&b.min).inf(&b.max)).norm_squared();
        let to_face = |f: usize| {
            let [p, q, r] = self.corners(f);
            on_triangle(&(p - c), &(q - c), &(r - c)).0.norm_squared()
        };
        self.bvh.nearest(f64::INFINITY, to_box, to_face)
    }

    /// Whether a point is inside a closed surface, or behind an open one.
    pub(crate) fn contains(&self, c: &V3) -> bool {
        let Some((face, _)) = self.nearest_face(c) else { return false };
        // The nearest point may lie on an edge whose faces disagree; a ray to the middle of a face does not.
        let [p, q, r] = self.corners(face);
        let way = (p + q + r) / 3.0 - c;
        let length = way.norm();
        length > 0.0
            && surface(c, &(way / length), 1.001 * length, self)
                .is_some_and(|(_, normal)| normal.dot(&way) > 0.0)
    }

    /// Whether moving along `d` from `vertex` leads away from all its neighbours: `d` lies in the
    /// vertex's normal cone. `slack` is the sine of the angle that is forgiven.
    #[inline]
    pub(crate) fn is_local_extreme(&self, vertex: u32, d: &V3, slack: f64) -> bool {
        let v = &self.vertices[vertex as usize];
        self.ring(vertex as usize).iter().all(|&u| {
            let e = self.vertices[u as usize] - v;
            let s = e.dot(d);
            s <= 0.0 || s * s <= slack * slack * e.norm_squared()
        })
    }
}

/// Merges vertices with equal coordinates; returns the new list and old -> new.
fn weld(vertices: &[V3]) -> (Vec<V3>, Vec<u32>) {
    let key = |i: u32| {
        let v = vertices[i as usize];
        [v.x + 0.0, v.y + 0.0, v.z + 0.0] // -0.0 becomes 0.0
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    let cmp = |a: [f64; 3], b: [f64; 3]| {
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    };
    order.sort_by(|&i, &j| cmp(key(i), key(j)).then(i.cmp(&j)));
    let mut first = vec![0u32; vertices.len()];
    for (k, &i) in order.iter().enumerate() {
        let same = k > 0 && key(order[k - 1]) == key(i);
        first[i as usize] = if same { first[order[k - 1] as usize] } else { i };
    }
    let mut remap = vec![0u32; vertices.len()];
    let mut kept = Vec::new();
    for i in 0..vertices.len() {
        if first[i] as usize == i {
            remap[i] = kept.len() as u32;
            kept.push(vertices[i]);
        } else {
            remap[i] = remap[first[i] as usize];
        }
    }
    (kept, remap)
}

/// Faces across edges, the number of border edges and the number of edges that are not manifold.
fn neighbours(faces: &[[u32; 3]]) -> (Vec<[u32; 3]>, usize, usize) {
    // (low vertex, high vertex, runs high -> low, face, edge)
    let mut edges: Vec<(u32, u32, bool, u32, u32)> = Vec::with_capacity(3 * faces.len());
    for (f, v) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (v[k], v[(k + 1) % 3]);
            edges.push((a.min(b), a.max(b), a > b, f as u32, k as u32));
        }
    }
    edges.sort_unstable();
    let mut out = vec![[NONE; 3]; faces.len()];
    let (mut border, mut bad) = (0, 0);
    for group in edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        match group {
            [_] => border += 1,
            [e, o] if e.2 != o.2 => {
                out[e.3 as usize][e.4 as usize] = o.3;
                out[o.3 as usize][o.4 as usize] = e.3;
            }
            _ => bad += 1,
        }
    }
    (out, border, bad)
}

/// Per face and edge: whether the neighbour's third corner lies below the face's plane or above it, by more than 1e-6. Borders
/// and edges that are not manifold count as falling.
fn bends(vertices: &[V3], faces: &[[u32; 3]], normals: &[V3], neighbours: &[[u32; 3]]) -> Vec<[Bend; 3]> {
    let bend = |f: usize, k: usize| {
        if neighbours[f][k] == NONE {
            return Bend::Down;
        }
        let rises = |&u: &u32| {
            let e = vertices[u as usize] - vertices[faces[f][k] as usize];
            let length = e.norm();
            if length > 0.0 { e.dot(&normals[f]) / length } else { 0.0 }
        };
        let sines = faces[neighbours[f][k] as usize].iter().map(rises);
        let (low, high) = sines.fold((0.0f64, 0.0f64), |(l, h), s| (l.min(s), h.max(s)));
        if low < -1e-6 {
            Bend::Down
        } else if high > 1e-6 {
            Bend::Up
        } else {
            Bend::Flat
        }
    };
    (0..faces.len()).map(|f| [0, 1, 2].map(|k| bend(f, k))).collect()
}

/// Per face: whether a corner touches an edge beyond which the surface falls away or ends.
fn faces_at_rim(vertices: usize, faces: &[[u32; 3]], bends: &[[Bend; 3]]) -> Vec<bool> {
    let mut rim = vec![false; vertices];
    for (v, bends) in faces.iter().zip(bends) {
        for k in 0..3 {
            if bends[k] == Bend::Down {
                rim[v[k] as usize] = true;
                rim[v[(k + 1) % 3] as usize] = true;
            }
        }
    }
    faces.iter().map(|f| f.iter().any(|&v| rim[v as usize])).collect()
}

/// Compressed lists per vertex of what `items(face index, face, corner)` gives, each value once.
fn gather(
    count: usize,
    faces: &[[u32; 3]],
    items: impl Fn(u32, &[u32; 3], usize) -> [u32; 2],
) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(6 * faces.len());
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            pairs.extend(items(i as u32, f, k).map(|item| (f[k], item)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut start = vec![0u32; count + 1];
    for p in &pairs {
        start[p.0 as usize + 1] += 1;
    }
    for v in 0..count {
        start[v + 1] += start[v];
    }
    (start, pairs.iter().map(|p| p.1).collect())
}
