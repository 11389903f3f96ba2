//! Speculative contact: nothing passes through anything within a step.
//!
//! The contact query sees bodies that overlap at the beginning of a step. Two bodies whose motion in one step is larger
//! than they are thick can be on one side before it and on the other side after it. Therefore the motion that a solve
//! found, q₀ → q₀ ⊕ δt v⁺, is examined before it is accepted.
//!
//! ```text
//! w       sum of the least widths of two geoms: while they overlap by less than w/2, their normal points the right way
//! h       w/8
//! μ       bound on the relative motion of their points within the step:  |Δo_b − Δo_a| + θ_a ρ_a + θ_b ρ_b
//! swept   pairs with μ > 2h whose boxes meet on the way, and pairs deeper than h at the beginning, at poses no further apart
//!         than their distance plus h
//! ```
//!
//! **What holds at the end of a step**: at every pose looked at, no pair overlaps by more than 3h (pairs deeper than 3.5h at the
//! beginning are not looked at, deeper ones than 3h come no deeper). The depth changes by at most μ, so by at most h from pose to pose: between them it is below 4h = w/2, and on no
//! part of the way is a body nearer to the wrong side of the other. `rows.rs` makes it so by solving again, `hold_back.rs` where
//! that fails. `passed` counts what neither could hold: prescribed motions.
//!
//! A pair that overlaps is first seen with a depth of at most h and therefore with the right normal. Nothing is done if the
//! points of this pose end with a depth of at most 2h along that normal: the next contact query sees them. Neither is anything done
//! if the pair is nowhere deeper than the contacts that its bodies rest on (×1.5, at least w/1000): a body that slides over a
//! seam, or past an edge. Otherwise the pair gets rows, and the step is solved again.
//!
//! Poses between q₀ and q₀ ⊕ δt v⁺ are interpolated body by body, origins along lines and orientations along great arcs, which is the
//! motion of a free body. What a pair with a compliant geom, or one in contact, overlaps by less than 2h is left to its contact.
//!
//! | file | |
//! |---|---|
//! | `size.rs` | widths, and the bounds on motions that make a slow step cost next to nothing |
//! | `candidates.rs` | the pairs to look at |
//! | `path.rs` | where a pair meets |
//! | `overlap.rs` | how it overlaps at a pose |
//! | `rows.rs` | speculative contacts |
//! | `hold_back.rs` | the last resort |

mod candidates;
mod hold_back;
mod overlap;
mod path;
mod rows;
mod size;

use crate::contact::query::Touching;
use crate::model::geom_id::GeomPair;
use crate::model::{Compiled, Model};
use crate::state::{MocapState, State};
use crate::step::assemble::Assembly;
use crate::step::kinematics::Kinematics;
use candidates::Candidates;
use hold_back::HeldBack;
use nalgebra::{UnitQuaternion, Vector3};
use overlap::OverlapScratch;
use path::Path;
use rows::Row;
use size::{Bounds, Size};
use stiction_convex::ProblemError;
use stiction_geometry::ContactPoint;
use stiction_model::{Pose, Warning};

/// Largest number of solves of a step for bodies that meet within it.
pub(crate) const PASSES: usize = 12;

/// Finds bodies that pass through each other within a step, and keeps their speculative contacts.
pub(crate) struct Sweep {
    sizes: Vec<Size>,
    /// Contacts are as soft as a file says: what is deep in a plane is left to them.
    pub soft: bool,
    bounds: Bounds,
    groups: Vec<usize>,
    candidates: Candidates,
    /// Candidates that are deep at the beginning of the step.
    deep: usize,
    /// The motion goes too deep, and no row prevents it.
    unresolved: bool,
    rows: Vec<Row>,
    /// Rows of pairs with restitution rebound.
    rebounds: bool,
    /// What the last solve's motion was shortened by, and for which pairs.
    held: HeldBack,
    shortened: Met,
    /// What happened in accepted solves since cleared.
    pub met: Met,
    kinematics: Option<Box<Kinematics>>,
    mocap: Vec<MocapState>,
    q: Vec<f64>,
    x_end: Vec<Pose>,
    jacobian: Vec<[f64; 6]>,
    coefficients: Vec<(usize, f64)>,
    fractions: Vec<f64>,
    wanted: Vec<f64>,
    held_v: Vec<f64>,
    trees_hit: Vec<usize>,
    points: Vec<ContactPoint>,
    scratch: OverlapScratch,
}

impl Sweep {
    pub fn new(model: &Model) -> Self {
        let sizes = size::sizes(model.compiled().geoms.geoms());
        Self {
            bounds: Bounds::new(model, &sizes),
            groups: hold_back::groups(model),
            sizes,
            soft: false,
            candidates: Candidates::default(),
            deep: 0,
            unresolved: false,
            rows: Vec::new(),
            rebounds: true,
            held: HeldBack::default(),
            shortened: Met::default(),
            met: Met::default(),
            kinematics: None,
            mocap: Vec::new(),
            q: Vec::new(),
            x_end: Vec::new(),
            jacobian: Vec::new(),
            coefficients: Vec::new(),
            fractions: Vec::new(),
            wanted: Vec::new(),
            held_v: Vec::new(),
            trees_hit: Vec::new(),
            points: Vec::new(),
            scratch: OverlapScratch::default(),
        }
    }

    /// Forgets the speculative contacts of the last step.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.rebounds = true;
        self.held = HeldBack::default();
        self.shortened.clear();
    }

    /// Forgets the `count` rows added last.
    pub fn drop_last(&mut self, count: usize) {
        self.rows.truncate(self.rows.len() - count);
    }

    /// Sum of the least widths of two geoms, m: how deep one must go into the other, twice, to be on its wrong side.
    pub fn width(&self, pair: GeomPair) -> f64 {
        size::pair_width(&self.sizes[pair.0.index()], &self.sizes[pair.1.index()])
    }

    /// Whether the last solve has speculative contacts, or its motion was shortened.
    pub fn has_acted(&self) -> bool {
        !self.rows.is_empty() || self.held != HeldBack::default()
    }

    /// Whether the last motion examined goes too deep although no row was found that prevents it.
    pub fn is_unresolved(&self) -> bool {
        self.unresolved
    }

    /// Adds rows to the problem for the pairs that the motion to `q_next` carries too deep into each other. Returns how many.
    pub fn add(
        &mut self,
        model: &Model,
        state: &State,
        (begin, touching): (&Kinematics, Touching),
        (v, q_next, dt): (&[f64], &[f64], f64),
        pass: usize,
        assembly: &mut Assembly,
    ) -> Result<usize, ProblemError> {
        let compiled = model.compiled();
        self.unresolved = false;
        if pass == 0 {
            let deep = self.candidates.begin(compiled, &self.sizes, self.soft, touching);
            self.deep = self.candidates.list.len();
            if !deep && !self.bounds.exceeded(state, v, dt) {
                return Ok(0);
            }
        }
        self.go_to_end(model, state, q_next, dt);
        self.find_candidates(compiled, begin);
        let known = self.rows.len();
        for k in 0..self.candidates.list.len() {
            let candidate = self.candidates.list[k];
            let x_end = std::mem::take(&mut self.x_end);
            let mut path =
                Path::new(compiled, &self.sizes, candidate.pair, (&begin.x_wb, &x_end), candidate.depth);
            let (mut from, step) = (0.0, path.h / path.travel);
            let harmless = candidate.begins.is_some_and(|depth| path.is_harmless(depth));
            while !harmless
                && let Some(meeting) = path.march(from, false, &mut self.scratch, &mut self.points)
            {
                let turns = path.turns();
                if self.add_rows(model, state, (v, dt), begin, turns, (&meeting, pass), assembly)? {
                    break;
                }
                // A point that goes away again: it is no obstacle here.
                self.unresolved |= meeting.deep;
                from = meeting.fraction + step;
                if from > 1.0 || meeting.deep {
                    break;
                }
            }
            self.x_end = x_end;
        }
        Ok(self.rows.len() - known)
    }

    fn find_candidates(&mut self, compiled: &Compiled, begin: &Kinematics) {
        self.candidates.forget_found(self.deep);
        self.candidates.find(compiled, &self.sizes, self.soft, &begin.x_wb, &self.x_end);
    }

    /// Poses of all bodies at the end of the step. A body that is moved from outside goes on as its twist says.
    fn go_to_end(&mut self, model: &Model, state: &State, q_next: &[f64], dt: f64) {
        let compiled = model.compiled();
        self.move_mocap(state, dt);
        let kinematics = self.kinematics.get_or_insert_with(|| Box::new(Kinematics::new(compiled)));
        kinematics.positions(compiled, &self.mocap, q_next);
        self.x_end.clear();
        self.x_end.extend_from_slice(&kinematics.x_wb);
    }

    fn move_mocap(&mut self, state: &State, dt: f64) {
        self.mocap.clear();
        self.mocap.extend(state.mocap.iter().map(|m| {
            let [wx, wy, wz, vx, vy, vz] = m.twist;
            let mut moved = *m;
            moved.pose.translation.vector += dt * Vector3::new(vx, vy, vz);
            let turn = UnitQuaternion::from_scaled_axis(dt * Vector3::new(wx, wy, wz));
            moved.pose.rotation = turn * m.pose.rotation;
            moved
        }));
    }
}

/// Pairs of geoms, sorted, that would have passed through each other.
#[derive(Default)]
pub(crate) struct Met {
    /// A speculative contact acted.
    acted: Vec<GeomPair>,
    /// Bodies were held back.
    held: Vec<GeomPair>,
    /// They may have passed nevertheless.
    passed: Vec<GeomPair>,
}

impl Met {
    pub fn clear(&mut self) {
        self.acted.clear();
        self.held.clear();
        self.passed.clear();
    }

    /// Adds what happened in a step.
    pub fn add(&mut self, other: &Self) {
        let lists = [
            (&mut self.acted, &other.acted),
            (&mut self.held, &other.held),
            (&mut self.passed, &other.passed),
        ];
        for (all, new) in lists {
            new.iter().for_each(|pair| insert(all, *pair));
        }
    }

    /// A warning for each pair.
    pub fn warnings<'a>(&'a self, model: &'a Model) -> impl Iterator<Item = Warning> + 'a {
        let compiled = model.compiled();
        let warn = move |&(a, b): &GeomPair, what: &str| {
            let [a, b] = [a, b].map(|g| compiled.described(g));
            Warning { source: a.source.clone(), message: format!("\"{}\" and \"{}\" {what}", a.name, b.name) }
        };
        let acted = self.acted.iter().map(move |pair| {
            let what = "would have gone through each other within a step: a speculative contact without friction \
                        held them; smaller steps resolve the impact";
            warn(pair, what)
        });
        let held = self.held.iter().map(move |pair| {
            let what = "would have gone through each other within a step in which no contact force could keep them apart: \
                        bodies were held back behind their velocities; use smaller steps";
            warn(pair, what)
        });
        let passed = self.passed.iter().map(move |pair| {
            let what = "may have passed through each other: a motion that is prescribed cannot be held back; move it more slowly, \
                        or use smaller steps";
            warn(pair, what)
        });
        acted.chain(held).chain(passed)
    }
}

/// Adds a pair to a sorted list, once.
fn insert(list: &mut Vec<GeomPair>, pair: GeomPair) {
    if let Err(at) = list.binary_search(&pair) {
        list.insert(at, pair);
    }
}
