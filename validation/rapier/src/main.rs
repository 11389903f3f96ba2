//! The clutter scene in Rapier (f32, its default solver settings).
//!
//! Reads the scene from standard input, one line each: a header `step steps friction density`, then
//! `fixed x y z hx hy hz` for walls, `sphere x y z r` and `box x y z h` for objects, in metres.
//! Prints the seconds that stepping took and the mean height of the objects at the end.

use std::io::Read;
use std::time::Instant;

use rapier3d::prelude::*;

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("a scene on standard input");
    let mut lines = text.lines();
    let header = numbers(lines.next().expect("a header"));
    let [step, steps, friction, density] = header[..] else { panic!("step steps friction density") };

    let mut bodies = RigidBodySet::new();
    let mut colliders = ColliderSet::new();
    let mut objects = Vec::new();
    for line in lines {
        let (kind, rest) = line.split_once(' ').expect("kind and numbers");
        let n = numbers(rest);
        let (shape, fixed) = match kind {
            "fixed" => (ColliderBuilder::cuboid(n[3], n[4], n[5]), true),
            "box" => (ColliderBuilder::cuboid(n[3], n[3], n[3]), false),
            "sphere" => (ColliderBuilder::ball(n[3]), false),
            other => panic!("unknown kind {other}"),
        };
        let builder = if fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
        let handle = bodies.insert(builder.translation(Vector::new(n[0], n[1], n[2])).can_sleep(false));
        colliders.insert_with_parent(shape.friction(friction).density(density), handle, &mut bodies);
        if !fixed {
            objects.push(handle);
        }
    }

    let mut pipeline = PhysicsPipeline::new();
    let mut islands = IslandManager::new();
    let mut broad_phase = DefaultBroadPhase::new();
    let mut narrow_phase = NarrowPhase::new();
    let mut impulse_joints = ImpulseJointSet::new();
    let mut multibody_joints = MultibodyJointSet::new();
    let mut soft_bodies = SoftBodySet::new();
    let mut ccd = CCDSolver::new();
    let parameters = IntegrationParameters { dt: step, ..Default::default() };
    let gravity = Vector::new(0.0, 0.0, -9.81);
    let start = Instant::now();
    for _ in 0..steps as usize {
        pipeline.step(
            gravity,
            &parameters,
            &mut islands,
            &mut broad_phase,
            &mut narrow_phase,
            &mut bodies,
            &mut colliders,
            &mut impulse_joints,
            &mut multibody_joints,
            &mut soft_bodies,
            &mut ccd,
            &(),
            &(),
        );
    }
    let seconds = start.elapsed().as_secs_f64();
    let height: f32 = objects.iter().map(|handle| bodies[*handle].translation().z).sum();
    println!("{seconds} {}", height / objects.len() as f32);
}

fn numbers(text: &str) -> Vec<f32> {
    text.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}
