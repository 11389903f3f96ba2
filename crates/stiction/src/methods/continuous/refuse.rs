//! What continuous time does not do, told when a simulation is made.

use stiction_model::{Dynamics, Transmission, World};

/// The first thing in a world that cannot be honoured, with a remedy.
pub(super) fn refuse(world: &World) -> Option<String> {
    let remedy = "or choose method = convex";
    if let Some(e) = world.equalities.iter().find(|e| e.active) {
        return Some(format!(
            "{}: equality \"{}\" couples joints or bodies, which continuous time does not do: make it inactive, model it \
             by a joint or a spring, {remedy}",
            e.source, e.name
        ));
    }
    if let Some(t) = world.tendons.first() {
        return Some(format!(
            "{}: tendon \"{}\" is not simulated in continuous time: remove it, {remedy}",
            t.source, t.name
        ));
    }
    if let Some(b) = world.bushings.first() {
        return Some(format!(
            "{}: bushing \"{}\" is not simulated in continuous time: remove it, {remedy}",
            b.source, b.name
        ));
    }
    if let Some(p) = world.pairs.first() {
        return Some(format!(
            "{}: a contact pair has properties of its own, which continuous time does not read: give them to its geoms, \
             {remedy}",
            p.source
        ));
    }
    if let Some(s) = world.sensors.iter().find(|s| s.kind.reads_forces()) {
        return Some(format!(
            "{}: sensor \"{}\" reads accelerations or forces, which continuous time does not report to sensors: remove it, \
             {remedy}",
            s.source, s.name
        ));
    }
    let plain = |a: &&stiction_model::Actuator| {
        matches!(a.transmission, Transmission::Joint { .. })
            && a.dynamics == Dynamics::None
            && a.muscle.is_none()
    };
    let a = world.actuators.iter().find(|a| !plain(a))?;
    Some(format!(
        "{}: actuator \"{}\" has an activation, is a muscle or does not act on a joint: continuous time drives joints \
         directly; {remedy}",
        a.source, a.name
    ))
}
