//! Poses and Jacobians of bodies, sites, geoms and cameras in all worlds.

use super::Batch;
use crate::arrays::Table;
use crate::errors::{input_error, step_error};
use crate::frames::{Frame, Kind, jacobian_in, pose_methods, pose_rows, pose_tables, read_only};
use crate::shared::Rows;
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArray3};
use pyo3::prelude::*;
use stiction::model::Pose;

pose_methods! {
    Batch,
    "Poses",
    "in all worlds",
    "A stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first, shape (n, 4).",
    "Poses of all bodies in all worlds, by id: a stiction.BodyPose of arrays of shape (n, bodies, 3), m, and (n, bodies, 4), w\nfirst."
}

#[pymethods]
impl Batch {
    /// Jacobians of a body's motion in all worlds, as Simulation.jacobian gives them.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// point : array_like, optional
    ///     Point of the body whose velocity is meant, in the world, m, shape (3,) for all worlds or (n, 3); the body's origin by
    ///     default.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (n, 6, nv).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name or a shape that does not fit.
    #[pyo3(signature = (body, point=None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.jacobians(py, &Kind::Body.find(self.model.get(), body)?, point)
    }

    /// Jacobians of a site's motion in all worlds, as Simulation.site_jacobian gives them.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (n, 6, nv).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn site_jacobian<'py>(
        &self,
        py: Python<'py>,
        site: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        self.jacobians(py, &Kind::Site.find(self.model.get(), site)?, None)
    }

    /// Accelerations, shape (n, nv), m/s² or rad/s²: see Simulation.qacc.
    #[getter]
    fn qacc<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let mut found = Vec::with_capacity(inner.len());
        for world in 0..inner.len() {
            found.push(inner.world(world).qacc().map_err(step_error)?);
        }
        let rows = Rows::collect(py, inner.len(), inner.model().nv(), |world, row| {
            row.copy_from_slice(&found[world]);
        })?;
        read_only(rows.into_any())
    }
}

impl Batch {
    fn pose<'py>(
        &self,
        py: Python<'py>,
        kind: Kind,
        given: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frame = kind.find(self.model.get(), given)?;
        pose_rows(py, &self.poses_of(py, &[frame])?)
    }

    fn all_poses<'py>(&self, py: Python<'py>, kind: Kind) -> PyResult<Bound<'py, PyAny>> {
        let frames = kind.all(self.model.get());
        let n = self.lock()?.len();
        pose_tables(py, n, frames.len(), &self.poses_of(py, &frames)?)
    }

    /// Poses of frames in all worlds, world by world.
    fn poses_of(&self, py: Python<'_>, frames: &[Frame]) -> PyResult<Vec<Pose>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let mut poses = Vec::with_capacity(inner.len() * frames.len());
        for world in 0..inner.len() {
            let mut world = inner.world(world);
            let x_wb = world.poses();
            poses.extend(frames.iter().map(|frame| frame.in_world(x_wb)));
        }
        Ok(poses)
    }

    fn jacobians<'py>(
        &self,
        py: Python<'py>,
        frame: &Frame,
        point: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let inner = self.lock()?;
        let n = inner.len();
        let points = point.map(|point| Table::read("point", point, n, 3)).transpose()?;
        self.push(py, &inner)?;
        let mut all = Vec::with_capacity(n);
        for world in 0..n {
            let point = points.as_ref().map(|table| table.row(world)).map(|p| [p[0], p[1], p[2]]);
            all.push(jacobian_in(&mut inner.world(world), frame, point).map_err(input_error)?);
        }
        Ok(Array3::from_shape_fn((n, 6, inner.model().nv()), |(w, i, j)| all[w][(i, j)]).into_pyarray(py))
    }
}
