//! Steps with a learned contact law: one body of the model touches stationary surfaces.
//!
//! ```text
//! free      v* after all forces but contact
//! touch     contact points within the touch distance, as one patch of one moving body
//! law       Algorithm 1 for a free body, Algorithm 2 (`stiction_dac::Linked`) for one that joints hold
//! advance   q ⊕ dt v⁺, then loaded points onto the surface and others out of it, by the least motion in the M-norm
//! ```
//!
//! The law supports a single patch on a stationary surface (DAC 3.1). Two moving bodies that touch, a belt, or
//! simultaneous surfaces with different normals cause an error. No approximation is made.
//!
//! | file | |
//! |---|---|
//! | `file.rs` | learned contact in a file |

pub(crate) mod file;

use crate::contact::query::ContactQuery;
use crate::contact::result::Contact;
use crate::error::StepError;
use crate::model::Model;
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::{Kinematics, parts};
use crate::step::{Stages, StepReport};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::sync::Arc;
use stiction_dac::{BodyInstant, Class, DacLaw, Linked, LinkedAnswer, Outside};
use stiction_geometry::ContactPoint;
use stiction_multibody::QuaternionStep;
use stiction_rigid::tangents;

/// Height above a surface up to which a point touches, m.
const TOUCH: f64 = 2e-4;

/// Report of the law in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LearnedReport {
    /// Result of the patch. `None` without contact.
    pub class: Option<Class>,
    /// The first quantity out of its training range, if any.
    pub outside: Option<Outside>,
    /// Whether Powell's method converged, or was not needed.
    pub converged: bool,
    /// Steps since the law was set in which it was outside its range.
    pub outside_steps: u64,
}

impl LearnedReport {
    /// Clears the last step and keeps the count.
    pub(crate) fn forget(&mut self) {
        *self = Self { outside_steps: self.outside_steps, ..Self::default() };
    }
}

/// Buffers of learned steps.
pub(crate) struct Learned {
    pub law: Arc<DacLaw>,
    pub report: LearnedReport,
    /// At the end of the step, for projecting contact points onto the surface.
    kinematics: Kinematics,
    columns: Vec<[f64; 6]>,
    next: Vec<f64>,
    v: Vec<f64>,
    shift: Vec<f64>,
    row: Vec<f64>,
}

impl Learned {
    pub fn new(model: &Model, law: Arc<DacLaw>) -> Self {
        let nv = model.nv();
        Self {
            law,
            report: LearnedReport::default(),
            kinematics: Kinematics::new(model.compiled()),
            columns: Vec::new(),
            next: vec![0.0; model.nq()],
            v: vec![0.0; nv],
            shift: vec![0.0; nv],
            row: vec![0.0; nv],
        }
    }

    /// Velocities at the end of the last step.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// Takes one step of `dt`. On an error, `state` is unchanged.
    pub fn step(
        &mut self,
        stages: &mut Stages,
        model: &Model,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        let (multibody, compiled) = (model.multibody(), model.compiled());
        let Stages { kinematics, contacts, free, results, .. } = stages;
        kinematics.at(compiled, state);
        free.begin(model, kinematics);
        contacts.clear();
        free.gather(model, state, kinematics, contacts.touching(), dt)?;
        free.velocities(kinematics, &mut self.v);
        results.clear();
        let outside_steps = self.report.outside_steps;
        self.report = LearnedReport { converged: true, outside_steps, ..LearnedReport::default() };
        let points = contacts.find_rigid(compiled, &kinematics.x_wb, TOUCH);
        let mut report =
            StepReport { converged: true, step: dt, points: points.len() as u64, ..StepReport::default() };
        report.max_penetration = points.iter().map(|p| -p.distance).fold(0.0, f64::max);
        let touch = match points.is_empty() {
            true => None,
            false => {
                Some(self.contact(model, kinematics, free, points, state.time, dt, &mut results.contacts)?)
            }
        };
        multibody.integrate(&state.q, &self.v, dt, QuaternionStep::Exponential, &mut self.next);
        let loaded = touch.as_ref().map_or(&[][..], |t| &t.loaded);
        self.put_on_surface(model, state, free, contacts, loaded);
        if let Some(touch) = &touch {
            report.iterations = touch.evaluations as u64;
            report.converged = self.report.converged;
        }
        let bad = self.v.iter().position(|x| !x.is_finite());
        if bad.is_some() || self.next.iter().any(|x| !x.is_finite()) {
            let what = format!("the velocity of joint \"{}\"", model.joint_of(bad.unwrap_or(0)));
            return Err(StepError::NotFinite { time: state.time, what, last_good: Box::new(state.clone()) });
        }
        state.q.copy_from_slice(&self.next);
        state.v.copy_from_slice(&self.v);
        state.time += dt;
        results.step = dt;
        Ok(report)
    }

    /// Evaluates the law at the contact points and applies its impulse to the velocities.
    fn contact(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        free: &FreeMotion,
        points: &[ContactPoint],
        time: f64,
        dt: f64,
        contacts: &mut Vec<Contact>,
    ) -> Result<Touch, StepError> {
        let compiled = model.compiled();
        let fail = |reason: String| StepError::Learned { time, reason };
        let (body, sides) = one_patch(model, kinematics, points).map_err(fail)?;
        let inertia = &compiled.world.bodies[body].inertia;
        let x_wb = kinematics.x_wb[body];
        let r = x_wb.rotation.to_rotation_matrix();
        let com = (x_wb * nalgebra::Point3::from(inertia.com)).coords;
        let Some(AtCenterOfMass { twist, response, held }) =
            self.response(model, kinematics, free, body, &com)
        else {
            return Err(fail("nothing moves".into()));
        };
        let instant = BodyInstant {
            mass: inertia.mass,
            inertia_w: r.matrix() * inertia.rotational * r.matrix().transpose(),
            com,
            twist,
        };
        let frame = tangents(&sides[0].normal);
        let linked =
            Linked { body: instant, response, frame, points: sides.iter().map(|s| s.point).collect() };
        let LinkedAnswer { contact, evaluations, converged, .. } =
            self.law.linked_contact(&linked).map_err(|e| fail(e.to_string()))?;
        for (k, column) in held.iter().enumerate() {
            for (v, c) in self.v.iter_mut().zip(column) {
                *v += c * contact.wrench[k];
            }
        }
        self.report.class = Some(contact.class);
        self.report.converged = converged;
        self.report.outside_steps += u64::from(contact.outside.is_some());
        self.report.outside = contact.outside;
        let total: f64 = contact.loads.iter().sum();
        let friction = frame * Vector3::new(contact.friction.x, contact.friction.y, 0.0);
        let (spin, linear) = parts(&(twist + response * contact.wrench));
        for ((p, side), &load) in points.iter().zip(&sides).zip(&contact.loads) {
            // The law gives the friction of the whole patch. It is distributed over the points by load.
            let share = if total > 0.0 { load / total } else { 0.0 };
            let force = (side.normal * load + friction * share) / dt;
            let velocity = linear + spin.cross(&(side.point - com));
            let slip = velocity - side.normal * side.normal.dot(&velocity);
            let touched = Contact::at(compiled, p);
            let sign = if touched.body_b == body { 1.0 } else { -1.0 };
            contacts.push(Contact {
                force: force * sign,
                slip: slip * sign,
                sticking: contact.class == Class::Static && load > 0.0,
                ..touched
            });
        }
        let loaded = sides
            .iter()
            .zip(&contact.loads)
            .filter(|(_, load)| **load > 0.0)
            .map(|(s, _)| (x_wb.inverse() * nalgebra::Point3::from(s.point)).coords)
            .collect();
        Ok(Touch { loaded, evaluations })
    }

    /// How a body moves and gives way at its centre of mass. `None` if it is fixed.
    fn response(
        &mut self,
        model: &Model,
        kinematics: &Kinematics,
        free: &FreeMotion,
        body: usize,
        com: &Vector3<f64>,
    ) -> Option<AtCenterOfMass> {
        let multibody = model.multibody();
        let range = multibody.trees()[multibody.body_tree(body)?].v.clone();
        self.columns.clear();
        self.columns.resize(range.len(), [0.0; 6]);
        multibody.body_jacobian(&kinematics.workspace, body, com, &mut self.columns);
        let mut twist = Vector6::zeros();
        let mut response = Matrix6::zeros();
        let mut held = Vec::with_capacity(6);
        for (i, column) in range.clone().zip(&self.columns) {
            twist += Vector6::from(*column) * self.v[i];
        }
        for k in 0..6 {
            self.row.fill(0.0);
            for (i, column) in range.clone().zip(&self.columns) {
                self.row[i] = column[k];
            }
            free.solve(&mut self.row);
            for (i, column) in range.clone().zip(&self.columns) {
                let mut to = response.column_mut(k);
                to += Vector6::from(*column) * self.row[i];
            }
            held.push(self.row.clone());
        }
        Some(AtCenterOfMass { twist, response, held })
    }

    /// Moves `next` so that loaded points lie on the surface and no other point lies below it. `loaded` are points
    /// of the one body that touched, in its frame.
    fn put_on_surface(
        &mut self,
        model: &Model,
        state: &State,
        free: &FreeMotion,
        contacts: &mut ContactQuery,
        loaded: &[Vector3<f64>],
    ) {
        let (multibody, compiled) = (model.multibody(), model.compiled());
        let geoms = compiled.geoms.geoms();
        for _ in 0..4 {
            let q = self.next.clone();
            self.kinematics.positions(compiled, &state.mocap, &q);
            let points = contacts.find_rigid(compiled, &self.kinematics.x_wb, 0.5 * TOUCH);
            // For every point: the row of its distance, the response to a unit impulse, the distance, and whether it
            // carried load.
            let mut rows: Vec<(Vec<f64>, Vec<f64>, f64, bool)> = Vec::new();
            for p in points {
                let (a, b) = (geoms[p.geom_a].body, geoms[p.geom_b].body);
                let (body, point, normal) = match multibody.body_tree(b) {
                    Some(_) => (b, p.p_wb, p.normal_w),
                    None => (a, p.p_wa, -p.normal_w),
                };
                let Some(tree) = multibody.body_tree(body) else { continue };
                let x_wb = multibody.pose(&self.kinematics.workspace, body);
                let local = (x_wb.inverse() * nalgebra::Point3::from(point)).coords;
                let loaded = loaded.iter().any(|l| (l - local).norm() < 1e-6);
                let range = multibody.trees()[tree].v.clone();
                self.columns.clear();
                self.columns.resize(range.len(), [0.0; 6]);
                multibody.body_jacobian(&self.kinematics.workspace, body, &point, &mut self.columns);
                let mut row = vec![0.0; model.nv()];
                for (i, c) in range.zip(&self.columns) {
                    row[i] = normal.dot(&Vector3::new(c[3], c[4], c[5]));
                }
                let mut push = row.clone();
                free.solve(&mut push);
                rows.push((row, push, p.distance, loaded));
            }
            let off =
                |distance: f64, loaded: bool| if loaded { distance.abs() } else { (-distance).max(0.0) };
            if rows.iter().all(|r| off(r.2, r.3) < 1e-9) {
                return;
            }
            self.shift.fill(0.0);
            for _ in 0..40 {
                let mut worst: f64 = 0.0;
                for (row, push, distance, loaded) in &rows {
                    let now = distance + dot(row, &self.shift);
                    let miss = off(now, *loaded);
                    worst = worst.max(miss);
                    let size = dot(row, push);
                    if miss > 0.0 && size > 0.0 {
                        self.shift.iter_mut().zip(push).for_each(|(s, p)| *s -= p * now / size);
                    }
                }
                if worst < 1e-10 {
                    break;
                }
            }
            multibody.integrate(&q, &self.shift, 1.0, QuaternionStep::Exponential, &mut self.next);
        }
    }
}

/// A body at its centre of mass, with its Jacobian J there.
struct AtCenterOfMass {
    /// J v.
    twist: Vector6<f64>,
    /// J M⁻¹ Jᵀ.
    response: Matrix6<f64>,
    /// Columns of M⁻¹ Jᵀ.
    held: Vec<Vec<f64>>,
}

/// A contact point as the law sees it.
struct Side {
    body: usize,
    /// Out of the other, stationary surface.
    normal: Vector3<f64>,
    point: Vector3<f64>,
}

/// The one body that touches, and its side of each contact point. An error says what the law does not support.
fn one_patch(
    model: &Model,
    kinematics: &Kinematics,
    points: &[ContactPoint],
) -> Result<(usize, Vec<Side>), String> {
    let (multibody, compiled) = (model.multibody(), model.compiled());
    let geoms = compiled.geoms.geoms();
    let name = |body: usize| &compiled.world.bodies[body].name;
    let moves = |body: usize| multibody.body_tree(body).is_some();
    let mut sides = Vec::with_capacity(points.len());
    for p in points {
        let (a, b) = (geoms[p.geom_a].body, geoms[p.geom_b].body);
        sides.push(match (moves(a), moves(b)) {
            (false, true) => Side { body: b, normal: p.normal_w, point: p.p_wb },
            (true, false) => Side { body: a, normal: -p.normal_w, point: p.p_wa },
            _ => {
                return Err(format!(
                    "bodies \"{}\" and \"{}\" touch, but the law supports stationary surfaces only",
                    name(a),
                    name(b)
                ));
            }
        });
    }
    let led = |p: &ContactPoint| {
        [p.geom_a, p.geom_b].into_iter().find(|g| kinematics.is_led(compiled, geoms[*g].body))
    };
    if let Some(geom) = points.iter().find_map(led) {
        let name = name(geoms[geom].body);
        return Err(format!(
            "body \"{name}\" is moved from outside, and the law knows stationary surfaces only"
        ));
    }
    let (body, normal) = (sides[0].body, sides[0].normal);
    if let Some(other) = sides.iter().find(|s| s.body != body) {
        let (a, b) = (name(body), name(other.body));
        return Err(format!("bodies \"{a}\" and \"{b}\" both touch; the law supports one body"));
    }
    if sides.iter().any(|s| s.normal.dot(&normal) < 0.999) {
        let name = name(body);
        return Err(format!(
            "body \"{name}\" touches surfaces with different normals; the law supports one patch"
        ));
    }
    Ok((body, sides))
}

/// Contact points for the position correction.
struct Touch {
    /// Points that carried load, in the body frame.
    loaded: Vec<Vector3<f64>>,
    evaluations: usize,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
