//! Steps and states of all worlds, and one world on its own.

use super::Batch;
use super::inside::of_world;
use crate::arrays::Table;
use crate::errors::{InputError, deprecated, input_error};
use crate::indices::{index, indices, keyframe as keyframe_name};
use crate::simulation::Simulation;
use crate::stepping::seconds;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use stiction::StepError;

#[pymethods]
impl Batch {
    /// Takes steps in every world, without holding the interpreter. Ctrl-C ends it when all worlds have taken the same number of steps.
    ///
    /// Parameters
    /// ----------
    /// n : int, optional
    ///     Number of steps.
    /// k : int, optional
    ///     Its old name, deprecated.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a state that is not finite, before any world steps.
    /// SimulationError
    ///     If worlds could not complete their steps: these keep their last good states, failed tells which they are, and all others
    ///     took all their steps.
    #[pyo3(signature = (n=1, *, k=None))]
    fn step(&self, py: Python<'_>, n: i64, k: Option<i64>) -> PyResult<()> {
        if k.is_some() {
            deprecated(py, "k is now called n, as in Simulation.step")?;
        }
        let n = k.unwrap_or(n);
        let Ok(steps) = usize::try_from(n) else {
            return Err(InputError::new_err(format!("n = {n}: give zero or more steps")));
        };
        self.advance(py, |batch, go_on| batch.step_watched(steps, go_on))
    }

    /// Steps every world until a time, as step does. After Ctrl-C the worlds may be at different times.
    ///
    /// Parameters
    /// ----------
    /// time : float
    ///     End, s. Steps of fixed length end at the one nearest to it; under error control the last step of each world ends there
    ///     exactly.
    ///
    /// Raises
    /// ------
    /// Error
    ///     What step raises.
    /// ValueError
    ///     For a time that is not finite.
    fn run_until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        let time = seconds(time)?;
        self.advance(py, |batch, go_on| batch.run_until_watched(time, go_on))
    }

    /// Returns worlds to the default state at time 0, or to a keyframe. Controls, applied forces and activations are set to zero or to
    /// the keyframe's values; statistics stay.
    ///
    /// Parameters
    /// ----------
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    /// qpos, qvel : array_like, optional
    ///     Initial positions, m or rad, and velocities, m/s or rad/s, in place of the default: shape (nq,) and (nv,) for all worlds, or
    ///     one row per world.
    /// keyframe : str or int, optional
    ///     Name or number of a keyframe of the model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown keyframe or a shape that does not fit.
    /// IndexError
    ///     For an unknown world.
    #[pyo3(signature = (indices=None, qpos=None, qvel=None, keyframe=None))]
    fn reset(
        &self,
        py: Python<'_>,
        indices: Option<&Bound<'_, PyAny>>,
        qpos: Option<&Bound<'_, PyAny>>,
        qvel: Option<&Bound<'_, PyAny>>,
        keyframe: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let model = &self.model.get().inner;
        let qpos = qpos.map(|q| Table::read("qpos", q, chosen.len(), model.nq())).transpose()?;
        let qvel = qvel.map(|v| Table::read("qvel", v, chosen.len(), model.nv())).transpose()?;
        let mut state = match keyframe {
            None => model.default_state(),
            Some(key) => model.keyframe_state(&keyframe_name(key)?).map_err(input_error)?,
        };
        for (k, &world) in chosen.iter().enumerate() {
            if let Some(qpos) = &qpos {
                state.q.copy_from_slice(qpos.row(k));
            }
            if let Some(qvel) = &qvel {
                state.v.copy_from_slice(qvel.row(k));
            }
            inner.world(world).reset_to(&state).map_err(|error| of_world(world, StepError::Input(error)))?;
        }
        self.pull(py, &inner, &chosen)
    }

    /// The states and variations of all worlds as bytes, from which load_state continues bit for bit.
    pub(super) fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        Ok(PyBytes::new(py, &inner.save_state()))
    }

    /// Restores the states that save_state returned.
    ///
    /// Parameters
    /// ----------
    /// state : bytes
    ///     Bytes from a batch of as many worlds of the same model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If they do not fit.
    pub(super) fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.load_state(state).map_err(input_error)?;
        let all: Vec<usize> = (0..inner.len()).collect();
        self.pull(py, &inner, &all)
    }

    /// A separate simulation that continues from a world's present state bit for bit, to inspect, record or view it.
    ///
    /// Parameters
    /// ----------
    /// world : int
    ///     Number of the world.
    ///
    /// Returns
    /// -------
    /// Simulation
    ///     A stiction.Simulation.
    ///
    /// Raises
    /// ------
    /// IndexError
    ///     For an unknown world.
    fn simulation(&self, py: Python<'_>, world: &Bound<'_, PyAny>) -> PyResult<Py<Simulation>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let number = index(world, inner.len())?;
        let world = inner.world(number);
        let simulation = Simulation::with(py, self.model.clone_ref(py), world.options().clone())?;
        simulation.change(py, inner.variation(number))?;
        for added in self.added().iter() {
            simulation.attach_again(py, added.kept(py, number)?.as_any())?;
        }
        simulation.load_state(py, &world.save_state())?;
        Py::new(py, simulation)
    }
}
