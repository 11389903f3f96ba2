//! Slip that turns: the slip curve, integrated.
//!
//! Over the normal impulse the slip's direction becomes infinitely fast where slip stops. Over σ with
//! dp = r dσ, r the slip speed, everything is smooth, and the stop is at infinity, approached exponentially:
//!
//! ```text
//! dθ/dσ = h(θ)    d ln r/dσ = g(θ)    dp/dσ = r    du_n/dσ = r (W_nn − μ w_tn·t̂)    t̂ = (cos θ, sin θ)
//! g = t̂·(w_tn − μ W_tt t̂)    h = t̂⊥·(w_tn − μ W_tt t̂)
//! ```
//!
//! Dormand and Prince's pair of order 5(4). Where r has become nothing beside the speeds, the rest is straight:
//! slip stops r/|g| further on. The goal is located by steps of the same pair from the same point.

use super::{Goal, Mode, Walk};
use crate::root::crossing;
use nalgebra::Vector2;

/// θ, ln r, p, u_n, friction impulse (2), work.
type Y = [f64; 7];

pub(crate) const DP_A: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
pub(crate) const DP_E: [f64; 7] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];

impl Walk<'_> {
    /// Follows the curve to the goal or to the stop; true if slip stops.
    pub(super) fn curved_slip(&mut self, goal: Goal) -> bool {
        let s = self.state;
        let start_speed = s.t.norm();
        let mut y: Y = [s.t.y.atan2(s.t.x), start_speed.ln(), s.p, s.n, s.friction.x, s.friction.y, s.work];
        let scale = self.scales(start_speed);
        let least = start_speed.ln() + (1e-15f64).ln();
        let mut h = 1e-2 / (self.motion.wtn.norm() + self.motion.mu * self.motion.wtt.norm()).max(1e-300);
        for _ in 0..100_000 {
            let (next, error) = self.pair(&y, h, &scale);
            if error > 1.0 {
                h *= (0.9 * error.powf(-0.2)).max(0.2);
                continue;
            }
            self.load(&next);
            if goal.distance(&self.state) >= 0.0 {
                self.locate(&y, h, goal, &scale);
                return false;
            }
            y = next;
            let along = Vector2::new(y[0].cos(), y[0].sin());
            self.painleve |= self.motion.normal_rate(&along) < 0.0;
            self.mark(Mode::Slip);
            if y[1] <= least {
                // The direction has settled, the rest is straight and of no length beside the speeds.
                return self.straight_slip(&along, goal);
            }
            h *= (0.9 * error.max(1e-10).powf(-0.2)).min(4.0);
        }
        false
    }

    /// Sizes against which errors count: of an angle, of ln r, and of the others what the speeds make of them.
    fn scales(&self, slip: f64) -> Y {
        let speed = slip + self.state.n.abs();
        let p = speed / self.motion.wnn;
        [1.0, 1.0, p, speed, p, p, p * speed].map(|x| x * self.motion.tolerance)
    }

    fn rates(&self, y: &Y) -> Y {
        let along = Vector2::new(y[0].cos(), y[0].sin());
        let r = y[1].exp();
        let friction = -self.motion.mu * r * along;
        [
            self.motion.turn_rate(&along),
            self.motion.slip_rate(&along),
            r,
            r * self.motion.normal_rate(&along),
            friction.x,
            friction.y,
            r * y[3],
        ]
    }

    /// A step of order five, and its error over what is allowed.
    fn pair(&self, y: &Y, h: f64, scale: &Y) -> (Y, f64) {
        let mut k = [[0.0; 7]; 7];
        k[0] = self.rates(y);
        let mut at = *y;
        for stage in 0..6 {
            for i in 0..7 {
                at[i] = y[i] + h * (0..=stage).map(|j| DP_A[stage][j] * k[j][i]).sum::<f64>();
            }
            k[stage + 1] = self.rates(&at);
        }
        let mut error: f64 = 0.0;
        for i in 0..7 {
            let e = h * (0..7).map(|j| DP_E[j] * k[j][i]).sum::<f64>();
            error = error.max((e / scale[i]).abs());
        }
        (at, if error.is_finite() { error } else { 1e10 })
    }

    /// The goal lies within a step of `h` from `y`, which ends beyond it.
    fn locate(&mut self, y: &Y, h: f64, goal: Goal, scale: &Y) {
        let mut distance = |h: f64| {
            let (at, _) = self.pair(y, h, scale);
            self.load(&at);
            let rates = self.rates(&at);
            let rate = match goal {
                Goal::Normal(_) => rates[3],
                Goal::Impulse(_) => rates[2],
                Goal::Work(_) => rates[6],
            };
            (goal.distance(&self.state), rate)
        };
        let ends = [distance(0.0), distance(h)];
        let reached = 1e-16 * ends[1].0.max(-ends[0].0);
        // Every length has a value.
        let _ = crossing(h, ends, reached, |h| Some(distance(h)));
        if let Goal::Normal(n) = goal {
            // To the last digit: what is left is rounding.
            self.state.n = n;
        }
    }

    fn load(&mut self, y: &Y) {
        let r = y[1].exp();
        let s = &mut self.state;
        s.t = Vector2::new(r * y[0].cos(), r * y[0].sin());
        (s.p, s.n, s.work) = (y[2], y[3], y[6]);
        s.friction = Vector2::new(y[4], y[5]);
    }
}
