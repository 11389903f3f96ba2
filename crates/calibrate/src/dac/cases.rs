//! What is tossed and how. The paper's ranges are lost; these are ours, published with the data.

use super::body::{Motion, TossBody};
use super::reference::Reference;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use stiction_base::random::Random;
use stiction_dac::Symmetry;

/// Ranges of initial states: uniform and independent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranges {
    /// Height of the lowest vertex, m.
    pub clearance: [f64; 2],
    /// Horizontal speed in a uniform direction, m/s.
    pub speed: [f64; 2],
    /// Vertical velocity, m/s.
    pub vertical: [f64; 2],
    /// Angular velocity about each axis, rad/s: from −spin to spin.
    pub spin: f64,
    /// Largest tilt of the body's axes from a uniform turn about z, rad; π and more is any orientation.
    pub tilt: f64,
    /// Motion in the x–z plane only.
    pub planar: bool,
}

/// A body, a floor and ranges.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// On the command line.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The body.
    pub body: TossBody,
    /// The floor's friction.
    pub reference: Reference,
    /// The floor's symmetry.
    pub symmetry: Symmetry,
    /// Initial states.
    pub ranges: Ranges,
}

impl Case {
    /// All cases.
    pub fn all() -> Vec<Self> {
        let ranges = Ranges {
            clearance: [0.2, 0.6],
            speed: [1.0, 3.0],
            vertical: [-1.0, 0.0],
            spin: 6.0,
            tilt: 10.0,
            planar: false,
        };
        let even = |mu: f64| Reference { friction: [mu, mu] };
        let cuboid = || TossBody::cuboid("box", [0.20, 0.16, 0.12], 1.0);
        vec![
            Self {
                name: "box",
                summary: "a box of 20 × 16 × 12 cm and 1 kg, friction 0.4",
                body: cuboid(),
                reference: even(0.4),
                symmetry: Symmetry::Square,
                ranges,
            },
            Self {
                name: "prism",
                summary: "a pentagonal prism of circumradius 10 cm, height 14 cm and 1 kg, friction 0.4",
                body: TossBody::prism("prism", 5, 0.10, 0.14, 1.0),
                reference: even(0.4),
                symmetry: Symmetry::Square,
                ranges,
            },
            Self {
                name: "box-2d",
                summary: "a rectangle of 20 × 12 cm and 1 kg in the x–z plane, friction 0.4",
                body: TossBody::rectangle("box-2d", [0.20, 0.12], 1.0),
                reference: even(0.4),
                symmetry: Symmetry::Square,
                ranges: Ranges { planar: true, ..ranges },
            },
            Self {
                name: "anisotropic",
                summary: "the box on a floor with friction 0.75 along x and 1.5 along y",
                body: cuboid(),
                reference: Reference { friction: [0.75, 1.5] },
                symmetry: Symmetry::Mirror,
                ranges: Ranges { clearance: [0.0, 0.05], speed: [0.5, 4.0], spin: 2.0, tilt: 0.3, ..ranges },
            },
            Self {
                name: "link",
                summary: "the last link of the chain: a rectangle of 5 × 30 cm and 0.5 kg in the x–z plane, friction 0.4",
                body: TossBody::rectangle("link", [0.30, 0.05], 0.5),
                reference: even(0.4),
                symmetry: Symmetry::Square,
                ranges: Ranges {
                    planar: true,
                    spin: 12.0,
                    speed: [0.0, 4.0],
                    vertical: [-3.0, 0.0],
                    ..ranges
                },
            },
        ]
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|c| c.name == name)
    }

    /// The initial state of a toss.
    pub fn start(&self, toss: u64, seed: u64) -> Motion {
        self.ranges.start(&self.body, toss, seed)
    }
}

impl Ranges {
    /// The initial state of toss number `toss`.
    pub fn start(&self, body: &TossBody, toss: u64, seed: u64) -> Motion {
        let mut random = Random::new(
            stiction_base::random::mix(seed ^ 0x5349_4d50) ^ stiction_base::random::mix(toss + 1),
        );
        let mut within = |r: [f64; 2]| r[0] + (r[1] - r[0]) * random.unit();
        let (clearance, speed, vertical) =
            (within(self.clearance), within(self.speed), within(self.vertical));
        let heading = within([0.0, std::f64::consts::TAU]);
        let spin = Vector3::from_fn(|_, _| within([-self.spin, self.spin]));
        let yaw = within([0.0, std::f64::consts::TAU]);
        let mut motion = Motion {
            com: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            linear: Vector3::new(speed * heading.cos(), speed * heading.sin(), vertical),
            spin,
        };
        if self.planar {
            motion.rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), yaw);
            motion.linear.x = if heading < std::f64::consts::PI { speed } else { -speed };
            motion.linear.y = 0.0;
            motion.spin = Vector3::new(0.0, spin.y, 0.0);
        } else if self.tilt < std::f64::consts::PI {
            let axis = within([0.0, std::f64::consts::TAU]);
            let tilt = within([0.0, self.tilt]);
            let tip = UnitQuaternion::from_scaled_axis(Vector3::new(axis.cos(), axis.sin(), 0.0) * tilt);
            motion.rotation = tip * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
        } else {
            let q = Quaternion::new(random.normal(), random.normal(), random.normal(), random.normal());
            motion.rotation = UnitQuaternion::from_quaternion(q);
        }
        motion.com.z = clearance - body.lowest(&motion);
        motion
    }
}
