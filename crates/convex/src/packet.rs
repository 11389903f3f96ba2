//! The fast path: contacts with the linear normal law and soft friction, four at a time.
//!
//! All three models are isotropic in the tangent plane, so that they are evaluated in world axes with nothing
//! but the normal. With t the (soft) slip direction and P = I − nnᵀ, each model's impulse and Hessian have the
//! same form:
//!
//! ```text
//! γ = γ_n n − a v_t
//! G = a (P − t tᵀ) + g s sᵀ,    s = n − μ_c t
//!
//!            γ_n                   a                  t         g = −∂γ_n/∂v_n    μ_c
//! Lagged     n(v_n)                m/√(v_t²+ε²)       v_t/√     −n′               0
//! Similar    n(v_n − μ(√−ε))       μ γ_n/√(v_t²+ε²)   v_t/√     −n′               μ
//! SAP stick  y_n                   1/R_t              0         1/R_n             0
//! SAP slide  (y_n+μ̂y_r)/(1+μ̃²)     μ γ_n/‖v_t‖        v_t/‖v_t‖ 1/(R_n(1+μ̃²))     μ
//! ```
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
//! stiffness times a small violation, but a dual γ̂_n predicted by the last step: γ̂_n⁺ = (γ_n − g s·Δv)₊. It
//! tells Newton how the stiff cone z ≥ v̂ curves, without which steps along it are cut to nothing.
//!
//! The right-hand side stays the true gradient, directions stay directions of descent, and w → t at the
//! solution, which keeps Newton's final convergence. Starting from w = 0 (a majorant of ℓ), a violent pile
//! takes a quarter of the iterations.

use crate::contact::sap::SapLaw;
use crate::contact::{ContactLaw, ContactModel, ModelLaw};
use crate::lanes::{F4, V4, cross, dot, sum4, v4};
use crate::normal::NormalInput;
use crate::solver::LineValue;
use crate::spatial::{PairSum, V3, V6, v3};

/// Which Hessian to evaluate.
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
#[derive(Debug, Clone, Copy, Default)]
pub struct Packet {
    r: V4,
    n: V4,
    bias: V4,
    /// δt f0, or SAP's y0.
    offset: F4,
    /// δt² k, or SAP's 1/R_n.
    stiffness: F4,
    /// d, or SAP's R_t.
    loss: F4,
    /// m = μ γ_n0 for Lagged, else μ.
    friction: F4,
    /// ε, zero for SAP.
    epsilon: F4,
    /// The dual direction w.
    dual: V4,
    /// The dual normal impulse.
    dual_n: F4,
    /// An effective mass, about 1/w.
    mass: F4,
    /// ρ and p₀ of [`shifted_normal`], and t of the stage that gave p₀.
    rho: F4,
    shift: F4,
    t_stage: V4,
    // Written by `evaluate`, read by `step` and by results.
    v_t: V4,
    v_n: F4,
    gamma_n: F4,
    /// a: tangential impulse is −a v_t.
    a: F4,
    t: V4,
    /// 1/√(v_t²+ε²), or what stands for it.
    inv_root: F4,
    /// g and μ_c.
    g: F4,
    mu_c: F4,
}

/// What a line search needs of a packet: see [`LinePacket::evaluate`].
#[derive(Debug, Clone, Copy, Default)]
pub struct LinePacket {
    offset: F4,
    stiffness: F4,
    loss: F4,
    friction: F4,
    epsilon: F4,
    rho: F4,
    shift: F4,
    v_n: F4,
    dv_n: F4,
    /// ‖v_t + α Δv_t‖² + ε² = c (α − α₀)² + q₀, free of cancellation.
    c: F4,
    alpha0: F4,
    q0: F4,
}

const LAGGED: u8 = ContactModel::Lagged as u8;
const SIMILAR: u8 = ContactModel::Similar as u8;
/// Similar with [`shifted_normal`].
const SHIFTED: u8 = 3;

/// Below this a slip speed is zero; keeps 0/0 out.
const TINY: f64 = 1e-150;

/// n and −n′ of the linear law with Hunt & Crossley dissipation.
#[inline(always)]
fn normal(offset: F4, stiffness: F4, d: F4, v: F4) -> (F4, F4) {
    let zero = F4::default();
    let elastic = offset.less(stiffness, v).max(zero);
    let damping = F4::splat(1.0).less(d, v).max(zero);
    let impulse = elastic * damping;
    let slope = (stiffness * damping).plus(d, elastic);
    (impulse, impulse.if_above(zero, slope, zero))
}

/// p and −∂p/∂z of the law n in series with a spring ρ that carries p₀ at rest: p = n(y) with p = p₀ + ρ (y − z).
///
/// For n of second degree, n(y) = (o − κ y)(1 − d y), y is the lower root of
/// κd y² − (κ + o d + ρ) y + (o − p₀ + ρ z) = 0, and the root of its discriminant is ρ − n′(y).
#[inline(always)]
fn shifted_normal(offset: F4, stiffness: F4, d: F4, rho: F4, shift: F4, z: F4) -> (F4, F4) {
    let (zero, two) = (F4::default(), F4::splat(2.0));
    let a = stiffness * d;
    let b = (stiffness + rho).plus(offset, d);
    let c = (offset - shift).plus(rho, z);
    let root = (b * b).less(F4::splat(4.0) * a, c).max(zero).sqrt();
    let tiny = F4::splat(f64::MIN_POSITIVE);
    let upper = two * c * (b + root).max(tiny).recip();
    let lower = (b - root) * (two * a).max(tiny).recip();
    let y = b.if_above(zero, upper, lower);
    let law = offset.less(stiffness, y).max(zero) * F4::splat(1.0).less(d, y).max(zero);
    let p = shift.plus(rho, y - z).max(zero);
    let slope = rho * (root - rho).max(zero) * root.max(tiny).recip();
    (law.if_above(zero, p, zero), law.if_above(zero, slope, zero))
}

/// SAP's derived constants: 1/R_t and 1/(1 + μ̃²).
#[inline(always)]
fn sap_constants(inv_rn: F4, rt: F4, mu: F4) -> (F4, F4) {
    let inv_rt = rt.max(F4::splat(f64::MIN_POSITIVE)).recip();
    let scale = F4::splat(1.0).plus(mu * mu, rt * inv_rn).recip();
    (inv_rt, scale)
}

impl Packet {
    /// A packet without contacts.
    pub fn empty() -> Self {
        // ε = 1 and R_t = 0 keep unused lanes finite.
        Self { epsilon: F4::splat(1.0), ..Default::default() }
    }

    /// Puts a contact into a lane. The law must be the linear one with soft friction and no spring; `mass` is
    /// about 1/w.
    pub fn set(&mut self, lane: usize, r: V3, normal: V3, bias: V3, law: &ContactLaw, mass: f64) {
        for i in 0..3 {
            self.r[i].0[lane] = r[i];
            self.n[i].0[lane] = normal[i];
            self.bias[i].0[lane] = bias[i];
        }
        let dt = law.normal.dt;
        let (offset, stiffness) = (dt * law.normal.elastic_force, dt * dt * law.normal.stiffness);
        let (offset, stiffness, loss, friction, epsilon) = match law.model {
            ModelLaw::Lagged { friction_limit, epsilon } => {
                (offset, stiffness, law.normal.dissipation, friction_limit, epsilon)
            }
            ModelLaw::Similar { friction, epsilon } => {
                (offset, stiffness, law.normal.dissipation, friction, epsilon)
            }
            ModelLaw::Sap(sap) => (sap.y0, sap.inv_rn, sap.rt, sap.friction, 0.0),
        };
        self.offset.0[lane] = offset;
        self.stiffness.0[lane] = stiffness;
        self.loss.0[lane] = loss;
        self.friction.0[lane] = friction;
        self.epsilon.0[lane] = epsilon;
        self.mass.0[lane] = mass;
    }

    /// Sets ρ of [`shifted_normal`] to `masses` effective masses, at most a few times the law's own stiffness,
    /// beyond which it would only be noise; says whether that changes anything.
    pub fn stiffen(&mut self, masses: f64) -> bool {
        const MOST: f64 = 4.0;
        let before = self.rho;
        for lane in 0..F4::LANES {
            let damping = self.offset.0[lane].max(0.0) * self.loss.0[lane];
            let most = MOST * self.stiffness.0[lane].max(damping);
            self.rho.0[lane] = (masses * self.mass.0[lane]).min(most);
        }
        before != self.rho
    }

    /// Moves p₀ and the duals to what was evaluated last: a stage is solved.
    pub fn shift(&mut self) {
        self.shift = self.gamma_n;
        self.dual_n = self.gamma_n;
        self.t_stage = self.t;
        self.dual = self.t;
    }

    /// Back to the dual directions of the last stage.
    pub fn restore(&mut self) {
        self.dual = self.t_stage;
    }

    /// The law of a lane, for what is not done four at a time.
    pub fn law(&self, lane: usize, model: ContactModel) -> ContactLaw {
        let (offset, stiffness) = (self.offset.0[lane], self.stiffness.0[lane]);
        let (loss, friction, epsilon) = (self.loss.0[lane], self.friction.0[lane], self.epsilon.0[lane]);
        // In units of the step: δt is taken into force and stiffness.
        let normal =
            NormalInput { dt: 1.0, penetration: 0.0, elastic_force: offset, stiffness, dissipation: loss };
        let model = match model {
            ContactModel::Lagged => ModelLaw::Lagged { friction_limit: friction, epsilon },
            ContactModel::Similar => ModelLaw::Similar { friction, epsilon },
            ContactModel::Sap => ModelLaw::Sap(SapLaw { inv_rn: stiffness, rt: loss, y0: offset, friction }),
        };
        ContactLaw { normal, model, spring: None }
    }

    /// Velocity of a lane in world axes.
    pub fn velocity(&self, lane: usize) -> V3 {
        v3(|i| self.v_t[i].0[lane] + self.v_n.0[lane] * self.n[i].0[lane])
    }

    /// Impulse of a lane in world axes.
    pub fn impulse(&self, lane: usize) -> V3 {
        v3(|i| self.gamma_n.0[lane] * self.n[i].0[lane] - self.a.0[lane] * self.v_t[i].0[lane])
    }

    /// Impulses and curvatures at a pair's twist: writes the lanes' state and returns g and μ_c.
    #[inline(always)]
    fn laws<const MODEL: u8>(&mut self, omega: &V4, linear: &V4) -> (F4, F4) {
        let swing = cross(omega, &self.r);
        let u: V4 = v4(|i| linear[i] + self.bias[i] + swing[i]);
        let v_n = dot(&self.n, &u);
        let v_t: V4 = v4(|i| u[i].less(v_n, self.n[i]));
        let slip2 = dot(&v_t, &v_t);
        let zero = F4::default();
        let (gamma_n, g, a, inv_root, mu_c);
        if MODEL == LAGGED || MODEL == SIMILAR || MODEL == SHIFTED {
            let root = slip2.plus(self.epsilon, self.epsilon).sqrt();
            inv_root = root.recip();
            if MODEL == LAGGED {
                (gamma_n, g) = normal(self.offset, self.stiffness, self.loss, v_n);
                a = self.friction * inv_root;
                mu_c = zero;
            } else {
                let z = v_n.less(self.friction, root - self.epsilon);
                (gamma_n, g) = if MODEL == SHIFTED {
                    shifted_normal(self.offset, self.stiffness, self.loss, self.rho, self.shift, z)
                } else {
                    normal(self.offset, self.stiffness, self.loss, z)
                };
                a = self.friction * gamma_n * inv_root;
                mu_c = self.friction;
            }
            self.t = v4(|i| v_t[i] * inv_root);
        } else {
            let (inv_rt, scale) = sap_constants(self.stiffness, self.loss, self.friction);
            let speed = slip2.sqrt().max(F4::splat(TINY));
            let inv_speed = speed.recip();
            let y_n = self.offset.less(self.stiffness, v_n);
            // Slide: γ_n = (y_n + μ̂ y_r)/(1 + μ̃²), with μ̂ y_r = μ ‖v_t‖/R_n.
            let slide_n = (y_n.plus(self.friction * self.stiffness, speed) * scale).max(zero);
            // Stick: ‖v_t‖ ≤ μ R_t y_n.
            let reach = self.friction * self.loss * y_n;
            let pick = |slide: F4, stick: F4| reach.if_above(speed, stick, slide);
            gamma_n = pick(slide_n, y_n);
            a = pick(self.friction * slide_n * inv_speed, inv_rt);
            g = pick(slide_n.if_above(zero, self.stiffness * scale, zero), self.stiffness);
            mu_c = pick(self.friction, zero);
            let direction = pick(inv_speed, zero);
            self.t = v4(|i| v_t[i] * direction);
            inv_root = pick(inv_speed, reach.max(F4::splat(TINY)).recip());
        }
        self.v_t = v_t;
        self.v_n = v_n;
        self.gamma_n = gamma_n;
        self.a = a;
        self.inv_root = inv_root;
        self.g = g;
        self.mu_c = mu_c;
        (g, mu_c)
    }

    /// This packet's wrench and 6×6 by lanes: torque 3, force 3, then `tt`, `tl`, `ll` of [`PairSum`].
    #[inline(always)]
    fn contribution<const MODEL: u8>(&mut self, omega: &V4, linear: &V4, hessian: Hessian) -> [F4; 27] {
        let (g, mu_c) = self.laws::<MODEL>(omega, linear);
        let (a, t, n) = (self.a, self.t, self.n);
        let exact = hessian == Hessian::Exact;
        let w = if exact { t } else { self.dual };
        let [fx, fy, fz] = v4(|i| (self.gamma_n * n[i]).less(a, self.v_t[i]));
        let [tx, ty, tz] = cross(&self.r, &[fx, fy, fz]);
        let s: V4 = if MODEL == LAGGED { n } else { v4(|i| n[i].less(mu_c, t[i])) };
        let a = if MODEL == LAGGED || exact {
            a
        } else {
            if hessian == Hessian::First {
                self.dual_n = self.gamma_n;
            }
            // μ_c = 0 marks sticking in SAP, where a is the constant 1/R_t.
            let dual = self.friction * self.dual_n * self.inv_root;
            if MODEL == SIMILAR || MODEL == SHIFTED { dual } else { mu_c.if_above(F4::default(), dual, a) }
        };
        let half = a * F4::splat(0.5);
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

    /// Velocity step of the lanes for a step of the pair's twist: updates the dual direction and writes what
    /// the line search needs.
    #[inline(always)]
    fn step(&mut self, omega: &V4, linear: &V4, line: &mut LinePacket) {
        let swing = cross(omega, &self.r);
        let du: V4 = v4(|i| linear[i] + swing[i]);
        let dv_n = dot(&self.n, &du);
        let dv_t: V4 = v4(|i| du[i].less(dv_n, self.n[i]));
        let along = dot(&self.t, &dv_t);
        let w: V4 = v4(|i| (self.v_t[i] + dv_t[i]).less(self.dual[i], along) * self.inv_root);
        self.dual_n = self.gamma_n.less(self.g, dv_n.less(self.mu_c, along)).max(F4::default());
        let one = F4::splat(1.0);
        let shrink = dot(&w, &w).max(one).sqrt().recip();
        self.dual = v4(|i| w[i] * shrink);
        let c = dot(&dv_t, &dv_t);
        let inv_c = c.max(F4::splat(f64::MIN_POSITIVE)).recip();
        let alpha0 = c.if_above(F4::splat(TINY), -dot(&self.v_t, &dv_t) * inv_c, F4::default());
        let nearest: V4 = v4(|i| self.v_t[i].plus(alpha0, dv_t[i]));
        *line = LinePacket {
            offset: self.offset,
            stiffness: self.stiffness,
            loss: self.loss,
            friction: self.friction,
            epsilon: self.epsilon,
            rho: self.rho,
            shift: self.shift,
            v_n: self.v_n,
            dv_n,
            c,
            alpha0,
            q0: dot(&nearest, &nearest).plus(self.epsilon, self.epsilon),
        };
    }
}

/// A twist with each component in all lanes.
#[inline(always)]
fn spread(twist: &V6) -> (V4, V4) {
    let f = |i: usize| F4::splat(twist[i]);
    ([f(0), f(1), f(2)], [f(3), f(4), f(5)])
}

/// Sets `sum` to that of the packets of one pair at its twist; without packets it is left alone. `shifted`
/// chooses [`shifted_normal`] for the Similar model.
pub fn evaluate(
    packets: &mut [Packet],
    model: ContactModel,
    shifted: bool,
    twist: &V6,
    hessian: Hessian,
    sum: &mut PairSum,
) {
    match model {
        ContactModel::Similar if shifted => evaluate_model::<SHIFTED>(packets, twist, hessian, sum),
        ContactModel::Lagged => evaluate_model::<LAGGED>(packets, twist, hessian, sum),
        ContactModel::Similar => evaluate_model::<SIMILAR>(packets, twist, hessian, sum),
        ContactModel::Sap => evaluate_model::<{ ContactModel::Sap as u8 }>(packets, twist, hessian, sum),
    }
}

fn evaluate_model<const MODEL: u8>(packets: &mut [Packet], twist: &V6, hessian: Hessian, sum: &mut PairSum) {
    let (omega, linear) = spread(twist);
    let Some((first, rest)) = packets.split_first_mut() else { return };
    let mut out = first.contribution::<MODEL>(&omega, &linear, hessian);
    for packet in rest {
        let more = packet.contribution::<MODEL>(&omega, &linear, hessian);
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
    sum.wrench.copy_from_slice(&total[..6]);
    sum.tt.copy_from_slice(&total[6..12]);
    sum.tl.copy_from_slice(&total[12..21]);
    sum.ll.copy_from_slice(&total[21..27]);
}

/// Prepares the line search of one pair's packets for a step of its twist.
pub fn step(packets: &mut [Packet], twist_step: &V6, lines: &mut [LinePacket]) {
    let (omega, linear) = spread(twist_step);
    for (packet, line) in packets.iter_mut().zip(lines) {
        packet.step(&omega, &linear, line);
    }
}

impl LinePacket {
    /// ℓ′ and ℓ″ along the line at α, by lanes.
    #[inline(always)]
    fn evaluate<const MODEL: u8>(&self, alpha: F4) -> (F4, F4) {
        let from = alpha - self.alpha0;
        // ½ d‖v_t‖²/dα and ‖v_t‖² (+ ε²).
        let s1 = self.c * from;
        let q = self.q0.plus(s1, from);
        let v_n = self.v_n.plus(alpha, self.dv_n);
        if MODEL == LAGGED || MODEL == SIMILAR || MODEL == SHIFTED {
            let root = q.sqrt();
            let inv = root.recip();
            let r1 = s1 * inv; // d√q/dα
            let r2 = self.c * self.q0 * (inv * inv * inv); // d²√q/dα²
            if MODEL == LAGGED {
                let (n, g) = normal(self.offset, self.stiffness, self.loss, v_n);
                let slope = (self.friction * r1).less(n, self.dv_n);
                return (slope, (self.friction * r2).plus(g * self.dv_n, self.dv_n));
            }
            let z = v_n.less(self.friction, root - self.epsilon);
            let (n, g) = if MODEL == SHIFTED {
                shifted_normal(self.offset, self.stiffness, self.loss, self.rho, self.shift, z)
            } else {
                normal(self.offset, self.stiffness, self.loss, z)
            };
            let dz = self.dv_n.less(self.friction, r1);
            return (-(n * dz), (g * dz * dz).plus(n * self.friction, r2));
        }
        let zero = F4::default();
        let (inv_rt, scale) = sap_constants(self.stiffness, self.loss, self.friction);
        let root = q.sqrt().max(F4::splat(TINY));
        let inv = root.recip();
        let r1 = s1 * inv;
        let r2 = self.c * self.q0 * (inv * inv * inv);
        let y_n = self.offset.less(self.stiffness, v_n);
        let slide_n = (y_n.plus(self.friction * self.stiffness, root) * scale).max(zero);
        let g = slide_n.if_above(zero, self.stiffness * scale, zero);
        let dz = self.dv_n.less(self.friction, r1);
        let reach = self.friction * self.loss * y_n;
        let pick = |slide: F4, stick: F4| reach.if_above(root, stick, slide);
        let slope = pick(-(slide_n * dz), (s1 * inv_rt).less(y_n, self.dv_n));
        let stick_curvature = (self.c * inv_rt).plus(self.stiffness * self.dv_n, self.dv_n);
        // Where nothing presses, r2 may be infinite times zero.
        let bend = slide_n.if_above(zero, slide_n * self.friction * r2, zero);
        let curvature = pick((g * dz * dz) + bend, stick_curvature);
        (slope, curvature)
    }
}

/// ℓ′ and ℓ″ of all packets along the line at α.
pub fn line(lines: &[LinePacket], model: ContactModel, shifted: bool, alpha: f64) -> LineValue {
    match model {
        ContactModel::Similar if shifted => line_model::<SHIFTED>(lines, alpha),
        ContactModel::Lagged => line_model::<LAGGED>(lines, alpha),
        ContactModel::Similar => line_model::<SIMILAR>(lines, alpha),
        ContactModel::Sap => line_model::<{ ContactModel::Sap as u8 }>(lines, alpha),
    }
}

fn line_model<const MODEL: u8>(lines: &[LinePacket], alpha: f64) -> LineValue {
    let alpha = F4::splat(alpha);
    let (mut slope, mut curvature) = (F4::default(), F4::default());
    for line in lines {
        let (s, c) = line.evaluate::<MODEL>(alpha);
        slope = slope + s;
        curvature = curvature + c;
    }
    LineValue { slope: slope.sum(), curvature: curvature.sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// p = n(y) with p = p₀ + ρ (y − z); its slope is that of the two in series; at y = z it is n itself.
        #[test]
        fn the_shifted_law_is_the_law_in_series_with_a_spring(
            offset in -2.0f64..5.0, stiffness in 0.01f64..100.0, d in 0.0f64..20.0,
            rho in 0.01f64..100.0, shift in 0.0f64..5.0, z in -3.0f64..3.0,
        ) {
            let f = F4::splat;
            let law = |y: f64| { let (n, g) = normal(f(offset), f(stiffness), f(d), f(y)); (n.0[0], g.0[0]) };
            let shifted = |p0: f64, z: f64| {
                let (p, g) = shifted_normal(f(offset), f(stiffness), f(d), f(rho), f(p0), f(z));
                (p.0[0], g.0[0])
            };
            let (p, g) = shifted(shift, z);
            let y = z + (p - shift) / rho;
            let (n, slope) = law(y);
            let size = p + slope * (y.abs() + z.abs()) + rho * z.abs() + shift;
            prop_assert!((p - n).abs() <= 1e-12 * (1.0 + size) * (1.0 + slope / rho), "{p} {n}");
            if p > 1e-9 {
                let series = rho * slope / (rho + slope);
                prop_assert!((g - series).abs() <= 1e-6 * (series + 1e-6 * rho), "{g} {series}");
            }
            let (n, _) = law(z);
            let (fixed, _) = shifted(n, z);
            prop_assert!((fixed - n).abs() <= 1e-11 * (1.0 + n + size), "{fixed} {n}");
        }
    }
}
