//! Faults around a run: killed, interrupted, a full disk, a path that cannot be written.

mod common;

use common::{command, folder, json as report, text, wait_until};
use std::path::Path;
use std::process::{Child, Command};

fn path(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

/// Waits until a file has a size.
fn wait_for(file: &Path, bytes: u64, child: &mut Child) {
    let what = format!("{bytes} bytes in {}", file.display());
    wait_until(&what, child, || std::fs::metadata(file).is_ok_and(|m| m.len() >= bytes));
}

/// Whether a file is a trajectory; contact forces have a table of their own.
fn is_trajectory(file: &Path) -> bool {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    name.ends_with(".csv") && !name.ends_with("-contacts.csv")
}

/// Rows of a trajectory, the last one whole.
fn rows(file: &Path) -> Vec<Vec<f64>> {
    let csv = std::fs::read_to_string(file).unwrap();
    let whole = csv.rfind('\n').map_or("", |end| &csv[..end]);
    whole.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

#[test]
fn a_killed_run_resumes_from_its_checkpoint_to_the_same_bits() {
    let folder = folder("killed");
    let (state, out) = (path(&folder, "state"), path(&folder, "out"));
    // Long enough to be killed in the middle, after a checkpoint that is not the one of the start.
    let long = ["run", "clutter", "--time", "1000", "--out", &out, "--checkpoint", &state, "--json"];
    let mut child = command(&long).spawn().unwrap();
    let csv = folder.join("out/clutter.csv");
    wait_for(&csv, 200_000, &mut child);
    let begin = std::fs::read(&state).unwrap();
    wait_until("a new checkpoint", &mut child, || std::fs::read(&state).is_ok_and(|now| now != begin));
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
    assert!(text(&resumed.stderr).contains("resuming from t ="), "{}", text(&resumed.stderr));
    let straight = command(&["run", "clutter", "--time", &end, "--json"]).output().unwrap();
    let (resumed, straight) = (report(&resumed), report(&straight));
    assert_eq!(resumed["qpos"], straight["qpos"]);
    assert_eq!(resumed["qvel"], straight["qvel"]);
    // The first recording is kept beside the second.
    assert_eq!(rows(&csv).len(), kept.len());
    assert!(resumed["csv"].as_str().unwrap().contains("clutter-from-"), "{}", resumed["csv"]);
}

#[test]
fn a_run_killed_several_times_resumes_each_time_and_ends_where_an_uninterrupted_one_ends() {
    let folder = folder("killed often");
    let (state, out) = (path(&folder, "state"), path(&folder, "out"));
    let arguments = |time: &str| {
        command(&["run", "stack", "--time", time, "--out", &out, "--checkpoint", &state, "--json"])
    };
    let mut killed = 0;
    let written = || -> u64 {
        let files = std::fs::read_dir(folder.join("out")).into_iter().flatten().flatten();
        files.map(|file| file.metadata().map_or(0, |m| m.len())).sum()
    };
    for bytes in [100_000, 2_000_000, 1, 500_000] {
        let before = written();
        let mut child = arguments("100000").spawn().unwrap();
        wait_until("more bytes", &mut child, || folder.join("state").exists() && written() >= before + bytes);
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        // Whenever it was killed, the file has whole rows, and there is a checkpoint to resume from.
        for entry in std::fs::read_dir(folder.join("out")).unwrap().flatten() {
            let file = entry.path();
            if is_trajectory(&file) {
                let rows = rows(&file);
                assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{}", file.display());
                assert!(rows.windows(2).all(|two| two[0][0] < two[1][0]), "{}", file.display());
            }
        }
    }
    assert_eq!(killed, 4);
    // The last row is at most a second of work after the last checkpoint; the run resumes and passes it.
    let reached: f64 = std::fs::read_dir(folder.join("out"))
        .unwrap()
        .flatten()
        .filter(|entry| is_trajectory(&entry.path()))
        .filter_map(|entry| rows(&entry.path()).last().map(|row| row[0]))
        .fold(0.0, f64::max);
    let end = (reached + 1.0).ceil().to_string();
    let resumed = report(&arguments(&end).output().unwrap());
    let straight = report(&command(&["run", "stack", "--time", &end, "--json"]).output().unwrap());
    assert_eq!((&resumed["qpos"], &resumed["qvel"]), (&straight["qpos"], &straight["qvel"]));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_completes_its_files_and_says_how_to_resume() {
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
    assert!(said.contains("interrupted at t =") && said.contains("resumes from"), "{said}");
    // The page ends with a whole block of frames.
    let html = std::fs::read_to_string(folder.join("out/clutter.html")).unwrap();
    assert!(html.trim_end().ends_with("</script>"), "{}", &html[html.len() - 80..]);
}

#[test]
fn a_checkpoint_of_another_model_or_a_damaged_one_is_an_error() {
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

#[test]
fn a_checkpoint_of_other_options_resumes_only_if_asked() {
    let folder = folder("other options");
    let state = path(&folder, "state");
    let run = |more: &[&str]| {
        let begin = ["run", "stack", "--checkpoint", &state];
        command(&[begin.as_slice(), more].concat()).output().unwrap()
    };
    assert!(run(&["--time", "0.01"]).status.success());
    let before = std::fs::read(&state).unwrap();
    for other in [["--step", "0.003"], ["--contact", "sap"]] {
        let refused = run(&[["--time", "0.02"], other].concat());
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("--resume-anyway"), "{}", text(&refused.stderr));
        assert_eq!(std::fs::read(&state).unwrap(), before, "a refused run leaves the checkpoint");
    }
    let mut damaged = before.clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&state, &damaged).unwrap();
    let refused = run(&["--time", "0.02"]);
    assert!(text(&refused.stderr).contains("checksum"), "{}", text(&refused.stderr));
    std::fs::write(&state, &before).unwrap();
    assert!(run(&["--time", "0.02", "--step", "0.003", "--resume-anyway"]).status.success());
    assert!(!command(&["run", "stack", "--resume-anyway"]).output().unwrap().status.success());
}

/// Nobody can create a folder below a plain file, whatever the permissions.
#[test]
fn a_path_that_cannot_be_written_is_an_error_before_any_work() {
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
        let output = command(&arguments).output().unwrap();
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
    // A shell that lets the program write no file: as on a full disk, the write is an error.
    let program = env!("CARGO_BIN_EXE_stiction");
    let script =
        format!("trap '' XFSZ; ulimit -f 0; exec '{program}' run stack --time 0.2 --checkpoint '{state}'");
    let failed = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(failed.status.code(), Some(1));
    let said = text(&failed.stderr);
    assert!(
        said.contains("cannot write the checkpoint") && said.contains("the previous one is kept"),
        "{said}"
    );
    assert_eq!(std::fs::read(folder.join("state")).unwrap(), before);
    let straight = command(&["run", "stack", "--time", "0.2", "--json"]).output().unwrap();
    assert_eq!(report(&run("0.2"))["qpos"], report(&straight)["qpos"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    for arguments in [&["run", "stack", "--time", "0.01"][..], &["inspect", "stack", "--json"], &["scenes"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("cannot write to standard output"), "{}", text(&output.stderr));
    }
}

#[test]
fn what_a_command_reads_is_not_overwritten_by_what_it_writes() {
    let folder = folder("inputs");
    let surface = path(&folder, "ball.stl");
    assert!(command(&["mesh", "shape:bowl", "--stl", &surface]).status().unwrap().success());
    let scene = path(&folder, "scene.xml");
    let mesh = "<mesh name='ball' file='ball.stl' inertia='exact'/>";
    let body = "<body name='b'><freejoint/><geom type='mesh' mesh='ball' density='500'/></body>";
    let text_of = format!("<mujoco><asset>{mesh}</asset><worldbody>{body}</worldbody></mujoco>");
    std::fs::write(&scene, &text_of).unwrap();
    let before = [&surface, &scene].map(|file| std::fs::read(file).unwrap());
    // Another name for the same file is no way round.
    let around = path(&folder, "../inputs/scene.xml");
    for arguments in [
        vec!["mesh", &surface, "--stl", &surface],
        vec!["mesh", &surface, "-o", &surface],
        vec!["inspect", &scene, "--export", "mjcf", "--output", &scene],
        vec!["inspect", &scene, "--export", "mjcf", "--output", &around],
        vec!["picture", &scene, "--out", &scene],
    ] {
        let output = command(&arguments).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("is read by this command; choose another"), "{arguments:?}: {said}");
        assert_eq!([&surface, &scene].map(|file| std::fs::read(file).unwrap()), before, "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_without_an_end_are_refused() {
    for arguments in [
        ["mesh", "/dev/zero", "-o", "/dev/null"],
        ["run", "stack", "--checkpoint", "/dev/zero"],
        ["run", "stack", "--normal-law", "/dev/zero"],
        ["learn", "evaluate", "box", "/dev/zero"],
    ] {
        let output = command(&arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?}");
    }
    let output = command(&["run", "stack", "--checkpoint", "/dev/zero"]).output().unwrap();
    assert!(text(&output.stderr).contains("it is a device, not a file"), "{}", text(&output.stderr));
}

#[test]
fn a_limit_of_size_is_an_option_and_its_error_names_it() {
    let folder = folder("limits");
    let scene = path(&folder, "field.xml");
    let field = "<hfield name='h' nrow='20000' ncol='20000' size='1 1 1 1'/>";
    let text_of = format!(
        "<mujoco><asset>{field}</asset><worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"
    );
    std::fs::write(&scene, text_of).unwrap();
    let refused = command(&["inspect", &scene]).output().unwrap();
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("hfield \"h\""), "{said}");
    assert!(said.contains("the limit field-points of 5000000"), "{said}");
    let stack = ["inspect", "stack", "--limit"];
    assert!(command(&[&stack[..], &["bodies=100"]].concat()).output().unwrap().status.success());
    let refused = command(&[&stack[..], &["bodies=2"]].concat()).output().unwrap();
    assert!(text(&refused.stderr).contains("the limit bodies of 2"), "{}", text(&refused.stderr));
    let unknown = command(&[&stack[..], &["memory=2"]].concat()).output().unwrap();
    assert!(text(&unknown.stderr).contains("tree-coordinates"), "{}", text(&unknown.stderr));
}
