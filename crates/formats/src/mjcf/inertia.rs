//! Mass of bodies: written out, or gathered from geoms, then bounded and scaled.

use super::defaults::Attrs;
use super::pose;
use super::reader::Reader;
use crate::error::Read;
use crate::mass;
use crate::xml::Node;
use nalgebra::{Matrix3, SymmetricEigen};
use stiction_model::{Inertia, Vec3};

impl Reader<'_> {
    /// Reads an `inertial` element into the body frame.
    pub fn inertial(&self, node: &Node) -> Read<Inertia> {
        let x_bi = pose::pose(&Attrs::plain(node), &self.compiler)?;
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
                Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
            }
            (None, None) => Matrix3::zeros(),
        };
        Ok(Inertia { mass, com: x_bi.translation.vector, rotational })
    }

    /// Decides the mass of every body.
    pub fn masses(&mut self) -> Read<()> {
        for b in 1..self.world.bodies.len() {
            if self.settled.contains(&b) {
                continue;
            }
            let from_geoms = match self.compiler.inertia_from_geom {
                Some(always) => always,
                None => self.explicit[b].is_none(),
            };
            let mut inertia = if from_geoms {
                mass::combine(&self.geom_masses[b])
            } else {
                self.explicit[b].unwrap_or(Inertia::zero())
            };
            self.bound(&mut inertia);
            self.world.bodies[b].inertia = inertia;
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
