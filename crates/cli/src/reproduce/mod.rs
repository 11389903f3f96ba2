//! `stiction reproduce`: the papers' tables and figures, regenerated and checked.
//!
//! | open | for |
//! |---|---|
//! | [`report`] | what a reproduction gives: checks, tables, figures; JSON, CSV, Markdown |
//! | [`plot`] | figures in one style, as SVG and PNG |
//! | [`numerics`] | norms, slopes, interpolation |
//! | the other files | one reproduction each, opening with what the paper claims |
//!
//! Papers: VLP is "Velocity Level Approximation of Pressure Field Contact Patches" (Masterjohn, Guoy,
//! Shepherd, Castro), PFC "Pressure Field Contact" (Elandt), ICF "A Theory of Irrotational Contact Fields"
//! (Castro, Han, Masterjohn).

mod closed_loop;
mod clutter;
mod conveyor_belt;
mod falling_sphere;
mod numerics;
mod plot;
mod report;
mod sliding_rod;
mod spinning_disk;
mod table_1;
mod worlds;

use crate::failure::{Failure, print};
use clap::Args;
use report::{Outcome, Study};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Arguments of `stiction reproduce`.
#[derive(Args)]
pub struct ReproduceArguments {
    /// Which one; without a name, all are listed
    #[arg(conflicts_with = "all")]
    name: Option<String>,
    /// All of them
    #[arg(long)]
    all: bool,
    /// Print JSON: the name and its checks, or a list of these with --all
    #[arg(long)]
    json: bool,
    /// Where figures (SVG, PNG), series (CSV) and a Markdown section go
    #[arg(long, value_name = "DIR", default_value = "out/reproduce")]
    out: PathBuf,
    /// Fewer and coarser runs, with the same checks
    #[arg(long)]
    quick: bool,
    /// Also write the book's page DIR/reproduce.md and its figures; needs --all
    #[arg(long, value_name = "DIR", requires = "all", conflicts_with = "quick")]
    docs: Option<PathBuf>,
}

/// One table or figure of a paper, or several that belong together.
pub struct Reproduction {
    /// On the command line.
    pub name: &'static str,
    /// What and from where, in a line.
    pub summary: &'static str,
    /// What the paper claims, as a paragraph of Markdown.
    pub claim: &'static str,
    /// Regenerates and checks it.
    pub run: fn(&Study) -> Result<Outcome, Failure>,
}

const ALL: &[&Reproduction] = &[
    &spinning_disk::REPRODUCTION,
    &closed_loop::REPRODUCTION,
    &conveyor_belt::REPRODUCTION,
    &falling_sphere::REPRODUCTION,
    &sliding_rod::REPRODUCTION,
    &table_1::REPRODUCTION,
    &clutter::REPRODUCTION,
];

/// Runs what was asked for; fails if a check does.
pub fn reproduce(arguments: &ReproduceArguments) -> Result<(), Failure> {
    let chosen: Vec<&Reproduction> = match &arguments.name {
        _ if arguments.all => ALL.to_vec(),
        None => return list(arguments.json),
        Some(name) => match ALL.iter().find(|r| r.name == name) {
            Some(found) => vec![found],
            None => {
                let names: Vec<&str> = ALL.iter().map(|r| r.name).collect();
                let message = format!("no reproduction is called \"{name}\"; there are {}", names.join(", "));
                return Err(Failure::input(message));
            }
        },
    };
    let (mut json, mut sections, mut failed) = (Vec::new(), String::new(), Vec::new());
    for reproduction in chosen {
        let begin = Instant::now();
        let outcome = (reproduction.run)(&Study { name: reproduction.name, quick: arguments.quick })?;
        eprintln!("{}: done in {:.1} s", reproduction.name, begin.elapsed().as_secs_f64());
        outcome.write(reproduction, &arguments.out)?;
        if let Some(docs) = &arguments.docs {
            outcome.write_pngs(&docs.join("figures"))?;
        }
        sections += &outcome.markdown(reproduction, "figures/");
        if !arguments.json {
            print(&outcome.text(reproduction))?;
        }
        json.push(outcome.json(reproduction));
        failed.extend(outcome.failed().map(|check| format!("{}: {}", reproduction.name, check.metric)));
    }
    if arguments.json {
        let value = if arguments.all { Value::Array(json) } else { json.remove(0) };
        print(&(serde_json::to_string_pretty(&value).map_err(Failure::work)? + "\n"))?;
    } else {
        eprintln!("figures, series and a report are in {}", arguments.out.display());
    }
    if let Some(docs) = &arguments.docs {
        write_page(docs, &sections)?;
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
        let text = serde_json::to_string_pretty(&all.collect::<Vec<_>>()).map_err(Failure::work)?;
        return print(&(text + "\n"));
    }
    print(&ALL.iter().map(|r| format!("{:<16} {}\n", r.name, r.summary)).collect::<String>())
}

fn write_page(docs: &Path, sections: &str) -> Result<(), Failure> {
    let contents: String =
        ALL.iter().map(|r| format!("| [`{0}`](#{0}) | {1} |\n", r.name, r.summary)).collect();
    let page = format!(
        "<!-- Written by `stiction reproduce --all --docs docs`. -->\n\
         # The papers' tables and figures, reproduced\n\n\
         `stiction reproduce NAME` regenerates a figure or table of the papers that Stiction implements, \
         compares it with what the paper or theory says, and exits with 1 if a check fails. Figures (SVG, PNG), \
         series (CSV) and a report go to `out/reproduce`, or where `--out` says; `--json` prints the checks; \
         `--all` runs everything, and without a name it lists what there is. This page was written by \
         `stiction reproduce --all --docs docs`.\n\n\
         | name | what |\n|---|---|\n{contents}\n\
         Papers: VLP is *Velocity Level Approximation of Pressure Field Contact Patches* (Masterjohn, Guoy, \
         Shepherd, Castro), PFC is *Pressure Field Contact* (Elandt), ICF is *A Theory of Irrotational Contact \
         Fields* (Castro, Han, Masterjohn).\n\n{}\n",
        sections.trim_end()
    );
    let path = docs.join("reproduce.md");
    std::fs::write(&path, page).map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))
}
