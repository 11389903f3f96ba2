//! Bounds from outside: every velocity at which a solution of the inclusion can end lies within them.
//!
//! ```text
//! cells         planar impacts: reachable sets cell by cell, refined by keeping more of them apart   cells.rs, polytope.rs
//! relaxation    impacts in space: one cone program for each end of each quantity                      relaxation.rs
//! ```
//!
//! Both are sound up to rounding, for which bounds are widened by 1e-7 of the largest contact speed before. The sampled set is within;
//! the difference is what is not known.

mod cells;
mod polytope;
mod relaxation;

use crate::error::ImpactError;
use crate::problem::Problem;
use nalgebra::{DMatrix, DVector};

/// How outer bounds are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OuterOptions {
    /// Convex sets that a cell may hold before they are merged; more are tighter and slower.
    pub pieces: usize,
    /// Comparisons of generators at most (ten million are about a second); beyond, the coarser relaxation is used.
    pub work: u64,
}

impl Default for OuterOptions {
    fn default() -> Self {
        Self { pieces: 8, work: 20_000_000 }
    }
}

/// Which method gave the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// Cells of constant force: exact but for merged sets.
    Cells,
    /// One convex relaxation: impulses in their cones, no approach left, energy not risen. The reason says why cells were not used.
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
        let [low, high] = match self.method {
            Method::Cells => {
                let values =
                    self.pieces.iter().flatten().map(|v| v.iter().zip(c).map(|(v, c)| v * c).sum::<f64>());
                values.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)])
            }
            Method::Relaxation(_) => {
                let [low, high] = relaxation::bounds(&self.problem, &self.rows, &gradient)?;
                [before + low, before + high]
            }
        };
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
    let OuterOptions { pieces, work } = OuterOptions::default();
    let ends = cells::reach(problem, rows, pieces, work, true).ok()?;
    let all = ends.iter().flat_map(|e| &e.generators).map(|g| g[rows.ncols()]);
    Some(all.fold(0.0, f64::max) * (1.0 + 1e-7))
}

/// Computes an outer bound of the outcomes of an impact.
pub fn outer(problem: &Problem, options: &OuterOptions) -> Result<Outer, ImpactError> {
    if options.pieces == 0 {
        let allowed = "1 or more";
        return Err(ImpactError::Option { option: "pieces", value: 0.0, allowed });
    }
    let (rows, _) = problem.minimal();
    let map = problem.joint_map(&rows);
    let mut outer = Outer { problem: problem.clone(), method: Method::Cells, pieces: Vec::new(), map, rows };
    if !problem.approaches() {
        return Ok(outer);
    }
    let cells = if problem.planar() {
        cells::reach(problem, &outer.rows, options.pieces, options.work, false)
    } else {
        Err("slip turns in space".to_string())
    };
    match cells {
        Ok(sets) => {
            let before = problem.instant.velocity();
            let rank = outer.rows.ncols();
            let corner = |g: &polytope::Generator| {
                (before + &outer.map * DVector::from_column_slice(&g[..rank])).as_slice().to_vec()
            };
            outer.pieces = sets.iter().map(|s| s.generators.iter().map(corner).collect()).collect();
        }
        Err(reason) => outer.method = Method::Relaxation(reason),
    }
    Ok(outer)
}
