//! Times the dynamics from q and v on a six-joint arm and a humanoid-like tree of 34 velocities:
//! `cargo run --release -p stiction-multibody --example speed`.
//!
//! Each number is the smallest mean over many batches, in microseconds, and includes the kinematics it
//! needs: RNEA and ABA start from q and v, CRBA from q. A number as argument runs each function that many
//! times without timing, for instruction counts.

use nalgebra::{Matrix3, Vector3};
use std::hint::black_box;
use std::time::Instant;
use stiction_model::{Body, Inertia, Joint, JointKind, Pose, World};
use stiction_multibody::{Factor, MassMatrix, Multibody, Workspace};

fn link(world: &mut World, parent: usize, offset: [f64; 3], kind: JointKind) -> usize {
    let index = world.bodies.len();
    let mut body = Body::new(format!("link {index}"), parent);
    body.pose = Pose::new(Vector3::from(offset), 0.1 * Vector3::new(1.0, 0.5 * index as f64, -1.0));
    body.inertia = Inertia {
        mass: 1.0 + 0.1 * index as f64,
        com: Vector3::new(0.01, 0.02, -0.1),
        rotational: Matrix3::new(0.02, 1e-3, 0.0, 1e-3, 0.03, 2e-3, 0.0, 2e-3, 0.015),
    };
    body.joints.push(Joint::new(format!("joint {index}"), kind));
    world.bodies.push(body);
    index
}

fn chain(world: &mut World, mut at: usize, joints: usize) -> usize {
    let axes = [Vector3::z(), Vector3::y(), Vector3::x()];
    for k in 0..joints {
        at = link(world, at, [0.0, 0.05, -0.2], JointKind::Hinge { axis: axes[k % 3] });
    }
    at
}

fn arm() -> World {
    let mut world = World::new("arm");
    chain(&mut world, 0, 6);
    world
}

/// A free pelvis, two legs of six joints, a waist of two, and two arms of seven.
fn humanoid() -> World {
    let mut world = World::new("humanoid");
    let pelvis = link(&mut world, 0, [0.0, 0.0, 1.0], JointKind::Free);
    chain(&mut world, pelvis, 6);
    chain(&mut world, pelvis, 6);
    let chest = chain(&mut world, pelvis, 2);
    chain(&mut world, chest, 7);
    chain(&mut world, chest, 7);
    world
}

/// Smallest mean time of `work` over batches, µs.
fn best(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let start = Instant::now();
        for _ in 0..200 {
            work();
        }
        best = best.min(start.elapsed().as_secs_f64() / 200.0);
    }
    best * 1e6
}

fn main() {
    let repetitions: Option<usize> = std::env::args().nth(1).and_then(|a| a.parse().ok());
    for world in [arm(), humanoid()] {
        let mb = Multibody::new(&world).expect("a sound world");
        let mut ws = Workspace::new(&mb);
        let (nq, nv) = (mb.nq(), mb.nv());
        let mut q: Vec<f64> = (0..nq).map(|i| 0.3 + 0.05 * i as f64).collect();
        mb.normalize(&mut q);
        let v: Vec<f64> = (0..nv).map(|i| 0.1 * i as f64 - 0.5).collect();
        let a: Vec<f64> = (0..nv).map(|i| 0.2 * i as f64 - 1.0).collect();
        let mut out = vec![0.0; nv];
        let (mut mass, mut factor) = (MassMatrix::new(&mb), Factor::new(&mb));

        let mut rnea = |ws: &mut Workspace| {
            mb.positions(black_box(&q), ws);
            mb.velocities(black_box(&v), ws);
            mb.inverse_dynamics(ws, black_box(&a), &mut out);
            black_box(&out);
        };
        let mut out = vec![0.0; nv];
        let mut aba = |ws: &mut Workspace| {
            mb.positions(black_box(&q), ws);
            mb.velocities(black_box(&v), ws);
            mb.forward_dynamics(ws, black_box(&a), &mut out);
            black_box(&out);
        };
        if let Some(n) = repetitions {
            for _ in 0..n {
                rnea(&mut ws);
                aba(&mut ws);
                mb.positions(black_box(&q), &mut ws);
                mb.mass_matrix(&mut ws, &mut mass);
                factor.compute(&mass, &[]);
            }
            continue;
        }
        println!("{} ({nv} velocities)", world.name);
        println!("  positions             {:7.3} µs", best(|| mb.positions(black_box(&q), &mut ws)));
        println!("  velocities            {:7.3} µs", best(|| mb.velocities(black_box(&v), &mut ws)));
        println!("  RNEA from q, v        {:7.3} µs", best(|| rnea(&mut ws)));
        println!(
            "  CRBA from q           {:7.3} µs",
            best(|| {
                mb.positions(black_box(&q), &mut ws);
                mb.mass_matrix(&mut ws, &mut mass);
                black_box(&mass);
            })
        );
        println!("  ABA from q, v         {:7.3} µs", best(|| aba(&mut ws)));
        println!(
            "  LᵀDL factor           {:7.3} µs",
            best(|| {
                factor.compute(black_box(&mass), &[]);
                black_box(&factor);
            })
        );
        let mut x = v.clone();
        println!("  LᵀDL solve            {:7.3} µs", best(|| factor.solve(black_box(&mut x))));
    }
}
