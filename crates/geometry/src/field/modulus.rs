//! From Young's modulus and Poisson's ratio to the modulus of a field.

/// Modulus of a thin layer glued to something rigid, pressed by something wider than it is thick: uniaxial strain,
/// M = E (1 - nu) / ((1 + nu) (1 - 2 nu)) (PFC section 4.5). Grows without bound as nu approaches 1/2.
pub fn layer(young: f64, poisson: f64) -> f64 {
    young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
}

/// Modulus of a half-space, E* = E / (1 - nu^2) (PFC Appendix B).
pub fn halfspace(young: f64, poisson: f64) -> f64 {
    young / (1.0 - poisson * poisson)
}

/// Modulus of a linear field with e = 1 at `depth` whose stiffness under a flat punch of `radius` is that of a
/// half-space: p = 2 E* h / (pi R) (PFC eq. B.2), so M = 2 E* depth / (pi R). All lengths in m.
pub fn thick(young: f64, poisson: f64, depth: f64, radius: f64) -> f64 {
    2.0 * halfspace(young, poisson) * depth / (std::f64::consts::PI * radius)
}

/// The stiffer of [`layer`] and [`thick`] for a contact of `radius` on a soft part `depth` thick: contacts wider than
/// that see a layer, narrower ones a half-space.
pub fn contact(young: f64, poisson: f64, depth: f64, radius: f64) -> f64 {
    layer(young, poisson).max(thick(young, poisson, depth, radius))
}
