//! Compilation of a problem to islands.
//!
//! All quantities that do not depend on v are computed here: shifted Jacobians, the lagged normal impulse, ε of ICF
//! eq. 44, the regularisation of SAP and rows with the Delassus estimate w, and the Hessian blocks of each pair.

use super::branching::join_branches;
use super::columns::Columns;
use super::compile_contact::{PairContext, RowScale, add_contact, row_scale};
use super::evaluate::multiply;
use super::island::{Island, LocalClique, LocalPair, LocalPairRow, LocalRow, Side, SideJacobian};
use super::islands::{clique_of_dof, is_free};
use super::transform::{add_delassus, body_delassus, shift_columns};
use crate::free_body as free;
use crate::lanes::F4;
use crate::problem::{BodyId, Problem, RowPlace};
use crate::spatial::{V3, V6, shift_twist, sub};
use stiction_base::fused::Fused;

/// No index.
pub const NONE: u32 = u32::MAX;

/// Scratch of the compilation, kept between solves.
#[derive(Debug, Default)]
pub struct Compiler {
    pub(super) parent: Vec<u32>,
    pub(super) touched: Vec<bool>,
    /// Island and local index of each clique.
    pub island_of: Vec<u32>,
    pub(super) local_of: Vec<u32>,
    /// J diag(A)⁻¹ Jᵀ of each body at its reference point.
    delassus: Vec<[f64; 36]>,
    /// Twist of each body at the previous velocities.
    twists: Vec<V6>,
    /// Rows of each pair, compressed.
    pub(super) row_start: Vec<u32>,
    pub(super) row_list: Vec<u32>,
    /// Columns of each body's Jacobian that are not zero, and where they start.
    active: Vec<u32>,
    active_start: Vec<u32>,
    /// Columns of the current side, with their dofs.
    side: Vec<(u32, V6)>,
    dense: Vec<f64>,
    other: Vec<f64>,
    row: SparseRow,
    /// Whether rows need a second pass.
    pub held: bool,
}

/// The part of a row in one clique.
#[derive(Debug, Default)]
struct SparseRow {
    /// Dofs of the clique with an entry, ascending.
    dofs: Vec<u32>,
    /// Coefficient of each dof of the clique; zero where there is no entry.
    sums: Vec<f64>,
}

impl SparseRow {
    /// Forgets the entries.
    fn clear(&mut self) {
        self.dofs.drain(..).for_each(|k| self.sums[k as usize] = 0.0);
    }

    /// Takes the entries of `n` dofs from `first` on, of which several may belong to one dof.
    fn gather(&mut self, entries: &[(u32, f64)], first: u32, n: usize) {
        self.clear();
        if self.sums.len() < n {
            self.sums.resize(n, 0.0);
        }
        for &(dof, coefficient) in entries {
            if (first..first + n as u32).contains(&dof) {
                self.dofs.push(dof - first);
                self.sums[(dof - first) as usize] += coefficient;
            }
        }
        self.dofs.sort_unstable();
        self.dofs.dedup();
    }

    /// Dofs and coefficients that are not zero.
    fn entries(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.dofs.iter().map(|&k| (k, self.sums[k as usize])).filter(|(_, x)| *x != 0.0)
    }
}

impl Compiler {
    /// Compiles `problem` into the first islands of `islands` and returns their number.
    pub fn compile(&mut self, problem: &Problem, islands: &mut Vec<Island>) -> usize {
        self.held = false;
        self.group_rows(problem);
        self.connect(problem);
        let count = self.assign(problem, islands);
        self.prepare_bodies(problem);
        self.add_cliques(problem, islands);
        self.add_pairs(problem, islands);
        self.add_rows(problem, islands);
        for island in &mut islands[..count] {
            finish(island);
        }
        count
    }

    fn prepare_bodies(&mut self, problem: &Problem) {
        self.delassus.clear();
        self.twists.clear();
        self.active.clear();
        self.active_start.clear();
        for body in &problem.bodies {
            let clique = &problem.cliques[body.clique];
            self.active_start.push(self.active.len() as u32);
            if self.island_of[body.clique] == NONE {
                self.delassus.push([0.0; 36]);
                self.twists.push([0.0; 6]);
                continue;
            }
            let a = &problem.a[clique.a..clique.a + clique.n * clique.n];
            let v0 = &problem.v0[clique.dof..clique.dof + clique.n];
            if let Some(r) = &clique.free {
                self.delassus.push(free::delassus(r, a));
                self.twists.push(free::twist(r, v0));
                continue;
            }
            let jacobian = &problem.jacobians[body.jacobian..body.jacobian + 6 * clique.n];
            let (mut delassus, mut twist) = ([0.0; 36], [0.0; 6]);
            for (k, column) in jacobian.chunks_exact(6).enumerate() {
                let column: &V6 = column.try_into().expect("six rows");
                if clique.n > 6 && *column == [0.0; 6] {
                    continue;
                }
                self.active.push(k as u32);
                add_delassus(&mut delassus, column, a[k + clique.n * k]);
                for i in 0..6 {
                    twist[i] = column[i].fused(v0[k], twist[i]);
                }
            }
            self.delassus.push(delassus);
            self.twists.push(twist);
        }
        self.active_start.push(self.active.len() as u32);
    }

    fn add_cliques(&mut self, problem: &Problem, islands: &mut [Island]) {
        for (index, clique) in problem.cliques.iter().enumerate() {
            if self.island_of[index] == NONE {
                continue;
            }
            let island = &mut islands[self.island_of[index] as usize];
            self.local_of[index] = island.cliques.len() as u32;
            let (n, dof) = (clique.n, island.u0.len());
            let a = &problem.a[clique.a..clique.a + n * n];
            let at = island.a.len();
            let range = clique.dof..clique.dof + n;
            let (v0, applied) = (&problem.v0[range.clone()], &problem.applied[range.clone()]);
            let mut rotation = None;
            match &clique.free {
                None => {
                    island.a.extend_from_slice(a);
                    island.u0.extend_from_slice(v0);
                    island.applied.extend_from_slice(applied);
                }
                Some(r) => {
                    rotation = Some(island.rotations.len() as u32);
                    island.rotations.push(*r);
                    island.a.extend_from_slice(&free::similarity(r, a));
                    island.u0.extend_from_slice(&free::twist(r, v0));
                    island.applied.extend_from_slice(&free::twist(r, applied));
                }
            }
            let a = &island.a[at..at + n * n];
            island.d.extend((0..n).map(|i| 1.0 / a[i + n * i].sqrt()));
            island.momentum0.resize(dof + n, 0.0);
            multiply(a, &island.u0[dof..dof + n], &mut island.momentum0[dof..dof + n], n);
            island.cliques.push(LocalClique {
                global_dof: clique.dof as u32,
                dof: dof as u32,
                n: n as u32,
                a: at as u32,
                rotation,
            });
            island.sizes.push(n as u32);
            island.parents.extend_from_slice(&problem.parents[clique.dof..clique.dof + n]);
        }
    }

    /// Adds `sign` times the Jacobian of body `id` at `point`, in the clique's coordinates u, to `self.side`.
    fn side_columns(&mut self, problem: &Problem, id: BodyId, point: V3, sign: f64) {
        let body = &problem.bodies[id.0 as usize];
        let n = problem.cliques[body.clique].n;
        let jacobian = &problem.jacobians[body.jacobian..body.jacobian + 6 * n];
        let p = sub(point, body.point.into());
        let before = self.side.len();
        let range = self.active_start[id.0 as usize] as usize..self.active_start[id.0 as usize + 1] as usize;
        let column = |k: u32| jacobian[6 * k as usize..6 * k as usize + 6].try_into().expect("six rows");
        self.side.extend(self.active[range].iter().map(|&k| (k, column(k))));
        for (_, column) in &mut self.side[before..] {
            *column = shift_twist(*column, p).map(|x| sign * x);
        }
        if before > 0 {
            // Within one clique the two sides are merged, with the difference of their Jacobians.
            self.side.sort_unstable_by_key(|(dof, _)| *dof);
            self.side.dedup_by(|second, first| {
                let same = first.0 == second.0;
                if same {
                    (0..6).for_each(|i| first.1[i] += second.1[i]);
                }
                same
            });
        }
    }

    /// Adds the collected columns to the island.
    fn place_side(&mut self, island: &mut Island) -> SideJacobian {
        let at = island.columns.len() as u32;
        for four in self.side.chunks(F4::LANES) {
            let mut columns = Columns::default();
            for (lane, (dof, column)) in four.iter().enumerate() {
                columns.set(lane, *dof, column);
            }
            island.columns.push(columns);
        }
        self.side.clear();
        SideJacobian::Columns { at, count: island.columns.len() as u32 - at }
    }

    fn add_pairs(&mut self, problem: &Problem, islands: &mut [Island]) {
        for index in 0..problem.pairs.len() {
            if !self.active(problem, index) {
                continue;
            }
            let pair = &problem.pairs[index];
            let any = pair.b.or(pair.a).expect("active pairs have a body");
            let island = &mut islands[self.island_of[problem.bodies[any.0 as usize].clique] as usize];
            // The solver's point: a free body's own reference, which needs no shift, or the caller's point.
            let caller: V3 = pair.point.into();
            let point = [pair.b, pair.a]
                .into_iter()
                .flatten()
                .find(|&id| is_free(problem, id))
                .map_or(caller, |id| problem.bodies[id.0 as usize].point.into());
            let shift = sub(point, caller);
            let bias: [f64; 6] = pair.bias.into();
            let mut local = LocalPair {
                global: index as u32,
                shift,
                bias: shift_twist(bias, shift),
                sides: [Side {
                    clique: 0,
                    dof: 0,
                    n: 0,
                    jacobian: SideJacobian::Columns { at: 0, count: 0 },
                    diagonal: 0,
                }; 2],
                side_count: 0,
                coupling: (0, false),
                packets: island.packets.len() as u32..0,
                springs: island.springs.len() as u32..0,
                turning: island.turning.len() as u32..0,
                turning_springs: island.turning_springs.len() as u32..0,
                contacts: island.contacts.len() as u32..0,
                rows: island.pair_rows.len() as u32..0,
                context: PairContext {
                    shift,
                    twist0: shift_twist(bias, shift),
                    delassus: [0.0; 36],
                    trace: (0.0, 0.0),
                    contacts: pair.contacts.len(),
                },
            };
            let mut context = local.context;
            self.add_sides(problem, island, pair.a, pair.b, point, &mut local, &mut context);
            let mut lanes = [F4::LANES; 4]; // the first contact of a kind opens a packet
            for c in pair.contacts.clone() {
                add_contact(problem, island, c, (island.pairs.len(), &context), &mut lanes);
            }
            local.packets.end = island.packets.len() as u32;
            local.springs.end = island.springs.len() as u32;
            local.turning.end = island.turning.len() as u32;
            local.turning_springs.end = island.turning_springs.len() as u32;
            local.contacts.end = island.contacts.len() as u32;
            let rows = self.row_start[index] as usize..self.row_start[index + 1] as usize;
            let scale =
                if rows.is_empty() { RowScale::default() } else { row_scale(problem, pair, &context) };
            for &row in &self.row_list[rows] {
                let stated = &problem.rows[row as usize];
                let RowPlace::Pair { direction, .. } = &stated.place else { continue };
                let d: [f64; 6] = (*direction).into();
                // w·V at P equals w'·V' at P': the direction moves like a wrench.
                let direction = crate::spatial::shift_wrench(d, shift);
                let w = scale.along(&d);
                let (law, held) = stated.law.compile_with_lever(problem.dt, w, scale.lever());
                self.held |= held;
                island.pair_rows.push(LocalPairRow { global: row, direction, law });
            }
            local.rows.end = island.pair_rows.len() as u32;
            local.context = context;
            if local.side_count == 2 {
                let (a, b) = (local.sides[0].clique, local.sides[1].clique);
                island.edges.push((a.max(b), a.min(b)));
            }
            island.pairs.push(local);
        }
    }

    fn add_sides(
        &mut self,
        problem: &Problem,
        island: &mut Island,
        a: Option<BodyId>,
        b: Option<BodyId>,
        point: V3,
        local: &mut LocalPair,
        context: &mut PairContext,
    ) {
        let clique_of = |id: BodyId| problem.bodies[id.0 as usize].clique;
        let same = matches!((a, b), (Some(a), Some(b)) if clique_of(a) == clique_of(b));
        for (id, sign) in [(b, 1.0), (a, -1.0)] {
            let Some(id) = id else { continue };
            let body = &problem.bodies[id.0 as usize];
            let clique = island.cliques[self.local_of[body.clique] as usize];
            let p = sub(point, body.point.into());
            let clique_index = self.local_of[body.clique];
            let jacobian = if is_free(problem, id) {
                Some(SideJacobian::Free { p, sign })
            } else {
                self.side_columns(problem, id, point, sign);
                // Of two bodies of one clique the second completes the one side.
                (!same || sign < 0.0).then(|| self.place_side(island))
            };
            if let Some(jacobian) = jacobian {
                let (dof, n) = (clique.dof, clique.n);
                local.sides[local.side_count as usize] =
                    Side { clique: clique_index, dof, n, jacobian, diagonal: 0 };
                local.side_count += 1;
            }
            let mut k = self.delassus[id.0 as usize];
            if p != [0.0; 3] {
                // X K Xᵀ
                shift_columns(&mut k, p);
                transpose(&mut k);
                shift_columns(&mut k, p);
            }
            for i in 0..36 {
                context.delassus[i] += k[i];
            }
            // Previous relative twist.
            let twist = shift_twist(self.twists[id.0 as usize], p);
            for i in 0..6 {
                context.twist0[i] += sign * twist[i];
            }
        }
        let [a0, a1, a2, x, y, z] = std::array::from_fn(|i| context.delassus[i + 6 * i]);
        context.trace = ((x + y + z).sqrt(), (a0 + a1 + a2).sqrt());
        if same {
            // ‖J_b − J_a‖² ≤ 2 (‖J_b‖² + ‖J_a‖²)
            context.trace = (2f64.sqrt() * context.trace.0, 2f64.sqrt() * context.trace.1);
            self.same_clique_delassus(problem, a, b, point, context);
        }
    }

    /// J diag(A)⁻¹ Jᵀ of two bodies of one clique, from the difference of their Jacobians.
    fn same_clique_delassus(
        &mut self,
        problem: &Problem,
        a: Option<BodyId>,
        b: Option<BodyId>,
        point: V3,
        context: &mut PairContext,
    ) {
        let (Some(a), Some(b)) = (a, b) else { return };
        let (a, b) = (&problem.bodies[a.0 as usize], &problem.bodies[b.0 as usize]);
        let clique = &problem.cliques[a.clique];
        let n = clique.n;
        self.dense.clear();
        self.dense.extend_from_slice(&problem.jacobians[b.jacobian..b.jacobian + 6 * n]);
        shift_columns(&mut self.dense, sub(point, b.point.into()));
        self.other.clear();
        self.other.extend_from_slice(&problem.jacobians[a.jacobian..a.jacobian + 6 * n]);
        shift_columns(&mut self.other, sub(point, a.point.into()));
        for (x, y) in self.dense.iter_mut().zip(&self.other) {
            *x -= y;
        }
        context.delassus = body_delassus(&self.dense, &problem.a[clique.a..clique.a + n * n], n);
    }

    fn add_rows(&mut self, problem: &Problem, islands: &mut [Island]) {
        for (index, row) in problem.rows.iter().enumerate() {
            let RowPlace::Coordinates { range, bias } = &row.place else { continue };
            let entries = &problem.coordinates[range.clone()];
            let Some(first) = entries.iter().find(|e| e.1 != 0.0) else { continue };
            let island = &mut islands[self.island_of[clique_of_dof(problem, first.0)] as usize];
            let entry_start = island.row_entries.len() as u32;
            let segment_start = island.row_segments.len() as u32;
            let mut w = 0.0;
            // Gathered clique by clique, in the order cliques first appear. Most rows have few entries and one clique, so the
            // work is in their entries and not in the dofs of the clique.
            for &(dof, coefficient) in entries {
                let within = |c: &LocalClique| (c.global_dof..c.global_dof + c.n).contains(&dof);
                let known = &island.row_segments[segment_start as usize..];
                if coefficient == 0.0 || known.iter().any(|s| within(&island.cliques[s.0 as usize])) {
                    continue;
                }
                let clique = clique_of_dof(problem, dof);
                let c = &problem.cliques[clique];
                let mine = self.local_of[clique];
                let local = island.cliques[mine as usize];
                self.row.gather(entries, c.dof as u32, c.n);
                for &k in &self.row.dofs {
                    let (k, x) = (k as usize, self.row.sums[k as usize]);
                    w += x * x / problem.a[c.a + k + c.n * k];
                }
                let start = island.row_entries.len() as u32;
                match local.rotation {
                    None => island.row_entries.extend(self.row.entries().map(|(k, x)| (local.dof + k, x))),
                    Some(j) => {
                        let rotated = free::twist(&island.rotations[j as usize], &self.row.sums[..6]);
                        let entries = (local.dof..).zip(rotated).filter(|(_, x)| *x != 0.0);
                        island.row_entries.extend(entries);
                    }
                }
                for s in segment_start as usize..island.row_segments.len() {
                    let other = island.row_segments[s].0;
                    island.edges.push((mine.max(other), mine.min(other)));
                }
                island.row_segments.push((mine, start, island.row_entries.len() as u32));
            }
            self.row.clear();
            let law = row.law.compile(problem.dt, w);
            island.rows.push(LocalRow {
                global: index as u32,
                entries: entry_start..island.row_entries.len() as u32,
                segments: segment_start..island.row_segments.len() as u32,
                bias: *bias,
                law,
            });
        }
    }
}

fn transpose(m: &mut [f64; 36]) {
    for c in 0..6 {
        for r in 0..c {
            m.swap(r + 6 * c, c + 6 * r);
        }
    }
}

/// Sparsity pattern, block positions and state buffers.
fn finish(island: &mut Island) {
    island.edges.sort_unstable();
    island.edges.dedup();
    join_branches(island);
    let kept = island.factor.analyze(&island.sizes, &island.edges, &island.parents);
    let symbolic = &island.factor.symbolic;
    for pair in &mut island.pairs {
        for side in &mut pair.sides[..pair.side_count as usize] {
            side.diagonal = symbolic.diagonal_offset(side.clique as usize) as u32;
        }
        if pair.side_count == 2 {
            let (at, first) =
                symbolic.coupling_offset(pair.sides[0].clique as usize, pair.sides[1].clique as usize);
            pair.coupling = (at as u32, first);
        }
    }
    island.report = super::report::IslandReport {
        cliques: island.cliques.len(),
        dofs: island.dofs(),
        pairs: island.pairs.len(),
        contacts: island.contacts.len()
            + island.packed.len()
            + island.packed_springs.len()
            + island.packed_turning.len()
            + island.packed_turning_springs.len(),
        symbolic_kept: kept,
        factor_blocks: symbolic.rows.len(),
        ..Default::default()
    };
    island.size_state();
}
