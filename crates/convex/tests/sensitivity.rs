//! Derivatives of a contact's impulse against central differences of the law the solver uses.

mod common;
use common::{Draw, Random};
use nalgebra::{Matrix6, Vector2, Vector3, Vector6};
use proptest::prelude::*;
use stiction_convex::*;

const MODELS: [FrictionModel; 3] = [FrictionModel::Lagged, FrictionModel::Similar, FrictionModel::Sap];

struct Case {
    problem: Problem,
    entry: ContactEntry,
    motion: PairMotion,
}

/// A contact in or near touch, with slip from far below to far above the regularisation.
fn case(seed: u64) -> Case {
    let r = &mut Random::new(seed);
    for _ in 0..20 {
        r.next(); // small seeds begin with small numbers
    }
    let power = |r: &mut Random, low: f64, high: f64| 10f64.powf(low + (high - low) * 0.5 * (r.next() + 1.0));
    let model = MODELS[r.index(3)];
    let settings = ContactSettings { model, regularization: power(r, -5.0, -2.0), ..Default::default() };
    let problem = Problem::new(1e-2, settings).unwrap();
    let stiffness = power(r, 2.0, 9.0);
    let penetration = r.next() * power(r, -6.0, -2.0);
    let friction = 0.8 + 0.7 * r.next();
    let frame = r.rotation().into_inner();
    let mut entry = ContactEntry::point(0.5 * r.vector(), frame, penetration, stiffness, friction);
    entry.friction_dynamic *= if r.next() > 0.0 { 0.6 } else { 1.0 };
    entry.dissipation = if r.next() > 0.0 { power(r, -1.0, 1.5) } else { 0.0 };
    entry.relaxation_time = power(r, -4.0, -1.0);
    entry.bias = 0.01 * r.vector();
    if model == FrictionModel::Lagged && r.next() > 0.0 {
        let (stiffness, length) = (power(r, -1.0, 1.0) * stiffness, power(r, -8.0, -3.0));
        let stretch = Vector2::new(length * r.next(), length * r.next());
        let spring = TangentialSpring::new(stiffness, power(r, -4.0, -2.0) * stiffness, stretch);
        entry.spring = Some(if r.next() > 0.0 { spring.critically_damped(2.0 * stiffness) } else { spring });
    }
    let twist = |r: &mut Random| {
        let (speed, normal) = (power(r, -6.0, 0.0), power(r, -5.0, -1.0));
        let v = frame * Vector3::new(speed * r.next(), speed * r.next(), normal * r.next());
        let w = r.vector();
        let linear = v - w.cross(&entry.r) - entry.bias;
        Vector6::new(w.x, w.y, w.z, linear.x, linear.y, linear.z)
    };
    let (twist, previous) = (twist(r), twist(r));
    let delassus = Matrix6::from_fn(|_, _| r.next());
    let delassus = delassus * delassus.transpose() * power(r, -2.0, 1.0);
    Case { problem, entry, motion: PairMotion { twist, previous, delassus } }
}

/// Central difference of the impulse along a change of size `h`, extrapolated from h and h/2, and how far these two are
/// apart; none where the two halves disagree: a kink.
fn difference(h: f64, impulse: impl Fn(f64) -> Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
    let (plus, here, minus) = (impulse(h), impulse(0.0), impulse(-h));
    let (up, down) = (plus - here, here - minus);
    let near = (up - down).norm() <= 1e-3 * (up.norm() + down.norm()) + 1e-13 * here.norm();
    let (wide, narrow) = ((up + down) / (2.0 * h), (impulse(0.5 * h) - impulse(-0.5 * h)) / h);
    near.then(|| ((4.0 * narrow - wide) / 3.0, (wide - narrow).norm()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn responses_are_the_derivatives_of_the_law(seed: u64) {
        let Case { problem, entry, motion } = case(seed);
        let response = problem.contact_response(&entry, &motion);
        let impulse = problem.contact_impulse(&entry, &motion);
        prop_assert!((response.impulse - impulse).norm() <= 1e-11 * impulse.norm(), "the same law");
        let (u, u0) = motion.velocities(&entry);
        let scale = 1.0 + impulse.norm();
        let close = |name: &str, h: f64, size: f64, exact: Vector3<f64>, f: &dyn Fn(f64) -> Vector3<f64>| {
            let Some((found, spread)) = difference(h, f) else { return Ok(()) };
            // What the difference cannot resolve: rounding over h, and the fifth derivative.
            let noise = 1e-12 * scale / h;
            let error = (found - exact).norm();
            let allowed = 1e-5 * (exact.norm() + found.norm()) + 0.1 * spread + noise;
            prop_assert!(error <= allowed, "{name}: {found} {exact} {size}");
            Ok(())
        };
        let moved = |direction: Vector3<f64>, end: f64, begin: f64| {
            let mut motion = motion;
            let step = Vector6::new(0.0, 0.0, 0.0, direction.x, direction.y, direction.z);
            motion.twist += end * step;
            motion.previous += begin * step;
            problem.contact_impulse(&entry, &motion)
        };
        for axis in 0..3 {
            let e = Vector3::ith(axis, 1.0);
            let h = 1e-5 * (u - u.dot(&entry.frame.column(2)) * entry.frame.column(2)).norm().max(1e-5);
            close("velocity", h, u.norm(), response.by_velocity * e, &|h| moved(e, h, 0.0))?;
            close("previous", 1e-6, u0.norm(), response.by_previous * e, &|h| moved(e, 0.0, h))?;
        }
        let with = |change: &dyn Fn(&mut ContactEntry)| {
            let mut entry = entry.clone();
            change(&mut entry);
            problem.contact_impulse(&entry, &motion)
        };
        let h = 1e-5;
        let (f0, k, d, tau) = (entry.elastic_force, entry.stiffness, entry.dissipation, entry.relaxation_time);
        close("f0", h * f0.abs(), f0, response.by_elastic_force, &|h| with(&|e| e.elastic_force += h))?;
        close("k", h * k, k, response.by_stiffness, &|h| {
            with(&|e| {
                e.stiffness += h;
                if let Some(spring) = &mut e.spring {
                    spring.stiffness *= (k + h) / k;
                    spring.damping *= (k + h) / k;
                    spring.critical *= (k + h) / k;
                }
            })
        })?;
        if let Some(spring) = entry.spring {
            for axis in 0..2 {
                let exact = response.by_stretch * entry.frame.column(axis);
                let size = spring.stretch.norm();
                close("stretch", h * size, size, exact, &|h| {
                    with(&|e| e.spring.as_mut().expect("it has one").stretch[axis] += h)
                })?;
            }
            prop_assert!((response.by_stretch * entry.frame.column(2)).norm() <= 1e-9 * response.by_stretch.norm());
        }
        if d > 0.0 {
            close("d", h * d, d, response.by_dissipation, &|h| with(&|e| e.dissipation += h))?;
        }
        close("tau", h * tau, tau, response.by_relaxation_time, &|h| with(&|e| e.relaxation_time += h))?;
        close("mu_s", h, 0.0, response.by_static_friction, &|h| with(&|e| e.friction_static += h))?;
        close("mu_d", h, 0.0, response.by_dynamic_friction, &|h| with(&|e| e.friction_dynamic += h))?;
        let w = response.delassus;
        close("w", h * w, w, response.by_delassus, &|h| {
            let motion = PairMotion { delassus: motion.delassus * (1.0 + h / w), ..motion };
            problem.contact_impulse(&entry, &motion)
        })?;
    }
}
