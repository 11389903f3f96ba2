//! Random scenes for as long as asked: does every step converge, does anything go wrong?
//!
//! ```text
//! cargo xtask soak [--minutes N | --steps N] [--jobs N] [--seed S] [--only SEED] [--out FILE]
//! ```
//!
//! A scene is a function of its seed alone; a run takes the seeds S, S + 1, … and says of every finding which seed shows it
//! again (`--only SEED`). With `--jobs N`, N processes take every Nth seed each. Minutes are of processor time, of each
//! process. Ctrl-C or TERM ends a run after the scenes at hand, with its report; a second one at once. `scene` draws a scene,
//! `run` takes its steps and looks, `books` keeps its energy, `report` writes what was found.

mod books;
mod machine;
mod matter;
mod mechanism;
mod random;
mod report;
mod run;
mod scene;

use report::Tally;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: machine::Counting = machine::Counting;

/// Someone wants the run to end: it ends after the scenes at hand, with what it has.
static END: AtomicBool = AtomicBool::new(false);

const USAGE: &str = "usage: soak [--minutes N | --steps N] [--jobs N] [--seed S] [--only SEED] [--out FILE]";

#[derive(Clone, Default)]
struct Arguments {
    minutes: Option<f64>,
    steps: Option<u64>,
    seed: u64,
    only: Option<u64>,
    jobs: u64,
    /// Every how many seeds one is taken; such a process tells its results to the one that started it.
    every: Option<u64>,
    out: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments { seed: 1, jobs: 1, ..Arguments::default() };
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
            "--jobs" => read.jobs = number()?.max(1),
            "--every" => read.every = Some(number()?.max(1)),
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

/// Scenes of this process, until it is told to end or has done enough; `tell` is called every few seconds.
fn scenes(read: &Arguments, mut tell: impl FnMut(&mut Tally)) -> Tally {
    let enough = read.steps.unwrap_or(if read.minutes.is_some() { u64::MAX } else { 100_000 });
    let end = read.minutes.map_or(f64::INFINITY, |m| 60.0 * m);
    let mut tally = Tally::new();
    let mut seed = read.only.unwrap_or(read.seed);
    let (begin, mut told) = (Instant::now(), Instant::now());
    loop {
        // By the clock where the system does not say what a process computes.
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

fn main() -> std::process::ExitCode {
    let read = match arguments() {
        Ok(read) => read,
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
