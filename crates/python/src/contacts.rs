//! Contact points as a numpy structured array.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyDict};
use stiction::Contact;

/// Bytes of a row of `contact_dtype`: four 32-bit ids, thirteen floats, a flag, and padding to eight.
const ROW: usize = 4 * 4 + 13 * 8 + 8;

/// One row a contact point, in the layout of `contact_dtype` of `python/stiction/_results.py`.
pub fn structured<'py>(py: Python<'py>, contacts: &[Contact]) -> PyResult<Bound<'py, PyAny>> {
    static DTYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static NDARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dtype = DTYPE.import(py, "stiction._results", "contact_dtype")?;
    debug_assert_eq!(dtype.getattr("itemsize")?.extract::<usize>()?, ROW);
    let mut bytes = Vec::with_capacity(ROW * contacts.len());
    for contact in contacts {
        append(&mut bytes, contact);
    }
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "shape"), (contacts.len(),))?;
    keywords.set_item(intern!(py, "dtype"), dtype)?;
    keywords.set_item(intern!(py, "buffer"), PyByteArray::new(py, &bytes))?;
    NDARRAY.import(py, "numpy", "ndarray")?.call((), Some(&keywords))
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
