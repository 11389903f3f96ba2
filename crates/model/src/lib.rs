//! The plain description of a world, as a file or a program states it.
//!
//! Nothing is computed here. A [`World`] owns flat lists that refer to each other by index:
//!
//! ```text
//! World ── bodies ── joints        a tree: a body's parent comes before it, body 0 is the world
//!       ├─ geoms, meshes, fields   shapes fixed to bodies, with their contact properties
//!       ├─ tendons                 lengths over joints or along paths, with springs and limits
//!       ├─ actuators               what a control input drives
//!       ├─ sensors                 named readings
//!       ├─ equalities              couplings that close loops or tie joints
//!       ├─ bushings                springs and dampers in six directions between bodies
//!       ├─ keyframes               named states
//!       ├─ visual                  materials, cameras, lights
//!       └─ warnings                what a reader could not honour, with the place
//! ```
//!
//! Every item carries a [`Source`]: the file, element and line it came from, so that an error about
//! it can name the place. [`World::validate`] checks what can be checked without computing.
//! Open [`world`] first.
//!
//! Units are SI, angles in radians, frames right-handed with z up.
//!
//! | also here | |
//! |---|---|
//! | `medium.rs` | air or water around the bodies |
//! | `softness.rs` | how soft a contact is in MuJoCo's words |
//! | `joint.rs` | joints |
//! | `limits.rs` | the largest world that is made |
//! | `geom.rs` | shapes and how they touch |
//! | `mesh.rs` | surfaces and solids |
//! | `actuator.rs` | actuators |
//! | `tendon.rs` | tendons |
//! | `equality.rs` | couplings |
//! | `bushing.rs` | bushings |
//! | `sensor.rs` | sensors |
//! | `contact_law.rs` | calibrated contact |
//! | `source.rs` | where an item came from |
//! | `indices.rs` | every index that items hold of each other |
//! | `validate_links.rs` | checks of what refers to bodies and joints |

pub mod actuator;
pub mod body;
pub mod bushing;
pub mod contact_law;
pub mod equality;
pub mod geom;
pub mod indices;
pub mod joint;
pub mod limits;
pub mod medium;
pub mod mesh;
pub mod sensor;
pub mod softness;
pub mod source;
pub mod tendon;
mod validate;
mod validate_links;
pub mod visual;
pub mod world;

pub use actuator::{Actuator, Dynamics, Muscle, Transmission};
pub use body::{Body, Inertia};
pub use bushing::Bushing;
pub use contact_law::{ContactCalibration, Dissipation, FrictionCalibration};
pub use equality::{Equality, EqualityKind};
pub use geom::{
    CollisionFilter, Compliance, ContactPair, ContactProperties, ConvexParts, FrictionRule, Geom, GeomRole,
    HERTZ_TORSION, Shape,
};
pub use indices::{Index, Indices};
pub use joint::{Dof, Joint, JointKind};
pub use limits::SizeLimits;
pub use medium::{ImmersedEllipsoid, Medium};
pub use mesh::{HeightField, Mesh, Tetrahedra};
pub use sensor::{
    ContactChoice, ContactField, ContactFields, ContactReading, ContactsOf, FrameOf, GeomsOf, Sensor,
    SensorKind,
};
pub use softness::{ContactCone, SoftForce, Softness};
pub use source::{Source, Warning};
pub use tendon::{PathStage, Tendon, TendonPath};
pub use validate::ModelError;
pub use visual::{Camera, Light, Material, Visual};
pub use world::{Keyframe, Options, Site, World};

/// A rigid transform; `x_ab` maps coordinates in frame B to coordinates in frame A.
pub type Pose = nalgebra::Isometry3<f64>;
/// A three-vector.
pub type Vec3 = nalgebra::Vector3<f64>;
