//! The program as its users run it.

use serde_json::Value;
use std::path::PathBuf;
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

#[test]
fn run_prints_a_summary_and_says_that_every_step_converged() {
    let output = stiction(&["run", "stack", "--time", "0.2"]);
    let summary = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(summary.contains("times real time") && summary.contains("every step converged"), "{summary}");
}

#[test]
fn run_writes_a_trajectory_with_one_row_a_sample() {
    let folder = scratch("trajectory");
    let out = folder.to_str().unwrap();
    let output =
        stiction(&["run", "double_pendulum", "--time", "0.5", "--rate", "100", "--out", out, "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let csv = std::fs::read_to_string(folder.join("double_pendulum.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 51, "a header, the start and fifty samples");
    assert_eq!(rows[0][..3], ["time", "q0", "q1"]);
    assert!(rows.iter().all(|r| r.len() == rows[0].len()));
    // The last row is the state the report ends with, to the last digit.
    let last: Vec<f64> = rows.last().unwrap().iter().map(|x| x.parse().unwrap()).collect();
    assert_eq!(last[1], report["qpos"][0].as_f64().unwrap());
    assert_eq!(report["unconverged"], 0);
}

#[test]
fn the_same_run_gives_the_same_numbers() {
    let run = || {
        let output = stiction(&["run", "clutter", "--time", "0.5", "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        (report["qpos"].clone(), report["qvel"].clone(), report["iterations"].clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn inspect_tells_what_was_read() {
    let output = stiction(&["inspect", "arm", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["nq"], 7);
    assert_eq!(report["joints"].as_array().unwrap().len(), 7);
    assert_eq!(report["joints"][0]["type"], "hinge");
    assert!(report["total_mass"].as_f64().unwrap() > 0.0);
    let masses: f64 = report["bodies"].as_array().unwrap().iter().map(|b| b["mass"].as_f64().unwrap()).sum();
    assert!((masses - report["total_mass"].as_f64().unwrap()).abs() < 1e-12);
    let table = text(&stiction(&["inspect", "arm"]).stdout);
    assert!(table.contains("nq 7") && table.contains("hinge"), "{table}");
}

#[test]
fn every_built_in_scene_loads_without_a_warning_and_runs() {
    let names = text(&stiction(&["scenes"]).stdout);
    let names: Vec<&str> = names.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert!(names.len() >= 10 && names.contains(&"clutter"));
    for name in names {
        let output = stiction(&["run", name, "--time", "0.1", "--json"]);
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["unconverged"], 0, "{name}");
        assert_eq!(report["warnings"].as_array().unwrap().len(), 0, "{name}: {}", report["warnings"]);
    }
}

#[test]
fn run_by_accuracy_ends_at_the_time_asked_for() {
    let output = stiction(&["run", "stack", "--time", "0.37", "--accuracy", "1e-3", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!((report["time"].as_f64().unwrap() - 0.37).abs() < 1e-9);
    assert_eq!(report["accuracy"], 1e-3);
    let wrong = stiction(&["run", "stack", "--accuracy", "-1"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("accuracy"));
}

#[test]
fn wrong_input_exits_with_2_and_names_the_remedy() {
    let folder = scratch("wrong");
    let broken = folder.join("broken.xml");
    std::fs::write(&broken, "<mujoco>\n<worldbody><body><joint type=\"hing\"/></body></worldbody></mujoco>")
        .unwrap();
    let broken = broken.to_str().unwrap();
    for (arguments, word) in [
        (vec!["run", "no_such_scene"], "clutter"),
        (vec!["run", "missing/file.xml"], "missing/file.xml"),
        (vec!["run", broken], "broken.xml:2"),
        (vec!["run", "stack", "--step", "0"], "step"),
        (vec!["run", "stack", "--time", "-1"], "--time"),
        (vec!["run", "stack", "--contact", "soft"], "lagged"),
        (vec!["run", "arm", "--keyframe", "nowhere"], "keyframe"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(message.contains(word), "{arguments:?}: {message}");
    }
}

#[test]
fn work_that_fails_exits_with_1() {
    let output = stiction(&["run", "stack", "--time", "0.01", "--out", "/proc/no/such/folder"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--out"));
}

#[test]
fn bench_times_a_scene_and_measures_creep() {
    let output = stiction(&["bench", "stack", "--repeat", "1", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report[0]["real_time_factor"].as_f64().unwrap() > 0.0 && report[0]["unconverged"] == 0);
    let output = stiction(&["bench", "creep", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (expected, rows) =
        (report["expected_um_per_s"].as_f64().unwrap(), report["rows"].as_array().unwrap());
    for row in [&rows[0], &rows[1]] {
        let creep = row["um_per_s_at_1ms"].as_f64().unwrap();
        assert!((creep / expected - 1.0).abs() < 1e-3, "{row}");
    }
    assert!(rows[3]["um_per_s_at_1ms"].as_f64().unwrap() < 1e-6, "{}", rows[3]);
    assert_eq!(stiction(&["bench", "nothing"]).status.code(), Some(2));
}
