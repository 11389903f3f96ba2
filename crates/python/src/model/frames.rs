//! Poses and Jacobians of bodies, sites, geoms and cameras at single states.

use super::Model;
use crate::arrays::{three, vector};
use crate::frames::{Kind, jacobian_array};
use crate::tuples::pose_tuple;
use nalgebra::Vector3;
use numpy::PyArray2;
use pyo3::prelude::*;

#[pymethods]
impl Model {
    /// Pose of a body in the world. Mocap bodies are at their poses in the file.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// BodyPose
    ///     A stiction.BodyPose (position in m, quaternion with w first).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or if q does not fit the model.
    fn body_pose<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.frame_pose(py, Kind::Body, body, q)
    }

    /// Pose of a site in the world. Mocap bodies are at their poses in the file.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// BodyPose
    ///     A stiction.BodyPose (position in m, quaternion with w first).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or if q does not fit the model.
    fn site_pose<'py>(
        &self,
        py: Python<'py>,
        site: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.frame_pose(py, Kind::Site, site, q)
    }

    /// Pose of a geom in the world. Mocap bodies are at their poses in the file.
    ///
    /// Parameters
    /// ----------
    /// geom : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// BodyPose
    ///     A stiction.BodyPose (position in m, quaternion with w first).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or if q does not fit the model.
    fn geom_pose<'py>(
        &self,
        py: Python<'py>,
        geom: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.frame_pose(py, Kind::Geom, geom, q)
    }

    /// Pose of a camera in the world. It looks along −z of its frame, y up. Mocap bodies are at their poses in the file.
    ///
    /// Parameters
    /// ----------
    /// camera : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// BodyPose
    ///     A stiction.BodyPose (position in m, quaternion with w first).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or if q does not fit the model.
    fn camera_pose<'py>(
        &self,
        py: Python<'py>,
        camera: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.frame_pose(py, Kind::Camera, camera, q)
    }

    /// Jacobian of a site's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (6, nv).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or if q does not fit the model.
    fn site_jacobian<'py>(
        &self,
        py: Python<'py>,
        site: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let frame = Kind::Site.find(self, site)?;
        let (q, multibody) = (vector("q", q)?, self.inner.multibody());
        let jacobian = self.with_scratch(|scratch| {
            let workspace = scratch.at(&self.inner, &q)?;
            let origin = (multibody.pose(workspace, frame.body) * frame.pose).translation.vector;
            Ok(multibody.full_jacobian(workspace, frame.body, &origin))
        })?;
        Ok(jacobian_array(py, &jacobian))
    }

    /// Jacobian of a body's motion: jacobian @ v is [angular; linear] velocity in world axes, rad/s and m/s.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// q : array_like
    ///     Positions, shape (nq,).
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
    ///     For an unknown name or arrays that do not fit the model.
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
        Ok(jacobian_array(py, &jacobian))
    }
}

impl Model {
    fn frame_pose<'py>(
        &self,
        py: Python<'py>,
        kind: Kind,
        given: &Bound<'py, PyAny>,
        q: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frame = kind.find(self, given)?;
        let (q, multibody) = (vector("q", q)?, self.inner.multibody());
        let pose =
            self.with_scratch(|s| Ok(multibody.pose(s.at(&self.inner, &q)?, frame.body) * frame.pose))?;
        pose_tuple(py, &pose)
    }
}
