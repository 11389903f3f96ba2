//! Detection of the contact patches of a step. `patch_view.rs` has their results, `patch_faults.rs` detects
//! unreliable patches.
//!
//! Pressure-field contact in discrete time (VLP III–IV): the geometry gives polygons of the surface of equal
//! pressure at the beginning of the step; each is an entry of the convex problem with k = g A and f0 = A p.
//! The results of the solve are stored per face. (The assembly refines large polygons, see `entries.rs`.)

use crate::contact::patch_faults::{PatchFault, Side};
use crate::model::geom_id::GeomPair;
use crate::model::{CollidingGeomId, Compiled, Model};
use crate::options::Options;
use stiction_geometry::patch::{
    FaceFilter, Patch, PatchFace, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
};
use stiction_model::Pose;

/// A patch between two geoms of the geometry.
#[derive(Clone, Debug)]
pub(crate) struct FoundPatch {
    pub geoms: GeomPair,
    pub patch: Patch,
    /// Least gradient of its faces in a step, Pa/m.
    pub least_gradient: f64,
}

/// Least gradient of a face in a step, over that of two surfaces that face each other: pressure over the depth at which the
/// fields of the two bodies have it. The bound changes neither the force at the beginning of a step nor forces at
/// rest. It only changes the slope of the force within the step.
const LEAST_SLOPE: f64 = 0.5;

/// That least gradient for a pair of geoms, Pa/m.
pub(crate) fn least_gradient(compiled: &Compiled, (a, b): GeomPair) -> f64 {
    LEAST_SLOPE / (compiled.solid(a).compliance() + compiled.solid(b).compliance())
}

/// Gradient of a face in a step, Pa/m.
///
/// A face that pushes less the deeper the bodies are pressed (g < 0) keeps its force and gets the stiffness |g|
/// over the step: the problem stays convex, the wrench stays continuous when such faces appear or vanish at the
/// edge, and no face keeps pushing a body that separates. With less than |g|, the front of a body that is completely
/// inside another yields over the step while its back does not, and light bodies are drawn in or ejected: the energy
/// ½ A p²/g of the back, which a step may release, must not exceed the stored energy. The bound also limits faces
/// along whose normal the pressure hardly changes. Otherwise they would push over the distance p/g, which may be
/// metres.
pub(crate) fn gradient_in_step(face: &PatchFace, least: f64) -> f64 {
    face.gradient.abs().max(least)
}

impl FoundPatch {
    pub fn new(compiled: &Compiled, geoms: GeomPair, patch: Patch) -> Self {
        Self { geoms, patch, least_gradient: least_gradient(compiled, geoms) }
    }
}

/// All patches of a step.
#[derive(Default)]
pub(crate) struct PatchSet {
    pub patches: Vec<FoundPatch>,
    pub faces: PatchFaces,
    /// Geom pairs with an unreliable patch in this step.
    pub faults: Vec<(GeomPair, PatchFault)>,
    /// Whether every polygon uses the quadrature points of continuous time.
    pub refined: bool,
    scratch: PatchScratch,
}

impl PatchSet {
    pub fn clear(&mut self) {
        self.patches.clear();
        self.faces.clear();
        self.faults.clear();
    }

    /// Finds the patches of all candidate pairs of geoms.
    pub fn find(
        &mut self,
        model: &Model,
        options: &Options,
        poses: &[Pose],
        pairs: impl Iterator<Item = GeomPair>,
    ) {
        self.clear();
        self.refined = options.tessellation == Tessellation::Refined;
        let compiled = model.compiled();
        for (a, b) in pairs {
            let (one, two) = (compiled.geom(a), compiled.geom(b));
            let (x_wa, x_wb) = (poses[one.body] * one.x_bg, poses[two.body] * two.x_bg);
            let settings = settings(options, one.margin.max(two.margin));
            let (solid_a, solid_b) = (compiled.solid(a), compiled.solid(b));
            let (scratch, faces) = (&mut self.scratch, &mut self.faces);
            // Fails only for two rigid bodies, which are not candidates.
            let Ok(patch) = contact_patch(solid_a, &x_wa, solid_b, &x_wb, &settings, scratch, faces) else {
                continue;
            };
            self.note_fault(model, (a, b), poses, &patch);
            if !patch.faces.is_empty() {
                self.patches.push(FoundPatch::new(compiled, (a, b), patch));
            }
        }
    }

    /// Finds only the patch of one pair of geoms at given poses of the geoms.
    pub fn find_pair(
        &mut self,
        model: &Model,
        options: &Options,
        (a, b): GeomPair,
        (x_wa, x_wb): (&Pose, &Pose),
    ) {
        self.clear();
        self.refined = options.tessellation == Tessellation::Refined;
        let compiled = model.compiled();
        let settings = settings(options, compiled.geom(a).margin.max(compiled.geom(b).margin));
        let (solid_a, solid_b) = (compiled.solid(a), compiled.solid(b));
        let (scratch, faces) = (&mut self.scratch, &mut self.faces);
        if let Ok(patch) = contact_patch(solid_a, x_wa, solid_b, x_wb, &settings, scratch, faces) {
            self.patches.push(FoundPatch::new(compiled, (a, b), patch));
        }
    }

    /// Records whether the fields of a patch coincide. This matters in continuous time, which follows every surface.
    pub fn note_coincident(&mut self, geoms: GeomPair, patch: &Patch) {
        if patch.coincident > 0 {
            self.faults.push((geoms, PatchFault::Coincident));
        }
    }

    /// Records the fault of a patch, if it has one. `poses` are the poses of the bodies.
    pub fn note_fault(&mut self, model: &Model, (a, b): GeomPair, poses: &[Pose], patch: &Patch) {
        let compiled = model.compiled();
        let side = |id: CollidingGeomId| {
            let geom = compiled.geom(id);
            Side { geom, solid: compiled.solid(id), x_wg: poses[geom.body] * geom.x_bg }
        };
        if let Some(fault) = PatchFault::of(patch, &side(a), &side(b)) {
            self.faults.push(((a, b), fault));
        }
    }

    /// Depth of a patch, m: its force over its stiffness in a step.
    pub fn depth(&self, found: &FoundPatch) -> f64 {
        let faces = self.faces.faces[found.patch.faces.clone()].iter().filter(|f| f.pressure > 0.0);
        let gradient = |face: &PatchFace| gradient_in_step(face, found.least_gradient);
        let (force, stiffness) =
            faces.fold((0.0, 0.0), |(f, k), face| (f + face.force(), k + face.area * gradient(face)));
        if stiffness > 0.0 { force / stiffness } else { 0.0 }
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
