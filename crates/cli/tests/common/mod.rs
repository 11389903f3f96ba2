//! Running the program and waiting for its files.

#![allow(dead_code, reason = "each test program uses a part of it")]

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A call of the program with its output piped.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stiction"));
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the program to its end.
pub fn stiction(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the program runs")
}

/// Output as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The JSON that a successful run printed.
pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON on standard output")
}

/// An empty folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A scene in a folder: a soft box above the floor, for continuous time.
pub fn soft_box(folder: &std::path::Path) -> String {
    let scene = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.06'><freejoint/>
        <geom type='box' size='0.05 0.05 0.05' mass='1'><drake:proximity_properties><drake:compliant_hydroelastic/>
        <drake:hydroelastic_modulus value='1e6'/></drake:proximity_properties></geom></body></worldbody></mujoco>";
    let file = folder.join("soft.xml");
    std::fs::write(&file, scene).unwrap();
    file.display().to_string()
}

/// Waits until a condition holds. Fails when the program ends before it does, or after ten minutes: only a program that hangs
/// takes so long, however busy the machine is.
pub fn wait_until(what: &str, child: &mut Child, mut holds: impl FnMut() -> bool) {
    let clock = Instant::now();
    while !holds() {
        assert!(child.try_wait().unwrap().is_none(), "the program ended before {what}");
        if clock.elapsed() > Duration::from_secs(600) {
            child.kill().unwrap();
            panic!("ten minutes without {what}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
