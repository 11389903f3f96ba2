//! Friction models: Lagged, Similar, SAP, and the tangential spring.
//!
//! Each model couples friction with the normal impulse in its own way. All are isotropic in the tangent plane; friction that
//! differs by direction or resists turning is one of them over a scaled slip ([`ellipse`]). With the slip velocity v_t, a direction t along it and P = I − nnᵀ, impulse and Hessian of every model have one form:
//!
//! ```text
//! γ = γ_n n − a v_t
//! G = a (P − t tᵀ) + g s sᵀ,    s = n − μ_c t
//!
//!            γ_n                   a                  t         g = −∂γ_n/∂v_n    μ_c
//! Lagged     n(v_n)                m/√(v_t²+ε²)       v_t/√     −n′               0
//! Similar    n(v_n − μ(√−ε))       μ γ_n/√(v_t²+ε²)   v_t/√     −n′               μ
//! SAP stick  y_n                   1/R_t              0         1/R_n             0
//! SAP slide  (y_n+μ̂y_r)/(1+μ̃²)     μ γ_n/‖v_t‖        v_t/‖v_t‖ 1/(R_n(1+μ̃²))     μ
//! spring     n(v_n)                m/max(‖v_t‖, ε)    v_t/‖v_t‖ −n′               0     (t = 0 below ε)
//! ```
//!
//! n is the normal law ([`crate::normal`]) and m = μ γ_n0 the friction limit. [`Response`] holds these numbers. A model
//! is a type that implements [`Friction`] over any `Number`; the solver's packets, its line search, single contacts
//! and sensitivities all call that one function. Continuous time calls [`soft`], [`cut_off`] and [`blended_friction`].
//!
//! | file | model |
//! |---|---|
//! | [`lagged`] | normal law implicit, friction with the previous normal impulse (default) |
//! | [`similar`] | normal law of z = v_n − μ‖v_t‖_s: strong coupling, some gliding |
//! | [`sap`] | linear spring and linear dissipation, projection on the friction cone |
//! | [`spring`] | friction through a tangential spring, for contacts that hold without creep |
//! | [`ellipse`] | any of them with coefficients by direction, torsion and rolling |

pub mod ellipse;
pub mod lagged;
pub mod sap;
pub mod similar;
pub mod spring;

use crate::number::{Number, Scalar};

/// Convex approximation of frictional contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionModel {
    /// Consistent, no gliding; friction lags the normal impulse by one step (ICF VI-B).
    #[default]
    Lagged,
    /// Strongly coupled; glides at μ δt ‖v_t‖ while sliding (ICF VI-C). Takes more iterations than
    /// Lagged where contacts are stiff; stiffness is limited to 10⁷/(1 + μ²) effective masses a step ([`similar`]).
    Similar,
    /// Semi-analytic primal model with linear dissipation; glides at μ (δt + τ_d) ‖v_t‖ (ICF VI-A).
    Sap,
}

/// Coefficients of one contact's law that are constant during a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coefficients<T = f64> {
    /// δt f0, or SAP's y_n at v_n = 0, N s.
    pub offset: T,
    /// δt² k, or SAP's 1/R_n, kg.
    pub stiffness: T,
    /// d, s/m, or SAP's R_t, 1/kg.
    pub loss: T,
    /// Friction limit m = μ γ_n0 (N s) for Lagged and springs, else μ.
    pub friction: T,
    /// ε, m/s; not used by SAP.
    pub epsilon: T,
}

/// Response of a contact to a velocity: see the table at the top of this file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response<T> {
    /// Normal impulse.
    pub gamma_n: T,
    /// The tangential impulse is −a v_t.
    pub a: T,
    /// t = direction · v_t.
    pub direction: T,
    /// 1/√(v_t²+ε²), or the counterpart of the model: it scales the update of the dual direction.
    pub inv_root: T,
    /// −∂γ_n/∂v_n.
    pub g: T,
    /// Coupling of normal and tangential directions.
    pub mu_c: T,
}

/// Slip speeds below this count as zero, which avoids 0/0.
pub const TINY: f64 = 1e-150;

/// A friction model, over any number type.
pub trait Friction {
    /// The normal law's argument is z of the Similar model instead of v_n.
    const GROUPED: bool = false;
    /// The normal law is in series with a spring: see `packet`.
    const SHIFTED: bool = false;
    /// μ_c = 0 always: normal and friction impulses are independent.
    const SEPARABLE: bool = false;
    /// The direction t vanishes where the contact sticks.
    const STICKS: bool = false;

    /// The square of the root that [`Friction::respond`] takes: ‖v_t‖², plus ε² for soft friction.
    fn measure<T: Number>(slip_squared: T, epsilon: T) -> T;

    /// Impulse and curvature. `root` is the root of [`Friction::measure`], `elastic` is δt (f0 − δt k v_n) or SAP's y_n,
    /// and `normal` is the normal law's impulse n and −n′.
    fn respond<T: Number>(c: &Coefficients<T>, root: T, elastic: T, normal: (T, T)) -> Response<T>;
}

/// ‖v_t‖² + ε², the square of the soft norm's root.
#[inline(always)]
pub(crate) fn soft_measure<T: Number>(slip_squared: T, epsilon: T) -> T {
    slip_squared.plus(epsilon, epsilon)
}

/// a of friction that grows smoothly with slip, m/√(‖v_t‖²+ε²) (ICF eq. 17, 33): the friction force is −a v_t.
#[inline]
pub fn soft(limit: f64, slip_squared: f64, epsilon: f64) -> f64 {
    limit / soft_measure(slip_squared, epsilon).sqrt()
}

/// max(‖v_t‖, ε), the root of friction that is proportional to slip up to ε and constant beyond.
#[inline(always)]
pub(crate) fn cut_off_root<T: Number>(speed: T, epsilon: T) -> T {
    speed.max(epsilon).max(T::constant(TINY))
}

/// a of friction that is proportional to slip up to ε and constant beyond, m/max(‖v_t‖, ε): the friction force is −a v_t.
#[inline]
pub fn cut_off(limit: f64, speed: f64, epsilon: f64) -> f64 {
    limit / cut_off_root(speed, epsilon)
}

/// Friction coefficient between static and dynamic at the previous slip speed:
/// μ = μ_d + ½ (μ_s − μ_d)(1 − f(s − 10)/f(10)), s = ‖v_t0‖/v_s, f(x) = x/√(1+x²).
/// It is evaluated at the previous state, so that the problem of the step stays convex.
pub fn blended_friction(mu_static: f64, mu_dynamic: f64, slip_speed: f64, stiction_tolerance: f64) -> f64 {
    blend(mu_static, mu_dynamic, slip_speed, stiction_tolerance)
}

/// [`blended_friction`] over any number type.
pub(crate) fn blend<T: Scalar>(mu_static: T, mu_dynamic: T, slip: T, stiction_tolerance: f64) -> T {
    let rise = mu_static - mu_dynamic;
    if rise.vanishes() {
        return mu_dynamic;
    }
    let one = T::constant(1.0);
    let f = |x: T| x / (one + x * x).sqrt();
    let ten = T::constant(10.0);
    let s = slip / T::constant(stiction_tolerance);
    mu_dynamic + T::constant(0.5) * rise * (one - f(s - ten) / f(ten))
}
