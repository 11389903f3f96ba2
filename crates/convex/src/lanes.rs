//! Four numbers side by side, written so that the compiler maps each operation to one 256-bit instruction.

use crate::number::Number;
use std::ops::{Add, Mul, Neg, Sub};
use stiction_base::fused::Fused;

/// Four lanes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C, align(32))]
pub struct F4(pub [f64; 4]);

/// Three components of four vectors.
pub type V4 = [F4; 3];

impl F4 {
    /// Number of lanes.
    pub const LANES: usize = 4;

    /// Sum of the lanes, always in the same order.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        (self.0[0] + self.0[1]) + (self.0[2] + self.0[3])
    }
}

impl Number for F4 {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = a.0[i].fused(b.0[i], out.0[i]);
        }
        out
    }

    #[inline(always)]
    fn less(self, a: Self, b: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = (-a.0[i]).fused(b.0[i], out.0[i]);
        }
        out
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = out.0[i].sqrt();
        }
        out
    }

    #[inline(always)]
    fn recip(self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = 1.0 / out.0[i];
        }
        out
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] };
        }
        out
    }

    #[inline(always)]
    fn if_above(self, bound: Self, yes: Self, no: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = if self.0[i] > bound.0[i] { yes.0[i] } else { no.0[i] };
        }
        out
    }
}

impl Add for F4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] += b.0[i];
        }
        out
    }
}

impl Sub for F4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] -= b.0[i];
        }
        out
    }
}

impl Mul for F4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] *= b.0[i];
        }
        out
    }
}

impl Neg for F4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut out = self;
        for i in 0..4 {
            out.0[i] = -out.0[i];
        }
        out
    }
}

/// Sums of the lanes of four, each in the order of [`F4::sum`]: horizontal additions of two at a time.
#[inline(always)]
pub fn sum4(a: F4, b: F4, c: F4, d: F4) -> [f64; 4] {
    let (a, b, c, d) = (a.0, b.0, c.0, d.0);
    let ab = F4([a[0] + a[1], b[0] + b[1], a[2] + a[3], b[2] + b[3]]);
    let cd = F4([c[0] + c[1], d[0] + d[1], c[2] + c[3], d[2] + d[3]]);
    let low = F4([ab.0[0], ab.0[1], cd.0[0], cd.0[1]]);
    let high = F4([ab.0[2], ab.0[3], cd.0[2], cd.0[3]]);
    (low + high).0
}

/// Three components from a function of the axis. (`array::map` is not always inlined.)
#[inline(always)]
pub fn v4(f: impl Fn(usize) -> F4) -> V4 {
    [f(0), f(1), f(2)]
}

/// a · b.
#[inline(always)]
pub fn dot(a: &V4, b: &V4) -> F4 {
    (a[0] * b[0]).plus(a[1], b[1]).plus(a[2], b[2])
}

/// a × b.
#[inline(always)]
pub fn cross(a: &V4, b: &V4) -> V4 {
    [(a[1] * b[2]).less(a[2], b[1]), (a[2] * b[0]).less(a[0], b[2]), (a[0] * b[1]).less(a[1], b[0])]
}
