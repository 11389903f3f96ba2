//! Bodies in the plane at an impact, and pieces that the figures of impacts share.

use crate::failure::Failure;
use nalgebra::{DMatrix, DVector, Vector2};
use stiction::rigid::contact::Instant;
use stiction_impact::{Options, Origin, Outcomes, Outer, OuterOptions, Problem, check, outcomes, outer};

/// A contact of a planar body: place from the centre of mass, angle of its normal from the vertical (clockwise), friction.
#[derive(Clone, Copy)]
pub struct Corner {
    /// Across, m.
    pub x: f64,
    /// Up, m.
    pub z: f64,
    /// Angle of the normal from the vertical, clockwise, rad.
    pub angle: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// A body with coordinates (x, z, ω counter-clockwise) that touches at corners.
pub fn planar_body(
    mass: f64,
    inertia: f64,
    corners: &[Corner],
    velocity: [f64; 3],
) -> Result<Instant, Failure> {
    let mut jacobian = DMatrix::zeros(3 * corners.len(), 3);
    for (k, c) in corners.iter().enumerate() {
        let (sin, cos) = c.angle.sin_cos();
        // Velocity of the point: (v_x − ω z, v_z + ω x).
        for (row, (dx, dz)) in [(3 * k, (cos, -sin)), (3 * k + 2, (sin, cos))] {
            jacobian.row_mut(row).copy_from_slice(&[dx, dz, -c.z * dx + c.x * dz]);
        }
    }
    Instant::from_matrices(
        DMatrix::from_diagonal(&DVector::from_vec(vec![mass, mass, inertia])),
        jacobian,
        corners.iter().map(|c| Vector2::repeat(c.friction)).collect(),
        DVector::from_column_slice(&velocity),
    )
    .map_err(Failure::work)
}

/// The set of outcomes.
pub fn set(instant: &Instant, samples: usize) -> Result<Outcomes, Failure> {
    let problem = Problem::new(instant).map_err(Failure::work)?;
    outcomes(&problem, &Options { samples, ..Options::default() }).map_err(Failure::work)
}

/// The bound from outside.
pub fn bound(set: &Outcomes) -> Result<Outer, Failure> {
    outer(set.problem(), &OuterOptions::default()).map_err(Failure::work)
}

/// The largest gap between the outcomes and their bound, over the outcomes' width, of all velocity coordinates with a width; negative
/// where an outcome lies outside the bound.
pub fn largest_gap(set: &Outcomes, outer: &Outer) -> Result<f64, Failure> {
    let mut worst: f64 = 0.0;
    for (i, [least, greatest]) in outer.box_bounds().map_err(Failure::work)?.into_iter().enumerate() {
        let mut c = vec![0.0; set.nv];
        c[i] = 1.0;
        let (low, high) = set.extremes(&c);
        let (below, above, width) = (low.value - least, greatest - high.value, high.value - low.value);
        if below.min(above) < -1e-9 {
            return Ok(-1.0);
        }
        if width > 1e-3 {
            worst = worst.max((below + above) / width);
        }
    }
    Ok(worst)
}

/// The outcome of resolving contacts in this order.
pub fn sequence(set: &Outcomes, order: &[usize]) -> Result<usize, Failure> {
    find(set, &Origin::Sequence(order.to_vec()))
}

/// The outcome of all contacts at once.
pub fn at_once(set: &Outcomes) -> Result<usize, Failure> {
    find(set, &Origin::OneShot)
}

fn find(set: &Outcomes, origin: &Origin) -> Result<usize, Failure> {
    let place = set.origins.iter().position(|o| o == origin);
    place.ok_or_else(|| Failure::work(format!("the set has no outcome {origin:?}")))
}

/// Worst violation of the inclusion's conditions over `every`-th outcome.
pub fn worst_violation(set: &Outcomes, every: usize) -> f64 {
    (0..set.len()).step_by(every).map(|i| check(set.problem(), &set.trace(i)).worst()).fold(0.0, f64::max)
}

/// Largest kinetic energy after, over that before.
pub fn largest_energy(set: &Outcomes) -> f64 {
    let instant = set.problem().instant();
    let before = instant.kinetic_energy(instant.velocity());
    (0..set.len()).map(|i| set.kinetic_energy(i) / before).fold(0.0, f64::max)
}

/// Largest distance of a velocity of `from` to the nearest of `to` (rows of n numbers), weighted per coordinate.
pub fn one_sided(from: &[f64], to: &[f64], weights: &[f64]) -> f64 {
    let n = weights.len();
    from.chunks(n).map(|a| nearest(a, to, weights)).fold(0.0, f64::max)
}

/// Distance of a velocity to the nearest of `to`.
pub fn nearest(a: &[f64], to: &[f64], weights: &[f64]) -> f64 {
    let distance =
        |b: &[f64]| a.iter().zip(b).zip(weights).map(|((a, b), w)| w * (a - b).powi(2)).sum::<f64>();
    to.chunks(weights.len()).map(distance).fold(f64::INFINITY, f64::min).sqrt()
}
