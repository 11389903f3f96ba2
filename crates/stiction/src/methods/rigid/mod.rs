//! Rigid contact of a model: contacts at a state, and rigid motion from impact to impact.
//!
//! ```text
//! Touching   contacts and joint stops at a state, with masses and Jacobians     touching.rs
//! Flight     event-driven motion of a few bodies, up to the next impact         flight.rs
//! Futures    a tree of motions that forks at impacts with several outcomes      futures.rs
//! arrival    the time of the first impact of a step, for both                   arrival.rs
//! ```
//!
//! The crate `stiction-impact` computes impacts. `stiction_rigid` defines contacts at an instant; its types are in
//! [`contact`].

mod arrival;
mod flight;
mod futures;
mod touching;

pub use flight::{Flight, FlightOptions};
pub use futures::{Branch, BranchEnd, ConvexFlight, Futures, FuturesError, FuturesOptions, futures};
pub use touching::{RigidContactError, TouchKind, Touching};

/// Rigid contact at an instant: frames, Jacobians, friction problems.
pub mod contact {
    pub use stiction_rigid::{
        FrictionProblem, FrictionShape, FrictionSolution, Instant, PointContact, RigidError, solve_friction,
    };
}
