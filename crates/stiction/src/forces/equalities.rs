//! Equality constraints: couplings of joints and tendons, loops and welds of bodies, welds to mocap bodies.
//!
//! Each is one row or several of the convex problem, near-rigid unless the file gives a stiffness (`stiction_convex::scalar`).

use super::{Force, StepAt};
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Model;
use crate::step::assemble::{EqualityError, Rows};
use nalgebra::{Vector3, Vector6};
use stiction_convex::scalar::made_in_a_step;
use stiction_convex::{Constraint, PairId, ProblemError, RowCompliance, RowLaw};
use stiction_model::{Equality, EqualityKind, Warning};

const FEATURES: [Feature; 1] = [Feature {
    name: "active equality constraints",
    find: |world, _| {
        let e = world.equalities.iter().find(|e| e.active)?;
        Some(format!("{}: equality \"{}\" couples joints or bodies", e.source, e.name))
    },
    support: Support::EVERYWHERE
        .without(MethodKind::Continuous, "make it inactive, or model it by a joint or a spring")
        .without(MethodKind::Learned, "make it inactive")
        .without(MethodKind::Rigid, "make it inactive, or model the mechanism as a tree")
        .note(MethodKind::Derivatives, "by differences")
        .without(MethodKind::Gpu, "make it inactive"),
}];

pub(crate) struct Equalities;

impl Force for Equalities {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, world: &stiction_model::World) -> bool {
        world.bodies.iter().all(|b| !b.mocap)
    }

    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        for (index, equality) in at.compiled.world.equalities.iter().enumerate().filter(|(_, e)| e.active) {
            let drift = at.kinematics.coupling_drifts[index];
            add(&EqualityRows { at, index, equality, drift }, rows)?;
        }
        Ok(())
    }
}

/// One equality in a step.
struct EqualityRows<'a> {
    at: &'a StepAt<'a>,
    index: usize,
    equality: &'a Equality,
    /// Separation acceleration of its points and axes at zero joint acceleration.
    drift: [f64; 2],
}

impl EqualityRows<'_> {
    /// The compliance that the file gives.
    fn compliance(&self, drift: f64) -> RowCompliance {
        match self.equality.stiffness {
            None => RowCompliance::near_rigid(drift),
            Some(stiffness) => RowCompliance::spring(stiffness, self.equality.relaxation_time),
        }
    }

    /// The law of an equality of one row.
    fn law(&self, phi: f64, drift: f64) -> RowLaw {
        RowLaw::single_equality(phi, self.compliance(drift))
    }

    /// The pair of the moving bodies that carry two bodies, about a world point.
    fn pair(
        &self,
        bodies: (usize, usize),
        point: Vector3<f64>,
        rows: &mut Rows,
    ) -> Result<PairId, ProblemError> {
        let carrier = &self.at.compiled.carrier;
        rows.pair(
            self.at.compiled,
            self.at.state,
            self.at.kinematics,
            (carrier[bodies.0], carrier[bodies.1]),
            point,
        )
    }

    /// Three rows against a distance `gap` between two points of a pair, and three against the rotation `turn` between
    /// their frames if they have to agree.
    fn hold(
        &self,
        bodies: (usize, usize),
        (p_a, p_b): (Vector3<f64>, Vector3<f64>),
        turn: Option<Vector3<f64>>,
        rows: &mut Rows,
    ) -> Result<(), ProblemError> {
        let point = 0.5 * (p_a + p_b);
        let pair = self.pair(bodies, point, rows)?;
        let gap = p_b - p_a;
        let constraint = Constraint {
            gap: gap.norm(),
            gap_drift: self.drift[0],
            angle: turn.map_or(0.0, |turn| turn.norm()),
            angle_drift: self.drift[1],
        };
        self.record(&constraint, rows);
        let parts = [(3, Some(gap), self.drift[0]), (0, turn, self.drift[1])];
        for (first, error, drift) in parts {
            let Some(error) = error else { continue };
            for k in 0..3 {
                let mut direction = Vector6::zeros();
                direction[first + k] = 1.0;
                let compliance = self.compliance(drift);
                let law = RowLaw::Equality { phi: error[k], compliance, constraint, held: None };
                rows.add_coupling(pair, bodies, point, direction, law)?;
            }
        }
        Ok(())
    }

    /// Records the error of the equality for the report.
    fn record(&self, constraint: &Constraint, rows: &mut Rows) {
        let made = |drift| made_in_a_step(drift, self.at.dt);
        let missed = self.equality.stiffness.is_none()
            && (constraint.gap > made(constraint.gap_drift)
                || constraint.angle > made(constraint.angle_drift));
        let &Constraint { gap, angle, .. } = constraint;
        rows.log.equality_errors.push(EqualityError { equality: self.index, gap, angle, missed });
    }

    /// Velocity coordinate of a joint, and its position from its reference.
    fn joint(&self, (body, index): (usize, usize)) -> (usize, f64) {
        let (compiled, state) = (self.at.compiled, self.at.state);
        let joint = super::tendons::joint_at(&compiled.multibody, (body, index));
        (joint.v.start, state.q[joint.q.start] - compiled.world.bodies[body].joints[index].reference[0])
    }
}

fn add(this: &EqualityRows, rows: &mut Rows) -> Result<(), ProblemError> {
    let (compiled, kinematics) = (this.at.compiled, this.at.kinematics);
    match this.equality.kind {
        EqualityKind::Joint { first, second, coefficients: c } => {
            let (dof, x) = this.joint(first);
            let Some(second) = second else {
                return rows.add_row(compiled, &[(dof, 1.0)], this.law(x - c[0], 0.0));
            };
            let (other, d) = this.joint(second);
            let (value, slope) = polynomial(&c, d);
            let drift = curvature(&c, d).abs() * kinematics.v[other].powi(2);
            rows.add_row(compiled, &[(dof, 1.0), (other, -slope)], this.law(x - value, drift))?;
        }
        EqualityKind::Tendon { first, second, coefficients: c } => {
            let (tendons, v) = (&kinematics.tendons, &kinematics.v);
            let stretch = |t: usize| tendons.lengths[t] - compiled.tendons.default_length[t];
            let (value, slope) = second.map_or((c[0], 0.0), |t| polynomial(&c, stretch(t)));
            let second = second.unwrap_or(first); // the slope is zero if there is none
            let row = &mut rows.log.scratch;
            row.clear();
            row.extend_from_slice(tendons.row(first));
            for &(dof, arm) in tendons.row(second) {
                match row.iter_mut().find(|(other, _)| *other == dof) {
                    Some((_, sum)) => {
                        let (minuend, part) = (*sum, slope * arm);
                        *sum -= part;
                        // What two equal arms leave is their rounding error, not a direction.
                        if sum.abs() <= ARM_ROUNDING * (minuend.abs() + part.abs()) {
                            *sum = 0.0;
                        }
                    }
                    None => row.push((dof, -slope * arm)),
                }
            }
            let bias = tendons.biases[first] - slope * tendons.biases[second];
            let by_rate = curvature(&c, stretch(second)).abs() * tendons.rate(second, v).powi(2);
            let drift = tendons.drift(first, v) + slope.abs() * tendons.drift(second, v) + by_rate;
            let row = rows.problem.add_row(row, bias, this.law(stretch(first) - value, drift))?;
            rows.log.tendons.push((row, first, 1.0));
            rows.log.tendons.push((row, second, -slope));
        }
        EqualityKind::Connect { body_a, body_b, point_a, point_b } => {
            let (p_a, p_b) = (kinematics.point(body_a, &point_a), kinematics.point(body_b, &point_b));
            this.hold((body_a, body_b), (p_a, p_b), None, rows)?;
        }
        EqualityKind::Weld { body_a, body_b, pose_ab, point_b } => {
            let wanted = kinematics.x_wb[body_a] * pose_ab;
            let p_a = (wanted * nalgebra::Point3::from(point_b)).coords;
            let p_b = kinematics.point(body_b, &point_b);
            let turn = (kinematics.x_wb[body_b].rotation * wanted.rotation.inverse()).scaled_axis();
            this.hold((body_a, body_b), (p_a, p_b), Some(turn), rows)?;
        }
        EqualityKind::Distance { body_a, body_b, point_a, point_b, distance } => {
            let (p_a, p_b) = (kinematics.point(body_a, &point_a), kinematics.point(body_b, &point_b));
            let length = (p_b - p_a).norm();
            // Coincident points have no direction. Any direction can separate them.
            let u = if length > 1e-12 { (p_b - p_a) / length } else { Vector3::z() };
            let pair = this.pair((body_a, body_b), p_a, rows)?;
            let direction = Vector6::new(0.0, 0.0, 0.0, u.x, u.y, u.z);
            let velocity = |body: usize, p: &Vector3<f64>| {
                compiled.multibody.point_velocity(&kinematics.workspace, body, p)
            };
            let speed = (velocity(body_b, &p_b) - velocity(body_a, &p_a)).norm();
            let drift = this.drift[0] + speed * speed / length.max(SHORTEST_LINE);
            let constraint =
                Constraint { gap: (length - distance).abs(), gap_drift: drift, ..Constraint::default() };
            this.record(&constraint, rows);
            rows.add_coupling(pair, (body_a, body_b), p_a, direction, this.law(length - distance, drift))?;
        }
    }
    Ok(())
}

/// Warnings of equalities between bodies with errors that no step can have made.
pub(crate) fn warnings(model: &Model, errors: &[EqualityError]) -> impl Iterator<Item = Warning> {
    errors.iter().filter(|error| error.missed).map(|error| {
        let equality = &model.world().equalities[error.equality];
        let message = format!(
            "equality \"{}\" misses its target by {:.3e} m and {:.3e} rad: the mechanism cannot reach it, other constraints \
             contradict it, or it is still closing; it pulls towards the least error with a limited force",
            equality.name, error.gap, error.angle
        );
        Warning { source: equality.source.clone(), message }
    })
}

/// Fraction of two moment arms below which their difference is a rounding error.
const ARM_ROUNDING: f64 = 1e-12;

/// Least length for the rotation rate of a distance constraint's direction, m: |v|²/l diverges as its points
/// coincide.
const SHORTEST_LINE: f64 = 1e-3;

/// Value and slope of a coupling's polynomial.
fn polynomial(c: &[f64; 5], d: f64) -> (f64, f64) {
    let value = c[0] + d * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
    (value, c[1] + d * (2.0 * c[2] + d * (3.0 * c[3] + d * 4.0 * c[4])))
}

/// Second derivative of a coupling's polynomial.
fn curvature(c: &[f64; 5], d: f64) -> f64 {
    2.0 * c[2] + d * (6.0 * c[3] + d * 12.0 * c[4])
}
