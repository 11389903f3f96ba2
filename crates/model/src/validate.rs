//! Checks that need no simulation: references, ranges, inertias.

use crate::{Body, Geom, Joint, JointKind, Shape, Source, Vec3, World};
use std::collections::HashSet;
use stiction_base::plain::Plain;

/// A description that cannot be simulated, with the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{place}: {}", Plain(what))]
pub struct ModelError {
    /// Where it stands.
    pub place: Source,
    /// The error and the remedy.
    pub what: String,
}

pub(crate) fn fail(source: &Source, fallback: String, what: impl Into<String>) -> ModelError {
    let mut place = source.clone();
    if place.element.is_empty() {
        place.element = fallback;
    }
    ModelError { place, what: what.into() }
}

/// Farthest that a vertex of a solid may lie from its origin, m: volumes stay finite and accurate.
const LARGEST_SOLID: f64 = 1e6;

pub(crate) type Check = Result<(), ModelError>;

impl World {
    /// Checks names, references, ranges and inertias; the first fault found is returned.
    pub fn validate(&self) -> Check {
        self.check_names()?;
        for (index, body) in self.bodies.iter().enumerate() {
            check_body(index, body)?;
            for joint in &body.joints {
                check_joint(index, body, joint)?;
            }
        }
        self.check_tetrahedra()?;
        for geom in &self.geoms {
            self.check_geom(geom)?;
        }
        // After the geoms: one without a size has no mass either.
        self.check_moving_mass()?;
        self.check_links()?;
        if !all_finite(self.options.gravity.as_slice()) {
            return Err(fail(
                &Source::default(),
                "option gravity".into(),
                "gravity must be three finite numbers",
            ));
        }
        let medium = &self.options.medium;
        let amounts = [medium.density, medium.viscosity];
        if !(amounts.iter().all(|x| *x >= 0.0 && x.is_finite()) && all_finite(medium.wind.as_slice())) {
            return Err(fail(
                &Source::default(),
                "option density, viscosity, wind".into(),
                "density and viscosity must be zero or more, and all must be finite",
            ));
        }
        if let Some(step) = self.options.step
            && !(step > 0.0 && step.is_finite())
        {
            return Err(fail(
                &Source::default(),
                "option timestep".into(),
                "the step must be positive and finite",
            ));
        }
        for &(a, b) in &self.exclusions {
            if a.max(b) >= self.bodies.len() {
                return Err(fail(
                    &Source::default(),
                    "exclusion".into(),
                    "it names a body that does not exist",
                ));
            }
        }
        Ok(())
    }

    fn check_names(&self) -> Check {
        let mut seen = HashSet::new();
        for body in &self.bodies {
            if !seen.insert(body.name.as_str()) {
                let element = format!("body \"{}\"", body.name);
                return Err(fail(
                    &body.source,
                    element,
                    format!("the name \"{}\" is used by two bodies; rename one", body.name),
                ));
            }
        }
        seen.clear();
        for (_, joint) in self.joints() {
            if !seen.insert(joint.name.as_str()) {
                let element = format!("joint \"{}\"", joint.name);
                return Err(fail(
                    &joint.source,
                    element,
                    format!("the name \"{}\" is used by two joints; rename one", joint.name),
                ));
            }
        }
        Ok(())
    }

    /// A coordinate that moves no mass has no acceleration: every joint needs mass below it.
    fn check_moving_mass(&self) -> Check {
        let idle = self.joints_without_inertia();
        let Some(&(b, j)) = idle.iter().find(|(b, j)| !self.bodies[*b].joints[*j].locked) else {
            return Ok(());
        };
        let body = &self.bodies[b];
        let mut what = format!(
            "joint \"{}\" moves no mass: give the body or one of its children a positive mass, or the joint armature",
            body.joints[j].name
        );
        // An element that a reader left out is the likeliest reason.
        if let Some(warning) = self.warnings.iter().find(|w| w.message.contains("left out")) {
            what += &format!(". Its mass may be among what was left out: {warning}");
        }
        Err(fail(&body.source, format!("body \"{}\"", body.name), what))
    }

    /// Joints that move nothing that resists, (body, place in its list): no mass hangs on them, nor rotational inertia on a
    /// joint that only turns, and not all of their coordinates have inertia of their own.
    pub fn joints_without_inertia(&self) -> Vec<(usize, usize)> {
        let mut mass: Vec<f64> = self.bodies.iter().map(|b| b.inertia.mass).collect();
        let mut turns: Vec<bool> = self.bodies.iter().map(|b| b.inertia.resists_turning()).collect();
        for b in (1..self.bodies.len()).rev() {
            if let Some(parent) = self.bodies[b].parent {
                mass[parent] += mass[b];
                turns[parent] |= turns[b];
            }
        }
        let idle = |b: usize, joint: &Joint| {
            let rotates = !joint.kind.translates();
            mass[b] <= 0.0
                && !(rotates && turns[b])
                && !joint.dofs.iter().all(|d| d.armature + d.rotor_inertia > 0.0)
        };
        let bodies = self.bodies.iter().enumerate();
        let joints = bodies.flat_map(|(b, body)| body.joints.iter().enumerate().map(move |(j, x)| (b, j, x)));
        joints.filter(|(b, _, joint)| idle(*b, joint)).map(|(b, j, _)| (b, j)).collect()
    }

    fn check_geom(&self, geom: &Geom) -> Check {
        let element = if geom.name.is_empty() {
            geom.shape.word().to_string()
        } else {
            format!("geom \"{}\"", geom.name)
        };
        let err = |what: &str| Err(fail(&geom.source, element.clone(), what));
        if geom.body >= self.bodies.len() {
            return err("it is fixed to a body that does not exist");
        }
        if geom.material.is_some_and(|m| m >= self.visual.materials.len()) {
            return err("it refers to a material that does not exist");
        }
        let positive = |values: &[f64]| values.iter().all(|x| *x > 0.0 && x.is_finite());
        let sizes_fine = match geom.shape {
            Shape::HalfSpace { size } => size.iter().all(|s| *s >= 0.0),
            // One of radius 0 is a point.
            Shape::Sphere { radius } => radius >= 0.0 && radius.is_finite(),
            Shape::Box { half_extents } => positive(half_extents.as_slice()),
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                positive(&[radius, half_length])
            }
            Shape::Ellipsoid { radii } => positive(radii.as_slice()),
            Shape::Mesh { mesh, .. } => {
                if mesh >= self.meshes.len() {
                    return err("it refers to a mesh that does not exist");
                }
                true
            }
            Shape::HeightField { field } => {
                if field >= self.height_fields.len() {
                    return err("it refers to a height field that does not exist");
                }
                true
            }
        };
        if !sizes_fine {
            return err("every size must be positive and finite");
        }
        if !finite_pose(&geom.pose) {
            return err("its pose has a number that is not finite");
        }
        if let Some(immersed) = &geom.immersed
            && !(positive(immersed.radii.as_slice())
                && finite_pose(&immersed.pose)
                && all_finite(&immersed.coefficients))
        {
            return err(
                "its ellipsoid in the medium needs positive axes and finite coefficients (fluidcoef)",
            );
        }
        let c = &geom.contact;
        if let Some(what) = c.softness.and_then(|softness| softness.problem()) {
            return err(what);
        }
        for (name, value, floor) in [
            ("static friction", c.static_friction, 0.0),
            ("dynamic friction", c.dynamic_friction, 0.0),
            ("torsional friction", c.torsional_friction, 0.0),
            ("rolling friction", c.rolling_friction, 0.0),
            ("surface radius", c.surface_radius, 0.0),
            ("torsional coefficient", c.torsional_coefficient, 0.0),
            ("restitution", c.restitution, 0.0),
            ("restitution threshold", c.restitution_threshold, 0.0),
            ("stiffness", c.stiffness, f64::MIN_POSITIVE),
            ("dissipation", c.dissipation, 0.0),
            ("relaxation time", c.relaxation_time, 0.0),
            ("expansion rate", c.expansion_rate, f64::MIN_POSITIVE),
            ("hydroelastic modulus", c.hydroelastic_modulus, f64::MIN_POSITIVE),
            ("resolution hint", c.resolution_hint, f64::MIN_POSITIVE),
        ] {
            if value.is_some_and(|x| x.is_nan() || x < floor || x.is_infinite()) {
                let sign = if floor > 0.0 { "positive" } else { "zero or more" };
                return err(&format!("its {name} must be {sign} and finite"));
            }
        }
        if c.restitution.is_some_and(|e| e > 1.0) {
            return err("its restitution is more than 1, which would add energy");
        }
        if c.restitution.is_some_and(|e| e > 0.0) && c.compliance == crate::Compliance::Compliant {
            return err(
                "restitution acts at contact points, and a compliant geom has patches; let their dissipation decide the bounce",
            );
        }
        if c.dimensions.is_some_and(|d| ![1, 3, 4, 6].contains(&d)) {
            return err("its friction must have 1, 3, 4 or 6 dimensions");
        }
        if c.second_friction.or(c.second_rolling_friction).is_some() {
            return err("friction along a second axis belongs to pairs of geoms, whose contacts have axes");
        }
        if c.torsional_coefficient.is_some() && c.surface_radius.is_none() {
            return err(
                "its torsional coefficient acts through a contact patch; give its surface radius too",
            );
        }
        if let (Some(s), Some(d)) = (c.static_friction, c.dynamic_friction)
            && d > s
        {
            return err(
                "its dynamic friction is larger than its static friction; swap them or make them equal",
            );
        }
        Ok(())
    }

    /// Indices, lengths and sizes of tetrahedra; whether they make a sound solid is seen when one is built.
    fn check_tetrahedra(&self) -> Check {
        for mesh in &self.meshes {
            let Some(tetrahedra) = &mesh.tetrahedra else { continue };
            let err = |what: String| Err(fail(&mesh.source, format!("mesh \"{}\"", mesh.name), what));
            let count = mesh.vertices.len();
            if let Some(v) = mesh.vertices.iter().position(|v| !v.iter().all(|x| x.abs() <= LARGEST_SOLID)) {
                return err(format!(
                    "vertex {v} is not within {LARGEST_SOLID:.0e} m of the origin; a solid's vertices must be: check its scale"
                ));
            }
            if let Some(cell) = tetrahedra.cells.iter().find(|c| c.iter().any(|&i| i as usize >= count)) {
                return err(format!(
                    "a tetrahedron has corners {cell:?}, but there are only {count} vertices"
                ));
            }
            if let Some(extents) = &tetrahedra.extents
                && (extents.len() != count || !all_finite(extents))
            {
                return err(format!("its field needs {count} finite numbers, one a vertex"));
            }
            if tetrahedra.modulus.is_some_and(|e| !(e > 0.0 && e.is_finite())) {
                return err("its modulus must be positive and finite".into());
            }
        }
        Ok(())
    }
}

fn check_body(index: usize, body: &Body) -> Check {
    let err = |what: String| Err(fail(&body.source, format!("body \"{}\"", body.name), what));
    match body.parent {
        None if index != 0 => {
            return err("it has no parent; only the world, body 0, may be without one".into());
        }
        Some(_) if index == 0 => return err("body 0 must be the world and have no parent".into()),
        Some(parent) if parent >= index => return err("its parent must come before it in the list".into()),
        _ => {}
    }
    if !finite_pose(&body.pose) {
        return err("its pose has a number that is not finite".into());
    }
    if body.mocap && (body.parent != Some(0) || !body.joints.is_empty()) {
        return err("a mocap body must be a child of the world without joints".into());
    }
    if !body.gravity_compensation.is_finite() {
        return err("its gravity compensation must be finite".into());
    }
    let free = body.joints.iter().any(|j| j.kind == JointKind::Free);
    if free && (body.joints.len() > 1 || body.parent != Some(0)) {
        return err("a free joint must be the only joint of a child of the world".into());
    }
    check_inertia(body)
}

/// Mass and symmetry. Principal moments that no rigid body has are the readers' matter: the motion is well-defined
/// as long as the mass matrix is positive definite, which compiling checks.
fn check_inertia(body: &Body) -> Check {
    let err = |what: String| Err(fail(&body.source, format!("body \"{}\"", body.name), what));
    let i = &body.inertia;
    if !i.mass.is_finite() || i.mass < 0.0 {
        return err(format!("its mass is {}; give a positive, finite mass", i.mass));
    }
    if !all_finite(i.com.as_slice()) || !all_finite(i.rotational.as_slice()) {
        return err("its centre of mass or inertia has a number that is not finite".into());
    }
    let scale = i.rotational.abs().max();
    if (i.rotational - i.rotational.transpose()).abs().max() > 1e-9 * scale {
        return err("its rotational inertia is not symmetric".into());
    }
    Ok(())
}

fn check_joint(index: usize, body: &Body, joint: &Joint) -> Check {
    let err = |what: String| Err(fail(&joint.source, format!("joint \"{}\"", joint.name), what));
    if index == 0 {
        return err("the world body cannot have joints".into());
    }
    let unit = |axis: &Vec3| (axis.norm() - 1.0).abs() < 1e-9;
    let axes_fine = match &joint.kind {
        JointKind::Hinge { axis } | JointKind::Slide { axis } | JointKind::Cylindrical { axis } => unit(axis),
        JointKind::Screw { axis, pitch } => unit(axis) && pitch.is_finite(),
        JointKind::Universal { first, second } => {
            unit(first) && unit(second) && first.cross(second).norm() > 1e-6
        }
        JointKind::Planar { x, y } => unit(x) && unit(y) && x.dot(y).abs() < 1e-9,
        JointKind::Ball | JointKind::Free => true,
    };
    if !axes_fine {
        return err(format!(
            "its axis is not a unit vector (or its two axes are not independent) on body \"{}\"; give a non-zero axis",
            body.name
        ));
    }
    if joint.dofs.len() != joint.kind.nv() {
        return err(format!(
            "it has {} velocity coordinates but properties for {}",
            joint.kind.nv(),
            joint.dofs.len()
        ));
    }
    let quaternion = matches!(joint.kind, JointKind::Ball | JointKind::Free);
    let references = if quaternion { 0 } else { joint.kind.nq() };
    if joint.reference.len() != references || !all_finite(&joint.reference) {
        return err(format!("its reference position needs {references} finite numbers"));
    }
    if !all_finite(joint.anchor.as_slice()) {
        return err("its anchor has a number that is not finite".into());
    }
    for dof in &joint.dofs {
        for (name, value) in [
            ("damping", dof.damping),
            ("stiffness", dof.stiffness),
            ("armature", dof.armature),
            ("rotor inertia", dof.rotor_inertia),
            ("friction", dof.friction),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return err(format!("its {name} is {value}; it must be zero or more and finite"));
            }
        }
        if !dof.gear_ratio.is_finite() || !dof.rest.is_finite() {
            return err("its gear ratio and spring rest position must be finite".into());
        }
        if dof.lower.is_nan() || dof.upper.is_nan() || dof.lower > dof.upper {
            return err(format!("its lower limit {} is above its upper limit {}", dof.lower, dof.upper));
        }
        if [dof.velocity_limit, dof.effort_limit, dof.acceleration_limit]
            .iter()
            .any(|x| x.is_nan() || *x < 0.0)
        {
            return err("velocity, effort and acceleration limits must be zero or more".into());
        }
    }
    Ok(())
}

pub(crate) fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|x| x.is_finite())
}

pub(crate) fn finite_pose(pose: &crate::Pose) -> bool {
    all_finite(pose.translation.vector.as_slice()) && all_finite(pose.rotation.coords.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Inertia;
    use nalgebra::Matrix3;

    fn pendulum() -> World {
        let mut world = World::new("pendulum");
        let mut body = Body::new("bob", 0);
        body.inertia = Inertia { mass: 1.0, com: Vec3::zeros(), rotational: Matrix3::identity() * 0.1 };
        body.joints.push(Joint::new("pin", JointKind::Hinge { axis: Vec3::y() }));
        world.bodies.push(body);
        world
    }

    #[test]
    fn a_sound_world_passes() {
        assert_eq!(pendulum().validate(), Ok(()));
    }

    #[test]
    fn inertias_that_no_body_has_are_told_apart() {
        let mut world = pendulum();
        world.bodies[1].inertia.rotational = Matrix3::from_diagonal(&Vec3::new(1.0, 1.0, 3.0));
        assert_eq!(world.validate(), Ok(()));
        assert_eq!(world.bodies[1].inertia.broken_triangle(), Some([1.0, 1.0, 3.0]));
        assert_eq!(world.bodies[1].inertia.negative_moment(), None);
        world.bodies[1].inertia.rotational[(2, 2)] = -3.0;
        assert_eq!(world.bodies[1].inertia.negative_moment(), Some(-3.0));
    }

    #[test]
    fn negative_and_missing_masses_are_refused() {
        let mut world = pendulum();
        world.bodies[1].inertia.mass = -1.0;
        assert!(world.validate().unwrap_err().to_string().contains("mass"));
        world.bodies[1].inertia = Inertia::zero();
        assert!(world.validate().unwrap_err().to_string().contains("moves no mass"));
        world.bodies[1].joints[0].dofs[0].armature = 0.1;
        assert_eq!(world.validate(), Ok(()));
    }

    #[test]
    fn limits_axes_and_names_are_checked() {
        let mut world = pendulum();
        world.bodies[1].joints[0].dofs[0].lower = 2.0;
        world.bodies[1].joints[0].dofs[0].upper = 1.0;
        assert!(world.validate().unwrap_err().to_string().contains("lower limit"));
        let mut world = pendulum();
        world.bodies[1].joints[0].kind = JointKind::Hinge { axis: Vec3::zeros() };
        assert!(world.validate().unwrap_err().to_string().contains("axis"));
        let mut world = pendulum();
        world.bodies.push(world.bodies[1].clone());
        assert!(world.validate().unwrap_err().to_string().contains("two bodies"));
    }
}
