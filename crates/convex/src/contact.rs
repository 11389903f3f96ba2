//! One contact point or face: its normal law and its friction together, in its contact frame.
//!
//! Velocities are v_c = [v_t1, v_t2, v_n] of body b relative to a in the frame C whose z-axis is the normal
//! from a into b; impulses act on b. A contact is a convex potential ℓ(v_c) with γ = −∂ℓ/∂v_c (ICF eq. 3).
//!
//! `ContactTerms` contains the inputs of the law. [`CompiledContact`] is the law during a solve. Both are generic
//! over the number type: the solver compiles contacts with `f64`, sensitivities use jets.

use crate::friction::lagged::{self, Lagged};
use crate::friction::sap::{self, Sap};
use crate::friction::similar::{self, Similar};
use crate::friction::spring::{self, Spring, SpringLaw};
use crate::friction::{Coefficients, Friction, FrictionModel, Response, blend};
use crate::normal::linear::{antiderivative, hunt_crossley};
use crate::normal::{NormalInput, NormalLaw};
use crate::number::Scalar;

/// Settings shared by all contacts of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// The friction model.
    pub model: FrictionModel,
    /// Stiction tolerance v_s, m/s: slip speed at which friction is fully developed.
    pub stiction_tolerance: f64,
    /// σ of ICF eq. 44, ε = max(v_s, σ w μ γ_n0), and of SAP's R_t = σ w. Zero turns eq. 44 off; SAP needs it.
    pub regularization: f64,
}

impl Default for ContactSettings {
    /// Lagged, v_s = 1e−4 m/s, σ = 1e−3.
    fn default() -> Self {
        Self { model: FrictionModel::Lagged, stiction_tolerance: 1e-4, regularization: 1e-3 }
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

/// All inputs of the law of a contact except the next velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactTerms<T> {
    pub normal: NormalInput<T>,
    pub relaxation_time: T,
    pub friction_static: T,
    pub friction_dynamic: T,
    /// Previous normal velocity and slip speed.
    pub v_n0: T,
    pub slip: T,
    /// The given normal impulse for friction, if any.
    pub lagged: Option<T>,
    /// Stiffness, damping and stretch of a tangential spring.
    pub spring: Option<(T, T, [T; 2])>,
}

/// The law of one contact during a solve. Only the velocity varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompiledContact<T = f64> {
    /// The friction model; its normal part alone if there is a spring.
    pub model: FrictionModel,
    /// Input of the normal law.
    pub normal: NormalInput<T>,
    /// Coefficients of the linear normal law, or SAP's, and of friction.
    pub coefficients: Coefficients<T>,
    /// When present, replaces the model's friction.
    pub spring: Option<SpringLaw<T>>,
}

impl<T: Scalar> CompiledContact<T> {
    /// Lagged friction of limit m = μ γ_n0 (N s).
    pub fn lagged(normal: NormalInput<T>, limit: T, epsilon: T) -> Self {
        Self::over(FrictionModel::Lagged, normal, limit, epsilon)
    }

    /// The Similar model with friction coefficient μ.
    pub fn similar(normal: NormalInput<T>, mu: T, epsilon: T) -> Self {
        Self::over(FrictionModel::Similar, normal, mu, epsilon)
    }

    fn over(model: FrictionModel, normal: NormalInput<T>, friction: T, epsilon: T) -> Self {
        let dt = T::constant(normal.dt);
        let (offset, stiffness) = (dt * normal.elastic_force, dt * dt * normal.stiffness);
        let loss = normal.dissipation;
        let coefficients = Coefficients { offset, stiffness, loss, friction, epsilon };
        Self { model, normal, coefficients, spring: None }
    }

    /// SAP with relaxation time τ_d, friction μ, σ and the Delassus estimate w (1/kg).
    pub fn sap(normal: NormalInput<T>, tau: T, mu: T, sigma: f64, w: T) -> Self {
        let NormalInput { dt, elastic_force, stiffness, .. } = normal;
        let coefficients = sap::coefficients(dt, elastic_force, stiffness, tau, mu, sigma, w);
        Self { model: FrictionModel::Sap, normal, coefficients, spring: None }
    }

    /// The same with friction through a tangential spring.
    pub fn with_spring(mut self, spring: SpringLaw<T>) -> Self {
        self.spring = Some(spring);
        self.coefficients.friction = spring.limit;
        self.coefficients.epsilon = spring.epsilon();
        if self.model == FrictionModel::Sap {
            self.coefficients.loss = T::zero(); // SAP's normal part has no factor (1 − d v_n)
        }
        self
    }

    /// The law of a contact. `w` is the Delassus estimate (1/kg), evaluated only if needed; `bound` is an upper
    /// bound of 3 w.
    #[inline(always)]
    pub(crate) fn compile(
        settings: &ContactSettings,
        law: &NormalLaw,
        terms: &ContactTerms<T>,
        w: impl Fn() -> T,
        bound: f64,
    ) -> Self {
        let dt = terms.normal.dt;
        let one = T::constant(1.0);
        let sigma = settings.regularization.max(1.0 / lagged::RESOLVED);
        let v_s = settings.stiction_tolerance;
        let mut normal = terms.normal;
        let mu = blend(terms.friction_static, terms.friction_dynamic, terms.slip, v_s);
        let limit = match settings.model {
            FrictionModel::Similar => T::constant(similar::NEAR_RIGID) / (one + mu * mu),
            FrictionModel::Lagged => T::constant(lagged::RESOLVED),
            FrictionModel::Sap => T::constant(f64::INFINITY),
        };
        let slope = law.lagged_slope(&normal);
        let mut scale = one;
        if slope.value() * bound > 3.0 * limit.value() {
            scale = limit / (slope * w());
            if scale.value() > 1.0 {
                scale = one;
            }
            normal.elastic_force = normal.elastic_force * scale;
            normal.stiffness = normal.stiffness * scale;
        }
        let n0 = terms.lagged.unwrap_or_else(|| law.lagged_impulse(&normal, terms.v_n0));
        // For most contacts the bound already shows that ε = v_s.
        let needs_w =
            settings.model == FrictionModel::Sap || sigma * bound / 3.0 * mu.value() * n0.value() > v_s;
        let w = if needs_w { w() } else { T::zero() };
        // ICF eq. 44
        let epsilon = (T::constant(sigma) * w * mu * n0).max(T::constant(v_s));
        let contact = match settings.model {
            FrictionModel::Lagged => Self::lagged(normal, mu * n0, epsilon),
            FrictionModel::Similar => Self::similar(normal, mu, epsilon),
            FrictionModel::Sap => Self::sap(normal, terms.relaxation_time, mu, sigma, w),
        };
        match terms.spring {
            None => contact,
            Some((k, c, stretch)) => {
                contact.with_spring(SpringLaw::over(dt, mu * n0, scale * k, scale * c, stretch))
            }
        }
    }

    /// Impulse at contact velocity `v`.
    pub(crate) fn impulse(&self, law: &NormalLaw, v: [T; 3]) -> [T; 3] {
        let ([x, y], r) = self.respond(law, v);
        [-(r.a * x), -(r.a * y), r.gamma_n]
    }

    /// Velocity and response of the friction law.
    fn respond(&self, law: &NormalLaw, v: [T; 3]) -> ([T; 2], Response<T>) {
        match (&self.spring, self.model) {
            (Some(_), _) => self.respond_as::<Spring>(law, v),
            (None, FrictionModel::Lagged) => self.respond_as::<Lagged>(law, v),
            (None, FrictionModel::Similar) => self.respond_as::<Similar>(law, v),
            (None, FrictionModel::Sap) => self.respond_as::<Sap>(law, v),
        }
    }

    fn respond_as<F: Friction>(&self, law: &NormalLaw, v: [T; 3]) -> ([T; 2], Response<T>) {
        let c = &self.coefficients;
        let [x, y] = self.slip(v);
        let root = F::measure((x * x).plus(y, y), c.epsilon).sqrt();
        let argument = if F::GROUPED { similar::grouping(c, v[2], root) } else { v[2] };
        let elastic = c.offset.less(c.stiffness, argument);
        let normal = match law {
            NormalLaw::Linear => {
                hunt_crossley(elastic, T::constant(1.0).less(c.loss, argument), c.stiffness, c.loss)
            }
            _ => law.respond(&self.normal, argument),
        };
        ([x, y], F::respond(c, root, elastic, normal))
    }

    /// Slip velocity, including the equivalent velocity of a spring's stretch.
    fn slip(&self, v: [T; 3]) -> [T; 2] {
        match &self.spring {
            None => [v[0], v[1]],
            Some(spring) => {
                let [x, y] = spring.equivalent_velocity();
                [v[0] + x, v[1] + y]
            }
        }
    }
}

impl CompiledContact {
    /// Cost, impulse and Hessian at contact velocity `v`.
    pub fn evaluate(&self, law: &NormalLaw, v: [f64; 3]) -> ContactValue {
        let ([x, y], r) = self.respond(law, v);
        // G = a (P − t tᵀ) + g s sᵀ, s = n − μ_c t.
        let t = [r.direction * x, r.direction * y, 0.0];
        let s = [-r.mu_c * t[0], -r.mu_c * t[1], 1.0];
        let entry = |i: usize, j: usize| {
            let plane = if i == j && i < 2 { 1.0 } else { 0.0 };
            r.a * (plane - t[i] * t[j]) + r.g * (s[i] * s[j])
        };
        ContactValue {
            cost: self.cost(law, v),
            impulse: [-r.a * x, -r.a * y, r.gamma_n],
            hessian: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))),
        }
    }

    /// ℓ at contact velocity `v`, J.
    fn cost(&self, law: &NormalLaw, v: [f64; 3]) -> f64 {
        let c = &self.coefficients;
        let [x, y] = self.slip(v);
        let slip_squared = x * x + y * y;
        let normal = |v: f64| match law {
            NormalLaw::Linear => -antiderivative(&in_step_units(c), v),
            _ => -law.antiderivative(&self.normal, v),
        };
        match (&self.spring, self.model) {
            (Some(_), FrictionModel::Sap) => {
                spring::cost(c, slip_squared.sqrt()) + sap::cost_without_friction(c, v[2])
            }
            (Some(_), _) => spring::cost(c, slip_squared.sqrt()) + normal(v[2]),
            (None, FrictionModel::Lagged) => lagged::cost(c, slip_squared) + normal(v[2]),
            (None, FrictionModel::Similar) => normal(self.normal_argument(v)),
            (None, FrictionModel::Sap) => sap::cost(c, slip_squared.sqrt(), v[2]),
        }
    }

    /// Argument of the normal law: z for Similar, otherwise v_n.
    pub(crate) fn normal_argument(&self, v: [f64; 3]) -> f64 {
        if self.spring.is_some() || self.model != FrictionModel::Similar {
            return v[2];
        }
        let root = Similar::measure(v[0] * v[0] + v[1] * v[1], self.coefficients.epsilon).sqrt();
        similar::grouping(&self.coefficients, v[2], root)
    }

    /// The same contact with a linear spring of stiffness k that pushes with f0 in place of its normal law.
    pub(crate) fn with_linear_spring(mut self, f0: f64, k: f64) -> Self {
        let dt = self.normal.dt;
        self.coefficients.offset = dt * f0;
        self.coefficients.stiffness = dt * dt * k;
        self.coefficients.loss = 0.0;
        self
    }
}

/// The linear law of these coefficients, with δt included in force and stiffness.
fn in_step_units(c: &Coefficients) -> NormalInput {
    NormalInput {
        dt: 1.0,
        penetration: 0.0,
        elastic_force: c.offset,
        stiffness: c.stiffness,
        dissipation: c.loss,
    }
}
