//! Routh's method against closed forms.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use proptest::prelude::*;
use stiction_impact::routh::{Event, Mode};
use stiction_impact::{ImpactError, Restitution, Routh, RouthOptions, routh};

fn run(w: &Matrix3<f64>, u: [f64; 3], mu: f64, restitution: Restitution) -> Routh {
    routh(w, &Vector3::from(u), mu, restitution, &RouthOptions::default()).unwrap()
}

/// Uniform rod of mass 1 and length 1 at θ from the horizontal: m W_tt = 1 + 3 sin²θ, m W_nn = 1 + 3 cos²θ, m W_tn = 3 sinθ cosθ.
fn rod(theta: f64) -> Matrix3<f64> {
    let (s, c) = theta.sin_cos();
    let (tt, nn, tn) = (1.0 + 3.0 * s * s, 1.0 + 3.0 * c * c, 3.0 * s * c);
    Matrix3::new(tt, 0.0, tn, 0.0, 1.0, 0.0, tn, 0.0, nn)
}

/// Solid sphere of mass 1: W_t = 7/2, W_n = 1.
fn sphere() -> Matrix3<f64> {
    Matrix3::from_diagonal(&Vector3::new(3.5, 3.5, 1.0))
}

proptest! {
    #[test]
    fn a_sphere_stops_slipping_iff_friction_can_and_else_loses_seven_halves(
        mu in 0.0..1.5f64, e in 0.0..1.0f64, vt in -3.0..3.0f64, vn in 0.01..3.0f64, angle in 0.0..6.3f64,
    ) {
        for law in [Restitution::Poisson(e), Restitution::Newton(e), Restitution::Stronge(e)] {
            let (s, c) = angle.sin_cos();
            let end = run(&sphere(), [vt * c, vt * s, -vn], mu, law);
            let slip = end.velocity.x * c + end.velocity.y * s;
            let expected = if mu * (1.0 + e) >= 2.0 / 7.0 * (vt / vn).abs() {
                0.0
            } else {
                vt - 3.5 * mu * (1.0 + e) * vn * vt.signum()
            };
            prop_assert!((slip - expected).abs() < 1e-12 * (1.0 + vt.abs()), "{slip} {expected}");
            prop_assert!((end.velocity.z - e * vn).abs() < 1e-12 * vn);
            prop_assert!(end.energy_change() <= 1e-15);
        }
    }

    #[test]
    fn energy_never_rises_with_poisson_and_stronge_and_velocity_is_impulse_through_w(
        a in proptest::array::uniform9(-1.0..1.0f64), u in proptest::array::uniform3(-1.0..1.0f64),
        mu in 0.0..2.0f64, e in 0.0..1.0f64,
    ) {
        let root = Matrix3::from_row_slice(&a);
        let w = root * root.transpose() + Matrix3::identity() * 0.05;
        let u = [u[0], u[1], -u[2].abs() - 0.01];
        for law in [Restitution::Inelastic, Restitution::Poisson(e), Restitution::Stronge(e), Restitution::Newton(e)] {
            let end = run(&w, u, mu, law);
            let start = Vector3::from(u);
            prop_assert!((start + w * end.impulse - end.velocity).amax() < 1e-9, "W");
            prop_assert!(end.impulse.xy().norm() <= mu * end.impulse.z * (1.0 + 1e-9) + 1e-15);
            if !matches!(law, Restitution::Newton(_)) {
                prop_assert!(end.energy_change() <= 1e-12, "{law:?} {}", end.energy_change());
            }
            // The energy told is that of W⁻¹.
            let inverse = w.try_inverse().unwrap();
            let k = |u: &Vector3<f64>| 0.5 * u.dot(&(inverse * u));
            prop_assert!((k(&end.velocity) - k(&start) - end.energy_change()).abs() < 1e-8 * k(&start));
            match law {
                Restitution::Stronge(e) => {
                    let ratio = end.restitution_work + e * e * end.compression_work;
                    prop_assert!(ratio.abs() < 1e-9 * -end.compression_work);
                }
                Restitution::Newton(e) => prop_assert!((end.velocity.z + e * u[2]).abs() < 1e-10),
                _ => {}
            }
            prop_assert!(end.velocity.z >= -1e-12);
        }
    }

    #[test]
    fn outcomes_scale_with_the_velocity(
        a in proptest::array::uniform9(-1.0..1.0f64), u in proptest::array::uniform3(-1.0..1.0f64), k in 0.01..100.0f64,
    ) {
        let root = Matrix3::from_row_slice(&a);
        let w = root * root.transpose() + Matrix3::identity() * 0.05;
        let u = Vector3::new(u[0], u[1], -u[2].abs() - 0.01);
        let one = run(&w, u.into(), 0.4, Restitution::Poisson(0.3)).velocity;
        let many = run(&w, (u * k).into(), 0.4, Restitution::Poisson(0.3)).velocity;
        prop_assert!((one * k - many).amax() < 1e-9 * k, "{one} {many}");
    }
}

#[test]
fn a_rod_at_45_degrees_sticks_from_friction_0_6_on() {
    let w = rod(std::f64::consts::FRAC_PI_4);
    let stuck = run(&w, [0.0, 0.0, -1.0], 0.6 + 1e-9, Restitution::Inelastic);
    assert_eq!(stuck.velocity.xy(), Vector2::zeros());
    assert_eq!(stuck.path.last().unwrap().mode, Mode::Stick);
    let slips = run(&w, [0.0, 0.0, -1.0], 0.6 - 1e-9, Restitution::Inelastic);
    assert!(slips.velocity.x > 1e-10 && slips.path.last().unwrap().mode == Mode::Slip);
}

#[test]
fn painleves_case_begins_at_four_thirds_for_a_rod_at_atan_2() {
    let theta = 2.0f64.atan();
    let w = rod(theta);
    assert!((w.m33 / w.m13 - 4.0 / 3.0).abs() < 1e-15);
    let at = |mu: f64| run(&w, [1.0, 0.0, -0.1], mu, Restitution::Inelastic);
    assert!(!at(4.0 / 3.0 - 1e-6).painleve);
    let jam = at(1.6);
    assert!(jam.painleve);
    // Slip presses the rod down until it stops; it then sticks, and the path ends without approach.
    let stop = jam.events.iter().find(|e| e.0 == Event::SlipStops).unwrap().1;
    assert!(jam.path[stop].velocity.z < -0.1);
    assert!(jam.events.iter().any(|e| e.0 == Event::Sticks));
    assert_eq!(jam.velocity.x, 0.0);
    assert!(jam.velocity.z.abs() < 1e-15 && jam.energy_change() < 0.0);
    // Touching without approach: nothing happens unless something presses it, then the same path.
    let touching = Vector3::new(1.0, 0.0, 0.0);
    let free = routh(&w, &touching, 1.6, Restitution::Inelastic, &RouthOptions::default()).unwrap();
    assert!(!free.happened());
    let pressed = RouthOptions { pressed: true, ..RouthOptions::default() };
    let impact = routh(&w, &touching, 1.6, Restitution::Inelastic, &pressed).unwrap();
    assert!(impact.happened() && impact.velocity.amax() < 1e-15);
    assert!(!routh(&w, &touching, 1.2, Restitution::Inelastic, &pressed).unwrap().happened());
}

#[test]
fn slip_that_turns_follows_the_curve_of_the_theory_notes() {
    // Contact under the centre of mass, W_tt = diag(3.4, 1.7), μ = 0.3: a slow u_n lets the whole curve be seen.
    let w = Matrix3::from_diagonal(&Vector3::new(3.4, 1.7, 1.0));
    let end = run(&w, [1.0, 0.8, -1.35628], 0.3, Restitution::Inelastic);
    assert!((end.velocity.xy().norm() - 0.3).abs() < 1e-5);
    assert!((end.velocity.x - 0.118634).abs() < 1e-5);
    // The invariant of this curve: d ln u_x = 2 d ln u_y.
    assert!((end.velocity.x - (end.velocity.y / 0.8).powi(2)).abs() < 1e-11);
}

#[test]
fn slip_stops_where_a_fine_integration_says() {
    // Against ten million explicit steps' limit by Richardson on two resolutions.
    let w = Matrix3::new(2.0, 0.4, 0.5, 0.4, 1.1, -0.3, 0.5, -0.3, 1.5);
    let (mu, u0) = (0.9, Vector3::new(0.5, -0.4, -2.0));
    let brute = |steps: usize| {
        let mut u = u0;
        let dp = 1.0 / steps as f64;
        let mut p = 0.0;
        let f = |u: &Vector3<f64>| {
            let t = u.xy() / u.xy().norm();
            w * Vector3::new(-mu * t.x, -mu * t.y, 1.0)
        };
        while u.xy().norm() > 2e-3 {
            let k1 = f(&u);
            let k2 = f(&(u + 0.5 * dp * k1));
            let k3 = f(&(u + 0.5 * dp * k2));
            let k4 = f(&(u + dp * k3));
            u += dp / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            p += dp;
        }
        // The rest is straight to first order.
        let t = u.xy() / u.xy().norm();
        p + u.xy().norm() / -t.dot(&f(&u).xy())
    };
    let end = run(&w, u0.into(), mu, Restitution::Inelastic);
    let stop = end.events.iter().find(|e| e.0 == Event::SlipStops).unwrap().1;
    assert!((end.path[stop].impulse.z - brute(400_000)).abs() < 2e-6);
    assert!(end.path[stop].velocity.xy().norm() < 1e-12);
}

#[test]
fn slip_resumes_in_the_direction_in_which_it_can_grow() {
    let w = Matrix3::new(1.0, 0.1, 0.7, 0.1, 1.2, 0.3, 0.7, 0.3, 1.0);
    let (mu, wtt, wtn) = (0.2, Matrix2::new(1.0, 0.1, 0.1, 1.2), Vector2::new(0.7, 0.3));
    let end = run(&w, [0.0, 0.0, -1.0], mu, Restitution::Inelastic);
    let t = end.velocity.xy().normalize();
    let rate = wtn - mu * wtt * t;
    assert!(t.dot(&rate) > 0.0 && t.perp(&rate).abs() < 1e-12);
}

/// Kane's double pendulum: two uniform rods of unit mass and length, angles 20° and 30° from the hanging vertical.
fn kane() -> (Matrix2<f64>, Vector2<f64>, nalgebra::Matrix3x2<f64>) {
    let (a, b) = (20f64.to_radians(), 30f64.to_radians());
    // Absolute angles: M = [4/3, ½ cos(a − b); ·, 1/3].
    let c = 0.5 * (a - b).cos();
    let mass = Matrix2::new(4.0 / 3.0, c, c, 1.0 / 3.0);
    // Tip: x = sin a + sin b, height −(cos a + cos b); normal is up, away from the floor.
    let j = nalgebra::Matrix3x2::new(a.cos(), b.cos(), 0.0, 0.0, a.sin(), b.sin());
    let rates = Vector2::new(-0.1, -0.2);
    (mass, rates, j)
}

#[test]
fn kanes_double_pendulum_loses_energy_under_poisson_and_stronge() {
    let (mass, rates, j) = kane();
    let (w, u) = (j * mass.try_inverse().unwrap() * j.transpose(), j * rates);
    let before = 0.5 * rates.dot(&(mass * rates));
    assert!((before - 0.023181).abs() < 5e-7, "{before}");
    let after = |law: Restitution| {
        let end = run(&w, u.into(), 0.5, law);
        let v = rates + mass.try_inverse().unwrap() * j.transpose() * end.impulse;
        let k = 0.5 * v.dot(&(mass * v));
        assert!((k - before - end.energy_change()).abs() < 1e-15);
        (k, end.velocity)
    };
    assert!((after(Restitution::Poisson(0.5)).0 - 0.012636).abs() < 5e-7);
    assert!((after(Restitution::Stronge(0.5)).0 - 0.012824).abs() < 5e-7);
    for law in [
        Restitution::Inelastic,
        Restitution::Poisson(0.0),
        Restitution::Stronge(0.0),
        Restitution::Newton(0.0),
    ] {
        let (k, u) = after(law);
        assert!((k - 0.011906).abs() < 5e-7, "{law:?} {k}");
        assert!((u.x + 0.05934).abs() < 5e-6 && u.z.abs() < 1e-15);
    }
    // The algebraic law: Newton's restitution, stick if the cone holds it, else slip with the initial direction.
    let target = Vector3::new(0.0, 0.0, -0.5 * u.z);
    let block = Matrix2::new(w.m11, w.m13, w.m31, w.m33);
    let stick = block.try_inverse().unwrap() * Vector2::new(target.x - u.x, target.z - u.z);
    let impulse = if stick.x.abs() <= 0.5 * stick.y {
        stick
    } else {
        let side = -0.5 * u.x.signum();
        let n = (target.z - u.z) / (w.m33 + w.m13 * side);
        Vector2::new(side * n, n)
    };
    let v = rates + mass.try_inverse().unwrap() * j.transpose() * Vector3::new(impulse.x, 0.0, impulse.y);
    let kane_levinson = 0.5 * v.dot(&(mass * v));
    assert!((kane_levinson - 0.036800).abs() < 5e-7, "{kane_levinson}");
}

#[test]
fn wrong_input_is_told() {
    let (w, u) = (sphere(), Vector3::new(0.0, 0.0, -1.0));
    let with = |mu: f64, law: Restitution| routh(&w, &u, mu, law, &RouthOptions::default());
    assert!(matches!(
        with(-0.1, Restitution::Inelastic),
        Err(ImpactError::Option { option: "friction", .. })
    ));
    assert!(matches!(
        with(0.1, Restitution::Poisson(1.5)),
        Err(ImpactError::Option { option: "restitution", .. })
    ));
    let zero = routh(&Matrix3::zeros(), &u, 0.1, Restitution::Inelastic, &RouthOptions::default());
    assert!(matches!(zero, Err(ImpactError::Option { option: "W", .. })));
}
