//! The data-augmented contact law of Jiang, Sun and Liu (DAC): contact of a rigid body with a stationary surface
//! whose friction is learned from data and whose normal part is solved.
//!
//! ```text
//! BodyInstant   mass, inertia, velocity after applied forces q̇⁽¹⁾               instant.rs
//! Patch         the contact patch: point, line or surface, in its own frame           patch.rs
//! constraint    v_p = 0 (stick), and the normal impulses under given friction    constraint.rs
//! coulomb       isotropic Coulomb friction, which the networks correct           coulomb.rs
//! symmetry      mirror symmetries of the floor, removed from the inputs          symmetry.rs
//! features      the networks' inputs, without unit                               features.rs
//! Mlp           plain feed-forward inference                                     mlp.rs
//! DacLaw        Algorithm 1: class, friction, normal solve                       law.rs
//! file          weights, ranges and provenance as safetensors                    file.rs
//! chain         Algorithm 2: a chain whose last link touches                     chain.rs, powell.rs
//! linked        the same for a body of any mechanism, by its response            linked.rs
//! ```
//!
//! Open [`DacLaw::contact`] first: it is Algorithm 1. Training is in `stiction-calibrate`.
//!
//! **Guarantees for any weights.** The impulse is always the solution of a normal complementarity problem under its
//! own friction, so that to solver tolerance, at every point of the patch,
//!
//! 1. no point approaches: u_n⁺ ≥ 0;
//! 2. no point pulls: λ_n ≥ 0;
//! 3. a separating point has no impulse: λ_n u_n⁺ = 0, and without normal impulse there is no friction;
//! 4. contact adds no energy: the kinetic energy does not increase.
//!
//! The paper is y-up and predicts p_f = (p_x, p_z, m_y); here the normal is the third axis of the patch's frame and
//! p_f = (p_1, p_2, m_n) about the patch's centre.

pub mod chain;
mod constraint;
mod coulomb;
mod error;
mod features;
mod file;
mod instant;
mod law;
mod linked;
mod mlp;
mod patch;
pub mod powell;
mod symmetry;

pub use chain::{Chain, ChainAnswer, Upstream};
pub use constraint::{Normal, Stick};
pub use coulomb::{Coulomb, coulomb};
pub use error::{LawError, WeightsError};
pub use features::{feature_count, feature_names, features};
pub use instant::BodyInstant;
pub use law::{Answer, Class, DacLaw, Expert, Limits, Outside, Scaling};
pub use linked::{Linked, LinkedAnswer};
pub use mlp::{Layer, Mlp};
pub use patch::{Patch, PatchKind};
pub use symmetry::{Symmetry, Turn};
