//! A packet along a line: ℓ′ and ℓ″ at v + α Δv.
//!
//! Both follow from the response of the friction model (see [`crate::friction`]) at the velocity on the line:
//!
//! ```text
//! ℓ′ = −γ·Δv    = a v_t·Δv_t − γ_n Δv_n
//! ℓ″ = Δvᵀ G Δv = a (‖Δv_t‖² − (t·Δv_t)²) + g (Δv_n − μ_c t·Δv_t)²
//! ```
//!
//! Rounding: with α₀ where the slip is least, ‖v_t + α Δv_t‖² (+ ε²) = c (α − α₀)² + q₀ is a sum of squares, and the first
//! bracket is c q₀/(c (α − α₀)² + q₀), a quotient without cancellation; c where t = 0.

use super::shifted::shifted_normal;
use super::slip::Slip;
use super::{Kind, Packet, by_kind, spread};
use crate::friction::{self, Coefficients, Friction, TINY};
use crate::lanes::{F4, V4, cross, dot, v4};
use crate::normal::linear::hunt_crossley;
use crate::number::Number;
use crate::solver::LineValue;
use crate::spatial::V6;

/// Data of a packet for the line search.
#[derive(Debug, Clone, Copy, Default)]
pub struct LinePacket {
    law: Coefficients<F4>,
    elastic: F4,
    damping: F4,
    rho: F4,
    shift: F4,
    /// v_n; z for Similar.
    z: F4,
    dv_n: F4,
    /// ‖v_t + α Δv_t‖² (+ ε²) = c (α − α₀)² + q₀.
    c: F4,
    alpha0: F4,
    q0: F4,
    /// 2 v_t·Δv_t, and the root at α = 0.
    b: F4,
    root: F4,
}

impl<S: Slip> Packet<S> {
    /// Velocity step of the lanes for a step of the pair's twist: updates the dual direction and writes the data for
    /// the line search.
    #[inline(always)]
    fn step<F: Friction>(&mut self, omega: &V4, linear: &V4, line: &mut LinePacket) {
        let swing = cross(omega, &self.r);
        let du: V4 = v4(|i| linear[i] + swing[i]);
        let dv_n = dot(&self.n, &du);
        let dv_t = self.slip.of(&self.n, omega, &du, dv_n);
        let along = S::dot(&self.t, &dv_t);
        let w = S::each(|i| (self.v_t[i] + dv_t[i]).less(self.dual[i], along) * self.inv_root);
        self.dual_n = self.gamma_n.less(self.g, dv_n.less(self.mu_c, along)).max(F4::default());
        let one = F4::constant(1.0);
        let shrink = S::dot(&w, &w).max(one).sqrt().recip();
        self.dual = S::each(|i| w[i] * shrink);
        self.dv_t = dv_t;
        self.dv_n = dv_n;
        let (b, c) = (S::dot(&self.v_t, &dv_t), S::dot(&dv_t, &dv_t));
        let inv_c = c.max(F4::constant(f64::MIN_POSITIVE)).recip();
        let alpha0 = c.if_above(F4::constant(TINY), -b * inv_c, F4::default());
        let nearest = S::each(|i| self.v_t[i].plus(alpha0, dv_t[i]));
        let q0 = S::dot(&nearest, &nearest);
        *line = LinePacket {
            law: self.law,
            elastic: self.elastic,
            damping: self.damping,
            rho: self.rho,
            shift: self.shift,
            z: self.grouped::<F>(),
            dv_n,
            c,
            alpha0,
            q0: F::measure(q0, self.law.epsilon),
            b: b + b,
            root: self.root,
        };
    }
}

/// Prepares the line search of one pair's packets for a step of its twist.
pub fn step<S: Slip>(packets: &mut [Packet<S>], kind: Kind, twist_step: &V6, lines: &mut [LinePacket]) {
    by_kind!(kind, step_model<S>(packets, twist_step, lines))
}

fn step_model<F: Friction, S: Slip>(packets: &mut [Packet<S>], twist_step: &V6, lines: &mut [LinePacket]) {
    let (omega, linear) = spread(twist_step);
    for (packet, line) in packets.iter_mut().zip(lines) {
        packet.step::<F>(&omega, &linear, line);
    }
}

impl LinePacket {
    /// ℓ′ and ℓ″ along the line at α, by lanes.
    #[inline(always)]
    fn evaluate<F: Friction>(&self, alpha: F4) -> (F4, F4) {
        let law = &self.law;
        let from = alpha - self.alpha0;
        let along = self.c * from; // v_t·Δv_t
        let q = self.q0.plus(along, from);
        let root = q.sqrt();
        let mut change = alpha * self.dv_n;
        if F::GROUPED {
            // √q(α) − √q(0), free of cancellation
            let rise = alpha * self.b.plus(alpha, self.c) * (root + self.root).recip();
            change = change.less(law.friction, rise);
        }
        let elastic = self.elastic.less(law.stiffness, change);
        let normal = if F::SHIFTED {
            shifted_normal(law, self.rho, self.shift, self.z + change)
        } else {
            hunt_crossley(elastic, self.damping.less(law.loss, change), law.stiffness, law.loss)
        };
        let response = F::respond(law, root, elastic, normal);
        let slope = (response.a * along).less(response.gamma_n, self.dv_n);
        let direction = response.direction;
        let mut across = self.q0 * direction * direction;
        if F::STICKS {
            across = direction.if_above(F4::default(), across, F4::constant(1.0));
        }
        let dv_n = if F::SEPARABLE { self.dv_n } else { self.dv_n.less(response.mu_c, along * direction) };
        (slope, (response.a * self.c * across).plus(response.g * dv_n, dv_n))
    }
}

/// ℓ′ and ℓ″ of all packets along the line at α.
pub fn line(lines: &[LinePacket], kind: Kind, alpha: f64) -> LineValue {
    by_kind!(kind, line_model(lines, alpha))
}

fn line_model<F: Friction>(lines: &[LinePacket], alpha: f64) -> LineValue {
    let alpha = F4::constant(alpha);
    let (mut slope, mut curvature) = (F4::default(), F4::default());
    for line in lines {
        let (s, c) = line.evaluate::<F>(alpha);
        slope = slope + s;
        curvature = curvature + c;
    }
    LineValue { slope: slope.sum(), curvature: curvature.sum() }
}
