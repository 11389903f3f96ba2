//! The saved state of a simulation.
//!
//! The result of a step depends only on the model, the options and the state. A simulation resumes bit for bit from
//! a saved [`State`].

use crate::control::Measured;
use crate::error::InputError;
use crate::model::CollidingGeomId;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_base::checksum;
use stiction_model::Pose;

/// Stretch of the tangential spring of one contact point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactStretch {
    /// The geoms, ordered as in the contact.
    pub geoms: (CollidingGeomId, CollidingGeomId),
    /// Position of the contact in the frame of A's body, m.
    pub point_a: Vector3<f64>,
    /// Stretch of B's surface relative to A's, in the frame of A's body, m.
    pub stretch: Vector3<f64>,
    /// Turn of B against A that torsional and rolling friction hold, in the frame of A's body, rad.
    pub turn: Vector3<f64>,
}

/// State of the tangential springs of one patch in continuous time (PFC eq. 6.21).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchSpring {
    /// The geoms, ordered as in the patch.
    pub geoms: (CollidingGeomId, CollidingGeomId),
    /// s, √J, in the axes of B's body: half its square is the energy stored.
    pub s: [f64; 6],
}

/// Pose and velocity of a mocap body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MocapState {
    /// Pose in the world.
    pub pose: Pose,
    /// Velocity of its origin in world axes, [angular rad/s; linear m/s]. Contacts use it.
    pub twist: [f64; 6],
}

/// Saved data of a controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControllerState {
    /// Index of its next sample.
    pub next_sample: u64,
    /// Its memory.
    pub memory: Vec<f64>,
}

/// The state of a simulation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time, s.
    pub time: f64,
    /// Positions, MuJoCo's `qpos` layout.
    pub q: Vec<f64>,
    /// Velocities, MuJoCo's `qvel` layout.
    pub v: Vec<f64>,
    /// Controls held until they are changed.
    pub ctrl: Vec<f64>,
    /// Activations of the actuators that have one, in their order.
    pub activation: Vec<f64>,
    /// Generalised forces applied from outside, held until they are changed; N or N m.
    pub applied: Vec<f64>,
    /// Mocap bodies, in the order of the model.
    pub mocap: Vec<MocapState>,
    /// Tangential springs of the contacts, sorted by geom pair.
    pub stretches: Vec<ContactStretch>,
    /// Tangential springs of patches in continuous time, sorted by geom pair.
    pub springs: Vec<PatchSpring>,
    /// Step that error control will try next, s; 0 before the first.
    pub next_step: f64,
    /// Data of the controllers, in the order in which they were added.
    pub controllers: Vec<ControllerState>,
    /// Measurements for the controllers at the end of the last step.
    pub measured: Measured,
}

impl State {
    /// An empty state.
    pub(crate) fn empty(time: f64) -> Self {
        Self {
            time,
            q: Vec::new(),
            v: Vec::new(),
            ctrl: Vec::new(),
            activation: Vec::new(),
            applied: Vec::new(),
            mocap: Vec::new(),
            stretches: Vec::new(),
            springs: Vec::new(),
            next_step: 0.0,
            controllers: Vec::new(),
            measured: Measured::default(),
        }
    }

    /// Copies the parts of `other` that steps read and write, without allocation. Controllers act only between steps
    /// and are not copied.
    pub(crate) fn copy_from(&mut self, other: &State) {
        self.time = other.time;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.ctrl.clone_from(&other.ctrl);
        self.activation.clone_from(&other.activation);
        self.applied.clone_from(&other.applied);
        self.mocap.clone_from(&other.mocap);
        self.stretches.clone_from(&other.stretches);
        self.springs.clone_from(&other.springs);
        self.next_step = other.next_step;
    }
}

const MAGIC: [u8; 8] = *b"STICTION";
const VERSION: u32 = 6;

impl State {
    /// The state as an opaque, versioned blob. `fingerprint` ties it to a model.
    pub fn to_bytes(&self, fingerprint: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + 8 * (self.q.len() + 3 * self.v.len()));
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&fingerprint.to_le_bytes());
        bytes.extend(postcard::to_allocvec(self).expect("a state is plain numbers and always serialises"));
        checksum::seal(bytes)
    }

    /// Reads a blob written by [`State::to_bytes`] for the model of the same fingerprint.
    pub fn from_bytes(bytes: &[u8], fingerprint: u64) -> Result<Self, InputError> {
        let err = |what: &str| Err(InputError::State(what.into()));
        let Some((head, _)) = bytes.split_at_checked(20) else {
            return err("it is shorter than a header; the file is cut off or of another kind");
        };
        if head[..8] != MAGIC {
            return err("it does not begin like a saved state; the file is of another kind");
        }
        let version = u32::from_le_bytes(head[8..12].try_into().expect("four bytes"));
        if version != VERSION {
            return err(&format!("it has version {version}, this program reads version {VERSION}"));
        }
        let Some(content) = checksum::unseal(bytes).and_then(|b| b.get(20..)) else {
            return err("its checksum is wrong; the file is damaged or cut off, load another copy of it");
        };
        if u64::from_le_bytes(head[12..20].try_into().expect("eight bytes")) != fingerprint {
            return err("it was saved from another model; load it with the model it was made from");
        }
        match postcard::from_bytes::<State>(content) {
            Ok(state) => Ok(state),
            Err(e) => err(&format!("its content is damaged ({e})")),
        }
    }
}
