//! Bodies with contact properties, and states of them.

use super::{Magnitudes, Random};
use stiction::State;

/// Properties of a geom, all of them stated.
pub fn tags(stiffness: f64, friction: f64, more: &str) -> String {
    format!(
        "<drake:proximity_properties><drake:point_contact_stiffness value=\"{stiffness}\"/>\
         <drake:hunt_crossley_dissipation value=\"4\"/><drake:relaxation_time value=\"3e-3\"/>\
         <drake:mu_static value=\"{friction}\"/><drake:mu_dynamic value=\"{}\"/>{more}</drake:proximity_properties>",
        0.8 * friction
    )
}

/// A plane with these properties.
pub fn floor() -> String {
    format!("<geom name=\"floor\" type=\"plane\" size=\"5 5 1\">{}</geom>", tags(4e4, 0.7, ""))
}

/// A free body with one geom, of unequal moments of inertia and an off-centre mass.
pub fn body(name: &str, geom: &str, tags: &str) -> String {
    format!(
        "<body name=\"{name}\"><freejoint/><inertial pos=\"0.02 -0.01 0.03\" mass=\"0.8\" diaginertia=\"0.004 0.006 0.008\" \
         quat=\"0.9 0.1 -0.2 0.3\"/><geom name=\"{name}\" {geom}>{tags}</geom></body>"
    )
}

/// Puts the free body whose coordinates begin at `q` to a place and a turn.
pub fn place(state: &mut State, q: usize, p: [f64; 3], turn: [f64; 3]) {
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::from(turn));
    state.q[q..q + 3].copy_from_slice(&p);
    state.q[q + 3..q + 7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
}

/// Velocities from far below sticking to fast sliding.
pub fn shake(state: &mut State, r: &mut Random) {
    let size = r.power(-4.0, 0.0);
    state.v.iter_mut().for_each(|v| *v = size * r.sym());
}
