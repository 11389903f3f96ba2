//! Small fixed-size kernels: three-vectors, quaternions, spatial vectors and spatial inertias.
//!
//! Spatial vectors are `[angular; linear]` in world axes about the reference point O of their tree:
//! a motion is (ω, velocity of the body-fixed point now at O), a force is (moment about O, force).
//! All quantities of one tree share O and the axes, so motions, forces and inertias of different bodies can be added
//! without transforms.

use stiction_base::fused::Fused;

pub type V3 = [f64; 3];
pub type V6 = [f64; 6];
/// Quaternion, w first.
pub type Quat = [f64; 4];
/// 3×3 matrix, row after row.
pub type M3 = [f64; 9];

/// a b + c, fused where the target has the instruction.
#[inline(always)]
pub fn fma(a: f64, b: f64, c: f64) -> f64 {
    a.fused(b, c)
}

#[inline(always)]
pub fn dot3(a: V3, b: V3) -> f64 {
    fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))
}

#[inline(always)]
pub fn add3(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub fn sub3(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub fn scale3(s: f64, a: V3) -> V3 {
    [s * a[0], s * a[1], s * a[2]]
}

/// a + s b.
#[inline(always)]
pub fn axpy3(a: V3, s: f64, b: V3) -> V3 {
    [fma(s, b[0], a[0]), fma(s, b[1], a[1]), fma(s, b[2], a[2])]
}

#[inline(always)]
pub fn cross(a: V3, b: V3) -> V3 {
    [fma(a[1], b[2], -(a[2] * b[1])), fma(a[2], b[0], -(a[0] * b[2])), fma(a[0], b[1], -(a[1] * b[0]))]
}

/// c + a × b.
#[inline(always)]
pub fn add_cross(c: V3, a: V3, b: V3) -> V3 {
    [
        fma(a[1], b[2], fma(-a[2], b[1], c[0])),
        fma(a[2], b[0], fma(-a[0], b[2], c[1])),
        fma(a[0], b[1], fma(-a[1], b[0], c[2])),
    ]
}

/// R x.
#[inline(always)]
pub fn rotate(r: &M3, x: V3) -> V3 {
    [
        fma(r[0], x[0], fma(r[1], x[1], r[2] * x[2])),
        fma(r[3], x[0], fma(r[4], x[1], r[5] * x[2])),
        fma(r[6], x[0], fma(r[7], x[1], r[8] * x[2])),
    ]
}

/// c + R x.
#[inline(always)]
pub fn add_rotated(c: V3, r: &M3, x: V3) -> V3 {
    [
        fma(r[0], x[0], fma(r[1], x[1], fma(r[2], x[2], c[0]))),
        fma(r[3], x[0], fma(r[4], x[1], fma(r[5], x[2], c[1]))),
        fma(r[6], x[0], fma(r[7], x[1], fma(r[8], x[2], c[2]))),
    ]
}

/// Rᵀ x.
#[inline(always)]
pub fn rotate_back(r: &M3, x: V3) -> V3 {
    [
        fma(r[0], x[0], fma(r[3], x[1], r[6] * x[2])),
        fma(r[1], x[0], fma(r[4], x[1], r[7] * x[2])),
        fma(r[2], x[0], fma(r[5], x[1], r[8] * x[2])),
    ]
}

#[inline(always)]
pub fn quat_mul(a: Quat, b: Quat) -> Quat {
    [
        fma(a[0], b[0], fma(-a[1], b[1], fma(-a[2], b[2], -(a[3] * b[3])))),
        fma(a[0], b[1], fma(a[1], b[0], fma(a[2], b[3], -(a[3] * b[2])))),
        fma(a[0], b[2], fma(a[2], b[0], fma(a[3], b[1], -(a[1] * b[3])))),
        fma(a[0], b[3], fma(a[3], b[0], fma(a[1], b[2], -(a[2] * b[1])))),
    ]
}

/// The unit quaternion along `q`; the identity where `q` vanishes.
#[inline]
pub fn normalized(q: Quat) -> Quat {
    let norm = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    if norm < 1e-15 { [1.0, 0.0, 0.0, 0.0] } else { q.map(|x| x / norm) }
}

/// Rotation vector of the unit quaternion `q`: axis times angle in [0, π].
pub fn log(q: Quat) -> V3 {
    let q = if q[0] < 0.0 { q.map(|x| -x) } else { q };
    let s = (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt();
    // angle / sin(angle / 2); its limit is 2 at the identity.
    let factor = if s < 1e-12 { 2.0 / q[0] } else { 2.0 * s.atan2(q[0]) / s };
    [factor * q[1], factor * q[2], factor * q[3]]
}

/// Unit quaternion of the rotation vector `phi`.
pub fn exp(phi: V3) -> Quat {
    let angle = dot3(phi, phi).sqrt();
    // sin(angle / 2) / angle, by its series where the quotient loses precision.
    let factor = if angle < 1e-4 { 0.5 - angle * angle / 48.0 } else { (0.5 * angle).sin() / angle };
    [(0.5 * angle).cos(), factor * phi[0], factor * phi[1], factor * phi[2]]
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn matrix(q: Quat) -> M3 {
    let [w, x, y, z] = q;
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    [
        1.0 - (yy + zz),
        fma(x, y2, -wz),
        fma(x, z2, wy),
        fma(x, y2, wz),
        1.0 - (xx + zz),
        fma(y, z2, -wx),
        fma(x, z2, -wy),
        fma(y, z2, wx),
        1.0 - (xx + yy),
    ]
}

#[inline(always)]
pub fn angular(s: &V6) -> V3 {
    [s[0], s[1], s[2]]
}

#[inline(always)]
pub fn linear(s: &V6) -> V3 {
    [s[3], s[4], s[5]]
}

#[inline(always)]
pub fn join(angular: V3, linear: V3) -> V6 {
    [angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]]
}

#[inline(always)]
pub fn dot6(a: &V6, b: &V6) -> f64 {
    fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2])) + fma(a[3], b[3], fma(a[4], b[4], a[5] * b[5]))
}

#[inline(always)]
pub fn add6(a: &V6, b: &V6) -> V6 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]]
}

/// a + s b.
#[inline(always)]
pub fn axpy6(a: &V6, s: f64, b: &V6) -> V6 {
    [
        fma(s, b[0], a[0]),
        fma(s, b[1], a[1]),
        fma(s, b[2], a[2]),
        fma(s, b[3], a[3]),
        fma(s, b[4], a[4]),
        fma(s, b[5], a[5]),
    ]
}

/// The spatial cross product of motions, v × m: the rate of a motion m that is carried along by v.
#[inline(always)]
pub fn cross_motion(v: &V6, m: &V6) -> V6 {
    let (w, mw) = (angular(v), angular(m));
    join(cross(w, mw), add_cross(cross(w, linear(m)), linear(v), mw))
}

/// A rigid body's spatial inertia about O in ten numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct RigidInertia {
    pub mass: f64,
    /// Mass times the position of the centre of mass from O.
    pub moment: V3,
    /// Rotational inertia about O: xx, yy, zz, xy, xz, yz.
    pub rotational: [f64; 6],
}

impl RigidInertia {
    /// Of a body with mass `mass` at `com` from O and rotational inertia R `about_com` Rᵀ about there.
    #[inline(always)]
    pub fn new(mass: f64, com: V3, rot: &M3, about_com: &[f64; 6]) -> Self {
        let i = rotate_symmetric(rot, about_com);
        let moment = scale3(mass, com);
        // Parallel axes: I_O = I_C + m (c·c 1 − c cᵀ).
        let (xx, yy, zz) = (moment[0] * com[0], moment[1] * com[1], moment[2] * com[2]);
        Self {
            mass,
            moment,
            rotational: [
                i[0] + (yy + zz),
                i[1] + (xx + zz),
                i[2] + (xx + yy),
                fma(-moment[0], com[1], i[3]),
                fma(-moment[0], com[2], i[4]),
                fma(-moment[1], com[2], i[5]),
            ],
        }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        for k in 0..3 {
            self.moment[k] += other.moment[k];
        }
        for k in 0..6 {
            self.rotational[k] += other.rotational[k];
        }
    }

    /// The force (momentum) that belongs to the motion `s`.
    #[inline(always)]
    pub fn apply(&self, s: &V6) -> V6 {
        let (w, v) = (angular(s), linear(s));
        let ang = add_cross(symmetric_mul(&self.rotational, w), self.moment, v);
        let lin = add_cross(scale3(self.mass, v), w, self.moment);
        join(ang, lin)
    }
}

/// A symmetric 3×3 matrix (xx, yy, zz, xy, xz, yz) times a vector.
#[inline(always)]
pub fn symmetric_mul(i: &[f64; 6], x: V3) -> V3 {
    [
        fma(i[0], x[0], fma(i[3], x[1], i[4] * x[2])),
        fma(i[3], x[0], fma(i[1], x[1], i[5] * x[2])),
        fma(i[4], x[0], fma(i[5], x[1], i[2] * x[2])),
    ]
}

/// R I Rᵀ for a symmetric I.
#[inline(always)]
pub fn rotate_symmetric(r: &M3, i: &[f64; 6]) -> [f64; 6] {
    let rows = [[r[0], r[1], r[2]], [r[3], r[4], r[5]], [r[6], r[7], r[8]]];
    let x = symmetric_mul(i, rows[0]);
    let y = symmetric_mul(i, rows[1]);
    let z = symmetric_mul(i, rows[2]);
    [
        dot3(rows[0], x),
        dot3(rows[1], y),
        dot3(rows[2], z),
        dot3(rows[0], y),
        dot3(rows[0], z),
        dot3(rows[1], z),
    ]
}
