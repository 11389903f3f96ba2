//! What several tests of readers need.

use stiction_model::{Pose, World};

/// Poses in the world of all bodies, with every joint at its reference.
pub fn poses(world: &World) -> Vec<Pose> {
    let mut all: Vec<Pose> = Vec::new();
    for body in &world.bodies {
        let x = body.parent.map_or(body.pose, |p| all[p] * body.pose);
        all.push(x);
    }
    all
}
