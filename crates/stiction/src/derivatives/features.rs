//! Contact geometry in closed form: derivatives of a contact point, its normal and its distance by the relative
//! pose.
//!
//! Every pair covered here is a point c with a radius r on one body X (a ball's centre, a corner, an end of a capsule)
//! against a feature of the other, Y: a plane, an edge, or a point, with a radius r_Y about it. With m the unit normal
//! from Y to X, L the distance of c from the feature and Π the projector on the directions in which the feature
//! curves away (none for a plane, across an edge, all but m for a point), seen from Y:
//!
//! ```text
//! δφ = m · δc      δm = Π δc / L      δp_X = δc − r δm      δp_Y = (1 − m mᵀ − Π) δc + r_Y δm
//! ```

use nalgebra::{Matrix3, Matrix3x6, RowVector6, Vector3};
use stiction_geometry::{ContactPoint, Shape};
use stiction_model::Pose;

/// A shape at its pose in the world.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub shape: &'a Shape,
    pub pose: &'a Pose,
}

/// Derivatives of one contact point by the displacement [angular; linear] of body b about a point P while a stays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointChange {
    /// Of the signed distance.
    pub distance: RowVector6<f64>,
    /// Of the normal from a into b.
    pub normal: Matrix3x6<f64>,
    /// Of the witness points, a's and b's.
    pub witness: [Matrix3x6<f64>; 2],
}

/// A point against a feature.
struct Feature {
    /// Whether X, the point's side, is b.
    point_on_b: bool,
    c: Vector3<f64>,
    radius: f64,
    /// From Y to X.
    m: Vector3<f64>,
    /// Π/L.
    curvature: Matrix3<f64>,
    /// Directions along which the projection of c slides: 1 − m mᵀ − Π.
    flat: Matrix3<f64>,
    feature_radius: f64,
}

/// Derivatives of a contact point between `a` and `b`, or `None` if there is no closed form here.
pub(super) fn change(
    point: &ContactPoint,
    a: Placed,
    b: Placed,
    reference: &Vector3<f64>,
) -> Option<PointChange> {
    Some(feature(point, a, b)?.change(point, reference))
}

/// The displacement of a point at `arm` from P under a twist about P: [−arm× 1].
pub(super) fn displacement(arm: &Vector3<f64>) -> Matrix3x6<f64> {
    let mut e = Matrix3x6::zeros();
    e.fixed_view_mut::<3, 3>(0, 0).copy_from(&-arm.cross_matrix());
    e.fixed_view_mut::<3, 3>(0, 3).fill_with_identity();
    e
}

impl Feature {
    fn change(&self, point: &ContactPoint, reference: &Vector3<f64>) -> PointChange {
        let moved = displacement(&(self.c - reference));
        // Seen from Y, X's point moves with the displacement of b, or against it.
        let dc = if self.point_on_b { moved } else { -moved };
        let distance = self.m.transpose() * dc;
        let dm = self.curvature * dc;
        let x = dc - self.radius * dm;
        let y = self.flat * dc + self.feature_radius * dm;
        if self.point_on_b {
            return PointChange { distance, normal: dm, witness: [y, x] };
        }
        // Seen from a, which is X, everything also moves with b, which is Y.
        let carried = |d: Matrix3x6<f64>, p: &Vector3<f64>| d + displacement(&(p - reference));
        let mut turned = dm;
        let mut angular = turned.fixed_view_mut::<3, 3>(0, 0);
        angular -= self.m.cross_matrix();
        PointChange { distance, normal: -turned, witness: [carried(x, &point.p_wa), carried(y, &point.p_wb)] }
    }
}

fn feature(point: &ContactPoint, a: Placed, b: Placed) -> Option<Feature> {
    let identity = Matrix3::identity();
    let is_plane = |s: &Shape| matches!(s, Shape::HalfSpace);
    let is_ball = |s: &Shape| matches!(s, Shape::Sphere { .. });
    let point_on_b = is_plane(a.shape) || (!is_plane(b.shape) && is_ball(b.shape));
    let (x, y, m) = if point_on_b { (b, a, point.normal_w) } else { (a, b, -point.normal_w) };
    let witness = if point_on_b { point.p_wb } else { point.p_wa };
    let across = identity - m * m.transpose();
    let flat = |c, radius| Feature {
        point_on_b,
        c,
        radius,
        m,
        curvature: Matrix3::zeros(),
        flat: across,
        feature_radius: 0.0,
    };
    if is_plane(y.shape) {
        return match *x.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => {
                Some(flat(witness + radius * m, radius))
            }
            Shape::Box { .. } | Shape::Convex(_) | Shape::Mesh(_) | Shape::HeightField(_) => {
                Some(flat(witness, 0.0))
            }
            _ => None,
        };
    }
    let Shape::Sphere { radius } = *x.shape else { return None };
    let c = x.pose.translation.vector;
    // The feature of Y nearest to c: its foot, and the directions along which it is straight.
    let (foot, straight, feature_radius) = match *y.shape {
        Shape::Sphere { radius } => (y.pose.translation.vector, Matrix3::zeros(), radius),
        Shape::Capsule { radius, half_length } => {
            let axis = y.pose.rotation * Vector3::z();
            let t = axis.dot(&(c - y.pose.translation.vector));
            let foot = y.pose.translation.vector + axis * t.clamp(-half_length, half_length);
            (foot, if t.abs() < half_length { axis * axis.transpose() } else { Matrix3::zeros() }, radius)
        }
        Shape::Box { half_extents: h } => {
            let p = y.pose.inverse_transform_point(&c.into()).coords;
            let q = p.zip_map(&h, |c, h| c.clamp(-h, h));
            if p == q {
                return Some(flat(c, radius)); // a centre inside exits through a face
            }
            let mut straight = Matrix3::zeros();
            for k in (0..3).filter(|&k| p[k].abs() < h[k]) {
                let axis = y.pose.rotation * Vector3::ith(k, 1.0);
                straight += axis * axis.transpose();
            }
            ((y.pose * nalgebra::Point3::from(q)).coords, straight, 0.0)
        }
        _ => return None,
    };
    let length = (c - foot).norm();
    (length > 1e-9).then(|| Feature {
        point_on_b,
        c,
        radius,
        m,
        curvature: (across - straight) / length,
        flat: straight,
        feature_radius,
    })
}
