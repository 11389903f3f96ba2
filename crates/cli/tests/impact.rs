//! `stiction impact` as its users run it.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The block of the theory notes in the plane, above the floor by what it falls in a tenth of a second.
fn block(name: &str) -> (PathBuf, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let scene = r#"<mujoco><option timestep="0.001"/><worldbody>
        <geom type="plane" size="9 9 1" friction="1"/>
        <body pos="0 0 1.04905"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>
          <joint type="hinge" axis="0 -1 0"/>
          <inertial pos="0 0 0" mass="1" diaginertia="0.416666666666666667 0.416666666666666667 0.416666666666666667"/>
          <geom type="box" size="0.5 0.01 1" friction="1"/></body>
    </worldbody></mujoco>"#;
    let file = folder.join("block.xml");
    std::fs::write(&file, scene).unwrap();
    let path = file.display().to_string();
    (folder, path)
}

#[test]
fn a_block_that_lands_flat_rocks_either_way_and_the_report_says_so() {
    let (folder, scene) = block("impact-report");
    let out = folder.join("out").display().to_string();
    let output = stiction(&[
        "impact",
        &scene,
        "--samples",
        "512",
        "--out",
        &out,
        "--branch",
        "3",
        "--restitution",
        "0.5",
        "--json",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let impact = &report["impacts"][0];
    // 0.981 m/s after 0.04905 m; both corners hit; left or right by 0.21 of the speed (docs/impacts.md).
    let spin = &impact["velocities"][2];
    let (least, greatest) = (spin["least"].as_f64().unwrap(), spin["greatest"].as_f64().unwrap());
    assert!(
        (least + 0.21 * 0.981).abs() < 1e-4 && (greatest - 0.21 * 0.981).abs() < 1e-4,
        "{least} {greatest}"
    );
    let time = impact["time"].as_f64().unwrap();
    // Steps of a millisecond that move by the velocity at their end are early by half of one.
    assert!((time - 0.0995).abs() < 1e-5, "{time}");
    assert_eq!(impact["verdict"]["answer"], "ambiguous");
    // Landing at once it bounces straight up by half of its speed; other outcomes rise slower or faster.
    let up: Vec<f64> = impact["restitution"]["velocities"][1]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    assert!(up[0] <= 0.5 * 0.981 + 1e-3 && up[1] >= 0.5 * 0.981 - 1e-3, "{up:?}");
    // The outer bound holds the set and leaves little.
    for velocity in impact["velocities"].as_array().unwrap() {
        let get = |k: &str| velocity[k].as_f64().unwrap();
        let outer: Vec<f64> =
            velocity["outer"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        assert!(outer[0] <= get("least") + 1e-9 && outer[1] >= get("greatest") - 1e-9, "{velocity}");
        assert!(velocity["gap"].as_f64().unwrap_or(0.0) < 0.1, "{velocity}");
    }
    assert_eq!(impact["certificate"]["terminates"], true);
    assert_eq!((impact["unsolved"].as_u64(), impact["unfinished"].as_u64()), (Some(0), Some(0)));
    // Everything it says it wrote is there: figures, the outcomes as CSV, the fan of futures.
    let files: Vec<&str> = impact["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    for ending in [".png", ".csv", ".html"] {
        assert!(files.iter().any(|f| f.ends_with(ending)), "no {ending} in {files:?}");
    }
    for file in files {
        assert!(std::fs::metadata(file).is_ok_and(|m| m.len() > 0), "{file}");
    }
}

#[test]
fn a_scene_without_an_impact_of_several_contacts_is_told() {
    let (folder, scene) = block("impact-none");
    let out = folder.join("out").display().to_string();
    let output = stiction(&["impact", &scene, "--time", "0.05", "--out", &out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("impact"), "{}", text(&output.stdout));
    let output = stiction(&["impact", &scene, "--here", "--out", &out]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(said.contains("touch") || said.contains("approach"), "{said}");
}

/// The first impact that the program finds in a scene, as JSON.
fn first(name: &str, scene: &str, arguments: &[&str]) -> Value {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("scene.xml");
    std::fs::write(&file, scene).unwrap();
    let (file, out) = (file.display().to_string(), folder.join("out").display().to_string());
    let output = stiction(&[&["impact", &file, "--out", &out, "--json"][..], arguments].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["impacts"][0].clone()
}

/// A body in the plane with the inertia of a rod of 1 m and 1 kg, touching with a small sphere.
fn rod(x: f64, z: f64, friction: f64) -> String {
    format!(
        r#"<mujoco><option timestep="0.001"/><worldbody><geom name="floor" type="plane" size="9 9 1" friction="{friction}"/>
        <body><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>
        <inertial pos="0 0 0" mass="1" diaginertia="1 0.08333333333333333 1"/>
        <geom type="sphere" size="1e-6" pos="{x} 0 {}" friction="{friction}"/></body></worldbody></mujoco>"#,
        -z
    )
}

#[test]
fn a_rod_whose_slip_reverses_is_unique_and_has_rouths_answer() {
    let r = 0.353_553_390_593_273_8;
    let scene = rod(r, r, 0.3);
    let height = format!("0,{},0", r + 1e-6);
    let impact = first("impact-reversal", &scene, &["--here", "--qpos", &height, "--qvel=-0.3,-1,0"]);
    assert_eq!(impact["verdict"]["answer"], "unique");
    let v = impact["velocities"][0]["least"].as_f64().unwrap();
    assert!((v + 143.0 / 410.0).abs() < 1e-4, "{v}");
}

#[test]
fn a_pressed_sliding_rod_has_an_impact_without_collision() {
    let (x, z) = (0.223_606_797_75, 0.447_213_595_5);
    let height = format!("0,{},0", z + 1e-6);
    let with = |friction: f64| {
        first("impact-painleve", &rod(x, z, friction), &["--here", "--qpos", &height, "--qvel=1,0,0"])
    };
    // Above the limit of 4/3 slip stops at once; the tip then rests.
    let impact = with(1.6);
    assert_eq!(impact["without_collision"], true);
    let v: Vec<f64> = (0..3).map(|i| impact["velocities"][i]["least"].as_f64().unwrap()).collect();
    assert!((v[0] - 0.6).abs() < 1e-4 && (v[1] - 0.3).abs() < 1e-4, "{v:?}");
    // Below it a finite force holds, and there is none.
    assert!(with(1.2).is_null());
}

#[test]
fn samples_in_steps_too_small_go_on_one_contact_after_another() {
    let (_, scene) = block("impact-dropped");
    let out = PathBuf::from(&scene).with_extension("out").display().to_string();
    let arguments =
        ["impact", &scene, "--cap", "5e-5", "--samples", "8", "--no-outer", "--json", "--out", &out];
    let report: Value = serde_json::from_slice(&stiction(&arguments).stdout).unwrap();
    // All contacts at once has no other way to go on, and is counted as dropped.
    assert_eq!(report["impacts"][0]["unfinished"], 1);
    assert_eq!(report["impacts"][0]["rerouted"], 8);
    assert_eq!(report["impacts"][0]["verdict"]["answer"], "ambiguous");
}

#[test]
fn a_velocity_that_is_an_outcome_and_one_that_is_not_are_told_apart() {
    let (_, scene) = block("impact-member");
    // On the floor at 1 m/s; one corner after the other gives (0.21, 0.105, -0.21), theory notes.
    let is = |member: &str| {
        let member = format!("--member={member}");
        let more = ["--here", "--qpos", "0,-0.04905,0", "--qvel=0,-1,0", "--samples", "64", &member];
        let out = PathBuf::from(&scene).with_extension("out").display().to_string();
        let output = stiction(&[&["impact", scene.as_str(), "--json", "--out", &out][..], &more].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["impacts"][0]["member"]["answer"].clone()
    };
    assert_eq!(is("0.21,0.105,-0.21"), "yes");
    assert_eq!(is("0,0,0"), "yes");
    assert_eq!(is("0.21,0.105,-0.25"), "no");
    assert_eq!(is("0,0.2,0"), "no");
}

#[test]
fn a_tower_at_rest_has_no_impact_and_is_not_an_error() {
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("impact-stack").display().to_string();
    let output = stiction(&["impact", "stack", "--time", "0.05", "--out", &out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("no impact of several contacts"), "{}", text(&output.stdout));
}

#[test]
fn a_tree_of_futures_has_leaves_whose_weights_add_to_one() {
    let (folder, scene) = block("impact-tree");
    let out = folder.join("out").display().to_string();
    let arguments =
        ["impact", &scene, "--tree", "--horizon", "0.15", "--samples", "64", "--json", "--out", &out];
    let output = stiction(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let branches = report["tree"]["branches"].as_array().unwrap();
    assert!(branches.len() > 2 && branches[0]["end"] == "fork");
    let leaves = branches.iter().filter(|b| b["end"] == "horizon");
    let weight: f64 = leaves.map(|b| b["weight"].as_f64().unwrap()).sum();
    assert!((weight - 1.0).abs() < 1e-9, "{weight}");
    // The ends in one page.
    let ends = branches.iter().filter(|b| b["end"] == "horizon").count();
    assert_eq!(report["tree"]["ends_on_page"], ends);
    let files = report["tree"]["files"].as_array().unwrap();
    assert!(files.iter().any(|f| f.as_str().unwrap().ends_with(".html")), "{files:?}");
    for file in files {
        assert!(std::fs::metadata(file.as_str().unwrap()).is_ok_and(|m| m.len() > 0), "{file}");
    }
}

#[test]
fn wrong_arguments_end_with_two_and_name_themselves() {
    let (folder, scene) = block("impact-wrong");
    let out = folder.join("out").display().to_string();
    for (arguments, named) in [
        (vec!["--cap", "-1"], "cap"),
        (vec!["--tolerance", "2"], "tolerance"),
        (vec!["--restitution", "1.5"], "restitution"),
        (vec!["--tree", "--horizon", "-1"], "horizon"),
        (vec!["--time", "-1"], "--time"),
        (vec!["--axes", "0,7"], "--axes"),
        (vec!["--outer-sectors", "5"], "sectors"),
        (vec!["--member", "1,2"], "--member"),
        (vec!["--member", "1,2,nan"], "velocity"),
        (vec!["--member", "1,2,3", "--no-outer"], "--no-outer"),
        (vec!["--qvel", "1,2"], "qvel"),
        (vec!["--keyframe", "nothing"], "nothing"),
    ] {
        let output = stiction(&[&["impact", scene.as_str(), "--out", &out][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(named), "{arguments:?}: {}", text(&output.stderr));
    }
}
