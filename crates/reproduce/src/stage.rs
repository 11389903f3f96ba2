//! A demonstration on stage: one scene performed by either method, with a controller that reads it between steps, recorded
//! and timed.
//!
//! The discrete method is the convex one with steps of a fixed length, the continuous one Radau with error control (PFC).
//! What counts as time is that of the processor while it runs, so that other work on the machine does not matter: stepping,
//! the controller, copying frames for the recording; not loading, nor writing files, which another thread does.

use crate::failure::Failure;
use crate::report::{Check, Outcome, Study, number};
use crate::worlds::published;
use std::fmt::Write;
use std::time::Instant;
use stiction::{Format, LoadOptions, Method, Model, Options, Simulation, Stats};
use stiction_viewer::{Recorded, Recorder};

/// How time goes on.
#[derive(Clone, Copy)]
pub enum Way {
    /// Convex steps of this length, s.
    Discrete(f64),
    /// Continuous time at this accuracy, m and rad.
    Continuous(f64),
}

impl Way {
    /// One word for tables and legends.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete(_) => "discrete",
            Self::Continuous(_) => "continuous",
        }
    }

    fn setting(self) -> String {
        match self {
            Self::Discrete(step) => format!("steps of {} ms", number(1e3 * step)),
            Self::Continuous(accuracy) => format!("accuracy {accuracy:.0e}"),
        }
    }

    /// The options that it means.
    pub fn options(self) -> Options {
        match self {
            Self::Discrete(step) => Options { step, ..published() },
            Self::Continuous(accuracy) => Options {
                method: Method::Continuous(Default::default()),
                accuracy: Some(accuracy),
                step: 1e-4,
                ..Options::default()
            },
        }
    }
}

/// A model of a scene written by this program: anything a reader would warn of is an error.
pub fn load(scene: &str) -> Result<Model, Failure> {
    let options = LoadOptions { strict: true, ..LoadOptions::default() };
    Model::from_string(scene, Format::Mjcf, &options).map_err(Failure::work)
}

/// A running demonstration.
pub struct Stage {
    /// The simulation.
    pub sim: Simulation,
    way: Way,
    recorder: Option<Recorder>,
    seconds: f64,
}

impl Stage {
    /// Ready at the model's default state; recorded to `<recording>.html` if one is named.
    pub fn new(study: &Study, model: &Model, way: Way, recording: Option<&str>) -> Result<Self, Failure> {
        let sim = Simulation::new(model, way.options()).map_err(Failure::work)?;
        let recorder = recording.map(|name| study.record(&sim, name)).transpose()?;
        Ok(Self { sim, way, recorder, seconds: 0.0 })
    }

    /// Has it recorded by `recorder`.
    pub fn record(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Runs until `end` (s): `sample` is called now and every `period` seconds, sees the simulation as the last step left it
    /// and may set its controls, which are held until the next call. It ends the run early by returning false.
    pub fn run(
        &mut self,
        end: f64,
        period: f64,
        mut sample: impl FnMut(&mut Simulation) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let (start, begin) = (self.sim.state().time, (Instant::now(), processor_seconds()));
        for k in 0.. {
            let now = start + k as f64 * period;
            if now > end - 1e-9 || !sample(&mut self.sim)? {
                break;
            }
            self.step_until(end.min(now + period))?;
        }
        self.seconds += slowed()
            * match (begin.1, processor_seconds()) {
                (Some(before), Some(after)) => after - before,
                _ => begin.0.elapsed().as_secs_f64(),
            };
        Ok(())
    }

    fn step_until(&mut self, time: f64) -> Result<(), Failure> {
        while self.sim.step_towards(time).map_err(Failure::work)? {
            if let Some(recorder) = &mut self.recorder {
                recorder.observe(&self.sim).map_err(Failure::work)?;
            }
        }
        Ok(())
    }

    /// How it went; the recording is complete.
    pub fn finish(self) -> Result<Performance, Failure> {
        let recordings = match self.recorder {
            Some(recorder) => recorder.finish(Some(&self.sim)).map_err(Failure::work)?,
            None => Vec::new(),
        };
        Ok(Performance {
            way: self.way,
            simulated: self.sim.state().time,
            seconds: self.seconds,
            stats: *self.sim.stats(),
            warnings: self.sim.warnings().iter().map(|w| w.message.clone()).collect(),
            recordings,
        })
    }
}

/// What measured times are multiplied with: one, but for a deliberate error.
pub fn slowed() -> f64 {
    if stiction_base::mutation::is("solver-slow") { 100.0 } else { 1.0 }
}

/// Time for which this thread has been running, s, on systems that report it (Linux).
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(1e-9 * text.split(' ').next()?.parse::<f64>().ok()?)
}

/// A finished run.
pub struct Performance {
    way: Way,
    /// Simulated, s.
    pub simulated: f64,
    /// Computing, s.
    pub seconds: f64,
    stats: Stats,
    warnings: Vec<String>,
    recordings: Vec<Recorded>,
}

impl Performance {
    /// Why its patches are unreliable, if they are.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The recordings it made.
    pub fn into_recordings(self) -> Vec<Recorded> {
        self.recordings
    }
}

/// A ratio to two digits.
fn times(ratio: f64) -> String {
    if !(ratio > 0.0 && ratio.is_finite()) {
        return number(ratio);
    }
    let unit = 10f64.powi(ratio.log10().floor() as i32 - 1);
    number((ratio / unit).round() * unit)
}

/// Puts what both methods needed into the outcome: a table for the page, recordings, and checks that every step converged,
/// that every patch was reliable, and (in the full form) that neither computed for more than `most` seconds. `source` says
/// where the paper states its own time.
pub fn account(
    study: &Study,
    outcome: &mut Outcome,
    performances: Vec<Performance>,
    most: f64,
    source: &str,
) {
    let mut table = String::from(
        "| method | simulated | computed | times real time | steps | iterations a step | patches | faces a patch |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for p in performances {
        let (s, name) = (&p.stats, p.way.name());
        let per = |sum: u64, count: u64| number((100.0 * sum as f64 / count.max(1) as f64).round() / 100.0);
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "| {name}, {} | {} s | {} s | {} | {}{} | {} | {} | {} |",
            p.way.setting(),
            number(p.simulated),
            number((1e3 * p.seconds).round() / 1e3),
            times(p.simulated / p.seconds),
            s.steps,
            if s.rejected > 0 { format!(" + {} tried again", s.rejected) } else { String::new() },
            per(s.iterations, s.steps),
            per(s.patches, s.steps),
            per(s.faces, s.patches),
        );
        study.say(format!(
            "{name}: {} s simulated in {} s",
            number(p.simulated),
            number((1e3 * p.seconds).round() / 1e3)
        ));
        for warning in &p.warnings {
            study.say(format!("{name}: {warning}"));
        }
        let none = "every step is solved, every patch can be trusted";
        outcome.checks.push(Check::at_most(
            format!("{name}: steps that did not converge, and warnings"),
            s.unconverged as f64 + p.warnings.len() as f64,
            0.0,
            none,
        ));
        if study.quick {
            outcome.left_out.push("time of computing");
        } else {
            outcome.checks.push(Check::at_most(
                format!("{name}: time of computing (s)"),
                p.seconds,
                most,
                source,
            ));
        }
        outcome.recordings.extend(p.recordings);
    }
    if !outcome.notes.is_empty() {
        outcome.notes.push_str("\n\n");
    }
    outcome.notes.push_str(&table);
}
