//! Bodies, joints, geoms, actuators, sites, cameras and equalities of a simulation, by name or id.

use super::Simulation;
use crate::named;
use pyo3::prelude::*;

#[pymethods]
impl Simulation {
    /// A body of this simulation.
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
        named::handle(slf.as_any(), "Body", named::body(slf.py(), slf.get().model_of(), body)?)
    }

    /// A joint of this simulation.
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
        named::handle(slf.as_any(), "Joint", named::joint(slf.py(), slf.get().model_of(), joint)?)
    }

    /// A geom of this simulation.
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
        named::handle(slf.as_any(), "Geom", named::geom_info(slf.py(), slf.get().model_of(), geom)?)
    }

    /// An actuator of this simulation.
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
        named::handle(slf.as_any(), "Actuator", named::actuator(slf.py(), slf.get().model_of(), actuator)?)
    }

    /// A site of this simulation.
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
        named::handle(slf.as_any(), "Site", named::site(slf.py(), slf.get().model_of(), site)?)
    }

    /// A camera of this simulation.
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
        named::handle(slf.as_any(), "Camera", named::camera(slf.py(), slf.get().model_of(), camera)?)
    }

    /// An equality of this simulation.
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
        named::handle(slf.as_any(), "Equality", named::equality(slf.py(), slf.get().model_of(), equality)?)
    }
}
