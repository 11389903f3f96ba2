//! Nonzero columns of the Jacobian of a pair's side, four at a time.
//!
//! A contact of a robot depends only on the joints between it and the root. J u, Jᵀ f and Jᵀ W J use only these
//! columns. Unused lanes of the last packet are zero columns of the first coordinate and add nothing.

use super::island::{Side, SideJacobian};
use crate::lanes::F4;
use crate::number::Number;
use crate::spatial::{V3, V6, shift_twist};

/// Four columns [angular; linear] of a Jacobian at the pair's point, sign included, by rows.
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns {
    /// Row i of the four.
    pub rows: [F4; 6],
    /// Their coordinates within the clique, ascending.
    pub dofs: [u32; 4],
}

impl Columns {
    /// Writes a column to a lane.
    pub fn set(&mut self, lane: usize, dof: u32, column: &V6) {
        self.dofs[lane] = dof;
        for i in 0..6 {
            self.rows[i].0[lane] = column[i];
        }
    }
}

/// twist += J u, with the clique's u.
#[inline(always)]
pub fn add_twist(columns: &[Columns], u: &[f64], twist: &mut V6) {
    let mut sum = [F4::default(); 6];
    for c in columns {
        let x = F4(std::array::from_fn(|lane| u[c.dofs[lane] as usize]));
        for i in 0..6 {
            sum[i] = sum[i].plus(c.rows[i], x);
        }
    }
    for i in 0..6 {
        twist[i] += sum[i].sum();
    }
}

/// out += Jᵀ wrench, for the clique's part of out.
#[inline(always)]
pub fn add_impulse(columns: &[Columns], wrench: &V6, out: &mut [f64]) {
    for c in columns {
        let mut x = F4::default();
        for i in 0..6 {
            x = x.plus(c.rows[i], F4::constant(wrench[i]));
        }
        for lane in 0..F4::LANES {
            out[c.dofs[lane] as usize] += x.0[lane];
        }
    }
}

/// The same of magnitudes, |Jᵀ| wrench.
pub fn add_magnitude(columns: &[Columns], wrench: &V6, out: &mut [f64]) {
    for c in columns {
        for lane in 0..F4::LANES {
            out[c.dofs[lane] as usize] += (0..6).map(|i| c.rows[i].0[lane].abs() * wrench[i]).sum::<f64>();
        }
    }
}

/// W J for a symmetric 6×6 W.
pub fn weigh(w: &[f64; 36], columns: &[Columns], out: &mut Vec<Columns>) {
    out.clear();
    out.extend(columns.iter().map(|c| {
        let mut rows = [F4::default(); 6];
        for k in 0..6 {
            for i in 0..6 {
                rows[i] = rows[i].plus(F4::constant(w[i + 6 * k]), c.rows[k]);
            }
        }
        Columns { rows, dofs: c.dofs }
    }));
}

/// block += J_rowᵀ (W J)_column, a column-major block of `n` rows; its part on and below the diagonal only if `lower`.
pub fn project(block: &mut [f64], n: usize, row: &[Columns], column: &[Columns], lower: bool) {
    for (k, c) in column.iter().enumerate() {
        // Unused lanes contain coordinate 0. Only the very first lane can refer to the real coordinate 0.
        let used = 1 + c.dofs[1..].iter().take_while(|dof| **dof != 0).count();
        for r in &row[if lower { k } else { 0 }..] {
            let [d0, .., d3] = r.dofs;
            for lane in 0..used {
                let mut x = F4::default();
                for i in 0..6 {
                    x = x.plus(r.rows[i], F4::constant(c.rows[i].0[lane]));
                }
                let target = &mut block[n * c.dofs[lane] as usize..][..n];
                if d3 == d0 + 3 {
                    let run = &mut target[d0 as usize..][..4];
                    for i in 0..4 {
                        run[i] += x.0[i];
                    }
                } else {
                    for i in 0..4 {
                        target[r.dofs[i] as usize] += x.0[i];
                    }
                }
            }
        }
    }
}

/// The columns of a side; those of a free body are put into `room`.
#[inline(always)]
pub fn columns_of<'a>(side: &Side, all: &'a [Columns], room: &'a mut [Columns; 2]) -> &'a [Columns] {
    match side.jacobian {
        SideJacobian::Columns { at, count } => &all[at as usize..(at + count) as usize],
        SideJacobian::Free { p, sign } => {
            *room = free_columns(p, sign);
            room
        }
    }
}

/// The columns of a free body whose reference point is at −p from the pair's point.
fn free_columns(p: V3, sign: f64) -> [Columns; 2] {
    let mut out = [Columns::default(); 2];
    for k in 0..6 {
        let mut unit = [0.0; 6];
        unit[k] = sign;
        out[k / 4].set(k % 4, k as u32, &shift_twist(unit, p));
    }
    out
}
