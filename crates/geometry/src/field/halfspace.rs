//! Slabs whose fields act like elastic half-spaces under a known indenter (PFC Appendix B).

use super::breakpoints;
use crate::V3;
use crate::solid::{Solid, SolidError};
use std::f64::consts::PI;

/// Pressure at a depth under a sphere of radius `radius`, Pa (PFC eq. B.4): gives Hertz's force.
pub fn sphere_pressure(e_star: f64, radius: f64, depth: f64) -> f64 {
    e_star / PI * (depth / radius).sqrt()
}

/// Pressure at a depth under the flat end of a cylinder, Pa (PFC eq. B.2): gives the punch's force.
pub fn punch_pressure(e_star: f64, radius: f64, depth: f64) -> f64 {
    2.0 * e_star * depth / (PI * radius)
}

/// A slab with its top at z = 0, `half_width` to each side and `depth` deep, whose pressure at depth h is
/// `pressure(h)`, followed by layers to within `tolerance`. The field is 0 only on the top.
pub fn slab(
    half_width: f64,
    depth: f64,
    pressure: impl Fn(f64) -> f64,
    tolerance: f64,
) -> Result<Solid, SolidError> {
    for (what, value, unit) in [("half width", half_width, "m"), ("depth", depth, "m")] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(SolidError::NotPositive { what, value, unit });
        }
    }
    let levels = breakpoints(&pressure, depth, tolerance);
    let modulus = pressure(depth);
    let (mut vertices, mut extents, mut tets) = (Vec::new(), Vec::new(), Vec::new());
    for &h in &levels {
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            vertices.push(V3::new(x * half_width, y * half_width, -h));
            extents.push((pressure(h) / modulus).clamp(0.0, 1.0));
        }
    }
    for layer in 0..levels.len() as u32 - 1 {
        // Kuhn's six tetrahedra around the diagonal of the brick, alike in all layers.
        let corner = |k: u32| 4 * layer + (k & 3) + 4 * (k >> 2);
        for [a, b] in [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]] {
            tets.push([corner(0), corner(a), corner(b), corner(7)]);
        }
    }
    Solid::from_tets(vertices, tets, extents, modulus).map(|(solid, _)| solid)
}
