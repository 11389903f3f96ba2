//! Rows of the problem: loops and couplings, joint limits, servos with limited force.

use crate::actuation::{Drive, LimitedBall, LimitedCoordinate};
use crate::assemble::{Assembler, Coupling};
use crate::compiled::Compiled;
use crate::free_motion::FreeMotion;
use crate::state::State;
use crate::transmission::Link;
use nalgebra::{Unit, UnitQuaternion, Vector3, Vector6};
use stiction_convex::{PairId, Problem, ProblemError, RowCompliance, RowLaw};
use stiction_model::EqualityKind;

impl Assembler {
    /// Rows of a coupling between joints or bodies.
    pub fn equality(
        &mut self,
        compiled: &Compiled,
        state: &State,
        free: &FreeMotion,
        index: usize,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        let equality = &compiled.world.equalities[index];
        let [bend, bend_of_turn] = free.bends[index];
        let law = |phi: f64, bend: f64| {
            let compliance = match equality.stiffness {
                None => RowCompliance::near_rigid(bend),
                Some(stiffness) => RowCompliance::spring(stiffness, equality.relaxation_time),
            };
            RowLaw::Equality { phi, compliance }
        };
        let carriers = |a: usize, b: usize| (compiled.carrier[a], compiled.carrier[b]);
        match equality.kind {
            EqualityKind::Joint { first, second, coefficients: c } => {
                let place = |(body, index): (usize, usize)| {
                    let joint =
                        compiled.multibody.joints().iter().find(|j| j.body == body && j.index == index);
                    let joint = joint.expect("a validated equality couples existing joints");
                    let reference = compiled.world.bodies[body].joints[index].reference[0];
                    (joint.v.start, state.q[joint.q.start] - reference)
                };
                let (dof, x) = place(first);
                let Some(second) = second else {
                    return problem.add_row(&[(dof, 1.0)], 0.0, law(x - c[0], 0.0)).map(|_| ());
                };
                let (other, d) = place(second);
                let (value, slope) = polynomial(&c, d);
                let bend = curvature(&c, d).abs() * free.v0[other].powi(2);
                problem.add_row(&[(dof, 1.0), (other, -slope)], 0.0, law(x - value, bend))?;
            }
            EqualityKind::Tendon { first, second, coefficients: c } => {
                let tendons = &free.tendons;
                let stretch = |t: usize| tendons.lengths[t] - compiled.tendons.default_length[t];
                let (value, slope) = second.map_or((c[0], 0.0), |t| polynomial(&c, stretch(t)));
                let second = second.unwrap_or(first); // its slope is nought where there is none
                self.row.clear();
                self.row.extend_from_slice(tendons.row(first));
                for &(dof, arm) in tendons.row(second) {
                    match self.row.iter_mut().find(|(other, _)| *other == dof) {
                        Some((_, sum)) => *sum -= slope * arm,
                        None => self.row.push((dof, -slope * arm)),
                    }
                }
                let bias = tendons.biases[first] - slope * tendons.biases[second];
                let by_rate = curvature(&c, stretch(second)).abs() * tendons.rate(second, &free.v0).powi(2);
                let bend =
                    tendons.bend(first, &free.v0) + slope.abs() * tendons.bend(second, &free.v0) + by_rate;
                let row = problem.add_row(&self.row, bias, law(stretch(first) - value, bend))?;
                self.tendons.rows.push((row, first, 1.0));
                self.tendons.rows.push((row, second, -slope));
            }
            EqualityKind::Connect { body_a, body_b, point_a, point_b } => {
                let (p_a, p_b) = (at(free, body_a, &point_a), at(free, body_b, &point_b));
                let middle = 0.5 * (p_a + p_b);
                let pair = self.pair(compiled, state, free, carriers(body_a, body_b), middle, problem)?;
                self.hold((body_a, body_b), middle, pair, 3, &(p_b - p_a), |phi| law(phi, bend), problem)?;
            }
            EqualityKind::Weld { body_a, body_b, pose_ab, point_b } => {
                let wanted = free.x_wb[body_a] * pose_ab;
                let (p_a, p_b) =
                    ((wanted * nalgebra::Point3::from(point_b)).coords, at(free, body_b, &point_b));
                let middle = 0.5 * (p_a + p_b);
                let pair = self.pair(compiled, state, free, carriers(body_a, body_b), middle, problem)?;
                self.hold((body_a, body_b), middle, pair, 3, &(p_b - p_a), |phi| law(phi, bend), problem)?;
                let turn = (free.x_wb[body_b].rotation * wanted.rotation.inverse()).scaled_axis();
                self.hold((body_a, body_b), middle, pair, 0, &turn, |phi| law(phi, bend_of_turn), problem)?;
            }
            EqualityKind::Distance { body_a, body_b, point_a, point_b, distance } => {
                let (p_a, p_b) = (at(free, body_a, &point_a), at(free, body_b, &point_b));
                let length = (p_b - p_a).norm();
                // Points that coincide have no direction; any will do to push them apart.
                let u = if length > 1e-12 { (p_b - p_a) / length } else { Vector3::z() };
                let pair = self.pair(compiled, state, free, carriers(body_a, body_b), p_a, problem)?;
                let direction = Vector6::new(0.0, 0.0, 0.0, u.x, u.y, u.z);
                let velocity = |body: usize, p: &Vector3<f64>| -> Vector3<f64> {
                    let twist = compiled.multibody.twist(&free.workspace, body);
                    let w: Vector3<f64> = twist.fixed_rows::<3>(0).into();
                    twist.fixed_rows::<3>(3) + w.cross(&(p - free.x_wb[body].translation.vector))
                };
                let speed = (velocity(body_b, &p_b) - velocity(body_a, &p_a)).norm();
                let bend = bend + speed * speed / length.max(1e-3);
                let row = problem.add_pair_row(pair, direction, law(length - distance, bend))?;
                self.couplings.push(Coupling { row, bodies: (body_a, body_b), point: p_a, direction });
            }
        }
        Ok(())
    }

    /// Three rows that hold a pair's twist along `first`, `first` + 1, `first` + 2 against the errors `gap`.
    fn hold(
        &mut self,
        bodies: (usize, usize),
        point: Vector3<f64>,
        pair: PairId,
        first: usize,
        gap: &Vector3<f64>,
        law: impl Fn(f64) -> RowLaw,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        for k in 0..3 {
            let mut direction = Vector6::zeros();
            direction[first + k] = 1.0;
            let row = problem.add_pair_row(pair, direction, law(gap[k]))?;
            self.couplings.push(Coupling { row, bodies, point, direction });
        }
        Ok(())
    }
}

/// Value and slope of a coupling's polynomial.
fn polynomial(c: &[f64; 5], d: f64) -> (f64, f64) {
    let value = c[0] + d * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
    (value, c[1] + d * (2.0 * c[2] + d * (3.0 * c[3] + d * 4.0 * c[4])))
}

/// Second derivative of a coupling's polynomial.
fn curvature(c: &[f64; 5], d: f64) -> f64 {
    2.0 * c[2] + d * (6.0 * c[3] + d * 12.0 * c[4])
}

fn at(free: &FreeMotion, body: usize, point: &Vector3<f64>) -> Vector3<f64> {
    (free.x_wb[body] * nalgebra::Point3::from(*point)).coords
}

/// RowCompliance of a joint limit.
pub(crate) fn limit_compliance(stiffness: Option<f64>, dt: f64) -> RowCompliance {
    stiffness.map_or(RowCompliance::default(), |k| RowCompliance::spring(k, dt))
}

/// Rows for the limits of a coordinate that this step may reach: those within twice the distance that its
/// previous and its free velocity cover. A limit left out is one that would not act.
pub(crate) fn limit_rows(
    limit: &LimitedCoordinate,
    state: &State,
    free: &FreeMotion,
    dt: f64,
    rows: &mut Vec<(usize, usize)>,
    problem: &mut Problem,
) -> Result<(), ProblemError> {
    let q = state.q[limit.q];
    let reach = 1e-3 + 2.0 * dt * (free.v0[limit.v].abs() + free.v_star[limit.v].abs());
    let compliance = limit_compliance(limit.stiffness, dt);
    for (phi, sign) in [(q - limit.lower, 1.0), (limit.upper - q, -1.0)] {
        if phi < reach {
            let row = problem.add_row(&[(limit.v, sign)], 0.0, RowLaw::Limit { phi, compliance })?;
            rows.push((row, limit.v));
        }
    }
    Ok(())
}

/// The row of a ball joint whose angle may reach its limit.
pub(crate) fn ball_limit_row(
    limit: &LimitedBall,
    state: &State,
    free: &FreeMotion,
    dt: f64,
    problem: &mut Problem,
) -> Result<(), ProblemError> {
    let q = &state.q[limit.q..limit.q + 4];
    let turn =
        UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3])).scaled_axis();
    let Some((axis, angle)) = Unit::try_new_and_get(turn, 1e-9) else { return Ok(()) };
    let speed: f64 = (0..3).map(|k| free.v0[limit.v + k].abs() + free.v_star[limit.v + k].abs()).sum();
    let phi = limit.upper - angle;
    if phi >= 1e-3 + 2.0 * dt * speed {
        return Ok(());
    }
    // The angle's rate is the angular velocity along the axis, which has the same components in both frames.
    let coefficients = [(limit.v, -axis.x), (limit.v + 1, -axis.y), (limit.v + 2, -axis.z)];
    let bend = speed * speed / angle.max(0.1);
    let compliance =
        limit.stiffness.map_or(RowCompliance::near_rigid(bend), |k| RowCompliance::spring(k, dt));
    problem.add_row(&coefficients, 0.0, RowLaw::Limit { phi, compliance }).map(|_| ())
}

/// The row of an actuator that is limited, or whose implicit part couples coordinates.
pub(crate) fn drive_row(
    row: usize,
    drive: &Drive,
    free: &FreeMotion,
    problem: &mut Problem,
) -> Result<(), ProblemError> {
    let (servo, arms) = (&free.servos[row], free.drives.row(row));
    if matches!(drive.link, Link::Adhesion { .. }) || !drive.needs_row(servo, arms.len()) {
        return Ok(()); // part of A and v*
    }
    let (middle, half) = if drive.limited() {
        let [low, high] = drive.force_range;
        (0.5 * (low + high), 0.5 * (high - low))
    } else {
        (0.0, f64::INFINITY)
    };
    let law = RowLaw::Pd {
        proportional: servo.proportional,
        derivative: servo.derivative,
        position_error: 0.0,
        target_velocity: 0.0,
        feed_forward: servo.force - middle,
        effort_limit: half,
    };
    problem.add_row(arms, free.drives.biases[row], law).map(|_| ())
}
