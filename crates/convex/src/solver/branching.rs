//! Branches of a tree that constraints couple: the pattern of its block of the Hessian.
//!
//! A contact with the world couples the joints between it and the root, which already lie on one path. A contact
//! between two arms, or a tendon over two arms, couples both paths completely. In a tree that touches other cliques,
//! all these contacts are coupled as well, because eliminating the other cliques couples them.

use super::evaluate::range;
use super::island::{Island, SideJacobian};
use crate::linear::branches::join;
use crate::linear::symbolic::SMALL;

/// Joins the branches of the island's large cliques that its constraints couple.
pub fn join_branches(island: &mut Island) {
    if island.sizes.iter().all(|&n| n <= SMALL) {
        return;
    }
    let Island { cliques, pairs, columns, rows, row_segments, row_entries, parents, hooks, .. } = island;
    hooks.clear();
    hooks.resize(cliques.len(), None);
    // Joins dofs (ascending) of a clique, and with those that other cliques couple if one does.
    let mut chain = |clique: u32, shared: bool, dofs: &mut dyn Iterator<Item = u32>| {
        let c = &cliques[clique as usize];
        if c.n <= SMALL {
            return;
        }
        let parent = &mut parents[c.dof as usize..(c.dof + c.n) as usize];
        let hook = &mut hooks[clique as usize];
        let mut last = if shared { *hook } else { None };
        for dof in dofs {
            if let Some(last) = last {
                join(parent, last, dof);
            }
            last = last.max(Some(dof));
        }
        if shared {
            *hook = last;
        }
    };
    for pair in pairs.iter() {
        let sides = &pair.sides[..pair.side_count as usize];
        for side in sides {
            if let SideJacobian::Columns { at, count } = side.jacobian {
                // Unused lanes contain coordinate 0. Only the first lane can refer to the real coordinate 0.
                let packets = &columns[at as usize..(at + count) as usize];
                let lanes = packets.iter().flat_map(|c| c.dofs.iter().enumerate());
                let mut dofs = lanes.filter(|(lane, dof)| *lane == 0 || **dof != 0).map(|(_, dof)| *dof);
                chain(side.clique, sides.len() > 1, &mut dofs);
            }
        }
    }
    for row in rows.iter() {
        let segments = &row_segments[range(&row.segments)];
        for &(clique, begin, end) in segments {
            let first = cliques[clique as usize].dof;
            let mut dofs = row_entries[begin as usize..end as usize].iter().map(|e| e.0 - first);
            chain(clique, segments.len() > 1, &mut dofs);
        }
    }
}
