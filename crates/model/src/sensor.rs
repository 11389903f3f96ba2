//! Sensors: named readings of a simulation.

use crate::Source;
use serde::{Deserialize, Serialize};

/// Something with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameOf {
    /// A body's own frame, by index.
    Body(usize),
    /// A body's centre of mass, with its principal axes, by index of the body.
    Inertial(usize),
    /// A geom, by index.
    Geom(usize),
    /// A site, by index.
    Site(usize),
    /// A camera, by index.
    Camera(usize),
}

/// One side of a pair of geoms between which a distance is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GeomsOf {
    /// A geom, by index.
    Geom(usize),
    /// All geoms of a body, by index: the nearest counts.
    Body(usize),
}

/// The side of a contact sensor: which contacts it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactsOf {
    /// Anything.
    #[default]
    Any,
    /// A geom, by index.
    Geom(usize),
    /// A geom of a body, by index.
    Body(usize),
    /// A geom of a body, by index, or of one below it.
    Subtree(usize),
    /// A contact whose position lies inside a site's volume, by index of the site.
    Site(usize),
}

/// A quantity that a contact sensor reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactField {
    /// How many contacts match; 0 in slots without a contact.
    Found,
    /// Force on the second side in the contact's frame: along the normal, the tangent and the third axis, N.
    Force,
    /// Moment on the second side about the contact's position, in the contact's frame, N m.
    Torque,
    /// Signed distance of the surfaces, negative in overlap, m; 0 for contact patches, which have no single one.
    Distance,
    /// Position in the world, m.
    Position,
    /// Unit normal in the world, from the first side to the second.
    Normal,
    /// First tangent of the contact's frame, world.
    Tangent,
    /// Velocity of the second side relative to the first at the contact's position, in the contact's frame, m/s.
    LinearVelocity,
    /// Angular velocity of the second side relative to the first, in the contact's frame, rad/s.
    AngularVelocity,
}

impl ContactField {
    /// All of them, in the order in which they are read.
    pub const ALL: [Self; 9] = [
        Self::Found,
        Self::Force,
        Self::Torque,
        Self::Distance,
        Self::Position,
        Self::Normal,
        Self::Tangent,
        Self::LinearVelocity,
        Self::AngularVelocity,
    ];

    /// How many numbers it is.
    pub fn size(self) -> usize {
        if matches!(self, Self::Found | Self::Distance) { 1 } else { 3 }
    }
}

/// A set of [`ContactField`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactFields(u16);

impl ContactFields {
    /// The set with one more.
    #[must_use]
    pub fn with(self, field: ContactField) -> Self {
        Self(self.0 | 1 << field as u16)
    }

    /// Whether a field belongs to it.
    pub fn contains(self, field: ContactField) -> bool {
        self.0 & 1 << field as u16 != 0
    }

    /// The fields in the order in which they are read.
    pub fn iter(self) -> impl Iterator<Item = ContactField> {
        ContactField::ALL.into_iter().filter(move |f| self.contains(*f))
    }

    /// How many numbers they are for one contact.
    pub fn size(self) -> usize {
        self.iter().map(ContactField::size).sum()
    }
}

impl FromIterator<ContactField> for ContactFields {
    fn from_iter<I: IntoIterator<Item = ContactField>>(fields: I) -> Self {
        fields.into_iter().fold(Self::default(), Self::with)
    }
}

/// Which of the contacts that match fill the slots of a contact sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactChoice {
    /// The first ones in the order of the simulation's contacts.
    #[default]
    First,
    /// Those of the smallest signed distance, smallest first.
    Nearest,
    /// Those of the largest force, largest first.
    Strongest,
    /// Their sum, in the first slot: a force in world axes at the mean of the positions, each weighted by its force.
    /// It has neither distance nor velocities, and the frame is that of the world.
    Sum,
}

/// The reading of a contact sensor: `slots` times its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactReading {
    /// First side.
    pub first: ContactsOf,
    /// Second side; not a site.
    pub second: ContactsOf,
    /// Fields read of each contact.
    pub fields: ContactFields,
    /// Which contacts are read.
    pub choice: ContactChoice,
    /// For how many contacts there is room; the rest of the room is zero.
    pub slots: usize,
}

/// Most numbers of all sensors together.
pub const MAX_READINGS: usize = 20_000_000;

/// Most numbers of a user's sensor.
pub const MAX_USER_SIZE: usize = 10_000;

/// Most slots of a contact sensor.
pub const MAX_CONTACT_SLOTS: usize = 100_000;

/// The quantity that a sensor reads. Sites give frames: vectors are in the site's axes unless stated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum SensorKind {
    /// Sum of the normal forces of the contacts of the site's body that push through the site's volume, N.
    Touch {
        /// Index of the site.
        site: usize,
    },
    /// Acceleration of the site less gravity, m/s².
    Accelerometer {
        /// Index of the site.
        site: usize,
    },
    /// Velocity of the site, m/s.
    Velocimeter {
        /// Index of the site.
        site: usize,
    },
    /// Angular velocity of the site, rad/s.
    Gyro {
        /// Index of the site.
        site: usize,
    },
    /// Force that the parent exerts on the site's body through its joints, N.
    Force {
        /// Index of the site.
        site: usize,
    },
    /// Moment about the site that the parent exerts on the site's body through its joints, N m.
    Torque {
        /// Index of the site.
        site: usize,
    },
    /// The world's magnetic field.
    Magnetometer {
        /// Index of the site.
        site: usize,
    },
    /// Distance to the first geom along the site's z-axis, geoms of its own body left out, m; −1 if
    /// there is none.
    Rangefinder {
        /// Index of the site.
        site: usize,
    },
    /// Position of a joint of one coordinate.
    JointPosition {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Velocity of a joint of one coordinate.
    JointVelocity {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Force that all actuators together apply along a joint of one coordinate.
    JointActuatorForce {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// How far a joint's position is beyond its limits, as a negative number; 0 within them.
    JointLimitPosition {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Orientation of a ball joint: unit quaternion, w first.
    BallOrientation {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Angular velocity of a ball joint in the child's axes, rad/s.
    BallVelocity {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Length of a tendon.
    TendonPosition {
        /// Index of the tendon.
        tendon: usize,
    },
    /// Rate of a tendon's length.
    TendonVelocity {
        /// Index of the tendon.
        tendon: usize,
    },
    /// Force that all actuators together apply along a tendon.
    TendonActuatorForce {
        /// Index of the tendon.
        tendon: usize,
    },
    /// How far a tendon's length is beyond its limits, as a negative number; 0 within them.
    TendonLimitPosition {
        /// Index of the tendon.
        tendon: usize,
    },
    /// Length of an actuator's transmission.
    ActuatorPosition {
        /// Index of the actuator.
        actuator: usize,
    },
    /// Rate of the length of an actuator's transmission.
    ActuatorVelocity {
        /// Index of the actuator.
        actuator: usize,
    },
    /// Force of an actuator.
    ActuatorForce {
        /// Index of the actuator.
        actuator: usize,
    },
    /// Position of a frame in the world, or in `reference`'s frame, m.
    FramePosition {
        /// The frame.
        frame: FrameOf,
        /// The frame it is seen from; `None` for the world.
        reference: Option<FrameOf>,
    },
    /// Orientation of a frame in the world, or in `reference`'s frame: unit quaternion, w first.
    FrameOrientation {
        /// The frame.
        frame: FrameOf,
        /// The frame it is seen from; `None` for the world.
        reference: Option<FrameOf>,
    },
    /// An axis of a frame in the world, or in `reference`'s frame.
    FrameAxis {
        /// The frame.
        frame: FrameOf,
        /// Which axis: 0 x, 1 y, 2 z.
        axis: usize,
        /// The frame it is seen from; `None` for the world.
        reference: Option<FrameOf>,
    },
    /// Velocity of a frame's origin in world axes, or as seen from the moving frame `reference`, m/s.
    FrameLinearVelocity {
        /// The frame.
        frame: FrameOf,
        /// The frame it is seen from; `None` for the world.
        reference: Option<FrameOf>,
    },
    /// Angular velocity of a frame in world axes, or relative to and in the axes of `reference`, rad/s.
    FrameAngularVelocity {
        /// The frame.
        frame: FrameOf,
        /// The frame it is seen from; `None` for the world.
        reference: Option<FrameOf>,
    },
    /// Acceleration of a frame's origin in world axes less gravity, m/s².
    FrameLinearAcceleration {
        /// The frame.
        frame: FrameOf,
    },
    /// Angular acceleration of a frame in world axes, rad/s².
    FrameAngularAcceleration {
        /// The frame.
        frame: FrameOf,
    },
    /// Centre of mass of a body and all below it, world, m.
    SubtreeCenterOfMass {
        /// Index of the body.
        body: usize,
    },
    /// Velocity of the centre of mass of a body and all below it, world axes, m/s.
    SubtreeVelocity {
        /// Index of the body.
        body: usize,
    },
    /// Angular momentum of a body and all below it about their centre of mass, world axes, kg m²/s.
    SubtreeAngularMomentum {
        /// Index of the body.
        body: usize,
    },
    /// 1 where a frame's origin lies inside a site's volume, else 0.
    InsideSite {
        /// The frame.
        frame: FrameOf,
        /// Index of the site.
        site: usize,
    },
    /// Smallest signed distance between two sides, m, negative in overlap; the sensor's cutoff (0 if it has none) where
    /// they are further apart than that.
    Distance {
        /// One side.
        first: GeomsOf,
        /// The other.
        second: GeomsOf,
    },
    /// Unit vector, world axes, from the point of the first side to that of the second between which [`Self::Distance`] is
    /// measured; zero beyond the cutoff.
    DistanceDirection {
        /// One side.
        first: GeomsOf,
        /// The other.
        second: GeomsOf,
    },
    /// Those two points, world, m: six numbers, zero beyond the cutoff.
    DistancePoints {
        /// One side.
        first: GeomsOf,
        /// The other.
        second: GeomsOf,
    },
    /// Contacts of the last step.
    Contact {
        /// Which, and what of them.
        contact: ContactReading,
    },
    /// Rate at which a joint that is at or beyond one of its limits moves away from it; 0 within them.
    JointLimitVelocity {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Force with which a joint's limits push it back, zero or positive.
    JointLimitForce {
        /// The joint: (body, place in its list).
        joint: (usize, usize),
    },
    /// Rate at which the length of a tendon that is at or beyond one of its limits moves away from it; 0 within them.
    TendonLimitVelocity {
        /// Index of the tendon.
        tendon: usize,
    },
    /// Force with which a tendon's limits push it back, zero or positive.
    TendonLimitForce {
        /// Index of the tendon.
        tendon: usize,
    },
    /// Where a camera's picture shows a site: pixels from the left and from the top.
    CameraProjection {
        /// Index of the site.
        site: usize,
        /// Index of the camera.
        camera: usize,
    },
    /// Room for numbers that the user's program computes; here they are zero.
    User {
        /// How many.
        size: usize,
    },
    /// Potential energy, J.
    PotentialEnergy,
    /// Kinetic energy, J.
    KineticEnergy,
    /// Time, s.
    Clock,
}

impl SensorKind {
    /// How many numbers it reads.
    pub fn size(&self) -> usize {
        match self {
            Self::Accelerometer { .. }
            | Self::Velocimeter { .. }
            | Self::Gyro { .. }
            | Self::Force { .. }
            | Self::Torque { .. }
            | Self::Magnetometer { .. }
            | Self::BallVelocity { .. }
            | Self::FramePosition { .. }
            | Self::FrameAxis { .. }
            | Self::FrameLinearVelocity { .. }
            | Self::FrameAngularVelocity { .. }
            | Self::FrameLinearAcceleration { .. }
            | Self::FrameAngularAcceleration { .. }
            | Self::SubtreeCenterOfMass { .. }
            | Self::SubtreeVelocity { .. }
            | Self::SubtreeAngularMomentum { .. }
            | Self::DistanceDirection { .. } => 3,
            Self::DistancePoints { .. } => 6,
            Self::CameraProjection { .. } => 2,
            Self::User { size } => *size,
            Self::Contact { contact } => contact.slots.saturating_mul(contact.fields.size()),
            Self::BallOrientation { .. } | Self::FrameOrientation { .. } => 4,
            Self::Touch { .. }
            | Self::Rangefinder { .. }
            | Self::JointPosition { .. }
            | Self::JointVelocity { .. }
            | Self::JointActuatorForce { .. }
            | Self::JointLimitPosition { .. }
            | Self::JointLimitVelocity { .. }
            | Self::JointLimitForce { .. }
            | Self::TendonPosition { .. }
            | Self::TendonVelocity { .. }
            | Self::TendonActuatorForce { .. }
            | Self::TendonLimitPosition { .. }
            | Self::TendonLimitVelocity { .. }
            | Self::TendonLimitForce { .. }
            | Self::ActuatorPosition { .. }
            | Self::ActuatorVelocity { .. }
            | Self::ActuatorForce { .. }
            | Self::InsideSite { .. }
            | Self::Distance { .. }
            | Self::PotentialEnergy
            | Self::KineticEnergy
            | Self::Clock => 1,
        }
    }

    /// Whether it reads something of the whole world, of which an attached model brings no second one.
    pub fn of_world(&self) -> bool {
        matches!(self, Self::PotentialEnergy | Self::KineticEnergy | Self::Clock)
    }

    /// Whether it reads accelerations or forces, which only a step brings about.
    pub fn reads_forces(&self) -> bool {
        matches!(
            self,
            Self::Touch { .. }
                | Self::Accelerometer { .. }
                | Self::Force { .. }
                | Self::Torque { .. }
                | Self::ActuatorForce { .. }
                | Self::JointActuatorForce { .. }
                | Self::TendonActuatorForce { .. }
                | Self::FrameLinearAcceleration { .. }
                | Self::FrameAngularAcceleration { .. }
                | Self::Contact { .. }
                | Self::JointLimitForce { .. }
                | Self::TendonLimitForce { .. }
        )
    }
}

/// A named reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    /// Name; unique among sensors.
    pub name: String,
    /// The quantity it reads.
    pub kind: SensorKind,
    /// Largest magnitude it reports; `None` for no bound.
    pub cutoff: Option<f64>,
    /// Where it came from.
    pub source: Source,
}
