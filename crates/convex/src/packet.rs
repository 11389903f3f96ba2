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
//! spring     n(v_n)                m/max(‖v_t‖, ε)    v_t/‖v_t‖ −n′               0     (t = 0 below ε)
//! ```
//!
//! The tangential spring's v_t is the slip plus what its stretch is worth, g/κ of [`crate::contact::spring`], and
//! ε = m/κ.
//!
//! **Stiffness and rounding.** A velocity of 1 m/s is known to 1e−16 m/s; a law that multiplies it by a stiffness of 10⁹
//! masses a step would be known to 1e−7 of the momentum only. Velocities are therefore taken from u once, in
//! [`place`], and then follow Newton's steps, which shrink: v_c += α J Δu, and with them the factors of the normal
//! law, e = δt f0 − δt² k v_n and h = 1 − d v_n, which keep their own relative accuracy. What v_c then differs from
//! J u by, some 1e−16 of the speeds met, is as if the penetration were 1e−16 δt v different: nothing.
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
//! tells Newton how the stiff cone z ≥ v̂ curves, without which steps along it are cut to nothing. Where Similar's
//! curvature has made the impulse larger than predicted, γ̂_n rises towards it, at most by what stops the step's velocity
//! [`CURVED`] times over: less and the same contact cuts the next step again, more and it hardly moves.
//!
//! The right-hand side stays the true gradient, directions stay directions of descent, and w → t at the
//! solution, which keeps Newton's final convergence. Starting from w = 0 (a majorant of ℓ), a violent pile
//! takes a quarter of the iterations. Only the stiff cones of Similar ([`CONE`]) start from w = t: the term g s sᵀ ties
//! Δv_n to μ t·Δv_t anyway, and the majorant's drag along t makes them creep.

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
    /// m = μ γ_n0 for Lagged and springs, else μ.
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
    // The velocity, and the factors of the normal law at v_n or z: see the head of this file.
    v_t: V4,
    v_n: F4,
    elastic: F4,
    damping: F4,
    /// √(v_t²+ε²) for Similar.
    root: F4,
    // Written by `step`, read by `advance`.
    dv_t: V4,
    dv_n: F4,
    // Written by `evaluate`, read by `step` and by results.
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
    elastic: F4,
    damping: F4,
    stiffness: F4,
    loss: F4,
    friction: F4,
    epsilon: F4,
    offset: F4,
    rho: F4,
    shift: F4,
    /// v_n; z for Similar.
    z: F4,
    dv_n: F4,
    /// ‖v_t + α Δv_t‖² + ε² = c (α − α₀)² + q₀, free of cancellation.
    c: F4,
    alpha0: F4,
    q0: F4,
    /// 2 v_t·Δv_t, and the root at α = 0.
    b: F4,
    root: F4,
}

const LAGGED: u8 = ContactModel::Lagged as u8;
const SIMILAR: u8 = ContactModel::Similar as u8;
/// Similar with [`shifted_normal`].
const SHIFTED: u8 = 3;
/// Friction through a tangential spring, with any model's normal law.
const SPRING: u8 = 4;

/// Which law the packets of a slice follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The problem's model.
    Model(ContactModel),
    /// Similar in series with a spring ρ, [`shifted_normal`].
    Shifted,
    /// Friction through a tangential spring.
    Spring,
}

/// Most that an impulse beyond the predicted raises its dual, in effective masses times the step's velocity.
const CURVED: f64 = 15.0;
/// Stiffness in effective masses from which a contact of the Similar model begins with its own direction.
const CONE: f64 = 100.0;

/// Below this a slip speed is zero; keeps 0/0 out.
const TINY: f64 = 1e-150;

/// n and −n′ of the linear law with Hunt & Crossley dissipation, from its factors e and h.
#[inline(always)]
fn normal(elastic: F4, damping: F4, stiffness: F4, d: F4) -> (F4, F4) {
    let zero = F4::default();
    let (elastic, damping) = (elastic.max(zero), damping.max(zero));
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

const ZERO: F4 = F4([0.0; 4]);

impl Packet {
    /// A packet without contacts. A constant, for it is large; ε = 1 and R_t = 0 keep unused lanes finite.
    pub const EMPTY: Self = Self {
        r: [ZERO; 3],
        n: [ZERO; 3],
        bias: [ZERO; 3],
        offset: ZERO,
        stiffness: ZERO,
        loss: ZERO,
        friction: ZERO,
        epsilon: F4([1.0; 4]),
        dual: [ZERO; 3],
        dual_n: ZERO,
        mass: ZERO,
        rho: ZERO,
        shift: ZERO,
        t_stage: [ZERO; 3],
        v_t: [ZERO; 3],
        v_n: ZERO,
        elastic: ZERO,
        damping: ZERO,
        root: ZERO,
        dv_t: [ZERO; 3],
        dv_n: ZERO,
        gamma_n: ZERO,
        a: ZERO,
        t: [ZERO; 3],
        inv_root: ZERO,
        g: ZERO,
        mu_c: ZERO,
    };

    /// Puts a contact into a lane. The law must be the linear one with soft friction or a spring, of one kind in a
    /// packet; `mass` is about 1/w.
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
        let (loss, friction, epsilon) = match (&law.spring, law.model) {
            (None, _) => (loss, friction, epsilon),
            (Some(spring), ModelLaw::Sap(_)) => (0.0, spring.limit, spring.limit / spring.kappa),
            (Some(spring), _) => (loss, spring.limit, spring.limit / spring.kappa),
        };
        self.offset.0[lane] = offset;
        self.stiffness.0[lane] = stiffness;
        self.loss.0[lane] = loss;
        self.friction.0[lane] = friction;
        self.epsilon.0[lane] = epsilon;
        self.mass.0[lane] = mass;
    }

    /// Where the contact of a lane is from the pair's point; none in a lane that is not used.
    pub fn arm(&self, lane: usize) -> Option<V3> {
        (self.mass.0[lane] > 0.0).then(|| v3(|i| self.r[i].0[lane]))
    }

    /// Sets the effective mass of a lane.
    pub fn set_mass(&mut self, lane: usize, mass: f64) {
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

    /// The law of a lane without a spring, for what is not done four at a time.
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

    /// Velocity of a lane in world axes; with a spring, what its stretch is worth is in it.
    pub fn velocity(&self, lane: usize) -> V3 {
        v3(|i| self.v_t[i].0[lane] + self.v_n.0[lane] * self.n[i].0[lane])
    }

    /// Impulse of a lane in world axes.
    pub fn impulse(&self, lane: usize) -> V3 {
        v3(|i| self.gamma_n.0[lane] * self.n[i].0[lane] - self.a.0[lane] * self.v_t[i].0[lane])
    }

    /// Takes the velocities from a pair's twist.
    #[inline(always)]
    fn place<const MODEL: u8>(&mut self, omega: &V4, linear: &V4) {
        let swing = cross(omega, &self.r);
        let u: V4 = v4(|i| linear[i] + self.bias[i] + swing[i]);
        self.v_n = dot(&self.n, &u);
        self.v_t = v4(|i| u[i].less(self.v_n, self.n[i]));
        self.straighten();
        self.root = dot(&self.v_t, &self.v_t).plus(self.epsilon, self.epsilon).sqrt();
        let z = self.grouped::<MODEL>();
        self.elastic = self.offset.less(self.stiffness, z);
        self.damping = F4::splat(1.0).less(self.loss, z);
    }

    /// The normal law's argument: z for Similar, else v_n.
    #[inline(always)]
    fn grouped<const MODEL: u8>(&self) -> F4 {
        if MODEL != SIMILAR && MODEL != SHIFTED {
            return self.v_n;
        }
        self.v_n.less(self.friction, self.root - self.epsilon)
    }

    /// Takes from v_t what rounding left of it along n: a stiff friction would make a normal force of it.
    #[inline(always)]
    fn straighten(&mut self) {
        let lean = dot(&self.n, &self.v_t);
        self.v_t = v4(|i| self.v_t[i].less(lean, self.n[i]));
    }

    /// Follows α of the last step.
    #[inline(always)]
    fn advance<const MODEL: u8>(&mut self, alpha: F4) {
        let change = alpha * self.dv_n;
        let dz = if MODEL == SIMILAR || MODEL == SHIFTED {
            // √q₁ − √q₀ = (q₁ − q₀)/(√q₁ + √q₀)
            let (b, c) = (dot(&self.v_t, &self.dv_t), dot(&self.dv_t, &self.dv_t));
            let before = self.root;
            self.v_t = v4(|i| self.v_t[i].plus(alpha, self.dv_t[i]));
            self.straighten();
            self.root = dot(&self.v_t, &self.v_t).plus(self.epsilon, self.epsilon).sqrt();
            let rise = alpha * (b + b).plus(alpha, c) * (before + self.root).recip();
            change.less(self.friction, rise)
        } else {
            self.v_t = v4(|i| self.v_t[i].plus(alpha, self.dv_t[i]));
            self.straighten();
            change
        };
        self.v_n = self.v_n + change;
        self.elastic = self.elastic.less(self.stiffness, dz);
        self.damping = self.damping.less(self.loss, dz);
        if MODEL == SIMILAR {
            let (found, _) = normal(self.elastic, self.damping, self.stiffness, self.loss);
            let speed = dot(&self.dv_t, &self.dv_t).plus(self.dv_n, self.dv_n).sqrt();
            let most = F4::splat(CURVED) * self.mass * speed;
            let more = (found - self.dual_n).max(F4::default());
            self.dual_n = self.dual_n + most.if_above(more, more, most);
        }
    }

    /// ‖γ‖ and ‖r‖‖γ‖ summed over the lanes: what sums of impulses and their torques are made of.
    pub fn magnitude(&self) -> (f64, f64) {
        let slip = self.a * dot(&self.v_t, &self.v_t).sqrt();
        let size = (self.gamma_n * self.gamma_n).plus(slip, slip).sqrt();
        (size.sum(), (size * dot(&self.r, &self.r).sqrt()).sum())
    }

    /// Impulses and curvatures at the velocities: writes the lanes' state and returns g and μ_c.
    #[inline(always)]
    fn laws<const MODEL: u8>(&mut self) -> (F4, F4) {
        let v_t = self.v_t;
        let slip2 = dot(&v_t, &v_t);
        let zero = F4::default();
        let (gamma_n, g, a, inv_root, mu_c);
        if MODEL == SPRING {
            let speed = slip2.sqrt();
            inv_root = speed.max(self.epsilon).max(F4::splat(TINY)).recip();
            (gamma_n, g) = normal(self.elastic, self.damping, self.stiffness, self.loss);
            a = self.friction * inv_root;
            mu_c = zero;
            let direction = speed.if_above(self.epsilon, inv_root, zero);
            self.t = v4(|i| v_t[i] * direction);
        } else if MODEL == LAGGED || MODEL == SIMILAR || MODEL == SHIFTED {
            let root =
                if MODEL == LAGGED { slip2.plus(self.epsilon, self.epsilon).sqrt() } else { self.root };
            inv_root = root.recip();
            if MODEL == LAGGED {
                (gamma_n, g) = normal(self.elastic, self.damping, self.stiffness, self.loss);
                a = self.friction * inv_root;
                mu_c = zero;
            } else {
                (gamma_n, g) = if MODEL == SHIFTED {
                    let z = self.grouped::<MODEL>();
                    shifted_normal(self.offset, self.stiffness, self.loss, self.rho, self.shift, z)
                } else {
                    normal(self.elastic, self.damping, self.stiffness, self.loss)
                };
                a = self.friction * gamma_n * inv_root;
                mu_c = self.friction;
            }
            self.t = v4(|i| v_t[i] * inv_root);
        } else {
            let (inv_rt, scale) = sap_constants(self.stiffness, self.loss, self.friction);
            let speed = slip2.sqrt().max(F4::splat(TINY));
            let inv_speed = speed.recip();
            let y_n = self.elastic;
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
        self.gamma_n = gamma_n;
        self.a = a;
        self.inv_root = inv_root;
        self.g = g;
        self.mu_c = mu_c;
        (g, mu_c)
    }

    /// This packet's wrench and 6×6 by lanes: torque 3, force 3, then `tt`, `tl`, `ll` of [`PairSum`].
    #[inline(always)]
    fn contribution<const MODEL: u8>(&mut self, hessian: Hessian) -> [F4; 27] {
        let (g, mu_c) = self.laws::<MODEL>();
        let (a, t, n) = (self.a, self.t, self.n);
        let exact = hessian == Hessian::Exact;
        if MODEL == SIMILAR && hessian == Hessian::First {
            let stiff = (F4::splat(CONE) * self.mass).if_above(self.stiffness, F4::default(), F4::splat(1.0));
            self.dual = v4(|i| t[i] * stiff);
        }
        let w = if exact { t } else { self.dual };
        let [fx, fy, fz] = v4(|i| (self.gamma_n * n[i]).less(a, self.v_t[i]));
        let [tx, ty, tz] = cross(&self.r, &[fx, fy, fz]);
        let s: V4 = if MODEL == LAGGED || MODEL == SPRING { n } else { v4(|i| n[i].less(mu_c, t[i])) };
        let a = if MODEL == LAGGED || MODEL == SPRING || exact {
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
    fn step<const MODEL: u8>(&mut self, omega: &V4, linear: &V4, line: &mut LinePacket) {
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
        self.dv_t = dv_t;
        self.dv_n = dv_n;
        let (b, c) = (dot(&self.v_t, &dv_t), dot(&dv_t, &dv_t));
        let inv_c = c.max(F4::splat(f64::MIN_POSITIVE)).recip();
        let alpha0 = c.if_above(F4::splat(TINY), -b * inv_c, F4::default());
        let nearest: V4 = v4(|i| self.v_t[i].plus(alpha0, dv_t[i]));
        let q0 = dot(&nearest, &nearest);
        let (q0, z, root) = if MODEL == SIMILAR || MODEL == SHIFTED {
            (q0.plus(self.epsilon, self.epsilon), self.grouped::<MODEL>(), self.root)
        } else if MODEL == SPRING {
            (q0, self.v_n, F4::default())
        } else {
            (q0.plus(self.epsilon, self.epsilon), self.v_n, F4::default())
        };
        *line = LinePacket {
            elastic: self.elastic,
            damping: self.damping,
            stiffness: self.stiffness,
            loss: self.loss,
            friction: self.friction,
            epsilon: self.epsilon,
            offset: self.offset,
            rho: self.rho,
            shift: self.shift,
            z,
            dv_n,
            c,
            alpha0,
            q0,
            b: b + b,
            root,
        };
    }
}

/// A twist with each component in all lanes.
#[inline(always)]
fn spread(twist: &V6) -> (V4, V4) {
    let f = |i: usize| F4::splat(twist[i]);
    ([f(0), f(1), f(2)], [f(3), f(4), f(5)])
}

/// Runs `$function::<MODEL>` for a [`Kind`].
macro_rules! by_kind {
    ($kind:expr, $function:ident($($argument:expr),*)) => {
        match $kind {
            Kind::Model(ContactModel::Lagged) => $function::<LAGGED>($($argument),*),
            Kind::Model(ContactModel::Similar) => $function::<SIMILAR>($($argument),*),
            Kind::Model(ContactModel::Sap) => $function::<{ ContactModel::Sap as u8 }>($($argument),*),
            Kind::Shifted => $function::<SHIFTED>($($argument),*),
            Kind::Spring => $function::<SPRING>($($argument),*),
        }
    };
}

/// Takes the velocities of one pair's packets from its twist.
pub fn place(packets: &mut [Packet], kind: Kind, twist: &V6) {
    by_kind!(kind, place_model(packets, twist))
}

fn place_model<const MODEL: u8>(packets: &mut [Packet], twist: &V6) {
    let (omega, linear) = spread(twist);
    packets.iter_mut().for_each(|packet| packet.place::<MODEL>(&omega, &linear));
}

/// Follows α of the last step.
pub fn advance(packets: &mut [Packet], kind: Kind, alpha: f64) {
    by_kind!(kind, advance_model(packets, alpha))
}

fn advance_model<const MODEL: u8>(packets: &mut [Packet], alpha: f64) {
    let alpha = F4::splat(alpha);
    packets.iter_mut().for_each(|packet| packet.advance::<MODEL>(alpha));
}

/// Adds to `sum` what the packets of one pair give at their velocities.
pub fn evaluate(packets: &mut [Packet], kind: Kind, hessian: Hessian, sum: &mut PairSum) {
    by_kind!(kind, evaluate_model(packets, hessian, sum))
}

fn evaluate_model<const MODEL: u8>(packets: &mut [Packet], hessian: Hessian, sum: &mut PairSum) {
    let Some((first, rest)) = packets.split_first_mut() else { return };
    let mut out = first.contribution::<MODEL>(hessian);
    for packet in rest {
        let more = packet.contribution::<MODEL>(hessian);
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

/// Prepares the line search of one pair's packets for a step of its twist.
pub fn step(packets: &mut [Packet], kind: Kind, twist_step: &V6, lines: &mut [LinePacket]) {
    by_kind!(kind, step_model(packets, twist_step, lines))
}

fn step_model<const MODEL: u8>(packets: &mut [Packet], twist_step: &V6, lines: &mut [LinePacket]) {
    let (omega, linear) = spread(twist_step);
    for (packet, line) in packets.iter_mut().zip(lines) {
        packet.step::<MODEL>(&omega, &linear, line);
    }
}

impl LinePacket {
    /// n and −n′ where the normal law's argument has changed by `change`.
    #[inline(always)]
    fn normal(&self, change: F4) -> (F4, F4) {
        let (elastic, damping) =
            (self.elastic.less(self.stiffness, change), self.damping.less(self.loss, change));
        normal(elastic, damping, self.stiffness, self.loss)
    }

    /// ℓ′ and ℓ″ along the line at α, by lanes.
    #[inline(always)]
    fn evaluate<const MODEL: u8>(&self, alpha: F4) -> (F4, F4) {
        let from = alpha - self.alpha0;
        // ½ d‖v_t‖²/dα and ‖v_t‖² (+ ε²).
        let s1 = self.c * from;
        let q = self.q0.plus(s1, from);
        let change = alpha * self.dv_n;
        if MODEL == SPRING {
            let root = q.sqrt();
            let inv = root.max(self.epsilon).max(F4::splat(TINY)).recip();
            let pull = self.friction * inv;
            let bend = pull * self.c * root.if_above(self.epsilon, self.q0 * inv * inv, F4::splat(1.0));
            let (n, g) = self.normal(change);
            return ((pull * s1).less(n, self.dv_n), bend.plus(g * self.dv_n, self.dv_n));
        }
        if MODEL == LAGGED || MODEL == SIMILAR || MODEL == SHIFTED {
            let root = q.sqrt();
            let inv = root.recip();
            let r1 = s1 * inv; // d√q/dα
            let r2 = self.c * self.q0 * (inv * inv * inv); // d²√q/dα²
            if MODEL == LAGGED {
                let (n, g) = self.normal(change);
                let slope = (self.friction * r1).less(n, self.dv_n);
                return (slope, (self.friction * r2).plus(g * self.dv_n, self.dv_n));
            }
            // √q(α) − √q(0), free of cancellation
            let rise = alpha * self.b.plus(alpha, self.c) * (root + self.root).recip();
            let change = change.less(self.friction, rise);
            let (n, g) = if MODEL == SHIFTED {
                let z = self.z + change;
                shifted_normal(self.offset, self.stiffness, self.loss, self.rho, self.shift, z)
            } else {
                self.normal(change)
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
        let y_n = self.elastic.less(self.stiffness, change);
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
pub fn line(lines: &[LinePacket], kind: Kind, alpha: f64) -> LineValue {
    by_kind!(kind, line_model(lines, alpha))
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
            let law = |y: f64| {
                let (n, g) = normal(f(offset - stiffness * y), f(1.0 - d * y), f(stiffness), f(d));
                (n.0[0], g.0[0])
            };
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
