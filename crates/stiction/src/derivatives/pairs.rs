//! Contact: from the wrench of a manifold to coordinates.
//!
//! A coordinate j displaces a, b, both or neither by its column S_j; let s_j be 1 if it moves b alone, −1 if a alone, else 0,
//! and α_j = 1 if it moves a. Relative to a, the inputs of the wrench change by (`ManifoldLinear`)
//!
//! ```text
//! δX = s_j S_j        δV = s_j S_j × (V_b − v_before,j)        δK = Σ_k s_k² [δS_k S_kᵀ + S_k δS_kᵀ − S_k S_kᵀ δA_kk/A_kk]/A_kk
//! ```
//!
//! with δS_k = (c_jk − α_j) S_j × S_k, c_jk = 1 if j carries k's column. The wrench itself rotates with a, and
//! therefore, with all of r_k = −s_k S_k · W,
//!
//! ```text
//! δr_k = −s_k [(c_jk − α_j)(S_j × S_k) · W + S_k · δW]
//! ```

use super::manifold::{ManifoldLinear, ManifoldStep};
use super::{Columns, ContactParameter, DerivativeError, Differentiator};
use crate::contact::entries::Manifold;
use crate::contact::surface_velocity::surface_twist;
use crate::model::Model;
use crate::state::State;
use crate::step::kinematics::{shifted, twist_at};
use nalgebra::{Matrix6, Vector3, Vector6};
use stiction_convex::PairMotion;
use stiction_multibody::Workspace;

/// A coordinate that moves one of the bodies or both.
struct Coordinate {
    index: usize,
    /// α: it moves a.
    moves_a: f64,
    /// s.
    sign: f64,
    /// S about P.
    column: Vector6<f64>,
    /// Motion of its joint's parent at the beginning and the end, about P.
    before: [Vector6<f64>; 2],
    /// 1/A_kk, zero where it is locked.
    compliance: f64,
}

impl Differentiator {
    /// Adds the contacts' part of ∂r/∂x.
    pub(super) fn contacts(
        &mut self,
        model: &Model,
        state: &State,
        v: &[f64],
        columns: Columns,
        parameters: &[ContactParameter],
    ) -> Result<(), DerivativeError> {
        debug_assert_eq!(v.len(), columns.nv);
        for parameter in parameters {
            parameter.check(model)?;
        }
        let compiled = model.compiled();
        for m in 0..self.stages.assembly.manifolds.len() {
            let manifold = self.stages.assembly.manifolds[m];
            let reference = self.middle(manifold);
            let coordinates = self.coordinates(model, manifold, &reference);
            if coordinates.is_empty() {
                continue;
            }
            let mut changes = Vec::with_capacity(parameters.len());
            for parameter in parameters {
                changes.push(parameter.change(compiled, manifold.geoms, manifold.patch)?);
            }
            // Belts are included in the motion of b's and a's surfaces.
            let (geom_a, geom_b) = manifold.geoms;
            let (on_a, on_b) = if manifold.swapped { (geom_b, geom_a) } else { (geom_a, geom_b) };
            let belt = |geom| surface_twist(compiled, &self.stages.kinematics.x_wb, geom, &reference);
            let (belt_a, belt_b) = (belt(on_a), belt(on_b));
            let spaces = [&self.stages.kinematics.workspace, &self.end.workspace];
            let twist =
                |space: &Workspace, body: u32| twist_at(model.multibody(), space, body as usize, &reference);
            let of_b = spaces.map(|space| twist(space, manifold.bodies.1) + belt_b);
            let of_a = spaces.map(|space| twist(space, manifold.bodies.0) + belt_a);
            let delassus = coordinates.iter().fold(Matrix6::zeros(), |sum, c| {
                sum + c.column * c.column.transpose() * (c.sign * c.sign * c.compliance)
            });
            let motion = PairMotion { previous: of_b[0] - of_a[0], twist: of_b[1] - of_a[1], delassus };
            let (settings, stages) = (&self.settings, &self.stages);
            let step = ManifoldStep { model, settings, state, stages, manifold, reference, motion };
            let linear = self.manifolds.linearise(&step, &changes)?;
            if linear.doubtful {
                let [a, b] = [geom_a, geom_b].map(|g| compiled.colliding.in_world(g));
                self.doubtful.push((a, b));
            }
            self.project(model, columns, &coordinates, &linear, &of_b);
        }
        Ok(())
    }

    /// Projects a manifold's linearisation on coordinates.
    fn project(
        &mut self,
        model: &Model,
        columns: Columns,
        coordinates: &[Coordinate],
        linear: &ManifoldLinear,
        of_b: &[Vector6<f64>; 2],
    ) {
        let multibody = model.multibody();
        let rhs = &mut self.rhs;
        let rows = || coordinates.iter().filter(|k| k.sign != 0.0);
        for j in rows() {
            let displacement = j.sign * j.column;
            let [begin, end] = [0, 1].map(|t| cross_motion(&displacement, &(of_b[t] - j.before[t])));
            let mut change =
                linear.by_pose * displacement + linear.by_twist * end + linear.by_previous * begin;
            let by_velocity = linear.by_previous * displacement;
            let carried = |k: &Coordinate| {
                let carries = self.multibody.carries(multibody, j.index, k.index);
                f64::from(u8::from(carries)) - j.moves_a
            };
            if let Some(by_delassus) = &linear.by_delassus {
                let mut dk = Matrix6::zeros();
                for k in rows() {
                    let moved = cross_motion(&j.column, &k.column) * carried(k);
                    let stiffer = 0.5 * self.diagonal[(k.index, j.index)] * k.compliance;
                    let half = (moved - stiffer * k.column) * k.column.transpose() * k.compliance;
                    dk += half + half.transpose();
                }
                for (c, x) in dk.iter().enumerate() {
                    change += by_delassus.column(c) * *x;
                }
            }
            for k in rows() {
                let turned = carried(k) * cross_motion(&j.column, &k.column).dot(&linear.wrench);
                rhs[(k.index, j.index)] -= k.sign * (turned + k.column.dot(&change));
                rhs[(k.index, columns.velocity(j.index))] -= k.sign * k.column.dot(&by_velocity);
            }
        }
        for (p, change) in self.manifolds.parameters.iter().enumerate() {
            for k in rows() {
                rhs[(k.index, columns.parameters() + p)] -= k.sign * k.column.dot(change);
            }
        }
    }

    /// A point in the middle of a manifold.
    fn middle(&self, manifold: Manifold) -> Vector3<f64> {
        manifold.sum_of_points(self.stages.contacts.touching()) / manifold.range().len() as f64
    }

    /// The coordinates that move the bodies of a manifold.
    fn coordinates(&self, model: &Model, manifold: Manifold, p: &Vector3<f64>) -> Vec<Coordinate> {
        let (multibody, free) = (model.multibody(), &self.stages.free);
        let workspace = &self.stages.kinematics.workspace;
        let (a, b) = (manifold.bodies.0 as usize, manifold.bodies.1 as usize);
        let mut list: Vec<Coordinate> = Vec::new();
        for (body, is_a) in [(a, true), (b, false)] {
            let Some(tree) = multibody.body_tree(body) else { continue };
            let arm = p - multibody.reference_point(workspace, tree);
            for index in multibody.body_dofs(body).iter().flat_map(|run| run.clone()) {
                if let Some(known) = list.iter_mut().find(|c| c.index == index) {
                    known.sign = 0.0; // b moves with a
                    continue;
                }
                let diagonal = free.mass.get(index, index) + free.added[index];
                list.push(Coordinate {
                    index,
                    moves_a: if is_a { 1.0 } else { 0.0 },
                    sign: if is_a { -1.0 } else { 1.0 },
                    column: shifted(&multibody.columns(workspace)[index].into(), &arm),
                    before: [0, 1].map(|t| shifted(&self.before[t][index].into(), &arm)),
                    compliance: if multibody.locked()[index] { 0.0 } else { 1.0 / diagonal },
                });
            }
        }
        list
    }
}

/// a × b of motions.
fn cross_motion(a: &Vector6<f64>, b: &Vector6<f64>) -> Vector6<f64> {
    let part = |v: &Vector6<f64>, at: usize| Vector3::new(v[at], v[at + 1], v[at + 2]);
    let w = part(a, 0).cross(&part(b, 0));
    let v = part(a, 0).cross(&part(b, 3)) + part(a, 3).cross(&part(b, 0));
    Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z)
}
