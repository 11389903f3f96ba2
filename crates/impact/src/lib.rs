//! Instantaneous impacts with friction: the one outcome of a single one, the set of outcomes of several at once.
//!
//! "MFI" is Halm and Posa, *Modeling and Analysis of Non-unique Behaviors in Multiple Frictional Impacts*. In mass
//! coordinates, over the normal impulse s,
//!
//! ```text
//! dv/ds ∈ D(v) = F(v) while some contact approaches,   F(v) = co { J_nᵀ − μ J_tᵀ Unit(J_t v) : contact touches }   (16, 17)
//! ```
//!
//! Impulses act in any order and at any relative rate, so the velocity after is a set.
//!
//! ```text
//! Instant (stiction-rigid) ──► Problem          contact space, merged, scaled                    problem.rs
//!                                 ├─ routh      one contact: Routh's path, restitution             routh/
//!                                 ├─ outcomes   the set: one-shot, every sequence, samples         outcomes.rs
//!                                 │    ├─ step      a capped complementarity step                  step.rs, local.rs, newton.rs
//!                                 │    ├─ sampling  which rates to try: low discrepancy           sampling.rs
//!                                 │    └─ sequences one contact after another                      sequences.rs
//!                                 ├─ certificate    does every solution end, and by which impulse  certificate.rs
//!                                 ├─ check      conditions of the inclusion on a recorded solution check.rs
//!                                 └─ euler      brute force, to compare with                       euler.rs
//! summary       spread, extremes, shares, hull of a set                                            summary.rs, hull.rs
//! flight        from impact to impact: event-driven rigid motion of a few bodies                   flight.rs
//! ```
//!
//! Open [`outcomes()`] first.
//!
//! ```
//! use nalgebra::{DMatrix, DVector, Vector2};
//! use stiction_impact::{Options, Problem, certify, outcomes};
//! use stiction_rigid::Instant;
//!
//! // A block 1 m wide and 2 m tall lands on both bottom corners at once; (x, z, turn to the left), friction 1.
//! let corner = |x: f64| [[1.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, x]];
//! let rows: Vec<f64> = [corner(-0.5), corner(0.5)].concat().concat();
//! let instant = Instant::from_matrices(
//!     DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 5.0 / 12.0])),
//!     DMatrix::from_row_slice(6, 3, &rows),
//!     vec![Vector2::repeat(1.0); 2],
//!     DVector::from_vec(vec![0.0, -1.0, 0.0]),
//! )?;
//! let problem = Problem::new(&instant)?;
//! let set = outcomes(&problem, &Options { samples: 256, ..Options::default() })?;
//! let (low, high) = set.extremes(&[0.0, 0.0, 1.0]);
//! assert!((high.value - 0.21).abs() < 1e-12 && (low.value + 0.21).abs() < 1e-12); // left or right
//! assert!(certify(&problem).terminates());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod certificate;
pub mod check;
mod error;
pub mod euler;
pub mod hull;
mod local;
mod newton;
pub mod outcomes;
mod problem;
pub mod routh;
mod sampling;
mod sequences;
mod step;
pub mod summary;

pub use certificate::{Certificate, Jam, certify};
pub use check::{CheckReport, Segment, Trace, check};
pub use error::ImpactError;
pub use outcomes::{ContactMode, Options, Origin, Outcomes, outcomes};
pub use problem::{MAX_CONTACTS, Problem};
pub use routh::{Restitution, Routh, RouthOptions, routh};
pub use summary::{Ambiguity, Extreme, Level};

/// Approach speed below which a contact counts as resolved, relative to the largest contact speed before.
pub const TOLERANCE: f64 = 1e-8;
