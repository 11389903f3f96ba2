//! Feeds damaged files to a reader: it must answer with a world or an error, within time and memory.
//!
//! `cargo xtask fuzz READER [--minutes N] [--seed S]` runs this program for N minutes of processor time. It starts itself again as a
//! child that works through inputs; a child that panics, overflows its stack, takes more than
//! [`SECONDS`] for one input or more than [`MEMORY`] bytes dies, and the input is kept in `out/fuzz`.

mod arguments;
mod mutate;
mod seeds;

use arguments::Arguments;
use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use stiction_base::counting_allocator::{CountingAllocator, limit_bytes};
use stiction_base::random::{GOLDEN, Random};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Longest processor time for one input, s.
const SECONDS: f64 = 20.0;
/// Most memory for one input, bytes.
const MEMORY: isize = 2 << 30;
/// Inputs of one child.
const BATCH: u64 = 20_000;

fn too_much_memory() {
    eprintln!("fuzz: more than the allowed memory for one input");
    std::process::exit(5);
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Arguments { reader, minutes, seed, batch } = match arguments::read(&args) {
        Ok(Some(read)) => read,
        Ok(None) => {
            println!("{}", arguments::usage());
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}; {}", arguments::usage());
            return ExitCode::from(2);
        }
    };
    if let Some(batch) = batch {
        child(&reader, seed, batch);
        return ExitCode::SUCCESS;
    }
    let (start, mut inputs, mut failures) = (Instant::now(), 0u64, 0u32);
    let current = std::env::temp_dir().join(format!("stiction-fuzz-{reader}-{}", std::process::id()));
    let program = std::env::current_exe().expect("a running program has a path");
    let mut batch = seed.wrapping_mul(1 << 20);
    // Where it is known, processor time counts: a busy machine makes minutes that are not worked.
    let worked = || children_seconds().unwrap_or_else(|| start.elapsed().as_secs_f64());
    let more = || worked() < 60.0 * minutes && start.elapsed().as_secs_f64() < 600.0 * minutes;
    // At least one batch: no input read is no pass.
    while (inputs, failures) == (0, 0) || more() {
        let start_child = || {
            let mut child = Command::new(&program);
            child.args([&reader, "--seed", &seed.to_string(), "--batch", &batch.to_string()]);
            child
        };
        let mut out = start_child().output().expect("the program can start itself");
        if !out.status.success() {
            // The same inputs again, each written down before it is read.
            out = start_child().env("FUZZ_CURRENT", &current).output().expect("the program can start itself");
        }
        batch += 1;
        if out.status.success() {
            inputs += BATCH;
            continue;
        }
        failures += 1;
        let folder = std::path::Path::new("out/fuzz");
        let kept = folder.join(format!("{reader}-{batch}"));
        let saved = std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(&current, &kept).map(|_| ()));
        let what = String::from_utf8_lossy(&out.stderr);
        let line = what.lines().find(|l| l.contains("panicked") || l.contains("fuzz:")).unwrap_or("died");
        println!("{reader}: {line}; input {} ({saved:?})", kept.display());
        if failures >= 20 {
            break;
        }
    }
    std::fs::remove_file(&current).ok();
    let wall = start.elapsed().as_secs_f64() / 60.0;
    match children_seconds() {
        Some(cpu) => println!(
            "{reader}: {inputs} inputs in {:.1} CPU minutes ({wall:.1} minutes), {failures} failures",
            cpu / 60.0
        ),
        None => println!("{reader}: {inputs} inputs in {wall:.1} minutes, {failures} failures"),
    }
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// Processor time of all children that have ended, s: on a busy machine far less than the time that passed. Known on
/// Linux only.
fn children_seconds() -> Option<f64> {
    processor_seconds([16, 17])
}

/// Two fields of `/proc/self/stat` that count ticks of 10 ms, added up, s.
fn processor_seconds(fields: [usize; 2]) -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in brackets come the fields from the third on.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| words.get(field - 3)?.parse::<f64>().ok();
    Some((ticks(fields[0])? + ticks(fields[1])?) / 100.0)
}

/// Works through a batch; any panic ends the process.
fn child(reader: &str, seed: u64, batch: u64) {
    static INPUT: AtomicU64 = AtomicU64::new(0);
    let clock = Instant::now();
    std::thread::spawn(move || {
        let worked = || processor_seconds([14, 15]).unwrap_or_else(|| clock.elapsed().as_secs_f64());
        let (mut input, mut begun) = (0, 0.0);
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let (now, seconds) = (INPUT.load(Ordering::Relaxed), worked());
            if now != input {
                (input, begun) = (now, seconds);
            } else if seconds - begun > SECONDS {
                eprintln!("fuzz: more than {SECONDS} s for one input");
                std::process::exit(3);
            }
        }
    });
    let current = std::env::var_os("FUZZ_CURRENT");
    let pool = seeds::seeds(reader);
    let mut random = Random::new(seed ^ batch.wrapping_mul(GOLDEN));
    let mut work = || {
        for _ in 0..BATCH {
            let input = mutate::damaged(&pool, &mut random);
            if let Some(path) = &current
                && let Ok(mut file) = std::fs::File::create(path)
            {
                file.write_all(&input).ok();
            }
            INPUT.fetch_add(1, Ordering::Relaxed);
            limit_bytes(MEMORY, too_much_memory);
            seeds::read(reader, &input);
            limit_bytes(isize::MAX, too_much_memory);
        }
    };
    // The stack of a thread that users start, not the larger one of the main thread.
    std::thread::scope(|scope| {
        let small = std::thread::Builder::new().stack_size(2 << 20);
        let outcome = small.spawn_scoped(scope, &mut work).expect("a thread starts").join();
        if outcome.is_err() {
            std::process::exit(4);
        }
    });
}
