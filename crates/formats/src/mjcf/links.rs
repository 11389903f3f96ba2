//! Couplings, exclusions, keyframes and options: everything that refers to bodies and joints.

use super::defaults::{Attrs, MAIN};
use super::reader::Reader;
use super::schema::RULES;
use crate::error::Read;
use crate::reference;
use crate::xml::Node;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use stiction_model::{CollisionFilter, Dof, Equality, EqualityKind, Keyframe, Pose, Tendon, Vec3, World};

impl<'a> Reader<'a> {
    /// Reads every coupling.
    pub fn equalities(&mut self, root: &'a Node) -> Read<()> {
        for node in root.children_named("equality").flat_map(|s| &s.children) {
            let attrs = self.defaults.apply(node, "equality", MAIN)?;
            let kind = match node.name.as_str() {
                "joint" => self.couple(node)?,
                "connect" => self.connect(node)?,
                "weld" => self.weld(node)?,
                "tendon" => self.couple_tendons(node)?,
                _ => continue,
            };
            self.world.equalities.push(Equality {
                name: node.attr("name").unwrap_or("").to_string(),
                kind,
                active: attrs.flag("active")?.unwrap_or(true),
                stiffness: None,
                relaxation_time: 0.0,
                source: node.source(),
            });
        }
        Ok(())
    }

    fn couple(&self, node: &Node) -> Read<EqualityKind> {
        let first = self.joint_named(node, "joint1")?.ok_or_else(|| node.error("it needs joint1=\"…\""))?;
        let second = self.joint_named(node, "joint2")?;
        let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
        node.overlay("polycoef", &mut coefficients)?;
        Ok(EqualityKind::Joint { first, second, coefficients })
    }

    fn couple_tendons(&self, node: &Node) -> Read<EqualityKind> {
        let first =
            self.tendon_index(node, "tendon1")?.ok_or_else(|| node.error("it needs tendon1=\"…\""))?;
        let second = self.tendon_index(node, "tendon2")?;
        let mut coefficients = [0.0, 1.0, 0.0, 0.0, 0.0];
        node.overlay("polycoef", &mut coefficients)?;
        Ok(EqualityKind::Tendon { first, second, coefficients })
    }

    /// Body and local pose of a site.
    fn site_named(&self, node: &Node, attribute: &str) -> Read<Option<(usize, Pose)>> {
        let found = self.site_index(node, attribute)?;
        Ok(found.map(|s| (self.world.sites[s].body, self.world.sites[s].pose)))
    }

    fn two_sites(&self, node: &Node) -> Read<Option<[(usize, Pose); 2]>> {
        match (self.site_named(node, "site1")?, self.site_named(node, "site2")?) {
            (Some(a), Some(b)) => Ok(Some([a, b])),
            (None, None) => Ok(None),
            _ => Err(node.error("give both site1 and site2, or body1 and body2")),
        }
    }

    fn two_bodies(&self, node: &Node) -> Read<(usize, usize)> {
        let a = self.body_named(node, "body1")?.ok_or_else(|| node.error("it needs body1=\"…\""))?;
        Ok((a, self.body_named(node, "body2")?.unwrap_or(0)))
    }

    fn connect(&self, node: &Node) -> Read<EqualityKind> {
        if let Some([(body_a, a), (body_b, b)]) = self.two_sites(node)? {
            let (point_a, point_b) = (a.translation.vector, b.translation.vector);
            return Ok(EqualityKind::Connect { body_a, body_b, point_a, point_b });
        }
        let (body_a, body_b) = self.two_bodies(node)?;
        let point_a = node
            .vec3("anchor")?
            .ok_or_else(|| node.error("it needs anchor=\"…\", a point in body1's frame"))?;
        let poses = reference::poses(&self.world);
        let point_b = poses[body_b].inverse_transform_point(&poses[body_a].transform_point(&point_a.into()));
        Ok(EqualityKind::Connect { body_a, body_b, point_a, point_b: point_b.coords })
    }

    fn weld(&self, node: &Node) -> Read<EqualityKind> {
        if let Some([(body_a, a), (body_b, b)]) = self.two_sites(node)? {
            let pose_ab = a * b.inverse();
            return Ok(EqualityKind::Weld { body_a, body_b, pose_ab, point_b: b.translation.vector });
        }
        let (body_a, body_b) = self.two_bodies(node)?;
        let point_b = node.vec3("anchor")?.unwrap_or_default();
        let [x, y, z, qw, qx, qy, qz] = node.array("relpose")?.unwrap_or([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let pose_ab = match UnitQuaternion::try_new(Quaternion::new(qw, qx, qy, qz), 1e-15) {
            // MuJoCo places the anchor, not the origin, of body2 at the position.
            Some(rotation) => {
                Pose::from_parts(Translation3::from(Vec3::new(x, y, z) - rotation * point_b), rotation)
            }
            // A zero quaternion asks for the pose the bodies start with.
            None => {
                let poses = reference::poses(&self.world);
                poses[body_a].inverse() * poses[body_b]
            }
        };
        Ok(EqualityKind::Weld { body_a, body_b, pose_ab, point_b })
    }

    /// Reads the pairs of bodies that never touch.
    pub fn exclusions(&mut self, root: &Node) -> Read<()> {
        for node in root.children_named("contact").flat_map(|s| &s.children).filter(|n| n.name == "exclude") {
            let (a, b) = (self.body_named(node, "body1")?, self.body_named(node, "body2")?);
            let pair = a.zip(b).ok_or_else(|| node.error("it needs body1=\"…\" and body2=\"…\""))?;
            self.world.exclusions.push(pair);
        }
        Ok(())
    }

    /// Reads the named states. The numbers of one that was written for a part of this model, as in an included file, come
    /// first, and the rest of the model is in its default state, as in MuJoCo 4.
    pub fn keyframes(&mut self, root: &Node) -> Read<()> {
        for node in root.children_named("keyframe").flat_map(|s| &s.children).filter(|n| n.name == "key") {
            let (world, mut padded) = (&self.world, Vec::new());
            let mut numbers = |name: &str, default: &dyn Fn() -> Vec<f64>, size: usize| -> Read<Vec<f64>> {
                let mut values = node.numbers(name)?.unwrap_or_default();
                if !values.is_empty() && values.len() < size {
                    padded.push(format!("{name} has {} of {size} numbers", values.len()));
                    values.extend_from_slice(&default()[values.len()..]);
                }
                Ok(values)
            };
            let zeros = |size: usize| move || vec![0.0; size];
            let (nv, nu, na) = (world.nv(), world.nu(), world.na());
            let qpos = numbers("qpos", &|| reference::positions(world), world.nq())?;
            let qvel = numbers("qvel", &zeros(nv), nv)?;
            let ctrl = numbers("ctrl", &zeros(nu), nu)?;
            let activation = numbers("act", &zeros(na), na)?;
            if !padded.is_empty() {
                let name = node.attr("name").unwrap_or("");
                let message = format!(
                    "keyframe \"{name}\": {}; the rest of the model is in its default state",
                    padded.join(", ")
                );
                self.report.warn(node, &format!("keyframe {name}"), message)?;
            }
            self.world.keyframes.push(Keyframe {
                name: node.attr("name").unwrap_or("").to_string(),
                time: node.number("time")?.unwrap_or(0.0),
                qpos,
                qvel,
                ctrl,
                activation,
                mocap: self.key_mocap(node)?,
                source: node.source(),
            });
        }
        Ok(())
    }

    /// Reads gravity, step and flags; what has no effect is listed in one warning.
    pub fn options(&mut self, root: &'a Node) -> Read<()> {
        let sections: Vec<&Node> = root.children_named("option").collect();
        let mut unused = Vec::new();
        for &node in &sections {
            let attrs = Attrs::plain(node);
            let mut gravity = <[f64; 3]>::from(self.world.options.gravity);
            attrs.overlay("gravity", &mut gravity)?;
            self.world.options.gravity = Vec3::from(gravity);
            let mut magnetic = <[f64; 3]>::from(self.world.options.magnetic_field);
            attrs.overlay("magnetic", &mut magnetic)?;
            self.world.options.magnetic_field = Vec3::from(magnetic);
            if let Some(step) = node.number("timestep")? {
                if !(step > 0.0 && step.is_finite()) {
                    return Err(node.error(format!("timestep is {step}; it must be positive")));
                }
                self.world.options.step = Some(step);
            }
            unused.extend(node.attributes.iter().map(|(n, _)| n.as_str()).filter(|n| reports("option", n)));
            for flag in node.children_named("flag") {
                self.flags(flag, &mut unused)?;
            }
        }
        if let (Some(node), false) = (sections.first(), unused.is_empty()) {
            let message = format!(
                "these settings of MuJoCo's solver have no counterpart here and no effect: {}",
                unused.join(", ")
            );
            self.report.warn(node, "option", message)?;
        }
        Ok(())
    }

    fn flags(&mut self, node: &'a Node, unused: &mut Vec<&'a str>) -> Read<()> {
        for (name, value) in &node.attributes {
            let off = match value.as_str() {
                "enable" => false,
                "disable" => true,
                other => {
                    return Err(node.error(format!("{name} is \"{other}\"; it must be enable or disable")));
                }
            };
            let world = &mut self.world;
            match name.as_str() {
                "gravity" | "filterparent" | "contact" | "equality" | "limit" | "frictionloss" | "spring"
                | "damper" | "passive" | "actuation" | "clampctrl" | "constraint"
                    if !off => {}
                "gravity" => world.options.gravity = Vec3::zeros(),
                "filterparent" => world.options.parent_child_collide = true,
                "contact" => {
                    world.pairs.clear();
                    world.geoms.iter_mut().for_each(|g| g.filter = CollisionFilter { group: 0, mask: 0 });
                }
                "equality" => world.equalities.iter_mut().for_each(|e| e.active = false),
                "limit" => {
                    each_dof(world, |d| (d.lower, d.upper) = (f64::NEG_INFINITY, f64::INFINITY));
                    each_tendon(world, |t| t.range = [f64::NEG_INFINITY, f64::INFINITY]);
                }
                "frictionloss" => {
                    each_dof(world, |d| d.friction = 0.0);
                    each_tendon(world, |t| t.friction = 0.0);
                }
                "spring" => {
                    each_dof(world, |d| d.stiffness = 0.0);
                    each_tendon(world, |t| t.stiffness = 0.0);
                }
                "damper" => {
                    each_dof(world, |d| d.damping = 0.0);
                    each_tendon(world, |t| t.damping = 0.0);
                }
                "passive" => {
                    each_dof(world, |d| (d.stiffness, d.damping) = (0.0, 0.0));
                    each_tendon(world, |t| (t.stiffness, t.damping) = (0.0, 0.0));
                }
                "clampctrl" => world.actuators.iter_mut().for_each(|a| a.control_range = None),
                "actuation" => world.actuators.iter_mut().for_each(|a| {
                    (a.gain, a.bias, a.muscle) = ([0.0; 3], [0.0; 3], None);
                }),
                "constraint" => {
                    world.pairs.clear();
                    world.geoms.iter_mut().for_each(|g| g.filter = CollisionFilter { group: 0, mask: 0 });
                    world.equalities.iter_mut().for_each(|e| e.active = false);
                    each_dof(world, |d| {
                        (d.lower, d.upper, d.friction) = (f64::NEG_INFINITY, f64::INFINITY, 0.0);
                    });
                    each_tendon(world, |t| {
                        (t.range, t.friction) = ([f64::NEG_INFINITY, f64::INFINITY], 0.0);
                    });
                }
                other if reports("flag", other) => unused.push(other),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether an attribute is among those that are reported together.
fn reports(key: &str, name: &str) -> bool {
    RULES.iter().any(|rule| rule.key == key && rule.reports(name))
}

fn each_tendon(world: &mut World, change: impl FnMut(&mut Tendon)) {
    world.tendons.iter_mut().for_each(change);
}

fn each_dof(world: &mut World, change: impl FnMut(&mut Dof)) {
    world.bodies.iter_mut().flat_map(|b| &mut b.joints).flat_map(|j| &mut j.dofs).for_each(change);
}
