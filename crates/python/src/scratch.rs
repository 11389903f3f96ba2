//! Memory for the dynamics of single states, kept between calls so that a call costs little more than
//! the algorithm itself.

use crate::errors::input_error;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use stiction::multibody::{MassMatrix, Multibody, Workspace};
use stiction::{InputError, Model};

pub struct Scratch {
    workspace: Workspace,
    mass: MassMatrix,
    vector: Vec<f64>,
}

impl Scratch {
    pub fn new(model: &Model) -> Self {
        let (multibody, nv) = (model.multibody(), model.nv());
        Self { workspace: Workspace::new(multibody), mass: MassMatrix::new(multibody), vector: vec![0.0; nv] }
    }

    /// The workspace with all bodies placed by `q`; mocap bodies stand where the model puts them.
    pub fn at(&mut self, model: &Model, q: &[f64]) -> PyResult<&Workspace> {
        check("q", q, model.nq())?;
        model.multibody().positions(q, &mut self.workspace);
        Ok(&self.workspace)
    }

    pub fn mass_matrix<'py>(
        &mut self,
        py: Python<'py>,
        model: &Model,
        q: &[f64],
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.at(model, q)?;
        let (multibody, n) = (model.multibody(), model.nv());
        multibody.mass_matrix(&mut self.workspace, &mut self.mass);
        // NumPy raises MemoryError if there is no room. Between trees the matrix stays zero.
        let array = py.import("numpy")?.call_method1("zeros", ((n, n),))?.cast_into::<PyArray2<f64>>()?;
        let mut entries = array.try_readwrite()?;
        let matrix = entries.as_slice_mut()?;
        for (t, tree) in multibody.trees().iter().enumerate() {
            let (lower, first, size) = (self.mass.lower_block(t), tree.v.start, tree.v.len());
            for i in 0..size {
                for j in 0..=i {
                    let entry = lower[i * size + j];
                    matrix[(first + i) * n + first + j] = entry;
                    matrix[(first + j) * n + first + i] = entry;
                }
            }
        }
        drop(entries);
        Ok(array)
    }

    /// Runs an algorithm that fills nv numbers, at positions `q` and velocities `v`.
    pub fn evaluate<'py>(
        &mut self,
        py: Python<'py>,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        algorithm: impl FnOnce(&Multibody, &mut Workspace, &mut [f64]),
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.at(model, q)?;
        check("v", v, model.nv())?;
        model.multibody().velocities(v, &mut self.workspace);
        algorithm(model.multibody(), &mut self.workspace, &mut self.vector);
        match self.vector.iter().position(|x| !x.is_finite()) {
            None => Ok(PyArray1::from_slice(py, &self.vector)),
            Some(dof) => Err(input_error(InputError::Singular { dof, joint: model.joint_of(dof) })),
        }
    }
}

/// Checks the length of a vector and that its numbers are finite.
pub fn check(what: &'static str, values: &[f64], needed: usize) -> PyResult<()> {
    if values.len() != needed {
        return Err(input_error(InputError::Length { what, given: values.len(), needed }));
    }
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(input_error(InputError::NotFinite { what, index, value: values[index] })),
    }
}
