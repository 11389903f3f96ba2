//! `stiction completions` and `stiction manual`: what a shell and `man` know about the program.

use crate::failure::{Failure, print};
use crate::outlet;
use clap::{Args, Command};
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `stiction completions`.
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell that completes
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `stiction manual`.
#[derive(Args)]
pub struct ManualArguments {
    /// Write one page for the program and one for each command to this folder [default: print that of the program]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a script that teaches a shell the commands and options.
pub fn completions(arguments: &CompletionsArguments, mut program: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "stiction", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Prints or writes manual pages.
pub fn manual(arguments: &ManualArguments, program: Command) -> Result<(), Failure> {
    let Some(folder) = &arguments.out else { return print(&String::from_utf8_lossy(&page(program)?)) };
    outlet::folder(folder, "--out")?;
    clap_mangen::generate_to(program, folder).map_err(|e| {
        Failure::work(format!("cannot write to {}: {e}; choose another --out", folder.display()))
    })?;
    print(&format!("man -l {}\n", folder.join("stiction.1").display()))
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text).map_err(Failure::work)?;
    Ok(text)
}
