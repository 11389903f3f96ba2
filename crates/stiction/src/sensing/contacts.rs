//! Contact sensors: selection of contact points and patches of the last step, and their readings.
//!
//! A contact matches if its sides are those of the sensor, in either order. It is then read from the sensor's first
//! side to its second. Its frame is (n, t, n × t) with the normal n from the first to the second side. If the order
//! is reversed, n and t change their signs and the third axis stays:
//!
//! ```text
//! n = normal        t = e − (n·e) n, scaled to one;  e = y, or z where |n·y| ≥ 1/2
//! ```
//!
//! A patch counts as one contact at the centre of its normal forces. Points come before patches.

use crate::contact::result::Contact;
use crate::control::Touch;
use crate::model::{Compiled, GeomId};
use crate::sensing::sensors::{Loads, inside};
use crate::step::kinematics::{parts, twist_at};
use nalgebra::Vector3;
use stiction_model::{ContactChoice, ContactField, ContactReading, ContactsOf, Pose};

type V3 = Vector3<f64>;

/// A contact point or a patch, as sensors read it; vectors in world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SensedContact {
    geoms: [GeomId; 2],
    bodies: [usize; 2],
    position: V3,
    /// From the first into the second.
    normal: V3,
    /// On the second, with the moment about `position`.
    force: V3,
    moment: V3,
    distance: f64,
}

impl SensedContact {
    /// A contact point. `None` if it is separated and carries no force (speculative points).
    pub fn of_point(c: &Contact) -> Option<Self> {
        (c.penetration >= 0.0 || c.force != V3::zeros()).then(|| Self {
            geoms: [c.geom_a, c.geom_b],
            bodies: [c.body_a, c.body_b],
            position: c.position,
            normal: c.normal,
            force: c.force,
            moment: c.torque,
            distance: -c.penetration,
        })
    }

    pub fn of_patch(t: &Touch) -> Self {
        Self {
            geoms: [t.geom_a, t.geom_b],
            bodies: [t.body_a, t.body_b],
            position: t.point,
            normal: t.normal,
            force: t.force,
            moment: t.moment,
            distance: 0.0,
        }
    }
}

/// Normal, tangent and third axis of a contact.
fn frame(normal: &V3) -> [V3; 3] {
    let across = if normal.y.abs() < 0.5 { V3::y() } else { V3::z() };
    let tangent = (across - normal * normal.dot(&across)).normalize();
    [*normal, tangent, normal.cross(&tangent)]
}

impl Compiled {
    /// Whether a contact matches, and whether it must be reversed.
    fn matches(&self, reading: &ContactReading, meeting: &SensedContact, x_wb: &[Pose]) -> Option<bool> {
        if let ContactsOf::Site(s) = reading.first {
            let site = &self.world.sites[s];
            let x_ws = x_wb[site.body] * site.pose;
            if !inside(&site.shape, &x_ws.inverse_transform_point(&meeting.position.into()).coords) {
                return None;
            }
        }
        let is = |side: ContactsOf, k: usize| match side {
            ContactsOf::Any | ContactsOf::Site(_) => true,
            ContactsOf::Geom(g) => meeting.geoms[k] == GeomId(g),
            ContactsOf::Body(b) => meeting.bodies[k] == b,
            ContactsOf::Subtree(b) => (b..self.sensors.subtree_end[b]).contains(&meeting.bodies[k]),
        };
        if is(reading.first, 0) && is(reading.second, 1) {
            Some(false)
        } else if is(reading.first, 1) && is(reading.second, 0) {
            Some(true)
        } else {
            None
        }
    }

    /// Reads a contact sensor.
    pub fn read_contacts(&self, reading: &ContactReading, loads: &mut Loads, out: &mut [f64]) {
        out.fill(0.0);
        let Loads { chosen, sensed, x_wb, .. } = loads;
        chosen.clear();
        for (k, meeting) in sensed.iter().enumerate() {
            let Some(turned) = self.matches(reading, meeting, x_wb) else { continue };
            let key = match reading.choice {
                ContactChoice::First | ContactChoice::Sum => 0.0,
                ContactChoice::Nearest => meeting.distance,
                ContactChoice::Strongest => -meeting.force.norm(),
            };
            chosen.push((key, k, turned));
        }
        if chosen.is_empty() || reading.slots == 0 {
            return;
        }
        let found = chosen.len() as f64;
        let width = reading.fields.size();
        if reading.choice == ContactChoice::Sum {
            let sum = self.sum(loads);
            write(reading, &sum, found, &mut out[..width]);
            return;
        }
        // The index of the contact makes the order unique.
        chosen.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for slot in 0..chosen.len().min(reading.slots) {
            let (_, k, turned) = loads.chosen[slot];
            let meeting = &loads.sensed[k];
            let (angular, linear) = self.relative_motion(loads, meeting);
            let mut seen = Seen { frame: frame(&meeting.normal), meeting: *meeting, linear, angular };
            if turned {
                seen.turn();
            }
            write(reading, &seen, found, &mut out[slot * width..(slot + 1) * width]);
        }
    }

    /// Angular and linear velocity of the second body relative to the first at a contact, at the beginning of the step.
    fn relative_motion(&self, loads: &Loads, meeting: &SensedContact) -> (V3, V3) {
        let at = |body: usize| -> (V3, V3) {
            parts(&twist_at(&self.multibody, loads.workspace, body, &meeting.position))
        };
        let (first, second) = (at(meeting.bodies[0]), at(meeting.bodies[1]));
        (second.0 - first.0, second.1 - first.1)
    }

    /// Resultant of all selected contacts on the second side.
    fn sum(&self, loads: &Loads) -> Seen {
        let sign = |turned: bool| if turned { -1.0 } else { 1.0 };
        let chosen = || loads.chosen.iter().map(|&(_, k, turned)| (&loads.sensed[k], sign(turned)));
        let weight: f64 = chosen().map(|(m, _)| m.force.norm()).sum();
        let position = if weight > 0.0 {
            chosen().map(|(m, _)| m.position * m.force.norm()).sum::<V3>() / weight
        } else {
            chosen().map(|(m, _)| m.position).sum::<V3>() / loads.chosen.len() as f64
        };
        let force = chosen().map(|(m, sign)| sign * m.force).sum();
        let moment =
            chosen().map(|(m, sign)| sign * (m.moment + (m.position - position).cross(&m.force))).sum();
        let meeting = SensedContact {
            geoms: [GeomId::default(); 2],
            bodies: [0; 2],
            position,
            normal: V3::x(),
            force,
            moment,
            distance: 0.0,
        };
        let axes = [V3::x(), V3::y(), V3::z()];
        Seen { meeting, frame: axes, linear: V3::zeros(), angular: V3::zeros() }
    }
}

/// A contact as a sensor sees it.
struct Seen {
    meeting: SensedContact,
    frame: [V3; 3],
    linear: V3,
    angular: V3,
}

impl Seen {
    /// Reverses the contact.
    fn turn(&mut self) {
        let [n, t, b] = self.frame;
        self.frame = [-n, -t, b];
        let m = &mut self.meeting;
        (m.force, m.moment) = (-m.force, -m.moment);
        (self.linear, self.angular) = (-self.linear, -self.angular);
    }
}

fn write(reading: &ContactReading, seen: &Seen, found: f64, out: &mut [f64]) {
    let own = |v: &V3| seen.frame.map(|axis| axis.dot(v));
    let world = |v: &V3| [v.x, v.y, v.z];
    let mut at = 0;
    for field in reading.fields.iter() {
        let value = match field {
            ContactField::Found => [found, 0.0, 0.0],
            ContactField::Force => own(&seen.meeting.force),
            ContactField::Torque => own(&seen.meeting.moment),
            ContactField::Distance => [seen.meeting.distance, 0.0, 0.0],
            ContactField::Position => world(&seen.meeting.position),
            ContactField::Normal => world(&seen.frame[0]),
            ContactField::Tangent => world(&seen.frame[1]),
            ContactField::LinearVelocity => own(&seen.linear),
            ContactField::AngularVelocity => own(&seen.angular),
        };
        let size = field.size();
        out[at..at + size].copy_from_slice(&value[..size]);
        at += size;
    }
}
