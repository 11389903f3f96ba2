//! Shapes fixed to bodies, and how they touch.

use crate::{ImmersedEllipsoid, Pose, Softness, Source, Vec3};
use serde::{Deserialize, Serialize};

/// A shape in its geom's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// All points with z ≤ 0. `size` is the half-extent to draw, m (0 for unbounded).
    HalfSpace {
        /// Half-extents in x and y for drawing only.
        size: [f64; 2],
    },
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A box.
    Box {
        /// Half of each edge, m.
        half_extents: Vec3,
    },
    /// A cylinder along z with half-balls on its ends.
    Capsule {
        /// Radius, m.
        radius: f64,
        /// Half of the cylinder's length without the caps, m.
        half_length: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Half of its length, m.
        half_length: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The three radii, m.
        radii: Vec3,
    },
    /// A triangle mesh of the world's `meshes`.
    Mesh {
        /// Index into `World::meshes`.
        mesh: usize,
        /// True if the mesh collides as its convex hull, false if as its surface.
        convex: bool,
    },
    /// A height field of the world's `height_fields`.
    HeightField {
        /// Index into `World::height_fields`.
        field: usize,
    },
}

impl Shape {
    /// The word used for this shape in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::HalfSpace { .. } => "half-space",
            Self::Sphere { .. } => "sphere",
            Self::Box { .. } => "box",
            Self::Capsule { .. } => "capsule",
            Self::Cylinder { .. } => "cylinder",
            Self::Ellipsoid { .. } => "ellipsoid",
            Self::Mesh { convex: true, .. } => "convex mesh",
            Self::Mesh { convex: false, .. } => "mesh",
            Self::HeightField { .. } => "height field",
        }
    }
}

/// Whether a geom collides, is drawn, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GeomRole {
    /// It collides and is drawn.
    Both,
    /// It collides; drawn only on demand.
    Collision,
    /// It is only drawn.
    Visual,
}

/// How a solid yields when it is touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Compliance {
    /// Nothing was said: point contact, and rigid against a compliant solid.
    #[default]
    Unspecified,
    /// Said to be rigid: point contact, and rigid against a compliant solid.
    Rigid,
    /// A solid with a pressure field: patches with whatever it touches.
    Compliant,
}

/// Torsional friction of Hertz's round patch over μ times its radius a: the pressure is ∝ √(1 − r²/a²), and ∫ μ p r dA =
/// 3π/16 μ a f_n. (A patch of uniform pressure has 2/3.)
pub const HERTZ_TORSION: f64 = 3.0 * std::f64::consts::PI / 16.0;

/// Contact properties of one geom; `None` means the default of the simulator.
///
/// How two geoms' values combine is written in the simulator's material rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactProperties {
    /// Static friction coefficient.
    pub static_friction: Option<f64>,
    /// Dynamic friction coefficient.
    pub dynamic_friction: Option<f64>,
    /// Torsional friction of points: the largest torque about the normal over the normal force, m.
    pub torsional_friction: Option<f64>,
    /// Rolling friction of points: the largest torque about the tangent axes over the normal force, m.
    pub rolling_friction: Option<f64>,
    /// Radius R of the surface at a contact point, m: adds the torsional friction of Hertz's contact patch at depth d,
    /// 3π/16 μ √(R d).
    pub surface_radius: Option<f64>,
    /// μ of that patch; the dynamic friction if not given.
    pub torsional_coefficient: Option<f64>,
    /// Which of these friction coefficients act (MuJoCo's condim): 1 none, 3 sliding, 4 torsion too, 6 rolling too. If not
    /// given, those that are.
    pub dimensions: Option<u8>,
    /// Sliding friction along the second axis of the contact frame, of a pair of geoms only.
    pub second_friction: Option<f64>,
    /// Rolling friction about the second axis, of a pair of geoms only, m.
    pub second_rolling_friction: Option<f64>,
    /// Restitution of points: separation over approach of an impact, 0 to 1. None leaves the bounce to the dissipation.
    pub restitution: Option<f64>,
    /// Approach up to which an impact has no restitution, m/s, beside that of bodies at rest.
    pub restitution_threshold: Option<f64>,
    /// Point-contact stiffness, N/m.
    pub stiffness: Option<f64>,
    /// Hunt & Crossley dissipation, s/m.
    pub dissipation: Option<f64>,
    /// Relaxation time of linear dissipation (SAP), s.
    pub relaxation_time: Option<f64>,
    /// Softness in MuJoCo's terms, for those who ask for the contact of the file; points only.
    pub softness: Option<Softness>,
    /// Maximum expansion rate of a compliant solid, 1/s: its damping in continuous time (PFC eq. 5.7) in place of the
    /// dissipation.
    pub expansion_rate: Option<f64>,
    /// Whether it makes patches.
    pub compliance: Compliance,
    /// Modulus of the pressure field, Pa.
    pub hydroelastic_modulus: Option<f64>,
    /// Edge length asked of its tetrahedra, m.
    pub resolution_hint: Option<f64>,
    /// Thickness of the slab for half-spaces and thin layers, m.
    pub slab_thickness: Option<f64>,
}

impl ContactProperties {
    /// Whether points resist turning, or friction depends on its direction.
    pub fn turns(&self) -> bool {
        let acts = |least: u8, x: Option<f64>| {
            x.is_some_and(|x| x > 0.0) && self.dimensions.is_none_or(|given| given >= least)
        };
        acts(4, self.torsional_friction)
            || acts(4, self.surface_radius)
            || acts(6, self.rolling_friction)
            || self.second_friction.is_some()
            || self.second_rolling_friction.is_some()
    }
}

/// The rule by which two geoms' friction coefficients combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrictionRule {
    /// μ = 2 μ₁ μ₂ / (μ₁ + μ₂), as Drake.
    #[default]
    HarmonicMean,
    /// The geom of higher `priority` decides; of equal ones the larger coefficient, as MuJoCo.
    MaxWithPriority,
}

/// Who may touch whom. Two geoms collide if either one's `group` shares a bit with the other's `mask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollisionFilter {
    /// Bits this geom is of (MuJoCo's contype).
    pub group: u32,
    /// Bits this geom touches (MuJoCo's conaffinity).
    pub mask: u32,
}

impl Default for CollisionFilter {
    fn default() -> Self {
        Self { group: 1, mask: 1 }
    }
}

/// How a mesh that is not convex is cut into convex parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConvexParts {
    /// Most parts.
    pub most: u32,
    /// Voxels along the longest side of the mesh. The cost of cutting grows with the cube.
    pub resolution: u32,
}

impl Default for ConvexParts {
    fn default() -> Self {
        Self { most: 32, resolution: 64 }
    }
}

/// A shape fixed to a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Geom {
    /// Name; may be empty, otherwise unique in the world.
    pub name: String,
    /// Index of the body it is fixed to.
    pub body: usize,
    /// Pose in the body frame.
    pub pose: Pose,
    /// The shape.
    pub shape: Shape,
    /// Whether it collides, is drawn, or both.
    pub role: GeomRole,
    /// Contact properties.
    pub contact: ContactProperties,
    /// Who it may touch.
    pub filter: CollisionFilter,
    /// Precedence of its friction under [`FrictionRule::MaxWithPriority`].
    pub priority: i32,
    /// Distance at which speculative contacts are kept for this geom, m.
    pub margin: f64,
    /// Velocity of the surface relative to the body, as a conveyor belt has it, in the body frame:
    /// [angular rad/s; linear m/s at the body origin].
    pub surface_velocity: Option<[f64; 6]>,
    /// If its mesh is to be cut into convex parts on compiling, which collide in its place.
    pub convex_parts: Option<ConvexParts>,
    /// Ellipsoid on which a medium acts in its place; without one on any of its geoms a body's inertia box is used.
    pub immersed: Option<ImmersedEllipsoid>,
    /// Red, green, blue, opacity, each 0 to 1.
    pub color: [f32; 4],
    /// Index of its material in `World::visual`, if it has one; the colour above already counts it.
    pub material: Option<usize>,
    /// Group by which pictures show or hide it; those above 2 are hidden by custom.
    pub group: i32,
    /// Where it came from.
    pub source: Source,
}

/// Two geoms that touch whatever their filters and bodies say, with contact properties of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactPair {
    /// Index of one geom.
    pub geom_a: usize,
    /// Index of the other.
    pub geom_b: usize,
    /// Properties of the contact itself, in place of what the two geoms' would combine to. What is not
    /// given is combined as usual. The stiffness is that of the pair.
    pub contact: ContactProperties,
    /// Where it came from.
    pub source: Source,
}

impl Geom {
    /// A grey geom at the body's origin that collides and is drawn.
    pub fn new(name: impl Into<String>, body: usize, shape: Shape) -> Self {
        Self {
            name: name.into(),
            body,
            pose: Pose::identity(),
            shape,
            role: GeomRole::Both,
            contact: ContactProperties::default(),
            filter: CollisionFilter::default(),
            priority: 0,
            margin: 0.0,
            surface_velocity: None,
            convex_parts: None,
            immersed: None,
            color: [0.5, 0.5, 0.5, 1.0],
            material: None,
            group: 0,
            source: Source::default(),
        }
    }
}
