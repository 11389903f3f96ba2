//! What acts on worlds from outside: mocap bodies, forces, controllers.

use super::Batch;
use crate::controller::Wanted;
use crate::errors::input_error;
use crate::forces;
use crate::indices::{indices, whole};
use crate::mocap;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pymethods]
impl Batch {
    /// Moves a mocap body (name or id) in worlds, as Simulation.set_mocap does: each argument for all of them, or one row a world.
    ///
    /// position: m, in the world, shape (3,) or (worlds, 3). quaternion: w first, (4,) or (worlds, 4).
    /// angular_velocity, linear_velocity: rad/s and m/s in world axes: what contacts feel; they do not move the body.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    #[pyo3(signature = (body, position, quaternion=None, angular_velocity=None, linear_velocity=None, indices=None))]
    fn set_mocap(
        &self,
        body: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        quaternion: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        linear_velocity: Option<&Bound<'_, PyAny>>,
        indices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let number = mocap::number(self.model.get(), body)?;
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let states = mocap::states(position, quaternion, angular_velocity, linear_velocity, chosen.len())?;
        for (world, state) in chosen.into_iter().zip(states) {
            inner.world(world).state_mut().mocap[number] = state;
        }
        Ok(())
    }

    /// Adds forces (N) and torques (N m) on a body (name or id) to batch.applied, as Simulation.apply_force does: each argument of
    /// shape (3,) for all worlds or (worlds, 3), one row a world.
    ///
    /// point: where the force acts, m; the body's origin by default.
    /// frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    #[pyo3(signature = (body, force=None, point=None, torque=None, frame="world", indices=None))]
    fn apply_force(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        point: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        frame: &str,
        indices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let id = self.model.get().body(body)?;
        let inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let given = forces::Given { force, point, torque, frame };
        let pushes = forces::read_rows(&given, chosen.len())?;
        self.push(py, &inner)?;
        for (&world, push) in chosen.iter().zip(pushes) {
            push.apply(&mut inner.world(world), id)?;
        }
        self.pull(py, &inner, &chosen)
    }

    /// Has a controller set controls in every world from now on, after those that were added before. Returns its number.
    ///
    /// controller: a function or ready controller as of Simulation.add_controller, or a list of them, one a world. Ready ones run
    ///     without the interpreter. A function is called for each world from the thread that steps it, one call at a time; what
    ///     the worlds do stays the same at any number of threads as long as the function depends on its arguments alone.
    ///     If it returns None, the world's row of batch.ctrl counts.
    /// period, sensing, wrenches, skins: as of Simulation.add_controller.
    ///
    /// What it raises is the cause of the SimulationError that step raises; the worlds concerned stand before the step in which
    /// it failed.
    #[pyo3(signature = (controller, period=0.0, sensing=false, *, wrenches=None, skins=None))]
    fn add_controller(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        period: f64,
        sensing: bool,
        wrenches: Option<&Bound<'_, PyAny>>,
        skins: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        self.attach(py, controller, &Wanted { period, sensing, wrenches, skins }, false)
    }

    /// Has this controller alone set the controls from now on, as add_controller does; None removes all and leaves the controls
    /// as they are.
    #[pyo3(signature = (controller, period=0.0, sensing=false, *, wrenches=None, skins=None))]
    fn set_controller(
        &self,
        py: Python<'_>,
        controller: &Bound<'_, PyAny>,
        period: f64,
        sensing: bool,
        wrenches: Option<&Bound<'_, PyAny>>,
        skins: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if !controller.is_none() {
            let wanted = Wanted { period, sensing, wrenches, skins };
            return self.attach(py, controller, &wanted, true).map(|_| ());
        }
        let inner = self.lock()?;
        (0..inner.len()).for_each(|world| inner.world(world).clear_controllers());
        drop(inner);
        let before = std::mem::take(&mut *self.added());
        drop(before);
        Ok(())
    }

    /// Removes the controller of a number from all worlds; the controls stay as they are. Those added after it move up by one.
    fn remove_controller(&self, #[pyo3(from_py_with = whole)] number: usize) -> PyResult<()> {
        let inner = self.lock()?;
        let count = self.added().len();
        let mut removed = Vec::new();
        for world in 0..inner.len() {
            removed.push(inner.world(world).remove_controller(number).map_err(input_error)?);
        }
        drop(inner);
        if number >= count {
            return Err(PyValueError::new_err(format!("there is no controller {number}: there are {count}")));
        }
        let hooks = self.forget(number);
        drop((removed, hooks));
        Ok(())
    }

    /// The controllers that were added, in order: each as it was given, one for all worlds or a list.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.added().iter().map(|added| added.given(py)).collect()
    }
}
