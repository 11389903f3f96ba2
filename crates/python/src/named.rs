//! Bodies, joints, geoms, sites, actuators and others by name: what the model says of them, and handles on those of a simulation.

use crate::changes::geom;
use crate::errors::{InputError, input_error};
use crate::frames::{self, read_only};
use crate::model::{Model, unknown};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};
use std::ops::Range;
use stiction::ActuatorLaw;
use stiction::model::{Actuator, Compliance, EqualityKind, GeomRole, Pose, Shape, Transmission, World};
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
        read_only(PyArray1::from_slice(py, inertia.com.as_slice()).into_any())?,
        read_only(
            PyArray2::from_vec2(py, &rows).map_err(|e| InputError::new_err(e.to_string()))?.into_any(),
        )?,
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
        dofs.first().map_or(0.0, |d| d.damping),
        dofs.first().map_or(0.0, |d| d.friction),
        dofs.first().map_or(0.0, |d| d.armature),
    ))
}

pub fn site<'py>(py: Python<'py>, model: &Model, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let id = frames::site(model, given)?;
    let site = &model.inner.world().sites[id];
    let (position, turn) = place(&site.pose);
    class(py, "SiteInfo")?.call1((id, &site.name, site.body, position, turn))
}

pub fn camera<'py>(py: Python<'py>, model: &Model, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let id = frames::camera(model, given)?;
    let camera = &model.inner.world().visual.cameras[id];
    let (position, turn) = place(&camera.pose);
    let (field, resolution) = (camera.field_of_view, (camera.resolution[0], camera.resolution[1]));
    class(py, "CameraInfo")?.call1((id, &camera.name, camera.body, position, turn, field, resolution))
}

/// Numbers that make a pose: position and quaternion, w first.
fn place(pose: &Pose) -> ([f64; 3], [f64; 4]) {
    let turn = pose.rotation;
    (pose.translation.vector.into(), [turn.w, turn.i, turn.j, turn.k])
}

pub fn equality_names(model: &Model) -> Vec<String> {
    let equalities = model.inner.world().equalities.iter().enumerate();
    equalities.map(|(i, e)| if e.name.is_empty() { format!("#{i}") } else { e.name.clone() }).collect()
}

/// An equality's id from its name or id.
pub fn find_equality(model: &Model, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    frames::by_name("equality", equality_names(model).iter().map(String::as_str), given)
}

pub fn equality<'py>(
    py: Python<'py>,
    model: &Model,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let id = find_equality(model, given)?;
    let equality = &model.inner.world().equalities[id];
    let word = match equality.kind {
        EqualityKind::Connect { .. } => "connect",
        EqualityKind::Weld { .. } => "weld",
        EqualityKind::Distance { .. } => "distance",
        EqualityKind::Joint { .. } => "joint",
        EqualityKind::Tendon { .. } => "tendon",
    };
    let bodies = equality.bodies().map(|[(a, _), (b, _)]| (a, b));
    class(py, "EqualityInfo")?.call1((id, &equality_names(model)[id], word, bodies, equality.active))
}

pub fn keyframe<'py>(
    py: Python<'py>,
    model: &Model,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let text = crate::indices::keyframe(given)?;
    let state = model.inner.keyframe_state(&text).map_err(input_error)?;
    let keys = &model.inner.world().keyframes;
    let id = keys.iter().position(|k| k.name == text).or_else(|| text.parse().ok()).unwrap_or(0);
    let poses: Vec<Pose> = state.mocap.iter().map(|m| m.pose).collect();
    let mocap = frames::pose_rows(py, &poses)?;
    let vector = |values: &[f64]| read_only(PyArray1::from_slice(py, values).into_any());
    class(py, "Keyframe")?.call1((
        id,
        &keys[id].name,
        state.time,
        vector(&state.q)?,
        vector(&state.v)?,
        vector(&state.activation)?,
        vector(&state.ctrl)?,
        mocap.get_item(0)?,
        mocap.get_item(1)?,
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
        collides(world, id),
        contact.restitution.unwrap_or(0.0),
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

/// Whether a geom has contacts, by its filter or in an explicit pair.
pub fn collides(world: &World, id: usize) -> bool {
    let geom = &world.geoms[id];
    let filtered = geom.filter.group == 0 && geom.filter.mask == 0;
    let in_pair = || world.pairs.iter().any(|pair| pair.geom_a == id || pair.geom_b == id);
    (geom.role != GeomRole::Visual && !filtered) || in_pair()
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
    let id = find_actuator(model, given)?;
    let actuator = &model.inner.world().actuators[id];
    let law = ActuatorLaw::of(actuator);
    class(py, "ActuatorInfo")?.call1((
        id,
        &actuator.name,
        law.word(),
        driven(model, actuator).map(|joint| &joint.name),
        actuator.control_range.map(|[low, high]| (low, high)),
        actuator.force_range.map(|[low, high]| (low, high)),
        (law == ActuatorLaw::Position).then_some(actuator.gain[0]),
        match law {
            ActuatorLaw::Position => Some(-actuator.bias[2]),
            ActuatorLaw::Velocity => Some(actuator.gain[0]),
            _ => None,
        },
    ))
}

/// An actuator's id from its name or id.
pub fn find_actuator(model: &Model, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    frames::by_name("actuator", model.inner.world().actuators.iter().map(|a| a.name.as_str()), given)
}

/// Which control holds a joint or actuator at a target, and at what value: the length of a servo is its gear times q.
pub fn target(model: &Model, name: &str, value: f64, velocity: bool) -> PyResult<(usize, f64)> {
    let wanted = if velocity { "velocity" } else { "position" };
    let actuators = &model.inner.world().actuators;
    if let Some(id) = actuators.iter().position(|a| a.name == name) {
        return match ActuatorLaw::of(&actuators[id]).word() {
            word if word == wanted => Ok((id, gear(&actuators[id]) * value)),
            _ => Err(InputError::new_err(format!(
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
        driven(model, a.1).is_some_and(|j| j.name == joint.name) && ActuatorLaw::of(a.1).word() == wanted
    };
    let all: Vec<(usize, &Actuator)> = actuators.iter().enumerate().collect();
    let found: Vec<_> = all.iter().filter(drives).collect();
    match found.as_slice() {
        [(id, actuator)] => Ok((*id, gear(actuator) * value)),
        [] => Err(InputError::new_err(format!(
            "no {wanted} servo drives the joint \"{name}\": give the model a <{wanted}> actuator on it"
        ))),
        several => {
            let names: Vec<&str> = several.iter().map(|(_, a)| a.name.as_str()).collect();
            Err(InputError::new_err(format!(
                "several {wanted} servos drive the joint \"{name}\": name one of them, {}",
                names.join(", ")
            )))
        }
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

pub fn find_joint<'a>(model: &'a Model, given: &Bound<'_, PyAny>) -> PyResult<(usize, &'a JointInfo)> {
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
