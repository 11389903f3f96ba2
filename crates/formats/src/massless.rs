//! Joints that move no mass cannot be simulated: they are held, with a warning.

use crate::error::Read;
use crate::report::Report;
use stiction_model::World;

/// Locks every joint below which there is no mass and that has no inertia of its own.
pub fn hold(world: &mut World, report: &mut Report) -> Read<()> {
    let mut mass: Vec<f64> = world.bodies.iter().map(|b| b.inertia.mass).collect();
    for b in (1..world.bodies.len()).rev() {
        if let Some(parent) = world.bodies[b].parent {
            mass[parent] += mass[b];
        }
    }
    for (body, mass) in world.bodies.iter_mut().zip(mass) {
        if mass > 0.0 {
            continue;
        }
        for joint in
            body.joints.iter_mut().filter(|j| j.dofs.iter().any(|d| d.armature + d.rotor_inertia <= 0.0))
        {
            joint.locked = true;
            let message = format!(
                "the joint \"{}\" moves links without any mass, so it is held in place; give them an inertial",
                joint.name
            );
            report.warn_at(body.source.clone(), &format!("massless {}", joint.name), message)?;
        }
    }
    Ok(())
}
