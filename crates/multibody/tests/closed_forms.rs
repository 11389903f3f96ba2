//! Motions whose solution is known.

mod common;
use common::{Case, Stepper, jointed};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction_model::{Inertia, JointKind, World};
use stiction_multibody::{MassMatrix, Multibody, Workspace};

const G: f64 = 9.81;

fn point_mass(mass: f64, com: Vector3<f64>) -> Inertia {
    Inertia { mass, com, rotational: Matrix3::zeros() }
}

fn y_hinge() -> JointKind {
    JointKind::Hinge { axis: Vector3::y() }
}

fn pendulum(length: f64) -> World {
    let mut world = World::new("pendulum");
    world.bodies.push(jointed("bob", 0, y_hinge(), point_mass(2.0, Vector3::new(0.0, 0.0, -length))));
    world
}

#[test]
fn pendulum_accelerates_with_g_sin_over_length() {
    let mut case = Case::of(pendulum(0.7), 1);
    let vdot = case.aba(&[0.0]);
    assert!((vdot[0] + G / 0.7 * case.q[0].sin()).abs() < 1e-13);
}

/// T = 2π √(l/g) / agm(1, cos(θ₀/2)): after a quarter of it a pendulum let go at θ₀ hangs straight down.
#[test]
fn pendulum_swings_with_the_exact_period_at_large_amplitude() {
    let (length, amplitude) = (0.7, 2.0f64);
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let period = std::f64::consts::TAU * (length / G).sqrt() / a;
    let mb = Multibody::new(&pendulum(length)).unwrap();
    let mut stepper = Stepper { mb: &mb, ws: Workspace::new(&mb), q: vec![amplitude], v: vec![0.0] };
    for _ in 0..1000 {
        stepper.step(period / 4.0 / 1000.0, 4);
    }
    assert!(stepper.q[0].abs() < 1e-10, "{}", stepper.q[0]);
    // There all its energy is kinetic: ½ v² l = g (1 − cos θ₀).
    let speed = (2.0 * G / length * (1.0 - amplitude.cos())).sqrt();
    assert!((stepper.v[0] + speed).abs() < 1e-9);
}

/// The textbook equations of two point masses on massless rods, second angle relative to the first.
#[test]
fn double_pendulum_obeys_its_equations_of_motion() {
    let (m1, m2, l1, l2) = (1.3, 0.8, 0.9, 0.6);
    let mut world = World::new("double pendulum");
    world.bodies.push(jointed("upper", 0, y_hinge(), point_mass(m1, Vector3::new(0.0, 0.0, -l1))));
    let mut lower = jointed("lower", 1, y_hinge(), point_mass(m2, Vector3::new(0.0, 0.0, -l2)));
    lower.pose.translation.vector = Vector3::new(0.0, 0.0, -l1);
    world.bodies.push(lower);
    for seed in 0..50 {
        let mut case = Case::of(world.clone(), seed);
        let (q, v) = (case.q.clone(), case.v.clone());
        let m12 = m2 * l2 * l2 + m2 * l1 * l2 * q[1].cos();
        let m11 = (m1 + m2) * l1 * l1 + m2 * l2 * l2 + 2.0 * m2 * l1 * l2 * q[1].cos();
        let m22 = m2 * l2 * l2;
        let h = -m2 * l1 * l2 * q[1].sin();
        let low = m2 * l2 * G * (q[0] + q[1]).sin();
        let b1 = h * (2.0 * v[0] * v[1] + v[1] * v[1]) + (m1 + m2) * l1 * G * q[0].sin() + low;
        let b2 = -h * v[0] * v[0] + low;
        let mut mass = MassMatrix::new(&case.mb);
        case.mb.mass_matrix(&mut case.ws, &mut mass);
        let mut bias = [0.0; 2];
        case.mb.bias(&mut case.ws, &mut bias);
        for (ours, exact) in [(mass.get(0, 0), m11), (mass.get(0, 1), m12), (mass.get(1, 1), m22)] {
            assert!((ours - exact).abs() < 1e-13);
        }
        assert!((bias[0] - b1).abs() < 1e-12 && (bias[1] - b2).abs() < 1e-12);
        let vdot = case.aba(&[0.0, 0.0]);
        let det = m11 * m22 - m12 * m12;
        assert!((vdot[0] - (-m22 * b1 + m12 * b2) / det).abs() < 1e-9);
        assert!((vdot[1] - (m12 * b1 - m11 * b2) / det).abs() < 1e-9);
    }
}

/// A nut on a frictionless vertical screw of lead h: θ̈ = −m g h / (I + m h²).
#[test]
fn nut_runs_down_its_screw() {
    let (mass, inertia, pitch) = (0.4, 0.003, 0.2);
    let mut world = World::new("screw");
    let rotational = Matrix3::from_diagonal_element(inertia);
    let body = Inertia { mass, com: Vector3::zeros(), rotational };
    world.bodies.push(jointed("nut", 0, JointKind::Screw { axis: Vector3::z(), pitch }, body));
    let mut case = Case::of(world, 3);
    let lead = pitch / std::f64::consts::TAU;
    let vdot = case.aba(&[0.0]);
    assert!((vdot[0] + mass * G * lead / (inertia + mass * lead * lead)).abs() < 1e-12);
    let height = case.mb.origin(&case.ws, 1).z;
    assert!((height - lead * case.q[0]).abs() < 1e-15);
}

/// Euler: a free symmetric body's angular velocity turns about its axis at (C − A)/A ω₃ in body axes.
#[test]
fn free_symmetric_body_precesses_at_eulers_rate() {
    let (a, c) = (0.5, 0.8);
    let rotational = Matrix3::from_diagonal(&Vector3::new(a, a, c));
    let mut world = World::new("top");
    world.bodies.push(jointed(
        "top",
        0,
        JointKind::Free,
        Inertia { mass: 1.0, com: Vector3::zeros(), rotational },
    ));
    let mb = Multibody::new(&world).unwrap();
    let (w1, w3) = (0.9, 4.0);
    let mut stepper = Stepper {
        mb: &mb,
        ws: Workspace::new(&mb),
        q: mb.default_q().to_vec(),
        v: vec![0.2, -0.1, 3.0, w1, 0.0, w3],
    };
    let time = 1.5;
    for _ in 0..3000 {
        stepper.step(time / 3000.0, 4);
    }
    let angle = (c - a) / a * w3 * time;
    let expected = Vector3::new(w1 * angle.cos(), w1 * angle.sin(), w3);
    let ours = Vector3::from_column_slice(&stepper.v[3..6]);
    assert!((ours - expected).norm() < 1e-10, "{ours} {expected}");
    // In space the axis turns about the angular momentum L, which started as (A w1, 0, C w3), at L/A.
    let momentum = Vector3::new(a * w1, 0.0, c * w3);
    let turn = UnitQuaternion::from_scaled_axis(momentum / a * time);
    let axis = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
        stepper.q[3],
        stepper.q[4],
        stepper.q[5],
        stepper.q[6],
    )) * Vector3::z();
    assert!((axis - turn * Vector3::z()).norm() < 1e-10);
    // Its centre falls as a thrown stone.
    assert!((stepper.q[2] - (3.0 * time - 0.5 * G * time * time)).abs() < 1e-11);
}

/// A heavy symmetric top on a ball joint precesses steadily about the vertical at Ω when its spin ω₃
/// satisfies A Ω² cos θ − C ω₃ Ω + m g l = 0: then dω/dt = Ω ẑ × ω.
#[test]
fn heavy_top_precesses_steadily() {
    let (mass, length, axial) = (0.7, 0.3, 0.004);
    let about_com = 0.01;
    let about_pivot = about_com + mass * length * length;
    let rotational = Matrix3::from_diagonal(&Vector3::new(about_com, about_com, axial));
    let mut world = World::new("heavy top");
    let inertia = Inertia { mass, com: Vector3::new(0.0, 0.0, length), rotational };
    world.bodies.push(jointed("top", 0, JointKind::Ball, inertia));
    let mut case = Case::of(world, 1);
    let (tilt, precession) = (0.6f64, 1.7);
    let spin =
        (about_pivot * precession * precession * tilt.cos() + mass * G * length) / (axial * precession);
    let attitude = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt);
    let axis = attitude * Vector3::z();
    // The angular velocity: Ω ẑ plus what is missing along the axis to make its share ω₃.
    let w = precession * Vector3::z() + (spin - precession * tilt.cos()) * axis;
    let w_body = attitude.inverse() * w;
    case.q = vec![attitude.w, attitude.i, attitude.j, attitude.k];
    case.v = w_body.as_slice().to_vec();
    case.ws = case.at(&case.q, &case.v);
    case.aba(&[0.0; 3]);
    let rate = case.mb.acceleration(&case.ws, 1).fixed_rows::<3>(0).into_owned();
    assert!((rate - precession * Vector3::z().cross(&w)).norm() < 1e-11 * w.norm());
}
