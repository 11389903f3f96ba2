//! Contact results of a step's solve: the fifth stage of a step.

use crate::contact::entries::EntrySource;
use crate::contact::patch_springs::springs_after;
use crate::contact::patch_view::{FaceResult, SolvedPatches};
use crate::contact::patches::PatchSet;
use crate::contact::result::Contact;
use crate::model::geom_id::geoms_of;
use crate::state::{ContactStretch, PatchSpring};
use crate::step::assemble::{Assembly, Parts, active_springs};
use crate::step::impact::Impact;
use crate::step::report::StepReport;
use nalgebra::Vector3;
use stiction_convex::Solver;

/// Fraction of the friction limit below which a contact counts as sticking, for any slip.
const STICKING_SHARE: f64 = 0.95;

/// Contacts after the solve.
#[derive(Default)]
pub(crate) struct Results {
    /// Length of the step, s; 0 if there was no step, or no step with forces for sensors.
    pub step: f64,
    /// One for each contact point.
    pub contacts: Vec<Contact>,
    /// One for each face of a patch.
    pub faces: Vec<FaceResult>,
    /// Tangential springs at the end of the step.
    pub stretches: Vec<ContactStretch>,
    /// Those of patches.
    pub springs: Vec<PatchSpring>,
}

impl Results {
    pub fn clear(&mut self) {
        self.step = 0.0;
        self.contacts.clear();
        self.faces.clear();
    }

    /// The patches with their results.
    pub fn patches<'a>(&'a self, found: &'a PatchSet) -> SolvedPatches<'a> {
        SolvedPatches { found, results: &self.faces }
    }

    /// Collects the contact results of a solve, the springs to keep, and the contact statistics of the report.
    pub fn write(
        &mut self,
        parts: &Parts,
        assembly: &Assembly,
        impact: &Impact,
        solver: &Solver,
        report: &mut StepReport,
    ) {
        let (compiled, dt) = (parts.model.compiled(), parts.dt);
        let (points, patches) = (parts.touching.points, parts.touching.patches);
        self.springs.clear();
        let springs = active_springs(parts.options, parts.calibration);
        if let Some(springs) = &springs {
            let (x_wb, solved) = (&parts.kinematics.x_wb, (&assembly.problem, solver, dt));
            let before = &parts.state.springs;
            springs_after(compiled, x_wb, solved, (&assembly.sprung, springs), before, &mut self.springs);
        }
        let springs = springs.is_some();
        self.step = dt;
        self.contacts.clear();
        self.contacts.resize(points.len(), Contact::default());
        self.stretches.clear();
        if springs {
            self.stretches.resize(points.len(), ContactStretch::default());
        }
        self.faces.clear();
        self.faces.resize(patches.faces.faces.len(), FaceResult::default());
        let (mut last, mut before) = (None, (Vector3::zeros(), Vector3::zeros()));
        for (entry, place) in assembly.places.iter().enumerate() {
            let impulse = solver.contact_impulses()[entry];
            let velocity = solver.contact_velocities()[entry];
            let normal = place.frame.column(2);
            let normal_impulse = normal.dot(&impulse);
            let tangential = impulse - normal * normal_impulse;
            let of_impact = impact.impulses.get(entry).copied().unwrap_or_default();
            let force = (impulse + of_impact) * (place.sign / dt);
            let slip = (velocity - normal * normal.dot(&velocity)) * place.sign;
            // The work of an impulse over a step is γ · (v₀ + v)/2, exactly: kinetic energy changes by it. If the
            // slip reverses within the step, the work of friction is evaluated at its end, where the dissipation is
            // never negative.
            if last != Some(place.bodies) {
                last = Some(place.bodies);
                before = parts.kinematics.relative_twist(compiled, place.bodies);
            }
            let relative =
                assembly.problem.contacts()[entry].bias + before.0 + before.1.cross(&place.position);
            // The travel of a contact point over a turning body is no velocity of the bodies.
            let mean = 0.5 * (velocity + relative) - normal * assembly.travel[entry];
            let friction = f64::max(-tangential.dot(&mean), -tangential.dot(&velocity));
            report.friction_loss += friction;
            report.normal_loss -= impulse.dot(&mean) + friction;
            let index = match place.source {
                EntrySource::Point(index) => index,
                EntrySource::Face(face, share) => {
                    let arm = place.position - patches.faces.faces[face].centroid;
                    let result = &mut self.faces[face];
                    result.force += force;
                    result.moment += arm.cross(&force);
                    result.slip += share * slip;
                    continue;
                }
            };
            let point = &points[index];
            report.max_penetration = report.max_penetration.max(-point.distance);
            let sticking = normal_impulse > 0.0
                && (slip.norm() <= parts.options.stiction_tolerance
                    || tangential.norm() < STICKING_SHARE * place.friction * normal_impulse);
            let contact =
                Contact { position: place.position, force, slip, sticking, ..Contact::at(compiled, point) };
            self.contacts[index] = contact;
            if springs {
                let stretch = solver.stretches()[entry] * place.sign;
                let x_wa = &parts.kinematics.x_wb[contact.body_a];
                self.stretches[index] = ContactStretch {
                    geoms: geoms_of(point),
                    point_a: x_wa.inverse_transform_point(&place.position.into()).coords,
                    stretch: x_wa.inverse_transform_vector(&stretch),
                    turn: Vector3::zeros(),
                };
            }
        }
        self.turns(parts, assembly, solver, report);
        report.friction_loss += impact.loss[0];
        report.normal_loss += impact.loss[1];
        report.points = points.len() as u64;
        report.add_patches(patches);
    }
}

impl Results {
    /// Torsional and rolling friction of contact points: torques, work, and what springs hold.
    fn turns(&mut self, parts: &Parts, assembly: &Assembly, solver: &Solver, report: &mut StepReport) {
        let (compiled, dt) = (parts.model.compiled(), parts.dt);
        for turn in solver.turns() {
            let place = &assembly.places[turn.contact];
            let EntrySource::Point(index) = place.source else { continue };
            let (_, before) = parts.kinematics.relative_twist(compiled, place.bodies);
            let mean = 0.5 * (turn.velocity + before);
            let friction = f64::max(-turn.torque.dot(&mean), -turn.torque.dot(&turn.velocity));
            report.friction_loss += friction;
            report.normal_loss -= turn.torque.dot(&mean) + friction;
            let contact = &mut self.contacts[index];
            contact.torque = turn.torque * (place.sign / dt);
            if let Some(stretch) = self.stretches.get_mut(index) {
                let x_wa = &parts.kinematics.x_wb[contact.body_a];
                stretch.turn = x_wa.inverse_transform_vector(&(turn.turned * place.sign));
            }
        }
    }
}

impl StepReport {
    /// Counts and depth of patches.
    pub(crate) fn add_patches(&mut self, patches: &PatchSet) {
        self.patches = patches.patches.iter().filter(|p| !p.patch.faces.is_empty()).count() as u64;
        self.faces = patches.faces.faces.len() as u64;
        self.doubtful_patches = patches.faults.len() as u64;
        for found in &patches.patches {
            self.max_penetration = self.max_penetration.max(patches.depth(found));
        }
    }
}
