//! Tendons: scalar lengths that run over joints or along a path through space.

use crate::Source;
use serde::{Deserialize, Serialize};

/// A stage of the path of a spatial tendon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PathStage {
    /// The path goes through a site.
    Site {
        /// Index into `World::sites`.
        site: usize,
    },
    /// Between the sites before and after it the path wraps around a geom, the shorter way, or not at all
    /// where the straight line passes it by.
    Wrap {
        /// Index into `World::geoms`; a sphere, or a cylinder taken as unbounded.
        geom: usize,
        /// Index of the site that says on which side the path goes. If it lies inside the geom, the path
        /// goes through the geom's inside and touches it from there.
        side: Option<usize>,
    },
    /// The path ends and another branch begins, whose length counts 1/divisor.
    Pulley {
        /// Divisor of the length that follows; positive.
        divisor: f64,
    },
}

/// How the length of a tendon is defined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TendonPath {
    /// Σ coefficient · q over joints of one coordinate.
    Fixed {
        /// ((body, joint in its list), coefficient).
        terms: Vec<((usize, usize), f64)>,
    },
    /// The length of a path through sites, around geoms and over pulleys, m.
    Spatial {
        /// Its stages; every branch begins and ends with a site.
        stages: Vec<PathStage>,
    },
}

/// A tendon. Forces are along its length: N for paths in metres, N m for fixed tendons over hinges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tendon {
    /// Name; unique among tendons.
    pub name: String,
    /// How its length is defined.
    pub path: TendonPath,
    /// Smallest and largest length, each limit near-rigid; infinite ends are no limit.
    pub range: [f64; 2],
    /// Compliance of the limits, force per length; `None` means near-rigid.
    pub limit_stiffness: Option<f64>,
    /// Relaxation time of such limits, damping over stiffness, s; `None` is one step.
    pub limit_relaxation_time: Option<f64>,
    /// Stiffness of its spring.
    pub stiffness: f64,
    /// Lengths between which its spring is slack; `None` is the length where all joint springs
    /// are relaxed.
    pub rest: Option<[f64; 2]>,
    /// Viscous damping.
    pub damping: f64,
    /// Dry friction: the largest force it takes to start moving.
    pub friction: f64,
    /// Inertia of its length: force per acceleration. A path that wraps around geoms has none.
    pub armature: f64,
    /// Range of the sum of the forces that actuators apply to it.
    pub actuator_force_range: Option<[f64; 2]>,
    /// Width to draw, m.
    pub width: f64,
    /// Red, green, blue, opacity, each 0 to 1.
    pub color: [f32; 4],
    /// Where it came from.
    pub source: Source,
}

impl Tendon {
    /// A tendon without forces or limits.
    pub fn new(name: impl Into<String>, path: TendonPath) -> Self {
        Self {
            name: name.into(),
            path,
            range: [f64::NEG_INFINITY, f64::INFINITY],
            limit_stiffness: None,
            limit_relaxation_time: None,
            stiffness: 0.0,
            rest: None,
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            actuator_force_range: None,
            width: 0.003,
            color: [0.5, 0.5, 0.5, 1.0],
            source: Source::default(),
        }
    }
}
