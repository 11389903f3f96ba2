//! MJCF: tendons, actuators, sensors, pairs, attached models, copies, what only pictures show.

use stiction_formats::files::Memory;
use stiction_formats::{Format, LoadOptions, load_string, load_with};
use stiction_model::{
    Dynamics, EqualityKind, FrameOf, PathStage, SensorKind, Shape, TendonPath, Transmission, World,
};

fn load(text: &str) -> World {
    load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn fails(text: &str, words: &[&str]) {
    let error = load_string(text, Format::Mjcf, &LoadOptions::default()).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "{error} does not speak of {word}");
    }
}

const BODY: &str = "<worldbody><site name='w' pos='0 0 2'/><body name='b'><joint name='j' range='-90 90'/><geom name='g' size='0.1'/>\
    <site name='s' pos='0 0 1' type='box' size='0.1 0.2 0.3' rgba='1 0 0 1' group='4'/></body></worldbody>";

#[test]
fn tendons_are_read_with_their_defaults() {
    let world = load(&format!(
        "<mujoco><default><tendon stiffness='5' width='0.01'/><default class='c'><tendon damping='2' range='0 3'/></default></default>{BODY}\
         <tendon><fixed name='f' class='c' springlength='0.5'><joint joint='j' coef='2'/></fixed>\
         <spatial springlength='0.1 0.4'><site site='w'/><geom geom='g' sidesite='s'/><site site='s'/><pulley divisor='2'/><site site='w'/><site site='s'/></spatial></tendon></mujoco>"
    ));
    let [f, s] = &world.tendons[..] else { panic!("two tendons") };
    assert_eq!(
        (f.stiffness, f.damping, f.range, f.rest, f.width),
        (5.0, 2.0, [0.0, 3.0], Some([0.5; 2]), 0.01)
    );
    assert_eq!(f.path, TendonPath::Fixed { terms: vec![((1, 0), 2.0)] });
    assert_eq!((s.rest, s.name.as_str(), s.range[1]), (Some([0.1, 0.4]), "tendon_1", f64::INFINITY));
    let TendonPath::Spatial { stages } = &s.path else { panic!("a path") };
    assert_eq!(stages[1], PathStage::Wrap { geom: 0, side: Some(1) });
    assert_eq!(stages[3], PathStage::Pulley { divisor: 2.0 });
}

#[test]
fn mistakes_in_tendons_and_sensors_name_the_remedy() {
    let with = |rest: &str| format!("<mujoco>{BODY}{rest}</mujoco>");
    fails(&with("<tendon><spatial><site site='nowhere'/></spatial></tendon>"), &["no site \"nowhere\""]);
    fails(&with("<tendon><spatial><site site='w'/></spatial></tendon>"), &["begin and end with a site"]);
    fails(&with("<tendon><fixed/></tendon>"), &["needs a joint"]);
    fails(&with("<sensor><gyro/></sensor>"), &["needs site"]);
    fails(&with("<sensor><framepos objtype='lamp' objname='s'/></sensor>"), &["lamp", "camera"]);
    fails(&with("<sensor><ballquat joint='j'/></sensor>"), &["another kind"]);
    fails(&with("<actuator><motor/></actuator>"), &["acts on nothing"]);
    fails(&with("<actuator><motor slidersite='s'/></actuator>"), &["cranksite"]);
    fails(&with("<keyframe><key mpos='1 2 3'/></keyframe>"), &["mpos", "mocap"]);
}

#[test]
fn actuators_keep_their_kind_of_activation() {
    let world = load(&format!(
        "<mujoco><default><muscle force='300'/></default>{BODY}<actuator>\
         <intvelocity joint='j' kp='10' inheritrange='1'/><cylinder joint='j' timeconst='0.3' area='2' bias='1 2 3'/>\
         <muscle joint='j' tausmooth='0.1' lengthrange='0 1'/><position joint='j' timeconst='0.2'/><motor site='s' refsite='w' gear='0 0 1'/>\
         <adhesion body='b' ctrlrange='0 1' gain='7'/><general joint='j' dyntype='integrator' actearly='true' actrange='0 1'/>\
         <motor jointinparent='j'/></actuator></mujoco>"
    ));
    let a = &world.actuators;
    assert_eq!((a[0].dynamics, a[0].gain[0], a[0].bias[1]), (Dynamics::Integrator, 10.0, -10.0));
    assert_eq!(a[0].activation_range.map(|r| r[1]), Some(90f64.to_radians()));
    assert_eq!(
        (a[1].dynamics, a[1].gain[0], a[1].bias),
        (Dynamics::Filter { time: 0.3 }, 2.0, [1.0, 2.0, 3.0])
    );
    let m = a[2].muscle.unwrap();
    assert_eq!((m.force, m.range, m.length_range, m.longest), (300.0, [0.75, 1.05], Some([0.0, 1.0]), 1.6));
    assert_eq!(a[2].dynamics, Dynamics::Muscle { rise: 0.01, fall: 0.04, smoothing: 0.1 });
    assert_eq!(a[3].dynamics, Dynamics::ExactFilter { time: 0.2 });
    assert_eq!(
        a[4].transmission,
        Transmission::Site { site: 1, reference: Some(0), gear: [0.0, 0.0, 1.0, 0.0, 0.0, 0.0] }
    );
    assert_eq!((a[5].transmission, a[5].gain[0]), (Transmission::Body { body: 1, gear: 1.0 }, 7.0));
    assert!(a[6].early && a[6].activation_range == Some([0.0, 1.0]));
    assert!(matches!(a[7].transmission, Transmission::JointInParent { .. }));
    assert_eq!(world.na(), 5);
}

#[test]
fn sensors_sites_cameras_and_where_to_look_are_kept() {
    let world = load(&format!(
        "<mujoco><statistic center='1 2 3' extent='4'/><visual><global azimuth='90'/></visual><worldbody><camera name='c' pos='0 0 5' fovy='60'/>\
         <light pos='0 0 3' directional='true'/></worldbody>{BODY}<sensor><touch site='s' cutoff='5'/>\
         <framepos name='p' objtype='camera' objname='c' reftype='xbody' refname='b'/></sensor></mujoco>"
    ));
    assert_eq!((world.sensors[0].name.as_str(), world.sensors[0].cutoff), ("sensor_0", Some(5.0)));
    let seen = SensorKind::FramePosition { frame: FrameOf::Camera(0), reference: Some(FrameOf::Body(1)) };
    assert_eq!(world.sensors[1].kind, seen);
    let site = &world.sites[1];
    assert_eq!((site.shape, site.group), (Shape::Box { half_extents: [0.1, 0.2, 0.3].into() }, 4));
    assert_eq!((world.visual.extent, world.visual.azimuth), (Some(4.0), Some(90f64.to_radians())));
    assert!(
        (world.visual.cameras[0].field_of_view - 60f64.to_radians()).abs() < 1e-15
            && world.visual.lights[0].directional
    );
}

#[test]
fn projections_on_pictures_and_sensors_of_programs_are_read() {
    let camera = |more: &str, sensor: &str| {
        format!(
            "<mujoco><worldbody><camera name='c' {more}/></worldbody>{BODY}<sensor>{sensor}</sensor></mujoco>"
        )
    };
    let world = load(&camera(
        "resolution='640 480' focal='0.01 0.02' sensorsize='0.02 0.04'",
        "<camprojection site='s' camera='c'/><user dim='3'/>",
    ));
    assert_eq!(world.visual.cameras[0].resolution, [640, 480]);
    assert_eq!(world.visual.cameras[0].focal, Some([320.0, 240.0]));
    assert!(matches!(world.sensors[0].kind, SensorKind::CameraProjection { camera: 0, .. }));
    assert_eq!((world.sensors[0].kind.size(), world.sensors[1].kind), (2, SensorKind::User { size: 3 }));
    let pixels = load(&camera("focalpixel='500 600' sensorsize='1 1'", ""));
    assert_eq!(pixels.visual.cameras[0].focal, Some([500.0, 600.0]));
    // A camera that turns to follow something is a picture's matter.
    let turning = load(&camera("mode='track'", "<camprojection site='s' camera='c'/>"));
    assert!(
        turning.sensors.is_empty() && turning.warnings.iter().any(|w| w.message.contains("turns by itself"))
    );
    for (more, sensor, word) in [
        ("", "<camprojection site='s' camera='d'/>", "\"d\""),
        ("", "<camprojection site='s'/>", "camera"),
        ("", "<user/>", "dim"),
        ("", "<user dim='-1'/>", "dim"),
        ("", "<user dim='1e9'/>", "dim"),
        ("resolution='-1 3'", "", "resolution"),
        ("sensorsize='1 inf'", "", "sensorsize"),
    ] {
        let error = load_string(&camera(more, sensor), Format::Mjcf, &LoadOptions::default()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}\n  without: {word}");
    }
}

#[test]
fn materials_carry_the_mean_colour_of_their_texture() {
    let world = load(
        "<mujoco><asset><texture name='t' builtin='checker' rgb1='1 0 0' rgb2='0 0 1'/><material name='m' texture='t' rgba='1 1 0.5 0.8' specular='0.1'/></asset>\
         <worldbody><geom size='1' material='m'/><geom size='1' material='m' rgba='0 1 0 1'/></worldbody></mujoco>",
    );
    assert_eq!(world.visual.materials[0].color, [0.5, 0.0, 0.25, 0.8]);
    assert_eq!((world.geoms[0].color, world.geoms[0].material), ([0.5, 0.0, 0.25, 0.8], Some(0)));
    assert_eq!(world.geoms[1].color, [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn a_texture_without_a_name_has_that_of_its_file() {
    let world = load(
        "<mujoco><asset><texture file='skins/dark.v2.png' builtin='flat' rgb1='0.2 0.1 0'/><material name='m' texture='dark.v2'/></asset>\
         <worldbody><geom size='1' material='m'/></worldbody></mujoco>",
    );
    assert_eq!(world.geoms[0].color, [0.2, 0.1, 0.0, 1.0]);
}

#[test]
fn pairs_and_tendon_couplings_are_read() {
    let world = load(&format!(
        "<mujoco>{BODY}<worldbody><geom name='f' type='plane' size='1 1 1'/></worldbody><contact><pair geom1='f' geom2='g' friction='0.3' solref='-1000 -20'/></contact>\
         <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><equality><tendon tendon1='t' polycoef='0.2'/></equality></mujoco>"
    ));
    let pair = &world.pairs[0];
    assert_eq!((pair.contact.static_friction, pair.contact.stiffness), (Some(0.3), Some(1000.0)));
    assert_eq!(pair.contact.relaxation_time, Some(0.02));
    // MuJoCo's defaults of what a pair leaves open.
    assert_eq!((pair.contact.second_friction, pair.contact.torsional_friction), (Some(1.0), Some(0.005)));
    assert_eq!((pair.contact.rolling_friction, pair.contact.dimensions), (Some(0.0001), Some(3)));
    assert_eq!(
        world.equalities[0].kind,
        EqualityKind::Tendon { first: 0, second: None, coefficients: [0.2, 1.0, 0.0, 0.0, 0.0] }
    );
}

#[test]
fn copies_bring_copies_of_what_refers_to_them() {
    let world = load(
        "<mujoco><worldbody><replicate count='3' offset='1 0 0' sep='-'><body name='b'><joint name='j'/><geom name='g' size='0.1'/><site name='s'/></body></replicate>\
         <site name='w'/></worldbody><tendon><spatial name='t'><site site='w'/><site site='s'/></spatial></tendon>\
         <actuator><motor name='m' joint='j'/><motor tendon='t'/></actuator><sensor><gyro name='gyro' site='s'/></sensor></mujoco>",
    );
    let names = |names: Vec<&str>| names.join(" ");
    assert_eq!(names(world.tendons.iter().map(|t| t.name.as_str()).collect()), "t-0 t-1 t-2");
    assert_eq!(world.actuators.len(), 6);
    assert_eq!(names(world.sensors.iter().map(|s| s.name.as_str()).collect()), "gyro-0 gyro-1 gyro-2");
    assert!(matches!(world.actuators[4].transmission, Transmission::Joint { body: 3, .. }));
    assert!(matches!(world.actuators[5].transmission, Transmission::Tendon { tendon: 2, .. }));
}

#[test]
fn another_model_is_attached_with_all_that_belongs_to_it() {
    let child = "<mujoco><compiler angle='radian'/><default><geom rgba='1 0 0 1'/></default><asset><material name='m'/></asset><worldbody><geom name='floor' type='plane' size='1 1 1'/>\
        <body name='arm' pos='0 0 1'><joint name='j' range='-1 1'/><geom name='g' size='0.1' mass='2' material='m'/><site name='s'/>\
        <body name='hand'><joint name='k'/><geom size='0.1' mass='1'/></body></body><body name='other'/></worldbody>\
        <tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed></tendon>\
        <actuator><motor name='m' tendon='t'/></actuator><sensor><gyro name='gyro' site='s'/><clock name='c'/></sensor>\
        <contact><exclude body1='arm' body2='hand'/></contact></mujoco>";
    let parent = "<mujoco><asset><model name='c' file='child.xml'/></asset><worldbody><body name='base'><geom size='0.2' mass='5'/><site name='late'/>\
        <frame pos='1 0 0'><attach model='c' body='arm' prefix='l_'/></frame><geom name='after' size='0.1' mass='1'/></body>\
        <attach model='c' prefix='all_'/></worldbody><actuator><motor name='own' joint='l_k'/></actuator></mujoco>";
    let files = Memory::default().with("main.xml", parent).with("child.xml", child);
    let world = load_with("main.xml", &files, &LoadOptions::default()).unwrap();
    let names: Vec<&str> = world.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "base", "l_arm", "l_hand", "all_arm", "all_hand", "all_other"]);
    assert_eq!((world.bodies[2].parent, world.bodies[4].parent), (Some(1), Some(0)));
    assert_eq!(world.bodies[2].pose.translation.vector.as_slice(), [1.0, 0.0, 1.0]);
    assert_eq!((world.bodies[1].inertia.mass, world.bodies[2].inertia.mass), (6.0, 2.0));
    assert_eq!(world.bodies[2].joints[0].dofs[0].upper, 1.0, "radians of its own file");
    let actuators: Vec<&str> = world.actuators.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(actuators, ["own", "l_m", "all_m"]);
    assert!(matches!(world.actuators[2].transmission, Transmission::Tendon { tendon: 1, .. }));
    let SensorKind::Gyro { site } = world.sensors[0].kind else { panic!("a gyro") };
    assert_eq!(world.sites[site].name, "l_s");
    assert_eq!(world.sensors.len(), 2, "the clock is the world's own");
    assert_eq!(world.exclusions, [(2, 3), (4, 5)]);
    assert!(world.geoms.iter().any(|g| g.name == "all_floor" && g.body == 0));
    assert_eq!(world.geoms.iter().find(|g| g.name == "all_g").unwrap().material, Some(1));
}

#[test]
fn models_that_attach_themselves_are_refused() {
    let text = "<mujoco><asset><model name='m' file='main.xml'/></asset><worldbody><attach model='m' prefix='x'/></worldbody></mujoco>";
    let files = Memory::default().with("main.xml", text);
    let error = load_with("main.xml", &files, &LoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("circle"), "{error}");
    fails("<mujoco><worldbody><attach model='m' prefix='x'/></worldbody></mujoco>", &["does not exist"]);
}

#[test]
fn lights_and_cameras_of_an_attached_model_come_along() {
    let child = "<mujoco><worldbody><light pos='0 0 1' dir='0 1 0'/><camera name='c' pos='0 0 1'/><frame name='f' pos='3 0 0'><light pos='0 0 2'/></frame>\
        <body name='b' pos='0 5 0'><light pos='0 0 3'/></body></worldbody></mujoco>";
    let load = |what: &str| {
        let parent = format!(
            "<mujoco><asset><model name='m' file='c.xml'/></asset><worldbody><light pos='9 9 9'/><body name='base'>\
             <frame pos='1 0 0' euler='0 0 90'><attach model='m' {what} prefix='p_'/></frame></body></worldbody></mujoco>"
        );
        let files = Memory::default().with("a.xml", parent).with("c.xml", child);
        load_with("a.xml", &files, &LoadOptions::default()).unwrap()
    };
    let lights = |what: &str| -> Vec<(usize, [f64; 3])> {
        let round = |x: f64| (x * 1e9).round() / 1e9 + 0.0;
        let world = load(what);
        let lights = world.visual.lights.iter().skip(1);
        lights.map(|l| (l.body, [l.position.x, l.position.y, l.position.z].map(round))).collect()
    };
    // x of the child is y of the parent, and a light of a body stays where it is in that body.
    assert_eq!(lights(""), [(1, [1.0, 0.0, 1.0]), (1, [1.0, 3.0, 2.0]), (2, [0.0, 0.0, 3.0])]);
    assert_eq!(lights("body='b'"), [(2, [0.0, 0.0, 3.0])]);
    assert_eq!(lights("frame='f'"), [(1, [1.0, 3.0, 2.0])]);
    let all = load("");
    assert!((all.visual.lights[1].direction - nalgebra::Vector3::new(-1.0, 0.0, 0.0)).norm() < 1e-12);
    assert_eq!((all.visual.cameras[0].body, all.visual.cameras[0].name.as_str()), (1, "p_c"));
}

/// A frame brings its own pose along, but not those of the frames around it, as in MuJoCo.
#[test]
fn a_frame_is_attached_with_what_it_holds() {
    let child = "<mujoco><worldbody><geom name='out' size='0.1'/><frame name='f' pos='1 0 0' euler='0 0 90'><geom name='in' size='0.2' pos='0 1 0'/>\
        <body name='b1' pos='0 0 1'><joint name='j1'/><geom size='0.1'/></body><frame name='ff' pos='0 0 5'><body name='b2'><joint name='j2'/><geom size='0.1'/>\
        <frame name='deep' pos='0 0 7'><body name='b3'><geom name='g3' size='0.1'/></body></frame></body></frame></frame>\
        <body name='other'><joint name='jo'/><geom size='0.1'/></body></worldbody><actuator><motor name='m1' joint='j1'/><motor name='mo' joint='jo'/></actuator>\
        <sensor><jointpos name='s2' joint='j2'/><jointpos name='so' joint='jo'/></sensor></mujoco>";
    let load = |frame: &str| {
        let parent = format!(
            "<mujoco><asset><model name='m' file='c.xml'/></asset><worldbody><body name='base' pos='0 0 10'><frame pos='0 2 0'>\
             <attach model='m' frame='{frame}' prefix='p_'/></frame></body></worldbody></mujoco>"
        );
        let files = Memory::default().with("a.xml", parent).with("c.xml", child);
        load_with("a.xml", &files, &LoadOptions::default())
    };
    let at = |world: &stiction_model::World, name: &str| {
        let body = &world.bodies[world.body_index(name).unwrap_or_else(|| panic!("{name}"))];
        let p = body.pose.translation.vector;
        [p.x, p.y, p.z].map(|x| (x * 1e9).round() / 1e9 + 0.0)
    };
    let names =
        |world: &stiction_model::World| world.bodies[2..].iter().map(|b| b.name.clone()).collect::<Vec<_>>();
    let f = load("f").unwrap();
    assert_eq!(names(&f), ["p_b1", "p_b2", "p_b3"]);
    assert_eq!(
        (at(&f, "p_b1"), at(&f, "p_b2"), at(&f, "p_b3")),
        ([1.0, 2.0, 1.0], [1.0, 2.0, 5.0], [0.0, 0.0, 7.0])
    );
    let inside = f.geoms.iter().find(|g| g.name == "p_in").unwrap();
    assert!((inside.pose.translation.vector - nalgebra::Vector3::new(0.0, 2.0, 0.0)).norm() < 1e-12);
    assert!(f.geoms.iter().all(|g| g.name != "p_out"));
    assert_eq!((f.actuators.len(), f.sensors.len()), (1, 1));
    let ff = load("ff").unwrap();
    assert_eq!((names(&ff), at(&ff, "p_b2")), (vec!["p_b2".to_string(), "p_b3".into()], [0.0, 2.0, 5.0]));
    let deep = load("deep").unwrap();
    assert_eq!((names(&deep), at(&deep, "p_b3")), (vec!["p_b3".to_string()], [0.0, 2.0, 7.0]));
    assert!(load("none").unwrap_err().to_string().contains("no frame \"none\""));
}
