//! What a step says about its contact points beside their forces: which acted with less than their stiffness, and which overlap
//! was found rather than made.
//!
//! A solve predicts the depth x = x₀ − δt v_n with which each contact ends its step. A pair that begins the next step deeper than
//! that, by more than what the stiction tolerance moves in a step, was not pushed there: its bodies met within the step, or turned by
//! more than a straight motion tells. The first step after a state was set knows no prediction and finds nothing; steps by
//! accuracy look for bodies that meet themselves.

use super::assemble::{Assembly, Parts};
use super::report::StepReport;
use super::sweep::Sweep;
use crate::contact::entries::EntrySource;
use crate::model::Model;
use crate::model::geom_id::{GeomPair, geoms_of};
use stiction_convex::Solver;
use stiction_model::Warning;

/// Part of the sum of two geoms' least widths from which a found overlap is worth a warning.
const DEEP: f64 = 0.1;

/// Depths of a pair of geoms, m.
#[derive(Clone, Copy)]
struct Depths {
    pair: GeomPair,
    begin: f64,
    end: f64,
}

/// What the last step found, and the depths that it predicts.
#[derive(Default)]
pub(crate) struct Notes {
    /// Sorted by pair.
    predicted: Vec<Depths>,
    known: bool,
    now: Vec<Depths>,
    /// Pairs with capped contacts that pushed, and the part of their stiffness with which they acted.
    capped: Vec<(GeomPair, f64)>,
    /// Pairs found deep in each other, and how much deeper than predicted, m.
    found: Vec<(GeomPair, f64)>,
}

impl Notes {
    /// Forgets the last step.
    pub fn clear(&mut self) {
        self.predicted.clear();
        self.known = false;
    }

    /// Looks at an accepted solve.
    pub fn write(
        &mut self,
        parts: &Parts,
        assembly: &Assembly,
        solver: &Solver,
        sweep: &Sweep,
        report: &mut StepReport,
    ) {
        let points = parts.touching.points;
        let pair_of = |entry: usize| match assembly.places[entry].source {
            EntrySource::Point(index) => Some(geoms_of(&points[index])),
            EntrySource::Face(..) => None,
        };
        self.capped.clear();
        for (entry, share) in solver.capped() {
            let normal = assembly.places[entry].frame.column(2);
            if normal.dot(&solver.contact_impulses()[entry]) > 0.0 {
                report.capped += 1;
                self.capped.extend(pair_of(entry).map(|pair| (pair, share)));
            }
        }
        self.now.clear();
        self.found.clear();
        if parts.options.accuracy.is_some() {
            return;
        }
        for (entry, place) in assembly.places.iter().enumerate() {
            let EntrySource::Point(index) = place.source else { continue };
            let pair = geoms_of(&points[index]);
            let begin = -points[index].distance;
            let end = begin - parts.dt * place.frame.column(2).dot(&solver.contact_velocities()[entry]);
            match self.now.last_mut().filter(|last| last.pair == pair) {
                Some(last) => (last.begin, last.end) = (last.begin.max(begin), last.end.max(end)),
                None => self.now.push(Depths { pair, begin, end }),
            }
        }
        self.now.sort_unstable_by_key(|depths| depths.pair);
        let moved = parts.options.stiction_tolerance * parts.dt;
        for depths in self.now.iter().filter(|d| self.known && d.begin > 0.0) {
            let last = self.predicted.binary_search_by_key(&depths.pair, |d| d.pair);
            let excess = depths.begin - last.map_or(0.0, |at| self.predicted[at].end.max(0.0));
            if excess > moved {
                report.found += 1;
                report.max_found = report.max_found.max(excess);
                if excess > DEEP * sweep.width(depths.pair) {
                    self.found.push((depths.pair, excess));
                }
            }
        }
        std::mem::swap(&mut self.now, &mut self.predicted);
        self.known = true;
    }
}

/// Pairs, sorted, with the most that was seen of each.
#[derive(Default)]
struct Seen(Vec<(GeomPair, f64)>);

impl Seen {
    fn add(&mut self, new: &[(GeomPair, f64)], more: impl Fn(f64, f64) -> f64) {
        for &(pair, value) in new {
            match self.0.binary_search_by_key(&pair, |seen| seen.0) {
                Ok(at) => self.0[at].1 = more(self.0[at].1, value),
                Err(at) => self.0.insert(at, (pair, value)),
            }
        }
    }

    fn warning(
        &self,
        model: &Model,
        worst: impl Fn(f64, f64) -> bool,
        what: impl Fn(usize, &str, f64) -> String,
    ) -> Option<Warning> {
        let better = |a: (GeomPair, f64), b: (GeomPair, f64)| if worst(b.1, a.1) { b } else { a };
        let (pair, value) = self.0.iter().copied().reduce(better)?;
        let [a, b] = [pair.0, pair.1].map(|g| model.compiled().described(g));
        let names = format!("\"{}\" and \"{}\"", a.name, b.name);
        Some(Warning { source: a.source.clone(), message: what(self.0.len(), &names, value) })
    }
}

/// What was seen since the simulation was made.
#[derive(Default)]
pub(crate) struct NoteWarnings {
    capped: Seen,
    found: Seen,
}

impl NoteWarnings {
    /// Adds what the last step found. Allocates only for a new pair.
    pub fn add(&mut self, notes: &Notes) {
        self.capped.add(&notes.capped, f64::min);
        self.found.add(&notes.found, f64::max);
    }

    /// One warning for all capped pairs and one for all found overlaps, each with the worst.
    pub fn warnings(&self, model: &Model) -> impl Iterator<Item = Warning> {
        let capped = |count, names: &str, share| {
            format!(
                "{count} pairs of geoms touched with less than their stiffness, since steps of this length cannot hold it without \
                 adding energy: {names} with {share:.1e} of it; use smaller steps, a smaller stiffness, or limit_stiffness = false"
            )
        };
        let found = |count, names: &str, depth| {
            format!(
                "{count} pairs of geoms were found in each other at the beginning of a step, deeper than any force had pushed them: \
                 {names} by {depth:.1e} m; use smaller steps or an accuracy"
            )
        };
        let capped = self.capped.warning(model, |new, old| new < old, capped);
        let found = self.found.warning(model, |new, old| new > old, found);
        capped.into_iter().chain(found)
    }
}
