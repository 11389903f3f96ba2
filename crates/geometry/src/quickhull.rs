//! The convex hull of points as triangles.
//!
//! Quickhull: start with a tetrahedron, then take the point farthest outside some face, remove all
//! faces it sees and join the edge of the hole to it. A point in the plane of a face does not see it, so that a cap of many
//! points is not taken apart and put together again for each of them.

use std::collections::HashMap;

use crate::V3;

struct Face {
    corners: [usize; 3],
    normal: V3,
    offset: f64,
    outside: Vec<usize>,
}

impl Face {
    fn new(points: &[V3], corners: [usize; 3]) -> Self {
        let [a, b, c] = corners.map(|i| points[i]);
        let normal = (b - a).cross(&(c - a)).try_normalize(1e-300).unwrap_or_default();
        Self { corners, normal, offset: normal.dot(&a), outside: Vec::new() }
    }

    fn above(&self, p: &V3) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// Triangles of the hull, facing outwards; `None` if the points lie in one plane.
pub fn convex_hull(points: &[V3]) -> Option<Vec<[u32; 3]>> {
    let hull = grown(points)?;
    Some(hull.faces.iter().flatten().map(|f| f.corners.map(|i| i as u32)).collect())
}

fn grown(points: &[V3]) -> Option<Hull<'_>> {
    let (low, high) =
        points.iter().fold((V3::repeat(f64::INFINITY), V3::repeat(f64::NEG_INFINITY)), |(low, high), p| {
            (low.inf(p), high.sup(p))
        });
    let tolerance = 1e-10 * (high - low).norm();
    let mut hull = Hull { points, tolerance, faces: Vec::new(), owner: HashMap::new(), pending: Vec::new() };
    for face in tetrahedron(points, tolerance)? {
        hull.add(face);
    }
    let all: Vec<usize> = (0..points.len()).collect();
    hull.assign(0, &all);
    while let Some(face) = hull.pending.pop() {
        hull.grow(face);
    }
    Some(hull)
}

/// A hull that grows. Faces that were removed leave a gap.
struct Hull<'a> {
    points: &'a [V3],
    tolerance: f64,
    faces: Vec<Option<Face>>,
    /// The face on the left of each directed edge.
    owner: HashMap<(usize, usize), usize>,
    /// Faces that may have points outside.
    pending: Vec<usize>,
}

impl Hull<'_> {
    fn add(&mut self, face: Face) {
        for edge in ring(face.corners) {
            self.owner.insert(edge, self.faces.len());
        }
        self.pending.push(self.faces.len());
        self.faces.push(Some(face));
    }

    /// Puts the farthest point outside `face` on the hull.
    fn grow(&mut self, start: usize) {
        let Some(face) = &self.faces[start] else { return };
        let height = |&i: &usize| face.above(&self.points[i]);
        let Some(&apex) = face.outside.iter().max_by(|a, b| height(a).total_cmp(&height(b))) else { return };
        let p = self.points[apex];
        // Take out every face that the point sees, walking over shared edges.
        let mut removed: Vec<Face> = self.faces[start].take().into_iter().collect();
        let mut next = 0;
        while next < removed.len() {
            for (a, b) in ring(removed[next].corners) {
                let Some(&neighbour) = self.owner.get(&(b, a)) else { continue };
                if self.faces[neighbour].as_ref().is_some_and(|f| f.above(&p) > self.tolerance) {
                    removed.extend(self.faces[neighbour].take());
                }
            }
            next += 1;
        }
        // The edge of the hole: edges whose other side is still there.
        let rim: Vec<(usize, usize)> = removed
            .iter()
            .flat_map(|f| ring(f.corners))
            .filter(|&(a, b)| self.owner.get(&(b, a)).is_some_and(|&n| self.faces[n].is_some()))
            .collect();
        for edge in removed.iter().flat_map(|f| ring(f.corners)) {
            self.owner.remove(&edge);
        }
        let start = self.faces.len();
        for (a, b) in rim {
            self.add(Face::new(self.points, [a, b, apex]));
        }
        let orphans: Vec<usize> =
            removed.into_iter().flat_map(|f| f.outside).filter(|&i| i != apex).collect();
        self.assign(start, &orphans);
    }

    /// Gives each point to the first face from `start` on that it lies outside of.
    fn assign(&mut self, start: usize, candidates: &[usize]) {
        for &i in candidates {
            let p = &self.points[i];
            let mut faces = self.faces[start..].iter_mut().flatten();
            if let Some(face) = faces.find(|f| f.above(p) > self.tolerance) {
                face.outside.push(i);
            }
        }
    }
}

fn ring([a, b, c]: [usize; 3]) -> [(usize, usize); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Four points far apart.
fn tetrahedron(points: &[V3], tolerance: f64) -> Option<Vec<Face>> {
    let farthest = |distance: &dyn Fn(&V3) -> f64| {
        (0..points.len()).max_by(|&i, &j| distance(&points[i]).total_cmp(&distance(&points[j])))
    };
    let a = farthest(&|p| -p.x)?;
    let b = farthest(&|p| (p - points[a]).norm_squared())?;
    let line = (points[b] - points[a]).try_normalize(1e-300)?;
    let c = farthest(&|p| (p - points[a]).cross(&line).norm_squared())?;
    let normal = (points[b] - points[a]).cross(&(points[c] - points[a])).try_normalize(1e-300)?;
    let height = |p: &V3| normal.dot(&(p - points[a]));
    let d = farthest(&|p| height(p).abs())?;
    if height(&points[d]).abs() <= 10.0 * tolerance {
        return None;
    }
    let (b, c) = if height(&points[d]) > 0.0 { (c, b) } else { (b, c) };
    Some([[a, b, c], [a, d, b], [b, d, c], [c, d, a]].map(|t| Face::new(points, t)).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Six times the volume within the triangles, which must close.
    fn sixfold_volume(points: &[V3], triangles: &[[u32; 3]]) -> f64 {
        let edges: Vec<_> = triangles.iter().flat_map(|t| ring(t.map(|i| i as usize))).collect();
        assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
        let corners = triangles.iter().map(|t| t.map(|i| points[i as usize]));
        corners.map(|[a, b, c]| a.dot(&b.cross(&c))).sum()
    }

    proptest! {
        #[test]
        fn hulls_are_closed_convex_and_hold_every_point(
            raw in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 8..60)
        ) {
            let points: Vec<V3> = raw.into_iter().map(V3::from).collect();
            let triangles = convex_hull(&points).unwrap();
            prop_assert!(sixfold_volume(&points, &triangles) > 0.0);
            for t in &triangles {
                let face = Face::new(&points, t.map(|i| i as usize));
                prop_assert!(points.iter().all(|p| face.above(p) < 1e-9));
            }
        }
    }

    #[test]
    fn a_grid_of_points_has_the_hull_of_its_cube() {
        let mut points = Vec::new();
        for i in 0..125 {
            points.push(V3::new((i % 5) as f64, (i / 5 % 5) as f64, (i / 25) as f64));
        }
        let triangles = convex_hull(&points).unwrap();
        assert!((sixfold_volume(&points, &triangles) / 6.0 - 64.0).abs() < 1e-9);
    }

    #[test]
    fn each_point_of_a_cone_makes_a_few_faces() {
        // Made faces are kept as gaps: their number is the work.
        let n = 3000;
        let mut points: Vec<V3> = (0..n)
            .map(|i| {
                let (y, x) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
                V3::new(x, y, 0.0)
            })
            .collect();
        points.push(V3::z());
        let hull = grown(&points).unwrap();
        assert!(hull.faces.len() < 12 * n, "{} faces were made", hull.faces.len());
        assert_eq!(hull.faces.iter().flatten().count(), 2 * (n + 1) - 4);
    }

    #[test]
    fn flat_points_have_no_hull() {
        let points: Vec<_> = (0..9).map(|i| V3::new((i % 3) as f64, (i / 3) as f64, 0.0)).collect();
        assert!(convex_hull(&points).is_none());
        assert!(convex_hull(&[]).is_none());
    }
}
