//! Body and point Jacobians, and their transposes: wrenches to joint forces.
//!
//! With the motion-subspace columns already about the tree's point O in world axes, a body's Jacobian consists of
//! the columns of the joints between the body and its root, shifted to the requested point: (s_ω; s_v + s_ω × (x −
//! O)).

use crate::Multibody;
use crate::spatial::{V3, V6, add_cross, angular, cross, dot6, join, linear, sub3};
use crate::workspace::Workspace;
use nalgebra::{Matrix3xX, Matrix6xX, Vector6};
use stiction_model::Vec3;

impl Multibody {
    /// Jacobian of a body's motion at the world point `p_wq`, one column `[angular; linear]` in world
    /// axes for each velocity coordinate of the body's tree: twist = Σ column · v. `out` must have as
    /// many entries as the tree has velocity coordinates (none for a body that is in no tree).
    pub fn body_jacobian(&self, ws: &Workspace, body: usize, p_wq: &Vec3, out: &mut [V6]) {
        let Some(tree) = self.body_tree(body) else {
            assert!(out.is_empty(), "a body that is in no tree has no Jacobian");
            return;
        };
        let first = self.trees[tree].v.start;
        assert_eq!(out.len(), self.trees[tree].v.len(), "a column for each velocity coordinate of the tree");
        out.fill([0.0; 6]);
        let arm = sub3((*p_wq).into(), ws.origins[tree]);
        for run in self.body_dofs(body) {
            let columns = &mut out[run.start - first..run.end - first];
            for (column, s) in columns.iter_mut().zip(&ws.s[run.clone()]) {
                *column = join(angular(s), add_cross(linear(s), angular(s), arm));
            }
        }
    }

    /// Jacobian of a body's motion at the world point `p_wq` over all velocity coordinates:
    /// [angular; linear] in world axes. Allocates; the steady step uses [`Multibody::body_jacobian`].
    pub fn full_jacobian(&self, ws: &Workspace, body: usize, p_wq: &Vec3) -> Matrix6xX<f64> {
        let mut out = Matrix6xX::zeros(self.nv());
        if let Some(tree) = self.body_tree(body) {
            let range = self.trees[tree].v.clone();
            let mut columns = vec![[0.0; 6]; range.len()];
            self.body_jacobian(ws, body, p_wq, &mut columns);
            for (i, column) in range.zip(columns) {
                out.set_column(i, &column.into());
            }
        }
        out
    }

    /// Jacobian of the velocity of the body-fixed point now at `p_wq`, over all velocity coordinates.
    /// Allocates.
    pub fn point_jacobian(&self, ws: &Workspace, body: usize, p_wq: &Vec3) -> Matrix3xX<f64> {
        self.full_jacobian(ws, body, p_wq).fixed_rows::<3>(3).into_owned()
    }

    /// Adds to the joint forces `tau` (nv numbers) the effect of a wrench [moment; force] in world axes on `body` at
    /// the world point `p_wq`: tau += Jᵀ wrench.
    pub fn add_wrench(
        &self,
        ws: &Workspace,
        body: usize,
        p_wq: &Vec3,
        wrench: &Vector6<f64>,
        tau: &mut [f64],
    ) {
        assert_eq!(tau.len(), self.nv(), "joint forces need nv numbers");
        let Some(tree) = self.body_tree(body) else { return };
        let arm: V3 = sub3((*p_wq).into(), ws.origins[tree]);
        let wrench: V6 = (*wrench).into();
        let about_o = join(add_cross(angular(&wrench), arm, linear(&wrench)), linear(&wrench));
        for run in self.body_dofs(body) {
            for i in run.clone() {
                tau[i] += dot6(&ws.s[i], &about_o);
            }
        }
    }

    /// Velocity of the body-fixed point now at `p_wq`, world axes, m/s.
    pub fn point_velocity(&self, ws: &Workspace, body: usize, p_wq: &Vec3) -> Vec3 {
        let twist: V6 = self.twist(ws, body).into();
        let arm = sub3((*p_wq).into(), self.origin(ws, body).into());
        let spin = cross(angular(&twist), arm);
        Vec3::from(linear(&twist)) + Vec3::from(spin)
    }
}
