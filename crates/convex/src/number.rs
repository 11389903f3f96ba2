//! The number types that laws are written over, so that each law is written once.
//!
//! | type | one value is | used by |
//! |---|---|---|
//! | `f64` | one contact | contacts evaluated one by one, continuous time, tests |
//! | [`crate::lanes::F4`] | four contacts | the solver's packets and their line search |
//! | [`crate::jet::Jet`] | one contact and its derivatives | sensitivities |
//!
//! A law over [`Number`] has no branches: [`Number::if_above`] selects. A law over [`Scalar`] may branch on the value.

use std::ops::{Add, Div, Mul, Neg, Sub};
use stiction_base::fused::Fused;

/// Operations that laws require of a number.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// A constant.
    fn constant(x: f64) -> Self;
    /// self + a·b, fused.
    fn plus(self, a: Self, b: Self) -> Self;
    /// self − a·b, fused.
    fn less(self, a: Self, b: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// 1/self.
    fn recip(self) -> Self;
    /// The larger of the two; `other` where self is NaN.
    fn max(self, other: Self) -> Self;
    /// `yes` where self > bound, else `no`.
    fn if_above(self, bound: Self, yes: Self, no: Self) -> Self;
    /// Zero.
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(0.0)
    }
    /// self₊.
    #[inline(always)]
    fn positive(self) -> Self {
        self.max(Self::zero())
    }
}

/// A number that is one value.
pub trait Scalar: Number + Div<Output = Self> {
    /// The value.
    fn value(self) -> f64;
    /// Whether the value and its derivatives are all zero.
    fn vanishes(self) -> bool;
    /// Natural logarithm.
    fn ln(self) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        a.fused(b, self)
    }
    #[inline(always)]
    fn less(self, a: Self, b: Self) -> Self {
        (-a).fused(b, self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn recip(self) -> Self {
        1.0 / self
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn if_above(self, bound: Self, yes: Self, no: Self) -> Self {
        if self > bound { yes } else { no }
    }
}

impl Scalar for f64 {
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn vanishes(self) -> bool {
        self == 0.0
    }
    #[inline(always)]
    fn ln(self) -> Self {
        f64::ln(self)
    }
}
