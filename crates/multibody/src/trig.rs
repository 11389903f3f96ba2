//! Sine and cosine together, inlined: every hinge needs them once per position, and calls to the math library take
//! twice the time. The results are also the same on every platform.
//!
//! x = n·π/2 + r with |r| ≤ π/4, where π/2 is subtracted in three parts, and n times the first two is exact. The
//! Taylor series of both functions are evaluated to double precision, and the quadrant n selects the result. Errors
//! stay below 1.5 units in the last place of 1.

use crate::spatial::fma;
use std::f64::consts::FRAC_2_PI;

/// The leading 33 bits of π/2, the next 33, and the rest, so that n·part is exact for |n| < 2²⁰.
const PARTS: [f64; 3] = [
    f64::from_bits(0x3FF9_21FB_5440_0000),
    f64::from_bits(0x3DD0_B461_1A60_0000),
    2.022_266_248_795_950_6e-21,
];

/// Beyond this the reduction would lose precision, and the library function is used.
const LIMIT: f64 = 1.0e6;

/// sin x and cos x.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= LIMIT { reduced(x) } else { x.sin_cos() }
}

#[inline(always)]
fn reduced(x: f64) -> (f64, f64) {
    let n = (x * FRAC_2_PI).round_ties_even();
    let r = fma(-n, PARTS[2], fma(-n, PARTS[1], fma(-n, PARTS[0], x)));
    let (z, quadrant) = (r * r, n as i64 as u64);
    // sin r = r + r z (−1/3! + z/5! − …)
    let p = fma(z, 1.0 / 355_687_428_096_000.0, -1.0 / 1_307_674_368_000.0);
    let p = fma(z, p, 1.0 / 6_227_020_800.0);
    let p = fma(z, p, -1.0 / 39_916_800.0);
    let p = fma(z, p, 1.0 / 362_880.0);
    let p = fma(z, p, -1.0 / 5040.0);
    let p = fma(z, p, 1.0 / 120.0);
    let p = fma(z, p, -1.0 / 6.0);
    let sin = fma(r * z, p, r);
    // cos r = 1 − z/2 + z² (1/4! − z/6! + …), with the rounding of 1 − z/2 put back.
    let p = fma(z, 1.0 / 20_922_789_888_000.0, -1.0 / 87_178_291_200.0);
    let p = fma(z, p, 1.0 / 479_001_600.0);
    let p = fma(z, p, -1.0 / 3_628_800.0);
    let p = fma(z, p, 1.0 / 40_320.0);
    let p = fma(z, p, -1.0 / 720.0);
    let p = fma(z, p, 1.0 / 24.0);
    let lead = fma(-0.5, z, 1.0);
    let cos = lead + fma(z * z, p, fma(-0.5, z, 1.0 - lead));
    // Quadrants 0 to 3: (s, c), (c, −s), (−s, −c), (−c, s).
    let (s, c) = if quadrant & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let flip = |value: f64, bit: u64| f64::from_bits(value.to_bits() ^ ((bit & 2) << 62));
    (flip(s, quadrant), flip(c, quadrant.wrapping_add(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(x: f64) -> bool {
        let ((s, c), (sin, cos)) = (sin_cos(x), x.sin_cos());
        (s - sin).abs() <= 2.3e-16 && (c - cos).abs() <= 2.3e-16
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn agrees_with_the_library_to_the_last_digits(x in -10.0..10.0, far in -1.1e6..1.1e6) {
            prop_assert!(close(x), "{x}: {:?} {:?}", sin_cos(x), x.sin_cos());
            prop_assert!(close(far), "{far}: {:?} {:?}", sin_cos(far), far.sin_cos());
        }
    }

    #[test]
    fn multiples_of_an_eighth_turn_and_their_neighbours_are_right() {
        for k in -4000..4000 {
            let x = f64::from(k) * std::f64::consts::FRAC_PI_4;
            assert!(close(x) && close(x.next_up()) && close(x.next_down()), "{k}");
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin_cos(f64::NAN).0.is_nan() && sin_cos(f64::INFINITY).1.is_nan());
        assert!(close(1e-300) && close(1e300));
    }
}
