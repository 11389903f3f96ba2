//! The reader's state: bodies along the tree, then what couples them.

use super::graph::{Graph, Kind, WORLD};
use super::joint;
use super::tree::{Edge, Step, Tree, grow};
use crate::LoadOptions;
use crate::error::Read;
use crate::files::Files;
use crate::massless;
use crate::mesh_assets::MeshAssets;
use crate::names::Names;
use crate::report::Report;
use crate::xml::Node;
use stiction_model::{Body, Joint, JointKind, Pose, Site, Vec3, World};

/// The state of reading an SDFormat document.
pub struct Reader<'a, 'g> {
    /// Names and poses.
    pub graph: &'g Graph<'a>,
    /// Where meshes come from.
    pub files: &'g dyn Files,
    /// How to read.
    pub options: &'g LoadOptions,
    /// The world read so far.
    pub world: World,
    /// Warnings.
    pub report: Report,
    /// Meshes read so far.
    pub meshes: MeshAssets,
    /// Names of geoms in use.
    pub geom_names: Names,
    /// Body of each link.
    pub body_of: Vec<usize>,
    /// Where each joint went: body and place in its list.
    pub joint_at: Vec<Option<(usize, usize)>>,
}

impl<'a, 'g> Reader<'a, 'g> {
    /// A reader before the first body.
    pub fn new(graph: &'g Graph<'a>, files: &'g dyn Files, options: &'g LoadOptions, report: Report) -> Self {
        let name = graph.scopes.get(1).filter(|_| graph.scopes[0].node.name == "sdf");
        let name = name.unwrap_or(&graph.scopes[0]).node.attr("name").unwrap_or("sdf");
        Self {
            graph,
            files,
            options,
            world: World::new(name),
            report,
            meshes: MeshAssets::default(),
            geom_names: Names::default(),
            body_of: vec![0; graph.links.len()],
            joint_at: vec![None; graph.joints.len()],
        }
    }

    /// Reads the whole document.
    pub fn document(&mut self, root: &Node) -> Read<()> {
        self.settings(root)?;
        let tree = self.tree()?;
        for step in &tree.steps {
            self.body(step)?;
        }
        self.sites();
        self.close_loops(&tree)?;
        self.gearboxes()?;
        self.mimics()?;
        self.actuators()?;
        self.extensions()?;
        self.self_collisions()?;
        massless::hold(&mut self.world, &mut self.report)
    }

    /// Gravity and step of a world.
    fn settings(&mut self, root: &Node) -> Read<()> {
        let Some(world) = root.child("world") else { return Ok(()) };
        if let Some(gravity) = world.child_vec3("gravity")? {
            self.world.options.gravity = gravity;
        }
        if let Some(physics) = world.child("physics") {
            // Version 1.4 and before kept gravity there.
            if let Some(gravity) = physics.child_vec3("gravity")? {
                self.world.options.gravity = gravity;
            }
            self.world.options.step = physics.child_number("max_step_size")?.filter(|s| *s > 0.0);
        }
        Ok(())
    }

    /// Which joints make the tree. Links of static models hang on the world.
    fn tree(&self) -> Read<Tree> {
        let graph = self.graph;
        let fixed = |link: usize| graph.scopes[graph.links[link].scope].fixed;
        let mut edges = Vec::new();
        for (j, part) in graph.joints.iter().enumerate() {
            let link = |which: &str| -> Read<Option<usize>> {
                let frame = graph.end(part.node, part.scope, which)?;
                if which == "child" && frame == WORLD && graph.scopes[part.scope].version >= (1, 7) {
                    return Err(part
                        .node
                        .error("the world cannot be the child of a joint; swap parent and child"));
                }
                Ok(graph.frames[frame].link)
            };
            let (parent, child) = (link("parent")?, link("child")?);
            if parent == child {
                return Err(part.node.error("parent and child are the same link; name two different ones"));
            }
            if part.node.attr("type") == Some("gearbox") {
                continue;
            }
            // A link that cannot move is the world to its joints.
            let moving = |l: Option<usize>| l.filter(|&l| !fixed(l));
            if moving(parent).is_none() && moving(child).is_none() {
                continue;
            }
            let can_close =
                matches!(part.node.attr("type"), Some("fixed" | "ball" | "revolute" | "continuous"));
            edges.push(Edge { joint: j, parent: moving(parent), child: moving(child), can_close });
        }
        let mut tree = grow(graph.links.len(), &edges);
        // Bodies in the order of the file as far as the tree lets them.
        tree.loops.sort_unstable();
        Ok(tree)
    }

    fn body(&mut self, step: &Step) -> Read<()> {
        let graph = self.graph;
        let part = graph.links[step.link];
        let x_wb = graph.frames[part.frame].x_wf;
        let name = graph.name(&part);
        let fixed = graph.scopes[part.scope].fixed;
        let on = step.on.map_or(0, |l| self.body_of[l]);
        let x_wp = step.on.map_or(Pose::identity(), |l| graph.frames[graph.links[l].frame].x_wf);
        let mut joints = Vec::new();
        match step.by {
            Some((j, turned)) => {
                let joint_part = graph.joints[j];
                if let Some(joint) = joint::read(graph, &joint_part, &x_wb, turned)? {
                    self.joint_at[j] = Some((self.world.bodies.len(), 0));
                    joints.push(joint);
                }
            }
            None if fixed || self.options.fixed_base => {}
            None => {
                let mut joint = Joint::new(format!("{name}_free"), JointKind::Free);
                joint.source = part.node.source();
                joints.push(joint);
            }
        }
        let mut body = Body::new(name, on);
        body.source = part.node.source();
        body.pose = x_wp.inverse() * x_wb;
        body.joints = joints;
        self.world.bodies.push(body);
        let index = self.world.bodies.len() - 1;
        self.body_of[step.link] = index;
        self.contents(step.link, index)
    }

    /// The frames that the file names are sites.
    fn sites(&mut self) {
        for frame in self.graph.frames.iter().filter(|f| f.kind == Kind::Frame) {
            let name = frame.node.attr("name").unwrap_or("");
            if name.starts_with("_merged__") {
                continue;
            }
            let (body, pose) = self.place(frame.link, &frame.x_wf);
            let prefix = &self.graph.scopes[frame.scope].prefix;
            let name = format!("{prefix}{name}");
            self.world.sites.push(Site { pose, source: frame.node.source(), ..Site::new(name, body) });
        }
        self.world.sites.sort_by_key(|s| s.body);
    }

    /// The frame of every model, called `__model__` in it.
    pub fn model_frames(&self) -> Vec<Site> {
        let models = self.graph.frames.iter().filter_map(|frame| match frame.kind {
            Kind::Model(scope) => Some((frame, &self.graph.scopes[scope].prefix)),
            _ => None,
        });
        models
            .map(|(frame, prefix)| {
                let (body, pose) = self.place(frame.link, &frame.x_wf);
                Site { pose, source: frame.node.source(), ..Site::new(format!("{prefix}__model__"), body) }
            })
            .collect()
    }

    /// Body and pose in it of a frame that a link carries.
    pub fn place(&self, link: Option<usize>, x_wf: &Pose) -> (usize, Pose) {
        self.graph.place(&self.body_of, link, x_wf)
    }

    /// A point of the world in a body's frame at the file's poses.
    pub fn point_in(&self, link: Option<usize>, p_w: &Vec3) -> (usize, Vec3) {
        let (body, pose) = self.place(link, &Pose::translation(p_w.x, p_w.y, p_w.z));
        (body, pose.translation.vector)
    }
}
