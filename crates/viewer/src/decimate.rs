//! Fewer triangles for pictures: edges are collapsed in order of the error they make.
//!
//! The error of a vertex is the sum of squared distances to the planes of the triangles it stands for, weighted by their
//! area (Garland and Heckbert, "Surface simplification using quadric error metrics", SIGGRAPH 1997, section 4). Open
//! borders are held by planes at right angles to their triangle. A collapse that would turn a triangle or make it narrow is
//! left out.

use nalgebra::{Matrix3, Vector3};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

type Vec3 = Vector3<f64>;

/// Weight of a border's planes against those of triangles.
const BORDER: f64 = 10.0;
/// Triangles do not get narrower than this, by [`roundness`]: narrow ones shade badly.
const LEAST_ROUND: f64 = 0.2;

/// Squared distance to a set of planes: xᵀ A x + 2 bᵀ x + c.
#[derive(Clone, Copy)]
struct Quadric {
    a: Matrix3<f64>,
    b: Vec3,
    c: f64,
}

impl Quadric {
    const ZERO: Self =
        Self { a: Matrix3::new(0., 0., 0., 0., 0., 0., 0., 0., 0.), b: Vec3::new(0., 0., 0.), c: 0. };

    /// Of the plane through a point with this unit normal.
    fn plane(normal: &Vec3, point: &Vec3, weight: f64) -> Self {
        let offset = -normal.dot(point);
        let a = normal * normal.transpose() * weight;
        Self { a, b: normal * (weight * offset), c: weight * offset * offset }
    }

    fn add(&mut self, other: &Self) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
    }

    fn at(&self, x: &Vec3) -> f64 {
        x.dot(&(self.a * x)) + 2.0 * self.b.dot(x) + self.c
    }
}

/// An edge that may be collapsed; the cheapest comes first, equal ones in order of their vertices.
struct Candidate {
    cost: f64,
    edge: [u32; 2],
    /// Changes of the two vertices when the cost was computed.
    stamp: u32,
    target: Vec3,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.edge.cmp(&other.edge)).then(self.stamp.cmp(&other.stamp))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

/// Area over squared edges: 1 for equal sides, 0 for a line.
fn roundness([x, y, z]: &[Vec3; 3]) -> f64 {
    let edges = (y - x).norm_squared() + (z - y).norm_squared() + (x - z).norm_squared();
    2.0 * 3.0_f64.sqrt() * (y - x).cross(&(z - x)).norm() / edges.max(f64::MIN_POSITIVE)
}

struct Surface {
    points: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    alive: Vec<bool>,
    /// Triangles at each vertex; dead ones are left in.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    changes: Vec<u32>,
}

/// The surface with about `most` triangles, or as near as it can be had. The result depends on the input alone.
pub fn decimate(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    most: usize,
) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let mut surface = Surface::weld(vertices, triangles);
    let mut left = surface.triangles.len();
    // What was left out for its neighbours may do after they changed; in the end narrow triangles are taken too.
    let mut least_round = LEAST_ROUND;
    while left > most {
        let before = left;
        let mut queue: BinaryHeap<_> =
            surface.edges().keys().map(|e| Reverse(surface.candidate(*e))).collect();
        while left > most
            && let Some(Reverse(next)) = queue.pop()
        {
            if next.stamp != surface.stamp(next.edge) || surface.spoils(&next, least_round) {
                continue;
            }
            left -= surface.collapse(&next);
            for other in surface.neighbours(next.edge[0]) {
                queue.push(Reverse(surface.candidate([next.edge[0].min(other), next.edge[0].max(other)])));
            }
        }
        if before - left < before / 50 {
            if least_round == 0.0 {
                break;
            }
            least_round = 0.0;
        }
    }
    surface.compact()
}

impl Surface {
    /// Joins vertices at the same place and leaves out triangles without area.
    fn weld(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let mut points = Vec::new();
        let index: Vec<u32> = vertices
            .iter()
            .map(|v| {
                *known.entry(v.map(|x| (x + 0.0).to_bits())).or_insert_with(|| {
                    points.push(Vec3::from(*v));
                    points.len() as u32 - 1
                })
            })
            .collect();
        let triangles: Vec<[u32; 3]> = triangles
            .iter()
            .map(|t| t.map(|v| index[v as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect();
        let count = points.len();
        let mut surface = Self {
            points,
            alive: vec![true; triangles.len()],
            triangles,
            around: vec![Vec::new(); count],
            quadrics: vec![Quadric::ZERO; count],
            changes: vec![0; count],
        };
        for t in 0..surface.triangles.len() {
            let corners = surface.triangles[t];
            corners.iter().for_each(|v| surface.around[*v as usize].push(t as u32));
            let normal = surface.normal(corners);
            let area = normal.norm();
            if area > 0.0 {
                let plane = Quadric::plane(&(normal / area), &surface.points[corners[0] as usize], area);
                corners.iter().for_each(|v| surface.quadrics[*v as usize].add(&plane));
            }
        }
        for (edge, triangles) in surface.edges() {
            let [t] = triangles[..] else { continue };
            let [p, q] = edge.map(|v| surface.points[v as usize]);
            let side = (q - p).cross(&surface.normal(surface.triangles[t as usize]));
            if side.norm() > 0.0 {
                let plane = Quadric::plane(&side.normalize(), &p, BORDER * (q - p).norm_squared());
                edge.iter().for_each(|v| surface.quadrics[*v as usize].add(&plane));
            }
        }
        surface
    }

    /// Each edge with the triangles at it.
    fn edges(&self) -> BTreeMap<[u32; 2], Vec<u32>> {
        let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        let alive = self.triangles.iter().enumerate().filter(|(t, _)| self.alive[*t]);
        for (t, [a, b, c]) in alive {
            for [p, q] in [[*a, *b], [*b, *c], [*c, *a]] {
                edges.entry([p.min(q), p.max(q)]).or_default().push(t as u32);
            }
        }
        edges
    }

    /// Twice the area, along the normal.
    fn normal(&self, [a, b, c]: [u32; 3]) -> Vec3 {
        let at = |v: u32| self.points[v as usize];
        (at(b) - at(a)).cross(&(at(c) - at(a)))
    }

    fn stamp(&self, edge: [u32; 2]) -> u32 {
        self.changes[edge[0] as usize].wrapping_add(self.changes[edge[1] as usize])
    }

    fn candidate(&self, edge: [u32; 2]) -> Candidate {
        let [p, q] = edge.map(|v| self.points[v as usize]);
        let mut quadric = self.quadrics[edge[0] as usize];
        quadric.add(&self.quadrics[edge[1] as usize]);
        let middle = (p + q) / 2.0;
        // The place of least error, if the planes fix one near the edge.
        let best = quadric.a.try_inverse().map_or(middle, |inverse| -(inverse * quadric.b));
        let best = if (best - middle).norm() <= (q - p).norm() { best } else { middle };
        let places = [p, q, middle, best];
        let cost = |x: &Vec3| quadric.at(x).max(0.0);
        let target = places.into_iter().min_by(|x, y| cost(x).total_cmp(&cost(y))).unwrap_or(middle);
        // Among edges without error, as in a plane, short ones go first.
        let cost = cost(&target) + 1e-9 * (q - p).norm_squared() * (q - p).norm_squared();
        Candidate { cost, edge, stamp: self.stamp(edge), target }
    }

    fn triangles_of(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.around[vertex as usize].iter().copied().filter(|t| self.alive[*t as usize])
    }

    fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.triangles_of(vertex).flat_map(|t| self.triangles[t as usize]);
        let mut list: Vec<u32> = corners.filter(|v| *v != vertex).collect();
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Whether a triangle would turn or become narrow by the collapse, or the surface would be pinched.
    fn spoils(&self, next: &Candidate, least_round: f64) -> bool {
        let [a, b] = next.edge;
        let near = self.neighbours(a);
        let common = self.neighbours(b).iter().filter(|v| near.binary_search(v).is_ok()).count();
        let shared = self.triangles_of(a).filter(|t| self.triangles[*t as usize].contains(&b)).count();
        if common != shared {
            return true;
        }
        let (mut narrowest_before, mut narrowest_after) = (1.0_f64, 1.0_f64);
        for vertex in [a, b] {
            for t in self.triangles_of(vertex) {
                let corners = self.triangles[t as usize];
                let before = corners.map(|v| self.points[v as usize]);
                narrowest_before = narrowest_before.min(roundness(&before));
                if corners.contains(&a) && corners.contains(&b) {
                    continue;
                }
                let moved = |k: usize| if corners[k] == vertex { next.target } else { before[k] };
                let after = [moved(0), moved(1), moved(2)];
                narrowest_after = narrowest_after.min(roundness(&after));
                let normal = |[x, y, z]: [Vec3; 3]| (y - x).cross(&(z - x));
                let (n, m) = (normal(before), normal(after));
                if m.dot(&n) < 0.5 * n.norm() * m.norm() {
                    return true;
                }
            }
        }
        narrowest_after < least_round.min(narrowest_before)
    }

    /// Moves the first vertex, replaces the second by it, and returns how many triangles have gone.
    fn collapse(&mut self, next: &Candidate) -> usize {
        let [a, b] = next.edge;
        self.points[a as usize] = next.target;
        let moved = self.quadrics[b as usize];
        self.quadrics[a as usize].add(&moved);
        let mut gone = 0;
        for t in std::mem::take(&mut self.around[b as usize]) {
            if !self.alive[t as usize] {
                continue;
            }
            let corners = &mut self.triangles[t as usize];
            if corners.contains(&a) {
                self.alive[t as usize] = false;
                gone += 1;
            } else {
                corners.iter_mut().filter(|v| **v == b).for_each(|v| *v = a);
                self.around[a as usize].push(t);
            }
        }
        let alive = &self.alive;
        self.around[a as usize].retain(|t| alive[*t as usize]);
        self.changes[a as usize] += 1;
        // Not equal to any sum that a candidate has seen.
        self.changes[b as usize] = self.changes[b as usize].wrapping_add(1 << 30);
        gone
    }

    fn compact(self) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut place = vec![u32::MAX; self.points.len()];
        let mut vertices = Vec::new();
        let alive = self.triangles.iter().zip(&self.alive).filter(|(_, alive)| **alive);
        let triangles = alive
            .map(|(corners, _)| {
                corners.map(|v| {
                    let place = &mut place[v as usize];
                    if *place == u32::MAX {
                        *place = vertices.len() as u32;
                        vertices.push(self.points[v as usize].into());
                    }
                    *place
                })
            })
            .collect();
        (vertices, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of unit radius as n × 2n cells, closed at the poles.
    fn sphere(n: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
        let mut vertices = Vec::new();
        for i in 0..=n {
            for j in 0..2 * n {
                let (lat, lon) =
                    (std::f64::consts::PI * i as f64 / n as f64, std::f64::consts::PI * j as f64 / n as f64);
                let pole = i == 0 || i == n;
                let (s, z) =
                    if pole { (0.0, if i == 0 { 1.0 } else { -1.0 }) } else { (lat.sin(), lat.cos()) };
                vertices.push([s * lon.cos(), s * lon.sin(), z]);
            }
        }
        let at = |i: usize, j: usize| (i * 2 * n + j % (2 * n)) as u32;
        let cells = (0..n).flat_map(|i| (0..2 * n).map(move |j| (i, j)));
        let triangles = cells
            .flat_map(|(i, j)| {
                [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
            })
            .collect();
        (vertices, triangles)
    }

    fn volume(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
        let at = |v: u32| Vec3::from(vertices[v as usize]);
        triangles.iter().map(|[a, b, c]| at(*a).dot(&at(*b).cross(&at(*c))) / 6.0).sum()
    }

    #[test]
    fn a_decimated_sphere_keeps_its_volume_stays_closed_and_near() {
        let (vertices, triangles) = sphere(100);
        let (few, faces) = decimate(&vertices, &triangles, 2000);
        assert!(faces.len() <= 2000 && faces.len() > 1900, "{} triangles", faces.len());
        let edges = faces.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        let longest = edges
            .map(|[a, b]| (Vec3::from(few[a as usize]) - Vec3::from(few[b as usize])).norm())
            .fold(0.0, f64::max);
        assert!(longest < 0.3, "2000 equal triangles have edges of 0.12; here {longest}");
        // Corners of a triangle that touches the sphere at its middle are e/√3 from there: e²/6 above the sphere.
        for v in &few {
            assert!((Vec3::from(*v).norm() - 1.0).abs() < longest.powi(2) / 6.0, "{v:?}");
        }
        // Equal triangles (edge e = 0.12) with corners on the sphere lie e²/12 inside on the mean: 3 e²/12 of the volume.
        let (exact, got) = (volume(&vertices, &triangles), volume(&few, &faces));
        assert!((got / exact - 1.0).abs() < 0.12_f64.powi(2) / 4.0, "{}", got / exact);
        let mut edges = BTreeMap::new();
        for [a, b, c] in &faces {
            for edge in [[*a, *b], [*b, *c], [*c, *a]] {
                *edges.entry(edge).or_insert(0) += 1;
            }
        }
        assert!(
            edges.iter().all(|([a, b], n)| *n == 1 && edges.contains_key(&[*b, *a])),
            "closed and oriented"
        );
    }

    #[test]
    fn a_flat_sheet_keeps_its_outline_exactly() {
        let n = 30;
        let vertices: Vec<[f64; 3]> =
            (0..n * n).map(|i| [(i % n) as f64 / 29.0, (i / n) as f64 / 29.0, 0.0]).collect();
        let mut triangles = Vec::new();
        for y in 0..n - 1 {
            for x in 0..n - 1 {
                let a = (y * n + x) as u32;
                let up = a + n as u32;
                triangles.extend([[a, a + 1, up + 1], [a, up + 1, up]]);
            }
        }
        let (few, faces) = decimate(&vertices, &triangles, 60);
        assert!(faces.len() <= 60, "{}", faces.len());
        let area: f64 = faces
            .iter()
            .map(|f| {
                let [a, b, c] = f.map(|v| Vec3::from(few[v as usize]));
                (b - a).cross(&(c - a)).z / 2.0
            })
            .sum();
        assert!((area - 1.0).abs() < 1e-6, "{area}");
    }

    #[test]
    fn what_is_small_enough_is_only_welded() {
        let (vertices, triangles) = sphere(6);
        let (few, faces) = decimate(&vertices, &triangles, 1000);
        assert_eq!((few.len(), faces.len()), (5 * 12 + 2, 12 * 10));
        assert!((volume(&few, &faces) - volume(&vertices, &triangles)).abs() < 1e-12);
    }
}
