//! Contact queries in a world of geoms, step after step.

use std::sync::Arc;

use crate::broad::{Broad, Pair};
use crate::point::{Frame, Scratch, dispatch};
use crate::{Aabb, ContactPoint, GeomSet, Iso, ShapeKind};

/// Counts of the last [`Proximity::contacts`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProximityStats {
    /// Pairs whose boxes overlapped and that went to the narrow phase.
    pub tested_pairs: usize,
    /// Pairs with at least one point.
    pub touching_pairs: usize,
    /// Points.
    pub points: usize,
}

/// Poses of a [`GeomSet`] and the memory to find its contacts without allocating.
///
/// ```
/// use std::sync::Arc;
/// use nalgebra::{Isometry3, Vector3};
/// use stiction_geometry::*;
///
/// let ground = Geom::new(Shape::HalfSpace, 0, Isometry3::identity());
/// let cube = Geom::new(Shape::cuboid(Vector3::repeat(0.5)).unwrap(), 1, Isometry3::identity());
/// let set = GeomSet::new(vec![ground, cube], &CollisionRules::default()).unwrap();
/// let mut proximity = Proximity::new(Arc::new(set));
/// proximity.update(&[Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.499)]);
/// let mut points = Vec::new();
/// proximity.contacts(0.0, &mut points);
/// assert_eq!(points.len(), 4);
/// assert!((points[0].distance + 0.001).abs() < 1e-15);
/// ```
#[derive(Debug)]
pub struct Proximity {
    set: Arc<GeomSet>,
    x_wb: Vec<Iso>,
    frames: Vec<Frame>,
    boxes: Vec<Aabb>,
    broad: Broad,
    half_space_pairs: Vec<Pair>,
    patch_pairs: Vec<Pair>,
    scratch: Scratch,
    stats: ProximityStats,
}

impl Proximity {
    /// All bodies start at the world origin.
    pub fn new(set: Arc<GeomSet>) -> Self {
        let geoms = set.geoms();
        let frames: Vec<Frame> = geoms.iter().map(|g| Frame::new(&g.x_bg)).collect();
        let boxes = geoms.iter().zip(&frames).map(|(g, f)| g.shape.aabb_at(f)).collect();
        let is_plane = |g: usize| geoms[g].shape.kind() == ShapeKind::HalfSpace;
        let mut half_space_pairs = Vec::new();
        for h in (0..geoms.len()).filter(|&g| is_plane(g)) {
            for g in (0..geoms.len()).filter(|&g| !is_plane(g) && set.tests_pair(h, g)) {
                half_space_pairs.push((h.min(g) as u32, h.max(g) as u32));
            }
        }
        half_space_pairs.sort_unstable();
        Self {
            x_wb: vec![Iso::identity(); set.body_count()],
            broad: Broad::new(&set),
            frames,
            boxes,
            half_space_pairs,
            patch_pairs: Vec::new(),
            scratch: Scratch::default(),
            stats: ProximityStats::default(),
            set,
        }
    }

    /// The geoms.
    pub fn set(&self) -> &Arc<GeomSet> {
        &self.set
    }

    /// Takes the poses of all bodies in the world (at least [`GeomSet::body_count`] of them; fewer leave
    /// the others where they were).
    pub fn update(&mut self, x_wb: &[Iso]) {
        for (g, geom) in self.set.geoms().iter().enumerate() {
            let Some(x) = x_wb.get(geom.body) else { continue };
            // A geom that has not moved keeps its frame: computing it again would give the same numbers.
            if self.x_wb[geom.body] != *x {
                let frame = Frame::new(&(x * geom.x_bg));
                self.boxes[g] = geom.shape.aabb_at(&frame);
                self.frames[g] = frame;
            }
        }
        let n = x_wb.len().min(self.x_wb.len());
        self.x_wb[..n].copy_from_slice(&x_wb[..n]);
    }

    /// Writes all contact points with a distance of at most the pair's margin (the largest of `margin` and
    /// the two geoms'), ordered by geom pair and then as the pair's routine orders them. Pairs with a compliant
    /// geom give no points; those whose boxes meet are left in [`Proximity::patch_pairs`].
    pub fn contacts(&mut self, margin: f64, out: &mut Vec<ContactPoint>) {
        self.find_pairs(margin);
        self.find_points(margin, out);
    }

    /// The broad phase of [`Proximity::contacts`]: pairs whose boxes may meet.
    pub fn find_pairs(&mut self, margin: f64) {
        let Self { set, boxes, broad, .. } = self;
        let geoms = set.geoms();
        broad.update(set, |g| boxes[g].grown(margin.max(geoms[g].margin).max(0.0) + set.overhang(g)));
    }

    /// The narrow phase, for the pairs and the margin of the last [`Proximity::find_pairs`].
    pub fn find_points(&mut self, margin: f64, out: &mut Vec<ContactPoint>) {
        out.clear();
        self.stats = ProximityStats::default();
        let Self { set, frames, boxes, broad, half_space_pairs, patch_pairs, scratch, stats, .. } = self;
        patch_pairs.clear();
        let geoms = set.geoms();
        let pairs = broad.pairs();
        let mut planes = half_space_pairs.iter().copied().peekable();
        let mut test = |(a, b): Pair, near: &dyn Fn(f64) -> bool| {
            let (a, b) = (a as usize, b as usize);
            let margin = margin.max(geoms[a].margin).max(geoms[b].margin);
            if set.makes_patch(a, b) {
                if near(margin + set.overhang(a) + set.overhang(b)) {
                    patch_pairs.push((a as u32, b as u32));
                }
                return;
            }
            if !near(margin) {
                return;
            }
            let before = out.len();
            let pair = [(&geoms[a].shape, &frames[a]), (&geoms[b].shape, &frames[b])];
            dispatch(pair, [a, b], margin, scratch, out);
            stats.tested_pairs += 1;
            stats.touching_pairs += usize::from(out.len() > before);
        };
        let near_plane = |(a, b): Pair, margin: f64| {
            let a_is_plane = geoms[a as usize].shape.kind() == ShapeKind::HalfSpace;
            let (h, g) = if a_is_plane { (a as usize, b as usize) } else { (b as usize, a as usize) };
            let n = frames[h].r.column(2);
            let (c, e) = (boxes[g].center(), boxes[g].half());
            n.dot(&(c - frames[h].p)) - n.abs().dot(&e) <= margin
        };
        for &pair in pairs {
            while let Some(p) = planes.next_if(|p| *p < pair) {
                test(p, &|m| near_plane(p, m));
            }
            let (a, b) = (pair.0 as usize, pair.1 as usize);
            test(pair, &|m| boxes[a].grown(m).overlaps(&boxes[b]));
        }
        for p in planes {
            test(p, &|m| near_plane(p, m));
        }
        stats.points = out.len();
    }

    /// Pairs of geoms with a compliant one among them whose boxes met in the last query, in order.
    pub fn patch_pairs(&self) -> &[(u32, u32)] {
        &self.patch_pairs
    }

    /// Counts of the last query.
    pub fn stats(&self) -> ProximityStats {
        self.stats
    }

    /// World box of a geom at its current pose.
    pub fn aabb(&self, geom: usize) -> Aabb {
        self.boxes[geom]
    }
}
