//! Scalar lengths and their gradients by the coordinates: sparse rows of moment arms.
//!
//! The length of a tendon or of an actuator's transmission changes with velocity as l̇ = Σ m_i v_i + b, where the
//! moment arms m are its gradient and b is the rate from prescribed motion (mocap bodies). By virtual work the force
//! f along the length gives the joint forces m f. The coordinates of a row are fixed when the model is compiled. A
//! step only fills in the values.

use crate::model::Compiled;
use crate::state::MocapState;
use crate::step::kinematics::{parts, prescribed_twist};
use nalgebra::Vector3;
use std::ops::Range;
use stiction_model::Pose;
use stiction_multibody::{Multibody, Workspace};

/// Sparsity pattern of the moment arms, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    starts: Vec<usize>,
    dofs: Vec<usize>,
}

impl Pattern {
    pub fn new() -> Self {
        Self { starts: vec![0], dofs: Vec::new() }
    }

    /// Adds a row with these coordinates, in any order.
    pub fn push(&mut self, mut dofs: Vec<usize>) {
        dofs.sort_unstable();
        dofs.dedup();
        self.dofs.extend(dofs);
        self.starts.push(self.dofs.len());
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Adds a row for all coordinates that move any of `bodies`.
    pub fn push_bodies(&mut self, multibody: &Multibody, bodies: impl Iterator<Item = usize>) {
        self.push(bodies.flat_map(|b| multibody.body_dofs(b).iter().cloned().flatten()).collect());
    }
}

/// Lengths, their rates and moment arms of a set of rows at one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    /// Length of each row.
    pub lengths: Vec<f64>,
    /// Rate of each row from prescribed motion alone.
    pub biases: Vec<f64>,
    /// Second derivative of each length at zero joint acceleration, for rows with inertia only.
    pub drifts: Vec<f64>,
    starts: Vec<usize>,
    arms: Vec<(usize, f64)>,
}

impl Moments {
    pub fn new(pattern: &Pattern) -> Self {
        Self {
            lengths: vec![0.0; pattern.len()],
            biases: vec![0.0; pattern.len()],
            drifts: vec![0.0; pattern.len()],
            starts: pattern.starts.clone(),
            arms: pattern.dofs.iter().map(|&dof| (dof, 0.0)).collect(),
        }
    }

    /// (coordinate, moment arm) of a row.
    pub fn row(&self, row: usize) -> &[(usize, f64)] {
        &self.arms[self.starts[row]..self.starts[row + 1]]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [(usize, f64)] {
        &mut self.arms[self.starts[row]..self.starts[row + 1]]
    }

    /// Rate of a row at velocities `v`.
    pub fn rate(&self, row: usize, v: &[f64]) -> f64 {
        self.biases[row] + self.row(row).iter().map(|&(i, m)| m * v[i]).sum::<f64>()
    }

    /// Approximate rate of change of a row's rate at velocities `v` and zero acceleration, from the rotation of its
    /// arms.
    pub fn drift(&self, row: usize, v: &[f64]) -> f64 {
        let (mut rate, mut fastest) = (0.0, 0.0f64);
        for &(i, arm) in self.row(row) {
            rate += (arm * v[i]).abs();
            fastest = fastest.max(v[i].abs());
        }
        rate * fastest
    }

    /// Clears a row's length and arms.
    pub fn clear(&mut self, row: usize) {
        self.lengths[row] = 0.0;
        self.biases[row] = 0.0;
        self.row_mut(row).iter_mut().for_each(|(_, arm)| *arm = 0.0);
    }

    /// Adds `scale` times another set's row.
    pub fn add_row(&mut self, row: usize, other: &Moments, other_row: usize, scale: f64) {
        self.lengths[row] += scale * other.lengths[other_row];
        self.biases[row] += scale * other.biases[other_row];
        // Both rows have the same coordinates in the same order, because one pattern was built from the other.
        for ((_, arm), (_, theirs)) in self.row_mut(row).iter_mut().zip(other.row(other_row)) {
            *arm += scale * theirs;
        }
    }

    /// Adds the motion of `body` along the wrench of `force` at `point` and `torque`, world axes: the row's rate
    /// grows by force · v(point) + torque · ω.
    pub fn add_wrench(
        &mut self,
        row: usize,
        place: &Place,
        body: usize,
        point: &Vector3<f64>,
        force: &Vector3<f64>,
        torque: &Vector3<f64>,
    ) {
        self.add_wrench_from(0, row, place, body, (point, force, torque));
    }

    /// The same for a pull of two bodies along the line through their points, `force` on the first and its opposite on the second.
    /// What moves both does not change their distance.
    pub fn add_pull(
        &mut self,
        row: usize,
        place: &Place,
        [(a, p_a), (b, p_b)]: [(usize, &Vector3<f64>); 2],
        force: &Vector3<f64>,
    ) {
        let multibody = &place.compiled.multibody;
        let from = end_of_common(multibody.body_dofs(a), multibody.body_dofs(b));
        let none = Vector3::zeros();
        self.add_wrench_from(from, row, place, a, (p_a, force, &none));
        self.add_wrench_from(from, row, place, b, (p_b, &-force, &none));
    }

    /// The wrench along the coordinates from one on.
    fn add_wrench_from(
        &mut self,
        from: usize,
        row: usize,
        place: &Place,
        body: usize,
        (point, force, torque): (&Vector3<f64>, &Vector3<f64>, &Vector3<f64>),
    ) {
        self.biases[row] += place.prescribed(body, point, force, torque);
        let multibody = &place.compiled.multibody;
        let Some(tree) = multibody.body_tree(body) else { return };
        let columns = multibody.columns(place.workspace);
        let moment = (point - multibody.reference_point(place.workspace, tree)).cross(force) + torque;
        let locked = multibody.locked();
        let arms = self.row_mut(row);
        for run in multibody.body_dofs(body).iter().filter(|run| run.end > from) {
            let begin = run.start.max(from);
            let first = arms.partition_point(|&(dof, _)| dof < begin);
            for (dof, arm) in &mut arms[first..first + (run.end - begin)] {
                if !locked[*dof] {
                    let s = &columns[*dof];
                    *arm += s[0] * moment.x + s[1] * moment.y + s[2] * moment.z;
                    *arm += s[3] * force.x + s[4] * force.y + s[5] * force.z;
                }
            }
        }
    }
}

/// The coordinate after the last of those that two bodies share. The paths to two bodies of a tree begin with the same coordinates,
/// so what is not shared comes after these.
fn end_of_common(a: &[Range<usize>], b: &[Range<usize>]) -> usize {
    let mut end = 0;
    for (x, y) in a.iter().zip(b) {
        if x.start != y.start {
            break;
        }
        end = x.end.min(y.end);
        if x.end != y.end {
            break;
        }
    }
    end
}

/// Poses at the beginning of a step.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub compiled: &'a Compiled,
    pub q: &'a [f64],
    pub mocap: &'a [MocapState],
    pub workspace: &'a Workspace,
    pub x_wb: &'a [Pose],
}

impl Place<'_> {
    /// Pose of a site in the world.
    pub fn site(&self, site: usize) -> Pose {
        let site = &self.compiled.world.sites[site];
        self.x_wb[site.body] * site.pose
    }

    /// Power of a wrench on a body due to the prescribed motion of its ancestors.
    fn prescribed(
        &self,
        body: usize,
        point: &Vector3<f64>,
        force: &Vector3<f64>,
        torque: &Vector3<f64>,
    ) -> f64 {
        let Some(twist) = prescribed_twist(self.compiled, self.mocap, body, point) else { return 0.0 };
        let (w, v) = parts(&twist);
        force.dot(&v) + torque.dot(&w)
    }
}
