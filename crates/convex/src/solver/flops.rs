//! Operation counts of a solve.
//!
//! Counted from sizes, for the fast path of contacts; a square root or a division counts as one. The counts of
//! factorisation and substitution are exact for the stored entries. The others are approximate per lane.

use super::island::{Island, SideJacobian};
use crate::linear::symbolic::SMALL;

/// Operations of one contact in [`crate::packet`]: laws and 6×6, following a step, preparing a line, ℓ′ and ℓ″ on it.
const LAWS: f64 = 170.0;
const FOLLOW: f64 = 25.0;
const PREPARE: f64 = 75.0;
const LINE: f64 = 30.0;
/// Operations of a pair of two free bodies in the Hessian, and of a pair with one.
const FREE_PAIR: f64 = 450.0;
const FREE_BODY: f64 = 150.0;

/// Floating-point operations by stage; zero unless stage times are enabled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flops {
    /// Evaluating laws and the gradient.
    pub evaluate: f64,
    /// Assembling the Hessian.
    pub assemble: f64,
    /// Factorisation.
    pub factor: f64,
    /// Substitution.
    pub substitute: f64,
    /// Line search.
    pub line_search: f64,
}

impl Flops {
    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        self.evaluate += other.evaluate;
        self.assemble += other.assemble;
        self.factor += other.factor;
        self.substitute += other.substitute;
        self.line_search += other.line_search;
    }
}

impl Island {
    /// Operation counts of the last solve.
    pub fn flops(&self) -> Flops {
        let (iterations, lines) = (self.report.iterations as f64, self.report.line_evaluations as f64);
        let turning = self.turning.len() + self.turning_springs.len();
        let packets = self.packets.len() + self.springs.len() + turning;
        let contacts = 4.0 * packets as f64 + self.contacts.len() as f64;
        let rows = (self.pair_rows.len() + self.rows.len()) as f64;
        let momentum: f64 = self.cliques.iter().map(|c| 2.0 * f64::from(c.n * c.n)).sum();
        let (mut pairs, mut hessian) = (0.0, 0.0);
        for pair in &self.pairs {
            let sides = &pair.sides[..pair.side_count as usize];
            let columns = |k: usize| match sides[k].jacobian {
                SideJacobian::Columns { count, .. } => 4.0 * f64::from(count),
                SideJacobian::Free { .. } => 6.0,
            };
            let free = sides.iter().all(|s| matches!(s.jacobian, SideJacobian::Free { .. }));
            pairs += (0..sides.len()).map(|k| 12.0 * columns(k)).sum::<f64>();
            hessian += match (free, sides.len()) {
                (true, 2) => FREE_PAIR,
                (true, _) => FREE_BODY,
                (false, 2) => {
                    let (m, n) = (columns(0), columns(1));
                    72.0 * (m + n) + 12.0 * (0.5 * (m * m + n * n) + m * n)
                }
                (false, _) => 72.0 * columns(0) + 6.0 * columns(0) * columns(0),
            };
        }
        let (factor, stored) = self.factor.operations();
        Flops {
            evaluate: (iterations + 1.0) * (LAWS * contacts + 10.0 * rows + momentum + pairs),
            assemble: iterations * hessian,
            factor: iterations * factor,
            substitute: iterations * 4.0 * stored,
            line_search: iterations * ((PREPARE + FOLLOW) * contacts + momentum + pairs)
                + lines * (LINE * contacts + 10.0 * rows),
        }
    }
}

impl crate::linear::cholesky::BlockCholesky {
    /// Operations of a factorisation, and the numbers it stores.
    fn operations(&self) -> (f64, f64) {
        let s = &self.symbolic;
        let (mut operations, mut stored) = (0.0, 0.0);
        for j in 0..s.block_count() {
            let n = f64::from(s.size_at[j]);
            let (own, kept) = match s.large[j] {
                Some(b) if s.size_at[j] > SMALL => self.branches[b as usize].operations(),
                _ => (n * n * n / 3.0, 0.5 * n * n),
            };
            operations += own;
            stored += kept;
            let below = &s.rows[s.column[j] as usize..s.column[j + 1] as usize];
            let size = |row: u32| f64::from(s.size_at[row as usize]);
            for (k, &row) in below.iter().enumerate() {
                stored += n * size(row);
                operations += n * n * size(row);
                // The block of the diagonal is symmetric, but done as a whole.
                operations += below[k..].iter().map(|&other| 2.0 * n * size(row) * size(other)).sum::<f64>();
            }
        }
        (operations, stored)
    }
}
