//! How a pair overlaps at given poses: its contact points, or what its patch says where there are none.
//!
//! Two surfaces that are not convex have no contact points. If one of them has a pressure field, they have a patch: it stands for one
//! point at its centre of pressure, along its force, as deep as the face of it that is furthest from zero pressure,
//! max p/g with p the pressure of a face and g the gradient along its normal.

use crate::contact::patches::{gradient_in_step, least_gradient};
use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use stiction_geometry::patch::{
    ContactSolid, FaceFilter, PatchFaces, PatchOptions, PatchScratch, contact_patch,
};
use stiction_geometry::point::{Scratch, contact_pair, is_supported};
use stiction_geometry::{Aabb, ContactPoint, Shape};
use stiction_model::Pose;

/// Memory of [`Overlap::find`].
#[derive(Default)]
pub(super) struct OverlapScratch {
    points: Scratch,
    patches: PatchScratch,
    faces: PatchFaces,
}

/// A pair of shapes.
pub(super) struct Overlap<'a> {
    shapes: [&'a Shape; 2],
    /// With the least gradient of a face, Pa/m; of surfaces that have a patch and no points.
    solids: Option<([&'a ContactSolid; 2], f64)>,
}

/// Whether the overlap of a pair can be told.
pub(super) fn can_be_told(compiled: &Compiled, pair: GeomPair) -> bool {
    let kinds = [pair.0, pair.1].map(|g| compiled.geom(g).shape.kind());
    is_supported(kinds[0], kinds[1]) || compiled.geoms.makes_patch(pair.0.index(), pair.1.index())
}

impl<'a> Overlap<'a> {
    pub fn new(compiled: &'a Compiled, pair: GeomPair) -> Self {
        let shapes = [pair.0, pair.1].map(|g| &compiled.geom(g).shape);
        let pointless = !is_supported(shapes[0].kind(), shapes[1].kind());
        let solids = || ([compiled.solid(pair.0), compiled.solid(pair.1)], least_gradient(compiled, pair));
        Self { shapes, solids: pointless.then(solids) }
    }

    /// Distance of the boxes around the shapes along the axis on which they are furthest apart; at most 0 if they meet.
    pub fn gap_of_boxes(&self, x_a: &Pose, x_b: &Pose) -> f64 {
        let [a, b]: [Aabb; 2] = [self.shapes[0].aabb(x_a), self.shapes[1].aabb(x_b)];
        (a.min - b.max).sup(&(b.min - a.max)).max()
    }

    /// Appends the pair's points at poses of the geoms, those apart up to `margin`. The geoms are numbered 0 and 1.
    pub fn find(
        &self,
        x_a: &Pose,
        x_b: &Pose,
        margin: f64,
        scratch: &mut OverlapScratch,
        points: &mut Vec<ContactPoint>,
    ) {
        let Some(([solid_a, solid_b], least)) = self.solids else {
            contact_pair((self.shapes[0], x_a), (self.shapes[1], x_b), margin, &mut scratch.points, points);
            return;
        };
        let options = PatchOptions { filter: FaceFilter::All, ..PatchOptions::default() };
        let OverlapScratch { patches, faces, .. } = scratch;
        faces.clear();
        let Ok(patch) = contact_patch(solid_a, x_a, solid_b, x_b, &options, patches, faces) else { return };
        let Some(normal_w) = patch.force.try_normalize(0.0) else { return };
        let depth =
            |face: &stiction_geometry::patch::PatchFace| face.pressure / gradient_in_step(face, least);
        let depth = faces.faces.iter().map(depth).fold(0.0, f64::max);
        let half = 0.5 * depth * normal_w;
        let (p_wa, p_wb) = (patch.center_of_pressure + half, patch.center_of_pressure - half);
        points.push(ContactPoint { geom_a: 0, geom_b: 1, normal_w, p_wa, p_wb, distance: -depth });
    }
}
