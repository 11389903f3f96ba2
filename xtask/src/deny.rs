//! Licences, bans and sources of all dependencies (`deny.toml`), checked with cargo-deny.

use std::process::{Command, Stdio};

use crate::project;
use crate::stage::{Outcome, Stages};

/// Installs cargo-deny into `.cache/tools` on first use. Without it, the check is skipped
/// with a message: it needs the network once, and nothing else in the test run depends on it.
pub fn check(stages: &mut Stages) -> Outcome {
    let tools = project::cache().join("tools");
    let cargo_deny = tools.join("bin").join(if cfg!(windows) { "cargo-deny.exe" } else { "cargo-deny" });
    if !starts(&cargo_deny.to_string_lossy()) {
        let mut install = project::cargo();
        install.args(["install", "--locked", "cargo-deny", "--root"]).arg(&tools);
        // Its own target folder and flags: the project's CPU baseline is not for tools.
        install.env("CARGO_TARGET_DIR", tools.join("target"));
        if let Err(failure) = stages.run("install cargo-deny", &mut install) {
            println!(
                "\n{failure}\n\nSKIPPED: the licence check (cargo-deny could not be installed). Everything else ran."
            );
            return Ok(());
        }
    }
    stages.run(
        "licences, bans, sources",
        Command::new(cargo_deny).args(["check", "licenses", "bans", "sources"]),
    )
}

fn starts(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
