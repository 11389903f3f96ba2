//! What worlds tell of the last step and of the present state.

use super::Batch;
use crate::contacts::structured;
use crate::indices::index;
use crate::patches::patch_list;
use crate::shared::Rows;
use crate::stats::stats_dict;
use crate::tuples::{energy_class, pose_class, warning_tuples};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use stiction::Stats;
use stiction::model::Warning;

#[pymethods]
impl Batch {
    /// Changes that vary and randomize could not make completely, and reasons why contact patches are unreliable, in any of the
    /// worlds, each once: a list of stiction.ModelWarning.
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
    fn failed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inner = self.lock()?;
        Ok(PyArray1::from_iter(py, (0..inner.len()).map(|i| inner.failure(i).is_some())))
    }

    /// Contact points of a world's last step.
    ///
    /// world: number of the world. Returns a structured array: see Simulation.contacts. Raises IndexError for an unknown world.
    fn contacts<'py>(&self, py: Python<'py>, world: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let inner = self.lock()?;
        structured(py, inner.world(index(world, inner.len())?).contacts())
    }

    /// Contact patches of a world's last step.
    ///
    /// world: number of the world. Returns a list: see Simulation.patches. Raises IndexError for an unknown world.
    fn patches<'py>(&self, py: Python<'py>, world: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let inner = self.lock()?;
        patch_list(py, &inner.world(index(world, inner.len())?).patches())
    }

    /// Counts and times since construction, of one world or of all together.
    ///
    /// world: number of the world; None for all.
    ///
    /// Returns a dict: see Simulation.stats. For all worlds, counts, energies and seconds are summed, also over threads that run
    /// at the same time; minima and maxima are over the worlds. Raises IndexError for an unknown world.
    #[pyo3(signature = (world=None))]
    fn stats<'py>(&self, py: Python<'py>, world: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let mut stats = Stats::default();
        match world {
            Some(world) => stats = *inner.world(index(world, inner.len())?).stats(),
            None => (0..inner.len()).for_each(|world| stats.merge(inner.world(world).stats())),
        }
        stats_dict(py, &stats)
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
            dict.set_item(&sensor.name, rows)?;
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
        energy_class(py)?.call1((kinetic, PyArray1::from_iter(py, energies.iter().map(|e| e.potential))))
    }

    /// Poses of a body in all worlds.
    ///
    /// body: name or id. Returns a stiction.BodyPose of positions in the world, shape (n, 3), m, and quaternions with w first,
    /// shape (n, 4). Raises ValueError for an unknown name.
    fn body_pose<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let body = self.model.get().body(body)?;
        let inner = self.lock()?;
        self.push(py, &inner)?;
        let poses: Vec<_> = (0..inner.len()).map(|world| inner.world(world).poses()[body]).collect();
        let positions = Rows::collect(py, poses.len(), 3, |world, row| {
            row.copy_from_slice(poses[world].translation.vector.as_slice());
        })?;
        let quaternions = Rows::collect(py, poses.len(), 4, |world, row| {
            let r = &poses[world].rotation;
            row.copy_from_slice(&[r.w, r.i, r.j, r.k]);
        })?;
        pose_class(py)?.call1((positions, quaternions))
    }
}
