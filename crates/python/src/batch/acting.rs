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
    /// Moves a mocap body, as Simulation.set_mocap does. Each argument is one row for all worlds or one row per world.
    ///
    /// body: name or id.
    /// position: in the world, m, shape (3,) or (worlds, 3). quaternion: w first, (4,) or (worlds, 4).
    /// angular_velocity, linear_velocity: velocity of its surface for contacts, rad/s and m/s in world axes; they do not move
    ///     the body.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    ///
    /// Raises ValueError if the body is no mocap body or a shape does not fit.
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

    /// Adds forces and torques on a body to batch.applied, as Simulation.apply_force does. Each array has shape (3,) for all
    /// worlds or (worlds, 3).
    ///
    /// body: name or id.
    /// force, torque: N and N m; zero by default.
    /// point: point of application, m; the body's origin by default.
    /// frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    ///
    /// Raises ValueError for an unknown body or frame, a shape that does not fit, or if neither force nor torque is given.
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

    /// Adds a controller to every world. It runs after the controllers added before.
    ///
    /// controller: a function or ready controller as in Simulation.add_controller, or a list with one for each world. Ready
    ///     controllers run without the interpreter. A function is called for each world from the thread that steps it, one call
    ///     at a time; results do not depend on the number of threads if the function depends on its arguments only. If it
    ///     returns None, the world's row of batch.ctrl counts.
    /// period, sensing, wrenches, skins: as in Simulation.add_controller.
    ///
    /// Returns its number. An exception of the controller is the cause of the SimulationError that step raises; the affected
    /// worlds are then at their states before the failed step.
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

    /// Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the
    /// controls.
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

    /// Removes a controller from all worlds; the controls keep their values. The numbers of those added after it decrease by
    /// one.
    ///
    /// number: as returned by add_controller. Raises ValueError for an unknown number.
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

    /// The controllers, in order: each as it was given, one for all worlds or a list.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.added().iter().map(|added| added.given(py)).collect()
    }
}
