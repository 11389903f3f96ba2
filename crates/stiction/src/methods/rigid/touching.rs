//! Rigid contacts at a state: contact points within a tolerance and joints at their stops.

use crate::contact::query::ContactQuery;
use crate::contact::surface_velocity;
use crate::error::InputError;
use crate::forces::{self, At};
use crate::model::material::PairMaterial;
use crate::model::{CollidingGeomId, Compiled, GeomId, Model};
use crate::options::Options;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use stiction_geometry::ContactPoint;
use stiction_model::Pose;
use stiction_multibody::QuaternionStep;
use stiction_rigid::{Instant, PointContact, RigidError, touching};

/// Error of describing rigid contact.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigidContactError {
    /// The state does not fit the model.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Masses or contacts are invalid.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// Closed loops and couplings are not supported by rigid contact.
    #[error(
        "the model has an active equality constraint ({0}), which rigid contact does not take in: \
         an impulse would break the loop; deactivate it or model the mechanism as a tree"
    )]
    Equality(String),
    /// A feature that rigid motion between impacts does not support.
    #[error("rigid motion from impact to impact: {0}")]
    Unsupported(String),
    /// A tolerance out of its range.
    #[error("{what} = {value} is not allowed: give {allowed}")]
    Option {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A contact problem of a step without a solution.
    #[error("the contact problem at t = {time} s cannot be solved: {reason}")]
    Contact {
        /// Time, s.
        time: f64,
        /// Why.
        reason: String,
    },
}

/// Kind of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TouchKind {
    /// A point of two geoms (indices into the model's geoms).
    Point {
        /// The contact; its bodies and frame.
        contact: PointContact,
        /// The geoms, as in the model.
        geoms: (GeomId, GeomId),
    },
    /// A joint at a stop.
    Stop {
        /// Its velocity coordinate.
        dof: usize,
        /// +1 at the lower end, −1 at the upper.
        sign: f64,
    },
}

/// Rigid contact at a state.
#[derive(Clone, Debug)]
pub struct Touching {
    /// Masses, rows and velocities. Its contacts have the order of `kinds`.
    pub instant: Instant,
    /// Kind of each contact.
    pub kinds: Vec<TouchKind>,
}

impl Touching {
    /// Name of a contact: its geoms and position, or its joint.
    pub fn name(&self, model: &Model, contact: usize) -> String {
        match &self.kinds[contact] {
            TouchKind::Point { geoms: (a, b), contact } => {
                let name = |GeomId(g): GeomId| {
                    let geom = &model.world().geoms[g];
                    if geom.name.is_empty() { format!("geom {g}") } else { geom.name.clone() }
                };
                let p = contact.point;
                format!("{} – {} at ({:.4}, {:.4}, {:.4})", name(*a), name(*b), p.x, p.y, p.z)
            }
            TouchKind::Stop { dof, .. } => format!("stop of joint {}", model.joint_of(*dof)),
        }
    }
}

/// Buffers of rigid contact.
pub(crate) struct RigidContacts {
    contacts: ContactQuery,
    pub kinematics: Kinematics,
}

impl RigidContacts {
    pub fn new(model: &Model) -> Self {
        let compiled = model.compiled();
        Self { contacts: ContactQuery::new(compiled), kinematics: Kinematics::new(compiled) }
    }

    /// Contact points no further apart than `touch` at positions `q`.
    pub fn points(&mut self, model: &Model, state: &State, q: &[f64], touch: f64) -> &[ContactPoint] {
        self.kinematics.positions(model.compiled(), &state.mocap, q);
        self.contacts.find_rigid(model.compiled(), &self.kinematics.x_wb, touch)
    }

    /// Contacts at positions `q` and velocities `v`.
    pub fn touching(
        &mut self,
        model: &Model,
        state: &State,
        (q, v): (&[f64], &[f64]),
        touch: f64,
    ) -> Result<Touching, RigidContactError> {
        let compiled = model.compiled();
        self.kinematics.positions(compiled, &state.mocap, q);
        let points = self.contacts.find_rigid(compiled, &self.kinematics.x_wb, touch);
        let friction = |a: usize, b: usize| {
            let geoms = (CollidingGeomId::new(a), CollidingGeomId::new(b));
            compiled.pair_material(geoms, PairMaterial::combine).dynamic_friction
        };
        let contacts = touching(points, &compiled.geoms, touch, friction);
        let stops: Vec<(usize, f64)> = compiled
            .limits
            .coordinates
            .iter()
            .flat_map(|l| l.gaps(q).into_iter().filter(|(gap, _)| *gap <= touch).map(|(_, sign)| (l.v, sign)))
            .collect();
        let mut instant = Instant::new(model.multibody(), &mut self.kinematics.workspace, v, &contacts)?;
        add_belts(&mut instant, compiled, &self.kinematics.x_wb, &contacts);
        let instant = instant.with_stops(&stops)?;
        let points = contacts.into_iter().map(|contact| {
            let (a, b) = contact.geoms.unwrap_or_default();
            let in_world = |g| compiled.colliding.in_world(CollidingGeomId::new(g));
            TouchKind::Point { contact, geoms: (in_world(a), in_world(b)) }
        });
        let stops = stops.into_iter().map(|(dof, sign)| TouchKind::Stop { dof, sign });
        Ok(Touching { instant, kinds: points.chain(stops).collect() })
    }
}

/// Adds the velocities of moving surfaces to those of the contacts.
fn add_belts(instant: &mut Instant, compiled: &Compiled, x_wb: &[Pose], contacts: &[PointContact]) {
    for (k, c) in contacts.iter().enumerate() {
        let Some((a, b)) = c.geoms else { continue };
        let geoms = (CollidingGeomId::new(a), CollidingGeomId::new(b));
        let belt = surface_velocity::relative(compiled, x_wb, geoms, &c.point);
        instant.add_bias(k, &c.frame.tr_mul(&belt));
    }
}

impl Model {
    /// Rigid contacts at a state: contact points no further apart than `touch` (m; overlap always counts) and joints
    /// within `touch` of a stop (m or rad), with dynamic friction. Compliant geoms are treated as rigid.
    pub fn touching(&self, state: &State, touch: f64) -> Result<Touching, RigidContactError> {
        self.check_state(state)?;
        self.check_rigid(touch)?;
        RigidContacts::new(self).touching(self, state, (&state.q, &state.v), touch)
    }

    /// Accelerations along the normals of what touches at a state (in the order of [`Model::touching`]) under all forces but
    /// those of contact, as functions of the state, m/s²: a difference over a microsecond. Adhesion and the inertia of tendons
    /// take no part.
    pub fn free_normal_accelerations(
        &self,
        state: &State,
        touch: f64,
    ) -> Result<Vec<f64>, RigidContactError> {
        const DT: f64 = 1e-6;
        let touching = self.touching(state, touch)?;
        let (compiled, multibody) = (self.compiled(), self.multibody());
        let (mut tau, mut v) = (vec![0.0; self.nv()], vec![0.0; self.nv()]);
        let mut kinematics = Kinematics::new(compiled);
        kinematics.at(compiled, state);
        let stiction_tolerance = Options::default().stiction_tolerance;
        let mut at = At { compiled, state, q: &state.q, kinematics: &mut kinematics, stiction_tolerance };
        for force in forces::all() {
            force.check(compiled, at.kinematics)?;
            force.other(&mut at, &mut tau);
            force.conservative(&mut at, &mut tau);
        }
        multibody.forward_dynamics(&mut kinematics.workspace, &tau, &mut v);
        v.iter_mut().zip(&kinematics.v).for_each(|(a, v0)| *a = v0 + DT * *a);
        // The rows turn with the motion; contacts stay where they are on body B's surface.
        let mut next = vec![0.0; self.nq()];
        multibody.integrate(&state.q, &state.v, DT, QuaternionStep::Exponential, &mut next);
        kinematics.positions(compiled, &state.mocap, &next);
        let (mut contacts, mut stops) = (Vec::new(), Vec::new());
        for kind in &touching.kinds {
            match kind {
                TouchKind::Point { contact, .. } => contacts.push(*contact),
                TouchKind::Stop { dof, sign } => stops.push((*dof, *sign)),
            }
        }
        let mut after = Instant::new(multibody, &mut kinematics.workspace, &v, &contacts)?;
        add_belts(&mut after, compiled, &kinematics.x_wb, &contacts);
        let after = after.with_stops(&stops)?.contact_velocity();
        let before = touching.instant.contact_velocity();
        Ok((0..touching.kinds.len()).map(|c| (after[3 * c + 2] - before[3 * c + 2]) / DT).collect())
    }

    pub(crate) fn check_rigid(&self, touch: f64) -> Result<(), RigidContactError> {
        if !(touch >= 0.0 && touch.is_finite()) {
            let allowed = "zero or more metres";
            return Err(RigidContactError::Option { what: "touch", value: touch, allowed });
        }
        match self.world().equalities.iter().find(|e| e.active) {
            Some(e) => Err(RigidContactError::Equality(format!("{}: \"{}\"", e.source, e.name))),
            None => Ok(()),
        }
    }
}
