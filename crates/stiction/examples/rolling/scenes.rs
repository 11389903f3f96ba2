//! Bodies that roll without slip, as MJCF, and the change of their energy.

use stiction::{Format, Model, Options, Simulation};

/// A body that rolls.
pub struct Scene {
    pub name: &'static str,
    mjcf: String,
    /// Position of the body and its velocity: linear in the world, angular in the body.
    q: [f64; 7],
    v: [f64; 6],
}

impl Scene {
    /// Change of the energy after `time`, over the kinetic energy that the body had or gained.
    pub fn drift(&self, options: Options, time: f64) -> f64 {
        let model =
            Model::from_string(&self.mjcf, Format::Mjcf, &Default::default()).expect("a scene that loads");
        let mut sim = Simulation::new(&model, options).expect("options that are allowed");
        let state = sim.state_mut();
        state.q.copy_from_slice(&self.q);
        state.v.copy_from_slice(&self.v);
        let begin = sim.energy();
        sim.run_until(time).expect("finite numbers");
        let end = sim.energy();
        let scale = begin.kinetic.max(end.kinetic);
        (end.total() - begin.total()) / scale
    }
}

/// Stiff and without dissipation of the normal force.
fn geom(shape: &str, more: &str) -> String {
    format!(
        "<geom {shape} friction=\"1 0 0\"><drake:proximity_properties>{more}</drake:proximity_properties></geom>"
    )
}

const RIGID: &str =
    "<drake:point_contact_stiffness value=\"1e7\"/><drake:hunt_crossley_dissipation value=\"0\"/>";
const SOFT: &str = "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value=\"1e6\"/>\
                    <drake:hunt_crossley_dissipation value=\"0\"/><drake:mesh_resolution_hint value=\"0.02\"/>";

/// A world with a plane whose normal is turned by `slope` about y, and a body.
fn world(slope: f64, shape: &str, inertial: &str, more: &str) -> String {
    let quat = format!("{} 0 {} 0", (0.5 * slope).cos(), (0.5 * slope).sin());
    let plane = geom(&format!("type=\"plane\" size=\"9 9 1\" quat=\"{quat}\""), RIGID);
    let body = geom(shape, more);
    format!("<mujoco><worldbody>{plane}<body><freejoint/>{inertial}{body}</body></worldbody></mujoco>")
}

fn ball(name: &'static str, more: &str, sink: f64) -> Scene {
    let (slope, height) = (0.3_f64, 0.1 - sink);
    let (s, c) = slope.sin_cos();
    Scene {
        name,
        mjcf: world(slope, "type=\"sphere\" size=\"0.1\" mass=\"1\"", "", more),
        q: [height * s, 0.0, height * c, 1.0, 0.0, 0.0, 0.0],
        v: [0.0; 6],
    }
}

/// A disk whose axis leans by `lean` from the vertical, which rolls on its rim about a point at rest: its centre does not move,
/// Ω² = 4 g/(R sin lean) for a thin disk.
fn disk() -> Scene {
    let (radius, half, lean) = (0.1_f64, 1e-3, 0.5_f64);
    let (s, c) = lean.sin_cos();
    // A thin disk without slip whose centre rests: ω = Ω sin(lean) about the diameter through the contact, up the slope.
    let rate = (4.0 * 9.81 / (radius * s)).sqrt();
    let height = radius * s + half * c;
    Scene {
        name: "Euler's disk",
        mjcf: world(0.0, &format!("type=\"cylinder\" size=\"{radius} {half}\" mass=\"0.4\""), "", RIGID),
        q: [0.0, 0.0, height, (0.5 * lean).cos(), 0.0, (0.5 * lean).sin(), 0.0],
        v: [0.0, 0.0, 0.0, -rate * s, 0.0, 0.0],
    }
}

/// A semi-ellipsoid with principal axes of inertia out of line with those of its shape, that spins.
fn rattleback() -> Scene {
    let inertial =
        "<inertial pos=\"0 0 -0.008\" mass=\"0.1\" fullinertia=\"1.2e-5 1.6e-4 1.65e-4 1.2e-5 0 0\"/>";
    Scene {
        name: "rattleback",
        mjcf: world(0.0, "type=\"ellipsoid\" size=\"0.1 0.02 0.02\"", inertial, RIGID),
        q: [0.0, 0.0, 0.02, 1.0, 0.0, 0.0, 0.0],
        v: [0.0, 0.0, 0.0, 0.0, 0.5, 5.0],
    }
}

/// All of them.
pub fn all() -> Vec<Scene> {
    vec![
        disk(),
        rattleback(),
        ball("ball on a slope, points", RIGID, 0.0),
        ball("ball on a slope, patches", SOFT, 4e-4),
    ]
}
