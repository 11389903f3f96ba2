//! `stiction demo`: robots with a task, recorded and shown in the browser.

use crate::failure::{Failure, print};
use crate::hint::hint;
use crate::outlet;
use crate::view::open;
use clap::Args;
use std::path::PathBuf;
use stiction_reproduce::{ALL, Reproduction, Study};

/// Reproductions that record a robot or a mechanism at work.
const DEMONSTRATIONS: [&str; 7] =
    ["pancake-flip", "pick-and-place", "sorting", "pencil-grip", "spatula-slip", "cam-cleat", "bolt"];

/// Arguments of `stiction demo`.
#[derive(Args)]
pub struct DemoArguments {
    /// Name of the demonstration [default: list all]
    name: Option<String>,
    /// Folder for the recordings
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// Runs a demonstration and shows its recordings.
pub fn demo(arguments: &DemoArguments) -> Result<(), Failure> {
    let all: Vec<&Reproduction> =
        DEMONSTRATIONS.iter().filter_map(|name| ALL.iter().copied().find(|r| r.name == *name)).collect();
    let Some(name) = &arguments.name else {
        return print(&all.iter().map(|r| format!("{:<18} {}\n", r.name, r.summary)).collect::<String>());
    };
    let Some(chosen) = all.iter().find(|r| r.name == name) else {
        let hint = hint(name, DEMONSTRATIONS.into_iter());
        let known = DEMONSTRATIONS.join(", ");
        return Err(Failure::input(format!(
            "no demonstration is called \"{name}\"{hint}; there are {known}"
        )));
    };
    outlet::folder(&arguments.out, "--out")?;
    let study = Study { name: chosen.name, quick: true, folder: arguments.out.clone() };
    let outcome = (chosen.run)(&study).map_err(Failure::work)?;
    let files: Vec<PathBuf> = outcome.recordings.iter().map(|r| r.path.clone()).collect();
    if files.is_empty() {
        return Err(Failure::work(format!("{name} recorded nothing")));
    }
    for file in &files {
        print(&format!("{}\n", file.display()))?;
    }
    if !arguments.no_open {
        let first = std::path::absolute(&files[0]).map_err(Failure::work)?;
        open(&first.to_string_lossy());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demonstration_is_there() {
        for name in DEMONSTRATIONS {
            assert!(ALL.iter().any(|r| r.name == name), "{name}");
        }
    }
}
