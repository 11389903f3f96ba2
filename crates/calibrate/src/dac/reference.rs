//! Ground truth: Coulomb friction as a pyramid along the world's x and y axes, one boxed problem over all points.
//!
//! |λ_x| ≤ μ_x λ_n and |λ_y| ≤ μ_y λ_n at every point, no restitution, as DAC's ground truth (DART) has it. The diagonal
//! of W is raised by a millionth, as DART does, so that the load is shared in one way among the corners of a face.

use super::stepper::{Contact, Impulse, Scene};
use nalgebra::{DVector, Vector2, Vector6};
use stiction::rigid::contact::{FrictionProblem, FrictionShape, solve_friction};
use stiction_dac::{Class, LawError, Patch};

/// The reference law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reference {
    /// Friction along x and y.
    pub friction: [f64; 2],
}

/// Share by which the diagonal of W is raised.
const SOFT: f64 = 1e-6;
/// Speed of a patch, relative to the twist before, below which it stands.
pub const STANDS: f64 = 1e-4;

impl Reference {
    /// Impulses of all points over the mass, [x y n] a point, m/s.
    pub fn impulses(&self, patch: &Patch) -> Result<DVector<f64>, LawError> {
        let rows = patch.rows();
        let w = &rows * patch.mobility * rows.transpose();
        let plain = 0.5 * (&w + w.transpose());
        let velocity = patch.velocities(&patch.twist);
        let mut soft = SOFT;
        loop {
            let mut delassus = plain.clone();
            for i in 0..delassus.nrows() {
                delassus[(i, i)] *= 1.0 + soft;
            }
            let friction = vec![Vector2::from(self.friction); patch.len()];
            let velocity = velocity.clone();
            let problem =
                FrictionProblem { delassus, velocity, friction, cap: None, shape: FrictionShape::Pyramid };
            match solve_friction(&problem) {
                Ok(solution) => return Ok(solution.impulse),
                Err(error) if soft > 1e-3 => return Err(error.into()),
                Err(_) => soft *= 10.0,
            }
        }
    }
}

impl Contact for Reference {
    fn impulse(&self, scene: &Scene) -> Result<Impulse, LawError> {
        let patch = scene.patch;
        let x = self.impulses(patch)?;
        let local: Vector6<f64> = patch.rows().tr_mul(&x).fixed_rows::<6>(0).into();
        let loads = (0..patch.len()).map(|i| x[3 * i + 2] * patch.mass).collect();
        Ok(Impulse { wrench: patch.wrench_w(&local), loads, class: class(patch, &local, 0.0), outside: None })
    }
}

/// The class of a patch under a wrench at its centre, over the mass; `noise` is the speed that counts as none, m/s.
pub fn class(patch: &Patch, local: &Vector6<f64>, noise: f64) -> Class {
    let after = patch.twist + patch.mobility * local;
    // Less than that is what rounding leaves of a patch that lifts off.
    if local[5] <= 1e-5 * patch.twist.norm() {
        Class::Detach
    } else if patch.speed(&after) <= STANDS * patch.twist.norm() + noise {
        Class::Static
    } else {
        Class::Dynamic
    }
}
