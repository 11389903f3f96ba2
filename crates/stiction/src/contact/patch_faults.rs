//! Unreliable patches and their warnings.

use crate::contact::patches::PatchSet;
use crate::model::Model;
use crate::model::geom_id::GeomPair;
use stiction_geometry::patch::{ContactSolid, Patch};
use stiction_geometry::{Geom, Shape};
use stiction_model::{Pose, Warning};

/// Reason why a patch is unreliable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PatchFault {
    /// The core of a pressure field is reached: the force no longer grows with depth.
    Core,
    /// The patch wraps around one of the bodies, so most of its pressure cancels: a thin body is pressed through.
    Pierced,
    /// A compliant body lies completely inside a rigid one: no force pushes it out.
    Swallowed,
    /// The pressure fields coincide in a part of the overlap: no surface separates the bodies there.
    Coincident,
}

/// Fraction of the field's range above which the core counts as reached.
const CORE: f64 = 0.9;

/// Fraction of the pressure that must remain as net force. A ball pressed halfway into a soft floor keeps 2/3, a
/// ball completely inside keeps 1/3, and a plate pressed in by twice its thickness keeps 1/3.
const LEFT: f64 = 0.5;

impl PatchFault {
    /// The fault of a patch between two geoms, if it has one.
    pub fn of(patch: &Patch, a: &Side, b: &Side) -> Option<Self> {
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
pub(crate) struct Side<'a> {
    pub geom: &'a Geom,
    pub solid: &'a ContactSolid,
    pub x_wg: Pose,
}

impl Side<'_> {
    /// Whether cancelling pressure indicates a fault. Between convex shapes it always does. A convex body in a hole
    /// of another body can have pressure on all sides, but then the centre of the patch is outside that other body.
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

/// The geom pairs whose patch was unreliable in any step, sorted, without duplicates.
#[derive(Default)]
pub(crate) struct PatchWarnings(Vec<(GeomPair, PatchFault)>);

impl PatchWarnings {
    /// Adds the pairs of an accepted step. Allocates only for a new pair.
    pub fn add(&mut self, patches: &PatchSet) {
        for fault in &patches.faults {
            if let Err(place) = self.0.binary_search(fault) {
                self.0.insert(place, *fault);
            }
        }
    }

    /// A warning for each geom pair whose patch was unreliable in any step.
    pub fn warnings(&self, model: &Model) -> Vec<Warning> {
        let compiled = model.compiled();
        let describe = |&((a, b), fault): &(GeomPair, PatchFault)| {
            let [a, b] = [a, b].map(|g| compiled.described(g));
            let names = format!("\"{}\" and \"{}\"", a.name, b.name);
            let message = match fault {
                PatchFault::Core => format!(
                    "the patch between {names} reached {:.0} % of a modulus, the core of the pressure field: beyond \
                     it force does not grow with depth, so the grip is weaker and deeper than it would be; raise the \
                     hydroelastic modulus, make the thin body rigid, or press less",
                    100.0 * CORE
                ),
                PatchFault::Pierced => format!(
                    "the patch between {names} wraps around one of them and more than half of its pressure cancels: \
                     the body is thinner than the depth it is pressed in (or sharp, or wholly inside); raise the \
                     hydroelastic modulus or press less"
                ),
                PatchFault::Swallowed => format!(
                    "one of {names} lies wholly inside the other, away from its surface: no force pushes it \
                     out; use smaller steps or reduce the impact speed"
                ),
                PatchFault::Coincident => format!(
                    "the pressure fields of {names} coincide in a part of their overlap, so that no surface separates them \
                     there and the patch has a hole at its edge: equal bodies are exactly aligned; rotate or shift \
                     one of them slightly, or change its size or modulus"
                ),
            };
            Warning { source: a.source.clone(), message }
        };
        self.0.iter().map(describe).collect()
    }
}
