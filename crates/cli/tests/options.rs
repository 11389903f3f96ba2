//! What options do, and the messages for those that are not allowed.

mod common;

use common::{json, soft_box, stiction, text};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    common::folder(&format!("options/{name}"))
}

/// Runs and returns the report.
fn report(arguments: &[&str]) -> Value {
    json(&stiction(arguments))
}

/// Times of the rows of a trajectory.
fn times(csv: &Path) -> Vec<f64> {
    let rows = std::fs::read_to_string(csv).unwrap();
    rows.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect()
}

/// Each command ends with 2, and its message has all the words.
fn refused(cases: &[(&str, &[&str])]) {
    for (command, words) in cases {
        let output = stiction(&command.split_whitespace().collect::<Vec<_>>());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{command}: {said}");
    }
}

#[test]
fn what_is_written_beside_a_run_never_changes_its_steps() {
    let folder = folder("same-steps");
    let soft = soft_box(&folder);
    let (out, state) = (folder.join("out"), folder.join("state").display().to_string());
    let out_name = out.display().to_string();
    let cases: [(&[&str], &str); 3] = [
        (&["run", "rolling_ball", "--accuracy", "1e-3", "--time", "0.5", "--json"], "rolling_ball.csv"),
        (&["run", &soft, "--method", "continuous", "--time", "0.3", "--json"], "soft.csv"),
        (&["run", "stack", "--time", "0.1", "--json"], "stack.csv"),
    ];
    for (plain, csv) in cases {
        let alone = report(plain);
        for rate in ["7", "100", "1e12"] {
            let beside = ["--out", &out_name, "--rate", rate, "--checkpoint", &state];
            let _ = std::fs::remove_file(&state);
            let recorded = report(&[plain, &beside].concat());
            for key in ["trajectory_hash", "steps", "qpos", "time"] {
                assert_eq!(alone[key], recorded[key], "{csv}, {key} with --rate {rate}");
            }
            let times = times(&out.join(csv));
            assert!(times.windows(2).all(|two| two[0] < two[1]), "{csv}, --rate {rate}: {times:?}");
            assert_eq!((times.first(), times.last().copied()), (Some(&0.0), alone["time"].as_f64()));
            // Beyond the rate of steps every step is a row, and none is there twice.
            if rate == "1e12" {
                assert_eq!(times.len() as u64, alone["steps"].as_u64().unwrap() + 1);
            }
        }
    }
}

#[test]
fn rows_are_the_first_ends_of_steps_at_or_after_their_times() {
    let folder = folder("rows");
    let out = folder.display().to_string();
    let rows = |rate: &str| {
        report(&[
            "run",
            "rolling_ball",
            "--accuracy",
            "1e-5",
            "--time",
            "0.5",
            "--out",
            &out,
            "--skip",
            "html,mcap",
            "--rate",
            rate,
            "--json",
        ]);
        times(&folder.join("rolling_ball.csv"))
    };
    let (every, some) = (rows("1e9"), rows("20"));
    let mut expected: Vec<f64> =
        (0..=10).map(|k| *every.iter().find(|time| **time >= f64::from(k) / 20.0 - 1e-9).unwrap()).collect();
    expected.dedup();
    assert_eq!(some, expected);
    // Steps of one length: the end of a run has its row, also where no row is due.
    report(&["run", "stack", "--time", "0.026", "--out", &out, "--skip", "html,mcap", "--json"]);
    let rows: Vec<i64> = times(&folder.join("stack.csv")).iter().map(|t| (1e3 * t).round() as i64).collect();
    assert_eq!(rows, [0, 10, 20, 26]);
}

#[test]
fn a_mistyped_option_leaves_the_files_of_the_run_before_alone() {
    let folder = folder("kept");
    let out = folder.display().to_string();
    report(&["run", "arm", "--time", "0.05", "--out", &out, "--json"]);
    let files = ["arm.csv", "arm.html", "arm.mcap"].map(|file| folder.join(file));
    let before = files.each_ref().map(|file| std::fs::read(file).unwrap());
    let state = folder.join("state");
    for wrong in [
        vec!["--joints", "elbwo"],
        vec!["--joints", "elbwo", "--skip", "html"],
        vec!["--frame-rate", "0"],
        vec!["--rate", "-0.5"],
        vec!["--keyframe", "raedy"],
    ] {
        let run = ["run", "arm", "--time", "0.05", "--out", &out, "--checkpoint", state.to_str().unwrap()];
        let output = stiction(&[&run[..], &wrong].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}: {said}");
        assert!(said.contains(wrong[1]), "{wrong:?}: {said}");
        assert_eq!(files.each_ref().map(|file| std::fs::read(file).unwrap()), before, "{wrong:?}");
        assert!(!state.exists(), "{wrong:?}");
    }
    // Nor is one file given up where another cannot be written.
    std::fs::remove_file(&files[1]).unwrap();
    std::fs::create_dir(&files[1]).unwrap();
    let output = stiction(&["run", "arm", "--time", "0.05", "--out", &out]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("arm.html"), "{}", text(&output.stderr));
    assert_eq!(
        (std::fs::read(&files[0]).unwrap(), std::fs::read(&files[2]).unwrap()),
        (before[0].clone(), before[2].clone())
    );
}

#[test]
fn numbers_below_zero_are_read_as_numbers() {
    refused(&[
        ("run clutter --step -1e-3", &["step = -0.001", "positive"]),
        ("run clutter --accuracy -1e-3", &["accuracy = -0.001"]),
        ("run clutter --margin -1e-3", &["margin = -0.001"]),
        ("run arm --keyframe -1", &["\"-1\"", "ready"]),
        ("view clutter --no-open --step -1e-3", &["step = -0.001"]),
        ("mesh shape:bowl -o x.vtk --resolution -1e-3", &["--resolution -0.001"]),
        ("mesh shape:bowl -o x.vtk --scale -1e-3", &["--scale -0.001"]),
        ("mesh shape:bowl -o x.vtk --modulus -1e5", &["--modulus -100000"]),
        ("mesh shape:bowl -o x.vtk --young -1e5", &["--young -100000"]),
        ("mesh shape:bowl --picture x.png --cut w", &["--cut", "x=0.01"]),
        ("mesh shape:bowl --picture x.png --cut z=near", &["--cut", "x=0.01"]),
        ("bench stack --repeat -1", &["'-1'", "--repeat"]),
        // Read as six numbers, of which the model has another count.
        ("impact arm --here --qvel -1,0,0,0,0,0", &["qvel has 6 numbers"]),
        ("impact arm --here --qpos -0.1,-1e-3", &["qpos has 2 numbers"]),
    ]);
    let out = folder("negative").display().to_string();
    let output = stiction(&["impact", "landing", "--qvel", "-1,0,0,0,0,0", "--time", "0.01", "--out", &out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder("no-effect");
    let (soft, out) = (soft_box(&folder), folder.join("out").display().to_string());
    refused(&[
        (&format!("run {soft} --method continuous --contact cube"), &["--contact", "leave it out"]),
        (&format!("run {soft} --method continuous --contact box"), &["--contact", "leave it out"]),
        (&format!("run {soft} --method continuous --margin 1e-3"), &["--margin", "leave it out"]),
        (
            &format!("run {soft} --method continuous --regularization 0"),
            &["--regularization", "leave it out"],
        ),
        (
            &format!("run {soft} --method continuous --relative-tolerance 1e-8"),
            &["--relative-tolerance", "--accuracy"],
        ),
        ("mesh shape:bowl -o x.vtk --cut x", &["--picture"]),
        ("run stack --integrator radau", &["--integrator", "--method continuous"]),
        ("run stack --method contimuous", &["contimuous", "convex", "continuous"]),
        (
            "run stack --method continuous --integrator euler",
            &["euler", "radau", "dormand-prince", "bogacki-shampine"],
        ),
        ("learn collect box -o x.npz --symmetry oval", &["oval", "none", "mirror", "square", "round"]),
        ("run stack --rate 10", &["--out"]),
        ("run stack --frame-rate 10", &["--out"]),
        (&format!("run stack --out {out} --skip csv --rate 10"), &["--rate", "--skip"]),
        (&format!("run stack --out {out} --skip html,mcap --joints lift"), &["--joints", "--skip"]),
        (
            "run stack --package-path no/such/folder",
            &["--package-path no/such/folder", "folder of a ROS package"],
        ),
        ("run arm --time 3 --step 100", &["100 s", "3 s", "--step"]),
        ("bench clutter arm", &["arm", "bench stages"]),
        ("bench --repeat 0", &["--repeat 0", "1 or more"]),
        ("impact landing --impacts 0", &["--impacts 0", "1 or more"]),
    ]);
    assert!(!Path::new(&out).exists(), "nothing is made for options that are refused");
}

/// A ball that falls by 0.9 m from rest is back at its height after twice the time of its fall, 2 √(2 · 0.9/g).
#[test]
fn a_restitution_for_all_geoms_lets_a_ball_bounce() {
    let folder = folder("restitution");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("ball.xml");
    let ball = "<body pos='0 0 1'><freejoint/><geom size='.1' mass='1'/></body>";
    let text = format!("<mujoco><worldbody><geom type='plane' size='1 1 1'/>{ball}</worldbody></mujoco>");
    std::fs::write(&file, text).unwrap();
    let time = (2.0 * (1.8_f64 / 9.81).sqrt()).to_string();
    let run = ["run", file.to_str().unwrap(), "--step", "1e-3", "--time", &time, "--json"];
    let height = |more: &[&str]| report(&[&run, more].concat())["qpos"][2].as_f64().unwrap();
    // An impact is felt up to a step late: 2 g δt t of height.
    let late = 2.0 * 9.81 * 1e-3 * 0.857;
    assert!((height(&["--restitution", "1"]) - 1.0).abs() < late, "{}", height(&["--restitution", "1"]));
    assert!(height(&[]) < 0.5);
    refused(&[
        ("run stack --restitution 1.5", &["--restitution 1.5", "0 to 1"]),
        ("run stack --restitution -0.5", &["--restitution -0.5", "0 to 1"]),
    ]);
}

#[test]
fn names_that_are_nearly_right_are_recognised() {
    refused(&[
        ("run cluter", &["did you mean \"clutter\"?", "built-in scenes: arm"]),
        ("run Clutter", &["did you mean \"clutter\"?"]),
        ("inspect cluter", &["did you mean \"clutter\"?"]),
        ("run no_such_place/clutter.xml", &["a built-in scene is called \"clutter\""]),
        ("run stack --contact cubee", &["did you mean \"cube\"?", "sap"]),
        ("reproduce bollt", &["did you mean \"bolt\"?", "spinning-disk"]),
        ("bench cluter", &["did you mean \"clutter\"?", "creep"]),
        ("bench stages cluter", &["did you mean \"clutter\"?"]),
        ("mesh shape:bwol", &["did you mean \"bowl\"?", "mug"]),
    ]);
}

#[test]
fn moduli_and_sizes_that_nothing_has_are_refused_before_the_work() {
    let file = folder("moduli").join("x.vtk");
    let path = file.display();
    let mesh = |rest: &str| format!("mesh shape:bowl -o {path} {rest}");
    for (rest, words) in [
        ("--young 1e6 --poisson 0.5", &["--poisson 0.5", "below 0.5"][..]),
        ("--young 1e6 --poisson -1", &["--poisson -1", "above -1"]),
        ("--young 1e6 --poisson nan", &["--poisson NaN"]),
        ("--young 0", &["--young 0", "positive"]),
        ("--young inf", &["--young inf", "positive"]),
        ("--modulus nan", &["--modulus NaN", "positive"]),
        ("--young 1e6 --contact-radius=-1", &["--contact-radius -1", "positive"]),
        ("--poisson 0.3", &["--young"]),
        ("--contact-radius 0.01", &["--young"]),
        ("--resolution nan", &["--resolution NaN"]),
        ("--resolution 0", &["--resolution 0"]),
        ("--interior nan", &["--interior NaN"]),
        ("--core nan", &["--core NaN"]),
        ("--stiffening 1", &["--stiffening 1"]),
        ("--curve 0:0,0.5:2,1:1", &["--curve", "rise"]),
    ] {
        refused(&[(&mesh(rest), words)]);
    }
    assert!(!file.exists());
}

#[test]
fn messages_and_help_name_what_there_is() {
    refused(&[
        ("impact four_bar --time 0.1", &["active equality constraint", "model the mechanism as a tree"]),
        ("view none.html", &["cannot read none.html", "--out DIR"]),
        ("mesh none.stl -o x.vtk", &["cannot read none.stl", "shape:list"]),
    ]);
    for command in ["run", "view"] {
        let help = text(&stiction(&[command, "--help"]).stdout);
        let words: Vec<&str> = help.split(|c: char| c.is_whitespace() || ",[]".contains(c)).collect();
        for name in stiction::LearnedContact::names() {
            assert!(words.contains(&name), "{command} --help does not name the contact {name}");
        }
    }
    let help = text(&stiction(&["mesh", "--help"]).stdout);
    assert!(help.contains(".gltf") && help.contains(".glb"), "{help}");
}

#[test]
fn a_folder_does_not_hide_the_built_in_scene_of_its_name() {
    let folder = folder("hidden");
    std::fs::create_dir(folder.join("rolling_ball")).unwrap();
    let program = env!("CARGO_BIN_EXE_stiction");
    let output =
        Command::new(program).args(["inspect", "rolling_ball"]).current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
