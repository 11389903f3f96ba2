//! Eight mugs fall into a bin and come to rest: time of a step and how far mugs go into each other, with mugs as hulls, cut into
//! convex parts, as triangles, and compliant.
//!
//! `cargo run --release -p stiction --example mugs [hulls|parts|triangles|compliant]...`

use std::sync::Arc;
use std::time::Instant;

use stiction::{Format, LoadOptions, Model, Options, Simulation};
use stiction_geometry::surface::shapes;
use stiction_model::{Compliance, ConvexParts, Mesh, Shape, World};

const STEP: f64 = 0.002;

fn bin() -> World {
    let mut text =
        String::from("<mujoco><worldbody><geom name='floor' type='box' size='.12 .12 .01' pos='0 0 -.01'/>");
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let size = if x == 0.0 { ".13 .01 .1" } else { ".01 .13 .1" };
        text += &format!("<geom type='box' size='{size}' pos='{} {} .1'/>", 0.13 * x, 0.13 * y);
    }
    for k in 0..8 {
        let at = |bit: usize| 0.055 * if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        let (z, turn) = (0.08 + 0.1 * f64::from(k as u32 / 4), 0.7 * k as f64);
        text += &format!(
            "<body pos='{} {} {z}' euler='{turn} {} 0'><freejoint/><inertial pos='0 0 .04' mass='.3' diaginertia='3e-4 3e-4 2e-4'/>\
             <geom name='mug{k}' size='.04'/></body>",
            at(0),
            at(1),
            1.3 * turn
        );
    }
    text += "</worldbody></mujoco>";
    text = text.replace("<mujoco>", "<mujoco><compiler angle='radian'/>");
    stiction_formats::load_string(&text, Format::Mjcf, &LoadOptions::default()).expect("valid")
}

fn with_mugs(kind: &str) -> Model {
    let mut world = bin();
    let (vertices, triangles) = shapes::mug();
    world.meshes.push(Arc::new(Mesh { name: "mug".into(), vertices, triangles, ..Mesh::default() }));
    for geom in world.geoms.iter_mut().filter(|g| g.name.starts_with("mug")) {
        geom.shape = Shape::Mesh { mesh: 0, convex: kind == "hulls" };
        match kind {
            "parts" => geom.convex_parts = Some(ConvexParts::default()),
            "compliant" => {
                geom.contact.compliance = Compliance::Compliant;
                geom.contact.hydroelastic_modulus = Some(1e7);
                geom.contact.resolution_hint = Some(0.01);
            }
            _ => {}
        }
    }
    Model::new(world).expect("valid")
}

fn main() {
    let mut kinds: Vec<String> = std::env::args().skip(1).collect();
    if kinds.is_empty() {
        kinds = ["hulls", "parts", "triangles", "compliant"].map(String::from).to_vec();
    }
    for kind in &kinds {
        let model = with_mugs(kind);
        for warning in model.warnings() {
            println!("  {warning}");
        }
        let mut sim = Simulation::new(&model, Options { step: STEP, ..Options::default() }).expect("valid");
        let (mut deepest, mut points) = (0.0f64, 0);
        let mut seconds = Vec::new();
        let steps = 600;
        for k in 0..steps {
            let start = Instant::now();
            sim.step(1).expect("finite");
            seconds.push(start.elapsed().as_secs_f64());
            if k >= steps / 2 {
                points += sim.contacts().len();
                for c in sim.contacts() {
                    deepest = deepest.max(c.penetration);
                }
            }
        }
        let mean = |s: &[f64]| 1e6 * s.iter().sum::<f64>() / s.len() as f64;
        let speed = sim.state().v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        println!(
            "{kind:10} {:9.0} µs a step while falling, {:9.0} at rest; {:6.1} contacts, {:.3} mm deep at most, speed {speed:.1e} at the end, {} unconverged",
            mean(&seconds[..steps / 2]),
            mean(&seconds[steps / 2..]),
            points as f64 / (steps / 2) as f64,
            1e3 * deepest,
            sim.stats().unconverged,
        );
    }
}
