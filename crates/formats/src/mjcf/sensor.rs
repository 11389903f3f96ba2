//! Sensors.

use super::reader::Reader;
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{
    ContactChoice, ContactField, ContactFields, ContactReading, ContactsOf, FrameOf, GeomsOf, Sensor,
    SensorKind,
};

/// The words of `data` for [`ContactField::ALL`].
pub const CONTACT_DATA: [&str; 9] =
    ["found", "force", "torque", "dist", "pos", "normal", "tangent", "linvel", "angvel"];

impl<'a> Reader<'a> {
    /// Reads every sensor of the document; those that are not known have been reported by the schema.
    pub fn sensors(&mut self, root: &'a Node) -> Read<()> {
        let nodes = || root.children_named("sensor").flat_map(|s| &s.children);
        let mut names = Names::new(nodes().filter_map(|n| n.attr("name")));
        for node in nodes() {
            let Some(kind) = self.sensor_kind(node)? else { continue };
            let name = match node.attr("name") {
                Some(name) if !name.is_empty() => name.to_string(),
                _ => names.free(&format!("sensor_{}", self.world.sensors.len())),
            };
            let cutoff = node.number("cutoff")?.filter(|c| *c > 0.0);
            self.world.sensors.push(Sensor { name, kind, cutoff, source: node.source() });
        }
        Ok(())
    }

    fn sensor_kind(&mut self, node: &'a Node) -> Read<Option<SensorKind>> {
        use SensorKind as K;
        let needs = |what: &str| node.error(format!("the sensor needs {what}=\"…\""));
        let site = || self.site_index(node, "site")?.ok_or_else(|| needs("site"));
        let joint = || self.joint_named(node, "joint")?.ok_or_else(|| needs("joint"));
        let tendon = || self.tendon_index(node, "tendon")?.ok_or_else(|| needs("tendon"));
        let actuator = || {
            let name = node.attr("actuator").ok_or_else(|| needs("actuator"))?;
            let found = self.actuator_indices.get(name).copied();
            found.ok_or_else(|| node.error(format!("actuator: there is no actuator \"{name}\"")))
        };
        let body = || self.body_named(node, "body")?.ok_or_else(|| needs("body"));
        let frame = || self.frame(node, "objtype", "objname")?.ok_or_else(|| needs("objtype and objname"));
        let reference = || self.frame(node, "reftype", "refname");
        let axis = |axis: usize| -> Read<SensorKind> {
            Ok(K::FrameAxis { frame: frame()?, axis, reference: reference()? })
        };
        Ok(Some(match node.name.as_str() {
            "touch" => K::Touch { site: site()? },
            "accelerometer" => K::Accelerometer { site: site()? },
            "velocimeter" => K::Velocimeter { site: site()? },
            "gyro" => K::Gyro { site: site()? },
            "force" => K::Force { site: site()? },
            "torque" => K::Torque { site: site()? },
            "magnetometer" => K::Magnetometer { site: site()? },
            "rangefinder" if node.attr("site").is_none() => {
                let message = "rangefinders of cameras are not read; give a site";
                self.report.warn(node, "rangefinder@camera", message)?;
                return Ok(None);
            }
            "rangefinder" => K::Rangefinder { site: site()? },
            "jointpos" => K::JointPosition { joint: joint()? },
            "jointvel" => K::JointVelocity { joint: joint()? },
            "jointactuatorfrc" => K::JointActuatorForce { joint: joint()? },
            "jointlimitpos" => K::JointLimitPosition { joint: joint()? },
            "ballquat" => K::BallOrientation { joint: joint()? },
            "ballangvel" => K::BallVelocity { joint: joint()? },
            "tendonpos" => K::TendonPosition { tendon: tendon()? },
            "tendonvel" => K::TendonVelocity { tendon: tendon()? },
            "tendonactuatorfrc" => K::TendonActuatorForce { tendon: tendon()? },
            "tendonlimitpos" => K::TendonLimitPosition { tendon: tendon()? },
            "actuatorpos" => K::ActuatorPosition { actuator: actuator()? },
            "actuatorvel" => K::ActuatorVelocity { actuator: actuator()? },
            "actuatorfrc" => K::ActuatorForce { actuator: actuator()? },
            "framepos" => K::FramePosition { frame: frame()?, reference: reference()? },
            "framequat" => K::FrameOrientation { frame: frame()?, reference: reference()? },
            "framexaxis" => axis(0)?,
            "frameyaxis" => axis(1)?,
            "framezaxis" => axis(2)?,
            "framelinvel" => K::FrameLinearVelocity { frame: frame()?, reference: reference()? },
            "frameangvel" => K::FrameAngularVelocity { frame: frame()?, reference: reference()? },
            "framelinacc" => K::FrameLinearAcceleration { frame: frame()? },
            "frameangacc" => K::FrameAngularAcceleration { frame: frame()? },
            "subtreecom" => K::SubtreeCenterOfMass { body: body()? },
            "subtreelinvel" => K::SubtreeVelocity { body: body()? },
            "subtreeangmom" => K::SubtreeAngularMomentum { body: body()? },
            "insidesite" => K::InsideSite { frame: frame()?, site: site()? },
            "jointlimitvel" => K::JointLimitVelocity { joint: joint()? },
            "jointlimitfrc" => K::JointLimitForce { joint: joint()? },
            "tendonlimitvel" => K::TendonLimitVelocity { tendon: tendon()? },
            "tendonlimitfrc" => K::TendonLimitForce { tendon: tendon()? },
            "distance" => K::Distance { first: self.geoms_of(node, '1')?, second: self.geoms_of(node, '2')? },
            "normal" => {
                K::DistanceDirection { first: self.geoms_of(node, '1')?, second: self.geoms_of(node, '2')? }
            }
            "fromto" => {
                K::DistancePoints { first: self.geoms_of(node, '1')?, second: self.geoms_of(node, '2')? }
            }
            "contact" => K::Contact { contact: self.contact_reading(node)? },
            "camprojection" => {
                let (site, name) = (site()?, node.attr("camera").ok_or_else(|| needs("camera"))?);
                let found = self.world.visual.cameras.iter().position(|c| c.name == name);
                let camera =
                    found.ok_or_else(|| node.error(format!("camera: there is no camera \"{name}\"")))?;
                if self.turning_cameras.contains(name) {
                    let message = "the camera of this projection turns by itself (mode), which is not simulated; the \
                                   sensor is left out. Fix the camera to its body";
                    self.report.warn(node, "camprojection mode", message)?;
                    return Ok(None);
                }
                K::CameraProjection { site, camera }
            }
            "user" => {
                let size = node.integer("dim")?.ok_or_else(|| needs("dim"))?;
                if !(0..=10_000).contains(&size) {
                    return Err(node.error(format!("dim is {size}; it must be between 0 and 10000")));
                }
                let message = "a program computes this sensor, and there is none here: it reads zeros, as in MuJoCo without a callback";
                self.report.warn(node, "sensor/user", message)?;
                K::User { size: size as usize }
            }
            "e_potential" => K::PotentialEnergy,
            "e_kinetic" => K::KineticEnergy,
            "clock" => K::Clock,
            _ => return Ok(None),
        }))
    }

    /// One side of a distance: `geom1` or `body1`, or the same with 2.
    fn geoms_of(&self, node: &Node, side: char) -> Read<GeomsOf> {
        let (geom, body) = (format!("geom{side}"), format!("body{side}"));
        match (self.geom_index(node, &geom)?, self.body_named(node, &body)?) {
            (Some(g), None) => Ok(GeomsOf::Geom(g)),
            (None, Some(b)) => Ok(GeomsOf::Body(b)),
            _ => Err(node.error(format!("the sensor needs {geom}=\"…\" or {body}=\"…\", one of them"))),
        }
    }

    /// The options of a contact sensor.
    fn contact_reading(&self, node: &Node) -> Read<ContactReading> {
        let side = |side: char| -> Read<ContactsOf> {
            let name = |word: &str| format!("{word}{side}");
            let mut named = Vec::new();
            named.extend(self.geom_index(node, &name("geom"))?.map(ContactsOf::Geom));
            named.extend(self.body_named(node, &name("body"))?.map(ContactsOf::Body));
            named.extend(self.body_named(node, &name("subtree"))?.map(ContactsOf::Subtree));
            if side == '1' {
                named.extend(self.site_index(node, "site")?.map(ContactsOf::Site));
            }
            match named[..] {
                [] => Ok(ContactsOf::Any),
                [one] => Ok(one),
                _ => Err(node.error(format!(
                    "give one of geom{side}, body{side}, subtree{side} and site, not several"
                ))),
            }
        };
        let choice = match node.attr("reduce").unwrap_or("none") {
            "none" => ContactChoice::First,
            "mindist" => ContactChoice::Nearest,
            "maxforce" => ContactChoice::Strongest,
            "netforce" => ContactChoice::Sum,
            other => {
                return Err(node.error(format!(
                    "reduce is \"{other}\"; it must be none, mindist, maxforce or netforce"
                )));
            }
        };
        let slots = node.integer("num")?.unwrap_or(1);
        if !(1..=100_000).contains(&slots) {
            return Err(node.error(format!("num is {slots}; it must be between 1 and 100000")));
        }
        let mut fields = ContactFields::default();
        for word in node.attr("data").unwrap_or("found").split_whitespace() {
            let known = CONTACT_DATA.iter().position(|w| *w == word);
            let field = known.map(|k| ContactField::ALL[k]).ok_or_else(|| {
                let list = CONTACT_DATA.join(", ");
                node.error(format!("data has \"{word}\"; it must be made of {list}"))
            })?;
            fields = fields.with(field);
        }
        let moving = [ContactField::LinearVelocity, ContactField::AngularVelocity];
        if choice == ContactChoice::Sum && moving.into_iter().any(|f| fields.contains(f)) {
            return Err(
                node.error("a sum (reduce=\"netforce\") has no velocity; leave linvel and angvel out")
            );
        }
        Ok(ContactReading { first: side('1')?, second: side('2')?, fields, choice, slots: slots as usize })
    }

    /// The frame that two attributes name.
    fn frame(&self, node: &Node, kind: &str, name: &str) -> Read<Option<FrameOf>> {
        let (Some(kind), Some(named)) = (node.attr(kind), node.attr(name)) else { return Ok(None) };
        Ok(Some(match kind {
            "body" => FrameOf::Inertial(self.body_named(node, name)?.unwrap_or(0)),
            "xbody" => FrameOf::Body(self.body_named(node, name)?.unwrap_or(0)),
            "geom" => FrameOf::Geom(self.geom_index(node, name)?.unwrap_or(0)),
            "site" => FrameOf::Site(self.site_index(node, name)?.unwrap_or(0)),
            "camera" => {
                let found = self.world.visual.cameras.iter().position(|c| c.name == named);
                FrameOf::Camera(
                    found.ok_or_else(|| node.error(format!("{name}: there is no camera \"{named}\"")))?,
                )
            }
            other => {
                return Err(node.error(format!(
                    "\"{other}\" has no frame; it must be body, xbody, geom, site or camera"
                )));
            }
        }))
    }
}
