//! Kinematics and dynamics of trees of rigid bodies.
//!
//! A [`stiction_model::World`] is compiled once into a [`Multibody`], which is immutable. State-dependent quantities
//! are stored in a [`Workspace`]. It is allocated once, and no later call allocates:
//!
//! ```text
//! World ──Multibody::new──► Multibody ── positions(q) ──► poses, Jacobians ──► mass_matrix ──► Factor
//!                               │            │                                  (CRBA)       (LᵀDL)
//!                           Workspace    velocities(v) ─► twists ──► inverse_dynamics, bias  (RNEA)
//!                                                               └──► forward_dynamics        (ABA)
//! ```
//!
//! ```
//! use nalgebra::{Matrix3, Vector3};
//! use stiction_model::{Body, Inertia, Joint, JointKind, World};
//! use stiction_multibody::{MassMatrix, Multibody, Workspace};
//!
//! let mut world = World::new("pendulum");
//! let mut bob = Body::new("bob", 0);
//! bob.inertia = Inertia { mass: 2.0, com: Vector3::new(0.0, 0.0, -0.5), rotational: Matrix3::zeros() };
//! bob.joints.push(Joint::new("pin", JointKind::Hinge { axis: Vector3::y() }));
//! world.bodies.push(bob);
//!
//! let pendulum = Multibody::new(&world)?;
//! let mut ws = Workspace::new(&pendulum);
//! pendulum.positions(&[0.3], &mut ws);
//! pendulum.velocities(&[0.0], &mut ws);
//!
//! let mut mass = MassMatrix::new(&pendulum);
//! pendulum.mass_matrix(&mut ws, &mut mass);
//! assert!((mass.get(0, 0) - 2.0 * 0.5 * 0.5).abs() < 1e-15);
//!
//! let mut acceleration = [0.0];
//! pendulum.forward_dynamics(&mut ws, &[0.0], &mut acceleration);
//! assert!((acceleration[0] + 9.81 / 0.5 * f64::sin(0.3)).abs() < 1e-12);
//! # Ok::<(), stiction_multibody::MultibodyError>(())
//! ```
//!
//! Every function reads the stage before it from the workspace: call [`Multibody::positions`] when q
//! changes, then [`Multibody::velocities`], then the required function.
//!
//! ## The one choice that shapes the code
//!
//! All spatial quantities of a tree are in world axes about one reference point O, the origin of the
//! tree's first joint, `[angular; linear]`. Velocities, forces and inertias of different bodies can then be added
//! directly (Featherstone's recursions need no transforms). A point O near the bodies avoids the loss of precision
//! of a distant world origin.
//!
//! ## Where to look
//!
//! | file | what |
//! |---|---|
//! | [`multibody`] | the compiled trees: coordinates, joints, bodies, trees |
//! | `compile` | from a description to primitive joints in sequence |
//! | `inertia` | whether forces determine accelerations |
//! | [`workspace`] | state-dependent quantities |
//! | `kinematics` | poses, twists, accelerations |
//! | `jacobian` | body and point Jacobians, wrenches to joint forces |
//! | `inverse` | inverse dynamics (RNEA), bias, gravity |
//! | `floating` | the mean bias of a single free body over a step |
//! | [`derivatives`] | its derivatives, in closed form |
//! | [`mass`] | mass matrix (CRBA) |
//! | [`factor`] | its sparse LᵀDL factor |
//! | `forward` | forward dynamics (ABA) |
//! | `passive` | springs, damping, gravity compensation |
//! | [`energy`] | energies, momentum, centre of mass |
//! | [`integrate`] | integration of a velocity, and its inverse |
//! | [`flat`] | the trees as plain numbers |
//! | `spatial`, `trig` | the fixed-size kernels all of these use |
//!
//! Coordinates are laid out as MuJoCo lays out `qpos` and `qvel`. A joint that is locked keeps its
//! coordinates: forward dynamics and [`Factor`] give it no acceleration, the mass matrix stays whole, and
//! the caller keeps its velocity at zero.
//!
//! Slices of the wrong length are programming errors and cause a panic.

mod compile;
pub mod derivatives;
pub mod energy;
pub mod error;
pub mod factor;
pub mod flat;
mod floating;
mod forward;
mod inertia;
pub mod integrate;
mod inverse;
mod jacobian;
mod kinematics;
pub mod mass;
pub mod multibody;
mod passive;
mod spatial;
mod trig;
pub mod workspace;

pub use derivatives::Derivatives;
pub use energy::Momentum;
pub use error::MultibodyError;
pub use factor::Factor;
pub use integrate::QuaternionStep;
pub use mass::MassMatrix;
pub use multibody::{JointInfo, Multibody, Tree};
pub use workspace::Workspace;
