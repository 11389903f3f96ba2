//! Where a plane cuts a solid: polygons with the field at their corners.

use crate::V3;

/// A triangle or quadrilateral of a cut.
#[derive(Debug, Clone, PartialEq)]
pub struct CutPolygon {
    /// Corners in order, m, in the solid's frame.
    pub points: Vec<V3>,
    /// The field there.
    pub values: Vec<f64>,
}

/// Cuts tetrahedra with the plane through `point` with normal `normal`.
pub fn cut(vertices: &[V3], tets: &[[u32; 4]], values: &[f64], point: &V3, normal: &V3) -> Vec<CutPolygon> {
    let side: Vec<f64> = vertices.iter().map(|v| normal.dot(&(v - point))).collect();
    let mut out = Vec::new();
    for t in tets {
        let (above, below): (Vec<u32>, Vec<u32>) = t.iter().partition(|&&i| side[i as usize] >= 0.0);
        let mut polygon = CutPolygon { points: Vec::new(), values: Vec::new() };
        let mut cross = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            let s = side[a] / (side[a] - side[b]);
            polygon.points.push(vertices[a] + (vertices[b] - vertices[a]) * s);
            polygon.values.push(values[a] + (values[b] - values[a]) * s);
        };
        match (&above[..], &below[..]) {
            (&[a], &[b, c, d]) | (&[b, c, d], &[a]) => [b, c, d].into_iter().for_each(|x| cross(a, x)),
            (&[a, b], &[c, d]) => [(a, c), (a, d), (b, d), (b, c)].into_iter().for_each(|(x, y)| cross(x, y)),
            _ => continue,
        }
        out.push(polygon);
    }
    out
}
