//! Bodies, joints, geoms and actuators by name: what the model says of them, and handles on those of a simulation.

use crate::changes::geom;
use crate::model::{Model, unknown};
use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use std::ops::Range;
use stiction::model::{Actuator, Compliance, Shape, Transmission};
use stiction::multibody::JointInfo;

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("stiction._named")?.getattr(name)
}

/// A handle on something of a simulation, of the class `name`.
pub fn handle<'py>(
    simulation: &Bound<'py, PyAny>,
    name: &str,
    info: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    class(simulation.py(), name)?.call1((simulation, info))
}

pub fn body<'py>(py: Python<'py>, model: &Model, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let id = model.body(given)?;
    let body = &model.inner.world().bodies[id];
    let inertia = &body.inertia;
    let rows: Vec<Vec<f64>> = (0..3).map(|i| inertia.rotational.row(i).iter().copied().collect()).collect();
    class(py, "BodyInfo")?.call1((
        id,
        &body.name,
        body.parent,
        inertia.mass,
        PyArray1::from_slice(py, inertia.com.as_slice()),
        PyArray2::from_vec2(py, &rows).map_err(|e| PyValueError::new_err(e.to_string()))?,
        body.mocap,
    ))
}

pub fn joint<'py>(py: Python<'py>, model: &Model, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (id, joint) = find_joint(model, given)?;
    let dofs = &model.inner.world().bodies[joint.body].joints[joint.index].dofs;
    let single = joint.q.len() == 1 && dofs.len() == 1;
    let range = dofs.first().filter(|d| single && (d.lower.is_finite() || d.upper.is_finite()));
    class(py, "JointInfo")?.call1((
        id,
        &joint.name,
        joint.kind.word(),
        joint.body,
        slice(py, &joint.q),
        slice(py, &joint.v),
        range.map(|d| (d.lower, d.upper)),
    ))
}

pub fn geom_info<'py>(
    py: Python<'py>,
    model: &Model,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let id = geom(model, given)?;
    let world = model.inner.world();
    let geom = &world.geoms[id];
    let contact = model.inner.contact_properties(id).expect("the geom was found");
    let compliant = geom.contact.compliance == Compliance::Compliant;
    let name = if geom.name.is_empty() { format!("#{id}") } else { geom.name.clone() };
    let turn = geom.pose.rotation;
    let place = (
        <[f64; 3]>::from(geom.pose.translation.vector).into_pyobject(py)?,
        [turn.w, turn.i, turn.j, turn.k].into_pyobject(py)?,
        geom.color.map(f64::from).into_pyobject(py)?,
    );
    let contact = (
        contact.dynamic_friction,
        contact.static_friction,
        contact.stiffness,
        contact.dissipation,
        contact.relaxation_time,
        compliant,
        compliant.then_some(contact.modulus),
        size(&geom.shape),
    );
    // Tuples of this length have no conversion of their own.
    let fields = (id, name, geom.body, world.shape_word(&geom.shape)).into_pyobject(py)?;
    let fields = fields.add(contact.into_pyobject(py)?)?.add(place.into_pyobject(py)?)?;
    class(py, "GeomInfo")?.call1(fields.cast::<PyTuple>()?)
}

/// The lengths that make a primitive shape, m, as MJCF orders them; none for a mesh.
fn size(shape: &Shape) -> Vec<f64> {
    match *shape {
        Shape::HalfSpace { size } => size.to_vec(),
        Shape::Sphere { radius } => vec![radius],
        Shape::Box { half_extents: v } | Shape::Ellipsoid { radii: v } => v.as_slice().to_vec(),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            vec![radius, half_length]
        }
        _ => Vec::new(),
    }
}

pub fn actuator<'py>(
    py: Python<'py>,
    model: &Model,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let actuators = &model.inner.world().actuators;
    let id = match given.extract::<String>() {
        Ok(name) => actuators
            .iter()
            .position(|a| a.name == name)
            .ok_or_else(|| unknown("actuator", &name, actuators.iter().map(|a| a.name.as_str())))?,
        Err(_) => crate::indices::id("actuator", given, actuators.len())?,
    };
    let actuator = &actuators[id];
    class(py, "ActuatorInfo")?.call1((
        id,
        &actuator.name,
        servo(actuator).map_or("other", |(word, _)| word),
        driven(model, actuator).map(|joint| &joint.name),
        actuator.control_range.map(|[low, high]| (low, high)),
        actuator.force_range.map(|[low, high]| (low, high)),
    ))
}

/// Which control holds a joint or actuator at a target, and at what value: the length of a servo is its gear times q.
pub fn target(model: &Model, name: &str, value: f64, velocity: bool) -> PyResult<(usize, f64)> {
    let wanted = if velocity { "velocity" } else { "position" };
    let actuators = &model.inner.world().actuators;
    if let Some(id) = actuators.iter().position(|a| a.name == name) {
        return match servo(&actuators[id]) {
            Some((word, _)) if word == wanted => Ok((id, gear(&actuators[id]) * value)),
            _ => Err(PyValueError::new_err(format!(
                "the actuator \"{name}\" is no {wanted} servo: set sim.actuator(\"{name}\").ctrl, or give the model a \
                 <{wanted}> actuator"
            ))),
        };
    }
    let joints = model.inner.multibody().joints();
    let Some(joint) = joints.iter().find(|j| j.name == name) else {
        let known = actuators.iter().map(|a| a.name.as_str()).chain(joints.iter().map(|j| j.name.as_str()));
        return Err(unknown("joint or actuator", name, known));
    };
    let drives = |a: &&(usize, &Actuator)| {
        driven(model, a.1).is_some_and(|j| j.name == joint.name)
            && servo(a.1).is_some_and(|(word, _)| word == wanted)
    };
    let all: Vec<(usize, &Actuator)> = actuators.iter().enumerate().collect();
    let found: Vec<_> = all.iter().filter(drives).collect();
    match found.as_slice() {
        [(id, actuator)] => Ok((*id, gear(actuator) * value)),
        [] => Err(PyValueError::new_err(format!(
            "no {wanted} servo drives the joint \"{name}\": give the model a <{wanted}> actuator on it"
        ))),
        several => {
            let names: Vec<&str> = several.iter().map(|(_, a)| a.name.as_str()).collect();
            Err(PyValueError::new_err(format!(
                "several {wanted} servos drive the joint \"{name}\": name one of them, {}",
                names.join(", ")
            )))
        }
    }
}

/// Whether an actuator is a motor, or a servo of position or velocity, and its gain.
fn servo(actuator: &Actuator) -> Option<(&'static str, f64)> {
    let ([gain, by_length, by_rate], bias) = (actuator.gain, actuator.bias);
    if actuator.muscle.is_some() || by_length != 0.0 || by_rate != 0.0 || bias[0] != 0.0 {
        return None;
    }
    match bias {
        [_, 0.0, 0.0] => Some(("motor", gain)),
        [_, length, _] if length != 0.0 && length == -gain => Some(("position", gain)),
        [_, 0.0, rate] if rate == -gain => Some(("velocity", gain)),
        _ => None,
    }
}

/// Length of the transmission per unit of the joint's coordinate.
fn gear(actuator: &Actuator) -> f64 {
    match actuator.transmission {
        Transmission::Joint { gear, .. } | Transmission::JointInParent { gear, .. } => gear[0],
        _ => 1.0,
    }
}

/// The joint that an actuator drives, if it has one coordinate.
fn driven<'a>(model: &'a Model, actuator: &Actuator) -> Option<&'a JointInfo> {
    let (Transmission::Joint { body, joint, .. } | Transmission::JointInParent { body, joint, .. }) =
        actuator.transmission
    else {
        return None;
    };
    let joints = model.inner.multibody().joints();
    joints.iter().find(|j| (j.body, j.index) == (body, joint) && j.q.len() == 1)
}

fn find_joint<'a>(model: &'a Model, given: &Bound<'_, PyAny>) -> PyResult<(usize, &'a JointInfo)> {
    let joints = model.inner.multibody().joints();
    let id = match given.extract::<String>() {
        Ok(name) => joints
            .iter()
            .position(|j| j.name == name)
            .ok_or_else(|| unknown("joint", &name, joints.iter().map(|j| j.name.as_str())))?,
        Err(_) => crate::indices::id("joint", given, joints.len())?,
    };
    Ok((id, &joints[id]))
}

fn slice<'py>(py: Python<'py>, range: &Range<usize>) -> Bound<'py, PySlice> {
    PySlice::new(py, range.start as isize, range.end as isize, 1)
}
