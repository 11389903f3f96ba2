//! Axis-aligned boxes.

use crate::V3;
use crate::point::Frame;

/// An axis-aligned box, `min <= max` componentwise; infinite extents are allowed. Metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Lower corner.
    pub min: V3,
    /// Upper corner.
    pub max: V3,
}

impl Aabb {
    /// The box that contains nothing.
    pub const EMPTY: Self = Self {
        min: V3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: V3::new(-f64::INFINITY, -f64::INFINITY, -f64::INFINITY),
    };

    /// Box of a centre and half extents.
    pub fn around(center: V3, half: V3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// Smallest box around points.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a V3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self { min: b.min.inf(p), max: b.max.sup(p) })
    }

    /// Centre.
    pub fn center(&self) -> V3 {
        0.5 * (self.min + self.max)
    }

    /// Half extents.
    pub fn half(&self) -> V3 {
        0.5 * (self.max - self.min)
    }

    /// The box grown by `by` on every side.
    pub fn grown(&self, by: f64) -> Self {
        let d = V3::repeat(by);
        Self { min: self.min - d, max: self.max + d }
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Whether the closed boxes share a point.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without short cuts: six compares and no branch.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// Whether `other` lies inside.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (self.min.x <= other.min.x)
            & (other.max.x <= self.max.x)
            & (self.min.y <= other.min.y)
            & (other.max.y <= self.max.y)
            & (self.min.z <= other.min.z)
            & (other.max.z <= self.max.z)
    }

    /// Half of the surface area, the cost measure of a bounding volume tree.
    pub(crate) fn half_area(&self) -> f64 {
        let d = self.max - self.min;
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    /// Box of the moved box.
    pub(crate) fn transformed(&self, x: &Frame) -> Self {
        Self::around(x.point(&self.center()), x.r.abs() * self.half())
    }
}
