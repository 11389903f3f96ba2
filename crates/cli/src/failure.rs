//! Why a command failed, with which exit code; and printing, which can fail too.

use std::fmt;
use std::process::ExitCode;
use stiction_base::plain::plain_lines;

/// A failed command.
#[derive(Debug)]
pub enum Failure {
    /// The input was wrong: exit code 2.
    Input(String),
    /// The work failed: exit code 1.
    Work(String),
    /// The reader of standard output has closed it: nothing to report.
    ClosedPipe,
}

impl Failure {
    /// Wrong input.
    pub fn input(error: impl fmt::Display) -> Self {
        Self::Input(error.to_string())
    }

    /// Failed work.
    pub fn work(error: impl fmt::Display) -> Self {
        Self::Work(error.to_string())
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Input(_) => ExitCode::from(2),
            Self::Work(_) => ExitCode::from(1),
            Self::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(text) | Self::Work(text) => f.write_str(&plain_lines(text)),
            Self::ClosedPipe => f.write_str("standard output was closed"),
        }
    }
}

/// Prints a value as JSON, indented.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// Prints to standard output, without control characters of names; a closed pipe (`| head`) ends the program quietly instead of panicking.
pub fn print(text: &str) -> Result<(), Failure> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    match out.write_all(plain_lines(text).as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Failure::ClosedPipe),
        Err(e) => Err(Failure::work(format!("cannot write to standard output: {e}"))),
    }
}
