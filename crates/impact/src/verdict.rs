//! Is the outcome unique? Three answers, each with its reason.
//!
//! **Unique** needs a proof: a single contact (Routh's path is the only solution), contacts that do not affect each other (their blocks
//! of W vanish, so each follows its own path whatever the others do), one approaching contact whose path reaches no other, contacts without friction that press each other (W_ij ≤ 0: only its own
//! impulse raises u_i, which stops at 0, so all end with J_n v = 0, the projection of v), or a bound from outside below the resolution. **Ambiguous** needs two
//! solutions that are further apart than their errors and the resolution. Everything else is **unknown**: samples that agree prove nothing.

use crate::check::Segment;
use crate::error::ImpactError;
use crate::outcomes::Outcomes;
use crate::outer::{Method, Outer};
use crate::problem::Problem;
use crate::routh::RouthPoint;
use crate::sequences::resolve;
use crate::summary::{Ambiguity, ONE};

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// There is one outcome.
    Unique(Proof),
    /// There are different outcomes.
    Ambiguous {
        /// Two of them that lie far apart.
        outcomes: [usize; 2],
        /// Largest difference of a contact velocity between them, relative to the largest contact speed before.
        distance: f64,
        /// Sum of their errors, in the same unit.
        error: f64,
    },
    /// Not decided.
    Unknown {
        /// Why not.
        reason: String,
        /// What would decide it.
        remedy: String,
    },
}

/// Why an outcome is unique.
#[derive(Clone, Debug, PartialEq)]
pub enum Proof {
    /// No contact approaches.
    Nothing,
    /// One contact: Routh's path.
    SingleContact,
    /// Contacts that do not affect each other.
    Decoupled,
    /// One contact approaches, and its path by Routh's method reaches no other.
    Alone,
    /// Contacts without friction of which none separates and each presses the others (W_ij ≤ 0).
    Pressing,
    /// All outcomes lie within this spread (see [`Ambiguity::spread`]).
    Bound(f64),
}

impl Verdict {
    /// "unique", "ambiguous" or "unknown".
    pub fn name(&self) -> &'static str {
        match self {
            Self::Unique(_) => "unique",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// Why, in words.
    pub fn reason(&self) -> String {
        match self {
            Self::Unique(Proof::Nothing) => "no contact approaches".into(),
            Self::Unique(Proof::SingleContact) => "a single contact has one outcome (Routh's method)".into(),
            Self::Unique(Proof::Decoupled) => "the contacts do not affect each other".into(),
            Self::Unique(Proof::Alone) => {
                "one contact approaches, and no other is reached along its path (Routh's method)".into()
            }
            Self::Unique(Proof::Pressing) => {
                "contacts without friction that press each other all end at rest along their normals".into()
            }
            Self::Unique(Proof::Bound(spread)) => {
                format!("the outer bound leaves a spread of {spread:.1e} at most")
            }
            Self::Ambiguous { outcomes: [a, b], distance, error } => {
                format!("outcomes {a} and {b} differ by {distance:.2e}, their errors are {error:.1e}")
            }
            Self::Unknown { reason, remedy } => format!("{reason}; {remedy}"),
        }
    }
}

/// The verdict on a set of outcomes, with an outer bound if there is one.
pub fn verdict(set: &Outcomes, outer: Option<&Outer>) -> Result<Verdict, ImpactError> {
    let problem = set.problem();
    if let Some(proof) = structure(problem) {
        return Ok(Verdict::Unique(proof));
    }
    if let Some(found) = different(set) {
        return Ok(found);
    }
    let dropped = set.unfinished + set.unsolved;
    let inside = if set.is_empty() {
        format!("no solution was followed to its end, {dropped} were dropped")
    } else if dropped > 0 {
        format!("{} outcomes agree, {dropped} were dropped", set.len())
    } else {
        format!("{} outcomes agree, which proves nothing", set.len())
    };
    let Some(outer) = outer else {
        return Ok(Verdict::Unknown {
            reason: inside,
            remedy: "an outer bound would decide (--outer)".into(),
        });
    };
    let spread = outer.spread()?;
    if spread < ONE {
        return Ok(Verdict::Unique(Proof::Bound(spread)));
    }
    let reason = format!("{inside}, and the outer bound leaves a spread of {spread:.1e}");
    let remedy = match &outer.method {
        Method::Cells if problem.planar() => {
            "more samples, or an outer bound with more pieces, would decide".into()
        }
        Method::Cells => "more samples, or an outer bound with more sectors, would decide".into(),
        Method::Relaxation(why) => {
            format!("the outer bound is a coarse relaxation here ({why}); more samples may find a difference")
        }
    };
    Ok(Verdict::Unknown { reason, remedy })
}

/// Uniqueness that follows from which contacts affect which.
pub fn structure(problem: &Problem) -> Option<Proof> {
    let (m, n, side, t) = (problem.contacts(), problem.rows(), problem.side(), problem.tangents);
    if !problem.approaches() {
        return Some(Proof::Nothing);
    }
    if m == 1 {
        return Some(Proof::SingleContact);
    }
    // An impulse of c moves d if a row of c that carries impulse and a row of d that matters meet in W. Rows of tangents without
    // friction neither carry nor matter. W has a largest entry of one.
    let rows = |c: usize| c * side + if problem.mu[c] > 0.0 { 0 } else { t }..(c + 1) * side;
    let meet = |c: usize, d: usize| rows(c).any(|i| rows(d).any(|j| problem.w[i * n + j].abs() > 1e-13));
    // Contacts joined to one that approaches.
    let mut group: Vec<usize> = (0..m).collect();
    for c in 0..m {
        for d in 0..c {
            if meet(c, d) && group[c] != group[d] {
                let (from, to) = (group[c], group[d]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
    }
    let approaches = |c: usize| problem.normal(&problem.u, c) < -crate::TOLERANCE;
    let alone = (0..m).all(|c| !approaches(c) || group.iter().filter(|g| **g == group[c]).count() == 1);
    if alone {
        return Some(Proof::Decoupled);
    }
    if alone_to_the_end(problem) {
        return Some(Proof::Alone);
    }
    let normal = |c: usize| c * side + t;
    let pressing = problem.mu.iter().all(|mu| *mu == 0.0)
        && (0..m).all(|c| problem.normal(&problem.u, c) <= 1e-12)
        && (0..m).all(|c| (0..m).all(|d| c == d || problem.w[normal(c) * n + normal(d)] <= 0.0));
    pressing.then_some(Proof::Pressing)
}

/// Whether one contact approaches and all others stay apart along its path: until another touches, only it can act (eq. 6).
fn alone_to_the_end(problem: &Problem) -> bool {
    /// Distance from touching that the error of a path does not reach.
    const APART: f64 = 1e-8;
    let (m, n, side, t) = (problem.contacts(), problem.rows(), problem.side(), problem.tangents);
    let mut approaching = (0..m).filter(|&c| problem.normal(&problem.u, c) <= APART);
    let (Some(c), None) = (approaching.next(), approaching.next()) else { return false };
    let mut trace = Vec::new();
    resolve(problem, c, &mut problem.u.clone(), &mut vec![0.0; n], Some(&mut trace));
    let [Segment::Routh { points, .. }] = trace.as_slice() else { return false };
    (0..m).filter(|&d| d != c).all(|d| {
        let row = &problem.w[(d * side + t) * n + c * side..][..side];
        let friction = problem.mu[c] * row[..t].iter().map(|w| w * w).sum::<f64>().sqrt();
        // Rates of u_n at d over the normal impulse at c, whatever the direction of friction.
        let (slowest, fastest) = (row[t] - friction, row[t] + friction);
        let at = |p: &RouthPoint| {
            let tangent: f64 = (0..t).map(|k| row[k] * p.impulse[k]).sum();
            problem.normal(&problem.u, d) + tangent + row[t] * p.impulse.z
        };
        points.windows(2).all(|pair| {
            let (a, b, length) = (at(&pair[0]), at(&pair[1]), pair[1].impulse.z - pair[0].impulse.z);
            // The lowest point of a curve from a to b with slopes in this range.
            let lowest = if slowest >= 0.0 {
                a
            } else if fastest <= 0.0 {
                b
            } else {
                (a * fastest - b * slowest + slowest * fastest * length) / (fastest - slowest)
            };
            lowest > APART
        })
    })
}

/// Two outcomes that differ by more than their errors and the resolution.
fn different(set: &Outcomes) -> Option<Verdict> {
    let (outcomes, distance) = set.farthest();
    if set.len() < 2 {
        return None;
    }
    let [a, b] = outcomes;
    let error = set.errors[a] + set.errors[b];
    let Ambiguity { spread, .. } = set.ambiguity();
    (spread >= ONE && distance > ONE + 2.0 * error).then_some(Verdict::Ambiguous {
        outcomes,
        distance,
        error,
    })
}
