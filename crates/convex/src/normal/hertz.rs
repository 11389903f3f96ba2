//! Hertz's spring: an instance of ICF eq. 5.
//!
//! ```text
//! force     f(x) = k x₊^{3/2}              k in N/m^{3/2}; a sphere of radius R has (4/3) E* √R
//! slope     f′(x) = (3/2) k x₊^{1/2}
//! moments   ∫f = (2/5) k x₊^{5/2},   ∫x f = (2/7) k x₊^{7/2}
//! ```
//!
//! Hunt & Crossley dissipation is added by [`super::NormalLaw`].

use crate::number::Scalar;

/// f/k and f′/k at penetration x.
pub(crate) fn elastic<T: Scalar>(x: T) -> (T, T) {
    if x.value() <= 0.0 {
        return (T::zero(), T::zero());
    }
    let root = x.sqrt();
    (x * root, T::constant(1.5) * root)
}

/// ∫f/k and ∫x f/k from 0 to x.
pub(crate) fn moments(x: f64) -> (f64, f64) {
    let x = x.max(0.0);
    let x52 = x * x * x.sqrt();
    (0.4 * x52, (2.0 / 7.0) * x52 * x)
}
