//! Worlds composed of models and meshes of several formats.

mod common;

use common::poses;
use nalgebra::{Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use stiction_formats::files::Memory;
use stiction_formats::{Base, Composition, Format, LoadOptions, MeshObject, Placement, load_string};
use stiction_model::{EqualityKind, FrameOf, JointKind, Pose, SensorKind, Shape, World};

/// A robot with what refers to its world: a geom and a site on it, a weld to it, a frame sensor in it, a mocap body.
const ARM: &str = "<mujoco model='arm'><option gravity='0 0 -1' timestep='0.004'/><worldbody>\
    <geom name='table' type='box' size='1 1 0.1' pos='0 0 -0.1'/><site name='corner' pos='1 1 0'/>\
    <body name='base' pos='0 0 0.5'><joint name='turn' axis='0 0 1'/><geom name='b' size='0.1'/>\
      <body name='hand' pos='1 0 0' euler='0 90 0'><joint name='bend' axis='0 1 0'/><geom name='h' size='0.1'/>\
        <site name='tool' pos='0 0 0.2' euler='0 0 90'/></body></body>\
    <body name='ball' pos='2 0 1'><freejoint name='free'/><geom name='s' size='0.1'/></body>\
    <body name='target' mocap='true' pos='0 3 0'/></worldbody>\
    <equality><connect name='tie' body1='hand' anchor='0 0 0.1'/></equality>\
    <actuator><motor name='m' joint='turn'/><general name='g' joint='bend' dyntype='integrator'/></actuator>\
    <sensor><framepos name='where' objtype='site' objname='tool' reftype='site' refname='corner'/></sensor>\
    <keyframe><key name='home' time='1' qpos='0.1 0.2 3 0 1 0 1 0 0' qvel='1 2 1 0 0 0 0 5' ctrl='6 7' act='8' mpos='1 1 1'/>\
    </keyframe></mujoco>";

const CUP: &str = "<robot name='cup'><link name='cup'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\
    </link><link name='ear'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
    <joint name='hinge' type='continuous'><parent link='cup'/><child link='ear'/><origin xyz='0 1 0'/><axis xyz='0 0 1'/></joint>\
    </robot>";

/// A closed tetrahedron with one corner at the origin and edges of 6 along the axes: its volume is 36.
const WEDGE: &str = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

fn arm() -> World {
    load_string(ARM, Format::Mjcf, &LoadOptions::default()).unwrap()
}

fn cup() -> World {
    load_string(CUP, Format::Urdf, &LoadOptions::default()).unwrap()
}

fn files() -> Memory {
    Memory::default()
        .with("m/wedge.obj", WEDGE)
        .with("m/open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n")
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

fn pose_of(world: &World, name: &str) -> Pose {
    poses(world)[world.body_index(name).unwrap()]
}

fn composed(add: impl FnOnce(&mut Composition)) -> World {
    let mut composition = Composition::new("scene");
    add(&mut composition);
    composition.build().unwrap()
}

fn some_pose() -> impl Strategy<Value = Pose> {
    let angles = prop::array::uniform3(-3.0..3.0_f64);
    (prop::array::uniform3(-2.0..2.0_f64), angles).prop_map(|(p, [x, y, z])| {
        Pose::from_parts(Translation3::from(Vector3::from(p)), UnitQuaternion::from_euler_angles(x, y, z))
    })
}

#[test]
fn a_model_alone_at_the_origin_is_itself() {
    let world = composed(|c| c.add(arm(), "arm.xml", &Placement::default()).unwrap());
    let mut expected = arm();
    expected.name = "scene".into();
    for key in &mut expected.keyframes {
        key.mocap = vec![at(1.0, 1.0, 1.0)];
    }
    assert_eq!(world, expected);
}

proptest! {
    /// Everything moves with the model: bodies, what is fixed to its world, what refers to its world, and its named state.
    #[test]
    fn a_model_moves_as_a_whole(x in some_pose()) {
        let placement = Placement { name: "left".into(), pose: x, ..Placement::default() };
        let world = composed(|c| c.add(arm(), "arm.xml", &placement).unwrap());
        let before = arm();
        let near = |a: Pose, b: Pose| (a.to_homogeneous() - b.to_homogeneous()).norm() < 1e-12;
        for (body, pose) in before.bodies.iter().zip(poses(&before)).skip(1) {
            prop_assert!(near(pose_of(&world, &format!("left/{}", body.name)), x * pose), "{}", body.name);
        }
        let all = poses(&world);
        for (was, is) in before.geoms.iter().zip(&world.geoms) {
            prop_assert!(near(all[is.body] * is.pose, x * poses(&before)[was.body] * was.pose), "{}", was.name);
        }
        for (was, is) in before.sites.iter().zip(&world.sites) {
            prop_assert!(near(all[is.body] * is.pose, x * poses(&before)[was.body] * was.pose), "{}", was.name);
        }
        let EqualityKind::Connect { body_a, body_b, point_a, point_b } = world.equalities[0].kind else { panic!() };
        let point = |body: usize, p: Vector3<f64>| all[body] * nalgebra::Point3::from(p);
        prop_assert!((point(body_a, point_a) - point(body_b, point_b)).norm() < 1e-12, "the tie holds");
        let SensorKind::FramePosition { frame: FrameOf::Site(tool), reference: Some(FrameOf::Site(corner)) } =
            world.sensors[0].kind else { panic!() };
        prop_assert_eq!([&world.sites[tool].name, &world.sites[corner].name], ["left/tool", "left/corner"]);
        let key = &world.keyframes[0];
        prop_assert_eq!((key.name.as_str(), key.time), ("left/home", 1.0));
        let free = x * at(3.0, 0.0, 1.0) * Pose::from_parts(Translation3::identity(), UnitQuaternion::new(Vector3::x() * std::f64::consts::PI));
        let turn = free.rotation.quaternion();
        let expected = [free.translation.x, free.translation.y, free.translation.z];
        prop_assert!((0..3).all(|i| (key.qpos[2 + i] - expected[i]).abs() < 1e-12) && key.qpos[..2] == [0.1, 0.2]);
        let same: f64 = [turn.w, turn.i, turn.j, turn.k].iter().zip(&key.qpos[5..9]).map(|(a, b)| a * b).sum();
        prop_assert!((same.abs() - 1.0).abs() < 1e-12, "{same}");
        let linear = x.rotation * Vector3::x();
        prop_assert!((0..3).all(|i| (key.qvel[2 + i] - linear[i]).abs() < 1e-12));
        prop_assert!(near(key.mocap[0], x * at(1.0, 1.0, 1.0)));
    }

    /// A frame of the model is put where the pose says, on whichever body carries it.
    #[test]
    fn a_model_is_placed_by_one_of_its_frames(x in some_pose(), y in some_pose()) {
        let near = |a: Pose, b: Pose| (a.to_homogeneous() - b.to_homogeneous()).norm() < 1e-12;
        for (frame, base) in [("cup", Base::AsGiven), ("ear", Base::AsGiven), ("cup", Base::Fixed), ("ear", Base::Fixed)] {
            let world = composed(|c| {
                c.add(arm(), "arm.xml", &Placement { pose: y, ..Placement::default() }).unwrap();
                let frame = frame.into();
                c.add(cup(), "cup.urdf", &Placement { pose: x, to: "tool".into(), frame, base, ..Placement::default() }).unwrap();
            });
            let hand = pose_of(&world, "hand");
            let tool = hand * world.sites.iter().find(|s| s.name == "tool").unwrap().pose;
            prop_assert!(near(pose_of(&world, frame), tool * x), "{frame}");
            // Held by the hand: the cup's free joint is gone and its hinge is still there.
            prop_assert_eq!((world.nq(), world.nv()), (2 + 7 + 1, 2 + 6 + 1));
            let held = &world.bodies[world.body_index(frame).unwrap()];
            prop_assert_eq!(&world.bodies[held.parent.unwrap()].name, "hand");
        }
    }
}

#[test]
fn models_and_meshes_of_several_formats_make_one_world() {
    let world = composed(|c| {
        c.ground(-0.2, Some(0.7)).unwrap();
        c.add(
            arm(),
            "arm.xml",
            &Placement { name: "left".into(), pose: at(0.0, 1.0, 0.0), ..Placement::default() },
        )
        .unwrap();
        c.add(arm(), "arm.xml", &Placement { name: "right".into(), ..Placement::default() }).unwrap();
        c.add(cup(), "cup.urdf", &Placement { to: "right/hand".into(), ..Placement::default() }).unwrap();
        c.add_file("m/wedge.obj", &files(), &LoadOptions::default(), &Placement::default()).unwrap();
        let two = Placement { name: "two".into(), pose: at(0.0, 0.0, 9.0), ..Placement::default() };
        c.add_mesh(
            "m/wedge.obj",
            &files(),
            &MeshObject { mass: Some(3.0), scale: Vector3::repeat(0.5), ..MeshObject::default() },
            &two,
        )
        .unwrap();
    });
    // Depth first: the cup follows the hand that carries it.
    let names: Vec<&str> = world.bodies.iter().map(|b| b.name.as_str()).collect();
    let left = ["left/base", "left/hand", "left/ball", "left/target"];
    let right = ["right/base", "right/hand", "cup", "ear", "right/ball", "right/target"];
    // What the left arm fixes to its world moves along on a body of its own.
    assert_eq!(names, [&["world", "left"][..], &left[..2], &left[2..], &right, &["wedge", "two"]].concat());
    assert_eq!(world.bodies[1].pose, at(0.0, 1.0, 0.0));
    assert_eq!(world.bodies[world.geoms.iter().find(|g| g.name == "left/table").unwrap().body].name, "left");
    assert!(
        matches!(world.geoms[0].shape, Shape::HalfSpace { .. }) && world.geoms[0].pose == at(0.0, 0.0, -0.2)
    );
    assert_eq!(world.geoms[0].contact.dynamic_friction, Some(0.7));
    // ∫ over a right tetrahedron of edge a: V = a³/6, centroid a/4, I about it 3 V a²/40 on the diagonal, V a²/80 off it.
    let wedge = &world.bodies[world.body_index("wedge").unwrap()].inertia;
    assert!((wedge.mass - 36_000.0).abs() < 1e-6 && (wedge.com - Vector3::repeat(1.5)).norm() < 1e-12);
    let (on, off) = (36_000.0 * 36.0 * 3.0 / 40.0, 36_000.0 * 36.0 / 80.0);
    assert!((wedge.rotational[(0, 0)] - on).abs() < 1e-6 && (wedge.rotational[(0, 1)] - off).abs() < 1e-6);
    let two = &world.bodies[world.body_index("two").unwrap()];
    assert!(
        (two.inertia.mass - 3.0).abs() < 1e-12 && (two.inertia.com - Vector3::repeat(0.75)).norm() < 1e-12
    );
    assert_eq!((two.joints[0].name.as_str(), two.joints[0].kind), ("two_free", JointKind::Free));
    // The options are those of the first model.
    assert_eq!((world.options.gravity.z, world.options.step), (-1.0, Some(0.004)));
    let texts: Vec<String> = world.warnings.iter().map(ToString::to_string).collect();
    assert!(
        texts.iter().any(|t| t.contains("cup.urdf")
            && t.contains("arm.xml")
            && t.contains("gravity")
            && t.contains("friction")),
        "{texts:?}"
    );
}

#[test]
fn named_states_of_the_parts_leave_the_others_in_their_default() {
    let world = composed(|c| {
        c.add(arm(), "a", &Placement { name: "a".into(), ..Placement::default() }).unwrap();
        c.add(cup(), "cup.urdf", &Placement { to: "a/hand".into(), ..Placement::default() }).unwrap();
        c.add(arm(), "b", &Placement { name: "b".into(), ..Placement::default() }).unwrap();
    });
    let order: Vec<&str> = world.joints().map(|(_, j)| j.name.as_str()).collect();
    assert_eq!(order, ["a/turn", "a/bend", "hinge", "a/free", "b/turn", "b/bend", "b/free"]);
    let ball = [2.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let key = &world.keyframes[1];
    assert_eq!(key.name, "b/home");
    assert_eq!(
        key.qpos,
        [&[0.0, 0.0, 0.0][..], &ball, &[0.1, 0.2, 3.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]].concat()
    );
    assert_eq!(key.qvel, [&[0.0; 9][..], &[1.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 5.0]].concat());
    assert_eq!((&key.ctrl[..], &key.activation[..]), (&[0.0, 0.0, 6.0, 7.0][..], &[0.0, 8.0][..]));
    assert_eq!(key.mocap, [at(0.0, 3.0, 0.0), at(1.0, 1.0, 1.0)]);
    assert_eq!(world.keyframes[0].qpos[..4], [0.1, 0.2, 0.0, 3.0]);
    assert_eq!(world.keyframes[0].ctrl, [6.0, 7.0, 0.0, 0.0]);
}

#[test]
fn bases_are_fixed_and_freed() {
    let fixed =
        composed(|c| c.add(cup(), "cup", &Placement { base: Base::Fixed, ..Placement::default() }).unwrap());
    assert_eq!(fixed.nq(), 1);
    let freed = composed(|c| {
        c.add(fixed.clone(), "cup", &Placement { base: Base::Free, ..Placement::default() }).unwrap()
    });
    assert_eq!((freed.nq(), freed.bodies[1].joints[0].name.as_str()), (8, "cup_free"));
    // Placed in a frame of a body and free all the same.
    let laid = composed(|c| {
        c.add(arm(), "arm", &Placement::default()).unwrap();
        let placement = Placement { to: "hand".into(), base: Base::Free, ..Placement::default() };
        c.add(cup(), "cup", &placement).unwrap();
    });
    let cup = &laid.bodies[laid.body_index("cup").unwrap()];
    assert_eq!((cup.parent, cup.joints[0].kind), (Some(0), JointKind::Free));
    assert!((pose_of(&laid, "cup").translation.vector - Vector3::new(1.0, 0.0, 0.5)).norm() < 1e-12);
}

#[test]
fn what_cannot_be_composed_says_why_and_what_to_do() {
    let error = |add: &dyn Fn(&mut Composition) -> Result<(), stiction_formats::FormatError>| {
        let mut composition = Composition::new("scene");
        composition.add(arm(), "arm.xml", &Placement::default()).unwrap();
        composition.ground(0.0, None).unwrap();
        let text = add(&mut composition).unwrap_err().to_string();
        // A refused model leaves nothing behind.
        assert_eq!(composition.build().unwrap().bodies.len(), arm().bodies.len(), "{text}");
        text
    };
    let text = error(&|c| c.add(arm(), "again.xml", &Placement::default()));
    assert!(
        text.contains("again.xml")
            && text.contains("\"base\", from arm.xml")
            && text.contains("give this one a name"),
        "{text}"
    );
    let text = error(&|c| c.ground(0.0, None));
    assert!(text.contains("a geom called \"ground\", from the ground; a world has one ground"), "{text}");
    assert!(error(&|c| c.ground(f64::NAN, None)).contains("the ground: its height is NaN m"));
    assert!(error(&|c| c.ground(0.0, Some(-1.0))).contains("its friction is -1: give"));
    let text = error(&|c| c.add(cup(), "cup", &Placement { to: "hadn".into(), ..Placement::default() }));
    assert!(text.contains("no body or site called \"hadn\" (did you mean \"hand\"?)"), "{text}");
    let text = error(&|c| c.add(cup(), "cup", &Placement { frame: "Cup".into(), ..Placement::default() }));
    assert!(text.contains("the model has no body or site called \"Cup\" (did you mean \"cup\"?)"), "{text}");
    let text =
        error(&|c| c.add(cup(), "cup", &Placement { pose: at(f64::NAN, 0.0, 0.0), ..Placement::default() }));
    assert!(text.contains("finite"), "{text}");
    let mesh = |object: MeshObject, file: &'static str| {
        error(&move |c| c.add_mesh(file, &files(), &object, &Placement::default()))
    };
    assert!(mesh(MeshObject::default(), "m/open.obj").contains("not closed"));
    assert!(
        mesh(MeshObject { mass: Some(0.0), ..MeshObject::default() }, "m/wedge.obj").contains("mass = 0")
    );
    assert!(
        mesh(MeshObject { scale: Vector3::zeros(), ..MeshObject::default() }, "m/wedge.obj")
            .contains("scale")
    );
    assert!(mesh(MeshObject::default(), "m/none.obj").contains("check the path"));
    // An open surface can be an object as its hull.
    let hull = composed(|c| {
        let object = MeshObject { hull: true, ..MeshObject::default() };
        c.add_mesh("m/open.obj", &files(), &object, &Placement::default()).unwrap();
    });
    assert!((hull.bodies[1].inertia.mass - 1000.0 / 6.0).abs() < 1e-9);
}
