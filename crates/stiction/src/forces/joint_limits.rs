//! Limits of joints: one-sided springs that are near-rigid in a step unless the file gives a stiffness.
//!
//! A row of the convex problem for each limit that the step reaches, be it by its own impulses ([`Rows::add_limit`]).
//!
//! A ball joint turned by θ about n keeps θ ≤ θ_max. Its row acts along n. At the rest orientation there is no n, and a blow
//! from the side changes n within the step. The rotation vector after a step, as if rotations were flat,
//!
//! ```text
//! r = θ n + δt ω
//! ```
//!
//! is at least as long as the true angle after the step: rotations have constant positive curvature, where the third side of a
//! triangle is shorter than in the plane. ‖r‖ ≤ θ_max is convex, and its half-spaces θ_max − m·(θ n + δt ω) ≥ 0, for any unit
//! vector m, are rows. If a solve ends beyond the limit, the row of m = r/‖r‖ is added and the step is solved again, until
//! the excess is what the compliance of the rows explains ([`LimitedBall::tangent`]).
//!
//! In continuous time a limit pushes with k x. One without a stiffness has the stiffness with which the joint's own inertia
//! bounces off in [`LIMIT_TIME`], and dissipation.

use super::{At, Force, StepAt};
use crate::derivatives::joints::DifferentiatedStep;
use crate::methods::support::{Feature, MethodKind, Support};
use crate::model::Model;
use crate::step::assemble::{LimitOf, Rows};
use nalgebra::{DMatrix, Quaternion, Unit, UnitQuaternion, Vector3};
use stiction_convex::scalar::ScalarLaw;
use stiction_convex::{Problem, ProblemError, RowCompliance, RowLaw};
use stiction_model::World;
use stiction_multibody::{MassMatrix, Multibody, Workspace};

/// Half a period of a joint's own inertia on its limit in continuous time, if the model gives no stiffness, s.
pub const LIMIT_TIME: f64 = 5e-3;

/// Dissipation of such a limit, s/m or s/rad.
const LIMIT_DISSIPATION: f64 = 2.0;

/// Gap, m or rad, below which a limit has a row at any speed.
const NEAR: f64 = 1e-3;

/// A limit within this gap has a row from the beginning of the solve. The gap is slightly more than the distance
/// covered in a step at twice the speed. It affects only the cost: if the impulses of the step reach a limit beyond
/// it, a row is added and the step is solved again; a limit within it that is not reached costs a row.
pub(super) fn expected_reach(dt: f64, speed: f64) -> f64 {
    NEAR + 2.0 * dt * speed
}

/// Solves of a step for ball joints that turn beyond their limits. Each new row is tangent to the limit at the last solution, so
/// two or three are usual.
pub(crate) const TURN_PASSES: usize = 12;

/// Angle beyond a ball joint's limit, in addition to what the compliance of its rows explains, for which the step is solved
/// again, rad. The turning of the axis over a step causes (δt ω)²/4 at most where no blow acts; the next step's row
/// takes that back.
const TURNED: f64 = 1e-4;

/// Least angle for the rotation rate of a ball joint's axis, rad: |ω|²/angle diverges at the identity.
const SMALLEST_ANGLE: f64 = 0.1;

const FEATURES: [Feature; 2] = [
    Feature {
        name: "limits of hinges and slides",
        find: |world, _| find(world, false),
        support: Support::EVERYWHERE
            .note(MethodKind::Continuous, "as springs")
            .without(MethodKind::Learned, "remove the limits")
            .note(MethodKind::Rigid, "as stops that a joint hits"),
    },
    Feature {
        name: "limits of ball joints",
        find: |world, _| find(world, true),
        support: Support::EVERYWHERE
            .note(MethodKind::Continuous, "as springs")
            .without(MethodKind::Learned, "remove the limits")
            .without(MethodKind::Rigid, "remove the limits")
            .note(
                MethodKind::Derivatives,
                "by differences, but not of a step that drives a joint into its limit",
            )
            .without(MethodKind::Gpu, "remove the limits"),
    },
];

fn find(world: &World, ball: bool) -> Option<String> {
    let mut joints = world.bodies.iter().flat_map(|b| &b.joints);
    let limited =
        |j: &&stiction_model::Joint| j.dofs.iter().any(|d| d.lower.is_finite() || d.upper.is_finite());
    let joint = joints.find(|j| limited(j) && matches!(j.kind, stiction_model::JointKind::Ball) == ball)?;
    Some(format!("{}: joint \"{}\" has limits", joint.source, joint.name))
}

/// The limits of a model.
#[derive(Default)]
pub(crate) struct Limits {
    pub coordinates: Vec<LimitedCoordinate>,
    pub balls: Vec<LimitedBall>,
}

/// A coordinate with position limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedCoordinate {
    pub q: usize,
    pub v: usize,
    pub lower: f64,
    pub upper: f64,
    /// Stiffness from the file, N/m or N m/rad.
    pub stiffness: Option<f64>,
    spring: Spring,
}

/// A ball joint whose angle of rotation is bounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitedBall {
    q: usize,
    v: usize,
    upper: f64,
    stiffness: Option<f64>,
    spring: Spring,
}

/// A limit as a force: stiffness and dissipation.
#[derive(Clone, Copy, Debug)]
struct Spring {
    stiffness: f64,
    dissipation: f64,
}

impl Spring {
    /// Force at depth `x` (m or rad) that grows at `rate`.
    fn force(&self, x: f64, rate: f64) -> f64 {
        if x > 0.0 { self.stiffness * x * (1.0 + self.dissipation * rate).max(0.0) } else { 0.0 }
    }
}

impl Limits {
    pub fn new(multibody: &Multibody) -> Self {
        let mut this = Self::default();
        let mut inertia = None;
        let mut spring = |stiffness: Option<f64>, v: usize| match stiffness {
            Some(stiffness) => Spring { stiffness, dissipation: 0.0 },
            None => {
                let inertia: &MassMatrix = inertia.get_or_insert_with(|| {
                    let (mut workspace, mut mass) = (Workspace::new(multibody), MassMatrix::new(multibody));
                    multibody.positions(multibody.default_q(), &mut workspace);
                    multibody.mass_matrix(&mut workspace, &mut mass);
                    mass
                });
                let stiffness = inertia.get(v, v) * (std::f64::consts::PI / LIMIT_TIME).powi(2);
                Spring { stiffness, dissipation: LIMIT_DISSIPATION }
            }
        };
        for joint in multibody.joints() {
            let stiffness = joint.limit_stiffness;
            let dofs = &multibody.dofs()[joint.v.clone()];
            match joint.q.len() {
                4 if dofs[0].upper.is_finite() => {
                    let (q, v) = (joint.q.start, joint.v.start);
                    let (upper, spring) = (dofs[0].upper, spring(stiffness, v));
                    this.balls.push(LimitedBall { q, v, upper, stiffness, spring });
                }
                4 | 7 => {}
                _ => {
                    for ((q, v), dof) in joint.q.clone().zip(joint.v.clone()).zip(dofs) {
                        if dof.lower.is_finite() || dof.upper.is_finite() {
                            let (lower, upper, spring) = (dof.lower, dof.upper, spring(stiffness, v));
                            this.coordinates.push(LimitedCoordinate {
                                q,
                                v,
                                lower,
                                upper,
                                stiffness,
                                spring,
                            });
                        }
                    }
                }
            }
        }
        this
    }
}

impl LimitedCoordinate {
    /// Distances to the lower and the upper limit, with the direction in which each pushes.
    pub fn gaps(&self, q: &[f64]) -> [(f64, f64); 2] {
        [(q[self.q] - self.lower, 1.0), (self.upper - q[self.q], -1.0)]
    }

    /// The law of its row at the gap `phi` in a step of `dt`.
    pub fn law(&self, phi: f64, dt: f64) -> RowLaw {
        RowLaw::Limit { phi, compliance: self.compliance(dt) }
    }

    /// Compliance of its rows in a step of `dt`.
    fn compliance(&self, dt: f64) -> RowCompliance {
        self.stiffness.map_or(RowCompliance::default(), |k| RowCompliance::spring(k, dt))
    }
}

impl LimitedBall {
    /// Compliance of its rows in a step of `dt` from the angle `angle` at joint speeds `v0`.
    fn compliance(&self, angle: f64, v0: &[f64], dt: f64) -> RowCompliance {
        let speed = self.speed(v0);
        let drift = speed * speed / angle.max(SMALLEST_ANGLE);
        self.stiffness.map_or(RowCompliance::near_rigid(drift), |k| RowCompliance::spring(k, dt))
    }

    /// A bound on the rate of the angle, rad/s.
    fn speed(&self, v0: &[f64]) -> f64 {
        v0[self.v..self.v + 3].iter().map(|v| v.abs()).sum()
    }

    /// The half-space that is tangent to the limit where the velocities `v` lead from `q` to `q_next`, as the coefficients of a
    /// row and its gap φ. `None` if the angle stays within the limit, or exceeds it by no more than the rows with the directions
    /// of `known` do.
    pub fn tangent(
        &self,
        (q, q_next): (&[f64], &[f64]),
        v: &[f64],
        dt: f64,
        known: impl Iterator<Item = Vector3<f64>>,
    ) -> Option<Tangent> {
        let begin = self.turn(q).map_or(Vector3::zeros(), |(axis, angle)| axis.into_inner() * angle);
        let flat = begin + Vector3::new(v[self.v], v[self.v + 1], v[self.v + 2]) * dt;
        // Beyond half a turn the angle of the orientation is that of the other way round.
        let length = flat.norm();
        let angle = if length < std::f64::consts::PI {
            self.turn(q_next).map_or(0.0, |(_, angle)| angle)
        } else {
            length
        };
        let own = begin.try_normalize(1e-9);
        let yielded = known.chain(own).map(|m| m.dot(&flat) - self.upper).fold(0.0, f64::max);
        // Two rows in nearly the same direction would double the stiffness of a limit that yields.
        let springs = self.stiffness.is_some() && yielded > 0.0;
        if springs || angle - self.upper <= yielded + TURNED {
            return None;
        }
        let direction = flat / length;
        let arms = [0, 1, 2].map(|k| (self.v + k, -direction[k]));
        Some(Tangent { direction, arms, phi: self.upper - direction.dot(&begin) })
    }

    /// Axis and angle of the rotation. `None` near the identity, where the axis is undefined.
    fn turn(&self, q: &[f64]) -> Option<(Unit<Vector3<f64>>, f64)> {
        let q = &q[self.q..self.q + 4];
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]));
        Unit::try_new_and_get(turn.scaled_axis(), 1e-9)
    }
}

/// A half-space φ + δt Σ arm · v ≥ 0 that contains all rotations within a ball joint's limit.
pub(crate) struct Tangent {
    pub direction: Vector3<f64>,
    arms: [(usize, f64); 3],
    phi: f64,
}

impl Limits {
    /// Adds rows for the ball joints that the motion from `q` to `q_next` turns beyond their limits: the ball and the direction
    /// of each is appended to `turned`. Returns whether there are any.
    pub fn add_turned(
        &self,
        multibody: &Multibody,
        (q, q_next): (&[f64], &[f64]),
        (v0, v, dt): (&[f64], &[f64], f64),
        problem: &mut Problem,
        turned: &mut Vec<(usize, Vector3<f64>)>,
    ) -> Result<bool, ProblemError> {
        let before = turned.len();
        for (k, ball) in self.balls.iter().enumerate().filter(|(_, ball)| !multibody.locked()[ball.v]) {
            let known = turned.iter().filter(|(of, _)| *of == k).map(|(_, direction)| *direction);
            let Some(tangent) = ball.tangent((q, q_next), v, dt, known) else { continue };
            let angle = ball.turn(q).map_or(0.0, |(_, angle)| angle);
            let law = RowLaw::Limit { phi: tangent.phi, compliance: ball.compliance(angle, v0, dt) };
            problem.add_row(&tangent.arms, 0.0, law)?;
            turned.push((k, tangent.direction));
        }
        Ok(turned.len() > before)
    }
}

pub(crate) struct JointLimits;

impl Force for JointLimits {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, _: &stiction_model::World) -> bool {
        true
    }

    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        let (dt, v0) = (at.dt, &at.kinematics.v);
        let limits = &at.compiled.limits;
        let locked = at.compiled.multibody.locked();
        let near_rigid = RowCompliance::default().span(dt);
        for limit in limits.coordinates.iter().enumerate().filter(|(_, limit)| !locked[limit.v]) {
            let reach = expected_reach(dt, v0[limit.1.v].abs());
            let span = limit.1.stiffness.map_or(near_rigid, |_| limit.1.compliance(dt).span(dt));
            for gap in limit.1.gaps(&at.state.q) {
                rows.add_coordinate_limit(limit, gap, span, reach)?;
            }
        }
        for limit in limits.balls.iter().filter(|limit| !locked[limit.v]) {
            let Some((axis, angle)) = limit.turn(&at.state.q) else { continue };
            // The angle's rate is the angular velocity along the axis, which has the same components in both frames.
            let arms = [(limit.v, -axis.x), (limit.v + 1, -axis.y), (limit.v + 2, -axis.z)];
            let law = (limit.upper - angle, limit.compliance(angle, v0, dt));
            rows.add_limit(&arms, 0.0, law, expected_reach(dt, limit.speed(v0)), LimitOf::Ball)?;
        }
        Ok(())
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        let (q, v) = (at.q, &at.kinematics.v);
        for limit in &at.compiled.limits.coordinates {
            let [(low, _), (high, _)] = limit.gaps(q);
            out[limit.v] += limit.spring.force(-low, -v[limit.v]);
            out[limit.v] -= limit.spring.force(-high, v[limit.v]);
        }
        for limit in &at.compiled.limits.balls {
            let Some((axis, angle)) = limit.turn(q) else { continue };
            // The angle's rate is the angular velocity along the axis, which has the same components in both frames.
            let rate = (0..3).map(|k| axis[k] * v[limit.v + k]).sum();
            let force = limit.spring.force(angle - limit.upper, rate);
            (0..3).for_each(|k| out[limit.v + k] -= force * axis[k]);
        }
    }

    fn has_derivatives(&self, model: &Model) -> bool {
        model.compiled().limits.balls.is_empty()
    }

    /// A limit's row has ∓γ in the residual, γ = (−φ/(δt + τ) ∓ v⁺)₊/R, with R ∝ w = 1/A_kk where it is near-rigid.
    fn derivatives(&self, step: &DifferentiatedStep, rhs: &mut DMatrix<f64>) {
        let (dt, model) = (step.dt, step.model);
        for limit in &model.compiled().limits.coordinates {
            let k = limit.v;
            if model.multibody().locked()[k] {
                continue;
            }
            let w = 1.0 / (step.free.mass.get(k, k) + step.free.added[k]);
            for (phi, sign) in limit.gaps(&step.state.q) {
                if !phi.is_finite() {
                    continue;
                }
                let law = RowLaw::Limit { phi, compliance: limit.compliance(dt) };
                let ScalarLaw::Spring { inv_r, v_hat, .. } = law.compile(dt, w) else { continue };
                let gamma = inv_r * (v_hat - sign * step.v[k]);
                if gamma <= 0.0 {
                    continue;
                }
                // v̂ = −φ/span, and 1/R ∝ 1/w unless the limit's own spring is the softer one.
                rhs[(k, k)] -= sign * inv_r * law.limit_slope(dt) * sign;
                let ScalarLaw::Spring { inv_r: softer, .. } = law.compile(dt, 2.0 * w) else { continue };
                if softer < 0.75 * inv_r {
                    // ∂γ/∂w = −γ/w, ∂w/∂q_j = −w² ∂A_kk/∂q_j
                    for j in 0..rhs.nrows() {
                        rhs[(k, j)] -= sign * gamma * w * step.diagonal[(k, j)];
                    }
                }
            }
        }
    }
}
