//! The shapes a geom can have.

use std::sync::Arc;

use crate::point::Frame;
use crate::{Aabb, ConvexHull, GeometryError, HeightField, Iso, TriangleMesh, V3};

/// A rigid shape in its own frame, origin at the centre of the primitives. Metres.
///
/// Build primitives with the constructors ([`Shape::sphere`], [`Shape::cuboid`], ...), which check sizes.
#[derive(Debug, Clone)]
pub enum Shape {
    /// All points with z <= 0; outward normal +z.
    HalfSpace,
    /// Ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Rectangular box.
    Box {
        /// Half of the edge lengths.
        half_extents: V3,
    },
    /// Cylinder along z with half balls at its ends.
    Capsule {
        /// Radius of the cylinder and its caps.
        radius: f64,
        /// Half of the length of the cylindrical part.
        half_length: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half of the length.
        half_length: f64,
    },
    /// Ellipsoid with axes along x, y, z.
    Ellipsoid {
        /// Semi-axes.
        radii: V3,
    },
    /// Convex polytope.
    Convex(Arc<ConvexHull>),
    /// Terrain.
    HeightField(Arc<HeightField>),
    /// Triangle surface, solid behind its faces.
    Mesh(Arc<TriangleMesh>),
}

/// The kind of a [`Shape`], in the order in which pairs are canonical.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShapeKind {
    /// See [`Shape::HalfSpace`].
    HalfSpace,
    /// See [`Shape::Sphere`].
    Sphere,
    /// See [`Shape::Box`].
    Box,
    /// See [`Shape::Capsule`].
    Capsule,
    /// See [`Shape::Cylinder`].
    Cylinder,
    /// See [`Shape::Ellipsoid`].
    Ellipsoid,
    /// See [`Shape::Convex`].
    Convex,
    /// See [`Shape::HeightField`].
    HeightField,
    /// See [`Shape::Mesh`].
    Mesh,
}

impl ShapeKind {
    /// Name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::HalfSpace => "half-space",
            Self::Sphere => "sphere",
            Self::Box => "box",
            Self::Capsule => "capsule",
            Self::Cylinder => "cylinder",
            Self::Ellipsoid => "ellipsoid",
            Self::Convex => "convex hull",
            Self::HeightField => "height field",
            Self::Mesh => "triangle mesh",
        }
    }

    /// Whether the shape is a bounded convex solid.
    pub fn is_bounded_convex(self) -> bool {
        !matches!(self, Self::HalfSpace | Self::HeightField | Self::Mesh)
    }
}

fn positive(shape: &'static str, sizes: &[(&'static str, f64)]) -> Result<(), GeometryError> {
    match sizes.iter().find(|(_, v)| !(*v > 0.0 && v.is_finite())) {
        Some(&(what, value)) => Err(GeometryError::BadSize { shape, what, value }),
        None => Ok(()),
    }
}

impl Shape {
    /// A ball; a point if the radius is 0.
    pub fn sphere(radius: f64) -> Result<Self, GeometryError> {
        if radius != 0.0 {
            positive("sphere", &[("radius", radius)])?;
        }
        Ok(Self::Sphere { radius })
    }

    /// A box from half of its edge lengths.
    pub fn cuboid(half_extents: V3) -> Result<Self, GeometryError> {
        let [x, y, z] = half_extents.into();
        positive("box", &[("half extent x", x), ("half extent y", y), ("half extent z", z)])?;
        Ok(Self::Box { half_extents })
    }

    /// A capsule along z; `half_length` leaves out the caps.
    pub fn capsule(radius: f64, half_length: f64) -> Result<Self, GeometryError> {
        positive("capsule", &[("radius", radius), ("half length", half_length)])?;
        Ok(Self::Capsule { radius, half_length })
    }

    /// A cylinder along z.
    pub fn cylinder(radius: f64, half_length: f64) -> Result<Self, GeometryError> {
        positive("cylinder", &[("radius", radius), ("half length", half_length)])?;
        Ok(Self::Cylinder { radius, half_length })
    }

    /// An ellipsoid from its semi-axes.
    pub fn ellipsoid(radii: V3) -> Result<Self, GeometryError> {
        let [x, y, z] = radii.into();
        positive("ellipsoid", &[("radius x", x), ("radius y", y), ("radius z", z)])?;
        Ok(Self::Ellipsoid { radii })
    }

    /// The convex hull of points.
    pub fn convex_hull(points: &[V3]) -> Result<Self, GeometryError> {
        Ok(Self::Convex(Arc::new(ConvexHull::from_points(points)?)))
    }

    /// A triangle surface.
    pub fn mesh(vertices: Vec<V3>, faces: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        Ok(Self::Mesh(Arc::new(TriangleMesh::new(vertices, faces)?)))
    }

    /// Checks sizes of a shape written as a literal.
    pub fn validate(&self) -> Result<(), GeometryError> {
        match self {
            Self::Sphere { radius } => Self::sphere(*radius).map(drop),
            Self::Box { half_extents } => Self::cuboid(*half_extents).map(drop),
            Self::Capsule { radius, half_length } => Self::capsule(*radius, *half_length).map(drop),
            Self::Cylinder { radius, half_length } => Self::cylinder(*radius, *half_length).map(drop),
            Self::Ellipsoid { radii } => Self::ellipsoid(*radii).map(drop),
            _ => Ok(()),
        }
    }

    /// Which kind it is.
    pub fn kind(&self) -> ShapeKind {
        match self {
            Self::HalfSpace => ShapeKind::HalfSpace,
            Self::Sphere { .. } => ShapeKind::Sphere,
            Self::Box { .. } => ShapeKind::Box,
            Self::Capsule { .. } => ShapeKind::Capsule,
            Self::Cylinder { .. } => ShapeKind::Cylinder,
            Self::Ellipsoid { .. } => ShapeKind::Ellipsoid,
            Self::Convex(_) => ShapeKind::Convex,
            Self::HeightField(_) => ShapeKind::HeightField,
            Self::Mesh(_) => ShapeKind::Mesh,
        }
    }

    /// The triangle surface of a mesh or height field.
    pub fn surface(&self) -> Option<&TriangleMesh> {
        match self {
            Self::Mesh(m) => Some(m),
            Self::HeightField(h) => Some(h.mesh()),
            _ => None,
        }
    }

    /// The smallest axis-aligned box around the shape at pose `x_ws` (for hulls and meshes: around its
    /// moved box). A half-space gets an infinite box.
    pub fn aabb(&self, x_ws: &Iso) -> Aabb {
        self.aabb_at(&Frame::new(x_ws))
    }

    pub(crate) fn aabb_at(&self, x: &Frame) -> Aabb {
        let Frame { r: m, p } = *x;
        match self {
            Self::HalfSpace => Aabb::around(V3::zeros(), V3::repeat(f64::INFINITY)),
            Self::Sphere { radius } => Aabb::around(p, V3::repeat(*radius)),
            Self::Box { half_extents } => Aabb::around(p, m.abs() * half_extents),
            Self::Capsule { radius, half_length } => {
                Aabb::around(p, m.column(2).abs() * *half_length + V3::repeat(*radius))
            }
            Self::Cylinder { radius, half_length } => {
                // Extent of a disc with unit normal a along e_i: r sqrt(1 - a_i^2).
                let a = m.column(2);
                let disc = a.map(|c| radius * (1.0 - c * c).max(0.0).sqrt());
                Aabb::around(p, a.abs() * *half_length + disc)
            }
            Self::Ellipsoid { radii } => {
                let half = V3::from_fn(|i, _| m.row(i).transpose().component_mul(radii).norm());
                Aabb::around(p, half)
            }
            Self::Convex(h) => h.aabb().transformed(x),
            Self::HeightField(h) => {
                let mut whole = h.mesh().aabb();
                whole.min.z = whole.min.z.min(h.bottom());
                whole.transformed(x)
            }
            Self::Mesh(mesh) => mesh.aabb().transformed(x),
        }
    }

    /// A point of the shape furthest along `d` (shape frame, any length but zero); `None` for a half-space.
    pub fn support(&self, d: &V3) -> Option<V3> {
        let far = |vertices: &[V3]| {
            let mut best = vertices[0];
            for v in &vertices[1..] {
                if v.dot(d) > best.dot(d) {
                    best = *v;
                }
            }
            best
        };
        Some(match self {
            Self::HalfSpace => return None,
            Self::Sphere { radius } => d.try_normalize(0.0).unwrap_or(V3::z()) * *radius,
            Self::Box { half_extents } => half_extents.zip_map(d, |h, c| h.copysign(c)),
            Self::Capsule { radius, half_length } => {
                V3::z() * half_length.copysign(d.z) + d.try_normalize(0.0).unwrap_or(V3::z()) * *radius
            }
            Self::Cylinder { radius, half_length } => cylinder_support(*radius, *half_length, d),
            Self::Ellipsoid { radii } => ellipsoid_support(radii, d),
            Self::Convex(h) => h.support(d),
            Self::HeightField(h) => far(h.mesh().vertices()),
            Self::Mesh(m) => far(m.vertices()),
        })
    }
}

#[inline]
pub(crate) fn cylinder_support(radius: f64, half_length: f64, d: &V3) -> V3 {
    let s = (d.x * d.x + d.y * d.y).sqrt();
    let k = if s > 0.0 { radius / s } else { 0.0 };
    V3::new(k * d.x, k * d.y, half_length.copysign(d.z))
}

#[inline]
pub(crate) fn ellipsoid_support(radii: &V3, d: &V3) -> V3 {
    let w = radii.component_mul(d);
    let n = w.norm();
    if n > 0.0 { radii.component_mul(&w) / n } else { V3::new(0.0, 0.0, radii.z) }
}
