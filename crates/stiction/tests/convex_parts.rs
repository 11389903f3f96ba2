//! Meshes that are not convex: as triangles against each other, and cut into convex parts on loading.

use std::sync::Arc;

use stiction::{Format, LoadError, LoadOptions, Model, Options, Simulation};
use stiction_geometry::surface::shapes;
use stiction_model::{Mesh, Shape, World};

/// An upright L of 0.2 m with arms 0.1 m thick, as vertices and faces of an MJCF mesh.
fn l_mesh() -> String {
    let outline = [(0.0, 0.0), (0.2, 0.0), (0.2, 0.1), (0.1, 0.1), (0.1, 0.2), (0.0, 0.2)];
    let (vertices, faces) = shapes::extrude(&outline, 0.1);
    let numbers = |v: Vec<String>| v.join(" ");
    let vertices = numbers(vertices.iter().map(|v| format!("{} {} {}", v.x, v.y, v.z)).collect());
    let faces = numbers(faces.iter().map(|f| format!("{} {} {}", f[0], f[1], f[2])).collect());
    format!("<mesh name='l' vertex='{vertices}' face='{faces}'/>")
}

/// The L fixed to the world, and a ball in its notch, where the hull is solid and the L is not.
fn scene(custom: &str, rest: &str) -> String {
    format!(
        "<mujoco><option gravity='0 0 0'/><asset>{}</asset><worldbody><geom name='l' type='mesh' mesh='l'/><body name='ball' \
         pos='0.15 0.15 0.05'><freejoint/><geom name='ball' size='.03' mass='1'/></body></worldbody>{custom}{rest}</mujoco>",
        l_mesh()
    )
}

fn load(text: &str, options: &LoadOptions) -> Result<Model, LoadError> {
    Model::from_string(text, Format::Mjcf, options)
}

const ASKED: &str = "<custom><numeric name='stiction:convex_parts:l' data='8'/></custom>";

fn touches(model: &Model) -> bool {
    let mut sim = Simulation::new(model, Options { step: 1e-3, ..Options::default() }).unwrap();
    sim.step(1).unwrap();
    !sim.contacts().is_empty()
}

#[test]
fn a_mesh_cut_into_parts_leaves_its_hollows_free() {
    let whole = load(&scene("", ""), &LoadOptions::default()).unwrap();
    assert!(touches(&whole), "the hull fills the notch");
    let asked_by_file = load(&scene(ASKED, ""), &LoadOptions::default()).unwrap();
    let options = LoadOptions { convex_parts: Some(8), ..LoadOptions::default() };
    let asked_by_option = load(&scene("", ""), &options).unwrap();
    for model in [&asked_by_file, &asked_by_option] {
        assert!(!touches(model), "the notch is free");
        let parts = model.world().geoms.iter().filter(|g| g.name.starts_with("l part")).count();
        assert!((2..=8).contains(&parts), "{parts}");
        let said: Vec<String> = model.warnings().iter().map(|w| w.message.clone()).collect();
        assert!(said.iter().any(|m| m.contains("convex parts, which stick out")), "{said:?}");
        // The ball may not be a part.
        assert_eq!(model.world().geoms.iter().filter(|g| g.name.starts_with("ball")).count(), 1);
    }
    // Saved and loaded, it is the same.
    let again = Model::from_bytes(&asked_by_file.to_bytes()).unwrap();
    assert_eq!(again.world(), asked_by_file.world());
}

#[test]
fn what_cannot_be_cut_is_an_error_that_says_why() {
    let refused =
        |custom: &str, rest: &str, words: &str| match load(&scene(custom, rest), &LoadOptions::default()) {
            Ok(_) => panic!("{custom} {rest} is accepted"),
            Err(error) => assert!(error.to_string().contains(words), "{error}"),
        };
    refused(&ASKED.replace(":l'", ":ball'"), "", "is not a mesh");
    refused(&ASKED.replace(":l'", ":m'"), "", "there is no geom \"m\"");
    refused(&ASKED.replace("'8'", "'0'"), "", "1 to 1024");
    let sensor = "<sensor><contact geom1='l' data='found'/></sensor>";
    refused(ASKED, sensor, "let it read those of its body");
}

#[test]
fn a_mug_dropped_on_a_mug_stays_above_it() {
    let text = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='low'><freejoint/><inertial pos='0 0 .04' mass='.3' \
                diaginertia='3e-4 3e-4 2e-4'/><geom name='mug0' size='.04'/></body><body name='high' pos='0.005 0.003 .11'>\
                <freejoint/><inertial pos='0 0 .04' mass='.3' diaginertia='3e-4 3e-4 2e-4'/><geom name='mug1' size='.04'/></body>\
                </worldbody></mujoco>";
    let mut world: World =
        stiction_formats::load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let (vertices, triangles) = shapes::mug();
    world.meshes.push(Arc::new(Mesh { name: "mug".into(), vertices, triangles, ..Mesh::default() }));
    for geom in world.geoms.iter_mut().filter(|g| g.name.starts_with("mug")) {
        geom.shape = Shape::Mesh { mesh: 0, convex: false };
    }
    let model = Model::new(world).unwrap();
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    let mut sim = Simulation::new(&model, Options { step: 2e-3, ..Options::default() }).unwrap();
    sim.step(500).unwrap();
    // The bottom of one on the rim of the other, 90 mm up.
    let state = sim.state();
    assert!((state.q[9] - 0.09).abs() < 1e-3, "{:?}", state.q);
}
