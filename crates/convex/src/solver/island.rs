//! A compiled island: one connected component of the problem, in the solver's own coordinates.
//!
//! A free body's six dofs are replaced by its world twist u = J v at its reference point (J is orthogonal, so v = Jᵀ
//! u): its Jacobian about any other point is then a shift, and projecting a pair's 6×6 costs a few cross products in
//! place of matrix products. Other cliques keep their dofs, u = v.

use super::columns::Columns;
use super::compile_contact::PairContext;
use super::evaluate::point_velocity;
use super::late_friction::Lag;
use crate::contact::{CompiledContact, TurningValue};
use crate::free_body::{self as free, Rotation};
use crate::friction::FrictionModel;
use crate::friction::spring::SpringLaw;
use crate::linear::cholesky::BlockCholesky;
use crate::normal::NormalLaw;
use crate::packet::{Kind, LinePacket, Packet, Turning};
use crate::problem::Problem;
use crate::scalar::ScalarLaw;
use crate::spatial::{PairSum, V3, V6, cross, dot, rotate_symmetric, v3};
use std::ops::Range;

/// A clique within its island.
#[derive(Debug, Clone, Copy)]
pub struct LocalClique {
    /// First dof in the problem.
    pub global_dof: u32,
    /// First dof in the island.
    pub dof: u32,
    /// Number of dofs.
    pub n: u32,
    /// Start of its block of A.
    pub a: u32,
    /// Index of its R_wb in `rotations` when it is a free body.
    pub rotation: Option<u32>,
}

/// Jacobian of a pair side by its clique's coordinates u.
#[derive(Debug, Clone, Copy)]
pub enum SideJacobian {
    /// A free body whose reference point is at −p from the pair's point; sign −1 for body a.
    Free { p: V3, sign: f64 },
    /// Columns at the pair's point, sign included: packets of `columns`.
    Columns { at: u32, count: u32 },
}

/// One side of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Local clique.
    pub clique: u32,
    /// Its first dof in the island.
    pub dof: u32,
    /// Its number of dofs.
    pub n: u32,
    /// Its Jacobian.
    pub jacobian: SideJacobian,
    /// Start of its diagonal block of H.
    pub diagonal: u32,
}

/// A pair within its island.
#[derive(Debug, Clone)]
pub struct LocalPair {
    /// Index in the problem.
    pub global: u32,
    /// From the caller's point P to the solver's, world.
    pub shift: V3,
    /// Bias twist at the solver's point.
    pub bias: V6,
    /// One or two sides; a pair within one clique has one.
    pub sides: [Side; 2],
    /// Number of sides.
    pub side_count: u32,
    /// Start of the coupling block of H, and whether its rows are the first side's.
    pub coupling: (u32, bool),
    /// Packets of contacts evaluated four at a time.
    pub packets: Range<u32>,
    /// The same of contacts with a tangential spring.
    pub springs: Range<u32>,
    /// The same of both kinds with an ellipse.
    pub turning: Range<u32>,
    pub turning_springs: Range<u32>,
    /// Contacts evaluated one by one.
    pub contacts: Range<u32>,
    /// Rows of the pair.
    pub rows: Range<u32>,
    /// What its contacts were compiled with.
    pub context: PairContext,
}

/// A contact in a lane of a packet.
#[derive(Debug, Clone, Copy)]
pub struct PackedContact {
    /// Index in the problem.
    pub global: u32,
    /// Its packet.
    pub packet: u32,
    /// Its lane.
    pub lane: u32,
}

/// A contact with a tangential spring in a lane of a packet.
#[derive(Debug, Clone, Copy)]
pub struct PackedSpring {
    /// Its packet and lane.
    pub place: PackedContact,
    /// Its spring.
    pub spring: SpringLaw,
}

/// A contact within its island that is evaluated individually.
#[derive(Debug, Clone, Copy)]
pub struct LocalContact {
    /// Index in the problem.
    pub global: u32,
    /// From the solver's point, world.
    pub r: V3,
    /// Axes of the contact frame in world.
    pub axes: [V3; 3],
    /// Bias velocity, contact frame.
    pub bias: V3,
    /// Its law.
    pub law: CompiledContact,
    /// Index of its normal law.
    pub normal_law: u32,
    /// The normal law is defined above this velocity; −∞ for all but barriers.
    pub lower_bound: f64,
}

impl LocalContact {
    /// Velocity of b relative to a and angular velocity, contact frame, for a twist about the pair's point, without bias.
    pub fn velocity(&self, twist: &V6) -> V6 {
        let u = point_velocity(twist, self.r);
        let ([w0, w1, w2, ..], axes) = (*twist, &self.axes);
        let frame = |x: V3| v3(|i| dot(axes[i], x));
        let ([x, y, z], [a, b, c]) = (frame(u), frame([w0, w1, w2]));
        [x, y, z, a, b, c]
    }

    /// Cost, impulse and Hessian at contact velocity `v`.
    pub fn evaluate(&self, problem: &Problem, stand_in: Option<f64>, v: V6) -> TurningValue {
        let [x, y, z, a, b, c] = v;
        match stand_in {
            Some(stiffness) if self.lower_bound > f64::NEG_INFINITY => {
                // Pushes a tenth of a millimetre's worth of velocity into the domain.
                const MARGIN: f64 = 1e-4;
                let force = stiffness * (self.law.normal.dt * self.lower_bound + MARGIN);
                let spring = self.law.with_linear_spring(force, stiffness);
                spring.evaluate_turning(&NormalLaw::Linear, [x, y, z], [a, b, c])
            }
            _ => {
                let normal_law = &problem.normal_laws[self.normal_law as usize];
                self.law.evaluate_turning(normal_law, [x, y, z], [a, b, c])
            }
        }
    }

    /// Impulse and its torque about the contact, world axes.
    pub fn in_world(&self, x: V6) -> (V3, V3) {
        let axes = &self.axes;
        let world = |x: [f64; 3]| v3(|i| axes[0][i] * x[0] + axes[1][i] * x[1] + axes[2][i] * x[2]);
        (world([x[0], x[1], x[2]]), world([x[3], x[4], x[5]]))
    }

    /// Adds what the contact gives at its velocity to the sum of its pair.
    pub fn add_to(&self, sum: &mut PairSum, value: &TurningValue) {
        let (force, torque) = self.in_world(value.impulse);
        let linear = |i: usize, j: usize| value.hessian[i][j];
        let plain = std::array::from_fn(|i| std::array::from_fn(|j| linear(i, j)));
        sum.add_point(self.r, force, rotate_symmetric(&self.axes, &plain));
        if self.law.ellipse.is_none() {
            return;
        }
        // Directions of the angular velocities, and of all six about the pair's point.
        let axes = &self.axes;
        let row = |k: usize| -> V6 {
            let [x, y, z] = axes[k % 3];
            match k {
                0..3 => {
                    let [a, b, c] = cross(self.r, axes[k]);
                    [a, b, c, x, y, z]
                }
                _ => [x, y, z, 0.0, 0.0, 0.0],
            }
        };
        (0..3).for_each(|i| sum.wrench[i] += torque[i]);
        for i in 0..6 {
            for j in 3.max(i)..6 {
                sum.add_product(&row(i), &row(j), value.hessian[i][j], i == j);
            }
        }
    }

    /// Whether `v` is in the domain of the normal law.
    pub fn in_domain(&self, v: V6) -> bool {
        let [x, y, z, a, b, c] = v;
        self.lower_bound == f64::NEG_INFINITY
            || self.law.normal_argument([x, y, z], [a, b, c]) > self.lower_bound
    }
}

/// A row on a pair.
#[derive(Debug, Clone, Copy)]
pub struct LocalPairRow {
    /// Index in the problem.
    pub global: u32,
    /// Direction about the solver's point.
    pub direction: V6,
    /// Its law.
    pub law: ScalarLaw,
}

/// A row on dofs.
#[derive(Debug, Clone)]
pub struct LocalRow {
    /// Index in the problem.
    pub global: u32,
    /// Entries (local dof, coefficient), clique by clique.
    pub entries: Range<u32>,
    /// Segments (clique, first entry, end).
    pub segments: Range<u32>,
    /// Added to the velocity.
    pub bias: f64,
    /// Its law.
    pub law: ScalarLaw,
}

/// One connected component and its state during a solve.
#[derive(Debug, Default)]
pub struct Island {
    pub cliques: Vec<LocalClique>,
    /// Blocks of A in u, column-major.
    pub a: Vec<f64>,
    /// u at the previous velocities, and A times it.
    pub u0: Vec<f64>,
    pub momentum0: Vec<f64>,
    /// Impulse of applied forces, A (u* − u0).
    pub applied: Vec<f64>,
    /// D = diag(A)^(−1/2) in u.
    pub d: Vec<f64>,
    /// R_wb of free bodies.
    pub rotations: Vec<Rotation>,
    pub pairs: Vec<LocalPair>,
    pub packets: Vec<Packet>,
    pub packed: Vec<PackedContact>,
    pub springs: Vec<Packet>,
    pub packed_springs: Vec<PackedSpring>,
    pub turning: Vec<Packet<Turning>>,
    pub packed_turning: Vec<PackedContact>,
    pub turning_springs: Vec<Packet<Turning>>,
    pub packed_turning_springs: Vec<PackedSpring>,
    pub contacts: Vec<LocalContact>,
    /// Limits of friction, under the Lagged model.
    pub lags: Vec<Lag>,
    /// Contacts at a limit of stiffness, and the part of theirs with which they act.
    pub capped: Vec<(u32, f64)>,
    pub pair_rows: Vec<LocalPairRow>,
    pub rows: Vec<LocalRow>,
    pub row_entries: Vec<(u32, f64)>,
    pub row_segments: Vec<(u32, u32, u32)>,
    pub columns: Vec<Columns>,
    /// Parent of each dof within its clique, for the factor.
    pub parents: Vec<u32>,
    pub factor: BlockCholesky,

    // State.
    pub u: Vec<f64>,
    /// u of the last stage of the Similar model.
    pub u_stage: Vec<f64>,
    pub gradient: Vec<f64>,
    /// A (u − u*).
    pub momentum_change: Vec<f64>,
    /// Jᵀγ.
    pub constraint_impulse: Vec<f64>,
    pub step: Vec<f64>,
    pub a_step: Vec<f64>,
    pub sums: Vec<PairSum>,
    pub lines: Vec<LinePacket>,
    pub spring_lines: Vec<LinePacket>,
    pub turning_lines: Vec<LinePacket>,
    pub turning_spring_lines: Vec<LinePacket>,
    /// Of contacts evaluated one by one, [linear; angular] in their frames.
    pub contact_velocity: Vec<V6>,
    pub contact_step: Vec<V6>,
    pub contact_impulse: Vec<V6>,
    /// Velocity above its law's origin, step and impulse of pair rows, then of rows.
    pub row_argument: Vec<f64>,
    pub row_step: Vec<f64>,
    pub row_impulse: Vec<f64>,
    pub row_hessian: Vec<f64>,
    /// W J of a side.
    pub weighted: Vec<Columns>,
    /// During the search for a feasible start, barriers are springs of this stiffness.
    pub stand_in: Option<f64>,
    /// Packets of the Similar model evaluate their shifted law.
    pub shifted: bool,
    /// Scratch of the rounding level.
    pub magnitude: Vec<f64>,
    pub report: super::report::IslandReport,
    /// Whether the next solve is of this island.
    pub due: bool,

    // Scratch of the compilation.
    pub sizes: Vec<u32>,
    pub edges: Vec<(u32, u32)>,
    /// Last dof of each clique that is coupled with other cliques.
    pub hooks: Vec<Option<u32>>,
}

impl Island {
    /// Empties the description, keeping memory and the last symbolic factorisation.
    pub fn clear(&mut self) {
        self.cliques.clear();
        self.a.clear();
        self.u0.clear();
        self.momentum0.clear();
        self.applied.clear();
        self.d.clear();
        self.rotations.clear();
        self.pairs.clear();
        self.packets.clear();
        self.packed.clear();
        self.springs.clear();
        self.packed_springs.clear();
        self.turning.clear();
        self.packed_turning.clear();
        self.turning_springs.clear();
        self.packed_turning_springs.clear();
        self.contacts.clear();
        self.lags.clear();
        self.capped.clear();
        self.pair_rows.clear();
        self.rows.clear();
        self.row_entries.clear();
        self.row_segments.clear();
        self.columns.clear();
        self.parents.clear();
        self.sizes.clear();
        self.edges.clear();
        self.u.clear();
    }

    /// Number of dofs.
    pub fn dofs(&self) -> usize {
        self.u0.len()
    }

    /// The law of `packets`.
    pub fn kind(&self, model: FrictionModel) -> Kind {
        if self.shifted { Kind::Shifted } else { Kind::Model(model) }
    }

    /// Sizes the state once the description is complete.
    pub fn size_state(&mut self) {
        let n = self.dofs();
        for v in [
            &mut self.u,
            &mut self.u_stage,
            &mut self.gradient,
            &mut self.momentum_change,
            &mut self.constraint_impulse,
            &mut self.step,
            &mut self.a_step,
            &mut self.magnitude,
        ] {
            v.clear();
            v.resize(n, 0.0);
        }
        self.lines.resize(self.packets.len(), LinePacket::default());
        self.sums.resize(self.pairs.len(), PairSum::default());
        self.spring_lines.resize(self.springs.len(), LinePacket::default());
        self.turning_lines.resize(self.turning.len(), LinePacket::default());
        self.turning_spring_lines.resize(self.turning_springs.len(), LinePacket::default());
        for v in [&mut self.contact_velocity, &mut self.contact_step, &mut self.contact_impulse] {
            v.resize(self.contacts.len(), [0.0; 6]);
        }
        let rows = self.pair_rows.len() + self.rows.len();
        for v in [&mut self.row_argument, &mut self.row_step, &mut self.row_impulse, &mut self.row_hessian] {
            v.resize(rows, 0.0);
        }
    }

    /// Coordinates u of the velocities v of the problem (`out` is local).
    pub fn to_local(&self, v: &[f64], out: &mut [f64]) {
        for c in &self.cliques {
            let (n, dof, at) = (c.n as usize, c.dof as usize, c.global_dof as usize);
            let (from, to) = (&v[at..at + n], &mut out[dof..dof + n]);
            match c.rotation {
                None => to.copy_from_slice(from),
                Some(j) => to.copy_from_slice(&free::twist(&self.rotations[j as usize], from)),
            }
        }
    }

    /// Velocities v of the problem from local coordinates u; also maps gradients, since v = Jᵀ u and
    /// ∂ℓ/∂v = Jᵀ ∂ℓ/∂u.
    pub fn to_global(&self, u: &[f64], out: &mut [f64]) {
        for c in &self.cliques {
            let (n, dof, at) = (c.n as usize, c.dof as usize, c.global_dof as usize);
            let (from, to) = (&u[dof..dof + n], &mut out[at..at + n]);
            match c.rotation {
                None => to.copy_from_slice(from),
                Some(j) => free::velocities(&self.rotations[j as usize], from, to),
            }
        }
    }
}
