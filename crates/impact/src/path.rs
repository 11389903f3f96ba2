//! One solution of the inclusion, followed from event to event.
//!
//! While normal rates are held, friction is a maximal monotone law: v̇ ∈ J_nᵀλ_n − ∂φ(v) with φ(v) = Σ μ λ_n ‖J_t v‖. The solution is
//! unique, and two solutions under the same rates never move apart in the kinetic norm, so errors of single steps add at most.
//!
//! In the plane rates are constant between events (slip stops, a contact stops approaching, a contact is approached again), and every piece
//! is a straight line in closed form. In space slip turns; such pieces are integrated with error control, and the events of the normals are located
//! along the steps (`root.rs`). Fast slips take Dormand and Prince's pair. A slip of speed σ turns at a rate of the order of 1/σ, so slow slips are stiff: several
//! feet of one body may creep for long at speeds below the tolerance. They take the implicit pair TR-BDF2, of order two with an error estimate of order
//! three. Each of its stages is a solve of `rates.rs` with an offset; it finds by itself which contacts stick.

use crate::TOLERANCE;
use crate::check::Segment;
use crate::problem::Problem;
use crate::rates::{Contact, MET, NEARLY, Normal, RateSolver};
use crate::root::crossing;
use crate::routh::{DP_A, DP_E};
use crate::sequences::{ROUTH, resolve};

/// Speed, relative to the largest contact speed before, that counts as none.
const ZERO: f64 = 1e-13;

/// Slip speed below which steps are implicit.
const SLOW: f64 = 1e-4;
/// TR-BDF2: share of the implicit stage in each step, and of the others.
const D: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
const E: f64 = 0.5 * std::f64::consts::FRAC_1_SQRT_2;

/// How far a step came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Advance {
    /// This far, in units of the caps.
    By(f64),
    /// Nothing ever changes: a jam.
    Endless,
    /// The rates could not be found, or the step became too small.
    Unsolved,
}

/// A solution under way, in scaled contact space.
pub(crate) struct Path<'a> {
    pub problem: &'a Problem,
    solver: RateSolver<'a>,
    /// Velocity now.
    pub u: Vec<f64>,
    /// Impulse of the last step.
    pub step: Vec<f64>,
    /// Sum of the estimated errors of all steps.
    pub error: f64,
    /// Contacts with a rate act whether they approach or not: restitution.
    pub forced: bool,
    tolerance: f64,
    contacts: Vec<Contact>,
    /// The contacts of an implicit stage: what slips, and which way, is found by the solve.
    loose: Vec<Contact>,
    /// Whether the steps of this piece are implicit.
    implicit: bool,
    caps: Vec<f64>,
    /// Length of curved steps, kept from one to the next.
    h: f64,
    stages: Vec<Vec<f64>>,
    rates: Vec<Vec<f64>>,
    at: Vec<f64>,
    next: Vec<f64>,
}

impl<'a> Path<'a> {
    pub fn new(problem: &'a Problem, tolerance: f64) -> Self {
        let (n, m) = (problem.rows(), problem.contacts());
        Self {
            problem,
            solver: RateSolver::new(problem),
            u: problem.u.clone(),
            step: vec![0.0; n],
            error: 0.0,
            forced: false,
            tolerance,
            contacts: vec![Contact { normal: Normal::Apart, slip: None }; m],
            loose: vec![Contact { normal: Normal::Apart, slip: None }; m],
            implicit: false,
            caps: vec![0.0; m],
            h: 0.1,
            stages: vec![vec![0.0; n]; 7],
            rates: vec![vec![0.0; n]; 7],
            at: vec![0.0; n],
            next: vec![0.0; n],
        }
    }

    /// Goes back to the beginning of the impact.
    pub fn reset(&mut self) {
        self.u.copy_from_slice(&self.problem.u);
        self.error = 0.0;
        self.h = 0.1;
    }

    /// Whether contact c approaches.
    pub fn approaching(&self, c: usize) -> bool {
        self.problem.normal(&self.u, c) < -TOLERANCE
    }

    /// Whether no contact approaches any more.
    pub fn finished(&self) -> bool {
        (0..self.problem.contacts()).all(|c| !self.approaching(c))
    }

    /// Goes on with these caps on the normal rates (of the order of one) to the next event, at most `most` far.
    pub fn advance(&mut self, caps: &[f64], most: f64) -> Advance {
        self.caps.copy_from_slice(caps);
        for released in [false, true] {
            self.look();
            if released {
                // Contacts that merely touch need not act, and without them a solution exists.
                for (cap, contact) in self.caps.iter_mut().zip(&self.contacts) {
                    if contact.normal == Normal::Touching {
                        *cap = 0.0;
                    }
                }
            }
            if self.solver.solve(&self.caps, &self.contacts) {
                self.leave();
                let end = if self.turns() { self.curved(most) } else { self.straight(most) };
                if end != Advance::Unsolved {
                    return end;
                }
            }
        }
        Advance::Unsolved
    }

    /// Resolves contact c alone by Routh's method, which is a piece of a solution wherever c approaches: other contacts need not act.
    pub fn alone(&mut self, c: usize, record: Option<&mut Vec<Segment>>) {
        self.step.fill(0.0);
        resolve(self.problem, c, &mut self.u, &mut self.step, record);
        self.error += ROUTH;
    }

    /// States of the contacts at the present velocity.
    fn look(&mut self) {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        for (c, contact) in self.contacts.iter_mut().enumerate() {
            let u = &mut self.u[c * side..(c + 1) * side];
            contact.normal = if u[t] < -ZERO || self.forced && self.caps[c] > 0.0 {
                Normal::Approaching
            } else if u[t] > ZERO {
                Normal::Apart
            } else {
                u[t] = 0.0;
                Normal::Touching
            };
            let speed = u[..t].iter().map(|x| x * x).sum::<f64>().sqrt();
            contact.slip = (speed > ZERO).then(|| [u[0] / speed, if t == 2 { u[1] / speed } else { 0.0 }]);
            if contact.slip.is_none() {
                u[..t].fill(0.0);
            }
        }
    }

    /// Contacts at rest that the solved rates set in motion: from here on they are what they become.
    fn leave(&mut self) {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        for (c, contact) in self.contacts.iter_mut().enumerate() {
            let a = &self.solver.acceleration[c * side..(c + 1) * side];
            if contact.normal == Normal::Touching {
                if a[t] > 10.0 * MET {
                    contact.normal = Normal::Apart;
                } else if a[t] < -10.0 * MET {
                    contact.normal = Normal::Approaching;
                }
            }
            let speed = a[..t].iter().map(|x| x * x).sum::<f64>().sqrt();
            if contact.slip.is_none() && speed > 10.0 * MET {
                contact.slip = Some([a[0] / speed, if t == 2 { a[1] / speed } else { 0.0 }]);
            }
        }
    }

    /// Whether some contact with friction changes its direction of slip.
    fn turns(&self) -> bool {
        let side = self.problem.side();
        self.problem.tangents == 2
            && self.contacts.iter().enumerate().any(|(c, contact)| {
                let Some(d) = contact.slip else { return false };
                let (l, a) = (&self.solver.lambda[c * side..], &self.solver.acceleration[c * side..]);
                l[2] > 0.0 && self.problem.mu[c] > 0.0 && (d[0] * a[1] - d[1] * a[0]).abs() > MET
            })
    }

    /// A step at constant rates to the first event.
    fn straight(&mut self, most: f64) -> Advance {
        let (side, t, m) = (self.problem.side(), self.problem.tangents, self.problem.contacts());
        let (mut h, mut event) = (most, None);
        for c in 0..m {
            let (u, a) = (&self.u[c * side..], &self.solver.acceleration[c * side..]);
            let contact = self.contacts[c];
            let crosses = match contact.normal {
                Normal::Approaching => u[t] < 0.0 && a[t] > 0.0,
                Normal::Apart => u[t] > 0.0 && a[t] < 0.0,
                Normal::Touching => false,
            };
            if crosses && -u[t] / a[t] < h {
                (h, event) = (-u[t] / a[t], Some((c, true)));
            }
            if let Some(d) = contact.slip
                && self.solver.lambda[c * side + t] > 0.0
                && self.problem.mu[c] > 0.0
            {
                let (speed, rate) = (0..t).fold((0.0, 0.0), |(s, r), k| (s + d[k] * u[k], r + d[k] * a[k]));
                if speed > 0.0 && rate < 0.0 && -speed / rate < h {
                    (h, event) = (-speed / rate, Some((c, false)));
                }
            }
        }
        if !h.is_finite() {
            return Advance::Endless;
        }
        for ((u, a), (s, l)) in self
            .u
            .iter_mut()
            .zip(&self.solver.acceleration)
            .zip(self.step.iter_mut().zip(&self.solver.lambda))
        {
            *u += h * a;
            *s = h * l;
        }
        self.hold();
        match event {
            Some((c, true)) => self.u[c * side + t] = 0.0,
            Some((c, false)) => self.u[c * side..c * side + t].fill(0.0),
            None => {}
        }
        Advance::By(h)
    }

    /// What the rates hold at rest stays there to the last digit.
    fn hold(&mut self) {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        for (c, contact) in self.contacts.iter().enumerate() {
            if contact.normal == Normal::Touching {
                self.u[c * side + t] = 0.0;
            }
            if contact.slip.is_none() {
                self.u[c * side..c * side + t].fill(0.0);
            }
        }
    }

    /// A step of a piece with turning slip.
    fn curved(&mut self, most: f64) -> Advance {
        let allowed = 0.01 * self.tolerance;
        self.stages[0].copy_from_slice(&self.solver.acceleration);
        self.rates[0].copy_from_slice(&self.solver.lambda);
        let limit = self.towards_stop(10.0 * allowed);
        let mut h = self.h.min(most).min(limit);
        for _ in 0..60 {
            // A shorter step has simpler stages.
            let error = self.pair(h).unwrap_or(1e10);
            let mut error = error.max(self.departure());
            let order = if self.implicit { 3.0 } else { 5.0 };
            if error > allowed {
                h *= (0.9 * (allowed / error).powf(1.0 / order)).max(0.1);
                continue;
            }
            self.h = h * (0.9 * (allowed / error.max(1e-30)).powf(1.0 / order)).clamp(0.5, 4.0);
            if self.turns_back() {
                h *= 0.25;
                continue;
            }
            if self.crossing().is_some_and(|(value, ..)| value > 0.0) {
                let Some((shorter, own)) = self.locate(h, error) else {
                    h *= 0.5;
                    continue;
                };
                if own > allowed {
                    h = 0.5 * shorter;
                    continue;
                }
                (h, error) = (shorter, own);
            }
            self.error += error;
            self.u.copy_from_slice(&self.next);
            self.settle(h);
            for k in 0..self.step.len() {
                let rate = |j: usize| self.rates[j][k];
                self.step[k] = h * if self.implicit {
                    E * (rate(0) + rate(1)) + D * rate(2)
                } else {
                    (0..6).map(|j| DP_A[5][j] * rate(j)).sum::<f64>()
                };
            }
            return Advance::By(h);
        }
        Advance::Unsolved
    }

    /// Sets to rest what a curved step of length `h` leaves at rest up to rounding.
    fn settle(&mut self, h: f64) {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        let rest = ZERO.max(2.0 * h * MET.max(self.solver.missed));
        for (c, contact) in self.contacts.iter().enumerate() {
            let u = &mut self.u[c * side..(c + 1) * side];
            // The place where a contact arrives is located to rounding. A contact that leaves during the step keeps its velocity.
            let near = if contact.normal == Normal::Touching { rest } else { 1e-11 };
            if u[t].abs() <= near {
                self.error += u[t].abs();
                u[t] = 0.0;
            }
            let slip = u[..t].iter().map(|u| u * u).sum::<f64>().sqrt();
            if (self.implicit || contact.slip.is_none()) && slip <= rest {
                u[..t].fill(0.0);
            }
        }
    }

    /// How far slips above `rest` that slow down allow to go. Decides whether the steps are implicit.
    fn towards_stop(&mut self, rest: f64) -> f64 {
        let side = self.problem.side();
        let mut limit = f64::INFINITY;
        self.implicit = false;
        for c in 0..self.problem.contacts() {
            let Some(d) = self.contacts[c].slip else { continue };
            if self.rates[0][c * side + 2] <= 0.0 || self.problem.mu[c] == 0.0 {
                continue;
            }
            let (u, a) = (&self.u[c * side..], &self.stages[0][c * side..]);
            let (speed, rate) = (d[0] * u[0] + d[1] * u[1], d[0] * a[0] + d[1] * a[1]);
            self.implicit |= speed < SLOW;
            if rate < 0.0 && speed > rest {
                limit = limit.min(-0.9 * speed / rate);
            }
        }
        limit
    }

    /// A step of length `h` into `next`; the largest estimated error of a velocity.
    fn pair(&mut self, h: f64) -> Option<f64> {
        if self.implicit { self.implicit_pair(h) } else { self.explicit_pair(h) }
    }

    /// TR-BDF2. Friction is monotone, so each stage has one solution and its errors do not grow.
    fn implicit_pair(&mut self, h: f64) -> Option<f64> {
        self.loose.copy_from_slice(&self.contacts);
        for contact in &mut self.loose {
            contact.slip = None;
        }
        let n = self.u.len();
        for stage in 1..3 {
            for i in 0..n {
                let past: f64 = self.stages[..stage].iter().map(|f| f[i]).sum();
                let weight = if stage == 1 { 1.0 } else { E / D };
                self.solver.offset[i] = self.u[i] / (D * h) + weight * past;
            }
            // In units of velocity.
            self.solver.nearly = (1e-12 / h).clamp(NEARLY, 1e-3);
            let solved = self.solver.solve(&self.caps, &self.loose);
            self.solver.nearly = NEARLY;
            for i in 0..n {
                self.next[i] = D * h * self.solver.acceleration[i];
                self.stages[stage][i] = self.solver.acceleration[i] - self.solver.offset[i];
            }
            self.rates[stage].copy_from_slice(&self.solver.lambda);
            self.solver.offset.fill(0.0);
            if !solved {
                return None;
            }
        }
        // The embedded weights are ((1 − E)/3, E + 1/3, D/3).
        let off = |i: usize| {
            (4.0 * E - 1.0) / 3.0 * self.stages[0][i] - self.stages[1][i] / 3.0
                + 2.0 * D / 3.0 * self.stages[2][i]
        };
        let error = (0..n).map(|i| (h * off(i)).abs()).fold(0.0f64, f64::max);
        Some(if error.is_finite() { error + h * self.solver.missed } else { 1e10 })
    }

    /// Dormand and Prince's step of order five.
    fn explicit_pair(&mut self, h: f64) -> Option<f64> {
        let n = self.u.len();
        for stage in 0..6 {
            for i in 0..n {
                let slope: f64 = (0..=stage).map(|j| DP_A[stage][j] * self.stages[j][i]).sum();
                self.at[i] = self.u[i] + h * slope;
            }
            if !self.evaluate() {
                return None;
            }
            self.stages[stage + 1].copy_from_slice(&self.solver.acceleration);
            self.rates[stage + 1].copy_from_slice(&self.solver.lambda);
        }
        self.next.copy_from_slice(&self.at);
        let error = (0..n).map(|i| (h * (0..7).map(|j| DP_E[j] * self.stages[j][i]).sum::<f64>()).abs());
        let error = error.fold(0.0, |a: f64, e| if e.is_finite() { a.max(e) } else { 1e10 });
        Some(error + h * self.solver.missed)
    }

    /// Rates at the velocity `at`, with the states of the step's beginning.
    fn evaluate(&mut self) -> bool {
        let side = self.problem.side();
        for (c, contact) in self.contacts.iter_mut().enumerate() {
            if let Some(d) = &mut contact.slip {
                let u = &self.at[c * side..];
                let speed = u[0].hypot(u[1]);
                if speed > 0.0 {
                    *d = [u[0] / speed, u[1] / speed];
                }
            }
        }
        self.solver.solve(&self.caps, &self.contacts)
    }

    /// Largest velocity that a held or sticking contact has at the end of the step. It left during the step, where rates have a kink that the pairs'
    /// estimates do not see; a step that ends within the tolerance after it has its error.
    fn departure(&self) -> f64 {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        let each = self.contacts.iter().enumerate().map(|(c, contact)| {
            if self.rates[0][c * side + t] <= 0.0 {
                return 0.0;
            }
            let next = &self.next[c * side..(c + 1) * side];
            let left = if contact.normal == Normal::Touching { next[t] } else { 0.0 };
            let slip = next[..t].iter().map(|u| u * u).sum::<f64>().sqrt();
            left.max(if contact.slip.is_none() && self.problem.mu[c] > 0.0 { slip } else { 0.0 })
        });
        each.fold(0.0, f64::max)
    }

    /// Whether a contact that the step set in motion from u_n = 0 ends on the other side.
    fn turns_back(&self) -> bool {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        self.contacts.iter().enumerate().any(|(c, contact)| {
            let (before, after) = (self.u[c * side + t], self.next[c * side + t]);
            !self.forced
                && before == 0.0
                && match contact.normal {
                    Normal::Approaching => after > ZERO,
                    Normal::Apart => after < -ZERO,
                    Normal::Touching => false,
                }
        })
    }

    /// How far beyond zero a normal velocity has come between `u` and `next`, the farthest of all; positive if one has crossed. With its rates at the
    /// beginning and the end of the step.
    fn crossing(&self) -> Option<(f64, usize, f64)> {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        let each = self.contacts.iter().enumerate().filter_map(|(c, contact)| {
            let k = c * side + t;
            match contact.normal {
                Normal::Approaching if self.u[k] < 0.0 => Some((self.next[k], k, 1.0)),
                Normal::Apart if self.u[k] > 0.0 => Some((-self.next[k], k, -1.0)),
                _ => None,
            }
        });
        each.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The length at which the first crossing happens within a step of length `h` that has one, and the error of a step of this length; `next` is
    /// then there.
    fn locate(&mut self, h: f64, error: f64) -> Option<(f64, f64)> {
        let last = if self.implicit { 2 } else { 6 };
        let (value, k, sign) = self.crossing()?;
        let ends = [(sign * self.u[k], sign * self.stages[0][k]), (value, sign * self.stages[last][k])];
        let mut own = error;
        let at = crossing(h, ends, 1e-14, |h| {
            own = self.pair(h)?;
            let (value, k, sign) = self.crossing()?;
            Some((value, sign * self.stages[last][k]))
        })?;
        Some((at, own))
    }
}
