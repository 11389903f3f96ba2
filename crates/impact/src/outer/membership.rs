//! Whether a velocity is one with which the impact can end.

use super::polytope::{Generator, WIDTH};
use super::{Method, Outer};
use crate::error::ImpactError;
use crate::outcomes::Outcomes;
use nalgebra::DVector;

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Membership {
    /// It is the velocity of a solution, up to the tolerance asked for. `nearest` is the outcome found that is nearest, at `distance`; if that is more than the
    /// tolerance, the cells of a planar impact have it.
    Outcome {
        /// Number of the nearest outcome, if there is one.
        nearest: Option<usize>,
        /// Its kinetic distance over the size of the part of the velocity that contacts can change.
        distance: f64,
    },
    /// No solution ends there.
    No {
        /// Why not.
        reason: String,
    },
    /// Not decided.
    Unknown {
        /// Number of the nearest outcome, if there is one.
        nearest: Option<usize>,
        /// Its distance.
        distance: f64,
    },
}

impl Membership {
    /// "yes", "no" or "unknown".
    pub fn name(&self) -> &'static str {
        match self {
            Self::Outcome { .. } => "yes",
            Self::No { .. } => "no",
            Self::Unknown { .. } => "unknown",
        }
    }
}

impl Outer {
    /// Whether the impact can end with the joint velocities `v`, up to `tolerance` (kinetic distance over the size of the part of the velocity that contacts can
    /// change). In the plane cells decide it both ways unless sets were merged. In space an outcome that was found decides for, and a bound in the
    /// direction of the nearest one, or of a coordinate, against.
    pub fn membership(&self, set: &Outcomes, v: &[f64], tolerance: f64) -> Result<Membership, ImpactError> {
        let instant = &self.problem.instant;
        if !(tolerance > 0.0 && tolerance.is_finite()) {
            let allowed = "a positive number";
            return Err(ImpactError::Option { option: "tolerance", value: tolerance, allowed });
        }
        if v.len() != instant.nv() || v.iter().any(|x| !x.is_finite()) {
            let allowed = "one finite number for each velocity coordinate";
            return Err(ImpactError::Option {
                option: "numbers in the velocity",
                value: v.len() as f64,
                allowed,
            });
        }
        let (_, y) = self.problem.minimal();
        let unit = (self.problem.speed * self.problem.impulse).sqrt();
        let size = unit * y.map_or(1.0, |y| y.norm());
        let v = DVector::from_column_slice(v);
        let norm = |d: &DVector<f64>| (2.0 * instant.kinetic_energy(d)).sqrt() / size;
        let change = &v - instant.velocity();
        if !self.problem.approaches() {
            let distance = norm(&change);
            return Ok(if distance <= tolerance {
                Membership::Outcome { nearest: None, distance }
            } else {
                Membership::No { reason: "nothing approaches, and the velocity stays what it is".into() }
            });
        }
        let (mut nearest, mut distance) = (None, f64::INFINITY);
        for i in 0..set.len() {
            let d = norm(&(&v - DVector::from_column_slice(set.velocity(i))));
            if d < distance {
                (nearest, distance) = (Some(i), d);
            }
        }
        if distance <= tolerance {
            return Ok(Membership::Outcome { nearest, distance });
        }
        // What contacts can change: z in minimal coordinates, whose norm is the kinetic one in units of `unit`.
        let gram = self.map.tr_mul(&self.map);
        let Some(read) = gram.try_inverse().map(|inverse| inverse * self.map.transpose()) else {
            return Ok(Membership::Unknown { nearest, distance });
        };
        let z = &read * &change;
        if norm(&(&change - &self.map * &z)) > tolerance {
            let reason = "no impulse at the contacts changes the velocity before to it".into();
            return Ok(Membership::No { reason });
        }
        if self.method == Method::Cells {
            let last = self.rows.ncols();
            let mut point: Generator = [0.0; WIDTH];
            point[..last].copy_from_slice(z.as_slice());
            point[last] = 1.0;
            let off = self.sets.iter().map(|s| s.distance(&point, last)).fold(f64::INFINITY, f64::min);
            let allowed = tolerance * size / unit;
            // `off` is measured in homogeneous coordinates: no more than the distance, and the distance no more than off (1 + the farthest corner).
            let corners =
                self.sets.iter().flat_map(|s| &s.generators).map(|g| g[..last].iter().map(|x| x * x).sum());
            let farthest = corners.fold(0.0, f64::max).sqrt();
            if self.exact && off * (1.0 + farthest) <= allowed {
                return Ok(Membership::Outcome { nearest, distance });
            }
            if off > allowed.max(1e-7) {
                return Ok(Membership::No {
                    reason: "it lies outside the cells that bound all outcomes".into(),
                });
            }
        }
        // Directions in which it may lie beyond the bound: from the nearest outcome, and coordinates.
        let nv = instant.nv();
        let towards = nearest.map(|i| instant.mass() * (&v - DVector::from_column_slice(set.velocity(i))));
        let axes = (0..nv).map(|k| DVector::from_fn(nv, |i, _| f64::from(u8::from(i == k))));
        for (k, c) in towards.into_iter().chain(axes).enumerate() {
            let [low, high] = self.bounds(c.as_slice())?;
            // As far beyond as the tolerance reaches along c: |c·d| ≤ ‖Bᵀ-part of c‖ ‖d‖.
            let reach = tolerance * size / unit * self.map.tr_mul(&c).norm();
            let value = c.dot(&v);
            if value < low - reach || value > high + reach {
                let reason = if k == 0 && nearest.is_some() {
                    "it lies beyond the bound in the direction from the nearest outcome".into()
                } else {
                    format!(
                        "its coordinate {} is {value:.6}, the bound is [{low:.6}, {high:.6}]",
                        k - usize::from(nearest.is_some())
                    )
                };
                return Ok(Membership::No { reason });
            }
        }
        Ok(Membership::Unknown { nearest, distance })
    }
}
