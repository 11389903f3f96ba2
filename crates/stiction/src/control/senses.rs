//! Measurements that controllers can request. They are part of the state.

use crate::contact::patch_view::SolvedPatches;
use crate::contact::result::Contact;
use crate::model::{Compiled, GeomId};
use crate::sensing::tactile::{TactileGrid, TactileImage};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Measurements that a controller requests. They are taken at the end of each step before one of its samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Senses {
    /// Readings of all sensors of the model.
    pub sensors: bool,
    /// Forces between pairs of geoms that touch.
    pub touches: bool,
    /// Forces of actuators along the joints.
    pub joint_torques: bool,
    /// Bodies whose wrench from the parent is measured.
    pub bodies: Vec<usize>,
    /// Tactile grids.
    pub skins: Vec<TactileGrid>,
}

impl Senses {
    /// No measurements and no cost.
    pub const fn nothing() -> Self {
        Self { sensors: false, touches: false, joint_torques: false, bodies: Vec::new(), skins: Vec::new() }
    }

    /// Contact forces only.
    pub fn touches() -> Self {
        Self { touches: true, ..Self::nothing() }
    }

    /// Sensors, contact forces and joint torques; add bodies and skins by name.
    pub fn all() -> Self {
        Self { sensors: true, touches: true, joint_torques: true, ..Self::nothing() }
    }

    /// Whether any measurement is requested.
    pub fn any(&self) -> bool {
        self.readings() || self.touches || !self.skins.is_empty()
    }

    /// Whether any measurement that depends on sensor readings is requested.
    pub(crate) fn readings(&self) -> bool {
        self.sensors || self.joint_torques || !self.bodies.is_empty()
    }

    /// Adds the requests of another controller. Its skins are appended.
    pub(crate) fn add(&mut self, other: &Senses) {
        self.sensors |= other.sensors;
        self.touches |= other.touches;
        self.joint_torques |= other.joint_torques;
        for &body in &other.bodies {
            if !self.bodies.contains(&body) {
                self.bodies.push(body);
            }
        }
        self.skins.extend(other.skins.iter().cloned());
    }
}

/// Measurements for controllers at the end of a step; part of [`State`](crate::State). Only requested measurements
/// are filled.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Time of the measurement, s; none before the first.
    pub time: Option<f64>,
    /// Readings of all sensors.
    pub sensors: Vec<f64>,
    /// Contacts, ordered by geom pair.
    pub touches: Vec<Touch>,
    /// Forces of actuators along each velocity coordinate, N or N m.
    pub joint_torques: Vec<f64>,
    /// Bodies whose wrenches were requested.
    pub bodies: Vec<usize>,
    /// Wrench from its parent on each of them, about the body's origin in its axes, [moment; force].
    pub wrenches: Vec<[f64; 6]>,
    /// Readings of the tactile skins.
    pub skins: Vec<TactileImage>,
}

impl Measured {
    /// Whether it contains the measurements of `senses`, taken at `time`. A state may come from a simulation with
    /// other controllers.
    pub(crate) fn serves(&self, senses: &Senses, time: f64, compiled: &Compiled) -> bool {
        let readings = self.sensors.len() == compiled.sensors.len()
            && self.joint_torques.len() == compiled.multibody.nv()
            && self.bodies == senses.bodies
            && self.wrenches.len() == senses.bodies.len();
        self.time == Some(time)
            && (readings || !senses.readings())
            && self.skins.len() == senses.skins.len()
            && self.skins.iter().zip(&senses.skins).all(|(i, s)| (i.rows, i.columns) == s.shape())
    }
}

/// A geom, all geoms of a body, or any geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The geom of this index.
    Geom(GeomId),
    /// The geoms of the body of this index.
    Body(usize),
    /// Any geom.
    Any,
}

/// Contact between two geoms during a step. Vectors are in world axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    /// Index of geom A in the world's list.
    pub geom_a: GeomId,
    /// Index of geom B.
    pub geom_b: GeomId,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Force on B, N.
    pub force: Vector3<f64>,
    /// Moment on B about `point`, N m.
    pub moment: Vector3<f64>,
    /// Centre of the normal forces, m.
    pub point: Vector3<f64>,
    /// Mean direction of the normal forces, from A into B, unit length.
    pub normal: Vector3<f64>,
    /// Sum of the sizes of the normal forces, N.
    pub normal_force: f64,
    /// Area under pressure, m²; 0 for contact points.
    pub area: f64,
}

impl Touch {
    fn none(geoms: (GeomId, GeomId), bodies: (usize, usize)) -> Self {
        let zero = Vector3::zeros();
        let ((geom_a, geom_b), (body_a, body_b)) = (geoms, bodies);
        Self {
            geom_a,
            geom_b,
            body_a,
            body_b,
            force: zero,
            moment: zero,
            point: zero,
            normal: zero,
            normal_force: 0.0,
            area: 0.0,
        }
    }

    /// Adds a force at a point with a moment about it; the moment is kept about the world's origin until `finish`.
    fn add(
        &mut self,
        point: &Vector3<f64>,
        normal: &Vector3<f64>,
        force: &Vector3<f64>,
        moment: &Vector3<f64>,
    ) {
        let pressed = force.dot(normal);
        self.force += force;
        self.moment += point.cross(force) + moment;
        self.normal_force += pressed;
        self.point += pressed * point;
        self.normal += pressed * normal;
    }

    /// Computes the means and moves the moment to the centre. Returns `None` if there was no normal force.
    fn finish(mut self) -> Option<Self> {
        if self.normal_force.is_nan() || self.normal_force <= 0.0 {
            return None;
        }
        self.point /= self.normal_force;
        self.moment -= self.point.cross(&self.force);
        let length = self.normal.norm();
        if length > 0.0 {
            self.normal /= length;
        }
        Some(self)
    }

    /// The contact with `other` as A and `part` as B, if it is between them.
    pub fn seen_from(&self, part: Part, other: Part) -> Option<Self> {
        let fits = |part: Part, geom: GeomId, body: usize| match part {
            Part::Geom(g) => g == geom,
            Part::Body(b) => b == body,
            Part::Any => true,
        };
        if fits(part, self.geom_b, self.body_b) && fits(other, self.geom_a, self.body_a) {
            return Some(*self);
        }
        let fits = fits(part, self.geom_a, self.body_a) && fits(other, self.geom_b, self.body_b);
        fits.then_some(Self {
            geom_a: self.geom_b,
            geom_b: self.geom_a,
            body_a: self.body_b,
            body_b: self.body_a,
            force: -self.force,
            moment: -self.moment,
            normal: -self.normal,
            ..*self
        })
    }
}

/// Sums contact points and faces of patches for each pair of geoms, ordered by pair.
pub(crate) fn gather(
    contacts: &[Contact],
    patches: SolvedPatches,
    compiled: &Compiled,
    out: &mut Vec<Touch>,
) {
    out.clear();
    for group in contacts.chunk_by(|c, d| (c.geom_a, c.geom_b) == (d.geom_a, d.geom_b)) {
        let first = &group[0];
        let mut touch = Touch::none((first.geom_a, first.geom_b), (first.body_a, first.body_b));
        group.iter().for_each(|c| touch.add(&c.position, &c.normal, &c.force, &c.torque));
        out.extend(touch.finish());
    }
    if patches.complete() {
        for found in &patches.found.patches {
            let (a, b) = found.geoms;
            let pair = (compiled.colliding.in_world(a), compiled.colliding.in_world(b));
            let mut touch = Touch::none(pair, (compiled.geom(a).body, compiled.geom(b).body));
            touch.area = found.patch.area;
            for index in found.patch.faces.clone() {
                let (face, result) = (&patches.found.faces.faces[index], &patches.results[index]);
                touch.add(&face.centroid, &face.normal, &result.force, &result.moment);
            }
            out.extend(touch.finish());
        }
    }
    out.sort_unstable_by_key(|t| (t.geom_a, t.geom_b));
}
