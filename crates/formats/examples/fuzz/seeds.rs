//! What each reader is fed, before damage.

use stiction_formats::files::Memory;
use stiction_formats::{Format, LoadOptions, load_string, load_with, mesh};

/// The readers by name.
pub const READERS: &[&str] =
    &["mjcf", "urdf", "sdf", "dmd", "obj", "stl", "dae", "gltf", "glb", "msh", "vtk"];

const OBJ: &str = "mtllib a.mtl\no cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nusemtl red\n\
    g side\nf 4 3 2 1\nf 5/1 6/2 7/3 8\nf 1//1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf -5 1 5 8\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a";
const DAE: &str = r##"<COLLADA><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common><accessor stride="3" count="4"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles><polylist><input semantic="VERTEX" source="#v"/><vcount>4 3</vcount><p>0 1 2 3 0 2 3</p></polylist></mesh></geometry></library_geometries>
<library_nodes><node id="n"><instance_geometry url="#g"/></node></library_nodes><library_visual_scenes><visual_scene id="s"><node name="m"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>
<translate>1 2 3</translate><rotate>0 0 1 90</rotate><scale>1 -1 1</scale><instance_geometry url="#g"/><node><instance_node url="#n"/></node></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":[1,2,3],"children":[1]},{"mesh":0,"scale":[1,-1,1],"rotation":[0,0,0,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1},{"attributes":{"POSITION":0},"mode":5}]}],"accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":3}],"buffers":[{"byteLength":51,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAEC"}]}"#;
const VTK: &str = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 0.2 0.2 0.2\n\
    CELLS 4 20\n4 0 1 2 4\n4 0 1 4 3\n4 0 4 2 3\n4 4 1 2 3\nCELL_TYPES 4\n10 10 10 10\nPOINT_DATA 5\nSCALARS extent double 1\nLOOKUP_TABLE default\n0 0 0 0 1\n";
const URDF: &str = r#"<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"><inertial><origin xyz="0 0 1" rpy="0 0 1"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"/></inertial>
<visual><geometry><mesh filename="a.obj" scale="1 1 1"/></geometry><material name="red"/></visual><collision name="c"><geometry><box size="1 1 1"/></geometry><drake:proximity_properties><drake:mu_static value="0.5"/></drake:proximity_properties></collision></link>
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision><geometry><mesh filename="package://m/a.stl"/></geometry></collision></link><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="2"/><dynamics damping="1" friction="0.1"/></joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="3" velocity="2"/><mimic joint="j" multiplier="2" offset="0.1"/></joint>
<transmission name="t"><joint name="j"/><actuator name="m"><drake:gear_ratio value="2"/><drake:rotor_inertia value="0.1"/></actuator></transmission><frame name="f" link="b" xyz="0 0 1" rpy="0 0 0"/>
<gazebo reference="a"><mu1>0.5</mu1><kp>1e5</kp><kd>1</kd></gazebo><drake:collision_filter_group name="g"><drake:member link="a"/><drake:member link="c"/><drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>
<drake:ball_constraint><drake:ball_constraint_body_A name="a"/><drake:ball_constraint_body_B name="c"/><drake:ball_constraint_p_AP value="0 0 0"/><drake:ball_constraint_p_BQ value="0 0 0"/></drake:ball_constraint></robot>"#;
const SDF: &str = r#"<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity><frame name="shelf"><pose>0 0 1 0 0 0</pose></frame><include><uri>model://m</uri><name>i</name><pose relative_to="shelf">1 0 0 0 0 0</pose></include>
<model name="arm" canonical_link="a" placement_frame="f"><pose>0 0 1 0 0 0</pose><self_collide>false</self_collide><link name="a"><inertial><mass>1</mass><pose>0 0 1 0 0 0</pose><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<collision name="c"><geometry><mesh><uri>a.obj</uri><scale>1 1 1</scale><submesh><name>cube</name><center>true</center></submesh></mesh></geometry><surface><friction><ode><mu>0.5</mu></ode></friction><contact><ode><kp>1e5</kp><kd>1</kd></ode></contact></surface></collision>
<visual name="v"><geometry><plane><normal>0 0 1</normal><size>1 1</size></plane></geometry><material><diffuse>1 0 0 1</diffuse></material></visual></link>
<link name="b"><pose relative_to="a" degrees="true">1 0 0 0 0 90</pose><inertial auto="true"/><collision name="d"><density>100</density><geometry><box><size>1 1 1</size></box></geometry></collision></link><link name="c"/>
<frame name="f" attached_to="b"><pose>0 0 1 0 0 0</pose></frame><joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz expressed_in="f">0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit><dynamics><damping>1</damping><spring_stiffness>2</spring_stiffness></dynamics></axis></joint>
<joint name="k" type="revolute"><parent>a</parent><child>c</child><axis><xyz>0 0 1</xyz><mimic joint="j"><multiplier>2</multiplier></mimic></axis></joint>
<joint name="g" type="gearbox"><parent>b</parent><child>c</child><gearbox_ratio>2</gearbox_ratio><gearbox_reference_body>a</gearbox_reference_body><axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>
<joint name="l" type="ball"><parent>b</parent><child>c</child></joint><joint name="s" type="universal"><parent>a</parent><child>c</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint>
<model name="inner"><link name="x"/><link name="y"><pose relative_to="x"/></link><joint name="z" type="screw"><parent>x</parent><child>y</child><axis><xyz>0 0 1</xyz></axis><thread_pitch>3</thread_pitch></joint></model>
<include merge="true"><uri>model://m</uri></include></model></world></sdf>"#;
const MODEL: &str =
    "<sdf version='1.8'><model name='m'><link name='l'><pose>0 0 1 0 0 0</pose></link></model></sdf>";
const DMD: &str = "directives:\n- add_model:\n    name: arm\n    file: package://m/r.urdf\n    default_joint_positions:\n      j: [0.5]\n    default_free_body_pose:\n      a:\n        translation: [0, 0, 1]\n        rotation: !Rpy { deg: [0, 0, 90] }\n\
- add_frame:\n    name: tool\n    X_PF:\n      base_frame: arm::b\n      translation: [1, 0, 0]\n- add_model:\n    name: box\n    file: m.sdf\n- add_weld:\n    parent: tool\n    child: box::l\n    X_PC:\n      rotation: !AngleAxis\n        angle_deg: 90\n        axis: [0, 0, 1]\n\
- add_collision_filter_group:\n    name: g\n    members: [arm::a, box::l]\n    ignored_collision_filter_groups: [g]\n- add_directives:\n    file: other.dmd.yaml\n    model_namespace: n\n- add_model_instance:\n    name: n\n";
const DMD_FLOW: &str = "directives:\n- add_model: {name: 'it''s', \"file\": \"m\\/r.urdf\", default_joint_positions: {j: &q [0.5]}}\n\
- add_model: {name: box, file: m.sdf, default_free_body_pose: {__model__: &x {base_frame: b, translation: [0, 0, 1]}}}\n\
- add_frame: &f {name: it's::tool, X_PF: {<<: *x, rotation: !Rpy {deg: [1, 2, 3]}}}\n- add_frame:\n    <<: [*f]\n    name: other\n\
- add_weld: {parent: world, child: a}\n- add_collision_filter_group: {name: g, model_namespace: box, members: [l], member_groups: [g], ignored_collision_filter_groups: []}\n";

fn files() -> Memory {
    Memory::default()
        .with("a.obj", OBJ)
        .with("a.stl", STL)
        .with("m/a.stl", STL)
        .with("m/r.urdf", URDF)
        .with("m/model.sdf", MODEL)
        .with("m.sdf", MODEL)
        .with("other.dmd.yaml", "directives:\n- add_model: {name: q, file: m.sdf}\n")
}

fn glb() -> Vec<u8> {
    let json = GLTF.split(",\"uri\"").next().map(|t| format!("{t}}}]}}")).unwrap_or_default();
    let padded = format!("{json:<width$}", width = json.len().div_ceil(4) * 4);
    let mut body: Vec<u8> =
        [0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|x| x.to_le_bytes()).collect();
    body.extend([0, 1, 2, 0]);
    let mut out = b"glTF".to_vec();
    out.extend(2u32.to_le_bytes());
    out.extend((28 + padded.len() as u32 + body.len() as u32).to_le_bytes());
    out.extend((padded.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(padded.bytes());
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(body);
    out
}

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0u8; 80];
    bytes.extend(1u32.to_le_bytes());
    for x in [0f32, 0., 1., 0., 0., 0., 1., 0., 0., 0., 1., 0.] {
        bytes.extend(x.to_le_bytes());
    }
    bytes.extend([0, 0]);
    bytes
}

fn msh() -> Vec<u8> {
    let mut bytes: Vec<u8> = [4i32, 0, 0, 2].iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0f32, 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend([0i32, 1, 2, 0, 2, 3].iter().flat_map(|x| x.to_le_bytes()));
    bytes
}

/// Sound inputs of a reader.
pub fn seeds(reader: &str) -> Vec<Vec<u8>> {
    match reader {
        "mjcf" => {
            let scenes = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
            let mut paths: Vec<_> = std::fs::read_dir(scenes)
                .map(|d| d.filter_map(|e| Some(e.ok()?.path())).collect())
                .unwrap_or_default();
            paths.retain(|p: &std::path::PathBuf| p.extension().is_some_and(|e| e == "xml"));
            paths.sort();
            let mut all: Vec<Vec<u8>> = paths.iter().filter_map(|p| std::fs::read(p).ok()).collect();
            all.push(MJCF.into());
            all
        }
        "urdf" => vec![URDF.into()],
        "sdf" => vec![SDF.into(), MODEL.into()],
        "dmd" => vec![DMD.into(), DMD_FLOW.into()],
        "obj" => vec![OBJ.into()],
        "stl" => vec![STL.into(), binary_stl()],
        "dae" => vec![DAE.into()],
        "gltf" => vec![GLTF.into()],
        "glb" => vec![glb()],
        "msh" => vec![msh()],
        _ => vec![VTK.into()],
    }
}

const MJCF: &str = r#"<mujoco model="m"><compiler angle="radian"/><default><geom size="0.1 0.2 0.3"/><default class="c"><joint damping="1"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><mesh name="o" file="a.obj"/><material name="r" rgba="1 0 0 1"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1" elevation="0 1 1 0"/></asset>
<worldbody><geom type="plane"/><geom type="hfield" hfield="h"/><body name="a" pos="0 0 1" childclass="c"><joint name="j" axis="0 1 0" range="-1 1"/><geom name="g" type="capsule" fromto="0 0 0 1 0 0" material="r"/><site name="s"/>
<replicate count="3" offset="1 0 0" sep="-"><geom size="0.1"/></replicate><frame euler="0 0 1"><body name="b"><joint name="k" type="slide"/><geom type="mesh" mesh="t"/><geom type="mesh" mesh="o"/><site name="u"/></body></frame></body></worldbody>
<tendon><spatial name="p"><site site="s"/><geom geom="g"/><site site="u"/></spatial><fixed name="q"><joint joint="j" coef="1"/></fixed></tendon><contact><exclude body1="a" body2="b"/></contact><sensor><jointpos joint="j"/><gyro site="s"/></sensor>
<equality><joint joint1="j" joint2="k"/><connect body1="a" body2="b" anchor="0 0 0"/><weld body1="a" body2="b"/></equality><actuator><position joint="j" kp="1"/><motor tendon="p"/><muscle joint="k"/></actuator><keyframe><key qpos="0 0"/></keyframe></mujoco>"#;

/// Reads an input; whatever comes back is fine.
pub fn read(reader: &str, input: &[u8]) {
    let options = LoadOptions { package_paths: vec!["m".into()], ..LoadOptions::default() };
    let extension = match reader {
        "mjcf" => "xml",
        "dmd" => "dmd.yaml",
        other => other,
    };
    match reader {
        "mjcf" | "urdf" | "sdf" | "dmd" => {
            let name = format!("main.{extension}");
            let outcome = load_with(&name, &files().with(&name, input), &options);
            // What was read can be written.
            if let Ok(world) = outcome {
                let again = stiction_formats::export(&world, Format::Mjcf);
                if let Ok(exported) = again {
                    load_string(&exported.text, Format::Mjcf, &LoadOptions::default()).ok();
                }
            }
        }
        _ => {
            mesh::read_part(&format!("a.{extension}"), input, None, &|_| Err("nothing beside".into())).ok();
        }
    }
}
