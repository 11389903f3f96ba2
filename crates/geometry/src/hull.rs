//! Convex polytopes with polygonal faces.

use crate::support_table::SupportTable;
use crate::{Aabb, Bvh, GeometryError, V3, parry, quickhull};

/// A convex polytope: vertices, and faces as counter-clockwise polygons seen from outside.
/// Triangles that lie in one plane are merged, so that a cube has six faces and its manifolds four corners.
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexHull {
    vertices: Vec<V3>,
    /// Outward unit normals, one a face.
    normals: Vec<V3>,
    /// `face_start[f]..face_start[f + 1]` into `face_vertices`.
    face_start: Vec<u32>,
    face_vertices: Vec<u32>,
    /// `fan_start[v]..fan_start[v + 1]` into `fan`: faces around vertex v.
    fan_start: Vec<u32>,
    fan: Vec<u32>,
    /// `edge_start[v]..edge_start[v + 1]` into `edges`: vertices joined to vertex v.
    edge_start: Vec<u32>,
    edges: Vec<u32>,
    furthest: SupportTable,
    aabb: Aabb,
    interior: V3,
}

/// Relative distance from a plane below which a vertex counts as lying in it.
const COPLANAR: f64 = 1e-9;
/// Distance by which rounding may leave a point outside, for a hull of size 1.
const OUTSIDE: f64 = 1e-7;
/// Most corners of a face, and faces around a vertex, of a hull that parry makes: it makes n²/2 triangles of 80 bytes for n of
/// them.
const MANY: usize = 1024;

/// Hulls with fewer vertices are searched as a whole for those below a plane.
const WALKED: usize = 24;

/// Working memory of [`ConvexHull::vertices_below`].
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub found: Vec<u32>,
    /// The number of the walk that saw each vertex last.
    seen: Vec<u64>,
    number: u64,
}

impl Walk {
    fn begin(&mut self, vertices: usize) {
        self.found.clear();
        self.number += 1;
        if self.seen.len() < vertices {
            self.seen.resize(vertices, 0);
        }
    }

    /// Whether a vertex was not seen yet.
    fn sees(&mut self, v: u32) -> bool {
        std::mem::replace(&mut self.seen[v as usize], self.number) != self.number
    }
}

impl ConvexHull {
    /// Hull of a point cloud. Fails when a point is not finite or the points span no volume.
    pub fn from_points(points: &[V3]) -> Result<Self, GeometryError> {
        if let Some(index) = points.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(GeometryError::NotFinite { shape: "convex hull", index });
        }
        let flat = |reason: &str| GeometryError::FlatHull { count: points.len(), reason: reason.into() };
        if points.len() < 4 {
            return Err(flat("a solid needs at least four points"));
        }
        let bounds = Aabb::of_points(points);
        let size = bounds.half().norm();
        // Work in unit size about the centre: the tolerances inside are absolute.
        let (c, s) = (bounds.center(), if size > 0.0 { 1.0 / size } else { 1.0 });
        let scaled: Vec<V3> = points.iter().map(|p| (p - c) * s).collect();
        if is_flat(&scaled) {
            return Err(flat("all lie in one plane to within rounding"));
        }
        if let Some(hull) = Self::with_wide_face(&scaled) {
            return Ok(hull.mapped(|v| v / s + c));
        }
        let (verts, tris) = parry::convex_hull(&scaled).map_err(|e| flat(&e))?;
        let hull = Self::from_triangles(&verts, &tris).ok_or_else(|| flat("the surface does not close"))?;
        if hull.leaves_out(&scaled, OUTSIDE) {
            return Err(flat("rounding left points outside; remove near-duplicate points"));
        }
        Ok(hull.mapped(|v| v / s + c))
    }

    /// The hull of points of which many lie on one face or around one vertex; none for others.
    fn with_wide_face(points: &[V3]) -> Option<Self> {
        if points.len() <= MANY {
            return None;
        }
        let hull = Self::from_triangles(points, &quickhull::convex_hull(points)?)?;
        let widest = |start: &[u32]| start.windows(2).map(|w| (w[1] - w[0]) as usize).max().unwrap_or(0);
        let wide = widest(&hull.face_start).max(widest(&hull.fan_start)) > MANY;
        (wide && !hull.leaves_out(points, OUTSIDE)).then_some(hull)
    }

    /// Whether a point lies outside by more than `most`.
    fn leaves_out(&self, points: &[V3], most: f64) -> bool {
        let boxes: Vec<Aabb> = points.iter().map(|&p| Aabb { min: p, max: p }).collect();
        let (tree, mut outside) = (Bvh::new(&boxes), false);
        for (f, n) in self.normals.iter().enumerate() {
            let limit = n.dot(&self.vertices[self.face(f)[0] as usize]) + most;
            let above = |b: &Aabb| {
                let corner = V3::from_fn(|i, _| if n[i] > 0.0 { b.max[i] } else { b.min[i] });
                n.dot(&corner) > limit
            };
            tree.walk(above, |_| outside = true);
        }
        outside
    }

    fn mapped(mut self, f: impl Fn(&V3) -> V3) -> Self {
        for v in &mut self.vertices {
            *v = f(v);
        }
        self.aabb = Aabb::of_points(&self.vertices);
        self.interior = f(&self.interior);
        self.find_edges();
        let Self { edge_start, edges, .. } = &self;
        let around = |v: usize| &edges[edge_start[v] as usize..edge_start[v + 1] as usize];
        self.furthest = SupportTable::new(&self.vertices, around);
        self
    }

    /// Merges coplanar neighbours of a closed triangle surface into polygons.
    fn from_triangles(verts: &[V3], tris: &[[u32; 3]]) -> Option<Self> {
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| verts[i as usize]);
            (b - a).cross(&(c - a))
        };
        // Directed edge -> triangle; sorted for a deterministic walk.
        let mut edges: Vec<([u32; 2], usize)> = Vec::with_capacity(3 * tris.len());
        for (t, v) in tris.iter().enumerate() {
            for k in 0..3 {
                edges.push(([v[k], v[(k + 1) % 3]], t));
            }
        }
        edges.sort_unstable();
        let across = |a: u32, b: u32| edges.binary_search_by_key(&[b, a], |e| e.0).ok().map(|i| edges[i].1);
        let mut group = vec![usize::MAX; tris.len()];
        let mut by_area: Vec<usize> = (0..tris.len()).collect();
        by_area.sort_by(|&i, &j| normal(&tris[j]).norm().total_cmp(&normal(&tris[i]).norm()).then(i.cmp(&j)));
        let mut faces: Vec<(V3, Vec<u32>)> = Vec::new();
        for &seed in &by_area {
            if group[seed] != usize::MAX {
                continue;
            }
            let id = faces.len();
            let n = normal(&tris[seed]).try_normalize(1e-300)?;
            let d = n.dot(&verts[tris[seed][0] as usize]);
            let mut stack = vec![seed];
            let mut members = Vec::new();
            group[seed] = id;
            while let Some(t) = stack.pop() {
                members.push(t);
                for k in 0..3 {
                    let o = across(tris[t][k], tris[t][(k + 1) % 3])?;
                    let flat = tris[o].iter().all(|&v| (n.dot(&verts[v as usize]) - d).abs() < COPLANAR);
                    // Slivers have noise for a normal; flatness alone decides about them.
                    if group[o] == usize::MAX && flat && normal(&tris[o]).dot(&n) > -COPLANAR {
                        group[o] = id;
                        stack.push(o);
                    }
                }
            }
            faces.push((n, boundary_loop(tris, &members, &group, id, &across)?));
        }
        let mut used: Vec<u32> = faces.iter().flat_map(|f| f.1.iter().copied()).collect();
        used.sort_unstable();
        used.dedup();
        let mut face_start = vec![0u32];
        let mut face_vertices = Vec::new();
        let mut normals = Vec::new();
        for (n, polygon) in &faces {
            if polygon.len() < 3 {
                continue;
            }
            face_vertices.extend(polygon.iter().map(|v| used.binary_search(v).unwrap_or(0) as u32));
            face_start.push(face_vertices.len() as u32);
            normals.push(*n);
        }
        if normals.len() < 4 {
            return None;
        }
        let vertices: Vec<V3> = used.iter().map(|&v| verts[v as usize]).collect();
        let interior = vertices.iter().sum::<V3>() / vertices.len() as f64;
        let aabb = Aabb::of_points(&vertices);
        let mut fan_pairs: Vec<(u32, u32)> = Vec::with_capacity(face_vertices.len());
        for f in 0..normals.len() {
            let corners = &face_vertices[face_start[f] as usize..face_start[f + 1] as usize];
            fan_pairs.extend(corners.iter().map(|&v| (v, f as u32)));
        }
        fan_pairs.sort_unstable();
        let fan_start =
            (0..=vertices.len() as u32).map(|v| fan_pairs.partition_point(|p| p.0 < v) as u32).collect();
        let fan = fan_pairs.iter().map(|p| p.1).collect();
        Some(Self {
            vertices,
            normals,
            face_start,
            face_vertices,
            fan_start,
            fan,
            edge_start: Vec::new(),
            edges: Vec::new(),
            furthest: SupportTable::default(),
            aabb,
            interior,
        })
    }

    /// Vertices in the shape frame.
    pub fn vertices(&self) -> &[V3] {
        &self.vertices
    }

    /// Number of faces.
    pub fn face_count(&self) -> usize {
        self.normals.len()
    }

    /// Vertex indices of a face, counter-clockwise from outside.
    pub fn face(&self, f: usize) -> &[u32] {
        &self.face_vertices[self.face_start[f] as usize..self.face_start[f + 1] as usize]
    }

    /// Outward unit normals of the faces.
    pub fn normals(&self) -> &[V3] {
        &self.normals
    }

    /// A point inside: the mean of the vertices.
    pub fn interior(&self) -> V3 {
        self.interior
    }

    /// Bounding box in the shape frame.
    pub fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// A vertex furthest along `d` (the first of several).
    #[inline]
    pub fn support(&self, d: &V3) -> V3 {
        self.vertices[self.furthest.furthest(&self.vertices, d)]
    }

    fn find_edges(&mut self) {
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(2 * self.face_vertices.len());
        for f in 0..self.face_count() {
            let p = self.face(f);
            for k in 0..p.len() {
                let (i, j) = (p[k], p[(k + 1) % p.len()]);
                edges.extend([(i, j), (j, i)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let vertices = 0..=self.vertices.len() as u32;
        self.edge_start = vertices.map(|v| edges.partition_point(|e| e.0 < v) as u32).collect();
        self.edges = edges.iter().map(|e| e.1).collect();
    }

    /// The vertices v with d · v of at most `limit`, ascending, for a unit vector `d`.
    ///
    /// From every vertex but the lowest an edge leads further down, so these vertices hang together: a walk from the lowest
    /// finds them without looking at the others. It passes vertices that are higher by rounding.
    pub(crate) fn vertices_below(&self, d: &V3, limit: f64, walk: &mut Walk) {
        walk.begin(self.vertices.len());
        let height = |v: u32| d.dot(&self.vertices[v as usize]);
        if self.vertices.len() < WALKED {
            let all = 0..self.vertices.len() as u32;
            walk.found.extend(all.filter(|&v| height(v) <= limit));
            return;
        }
        let passed = limit + COPLANAR * self.aabb.half().norm();
        let lowest = self.furthest.furthest(&self.vertices, &-d) as u32;
        if height(lowest) > limit {
            return;
        }
        walk.sees(lowest);
        walk.found.push(lowest);
        let mut next = 0;
        while next < walk.found.len() {
            let v = walk.found[next] as usize;
            next += 1;
            for &u in &self.edges[self.edge_start[v] as usize..self.edge_start[v + 1] as usize] {
                if walk.sees(u) && height(u) <= passed {
                    walk.found.push(u);
                }
            }
        }
        walk.found.retain(|&v| height(v) <= limit);
        walk.found.sort_unstable();
    }

    /// Whether the hull comes no nearer to a point than `distance`, by its face planes: the point may be further away than it seems
    /// at a corner, where the answer is unknown.
    pub(crate) fn is_beyond(&self, p: &V3, distance: f64) -> Option<bool> {
        let plane = |f: usize| self.normals[f].dot(&(p - self.vertices[self.face(f)[0] as usize]));
        // The face on the side of the point tells most points from outside.
        if plane(self.face_towards(&(p - self.interior))) > distance {
            return Some(true);
        }
        let mut inside = true;
        for f in 0..self.face_count() {
            let s = plane(f);
            if s > distance {
                return Some(true);
            }
            inside &= s <= 0.0;
        }
        inside.then_some(false)
    }

    /// The face plane furthest below `p`: its index and the signed distance of `p` from it.
    /// Inside the hull the distance is that to the surface, negated.
    pub fn plane_distance(&self, p: &V3) -> (usize, f64) {
        let mut best = (0, f64::NEG_INFINITY);
        for (f, n) in self.normals.iter().enumerate() {
            let d = n.dot(&(p - self.vertices[self.face(f)[0] as usize]));
            if d > best.1 {
                best = (f, d);
            }
        }
        best
    }

    /// The face that supports direction `d`: of the faces around the furthest vertex the most aligned one.
    pub fn face_towards(&self, d: &V3) -> usize {
        let far = self.furthest.furthest(&self.vertices, d);
        let around = &self.fan[self.fan_start[far] as usize..self.fan_start[far + 1] as usize];
        let mut best = (0, f64::NEG_INFINITY);
        for &f in around {
            let s = self.normals[f as usize].dot(d);
            if s > best.1 {
                best = (f as usize, s);
            }
        }
        best.0
    }

    /// Triangles of the surface, counter-clockwise from outside (a fan of each face).
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        (0..self.face_count()).flat_map(|f| {
            let p = self.face(f);
            (1..p.len() - 1).map(move |k| [p[0], p[k], p[k + 1]])
        })
    }
}

/// The outer loop of a group of coplanar triangles, collinear vertices left out by the caller's hull.
fn boundary_loop(
    tris: &[[u32; 3]],
    members: &[usize],
    group: &[usize],
    id: usize,
    across: &impl Fn(u32, u32) -> Option<usize>,
) -> Option<Vec<u32>> {
    let mut border: Vec<[u32; 2]> = Vec::new();
    for &t in members {
        for k in 0..3 {
            let (a, b) = (tris[t][k], tris[t][(k + 1) % 3]);
            if group[across(a, b)?] != id {
                border.push([a, b]);
            }
        }
    }
    border.sort_unstable();
    let start = border.first()?[0];
    let mut polygon = vec![start];
    let mut at = start;
    for _ in 0..border.len() {
        let i = border.binary_search_by_key(&at, |e| e[0]).ok()?;
        at = border[i][1];
        if at == start {
            return (polygon.len() == border.len()).then_some(polygon);
        }
        polygon.push(at);
    }
    None
}

/// Whether the points, of unit size, span no volume.
fn is_flat(p: &[V3]) -> bool {
    let o = p[0];
    let far = |f: &dyn Fn(&V3) -> f64| p.iter().map(|q| q - o).max_by(|a, b| f(a).total_cmp(&f(b)));
    let Some(u) = far(&|q| q.norm_squared()).and_then(|q| q.try_normalize(1e-9)) else { return true };
    let Some(n) = far(&|q| q.cross(&u).norm_squared()).and_then(|q| u.cross(&q).try_normalize(1e-9)) else {
        return true;
    };
    far(&|q| q.dot(&n).abs()).is_none_or(|q| q.dot(&n).abs() < 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<V3> {
        (0..8).map(|i| V3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2 & 1) as f64)).collect()
    }

    #[test]
    fn a_cube_has_six_square_faces() {
        let h = ConvexHull::from_points(&cube()).unwrap();
        assert_eq!((h.vertices().len(), h.face_count()), (8, 6));
        assert!((0..6).all(|f| h.face(f).len() == 4));
    }

    #[test]
    fn flat_or_broken_points_are_refused() {
        let flat: Vec<V3> = (0..9).map(|i| V3::new((i % 3) as f64, (i / 3) as f64, 1.0)).collect();
        assert!(matches!(ConvexHull::from_points(&flat), Err(GeometryError::FlatHull { .. })));
        assert!(matches!(ConvexHull::from_points(&[V3::zeros(); 10]), Err(GeometryError::FlatHull { .. })));
        let mut c = cube();
        c[3].y = f64::NAN;
        assert!(matches!(ConvexHull::from_points(&c), Err(GeometryError::NotFinite { index: 3, .. })));
    }

    #[test]
    fn the_furthest_vertex_is_that_of_a_search_of_all() {
        let mut random = stiction_base::random::Random(5);
        let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
        for count in [8, 20, 60, 300, 2000] {
            // Round, a flat disc, and a grid of points in few planes.
            let round: Vec<V3> = (0..count).map(|_| vector().normalize()).collect();
            let disc = round.iter().map(|p| V3::new(p.x, p.y, 0.1 * p.z)).collect();
            let side = (count as f64).cbrt().ceil();
            let grid = round.iter().map(|p| p.map(|c| (c * side).round() / side)).collect();
            for points in [round, disc, grid] {
                let h = ConvexHull::from_points(&points).unwrap();
                let all = |d: &V3| {
                    let best = |b: usize, i: usize| {
                        if h.vertices()[i].dot(d) > h.vertices()[b].dot(d) { i } else { b }
                    };
                    h.vertices()[(0..h.vertices().len()).fold(0, best)]
                };
                let axes =
                    [V3::x(), -V3::x(), V3::y(), V3::z(), V3::new(1.0, 1.0, 1.0), V3::new(1.0, -1.0, 0.0)];
                let ties = h.normals().iter().copied().take(200).chain(axes);
                let random: Vec<V3> = (0..500).map(|_| vector()).collect();
                for d in ties.chain(random) {
                    assert_eq!(h.support(&d), all(&d), "{count} points along {d:?}");
                }
            }
        }
    }

    #[test]
    fn the_vertices_below_a_plane_are_those_of_a_search_of_all() {
        let mut random = stiction_base::random::Random(6);
        let mut vector = || V3::new(random.sym(), random.sym(), random.sym());
        let mut walk = Walk::default();
        for count in [8, 40, 300, 1500] {
            let round: Vec<V3> = (0..count).map(|_| vector().normalize()).collect();
            let grid = round.iter().map(|p| p.map(|c| (c * 6.0).round() / 6.0)).collect();
            for points in [round, grid] {
                let h = ConvexHull::from_points(&points).unwrap();
                for _ in 0..300 {
                    let (d, limit) = (vector().normalize(), vector().x);
                    h.vertices_below(&d, limit, &mut walk);
                    let all =
                        (0..h.vertices().len() as u32).filter(|&v| d.dot(&h.vertices()[v as usize]) <= limit);
                    assert_eq!(walk.found, all.collect::<Vec<u32>>(), "{count} points");
                }
                for n in h.normals().iter().take(50) {
                    // Level with a face: all its corners.
                    let lowest = -h.support(n).dot(n);
                    h.vertices_below(&-n, lowest + 1e-9, &mut walk);
                    assert!(walk.found.len() >= 3);
                }
            }
        }
    }

    #[test]
    fn a_point_beyond_a_face_is_told_from_one_inside() {
        let h = ConvexHull::from_points(&cube()).unwrap();
        assert_eq!(h.is_beyond(&V3::new(0.5, 0.5, 1.1), 0.05), Some(true));
        assert_eq!(h.is_beyond(&V3::new(0.9, 0.5, 0.5), 0.05), Some(false));
        assert_eq!(
            h.is_beyond(&V3::new(1.04, 1.04, 0.5), 0.05),
            None,
            "beyond by 0.057, but by 0.04 from each face"
        );
    }

    #[test]
    fn inner_and_duplicate_points_change_nothing() {
        let mut p = cube();
        p.extend(cube());
        p.extend((0..20).map(|i| V3::new(0.05 * i as f64, 0.5, 0.3)));
        p.push(V3::new(0.5, 0.5, 1.0)); // on a face
        let h = ConvexHull::from_points(&p).unwrap();
        assert_eq!((h.vertices().len(), h.face_count()), (8, 6));
    }
}
