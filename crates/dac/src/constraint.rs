//! The analytic parts: sticking (v_p = 0) and the normal impulses under given friction.

use crate::error::LawError;
use crate::patch::{Patch, PatchKind, friction_wrench};
use nalgebra::{DMatrix, DVector, Matrix6xX, Vector3, Vector6};
use stiction_rigid::lcp;

/// The impulse after which the patch does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Stick {
    /// The wrench at the centre, over the mass, m/s.
    pub wrench: Vector6<f64>,
    /// Its friction part (p₁, p₂, m_n / L), m/s.
    pub friction: Vector3<f64>,
    /// Its normal part p_n, m/s; negative where sticking would need a pull.
    pub normal: f64,
    /// Where the normal part acts, from the centre along t1 and t2, over L; zero where p_n is none.
    pub pressure: nalgebra::Vector2<f64>,
}

impl Stick {
    /// Solves v_p = 0: three rows for a point, five for a line (it may still turn about itself), six for a surface.
    pub fn solve(patch: &Patch) -> Self {
        let basis = constrained(patch);
        let (reduced, right) = (basis.tr_mul(&(patch.mobility * &basis)), basis.tr_mul(&patch.twist));
        // The mobility of a free body is positive definite; that of a link of a chain may have directions in which
        // nothing moves, and then the least impulse is taken.
        let solved = match reduced.clone().cholesky() {
            Some(factor) if sound(&factor, &reduced) => factor.solve(&right),
            _ => reduced.svd(true, true).solve(&right, 1e-9).unwrap_or_else(|_| DVector::zeros(right.len())),
        };
        let wrench: Vector6<f64> = -(basis * solved);
        let normal = wrench[5];
        let pressure = if normal == 0.0 {
            nalgebra::Vector2::zeros()
        } else {
            nalgebra::Vector2::new(-wrench[1], wrench[0]) / normal
        };
        Self { wrench, friction: Vector3::new(wrench[3], wrench[4], wrench[2]), normal, pressure }
    }
}

/// How fast a sticking patch would move in directions it cannot have, m/s.
pub(crate) fn slips(patch: &Patch, twist: &Vector6<f64>) -> f64 {
    constrained(patch).tr_mul(twist).norm()
}

fn sound(factor: &nalgebra::Cholesky<f64, nalgebra::Dyn>, matrix: &DMatrix<f64>) -> bool {
    let l = factor.l_dirty();
    (0..matrix.nrows()).all(|i| l[(i, i)] * l[(i, i)] > 1e-9 * matrix[(i, i)])
}

/// Directions of the twist at the centre that a sticking patch cannot have.
fn constrained(patch: &Patch) -> Matrix6xX<f64> {
    let unit = |i: usize| Vector6::ith(i, 1.0);
    let angular = |d: &Vector3<f64>| Vector6::new(d.x, d.y, d.z, 0.0, 0.0, 0.0);
    let mut columns = vec![unit(3), unit(4), unit(5)];
    match patch.kind {
        PatchKind::Point => {}
        PatchKind::Line => {
            let d = patch.direction();
            columns.push(angular(&Vector3::z()));
            columns.push(angular(&Vector3::new(-d.y, d.x, 0.0)));
        }
        PatchKind::Surface => columns.extend([unit(0), unit(1), unit(2)]),
    }
    Matrix6xX::from_columns(&columns)
}

/// Normal impulses under friction that grows with them.
#[derive(Clone, Debug, PartialEq)]
pub struct Normal {
    /// Normal impulse of every point, over the mass, m/s.
    pub loads: DVector<f64>,
    /// Friction impulse (p₁, p₂, m_n / L), over the mass, m/s.
    pub friction: Vector3<f64>,
    /// The wrench of both at the centre, over the mass, m/s.
    pub wrench: Vector6<f64>,
    /// Twist afterwards, m/s.
    pub twist: Vector6<f64>,
    /// Share of the friction asked for that could be given; below 1 only where the whole would give the body energy or
    /// leave the normal problem without an answer (Painlevé).
    pub share: f64,
}

impl Normal {
    /// Friction p_f = κ Σλ_n + p₀, with
    ///
    /// ```text
    /// 0 ≤ λ_n ⟂ u_n + B_n g T_f p₀ + (B_n g B_nᵀ + B_n g T_f κ 1ᵀ) λ_n ≥ 0
    /// ```
    ///
    /// which for the p_f that comes out is the frictionless problem of Algorithm 1, line 10. With p₀ = 0 friction
    /// never acts without a normal impulse, and what is asked for is cut back to what gives the body no energy.
    pub fn solve(patch: &Patch, ratio: &Vector3<f64>, fixed: &Vector3<f64>) -> Result<Self, LawError> {
        let k = patch.len();
        let rows = normal_rows(patch);
        let coupled = &rows * patch.mobility;
        let plain = &coupled * rows.transpose();
        let plain = 0.5 * (&plain + plain.transpose());
        let drive = &coupled * friction_wrench(ratio);
        let free = &rows * patch.twist + &coupled * friction_wrench(fixed);
        let with = |share: f64| -> Result<Self, LawError> {
            let matrix = DMatrix::from_fn(k, k, |i, j| plain[(i, j)] + share * drive[i]);
            let (loads, friction) = match lcp::solve(&matrix, &free) {
                Ok(solution) => {
                    let friction = ratio * (share * solution.z.sum()) + fixed;
                    (solution.z, friction)
                }
                // More points than the body has ways to move make the matrix singular, and with friction in it, not
                // symmetric: then friction and the normal problem are solved alternately.
                Err(error) if share > 0.0 => {
                    in_turns(&plain, &free, &(share * &drive), error).map(|loads| {
                        let friction = ratio * (share * loads.0) + fixed;
                        (loads.1, friction)
                    })?
                }
                Err(error) => return Err(error.into()),
            };
            let wrench = rows.tr_mul(&loads).fixed_rows::<6>(0) + friction_wrench(&friction);
            let twist = patch.twist + patch.mobility * wrench;
            Ok(Self { loads, friction, wrench, twist, share })
        };
        let sound = |n: &Self| n.gain(patch) <= GAIN * (patch.twist.norm_squared() + n.wrench.norm_squared());
        match with(1.0) {
            Ok(whole) if sound(&whole) || *ratio == Vector3::zeros() => return Ok(whole),
            Err(error) if *ratio == Vector3::zeros() => return Err(error),
            _ => {}
        }
        // Without friction the matrix is positive semidefinite and contact only takes energy; go as far from there
        // towards the friction asked for as an answer exists that gives none.
        let mut best = with(0.0)?;
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = 0.5 * (low + high);
            match with(middle) {
                Ok(normal) if sound(&normal) => (low, best) = (middle, normal),
                _ => high = middle,
            }
        }
        Ok(best)
    }

    /// Kinetic energy that contact gives the body, over its mass, m²/s².
    fn gain(&self, patch: &Patch) -> f64 {
        0.5 * self.wrench.dot(&(patch.twist + self.twist))
    }
}

/// Solves z ≥ 0 ⟂ plain z + free + drive s ≥ 0 with s = Σ z by turns. Gives the s that was held and the z that goes with
/// it exactly; fails with `error` where the turns do not settle.
fn in_turns(
    plain: &DMatrix<f64>,
    free: &DVector<f64>,
    drive: &DVector<f64>,
    error: lcp::LcpError,
) -> Result<(f64, DVector<f64>), LawError> {
    let mut held = 0.0;
    for _ in 0..200 {
        let loads = lcp::solve(plain, &(free + drive * held))?.z;
        let sum = loads.sum();
        if (sum - held).abs() <= 1e-10 * sum.abs().max(f64::MIN_POSITIVE) || (sum == 0.0 && held == 0.0) {
            return Ok((held, loads));
        }
        held = sum;
    }
    Err(error.into())
}

/// Energy that counts as none, relative.
const GAIN: f64 = 1e-9;

/// The normal rows of B.
fn normal_rows(patch: &Patch) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(patch.len(), 6);
    for i in 0..patch.len() {
        rows.row_mut(i).copy_from(&patch.row(i).row(2));
    }
    rows
}
