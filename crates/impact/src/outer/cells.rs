//! Outer bounds by cells of velocity space in which the forces of the inclusion do not change.
//!
//! The signs (−, 0, +) of all normal velocities and of slip, along its line or across a few lines in space, divide velocity space into cells, cones that partition it. In a cell C the set
//! F_C of MFI eq. 16 is the convex hull of finitely many vectors, and a solution that stays in C moves along G_C = cone(F_C) ∩ span(C).
//! The sets R_C computed here are convex and satisfy
//!
//! ```text
//! (1) v(0) ∈ R_C of its cell        (3) R_C ∩ cl(C′) ⊂ R_C′ for every face C′ of C
//! (2) (R_C ⊕ G_C) ∩ cl(C) ⊂ R_C     (4) R_C ⊂ R_C′ for every C′ of which C is a face
//! ```
//!
//! Every solution stays in their union until no contact approaches. For a solution that is in C at two times and in the star of C (the
//! cells whose closure holds C) between them, every velocity on the way lies in F_C, because fewer zeros leave fewer forces; its whole
//! displacement lies in cone(F_C) and in span(C), hence in G_C, however often it switched, and (2) applies. A solution that comes to C′ from
//! elsewhere passes a face of C′, where (4) applies; or it comes from the star of C′, where (3) does.
//!
//! The search also passes through sign vectors that belong to no point; nothing moves there.
//!
//! Sets are kept as they come, and merged into their convex hull when a cell holds too many. In the plane that is the only over-approximation there
//! is: without it every velocity of the sets is reached, along straight pieces. In space lines divide the slips of a contact into sectors; friction
//! in a sector is a part of a disc, and a triangle around it takes its place.

use super::OuterOptions;
use super::polytope::{Budget, Generator, Keep, Polytope, WIDTH, dot};
use crate::problem::Problem;
use nalgebra::DMatrix;
use std::collections::{BTreeMap, VecDeque};

/// Distance within which a set counts as contained; bounds are widened by a thousand times as much.
const SLACK: f64 = 1e-10;

/// The signs of all functionals in a cell.
type Signs = Vec<i8>;

/// What the search needs to know about the problem.
struct Space {
    last: usize,
    /// Functionals u_i(z): for each contact its normal, and those that divide its slips if it has friction.
    functionals: Vec<Generator>,
    contacts: Vec<Place>,
}

/// A contact among the functionals.
struct Place {
    normal: usize,
    /// Place of the first functional that divides its slips.
    lines: usize,
    sectors: Vec<Sector>,
}

/// Slips between two neighbouring lines.
struct Sector {
    /// Signs of the functionals that divide the slips.
    signs: Vec<i8>,
    /// Directions of impulse over normal impulse whose hull holds those of this sector.
    forces: Vec<Generator>,
}

/// What the search finds.
pub(super) struct Reach {
    /// Convex sets whose union holds every velocity at which a solution can end.
    pub ends: Vec<Polytope>,
    /// Whether every velocity of the union is one.
    pub exact: bool,
}

/// Convex sets, in coordinates z of minimal velocity (u = u(0) + B z), whose union holds every velocity at which a
/// solution can end; or why there are none. With `impulse` the sum of normal impulses is one more coordinate, before the homogeneous one.
pub(super) fn reach(
    problem: &Problem,
    b: &DMatrix<f64>,
    OuterOptions { pieces, work, sectors }: OuterOptions,
    impulse: bool,
) -> Result<Reach, String> {
    let space = Space::new(problem, b, sectors, impulse)
        .ok_or_else(|| format!("contacts move in more than {} directions", WIDTH - 1))?;
    let mut start = [0.0; WIDTH];
    start[space.last] = 1.0;
    let signs: Signs = space
        .functionals
        .iter()
        .map(|f| {
            let u = dot(f, &start);
            if u.abs() <= 1e-10 {
                0
            } else if u > 0.0 {
                1
            } else {
                -1
            }
        })
        .collect();
    let budget = Budget(i64::try_from(work).unwrap_or(i64::MAX));
    let mut search = Search {
        space: &space,
        pieces,
        budget,
        sets: BTreeMap::new(),
        queue: VecDeque::new(),
        ends: Vec::new(),
        merged: false,
    };
    search.enter(signs, &Polytope { generators: vec![start] })?;
    while let Some((signs, set)) = search.queue.pop_front() {
        // Sets that were merged into others since are done with them.
        if search.sets[&signs].iter().any(|s| s.generators == set.generators) {
            search.leave(&signs, &set)?;
        }
    }
    Ok(Reach { ends: search.ends, exact: problem.planar() && !search.merged })
}

/// The functionals and their forces.
impl Space {
    fn new(problem: &Problem, b: &DMatrix<f64>, sectors: usize, impulse: bool) -> Option<Self> {
        let rank = b.ncols();
        let last = rank + usize::from(impulse);
        if last + 1 > WIDTH {
            return None;
        }
        let side = problem.side();
        let row = |k: usize| {
            let mut g = [0.0; WIDTH];
            for j in 0..rank {
                g[j] = b[(k, j)];
            }
            g[last] = problem.u[k];
            g
        };
        let (mut functionals, mut contacts) = (Vec::new(), Vec::new());
        for (c, &mu) in problem.mu.iter().enumerate() {
            let normal = functionals.len();
            // The functional's gradient is the contact's row, and so the direction of its impulse.
            let gradient = |friction: &[f64]| {
                let mut g = row(c * side + problem.tangents);
                for (k, x) in friction.iter().enumerate() {
                    g.iter_mut().zip(row(c * side + k)).for_each(|(g, t)| *g += mu * x * t);
                }
                g[last] = 0.0;
                if impulse {
                    g[rank] = 1.0;
                }
                let size = dot(&g, &g).sqrt();
                g.map(|x| x / size)
            };
            functionals.push(row(c * side + problem.tangents));
            let lines = functionals.len();
            let sectors = match (mu > 0.0, problem.tangents) {
                (false, _) => vec![Sector { signs: vec![], forces: vec![gradient(&[])] }],
                (_, 1) => {
                    functionals.push(row(c * side));
                    let one =
                        |sign: i8| Sector { signs: vec![sign], forces: vec![gradient(&[f64::from(-sign)])] };
                    vec![one(1), one(-1)]
                }
                _ => {
                    let turn = std::f64::consts::TAU / sectors as f64;
                    let at = |angle: f64| [angle.cos(), angle.sin()];
                    for j in 0..sectors / 2 {
                        let [x, y] = at(j as f64 * turn);
                        let (a, b) = (row(c * side), row(c * side + 1));
                        functionals.push(std::array::from_fn(|k| x * b[k] - y * a[k]));
                    }
                    let one = |i: usize| {
                        let middle = at((i as f64 + 0.5) * turn);
                        let across = |j: usize| {
                            let [x, y] = at(j as f64 * turn);
                            if x * middle[1] - y * middle[0] > 0.0 { 1 } else { -1 }
                        };
                        // Friction on the arc against the slips lies between its ends and where their tangents meet.
                        let far = 1.0 / (0.5 * turn).cos();
                        let ends = [at(i as f64 * turn), at((i + 1) as f64 * turn), middle.map(|x| far * x)];
                        let forces = ends.map(|e| gradient(&e.map(|x| -x))).to_vec();
                        Sector { signs: (0..sectors / 2).map(across).collect(), forces }
                    };
                    (0..sectors).map(one).collect()
                }
            };
            contacts.push(Place { normal, lines, sectors });
        }
        Some(Self { last, functionals, contacts })
    }

    /// G_C: directions in which a solution can move and stay in the cell.
    fn directions(&self, signs: &Signs, budget: &mut Budget) -> Vec<Generator> {
        let mut cone = Polytope::default();
        for Place { normal, lines, sectors } in &self.contacts {
            if signs[*normal] > 0 {
                continue;
            }
            for sector in sectors {
                // Zero is on both sides: fewer zeros leave fewer forces.
                let own = sector.signs.iter().zip(&signs[*lines..]);
                if own.into_iter().all(|(a, b)| *b == 0 || a == b) {
                    cone.generators.extend_from_slice(&sector.forces);
                }
            }
        }
        for (f, _) in self.functionals.iter().zip(signs).filter(|(_, s)| **s == 0) {
            cone.clip(f, Keep::On, self.last, budget);
        }
        cone.generators
    }

    /// cl(C) ∩ set.
    fn within(&self, signs: &Signs, set: &mut Polytope, budget: &mut Budget) {
        for (f, s) in self.functionals.iter().zip(signs) {
            let keep = match s {
                0 => Keep::On,
                1 => Keep::Above,
                _ => Keep::Below,
            };
            set.clip(f, keep, self.last, budget);
        }
    }

    /// False for cells that hold no point because a functional that should not vanish is a combination of those that do, or because two are the
    /// same up to a factor and their signs do not fit.
    fn exists(&self, signs: &Signs) -> bool {
        let mut basis: Vec<Generator> = Vec::new();
        let rest = |f: &Generator, basis: &[Generator]| {
            let mut rest = *f;
            for q in basis.iter().chain(basis) {
                let along = dot(q, &rest);
                rest.iter_mut().zip(q).for_each(|(r, q)| *r -= along * q);
            }
            (dot(&rest, &rest).sqrt(), rest)
        };
        let small = |left: f64, f: &Generator| left <= 1e-9 * dot(f, f).sqrt();
        for (f, _) in self.functionals.iter().zip(signs).filter(|(_, s)| **s == 0) {
            let (left, rest) = rest(f, &basis);
            if !small(left, f) {
                basis.push(rest.map(|x| x / left));
            }
        }
        let mut others: Vec<(Generator, i8)> = Vec::new();
        for (f, &sign) in self.functionals.iter().zip(signs).filter(|(_, s)| **s != 0) {
            let (left, rest) = rest(f, &basis);
            if small(left, f) {
                return false;
            }
            let unit = rest.map(|x| x / left);
            // Two that are parallel on the planes of the cell have signs that fit.
            let clash = |(other, theirs): &(Generator, i8)| {
                let along = dot(other, &unit);
                let apart = if along > 0.0 { sign != *theirs } else { sign == *theirs };
                let off: f64 = other.iter().zip(&unit).map(|(a, b)| (b - along * a).powi(2)).sum();
                off <= 1e-18 && apart
            };
            if others.iter().any(clash) {
                return false;
            }
            others.push((unit, sign));
        }
        true
    }

    fn approaching(&self, signs: &Signs) -> bool {
        self.contacts.iter().any(|place| signs[place.normal] < 0)
    }
}

struct Search<'a> {
    space: &'a Space,
    pieces: usize,
    budget: Budget,
    sets: BTreeMap<Signs, Vec<Polytope>>,
    queue: VecDeque<(Signs, Polytope)>,
    ends: Vec<Polytope>,
    merged: bool,
}

impl Search<'_> {
    /// Adds what can be reached in a cell from `from` ⊂ cl(C).
    fn enter(&mut self, signs: Signs, from: &Polytope) -> Result<(), String> {
        let last = self.space.last;
        if !self.space.approaching(&signs) {
            if !self.ends.iter().any(|e| e.contains(from, last, SLACK)) {
                self.ends.retain(|e| !from.contains(e, last, SLACK));
                self.ends.push(from.clone());
            }
            return Ok(());
        }
        // A cell without points only passes sets on.
        let directions = if self.space.exists(&signs) {
            self.space.directions(&signs, &mut self.budget)
        } else {
            Vec::new()
        };
        let mut set = from.clone();
        loop {
            set.widen(&directions);
            self.space.within(&signs, &mut set, &mut self.budget);
            if set.is_empty(last) {
                return Ok(());
            }
            set.reduce(last, &mut self.budget);
            if self.budget.is_spent() {
                return Err("the work allowed was used up".into());
            }
            if set.is_unbounded(last) {
                return Err("a resolution need not end".into());
            }
            let held = self.sets.entry(signs.clone()).or_default();
            if held.iter().any(|h| h.contains(&set, last, SLACK)) {
                return Ok(());
            }
            held.retain(|h| !set.contains(h, last, 1e-12));
            if held.len() < self.pieces {
                held.push(set.clone());
                self.queue.push_back((signs, set));
                return Ok(());
            }
            // Too many: the convex hull with the nearest, which must be closed under the flow again.
            let Some(other) = held.pop() else { return Ok(()) };
            self.merged = true;
            set.generators.extend(other.generators);
            set.reduce(last, &mut self.budget);
        }
    }

    /// Hands a set on to the neighbouring cells.
    fn leave(&mut self, signs: &Signs, set: &Polytope) -> Result<(), String> {
        let last = self.space.last;
        for k in 0..signs.len() {
            let mut next = signs.clone();
            if signs[k] != 0 {
                // A face. Faces of faces are reached through them.
                let mut part = set.clone();
                part.clip(&self.space.functionals[k], Keep::On, last, &mut self.budget);
                if part.is_empty(last) {
                    continue;
                }
                next[k] = 0;
                self.enter(next, &part)?;
            } else {
                for side in [-1, 1] {
                    next[k] = side;
                    self.enter(next.clone(), set)?;
                }
            }
        }
        Ok(())
    }
}
