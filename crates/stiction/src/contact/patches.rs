//! Contact patches of a step: finding them, and telling what they carried.
//!
//! Pressure-field contact in discrete time (VLP III–IV): the geometry gives polygons of the surface of equal
//! pressure at the beginning of the step; each is an entry of the convex problem with k = g A and f0 = A p.
//! What the solve makes of them is kept per face. (The assembly refines large polygons, see there.)

use crate::model::{Compiled, Model};
use crate::options::Options;
use nalgebra::Vector3;
use std::ops::Range;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, Patch, PatchFace, PatchFaces, PatchOptions, PatchScratch, Tessellation,
    contact_patch,
};
use stiction_geometry::{Geom, Shape};
use stiction_model::{Pose, Warning};

/// A patch between two geoms of the geometry.
#[derive(Clone, Debug)]
pub(crate) struct FoundPatch {
    pub geom_a: usize,
    pub geom_b: usize,
    pub patch: Patch,
    /// Least gradient of its faces in a step, Pa/m.
    pub least_gradient: f64,
}

/// Least gradient of a face in a step, over that of two surfaces that face each other: pressure over the depth at which the
/// fields of the two bodies have it. The force at the beginning of a step is what it is, and so are forces at rest; only how
/// it changes within the step does.
const LEAST_SLOPE: f64 = 0.5;

/// That least gradient for a pair of geoms, Pa/m.
pub(crate) fn least_gradient(compiled: &Compiled, (geom_a, geom_b): (usize, usize)) -> f64 {
    LEAST_SLOPE / (compiled.solids[geom_a].compliance() + compiled.solids[geom_b].compliance())
}

/// Gradient of a face in a step, Pa/m.
///
/// A face that pushes less the deeper the bodies are pressed (g < 0) keeps its force and gets the stiffness |g|
/// over the step: the problem stays convex, the wrench stays continuous while such faces come and go at the
/// rim, and no face pushes on whatever moves away from it. With less than |g|, the front of a body that is wholly
/// inside another yields over the step while its back does not, and what is light is drawn in or thrown:
/// the energy ½ A p²/g of the back, which a step may release, must be no more than there is. Nor does a face along
/// whose normal the pressure hardly changes push on as far as p/g, which may be metres.
pub(crate) fn gradient_in_step(face: &PatchFace, least: f64) -> f64 {
    face.gradient.abs().max(least)
}

impl FoundPatch {
    pub fn new(compiled: &Compiled, geoms: (usize, usize), patch: Patch) -> Self {
        let (geom_a, geom_b) = geoms;
        Self { geom_a, geom_b, patch, least_gradient: least_gradient(compiled, geoms) }
    }
}

/// What the solve made of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FaceResult {
    /// Force on B, N, world axes.
    pub force: Vector3<f64>,
    /// Moment of that force about the face's centroid, N m, world axes.
    pub moment: Vector3<f64>,
    /// Tangential velocity of B relative to A, m/s, world axes.
    pub slip: Vector3<f64>,
}

/// What a patch may not be trusted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// The core of a field is reached: deeper does not push harder.
    Core,
    /// The patch wraps around one of the bodies, so that most of its pressure cancels: a thin body is pressed
    /// through.
    Pierced,
    /// A compliant body lies wholly inside a rigid one: nothing pushes it out.
    Swallowed,
    /// Fields coincide in a part of the overlap: no surface separates the bodies there.
    Coincident,
}

/// Share of the field's range from which on its core counts as reached.
const CORE: f64 = 0.9;

/// Share of the pressure that must be left as force. A ball that is pressed half into a soft floor keeps 2/3, one that
/// is wholly inside 1/3; a plate pressed in by twice its thickness keeps 1/3.
const LEFT: f64 = 0.5;

impl Doubt {
    /// What is wrong with a patch between two geoms, if anything is.
    fn of(patch: &Patch, a: &Side, b: &Side) -> Option<Self> {
        if patch.swallowed {
            Some(Self::Swallowed)
        } else if patch.peak_extent >= CORE {
            Some(Self::Core)
        } else if patch.force.norm() < LEFT * patch.pressure_integral && Side::pierced(a, b, patch) {
            Some(Self::Pierced)
        } else {
            None
        }
    }
}

/// One body of a patch.
struct Side<'a> {
    geom: &'a Geom,
    solid: &'a ContactSolid,
    x_wg: Pose,
}

impl Side<'_> {
    /// Whether pressure that cancels has no good reason. Between convex shapes there is none. A convex body may have
    /// pressure all around in a hole of another, but then the middle of the patch is not filled by that one.
    fn pierced(a: &Self, b: &Self, patch: &Patch) -> bool {
        let bounded = |s: &Self| s.geom.shape.kind().is_bounded_convex();
        let convex = |s: &Self| bounded(s) || matches!(s.geom.shape, Shape::HalfSpace);
        let fills = |s: &Self| match s.solid {
            ContactSolid::Compliant(solid) => {
                solid.contains(&s.x_wg.inverse_transform_point(&patch.centroid.into()).coords)
            }
            _ => false,
        };
        (convex(a) && convex(b)) || (bounded(a) && fills(b)) || (bounded(b) && fills(a))
    }
}

/// All patches of a step.
#[derive(Default)]
pub(crate) struct PatchSet {
    pub patches: Vec<FoundPatch>,
    pub faces: PatchFaces,
    /// One a face.
    pub results: Vec<FaceResult>,
    /// Geom pairs whose patch is not to be trusted, now.
    pub doubtful: Vec<(usize, usize, Doubt)>,
    /// Those for which that ever happened, in order, each once: grows only when a new one comes.
    doubts: Vec<(usize, usize, Doubt)>,
    /// Whether every polygon is taken at the points of continuous time.
    pub refined: bool,
    scratch: PatchScratch,
}

/// A contact patch after the solve. Vectors are in world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPatch {
    /// Index of geom A in the world's list; smaller than B's.
    pub geom_a: usize,
    /// Index of geom B.
    pub geom_b: usize,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Vertices of the polygons at the beginning of the step, m.
    pub vertices: Vec<Vector3<f64>>,
    /// Indices of each polygon's vertices, counter-clockwise about its normal.
    pub polygons: Vec<Vec<u32>>,
    /// Pressure of the field at each vertex, Pa; negative on speculative faces.
    pub pressure: Vec<f64>,
    /// Area of each polygon, m².
    pub areas: Vec<f64>,
    /// Unit normal of each polygon, from A into B.
    pub normals: Vec<Vector3<f64>>,
    /// Centroid of each polygon, m.
    pub centroids: Vec<Vector3<f64>>,
    /// Force on B over area of each polygon, Pa.
    pub traction: Vec<Vector3<f64>>,
    /// Tangential velocity of B relative to A at each polygon's centroid at the end of the step, m/s.
    pub slip: Vec<Vector3<f64>>,
    /// Area under pressure, m².
    pub area: f64,
    /// Centroid of that area, m.
    pub centroid: Vector3<f64>,
    /// Pressure-weighted centre, m.
    pub center_of_pressure: Vector3<f64>,
    /// Force on body B, N: the step's impulse over its length.
    pub force: Vector3<f64>,
    /// Moment on body B about the centroid, N m.
    pub moment: Vector3<f64>,
    /// Largest pressure over the smallest modulus involved. Near 1 the core of a field is reached, and the force
    /// no longer grows with depth as it should: the body is too thin or too soft for its load.
    pub peak_extent: f64,
}

impl PatchSet {
    pub fn clear(&mut self) {
        self.patches.clear();
        self.faces.clear();
        self.results.clear();
        self.doubtful.clear();
    }

    /// Finds the patches of all candidate pairs of geoms.
    pub fn find(&mut self, model: &Model, options: &Options, poses: &[Pose], pairs: &[(u32, u32)]) {
        self.clear();
        self.refined = options.tessellation == Tessellation::Refined;
        let compiled = model.compiled();
        let geoms = compiled.geoms.geoms();
        for &(a, b) in pairs {
            let (geom_a, geom_b) = (a as usize, b as usize);
            let (one, two) = (&geoms[geom_a], &geoms[geom_b]);
            let (x_wa, x_wb) = (poses[one.body] * one.x_bg, poses[two.body] * two.x_bg);
            let settings = settings(options, one.margin.max(two.margin));
            let (solid_a, solid_b) = (&compiled.solids[geom_a], &compiled.solids[geom_b]);
            let (scratch, faces) = (&mut self.scratch, &mut self.faces);
            // Refused only for two rigid bodies, which are no candidates.
            let Ok(patch) = contact_patch(solid_a, &x_wa, solid_b, &x_wb, &settings, scratch, faces) else {
                continue;
            };
            self.doubt(model, (geom_a, geom_b), poses, &patch);
            if !patch.faces.is_empty() {
                self.patches.push(FoundPatch::new(compiled, (geom_a, geom_b), patch));
            }
        }
    }

    /// Finds the patch of one pair of geoms at given poses of the geoms, and nothing else.
    pub fn find_pair(
        &mut self,
        model: &Model,
        options: &Options,
        (geom_a, geom_b): (usize, usize),
        (x_wa, x_wb): (&Pose, &Pose),
    ) {
        self.clear();
        self.refined = options.tessellation == Tessellation::Refined;
        let compiled = model.compiled();
        let geoms = compiled.geoms.geoms();
        let settings = settings(options, geoms[geom_a].margin.max(geoms[geom_b].margin));
        let (solid_a, solid_b) = (&compiled.solids[geom_a], &compiled.solids[geom_b]);
        let (scratch, faces) = (&mut self.scratch, &mut self.faces);
        if let Ok(patch) = contact_patch(solid_a, x_wa, solid_b, x_wb, &settings, scratch, faces) {
            self.patches.push(FoundPatch::new(compiled, (geom_a, geom_b), patch));
        }
    }

    /// Notes that fields coincide in a patch, if they do: continuous time, which follows every surface, minds.
    pub fn doubt_coincident(&mut self, geoms: (usize, usize), patch: &Patch) {
        if patch.coincident > 0 {
            self.doubtful.push((geoms.0, geoms.1, Doubt::Coincident));
        }
    }

    /// Notes what is wrong with a patch, if anything is; `poses` are those of the bodies.
    pub fn doubt(&mut self, model: &Model, (geom_a, geom_b): (usize, usize), poses: &[Pose], patch: &Patch) {
        let compiled = model.compiled();
        let side = |index: usize| {
            let geom = &compiled.geoms.geoms()[index];
            Side { geom, solid: &compiled.solids[index], x_wg: poses[geom.body] * geom.x_bg }
        };
        if let Some(doubt) = Doubt::of(patch, &side(geom_a), &side(geom_b)) {
            self.doubtful.push((geom_a, geom_b, doubt));
        }
    }

    /// Whether there is a result for each face. There is none if the step failed.
    pub fn solved(&self) -> bool {
        self.results.len() == self.faces.faces.len()
    }

    /// Remembers the pairs in doubt: called for steps that count, not for those that were only tried.
    pub fn remember_doubts(&mut self) {
        for doubt in &self.doubtful {
            if let Err(place) = self.doubts.binary_search(doubt) {
                self.doubts.insert(place, *doubt);
            }
        }
    }

    /// A warning for each geom pair whose patch was ever not to be trusted.
    pub fn warnings(&self, model: &Model) -> Vec<Warning> {
        let compiled = model.compiled();
        let describe = |&(a, b, doubt): &(usize, usize, Doubt)| {
            let [a, b] = [a, b].map(|g| &compiled.world.geoms[compiled.colliding[g]]);
            let names = format!("\"{}\" and \"{}\"", a.name, b.name);
            let message = match doubt {
                Doubt::Core => format!(
                    "the patch between {names} reached {:.0} % of a modulus, the core of the pressure field: beyond \
                     it force does not grow with depth, so the grip is weaker and deeper than it would be; raise the \
                     hydroelastic modulus, make the thin body rigid, or press less",
                    100.0 * CORE
                ),
                Doubt::Pierced => format!(
                    "the patch between {names} wraps around one of them and more than half of its pressure cancels: \
                     the body is thinner than the depth it is pressed in (or sharp, or wholly inside); raise the \
                     hydroelastic modulus or press less"
                ),
                Doubt::Swallowed => format!(
                    "of {names} one lies wholly inside the other, out of reach of its surface: nothing pushes it \
                     out; take smaller steps, or a softer landing"
                ),
                Doubt::Coincident => format!(
                    "the pressure fields of {names} coincide in a part of their overlap, so that no surface separates them \
                     there and the patch has a hole at its rim: like bodies stand exactly above each other; turn or shift \
                     one of them a little, or give it another size or modulus"
                ),
            };
            Warning { source: a.source.clone(), message }
        };
        self.doubts.iter().map(describe).collect()
    }

    /// How deep a patch is pressed, m: its force over its stiffness in a step.
    pub fn depth(&self, found: &FoundPatch) -> f64 {
        let faces = self.faces.faces[found.patch.faces.clone()].iter().filter(|f| f.pressure > 0.0);
        let gradient = |face: &PatchFace| gradient_in_step(face, found.least_gradient);
        let (force, stiffness) =
            faces.fold((0.0, 0.0), |(f, k), face| (f + face.force(), k + face.area * gradient(face)));
        if stiffness > 0.0 { force / stiffness } else { 0.0 }
    }

    /// The patches and what the solve made of them, as they lie in memory; none if the step failed.
    pub fn views<'a>(&'a self, model: &'a Model) -> impl ExactSizeIterator<Item = PatchView<'a>> {
        let compiled = model.compiled();
        let geoms = compiled.geoms.geoms();
        let solved = if self.solved() { &self.patches[..] } else { &[] };
        solved.iter().map(move |found| {
            let range = found.patch.faces.clone();
            let (faces, results) = (&self.faces.faces[range.clone()], &self.results[range.clone()]);
            let first = self.faces.vertex_range(range.start).start;
            let last = self.faces.vertex_range(range.end - 1).end;
            let moment = |(f, r): (&PatchFace, &FaceResult)| {
                (f.centroid - found.patch.centroid).cross(&r.force) + r.moment
            };
            PatchView {
                geom_a: compiled.colliding[found.geom_a],
                geom_b: compiled.colliding[found.geom_b],
                body_a: geoms[found.geom_a].body,
                body_b: geoms[found.geom_b].body,
                vertices: &self.faces.vertices[first..last],
                pressure: &self.faces.vertex_pressure[first..last],
                area: found.patch.area,
                centroid: found.patch.centroid,
                center_of_pressure: found.patch.center_of_pressure,
                force: results.iter().map(|r| r.force).sum(),
                moment: faces.iter().zip(results).map(moment).sum(),
                peak_extent: found.patch.peak_extent,
                faces: range,
                set: self,
            }
        })
    }
}

/// A contact patch after the solve, as it lies in the simulation's memory. Vectors are in world axes.
///
/// For those who look at every step; [`ContactPatch`] is the same to keep.
#[derive(Clone)]
pub struct PatchView<'a> {
    /// Index of geom A in the world's list; smaller than B's.
    pub geom_a: usize,
    /// Index of geom B.
    pub geom_b: usize,
    /// Index of the body that carries A.
    pub body_a: usize,
    /// Index of the body that carries B.
    pub body_b: usize,
    /// Vertices of the polygons at the beginning of the step, m; those of a face follow each other.
    pub vertices: &'a [Vector3<f64>],
    /// Pressure of the field at each vertex, Pa; negative on speculative faces.
    pub pressure: &'a [f64],
    /// Area under pressure, m².
    pub area: f64,
    /// Centroid of that area, m.
    pub centroid: Vector3<f64>,
    /// Pressure-weighted centre, m.
    pub center_of_pressure: Vector3<f64>,
    /// Force on body B, N: the step's impulse over its length.
    pub force: Vector3<f64>,
    /// Moment on body B about the centroid, N m.
    pub moment: Vector3<f64>,
    /// Largest pressure over the smallest modulus involved, see [`ContactPatch::peak_extent`].
    pub peak_extent: f64,
    faces: Range<usize>,
    set: &'a PatchSet,
}

/// A polygon of a [`PatchView`].
#[derive(Clone, Debug, PartialEq)]
pub struct FaceView {
    /// Its vertices in those of the patch, counter-clockwise about the normal.
    pub vertices: Range<usize>,
    /// Area, m².
    pub area: f64,
    /// Unit normal, from A into B.
    pub normal: Vector3<f64>,
    /// Centroid, m.
    pub centroid: Vector3<f64>,
    /// Force on B, N.
    pub force: Vector3<f64>,
    /// Tangential velocity of B relative to A at the centroid at the end of the step, m/s.
    pub slip: Vector3<f64>,
}

impl FaceView {
    /// Force on B over area, Pa.
    pub fn traction(&self) -> Vector3<f64> {
        self.force / self.area
    }
}

impl PatchView<'_> {
    /// The polygons in order.
    pub fn faces(&self) -> impl ExactSizeIterator<Item = FaceView> + '_ {
        let first = self.set.faces.vertex_range(self.faces.start).start;
        self.faces.clone().map(move |f| {
            let (face, result) = (&self.set.faces.faces[f], &self.set.results[f]);
            let vertices = self.set.faces.vertex_range(f);
            FaceView {
                vertices: vertices.start - first..vertices.end - first,
                area: face.area,
                normal: face.normal,
                centroid: face.centroid,
                force: result.force,
                slip: result.slip,
            }
        })
    }

    /// The patch, to keep. Allocates.
    pub fn to_patch(&self) -> ContactPatch {
        ContactPatch {
            geom_a: self.geom_a,
            geom_b: self.geom_b,
            body_a: self.body_a,
            body_b: self.body_b,
            vertices: self.vertices.to_vec(),
            polygons: self.faces().map(|f| f.vertices.map(|v| v as u32).collect()).collect(),
            pressure: self.pressure.to_vec(),
            areas: self.faces().map(|f| f.area).collect(),
            normals: self.faces().map(|f| f.normal).collect(),
            centroids: self.faces().map(|f| f.centroid).collect(),
            traction: self.faces().map(|f| f.traction()).collect(),
            slip: self.faces().map(|f| f.slip).collect(),
            area: self.area,
            centroid: self.centroid,
            center_of_pressure: self.center_of_pressure,
            force: self.force,
            moment: self.moment,
            peak_extent: self.peak_extent,
        }
    }
}

fn settings(options: &Options, margin: f64) -> PatchOptions {
    PatchOptions {
        tessellation: options.tessellation,
        margin: options.margin.max(margin),
        vertices: true,
        filter: FaceFilter::All,
        ..PatchOptions::default()
    }
}
