//! Mass, centre of mass and rotational inertia of shapes with uniform density.

use crate::{GeometryError, M3, Shape, TriangleMesh, V3};

/// Mass properties in the shape frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Volume of the solid in m^3 (area in m^2 for shells).
    pub volume: f64,
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in the shape frame, m.
    pub com: V3,
    /// Rotational inertia about the centre of mass, axes of the shape frame, kg m^2.
    pub inertia: M3,
}

impl MassProperties {
    fn diagonal(volume: f64, density: f64, per_mass: V3) -> Self {
        let mass = density * volume;
        Self { volume, mass, com: V3::zeros(), inertia: M3::from_diagonal(&(per_mass * mass)) }
    }

    /// From volume integrals of 1, x and x x^T about the origin.
    fn from_moments(volume: f64, first: V3, second: M3, density: f64) -> Self {
        let com = first / volume;
        let centred = second - volume * com * com.transpose();
        let inertia = density * (M3::identity() * centred.trace() - centred);
        Self { volume, mass: density * volume, com, inertia }
    }
}

impl Shape {
    /// Mass properties of the solid at `density` (kg/m^3). Half-spaces, height fields and surfaces that
    /// do not close have none.
    pub fn mass_properties(&self, density: f64) -> Result<MassProperties, GeometryError> {
        use std::f64::consts::PI;
        let none = |reason: String| GeometryError::NoVolume { shape: self.kind().name(), reason };
        Ok(match self {
            Self::HalfSpace => return Err(none("it is infinite".into())),
            Self::HeightField(_) => return Err(none("terrain has no thickness".into())),
            Self::Sphere { radius: r } => {
                MassProperties::diagonal(4.0 / 3.0 * PI * r.powi(3), density, V3::repeat(0.4 * r * r))
            }
            Self::Box { half_extents: h } => {
                let s = h.component_mul(h) / 3.0;
                MassProperties::diagonal(8.0 * h.product(), density, V3::new(s.y + s.z, s.z + s.x, s.x + s.y))
            }
            Self::Cylinder { radius: r, half_length: l } => {
                let side = 0.25 * r * r + l * l / 3.0;
                MassProperties::diagonal(2.0 * PI * r * r * l, density, V3::new(side, side, 0.5 * r * r))
            }
            Self::Capsule { radius: r, half_length: l } => {
                let (cyl, ball) = (2.0 * PI * r * r * l, 4.0 / 3.0 * PI * r.powi(3));
                // Half balls: their centroids lie 3r/8 beyond the ends, hence l^2 + 3/4 l r.
                let side = cyl * (0.25 * r * r + l * l / 3.0) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
                let axial = cyl * 0.5 * r * r + ball * 0.4 * r * r;
                let v = cyl + ball;
                MassProperties::diagonal(v, density, V3::new(side, side, axial) / v)
            }
            Self::Ellipsoid { radii } => {
                let s = radii.component_mul(radii) / 5.0;
                MassProperties::diagonal(
                    4.0 / 3.0 * PI * radii.product(),
                    density,
                    V3::new(s.y + s.z, s.z + s.x, s.x + s.y),
                )
            }
            Self::Convex(h) => {
                let v = h.vertices();
                solid(h.triangles().map(|t| t.map(|i| v[i as usize])), h.interior(), density)
            }
            Self::Mesh(m) => {
                if !m.is_watertight() {
                    return Err(none(format!("the surface is not closed: {}", m.topology_note())));
                }
                solid((0..m.faces().len()).map(|f| m.corners(f)), m.aabb().center(), density)
            }
        })
    }
}

impl TriangleMesh {
    /// Mass properties of the surface as a thin shell of `surface_density` (kg/m^2).
    pub fn shell_mass_properties(&self, surface_density: f64) -> MassProperties {
        let (mut area, mut first, mut second) = (0.0, V3::zeros(), M3::zeros());
        for f in 0..self.faces().len() {
            let [a, b, c] = self.corners(f);
            let w = 0.5 * (b - a).cross(&(c - a)).norm();
            let s = a + b + c;
            area += w;
            first += w / 3.0 * s;
            // Integral of x x^T over a triangle: A/12 (sum of vertex products + s s^T).
            second +=
                w / 12.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
        }
        MassProperties::from_moments(area, first, second, surface_density)
    }
}

/// Sum over tetrahedra from `apex` to the faces of a closed surface.
fn solid(triangles: impl Iterator<Item = [V3; 3]>, apex: V3, density: f64) -> MassProperties {
    let (mut volume, mut first, mut second) = (0.0, V3::zeros(), M3::zeros());
    for t in triangles {
        let [a, b, c] = t.map(|p| p - apex);
        let v = a.dot(&b.cross(&c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += v / 4.0 * s;
        // Integral of x x^T over a tetrahedron with one vertex at the origin: V/20 (vertex products + s s^T).
        second += v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
    let mut m = MassProperties::from_moments(volume, first, second, density);
    m.com += apex;
    m
}
