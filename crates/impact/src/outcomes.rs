//! The set of velocities after an impact: one-shot, every sequence, and samples of the inclusion.
//!
//! A sampled solution repeats capped steps (`step.rs`) with caps λ̄ = h·p, p the rates of `sampling.rs`, until no
//! contact approaches. Small h approaches every solution of the inclusion, one step with no cap is
//! the simultaneous one-shot resolution, rates that leave out all contacts but one are a sequence; the last two are hit
//! slowly by sampling and are therefore computed themselves (Halm and Posa 2024).

use crate::TOLERANCE;
use crate::check::{Residuals, Segment, Trace};
use crate::error::ImpactError;
use crate::problem::Problem;
use crate::sampling::{Rates, Sequence};
use crate::sequences::{Sequences, resolve};
use crate::step::Stepper;

/// Cap of a step without a cap, in scaled impulse.
const NO_CAP: f64 = 1e9;
/// Default cap: this part of the impulse that would stop the fastest approach at the contact alone.
const DEFAULT_CAP: f64 = 1.0 / 16.0;
/// Steps after which a solution counts as one that does not end.
const STEPS: usize = 4_000;
/// Times the caps of a step that nothing solves are halved before its contacts act one after another.
const HALVINGS: usize = 2;
/// Speed below which a contact rests or sticks, relative to the largest contact speed before.
const AT_REST: f64 = 1e-7;

/// How the set is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Sampled solutions.
    pub samples: usize,
    /// Largest normal impulse of a contact in a step, N s; none for a sixteenth of what stops the
    /// fastest approach at that contact alone.
    pub cap: Option<f64>,
    /// Another seed, other samples.
    pub seed: u64,
    /// Explicit sequences at most.
    pub sequences: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { samples: 4096, cap: None, seed: 0, sequences: 1024 }
    }
}

/// What a contact does after the impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactMode {
    /// It touches without slip.
    #[default]
    Stick,
    /// It slides.
    Slide,
    /// It comes apart.
    Separate,
}

/// How an outcome was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// All contacts at once, in one step without caps.
    OneShot,
    /// The contacts resolved to their ends in this order.
    Sequence(Vec<usize>),
    /// Sample of this number.
    Sample(u64),
}

/// The set. Row i of each array is outcome i: the one-shot solution, then sequences, then samples.
#[derive(Clone, Debug)]
pub struct Outcomes {
    pub(crate) problem: Problem,
    pub(crate) options: Options,
    /// Number of velocity coordinates and of the instant's contacts.
    pub nv: usize,
    /// Number of the instant's contacts.
    pub contacts: usize,
    /// Velocities after, nv an outcome.
    pub velocities: Vec<f64>,
    /// Impulses, [t1 t2 n] for each of the instant's contacts, N s.
    pub impulses: Vec<f64>,
    /// What each of the instant's contacts does after.
    pub modes: Vec<ContactMode>,
    /// How each was found.
    pub origins: Vec<Origin>,
    /// Worst violation of the inclusion's conditions in each sampled or one-shot outcome, relative; of
    /// sequences see [`crate::check()`].
    pub residuals: Vec<f64>,
    /// Samples that did not end within the steps allowed (a jam); they are not in the set.
    pub unfinished: usize,
    /// Samples, or the one-shot solution, with a step that nothing solved; they are not in the set. Samples
    /// fall back to one contact after another, so what is left is the one-shot solution.
    pub unsolved: usize,
    /// Branches of explicit sequences that were not followed to their end.
    pub cut_sequences: usize,
    /// Capped steps of all samples.
    pub steps: u64,
    /// Capped steps of samples that were taken one contact after another, because nothing solved them at once.
    pub split: u64,
}

/// Computes the set of outcomes. If no contact approaches it is empty.
pub fn outcomes(problem: &Problem, options: &Options) -> Result<Outcomes, ImpactError> {
    check_options(options)?;
    let (nv, contacts) = (problem.instant.nv(), problem.instant.contacts());
    let mut set = Outcomes {
        problem: problem.clone(),
        options: *options,
        nv,
        contacts,
        velocities: Vec::new(),
        impulses: Vec::new(),
        modes: Vec::new(),
        origins: Vec::new(),
        residuals: Vec::new(),
        unfinished: 0,
        unsolved: 0,
        cut_sequences: 0,
        steps: 0,
        split: 0,
    };
    if !problem.approaches() {
        return Ok(set);
    }
    let n = problem.rows();
    let mut lambda = vec![0.0; n];

    let mut sampler = Sampler::new(problem, options);
    let end = sampler.one_shot(&mut lambda, None);
    if end.finished {
        set.push(Origin::OneShot, &lambda, end.residual);
    }
    set.unsolved = end.unsolved;

    let sequences = Sequences::new(problem, options.sequences);
    set.cut_sequences = sequences.cut;
    for (order, impulse) in sequences.orders.into_iter().zip(&sequences.impulses) {
        set.push(Origin::Sequence(order), impulse, 0.0);
    }

    let mut scaled = vec![0.0; options.samples * n];
    let mut ends = vec![End::default(); options.samples];
    sample_all(problem, options, &mut scaled, &mut ends);
    set.origins.reserve(options.samples);
    set.velocities.reserve(options.samples * nv);
    set.impulses.reserve(options.samples * 3 * contacts);
    set.modes.reserve(options.samples * contacts);
    for (i, end) in ends.iter().enumerate() {
        set.steps += end.steps as u64;
        set.split += end.split as u64;
        set.unsolved += end.unsolved;
        if end.finished {
            set.push(Origin::Sample(i as u64), &scaled[i * n..(i + 1) * n], end.residual);
        } else if end.unsolved == 0 {
            set.unfinished += 1;
        }
    }
    Ok(set)
}

fn check_options(options: &Options) -> Result<(), ImpactError> {
    match options.cap {
        Some(value) if !(value > 0.0 && value.is_finite()) => {
            Err(ImpactError::Option { option: "cap", value, allowed: "a positive impulse, N s, or none" })
        }
        _ => Ok(()),
    }
}

/// Samples per task: enough that starting one costs nothing.
const CHUNK: usize = 64;

#[cfg(feature = "parallel")]
fn sample_all(problem: &Problem, options: &Options, scaled: &mut [f64], ends: &mut [End]) {
    use rayon::prelude::*;
    let n = problem.rows();
    let tasks = scaled.par_chunks_mut(CHUNK * n).zip(ends.par_chunks_mut(CHUNK)).enumerate();
    tasks.for_each_init(
        || Sampler::new(problem, options),
        |sampler, (k, (scaled, ends))| {
            for (j, (out, end)) in scaled.chunks_mut(n).zip(ends).enumerate() {
                *end = sampler.sample((k * CHUNK + j) as u64, out, None);
            }
        },
    );
}

#[cfg(not(feature = "parallel"))]
fn sample_all(problem: &Problem, options: &Options, scaled: &mut [f64], ends: &mut [End]) {
    let n = problem.rows();
    let mut sampler = Sampler::new(problem, options);
    for (k, (scaled, ends)) in scaled.chunks_mut(CHUNK * n).zip(ends.chunks_mut(CHUNK)).enumerate() {
        for (j, (out, end)) in scaled.chunks_mut(n).zip(ends).enumerate() {
            *end = sampler.sample((k * CHUNK + j) as u64, out, None);
        }
    }
}

/// How one solution ended.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    finished: bool,
    residual: f64,
    steps: usize,
    split: usize,
    unsolved: usize,
}

/// The memory of sampling: one for each thread.
struct Sampler<'a> {
    stepper: Stepper<'a>,
    sequence: Sequence,
    rates: Rates,
    /// Cap of each contact, scaled.
    whole: Vec<f64>,
    caps: Vec<f64>,
    wanted: Vec<f64>,
    /// Scaled impulse that stops the fastest approach at each contact alone.
    stop: Vec<f64>,
}

impl<'a> Sampler<'a> {
    fn new(problem: &'a Problem, options: &Options) -> Self {
        let (m, n, side) = (problem.contacts(), problem.rows(), problem.side());
        let fastest = (0..m).map(|c| -problem.normal(&problem.u, c)).fold(0.0, f64::max);
        let stop: Vec<f64> = (0..m)
            .map(|c| {
                let k = c * side + problem.tangents;
                fastest / problem.w[k * n + k]
            })
            .collect();
        let whole = match options.cap {
            Some(cap) => vec![cap / problem.impulse; m],
            None => stop.iter().map(|s| DEFAULT_CAP * s).collect(),
        };
        Self {
            stepper: Stepper::new(problem),
            sequence: Sequence::new(m, options.seed),
            rates: Rates::default(),
            caps: vec![0.0; m],
            wanted: vec![0.0; m],
            whole,
            stop,
        }
    }

    fn one_shot(&mut self, total: &mut [f64], record: Option<&mut Vec<Segment>>) -> End {
        self.stepper.reset();
        self.caps.fill(NO_CAP);
        let solved = self.stepper.step(&self.caps, true);
        let residuals = Residuals::of(self.stepper.problem, &self.stepper.lambda, &self.stepper.u);
        total.copy_from_slice(&self.stepper.lambda);
        if let Some(record) = record {
            record.push(Segment::Step { impulse: total.to_vec() });
        }
        End {
            finished: solved && self.finished(),
            residual: residuals.worst(),
            steps: 1,
            split: 0,
            unsolved: usize::from(!solved),
        }
    }

    fn finished(&self) -> bool {
        let p = self.stepper.problem;
        (0..p.contacts()).all(|c| p.normal(&self.stepper.u, c) >= -TOLERANCE)
    }

    /// Solution number `sample`; its impulse goes to `total`.
    fn sample(&mut self, sample: u64, total: &mut [f64], mut record: Option<&mut Vec<Segment>>) -> End {
        let problem = self.stepper.problem;
        let m = problem.contacts();
        self.stepper.reset();
        self.sequence.begin(sample, &mut self.rates);
        total.fill(0.0);
        let mut end = End::default();
        while end.steps < STEPS {
            if self.finished() {
                end.finished = true;
                break;
            }
            // Some approaching contact takes its whole cap, so that every step gets on.
            let approaching = |u: &[f64], c: usize| problem.normal(u, c) < -TOLERANCE;
            let (mut most, mut chosen) = (0.0, None);
            for c in 0..m {
                if approaching(&self.stepper.u, c) && (chosen.is_none() || self.rates.p[c] > most) {
                    (most, chosen) = (self.rates.p[c], Some(c));
                }
            }
            let scale = if most > 1e-3 { 1.0 / most } else { 1.0 };
            for c in 0..m {
                self.caps[c] = self.whole[c] * (scale * self.rates.p[c]).min(1.0);
            }
            if let Some(c) = chosen {
                self.caps[c] = self.whole[c];
            }
            // Any caps are allowed, and smaller ones are easier.
            let mut halvings = 0;
            let mut solved = self.stepper.step(&self.caps, false);
            while !solved && halvings < HALVINGS {
                halvings += 1;
                self.caps.iter_mut().for_each(|cap| *cap *= 0.5);
                solved = self.stepper.step(&self.caps, false);
            }
            let mut spent = 0.0;
            if solved {
                spent = self.take(total, &mut end, record.as_deref_mut());
            } else {
                // One contact after another: each of these steps has a closed form or a bracketed root.
                end.split += 1;
                self.wanted.copy_from_slice(&self.caps);
                for c in (0..m).map(|k| (k + chosen.unwrap_or(0)) % m) {
                    self.caps.fill(0.0);
                    self.caps[c] = self.wanted[c];
                    if self.stepper.step(&self.caps, false) {
                        spent = self.take(total, &mut end, record.as_deref_mut()).max(spent);
                    } else {
                        end.unsolved = 1;
                    }
                }
                if end.unsolved > 0 {
                    break;
                }
            }
            self.sequence.spend(spent, &mut self.rates);
        }
        end
    }

    /// Books the step just solved; the largest part of a contact's stopping impulse it spent.
    fn take(&self, total: &mut [f64], end: &mut End, record: Option<&mut Vec<Segment>>) -> f64 {
        let (problem, lambda) = (self.stepper.problem, &self.stepper.lambda);
        end.steps += 1;
        end.residual = end.residual.max(Residuals::of(problem, lambda, &self.stepper.u).worst());
        for (total, l) in total.iter_mut().zip(lambda) {
            *total += l;
        }
        if let Some(record) = record {
            record.push(Segment::Step { impulse: lambda.clone() });
        }
        let normal = |c: usize| lambda[c * problem.side() + problem.tangents];
        (0..problem.contacts()).map(|c| normal(c) / self.stop[c]).fold(0.0, f64::max)
    }
}

impl Outcomes {
    /// Number of outcomes.
    pub fn len(&self) -> usize {
        self.origins.len()
    }

    /// Whether there are none: no contact approached.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The impact.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Velocities of outcome i.
    pub fn velocity(&self, i: usize) -> &[f64] {
        &self.velocities[i * self.nv..(i + 1) * self.nv]
    }

    /// Impulses of outcome i.
    pub fn impulse(&self, i: usize) -> &[f64] {
        &self.impulses[i * 3 * self.contacts..(i + 1) * 3 * self.contacts]
    }

    /// Modes of outcome i.
    pub fn modes_of(&self, i: usize) -> &[ContactMode] {
        &self.modes[i * self.contacts..(i + 1) * self.contacts]
    }

    /// Records the course of outcome i, for [`crate::check()`].
    pub fn trace(&self, i: usize) -> Trace {
        let problem = &self.problem;
        let mut total = vec![0.0; problem.rows()];
        let mut segments = Vec::new();
        match &self.origins[i] {
            Origin::OneShot => {
                Sampler::new(problem, &self.options).one_shot(&mut total, Some(&mut segments));
            }
            Origin::Sample(sample) => {
                Sampler::new(problem, &self.options).sample(*sample, &mut total, Some(&mut segments));
            }
            Origin::Sequence(order) => {
                let mut u = problem.u.clone();
                for &c in order {
                    resolve(problem, c, &mut u, &mut total, Some(&mut segments));
                }
            }
        }
        Trace { segments }
    }

    /// Contact velocities [t1 t2 n] of all of the instant's contacts along outcome i, m/s: before, and after each step or
    /// piece of Routh's path.
    pub fn path(&self, i: usize) -> Vec<Vec<f64>> {
        let (problem, instant) = (&self.problem, &self.problem.instant);
        let mut total = vec![0.0; problem.rows()];
        let mut expanded = vec![0.0; 3 * self.contacts];
        let mut at = |total: &[f64]| {
            problem.expand(total, &mut expanded);
            let impulse = nalgebra::DVector::from_column_slice(&expanded);
            (instant.contact_velocity() + instant.delassus() * impulse).as_slice().to_vec()
        };
        let mut path = vec![at(&total)];
        for segment in self.trace(i).segments {
            match segment {
                Segment::Step { impulse } => {
                    for (t, l) in total.iter_mut().zip(&impulse) {
                        *t += l;
                    }
                    path.push(at(&total));
                }
                Segment::Routh { contact, points } => {
                    let (side, before) = (problem.side(), total.clone());
                    for point in &points[1..] {
                        for k in 0..side {
                            let place = if k == problem.tangents { 2 } else { k };
                            total[contact * side + k] = before[contact * side + k] + point.impulse[place];
                        }
                        path.push(at(&total));
                    }
                }
            }
        }
        path
    }

    fn push(&mut self, origin: Origin, scaled: &[f64], residual: f64) {
        let (at_v, at_l) = (self.velocities.len(), self.impulses.len());
        self.velocities.resize(at_v + self.nv, 0.0);
        self.impulses.resize(at_l + 3 * self.contacts, 0.0);
        self.problem.expand(scaled, &mut self.impulses[at_l..]);
        self.problem.velocity_after(&self.impulses[at_l..], &mut self.velocities[at_v..]);
        self.classify(scaled);
        self.origins.push(origin);
        self.residuals.push(residual);
    }

    /// Modes from the velocities after, in contact space. Contacts left out of the problem stick.
    fn classify(&mut self, scaled: &[f64]) {
        let p = &self.problem;
        let (n, side) = (p.rows(), p.side());
        let at = self.modes.len();
        self.modes.resize(at + self.contacts, ContactMode::Stick);
        for (g, group) in p.groups.iter().enumerate() {
            let after = |k: usize| {
                let row = &p.w[(g * side + k) * n..(g * side + k + 1) * n];
                p.u[g * side + k] + row.iter().zip(scaled).map(|(w, l)| w * l).sum::<f64>()
            };
            let slip = (0..p.tangents).map(|t| after(t).powi(2)).sum::<f64>().sqrt();
            let mode = if after(p.tangents) > AT_REST {
                ContactMode::Separate
            } else if slip > AT_REST {
                ContactMode::Slide
            } else {
                ContactMode::Stick
            };
            for &c in group {
                self.modes[at + c] = mode;
            }
        }
    }
}
