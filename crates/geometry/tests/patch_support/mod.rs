//! Shared by the tests of patches.
#![allow(dead_code)]

use std::sync::Arc;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use stiction_geometry::Shape;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, Patch, PatchFaces, PatchOptions, PatchScratch, contact_patch,
};
use stiction_geometry::solid::{MeshOptions, RigidMesh, Solid};

pub type V3 = Vector3<f64>;
pub type Iso = Isometry3<f64>;

pub const ALL: PatchOptions = PatchOptions {
    tessellation: stiction_geometry::patch::Tessellation::Polygons,
    filter: FaceFilter::All,
    margin: 0.0,
    max_face_edge: f64::INFINITY,
    vertices: true,
};

pub fn solid(shape: &Shape, modulus: f64, hint: f64) -> Arc<Solid> {
    Arc::new(Solid::from_shape(shape, modulus, &MeshOptions::with_hint(hint)).unwrap())
}

pub fn compliant(shape: &Shape, modulus: f64, hint: f64) -> ContactSolid {
    ContactSolid::Compliant(solid(shape, modulus, hint))
}

pub fn rigid(shape: &Shape, hint: f64) -> ContactSolid {
    ContactSolid::Rigid(Arc::new(RigidMesh::from_shape(shape, &MeshOptions::with_hint(hint)).unwrap()))
}

pub fn at(x: f64, y: f64, z: f64) -> Iso {
    Iso::translation(x, y, z)
}

pub fn pose(t: [f64; 3], r: [f64; 3]) -> Iso {
    Iso::from_parts(Translation3::new(t[0], t[1], t[2]), UnitQuaternion::from_scaled_axis(V3::from(r)))
}

pub fn patch(
    a: &ContactSolid,
    x_wa: &Iso,
    b: &ContactSolid,
    x_wb: &Iso,
    options: &PatchOptions,
) -> (Patch, PatchFaces) {
    let mut out = PatchFaces::default();
    let p = contact_patch(a, x_wa, b, x_wb, options, &mut PatchScratch::default(), &mut out).unwrap();
    (p, out)
}

/// Keeps the parts of tetrahedra with n . r <= d.
fn keep_below(tets: Vec<[V3; 4]>, n: &V3, d: f64) -> Vec<[V3; 4]> {
    let mut out = Vec::new();
    for t in tets {
        let s = t.map(|v| n.dot(&v) - d);
        let cut = |i: usize, j: usize| t[i] + (t[j] - t[i]) * (s[i] / (s[i] - s[j]));
        let inside: Vec<usize> = (0..4).filter(|&i| s[i] <= 0.0).collect();
        let outside: Vec<usize> = (0..4).filter(|&i| s[i] > 0.0).collect();
        let mut prism = |a: [V3; 3], b: [V3; 3]| {
            out.extend([[a[0], a[1], a[2], b[2]], [a[0], a[1], b[2], b[1]], [a[0], b[1], b[2], b[0]]]);
        };
        match (inside.as_slice(), outside.as_slice()) {
            (_, []) => out.push(t),
            ([], _) => {}
            ([i], &[a, b, c]) => out.push([t[*i], cut(*i, a), cut(*i, b), cut(*i, c)]),
            (&[a, b, c], [o]) => prism([t[a], t[b], t[c]], [cut(a, *o), cut(b, *o), cut(c, *o)]),
            (&[i, j], &[a, b]) => prism([t[i], cut(i, a), cut(i, b)], [t[j], cut(j, a), cut(j, b)]),
            _ => unreachable!(),
        }
    }
    out
}

fn volume(t: &[V3; 4]) -> f64 {
    ((t[1] - t[0]).dot(&(t[2] - t[0]).cross(&(t[3] - t[0])))).abs() / 6.0
}

fn integral(tets: &[[V3; 4]], f: &impl Fn(&V3) -> f64) -> f64 {
    tets.iter().map(|t| volume(t) * t.iter().map(f).sum::<f64>() / 4.0).sum()
}

fn world_tets(s: &Solid, x: &Iso) -> Vec<([V3; 4], V3, f64)> {
    (0..s.tets().len())
        .map(|k| {
            let v = s.tets()[k].map(|i| (x * nalgebra::Point3::from(s.vertices()[i as usize])).coords);
            let (grad, offset) = s.field(k);
            let grad = x.rotation * grad;
            (v, grad, offset - grad.dot(&x.translation.vector))
        })
        .collect()
}

fn face_planes(t: &[V3; 4]) -> [(V3, f64); 4] {
    std::array::from_fn(|i| {
        let o: Vec<V3> = (0..4).filter(|&j| j != i).map(|j| t[j]).collect();
        let mut n = (o[1] - o[0]).cross(&(o[2] - o[0])).normalize();
        if n.dot(&(t[i] - o[0])) > 0.0 {
            n = -n;
        }
        (n, n.dot(&o[0]))
    })
}

/// Energy stored in two overlapping solids, the integral of min(p_a, p_b) over the overlap; with
/// `a_rigid` the first counts as infinitely stiff. By clipping every pair of tetrahedra.
pub fn energy(a: &Solid, x_wa: &Iso, b: &Solid, x_wb: &Iso, a_rigid: bool) -> f64 {
    let (ta, tb) = (world_tets(a, x_wa), world_tets(b, x_wb));
    let mut u = 0.0;
    for (va, ga, sa) in &ta {
        for (vb, gb, sb) in &tb {
            let mut parts = vec![*va];
            for (n, d) in face_planes(vb) {
                parts = keep_below(parts, &n, d);
                if parts.is_empty() {
                    break;
                }
            }
            if parts.is_empty() {
                continue;
            }
            let pa = |r: &V3| ga.dot(r) + sa;
            let pb = |r: &V3| gb.dot(r) + sb;
            if a_rigid {
                u += integral(&parts, &pb);
                continue;
            }
            // p_a <= p_b: (ga - gb) . r <= sb - sa
            let h = ga - gb;
            u += integral(&keep_below(parts.clone(), &h, sb - sa), &pa);
            u += integral(&keep_below(parts, &-h, sa - sb), &pb);
        }
    }
    u
}

/// Energy of a solid against a half-space z <= 0 (world): rigid, or with pressure -steep z.
pub fn energy_half_space(s: &Solid, x: &Iso, steep: Option<f64>) -> f64 {
    let mut u = 0.0;
    for (v, g, o) in world_tets(s, x) {
        let parts = keep_below(vec![v], &V3::z(), 0.0);
        let p = |r: &V3| g.dot(r) + o;
        match steep {
            None => u += integral(&parts, &p),
            Some(k) => {
                let q = |r: &V3| -k * r.z;
                let h = g + V3::z() * k; // p <= q: (g + k z) . r <= -o
                u += integral(&keep_below(parts.clone(), &h, -o), &p);
                u += integral(&keep_below(parts, &-h, o), &q);
            }
        }
    }
    u
}

/// A pose moved along a world twist (angular, linear) for time t.
pub fn moved(x: &Iso, w: &V3, v: &V3, t: f64) -> Iso {
    Iso::from_parts(
        Translation3::from(x.translation.vector + v * t),
        UnitQuaternion::from_scaled_axis(w * t) * x.rotation,
    )
}
