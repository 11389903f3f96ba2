//! Solids from files, readings of tactile grids, and warnings of unreliable patches.

mod common;
use common::{G, model, run, simulation, tight};
use nalgebra::{UnitQuaternion, Vector3};
use stiction::model::{Mesh, Pose, Tetrahedra};
use stiction::{LoadOptions, Model, Options, Simulation, TactileGrid};
use stiction_formats::files::Memory;
use stiction_formats::mesh::write_vtk;
use stiction_geometry::Shape;
use stiction_geometry::solid::{MeshOptions, Solid};

fn compliant(modulus: &str) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/>{modulus}\
         <drake:hunt_crossley_dissipation value='10'/><drake:mesh_resolution_hint value='0.02'/></drake:proximity_properties>"
    )
}

const MODULUS: &str = "<drake:hydroelastic_modulus value='1e5'/>";

/// The tetrahedra of a ball of radius 0.1 as a file.
fn ball_file(change: impl Fn(&mut Mesh)) -> String {
    let shape = Shape::sphere(0.1).unwrap();
    let solid = Solid::from_shape(&shape, 1.0, &MeshOptions::with_hint(0.02)).unwrap();
    let mut mesh = Mesh { vertices: solid.vertices().to_vec(), ..Mesh::default() };
    let extents = Some(solid.extents().to_vec());
    mesh.tetrahedra = Some(Tetrahedra { cells: solid.tets().to_vec(), extents, modulus: None });
    change(&mut mesh);
    write_vtk(&mesh).unwrap()
}

fn ball(file: Option<String>, modulus: &str) -> Model {
    let geom = if file.is_some() { "type='mesh' mesh='ball'" } else { "type='sphere' size='0.1'" };
    let asset = if file.is_some() { "<asset><mesh name='ball' file='ball.vtk'/></asset>" } else { "" };
    let text = format!(
        "<mujoco>{asset}<worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.1'><freejoint/>\
         <geom name='ball' {geom} mass='1'>{}</geom></body></worldbody></mujoco>",
        compliant(modulus)
    );
    let files = Memory::default().with("ball.xml", text).with("ball.vtk", file.unwrap_or_default());
    Model::new(stiction_formats::load_with("ball.xml", &files, &LoadOptions::default()).unwrap()).unwrap()
}

fn resting_depth(model: &Model) -> f64 {
    let mut sim = simulation(model, tight());
    run(&mut sim, 1.5);
    let [patch] = &sim.patches()[..] else { panic!("one patch") };
    assert!((patch.force.z / G - 1.0).abs() < 1e-4);
    0.1 - sim.state().q[2]
}

#[test]
fn a_ball_from_a_file_rests_as_the_sphere_does() {
    let depth = resting_depth(&ball(None, MODULUS));
    let same = ball(Some(ball_file(|_| {})), MODULUS);
    assert!(same.warnings().is_empty(), "{:?}", same.warnings());
    assert!((resting_depth(&same) / depth - 1.0).abs() < 1e-6);
    // Without a field the distance to the surface makes one: the centre is the only inner vertex.
    let bare = ball(Some(ball_file(|m| m.tetrahedra.as_mut().unwrap().extents = None)), MODULUS);
    assert!(bare.warnings()[0].message.contains("distance to the surface"), "{:?}", bare.warnings());
    assert!((resting_depth(&bare) / depth - 1.0).abs() < 1e-6);
}

#[test]
fn a_pressure_field_brings_its_modulus_and_turned_tetrahedra_are_said() {
    let file = ball_file(|m| {
        let tetrahedra = m.tetrahedra.as_mut().unwrap();
        tetrahedra.cells[7].swap(0, 1);
        tetrahedra.extents.iter_mut().flatten().for_each(|e| *e *= 1e5);
    });
    let model = ball(Some(file.replace("SCALARS extent", "SCALARS pressure")), "");
    let [warning] = model.warnings() else { panic!("{:?}", model.warnings()) };
    assert!(warning.message.contains("1 tetrahedra were inside out"), "{warning}");
    assert!((resting_depth(&model) / resting_depth(&ball(None, MODULUS)) - 1.0).abs() < 1e-6);
    // The serialised copy for other processes contains all of it.
    let copy = Model::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(copy.world(), model.world());
}

#[test]
fn solids_that_cannot_push_are_refused_with_the_remedy() {
    let corners = "0 0 0 1 0 0 0 1 0 0 0 1";
    let head = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    let one = format!("{head}POINTS 4 double\n{corners}\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n");
    let flat = one.replace("0 0 1\n", "1 1 0\n") + "POINT_DATA 4\nSCALARS extent float\n0 0 0 1\n";
    for (file, words) in [(&one, "POINT_DATA SCALARS \"extent\""), (&flat, "flat")] {
        let text = format!(
            "<mujoco><asset><mesh name='m' file='m.vtk'/></asset><worldbody><body><freejoint/><inertial pos='0 0 0' \
             mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m'>{}</geom></body></worldbody></mujoco>",
            compliant(MODULUS)
        );
        let files = Memory::default().with("a.xml", text).with("m.vtk", file.as_str());
        let error = match stiction_formats::load_with("a.xml", &files, &LoadOptions::default()) {
            Err(error) => error.to_string(),
            Ok(world) => Model::new(world).err().expect("refused").to_string(),
        };
        assert!(error.contains(words), "{error}");
    }
}

/// A box of 1 kg on a plane turned by `angle` about y; it sticks.
fn box_on_slope(angle: f64) -> Simulation {
    let quat = format!("{} 0 {} 0", (0.5 * angle).cos(), (0.5 * angle).sin());
    let (x, z) = (0.05 * angle.sin(), 0.05 * angle.cos());
    let model = model(
        &format!(
            "<geom type='plane' size='5 5 1' quat='{quat}' friction='0.9'/>\
             <body pos='{x} 0 {z}' quat='{quat}'><freejoint/><geom type='box' size='0.1 0.08 0.05' mass='1' friction='0.9'>{}\
             </geom></body>",
            compliant("<drake:hydroelastic_modulus value='1e6'/>")
        ),
        "",
    );
    let mut sim = simulation(&model, Options { margin: 1e-4, ..tight() });
    run(&mut sim, 0.5);
    sim
}

#[test]
fn a_tactile_grid_feels_the_whole_force_and_where_it_is() {
    let angle = 0.4;
    let sim = box_on_slope(angle);
    // On the bottom of the box, z out of the skin: x along the box's −x.
    let flip = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI);
    let pose = Pose::from_parts(Vector3::new(0.0, 0.0, -0.05).into(), flip);
    let [patch] = &sim.patches()[..] else { panic!("one patch") };
    for (rows, columns) in [(1, 1), (7, 5), (40, 64)] {
        let grid = TactileGrid::new(1, pose, [0.24, 0.2], rows, columns).unwrap();
        let image = grid.sample(&sim);
        let normal = grid.cell_area() * image.pressure.iter().sum::<f64>();
        let shear = image.shear.iter().fold([0.0; 2], |s, c| [s[0] + c[0], s[1] + c[1]]);
        assert!((normal / (G * angle.cos()) - 1.0).abs() < 1e-4, "{normal}");
        // Friction holds the box up the slope, along its −x, which is the grid's +x.
        assert!((grid.cell_area() * shear[0] / (G * angle.sin()) - 1.0).abs() < 1e-3, "{shear:?}");
        assert!((grid.cell_area() * shear[1]).abs() < 1e-6);
        assert!((normal.hypot(grid.cell_area() * shear[0]) / patch.force.norm() - 1.0).abs() < 1e-9);
    }
    // The centre of pressure of the picture is the patch's, to a cell.
    let grid = TactileGrid::new(1, pose, [0.24, 0.2], 40, 64).unwrap();
    let image = grid.sample(&sim);
    let x = |k: usize| ((k % 64) as f64 + 0.5) * 0.24 / 64.0 - 0.12;
    let center = image.pressure.iter().enumerate().map(|(k, p)| p * x(k)).sum::<f64>()
        / image.pressure.iter().sum::<f64>();
    // The weight's line of action meets the sole at h tan(angle) downhill.
    assert!((center + 0.05 * angle.tan()).abs() < 2e-3, "{center}");
    // Outside of the sole nothing is felt, nor on the top, nor by the world's side that faces away.
    assert_eq!(image.pressure_at(0, 0), 0.0);
    let top = TactileGrid::new(1, Pose::translation(0.0, 0.0, 0.05), [0.24, 0.2], 8, 8).unwrap();
    assert!(top.sample(&sim).pressure.iter().all(|p| *p == 0.0));
    let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    let ground =
        TactileGrid::new(0, Pose::from_parts(Vector3::zeros().into(), turned), [1.0, 1.0], 50, 50).unwrap();
    let felt = ground.cell_area() * ground.sample(&sim).pressure.iter().sum::<f64>();
    assert!((felt / (G * angle.cos()) - 1.0).abs() < 1e-4, "{felt}");
}

#[test]
fn impossible_grids_are_refused() {
    let at = Pose::identity();
    for (size, rows, columns) in
        [([0.0, 1.0], 1, 1), ([1.0, f64::NAN], 1, 1), ([1.0, 1.0], 0, 3), ([1.0, 1.0], usize::MAX, 2)]
    {
        assert!(TactileGrid::new(0, at, size, rows, columns).is_err());
    }
}

/// Two jaws press a card of this half thickness together with `force`; card and jaws have these tags.
fn gripped_card(half: f64, force: f64, card: &str, jaws: &str) -> Simulation {
    let jaw = |name: &str, x: f64, side: i32| {
        format!(
            "<body name='{name}' pos='{x} 0 0'><joint name='{name}' type='slide' axis='{side} 0 0'/>\
             <geom name='{name}_jaw' type='box' size='0.01 0.01 0.01' mass='2'>{jaws}</geom></body>"
        )
    };
    let model = model(
        &format!(
            "{}{}<body name='card'><freejoint/><geom name='card' type='box' size='{half} 0.0425 0.027' mass='0.005'>\
             {card}</geom></body>",
            jaw("left", -0.01 - half, 1),
            jaw("right", 0.01 + half, -1),
        ),
        "<option gravity='0 0 0'/><actuator><motor joint='left'/><motor joint='right'/></actuator>",
    );
    let mut sim = simulation(&model, Options { step: 1e-3, ..Options::default() });
    sim.state_mut().ctrl.copy_from_slice(&[force, force]);
    sim
}

#[test]
fn a_card_gripped_hard_warns_once_for_each_jaw() {
    let rubber = compliant("<drake:hydroelastic_modulus value='1e6'/>");
    let foam = compliant("<drake:hydroelastic_modulus value='1e5'/>");
    // 4 cm² at 1 MPa carry 400 N at most; foam of 0.1 MPa lets a rigid card through at 25 N.
    for (card, jaws, fine, hard, word) in
        [(rubber.as_str(), "", 50.0, 600.0, "core"), ("", foam.as_str(), 2.0, 25.0, "wraps around")]
    {
        let mut sim = gripped_card(0.00038, fine, card, jaws);
        sim.step(300).unwrap();
        assert!(sim.warnings().is_empty() && sim.stats().doubtful_patches == 0, "{:?}", sim.warnings());
        let mut sim = gripped_card(0.00038, hard, card, jaws);
        sim.step(300).unwrap();
        assert!(sim.stats().doubtful_patches >= 2 && sim.state().q.iter().all(|q| q.is_finite()));
        let warnings = sim.warnings();
        for jaw in ["left_jaw", "right_jaw"] {
            let about = warnings.iter().filter(|w| w.message.contains(jaw) && w.message.contains(word));
            assert_eq!(about.count(), 1, "{word}, {jaw}: {warnings:?}");
        }
    }
}

#[test]
fn two_geoms_tagged_rigid_say_that_they_touch_at_points() {
    let rigid = "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>";
    let world = |floor: &str| {
        format!(
            "<geom name='floor' type='plane' size='1 1 1'>{floor}</geom><body pos='0 0 0.1'><freejoint/>\
             <geom name='ball' size='0.1'>{rigid}</geom></body>"
        )
    };
    let both = model(&world(rigid), "");
    assert!(both.warnings()[0].message.contains("touch at points"), "{:?}", both.warnings());
    assert!(model(&world(""), "").warnings().is_empty());
    let mut sim = simulation(&both, Options::default());
    run(&mut sim, 0.1);
    assert_eq!(sim.contacts().len(), 1);
}

#[test]
fn soft_scenes_load_in_silence_and_every_step_converges() {
    for (scene, time) in [("soft_pile", 8.0), ("gripper_soft", 1.0), ("gripper_banana", 1.0)] {
        let model = Model::from_scene(scene).unwrap();
        assert!(model.warnings().is_empty(), "{scene}: {:?}", model.warnings());
        let step = model.world().options.step.unwrap();
        let mut sim = simulation(&model, Options { step, ..Options::default() });
        if scene.starts_with("gripper") {
            sim.reset_to_keyframe("lift").unwrap();
        }
        run(&mut sim, time);
        assert!(sim.warnings().is_empty(), "{scene}: {:?}", sim.warnings());
        assert!(sim.stats().last_patches > 1 && sim.stats().last_faces > 10, "{scene}");
        if scene == "gripper_soft" {
            let height = sim.state().q[5];
            assert!((height - 0.13).abs() < 5e-3, "the block is at {height}");
        } else if scene == "gripper_banana" {
            let height = sim.state().q[5];
            // It tips about the fingers as they close, and hangs still a little lower than it lay.
            assert!(height > 0.09 && sim.state().v[5].abs() < 1e-3, "the banana is at {height}");
            // A patch under each finger, which carry it together.
            let patches = sim.patches();
            let lifted: f64 = patches.iter().map(|p| p.force.z.abs()).sum();
            let weight = 9.81 * model.world().bodies[4].inertia.mass;
            assert!(patches.len() == 2 && (lifted / weight - 1.0).abs() < 0.05, "{lifted} {weight}");
        } else {
            let fastest = sim.state().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            assert!(fastest < 0.05, "{fastest}");
        }
    }
}

#[test]
fn a_failed_step_leaves_no_half_finished_patches() {
    let tags = compliant(MODULUS);
    let model = model(
        &format!(
            "<geom type='plane' size='1 1 1'/><body pos='0 0 0.09'><freejoint/><geom size='0.1' mass='1'>{tags}</geom></body>"
        ),
        "",
    );
    let mut sim = simulation(&model, Options::default());
    sim.step(1).unwrap();
    assert_eq!(sim.patches().len(), 1);
    sim.state_mut().v[0] = 1e300;
    sim.state_mut().v[4] = 1e300;
    let failed = sim.step(1).is_err();
    let grid = TactileGrid::new(1, Pose::identity(), [1.0, 1.0], 3, 3).unwrap();
    let (patches, image) = (sim.patches(), grid.sample(&sim));
    assert!(failed && patches.is_empty() && image.pressure.iter().all(|p| *p == 0.0));
}

#[test]
fn a_mesh_that_is_not_convex_is_filled_as_it_is_and_not_as_its_hull() {
    // A frame of two posts on a base, standing over a rigid ball that fits between the posts: the hull would touch it.
    use stiction::geometry::surface::shapes::extrude;
    let outline = [
        (0.0, 0.0),
        (0.1, 0.0),
        (0.1, 0.1),
        (0.07, 0.1),
        (0.07, 0.03),
        (0.03, 0.03),
        (0.03, 0.1),
        (0.0, 0.1),
    ];
    let (vertices, faces) = extrude(&outline, 0.1);
    let numbers: Vec<String> = vertices.iter().flat_map(|v| v.iter().map(f64::to_string)).collect();
    let corners: Vec<String> = faces.iter().flatten().map(u32::to_string).collect();
    let (v, f) = (numbers.join(" "), corners.join(" "));
    let text = |height: f64, hint: &str| {
        format!(
            "<mujoco><asset><mesh name='u' vertex='{v}' face='{f}' inertia='exact'/></asset><worldbody>
             <geom name='ball' type='sphere' size='0.015' pos='0.05 {height} 0.05'/>
             <body><freejoint/><geom name='u' type='mesh' mesh='u' density='100'><drake:proximity_properties>
             <drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e5'/>{hint}
             </drake:proximity_properties></geom></body></worldbody></mujoco>"
        )
    };
    let patches = |height: f64, hint: &str| {
        let model =
            Model::from_string(&text(height, hint), stiction::Format::Mjcf, &Default::default()).unwrap();
        assert!(model.warnings().is_empty(), "{:?}", model.warnings());
        let mut sim = simulation(&model, Options { step: 1e-5, ..Options::default() });
        sim.step(1).unwrap();
        sim.patches().iter().map(|p| p.force.norm()).sum::<f64>()
    };
    assert_eq!(patches(0.08, ""), 0.0);
    let coarse = patches(0.04, "<drake:mesh_resolution_hint value='0.015'/>");
    let fine = patches(0.04, "<drake:mesh_resolution_hint value='0.006'/>");
    assert!(fine > 0.1 && (coarse / fine - 1.0).abs() < 0.2, "{coarse} {fine}");
    // An open surface bounds nothing.
    let open =
        text(0.08, "").replacen(&format!("face='{} {} {} ", corners[0], corners[1], corners[2]), "face='", 1);
    let error = Model::from_string(&open, stiction::Format::Mjcf, &Default::default())
        .err()
        .expect("an open surface is refused");
    assert!(error.to_string().contains("hole"), "{error}");
}

#[test]
fn a_card_pressed_through_by_a_meshed_finger_is_warned_about_and_a_peg_in_a_hole_is_not() {
    use stiction::geometry::surface::shapes::{Triangles, extrude};
    let scene = |(vertices, faces): Triangles, modulus: f64, body: &str| {
        let numbers: Vec<String> = vertices.iter().flat_map(|v| v.iter().map(f64::to_string)).collect();
        let corners: Vec<String> = faces.iter().flatten().map(u32::to_string).collect();
        let text = format!(
            "<mujoco><option gravity='0 0 0'/><asset><mesh name='m' vertex='{}' face='{}'/></asset><worldbody>
             <geom name='m' type='mesh' mesh='m'><drake:proximity_properties><drake:compliant_hydroelastic/>
             <drake:hydroelastic_modulus value='{modulus}'/></drake:proximity_properties></geom>{body}
             </worldbody></mujoco>",
            numbers.join(" "),
            corners.join(" ")
        );
        let model = Model::from_string(&text, stiction::Format::Mjcf, &Default::default()).unwrap();
        let mut sim = simulation(&model, Options { step: 1e-6, ..Options::default() });
        sim.step(1).unwrap();
        (sim.patches().len(), sim.warnings())
    };
    // An L whose pad reaches over a card of 1 mm, 4 mm deep.
    let l = [(0.0, 0.0), (0.08, 0.0), (0.08, 0.02), (0.02, 0.02), (0.02, 0.06), (0.0, 0.06)];
    let card = "<body pos='0.05 0.0175 0.02'><freejoint/><geom name='card' type='box' size='0.02 0.0005 0.015' mass='0.01'/></body>";
    let (patches, warnings) = scene(extrude(&l, 0.04), 1e5, card);
    assert!(patches == 1 && warnings.iter().any(|w| w.message.contains("thinner")), "{warnings:?}");
    // A peg that is a little too thick for a square hole.
    let u = [
        (0.0, 0.0),
        (0.06, 0.0),
        (0.06, 0.05),
        (0.04, 0.05),
        (0.04, 0.02),
        (0.02, 0.02),
        (0.02, 0.05),
        (0.0, 0.05),
    ];
    let peg = "<body pos='0.03 0.036 0.02'><freejoint/><geom name='peg' type='box' size='0.0105 0.01 0.015' mass='0.1'/></body>";
    let (patches, warnings) = scene(extrude(&u, 0.04), 1e5, peg);
    assert!(patches == 1 && warnings.is_empty(), "{patches} {warnings:?}");
}
