//! Speculative contacts: one-sided rows of the convex problem at the points where bodies meet on their way.
//!
//! ```text
//! φ = φ₀ + δt J v ≥ 0,    φ₀ = −depth − s δt J v⁺ + allowed ≥ 0,    J = nᵀ (J_b − J_a) at the poses of the fraction s
//! ```
//!
//! J is taken where the bodies meet, each with the moment arm that it has there. The row sees the normal velocity alone and has no
//! friction: while the gap is open there is nothing to rub. It is near-rigid, because the compliance of a material can be deeper
//! than a thin body is thick, and it ends with the bodies at touch (allowed = 0); the next step has their contact. Bodies
//! that touch at the beginning of the step, and patches, end at 2h at most: up to there their contact acts alone.
//!
//! Of a pair with a **restitution** e the row is an impact instead: J v⁺ ≥ −e J v₀, and the bodies leave from where the step began,
//! a way of v δt before they would have touched. At each row that acts the velocities are then u = J v₀ < 0 and u⁺ = −e u, or u ≥ 0
//! and u⁺ = 0; its impulse does the work γ (u + u⁺)/2 ≤ 0 unless u > 0. If a row with u > 0 joins, none of the step's rows
//! rebounds any more: rows without rebound take energy together, whatever their u.

use super::path::Meeting;
use super::{Sweep, insert};
use crate::contact::result::Contact;
use crate::model::geom_id::geoms_of;
use crate::model::material::PairMaterial;
use crate::model::{Compiled, Model};
use crate::state::State;
use crate::step::assemble::Assembly;
use crate::step::free_motion::FreeMotion;
use crate::step::impact::resting_speed;
use crate::step::kinematics::{Kinematics, prescribed_twist};
use crate::step::report::StepReport;
use nalgebra::Vector3;
use stiction_convex::{ProblemError, RowCompliance, RowLaw, Solver};
use stiction_geometry::ContactPoint;
use stiction_multibody::QuaternionStep;

/// Angle, rad, up to which the paths of a body's points within a step count as lines.
const LARGE_TURN: f64 = 0.5;

/// Solves of a step in which rows act at points of bodies that turn little.
const POINT_PASSES: usize = 6;

/// β of rows that rebound: they give way by β²/(4π²) = 2.5e−10 of the velocity.
const REBOUND_BETA: f64 = 1e-4;

/// A speculative contact.
pub(super) struct Row {
    row: usize,
    contact: ContactPoint,
    /// Gap, m.
    gap: f64,
    /// Row velocity at the beginning of the step, m/s.
    before: f64,
    /// What it would be without rebound, if it has one.
    without_rebound: Option<RowLaw>,
}

impl Sweep {
    /// A row for each point of a meeting at which the bodies close in; false if there is none.
    ///
    /// Where the step turns a body by more than [`LARGE_TURN`], the path of a point off its centre is no line, and a row at this
    /// point would not hold it. Its row then acts at the body's centre of mass, as on a body that is hit there; after [`POINT_PASSES`]
    /// solves this holds for smaller turns too.
    pub(super) fn add_rows(
        &mut self,
        model: &Model,
        state: &State,
        (v, dt): (&[f64], f64),
        begin: &Kinematics,
        turns: [f64; 2],
        (meeting, pass): (&Meeting, usize),
        assembly: &mut Assembly,
    ) -> Result<bool, ProblemError> {
        let known = self.rows.len();
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let geoms = compiled.geoms.geoms();
        let s = meeting.fraction;
        self.q.resize(state.q.len(), 0.0);
        multibody.integrate(&state.q, v, s * dt, QuaternionStep::Projected, &mut self.q);
        self.move_mocap(state, s * dt);
        let kinematics = self.kinematics.as_deref_mut().expect("made for the end of the step");
        kinematics.positions(compiled, &self.mocap, &self.q);
        let large = if pass < POINT_PASSES { LARGE_TURN } else { 0.0 };
        for (k, large) in (0..self.points.len()).flat_map(|k| [(k, large), (k, f64::INFINITY)]) {
            let contact = self.points[k];
            // At the point if that is all that closes in.
            if self.rows.last().is_some_and(|row| row.contact == contact) {
                continue;
            }
            let (n, point) = (contact.normal_w, 0.5 * (contact.p_wa + contact.p_wb));
            self.coefficients.clear();
            let mut bias = 0.0;
            for (geom, turn, sign) in [(contact.geom_b, turns[1], 1.0), (contact.geom_a, turns[0], -1.0)] {
                let body = geoms[geom].body;
                let com = compiled.world.bodies[body].inertia.com;
                let point = if turn > large { kinematics.point(body, &com) } else { point };
                if let Some(twist) = prescribed_twist(compiled, &state.mocap, body, &point) {
                    bias += sign * n.dot(&twist.fixed_rows::<3>(3));
                }
                let Some(tree) = multibody.body_tree(body) else { continue };
                let range = multibody.trees()[tree].v.clone();
                self.jacobian.resize(range.len(), [0.0; 6]);
                multibody.body_jacobian(&kinematics.workspace, body, &point, &mut self.jacobian);
                for (dof, column) in range.zip(&self.jacobian) {
                    let arm = sign * n.dot(&Vector3::new(column[3], column[4], column[5]));
                    if arm == 0.0 || multibody.locked()[dof] {
                        continue;
                    }
                    match self.coefficients.iter_mut().find(|(known, _)| *known == dof) {
                        Some((_, sum)) => *sum += arm,
                        None => self.coefficients.push((dof, arm)),
                    }
                }
            }
            let rate = |v: &[f64]| bias + self.coefficients.iter().map(|&(i, arm)| arm * v[i]).sum::<f64>();
            let closing = rate(v);
            if closing >= 0.0 || self.coefficients.is_empty() {
                continue;
            }
            let gap = contact.distance - s * dt * closing;
            let phi = (gap + meeting.allowed).max(0.0);
            let gap = gap.max(0.0);
            let stop = RowLaw::Limit { phi, compliance: RowCompliance::default() };
            let before = rate(&begin.v);
            let rebound = rebound(compiled, assembly, &contact, -before);
            let row = assembly.problem.add_row(&self.coefficients, bias, rebound.unwrap_or(stop))?;
            let without_rebound = rebound.map(|_| stop);
            self.rows.push(Row { row, contact, gap, before, without_rebound });
        }
        if self.rows[known..].iter().any(|row| row.before > 0.0) {
            self.rebounds = false;
        }
        if !self.rebounds {
            for row in &mut self.rows {
                if let Some(law) = row.without_rebound.take() {
                    assembly.problem.set_row_law(row.row, law)?;
                }
            }
        }
        Ok(self.rows.len() > known)
    }

    /// Lets the centres of mass of the bodies that were hit go on as the solve says, whatever they turn by after it: the rows change
    /// their spins by radians per step, and where the origin of a body is not its centre of mass this would add energy.
    pub fn go_straight(
        &mut self,
        model: &Model,
        (q, q_end, dt): (&[f64], &[f64], f64),
        (begin, free): (&Kinematics, &FreeMotion),
        solver: &Solver,
        v: &mut [f64],
    ) {
        let hit = |row: &&Row| solver.row_impulses()[row.row] > 0.0;
        if !self.rows.iter().any(|row| hit(&row)) {
            return;
        }
        self.held_v.resize(v.len(), 0.0);
        free.velocities(begin, &mut self.held_v);
        let (compiled, multibody) = (model.compiled(), model.multibody());
        self.trees_hit.clear();
        for row in self.rows.iter().filter(hit) {
            let geoms = [row.contact.geom_a, row.contact.geom_b];
            let trees = geoms.map(|g| multibody.body_tree(compiled.geoms.geoms()[g].body));
            self.trees_hit.extend(trees.into_iter().flatten());
        }
        self.trees_hit.sort_unstable();
        self.trees_hit.dedup();
        for &tree in &self.trees_hit {
            multibody.go_straight(tree, (q, q_end, dt), &self.held_v, v);
        }
    }

    /// Adds the contacts that acted in the last solve to the results, and counts them and what was held back.
    pub fn write(
        &mut self,
        compiled: &Compiled,
        assembly: &Assembly,
        solver: &Solver,
        dt: f64,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) {
        report.held_back += self.held.trees as u64;
        report.passed += self.held.passed as u64;
        self.met.add(&self.shortened);
        for row in &self.rows {
            let impulse = solver.row_impulses()[row.row];
            if impulse <= 0.0 {
                continue;
            }
            let p = &row.contact;
            let after = assembly.problem.row_velocity(row.row, solver.velocities());
            report.normal_loss -= impulse * 0.5 * (row.before + after);
            report.speculative += 1;
            let force = p.normal_w * (impulse / dt);
            contacts.push(Contact { force, penetration: -row.gap, ..Contact::at(compiled, p) });
            insert(&mut self.met.acted, geoms_of(p));
        }
    }
}

/// The law of a row at which a pair with restitution meets at a speed of `approach`, if that is an impact.
fn rebound(
    compiled: &Compiled,
    assembly: &Assembly,
    contact: &ContactPoint,
    approach: f64,
) -> Option<RowLaw> {
    let pair = geoms_of(contact);
    if compiled.geoms.makes_patch(contact.geom_a, contact.geom_b) {
        return None;
    }
    let material = compiled.pair_material(pair, PairMaterial::combine);
    let dt = assembly.problem.time_step();
    let rest = resting_speed(compiled, assembly.problem.settings(), dt);
    if material.restitution == 0.0 || approach <= material.restitution_threshold.max(rest) {
        return None;
    }
    let compliance =
        RowCompliance::Spring { stiffness: f64::INFINITY, relaxation_time: 0.0, beta: REBOUND_BETA };
    Some(RowLaw::Limit { phi: -dt * material.restitution * approach, compliance })
}
