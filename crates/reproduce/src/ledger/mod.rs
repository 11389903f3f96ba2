//! The ledger: every statement of the five papers that can be checked, what checks it, and what came out.
//!
//! ```text
//! Statement   identifier, place in the paper, its words in short, evidence
//! Evidence    checks of a reproduction (by name, `*` for anything), or tests of the test run, with where the bound comes from;
//!             or why there is none: not applicable, or open
//! Verdict     holds as published, differs (with a measured reason), fails, left out (by --quick), not run
//! ```
//!
//! | file | paper |
//! |---|---|
//! | `icf.rs` | A Theory of Irrotational Contact Fields |
//! | `vlp.rs` | Velocity Level Approximation of Pressure Field Contact Patches |
//! | `pfc.rs` | Pressure Field Contact |
//! | `mfi.rs` | Modeling and Analysis of Non-unique Behaviors in Multiple Frictional Impacts |
//! | `dac.rs` | Data-Augmented Contact Model for Rigid Body Simulation |
//! | `own.rs` | checks that are no statement of a paper |
//! | `page.rs` | the ledger in words, for the terminal and the book |

mod dac;
mod icf;
mod mfi;
mod own;
mod page;
mod pfc;
mod vlp;

pub use page::{contents, markdown, text};

use crate::report::{Outcome, Standing};

/// What a paper says.
pub struct Statement {
    /// Its name: the paper, the place, a letter.
    pub id: &'static str,
    /// Where it stands, without the paper.
    pub place: &'static str,
    /// Its words in short.
    pub words: &'static str,
    /// What shows it.
    pub evidence: Evidence,
}

/// What shows a statement.
pub enum Evidence {
    /// Checks of a reproduction.
    Checks {
        /// The reproduction's name.
        of: &'static str,
        /// Names of its checks; `*` stands for any characters.
        metrics: &'static [&'static str],
        /// Where their bounds come from.
        bound: &'static str,
    },
    /// Tests of the test run.
    Tests {
        /// The file, from the root of the repository.
        file: &'static str,
        /// The functions.
        names: &'static [&'static str],
        /// Where their bounds come from.
        bound: &'static str,
    },
    /// It cannot be checked here, and why.
    NotApplicable(&'static str),
    /// It could be checked and is not, and what is missing.
    Open(&'static str),
}

/// A statement shown by checks.
const fn checks(
    id: &'static str,
    place: &'static str,
    words: &'static str,
    of: &'static str,
    metrics: &'static [&'static str],
    bound: &'static str,
) -> Statement {
    Statement { id, place, words, evidence: Evidence::Checks { of, metrics, bound } }
}

/// A statement shown by tests.
const fn tests(
    id: &'static str,
    place: &'static str,
    words: &'static str,
    file: &'static str,
    names: &'static [&'static str],
    bound: &'static str,
) -> Statement {
    Statement { id, place, words, evidence: Evidence::Tests { file, names, bound } }
}

/// A statement that cannot be checked here.
const fn not(id: &'static str, place: &'static str, words: &'static str, why: &'static str) -> Statement {
    Statement { id, place, words, evidence: Evidence::NotApplicable(why) }
}

/// A statement that is not checked.
const fn open(
    id: &'static str,
    place: &'static str,
    words: &'static str,
    missing: &'static str,
) -> Statement {
    Statement { id, place, words, evidence: Evidence::Open(missing) }
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// As the paper says.
    Holds,
    /// By tests of the test run.
    Tested,
    /// Not as the paper says, for a reason that was measured.
    Differs,
    /// Not checked in a quick run.
    LeftOut,
    /// Not as the paper says, without a reason.
    Fails,
    /// The reproduction was not run.
    NotRun,
    /// Cannot be checked here.
    NotApplicable,
    /// Not checked.
    Open,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds as published",
            Self::Tested => "holds as published (by tests)",
            Self::Differs => "differs",
            Self::Fails => "FAILS",
            Self::LeftOut => "left out by --quick",
            Self::NotRun => "not run",
            Self::NotApplicable => "not applicable",
            Self::Open => "open",
        }
    }
}

/// A paper and its statements.
pub struct Paper {
    /// Short name.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// In the order of the paper.
    pub statements: &'static [Statement],
}

/// The five papers.
pub const PAPERS: [Paper; 5] = [
    Paper { name: "ICF", title: "A Theory of Irrotational Contact Fields", statements: icf::STATEMENTS },
    Paper {
        name: "VLP",
        title: "Velocity Level Approximation of Pressure Field Contact Patches",
        statements: vlp::STATEMENTS,
    },
    Paper { name: "PFC", title: "Pressure Field Contact", statements: pfc::STATEMENTS },
    Paper {
        name: "MFI",
        title: "Modeling and Analysis of Non-unique Behaviors in Multiple Frictional Impacts",
        statements: mfi::STATEMENTS,
    },
    Paper {
        name: "DAC",
        title: "Data-Augmented Contact Model for Rigid Body Simulation",
        statements: dac::STATEMENTS,
    },
];

/// What reproductions gave, by name.
pub type Results<'a> = [(&'static str, &'a Outcome)];

impl Statement {
    /// What came out for it.
    pub fn verdict(&self, results: &Results, quick: bool) -> Verdict {
        let (of, metrics) = match self.evidence {
            Evidence::Checks { of, metrics, .. } => (of, metrics),
            Evidence::Tests { .. } => return Verdict::Tested,
            Evidence::NotApplicable(_) => return Verdict::NotApplicable,
            Evidence::Open(_) => return Verdict::Open,
        };
        let Some((_, outcome)) = results.iter().find(|(name, _)| *name == of) else { return Verdict::NotRun };
        let mut verdict = None;
        for pattern in metrics {
            let mut found = false;
            for check in outcome.checks.iter().filter(|c| matches(pattern, &c.metric)) {
                found = true;
                let own = match check.standing() {
                    Standing::Holds => Verdict::Holds,
                    Standing::Differs => Verdict::Differs,
                    Standing::Fails => Verdict::Fails,
                };
                verdict = verdict.max(Some(own));
            }
            if !found {
                verdict = verdict.max(Some(if quick { Verdict::LeftOut } else { Verdict::Fails }));
            }
        }
        verdict.unwrap_or(Verdict::Open)
    }
}

/// Whether a name fits a pattern in which `*` stands for any characters.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
        last = Some(part);
    }
    match last {
        None => rest.is_empty(),
        // The last part must be at the end, of which it may occur earlier too.
        Some(part) => part.is_empty() || name.ends_with(part),
    }
}

/// Identifiers of the statements that a check is evidence for.
pub fn statements_of(reproduction: &str, metric: &str) -> Vec<&'static str> {
    let all = PAPERS.iter().flat_map(|p| p.statements);
    all.filter(|s| match s.evidence {
        Evidence::Checks { of, metrics, .. } => {
            of == reproduction && metrics.iter().any(|m| matches(m, metric))
        }
        _ => false,
    })
    .map(|s| s.id)
    .collect()
}

/// Checks that no statement names and that are not of our own: the ledger would not show them.
pub fn unlisted<'a>(reproduction: &str, outcome: &'a Outcome) -> Vec<&'a str> {
    let metrics = outcome.checks.iter().map(|c| c.metric.as_str());
    metrics.filter(|m| statements_of(reproduction, m).is_empty() && !own::is_own(reproduction, m)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn patterns_fit_what_they_should() {
        assert!(matches("Lagged: *", "Lagged: order"));
        assert!(matches("*order", "Lagged: order"));
        assert!(matches("*: turned*loose*", "coarse: turned in any loose phase"));
        assert!(matches("same", "same"));
        assert!(!matches("same", "same thing") && !matches("*thing", "things") && !matches("a*b", "ac"));
    }

    #[test]
    fn identifiers_are_different_and_begin_with_the_paper() {
        let mut seen = BTreeSet::new();
        for paper in &PAPERS {
            for s in paper.statements {
                assert!(s.id.starts_with(paper.name), "{}", s.id);
                assert!(seen.insert(s.id), "{} is there twice", s.id);
            }
        }
    }

    /// The tests named as evidence exist, and reproductions have the names used here.
    #[test]
    fn evidence_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for s in PAPERS.iter().flat_map(|p| p.statements) {
            match s.evidence {
                Evidence::Checks { of, .. } => {
                    assert!(crate::ALL.iter().any(|r| r.name == of), "{}: no reproduction {of}", s.id);
                }
                Evidence::Tests { file, names, .. } => {
                    let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
                    assert!(!names.is_empty());
                    for name in names {
                        assert!(text.contains(&format!("fn {name}(")), "{}: no test {name} in {file}", s.id);
                    }
                }
                Evidence::NotApplicable(_) | Evidence::Open(_) => {}
            }
        }
    }

    /// Every figure, table and theorem that has a number is in the ledger.
    #[test]
    fn every_numbered_item_of_the_papers_is_listed() {
        let numbered = |prefix: &str, numbers: &[&str]| -> Vec<String> {
            numbers.iter().map(|n| format!("{prefix} {n}")).collect()
        };
        let upto = |n: usize| (1..=n).map(|k| format!("Fig. {k}")).collect::<Vec<_>>();
        let chapter = |c: usize, n: usize| (1..=n).map(|k| format!("Fig. {c}.{k}")).collect::<Vec<_>>();
        let wanted: [(&str, Vec<String>); 5] = [
            ("ICF", [upto(18), numbered("Table", &["I"])].concat()),
            ("VLP", upto(10)),
            (
                "PFC",
                [
                    chapter(2, 1),
                    chapter(4, 13),
                    chapter(5, 6),
                    chapter(6, 5),
                    numbered("Table", &["3.1", "4.1", "6.1"]),
                    numbered("Theorem", &["1"]),
                ]
                .concat(),
            ),
            (
                "MFI",
                [
                    upto(5),
                    numbered("Theorem", &["1", "6", "7", "8", "10", "11"]),
                    numbered("Lemma", &["2", "3", "4", "5", "9"]),
                    numbered("Proposition", &["1"]),
                    numbered("Definition", &["1", "2", "3", "4"]),
                ]
                .concat(),
            ),
            ("DAC", [upto(7), numbered("Algorithm", &["1", "2"])].concat()),
        ];
        for (paper, items) in wanted {
            let Some(found) = PAPERS.iter().find(|p| p.name == paper) else { panic!("no {paper}") };
            for item in items {
                let is_there = found.statements.iter().any(|s| {
                    s.place.split([',', ';']).any(|p| {
                        let p = p.trim();
                        p == item
                            || p.strip_prefix(item.as_str()).is_some_and(|r| {
                                !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.')
                            })
                    })
                });
                assert!(is_there, "{paper} {item} is not in the ledger");
            }
        }
    }
}
