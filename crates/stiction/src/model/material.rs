//! Contact properties of geoms, and rules for combining the properties of two geoms (`theory` section 5; Drake's
//! rules).

use crate::contact::turning::Turning;
use crate::model::Compiled;
use crate::model::geom_id::GeomPair;
use stiction_model::{Compliance, ContactProperties, FrictionRule, HERTZ_TORSION, Softness};

/// Default point-contact stiffness of a geom, N/m.
pub const DEFAULT_STIFFNESS: f64 = 1e6;
/// Default Hunt & Crossley dissipation of a geom, s/m.
pub const DEFAULT_DISSIPATION: f64 = 50.0;
/// Default relaxation time of a geom's linear dissipation (SAP), s.
pub const DEFAULT_RELAXATION_TIME: f64 = 0.1;
/// Default friction coefficient of a geom.
pub const DEFAULT_FRICTION: f64 = 0.5;

/// Default modulus of a compliant geom's pressure field, Pa.
pub const DEFAULT_MODULUS: f64 = 1e7;
/// Default thickness of a compliant half-space, m.
pub const DEFAULT_SLAB_THICKNESS: f64 = 1.0;
/// Default edge length of the tetrahedra of curved shapes, m.
pub const DEFAULT_RESOLUTION: f64 = 0.02;

/// Contact properties of one geom, including defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeomMaterial {
    /// Point-contact stiffness, N/m.
    pub stiffness: f64,
    /// Hunt & Crossley dissipation, s/m.
    pub dissipation: f64,
    /// Relaxation time of linear dissipation, s.
    pub relaxation_time: f64,
    /// Static friction coefficient.
    pub static_friction: f64,
    /// Dynamic friction coefficient.
    pub dynamic_friction: f64,
    /// Torsional friction, m.
    pub torsional_friction: f64,
    /// Torsional friction over the root of the depth, √m.
    pub torsional_by_depth: f64,
    /// Rolling friction, m.
    pub rolling_friction: f64,
    /// Which of the coefficients act: 1 none, 3 sliding, 4 torsion too, 6 rolling too.
    pub dimensions: u8,
    /// Restitution of impacts, if the geom has one.
    pub restitution: Option<f64>,
    /// Approach up to which an impact has none, m/s.
    pub restitution_threshold: f64,
    /// Softness in MuJoCo's terms, if the file has one.
    pub softness: Option<Softness>,
    /// Precedence under [`FrictionRule::MaxWithPriority`].
    pub priority: i32,
    /// Whether it makes patches.
    pub compliance: Compliance,
    /// Modulus of its pressure field, Pa; infinite for geoms without one.
    pub modulus: f64,
}

impl GeomMaterial {
    /// Fills in the defaults.
    pub fn new(properties: &ContactProperties, priority: i32) -> Self {
        let dynamic = properties.dynamic_friction.or(properties.static_friction).unwrap_or(DEFAULT_FRICTION);
        let patch = properties.torsional_coefficient.unwrap_or(dynamic);
        let torsional_by_depth = properties.surface_radius.map_or(0.0, |r| HERTZ_TORSION * patch * r.sqrt());
        let rolling_friction = properties.rolling_friction.unwrap_or(0.0);
        let torsional_friction = properties.torsional_friction.unwrap_or(0.0);
        let given = match (rolling_friction > 0.0, torsional_friction + torsional_by_depth > 0.0) {
            (true, _) => 6,
            (false, true) => 4,
            _ => 3,
        };
        Self {
            torsional_friction,
            torsional_by_depth,
            rolling_friction,
            dimensions: properties.dimensions.unwrap_or(given),
            restitution: properties.restitution,
            restitution_threshold: properties.restitution_threshold.unwrap_or(0.0),
            stiffness: properties.stiffness.unwrap_or(DEFAULT_STIFFNESS),
            dissipation: properties.dissipation.unwrap_or(DEFAULT_DISSIPATION),
            relaxation_time: properties.relaxation_time.unwrap_or(DEFAULT_RELAXATION_TIME),
            static_friction: properties.static_friction.unwrap_or(dynamic),
            dynamic_friction: dynamic,
            softness: properties.softness,
            priority,
            compliance: properties.compliance,
            modulus: match properties.compliance {
                Compliance::Compliant => properties.hydroelastic_modulus.unwrap_or(DEFAULT_MODULUS),
                _ => f64::INFINITY,
            },
        }
    }
}

/// Contact properties of a pair of geoms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMaterial {
    /// Stiffness of the pair, divided among the points of its manifold, N/m.
    pub stiffness: f64,
    /// Hunt & Crossley dissipation, s/m.
    pub dissipation: f64,
    /// Relaxation time of linear dissipation, s.
    pub relaxation_time: f64,
    /// Static friction coefficient.
    pub static_friction: f64,
    /// Dynamic friction coefficient.
    pub dynamic_friction: f64,
    /// Restitution of impacts, 0 for none: the smaller of two, or that of the geom that has one.
    pub restitution: f64,
    /// Approach up to which an impact has none, m/s: the larger of two.
    pub restitution_threshold: f64,
    /// Friction by direction, torsion and rolling.
    pub(crate) turning: Turning,
    /// Which coefficients act, as those of [`GeomMaterial`].
    pub dimensions: u8,
    /// Fraction of the distance from A's witness point to B's at which the contact point lies: p = (k_a p_a + k_b
    /// p_b)/(k_a + k_b).
    pub weight_b: f64,
}

impl PairMaterial {
    /// Combines two geoms' properties for point contact.
    pub fn combine(a: &GeomMaterial, b: &GeomMaterial, rule: FrictionRule) -> Self {
        // Ratios first: they keep full precision at any scale.
        let weight_b = b.stiffness / (a.stiffness + b.stiffness);
        Self { stiffness: a.stiffness * weight_b, ..Self::with_weight(a, b, rule, weight_b) }
    }

    /// Combines two geoms' properties for a patch: the fields' moduli replace the stiffness, which is computed per
    /// face and infinite here.
    pub fn combine_patch(a: &GeomMaterial, b: &GeomMaterial, rule: FrictionRule) -> Self {
        let weight_b = match (a.modulus.is_finite(), b.modulus.is_finite()) {
            (true, true) => b.modulus / (a.modulus + b.modulus),
            (true, false) => 1.0,
            (false, _) => 0.0,
        };
        Self { stiffness: f64::INFINITY, ..Self::with_weight(a, b, rule, weight_b) }
    }

    /// The same with the deliberate error that was chosen, if any: never in a release.
    pub(crate) fn mutated(mut self) -> Self {
        use stiction_base::mutation::is;
        for (name, factor) in [("friction-off", 0.0), ("friction-half", 0.5), ("friction-double", 2.0)] {
            if is(name) {
                self.static_friction *= factor;
                self.dynamic_friction *= factor;
            }
        }
        if is("points-hold") {
            self.turning.torsion = 0.01;
        }
        if is("dissipation-off") {
            (self.dissipation, self.relaxation_time) = (0.0, 0.0);
        }
        if is("stiffness-double") {
            self.stiffness *= 2.0;
        }
        if is("relaxation-double") {
            self.relaxation_time *= 2.0;
        }
        self
    }

    /// The same without the coefficients that do not act.
    fn active(mut self) -> Self {
        if self.dimensions < 3 {
            (self.static_friction, self.dynamic_friction, self.turning) = (0.0, 0.0, Turning::default());
        }
        if self.dimensions < 4 {
            self.turning = Turning { second: self.turning.second, ..Turning::default() };
        }
        if self.dimensions < 6 {
            self.turning.rolling = [0.0; 2];
        }
        self
    }

    /// Combines everything but the stiffness. `weight_b` is B's fraction of the sum of stiffnesses, so the softer
    /// side dominates the dissipation.
    fn with_weight(a: &GeomMaterial, b: &GeomMaterial, rule: FrictionRule, weight_b: f64) -> Self {
        // MuJoCo's rule: the geom of higher priority decides, otherwise the larger value.
        let decided = |of_a: f64, of_b: f64| match a.priority.cmp(&b.priority) {
            std::cmp::Ordering::Greater => of_a,
            std::cmp::Ordering::Less => of_b,
            std::cmp::Ordering::Equal => of_a.max(of_b),
        };
        let larger = |of_a: f64, of_b: f64| match rule {
            FrictionRule::HarmonicMean => of_a.max(of_b),
            FrictionRule::MaxWithPriority => decided(of_a, of_b),
        };
        let dimensions = larger(f64::from(a.dimensions), f64::from(b.dimensions)) as u8;
        let friction = |mu_a: f64, mu_b: f64| match rule {
            FrictionRule::HarmonicMean if mu_a + mu_b > 0.0 => 2.0 * mu_a * mu_b / (mu_a + mu_b),
            FrictionRule::HarmonicMean => 0.0,
            FrictionRule::MaxWithPriority => decided(mu_a, mu_b),
        };
        let turning = Turning {
            second: None,
            torsion: larger(a.torsional_friction, b.torsional_friction),
            torsion_by_depth: larger(a.torsional_by_depth, b.torsional_by_depth),
            rolling: [larger(a.rolling_friction, b.rolling_friction); 2],
        };
        Self {
            stiffness: 0.0,
            dissipation: weight_b * a.dissipation + (1.0 - weight_b) * b.dissipation,
            relaxation_time: a.relaxation_time + b.relaxation_time,
            static_friction: friction(a.static_friction, b.static_friction),
            dynamic_friction: friction(a.dynamic_friction, b.dynamic_friction),
            restitution: match (a.restitution, b.restitution) {
                (Some(a), Some(b)) => a.min(b),
                (a, b) => a.or(b).unwrap_or(0.0),
            },
            restitution_threshold: a.restitution_threshold.max(b.restitution_threshold),
            turning,
            dimensions,
            weight_b,
        }
    }
}

/// Contact properties of an explicit pair, which override the combined properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairOverride(pub ContactProperties);

impl PairOverride {
    /// The combined material with these overrides.
    pub fn apply(&self, mut material: PairMaterial) -> PairMaterial {
        let given = &self.0;
        // The stiffness of a face is computed per face.
        if let Some(stiffness) = given.stiffness.filter(|_| material.stiffness.is_finite()) {
            material.stiffness = stiffness;
        }
        material.dissipation = given.dissipation.unwrap_or(material.dissipation);
        material.relaxation_time = given.relaxation_time.unwrap_or(material.relaxation_time);
        if let Some(dynamic) = given.dynamic_friction.or(given.static_friction) {
            material.dynamic_friction = dynamic;
            material.static_friction = given.static_friction.unwrap_or(dynamic);
        }
        material.restitution = given.restitution.unwrap_or(material.restitution);
        material.restitution_threshold =
            given.restitution_threshold.unwrap_or(material.restitution_threshold);
        let turning = &mut material.turning;
        turning.torsion = given.torsional_friction.unwrap_or(turning.torsion);
        if let Some(rolling) = given.rolling_friction {
            turning.rolling = [rolling, given.second_rolling_friction.unwrap_or(rolling)];
        }
        turning.second = given.second_friction.or(turning.second);
        material.dimensions = given.dimensions.unwrap_or(material.dimensions);
        material
    }
}

impl Compiled {
    /// The material of a pair of geoms, combined by `combine` unless the pair has its own material.
    pub(crate) fn pair_material(
        &self,
        (a, b): GeomPair,
        combine: impl Fn(&GeomMaterial, &GeomMaterial, FrictionRule) -> PairMaterial,
    ) -> PairMaterial {
        let rule = self.world.options.friction_rule;
        let material = combine(self.material(a), self.material(b), rule);
        match self.pair_override((a, b)) {
            Some(own) => own.apply(material),
            None => material,
        }
        .active()
        .mutated()
    }

    /// The softness of a pair of geoms with contact properties of their own.
    pub(crate) fn pair_softness(&self, pair: GeomPair) -> Option<Softness> {
        self.pair_override(pair)?.0.softness
    }

    fn pair_override(&self, (a, b): GeomPair) -> Option<&PairOverride> {
        let key = (a.min(b), a.max(b));
        let found = self.pair_materials.binary_search_by_key(&key, |(pair, _)| *pair).ok()?;
        Some(&self.pair_materials[found].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geom(stiffness: f64, dissipation: f64, friction: f64, priority: i32) -> GeomMaterial {
        let properties = ContactProperties {
            stiffness: Some(stiffness),
            dissipation: Some(dissipation),
            static_friction: Some(friction),
            dynamic_friction: Some(friction),
            ..Default::default()
        };
        GeomMaterial::new(&properties, priority)
    }

    #[test]
    fn stiffness_is_in_series_and_the_softer_side_decides_dissipation() {
        let pair = PairMaterial::combine(
            &geom(1e6, 10.0, 0.5, 0),
            &geom(3e6, 50.0, 1.0, 0),
            FrictionRule::HarmonicMean,
        );
        assert!((pair.stiffness - 7.5e5).abs() < 1e-6);
        assert!((pair.dissipation - (0.75 * 10.0 + 0.25 * 50.0)).abs() < 1e-12);
        assert!((pair.static_friction - 2.0 / 3.0).abs() < 1e-15);
        assert!((pair.weight_b - 0.75).abs() < 1e-15);
    }

    #[test]
    fn priority_decides_friction_before_the_larger_value_does() {
        let (low, high) = (geom(1e6, 0.0, 0.9, 0), geom(1e6, 0.0, 0.2, 1));
        let rule = FrictionRule::MaxWithPriority;
        assert_eq!(PairMaterial::combine(&low, &high, rule).static_friction, 0.2);
        assert_eq!(PairMaterial::combine(&high, &low, rule).static_friction, 0.2);
        assert_eq!(PairMaterial::combine(&low, &geom(1e6, 0.0, 0.2, 0), rule).static_friction, 0.9);
    }

    #[test]
    fn on_a_rigid_body_a_patch_has_the_dissipation_of_the_compliant_one() {
        let soft = |modulus: f64, dissipation: f64| {
            let compliance = Compliance::Compliant;
            let contact = ContactProperties {
                compliance,
                hydroelastic_modulus: Some(modulus),
                dissipation: Some(dissipation),
                ..Default::default()
            };
            GeomMaterial::new(&contact, 0)
        };
        let (rigid, rule) = (geom(1e6, 7.0, 0.5, 0), FrictionRule::HarmonicMean);
        assert_eq!(PairMaterial::combine_patch(&rigid, &soft(1e5, 3.0), rule).dissipation, 3.0);
        assert_eq!(PairMaterial::combine_patch(&soft(1e5, 3.0), &rigid, rule).dissipation, 3.0);
        let both = PairMaterial::combine_patch(&soft(1e5, 3.0), &soft(3e5, 11.0), rule).dissipation;
        assert!((both - (0.75 * 3.0 + 0.25 * 11.0)).abs() < 1e-12);
    }

    #[test]
    fn frictionless_pairs_stay_frictionless() {
        let pair = PairMaterial::combine(
            &geom(1e6, 0.0, 0.0, 0),
            &geom(1e6, 0.0, 0.0, 0),
            FrictionRule::HarmonicMean,
        );
        assert_eq!(pair.dynamic_friction, 0.0);
    }
}
