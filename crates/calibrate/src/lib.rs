//! Contact from data: recordings of tosses, predictions of a model for them, and calibration of the model by them.
//!
//! | open | for |
//! |---|---|
//! | [`dataset`] | tosses, and their files |
//! | [`npy`], [`npz`], [`csv`] | the formats behind it |
//! | [`split`] | which tosses are fitted to and which are held out |
//! | [`protocol`] | the field's protocol: where a simulated toss starts, and how it is compared |
//! | `flight` | velocity at the end of a recorded flight |
//! | [`score`] | errors of many tosses, with spread |
//! | [`dac`] | the data-augmented contact law: ground truth, training, evaluation |
//! | [`calibrate`] | parameters that predict recorded tosses best, and their uncertainties |
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
mod flight;
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
