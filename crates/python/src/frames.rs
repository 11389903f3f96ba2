//! Frames that a model names: of bodies, sites, geoms and cameras; their poses and Jacobians.

use crate::changes::geom;
use crate::model::{Model, unknown};
use crate::tuples::pose_class;
use nalgebra::{Matrix6xX, Vector3};
use numpy::ndarray::{Array2, Array3};
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use stiction::model::Pose;

/// What a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Body,
    Site,
    Geom,
    Camera,
}

/// A frame fixed to a body.
#[derive(Clone, Copy)]
pub struct Frame {
    pub body: usize,
    pub pose: Pose,
}

impl Frame {
    /// Its pose in the world, from those of all bodies.
    pub fn in_world(&self, x_wb: &[Pose]) -> Pose {
        x_wb[self.body] * self.pose
    }
}

impl Kind {
    /// The frame of a name or id.
    pub fn find(self, model: &Model, given: &Bound<'_, PyAny>) -> PyResult<Frame> {
        let id = match self {
            Self::Body => model.body(given)?,
            Self::Site => site(model, given)?,
            Self::Geom => geom(model, given)?,
            Self::Camera => camera(model, given)?,
        };
        Ok(self.frame(model, id))
    }

    /// All frames of this kind, by id.
    pub fn all(self, model: &Model) -> Vec<Frame> {
        let world = model.inner.world();
        let count = match self {
            Self::Body => world.bodies.len(),
            Self::Site => world.sites.len(),
            Self::Geom => world.geoms.len(),
            Self::Camera => world.visual.cameras.len(),
        };
        (0..count).map(|id| self.frame(model, id)).collect()
    }

    fn frame(self, model: &Model, id: usize) -> Frame {
        let world = model.inner.world();
        let (body, pose) = match self {
            Self::Body => (id, Pose::identity()),
            Self::Site => (world.sites[id].body, world.sites[id].pose),
            Self::Geom => (world.geoms[id].body, world.geoms[id].pose),
            Self::Camera => (world.visual.cameras[id].body, world.visual.cameras[id].pose),
        };
        Frame { body, pose }
    }
}

/// A site's id from its name or id.
pub fn site(model: &Model, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    by_name("site", model.inner.world().sites.iter().map(|s| s.name.as_str()), given)
}

/// A camera's id from its name or id.
pub fn camera(model: &Model, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    by_name("camera", model.inner.world().visual.cameras.iter().map(|c| c.name.as_str()), given)
}

/// The id of a name among the names of all, or an id that is in their range.
pub fn by_name<'a>(
    kind: &'static str,
    names: impl ExactSizeIterator<Item = &'a str> + Clone,
    given: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    match given.extract::<String>() {
        Ok(name) => {
            let found = names.clone().position(|known| known == name && !name.is_empty());
            found.ok_or_else(|| unknown(kind, &name, names))
        }
        Err(_) => crate::indices::id(kind, given, names.len()),
    }
}

/// Poses of several frames as one tuple of arrays, shapes (k, 3) and (k, 4).
pub fn pose_rows<'py>(py: Python<'py>, poses: &[Pose]) -> PyResult<Bound<'py, PyAny>> {
    let positions = Array2::from_shape_fn((poses.len(), 3), |(i, j)| poses[i].translation.vector[j]);
    let turns = Array2::from_shape_fn((poses.len(), 4), |(i, j)| quaternion(&poses[i])[j]);
    let (positions, turns) = (positions.into_pyarray(py), turns.into_pyarray(py));
    pose_class(py)?.call1((read_only(positions.into_any())?, read_only(turns.into_any())?))
}

/// The same of `k` frames in each of `n` worlds, world by world: shapes (n, k, 3) and (n, k, 4).
pub fn pose_tables<'py>(py: Python<'py>, n: usize, k: usize, poses: &[Pose]) -> PyResult<Bound<'py, PyAny>> {
    let positions = Array3::from_shape_fn((n, k, 3), |(w, i, j)| poses[w * k + i].translation.vector[j]);
    let turns = Array3::from_shape_fn((n, k, 4), |(w, i, j)| quaternion(&poses[w * k + i])[j]);
    let (positions, turns) = (positions.into_pyarray(py), turns.into_pyarray(py));
    pose_class(py)?.call1((read_only(positions.into_any())?, read_only(turns.into_any())?))
}

fn quaternion(pose: &Pose) -> [f64; 4] {
    let r = pose.rotation;
    [r.w, r.i, r.j, r.k]
}

/// A Jacobian as an array of shape (6, nv).
pub fn jacobian_array<'py>(py: Python<'py>, jacobian: &Matrix6xX<f64>) -> Bound<'py, PyArray2<f64>> {
    Array2::from_shape_fn((6, jacobian.ncols()), |at| jacobian[at]).into_pyarray(py)
}

/// The Jacobian of a frame's origin, or of a point of its body (m, in the world), in a simulation.
pub fn jacobian_in(
    simulation: &mut stiction::Simulation,
    frame: &Frame,
    point: Option<[f64; 3]>,
) -> Result<Matrix6xX<f64>, stiction::InputError> {
    let point = match point {
        Some(point) => Vector3::from(point),
        None => frame.in_world(simulation.poses()).translation.vector,
    };
    simulation.jacobian(frame.body, Some(point))
}

/// An array that says so when something is written to it, because that would have no effect.
pub fn read_only(array: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    array.getattr(pyo3::intern!(array.py(), "flags"))?.setattr("writeable", false)?;
    Ok(array)
}

/// The poses of a class, each of a body, site, geom or camera, and of all of these. Their docstrings begin with `$pose`, end
/// their first sentence with `$place`, and return `$returned`; `$bodies` is the one of `body_poses`. The class has `pose` and
/// `all_poses`, which take the kind.
macro_rules! pose_methods {
    ($class:ident, $pose:literal, $place:literal, $returned:literal, $bodies:literal) => {
        $crate::frames::pose_methods! {
            @each $class, $pose, $place, $returned;
            Body, body, body_pose, "";
            Site, site, site_pose, "";
            Geom, geom, geom_pose, "";
            Camera, camera, camera_pose, " A camera looks along −z of its frame, y up.";
        }

        #[pyo3::pymethods]
        impl $class {
            #[doc = $bodies]
            #[getter]
            fn body_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.all_poses(py, Kind::Body)
            }

            /// The same of all sites, in the order of Model.site_names.
            #[getter]
            fn site_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.all_poses(py, Kind::Site)
            }

            /// The same of all geoms, in the order of Model.geom_names.
            #[getter]
            fn geom_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.all_poses(py, Kind::Geom)
            }

            /// The same of all cameras, in the order of Model.camera_names.
            #[getter]
            fn camera_poses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.all_poses(py, Kind::Camera)
            }
        }
    };
    (@each $class:ident, $pose:literal, $place:literal, $returned:literal;
     $($kind:ident, $argument:ident, $method:ident, $more:literal;)*) => {
        #[pyo3::pymethods]
        impl $class {
            $(
                #[doc = concat!($pose, " of a ", stringify!($argument), " ", $place, ".", $more)]
                ///
                /// Parameters
                /// ----------
                #[doc = concat!(stringify!($argument), " : str or int")]
                ///     Name or id.
                ///
                /// Returns
                /// -------
                /// BodyPose
                #[doc = concat!("    ", $returned)]
                ///
                /// Raises
                /// ------
                /// ValueError
                ///     For an unknown name.
                fn $method<'py>(
                    &self,
                    py: Python<'py>,
                    $argument: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    self.pose(py, Kind::$kind, $argument)
                }
            )*
        }
    };
}
pub(crate) use pose_methods;
