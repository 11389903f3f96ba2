//! Tendons: their lengths and moment arms, and what they add to the problem of a step.
//!
//! A path of straight pieces from p to p′ changes at u · (v(p′) − v(p)), u its direction. Where it wraps around a
//! geom, the points at which it touches make it shortest, so to first order their sliding along the geom does not
//! change the length: they count as fixed to the geom's body, and the piece between them not at all.
//!
//! | part | in the problem |
//! |---|---|
//! | spring with rest lengths l₋ ≤ l₊ | f = k (l₋ − l)₊ − k (l − l₊)₊ at the end of the step: one linear row if l₋ = l₊, else two one-sided ones |
//! | damping | in the same linear row, or one of its own |
//! | limits | one-sided rows, near-rigid |
//! | friction | a row of dry friction |
//! | armature a | −a (l̇ − l̇₀ − δt d)/δt, d the second derivative of the length while no coordinate accelerates |

use crate::compiled::Compiled;
use crate::moments::{Moments, Pattern, Place};
use nalgebra::{DMatrix, Vector3};
use stiction_convex::{Problem, ProblemError, RowCompliance, RowLaw};
use stiction_geometry::wrap::{Round, wrap};
use stiction_model::{PathStage, Pose, Shape, Tendon, TendonPath, World};
use stiction_multibody::{JointInfo, Multibody, Workspace};

/// What of the tendons never changes.
#[derive(Default)]
pub(crate) struct Tendons {
    pub pattern: Pattern,
    /// For each tendon over joints: (position coordinate, velocity coordinate, coefficient).
    fixed: Vec<Vec<(usize, usize, f64)>>,
    /// Lengths between which each spring is slack.
    pub rest: Vec<[f64; 2]>,
    /// Length of each at the default positions.
    pub default_length: Vec<f64>,
    /// Whether any has inertia.
    pub heavy: bool,
    /// No accelerations, one for each coordinate.
    at_rest: Vec<f64>,
}

/// The joint at a place of the description.
pub(crate) fn joint_at(multibody: &Multibody, (body, index): (usize, usize)) -> &JointInfo {
    // Joints stand in the order of their bodies.
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
                        out.lengths[t] += coefficient * place.state.q[q];
                        let arms = out.row_mut(t);
                        let at = arms.partition_point(|&(dof, _)| dof < v);
                        arms[at].1 += if locked[v] { 0.0 } else { coefficient };
                    }
                }
                TendonPath::Spatial { stages } => path(stages, t, place, out),
            }
        }
    }

    /// How the lengths of tendons with inertia accelerate while no coordinate does, from velocities in `workspace`; its
    /// accelerations are overwritten. Over joints the arms are constant, and it is zero.
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
                    let (twist, a) =
                        (multibody.twist(workspace, body), multibody.acceleration(workspace, body));
                    let part = |x: &nalgebra::Vector6<f64>, at: usize| -> Vector3<f64> {
                        x.fixed_rows::<3>(at).into()
                    };
                    let (w, arm) = (part(&twist, 0), p - x_wb[body].translation.vector);
                    let v = part(&twist, 3) + w.cross(&arm);
                    (v, part(&a, 3) + part(&a, 0).cross(&arm) + w.cross(&w.cross(&arm)))
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

    /// Kinetic energy of tendons with inertia, J.
    pub fn kinetic_energy(&self, world: &World, moments: &Moments, v: &[f64]) -> f64 {
        let heavy = world.tendons.iter().enumerate().filter(|(_, tendon)| tendon.armature > 0.0);
        heavy.map(|(t, tendon)| 0.5 * tendon.armature * moments.rate(t, v).powi(2)).sum()
    }

    /// Energy stored in the springs at these lengths, J.
    pub fn energy(&self, world: &World, lengths: &[f64]) -> f64 {
        let stretch = |t: usize| {
            let [low, high] = self.rest[t];
            (lengths[t] - high).max(0.0) + (low - lengths[t]).max(0.0)
        };
        world.tendons.iter().enumerate().map(|(t, tendon)| 0.5 * tendon.stiffness * stretch(t).powi(2)).sum()
    }

    /// Force of spring and damper along a tendon at a length and its rate.
    pub fn passive_force(&self, t: usize, tendon: &Tendon, length: f64, rate: f64) -> f64 {
        let [low, high] = self.rest[t];
        tendon.stiffness * ((low - length).max(0.0) - (length - high).max(0.0)) - tendon.damping * rate
    }
}

/// A part of a path.
pub(crate) enum Part {
    /// A straight line between points of two bodies, world.
    Straight { from: (usize, Vector3<f64>), to: (usize, Vector3<f64>) },
    /// A way along a geom, of this length.
    Along(f64),
}

/// Visits the parts of a path, each with the divisor of its branch.
pub(crate) fn walk(stages: &[PathStage], world: &World, x_wb: &[Pose], mut visit: impl FnMut(Part, f64)) {
    let mut divisor = 1.0;
    let mut last: Option<(usize, Vector3<f64>)> = None;
    let mut around: Option<(usize, Option<usize>)> = None;
    for stage in stages {
        match *stage {
            PathStage::Pulley { divisor: d } => (divisor, last, around) = (d, None, None),
            PathStage::Wrap { geom, side } => around = Some((geom, side)),
            PathStage::Site { site } => {
                let here = (world.sites[site].body, site_point(world, x_wb, site));
                if let Some(before) = last {
                    let wrapped =
                        around.and_then(|(geom, side)| wrapped(geom, side, &before.1, &here.1, world, x_wb));
                    match wrapped {
                        None => visit(Part::Straight { from: before, to: here }, divisor),
                        Some((body, first, end, length)) => {
                            visit(Part::Straight { from: before, to: (body, first) }, divisor);
                            visit(Part::Along(length), divisor);
                            visit(Part::Straight { from: (body, end), to: here }, divisor);
                        }
                    }
                }
                (last, around) = (Some(here), None);
            }
        }
    }
}

/// Adds the length of a path and its gradient to row `t`.
fn path(stages: &[PathStage], t: usize, place: &Place, out: &mut Moments) {
    walk(stages, &place.compiled.world, place.x_wb, |part, divisor| match part {
        Part::Along(length) => out.lengths[t] += length / divisor,
        Part::Straight { from, to } => piece(from, to, divisor, t, place, out),
    });
}

/// Visits the forces on bodies, (body, point, force) in the world, of a force `f` along a path that lengthens it.
pub(crate) fn pulls(
    tendon: &Tendon,
    world: &World,
    x_wb: &[Pose],
    f: f64,
    mut visit: impl FnMut(usize, &Vector3<f64>, &Vector3<f64>),
) {
    let TendonPath::Spatial { stages } = &tendon.path else { return };
    walk(stages, world, x_wb, |part, divisor| {
        if let Part::Straight { from, to } = part
            && let Some(u) = (to.1 - from.1).try_normalize(1e-300)
        {
            let force = u * (f / divisor);
            visit(to.0, &to.1, &force);
            visit(from.0, &from.1, &-force);
        }
    });
}

fn site_point(world: &World, x_wb: &[Pose], site: usize) -> Vector3<f64> {
    let site = &world.sites[site];
    (x_wb[site.body] * nalgebra::Point3::from(site.pose.translation.vector)).coords
}

/// Body, two points and length of the part of a path that lies on a geom.
fn wrapped(
    geom: usize,
    side: Option<usize>,
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    world: &World,
    x_wb: &[Pose],
) -> Option<(usize, Vector3<f64>, Vector3<f64>, f64)> {
    let geom = &world.geoms[geom];
    let x_wg = x_wb[geom.body] * geom.pose;
    let round = match geom.shape {
        Shape::Sphere { radius } => Round::Sphere(radius),
        Shape::Cylinder { radius, .. } => Round::Cylinder(radius),
        _ => return None, // validated
    };
    let local = |p: &Vector3<f64>| x_wg.inverse_transform_point(&(*p).into()).coords;
    let side = side.map(|s| local(&site_point(world, x_wb, s)));
    let found = wrap(round, &local(from), &local(to), side.as_ref())?;
    let back = |p: Vector3<f64>| (x_wg * nalgebra::Point3::from(p)).coords;
    Some((geom.body, back(found.first), back(found.last), found.length))
}

/// A straight piece between points of two bodies.
fn piece(
    (body_a, p_a): (usize, Vector3<f64>),
    (body_b, p_b): (usize, Vector3<f64>),
    divisor: f64,
    t: usize,
    place: &Place,
    out: &mut Moments,
) {
    let along = p_b - p_a;
    let length = along.norm();
    out.lengths[t] += length / divisor;
    // Points of one body keep their distance; points that coincide have no direction.
    if body_a != body_b && length > 1e-300 {
        let (pull, none) = (along / (length * divisor), Vector3::zeros());
        out.add_wrench(t, place, body_b, &p_b, &pull, &none);
        out.add_wrench(t, place, body_a, &p_a, &-pull, &none);
    }
}

/// Coefficients of a row, and which rows pull at which tendon: (row, tendon, sign).
#[derive(Default)]
pub(crate) struct TendonScratch {
    pub turned: Vec<(usize, f64)>,
    pub rows: Vec<(usize, usize, f64)>,
    /// Those of them that are limits: (row, tendon).
    pub limits: Vec<(usize, usize)>,
}

/// Rows of one tendon: spring, damper, limits, friction.
pub(crate) fn tendon_rows(
    t: usize,
    compiled: &Compiled,
    moments: &Moments,
    v: (&[f64], &[f64]),
    dt: f64,
    epsilon: f64,
    scratch: &mut TendonScratch,
    problem: &mut Problem,
) -> Result<(), ProblemError> {
    let tendon = &compiled.world.tendons[t];
    let (row, length, bias) = (moments.row(t), moments.lengths[t], moments.biases[t]);
    let [low, high] = compiled.tendons.rest[t];
    let plain = low == high;
    if (plain && tendon.stiffness > 0.0) || tendon.damping > 0.0 {
        let law = RowLaw::Pd {
            proportional: if plain { tendon.stiffness } else { 0.0 },
            derivative: tendon.damping,
            position_error: length - high,
            target_velocity: 0.0,
            feed_forward: 0.0,
            effort_limit: f64::INFINITY,
        };
        let index = problem.add_row(row, bias, law)?;
        scratch.rows.push((index, t, 1.0));
    }
    // One-sided rows act on (l − low) and (high − l): the second needs the arms turned round.
    let TendonScratch { turned, rows, limits } = scratch;
    turned.clear();
    turned.extend(row.iter().map(|&(dof, arm)| (dof, -arm)));
    // A damped limit acts where length and relaxation time times rate together pass it.
    let span = 2.0 * dt + tendon.limit_relaxation_time.unwrap_or(0.0);
    let reach = span * (moments.rate(t, v.0).abs() + moments.rate(t, v.1).abs());
    type Rows = Vec<(usize, usize, f64)>;
    let sided = |rows: &mut Rows, low: f64, high: f64, slack: f64, compliance, problem: &mut Problem| {
        if length - low < slack {
            let index = problem.add_row(row, bias, RowLaw::Limit { phi: length - low, compliance })?;
            rows.push((index, t, 1.0));
        }
        if high - length < slack {
            let index = problem.add_row(turned, -bias, RowLaw::Limit { phi: high - length, compliance })?;
            rows.push((index, t, -1.0));
        }
        Ok(())
    };
    if !plain && tendon.stiffness > 0.0 {
        // τ = 0 and β = 0: exactly k times the stretch at the end of the step.
        let spring = RowCompliance::Spring { stiffness: tendon.stiffness, relaxation_time: 0.0, beta: 0.0 };
        sided(rows, low, high, f64::INFINITY, spring, problem)?;
    }
    let [low, high] = tendon.range;
    let relaxation = tendon.limit_relaxation_time.unwrap_or(dt);
    let bend = moments.bend(t, v.0);
    let compliance = tendon
        .limit_stiffness
        .map_or(RowCompliance::near_rigid(bend), |k| RowCompliance::spring(k, relaxation));
    let springs = rows.len();
    sided(rows, low, high, 1e-3 + reach, compliance, problem)?;
    limits.extend(rows[springs..].iter().map(|&(row, tendon, _)| (row, tendon)));
    if tendon.armature > 0.0 {
        let law = RowLaw::Pd {
            proportional: 0.0,
            derivative: tendon.armature / dt,
            position_error: 0.0,
            target_velocity: moments.rate(t, v.0) - dt * moments.drifts[t],
            feed_forward: 0.0,
            effort_limit: f64::INFINITY,
        };
        let index = problem.add_row(row, bias, law)?;
        rows.push((index, t, 1.0));
    }
    if tendon.friction > 0.0 {
        let index = problem.add_row(row, bias, RowLaw::DryFriction { force: tendon.friction, epsilon })?;
        rows.push((index, t, 1.0));
    }
    Ok(())
}
