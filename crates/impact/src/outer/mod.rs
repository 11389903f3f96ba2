//! Bounds from outside: every velocity at which a solution of the inclusion can end lies within them.
//!
//! ```text
//! cells         reachable sets cell by cell, refined by keeping more of them apart and by more sectors of slip   cells.rs, polytope.rs
//! relaxation    cone programs for each end of each quantity, one for each order in which contacts end           relaxation.rs
//! membership    whether a velocity is one of the outcomes                                                       membership.rs
//! ```
//!
//! The plane has cells alone. In space cells are tried for up to four contacts, and both bounds hold. Both are sound up to rounding, for which bounds are widened by 1e-7 of the largest contact speed before. The sampled set is within;
//! the difference is what is not known.

mod cells;
mod membership;
mod polytope;
mod relaxation;

use crate::error::ImpactError;
use crate::problem::Problem;
pub use membership::Membership;
use nalgebra::{DMatrix, DVector};

/// Contacts in space up to which cells are tried.
const IN_SPACE: usize = 4;

/// How outer bounds are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OuterOptions {
    /// Convex sets that a cell may hold before they are merged; more are tighter and slower.
    pub pieces: usize,
    /// Comparisons of generators at most (ten million are about a second); beyond, the coarser relaxation is used.
    pub work: u64,
    /// Parts into which the directions of slip are divided in space: an even number from 4; more are tighter and slower.
    pub sectors: usize,
}

impl Default for OuterOptions {
    fn default() -> Self {
        Self { pieces: 8, work: 20_000_000, sectors: 4 }
    }
}

/// Which method gave the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Cells of velocity space: exact in the plane but for merged sets.
    Cells,
    /// Convex relaxations: impulses in their cones, no approach left, energy not risen. The reason says why cells were not used.
    Relaxation(String),
}

/// A set that holds every outcome.
#[derive(Clone, Debug)]
pub struct Outer {
    problem: Problem,
    /// What was used.
    pub method: Method,
    /// Corners of convex sets whose union holds every outcome, as joint velocities; empty for a relaxation.
    pub pieces: Vec<Vec<Vec<f64>>>,
    /// Whether every velocity in the pieces is an outcome.
    pub exact: bool,
    sets: Vec<polytope::Polytope>,
    /// Change of joint velocity per minimal coordinate.
    map: DMatrix<f64>,
    rows: DMatrix<f64>,
}

impl Outer {
    /// Least and greatest value that c·v (v the joint velocities after) can have.
    pub fn bounds(&self, c: &[f64]) -> Result<[f64; 2], ImpactError> {
        let before: f64 = self.problem.instant.velocity().iter().zip(c).map(|(v, c)| v * c).sum();
        if !self.problem.approaches() {
            return Ok([before, before]);
        }
        let gradient = self.map.tr_mul(&DVector::from_column_slice(c));
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        if self.method == Method::Cells {
            let values =
                self.pieces.iter().flatten().map(|v| v.iter().zip(c).map(|(v, c)| v * c).sum::<f64>());
            [low, high] = values.fold([high, low], |[l, h], x| [l.min(x), h.max(x)]);
        }
        if self.method != Method::Cells || !self.problem.planar() {
            let [least, greatest] = relaxation::bounds(&self.problem, &self.rows, &gradient)?;
            (low, high) = (low.max(before + least), high.min(before + greatest));
        }
        // Minimal coordinates have velocities of the order of one.
        let slack = 1e-7 * gradient.norm();
        let (middle, mut half) = (0.5 * (low + high), 0.5 * (high - low) + slack);
        for (name, factor) in [("outer-half", 0.5), ("outer-double", 2.0)] {
            if stiction_base::mutation::is(name) {
                half *= factor;
            }
        }
        if stiction_base::mutation::is("outer-loose") {
            half += 0.1;
        }
        Ok([middle - half, middle + half])
    }

    /// Bounds of every joint velocity.
    pub fn box_bounds(&self) -> Result<Vec<[f64; 2]>, ImpactError> {
        let nv = self.problem.instant.nv();
        let axis = |i: usize| {
            let mut c = vec![0.0; nv];
            c[i] = 1.0;
            c
        };
        (0..nv).map(|i| self.bounds(&axis(i))).collect()
    }

    /// The largest kinetic distance between two outcomes, from above, over the size of the part of the velocity that contacts can change
    /// (the unit of [`crate::Ambiguity::spread`]): the diagonal of the box around all outcomes in minimal coordinates.
    pub fn spread(&self) -> Result<f64, ImpactError> {
        if !self.problem.approaches() {
            return Ok(0.0);
        }
        let rank = self.map.ncols();
        let mut square = 0.0;
        // Rows that read minimal coordinates off joint velocities: z = map⁺ (v − v(0)), columns of map are independent.
        let gram = self.map.tr_mul(&self.map);
        let Some(inverse) = gram.try_inverse() else { return Ok(f64::INFINITY) };
        let read = inverse * self.map.transpose();
        for k in 0..rank {
            let row: Vec<f64> = read.row(k).iter().copied().collect();
            let [low, high] = self.bounds(&row)?;
            square += (high - low).powi(2);
        }
        let (_, y) = self.problem.minimal();
        let size = y.map_or(1.0, |y| y.norm());
        Ok(square.sqrt() / if size > 0.0 { size } else { 1.0 })
    }
}

/// The largest scaled sum of normal impulses that a planar resolution can need; none if cells do not bound it within the work allowed.
pub(crate) fn longest(problem: &Problem, rows: &DMatrix<f64>) -> Option<f64> {
    let ends = cells::reach(problem, rows, OuterOptions::default(), true).ok()?.ends;
    let all = ends.iter().flat_map(|e| &e.generators).map(|g| g[rows.ncols()]);
    Some(all.fold(0.0, f64::max) * (1.0 + 1e-7))
}

/// Computes an outer bound of the outcomes of an impact.
pub fn outer(problem: &Problem, options: &OuterOptions) -> Result<Outer, ImpactError> {
    if options.pieces == 0 {
        let allowed = "1 or more";
        return Err(ImpactError::Option { option: "pieces", value: 0.0, allowed });
    }
    if options.sectors < 4 || !options.sectors.is_multiple_of(2) {
        let allowed = "an even number from 4";
        return Err(ImpactError::Option { option: "sectors", value: options.sectors as f64, allowed });
    }
    let (rows, _) = problem.minimal();
    let map = problem.joint_map(&rows);
    let mut outer = Outer {
        problem: problem.clone(),
        method: Method::Cells,
        pieces: Vec::new(),
        exact: false,
        sets: Vec::new(),
        map,
        rows,
    };
    if !problem.approaches() {
        return Ok(outer);
    }
    let cells = if problem.planar() || problem.contacts() <= IN_SPACE {
        cells::reach(problem, &outer.rows, *options, false)
    } else {
        Err(format!("more than {IN_SPACE} contacts in space"))
    };
    match cells {
        Ok(cells::Reach { ends, exact }) => {
            let before = problem.instant.velocity();
            let rank = outer.rows.ncols();
            let corner = |g: &polytope::Generator| {
                (before + &outer.map * DVector::from_column_slice(&g[..rank])).as_slice().to_vec()
            };
            outer.pieces = ends.iter().map(|s| s.generators.iter().map(corner).collect()).collect();
            (outer.sets, outer.exact) = (ends, exact);
        }
        Err(reason) => outer.method = Method::Relaxation(reason),
    }
    Ok(outer)
}
