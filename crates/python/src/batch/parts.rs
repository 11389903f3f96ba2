//! Bodies, joints, geoms, actuators, sites, cameras and equalities of all worlds, by name or id.

use super::Batch;
use crate::named;
use pyo3::prelude::*;

#[pymethods]
impl Batch {
    /// A body of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Body
    ///     A stiction.Body with position, quaternion, velocity, mass, apply_force.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn body<'py>(slf: &Bound<'py, Self>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Body", named::body(slf.py(), slf.get().model.get(), body)?)
    }

    /// A joint of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// joint : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Joint
    ///     A stiction.Joint with qpos, qvel and applied as writable views (m or rad, m/s or rad/s, N or N m).
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn joint<'py>(slf: &Bound<'py, Self>, joint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Joint", named::joint(slf.py(), slf.get().model.get(), joint)?)
    }

    /// A geom of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// geom : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Geom
    ///     A stiction.Geom with contact properties that may be set.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn geom<'py>(slf: &Bound<'py, Self>, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Geom", named::geom_info(slf.py(), slf.get().model.get(), geom)?)
    }

    /// An actuator of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// actuator : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Actuator
    ///     A stiction.Actuator with its control.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn actuator<'py>(slf: &Bound<'py, Self>, actuator: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Actuator", named::actuator(slf.py(), slf.get().model.get(), actuator)?)
    }

    /// A site of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// site : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Site
    ///     A stiction.Site with position, quaternion, velocity, jacobian.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn site<'py>(slf: &Bound<'py, Self>, site: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Site", named::site(slf.py(), slf.get().model.get(), site)?)
    }

    /// A camera of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// camera : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Camera
    ///     A stiction.Camera with position and quaternion.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn camera<'py>(slf: &Bound<'py, Self>, camera: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Camera", named::camera(slf.py(), slf.get().model.get(), camera)?)
    }

    /// An equality of all worlds: arrays have one row per world.
    ///
    /// Parameters
    /// ----------
    /// equality : str or int
    ///     Name or id.
    ///
    /// Returns
    /// -------
    /// Equality
    ///     A stiction.Equality, which can be switched on and off.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn equality<'py>(slf: &Bound<'py, Self>, equality: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Equality", named::equality(slf.py(), slf.get().model.get(), equality)?)
    }
}
