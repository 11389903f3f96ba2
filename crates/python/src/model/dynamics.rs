//! Kinematics and dynamics of single states.

use super::Model;
use crate::arrays::{finite_vector, vector};
use crate::errors::input_error;
use crate::tuples::{energy_tuple, readings};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymethods]
impl Model {
    /// Lengths of all tendons.
    ///
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (ntendon,), m; for a fixed tendon, the weighted sum of its joint positions.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
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
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (ntendon, nv), m per m or rad.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
    fn tendon_moments<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(py, &self.inner.tendon_moments(&vector("q", q)?).map_err(input_error)?))
    }

    /// Lengths of the transmissions of all actuators.
    ///
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nu,), m or rad.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
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
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nu, nv), 1 or m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
    fn actuator_moments<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        Ok(matrix(py, &self.inner.actuator_moments(&vector("q", q)?).map_err(input_error)?))
    }

    /// Forces of all actuators along their transmissions.
    ///
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    /// ctrl : array_like
    ///     Controls, shape (nu,).
    /// act : array_like, optional
    ///     Activations, shape (na,); zeros by default.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nu,), N or N m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nv,), N or N m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    /// a, ctrl, act : array_like, optional
    ///     Accelerations, shape (nv,), controls, shape (nu,), and activations, shape (na,); zeros by default.
    ///
    /// Returns
    /// -------
    /// dict
    ///     A dict from name to array, SI units.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nv, nv); kg, kg m or kg m².
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nv,), N or N m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v, a : array_like
    ///     Positions, shape (nq,), velocities and accelerations, shape (nv,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nv,), N or N m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    /// tau : array_like
    ///     Generalised forces, shape (nv,), N or N m.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (nv,), m/s² or rad/s².
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
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
    /// Parameters
    /// ----------
    /// q, v : array_like
    ///     Positions, shape (nq,), and velocities, shape (nv,).
    ///
    /// Returns
    /// -------
    /// Energy
    ///     A stiction.Energy (kinetic, potential), J, with .total.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For arrays that do not fit the model.
    fn energy<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        energy_tuple(py, &self.inner.energy(&vector("q", q)?, &vector("v", v)?).map_err(input_error)?)
    }

    /// Centre of mass of all moving bodies, in the world.
    ///
    /// Parameters
    /// ----------
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (3,), m.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If q does not fit the model.
    fn com<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = vector("q", q)?;
        let multibody = self.inner.multibody();
        let com = self.with_scratch(|scratch| Ok(multibody.center_of_mass(scratch.at(&self.inner, &q)?)))?;
        Ok(PyArray1::from_slice(py, com.as_slice()))
    }
}

fn matrix<'py>(py: Python<'py>, m: &nalgebra::DMatrix<f64>) -> Bound<'py, PyArray2<f64>> {
    Array2::from_shape_fn((m.nrows(), m.ncols()), |at| m[at]).into_pyarray(py)
}
