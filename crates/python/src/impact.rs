//! Impacts: the set of outcomes of simultaneous ones, Routh's path of a single one.

use crate::arrays::finite_vector;
use crate::errors::{InputError, SimulationError, detached};
use crate::model::Model;
use crate::stepping::interruptible;
use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use stiction::rigid::contact::Instant;
use stiction::rigid::{BranchEnd, FuturesError, FuturesOptions, TouchKind, Touching};
use stiction_impact::routh::{Event, Mode};
use stiction_impact::{
    Certificate, ContactMode, Membership, Options, Origin, Outcomes, OuterOptions, Problem, Restitution,
    RouthOptions, certify, fork, outcomes, verdict,
};

fn value_error(error: impl std::fmt::Display) -> PyErr {
    InputError::new_err(error.to_string())
}

/// All the ways an impact can go: the set of velocities after it, whether it is one, and bounds from outside.
///
/// Give either a model with its state at the impact, or the matrices of a mechanism:
///
/// Parameters
/// ----------
/// model : Model, optional
///     A stiction.Model.
/// qpos, qvel : array_like, optional
///     The state at the impact.
/// mass : array_like, optional
///     Mass matrix; shape (nv, nv).
/// normals : array_like, optional
///     Rows that give the normal velocity of each contact, positive apart; shape (c, nv).
/// tangents : array_like, optional
///     Rows that give the two tangential velocities of each contact; shape (c, 2, nv), or (c, nv) for planar contacts, which have
///     one.
/// friction : array_like, optional
///     Coefficient of each contact; shape (c,), or a number for all.
/// velocity : array_like, optional
///     Velocity before; shape (nv,).
/// samples : int, optional
///     Sampled solutions, beside every sequence of single impacts and the simultaneous one.
/// tolerance : float, optional
///     Error allowed along a sampled solution, relative to the largest contact speed.
/// cap : float, optional
///     Largest normal impulse of a contact in a step of the resolution, N s; None for no limit.
/// seed : int, optional
///     Another seed, other samples.
/// touch : float, optional
///     Distance within which bodies touch, m (models only).
/// outer : bool, optional
///     Whether to compute bounds from outside. Without them outcomes that agree give the verdict "unknown".
/// pieces : int, optional
///     Convex sets that a cell of the outer bound may hold; more are tighter and slower.
/// sectors : int, optional
///     Parts into which the outer bound divides directions of slip in space, an even number from 4; more are tighter and slower.
/// work : int, optional
///     Work allowed for the outer bound, in comparisons; ten million are about a second.
/// members : array_like, optional
///     Velocities of which is asked whether the impact can end with them; shape (k, nv). Needs outer.
/// paths : list of int, optional
///     Numbers of outcomes whose contact velocities along the way are wanted.
/// restitution : array_like, optional
///     Poisson's coefficient of every contact, or one for each; None for no restitution. Verdict and bounds are those of the
///     compression.
///
/// Returns
/// -------
/// ImpactOutcomes
///     An ImpactOutcomes; it is empty (n = 0) if no contact approaches.
///
/// Raises
/// ------
/// ValueError
///     For a state or matrices that do not fit, a singular mass matrix, or a feature that rigid contact does not support.
#[pyfunction]
#[pyo3(signature = (model=None, qpos=None, qvel=None, samples=4096, cap=None, seed=0, touch=1e-6, *, mass=None, normals=None, tangents=None,
                    friction=None, velocity=None, tolerance=1e-6, outer=true, pieces=8, paths=None, restitution=None, sectors=4, work=20_000_000, members=None))]
pub fn impact_outcomes<'py>(
    py: Python<'py>,
    model: Option<&Bound<'py, Model>>,
    qpos: Option<&Bound<'py, PyAny>>,
    qvel: Option<&Bound<'py, PyAny>>,
    samples: usize,
    cap: Option<f64>,
    seed: u64,
    touch: f64,
    mass: Option<&Bound<'py, PyAny>>,
    normals: Option<&Bound<'py, PyAny>>,
    tangents: Option<&Bound<'py, PyAny>>,
    friction: Option<&Bound<'py, PyAny>>,
    velocity: Option<&Bound<'py, PyAny>>,
    tolerance: f64,
    outer: bool,
    pieces: usize,
    paths: Option<Vec<usize>>,
    restitution: Option<&Bound<'py, PyAny>>,
    sectors: usize,
    work: u64,
    members: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.import(py, "stiction._results", "ImpactOutcomes")?;
    let options = Options { samples, tolerance, cap, seed, ..Options::default() };
    let bounds = outer.then_some(OuterOptions { pieces, work, sectors });
    let (instant, kinds) = match (model, qpos, qvel, mass, normals, velocity) {
        (Some(model), Some(qpos), Some(qvel), None, None, None) => {
            let model = &model.get().inner;
            let mut state = model.default_state();
            state.q = finite_vector("qpos", qpos, model.nq())?.to_vec();
            state.v = finite_vector("qvel", qvel, model.nv())?.to_vec();
            let touching = detached(py, || model.touching(&state, touch))?.map_err(value_error)?;
            (touching.instant.clone(), Some((model, touching)))
        }
        (None, None, None, Some(mass), Some(normals), Some(velocity)) => {
            (matrices(mass, normals, tangents, friction, velocity)?, None)
        }
        _ => {
            return Err(InputError::new_err(
                "give model, qpos and qvel, or mass, normals and velocity (with tangents and friction), not both",
            ));
        }
    };
    let asked = members.map(|m| velocities(m, instant.nv())).transpose()?.unwrap_or_default();
    if !asked.is_empty() && !outer {
        return Err(InputError::new_err("members needs bounds from outside: leave out outer=False"));
    }
    let resolved = instant.clone();
    let (set, certificate, bound, answer, answers) = interruptible(py, move || {
        let problem = Problem::new(&resolved).map_err(value_error)?;
        let set = outcomes(&problem, &options).map_err(value_error)?;
        let certificate = certify(&problem);
        let bound = bounds.map(|b| stiction_impact::outer(&problem, &b)).transpose().map_err(value_error)?;
        let answer = verdict(&set, bound.as_ref()).map_err(value_error)?;
        let mut answers = Vec::new();
        for v in &asked {
            let answer =
                bound.as_ref().map(|b| b.membership(&set, v, 1e-6)).transpose().map_err(value_error)?;
            answers.extend(answer);
        }
        let bound = bound.map(|o| o.box_bounds().map(|b| (o, b))).transpose().map_err(value_error)?;
        Ok::<_, PyErr>((set, certificate, bound, answer, answers))
    })??;

    let contacts = contact_list(py, &instant, kinds.as_ref())?;
    let origins = origin_list(py, &set)?;
    let bounced = match restitution {
        None => py.None().into_bound(py),
        Some(values) => bounced(py, &set, instant.contacts(), values)?,
    };
    let ways = ways(py, &set, &paths.unwrap_or_default())?;
    let corners = PyList::empty(py);
    let outer_box = match &bound {
        None => py.None().into_bound(py),
        Some((outer, bounds)) => {
            for piece in &outer.pieces {
                corners.append(piece.concat().into_pyarray(py).reshape([piece.len(), set.nv])?)?;
            }
            bounds.concat().into_pyarray(py).reshape([set.nv, 2])?.into_any()
        }
    };
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
            PyArray1::from_slice(py, &set.errors).into_any(),
            set.unfinished.into_pyobject(py)?.into_any(),
            set.unsolved.into_pyobject(py)?.into_any(),
            set.cut_sequences.into_pyobject(py)?.into_any(),
            answer.name().into_pyobject(py)?.into_any(),
            answer.reason().into_pyobject(py)?.into_any(),
            outer_box,
            corners.into_any(),
            ways.into_any(),
            bounced,
            set.rerouted.into_pyobject(py)?.into_any(),
            member_list(py, &answers)?.into_any(),
        ],
    )?)
}

/// A dictionary for each contact of an instant; more is known about those of a model.
fn contact_list<'py>(
    py: Python<'py>,
    instant: &Instant,
    kinds: Option<&(&stiction::Model, Touching)>,
) -> PyResult<Bound<'py, PyList>> {
    let contacts = PyList::empty(py);
    let u = instant.contact_velocity();
    for k in 0..instant.contacts() {
        let contact = PyDict::new(py);
        contact.set_item("friction", instant.friction()[k][0])?;
        contact.set_item("velocity", PyArray1::from_slice(py, &u.as_slice()[3 * k..3 * k + 3]))?;
        match kinds {
            None => contact.set_item("name", format!("contact {k}"))?,
            Some((model, touching)) => {
                contact.set_item("name", touching.name(model, k))?;
                if let TouchKind::Point { contact: point, geoms } = &touching.kinds[k] {
                    contact.set_item("geoms", (geoms.0.0, geoms.1.0))?;
                    contact.set_item("bodies", (point.body_a, point.body_b))?;
                    contact.set_item("position", PyArray1::from_slice(py, point.point.as_slice()))?;
                    // Rows t1, t2, n: nalgebra lies in columns.
                    let frame = PyArray1::from_slice(py, point.frame.as_slice()).reshape([3, 3])?;
                    contact.set_item("frame", frame)?;
                }
            }
        }
        contacts.append(contact)?;
    }
    Ok(contacts)
}

/// Rows of velocities.
fn velocities(values: &Bound<'_, PyAny>, nv: usize) -> PyResult<Vec<Vec<f64>>> {
    let (shape, values) = crate::arrays::numbers_of("members", values)?;
    if shape.len() != 2 || shape[1] != nv {
        return Err(wrong_shape("members", &shape, format!("(k, {nv})")));
    }
    Ok(values.chunks(nv.max(1)).map(<[f64]>::to_vec).collect())
}

/// A dictionary for each velocity of which is asked whether it is an outcome.
fn member_list<'py>(py: Python<'py>, answers: &[Membership]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for answer in answers {
        let one = PyDict::new(py);
        one.set_item("answer", answer.name())?;
        let (nearest, distance, reason) = match answer {
            Membership::Outcome { nearest, distance } | Membership::Unknown { nearest, distance } => {
                (*nearest, Some(*distance), None)
            }
            Membership::No { reason } => (None, None, Some(reason)),
        };
        one.set_item("nearest", nearest)?;
        one.set_item("distance", distance)?;
        one.set_item("reason", reason)?;
        list.append(one)?;
    }
    Ok(list)
}

/// How each outcome was found.
fn origin_list<'py>(py: Python<'py>, set: &Outcomes) -> PyResult<Bound<'py, PyList>> {
    let origins = PyList::empty(py);
    for origin in &set.origins {
        match origin {
            Origin::OneShot => origins.append("at once")?,
            Origin::Sample(_) => origins.append("sample")?,
            Origin::Sequence(order) => origins.append(PyTuple::new(py, order)?)?,
        }
    }
    Ok(origins)
}

/// Velocities of the outcomes after Poisson's restitution, with one coefficient or one for each of `m` contacts.
fn bounced<'py>(
    py: Python<'py>,
    set: &Outcomes,
    m: usize,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (shape, values) = crate::arrays::numbers_of("restitution", values)?;
    let each = match shape.as_slice() {
        [] => vec![values[0]; m],
        [k] if *k == m => values.clone(),
        _ => return Err(wrong_shape("restitution", &shape, format!("() or ({m},)"))),
    };
    let mut merged = Vec::new();
    for group in set.problem().groups() {
        if group.iter().any(|&c| each[c] != each[group[0]]) {
            let message = format!("contacts {group:?} are one to an impact: give them the same restitution");
            return Err(InputError::new_err(message));
        }
        merged.push(each[group[0]]);
    }
    let bounces = detached(py, || set.bounce(&merged))?.map_err(value_error)?;
    Ok(bounces.velocities.into_pyarray(py).reshape([set.len(), set.nv])?.into_any())
}

/// Contact velocities along the way of some outcomes, by their numbers.
fn ways<'py>(py: Python<'py>, set: &Outcomes, numbers: &[usize]) -> PyResult<Bound<'py, PyDict>> {
    let ways = PyDict::new(py);
    for &i in numbers {
        if i >= set.len() {
            let message = format!("paths asks for outcome {i}, there are {}", set.len());
            return Err(InputError::new_err(message));
        }
        let path = set.path(i);
        let rows = path.len();
        ways.set_item(i, path.concat().into_pyarray(py).reshape([rows, set.contacts, 3])?)?;
    }
    Ok(ways)
}

/// Follows the futures of a state: a tree that forks at every impact with several outcomes.
///
/// Between impacts a branch is moved by the convex simulation, with the controls given here. At an impact it forks over a few
/// outcomes that lie far apart. Weights are the shares of sampled outcomes nearest to each: a sampling measure, not probabilities.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model.
/// qpos, qvel : array_like
///     The state to start from.
/// horizon : float, optional
///     How far to look ahead, s.
/// ctrl : array_like, optional
///     Control of each actuator, held; None for zeros.
/// outcomes : int, optional
///     Outcomes that a fork follows at most.
/// budget : int, optional
///     Branches at most; beyond, an impact goes on with all of its contacts at once.
/// samples : int, optional
///     Sampled solutions at each impact.
/// step : float, optional
///     Step of the simulation, s.
/// touch : float, optional
///     Distance within which bodies touch, m.
/// speed : float, optional
///     Approach speed from which on an arriving contact is an impact, m/s.
/// merge : float, optional
///     Largest difference of states at which branches count as one.
/// frame : float, optional
///     Time between recorded frames, s.
/// seed : int, optional
///     Another seed, other samples.
///
/// Returns
/// -------
/// Futures
///     A Futures.
///
/// Raises
/// ------
/// ValueError
///     For a state that does not fit or a number out of its range.
/// RuntimeError
///     If a step fails.
#[pyfunction]
#[pyo3(signature = (model, qpos, qvel, horizon=1.0, *, ctrl=None, outcomes=3, budget=64, samples=64, step=1e-3, touch=1e-5, speed=0.02,
                    merge=1e-6, frame=0.01, seed=0))]
pub fn futures<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
    qpos: &Bound<'py, PyAny>,
    qvel: &Bound<'py, PyAny>,
    horizon: f64,
    ctrl: Option<&Bound<'py, PyAny>>,
    outcomes: usize,
    budget: usize,
    samples: usize,
    step: f64,
    touch: f64,
    speed: f64,
    merge: f64,
    frame: f64,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    static TREE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static BRANCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let tree_class = TREE.import(py, "stiction._results", "Futures")?;
    let branch_class = BRANCH.import(py, "stiction._results", "FutureBranch")?;
    let model = &model.get().inner;
    let mut state = model.default_state();
    state.q = finite_vector("qpos", qpos, model.nq())?.to_vec();
    state.v = finite_vector("qvel", qvel, model.nv())?.to_vec();
    if let Some(ctrl) = ctrl {
        state.ctrl = finite_vector("ctrl", ctrl, state.ctrl.len())?.to_vec();
    }
    let settings = FuturesOptions { horizon, step, touch, speed, budget, outcomes, merge, frame };
    let options = Options { samples, seed, ..Options::default() };
    let stepped = model.clone();
    let tree = interruptible(py, move || {
        let mut resolve = |touching: &Touching, most: usize| {
            let problem = Problem::new(&touching.instant).map_err(|e| e.to_string())?;
            fork(&problem, &options, most).map_err(|e| e.to_string())
        };
        stiction::rigid::futures(&stepped, &state, &settings, &mut resolve)
    })?
    .map_err(|e| match e {
        FuturesError::Step(_) | FuturesError::Outcome { .. } => SimulationError::new_err(e.to_string()),
        _ => value_error(e),
    })?;
    let branches = PyList::empty(py);
    for b in &tree.branches {
        let n = b.frames.len();
        let time = PyArray1::from_iter(py, b.frames.iter().map(|f| f.0));
        let q: Vec<f64> = b.frames.iter().flat_map(|f| f.1.iter().copied()).collect();
        let v: Vec<f64> = b.frames.iter().flat_map(|f| f.2.iter().copied()).collect();
        let (end, twin) = match b.end {
            BranchEnd::Horizon => ("horizon", None),
            BranchEnd::Fork => ("fork", None),
            BranchEnd::Merged(twin) => ("merged", Some(twin)),
        };
        branches.append(branch_class.call1(PyTuple::new(
            py,
            [
                b.parent.into_pyobject(py)?.into_any(),
                b.weight.into_pyobject(py)?.into_any(),
                time.into_any(),
                q.into_pyarray(py).reshape([n, model.nq()])?.into_any(),
                v.into_pyarray(py).reshape([n, model.nv()])?.into_any(),
                end.into_pyobject(py)?.into_any(),
                twin.into_pyobject(py)?.into_any(),
                b.passed.into_pyobject(py)?.into_any(),
            ],
        )?)?)?;
    }
    tree_class.call1((branches, tree.pruned))
}

fn wrong_shape(what: &str, shape: &[usize], needed: String) -> PyErr {
    InputError::new_err(format!("{what} has shape {}, needed is {needed}", crate::arrays::shape_text(shape)))
}

/// An instant from a mechanism's matrices.
fn matrices(
    mass: &Bound<'_, PyAny>,
    normals: &Bound<'_, PyAny>,
    tangents: Option<&Bound<'_, PyAny>>,
    friction: Option<&Bound<'_, PyAny>>,
    velocity: &Bound<'_, PyAny>,
) -> PyResult<Instant> {
    let (shape, mass) = crate::arrays::numbers_of("mass", mass)?;
    let nv = shape.first().copied().unwrap_or(0);
    if shape != [nv, nv] || nv == 0 {
        return Err(wrong_shape("mass", &shape, "(nv, nv)".into()));
    }
    let (shape, normals) = crate::arrays::numbers_of("normals", normals)?;
    let m = shape.first().copied().unwrap_or(0);
    if shape != [m, nv] {
        return Err(wrong_shape("normals", &shape, format!("(c, {nv})")));
    }
    let mut jacobian = DMatrix::zeros(3 * m, nv);
    for c in 0..m {
        jacobian.row_mut(3 * c + 2).copy_from_slice(&normals[c * nv..(c + 1) * nv]);
    }
    if let Some(tangents) = tangents {
        let (shape, rows) = crate::arrays::numbers_of("tangents", tangents)?;
        let each = if shape == [m, nv] {
            1
        } else if shape == [m, 2, nv] {
            2
        } else {
            return Err(wrong_shape("tangents", &shape, format!("({m}, {nv}) or ({m}, 2, {nv})")));
        };
        for c in 0..m {
            for t in 0..each {
                let at = (c * each + t) * nv;
                jacobian.row_mut(3 * c + t).copy_from_slice(&rows[at..at + nv]);
            }
        }
    }
    let mu = match friction {
        None => vec![0.0; m],
        Some(friction) => {
            let (shape, values) = crate::arrays::numbers_of("friction", friction)?;
            match shape.as_slice() {
                [] => vec![values[0]; m],
                [n] if *n == m => values.to_vec(),
                _ => return Err(wrong_shape("friction", &shape, format!("() or ({m},)"))),
            }
        }
    };
    if tangents.is_none() && mu.iter().any(|mu| *mu != 0.0) {
        return Err(InputError::new_err(
            "friction needs tangents: give the rows of the tangential velocities",
        ));
    }
    let velocity = finite_vector("velocity", velocity, nv)?;
    Instant::from_matrices(
        DMatrix::from_row_slice(nv, nv, &mass),
        jacobian,
        mu.into_iter().map(Vector2::repeat).collect(),
        DVector::from_column_slice(&velocity),
    )
    .map_err(value_error)
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
/// Parameters
/// ----------
/// delassus : array_like
///     The contact's 3 × 3 block J M⁻¹ Jᵀ, 1/kg, rows and columns [t1, t2, n].
/// velocity : array_like
///     Contact velocity [t1, t2, n], m/s; n < 0 approaches.
/// friction : float
///     Coefficient.
/// restitution : float, optional
///     Coefficient of restitution, from 0 to 1.
/// law : {"poisson", "newton", "stronge"}, optional
///     Law of restitution: "poisson", "newton" or "stronge".
/// pressed : bool, optional
///     Whether a force presses a contact that does not approach (Painlevé's case).
/// tolerance : float, optional
///     Relative tolerance of the integration while the direction of slip changes.
///
/// Returns
/// -------
/// RouthPath
///     A RouthPath.
///
/// Raises
/// ------
/// ValueError
///     For friction below zero or a restitution outside 0 to 1.
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
        return Err(InputError::new_err(format!(
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
            return Err(InputError::new_err(message));
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
