//! Impulses and curvatures of a packet, and their sum over a pair.

use super::shifted::shifted_normal;
use super::{CONE, Hessian, Kind, Packet, by_kind};
use crate::friction::{self, Friction};
use crate::lanes::{F4, V4, cross, dot, sum4, v4};
use crate::normal::linear::hunt_crossley;
use crate::number::Number;
use crate::spatial::PairSum;

impl Packet {
    /// Impulses and curvatures at the velocities: writes the lanes' state and returns g and μ_c.
    #[inline(always)]
    fn laws<F: Friction>(&mut self) -> (F4, F4) {
        let v_t = self.v_t;
        let root = if F::GROUPED { self.root } else { F::measure(dot(&v_t, &v_t), self.law.epsilon).sqrt() };
        let normal = if F::SHIFTED {
            shifted_normal(&self.law, self.rho, self.shift, self.grouped::<F>())
        } else {
            hunt_crossley(self.elastic, self.damping, self.law.stiffness, self.law.loss)
        };
        let response = F::respond(&self.law, root, self.elastic, normal);
        self.t = v4(|i| v_t[i] * response.direction);
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
        let (a, t, n) = (self.a, self.t, self.n);
        let exact = hessian == Hessian::Exact;
        if F::GROUPED && !F::SHIFTED && hessian == Hessian::First {
            let stiff = (F4::constant(CONE) * self.mass).if_above(
                self.law.stiffness,
                F4::default(),
                F4::constant(1.0),
            );
            self.dual = v4(|i| t[i] * stiff);
        }
        let w = if exact { t } else { self.dual };
        let [fx, fy, fz] = v4(|i| (self.gamma_n * n[i]).less(a, self.v_t[i]));
        let [tx, ty, tz] = cross(&self.r, &[fx, fy, fz]);
        let s: V4 = if F::SEPARABLE { n } else { v4(|i| n[i].less(mu_c, t[i])) };
        let a = if F::SEPARABLE || exact {
            a
        } else {
            if hessian == Hessian::First {
                self.dual_n = self.gamma_n;
            }
            // μ_c = 0 marks sticking in SAP, where a is the constant 1/R_t.
            let dual = self.law.friction * self.dual_n * self.inv_root;
            if F::GROUPED { dual } else { mu_c.if_above(F4::default(), dual, a) }
        };
        let half = a * F4::constant(0.5);
        let (an, gs) = (v4(|i| a * n[i]), v4(|i| g * s[i]));
        let (ht, hw) = (v4(|i| half * t[i]), v4(|i| half * w[i]));
        // G = a I − a n nᵀ − ½a (w tᵀ + t wᵀ) + g s sᵀ
        let at = |i: usize, j: usize| {
            let off = (gs[i] * s[j]).less(an[i], n[j]).less(ht[i], w[j]).less(hw[i], t[j]);
            if i == j { off + a } else { off }
        };
        let [xx, xy, xz, yy, yz, zz] = [at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)];
        // m = r× G by columns of G; then tt = −m r×.
        let c0 = cross(&self.r, &[xx, xy, xz]);
        let c1 = cross(&self.r, &[xy, yy, yz]);
        let c2 = cross(&self.r, &[xz, yz, zz]);
        let [x, y, z] = self.r;
        let tt = [
            (y * c2[0]).less(z, c1[0]),
            (z * c0[0]).less(x, c2[0]),
            (x * c1[0]).less(y, c0[0]),
            (z * c0[1]).less(x, c2[1]),
            (x * c1[1]).less(y, c0[1]),
            (x * c1[2]).less(y, c0[2]),
        ];
        [
            tx, ty, tz, fx, fy, fz, tt[0], tt[1], tt[2], tt[3], tt[4], tt[5], c0[0], c1[0], c2[0], c0[1],
            c1[1], c2[1], c0[2], c1[2], c2[2], xx, xy, xz, yy, yz, zz,
        ]
    }
}

/// Adds to `sum` what the packets of one pair give at their velocities.
pub fn evaluate(packets: &mut [Packet], kind: Kind, hessian: Hessian, sum: &mut PairSum) {
    by_kind!(kind, evaluate_model(packets, hessian, sum))
}

fn evaluate_model<F: Friction>(packets: &mut [Packet], hessian: Hessian, sum: &mut PairSum) {
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
