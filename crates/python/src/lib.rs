//! The extension module `stiction._stiction`, which the package in `python/stiction` shows to users.
//!
//! ```text
//! model       a compiled model and the dynamics of single states
//! batch       many worlds of one model; qpos, qvel, ctrl with one row a world
//! gpu_batch   the same on a GPU
//! simulation  stepping; qpos, qvel, ctrl and applied as arrays that Python and the steps share
//! controller  Python functions and ready controllers that set the controls at their own rates
//! composition worlds composed of models and meshes
//! forces      forces and torques on bodies      export   models written for other programs
//! frames      poses and Jacobians of bodies, sites, geoms and cameras      fork   processes copied by fork
//! derivatives derivatives of a step as matrices
//! control     trajectories, inverse kinematics, ready controllers, and what a controller may read
//! contacts    contact points as a structured array
//! patches     contact patches as named tuples
//! solid       tetrahedra and a pressure field from a surface
//! tactile     pressure and shear on a grid fixed to a body
//! recording   files written while Python steps      films   which of them are films
//! picture     pictures as arrays
//! viewer      the live page
//! impact      the outcomes of impacts
//! rollout     many short simulations on several threads
//! scratch     memory of the dynamics, kept between calls
//! stepping    steps with the interpreter detached
//! stats, mocap, indices   small things that simulations and batches share
//! named       bodies, joints, geoms and actuators by name
//! changes     variants of models: gravity, masses, contact properties, sizes
//! options     keyword arguments to options and back
//! tuples      results as named tuples and dicts
//! arrays      numbers read from Python      shared   arrays that Python and the state share
//! errors      Rust's errors as exceptions
//! ```
//!
//! Nothing is computed here: every number comes from the crates `stiction` and `stiction-impact`. The doc comments are the
//! docstrings that `help()` shows. Open `simulation.rs` first.
//!
//! | also here | |
//! |---|---|
//! | `learned_contact.rs` | contacts learned from data |

mod arrays;
mod batch;
mod changes;
mod composition;
mod contacts;
mod control;
mod controller;
mod derivatives;
mod errors;
mod export;
mod films;
mod forces;
mod fork;
mod frames;
mod gpu_batch;
mod impact;
mod indices;
mod learned_contact;
mod mocap;
mod model;
mod named;
mod options;
mod patches;
mod picture;
mod recording;
mod rollout;
mod scratch;
mod shared;
mod simulation;
mod solid;
mod stats;
mod stepping;
mod tactile;
mod tuples;
mod viewer;

use pyo3::prelude::*;

/// What the package asks before anything else of this library runs: see [`stiction::processor::check`]. Null if all is well.
// SAFETY: no other library is asked for this name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn stiction_processor_lacks() -> *const std::ffi::c_char {
    stiction::processor::check().map_or_else(std::ffi::CStr::as_ptr, |()| std::ptr::null())
}

/// Panics on purpose, for the test that this becomes an exception.
#[pyfunction]
fn _fault(py: Python<'_>) -> PyResult<()> {
    errors::detached(py, || panic!("on purpose"))
}

/// Compiled part of the package `stiction`; use that.
#[pymodule]
fn _stiction(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(fork::_forked, module)?)?;
    module.add_function(wrap_pyfunction!(_fault, module)?)?;
    fork::watch(module)?;
    module.add_class::<model::Model>()?;
    module.add_class::<composition::World>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<gpu_batch::GpuBatch>()?;
    module.add_class::<learned_contact::LearnedContact>()?;
    module.add_class::<solid::Solid>()?;
    module.add_class::<tactile::TactileGrid>()?;
    module.add_class::<recording::Recording>()?;
    module.add_class::<picture::Renderer>()?;
    module.add_class::<viewer::Viewer>()?;
    module.add_class::<control::JointPath>()?;
    module.add_class::<control::PosePath>()?;
    module.add_class::<control::InverseKinematics>()?;
    module.add_class::<control::JointTracking>()?;
    module.add_class::<control::PoseTracking>()?;
    module.add_class::<control::GripForce>()?;
    module.add_class::<control::Measured>()?;
    module.add_function(wrap_pyfunction!(viewer::view, module)?)?;
    module.add_function(wrap_pyfunction!(impact::futures, module)?)?;
    module.add_function(wrap_pyfunction!(impact::impact_outcomes, module)?)?;
    module.add_function(wrap_pyfunction!(impact::routh, module)?)?;
    module.add_function(wrap_pyfunction!(model::scenes, module)?)?;
    module.add_function(wrap_pyfunction!(model::_restore_model, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::_restore_simulation, module)?)?;
    module.add_function(wrap_pyfunction!(batch::_restore_batch, module)?)?;
    module.add_function(wrap_pyfunction!(rollout::rollout, module)?)
}
