//! Couplings beyond the tree: loops, gearboxes, mimics, actuators, Drake's extensions.

use super::graph::Element;
use super::joint::axis_w;
use super::reader::Reader;
use super::tree::Tree;
use crate::drake::{bushing, constraint, filter_group, tendon};
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{Actuator, Equality, EqualityKind, JointKind, Pose, Transmission};

impl Reader<'_, '_> {
    fn couple(&mut self, name: String, kind: EqualityKind, node: &Node) {
        let source = node.source();
        self.world.equalities.push(Equality {
            name,
            kind,
            active: true,
            stiffness: None,
            relaxation_time: 0.0,
            source,
        });
    }

    /// Joints beyond the tree hold by couplings: fixed ones by a weld, ball joints by a point, revolute
    /// ones by two points on the axis.
    pub fn close_loops(&mut self, tree: &Tree) -> Read<()> {
        for &j in &tree.loops {
            let part = self.graph.joints[j];
            let node = part.node;
            let link = |which: &str| -> Read<Option<usize>> {
                Ok(self.graph.frames[self.graph.end(node, part.scope, which)?].link)
            };
            let (parent, child) = (link("parent")?, link("child")?);
            let x_wj = self.graph.frames[part.frame].x_wf;
            let name = self.graph.name(&part);
            let p = x_wj.translation.vector;
            match node.required("type")? {
                "fixed" => {
                    let (body_a, x_aj) = self.place(parent, &x_wj);
                    let (body_b, x_bj) = self.place(child, &x_wj);
                    let kind = EqualityKind::Weld {
                        body_a,
                        body_b,
                        pose_ab: x_aj * x_bj.inverse(),
                        point_b: x_bj.translation.vector,
                    };
                    self.couple(name, kind, node);
                }
                kind @ ("ball" | "revolute" | "continuous") => {
                    let mut points = vec![p];
                    if kind != "ball" {
                        let axis = axis_w(self.graph, &part, "axis")?;
                        points = vec![p - 0.05 * axis, p + 0.05 * axis];
                        let message = "this joint closes a loop: it holds by two points on its axis, 0.1 m apart, and its limits, \
                                       friction and actuation do not act";
                        self.report.warn(node, &format!("loop {name}"), message)?;
                    }
                    let one = points.len() == 1;
                    for (k, p) in points.iter().enumerate() {
                        let (body_a, point_a) = self.point_in(parent, p);
                        let (body_b, point_b) = self.point_in(child, p);
                        let name = if one { name.clone() } else { format!("{name}_{}", k + 1) };
                        self.couple(name, EqualityKind::Connect { body_a, body_b, point_a, point_b }, node);
                    }
                }
                other => {
                    return Err(node.error(format!(
                        "this {other} joint closes a loop, which only fixed, ball and revolute joints can; cut the loop at one of those"
                    )));
                }
            }
        }
        Ok(())
    }

    /// A gearbox couples the angles of two links about a third one: θ₂ = −ratio θ₁.
    pub fn gearboxes(&mut self) -> Read<()> {
        for part in self.graph.joints.iter().filter(|p| p.node.attr("type") == Some("gearbox")) {
            let node = part.node;
            let ratio = node.child_number("gearbox_ratio")?.unwrap_or(1.0);
            let first = self.angle(part, "parent", "axis")?;
            let second = self.angle(part, "child", "axis2")?;
            let coefficients = [0.0, -ratio * first.1 * second.1, 0.0, 0.0, 0.0];
            let kind = EqualityKind::Joint { first: second.0, second: Some(first.0), coefficients };
            self.couple(self.graph.name(part), kind, node);
        }
        Ok(())
    }

    /// The hinge between a gearbox's reference body and one of its ends, and its sense about the axis.
    fn angle(&self, part: &Element, which: &str, axis: &str) -> Read<((usize, usize), f64)> {
        let node = part.node;
        let reference = node
            .child("gearbox_reference_body")
            .ok_or_else(|| node.error("a gearbox needs a gearbox_reference_body"))?;
        let frame = self.graph.lookup(part.scope, &reference.text, reference)?;
        let reference = self.graph.frames[frame].link.map_or(0, |l| self.body_of[l]);
        let end = self.graph.frames[self.graph.end(node, part.scope, which)?].link;
        let link = end.ok_or_else(|| node.error("a gearbox couples links, not the world"))?;
        let body = self.body_of[link];
        let hinge = self.world.bodies[body].joints.first().map(|j| j.kind);
        let (Some(JointKind::Hinge { axis: own }), Some(on)) = (hinge, self.world.bodies[body].parent) else {
            return Err(node.error(format!("the {which} of a gearbox must turn on a revolute joint")));
        };
        if on != reference {
            return Err(
                node.error(format!("the {which} of a gearbox must turn on its gearbox_reference_body"))
            );
        }
        let x_wb = self.graph.frames[self.graph.links[link].frame].x_wf;
        let sense = (x_wb.rotation * own).dot(&axis_w(self.graph, part, axis)?);
        if sense.abs() < 1.0 - 1e-6 {
            return Err(node.error(format!("{axis} is not along the axis on which the {which} turns")));
        }
        Ok(((body, 0), sense.signum()))
    }

    /// The place of a joint with one coordinate.
    fn single(&self, scope: usize, name: &str, node: &Node) -> Read<(usize, usize)> {
        let frame = self.graph.lookup(scope, name, node)?;
        let at = self.graph.joints.iter().position(|p| p.frame == frame).and_then(|j| self.joint_at[j]);
        at.filter(|&(b, j)| self.world.bodies[b].joints[j].kind.nq() == 1).ok_or_else(|| {
            node.error(format!("\"{name}\" is not a joint with one coordinate that could be mimicked"))
        })
    }

    /// Joints that follow others: q = offset + multiplier (q_leader − reference).
    pub fn mimics(&mut self) -> Read<()> {
        for (j, part) in self.graph.joints.iter().enumerate() {
            let node = part.node;
            let theirs = node.child("drake:mimic");
            let Some(mimic) = theirs.or_else(|| node.child("axis").and_then(|a| a.child("mimic"))) else {
                continue;
            };
            let follower = self.joint_at[j].filter(|&(b, i)| self.world.bodies[b].joints[i].kind.nq() == 1);
            let Some(first) = follower else {
                let message = "only revolute, continuous, prismatic and screw joints can mimic; this mimic has no effect";
                self.report.warn(mimic, &format!("mimic {}", self.graph.name(part)), message)?;
                continue;
            };
            let number = |name: &str, default: f64| -> Read<f64> {
                Ok(mimic.number(name)?.or(mimic.child_number(name)?).unwrap_or(default))
            };
            let (multiplier, offset) = (number("multiplier", 1.0)?, number("offset", 0.0)?);
            let reference = number("reference", 0.0)?;
            if mimic.attr("axis").is_some_and(|a| a != "axis") {
                return Err(mimic.error("only the first axis of a joint can be mimicked"));
            }
            let second = self.single(part.scope, mimic.required("joint")?, mimic)?;
            let coefficients = [offset - multiplier * reference, multiplier, 0.0, 0.0, 0.0];
            let kind = EqualityKind::Joint { first, second: Some(second), coefficients };
            self.couple(format!("{}_mimic", self.graph.name(part)), kind, mimic);
        }
        Ok(())
    }

    /// Every joint of one coordinate has a motor, unless its effort limit is zero.
    pub fn actuators(&mut self) -> Read<()> {
        let mut names = Names::default();
        for (j, part) in self.graph.joints.iter().enumerate() {
            let Some((body, joint)) = self.joint_at[j] else { continue };
            let made = &self.world.bodies[body].joints[joint];
            let effort = made.dofs[0].effort_limit;
            if made.kind.nq() != 1 || effort == 0.0 {
                continue;
            }
            let transmission = Transmission::Joint { body, joint, gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0] };
            let name = names.free(&self.graph.name(part));
            let mut actuator = match part.node.child("drake:controller_gains") {
                Some(gains) => {
                    let (p, d) = (gains.number("p")?.unwrap_or(0.0), gains.number("d")?.unwrap_or(0.0));
                    Actuator::position(name, transmission, p, d)
                }
                None => Actuator::motor(name, transmission),
            };
            if effort.is_finite() {
                actuator.force_range = Some([-effort, effort]);
            }
            actuator.source = part.node.source();
            self.world.actuators.push(actuator);
        }
        Ok(())
    }

    /// Constraints, spring-dampers, bushings, tendon constraints and collision filter groups of Drake.
    pub fn extensions(&mut self) -> Read<()> {
        for s in 0..self.graph.scopes.len() {
            let node = self.graph.scopes[s].node;
            let (graph, body_of) = (self.graph, &self.body_of);
            let resolve = |name: &str| -> Option<(usize, Pose)> {
                let frame = &graph.frames[graph.lookup(s, name, node).ok()?];
                Some(graph.place(body_of, frame.link, &frame.x_wf))
            };
            constraint::read(node, &resolve, &mut self.world)?;
            bushing::read(node, &resolve, &mut self.world, &mut self.report)?;
            let kinds: Vec<Vec<usize>> =
                self.world.bodies.iter().map(|b| b.joints.iter().map(|j| j.kind.nq()).collect()).collect();
            let joint_at = &self.joint_at;
            let joint = |name: &str| {
                let frame = graph.lookup(s, name, node).ok()?;
                let j = graph.joints.iter().position(|p| p.frame == frame)?;
                joint_at[j].filter(|&(b, j)| kinds[b][j] == 1)
            };
            tendon::read(node, &joint, &mut self.world, &mut self.report)?;
            let mut groups = filter_group::Groups::new();
            let body = |name: &str| {
                let frame = graph.lookup(s, name, node).ok()?;
                Some(body_of[graph.frames[frame].link?])
            };
            filter_group::read(node, &body, &mut groups)?;
            filter_group::apply(&groups, &mut self.world).map_err(|reason| node.error(reason))?;
        }
        Ok(())
    }

    /// Links of a model that says `self_collide` false do not touch each other, unless one says true itself.
    pub fn self_collisions(&mut self) -> Read<()> {
        for s in 1..self.graph.scopes.len() {
            let scope = &self.graph.scopes[s];
            if scope.node.child_flag("self_collide")? != Some(false) {
                continue;
            }
            let mut bodies = Vec::new();
            for (l, part) in self.graph.links.iter().enumerate().filter(|(_, p)| p.scope == s) {
                if part.node.child_flag("self_collide")? != Some(true) {
                    bodies.push(self.body_of[l]);
                }
            }
            bodies.sort_unstable();
            if bodies.len() > 5000 {
                let message = "self_collide false for more than 5000 links is too much; use collide_bitmask";
                return Err(scope.node.error(message));
            }
            for (i, &a) in bodies.iter().enumerate() {
                self.world.exclusions.extend(bodies[i + 1..].iter().map(|&b| (a, b)));
            }
        }
        Ok(())
    }
}
