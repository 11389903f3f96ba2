//! What touches at a state: contact points within a tolerance and joints at their stops.

use crate::assemble::{Touching as Near, belt_at};
use crate::compiled::Model;
use crate::error::{InputError, StepError};
use crate::free_motion::FreeMotion;
use crate::material::PairMaterial;
use crate::patches::PatchSet;
use crate::state::State;
use nalgebra::Vector6;
use stiction_geometry::point::{Scratch, contact_pair};
use stiction_geometry::{ContactPoint, Proximity};
use stiction_model::Pose;
use stiction_multibody::{QuaternionStep, Workspace};
use stiction_rigid::{Instant, PointContact, RigidError, touching};

/// Rigid contact that cannot be described.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigidContactError {
    /// The state does not fit the model.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Masses or contacts are not sound.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// Closed loops and couplings are not part of rigid contact.
    #[error(
        "the model has an active equality constraint ({0}), which rigid contact does not take in: \
         an impulse would break the loop; deactivate it or model the mechanism as a tree"
    )]
    Equality(String),
    /// Something that rigid motion between impacts leaves out.
    #[error(
        "the model has {0}, which rigid motion from impact to impact does not take in: give the state at the impact instead, or \
         remove them"
    )]
    Unsupported(&'static str),
    /// A tolerance out of its range.
    #[error("{what} = {value} is not allowed: give {allowed}")]
    Option {
        /// Which.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
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

/// What kind of contact a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TouchKind {
    /// A point of two geoms (indices into the model's geoms).
    Point {
        /// The contact; its bodies and frame.
        contact: PointContact,
        /// The geoms, as in the model.
        geoms: (usize, usize),
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
    /// Masses, rows and velocities; its contacts are those of `kinds`, in order.
    pub instant: Instant,
    /// What each contact is.
    pub kinds: Vec<TouchKind>,
}

impl Touching {
    /// Names what a contact is between.
    pub fn name(&self, model: &Model, contact: usize) -> String {
        match &self.kinds[contact] {
            TouchKind::Point { geoms: (a, b), contact } => {
                let name = |g: usize| {
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

/// Memory of looking for contacts.
pub(crate) struct Looker {
    proximity: Proximity,
    points: Vec<ContactPoint>,
    scratch: Scratch,
    x_wb: Vec<Pose>,
    pub workspace: Workspace,
}

impl Looker {
    pub fn new(model: &Model) -> Self {
        Self {
            proximity: Proximity::new(model.compiled().geoms.clone()),
            points: Vec::new(),
            scratch: Scratch::default(),
            x_wb: vec![Pose::identity(); model.multibody().body_count()],
            workspace: Workspace::new(model.multibody()),
        }
    }

    /// Contact points no further apart than `touch` at positions `q`, pairs with a compliant geom as if both were rigid.
    pub fn look(&mut self, model: &Model, state: &State, q: &[f64], touch: f64) -> &[ContactPoint] {
        let multibody = model.multibody();
        for (k, mocap) in state.mocap.iter().enumerate() {
            self.workspace.set_mocap(k, &mocap.pose, &Vector6::from(mocap.twist));
        }
        multibody.positions(q, &mut self.workspace);
        for (body, pose) in self.x_wb.iter_mut().enumerate() {
            *pose = multibody.pose(&self.workspace, body);
        }
        self.proximity.update(&self.x_wb);
        self.proximity.contacts(touch, &mut self.points);
        let geoms = model.compiled().geoms.geoms();
        for &(a, b) in self.proximity.patch_pairs() {
            let first = self.points.len();
            let (ga, gb) = (&geoms[a as usize], &geoms[b as usize]);
            let (xa, xb) = (self.x_wb[ga.body] * ga.x_bg, self.x_wb[gb.body] * gb.x_bg);
            contact_pair((&ga.shape, &xa), (&gb.shape, &xb), touch, &mut self.scratch, &mut self.points);
            for p in &mut self.points[first..] {
                (p.geom_a, p.geom_b) = (a as usize, b as usize);
            }
        }
        self.points.retain(|p| p.distance <= touch);
        &self.points
    }

    /// What touches at positions `q` and velocities `v`.
    pub fn touching(
        &mut self,
        model: &Model,
        state: &State,
        (q, v): (&[f64], &[f64]),
        touch: f64,
    ) -> Result<Touching, RigidContactError> {
        let compiled = model.compiled();
        self.look(model, state, q, touch);
        let friction = |a: usize, b: usize| {
            compiled.pair_material((a as u32, b as u32), PairMaterial::combine).dynamic_friction
        };
        let contacts = touching(&self.points, &compiled.geoms, touch, friction);
        let stops: Vec<(usize, f64)> = compiled
            .limits
            .iter()
            .flat_map(|l| {
                let low = (q[l.q] - l.lower <= touch).then_some((l.v, 1.0));
                let high = (l.upper - q[l.q] <= touch).then_some((l.v, -1.0));
                low.into_iter().chain(high)
            })
            .collect();
        let mut instant = Instant::new(model.multibody(), &mut self.workspace, v, &contacts)?;
        for (k, c) in contacts.iter().enumerate() {
            let Some((a, b)) = c.geoms else { continue };
            let belt =
                belt_at(compiled, &self.x_wb, b, &c.point) - belt_at(compiled, &self.x_wb, a, &c.point);
            instant.add_bias(k, &c.frame.tr_mul(&belt));
        }
        let instant = instant.with_stops(&stops)?;
        let points = contacts.into_iter().map(|contact| {
            let (a, b) = contact.geoms.unwrap_or_default();
            TouchKind::Point { contact, geoms: (compiled.colliding[a], compiled.colliding[b]) }
        });
        let stops = stops.into_iter().map(|(dof, sign)| TouchKind::Stop { dof, sign });
        Ok(Touching { instant, kinds: points.chain(stops).collect() })
    }
}

impl Model {
    /// What touches at a state: contact points no further apart than `touch` (m; overlap always counts) and joints
    /// within `touch` of a stop (m or rad), with dynamic friction. Compliant geoms count as rigid.
    pub fn touching(&self, state: &State, touch: f64) -> Result<Touching, RigidContactError> {
        self.check_state(state)?;
        self.check_rigid(touch)?;
        Looker::new(self).touching(self, state, (&state.q, &state.v), touch)
    }

    /// Accelerations along the normals of what touches at a state (in the order of [`Model::touching`]) without contact forces, m/s²: a difference
    /// over a microsecond of free motion. Adhesion and actuators at their limits are left out.
    pub fn free_normal_accelerations(
        &self,
        state: &State,
        touch: f64,
    ) -> Result<Vec<f64>, RigidContactError> {
        const DT: f64 = 1e-6;
        let touching = self.touching(state, touch)?;
        let mut free = FreeMotion::new(self);
        free.kinematics(self, state);
        let patches = PatchSet::default();
        free.solve(self, state, DT, Near { points: &[], patches: &patches }).map_err(|e| match e {
            StepError::Input(error) => RigidContactError::Input(error),
            other => RigidContactError::Contact { time: state.time, reason: other.to_string() },
        })?;
        // The rows turn with the motion; contacts stay where they are on body B's surface.
        let mut next = vec![0.0; self.nq()];
        self.multibody().integrate(&state.q, &state.v, DT, QuaternionStep::Exponential, &mut next);
        let contacts: Vec<PointContact> = touching
            .kinds
            .iter()
            .filter_map(|k| match k {
                TouchKind::Point { contact, .. } => Some(*contact),
                TouchKind::Stop { .. } => None,
            })
            .collect();
        let mut looker = Looker::new(self);
        looker.look(self, state, &next, touch);
        let after = Instant::new(self.multibody(), &mut looker.workspace, &free.v_star, &contacts)?;
        let stops: Vec<(usize, f64)> = touching
            .kinds
            .iter()
            .filter_map(|k| match k {
                TouchKind::Stop { dof, sign } => Some((*dof, *sign)),
                TouchKind::Point { .. } => None,
            })
            .collect();
        let (before, after) =
            (touching.instant.contact_velocity(), after.with_stops(&stops)?.contact_velocity());
        Ok((0..touching.kinds.len()).map(|c| (after[3 * c + 2] - before[3 * c + 2]) / DT).collect())
    }

    pub(crate) fn check_rigid(&self, touch: f64) -> Result<(), RigidContactError> {
        if !(touch >= 0.0 && touch.is_finite()) {
            let allowed = "zero or more metres";
            return Err(RigidContactError::Option { what: "touch", value: touch, allowed });
        }
        match self.world().equalities.iter().find(|e| e.active) {
            Some(e) => Err(RigidContactError::Equality(e.name.clone())),
            None => Ok(()),
        }
    }
}
