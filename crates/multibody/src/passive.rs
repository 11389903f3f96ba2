//! Passive joint forces: springs, damping, gravity compensation.
//!
//! Springs pull towards their rest position with −stiffness · (q − rest); the rotational springs of ball
//! and free joints pull along the rotation vector from the rest orientation, log(q_rest⁻¹ q) in child
//! axes. Damping is −damping · v. Gravity compensation applies an upward force at the centre of mass of each body, a
//! fraction of its weight.

use crate::Multibody;
use crate::multibody::Motion;
use crate::spatial::{Quat, V3, add_rotated, add6, cross, dot6, join, log, normalized, quat_mul, scale3};
use crate::workspace::Workspace;

impl Multibody {
    /// All passive forces (nv numbers) at the positions `q` and velocities `v`: springs, damping and
    /// gravity compensation. The positions must also be set in the workspace.
    pub fn passive_forces(&self, ws: &mut Workspace, q: &[f64], v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        self.add_spring_forces(q, out);
        for ((out, damping), v) in out.iter_mut().zip(&self.damping).zip(v) {
            *out -= damping * v;
        }
        self.add_gravity_compensation(ws, out);
    }

    /// Adds the forces of the joint springs (nv numbers) at the positions `q` to `out`.
    pub fn add_spring_forces(&self, q: &[f64], out: &mut [f64]) {
        assert_eq!(q.len(), self.nq(), "positions need nq numbers");
        assert_eq!(out.len(), self.nv(), "joint forces need nv numbers");
        if self.springs {
            self.each_stretch(q, |dof, stretch| out[dof] -= self.stiffness[dof] * stretch);
        }
    }

    /// Energy stored in the joint springs at the positions `q`, J.
    pub fn spring_energy(&self, q: &[f64]) -> f64 {
        let mut energy = 0.0;
        if self.springs {
            self.each_stretch(q, |dof, stretch| energy += 0.5 * self.stiffness[dof] * stretch * stretch);
        }
        energy
    }

    /// Whether any moving body has gravity compensation.
    pub fn compensates_gravity(&self) -> bool {
        self.compensates
    }

    /// Adds the forces of gravity compensation at the positions set before to `out` (nv numbers).
    pub fn add_gravity_compensation(&self, ws: &mut Workspace, out: &mut [f64]) {
        assert_eq!(out.len(), self.nv(), "joint forces need nv numbers");
        if !self.compensates {
            return;
        }
        let gravity: V3 = ws.gravity.into();
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let (frame, up) = (&ws.frames[i], scale3(-1.0, gravity));
            let force = scale3(node.compensated_mass, up);
            // Moment about O: (m r_node + R Σ m c) × (−g), with the first moment in node axes.
            let arm = scale3(node.compensated_mass, frame.origin);
            let arm = add_rotated(arm, &frame.rot, node.compensated_moment);
            ws.f[i] = join(cross(arm, up), force);
        }
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases).rev() {
            let f = ws.f[i];
            for k in node.v..node.v + node.nv {
                out[k] += dot6(&ws.s[k], &f);
            }
            if !node.root {
                ws.f[node.parent] = add6(&ws.f[node.parent], &f);
            }
        }
    }

    /// Calls `visit` with the displacement from rest of each velocity coordinate that has a spring.
    fn each_stretch(&self, q: &[f64], mut visit: impl FnMut(usize, f64)) {
        for node in &self.nodes[self.bases..] {
            match node.motion {
                Motion::Base => {}
                Motion::Screw | Motion::Slide => visit(node.v, q[node.q] - self.dofs[node.v].rest),
                Motion::Ball => {
                    for (k, angle) in self.turn_from_rest(q, node.q).into_iter().enumerate() {
                        visit(node.v + k, angle);
                    }
                }
                Motion::Free => {
                    for k in 0..3 {
                        visit(node.v + k, q[node.q + k] - self.default_q[node.q + k]);
                    }
                    for (k, angle) in self.turn_from_rest(q, node.q + 3).into_iter().enumerate() {
                        visit(node.v + 3 + k, angle);
                    }
                }
            }
        }
    }

    /// Rotation vector, in child axes, from the default orientation to that in `q`.
    fn turn_from_rest(&self, q: &[f64], at: usize) -> V3 {
        let read = |values: &[f64]| -> Quat {
            normalized([values[at], values[at + 1], values[at + 2], values[at + 3]])
        };
        let rest = read(&self.default_q);
        log(quat_mul([rest[0], -rest[1], -rest[2], -rest[3]], read(q)))
    }
}
