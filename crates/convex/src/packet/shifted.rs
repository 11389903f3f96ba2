//! The linear normal law in series with a spring, for the stages of the Similar model ([`crate::solver`]).

use crate::friction::Coefficients;
use crate::number::Number;

/// p and −∂p/∂z of the law n in series with a spring ρ that carries p₀ at rest: p = n(y) with p = p₀ + ρ (y − z).
///
/// For n of second degree, n(y) = (o − κ y)(1 − d y), y is the lower root of
/// κd y² − (κ + o d + ρ) y + (o − p₀ + ρ z) = 0, and the root of its discriminant is ρ − n′(y).
#[inline(always)]
pub fn shifted_normal<T: Number>(c: &Coefficients<T>, rho: T, shift: T, z: T) -> (T, T) {
    let (offset, stiffness, d) = (c.offset, c.stiffness, c.loss);
    let (zero, two) = (T::zero(), T::constant(2.0));
    let a = stiffness * d;
    let b = (stiffness + rho).plus(offset, d);
    let c = (offset - shift).plus(rho, z);
    let root = (b * b).less(T::constant(4.0) * a, c).max(zero).sqrt();
    let tiny = T::constant(f64::MIN_POSITIVE);
    let upper = two * c * (b + root).max(tiny).recip();
    let lower = (b - root) * (two * a).max(tiny).recip();
    let y = b.if_above(zero, upper, lower);
    let law = offset.less(stiffness, y).max(zero) * T::constant(1.0).less(d, y).max(zero);
    let p = shift.plus(rho, y - z).max(zero);
    let slope = rho * (root - rho).max(zero) * root.max(tiny).recip();
    (law.if_above(zero, p, zero), law.if_above(zero, slope, zero))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::linear::hunt_crossley;
    use proptest::prelude::*;

    proptest! {
        /// p = n(y) with p = p₀ + ρ (y − z); its slope is that of the two in series; at y = z it is n itself.
        #[test]
        fn the_shifted_law_is_the_law_in_series_with_a_spring(
            offset in -2.0f64..5.0, stiffness in 0.01f64..100.0, d in 0.0f64..20.0,
            rho in 0.01f64..100.0, shift in 0.0f64..5.0, z in -3.0f64..3.0,
        ) {
            let c = Coefficients { offset, stiffness, loss: d, ..Default::default() };
            let law = |y: f64| {
                hunt_crossley(offset - stiffness * y, 1.0 - d * y, stiffness, d)
            };
            let shifted = |p0: f64, z: f64| shifted_normal(&c, rho, p0, z);
            let (p, g) = shifted(shift, z);
            let y = z + (p - shift) / rho;
            let (n, slope) = law(y);
            let size = p + slope * (y.abs() + z.abs()) + rho * z.abs() + shift;
            prop_assert!((p - n).abs() <= 1e-12 * (1.0 + size) * (1.0 + slope / rho), "{p} {n}");
            if p > 1e-9 {
                let series = rho * slope / (rho + slope);
                prop_assert!((g - series).abs() <= 1e-6 * (series + 1e-6 * rho), "{g} {series}");
            }
            let (n, _) = law(z);
            let (fixed, _) = shifted(n, z);
            prop_assert!((fixed - n).abs() <= 1e-11 * (1.0 + n + size), "{fixed} {n}");
        }
    }
}
