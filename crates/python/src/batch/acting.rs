//! What acts on worlds from outside: mocap bodies, forces, controllers.

use super::Batch;
use crate::changes::per_world;
use crate::controller::{self, Wanted};
use crate::errors::{InputError, input_error};
use crate::forces;
use crate::indices::indices;
use crate::mocap;
use crate::named;
use pyo3::prelude::*;

#[pymethods]
impl Batch {
    /// Moves a mocap body, as Simulation.set_mocap does. Each argument is one row for all worlds or one row per world.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// position : array_like
    ///     In the world, m, shape (3,) or (worlds, 3).
    /// quaternion : array_like, optional
    ///     w first, (4,) or (worlds, 4).
    /// angular_velocity, linear_velocity : array_like, optional
    ///     Velocity of its surface for contacts, rad/s and m/s in world axes; they do not move the body.
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the body is no mocap body or a shape does not fit.
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

    /// Sets the target of a servo, as Simulation.set_target does.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Of the actuator or the joint.
    /// position, velocity : array_like, optional
    ///     Target, m or rad, m/s or rad/s: a number for all worlds or one per world, shape (worlds,).
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If no such servo drives the joint.
    ///
    /// Notes
    /// -----
    /// It writes batch.ctrl, in the servo's own units.
    #[pyo3(signature = (name, position=None, velocity=None, indices=None))]
    fn set_target(
        &self,
        py: Python<'_>,
        name: &str,
        position: Option<&Bound<'_, PyAny>>,
        velocity: Option<&Bound<'_, PyAny>>,
        indices: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        if position.is_none() && velocity.is_none() {
            return Err(InputError::new_err("give a position (m or rad) or a velocity (m/s or rad/s)"));
        }
        let chosen = self::indices(indices, self.lock()?.len())?;
        // All is found before anything is set.
        let mut found = Vec::new();
        for (what, values, is_velocity) in [("position", position, false), ("velocity", velocity, true)] {
            let Some(values) = values else { continue };
            let (id, unit) = named::target(self.model.get(), name, 1.0, is_velocity)?;
            found.push((id, unit, per_world(what, values, chosen.len(), 1)?));
        }
        let nu = self.model.get().inner.nu();
        let mut ctrl = self.ctrl.write(py)?;
        let mut row = vec![0.0; nu];
        for (k, &world) in chosen.iter().enumerate() {
            ctrl.row(world, &mut row);
            for (id, unit, values) in &found {
                row[*id] = unit * values[if values.len() == 1 { 0 } else { k }];
            }
            ctrl.set_row(world, &row);
        }
        Ok(())
    }

    /// Adds forces and torques on a body to batch.applied, as Simulation.apply_force does. Each array has shape (3,) for all worlds or
    /// (worlds, 3).
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// force, torque : array_like, optional
    ///     N and N m; zero by default.
    /// point : array_like, optional
    ///     Point of application, m; the body's origin by default.
    /// frame : {"world", "body"}, optional
    ///     "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown body or frame, a shape that does not fit, or if neither force nor torque is given.
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
    /// Parameters
    /// ----------
    /// controller : callable or ready controller or list of callable or ready controller
    ///     A function or ready controller as in Simulation.add_controller, or a list with one for each world. Ready controllers run
    ///     without the interpreter. A function is called for each world from the thread that steps it, one call at a time; results do
    ///     not depend on the number of threads if the function depends on its arguments only. If it returns None, the world's row of
    ///     batch.ctrl counts.
    /// period, sensing, wrenches, skins : float or bool or list of str or int or list of TactileGrid, optional
    ///     As in Simulation.add_controller.
    ///
    /// Returns
    /// -------
    /// ControllerHandle
    ///     A stiction.ControllerHandle, for remove_controller. An exception of the controller is the cause of the SimulationError that
    ///     step raises; the affected worlds are then at their states before the failed step.
    #[pyo3(signature = (controller, period=0.0, sensing=false, *, wrenches=None, skins=None))]
    fn add_controller<'py>(
        slf: &Bound<'py, Self>,
        controller: &Bound<'py, PyAny>,
        period: f64,
        sensing: bool,
        wrenches: Option<&Bound<'py, PyAny>>,
        skins: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = Wanted { period, sensing, wrenches, skins };
        let number = slf.get().attach(slf.py(), controller, &wanted, false)?;
        let key = slf.get().added()[number].key;
        controller::handle(slf.as_any(), key)
    }

    /// Replaces all controllers by one. The arguments are those of add_controller; None removes all controllers and keeps the controls.
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

    /// Removes a controller from all worlds; the controls keep their values. The handles of the others stay valid.
    ///
    /// Parameters
    /// ----------
    /// handle : ControllerHandle or int
    ///     As returned by add_controller. (Numbers are deprecated: they change when another one is removed.)
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a controller that is not of this batch.
    fn remove_controller(slf: &Bound<'_, Self>, handle: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = controller::number_of(slf.as_any(), handle)?;
        let this = slf.get();
        let inner = this.lock()?;
        let count = this.added().len();
        let mut removed = Vec::new();
        for world in 0..inner.len() {
            removed.push(inner.world(world).remove_controller(number).map_err(input_error)?);
        }
        drop(inner);
        if number >= count {
            return Err(InputError::new_err(format!("there is no controller {number}: there are {count}")));
        }
        let hooks = this.forget(number);
        drop((removed, hooks));
        Ok(())
    }

    /// Keys of the controllers, in order, for their handles.
    #[getter]
    fn _controller_keys(&self) -> Vec<u64> {
        self.added().iter().map(|added| added.key).collect()
    }

    /// The controllers, in order: each as it was given, one for all worlds or a list.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        self.added().iter().map(|added| added.given(py)).collect()
    }
}
