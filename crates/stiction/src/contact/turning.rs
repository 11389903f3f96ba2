//! Friction of a contact point by direction, and its torsional and rolling friction ([`stiction_convex::friction::ellipse`]).

use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use crate::model::material::PairMaterial;
use nalgebra::{Matrix3, Vector3};
use stiction_convex::{Ellipse, frame_from_normal};
use stiction_geometry::Shape;
use stiction_model::Pose;

/// Coefficients of a pair beside sliding friction along the first axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Turning {
    /// Sliding friction along the second axis, if it differs.
    pub second: Option<f64>,
    /// Torsional friction, m, and its part that grows with the root of the depth, √m.
    pub torsion: f64,
    pub torsion_by_depth: f64,
    /// Rolling friction about the two axes, m.
    pub rolling: [f64; 2],
}

impl Turning {
    /// The scales of the slip at a penetration, over those of the sliding coefficient `mu`, and that coefficient's scale if it
    /// is zero. `None` if friction is plain.
    pub fn ellipse(&self, mu: f64, penetration: f64) -> Option<Ellipse> {
        if *self == Self::default() {
            return None;
        }
        let torsion = self.torsion + self.torsion_by_depth * penetration.max(0.0).sqrt();
        let [x, y] = self.rolling;
        let coefficients = [mu, self.second.unwrap_or(mu), torsion, x, y];
        let over = if mu > 0.0 { mu } else { 1.0 };
        Some(Ellipse { scales: coefficients.map(|c| c / over) })
    }
}

impl PairMaterial {
    /// Scales of the slip of a point, and the coefficients that they scale.
    pub(crate) fn friction(&self, penetration: f64) -> (Option<Ellipse>, [f64; 2]) {
        let (fixed, moving) = (self.static_friction, self.dynamic_friction);
        let ellipse = self.turning.ellipse(moving, penetration);
        match ellipse {
            Some(_) if moving == 0.0 => (ellipse, [1.0; 2]),
            _ => (ellipse, [fixed, moving]),
        }
    }
}

/// The contact frame of a point with an ellipse. Where the two axes of the frame differ, it is MuJoCo's: the first axis is y, or
/// z where the normal is within 60° of y, projected to the tangent plane; of a capsule on a half-space it is the capsule's
/// axis. The second is normal × first.
pub(crate) fn frame(
    compiled: &Compiled,
    x_wb: &[Pose],
    turning: &Turning,
    geoms: GeomPair,
    normal: &Vector3<f64>,
) -> Matrix3<f64> {
    if turning.second.is_none() && turning.rolling[0] == turning.rolling[1] {
        return frame_from_normal(normal);
    }
    let (a, b) = (compiled.geom(geoms.0), compiled.geom(geoms.1));
    let hint = match (&a.shape, &b.shape) {
        (Shape::HalfSpace, Shape::Capsule { .. }) => x_wb[b.body].rotation * b.x_bg.rotation * Vector3::z(),
        (Shape::Capsule { .. }, Shape::HalfSpace) => x_wb[a.body].rotation * a.x_bg.rotation * Vector3::z(),
        _ if normal.y.abs() < 0.5 => Vector3::y(),
        _ => Vector3::z(),
    };
    let across = hint - normal * normal.dot(&hint);
    // An upright capsule has no axis in the plane.
    let Some(first) = across.try_normalize(1e-6) else { return frame_from_normal(normal) };
    Matrix3::from_columns(&[first, normal.cross(&first), *normal])
}
