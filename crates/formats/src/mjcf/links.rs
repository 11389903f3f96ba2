//! Couplings, exclusions, keyframes and options: everything that refers to bodies and joints.

use super::defaults::{Attrs, MAIN};
use super::reader::Reader;
use crate::error::Read;
use crate::reference;
use crate::xml::Node;
use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use stiction_model::{CollisionFilter, Dof, Equality, EqualityKind, Keyframe, Pose, Tendon, Vec3, World};

/// The timestep of a file that gives none, as in MuJoCo, s.
const DEFAULT_STEP: f64 = 0.002;

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

    /// Reads gravity, step, medium, cone and flags.
    pub fn options(&mut self, root: &'a Node) -> Read<()> {
        for node in root.children_named("option") {
            let attrs = Attrs::plain(node);
            let mut gravity = <[f64; 3]>::from(self.world.options.gravity);
            attrs.overlay("gravity", &mut gravity)?;
            self.world.options.gravity = Vec3::from(gravity);
            let mut magnetic = <[f64; 3]>::from(self.world.options.magnetic_field);
            attrs.overlay("magnetic", &mut magnetic)?;
            self.world.options.magnetic_field = Vec3::from(magnetic);
            let medium = &mut self.world.options.medium;
            for (name, value) in [("density", &mut medium.density), ("viscosity", &mut medium.viscosity)] {
                if let Some(given) = node.number(name)? {
                    if !(given >= 0.0 && given.is_finite()) {
                        return Err(node.error(format!("{name} is {given}; it must be zero or more")));
                    }
                    *value = given;
                }
            }
            let mut wind = <[f64; 3]>::from(medium.wind);
            attrs.overlay("wind", &mut wind)?;
            medium.wind = Vec3::from(wind);
            if let Some(step) = node.number("timestep")? {
                if !(step > 0.0 && step.is_finite()) {
                    return Err(node.error(format!("timestep is {step}; it must be positive")));
                }
                self.world.options.step = Some(step);
            }
            if let Some(cone) = node.attr("cone") {
                self.world.options.cone.pyramid = match cone {
                    "pyramidal" => true,
                    "elliptic" => false,
                    other => {
                        return Err(
                            node.error(format!("cone is \"{other}\"; it must be pyramidal or elliptic"))
                        );
                    }
                };
            }
            if let Some(ratio) = node.number("impratio")? {
                if !(ratio > 0.0 && ratio.is_finite()) {
                    return Err(node.error(format!("impratio is {ratio}; it must be positive")));
                }
                self.world.options.cone.ratio = ratio;
            }
            for flag in node.children_named("flag") {
                self.flags(flag)?;
            }
        }
        self.world.options.step.get_or_insert(DEFAULT_STEP);
        Ok(())
    }

    fn flags(&mut self, node: &Node) -> Read<()> {
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
                _ => {} // settings of MuJoCo's solver
            }
        }
        Ok(())
    }
}

fn each_tendon(world: &mut World, change: impl FnMut(&mut Tendon)) {
    world.tendons.iter_mut().for_each(change);
}

fn each_dof(world: &mut World, change: impl FnMut(&mut Dof)) {
    world.bodies.iter_mut().flat_map(|b| &mut b.joints).flat_map(|j| &mut j.dofs).for_each(change);
}
