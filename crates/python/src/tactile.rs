//! `stiction.TactileGrid`: what a skin of sensing cells feels.

use crate::arrays::{finite_vector, three};
use crate::errors::input_error;
use crate::indices::whole;
use crate::mocap::rotation;
use crate::model::body_of;
use crate::simulation::Simulation;
use nalgebra::{UnitQuaternion, Vector3};
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use stiction::TactileImage;
use stiction::model::Pose;

/// Pressure and shear.
pub type Felt<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray3<f64>>);
/// What makes the same grid, for pickle.
type NewArguments = (Py<PyAny>, [f64; 2], usize, usize, [f64; 3], [f64; 4]);

/// A grid of sensing cells fixed to a body, in the x-y plane of its own frame and centred at its origin; z points out of the skin.
///
/// Parameters
/// ----------
/// body : str or int
///     Name or id of the body.
/// size : array_like
///     Width along x and height along y, m.
/// rows, columns : int
///     Cells along y and along x.
/// position, quaternion : array_like, optional
///     The grid's frame in the body's frame, m, shape (3,), and w first, shape (4,).
#[pyclass(frozen, module = "stiction")]
pub struct TactileGrid {
    body: Py<PyAny>,
    grid: stiction::TactileGrid,
}

#[pymethods]
impl TactileGrid {
    #[new]
    #[pyo3(signature = (body, size, rows, columns, position=None, quaternion=None))]
    fn new(
        body: Py<PyAny>,
        size: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] rows: usize,
        #[pyo3(from_py_with = whole)] columns: usize,
        position: Option<&Bound<'_, PyAny>>,
        quaternion: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let size = finite_vector("size", size, 2)?;
        let position = Vector3::from(three("position", position)?);
        let rotation = match quaternion {
            None => UnitQuaternion::identity(),
            Some(given) => rotation(&finite_vector("quaternion", given, 4)?)?,
        };
        let pose = Pose::from_parts(position.into(), rotation);
        let grid = stiction::TactileGrid::new(0, pose, [size[0], size[1]], rows, columns);
        Ok(Self { body, grid: grid.map_err(input_error)? })
    }

    fn __getnewargs__(&self, py: Python<'_>) -> NewArguments {
        let (rows, columns) = self.grid.shape();
        let (position, q) = (self.grid.pose().translation.vector, self.grid.pose().rotation.coords);
        (self.body.clone_ref(py), self.grid.size(), rows, columns, position.into(), [q.w, q.x, q.y, q.z])
    }

    /// Area of a cell, m².
    #[getter]
    fn cell_area(&self) -> f64 {
        self.grid.cell_area()
    }

    /// Reading of the grid in the last step of a simulation.
    ///
    /// Parameters
    /// ----------
    /// sim : Simulation
    ///     A stiction.Simulation of a model with the grid's body.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray
    ///     Pressure (rows, columns), Pa, into the skin, and shear (rows, columns, 2), Pa, along its x and y. The sum of each, times
    ///     cell_area, is the force of the patches above the grid, at any resolution.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown body.
    fn sample<'py>(&self, py: Python<'py>, sim: &Bound<'py, Simulation>) -> PyResult<Felt<'py>> {
        let sim = sim.get();
        let image = self.on(py, &sim.model_of().inner)?.sample(&*sim.lock()?);
        felt(py, image)
    }
}

impl TactileGrid {
    /// The grid on its body in a model.
    pub fn on(&self, py: Python<'_>, model: &stiction::Model) -> PyResult<stiction::TactileGrid> {
        Ok(self.grid.on_body(body_of(model, self.body.bind(py))?))
    }
}

/// An image as arrays.
pub fn felt<'py>(py: Python<'py>, image: TactileImage) -> PyResult<Felt<'py>> {
    let (rows, columns) = (image.rows, image.columns);
    let shear: Vec<f64> = image.shear.into_iter().flatten().collect();
    Ok((
        image.pressure.into_pyarray(py).reshape([rows, columns])?,
        shear.into_pyarray(py).reshape([rows, columns, 2])?,
    ))
}
