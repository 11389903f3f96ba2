//! Mirrorings and turns of the floor under which its friction looks the same.
//!
//! They are taken out of the networks' inputs exactly: the patch is turned so that Coulomb friction points into one
//! wedge, the networks see only that, and their answer is turned back.

use crate::patch::Patch;
use nalgebra::{Matrix2, Matrix3, Matrix6, Vector2, Vector3, Vector6};

/// What leaves the friction of the floor unchanged, about its t1 and t2 axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Nothing.
    None,
    /// Mirroring t1 and t2: a floor with two principal axes.
    Mirror,
    /// Also exchanging them: a pyramid with one coefficient.
    Square,
    /// Any turn and mirroring: an isotropic floor.
    Round,
}

impl Symmetry {
    /// In files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mirror => "mirror",
            Self::Square => "square",
            Self::Round => "round",
        }
    }

    /// The one of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Mirror, Self::Square, Self::Round].into_iter().find(|s| s.name() == name)
    }

    /// The turn that brings `slip`, a direction in the floor, into the wedge, and makes `spin` (about the normal)
    /// positive where that is left to choose.
    pub fn turn(self, slip: &Vector2<f64>, spin: f64) -> Turn {
        let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
        let mirror = Matrix2::new(sign(slip.x), 0.0, 0.0, sign(slip.y));
        Turn(match self {
            Self::None => Matrix2::identity(),
            Self::Mirror => mirror,
            Self::Square if slip.y.abs() > slip.x.abs() => Matrix2::new(0.0, 1.0, 1.0, 0.0) * mirror,
            Self::Square => mirror,
            Self::Round => {
                let d = slip.try_normalize(1e-300).unwrap_or_else(Vector2::x);
                Matrix2::new(1.0, 0.0, 0.0, sign(spin)) * Matrix2::new(d.x, d.y, -d.y, d.x)
            }
        })
    }
}

/// An orthogonal map of the floor: a turn, or a mirroring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn(Matrix2<f64>);

impl Turn {
    /// −1 for a mirroring, which turns axial vectors round.
    fn sense(&self) -> f64 {
        self.0.determinant().signum()
    }

    fn space(&self) -> Matrix3<f64> {
        let mut m = Matrix3::identity();
        m.fixed_view_mut::<2, 2>(0, 0).copy_from(&self.0);
        m
    }

    fn spatial(&self) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&(self.space() * self.sense()));
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.space());
        m
    }

    /// The patch as it looks after the map. Its `frame` is left alone: only patch coordinates change.
    pub fn patch(&self, patch: &Patch) -> Patch {
        let (space, spatial) = (self.space(), self.spatial());
        Patch {
            centre: space * patch.centre,
            offsets: patch.offsets.iter().map(|o| space * o).collect(),
            mobility: spatial * patch.mobility * spatial.transpose(),
            twist: spatial * patch.twist,
            ..patch.clone()
        }
    }

    /// Friction (p₁, p₂, m_n) after the map.
    pub fn friction(&self, f: &Vector3<f64>) -> Vector3<f64> {
        let t = self.0 * f.xy();
        Vector3::new(t.x, t.y, self.sense() * f.z)
    }

    /// Friction before the map.
    pub fn friction_back(&self, f: &Vector3<f64>) -> Vector3<f64> {
        let t = self.0.tr_mul(&f.xy());
        Vector3::new(t.x, t.y, self.sense() * f.z)
    }

    /// A twist or wrench after the map.
    pub fn twist(&self, t: &Vector6<f64>) -> Vector6<f64> {
        self.spatial() * t
    }

    /// A vector in the floor after the map.
    pub fn vector(&self, v: &Vector2<f64>) -> Vector2<f64> {
        self.0 * v
    }
}
