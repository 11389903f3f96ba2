//! Worlds that differ from each other.

use super::Batch;
use crate::changes::{self, Changes};
use crate::errors::load_error;
use crate::indices::{indices, whole};
use pyo3::prelude::*;
use pyo3::types::PyDict;

#[pymethods]
impl Batch {
    /// Changes worlds from the next step on: gravity, masses, contact properties, sizes.
    ///
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    /// gravity, mass, friction, …: as for Model.varied; in place of a number there may be an array with one number per chosen
    ///     world (gravity: one row). Earlier changes stay in effect.
    ///
    ///     batch.vary(friction={"floor": np.linspace(0.2, 1.0, batch.n)})
    ///
    /// Worlds that differ share only the equal parts of their models: meshes, solids, and trees of bodies with the same masses
    /// and gravity.
    ///
    /// Raises ModelError for a change that is not possible, ValueError for a wrong name or number; then nothing changes.
    #[pyo3(
        signature = (indices=None, **changes),
        text_signature = "($self, indices=None, *, gravity=None, mass=None, friction=None, static_friction=None, \
                          stiffness=None, dissipation=None, relaxation_time=None, modulus=None, size=None)"
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
        let batch = &mut *inner;
        py.detach(|| batch.vary(&rows)).map_err(load_error)
    }

    /// Draws masses, friction, stiffness, dissipation and sizes for each world at random: domain randomisation.
    ///
    /// seed: an integer. The value for a body or geom of a world depends only on the seed, the world's number and that
    ///     quantity, not on the number of worlds or on other quantities.
    /// indices: which worlds, as numbers or as an array of n booleans; all by default.
    /// mass: dict from bodies (names or ids, "*" for each of them) to a range of factors on the model's value: (low, high),
    ///     uniform, or (low, high, "log"), log-uniform. Rotational inertia is scaled too.
    /// friction, stiffness, dissipation, size: the same for geoms. Static and dynamic friction have the same factor;
    ///     stiffness is that of point contact and of the pressure field; size is of primitive shapes (see Model.varied).
    ///
    ///     batch.randomize(seed=7, mass={"cube": (0.8, 1.2)}, friction={"*": (0.5, 2.0, "log")})
    ///     batch.parameters["mass"]["cube"]        # the values drawn, kg, shape (n,)
    ///
    /// Raises ModelError for a change that is not possible, ValueError for a wrong name or range; then nothing changes.
    #[pyo3(signature = (seed, indices=None, *, mass=None, friction=None, stiffness=None, dissipation=None, size=None))]
    fn randomize(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: usize,
        indices: Option<&Bound<'_, PyAny>>,
        mass: Option<&Bound<'_, PyAny>>,
        friction: Option<&Bound<'_, PyAny>>,
        stiffness: Option<&Bound<'_, PyAny>>,
        dissipation: Option<&Bound<'_, PyAny>>,
        size: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = self::indices(indices, inner.len())?;
        let given = PyDict::new(py);
        for (kind, value) in [
            ("mass", mass),
            ("friction", friction),
            ("stiffness", stiffness),
            ("dissipation", dissipation),
            ("size", size),
        ] {
            given.set_item(kind, value)?;
        }
        let ranges = changes::ranges(self.model.get(), Some(&given))?;
        let batch = &mut *inner;
        py.detach(|| batch.randomize(&chosen, seed as u64, &ranges)).map_err(load_error)
    }

    /// Properties that vary and randomize changed: a dict from quantity to a dict from the name of a body or geom
    /// to an array of shape (n,), in the units of Model.varied (mass in kg, stiffness in N/m, size as a factor…); gravity, if
    /// it was changed, is an array of shape (n, 3).
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let variations: Vec<_> = (0..inner.len()).map(|world| inner.variation(world).clone()).collect();
        let models: Vec<_> = (0..inner.len()).map(|world| inner.world(world).model().clone()).collect();
        changes::parameters(py, inner.model(), &variations, &models)
    }
}
