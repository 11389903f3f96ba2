//! Identities of the dynamics on random trees of every joint kind.

mod common;
use common::{Case, RandomMechanics, dot, max_abs, moved, relative};
use proptest::prelude::*;
use stiction_multibody::{Factor, MassMatrix};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn half_v_m_v_is_the_kinetic_energy(seed: u64) {
        let mut case = Case::new(seed);
        let mut mv = vec![0.0; case.nv()];
        case.mass().multiply(&case.v, &mut mv);
        let energy = case.mb.kinetic_energy(&case.ws, &case.v);
        prop_assert!((0.5 * dot(&case.v, &mv) - energy).abs() <= 1e-12 * energy.max(1.0));
    }

    /// Inverse dynamics is affine in v̇ with M as its slope.
    #[test]
    fn slope_of_inverse_dynamics_is_the_mass_matrix(seed: u64) {
        let mut case = Case::new(seed);
        let dense = case.mass().to_dense();
        let zero = case.rnea(&vec![0.0; case.nv()]);
        let scale = dense.abs().max() + max_abs(&zero);
        for j in 0..case.nv() {
            let mut unit = vec![0.0; case.nv()];
            unit[j] = 1.0;
            let tau = case.rnea(&unit);
            for i in 0..case.nv() {
                prop_assert!((tau[i] - zero[i] - dense[(i, j)]).abs() <= 1e-12 * scale);
            }
        }
    }

    #[test]
    fn inverse_dynamics_without_acceleration_is_the_bias(seed: u64) {
        let mut case = Case::new(seed);
        let mut bias = vec![0.0; case.nv()];
        case.mb.bias(&mut case.ws, &mut bias);
        let tau = case.rnea(&vec![0.0; case.nv()]);
        prop_assert!(relative(&bias, &tau, 1.0) <= 1e-14);
    }

    /// Residual of the equations of motion, so that a nearly singular M does not blur the test.
    #[test]
    fn forward_dynamics_inverts_inverse_dynamics(seed: u64) {
        let mut case = Case::new(seed);
        let tau = case.r.vector(case.nv());
        let vdot = case.aba(&tau);
        let back = case.rnea(&vdot);
        let scale = 1.0 + case.mass().to_dense().abs().max() * max_abs(&vdot);
        prop_assert!(relative(&back, &tau, scale) <= 1e-10, "{}", relative(&back, &tau, scale));
    }

    #[test]
    fn factor_solves_with_the_mass_matrix(seed: u64) {
        let mut case = Case::new(seed);
        let mass = case.mass();
        let mut factor = Factor::new(&case.mb);
        let added: Vec<f64> = (0..case.nv()).map(|_| case.r.range(0.0, 0.1)).collect();
        for added in [&[][..], &added] {
            prop_assert!(factor.compute(&mass, added));
            let rhs = case.r.vector(case.nv());
            let mut x = rhs.clone();
            factor.solve(&mut x);
            let mut back = vec![0.0; case.nv()];
            mass.multiply(&x, &mut back);
            for (i, d) in added.iter().enumerate() {
                back[i] += d * x[i];
            }
            let scale = 1.0 + mass.to_dense().abs().max() * max_abs(&x);
            prop_assert!(relative(&back, &rhs, scale) <= 1e-12);
        }
    }

    #[test]
    fn mass_matrix_is_positive_definite(seed: u64) {
        let mut case = Case::new(seed);
        let dense = case.mass().to_dense();
        if case.nv() > 0 {
            prop_assert!(nalgebra::Cholesky::new(dense).is_some());
        }
    }

    /// dE/dt = τ·v along the motion that forward dynamics prescribes.
    #[test]
    fn power_in_is_the_rate_of_energy(seed: u64) {
        let mut case = Case::new(seed);
        let tau = case.r.vector(case.nv());
        let vdot = case.aba(&tau);
        // A nearly singular mass matrix accelerates without bound; differences say nothing there.
        prop_assume!(max_abs(&vdot) < 300.0);
        let energy = |h: f64| {
            // Second order in h: the midpoint of v over the step moves q.
            let v: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + h * a).collect();
            let mid: Vec<f64> = case.v.iter().zip(&vdot).map(|(v, a)| v + 0.5 * h * a).collect();
            let ws = case.at(&case.moved(&mid, h), &v);
            case.mb.kinetic_energy(&ws, &v) + case.mb.potential_energy(&ws)
        };
        let h = 1e-5 / (1.0 + max_abs(&vdot)).sqrt();
        let rate = (energy(h) - energy(-h)) / (2.0 * h);
        let power = dot(&tau, &case.v);
        let scale = 1.0 + energy(0.0).abs() + max_abs(&vdot);
        prop_assert!((rate - power).abs() <= 1e-6 * scale, "{rate} {power}");
    }

    #[test]
    fn gravity_forces_are_the_gradient_of_the_potential(seed: u64) {
        let mut case = Case::new(seed);
        let mut forces = vec![0.0; case.nv()];
        case.mb.gravity_forces(&mut case.ws, &mut forces);
        let h = 1e-6;
        for i in 0..case.nv() {
            let mut unit = vec![0.0; case.nv()];
            unit[i] = 1.0;
            let u = |h: f64| case.mb.potential_energy(&case.at(&case.moved(&unit, h), &case.v));
            let slope = (u(h) - u(-h)) / (2.0 * h);
            prop_assert!((slope - forces[i]).abs() <= 1e-7 * (1.0 + u(0.0).abs() + forces[i].abs()));
        }
        // They are the bias at rest.
        case.mb.velocities(&vec![0.0; case.nv()], &mut case.ws);
        let mut bias = vec![0.0; case.nv()];
        case.mb.bias(&mut case.ws, &mut bias);
        prop_assert!(relative(&bias, &forces, 1.0) <= 1e-13);
    }

    /// From T = ½ vᵀ M v and dT/dt = v·τ, with τ = M v̇ + bias and no gravity: v·bias = ½ vᵀ Ṁ v.
    #[test]
    fn coriolis_forces_do_the_work_of_the_changing_mass(seed: u64) {
        let mut case = Case::new(seed);
        case.ws.gravity = nalgebra::Vector3::zeros();
        let mut bias = vec![0.0; case.nv()];
        case.mb.bias(&mut case.ws, &mut bias);
        let twice_kinetic = |h: f64| {
            let mut ws = case.at(&moved(&case.mb, &case.q, &case.v, h), &case.v);
            let mut m = MassMatrix::new(&case.mb);
            case.mb.mass_matrix(&mut ws, &mut m);
            let mut mv = vec![0.0; case.nv()];
            m.multiply(&case.v, &mut mv);
            dot(&case.v, &mv)
        };
        let h = 1e-5;
        let rate = (twice_kinetic(h) - twice_kinetic(-h)) / (2.0 * h);
        let work = dot(&bias, &case.v);
        prop_assert!((work - 0.5 * rate).abs() <= 1e-7 * (1.0 + work.abs() + twice_kinetic(0.0)));
    }
}
