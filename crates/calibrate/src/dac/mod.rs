//! The data-augmented contact law (DAC) from tosses: ground truth, samples, training, evaluation.
//!
//! ```text
//! TossBody, Motion   a rigid body over the floor z = 0, its vertices and its step      body.rs, stepper.rs
//! Reference          ground truth: boxed friction pyramid along the world's axes         reference.rs
//! Case, Ranges       what is tossed and how: the published ranges                        cases.rs
//! Instance           what touched and which impulse came of it, from tosses or files     instances.rs
//! fit                networks by Adam, written for nets of this size                     network.rs, gpu.rs
//! train              a law from instances                                                train.rs
//! Pure               the purely data-driven baseline                                     pure.rs
//! evaluate           rollouts against ground truth                                       evaluate.rs
//! Chain              three links, the last on the floor                                  chain.rs
//! score_law          a law on recorded tosses                                            recorded.rs
//! models             the trained laws that ship                                          models.rs
//! ```
//!
//! The law itself is the crate `stiction-dac`.

pub mod body;
pub mod cases;
pub mod chain;
pub mod evaluate;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod instances;
pub mod models;
pub mod network;
pub mod pure;
mod recorded;
pub mod reference;
pub mod stepper;
pub mod train;

pub use body::{Motion, TossBody};
pub use cases::{Case, Ranges};
pub use instances::Instance;
pub use recorded::score_law;
pub use reference::Reference;
pub use stepper::{Contact, Impulse, Scene, Stepper};
