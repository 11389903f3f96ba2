//! The Rust library by examples, each a short program that ends by checking what it says.
//!
//! ```sh
//! cargo run --release -p stiction-examples --bin first_steps
//! ```
//!
//! | program | shows |
//! |---|---|
//! | `first_steps` | a model, a simulation, what touches, saving and loading |
//! | `contact` | friction that creeps, and friction that holds: the three models and tangential springs |
//! | `soft` | a soft ball: its contact patch, pressure and area |
//! | `accuracy` | an accuracy instead of a step |
//! | `control` | an arm that follows a path by inverse dynamics, and a law of one's own |
//! | `worlds` | many worlds with randomised friction on all cores |
//! | `gradients` | how a step changes with friction |
//! | `impacts` | all outcomes of a simultaneous impact |
//! | `recording` | a recording that opens in a browser |
//!
//! Python's examples are in `examples/python` and in the notebooks of `docs/notebooks`.

/// What can go wrong in an example.
pub type Outcome = Result<(), Box<dyn std::error::Error>>;
