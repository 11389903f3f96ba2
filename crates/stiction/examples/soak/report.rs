//! What a run found.

use crate::machine;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// What can be found, in the order of the report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    Panic,
    Refused,
    Unconverged,
    NotFinite,
    Lost,
    Accuracy,
    OtherError,
    Created,
    WithoutCause,
    Gained,
    Deep,
    Sank,
    NotCarried,
    Slow,
    CutShort,
    Leak,
}

impl Finding {
    const ALL: [Self; 16] = [
        Self::Panic,
        Self::Refused,
        Self::Unconverged,
        Self::NotFinite,
        Self::Lost,
        Self::Accuracy,
        Self::OtherError,
        Self::Created,
        Self::WithoutCause,
        Self::Gained,
        Self::Deep,
        Self::Sank,
        Self::NotCarried,
        Self::Slow,
        Self::CutShort,
        Self::Leak,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::Panic => "scenes that ended in a panic",
            Self::Refused => "scenes that were refused",
            Self::Unconverged => "unconverged steps",
            Self::NotFinite => "states that stopped being finite",
            Self::Lost => "scenes that ended in an error after a body turned more than 0.2 rad in a step",
            Self::Accuracy => "scenes whose accuracy could not be reached",
            Self::OtherError => "other errors of steps",
            Self::Created => "steps in which a contact gave energy it had not stored",
            Self::WithoutCause => "scenes that gained energy without a cause",
            Self::Gained => "scenes in which contacts or couplings gave energy they had found",
            Self::Deep => "scenes with contacts deeper than their energy explains",
            Self::Sank => "bodies that sank through the floor",
            Self::NotCarried => "scenes at rest whose weight is not carried",
            Self::Slow => "steps far slower than their scene's others",
            Self::CutShort => "scenes cut short after 20 s",
            Self::Leak => "scenes that left memory behind",
        }
    }

    /// Whether one of them fails the run.
    fn fails(self) -> bool {
        !matches!(self, Self::Gained | Self::Lost | Self::Slow | Self::CutShort | Self::Accuracy)
    }
}

pub struct Tally {
    pub scenes: u64,
    pub steps: u64,
    pub points: u64,
    pub faces: u64,
    pub iterations: u64,
    pub most_iterations: u64,
    pub rounded: u64,
    pub worst_rounded: f64,
    pub worst_residual: f64,
    /// Scenes by what is in them.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Scenes whose bodies move further than 5 cm a step at some time: they can pass through what is thinner.
    pub fast: u64,
    /// Scenes whose bodies turn so far in a step that their energy is not kept.
    pub unresolved: u64,
    pub at_rest: u64,
    pub slowest: f64,
    found: BTreeMap<Finding, (u64, Vec<String>)>,
    memory: Vec<(f64, f64)>,
}

/// Examples kept of each finding.
const EXAMPLES: usize = 12;

impl Tally {
    pub fn new() -> Self {
        Self {
            scenes: 0,
            steps: 0,
            points: 0,
            faces: 0,
            iterations: 0,
            most_iterations: 0,
            rounded: 0,
            worst_rounded: 0.0,
            worst_residual: 0.0,
            kinds: BTreeMap::new(),
            fast: 0,
            unresolved: 0,
            at_rest: 0,
            slowest: 0.0,
            found: BTreeMap::new(),
            memory: Vec::new(),
        }
    }

    /// Counts a finding; `text` names the scene and what was seen.
    pub fn note(&mut self, finding: Finding, text: &str) {
        let (count, examples) = self.found.entry(finding).or_default();
        *count += 1;
        if examples.len() < EXAMPLES {
            eprintln!("{}: {text}", finding.words());
            examples.push(text.into());
        }
    }

    /// Counts more of a finding that was noted for its scene.
    pub fn more(&mut self, finding: Finding, count: u64) {
        self.found.entry(finding).or_default().0 += count;
    }

    pub fn failed(&self) -> bool {
        self.found.iter().any(|(finding, (count, _))| finding.fails() && *count > 0) || self.grows()
    }

    pub fn remember_memory(&mut self, after: Duration) {
        self.memory.push((after.as_secs_f64() / 60.0, machine::resident()));
    }

    /// Most memory held in the last quarter of the run next to the second: (before, after) MiB.
    fn growth(&self) -> Option<(f64, f64)> {
        let n = self.memory.len();
        let most = |part: &[(f64, f64)]| part.iter().map(|m| m.1).fold(0.0, f64::max);
        (n >= 8).then(|| (most(&self.memory[n / 4..n / 2]), most(&self.memory[3 * n / 4..])))
    }

    fn grows(&self) -> bool {
        self.growth().is_some_and(|(before, after)| after > 1.2 * before + 16.0)
    }

    /// Where the run is.
    pub fn line(&self, after: Duration) -> String {
        let count = |finding| self.found.get(&finding).map_or(0, |f: &(u64, _)| f.0);
        format!(
            "{:.1} min: {} scenes, {} steps, {} unconverged, {} not finite, {} without cause, {} deep, {:.0} MiB",
            after.as_secs_f64() / 60.0,
            self.scenes,
            self.steps,
            count(Finding::Unconverged),
            count(Finding::NotFinite),
            count(Finding::WithoutCause),
            count(Finding::Deep),
            machine::resident(),
        )
    }

    /// The tables of `docs/soak.md`.
    pub fn text(&self, first: u64, next: u64, after: Duration) -> String {
        let mut text = String::new();
        let minutes = after.as_secs_f64() / 60.0;
        let _ = writeln!(
            text,
            "Seeds {first} to {}, {minutes:.0} minutes on one core.\n",
            next.max(first + 1) - 1
        );
        let _ = writeln!(text, "| found | count |\n|---|---:|");
        for finding in Finding::ALL {
            let count = self.found.get(&finding).map_or(0, |f| f.0);
            let _ = writeln!(text, "| {} | {count} |", finding.words());
        }
        let _ = writeln!(text, "\n| of | |\n|---|---:|");
        for (what, count) in [
            ("scenes", self.scenes),
            ("steps", self.steps),
            ("contact points", self.points),
            ("faces of contact patches", self.faces),
            ("Newton iterations", self.iterations),
            ("most iterations in a step", self.most_iterations),
            ("steps that ended by rounding", self.rounded),
            ("scenes with a body that moved more than 5 cm in a step", self.fast),
            (
                "scenes with a body that turned more than 0.2 rad in a step, followed up to there",
                self.unresolved,
            ),
            ("scenes that came to rest on the ground", self.at_rest),
        ] {
            let _ = writeln!(text, "| {what} | {count} |");
        }
        for (what, count) in &self.kinds {
            let _ = writeln!(text, "| scenes with {what} | {count} |");
        }
        for (what, value) in [
            (
                "largest residual of a group of bodies that ended by rounding, of its impulses",
                self.worst_rounded,
            ),
            (
                "largest energy a step gained by the solver's tolerance, of the energies at play",
                self.worst_residual,
            ),
            ("slowest step, s", self.slowest),
        ] {
            let _ = writeln!(text, "| {what} | {value:.1e} |");
        }
        if let (Some(first), Some(last)) = (self.memory.first(), self.memory.last()) {
            let _ = writeln!(
                text,
                "| memory held after {:.0} min and at the end, MiB | {:.0}, {:.0} |",
                first.0, first.1, last.1
            );
        }
        if let Some((before, after)) = self.growth() {
            let _ = writeln!(
                text,
                "| most memory held in the second and the last quarter, MiB | {before:.0}, {after:.0} |"
            );
        }
        for (finding, (count, examples)) in &self.found {
            if *count == 0 {
                continue;
            }
            let words = finding.words();
            let _ = writeln!(text, "\n{}{}:\n", words[..1].to_uppercase(), &words[1..]);
            for example in examples {
                let _ = writeln!(text, "- {example}");
            }
        }
        text
    }
}
