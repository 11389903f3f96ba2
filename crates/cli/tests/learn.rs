//! From a CSV of poses to a calibrated contact, as a user goes.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn stiction(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Poses of a cube that falls, slides and stops, from the program itself.
fn poses(folder: &Path) -> PathBuf {
    let out = folder.to_str().unwrap();
    let run = stiction(&["run", "cube_toss", "--time", "0.5", "--rate", "148", "--out", out, "--json"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let rows = std::fs::read_to_string(folder.join("cube_toss.csv")).unwrap();
    let mut csv = "toss,time,x,y,z,qw,qx,qy,qz\n".to_string();
    for toss in 0..4 {
        for row in rows.lines().skip(1) {
            csv += &format!("{toss},{}\n", row.split(',').take(8).collect::<Vec<_>>().join(","));
        }
    }
    let path = folder.join("poses.csv");
    std::fs::write(&path, csv).unwrap();
    path
}

#[test]
fn a_csv_of_poses_becomes_a_dataset_a_score_and_a_contact() {
    let folder = scratch("learn");
    let csv = poses(&folder);
    let data = folder.join("cube.npz");
    let (csv, data) = (csv.to_str().unwrap(), data.to_str().unwrap());
    let converted = stiction(&["learn", "convert", "cube_toss", csv, "-o", data, "--source", "a test"]);
    assert!(converted.status.success(), "{}", text(&converted.stderr));
    assert!(text(&converted.stdout).contains("4 tosses, 300 samples"), "{}", text(&converted.stdout));

    let scored = stiction(&["learn", "score", "cube_toss", data, "--json"]);
    assert!(scored.status.success(), "{}", text(&scored.stderr));
    let report: Value = serde_json::from_slice(&scored.stdout).unwrap();
    assert_eq!(report["summary"]["tosses"], 4);
    let position = report["summary"]["mean"]["position"].as_f64().unwrap();
    assert!(position < 0.1, "the scene foretells its own toss: {position}");

    let out = folder.to_str().unwrap();
    let settings =
        ["--fit", "friction,edge", "--evaluations", "12", "--around", "12", "--folds", "2", "--starts", "1"];
    let mut arguments =
        vec!["learn", "calibrate", "cube_toss", data, "--out", out, "--name", "mine", "--json"];
    arguments.extend(settings);
    let calibrated = stiction(&arguments);
    assert!(calibrated.status.success(), "{}", text(&calibrated.stderr));
    let report: Value = serde_json::from_slice(&calibrated.stdout).unwrap();
    assert_eq!(report["parameters"][0]["name"], "friction");
    assert!(report["parameters"][0]["uncertainty"].as_f64().unwrap() >= 0.0);
    assert_eq!(report["held_out"]["folds"].as_array().unwrap().len(), 2);

    // Both files work: the scene with its law, and the contact on another scene.
    let scene = folder.join("mine.xml");
    let run = stiction(&["run", scene.to_str().unwrap(), "--time", "0.1"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let contact = folder.join("mine.json");
    let run = stiction(&["run", "stack", "--time", "0.1", "--contact", contact.to_str().unwrap()]);
    assert!(run.status.success(), "{}", text(&run.stderr));
}

#[test]
fn wrong_data_and_wrong_names_are_input_errors_that_say_what_to_do() {
    let folder = scratch("learn_wrong");
    let path = folder.join("bad.csv");
    std::fs::write(&path, "time,x,y\n0,0,0\n").unwrap();
    let bad = path.to_str().unwrap();
    for (arguments, says) in [
        (vec!["learn", "score", "cube_toss", bad], "7 positions"),
        (vec!["learn", "score", "cube_toss", "none.npz"], "none.npz"),
        (vec!["learn", "score", "double_pendulum", bad], ""),
        (vec!["learn", "calibrate", "cube_toss", bad, "--fit", "colour"], ""),
        (vec!["run", "stack", "--contact", "glue"], "cube"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
}
