//! Point contact: where two rigid shapes touch, overlap or come near, as a manifold of points.
//!
//! Every pair follows one plan, and the files differ only in how they find the first step:
//!
//! 1. **The axis.** The unit normal n (from a into b) of the shortest translation that separates the
//!    shapes, or of the shortest distance if they are apart, with the deepest pair of witness points.
//! 2. **The manifold.** The two surface features that face each other along n (polygon, segment or point) are
//!    projected along n and intersected. The gap between them is linear over the intersection, so
//!    its corners are the contact points. Corners with a gap above the margin are left out.
//! 3. **The deepest point** is always part of the answer. The depth along the best axis is a minimum of
//!    continuous functions of the pose, so the deepest depth is continuous while features switch.
//!
//! ```text
//!   half_space.rs   half-space against everything           closed form
//!   sphere.rs       sphere against sphere, box, capsule, cylinder, hull
//!   capsule.rs      capsule against capsule and box
//!   box_box.rs      separating axes, then a clipped rectangle
//!   convex.rs       everything else that is convex: gjk.rs, penetration.rs, newton.rs and epa.rs for the axis,
//!                   features.rs and manifold.rs for the points
//!   surface/        triangle surfaces against convex shapes and each other
//! ```
//!
//! | also here | |
//! |---|---|
//! | `core.rs` | a shape as a core and a radius |
//! | `reduce.rs` | fewer points without loss of area |

mod box_box;
mod capsule;
mod convex;
mod core;
mod epa;
mod features;
mod gjk;
mod half_space;
mod manifold;
mod newton;
mod penetration;
mod reduce;
mod sphere;
mod surface;

pub(crate) use gjk::on_triangle;

use crate::{Iso, M3, Shape, ShapeKind, V3};

/// Most points in the manifold of a pair of convex shapes.
pub const MAX_POINTS: usize = 8;

/// A contact point between two geoms. World frame, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// First geom; `geom_a < geom_b`.
    pub geom_a: usize,
    /// Second geom.
    pub geom_b: usize,
    /// Unit normal from a into b.
    pub normal_w: V3,
    /// Witness point on the surface of a.
    pub p_wa: V3,
    /// Witness point on the surface of b; `p_wb = p_wa + distance * normal_w`.
    pub p_wb: V3,
    /// Signed distance: negative in overlap, positive for points apart but within the margin.
    pub distance: f64,
}

/// A pose with its rotation as a matrix, the form in which the narrow phase wants it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub r: M3,
    pub p: V3,
}

impl Frame {
    pub fn new(x: &Iso) -> Self {
        Self { r: *x.rotation.to_rotation_matrix().matrix(), p: x.translation.vector }
    }

    /// Local point to world.
    #[inline]
    pub fn point(&self, q: &V3) -> V3 {
        self.r * q + self.p
    }

    /// World point to local.
    #[inline]
    pub fn local(&self, q_w: &V3) -> V3 {
        self.r.tr_mul(&(q_w - self.p))
    }

    /// World direction to local.
    #[inline]
    pub fn local_dir(&self, d_w: &V3) -> V3 {
        self.r.tr_mul(d_w)
    }

    /// Pose of `other` in this frame.
    #[inline]
    pub fn relative(&self, other: &Self) -> Self {
        Self { r: self.r.tr_mul(&other.r), p: self.local(&other.p) }
    }
}

/// Working memory of the narrow phase; grows to what is needed and is then reused.
#[derive(Debug, Default)]
pub struct Scratch {
    penetration: penetration::PenetrationScratch,
    manifold: manifold::ManifoldScratch,
    surface: surface::SurfaceScratch,
    half_space: Vec<half_space::Candidate>,
    walk: crate::hull::Walk,
    outline: reduce::OutlineScratch,
}

/// Where the points of one pair go: swaps the sides back if the pair was swapped.
pub(crate) struct Sink<'a> {
    out: &'a mut Vec<ContactPoint>,
    geoms: [usize; 2],
    swapped: bool,
    pub margin: f64,
}

impl Sink<'_> {
    /// A point with normal `n` from the first to the second shape of the narrow-phase routine.
    #[inline]
    pub fn push(&mut self, n: V3, p_first: V3, p_second: V3, distance: f64) {
        let [geom_a, geom_b] = self.geoms;
        let (normal_w, p_wa, p_wb) =
            if self.swapped { (-n, p_second, p_first) } else { (n, p_first, p_second) };
        self.out.push(ContactPoint { geom_a, geom_b, normal_w, p_wa, p_wb, distance });
    }
}

/// Distance of a point (hull frame) from a hull; 0 inside.
pub(crate) fn distance_to_hull(hull: &crate::ConvexHull, p: &V3) -> f64 {
    let x_ab = Frame { r: M3::identity(), p: *p };
    let pair = gjk::CorePair { a: core::Core::Hull(hull), b: core::Core::Point, x_ab };
    match gjk::distance(&pair, f64::INFINITY) {
        gjk::Outcome::Apart { distance, .. } => distance,
        _ => 0.0,
    }
}

/// Whether a shape at pose `x` comes as near to a point as `distance`. `found` is working memory.
pub fn is_near(
    (shape, x): (&Shape, &Iso),
    p: &V3,
    distance: f64,
    scratch: &mut Scratch,
    found: &mut Vec<ContactPoint>,
) -> bool {
    if let Shape::Convex(hull) = shape {
        let local = x.inverse_transform_point(&(*p).into()).coords;
        let bounds = hull.aabb();
        let outside = (bounds.min - local).sup(&(local - bounds.max)).max() > distance;
        if outside {
            return false;
        }
        if let Some(beyond) = hull.is_beyond(&local, distance) {
            return !beyond;
        }
    }
    let ball = Shape::Sphere { radius: distance };
    found.clear();
    contact_pair((shape, x), (&ball, &Iso::translation(p.x, p.y, p.z)), 0.0, scratch, found);
    found.iter().any(|p| p.distance <= 0.0)
}

/// Whether two shape kinds can be tested against each other.
pub fn is_supported(a: ShapeKind, b: ShapeKind) -> bool {
    a.is_bounded_convex()
        || b.is_bounded_convex()
        || (a == ShapeKind::HalfSpace) != (b == ShapeKind::HalfSpace)
        || a == ShapeKind::Mesh && b == ShapeKind::Mesh
        || a == ShapeKind::HeightField && b == ShapeKind::Mesh
        || a == ShapeKind::Mesh && b == ShapeKind::HeightField
}

/// Appends the contact points of two shapes at world poses with a distance of at most `margin`.
/// The geoms are numbered 0 and 1. Pairs that [`is_supported`] denies give no points.
pub fn contact_pair(
    (shape_a, x_wa): (&Shape, &Iso),
    (shape_b, x_wb): (&Shape, &Iso),
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let (a, b) = (Frame::new(x_wa), Frame::new(x_wb));
    dispatch([(shape_a, &a), (shape_b, &b)], [0, 1], margin, scratch, out);
}

/// Routes a pair to its routine, the lower shape kind first.
pub(crate) fn dispatch(
    pair: [(&Shape, &Frame); 2],
    geoms: [usize; 2],
    margin: f64,
    scratch: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let swapped = pair[0].0.kind() > pair[1].0.kind();
    let [(sa, xa), (sb, xb)] = if swapped { [pair[1], pair[0]] } else { pair };
    let mut sink = Sink { out, geoms, swapped, margin };
    let sink = &mut sink;
    match (sa, sb) {
        (Shape::HalfSpace, _) => half_space::contacts(xa, sb, xb, scratch, sink),
        (Shape::HeightField(_) | Shape::Mesh(_), Shape::Mesh(second)) => {
            if let Some(first) = sa.surface() {
                surface::two_meshes::contacts((first, xa), (second, xb), scratch, sink);
            }
        }
        (_, Shape::Mesh(_) | Shape::HeightField(_)) => {
            if let Some(mesh) = sb.surface() {
                let bottom = if let Shape::HeightField(field) = sb { Some(field.bottom()) } else { None };
                surface::contacts((sa, xa), (mesh, xb, bottom), scratch, sink);
            }
        }
        (Shape::Sphere { radius: ra }, Shape::Sphere { radius: rb }) => {
            sphere::sphere_sphere((*ra, &xa.p), (*rb, &xb.p), sink);
        }
        (Shape::Sphere { radius }, Shape::Box { half_extents }) => {
            sphere::sphere_box((*radius, &xa.p), (half_extents, xb), sink);
        }
        (Shape::Sphere { radius }, Shape::Capsule { radius: rb, half_length }) => {
            sphere::sphere_capsule((*radius, &xa.p), (*rb, *half_length, xb), sink);
        }
        (Shape::Sphere { radius }, Shape::Cylinder { radius: rb, half_length }) => {
            sphere::sphere_cylinder((*radius, &xa.p), (*rb, *half_length, xb), sink);
        }
        (Shape::Sphere { radius }, Shape::Convex(hull)) => {
            sphere::sphere_hull((*radius, &xa.p), (hull, xb), sink);
        }
        (Shape::Box { half_extents: ha }, Shape::Box { half_extents: hb }) => {
            box_box::contacts((ha, xa), (hb, xb), scratch, sink);
        }
        (Shape::Box { half_extents }, Shape::Capsule { radius, half_length }) => {
            capsule::box_capsule((half_extents, xa), (*radius, *half_length, xb), sink);
        }
        (Shape::Capsule { radius: ra, half_length: la }, Shape::Capsule { radius: rb, half_length: lb }) => {
            capsule::capsule_capsule((*ra, *la, xa), (*rb, *lb, xb), sink);
        }
        _ => convex::contacts((sa, xa), (sb, xb), scratch, sink),
    }
}
