//! Quadrature points of a polygon of a patch: three for a large polygon, or the points of continuous time.
//!
//! One point at the centroid c carries the force of a polygon exactly, but has no stiffness against rotation. With Σ the
//! polygon's mean of (r − c)(r − c)ᵀ and any a, b in its plane with a aᵀ + b bᵀ = Σ, the points
//!
//! ```text
//! c + √2 a,    c − √½ a ± √(3/2) b          each with a third of the area
//! ```
//!
//! have the polygon's area, centroid and second moments. Three is the least number that can: with pressure and velocity
//! linear in r they give force, moment and the stiffness against rotation exactly. They lie on the ellipse √2 Σ^½, which is inside every
//! convex polygon (Kannan, Lovász and Simonovits 1995, theorem 4.1, in the plane), so the pressure at each point
//! occurs in the polygon.
//!
//! Friction is not linear. If one polygon covers most of a patch, its torsional friction is that of three points.
//! Two triangles under a box are 6 % stronger than the true square, one square 7 %; cut into fans they are 2 % and 1
//! % off.
//!
//! a points to the first vertex: the points rotate with the polygon, and the points of a triangle are at its
//! barycentric (2/3, 1/6, 1/6).

use nalgebra::Vector3;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// A planar convex polygon with a linear pressure.
pub(crate) struct FacePolygon<'a> {
    pub centroid: Vector3<f64>,
    /// Unit normal.
    pub normal: Vector3<f64>,
    /// Pressure at the centroid.
    pub pressure: f64,
    /// In either order.
    pub vertices: &'a [Vector3<f64>],
    /// At the vertices.
    pub pressures: &'a [f64],
}

impl FacePolygon<'_> {
    /// The points and their pressures. None for a polygon that is degenerate within rounding.
    pub fn three_points(&self) -> Option<[(Vector3<f64>, f64); 3]> {
        let first = self.vertices.first()? - self.centroid;
        let (last, last_pressure) = (self.vertices.last()? - self.centroid, self.pressures.last()?);
        let across = self.normal.cross(&first);
        // Σ across, trace Σ and Σ ∇p from triangles (c, u, v), whose second moment is area/12 [u uᵀ + v vᵀ + (u + v)(u + v)ᵀ].
        let (mut moment, mut trace, mut rise) = (Vector3::zeros(), 0.0, Vector3::zeros());
        let (mut u, mut p, mut twice_area) = (last, last_pressure - self.pressure, 0.0);
        for (vertex, pressure) in self.vertices.iter().zip(self.pressures) {
            let (v, q) = (vertex - self.centroid, pressure - self.pressure);
            let (both, weight) = (u + v, self.normal.dot(&u.cross(&v)));
            moment += (u * u.dot(&across) + v * v.dot(&across) + both * both.dot(&across)) * weight;
            trace += (u.norm_squared() + v.norm_squared() + both.norm_squared()) * weight;
            rise += (u * p + v * q + both * (p + q)) * weight;
            twice_area += weight;
            (u, p) = (v, q);
        }
        let scale = 1.0 / (12.0 * twice_area);
        let moment = moment * scale;
        let (spread, square) = (across.dot(&moment), first.norm_squared());
        let (ff, fa, aa) = (trace * scale - spread / square, first.dot(&moment) / square, spread / square);
        let determinant = ff * aa - fa * fa;
        let (stretch, inverse) = ((determinant / spread).sqrt(), 1.0 / spread.sqrt());
        if !(stretch.is_finite() && inverse.is_finite()) {
            return None;
        }
        let (a, along_a) = (first * stretch, (self.pressures[0] - self.pressure) * stretch);
        let (b, along_b) = (moment * inverse, across.dot(&rise) * (scale * inverse));
        let at = |s: f64, t: f64| (self.centroid + a * s + b * t, self.pressure + along_a * s + along_b * t);
        Some([at(SQRT_2, 0.0), at(-FRAC_1_SQRT_2, SQRT_3_2), at(-FRAC_1_SQRT_2, -SQRT_3_2)])
    }

    /// The points of a polygon in continuous time: of each triangle (c, u, v) of its fan those at barycentric (2/3, 1/6, 1/6), with a
    /// third of its area. Exact for force, moment and stiffness too, and continuous when edges appear or vanish,
    /// because the affected triangles have no area. Visits position, area and pressure; the vertices go
    /// counter-clockwise about the normal.
    pub fn fan_points<E>(
        &self,
        mut visit: impl FnMut(Vector3<f64>, f64, f64) -> Result<(), E>,
    ) -> Result<(), E> {
        for k in 0..self.vertices.len() {
            let next = (k + 1) % self.vertices.len();
            let corners = [self.centroid, self.vertices[k], self.vertices[next]];
            let values = [self.pressure, self.pressures[k], self.pressures[next]];
            let area = 0.5 * (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).dot(&self.normal);
            for heavy in 0..3 {
                let weight = |c: usize| if c == heavy { 2.0 / 3.0 } else { 1.0 / 6.0 };
                let position = (0..3).map(|c| corners[c] * weight(c)).sum();
                visit(position, area / 3.0, (0..3).map(|c| values[c] * weight(c)).sum())?;
            }
        }
        Ok(())
    }
}

/// √(3/2)
const SQRT_3_2: f64 = 1.224_744_871_391_589;

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, UnitQuaternion};
    use proptest::prelude::*;

    /// A convex polygon: points of an ellipse, in a plane of space.
    fn polygon() -> impl Strategy<Value = (Vec<Vector3<f64>>, Vector3<f64>)> {
        let angles = prop::collection::vec(0.05..1.0f64, 3..9);
        let axis = (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64);
        (angles, 0.05..1.0f64, axis, prop::bool::ANY).prop_map(|(gaps, flat, (x, y, z), turned)| {
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(x, y, z) * 3.0);
            let whole = gaps.iter().sum::<f64>();
            let mut angle = 0.0;
            let mut vertices: Vec<_> = (gaps.iter())
                .map(|gap| {
                    angle += std::f64::consts::TAU * gap / whole;
                    turn * Vector3::new(angle.cos() + x, flat * angle.sin() + y, z)
                })
                .collect();
            if turned {
                vertices.reverse();
            }
            (vertices, turn * Vector3::z())
        })
    }

    /// Area, centroid and mean of (r − c)(r − c)ᵀ, by triangles from the first vertex.
    fn moments(v: &[Vector3<f64>], n: &Vector3<f64>) -> (Vector3<f64>, Matrix3<f64>) {
        let triangles = || (2..v.len()).map(|i| [v[0], v[i - 1], v[i]]);
        let area = |t: &[Vector3<f64>; 3]| 0.5 * n.dot(&(t[1] - t[0]).cross(&(t[2] - t[0])));
        let total: f64 = triangles().map(|t| area(&t)).sum();
        let c = triangles().map(|t| (t[0] + t[1] + t[2]) * (area(&t) / 3.0)).sum::<Vector3<f64>>() / total;
        // Edge midpoints are exact for the second degree.
        let middle = |t: &[Vector3<f64>; 3], i: usize| 0.5 * (t[i] + t[(i + 1) % 3]) - c;
        let second = triangles().fold(Matrix3::zeros(), |sum, t| {
            (0..3).fold(sum, |sum, i| sum + middle(&t, i) * middle(&t, i).transpose() * (area(&t) / 3.0))
        });
        (c, second / total)
    }

    proptest! {
        #[test]
        fn three_points_have_the_moments_of_the_polygon_and_lie_inside(
            (vertices, normal) in polygon(), gradient in (-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64),
        ) {
            let (centroid, second) = moments(&vertices, &normal);
            let gradient = Vector3::new(gradient.0, gradient.1, gradient.2);
            let field = |r: &Vector3<f64>| 3.0 + gradient.dot(r);
            let pressures: Vec<f64> = vertices.iter().map(field).collect();
            let face = FacePolygon { centroid, normal, pressure: field(&centroid), vertices: &vertices, pressures: &pressures };
            let points = face.three_points().expect("a polygon with an area");
            let mean = points.iter().map(|(r, _)| r).sum::<Vector3<f64>>() / 3.0;
            prop_assert!((mean - centroid).norm() < 1e-14);
            let spread = points.iter().fold(Matrix3::zeros(), |s, (r, _)| s + (r - centroid) * (r - centroid).transpose() / 3.0);
            prop_assert!((spread - second).norm() < 1e-12 * second.norm());
            let winding = normal.dot(&(vertices[1] - vertices[0]).cross(&(vertices[2] - vertices[1]))).signum();
            for (r, p) in points {
                prop_assert!((p - field(&r)).abs() < 1e-11, "{p} {}", field(&r));
                for (i, v) in vertices.iter().enumerate() {
                    let edge = vertices[(i + 1) % vertices.len()] - v;
                    prop_assert!(winding * normal.dot(&edge.cross(&(r - v))) >= -1e-12);
                }
            }
        }
    }

    #[test]
    fn points_of_a_triangle_are_those_of_its_three_point_rule() {
        let vertices = [(0.0, 0.0), (2.0, 0.3), (0.5, 1.0)].map(|(x, y)| Vector3::new(x, y, 0.0));
        let centroid = vertices.iter().sum::<Vector3<f64>>() / 3.0;
        let face = FacePolygon {
            centroid,
            normal: Vector3::z(),
            pressure: 0.0,
            vertices: &vertices,
            pressures: &[0.0; 3],
        };
        let points = face.three_points().expect("a triangle");
        for vertex in &vertices {
            let expected = 0.5 * (centroid + vertex);
            let nearest = points.iter().map(|(r, _)| (r - expected).norm()).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-15);
        }
        let line = [0.0, 1.0, 2.0].map(|x| Vector3::new(x, x, 0.0));
        let flat = FacePolygon { centroid: line[1], vertices: &line, ..face };
        assert!(flat.three_points().is_none());
    }

    /// Mean distance of the points of triangles of equal areas from the origin: the arm of friction that turns about it.
    fn arm(triangles: &[[Vector3<f64>; 3]]) -> f64 {
        let points = triangles.iter().flat_map(|t| {
            let centroid = (t[0] + t[1] + t[2]) / 3.0;
            let normal = Vector3::z();
            let face = FacePolygon { centroid, normal, pressure: 1.0, vertices: t, pressures: &[1.0; 3] };
            face.three_points().expect("a triangle")
        });
        points.map(|(r, _)| r.norm()).sum::<f64>() / (3 * triangles.len()) as f64
    }

    #[test]
    fn two_triangles_under_a_box_turn_six_percent_too_hard_and_their_fans_two() {
        let corner = |x: f64, y: f64| Vector3::new(x, y, 0.0);
        let [a, b, c, d] = [corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
        // Mean distance from the middle of a square of half side 1.
        let exact = (2f64.sqrt() + 1f64.asinh()) / 3.0;
        let halves = [[a, b, c], [a, c, d]];
        assert!((arm(&halves) / exact - 1.060).abs() < 1e-3, "{}", arm(&halves) / exact);
        let fans: Vec<_> = (halves.iter())
            .flat_map(|t| [0, 1, 2].map(|i| [t[i], t[(i + 1) % 3], (t[0] + t[1] + t[2]) / 3.0]))
            .collect();
        assert!((arm(&fans) / exact - 1.019).abs() < 1e-3, "{}", arm(&fans) / exact);
    }
}
