//! From polygons in a working frame to faces in the world and sums over the patch.

use super::faces::{FaceFilter, PatchFace, PatchFaces, PatchOptions, Tessellation};
use super::polygon::Polygon;
use crate::V3;
use crate::solid::linear::{Field, Pose};

/// Sums over faces with positive pressure, in the working frame.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sums {
    pub(crate) area: f64,
    pub(crate) first_moment: V3,
    pub(crate) force: V3,
    /// About the origin of the working frame.
    pub(crate) moment: V3,
    pub(crate) pressure: f64,
    pub(crate) pressure_moment: V3,
    pub(crate) peak: f64,
    /// Pairs of tetrahedra that overlap with one and the same field.
    pub(crate) coincident: u32,
}

/// Takes polygons of one pair.
pub(crate) struct Sink<'a> {
    pub(crate) options: &'a PatchOptions,
    pub(crate) out: &'a mut PatchFaces,
    pub(crate) sums: Sums,
    /// The working frame in the world.
    x_ww: Pose,
    /// Elements come as (working body, other); whether the working body is A.
    working_is_a: bool,
}

/// Slopes of the two fields against the normal that pass the filter, as the effective gradient.
/// `None` for `other` is a rigid side.
#[inline]
pub(crate) fn effective_gradient(
    filter: FaceFilter,
    one: (f64, f64),
    other: Option<(f64, f64)>,
) -> Option<f64> {
    let passes = |(g, steepness): (f64, f64)| match filter {
        FaceFilter::Convex { min_slope } => g > 0.0 && g >= min_slope * steepness,
        FaceFilter::All => true,
    };
    let Some(other) = other else {
        return passes(one).then_some(one.0);
    };
    (passes(one) && passes(other)).then(|| one.0 * other.0 / (one.0 + other.0))
}

impl<'a> Sink<'a> {
    pub(crate) fn new(
        options: &'a PatchOptions,
        out: &'a mut PatchFaces,
        x_ww: Pose,
        working_is_a: bool,
    ) -> Self {
        Self { options, out, sums: Sums::default(), x_ww, working_is_a }
    }

    /// A convex polygon with unit normal `n` (out of A into B), effective gradient `g` and pressure
    /// `field`; with a margin it may reach to negative pressure.
    #[inline]
    pub(crate) fn add(
        &mut self,
        polygon: &mut Polygon,
        n: &V3,
        g: f64,
        field: &Field,
        ids: (u32, u32),
        margin: f64,
    ) {
        if margin <= 0.0 {
            return self.add_part(polygon, n, g, field, ids);
        }
        let mut p = [0.0; super::polygon::CAPACITY];
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (i, v) in polygon.vertices().iter().enumerate() {
            p[i] = field.at(v);
            low = low.min(p[i]);
            high = high.max(p[i]);
        }
        if low >= 0.0 {
            return self.add_part(polygon, n, g, field, ids);
        }
        // Along the surface the pressure varies with the tangential part of the gradient only.
        let floor = -g * margin;
        if low < floor && !polygon.clip(&-field.grad, field.offset - floor) {
            return;
        }
        if high > 0.0 {
            let mut touching = *polygon;
            if touching.clip(&-field.grad, field.offset) {
                self.add_part(&touching, n, g, field, ids);
            }
            if !polygon.clip(&field.grad, -field.offset) {
                return;
            }
        }
        self.add_part(polygon, n, g, field, ids);
    }

    fn add_part(&mut self, polygon: &Polygon, n: &V3, g: f64, field: &Field, ids: (u32, u32)) {
        let v = polygon.vertices();
        if v.len() < 3 {
            return;
        }
        // Area, first moment and the tilt of the pressure by triangles (o, a, b), in one pass.
        let o = v[0];
        let mut a = v[1] - o;
        let (mut reach, mut rise_a) = (a.norm_squared(), field.grad.dot(&a));
        let (mut twice, mut first, mut tilt, mut most) = (0.0, V3::zeros(), V3::zeros(), rise_a.max(0.0));
        for q in &v[2..] {
            let b = q - o;
            let (both, weight, rise_b) = (a + b, n.dot(&a.cross(&b)), field.grad.dot(&b));
            twice += weight;
            first += both * weight;
            // The integral of (u.g) u over a triangle with corners 0, a, b is
            // area/12 [ (a.g) a + (b.g) b + ((a + b).g)(a + b) ].
            tilt += (a * rise_a + b * rise_b + both * (rise_a + rise_b)) * weight;
            reach = reach.max(b.norm_squared());
            most = most.max(rise_b);
            (a, rise_a) = (b, rise_b);
        }
        let area = 0.5 * twice.abs();
        // Below rounding there is no centroid to speak of, and no force either.
        if area <= 1e-14 * reach || area < 1e-24 {
            return;
        }
        let arm = first / (3.0 * twice);
        let centroid = o + arm;
        let pressure = field.at(&centroid);
        // Vertices are never below zero but for rounding, except in speculative faces.
        if pressure >= 0.0 {
            // About the centroid.
            let rise = field.grad.dot(&arm);
            let tilt = tilt * (twice.signum() / 24.0) - arm * (area * rise);
            self.sum(n, area, &centroid, pressure, &tilt, pressure + (most - rise));
        }
        let flip = twice < 0.0;
        let limit = self.options.max_face_edge.powi(2);
        // No edge is longer than twice the reach from the first vertex.
        let large =
            4.0 * reach > limit && (0..v.len()).any(|i| (v[i] - v[(i + 1) % v.len()]).norm_squared() > limit);
        if self.options.tessellation != Tessellation::Fans && !large {
            let vertex = |i: usize| v[if flip { v.len() - 1 - i } else { i }];
            return self.push(v.len(), vertex, (centroid, area, pressure), n, g, field, ids);
        }
        for i in 0..v.len() {
            let (mut a, mut b) = (v[i], v[(i + 1) % v.len()]);
            if flip {
                std::mem::swap(&mut a, &mut b);
            }
            let part = 0.5 * n.dot(&(a - centroid).cross(&(b - centroid)));
            if part > 1e-14 * area {
                self.add_triangle([centroid, a, b], part, n, g, field, ids);
            }
        }
    }

    /// A triangle of a fan, halved across its longest edge until it is small enough.
    fn add_triangle(&mut self, t: [V3; 3], area: f64, n: &V3, g: f64, field: &Field, ids: (u32, u32)) {
        const DEPTH: usize = 12;
        let limit = self.options.max_face_edge.powi(2);
        let mut stack = [(t, area, 0); DEPTH + 1];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (t, area, depth) = stack[top];
            let edges: [f64; 3] = std::array::from_fn(|i| (t[i] - t[(i + 1) % 3]).norm_squared());
            let k = if edges[0] >= edges[1] && edges[0] >= edges[2] {
                0
            } else if edges[1] >= edges[2] {
                1
            } else {
                2
            };
            if depth < DEPTH && edges[k] > limit {
                let [a, b, c] = [t[k], t[(k + 1) % 3], t[(k + 2) % 3]];
                let middle = 0.5 * (a + b);
                stack[top] = ([middle, b, c], 0.5 * area, depth + 1);
                stack[top + 1] = ([a, middle, c], 0.5 * area, depth + 1);
                top += 2;
            } else {
                let c = (t[0] + t[1] + t[2]) / 3.0;
                self.push(3, |i| t[i], (c, area, field.at(&c)), n, g, field, ids);
            }
        }
    }

    /// Adds the exact integrals of 1, r, p and p r over a polygon with centroid `c`; `tilt` is that of p (r - c) and `peak`
    /// the largest pressure.
    #[inline]
    fn sum(&mut self, n: &V3, area: f64, c: &V3, pressure: f64, tilt: &V3, peak: f64) {
        let s = &mut self.sums;
        let push = area * pressure;
        let moment = c * push + tilt;
        s.area += area;
        s.first_moment += c * area;
        s.pressure += push;
        s.pressure_moment += moment;
        s.force += n * push;
        s.moment += moment.cross(n);
        s.peak = s.peak.max(peak);
    }

    #[inline]
    fn push(
        &mut self,
        count: usize,
        vertex: impl Fn(usize) -> V3,
        (centroid, area, pressure): (V3, f64, f64),
        n: &V3,
        g: f64,
        field: &Field,
        ids: (u32, u32),
    ) {
        let (element_a, element_b) = if self.working_is_a { ids } else { (ids.1, ids.0) };
        self.out.faces.push(PatchFace {
            centroid: self.x_ww.point(&centroid),
            normal: self.x_ww.vector(n),
            area,
            pressure,
            gradient: g,
            element_a,
            element_b,
        });
        if self.options.vertices {
            self.out.vertices.extend((0..count).map(|i| self.x_ww.point(&vertex(i))));
            self.out.vertex_pressure.extend((0..count).map(|i| field.at(&vertex(i))));
            self.out.vertex_end.push(self.out.vertices.len() as u32);
        }
    }
}
