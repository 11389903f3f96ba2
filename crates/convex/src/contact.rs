//! One contact point or face: its normal law and its friction together, in its contact frame.
//!
//! Velocities are v_c = [v_t1, v_t2, v_n] of body b relative to a in the frame C whose z-axis is the normal
//! from a into b; impulses act on b. A contact is a convex potential ℓ(v_c) with γ = −∂ℓ/∂v_c (ICF eq. 3).
//!
//! `ContactTerms` contains the inputs of the law. [`CompiledContact`] is the law during a solve. Both are generic
//! over the number type: the solver compiles contacts with `f64`, sensitivities use jets.

use crate::friction::ellipse::Ellipse;
use crate::friction::lagged::{self, Lagged};
use crate::friction::sap::{self, Sap};
use crate::friction::similar::{self, Similar};
use crate::friction::spring::{self, Spring, SpringLaw};
use crate::friction::{Coefficients, Friction, FrictionModel, Response, blend};
use crate::normal::linear::{antiderivative, hunt_crossley};
use crate::normal::{NormalInput, NormalLaw};
use crate::number::{Number, Scalar};

/// Settings shared by all contacts of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSettings {
    /// The friction model.
    pub model: FrictionModel,
    /// Stiction tolerance v_s, m/s: slip speed at which friction is fully developed.
    pub stiction_tolerance: f64,
    /// σ of ICF eq. 44, ε = max(v_s, σ w μ γ_n0), and of SAP's R_t = σ w. Zero turns eq. 44 off; SAP needs it.
    pub regularization: f64,
    /// Largest stiffness δt² k of the linear law in effective masses 1/w, times the load of the contact
    /// ([`crate::ContactEntry::load`]): where k is larger, k and f0 are scaled down together. Infinite for none. SAP has its
    /// own limit, 4π².
    pub stiffness_limit: f64,
    /// The same of tangential springs, which beyond it are as soft as the limit, with as much damping of their stiffness.
    pub spring_limit: f64,
}

impl Default for ContactSettings {
    /// Lagged, v_s = 1e−4 m/s, σ = 1e−3, no limits of stiffness.
    fn default() -> Self {
        Self {
            model: FrictionModel::Lagged,
            stiction_tolerance: 1e-4,
            regularization: 1e-3,
            stiffness_limit: f64::INFINITY,
            spring_limit: f64::INFINITY,
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

/// Cost, impulse and Hessian of a contact at one velocity and angular velocity, in the contact frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurningValue {
    /// ℓ, J.
    pub cost: f64,
    /// −∂ℓ/∂(v_c, ω_c): impulse, N s, and its torque about the contact, N m s, on body b.
    pub impulse: [f64; 6],
    /// ∂²ℓ ⪰ 0.
    pub hessian: [[f64; 6]; 6],
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
    /// A tangential spring.
    pub spring: Option<SpringTerms<T>>,
    /// Scales of the slip.
    pub ellipse: Option<Ellipse>,
    /// Factor of the limits of stiffness.
    pub load: f64,
    /// With an ellipse, how freely the two bodies turn against each other about the normal, 1/(kg m²).
    pub spin: f64,
}

/// The inputs of a tangential spring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpringTerms<T> {
    /// k_t and c_t.
    pub stiffness: T,
    pub damping: T,
    /// K of critical damping, or zero.
    pub critical: T,
    /// Stretch, scaled slip.
    pub stretch: [T; 5],
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
    /// When present, friction depends on direction and resists turning.
    pub ellipse: Option<Ellipse>,
    /// Part of its stiffness with which the contact acts: less than 1 at a limit of stiffness.
    pub share: f64,
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
        Self { model, normal, coefficients, spring: None, ellipse: None, share: 1.0 }
    }

    /// SAP with relaxation time τ_d, friction μ, σ and the Delassus estimate w (1/kg).
    pub fn sap(normal: NormalInput<T>, tau: T, mu: T, sigma: f64, w: T) -> Self {
        let NormalInput { dt, elastic_force, stiffness, .. } = normal;
        let coefficients = sap::coefficients(dt, elastic_force, stiffness, tau, mu, sigma, w, 1.0);
        Self::with_sap(normal, coefficients, tau)
    }

    fn with_sap(normal: NormalInput<T>, coefficients: Coefficients<T>, tau: T) -> Self {
        let dt = normal.dt;
        let compliant = dt * normal.stiffness.value() * (dt + tau.value());
        let share = if compliant > 0.0 { coefficients.stiffness.value() / compliant } else { 1.0 };
        Self { model: FrictionModel::Sap, normal, coefficients, spring: None, ellipse: None, share }
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

    /// The same with the slip scaled by direction.
    pub fn with_ellipse(mut self, ellipse: Ellipse) -> Self {
        self.ellipse = Some(ellipse);
        self
    }

    /// The law of a contact. `delassus` is the estimate w (1/kg), evaluated only if needed; `bound` is an
    /// upper bound of 3 w.
    #[inline(always)]
    pub(crate) fn compile(
        settings: &ContactSettings,
        law: &NormalLaw,
        terms: &ContactTerms<T>,
        delassus: impl Fn() -> T,
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
        let mut scale = one;
        let stiff = T::constant(dt * dt) * normal.stiffness;
        let most = settings.stiffness_limit * terms.load;
        if stiff.value() * bound > 3.0 * most
            && settings.model != FrictionModel::Sap
            && *law == NormalLaw::Linear
        {
            let share = T::constant(most) / (stiff * delassus());
            if share.value() < 1.0 {
                scale = share;
                normal.elastic_force = normal.elastic_force * share;
                normal.stiffness = normal.stiffness * share;
            }
        }
        let slope = law.lagged_slope(&normal);
        if slope.value() * bound > 3.0 * limit.value() {
            let share = limit / (slope * delassus());
            if share.value() < 1.0 {
                scale = scale * share;
                normal.elastic_force = normal.elastic_force * share;
                normal.stiffness = normal.stiffness * share;
            }
        }
        let n0 = terms.lagged.unwrap_or_else(|| law.lagged_impulse(&normal, terms.v_n0));
        // For most contacts the bound already shows that ε = v_s.
        let needs_w =
            settings.model == FrictionModel::Sap || sigma * bound / 3.0 * mu.value() * n0.value() > v_s;
        let w = if needs_w { delassus() } else { T::zero() };
        // ICF eq. 44
        let epsilon = (T::constant(sigma) * w * mu * n0).max(T::constant(v_s));
        let mut contact = match settings.model {
            FrictionModel::Lagged => Self::lagged(normal, mu * n0, epsilon),
            FrictionModel::Similar => Self::similar(normal, mu, epsilon),
            FrictionModel::Sap => {
                let (f0, k, tau) = (normal.elastic_force, normal.stiffness, terms.relaxation_time);
                Self::with_sap(normal, sap::coefficients(dt, f0, k, tau, mu, sigma, w, terms.load), tau)
            }
        };
        contact.share *= scale.value();
        contact.ellipse = terms.ellipse;
        match terms.spring {
            None => contact,
            Some(spring) => {
                let stiff = T::constant(dt * dt) * scale * spring.stiffness;
                let most = settings.spring_limit * terms.load;
                if stiff.value() * bound > 3.0 * most {
                    let share = T::constant(most) / (stiff * delassus());
                    if share.value() < 1.0 {
                        scale = scale * share;
                    }
                }
                let (k, mut c) = (scale * spring.stiffness, scale * spring.damping);
                if spring.critical.value() > 0.0 {
                    // c = k τ with τ = 2/ω, ω² = K w: of the slip, or of spin if that is slower.
                    let mut mobility = delassus();
                    let spin = terms.ellipse.map_or(0.0, |e| e.scales[2] * e.scales[2] * terms.spin);
                    if spin > 0.0 && spin < mobility.value() {
                        mobility = T::constant(spin);
                    }
                    let square = scale * spring.critical * mobility;
                    if square.value() > 0.0 {
                        c = c + k * T::constant(2.0) / square.sqrt();
                    }
                }
                contact.with_spring(SpringLaw::over(dt, mu * n0, k, c, spring.stretch))
            }
        }
    }

    /// Impulse at contact velocity `v`, of a law without an ellipse.
    pub(crate) fn impulse(&self, law: &NormalLaw, v: [T; 3]) -> [T; 3] {
        let [x, y] = self.slip(v);
        let r = self.respond(law, (x * x).plus(y, y), v[2]);
        [-(r.a * x), -(r.a * y), r.gamma_n]
    }

    /// Response of the friction law.
    fn respond(&self, law: &NormalLaw, slip_squared: T, v_n: T) -> Response<T> {
        match (&self.spring, self.model) {
            (Some(_), _) => self.respond_as::<Spring>(law, slip_squared, v_n),
            (None, FrictionModel::Lagged) => self.respond_as::<Lagged>(law, slip_squared, v_n),
            (None, FrictionModel::Similar) => self.respond_as::<Similar>(law, slip_squared, v_n),
            (None, FrictionModel::Sap) => self.respond_as::<Sap>(law, slip_squared, v_n),
        }
    }

    fn respond_as<F: Friction>(&self, law: &NormalLaw, slip_squared: T, v_n: T) -> Response<T> {
        let c = &self.coefficients;
        let root = F::measure(slip_squared, c.epsilon).sqrt();
        let argument = if F::GROUPED { similar::grouping(c, v_n, root) } else { v_n };
        let elastic = c.offset.less(c.stiffness, argument);
        let normal = match law {
            NormalLaw::Linear => {
                hunt_crossley(elastic, T::constant(1.0).less(c.loss, argument), c.stiffness, c.loss)
            }
            _ => law.respond(&self.normal, argument),
        };
        F::respond(c, root, elastic, normal)
    }

    /// Slip velocity, including the equivalent velocity of a spring's stretch.
    fn slip(&self, v: [T; 3]) -> [T; 2] {
        match &self.spring {
            None => [v[0], v[1]],
            Some(spring) => {
                let [x, y, ..] = spring.equivalent_velocity();
                [v[0] + x, v[1] + y]
            }
        }
    }
}

impl CompiledContact {
    /// Cost, impulse and Hessian at contact velocity `v`, of a law without an ellipse.
    pub fn evaluate(&self, law: &NormalLaw, v: [f64; 3]) -> ContactValue {
        let [x, y] = self.slip(v);
        let r = self.respond(law, (x * x).plus(y, y), v[2]);
        // G = a (P − t tᵀ) + g s sᵀ, s = n − μ_c t.
        let t = [r.direction * x, r.direction * y, 0.0];
        let s = [-r.mu_c * t[0], -r.mu_c * t[1], 1.0];
        let entry = |i: usize, j: usize| {
            let plane = if i == j && i < 2 { 1.0 } else { 0.0 };
            r.a * (plane - t[i] * t[j]) + r.g * (s[i] * s[j])
        };
        ContactValue {
            cost: self.cost(law, x * x + y * y, v[2]),
            impulse: [-r.a * x, -r.a * y, r.gamma_n],
            hessian: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))),
        }
    }

    /// Cost, impulse and Hessian at contact velocity `v` and relative angular velocity `omega`, contact frame.
    pub fn evaluate_turning(&self, law: &NormalLaw, v: [f64; 3], omega: [f64; 3]) -> TurningValue {
        let y = self.scaled_slip(v, omega);
        let slip_squared = y.iter().map(|y| y * y).sum::<f64>();
        let r = self.respond(law, slip_squared, v[2]);
        // Components of the slip in [v; ω], with their scales.
        const PLACES: [usize; 5] = [0, 1, 5, 3, 4];
        let scales = self.scales();
        let mut impulse = [0.0, 0.0, r.gamma_n, 0.0, 0.0, 0.0];
        let (mut t, mut s) = ([0.0; 6], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        let mut plane = [0.0; 6];
        for (i, place) in PLACES.into_iter().enumerate() {
            impulse[place] = -r.a * scales[i] * y[i];
            t[place] = r.direction * scales[i] * y[i];
            s[place] = -r.mu_c * t[place];
            plane[place] = scales[i] * scales[i];
        }
        let entry = |i: usize, j: usize| {
            r.a * (if i == j { plane[i] } else { 0.0 } - t[i] * t[j]) + r.g * (s[i] * s[j])
        };
        TurningValue {
            cost: self.cost(law, slip_squared, v[2]),
            impulse,
            hessian: std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))),
        }
    }

    fn scales(&self) -> [f64; 5] {
        self.ellipse.map_or([1.0, 1.0, 0.0, 0.0, 0.0], |e| e.scales)
    }

    /// Scaled slip, including the equivalent velocity of a spring's stretch.
    fn scaled_slip(&self, v: [f64; 3], omega: [f64; 3]) -> [f64; 5] {
        let slip = Ellipse { scales: self.scales() }.slip(v, omega);
        let offset = self.spring.map_or([0.0; 5], |spring| spring.equivalent_velocity());
        std::array::from_fn(|i| slip[i] + offset[i])
    }

    /// ℓ at the squared slip and the normal velocity, J.
    fn cost(&self, law: &NormalLaw, slip_squared: f64, v_n: f64) -> f64 {
        let c = &self.coefficients;
        let normal = |v: f64| match law {
            NormalLaw::Linear => -antiderivative(&in_step_units(c), v),
            _ => -law.antiderivative(&self.normal, v),
        };
        match (&self.spring, self.model) {
            (Some(_), FrictionModel::Sap) => {
                spring::cost(c, slip_squared.sqrt()) + sap::cost_without_friction(c, v_n)
            }
            (Some(_), _) => spring::cost(c, slip_squared.sqrt()) + normal(v_n),
            (None, FrictionModel::Lagged) => lagged::cost(c, slip_squared) + normal(v_n),
            (None, FrictionModel::Similar) => normal(self.grouped(slip_squared, v_n)),
            (None, FrictionModel::Sap) => sap::cost(c, slip_squared.sqrt(), v_n),
        }
    }

    /// Argument of the normal law at a velocity and a relative angular velocity: z for Similar, otherwise v_n.
    pub(crate) fn normal_argument(&self, v: [f64; 3], omega: [f64; 3]) -> f64 {
        if self.spring.is_some() || self.model != FrictionModel::Similar {
            return v[2];
        }
        self.grouped(self.scaled_slip(v, omega).iter().map(|y| y * y).sum(), v[2])
    }

    fn grouped(&self, slip_squared: f64, v_n: f64) -> f64 {
        let root = Similar::measure(slip_squared, self.coefficients.epsilon).sqrt();
        similar::grouping(&self.coefficients, v_n, root)
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
