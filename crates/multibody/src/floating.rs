//! Mean bias of single free bodies over a whole step.
//!
//! Gyroscopic and centrifugal forces evaluated at the beginning of a step add the energy ½ δt² b·M⁻¹b per step. A
//! body that rotates by a large fraction of a radian per step becomes unstable. Without torque, the motion over a
//! step has a closed form instead. The forces that lead to its end are the mean bias of the step. In body axes, with
//! h = I ω,
//!
//! ```text
//! I (ω' − ω) = δt/2 h × (ω + ω')            (I − δt/2 h×)⁻¹ = (adj I + b bᵀ − (I b)×)/(det I + b·I b),  b = −δt/2 h
//! ```
//!
//! keeps ω·Iω exactly for any h and δt, since h× is skew, and never fails, since I is positive. With h = I ω½, ω½ from half a
//! step of the same with h = I ω, it is of second order. The centre of mass moves in a straight line: with the final
//! orientation R' = R Δ(δt ω'), Δ the projected quaternion step, the origin moves with v' = v_C − R' (ω' × c), so
//! the mean bias, M (v' − v) = −δt b̄, is
//!
//! ```text
//! moment about C  −I (ω' − ω)/δt                 force  m (R' − R)(ω' × c)/δt,
//! ```
//!
//! which for small δt are ω × Iω and m ω × (ω × c). Such a step conserves kinetic energy.

use crate::derivatives::Derivatives;
use crate::integrate::{QuaternionStep, turn as turn_by};
use crate::multibody::{Motion, Multibody, Node};
use crate::spatial::{
    V3, add_cross, add3, axpy3, cross, dot3, matrix, normalized, rotate, rotate_back, scale3, sub3,
    symmetric_mul,
};
use crate::workspace::Workspace;
use std::ops::Range;

impl Multibody {
    /// [`Multibody::bias`] over a step of `dt` (s) from the velocities `v` set before: for a single free body the
    /// mean bias, which conserves its energy, and for trees the bias at the beginning.
    pub fn mean_bias(&self, ws: &mut Workspace, v: &[f64], dt: f64, out: &mut [f64]) {
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        assert_eq!(out.len(), self.nv(), "joint forces need nv numbers");
        let gravity: V3 = ws.gravity.into();
        for nodes in &self.tree_nodes {
            let Some((i, node)) = self.floating(nodes) else {
                self.bias_wrenches_of(nodes.clone(), ws);
                self.project_wrenches_of(nodes.clone(), ws, out);
                continue;
            };
            let frame = &ws.frames[i];
            let coast = Coast::new(node, [v[node.v + 3], v[node.v + 4], v[node.v + 5]], dt);
            let force = sub3(coast.force, scale3(node.mass, rotate_back(&frame.rot, gravity)));
            let out = &mut out[node.v..node.v + 6];
            out[..3].copy_from_slice(&rotate(&frame.rot, force));
            out[3..].copy_from_slice(&add_cross(coast.moment, node.com, force));
        }
    }

    /// Adds to the derivatives of inverse dynamics the difference between [`Multibody::mean_bias`] and the bias at
    /// the beginning.
    pub fn add_mean_bias_derivatives(&self, ws: &Workspace, v: &[f64], dt: f64, out: &mut Derivatives) {
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        for (i, node) in self.tree_nodes.iter().filter_map(|nodes| self.floating(nodes)) {
            let (rot, w) = (&ws.frames[i].rot, [v[node.v + 3], v[node.v + 4], v[node.v + 5]]);
            let coast = Coast::new(node, w, dt);
            let across = cross(w, node.com);
            let force = sub3(coast.force, scale3(node.mass, cross(w, across)));
            for k in 0..3 {
                let (mut e, column) = ([0.0; 3], node.v + 3 + k);
                e[k] = 1.0;
                let (moment_change, force_change) = coast.change(node, w, e);
                let centrifugal = add_cross(cross(e, across), w, cross(e, node.com));
                let gyroscopic = add_cross(
                    cross(e, symmetric_mul(&node.rotational, w)),
                    w,
                    symmetric_mul(&node.rotational, e),
                );
                let by_force = sub3(force_change, scale3(node.mass, centrifugal));
                let by_moment = add_cross(sub3(moment_change, gyroscopic), node.com, by_force);
                let (turned, pushed) = (rotate(rot, cross(e, force)), rotate(rot, by_force));
                for row in 0..3 {
                    out.by_q[(node.v + row, column)] += turned[row];
                    out.by_v[(node.v + row, column)] += pushed[row];
                    out.by_v[(node.v + 3 + row, column)] += by_moment[row];
                }
            }
        }
    }

    /// Changes the linear velocity in `v` of a tree that is a body with a free joint, so that its centre of mass goes on as the step
    /// let it although the body has turned: the mean bias does so for the spin ω' of the motion without contact, v' = v_C − R' (ω' × c),
    /// and an impact leaves it with ω⁺ and R⁺,
    ///
    /// ```text
    /// v_C = v + (R' − R) (ω' × c) + R (ω⁺ × c),        v⁺ = v_C − R⁺ (ω⁺ × c)
    /// ```
    ///
    /// From positions `q` to `q_end` in `dt`, with the velocities `free` of the motion without contact.
    pub fn go_straight(
        &self,
        tree: usize,
        (q, q_end, dt): (&[f64], &[f64], f64),
        free: &[f64],
        v: &mut [f64],
    ) {
        let Some((_, node)) = self.floating(&self.tree_nodes[tree]) else { return };
        let spin = |v: &[f64]| cross([v[node.v + 3], v[node.v + 4], v[node.v + 5]], node.com);
        let range = node.q + 3..node.q + 7;
        let mut q_free = [0.0; 4];
        let w = &free[node.v + 3..node.v + 6];
        turn_by(&q[range.clone()], w, dt, QuaternionStep::Projected, &mut q_free);
        let turned = |q: &[f64], x: V3| rotate(&matrix(normalized([q[0], q[1], q[2], q[3]])), x);
        let (of_free, of_end) = (spin(free), spin(v));
        let start = &q[range.clone()];
        let by_free = sub3(turned(&q_free, of_free), turned(start, of_free));
        let by_end = sub3(turned(&q_end[range], of_end), turned(start, of_end));
        for k in 0..3 {
            v[node.v + k] += by_free[k] - by_end[k];
        }
    }

    /// The only node of a tree, if the tree is a single body with a free joint on the world.
    fn floating(&self, nodes: &Range<usize>) -> Option<(usize, &Node)> {
        let node = &self.nodes[nodes.start];
        let alone = nodes.len() == 1 && node.motion == Motion::Free && node.parent == 0;
        alone.then_some((nodes.start, node))
    }
}

/// A step without forces.
struct Coast {
    dt: f64,
    /// ω½ of half a step, and the change of ω in the whole step; node axes.
    half: V3,
    change: V3,
    /// Mean bias: moment about C and force, node axes.
    moment: V3,
    force: V3,
}

impl Coast {
    fn new(node: &Node, w: V3, dt: f64) -> Self {
        let inertia = &node.rotational;
        let half = add3(w, turn(inertia, symmetric_mul(inertia, w), w, 0.5 * dt));
        let change = turn(inertia, symmetric_mul(inertia, half), w, dt);
        let moment = scale3(-1.0 / dt, symmetric_mul(inertia, change));
        let end = add3(w, change);
        let force = scale3(node.mass / dt, swing(scale3(0.5 * dt, end), cross(end, node.com)));
        Self { dt, half, change, moment, force }
    }

    /// Changes of moment and force for a change `dw` of the initial velocity.
    fn change(&self, node: &Node, w: V3, dw: V3) -> (V3, V3) {
        let (inertia, dt) = (&node.rotational, self.dt);
        let h = symmetric_mul(inertia, w);
        let dh = symmetric_mul(inertia, dw);
        // Derivative of the rotation equation: (I − s h×) dδ = 2s (dh × ω + h × dω) + s dh × δ.
        let s = 0.25 * dt;
        let by_half = add3(scale3(2.0 * s, add_cross(cross(dh, w), h, dw)), {
            scale3(s, cross(dh, sub3(self.half, w)))
        });
        let half = add3(dw, solve(inertia, scale3(-s, h), by_half));
        let (s, h, dh) = (0.5 * dt, symmetric_mul(inertia, self.half), symmetric_mul(inertia, half));
        let by_whole =
            add3(scale3(2.0 * s, add_cross(cross(dh, w), h, dw)), scale3(s, cross(dh, self.change)));
        let change = solve(inertia, scale3(-s, h), by_whole);
        let moment = scale3(-1.0 / dt, symmetric_mul(inertia, change));

        let (end, by_end) = (add3(w, self.change), add3(dw, change));
        let (x, dx) = (scale3(0.5 * dt, end), scale3(0.5 * dt, by_end));
        let (y, dy) = (cross(end, node.com), cross(by_end, node.com));
        let share = 2.0 / (1.0 + dot3(x, x));
        let inner = add_cross(cross(dx, y), dx, cross(x, y));
        let inner = add_cross(inner, x, cross(dx, y));
        let swung = axpy3(swing(x, dy), share, inner);
        let swung = axpy3(swung, -share * dot3(x, dx), swing(x, y));
        (moment, scale3(node.mass / dt, swung))
    }
}

/// Change of ω in `dt` with angular momentum h: (I − δt/2 h×) δ = δt h × ω.
#[inline(always)]
fn turn(inertia: &[f64; 6], h: V3, w: V3, dt: f64) -> V3 {
    solve(inertia, scale3(-0.5 * dt, h), scale3(dt, cross(h, w)))
}

/// (I + b×)⁻¹ r; 0 for a body with a singular inertia that does not rotate.
#[inline(always)]
fn solve(i: &[f64; 6], b: V3, r: V3) -> V3 {
    let [xx, yy, zz, xy, xz, yz] = *i;
    let adjoint = [
        yy * zz - yz * yz,
        xx * zz - xz * xz,
        xx * yy - xy * xy,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - yz * xx,
    ];
    let carried = symmetric_mul(i, b);
    let det = xx * adjoint[0] + xy * adjoint[3] + xz * adjoint[4] + dot3(b, carried);
    if det <= 0.0 {
        return [0.0; 3];
    }
    let sum = axpy3(symmetric_mul(&adjoint, r), dot3(b, r), b);
    scale3(1.0 / det, sub3(sum, cross(carried, r)))
}

/// (Δ − 1) y with Δ the rotation of the quaternion along (1, x): 2 (x × y + x × (x × y))/(1 + x²).
#[inline(always)]
fn swing(x: V3, y: V3) -> V3 {
    let across = cross(x, y);
    scale3(2.0 / (1.0 + dot3(x, x)), add_cross(across, x, across))
}
