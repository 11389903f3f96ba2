//! Findings of a run.

use crate::machine;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Kinds of findings, in the order of the report.
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
            Self::Lost => "scenes that ended in an error after a link turned more than 0.2 rad in a step",
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
    /// Number of scenes by content.
    pub kinds: BTreeMap<String, u64>,
    /// Scenes whose bodies move further than 5 cm a step at some time: they can pass through thinner bodies.
    pub fast: u64,
    /// Scenes whose bodies rotate so far in a step that their energy is not conserved.
    pub unresolved: u64,
    /// Scenes in which the paths of tendons added more than one per cent of energy.
    pub crooked: u64,
    /// Scenes in which the discretisation of the motion added more than one per cent of energy.
    pub carried: u64,
    pub at_rest: u64,
    pub slowest: f64,
    /// Processor time, s.
    pub computed: f64,
    found: BTreeMap<Finding, (u64, Vec<String>)>,
    /// Memory held, MiB, after minutes of processor time, by process.
    memory: Vec<Vec<(f64, f64)>>,
}

/// Numbers by name.
type Named<'a, T, const N: usize> = [(&'static str, &'a mut T); N];

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
            crooked: 0,
            carried: 0,
            at_rest: 0,
            slowest: 0.0,
            computed: 0.0,
            found: BTreeMap::new(),
            memory: Vec::new(),
        }
    }

    /// Counts a finding. `text` describes the scene and the observation.
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

    pub fn remember_memory(&mut self) {
        let sample = (self.computed / 60.0, machine::resident());
        if self.memory.is_empty() {
            self.memory.push(Vec::new());
        }
        self.memory[0].push(sample);
    }

    /// Most memory held in the last quarter of the run next to the second, (before, after) MiB, of the process that grew
    /// most.
    fn growth(&self) -> Option<(f64, f64)> {
        let most = |part: &[(f64, f64)]| part.iter().map(|m| m.1).fold(0.0, f64::max);
        let grown = |all: &Vec<(f64, f64)>| {
            let n = all.len();
            (n >= 8).then(|| (most(&all[n / 4..n / 2]), most(&all[3 * n / 4..])))
        };
        self.memory.iter().filter_map(grown).max_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)))
    }

    fn grows(&self) -> bool {
        self.growth().is_some_and(|(before, after)| after > 1.2 * before + 16.0)
    }

    /// Progress of the run.
    pub fn line(&self) -> String {
        let count = |finding| self.found.get(&finding).map_or(0, |f: &(u64, _)| f.0);
        let held = self.memory.iter().filter_map(|m| m.last()).fold(0.0, |sum, m| sum + m.1);
        format!(
            "{:.1} CPU minutes: {} scenes, {} steps, {} unconverged, {} not finite, {} without cause, {} deep, {held:.0} MiB",
            self.computed / 60.0,
            self.scenes,
            self.steps,
            count(Finding::Unconverged),
            count(Finding::NotFinite),
            count(Finding::WithoutCause),
            count(Finding::Deep),
        )
    }

    /// The sums, counts and maxima, by name.
    fn numbers(&mut self) -> (Named<'_, u64, 11>, Named<'_, u64, 1>, Named<'_, f64, 3>) {
        (
            [
                ("scenes", &mut self.scenes),
                ("steps", &mut self.steps),
                ("points", &mut self.points),
                ("faces", &mut self.faces),
                ("iterations", &mut self.iterations),
                ("rounded", &mut self.rounded),
                ("fast", &mut self.fast),
                ("unresolved", &mut self.unresolved),
                ("crooked", &mut self.crooked),
                ("carried", &mut self.carried),
                ("at_rest", &mut self.at_rest),
            ],
            [("most_iterations", &mut self.most_iterations)],
            [
                ("worst_rounded", &mut self.worst_rounded),
                ("worst_residual", &mut self.worst_residual),
                ("slowest", &mut self.slowest),
            ],
        )
    }

    /// The report as lines, for the process that merges the results.
    pub fn save(&mut self) -> String {
        let mut text = String::new();
        let (sums, most, largest) = self.numbers();
        for (name, value) in sums.into_iter().chain(most) {
            let _ = writeln!(text, "{name}\t{value}");
        }
        for (name, value) in largest {
            let _ = writeln!(text, "{name}\t{value:e}");
        }
        let _ = writeln!(text, "computed\t{:e}", self.computed);
        for (kind, count) in &self.kinds {
            let _ = writeln!(text, "kind\t{count}\t{kind}");
        }
        for (minutes, held) in self.memory.iter().flatten() {
            let _ = writeln!(text, "memory\t{minutes:e}\t{held:e}");
        }
        for (finding, (count, examples)) in &self.found {
            let at = Finding::ALL.iter().position(|f| f == finding).unwrap_or(0);
            let _ = writeln!(text, "found\t{at}\t{count}");
            for example in examples {
                let _ = writeln!(text, "example\t{at}\t{}", example.replace(['\n', '\t'], " "));
            }
        }
        text
    }

    /// Adds the results of another process.
    pub fn merge(&mut self, saved: &str) {
        let mut memory = Vec::new();
        for line in saved.lines() {
            let mut words = line.split('\t');
            let (Some(name), Some(first)) = (words.next(), words.next()) else { continue };
            let second = words.next().unwrap_or("");
            let (whole, real) = (first.parse::<u64>().unwrap_or(0), first.parse::<f64>().unwrap_or(0.0));
            let finding = Finding::ALL.get(whole as usize).copied();
            match (name, finding) {
                ("computed", _) => self.computed += real,
                ("kind", _) => *self.kinds.entry(second.into()).or_default() += whole,
                ("memory", _) => memory.push((real, second.parse().unwrap_or(0.0))),
                ("found", Some(f)) => {
                    self.found.entry(f).or_default().0 += second.parse::<u64>().unwrap_or(0)
                }
                ("example", Some(f)) => self.found.entry(f).or_default().1.push(second.into()),
                _ => {
                    let (sums, most, largest) = self.numbers();
                    sums.into_iter().filter(|n| n.0 == name).for_each(|n| *n.1 += whole);
                    most.into_iter().filter(|n| n.0 == name).for_each(|n| *n.1 = whole.max(*n.1));
                    largest.into_iter().filter(|n| n.0 == name).for_each(|n| *n.1 = real.max(*n.1));
                }
            }
        }
        self.memory.push(memory);
        for (_, examples) in self.found.values_mut() {
            examples.sort_unstable();
            examples.truncate(EXAMPLES);
        }
    }

    /// The tables of `docs/soak.md`.
    pub fn text(&self, first: u64) -> String {
        let mut text = String::new();
        let processes = self.memory.len().max(1);
        let _ = writeln!(
            text,
            "{} scenes from seed {first} on, in {:.0} minutes of processor time, {processes} {} at a time.\n",
            self.scenes,
            self.computed / 60.0,
            if processes == 1 { "process" } else { "processes" },
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
                "scenes with a link that turned more than 0.2 rad in a step, followed up to there",
                self.unresolved,
            ),
            (
                "scenes in which paths of tendons that are not straight gave more than one per cent",
                self.crooked,
            ),
            ("scenes in which the motion itself gave more than one per cent of the energy", self.carried),
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
        let ends = self.memory.iter().filter_map(|m| Some((m.first()?.1, m.last()?.1)));
        if let Some((begin, end)) = ends.max_by(|a, b| a.1.total_cmp(&b.1)) {
            let _ = writeln!(
                text,
                "| memory a process held at its beginning and end, MiB | {begin:.0}, {end:.0} |"
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
