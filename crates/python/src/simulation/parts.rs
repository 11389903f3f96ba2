//! Bodies, joints, geoms and actuators of a simulation, by name or id.

use super::Simulation;
use crate::named;
use pyo3::prelude::*;

#[pymethods]
impl Simulation {
    /// A body of this simulation.
    ///
    /// body: name or id. Returns a stiction.Body with position, quaternion, velocity, mass, apply_force. Raises ValueError for
    /// an unknown name.
    fn body<'py>(slf: &Bound<'py, Self>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Body", named::body(slf.py(), slf.get().model_of(), body)?)
    }

    /// A joint of this simulation.
    ///
    /// joint: name or id. Returns a stiction.Joint with qpos, qvel and applied as writable views (m or rad, m/s or rad/s, N or
    /// N m). Raises ValueError for an unknown name.
    fn joint<'py>(slf: &Bound<'py, Self>, joint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Joint", named::joint(slf.py(), slf.get().model_of(), joint)?)
    }

    /// A geom of this simulation.
    ///
    /// geom: name or id. Returns a stiction.Geom with contact properties that may be set. Raises ValueError for an unknown name.
    fn geom<'py>(slf: &Bound<'py, Self>, geom: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Geom", named::geom_info(slf.py(), slf.get().model_of(), geom)?)
    }

    /// An actuator of this simulation.
    ///
    /// actuator: name or id. Returns a stiction.Actuator with its control. Raises ValueError for an unknown name.
    fn actuator<'py>(slf: &Bound<'py, Self>, actuator: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        named::handle(slf.as_any(), "Actuator", named::actuator(slf.py(), slf.get().model_of(), actuator)?)
    }
}
