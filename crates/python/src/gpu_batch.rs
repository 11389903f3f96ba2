//! `stiction.GpuBatch`: many worlds of one model on a GPU.

use crate::arrays::{numbers_of, shape_text};
use crate::errors::{BusyError, InputError, SimulationError, detached, option_error};
use crate::indices::{indices, maybe_whole, whole};
use crate::model::Model;
use crate::options::{keywords, options};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard};
use stiction_gpu::{Device, GpuError, Room};

/// Many worlds of one model, stepped together on an NVIDIA GPU.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model, shared by all worlds.
/// n : int
///     Number of worlds. They begin at the model's default state at time 0.
/// device : int or str, optional
///     Number of the GPU; or "host", which steps with the same kernels on the processor, to test and to compare.
/// contacts : int, optional
///     Most contact points of a world at a time; by default six for each geom and 32.
/// step, friction_passes, … : float, optional
///     The options of Simulation. speculative=False must be given, since the GPU does not examine the motion between steps.
///
/// Raises
/// ------
/// ValueError
///     For a model or options that the GPU does not support, with the whole list.
/// SimulationError
///     Without a GPU, its driver or NVRTC.
///
/// Notes
/// -----
/// One step of a world solves the same problem to the same tolerance as a step of Simulation, in double precision. Reading or
/// setting qpos, qvel and ctrl copies; on_device gives the arrays on the GPU to PyTorch, CuPy and JAX without a copy:
///
///     batch = st.GpuBatch(model, 4096, speculative=False)
///     qpos = torch.as_tensor(batch.on_device("qpos"), device="cuda")
///     for _ in range(100):
///         batch.ctrl = policy(batch.qpos, batch.qvel)
///         report = batch.step(10)
#[pyclass(frozen, module = "stiction")]
pub struct GpuBatch {
    model: Py<Model>,
    inner: Mutex<stiction_gpu::GpuBatch>,
}

/// An array in a GPU's memory, for programs that read `__cuda_array_interface__`.
#[pyclass(frozen, module = "stiction")]
struct DeviceArray {
    /// Keeps the memory.
    _batch: Py<GpuBatch>,
    shape: (usize, usize),
    address: u64,
}

#[pymethods]
impl DeviceArray {
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("shape", self.shape)?;
        dict.set_item("typestr", "<f8")?;
        dict.set_item("data", (self.address, false))?;
        dict.set_item("version", 3)?;
        dict.set_item("stream", 1)?; // the default one, on which steps run
        Ok(dict)
    }
}

fn gpu_error(error: GpuError) -> PyErr {
    match error {
        GpuError::Unsupported(error) => option_error(error),
        GpuError::Memory { .. } => PyMemoryError::new_err(error.to_string()),
        GpuError::Length { .. } | GpuError::World(_) => InputError::new_err(error.to_string()),
        other => SimulationError::new_err(other.to_string()),
    }
}

#[pymethods]
impl GpuBatch {
    #[new]
    #[pyo3(
        signature = (model, n, *, device=None, contacts=None, step=None, **options),
        text_signature = "(model, n, *, device=None, contacts=None, step=None, contact='lagged', contact_from='stiction', \
                          stiction_tolerance=1e-4, regularization=1e-3, relative_tolerance=1e-5, margin=0.0, normal_law='linear', \
                          speculative=True, tangential_springs='auto', max_iterations=2000, friction_passes=2, \
                          tessellation='polygons', accuracy=None, max_step=0.1, method='convex', integrator='radau', adhesion=0.0)"
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        #[pyo3(from_py_with = whole)] n: usize,
        device: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = maybe_whole)] contacts: Option<usize>,
        step: Option<f64>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = self::options(&model.get().inner, step, options)?;
        let device = match device {
            None => Device::Gpu(0),
            Some(name) if name.extract::<String>().is_ok_and(|name| name == "host") => Device::Host,
            Some(number) => Device::Gpu(whole(number)?),
        };
        if device != Device::Host {
            py.import("stiction._gpu")?.call_method0("load_compiler")?;
        }
        let compiled = &model.get().inner;
        let make = || stiction_gpu::GpuBatch::new(compiled, n, options, device, Room { contacts });
        let inner = detached(py, make)?.map_err(gpu_error)?;
        Ok(Self { inner: Mutex::new(inner), model })
    }

    /// The model given at construction.
    #[getter]
    fn model(&self, py: Python<'_>) -> Py<Model> {
        self.model.clone_ref(py)
    }

    /// Number of worlds.
    #[getter]
    fn n(&self) -> PyResult<usize> {
        Ok(self.lock()?.len())
    }

    fn __len__(&self) -> PyResult<usize> {
        self.n()
    }

    /// The options as a dict: Simulation(batch.model, **batch.options) steps like one of the worlds.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        keywords(py, self.lock()?.options(), None)
    }

    /// Time of all worlds, s: that of their steps.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.time())
    }

    /// Performs n steps in every world and waits for them.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     Number of steps.
    ///
    /// Returns
    /// -------
    /// dict
    ///     unconverged: steps, over all worlds, whose solve did not reach its tolerance or that had no room, 0 if all is well;
    ///     not_finite: worlds that met a number that is not finite and stay in their last good states; no_room: worlds with more
    ///     contacts than they have room for; no_shape: worlds in which boxes apart by less than 10 µm met corner against corner,
    ///     whose points the kernels do not have; iterations and friction_passes, over all worlds and steps; contacts: points in the
    ///     last step, over all worlds.
    #[pyo3(signature = (n=1))]
    fn step<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] n: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut guard = self.lock()?;
        let inner = &mut *guard;
        let report = detached(py, || inner.step(n))?.map_err(gpu_error)?;
        let dict = PyDict::new(py);
        for (name, count) in [
            ("unconverged", report.unconverged),
            ("not_finite", report.not_finite),
            ("no_room", report.no_room),
            ("no_shape", report.no_shape),
            ("iterations", report.iterations),
            ("friction_passes", report.friction_passes),
            ("contacts", report.contacts),
        ] {
            dict.set_item(name, count)?;
        }
        Ok(dict)
    }

    /// Positions of all worlds, shape (n, nq), m or rad and quaternions with w first: a copy. Set it with such an array, or with one row for all worlds.
    #[getter]
    fn qpos<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (inner, nq) = (self.lock()?, self.model.get().inner.nq());
        rows(py, inner.positions().map_err(gpu_error)?, inner.len(), nq)
    }

    #[setter]
    fn set_qpos(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let values = wanted("qpos", values, inner.len(), self.model.get().inner.nq())?;
        inner.set_positions(&values).map_err(gpu_error)
    }

    /// Velocities of all worlds, shape (n, nv), m/s or rad/s: a copy. Set it with such an array, or with one row for all worlds.
    #[getter]
    fn qvel<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (inner, nv) = (self.lock()?, self.model.get().inner.nv());
        rows(py, inner.velocities().map_err(gpu_error)?, inner.len(), nv)
    }

    #[setter]
    fn set_qvel(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let values = wanted("qvel", values, inner.len(), self.model.get().inner.nv())?;
        inner.set_velocities(&values).map_err(gpu_error)
    }

    /// Controls of all worlds, shape (n, nu), in the units of the actuators: a copy. Set it with such an array, or with one row for all worlds; they are held.
    #[getter]
    fn ctrl<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (inner, nu) = (self.lock()?, self.model.get().inner.nu());
        rows(py, inner.controls().map_err(gpu_error)?, inner.len(), nu)
    }

    #[setter]
    fn set_ctrl(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let values = wanted("ctrl", values, inner.len(), self.model.get().inner.nu())?;
        inner.set_controls(&values).map_err(gpu_error)
    }

    /// Generalised forces applied to all worlds, shape (n, nv), N or N m: a copy. Set it with such an array, or with one row for all worlds.
    #[getter]
    fn applied<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (inner, nv) = (self.lock()?, self.model.get().inner.nv());
        rows(py, inner.applied().map_err(gpu_error)?, inner.len(), nv)
    }

    #[setter]
    fn set_applied(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let values = wanted("applied", values, inner.len(), self.model.get().inner.nv())?;
        inner.set_applied(&values).map_err(gpu_error)
    }

    /// Number of contact points of each world in the last step, shape (n,).
    #[getter]
    fn contact_counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        Ok(self.lock()?.contact_counts().map_err(gpu_error)?.into_pyarray(py))
    }

    /// Puts some worlds, or all, into the model's default state or a keyframe.
    ///
    /// Parameters
    /// ----------
    /// worlds : int, array_like, optional
    ///     Numbers of worlds, or an array of booleans; by default all.
    /// keyframe : str, optional
    ///     Name of a keyframe.
    #[pyo3(signature = (worlds=None, *, keyframe=None))]
    fn reset(&self, worlds: Option<&Bound<'_, PyAny>>, keyframe: Option<&str>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let model = &self.model.get().inner;
        let state = match keyframe {
            Some(name) => model.keyframe_state(name).map_err(crate::errors::input_error)?,
            None => model.default_state(),
        };
        for world in indices(worlds, inner.len())? {
            inner.set_state(world, &state).map_err(gpu_error)?;
        }
        Ok(())
    }

    /// An array of all worlds in the GPU's memory, which torch.as_tensor, cupy.asarray and others share without a copy.
    ///
    /// Steps run on the default stream. What another program writes there must be finished on that stream, too.
    ///
    /// Parameters
    /// ----------
    /// name : {"qpos", "qvel", "ctrl"}
    ///     Which.
    ///
    /// Returns
    /// -------
    /// object
    ///     With the attribute __cuda_array_interface__: 64-bit floats, one row per world.
    fn on_device(slf: Py<Self>, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let this = slf.get();
        let model = &this.model.get().inner;
        let (k, width) = match name {
            "qpos" => (0, model.nq()),
            "qvel" => (1, model.nv()),
            "ctrl" => (2, model.nu()),
            other => {
                return Err(InputError::new_err(format!(
                    "there is no array \"{other}\" on the device: choose qpos, qvel or ctrl"
                )));
            }
        };
        let (addresses, n) = {
            let inner = this.lock()?;
            (inner.addresses(), inner.len())
        };
        let Some(addresses) = addresses else {
            return Err(InputError::new_err(
                "these worlds are on the host: read qpos, or make the batch on a GPU",
            ));
        };
        let array = DeviceArray { _batch: slf.clone_ref(py), shape: (n, width), address: addresses[k] };
        Ok(Py::new(py, array)?.into_any())
    }
}

impl GpuBatch {
    fn lock(&self) -> PyResult<MutexGuard<'_, stiction_gpu::GpuBatch>> {
        self.inner
            .try_lock()
            .map_err(|_| BusyError::new_err("another thread is stepping this batch: wait until it is done"))
    }
}

fn rows(py: Python<'_>, values: Vec<f64>, n: usize, width: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    values.into_pyarray(py).reshape([n, width])
}

/// Finite numbers for all worlds: a row each, or one for all.
fn wanted(what: &'static str, values: &Bound<'_, PyAny>, n: usize, width: usize) -> PyResult<Vec<f64>> {
    let (shape, data) = numbers_of(what, values)?;
    let data = match *shape {
        [rows, columns] if (rows, columns) == (n, width) => data,
        [columns] if columns == width => data.repeat(n),
        _ => {
            return Err(InputError::new_err(format!(
                "{what} has shape {}: give ({n}, {width}), or ({width},) for all worlds",
                shape_text(&shape)
            )));
        }
    };
    match data.iter().position(|x| !x.is_finite()) {
        None => Ok(data),
        Some(at) => Err(InputError::new_err(format!("{what} is {} at {at}: give finite numbers", data[at]))),
    }
}
