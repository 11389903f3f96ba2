//! The shape of a contact patch.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use stiction::ContactPatch;

/// How a patch is spread out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Unit vector along which it is longest, world axes.
    pub longest: Vector3<f64>,
    /// Root mean square distances from its centroid along and across that direction, m.
    pub radii: [f64; 2],
}

/// Principal axes of a patch's area: of ∫ (x − c)(x − c)ᵀ dA / A with c the centroid. Exact for polygons.
pub fn spread(patch: &ContactPatch) -> Spread {
    let (mut area, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for polygon in &patch.polygons {
        let corner = |k: usize| patch.vertices[polygon[k] as usize] - patch.centroid;
        for k in 2..polygon.len() {
            let t = [corner(0), corner(k - 1), corner(k)];
            let (a, sum) = (0.5 * (t[1] - t[0]).cross(&(t[2] - t[0])).norm(), t[0] + t[1] + t[2]);
            area += a;
            first += sum * (a / 3.0);
            // ∫ x xᵀ over a triangle is A/12 (Σ vᵢvᵢᵀ + (Σv)(Σv)ᵀ).
            let own: Matrix3<f64> = t.iter().map(|v| v * v.transpose()).sum();
            second += (own + sum * sum.transpose()) * (a / 12.0);
        }
    }
    let mean = first / area;
    let eigen = SymmetricEigen::new(second / area - mean * mean.transpose());
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let radius = |k: usize| eigen.eigenvalues[order[k]].max(0.0).sqrt();
    Spread { longest: eigen.eigenvectors.column(order[0]).into_owned(), radii: [radius(0), radius(1)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::GeomId;

    #[test]
    fn a_rectangle_is_spread_by_its_sides_over_the_root_of_twelve() {
        let turn = nalgebra::Rotation3::from_euler_angles(0.3, -0.7, 1.1);
        let place = |x: f64, y: f64| turn * Vector3::new(x, y, 0.4);
        let patch = ContactPatch {
            geom_a: GeomId(0),
            geom_b: GeomId(1),
            body_a: 0,
            body_b: 1,
            vertices: vec![place(0.0, 0.0), place(3.0, 0.0), place(3.0, 1.0), place(0.0, 1.0)],
            polygons: vec![vec![0, 1, 2, 3]],
            pressure: vec![1.0; 4],
            areas: vec![3.0],
            normals: vec![turn * Vector3::z()],
            centroids: vec![place(1.5, 0.5)],
            traction: vec![Vector3::zeros()],
            slip: vec![Vector3::zeros()],
            area: 3.0,
            centroid: place(1.5, 0.5),
            center_of_pressure: place(1.5, 0.5),
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
            peak_extent: 0.0,
        };
        let spread = spread(&patch);
        assert!((spread.radii[0] - 3.0 / 12f64.sqrt()).abs() < 1e-12);
        assert!((spread.radii[1] - 1.0 / 12f64.sqrt()).abs() < 1e-12);
        assert!((spread.longest.dot(&(turn * Vector3::x())).abs() - 1.0).abs() < 1e-12);
    }
}
