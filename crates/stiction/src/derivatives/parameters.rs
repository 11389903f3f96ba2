//! Contact parameters of geoms, and derivatives of a contact's entries by them.

use super::DerivativeError;
use crate::error::InputError;
use crate::model::geom_id::GeomPair;
use crate::model::material::{GeomMaterial, PairMaterial};
use crate::model::names::unknown_name;
use crate::model::{Compiled, GeomId, Model};
use nalgebra::Vector6;
use stiction_convex::ContactEntry;

/// A contact property of a geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactProperty {
    /// Both friction coefficients at once.
    Friction,
    /// The static one.
    StaticFriction,
    /// The dynamic one.
    DynamicFriction,
    /// Point-contact stiffness k, N/m.
    Stiffness,
    /// Hunt & Crossley dissipation d, s/m (Lagged and Similar).
    Dissipation,
    /// Relaxation time τ_d, s (SAP).
    RelaxationTime,
    /// Modulus of the pressure field, Pa; for patches with geoms that have none.
    Modulus,
}

impl ContactProperty {
    /// All, in the order of their names.
    pub const ALL: [Self; 7] = [
        Self::Friction,
        Self::StaticFriction,
        Self::DynamicFriction,
        Self::Stiffness,
        Self::Dissipation,
        Self::RelaxationTime,
        Self::Modulus,
    ];

    /// Its name in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Friction => "friction",
            Self::StaticFriction => "static_friction",
            Self::DynamicFriction => "dynamic_friction",
            Self::Stiffness => "stiffness",
            Self::Dissipation => "dissipation",
            Self::RelaxationTime => "relaxation_time",
            Self::Modulus => "modulus",
        }
    }

    /// The property of a name.
    pub fn from_name(name: &str) -> Result<Self, InputError> {
        let names = Self::ALL.iter().map(|p| p.name());
        Self::ALL
            .into_iter()
            .find(|p| p.name() == name)
            .ok_or_else(|| unknown_name("contact property", name, names))
    }

    /// The material values of this property.
    fn fields(self, m: &mut GeomMaterial) -> [Option<&mut f64>; 2] {
        match self {
            Self::Friction => [Some(&mut m.static_friction), Some(&mut m.dynamic_friction)],
            Self::StaticFriction => [Some(&mut m.static_friction), None],
            Self::DynamicFriction => [Some(&mut m.dynamic_friction), None],
            Self::Stiffness => [Some(&mut m.stiffness), None],
            Self::Dissipation => [Some(&mut m.dissipation), None],
            Self::RelaxationTime => [Some(&mut m.relaxation_time), None],
            Self::Modulus => [Some(&mut m.modulus), None],
        }
    }
}

/// A contact property of one geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactParameter {
    /// The geom, by its place in the world's list.
    pub geom: GeomId,
    /// The property.
    pub property: ContactProperty,
}

impl ContactParameter {
    /// A property of a geom by name.
    pub fn named(model: &Model, geom: &str, property: &str) -> Result<Self, InputError> {
        Ok(Self { geom: model.geom_index(geom)?, property: ContactProperty::from_name(property)? })
    }

    /// Rejects parameters without a meaning.
    pub(super) fn check(&self, model: &Model) -> Result<(), DerivativeError> {
        let geoms = &model.world().geoms;
        if self.geom.0 >= geoms.len() {
            let known = format!("0 to {}", geoms.len().saturating_sub(1));
            let (name, hint) = (self.geom.0.to_string(), String::new());
            return Err(InputError::Name { kind: "geom", name, hint, known }.into());
        }
        let (compiled, refuse) = (model.compiled(), |reason: &str| {
            let geom = geoms[self.geom.0].name.clone();
            Err(DerivativeError::Parameter { parameter: self.property.name(), geom, reason: reason.into() })
        });
        match compiled.colliding.find(self.geom) {
            None => refuse("it takes no part in contact"),
            Some(g)
                if self.property == ContactProperty::Modulus && !compiled.material(g).modulus.is_finite() =>
            {
                refuse("it has no pressure field; make it compliant")
            }
            Some(_) => Ok(()),
        }
    }

    /// Derivative of a geom pair's material by this parameter, if the material depends on it.
    pub(super) fn change(
        &self,
        compiled: &Compiled,
        geoms: GeomPair,
        patch: bool,
    ) -> Result<Option<MaterialChange>, DerivativeError> {
        let side = [geoms.0, geoms.1].iter().position(|&g| compiled.colliding.in_world(g) == self.geom);
        let Some(side) = side else { return Ok(None) };
        let combine = if patch { PairMaterial::combine_patch } else { PairMaterial::combine };
        let mine = *compiled.material([geoms.0, geoms.1][side]);
        let other = *compiled.material([geoms.1, geoms.0][side]);
        let modulus = self.property == ContactProperty::Modulus;
        if modulus && !patch {
            return Ok(None);
        }
        if modulus && other.modulus.is_finite() {
            return Err(DerivativeError::Parameter {
                parameter: self.property.name(),
                geom: compiled.world.geoms[self.geom.0].name.clone(),
                reason: "it touches another geom with a pressure field, and the surface between the two moves with the \
                         moduli, which has no derivative here; difference models of two moduli"
                    .into(),
            });
        }
        // The combination rules are simple functions, so central differences are accurate. If the larger friction
        // coefficient applies and both are equal, each geom gets half of the derivative.
        let mut value = mine;
        let size =
            self.property.fields(&mut value).into_iter().flatten().map(|x| x.abs()).fold(0.0, f64::max);
        let h = 1e-5 * if size > 0.0 { size } else { 1.0 };
        let at = |h: f64| {
            let mut changed = mine;
            self.property.fields(&mut changed).into_iter().flatten().for_each(|x| *x += h);
            let materials = if side == 0 { (changed, other) } else { (other, changed) };
            compiled.pair_material(geoms, |_, _, rule| combine(&materials.0, &materials.1, rule))
        };
        let (plus, minus) = (at(h), at(-h));
        let slope = |f: fn(&PairMaterial) -> f64| {
            let (plus, minus) = (f(&plus), f(&minus));
            if plus == minus { 0.0 } else { (plus - minus) / (2.0 * h) }
        };
        Ok(Some(MaterialChange {
            stiffness: slope(|m| m.stiffness),
            dissipation: slope(|m| m.dissipation),
            relaxation_time: slope(|m| m.relaxation_time),
            static_friction: slope(|m| m.static_friction),
            dynamic_friction: slope(|m| m.dynamic_friction),
            weight_b: slope(|m| m.weight_b),
            pressure: if modulus { 1.0 / mine.modulus } else { 0.0 },
        }))
    }
}

/// Change of a pair's material per unit of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaterialChange {
    stiffness: f64,
    dissipation: f64,
    relaxation_time: f64,
    static_friction: f64,
    dynamic_friction: f64,
    /// Change of the position between the witness points.
    pub weight_b: f64,
    /// Relative change of all pressures.
    pressure: f64,
}

/// Wrench of an entry per unit of its parameters.
pub(super) struct EntryChange {
    pub by_elastic_force: Vector6<f64>,
    pub by_stiffness: Vector6<f64>,
    pub by_dissipation: Vector6<f64>,
    pub by_relaxation_time: Vector6<f64>,
    pub by_static_friction: Vector6<f64>,
    pub by_dynamic_friction: Vector6<f64>,
}

impl EntryChange {
    /// Derivative of the wrench by a material, except for the motion of the contact point.
    pub fn along(
        &self,
        change: &MaterialChange,
        entry: &ContactEntry,
        material: &PairMaterial,
    ) -> Vector6<f64> {
        // f0 = k x0, where k is the pair's stiffness over the number of its points. For a face, f0 and k are its
        // area times pressure and gradient.
        let share = change.pressure
            + if material.stiffness.is_finite() { change.stiffness / material.stiffness } else { 0.0 };
        self.by_elastic_force * (share * entry.elastic_force)
            + self.by_stiffness * (share * entry.stiffness)
            + self.by_dissipation * change.dissipation
            + self.by_relaxation_time * change.relaxation_time
            + self.by_static_friction * change.static_friction
            + self.by_dynamic_friction * change.dynamic_friction
    }
}
