//! Contact models: the law of one contact point or face in its contact frame.
//!
//! Velocities are v_c = [v_t1, v_t2, v_n] of body b relative to a in the frame C whose z-axis is the normal
//! from a into b; impulses act on b. Each model is a convex potential ℓ(v_c) with γ = −∂ℓ/∂v_c (ICF eq. 3).
//!
//! | file | model |
//! |---|---|
//! | [`lagged`] | normal law implicit, friction with the previous normal impulse (default) |
//! | [`similar`] | normal law of z = v_n − μ‖v_t‖_s: strong coupling, some gliding |
//! | [`sap`] | linear spring and linear dissipation, projection on the friction cone |
//! | [`spring`] | friction through a tangential spring, for contacts that hold without creep |
//!
//! [`ContactLaw`] is the compiled choice for one contact.

pub mod lagged;
pub mod sap;
pub mod similar;
pub mod spring;

use crate::friction::Regularizer;
use crate::normal::{NormalInput, NormalLaw};
use sap::SapLaw;
use spring::SpringLaw;

/// Which convex approximation of frictional contact a problem uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactModel {
    /// Consistent, no gliding; friction lags the normal impulse by one step (ICF VI-B).
    #[default]
    Lagged,
    /// Strongly coupled; glides at μ δt ‖v_t‖ while sliding (ICF VI-C). Takes more iterations than
    /// Lagged where contacts are stiff; stiffness is limited to 10⁷/(1 + μ²) effective masses a step ([`similar`]).
    Similar,
    /// Semi-analytic primal model with linear dissipation; glides at μ (δt + τ_d) ‖v_t‖ (ICF VI-A).
    Sap,
}

/// Settings shared by all contacts of a problem.
#[derive(Debug, Clone)]
pub struct ContactSettings {
    /// The contact model.
    pub model: ContactModel,
    /// Stiction tolerance v_s, m/s: slip speed at which friction is developed.
    pub stiction_tolerance: f64,
    /// σ of ICF eq. 44, ε = max(v_s, σ w μ γ_n0), and of SAP's R_t = σ w. Zero turns eq. 44 off; SAP needs it.
    pub regularization: f64,
    /// How friction grows with slip in the Lagged and Similar models.
    pub regularizer: Regularizer,
}

impl Default for ContactSettings {
    /// Lagged, v_s = 1e−4 m/s, σ = 1e−3, soft regulariser.
    fn default() -> Self {
        Self {
            model: ContactModel::Lagged,
            stiction_tolerance: 1e-4,
            regularization: 1e-3,
            regularizer: Regularizer::Soft,
        }
    }
}

/// Cost, impulse and Hessian of a contact at one velocity, in the contact frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ContactValue {
    /// ℓ(v_c), J.
    pub cost: f64,
    /// γ = −∂ℓ/∂v_c on body b, N s: two tangential components, then the normal one.
    pub impulse: [f64; 3],
    /// G = ∂²ℓ/∂v_c² ⪰ 0, kg.
    pub hessian: [[f64; 3]; 3],
}

/// The model's part of a contact law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ModelLaw {
    /// Friction limit μ γ_n0 (N s) and ε (m/s).
    Lagged {
        /// μ γ_n0, N s.
        friction_limit: f64,
        /// ε, m/s.
        epsilon: f64,
    },
    /// Friction coefficient and ε (m/s).
    Similar {
        /// μ.
        friction: f64,
        /// ε, m/s.
        epsilon: f64,
    },
    /// SAP's regularised cone.
    Sap(SapLaw),
}

/// The compiled law of one contact: everything but the velocity is fixed during a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// Input of the normal law.
    pub normal: NormalInput,
    /// The model's part.
    pub model: ModelLaw,
    /// When present, replaces the model's friction.
    pub spring: Option<SpringLaw>,
}

impl ContactLaw {
    /// Cost, impulse and Hessian at contact velocity `v`.
    pub fn evaluate(&self, normal_law: &NormalLaw, regularizer: &Regularizer, v: [f64; 3]) -> ContactValue {
        let [tx, ty, vn] = v;
        if let Some(spring) = &self.spring {
            let mut value = spring.evaluate([tx, ty]);
            let (cost, impulse, hessian) = match &self.model {
                ModelLaw::Sap(sap) => sap.normal(vn),
                _ => {
                    let n = normal_law.evaluate(&self.normal, vn);
                    (-n.antiderivative, n.impulse, -n.slope)
                }
            };
            value.cost += cost;
            value.impulse[2] = impulse;
            value.hessian[2][2] = hessian;
            return value;
        }
        match &self.model {
            ModelLaw::Lagged { friction_limit, epsilon } => {
                let mut value = lagged::friction(regularizer, *friction_limit, *epsilon, [tx, ty]);
                let n = normal_law.evaluate(&self.normal, vn);
                value.cost -= n.antiderivative;
                value.impulse[2] = n.impulse;
                value.hessian[2][2] = -n.slope;
                value
            }
            ModelLaw::Similar { friction, epsilon } => similar::evaluate(
                |z| normal_law.evaluate(&self.normal, z),
                regularizer,
                *friction,
                *epsilon,
                v,
            ),
            ModelLaw::Sap(sap) => sap.evaluate(v),
        }
    }
}
