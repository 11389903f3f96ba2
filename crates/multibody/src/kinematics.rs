//! Poses, twists and accelerations of all bodies.
//!
//! From the roots to the leaves, with S the motion-subspace columns of a joint and λ the node before it
//! (Featherstone's forward recursion, here in world axes about the tree's point O):
//!
//! ```text
//! x_wi = x_wλ · offset · J(q)        v_i = v_λ + S v        a_i = a_λ + S v̇ + c
//! ```
//!
//! Columns, with p the joint's anchor from O and a its axis: screw (a; p×a + lead·a), slide (0; a), ball
//! (R e_k; p×R e_k), free (0; e_k) and (R e_k; p×R e_k). Columns fixed in either of the joint's two
//! bodies give c = v_λ × S v. A free joint measures its linear velocity ṗ in world axes at the moving
//! body origin, and O is fixed for the instant: the body-fixed point passing through O = p has velocity
//! ṗ + ω × (O − p), whose rate at O = p is p̈ − ω × ṗ, hence c = (0; ṗ × ω).

use crate::multibody::{Motion, Multibody, Node, unit_quaternion};
use crate::spatial::{
    M3, Quat, V3, V6, add_cross, add_rotated, add3, add6, angular, axpy3, axpy6, cross, cross_motion, fma,
    join, linear, matrix, normalized, quat_mul, rotate, sub3,
};
use crate::trig::sin_cos;
use crate::workspace::{Frame, Workspace};
use nalgebra::Vector6;
use stiction_model::{Pose, Vec3};

impl Multibody {
    /// Computes every pose and motion-subspace column at the positions `q` (nq numbers; quaternions are
    /// normalised on use).
    pub fn positions(&self, q: &[f64], ws: &mut Workspace) {
        assert_eq!(q.len(), self.nq(), "positions need nq numbers");
        ws.inertias_ready = false;
        // Outside the recursion, where they would be serialised by dependencies.
        for (turn, node) in ws.half_turns.iter_mut().zip(&self.nodes) {
            if node.motion == Motion::Screw {
                *turn = sin_cos(0.5 * (q[node.q] - node.reference));
            }
        }
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let parent = &ws.frames[node.parent];
            let (quat, rot, mut origin);
            match node.motion {
                Motion::Screw => {
                    let (sin, cos) = ws.half_turns[i];
                    let turn: Quat = std::array::from_fn(|k| fma(cos, node.turn[k], sin * node.turn_axis[k]));
                    quat = quat_mul(parent.quat, turn);
                    rot = matrix(quat);
                    let axis = rotate(&rot, node.axis);
                    origin = add_rotated(parent.origin, &parent.rot, node.offset);
                    if node.lead != 0.0 {
                        origin = axpy3(origin, node.lead * (q[node.q] - node.reference), axis);
                    }
                    place_root(node, &mut origin, &mut ws.origins);
                    let moment = cross(origin, axis);
                    let lin = if node.lead == 0.0 { moment } else { axpy3(moment, node.lead, axis) };
                    ws.s[node.v] = join(axis, lin);
                }
                Motion::Slide => {
                    quat = quat_mul(parent.quat, node.turn);
                    rot = matrix(quat);
                    let axis = rotate(&rot, node.axis);
                    origin = add_rotated(parent.origin, &parent.rot, node.offset);
                    origin = axpy3(origin, q[node.q] - node.reference, axis);
                    place_root(node, &mut origin, &mut ws.origins);
                    ws.s[node.v] = join([0.0; 3], axis);
                }
                Motion::Ball => {
                    let turn = normalized([q[node.q], q[node.q + 1], q[node.q + 2], q[node.q + 3]]);
                    quat = quat_mul(parent.quat, quat_mul(node.turn, turn));
                    rot = matrix(quat);
                    origin = add_rotated(parent.origin, &parent.rot, node.offset);
                    place_root(node, &mut origin, &mut ws.origins);
                    rotation_columns(&rot, origin, &mut ws.s[node.v..node.v + 3]);
                }
                Motion::Free => {
                    let q = &q[node.q..node.q + 7];
                    quat = normalized([q[3], q[4], q[5], q[6]]);
                    rot = matrix(quat);
                    origin = [q[0], q[1], q[2]];
                    place_root(node, &mut origin, &mut ws.origins);
                    for k in 0..3 {
                        ws.s[node.v + k] = [0.0; 6];
                        ws.s[node.v + k][3 + k] = 1.0;
                    }
                    rotation_columns(&rot, origin, &mut ws.s[node.v + 3..node.v + 6]);
                }
                Motion::Base => continue,
            }
            ws.frames[i] = Frame { quat, rot, origin, com: add_rotated(origin, &rot, node.com) };
        }
    }

    /// Computes every twist at the velocities `v` (nv numbers), at the positions set before.
    pub fn velocities(&self, v: &[f64], ws: &mut Workspace) {
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let before = if node.root { self.base_motion(node, ws) } else { ws.v[node.parent] };
            let mut own = [0.0; 6];
            for (s, &rate) in ws.s[node.v..node.v + node.nv].iter().zip(&v[node.v..node.v + node.nv]) {
                own = axpy6(&own, rate, s);
            }
            ws.v[i] = add6(&before, &own);
            ws.c[i] = if node.motion == Motion::Free {
                join([0.0; 3], cross(linear(&own), angular(&own)))
            } else {
                cross_motion(&before, &own)
            };
        }
    }

    /// Computes every acceleration at `vdot` (nv numbers), at the positions and velocities set before.
    pub fn accelerations(&self, vdot: &[f64], ws: &mut Workspace) {
        assert_eq!(vdot.len(), self.nv(), "accelerations need nv numbers");
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let mut a = self.free_acceleration(i, node, ws);
            for (s, &rate) in ws.s[node.v..node.v + node.nv].iter().zip(&vdot[node.v..node.v + node.nv]) {
                a = axpy6(&a, rate, s);
            }
            ws.a[i] = a;
        }
    }

    /// a_λ + c: the acceleration of a node whose own v̇ is zero.
    #[inline(always)]
    pub(crate) fn free_acceleration(&self, i: usize, node: &Node, ws: &Workspace) -> V6 {
        if node.root {
            let twist = &ws.base_twists[node.parent];
            // A mocap body has a constant twist: only the motion of its point at O accelerates.
            let drift = cross(linear(twist), angular(twist));
            add6(&ws.c[i], &join([0.0; 3], drift))
        } else {
            add6(&ws.c[i], &ws.a[node.parent])
        }
    }

    /// Motion of a root node's base about the tree's point O.
    #[inline(always)]
    pub(crate) fn base_motion(&self, node: &Node, ws: &Workspace) -> V6 {
        if node.parent == 0 {
            return [0.0; 6];
        }
        let twist = &ws.base_twists[node.parent];
        let arm = sub3(ws.origins[node.tree], ws.frames[node.parent].origin);
        join(angular(twist), add_cross(linear(twist), angular(twist), arm))
    }

    /// Pose of a body in the world, x_wb.
    pub fn pose(&self, ws: &Workspace, body: usize) -> Pose {
        let mount = &self.mounts[body];
        let frame = &ws.frames[mount.node];
        let quat = mount.turn.map_or(frame.quat, |turn| quat_mul(frame.quat, turn));
        let p = self.world_point(ws, mount.node, add_rotated(frame.origin, &frame.rot, mount.offset));
        Pose::from_parts(Vec3::from(p).into(), unit_quaternion(quat))
    }

    /// Position of a body's origin in the world, m.
    pub fn origin(&self, ws: &Workspace, body: usize) -> Vec3 {
        let mount = &self.mounts[body];
        let frame = &ws.frames[mount.node];
        self.world_point(ws, mount.node, add_rotated(frame.origin, &frame.rot, mount.offset)).into()
    }

    /// The point O of the world about which all spatial quantities of a tree are taken, m.
    pub fn reference_point(&self, ws: &Workspace, tree: usize) -> Vec3 {
        ws.origins[tree].into()
    }

    /// The motion-subspace columns of all velocity coordinates: motion per unit of velocity, `[angular; linear of
    /// the point at O]` in world axes about its tree's reference point.
    pub fn columns<'a>(&self, ws: &'a Workspace) -> &'a [[f64; 6]] {
        &ws.s
    }

    /// Twist of a body, [angular; linear velocity of its origin], world axes.
    pub fn twist(&self, ws: &Workspace, body: usize) -> Vector6<f64> {
        let (v, arm) = self.motion_and_arm(ws, body);
        join(angular(&v), add_cross(linear(&v), angular(&v), arm)).into()
    }

    /// Acceleration of a body, [angular; linear acceleration of its origin], world axes, as last set by
    /// [`Multibody::accelerations`], [`Multibody::inverse_dynamics`] or [`Multibody::forward_dynamics`].
    pub fn acceleration(&self, ws: &Workspace, body: usize) -> Vector6<f64> {
        let node = self.mounts[body].node;
        if node < self.bases {
            let w = angular(&ws.base_twists[node]);
            let frame = &ws.frames[node];
            let arm = rotate(&frame.rot, self.mounts[body].offset);
            return join([0.0; 3], cross(w, cross(w, arm))).into();
        }
        let (v, arm) = self.motion_and_arm(ws, body);
        let a = &ws.a[node];
        let w = angular(&v);
        let velocity = add_cross(linear(&v), w, arm);
        let point = add_cross(add_cross(linear(a), angular(a), arm), w, velocity);
        join(angular(a), point).into()
    }

    /// A node's motion, and the position of the body's origin from the point it is taken about.
    fn motion_and_arm(&self, ws: &Workspace, body: usize) -> (V6, V3) {
        let mount = &self.mounts[body];
        let frame = &ws.frames[mount.node];
        let arm = rotate(&frame.rot, mount.offset);
        if mount.node < self.bases {
            (ws.base_twists[mount.node], arm)
        } else {
            (ws.v[mount.node], add3(frame.origin, arm))
        }
    }

    /// A position from the tree's point O (of a base: from the world) as one from the world's origin.
    #[inline(always)]
    pub(crate) fn world_point(&self, ws: &Workspace, node: usize, p: V3) -> V3 {
        if node < self.bases { p } else { add3(ws.origins[self.nodes[node].tree], p) }
    }
}

/// The first node of a tree has its origin at the tree's reference point.
#[inline(always)]
fn place_root(node: &Node, origin: &mut V3, origins: &mut [V3]) {
    if node.root {
        origins[node.tree] = *origin;
        *origin = [0.0; 3];
    }
}

/// Columns of rotations about body axes through `origin`.
#[inline(always)]
fn rotation_columns(rot: &M3, origin: V3, s: &mut [V6]) {
    for (k, column) in s.iter_mut().enumerate() {
        let axis = [rot[k], rot[3 + k], rot[6 + k]];
        *column = join(axis, cross(origin, axis));
    }
}
