//! User-defined normal law: a table of force against depth.
//!
//! ```text
//! force     f(x): piecewise linear between the points (x_i, f_i), 0 below the first, the last slope beyond the last
//! moments   ∫f and ∫x f, exact: polynomials of second and third degree in each piece
//! ```
//!
//! A force that does not decrease with depth has a convex potential ∫f, which is the only requirement of the solver
//! (ICF eq. 8). [`ForceTable::new`] checks that. Hunt & Crossley dissipation is added by [`super::NormalLaw`].

use crate::number::Scalar;
use thiserror::Error;

/// Force against depth, checked: finite, increasing depths, force that starts at 0 and does not fall.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceTable {
    points: Vec<(f64, f64)>,
    pieces: Vec<Piece>,
}

/// From one point of the table to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    depth: f64,
    force: f64,
    slope: f64,
    /// ∫f and ∫x f up to here.
    moments: (f64, f64),
}

/// Error in a table of force against depth.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ForceTableError {
    /// Too few points.
    #[error(
        "a force table needs at least two points (depth, force), but has {0}; begin with the depth of first touch and force 0"
    )]
    TooFew(usize),
    /// A number is not finite, or a depth is negative.
    #[error(
        "point {index} of the force table is ({depth} m, {force} N); depths must be finite and at least 0, forces finite"
    )]
    NotFinite {
        /// Index of the point, from 0.
        index: usize,
        /// Its depth.
        depth: f64,
        /// Its force.
        force: f64,
    },
    /// The first force is not 0.
    #[error(
        "the force table begins with {0} N; add a first point with force 0 at the depth where contact begins"
    )]
    Jump(f64),
    /// Depths do not increase.
    #[error(
        "depth {depth} m of point {index} of the force table does not exceed {before} m before it; sort the points by depth"
    )]
    DepthOrder {
        /// Index of the point, from 0.
        index: usize,
        /// Its depth.
        depth: f64,
        /// The depth before.
        before: f64,
    },
    /// The force falls.
    #[error(
        "force {force} N of point {index} of the force table is below {before} N before it; a force that falls with depth has no convex potential"
    )]
    Falls {
        /// Index of the point, from 0.
        index: usize,
        /// Its force.
        force: f64,
        /// The force before.
        before: f64,
    },
}

impl ForceTable {
    /// From points (depth in m, force in N), sorted by depth; the first force is 0.
    pub fn new(points: &[(f64, f64)]) -> Result<Self, ForceTableError> {
        if points.len() < 2 {
            return Err(ForceTableError::TooFew(points.len()));
        }
        for (index, &(depth, force)) in points.iter().enumerate() {
            if !(depth >= 0.0 && depth.is_finite() && force.is_finite()) {
                return Err(ForceTableError::NotFinite { index, depth, force });
            }
        }
        if points[0].1 != 0.0 {
            return Err(ForceTableError::Jump(points[0].1));
        }
        let mut pieces: Vec<Piece> = Vec::with_capacity(points.len() - 1);
        let mut moments = (0.0, 0.0);
        for (i, pair) in points.windows(2).enumerate() {
            let ((x, f), (x1, f1), index) = (pair[0], pair[1], i + 1);
            if x1 <= x {
                return Err(ForceTableError::DepthOrder { index, depth: x1, before: x });
            }
            if f1 < f {
                return Err(ForceTableError::Falls { index, force: f1, before: f });
            }
            let slope = (f1 - f) / (x1 - x);
            if !slope.is_finite() {
                return Err(ForceTableError::NotFinite { index, depth: x1, force: f1 });
            }
            let piece = Piece { depth: x, force: f, slope, moments };
            moments = piece.moments_at(x1);
            pieces.push(piece);
        }
        Ok(Self { points: points.to_vec(), pieces })
    }

    /// The points (depth in m, force in N) of the table.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    fn piece(&self, x: f64) -> Option<&Piece> {
        self.pieces[..self.pieces.partition_point(|p| p.depth < x)].last()
    }

    /// Force at depth `x` (m), N.
    pub fn force(&self, x: f64) -> f64 {
        self.elastic(x).0
    }

    /// f and f′ at penetration x.
    pub(crate) fn elastic<T: Scalar>(&self, x: T) -> (T, T) {
        let Some(p) = self.piece(x.value()) else { return (T::zero(), T::zero()) };
        let slope = T::constant(p.slope);
        (T::constant(p.force).plus(slope, x - T::constant(p.depth)), slope)
    }

    /// ∫f and ∫x f from 0 to x.
    pub(crate) fn moments(&self, x: f64) -> (f64, f64) {
        self.piece(x).map_or((0.0, 0.0), |p| p.moments_at(x))
    }
}

impl Piece {
    /// ∫f and ∫x f from 0 to x, which is in this piece.
    fn moments_at(&self, x: f64) -> (f64, f64) {
        let (h, f, s) = (x - self.depth, self.force, self.slope);
        // ∫(f + s t) dt and ∫t (f + s t) dt over t = 0..h; x = depth + t.
        let (zeroth, first) = (h * (f + 0.5 * s * h), h * h * (0.5 * f + s * h / 3.0));
        (self.moments.0 + zeroth, self.moments.1 + self.depth * zeroth + first)
    }
}
