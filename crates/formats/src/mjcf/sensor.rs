//! Sensors.

use super::reader::Reader;
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{FrameOf, Sensor, SensorKind};

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
            let found = self.world.actuators.iter().position(|a| a.name == name);
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
            "e_potential" => K::PotentialEnergy,
            "e_kinetic" => K::KineticEnergy,
            "clock" => K::Clock,
            _ => return Ok(None),
        }))
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
