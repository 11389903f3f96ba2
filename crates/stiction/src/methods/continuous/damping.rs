//! The damping constant χ of a pair (PFC 5.2.1, 5.2.2).
//!
//! A solid that may expand at a rate τ (1/s) has χ = 1/(L τ) (eq. 5.6, 5.7), with L its characteristic length. A
//! solid without a rate uses its Hunt & Crossley dissipation, which is the same constant. Two compliant solids
//! combine by their compliances c = L/M₀:
//!
//! ```text
//! χ = (χ_A c_A² + χ_B c_B²)/(c_A + c_B)²                     eq. 5.13, 5.14
//! ```
//!
//! If neither solid has a rate, the pair has the dissipation of the discrete method (the two agree unless both
//! solids are compliant), so the discrete method converges to the continuous one.

use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use crate::model::material::PairMaterial;
use stiction_geometry::patch::ContactSolid;

/// Characteristic length of a compliant solid, m; none for rigid ones.
pub fn characteristic_length(solid: &ContactSolid) -> Option<f64> {
    match solid {
        ContactSolid::Compliant(solid) => Some(solid.characteristic_length()),
        ContactSolid::CompliantHalfSpace { thickness, .. } => Some(*thickness),
        ContactSolid::Rigid(_) | ContactSolid::RigidHalfSpace => None,
    }
}

/// χ of two compliant solids from (χ, c = L/M₀) of each (PFC eq. 5.14).
pub fn combine_damping((chi_a, c_a): (f64, f64), (chi_b, c_b): (f64, f64)) -> f64 {
    // Ratios first: they keep full precision at any scale.
    let a = c_a / (c_a + c_b);
    chi_a * a * a + chi_b * (1.0 - a) * (1.0 - a)
}

/// Contact parameters of a pair of geoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairLaw {
    /// χ, s/m.
    pub chi: f64,
    /// Static and dynamic friction coefficient.
    pub friction: (f64, f64),
}

impl PairLaw {
    pub fn new(compiled: &Compiled, (geom_a, geom_b): GeomPair) -> Self {
        let (a, b) = (compiled.material(geom_a), compiled.material(geom_b));
        let material = PairMaterial::combine_patch(a, b, compiled.world.options.friction_rule).mutated();
        let friction = (material.static_friction, material.dynamic_friction);
        let rate = |geom| compiled.described(geom).contact.expansion_rate;
        let side = |geom| {
            let solid = compiled.solid(geom);
            let length = characteristic_length(solid)?;
            let chi = rate(geom).map_or(compiled.material(geom).dissipation, |r| 1.0 / (length * r));
            Some((chi, length / solid.modulus()))
        };
        let none = rate(geom_a).is_none() && rate(geom_b).is_none();
        let chi = match (side(geom_a), side(geom_b)) {
            _ if none => material.dissipation,
            (Some(a), Some(b)) => combine_damping(a, b),
            (Some(one), None) | (None, Some(one)) => one.0,
            (None, None) => material.dissipation,
        };
        let chi = if stiction_base::mutation::is("dissipation-off") { 0.0 } else { chi };
        Self { chi, friction }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn two_solids_lose_together_what_each_loses_by_itself(
            chi in prop::array::uniform2(0.1..100.0f64), c in prop::array::uniform2(1e-9..1e-5f64), v in -3.0..3.0f64
        ) {
            // PFC C.13, C.22, C.23: each expands in proportion to its compliance.
            let share = c[0] / (c[0] + c[1]);
            let apart = chi[0] * (share * v).powi(2) + chi[1] * ((1.0 - share) * v).powi(2);
            let together = combine_damping((chi[0], c[0]), (chi[1], c[1])) * v * v;
            prop_assert!((apart - together).abs() <= 1e-12 * together);
        }
    }

    #[test]
    fn beside_a_very_stiff_solid_the_soft_one_decides() {
        assert!((combine_damping((7.0, 1e-6), (300.0, 1e-15)) / 7.0 - 1.0).abs() < 1e-8);
    }
}
