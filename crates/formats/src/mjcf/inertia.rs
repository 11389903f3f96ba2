//! Mass of bodies: written out, or gathered from geoms, then bounded and scaled.

use super::axes::principal_axes;
use super::defaults::Attrs;
use super::pose;
use super::reader::Reader;
use crate::error::Read;
use crate::mass;
use crate::xml::Node;
use nalgebra::{Matrix3, SymmetricEigen, UnitQuaternion};
use stiction_model::{Inertia, Pose, Vec3};

/// A mass and the principal axes that sensors speak in, in the body frame.
#[derive(Clone, Copy, Debug)]
pub struct Lump {
    /// Mass properties.
    pub inertia: Inertia,
    /// Orientation of the principal axes.
    pub axes: UnitQuaternion<f64>,
}

/// The masses of several geoms as one; a single one keeps its axes.
fn together(parts: &[Lump]) -> Lump {
    if let [one] = parts {
        return *one;
    }
    let inertias: Vec<Inertia> = parts.iter().map(|part| part.inertia).collect();
    let inertia = mass::combine(&inertias);
    Lump { inertia, axes: principal_axes(&inertia.rotational) }
}

impl Reader<'_> {
    /// Reads an `inertial` element, written in a frame at `x_bf`.
    pub fn inertial(&self, node: &Node, x_bf: &Pose) -> Read<Lump> {
        let x_bi = x_bf * pose::pose(&Attrs::plain(node), &self.compiler)?;
        let mut axes = x_bi.rotation;
        let mass = node.number("mass")?.ok_or_else(|| node.error("inertial needs mass=\"…\""))?;
        if node.attr("pos").is_none() {
            return Err(node.error("inertial needs pos=\"…\", the centre of mass"));
        }
        let rotational = match (node.array("diaginertia")?, node.array("fullinertia")?) {
            (Some(_), Some(_)) => return Err(node.error("give diaginertia or fullinertia, not both")),
            (Some(d), None) => {
                let r = x_bi.rotation.to_rotation_matrix();
                mass::symmetric(r * Matrix3::from_diagonal(&Vec3::from(d)) * r.transpose())
            }
            (None, Some([xx, yy, zz, xy, xz, yz])) => {
                if pose::orientation(&Attrs::plain(node), &self.compiler)?.is_some() {
                    return Err(node.error("fullinertia already says the orientation; remove the other one"));
                }
                let full = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
                axes = x_bf.rotation * principal_axes(&full);
                let r = x_bf.rotation.to_rotation_matrix();
                if x_bf.rotation == UnitQuaternion::identity() {
                    full
                } else {
                    mass::symmetric(r * full * r.transpose())
                }
            }
            (None, None) => Matrix3::zeros(),
        };
        Ok(Lump { inertia: Inertia { mass, com: x_bi.translation.vector, rotational }, axes })
    }

    /// Decides the mass of every body.
    pub fn masses(&mut self) -> Read<()> {
        for b in 1..self.world.bodies.len() {
            if self.settled.contains(&b) {
                continue;
            }
            let Lump { mut inertia, axes } = self.lump(b);
            let nothing = inertia == Inertia::zero();
            self.bound(&mut inertia);
            if nothing && inertia.mass > 0.0 {
                // MuJoCo puts the least mass of an empty body where the body itself is in its parent.
                inertia.com = self.world.bodies[b].pose.translation.vector;
            }
            self.world.bodies[b].inertia = inertia;
            self.world.bodies[b].inertial_axes = axes;
        }
        let total: f64 = self.world.bodies.iter().map(|b| b.inertia.mass).sum();
        if self.compiler.total_mass > 0.0 && total > 0.0 {
            let scale = self.compiler.total_mass / total;
            for body in &mut self.world.bodies {
                body.inertia.mass *= scale;
                body.inertia.rotational *= scale;
            }
        }
        Ok(())
    }

    /// The mass of a body as its inertial or its geoms say; where geoms should and none counts, its inertial.
    fn lump(&self, body: usize) -> Lump {
        let parts = &self.geom_masses[body];
        let from_geoms = self.compiler.inertia_from_geom != Some(false) && !parts.is_empty();
        match self.explicit[body] {
            Some(lump) if !(from_geoms && self.compiler.inertia_from_geom == Some(true)) => lump,
            _ if from_geoms => together(parts),
            _ => Lump { inertia: Inertia::zero(), axes: UnitQuaternion::identity() },
        }
    }

    fn bound(&self, inertia: &mut Inertia) {
        let c = &self.compiler;
        // Without a bound a mass stays what it is, for whoever checks it to refuse if it is negative.
        if c.bound_mass > 0.0 {
            inertia.mass = inertia.mass.max(c.bound_mass);
        }
        if !(c.bound_inertia > 0.0 || c.balance_inertia) || inertia.rotational.iter().any(|x| !x.is_finite())
        {
            return;
        }
        let mut eigen = SymmetricEigen::new(inertia.rotational);
        let moments = &mut eigen.eigenvalues;
        let mut changed = false;
        for m in moments.iter_mut().filter(|m| **m < c.bound_inertia) {
            *m = c.bound_inertia;
            changed = true;
        }
        let largest = moments.max();
        if c.balance_inertia && moments.sum() - largest < largest {
            moments.fill(moments.sum() / 3.0);
            changed = true;
        }
        if changed {
            inertia.rotational = mass::symmetric(eigen.recompose());
        }
    }
}
