//! Tangential compliance of a whole patch in six numbers (PFC 6.2, Appendix D), in continuous time and in convex steps.
//!
//! The surface yields by one spatial displacement Δ = (Δ_θ, Δ_r) about its centre of pressure c:
//!
//! ```text
//! δ(r) = (Δ_θ × (r − c) + Δ_r) ⟂ n̂ = G(r) Δ                      6.10
//! K    = ∫ k GᵀG dS,   k = k̄ p                                    D.6, 6.17
//! K    = S K̄ S,        S makes the traces of both blocks equal    6.20
//! s    = K̄^½ S Δ,      U = ½ sᵀs                                  6.21
//! ṡ    = −τ⁻¹ (K̄^−½ S⁻¹ f_c + s),   f_c = ∫ Gᵀ t_f dS             6.26
//! ```
//!
//! s is kept in the axes of B's body. K changes as the patch grows, shrinks, splits and vanishes. s does not, so the
//! stored energy changes only by work and dissipation. A flat patch leaves K of rank 3: K̄^−½ is taken as W(K̄)
//! K̄^−½, where W is one except for very soft directions, where it goes smoothly to zero. It keeps the dissipation
//! non-negative:
//!
//! ```text
//! loss = −∫ t_f·v_T dS − U̇ = ∫ (−t_f·v_slip + c ‖δ̇‖²) dS + τ⁻¹ (‖s‖² − ‖W s‖²)  ≥ 0
//! ```
//!
//! **In a convex step** ([`SprungPatch`]) each entry i of the patch has the convex potential of a contact point's spring
//! (`stiction_convex::friction::spring`) with k_i = f_i/ℓ, c_i = τ k_i and the stretch δ_i = G_i Δ, where f_i is the normal
//! force that limits its friction and ℓ = 1/k̄. The solve returns the new stretches δ_i⁺. Their weighted least-squares fit
//! by one displacement, Σ k_i G_iᵀ G_i Δ⁺ = Σ k_i G_iᵀ δ_i⁺, with δ_i⁺ = (τ δ_i − δt t_i/k_i)/(τ + δt) for the friction force t_i, is
//!
//! ```text
//! Δ⁺ = (τ Δ − δt K⁻¹ f_c)/(τ + δt)
//! ```
//!
//! which is 6.13 by implicit Euler: the fit is chapter 6 in discrete time and converges to it with first order. While all
//! entries stick δ_i⁺ = δ_i + δt v_i is such a field and the fit is exact. At rest δ_i⁺ = δ_i: the patch does not creep. In s, with
//! β = δt/(τ + δt):
//!
//! ```text
//! s⁺ = s − β (s − K̄^−½ S⁻¹ Σ k_i G_iᵀ δ_i) + K̄^−½ S⁻¹ Σ k_i G_iᵀ (δ_i⁺ − δ_i)
//! ```
//!
//! The middle term is zero except for the components of s that the patch cannot carry. They decay, as all of s does
//! without contact: s⁺ = (1 − β) s.

use crate::model::Compiled;
use crate::model::geom_id::{CollidingGeomId, GeomPair};
use crate::options::TangentialSprings;
use crate::state::PatchSpring;
use nalgebra::{Matrix3, Matrix6, SymmetricEigen, UnitQuaternion, Vector2, Vector3, Vector6};
use std::ops::Range;
use stiction_convex::{Problem, ProblemError, Solver};
use stiction_model::Pose;

/// Directions of K̄ (of trace 2) softer than the first value carry no load, those stiffer than the second carry the
/// full load.
const SOFTEST: [f64; 2] = [1e-11, 1e-8];

/// W(λ) λ^−½ for an eigenvalue of K̄.
fn inverse_root(x: f64) -> f64 {
    let [none, all] = SOFTEST;
    if x <= none {
        return 0.0;
    }
    let t = ((x / none).ln() / (all / none).ln()).min(1.0);
    t * t * (3.0 - 2.0 * t) / x.sqrt()
}

/// K of a patch and the map between s and Δ. World axes, about the centre of pressure.
pub(crate) struct PatchStiffness {
    /// S⁻¹ W K̄^−½: Δ = `from_state` s, and the transpose takes f_c.
    from_state: Matrix6<f64>,
}

/// Sums from which K is computed, about the centre of pressure.
#[derive(Clone, Copy)]
pub(crate) struct StiffnessSums(Matrix6<f64>);

impl StiffnessSums {
    pub fn zero() -> Self {
        Self(Matrix6::zeros())
    }

    /// Adds k GᵀG of a point at `arm` from the centre; `weight` is k dA, N/m.
    #[inline]
    pub fn add(&mut self, arm: &Vector3<f64>, normal: &Vector3<f64>, weight: f64) {
        // G = P [−arm×, 1] with P = 1 − n nᵀ, PᵀP = P.
        let p = Matrix3::identity() - normal * normal.transpose();
        let g = -p * arm.cross_matrix();
        let mut k = self.0.fixed_view_mut::<3, 3>(3, 3);
        k += p * weight;
        let mut k = self.0.fixed_view_mut::<3, 3>(3, 0);
        k += g * weight;
        let mut k = self.0.fixed_view_mut::<3, 3>(0, 0);
        k += g.transpose() * g * weight;
    }

    /// K itself.
    #[cfg(test)]
    pub fn stiffness(&self) -> Matrix6<f64> {
        let mut k = self.0;
        let corner = k.fixed_view::<3, 3>(3, 0).transpose();
        k.fixed_view_mut::<3, 3>(0, 3).copy_from(&corner);
        k
    }

    /// `None` if K vanishes.
    pub fn finish(&self) -> Option<PatchStiffness> {
        let mut k = self.0;
        let corner = k.fixed_view::<3, 3>(3, 0).transpose();
        k.fixed_view_mut::<3, 3>(0, 3).copy_from(&corner);
        let translational = k.fixed_view::<3, 3>(3, 3).trace();
        let rotational = k.fixed_view::<3, 3>(0, 0).trace();
        if !(translational > 0.0 && rotational > 0.0) {
            return None;
        }
        let (st, sr) = (1.0 / translational.sqrt(), 1.0 / rotational.sqrt());
        let scale = Vector6::new(sr, sr, sr, st, st, st); // S⁻¹
        let bar = Matrix6::from_fn(|i, j| scale[i] * k[(i, j)] * scale[j]);
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(bar);
        let inverse = eigenvalues.map(inverse_root);
        let root = eigenvectors * Matrix6::from_diagonal(&inverse) * eigenvectors.transpose();
        Some(PatchStiffness { from_state: Matrix6::from_fn(|i, j| scale[i] * root[(i, j)]) })
    }
}

impl PatchStiffness {
    /// Δ = S⁻¹ K̄^−½ s.
    pub fn displacement(&self, s: &Vector6<f64>) -> Vector6<f64> {
        self.from_state * s
    }

    /// K̄^−½ S⁻¹ f_c.
    pub fn drive(&self, f_c: &Vector6<f64>) -> Vector6<f64> {
        self.from_state.tr_mul(f_c)
    }
}

/// δ at a point from Δ (PFC eq. 6.10).
#[inline]
pub(crate) fn stretch(delta: &Vector6<f64>, arm: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    let (turn, shift) = (delta.fixed_rows::<3>(0), delta.fixed_rows::<3>(3));
    let d = turn.cross(arm) + shift;
    d - normal * normal.dot(&d)
}

/// A spatial vector turned.
fn turned(turn: &UnitQuaternion<f64>, s: &Vector6<f64>) -> Vector6<f64> {
    let (a, b) = (turn * Vector3::new(s[0], s[1], s[2]), turn * Vector3::new(s[3], s[4], s[5]));
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// Springs without contact whose components are all smaller (√J) are removed.
const NEGLIGIBLE: f64 = 1e-18;

/// The springs of one patch during a convex step.
pub(crate) struct SprungPatch {
    geoms: GeomPair,
    /// −1 if the problem's pair has the bodies in the opposite order.
    sign: f64,
    /// Its entries in the problem.
    pub entries: Range<usize>,
    /// `None` if no entry carries friction.
    stretched: Option<Stretched>,
    relaxation_time: f64,
}

/// The springs of a patch that carries friction.
struct Stretched {
    /// Centre of pressure from the reference point.
    center: Vector3<f64>,
    stiffness: PatchStiffness,
    /// s at the beginning of the step, world axes.
    s: Vector6<f64>,
}

impl SprungPatch {
    /// Sets the stretches of the entries of a patch, which the problem already has with their stiffnesses, from the
    /// springs stored for its geoms.
    pub fn new(
        problem: &mut Problem,
        (geoms, sign): (GeomPair, f64),
        entries: Range<usize>,
        stored: &[PatchSpring],
        x_wb: &Pose,
        springs: &TangentialSprings,
    ) -> Result<Self, ProblemError> {
        let relaxation_time = springs.patches.relaxation_time;
        let mut patch = Self { geoms, sign, entries, stretched: None, relaxation_time };
        patch.stretch(problem, stored, x_wb)?;
        Ok(patch)
    }

    /// The same after the stiffnesses changed.
    pub fn stretch(
        &mut self,
        problem: &mut Problem,
        stored: &[PatchSpring],
        x_wb: &Pose,
    ) -> Result<(), ProblemError> {
        self.stretched = None;
        let (mut total, mut first) = (0.0, Vector3::zeros());
        for entry in &problem.contacts()[self.entries.clone()] {
            let weight = entry.spring.map_or(0.0, |s| s.stiffness);
            total += weight;
            first += entry.r * weight;
        }
        if total <= 0.0 {
            return Ok(());
        }
        let center = first / total;
        let mut sums = StiffnessSums::zero();
        for entry in &problem.contacts()[self.entries.clone()] {
            let weight = entry.spring.map_or(0.0, |s| s.stiffness);
            sums.add(&(entry.r - center), &entry.frame.column(2).into_owned(), weight);
        }
        let Some(stiffness) = sums.finish() else { return Ok(()) };
        let s = match stored.binary_search_by_key(&self.geoms, |s| s.geoms) {
            Ok(i) => turned(&x_wb.rotation, &stored[i].s.into()),
            Err(_) => Vector6::zeros(),
        };
        let delta = stiffness.displacement(&s) * self.sign;
        for contact in self.entries.clone() {
            let entry = &problem.contacts()[contact];
            let normal = entry.frame.column(2).into_owned();
            let d = entry.frame.tr_mul(&stretch(&delta, &(entry.r - center), &normal));
            problem.set_stretch(contact, Vector2::new(d.x, d.y))?;
        }
        self.stretched = Some(Stretched { center, stiffness, s });
        Ok(())
    }

    /// The second geom, in whose body's axes s is kept.
    pub fn geom(&self) -> CollidingGeomId {
        self.geoms.1
    }

    /// s at the end of a step of length `dt`, world axes. `None` if no entry carries friction.
    fn after(&self, problem: &Problem, solver: &Solver, dt: f64) -> Option<Vector6<f64>> {
        let Stretched { center, stiffness, s } = self.stretched.as_ref()?;
        let (mut before, mut change) = (Vector6::zeros(), Vector6::zeros());
        for contact in self.entries.clone() {
            let entry = &problem.contacts()[contact];
            let Some(spring) = &entry.spring else { continue };
            let old = entry.frame.column(0) * spring.stretch.x + entry.frame.column(1) * spring.stretch.y;
            let (arm, weight) = (entry.r - center, self.sign * spring.stiffness);
            for (sum, d) in [(&mut before, old), (&mut change, solver.stretches()[contact] - old)] {
                let (moment, force) = (arm.cross(&d) * weight, d * weight);
                *sum += Vector6::new(moment.x, moment.y, moment.z, force.x, force.y, force.z);
            }
        }
        let beta = dt / (self.relaxation_time + dt);
        Some(s - (s - stiffness.drive(&before)) * beta + stiffness.drive(&change))
    }
}

/// Writes the springs of all geom pairs after a step of length `dt` to `after`: those of `patches` from the solve, and
/// the others of `before`, which have no contact, decayed.
pub(crate) fn springs_after(
    compiled: &Compiled,
    x_wb: &[Pose],
    (problem, solver, dt): (&Problem, &Solver, f64),
    (patches, springs): (&[SprungPatch], &TangentialSprings),
    before: &[PatchSpring],
    after: &mut Vec<PatchSpring>,
) {
    after.clear();
    for patch in patches {
        let Some(s) = patch.after(problem, solver, dt) else { continue };
        let body = compiled.geom(patch.geom()).body;
        let s = turned(&x_wb[body].rotation.inverse(), &s);
        after.push(PatchSpring { geoms: patch.geoms, s: s.into() });
    }
    after.sort_unstable_by_key(|s| s.geoms);
    let touching = after.len();
    let tau = springs.patches.relaxation_time;
    for spring in before {
        if after[..touching].binary_search_by_key(&spring.geoms, |s| s.geoms).is_err() {
            let s = spring.s.map(|x| x * tau / (tau + dt));
            if s.iter().any(|x| x.abs() > NEGLIGIBLE) {
                after.push(PatchSpring { geoms: spring.geoms, s });
            }
        }
    }
    after.sort_unstable_by_key(|s| s.geoms);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Surface = Vec<(Vector3<f64>, Vector3<f64>, f64)>;

    fn surface(flat: bool) -> impl Strategy<Value = Surface> {
        let part = (prop::array::uniform3(-0.1f64..0.1), prop::array::uniform2(-0.5f64..0.5), 1.0..10.0f64);
        prop::collection::vec(part, 8..20).prop_map(move |parts| {
            let point = |(r, n, w): ([f64; 3], [f64; 2], f64)| {
                let z = if flat { 0.0 } else { 1.0 };
                (Vector3::new(r[0], r[1], z * r[2]), Vector3::new(z * n[0], z * n[1], 1.0).normalize(), w)
            };
            parts.into_iter().map(point).collect()
        })
    }

    fn sums(surface: &Surface) -> StiffnessSums {
        let mut sums = StiffnessSums::zero();
        surface.iter().for_each(|(r, n, w)| sums.add(r, n, *w));
        sums
    }

    proptest! {
        #[test]
        fn stored_energy_is_half_the_square_of_the_state(
            surface in surface(false), s in prop::array::uniform6(-1.0f64..1.0)
        ) {
            let (sums, s) = (sums(&surface), Vector6::from(s));
            let delta = sums.finish().unwrap().displacement(&s);
            let energy: f64 = surface.iter().map(|(r, n, w)| 0.5 * w * stretch(&delta, r, n).norm_squared()).sum();
            prop_assert!((energy - 0.5 * delta.dot(&(sums.stiffness() * delta))).abs() <= 1e-9 * energy);
            prop_assert!((energy - 0.5 * s.norm_squared()).abs() <= 1e-7 * energy);
        }

        #[test]
        fn a_flat_patch_carries_two_shifts_and_a_turn(
            surface in surface(true), s in prop::array::uniform6(-1.0f64..1.0)
        ) {
            let (sums, s) = (sums(&surface), Vector6::from(s));
            let delta = sums.finish().unwrap().displacement(&s);
            let energy: f64 = surface.iter().map(|(r, n, w)| 0.5 * w * stretch(&delta, r, n).norm_squared()).sum();
            // The remaining components of the state cause no stretch and no force.
            let carried = 0.5 * (s[2].powi(2) + s[3].powi(2) + s[4].powi(2));
            prop_assert!(energy <= 0.5 * s.norm_squared() * (1.0 + 1e-9));
            prop_assert!(delta[5].abs() <= 1e-3 && delta.iter().all(|d| d.is_finite()));
            prop_assert!(energy > 0.0 || carried == 0.0);
        }

        #[test]
        fn turning_the_axes_or_changing_units_changes_nothing(
            surface in surface(false), s in prop::array::uniform6(-1.0f64..1.0), turn in prop::array::uniform3(-2.0f64..2.0)
        ) {
            let (s, r) = (Vector6::from(s), UnitQuaternion::from_scaled_axis(Vector3::from(turn)));
            let both = |x: &Vector6<f64>| -> Vector6<f64> {
                let (a, b) = (r * Vector3::from(x.fixed_rows::<3>(0)), r * Vector3::from(x.fixed_rows::<3>(3)));
                Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
            };
            let turned: Surface = surface.iter().map(|(p, n, w)| (r * p, r * n, *w)).collect();
            let delta = sums(&surface).finish().unwrap().displacement(&s);
            let other = sums(&turned).finish().unwrap().displacement(&both(&s));
            prop_assert!((both(&delta) - other).norm() <= 1e-6 * delta.norm());
            // Centimetres: lengths ×100, k dA in N/cm ÷100, energy in N cm ×100, so s ×10.
            let cm: Surface = surface.iter().map(|(p, n, w)| (p * 100.0, *n, w / 100.0)).collect();
            let other = sums(&cm).finish().unwrap().displacement(&(s * 10.0));
            for k in 0..3 {
                prop_assert!((other[k] - delta[k]).abs() <= 1e-9 * delta.norm());
                prop_assert!((other[3 + k] - 100.0 * delta[3 + k]).abs() <= 1e-7 * delta.norm());
            }
        }
    }
}
