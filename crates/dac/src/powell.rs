//! Powell's hybrid method for F(x) = 0: Newton steps bent towards steepest descent within a trust region, with a
//! Jacobian that is measured once and then updated (Powell 1970; Broyden's update).

use nalgebra::{DMatrix, DVector};

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowellOptions {
    /// Norm of F at which to stop.
    pub tolerance: f64,
    /// Evaluations of F allowed.
    pub evaluations: usize,
    /// Step of the finite differences, in the unit of x.
    pub difference: f64,
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct PowellEnd {
    /// The best x.
    pub x: DVector<f64>,
    /// Norm of F there.
    pub residual: f64,
    /// Evaluations of F.
    pub evaluations: usize,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

/// Looks for a zero of `f` from `x`. `f` may fail; its error ends the search.
pub fn powell<E>(
    mut f: impl FnMut(&DVector<f64>) -> Result<DVector<f64>, E>,
    x: DVector<f64>,
    options: &PowellOptions,
) -> Result<PowellEnd, E> {
    let n = x.len();
    let mut x = x;
    let mut value = f(&x)?;
    let mut count = 1;
    let mut radius = f64::INFINITY;
    let mut failures = usize::MAX; // a Jacobian is due
    let mut jacobian = DMatrix::zeros(value.len(), n);
    while value.norm() > options.tolerance && count < options.evaluations {
        if failures >= 2 {
            if failures > 2 && failures != usize::MAX {
                break; // a fresh Jacobian did not help either
            }
            for k in 0..n {
                let mut moved = x.clone();
                moved[k] += options.difference;
                jacobian.set_column(k, &((f(&moved)? - &value) / options.difference));
            }
            count += n;
            failures = if failures == usize::MAX { 0 } else { 3 };
        }
        let Some(step) = dogleg(&jacobian, &value, radius) else { break };
        let next = &x + &step;
        let there = f(&next)?;
        count += 1;
        let predicted = value.norm() - (&value + &jacobian * &step).norm();
        let gained = value.norm() - there.norm();
        // Broyden: the secant along the step.
        let length = step.norm_squared();
        if length > 0.0 {
            let misfit = &there - &value - &jacobian * &step;
            jacobian += misfit * step.transpose() / length;
        }
        let worked = gained > 1e-4 * predicted;
        radius = if gained < 0.25 * predicted { 0.5 * step.norm() } else { radius.max(2.0 * step.norm()) };
        if worked {
            x = next;
            value = there;
            failures = 0;
        } else {
            failures += 1;
        }
    }
    let residual = value.norm();
    Ok(PowellEnd { x, residual, evaluations: count, converged: residual <= options.tolerance })
}

/// The step within `radius`: Newton's, steepest descent's, or the kink between.
fn dogleg(jacobian: &DMatrix<f64>, value: &DVector<f64>, radius: f64) -> Option<DVector<f64>> {
    let newton = jacobian.clone().lu().solve(&-value).filter(|s| s.iter().all(|x| x.is_finite()));
    if let Some(step) = &newton
        && step.norm() <= radius
    {
        return newton;
    }
    let gradient = jacobian.tr_mul(value);
    let slope = (jacobian * &gradient).norm_squared();
    if slope <= 0.0 {
        return None;
    }
    let cauchy = &gradient * (-gradient.norm_squared() / slope);
    if cauchy.norm() >= radius {
        return Some(&cauchy * (radius / cauchy.norm()));
    }
    let Some(newton) = newton else { return Some(cauchy) };
    // |cauchy + s (newton − cauchy)| = radius
    let along = &newton - &cauchy;
    let (a, b, c) = (along.norm_squared(), 2.0 * cauchy.dot(&along), cauchy.norm_squared() - radius * radius);
    let s = (-b + (b * b - 4.0 * a * c).max(0.0).sqrt()) / (2.0 * a);
    Some(cauchy + along * s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curved_system_and_a_kinked_one_are_solved() {
        let options = PowellOptions { tolerance: 1e-10, evaluations: 200, difference: 1e-7 };
        let curved = |x: &DVector<f64>| {
            let (a, b) = (x[0], x[1]);
            Ok::<_, ()>(DVector::from_vec(vec![10.0 * (b - a * a), 1.0 - a]))
        };
        let end = powell(curved, DVector::from_vec(vec![-1.2, 1.0]), &options).unwrap();
        assert!(end.converged && (end.x - DVector::repeat(2, 1.0)).norm() < 1e-8);
        let kinked = |x: &DVector<f64>| {
            Ok::<_, ()>(DVector::from_vec(vec![x[0] + (x[0] + x[1]).max(0.0) - 3.0, x[1] - x[0].abs() + 0.5]))
        };
        let end = powell(kinked, DVector::from_vec(vec![-2.0, 0.0]), &options).unwrap();
        assert!(end.converged, "{end:?}");
        assert!(kinked(&end.x).unwrap().norm() < 1e-10);
    }
}
