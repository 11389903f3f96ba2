//! Islands: cliques that share a constraint are solved together (union-find).

use super::compile::{Compiler, NONE};
use super::island::Island;
use crate::problem::{BodyId, Problem, RowPlace};

impl Compiler {
    pub(super) fn active(&self, problem: &Problem, pair: usize) -> bool {
        let p = &problem.pairs[pair];
        // Two parts of one free body do not move relative to each other.
        let moves = match (p.a, p.b) {
            (Some(a), Some(b)) => a != b || !is_free(problem, a),
            (a, b) => a.or(b).is_some(),
        };
        moves && (!p.contacts.is_empty() || self.row_start[pair] != self.row_start[pair + 1])
    }

    /// Sorts the rows on pairs by pair.
    pub(super) fn group_rows(&mut self, problem: &Problem) {
        self.row_start.clear();
        self.row_start.resize(problem.pairs.len() + 1, 0);
        for row in &problem.rows {
            if let RowPlace::Pair { pair, .. } = row.place {
                self.row_start[pair + 1] += 1;
            }
        }
        for i in 0..problem.pairs.len() {
            self.row_start[i + 1] += self.row_start[i];
        }
        self.row_list.clear();
        self.row_list.resize(*self.row_start.last().unwrap_or(&0) as usize, 0);
        // Filling backwards leaves the starts in place and the rows of a pair in their order.
        for (index, row) in problem.rows.iter().enumerate().rev() {
            if let RowPlace::Pair { pair, .. } = row.place {
                self.row_start[pair + 1] -= 1;
                self.row_list[self.row_start[pair + 1] as usize] = index as u32;
            }
        }
        // Now row_start[p + 1] is the start of pair p: move them back down.
        for i in 0..problem.pairs.len() {
            self.row_start[i] = self.row_start[i + 1];
        }
        if let Some(last) = self.row_start.last_mut() {
            *last = self.row_list.len() as u32;
        }
    }

    fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[i as usize];
            self.parent[i as usize] = self.parent[up as usize];
            i = up;
        }
        i
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
    }

    /// Joins the cliques that share a constraint.
    pub(super) fn connect(&mut self, problem: &Problem) {
        let n = problem.cliques.len();
        self.parent.clear();
        self.parent.extend(0..n as u32);
        self.touched.clear();
        self.touched.resize(n, false);
        for pair in 0..problem.pairs.len() {
            if !self.active(problem, pair) {
                continue;
            }
            let p = &problem.pairs[pair];
            let clique = |id: BodyId| problem.bodies[id.0 as usize].clique;
            for id in [p.a, p.b].into_iter().flatten() {
                self.touched[clique(id)] = true;
            }
            if let (Some(a), Some(b)) = (p.a, p.b) {
                self.union(clique(a) as u32, clique(b) as u32);
            }
        }
        for row in &problem.rows {
            if let RowPlace::Coordinates { range, .. } = &row.place {
                let mut first = NONE;
                for &(dof, coefficient) in &problem.coordinates[range.clone()] {
                    if coefficient == 0.0 {
                        continue;
                    }
                    let clique = clique_of_dof(problem, dof) as u32;
                    self.touched[clique as usize] = true;
                    if first == NONE {
                        first = clique;
                    } else if clique != first {
                        self.union(first, clique);
                    }
                }
            }
        }
    }

    /// Numbers islands by their lowest clique.
    pub(super) fn assign(&mut self, problem: &Problem, islands: &mut Vec<Island>) -> usize {
        let n = problem.cliques.len();
        self.island_of.clear();
        self.island_of.resize(n, NONE);
        self.local_of.clear();
        self.local_of.resize(n, NONE);
        let mut count = 0;
        for c in 0..n {
            if !self.touched[c] {
                continue;
            }
            let root = self.find(c as u32) as usize;
            if self.island_of[root] == NONE {
                self.island_of[root] = count as u32;
                count += 1;
                if islands.len() < count {
                    islands.push(Island::default());
                }
                islands[count - 1].clear();
            }
            self.island_of[c] = self.island_of[root];
        }
        count
    }
}

/// Whether a body is a free one.
pub fn is_free(problem: &Problem, id: BodyId) -> bool {
    problem.cliques[problem.bodies[id.0 as usize].clique].free.is_some()
}

/// The clique of a dof.
pub fn clique_of_dof(problem: &Problem, dof: u32) -> usize {
    problem.cliques.partition_point(|c| c.dof + c.n <= dof as usize)
}
