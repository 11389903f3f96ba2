//! One solution of the inclusion, followed from event to event.
//!
//! While normal rates are held, friction is a maximal monotone law: v̇ ∈ J_nᵀλ_n − ∂φ(v) with φ(v) = Σ μ λ_n ‖J_t v‖. The solution is
//! unique, and two solutions under the same rates never move apart in the kinetic norm, so errors of single steps add at most.
//!
//! In the plane rates are constant between events (slip stops, a contact stops approaching, a contact is approached again), and every piece
//! is a straight line in closed form. In space slip turns; such pieces are integrated by Dormand and Prince's pair with error control,
//! steps shrink towards the stop of a slip, and the events of the normals are located by regula falsi.

use crate::TOLERANCE;
use crate::problem::Problem;
use crate::rates::{Contact, MET, Normal, RateSolver};
use crate::routh::{DP_A, DP_E};

/// Speed, relative to the largest contact speed before, that counts as none.
const ZERO: f64 = 1e-13;

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
    kept: Vec<Contact>,
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
            kept: vec![Contact { normal: Normal::Apart, slip: None }; m],
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
        // Slips below fifty times the error of a step are at rest if friction holds them: there a step no longer resolves their turning.
        let allowed = 0.01 * self.tolerance;
        self.stages[0].copy_from_slice(&self.solver.acceleration);
        self.rates[0].copy_from_slice(&self.solver.lambda);
        let Some(limit) = self.towards_stop(0.5 * self.tolerance) else {
            // A slip that has all but stopped was set to rest.
            self.step.fill(0.0);
            return Advance::By(0.0);
        };
        let mut h = self.h.min(most).min(limit);
        for _ in 0..60 {
            let Some(error) = self.pair(h) else { return Advance::Unsolved };
            if error > allowed {
                h *= (0.9 * (allowed / error).powf(0.2)).max(0.1);
                continue;
            }
            self.h = h * (0.9 * (allowed / error.max(1e-30)).powf(0.2)).clamp(0.5, 4.0);
            if self.crossing() > 0.0 {
                let Some(shorter) = self.locate(h) else { return Advance::Unsolved };
                h = shorter;
            }
            self.error += error;
            self.u.copy_from_slice(&self.next);
            self.hold();
            let (side, t) = (self.problem.side(), self.problem.tangents);
            for (c, contact) in self.contacts.iter().enumerate() {
                // Located to rounding; the next look snaps it.
                let u = &mut self.u[c * side + t];
                if contact.normal != Normal::Touching && u.abs() < 1e-11 {
                    self.error += u.abs();
                    *u = 0.0;
                }
            }
            for k in 0..self.step.len() {
                self.step[k] = h * (0..6).map(|j| DP_A[5][j] * self.rates[j][k]).sum::<f64>();
            }
            return Advance::By(h);
        }
        Advance::Unsolved
    }

    /// How far slips that slow down allow to go; none if some have all but stopped and friction holds them, in which case they are put to rest.
    fn towards_stop(&mut self, rest: f64) -> Option<f64> {
        let (side, m) = (self.problem.side(), self.problem.contacts());
        let mut limit = f64::INFINITY;
        let mut slow = false;
        for c in 0..m {
            let Some(d) = self.contacts[c].slip else { continue };
            if self.rates[0][c * side + 2] <= 0.0 || self.problem.mu[c] == 0.0 {
                continue;
            }
            let (u, a) = (&self.u[c * side..], &self.stages[0][c * side..]);
            let (speed, rate) = (d[0] * u[0] + d[1] * u[1], d[0] * a[0] + d[1] * a[1]);
            slow |= speed > 0.0 && speed <= rest;
            if rate < 0.0 && speed > 0.0 {
                limit = limit.min(-0.9 * speed / rate);
            }
        }
        if slow && self.put_to_rest(rest) { None } else { Some(limit) }
    }

    /// Puts to rest the contacts that slip by less than `rest`, if friction then holds one of them at least.
    fn put_to_rest(&mut self, rest: f64) -> bool {
        let side = self.problem.side();
        let speed = |u: &[f64], c: usize| u[c * side].hypot(u[c * side + 1]);
        self.kept.copy_from_slice(&self.contacts);
        for (c, contact) in self.contacts.iter_mut().enumerate() {
            if speed(&self.u, c) <= rest {
                contact.slip = None;
            }
        }
        let solved = self.solver.solve(&self.caps, &self.contacts);
        let held = |c: usize| {
            let (at, a) = (speed(&self.u, c), speed(&self.solver.acceleration, c));
            at > 0.0 && at <= rest && a <= 10.0 * MET && self.solver.lambda[c * side + 2] > 0.0
        };
        if !solved || !(0..self.contacts.len()).any(held) {
            self.contacts.copy_from_slice(&self.kept);
            return false;
        }
        let mut moved: f64 = 0.0;
        for c in 0..self.contacts.len() {
            let at = speed(&self.u, c);
            if at <= rest {
                moved = moved.max(at);
                self.u[c * side..c * side + 2].fill(0.0);
            }
        }
        self.error += moved;
        true
    }

    /// A step of order five into `next`; the largest estimated error of a velocity.
    fn pair(&mut self, h: f64) -> Option<f64> {
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
        Some(error.fold(0.0, |a: f64, e| if e.is_finite() { a.max(e) } else { 1e10 }))
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

    /// Positive if a contact has crossed zero normal velocity between `u` and `next`.
    fn crossing(&self) -> f64 {
        let (side, t) = (self.problem.side(), self.problem.tangents);
        let each = self.contacts.iter().enumerate().map(|(c, contact)| {
            let (before, after) = (self.u[c * side + t], self.next[c * side + t]);
            match contact.normal {
                Normal::Approaching if before < 0.0 => after,
                Normal::Apart if before > 0.0 => -after,
                _ => f64::NEG_INFINITY,
            }
        });
        each.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The length at which the first crossing happens; `next` is then there.
    fn locate(&mut self, h: f64) -> Option<f64> {
        let (mut low, mut high) = (0.0, h);
        self.next.copy_from_slice(&self.u);
        let mut f_low = self.crossing();
        self.pair(h)?;
        let mut f_high = self.crossing();
        let mut at = h;
        for _ in 0..80 {
            if f_high.abs() <= 1e-14 || high - low <= 1e-16 * h {
                break;
            }
            let middle = (low * f_high - high * f_low) / (f_high - f_low);
            let middle = if middle > low && middle < high { middle } else { 0.5 * (low + high) };
            self.pair(middle)?;
            let f = self.crossing();
            at = middle;
            if f.abs() <= 1e-14 {
                break;
            }
            if f > 0.0 {
                (high, f_high) = (middle, f);
                f_low *= 0.5;
            } else {
                (low, f_low) = (middle, f);
                f_high *= 0.5;
            }
        }
        Some(at)
    }
}
