//! Where two bodies touch, and the frame in which that is described.

use nalgebra::{Matrix3, Vector2, Vector3};
use stiction_geometry::{ContactPoint, GeomSet};

/// A point at which two bodies touch. World frame, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointContact {
    /// Index of body A.
    pub body_a: usize,
    /// Index of body B, on which impulses act.
    pub body_b: usize,
    /// The point.
    pub point: Vector3<f64>,
    /// The contact frame: columns t1, t2 and the normal n, from A into B.
    pub frame: Matrix3<f64>,
    /// Friction coefficients along t1 and t2.
    pub friction: Vector2<f64>,
    /// Distance between the surfaces, negative in overlap.
    pub distance: f64,
    /// The geoms it was found between, if it was found.
    pub geoms: Option<(usize, usize)>,
}

impl PointContact {
    /// A contact with the same friction in all directions; `normal` (unit) points from A into B.
    pub fn new(
        body_a: usize,
        body_b: usize,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        friction: f64,
    ) -> Self {
        let frame = tangents(&normal);
        let friction = Vector2::repeat(friction);
        Self { body_a, body_b, point, frame, friction, distance: 0.0, geoms: None }
    }

    /// The same contact with t1 along the part of `direction` that is tangent; unchanged if there is none.
    pub fn along(mut self, direction: &Vector3<f64>) -> Self {
        let n: Vector3<f64> = self.frame.column(2).into();
        let tangent = direction - n * n.dot(direction);
        if let Some(t1) = tangent.try_normalize(1e-12 * direction.norm().max(f64::MIN_POSITIVE)) {
            self.frame = Matrix3::from_columns(&[t1, n.cross(&t1), n]);
        }
        self
    }

    /// The normal, from A into B.
    pub fn normal(&self) -> Vector3<f64> {
        self.frame.column(2).into()
    }
}

/// A right-handed frame [t1 t2 n] about a unit normal. Where n is vertical, t1 is the world's x axis; it is
/// always the direction nearest to x, or to y where n is nearly x.
pub fn tangents(normal: &Vector3<f64>) -> Matrix3<f64> {
    let x = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    let t1 = (x - normal * normal.dot(&x)).normalize();
    Matrix3::from_columns(&[t1, normal.cross(&t1), *normal])
}

/// The points no further apart than `touch` (m; overlap always counts) as contacts between the geoms' bodies,
/// half-way between the two surfaces. `friction(geom_a, geom_b)` is asked for every point.
pub fn touching(
    points: &[ContactPoint],
    geoms: &GeomSet,
    touch: f64,
    friction: impl Fn(usize, usize) -> f64,
) -> Vec<PointContact> {
    let near = points.iter().filter(|p| p.distance <= touch);
    near.map(|p| {
        let bodies = (geoms.geoms()[p.geom_a].body, geoms.geoms()[p.geom_b].body);
        let middle = 0.5 * (p.p_wa + p.p_wb);
        let mu = friction(p.geom_a, p.geom_b);
        let contact = PointContact::new(bodies.0, bodies.1, middle, p.normal_w, mu);
        PointContact { distance: p.distance, geoms: Some((p.geom_a, p.geom_b)), ..contact }
    })
    .collect()
}
