//! Contact points as a numpy structured array.

use crate::model::Model;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};
use stiction::{BodyContact, Contact};

/// Bytes of a row of `contact_dtype`: four 32-bit ids, thirteen floats, a flag, and padding to eight.
const ROW: usize = 4 * 4 + 13 * 8 + 8;

/// Bytes of a row of `body_contact_dtype`: two ids, seven floats, two counts.
const BODY_ROW: usize = 2 * 4 + 7 * 8 + 2 * 4;

/// One row a contact point, in the layout of `contact_dtype` of `python/stiction/_results.py`.
pub fn structured<'py>(py: Python<'py>, contacts: &[Contact]) -> PyResult<Bound<'py, PyAny>> {
    static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dtype = DTYPE.import(py, "stiction._results", "contact_dtype")?;
    let mut bytes = Vec::with_capacity(ROW * contacts.len());
    for contact in contacts {
        append(&mut bytes, contact);
    }
    rows(dtype, ROW, &bytes)
}

/// A read-only array of rows of `size` bytes. (An array of immutable bytes is.)
fn rows<'py>(dtype: &Bound<'py, PyAny>, size: usize, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = dtype.py();
    debug_assert_eq!(dtype.getattr("itemsize")?.extract::<usize>()?, size);
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "shape"), (bytes.len() / size,))?;
    keywords.set_item(intern!(py, "dtype"), dtype)?;
    keywords.set_item(intern!(py, "buffer"), PyBytes::new(py, bytes))?;
    NDARRAY.import(py, "numpy", "ndarray")?.call((), Some(&keywords))
}

/// One row a pair of bodies, in the layout of `body_contact_dtype` of `python/stiction/_results.py`.
pub fn body_contacts<'py>(py: Python<'py>, pairs: &[BodyContact]) -> PyResult<Bound<'py, PyAny>> {
    static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dtype = DTYPE.import(py, "stiction._results", "body_contact_dtype")?;
    let mut bytes = Vec::with_capacity(BODY_ROW * pairs.len());
    for pair in pairs {
        let mut whole = |n: usize| bytes.extend_from_slice(&(n as i32).to_ne_bytes());
        whole(pair.body_a);
        whole(pair.body_b);
        let numbers = pair.force.iter().chain(pair.torque.iter()).chain(std::iter::once(&pair.normal_force));
        numbers.for_each(|x| bytes.extend_from_slice(&x.to_ne_bytes()));
        let mut whole = |n: usize| bytes.extend_from_slice(&(n as i32).to_ne_bytes());
        whole(pair.points);
        whole(pair.patches);
    }
    rows(dtype, BODY_ROW, &bytes)
}

/// The class `ContactForce`.
pub fn contact_force_class<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    CLASS.import(py, "stiction._results", "ContactForce")
}

/// The arguments of `contact_force`.
pub fn contact_bodies(
    model: &Model,
    body: &Bound<'_, PyAny>,
    other: Option<&Bound<'_, PyAny>>,
) -> PyResult<(usize, Option<usize>)> {
    Ok((model.body(body)?, other.map(|other| model.body(other)).transpose()?))
}

fn append(bytes: &mut Vec<u8>, c: &Contact) {
    let end = bytes.len() + ROW;
    for id in [c.geom_a.0, c.geom_b.0, c.body_a, c.body_b] {
        // Ids index lists in memory: 2³¹ of them do not fit.
        bytes.extend_from_slice(&(id as i32).to_ne_bytes());
    }
    let mut floats = |values: &[f64]| values.iter().for_each(|x| bytes.extend_from_slice(&x.to_ne_bytes()));
    floats(c.position.as_slice());
    floats(c.normal.as_slice());
    floats(c.force.as_slice());
    floats(&[c.penetration]);
    floats(c.slip.as_slice());
    bytes.push(u8::from(c.sticking));
    bytes.resize(end, 0);
}
