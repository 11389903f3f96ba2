//! Tendons: springs, dampers, limits, friction and inertia along a length (`tendon_path.rs`).
//!
//! | part | in the problem |
//! |---|---|
//! | spring with rest lengths l₋ ≤ l₊ | f = k (l₋ − l)₊ − k (l − l₊)₊ at the end of the step: one linear row if l₋ = l₊, else two one-sided ones |
//! | damping | in the same linear row, or one of its own |
//! | limits | one-sided rows, near-rigid |
//! | friction | a row of dry friction |
//! | armature a | −a (l̇ − l̇₀ − δt d)/δt, d the second derivative of the length at zero joint acceleration |

use super::tendon_path::{Part, add_path, pulls, walk};
use super::{At, Force, StepAt, WrenchVisitor};
use crate::forces::joint_limits::expected_reach;
use crate::forces::moments::{Moments, Pattern, Place};
use crate::methods::support::{Feature, MethodKind, Support};
use crate::step::assemble::{LimitOf, Rows};
use crate::step::kinematics::acceleration_at;
use nalgebra::{DMatrix, Vector3, Vector6};
use stiction_convex::{ProblemError, RowCompliance, RowLaw};
use stiction_model::{PathStage, Pose, Tendon, TendonPath, World};
use stiction_multibody::{JointInfo, Multibody, Workspace};

/// Constant data of the tendons.
#[derive(Default)]
pub(crate) struct Tendons {
    pub pattern: Pattern,
    /// For each tendon over joints: (position coordinate, velocity coordinate, coefficient).
    fixed: Vec<Vec<(usize, usize, f64)>>,
    /// Range of lengths in which each spring is slack.
    pub rest: Vec<[f64; 2]>,
    /// Length of each at the default positions.
    pub default_length: Vec<f64>,
    /// Whether any has inertia.
    pub heavy: bool,
    /// Zero accelerations, one for each coordinate.
    at_rest: Vec<f64>,
}

/// The joint at a position of the description.
pub(crate) fn joint_at(multibody: &Multibody, (body, index): (usize, usize)) -> &JointInfo {
    // Joints are in the order of their bodies.
    let joints = multibody.joints();
    let at = joints.binary_search_by_key(&(body, index), |j| (j.body, j.index));
    &joints[at.expect("a validated reference names an existing joint")]
}

impl Tendons {
    /// Finds the coordinates of every tendon; rest lengths are filled in when the model is measured.
    pub fn new(world: &World, multibody: &Multibody) -> Self {
        let (mut pattern, mut fixed) = (Pattern::new(), Vec::new());
        for tendon in &world.tendons {
            let mut terms = Vec::new();
            match &tendon.path {
                TendonPath::Fixed { terms: described } => {
                    terms.extend(described.iter().map(|&(joint, coefficient)| {
                        let joint = joint_at(multibody, joint);
                        (joint.q.start, joint.v.start, coefficient)
                    }));
                    pattern.push(terms.iter().map(|t| t.1).collect());
                }
                TendonPath::Spatial { stages } => {
                    let body = |stage: &PathStage| match *stage {
                        PathStage::Site { site } => Some(world.sites[site].body),
                        PathStage::Wrap { geom, .. } => Some(world.geoms[geom].body),
                        PathStage::Pulley { .. } => None,
                    };
                    pattern.push_bodies(multibody, stages.iter().filter_map(body));
                }
            }
            fixed.push(terms);
        }
        let rest = world.tendons.iter().map(|t| t.rest.unwrap_or_default()).collect();
        let heavy = world.tendons.iter().any(|t| t.armature > 0.0);
        let at_rest = vec![0.0; multibody.nv()];
        Self { pattern, fixed, rest, default_length: vec![0.0; world.tendons.len()], heavy, at_rest }
    }

    /// Length and moment arms of every tendon.
    pub fn update(&self, place: &Place, out: &mut Moments) {
        for (t, tendon) in place.compiled.world.tendons.iter().enumerate() {
            out.clear(t);
            match &tendon.path {
                TendonPath::Fixed { .. } => {
                    let locked = place.compiled.multibody.locked();
                    for &(q, v, coefficient) in &self.fixed[t] {
                        out.lengths[t] += coefficient * place.q[q];
                        let arms = out.row_mut(t);
                        let at = arms.partition_point(|&(dof, _)| dof < v);
                        arms[at].1 += if locked[v] { 0.0 } else { coefficient };
                    }
                }
                TendonPath::Spatial { stages } => add_path(stages, t, place, out),
            }
        }
    }

    /// Second derivatives of the lengths of tendons with inertia at zero joint acceleration, from the velocities in
    /// `workspace`, whose accelerations are overwritten. Tendons over joints have constant arms, and the result is
    /// zero.
    pub fn drifts(
        &self,
        world: &World,
        multibody: &Multibody,
        x_wb: &[Pose],
        workspace: &mut Workspace,
        out: &mut Moments,
    ) {
        multibody.accelerations(&self.at_rest, workspace);
        for (t, tendon) in world.tendons.iter().enumerate().filter(|(_, tendon)| tendon.armature > 0.0) {
            let TendonPath::Spatial { stages } = &tendon.path else { continue };
            out.drifts[t] = 0.0;
            walk(stages, world, x_wb, |part, divisor| {
                let Part::Straight { from, to } = part else { return };
                let along = to.1 - from.1;
                let length = along.norm();
                if from.0 == to.0 || length < 1e-300 {
                    return;
                }
                let moving = |(body, p): (usize, Vector3<f64>)| {
                    let arm = p - x_wb[body].translation.vector;
                    let (_, a) = acceleration_at(multibody, workspace, body, &arm);
                    (multibody.point_velocity(workspace, body, &p), a)
                };
                let ((v_from, a_from), (v_to, a_to)) = (moving(from), moving(to));
                let (v, u) = (v_to - v_from, along / length);
                // l̈ = u · a + |v across u|²/l.
                let across = v - u * u.dot(&v);
                out.drifts[t] += (u.dot(&(a_to - a_from)) + across.norm_squared() / length) / divisor;
            });
        }
    }

    /// Adds the inertia of tendons to a mass matrix, kg or kg m².
    pub fn add_inertia(&self, world: &World, moments: &Moments, mass: &mut DMatrix<f64>) {
        for (t, tendon) in world.tendons.iter().enumerate().filter(|(_, tendon)| tendon.armature > 0.0) {
            for &(i, arm) in moments.row(t) {
                for &(j, other) in moments.row(t) {
                    mass[(i, j)] += tendon.armature * arm * other;
                }
            }
        }
    }

    /// Force of the spring of a tendon at a length.
    pub fn spring_force(&self, t: usize, tendon: &Tendon, length: f64) -> f64 {
        let [low, high] = self.rest[t];
        tendon.stiffness * ((low - length).max(0.0) - (length - high).max(0.0))
    }
}

const FEATURES: [Feature; 1] = [Feature {
    name: "tendons",
    find: |world, _| {
        let t = world.tendons.first()?;
        Some(format!("{}: tendon \"{}\" acts along its length", t.source, t.name))
    },
    support: Support::EVERYWHERE
        .without(MethodKind::Continuous, "remove it")
        .without(MethodKind::Learned, "remove it")
        .without(MethodKind::Rigid, "remove it")
        .note(MethodKind::Derivatives, "by differences")
        .without(MethodKind::Gpu, "remove it"),
}];

pub(crate) struct TendonForces;

impl Force for TendonForces {
    fn features(&self) -> &'static [Feature] {
        &FEATURES
    }

    fn work_is_counted(&self, world: &stiction_model::World) -> bool {
        world.tendons.is_empty()
    }

    fn rows(&self, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
        (0..at.compiled.world.tendons.len()).try_for_each(|t| tendon_rows(t, at, rows))
    }

    fn passive(&self) -> bool {
        true
    }

    fn conservative(&self, at: &mut At, out: &mut [f64]) {
        add_forces(
            at,
            |t, length, _| at.compiled.tendons.spring_force(t, &at.compiled.world.tendons[t], length),
            out,
        );
    }

    fn other(&self, at: &mut At, out: &mut [f64]) {
        add_forces(at, |t, _, rate| -at.compiled.world.tendons[t].damping * rate, out);
    }

    /// Along spatial paths; tendons over joints pull at no body.
    fn wrenches(&self, at: &At, visit: &mut WrenchVisitor) {
        let (world, tendons) = (&at.compiled.world, &at.kinematics.tendons);
        for (t, tendon) in world.tendons.iter().enumerate() {
            let rate = tendons.rate(t, &at.kinematics.v);
            let spring = at.compiled.tendons.spring_force(t, tendon, tendons.lengths[t]);
            pulls(tendon, world, &at.kinematics.x_wb, spring - tendon.damping * rate, |body, point, f| {
                visit(body, point, &Vector6::new(0.0, 0.0, 0.0, f.x, f.y, f.z));
            });
        }
    }

    /// Energy of the springs.
    fn energy(&self, at: &At) -> f64 {
        let stretch = |t: usize| {
            let ([low, high], length) = (at.compiled.tendons.rest[t], at.kinematics.tendons.lengths[t]);
            (length - high).max(0.0) + (low - length).max(0.0)
        };
        let tendons = at.compiled.world.tendons.iter().enumerate();
        tendons.map(|(t, tendon)| 0.5 * tendon.stiffness * stretch(t).powi(2)).sum()
    }

    /// Kinetic energy of tendons with inertia.
    fn kinetic_energy(&self, at: &At) -> f64 {
        let heavy = at.compiled.world.tendons.iter().enumerate().filter(|(_, tendon)| tendon.armature > 0.0);
        let rate = |t: usize| at.kinematics.tendons.rate(t, &at.kinematics.v);
        heavy.map(|(t, tendon)| 0.5 * tendon.armature * rate(t).powi(2)).sum()
    }
}

/// Adds the joint forces of `force(tendon, length, rate)` along each tendon.
fn add_forces(at: &At, force: impl Fn(usize, f64, f64) -> f64, out: &mut [f64]) {
    let tendons = &at.kinematics.tendons;
    for t in 0..at.compiled.world.tendons.len() {
        let f = force(t, tendons.lengths[t], tendons.rate(t, &at.kinematics.v));
        tendons.row(t).iter().for_each(|&(dof, arm)| out[dof] += arm * f);
    }
}

/// Rows of one tendon: spring, damper, limits, inertia, friction.
fn tendon_rows(t: usize, at: &StepAt, rows: &mut Rows) -> Result<(), ProblemError> {
    let (tendon, moments) = (&at.compiled.world.tendons[t], &at.kinematics.tendons);
    let (dt, v0) = (at.dt, &at.kinematics.v);
    let [low, high] = at.compiled.tendons.rest[t];
    let (plain, length) = (low == high, moments.lengths[t]);
    if (plain && tendon.stiffness > 0.0) || tendon.damping > 0.0 {
        rows.add_tendon_row(
            t,
            moments,
            RowLaw::Pd {
                proportional: if plain { tendon.stiffness } else { 0.0 },
                derivative: tendon.damping,
                position_error: length - high,
                target_velocity: 0.0,
                feed_forward: 0.0,
                effort_limit: f64::INFINITY,
            },
        )?;
    }
    if !plain && tendon.stiffness > 0.0 {
        // τ = 0 and β = 0: exactly k times the stretch at the end of the step.
        let spring = RowCompliance::Spring { stiffness: tendon.stiffness, relaxation_time: 0.0, beta: 0.0 };
        one_sided(t, moments, [low, high], spring, f64::INFINITY, LimitOf::TendonSpring, rows)?;
    }
    // A damped limit acts if the length plus relaxation time times rate exceeds it.
    let relaxation = tendon.limit_relaxation_time.unwrap_or(dt);
    let reach =
        expected_reach(dt + 0.5 * tendon.limit_relaxation_time.unwrap_or(0.0), moments.rate(t, v0).abs());
    let drift = moments.drift(t, v0);
    let compliance = tendon
        .limit_stiffness
        .map_or(RowCompliance::near_rigid(drift), |k| RowCompliance::spring(k, relaxation));
    one_sided(t, moments, tendon.range, compliance, reach, LimitOf::Tendon, rows)?;
    if tendon.armature > 0.0 {
        rows.add_tendon_row(
            t,
            moments,
            RowLaw::Pd {
                proportional: 0.0,
                derivative: tendon.armature / dt,
                position_error: 0.0,
                target_velocity: moments.rate(t, v0) - dt * moments.drifts[t],
                feed_forward: 0.0,
                effort_limit: f64::INFINITY,
            },
        )?;
    }
    if tendon.friction > 0.0 {
        rows.add_tendon_row(
            t,
            moments,
            RowLaw::DryFriction { force: tendon.friction, epsilon: at.options.stiction_tolerance },
        )?;
    }
    Ok(())
}

/// Limits that keep a tendon's length within a range.
fn one_sided(
    t: usize,
    moments: &Moments,
    [low, high]: [f64; 2],
    compliance: RowCompliance,
    reach: f64,
    of: fn(usize, f64) -> LimitOf,
    rows: &mut Rows,
) -> Result<(), ProblemError> {
    let (row, length, bias) = (moments.row(t), moments.lengths[t], moments.biases[t]);
    rows.add_limit(row, bias, (length - low, compliance), reach, of(t, 1.0))?;
    // high − l has the opposite arms.
    let mut turned = std::mem::take(&mut rows.log.scratch);
    turned.clear();
    turned.extend(row.iter().map(|&(dof, arm)| (dof, -arm)));
    let added = rows.add_limit(&turned, -bias, (high - length, compliance), reach, of(t, -1.0));
    rows.log.scratch = turned;
    added
}
