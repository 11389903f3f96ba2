//! Pictures against what a camera must see: places of edges, depths, which geom is in front, light and shadow.

use std::f64::consts::{FRAC_PI_2, PI};
use stiction::{Format, LoadOptions, Model, Options, Simulation};
use stiction_picture::{FreeCamera, Look, Marks, PictureError, Renderer, Shapes, Viewpoint};

fn simulation(bodies: &str) -> Simulation {
    let text = format!(r#"<mujoco><option gravity="0 0 0"/><worldbody>{bodies}</worldbody></mujoco>"#);
    let model = Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
    Simulation::new(&model, Options::default()).unwrap()
}

/// Looks along x at the origin from this distance.
fn along_x(distance: f64) -> Viewpoint {
    Viewpoint::Free(FreeCamera {
        distance,
        azimuth: 0.0,
        elevation: 0.0,
        field_of_view: FRAC_PI_2,
        ..Default::default()
    })
}

fn renderer(simulation: &Simulation) -> Renderer {
    Renderer::new(simulation.model(), Look::default())
}

#[test]
fn depth_of_a_sphere_is_that_of_the_ray_that_meets_it() {
    let (radius, distance, side) = (0.4, 2.0, 201);
    let simulation = simulation(r#"<body><freejoint/><geom size=".4"/></body>"#);
    let sight = renderer(&simulation).sight(&simulation, &along_x(distance), side, side).unwrap();
    let focal = 0.5 * side as f64; // tan 45° = 1
    let mut worst = 0.0_f64;
    for row in 0..side {
        for column in 0..side {
            let x = (column as f64 + 0.5 - 0.5 * side as f64) / focal;
            let y = (row as f64 + 0.5 - 0.5 * side as f64) / focal;
            // Depth t of the nearer point of the ray t (x, y, 1) with |t (x, y, 1) - (0, 0, 2)| = r.
            let a = 1.0 + x * x + y * y;
            let under = distance * distance - a * (distance * distance - radius * radius);
            let seen = sight.geoms[row * side + column] == 0;
            // The sphere is drawn with 48 segments, which lie inside by 1 - cos(π/48) of its radius at most.
            if under > 0.02 {
                let depth = (distance - under.sqrt()) / a;
                assert!(seen, "{row} {column}");
                worst = worst.max((f64::from(sight.depth[row * side + column]) - depth).abs());
            } else if under < 0.0 {
                assert!(!seen && sight.depth[row * side + column].is_infinite());
            }
        }
    }
    let inside = radius * (1.0 - (PI / 48.0).cos());
    // Near the rim the ray is steep: the radius' error counts by its slant.
    assert!(worst < 10.0 * inside, "{worst}");
    let middle = sight.depth[side / 2 * side + side / 2];
    assert!((f64::from(middle) - 1.6).abs() < inside, "{middle}");
}

#[test]
fn edges_of_a_box_and_the_order_of_geoms_are_those_of_the_projection() {
    // A face of 2 m at distance 4 fills half of a picture of 90°; a small box is before its left half.
    let simulation = simulation(
        r#"<body pos="5 0 0"><freejoint/><geom type="box" size="1 1 1"/></body>
           <body pos="0 .5 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
    );
    let camera = along_x(0.0001 + 0.0);
    let Viewpoint::Free(camera) = camera else { unreachable!() };
    let view = Viewpoint::Free(FreeCamera { target: [0.0, 0.0, 0.0], distance: 2.0, ..camera });
    let side = 120;
    let sight = renderer(&simulation).sight(&simulation, &view, side, side).unwrap();
    let at = |column: usize, row: usize| sight.geoms[row * side + column];
    // The large face is at depth 6: its edges are 1/6 of the half-width from the middle, 10 pixels.
    for k in 0..side {
        let expected = if (50..70).contains(&k) { 0 } else { -1 };
        assert_eq!(at(k, 66), expected, "column {k}");
        assert_eq!(at(65, k), if (50..70).contains(&k) { 0 } else { -1 }, "row {k}");
    }
    // The small one: left is +y. Its near face is at depth 1.9, from y = 0.4 to 0.6: columns 60 - 60 y / 1.9.
    let columns: Vec<usize> = (0..side).filter(|k| at(*k, 60) == 1).collect();
    let (first, last) = (60.0 - 60.0 * 0.6 / 1.9, 60.0 - 60.0 * 0.4 / 2.1);
    assert!((columns[0] as f64 - first).abs() <= 1.0, "{columns:?} {first}");
    assert!((*columns.last().unwrap() as f64 + 1.0 - last).abs() <= 1.0, "{columns:?} {last}");
    let depth = sight.depth[60 * side + columns[columns.len() / 3]];
    assert!((f64::from(depth) - 1.9).abs() < 1e-4, "{depth}");
}

#[test]
fn a_ground_plane_is_seen_to_the_horizon_and_is_as_far_as_the_ray_says() {
    let simulation = simulation(
        r#"<geom type="plane" size="0 0 1"/><body pos="0 0 1"><freejoint/><geom size=".1"/></body>"#,
    );
    let camera = FreeCamera {
        target: [0.0, 0.0, 1.0],
        distance: 3.0,
        azimuth: 1.0,
        elevation: 0.0,
        field_of_view: FRAC_PI_2,
    };
    let side = 100;
    let sight = renderer(&simulation).sight(&simulation, &Viewpoint::Free(camera), side, side).unwrap();
    for row in 0..side {
        let down = (row as f64 + 0.5 - 50.0) / 50.0;
        let k = row * side + 3;
        if down > 0.0 {
            assert_eq!(sight.geoms[k], 0);
            assert!((f64::from(sight.depth[k]) * down - 1.0).abs() < 1e-4, "row {row}");
        } else {
            assert_eq!(sight.geoms[k], -1, "row {row} looks above the horizon");
        }
    }
}

#[test]
fn a_camera_of_the_model_sees_where_it_is_mounted() {
    let simulation = simulation(
        r#"<body pos="0 0 2" euler="0 0 30"><freejoint/><geom size=".05" pos="0 0 1"/>
             <camera name="down" fovy="90"/></body>
           <geom type="box" size=".5 .5 .1" pos="0 0 .1"/>"#,
    );
    let mut renderer = renderer(&simulation);
    let view = |name: &str| Viewpoint::Camera(name.into());
    let sight = renderer.sight(&simulation, &view("down"), 90, 90).unwrap();
    assert!((sight.depth[45 * 90 + 45] - 1.8).abs() < 1e-5);
    // A square of 1 m, turned by 30°, at depth 1.8: its area is (45 / 1.8)² pixels.
    let pixels = sight.geoms.iter().filter(|g| **g == 0).count() as f64;
    assert!((pixels / 625.0 - 1.0).abs() < 0.02, "{pixels}");
    assert_eq!(sight, renderer.sight(&simulation, &view("0"), 90, 90).unwrap());
    let error = renderer.sight(&simulation, &view("up"), 90, 90).unwrap_err().to_string();
    assert!(error.contains("\"up\"") && error.contains("\"down\""), "{error}");
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let simulation = simulation(r#"<body><freejoint/><geom size=".1"/></body>"#);
    let mut renderer = renderer(&simulation);
    let mut with = |view: Viewpoint, w, h| renderer.picture(&simulation, &view, w, h).unwrap_err();
    assert!(matches!(with(Viewpoint::Fitted, 0, 10), PictureError::Size { .. }));
    assert!(matches!(with(Viewpoint::Fitted, 10, 100_000), PictureError::Size { .. }));
    for camera in [
        FreeCamera { distance: -1.0, ..Default::default() },
        FreeCamera { azimuth: f64::NAN, ..Default::default() },
        FreeCamera { field_of_view: 4.0, ..Default::default() },
    ] {
        assert!(matches!(with(Viewpoint::Free(camera), 10, 10), PictureError::Camera(_)));
    }
    let other = self::simulation(r#"<body><freejoint/><geom size=".2"/></body>"#);
    assert!(matches!(renderer.picture(&other, &Viewpoint::Fitted, 8, 8), Err(PictureError::OtherModel)));
}

/// Mean of red, green and blue over a square of pixels.
fn mean(
    picture: &stiction_picture::Picture,
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for row in rows {
        for column in columns.clone() {
            let at = 3 * (row * picture.width + column);
            sum += picture.rgb[at..at + 3].iter().map(|x| f64::from(*x)).sum::<f64>() / 3.0;
            count += 1.0;
        }
    }
    sum / count
}

#[test]
fn a_body_throws_its_shadow_away_from_the_sun() {
    let simulation = simulation(
        r#"<geom type="plane" size="0 0 1"/><body pos="0 0 .5"><freejoint/><geom type="box" size=".1 .1 .1"/></body>"#,
    );
    let camera = FreeCamera {
        distance: 4.0,
        azimuth: FRAC_PI_2,
        elevation: -FRAC_PI_2 + 1e-3,
        field_of_view: 0.6,
        ..Default::default()
    };
    let picture = renderer(&simulation).picture(&simulation, &Viewpoint::Free(camera), 200, 200).unwrap();
    // The sun stands at (-0.55, -0.35, 1.25): the shadow of a box at height 0.5 lies at (0.22, 0.14), up and right.
    let metre = 200.0 / (2.0 * 4.0 * 0.3_f64.tan());
    let at = |x: f64, y: f64| ((100.0 + metre * x) as usize, (100.0 - metre * y) as usize);
    let ((sx, sy), (lx, ly)) = (at(0.26, 0.18), at(-0.3, -0.2));
    let (shadow, lit) =
        (mean(&picture, sx - 2..sx + 2, sy - 2..sy + 2), mean(&picture, lx - 2..lx + 2, ly - 2..ly + 2));
    assert!(shadow < 0.85 * lit, "shadow {shadow}, ground {lit}");
}

#[test]
fn glass_shows_what_is_behind_it_in_its_order() {
    let bodies = |alpha: f64| {
        simulation(&format!(
            r#"<geom type="box" size=".01 1 1" pos="1 0 0" rgba="1 0 0 1"/>
               <geom type="box" size=".01 1 1" rgba="0 0 1 {alpha}"/>"#
        ))
    };
    let color = |alpha: f64| {
        let simulation = bodies(alpha);
        let picture = renderer(&simulation).picture(&simulation, &along_x(1.0), 21, 21).unwrap();
        [0, 1, 2].map(|k| f64::from(picture.rgb[3 * (10 * 21 + 10) + k]))
    };
    let (clear, half, solid) = (color(0.0), color(0.4), color(1.0));
    assert!(clear[0] > 80.0 && clear[2] < 60.0, "{clear:?}");
    assert!(solid[2] > 80.0 && solid[0] < 60.0, "{solid:?}");
    assert!(half[0] < clear[0] && half[0] > solid[0] && half[2] > clear[2] && half[2] < solid[2], "{half:?}");
}

#[test]
fn collision_shapes_and_forces_are_drawn_on_request() {
    let bodies = r#"<geom type="plane" size="0 0 1"/>
        <body pos="0 0 .1"><freejoint/><geom size=".1" group="3"/><geom type="box" size=".05 .05 .05" contype="0" conaffinity="0"/></body>"#;
    let text = format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>");
    let model = Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
    let mut simulation = Simulation::new(&model, Options::default()).unwrap();
    simulation.step(200).unwrap();
    let view = Viewpoint::Free(FreeCamera {
        target: [0.0, 0.0, 0.1],
        distance: 0.8,
        elevation: -0.2,
        ..Default::default()
    });
    let sees = |shapes: Shapes, simulation: &Simulation| {
        let mut renderer = Renderer::new(&model, Look { shapes, ..Look::default() });
        let sight = renderer.sight(simulation, &view, 64, 64).unwrap();
        [0, 1, 2].map(|g| sight.geoms.contains(&g))
    };
    assert_eq!(sees(Shapes::Visual, &simulation), [true, false, true]);
    assert_eq!(sees(Shapes::Collision, &simulation), [true, true, false]);
    let picture = |forces: bool| {
        let marks = Marks { forces, ..Marks::default() };
        let mut renderer = Renderer::new(&model, Look { marks, ..Look::default() });
        renderer.picture(&simulation, &view, 200, 200).unwrap()
    };
    let (with, without) = (picture(true), picture(false));
    let pixels = || with.rgb.chunks_exact(3).zip(without.rgb.chunks_exact(3)).filter(|(a, b)| a != b);
    let greenness = |p: &[u8]| i32::from(p[1]) - i32::from(p[0]);
    assert!(pixels().count() > 20, "{}", pixels().count());
    let greener = pixels().filter(|(a, b)| greenness(a) > greenness(b)).count();
    assert!(greener as f64 > 0.9 * pixels().count() as f64, "{greener} of {}", pixels().count());
}

#[test]
fn patches_are_drawn_through_the_bodies_that_hide_them() {
    let model = Model::from_scene("gripper_soft").unwrap();
    let mut simulation = Simulation::new(&model, Options::default()).unwrap();
    simulation.step(400).unwrap();
    assert!(simulation.patch_views().count() > 0);
    let picture = |patches: bool| {
        let marks = Marks { patches, ..Marks::default() };
        Renderer::new(&model, Look { marks, ..Look::default() })
            .picture(&simulation, &Viewpoint::Fitted, 160, 90)
            .unwrap()
    };
    let (with, without) = (picture(true), picture(false));
    let differ = with.rgb.chunks_exact(3).zip(without.rgb.chunks_exact(3)).filter(|(a, b)| a != b).count();
    assert!(differ > 50, "{differ}");
}

#[test]
fn a_picture_is_the_same_on_one_thread_and_on_many() {
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = Model::from_scene("clutter").unwrap();
            let mut simulation = Simulation::new(&model, Options::default()).unwrap();
            simulation.step(100).unwrap();
            renderer(&simulation).picture(&simulation, &Viewpoint::Fitted, 120, 90).unwrap()
        })
    };
    assert_eq!(draw(1), draw(4));
}
