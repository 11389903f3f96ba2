//! From poses and contact points to the convex problem: the only place that knows both sides.
//!
//! Contact points and patch faces of all geom pairs between the same two (rigidly connected) bodies share one pair of the
//! problem. Its bodies are ordered by index; a contact whose geoms come the other way round has its frame
//! turned.

use crate::compiled::{Compiled, Model};
use crate::face_points::FacePolygon;
use crate::free_motion::FreeMotion;
use crate::law::Law;
use crate::material::{PairMaterial, PairOverride};
use crate::options::{Options, TangentialSprings};
use crate::patches::{PatchSet, gradient_in_step, least_gradient};
use crate::rows::{ball_limit_row, drive_row, limit_rows};
use crate::state::{ContactStretch, State};
use crate::tendons::{TendonScratch, tendon_rows};
use nalgebra::{Matrix3, Vector2, Vector3, Vector6};
use stiction_convex::{
    BodyId, ContactEntry, ContactSettings, NormalLawId, PairId, Problem, ProblemError, RowLaw,
    TangentialSpring, frame_from_normal,
};
use stiction_geometry::ContactPoint;
use stiction_model::{ContactLaw, JointKind};
use stiction_multibody::{Tree, Workspace};

/// What an entry of the problem stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EntrySource {
    /// Index of a contact point.
    Point(usize),
    /// Index of a patch's face, and the share of its area that the entry stands for.
    Face(usize, f64),
}

/// Where an entry of the problem is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPlace {
    /// What it stands for.
    pub source: EntrySource,
    /// The bodies of the problem's pair.
    pub bodies: (u32, u32),
    /// −1 if the problem's pair has the bodies the other way round.
    pub sign: f64,
    /// Contact point in the world.
    pub position: Vector3<f64>,
    /// Contact frame R_wc of the problem's entry.
    pub frame: Matrix3<f64>,
    /// Friction coefficient, the larger one.
    pub friction: f64,
}

/// Contact points or patch faces of one geom pair, consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manifold {
    /// The bodies of the problem's pair, in order.
    pub bodies: (u32, u32),
    /// The geoms, in order.
    pub geoms: (u32, u32),
    /// Whether the first geom is on the second body.
    pub swapped: bool,
    /// Faces rather than points.
    pub patch: bool,
    /// First point or face, and the end.
    pub begin: u32,
    pub end: u32,
}

/// Share of a patch's area above which a polygon is taken at more than its centroid.
const LARGE_SHARE: f64 = 0.05;

/// What the proximity stage found.
#[derive(Clone, Copy)]
pub(crate) struct Touching<'a> {
    pub points: &'a [ContactPoint],
    pub patches: &'a PatchSet,
}

impl Touching<'_> {
    /// Adds the joint forces of a body that pulls itself against whatever it touches, `pull` newtons in all, shared
    /// evenly by its contact points and patches.
    pub fn adhere(
        &self,
        compiled: &Compiled,
        workspace: &Workspace,
        body: usize,
        pull: f64,
        force: &mut [f64],
    ) {
        let body_of = |geom: usize| compiled.geoms.geoms()[geom].body;
        let touches = |a: usize, b: usize| body_of(a) == body || body_of(b) == body;
        let points = || self.points.iter().filter(|p| touches(p.geom_a, p.geom_b));
        let patches = || {
            let found = self.patches.patches.iter();
            found.filter(|p| touches(p.geom_a, p.geom_b) && !p.patch.faces.is_empty())
        };
        let share = pull / (points().count() + patches().count()).max(1) as f64;
        let mut add = |a: usize, b: usize, point: &Vector3<f64>, normal: &Vector3<f64>, share: f64| {
            for (body, sign) in [(body_of(a), share), (body_of(b), -share)] {
                let f = sign * normal;
                let wrench = Vector6::new(0.0, 0.0, 0.0, f.x, f.y, f.z);
                compiled.multibody.add_wrench(workspace, body, point, &wrench, force);
            }
        };
        for p in points() {
            add(p.geom_a, p.geom_b, &(0.5 * (p.p_wa + p.p_wb)), &p.normal_w, share);
        }
        for found in patches() {
            let faces = &self.patches.faces.faces[found.patch.faces.clone()];
            let area = faces.iter().map(|f| f.area).sum::<f64>();
            for face in faces {
                add(found.geom_a, found.geom_b, &face.centroid, &face.normal, share * face.area / area);
            }
        }
    }
}

/// A row of the problem that pushes body B along a direction [angular; linear] about a point, and A back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub row: usize,
    pub bodies: (usize, usize),
    pub point: Vector3<f64>,
    pub direction: Vector6<f64>,
}

/// Scratch of the assembly.
pub(crate) struct Assembler {
    /// What touches, sorted by body pair.
    pub manifolds: Vec<Manifold>,
    body_ids: Vec<Option<BodyId>>,
    /// Which trees are free bodies.
    free_bodies: Vec<bool>,
    used_bodies: Vec<usize>,
    block: Vec<f64>,
    /// Parent of each velocity coordinate, counted within its tree.
    parents: Vec<u32>,
    jacobian: Vec<[f64; 6]>,
    /// Where couplings between bodies act.
    pub couplings: Vec<Coupling>,
    /// Rows of joint limits and the velocity coordinates they act on.
    pub limits: Vec<(usize, usize)>,
    /// Scratch and rows of the tendons.
    pub tendons: TendonScratch,
    /// Coefficients of a row.
    pub row: Vec<(usize, f64)>,
    /// For each contact of the problem.
    pub places: Vec<EntryPlace>,
}

impl Assembler {
    pub fn new(model: &Model) -> Self {
        let multibody = model.multibody();
        let mut parents = vec![u32::MAX; multibody.nv()];
        for tree in multibody.trees() {
            for dof in tree.v.clone() {
                parents[dof] =
                    multibody.parent_dof(dof).map_or(u32::MAX, |above| (above - tree.v.start) as u32);
            }
        }
        let largest = multibody.trees().iter().map(|t| t.v.len()).max().unwrap_or(0);
        Self {
            manifolds: Vec::new(),
            body_ids: vec![None; model.multibody().body_count()],
            free_bodies: multibody.trees().iter().map(|t| free_body(model, t)).collect(),
            used_bodies: Vec::new(),
            block: vec![0.0; largest * largest],
            parents,
            jacobian: vec![[0.0; 6]; largest],
            couplings: Vec::new(),
            limits: Vec::new(),
            tendons: TendonScratch::default(),
            row: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Builds the problem of one step.
    pub fn assemble(
        &mut self,
        model: &Model,
        options: &Options,
        law: &ContactLaw,
        dt: f64,
        state: &State,
        free: &FreeMotion,
        touching: Touching,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        self.begin(options, dt, problem)?;
        let compiled = model.compiled();
        self.cliques(compiled, free, problem)?;
        let springs = options.tangential_springs.or(law.springs.map(|[stiffness_ratio, relaxation_time]| {
            TangentialSprings { stiffness_ratio, relaxation_time }
        }));
        let law = Law { law, springs, dt };
        self.contacts(model, &law, state, free, touching, problem)?;
        self.rows(compiled, options, dt, state, free, problem)
    }

    /// Builds the problem of one step without its contacts.
    pub fn assemble_rows(
        &mut self,
        model: &Model,
        options: &Options,
        dt: f64,
        state: &State,
        free: &FreeMotion,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        self.begin(options, dt, problem)?;
        self.cliques(model.compiled(), free, problem)?;
        self.rows(model.compiled(), options, dt, state, free, problem)
    }

    /// An empty problem.
    fn begin(&mut self, options: &Options, dt: f64, problem: &mut Problem) -> Result<(), ProblemError> {
        problem.clear();
        let settings = ContactSettings {
            model: options.contact,
            stiction_tolerance: options.stiction_tolerance,
            regularization: options.regularization,
            ..ContactSettings::default()
        };
        problem.set(dt, settings)?;
        for body in self.used_bodies.drain(..) {
            self.body_ids[body] = None;
        }
        self.places.clear();
        self.couplings.clear();
        self.tendons.rows.clear();
        self.tendons.limits.clear();
        self.limits.clear();
        Ok(())
    }

    /// Everything but contacts that becomes a row.
    fn rows(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        dt: f64,
        state: &State,
        free: &FreeMotion,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        for (index, _) in compiled.world.equalities.iter().enumerate().filter(|(_, e)| e.active) {
            self.equality(compiled, state, free, index, problem)?;
        }
        for bushing in &compiled.world.bushings {
            self.bushing(compiled, state, free, bushing, problem)?;
        }
        for limit in &compiled.limits {
            limit_rows(limit, state, free, dt, &mut self.limits, problem)?;
        }
        for limit in &compiled.ball_limits {
            ball_limit_row(limit, state, free, dt, problem)?;
        }
        for &(dof, force) in &compiled.dry_friction {
            if !compiled.multibody.locked()[dof] {
                let law = RowLaw::DryFriction { force, epsilon: options.stiction_tolerance };
                problem.add_row(&[(dof, 1.0)], 0.0, law)?;
            }
        }
        for t in 0..compiled.world.tendons.len() {
            let (v, epsilon) = ((&free.v0[..], &free.v_star[..]), options.stiction_tolerance);
            tendon_rows(t, compiled, &free.tendons, v, dt, epsilon, &mut self.tendons, problem)?;
        }
        for (row, drive) in compiled.drives.drives.iter().enumerate() {
            drive_row(row, drive, free, problem)?;
        }
        Ok(())
    }

    /// One clique a tree: A = M + what damping, springs and servos add.
    fn cliques(
        &mut self,
        compiled: &Compiled,
        free: &FreeMotion,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        let multibody = &compiled.multibody;
        for (t, tree) in multibody.trees().iter().enumerate() {
            let n = tree.v.len();
            let lower = free.mass.lower_block(t);
            let a = &mut self.block[..n * n];
            for i in 0..n {
                for j in 0..i {
                    let x = lower[i * n + j];
                    a[i * n + j] = x;
                    a[j * n + i] = x;
                }
                a[i * n + i] = lower[i * n + i] + free.added[tree.v.start + i];
            }
            for (i, _) in multibody.locked()[tree.v.clone()].iter().enumerate().filter(|(_, locked)| **locked)
            {
                // A locked coordinate is cut out: alone, at rest, pushed by nothing.
                for j in 0..n {
                    a[i * n + j] = 0.0;
                    a[j * n + i] = 0.0;
                }
                a[i * n + i] = 1.0;
            }
            let (applied, v0) = (&free.applied[tree.v.clone()], &free.v0[tree.v.clone()]);
            if self.free_bodies[t] {
                let pose = &free.x_wb[tree.root_body];
                let rotation = pose.rotation.to_rotation_matrix();
                let origin = pose.translation.vector;
                let id = problem.add_free_body(a, applied, v0, rotation.matrix(), origin)?;
                self.body_ids[tree.root_body] = Some(id);
                self.used_bodies.push(tree.root_body);
            } else {
                problem.add_tree(a, &self.parents[tree.v.clone()], applied, v0)?;
            }
        }
        Ok(())
    }

    /// The problem's id of a body; none if it cannot move by itself.
    fn body(
        &mut self,
        compiled: &Compiled,
        free: &FreeMotion,
        body: usize,
        problem: &mut Problem,
    ) -> Result<Option<BodyId>, ProblemError> {
        let multibody = &compiled.multibody;
        let Some(tree) = multibody.body_tree(body) else { return Ok(None) };
        // What is welded to a free body moves with it.
        let body = if self.free_bodies[tree] { multibody.trees()[tree].root_body } else { body };
        if let Some(id) = self.body_ids[body] {
            return Ok(Some(id));
        }
        let range = multibody.trees()[tree].v.clone();
        let jacobian = &mut self.jacobian[..range.len()];
        let origin = multibody.origin(&free.workspace, body);
        multibody.body_jacobian(&free.workspace, body, &origin, jacobian);
        for (column, _) in jacobian.iter_mut().zip(&multibody.locked()[range]).filter(|(_, locked)| **locked)
        {
            *column = [0.0; 6];
        }
        let id = problem.add_link(tree, origin, jacobian.as_flattened())?;
        self.body_ids[body] = Some(id);
        self.used_bodies.push(body);
        Ok(Some(id))
    }

    pub fn pair(
        &mut self,
        compiled: &Compiled,
        state: &State,
        free: &FreeMotion,
        (a, b): (usize, usize),
        point: Vector3<f64>,
        problem: &mut Problem,
    ) -> Result<PairId, ProblemError> {
        let id_a = self.body(compiled, free, a, problem)?;
        let id_b = self.body(compiled, free, b, problem)?;
        let bias =
            prescribed_twist(compiled, state, b, &point) - prescribed_twist(compiled, state, a, &point);
        problem.add_pair(id_a, id_b, point, bias)
    }

    fn contacts(
        &mut self,
        model: &Model,
        law: &Law,
        state: &State,
        free: &FreeMotion,
        touching: Touching,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        let compiled = model.compiled();
        self.find_manifolds(compiled, touching);
        let mut begin = 0;
        while begin < self.manifolds.len() {
            let bodies = self.manifolds[begin].bodies;
            let count = self.manifolds[begin..].iter().take_while(|m| m.bodies == bodies).count();
            let group = begin..begin + count;
            let (mut sum, mut number) = (Vector3::zeros(), 0.0);
            for manifold in &self.manifolds[group.clone()] {
                let range = manifold.begin as usize..manifold.end as usize;
                number += range.len() as f64;
                if manifold.patch {
                    sum +=
                        touching.patches.faces.faces[range].iter().map(|f| f.centroid).sum::<Vector3<f64>>();
                } else {
                    sum +=
                        touching.points[range].iter().map(|p| 0.5 * (p.p_wa + p.p_wb)).sum::<Vector3<f64>>();
                }
            }
            let reference = sum / number;
            self.pair(compiled, state, free, (bodies.0 as usize, bodies.1 as usize), reference, problem)?;
            let relative = law.looks_at_velocities().then(|| free.relative_twist(model, bodies));
            for m in group {
                let manifold = self.manifolds[m];
                if manifold.patch {
                    self.patch(compiled, law, free, touching.patches, manifold, reference, problem)?;
                } else {
                    let points = touching.points;
                    self.manifold(
                        compiled, law, relative, state, free, points, manifold, reference, problem,
                    )?;
                }
            }
            begin += count;
        }
        Ok(())
    }

    /// Groups points and faces by geom pair and sorts the groups by body pair. Both come sorted by geom pair.
    fn find_manifolds(&mut self, compiled: &Compiled, touching: Touching) {
        self.manifolds.clear();
        let manifolds = &mut self.manifolds;
        let body = |geom: usize| compiled.carrier[compiled.geoms.geoms()[geom].body] as u32;
        let mut add = |geom_a: usize, geom_b: usize, patch: bool, range: std::ops::Range<usize>| {
            let (a, b) = (body(geom_a), body(geom_b));
            let (bodies, geoms) = ((a.min(b), a.max(b)), (geom_a as u32, geom_b as u32));
            let (begin, end) = (range.start as u32, range.end as u32);
            manifolds.push(Manifold { bodies, geoms, swapped: b < a, patch, begin, end });
        };
        let mut begin = 0;
        for group in touching.points.chunk_by(|p, q| (p.geom_a, p.geom_b) == (q.geom_a, q.geom_b)) {
            add(group[0].geom_a, group[0].geom_b, false, begin..begin + group.len());
            begin += group.len();
        }
        for found in touching.patches.patches.iter().filter(|p| !p.patch.faces.is_empty()) {
            add(found.geom_a, found.geom_b, true, found.patch.faces.clone());
        }
        manifolds.sort_unstable_by_key(|m| (m.bodies, m.geoms));
    }

    /// The entries of one manifold alone, about `reference`: what derivatives of the geometry look at.
    pub fn entries(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        dt: f64,
        state: &State,
        free: &FreeMotion,
        touching: Touching,
        manifold: Manifold,
        reference: Vector3<f64>,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        self.begin(options, dt, problem)?;
        problem.add_pair(None, None, reference, Vector6::zeros())?;
        // Derivatives are of the plain law.
        let law = Law { law: &ContactLaw::default(), springs: options.tangential_springs, dt };
        if manifold.patch {
            self.patch(compiled, &law, free, touching.patches, manifold, reference, problem)
        } else {
            let points = touching.points;
            self.manifold(compiled, &law, None, state, free, points, manifold, reference, problem)
        }
    }

    fn manifold(
        &mut self,
        compiled: &Compiled,
        law: &Law,
        relative: Option<(Vector3<f64>, Vector3<f64>)>,
        state: &State,
        free: &FreeMotion,
        points: &[ContactPoint],
        manifold: Manifold,
        reference: Vector3<f64>,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        let range = manifold.begin as usize..manifold.end as usize;
        let (geom_a, geom_b) = (manifold.geoms.0 as usize, manifold.geoms.1 as usize);
        let material = compiled.pair_material(manifold.geoms, PairMaterial::combine);
        let material = PairOverride(law.law.material).apply(material);
        let sign = if manifold.swapped { -1.0 } else { 1.0 };
        // The pair's stiffness is shared, so that it does not depend on how many points there are. Points that are
        // kept before they touch take no share from those that do.
        let touching = points[range.clone()].iter().filter(|p| p.distance <= 0.0).count();
        let stiffness = material.stiffness / if touching > 0 { touching } else { range.len() } as f64;
        let belts = has_belt(compiled, geom_a) || has_belt(compiled, geom_b);
        for index in range {
            let p = &points[index];
            let position = p.p_wa + material.weight_b * (p.p_wb - p.p_wa);
            let frame = frame_from_normal(&(sign * p.normal_w));
            let spring = law.springs.map(|springs| {
                let stiffness = springs.stiffness_ratio * stiffness;
                let stretch = sign * stored_stretch(compiled, &state.stretches, free, p, &position);
                let stretch = frame.tr_mul(&stretch);
                let damping = springs.relaxation_time * stiffness;
                TangentialSpring { stiffness, damping, stretch: Vector2::new(stretch.x, stretch.y) }
            });
            let belt = if belts {
                belt_velocity(compiled, free, (geom_a, geom_b), &position)
            } else {
                Vector3::zeros()
            };
            let mut entry = ContactEntry {
                r: position - reference,
                frame,
                penetration: -p.distance,
                elastic_force: -stiffness * p.distance,
                stiffness,
                dissipation: material.dissipation,
                relaxation_time: material.relaxation_time,
                friction_static: material.static_friction,
                friction_dynamic: material.dynamic_friction,
                bias: sign * belt,
                normal_law: NormalLawId::default(),
                spring,
            };
            let lagged = relative.map(|(linear, angular)| {
                let velocity = linear + angular.cross(&position) + sign * belt;
                law.bend(&mut entry, frame.tr_mul(&velocity), touching.max(1))
            });
            let index_in_problem = problem.add_contact(entry)?;
            if let Some(lagged) = lagged {
                problem.set_lagged_impulse(index_in_problem, lagged)?;
            }
            let friction = material.static_friction.max(material.dynamic_friction);
            self.places.push(EntryPlace {
                source: EntrySource::Point(index),
                bodies: manifold.bodies,
                sign,
                position,
                frame,
                friction,
            });
        }
        Ok(())
    }

    /// Each face of a patch is an entry at its centroid, k = g A and f0 = A p (VLP eq. 12–16), which is exact
    /// for the force. A patch of few large polygons would have no stiffness against some rotations (two
    /// triangles under a box are two points), so a polygon with more than [`LARGE_SHARE`] of the patch is taken at
    /// [three points](crate::face_points) instead, which is exact for moments and for the rotational stiffness too. Refined
    /// patches take every polygon at the points of continuous time.
    fn patch(
        &mut self,
        compiled: &Compiled,
        law: &Law,
        free: &FreeMotion,
        patches: &PatchSet,
        manifold: Manifold,
        reference: Vector3<f64>,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        let (geom_a, geom_b) = (manifold.geoms.0 as usize, manifold.geoms.1 as usize);
        let material = compiled.pair_material(manifold.geoms, PairMaterial::combine_patch);
        let material = PairOverride(law.law.material).apply(material);
        let sign = if manifold.swapped { -1.0 } else { 1.0 };
        let range = manifold.begin as usize..manifold.end as usize;
        let faces = &patches.faces.faces[range.clone()];
        let area = faces.iter().map(|f| f.area).sum::<f64>();
        let (large, least) = (LARGE_SHARE * area, least_gradient(compiled, (geom_a, geom_b)));
        let belts = has_belt(compiled, geom_a) || has_belt(compiled, geom_b);
        for index in range {
            let face = &patches.faces.faces[index];
            let frame = frame_from_normal(&(sign * face.normal));
            let gradient = gradient_in_step(face, least);
            let mut add = |position: Vector3<f64>, share: f64, pressure: f64| {
                let belt = if belts {
                    belt_velocity(compiled, free, (geom_a, geom_b), &position)
                } else {
                    Vector3::zeros()
                };
                let area = share * face.area;
                problem.add_contact(ContactEntry {
                    r: position - reference,
                    frame,
                    penetration: if gradient > 0.0 { pressure / gradient } else { 0.0 },
                    elastic_force: area * pressure,
                    stiffness: area * gradient,
                    dissipation: material.dissipation,
                    relaxation_time: material.relaxation_time,
                    friction_static: material.static_friction,
                    friction_dynamic: material.dynamic_friction,
                    bias: sign * belt,
                    normal_law: NormalLawId::default(),
                    spring: None,
                })?;
                let (source, friction) = (EntrySource::Face(index, share), material.static_friction);
                self.places.push(EntryPlace {
                    source,
                    bodies: manifold.bodies,
                    sign,
                    position,
                    frame,
                    friction,
                });
                Ok(())
            };
            let polygon = (face.area > large || patches.refined).then(|| {
                let corners = patches.faces.vertex_range(index);
                FacePolygon {
                    centroid: face.centroid,
                    normal: face.normal,
                    pressure: face.pressure,
                    vertices: &patches.faces.vertices[corners.clone()],
                    pressures: &patches.faces.vertex_pressure[corners],
                }
            });
            if let (true, Some(polygon)) = (patches.refined, &polygon) {
                polygon.fan_points(|position, area, pressure| match area / face.area {
                    share if share > 1e-9 => add(position, share, pressure),
                    _ => Ok(()),
                })?;
                continue;
            }
            match polygon.and_then(|polygon| polygon.three_points()) {
                None => add(face.centroid, 1.0, face.pressure)?,
                Some(points) => {
                    for (position, pressure) in points {
                        add(position, 1.0 / 3.0, pressure)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a tree is a body with a free joint on the world and what is welded to it.
fn free_body(model: &Model, tree: &Tree) -> bool {
    let multibody = model.multibody();
    let joint = multibody.joints().iter().find(|j| j.v.start == tree.v.start);
    joint.is_some_and(|j| j.kind == JointKind::Free && j.v == tree.v && !j.locked)
        && model.compiled().base_mocap[tree.root_body].is_none()
}

/// Twist at `point` that a body has because something it hangs on is moved from outside.
fn prescribed_twist(compiled: &Compiled, state: &State, body: usize, point: &Vector3<f64>) -> Vector6<f64> {
    let Some(k) = compiled.base_mocap[body] else { return Vector6::zeros() };
    let mocap = &state.mocap[k];
    let w = Vector3::new(mocap.twist[0], mocap.twist[1], mocap.twist[2]);
    let v = Vector3::new(mocap.twist[3], mocap.twist[4], mocap.twist[5]);
    let v = v + w.cross(&(point - mocap.pose.translation.vector));
    Vector6::new(w.x, w.y, w.z, v.x, v.y, v.z)
}

/// Whether a geom's surface moves relative to its body.
fn has_belt(compiled: &Compiled, geom: usize) -> bool {
    compiled.world.geoms[compiled.colliding[geom]].surface_velocity.is_some()
}

/// Velocity of B's surface relative to A's at a world point that belts give it, world axes.
fn belt_velocity(
    compiled: &Compiled,
    free: &FreeMotion,
    (a, b): (usize, usize),
    p_wq: &Vector3<f64>,
) -> Vector3<f64> {
    surface_velocity(compiled, free, b, p_wq) - surface_velocity(compiled, free, a, p_wq)
}

/// Velocity of a geom's surface relative to its body at a world point, world axes.
fn surface_velocity(
    compiled: &Compiled,
    free: &FreeMotion,
    geom: usize,
    p_wq: &Vector3<f64>,
) -> Vector3<f64> {
    belt_at(compiled, &free.x_wb, geom, p_wq)
}

/// The same at given poses of the bodies.
pub(crate) fn belt_at(
    compiled: &Compiled,
    x_wb: &[stiction_model::Pose],
    geom: usize,
    p_wq: &Vector3<f64>,
) -> Vector3<f64> {
    let described = &compiled.world.geoms[compiled.colliding[geom]];
    let Some(twist) = described.surface_velocity else { return Vector3::zeros() };
    let x_wb = &x_wb[described.body];
    let p_bq = x_wb.inverse_transform_point(&nalgebra::Point3::from(*p_wq)).coords;
    let w = Vector3::new(twist[0], twist[1], twist[2]);
    x_wb.rotation * (Vector3::new(twist[3], twist[4], twist[5]) + w.cross(&p_bq))
}

/// The stretch stored nearest to a contact point of the same geom pair, world axes; zero for a new contact.
pub(crate) fn stored_stretch(
    compiled: &Compiled,
    stretches: &[ContactStretch],
    free: &FreeMotion,
    contact: &ContactPoint,
    position: &Vector3<f64>,
) -> Vector3<f64> {
    let geoms = (contact.geom_a as u32, contact.geom_b as u32);
    let begin = stretches.partition_point(|s| s.geoms < geoms);
    let same = stretches[begin..].iter().take_while(|s| s.geoms == geoms);
    let x_wa = &free.x_wb[compiled.geoms.geoms()[contact.geom_a].body];
    let p_a = x_wa.inverse_transform_point(&nalgebra::Point3::from(*position)).coords;
    let nearest =
        same.min_by(|s, t| (s.point_a - p_a).norm_squared().total_cmp(&(t.point_a - p_a).norm_squared()));
    nearest.map_or(Vector3::zeros(), |s| x_wa.rotation * s.stretch)
}
