//! Contact patches: the surface on which two pressure fields balance, as polygons.
//!
//! Two overlapping solids A and B touch on the surface of equal pressure (PFC 4.3.2). With linear
//! fields p_a(r) = G_a . r + s_a and p_b(r) = G_b . r + s_b on two tetrahedra it lies in the plane
//!
//! ```text
//!     (G_b - G_a) . r + (s_b - s_a) = 0,         n = (G_b - G_a) / |G_b - G_a|     out of A, into B
//! ```
//!
//! and is bounded by the 4 + 4 faces of the tetrahedra: at most 8 vertices. Against a rigid body it is
//! the rigid surface inside the compliant volume. For each polygon (VLP eq. 12-23), with area A, centroid
//! c and pressure p_c there,
//!
//! ```text
//!     g_A = -G_a . n      g_B = G_b . n      g = g_A g_B / (g_A + g_B)     (rigid side: infinite slope)
//!     f0  = A p_c         k   = g A          x0 = p_c / g
//! ```
//!
//! make it an entry of the contact problem. The force on B is the integral of p n, on A its opposite.
//!
//! ```
//! use nalgebra::Isometry3;
//! use stiction_geometry::Shape;
//! use stiction_geometry::patch::{ContactSolid, PatchFaces, PatchOptions, PatchScratch, contact_patch};
//! use stiction_geometry::solid::MeshOptions;
//!
//! // A soft ball of radius 0.1 m, 1 cm deep in a rigid floor.
//! let floor = ContactSolid::rigid(&Shape::HalfSpace, &MeshOptions::default())?;
//! let ball = ContactSolid::compliant(&Shape::sphere(0.1)?, 1e6, 0.1, &MeshOptions::default())?;
//! let (mut scratch, mut out) = (PatchScratch::default(), PatchFaces::default());
//! let x_wb = Isometry3::translation(0.0, 0.0, 0.09);
//! let patch = contact_patch(
//!     &floor, &Isometry3::identity(), &ball, &x_wb, &PatchOptions::default(), &mut scratch, &mut out,
//! )?;
//! // F = (pi/3) E d^2 (3 - 2 d/R)
//! let exact = std::f64::consts::PI / 3.0 * 1e6 * 1e-4 * (3.0 - 0.2);
//! assert!((patch.force.z / exact - 1.0).abs() < 0.01);
//! let first = &out.faces[patch.faces.start];
//! assert!(first.normal.z > 0.99 && first.stiffness() > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How the parts talk:
//!
//! ```text
//!   contact_patch     pair of ContactSolid, poses -> Patch, faces appended to PatchFaces     pair.rs
//!     pair kinds      one function for each kind of pair                                     pair_kinds.rs
//!     candidates      pairs of tetrahedra or triangles whose boxes meet        candidates.rs, solid/tree.rs
//!     kernels         equal-pressure cut, clip                                               kernels.rs
//!     sink            margin, split at p = 0, fans, sums, world frame                        sink.rs
//!   strain_energy     energy stored in a pair, exactly                                       energy.rs
//! ```
//!
//! **Which faces are kept.** A face with g_A <= 0 or g_B <= 0 would push less the deeper the bodies are pressed;
//! VLP leaves it out, and so does [`FaceFilter::Convex`]. It also leaves out faces nearly tangent to a
//! gradient (slope below `min_slope` times |G|), whose x0 = p_c/g has no meaning as a depth.
//! If a sharp rigid edge cuts into a soft body, this costs static force.
//! [`FaceFilter::All`] keeps everything: then the wrench is the gradient of the stored energy
//! U = integral of min(p_a, p_b) over the overlap. Continuous time uses it, and so do steps, which treat falling slopes in their own way.
//!
//! **Degenerate clips.** Where both tetrahedra have a face of zero pressure, p_a = p_b makes their clips
//! the same line; only A's is used (PFC 5.0.3). Equal gradients define no plane and give no face; where the fields
//! coincide in an overlap (PFC C.2), [`Patch::coincident`] counts the pairs of tetrahedra.
//!
//! **Margin.** With `margin > 0` fields continue beyond their zero faces with negative pressure, and
//! parts of the surface with -margin <= x0 < 0 become faces of their own with p < 0: speculative contacts,
//! where the bodies' surfaces face each other (gradients within 25 degrees of the normal).
//! Faces with p > 0 stay as they are without a margin; a polygon that crosses p = 0 is split there. Sums in
//! [`Patch`] count the faces with p > 0 only.
//!
//! **Deep overlap.** Bodies inside one another need no special treatment as long as a surface of equal pressure
//! exists. It does not exist if a compliant body lies wholly inside a rigid one: then there is no face, and
//! [`Patch::swallowed`] is set. [`Patch::peak_extent`] near 1 means that the core of a field is reached.
//!
//! Results are a function of the two solids, poses and options; faces come in the order of the elements in
//! the trees. Two rigid bodies make no patch: [`PatchError::BothRigid`] asks for point contact instead.
//!
//! | also here | |
//! |---|---|
//! | `brute_force.rs` | test: every pair of elements |
//! | `mutated.rs` | deliberate errors, in no release |

#[cfg(test)]
mod brute_force;
mod candidates;
mod energy;
mod faces;
mod kernels;
mod mutated;
mod pair;
mod pair_kinds;
mod polygon;
mod sink;

pub use energy::strain_energy;
pub use faces::{FaceFilter, Patch, PatchFace, PatchFaces, PatchOptions, Tessellation};
pub use pair::{ContactSolid, PatchError, contact_patch};
pub use pair_kinds::PatchScratch;
