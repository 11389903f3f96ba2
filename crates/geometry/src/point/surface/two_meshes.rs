//! Two triangle surfaces.
//!
//! Shallow contact of polyhedra is a corner of one on a face of the other, or two edges that cross. Both are looked for among the
//! pairs of faces whose boxes meet, grown by the margin and a little depth:
//!
//! - a corner counts below or just above a face that it points to, along the face's normal, if its foot lies on the face (or beyond
//!   an edge at which the surface rises: the corner of a room is felt by both walls);
//! - two edges count where they are nearest, along the normal square to both, if they stick out of their surfaces that way.
//!
//! A claim of overlap along one normal is dropped if the claims along another are shallower and, moved that far, what touches is
//! apart: a corner near the edge of a table is below its top by a little and behind its side by more. Claims deeper than a
//! ten-thousandth of the size are checked to be inside the solids, so that what lies behind a thin sheet is not felt.
//!
//! Only features that are extreme along the normal count for that: those that lean a little are points of a manifold, no more.
//!
//! Faces that go through each other though no claim separates them leave the shortest way along their normals; a surface inside the
//! other leaves along the normal of the nearest face.

use super::super::core::highest;
use super::super::manifold::GapPoint;
use super::super::{Frame, Scratch, Sink};
use super::{Candidate, SAME, SAME_CORNER, SHALLOW, SurfaceScratch, merge};
use crate::ray::surface;
use crate::{Aabb, TriangleMesh, V3};

/// Depths to which corners and edges are looked for, as parts of the size of the smaller surface. The second counts if the first
/// does not explain all, or only just.
const DEPTHS: [f64; 2] = [0.001, 0.01];
/// Sine of the angle by which corners and edges may miss being extreme: those of a nearly flat contact all take part.
const LEANING: f64 = 0.05;
/// The same if they are to be extreme up to rounding.
const EXTREME: f64 = 1e-6;
/// Sine of the angle between edges up to which their ends touch rather than a point where they cross.
const PARALLEL: f64 = 1e-3;
/// Cosine between a direction and a face's normal from which the corners of the face point that way.
const FACING: f64 = 0.9;
/// Most pairs of crossing faces whose normals are tried as ways out.
const MAX_WAYS: usize = 16;

/// What touches: corner of the second mesh, corner of the first, or two edges (ends).
#[derive(Debug, Clone, Copy)]
enum Feature {
    /// Corner of b (frame of a) on a face of a.
    CornerOfB(V3, usize),
    /// Corner of a on a face of b.
    CornerOfA(V3, usize),
    Edges([V3; 2], [V3; 2]),
}

/// A claim of contact, in the frame of a; the normal points out of a.
#[derive(Debug, Clone, Copy)]
struct Claim {
    n: V3,
    point: GapPoint,
    feature: Feature,
    face_a: usize,
    /// Whether the features are extreme along the normal, so that the push separates all around them.
    extreme: bool,
}

/// Working memory.
#[derive(Debug, Default)]
pub(super) struct PairScratch {
    stack: Vec<(u32, u32)>,
    pairs: Vec<(u32, u32)>,
    /// Corners near faces: (of b rather than a, corner, face).
    corners: Vec<(bool, u32, u32)>,
    claims: Vec<Claim>,
    normals: Vec<(V3, f64)>,
    /// Pairs of faces of which an edge of one goes through the other.
    crossed: Vec<(u32, u32)>,
}

/// Two surfaces, b placed in the frame of a.
struct Pair<'a> {
    a: &'a TriangleMesh,
    b: &'a TriangleMesh,
    x: Frame,
    margin: f64,
    /// How deep corners and edges are looked for.
    depth: f64,
    /// Depth up to which claims are not questioned.
    shallow: f64,
}

/// Contact points of two surfaces: of the second in the order of [`super::contacts`] for a mesh, of the first for a shape.
pub(crate) fn contacts(
    (first, x_first): (&TriangleMesh, &Frame),
    (second, x_second): (&TriangleMesh, &Frame),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let half = |m: &TriangleMesh| m.aabb().half().norm();
    let size = half(first).min(half(second));
    let mut pair = Pair {
        a: second,
        b: first,
        x: x_second.relative(x_first),
        margin: sink.margin,
        depth: 0.0,
        shallow: SHALLOW * size,
    };
    let memory = &mut scratch.surface;
    memory.candidates.clear();
    for depth in DEPTHS {
        pair.depth = depth * size;
        pair.near_faces(pair.margin.max(pair.depth), &mut memory.pair);
        pair.claims(&mut memory.pair);
        memory.pair.claims.retain(|c| pair.is_true(c));
        pair.drop_separated(&mut memory.pair);
        let PairScratch { claims, crossed, .. } = &memory.pair;
        if crossed.is_empty() && claims.iter().all(|c| c.point.gap > -0.5 * pair.depth) {
            break;
        }
    }
    if memory.pair.pairs.is_empty() {
        memory.pair.claims.extend(pair.out_of_inside());
    }
    pair.part_crossed(&mut memory.pair);
    let SurfaceScratch { pair: PairScratch { claims, .. }, candidates, .. } = memory;
    candidates.extend(claims.iter().map(|c| Candidate {
        n: c.n,
        point: c.point,
        face: c.face_a,
        in_front: true,
    }));
    merge::emit(0.0, SAME_CORNER * size, x_second, memory, sink);
}

impl Pair<'_> {
    /// A point of b in the frame of a.
    fn of_b_in_a(&self, v: u32) -> V3 {
        self.x.point(&self.b.vertices()[v as usize])
    }

    fn corners_b(&self, face: usize) -> [V3; 3] {
        self.b.faces()[face].map(|v| self.of_b_in_a(v))
    }

    fn normal_b(&self, face: usize) -> V3 {
        self.x.r * self.b.normals()[face]
    }

    /// Pairs of faces whose boxes, grown by `reach`, meet.
    fn near_faces(&self, reach: f64, scratch: &mut PairScratch) {
        let PairScratch { stack, pairs, .. } = scratch;
        pairs.clear();
        let turn = self.x.r.abs();
        // Two boxes, each in its own frame: apart along an axis of one of them.
        let meet = |a: &Aabb, b: &Aabb| {
            let (ha, hb) = (a.half().add_scalar(reach), b.half());
            let t = self.x.point(&b.center()) - a.center();
            let (along_a, along_b) =
                (t.abs() - ha - turn * hb, self.x.local_dir(&t).abs() - hb - turn.tr_mul(&ha));
            along_a.max() <= 0.0 && along_b.max() <= 0.0
        };
        self.a.bvh().pairs(self.b.bvh(), meet, stack, |f, g| {
            // Boxes of slanted faces say little; the planes say more.
            let (n, p) = (self.a.normals()[f], self.a.corners(f));
            let q = self.corners_b(g);
            let above = |c: &[V3; 3], n: &V3, o: &V3| c.iter().all(|c| (c - o).dot(n) > self.margin);
            let below = |c: &[V3; 3], n: &V3, o: &V3| c.iter().all(|c| (c - o).dot(n) < -self.depth);
            let m = self.normal_b(g);
            if !(above(&q, &n, &p[0]) || below(&q, &n, &p[0]) || above(&p, &m, &q[0]) || below(&p, &m, &q[0]))
            {
                pairs.push((f as u32, g as u32));
            }
        });
        pairs.sort_unstable();
    }

    fn claims(&self, scratch: &mut PairScratch) {
        let PairScratch { pairs, corners, claims, crossed, .. } = scratch;
        corners.clear();
        claims.clear();
        crossed.clear();
        for &(f, g) in pairs.iter() {
            corners.extend(self.b.faces()[g as usize].map(|v| (true, v, f)));
            corners.extend(self.a.faces()[f as usize].map(|v| (false, v, g)));
            self.edges(f as usize, g as usize, claims);
            let (p, q) = (self.a.corners(f as usize), self.corners_b(g as usize));
            if pierces(&q, &p, &self.a.normals()[f as usize]) || pierces(&p, &q, &self.normal_b(g as usize)) {
                crossed.push((f, g));
            }
        }
        corners.sort_unstable();
        corners.dedup();
        for &(of_b, v, face) in corners.iter() {
            self.corner(of_b, v, face as usize, claims);
        }
    }

    /// A corner near a face.
    fn corner(&self, of_b: bool, v: u32, face: usize, claims: &mut Vec<Claim>) {
        let (mesh, other) = if of_b { (self.a, self.b) } else { (self.b, self.a) };
        // In the frame of the face.
        let p = other.vertices()[v as usize];
        let p = if of_b { self.x.point(&p) } else { self.x.local(&p) };
        let (n, c) = (mesh.normals()[face], mesh.corners(face));
        let gap = (p - c[0]).dot(&n);
        if gap > self.margin || gap < -self.depth {
            return;
        }
        let on_face = (0..3).all(|k| {
            let (from, edge) = (c[k], c[(k + 1) % 3] - c[k]);
            let aside = edge.cross(&(p - from)).dot(&n);
            let beyond = if mesh.rises_beyond(face, k) { self.depth * edge.norm() } else { 0.0 };
            aside >= -beyond - 1e-9 * edge.norm_squared()
        });
        if !on_face {
            return;
        }
        // Towards the face, in the corner's frame.
        let m = if of_b { -self.x.local_dir(&n) } else { -(self.x.r * n) };
        let extreme = other.is_local_extreme(v, &m, EXTREME);
        let points_there = extreme
            || other.is_local_extreme(v, &m, LEANING)
            || other.fan(v as usize).iter().any(|&f| other.normals()[f as usize].dot(&m) >= FACING);
        if !points_there {
            return;
        }
        claims.push(if of_b {
            let point = GapPoint { a: p - n * gap, gap };
            Claim { n, point, feature: Feature::CornerOfB(p, face), face_a: face, extreme }
        } else {
            let a = other.vertices()[v as usize];
            let n = -(self.x.r * n);
            let face_a = other.fan(v as usize)[0] as usize;
            Claim { n, point: GapPoint { a, gap }, feature: Feature::CornerOfA(a, face), face_a, extreme }
        });
    }

    /// Edges of two faces that cross. Each edge is looked at with the first of its two faces.
    fn edges(&self, f: usize, g: usize, claims: &mut Vec<Claim>) {
        let owns = |mesh: &TriangleMesh, face: usize, k: usize| {
            mesh.sticks_out(face, k) && mesh.neighbour(face, k).is_none_or(|o| face < o)
        };
        let (p, q) = (self.a.corners(f), self.corners_b(g));
        for i in (0..3).filter(|&i| owns(self.a, f, i)) {
            for j in (0..3).filter(|&j| owns(self.b, g, j)) {
                let (a, b) = ([p[i], p[(i + 1) % 3]], [q[j], q[(j + 1) % 3]]);
                let (u, v, d) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
                let across = u.cross(&v);
                let square = across.norm_squared();
                if square <= PARALLEL * PARALLEL * u.norm_squared() * v.norm_squared() {
                    continue; // nearly parallel: their ends touch
                }
                // Where the lines are nearest: (d + t v - s u) along `across`.
                let (s, t) = (d.cross(&v).dot(&across) / square, d.cross(&u).dot(&across) / square);
                if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)) {
                    continue;
                }
                // Away from what is beside a's edge.
                let mut n = across / square.sqrt();
                let beside_a = |n: &V3| {
                    let across = self.a.neighbour(f, i).map(|o| self.a.corners(o));
                    lean(&p, across.as_ref(), &a, n)
                };
                let (there, back) = (beside_a(&n), beside_a(&-n));
                if there > back {
                    n = -n;
                }
                let gap = d.dot(&n);
                let mut rise = there.min(back);
                if rise > LEANING || gap > self.margin || gap < -self.depth {
                    continue;
                }
                let across = self.b.neighbour(g, j).map(|o| self.corners_b(o));
                rise = rise.max(lean(&q, across.as_ref(), &b, &-n));
                if rise > LEANING {
                    continue;
                }
                let point = GapPoint { a: a[0] + u * s, gap };
                claims.push(Claim {
                    n,
                    point,
                    feature: Feature::Edges(a, b),
                    face_a: f,
                    extreme: rise <= EXTREME,
                });
            }
        }
    }

    /// Drops claims that a shallower one along another normal separates as well, and crossings of faces that the rest separate.
    fn drop_separated(&self, scratch: &mut PairScratch) {
        let PairScratch { claims, normals, crossed, .. } = scratch;
        least_gaps(claims, normals);
        claims.retain(|c| {
            let own = c.point.gap;
            own >= 0.0
                || !normals.iter().any(|(n, gap)| {
                    *gap > own + 1e-9 * own.abs() && self.gap_along(c, n) >= gap - 1e-9 * gap.abs()
                })
        });
        least_gaps(claims, normals);
        // Two thirds of the way are enough: the rest is found when they have been gone.
        let slack = 0.01 * self.shallow;
        crossed.retain(|pair| {
            !normals.iter().any(|(n, gap)| *gap < 0.0 && self.faces_along(pair, n) >= 1.5 * gap - slack)
        });
    }

    /// Gap between two faces along a normal.
    fn faces_along(&self, &(f, g): &(u32, u32), n: &V3) -> f64 {
        let low = self.corners_b(g as usize).map(|p| p.dot(n)).into_iter().fold(f64::INFINITY, f64::min);
        let p = self.a.corners(f as usize);
        low - p[highest(&p, n)].dot(n)
    }

    /// Gap between the two features of a claim along another normal.
    fn gap_along(&self, c: &Claim, n: &V3) -> f64 {
        let top = |points: &[V3]| points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        let low = |points: &[V3]| points.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min);
        match &c.feature {
            Feature::CornerOfB(p, face) => p.dot(n) - top(&self.a.corners(*face)),
            Feature::CornerOfA(p, face) => low(&self.corners_b(*face)) - p.dot(n),
            Feature::Edges(a, b) => low(b) - top(a),
        }
    }

    /// Whether a deep claim is inside the solids.
    fn is_true(&self, c: &Claim) -> bool {
        let depth = -c.point.gap;
        if depth <= self.shallow {
            return true;
        }
        // From the corner back to the face: nothing else of the face's surface is on the way.
        let free = |mesh: &TriangleMesh, from: &V3, n: &V3| {
            surface(from, n, 1.001 * depth, mesh).is_none_or(|(t, m)| t >= 0.999 * depth || m.dot(n) > 0.0)
        };
        match c.feature {
            Feature::CornerOfB(p, face) => free(self.a, &p, &self.a.normals()[face]),
            Feature::CornerOfA(p, face) => free(self.b, &self.x.local(&p), &self.b.normals()[face]),
            Feature::Edges(..) => {
                let middle = c.point.a + c.n * (0.5 * c.point.gap);
                self.a.contains(&middle) && self.b.contains(&self.x.local(&middle))
            }
        }
    }

    /// Adds a push for faces that go through each other though no claim separates them: the shortest along one of their normals.
    fn part_crossed(&self, scratch: &mut PairScratch) {
        let PairScratch { crossed, claims, .. } = scratch;
        let mut best: Option<(V3, f64)> = None;
        for &(f, g) in crossed.iter().step_by(crossed.len().div_ceil(MAX_WAYS).max(1)) {
            for n in [self.a.normals()[f as usize], -self.normal_b(g as usize)] {
                let gap = crossed.iter().map(|pair| self.faces_along(pair, &n)).fold(0.0, f64::min);
                if gap < 0.0 && best.is_none_or(|b| gap > b.1) {
                    best = Some((n, gap));
                }
            }
        }
        let Some((n, gap)) = best else { return };
        let middle = |&(f, _): &(u32, u32)| self.a.corners(f as usize).iter().sum::<V3>() / 3.0;
        let a = crossed.iter().map(middle).sum::<V3>() / crossed.len() as f64;
        let (point, face_a) = (GapPoint { a, gap }, crossed[0].0 as usize);
        claims.push(Claim { n, point, feature: Feature::Edges([a; 2], [a; 2]), face_a, extreme: false });
    }

    /// The way out for a surface that is inside the other: along the normal of the nearest face, until all of it is outside.
    fn out_of_inside(&self) -> Option<Claim> {
        let (of_b, face) = self.swallowed()?;
        let n = if of_b { -self.normal_b(face) } else { self.a.normals()[face] };
        let corners = if of_b { self.corners_b(face) } else { self.a.corners(face) };
        let gap = if of_b {
            let top = self.a.vertices().iter().map(|p| p.dot(&n)).fold(f64::NEG_INFINITY, f64::max);
            corners[0].dot(&n) - top
        } else {
            let m = self.x.local_dir(&n);
            let low = self.b.vertices().iter().map(|p| p.dot(&m)).fold(f64::INFINITY, f64::min);
            low + self.x.p.dot(&n) - corners[0].dot(&n)
        };
        let a = corners.iter().sum::<V3>() / 3.0;
        let feature = Feature::Edges([a; 2], [a; 2]);
        Some(Claim {
            n,
            point: GapPoint { a, gap },
            feature,
            face_a: if of_b { 0 } else { face },
            extreme: false,
        })
    }

    /// The nearest face of the outer surface if one is inside the other: whether it is one of b, and its index.
    fn swallowed(&self) -> Option<(bool, usize)> {
        let within = |outer: &Aabb, inner: &Aabb| outer.union(inner) == *outer;
        if within(&self.a.aabb(), &self.b.aabb().transformed(&self.x)) {
            let p = self.of_b_in_a(0);
            return self.a.contains(&p).then(|| self.a.nearest_face(&p)).flatten().map(|(f, _)| (false, f));
        }
        let (p, box_a) = (self.a.vertices()[0], self.a.aabb());
        let inverse = Frame { r: self.x.r.transpose(), p: self.x.local(&V3::zeros()) };
        if !within(&self.b.aabb(), &box_a.transformed(&inverse)) {
            return None;
        }
        let p = self.x.local(&p);
        self.b.contains(&p).then(|| self.b.nearest_face(&p)).flatten().map(|(f, _)| (true, f))
    }
}

/// Normals of claims by extreme features, each with the least gap along it.
fn least_gaps(claims: &[Claim], normals: &mut Vec<(V3, f64)>) {
    normals.clear();
    for c in claims.iter().filter(|c| c.extreme) {
        match normals.iter_mut().find(|m| m.0.dot(&c.n) >= SAME) {
            Some(m) => m.1 = m.1.min(c.point.gap),
            None => normals.push((c.n, c.point.gap)),
        }
    }
}

/// How far the faces on both sides of an edge rise above it along `n`: the largest sine.
fn lean(face: &[V3; 3], across: Option<&[V3; 3]>, edge: &[V3; 2], n: &V3) -> f64 {
    let rise = |c: &V3| {
        let e = c - edge[0];
        let length = e.norm();
        if length > 0.0 { e.dot(n) / length } else { 0.0 }
    };
    let corners = face.iter().chain(across.into_iter().flatten());
    corners.filter(|c| **c != edge[0] && **c != edge[1]).map(rise).fold(f64::NEG_INFINITY, f64::max)
}

/// Whether an edge of `triangle` goes through `face` with normal `n`.
fn pierces(triangle: &[V3; 3], face: &[V3; 3], n: &V3) -> bool {
    let height = triangle.map(|p| (p - face[0]).dot(n));
    (0..3).any(|k| {
        let (s, t) = (height[k], height[(k + 1) % 3]);
        if (s < 0.0) == (t < 0.0) {
            return false;
        }
        let p = triangle[k] + (triangle[(k + 1) % 3] - triangle[k]) * (s / (s - t));
        (0..3).all(|i| (face[(i + 1) % 3] - face[i]).cross(&(p - face[i])).dot(n) >= 0.0)
    })
}
