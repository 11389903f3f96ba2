//! Contacts whose friction waits for a normal impulse of this step.
//!
//! Lagged friction has the limit m = μ γ_n0 of the previous state. Where the normal impulse γ_n changes much within a step (an
//! impact, a load that comes or goes), friction is that of another load. Taking m = μ γ_n from the solve and solving again is a
//! fixed-point iteration on the limits m of Tresca friction, whose fixed points are the solutions of Coulomb's law with
//! m = μ γ_n of the same step (Haslinger 1983). A change of the limits by Δm changes the normal impulses by Δγ_n, so that
//! it contracts where μ ‖∂γ_n/∂m‖ < 1: for small μ, or where friction does not press a contact (a box on a floor, where
//! γ_n does not depend on m at all). Where bodies are wedged by friction it need not, and the number of solves is bounded.
//!
//! Only the limits of contacts that need it are changed:
//!
//! ```text
//! missing     μγ_n − m > max(s μγ_n, M v_s/N)  and  ‖v_t‖ > v_s
//! too much    ‖γ_t‖ − μγ_n > max(s ‖γ_t‖, M v_s/N)
//! ```
//!
//! with the effective mass M of the contact, the stiction tolerance v_s, the number N of contacts of the pair, and s =
//! [`SHARE`]. In the first case a contact slips although its load would carry more friction, in the second it carries
//! more than the cone allows. A change below M v_s/N cannot change the slip of the pair by more than v_s.

use super::Solver;
use super::compile_contact::PlaceIn;
use super::island::PackedContact;
use super::report::SolveReport;
use crate::problem::Problem;
use nalgebra::Vector3;

/// Error of the friction of a contact that is accepted, as a share of it.
pub const SHARE: f64 = 0.05;

/// What limits the friction of a contact in a solve.
#[derive(Debug, Clone, Copy)]
pub struct Lag {
    /// Index in the problem.
    pub contact: u32,
    /// μ.
    pub friction: f64,
    /// m = μ γ_n0, N s.
    pub limit: f64,
    /// Friction impulse that does not matter, M v_s/N with M ≤ 1/w, N s.
    pub negligible: f64,
    /// The normal impulse given for it when it was compiled.
    pub given: Option<f64>,
    /// Its local pair, and where it is evaluated.
    pub pair: u32,
    pub place: (PlaceIn, PackedContact),
}

impl Solver {
    /// Solves the problem of the last solve again from its solution, after nothing changed but the normal impulses given for friction
    /// ([`Problem::set_lagged_impulse`]). Islands whose contacts are all as they were keep their solution; the others are
    /// neither compiled nor ordered anew, and Newton's method begins with the directions of friction that it found.
    pub fn solve_for_friction(&mut self, problem: &Problem) -> &SolveReport {
        for island in &mut self.islands[..self.island_count] {
            island.due = island.change_lags(problem);
            island.report.start_again();
        }
        self.run(problem);
        &self.report
    }

    /// Adds the contacts whose friction had the limit of another load than that found by the last solve, with the normal
    /// impulses found (N s). None for models other than Lagged.
    ///
    /// A contact is meant if it slips although its load would carry at least 5 % more friction, or if it carries at least 5 %
    /// more than its load allows, unless the difference cannot change the slip of its pair by the stiction tolerance.
    pub fn late_friction(&self, problem: &Problem, late: &mut Vec<(usize, f64)>) {
        for lag in self.islands[..self.island_count].iter().flat_map(|island| &island.lags) {
            if let Some(normal) = self.lags(problem, lag) {
                late.push((lag.contact as usize, normal));
            }
        }
    }

    fn lags(&self, problem: &Problem, lag: &Lag) -> Option<f64> {
        let contact = lag.contact as usize;
        let entry = &problem.contacts[contact];
        let n = entry.frame.column(2).into_owned();
        let impulse = self.contact_impulses[contact];
        let normal = n.dot(&impulse).max(0.0);
        let allowed = lag.friction * normal;
        let missing = allowed - lag.limit;
        if missing.abs() <= lag.negligible.max(SHARE * allowed.max(lag.limit)) {
            return None;
        }
        let in_plane = |x: Vector3<f64>| (x - n * n.dot(&x)).norm();
        let slips = || in_plane(self.contact_velocities[contact]) > problem.settings.stiction_tolerance;
        // The impulse of friction by direction has no one limit; where it slips it is at its own.
        let late = if missing > 0.0 || entry.ellipse.is_some() {
            slips()
        } else {
            let tangential = in_plane(impulse);
            tangential - allowed > lag.negligible.max(SHARE * tangential)
        };
        late.then_some(normal)
    }
}
