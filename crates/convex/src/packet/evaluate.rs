//! Impulses and curvatures of a packet, and their sum over a pair.

use super::shifted::shifted_normal;
use super::slip::Slip;
use super::{CONE, Hessian, Kind, Packet, by_kind};
use crate::friction::{self, Friction};
use crate::lanes::{F4, sum4};
use crate::normal::linear::hunt_crossley;
use crate::number::Number;
use crate::spatial::PairSum;

impl<S: Slip> Packet<S> {
    /// Impulses and curvatures at the velocities: writes the lanes' state and returns g and μ_c.
    #[inline(always)]
    fn laws<F: Friction>(&mut self) -> (F4, F4) {
        let v_t = self.v_t;
        let root =
            if F::GROUPED { self.root } else { F::measure(S::dot(&v_t, &v_t), self.law.epsilon).sqrt() };
        let normal = if F::SHIFTED {
            shifted_normal(&self.law, self.rho, self.shift, self.grouped::<F>())
        } else {
            hunt_crossley(self.elastic, self.damping, self.law.stiffness, self.law.loss)
        };
        let response = F::respond(&self.law, root, self.elastic, normal);
        self.t = S::each(|i| v_t[i] * response.direction);
        self.gamma_n = response.gamma_n;
        self.a = response.a;
        self.inv_root = response.inv_root;
        self.g = response.g;
        self.mu_c = response.mu_c;
        (response.g, response.mu_c)
    }

    /// This packet's wrench and 6×6 by lanes: torque 3, force 3, then `tt`, `tl`, `ll` of [`PairSum`].
    #[inline(always)]
    fn contribution<F: Friction>(&mut self, hessian: Hessian) -> [F4; 27] {
        let (g, mu_c) = self.laws::<F>();
        let t = self.t;
        let exact = hessian == Hessian::Exact;
        if F::GROUPED && !F::SHIFTED && hessian == Hessian::First {
            let stiff = (F4::constant(CONE) * self.mass).if_above(
                self.law.stiffness,
                F4::default(),
                F4::constant(1.0),
            );
            self.dual = S::each(|i| t[i] * stiff);
        }
        let w = if exact { t } else { self.dual };
        let a = if F::SEPARABLE || exact {
            self.a
        } else {
            if hessian == Hessian::First {
                self.dual_n = self.gamma_n;
            }
            // μ_c = 0 marks sticking in SAP, where a is the constant 1/R_t.
            let dual = self.law.friction * self.dual_n * self.inv_root;
            if F::GROUPED { dual } else { mu_c.if_above(F4::default(), dual, self.a) }
        };
        S::project::<F>(self, a, &w, g, mu_c)
    }
}

/// Adds to `sum` what the packets of one pair give at their velocities.
pub fn evaluate<S: Slip>(packets: &mut [Packet<S>], kind: Kind, hessian: Hessian, sum: &mut PairSum) {
    by_kind!(kind, evaluate_model<S>(packets, hessian, sum))
}

fn evaluate_model<F: Friction, S: Slip>(packets: &mut [Packet<S>], hessian: Hessian, sum: &mut PairSum) {
    let Some((first, rest)) = packets.split_first_mut() else { return };
    let mut out = first.contribution::<F>(hessian);
    for packet in rest {
        let more = packet.contribution::<F>(hessian);
        for i in 0..27 {
            out[i] = out[i] + more[i];
        }
    }
    let mut total = [0.0; 28];
    for i in 0..6 {
        total[4 * i..4 * i + 4].copy_from_slice(&sum4(
            out[4 * i],
            out[4 * i + 1],
            out[4 * i + 2],
            out[4 * i + 3],
        ));
    }
    total[24..].copy_from_slice(&sum4(out[24], out[25], out[26], F4::default()));
    add(&mut sum.wrench, &total[..6]);
    add(&mut sum.tt, &total[6..12]);
    add(&mut sum.tl, &total[12..21]);
    add(&mut sum.ll, &total[21..27]);
}

#[inline(always)]
fn add<const N: usize>(to: &mut [f64; N], from: &[f64]) {
    for i in 0..N {
        to[i] += from[i];
    }
}
