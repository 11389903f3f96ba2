//! The box: corners joined to the medial rectangle, where the distance to the surface is linear.

use super::RawSolid;
use crate::V3;

/// With half extents a <= b <= c, the points furthest inside form the rectangle |y| <= b - a,
/// |z| <= c - a in the middle plane (a segment or a point when extents agree). Joining it to the six
/// faces gives regions on which e = distance to the face / a is linear.
pub(super) fn cuboid(half: &V3) -> RawSolid {
    let mut axes = [0usize, 1, 2];
    axes.sort_by(|&i, &j| half[i].total_cmp(&half[j]).then(i.cmp(&j)));
    let [a, b, c] = axes.map(|i| half[i]);
    let mut raw = RawSolid::default();
    let place = |x: f64, y: f64, z: f64| {
        let mut p = V3::zeros();
        (p[axes[0]], p[axes[1]], p[axes[2]]) = (x, y, z);
        p
    };
    let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
    let mut corner = [[[0u32; 2]; 2]; 2];
    for x in 0..2 {
        for y in 0..2 {
            for z in 0..2 {
                corner[x][y][z] = raw.vertex(place(sign(x) * a, sign(y) * b, sign(z) * c), 0.0);
            }
        }
    }
    // Where sides of the rectangle are so small that tetrahedra at them would be flat, they are one vertex.
    let flat = |d: f64| d <= 1e-5 * a || d * a <= 1e-10 * c * c;
    let mut medial = [[0u32; 2]; 2];
    for y in 0..2 {
        for z in 0..2 {
            medial[y][z] = if y == 1 && flat(b - a) {
                medial[0][z]
            } else if z == 1 && flat(c - a) {
                medial[y][0]
            } else {
                let (dy, dz) = (if flat(b - a) { 0.0 } else { b - a }, if flat(c - a) { 0.0 } else { c - a });
                raw.vertex(place(0.0, sign(y) * dy, sign(z) * dz), 1.0)
            };
        }
    }
    for s in 0..2 {
        // Small faces first axis: a frustum of two prisms between the face and the medial rectangle.
        let q = [corner[s][0][0], corner[s][1][0], corner[s][1][1], corner[s][0][1]];
        let m = [medial[0][0], medial[1][0], medial[1][1], medial[0][1]];
        raw.prism([q[0], q[1], q[2]], [m[0], m[1], m[2]]);
        raw.prism([q[0], q[2], q[3]], [m[0], m[2], m[3]]);
        // The other faces: wedges between the face and an edge of the rectangle.
        raw.prism(
            [corner[0][s][0], corner[1][s][0], medial[s][0]],
            [corner[0][s][1], corner[1][s][1], medial[s][1]],
        );
        raw.prism(
            [corner[0][0][s], corner[1][0][s], medial[0][s]],
            [corner[0][1][s], corner[1][1][s], medial[1][s]],
        );
    }
    raw
}
