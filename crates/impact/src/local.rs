//! One contact, the others held, with a cap on its normal impulse: exact Coulomb friction, closed form in the plane.
//!
//! With u = b + W λ find λ with λ_n ∈ [0, cap], u_n ≥ 0 where λ_n = 0, u_n = 0 between, u_n ≤ 0 at the cap,
//! and λ_t ∈ −μ λ_n Unit(u_t) (MFI eq. 6 and 7, taken at the end of the step).
//!
//! For a given λ_n the friction is the point of the disc of radius μ λ_n that minimises ½ λ_tᵀ W_tt λ_t + gᵀ λ_t,
//! g = b_t + w_tn λ_n; what remains is one equation, φ(λ_n) = u_n = 0, on a bracket.

/// The diagonal block of one contact, with what is needed again and again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block<const T: usize> {
    /// Eigenvectors (columns) and eigenvalues of W_tt.
    q: [[f64; T]; T],
    e: [f64; T],
    /// w_tn in eigenvectors.
    wtn: [f64; T],
    wnn: f64,
    mu: f64,
}

impl<const T: usize> Block<T> {
    /// From the block's rows [t…, n].
    pub fn new(w: impl Fn(usize, usize) -> f64, mu: f64) -> Self {
        let mut q = [[0.0; T]; T];
        let mut e = [0.0; T];
        if T == 1 {
            q[0][0] = 1.0;
            e[0] = w(0, 0);
        } else {
            let (p, o) = (0.5 * (w(0, 0) - w(1, 1)), w(0, 1));
            let (sin, cos) = (0.5 * o.atan2(p)).sin_cos();
            (q[0][0], q[0][1], q[1][0], q[1][1]) = (cos, -sin, sin, cos);
            let (mean, radius) = (0.5 * (w(0, 0) + w(1, 1)), p.hypot(o));
            (e[0], e[1]) = (mean + radius, (mean - radius).max(0.0));
        }
        let wtn = std::array::from_fn(|k| (0..T).map(|r| q[r][k] * w(r, T)).sum());
        Self { q, e, wtn, wnn: w(T, T), mu }
    }

    /// λ for the velocity `b` the contact would have without its own impulse.
    pub fn solve(&self, b_t: [f64; T], b_n: f64, cap: f64) -> ([f64; T], f64) {
        if b_n >= 0.0 || cap <= 0.0 {
            return ([0.0; T], 0.0);
        }
        let b: [f64; T] = std::array::from_fn(|k| (0..T).map(|r| self.q[r][k] * b_t[r]).sum());
        let (t, n) = self.in_eigenvectors(b, b_n, cap);
        (std::array::from_fn(|r| (0..T).map(|k| self.q[r][k] * t[k]).sum()), n)
    }

    /// Friction at the normal impulse `n`, given the velocity without the contact's own impulse: the point of the disc of
    /// radius μ n that opposes slip most.
    pub fn friction_at(&self, b_t: [f64; T], n: f64) -> [f64; T] {
        let b: [f64; T] = std::array::from_fn(|k| (0..T).map(|r| self.q[r][k] * b_t[r]).sum());
        let (t, _) = self.friction(b, n);
        std::array::from_fn(|r| (0..T).map(|k| self.q[r][k] * t[k]).sum())
    }

    fn in_eigenvectors(&self, b: [f64; T], b_n: f64, cap: f64) -> ([f64; T], f64) {
        // Stick to a stop, if the cone allows it.
        if let Some((t, n)) = self.stick(b, b_n)
            && n <= cap
            && norm(&t) <= self.mu * n
        {
            return (t, n);
        }
        let (at_cap, _) = self.friction(b, cap);
        if self.velocity(b_n, cap, &at_cap) <= 0.0 {
            return (at_cap, cap);
        }
        // φ(0) = b_n < 0 < φ(cap): Newton from below, bisection where it leaves the bracket.
        let (mut low, mut high) = (0.0, cap);
        let mut n = (-b_n / self.wnn).min(cap);
        let mut t = at_cap;
        for _ in 0..60 {
            let (friction, slope) = self.friction(b, n);
            t = friction;
            let phi = self.velocity(b_n, n, &t);
            if phi.abs() <= 1e-14 * -b_n {
                break;
            }
            if phi < 0.0 {
                low = n
            } else {
                high = n
            }
            let next = n - phi / slope;
            let next = if slope > 0.0 && next > low && next < high { next } else { 0.5 * (low + high) };
            if (next - n).abs() <= 1e-15 * n || high - low <= 1e-15 * high {
                break;
            }
            n = next;
        }
        (t, n)
    }

    fn velocity(&self, b_n: f64, n: f64, t: &[f64; T]) -> f64 {
        (0..T).fold(b_n + self.wnn * n, |s, k| s + self.wtn[k] * t[k])
    }

    /// The impulse after which the contact is at rest; none where W_tt is singular.
    fn stick(&self, b: [f64; T], b_n: f64) -> Option<([f64; T], f64)> {
        // Schur complement of W_tt.
        let (mut s, mut r) = (self.wnn, b_n);
        for k in 0..T {
            if self.e[k] <= 1e-13 * self.wnn {
                return None;
            }
            s -= self.wtn[k] * self.wtn[k] / self.e[k];
            r -= self.wtn[k] * b[k] / self.e[k];
        }
        if s <= 1e-13 * self.wnn {
            return None;
        }
        let n = -r / s;
        (n > 0.0).then(|| (std::array::from_fn(|k| -(b[k] + self.wtn[k] * n) / self.e[k]), n))
    }

    /// Friction under the normal impulse n, and dφ/dn.
    fn friction(&self, b: [f64; T], n: f64) -> ([f64; T], f64) {
        let radius = self.mu * n;
        let g: [f64; T] = std::array::from_fn(|k| b[k] + self.wtn[k] * n);
        if radius <= 0.0 {
            return ([0.0; T], self.wnn);
        }
        // Inside the disc: stick.
        let mut free = [0.0; T];
        let mut bounded = true;
        for k in 0..T {
            if self.e[k] > 1e-14 * self.wnn {
                free[k] = -g[k] / self.e[k];
            } else if g[k].abs() > 1e-15 * (b_scale(&g)) {
                bounded = false;
            }
        }
        if bounded && norm(&free) <= radius {
            let slope = (0..T).fold(self.wnn, |s, k| {
                if self.e[k] > 1e-14 * self.wnn { s - self.wtn[k] * self.wtn[k] / self.e[k] } else { s }
            });
            return (free, slope);
        }
        if T == 1 {
            let side = -g[0].signum();
            return ([side * radius; T], self.wnn + self.wtn[0] * side * self.mu);
        }
        // On its rim: (W_tt + κ) λ_t = −g with κ ≥ 0 such that |λ_t| is the radius (secular equation, Newton
        // on 1/|λ_t|, which is nearly linear).
        let size = norm(&g);
        let mut kappa = (size / radius - self.e[0]).max(0.0);
        let mut t = [0.0; T];
        for _ in 0..30 {
            for k in 0..T {
                t[k] = -g[k] / (self.e[k] + kappa);
            }
            let length = norm(&t);
            let off = length / radius - 1.0;
            if off.abs() <= 1e-14 {
                break;
            }
            let curvature: f64 = (0..T).map(|k| t[k] * t[k] / (self.e[k] + kappa)).sum();
            let next = kappa + length * length / curvature * off;
            let next = if next > 0.0 { next } else { 0.5 * kappa };
            if (next - kappa).abs() <= 1e-15 * kappa {
                break;
            }
            kappa = next;
        }
        let fix = radius / norm(&t);
        for x in &mut t {
            *x *= fix;
        }
        // dλ_t/dn from the rim's derivative: λ_t · dλ_t = μ² n dn.
        let (mut above, mut below) = (self.mu * self.mu * n, 0.0);
        for k in 0..T {
            above += t[k] * self.wtn[k] / (self.e[k] + kappa);
            below += t[k] * t[k] / (self.e[k] + kappa);
        }
        let rate = -above / below;
        let slope =
            (0..T).fold(self.wnn, |s, k| s - self.wtn[k] * (self.wtn[k] + rate * t[k]) / (self.e[k] + kappa));
        (t, slope)
    }
}

fn b_scale<const T: usize>(g: &[f64; T]) -> f64 {
    g.iter().fold(f64::MIN_POSITIVE, |a, x| a.max(x.abs()))
}

#[inline]
fn norm<const T: usize>(t: &[f64; T]) -> f64 {
    if T == 1 { t[0].abs() } else { t.iter().map(|x| x * x).sum::<f64>().sqrt() }
}
