//! The numbers that are plotted: one a frame each.

use crate::error::RecordError;
use crate::scene::control_unit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use stiction::model::JointKind;
use stiction::multibody::Workspace;
use stiction::{Model, Simulation, Stats};

/// Which joint positions and velocities are recorded. Quaternions never are: poses of bodies are in every frame.
#[derive(Clone, Debug, PartialEq)]
pub enum JointChoice {
    /// All of them if they are no more than so many numbers; otherwise joints to parents only, the first so many.
    UpTo(usize),
    /// These, by name.
    Named(Vec<String>),
}

impl Default for JointChoice {
    fn default() -> Self {
        Self::UpTo(64)
    }
}

/// A channel of the user's own: its number is the one logged last, zero before the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserChannel {
    /// Name, unique among the user's channels.
    pub name: String,
    /// Unit; empty for none.
    pub unit: String,
}

/// Sets the numbers of the user's channels, from any thread and at any time.
#[derive(Clone, Debug, Default)]
pub struct UserLog {
    names: Arc<[String]>,
    values: Arc<Mutex<Vec<f64>>>,
}

impl UserLog {
    fn new(channels: &[UserChannel]) -> Result<Self, RecordError> {
        let names: Vec<String> = channels.iter().map(|channel| channel.name.clone()).collect();
        for (i, name) in names.iter().enumerate() {
            if name.is_empty() || names[..i].contains(name) {
                return Err(RecordError::Channel(name.clone()));
            }
        }
        Ok(Self { values: Arc::new(Mutex::new(vec![0.0; names.len()])), names: names.into() })
    }

    /// Sets the number of a channel, which the next frames show.
    pub fn log(&self, name: &str, value: f64) -> Result<(), RecordError> {
        match self.names.iter().position(|known| known == name) {
            Some(i) => self.values()[i] = value,
            None => return Err(RecordError::Log { name: name.into(), known: self.names.join(", ") }),
        }
        Ok(())
    }

    /// All numbers, in the order of the channels.
    pub fn all(&self) -> Vec<f64> {
        self.values().clone()
    }

    fn values(&self) -> MutexGuard<'_, Vec<f64>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A plotted number.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Name, unique in its group.
    pub name: String,
    /// Unit; empty for counts.
    pub unit: String,
    /// What it is plotted with.
    pub group: &'static str,
}

/// The channels of a model, and how they are read.
pub struct Channels {
    list: Vec<Channel>,
    /// Position and velocity coordinates of the joint channels, which come last: velocities, then positions.
    coordinates: Vec<[usize; 2]>,
    /// The user's channels, which come after all others.
    user: UserLog,
    /// Statistics at the last frame.
    before: Stats,
}

/// The group of the user's channels.
const USER: &str = "user";

/// The channels that every model has.
const COMMON: [(&str, &str, &str); 15] = [
    ("energy", "kinetic", "J"),
    ("energy", "potential", "J"),
    ("energy", "total", "J"),
    ("energy", "taken by friction", "J"),
    ("energy", "taken by normal forces", "J"),
    ("contact", "normal force", "N"),
    ("contact", "friction force", "N"),
    ("contact", "points", ""),
    ("contact", "patches", ""),
    ("contact", "largest penetration", "m"),
    ("slip", "largest slip", "m/s"),
    ("slip", "sticking points", ""),
    ("solver", "iterations a step", ""),
    ("solver", "unconverged steps", ""),
    ("step", "step", "s"),
];

impl Channels {
    /// The channels of a model with these joints, and the user's.
    pub fn new(model: &Model, joints: &JointChoice, user: &[UserChannel]) -> Result<Self, RecordError> {
        let mut list: Vec<Channel> = COMMON
            .iter()
            .map(|&(group, name, unit)| Channel { name: name.into(), unit: unit.into(), group })
            .collect();
        let world = model.world();
        list.extend(world.actuators.iter().enumerate().map(|(i, actuator)| {
            let name = if actuator.name.is_empty() { format!("actuator {i}") } else { actuator.name.clone() };
            Channel { name, unit: control_unit(world, actuator).into(), group: "controls" }
        }));
        let joints = joint_coordinates(model, joints)?;
        list.extend(joints.iter().map(|(_, name, unit)| {
            let unit = if *unit == "m" { "m/s" } else { "rad/s" };
            Channel { name: name.clone(), unit: unit.into(), group: "velocities" }
        }));
        let coordinates = joints.iter().map(|(coordinates, ..)| *coordinates).collect();
        list.extend(joints.into_iter().map(|(_, name, unit)| Channel {
            name,
            unit: unit.into(),
            group: "joints",
        }));
        list.extend(user.iter().cloned().map(|UserChannel { name, unit }| Channel {
            name,
            unit,
            group: USER,
        }));
        Ok(Self { list, coordinates, user: UserLog::new(user)?, before: Stats::default() })
    }

    /// Sets the numbers of the user's channels.
    pub fn log(&self) -> &UserLog {
        &self.user
    }

    /// The channels in order.
    pub fn list(&self) -> &[Channel] {
        &self.list
    }

    /// Counts from here on, as at the beginning of a recording.
    pub fn begin(&mut self, simulation: &Simulation) {
        self.before = *simulation.stats();
    }

    /// Appends the numbers of the present state; `workspace` has its positions and velocities.
    pub fn append(&mut self, simulation: &Simulation, workspace: &Workspace, out: &mut Vec<u8>) {
        let (multibody, state) = (simulation.model().multibody(), simulation.state());
        let (stats, report) = (simulation.stats(), simulation.last_report());
        let kinetic = multibody.kinetic_energy(workspace, &state.v);
        let potential = multibody.potential_energy(workspace) + multibody.spring_energy(&state.q);
        let touch = Touch::of(simulation);
        let steps = stats.steps.saturating_sub(self.before.steps);
        let iterations = stats.iterations.saturating_sub(self.before.iterations) as f64 / steps.max(1) as f64;
        let unconverged = stats.unconverged.saturating_sub(self.before.unconverged);
        let common: [f64; COMMON.len()] = [
            kinetic,
            potential,
            kinetic + potential,
            stats.friction_loss,
            stats.normal_loss,
            touch.normal,
            touch.friction,
            simulation.contacts().len() as f64,
            touch.patches as f64,
            report.max_penetration,
            touch.slip,
            touch.sticking as f64,
            iterations,
            unconverged as f64,
            report.step,
        ];
        self.before = *stats;
        crate::chunk::put_f32(out, &common);
        crate::chunk::put_f32(out, &state.ctrl);
        crate::chunk::put_f32(out, self.coordinates.iter().map(|&[_, v]| &state.v[v]));
        crate::chunk::put_f32(out, self.coordinates.iter().map(|&[q, _]| &state.q[q]));
        crate::chunk::put_f32(out, self.user.values().iter());
    }
}

/// Sums over what touched in the last step.
#[derive(Default)]
struct Touch {
    /// Normal forces, N.
    normal: f64,
    /// Friction forces, N.
    friction: f64,
    /// Largest slip of a point or face that carries force, m/s.
    slip: f64,
    sticking: usize,
    patches: usize,
}

impl Touch {
    fn of(simulation: &Simulation) -> Self {
        let mut touch = Self::default();
        for contact in simulation.contacts() {
            let normal = contact.force.dot(&contact.normal);
            touch.normal += normal;
            touch.friction += (contact.force - normal * contact.normal).norm();
            touch.sticking += usize::from(contact.sticking);
            if normal > 0.0 {
                touch.slip = touch.slip.max(contact.slip.norm());
            }
        }
        for patch in simulation.patch_views() {
            touch.patches += 1;
            for face in patch.faces() {
                let normal = face.force.dot(&face.normal);
                touch.normal += normal;
                touch.friction += (face.force - normal * face.normal).norm();
                if normal > 0.0 {
                    touch.slip = touch.slip.max(face.slip.norm());
                }
            }
        }
        touch
    }
}

/// Position and velocity coordinate of a joint, its name and the unit of the position.
type Coordinate = ([usize; 2], String, &'static str);

/// The coordinates to record.
fn joint_coordinates(model: &Model, choice: &JointChoice) -> Result<Vec<Coordinate>, RecordError> {
    let joints = model.multibody().joints();
    let mut found = Vec::new();
    let mut add = |joint: &stiction::multibody::JointInfo| {
        let parts: &[(&str, &'static str)] = match joint.kind {
            JointKind::Hinge { .. } | JointKind::Screw { .. } => &[("", "rad")],
            JointKind::Slide { .. } => &[("", "m")],
            JointKind::Cylindrical { .. } => &[(" along", "m"), (" about", "rad")],
            JointKind::Universal { .. } => &[(" first", "rad"), (" second", "rad")],
            JointKind::Planar { .. } => &[(" x", "m"), (" y", "m"), (" angle", "rad")],
            JointKind::Free => &[(" x", "m"), (" y", "m"), (" z", "m")],
            JointKind::Ball => &[],
        };
        found.extend(
            parts
                .iter()
                .zip(joint.q.clone().zip(joint.v.clone()))
                .map(|(&(part, unit), (q, v))| ([q, v], format!("{}{part}", joint.name), unit)),
        );
    };
    match choice {
        JointChoice::UpTo(most) => {
            let free = |j: &&stiction::multibody::JointInfo| matches!(j.kind, JointKind::Free);
            joints.iter().filter(|j| !free(j)).for_each(&mut add);
            joints.iter().filter(free).for_each(&mut add);
            if found.len() > *most {
                let bound = found.len() - 3 * joints.iter().filter(free).count();
                found.truncate(bound.min(*most));
            }
        }
        JointChoice::Named(names) => {
            for name in names {
                let joint = joints.iter().find(|j| j.name == *name).ok_or_else(|| {
                    let known: Vec<&str> = joints.iter().map(|j| j.name.as_str()).collect();
                    RecordError::Joint { name: name.clone(), known: known.join(", ") }
                })?;
                add(joint);
            }
        }
    }
    Ok(found)
}
