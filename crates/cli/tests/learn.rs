//! From a CSV of poses to a calibrated contact, as a user would do it.

mod common;

use common::{folder as scratch, json, stiction, text};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    let report = json(&scored);
    assert_eq!(report["summary"]["tosses"], 4);
    let position = report["summary"]["mean"]["position"].as_f64().unwrap();
    assert!(position < 0.1, "the scene predicts its own toss: {position}");

    let out = folder.to_str().unwrap();
    let settings =
        ["--fit", "friction,edge", "--evaluations", "12", "--around", "12", "--folds", "2", "--starts", "1"];
    let mut arguments =
        vec!["learn", "calibrate", "cube_toss", data, "--out", out, "--name", "mine", "--json"];
    arguments.extend(settings);
    let calibrated = stiction(&arguments);
    let report = json(&calibrated);
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

/// A command that must be refused as wrong input, and what it says.
fn refused(line: &str) -> String {
    let output = stiction(&line.split_whitespace().collect::<Vec<_>>());
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}: {said}{}", text(&output.stdout));
    said
}

/// A cube that falls from so high, toss by toss, for so many samples.
fn falls(path: &Path, heights: &[f64], samples: usize) {
    let mut csv = "toss,time,x,y,z,qw,qx,qy,qz\n".to_string();
    for (toss, height) in heights.iter().enumerate() {
        for k in 0..samples {
            let time = k as f64 / 148.0;
            let z = (height - 4.905 * time * time).max(0.0524);
            csv += &format!("{toss},{time},0,0,{z},1,0,0,0\n");
        }
    }
    std::fs::write(path, csv).unwrap();
}

#[test]
fn tosses_that_never_touch_are_no_perfect_model() {
    let folder = scratch("learn_aloft");
    let (aloft, out) = (folder.join("aloft.csv"), folder.join("cal"));
    falls(&aloft, &[3.0, 4.0, 5.0], 20);
    let data = aloft.display();
    for line in [
        format!("learn score cube_toss {data}"),
        format!("learn score cube_toss {data} --json"),
        format!("learn calibrate cube_toss {data} --folds 0 --out {}", out.display()),
    ] {
        let said = refused(&line);
        assert!(said.contains("aloft.csv: none of 3 tosses"), "{said}");
        assert!(said.contains("m above") && said.contains("--touch-height"), "{said}");
    }
    assert!(!out.exists(), "nothing is written for a calibration that cannot be");

    let some = folder.join("some.csv");
    falls(&some, &[0.2, 4.0, 0.3], 40);
    let scored = stiction(&["learn", "score", "cube_toss", some.to_str().unwrap(), "--json"]);
    assert!(scored.status.success(), "{}", text(&scored.stderr));
    assert!(text(&scored.stderr).contains("1 of 3 tosses are left out"), "{}", text(&scored.stderr));
    let report = json(&scored);
    assert_eq!((&report["summary"]["tosses"], &report["left_out"]), (&Value::from(2), &Value::from(1)));
}

#[test]
fn what_leaves_nothing_to_do_is_refused() {
    let folder = scratch("learn_nothing");
    let out = folder.join("d.npz");
    let data = out.display();
    assert!(refused(&format!("learn collect box -o {data} --tosses 0")).contains("--tosses 0"));
    assert!(refused(&format!("learn collect box -o {data} --steps 0")).contains("--steps 0"));
    assert!(!out.exists());
    assert!(refused("learn evaluate box --tosses 0").contains("--tosses 0"));
    assert!(refused("learn evaluate box --tosses 2 --steps 3").contains("give more steps"));
    let weights = folder.join("w.safetensors");
    assert!(refused(&format!("learn train box -o {} --tosses 0", weights.display())).contains("--tosses 0"));
}

#[test]
fn numbers_below_zero_are_answered_by_what_is_allowed() {
    let folder = scratch("learn_negative");
    let data = folder.join("d.csv");
    falls(&data, &[0.2], 40);
    let data = data.display();
    for flag in ["--step", "--width", "--touch-height"] {
        let said = refused(&format!("learn score cube_toss {data} {flag} -1"));
        assert!(said.contains(&format!("{flag} -1 is not allowed: give a positive number")), "{said}");
    }
    let out = folder.join("d.npz");
    let out = out.display();
    for (line, says) in [
        (format!("learn collect box -o {out} --friction -1"), "--friction -1 is not allowed"),
        (format!("learn collect box -o {out} --friction 0.3,-2"), "--friction -2 is not allowed"),
        (format!("learn collect box -o {out} --friction 1,2,3"), "more than two numbers"),
        (format!("learn collect box -o {out} --tosses -1"), "--tosses"),
        (format!("learn train box -o {out} --touch -1"), "--touch -1"),
        (format!("learn train box -o {out} --noise -1"), "--noise -1"),
        (format!("learn train box -o {out} --share -1"), "--share -1"),
        (format!("learn train box -o {out} --hidden 8,0"), "--hidden 0"),
        (format!("learn calibrate cube_toss {data} --share 2"), "--share 2"),
        (format!("learn calibrate cube_toss {data} --noise -1,1"), "--noise needs two numbers"),
    ] {
        let said = refused(&line);
        assert!(said.contains(says) && !said.contains("unexpected argument"), "{line}: {said}");
    }
}

#[test]
fn friction_takes_one_word_and_the_case_may_follow() {
    let folder = scratch("learn_friction");
    for (friction, expected) in [("0.3", [0.3, 0.3]), ("0.3,0.6", [0.3, 0.6])] {
        let out = folder.join("d.npz");
        let line =
            format!("learn collect --friction {friction} box --tosses 1 --steps 2 -o {}", out.display());
        let output = stiction(&line.split_whitespace().collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let dataset = stiction_calibrate::Dataset::read_npz(&out).unwrap();
        assert_eq!(dataset.header.notes["friction"], serde_json::json!(expected));
    }
}

#[test]
fn the_help_of_training_shows_lists_as_they_are_given() {
    let help = text(&stiction(&["learn", "train", "--help"]).stdout);
    assert!(help.contains("[default: 96,96]"), "{help}");
    let help = text(&stiction(&["learn", "score", "--help"]).stdout);
    assert!(help.contains("three samples"), "{help}");
}

#[test]
fn a_missing_gpu_or_file_is_said_at_once_and_with_what_to_do() {
    let folder = scratch("learn_missing");
    if cfg!(not(feature = "gpu")) {
        let said = refused(&format!("learn train box --gpu -o {}", folder.join("w.safetensors").display()));
        assert!(said.contains("--features gpu") && !said.contains("simulating"), "{said}");
    }
    let said = refused("learn score cube_toss nosuch.npz");
    assert!(said.contains("nosuch.npz") && said.contains("check the name"), "{said}");
    let said = refused("learn evaluate box --weights nosuch.safetensors");
    assert!(said.contains("nosuch.safetensors") && said.contains("stiction learn train"), "{said}");
}
