//! Detection of the contact patches of a step. `patch_view.rs` has their results, `patch_faults.rs` detects
//! unreliable patches.
//!
//! Pressure-field contact in discrete time (VLP III–IV): the geometry gives polygons of the surface of equal
//! pressure at the beginning of the step; each is an entry of the convex problem with k = g A and f0 = A p.
//! The results of the solve are stored per face. (The assembly refines large polygons, see `entries.rs`.)

use crate::contact::patch_faults::{PatchFault, Side};
use crate::model::{Compiled, Model};
use crate::options::Options;
use stiction_geometry::patch::{
    FaceFilter, Patch, PatchFace, PatchFaces, PatchOptions, PatchScratch, Tessellation, contact_patch,
};
use stiction_model::Pose;

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
/// fields of the two bodies have it. The bound changes neither the force at the beginning of a step nor forces at
/// rest. It only changes the slope of the force within the step.
const LEAST_SLOPE: f64 = 0.5;

/// That least gradient for a pair of geoms, Pa/m.
pub(crate) fn least_gradient(compiled: &Compiled, (geom_a, geom_b): (usize, usize)) -> f64 {
    LEAST_SLOPE / (compiled.solids[geom_a].compliance() + compiled.solids[geom_b].compliance())
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
    pub fn new(compiled: &Compiled, geoms: (usize, usize), patch: Patch) -> Self {
        let (geom_a, geom_b) = geoms;
        Self { geom_a, geom_b, patch, least_gradient: least_gradient(compiled, geoms) }
    }
}

/// All patches of a step.
#[derive(Default)]
pub(crate) struct PatchSet {
    pub patches: Vec<FoundPatch>,
    pub faces: PatchFaces,
    /// Geom pairs with an unreliable patch in this step.
    pub faults: Vec<(usize, usize, PatchFault)>,
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
            // Fails only for two rigid bodies, which are not candidates.
            let Ok(patch) = contact_patch(solid_a, &x_wa, solid_b, &x_wb, &settings, scratch, faces) else {
                continue;
            };
            self.note_fault(model, (geom_a, geom_b), poses, &patch);
            if !patch.faces.is_empty() {
                self.patches.push(FoundPatch::new(compiled, (geom_a, geom_b), patch));
            }
        }
    }

    /// Finds only the patch of one pair of geoms at given poses of the geoms.
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

    /// Records whether the fields of a patch coincide. This matters in continuous time, which follows every surface.
    pub fn note_coincident(&mut self, geoms: (usize, usize), patch: &Patch) {
        if patch.coincident > 0 {
            self.faults.push((geoms.0, geoms.1, PatchFault::Coincident));
        }
    }

    /// Records the fault of a patch, if it has one. `poses` are the poses of the bodies.
    pub fn note_fault(
        &mut self,
        model: &Model,
        (geom_a, geom_b): (usize, usize),
        poses: &[Pose],
        patch: &Patch,
    ) {
        let compiled = model.compiled();
        let side = |index: usize| {
            let geom = &compiled.geoms.geoms()[index];
            Side { geom, solid: &compiled.solids[index], x_wg: poses[geom.body] * geom.x_bg }
        };
        if let Some(fault) = PatchFault::of(patch, &side(geom_a), &side(geom_b)) {
            self.faults.push((geom_a, geom_b, fault));
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
