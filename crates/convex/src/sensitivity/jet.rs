//! A number with its derivatives by fourteen others.

use std::ops::{Add, Div, Mul, Sub};

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
    /// A number that depends on nothing.
    pub fn constant(x: f64) -> Self {
        Self { x, d: [0.0; N] }
    }

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

    /// √x; its slope is taken as 0 at 0.
    pub fn sqrt(self) -> Self {
        let root = self.x.sqrt();
        self.map(root, if root > 0.0 { 0.5 / root } else { 0.0 })
    }

    /// 1/x.
    pub fn reciprocal(self) -> Self {
        let inverse = 1.0 / self.x;
        self.map(inverse, -inverse * inverse)
    }

    /// x₊, constant at 0 and below.
    pub fn positive(self) -> Self {
        if self.x > 0.0 { self } else { Self::constant(0.0) }
    }

    /// max(x, bound).
    pub fn at_least(self, bound: f64) -> Self {
        if self.x > bound { self } else { Self::constant(bound) }
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.join(other, self.x + other.x, 1.0, 1.0)
    }
}

impl Add<f64> for Jet {
    type Output = Self;
    fn add(self, other: f64) -> Self {
        Self { x: self.x + other, d: self.d }
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

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, other: f64) -> Self {
        self.map(self.x * other, other)
    }
}

impl Div for Jet {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let x = self.x / other.x;
        self.join(other, x, 1.0 / other.x, -x / other.x)
    }
}
