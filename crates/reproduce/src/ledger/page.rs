//! The ledger in words.

use super::{Evidence, PAPERS, Results, Statement, Verdict, matches};
use crate::report::{Check, Standing, number};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Verdicts of the reproductions that were run, with counts, for the terminal.
pub fn text(results: &Results, quick: bool) -> String {
    let mut text = String::from("ledger\n");
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for paper in &PAPERS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {}: {}", paper.name, paper.title);
        for s in paper.statements {
            let verdict = s.verdict(results, quick);
            *counts.entry(verdict).or_default() += 1;
            if verdict == Verdict::NotRun {
                continue;
            }
            let _ = writeln!(text, "    {:<28} {:<28} {} ({})", s.id, verdict.name(), s.words, s.place);
            for check in with_standing(s, results, |standing| standing != Standing::Holds) {
                let _ = writeln!(text, "      {}", difference(check));
            }
            if let Evidence::NotApplicable(why) | Evidence::Open(why) = s.evidence {
                let _ = writeln!(text, "      {why}");
            }
        }
    }
    let counted: Vec<String> = counts.iter().map(|(v, n)| format!("{n} {}", v.name())).collect();
    let _ = writeln!(text, "  {} statements: {}", counts.values().sum::<usize>(), counted.join(", "));
    text
}

/// The ledger as a section of the book.
pub fn markdown(results: &Results, quick: bool) -> String {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut tables = String::new();
    for paper in &PAPERS {
        // Writing to a string cannot fail.
        let _ = write!(
            tables,
            "### {}\n\n*{}*\n\n| statement | place | what it says | shown by | bound, and where it comes from | verdict |\n|---|---|---|---|---|---|\n",
            paper.name, paper.title
        );
        for s in paper.statements {
            let verdict = s.verdict(results, quick);
            *counts.entry(verdict).or_default() += 1;
            let (by, bound) = match s.evidence {
                Evidence::Checks { of, bound, .. } => (format!("[`{of}`](#{of})"), bound),
                Evidence::Tests { file, names, bound } => {
                    let names: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
                    (format!("`{file}`: {}", names.join(", ")), bound)
                }
                Evidence::NotApplicable(_) | Evidence::Open(_) => ("–".into(), "–"),
            };
            let mut verdict = match verdict {
                Verdict::Differs | Verdict::Fails | Verdict::Open => format!("**{}**", verdict.name()),
                other => other.name().to_string(),
            };
            for check in with_standing(s, results, |standing| standing != Standing::Holds) {
                let _ = write!(verdict, "; {}", difference(check));
            }
            if let Evidence::NotApplicable(why) | Evidence::Open(why) = s.evidence {
                let _ = write!(verdict, ": {why}");
            }
            let words = s.words.replace('|', "\\|");
            let row = [
                s.id.to_string(),
                s.place.to_string(),
                words,
                by,
                bound.to_string(),
                verdict.replace('|', "\\|"),
            ];
            let _ = writeln!(tables, "| {} |", row.join(" | "));
        }
        tables.push('\n');
    }
    let counted: Vec<String> = counts.iter().map(|(v, n)| format!("{n} {}", v.name())).collect();
    format!(
        "## The ledger\n\nEvery statement of the five papers that can be checked, and every figure, table and theorem with a number. \
         *Differs* is not a failure: it says what came out here, what the paper has, and why. *Open* is what is not checked yet. \
         `stiction reproduce --all` prints the ledger, `stiction reproduce --ledger` what it consists of. Which checks notice \
         which error of the physics is in [mutations.md](mutations.md).\n\n{} statements: {}.\n\n{tables}",
        counts.values().sum::<usize>(),
        counted.join(", ")
    )
}

/// What the ledger consists of, without results.
pub fn contents() -> String {
    let mut text = String::new();
    for paper in &PAPERS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {}", paper.name, paper.title);
        for s in paper.statements {
            let _ = writeln!(text, "  {:<28} {}: {}", s.id, s.place, s.words);
            let _ = match s.evidence {
                Evidence::Checks { of, bound, .. } => {
                    writeln!(text, "      stiction reproduce {of}; bound: {bound}")
                }
                Evidence::Tests { file, names, bound } => {
                    writeln!(text, "      {file}: {}; bound: {bound}", names.join(", "))
                }
                Evidence::NotApplicable(why) => writeln!(text, "      not applicable: {why}"),
                Evidence::Open(why) => writeln!(text, "      open: {why}"),
            };
        }
    }
    text
}

/// Checks of a statement whose standing fits.
fn with_standing<'a>(
    s: &Statement,
    results: &Results<'a>,
    wanted: impl Fn(Standing) -> bool,
) -> Vec<&'a Check> {
    let Evidence::Checks { of, metrics, .. } = s.evidence else { return Vec::new() };
    let Some((_, outcome)) = results.iter().find(|(name, _)| *name == of) else { return Vec::new() };
    let named = outcome.checks.iter().filter(|c| metrics.iter().any(|m| matches(m, &c.metric)));
    named.filter(|c| wanted(c.standing())).collect()
}

/// Our number, the paper's, and the reason.
fn difference(check: &Check) -> String {
    let reason = check.reason.as_deref().unwrap_or("no reason is known");
    format!("{}: {}, the paper {}; {reason}", check.metric, number(check.value), check.wanted())
}
