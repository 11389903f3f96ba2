//! Which checks of the reproductions notice which deliberate error: `cargo xtask mutate-reproductions`.
//!
//! Built with `--cfg stiction_mutation`, this program runs every reproduction in its quick form once as it is and once with each error
//! of [`stiction_base::mutation`], each run in a process of its own, and writes a page. A check that no error changes cannot fail
//! for any of these reasons; the program then ends with 1.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use stiction_base::mutation;
use stiction_reproduce::{ALL, Study};

const IMPACTS: [&str; 6] =
    ["routh-path", "rimless-wheel", "box-wall", "falling-block", "compass-gait", "ball-stack"];
const LEARNED: [&str; 3] = ["tosses", "anisotropic", "articulated-chain"];
/// Longer than any quick run takes, s.
const LIMIT: u64 = 300;

/// Standing of each check by name; none if the run ended in an error.
type Outcome = Option<BTreeMap<String, String>>;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut jobs, mut out, mut only, mut kept) = (1, None, None, None);
    while let Some(arg) = args.next() {
        match (arg.as_str(), args.next()) {
            ("--one", Some(name)) => return one(&name),
            ("--jobs", Some(n)) => jobs = n.parse().unwrap_or(1).max(1),
            ("--out", Some(file)) => out = Some(file),
            ("--only", Some(name)) => only = Some(name),
            ("--results", Some(file)) => kept = Some(file),
            _ => {
                eprintln!("usage: mutate [--jobs N] [--out FILE] [--results FILE] [--only REPRODUCTION]");
                return ExitCode::from(2);
            }
        }
    }
    if !mutation::possible() && kept.is_none() {
        eprintln!(
            "this program was built without --cfg stiction_mutation: use cargo xtask mutate-reproductions"
        );
        return ExitCode::from(2);
    }
    let done = kept.as_deref().map(load).unwrap_or_default();
    let names: Vec<&str> =
        ALL.iter().map(|r| r.name).filter(|name| only.as_deref().is_none_or(|only| only == *name)).collect();
    let mutations = std::iter::once("").chain(mutation::ALL.iter().map(|(name, _)| *name));
    let mut work: Vec<(&str, &str)> = mutations
        .flat_map(|m| names.iter().filter(move |name| concerns(m, name)).map(move |name| (m, *name)))
        .collect();
    let mut results = BTreeMap::new();
    work.retain(|&(mutation, name)| match done.get(&key(mutation, name)) {
        Some(outcome) => {
            results.insert((mutation, name), outcome.clone());
            false
        }
        // Without the errors built in, the page is made of the results that are there.
        None => mutation::possible(),
    });
    results.extend(run_all(&work, jobs));
    if let Some(file) = &kept
        && let Err(error) = std::fs::write(file, save(&results))
    {
        eprintln!("cannot write {file}: {error}");
        return ExitCode::from(1);
    }
    let (page, unnoticed) = page(&names, &results);
    match &out {
        None => print!("{page}"),
        Some(file) => {
            if let Err(error) = std::fs::write(file, &page) {
                eprintln!("cannot write {file}: {error}");
                return ExitCode::from(1);
            }
        }
    }
    eprintln!("{unnoticed} checks notice no error");
    ExitCode::from(u8::from(unnoticed > 0))
}

fn key(mutation: &str, name: &str) -> String {
    format!("{mutation}|{name}")
}

/// Results of an earlier run that was cut short; none if there is no such file.
fn load(file: &str) -> BTreeMap<String, Outcome> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let saved: Value = serde_json::from_str(&text).unwrap_or_default();
    let pair = |check: &Value| Some((check[0].as_str()?.to_string(), check[1].as_str()?.to_string()));
    let outcome = |checks: &Value| checks.as_array().map(|list| list.iter().filter_map(pair).collect());
    saved.as_object().into_iter().flatten().map(|(k, checks)| (k.clone(), outcome(checks))).collect()
}

fn save(results: &BTreeMap<(&str, &str), Outcome>) -> String {
    let list =
        |checks: &BTreeMap<String, String>| checks.iter().map(|(m, s)| json!([m, s])).collect::<Vec<_>>();
    let all: serde_json::Map<String, Value> =
        results.iter().map(|((m, n), o)| (key(m, n), o.as_ref().map(list).into())).collect();
    Value::Object(all).to_string()
}

/// Whether an error can matter to a reproduction.
fn concerns(mutation: &str, name: &str) -> bool {
    match mutation {
        "" => true,
        "foundations-swapped" | "foundations-turned" => name == "closed-loop",
        "baseline-exact" => name == "tosses",
        m if m.starts_with("impact-") || m.starts_with("outer-") => IMPACTS.contains(&name),
        m if ["classifier", "regressor", "projection", "normal-weak"].iter().any(|p| m.starts_with(p)) => {
            LEARNED.contains(&name)
        }
        _ => !LEARNED.contains(&name) && (!IMPACTS.contains(&name) || name == "falling-block"),
    }
}

/// One reproduction in this process, its checks as JSON.
fn one(name: &str) -> ExitCode {
    let Some(reproduction) = ALL.iter().find(|r| r.name == name) else { return ExitCode::from(2) };
    let folder = std::env::temp_dir().join(format!("stiction-mutate-{}", std::process::id()));
    let study = Study { name: reproduction.name, quick: true, folder: folder.clone() };
    let result = (reproduction.run)(&study);
    let _ = std::fs::remove_dir_all(&folder); // only recordings
    match result {
        Ok(outcome) => {
            println!("{}", json!(outcome.json(reproduction)["checks"]));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}

fn run_all<'a>(work: &[(&'a str, &'a str)], jobs: usize) -> BTreeMap<(&'a str, &'a str), Outcome> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(&(mutation, name)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begin = Instant::now();
                    let outcome = spawn(mutation, name);
                    let end = if outcome.is_some() { "" } else { ", which ends in an error" };
                    eprintln!("{name} {mutation}: {:.1} s{end}", begin.elapsed().as_secs_f64());
                    results.lock().unwrap_or_else(PoisonError::into_inner).insert((mutation, name), outcome);
                }
            });
        }
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(mutation: &str, name: &str) -> Outcome {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .args(["--one", name])
        .env("STICTION_MUTATION", mutation)
        .env("RAYON_NUM_THREADS", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut pipe = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        pipe.read_to_string(&mut text).map(|_| text)
    });
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if begin.elapsed() > Duration::from_secs(LIMIT) => {
                child.kill().ok()?;
                child.wait().ok()?;
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let text = reader.join().ok()?.ok()?;
    if !status.success() {
        return None;
    }
    let checks: Value = serde_json::from_str(&text).ok()?;
    let text = |check: &Value, key: &str| check[key].as_str().map(str::to_string);
    checks.as_array()?.iter().map(|check| Some((text(check, "metric")?, text(check, "standing")?))).collect()
}

/// The page, and the number of checks that hold and notice nothing.
fn page(names: &[&str], results: &BTreeMap<(&str, &str), Outcome>) -> (String, usize) {
    let mut noticed_by: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut sections, mut silent, mut differing, mut stops, mut total) =
        (String::new(), Vec::new(), Vec::new(), Vec::new(), 0);
    let mut unknown = Vec::new();
    for name in names {
        let Some(Some(plain)) = results.get(&("", name)) else {
            unknown.push(format!("`{name}`"));
            continue;
        };
        let left =
            mutation::ALL.iter().filter(|(m, _)| concerns(m, name) && !results.contains_key(&(*m, name)));
        let left: Vec<String> = left.map(|(m, _)| format!("`{m}`")).collect();
        if !left.is_empty() {
            unknown.push(format!("`{name}` under {}", left.join(", ")));
        }
        // Writing to a string cannot fail.
        let _ = write!(sections, "## {name}\n\n| check | errors that it notices |\n|---|---|\n");
        let mut stopped = BTreeSet::new();
        for (metric, standing) in plain {
            let mut by = Vec::new();
            for (mutation, _) in mutation::ALL {
                match results.get(&(*mutation, name)) {
                    Some(Some(checks)) if checks.get(metric) != Some(standing) => {
                        by.push(format!("`{mutation}`"));
                        *noticed_by.entry(mutation).or_default() += 1;
                    }
                    Some(None) => {
                        stopped.insert(*mutation);
                    }
                    _ => {}
                }
            }
            let shown = metric.replace('|', "\\|");
            if standing == "holds" {
                total += 1;
                if by.is_empty() {
                    silent.push(format!("`{name}`: {shown}"));
                }
            } else {
                differing.push(format!("`{name}`: {shown}"));
            }
            let by = if by.is_empty() { "**none**".to_string() } else { by.join(", ") };
            let _ = writeln!(
                sections,
                "| {shown}{} | {by} |",
                if standing == "holds" { "" } else { " (differs)" }
            );
        }
        let _ = writeln!(sections);
        stops.extend(stopped.into_iter().map(|mutation| format!("`{mutation}` ({name})")));
    }
    let list = |title: &str, items: &[String]| {
        let lines: String = items.iter().map(|item| format!("- {item}\n")).collect();
        format!("## {title}\n\n{}\n", if items.is_empty() { "None.\n".into() } else { lines })
    };
    let mut text = format!(
        "<!-- Written by `cargo xtask mutate-reproductions`. -->\n# Which checks notice which error\n\n\
         `cargo xtask mutate-reproductions` builds the program with deliberate errors of the physics, which no release has \
         (`--cfg stiction_mutation`), runs every reproduction in its quick form with each of them, and compares what the \
         checks say with what they say without. A check that notices none of them would hold whatever the program does. \
         An error is tried on the reproductions that it can concern. {total} checks hold without an error; {} of them notice \
         at least one.\n\n| error | what it does | checks that notice it |\n|---|---|---:|\n",
        total - silent.len()
    );
    for (mutation, what) in mutation::ALL {
        let _ = writeln!(text, "| `{mutation}` | {what} | {} |", noticed_by.get(mutation).unwrap_or(&0));
    }
    text.push('\n');
    if !unknown.is_empty() {
        text += &list("Not run", &unknown);
    }
    text += &list("Checks that notice nothing", &silent);
    text += &list("Checks that differ from the paper without an error", &differing);
    text += &list("Errors that end a reproduction with an error message", &stops);
    text += &sections;
    (text.trim_end().to_string() + "\n", silent.len())
}
