//! Domain randomisation: random masses, friction, stiffness, sizes, damping and gains for each world.
//!
//! The random value of a quantity of a body or geom depends only on the seed, the world's index and that quantity.
//! It does not depend on the number of worlds or on other random quantities.

use crate::model::Model;
use crate::model::variation::{ActuatorChange, ContactChange, JointChange, Variation};
use serde::{Deserialize, Serialize};
use stiction_base::random::{GOLDEN, Random, unit};

/// The random quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Quantity {
    /// Mass of a body, with its rotational inertia in proportion.
    Mass,
    /// Friction coefficients of a geom, static and dynamic by the same factor.
    Friction,
    /// Stiffness of a geom, that of its pressure field included.
    Stiffness,
    /// Dissipation of a geom.
    Dissipation,
    /// Size of a geom, about its own frame.
    Size,
    /// Damping of a joint.
    Damping,
    /// Dry friction of a joint.
    FrictionLoss,
    /// Armature of a joint.
    Armature,
    /// Gain of a position servo.
    Kp,
    /// Gain of a velocity servo, or damping of a position servo.
    Kv,
    /// Strength of an actuator.
    Strength,
}

/// Distribution of the factor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Distribution {
    /// Uniform between the ends.
    #[default]
    Uniform,
    /// Uniform in the logarithm, for ranges over decades.
    LogUniform,
}

/// A range of factors on a value of the model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The random quantity.
    pub quantity: Quantity,
    /// The body of a mass, the joint (its place in `Multibody::joints`), actuator or geom of other quantities.
    pub target: usize,
    /// Smallest factor.
    pub low: f64,
    /// Largest factor.
    pub high: f64,
    /// Distribution of the factor.
    pub distribution: Distribution,
}

impl Range {
    /// The factor for one world, between `low` and `high`.
    pub fn draw(&self, seed: u64, world: u64) -> f64 {
        let key = [seed, world, self.quantity as u64, self.target as u64];
        // Each word is mixed by a full round, so neighbouring seeds and worlds are independent.
        let bits = key.into_iter().fold(GOLDEN, |hash, word| Random(hash ^ Random(word).bits()).bits());
        let share = unit(bits);
        match self.distribution {
            Distribution::Uniform => self.low + share * (self.high - self.low),
            Distribution::LogUniform => self.low * (self.high / self.low).powf(share),
        }
    }

    /// The variation of the model by this factor.
    pub fn variation(&self, model: &Model, factor: f64) -> Variation {
        let mut variation = Variation::default();
        let target = self.target;
        if self.quantity == Quantity::Mass {
            let mass = model.world().bodies.get(target).map_or(0.0, |b| b.inertia.mass);
            variation.masses.insert(target, factor * mass);
            return variation;
        }
        if self.quantity == Quantity::Size {
            variation.sizes.insert(target, factor);
            return variation;
        }
        if let Some(change) = self.of_actuator(model, factor) {
            variation.actuators.insert(target, change);
            return variation;
        }
        if let Some((joint, change)) = self.of_joint(model, factor) {
            variation.joints.insert(joint, change);
            return variation;
        }
        let Some(now) = model.contact_properties(target) else { return variation };
        let mut change = ContactChange::default();
        match self.quantity {
            Quantity::Friction => {
                change.static_friction = Some(factor * now.static_friction);
                change.dynamic_friction = Some(factor * now.dynamic_friction);
            }
            Quantity::Stiffness => {
                change.stiffness = Some(factor * now.stiffness);
                change.modulus = now.modulus.is_finite().then_some(factor * now.modulus);
            }
            _ => change.dissipation = Some(factor * now.dissipation),
        }
        variation.contacts.insert(target, change);
        variation
    }

    fn of_joint(&self, model: &Model, factor: f64) -> Option<((usize, usize), JointChange)> {
        let joint = model.multibody().joints().get(self.target)?;
        let dof = model.world().bodies[joint.body].joints[joint.index].dofs.first()?;
        let change = match self.quantity {
            Quantity::Damping => JointChange { damping: Some(factor * dof.damping), ..Default::default() },
            Quantity::FrictionLoss => {
                JointChange { friction_loss: Some(factor * dof.friction), ..Default::default() }
            }
            Quantity::Armature => JointChange { armature: Some(factor * dof.armature), ..Default::default() },
            _ => return None,
        };
        Some(((joint.body, joint.index), change))
    }

    fn of_actuator(&self, model: &Model, factor: f64) -> Option<ActuatorChange> {
        let actuator = model.world().actuators.get(self.target)?;
        let rate = if actuator.bias[1] == 0.0 { actuator.gain[0] } else { -actuator.bias[2] };
        match self.quantity {
            Quantity::Kp => {
                Some(ActuatorChange { kp: Some(factor * actuator.gain[0]), ..Default::default() })
            }
            Quantity::Kv => Some(ActuatorChange { kv: Some(factor * rate), ..Default::default() }),
            Quantity::Strength => Some(ActuatorChange { strength: Some(factor), ..Default::default() }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(low: f64, high: f64, distribution: Distribution) -> Range {
        Range { quantity: Quantity::Friction, target: 3, low, high, distribution }
    }

    proptest! {
        #[test]
        fn draws_stay_in_their_range(seed: u64, world: u64, low in 0.01f64..1.0, width in 0.0f64..10.0) {
            for distribution in [Distribution::Uniform, Distribution::LogUniform] {
                let factor = range(low, low + width, distribution).draw(seed, world);
                prop_assert!(factor >= low && factor <= (low + width) * (1.0 + 1e-15));
            }
        }
    }

    #[test]
    fn draws_of_many_worlds_have_the_moments_of_their_distribution() {
        // The mean of n samples deviates by σ/√n, with σ² = 1/12 for the uniform distribution. Four standard
        // deviations are allowed.
        let n = 40_000u64;
        for seed in 0..4 {
            let even: Vec<f64> =
                (0..n).map(|w| range(0.0, 1.0, Distribution::Uniform).draw(seed, w)).collect();
            let mean = even.iter().sum::<f64>() / n as f64;
            assert!((mean - 0.5).abs() < 4.0 * (1.0 / 12.0 / n as f64).sqrt());
            // Neighbouring worlds are uncorrelated.
            let product = even.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / (n - 1) as f64;
            assert!(product.abs() < 4.0 / 12.0 / (n as f64).sqrt());
            let logs = (0..n).map(|w| range(0.1, 10.0, Distribution::LogUniform).draw(seed, w).ln());
            let mean = logs.sum::<f64>() / n as f64;
            let sigma = (100f64.ln().powi(2) / 12.0).sqrt();
            assert!(mean.abs() < 4.0 * sigma / (n as f64).sqrt());
        }
    }

    #[test]
    fn another_seed_world_quantity_or_target_draws_anew() {
        let base = range(0.0, 1.0, Distribution::Uniform);
        let draws = [
            base.draw(1, 1),
            base.draw(2, 1),
            base.draw(1, 2),
            Range { target: 4, ..base }.draw(1, 1),
            Range { quantity: Quantity::Mass, ..base }.draw(1, 1),
        ];
        for (i, a) in draws.iter().enumerate() {
            assert!(draws[..i].iter().all(|b| (a - b).abs() > 1e-9));
        }
        assert_eq!(base.draw(1, 1), draws[0]);
    }
}
