//! Joints that move no mass cannot be simulated: they are held, with a warning.

use crate::error::Read;
use crate::report::Report;
use stiction_model::World;

/// Locks every joint that moves no inertia.
pub fn hold(world: &mut World, report: &mut Report) -> Read<()> {
    for (b, j) in world.joints_without_inertia() {
        let body = &mut world.bodies[b];
        let joint = &mut body.joints[j];
        joint.locked = true;
        let message = format!(
            "the joint \"{}\" moves links without any mass, so it is held in place; give them an inertial",
            joint.name
        );
        report.warn_at(body.source.clone(), &format!("massless {}", joint.name), message)?;
    }
    Ok(())
}
