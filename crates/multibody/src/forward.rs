//! Forward dynamics by the articulated-body algorithm (ABA).
//!
//! Let p be the wrenches required by the motion at v̇ = 0 (the outward half of inverse dynamics). Write a = a₀ + δ,
//! where a₀ belongs to v̇ = 0; then velocity products appear nowhere else. From the leaves to the roots each
//! coordinate is eliminated, one column at a time, also within ball and free joints:
//!
//! ```text
//! U = IA S     D = S·U + armature     u = τ − S·p
//! IA ← IA − U Uᵀ/D                    p ← p + U u/D          then both add to the node before
//! ```
//!
//! and outwards again v̇ = (u − U·δ)/D, δ ← δ + S v̇. A locked coordinate is not eliminated: its v̇ is zero and the
//! full inertia behind it is propagated.

use crate::Multibody;
use crate::spatial::{RigidInertia, V6, add6, axpy6, dot6, fma};
use crate::workspace::Workspace;

/// Articulated-body inertia: the apparent inertia of a body at its joint while the joints behind it are free. A
/// symmetric 6×6 matrix of 21 numbers in three blocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ArticulatedInertia {
    /// Angular–angular: xx, yy, zz, xy, xz, yz.
    ww: [f64; 6],
    /// Angular–linear, row after row.
    wv: [f64; 9],
    /// Linear–linear: xx, yy, zz, xy, xz, yz.
    vv: [f64; 6],
}

impl ArticulatedInertia {
    #[inline(always)]
    fn rigid(i: &RigidInertia) -> Self {
        let ([x, y, z], m) = (i.moment, i.mass);
        Self { ww: i.rotational, wv: [0.0, -z, y, z, 0.0, -x, -y, x, 0.0], vv: [m, m, m, 0.0, 0.0, 0.0] }
    }

    #[inline(always)]
    fn add(&mut self, other: &Self) {
        for k in 0..6 {
            self.ww[k] += other.ww[k];
            self.vv[k] += other.vv[k];
        }
        for k in 0..9 {
            self.wv[k] += other.wv[k];
        }
    }

    #[inline(always)]
    fn apply(&self, s: &V6) -> V6 {
        let (a, b, c) = (&self.ww, &self.wv, &self.vv);
        let [x, y, z, u, v, w] = *s;
        [
            fma(a[0], x, fma(a[3], y, a[4] * z)) + fma(b[0], u, fma(b[1], v, b[2] * w)),
            fma(a[3], x, fma(a[1], y, a[5] * z)) + fma(b[3], u, fma(b[4], v, b[5] * w)),
            fma(a[4], x, fma(a[5], y, a[2] * z)) + fma(b[6], u, fma(b[7], v, b[8] * w)),
            fma(b[0], x, fma(b[3], y, b[6] * z)) + fma(c[0], u, fma(c[3], v, c[4] * w)),
            fma(b[1], x, fma(b[4], y, b[7] * z)) + fma(c[3], u, fma(c[1], v, c[5] * w)),
            fma(b[2], x, fma(b[5], y, b[8] * z)) + fma(c[4], u, fma(c[5], v, c[2] * w)),
        ]
    }

    /// Self − k u uᵀ.
    #[inline(always)]
    fn downdate(&mut self, k: f64, u: &V6) {
        let [x, y, z] = [-k * u[0], -k * u[1], -k * u[2]];
        let [p, q, r] = [-k * u[3], -k * u[4], -k * u[5]];
        let a = &mut self.ww;
        *a = [
            fma(x, u[0], a[0]),
            fma(y, u[1], a[1]),
            fma(z, u[2], a[2]),
            fma(x, u[1], a[3]),
            fma(x, u[2], a[4]),
            fma(y, u[2], a[5]),
        ];
        let b = &mut self.wv;
        *b = [
            fma(x, u[3], b[0]),
            fma(x, u[4], b[1]),
            fma(x, u[5], b[2]),
            fma(y, u[3], b[3]),
            fma(y, u[4], b[4]),
            fma(y, u[5], b[5]),
            fma(z, u[3], b[6]),
            fma(z, u[4], b[7]),
            fma(z, u[5], b[8]),
        ];
        let c = &mut self.vv;
        *c = [
            fma(p, u[3], c[0]),
            fma(q, u[4], c[1]),
            fma(r, u[5], c[2]),
            fma(p, u[4], c[3]),
            fma(p, u[5], c[4]),
            fma(q, u[5], c[5]),
        ];
    }
}

impl Multibody {
    /// Accelerations `vdot` (nv numbers) under the joint forces `tau` (nv numbers: actuation, passive and
    /// external forces together) at the positions and velocities set before. Coordinates of locked
    /// joints do not accelerate. Leaves the bodies' accelerations in the workspace. If the mass matrix is singular,
    /// the result is not finite or meaningless. [`Multibody::check_inertia`] detects this in advance.
    pub fn forward_dynamics(&self, ws: &mut Workspace, tau: &[f64], vdot: &mut [f64]) {
        assert_eq!(tau.len(), self.nv(), "joint forces need nv numbers");
        assert_eq!(vdot.len(), self.nv(), "accelerations need nv numbers");
        self.world_inertias(ws);
        self.bias_wrenches(ws);
        for (articulated, inertia) in ws.articulated.iter_mut().zip(&ws.inertias).skip(self.bases) {
            *articulated = ArticulatedInertia::rigid(inertia);
        }
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases).rev() {
            let (mut inertia, mut p) = (ws.articulated[i], ws.f[i]);
            for k in (node.v..node.v + node.nv).rev() {
                if self.locked[k] {
                    continue;
                }
                let s = &ws.s[k];
                let u = inertia.apply(s);
                let inverse = 1.0 / (dot6(s, &u) + self.armature[k]);
                let rest = (tau[k] - dot6(s, &p)) * inverse;
                inertia.downdate(inverse, &u);
                p = axpy6(&p, rest, &u);
                ws.u[k] = u;
                ws.inv_d[k] = inverse;
                ws.rest[k] = rest;
            }
            if !node.root {
                ws.articulated[node.parent].add(&inertia);
                ws.f[node.parent] = add6(&ws.f[node.parent], &p);
            }
        }
        // From here on ws.f holds δ.
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let mut delta = if node.root { [0.0; 6] } else { ws.f[node.parent] };
            for k in node.v..node.v + node.nv {
                vdot[k] =
                    if self.locked[k] { 0.0 } else { fma(-ws.inv_d[k], dot6(&ws.u[k], &delta), ws.rest[k]) };
                delta = axpy6(&delta, vdot[k], &ws.s[k]);
            }
            ws.f[i] = delta;
            ws.a[i] = add6(&ws.a[i], &delta);
        }
    }
}
