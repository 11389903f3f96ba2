//! Inverse dynamics by the recursive Newton–Euler algorithm (RNEA).
//!
//! Out to the leaves: accelerations, and for each node the wrench that moves its inertia,
//!
//! ```text
//! F = m (a_C − g)                        a_C the acceleration of the centre of mass C
//! N = R (I α + ω × I ω)                  in node axes, where I is constant
//! f = (N + c × F; F)                     about O, c the position of C from O
//! ```
//!
//! Back to the roots: τ = Sᵀ f + armature · v̇, and f is added to the parent node.

use crate::multibody::{Multibody, Node};
use crate::spatial::{
    V3, V6, add_cross, add6, angular, axpy6, cross, dot6, join, linear, rotate, rotate_back, scale3, sub3,
    symmetric_mul,
};
use crate::workspace::Workspace;
use std::ops::Range;

impl Multibody {
    /// Joint forces `tau` (nv numbers) that produce the accelerations `vdot` at the positions and
    /// velocities set before, with gravity and armature, without springs, damping and actuation:
    /// tau = M v̇ + bias. Leaves the bodies' accelerations in the workspace.
    pub fn inverse_dynamics(&self, ws: &mut Workspace, vdot: &[f64], tau: &mut [f64]) {
        assert_eq!(vdot.len(), self.nv(), "accelerations need nv numbers");
        assert_eq!(tau.len(), self.nv(), "joint forces need nv numbers");
        let gravity: V3 = ws.gravity.into();
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let mut a = self.free_acceleration(i, node, ws);
            for (s, &rate) in ws.s[node.v..node.v + node.nv].iter().zip(&vdot[node.v..node.v + node.nv]) {
                a = axpy6(&a, rate, s);
            }
            ws.a[i] = a;
            ws.f[i] = inertial_wrench(node, i, ws, gravity);
        }
        self.project_wrenches(ws, tau);
        for ((tau, armature), vdot) in tau.iter_mut().zip(&self.armature).zip(vdot) {
            *tau += armature * vdot;
        }
    }

    /// Coriolis, centrifugal and gravity forces at the positions and velocities set before (nv numbers):
    /// inverse dynamics without acceleration.
    pub fn bias(&self, ws: &mut Workspace, out: &mut [f64]) {
        assert_eq!(out.len(), self.nv(), "joint forces need nv numbers");
        self.bias_wrenches(ws);
        self.project_wrenches(ws, out);
    }

    /// Forces that compensate gravity at the positions set before (nv numbers): the bias at rest, and the gradient
    /// of the gravitational potential.
    pub fn gravity_forces(&self, ws: &mut Workspace, out: &mut [f64]) {
        assert_eq!(out.len(), self.nv(), "joint forces need nv numbers");
        let gravity: V3 = ws.gravity.into();
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let force = scale3(-node.mass, gravity);
            ws.f[i] = join(cross(ws.frames[i].com, force), force);
        }
        self.project_wrenches(ws, out);
    }

    /// Accelerations and wrenches of all nodes with v̇ = 0.
    pub(crate) fn bias_wrenches(&self, ws: &mut Workspace) {
        self.bias_wrenches_of(self.bases..self.nodes.len(), ws);
    }

    /// The same of whole trees, given by their nodes.
    pub(crate) fn bias_wrenches_of(&self, nodes: Range<usize>, ws: &mut Workspace) {
        let gravity: V3 = ws.gravity.into();
        for i in nodes {
            let node = &self.nodes[i];
            ws.a[i] = self.free_acceleration(i, node, ws);
            ws.f[i] = inertial_wrench(node, i, ws, gravity);
        }
    }

    /// Accumulates the wrenches in `ws.f` from the leaves to the roots: `out` = Sᵀ f.
    pub(crate) fn project_wrenches(&self, ws: &mut Workspace, out: &mut [f64]) {
        self.project_wrenches_of(self.bases..self.nodes.len(), ws, out);
    }

    /// The same of whole trees, given by their nodes; the entries of other trees are unchanged.
    pub(crate) fn project_wrenches_of(&self, nodes: Range<usize>, ws: &mut Workspace, out: &mut [f64]) {
        for i in nodes.rev() {
            let node = &self.nodes[i];
            let f = ws.f[i];
            for (tau, s) in out[node.v..node.v + node.nv].iter_mut().zip(&ws.s[node.v..node.v + node.nv]) {
                *tau = dot6(s, &f);
            }
            if !node.root {
                ws.f[node.parent] = add6(&ws.f[node.parent], &f);
            }
        }
    }
}

/// The inertial wrench of node `i` about O, minus gravity.
#[inline(always)]
fn inertial_wrench(node: &Node, i: usize, ws: &Workspace, gravity: V3) -> V6 {
    if !node.has_inertia() {
        return [0.0; 6];
    }
    let (frame, v, a) = (&ws.frames[i], &ws.v[i], &ws.a[i]);
    let (w, alpha, com) = (angular(v), angular(a), frame.com);
    let velocity = add_cross(linear(v), w, com);
    let acceleration = add_cross(add_cross(linear(a), alpha, com), w, velocity);
    let force = scale3(node.mass, sub3(acceleration, gravity));
    let (w_b, alpha_b) = (rotate_back(&frame.rot, w), rotate_back(&frame.rot, alpha));
    let moment =
        add_cross(symmetric_mul(&node.rotational, alpha_b), w_b, symmetric_mul(&node.rotational, w_b));
    join(add_cross(rotate(&frame.rot, moment), com, force), force)
}
