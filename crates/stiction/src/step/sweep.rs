//! Speculative contact: bodies that would pass through each other within a step.
//!
//! The contact query sees bodies that overlap at the beginning of a step. Two bodies whose motion in one step is larger
//! than they are thick can be on one side before it and on the other side after it. Therefore the motion that a solve
//! found, q₀ → q₀ ⊕ δt v⁺, is examined before it is accepted.
//!
//! ```text
//! w       sum of the least widths of two geoms: while they overlap by less than w/2, their normal points the right way
//! h       w/8
//! μ       bound on the relative motion of their points within the step:  |Δo_b − Δo_a| + θ_a ρ_a + θ_b ρ_b
//! swept   pairs with μ > 2h whose boxes meet on the way, at poses no further apart than their distance plus h
//! ```
//!
//! A pair that crosses the other overlaps over a path of at least w = 8h, so some of these poses show the overlap, the first of
//! them with a depth of at most h and therefore with the right normal. Nothing is done if the motion ends with a depth of at most
//! 2h along that normal: the next contact query sees it. A body that slides over a seam, or past an edge, is such a case.
//! Otherwise the contact becomes a one-sided row of the convex problem, and the step is solved again:
//!
//! ```text
//! φ = φ₀ + δt J v ≥ 0,    φ₀ = −depth − s δt J v⁺ ≥ 0 (the gap),    J = nᵀ (J_b − J_a) at the poses of the fraction s
//! ```
//!
//! J is taken where the bodies meet, each with the moment arm that it has there. The row sees the normal velocity alone and has no
//! friction: while the gap is open there is nothing to rub. It is near-rigid, because the compliance of a material can be deeper
//! than a thin body is thick, and it ends with the bodies at touch; the next step has their contact.
//!
//! Poses between q₀ and q₀ ⊕ δt v⁺ are interpolated body by body, origins along lines and orientations along great arcs, which is the
//! motion of a free body. What a pair with a compliant geom overlaps by less than 2h is left to its patch.
//!
//! A half-space has no other side: points against it are not swept. Patches are, because a body wholly inside has none.

use crate::contact::result::Contact;
use crate::model::geom_id::{GeomPair, geoms_of};
use crate::model::{Compiled, Model};
use crate::state::{MocapState, State};
use crate::step::assemble::Assembly;
use crate::step::kinematics::Kinematics;
use crate::step::kinematics::prescribed_twist;
use crate::step::report::StepReport;
use nalgebra::{UnitQuaternion, Vector3};
use stiction_convex::{ProblemError, RowCompliance, RowLaw, Solver};
use stiction_geometry::point::{Scratch, contact_pair, is_supported};
use stiction_geometry::{Aabb, ContactPoint, Geom, Shape, ShapeKind};
use stiction_model::{JointKind, Pose, Warning};
use stiction_multibody::QuaternionStep;

/// Largest number of solves of a step for bodies that meet within it.
pub(crate) const PASSES: usize = 24;

/// Largest number of poses at which a pair is examined.
const POSES: f64 = 4096.0;

/// Angle, rad, up to which the paths of a body's points within a step count as lines.
const LARGE_TURN: f64 = 0.5;

/// Solves of a step in which rows act at points of bodies that turn little.
const POINT_PASSES: usize = 6;

/// Size of a geom.
#[derive(Clone, Copy)]
struct Size {
    /// Least width, m; infinite for a half-space. For a surface the least extent of its box, or infinite if that is flat.
    width: f64,
    /// Largest distance of a point that turns with the body from its origin, m.
    reach: f64,
    /// A bounded convex solid.
    convex: bool,
    plane: bool,
}

impl Size {
    fn of(geom: &Geom) -> Self {
        let least = |x: &Vector3<f64>| 2.0 * x.min();
        let width = match &geom.shape {
            Shape::HalfSpace => f64::INFINITY,
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius,
            Shape::Box { half_extents } => least(half_extents),
            Shape::Cylinder { radius, half_length } => 2.0 * radius.min(*half_length),
            Shape::Ellipsoid { radii } => least(radii),
            Shape::Convex(hull) => {
                let extent = |n: &Vector3<f64>| (hull.support(n) - hull.support(&-n)).dot(n);
                // The least width is between two faces, a face and a corner, or two edges; the last can be less.
                0.5 * hull.normals().iter().map(extent).fold(f64::INFINITY, f64::min)
            }
            Shape::Mesh(mesh) => surface_width(&mesh.aabb()),
            // Solid below.
            Shape::HeightField(_) => f64::INFINITY,
        };
        let offset = geom.x_bg.translation.vector.norm();
        let reach = match &geom.shape {
            Shape::HalfSpace => 0.0,
            // It looks the same however it turns about its centre.
            Shape::Sphere { .. } => offset,
            shape => {
                let aabb = shape.aabb(&Pose::identity());
                offset + aabb.min.abs().sup(&aabb.max.abs()).norm()
            }
        };
        let kind = geom.shape.kind();
        Self { width, reach, convex: kind.is_bounded_convex(), plane: kind == ShapeKind::HalfSpace }
    }
}

fn surface_width(aabb: &Aabb) -> f64 {
    let least = 2.0 * aabb.half().min();
    if least > 0.0 { least } else { f64::INFINITY }
}

/// w of a pair; infinite for one that is not swept.
fn pair_width(a: &Size, b: &Size, patch: bool) -> f64 {
    match (a.convex, b.convex) {
        _ if (a.plane || b.plane) && !patch => f64::INFINITY,
        (true, true) => a.width + b.width,
        // One is convex: the other is a surface, from which what is on its wrong side by twice its width is not pushed back.
        (true, false) | (false, true) => {
            let (convex, other) = if a.convex { (a, b) } else { (b, a) };
            convex.width.min(2.0 * other.width)
        }
        (false, false) if patch => a.width.min(b.width),
        (false, false) => f64::INFINITY,
    }
}

/// A speculative contact.
struct Row {
    row: usize,
    contact: ContactPoint,
    /// Gap, m.
    gap: f64,
    /// Row velocity at the beginning of the step, m/s.
    before: f64,
}

/// Motion of a body within a step.
#[derive(Clone, Copy)]
struct Motion {
    /// Of its origin.
    shift: Vector3<f64>,
    /// Angle, rad.
    turn: f64,
}

/// Where a pair overlaps too deeply on its way.
struct Meeting {
    fraction: f64,
    /// 2h for patches, which take what overlaps less, otherwise 0.
    allowed: f64,
}

/// Finds bodies that pass through each other within a step, and keeps their speculative contacts.
pub(crate) struct Sweep {
    sizes: Vec<Size>,
    /// Least 2h of all pairs.
    least: f64,
    /// For each tree, whether it is a free body, and the length of its parts.
    trees: Vec<(bool, f64)>,
    rows: Vec<Row>,
    /// Pairs of geoms between which a speculative contact acted in accepted solves, sorted, since cleared.
    pub acted: Vec<GeomPair>,
    kinematics: Option<Box<Kinematics>>,
    mocap: Vec<MocapState>,
    q: Vec<f64>,
    x_end: Vec<Pose>,
    motions: Vec<Motion>,
    moving: Vec<u32>,
    is_moving: Vec<bool>,
    jacobian: Vec<[f64; 6]>,
    coefficients: Vec<(usize, f64)>,
    points: Vec<ContactPoint>,
    scratch: Scratch,
}

impl Sweep {
    pub fn new(model: &Model) -> Self {
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let geoms = compiled.geoms.geoms();
        let sizes: Vec<Size> = geoms.iter().map(Size::of).collect();
        let width = |s: &Size| if s.convex { s.width } else { 2.0 * s.width };
        let least = 0.25 * sizes.iter().map(width).fold(f64::INFINITY, f64::min);
        let mut kinematics = Kinematics::new(compiled);
        let begin = model.default_state();
        kinematics.positions(compiled, &begin.mocap, &begin.q);
        let x_wb = &kinematics.x_wb;
        let mut trees = vec![(false, 0.0); multibody.trees().len()];
        for (tree, (free, length)) in multibody.trees().iter().zip(&mut trees) {
            let first = multibody.joints().iter().find(|j| j.v.start == tree.v.start);
            *free = first.is_some_and(|j| j.kind == JointKind::Free && j.v == tree.v);
            *length = 0.0;
        }
        for body in 0..multibody.body_count() {
            if let Some(tree) = multibody.body_tree(body) {
                let root = multibody.trees()[tree].root_body;
                trees[tree].1 += (x_wb[body].translation.vector - x_wb[root].translation.vector).norm();
            }
        }
        for (geom, size) in geoms.iter().zip(&sizes) {
            if let Some(tree) = multibody.body_tree(geom.body) {
                trees[tree].1 += size.reach;
            }
        }
        Self {
            sizes,
            least,
            trees,
            rows: Vec::new(),
            acted: Vec::new(),
            kinematics: None,
            mocap: Vec::new(),
            q: Vec::new(),
            x_end: Vec::new(),
            motions: Vec::new(),
            moving: Vec::new(),
            is_moving: Vec::new(),
            jacobian: Vec::new(),
            coefficients: Vec::new(),
            points: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Forgets the speculative contacts of the last step.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Forgets the `count` rows added last.
    pub fn drop_last(&mut self, count: usize) {
        self.rows.truncate(self.rows.len() - count);
    }

    /// Whether the last solve has speculative contacts.
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Whether some body moves so far that its pairs must be looked at, from a bound on its motion.
    fn is_fast(&self, model: &Model, state: &State, v: &[f64], dt: f64) -> bool {
        let enough = 0.5 * self.least / dt;
        let trees = model.multibody().trees();
        let moves = trees.iter().zip(&self.trees).any(|(tree, &(free, length))| {
            let v = &v[tree.v.clone()];
            let speed = if free {
                norm(&v[..3]) + length * norm(&v[3..6])
            } else {
                // A joint moves a point by at most its distance, which is within the parts and what slides add.
                let slid: f64 = state.q[tree.q.clone()].iter().map(|q| q.abs()).sum();
                v.iter().map(|v| v.abs()).sum::<f64>() * (1.0_f64).max(2.0 * length + slid)
            };
            speed > enough
        });
        moves
            || state.mocap.iter().any(|m| {
                let far = self.sizes.iter().map(|s| s.reach).fold(0.0, f64::max);
                norm(&m.twist[3..]) + far * norm(&m.twist[..3]) > enough
            })
    }

    /// Adds rows to the problem for the pairs that the motion to `q_next` carries through each other. Returns how many.
    pub fn add(
        &mut self,
        model: &Model,
        state: &State,
        begin: &Kinematics,
        (v, q_next, dt): (&[f64], &[f64], f64),
        pass: usize,
        assembly: &mut Assembly,
    ) -> Result<usize, ProblemError> {
        if !self.is_fast(model, state, v, dt) {
            return Ok(0);
        }
        let compiled = model.compiled();
        self.go_to_end(model, state, begin, q_next, dt);
        let set = compiled.geoms.clone();
        let geoms = set.geoms();
        let known = self.rows.len();
        self.find_moving(geoms);
        for k in 0..self.moving.len() {
            for other in 0..geoms.len() {
                let geom = self.moving[k] as usize;
                if other == geom || (self.is_moving[other] && other < geom) {
                    continue;
                }
                let (a, b) = (geom.min(other), geom.max(other));
                let (body_a, body_b) = (geoms[a].body, geoms[b].body);
                let width = pair_width(&self.sizes[a], &self.sizes[b], set.makes_patch(a, b));
                let h = 0.125 * width;
                let (of_a, of_b) = (self.motions[body_a], self.motions[body_b]);
                let shift = of_b.shift - of_a.shift;
                let turn = of_a.turn * self.sizes[a].reach + of_b.turn * self.sizes[b].reach;
                let travel = shift.norm() + turn;
                if travel <= 2.0 * h || !travel.is_finite() || !set.tests_pair(a, b) {
                    continue;
                }
                if !is_supported(geoms[a].shape.kind(), geoms[b].shape.kind()) {
                    continue;
                }
                let x_a = begin.x_wb[body_a] * geoms[a].x_bg;
                let x_b = begin.x_wb[body_b] * geoms[b].x_bg;
                let (box_a, box_b) = (geoms[a].shape.aabb(&x_a), geoms[b].shape.aabb(&x_b));
                let moved = Aabb { min: box_b.min + shift, max: box_b.max + shift };
                if !box_a.overlaps(&box_b.union(&moved).grown(turn)) {
                    continue;
                }
                let (mut from, step) = (0.0, h.max(travel / POSES) / travel);
                while let Some(meeting) = self.march(compiled, begin, (a, b), h, travel, from) {
                    if self.add_rows(model, state, (v, dt), (a, b), (&meeting, pass), assembly)? {
                        break;
                    }
                    // A point that goes away again: it is no obstacle here.
                    from = meeting.fraction + step;
                    if from > 1.0 {
                        break;
                    }
                }
            }
        }
        Ok(self.rows.len() - known)
    }

    /// The geoms that move far enough for their pairs to be looked at.
    fn find_moving(&mut self, geoms: &[Geom]) {
        let Self { moving, is_moving, motions, sizes, least, .. } = self;
        is_moving.clear();
        is_moving.extend(geoms.iter().zip(sizes).map(|(geom, size)| {
            let Motion { shift, turn } = motions[geom.body];
            shift.norm() + turn * size.reach > 0.5 * *least
        }));
        moving.clear();
        moving.extend((0..geoms.len() as u32).filter(|&g| is_moving[g as usize]));
    }

    /// Poses of all bodies at the end of the step, and their motions. A body that is moved from outside goes on as its twist says.
    fn go_to_end(&mut self, model: &Model, state: &State, begin: &Kinematics, q_next: &[f64], dt: f64) {
        let compiled = model.compiled();
        self.move_mocap(state, dt);
        let kinematics = self.kinematics.get_or_insert_with(|| Box::new(Kinematics::new(compiled)));
        kinematics.positions(compiled, &self.mocap, q_next);
        self.x_end.clear();
        self.x_end.extend_from_slice(&kinematics.x_wb);
        self.motions.clear();
        self.motions.extend(begin.x_wb.iter().zip(&self.x_end).map(|(x0, x1)| Motion {
            shift: x1.translation.vector - x0.translation.vector,
            turn: x0.rotation.angle_to(&x1.rotation),
        }));
    }

    fn move_mocap(&mut self, state: &State, dt: f64) {
        self.mocap.clear();
        self.mocap.extend(state.mocap.iter().map(|m| {
            let [wx, wy, wz, vx, vy, vz] = m.twist;
            let mut moved = *m;
            moved.pose.translation.vector += dt * Vector3::new(vx, vy, vz);
            let turn = UnitQuaternion::from_scaled_axis(dt * Vector3::new(wx, wy, wz));
            moved.pose.rotation = turn * m.pose.rotation;
            moved
        }));
    }

    /// Goes along the motion of a pair and stops where it overlaps, with its points in `points`, if it would end too deep.
    fn march(
        &mut self,
        compiled: &Compiled,
        begin: &Kinematics,
        (a, b): (usize, usize),
        h: f64,
        travel: f64,
        from: f64,
    ) -> Option<Meeting> {
        let geoms = compiled.geoms.geoms();
        let (ga, gb) = (&geoms[a], &geoms[b]);
        let end = [ga, gb].map(|g| self.x_end[g.body]);
        let between = |body: usize, s: f64| between(&begin.x_wb[body], &self.x_end[body], s);
        // Distances are known before shapes touch, except those of surfaces.
        let far_sighted = [a, b].iter().all(|&g| self.sizes[g].convex || self.sizes[g].plane);
        let step = h.max(travel / POSES);
        let allowed = if compiled.geoms.makes_patch(a, b) { 2.0 * h } else { 0.0 };
        let mut s = from;
        loop {
            let (body_a, body_b) = (between(ga.body, s), between(gb.body, s));
            let (x_a, x_b) = (body_a * ga.x_bg, body_b * gb.x_bg);
            let apart = gap_of_boxes(&ga.shape.aabb(&x_a), &gb.shape.aabb(&x_b));
            let mut next = step;
            if apart > 0.0 {
                next += apart;
            } else {
                let margin = if far_sighted { (1.0 - s) * travel } else { 0.0 };
                self.points.clear();
                contact_pair(
                    (&ga.shape, &x_a),
                    (&gb.shape, &x_b),
                    margin,
                    &mut self.scratch,
                    &mut self.points,
                );
                let nearest = self.points.iter().map(|p| p.distance).fold(f64::INFINITY, f64::min);
                if far_sighted && nearest > margin {
                    return None;
                }
                if nearest > 0.0 {
                    next += if nearest.is_finite() { nearest } else { 0.0 };
                } else {
                    // Where the material points of a contact end along its normal.
                    let ends = |p: &ContactPoint| {
                        let at = nalgebra::Point3::from(0.5 * (p.p_wa + p.p_wb));
                        let to_a = (end[0] * body_a.inverse_transform_point(&at)).coords;
                        let to_b = (end[1] * body_b.inverse_transform_point(&at)).coords;
                        p.distance + p.normal_w.dot(&(to_b - to_a))
                    };
                    self.points.retain(|p| p.distance <= 0.0 && ends(p) < -2.0 * h);
                    if !self.points.is_empty() {
                        for p in &mut self.points {
                            (p.geom_a, p.geom_b) = (a, b);
                        }
                        return Some(Meeting { fraction: s, allowed });
                    }
                }
            }
            if s >= 1.0 {
                return None;
            }
            s = (s + next / travel).min(1.0);
        }
    }

    /// A row for each point of a meeting at which the bodies close in; false if there is none.
    ///
    /// Where the step turns a body by more than [`LARGE_TURN`], the path of a point off its centre is no line, and a row at this
    /// point would not hold it. Its row then acts at the body's centre of mass, as on a body that is hit there; after [`POINT_PASSES`]
    /// solves this holds for smaller turns too.
    fn add_rows(
        &mut self,
        model: &Model,
        state: &State,
        (v, dt): (&[f64], f64),
        (a, b): (usize, usize),
        (meeting, pass): (&Meeting, usize),
        assembly: &mut Assembly,
    ) -> Result<bool, ProblemError> {
        let known = self.rows.len();
        let (compiled, multibody) = (model.compiled(), model.multibody());
        let geoms = compiled.geoms.geoms();
        let s = meeting.fraction;
        self.q.resize(state.q.len(), 0.0);
        multibody.integrate(&state.q, v, s * dt, QuaternionStep::Projected, &mut self.q);
        self.move_mocap(state, s * dt);
        let kinematics = self.kinematics.as_deref_mut().expect("made for the end of the step");
        kinematics.positions(compiled, &self.mocap, &self.q);
        let large = if pass < POINT_PASSES { LARGE_TURN } else { 0.0 };
        for (k, large) in (0..self.points.len()).flat_map(|k| [(k, large), (k, f64::INFINITY)]) {
            let contact = self.points[k];
            // At the point if that is all that closes in.
            if self.rows.last().is_some_and(|row| row.contact == contact) {
                continue;
            }
            let (n, point) = (contact.normal_w, 0.5 * (contact.p_wa + contact.p_wb));
            self.coefficients.clear();
            let mut bias = 0.0;
            for (geom, sign) in [(b, 1.0), (a, -1.0)] {
                let body = geoms[geom].body;
                let turns = self.motions[body].turn > large;
                let com = compiled.world.bodies[body].inertia.com;
                let point = if turns { kinematics.point(body, &com) } else { point };
                if let Some(twist) = prescribed_twist(compiled, &state.mocap, body, &point) {
                    bias += sign * n.dot(&twist.fixed_rows::<3>(3));
                }
                let Some(tree) = multibody.body_tree(body) else { continue };
                let range = multibody.trees()[tree].v.clone();
                self.jacobian.resize(range.len(), [0.0; 6]);
                multibody.body_jacobian(&kinematics.workspace, body, &point, &mut self.jacobian);
                for (dof, column) in range.zip(&self.jacobian) {
                    let arm = sign * n.dot(&Vector3::new(column[3], column[4], column[5]));
                    if arm == 0.0 || multibody.locked()[dof] {
                        continue;
                    }
                    match self.coefficients.iter_mut().find(|(known, _)| *known == dof) {
                        Some((_, sum)) => *sum += arm,
                        None => self.coefficients.push((dof, arm)),
                    }
                }
            }
            let rate = |v: &[f64]| bias + self.coefficients.iter().map(|&(i, arm)| arm * v[i]).sum::<f64>();
            let closing = rate(v);
            if closing >= 0.0 || self.coefficients.is_empty() {
                continue;
            }
            let gap = (contact.distance - s * dt * closing).max(0.0);
            let phi = gap + meeting.allowed;
            let law = RowLaw::Limit { phi, compliance: RowCompliance::default() };
            let before = rate(&state.v);
            let row = assembly.problem.add_row(&self.coefficients, bias, law)?;
            self.rows.push(Row { row, contact, gap, before });
        }
        Ok(self.rows.len() > known)
    }

    /// Adds the contacts that acted in the last solve to the results, and counts them.
    pub fn write(
        &mut self,
        compiled: &Compiled,
        assembly: &Assembly,
        solver: &Solver,
        dt: f64,
        contacts: &mut Vec<Contact>,
        report: &mut StepReport,
    ) {
        for row in &self.rows {
            let impulse = solver.row_impulses()[row.row];
            if impulse <= 0.0 {
                continue;
            }
            let p = &row.contact;
            let after = assembly.problem.row_velocity(row.row, solver.velocities());
            report.normal_loss -= impulse * 0.5 * (row.before + after);
            report.speculative += 1;
            let force = p.normal_w * (impulse / dt);
            contacts.push(Contact { force, penetration: -row.gap, ..Contact::at(compiled, p) });
            if let Err(at) = self.acted.binary_search(&geoms_of(p)) {
                self.acted.insert(at, geoms_of(p));
            }
        }
    }
}

/// Warnings of pairs of geoms between which speculative contacts acted.
pub(crate) fn warnings(model: &Model, pairs: &[GeomPair]) -> impl Iterator<Item = Warning> {
    let compiled = model.compiled();
    pairs.iter().map(|&(a, b)| {
        let [a, b] = [a, b].map(|g| compiled.described(g));
        let message = format!(
            "\"{}\" and \"{}\" would have passed through each other within a step: a speculative contact without friction \
             and rebound held them; smaller steps resolve the impact",
            a.name, b.name
        );
        Warning { source: a.source.clone(), message }
    })
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Distance of two boxes along the axis on which they are furthest apart; at most 0 if they meet.
fn gap_of_boxes(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).sup(&(b.min - a.max)).max()
}

/// A pose between two.
fn between(x0: &Pose, x1: &Pose, s: f64) -> Pose {
    if s <= 0.0 {
        return *x0;
    }
    if s >= 1.0 {
        return *x1;
    }
    let origin = x0.translation.vector.lerp(&x1.translation.vector, s);
    let turn = x0.rotation.try_slerp(&x1.rotation, s, 1e-12).unwrap_or(x0.rotation);
    Pose::from_parts(origin.into(), turn)
}
