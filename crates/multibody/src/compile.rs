//! From a description to primitive joints in sequence.
//!
//! A joint with anchor p on a body acts on the body's running frame as
//! `T ← T · Trans(p) · J(q − reference) · Trans(−p)`. Giving every primitive joint a frame of its own
//! with its origin at the anchor (a [`Node`]) turns the sequence into constant offsets between nodes and
//! pure motions at their origins. Composite joints become several nodes: cylindrical is slide, hinge;
//! universal is hinge, hinge; planar is slide, slide, hinge. Bodies without joints are welded: their
//! inertia is merged into the node that carries them and they keep only a constant offset.

use crate::multibody::{JointInfo, Motion, Mount, Multibody, Node, Tree, quat_of};
use crate::spatial::{Quat, V3, quat_mul};
use crate::{MultibodyError, inertia};
use nalgebra::Matrix3;
use std::ops::Range;
use stiction_model::{Body, Joint, JointKind, Pose, Vec3, World};

const IDENTITY: Quat = [1.0, 0.0, 0.0, 0.0];

/// One primitive of a joint.
struct Primitive {
    motion: Motion,
    axis: Vec3,
    lead: f64,
    nq: usize,
    nv: usize,
}

fn primitives(kind: &JointKind) -> Vec<Primitive> {
    let screw = |axis: Vec3, lead| Primitive { motion: Motion::Screw, axis, lead, nq: 1, nv: 1 };
    let slide = |axis: Vec3| Primitive { motion: Motion::Slide, axis, lead: 0.0, nq: 1, nv: 1 };
    match *kind {
        JointKind::Hinge { axis } => vec![screw(axis, 0.0)],
        JointKind::Slide { axis } => vec![slide(axis)],
        JointKind::Screw { axis, pitch } => vec![screw(axis, pitch / std::f64::consts::TAU)],
        JointKind::Cylindrical { axis } => vec![slide(axis), screw(axis, 0.0)],
        JointKind::Universal { first, second } => vec![screw(first, 0.0), screw(second, 0.0)],
        JointKind::Planar { x, y } => vec![slide(x), slide(y), screw(x.cross(&y).normalize(), 0.0)],
        JointKind::Ball => {
            vec![Primitive { motion: Motion::Ball, axis: Vec3::zeros(), lead: 0.0, nq: 4, nv: 3 }]
        }
        JointKind::Free => {
            vec![Primitive { motion: Motion::Free, axis: Vec3::zeros(), lead: 0.0, nq: 7, nv: 6 }]
        }
    }
}

/// Inertia of one node, about the node's origin in node axes.
#[derive(Clone, Default)]
struct Gathered {
    mass: f64,
    moment: Vec3,
    /// Parts that are combined at the end: (mass, centre of mass, inertia about it).
    parts: Vec<(f64, Vec3, Matrix3<f64>)>,
    compensated_mass: f64,
    compensated_moment: Vec3,
}

impl Multibody {
    /// Compiles a world. Fails if the description is invalid or if bodies are not listed depth first.
    /// [`Multibody::check_inertia`] checks whether forces determine the accelerations.
    pub fn new(world: &World) -> Result<Self, MultibodyError> {
        world.validate()?;
        check_depth_first(world)?;
        let mut builder = Builder::new(world);
        for (index, body) in world.bodies.iter().enumerate() {
            builder.add_body(index, body);
        }
        let mut multibody = builder.finish(world);
        multibody.no_inertia = inertia::find_massless(world, &multibody);
        Ok(multibody)
    }
}

/// Every body must directly follow its parent or a descendant of its parent.
fn check_depth_first(world: &World) -> Result<(), MultibodyError> {
    for (index, body) in world.bodies.iter().enumerate().skip(1) {
        let mut previous = Some(index - 1);
        while previous.is_some() && previous != body.parent {
            previous = previous.and_then(|p| world.bodies[p].parent);
        }
        if previous.is_none() {
            let place = MultibodyError::place(&body.source, "the list of bodies".into());
            return Err(MultibodyError::NotDepthFirst { body: body.name.clone(), place });
        }
    }
    Ok(())
}

struct Builder {
    out: Multibody,
    gathered: Vec<Gathered>,
    /// Last velocity coordinate that moves each node.
    last_dof: Vec<Option<usize>>,
    /// Mount of each body as a pose.
    fixed: Vec<Pose>,
    nq: usize,
}

impl Builder {
    fn new(world: &World) -> Self {
        let mut this = Self {
            out: Multibody {
                nodes: Vec::new(),
                bases: 0,
                base_poses: Vec::new(),
                mounts: Vec::new(),
                body_names: world.bodies.iter().map(|b| b.name.clone()).collect(),
                body_masses: world.bodies.iter().map(|b| b.inertia.mass).collect(),
                body_trees: Vec::new(),
                mocap_bodies: Vec::new(),
                trees: Vec::new(),
                tree_nodes: Vec::new(),
                joints: Vec::new(),
                dofs: Vec::new(),
                parent_dof: Vec::new(),
                runs: Vec::new(),
                run_start: Vec::new(),
                node_runs: Vec::new(),
                node_run_start: Vec::new(),
                locked: Vec::new(),
                armature: Vec::new(),
                damping: Vec::new(),
                stiffness: Vec::new(),
                default_q: Vec::new(),
                gravity: world.options.gravity,
                compensates: false,
                springs: false,
                no_inertia: None,
            },
            gathered: Vec::new(),
            last_dof: Vec::new(),
            fixed: Vec::new(),
            nq: 0,
        };
        this.push_base(Pose::identity());
        for (index, body) in world.bodies.iter().enumerate().filter(|(_, b)| b.mocap) {
            this.out.mocap_bodies.push(index);
            this.push_base(body.pose);
        }
        this.out.bases = this.out.nodes.len();
        this
    }

    fn push_base(&mut self, pose: Pose) {
        self.out.base_poses.push(pose);
        self.out.nodes.push(Node {
            motion: Motion::Base,
            parent: 0,
            root: false,
            tree: usize::MAX,
            q: 0,
            v: 0,
            nv: 0,
            turn: IDENTITY,
            offset: [0.0; 3],
            turn_axis: IDENTITY,
            axis: [0.0; 3],
            lead: 0.0,
            reference: 0.0,
            mass: 0.0,
            com: [0.0; 3],
            rotational: [0.0; 6],
            compensated_mass: 0.0,
            compensated_moment: [0.0; 3],
        });
        self.gathered.push(Gathered::default());
        self.last_dof.push(None);
    }

    fn add_body(&mut self, index: usize, body: &Body) {
        let mut node = 0;
        // Pose, in `node`, of the frame that the next joint moves.
        let mut frame = body.pose;
        if let Some(k) = self.out.mocap_bodies.iter().position(|&b| b == index) {
            (node, frame) = (k + 1, Pose::identity());
        } else if let Some(parent) = body.parent {
            node = self.out.mounts[parent].node;
            frame = self.fixed[parent] * body.pose;
        }
        let mut tree = body.parent.and_then(|p| self.out.body_trees[p]);
        for (joint_index, joint) in body.joints.iter().enumerate() {
            let v = self.out.dofs.len();
            let info = JointInfo {
                name: joint.name.clone(),
                body: index,
                index: joint_index,
                kind: joint.kind,
                q: self.nq..self.nq + joint.kind.nq(),
                v: v..v + joint.kind.nv(),
                limit_stiffness: joint.limit_stiffness,
                locked: joint.locked,
            };
            self.out.joints.push(info);
            self.add_dofs(joint);
            for (k, primitive) in primitives(&joint.kind).iter().enumerate() {
                let root = tree.is_none();
                let tree_index = *tree.get_or_insert_with(|| {
                    self.out.trees.push(Tree { q: self.nq..self.nq, v: self.nq..self.nq, root_body: index });
                    self.out.tree_nodes.push(self.out.nodes.len()..self.out.nodes.len());
                    self.out.trees.len() - 1
                });
                let anchor = if joint.kind == JointKind::Free { Vec3::zeros() } else { joint.anchor };
                let reference = joint.reference.get(k).copied().unwrap_or(0.0);
                let first_dof = self.push_node(node, frame, &anchor, primitive, reference, tree_index, root);
                if root {
                    self.out.trees[tree_index].v = first_dof..first_dof;
                }
                self.out.trees[tree_index].q.end = self.nq;
                self.out.trees[tree_index].v.end = first_dof + primitive.nv;
                node = self.out.nodes.len() - 1;
                self.out.tree_nodes[tree_index].end = node + 1;
                frame = Pose::translation(-anchor.x, -anchor.y, -anchor.z);
                self.push_default(primitive, reference, body);
            }
        }
        self.out.body_trees.push(tree);
        let turn = quat_of(&frame.rotation);
        self.out.mounts.push(Mount {
            node,
            turn: (turn != IDENTITY).then_some(turn),
            offset: frame.translation.vector.into(),
        });
        self.fixed.push(frame);
        self.gather(node, &frame, body);
    }

    fn add_dofs(&mut self, joint: &Joint) {
        for (i, dof) in joint.dofs.iter().enumerate() {
            let stiffness = match joint.kind {
                JointKind::Ball => joint.dofs[0].stiffness,
                JointKind::Free => joint.dofs[if i < 3 { 0 } else { 3 }].stiffness,
                _ => dof.stiffness,
            };
            let out = &mut self.out;
            out.dofs.push(*dof);
            out.locked.push(joint.locked);
            out.armature.push(dof.armature + dof.gear_ratio * dof.gear_ratio * dof.rotor_inertia);
            out.damping.push(dof.damping);
            out.stiffness.push(stiffness);
            out.springs |= stiffness != 0.0;
        }
    }

    /// Adds the node of one primitive; returns its first velocity coordinate.
    fn push_node(
        &mut self,
        parent: usize,
        frame: Pose,
        anchor: &Vec3,
        primitive: &Primitive,
        reference: f64,
        tree: usize,
        root: bool,
    ) -> usize {
        let turn = quat_of(&frame.rotation);
        let axis: V3 = primitive.axis.into();
        let v = self.out.parent_dof.len();
        self.out.nodes.push(Node {
            motion: primitive.motion,
            parent,
            root,
            tree,
            q: self.nq,
            v,
            nv: primitive.nv,
            turn,
            offset: (frame * nalgebra::Point3::from(*anchor)).coords.into(),
            turn_axis: quat_mul(turn, [0.0, axis[0], axis[1], axis[2]]),
            axis,
            lead: primitive.lead,
            reference,
            mass: 0.0,
            com: [0.0; 3],
            rotational: [0.0; 6],
            compensated_mass: 0.0,
            compensated_moment: [0.0; 3],
        });
        let mut parent_dof = self.last_dof[parent];
        for k in 0..primitive.nv {
            self.out.parent_dof.push(parent_dof);
            parent_dof = Some(v + k);
        }
        self.last_dof.push(parent_dof);
        self.gathered.push(Gathered::default());
        self.nq += primitive.nq;
        v
    }

    fn push_default(&mut self, primitive: &Primitive, reference: f64, body: &Body) {
        match primitive.motion {
            Motion::Base => {}
            Motion::Screw | Motion::Slide => self.out.default_q.push(reference),
            Motion::Ball => self.out.default_q.extend(IDENTITY),
            Motion::Free => {
                self.out.default_q.extend(body.pose.translation.vector.iter());
                self.out.default_q.extend(quat_of(&body.pose.rotation));
            }
        }
    }

    fn gather(&mut self, node: usize, frame: &Pose, body: &Body) {
        let com = frame.rotation * body.inertia.com + frame.translation.vector;
        let rotation = frame.rotation.to_rotation_matrix();
        let inertia = rotation * body.inertia.rotational * rotation.inverse();
        let mass = body.inertia.mass;
        let here = &mut self.gathered[node];
        here.mass += mass;
        here.moment += mass * com;
        here.parts.push((mass, com, inertia));
        here.compensated_mass += body.gravity_compensation * mass;
        here.compensated_moment += body.gravity_compensation * mass * com;
        self.out.compensates |= body.gravity_compensation * mass != 0.0 && self.last_dof[node].is_some();
    }

    fn finish(mut self, world: &World) -> Multibody {
        debug_assert_eq!(self.nq, world.nq());
        for (node, gathered) in self.out.nodes.iter_mut().zip(&self.gathered).skip(self.out.bases) {
            let turns = gathered.parts.iter().any(|(_, _, inertia)| *inertia != Matrix3::zeros());
            if gathered.mass > 0.0 || turns {
                // Rotational inertia without mass is the same about every point.
                let com = if gathered.mass > 0.0 { gathered.moment / gathered.mass } else { Vec3::zeros() };
                let mut total = Matrix3::zeros();
                for (mass, at, inertia) in &gathered.parts {
                    let d = at - com;
                    total += inertia + *mass * (Matrix3::identity() * d.norm_squared() - d * d.transpose());
                }
                node.mass = gathered.mass;
                node.com = com.into();
                node.rotational = [
                    total[(0, 0)],
                    total[(1, 1)],
                    total[(2, 2)],
                    0.5 * (total[(0, 1)] + total[(1, 0)]),
                    0.5 * (total[(0, 2)] + total[(2, 0)]),
                    0.5 * (total[(1, 2)] + total[(2, 1)]),
                ];
            }
            node.compensated_mass = gathered.compensated_mass;
            node.compensated_moment = gathered.compensated_moment.into();
        }
        let out = &mut self.out;
        out.run_start.push(0);
        for dof in 0..out.parent_dof.len() {
            let path = path_to(out.parent_dof[dof], &out.runs, &out.run_start);
            out.runs.extend(path);
            out.run_start.push(out.runs.len());
        }
        out.node_run_start.push(0);
        for last in &self.last_dof {
            out.node_runs.extend(path_to(*last, &out.runs, &out.run_start));
            out.node_run_start.push(out.node_runs.len());
        }
        self.out
    }
}

/// The coordinates from the root down to `last`, as ranges of consecutive ones in rising order. `runs` and `start` hold those
/// above each coordinate up to `last`.
fn path_to(last: Option<usize>, runs: &[Range<usize>], start: &[usize]) -> Vec<Range<usize>> {
    let Some(i) = last else { return Vec::new() };
    let mut path = runs[start[i]..start[i + 1]].to_vec();
    match path.last_mut() {
        Some(run) if run.end == i => run.end = i + 1,
        _ => path.push(i..i + 1),
    }
    path
}
