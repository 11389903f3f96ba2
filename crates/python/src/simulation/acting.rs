//! What acts on a simulation from outside: targets, mocap bodies, forces, controllers.

use super::Simulation;
use crate::controller::{self, Wanted};
use crate::errors::{InputError, input_error};
use crate::forces;
use crate::mocap;
use crate::named;
use numpy::PyArrayMethods;
use pyo3::prelude::*;

#[pymethods]
impl Simulation {
    /// Sets the target of a servo, by the name of the actuator or of the joint it drives.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Of the actuator or the joint.
    /// position : float, optional
    ///     Target of a position servo, m or rad.
    /// velocity : float, optional
    ///     Target of a velocity servo, m/s or rad/s.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If no such servo drives the joint.
    ///
    /// Notes
    /// -----
    ///     sim.set_target("elbow", 0.5)
    ///
    /// It writes sim.ctrl, in the servo's own units.
    #[pyo3(signature = (name, position=None, velocity=None))]
    fn set_target(
        &self,
        py: Python<'_>,
        name: &str,
        position: Option<f64>,
        velocity: Option<f64>,
    ) -> PyResult<()> {
        if position.is_none() && velocity.is_none() {
            return Err(InputError::new_err("give a position (m or rad) or a velocity (m/s or rad/s)"));
        }
        // All is found before anything is set.
        let mut found = Vec::new();
        for (value, is_velocity) in [(position, false), (velocity, true)] {
            if let Some(value) = value {
                if !value.is_finite() {
                    return Err(InputError::new_err(format!("the target is {value}: give a finite number")));
                }
                found.push(named::target(self.model.get(), name, value, is_velocity)?);
            }
        }
        let mut ctrl = self.ctrl.read(py)?.to_vec()?;
        for (id, value) in found {
            ctrl[id] = value;
        }
        self.ctrl.write(py, &ctrl)
    }

    /// Moves a mocap body.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// position, quaternion : array_like
    ///     Pose in the world, m, shape (3,), and w first, shape (4,); no rotation by default.
    /// angular_velocity, linear_velocity : array_like, optional
    ///     Velocity of its surface for contacts, rad/s and m/s in world axes, shape (3,); zero by default. They do not move the body.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If the body is no mocap body.
    #[pyo3(signature = (body, position, quaternion=None, angular_velocity=None, linear_velocity=None))]
    fn set_mocap(
        &self,
        body: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        quaternion: Option<&Bound<'_, PyAny>>,
        angular_velocity: Option<&Bound<'_, PyAny>>,
        linear_velocity: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let number = mocap::number(self.model.get(), body)?;
        let target = mocap::state(position, quaternion, angular_velocity, linear_velocity)?;
        self.lock()?.state_mut().mocap[number] = target;
        Ok(())
    }

    /// Adds a force and a torque on a body to sim.applied, evaluated at the present positions. As generalised forces they are then
    /// held; for a force that follows the body, reset applied and call this before each step.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// force, torque : array_like, optional
    ///     N and N m, shape (3,); zero by default.
    /// point : array_like, optional
    ///     Point of application, m, shape (3,); the body's origin by default.
    /// frame : {"world", "body"}, optional
    ///     "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown body or frame, or if neither force nor torque is given.
    #[pyo3(signature = (body, force=None, point=None, torque=None, frame="world"))]
    fn apply_force(
        &self,
        py: Python<'_>,
        body: &Bound<'_, PyAny>,
        force: Option<&Bound<'_, PyAny>>,
        point: Option<&Bound<'_, PyAny>>,
        torque: Option<&Bound<'_, PyAny>>,
        frame: &str,
    ) -> PyResult<()> {
        let id = self.model.get().body(body)?;
        let push = forces::read(&forces::Given { force, point, torque, frame })?;
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        push.apply(&mut inner, id)?;
        self.pull(py, &inner)
    }

    /// Adds a controller, which sets the controls from now on. It runs after the controllers added before.
    ///
    /// Parameters
    /// ----------
    /// controller : callable or ready controller
    ///     A function controller(time, qpos, qvel) that gets copies of the state and returns the controls, shape (nu,), which are held
    ///     until they are set again. If it returns None, the values that it wrote to sim.ctrl count. Or a stiction.JointTracking,
    ///     PoseTracking or GripForce, which has its own period.
    /// period : float, optional
    ///     Time between samples, s; 0 for every step. A sample is at the beginning of the first step at or after each multiple of the
    ///     period.
    /// sensing : bool, optional
    ///     True calls controller(time, qpos, qvel, measured) with a stiction.Measured: sensors at that instant, contact forces and
    ///     joint torques of the previous step, and the controller's memory.
    /// wrenches : list of str or int, optional
    ///     Bodies (names or ids) at whose mounts the wrench is measured, for Measured.wrench; implies sensing.
    /// skins : list of TactileGrid, optional
    ///     A list of stiction.TactileGrid, for Measured.skin; implies sensing.
    ///
    /// Returns
    /// -------
    /// ControllerHandle
    ///     A stiction.ControllerHandle, for remove_controller. Exceptions of the controller propagate from sim.step, with a note that
    ///     names the controller and the time; a result of another shape or one that is not finite raises ValueError there. The state is
    ///     then that before the step.
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
        let key = slf.get().hooks()[number].key;
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
        if controller.is_none() {
            self.lock()?.clear_controllers();
            drop(self.forget_all());
            return Ok(());
        }
        self.attach(py, controller, &Wanted { period, sensing, wrenches, skins }, true).map(|_| ())
    }

    /// Removes a controller; the controls keep their values. The handles of the others stay valid.
    ///
    /// Parameters
    /// ----------
    /// handle : ControllerHandle or int
    ///     As returned by add_controller. (Numbers are deprecated: they change when another one is removed.)
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a controller that is not of this simulation.
    fn remove_controller(slf: &Bound<'_, Self>, handle: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = controller::number_of(slf.as_any(), handle)?;
        let this = slf.get();
        let mut inner = this.lock()?;
        let removed = inner.remove_controller(number).map_err(input_error)?;
        let hook = this.forget(number);
        drop(inner);
        // With no lock held: the end of a Python object may run any code.
        drop((removed, hook));
        Ok(())
    }

    /// Keys of the controllers, in order, for their handles.
    #[getter]
    fn _controller_keys(&self) -> Vec<u64> {
        self.hooks().iter().map(|hook| hook.key).collect()
    }

    /// The controllers, in order.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> Vec<Option<Py<PyAny>>> {
        self.hooks().iter().map(|hook| hook.object().as_ref().map(|object| object.clone_ref(py))).collect()
    }
}
