//! Energies, momentum and the centre of mass, computed from their definitions.

use crate::Multibody;
use crate::spatial::{V3, add_cross, angular, dot3, linear, rotate, rotate_back, symmetric_mul};
use crate::workspace::Workspace;
use nalgebra::Matrix3xX;
use stiction_model::Vec3;

/// Momentum of a set of bodies, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Momentum {
    /// Linear momentum, kg m/s.
    pub linear: Vec3,
    /// Angular momentum about the common centre of mass, kg m²/s.
    pub angular: Vec3,
    /// The centre of mass in the world, m.
    pub com: Vec3,
}

impl Multibody {
    /// Kinetic energy of all bodies in trees, including rotors and armatures, J. Needs positions and the velocities
    /// `v` set before.
    pub fn kinetic_energy(&self, ws: &Workspace, v: &[f64]) -> f64 {
        assert_eq!(v.len(), self.nv(), "velocities need nv numbers");
        let mut twice = 0.0;
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let velocity = com_velocity(ws, i);
            let w = rotate_back(&ws.frames[i].rot, angular(&ws.v[i]));
            twice += node.mass * dot3(velocity, velocity) + dot3(w, symmetric_mul(&node.rotational, w));
        }
        for (armature, v) in self.armature.iter().zip(v) {
            twice += armature * v * v;
        }
        0.5 * twice
    }

    /// Gravitational potential energy −Σ m g·p of all bodies in trees, zero at the world's origin, J.
    pub fn potential_energy(&self, ws: &Workspace) -> f64 {
        let mut energy = 0.0;
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            let com: Vec3 = self.world_point(ws, i, ws.frames[i].com).into();
            energy -= node.mass * ws.gravity.dot(&com);
        }
        energy
    }

    /// Centre of mass in the world of all bodies in trees, m. The origin if there are none.
    pub fn center_of_mass(&self, ws: &Workspace) -> Vec3 {
        self.com_of(ws, self.bases..self.nodes.len())
    }

    /// Centre of mass in the world of one tree, m.
    pub fn tree_center_of_mass(&self, ws: &Workspace, tree: usize) -> Vec3 {
        self.com_of(ws, self.tree_nodes[tree].clone())
    }

    /// Momentum of all bodies in trees (without rotors).
    pub fn momentum(&self, ws: &Workspace) -> Momentum {
        self.momentum_of(ws, self.bases..self.nodes.len())
    }

    /// Momentum of one tree (without rotors).
    pub fn tree_momentum(&self, ws: &Workspace, tree: usize) -> Momentum {
        self.momentum_of(ws, self.tree_nodes[tree].clone())
    }

    /// Jacobian of the centre of mass of all bodies in trees over all velocity coordinates. Allocates.
    pub fn com_jacobian(&self, ws: &Workspace) -> Matrix3xX<f64> {
        let mut out = Matrix3xX::zeros(self.nv());
        let mut mass = 0.0;
        for (i, node) in self.nodes.iter().enumerate().skip(self.bases) {
            mass += node.mass;
            for k in self.node_dofs(i).iter().cloned().flatten() {
                let s = &ws.s[k];
                let column = Vec3::from(add_cross(linear(s), angular(s), ws.frames[i].com));
                let sum = out.column(k) + node.mass * column;
                out.set_column(k, &sum);
            }
        }
        if mass > 0.0 { out / mass } else { out }
    }

    fn com_of(&self, ws: &Workspace, nodes: std::ops::Range<usize>) -> Vec3 {
        let (mut mass, mut moment) = (0.0, Vec3::zeros());
        for i in nodes {
            mass += self.nodes[i].mass;
            moment += self.nodes[i].mass * Vec3::from(self.world_point(ws, i, ws.frames[i].com));
        }
        if mass > 0.0 { moment / mass } else { Vec3::zeros() }
    }

    fn momentum_of(&self, ws: &Workspace, nodes: std::ops::Range<usize>) -> Momentum {
        let com = self.com_of(ws, nodes.clone());
        let (mut linear, mut angular_sum) = (Vec3::zeros(), Vec3::zeros());
        for i in nodes {
            let (node, rot) = (&self.nodes[i], &ws.frames[i].rot);
            let momentum = node.mass * Vec3::from(com_velocity(ws, i));
            let spin = symmetric_mul(&node.rotational, rotate_back(rot, angular(&ws.v[i])));
            let arm = Vec3::from(self.world_point(ws, i, ws.frames[i].com)) - com;
            linear += momentum;
            angular_sum += Vec3::from(rotate(rot, spin)) + arm.cross(&momentum);
        }
        Momentum { linear, angular: angular_sum, com }
    }
}

/// Velocity of the centre of the mass that node `i` carries.
fn com_velocity(ws: &Workspace, i: usize) -> V3 {
    add_cross(linear(&ws.v[i]), angular(&ws.v[i]), ws.frames[i].com)
}
