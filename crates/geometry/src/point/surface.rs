//! Triangle surfaces (meshes, height fields) against convex shapes.
//!
//! A triangle alone would push along its rim, which on a surface is mostly not a rim at all. So each
//! triangle may push only along normals of the surface: its own, those of the faces around its
//! corners, or the best axis of triangle and shape, and the last two only if the triangle's corner furthest along
//! the axis is a local extreme of the whole surface there. A box sliding over a flat triangulated floor sees
//! the floor's normal and nothing else; a box on a convex edge sees the edge.
//!
//! Faces are one-sided. A face whose contact plane leaves the middle of the shape behind it (deep
//! overlap, or the far wall of a thin plate) counts only if no other does, and then only the shallowest.
//! Points with one normal are merged to the outline of their union.

use super::core::Core;
use super::gjk::{CorePair, on_triangle};
use super::manifold::GapPoint;
use super::reduce::outline;
use super::{Frame, Scratch, Sink, convex, features, manifold};
use crate::{Aabb, Shape, TriangleMesh, V3};

/// Sine of the angle by which a corner may miss being a local extreme.
const SLACK: f64 = 1e-6;
/// Cosine above which two normals are merged to one group (half a milliradian).
const SAME: f64 = 1.0 - 1e-7;
/// Cosine above which a direction is taken for a face's normal (1e-5 radian: rounding of the vertices).
const SNAP: f64 = 1.0 - 1e-10;

#[derive(Debug, Clone, Copy)]
struct Found {
    n: V3,
    point: GapPoint,
    /// Whether the middle of the shape lies in front of the contact plane.
    front: bool,
}

/// Working memory.
#[derive(Debug, Default)]
pub(crate) struct SurfaceScratch {
    faces: Vec<usize>,
    found: Vec<Found>,
    group: Vec<GapPoint>,
    spare: Vec<GapPoint>,
}

/// Contact points of a convex shape (first) with a surface.
pub(crate) fn contacts(
    (shape, xs): (&Shape, &Frame),
    (mesh, xm): (&TriangleMesh, &Frame),
    scratch: &mut Scratch,
    sink: &mut Sink,
) {
    let Some((core, radius)) = Core::of(shape) else { return };
    let x = xm.relative(xs);
    let reach = radius + sink.margin;
    let mut faces = std::mem::take(&mut scratch.surface.faces);
    faces.clear();
    mesh.bvh().query(&bounds(&core, &x).grown(reach.max(0.0)), |f| faces.push(f));
    faces.sort_unstable();
    scratch.surface.found.clear();
    if let Core::Point = core {
        point_faces(mesh, &faces, &x.p, radius, reach, &mut scratch.surface.found);
    } else {
        for &f in &faces {
            face_contacts(mesh, f, core, &x, radius, reach, scratch);
        }
    }
    scratch.surface.faces = faces;
    emit(radius, xm, &mut scratch.surface, sink);
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
fn point_faces(
    mesh: &TriangleMesh,
    faces: &[usize],
    c: &V3,
    radius: f64,
    reach: f64,
    found: &mut Vec<Found>,
) {
    let mut nearest: Option<(f64, V3, usize)> = None;
    for &f in faces {
        let [p, q, r] = mesh.corners(f);
        let (d, w) = on_triangle(&(p - c), &(q - c), &(r - c)); // from the centre to the face
        let length = d.norm();
        if nearest.as_ref().is_none_or(|b| length < b.0) {
            nearest = Some((length, d, f));
        }
        let side = mesh.normals()[f].dot(&(c - p));
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
            found.push(Found { n, point, front: true });
        }
    }
    // The centre is below the surface: out the shortest way.
    if let Some((length, d, f)) = nearest
        && found.is_empty()
        && mesh.normals()[f].dot(&d) > 0.0
    {
        let n = if length > 0.0 { d / length } else { mesh.normals()[f] };
        found.push(Found { n, point: GapPoint { a: c + d, gap: -length }, front: false });
    }
}

/// Whether `n` is a normal of the surface at the corner of `face` furthest along it.
fn is_surface_normal(mesh: &TriangleMesh, face: usize, n: &V3) -> bool {
    let along = mesh.normals()[face].dot(n);
    if along >= SNAP {
        return true;
    }
    let v = mesh.faces()[face];
    let s = v.map(|i| mesh.vertices()[i as usize].dot(n));
    let top = if s[0] >= s[1] && s[0] >= s[2] {
        0
    } else if s[1] >= s[2] {
        1
    } else {
        2
    };
    along >= 0.0 && mesh.is_local_extreme(v[top], n, SLACK)
}

/// Contacts of one face with a core other than a point.
fn face_contacts(
    mesh: &TriangleMesh,
    face: usize,
    core: Core,
    x: &Frame,
    radius: f64,
    reach: f64,
    scratch: &mut Scratch,
) {
    let corners = mesh.corners(face);
    let normal = mesh.normals()[face];
    // Gap between the face's highest corner and the core's lowest point along m.
    let gap_along = |m: &V3| {
        let low = x.p.dot(m) + core.support(&-x.local_dir(m)).dot(&x.local_dir(m));
        low - corners.iter().map(|p| p.dot(m)).fold(f64::NEG_INFINITY, f64::max)
    };
    if gap_along(&normal) > reach {
        return;
    }
    let pair = CorePair { a: Core::Triangle(corners), b: core, x_ab: *x };
    let Some(axis) = convex::axis(&pair, reach, &normal, &mut scratch.epa) else { return };
    let direct = is_surface_normal(mesh, face, &axis.n);
    let mut n = if normal.dot(&axis.n) >= SNAP { normal } else { axis.n };
    if !direct {
        n = normal;
        let mut best = gap_along(&normal);
        for v in mesh.faces()[face] {
            for &f in mesh.fan(v as usize) {
                let m = mesh.normals()[f as usize];
                if m.dot(&normal) < SAME && is_surface_normal(mesh, face, &m) {
                    let gap = gap_along(&m);
                    if gap > best + 1e-12 * gap.abs() {
                        (best, n) = (gap, m);
                    }
                }
            }
        }
        if best > reach {
            return;
        }
    }
    let at_origin = Frame { r: nalgebra::Matrix3::identity(), p: V3::zeros() };
    let m = &mut scratch.manifold;
    let normal_a = features::facing(&pair.a, &n, &at_origin, &mut m.feature_a);
    let normal_b = features::facing(&core, &-x.local_dir(&n), x, &mut m.feature_b);
    manifold::intersect(m, &n, &normal_a, &normal_b, reach);
    let top = corners.iter().map(|p| p.dot(&n)).fold(f64::NEG_INFINITY, f64::max);
    let front = x.point(&core.center()).dot(&n) >= top;
    let least = m.points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min);
    let found = &mut scratch.surface.found;
    if direct && least > axis.distance + 1e-9 * (axis.distance.abs() + radius) && axis.distance <= reach {
        found.push(Found { n, point: GapPoint { a: axis.a, gap: axis.distance }, front });
    }
    found.extend(m.points.iter().map(|&point| Found { n, point, front }));
}

/// Merges what was found by normal and hands it over.
fn emit(radius: f64, xm: &Frame, scratch: &mut SurfaceScratch, sink: &mut Sink) {
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
        outline(group, &n, spare);
        let n_w = xm.r * n;
        for p in group.iter() {
            let distance = p.gap - radius;
            let p_mesh = xm.point(&p.a);
            sink.push(-n_w, p_mesh + n_w * distance, p_mesh, distance);
        }
    }
}
