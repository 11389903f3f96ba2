//! What worlds tell of the last step and of the present state.

use super::Batch;
use crate::contacts::{body_contacts, contact_bodies, contact_force_class, structured};
use crate::frames::read_only;
use crate::indices::index;
use crate::patches::patch_list;
use crate::shared::Rows;
use crate::stats::stats_dict;
use crate::tuples::{energy_class, warning_tuples};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stiction::Stats;
use stiction::model::Warning;

#[pymethods]
impl Batch {
    /// Changes that vary and randomize could not make completely, and the warnings of Simulation.warnings in any of the worlds, each
    /// once: a list of stiction.ModelWarning.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let inner = self.lock()?;
        let known = inner.model().warnings().len();
        let mut found: Vec<Warning> = Vec::new();
        for world in 0..inner.len() {
            let world = inner.world(world);
            let of_model = world.model().warnings()[known..].iter().cloned();
            for warning in of_model.chain(world.warnings()) {
                if !found.iter().any(|w| w.message == warning.message) {
                    found.push(warning);
                }
            }
        }
        warning_tuples(py, &found)
    }

    /// Which worlds could not complete the last call of step or run_until, shape (n,), booleans.
    #[getter]
    fn failed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        read_only(PyArray1::from_iter(py, (0..inner.len()).map(|i| inner.failure(i).is_some())).into_any())
    }

    /// Contact points of the last step, world by world: batch.contacts[world] is a structured array, see Simulation.contacts. An
    /// unknown world raises IndexError. (batch.contacts(world) is deprecated.)
    #[getter]
    fn contacts<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        per_world(slf, "contacts")
    }

    /// Contact patches of the last step, world by world: batch.patches[world] is a list, see Simulation.patches. An unknown world
    /// raises IndexError. (batch.patches(world) is deprecated.)
    #[getter]
    fn patches<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        per_world(slf, "patches")
    }

    /// Contact of the last step by pairs of bodies, world by world: batch.body_contacts[world] is a structured array, see
    /// Simulation.body_contacts. An unknown world raises IndexError.
    #[getter]
    fn body_contacts<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        per_world(slf, "body_contacts")
    }

    /// Counts and times since construction, a dict like Simulation.stats with arrays of shape (n,) in place of numbers.
    /// (batch.stats() and batch.stats(world), which give sums over the worlds and one world's, are deprecated.)
    #[getter]
    fn stats<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let rows = PyList::empty(py);
        let inner = this.lock()?;
        for world in 0..inner.len() {
            rows.append(stats_dict(py, inner.world(world).stats())?)?;
        }
        let of_all = stats_dict(py, &Stats::default())?;
        drop(inner);
        batch_class(py, "BatchStats")?.call1((slf, rows, of_all))
    }

    /// One of contacts, patches and body_contacts of a world.
    fn _of_world<'py>(
        &self,
        py: Python<'py>,
        what: &str,
        world: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        let world = inner.world(index(world, inner.len())?);
        match what {
            "contacts" => structured(py, world.contacts()),
            "patches" => Ok(patch_list(py, &world.patches())?.into_any()),
            _ => body_contacts(py, &world.body_contacts()),
        }
    }

    /// Counts and times of one world, or of all together.
    #[pyo3(signature = (world=None))]
    fn _stats<'py>(
        &self,
        py: Python<'py>,
        world: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let mut stats = Stats::default();
        match world {
            Some(world) => stats = *inner.world(index(world, inner.len())?).stats(),
            None => (0..inner.len()).for_each(|world| stats.merge(inner.world(world).stats())),
        }
        stats_dict(py, &stats)
    }

    /// Contact forces and torques on a body in the last step, in all worlds.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id.
    /// other : str or int, optional
    ///     Body that exerts them, name or id; None for all bodies together.
    ///
    /// Returns
    /// -------
    /// ContactForce
    ///     A stiction.ContactForce: force (N) and torque (N m, about the body's origin), shape (n, 3), in world axes.
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
        let inner = self.lock()?;
        let all: Vec<_> = (0..inner.len()).map(|w| inner.world(w).contact_wrench(body, other)).collect();
        let force = Rows::collect(py, all.len(), 3, |w, row| row.copy_from_slice(all[w].0.as_slice()))?;
        let torque = Rows::collect(py, all.len(), 3, |w, row| row.copy_from_slice(all[w].1.as_slice()))?;
        contact_force_class(py)?.call1((read_only(force.into_any())?, read_only(torque.into_any())?))
    }

    /// Readings of all sensors, a dict from name to array of shape (n, numbers of the sensor), SI: see Simulation.sensors.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let model = inner.model();
        let (count, n) = (model.sensor_count(), inner.len());
        let mut readings = Vec::with_capacity(n * count);
        for world in 0..n {
            readings.extend_from_slice(inner.world(world).sensors());
        }
        let dict = PyDict::new(py);
        for (k, sensor) in model.world().sensors.iter().enumerate() {
            let range = model.sensor_range(k);
            let rows = Rows::collect(py, n, range.len(), |world, row| {
                row.copy_from_slice(&readings[world * count..][range.clone()]);
            })?;
            dict.set_item(&sensor.name, read_only(rows.into_any())?)?;
        }
        Ok(dict)
    }

    /// Kinetic and potential energy of all worlds, J: a stiction.Energy of arrays of shape (n,).
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let energies: Vec<_> = (0..inner.len()).map(|world| inner.world(world).energy()).collect();
        let kinetic = PyArray1::from_iter(py, energies.iter().map(|e| e.kinetic));
        let potential = PyArray1::from_iter(py, energies.iter().map(|e| e.potential));
        energy_class(py)?.call1((read_only(kinetic.into_any())?, read_only(potential.into_any())?))
    }
}

/// A class of `stiction._batch`.
fn batch_class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("stiction._batch")?.getattr(name)
}

/// Results by world, made when they are asked for.
fn per_world<'py>(batch: &Bound<'py, Batch>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    batch_class(batch.py(), "PerWorld")?.call1((batch, what))
}
