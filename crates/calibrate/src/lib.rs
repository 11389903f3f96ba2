//! Contact from data: recordings of tosses, what a model foretells of them, and what they say about the model.
//!
//! | open | for |
//! |---|---|
//! | [`dataset`] | tosses, and the files they are kept in |
//! | [`npy`], [`npz`], [`csv`] | the formats behind it |
//! | [`split`] | which tosses are fitted to and which are kept back |
//! | [`protocol`] | where a toss is simulated from, and the field's way to compare |
//! | [`score`] | errors of many tosses, with spread |
//! | [`dac`] | the data-augmented contact law: ground truth, training, evaluation |
//! | [`calibrate`] | parameters that foretell recorded tosses best, and how certain they are |
//! | [`parameters`] | what can be calibrated |
//! | [`cmaes`] | the search behind it |
//!
//! Everything is a function of its inputs and seeds.

pub mod calibrate;
pub mod cmaes;
pub mod csv;
pub mod dac;
pub mod dataset;
mod error;
pub mod npy;
pub mod npz;
pub mod parameters;
pub mod protocol;
pub mod score;
pub mod split;

pub use dataset::{Dataset, Header, Sample, Toss};
pub use error::DataError;
pub use protocol::Protocol;
pub use score::{Score, Summary};
