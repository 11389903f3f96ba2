//! Exact line search: the root of ℓ′(α) along a Newton direction.
//!
//! ℓ′ is increasing, so Newton's method with a bracket always finds the root. Only ℓ′ and ℓ″ are used. Differences
//! of ℓ would reach the rounding level long before the gradient does.

/// ℓ′ and ℓ″ at some α. Outside the domain of a barrier ℓ′ = +∞.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineValue {
    /// ℓ′(α).
    pub slope: f64,
    /// ℓ″(α).
    pub curvature: f64,
}

/// Longest step tried, in units of the Newton step.
pub const LONGEST: f64 = 16.0;
const MAX_EVALUATIONS: usize = 60;

/// Finds α > 0 with |ℓ′(α)| ≤ `tolerance`·|ℓ′(0)|, given ℓ′(0) < 0. Returns α, ℓ′(α) and the number of
/// evaluations. Returns [`LONGEST`] if the cost still decreases there.
pub fn exact(slope0: f64, tolerance: f64, mut line: impl FnMut(f64) -> LineValue) -> (f64, f64, usize) {
    let target = tolerance * slope0.abs();
    // On a Newton direction ℓ″(0) = −ℓ′(0).
    let (mut low, mut low_slope, mut low_curvature) = (0.0, slope0, -slope0);
    let (mut high, mut high_slope, mut high_curvature) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let mut alpha = 1.0;
    let mut width = f64::INFINITY;
    for evaluations in 1..=MAX_EVALUATIONS {
        let value = line(alpha);
        if value.slope.abs() <= target {
            return (alpha, value.slope, evaluations);
        }
        if value.slope < 0.0 {
            (low, low_slope, low_curvature) = (alpha, value.slope, value.curvature);
        } else {
            // NaN also takes this branch: outside the domain of a law.
            (high, high_slope, high_curvature) = (alpha, value.slope, value.curvature);
        }
        if high == f64::INFINITY {
            if low >= LONGEST {
                return (low, low_slope, evaluations);
            }
            // The cost still decreases: Newton's guess, limited to twice the step.
            let newton = low - low_slope / low_curvature;
            alpha = newton.clamp(1.01 * low, 2.0 * low).min(LONGEST);
            continue;
        }
        if high - low <= 4.0 * f64::EPSILON * high {
            return (low, low_slope, evaluations);
        }
        alpha = guess((low, low_slope, low_curvature), (high, high_slope, high_curvature));
        let new_width = high - low;
        if !(alpha > low && alpha < high) || new_width > 0.5 * width && evaluations % 3 == 0 {
            alpha = 0.5 * (low + high);
        }
        width = new_width;
    }
    (low, low_slope, MAX_EVALUATIONS)
}

/// A guess of the root inside a bracket from slopes and curvatures at its ends: Newton from the end with
/// the smaller slope if it lands inside, else the secant.
fn guess(low: (f64, f64, f64), high: (f64, f64, f64)) -> f64 {
    if !high.1.is_finite() {
        return 0.5 * (low.0 + high.0);
    }
    let newton = |(x, slope, curvature): (f64, f64, f64)| x - slope / curvature;
    let (near, far) = if -low.1 < high.1 { (low, high) } else { (high, low) };
    let candidate = newton(near);
    if candidate > low.0 && candidate < high.0 {
        return candidate;
    }
    let candidate = newton(far);
    if candidate > low.0 && candidate < high.0 {
        return candidate;
    }
    low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_the_root_of_a_sum_of_kinks(
            kinks in prop::collection::vec((-2.0f64..3.0, 0.001f64..10.0, 1e-8f64..1.0), 1..12),
            root in 0.01f64..8.0,
        ) {
            // ℓ′(α) = (α − c) + Σ w s/√(s²+ε²), with c such that the root is known.
            let slope = |c: f64, a: f64| (a - c) + kinks.iter().map(|&(at, w, e)| {
                let s = a - at; w * s / (s * s + e * e).sqrt() }).sum::<f64>();
            let c = slope(0.0, root);
            let curvature = |a: f64| 1.0 + kinks.iter().map(|&(at, w, e)| {
                let s = a - at; w * e * e / (s * s + e * e).powf(1.5) }).sum::<f64>();
            prop_assume!(slope(c, 0.0) < 0.0);
            let (alpha, _, evaluations) = exact(slope(c, 0.0), 1e-9, |a| LineValue { slope: slope(c, a), curvature: curvature(a) });
            prop_assert!(slope(c, alpha).abs() <= 1e-9 * slope(c, 0.0).abs() || (alpha - root).abs() < 1e-14);
            prop_assert!(evaluations < 60);
        }
    }

    #[test]
    fn stays_below_a_wall() {
        // ℓ = −α − ln(1 − α) · 1e-9: the root is at 1 − 1e-9.
        let (alpha, ..) = exact(-1.0 + 1e-9, 1e-6, |a| {
            if a >= 1.0 {
                return LineValue { slope: f64::INFINITY, curvature: f64::INFINITY };
            }
            LineValue { slope: -1.0 + 1e-9 / (1.0 - a), curvature: 1e-9 / (1.0 - a).powi(2) }
        });
        assert!(alpha < 1.0 && (1.0 - alpha) < 1.001e-9, "{alpha}");
    }
}
