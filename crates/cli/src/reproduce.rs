//! `stiction reproduce`: run reproductions, print their checks and write their files.

use crate::failure::{Failure, print, print_json};
use crate::hint::hint;
use crate::outlet;
use clap::Args;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Instant;
use stiction_reproduce::ledger::{self, unlisted};
use stiction_reproduce::{ALL, Outcome, Reproduction, Study, page};

/// Arguments of `stiction reproduce`.
#[derive(Args)]
pub struct ReproduceArguments {
    /// Name of the reproduction [default: list all]
    #[arg(conflicts_with = "all")]
    name: Option<String>,
    /// Run all reproductions
    #[arg(long)]
    all: bool,
    /// Print JSON: the name and its checks, or a list of these with --all
    #[arg(long)]
    json: bool,
    /// Write figures (SVG, PNG), series (CSV), recordings (HTML) and a Markdown section to this folder
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Print the ledger: every statement of the papers and what shows it
    #[arg(long, conflicts_with_all = ["all", "name", "json", "docs"])]
    ledger: bool,
    /// Fewer and coarser runs; checks that need more are left out, and named
    #[arg(long)]
    quick: bool,
    /// Also write the book's page DIR/reproduce.md and its figures; needs --all
    #[arg(long, value_name = "DIR", requires = "all", conflicts_with = "quick")]
    docs: Option<PathBuf>,
}

/// Runs reproductions; fails if a check fails.
pub fn reproduce(arguments: &ReproduceArguments) -> Result<(), Failure> {
    if arguments.ledger {
        return print(&ledger::contents());
    }
    let chosen: Vec<&Reproduction> = match &arguments.name {
        _ if arguments.all => ALL.to_vec(),
        None => return list(arguments.json),
        Some(name) => match ALL.iter().find(|r| r.name == name) {
            Some(found) => vec![found],
            None => {
                let names: Vec<&str> = ALL.iter().map(|r| r.name).collect();
                let (hint, names) = (hint(name, names.iter().copied()), names.join(", "));
                let message = format!("no reproduction is called \"{name}\"{hint}; there are {names}");
                return Err(Failure::input(message));
            }
        },
    };
    outlet::folder(&arguments.out, "--out")?;
    if let Some(docs) = &arguments.docs {
        outlet::folder(docs, "--docs")?;
    }
    let (mut json, mut sections, mut failed) = (Vec::new(), String::new(), Vec::new());
    let mut outcomes: Vec<(&'static str, Outcome)> = Vec::new();
    for reproduction in chosen {
        let begin = Instant::now();
        let study = Study { name: reproduction.name, quick: arguments.quick, folder: arguments.out.clone() };
        let outcome = (reproduction.run)(&study).map_err(Failure::work)?;
        eprintln!("{}: done in {:.1} s", reproduction.name, begin.elapsed().as_secs_f64());
        // Printed before it is written: the disk may be full.
        if !arguments.json {
            print(&outcome.text(reproduction))?;
        }
        outcome.write(reproduction, &arguments.out).map_err(Failure::work)?;
        if let Some(docs) = &arguments.docs {
            outcome.write_pngs(&docs.join("figures")).map_err(Failure::work)?;
        }
        sections += &outcome.markdown(reproduction, "figures/");
        json.push(outcome.json(reproduction));
        failed.extend(outcome.failed().map(|check| format!("{}: {}", reproduction.name, check.metric)));
        let unlisted = unlisted(reproduction.name, &outcome);
        failed.extend(
            unlisted.iter().map(|m| format!("{}: {m} (the ledger does not have it)", reproduction.name)),
        );
        outcomes.push((reproduction.name, outcome));
    }
    let results: Vec<_> = outcomes.iter().map(|(name, outcome)| (*name, outcome)).collect();
    if arguments.json {
        let value = if arguments.all { Value::Array(json) } else { json.remove(0) };
        print_json(&value)?;
    } else {
        print(&ledger::text(&results, arguments.quick))?;
        eprintln!("figures, series and a report are in {}", arguments.out.display());
    }
    if let Some(docs) = &arguments.docs {
        outlet::write(
            &docs.join("reproduce.md"),
            page(&ledger::markdown(&results, arguments.quick), &sections).as_bytes(),
            "--docs",
        )?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::work(format!("{} not met: {}", count(failed.len()), failed.join("; "))))
    }
}

fn count(checks: usize) -> String {
    if checks == 1 { "1 check is".into() } else { format!("{checks} checks are") }
}

fn list(json: bool) -> Result<(), Failure> {
    if json {
        let all = ALL.iter().map(|r| serde_json::json!({ "name": r.name, "summary": r.summary }));
        return print_json(&Value::Array(all.collect()));
    }
    print(&ALL.iter().map(|r| format!("{:<16} {}\n", r.name, r.summary)).collect::<String>())
}
