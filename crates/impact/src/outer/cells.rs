//! Outer bounds of planar impacts: cells of velocity space in which the inclusion is constant.
//!
//! The signs (−, 0, +) of all normal and tangent velocities divide velocity space into cells, cones that partition it. In a cell C the set
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
//! Sets are kept as they come, and merged into their convex hull when a cell holds too many: the only over-approximation there is.

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
    /// The coordinate of the sum of normal impulses.
    impulse: Option<usize>,
    /// Functionals u_i(z): for each contact its normal, and its tangent if it has friction.
    functionals: Vec<Generator>,
    /// For each contact: place of its normal and of its tangent among the functionals, friction.
    contacts: Vec<(usize, Option<usize>, f64)>,
}

/// Convex sets, in coordinates z of minimal velocity (u = u(0) + B z), whose union holds every velocity at which a
/// solution can end; or why there are none. With `impulse` the sum of normal impulses is one more coordinate, before the homogeneous one.
pub(super) fn reach(
    problem: &Problem,
    b: &DMatrix<f64>,
    pieces: usize,
    work: u64,
    impulse: bool,
) -> Result<Vec<Polytope>, String> {
    let space = Space::new(problem, b, impulse)
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
    };
    search.enter(signs, &Polytope { generators: vec![start] })?;
    while let Some((signs, set)) = search.queue.pop_front() {
        // Sets that were merged into others since are done with them.
        if search.sets[&signs].iter().any(|s| s.generators == set.generators) {
            search.leave(&signs, &set)?;
        }
    }
    Ok(search.ends)
}

/// The functionals and their forces.
impl Space {
    fn new(problem: &Problem, b: &DMatrix<f64>, impulse: bool) -> Option<Self> {
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
            functionals.push(row(c * side + 1));
            let tangent = (mu > 0.0).then(|| {
                functionals.push(row(c * side));
                normal + 1
            });
            contacts.push((normal, tangent, mu));
        }
        Some(Self { last, impulse: impulse.then_some(rank), functionals, contacts })
    }

    /// G_C: directions in which a solution can move and stay in the cell.
    fn directions(&self, signs: &Signs, budget: &mut Budget) -> Vec<Generator> {
        let mut cone = Polytope::default();
        for &(normal, tangent, mu) in &self.contacts {
            if signs[normal] > 0 {
                continue;
            }
            // The functional's gradient is the contact's row, and so the direction of its impulse.
            let sides: &[f64] = match tangent.map(|t| signs[t]) {
                None => &[0.0],
                Some(0) => &[-1.0, 1.0],
                Some(s) if s > 0 => &[-1.0],
                Some(_) => &[1.0],
            };
            for side in sides {
                let mut g = self.functionals[normal];
                if let Some(t) = tangent {
                    for (g, x) in g.iter_mut().zip(&self.functionals[t]) {
                        *g += side * mu * x;
                    }
                }
                g[self.last] = 0.0;
                if let Some(k) = self.impulse {
                    g[k] = 1.0;
                }
                let size = dot(&g, &g).sqrt();
                cone.generators.push(g.map(|x| x / size));
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
        self.contacts.iter().any(|(normal, ..)| signs[*normal] < 0)
    }
}

struct Search<'a> {
    space: &'a Space,
    pieces: usize,
    budget: Budget,
    sets: BTreeMap<Signs, Vec<Polytope>>,
    queue: VecDeque<(Signs, Polytope)>,
    ends: Vec<Polytope>,
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
