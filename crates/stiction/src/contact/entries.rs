//! From contact points and polygons of patches to entries of the convex problem: stiffness, dissipation, friction
//! and springs of a contact.
//!
//! A contact point, or a polygon of a patch, is one entry type: (body a, body b, point, frame, f0, k, d, μ, bias velocity). Points
//! and faces of all geom pairs between the same two (rigidly connected) bodies share one pair of the problem. Its bodies are
//! ordered by index; if the geoms of a contact have the opposite order, its frame is flipped.

use crate::contact::calibration::{StepCalibration, normal_impulse};
use crate::contact::patch_springs::SprungPatch;
use crate::contact::patches::{PatchSet, gradient_in_step, least_gradient};
use crate::contact::quadrature::FacePolygon;
use crate::contact::query::Touching;
use crate::contact::{surface_velocity, turning};
use crate::model::Compiled;
use crate::model::geom_id::{GeomPair, geoms_of};
use crate::model::material::{PairMaterial, PairOverride};
use crate::options::Options;
use crate::state::{ContactStretch, State};
use crate::step::impact::{Restitution, resting_speed};
use nalgebra::{Matrix3, Vector2, Vector3};
use stiction_convex::{
    ContactEntry, NormalLaw, NormalLawId, Problem, ProblemError, TangentialSpring, frame_from_normal,
};
use stiction_geometry::ContactPoint;
use stiction_model::Pose;

/// The contact point or face that an entry of the problem represents.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EntrySource {
    /// Index of a contact point.
    Point(usize),
    /// Index of a patch's face, and the fraction of its area that the entry represents.
    Face(usize, f64),
}

/// Location of an entry of the problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryPlace {
    /// The point or face that it represents.
    pub source: EntrySource,
    /// The bodies of the problem's pair.
    pub bodies: (u32, u32),
    /// −1 if the problem's pair has the bodies in the opposite order.
    pub sign: f64,
    /// Contact point in the world.
    pub position: Vector3<f64>,
    /// Contact frame R_wc of the problem's entry.
    pub frame: Matrix3<f64>,
    /// Friction coefficient, the larger one.
    pub friction: f64,
    /// Restitution of a point that has one.
    pub restitution: Option<Restitution>,
}

/// Contact points or patch faces of one geom pair, consecutive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manifold {
    /// The bodies of the problem's pair, in order.
    pub bodies: (u32, u32),
    /// The geoms, in order.
    pub geoms: GeomPair,
    /// Whether the first geom is on the second body.
    pub swapped: bool,
    /// Faces rather than points.
    pub patch: bool,
    /// First point or face, and the end.
    pub begin: u32,
    pub end: u32,
}

impl Manifold {
    pub fn range(&self) -> std::ops::Range<usize> {
        self.begin as usize..self.end as usize
    }

    /// −1 if the first geom is on the second body.
    fn sign(&self) -> f64 {
        if self.swapped { -1.0 } else { 1.0 }
    }

    /// The sum of its points, or of its faces' centroids.
    pub fn sum_of_points(&self, touching: Touching) -> Vector3<f64> {
        if self.patch {
            touching.patches.faces.faces[self.range()].iter().map(|f| f.centroid).sum()
        } else {
            touching.points[self.range()].iter().map(|p| 0.5 * (p.p_wa + p.p_wb)).sum()
        }
    }
}

/// Distance within which the points of a pair are found, m.
pub(crate) fn pair_margin(compiled: &Compiled, options: &Options, (a, b): GeomPair) -> f64 {
    options.margin.max(compiled.geom(a).margin).max(compiled.geom(b).margin)
}

/// Distance within which geoms keep their points, m, if they touch or had points in the last step. Corners that rock by less stay
/// in contact, so that structures do not rattle. Of geoms that only come near, those have them on whose body the other one was
/// before, which it neither touches now nor approaches: a body that slides from tile to tile, and hovers by rounding when it leaves the
/// last one. The others have none, or bodies would feel edges that they slide past.
pub(crate) const ROCKING: f64 = 1e-5;

/// Distance within which the points of a pair of geoms of the given margin are kept, m. The last step's points are those with
/// tangential springs; `glides` says whether a pair that had none is on a body on which one of them was.
pub(crate) fn reach(
    points: &[ContactPoint],
    geoms: GeomPair,
    margin: f64,
    stretches: &[ContactStretch],
    glides: impl FnOnce() -> bool,
) -> f64 {
    let touches = points.iter().any(|p| p.distance <= ROUNDING);
    let rocks = touches || stretches.binary_search_by_key(&geoms, |s| s.geoms).is_ok();
    if rocks || margin < ROCKING && glides() { margin.max(ROCKING) } else { margin }
}

/// Depth below which a point's share of its pair's stiffness decreases, as a fraction of the depth of the deepest point.
const SHALLOW: f64 = 0.25;

/// A depth, m, within which points touch or do not by rounding errors of poses: there all of them count.
pub(crate) const ROUNDING: f64 = 1e-12;

/// The number of points among which the stiffness of their pair is divided, so that it does not depend on their number.
///
/// A point at depth x counts by w = (x + r)/(r + ¼ X), between 0 and 1, with the depth X of the deepest point and r = min(margin,
/// X) + 1e-12 m, the margin at least [`ROCKING`]; the number is Σ w. Points therefore enter and leave with the share 0. If they counted fully as soon as
/// they touch, the force of the others would jump whenever a corner lifts, and a structure that rocks would gain energy.
pub(crate) fn points_that_share(points: &[ContactPoint], margin: f64) -> f64 {
    let margin = margin.max(ROCKING);
    let deepest = points.iter().map(|p| -p.distance).fold(0.0, f64::max);
    if deepest == 0.0 {
        return points.len() as f64;
    }
    let reach = deepest.min(margin) + ROUNDING;
    let weight = |depth: f64| ((depth + reach) / (reach + SHALLOW * deepest)).clamp(0.0, 1.0);
    points.iter().map(|p| weight(-p.distance)).sum()
}

/// Fraction of a patch's area above which a polygon is integrated with more than its centroid.
const LARGE_SHARE: f64 = 0.05;

/// Groups points and faces by geom pair and sorts the groups by body pair. Both come sorted by geom pair.
pub(crate) fn find_manifolds(compiled: &Compiled, touching: Touching, manifolds: &mut Vec<Manifold>) {
    manifolds.clear();
    let body = |geom| compiled.carrier[compiled.geom(geom).body] as u32;
    let mut add = |geoms: GeomPair, patch: bool, range: std::ops::Range<usize>| {
        let (a, b) = (body(geoms.0), body(geoms.1));
        let bodies = (a.min(b), a.max(b));
        let (begin, end) = (range.start as u32, range.end as u32);
        manifolds.push(Manifold { bodies, geoms, swapped: b < a, patch, begin, end });
    };
    let mut begin = 0;
    for group in touching.points.chunk_by(|p, q| geoms_of(p) == geoms_of(q)) {
        add(geoms_of(&group[0]), false, begin..begin + group.len());
        begin += group.len();
    }
    for found in touching.patches.patches.iter().filter(|p| !p.patch.faces.is_empty()) {
        add(found.geoms, true, found.patch.faces.clone());
    }
    manifolds.sort_unstable_by_key(|m| (m.bodies, m.geoms));
}

/// Inputs for the entries of one manifold.
pub(crate) struct ManifoldEntries<'a> {
    pub compiled: &'a Compiled,
    pub calibration: &'a StepCalibration<'a>,
    pub state: &'a State,
    /// The normal law of contact points, registered with the problem.
    pub normal_law: &'a (NormalLaw, NormalLawId),
    /// Poses of the bodies.
    pub x_wb: &'a [Pose],
    pub touching: Touching<'a>,
    pub manifold: Manifold,
    /// Point of the problem's pair.
    pub reference: Vector3<f64>,
    /// Motion of the pair at the beginning, linear at the world's origin and angular, where the calibration or springs of
    /// patches need it.
    pub relative: Option<(Vector3<f64>, Vector3<f64>)>,
    pub options: &'a Options,
    /// Factor of the limits of stiffness.
    pub load: f64,
}

impl ManifoldEntries<'_> {
    /// Adds the entries to the pair added last, their places, and the springs of a patch.
    pub fn add(
        &self,
        places: &mut Vec<EntryPlace>,
        sprung: &mut Vec<SprungPatch>,
        problem: &mut Problem,
    ) -> Result<(), ProblemError> {
        if !self.manifold.patch {
            return self.points(places, problem);
        }
        let first = problem.contact_count();
        self.faces(places, problem)?;
        let Some(springs) = &self.calibration.springs else { return Ok(()) };
        let (of, entries) = ((self.manifold.geoms, self.manifold.sign()), first..problem.contact_count());
        let x_wb = &self.x_wb[self.compiled.geom(self.manifold.geoms.1).body];
        sprung.push(SprungPatch::new(problem, of, entries, &self.state.springs, x_wb, springs)?);
        Ok(())
    }

    /// Velocity of B's surface relative to A's surface, in addition to the motion of the bodies. Zero if neither
    /// surface moves.
    fn belt(&self) -> impl Fn(&Vector3<f64>) -> Vector3<f64> + '_ {
        let geoms = self.manifold.geoms;
        let moves = surface_velocity::moves(self.compiled, geoms.0)
            || surface_velocity::moves(self.compiled, geoms.1);
        move |p| match moves {
            true => surface_velocity::relative(self.compiled, self.x_wb, geoms, p),
            false => Vector3::zeros(),
        }
    }

    fn points(&self, places: &mut Vec<EntryPlace>, problem: &mut Problem) -> Result<(), ProblemError> {
        let (manifold, range) = (self.manifold, self.manifold.range());
        let material = self.compiled.pair_material(manifold.geoms, PairMaterial::combine);
        let material = PairOverride(self.calibration.law.material).apply(material);
        let (sign, belt) = (manifold.sign(), self.belt());
        let touching = self.touching.points[range.clone()].iter().filter(|p| p.distance <= 0.0).count();
        let (law, normal_law) = self.normal_law;
        let margin = pair_margin(self.compiled, self.options, manifold.geoms);
        // A table is divided like a stiffness: its factor is the fraction.
        let whole = if matches!(law, NormalLaw::Table(_)) { 1.0 } else { material.stiffness };
        let stiffness = whole / points_that_share(&self.touching.points[range.clone()], margin);
        let softness = self.calibration.softness.map(|s| s.pair(self.compiled, manifold.geoms, &material));
        // A point that bounces came to rest in its overlap by an impulse. What the overlap stores was never paid for, so it pushes
        // out no faster than a body at rest moves.
        let mut dissipation = material.dissipation;
        let mut least_time = 0.0;
        if material.restitution > 0.0 {
            let slow = resting_speed(self.compiled, problem.settings(), problem.time_step());
            (dissipation, least_time) = (dissipation.max(1.0 / slow), 1.0 / slow);
        }
        for index in range {
            let p = &self.touching.points[index];
            let restitution = (material.restitution > 0.0).then_some(Restitution {
                coefficient: material.restitution,
                threshold: material.restitution_threshold,
                distance: p.distance,
            });
            let position = p.p_wa + material.weight_b * (p.p_wb - p.p_wa);
            let (normal, turning) = (sign * p.normal_w, &material.turning);
            let (ellipse, [friction_static, friction_dynamic]) = material.friction(-p.distance);
            let frame = match ellipse {
                None => frame_from_normal(&normal),
                Some(_) => turning::frame(self.compiled, self.x_wb, turning, manifold.geoms, &normal),
            };
            let soft = softness.map(|softness| softness.force(-p.distance, self.calibration.dt));
            let (stiffness, elastic_force) =
                soft.map_or((stiffness, -stiffness * p.distance), |soft| (soft.slope, soft.force));
            let spring = self.calibration.springs.map(|springs| {
                let together = springs.stiffness_ratio * whole;
                let stiffness = springs.stiffness_ratio * stiffness;
                let [stretch, turn] =
                    stored_stretch(self.compiled, &self.state.stretches, self.x_wb, p, &position)
                        .map(|x| frame.tr_mul(&(sign * x)));
                let damping = springs.relaxation_time.unwrap_or(0.0) * stiffness;
                let critical = springs.relaxation_time.map_or(together, |_| 0.0);
                // Rolling has no spring: over the short length of its coefficient it would yield by large angles.
                let turn = turn.z * Vector3::z();
                TangentialSpring { turn, critical, ..TangentialSpring::new(stiffness, damping, stretch.xy()) }
            });
            let belt = belt(&position);
            let mut entry = ContactEntry {
                r: position - self.reference,
                frame,
                penetration: -p.distance,
                elastic_force,
                stiffness,
                dissipation,
                // SAP pushes out at x₀/(δt + τ).
                relaxation_time: material.relaxation_time.max(-p.distance * least_time),
                friction_static,
                friction_dynamic,
                bias: sign * belt,
                normal_law: *normal_law,
                spring,
                ellipse,
                load: self.load,
            };
            let relative = self.relative.filter(|_| self.calibration.reads_velocities());
            let lagged = relative.map(|(linear, angular)| {
                let velocity = linear + angular.cross(&position) + sign * belt;
                let velocity = frame.tr_mul(&velocity);
                match soft {
                    Some(soft) => normal_impulse(&mut entry, soft.damping, self.calibration.dt, velocity.z),
                    None => self.calibration.apply(&mut entry, velocity, touching.max(1)),
                }
            });
            let contact = problem.add_contact(entry)?;
            if let Some(lagged) = lagged {
                problem.set_lagged_impulse(contact, lagged)?;
            }
            let friction = material.static_friction.max(material.dynamic_friction);
            let (source, bodies) = (EntrySource::Point(index), manifold.bodies);
            places.push(EntryPlace { source, bodies, sign, position, frame, friction, restitution });
        }
        Ok(())
    }

    /// Each face of a patch is an entry at its centroid, k = g A and f0 = A p (VLP eq. 12–16), which is exact
    /// for the force. A patch of few large polygons would have no stiffness against some rotations (two
    /// triangles under a box are two points), so a polygon with more than [`LARGE_SHARE`] of the patch is taken at
    /// [three points](crate::contact::quadrature) instead, which is exact for moments and for the rotational stiffness too.
    /// Refined patches take every polygon at the points of continuous time.
    fn faces(&self, places: &mut Vec<EntryPlace>, problem: &mut Problem) -> Result<(), ProblemError> {
        let (manifold, patches) = (self.manifold, self.touching.patches);
        let material = self.compiled.pair_material(manifold.geoms, PairMaterial::combine_patch);
        let material = PairOverride(self.calibration.law.material).apply(material);
        let (sign, belt) = (manifold.sign(), self.belt());
        let area = patches.faces.faces[manifold.range()].iter().map(|f| f.area).sum::<f64>();
        let (large, least) = (LARGE_SHARE * area, least_gradient(self.compiled, manifold.geoms));
        for index in manifold.range() {
            let face = &patches.faces.faces[index];
            let frame = frame_from_normal(&(sign * face.normal));
            let gradient = gradient_in_step(face, least);
            let mut add = |position: Vector3<f64>, share: f64, pressure: f64| {
                let (area, belt) = (share * face.area, sign * belt(&position));
                // PFC eq. 6.17, 6.18, with the normal force that limits the friction of the entry.
                let spring =
                    self.calibration.springs.zip(self.relative).map(|(springs, (linear, angular))| {
                        let speed = frame.column(2).dot(&(linear + angular.cross(&position) + belt));
                        let load = (area * pressure).max(0.0) * (1.0 - material.dissipation * speed).max(0.0);
                        let stiffness = load / springs.patches.stretch;
                        let damping = springs.patches.relaxation_time * stiffness;
                        TangentialSpring::new(stiffness, damping, Vector2::zeros())
                    });
                problem.add_contact(ContactEntry {
                    r: position - self.reference,
                    frame,
                    penetration: if gradient > 0.0 { pressure / gradient } else { 0.0 },
                    elastic_force: area * pressure,
                    stiffness: area * gradient,
                    dissipation: material.dissipation,
                    relaxation_time: material.relaxation_time,
                    friction_static: material.static_friction,
                    friction_dynamic: material.dynamic_friction,
                    bias: belt,
                    normal_law: NormalLawId::default(),
                    spring,
                    ellipse: None,
                    load: self.load,
                })?;
                let (source, bodies) = (EntrySource::Face(index, share), manifold.bodies);
                let friction = material.static_friction;
                let restitution = None;
                places.push(EntryPlace { source, bodies, sign, position, frame, friction, restitution });
                Ok(())
            };
            let refined = patches.refined;
            let polygon = (face.area > large || refined).then(|| polygon(patches, index));
            match (refined, &polygon) {
                (true, Some(polygon)) => {
                    polygon.fan_points(|position, area, pressure| match area / face.area {
                        share if share > 1e-9 => add(position, share, pressure),
                        _ => Ok(()),
                    })?
                }
                _ => match polygon.and_then(|polygon| polygon.three_points()) {
                    None => add(face.centroid, 1.0, face.pressure)?,
                    Some(points) => {
                        for (position, pressure) in points {
                            add(position, 1.0 / 3.0, pressure)?;
                        }
                    }
                },
            }
        }
        Ok(())
    }
}

/// A face as a polygon.
fn polygon(patches: &PatchSet, index: usize) -> FacePolygon<'_> {
    let (face, corners) = (&patches.faces.faces[index], patches.faces.vertex_range(index));
    FacePolygon {
        centroid: face.centroid,
        normal: face.normal,
        pressure: face.pressure,
        vertices: &patches.faces.vertices[corners.clone()],
        pressures: &patches.faces.vertex_pressure[corners],
    }
}

/// Stretch and turn stored nearest to a contact point of the same geom pair, world axes; zero for a new contact.
pub(crate) fn stored_stretch(
    compiled: &Compiled,
    stretches: &[ContactStretch],
    x_wb: &[Pose],
    contact: &ContactPoint,
    position: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    let geoms = geoms_of(contact);
    let begin = stretches.partition_point(|s| s.geoms < geoms);
    let same = stretches[begin..].iter().take_while(|s| s.geoms == geoms);
    let x_wa = &x_wb[compiled.geom(geoms.0).body];
    let p_a = x_wa.inverse_transform_point(&nalgebra::Point3::from(*position)).coords;
    let nearest =
        same.min_by(|s, t| (s.point_a - p_a).norm_squared().total_cmp(&(t.point_a - p_a).norm_squared()));
    nearest.map_or([Vector3::zeros(); 2], |s| [s.stretch, s.turn].map(|x| x_wa.rotation * x))
}
