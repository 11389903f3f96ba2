//! Bodies that float alone: what the mean bias of a step keeps, and how it changes.

mod common;
use common::{Case, Random, RandomMechanics, max_abs};
use nalgebra::{DMatrix, DVector, Vector3};
use proptest::prelude::*;
use stiction_model::{Body, Joint, JointKind, World};
use stiction_multibody::{Derivatives, MassMatrix, QuaternionStep};

/// One body with its centre of mass away from its origin, turning with up to `speed` rad/s about each axis.
fn floating(seed: u64, speed: f64, gravity: Vector3<f64>) -> Case {
    let r = &mut Random(seed);
    let mut world = World::new("floating");
    world.options.gravity = gravity;
    let mut body = Body::new("body", 0);
    (body.pose, body.inertia) = (r.pose(), r.inertia());
    body.joints.push(Joint::new("free", JointKind::Free));
    world.bodies.push(body);
    let mut case = Case::of(world, seed);
    case.v[3..].iter_mut().for_each(|w| *w *= speed);
    let v = case.v.clone();
    case.mb.velocities(&v, &mut case.ws);
    case
}

fn mean_bias(case: &Case, q: &[f64], v: &[f64], dt: f64) -> Vec<f64> {
    let mut out = vec![0.0; case.nv()];
    case.mb.mean_bias(&mut case.at(q, v), v, dt, &mut out);
    out
}

/// v − δt M⁻¹ b̄, and the positions it leads to.
fn coast(case: &Case, dt: f64) -> (Vec<f64>, Vec<f64>) {
    let mut mass = MassMatrix::new(&case.mb);
    case.mb.mass_matrix(&mut case.at(&case.q, &case.v), &mut mass);
    let bias = DVector::from_vec(mean_bias(case, &case.q, &case.v, dt));
    let change = mass.to_dense().cholesky().unwrap().solve(&bias);
    let v: Vec<f64> = case.v.iter().zip(change.iter()).map(|(v, c)| v - dt * c).collect();
    let mut q = case.q.clone();
    case.mb.integrate(&case.q, &v, dt, QuaternionStep::Projected, &mut q);
    (q, v)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A blow somewhere on the body, within a step in which it turns by radians: the momentum at the end is that before and the blow's.
    #[test]
    fn what_is_hit_goes_straight_on_however_far_it_turns(seed: u64) {
        let case = floating(seed, 100.0, Vector3::zeros());
        let mut mass = MassMatrix::new(&case.mb);
        let ws = case.at(&case.q, &case.v);
        case.mb.mass_matrix(&mut case.at(&case.q, &case.v), &mut mass);
        let r = &mut Random(seed ^ 1);
        let blow = DVector::from_iterator(6, (0..6).map(|_| 10.0 * (r.unit() - 0.5)));
        let change = mass.to_dense().cholesky().unwrap().solve(&blow);
        let (_, free) = coast(&case, 0.1);
        let mut v: Vec<f64> = free.iter().zip(change.iter()).map(|(v, c)| v + c).collect();
        let mut q = case.q.clone();
        case.mb.integrate(&case.q, &v, 0.1, QuaternionStep::Projected, &mut q);
        case.mb.go_straight(0, (&case.q, &q, 0.1), &free, &mut v);
        let before = case.mb.tree_momentum(&ws, 0).linear;
        let after = case.mb.tree_momentum(&case.at(&q, &v), 0).linear;
        let wanted = before + Vector3::new(blow[0], blow[1], blow[2]);
        let scale = (2.0 * case.mb.kinetic_energy(&case.at(&q, &v), &v) * case.mb.total_mass()).sqrt();
        prop_assert!((after - wanted).norm() <= 1e-10 * (scale + before.norm()), "{} {}", after, wanted);
    }

    /// At up to 100 rad/s and 0.1 s: ten radians a step, where forces taken at its beginning would multiply the energy by hundreds.
    #[test]
    fn a_step_without_forces_keeps_energy_and_momentum_at_any_speed(seed: u64) {
        let case = floating(seed, 100.0, Vector3::zeros());
        let (mut at, mut before) = (case, None);
        for _ in 0..20 {
            let ws = at.at(&at.q, &at.v);
            let (energy, momentum) = (at.mb.kinetic_energy(&ws, &at.v), at.mb.tree_momentum(&ws, 0).linear);
            let (energy_0, momentum_0) = *before.get_or_insert((energy, momentum));
            prop_assert!((energy - energy_0).abs() <= 1e-11 * energy_0, "{} {}", energy, energy_0);
            let scale = (2.0 * energy_0 * at.mb.total_mass()).sqrt();
            prop_assert!((momentum - momentum_0).norm() <= 1e-11 * scale);
            (at.q, at.v) = coast(&at, 0.1);
        }
    }

    /// Forces and velocities at the end of a short step are those of the equations of motion: half the step, half the
    /// difference to the bias, and an eighth of what is left of Euler's equations.
    #[test]
    fn the_mean_bias_of_a_short_step_is_the_bias_and_its_spin_is_of_second_order(seed: u64) {
        let case = floating(seed, 3.0, Vector3::new(1.0, -2.0, 3.0));
        let mut bias = vec![0.0; 6];
        case.mb.bias(&mut case.at(&case.q, &case.v), &mut bias);
        let far = |dt: f64| {
            let mean = mean_bias(&case, &case.q, &case.v, dt);
            mean.iter().zip(&bias).map(|(m, b)| (m - b).abs()).fold(0.0, f64::max)
        };
        let scale = 1.0 + max_abs(&bias);
        prop_assert!(far(1e-7) <= 1e-5 * scale, "{}", far(1e-7));
        prop_assert!(far(1e-3) <= 1e-1 * scale, "{}", far(1e-3));

        // Euler's equations by the midpoint rule in a thousand parts, against one step.
        let inertia = case.world.bodies[1].inertia;
        let (i, inverse) = (inertia.rotational, inertia.rotational.try_inverse().unwrap());
        let rate = |w: &Vector3<f64>| inverse * (i * w).cross(w);
        let error = |dt: f64| {
            let mut w = Vector3::new(case.v[3], case.v[4], case.v[5]);
            for _ in 0..1000 {
                let half = w + rate(&w) * (dt / 2000.0);
                w += rate(&half) * (dt / 1000.0);
            }
            // Gravity passes through the centre of mass and leaves the spin alone.
            let (_, v) = coast(&case, dt);
            (w - Vector3::new(v[3], v[4], v[5])).norm()
        };
        let (long, short) = (error(4e-3), error(2e-3));
        prop_assert!(short <= 1e-10 || (long / short - 8.0).abs() < 1.0, "{} {}", long, short);
    }

    #[test]
    fn derivatives_of_the_mean_bias_are_those_of_differences(seed: u64) {
        let case = floating(seed, 20.0, Vector3::new(1.0, -2.0, 3.0));
        let (dt, h) = (0.05, 1e-6);
        let mut ws = case.at(&case.q, &case.v);
        let mut out = Derivatives::new(&case.mb);
        case.mb.inverse_dynamics_derivatives(&mut ws, &case.v, &[0.0; 6], &mut out);
        case.mb.add_mean_bias_derivatives(&ws, &case.v, dt, &mut out);
        let slope = |plus: Vec<f64>, minus: Vec<f64>| DVector::from_vec(plus) - DVector::from_vec(minus);
        let (mut by_q, mut by_v) = (DMatrix::zeros(6, 6), DMatrix::zeros(6, 6));
        for j in 0..6 {
            let mut unit = vec![0.0; 6];
            unit[j] = 1.0;
            let at = |h: f64| mean_bias(&case, &case.moved(&unit, h), &case.v, dt);
            by_q.set_column(j, &(slope(at(h), at(-h)) / (2.0 * h)));
            let at = |h: f64| {
                let v: Vec<f64> = case.v.iter().zip(&unit).map(|(v, u)| v + h * u).collect();
                mean_bias(&case, &case.q, &v, dt)
            };
            by_v.set_column(j, &(slope(at(h), at(-h)) / (2.0 * h)));
        }
        let scale = 1.0 + by_q.abs().max().max(by_v.abs().max());
        prop_assert!((&out.by_q - &by_q).abs().max() <= 1e-7 * scale, "{}{}", out.by_q, by_q);
        prop_assert!((&out.by_v - &by_v).abs().max() <= 1e-7 * scale, "{}{}", out.by_v, by_v);
    }
}
