//! Results of the last step and of the present state.

use super::Simulation;
use crate::contacts::{body_contacts, contact_bodies, contact_force_class, structured};
use crate::frames::read_only;
use crate::learned_contact::report_tuple;
use crate::patches::patch_list;
use crate::stats::stats_dict;
use crate::tuples::{energy_tuple, readings, warning_tuples};
use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

#[pymethods]
impl Simulation {
    /// Contact points of the last step, one row each, as a structured array ordered by geom pair:
    /// geom_a, geom_b, body_a, body_b (ids), position (m, in the world, at the beginning of the step),
    /// normal (from a into b), force (N, in world axes, on body b), penetration (m, negative while
    /// apart), slip (m/s, in world axes, b relative to a), sticking.
    /// A copy; empty before the first step and after reset or load_state.
    #[getter]
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        structured(py, self.lock()?.contacts())
    }

    /// Contact of the last step by pairs of bodies, one row each, as a structured array ordered by pair: body_a, body_b (ids, a
    /// below b), force (N, on body b in world axes), torque (N m, on b about the origin of its frame at the beginning of the
    /// step), normal_force (N, the sum of what presses at all points), points and patches (how many). A copy; empty before the
    /// first step and after reset or load_state.
    #[getter]
    fn body_contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        body_contacts(py, &self.lock()?.body_contacts())
    }

    /// Contact force and torque on a body in the last step.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// other : str or int, optional
    ///     Body that exerts it, name or id; None for all bodies together.
    ///
    /// Returns
    /// -------
    /// ContactForce
    ///     A stiction.ContactForce: force (N) and torque (N m, about the body's origin), shape (3,), in world axes.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(signature = (body, other=None))]
    fn contact_force<'py>(
        &self,
        py: Python<'py>,
        body: &Bound<'py, PyAny>,
        other: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (body, other) = contact_bodies(self.model.get(), body, other)?;
        let (force, torque) = self.lock()?.contact_wrench(body, other);
        let three = |v: Vector3<f64>| read_only(PyArray1::from_slice(py, v.as_slice()).into_any());
        contact_force_class(py)?.call1((three(force)?, three(torque)?))
    }

    /// Contact patches of the last step, a list of stiction.ContactPatch, one for each geom pair with a
    /// compliant geom: polygons, pressure, forces, tractions and slip. See help(stiction.ContactPatch).
    /// A copy; empty before the first step and after reset or load_state.
    #[getter]
    fn patches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        patch_list(py, &self.lock()?.patches())
    }

    /// Reasons since construction why contact patches are unreliable, once for each geom pair, as a
    /// list of stiction.ModelWarning: the core of a pressure field was reached (a thin or soft body
    /// under too much load), or a body lies completely inside another. Also about bodies that passed through each other, and
    /// about runs that make no sense: a body that fell below everything or left the model far behind, absurd velocities, a step
    /// longer than what falls through. And one for each equality between bodies that misses its target in the last step, with
    /// its error.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        warning_tuples(py, &self.lock()?.warnings())
    }

    /// Report of a data-augmented law for the last step, a stiction.LearnedReport: action ("static", "dynamic", "detach",
    /// or None without contact), outside (None, or the first quantity outside its training range), converged,
    /// outside_steps (since construction). None without such a law.
    #[getter]
    fn learned<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.lock()?.learned_report().map(|report| report_tuple(py, report)).transpose()
    }

    /// Counts and times since construction, as a dict: steps, rejected (steps that error control
    /// rejected), iterations (Newton, all steps together),
    /// max_iterations (in one step), unconverged (steps that did not reach their tolerance),
    /// line_search_evaluations, friction_passes, points, patches and faces (summed over steps), doubtful_patches (see
    /// warnings), speculative (contacts of bodies that would have passed through each other), held_back (bodies or trees that
    /// moved less far than their velocities say, for the same reason), passed (pairs that nothing could hold),
    /// capped (contacts with less than their stiffness), found (overlaps deeper than forces had pushed them) and max_found (m),
    /// missed_equalities (summed over steps, see warnings), max_gap (m) and max_angle (rad) of equalities, last_iterations,
    /// last_points, last_patches, last_faces, max_penetration (m), friction_loss and
    /// normal_loss (J), dissipated (by contact) and other_work (of all but contact, gravity and joint springs; both J and in
    /// continuous time only), min_step and max_step (s), and seconds, a dict by stage of the step:
    /// kinematics, proximity, assemble, solve, advance.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        stats_dict(py, self.lock()?.stats())
    }

    /// Readings of all sensors, a dict from name to array: positions and velocities of the present state,
    /// accelerations and forces of the last step (zero before the first); m, rad, m/s, rad/s, m/s², N and N m.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        readings(py, &self.model.get().inner, inner.sensors())
    }

    /// Kinetic and potential energy of the present state, J: a stiction.Energy (kinetic, potential) with .total.
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        energy_tuple(py, &inner.energy())
    }
}
