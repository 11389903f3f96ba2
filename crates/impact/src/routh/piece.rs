//! Rates of a slipping or sticking contact, over its normal impulse.

use nalgebra::{Matrix2, Matrix3, Vector2};

/// W of one contact, taken apart.
pub(super) struct Motion {
    pub wtt: Matrix2<f64>,
    pub wtn: Vector2<f64>,
    pub wnn: f64,
    pub mu: f64,
    pub tolerance: f64,
    /// Friction per normal impulse that keeps the contact from slipping.
    needed: Vector2<f64>,
}

impl Motion {
    pub fn new(w: &Matrix3<f64>, mu: f64, tolerance: f64) -> Self {
        let wtt: Matrix2<f64> = w.fixed_view::<2, 2>(0, 0).into();
        let wtn = Vector2::new(w.m13, w.m23);
        // W is positive semidefinite, so w_tn is in the range of W_tt: the pseudo-inverse is exact.
        let eigen = wtt.symmetric_eigen();
        let mut needed = Vector2::zeros();
        for k in 0..2 {
            let (q, e) = (eigen.eigenvectors.column(k), eigen.eigenvalues[k]);
            if e > 1e-13 * w.m33 {
                needed -= q * (q.dot(&wtn) / e);
            }
        }
        Self { wtt, wtn, wnn: w.m33, mu, tolerance, needed }
    }

    /// Rate of the slip velocity.
    fn rate(&self, along: &Vector2<f64>) -> Vector2<f64> {
        self.wtn - self.mu * self.wtt * along
    }

    /// Rate of the slip speed, slipping along a unit direction.
    pub fn slip_rate(&self, along: &Vector2<f64>) -> f64 {
        along.dot(&self.rate(along))
    }

    /// Rate at which slip turns, times its speed.
    pub fn turn_rate(&self, along: &Vector2<f64>) -> f64 {
        Vector2::new(-along.y, along.x).dot(&self.rate(along))
    }

    /// Rate of the normal velocity; negative in Painlevé's case.
    pub fn normal_rate(&self, along: &Vector2<f64>) -> f64 {
        self.wnn - self.mu * self.wtn.dot(along)
    }

    /// Rate of the normal velocity while sticking: the Schur complement of W_tt.
    pub fn stuck_rate(&self) -> f64 {
        self.wnn + self.wtn.dot(&self.needed)
    }

    /// Whether slip along this direction keeps it.
    pub fn is_straight(&self, along: &Vector2<f64>) -> bool {
        if stiction_base::mutation::is("impact-slip-straight") {
            return true;
        }
        let size = self.wtn.norm() + self.mu * self.wtt.norm();
        self.turn_rate(along).abs() <= 1e-14 * size
    }

    /// Friction per normal impulse that holds the contact, if the cone has it: ‖W_tt⁻¹ w_tn‖ ≤ μ.
    pub fn hold(&self) -> Option<Vector2<f64>> {
        (self.needed.norm() <= self.mu * (1.0 + 1e-14)).then_some(self.needed)
    }

    /// The direction in which slip grows from rest if friction cannot hold: a straight slip that speeds up.
    /// Its angle is a root of the turn rate with a positive slip rate.
    pub fn escape(&self) -> Vector2<f64> {
        const PARTS: usize = 720;
        let direction = |angle: f64| Vector2::new(angle.cos(), angle.sin());
        let turn = |angle: f64| self.turn_rate(&direction(angle));
        let step = 2.0 * std::f64::consts::PI / PARTS as f64;
        // Cells are shifted so that the axes, where planar contacts have their roots, are inside one.
        let offset = -0.37 * step;
        let (mut best, mut most) = (self.wtn.try_normalize(0.0).unwrap_or(Vector2::x()), f64::NEG_INFINITY);
        for k in 0..PARTS {
            let (mut low, mut high) = (offset + k as f64 * step, offset + (k + 1) as f64 * step);
            let falling = turn(low) >= 0.0;
            if falling == (turn(high) >= 0.0) {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if (turn(middle) >= 0.0) == falling { low = middle } else { high = middle }
            }
            let mut along = direction(0.5 * (low + high));
            // Angles near the axes lose digits that a planar contact has exactly.
            for c in along.iter_mut() {
                if c.abs() < 1e-15 {
                    *c = 0.0;
                }
            }
            let growth = self.slip_rate(&along);
            if growth > most {
                (best, most) = (along, growth);
            }
        }
        best
    }
}
