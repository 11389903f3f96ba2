//! Kinematics and dynamics of single states.

use super::Model;
use crate::arrays::{finite_vector, three, vector};
use crate::errors::input_error;
use crate::tuples::{energy_tuple, pose_tuple, readings};
use nalgebra::Vector3;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymethods]
impl Model {
    /// Lengths of all tendons.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (ntendon,), m; for a fixed tendon, the weighted sum of its joint positions. Raises ValueError if q does not
    /// fit the model.
    fn tendon_lengths<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.inner.tendon_lengths(&vector("q", q)?).map_err(input_error)?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Moment arms of all tendons: the gradients of their lengths.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (ntendon, nv), m per m or rad. Raises ValueError if q does not fit the model.
    fn tendon_moments<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(py, &self.inner.tendon_moments(&vector("q", q)?).map_err(input_error)?))
    }

    /// Lengths of the transmissions of all actuators.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (nu,), m or rad. Raises ValueError if q does not fit the model.
    fn actuator_lengths<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.inner.actuator_lengths(&vector("q", q)?).map_err(input_error)?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Moment arms of all actuators: generalised force per unit of actuator force.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (nu, nv), 1 or m. Raises ValueError if q does not fit the model.
    fn actuator_moments<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(py, &self.inner.actuator_moments(&vector("q", q)?).map_err(input_error)?))
    }

    /// Forces of all actuators along their transmissions.
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    /// ctrl: controls, shape (nu,). act: activations, shape (na,); zeros by default.
    ///
    /// Returns shape (nu,), N or N m. Raises ValueError for arrays that do not fit the model.
    #[pyo3(signature = (q, v, ctrl, act=None))]
    fn actuator_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        ctrl: &Bound<'py, PyAny>,
        act: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v, ctrl) = (vector("q", q)?, vector("v", v)?, vector("ctrl", ctrl)?);
        let act = self.or_zeros("act", act, self.inner.na())?;
        let found = self.inner.actuator_forces(&q, &v, &ctrl, &act).map_err(input_error)?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Generalised forces of joint and tendon springs and dampers and of gravity compensation.
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
    fn passive_forces<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let found = self.inner.passive_forces(&vector("q", q)?, &vector("v", v)?).map_err(input_error)?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// Readings of all sensors at a state, without contacts. Simulation.sensors reads a running simulation.
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    /// a, ctrl, act: accelerations, shape (nv,), controls, shape (nu,), and activations, shape (na,); zeros by default.
    ///
    /// Returns a dict from name to array, SI units. Raises ValueError for arrays that do not fit the model.
    #[pyo3(signature = (q, v, a=None, ctrl=None, act=None))]
    fn sensors<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: Option<&Bound<'py, PyAny>>,
        ctrl: Option<&Bound<'py, PyAny>>,
        act: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.inner.default_state();
        state.q = vector("q", q)?.to_vec();
        state.v = vector("v", v)?.to_vec();
        state.ctrl = self.or_zeros("ctrl", ctrl, self.inner.nu())?;
        state.activation = self.or_zeros("act", act, self.inner.na())?;
        let a = self.or_zeros("a", a, self.inner.nv())?;
        let values = self.inner.sensors(&state, &a).map_err(input_error)?;
        readings(py, &self.inner, &values)
    }

    /// Mass matrix, with armature and rotor inertia.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (nv, nv); kg, kg m or kg m². Raises ValueError if q does not fit the model.
    fn mass_matrix<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let q = vector("q", q)?;
        if self.inner.has_tendon_inertia() {
            let m = self.inner.mass_matrix(&q).map_err(input_error)?;
            return Ok(Array2::from_shape_fn(m.shape(), |at| m[at]).into_pyarray(py));
        }
        self.with_scratch(|scratch| scratch.mass_matrix(py, &self.inner, &q))
    }

    /// Coriolis, centrifugal and gravity forces, without springs, damping and actuation.
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
    fn bias<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v) = (vector("q", q)?, vector("v", v)?);
        if self.inner.has_tendon_inertia() {
            let forces = self.inner.bias(&q, &v).map_err(input_error)?;
            return Ok(PyArray1::from_vec(py, forces));
        }
        self.with_scratch(|scratch| {
            scratch.evaluate(py, &self.inner, (&q, &v), |multibody, workspace, out| {
                multibody.bias(workspace, out);
            })
        })
    }

    /// Generalised forces for given accelerations: mass_matrix(q) a + bias(q, v).
    ///
    /// q, v, a: positions, shape (nq,), velocities and accelerations, shape (nv,).
    ///
    /// Returns shape (nv,), N or N m. Raises ValueError for arrays that do not fit the model.
    fn inverse_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v) = (vector("q", q)?, vector("v", v)?);
        let a = finite_vector("a", a, self.inner.nv())?;
        if self.inner.has_tendon_inertia() {
            let forces = self.inner.inverse_dynamics(&q, &v, &a).map_err(input_error)?;
            return Ok(PyArray1::from_vec(py, forces));
        }
        self.with_scratch(|scratch| {
            scratch.evaluate(py, &self.inner, (&q, &v), |multibody, workspace, out| {
                multibody.inverse_dynamics(workspace, &a, out);
            })
        })
    }

    /// Accelerations under generalised forces: mass_matrix(q)⁻¹ (tau − bias(q, v)).
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    /// tau: generalised forces, shape (nv,), N or N m.
    ///
    /// Returns shape (nv,), m/s² or rad/s². Raises ValueError for arrays that do not fit the model.
    fn forward_dynamics<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        tau: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (q, v) = (vector("q", q)?, vector("v", v)?);
        let tau = finite_vector("tau", tau, self.inner.nv())?;
        if self.inner.has_tendon_inertia() {
            let accelerations = self.inner.forward_dynamics(&q, &v, &tau).map_err(input_error)?;
            return Ok(PyArray1::from_vec(py, accelerations));
        }
        self.with_scratch(|scratch| {
            scratch.evaluate(py, &self.inner, (&q, &v), |multibody, workspace, out| {
                multibody.forward_dynamics(workspace, &tau, out);
            })
        })
    }

    /// Kinetic and potential energy at a state.
    ///
    /// q, v: positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns a stiction.Energy (kinetic, potential), J, with .total. Raises ValueError for arrays that do not fit the model.
    fn energy<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        energy_tuple(py, &self.inner.energy(&vector("q", q)?, &vector("v", v)?).map_err(input_error)?)
    }

    /// Pose of a body in the world. Mocap bodies are at their poses in the file.
    ///
    /// body: name or id. q: positions, shape (nq,).
    ///
    /// Returns a stiction.BodyPose (position in m, quaternion with w first). Raises ValueError for an unknown name or if q does
    /// not fit the model.
    fn body_pose<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let body = self.body(body)?;
        let q = vector("q", q)?;
        let multibody = self.inner.multibody();
        let pose = self.with_scratch(|scratch| Ok(multibody.pose(scratch.at(&self.inner, &q)?, body)))?;
        pose_tuple(py, &pose)
    }

    /// Centre of mass of all moving bodies, in the world.
    ///
    /// q: positions, shape (nq,).
    ///
    /// Returns shape (3,), m. Raises ValueError if q does not fit the model.
    fn com<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = vector("q", q)?;
        let multibody = self.inner.multibody();
        let com = self.with_scratch(|scratch| Ok(multibody.center_of_mass(scratch.at(&self.inner, &q)?)))?;
        Ok(PyArray1::from_slice(py, com.as_slice()))
    }

    /// Jacobian of a body's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.
    ///
    /// body: name or id.
    /// q: positions, shape (nq,).
    /// point: point of the body whose velocity is meant, in the world, m, shape (3,); the body's origin by default.
    ///
    /// Returns shape (6, nv). Raises ValueError for an unknown name or arrays that do not fit the model.
    #[pyo3(signature = (body, q, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (body, multibody) = (self.body(body)?, self.inner.multibody());
        let q = vector("q", q)?;
        let point = if point.is_some() { Some(Vector3::from(three("point", point)?)) } else { None };
        let jacobian = self.with_scratch(|scratch| {
            let workspace = scratch.at(&self.inner, &q)?;
            let p_wq = point.unwrap_or_else(|| multibody.origin(workspace, body));
            Ok(multibody.full_jacobian(workspace, body, &p_wq))
        })?;
        let entries = Array2::from_shape_fn((6, self.inner.nv()), |(i, j)| jacobian[(i, j)]);
        Ok(entries.into_pyarray(py))
    }
}

fn matrix<'py>(py: Python<'py>, m: &nalgebra::DMatrix<f64>) -> Bound<'py, PyArray2<f64>> {
    Array2::from_shape_fn((m.nrows(), m.ncols()), |at| m[at]).into_pyarray(py)
}
