//! Friction that depends on the direction of slip, and that resists turning: sliding, torsion and rolling of one point.
//!
//! A point has five rates of slip: two tangential velocities of b against a along the axes of its frame, the spin about the
//! normal, and rolling about the two axes. With a coefficient μ_i for each (a length for the angular ones), the models
//! act on the scaled slip y in place of v_t:
//!
//! ```text
//! y = S (v_1, v_2, ω_n, ω_1, ω_2),   S = diag(μ_i)/μ        μ the coefficient of the law
//! ℓ(v_n, y) is that of the model     γ_i = −s_i a y_i         so that  Σ (γ_i/μ_i)² ≤ γ_n²
//! ```
//!
//! The impulses fill an ellipsoid, as the elliptic cones of MuJoCo do: a point that slides resists turning less. A convex
//! function of a linear map of the velocities is convex, whatever S is, and its Hessian is Sᵀ G S.

/// Scales S of the slip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipse {
    /// Of sliding along the frame's x and y (1), of spin about its z and of rolling about its x and y (m).
    pub scales: [f64; 5],
}

impl Ellipse {
    /// The scaled slip of the velocity `v` and the angular velocity `omega` of b against a, both in the contact frame.
    pub fn slip(&self, v: [f64; 3], omega: [f64; 3]) -> [f64; 5] {
        let s = &self.scales;
        [s[0] * v[0], s[1] * v[1], s[2] * omega[2], s[3] * omega[0], s[4] * omega[1]]
    }

    /// Its inverse for a stretch, zero where a scale is: along x and y, and about z, x and y.
    pub fn unscaled(&self, y: [f64; 5]) -> [f64; 5] {
        std::array::from_fn(|i| if self.scales[i] > 0.0 { y[i] / self.scales[i] } else { 0.0 })
    }
}
