//! The program as its users run it.

mod common;

use common::{command, folder as scratch, json, soft_box, stiction, text, wait_until};
use std::process::Command;

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
    let report = json(&output);
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
        let report = json(&output);
        (report["qpos"].clone(), report["qvel"].clone(), report["iterations"].clone())
    };
    assert_eq!(run(), run());
}

#[test]
fn inspect_prints_what_was_read() {
    let output = stiction(&["inspect", "arm", "--json"]);
    let report = json(&output);
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
        let report = json(&output);
        assert_eq!(report["unconverged"], 0, "{name}");
        assert_eq!(report["warnings"].as_array().unwrap().len(), 0, "{name}: {}", report["warnings"]);
    }
}

#[test]
fn run_by_accuracy_ends_at_the_requested_time() {
    let output = stiction(&["run", "stack", "--time", "0.37", "--accuracy", "1e-3", "--json"]);
    let report = json(&output);
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
fn run_records_files_that_the_summary_names_and_leaves_out_those_skipped() {
    let folder = scratch("files");
    let out = folder.to_str().unwrap();
    let output = stiction(&["run", "gripper_soft", "--time", "0.5", "--out", out]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for ending in ["html", "mcap", "csv"] {
        let file = folder.join(format!("gripper_soft.{ending}"));
        assert!(text(&output.stdout).contains(file.to_str().unwrap()), "{}", text(&output.stdout));
        assert!(file.exists());
    }
    let page = std::fs::read_to_string(folder.join("gripper_soft.html")).unwrap();
    let recording = stiction_viewer::read::html(&page).unwrap();
    assert_eq!(recording.scene["name"], "gripper_soft");
    assert_eq!(recording.frames.len(), 31, "half a second at sixty frames a second, and the start");
    let output = stiction(&["run", "stack", "--time", "0.1", "--out", out, "--skip", "mcap,csv", "--json"]);
    let report = json(&output);
    assert!(report["html"].is_string() && report["mcap"].is_null() && report["csv"].is_null());
    assert_eq!(stiction(&["run", "stack", "--out", out, "--frame-rate", "0"]).status.code(), Some(2));
    let chosen =
        ["run", "gripper_soft", "--time", "0.01", "--out", out, "--skip", "mcap,csv", "--joints", "lift"];
    assert!(stiction(&chosen).status.success());
    let page = std::fs::read_to_string(folder.join("gripper_soft.html")).unwrap();
    let scene = stiction_viewer::read::html(&page).unwrap().scene;
    let joints = scene["channels"].as_array().unwrap().iter().filter(|c| c["group"] == "joints");
    assert_eq!(joints.map(|c| c["name"].as_str().unwrap()).collect::<Vec<_>>(), ["lift"]);
    let unknown = stiction(&["run", "stack", "--out", out, "--joints", "knee"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("knee"), "{}", text(&unknown.stderr));
}

#[test]
fn a_killed_run_leaves_a_recording_that_opens() {
    let folder = scratch("killed");
    let arguments = ["run", "clutter", "--time", "10000", "--skip", "csv", "--out", folder.to_str().unwrap()];
    let mut run = command(&arguments).spawn().unwrap();
    let path = folder.join("clutter.html");
    let recorded = || stiction_viewer::read::html(&std::fs::read_to_string(&path).ok()?).ok();
    wait_until("frames", &mut run, || recorded().is_some_and(|recording| !recording.frames.is_empty()));
    run.kill().unwrap();
    run.wait().unwrap();
    let recording = recorded().unwrap();
    let times: Vec<f64> = recording.frames.iter().map(|f| f.time).collect();
    assert!(times.windows(2).all(|t| t[1] > t[0] && t[1] - t[0] < 0.02), "no frame is missing");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_and_keeps_what_was_written() {
    let folder = scratch("filled");
    // A limit on the size of files stands for the disk: 60 000 blocks of 512 bytes (30 MB) or twice that.
    let script = "trap '' XFSZ; ulimit -f 60000; exec \"$0\" run clutter --time 300 --frame-rate 500 --skip mcap,csv --out \"$1\"";
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", script, env!("CARGO_BIN_EXE_stiction")]).arg(&folder).output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("clutter.html") && message.contains("stays readable"), "{message}");
    let page = std::fs::read_to_string(folder.join("clutter.html")).unwrap();
    assert!(page.ends_with("</script>\n"), "no half block is left");
    let recording = stiction_viewer::read::html(&page).unwrap();
    assert!(message.contains(&format!("({} frames)", recording.frames.len())), "{message}");
    assert!(recording.frames.len() > 100);
}

#[test]
fn view_serves_the_page_and_opens_recordings() {
    use std::io::{BufRead, BufReader, Read, Write};
    let program = env!("CARGO_BIN_EXE_stiction");
    let mut child = Command::new(program)
        .args(["view", "arm", "--no-open", "--paused"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(page.contains("stiction-live"));

    let folder = scratch("view");
    let out = folder.to_str().unwrap();
    stiction(&["run", "stack", "--time", "0.1", "--out", out, "--skip", "mcap,csv"]);
    let file = folder.join("stack.html");
    let shown = stiction(&["view", file.to_str().unwrap(), "--no-open"]);
    assert!(shown.status.success() && text(&shown.stdout).contains("7 frames"), "{}", text(&shown.stdout));
    let other = folder.join("other.html");
    std::fs::write(&other, "<!doctype html><p>hello").unwrap();
    for (wrong, word) in
        [(other.to_str().unwrap(), "no recording"), ("x.mcap", ".html"), ("none.html", "none.html")]
    {
        let shown = stiction(&["view", wrong, "--no-open"]);
        assert_eq!(shown.status.code(), Some(2));
        assert!(text(&shown.stderr).contains(word), "{}", text(&shown.stderr));
    }
}

#[test]
fn bench_writes_its_figure() {
    let folder = scratch("figures");
    let out = folder.to_str().unwrap();
    let output = stiction(&["bench", "record", "--repeat", "1", "--out", out, "--json"]);
    let report = json(&output);
    assert_eq!(report["rows"].as_array().unwrap().len(), 4);
    let svg = std::fs::read_to_string(folder.join("bench_record.svg")).unwrap();
    assert!(svg.contains("time of the run, ms") && svg.contains("html"), "labels and legend");
    assert!(std::fs::read(folder.join("bench_record.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn bench_times_a_scene_and_measures_creep() {
    let output = stiction(&["bench", "stack", "--repeat", "1", "--json"]);
    let report = json(&output);
    assert!(report[0]["real_time_factor"].as_f64().unwrap() > 0.0 && report[0]["unconverged"] == 0);
    let output = stiction(&["bench", "creep", "--json"]);
    let report = json(&output);
    let (expected, rows) =
        (report["expected_um_per_s"].as_f64().unwrap(), report["rows"].as_array().unwrap());
    for row in [&rows[0], &rows[1]] {
        let creep = row["um_per_s_at_1ms"].as_f64().unwrap();
        assert!((creep / expected - 1.0).abs() < 1e-3, "{row}");
    }
    assert!(rows[3]["um_per_s_at_1ms"].as_f64().unwrap() < 1e-6, "{}", rows[3]);
    assert_eq!(stiction(&["bench", "nothing"]).status.code(), Some(2));
}

#[test]
fn a_surface_becomes_a_solid_that_a_scene_uses() {
    let folder = scratch("mesh");
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (stl, vtk, png) = (path("torus.stl"), path("torus.vtk"), path("torus.png"));
    let output = stiction(&["mesh", "shape:torus", "--stl", &stl]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = stiction(&["mesh", &stl, "-o", &vtk, "--modulus", "1e5", "--picture", &png, "--json"]);
    let report = json(&output);
    assert!(report["tetrahedra"].as_u64().unwrap() > 1000 && report["components"] == 1);
    assert!(
        report["dihedral_min"].as_f64().unwrap() > 5.0
            && report["volume_error"].as_f64().unwrap().abs() < 0.02
    );
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    // The field in the file is the one that pushes: the modulus comes from there.
    let scene = "<mujoco model='ring'><asset><mesh name='ring' file='torus.vtk'/></asset><worldbody>
        <geom type='plane' size='1 1 1'/><body pos='0 0 0.0119'><freejoint/><geom type='mesh' mesh='ring' mass='0.2'>
        <drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties></geom></body>
        </worldbody></mujoco>";
    std::fs::write(folder.join("ring.xml"), scene).unwrap();
    let output = stiction(&["run", &path("ring.xml"), "--time", "0.3", "--json"]);
    let run = json(&output);
    assert!(
        run["last_patches"] == 1 && run["unconverged"] == 0 && run["warnings"].as_array().unwrap().is_empty(),
        "{run}"
    );
    // Failures are reported with the exit code of their kind.
    for (arguments, code, word) in [
        (vec!["mesh", "shape:cloud", "-o", &vtk], 2, "mug"),
        (vec!["mesh", &stl, "-o", &vtk, "--rigid", "up"], 2, "region"),
        (vec!["mesh", &stl, "-o", &vtk, "--resolution", "1e-6"], 1, "coarser"),
        (vec!["mesh", &stl, "-o", &vtk, "--field", "laplace"], 1, "core"),
        (vec!["mesh", &stl], 2, "-o"),
    ] {
        let output = stiction(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
}

#[test]
fn continuous_time_runs_soft_scenes_and_reports_what_it_does_not_support() {
    let path = soft_box(&scratch("continuous"));
    let run = |arguments: &[&str]| stiction(&[&["run"], arguments].concat());
    let done = run(&[
        &path,
        "--method",
        "continuous",
        "--accuracy",
        "1e-5",
        "--time",
        "0.5",
        "--tangential-springs",
        "--json",
    ]);
    let report = json(&done);
    assert_eq!(report["method"], "continuous");
    assert!((report["qpos"][2].as_f64().expect("a number") - 0.05).abs() < 1e-4, "{report}");
    assert!(report["dissipated"].as_f64().expect("a number") > 0.05, "{report}");
    let rigid = run(&["rolling_ball", "--method", "continuous"]);
    let message = text(&rigid.stderr);
    assert!(!rigid.status.success() && message.contains("compliant_hydroelastic"), "{message}");
    let wrong = run(&[&path, "--method", "continuous", "--step", "1e-3"]);
    assert_eq!(wrong.status.code(), Some(2));
}
