//! Random scenes for as long as asked: does every step converge, does anything go wrong?
//!
//! ```text
//! cargo xtask soak [--minutes N | --steps N] [--seed S] [--only SEED] [--out FILE]
//! ```
//!
//! A scene is a function of its seed alone; a run takes the seeds S, S + 1, … and says of every finding which seed shows it
//! again (`--only SEED`). `scene` draws a scene, `run` takes its steps and looks, `books` keeps its energy, `report` writes
//! what was found.

mod books;
mod machine;
mod matter;
mod mechanism;
mod random;
mod report;
mod run;
mod scene;

use report::Tally;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: machine::Counting = machine::Counting;

const USAGE: &str = "usage: soak [--minutes N | --steps N] [--seed S] [--only SEED] [--out FILE]";

struct Arguments {
    minutes: Option<f64>,
    steps: Option<u64>,
    seed: u64,
    only: Option<u64>,
    out: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments { minutes: None, steps: None, seed: 1, only: None, out: None };
    let mut given = std::env::args().skip(1);
    while let Some(flag) = given.next() {
        let value = given.next().ok_or(format!("{flag} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{flag} {value}: not a whole number"));
        match flag.as_str() {
            "--minutes" => {
                let minutes: f64 = value.parse().map_err(|_| format!("{flag} {value}: not a number"))?;
                read.minutes = Some(minutes).filter(|m| m.is_finite() && *m > 0.0);
            }
            "--steps" => read.steps = Some(number()?),
            "--seed" => read.seed = number()?,
            "--only" => read.only = Some(number()?),
            "--out" => read.out = Some(value),
            _ => return Err(format!("unknown {flag}")),
        }
    }
    Ok(read)
}

/// What stands above this line in a file that is written anew stays.
const HEADING: &str = "## What the last run printed\n\n";

fn write(out: &str, text: &str) -> std::io::Result<()> {
    let before = std::fs::read_to_string(out).unwrap_or_default();
    let head = before.find(HEADING).map_or("", |at| &before[..at + HEADING.len()]);
    std::fs::write(out, format!("{head}{text}"))
}

fn main() -> std::process::ExitCode {
    let read = match arguments() {
        Ok(read) => read,
        Err(message) => {
            eprintln!("{message}; {USAGE}");
            return 2.into();
        }
    };
    let steps = read.steps.unwrap_or(if read.minutes.is_some() { u64::MAX } else { 100_000 });
    let end = read.minutes.map_or(Duration::MAX, |m| Duration::from_secs_f64(60.0 * m));
    let begin = Instant::now();
    let mut tally = Tally::new();
    let mut seed = read.only.unwrap_or(read.seed);
    let (mut told, mut written) = (Instant::now(), Instant::now());
    while tally.steps < steps && begin.elapsed() < end {
        run::scene(seed, read.only.is_some(), &mut tally);
        if read.only.is_some() {
            break;
        }
        seed += 1;
        if told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            tally.remember_memory(begin.elapsed());
            eprintln!("{}", tally.line(begin.elapsed()));
        }
        if let Some(out) = read.out.as_ref().filter(|_| written.elapsed() > Duration::from_secs(120)) {
            // A run that is killed leaves what it saw.
            written = Instant::now();
            let _ = write(out, &tally.text(read.seed, seed, begin.elapsed()));
        }
    }
    tally.remember_memory(begin.elapsed());
    let text = tally.text(read.seed, seed, begin.elapsed());
    match &read.out {
        Some(out) => {
            if let Err(error) = write(out, &text) {
                eprintln!("{out}: {error}");
                return 1.into();
            }
        }
        None => print!("{text}"),
    }
    u8::from(tally.failed()).into()
}
