//! `stiction.Measured`: what a controller may read besides the state.

use super::Array;
use crate::arrays::vector;
use crate::errors::{InputError, InputIndexError, input_error};
use crate::indices::whole;
use crate::tactile::{Felt, felt};
use nalgebra::Vector3;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyList;
use std::sync::{Mutex, PoisonError};
use stiction::control::{Part, Touch};
use stiction::{Sample, TactileImage};

/// Measurements for a controller: sensors at its sample, and contact forces (N) and torques (N m) of the previous step,
/// averages over that step. Zero before the first step.
#[pyclass(frozen, module = "stiction")]
pub struct Measured {
    model: stiction::Model,
    sensors: Vec<f64>,
    joint_torques: Vec<f64>,
    touches: Vec<Touch>,
    /// Bodies asked for, and the wrenches at their mounts.
    wrenches: Vec<(usize, [f64; 6])>,
    skins: Vec<TactileImage>,
    /// Its own memory, and those of all controllers as they stand.
    memory: Mutex<Vec<f64>>,
    memories: Vec<Vec<f64>>,
}

impl Measured {
    /// Of a sample, for a controller that asked for everything, for `bodies` and for so many skins.
    pub fn of(
        sample: &Sample<'_>,
        bodies: &[usize],
        skins: usize,
        controllers: usize,
        memory: &[f64],
    ) -> Result<Self, String> {
        let wrench = |&body: &usize| Ok((body, sample.wrench(body)?));
        Ok(Self {
            model: sample.model.clone(),
            sensors: sample.sensors()?.to_vec(),
            joint_torques: sample.joint_torques()?.to_vec(),
            touches: sample.touches()?.to_vec(),
            wrenches: bodies.iter().map(wrench).collect::<Result<_, String>>()?,
            skins: (0..skins).map(|k| sample.skin(k).cloned()).collect::<Result<_, String>>()?,
            memory: Mutex::new(memory.to_vec()),
            memories: (0..controllers).map(|k| sample.memory_of(k).to_vec()).collect(),
        })
    }

    /// What the controller left in its memory.
    pub fn take_memory(&self) -> Vec<f64> {
        std::mem::take(&mut *self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A body's name, or else a geom's; None for anything.
    fn part(&self, name: Option<&str>) -> PyResult<Part> {
        name.map_or(Ok(Part::Any), |name| part(&self.model, name))
    }

    fn sum<T: std::iter::Sum<T>>(
        &self,
        part: &str,
        other: Option<&str>,
        value: impl Fn(Touch) -> T,
    ) -> PyResult<T> {
        let (part, other) = (self.part(Some(part))?, self.part(other)?);
        Ok(self.touches.iter().filter_map(|t| t.seen_from(part, other)).map(value).sum())
    }
}

#[pymethods]
impl Measured {
    /// Readings of all sensors in the model's order, shape (nsensordata,), SI units.
    #[getter]
    fn sensors<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.sensors)
    }

    /// Reading of one sensor.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     Name of the sensor.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     An array, SI units.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    fn sensor<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Array<'py>> {
        let index = self.model.sensor_index(name).map_err(input_error)?;
        Ok(PyArray1::from_slice(py, &self.sensors[self.model.sensor_range(index)]))
    }

    /// Actuator forces along each velocity coordinate, shape (nv,), N or N m.
    #[getter]
    fn joint_torques<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.joint_torques)
    }

    /// Contact force on a body or geom.
    ///
    /// Parameters
    /// ----------
    /// part : str
    ///     Name of a body or geom; a body has precedence.
    /// other : str, optional
    ///     Name of the body or geom that exerts the force; None for all.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Shape (3,), N in world axes.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(signature = (part, other=None))]
    fn force<'py>(&self, py: Python<'py>, part: &str, other: Option<&str>) -> PyResult<Array<'py>> {
        let force: Vector3<f64> = self.sum(part, other, |touch| touch.force)?;
        Ok(PyArray1::from_slice(py, force.as_slice()))
    }

    /// Sum of the normal contact forces on a body or geom.
    ///
    /// Parameters
    /// ----------
    /// part, other : str
    ///     As for force.
    ///
    /// Returns
    /// -------
    /// float
    ///     N.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(signature = (part, other=None))]
    fn normal_force(&self, part: &str, other: Option<&str>) -> PyResult<f64> {
        self.sum(part, other, |touch| touch.normal_force)
    }

    /// Contact area between two parts; contact points have none.
    ///
    /// Parameters
    /// ----------
    /// part, other : str
    ///     As for force.
    ///
    /// Returns
    /// -------
    /// float
    ///     m².
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown name.
    #[pyo3(signature = (part, other=None))]
    fn area(&self, part: &str, other: Option<&str>) -> PyResult<f64> {
        self.sum(part, other, |touch| touch.area)
    }

    /// Moment and force that the parent of a body exerted on it: a force-torque sensor at its mount.
    ///
    /// Parameters
    /// ----------
    /// body : str or int
    ///     Name or id, one of the wrenches given to add_controller.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     [moment; force] about the body's origin in the body's axes, shape (6,), N m and N.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a body that was not given to add_controller.
    fn wrench<'py>(&self, py: Python<'py>, body: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let index = crate::model::body_of(&self.model, body)?;
        let found = self.wrenches.iter().find(|(known, _)| *known == index);
        let Some((_, wrench)) = found else {
            let name = &self.model.world().bodies[index].name;
            return Err(InputError::new_err(format!(
                "the wrench at \"{name}\" is not measured: name it in wrenches=[…] of add_controller"
            )));
        };
        Ok(PyArray1::from_slice(py, wrench))
    }

    /// Reading of a tactile grid, as of TactileGrid.sample.
    ///
    /// Parameters
    /// ----------
    /// k : int
    ///     Number of the grid among the skins given to add_controller.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray
    ///     Pressure (rows, columns) and shear (rows, columns, 2), Pa.
    ///
    /// Raises
    /// ------
    /// IndexError
    ///     For an unknown number.
    fn skin<'py>(&self, py: Python<'py>, #[pyo3(from_py_with = whole)] k: usize) -> PyResult<Felt<'py>> {
        let Some(image) = self.skins.get(k) else {
            return Err(InputIndexError::new_err(format!(
                "there is no skin {k}, there are {}: give them as skins=[…] of add_controller",
                self.skins.len()
            )));
        };
        felt(py, image.clone())
    }

    /// The controller's memory from sample to sample: an array of any length, empty at first. Assign an array to change it. It
    /// is part of the state: a saved simulation continues with it.
    #[getter]
    fn memory<'py>(&self, py: Python<'py>) -> Array<'py> {
        PyArray1::from_slice(py, &self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[setter]
    fn set_memory(&self, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = vector("memory", values)?;
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let text = format!("memory[{at}] is {}: give finite numbers", values[at]);
            return Err(InputError::new_err(text));
        }
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = values.to_vec();
        Ok(())
    }

    /// Memory of another controller.
    ///
    /// Parameters
    /// ----------
    /// number : int
    ///     As returned by add_controller.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     An array.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown number.
    fn memory_of<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] number: usize,
    ) -> PyResult<Array<'py>> {
        match self.memories.get(number) {
            Some(memory) => Ok(PyArray1::from_slice(py, memory)),
            None => Err(InputIndexError::new_err(format!(
                "there is no controller {number}: they go from 0 to {}",
                self.memories.len().saturating_sub(1)
            ))),
        }
    }

    /// Contacts of the previous step: one stiction.Touch for each pair of geoms with a contact force.
    #[getter]
    fn touches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let class = CLASS.import(py, "stiction._results", "Touch")?;
        let list = PyList::empty(py);
        let three = |v: &Vector3<f64>| PyArray1::from_slice(py, v.as_slice());
        for t in &self.touches {
            list.append(class.call1((
                t.geom_a.0,
                t.geom_b.0,
                t.body_a,
                t.body_b,
                three(&t.force),
                three(&t.moment),
                three(&t.point),
                three(&t.normal),
                t.normal_force,
                t.area,
            ))?)?;
        }
        Ok(list)
    }
}

/// A body's name, or else a geom's.
pub fn part(model: &stiction::Model, name: &str) -> PyResult<Part> {
    match (model.body_index(name), model.geom_index(name)) {
        (Ok(body), _) => Ok(Part::Body(body)),
        (_, Ok(geom)) => Ok(Part::Geom(geom)),
        (Err(error), _) => Err(input_error(error)),
    }
}
