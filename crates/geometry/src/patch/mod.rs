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
//! How the parts talk:
//!
//! ```text
//!   contact_patch     pair of ContactSolid, poses -> Patch, faces appended to PatchFaces     pair.rs
//!     trees           pairs of tetrahedra or triangles whose boxes meet                      solid/tree.rs
//!     kernels         equal-pressure cut, clip                                               kernels.rs
//!     sink            margin, split at p = 0, fans, sums, world frame                        sink.rs
//! ```
//!
//! **Which faces are kept.** A face with g_A <= 0 or g_B <= 0 would pull less the deeper it is pushed;
//! VLP leaves it out, and so does [`FaceFilter::Convex`]. It also leaves out faces nearly tangent to a
//! gradient (slope below `min_slope` times |G|), whose x0 = p_c/g has no meaning as a depth.
//! [`FaceFilter::All`] keeps everything: then the wrench is the gradient of the stored energy
//! U = integral of min(p_a, p_b) over the overlap, as the continuous-time model wants it.
//!
//! **Degenerate clips.** Where both tetrahedra have a face of zero pressure, p_a = p_b makes their clips
//! the same line; only A's is used (PFC 5.0.3). Equal gradients define no plane and give no face.
//!
//! **Margin.** With `margin > 0` fields continue beyond their zero faces with negative pressure, and
//! parts of the surface with -margin <= x0 < 0 become faces of their own with p < 0: speculative contacts.
//! Faces with p > 0 stay as they are without a margin; a polygon that crosses p = 0 is split there. Sums in
//! [`Patch`] count the faces with p > 0 only.
//!
//! **Deep overlap.** Bodies inside one another need no special care as long as a surface of equal pressure
//! exists. It does not when a compliant body lies wholly inside a rigid one: then there is no face, and
//! [`Patch::swallowed`] says so. [`Patch::peak_extent`] near 1 says that the core of a field is reached.
//!
//! Results are a function of the two solids, poses and options; faces come in the order of the elements in
//! the trees. Two rigid bodies make no patch: [`PatchError::BothRigid`] asks for point contact instead.

#[cfg(test)]
mod brute_force;
mod faces;
mod kernels;
mod pair;
mod polygon;
mod sink;

pub use faces::{FaceFilter, Patch, PatchFace, PatchFaces, PatchOptions, Tessellation};
pub use pair::{ContactSolid, PatchError, PatchScratch, contact_patch};
