//! An impact in contact space, scaled and reduced to what matters.
//!
//! Everything an impact does happens in u = J v + b with u⁺ = u + W Λ (MFI eq. 18 seen through J). From an
//! [`Instant`] this module takes W and u and
//!
//! - merges contacts with equal rows and friction, as the front and back corners of a box in a plane: the
//!   convex hull of eq. 16 does not see the difference;
//! - finds whether every slip has one direction only (a planar impact) and then keeps one tangent row;
//! - divides speeds by the largest contact speed and W by its largest diagonal, so that all tolerances are
//!   relative and the answer scales with v (Lemma 4).

use crate::error::ImpactError;
use nalgebra::{DMatrix, DVector, Matrix2, Vector2};
use stiction_base::mutation;
use stiction_rigid::Instant;

/// Most contacts (after merging) that are taken.
pub const MAX_CONTACTS: usize = 32;
/// Relative size below which a row is the same as another, or none.
const SAME: f64 = 1e-11;

/// An impact to be resolved.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) instant: Instant,
    /// The instant's contacts that each contact here stands for.
    pub(crate) groups: Vec<Vec<usize>>,
    /// Directions of the kept tangents in the instant's [t1 t2].
    pub(crate) directions: Vec<[Vector2<f64>; 2]>,
    /// Tangent rows a contact: 1 or 2.
    pub(crate) tangents: usize,
    /// Scaled W, row after row; rows [t…, n] for each contact.
    pub(crate) w: Vec<f64>,
    /// Scaled contact velocity.
    pub(crate) u: Vec<f64>,
    pub(crate) mu: Vec<f64>,
    /// Speed that 1 stands for, m/s.
    pub(crate) speed: f64,
    /// Impulse that 1 stands for, N s.
    pub(crate) impulse: f64,
}

/// The axis along which a contact slips, if nothing moves the other direction of slip (up to `response`) and it does not move (up to
/// `speed`): that direction carries no friction. Without friction it is any.
fn frictionless_axis(
    instant: &Instant,
    u: &DVector<f64>,
    contact: usize,
    response: f64,
    speed: f64,
) -> Option<Vector2<f64>> {
    if instant.friction()[contact][0] == 0.0 {
        return Some(Vector2::x());
    }
    let block: Matrix2<f64> = instant.delassus().fixed_view::<2, 2>(3 * contact, 3 * contact).into();
    let slip = Vector2::new(u[3 * contact], u[3 * contact + 1]);
    let axis = principal(&block);
    let across = Vector2::new(-axis.y, axis.x);
    let still = across.dot(&(block * across)) <= response && across.dot(&slip).abs() <= speed;
    still.then_some(axis)
}

/// Columns that pick the kept rows of each group's first contact out of [t1 t2 n] of all `m`.
fn picked(
    m: usize,
    groups: &[Vec<usize>],
    directions: &[[Vector2<f64>; 2]],
    tangents: usize,
) -> DMatrix<f64> {
    let side = tangents + 1;
    let mut pick = DMatrix::zeros(3 * m, groups.len() * side);
    for (g, group) in groups.iter().enumerate() {
        let c = group[0];
        for t in 0..tangents {
            pick[(3 * c, g * side + t)] = directions[g][t].x;
            pick[(3 * c + 1, g * side + t)] = directions[g][t].y;
        }
        pick[(3 * c + 2, g * side + tangents)] = 1.0;
    }
    pick
}

impl Problem {
    /// Reduces an instant. Contacts between bodies that cannot move are left out, or an error if they approach.
    pub fn new(instant: &Instant) -> Result<Self, ImpactError> {
        let m = instant.contacts();
        let (w, u, jacobian) = (instant.delassus(), instant.contact_velocity(), instant.jacobian());
        let largest = (0..3 * m).map(|i| w[(i, i)]).fold(0.0, f64::max);
        let speed = u.amax();
        for (contact, mu) in instant.friction().iter().enumerate() {
            if mu[0] != mu[1] {
                return Err(ImpactError::Anisotropic { contact, friction: [mu[0], mu[1]] });
            }
        }
        let mut kept = Vec::new();
        for c in 0..m {
            if w[(3 * c + 2, 3 * c + 2)] > SAME * largest {
                kept.push(c);
            } else if u[3 * c + 2] < -1e-9 * speed {
                return Err(ImpactError::Immovable { contact: c, speed: -u[3 * c + 2] });
            }
        }
        let axes: Vec<Option<Vector2<f64>>> =
            kept.iter().map(|&c| frictionless_axis(instant, &u, c, SAME * largest, 1e-10 * speed)).collect();
        let tangents = if axes.iter().all(Option::is_some) { 1 } else { 2 };
        let rows = |c: usize, d: &[Vector2<f64>; 2]| -> DMatrix<f64> {
            let mut rows = DMatrix::zeros(tangents + 1, jacobian.ncols());
            for (t, direction) in d.iter().take(tangents).enumerate() {
                let row = jacobian.row(3 * c) * direction.x + jacobian.row(3 * c + 1) * direction.y;
                rows.set_row(t, &row);
            }
            rows.set_row(tangents, &jacobian.row(3 * c + 2));
            rows
        };
        let (mut groups, mut directions, mut mu): (Vec<Vec<usize>>, Vec<_>, Vec<f64>) = Default::default();
        let mut seen: Vec<DMatrix<f64>> = Vec::new();
        for (&c, axis) in kept.iter().zip(&axes) {
            let d = match axis {
                Some(axis) if tangents == 1 => [*axis, Vector2::new(-axis.y, axis.x)],
                _ => [Vector2::x(), Vector2::y()],
            };
            let (own, friction) = (rows(c, &d), instant.friction()[c][0]);
            let normal_only = friction == 0.0;
            let same = seen.iter().zip(&mu).zip(&groups).position(|((other, &other_mu), group)| {
                let off = if normal_only {
                    (own.row(tangents) - other.row(tangents)).amax()
                } else {
                    (&own - other).amax()
                };
                let (a, b) = (3 * group[0], 3 * c);
                let moves = (0..3).map(|r| (u[a + r] - u[b + r]).abs()).fold(0.0, f64::max);
                other_mu == friction
                    && off <= SAME * own.amax().max(f64::MIN_POSITIVE)
                    && (moves <= 1e-10 * speed || normal_only && (u[a + 2] - u[b + 2]).abs() <= 1e-10 * speed)
            });
            match same {
                Some(g) => groups[g].push(c),
                None => {
                    groups.push(vec![c]);
                    directions.push(d);
                    mu.push(friction);
                    seen.push(own);
                }
            }
        }
        if groups.len() > MAX_CONTACTS {
            return Err(ImpactError::TooMany { given: groups.len(), most: MAX_CONTACTS });
        }
        let pick = picked(m, &groups, &directions, tangents);
        let (speed, largest) = (positive(speed), positive(largest));
        let mut reduced = pick.tr_mul(&(w * &pick)) / largest;
        let u = pick.tr_mul(&u) / speed;
        if mutation::is("impact-friction-half") {
            mu.iter_mut().for_each(|mu| *mu *= 0.5);
        }
        if mutation::is("impact-coupling-off") {
            let side = tangents + 1;
            for i in 0..reduced.nrows() {
                for j in 0..reduced.ncols() {
                    if i / side != j / side {
                        reduced[(i, j)] = 0.0;
                    }
                }
            }
        }
        Ok(Self {
            instant: instant.clone(),
            groups,
            directions,
            tangents,
            w: reduced.transpose().as_slice().to_vec(),
            u: u.as_slice().to_vec(),
            mu,
            speed,
            impulse: speed / largest,
        })
    }

    /// The instant it was made from.
    pub fn instant(&self) -> &Instant {
        &self.instant
    }

    /// Number of contacts after merging.
    pub fn contacts(&self) -> usize {
        self.groups.len()
    }

    /// The instant's contacts that each contact here stands for.
    pub fn groups(&self) -> &[Vec<usize>] {
        &self.groups
    }

    /// Whether all slip is along one line at each contact.
    pub fn planar(&self) -> bool {
        self.tangents == 1
    }

    /// Friction coefficient of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.mu
    }

    /// Rows a contact: tangents and normal.
    pub(crate) fn side(&self) -> usize {
        self.tangents + 1
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.u.len()
    }

    /// Scaled normal velocity of contact c in `u`.
    pub(crate) fn normal(&self, u: &[f64], c: usize) -> f64 {
        u[c * self.side() + self.tangents]
    }

    /// Normal velocities of the contacts before the impact, m/s; negative approaches.
    pub fn normal_velocities(&self) -> Vec<f64> {
        (0..self.contacts()).map(|c| self.speed * self.normal(&self.u, c)).collect()
    }

    /// Whether any contact approaches (v ∈ P_C, eq. 9).
    pub fn approaches(&self) -> bool {
        (0..self.contacts()).any(|c| self.normal(&self.u, c) < -crate::TOLERANCE)
    }

    /// Scaled impulses to N s on the instant's contacts, [t1 t2 n] each; merged contacts share equally.
    pub(crate) fn expand(&self, scaled: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let side = self.side();
        for (g, group) in self.groups.iter().enumerate() {
            let share = self.impulse / group.len() as f64;
            let mut tangent = Vector2::zeros();
            for t in 0..self.tangents {
                tangent += self.directions[g][t] * scaled[g * side + t];
            }
            for &c in group {
                out[3 * c] = share * tangent.x;
                out[3 * c + 1] = share * tangent.y;
                out[3 * c + 2] = share * scaled[g * side + self.tangents];
            }
        }
    }

    /// Joint velocities after the impulses of [`Problem::expand`].
    pub(crate) fn velocity_after(&self, impulse: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.instant.velocity().as_slice());
        let response = self.instant.response();
        let factor = match () {
            () if mutation::is("impact-impulse-weak") => 0.8,
            () if mutation::is("impact-impulse-strong") => 2.5,
            () => 1.0,
        };
        for (k, &lambda) in impulse.iter().enumerate() {
            if lambda != 0.0 {
                for (v, r) in out.iter_mut().zip(response.column(k).iter()) {
                    *v += factor * lambda * r;
                }
            }
        }
    }

    /// Rows B of minimal coordinates: W = B Bᵀ with B of full column rank (MFI eq. 19–23), scaled, and the
    /// coordinates y of the present velocity, B y = u; none where prescribed motion puts u outside the range.
    pub(crate) fn minimal(&self) -> (DMatrix<f64>, Option<DVector<f64>>) {
        let n = self.rows();
        let w = DMatrix::from_row_slice(n, n, &self.w);
        let eigen = w.symmetric_eigen();
        let most = eigen.eigenvalues.amax();
        let kept: Vec<usize> = (0..n).filter(|&k| eigen.eigenvalues[k] > 1e-11 * most).collect();
        let mut b = DMatrix::zeros(n, kept.len());
        let mut y = DVector::zeros(kept.len());
        let u = DVector::from_column_slice(&self.u);
        for (column, &k) in kept.iter().enumerate() {
            let (q, root) = (eigen.eigenvectors.column(k), eigen.eigenvalues[k].sqrt());
            b.set_column(column, &(q * root));
            y[column] = q.dot(&u) / root;
        }
        let off = (&b * &y - &u).amax();
        (b, (off <= 1e-8).then_some(y))
    }

    /// Change of joint velocity per minimal coordinate: B has full column rank and W = B Bᵀ, so λ = B (BᵀB)⁻¹ z has Bᵀ λ = z, and
    /// the velocity change M⁻¹Jᵀλ depends on z alone.
    pub(crate) fn joint_map(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        let nv = self.instant.nv();
        let Some(inverse) = b.tr_mul(b).try_inverse() else { return DMatrix::zeros(nv, b.ncols()) };
        let lambda = b * inverse;
        let mut map = DMatrix::zeros(nv, b.ncols());
        let mut impulse = vec![0.0; 3 * self.instant.contacts()];
        for k in 0..b.ncols() {
            self.expand(lambda.column(k).as_slice(), &mut impulse);
            map.set_column(k, &(self.instant.response() * DVector::from_column_slice(&impulse)));
        }
        map
    }

    /// The same impact in minimal coordinates (eq. 21): unit mass matrix, Jacobian of full column rank.
    pub fn minimal_instant(&self) -> Option<Instant> {
        let (b, y) = self.minimal();
        let (side, m) = (self.side(), self.contacts());
        let mut jacobian = DMatrix::zeros(3 * m, b.ncols());
        for c in 0..m {
            for t in 0..self.tangents {
                jacobian.set_row(3 * c + t, &b.row(c * side + t));
            }
            jacobian.set_row(3 * c + 2, &b.row(c * side + self.tangents));
        }
        let (rank, friction) = (b.ncols(), self.mu.iter().map(|&mu| Vector2::repeat(mu)).collect());
        let root = (self.speed / self.impulse).sqrt();
        let velocity = y? * (self.speed / root);
        Instant::from_matrices(DMatrix::identity(rank, rank), jacobian * root, friction, velocity).ok()
    }
}

fn positive(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

/// Unit eigenvector of the larger eigenvalue, its first component positive (its second where that vanishes).
fn principal(a: &Matrix2<f64>) -> Vector2<f64> {
    let (p, q) = (0.5 * (a.m11 - a.m22), 0.5 * (a.m12 + a.m21));
    let angle = 0.5 * q.atan2(p);
    let (sin, cos) = angle.sin_cos();
    // atan2 keeps the angle within a right angle of x.
    let axis = Vector2::new(cos, sin);
    if axis.x < 1e-9 && axis.y < 0.0 { -axis } else { axis }
}
