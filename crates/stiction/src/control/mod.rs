//! What robot programmers need around the solver: controllers at their own rates, what they read, and the laws they
//! are made of.
//!
//! | open | for |
//! |---|---|
//! | [`controller`] | the [`Controller`] trait, and the [`Sample`] it reads |
//! | [`senses`] | what a controller may ask to be measured: sensors, touches, torques, wrenches, skins |
//! | [`joints`] | a choice of joints with their actuators and limits |
//! | [`law`] | joint PD, servo feed-forward and inverse dynamics |
//! | [`inverse_kinematics`] | differential inverse kinematics within joint limits |
//! | [`joint_path`], [`pose_path`] | keyframe trajectories in joint space and of poses |
//! | [`grip`] | fingers closed to a force |
//! | [`tracking`] | ready controllers made of these |
//! | `box_qp` | the small quadratic program behind the limits |
//!
//! # What is read when
//!
//! 1. A controller of period T is called at the beginning of the first step that starts at or after each of its sample
//!    times 0, T, 2T…; T = 0 means every step. What it writes to `ctrl` is held until someone writes there again.
//! 2. It reads positions, velocities and time *at that instant*.
//! 3. What it asked for by [`Controller::senses`] was measured at the end of the step before: positions and velocities
//!    of sensors at this same instant, forces and accelerations as means over that last step, with contacts where they
//!    were found at its beginning. Before the first step, and after a jump to a state that was not measured, forces are
//!    zero.
//! 4. Of several controllers due at the same instant the one added first is called first; those after it see the `ctrl`
//!    that it left, and may read its memory ([`Sample::memory_of`]). This is how a slow one commands a fast one.
//! 5. All that decides the future is in [`State`](crate::State): sample counts, memories, controls, and the measurement
//!    itself. A controller that keeps nothing that matters outside its memory makes a run that continues bit for bit from
//!    a saved state. All controllers of this module are so.
//! 6. Under error control no step passes a sample time; steps of fixed length are not shortened, so there let T be a
//!    multiple of the step.

pub(crate) mod box_qp;
pub mod controller;
pub mod grip;
pub mod inverse_kinematics;
pub mod joint_path;
pub mod joints;
pub mod law;
pub mod pose_path;
pub mod senses;
pub mod tracking;

pub use controller::{Controller, Sample, Sampled};
pub use grip::{GripForce, GripGains, GripTracking};
pub use inverse_kinematics::{IkSettings, IkSolution, InverseKinematics};
pub use joint_path::{JointPath, JointPoint};
pub use joints::{ChosenJoint, Drive, Joints};
pub use law::{Gains, JointControlLaw, JointLaw};
pub use pose_path::{PosePath, PosePoint};
pub use senses::{Measured, Part, Senses, Touch};
pub use tracking::{JointTracking, PoseServo, PoseTracking};
