//! What acts on a simulation from outside: targets, mocap bodies, forces, controllers.

use super::Simulation;
use crate::controller::Wanted;
use crate::errors::input_error;
use crate::forces;
use crate::indices::whole;
use crate::mocap;
use crate::named;
use numpy::PyArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[pymethods]
impl Simulation {
    /// Sets the target of a servo, by the name of the actuator or of the joint it drives.
    ///
    /// position: where a position servo is to hold the joint, m or rad.
    /// velocity: the speed a velocity servo is to hold, m/s or rad/s.
    ///
    ///     sim.set_target("elbow", 0.5)
    ///
    /// What it does is to write sim.ctrl, in the servo's own units. Raises ValueError if no such servo drives the joint.
    #[pyo3(signature = (name, position=None, velocity=None))]
    fn set_target(
        &self,
        py: Python<'_>,
        name: &str,
        position: Option<f64>,
        velocity: Option<f64>,
    ) -> PyResult<()> {
        if position.is_none() && velocity.is_none() {
            return Err(PyValueError::new_err("give a position (m or rad) or a velocity (m/s or rad/s)"));
        }
        // All is found before anything is set.
        let mut found = Vec::new();
        for (value, is_velocity) in [(position, false), (velocity, true)] {
            if let Some(value) = value {
                if !value.is_finite() {
                    return Err(PyValueError::new_err(format!(
                        "the target is {value}: give a finite number"
                    )));
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

    /// Moves a mocap body (name or id): position in m and quaternion (w first) in the world. The
    /// velocities, rad/s and m/s in world axes, are what contacts feel; they do not move the body.
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

    /// Adds a force (N) and a torque (N m) on a body (name or id) to sim.applied, as they act at the present positions. Like all
    /// of applied they are then held, as generalised forces; for a force that follows the body, set applied and call this
    /// before each step.
    ///
    /// point: where the force acts, m; the body's origin by default.
    /// frame: "world" if force, torque and point are in the world's frame, "body" if all are in the body's.
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

    /// Has controller(time, qpos, qvel) set controls from now on, every period (s; 0: every step), after those that were added
    /// before. Returns its number.
    ///
    /// It is called at the beginning of the first step at or after each multiple of the period, gets copies of the state, and
    /// returns the controls, shape (nu,), held until someone sets them again. If it returns None, what it wrote to sim.ctrl
    /// counts. What it raises leaves sim.step, with a note that says which controller it was and when; that, an answer of
    /// another shape (ValueError) or one that is not finite (ValueError) leaves the state as it was before the step.
    ///
    /// sensing: True calls controller(time, qpos, qvel, measured) with a stiction.Measured: sensors at that instant, contact
    ///     forces and joint torques of the step before, and what the controller remembers.
    /// wrenches: bodies (names or ids) at whose mounts the wrench is to be measured, for Measured.wrench; sensing goes with it.
    /// skins: a list of stiction.TactileGrid, for Measured.skin; sensing goes with it.
    ///
    /// A stiction.JointTracking, PoseTracking or GripForce is a controller too; it has a period of its own.
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

    /// Has this controller alone set the controls from now on; None removes all and leaves the controls as they are. The
    /// arguments are those of add_controller.
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

    /// Removes the controller of a number; the controls stay as they are. Those added after it move up by one.
    fn remove_controller(&self, #[pyo3(from_py_with = whole)] number: usize) -> PyResult<()> {
        let mut inner = self.lock()?;
        let removed = inner.remove_controller(number).map_err(input_error)?;
        let hook = self.forget(number);
        drop(inner);
        // With no lock held: the end of a Python object may run any code.
        drop((removed, hook));
        Ok(())
    }

    /// The controllers that were added, in order.
    #[getter]
    fn controllers(&self, py: Python<'_>) -> Vec<Option<Py<PyAny>>> {
        self.hooks().iter().map(|hook| hook.object().as_ref().map(|object| object.clone_ref(py))).collect()
    }
}
