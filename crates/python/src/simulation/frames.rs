//! Poses, velocities and Jacobians of bodies, sites, geoms and cameras at the present state.

use super::Simulation;
use crate::arrays::three;
use crate::errors::{InputError, deprecated, input_error, step_error};
use crate::frames::{Kind, jacobian_array, jacobian_in, pose_methods, pose_rows, read_only};
use crate::tuples::pose_tuple;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use stiction::model::Pose;

pose_methods! {
    Simulation,
    "Pose",
    "in the world at the present state",
    "A stiction.BodyPose (position in m, quaternion with w first).",
    "Poses of all bodies in the world at the present state, by id: a stiction.BodyPose of arrays of shape (bodies, 3), m, and\n(bodies, 4), w first."
}

#[pymethods]
impl Simulation {
    /// Jacobian of a body's motion at the present state: jacobian @ qvel is [angular; linear] velocity in world axes.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// point : array_like, optional
    ///     Point of the body whose velocity is meant, in the world, m, shape (3,); the body's origin by default.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (6, nv).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(signature = (body, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let frame = Kind::Body.find(self.model.get(), body)?;
        let point = point.map(|point| three("point", Some(point))).transpose()?;
        let found = self.with_state(py, |inner| jacobian_in(inner, &frame, point).map_err(input_error))?;
        Ok(jacobian_array(py, &found))
    }

    /// Jacobian of a site's motion at the present state: jacobian @ qvel is [angular; linear] velocity in world axes.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (6, nv).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn site_jacobian<'py>(
        &self,
        py: Python<'py>,
        site: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let frame = Kind::Site.find(self.model.get(), site)?;
        let found = self.with_state(py, |inner| jacobian_in(inner, &frame, None).map_err(input_error))?;
        Ok(jacobian_array(py, &found))
    }

    /// Accelerations, shape (nv,), m/s² or rad/s², as accelerometers read them: the mean over the last step, (qvel after − qvel
    /// before)/step, zero before the first one. In continuous time, those of the present state.
    #[getter]
    fn qacc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with_state(py, |inner| inner.qacc().map_err(step_error))?;
        read_only(PyArray1::from_vec(py, found).into_any())
    }

    /// The old name of qacc, of continuous time only: raises ValueError under another method. Deprecated.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        deprecated(py, "accelerations is now called qacc, which convex steps have too")?;
        let found = self.with_state(py, |inner| inner.accelerations().map_err(step_error))?;
        let found = found.ok_or_else(|| {
            InputError::new_err(
                "convex steps have no accelerations: choose method=\"continuous\", or read qacc, the mean over the last step",
            )
        })?;
        Ok(PyArray1::from_vec(py, found).into_any())
    }
}

impl Simulation {
    fn pose<'py>(
        &self,
        py: Python<'py>,
        kind: Kind,
        given: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frame = kind.find(self.model.get(), given)?;
        let pose = self.with_state(py, |inner| Ok(frame.in_world(inner.poses())))?;
        pose_tuple(py, &pose)
    }

    fn all_poses<'py>(&self, py: Python<'py>, kind: Kind) -> PyResult<Bound<'py, PyAny>> {
        let frames = kind.all(self.model.get());
        let poses: Vec<Pose> = self.with_state(py, |inner| {
            let x_wb = inner.poses();
            Ok(frames.iter().map(|frame| frame.in_world(x_wb)).collect())
        })?;
        pose_rows(py, &poses)
    }
}
