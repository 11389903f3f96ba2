//! Small worlds for tests, written as MJCF.
#![allow(dead_code)]

use stiction::{ContactModel, Format, LoadOptions, Model, Options, Simulation};

pub const G: f64 = 9.81;
pub const MODELS: [ContactModel; 3] = [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap];

/// Contact properties of a geom as child tags: stiffness (N/m), dissipation (s/m).
pub fn tags(stiffness: f64, dissipation: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:point_contact_stiffness value=\"{stiffness}\"/>\
         <drake:hunt_crossley_dissipation value=\"{dissipation}\"/><drake:relaxation_time value=\"1e-4\"/>\
         </drake:proximity_properties>"
    )
}

/// A model from the inside of a `worldbody` (and what follows it).
pub fn model(worldbody: &str, rest: &str) -> Model {
    let text = format!("<mujoco><worldbody>{worldbody}</worldbody>{rest}</mujoco>");
    match Model::from_string(&text, Format::Mjcf, &LoadOptions::default()) {
        Ok(model) => model,
        Err(error) => panic!("{error}\n{text}"),
    }
}

pub fn simulation(model: &Model, options: Options) -> Simulation {
    Simulation::new(model, options).unwrap()
}

/// Default options solved tightly, where a test looks closer than the default tolerance of 1e-5.
pub fn tight() -> Options {
    Options { relative_tolerance: 1e-12, ..Options::default() }
}

/// Steps until `time`, and requires that every step converged.
pub fn run(sim: &mut Simulation, time: f64) {
    let steps = (time / sim.options().step).round() as usize;
    sim.step(steps).unwrap();
    assert_eq!(sim.stats().unconverged, 0, "a step did not converge");
}

/// A box of half-extents (0.1, 0.1, 0.05) and 1 kg on a plane turned by `angle` (rad) about y, friction `mu`.
pub fn incline(angle: f64, mu: f64, stiffness: f64) -> Model {
    let (s, c) = angle.sin_cos();
    let tags = tags(stiffness, 10.0);
    let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
    let (x, z) = (0.05 * s, 0.05 * c);
    model(
        &format!(
            "<geom type=\"plane\" size=\"5 5 1\" quat=\"{quat}\" friction=\"{mu} 0 0\">{tags}</geom>\
             <body pos=\"{x} 0 {z}\" quat=\"{quat}\"><freejoint/>\
             <geom type=\"box\" size=\"0.1 0.1 0.05\" mass=\"1\" friction=\"{mu} 0 0\">{tags}</geom></body>"
        ),
        "",
    )
}
