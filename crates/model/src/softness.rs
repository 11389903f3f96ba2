//! How soft a contact is in MuJoCo's words: `solref` and `solimp`.
//!
//! A contact at depth r has the impedance d(r), 0 < d < 1. With Â, the inverse mass that MuJoCo assigns to the contact,
//!
//! ```text
//! force       f = (−B ṙ' − K d r' − a)/R,   R = (1 − d)/d Â      r' = −r the distance, a its second derivative
//! standard    K = 1/(dmax² t² ζ²),  B = 2/(dmax t)               solref = (t, ζ): time constant, damping ratio
//! direct      K = k/dmax²,          B = b/dmax                   solref = (−k, −b)
//! ```
//!
//! (MuJoCo, "Computation: constraint model".) That is a spring, a damper and an inertance 1/R side by side. Bodies at rest
//! feel the spring alone, F(r) = K d² r/((1 − d) Â); the damper is c = B d/((1 − d) Â).

use serde::{Deserialize, Serialize};

/// Softness of a geom or of a pair of geoms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Softness {
    /// MuJoCo's `solref`: time constant, s, and damping ratio; or minus stiffness, 1/s², and minus damping, 1/s.
    pub reference: [f64; 2],
    /// MuJoCo's `solimp`: impedance at depth 0 and from the width on, width in m, midpoint and power of the curve between.
    pub impedance: [f64; 5],
    /// MuJoCo's `solmix`: weight of this geom's values among those of two geoms.
    pub weight: f64,
    /// MuJoCo's `margin` and `gap`, m: forces begin at the distance margin − gap, from which the depth is counted.
    pub begins: [f64; 2],
}

impl Default for Softness {
    /// MuJoCo's defaults.
    fn default() -> Self {
        Self {
            reference: [0.02, 1.0],
            impedance: [0.9, 0.95, 0.001, 0.5, 2.0],
            weight: 1.0,
            begins: [0.0; 2],
        }
    }
}

/// Bounds of the impedance in MuJoCo.
const IMPEDANCE: [f64; 2] = [1e-4, 0.9999];

/// The smallest number that MuJoCo divides by.
const LEAST: f64 = 1e-15;

/// Force of a contact of unit inverse mass Â = 1 kg⁻¹ at a depth, its slope, and its damping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SoftForce {
    /// F, N.
    pub force: f64,
    /// dF/dr, N/m.
    pub slope: f64,
    /// c, N s/m.
    pub damping: f64,
}

impl Softness {
    /// The softness of two geoms that touch, by MuJoCo's rules: that of the higher priority; of equal ones the weighted mean, or
    /// the smaller numbers of `solref` if one of the two is in direct form. Of margins and gaps the larger count.
    pub fn combine(a: (&Self, i32), b: (&Self, i32)) -> Self {
        let ((a, priority_a), (b, priority_b)) = (a, b);
        let begins = std::array::from_fn(|k| a.begins[k].max(b.begins[k]));
        match priority_a.cmp(&priority_b) {
            std::cmp::Ordering::Greater => return Self { begins, ..*a },
            std::cmp::Ordering::Less => return Self { begins, ..*b },
            std::cmp::Ordering::Equal => {}
        }
        let share = match (a.weight >= LEAST, b.weight >= LEAST) {
            (true, true) => a.weight / (a.weight + b.weight),
            (false, false) => 0.5,
            (true, false) => 1.0,
            (false, true) => 0.0,
        };
        let mean = |x: f64, y: f64| share * x + (1.0 - share) * y;
        let standard = a.reference[0] > 0.0 && b.reference[0] > 0.0;
        let blend = |x: f64, y: f64| if standard { mean(x, y) } else { x.min(y) };
        Self {
            reference: std::array::from_fn(|k| blend(a.reference[k], b.reference[k])),
            impedance: std::array::from_fn(|k| mean(a.impedance[k], b.impedance[k])),
            weight: mean(a.weight, b.weight),
            begins,
        }
    }

    /// Impedance at depth r, m, and its slope, 1/m: d = d₀ + y (d₁ − d₀), with y = x^p/m^(p−1) below the midpoint m of
    /// x = r/width and 1 − (1 − x)^p/(1 − m)^(p−1) above it.
    pub fn impedance(&self, depth: f64) -> (f64, f64) {
        let [least, most, width, middle, power] = self.impedance;
        let clip = |x: f64| x.clamp(IMPEDANCE[0], IMPEDANCE[1]);
        let (least, most, width) = (clip(least), clip(most), width.max(0.0));
        let (middle, power) = (clip(middle), power.max(1.0));
        if least == most || width <= LEAST {
            return (0.5 * (least + most), 0.0);
        }
        let x = depth.abs() / width;
        if x >= 1.0 {
            return (most, 0.0);
        }
        let (y, slope) = if x <= middle {
            let factor = middle.powf(1.0 - power);
            (factor * x.powf(power), factor * power * x.powf(power - 1.0))
        } else {
            let factor = (1.0 - middle).powf(1.0 - power);
            (1.0 - factor * (1.0 - x).powf(power), factor * power * (1.0 - x).powf(power - 1.0))
        };
        (least + y * (most - least), slope * (most - least) / width)
    }

    /// Force, slope and damping of a contact with Â = 1/kg at a depth below the surface, m, in steps of length `dt`: MuJoCo takes a
    /// time constant of at least two steps. Where the force begins, at r = 0, the law continues outwards as a straight line.
    pub fn force(&self, depth: f64, dt: f64) -> SoftForce {
        let [margin, gap] = self.begins;
        let depth = depth + margin - gap;
        let most = self.impedance[1].clamp(IMPEDANCE[0], IMPEDANCE[1]);
        let [first, second] = self.reference;
        let time = first.max(2.0 * dt);
        let stiffness = match first > 0.0 {
            true => 1.0 / (most * time * second).powi(2).max(LEAST),
            false => -first / most.powi(2),
        };
        let damping = match second > 0.0 {
            true => 2.0 / (most * time).max(LEAST),
            false => -second / most,
        };
        let (d, d_slope) = self.impedance(depth.max(0.0));
        let ratio = d / (1.0 - d);
        // F = K d² r/(1 − d),  ∂(d²/(1 − d))/∂d = d (2 − d)/(1 − d)².
        let secant = stiffness * d * ratio;
        let bend = stiffness * d * (2.0 - d) / (1.0 - d).powi(2) * d_slope * depth.max(0.0);
        SoftForce { force: secant * depth, slope: (secant + bend).max(0.0), damping: damping * ratio }
    }

    /// What is wrong with it.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let finite = |values: &[f64]| values.iter().all(|x| x.is_finite());
        if !finite(&self.reference)
            || !finite(&self.impedance)
            || !finite(&self.begins)
            || !self.weight.is_finite()
        {
            return Some("solref, solimp, solmix, margin and gap must be finite");
        }
        let [first, second] = self.reference;
        ((first > 0.0) != (second > 0.0))
            .then_some("solref must be two positive numbers (time constant and damping ratio), or two that are not (minus stiffness and damping)")
    }
}

/// How MuJoCo turns the friction of a contact into constraints, which changes how soft the contact is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactCone {
    /// A pyramid instead of an elliptic cone.
    pub pyramid: bool,
    /// Ratio of the impedances of friction and normal force (`impratio`).
    pub ratio: f64,
}

impl Default for ContactCone {
    /// MuJoCo's default.
    fn default() -> Self {
        Self { pyramid: true, ratio: 1.0 }
    }
}

impl ContactCone {
    /// Inverse mass of a contact along its normal over Â, with `dimensions` (1, 3, 4, 6) of friction and the sliding coefficient μ.
    ///
    /// An elliptic cone has one row with R₀. A pyramid has 2 (n − 1) edges along n ± μ t, each with 2 μ² R/impratio,
    /// R = (1 + μ²) R₀: side by side they are μ² (1 + μ²)/((n − 1) impratio) R₀.
    pub fn inverse_mass(&self, dimensions: u8, friction: f64) -> f64 {
        if !self.pyramid || dimensions < 3 {
            return 1.0;
        }
        let squared = friction.max(LEAST_FRICTION).powi(2);
        squared * (1.0 + squared) / (f64::from(dimensions - 1) * self.ratio.max(LEAST))
    }
}

/// The smallest friction coefficient in MuJoCo.
const LEAST_FRICTION: f64 = 1e-5;

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: Softness = Softness {
        reference: [0.02, 1.0],
        impedance: [0.015, 0.99, 0.03, 0.4, 3.0],
        weight: 1.0,
        begins: [0.0; 2],
    };

    #[test]
    fn impedance_goes_from_the_first_to_the_last_value_and_its_slope_is_its_derivative() {
        assert_eq!(SOFT.impedance(0.0).0, 0.015);
        assert_eq!(SOFT.impedance(0.03), (0.99, 0.0));
        for k in 1..60 {
            let (r, h) = (0.0005 * f64::from(k) + 1e-5, 1e-8);
            let slope = (SOFT.impedance(r + h).0 - SOFT.impedance(r - h).0) / (2.0 * h);
            assert!((SOFT.impedance(r).1 - slope).abs() <= 1e-4 * (1.0 + slope.abs()), "{r}");
        }
    }

    #[test]
    fn slope_of_the_force_is_its_derivative() {
        for k in 1..80 {
            let (r, h) = (0.0005 * f64::from(k) + 1e-5, 1e-8);
            let at = |r: f64| SOFT.force(r, 0.002);
            let slope = (at(r + h).force - at(r - h).force) / (2.0 * h);
            assert!((at(r).slope - slope).abs() <= 1e-4 * slope.abs(), "{r}: {} {slope}", at(r).slope);
        }
    }

    #[test]
    fn beyond_the_width_a_contact_is_a_spring_with_the_time_constant_asked_for() {
        // ẍ = −(2/t) ẋ − x/(ζ t)² for Â = 1 while d is constant: K d² and B d over R + Â = Â/d.
        let soft = Softness { impedance: [0.9, 0.9, 0.001, 0.5, 2.0], ..Softness::default() };
        let at = soft.force(0.01, 0.001);
        let inverse = 1.0 / (1.0 - 0.9); // (R + Â)/R
        assert!((at.force / inverse / 0.01 - 1.0 / 0.02f64.powi(2)).abs() < 1e-6);
        assert!((at.damping / inverse - 2.0 / 0.02).abs() < 1e-9);
    }

    #[test]
    fn steps_bound_the_time_constant_from_below() {
        let quick = Softness { reference: [0.001, 1.0], ..Softness::default() };
        let slow = Softness { reference: [0.004, 1.0], ..Softness::default() };
        assert_eq!(quick.force(0.01, 0.002), slow.force(0.01, 0.002));
        assert_ne!(quick.force(0.01, 0.0001), slow.force(0.01, 0.0001));
    }

    #[test]
    fn two_geoms_mix_by_weight_and_priority() {
        let a = Softness { reference: [0.01, 1.0], weight: 3.0, ..Softness::default() };
        let b = Softness { reference: [0.05, 2.0], weight: 1.0, ..Softness::default() };
        let both = Softness::combine((&a, 0), (&b, 0)).reference;
        assert!((both[0] - 0.02).abs() < 1e-15 && (both[1] - 1.25).abs() < 1e-15, "{both:?}");
        assert_eq!(Softness::combine((&a, 0), (&b, 1)), b);
        assert_eq!(Softness::combine((&a, 2), (&b, 1)), a);
        let direct = Softness { reference: [-1e4, -10.0], ..Softness::default() };
        assert_eq!(Softness::combine((&a, 0), (&direct, 0)).reference, [-1e4, -10.0]);
    }

    #[test]
    fn forces_begin_at_the_margin_less_the_gap() {
        let early = Softness { begins: [0.003, 0.001], ..SOFT };
        assert_eq!(early.force(0.004, 0.002), SOFT.force(0.006, 0.002));
        let late = Softness { begins: [0.002, 0.002], ..SOFT };
        assert_eq!(Softness::combine((&early, 1), (&late, 0)).begins, [0.003, 0.002]);
    }

    #[test]
    fn a_pyramid_with_unit_friction_is_as_soft_as_a_cone() {
        let pyramid = ContactCone::default();
        assert_eq!(pyramid.inverse_mass(3, 1.0), 1.0);
        assert_eq!(pyramid.inverse_mass(1, 0.3), 1.0);
        assert_eq!(ContactCone { pyramid: false, ratio: 10.0 }.inverse_mass(3, 0.3), 1.0);
        assert!((pyramid.inverse_mass(6, 0.5) - 0.25 * 1.25 / 5.0).abs() < 1e-15);
    }
}
