//! The fast path: contacts with the linear normal law, four at a time.
//!
//! Contacts are evaluated in world axes and need only the normal, because impulse and Hessian of every friction
//! model have the form of [`crate::friction`]. With a tangential spring, v_t includes the equivalent velocity of the
//! stretch.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the packet: coefficients, velocities, their update by Newton's steps |
//! | `evaluate` | impulses, curvatures, and their sum over a pair |
//! | `line` | the same along a line |
//! | `slip` | from a motion to slip and from friction to a wrench: plain slip, or with spin and rolling |
//! | `shifted` | the normal law in series with a spring, for the Similar model's stages |
//!
//! **Stiffness and rounding.** A velocity of 1 m/s is known to 1e−16 m/s; a law that multiplies it by a stiffness of 10⁹
//! masses a step would be known to 1e−7 of the momentum only. Velocities are therefore taken from u once, in
//! [`place`], and then follow Newton's steps, which shrink: v_c += α J Δu, and with them the factors of the normal
//! law, e = δt f0 − δt² k v_n and h = 1 − d v_n, which keep their own relative accuracy. v_c then
//! differs from J u by some 1e−16 of the speeds met, as if the penetration were different by 1e−16 δt v.
//!
//! **Primal–dual Hessian.** With tiny ε, G changes by orders of magnitude between stick and slip, and plain
//! Newton needs dozens of iterations. As Chan, Golub and Mulet (1999) do for total variation, one factor t of
//! t tᵀ is replaced by an independent dual direction w with ‖w‖ ≤ 1, updated by linearising
//! √(v_t²+ε²)·w = v_t instead of w = v_t/√(v_t²+ε²):
//!
//! ```text
//! G ≈ a (P − ½(w tᵀ + t wᵀ)) + g s sᵀ  ⪰ 0,        w⁺ = (v_t + Δv_t − w (t·Δv_t))/√(v_t²+ε²)
//! ```
//!
//! Likewise the multiplier μ γ_n in the curvature a of Similar and SAP is not the penalised n(z), which jumps by
//! stiffness times a small violation, but a dual γ̂_n predicted by the last step: γ̂_n⁺ = (γ_n − g s·Δv)₊. It gives
//! Newton's method the curvature of the stiff cone z ≥ v̂. Without it, the line search makes steps along the cone
//! very short. If Similar's curvature made the impulse larger than predicted, γ̂_n increases towards it, at most by
//! [`CURVED`] times the impulse that stops the step's velocity. With a smaller factor the same contact shortens the
//! next step again; with a larger one it hardly moves.
//!
//! The right-hand side stays the true gradient, directions stay directions of descent, and w → t at the
//! solution, which keeps Newton's final convergence. Starting from w = 0 (a majorant of ℓ), a fast-moving pile takes
//! a quarter of the iterations. Only the stiff cones of Similar ([`CONE`]) start from w = t: the term g s sᵀ ties
//! Δv_n to μ t·Δv_t anyway, and the majorant's drag along t slows convergence.

mod evaluate;
mod line;
mod shifted;
mod slip;
#[cfg(test)]
mod tests;

pub use evaluate::evaluate;
pub use line::{LinePacket, line, step};
pub use slip::{Plane, Slip, Turning};

use crate::contact::CompiledContact;
use crate::friction::ellipse::Ellipse;
use crate::friction::similar::grouping;
use crate::friction::{self, Coefficients, Friction, FrictionModel};
use crate::lanes::{F4, V4, cross, dot, v4};
use crate::normal::linear::hunt_crossley;
use crate::number::Number;
use crate::spatial::{V3, V6, v3};

/// Kind of Hessian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hessian {
    /// The true one.
    Exact,
    /// The primal–dual one with fresh duals: the first iteration.
    First,
    /// The primal–dual one.
    PrimalDual,
}

/// Up to four contacts of one pair. Unused lanes have zero parameters and produce zeros.
#[derive(Debug, Clone, Copy)]
pub struct Packet<S: Slip = Plane> {
    slip: S,
    r: V4,
    n: V4,
    bias: V4,
    law: Coefficients<F4>,
    /// The dual direction w.
    dual: S::Vector,
    /// The dual normal impulse.
    dual_n: F4,
    /// An effective mass, about 1/w.
    mass: F4,
    /// ρ and p₀ of [`shifted::shifted_normal`], and t of the stage that gave p₀.
    rho: F4,
    shift: F4,
    t_stage: S::Vector,
    // The velocity, and the factors of the normal law at v_n or z: see the head of this file.
    v_t: S::Vector,
    v_n: F4,
    elastic: F4,
    damping: F4,
    /// √(v_t²+ε²) for Similar.
    root: F4,
    // Written by `step`, read by `advance`.
    dv_t: S::Vector,
    dv_n: F4,
    // Written by `evaluate`, read by `step` and by results.
    gamma_n: F4,
    /// a: tangential impulse is −a v_t.
    a: F4,
    t: S::Vector,
    /// 1/√(v_t²+ε²), or its counterpart in the model.
    inv_root: F4,
    /// g and μ_c.
    g: F4,
    mu_c: F4,
}

/// Law of the packets of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The problem's model.
    Model(FrictionModel),
    /// Similar in series with a spring ρ, [`shifted::shifted_normal`].
    Shifted,
    /// Friction through a tangential spring.
    Spring,
}

/// Runs `$function::<F>` for the friction model of a [`Kind`].
macro_rules! by_kind {
    ($kind:expr, $function:ident $(<$slip:ty>)? ($($argument:expr),*)) => {
        match $kind {
            Kind::Model(friction::FrictionModel::Lagged) => $function::<friction::lagged::Lagged $(, $slip)?>($($argument),*),
            Kind::Model(friction::FrictionModel::Similar) => $function::<friction::similar::Similar $(, $slip)?>($($argument),*),
            Kind::Model(friction::FrictionModel::Sap) => $function::<friction::sap::Sap $(, $slip)?>($($argument),*),
            Kind::Shifted => $function::<friction::similar::Shifted $(, $slip)?>($($argument),*),
            Kind::Spring => $function::<friction::spring::Spring $(, $slip)?>($($argument),*),
        }
    };
}
use by_kind;

/// Maximum increase of a dual by an impulse above the prediction, in effective masses times the step's velocity.
const CURVED: f64 = 15.0;
/// Stiffness in effective masses from which a contact of the Similar model begins with its own direction.
const CONE: f64 = 100.0;

const ZERO: F4 = F4([0.0; 4]);

impl<S: Slip> Packet<S> {
    /// A packet without contacts. It is a constant because it is large. ε = 1 and R_t = 0 keep unused lanes finite.
    pub const EMPTY: Self = Self {
        slip: S::EMPTY,
        r: [ZERO; 3],
        n: [ZERO; 3],
        bias: [ZERO; 3],
        law: Coefficients {
            offset: ZERO,
            stiffness: ZERO,
            loss: ZERO,
            friction: ZERO,
            epsilon: F4([1.0; 4]),
        },
        dual: S::ZERO,
        dual_n: ZERO,
        mass: ZERO,
        rho: ZERO,
        shift: ZERO,
        t_stage: S::ZERO,
        v_t: S::ZERO,
        v_n: ZERO,
        elastic: ZERO,
        damping: ZERO,
        root: ZERO,
        dv_t: S::ZERO,
        dv_n: ZERO,
        gamma_n: ZERO,
        a: ZERO,
        t: S::ZERO,
        inv_root: ZERO,
        g: ZERO,
        mu_c: ZERO,
    };

    /// Puts a contact with the linear normal law into a lane. All contacts of a packet are of one kind; `mass` is about 1/w.
    pub fn set(&mut self, lane: usize, r: V3, normal: V3, bias: V3, contact: &CompiledContact, mass: f64) {
        for i in 0..3 {
            self.r[i].0[lane] = r[i];
            self.n[i].0[lane] = normal[i];
            self.bias[i].0[lane] = bias[i];
        }
        let (law, from) = (&mut self.law, &contact.coefficients);
        law.offset.0[lane] = from.offset;
        law.stiffness.0[lane] = from.stiffness;
        law.loss.0[lane] = from.loss;
        law.friction.0[lane] = from.friction;
        law.epsilon.0[lane] = from.epsilon;
        self.mass.0[lane] = mass;
    }

    /// Position of a lane's contact from the pair's point. `None` for an unused lane.
    pub fn arm(&self, lane: usize) -> Option<V3> {
        (self.mass.0[lane] > 0.0).then(|| v3(|i| self.r[i].0[lane]))
    }

    /// Sets the effective mass of a lane.
    pub fn set_mass(&mut self, lane: usize, mass: f64) {
        self.mass.0[lane] = mass;
    }

    /// Sets ρ of [`shifted::shifted_normal`] to `masses` effective masses, at most a few times the law's own
    /// stiffness, because larger values only add rounding errors. Returns whether ρ changed.
    pub fn stiffen(&mut self, masses: f64) -> bool {
        const MOST: f64 = 4.0;
        let before = self.rho;
        for lane in 0..F4::LANES {
            let damping = self.law.offset.0[lane].max(0.0) * self.law.loss.0[lane];
            let most = MOST * self.law.stiffness.0[lane].max(damping);
            self.rho.0[lane] = (masses * self.mass.0[lane]).min(most);
        }
        before != self.rho
    }

    /// Sets p₀ and the duals to the last evaluation, after a stage is solved.
    pub fn shift(&mut self) {
        self.shift = self.gamma_n;
        self.dual_n = self.gamma_n;
        self.t_stage = self.t;
        self.dual = self.t;
    }

    /// Restores the dual directions of the last stage.
    pub fn restore(&mut self) {
        self.dual = self.t_stage;
    }

    /// Impulse of a lane and its torque about the contact, world axes.
    pub fn impulse(&self, lane: usize) -> (V3, V3) {
        let (torque, force) = self.slip.pull(&self.n, &self.v_t);
        let (gamma_n, a) = (self.gamma_n.0[lane], self.a.0[lane]);
        let impulse = v3(|i| gamma_n * self.n[i].0[lane] - a * force[i].0[lane]);
        (impulse, v3(|i| -a * torque[i].0[lane]))
    }

    /// Slip speed at which a lane goes from sticking to sliding: ε, or σ w μ γ_n of SAP (ICF eq. 42, 44).
    pub fn transition(&self, lane: usize, model: FrictionModel) -> f64 {
        match model {
            FrictionModel::Sap => self.law.friction.0[lane] * self.law.loss.0[lane] * self.gamma_n.0[lane],
            _ => self.law.epsilon.0[lane],
        }
    }

    /// Computes the velocities from a pair's twist.
    #[inline(always)]
    fn place<F: Friction>(&mut self, omega: &V4, linear: &V4) {
        let swing = cross(omega, &self.r);
        let u: V4 = v4(|i| linear[i] + self.bias[i] + swing[i]);
        self.v_n = dot(&self.n, &u);
        self.v_t = self.slip.stretched(self.slip.of(&self.n, omega, &u, self.v_n));
        self.v_t = S::straightened(&self.n, self.v_t);
        self.root = F::measure(S::dot(&self.v_t, &self.v_t), self.law.epsilon).sqrt();
        let z = self.grouped::<F>();
        self.elastic = self.law.offset.less(self.law.stiffness, z);
        self.damping = F4::constant(1.0).less(self.law.loss, z);
    }

    /// The normal law's argument: z for Similar, else v_n.
    #[inline(always)]
    fn grouped<F: Friction>(&self) -> F4 {
        if !F::GROUPED {
            return self.v_n;
        }
        grouping(&self.law, self.v_n, self.root)
    }

    /// Updates the slip by α of the last step.
    #[inline(always)]
    fn slide(&mut self, alpha: F4) {
        let moved = S::each(|i| self.v_t[i].plus(alpha, self.dv_t[i]));
        self.v_t = S::straightened(&self.n, moved);
    }

    /// Updates the velocities by α of the last step.
    #[inline(always)]
    fn advance<F: Friction>(&mut self, alpha: F4) {
        let change = alpha * self.dv_n;
        let dz = if F::GROUPED {
            // √q₁ − √q₀ = (q₁ − q₀)/(√q₁ + √q₀)
            let (b, c) = (S::dot(&self.v_t, &self.dv_t), S::dot(&self.dv_t, &self.dv_t));
            let before = self.root;
            self.slide(alpha);
            self.root = F::measure(S::dot(&self.v_t, &self.v_t), self.law.epsilon).sqrt();
            let rise = alpha * (b + b).plus(alpha, c) * (before + self.root).recip();
            change.less(self.law.friction, rise)
        } else {
            self.slide(alpha);
            change
        };
        self.v_n = self.v_n + change;
        self.elastic = self.elastic.less(self.law.stiffness, dz);
        self.damping = self.damping.less(self.law.loss, dz);
        if F::GROUPED && !F::SHIFTED {
            let (found, _) = hunt_crossley(self.elastic, self.damping, self.law.stiffness, self.law.loss);
            let speed = S::dot(&self.dv_t, &self.dv_t).plus(self.dv_n, self.dv_n).sqrt();
            let most = F4::constant(CURVED) * self.mass * speed;
            let more = (found - self.dual_n).max(F4::default());
            self.dual_n = self.dual_n + most.if_above(more, more, most);
        }
    }

    /// ‖γ‖ and ‖r‖‖γ‖ summed over the lanes: magnitudes of the sums of impulses and torques.
    pub fn magnitude(&self) -> (f64, f64) {
        let (torque, force) = self.slip.pull(&self.n, &self.v_t);
        let slip = self.a * dot(&force, &force).sqrt();
        let size = (self.gamma_n * self.gamma_n).plus(slip, slip).sqrt();
        let turn = self.a * dot(&torque, &torque).sqrt();
        (size.sum(), turn.plus(size, dot(&self.r, &self.r).sqrt()).sum())
    }
}

impl Packet {
    /// Velocity of a lane in world axes; with a spring, this includes its equivalent velocity.
    pub fn velocity(&self, lane: usize) -> V3 {
        v3(|i| self.v_t[i].0[lane] + self.v_n.0[lane] * self.n[i].0[lane])
    }
}

impl Packet<Turning> {
    /// Sets axes, scales and spring of a lane.
    pub fn set_turning(&mut self, lane: usize, axes: [V3; 2], ellipse: &Ellipse, offset: [f64; 5]) {
        self.slip.set(lane, axes, ellipse, offset);
    }
}

/// A twist with each component in all lanes.
#[inline(always)]
fn spread(twist: &V6) -> (V4, V4) {
    let f = |i: usize| F4::constant(twist[i]);
    ([f(0), f(1), f(2)], [f(3), f(4), f(5)])
}

/// Computes the velocities of one pair's packets from its twist.
pub fn place<S: Slip>(packets: &mut [Packet<S>], kind: Kind, twist: &V6) {
    by_kind!(kind, place_model<S>(packets, twist))
}

fn place_model<F: Friction, S: Slip>(packets: &mut [Packet<S>], twist: &V6) {
    let (omega, linear) = spread(twist);
    packets.iter_mut().for_each(|packet| packet.place::<F>(&omega, &linear));
}

/// Updates the velocities by α of the last step.
pub fn advance<S: Slip>(packets: &mut [Packet<S>], kind: Kind, alpha: f64) {
    by_kind!(kind, advance_model<S>(packets, alpha))
}

fn advance_model<F: Friction, S: Slip>(packets: &mut [Packet<S>], alpha: f64) {
    let alpha = F4::constant(alpha);
    packets.iter_mut().for_each(|packet| packet.advance::<F>(alpha));
}
