//! Contact laws at one point of a contact surface.
//!
//! ```text
//! p   = max(p0 − p0 χ v·n̂, −adhesion)                         PFC eq. 5.10–5.12
//! t_f = −μ p v_T / max(‖v_T‖, v_c)                             PFC eq. 5.16
//! t_f = t_s if ‖t_s‖ ≤ μ p, else μ p t̂_s;  t_s = −k δ − c v_T  PFC eq. 6.5, 6.6
//! δ̇   = −τ⁻¹ (t_f/k + δ),  τ = c/k                             PFC eq. 6.4
//! ```
//!
//! v is the velocity of B relative to A, n̂ points out of A into B, and the traction p n̂ + t_f acts on B.

use nalgebra::Vector3;
use stiction_convex::friction::{cut_off, soft};
use stiction_convex::normal::linear::damped;

/// Pressure with normal damping, Pa. `speed` is v·n̂, m/s; positive when separating.
#[inline]
pub fn pressure(p0: f64, chi: f64, speed: f64, adhesion: f64) -> f64 {
    // PFC eq. 5.12; 5.18 and C.25 print the sign the other way.
    damped(p0, chi, speed).max(-adhesion)
}

/// The ratio t̄_f of regularised Coulomb friction to the pressure (PFC eq. 5.16), with the cutoff speed v_c.
#[inline]
pub fn cutoff_friction(mu: f64, slip: &Vector3<f64>, cutoff: f64) -> Vector3<f64> {
    slip * -cut_off(mu, slip.norm(), cutoff)
}

/// The same with a smooth corner: −μ v/√(‖v‖² + v_c²).
#[inline]
pub fn soft_friction(mu: f64, slip: &Vector3<f64>, cutoff: f64) -> Vector3<f64> {
    slip * -soft(mu, slip.norm_squared(), cutoff)
}

/// A spring and a damper in parallel, in series with Coulomb friction (PFC Fig. 6.1), at a point or per area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KelvinVoigt {
    /// Stiffness k: N/m, or Pa/m for a traction.
    pub stiffness: f64,
    /// Damping c: N s/m, or Pa s/m for a traction.
    pub damping: f64,
}

impl KelvinVoigt {
    /// Friction on B at stretch `delta` (B relative to its shell, m) and tangential velocity `v_t` (B relative to A, m/s);
    /// `limit` is μ p.
    #[inline]
    pub fn friction(&self, delta: &Vector3<f64>, v_t: &Vector3<f64>, limit: f64) -> Vector3<f64> {
        let stick = -(self.stiffness * delta + self.damping * v_t); // PFC eq. 6.6
        // Friction that is proportional to −`stick` up to the limit.
        stick * cut_off(limit, stick.norm(), limit)
    }

    /// Rate of the stretch under the friction `t_f`, m/s (PFC eq. 6.4 with τ = c/k).
    pub fn stretch_rate(&self, delta: &Vector3<f64>, t_f: &Vector3<f64>) -> Vector3<f64> {
        -(t_f + self.stiffness * delta) / self.damping
    }

    /// Velocity of the shell against A, m/s (PFC eq. 6.1).
    pub fn slip(&self, delta: &Vector3<f64>, v_t: &Vector3<f64>, t_f: &Vector3<f64>) -> Vector3<f64> {
        v_t - self.stretch_rate(delta, t_f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(-2.0f64..2.0).prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn damping_never_adds_energy(p0 in 0.0..1e6f64, chi in 0.0..100.0f64, v in -5.0..5.0f64, adhesion in 0.0..1e4f64) {
            // PFC A.2: the power of p − p0 on the separating speed.
            prop_assert!((pressure(p0, chi, v, adhesion) - p0) * v <= 0.0);
            prop_assert!(pressure(p0, chi, v, 0.0) >= 0.0);
        }

        #[test]
        fn friction_opposes_slip_and_keeps_to_its_cone(mu in 0.0..2.0f64, v in vector()) {
            for law in [cutoff_friction, soft_friction] {
                let t = law(mu, &v, 0.01);
                prop_assert!(t.dot(&v) <= 0.0 && t.norm() <= mu * (1.0 + 1e-12));
                prop_assert!(t.cross(&v).norm() <= 1e-12);
            }
        }

        #[test]
        fn a_spring_in_series_obeys_coulomb_and_never_adds_energy(
            k in 1.0..1e3f64, c in 0.1..1e2f64, delta in vector(), v in vector(), limit in 0.0..1e3f64
        ) {
            let law = KelvinVoigt { stiffness: k, damping: c };
            let t = law.friction(&delta, &v, limit);
            let (slip, rate) = (law.slip(&delta, &v, &t), law.stretch_rate(&delta, &t));
            let scale = k * delta.norm() + c * v.norm() + limit;
            prop_assert!(t.norm() <= limit * (1.0 + 1e-12));
            // Sticking: no slip. Sliding: the friction opposes the slip of the shell (PFC eq. 5.15).
            if t.norm() < limit * (1.0 - 1e-9) {
                prop_assert!(slip.norm() <= 1e-12 * scale / c);
            } else {
                prop_assert!((t.dot(&slip) + t.norm() * slip.norm()).abs() <= 1e-9 * scale * scale / c);
            }
            // Power into the bodies and the spring together: the dissipation is never negative.
            prop_assert!(t.dot(&v) + k * delta.dot(&rate) <= 1e-12 * scale * scale / c);
        }
    }
}
