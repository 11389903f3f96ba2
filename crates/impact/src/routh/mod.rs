//! Routh's method: one contact, followed through its impact in contact space.
//!
//! ```text
//! du/dp = W (−μ û_t, 1)       u = [t1 t2 n], p the normal impulse, until u_n = 0      (MFI II-C, eq. 12)
//! ```
//!
//! A path is made of pieces (`piece.rs`). Sticking, slip along a line (every slip of a planar impact) and slip
//! that starts from rest are straight, in closed form; slip that turns is a curve, integrated in the slip's
//! angle (`curve.rs`). At a stop the contact sticks if friction can hold it, ‖W_tt⁻¹ w_tn‖ ≤ μ, and else slips on
//! in the one direction in which slip can grow from zero.
//!
//! Painlevé's case, W_nn < μ w_nt·û_t: slipping presses the bodies together ever faster. The path then goes
//! on until slip has stopped, sticks, and only then comes apart, as the paper's footnote asks: it ends where
//! nothing demands an instantaneous change any more. A contact that does not approach (u_n = 0) but slides in that case
//! has no finite force that keeps it from overlapping; [`RouthOptions::pressed`] says whether something presses
//! it, and then the same path is followed from there (an impact without a collision).

mod curve;
pub(crate) use curve::{DP_A, DP_E};
mod piece;

use crate::error::ImpactError;
use nalgebra::{Matrix3, Vector2, Vector3};
use piece::Motion;
use stiction_base::mutation;

/// How much comes back after compression.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restitution {
    /// Nothing: the impact ends with u_n = 0.
    #[default]
    Inelastic,
    /// Newton: it ends with u_n = −e u_n before. With friction this can create energy, which the result tells.
    Newton(f64),
    /// Poisson: the normal impulse of restitution is e times that of compression.
    Poisson(f64),
    /// Stronge: the normal force gives back e² of the work it took.
    Stronge(f64),
}

impl Restitution {
    fn check(self) -> Result<(), ImpactError> {
        match self {
            Self::Inelastic => Ok(()),
            Self::Newton(e) | Self::Poisson(e) | Self::Stronge(e) if (0.0..=1.0).contains(&e) => Ok(()),
            Self::Newton(value) | Self::Poisson(value) | Self::Stronge(value) => {
                Err(ImpactError::Option { option: "restitution", value, allowed: "a number from 0 to 1" })
            }
        }
    }
}

/// Choices beside the restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouthOptions {
    /// Error allowed in a step of a curved slip, relative to the speeds.
    pub tolerance: f64,
    /// Whether a contact with u_n = 0 is pressed (its normal acceleration without contact force is negative),
    /// so that Painlevé's case needs an impact.
    pub pressed: bool,
}

impl Default for RouthOptions {
    fn default() -> Self {
        Self { tolerance: 1e-12, pressed: false }
    }
}

/// What the contact does along a piece of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Slip, straight or turning.
    Slip,
    /// No slip.
    Stick,
}

/// A point of the path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouthPoint {
    /// Contact velocity, [t1 t2 n], m/s.
    pub velocity: Vector3<f64>,
    /// Impulse so far, [t1 t2 n], N s; its last entry is the parameter of the path.
    pub impulse: Vector3<f64>,
    /// What the contact did on the way here.
    pub mode: Mode,
}

/// Something that happened on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Slip came to a stop.
    SlipStops,
    /// Friction holds the contact.
    Sticks,
    /// Slip starts (again) from rest; in the plane this is on, or the reverse of, the direction before.
    SlipStarts,
    /// u_n = 0: all is compressed that will be.
    CompressionEnds,
    /// The impact is over.
    Ends,
}

/// The course and the outcome of a single impact.
#[derive(Clone, Debug, PartialEq)]
pub struct Routh {
    /// Contact velocity after, [t1 t2 n], m/s.
    pub velocity: Vector3<f64>,
    /// Impulse on B, [t1 t2 n], N s.
    pub impulse: Vector3<f64>,
    /// The path, from the state before to the state after.
    pub path: Vec<RouthPoint>,
    /// What happened, with the place in `path`.
    pub events: Vec<(Event, usize)>,
    /// Work of the normal force until the end of compression (zero or less), J.
    pub compression_work: f64,
    /// Work of the normal force after that, J.
    pub restitution_work: f64,
    /// Work of friction, J.
    pub friction_work: f64,
    /// Whether slip pressed the bodies together somewhere on the path (Painlevé's case).
    pub painleve: bool,
}

impl Routh {
    /// Change of kinetic energy, J: the work of all contact forces, Λ·(u + u⁺)/2.
    pub fn energy_change(&self) -> f64 {
        self.compression_work + self.restitution_work + self.friction_work
    }

    /// Whether anything happened.
    pub fn happened(&self) -> bool {
        self.impulse.z > 0.0
    }
}

/// Follows a single impact. `w` is the contact's block of the Delassus operator (1/kg), `u` its velocity (m/s),
/// both in [t1 t2 n]; u_n < 0 approaches.
pub fn routh(
    w: &Matrix3<f64>,
    u: &Vector3<f64>,
    mu: f64,
    restitution: Restitution,
    options: &RouthOptions,
) -> Result<Routh, ImpactError> {
    restitution.check()?;
    if !(mu >= 0.0 && mu.is_finite()) {
        let allowed = "a finite number, zero or more";
        return Err(ImpactError::Option { option: "friction", value: mu, allowed });
    }
    if !(options.tolerance > 0.0 && options.tolerance <= 1e-2) {
        let allowed = "a number above 0 and at most 0.01";
        return Err(ImpactError::Option { option: "tolerance", value: options.tolerance, allowed });
    }
    if !w.iter().chain(u.iter()).all(|x| x.is_finite()) || w.m33 <= 0.0 {
        let allowed = "finite numbers with a positive normal entry: the contact must be able to move";
        return Err(ImpactError::Option { option: "W", value: w.m33, allowed });
    }
    let mu = if mutation::is("impact-friction-half") { 0.5 * mu } else { mu };
    let restitution = match restitution {
        Restitution::Poisson(e) if mutation::is("impact-restitution-double") => Restitution::Poisson(2.0 * e),
        Restitution::Stronge(e) if mutation::is("impact-restitution-double") => {
            Restitution::Stronge((2.0 * e).min(1.0))
        }
        other => other,
    };
    let motion = Motion::new(w, mu, options.tolerance);
    let mut path = vec![RouthPoint { velocity: *u, impulse: Vector3::zeros(), mode: first_mode(u) }];
    let mut walk =
        Walk { motion, state: State::new(u), path: &mut path, events: Vec::new(), painleve: false };
    let slides = u.xy().norm() > 0.0;
    let presses = slides && walk.motion.normal_rate(&u.xy().normalize()) < 0.0;
    let impact = u.z < 0.0 || (u.z == 0.0 && options.pressed && presses);
    if impact {
        walk.follow(Goal::Normal(if mutation::is("impact-early") { 0.1 * u.z } else { 0.0 }));
        walk.event(Event::CompressionEnds);
    }
    let compressed = walk.state;
    if impact {
        match restitution {
            Restitution::Inelastic => {}
            Restitution::Newton(e) => walk.follow(Goal::Normal(-e * u.z)),
            Restitution::Poisson(e) => walk.follow(Goal::Impulse((1.0 + e) * compressed.p)),
            Restitution::Stronge(e) => walk.follow(Goal::Work((1.0 - e * e) * compressed.work)),
        }
        walk.event(Event::Ends);
    }
    let (end, events, painleve) = (walk.state, walk.events, walk.painleve);
    let velocity = Vector3::new(end.t.x, end.t.y, end.n);
    let impulse = Vector3::new(end.friction.x, end.friction.y, end.p);
    let total = 0.5 * impulse.dot(&(u + velocity));
    Ok(Routh {
        velocity,
        impulse,
        events,
        compression_work: compressed.work,
        restitution_work: end.work - compressed.work,
        friction_work: total - end.work,
        painleve,
        path,
    })
}

fn first_mode(u: &Vector3<f64>) -> Mode {
    if u.xy().norm() > 0.0 { Mode::Slip } else { Mode::Stick }
}

/// Where on the path a phase ends.
#[derive(Clone, Copy, Debug)]
enum Goal {
    /// u_n reaches this from below.
    Normal(f64),
    /// The normal impulse reaches this.
    Impulse(f64),
    /// The work of the normal force reaches this from below.
    Work(f64),
}

impl Goal {
    /// Negative before the goal.
    fn distance(self, state: &State) -> f64 {
        match self {
            Self::Normal(n) => state.n - n,
            Self::Impulse(p) => state.p - p,
            Self::Work(work) => state.work - work,
        }
    }

    /// Normal impulse from `state` to the goal if u_n changes at the constant `rate`; infinite if never.
    fn straight(self, state: &State, rate: f64) -> f64 {
        match self {
            // A contact pressed from rest (rate < 0) has its goal ahead of it, not behind.
            Self::Normal(n) if state.n >= n && rate >= 0.0 => 0.0,
            Self::Normal(n) if rate > 0.0 => (n - state.n) / rate,
            Self::Normal(_) => f64::INFINITY,
            Self::Impulse(p) => (p - state.p).max(0.0),
            Self::Work(work) => {
                // ½ rate x² + u_n x = rest, u_n ≥ 0, in the form that does not cancel.
                let rest = work - state.work;
                let root = state.n * state.n + 2.0 * rate * rest;
                if rest <= 0.0 {
                    0.0
                } else if root < 0.0 || state.n + root.sqrt() <= 0.0 {
                    f64::INFINITY
                } else {
                    2.0 * rest / (state.n + root.sqrt())
                }
            }
        }
    }
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct State {
    p: f64,
    t: Vector2<f64>,
    n: f64,
    friction: Vector2<f64>,
    work: f64,
}

impl State {
    fn new(u: &Vector3<f64>) -> Self {
        Self { p: 0.0, t: u.xy(), n: u.z, friction: Vector2::zeros(), work: 0.0 }
    }
}

/// The path under construction.
struct Walk<'a> {
    motion: Motion,
    state: State,
    path: &'a mut Vec<RouthPoint>,
    events: Vec<(Event, usize)>,
    painleve: bool,
}

impl Walk<'_> {
    fn event(&mut self, event: Event) {
        self.events.push((event, self.path.len() - 1));
    }

    fn mark(&mut self, mode: Mode) {
        let s = &self.state;
        let velocity = Vector3::new(s.t.x, s.t.y, s.n);
        let impulse = Vector3::new(s.friction.x, s.friction.y, s.p);
        let point = RouthPoint { velocity, impulse, mode };
        if self.path.last().is_none_or(|last| last.impulse != impulse) {
            self.path.push(point);
        }
    }

    /// Goes on until the goal is reached.
    fn follow(&mut self, goal: Goal) {
        // Slip stops once at most before it sticks or slips on for good; the bound only guards against rounding.
        for piece in 0..16 {
            let pressed = piece == 0 && self.state.p == 0.0;
            if goal.distance(&self.state) >= 0.0 && !pressed {
                return;
            }
            let speed = self.state.t.norm();
            if speed > 0.0 {
                let along = self.state.t / speed;
                self.painleve |= self.motion.normal_rate(&along) < 0.0;
                let stopped = if self.motion.is_straight(&along) {
                    self.straight_slip(&along, goal)
                } else {
                    self.curved_slip(goal)
                };
                self.mark(Mode::Slip);
                if stopped {
                    self.state.t = Vector2::zeros();
                    self.event(Event::SlipStops);
                } else {
                    return;
                }
            } else if let Some(hold) = self.motion.hold() {
                self.event(Event::Sticks);
                let rate = self.motion.stuck_rate();
                self.advance(hold, rate, goal.straight(&self.state, rate), Vector2::zeros());
                self.mark(Mode::Stick);
                return;
            } else {
                let along = self.motion.escape();
                self.event(Event::SlipStarts);
                self.painleve |= self.motion.normal_rate(&along) < 0.0;
                let rate = self.motion.normal_rate(&along);
                let acceleration = along * self.motion.slip_rate(&along);
                let length = goal.straight(&self.state, rate);
                self.advance(-self.motion.mu * along, rate, length, acceleration);
                self.mark(Mode::Slip);
                return;
            }
        }
    }

    /// Slip along a line; true if it stops before the goal.
    fn straight_slip(&mut self, along: &Vector2<f64>, goal: Goal) -> bool {
        let (rate, slowing) = (self.motion.normal_rate(along), self.motion.slip_rate(along));
        let to_goal = goal.straight(&self.state, rate);
        let to_stop = if slowing < 0.0 { self.state.t.norm() / -slowing } else { f64::INFINITY };
        self.advance(-self.motion.mu * along, rate, to_goal.min(to_stop), along * slowing);
        to_stop < to_goal
    }

    /// A straight piece: constant forces over `length` of normal impulse.
    fn advance(&mut self, friction: Vector2<f64>, rate: f64, length: f64, slip_rate: Vector2<f64>) {
        if !length.is_finite() {
            return;
        }
        let s = &mut self.state;
        s.work += s.n * length + 0.5 * rate * length * length;
        s.p += length;
        s.friction += friction * length;
        s.n += rate * length;
        s.t += slip_rate * length;
    }
}
