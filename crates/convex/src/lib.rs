//! The strongly convex problem of one time step, and its solver.
//!
//! ```text
//! min over v   ℓ(v) = ½ (v − v0)ᵀ A (v − v0) − pᵀ v + Σ_i ℓ_i(v_c,i)     v_c,i = J_i v + b_i,  γ_i = −∂ℓ_i/∂v_c,i
//! ```
//!
//! Every ℓ_i is convex, so every step has a unique solution, for any stiffness (Castro, Han, Masterjohn, *A Theory
//! of Irrotational Contact Fields*, cited as "ICF").
//!
//! The caller builds a [`Problem`] from its robot model. The problem is constant during a solve. The [`Solver`]
//! computes v and stores the results.
//!
//! | open | for |
//! |---|---|
//! | [`problem`] | the parts of a problem: start here |
//! | [`friction`] | the friction models: Lagged, Similar, SAP, tangential spring |
//! | [`normal`] | normal laws: linear with Hunt & Crossley, Hertz, barriers, user-defined tables |
//! | [`contact`] | one contact: its normal law and its friction together |
//! | [`scalar`] | limits, equalities, PD actuators, dry friction |
//! | [`correction`] | equalities whose error is too large for one linear step |
//! | [`sensitivity`] | derivatives of a contact's impulse by all its inputs |
//! | `number` | the number types that laws are written over: f64, four lanes (`lanes`), derivatives (`jet`) |
//! | `packet` | the fast path: four contacts at a time |
//! | [`solver`] | islands, Newton's method, exact line search |
//! | `linear` | block-sparse Cholesky factorisation |
//! | [`processor`] | peak rates of this processor core, for comparison |
//! | `free_body.rs` | the velocities of free bodies |
//! | `spatial.rs` | twists and wrenches as plain arrays |

pub mod contact;
pub mod correction;
pub mod error;
mod free_body;
pub mod friction;
mod jet;
mod lanes;
mod linear;
pub mod normal;
mod number;
mod packet;
pub mod problem;
pub mod processor;
pub mod scalar;
pub mod sensitivity;
pub mod solver;
mod spatial;

pub use contact::{CompiledContact, ContactSettings, ContactValue, TurningValue};
pub use correction::{Constraint, Held};
pub use error::ProblemError;
pub use friction::FrictionModel;
pub use friction::ellipse::Ellipse;
pub use normal::table::{ForceTable, ForceTableError};
pub use normal::{NormalInput, NormalLaw, NormalValue};
pub use problem::{
    BodyId, Bounce, ContactEntry, NormalLawId, PairId, Problem, TangentialSpring, frame_from_normal,
};
pub use scalar::{RowCompliance, RowLaw};
pub use sensitivity::{ContactResponse, PairMotion};
pub use solver::flops::Flops;
pub use solver::report::{Criterion, IslandReport, SolveReport, SolverSeconds};
pub use solver::work::Work;
pub use solver::{Solver, SolverSettings, Turn};
