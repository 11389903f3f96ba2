//! A stage: one command with a name and a time.

use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::project;

/// Why a command failed, as a message for the terminal.
#[derive(Debug)]
pub struct Failure {
    message: String,
    /// 1: the work failed; 2: the command line was wrong.
    pub exit_code: u8,
}

impl Failure {
    pub fn work(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: 1 }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), exit_code: 2 }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "xtask: {}", self.message)
    }
}

pub type Outcome<T = ()> = Result<T, Failure>;

/// Runs stages one after another and keeps their times for the summary.
#[derive(Default)]
pub struct Stages {
    done: Vec<(String, Duration)>,
}

impl Stages {
    /// Runs `command` in the repository root with its output on the terminal.
    pub fn run(&mut self, name: &str, command: &mut Command) -> Outcome {
        command.current_dir(project::root());
        let line = rerun_line(command);
        println!("\n=== {name}\n    {line}");
        let start = Instant::now();
        let status = command
            .status()
            .map_err(|e| Failure::work(format!("stage `{name}` could not start: {e}\n  command: {line}")))?;
        let elapsed = start.elapsed();
        if !status.success() {
            return Err(Failure::work(format!(
                "stage `{name}` failed ({status}) after {:.1} s\n  run it again: {line}",
                elapsed.as_secs_f64()
            )));
        }
        self.finish(name, elapsed);
        Ok(())
    }

    /// Runs a check that is part of this program.
    pub fn check(&mut self, name: &str, check: impl FnOnce() -> Outcome) -> Outcome {
        println!("\n=== {name}");
        let start = Instant::now();
        check()?;
        self.finish(name, start.elapsed());
        Ok(())
    }

    fn finish(&mut self, name: &str, elapsed: Duration) {
        println!("=== {name}: {:.1} s", elapsed.as_secs_f64());
        self.done.push((name.to_owned(), elapsed));
    }

    /// Prints the time of every stage and the total.
    pub fn summary(&self, title: &str) {
        println!("\n{title}");
        for (name, elapsed) in &self.done {
            println!("  {:>8.1} s  {name}", elapsed.as_secs_f64());
        }
        let total: Duration = self.done.iter().map(|(_, elapsed)| *elapsed).sum();
        println!("  {:>8.1} s  total", total.as_secs_f64());
    }
}

/// The command as a line for a shell in the repository root.
fn rerun_line(command: &Command) -> String {
    let mut words = Vec::new();
    for (key, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", key.to_string_lossy(), quoted(&value.to_string_lossy())));
        }
    }
    let program = command.get_program();
    // Cargo passes its full path; users type the plain name.
    let is_cargo = Path::new(program).file_stem().is_some_and(|stem| stem == "cargo");
    words.push(if is_cargo { "cargo".into() } else { quoted(&shortened(&program.to_string_lossy())) });
    words.extend(command.get_args().map(|arg| quoted(&shortened(&arg.to_string_lossy()))));
    words.join(" ")
}

/// Paths inside the repository read better relative to it.
fn shortened(word: &str) -> String {
    let root = format!("{}{}", project::root().display(), std::path::MAIN_SEPARATOR);
    word.replace(&root, "")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_stage_names_itself_and_the_command_to_rerun() {
        let mut stages = Stages::default();
        let failure =
            stages.run("odd", Command::new("cargo").args(["--quiet", "no such\tcommand"])).unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("stage `odd` failed"), "{text}");
        assert!(text.contains("cargo --quiet 'no such\tcommand'"), "{text}");
        assert_eq!(failure.exit_code, 1);
    }

    #[test]
    fn the_rerun_line_carries_the_environment_and_relative_paths() {
        let mut command = Command::new("tool");
        command.env("KEY", "two words").arg(project::root().join("scenes"));
        assert_eq!(rerun_line(&command), "KEY='two words' tool scenes");
    }
}
