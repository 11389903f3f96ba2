//! Does a contact law fit the framework?
//!
//! An impulse field γ(v_c) is usable when it is the gradient of a convex potential, γ = −∂ℓ/∂v_c:
//!
//! * irrotational: ∂γ_t1/∂v_t2 = ∂γ_t2/∂v_t1 (ICF eq. 24) and ∂γ_t/∂v_n = ∂γ_n/∂v_t (ICF eq. 27),
//! * convex: the symmetric matrix G = −∂γ/∂v_c is positive semidefinite (ICF eq. 28).
//!
//! [`contact_law`] samples a field and says which condition fails most, where and by how much;
//! [`normal_law`] does the same for a normal law's value, slope and antiderivative. Derivatives are central
//! differences; samples on a kink, where differences of two step sizes disagree, are left out and counted.

use crate::normal::{NormalInput, NormalLaw};
use nalgebra::Matrix3;

/// A condition of the framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// ICF eq. 24: the friction field is irrotational in the tangent plane.
    TangentialCurl,
    /// ICF eq. 27: friction and normal impulse are coupled symmetrically.
    NormalCurl,
    /// ICF eq. 28: G is positive semidefinite.
    Convexity,
    /// n is not the derivative of N.
    Antiderivative,
    /// The slope given is not the derivative of n.
    Slope,
    /// n′ ≤ 0 fails: the normal cost is not convex (ICF eq. 8).
    NormalConvexity,
    /// n ≥ 0 fails: the normal impulse pulls.
    Adhesion,
    /// A value is not finite inside the domain.
    Finite,
}

/// The worst violation of a condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Violation {
    /// Which condition.
    pub condition: Condition,
    /// Contact velocity [v_t1, v_t2, v_n] where it is worst, m/s (only the last for a normal law).
    pub velocity: [f64; 3],
    /// Size of the violation relative to the size of the derivatives there.
    pub relative: f64,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckReport {
    /// Samples compared.
    pub samples: usize,
    /// Samples left out because the field has a kink there.
    pub kinks: usize,
    /// The worst violation of each condition that fails.
    pub violations: Vec<Violation>,
}

impl CheckReport {
    /// All conditions hold at all samples.
    pub fn passed(&self) -> bool {
        self.samples > 0 && self.violations.is_empty()
    }

    fn note(&mut self, condition: Condition, velocity: [f64; 3], relative: f64) {
        match self.violations.iter_mut().find(|v| v.condition == condition) {
            Some(worst) if worst.relative >= relative => {}
            Some(worst) => *worst = Violation { condition, velocity, relative },
            None => self.violations.push(Violation { condition, velocity, relative }),
        }
    }
}

/// Where to sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Largest slip speed, m/s.
    pub slip: f64,
    /// Slip speed on which friction develops, m/s: samples are dense around it.
    pub slip_scale: f64,
    /// Range of normal velocities, m/s.
    pub normal: (f64, f64),
    /// Number of samples.
    pub count: usize,
    /// Violations below this relative size pass.
    pub tolerance: f64,
}

impl Default for Sampling {
    /// Slip to 1 m/s with scale 1e−4, normal velocities ±1 m/s, 4000 samples, tolerance 1e−4.
    fn default() -> Self {
        Self { slip: 1.0, slip_scale: 1e-4, normal: (-1.0, 1.0), count: 4000, tolerance: 1e-4 }
    }
}

/// The i-th number of the additive low-discrepancy sequence with ratio `ratio`, in [0, 1).
fn additive(i: usize, ratio: f64) -> f64 {
    (0.5 + i as f64 * ratio).fract()
}

/// −∂γ/∂v_c by central differences with step `h`.
fn jacobian(field: &impl Fn([f64; 3]) -> [f64; 3], v: [f64; 3], h: [f64; 3]) -> Matrix3<f64> {
    let mut g = Matrix3::zeros();
    for j in 0..3 {
        let (mut up, mut down) = (v, v);
        up[j] += h[j];
        down[j] -= h[j];
        let (a, b) = (field(up), field(down));
        for i in 0..3 {
            g[(i, j)] = -(a[i] - b[i]) / (up[j] - down[j]);
        }
    }
    g
}

/// Checks an impulse field γ(v_c), contact frame, N s and m/s.
pub fn contact_law(field: impl Fn([f64; 3]) -> [f64; 3], sampling: &Sampling) -> CheckReport {
    let mut report = CheckReport::default();
    let Sampling { slip, slip_scale, normal, count, tolerance } = *sampling;
    for i in 0..count {
        // Logarithmic in the slip speed, uniform in its direction and in v_n (plastic-number ratios).
        let speed = 1e-2 * slip_scale * (1e2 * slip / slip_scale).powf(additive(i, 0.819_172_513));
        let (sin, cos) = (std::f64::consts::TAU * additive(i, 0.671_043_607)).sin_cos();
        let vn = normal.0 + (normal.1 - normal.0) * additive(i, 0.549_700_477);
        let v = [speed * cos, speed * sin, vn];
        let h_t = 1e-4 * (speed + slip_scale);
        let h_n = 1e-6 * (normal.1 - normal.0);
        let g = jacobian(&field, v, [h_t, h_t, h_n]);
        let half = jacobian(&field, v, [0.5 * h_t, 0.5 * h_t, 0.5 * h_n]);
        let size = g.amax();
        if !size.is_finite() {
            report.note(Condition::Finite, v, f64::INFINITY);
            continue;
        }
        if (g - half).amax() > 1e-3 * size {
            report.kinks += 1;
            continue;
        }
        report.samples += 1;
        if size == 0.0 {
            continue;
        }
        // Relative to the geometric mean of the diagonal for the mixed terms, so that a stiff normal
        // direction does not hide a rotational coupling with the soft one.
        let mixed = |i: usize, j: usize| {
            let scale = (g[(i, i)].abs() * g[(j, j)].abs()).sqrt().max(g[(i, j)].abs()).max(g[(j, i)].abs());
            // Differences of γ carry rounding of γ's own size over h.
            let gamma = field(v).iter().map(|x| x.abs()).fold(0.0, f64::max);
            let noise = 1e-13 * gamma / if i == 2 || j == 2 { h_n.min(h_t) } else { h_t };
            let difference = (g[(i, j)] - g[(j, i)]).abs() - noise;
            if scale > 0.0 { difference / scale } else { 0.0 }
        };
        if mixed(0, 1) > tolerance {
            report.note(Condition::TangentialCurl, v, mixed(0, 1));
        }
        let coupling = mixed(0, 2).max(mixed(1, 2));
        if coupling > tolerance {
            report.note(Condition::NormalCurl, v, coupling);
        }
        // Scaled to a unit diagonal, so that the smallest eigenvalue has a meaning for all directions.
        let d = [0, 1, 2].map(|i| if g[(i, i)] > 0.0 { 1.0 / g[(i, i)].sqrt() } else { 1.0 / size.sqrt() });
        let scaled = Matrix3::from_fn(|i, j| 0.5 * (g[(i, j)] + g[(j, i)]) * d[i] * d[j]);
        let least = scaled.symmetric_eigenvalues().min();
        if least < -tolerance {
            report.note(Condition::Convexity, v, -least);
        }
    }
    report
}

/// Checks a normal law for one contact over normal velocities between `range.0` and `range.1`, m/s.
pub fn normal_law(law: &NormalLaw, input: &NormalInput, range: (f64, f64), count: usize) -> CheckReport {
    const TOLERANCE: f64 = 1e-5;
    let mut report = CheckReport::default();
    let low = range.0.max(law.lower_bound(input));
    let width = range.1 - low;
    for i in 0..count {
        let v = low + width * (1e-3 + (1.0 - 2e-3) * additive(i, 0.618_033_988_749_895));
        let at = law.evaluate(input, v);
        let place = [0.0, 0.0, v];
        if !(at.impulse.is_finite() && at.slope.is_finite() && at.antiderivative.is_finite()) {
            report.note(Condition::Finite, place, f64::INFINITY);
            continue;
        }
        let difference = |h: f64| {
            let (a, b) = (law.evaluate(input, v + h), law.evaluate(input, v - h));
            ((a.antiderivative - b.antiderivative) / (2.0 * h), (a.impulse - b.impulse) / (2.0 * h))
        };
        let h = 1e-5 * width;
        let ((n, slope), (n2, slope2)) = (difference(h), difference(0.5 * h));
        let (n_size, slope_size) = (at.impulse.abs() + at.slope.abs() * h, at.slope.abs() + slope.abs());
        if (n - n2).abs() > 1e-3 * n_size || (slope - slope2).abs() > 1e-3 * slope_size {
            report.kinks += 1;
            continue;
        }
        report.samples += 1;
        // Richardson's extrapolation removes the leading error of the differences.
        let (n2, slope2) = ((4.0 * n2 - n) / 3.0, (4.0 * slope2 - slope) / 3.0);
        let relative = |error: f64, size: f64, noise: f64| {
            if error > noise { (error - noise) / size.max(noise) } else { 0.0 }
        };
        let error = relative((n2 - at.impulse).abs(), n_size, 1e-14 * at.antiderivative.abs() / h);
        if error > TOLERANCE {
            report.note(Condition::Antiderivative, place, error);
        }
        let error = relative((slope2 - at.slope).abs(), slope_size, 1e-14 * at.impulse.abs() / h);
        if error > TOLERANCE {
            report.note(Condition::Slope, place, error);
        }
        if at.slope > 0.0 {
            report.note(Condition::NormalConvexity, place, at.slope / slope_size);
        }
        if at.impulse < 0.0 {
            report.note(Condition::Adhesion, place, 1.0);
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactLaw, ModelLaw};
    use crate::friction::Regularizer;
    use crate::normal::{NormalValue, UserNormalLaw};

    const INPUT: NormalInput =
        NormalInput { dt: 1e-2, penetration: 1e-3, elastic_force: 10.0, stiffness: 1e4, dissipation: 2.0 };

    fn field(model: ModelLaw) -> impl Fn([f64; 3]) -> [f64; 3] {
        let law = ContactLaw { normal: INPUT, model, spring: None };
        move |v| law.evaluate(&NormalLaw::Linear, &Regularizer::Soft, v).impulse
    }

    #[test]
    fn lagged_and_similar_pass() {
        let sampling = Sampling { normal: (-1.0, 0.4), ..Default::default() };
        for model in [
            ModelLaw::Lagged { friction_limit: 0.05, epsilon: 1e-4 },
            ModelLaw::Similar { friction: 0.5, epsilon: 1e-4 },
        ] {
            let report = contact_law(field(model), &sampling);
            assert!(report.passed(), "{model:?} {report:?}");
            assert!(report.samples > 3000, "{report:?}");
        }
    }

    #[test]
    fn coulomb_friction_with_the_current_normal_impulse_has_curl() {
        // ICF eq. 20: γ_t = −μ n(v_n) t̂_s is not the gradient of any potential.
        let law = |v: [f64; 3]| {
            let n = NormalLaw::Linear.evaluate(&INPUT, v[2]).impulse;
            let root = (v[0] * v[0] + v[1] * v[1] + 1e-8_f64).sqrt();
            [-0.5 * n * v[0] / root, -0.5 * n * v[1] / root, n]
        };
        let report = contact_law(law, &Sampling { normal: (-1.0, 0.4), ..Default::default() });
        let conditions: Vec<Condition> = report.violations.iter().map(|v| v.condition).collect();
        assert!(
            conditions.contains(&Condition::NormalCurl) && !conditions.contains(&Condition::TangentialCurl)
        );
        let worst = report.violations.iter().find(|v| v.condition == Condition::NormalCurl).unwrap();
        assert!(worst.relative > 0.5 && worst.velocity[2] < 0.5, "{worst:?}");
    }

    #[test]
    fn anisotropic_friction_that_turns_the_force_has_tangential_curl() {
        let law = |v: [f64; 3]| {
            let root = (v[0] * v[0] + v[1] * v[1] + 1e-8_f64).sqrt();
            [-v[0] / root, -0.3 * v[1] / root, 0.0]
        };
        let report = contact_law(law, &Sampling::default());
        assert!(report.violations.iter().any(|v| v.condition == Condition::TangentialCurl), "{report:?}");
    }

    #[test]
    fn friction_that_weakens_with_slip_is_not_convex() {
        let law = |v: [f64; 3]| {
            let s2 = v[0] * v[0] + v[1] * v[1];
            let f = -1.0 / ((s2 + 1e-8).sqrt() * (1.0 + s2.sqrt() / 0.1));
            [f * v[0], f * v[1], 0.0]
        };
        let report = contact_law(law, &Sampling::default());
        let conditions: Vec<Condition> = report.violations.iter().map(|v| v.condition).collect();
        assert_eq!(conditions, [Condition::Convexity], "{report:?}");
    }

    #[test]
    fn built_in_normal_laws_pass() {
        let apart = NormalInput { penetration: -1e-3, elastic_force: -10.0, ..INPUT };
        for (law, input) in [
            (NormalLaw::Linear, INPUT),
            (NormalLaw::Hertz, INPUT),
            (NormalLaw::LogBarrier { kappa: 1e-2 }, apart),
            (NormalLaw::ClampedBarrier { kappa: 1e3, range: 2e-3 }, apart),
        ] {
            let report = normal_law(&law, &input, (-1.0, 1.0), 1000);
            assert!(report.passed() && report.samples > 900, "{law:?} {report:?}");
        }
    }

    #[derive(Debug)]
    struct Wrong;

    impl UserNormalLaw for Wrong {
        fn force(&self, _: &NormalInput, x: f64, _: f64) -> f64 {
            x
        }
        fn evaluate(&self, _: &NormalInput, v: f64) -> NormalValue {
            NormalValue { impulse: v + 2.0, slope: 1.0, antiderivative: v * v }
        }
    }

    #[test]
    fn a_wrong_normal_law_is_told_what_is_wrong() {
        let report = normal_law(&NormalLaw::User(std::sync::Arc::new(Wrong)), &INPUT, (-1.0, 1.0), 100);
        let conditions: Vec<Condition> = report.violations.iter().map(|v| v.condition).collect();
        assert_eq!(conditions, [Condition::Antiderivative, Condition::NormalConvexity]);
    }
}
