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
    let scene = r#"<mujoco><worldbody>
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
    let output = stiction(&["impact", &scene, "--samples", "512", "--out", &out, "--branch", "3", "--json"]);
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

#[test]
fn wrong_arguments_end_with_two_and_name_themselves() {
    let (_, scene) = block("impact-wrong");
    for (arguments, named) in [
        (vec!["--cap", "-1"], "cap"),
        (vec!["--time", "-1"], "--time"),
        (vec!["--axes", "0,7"], "--axes"),
        (vec!["--qvel", "1,2"], "qvel"),
        (vec!["--keyframe", "nothing"], "nothing"),
    ] {
        let output = stiction(&[&["impact", scene.as_str()][..], &arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(named), "{arguments:?}: {}", text(&output.stderr));
    }
}
