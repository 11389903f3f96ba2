//! What goes wrong around a run: killed, interrupted, no room, no right to write.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn path(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

/// Waits until a file has so many bytes.
fn wait_for(file: &Path, bytes: u64, child: &mut Child) {
    let clock = Instant::now();
    while std::fs::metadata(file).map_or(0, |m| m.len()) < bytes {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before {} was there", file.display());
        assert!(clock.elapsed() < Duration::from_secs(60), "{} never came", file.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Rows of a trajectory, the last one whole.
fn rows(file: &Path) -> Vec<Vec<f64>> {
    let csv = std::fs::read_to_string(file).unwrap();
    let whole = csv.rfind('\n').map_or("", |end| &csv[..end]);
    whole.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

#[test]
fn a_killed_run_goes_on_from_its_checkpoint_to_the_same_bits() {
    let folder = folder("killed");
    let (state, out) = (path(&folder, "state"), path(&folder, "out"));
    // Long enough to be killed in the middle; how far it got is told by its checkpoint alone.
    let long = ["run", "clutter", "--time", "1000", "--out", &out, "--checkpoint", &state, "--json"];
    let mut child = command(&long).spawn().unwrap();
    let csv = folder.join("out/clutter.csv");
    wait_for(&csv, 200_000, &mut child);
    std::thread::sleep(Duration::from_millis(1500));
    child.kill().unwrap();
    child.wait().unwrap();

    // The trajectory is readable up to about the last second, and so is the page: its frames are base64 lines.
    let kept = rows(&csv);
    let reached = kept.last().unwrap()[0];
    assert!(kept.iter().all(|row| row.len() == kept[0].len()) && reached > 0.5, "{reached}");
    let html = std::fs::read(folder.join("out/clutter.html")).unwrap();
    assert!(html.len() > 100_000, "{} bytes", html.len());

    // From the checkpoint, and without a stop: the same numbers.
    let end = (reached + 1.0).ceil().to_string();
    let resumed =
        command(&["run", "clutter", "--time", &end, "--out", &out, "--checkpoint", &state, "--json"]);
    let resumed = { resumed }.output().unwrap();
    assert!(text(&resumed.stderr).contains("going on from t ="), "{}", text(&resumed.stderr));
    let straight = command(&["run", "clutter", "--time", &end, "--json"]).output().unwrap();
    let (resumed, straight) = (report(&resumed), report(&straight));
    assert_eq!(resumed["qpos"], straight["qpos"]);
    assert_eq!(resumed["qvel"], straight["qvel"]);
    // What was recorded before is still there, beside the rest.
    assert_eq!(rows(&csv).len(), kept.len());
    assert!(resumed["csv"].as_str().unwrap().contains("clutter-from-"), "{}", resumed["csv"]);
}

#[test]
fn a_run_killed_again_and_again_goes_on_each_time_and_ends_where_one_that_was_not_ends() {
    let folder = folder("killed often");
    let (state, out) = (path(&folder, "state"), path(&folder, "out"));
    let arguments = |time: &str| {
        command(&["run", "stack", "--time", time, "--out", &out, "--checkpoint", &state, "--json"])
    };
    let mut killed = 0;
    for wait in [370_u64, 1130, 90, 710] {
        let mut child = arguments("100000").spawn().unwrap();
        let clock = Instant::now();
        while !folder.join("state").exists() && clock.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        // Whatever it was doing, what it wrote is whole rows, and there is a checkpoint to go on from.
        for entry in std::fs::read_dir(folder.join("out")).unwrap().flatten() {
            let file = entry.path();
            if file.extension().is_some_and(|e| e == "csv") {
                let rows = rows(&file);
                assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{}", file.display());
                assert!(rows.windows(2).all(|two| two[0][0] < two[1][0]), "{}", file.display());
            }
        }
    }
    assert_eq!(killed, 4);
    // Up to a second before the last kill at most is lost: the runs together had more than two.
    let reached: f64 = std::fs::read_dir(folder.join("out"))
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "csv"))
        .filter_map(|entry| rows(&entry.path()).last().map(|row| row[0]))
        .fold(0.0, f64::max);
    let end = (reached + 1.0).ceil().to_string();
    let resumed = report(&arguments(&end).output().unwrap());
    let straight = report(&command(&["run", "stack", "--time", &end, "--json"]).output().unwrap());
    assert_eq!((&resumed["qpos"], &resumed["qvel"]), (&straight["qpos"], &straight["qvel"]));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_completes_its_files_and_says_how_to_go_on() {
    let folder = folder("interrupted");
    let (state, out) = (path(&folder, "state"), path(&folder, "out"));
    let mut child = command(&["run", "clutter", "--time", "1000", "--out", &out, "--checkpoint", &state])
        .spawn()
        .unwrap();
    wait_for(&folder.join("out/clutter.csv"), 100_000, &mut child);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("interrupted at t =") && said.contains("goes on from"), "{said}");
    // The page ends with a whole block of frames.
    let html = std::fs::read_to_string(folder.join("out/clutter.html")).unwrap();
    assert!(html.trim_end().ends_with("</script>"), "{}", &html[html.len() - 80..]);
}

#[test]
fn a_checkpoint_of_another_model_or_none_at_all_is_told() {
    let folder = folder("foreign");
    let state = path(&folder, "state");
    assert!(
        command(&["run", "stack", "--time", "0.01", "--checkpoint", &state])
            .output()
            .unwrap()
            .status
            .success()
    );
    let foreign = command(&["run", "clutter", "--time", "0.01", "--checkpoint", &state]).output().unwrap();
    assert_eq!(foreign.status.code(), Some(2));
    assert!(text(&foreign.stderr).contains("--checkpoint"), "{}", text(&foreign.stderr));
    std::fs::write(&state, b"not a state").unwrap();
    let damaged = command(&["run", "stack", "--time", "0.01", "--checkpoint", &state]).output().unwrap();
    assert_eq!(damaged.status.code(), Some(2));
    let nowhere = path(&folder, "no/such/folder/state");
    let nowhere = command(&["run", "stack", "--time", "0.01", "--checkpoint", &nowhere]).output().unwrap();
    assert_eq!(nowhere.status.code(), Some(1));
    assert!(text(&nowhere.stderr).contains("cannot write the checkpoint"), "{}", text(&nowhere.stderr));
}

/// A folder below a plain file cannot be made by anyone, whatever his rights.
#[test]
fn a_place_that_cannot_be_written_is_told_before_any_work() {
    let folder = folder("unwritable");
    std::fs::write(folder.join("file"), "").unwrap();
    let below = path(&folder, "file/below");
    let state = path(&folder, "state");
    // Each of these would work for hours.
    for arguments in [
        vec!["run", "clutter", "--time", "1e6", "--out", &below],
        vec!["run", "clutter", "--time", "1e6", "--checkpoint", &below],
        vec!["run", "clutter", "--time", "1e6", "--checkpoint", &state, "--out", &below],
        vec!["reproduce", "--all", "--out", &below],
        vec!["impact", "stack", "--samples", "1000000000", "--out", &below],
        vec!["learn", "collect", "box", "--tosses", "100000000", "--out", &below],
        vec!["learn", "train", "box", "--tosses", "100000000", "--out", &below],
        vec!["mesh", "shape:bunny", "--resolution", "1e-4", "-o", &below],
        vec!["bench", "--repeat", "100000", "--out", &below],
    ] {
        let mut child = command(&arguments).spawn().unwrap();
        let clock = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if clock.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{arguments:?} began its work");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("file/below") && said.contains("choose another --"), "{arguments:?}: {said}");
    }
    // What is tried leaves nothing behind.
    let mut left: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|e| e.file_name()).collect();
    left.sort();
    assert_eq!(left, ["file", "state"]);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_terminated_keeps_its_rows_and_says_how_runs_can_be_continued() {
    let folder = folder("terminated");
    let out = path(&folder, "out");
    let mut child =
        command(&["run", "stack", "--time", "1e5", "--out", &out, "--skip", "html,mcap"]).spawn().unwrap();
    let csv = folder.join("out/stack.csv");
    wait_for(&csv, 10_000, &mut child);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("interrupted at t =") && said.contains("--checkpoint FILE"), "{said}");
    let (rows, whole) = (rows(&csv), std::fs::read_to_string(&csv).unwrap());
    assert!(whole.ends_with('\n') && rows.windows(2).all(|two| two[0][0] < two[1][0]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_clearly() {
    // A device that is always full.
    let folder = folder("full");
    let out = path(&folder, "out");
    std::fs::create_dir_all(&out).unwrap();
    std::os::unix::fs::symlink("/dev/full", folder.join("out/stack.csv")).unwrap();
    let output =
        command(&["run", "stack", "--time", "0.5", "--out", &out, "--skip", "html,mcap"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot write"), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_too_full_for_a_checkpoint_keeps_the_one_before() {
    let folder = folder("full checkpoint");
    let state = path(&folder, "state");
    let run = |time: &str| {
        command(&["run", "stack", "--time", time, "--checkpoint", &state, "--json"]).output().unwrap()
    };
    assert!(run("0.1").status.success());
    let before = std::fs::read(folder.join("state")).unwrap();
    // Checkpoints are written beside and then renamed: this is where the next one goes.
    std::os::unix::fs::symlink("/dev/full", folder.join("state.part")).unwrap();
    let failed = run("0.2");
    assert_eq!(failed.status.code(), Some(1));
    let said = text(&failed.stderr);
    assert!(
        said.contains("cannot write the checkpoint") && said.contains("the one before is kept"),
        "{said}"
    );
    assert_eq!(std::fs::read(folder.join("state")).unwrap(), before);
    std::fs::remove_file(folder.join("state.part")).unwrap();
    let straight = command(&["run", "stack", "--time", "0.2", "--json"]).output().unwrap();
    assert_eq!(report(&run("0.2"))["qpos"], report(&straight)["qpos"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_told() {
    for arguments in [&["run", "stack", "--time", "0.01"][..], &["inspect", "stack", "--json"], &["scenes"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("cannot write to standard output"), "{}", text(&output.stderr));
    }
}
