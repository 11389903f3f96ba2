//! A number with its derivatives by fourteen others (a dual number).

use crate::number::{Number, Scalar};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Number of variables.
const N: usize = 14;

/// A value and its gradient.
#[derive(Debug, Clone, Copy)]
pub struct Jet {
    /// The value.
    pub x: f64,
    /// Its derivatives.
    pub d: [f64; N],
}

impl Jet {
    /// Variable number `index`.
    pub fn variable(x: f64, index: usize) -> Self {
        let mut d = [0.0; N];
        d[index] = 1.0;
        Self { x, d }
    }

    /// A function of one number with value `x` and slope `slope` here.
    fn map(self, x: f64, slope: f64) -> Self {
        Self { x, d: self.d.map(|d| slope * d) }
    }

    /// A function of two numbers with value `x` and slopes `a`, `b` here.
    #[inline(always)]
    fn join(self, other: Self, x: f64, a: f64, b: f64) -> Self {
        Self { x, d: std::array::from_fn(|i| a * self.d[i] + b * other.d[i]) }
    }
}

impl Number for Jet {
    fn constant(x: f64) -> Self {
        Self { x, d: [0.0; N] }
    }
    fn plus(self, a: Self, b: Self) -> Self {
        self + a * b
    }
    fn less(self, a: Self, b: Self) -> Self {
        self - a * b
    }
    /// Its slope is taken as 0 at 0.
    fn sqrt(self) -> Self {
        let root = self.x.sqrt();
        self.map(root, if root > 0.0 { 0.5 / root } else { 0.0 })
    }
    fn recip(self) -> Self {
        let inverse = 1.0 / self.x;
        self.map(inverse, -inverse * inverse)
    }
    fn max(self, other: Self) -> Self {
        if self.x > other.x { self } else { other }
    }
    fn if_above(self, bound: Self, yes: Self, no: Self) -> Self {
        if self.x > bound.x { yes } else { no }
    }
}

impl Scalar for Jet {
    fn value(self) -> f64 {
        self.x
    }
    fn vanishes(self) -> bool {
        self.x == 0.0 && self.d == [0.0; N]
    }
    fn ln(self) -> Self {
        self.map(self.x.ln(), 1.0 / self.x)
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.join(other, self.x + other.x, 1.0, 1.0)
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.join(other, self.x - other.x, 1.0, -1.0)
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.join(other, self.x * other.x, other.x, self.x)
    }
}

impl Div for Jet {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let x = self.x / other.x;
        self.join(other, x, 1.0 / other.x, -x / other.x)
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        self.map(-self.x, -1.0)
    }
}
