//! Rigid contact at an instant: which rows, which masses, which friction. Knows nothing of time.
//!
//! ```text
//! PointContact   where two bodies touch: point, frame [t1 t2 n], friction        contact.rs
//! Instant        M, J, v and what follows from them: u = J v + b, W = J M⁻¹ Jᵀ      instant.rs
//! friction       Coulomb pyramids and polygons over W as complementarity problems    friction.rs
//! lcp            0 ≤ z ⟂ M z + q ≥ 0 and its boxed form, solved and checked          lcp/
//! ```
//!
//! Open [`Instant`] first. Contacts come from the geometry ([`touching`]) or are given; [`Instant::new`]
//! makes their Jacobians from a compiled tree of bodies, [`Instant::from_matrices`] takes them as they are.
//!
//! ```
//! use nalgebra::{DMatrix, DVector, Vector2};
//! use stiction_rigid::{FrictionShape, Instant, solve_friction};
//!
//! // A point mass of 2 kg that slides at 1 m/s and falls at 3 m/s onto a floor with friction 0.5.
//! let instant = Instant::from_matrices(
//!     DMatrix::identity(3, 3) * 2.0,
//!     DMatrix::identity(3, 3),
//!     vec![Vector2::repeat(0.5)],
//!     DVector::from_vec(vec![1.0, 0.0, -3.0]),
//! )?;
//! let solution = solve_friction(&instant.friction_problem(FrictionShape::Pyramid))?;
//! // The stop needs 6 N s, friction could give 3 N s and needs 2: everything comes to rest.
//! assert!((solution.impulse[2] - 6.0).abs() < 1e-12);
//! assert!((solution.impulse[0] + 2.0).abs() < 1e-12);
//! assert!(instant.velocity_after(&solution.impulse).norm() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The rows of a contact are ordered [t1, t2, n], n from body a into body b, and velocities are those of b
//! relative to a: u_n > 0 separates. Impulses are on b.
//!
//! Nothing here fails in silence: every solver measures the residual of what it found, tries the next method
//! if that is not small, and gives an error with the residual if none is left.

mod contact;
mod error;
mod friction;
mod instant;
pub mod lcp;

pub use contact::{PointContact, tangents, touching};
pub use error::RigidError;
pub use friction::{FrictionProblem, FrictionShape, FrictionSolution, solve_friction};
pub use instant::Instant;
