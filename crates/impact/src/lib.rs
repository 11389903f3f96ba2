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
//! Instant (stiction-rigid) ──► Problem          contact space, merged, scaled                        problem.rs
//!                                 ├─ routh      one contact: Routh's path, restitution                 routh/
//!                                 ├─ outcomes   the set from inside: at once, sequences, samples       outcomes.rs
//!                                 │    ├─ path      one solution, from event to event                  path.rs
//!                                 │    ├─ rates     which forces act at an instant of it               rates.rs, local.rs
//!                                 │    ├─ sampling  which rates to try: low discrepancy               sampling.rs
//!                                 │    └─ sequences one contact after another                          sequences.rs
//!                                 ├─ outer      bounds from outside                                    outer/
//!                                 ├─ verdict    unique, ambiguous or unknown, and why                  verdict.rs
//!                                 ├─ restitution    Poisson's, contact by contact                    restitution.rs
//!                                 ├─ certificate    does every solution end, and by which impulse      certificate.rs
//!                                 │    └─ dissipation   how fast energy falls: α(s)                    dissipation.rs
//!                                 ├─ painleve   pressed contacts that no finite force keeps apart      painleve.rs
//!                                 ├─ check      conditions of the inclusion on a recorded solution     check.rs
//!                                 └─ euler      brute force, to compare with                           euler.rs
//! root          where along a step something becomes zero                                              root.rs
//! fork          a few outcomes that stand for all, with weights                                        fork.rs
//! summary       spread, extremes, shares of a set; its outline                                         summary.rs, hull.rs
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
mod dissipation;
mod error;
pub mod euler;
mod fork;
pub mod hull;
mod local;
pub mod outcomes;
pub mod outer;
pub mod painleve;
mod path;
mod problem;
mod rates;
mod restitution;
mod root;
pub mod routh;
mod sampling;
mod sequences;
pub mod summary;
mod verdict;

pub use certificate::{Certificate, Jam, certify};
pub use check::{CheckReport, Segment, Trace, check};
pub use dissipation::Dissipation;
pub use error::ImpactError;
pub use fork::fork;
pub use outcomes::{ContactMode, Options, Origin, Outcomes, outcomes};
pub use outer::{Membership, Outer, OuterOptions, outer};
pub use painleve::impact_without_collision;
pub use problem::{MAX_CONTACTS, Problem};
pub use restitution::Bounces;
pub use routh::{Restitution, Routh, RouthOptions, routh};
pub use summary::{Ambiguity, Extreme, Level, ONE};
pub use verdict::{Proof, Verdict, structure, verdict};

/// Approach speed below which a contact counts as resolved, relative to the largest contact speed before.
pub const TOLERANCE: f64 = 1e-8;
