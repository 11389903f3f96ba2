//! Poses as matrices, and linear fields, for the kernels.

use crate::{Iso, M3, V3};

/// A pose with its rotation as a matrix.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pose {
    pub(crate) r: M3,
    pub(crate) p: V3,
}

impl Pose {
    pub(crate) fn new(x: &Iso) -> Self {
        Self { r: *x.rotation.to_rotation_matrix().matrix(), p: x.translation.vector }
    }

    /// Pose of b in a from poses of both in the world.
    pub(crate) fn relative(x_wa: &Iso, x_wb: &Iso) -> Self {
        Self::new(&x_wa.inv_mul(x_wb))
    }

    pub(crate) fn inverse(&self) -> Self {
        let r = self.r.transpose();
        Self { p: -(r * self.p), r }
    }

    #[inline]
    pub(crate) fn point(&self, p: &V3) -> V3 {
        self.r * p + self.p
    }

    #[inline]
    pub(crate) fn vector(&self, v: &V3) -> V3 {
        self.r * v
    }
}

/// A linear pressure field p(r) = grad . r + offset, in Pa for r in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) grad: V3,
    pub(crate) offset: f64,
}

impl Field {
    #[inline]
    pub(crate) fn at(&self, r: &V3) -> f64 {
        self.grad.dot(r) + self.offset
    }

    /// The field of frame b written in frame a: `x_ab` maps b to a. p(r_b) with r_b = R^T (r_a - p).
    #[inline]
    pub(crate) fn moved(&self, x_ab: &Pose) -> Self {
        let grad = x_ab.r * self.grad;
        Self { grad, offset: self.offset - grad.dot(&x_ab.p) }
    }
}
