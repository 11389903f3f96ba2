//! Contact with friction, resolved at once, as a linear complementarity problem.
//!
//! With u⁺ = u + W λ, for each contact
//!
//! ```text
//! 0 ≤ λ_n ⟂ u_n⁺ + s ≥ 0        0 ≤ λ̄ − λ_n ⟂ s ≥ 0      (s only where the impulse has a cap λ̄)
//! λ_t = Σ d_k β_k               0 ≤ β_k ⟂ σ + d_k · u_t⁺ ≥ 0
//! 0 ≤ σ ⟂ μ λ_n − Σ β_k ≥ 0
//! ```
//!
//! (Anitescu and Potra). A [`FrictionShape::Pyramid`] has one σ for each of the two axes, so that
//! |λ_t1| ≤ μ₁ λ_n and |λ_t2| ≤ μ₂ λ_n apart; a [`FrictionShape::Polygon`] has one σ over all directions, and
//! its cone lies inside the round one. The matrix is copositive, and Lemke's method finds a solution.

use crate::lcp::{self, LcpError, Method};
use nalgebra::{DMatrix, DVector, Vector2};

/// The friction cone's cross-section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionShape {
    /// A rectangle along t1 and t2, each with its own coefficient.
    Pyramid,
    /// A regular polygon with this many corners (an even number, 4 at least) stretched by the coefficients.
    Polygon(usize),
}

/// A one-shot problem.
#[derive(Clone, Debug)]
pub struct FrictionProblem {
    /// W, three rows [t1 t2 n] a contact.
    pub delassus: DMatrix<f64>,
    /// Contact velocities before, m/s.
    pub velocity: DVector<f64>,
    /// Friction along t1 and t2.
    pub friction: Vec<Vector2<f64>>,
    /// Largest normal impulse of each contact, N s; none for no limit. A contact may keep approaching only
    /// where it takes its cap.
    pub cap: Option<Vec<f64>>,
    /// The cone.
    pub shape: FrictionShape,
}

/// Impulses that solve a [`FrictionProblem`].
#[derive(Clone, Debug)]
pub struct FrictionSolution {
    /// Impulses on B, [t1 t2 n] for each contact, N s.
    pub impulse: DVector<f64>,
    /// Contact velocities after, m/s.
    pub velocity: DVector<f64>,
    /// Residual of the complementarity problem, relative.
    pub residual: f64,
    /// The method that found it.
    pub method: Method,
    /// Pivots or sweeps.
    pub iterations: usize,
}

/// Solves the problem, or says how far the best attempt was off.
pub fn solve_friction(problem: &FrictionProblem) -> Result<FrictionSolution, LcpError> {
    let m = problem.friction.len();
    if problem.delassus.nrows() != 3 * m || problem.velocity.len() != 3 * m {
        return Err(LcpError::Shape {
            rows: problem.delassus.nrows(),
            columns: problem.delassus.ncols(),
            given: 3 * m,
        });
    }
    let layout = Layout::new(problem);
    // λ = E x and the rows of x's velocities are Eᵀ u⁺.
    let e = &layout.directions;
    let n = layout.size;
    let mut matrix = DMatrix::zeros(n, n);
    let k = e.ncols();
    let block = e.tr_mul(&(&problem.delassus * e));
    matrix.view_mut((0, 0), (k, k)).copy_from(&block);
    let mut q = DVector::zeros(n);
    q.rows_mut(0, k).copy_from(&e.tr_mul(&problem.velocity));
    for slack in &layout.slacks {
        for &beta in &slack.betas {
            matrix[(beta, slack.at)] = 1.0;
            matrix[(slack.at, beta)] = -1.0;
        }
        matrix[(slack.at, slack.normal)] = 1.0;
    }
    for &(at, normal, cap) in &layout.caps {
        matrix[(normal, at)] = 1.0;
        matrix[(at, normal)] = -1.0;
        q[at] = cap;
    }
    let solution = lcp::solve(&matrix, &q)?;
    let impulse = e * solution.z.rows(0, k);
    let velocity = &problem.velocity + &problem.delassus * &impulse;
    let lcp::LcpSolution { residual, method, iterations, .. } = solution;
    Ok(FrictionSolution { impulse, velocity, residual, method, iterations })
}

/// Where the unknowns stand: normals and directions β first, then σ, then s.
struct Layout {
    directions: DMatrix<f64>,
    slacks: Vec<Slack>,
    caps: Vec<(usize, usize, f64)>,
    size: usize,
}

struct Slack {
    at: usize,
    normal: usize,
    betas: Vec<usize>,
}

impl Layout {
    fn new(problem: &FrictionProblem) -> Self {
        let m = problem.friction.len();
        let mut columns: Vec<(usize, [f64; 3])> = Vec::new();
        let mut cones: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut normals = Vec::new();
        for (c, mu) in problem.friction.iter().enumerate() {
            let normal = columns.len();
            normals.push(normal);
            columns.push((c, [0.0, 0.0, 1.0]));
            // Directions are scaled by the coefficients: Σ β ≤ λ_n is then the whole cone.
            let corners = match problem.shape {
                FrictionShape::Pyramid => 4,
                FrictionShape::Polygon(corners) => corners.max(4).next_multiple_of(2),
            };
            let mut round = Vec::new();
            let mut axes = [Vec::new(), Vec::new()];
            for k in 0..corners {
                let angle = 2.0 * std::f64::consts::PI * k as f64 / corners as f64;
                let (s, c_) = if corners == 4 {
                    [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][k]
                } else {
                    angle.sin_cos()
                };
                let d = [mu[0] * c_, mu[1] * s, 0.0];
                if d[0].abs().max(d[1].abs()) < 1e-300 {
                    continue;
                }
                let column = columns.len();
                columns.push((c, d));
                round.push(column);
                axes[k % 2].push(column);
            }
            match problem.shape {
                FrictionShape::Pyramid => {
                    cones.extend(axes.into_iter().filter(|a| !a.is_empty()).map(|a| (normal, a)));
                }
                FrictionShape::Polygon(_) if round.is_empty() => {}
                FrictionShape::Polygon(_) => cones.push((normal, round)),
            }
        }
        let mut directions = DMatrix::zeros(3 * m, columns.len());
        for (k, (c, d)) in columns.iter().enumerate() {
            for r in 0..3 {
                directions[(3 * c + r, k)] = d[r];
            }
        }
        let mut size = columns.len();
        let mut next = || {
            size += 1;
            size - 1
        };
        let slacks = cones.into_iter().map(|(normal, betas)| Slack { at: next(), normal, betas }).collect();
        let caps = match &problem.cap {
            None => Vec::new(),
            Some(caps) => {
                (0..m).filter(|&c| caps[c].is_finite()).map(|c| (next(), normals[c], caps[c])).collect()
            }
        };
        Self { directions, slacks, caps, size }
    }
}
