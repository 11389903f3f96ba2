//! The derivative of (θ, v, s): the right-hand side of the ordinary differential equation.
//!
//! ```text
//! θ̇ = T(θ) v
//! v̇ = M⁻¹ (τ − bias + Σ Jᵀ wrench)
//! ṡ = rates of the tangential springs of each pair, axes of B
//! ```

use super::chart::Chart;
use super::settings::TractionFriction;
use super::surface::ContactPair;
use super::traction::{Flow, Load, RelativeMotion, load};
use crate::contact::patch_view::FaceResult;
use crate::contact::patches::{FoundPatch, PatchSet};
use crate::contact::query::ContactQuery;
use crate::contact::surface_velocity::surface_twist;
use crate::forces::{self, At};
use crate::model::geom_id::GeomPair;
use crate::model::{CollidingGeomId, Model};
use crate::options::Options;
use crate::state::State;
use crate::step::kinematics::{Kinematics, parts, twist_at};
use nalgebra::{Vector3, Vector6};
use stiction_geometry::patch::PatchScratch;

/// Reason why the derivative cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Interrupt {
    /// Two geoms touch whose springs are not in the state yet.
    NewPair(GeomPair),
    /// This velocity coordinate is no longer finite.
    NotFinite(usize),
}

/// Buffers of the derivative.
pub(crate) struct Dynamics {
    pub chart: Chart,
    pub kinematics: Kinematics,
    pub contacts: ContactQuery,
    pub q: Vec<f64>,
    tau: Vec<f64>,
    contact_tau: Vec<f64>,
    spring_tau: Vec<f64>,
    /// Every pair found so far, by geoms.
    pairs: Vec<ContactPair>,
    /// The pairs with springs in this step, by geoms. Each has six state variables.
    pub sprung: Vec<GeomPair>,
    /// Pressure on each of them, N, at the last derivative.
    pub pushes: Vec<f64>,
    scratch: PatchScratch,
    pressures: Vec<f64>,
}

impl Dynamics {
    pub fn new(model: &Model) -> Self {
        let multibody = model.multibody();
        Self {
            chart: Chart::new(multibody),
            kinematics: Kinematics::new(model.compiled()),
            contacts: ContactQuery::new(model.compiled()),
            q: model.default_q().to_vec(),
            tau: vec![0.0; multibody.nv()],
            contact_tau: vec![0.0; multibody.nv()],
            spring_tau: vec![0.0; multibody.nv()],
            pairs: Vec::new(),
            sprung: Vec::new(),
            pushes: Vec::new(),
            scratch: PatchScratch::default(),
            pressures: Vec::new(),
        }
    }

    /// Kinematics and candidate pairs at θ from the positions of `state`, and at velocities `v`.
    fn observe(&mut self, model: &Model, state: &State, theta: &[f64], v: &[f64]) {
        let compiled = model.compiled();
        self.chart.place(model.multibody(), &state.q, theta, &mut self.q);
        self.kinematics.lengths(compiled, &state.mocap, &self.q);
        self.kinematics.velocities(compiled, v);
        self.contacts.find_points_and_pairs(&self.kinematics.x_wb);
    }

    /// Finds contacts at `state` and lists the pairs that need springs: those in the state and those whose boxes meet.
    pub fn begin(&mut self, model: &Model, options: &Options, state: &State, zero: &[f64]) {
        self.observe(model, state, zero, &state.v);
        self.sprung.clear();
        if matches!(options.continuous().friction, TractionFriction::Springs(_)) {
            self.sprung.extend(state.springs.iter().map(|s| s.geoms));
            self.sprung.extend(self.contacts.patch_pairs());
            self.sprung.sort_unstable();
            self.sprung.dedup();
        }
    }

    /// Adds springs for a pair.
    pub fn add_springs(&mut self, geoms: GeomPair) {
        if let Err(place) = self.sprung.binary_search(&geoms) {
            self.sprung.insert(place, geoms);
        }
    }

    /// The derivative at x = (θ, v, s), and the powers of the energy balance.
    pub fn derivative(
        &mut self,
        model: &Model,
        options: &Options,
        state: &State,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<Flow, Interrupt> {
        let nv = model.nv();
        let (theta, rest) = x.split_at(nv);
        let (v, s) = rest.split_at(nv);
        let (compiled, multibody) = (model.compiled(), model.multibody());
        self.observe(model, state, theta, v);
        let (theta_dot, rest) = out.split_at_mut(nv);
        let (v_dot, s_dot) = rest.split_at_mut(nv);
        self.chart.rate(theta, v, theta_dot);

        self.tau.fill(0.0);
        self.spring_tau.fill(0.0);
        let (kinematics, stiction_tolerance) = (&mut self.kinematics, options.stiction_tolerance);
        let mut at = At { compiled, state, q: &self.q, kinematics, stiction_tolerance };
        for force in forces::all() {
            force.other(&mut at, &mut self.tau);
            force.conservative(&mut at, &mut self.spring_tau);
        }
        let other = self.tau.iter().zip(v).map(|(t, v)| t * v).sum();
        let mut flow = Flow { other, ..Flow::default() };

        self.contact_tau.fill(0.0);
        self.pushes.clear();
        self.pushes.resize(self.sprung.len(), 0.0);
        self.decay(options, s, s_dot, &mut flow);
        let count = self.contacts.patch_pairs().len();
        for k in 0..count {
            let geoms = self.contacts.patch_pair(k);
            let pair = self.find(model, geoms);
            if self.pairs[pair].surface().points.is_empty() {
                continue;
            }
            let slot = self.sprung.binary_search(&geoms).ok();
            if slot.is_none() && matches!(options.continuous().friction, TractionFriction::Springs(_)) {
                return Err(Interrupt::NewPair(geoms));
            }
            let spring = slot.map_or(Vector6::zeros(), |i| self.to_world(pair, &s[6 * i..6 * i + 6]));
            let load = self.load(model, options, pair, &spring, |_, _, _| {});
            let (a, b) = self.pairs[pair].bodies;
            let (at, wrench) = (&load.center, &load.wrench);
            multibody.add_wrench(&self.kinematics.workspace, b, at, wrench, &mut self.contact_tau);
            multibody.add_wrench(&self.kinematics.workspace, a, at, &-wrench, &mut self.contact_tau);
            if let Some(i) = slot {
                let rate = self.to_body(pair, &load.rate);
                // The contribution of `decay` for a spring out of contact.
                flow.dissipated -= self.decay_loss(options, &s[6 * i..6 * i + 6]);
                s_dot[6 * i..6 * i + 6].copy_from_slice(rate.as_slice());
                self.pushes[i] = load.normal_force;
            }
            flow.add(1.0, &load.flow);
        }
        // The power of contact on the bodies, minus the part of the relative motion, is the work of belts and mocap
        // bodies.
        let contact: f64 = self.contact_tau.iter().zip(v).map(|(t, v)| t * v).sum();
        flow.other += contact - flow.normal - flow.friction;
        for ((tau, c), spring) in self.tau.iter_mut().zip(&self.contact_tau).zip(&self.spring_tau) {
            *tau += c + spring;
        }
        multibody.forward_dynamics(&mut self.kinematics.workspace, &self.tau, v_dot);
        match out.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(Interrupt::NotFinite(i % nv.max(1))),
            None => Ok(flow),
        }
    }

    /// ṡ = −s/τ for every spring, as for springs out of contact (PFC eq. 6.26).
    fn decay(&self, options: &Options, s: &[f64], s_dot: &mut [f64], flow: &mut Flow) {
        if let TractionFriction::Springs(springs) = options.continuous().friction {
            for (rate, s) in s_dot.iter_mut().zip(s) {
                *rate = -s / springs.relaxation_time;
            }
            flow.dissipated += self.decay_loss(options, s);
        }
    }

    fn decay_loss(&self, options: &Options, s: &[f64]) -> f64 {
        match options.continuous().friction {
            TractionFriction::Springs(p) => s.iter().map(|s| s * s).sum::<f64>() / p.relaxation_time,
            _ => 0.0,
        }
    }

    /// Index of a pair, with its surface updated.
    fn find(&mut self, model: &Model, geoms: GeomPair) -> usize {
        let compiled = model.compiled();
        let place = match self.pairs.binary_search_by_key(&geoms, |p| p.geoms) {
            Ok(place) => place,
            Err(place) => {
                self.pairs.insert(place, ContactPair::new(compiled, geoms));
                place
            }
        };
        self.pairs[place].update(compiled, &self.kinematics.x_wb, &mut self.scratch);
        place
    }

    fn load(
        &mut self,
        model: &Model,
        options: &Options,
        pair: usize,
        spring: &Vector6<f64>,
        visit: impl FnMut(&super::surface::SurfacePoint, &Vector3<f64>, &Vector3<f64>),
    ) -> Load {
        let pair = &self.pairs[pair];
        let surface = pair.surface();
        let reference = surface.patch.as_ref().map_or(Vector3::zeros(), |p| p.centroid);
        let motion = self.relative_motion(model, pair, reference);
        load(
            &surface.points,
            &motion,
            &pair.law,
            options.continuous(),
            options.stiction_tolerance,
            spring,
            &mut self.pressures,
            visit,
        )
    }

    /// Motion of B's surface relative to A's, including belts.
    fn relative_motion(&self, model: &Model, pair: &ContactPair, reference: Vector3<f64>) -> RelativeMotion {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let motion = |geom: CollidingGeomId, body: usize| {
            let belt = surface_twist(compiled, &self.kinematics.x_wb, geom, &reference);
            parts(&(twist_at(multibody, &self.kinematics.workspace, body, &reference) + belt))
        };
        let (a, b) = (motion(pair.geoms.0, pair.bodies.0), motion(pair.geoms.1, pair.bodies.1));
        RelativeMotion { angular: b.0 - a.0, linear: b.1 - a.1, reference }
    }

    /// A spring's state from the axes of B to the world's.
    fn to_world(&self, pair: usize, s: &[f64]) -> Vector6<f64> {
        let turn = &self.kinematics.x_wb[self.pairs[pair].bodies.1].rotation;
        let (a, b) = (turn * Vector3::new(s[0], s[1], s[2]), turn * Vector3::new(s[3], s[4], s[5]));
        Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
    }

    fn to_body(&self, pair: usize, s: &Vector6<f64>) -> Vector6<f64> {
        let turn = self.kinematics.x_wb[self.pairs[pair].bodies.1].rotation.inverse();
        let (a, b) = (turn * Vector3::new(s[0], s[1], s[2]), turn * Vector3::new(s[3], s[4], s[5]));
        Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
    }

    /// The patches at `state` with their forces.
    pub fn describe(
        &mut self,
        model: &Model,
        options: &Options,
        state: &State,
        zero: &[f64],
        out: &mut PatchSet,
        results: &mut Vec<FaceResult>,
    ) {
        self.observe(model, state, zero, &state.v);
        out.clear();
        results.clear();
        let count = self.contacts.patch_pairs().len();
        for k in 0..count {
            let geoms = self.contacts.patch_pair(k);
            let pair = self.find(model, geoms);
            let spring = match state.springs.binary_search_by_key(&geoms, |s| s.geoms) {
                Ok(i) => self.to_world(pair, &state.springs[i].s),
                Err(_) => Vector6::zeros(),
            };
            let surface = self.pairs[pair].surface();
            let Some(patch) = surface.patch.clone() else { continue };
            let (first, vertices) = (out.faces.faces.len(), out.faces.vertices.len() as u32);
            out.faces.faces.extend_from_slice(&surface.faces.faces);
            out.faces.vertices.extend_from_slice(&surface.faces.vertices);
            out.faces.vertex_pressure.extend_from_slice(&surface.faces.vertex_pressure);
            out.faces.vertex_end.extend(surface.faces.vertex_end.iter().map(|end| end + vertices));
            results.resize(out.faces.faces.len(), FaceResult::default());
            let (faces, results) = (&out.faces.faces[first..], &mut results[first..]);
            self.load(model, options, pair, &spring, |point, traction, slip| {
                let (face, result) = (&faces[point.face as usize], &mut results[point.face as usize]);
                let force = traction * point.area;
                result.force += force;
                result.moment += (point.position - face.centroid).cross(&force);
                result.slip += slip * (point.area / face.area);
            });
            out.note_fault(model, geoms, &self.kinematics.x_wb, &patch);
            out.note_coincident(geoms, &patch);
            if !patch.faces.is_empty() {
                let faces = first..out.faces.faces.len();
                let patch = stiction_geometry::patch::Patch { faces, ..patch };
                out.patches.push(FoundPatch::new(model.compiled(), geoms, patch));
            }
        }
    }
}
