//! Variants of a model: the same bodies, joints and geoms with different gravity, masses, contact properties, sizes, damping
//! or gains, or with equalities and contacts switched on or off. `variation/drives.rs` has the changes of joints and actuators.
//!
//! ```
//! use stiction::{Model, Simulation, Variation};
//!
//! let model = Model::from_scene("clutter")?;
//! let mut moon = Variation::default();
//! moon.gravity = Some([0.0, 0.0, -1.62]);
//! let moon = model.varied(&moon)?;
//! let mut simulation = Simulation::new(&model, Default::default())?;
//! simulation.step(10)?;
//! simulation.set_model(&moon)?; // goes on where it was, on the moon
//! simulation.step(10)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A variant shares all unchanged data with its model: meshes, hulls, solids, and the trees if neither masses nor
//! gravity change. States of a model are valid for its variants.

mod drives;

pub use drives::{ActuatorChange, ActuatorLaw, JointChange};

use crate::error::LoadError;
use crate::model::Model;
use crate::model::material::GeomMaterial;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use stiction_model::{Compliance, Geom, GeomRole, Shape, Warning, World};

/// Changed contact properties of a geom. Omitted properties keep their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactChange {
    /// Static friction coefficient.
    pub static_friction: Option<f64>,
    /// Dynamic friction coefficient.
    pub dynamic_friction: Option<f64>,
    /// Point-contact stiffness, N/m.
    pub stiffness: Option<f64>,
    /// Hunt & Crossley dissipation, s/m.
    pub dissipation: Option<f64>,
    /// Relaxation time of linear dissipation (SAP), s.
    pub relaxation_time: Option<f64>,
    /// Modulus of a compliant geom's pressure field, Pa.
    pub modulus: Option<f64>,
    /// Coefficient of restitution of its contact points, from 0 to 1.
    pub restitution: Option<f64>,
}

/// Differences of a variant from its base model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Variation {
    /// Acceleration of gravity, m/s².
    pub gravity: Option<[f64; 3]>,
    /// Masses by body, kg. Rotational inertia changes in proportion, as with another density.
    pub masses: BTreeMap<usize, f64>,
    /// Contact properties by geom.
    pub contacts: BTreeMap<usize, ContactChange>,
    /// Factors on the size by geom, about its own frame; primitive shapes only. The rotational inertia of the body changes with
    /// the square if this is its only geom and lies at the centre of mass; otherwise it does not change, and the
    /// variant has a warning. Masses do not change.
    pub sizes: BTreeMap<usize, f64>,
    /// Changed properties of joints, by body and the joint's index in it.
    pub joints: BTreeMap<(usize, usize), JointChange>,
    /// Changed properties of actuators, by actuator.
    pub actuators: BTreeMap<usize, ActuatorChange>,
    /// Whether equalities act, by equality.
    pub equalities: BTreeMap<usize, bool>,
    /// Whether geoms collide, by geom. One that does not has no contacts, not even those of explicit pairs. `true` undoes an
    /// earlier `false`.
    pub collisions: BTreeMap<usize, bool>,
}

impl Variation {
    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Overrides the values that `other` defines.
    pub fn merge(&mut self, other: &Self) {
        self.gravity = other.gravity.or(self.gravity);
        self.masses.extend(&other.masses);
        self.sizes.extend(&other.sizes);
        self.equalities.extend(&other.equalities);
        self.collisions.extend(&other.collisions);
        for (&joint, new) in &other.joints {
            self.joints.entry(joint).or_default().merge(new);
        }
        for (&actuator, new) in &other.actuators {
            self.actuators.entry(actuator).or_default().merge(new);
        }
        for (&geom, new) in &other.contacts {
            let old = self.contacts.entry(geom).or_default();
            *old = ContactChange {
                static_friction: new.static_friction.or(old.static_friction),
                dynamic_friction: new.dynamic_friction.or(old.dynamic_friction),
                stiffness: new.stiffness.or(old.stiffness),
                dissipation: new.dissipation.or(old.dissipation),
                relaxation_time: new.relaxation_time.or(old.relaxation_time),
                modulus: new.modulus.or(old.modulus),
                restitution: new.restitution.or(old.restitution),
            };
        }
    }

    /// The description with these changes. Invalid changes are errors.
    pub(crate) fn apply(&self, world: &mut World, warnings: &mut Vec<Warning>) -> Result<(), String> {
        if let Some(gravity) = self.gravity {
            world.options.gravity = gravity.into();
        }
        for (&body, &mass) in &self.masses {
            let count = world.bodies.len();
            let Some(body) = world.bodies.get_mut(body).filter(|_| body > 0) else {
                return Err(format!("there is no body {body} with a mass: they go from 1 to {}", count - 1));
            };
            let inertia = &mut body.inertia;
            if !(mass > 0.0 && mass.is_finite()) {
                return Err(format!("mass of \"{}\" = {mass}: give a positive number of kg", body.name));
            }
            if inertia.mass <= 0.0 {
                return Err(format!(
                    "\"{}\" has no mass and so no shape of inertia to scale: give it an inertia in the file",
                    body.name
                ));
            }
            inertia.rotational *= mass / inertia.mass;
            inertia.mass = mass;
        }
        for (&geom, change) in &self.contacts {
            let count = world.geoms.len();
            let Some(geom) = world.geoms.get_mut(geom) else { return Err(no_geom(geom, count)) };
            change.apply(geom)?;
        }
        for (&geom, &factor) in &self.sizes {
            resize(world, geom, factor, warnings)?;
        }
        for (&joint, change) in &self.joints {
            change.apply(world, joint)?;
        }
        for (&actuator, change) in &self.actuators {
            change.apply(world, actuator)?;
        }
        for (&equality, &active) in &self.equalities {
            let count = world.equalities.len();
            let Some(equality) = world.equalities.get_mut(equality) else {
                return Err(format!("there is no equality {equality}: there are {count}, counted from 0"));
            };
            equality.active = active;
        }
        for (&geom, &collides) in &self.collisions {
            collide(world, geom, collides)?;
        }
        Ok(())
    }
}

impl ContactChange {
    fn apply(&self, geom: &mut Geom) -> Result<(), String> {
        let name = &geom.name;
        for (what, value) in [
            ("static_friction", self.static_friction),
            ("dynamic_friction", self.dynamic_friction),
            ("dissipation", self.dissipation),
            ("relaxation_time", self.relaxation_time),
        ] {
            if let Some(value) = value.filter(|v| !(*v >= 0.0 && v.is_finite())) {
                return Err(format!("{what} of \"{name}\" = {value}: give zero or a positive number"));
            }
        }
        for (what, value) in [("stiffness", self.stiffness), ("modulus", self.modulus)] {
            if let Some(value) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
                return Err(format!("{what} of \"{name}\" = {value}: give a positive number"));
            }
        }
        if let Some(e) = self.restitution {
            if !(0.0..=1.0).contains(&e) {
                return Err(format!(
                    "restitution of \"{name}\" = {e}: give a number from 0 to 1; more would add energy"
                ));
            }
            if e > 0.0 && geom.contact.compliance == Compliance::Compliant {
                return Err(format!(
                    "\"{name}\" makes contact patches, and restitution acts at points: let its dissipation decide the bounce"
                ));
            }
        }
        if self.modulus.is_some() && geom.contact.compliance != Compliance::Compliant {
            return Err(format!(
                "\"{name}\" has no pressure field and so no modulus: make it compliant in the file \
                 (drake:compliant_hydroelastic), or change its stiffness"
            ));
        }
        let now = GeomMaterial::new(&geom.contact, 0);
        let contact = &mut geom.contact;
        if self.static_friction.is_some() || self.dynamic_friction.is_some() {
            contact.static_friction = Some(self.static_friction.unwrap_or(now.static_friction));
            contact.dynamic_friction = Some(self.dynamic_friction.unwrap_or(now.dynamic_friction));
        }
        contact.stiffness = self.stiffness.or(contact.stiffness);
        contact.dissipation = self.dissipation.or(contact.dissipation);
        contact.relaxation_time = self.relaxation_time.or(contact.relaxation_time);
        contact.hydroelastic_modulus = self.modulus.or(contact.hydroelastic_modulus);
        contact.restitution = self.restitution.or(contact.restitution);
        Ok(())
    }
}

fn no_geom(geom: usize, count: usize) -> String {
    format!("there is no geom {geom}: there are {count}, counted from 0")
}

/// Takes a geom out of all contacts, or checks that it takes part.
fn collide(world: &mut World, index: usize, collides: bool) -> Result<(), String> {
    let count = world.geoms.len();
    let Some(geom) = world.geoms.get_mut(index) else { return Err(no_geom(index, count)) };
    let in_pair = world.pairs.iter().any(|pair| pair.geom_a == index || pair.geom_b == index);
    if collides {
        let filtered = geom.filter.group == 0 && geom.filter.mask == 0;
        if geom.role == GeomRole::Visual || (filtered && !in_pair) {
            return Err(format!(
                "\"{}\" has no contacts in this model: give it a collision group (contype, conaffinity) in the file, or vary \
                 the model that it was varied from",
                geom.name
            ));
        }
        return Ok(());
    }
    (geom.filter.group, geom.filter.mask) = (0, 0);
    world.pairs.retain(|pair| pair.geom_a != index && pair.geom_b != index);
    Ok(())
}

/// Scales a geom about its own frame.
fn resize(world: &mut World, index: usize, factor: f64, warnings: &mut Vec<Warning>) -> Result<(), String> {
    let count = world.geoms.len();
    let Some(geom) = world.geoms.get_mut(index) else { return Err(no_geom(index, count)) };
    if !(factor > 0.0 && factor.is_finite()) {
        return Err(format!("size of \"{}\" = {factor}: give a positive factor", geom.name));
    }
    match &mut geom.shape {
        Shape::Sphere { radius } => *radius *= factor,
        Shape::Box { half_extents } => *half_extents *= factor,
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            *radius *= factor;
            *half_length *= factor;
        }
        Shape::Ellipsoid { radii } => *radii *= factor,
        other => {
            return Err(format!(
                "\"{}\" is a {}, whose size cannot be changed here: load the model with another scale",
                geom.name,
                other.word()
            ));
        }
    }
    let (body, center, name, source) =
        (geom.body, geom.pose.translation.vector, geom.name.clone(), geom.source.clone());
    let alone = world.geoms.iter().filter(|g| g.body == body).count() == 1;
    let inertia = &mut world.bodies[body].inertia;
    let scale = inertia.rotational.abs().max() / inertia.mass.max(f64::MIN_POSITIVE);
    // The contribution of the offset to the inertia is below rounding.
    if alone && (center - inertia.com).norm_squared() <= 1e-12 * scale {
        inertia.rotational *= factor * factor;
    } else if inertia.mass > 0.0 && factor != 1.0 {
        let message = format!(
            "\"{name}\" has another size, and the inertia of \"{}\" stays as it was, because the geom is not all of the \
             body or is not at its centre of mass",
            world.bodies[body].name
        );
        warnings.push(Warning { source, message });
    }
    Ok(())
}

impl Model {
    /// A variant of this model: the same bodies, joints and geoms, with the changes of `variation`.
    pub fn varied(&self, variation: &Variation) -> Result<Self, LoadError> {
        if variation.is_empty() { Ok(self.clone()) } else { self.vary(variation) }
    }

    /// The contact properties of a geom, including defaults.
    pub fn contact_properties(&self, geom: usize) -> Option<GeomMaterial> {
        let geom = self.world().geoms.get(geom)?;
        Some(GeomMaterial::new(&geom.contact, geom.priority))
    }
}
