//! Small fixed-size algebra of twists and wrenches, [angular; linear], on plain arrays.
//!
//! Moving the reference point of a twist by p (from old to new point, world axes) is V' = X V with
//! X = [I 0; −p× I]: the linear velocity gains ω × p. A wrench moves by X⁻ᵀ.

/// A 3-vector.
pub type V3 = [f64; 3];
/// A twist or wrench, [angular; linear].
pub type V6 = [f64; 6];

/// Three components from a function of the axis. (`array::map` is not always inlined.)
#[inline(always)]
pub fn v3(f: impl Fn(usize) -> f64) -> V3 {
    [f(0), f(1), f(2)]
}

/// a × b.
#[inline(always)]
pub fn cross(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a · b.
#[inline(always)]
pub fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a + b.
#[inline(always)]
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The twist's value at a point `p` away from its reference point.
#[inline(always)]
pub fn shift_twist(v: V6, p: V3) -> V6 {
    let [wx, wy, wz, x, y, z] = v;
    let c = cross([wx, wy, wz], p);
    [wx, wy, wz, x + c[0], y + c[1], z + c[2]]
}

/// The wrench about a point `p` away from the one it is given about: τ' = τ − p × f.
#[inline(always)]
pub fn shift_wrench(f: V6, p: V3) -> V6 {
    let [tx, ty, tz, x, y, z] = f;
    let c = cross(p, [x, y, z]);
    [tx - c[0], ty - c[1], tz - c[2], x, y, z]
}

/// The symmetric 6×6 matrix of a pair by parts: [tt tl; tlᵀ ll], with tt and ll symmetric
/// (xx, xy, xz, yy, yz, zz) and tl row-major, and the pair's wrench.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairSum {
    /// Torque about the pair's point and force on b.
    pub wrench: V6,
    /// Torque by angular velocity.
    pub tt: [f64; 6],
    /// Torque by linear velocity.
    pub tl: [f64; 9],
    /// Force by linear velocity.
    pub ll: [f64; 6],
}

impl PairSum {
    /// Adds a force `f` and stiffness `g` (symmetric, by parts) at the point `r` from the pair's point.
    #[inline(always)]
    pub fn add_point(&mut self, r: V3, f: V3, g: [f64; 6]) {
        let torque = cross(r, f);
        for i in 0..3 {
            self.wrench[i] += torque[i];
            self.wrench[3 + i] += f[i];
        }
        let [xx, xy, xz, yy, yz, zz] = g;
        for i in 0..6 {
            self.ll[i] += g[i];
        }
        let [x, y, z] = r;
        // m = r× G, rows.
        let m = [
            [y * xz - z * xy, y * yz - z * yy, y * zz - z * yz],
            [z * xx - x * xz, z * xy - x * yz, z * xz - x * zz],
            [x * xy - y * xx, x * yy - y * xy, x * yz - y * xz],
        ];
        for i in 0..3 {
            for j in 0..3 {
                self.tl[3 * i + j] += m[i][j];
            }
        }
        // tt = −m r×, upper triangle.
        self.tt[0] += y * m[0][2] - z * m[0][1];
        self.tt[1] += z * m[0][0] - x * m[0][2];
        self.tt[2] += x * m[0][1] - y * m[0][0];
        self.tt[3] += z * m[1][0] - x * m[1][2];
        self.tt[4] += x * m[1][1] - y * m[1][0];
        self.tt[5] += x * m[2][1] - y * m[2][0];
    }

    /// Adds an impulse `gamma` and curvature `g` along the direction `w`.
    #[inline]
    pub fn add_row(&mut self, w: &V6, gamma: f64, g: f64) {
        for i in 0..6 {
            self.wrench[i] += gamma * w[i];
        }
        let mut k = 0;
        for i in 0..3 {
            for j in i..3 {
                self.tt[k] += g * w[i] * w[j];
                self.ll[k] += g * w[3 + i] * w[3 + j];
                k += 1;
            }
            for j in 0..3 {
                self.tl[3 * i + j] += g * w[i] * w[3 + j];
            }
        }
    }

    /// Adds g (a bᵀ + b aᵀ), or its half where a = b.
    pub fn add_product(&mut self, a: &V6, b: &V6, g: f64, same: bool) {
        let g = if same { 0.5 * g } else { g };
        let at = |i: usize, j: usize| g * (a[i] * b[j] + b[i] * a[j]);
        let mut k = 0;
        for i in 0..3 {
            for j in i..3 {
                self.tt[k] += at(i, j);
                self.ll[k] += at(3 + i, 3 + j);
                k += 1;
            }
            for j in 0..3 {
                self.tl[3 * i + j] += at(i, 3 + j);
            }
        }
    }

    /// The full symmetric 6×6 matrix.
    pub fn matrix(&self) -> [f64; 36] {
        let sym = |s: &[f64; 6], i: usize, j: usize| s[[[0, 1, 2], [1, 3, 4], [2, 4, 5]][i][j]];
        let mut out = [0.0; 36];
        for i in 0..3 {
            for j in 0..3 {
                out[i + 6 * j] = sym(&self.tt, i, j);
                out[3 + i + 6 * (3 + j)] = sym(&self.ll, i, j);
                out[i + 6 * (3 + j)] = self.tl[3 * i + j];
                out[3 + j + 6 * i] = self.tl[3 * i + j];
            }
        }
        out
    }
}

/// Symmetric g = R G Rᵀ by parts, R with columns `axes`.
pub fn rotate_symmetric(axes: &[V3; 3], g: &[[f64; 3]; 3]) -> [f64; 6] {
    let mut rg = [[0.0; 3]; 3]; // R G
    for i in 0..3 {
        for j in 0..3 {
            rg[i][j] = axes[0][i] * g[0][j] + axes[1][i] * g[1][j] + axes[2][i] * g[2][j];
        }
    }
    let at = |i: usize, j: usize| rg[i][0] * axes[0][j] + rg[i][1] * axes[1][j] + rg[i][2] * axes[2][j];
    [at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)]
}
