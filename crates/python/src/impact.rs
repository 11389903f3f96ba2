//! Impacts: the set of outcomes of simultaneous ones, Routh's path of a single one.

use crate::arrays::finite_vector;
use crate::model::Model;
use nalgebra::{Matrix3, Vector3};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use stiction::rigid::TouchKind;
use stiction_impact::routh::{Event, Mode};
use stiction_impact::{
    Certificate, ContactMode, Options, Origin, Problem, Restitution, RouthOptions, certify, outcomes,
};

fn value_error(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The possible outcomes of an impact: the set of velocities after it.
///
/// model: a stiction.Model.
/// qpos, qvel: positions, shape (nq,), m or rad, and velocities, shape (nv,), m/s or rad/s, at the impact.
/// samples: number of sampled solutions, besides every sequence of single impacts and the simultaneous one.
/// cap: largest normal impulse of a contact in a step of the resolution, N s; chosen automatically if None.
/// seed: seed of the samples.
/// touch: distance within which bodies touch, m.
///
/// Returns an ImpactOutcomes; it is empty (n = 0) if no contact approaches.
///
/// Raises ValueError for a state that does not fit, a singular mass matrix, or a model that rigid contact does not support.
#[pyfunction]
#[pyo3(signature = (model, qpos, qvel, samples=4096, cap=None, seed=0, touch=1e-6))]
pub fn impact_outcomes<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    qpos: &Bound<'py, PyAny>,
    qvel: &Bound<'py, PyAny>,
    samples: usize,
    cap: Option<f64>,
    seed: u64,
    touch: f64,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "ImpactOutcomes")?;
    let model = &model.get().inner;
    let mut state = model.default_state();
    state.q = finite_vector("qpos", qpos, model.nq())?.to_vec();
    state.v = finite_vector("qvel", qvel, model.nv())?.to_vec();
    let options = Options { samples, cap, seed, ..Options::default() };
    let (touching, set, certificate) = py.detach(|| {
        let touching = model.touching(&state, touch).map_err(value_error)?;
        let problem = Problem::new(&touching.instant).map_err(value_error)?;
        let set = outcomes(&problem, &options).map_err(value_error)?;
        let certificate = certify(&problem);
        Ok::<_, PyErr>((touching, set, certificate))
    })?;

    let contacts = PyList::empty(py);
    let u = touching.instant.contact_velocity();
    for (k, kind) in touching.kinds.iter().enumerate() {
        let contact = PyDict::new(py);
        contact.set_item("name", touching.name(model, k))?;
        contact.set_item("friction", touching.instant.friction()[k][0])?;
        contact.set_item("velocity", PyArray1::from_slice(py, &u.as_slice()[3 * k..3 * k + 3]))?;
        if let TouchKind::Point { contact: point, geoms } = kind {
            contact.set_item("geoms", *geoms)?;
            contact.set_item("bodies", (point.body_a, point.body_b))?;
            contact.set_item("position", PyArray1::from_slice(py, point.point.as_slice()))?;
            // Rows t1, t2, n: nalgebra lies in columns.
            let frame = PyArray1::from_slice(py, point.frame.as_slice()).reshape([3, 3])?;
            contact.set_item("frame", frame)?;
        }
        contacts.append(contact)?;
    }
    let origins = PyList::empty(py);
    for origin in &set.origins {
        match origin {
            Origin::OneShot => origins.append("at once")?,
            Origin::Sample(_) => origins.append("sample")?,
            Origin::Sequence(order) => origins.append(PyTuple::new(py, order)?)?,
        }
    }
    let ambiguity = set.ambiguity();
    let (n, nv, m) = (set.len(), set.nv, set.contacts);
    let modes = set.modes.iter().map(|mode| match mode {
        ContactMode::Stick => 0u8,
        ContactMode::Slide => 1,
        ContactMode::Separate => 2,
    });
    class.call1(PyTuple::new(
        py,
        [
            set.velocities.clone().into_pyarray(py).reshape([n, nv])?.into_any(),
            set.impulses.clone().into_pyarray(py).reshape([n, m, 3])?.into_any(),
            PyArray1::from_iter(py, modes).reshape([n, m])?.into_any(),
            certificate_dict(py, &certificate)?.into_any(),
            ambiguity.level.name().into_pyobject(py)?.into_any(),
            ambiguity.spread.into_pyobject(py)?.into_any(),
            contacts.into_any(),
            origins.into_any(),
            PyArray1::from_slice(py, &set.residuals).into_any(),
            set.unfinished.into_pyobject(py)?.into_any(),
            set.unsolved.into_pyobject(py)?.into_any(),
            set.cut_sequences.into_pyobject(py)?.into_any(),
        ],
    )?)
}

fn certificate_dict<'py>(py: Python<'py>, certificate: &Certificate) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("terminates", certificate.in_n)?;
    dict.set_item("epsilon", certificate.epsilon)?;
    dict.set_item("impulse_bound", certificate.impulse_bound)?;
    dict.set_item("direction", PyArray1::from_slice(py, &certificate.direction))?;
    let jams = PyList::empty(py);
    for jam in &certificate.balanced {
        let one = PyDict::new(py);
        one.set_item("holding", &jam.holding)?;
        one.set_item("stuck", &jam.stuck)?;
        jams.append(one)?;
    }
    dict.set_item("balanced", jams)?;
    Ok(dict)
}

/// Follows a single impact by Routh's method.
///
/// delassus: the contact's 3 × 3 block J M⁻¹ Jᵀ, 1/kg, rows and columns [t1, t2, n].
/// velocity: contact velocity [t1, t2, n], m/s; n < 0 approaches.
/// friction: coefficient.
/// restitution: coefficient of restitution, from 0 to 1.
/// law: law of restitution: "poisson", "newton" or "stronge".
/// pressed: whether a force presses a contact that does not approach (Painlevé's case).
/// tolerance: relative tolerance of the integration while the direction of slip changes.
///
/// Returns a RouthPath. Raises ValueError for friction below zero or a restitution outside 0 to 1.
#[pyfunction]
#[pyo3(signature = (delassus, velocity, friction, restitution=0.0, law="poisson", pressed=false, tolerance=1e-12))]
pub fn routh<'py>(
    py: Python<'py>,
    delassus: &Bound<'py, PyAny>,
    velocity: &Bound<'py, PyAny>,
    friction: f64,
    restitution: f64,
    law: &str,
    pressed: bool,
    tolerance: f64,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "RouthPath")?;
    let (shape, w) = crate::arrays::numbers_of("delassus", delassus)?;
    if shape != [3, 3] {
        return Err(PyValueError::new_err(format!(
            "delassus has shape {}, a contact needs (3, 3)",
            crate::arrays::shape_text(&shape)
        )));
    }
    let u = finite_vector("velocity", velocity, 3)?;
    let law = match law {
        "poisson" => Restitution::Poisson(restitution),
        "newton" => Restitution::Newton(restitution),
        "stronge" => Restitution::Stronge(restitution),
        other => {
            let message = format!("unknown law \"{other}\": choose poisson, newton or stronge");
            return Err(PyValueError::new_err(message));
        }
    };
    let options = RouthOptions { tolerance, pressed };
    let u = Vector3::new(u[0], u[1], u[2]);
    let path = stiction_impact::routh(&Matrix3::from_row_slice(&w), &u, friction, law, &options)
        .map_err(value_error)?;
    let rows = |pick: fn(&stiction_impact::routh::RouthPoint) -> Vector3<f64>| {
        let flat: Vec<f64> =
            path.path.iter().flat_map(|p| pick(p).iter().copied().collect::<Vec<_>>()).collect();
        flat.into_pyarray(py).reshape([path.path.len(), 3])
    };
    let events = path.events.iter().map(|(event, at)| {
        let name = match event {
            Event::SlipStops => "slip stops",
            Event::Sticks => "sticks",
            Event::SlipStarts => "slip starts",
            Event::CompressionEnds => "compression ends",
            Event::Ends => "ends",
        };
        (name, *at)
    });
    let sticking = PyArray1::from_iter(py, path.path.iter().map(|p| p.mode == Mode::Stick));
    class.call1(PyTuple::new(
        py,
        [
            PyArray1::from_slice(py, path.velocity.as_slice()).into_any(),
            PyArray1::from_slice(py, path.impulse.as_slice()).into_any(),
            rows(|p| p.velocity)?.into_any(),
            rows(|p| p.impulse)?.into_any(),
            sticking.into_any(),
            PyList::new(py, events.collect::<Vec<_>>())?.into_any(),
            path.energy_change().into_pyobject(py)?.into_any(),
            path.compression_work.into_pyobject(py)?.into_any(),
            path.restitution_work.into_pyobject(py)?.into_any(),
            path.friction_work.into_pyobject(py)?.into_any(),
            path.painleve.into_pyobject(py)?.to_owned().into_any(),
        ],
    )?)
}
