//! Triangle surfaces (meshes, height fields) against convex shapes.
//!
//! A triangle alone would push along its rim, which on a surface is mostly not a rim at all. So a
//! triangle may push only along normals of the surface: its own, or one for which its corner furthest along it
//! is a local extreme of the whole surface. A box sliding over a flat triangulated floor sees the
//! floor's normal and nothing else; a box on a convex edge sees the edge.
//!
//! 1. Every face near the shape gets its own best axis. If that is a surface normal, it is kept.
//! 2. The other faces take the best of the surface normals at hand: their own, those of the faces around
//!    their corners, and those that step 1 has found. They keep still if a shallower push of step 1
//!    frees them as well.
//! 3. Of what was found, that goes which a shallower push along another normal frees as well.
//! 4. Points with one normal are merged to the outline of their union. What faces on both sides of an edge found alike, each
//!    with the last digits of its own, is one point.
//! 5. What says that the two overlap is checked on closed meshes, and where nothing says so the shape may still go through faces,
//!    or be wholly inside.
//!
//! Faces are one-sided. For a shape whose middle is in front of it, a face counts as solid behind, so that a
//! corner that slides under it sideways stays seen. A face that has the middle of the shape
//! behind it (deep overlap, or the far wall of a thin plate) counts only if no other does, and then
//! only along the direction of least depth. Terrain is solid down to its bottom, so that there every face above a shape
//! counts as one in front of which it is: whatever is pressed below the surface comes up again.

use super::convex::Axis;
use super::core::{Core, highest};
use super::gjk::{CorePair, Outcome, distance, on_triangle};
use super::manifold::GapPoint;
use super::reduce::outline;
use super::{Frame, Scratch, Sink, convex, features, manifold};
use crate::ray::surface;
use crate::{Aabb, Shape, TriangleMesh, V3};

/// Sine of the angle by which a corner may miss being a local extreme.
const SLACK: f64 = 1e-6;
/// Cosine above which two normals are merged to one group (half a milliradian).
const SAME: f64 = 1.0 - 1e-7;
/// Cosine above which a direction is taken for a face's normal (1e-5 radian: rounding of the vertices).
const SNAP: f64 = 1.0 - 1e-10;

/// Part of a shape's size up to which an overlap is not questioned.
const SHALLOW: f64 = 1e-4;

#[derive(Debug, Clone, Copy)]
struct Found {
    n: V3,
    point: GapPoint,
    face: usize,
    /// Whether the middle of the shape lies in front of the contact plane.
    front: bool,
}

/// A face near the shape.
#[derive(Debug, Clone, Copy)]
struct Near {
    face: usize,
    /// Its best axis, if that is a normal of the surface.
    direct: Option<Axis>,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct SurfaceScratch {
    faces: Vec<usize>,
    near: Vec<Near>,
    /// Normals of direct axes, each once, with the least distance along them.
    normals: Vec<(V3, f64)>,
    found: Vec<Found>,
    /// Faces that the shape goes through.
    crossings: Vec<[V3; 3]>,
    group: Vec<GapPoint>,
    spare: Vec<GapPoint>,
}

/// Contact points of a convex shape (first) with a surface, of terrain if that is solid down to a bottom (local z).
pub(crate) fn contacts(
    (shape, xs): (&Shape, &Frame),
    (mesh, xm, bottom): (&TriangleMesh, &Frame, Option<f64>),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let Some((core, radius)) = Core::of(shape) else { return };
    let x = xm.relative(xs);
    let reach = radius + sink.margin;
    let mut faces = std::mem::take(&mut scratch.surface.faces);
    faces.clear();
    let mut around = bounds(&core, &x);
    // Of the smaller of the two: normals that count as one move the points of a round shape about by so much; those of a
    // flat one are corners, which stay.
    let half = |b: &Aabb| 0.5 * (b.max - b.min).norm();
    let share = if core.is_curved() { (2.0 * (1.0 - SAME)).sqrt() } else { 1e-7 };
    let size = half(&around).min(half(&mesh.aabb()));
    let near = share * size;
    around = around.grown(reach.max(0.0));
    let sunk = bottom.is_some_and(|bottom| x.point(&core.center()).z >= bottom);
    if sunk {
        around.max.z = around.max.z.max(mesh.aabb().max.z);
    }
    mesh.bvh().query(&around, |f| faces.push(f));
    faces.sort_unstable();
    scratch.surface.found.clear();
    let body = Body { core, x, radius, reach, sunk };
    if let Core::Point = core {
        point_faces(mesh, &faces, &body, &mut scratch.surface.found);
    } else {
        best_axes(mesh, &faces, &body, scratch);
        for k in 0..scratch.surface.near.len() {
            let near = scratch.surface.near[k];
            if let Some(n) = surface_axis(mesh, &near, &body, &scratch.surface.normals) {
                face_points(mesh, &near, &n, &body, scratch);
            }
        }
        settle(mesh, &body, &mut scratch.surface);
    }
    check(mesh, &faces, &body, SHALLOW * size, scratch);
    scratch.surface.faces = faces;
    emit(radius, near, xm, &mut scratch.surface, sink);
}

fn bounds(core: &Core, x: &Frame) -> Aabb {
    let mut b = Aabb::EMPTY;
    for k in 0..3 {
        let d: V3 = x.r.row(k).transpose();
        b.max[k] = x.p[k] + d.dot(&core.support(&d));
        b.min[k] = x.p[k] + d.dot(&core.support(&-d));
    }
    b
}

/// Spheres: the nearest point of every face, if the surface is seen from outside there.
fn point_faces(mesh: &TriangleMesh, faces: &[usize], body: &Body, found: &mut Vec<Found>) {
    let Body { radius, reach, x: Frame { p: c, .. }, .. } = body;
    let (radius, reach) = (*radius, *reach);
    let mut nearest: Option<(f64, V3, usize)> = None;
    for &f in faces {
        let [p, q, r] = mesh.corners(f);
        let (d, w) = on_triangle(&(p - c), &(q - c), &(r - c)); // from the centre to the face
        let length = d.norm();
        if nearest.as_ref().is_none_or(|b| length < b.0) {
            nearest = Some((length, d, f));
        }
        let side = mesh.normals()[f].dot(&(c - p));
        if side < 0.0 && body.sunk && above(&[p, q, r], c) {
            let n = mesh.normals()[f];
            found.push(Found { n, point: GapPoint { a: c - n * side, gap: side }, face: f, front: true });
            continue;
        }
        if length > reach || side < 0.0 {
            continue;
        }
        let flat = w.iter().all(|&w| w > 0.0) || -d.dot(&mesh.normals()[f]) >= SNAP * length;
        let n = if flat || length <= 1e-12 * radius { mesh.normals()[f] } else { -d / length };
        if flat || is_surface_normal(mesh, f, &n) {
            let point = GapPoint {
                a: if flat { c - n * side } else { c + d },
                gap: if flat { side } else { length },
            };
            found.push(Found { n, point, face: f, front: true });
        }
    }
    // The centre is below the surface: out the shortest way. At a sharp edge faces are as near that see it in front.
    if let Some((length, d, f)) = nearest
        && found.is_empty()
        && faces.iter().all(|&f| {
            let [p, q, r] = mesh.corners(f);
            let to = on_triangle(&(p - c), &(q - c), &(r - c)).0;
            to.norm() > length * (1.0 + 1e-9) || mesh.normals()[f].dot(&to) > 0.0
        })
    {
        let n = if length > 0.0 { d / length } else { mesh.normals()[f] };
        found.push(Found { n, point: GapPoint { a: c + d, gap: -length }, face: f, front: false });
    }
}

/// Whether a triangle is above or below a point: it holds the point in the plan.
fn above([p, q, r]: &[V3; 3], c: &V3) -> bool {
    let turn = |a: &V3, b: &V3| (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    turn(p, q) >= 0.0 && turn(q, r) >= 0.0 && turn(r, p) >= 0.0
}

/// Step 5: whether the core is in the mesh at all, and a way out where none was found. Points within the margin or the radius
/// do not count, so that what is felt does not depend on them. An open surface cannot tell what is inside; there a face with the
/// middle behind it has to do. What is in by no more than `shallow` is believed: how deep stiff bodies rest is rounding to others.
fn check(mesh: &TriangleMesh, faces: &[usize], body: &Body, shallow: f64, scratch: &mut Scratch) {
    let closed = mesh.is_watertight();
    let claim = |front: bool, depth: f64| {
        scratch.surface.found.iter().any(|f| f.front == front && f.point.gap < -depth)
    };
    let (ahead, behind) = (claim(true, 0.0), claim(false, 0.0));
    let believed = if closed { ahead && !claim(true, shallow) } else { ahead || behind };
    if believed || ahead && faces.iter().any(|&f| crosses(mesh, f, body)) {
        return;
    }
    let way = crossed(mesh, faces, body, scratch).or_else(|| swallowed(mesh, body).filter(|_| closed));
    let found = &mut scratch.surface.found;
    match way {
        Some(_) if ahead => {}
        Some(_) if behind => found.retain(|f| !f.front && f.point.gap < 0.0),
        Some(way) => found.push(way),
        // Beyond a sharp edge a shape is below the plane of a face and not in what is solid; and the far side of a thin wall has
        // the middle behind it.
        None => found.retain(|f| f.front && f.point.gap >= 0.0),
    }
}

/// Whether the core goes through a face.
fn crosses(mesh: &TriangleMesh, face: usize, body: &Body) -> bool {
    let (corners, normal) = (mesh.corners(face), mesh.normals()[face]);
    let plane = normal.dot(&corners[0]);
    // Most are not crossed: those whose plane the core is on one side of.
    body.low_along(&normal) < plane
        && plane < -body.low_along(&-normal)
        && matches!(distance(&body.pair(corners), 0.0), Outcome::Overlap(_))
}

/// A shape may go through faces none of which it faces anywhere: a rod that is stuck in a wall at a slant. It leaves along that
/// normal at hand along which all of the faces it goes through are soonest behind, pushed in the middle of where it is in them.
/// What is behind an open surface is not inside anything.
fn crossed(mesh: &TriangleMesh, faces: &[usize], body: &Body, scratch: &mut Scratch) -> Option<Found> {
    let Scratch { surface: SurfaceScratch { crossings, .. }, epa, .. } = scratch;
    crossings.clear();
    let (closed, around) = (body.sunk || mesh.is_watertight(), bounds(&body.core, &body.x));
    let mut middle = V3::zeros();
    for &face in faces {
        let (corners, normal) = (mesh.corners(face), mesh.normals()[face]);
        let in_front = normal.dot(&(body.center() - corners[0])) > 0.0;
        if (closed || in_front)
            && crosses(mesh, face, body)
            && let Some(axis) = convex::axis(&body.pair(corners), 0.0, &normal, epa)
        {
            crossings.push(corners);
            middle += axis.a.sup(&around.min).inf(&around.max);
        }
    }
    if crossings.is_empty() {
        return None;
    }
    let gap = |n: &V3| {
        let tops = crossings.iter().map(|corners| corners[highest(corners, n)].dot(n));
        body.low_along(n) - tops.fold(f64::NEG_INFINITY, f64::max)
    };
    let ways = faces.iter().map(|&f| (f, gap(&mesh.normals()[f])));
    let (face, gap) = ways.max_by(|p, q| p.1.total_cmp(&q.1))?;
    let point = GapPoint { a: middle / crossings.len() as f64, gap };
    Some(Found { n: mesh.normals()[face], point, face, front: true })
}

/// A shape that goes through no face may still be inside: out the shortest way from its middle, all of it.
fn swallowed(mesh: &TriangleMesh, body: &Body) -> Option<Found> {
    let (c, all) = (body.center(), mesh.aabb());
    if c != c.sup(&all.min).inf(&all.max) {
        return None;
    }
    let to_box = |b: &Aabb| (c - c.sup(&b.min).inf(&b.max)).norm_squared();
    let to_face = |f: usize| {
        let [p, q, r] = mesh.corners(f);
        on_triangle(&(p - c), &(q - c), &(r - c)).0
    };
    let (face, square) = mesh.bvh().nearest(f64::INFINITY, to_box, |f| to_face(f).norm_squared())?;
    // The nearest point may be on an edge whose faces disagree; what is met on the way to the middle of a face does not.
    let [p, q, r] = mesh.corners(face);
    let way = (p + q + r) / 3.0 - c;
    let length = way.norm();
    let (_, normal) = surface(&c, &(way / length), 1.001 * length, mesh)?;
    if square == 0.0 || normal.dot(&way) <= 0.0 {
        return None;
    }
    let (d, depth) = (to_face(face), square.sqrt());
    let n = d / depth;
    let local = body.x.local_dir(&n);
    let lowest = (body.core.support(&-local) - body.core.center()).dot(&local);
    let point = GapPoint { a: c + d, gap: lowest - depth };
    Some(Found { n, point, face, front: true })
}

/// Whether `n` is a normal of the surface at the corner of `face` furthest along it, or at the edge. It may lie in the face: that of
/// an edge does in faces square to it.
fn is_surface_normal(mesh: &TriangleMesh, face: usize, n: &V3) -> bool {
    let along = mesh.normals()[face].dot(n);
    if along >= SNAP {
        return true;
    }
    let corners = mesh.corners(face);
    let top = highest(&corners, n);
    along >= -SLACK
        && (mesh.is_local_extreme(mesh.faces()[face][top], n, SLACK)
            || [top, (top + 2) % 3].into_iter().any(|k| is_edge_normal(mesh, face, &corners, k, n)))
}

/// Whether `n`, which points away from `face`, is square to its edge `k` and points away from the face across it, too. What
/// the surface does beyond the ends of the edge does not matter: there it may rise.
fn is_edge_normal(mesh: &TriangleMesh, face: usize, corners: &[V3; 3], k: usize, n: &V3) -> bool {
    let level = |e: V3| e.dot(n).powi(2) <= SLACK * SLACK * e.norm_squared();
    if !level(corners[(k + 1) % 3] - corners[k]) {
        return false;
    }
    let Some(across) = mesh.neighbour(face, k) else { return true };
    mesh.corners(across).iter().all(|c| {
        let e = c - corners[k];
        e.dot(n) <= 0.0 || level(e)
    })
}

/// The convex shape in the frame of the mesh.
struct Body<'a> {
    core: Core<'a>,
    x: Frame,
    radius: f64,
    /// Radius and margin.
    reach: f64,
    /// The surface is terrain, and solid as far down as the shape's middle: every face counts as in front of it.
    sunk: bool,
}

impl Body<'_> {
    /// Lowest point of the core, along `m`.
    fn low_along(&self, m: &V3) -> f64 {
        let d = self.x.local_dir(m);
        self.x.p.dot(m) + self.core.support(&-d).dot(&d)
    }

    /// Gap between the highest corner of a face and the lowest point of the core, along `m`.
    fn gap_along(&self, corners: &[V3; 3], m: &V3) -> f64 {
        self.low_along(m) - corners[highest(corners, m)].dot(m)
    }

    fn center(&self) -> V3 {
        self.x.point(&self.core.center())
    }

    fn pair(&self, triangle: [V3; 3]) -> CorePair<'_> {
        CorePair { a: Core::Triangle(triangle), b: self.core, x_ab: self.x }
    }
}

/// Step 1: the best axis of every face within reach.
fn best_axes(mesh: &TriangleMesh, faces: &[usize], body: &Body, scratch: &mut Scratch) {
    let SurfaceScratch { near, normals, .. } = &mut scratch.surface;
    near.clear();
    normals.clear();
    for &face in faces {
        let corners = mesh.corners(face);
        let normal = mesh.normals()[face];
        let gap = body.gap_along(&corners, &normal);
        if gap > body.reach {
            continue;
        }
        let in_front = body.sunk || normal.dot(&(body.center() - corners[0])) > 0.0;
        if in_front && !mesh.is_at_rim(face) {
            // No edge to touch: only the face's own normal can be one of the surface.
            near.push(Near { face, direct: None });
            continue;
        }
        let mut find = |a: Core| {
            let pair = CorePair { a, b: body.core, x_ab: body.x };
            let mut axis = convex::axis(&pair, body.reach, &normal, &mut scratch.epa)?;
            if normal.dot(&axis.n) >= SNAP {
                axis.n = normal;
            }
            Some(axis)
        };
        let mut axis = find(Core::Triangle(corners));
        // What is solid behind a face, and not what is beside a sharp edge of it.
        let beside = |a: &Axis| a.distance > 0.0 && is_surface_normal(mesh, face, &a.n);
        if in_front && gap < 0.0 && !axis.as_ref().is_some_and(beside) {
            axis = find(Core::Prism(corners, normal * -thickness(mesh, &corners, &normal, -gap)));
        }
        let Some(axis) = axis else { continue };
        let direct = is_surface_normal(mesh, face, &axis.n).then_some(axis);
        near.push(Near { face, direct });
        if direct.is_some() {
            match normals.iter_mut().find(|m| m.0.dot(&axis.n) >= SAME) {
                Some(m) => m.1 = m.1.min(axis.distance),
                None => normals.push((axis.n, axis.distance)),
            }
        }
    }
}

/// How far what is solid behind a face goes before the mesh ends, up to `deepest`: the least of what rays from its middle
/// and from near its corners meet. Open surfaces have no end.
fn thickness(mesh: &TriangleMesh, corners: &[V3; 3], normal: &V3, deepest: f64) -> f64 {
    if !mesh.is_watertight() {
        return deepest;
    }
    let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
    let starts = corners.iter().map(|c| c + 0.05 * (middle - c)).chain([middle]);
    starts.fold(deepest, |least, start| {
        // From a little below, so that the face itself is not met.
        let lift = 1e-6 * least;
        surface(&(start - lift * normal), &-normal, least, mesh).map_or(least, |(t, _)| (t + lift).min(least))
    })
}

/// Step 2: the surface normal along which a face pushes, if any is within reach.
fn surface_axis(mesh: &TriangleMesh, near: &Near, body: &Body, normals: &[(V3, f64)]) -> Option<V3> {
    if let Some(axis) = near.direct {
        return Some(axis.n);
    }
    let corners = mesh.corners(near.face);
    let mut n = mesh.normals()[near.face];
    let mut best = body.gap_along(&corners, &n);
    let mut consider = |m: &V3| {
        let gap = body.gap_along(&corners, m);
        if gap > best + 1e-12 * gap.abs() && is_surface_normal(mesh, near.face, m) {
            (best, n) = (gap, *m);
        }
    };
    if mesh.is_at_rim(near.face) {
        for v in mesh.faces()[near.face] {
            mesh.fan(v as usize).iter().for_each(|&f| consider(&mesh.normals()[f as usize]));
        }
        normals.iter().for_each(|m| consider(&m.0));
    }
    // What another part of the surface pushes out anyway, and by less, needs no push from here: the tread of
    // a stair when the shape leans into the riser.
    let settled = |m: &(V3, f64)| m.1 > best && body.gap_along(&corners, &m.0) >= m.1 - 1e-9 * m.1.abs();
    (best <= body.reach && !normals.iter().any(settled)).then_some(n)
}

/// Points between a face and the shape along `n`.
fn face_points(mesh: &TriangleMesh, near: &Near, n: &V3, body: &Body, scratch: &mut Scratch) {
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let corners = mesh.corners(near.face);
    let m = &mut scratch.manifold;
    let normal_a = features::facing(&Core::Triangle(corners), n, &at_origin, &mut m.feature_a);
    let normal_b = features::facing(&body.core, &-body.x.local_dir(n), &body.x, &mut m.feature_b);
    let round = [0.0, body.core.side_radius(body.radius)];
    manifold::intersect(m, n, &normal_a, &normal_b, round, body.reach);
    let front = body.sunk || (body.center() - corners[highest(&corners, n)]).dot(n) >= 0.0;
    let least = m.points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let found = &mut scratch.surface.found;
    if let Some(Axis { distance, a, .. }) = near.direct
        && distance <= body.reach
        && least > distance + 1e-9 * (distance.abs() + body.radius)
    {
        found.push(Found { n: *n, point: GapPoint { a, gap: distance }, face: near.face, front });
    }
    found.extend(m.points.iter().map(|&point| Found { n: *n, point, face: near.face, front }));
}

/// Step 3: leaves out what a shallower push along another normal frees as well. A wall that a small body pokes is deep
/// along most of that body's normals, and shallow along its own.
fn settle(mesh: &TriangleMesh, body: &Body, scratch: &mut SurfaceScratch) {
    let SurfaceScratch { found, normals, .. } = scratch;
    normals.clear();
    for f in found.iter().filter(|f| f.front) {
        match normals.iter_mut().find(|m| m.0.dot(&f.n) >= SAME) {
            Some(m) => m.1 = m.1.min(f.point.gap),
            None => normals.push((f.n, f.point.gap)),
        }
    }
    if normals.len() < 2 {
        return;
    }
    let depth = |n: &V3| normals.iter().find(|m| m.0.dot(n) >= SAME).map_or(0.0, |m| m.1);
    found.retain(|f| {
        let (own, corners) = (depth(&f.n), mesh.corners(f.face));
        if own >= 0.0 {
            return true;
        }
        let frees = |m: &(V3, f64)| {
            m.1 > own + 1e-9 * own.abs() && body.gap_along(&corners, &m.0) >= m.1 - 1e-9 * m.1.abs()
        };
        !f.front || !normals.iter().any(frees)
    });
}

/// Merges what was found by normal, and points nearer to each other than `near`, and hands it over.
fn emit(radius: f64, near: f64, xm: &Frame, scratch: &mut SurfaceScratch, sink: &mut Sink) {
    let SurfaceScratch { found, group, spare, .. } = scratch;
    if found.iter().any(|f| f.front) {
        found.retain(|f| f.front);
    } else if let Some(shallow) = found.iter().copied().max_by(|p, q| p.point.gap.total_cmp(&q.point.gap)) {
        // Everything is deep: among the directions the one of least depth.
        let depth = |n: &V3| {
            found.iter().filter(|f| f.n.dot(n) >= SAME).map(|f| f.point.gap).fold(f64::INFINITY, f64::min)
        };
        let n = found
            .iter()
            .map(|f| f.n)
            .fold(shallow.n, |best, n| if depth(&n) > depth(&best) { n } else { best });
        found.retain(|f| f.n.dot(&n) >= SAME);
    }
    let mut at = 0;
    while at < found.len() {
        let n = found[at].n;
        group.clear();
        // Take this normal's points out, keep the order of the rest.
        let mut kept = at;
        for k in at..found.len() {
            if found[k].n.dot(&n) >= SAME {
                group.push(found[k].point);
            } else {
                found[kept] = found[k];
                kept += 1;
            }
        }
        found.truncate(kept);
        at = 0;
        outline(group, &n, near, spare);
        let n_w = xm.r * n;
        for p in group.iter() {
            let distance = p.gap - radius;
            let p_mesh = xm.point(&p.a);
            sink.push(-n_w, p_mesh + n_w * distance, p_mesh, distance);
        }
    }
}
