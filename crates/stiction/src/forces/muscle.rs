//! Muscle force and activation dynamics.
//!
//! With L the length in optimal lengths and V the speed in units of the fastest shortening,
//!
//! ```text
//! force = −F (FL(L) FV(V) a + FP(L))
//! ```
//!
//! FL rises from 0 at `shortest` to 1 at L = 1 and falls to 0 at `longest`; FV rises from 0 at V = −1 through 1 at rest
//! to `lengthening`; FP begins at L = 1 and is `passive`/2 half-way to `longest`, and linear beyond. All curves are
//! piecewise parabolas with continuous slopes. (This is MuJoCo's muscle model, with the lengths and force of its
//! documentation.)

use stiction_model::Muscle;

/// A curve's value and slope.
type Curve = (f64, f64);

/// Active force over length.
pub(crate) fn force_length(l: f64, shortest: f64, longest: f64) -> Curve {
    let (a, b) = (0.5 * (shortest + 1.0), 0.5 * (1.0 + longest));
    let rise = |x: f64, scale: f64| (0.5 * x * x, x / scale);
    let top = |x: f64, scale: f64| (1.0 - 0.5 * x * x, -x / scale);
    if l < shortest || l > longest {
        (0.0, 0.0)
    } else if l <= a {
        rise((l - shortest) / (a - shortest), a - shortest)
    } else if l <= 1.0 {
        top((1.0 - l) / (1.0 - a), a - 1.0)
    } else if l <= b {
        top((l - 1.0) / (b - 1.0), b - 1.0)
    } else {
        rise((longest - l) / (longest - b), b - longest)
    }
}

/// Active force over speed; its slope is never negative.
pub(crate) fn force_velocity(v: f64, lengthening: f64) -> Curve {
    let y = lengthening - 1.0;
    if v <= -1.0 {
        (0.0, 0.0)
    } else if v <= 0.0 {
        ((v + 1.0) * (v + 1.0), 2.0 * (v + 1.0))
    } else if v < y {
        (lengthening - (y - v) * (y - v) / y, 2.0 * (y - v) / y)
    } else {
        (lengthening, 0.0)
    }
}

/// Passive force over length.
pub(crate) fn passive_force(l: f64, longest: f64, passive: f64) -> Curve {
    let b = 0.5 * (1.0 + longest);
    if l <= 1.0 {
        (0.0, 0.0)
    } else if l <= b {
        let x = (l - 1.0) / (b - 1.0);
        (passive * 0.5 * x * x, passive * x / (b - 1.0))
    } else {
        let x = (l - b) / (b - 1.0);
        (passive * (0.5 + x), passive / (b - 1.0))
    }
}

/// A muscle with its lengths and force in SI units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompiledMuscle {
    pub law: Muscle,
    /// Peak force, N.
    pub peak: f64,
    /// Transmission lengths at the ends of `law.range`.
    pub lengths: [f64; 2],
}

impl CompiledMuscle {
    /// Force and its slopes with length and rate at an activation.
    pub fn force(&self, length: f64, rate: f64, activation: f64) -> (f64, f64, f64) {
        let m = &self.law;
        let optimal = ((self.lengths[1] - self.lengths[0]) / (m.range[1] - m.range[0])).max(1e-15);
        let l = m.range[0] + (length - self.lengths[0]) / optimal;
        let v = rate / (optimal * m.fastest);
        let (fl, dfl) = force_length(l, m.shortest, m.longest);
        let (fv, dfv) = force_velocity(v, m.lengthening);
        let (fp, dfp) = passive_force(l, m.longest, m.passive);
        let force = -self.peak * (fl * fv * activation + fp);
        let by_length = -self.peak * (dfl * fv * activation + dfp) / optimal;
        let by_rate = -self.peak * fl * dfv * activation / (optimal * m.fastest);
        (force, by_length, by_rate)
    }
}

/// Rate of a muscle's activation under a control.
pub(crate) fn activation_rate(control: f64, activation: f64, rise: f64, fall: f64, smoothing: f64) -> f64 {
    let (control, level) = (control.clamp(0.0, 1.0), activation.clamp(0.0, 1.0));
    let (rise, fall) = (rise * (0.5 + 1.5 * level), fall / (0.5 + 1.5 * level));
    let difference = control - activation;
    let time = if smoothing < 1e-15 {
        if difference > 0.0 { rise } else { fall }
    } else {
        fall + (rise - fall) * sigmoid(difference / smoothing + 0.5)
    };
    difference / time.max(1e-15)
}

/// The quintic from 0 to 1 with two vanishing derivatives at each end.
fn sigmoid(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (x * (6.0 * x - 15.0) + 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slope(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    }

    proptest! {
        #[test]
        fn curves_are_continuous_and_their_slopes_are_their_derivatives(l in 0.3..2.0f64, v in -1.5..1.0f64) {
            let fl = |l: f64| force_length(l, 0.5, 1.6).0;
            let fv = |v: f64| force_velocity(v, 1.2).0;
            let fp = |l: f64| passive_force(l, 1.6, 1.3).0;
            prop_assert!((slope(fl, l) - force_length(l, 0.5, 1.6).1).abs() < 1e-4);
            prop_assert!((slope(fv, v) - force_velocity(v, 1.2).1).abs() < 1e-4);
            prop_assert!((slope(fp, l) - passive_force(l, 1.6, 1.3).1).abs() < 1e-4);
        }
    }

    #[test]
    fn a_muscle_at_its_optimal_length_at_rest_pulls_with_its_peak_force() {
        assert_eq!(force_length(1.0, 0.5, 1.6).0, 1.0);
        assert_eq!(force_velocity(0.0, 1.2).0, 1.0);
        assert_eq!(passive_force(1.0, 1.6, 1.3).0, 0.0);
        assert!((passive_force(1.6, 1.6, 1.3).0 - 1.5 * 1.3).abs() < 1e-12);
    }

    #[test]
    fn activation_rises_faster_than_it_falls() {
        let up = activation_rate(1.0, 0.5, 0.01, 0.04, 0.0);
        let down = activation_rate(0.0, 0.5, 0.01, 0.04, 0.0);
        assert!(up > 0.0 && down < 0.0 && up > -down);
    }
}
