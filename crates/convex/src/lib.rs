//! The strongly convex problem of one time step, and its solver.
//!
//! ```text
//! min over v   ℓ(v) = ½ (v − v*)ᵀ A (v − v*) + Σ_i ℓ_i(v_c,i)        v_c,i = J_i v + b_i,  γ_i = −∂ℓ_i/∂v_c,i
//! ```
//!
//! Every ℓ_i is convex, so that one solution exists for every step, whatever the stiffness (Castro, Han,
//! Masterjohn, *A Theory of Irrotational Contact Fields*: "ICF" at the lines below).
//!
//! Four parts: a builder, which belongs to the caller and knows the robot, fills a [`Problem`], which is
//! constant during a solve; the [`Solver`] finds v; its state changes with v and holds the results.
//!
//! | open | for |
//! |---|---|
//! | [`problem`] | what a problem consists of: start here |
//! | [`contact`] | the contact models: Lagged, Similar, SAP, tangential spring |
//! | [`normal`] | normal laws: linear with Hunt & Crossley, Hertz, barriers, your own |
//! | [`friction`] | how friction grows with slip |
//! | [`scalar`] | limits, equalities, PD actuators, dry friction |
//! | [`sensitivity`] | derivatives of a contact's impulse by all it depends on |
//! | [`check`] | does a law of your own fit? |
//! | `packet` | the fast path: four contacts at a time |
//! | [`solver`] | islands, Newton's method, exact line search |
//! | `linear` | block-sparse Cholesky factorisation |
//! | [`limits`] | what this core can do, to compare with |

pub mod check;
pub mod contact;
pub mod error;
pub mod friction;
mod lanes;
pub mod limits;
mod linear;
pub mod normal;
mod packet;
pub mod problem;
pub mod scalar;
pub mod sensitivity;
pub mod solver;
mod spatial;

pub use contact::{ContactModel, ContactSettings};
pub use error::ProblemError;
pub use friction::Regularizer;
pub use normal::{NormalInput, NormalLaw, NormalValue, UserNormalLaw};
pub use problem::{BodyId, ContactEntry, NormalLawId, PairId, Problem, TangentialSpring, frame_from_normal};
pub use scalar::{Compliance, RowLaw};
pub use sensitivity::{ContactResponse, PairMotion};
pub use solver::flops::Flops;
pub use solver::report::{Criterion, IslandReport, SolveReport, StageSeconds};
pub use solver::work::Work;
pub use solver::{Solver, SolverSettings};
