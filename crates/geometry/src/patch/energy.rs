//! The energy stored in a contact (PFC eq. 4.4): the integral of the pressure field over what is displaced.
//!
//! ```text
//!     U = integral of min(p_a, p_b) over the overlap,         rigid side: infinite pressure
//! ```
//!
//! A is displaced where p_a < p_b and B where p_b < p_a, so the two parts of PFC 4.4.1 together are this one integral. It is
//! exact: tetrahedra are cut by planes into tetrahedra, and on each the integrand is linear. A rigid surface is the sum of the
//! signed tetrahedra from one point to its triangles.
//!
//! For tests and energy balances; every pair of elements is looked at, and nothing is kept between calls.

use nalgebra::Isometry3;

use super::pair::{ContactSolid, PatchError};
use crate::solid::linear::{Field, Pose};
use crate::solid::{Cell, RigidMesh, Solid};
use crate::{Aabb, V3};

type Tet = [V3; 4];

/// Energy stored between two solids at poses `x_wa`, `x_wb`, J. Allocates.
pub fn strain_energy(
    a: &ContactSolid,
    x_wa: &Isometry3<f64>,
    b: &ContactSolid,
    x_wb: &Isometry3<f64>,
) -> Result<f64, PatchError> {
    use ContactSolid::{Compliant, CompliantHalfSpace, Rigid, RigidHalfSpace};
    ContactSolid::check_pair(a, b)?;
    // Everything in the frame of the first one of the pattern; `x` is the pose of the second one there.
    let x_ab = Pose::relative(x_wa, x_wb);
    let x_ba = x_ab.inverse();
    Ok(match (a, b) {
        (Compliant(s), Compliant(o)) => between_solids(s, o, &x_ab),
        (Compliant(s), Rigid(o)) => with_rigid(s, o, &x_ab),
        (Rigid(o), Compliant(s)) => with_rigid(s, o, &x_ba),
        (Compliant(s), RigidHalfSpace) => with_half_space(s, None, &x_ab),
        (RigidHalfSpace, Compliant(s)) => with_half_space(s, None, &x_ba),
        (Compliant(s), CompliantHalfSpace { modulus, thickness }) => {
            with_half_space(s, Some(modulus / thickness), &x_ab)
        }
        (CompliantHalfSpace { modulus, thickness }, Compliant(s)) => {
            with_half_space(s, Some(modulus / thickness), &x_ba)
        }
        (Rigid(m), CompliantHalfSpace { modulus, thickness }) => {
            rigid_in_half_space(m, modulus / thickness, &x_ab)
        }
        (CompliantHalfSpace { modulus, thickness }, Rigid(m)) => {
            rigid_in_half_space(m, modulus / thickness, &x_ba)
        }
        _ => 0.0,
    })
}

/// The part of a half-space z <= 0 at pose `x`: normal, offset.
fn plane(x: &Pose) -> (V3, f64) {
    let n = x.vector(&V3::z());
    (n, n.dot(&x.p))
}

fn between_solids(a: &Solid, b: &Solid, x_ab: &Pose) -> f64 {
    let mut cut = Cutter::default();
    let others: Vec<(Cell, Aabb)> = b
        .cells
        .iter()
        .map(|c| Cell::new(c.vertices().map(|v| x_ab.point(&v)), c.p, c.id))
        .map(|c| (c, Aabb::of_points(&c.vertices())))
        .collect();
    let mut sum = 0.0;
    for cell in &a.cells {
        let bounds = Aabb::of_points(&cell.vertices());
        for (other, _) in others.iter().filter(|(_, o)| bounds.overlaps(o)) {
            cut.start(cell.vertices());
            cut.keep_inside(other);
            sum += cut.integral_of_least(&cell.field, &other.field);
        }
    }
    sum
}

fn with_rigid(s: &Solid, m: &RigidMesh, x: &Pose) -> f64 {
    let mut cut = Cutter::default();
    let mut sum = 0.0;
    let apex = x.point(&m.facets[0].v[0]);
    let cones: Vec<(Tet, Aabb)> = m
        .facets
        .iter()
        .map(|f| [apex, x.point(&f.v[0]), x.point(&f.v[1]), x.point(&f.v[2])])
        .map(|t| (t, Aabb::of_points(&t)))
        .collect();
    for cell in &s.cells {
        let bounds = Aabb::of_points(&cell.vertices());
        for (cone, _) in cones.iter().filter(|(_, c)| bounds.overlaps(c)) {
            cut.start(*cone);
            cut.keep_inside(cell);
            sum += signed_volume(cone).signum() * cut.integral(&cell.field);
        }
    }
    sum
}

fn with_half_space(s: &Solid, slope: Option<f64>, x: &Pose) -> f64 {
    let (n, d) = plane(x);
    let mut cut = Cutter::default();
    let mut sum = 0.0;
    for cell in &s.cells {
        cut.start(cell.vertices());
        cut.keep_below(&n, d);
        sum += match slope {
            None => cut.integral(&cell.field),
            Some(k) => cut.integral_of_least(&cell.field, &Field { grad: -n * k, offset: k * d }),
        };
    }
    sum
}

fn rigid_in_half_space(m: &RigidMesh, slope: f64, x: &Pose) -> f64 {
    let (n, d) = plane(x);
    let field = Field { grad: -n * slope, offset: slope * d };
    let mut cut = Cutter::default();
    let apex = m.facets[0].v[0];
    let cone = |f: &crate::solid::Facet| -> Tet { [apex, f.v[0], f.v[1], f.v[2]] };
    let mut sum = 0.0;
    for t in m.facets.iter().map(cone) {
        cut.start(t);
        cut.keep_below(&n, d);
        sum += signed_volume(&t).signum() * cut.integral(&field);
    }
    sum
}

fn signed_volume(t: &Tet) -> f64 {
    (t[1] - t[0]).dot(&(t[2] - t[0]).cross(&(t[3] - t[0]))) / 6.0
}

/// Whether the interiors of two tetrahedra share a part of at least `share` of the smaller volume.
pub(super) fn tets_overlap(a: &Tet, b: &Cell, share: f64) -> bool {
    let mut cut = Cutter::default();
    cut.start(*a);
    cut.keep_inside(b);
    let common = cut.integral(&Field { grad: V3::zeros(), offset: 1.0 });
    common > share * signed_volume(a).abs().min(signed_volume(&b.vertices()).abs())
}

/// A set of tetrahedra that is cut by planes.
#[derive(Default)]
struct Cutter {
    tets: Vec<Tet>,
    next: Vec<Tet>,
}

impl Cutter {
    fn start(&mut self, t: Tet) {
        self.tets.clear();
        self.tets.push(t);
    }

    /// Keeps what has n . r <= d.
    fn keep_below(&mut self, n: &V3, d: f64) {
        self.next.clear();
        let next = &mut self.next;
        for t in &self.tets {
            let h = t.map(|v| n.dot(&v) - d);
            let cut = |i: usize, j: usize| t[i] + (t[j] - t[i]) * (h[i] / (h[i] - h[j]));
            // Inside corners first, each part in its old order.
            let mut order = [0, 1, 2, 3];
            order.sort_by_key(|&i| h[i] > 0.0);
            let [i, j, k, l] = order;
            let mut prism = |a: [V3; 3], b: [V3; 3]| {
                next.extend([[a[0], a[1], a[2], b[2]], [a[0], a[1], b[2], b[1]], [a[0], b[1], b[2], b[0]]]);
            };
            match h.iter().filter(|h| **h <= 0.0).count() {
                4 => next.push(*t),
                3 => prism([t[i], t[j], t[k]], [cut(i, l), cut(j, l), cut(k, l)]),
                2 => prism([t[i], cut(i, k), cut(i, l)], [t[j], cut(j, k), cut(j, l)]),
                1 => next.push([t[i], cut(i, j), cut(i, k), cut(i, l)]),
                _ => {}
            }
        }
        std::mem::swap(&mut self.tets, &mut self.next);
    }

    /// Keeps what lies in a tetrahedron.
    fn keep_inside(&mut self, cell: &Cell) {
        for (n, d) in [0, 1, 2, 3].map(|i| cell.face(i)) {
            self.keep_below(&n, d);
        }
    }

    fn integral(&self, f: &Field) -> f64 {
        let mean = |t: &Tet| t.iter().map(|v| f.at(v)).sum::<f64>() / 4.0;
        self.tets.iter().map(|t| signed_volume(t).abs() * mean(t)).sum()
    }

    /// The integral of the smaller of two fields; the plane on which they are equal cuts each tetrahedron.
    fn integral_of_least(&mut self, one: &Field, two: &Field) -> f64 {
        if self.tets.is_empty() {
            return 0.0;
        }
        let excess = one.grad - two.grad;
        let whole = self.integral(two);
        // min(one, two) = two + min(one − two, 0)
        self.keep_below(&excess, two.offset - one.offset);
        whole + self.integral(&Field { grad: excess, offset: one.offset - two.offset })
    }
}
