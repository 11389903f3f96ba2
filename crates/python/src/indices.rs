//! Which worlds are meant: numbers, or an array of booleans.

use crate::errors::{InputError, InputIndexError, InputTypeError};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// A whole number, zero or more.
pub fn whole(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let number: i64 = given.extract().map_err(|_| {
        InputTypeError::new_err(format!("{given} is no whole number: give one that is zero or more"))
    })?;
    usize::try_from(number)
        .map_err(|_| InputError::new_err(format!("{number} is negative: give a whole number, zero or more")))
}

/// The same, or None.
pub fn maybe_whole(given: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if given.is_none() { Ok(None) } else { whole(given).map(Some) }
}

/// A number of threads that was given; all processors for none.
pub fn thread_count(given: Option<usize>) -> PyResult<usize> {
    match given {
        Some(0) => Err(InputError::new_err("threads = 0: give at least 1, or None for all the machine has")),
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, Into::into)),
    }
}

/// The name or number of a keyframe, as text.
pub fn keyframe(given: &Bound<'_, PyAny>) -> PyResult<String> {
    given.extract::<String>().or_else(|_| match whole(given) {
        Ok(number) => Ok(number.to_string()),
        Err(_) => Err(InputTypeError::new_err(format!("{given}: give the name or the number of a keyframe"))),
    })
}

/// The id of a body, joint… among `n`.
pub fn id(kind: &str, given: &Bound<'_, PyAny>, n: usize) -> PyResult<usize> {
    let number: i64 = given
        .extract()
        .map_err(|_| InputTypeError::new_err(format!("{given}: give the name or the id of a {kind}")))?;
    usize::try_from(number).ok().filter(|&i| i < n).ok_or_else(|| match n {
        0 => InputIndexError::new_err(format!("there is no {kind} {number}: there are none")),
        _ => InputIndexError::new_err(format!("there is no {kind} {number}: ids go from 0 to {}", n - 1)),
    })
}

/// One world of `n`.
pub fn index(given: &Bound<'_, PyAny>, n: usize) -> PyResult<usize> {
    let number: i64 = given
        .extract()
        .map_err(|_| InputTypeError::new_err(format!("{given}: give the number of a world")))?;
    in_range(number, n)
}

/// Some worlds of `n`, in the order given; all of them for none.
pub fn indices(given: Option<&Bound<'_, PyAny>>, n: usize) -> PyResult<Vec<usize>> {
    let Some(given) = given else { return Ok((0..n).collect()) };
    if let Ok(number) = given.extract::<i64>() {
        return Ok(vec![in_range(number, n)?]);
    }
    let numpy = given.py().import("numpy")?;
    let array = numpy.call_method1("atleast_1d", (given,))?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let length = array.len()?;
    let numbers = match kind.as_str() {
        "b" if length == n => numpy.call_method1("flatnonzero", (&array,))?,
        "b" => {
            return Err(InputError::new_err(format!(
                "indices has {length} booleans: give one for each of the {n} worlds, or their numbers"
            )));
        }
        "i" | "u" => array,
        _ if length == 0 => return Ok(Vec::new()),
        _ => {
            return Err(InputTypeError::new_err(
                "indices: give numbers of worlds, or one boolean for each world",
            ));
        }
    };
    let numbers = numbers.call_method1("astype", ("int64",))?;
    let numbers =
        numbers.cast::<PyArray1<i64>>().map_err(|_| InputError::new_err("indices: give a flat list"))?;
    let numbers = numbers.to_vec()?;
    numbers.into_iter().map(|number| in_range(number, n)).collect()
}

fn in_range(number: i64, n: usize) -> PyResult<usize> {
    usize::try_from(number).ok().filter(|&i| i < n).ok_or_else(|| match n {
        0 => InputIndexError::new_err(format!("there is no world {number}: there are none")),
        _ => InputIndexError::new_err(format!("there is no world {number}: they go from 0 to {}", n - 1)),
    })
}
