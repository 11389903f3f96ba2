//! Sensors of an MJCF model.

use super::Export;
use super::links::joint_name;
use super::xml::{Attributes, Xml, a};
use crate::mjcf::CONTACT_DATA;
use std::collections::BTreeSet;
use stiction_model::{
    ContactChoice, ContactReading, ContactsOf, FrameOf, GeomsOf, SensorKind as S, Shape, Site, World,
};

/// Writes the sensors.
pub fn write(world: &World, xml: &mut Xml, out: &mut Export) {
    if world.sensors.is_empty() {
        return;
    }
    xml.open("sensor", a());
    for sensor in &world.sensors {
        let mut base = a();
        if !sensor.name.is_empty() {
            base = base.text("name", &sensor.name);
        }
        if let Some(cutoff) = sensor.cutoff {
            base = base.number("cutoff", cutoff);
        }
        match element(world, &sensor.kind, base) {
            Some((name, attributes)) => xml.leaf(name, attributes),
            None => {
                out.lose(format!("the sensor \"{}\" cannot be said in MJCF and is left out", sensor.name))
            }
        }
    }
    xml.close();
}

fn element(world: &World, kind: &S, base: Attributes) -> Option<(&'static str, Attributes)> {
    let site = |name, base: Attributes, s: usize| Some((name, base.text("site", &world.sites[s].name)));
    let joint = |name, base: Attributes, j| Some((name, base.text("joint", &joint_name(world, j))));
    let tendon = |name, base: Attributes, t: usize| Some((name, base.text("tendon", &world.tendons[t].name)));
    let actuator =
        |name, base: Attributes, k: usize| Some((name, base.text("actuator", &world.actuators[k].name)));
    let body = |name, base: Attributes, b: usize| Some((name, base.text("body", &world.bodies[b].name)));
    let frame = |name, base: Attributes, f: &FrameOf, r: &Option<FrameOf>| {
        let (kind, object) = object(world, f)?;
        let base = base.text("objtype", kind).text("objname", &object);
        match r {
            None => Some((name, base)),
            Some(r) => {
                let (kind, object) = self::object(world, r)?;
                Some((name, base.text("reftype", kind).text("refname", &object)))
            }
        }
    };
    match *kind {
        S::Touch { site: s } => site("touch", base, s),
        S::Accelerometer { site: s } => site("accelerometer", base, s),
        S::Velocimeter { site: s } => site("velocimeter", base, s),
        S::Gyro { site: s } => site("gyro", base, s),
        S::Force { site: s } => site("force", base, s),
        S::Torque { site: s } => site("torque", base, s),
        S::Magnetometer { site: s } => site("magnetometer", base, s),
        S::Rangefinder { site: s } => site("rangefinder", base, s),
        S::JointPosition { joint: j } => joint("jointpos", base, j),
        S::JointVelocity { joint: j } => joint("jointvel", base, j),
        S::JointActuatorForce { joint: j } => joint("jointactuatorfrc", base, j),
        S::JointLimitPosition { joint: j } => joint("jointlimitpos", base, j),
        S::BallOrientation { joint: j } => joint("ballquat", base, j),
        S::BallVelocity { joint: j } => joint("ballangvel", base, j),
        S::TendonPosition { tendon: t } => tendon("tendonpos", base, t),
        S::TendonVelocity { tendon: t } => tendon("tendonvel", base, t),
        S::TendonActuatorForce { tendon: t } => tendon("tendonactuatorfrc", base, t),
        S::TendonLimitPosition { tendon: t } => tendon("tendonlimitpos", base, t),
        S::ActuatorPosition { actuator: k } => actuator("actuatorpos", base, k),
        S::ActuatorVelocity { actuator: k } => actuator("actuatorvel", base, k),
        S::ActuatorForce { actuator: k } => actuator("actuatorfrc", base, k),
        S::FramePosition { frame: f, reference } => frame("framepos", base, &f, &reference),
        S::FrameOrientation { frame: f, reference } => frame("framequat", base, &f, &reference),
        S::FrameAxis { frame: f, axis, reference } => {
            let name = ["framexaxis", "frameyaxis", "framezaxis"].get(axis)?;
            frame(name, base, &f, &reference)
        }
        S::FrameLinearVelocity { frame: f, reference } => frame("framelinvel", base, &f, &reference),
        S::FrameAngularVelocity { frame: f, reference } => frame("frameangvel", base, &f, &reference),
        S::FrameLinearAcceleration { frame: f } => frame("framelinacc", base, &f, &None),
        S::FrameAngularAcceleration { frame: f } => frame("frameangacc", base, &f, &None),
        S::SubtreeCenterOfMass { body: b } => body("subtreecom", base, b),
        S::SubtreeVelocity { body: b } => body("subtreelinvel", base, b),
        S::SubtreeAngularMomentum { body: b } => body("subtreeangmom", base, b),
        S::InsideSite { frame: f, site: s } => {
            let (name, base) = frame("insidesite", base, &f, &None)?;
            Some((name, base.text("site", &world.sites[s].name)))
        }
        S::JointLimitVelocity { joint: j } => joint("jointlimitvel", base, j),
        S::JointLimitForce { joint: j } => joint("jointlimitfrc", base, j),
        S::TendonLimitVelocity { tendon: t } => tendon("tendonlimitvel", base, t),
        S::TendonLimitForce { tendon: t } => tendon("tendonlimitfrc", base, t),
        S::Distance { first, second } => {
            Some(("distance", geoms(world, geoms(world, base, first, '1'), second, '2')))
        }
        S::DistanceDirection { first, second } => {
            Some(("normal", geoms(world, geoms(world, base, first, '1'), second, '2')))
        }
        S::DistancePoints { first, second } => {
            Some(("fromto", geoms(world, geoms(world, base, first, '1'), second, '2')))
        }
        S::Contact { contact } => Some(("contact", contact_attributes(world, base, &contact))),
        S::CameraProjection { site: s, camera } => {
            let (name, base) = site("camprojection", base, s)?;
            Some((name, base.text("camera", &object(world, &FrameOf::Camera(camera))?.1)))
        }
        S::User { size } => Some(("user", base.text("dim", &size.to_string()))),
        S::PotentialEnergy => Some(("e_potential", base)),
        S::KineticEnergy => Some(("e_kinetic", base)),
        S::Clock => Some(("clock", base)),
    }
}

/// One side of a distance. Readers give every geom a name.
fn geoms(world: &World, base: Attributes, side: GeomsOf, number: char) -> Attributes {
    match side {
        GeomsOf::Geom(g) => base.text(&format!("geom{number}"), &world.geoms[g].name),
        GeomsOf::Body(b) => base.text(&format!("body{number}"), &world.bodies[b].name),
    }
}

fn contact_attributes(world: &World, base: Attributes, contact: &ContactReading) -> Attributes {
    let mut base = base;
    for (side, number) in [(contact.first, '1'), (contact.second, '2')] {
        base = match side {
            ContactsOf::Any => base,
            ContactsOf::Geom(g) => base.text(&format!("geom{number}"), &world.geoms[g].name),
            ContactsOf::Body(b) => base.text(&format!("body{number}"), &world.bodies[b].name),
            ContactsOf::Subtree(b) => base.text(&format!("subtree{number}"), &world.bodies[b].name),
            ContactsOf::Site(s) => base.text("site", &world.sites[s].name),
        };
    }
    let reduce = match contact.choice {
        ContactChoice::First => "none",
        ContactChoice::Nearest => "mindist",
        ContactChoice::Strongest => "maxforce",
        ContactChoice::Sum => "netforce",
    };
    let words: Vec<&str> = contact.fields.iter().map(|f| CONTACT_DATA[f as usize]).collect();
    let base = base.text("num", &contact.slots.to_string());
    base.text("data", &words.join(" ")).text("reduce", reduce)
}

/// The words by which MJCF names a frame; `None` if it has no name or is not written.
fn object(world: &World, frame: &FrameOf) -> Option<(&'static str, String)> {
    match *frame {
        FrameOf::Body(b) => Some(("xbody", world.bodies[b].name.clone())),
        FrameOf::Inertial(b) => Some(("body", world.bodies[b].name.clone())),
        FrameOf::Geom(g) if on_mesh(world, g) => Some(("site", mesh_frame(g))),
        FrameOf::Geom(g) => Some(("geom", world.geoms[g].name.clone())).filter(|(_, n)| !n.is_empty()),
        FrameOf::Site(s) => Some(("site", world.sites[s].name.clone())),
        FrameOf::Camera(c) => {
            Some(("camera", world.visual.cameras[c].name.clone())).filter(|(_, n)| !n.is_empty())
        }
    }
}

fn on_mesh(world: &World, geom: usize) -> bool {
    matches!(world.geoms[geom].shape, Shape::Mesh { .. })
}

fn mesh_frame(geom: usize) -> String {
    format!("mesh_frame_{geom}")
}

/// Sites at the frames of mesh geoms that sensors speak in: meshes are written as shells, whose centre and axes are others.
pub fn mesh_frames(world: &World) -> Vec<Site> {
    let frames = world.sensors.iter().flat_map(|sensor| match sensor.kind {
        S::FramePosition { frame, reference }
        | S::FrameOrientation { frame, reference }
        | S::FrameAxis { frame, reference, .. }
        | S::FrameLinearVelocity { frame, reference }
        | S::FrameAngularVelocity { frame, reference } => [Some(frame), reference],
        S::FrameLinearAcceleration { frame }
        | S::FrameAngularAcceleration { frame }
        | S::InsideSite { frame, .. } => [Some(frame), None],
        _ => [None, None],
    });
    let geoms: BTreeSet<usize> = frames
        .flatten()
        .filter_map(|frame| match frame {
            FrameOf::Geom(g) if on_mesh(world, g) => Some(g),
            _ => None,
        })
        .collect();
    let site = |g: usize| {
        let geom = &world.geoms[g];
        let Shape::Mesh { mesh, .. } = geom.shape else { return Site::new(mesh_frame(g), geom.body) };
        Site { pose: geom.pose * world.meshes[mesh].frame, ..Site::new(mesh_frame(g), geom.body) }
    };
    geoms.into_iter().map(site).collect()
}
