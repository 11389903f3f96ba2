//! Meshes and height fields of MJCF files.

use nalgebra::Vector3;
use stiction_formats::files::Memory;
use stiction_formats::{Format, LoadOptions, load_string, load_with};
use stiction_model::{Shape, World};

type Vec3 = Vector3<f64>;

fn load(text: &str) -> World {
    load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * b.abs().max(1.0)
}

fn close(a: &Vec3, b: [f64; 3]) -> bool {
    (a - Vec3::from(b)).norm() < 1e-12
}

const TETRA: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn meshes_are_scaled_moved_and_weighed() {
    let files = Memory::default().with("meshes/t.obj", TETRA).with(
        "m.xml",
        "<mujoco><compiler meshdir='meshes'/><asset><mesh file='t.obj' scale='2 2 2'/><mesh name='moved' file='t.obj' refpos='1 0 0' \
         refquat='0.7071067811865476 0 0 0.7071067811865476'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='t' density='3'/></body>\
         <body><freejoint/><geom type='mesh' mesh='moved' pos='0 0 1'/></body></worldbody></mujoco>",
    );
    let w = load_with("m.xml", &files, &LoadOptions::default()).unwrap();
    assert!(near(w.bodies[1].inertia.mass, 3.0 * 8.0 / 6.0));
    assert!(close(&w.bodies[1].inertia.com, [0.5, 0.5, 0.5]));
    assert!(close(&w.meshes[0].vertices[1], [2.0, 0.0, 0.0]));
    // The reference is subtracted, then its rotation undone: (0,1,0) − (1,0,0) = (−1,1,0) turned by −90°.
    assert!(close(&w.meshes[1].vertices[2], [1.0, 1.0, 0.0]));
    assert!(w.warnings.is_empty(), "{:?}", w.warnings);
    assert!(matches!(w.geoms[0].shape, Shape::Mesh { convex: true, .. }));
}

#[test]
fn mirrored_meshes_keep_facing_outwards() {
    let w = load(
        "<mujoco><asset><mesh name='m' inertia='exact' scale='-1 1 1' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 0 3 2'/></asset>
         <worldbody><body><freejoint/><geom type='mesh' mesh='m' density='6'/></body></worldbody></mujoco>",
    );
    assert!(near(w.bodies[1].inertia.mass, 1.0));
    assert!(close(&w.bodies[1].inertia.com, [-0.25, 0.25, 0.25]));
}

#[test]
fn a_mesh_without_faces_becomes_its_hull() {
    let w = load(
        "<mujoco><asset><mesh name='m' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1 0 0 0'/></asset>
         <worldbody><body><freejoint/><geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>",
    );
    assert!(near(w.bodies[1].inertia.mass, 8.0));
    assert_eq!(w.meshes[0].triangles.len(), 12);
}

#[test]
fn a_box_fitted_to_a_box_mesh_is_that_box() {
    let w = load(
        "<mujoco><asset><mesh name='m' vertex='0 0 0 2 0 0 0 4 0 2 4 0 0 0 6 2 0 6 0 4 6 2 4 6'/></asset>
         <worldbody><geom type='box' mesh='m'/></worldbody></mujoco>",
    );
    let Shape::Box { half_extents } = w.geoms[0].shape else { panic!() };
    assert!((half_extents - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-9);
    assert!(close(&w.geoms[0].pose.translation.vector, [1.0, 2.0, 3.0]));
}

#[test]
fn height_fields_are_scaled_to_their_size() {
    let w = load(
        "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='1 2 10 0.5' elevation='1 2 3 4 5 6'/></asset>
         <worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>",
    );
    let h = &w.height_fields[0];
    assert_eq!((h.rows, h.columns, h.half_extents, h.base), (2, 3, [1.0, 2.0], 0.5));
    assert_eq!(h.heights, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
}

#[test]
fn pictures_are_height_fields_with_their_last_row_at_the_smallest_y() {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 3, 2);
    encoder.set_color(png::ColorType::Rgb);
    let pixels = [[50, 9, 9], [60, 9, 9], [70, 9, 9], [20, 9, 9], [30, 9, 9], [40, 9, 9]];
    encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
    let files = Memory::default().with("hills.png", bytes).with("broken.png", "no").with(
        "m.xml",
        "<mujoco><asset><hfield file='hills.png' size='1 1 5 1'/></asset><worldbody><geom type='hfield' hfield='hills'/></worldbody></mujoco>",
    );
    let w = load_with("m.xml", &files, &LoadOptions::default()).unwrap();
    assert_eq!((w.height_fields[0].rows, w.height_fields[0].columns), (2, 3));
    assert_eq!(w.height_fields[0].heights, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let files = files.with(
        "m.xml",
        "<mujoco><asset><hfield file='broken.png' size='1 1 5 1'/></asset><worldbody><geom type='hfield' hfield='broken'/></worldbody></mujoco>",
    );
    let error = load_with("m.xml", &files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("broken.png") && error.contains("PNG"), "{error}");
}

#[test]
fn a_mesh_tagged_rigid_or_compliant_keeps_its_dents() {
    // A square tray: a box whose top face is drawn in to its middle.
    let vertices = "-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1 0 0 0";
    let faces = "0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7 4 5 8 5 6 8 6 7 8 7 4 8";
    for (tag, convex) in
        [("", true), ("<drake:rigid_hydroelastic/>", false), ("<drake:compliant_hydroelastic/>", false)]
    {
        let text = format!(
            "<mujoco><asset><mesh name='m' vertex='{vertices}' face='{faces}'/></asset><worldbody>\
             <geom type='mesh' mesh='m'><drake:proximity_properties>{tag}</drake:proximity_properties></geom>\
             </worldbody></mujoco>"
        );
        let world =
            load_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(world.geoms[0].shape, Shape::Mesh { mesh: 0, convex }, "{tag}");
        assert_eq!(world.warnings.is_empty(), !convex, "{:?}", world.warnings);
    }
}
