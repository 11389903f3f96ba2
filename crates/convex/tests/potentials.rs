//! Every potential against finite differences and for convexity, over random parameters and velocities, with
//! velocities drawn on purpose next to the borders between regions.

use proptest::prelude::*;
use stiction_convex::contact::{CompiledContact, ContactValue, TurningValue};
use stiction_convex::friction::blended_friction;
use stiction_convex::friction::ellipse::Ellipse;
use stiction_convex::friction::spring::SpringLaw;
use stiction_convex::normal::table::{ForceTable, ForceTableError};
use stiction_convex::normal::{NormalInput, NormalLaw, linear};
use stiction_convex::scalar::{RowCompliance, RowLaw, ScalarLaw};

type V3 = [f64; 3];

/// Central difference of f along direction e at v, with a step suited to the scale h.
fn derivative(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    // Fourth order: rounding and truncation are then both small for h about 1e-3 of the scale.
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn shift(v: V3, i: usize, x: f64) -> V3 {
    let mut w = v;
    w[i] += x;
    w
}

/// γ = −∂ℓ/∂v and G = −∂γ/∂v, by differences with step `h` smaller than the distance to any kink of γ; G ⪰ 0.
fn check_contact(law: impl Fn(V3) -> ContactValue, v: V3, h: f64) -> Result<(), TestCaseError> {
    let at = law(v);
    let g_norm = at.hessian.iter().flatten().map(|x| x.abs()).fold(0.0, f64::max);
    let gamma_norm = at.impulse.iter().map(|x| x.abs()).fold(0.0, f64::max) + g_norm * h;
    // v + h is rounded to the spacing of numbers around v.
    let spacing = 4.0 * f64::EPSILON * v.iter().map(|x| x.abs()).fold(0.0, f64::max) / h;
    for i in 0..3 {
        let gamma = -derivative(|x| law(shift(v, i, x)).cost, h);
        let noise = 1e-14 * at.cost.abs() / h;
        prop_assert!(
            (gamma - at.impulse[i]).abs() <= (1e-6 + spacing) * gamma_norm + noise,
            "γ[{i}] {gamma} vs {:?} at {v:?}",
            at
        );
        for j in 0..3 {
            let g = -derivative(|x| law(shift(v, j, x)).impulse[i], h);
            let noise = 1e-13 * gamma_norm / h;
            prop_assert!(
                (g - at.hessian[i][j]).abs() <= (1e-5 + spacing) * g_norm + noise,
                "G[{i}][{j}] {g} vs {:?} at {v:?}",
                at
            );
            prop_assert_eq!(at.hessian[i][j], at.hessian[j][i]);
        }
    }
    // All principal minors of the Hessian, up to rounding.
    let m = nalgebra::Matrix3::from_fn(|i, j| at.hessian[i][j]);
    let least = m.symmetric_eigenvalues().min();
    prop_assert!(least >= -1e-12 * g_norm, "least eigenvalue {least} of {m}");
    Ok(())
}

/// ℓ(midpoint) ≤ mean of the ends, and γ is continuous: its change over a tiny step is tiny.
fn check_line(law: impl Fn(V3) -> ContactValue, a: V3, b: V3) -> Result<(), TestCaseError> {
    let along = |s: f64| [0, 1, 2].map(|i| a[i] + s * (b[i] - a[i]));
    let (fa, fb, fm) = (law(a), law(b), law(along(0.5)));
    let size = fa.cost.abs() + fb.cost.abs() + fm.cost.abs();
    prop_assert!(fm.cost <= 0.5 * (fa.cost + fb.cost) + 1e-13 * size);
    // Monotone gradient along the line: (∇ℓ(b) − ∇ℓ(a))·(b − a) ≥ 0.
    let rise: f64 = (0..3).map(|i| -(fb.impulse[i] - fa.impulse[i]) * (b[i] - a[i])).sum();
    prop_assert!(
        rise >= -1e-12
            * (0..3).map(|i| (fb.impulse[i].abs() + fa.impulse[i].abs()) * (b[i] - a[i]).abs()).sum::<f64>()
    );
    Ok(())
}

fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low.ln()..high.ln()).prop_map(f64::exp)
}

fn normal_input() -> impl Strategy<Value = NormalInput> {
    (
        log_uniform(1e-4, 1e-2),
        -1e-3f64..1e-2,
        prop_oneof![Just(0.0), log_uniform(1e2, 1e9)],
        prop_oneof![Just(0.0), log_uniform(0.1, 100.0)],
        0.0f64..100.0,
    )
        .prop_map(|(dt, x, k, d, f)| NormalInput {
            dt,
            penetration: x,
            elastic_force: if k > 0.0 { k * x } else { f },
            stiffness: k,
            dissipation: d,
        })
}

/// A contact that does not push.
const NOTHING: NormalInput =
    NormalInput { dt: 1e-3, penetration: 0.0, elastic_force: 0.0, stiffness: 0.0, dissipation: 0.0 };

/// The coefficients of a SAP contact by their names in the paper.
struct SapTerms {
    y0: f64,
    inv_rn: f64,
    rt: f64,
}

impl SapTerms {
    fn of(contact: &CompiledContact) -> Self {
        let c = &contact.coefficients;
        Self { y0: c.offset, inv_rn: c.stiffness, rt: c.loss }
    }
}

/// Velocities in all regions of a normal law and on both sides of its border.
fn normal_velocity(input: &NormalInput, pick: u8, t: f64) -> f64 {
    let border = linear::border(input);
    match pick % 3 {
        0 if border.is_finite() => border + t * 1e-3,
        1 if border.is_finite() => border * (1.0 + t),
        _ => 3.0 * t,
    }
}

/// Scale on which γ of the linear law is a polynomial around v: distance to the border.
fn smooth_step(input: &NormalInput, v: f64) -> f64 {
    let border = linear::border(input);
    let distance = if border.is_finite() { (v - border).abs() } else { 1.0 };
    (0.3 * distance).min(0.1 * (1.0 + v.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn linear_law_is_the_derivative_of_its_potential(input in normal_input(), pick in 0u8..3, t in -1.0f64..1.0) {
        let v = normal_velocity(&input, pick, t);
        let h = smooth_step(&input, v);
        prop_assume!(h > 1e-9);
        let law = NormalLaw::Linear;
        let at = law.evaluate(&input, v);
        let n = derivative(|x| law.evaluate(&input, v + x).antiderivative, h);
        let slope = derivative(|x| law.evaluate(&input, v + x).impulse, h);
        let spacing = 4.0 * f64::EPSILON * v.abs() / h;
        prop_assert!((n - at.impulse).abs() <= (1e-9 + spacing) * (at.impulse.abs() + at.slope.abs() * h) + 1e-14 * at.antiderivative.abs() / h, "{} {}", n, at.impulse);
        prop_assert!((slope - at.slope).abs() <= (1e-9 + spacing) * at.slope.abs() + 1e-14 * at.impulse / h);
        prop_assert!(at.impulse >= 0.0 && at.slope <= 0.0 && (at.antiderivative <= 0.0 || linear::border(&input) == f64::INFINITY));
        // The closed form of the theory, N⁺(v) − N⁺(v̂).
        let border = linear::border(&input);
        if at.impulse > 0.0 && border.is_finite() {
            let np = |w: f64| {
                let df = -input.dt * input.stiffness * w;
                input.dt * (w * (input.elastic_force + 0.5 * df) - 0.5 * input.dissipation * w * w * (input.elastic_force + 2.0 / 3.0 * df))
            };
            let size = np(v).abs() + np(border).abs() + input.dt * input.elastic_force.abs() * (v.abs() + border.abs());
            prop_assert!((np(v) - np(border) - at.antiderivative).abs() <= 1e-12 * size, "{} {}", np(v) - np(border), at.antiderivative);
        }
    }

    #[test]
    fn hertz_barriers_and_tables_are_derivatives_of_their_potentials(
        x0 in -1e-2f64..1e-2, dt in log_uniform(1e-4, 1e-2), d in prop_oneof![Just(0.0), log_uniform(0.1, 10.0)],
        kappa in log_uniform(1e-3, 1e3), which in 0u8..4, t in 0.0f64..1.0, range in log_uniform(1e-4, 1e-2),
        steps in prop::collection::vec((1e-4f64..5e-3, 0.0f64..100.0), 1..6),
    ) {
        let stiffness = if which == 3 { 0.25 } else { 1e8 };
        let input = NormalInput { dt, penetration: x0, elastic_force: 0.0, stiffness, dissipation: d };
        let mut points = vec![(1e-4, 0.0)];
        for (depth, force) in steps {
            let &(x, f) = points.last().unwrap();
            points.push((x + depth, f + force));
        }
        let law = match which {
            0 => NormalLaw::Hertz,
            1 => NormalLaw::LogBarrier { kappa },
            2 => NormalLaw::ClampedBarrier { kappa, range },
            _ => NormalLaw::Table(std::sync::Arc::new(ForceTable::new(&points).unwrap())),
        };
        // Penetration after the step: over the border for Hertz, within the domain for barriers.
        let x = if which % 3 == 0 { 1e-2 * (t - 0.2) } else { -2.0 * range * (t + 1e-3) };
        let v = (x0 - x) / dt;
        let at = law.evaluate(&input, v);
        let damping = if d > 0.0 { (v - 1.0 / d).abs() * dt } else { 1.0 };
        let knot = points.iter().map(|p| (x - p.0).abs()).fold(f64::INFINITY, f64::min);
        let edge = [x.abs().min(damping), x.abs(), x.abs().min((x + range).abs()), knot.min(damping)][which as usize];
        prop_assume!(edge > 1e-3 * x.abs());
        let h = 1e-3 * edge / dt;
        let n = derivative(|s| law.evaluate(&input, v + s).antiderivative, h);
        let slope = derivative(|s| law.evaluate(&input, v + s).impulse, h);
        // Rounding of v + h, and of N as a difference of two values of its primitive.
        let spacing = 4.0 * f64::EPSILON * v.abs() / h;
        let damped = 1.0 + d * (x0.abs() + x.abs()) / dt;
        let primitive = match which {
            0 => 1e8 * x.abs().powf(2.5) * damped,
            3 => points.last().unwrap().1.max(at.impulse / dt) * x.abs() * damped,
            _ => at.antiderivative.abs(),
        };
        prop_assert!((n - at.impulse).abs() <= (1e-8 + spacing) * at.impulse + 1e-13 * primitive / h, "{n} {at:?}");
        prop_assert!((slope - at.slope).abs() <= (1e-8 + spacing) * at.slope.abs() + 1e-13 * at.impulse / h, "{slope} {at:?}");
        prop_assert!(at.impulse >= 0.0 && at.slope <= 0.0);
        prop_assert!(law.lower_bound(&input) < v);
    }

    #[test]
    fn lagged_friction_is_convex_and_consistent(limit in log_uniform(1e-4, 1e2), eps in log_uniform(1e-5, 1e-2), angle in 0.0f64..6.3, s in prop_oneof![0.0f64..3.0, log_uniform(1e-3, 1e4)], t in -1.0f64..1.0) {
        let contact = CompiledContact::lagged(NOTHING, limit, eps);
        let law = |v: V3| contact.evaluate(&NormalLaw::Linear, v);
        let v = [s * eps * angle.cos(), s * eps * angle.sin(), t];
        check_contact(law, v, 1e-3 * eps * (1.0 + s))?;
        let b = [-0.3 * v[1] + t * eps, 0.7 * v[0] - t * eps, 0.0];
        check_line(law, v, b)?;
    }

    #[test]
    fn similar_model_is_convex_and_consistent(input in normal_input(), mu in 0.0f64..1.5, eps in log_uniform(1e-5, 1e-2), angle in 0.0f64..6.3, s in prop_oneof![0.0f64..3.0, log_uniform(1e-3, 1e3)], pick in 0u8..3, t in -1.0f64..1.0) {
        let contact = CompiledContact::similar(input, mu, eps);
        let law = |v: V3| contact.evaluate(&NormalLaw::Linear, v);
        // Place z, not v_n, next to the border.
        let z = normal_velocity(&input, pick, t);
        let vn = z + mu * eps * (s.hypot(1.0) - 1.0);
        let v = [s * eps * angle.cos(), s * eps * angle.sin(), vn];
        let h = (1e-3 * eps * (1.0 + s)).min(0.2 * smooth_step(&input, z) / (1.0 + mu));
        prop_assume!(h > 1e-9);
        check_contact(law, v, h)?;
        check_line(law, v, [-0.5 * v[1], v[0] + t * eps, vn - t])?;
    }

    #[test]
    fn sap_is_convex_and_consistent_in_all_regions(
        dt in log_uniform(1e-4, 1e-2), x0 in -1e-3f64..1e-2, k in prop_oneof![Just(0.0), log_uniform(1e2, 1e12)], f in 0.0f64..10.0,
        tau in 0.0f64..0.1, mu in 0.0f64..1.5, sigma in log_uniform(1e-5, 1e-1), w in log_uniform(1e-3, 1e3),
        angle in 0.0f64..6.3, slip in prop_oneof![0.0f64..2.0, 0.95f64..1.05], push in -1.0f64..1.0,
    ) {
        let normal = NormalInput { dt, elastic_force: if k > 0.0 { k * x0 } else { f }, stiffness: k, ..NOTHING };
        let contact = CompiledContact::sap(normal, tau, mu, sigma, w);
        let sap = SapTerms::of(&contact);
        let law = |u: V3| contact.evaluate(&NormalLaw::Linear, u);
        // y_n of either sign, y_r around the cone or around the apart border.
        let yn = if k > 0.0 { push } else { sap.y0 };
        let vn = if k > 0.0 { (sap.y0 - yn) / sap.inv_rn } else { push };
        let mu_hat = mu * sap.rt * sap.inv_rn;
        let border = if yn > 0.0 { mu * yn } else if mu_hat > 0.0 { -yn / mu_hat } else { 1.0 };
        let yr = slip * border;
        let v = [-yr * sap.rt * angle.cos(), -yr * sap.rt * angle.sin(), vn];
        // Stay within the region: a tenth of the distance to the borders, in units of v.
        let distance_t = (yr - border).abs() * sap.rt;
        let distance_n = if sap.inv_rn > 0.0 { ((yn - if yn > 0.0 { yr / mu.max(1e-9) } else { -mu_hat * yr }).abs() / sap.inv_rn).min(yn.abs().max(1e-6) / sap.inv_rn) } else { 1.0 };
        let h = 0.05 * distance_t.min(distance_n).min(if yr > mu * yn.max(0.0) { 0.1 * yr * sap.rt } else { 1.0 });
        prop_assume!(h > 1e-11 * (1.0 + vn.abs()) && mu > 1e-3);
        check_contact(law, v, h)?;
        check_line(law, v, [v[1] * 2.0, -v[0], vn + push])?;
        let value = law(v);
        prop_assert!(value.impulse[0].hypot(value.impulse[1]) <= mu * value.impulse[2] * (1.0 + 1e-12));
    }

    #[test]
    fn sap_impulse_is_continuous_across_its_borders(k in log_uniform(1e2, 1e9), x0 in 1e-5f64..1e-2, mu in 0.05f64..1.5, w in log_uniform(1e-2, 1e2), angle in 0.0f64..6.3, t in -0.5f64..0.9) {
        let normal = NormalInput { dt: 1e-3, elastic_force: k * x0, stiffness: k, ..NOTHING };
        let contact = CompiledContact::sap(normal, 0.01, mu, 1e-3, w);
        let sap = SapTerms::of(&contact);
        let yn = sap.y0 * t;
        let mu_hat = mu * sap.rt * sap.inv_rn;
        let border = if yn > 0.0 { mu * yn } else { -yn / mu_hat };
        let at = |yr: f64| contact.evaluate(&NormalLaw::Linear, [-yr * sap.rt * angle.cos(), -yr * sap.rt * angle.sin(), (sap.y0 - yn) / sap.inv_rn]);
        let (inside, outside) = (at(border * (1.0 - 1e-9)), at(border * (1.0 + 1e-9)));
        for i in 0..3 {
            prop_assert!((inside.impulse[i] - outside.impulse[i]).abs() <= 1e-7 * (sap.y0 + border));
        }
        prop_assert!((inside.cost - outside.cost).abs() <= 1e-7 * sap.y0 * sap.y0 / sap.inv_rn);
    }

    #[test]
    fn tangential_spring_is_convex_and_its_stretch_continuous(
        dt in log_uniform(1e-4, 1e-2), limit in log_uniform(1e-5, 1.0), k in log_uniform(1e2, 1e7), c in prop_oneof![Just(0.0), log_uniform(0.1, 1e3)],
        dx in -1.0f64..1.0, dy in -1.0f64..1.0, angle in 0.0f64..6.3, s in prop_oneof![0.0f64..3.0, 0.99f64..1.01],
    ) {
        let full = limit / (dt * k);
        let spring = SpringLaw::new(dt, limit, k, c, [0.7 * full * dx, 0.7 * full * dy]);
        // Velocity that asks for s times the limit.
        let ask = [s * limit * angle.cos(), s * limit * angle.sin()];
        let v = [(ask[0] - spring.offset[0]) / spring.kappa, (ask[1] - spring.offset[1]) / spring.kappa, 0.0];
        let scale = limit / spring.kappa;
        let h = 1e-3 * scale * (1.0 + s);
        let contact = CompiledContact::lagged(NOTHING, 0.0, 1.0).with_spring(spring);
        let law = |v: V3| contact.evaluate(&NormalLaw::Linear, v);
        if (s - 1.0).abs() > 1e-2 { check_contact(law, v, h)?; }
        check_line(law, v, [v[1] + scale, -v[0], 0.0])?;
        let after = spring.stretch_after([v[0], v[1]]);
        let d0 = [0.7 * full * dx, 0.7 * full * dy];
        if s <= 1.0 {
            for i in 0..2 { prop_assert!((after[i] - (d0[i] + dt * v[i])).abs() <= 1e-12 * (full + dt * scale)); }
        } else {
            // The spring moved from δ0 to δ⁺ within the step carries the limit.
            let carried = [0, 1].map(|i| dt * (k * after[i] + c * (after[i] - d0[i]) / dt));
            prop_assert!((carried[0].hypot(carried[1]) - limit).abs() <= 1e-10 * limit);
        }
        // Repeated sliding leads to the stretch that carries the limit by elasticity alone.
        let mut stretch = d0;
        for _ in 0..((c / (k * dt)) as usize * 40 + 50).min(20000) {
            stretch = SpringLaw::new(dt, limit, k, c, stretch).stretch_after([1e3 * scale * (1.0 + k * full), 0.0]);
        }
        if c / (k * dt) < 400.0 { prop_assert!((stretch[0] - full).abs() < 1e-6 * full + 1e-3 * full, "{stretch:?} {full}"); }
    }

    /// Every model over slip by direction, spin and rolling.
    #[test]
    fn friction_that_resists_turning_is_convex_and_consistent(
        input in normal_input(), which in 0u8..4, mu in 0.05f64..1.5, eps in log_uniform(1e-4, 1e-2),
        scales in prop::array::uniform5(prop_oneof![Just(0.0), log_uniform(1e-3, 2.0)]),
        direction in prop::array::uniform5(-1.0f64..1.0), s in prop_oneof![0.0f64..3.0, log_uniform(1e-2, 1e2)],
        pick in 0u8..3, t in -1.0f64..1.0, other in prop::array::uniform6(-1.0f64..1.0),
    ) {
        let limit = 0.1 * mu;
        let held = direction.map(|x| 0.1 * eps * x);
        let contact = match which {
            0 => CompiledContact::lagged(input, limit, eps),
            1 => CompiledContact::similar(input, mu, eps),
            2 => CompiledContact::sap(input, 0.01, mu, 1e-3, 1.0),
            _ => {
                let mut spring = SpringLaw::new(input.dt, limit, 1e3, 1.0, [0.0; 2]);
                spring.offset = held;
                CompiledContact::lagged(input, limit, eps).with_spring(spring)
            }
        }.with_ellipse(Ellipse { scales });
        let law = |v: [f64; 6]| {
            let [x, y, z, a, b, c] = v;
            contact.evaluate_turning(&NormalLaw::Linear, [x, y, z], [a, b, c])
        };
        // The slip's length in units of its border, and v_n on both sides of the normal law's.
        let size = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assume!(size > 0.1);
        let c = &contact.coefficients;
        let border = match which { 2 => mu * c.loss * c.offset.abs(), 3 => c.epsilon, _ => eps };
        prop_assume!(border > 1e-9);
        let y = direction.map(|x| x / size * s * border);
        let rate = |i: usize| if scales[i] > 0.0 { y[i] / scales[i] } else { direction[i] };
        let z = normal_velocity(&input, pick, t);
        let v = [rate(0), rate(1), z, rate(3), rate(4), rate(2)];
        let at = law(v);
        // The gradient, and the Hessian's action, along a random direction; the step is a part of every scale.
        let line = |x: f64| law(std::array::from_fn(|i| v[i] + x * other[i]));
        let stretch = (0..5).map(|i| scales[i] * [other[0], other[1], other[5], other[3], other[4]][i]).map(|x| x * x).sum::<f64>().sqrt();
        let h = 1e-3 * (border / (stretch + 1e-9)).min(smooth_step(&input, z));
        prop_assume!(h > 1e-11);
        let dot = |a: &[f64; 6]| (0..6).map(|i| a[i] * other[i]).sum::<f64>();
        let (slope, curvature) = (-dot(&at.impulse), (0..6).map(|i| dot(&at.hessian[i]) * other[i]).sum::<f64>());
        let norm = at.hessian.iter().flatten().map(|x| x.abs()).sum::<f64>();
        let force = at.impulse.iter().map(|x| x.abs()).sum::<f64>();
        let spacing = 1e-15 * (1.0 + v.iter().map(|x| x.abs()).fold(0.0, f64::max)) / h;
        let found = derivative(|x| line(x).cost, h);
        prop_assert!((found - slope).abs() <= (1e-5 + spacing) * (force + norm * h) + 1e-13 * at.cost.abs() / h, "{found} {slope} {at:?}");
        let (ahead, behind) = (line(h), line(-h));
        // Within a region of the law only.
        let smooth = |a: &TurningValue| (0..6).all(|i| (0..6).all(|j| (a.hessian[i][j] - at.hessian[i][j]).abs() <= 0.05 * norm));
        if smooth(&ahead) && smooth(&behind) {
            let found = -(dot(&ahead.impulse) - dot(&behind.impulse)) / (2.0 * h);
            prop_assert!((found - curvature).abs() <= (2e-2 + spacing) * norm + 1e-13 * force / h, "{found} {curvature}");
        }
        let m = nalgebra::Matrix6::from_fn(|i, j| at.hessian[i][j]);
        prop_assert!((m - m.transpose()).norm() == 0.0);
        // Terms cancel that are as large as a s², the impulse over the rate.
        let rates = (0..6).filter(|i| v[*i] != 0.0).map(|i| (at.impulse[i] / v[i]).abs());
        let largest = if which == 3 { norm.max(4.0 * limit / border) } else { rates.fold(norm, f64::max) };
        prop_assert!(m.symmetric_eigenvalues().min() >= -1e-12 * largest);
        // Convex on a wide line.
        let (a, b) = (line(-1.0), line(1.0));
        let size = a.cost.abs() + b.cost.abs() + at.cost.abs();
        prop_assert!(at.cost <= 0.5 * (a.cost + b.cost) + 1e-13 * size);
        // The impulses keep to the ellipsoid of the coefficients, and friction never pushes.
        let [x, y, n, a, b, c] = at.impulse;
        let most = match which { 0 | 3 => limit, _ => mu * n };
        let along = [x, y, c, a, b];
        let used = (0..5).filter(|i| scales[*i] > 0.0).map(|i| (along[i] / scales[i]).powi(2)).sum::<f64>().sqrt();
        prop_assert!(used <= most * (1.0 + 1e-12), "{used} {most}");
        for i in 0..5 {
            prop_assert!(scales[i] > 0.0 || along[i] == 0.0);
            prop_assert!(which == 3 || along[i] * rate(i) <= 0.0);
        }
    }

    #[test]
    fn scalar_laws_are_convex_and_consistent(
        which in 0u8..4, a in log_uniform(1e-2, 1e4), b in log_uniform(1e-2, 1e3), phi in -0.1f64..0.1, limit in log_uniform(1e-3, 1e2), dt in log_uniform(1e-5, 1e-2),
        t in prop_oneof![-3.0f64..3.0, 0.99f64..1.01, -1.01f64..-0.99],
    ) {
        let law = match which {
            0 => RowLaw::Limit { phi, compliance: RowCompliance::spring(a, b * 1e-4) },
            1 => RowLaw::equality(phi),
            2 => RowLaw::Pd { proportional: a, derivative: b, position_error: phi, target_velocity: 0.3, feed_forward: 0.5, effort_limit: limit },
            _ => RowLaw::DryFriction { force: limit, epsilon: 1e-3 * b },
        }.compile(dt, 0.7);
        // In units where the borders are at t = ±1.
        let (v, kink) = match law {
            ScalarLaw::Spring { inv_r: _, v_hat, one_sided } => (v_hat + 0.1 * (t - 1.0), if one_sided { 0.1 * (t - 1.0).abs() } else { 1.0 }),
            ScalarLaw::Pd { y0, gain, limit } => ((y0 - t * limit) / gain, limit / gain * (t.abs() - 1.0).abs()),
            ScalarLaw::DryFriction { epsilon, .. } => (t * epsilon, epsilon),
        };
        let h = 0.1 * kink;
        prop_assume!(h > 1e-9 * (1.0 + v.abs()));
        let at = law.evaluate(v);
        let h = if matches!(law, ScalarLaw::DryFriction { .. }) { 1e-2 * h } else { h };
        let gamma = -derivative(|x| law.evaluate(v + x).cost, h);
        let hessian = -derivative(|x| law.evaluate(v + x).impulse, h);
        prop_assert!((gamma - at.impulse).abs() <= 1e-6 * (at.impulse.abs() + at.hessian * h) + 1e-13 * at.cost.abs() / h, "{law:?} {gamma} {at:?}");
        prop_assert!((hessian - at.hessian).abs() <= 1e-5 * at.hessian + 1e-13 * at.impulse.abs() / h, "{law:?} {hessian} {at:?}");
        prop_assert!(at.hessian >= 0.0);
        // Continuous and convex on a wide line.
        let (lo, hi) = (law.evaluate(v - 1.0), law.evaluate(v + 1.0));
        prop_assert!(at.cost <= 0.5 * (lo.cost + hi.cost) + 1e-12 * (lo.cost.abs() + hi.cost.abs()));
        prop_assert!(lo.impulse >= at.impulse && at.impulse >= hi.impulse);
    }

    #[test]
    fn a_spring_contact_keeps_the_models_normal_law(vn in -1.0f64..1.0, k in log_uniform(1e2, 1e7), x0 in -1e-3f64..1e-2) {
        let normal = NormalInput { dt: 1e-3, penetration: x0, elastic_force: k * x0, stiffness: k, dissipation: 1.0 };
        let plain = CompiledContact::lagged(normal, 0.3, 1e-4);
        let spring = plain.with_spring(SpringLaw::new(1e-3, 0.3, 1e4, 1.0, [0.0; 2]));
        let eval = |l: &CompiledContact| l.evaluate(&NormalLaw::Linear, [1e-3, 2e-3, vn]);
        prop_assert_eq!(eval(&plain).impulse[2], eval(&spring).impulse[2]);
        prop_assert_eq!(eval(&plain).hessian[2][2], eval(&spring).hessian[2][2]);
    }
}

#[test]
fn soft_regulariser_is_the_soft_norm() {
    let (limit, eps, v) = (0.7, 1e-3, [2e-3, -1e-3]);
    let value = CompiledContact::lagged(NOTHING, limit, eps).evaluate(&NormalLaw::Linear, [v[0], v[1], 0.0]);
    let root = (v[0] * v[0] + v[1] * v[1] + eps * eps).sqrt();
    assert!((value.cost - limit * (root - eps)).abs() < 1e-15);
    for i in 0..2 {
        assert!((value.impulse[i] + limit * v[i] / root).abs() < 1e-15);
    }
}

#[test]
fn blended_friction_goes_from_static_to_about_dynamic() {
    assert!((blended_friction(1.0, 0.5, 0.0, 1e-4) - 1.0).abs() < 1e-12);
    assert!((blended_friction(1.0, 0.5, 1e-3, 1e-4) - 0.75).abs() < 1e-12);
    assert!((blended_friction(1.0, 0.5, 10.0, 1e-4) - 0.5).abs() < 5e-3);
}

#[test]
fn sap_without_dissipation_has_the_linear_laws_normal_impulse() {
    let (dt, k, f0) = (2e-3, 1e4, 3.0);
    let input = NormalInput { dt, penetration: f0 / k, elastic_force: f0, stiffness: k, dissipation: 0.0 };
    let sap = CompiledContact::sap(input, 0.0, 0.5, 1e-3, 1.0);
    for v in [-0.3, 0.0, 0.1, 0.2] {
        let n = NormalLaw::Linear.evaluate(&input, v).impulse;
        assert!((sap.evaluate(&NormalLaw::Linear, [0.0, 0.0, v]).impulse[2] - n).abs() < 1e-14);
    }
}

#[test]
fn a_force_table_passes_through_its_points_and_continues_with_the_last_slope() {
    let table = ForceTable::new(&[(0.001, 0.0), (0.002, 3.0), (0.004, 5.0)]).unwrap();
    for (x, f) in [(0.0, 0.0), (0.001, 0.0), (0.0015, 1.5), (0.002, 3.0), (0.004, 5.0), (0.005, 6.0)] {
        assert!((table.force(x) - f).abs() < 1e-12, "{x}: {}", table.force(x));
    }
}

#[test]
fn a_table_without_a_convex_potential_is_refused_with_the_point() {
    let refused = |points: &[(f64, f64)]| ForceTable::new(points).unwrap_err();
    assert_eq!(refused(&[(0.0, 0.0)]), ForceTableError::TooFew(1));
    assert_eq!(refused(&[(0.0, 1.0), (1.0, 2.0)]), ForceTableError::Jump(1.0));
    assert!(matches!(refused(&[(0.0, 0.0), (1.0, f64::NAN)]), ForceTableError::NotFinite { index: 1, .. }));
    assert!(matches!(refused(&[(-1.0, 0.0), (1.0, 1.0)]), ForceTableError::NotFinite { index: 0, .. }));
    let order = refused(&[(0.0, 0.0), (1.0, 1.0), (1.0, 2.0)]);
    assert!(matches!(order, ForceTableError::DepthOrder { index: 2, .. }));
    let falls = refused(&[(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)]);
    assert!(matches!(falls, ForceTableError::Falls { index: 2, .. }) && falls.to_string().contains("convex"));
}
