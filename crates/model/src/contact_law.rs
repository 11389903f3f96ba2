//! How contact is computed where the plain law is not enough: what a file or a calibration says beside materials.

use crate::ContactProperties;
use serde::{Deserialize, Serialize};

/// How contacts dissipate along their normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dissipation {
    /// f = k x (1 + d ẋ): the coefficient of restitution falls with speed.
    #[default]
    HuntCrossley,
    /// f = k (x + τ ẋ) while it pushes, with the relaxation time τ: the coefficient of restitution does not depend on
    /// speed.
    Linear,
}

/// How friction depends on the state of a contact: μ = μ₀ exp(z), |z| ≤ 1.5, z the sum of
///
/// | weight | times |
/// |---|---|
/// | `edge` | 1 where two points of the geom pair touch |
/// | `face` | 1 where three or more do |
/// | `load`, `load_squared` | L = ln(1 + N/5 N), its square; N the normal force of the point |
/// | `slip` | S = ln(1 + s/0.2 m/s); s the slip speed |
/// | `load_slip` | L S |
/// | `approach`, `approach_load` | A = tanh(10 s/m · speed of approach), A L |
/// | `face_slip` | S where three or more points touch |
///
/// all at the beginning of a step, so that the step's problem stays convex. Friction stays within e^±1.5 of what the
/// material says, whatever the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FrictionCalibration {
    /// Weight of an edge.
    pub edge: f64,
    /// Weight of a face.
    pub face: f64,
    /// Weight of the load.
    pub load: f64,
    /// Weight of its square.
    pub load_squared: f64,
    /// Weight of the slip.
    pub slip: f64,
    /// Weight of load times slip.
    pub load_slip: f64,
    /// Weight of the approach.
    pub approach: f64,
    /// Weight of approach times load.
    pub approach_load: f64,
    /// Weight of the slip of a face.
    pub face_slip: f64,
}

impl FrictionCalibration {
    /// Names of the weights, in their order.
    pub const NAMES: [&str; 9] = [
        "edge",
        "face",
        "load",
        "load_squared",
        "slip",
        "load_slip",
        "approach",
        "approach_load",
        "face_slip",
    ];

    /// The weights, in the order of [`FrictionCalibration::NAMES`].
    pub fn weights(&self) -> [f64; 9] {
        [
            self.edge,
            self.face,
            self.load,
            self.load_squared,
            self.slip,
            self.load_slip,
            self.approach,
            self.approach_load,
            self.face_slip,
        ]
    }

    /// The law of these weights.
    pub fn from_weights(w: [f64; 9]) -> Self {
        Self {
            edge: w[0],
            face: w[1],
            load: w[2],
            load_squared: w[3],
            slip: w[4],
            load_slip: w[5],
            approach: w[6],
            approach_load: w[7],
            face_slip: w[8],
        }
    }
}

/// How contact is computed under the Lagged model.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactCalibration {
    /// How contacts dissipate along their normal.
    pub dissipation: Dissipation,
    /// Solves of a step: each after the first takes friction's normal impulses from the one before it, so that friction
    /// no longer lags in an impact. At least 1.
    pub friction_passes: u32,
    /// Tangential springs: their stiffness over the normal one, and their relaxation time, s.
    pub springs: Option<[f64; 2]>,
    /// How friction depends on the state of a contact.
    pub friction: FrictionCalibration,
    /// Values that replace the combined properties of a pair of geoms, if given.
    pub material: ContactProperties,
}

impl Default for ContactCalibration {
    /// The plain law.
    fn default() -> Self {
        Self {
            dissipation: Dissipation::HuntCrossley,
            friction_passes: 1,
            springs: None,
            friction: FrictionCalibration::default(),
            material: ContactProperties::default(),
        }
    }
}

/// Largest number of friction passes.
const MOST_PASSES: u32 = 20;

impl ContactCalibration {
    /// The first error in it, if there is one.
    pub fn problem(&self) -> Option<String> {
        if !(1..=MOST_PASSES).contains(&self.friction_passes) {
            return Some(format!(
                "friction_passes is {}; it must be between 1 and {MOST_PASSES}",
                self.friction_passes
            ));
        }
        if let Some([ratio, time]) = self.springs
            && !(ratio > 0.0 && ratio.is_finite() && time >= 0.0 && time.is_finite())
        {
            return Some(format!(
                "the tangential springs are {ratio} and {time}; they need a positive stiffness ratio and a relaxation time of \
                 zero or more"
            ));
        }
        let weights = self.friction.weights();
        let bad = weights.iter().position(|w| !w.is_finite());
        if let Some(k) = bad {
            return Some(format!(
                "the friction law's weight {} is {}; it must be finite",
                FrictionCalibration::NAMES[k],
                weights[k]
            ));
        }
        let m = &self.material;
        let values = [
            ("static_friction", m.static_friction),
            ("dynamic_friction", m.dynamic_friction),
            ("stiffness", m.stiffness),
            ("dissipation", m.dissipation),
            ("relaxation_time", m.relaxation_time),
        ];
        let bad = values.iter().find(|(_, x)| x.is_some_and(|x| !(x >= 0.0 && x.is_finite())));
        bad.map(|(name, x)| format!("its {name} is {}; it must be zero or more", x.unwrap_or_default()))
    }
}
