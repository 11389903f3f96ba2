//! Convex shapes as a core and a radius: a sphere is a point grown by its radius, a capsule a segment.
//! Distances between cores are exact where those between the round shapes would converge slowly.

use crate::shape::{cylinder_support, ellipsoid_support};
use crate::{ConvexHull, Shape, V3};

/// A convex core in its own frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Core<'a> {
    Point,
    /// Along z from -h to h.
    Segment(f64),
    Box(V3),
    Cylinder(f64, f64),
    Ellipsoid(V3),
    Hull(&'a ConvexHull),
    Triangle([V3; 3]),
    /// A triangle extruded by a vector.
    Prism([V3; 3], V3),
}

impl<'a> Core<'a> {
    /// Core and radius of a bounded convex shape.
    pub fn of(shape: &'a Shape) -> Option<(Self, f64)> {
        Some(match shape {
            Shape::Sphere { radius } => (Core::Point, *radius),
            Shape::Capsule { radius, half_length } => (Core::Segment(*half_length), *radius),
            Shape::Box { half_extents } => (Core::Box(*half_extents), 0.0),
            Shape::Cylinder { radius, half_length } => (Core::Cylinder(*radius, *half_length), 0.0),
            Shape::Ellipsoid { radii } => (Core::Ellipsoid(*radii), 0.0),
            Shape::Convex(hull) => (Core::Hull(hull), 0.0),
            Shape::HalfSpace | Shape::HeightField(_) | Shape::Mesh(_) => return None,
        })
    }

    /// A point furthest along `d`.
    #[inline]
    pub fn support(&self, d: &V3) -> V3 {
        match self {
            Core::Point => V3::zeros(),
            Core::Segment(h) => V3::new(0.0, 0.0, h.copysign(d.z)),
            Core::Box(h) => h.zip_map(d, |h, c| h.copysign(c)),
            Core::Cylinder(r, h) => cylinder_support(*r, *h, d),
            Core::Ellipsoid(radii) => ellipsoid_support(radii, d),
            Core::Hull(hull) => hull.support(d),
            Core::Triangle(t) => t[highest(t, d)],
            Core::Prism(t, e) => {
                let top = t[highest(t, d)];
                if e.dot(d) > 0.0 { top + e } else { top }
            }
        }
    }

    /// Whether the surface has curved parts.
    pub fn is_curved(&self) -> bool {
        matches!(self, Core::Cylinder(..) | Core::Ellipsoid(_))
    }

    /// Half of the least extent, roughly; 0 for cores without an inside.
    pub fn breadth(&self) -> f64 {
        match self {
            Core::Box(h) | Core::Ellipsoid(h) => h.min(),
            Core::Cylinder(r, h) => r.min(*h),
            Core::Hull(hull) => hull.aabb().half().min(),
            Core::Point | Core::Segment(_) | Core::Triangle(_) | Core::Prism(..) => 0.0,
        }
    }

    /// Radius with which the surface, grown by `radius`, curves away sideways from a segment on it.
    pub fn side_radius(&self, radius: f64) -> f64 {
        match self {
            Core::Cylinder(r, _) => *r,
            _ => radius,
        }
    }

    /// A point in the middle.
    pub fn center(&self) -> V3 {
        match self {
            Core::Hull(hull) => hull.interior(),
            Core::Triangle(t) => (t[0] + t[1] + t[2]) / 3.0,
            Core::Prism(t, e) => (t[0] + t[1] + t[2]) / 3.0 + e * 0.5,
            _ => V3::zeros(),
        }
    }
}

/// Index of the corner furthest along `d` (the first of several).
#[inline]
pub(crate) fn highest(t: &[V3; 3], d: &V3) -> usize {
    let s = t.map(|p| p.dot(d));
    if s[0] >= s[1] && s[0] >= s[2] {
        0
    } else if s[1] >= s[2] {
        1
    } else {
        2
    }
}
