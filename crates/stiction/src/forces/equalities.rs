//! Equality constraints: couplings of joints and tendons, loops and welds of bodies, welds to mocap bodies.
//!
//! Each is one row or several of the convex problem, near-rigid unless the file gives a stiffness (`stiction_convex::scalar`).

use super::{Force, StepAt};
use crate::methods::support::{Feature, MethodKind, Support};
use crate::step::assemble::Rows;
use nalgebra::{Vector3, Vector6};
use stiction_convex::{PairId, ProblemError, RowCompliance, RowLaw};
use stiction_model::{Equality, EqualityKind};

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
        .note(MethodKind::Derivatives, "by differences"),
}];

pub(crate) struct Equalities;

impl Force for Equalities {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        for (index, equality) in at.compiled.world.equalities.iter().enumerate().filter(|(_, e)| e.active) {
            let drift = at.kinematics.coupling_drifts[index];
            add(&EqualityRows { at, equality, drift }, rows)?;
        }
        Ok(())
    }
}

/// One equality in a step.
struct EqualityRows<'a> {
    at: &'a StepAt<'a>,
    equality: &'a Equality,
    /// Separation acceleration of its points and axes at zero joint acceleration.
    drift: [f64; 2],
}

impl EqualityRows<'_> {
    fn law(&self, phi: f64, drift: f64) -> RowLaw {
        let compliance = match self.equality.stiffness {
            None => RowCompliance::near_rigid(drift),
            Some(stiffness) => RowCompliance::spring(stiffness, self.equality.relaxation_time),
        };
        RowLaw::Equality { phi, compliance }
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

    /// Three rows that hold a pair's twist along `first`, `first` + 1, `first` + 2 against the errors `gap`.
    fn hold(
        &self,
        bodies: (usize, usize),
        (pair, point): (PairId, Vector3<f64>),
        first: usize,
        gap: &Vector3<f64>,
        rows: &mut Rows,
    ) -> Result<(), ProblemError> {
        let drift = self.drift[usize::from(first == 0)];
        for k in 0..3 {
            let mut direction = Vector6::zeros();
            direction[first + k] = 1.0;
            rows.add_coupling(pair, bodies, point, direction, self.law(gap[k], drift))?;
        }
        Ok(())
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
            let middle = 0.5 * (p_a + p_b);
            let pair = this.pair((body_a, body_b), middle, rows)?;
            this.hold((body_a, body_b), (pair, middle), 3, &(p_b - p_a), rows)?;
        }
        EqualityKind::Weld { body_a, body_b, pose_ab, point_b } => {
            let wanted = kinematics.x_wb[body_a] * pose_ab;
            let p_a = (wanted * nalgebra::Point3::from(point_b)).coords;
            let p_b = kinematics.point(body_b, &point_b);
            let middle = 0.5 * (p_a + p_b);
            let pair = this.pair((body_a, body_b), middle, rows)?;
            this.hold((body_a, body_b), (pair, middle), 3, &(p_b - p_a), rows)?;
            let turn = (kinematics.x_wb[body_b].rotation * wanted.rotation.inverse()).scaled_axis();
            this.hold((body_a, body_b), (pair, middle), 0, &turn, rows)?;
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
            rows.add_coupling(pair, (body_a, body_b), p_a, direction, this.law(length - distance, drift))?;
        }
    }
    Ok(())
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
