//! Worlds that differ from each other.

use super::Batch;
use crate::changes::{self, Changes};
use crate::errors::{InputError, detached, load_error};
use crate::frames::read_only;
use crate::indices::{indices, whole};
use crate::shared::Rows;
use crate::stepping::uninterrupted;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::Variation;

/// Varies worlds while Ctrl-C is looked for; then nothing changes.
fn vary(py: Python<'_>, batch: &mut stiction::Batch, changes: &[(usize, Variation)]) -> PyResult<()> {
    let mut raised = None;
    let outcome = detached(py, || batch.vary_watched(changes, &mut uninterrupted(&mut raised)))?;
    outcome.map_err(load_error)?;
    raised.map_or(Ok(()), Err)
}

#[pymethods]
impl Batch {
    /// Changes worlds from the next step on: gravity, masses, contact properties, sizes, damping, gains, and which contacts and
    /// equalities act.
    ///
    /// Parameters
    /// ----------
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    /// gravity, mass, friction, … : array_like or dict, optional
    ///     As for Model.varied; in place of a number there may be an array with one number per chosen world (gravity: one row). Earlier
    ///     changes stay in effect.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For a change that is not possible.
    /// ValueError
    ///     For a wrong name or number; then nothing changes.
    ///
    /// Notes
    /// -----
    ///     batch.vary(friction={"floor": np.linspace(0.2, 1.0, batch.n)}, damping={"*": 0.1})
    ///
    /// Worlds that differ share only the equal parts of their models: meshes, solids, and trees of bodies with the same masses and
    /// gravity.
    #[pyo3(
        signature = (indices=None, **changes),
        text_signature = "($self, indices=None, *, gravity=None, mass=None, friction=None, static_friction=None, \
                          stiffness=None, dissipation=None, relaxation_time=None, modulus=None, restitution=None, size=None, \
                          collides=None, damping=None, friction_loss=None, armature=None, kp=None, kv=None, strength=None, active=None)"
    )]
    fn vary(
        &self,
        py: Python<'_>,
        indices: Option<&Bound<'_, PyAny>>,
        changes: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let changes = Changes::read(self.model.get(), changes, chosen.len())?;
        let rows: Vec<_> =
            chosen.iter().enumerate().map(|(k, &world)| (world, changes.variation(k))).collect();
        vary(py, &mut inner, &rows)
    }

    /// Acceleration of gravity in the worlds, m/s², shape (n, 3), read-only; may be set, by one row for all worlds or one for each.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        let rows = Rows::collect(py, inner.len(), 3, |world, row| {
            row.copy_from_slice(inner.world(world).model().world().options.gravity.as_slice());
        })?;
        read_only(rows.into_any())
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let changes = PyDict::new(py);
        changes.set_item("gravity", values)?;
        if values.is_none() {
            return Err(InputError::new_err("gravity is None: give three numbers, m/s²"));
        }
        self.vary(py, None, Some(&changes))
    }

    /// Draws masses, friction, stiffness, sizes, damping, gains and others for each world at random: domain randomisation.
    ///
    /// Parameters
    /// ----------
    /// seed : int
    ///     An integer. The value for a body or geom of a world depends only on the seed, the world's number and that quantity, not on
    ///     the number of worlds or on other quantities.
    /// indices : int or array_like, optional
    ///     Which worlds, as numbers or as an array of n booleans; all by default.
    /// mass : dict, optional
    ///     Dict from bodies (names or ids, "*" for each of them) to a range of factors on the model's value: (low, high), uniform, or
    ///     (low, high, "log"), log-uniform. Rotational inertia is scaled too.
    /// friction, stiffness, dissipation, size : dict, optional
    ///     The same for geoms. Static and dynamic friction have the same factor; stiffness is that of point contact and of the pressure
    ///     field; size is of primitive shapes (see Model.varied).
    /// damping, friction_loss, armature : dict, optional
    ///     The same for joints.
    /// kp, kv, strength : dict, optional
    ///     The same for actuators.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For a change that is not possible.
    /// ValueError
    ///     For a wrong name or range; then nothing changes.
    ///
    /// Examples
    /// --------
    ///     batch.randomize(seed=7, mass={"cube": (0.8, 1.2)}, friction={"*": (0.5, 2.0, "log")})
    ///     batch.parameters["mass"]["cube"]        # the values drawn, kg, shape (n,)
    #[pyo3(
        signature = (seed, indices=None, **ranges),
        text_signature = "($self, seed, indices=None, *, mass=None, friction=None, stiffness=None, dissipation=None, size=None, \
                          damping=None, friction_loss=None, armature=None, kp=None, kv=None, strength=None)"
    )]
    fn randomize(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: usize,
        indices: Option<&Bound<'_, PyAny>>,
        ranges: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let ranges = changes::ranges(self.model.get(), ranges)?;
        let changes = inner.drawn(&chosen, seed as u64, &ranges);
        vary(py, &mut inner, &changes)
    }

    /// Properties that vary and randomize changed: a dict from quantity to a dict from the name of a body, geom, joint, actuator
    /// or equality to a read-only array of shape (n,), in the units of Model.varied (mass in kg, stiffness in N/m, size as a
    /// factor, collides and active as 0 or 1…); gravity, if it was changed, is an array of shape (n, 3).
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let variations: Vec<_> = (0..inner.len()).map(|world| inner.variation(world).clone()).collect();
        let models: Vec<_> = (0..inner.len()).map(|world| inner.world(world).model().clone()).collect();
        changes::parameters(py, inner.model(), &variations, &models)
    }
}
