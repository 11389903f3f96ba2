//! A convex shape placed in the frame of a mesh.

use super::super::Frame;
use super::super::core::{Core, highest};
use super::super::gjk::{CorePair, Outcome, distance};
use crate::{Aabb, V3};

/// The convex shape in the frame of the mesh.
pub(super) struct Placed<'a> {
    pub core: Core<'a>,
    pub x: Frame,
    pub radius: f64,
    /// Radius and margin.
    pub reach: f64,
    /// The surface is terrain, and solid as far down as the shape's centre: every face counts as one in front of which it is.
    pub under_terrain: bool,
}

impl Placed<'_> {
    /// Lowest point of the core, along `m`.
    pub fn low_along(&self, m: &V3) -> f64 {
        let d = self.x.local_dir(m);
        self.x.p.dot(m) + self.core.support(&-d).dot(&d)
    }

    /// Gap between the highest corner of a face and the lowest point of the core, along `m`.
    pub fn gap_along(&self, corners: &[V3; 3], m: &V3) -> f64 {
        self.low_along(m) - corners[highest(corners, m)].dot(m)
    }

    pub fn center(&self) -> V3 {
        self.x.point(&self.core.center())
    }

    /// Whether the core is within reach of a box: true where that is not clear.
    pub fn is_near(&self, b: &Aabb) -> bool {
        let reach = self.reach.max(0.0);
        let (middle, center) = (b.center(), self.center());
        let Some(n) = (center - center.sup(&b.min).inf(&b.max)).try_normalize(1e-300) else { return true };
        let half = b.half();
        if self.low_along(&n) - n.dot(&middle) - n.abs().dot(&half) > reach {
            return false;
        }
        if let Core::Point = self.core {
            return true;
        }
        let x_ab = Frame { r: self.x.r, p: self.x.p - middle };
        let pair = CorePair { a: Core::Box(half), b: self.core, x_ab };
        !matches!(distance(&pair, reach), Outcome::Far)
    }

    pub fn pair(&self, triangle: [V3; 3]) -> CorePair<'_> {
        CorePair { a: Core::Triangle(triangle), b: self.core, x_ab: self.x }
    }
}

/// Box around a core at a pose.
pub(super) fn bounds(core: &Core, x: &Frame) -> Aabb {
    let mut b = Aabb::EMPTY;
    for k in 0..3 {
        let d: V3 = x.r.row(k).transpose();
        b.max[k] = x.p[k] + d.dot(&core.support(&d));
        b.min[k] = x.p[k] + d.dot(&core.support(&-d));
    }
    b
}
