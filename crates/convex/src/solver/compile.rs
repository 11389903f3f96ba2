//! From a stated problem to islands ready to solve.
//!
//! Cliques that share a constraint belong to one island (union-find). Everything a law needs that does not
//! change with v is computed here: shifted Jacobians, the lagged normal impulse, ε of ICF eq. 44, SAP's and
//! the rows' regularisation with the Delassus estimate w, and where each pair adds to the Hessian.

use super::branching::join_branches;
use super::columns::Columns;
use super::compile_contact::{DELASSUS_FLOOR, PairContext, add_contact};
use super::evaluate::multiply;
use super::free;
use super::island::{Island, LocalClique, LocalPair, LocalPairRow, LocalRow, Side, SideJacobian, rotate};
use super::transform::{add_delassus, body_delassus, is_orthogonal, shift_columns, similarity};
use crate::lanes::F4;
use crate::problem::{BodyId, Problem, RowPlace};
use crate::spatial::{V3, V6, shift_twist, sub};

const NONE: u32 = u32::MAX;

/// Scratch of the compilation, kept between solves.
#[derive(Debug, Default)]
pub struct Compiler {
    parent: Vec<u32>,
    touched: Vec<bool>,
    /// Island and local index of each clique.
    pub island_of: Vec<u32>,
    local_of: Vec<u32>,
    /// Body whose Jacobian rotates each clique.
    rotation_body: Vec<u32>,
    /// J diag(A)⁻¹ Jᵀ of each body at its reference point.
    delassus: Vec<[f64; 36]>,
    /// Twist of each body at the previous velocities.
    twists: Vec<V6>,
    /// Rows of each pair, compressed.
    row_start: Vec<u32>,
    row_list: Vec<u32>,
    /// Columns of each body's Jacobian that are not zero, and where they start.
    active: Vec<u32>,
    active_start: Vec<u32>,
    /// Columns of a side in the making, with their dofs.
    side: Vec<(u32, V6)>,
    dense: Vec<f64>,
    u0: Vec<f64>,
}

impl Compiler {
    /// Compiles `problem` into the first islands of `islands` and returns their number.
    pub fn compile(&mut self, problem: &Problem, islands: &mut Vec<Island>) -> usize {
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

    fn active(&self, problem: &Problem, pair: usize) -> bool {
        let p = &problem.pairs[pair];
        (p.a.is_some() || p.b.is_some())
            && (!p.contacts.is_empty() || self.row_start[pair] != self.row_start[pair + 1])
    }

    fn group_rows(&mut self, problem: &Problem) {
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

    fn connect(&mut self, problem: &Problem) {
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
    fn assign(&mut self, problem: &Problem, islands: &mut Vec<Island>) -> usize {
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

    fn prepare_bodies(&mut self, problem: &Problem) {
        self.rotation_body.clear();
        self.rotation_body.resize(problem.cliques.len(), NONE);
        self.delassus.clear();
        self.twists.clear();
        self.active.clear();
        self.active_start.clear();
        for (index, body) in problem.bodies.iter().enumerate() {
            let clique = &problem.cliques[body.clique];
            self.active_start.push(self.active.len() as u32);
            if self.island_of[body.clique] == NONE {
                self.delassus.push([0.0; 36]);
                self.twists.push([0.0; 6]);
                continue;
            }
            let jacobian = &problem.jacobians[body.jacobian..body.jacobian + 6 * clique.n];
            let a = &problem.a[clique.a..clique.a + clique.n * clique.n];
            let v0 = &problem.v0[clique.dof..clique.dof + clique.n];
            if let Some(r) = jacobian.try_into().ok().and_then(free::rotation) {
                self.active.extend(0..6);
                self.delassus.push(free::delassus(&r, a));
                self.twists.push(free::twist(&r, v0));
                if self.rotation_body[body.clique] == NONE && free::is_orthogonal(&r) {
                    self.rotation_body[body.clique] = index as u32;
                }
                continue;
            }
            let (mut delassus, mut twist) = ([0.0; 36], [0.0; 6]);
            for (k, column) in jacobian.chunks_exact(6).enumerate() {
                let column: &V6 = column.try_into().expect("six rows");
                if clique.n > 6 && *column == [0.0; 6] {
                    continue;
                }
                self.active.push(k as u32);
                add_delassus(&mut delassus, column, a[k + clique.n * k]);
                for i in 0..6 {
                    twist[i] = column[i].mul_add(v0[k], twist[i]);
                }
            }
            self.delassus.push(delassus);
            self.twists.push(twist);
            if clique.n == 6 && self.rotation_body[body.clique] == NONE && is_orthogonal(jacobian) {
                self.rotation_body[body.clique] = index as u32;
            }
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
            let (n, dof) = (clique.n, island.u_star.len());
            let a = &problem.a[clique.a..clique.a + n * n];
            let at = island.a.len();
            let v_star = &problem.v_star[clique.dof..clique.dof + n];
            let mut rotation = None;
            match self.rotation_body[index] {
                NONE => {
                    island.a.extend_from_slice(a);
                    island.u_star.extend_from_slice(v_star);
                }
                body => {
                    let j = problem.bodies[body as usize].jacobian;
                    let j: [f64; 36] = problem.jacobians[j..j + 36].try_into().expect("6x6");
                    rotation = Some(island.rotations.len() as u32);
                    island.rotations.push(j);
                    let a = free::rotation(&j).map_or_else(|| similarity(&j, a), |r| free::similarity(&r, a));
                    island.a.extend_from_slice(&a);
                    let mut u = [0.0; 6];
                    rotate(&j, v_star, &mut u);
                    island.u_star.extend_from_slice(&u);
                }
            }
            let a = &island.a[at..at + n * n];
            island.d.extend((0..n).map(|i| 1.0 / a[i + n * i].sqrt()));
            island.momentum_star.resize(dof + n, 0.0);
            multiply(a, &island.u_star[dof..dof + n], &mut island.momentum_star[dof..dof + n], n);
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
        if self.rotation_body[body.clique] != NONE {
            // J v = (J J₁ᵀ) u
            let j1 = problem.bodies[self.rotation_body[body.clique] as usize].jacobian;
            let j1 = &problem.jacobians[j1..j1 + 36];
            self.side.extend((0..6).map(|c| {
                (c as u32, std::array::from_fn(|r| (0..6).map(|k| jacobian[r + 6 * k] * j1[c + 6 * k]).sum()))
            }));
        } else {
            let range =
                self.active_start[id.0 as usize] as usize..self.active_start[id.0 as usize + 1] as usize;
            let column = |k: u32| jacobian[6 * k as usize..6 * k as usize + 6].try_into().expect("six rows");
            self.side.extend(self.active[range].iter().map(|&k| (k, column(k))));
        }
        for (_, column) in &mut self.side[before..] {
            *column = shift_twist(*column, p).map(|x| sign * x);
        }
        if before > 0 {
            // Within one clique the two sides are one, with the difference of their Jacobians.
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

    /// Puts the columns gathered into the island.
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

    /// Whether body `id` carries its clique's rotation.
    fn is_free(&self, problem: &Problem, id: BodyId) -> bool {
        self.rotation_body[problem.bodies[id.0 as usize].clique] == id.0
    }

    fn add_pairs(&mut self, problem: &Problem, islands: &mut [Island]) {
        for index in 0..problem.pairs.len() {
            if !self.active(problem, index) {
                continue;
            }
            let pair = &problem.pairs[index];
            let any = pair.b.or(pair.a).expect("active pairs have a body");
            let island = &mut islands[self.island_of[problem.bodies[any.0 as usize].clique] as usize];
            // The solver's point: a free body's own reference, which then needs no shift; else the caller's.
            let caller: V3 = pair.point.into();
            let point = [pair.b, pair.a]
                .into_iter()
                .flatten()
                .find(|&id| self.is_free(problem, id))
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
                contacts: island.contacts.len() as u32..0,
                rows: island.pair_rows.len() as u32..0,
            };
            let mut context = PairContext {
                shift,
                twist0: local.bias,
                delassus: [0.0; 36],
                size: [0.0; 6],
                trace: (0.0, 0.0),
            };
            self.add_sides(problem, island, pair.a, pair.b, point, &mut local, &mut context);
            let mut lanes = [F4::LANES; 2]; // the first contact of a kind opens a packet
            for c in pair.contacts.clone() {
                add_contact(problem, island, c, &context, &mut lanes);
            }
            local.packets.end = island.packets.len() as u32;
            local.springs.end = island.springs.len() as u32;
            local.contacts.end = island.contacts.len() as u32;
            for &row in &self.row_list[self.row_start[index] as usize..self.row_start[index + 1] as usize] {
                let stated = &problem.rows[row as usize];
                let RowPlace::Pair { direction, .. } = &stated.place else { continue };
                let d: [f64; 6] = (*direction).into();
                // w·V at P equals w'·V' at P': the direction moves like a wrench.
                let direction = crate::spatial::shift_wrench(d, shift);
                let (mut w, mut size) = (0.0, 0.0);
                for i in 0..6 {
                    size += direction[i] * direction[i] * context.size[i];
                    for j in 0..6 {
                        w += direction[i] * context.delassus[i + 6 * j] * direction[j];
                    }
                }
                let w = w.max(DELASSUS_FLOOR * size);
                let law = stated.law.compile(problem.dt, w);
                island.pair_rows.push(LocalPairRow { global: row, direction, law });
            }
            local.rows.end = island.pair_rows.len() as u32;
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
            let jacobian = if self.is_free(problem, id) && !same {
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
        for i in 0..6 {
            context.size[i] = context.delassus[i + 6 * i];
        }
        let [a0, a1, a2, x, y, z] = context.size;
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
        self.u0.clear();
        self.u0.extend_from_slice(&problem.jacobians[a.jacobian..a.jacobian + 6 * n]);
        shift_columns(&mut self.u0, sub(point, a.point.into()));
        for (x, y) in self.dense.iter_mut().zip(&self.u0) {
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
            // Gather clique by clique, in the order cliques first appear; a row has few entries.
            for (i, &(dof, coefficient)) in entries.iter().enumerate() {
                let clique = clique_of_dof(problem, dof);
                let seen = entries[..i].iter().any(|e| e.1 != 0.0 && clique_of_dof(problem, e.0) == clique);
                if coefficient == 0.0 || seen {
                    continue;
                }
                let c = &problem.cliques[clique];
                let local = island.cliques[self.local_of[clique] as usize];
                self.u0.clear();
                self.u0.resize(c.n, 0.0);
                for &(dof, coefficient) in entries {
                    if (c.dof..c.dof + c.n).contains(&(dof as usize)) {
                        self.u0[dof as usize - c.dof] += coefficient;
                    }
                }
                for k in 0..c.n {
                    w += self.u0[k] * self.u0[k] / problem.a[c.a + k + c.n * k];
                }
                if let Some(j) = local.rotation {
                    let mut rotated = [0.0; 6];
                    rotate(&island.rotations[j as usize], &self.u0, &mut rotated);
                    self.u0.copy_from_slice(&rotated);
                }
                let start = island.row_entries.len() as u32;
                for k in 0..c.n {
                    if self.u0[k] != 0.0 {
                        island.row_entries.push((local.dof + k as u32, self.u0[k]));
                    }
                }
                let mine = self.local_of[clique];
                for s in segment_start as usize..island.row_segments.len() {
                    let other = island.row_segments[s].0;
                    island.edges.push((mine.max(other), mine.min(other)));
                }
                island.row_segments.push((mine, start, island.row_entries.len() as u32));
            }
            island.rows.push(LocalRow {
                global: index as u32,
                entries: entry_start..island.row_entries.len() as u32,
                segments: segment_start..island.row_segments.len() as u32,
                bias: *bias,
                law: row.law.compile(problem.dt, w),
            });
        }
    }
}

fn clique_of_dof(problem: &Problem, dof: u32) -> usize {
    problem.cliques.partition_point(|c| c.dof + c.n <= dof as usize)
}

fn transpose(m: &mut [f64; 36]) {
    for c in 0..6 {
        for r in 0..c {
            m.swap(r + 6 * c, c + 6 * r);
        }
    }
}

/// Pattern, block places and room for the state.
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
        contacts: island.contacts.len() + island.packed.len() + island.packed_springs.len(),
        symbolic_kept: kept,
        factor_blocks: symbolic.rows.len(),
        ..Default::default()
    };
    island.size_state();
}
