//! The wrench of one manifold, points or faces of one pair of geoms, and its derivatives in six dimensions.
//!
//! Seen from body a, the impulsive wrench W on b about a point P is a function of
//!
//! ```text
//! V, V₀    relative twists at the end and at the beginning        by_twist, by_previous    6×6
//! X        relative pose of b                                     by_pose                  6×6
//! K        J diag(A)⁻¹ Jᵀ, on which the regularisation depends      by_delassus              6×36
//! δ        stretches of tangential springs, fixed to a body       turned with X where that is b
//! θ        materials                                              parameters
//! ```
//!
//! With E = [−ρ× 1] for a contact at ρ from P, u = E V, W = Σ Eᵀ g(u, u₀, n, f0, …, w), w = ‖E K Eᵀ‖_F/3.

use super::features::{Placed, change, displacement};
use super::parameters::{EntryChange, MaterialChange};
use crate::contact::entries::{
    EntryPlace, EntrySource, Manifold, ROCKING, pair_margin, points_that_share, reach, stored_stretch,
};
use crate::contact::patches::PatchSet;
use crate::contact::query::Touching;
use crate::error::StepError;
use crate::model::material::PairMaterial;
use crate::model::{Compiled, Model};
use crate::state::State;
use crate::step::assemble::{Assembly, Parts};
use crate::step::{Settings, Stages};
use nalgebra::{
    Isometry3, Matrix3, Matrix6, Matrix6x3, SMatrix, Translation3, UnitQuaternion, Vector3, Vector6,
};
use stiction_convex::{ContactEntry, PairMotion, Problem, ProblemError};
use stiction_geometry::ContactPoint;
use stiction_geometry::point::{Scratch, contact_pair};
use stiction_model::Pose;

/// Step of the geometric differences: this fraction of the depth, within these bounds, m.
const SHARE: f64 = 0.01;
const BOUNDS: [f64; 2] = [1e-9, 1e-7];

/// Memory.
pub(super) struct ManifoldScratch {
    assembly: Assembly,
    patches: PatchSet,
    points: Vec<ContactPoint>,
    geometry: Scratch,
    entries: Vec<ContactEntry>,
    /// The rigid part of the derivatives by each requested parameter.
    pub parameters: Vec<Vector6<f64>>,
}

/// W and its derivatives about P.
#[derive(Clone, Debug)]
pub(super) struct ManifoldLinear {
    pub wrench: Vector6<f64>,
    pub by_twist: Matrix6<f64>,
    pub by_previous: Matrix6<f64>,
    pub by_pose: Matrix6<f64>,
    /// `None` if the regularisation does not depend on K.
    pub by_delassus: Option<Box<SMatrix<f64, 6, 36>>>,
    /// Contact points appeared or vanished within the differences.
    pub doubtful: bool,
}

/// One manifold of the step that is differentiated.
pub(super) struct ManifoldStep<'a> {
    pub model: &'a Model,
    pub settings: &'a Settings,
    pub state: &'a State,
    pub stages: &'a Stages,
    pub manifold: Manifold,
    /// P.
    pub reference: Vector3<f64>,
    /// Belts included.
    pub motion: PairMotion,
}

/// Derivatives of one entry by its own parameters.
struct EntryLinear {
    by_position: Matrix6x3<f64>,
    by_normal: Matrix6x3<f64>,
    /// By the stretch of its tangential spring, world axes.
    by_stretch: Matrix6x3<f64>,
    change: EntryChange,
}

impl ManifoldScratch {
    pub fn new(model: &Model) -> Self {
        Self {
            assembly: Assembly::new(model),
            patches: PatchSet::default(),
            points: Vec::new(),
            geometry: Scratch::default(),
            entries: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// Linearises a manifold, with the wrench's derivatives by the material changes given.
    pub fn linearise(
        &mut self,
        step: &ManifoldStep,
        materials: &[Option<MaterialChange>],
    ) -> Result<ManifoldLinear, StepError> {
        let (compiled, manifold) = (step.model.compiled(), step.manifold);
        self.gather(step, step.stages.contacts.touching(), manifold).map_err(|error| step.fails(&error))?;
        let mut out = ManifoldLinear {
            wrench: Vector6::zeros(),
            by_twist: Matrix6::zeros(),
            by_previous: Matrix6::zeros(),
            by_pose: Matrix6::zeros(),
            by_delassus: None,
            doubtful: false,
        };
        self.parameters.clear();
        self.parameters.resize(materials.len(), Vector6::zeros());
        let material = step.material(compiled);
        // The shares of the stiffness have no closed form where a point does not count fully.
        let shares = || {
            let points = &step.stages.contacts.points[manifold.range()];
            points_that_share(points, step.margin()) < points.len() as f64
        };
        let mut closed = !manifold.patch && !shares();
        let mut deepest = 0.0f64;
        let mut by_turned_stretch = Matrix6x3::zeros();
        for (index, entry) in self.entries.iter().enumerate() {
            let place = &self.assembly.places[index];
            let stretch = step.stretch(place);
            let linear = step.entry(&self.assembly.problem, entry, &stretch, &mut out);
            by_turned_stretch -= linear.by_stretch * stretch.cross_matrix();
            let mut witness = Vector3::zeros();
            if let EntrySource::Point(p) = place.source {
                let point = &step.stages.contacts.points[p];
                deepest = deepest.max(-point.distance);
                witness = point.p_wb - point.p_wa;
                closed = closed && step.add_closed_form(point, entry, &material, &linear, &mut out.by_pose);
            }
            for (sum, change) in self.parameters.iter_mut().zip(materials) {
                if let Some(change) = change {
                    *sum += linear.change.along(change, entry, &material);
                    *sum += linear.by_position * (change.weight_b * witness);
                }
            }
        }
        if !closed {
            if manifold.patch {
                let found = step.stages.contacts.patches.patches.iter();
                let mut same = found.filter(|p| p.geoms == manifold.geoms);
                deepest = same.next().map_or(0.0, |p| step.stages.contacts.patches.depth(p));
            }
            let h = (SHARE * deepest).clamp(BOUNDS[0], BOUNDS[1]);
            self.difference_pose(step, h, &mut out).map_err(|error| step.fails(&error))?;
        }
        if manifold.swapped {
            // The stretch is kept in the frame of the first geom's body, and here that is b.
            let mut turning = out.by_pose.fixed_view_mut::<6, 3>(0, 0);
            turning += by_turned_stretch;
        }
        Ok(out)
    }

    /// The entries of a manifold, with belts included in the pair's motion.
    fn gather(
        &mut self,
        step: &ManifoldStep,
        touching: Touching,
        manifold: Manifold,
    ) -> Result<(), ProblemError> {
        let Settings { options, calibration, .. } = step.settings;
        let Stages { kinematics, free, .. } = step.stages;
        let (model, state, dt) = (step.model, step.state, options.step);
        let parts =
            Parts { model, options, calibration, softness: None, state, kinematics, touching, free, dt };
        let load = step.stages.assembly.load(model, options, &manifold);
        let problem = self.assembly.build_entries(&parts, manifold, step.reference, load)?;
        self.entries.clear();
        self.entries
            .extend(problem.contacts().iter().map(|e| ContactEntry { bias: Vector3::zeros(), ..e.clone() }));
        Ok(())
    }

    /// ∂W/∂X by central differences: b is displaced along and about the axes through P. Everything else, including
    /// the velocities, stays fixed in space.
    fn difference_pose(
        &mut self,
        step: &ManifoldStep,
        h: f64,
        out: &mut ManifoldLinear,
    ) -> Result<(), ProblemError> {
        // A rotation by h/arm moves no point by more than h.
        let centres = step.geom_poses().map(|x| (x.translation.vector - step.reference).norm());
        let arm = self.entries.iter().map(|e| e.r.norm()).chain(centres).fold(1e-3, f64::max);
        let count = self.entries.len();
        out.by_pose.fill(0.0);
        for c in 0..6 {
            let h = if c < 3 { h / arm } else { h };
            let (plus, n_plus) = self.wrench_displaced(step, c, h)?;
            let (minus, n_minus) = self.wrench_displaced(step, c, -h)?;
            let patch = step.manifold.patch;
            let column = match (patch || n_plus == count, patch || n_minus == count) {
                (true, true) => (plus - minus) / (2.0 * h),
                (true, false) => (plus - out.wrench) / h,
                (false, true) => (out.wrench - minus) / h,
                (false, false) => {
                    out.doubtful = true;
                    (plus - minus) / (2.0 * h)
                }
            };
            out.doubtful |= !patch && (n_plus != count || n_minus != count);
            out.by_pose.set_column(c, &column);
        }
        Ok(())
    }

    /// W with b displaced by `h` along direction `c`, and the number of its entries.
    fn wrench_displaced(
        &mut self,
        step: &ManifoldStep,
        c: usize,
        h: f64,
    ) -> Result<(Vector6<f64>, usize), ProblemError> {
        let (model, manifold) = (step.model, step.manifold);
        let [mut x_wa, mut x_wb] = step.geom_poses();
        let moved = if manifold.swapped { &mut x_wa } else { &mut x_wb };
        let axis = Vector3::ith(c % 3, h);
        let about =
            |p: Vector3<f64>| Isometry3::from_parts(Translation3::from(p), UnitQuaternion::identity());
        let displacement = if c < 3 {
            let turn =
                Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_scaled_axis(axis));
            about(step.reference) * turn * about(-step.reference)
        } else {
            about(axis)
        };
        *moved = displacement * *moved;
        let mut displaced = Manifold { begin: 0, ..manifold };
        if manifold.patch {
            self.patches.find_pair(model, &step.settings.options, manifold.geoms, (&x_wa, &x_wb));
            displaced.end = self.patches.faces.faces.len() as u32;
        } else {
            let [a, b] = [manifold.geoms.0, manifold.geoms.1].map(|g| model.compiled().geom(g));
            let margin = step.margin();
            self.points.clear();
            let found = margin.max(ROCKING);
            contact_pair((&a.shape, &x_wa), (&b.shape, &x_wb), found, &mut self.geometry, &mut self.points);
            // It had points in the step, so it keeps those that come near.
            let reach = reach(&self.points, manifold.geoms, margin, &step.state.stretches, || true);
            self.points.retain(|p| p.distance <= reach);
            for point in &mut self.points {
                (point.geom_a, point.geom_b) = (manifold.geoms.0.index(), manifold.geoms.1.index());
            }
            displaced.end = self.points.len() as u32;
        }
        let (points, patches) = (std::mem::take(&mut self.points), std::mem::take(&mut self.patches));
        let base = std::mem::take(&mut self.entries);
        let found = self.gather(step, Touching { points: &points, patches: &patches }, displaced);
        (self.points, self.patches) = (points, patches);
        let mut wrench = Vector6::zeros();
        for entry in &self.entries {
            let g = self.assembly.problem.contact_impulse(entry, &step.motion);
            wrench += displacement_transposed(&entry.r, &g);
        }
        let count = self.entries.len();
        self.entries = base;
        found.map(|()| (wrench, count))
    }
}

impl ManifoldStep<'_> {
    fn fails(&self, error: &ProblemError) -> StepError {
        let (time, what) = (self.state.time, error.to_string());
        StepError::NotFinite { time, what, last_good: Box::new(self.state.clone()) }
    }

    fn material(&self, compiled: &Compiled) -> PairMaterial {
        let combine = if self.manifold.patch { PairMaterial::combine_patch } else { PairMaterial::combine };
        compiled.pair_material(self.manifold.geoms, combine)
    }

    /// Distance within which points are found, m.
    fn margin(&self) -> f64 {
        pair_margin(self.model.compiled(), &self.settings.options, self.manifold.geoms)
    }

    /// Poses of the two geoms in the world.
    fn geom_poses(&self) -> [Pose; 2] {
        let (a, b) = self.manifold.geoms;
        let geoms = [a, b].map(|g| self.model.compiled().geom(g));
        geoms.map(|g| self.stages.kinematics.x_wb[g.body] * g.x_bg)
    }

    /// Stored stretch of the tangential spring of an entry, b relative to a, world axes. It includes the normal
    /// component, which the step ignores and which rotates into the tangent plane with the normal.
    fn stretch(&self, place: &EntryPlace) -> Vector3<f64> {
        let EntrySource::Point(p) = place.source else { return Vector3::zeros() };
        if self.settings.options.springs().is_none() {
            return Vector3::zeros();
        }
        let (compiled, x_wb) = (self.model.compiled(), &self.stages.kinematics.x_wb);
        let point = &self.stages.contacts.points[p];
        place.sign * stored_stretch(compiled, &self.state.stretches, x_wb, point, &place.position)[0]
    }

    /// Adds an entry's wrench and its derivatives by the twists and K. Returns the derivatives by the entry's own
    /// parameters.
    fn entry(
        &self,
        problem: &Problem,
        entry: &ContactEntry,
        stretch: &Vector3<f64>,
        out: &mut ManifoldLinear,
    ) -> EntryLinear {
        let response = problem.contact_response(entry, &self.motion);
        let (e, g) = (displacement(&entry.r), response.impulse);
        let et = e.transpose();
        let (u, u0) = self.motion.velocities(entry);
        let angular = |v: &Vector6<f64>| v.fixed_rows::<3>(0).into_owned().cross_matrix();
        out.wrench += et * g;
        out.by_twist += et * response.by_velocity * e;
        out.by_previous += et * response.by_previous * e;
        let mut by_arm = response.by_velocity * angular(&self.motion.twist)
            + response.by_previous * angular(&self.motion.previous);
        if response.by_delassus != Vector3::zeros() {
            // w² = ‖T‖²/9, T = E K Eᵀ
            let ke = self.motion.delassus * et;
            let t = e * ke;
            let scale = 1.0 / (9.0 * response.delassus);
            let m = ke * t; // 6×3; its angular part meets ∂E/∂ρ
            let by_rho = -2.0
                * scale
                * Vector3::new(m[(1, 2)] - m[(2, 1)], m[(2, 0)] - m[(0, 2)], m[(0, 1)] - m[(1, 0)]);
            by_arm += response.by_delassus * by_rho.transpose();
            let q: Matrix6<f64> = et * t * e * scale;
            let by_w = et * response.by_delassus;
            let sum = out.by_delassus.get_or_insert_with(|| Box::new(SMatrix::zeros()));
            for (c, x) in q.iter().enumerate() {
                let mut column = sum.column_mut(c);
                column += by_w * *x;
            }
        }
        let mut by_position = et * by_arm;
        let mut moment = by_position.fixed_view_mut::<3, 3>(0, 0);
        moment -= g.cross_matrix();
        let n: Vector3<f64> = entry.frame.column(2).into_owned();
        // The frame rotates by n × δn.
        let turned: Matrix3<f64> = -g.cross_matrix()
            + response.by_velocity * u.cross_matrix()
            + response.by_previous * u0.cross_matrix()
            + response.by_stretch * stretch.cross_matrix();
        EntryLinear {
            by_stretch: et * response.by_stretch,
            by_position,
            by_normal: et * (turned * n.cross_matrix()),
            change: EntryChange {
                by_elastic_force: et * response.by_elastic_force,
                by_stiffness: et * response.by_stiffness,
                by_dissipation: et * response.by_dissipation,
                by_relaxation_time: et * response.by_relaxation_time,
                by_static_friction: et * response.by_static_friction,
                by_dynamic_friction: et * response.by_dynamic_friction,
            },
        }
    }

    /// Adds ∂W/∂X of a contact point. Returns false if its geometry has no closed form here.
    fn add_closed_form(
        &self,
        point: &ContactPoint,
        entry: &ContactEntry,
        material: &PairMaterial,
        linear: &EntryLinear,
        by_pose: &mut Matrix6<f64>,
    ) -> bool {
        let (geoms, [x_wa, x_wb]) = (self.manifold.geoms, self.geom_poses());
        let placed = |g, pose| Placed { shape: &self.model.compiled().geom(g).shape, pose };
        let (mut a, mut b) = (placed(geoms.0, &x_wa), placed(geoms.1, &x_wb));
        // In the order of the problem's bodies.
        let (mut ordered, mut weight_b) = (*point, material.weight_b);
        if self.manifold.swapped {
            std::mem::swap(&mut a, &mut b);
            ordered.normal_w = -point.normal_w;
            (ordered.p_wa, ordered.p_wb) = (point.p_wb, point.p_wa);
            weight_b = 1.0 - weight_b;
        }
        let Some(change) = change(&ordered, a, b, &self.reference) else { return false };
        let position = change.witness[0] * (1.0 - weight_b) + change.witness[1] * weight_b;
        *by_pose += linear.by_position * position + linear.by_normal * change.normal
            - linear.change.by_elastic_force * (entry.stiffness * change.distance);
        true
    }
}

/// Eᵀ g.
fn displacement_transposed(arm: &Vector3<f64>, g: &Vector3<f64>) -> Vector6<f64> {
    let moment = arm.cross(g);
    Vector6::new(moment.x, moment.y, moment.z, g.x, g.y, g.z)
}
