//! The reader's state, and the walk from the roots over the joints.

use super::{joint, link};
use crate::drake::{self, bushing, constraint, filter_group, tendon};
use crate::error::Read;
use crate::inertia;
use crate::massless;
use crate::mesh_assets::MeshAssets;
use crate::names::Names;
use crate::package::Finder;
use crate::report::Report;
use crate::xml::Node;
use std::collections::{BTreeMap, BTreeSet};
use stiction_model::{
    Actuator, Body, Equality, EqualityKind, GeomRole, Joint, JointKind, Pose, Site, Transmission, World,
};

/// The state of reading a URDF.
pub struct Reader<'a> {
    /// Finds meshes.
    pub finder: Finder<'a>,
    /// The world read so far.
    pub world: World,
    /// Warnings.
    pub report: Report,
    /// Meshes read so far.
    pub meshes: MeshAssets,
    /// Colours of materials by name.
    pub colors: BTreeMap<String, [f32; 4]>,
    /// Names of geoms in use.
    pub geom_names: Names,
    /// Whether the root is pinned.
    pub fixed_base: bool,
    /// Joints by name, once all are read: body, and place in its list.
    pub joint_indices: BTreeMap<String, (usize, usize)>,
}

/// A joint with the names it ties.
struct Edge<'a> {
    node: &'a Node,
    child: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads the whole document.
    pub fn robot(&mut self, root: &'a Node) -> Read<()> {
        self.materials(root)?;
        let mut links: BTreeMap<&str, &Node> = BTreeMap::new();
        for node in root.children_named("link") {
            let name = node.required("name")?;
            if links.insert(name, node).is_some() {
                return Err(node.error(format!("there are two links called \"{name}\"; rename one")));
            }
        }
        let (edges, has_parent) = edges(root, &links)?;
        let mut done = 0;
        for node in root.children_named("link") {
            let name = node.required("name")?;
            if !has_parent.contains_key(name) {
                self.root(node, name, &links, &edges, &mut done)?;
            }
        }
        if !links.contains_key("world") {
            self.walk("world", 0, &links, &edges, &mut done)?;
        }
        if done < links.len() {
            let reached: BTreeSet<&str> = self.world.bodies.iter().map(|b| b.name.as_str()).collect();
            let lost = root
                .children_named("link")
                .find(|n| n.attr("name").is_some_and(|name| !reached.contains(name)));
            return Err(lost
                .unwrap_or(root)
                .error("it hangs in a circle of joints that no root reaches; break the circle"));
        }
        for (b, body) in self.world.bodies.iter().enumerate() {
            for (j, joint) in body.joints.iter().enumerate() {
                self.joint_indices.entry(joint.name.clone()).or_insert((b, j));
            }
        }
        self.mimics(root)?;
        self.transmissions(root)?;
        self.extensions(root)?;
        massless::hold(&mut self.world, &mut self.report)
    }

    fn materials(&mut self, root: &Node) -> Read<()> {
        let inline = root
            .children_named("link")
            .flat_map(|l| l.children_named("visual"))
            .filter_map(|v| v.child("material"));
        for node in root.children_named("material").chain(inline) {
            if let (Some(name), Some(color)) = (node.attr("name"), node.child("color")) {
                let color = link::rgba(color)?;
                self.colors.entry(name.to_string()).or_insert(color);
            }
        }
        Ok(())
    }

    fn root(
        &mut self,
        node: &'a Node,
        name: &'a str,
        links: &BTreeMap<&str, &'a Node>,
        edges: &BTreeMap<&str, Vec<Edge<'a>>>,
        done: &mut usize,
    ) -> Read<()> {
        *done += 1;
        if name == "world" {
            if node.child("inertial").is_some() {
                let message = "the link \"world\" is the world itself; its inertia has no effect";
                self.report.warn(node, "world inertial", message)?;
            }
            self.geoms(node, 0)?;
            return self.walk(name, 0, links, edges, done);
        }
        let mut joints = Vec::new();
        if !self.fixed_base {
            joints.push(Joint::new(format!("{name}_free"), JointKind::Free));
            joints[0].source = node.source();
        }
        let body = self.link(node, name, 0, joints)?;
        self.walk(name, body, links, edges, done)
    }

    /// Adds everything below a link: depth first, children in the order of their joints.
    fn walk(
        &mut self,
        name: &str,
        body: usize,
        links: &BTreeMap<&str, &'a Node>,
        edges: &BTreeMap<&str, Vec<Edge<'a>>>,
        done: &mut usize,
    ) -> Read<()> {
        let below = |name: &str, body: usize| {
            edges.get(name).into_iter().flatten().rev().map(move |e| (e.node, e.child, body))
        };
        let mut stack: Vec<(&'a Node, &'a str, usize)> = below(name, body).collect();
        while let Some((edge, child, parent)) = stack.pop() {
            let joints = joint::read(edge, parent == 0, &mut self.report)?;
            let node = links.get(child).copied().unwrap_or(edge);
            let body = self.link(node, child, parent, joints)?;
            self.world.bodies[body].pose = joint::origin(edge)?;
            *done += 1;
            stack.extend(below(child, body));
        }
        Ok(())
    }

    fn link(&mut self, node: &'a Node, name: &str, parent: usize, joints: Vec<Joint>) -> Read<usize> {
        if name == "world" {
            return Err(node.error("a link called \"world\" must be the root; rename it"));
        }
        let mut body = Body::new(name, parent);
        body.source = node.source();
        body.joints = joints;
        if let Some(inertial) = node.child("inertial") {
            body.inertia = link::inertial(inertial, node, &mut self.report)?;
            inertia::check_body(&body, &mut self.report)?;
        }
        self.world.bodies.push(body);
        let index = self.world.bodies.len() - 1;
        self.geoms(node, index)?;
        Ok(index)
    }

    fn joint_named(&self, name: &str) -> Option<(usize, usize)> {
        self.joint_indices.get(name).copied()
    }

    fn mimics(&mut self, root: &Node) -> Read<()> {
        for (node, mimic) in root.children.iter().filter_map(|n| Some((n, n.child("mimic")?))) {
            let follower = self.joint_named(node.attr("name").unwrap_or(""));
            let leader = mimic.required("joint")?;
            let single =
                |j: Option<(usize, usize)>| j.filter(|&(b, j)| self.world.bodies[b].joints[j].kind.nq() == 1);
            let Some(first) = single(follower) else {
                let name = node.attr("name").unwrap_or("");
                let message =
                    "only revolute, continuous and prismatic joints can mimic; this mimic has no effect";
                self.report.warn(node, &format!("mimic {name}"), message)?;
                continue;
            };
            let second = single(self.joint_named(leader)).ok_or_else(|| {
                mimic.error(format!(
                    "there is no joint \"{leader}\" with one coordinate to mimic; correct the name or remove the mimic"
                ))
            })?;
            let offset = mimic.number("offset")?.unwrap_or(0.0);
            let multiplier = mimic.number("multiplier")?.unwrap_or(1.0);
            self.world.equalities.push(Equality {
                name: format!("{}_mimic", node.attr("name").unwrap_or("")),
                kind: EqualityKind::Joint {
                    first,
                    second: Some(second),
                    coefficients: [offset, multiplier, 0.0, 0.0, 0.0],
                },
                active: true,
                stiffness: None,
                relaxation_time: 0.0,
                source: mimic.source(),
            });
        }
        Ok(())
    }

    /// Frames, Drake's constraints and collision filter groups, contact settings of Gazebo.
    fn extensions(&mut self, root: &Node) -> Read<()> {
        let bodies: BTreeMap<String, usize> =
            self.world.bodies.iter().enumerate().map(|(b, body)| (body.name.clone(), b)).collect();
        for node in root.children_named("frame") {
            let name = node.required("name")?.to_string();
            let link = node.required("link")?;
            let body = bodies.get(link).copied().ok_or_else(|| {
                node.error(format!("there is no link \"{link}\"; add it or correct the name"))
            })?;
            let pose = joint::xyz_rpy(node)?;
            self.world.sites.push(Site { pose, source: node.source(), ..Site::new(name, body) });
        }
        let sites: BTreeMap<String, (usize, Pose)> =
            self.world.sites.iter().map(|s| (s.name.clone(), (s.body, s.pose))).collect();
        let resolve = |name: &str| {
            let body = bodies.get(name).map(|&b| (b, Pose::identity()));
            body.or_else(|| sites.get(name).copied())
        };
        constraint::read(root, &resolve, &mut self.world)?;
        bushing::read(root, &resolve, &mut self.world, &mut self.report)?;
        let single: BTreeMap<String, (usize, usize)> = self
            .joint_indices
            .iter()
            .filter(|&(_, &(b, j))| self.world.bodies[b].joints[j].kind.nq() == 1)
            .map(|(name, place)| (name.clone(), *place))
            .collect();
        tendon::read(root, &|name| single.get(name).copied(), &mut self.world, &mut self.report)?;
        let mut groups = filter_group::Groups::new();
        filter_group::read(root, &|name| bodies.get(name).copied(), &mut groups)?;
        filter_group::apply(&groups, &mut self.world).map_err(|reason| root.error(reason))?;
        for node in root.children_named("gazebo") {
            let Some(&body) = node.attr("reference").and_then(|link| bodies.get(link)) else { continue };
            self.gazebo(node, body)?;
        }
        Ok(())
    }

    /// Friction and stiffness that Gazebo takes for a link, where no `drake:` tag gives them.
    fn gazebo(&mut self, node: &Node, body: usize) -> Read<()> {
        let positive = |name: &str| -> Read<Option<f64>> {
            let Some(child) = node.child(name) else { return Ok(None) };
            let value = drake::value(child)?;
            if value < 0.0 {
                return Err(child.error(format!("it is {value}; it must be zero or more")));
            }
            Ok(Some(value))
        };
        let mu = positive("mu1")?.or(positive("mu")?);
        if let (Some(first), Some(second)) = (mu, positive("mu2")?)
            && first != second
        {
            let message =
                format!("mu1 {first} and mu2 {second} differ by direction; {first} acts in all of them");
            self.report.warn(node, "gazebo mu2", message)?;
        }
        // 1e12 is the format's word for rigid.
        let kp = positive("kp")?.filter(|k| *k > 0.0 && *k < 1e12);
        let kd = positive("kd")?;
        for geom in self.world.geoms.iter_mut().filter(|g| g.body == body && g.role != GeomRole::Visual) {
            let c = &mut geom.contact;
            if c.static_friction.is_none() && c.dynamic_friction.is_none() {
                (c.static_friction, c.dynamic_friction) = (mu, mu);
            }
            if let (None, Some(kp)) = (c.stiffness, kp) {
                c.stiffness = Some(kp);
                c.relaxation_time = c.relaxation_time.or(kd.map(|kd| kd / kp));
            }
        }
        Ok(())
    }

    /// A transmission is an actuator on its joint: a motor, or a servo if gains are given.
    fn transmissions(&mut self, root: &Node) -> Read<()> {
        let mut names = Names::default();
        for node in root.children_named("transmission") {
            let Some(joint_node) = node.child("joint") else {
                self.report.warn(
                    node,
                    "transmission",
                    "a transmission without a joint element has no effect",
                )?;
                continue;
            };
            let joint_name = joint_node.required("name")?;
            let target = self.joint_named(joint_name);
            let Some((body, joint)) = target.filter(|&(b, j)| self.world.bodies[b].joints[j].kind.nq() == 1)
            else {
                let message = format!(
                    "the joint \"{joint_name}\" does not exist or does not move; no actuator is made"
                );
                self.report.warn(node, &format!("transmission {joint_name}"), message)?;
                continue;
            };
            let actuator = node.child("actuator");
            let wish = actuator.and_then(|a| a.attr("name")).or(node.attr("name")).unwrap_or(joint_name);
            let transmission = Transmission::Joint { body, joint, gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0] };
            let mut made = Actuator::motor(names.free(wish), transmission);
            let dof = &mut self.world.bodies[body].joints[joint].dofs[0];
            if let Some(a) = actuator {
                if let Some(ratio) = a.child("drake:gear_ratio") {
                    dof.gear_ratio = drake::value(ratio)?;
                }
                if let Some(rotor) = a.child("drake:rotor_inertia") {
                    dof.rotor_inertia = drake::value(rotor)?;
                }
                if let Some(gains) = a.child("drake:controller_gains") {
                    let (p, d) = (gains.number("p")?.unwrap_or(0.0), gains.number("d")?.unwrap_or(0.0));
                    made = Actuator::position(made.name, transmission, p, d);
                }
            }
            if dof.effort_limit.is_finite() {
                made.force_range = Some([-dof.effort_limit, dof.effort_limit]);
            }
            made.source = node.source();
            self.world.actuators.push(made);
        }
        Ok(())
    }
}

/// Joints by parent link in document order, and the parent joint of each link that has one.
#[allow(clippy::type_complexity)]
fn edges<'a>(
    root: &'a Node,
    links: &BTreeMap<&str, &Node>,
) -> Read<(BTreeMap<&'a str, Vec<Edge<'a>>>, BTreeMap<&'a str, &'a Node>)> {
    let mut edges: BTreeMap<&str, Vec<Edge>> = BTreeMap::new();
    let mut parents: BTreeMap<&str, &Node> = BTreeMap::new();
    for node in root.children.iter().filter(|n| n.name == "joint" || n.name == "drake:joint") {
        node.required("name")?;
        let end = |which: &str| -> Read<&'a str> {
            let child = node.child(which).ok_or_else(|| {
                node.error(format!("it needs a {which} element; add <{which} link=\"…\"/>"))
            })?;
            let name = child.required("link")?;
            let world = which == "parent" && name == "world";
            if !world && !links.contains_key(name) {
                return Err(child.error(format!(
                    "there is no link \"{name}\" for this joint; add it or correct the name"
                )));
            }
            Ok(name)
        };
        let (parent, child) = (end("parent")?, end("child")?);
        if let Some(other) = parents.insert(child, node) {
            return Err(node.error(format!(
                "the link \"{child}\" already has the parent joint \"{}\"; a link can have only one",
                other.attr("name").unwrap_or("")
            )));
        }
        edges.entry(parent).or_default().push(Edge { node, child });
    }
    Ok((edges, parents))
}
