//! Derivatives of inverse dynamics, in closed form.
//!
//! A change of coordinate j displaces everything beyond its joint by its column S_j, as a rigid body. With all
//! spatial quantities in world axes about one fixed point O, every carried quantity changes by S_j × (·). With v_b,
//! a_b the motion and acceleration of the joint's parent (gravity as an acceleration of the base) and v_a the motion
//! beyond the joint, for each node i that j moves
//!
//! ```text
//! ∂v_i/∂q_j = S_j × (v_i − v_b)                          ψ = v_b × S_j,   χ = a_b × S_j + v_b × ψ
//! ∂f_i/∂q_j = S_j ×* f_i + I_i χ + B_i ψ                 B_i x = v_i ×* I_i x − I_i (v_i × x) + x ×* I_i v_i
//! ∂f_i/∂v_j = I_i ((v_b + v_a) × S_j) + B_i S_j
//! ```
//!
//! and τ_k = S_k · Σ f over what k moves. Sums of I, B and f over subtrees (composites) make each entry of ∂τ/∂q and ∂τ/∂v a
//! product of two six-vectors: O(nv · depth) in all. (The recursion is that of Carpentier and Mansard 2018, rearranged
//! for one frame.)
//!
//! The three rotations of a ball or free joint are about body axes, and all three columns are carried by each; the
//! translations of a free joint are along world axes and are carried by none. So a free joint counts as two joints in a
//! row, a translation and a ball.
//!
//! Derivatives by positions are by the tangent: q ⊕ ε e_j (see [`Multibody::integrate`]).

use crate::mass::MassMatrix;
use crate::multibody::{Motion, Multibody};
use crate::spatial::{
    RigidInertia, V3, V6, add_cross, add6, angular, axpy6, cross, cross_motion, dot6, join, linear,
};
use crate::workspace::Workspace;
use nalgebra::DMatrix;

/// The part of the tree that coordinate j displaces: see [`Derivatives::carries`].
#[derive(Clone, Copy, Debug, Default)]
struct Displaced {
    node: usize,
    /// A rotation of a free joint: comes after its translations.
    second: bool,
}

/// Derivatives of inverse dynamics, and the memory to compute them.
#[derive(Clone, Debug)]
pub struct Derivatives {
    /// ∂τ/∂q, nv × nv: zero between trees.
    pub by_q: DMatrix<f64>,
    /// ∂τ/∂v, nv × nv.
    pub by_v: DMatrix<f64>,
    displaced: Vec<Displaced>,
    /// v_b of each velocity coordinate, about its tree's O.
    before: Vec<V6>,
    /// ψ, χ and (v_b + v_a) × S of each velocity coordinate.
    psi: Vec<V6>,
    chi: Vec<V6>,
    rate: Vec<V6>,
    /// Composite B (columns), inertia and force of each node.
    b: Vec<[V6; 6]>,
    force: Vec<V6>,
    accelerations: Vec<V6>,
}

impl Derivatives {
    /// Buffers for the derivatives of `multibody`.
    pub fn new(multibody: &Multibody) -> Self {
        let (nv, nodes) = (multibody.nv(), multibody.nodes.len());
        let mut displaced = vec![Displaced::default(); nv];
        for (i, node) in multibody.nodes.iter().enumerate() {
            for (k, place) in displaced[node.v..node.v + node.nv].iter_mut().enumerate() {
                *place = Displaced { node: i, second: node.motion == Motion::Free && k >= 3 };
            }
        }
        Self {
            by_q: DMatrix::zeros(nv, nv),
            by_v: DMatrix::zeros(nv, nv),
            displaced,
            before: vec![[0.0; 6]; nv],
            psi: vec![[0.0; 6]; nv],
            chi: vec![[0.0; 6]; nv],
            rate: vec![[0.0; 6]; nv],
            b: vec![[[0.0; 6]; 6]; nodes],
            force: vec![[0.0; 6]; nodes],
            accelerations: vec![[0.0; 6]; nodes],
        }
    }

    /// Whether a change of coordinate `j` displaces the column of coordinate `k`: ∂S_k/∂q_j = S_j × S_k if so, else 0.
    pub fn carries(&self, multibody: &Multibody, j: usize, k: usize) -> bool {
        let (a, b) = (self.displaced[j], self.displaced[k]);
        if a.node == b.node {
            return !a.second || b.second;
        }
        j < k && multibody.ancestors(k).iter().any(|run| run.contains(&j))
    }
}

impl Multibody {
    /// Motion of the parent of each velocity coordinate's joint, at the velocities `v` set before: about the tree's
    /// reference point, [angular; linear], world axes. `out` has nv entries.
    pub fn twists_before(&self, ws: &Workspace, v: &[f64], out: &mut [[f64; 6]]) {
        assert_eq!(out.len(), self.nv(), "a twist for each velocity coordinate");
        for node in &self.nodes[self.bases..] {
            let before = if node.root { self.base_motion(node, ws) } else { ws.v[node.parent] };
            out[node.v..node.v + node.nv].fill(before);
            if node.motion == Motion::Free {
                let moved = (0..3).fold(before, |sum, k| axpy6(&sum, v[node.v + k], &ws.s[node.v + k]));
                out[node.v + 3..node.v + 6].fill(moved);
            }
        }
    }

    /// Derivatives of [`Multibody::inverse_dynamics`] at the accelerations `vdot` (nv numbers) and the velocities `v`, which
    /// must have been set before, as must the positions. ∂τ/∂v̇ is the mass matrix.
    pub fn inverse_dynamics_derivatives(
        &self,
        ws: &mut Workspace,
        v: &[f64],
        vdot: &[f64],
        out: &mut Derivatives,
    ) {
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        assert_eq!(vdot.len(), self.nv(), "accelerations need nv numbers");
        self.twists_before(ws, v, &mut out.before);
        self.accelerations(vdot, ws);
        self.world_inertias(ws);
        ws.composite.copy_from_slice(&ws.inertias);
        let gravity = ws.gravity;
        let up = [0.0, 0.0, 0.0, -gravity.x, -gravity.y, -gravity.z];
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let (v_i, a_i) = (ws.v[i], add6(&ws.a[i], &up));
            out.accelerations[i] = a_i;
            let inertia = &ws.inertias[i];
            let momentum = inertia.apply(&v_i);
            out.force[i] = add6(&inertia.apply(&a_i), &cross_force(&v_i, &momentum));
            out.b[i] = change_of_force(inertia, &v_i, &momentum);
            let a_b = if node.root {
                let twist = &ws.base_twists[node.parent];
                add6(&up, &join([0.0; 3], cross(linear(twist), angular(twist))))
            } else {
                out.accelerations[node.parent]
            };
            for j in node.v..node.v + node.nv {
                let (s, v_b) = (&ws.s[j], out.before[j]);
                let (mut a_b, mut v_a) = (a_b, v_i);
                if node.motion == Motion::Free {
                    let translation = node.v..node.v + 3;
                    if out.displaced[j].second {
                        a_b = translation.fold(a_b, |sum, k| axpy6(&sum, vdot[k], &ws.s[k]));
                    } else {
                        v_a = out.before[node.v + 3];
                    }
                }
                let psi = cross_motion(&v_b, s);
                out.psi[j] = psi;
                out.chi[j] = add6(&cross_motion(&a_b, s), &cross_motion(&v_b, &psi));
                out.rate[j] = add6(&psi, &cross_motion(&v_a, s));
            }
        }
        out.by_q.fill(0.0);
        out.by_v.fill(0.0);
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases).rev() {
            let composite = ws.composite[i];
            for k in node.v..node.v + node.nv {
                self.fill(ws, k, &composite, i, out);
            }
            if !node.root {
                ws.composite[node.parent].add(&composite);
                out.force[node.parent] = add6(&out.force[node.parent], &out.force[i]);
                for c in 0..6 {
                    out.b[node.parent][c] = add6(&out.b[node.parent][c], &out.b[i][c]);
                }
            }
        }
    }

    /// Row and column of coordinate `k` for the coordinates of its ancestors, and its block for the coordinates of
    /// its own joint.
    fn fill(&self, ws: &Workspace, k: usize, composite: &RigidInertia, i: usize, out: &mut Derivatives) {
        let (s_k, b) = (&ws.s[k], &out.b[i]);
        let by = |x: &V6| (0..6).fold([0.0; 6], |sum, c| axpy6(&sum, x[c], &b[c]));
        // The effect of coordinate k on the forces beyond it.
        let inner = add6(&composite.apply(&out.chi[k]), &by(&out.psi[k]));
        let whole = add6(&inner, &cross_force(s_k, &out.force[i]));
        let by_rate = add6(&composite.apply(&out.rate[k]), &by(s_k));
        // The effect of the ancestors' motion on the forces beyond it: I S_k, Bᵀ S_k.
        let (y, z) = (composite.apply(s_k), std::array::from_fn(|c| dot6(&b[c], s_k)));
        let node = &self.nodes[i];
        for j in node.v..node.v + node.nv {
            // τ_j by k, both of one joint.
            let earlier = !out.displaced[j].second && out.displaced[k].second;
            let change = if earlier { &whole } else { &inner };
            out.by_q[(j, k)] = dot6(&ws.s[j], change);
            out.by_v[(j, k)] = dot6(&ws.s[j], &by_rate);
        }
        for j in self.ancestors(k).iter().flat_map(|run| run.clone()).filter(|&j| j < node.v) {
            let s_j = &ws.s[j];
            out.by_q[(j, k)] = dot6(s_j, &whole);
            out.by_v[(j, k)] = dot6(s_j, &by_rate);
            out.by_q[(k, j)] = dot6(&y, &out.chi[j]) + dot6(&z, &out.psi[j]);
            out.by_v[(k, j)] = dot6(&y, &out.rate[j]) + dot6(&z, s_j);
        }
    }

    /// Derivatives of the mass matrix's diagonal: `out[(k, j)]` = ∂M_kk/∂q_j = −2 (S_j × S_k) · I_j S_k for the coordinates j
    /// beyond k, I_j the inertia that j moves. `mass` is overwritten: composites are those of its computation.
    pub fn mass_diagonal_derivatives(
        &self,
        ws: &mut Workspace,
        mass: &mut MassMatrix,
        displaced: &Derivatives,
        out: &mut DMatrix<f64>,
    ) {
        self.mass_matrix(ws, mass);
        out.fill(0.0);
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            for j in node.v..node.v + node.nv {
                let mut set = |k: usize| {
                    let change = dot6(&cross_motion(&ws.s[j], &ws.s[k]), &ws.composite[i].apply(&ws.s[k]));
                    out[(k, j)] = -2.0 * change;
                };
                self.ancestors(j)
                    .iter()
                    .flat_map(|run| run.clone())
                    .filter(|&k| k < node.v)
                    .for_each(&mut set);
                if displaced.displaced[j].second {
                    (node.v..node.v + 3).for_each(set);
                }
            }
        }
    }
}

/// v ×* f: the rate of a force f that is carried along by v.
#[inline(always)]
fn cross_force(v: &V6, f: &V6) -> V6 {
    let (w, force): (V3, V3) = (angular(v), linear(f));
    join(add_cross(cross(w, angular(f)), linear(v), force), cross(w, force))
}

/// B of the top of this file, column by column.
fn change_of_force(inertia: &RigidInertia, v: &V6, momentum: &V6) -> [V6; 6] {
    std::array::from_fn(|c| {
        let mut x = [0.0; 6];
        x[c] = 1.0;
        let carried = cross_force(v, &inertia.apply(&x));
        let moved = inertia.apply(&cross_motion(v, &x));
        axpy6(&add6(&carried, &cross_force(&x, momentum)), -1.0, &moved)
    })
}
