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

use super::path::Meeting;
use super::{Sweep, insert};
use crate::contact::result::Contact;
use crate::model::geom_id::geoms_of;
use crate::model::{Compiled, Model};
use crate::state::State;
use crate::step::assemble::Assembly;
use crate::step::kinematics::prescribed_twist;
use crate::step::report::StepReport;
use nalgebra::Vector3;
use stiction_convex::{ProblemError, RowCompliance, RowLaw, Solver};
use stiction_geometry::ContactPoint;
use stiction_multibody::QuaternionStep;

/// Angle, rad, up to which the paths of a body's points within a step count as lines.
const LARGE_TURN: f64 = 0.5;

/// Solves of a step in which rows act at points of bodies that turn little.
const POINT_PASSES: usize = 6;

/// A speculative contact.
pub(super) struct Row {
    row: usize,
    contact: ContactPoint,
    /// Gap, m.
    gap: f64,
    /// Row velocity at the beginning of the step, m/s.
    before: f64,
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
            let law = RowLaw::Limit { phi, compliance: RowCompliance::default() };
            let before = rate(&state.v);
            let row = assembly.problem.add_row(&self.coefficients, bias, law)?;
            self.rows.push(Row { row, contact, gap, before });
        }
        Ok(self.rows.len() > known)
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
