//! The data-augmented contact law of Jiang, Sun and Liu (DAC): contact of a rigid body with a stationary surface
//! whose friction is learned from data and whose normal part is solved.
//!
//! ```text
//! BodyInstant   mass, inertia, velocity after applied forces q̇⁽¹⁾               instant.rs
//! Patch         what touches: point, line or surface, in its own frame           patch.rs
//! constraint    v_p = 0 (stick), and the normal impulses under given friction    constraint.rs
//! coulomb       isotropic Coulomb friction: what the networks correct            coulomb.rs
//! symmetry      mirrorings of the floor that are taken out of the inputs         symmetry.rs
//! features      the networks' inputs, without unit                               features.rs
//! Mlp           plain feed-forward inference                                     mlp.rs
//! Law           Algorithm 1: class, friction, normal solve                       law.rs
//! file          weights, ranges and provenance as safetensors                    file.rs
//! chain         Algorithm 2: a chain whose last link touches                     chain.rs, powell.rs
//! linked        the same for a body of any mechanism, by its response                linked.rs
//! ```
//!
//! Open [`Law::contact`] first: it is Algorithm 1. Training lives elsewhere; this crate only knows how to use
//! what was trained.
//!
//! **What holds for any weights.** The impulse that is returned always comes out of a normal complementarity
//! problem under the friction that goes with it, so that to solver tolerance, at every point of the patch,
//!
//! 1. nothing approaches: u_n⁺ ≥ 0;
//! 2. nothing pulls: λ_n ≥ 0;
//! 3. what separates carries nothing: λ_n u_n⁺ = 0, and without normal impulse there is no friction;
//! 4. contact gives no energy: the kinetic energy afterwards is not more than before.
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
pub use law::{Answer, Class, Expert, Law, Limits, Outside, Scaling};
pub use linked::{Linked, LinkedAnswer};
pub use mlp::{Layer, Mlp};
pub use patch::{Patch, PatchKind};
pub use symmetry::{Symmetry, Turn};
