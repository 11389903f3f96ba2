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

/// What a sensor reads. Sites give frames: vectors are in the site's axes unless stated.
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
            | Self::SubtreeAngularMomentum { .. } => 3,
            Self::BallOrientation { .. } | Self::FrameOrientation { .. } => 4,
            _ => 1,
        }
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
        )
    }
}

/// A named reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sensor {
    /// Name; unique among sensors.
    pub name: String,
    /// What it reads.
    pub kind: SensorKind,
    /// Largest magnitude it reports; `None` for no bound.
    pub cutoff: Option<f64>,
    /// Where it came from.
    pub source: Source,
}
