//! The set of velocities after an impact, from inside: solutions of the inclusion under many different impulse rates.
//!
//! Every outcome is a solution (`path.rs`, `routh/`): all contacts at once, every explicit sequence, and samples that hold rates drawn by
//! `sampling.rs` over a stretch of impulse and then switch. A single contact has one solution, Routh's.

use crate::TOLERANCE;
use crate::check::{Segment, Trace};
use crate::error::ImpactError;
use crate::path::{Advance, Path};
use crate::problem::Problem;
use crate::sampling::{Rates, Sequence};
use crate::sequences::{DEPTH, ROUTH, Sequences, resolve};
use stiction_base::mutation;

/// Steps after which a solution of up to four contacts goes on one contact after another; of more, the fewer the more they are.
const STEPS: usize = 4_000;
/// Speed below which a contact rests or sticks, relative to the largest contact speed before.
const AT_REST: f64 = 1e-7;

/// How the set is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Sampled solutions.
    pub samples: usize,
    /// Error allowed along a solution, relative to the largest contact speed before. Planar impacts are exact whatever it is.
    pub tolerance: f64,
    /// Largest normal impulse of a contact in a step, N s; none for no limit. A small one makes many steps, not other solutions.
    pub cap: Option<f64>,
    /// Another seed, other samples.
    pub seed: u64,
    /// Explicit sequences at most.
    pub sequences: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { samples: 4096, tolerance: 1e-6, cap: None, seed: 0, sequences: 1024 }
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
    /// All contacts at once, at rates in the proportion of the impulses that stop each of them alone.
    OneShot,
    /// The contacts resolved to their ends in this order.
    Sequence(Vec<usize>),
    /// Sample of this number.
    Sample(u64),
}

/// The set. Row i of each array is outcome i: all contacts at once, then sequences, then samples.
#[derive(Clone, Debug)]
pub struct Outcomes {
    pub(crate) problem: Problem,
    pub(crate) options: Options,
    /// Scaled impulses of each outcome.
    pub(crate) scaled: Vec<f64>,
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
    /// Estimated error of each outcome: how far it may be from a solution of the inclusion under the same normal rates, relative to
    /// the largest contact speed before.
    pub errors: Vec<f64>,
    /// Solutions that did not end, or never would (a jam); they are not in the set.
    pub unfinished: usize,
    /// 1 if all contacts at once has a step whose rates could not be found; it is then not in the set.
    pub unsolved: usize,
    /// Samples with a step whose rates could not be found, or with too many steps, that went on by Routh's method, one contact after another. They
    /// are in the set.
    pub rerouted: usize,
    /// Branches of explicit sequences that were not followed to their end.
    pub cut_sequences: usize,
    /// Steps of all samples.
    pub steps: u64,
}

/// Computes the set of outcomes. If no contact approaches it is empty.
pub fn outcomes(problem: &Problem, options: &Options) -> Result<Outcomes, ImpactError> {
    check_options(options)?;
    let fewer = Options { sequences: 1, samples: 0, ..*options };
    let few = Options { samples: 8, ..*options };
    let options = match () {
        () if mutation::is("impact-one-order") => &fewer,
        () if mutation::is("impact-few-samples") => &few,
        () => options,
    };
    let (nv, contacts) = (problem.instant.nv(), problem.instant.contacts());
    let mut set = Outcomes {
        problem: problem.clone(),
        options: *options,
        scaled: Vec::new(),
        nv,
        contacts,
        velocities: Vec::new(),
        impulses: Vec::new(),
        modes: Vec::new(),
        origins: Vec::new(),
        errors: Vec::new(),
        unfinished: 0,
        unsolved: 0,
        rerouted: 0,
        cut_sequences: 0,
        steps: 0,
    };
    if !problem.approaches() {
        return Ok(set);
    }
    let n = problem.rows();
    if problem.contacts() > 1 {
        let mut impulse = vec![0.0; n];
        let end = Sampler::new(problem, options).at_once(&mut impulse, None);
        set.take(Origin::OneShot, &impulse, &end);
    }
    let sequences = Sequences::new(problem, options.sequences);
    set.cut_sequences = sequences.cut;
    for (order, impulse) in sequences.orders.into_iter().zip(&sequences.impulses) {
        set.push(Origin::Sequence(order), impulse, ROUTH);
    }
    if problem.contacts() == 1 {
        // Routh's path is the only solution.
        return Ok(set);
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
        set.rerouted += usize::from(end.finished && end.rerouted);
        set.take(Origin::Sample(i as u64), &scaled[i * n..(i + 1) * n], end);
    }
    Ok(set)
}

/// Rounding along a solution.
const ROUNDING: f64 = 1e-12;

fn check_options(options: &Options) -> Result<(), ImpactError> {
    if !(options.tolerance > 0.0 && options.tolerance <= 1e-2) {
        let allowed = "a number above 0 and at most 0.01";
        return Err(ImpactError::Option { option: "tolerance", value: options.tolerance, allowed });
    }
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
    unsolved: bool,
    rerouted: bool,
    error: f64,
    steps: usize,
}

/// The memory of sampling: one for each thread.
struct Sampler<'a> {
    path: Path<'a>,
    sequence: Sequence,
    rates: Rates,
    caps: Vec<f64>,
    /// Scaled impulse that stops the fastest approach at each contact alone, and the largest of them.
    stop: Vec<f64>,
    top: f64,
    /// Largest normal impulse of a step, scaled.
    cap: f64,
}

impl<'a> Sampler<'a> {
    fn new(problem: &'a Problem, options: &Options) -> Self {
        let (m, n, side) = (problem.contacts(), problem.rows(), problem.side());
        let fastest = (0..m).map(|c| -problem.normal(&problem.u, c)).fold(0.0, f64::max);
        let alone = |c: usize| problem.w[(c * side + problem.tangents) * (n + 1)];
        let stop: Vec<f64> = (0..m).map(|c| fastest / alone(c)).collect();
        Self {
            path: Path::new(problem, options.tolerance),
            sequence: Sequence::new(m, options.seed),
            rates: Rates::default(),
            caps: vec![0.0; m],
            top: stop.iter().copied().fold(f64::MIN_POSITIVE, f64::max),
            stop,
            cap: options.cap.map_or(f64::INFINITY, |cap| cap / problem.impulse),
        }
    }

    /// All contacts at rates in the proportion of the impulses that stop each alone; contacts that do not approach at first may take
    /// as much as any.
    fn at_once(&mut self, total: &mut [f64], record: Option<&mut Vec<Segment>>) -> End {
        let problem = self.path.problem;
        self.rates.p.clear();
        let fastest = (0..problem.contacts()).map(|c| -problem.normal(&problem.u, c)).fold(0.0, f64::max);
        self.rates.p.extend((0..problem.contacts()).map(|c| {
            let approach = -problem.normal(&problem.u, c);
            if approach > TOLERANCE { approach / fastest } else { 1.0 }
        }));
        if mutation::is("impact-at-once-uneven") {
            self.rates.p.iter_mut().skip(1).for_each(|p| *p *= 0.5);
        }
        self.rates.keep();
        self.follow(total, false, record)
    }

    /// Solution number `sample`; its impulse goes to `total`.
    fn sample(&mut self, sample: u64, total: &mut [f64], record: Option<&mut Vec<Segment>>) -> End {
        self.sequence.begin(sample, &mut self.rates);
        self.follow(total, true, record)
    }

    /// Follows a solution to its end. Where a step has no rates, or there are too many steps, it goes on by Routh's method if it may: one approaching
    /// contact after another, each alone to its end.
    fn follow(&mut self, total: &mut [f64], reroute: bool, mut record: Option<&mut Vec<Segment>>) -> End {
        let (m, side, t) =
            (self.path.problem.contacts(), self.path.problem.side(), self.path.problem.tangents);
        self.path.reset();
        total.fill(0.0);
        let mut end = End::default();
        let limit = STEPS * 4 / m.max(4);
        let mut alone = 0;
        while alone < DEPTH * m && (end.steps < limit || reroute) {
            if self.path.finished() {
                end.finished = true;
                break;
            }
            // Some approaching contact takes its whole rate, so that every step gets on.
            let (mut most, mut chosen) = (0.0, None);
            for c in 0..m {
                if self.path.approaching(c) && (chosen.is_none() || self.rates.p[c] > most) {
                    (most, chosen) = (self.rates.p[c], Some(c));
                }
            }
            if let Some(c) = chosen
                && most <= 1e-3
            {
                // It keeps its whole rate for the rest of the stretch: given back, it would be taken again after a step without length.
                (self.rates.p[c], most) = (1.0, 1.0);
            }
            for c in 0..m {
                self.caps[c] = (self.rates.p[c] / most).min(1.0) * self.stop[c] / self.top;
            }
            let largest = self.caps.iter().copied().fold(0.0, f64::max);
            // Rates of the order of one.
            self.caps.iter_mut().for_each(|cap| *cap /= largest);
            let length = (self.rates.left() * self.top * largest).min(self.cap);
            let advance = if end.steps < limit && !end.rerouted {
                self.path.advance(&self.caps, length)
            } else {
                Advance::Unsolved
            };
            let mut spent = None;
            match (advance, chosen) {
                (Advance::By(_), _) => {
                    let step = &self.path.step;
                    spent = Some((0..m).map(|c| step[c * side + t] / self.stop[c]).fold(0.0, f64::max));
                    if let Some(record) = record.as_deref_mut() {
                        record.push(Segment::Step { impulse: step.clone() });
                    }
                }
                (Advance::Unsolved, Some(c)) if reroute => {
                    self.path.alone(c, record.as_deref_mut());
                    end.rerouted = true;
                    alone += 1;
                }
                (Advance::Unsolved, _) => {
                    end.unsolved = true;
                    break;
                }
                (Advance::Endless, _) => break,
            }
            end.steps += 1;
            for (total, l) in total.iter_mut().zip(&self.path.step) {
                *total += l;
            }
            // After a contact alone the rates are others: another contact may be next.
            self.sequence.spend(spent.unwrap_or(f64::INFINITY), &mut self.rates);
        }
        end.error = self.path.error + ROUNDING;
        end
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
                Sampler::new(problem, &self.options).at_once(&mut total, Some(&mut segments));
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

    fn take(&mut self, origin: Origin, scaled: &[f64], end: &End) {
        if end.finished {
            self.push(origin, scaled, end.error);
        } else if end.unsolved {
            self.unsolved += 1;
        } else {
            self.unfinished += 1;
        }
    }

    fn push(&mut self, origin: Origin, scaled: &[f64], error: f64) {
        let (at_v, at_l) = (self.velocities.len(), self.impulses.len());
        self.velocities.resize(at_v + self.nv, 0.0);
        self.impulses.resize(at_l + 3 * self.contacts, 0.0);
        self.problem.expand(scaled, &mut self.impulses[at_l..]);
        self.problem.velocity_after(&self.impulses[at_l..], &mut self.velocities[at_v..]);
        self.classify(scaled);
        self.scaled.extend_from_slice(scaled);
        self.origins.push(origin);
        self.errors.push(error);
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
