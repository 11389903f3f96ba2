//! Soak test: runs random scenes for a given time and checks convergence, energy and errors.
//!
//! ```text
//! cargo xtask soak [--minutes N | --steps N] [--jobs N] [--seed S] [--only SEED] [--out FILE]
//! cargo xtask soak --shots N [--jobs N] [--seed S] [--only NUMBER] [--out FILE]
//! cargo xtask soak --piles N [--jobs N] [--only NUMBER] [--out FILE]
//! ```
//!
//! A scene depends only on its seed. A run uses the seeds S, S + 1, … and reports the seed of every finding, which
//! reproduces it (`--only SEED`). With `--jobs N`, N processes take every Nth seed each. Minutes are of processor
//! time, of each process. Ctrl-C or TERM ends a run after the current scenes and writes its report. A second signal
//! stops it at once. `scene` generates a scene, `run` steps and checks it, `books` does the energy accounting,
//! `report` writes the findings. With `--shots`, bullets are fired at plates instead, on `--jobs` threads (`shots`); with
//! `--piles`, bodies fall into a box (`piles`). Those runs are noted in `FILE.runs` as they end, and not repeated.

mod books;
mod machine;
mod matter;
mod mechanism;
mod piles;
mod random;
mod report;
mod run;
mod scene;
mod shots;

use report::Tally;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use stiction_base::counting_allocator::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Set when the run is interrupted. It ends after the current scenes and writes its report.
static END: AtomicBool = AtomicBool::new(false);

const USAGE: &str = "usage: soak [--minutes N | --steps N | --shots N | --piles N] [--jobs N] [--seed S] [--only SEED] [--out FILE]";

#[derive(Clone, Debug, Default, PartialEq)]
struct Arguments {
    minutes: Option<f64>,
    steps: Option<u64>,
    shots: Option<u64>,
    piles: Option<u64>,
    seed: u64,
    only: Option<u64>,
    jobs: u64,
    /// Every how many seeds one is taken; such a process tells its results to the one that started it.
    every: Option<u64>,
    out: Option<String>,
}

/// Reads the words after the program's name; `None` if they ask for help.
fn arguments(mut given: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    const FLAGS: [&str; 9] =
        ["--minutes", "--steps", "--shots", "--piles", "--seed", "--only", "--jobs", "--every", "--out"];
    let mut read = Arguments { seed: 1, jobs: 1, ..Arguments::default() };
    while let Some(flag) = given.next() {
        if flag == "--help" || flag == "-h" {
            return Ok(None);
        }
        if !FLAGS.contains(&flag.as_str()) {
            return Err(format!("unknown {flag}"));
        }
        let value = given.next().ok_or(format!("{flag} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{flag} {value}: not a whole number"));
        let count = || number().ok().filter(|n| *n > 0).ok_or(format!("{flag} {value}: give 1 or more"));
        match flag.as_str() {
            "--minutes" => read.minutes = Some(minutes(&value)?),
            "--steps" => read.steps = Some(count()?),
            "--shots" => read.shots = Some(count()?),
            "--piles" => read.piles = Some(count()?),
            "--seed" => read.seed = number()?,
            "--only" => read.only = Some(number()?),
            "--jobs" => read.jobs = count()?,
            "--every" => read.every = Some(count()?),
            _ => read.out = Some(value),
        }
    }
    let counted = [read.minutes.is_some(), read.steps.is_some(), read.shots.is_some(), read.piles.is_some()];
    if counted.iter().filter(|given| **given).count() > 1 {
        return Err("give one of --minutes, --steps, --shots and --piles".into());
    }
    Ok(Some(read))
}

fn minutes(value: &str) -> Result<f64, String> {
    let minutes = value.parse().ok().filter(|m: &f64| m.is_finite() && *m > 0.0);
    minutes.ok_or(format!("--minutes {value}: give a positive number"))
}

/// The text above this line is kept when the file is rewritten.
const HEADING: &str = "## What the last run printed\n\n";

fn write(out: &str, text: &str) -> std::io::Result<()> {
    let before = std::fs::read_to_string(out).unwrap_or_default();
    let head = before.find(HEADING).map_or("", |at| &before[..at + HEADING.len()]);
    std::fs::write(out, format!("{head}{text}"))
}

/// Runs the scenes of this process until it is interrupted or finished. `tell` is called every few seconds.
fn scenes(read: &Arguments, mut tell: impl FnMut(&mut Tally)) -> Tally {
    let enough = read.steps.unwrap_or(if read.minutes.is_some() { u64::MAX } else { 100_000 });
    let end = read.minutes.map_or(f64::INFINITY, |m| 60.0 * m);
    let mut tally = Tally::new();
    let mut seed = read.only.unwrap_or(read.seed);
    let (begin, mut told) = (Instant::now(), Instant::now());
    loop {
        // Wall-clock time if the system does not report processor time.
        let computed = machine::computed();
        tally.computed = if computed > 0.0 { computed } else { begin.elapsed().as_secs_f64() };
        if tally.steps >= enough || tally.computed >= end || END.load(Relaxed) {
            break;
        }
        run::scene(seed, read.only.is_some(), &mut tally);
        if read.only.is_some() {
            break;
        }
        seed += read.every.unwrap_or(1);
        if told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            tally.remember_memory();
            tell(&mut tally);
        }
    }
    tally.remember_memory();
    tally
}

/// A process among several: tells what it has on its output, the last time when it ends, and ends when its input does.
fn worker(read: &Arguments) {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read(&mut [0]);
        END.store(true, Relaxed);
    });
    let send = |tally: &mut Tally| {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(format!("{}---\n", tally.save()).as_bytes()).and_then(|()| out.flush());
    };
    let mut tally = scenes(read, send);
    send(&mut tally);
}

/// Several processes over interleaved seeds, and their results as one.
fn crew(read: &Arguments) -> std::io::Result<Tally> {
    let share = |total: u64| total.div_ceil(read.jobs).to_string();
    let start = |k: u64| {
        let mut command = Command::new(std::env::current_exe()?);
        let mut give = |flag: &str, value: String| {
            command.args([flag, &value]);
        };
        give("--seed", (read.seed + k).to_string());
        give("--every", read.jobs.to_string());
        if let Some(minutes) = read.minutes {
            give("--minutes", minutes.to_string());
        } else {
            give("--steps", share(read.steps.unwrap_or(100_000)));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    };
    let mut children: Vec<Child> = (0..read.jobs).map(start).collect::<Result<_, _>>()?;
    let (send, receive) = std::sync::mpsc::channel::<(usize, String)>();
    for (k, child) in children.iter_mut().enumerate() {
        let (send, out) = (send.clone(), child.stdout.take().expect("a pipe was asked for"));
        std::thread::spawn(move || {
            let mut lines = String::new();
            for line in std::io::BufRead::lines(std::io::BufReader::new(out)).map_while(Result::ok) {
                if line == "---" {
                    let _ = send.send((k, std::mem::take(&mut lines)));
                } else {
                    lines = lines + &line + "\n";
                }
            }
        });
    }
    drop(send);
    let mut latest = vec![String::new(); children.len()];
    let merged = |latest: &[String]| {
        let mut tally = Tally::new();
        latest.iter().for_each(|saved| tally.merge(saved));
        tally
    };
    let mut told = Instant::now();
    loop {
        match receive.recv_timeout(Duration::from_millis(200)) {
            Ok((k, saved)) => latest[k] = saved,
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => break,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
        }
        if END.load(Relaxed) {
            // The end of their input ends them.
            children.iter_mut().for_each(|child| drop(child.stdin.take()));
        }
        if told.elapsed() > Duration::from_secs(20) {
            told = Instant::now();
            let tally = merged(&latest);
            eprintln!("{}", tally.line());
            if let Some(out) = &read.out {
                let _ = write(out, &tally.text(read.seed));
            }
        }
    }
    for mut child in children {
        child.wait()?;
    }
    Ok(merged(&latest))
}

/// Fires bullets at plates. Returns the exit code.
fn fire(read: &Arguments, count: u64) -> u8 {
    let pairs = shots::pairs();
    let numbers = read.only.map_or(0..count, |one| one..one + 1);
    if let Some(number) = read.only {
        let pair = &pairs[number as usize % pairs.len()];
        println!("{} against {}", pair.bullet, pair.plate);
        shots::fire(pair, number, read.seed, true, |line| println!("{line}"));
    }
    let begin = Instant::now();
    let outcomes = shots::volley(&pairs, numbers.clone(), read.seed, read.jobs as usize, true);
    let (table, fine) = shots::report(&pairs, numbers.start, &outcomes);
    let seconds = begin.elapsed().as_secs_f64();
    let count = outcomes.len();
    let text =
        format!("{count} shots at {} m/s, seed {}, {seconds:.0} s\n\n{table}", shots::SPEED, read.seed);
    match &read.out {
        Some(out) => {
            if let Err(error) = write(out, &text) {
                eprintln!("{out}: {error}");
                return 1;
            }
        }
        None => print!("{text}"),
    }
    u8::from(!fine)
}

/// Lets piles fall. Returns the exit code.
fn fall(read: &Arguments, piles: u64) -> u8 {
    let numbers: Vec<u64> = read.only.map_or(0..piles * piles::RUNS, |one| one..one + 1).collect();
    let journal = read.out.as_ref().filter(|_| read.only.is_none()).map(|out| format!("{out}.runs"));
    let end = || END.load(Relaxed);
    let outcome = piles::runs(&numbers, read.jobs, journal.as_deref(), read.only.is_some(), &end);
    let (text, fine) = match outcome {
        Ok(outcomes) => outcomes.report(),
        Err(error) => {
            eprintln!("{}: {error}", journal.unwrap_or_default());
            return 1;
        }
    };
    match &read.out {
        Some(out) => {
            if let Err(error) = write(out, &format!("{piles} piles\n{text}")) {
                eprintln!("{out}: {error}");
                return 1;
            }
        }
        None => print!("{text}"),
    }
    u8::from(!fine)
}

fn main() -> std::process::ExitCode {
    let read = match arguments(std::env::args().skip(1)) {
        Ok(Some(read)) => read,
        Ok(None) => {
            println!("{USAGE}");
            return 0.into();
        }
        Err(message) => {
            eprintln!("{message}; {USAGE}");
            return 2.into();
        }
    };
    // Those among several get the signal, too, and leave it to the one that started them.
    let _ = ctrlc::set_handler({
        let alone = read.every.is_none();
        move || END.fetch_or(alone, Relaxed).then_some(()).map_or((), |()| std::process::exit(130))
    });
    if let Some(count) = read.shots {
        return fire(&read, count).into();
    }
    if let Some(count) = read.piles {
        return fall(&read, count).into();
    }
    if read.every.is_some() {
        worker(&read);
        return 0.into();
    }
    let tally = if read.jobs > 1 && read.only.is_none() {
        match crew(&read) {
            Ok(tally) => tally,
            Err(error) => {
                eprintln!("{error}");
                return 1.into();
            }
        }
    } else {
        scenes(&read, |tally| {
            eprintln!("{}", tally.line());
            if let Some(out) = &read.out {
                let _ = write(out, &tally.text(read.seed));
            }
        })
    };
    let text = tally.text(read.seed);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Option<Arguments>, String> {
        arguments(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_command_line_is_read() {
        let read = of("--minutes 1.5 --jobs 2 --seed 9 --out report.md").unwrap().unwrap();
        assert_eq!((read.minutes, read.jobs, read.seed), (Some(1.5), 2, 9));
        assert_eq!(of("").unwrap().unwrap(), Arguments { seed: 1, jobs: 1, ..Arguments::default() });
        assert_eq!(of("--help"), Ok(None));
        assert_eq!(of("--seed 3 -h"), Ok(None));
    }

    #[test]
    fn what_would_be_dropped_or_do_nothing_is_refused() {
        for value in ["-1", "0", "inf", "nan", "abc"] {
            let refused = of(&format!("--minutes {value}")).unwrap_err();
            assert!(refused.contains("--minutes") && refused.contains(value), "{refused}");
        }
        for line in [
            "--foo",
            "--foo 1",
            "--minutes",
            "--steps 0",
            "--steps 1.5",
            "--jobs 0",
            "--seed -1",
            "--shots 2 --steps 3",
            "--piles 2 --shots 3",
        ] {
            assert!(of(line).is_err(), "{line}");
        }
    }
}
