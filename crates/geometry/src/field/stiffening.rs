//! Materials that get stiffer as they are pressed: p = M(e) e (PFC eq. 5.3, 5.4).
//!
//! The field stays linear on each tetrahedron, so the mesh is split at levels of e into layers, as many as it takes
//! for the broken line to follow the curve.

use super::FieldReport;
use crate::mesher::split::split_at_level;
use crate::mesher::{MeshingError, TetMesh};

/// The scale M(e) over its value M0 at e = 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Stiffening {
    /// Constant.
    #[default]
    Linear,
    /// M = M0 / (1 - k e) with 0 <= k < 1 (PFC eq. 5.4).
    Hyperbolic {
        /// k.
        k: f64,
    },
    /// Pressure over M0 at increasing extents from (0, 0) to (1, p), increasing, straight between.
    Curve(Vec<(f64, f64)>),
}

impl Stiffening {
    /// Pressure over M0.
    pub fn pressure(&self, e: f64) -> f64 {
        match self {
            Self::Linear => e,
            Self::Hyperbolic { k } => e / (1.0 - k * e),
            Self::Curve(points) => {
                let k = points.partition_point(|p| p.0 <= e).clamp(1, points.len() - 1);
                let ((e0, p0), (e1, p1)) = (points[k - 1], points[k]);
                p0 + (p1 - p0) * (e - e0) / (e1 - e0)
            }
        }
    }

    fn check(&self) -> Result<(), MeshingError> {
        let fault = |text: String| Err(MeshingError::Field(text));
        match self {
            Self::Linear => Ok(()),
            Self::Hyperbolic { k } if (0.0..1.0).contains(k) => Ok(()),
            Self::Hyperbolic { k } => {
                fault(format!("stiffening is {k}; give a number from 0 up to, but not, 1"))
            }
            Self::Curve(points) => {
                let rising = points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1);
                let ends = points.first() == Some(&(0.0, 0.0)) && points.last().is_some_and(|p| p.0 == 1.0);
                if points.len() >= 2 && rising && ends && points.iter().all(|p| p.1.is_finite()) {
                    Ok(())
                } else {
                    fault("a curve goes from (0, 0) to (1, p) and rises all the way".into())
                }
            }
        }
    }

    /// Splits the mesh into layers and turns extents into pressure over the largest pressure; gives the latter
    /// over M0.
    pub(super) fn apply(
        &self,
        mesh: &mut TetMesh,
        extents: &mut Vec<f64>,
        tolerance: f64,
        report: &mut FieldReport,
    ) -> Result<f64, MeshingError> {
        self.check()?;
        if *self == Self::Linear {
            return Ok(1.0);
        }
        let levels = match self {
            Self::Curve(points) => points.iter().map(|p| p.0).collect(),
            _ => breakpoints(|e| self.pressure(e), 1.0, tolerance),
        };
        report.layers = levels.len() - 1;
        for w in levels.windows(3) {
            let snap = 0.02 * (w[1] - w[0]).min(w[2] - w[1]);
            split_at_level(mesh, extents, w[1], snap);
        }
        let most = self.pressure(1.0);
        extents.iter_mut().for_each(|e| *e = (self.pressure(*e) / most).clamp(0.0, 1.0));
        Ok(most)
    }
}

/// Places from 0 to `end` between which a straight line follows `f` to within `tolerance` of its value, or of a
/// fiftieth of its last value where it is small.
pub fn breakpoints(f: impl Fn(f64) -> f64, end: f64, tolerance: f64) -> Vec<f64> {
    let floor = 0.02 * f(end).abs();
    let error = |a: f64, b: f64| {
        (1..16).map(|k| a + (b - a) * f64::from(k) / 16.0).fold(0.0f64, |worst, x| {
            let line = f(a) + (f(b) - f(a)) * (x - a) / (b - a);
            worst.max((line - f(x)).abs() / f(x).abs().max(floor))
        })
    };
    let mut out = vec![0.0];
    let mut at = 0.0;
    while at < end && out.len() < 200 {
        // The farthest end that will do.
        let (mut low, mut high) = (at, end);
        if error(at, end) > tolerance {
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                if error(at, middle) > tolerance { high = middle } else { low = middle }
            }
            at = low.max(at + 1e-6 * end);
        } else {
            at = end;
        }
        out.push(at);
    }
    if at < end {
        out.push(end);
    }
    out
}
