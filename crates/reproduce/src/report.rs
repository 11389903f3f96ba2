//! What a reproduction gives: checks against the paper, series, figures; and their forms.

use crate::Reproduction;
use crate::failure::Failure;
use crate::ledger::statements_of;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction::Simulation;
use stiction_plot::{Figure, to_svg, write_png};
use stiction_viewer::{RecordOptions, Recorded, Recorder};

/// How much to compute, and whom to tell.
pub struct Study {
    /// The reproduction's name.
    pub name: &'static str,
    /// Fewer and coarser runs.
    pub quick: bool,
    /// Where recordings go as they are made; everything else follows when the reproduction is done.
    pub folder: PathBuf,
}

impl Study {
    /// Tells on standard error what is being done.
    pub fn say(&self, what: impl std::fmt::Display) {
        eprintln!("{}: {what}", self.name);
    }

    /// Begins a recording of `simulation` in the folder, `<name>.html`: have it observe every step, finish it, and put what it
    /// returns among [`Outcome::recordings`].
    pub fn record(&self, simulation: &Simulation, name: &str) -> Result<Recorder, Failure> {
        self.record_at(simulation, name, RecordOptions::default().rate)
    }

    /// The same with so many frames a simulated second.
    pub fn record_at(&self, simulation: &Simulation, name: &str, rate: f64) -> Result<Recorder, Failure> {
        let path = self.folder.join(format!("{name}.html"));
        std::fs::create_dir_all(&self.folder)
            .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))?;
        let options = RecordOptions { rate, ..RecordOptions::default() };
        Recorder::create(simulation, name, &[path], &options).map_err(Failure::work)
    }
}

/// How a value is held against the expected one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// |value − expected| ≤ tolerance.
    Within,
    /// value ≤ expected + tolerance.
    AtMost,
    /// value ≥ expected − tolerance.
    AtLeast,
}

/// A number against what the paper or theory says.
pub struct Check {
    /// What was measured, with its unit.
    pub metric: String,
    /// What came out.
    pub value: f64,
    /// What should.
    pub expected: f64,
    /// How far off it may be, in the unit of the value.
    pub tolerance: f64,
    /// How the two are compared.
    pub relation: Relation,
    /// Where the expected number stands.
    pub source: String,
    /// Why it need not hold: a measured reason for a difference from the paper.
    pub reason: Option<String>,
}

/// What a check says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds.
    Holds,
    /// It does not, for a reason that was measured.
    Differs,
    /// It does not.
    Fails,
}

impl Check {
    /// A value that must be within `tolerance` of `expected`.
    pub fn within(
        metric: impl Into<String>,
        value: f64,
        expected: f64,
        tolerance: f64,
        source: &str,
    ) -> Self {
        let (metric, source, relation) = (metric.into(), source.into(), Relation::Within);
        Self { metric, value, expected, tolerance, relation, source, reason: None }
    }

    /// A value that must be `bound` at most.
    pub fn at_most(metric: impl Into<String>, value: f64, bound: f64, source: &str) -> Self {
        Self { relation: Relation::AtMost, ..Self::within(metric, value, bound, 0.0, source) }
    }

    /// A value that must be `bound` at least.
    pub fn at_least(metric: impl Into<String>, value: f64, bound: f64, source: &str) -> Self {
        Self { relation: Relation::AtLeast, ..Self::within(metric, value, bound, 0.0, source) }
    }

    /// Whether it holds; a value that is not a number never does.
    pub fn pass(&self) -> bool {
        let off = self.value - self.expected;
        match self.relation {
            Relation::Within => off.abs() <= self.tolerance,
            Relation::AtMost => off <= self.tolerance,
            Relation::AtLeast => -off <= self.tolerance,
        }
    }

    /// The same check of a published number that we do not reach, with the reason.
    pub fn unless(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Whether it holds, differs for a reason, or fails; a value that is not a number fails.
    pub fn standing(&self) -> Standing {
        match (self.pass(), &self.reason) {
            (true, _) => Standing::Holds,
            (false, Some(_)) if !self.value.is_nan() => Standing::Differs,
            _ => Standing::Fails,
        }
    }

    /// What is expected, in words.
    pub(crate) fn wanted(&self) -> String {
        let expected = number(self.expected);
        match self.relation {
            Relation::Within => format!("{expected} ± {}", number(self.tolerance)),
            Relation::AtMost if self.tolerance > 0.0 => format!("≤ {expected} + {}", number(self.tolerance)),
            Relation::AtLeast if self.tolerance > 0.0 => format!("≥ {expected} − {}", number(self.tolerance)),
            Relation::AtMost => format!("≤ {expected}"),
            Relation::AtLeast => format!("≥ {expected}"),
        }
    }
}

/// Columns of numbers for a CSV file.
pub struct Table {
    /// Name of the file.
    pub name: &'static str,
    /// Heads with units, as `speed_m_per_s`.
    pub columns: Vec<String>,
    /// Rows; an empty cell for a value that is not a number.
    pub rows: Vec<Vec<f64>>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &'static str, columns: &[&str]) -> Self {
        Self { name, columns: columns.iter().map(|c| c.to_string()).collect(), rows: Vec::new() }
    }

    fn csv(&self) -> String {
        let cell = |x: &f64| if x.is_nan() { String::new() } else { format!("{x}") };
        let row = |r: &Vec<f64>| r.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        self.columns.join(",") + "\n" + &self.rows.iter().map(row).collect::<String>()
    }
}

/// All that came out.
#[derive(Default)]
pub struct Outcome {
    /// Numbers against the paper.
    pub checks: Vec<Check>,
    /// Series.
    pub tables: Vec<Table>,
    /// Figures.
    pub figures: Vec<Figure>,
    /// Scenes it was run on, by name, as MJCF; a name with an ending is that of a file they refer to.
    pub scenes: Vec<(&'static str, String)>,
    /// Recordings, which are in the folder already.
    pub recordings: Vec<Recorded>,
    /// What a quick run leaves out.
    pub left_out: Vec<&'static str>,
    /// More for the page, in Markdown: a table of the paper, a remark.
    pub notes: String,
}

impl Outcome {
    /// The checks that fail; differences with a reason do not.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|c| c.standing() == Standing::Fails)
    }

    /// `{name, checks: […]}`; a value that is not finite becomes null.
    pub fn json(&self, reproduction: &Reproduction) -> Value {
        let relation = |r: Relation| match r {
            Relation::Within => "within",
            Relation::AtMost => "at most",
            Relation::AtLeast => "at least",
        };
        let check = |c: &Check| {
            json!({
                "metric": c.metric, "value": c.value, "expected": c.expected, "tolerance": c.tolerance,
                "relation": relation(c.relation), "pass": c.pass(), "source": c.source,
                "standing": match c.standing() {
                    Standing::Holds => "holds",
                    Standing::Differs => "differs",
                    Standing::Fails => "fails",
                },
                "reason": c.reason, "statements": statements_of(reproduction.name, &c.metric),
            })
        };
        let checks: Vec<Value> = self.checks.iter().map(check).collect();
        json!({ "name": reproduction.name, "checks": checks, "left_out": self.left_out })
    }

    /// For the terminal.
    pub fn text(&self, reproduction: &Reproduction) -> String {
        let mut text = format!("{}: {}\n", reproduction.name, reproduction.summary);
        for check in &self.checks {
            let mark = match check.standing() {
                Standing::Holds => "ok  ",
                Standing::Differs => "diff",
                Standing::Fails => "FAIL",
            };
            let (value, wanted) = (number(check.value), check.wanted());
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {mark} {}: {value} ({wanted}; {})", check.metric, check.source);
        }
        for what in &self.left_out {
            let _ = writeln!(text, "  --   left out: {what}");
        }
        for r in &self.recordings {
            let _ = writeln!(
                text,
                "  recording: {} ({} frames, {} kB)",
                r.path.display(),
                r.frames,
                r.bytes / 1000
            );
        }
        text
    }

    /// A section of the book.
    pub fn markdown(&self, reproduction: &Reproduction, figures: &str) -> String {
        let mut text = format!(
            "## {0}\n\n{1}.\n\n```sh\nstiction reproduce {0}\n```\n\n{2}\n\n",
            reproduction.name, reproduction.summary, reproduction.claim
        );
        for figure in &self.figures {
            let _ = writeln!(text, "![{0}]({figures}{1}.png)\n\n*{0}*\n", figure.caption, figure.name);
        }
        if !self.notes.is_empty() {
            let _ = writeln!(text, "{}\n", self.notes.trim_end());
        }
        if !self.recordings.is_empty() {
            let file =
                |r: &Recorded| r.path.file_name().map_or(String::new(), |n| n.to_string_lossy().into());
            let files: Vec<String> = self.recordings.iter().map(|r| format!("`{}`", file(r))).collect();
            let _ = writeln!(text, "Recordings to open in a browser: {}.\n", files.join(", "));
        }
        text += "| measured | value | expected | holds | source |\n|---|---|---|---|---|\n";
        for check in &self.checks {
            let holds = match check.standing() {
                Standing::Holds => "yes".to_string(),
                Standing::Differs => format!("differs: {}", check.reason.as_deref().unwrap_or_default()),
                Standing::Fails => "**no**".to_string(),
            };
            let (value, wanted) = (number(check.value), check.wanted());
            let metric = check.metric.replace('|', "\\|");
            let _ = writeln!(text, "| {metric} | {value} | {wanted} | {holds} | {} |", check.source);
        }
        text + "\n"
    }

    /// Writes figures, series, scenes and the section into `folder`.
    pub fn write(&self, reproduction: &Reproduction, folder: &Path) -> Result<(), Failure> {
        self.write_pngs(folder)?;
        let put = |file: String, text: String| {
            let path = folder.join(file);
            stiction_base::whole_file::write(&path, text.as_ref())
                .map_err(|e| Failure::work(format!("cannot write {}: {e}", path.display())))
        };
        for figure in &self.figures {
            put(format!("{}.svg", figure.name), to_svg(figure))?;
        }
        for table in &self.tables {
            put(format!("{}.csv", table.name), table.csv())?;
        }
        for (name, text) in &self.scenes {
            put(if name.contains('.') { name.to_string() } else { format!("{name}.xml") }, text.clone())?;
        }
        put(format!("{}.md", reproduction.name), self.markdown(reproduction, ""))
    }

    /// Writes the figures as PNG into `folder`.
    pub fn write_pngs(&self, folder: &Path) -> Result<(), Failure> {
        let failure = |path: &Path, e: &dyn std::fmt::Display| {
            Failure::work(format!("cannot write {}: {e}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|e| failure(folder, &e))?;
        for figure in &self.figures {
            let path = folder.join(format!("{}.png", figure.name));
            write_png(figure, &path).map_err(|e| failure(&path, &e))?;
        }
        Ok(())
    }
}

/// A number with four or five digits that count, plain or with a power of ten.
pub fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor() as i32;
    let text = if (-3..5).contains(&magnitude) {
        format!("{x:.*}", (4 - magnitude).max(0) as usize)
    } else {
        let text = format!("{x:.3e}");
        let Some((mantissa, exponent)) = text.split_once('e') else { return text };
        return format!("{}e{exponent}", trim(mantissa));
    };
    trim(&text).to_string()
}

fn trim(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_a_number_passes_no_check() {
        assert!(!Check::within("", f64::NAN, 1.0, 1.0, "").pass());
        assert!(!Check::at_most("", f64::NAN, 1.0, "").pass());
        assert!(!Check::at_least("", f64::NAN, 1.0, "").pass());
        assert!(Check::within("", 1.5, 1.0, 0.5, "").pass() && !Check::within("", 1.6, 1.0, 0.5, "").pass());
    }

    #[test]
    fn numbers_read_well() {
        let cases = [(0.64426, "0.64426"), (1.0, "1"), (-12345.6, "-12346"), (2.5e-7, "2.5e-7"), (0.0, "0")];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }
}
