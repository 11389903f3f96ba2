//! All forces on bodies and joints except contact. Each kind has its own file, and all implement one trait.
//!
//! | file | force | enters a convex step as |
//! |---|---|---|
//! | `applied.rs` | external generalised forces ([`crate::State::applied`]) | force |
//! | `joint_springs.rs` | springs and damping of joints | implicit force |
//! | `inertia.rs` | gravity, Coriolis and centrifugal forces | force |
//! | `gravity_compensation.rs` | gravity compensation of bodies | force |
//! | `medium.rs` | drag, lift and added mass of a medium | force |
//! | `equalities.rs` | couplings of joints, tendons and bodies; welds to mocap bodies | rows |
//! | `bushings.rs` | springs and dampers in six directions | rows |
//! | `joint_limits.rs` | limits of hinges, slides and ball joints | rows |
//! | `dry_friction.rs` | dry friction of joints | rows |
//! | `tendons.rs` | springs, damping, limits, friction and inertia of tendons (paths: `tendon_path.rs`) | rows |
//! | `actuators.rs` | servos, motors, muscles (`muscle.rs`), adhesion (`adhesion.rs`) by a transmission (`transmission.rs`) | implicit force, or rows where it is limited or couples coordinates |
//!
//! Each kind implements [`Force`]. [`all`] lists them. Forces, energies and supported features are computed by
//! iterating over that list, so no kind can be omitted. To add a force, write its file and add it to the list.
//!
//! `moments.rs` holds lengths and moment arms, along which tendons and actuators act.

pub(crate) mod actuators;
mod adhesion;
mod applied;
pub(crate) mod bushings;
mod dry_friction;
pub(crate) mod equalities;
mod gravity_compensation;
mod inertia;
pub(crate) mod joint_limits;
mod joint_springs;
pub(crate) mod medium;
pub(crate) mod moments;
pub(crate) mod muscle;
pub(crate) mod tendon_path;
pub(crate) mod tendons;
#[cfg(test)]
mod tests;
pub(crate) mod transmission;

use crate::contact::query::Touching;
use crate::derivatives::joints::DifferentiatedStep;
use crate::error::InputError;
use crate::methods::support::Feature;
use crate::model::{Compiled, Model};
use crate::options::Options;
use crate::state::State;
use crate::step::assemble::Rows;
use crate::step::kinematics::Kinematics;
use actuators::Servo;
use nalgebra::{DMatrix, Vector3, Vector6};
use stiction_convex::ProblemError;
use stiction_model::World;

/// A state at which forces are evaluated.
pub(crate) struct At<'a> {
    pub compiled: &'a Compiled,
    /// Controls, activations, applied forces and mocap bodies.
    pub state: &'a State,
    /// Positions of the state, or of an integrator's stage.
    pub q: &'a [f64],
    /// Poses, twists, lengths at `q` and at its velocities `v`; its workspace is scratch for some forces.
    pub kinematics: &'a mut Kinematics,
    /// Slip speed below which dry friction sticks, m/s or rad/s.
    pub stiction_tolerance: f64,
}

/// Forces over a step of length `dt` that need no rows of the problem.
pub(crate) struct Implicit<'a> {
    pub dt: f64,
    /// Diagonal of A − M: the part that is linear in the final velocity.
    pub added: &'a mut [f64],
    /// The remaining generalised forces.
    pub force: &'a mut [f64],
    /// The law of each actuator over the step.
    pub servos: &'a mut [Servo],
    /// Contacts, for forces that act at them.
    pub touching: Touching<'a>,
    pub scratch: &'a mut [f64],
}

/// The step whose rows are assembled.
pub(crate) struct StepAt<'a> {
    pub compiled: &'a Compiled,
    pub options: &'a Options,
    pub state: &'a State,
    pub kinematics: &'a Kinematics,
    pub dt: f64,
    pub servos: &'a [Servo],
}

/// Takes a body, a world point and the wrench [moment; force] (world axes) that acts on the body there.
pub(crate) type WrenchVisitor<'a> = dyn FnMut(usize, &Vector3<f64>, &Vector6<f64>) + 'a;

/// One kind of force.
pub(crate) trait Force: Sync {
    /// Its features, and the support of each time-stepping method for them.
    fn features(&self) -> &'static [Feature];

    /// Whether it can be evaluated at these poses.
    fn check(&self, compiled: &Compiled, kinematics: &Kinematics) -> Result<(), InputError> {
        let _ = (compiled, kinematics);
        Ok(())
    }

    /// Whether `step/energy_jump.rs` counts all work that it can do in this world: that of [`Force::implicit`] is counted, rows
    /// are if that file says so.
    fn work_is_counted(&self, world: &World) -> bool;

    /// Adds its contributions to a step, except rows.
    fn implicit(&self, at: &mut At, step: &mut Implicit) {
        let _ = (at, step);
    }

    /// Adds its rows to the problem of a step.
    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        let _ = (at, rows);
        Ok(())
    }

    /// Adds its conservative generalised forces, −∂energy/∂q, N or N m.
    fn conservative(&self, at: &mut At, out: &mut [f64]) {
        let _ = (at, out);
    }

    /// Adds its other generalised forces as a function of the state: damping, friction, actuation, N or N m.
    fn other(&self, at: &mut At, out: &mut [f64]) {
        let _ = (at, out);
    }

    /// Whether it is the inertial force, which inverse dynamics includes as well.
    fn is_inertia(&self) -> bool {
        false
    }

    /// Whether it is one of the forces of [`crate::Model::passive_forces`].
    fn passive(&self) -> bool {
        false
    }

    /// Visits the wrenches [moment; force] (world axes, at a world point) that it exerts on bodies, where it acts on bodies
    /// rather than on joints.
    fn wrenches(&self, at: &At, visit: &mut WrenchVisitor) {
        let _ = (at, visit);
    }

    /// Energy that it stores, J.
    fn energy(&self, at: &At) -> f64 {
        let _ = at;
        0.0
    }

    /// Kinetic energy in addition to that of the bodies, J.
    fn kinetic_energy(&self, at: &At) -> f64 {
        let _ = at;
        0.0
    }

    /// Whether [`Force::derivatives`] covers all its effects in this model. If not, all forces are differentiated by
    /// finite differences.
    fn has_derivatives(&self, model: &Model) -> bool {
        self.features().iter().all(|feature| (feature.find)(model.world(), &Options::default()).is_none())
    }

    /// Adds the derivatives of its part of a step's residual to ∂r/∂x, in closed form.
    fn derivatives(&self, step: &DifferentiatedStep, rhs: &mut DMatrix<f64>) {
        let _ = (step, rhs);
    }
}

/// All kinds of force, in the order of evaluation.
pub(crate) fn all() -> [&'static dyn Force; 11] {
    [
        &applied::Applied,
        &joint_springs::JointSprings,
        &inertia::Inertia,
        &gravity_compensation::GravityCompensation,
        &medium::MediumForces,
        &equalities::Equalities,
        &bushings::Bushings,
        &joint_limits::JointLimits,
        &dry_friction::DryFriction,
        &tendons::TendonForces,
        &actuators::Actuators,
    ]
}

/// Kinetic and potential energy at a state: the energy of the bodies and the energy stored by each force.
pub(crate) fn energy(at: &At) -> crate::model::Energy {
    let bodies = at.compiled.multibody.kinetic_energy(&at.kinematics.workspace, &at.kinematics.v);
    let kinetic = all().iter().fold(bodies, |sum, force| sum + force.kinetic_energy(at));
    let potential = all().iter().fold(0.0, |sum, force| sum + force.energy(at));
    crate::model::Energy { kinetic, potential }
}
