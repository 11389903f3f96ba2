//! Robot control: controllers with their own rates, measurements and control laws.
//!
//! | open | for |
//! |---|---|
//! | [`controller`] | the [`Controller`] trait, and the [`Sample`] it reads |
//! | [`senses`] | measurements for controllers: sensors, contacts, torques, wrenches, tactile skins |
//! | [`joints`] | a selection of joints with their actuators and limits |
//! | [`law`] | joint PD, servo feed-forward and inverse dynamics |
//! | [`inverse_kinematics`] | differential inverse kinematics within joint limits |
//! | [`joint_path`], [`pose_path`] | keyframe trajectories in joint space and of poses |
//! | [`grip`] | gripping with a given force |
//! | [`tracking`] | ready-made controllers |
//! | `box_qp` | the small quadratic program behind the limits |
//!
//! # What is read when
//!
//! 1. A controller of period T is called at the beginning of the first step that starts at or after each of its sample
//!    times 0, T, 2T…; T = 0 means every step. Values written to `ctrl` are held until they are overwritten.
//! 2. It reads positions, velocities and time *at that instant*.
//! 3. Measurements requested by [`Controller::senses`] were taken at the end of the previous step: positions and
//!    velocities of sensors at this same instant, forces and accelerations as means over that last step, with
//!    contacts where they were found at its beginning. Forces are zero before the first step and after a jump to a
//!    state without measurements.
//! 4. Controllers due at the same instant are called in the order in which they were added. Later controllers see
//!    the `ctrl` of earlier ones and may read their memory ([`Sample::memory_of`]). In this way a slow controller
//!    commands a fast one.
//! 5. The [`State`](crate::State) determines all later steps: it contains sample counts, memories, controls and the
//!    measurement itself. If a controller keeps all its data in its memory, a run resumes bit for bit from a saved
//!    state. All controllers of this module do so.
//! 6. Under error control no step passes a sample time. Steps of fixed length are not shortened, so T should be a
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
