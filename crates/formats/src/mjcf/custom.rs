//! Custom numbers: those whose names begin with `stiction:` say how contact is computed. MuJoCo and others read the same
//! file and pass them over.
//!
//! | name | data |
//! |---|---|
//! | `stiction:linear_dissipation` | 1: contacts dissipate by their relaxation time instead of Hunt & Crossley's law |
//! | `stiction:friction_passes` | solves of a step |
//! | `stiction:tangential_springs` | tangential over normal stiffness, relaxation time in s |
//! | `stiction:friction_law` | the nine weights of [`FrictionCalibration`] |
//! | `stiction:harmonic_friction` | 1: two geoms' friction combines by the harmonic mean, not by the larger coefficient |
//! | `stiction:restitution:GEOM` | restitution of the impacts of the geom GEOM, 0 to 1, and perhaps the approach in m/s up to which it has none |
//! | `stiction:convex_parts:GEOM` | the mesh of the geom GEOM is cut into at most so many convex parts |
//!
//! Custom texts called `stiction:geom:NAME` hold contact properties of the geom NAME that MJCF has no words for, in place of
//! all it says itself: `compliant` or `rigid`, `surface` for a mesh that collides as its surface, and pairs of a property
//! and its number. They are what exporting writes; in files written by hand `drake:proximity_properties` is plainer.

use super::geom::dimensions;
use super::reader::Reader;
use crate::error::Read;
use crate::numbers::parse_numbers;
use crate::xml::Node;
use stiction_model::{
    Compliance, ContactCalibration, ContactProperties, ConvexParts, Dissipation, FrictionCalibration,
    FrictionRule, Shape,
};

impl<'a> Reader<'a> {
    /// Reads the contact law, if the file has one.
    pub fn custom(&mut self, root: &'a Node) -> Read<()> {
        let sections = root.children_named("custom").flat_map(|s| &s.children);
        for node in sections.filter(|n| n.name == "numeric") {
            let Some(name) = node.attr("name").and_then(|n| n.strip_prefix("stiction:")) else { continue };
            let data = parse_numbers(node, "data", node.attr("data").unwrap_or(""))?;
            if name == "harmonic_friction" {
                self.world.options.friction_rule = match data[..] {
                    [0.0] => FrictionRule::MaxWithPriority,
                    [1.0] => FrictionRule::HarmonicMean,
                    _ => return Err(node.error("its data must be 0 or 1")),
                };
                continue;
            }
            if let Some(geom) = name.strip_prefix("restitution:") {
                let &[coefficient, ref threshold @ ..] = &data[..] else {
                    return Err(node.error("its data must be a restitution and perhaps a threshold in m/s"));
                };
                let Some(&geom) = self.geom_indices.get(geom) else {
                    return Err(node.error(format!("there is no geom \"{geom}\"; correct the name")));
                };
                if !(0.0..=1.0).contains(&coefficient) || threshold.len() > 1 {
                    return Err(
                        node.error("a restitution is 0 to 1, and at most a threshold in m/s follows it")
                    );
                }
                let contact = &mut self.world.geoms[geom].contact;
                contact.restitution = Some(coefficient);
                contact.restitution_threshold = threshold.first().copied();
                continue;
            }
            if let Some(name) = name.strip_prefix("convex_parts:") {
                let Some(&geom) = self.geom_indices.get(name) else {
                    return Err(node.error(format!("there is no geom \"{name}\"; correct the name")));
                };
                let geom = &mut self.world.geoms[geom];
                match data[..] {
                    _ if !matches!(geom.shape, Shape::Mesh { .. }) => {
                        return Err(node.error(format!("the geom \"{name}\" is not a mesh")));
                    }
                    [most] if most.fract() == 0.0 && (1.0..=1024.0).contains(&most) => {
                        geom.convex_parts = Some(ConvexParts { most: most as u32, ..ConvexParts::default() });
                    }
                    _ => return Err(node.error("its data must be a number of parts, 1 to 1024")),
                }
                continue;
            }
            let law = self.world.options.contact_law.get_or_insert_with(ContactCalibration::default);
            match (name, &data[..]) {
                ("linear_dissipation", &[0.0]) => law.dissipation = Dissipation::HuntCrossley,
                ("linear_dissipation", &[1.0]) => law.dissipation = Dissipation::Linear,
                ("friction_passes", &[n]) if n.fract() == 0.0 && (1.0..=100.0).contains(&n) => {
                    law.friction_passes = n as u32;
                }
                ("tangential_springs", &[ratio, time]) => law.springs = Some([ratio, time]),
                ("friction_law", weights) if weights.len() == FrictionCalibration::NAMES.len() => {
                    law.friction = FrictionCalibration::from_weights(std::array::from_fn(|i| weights[i]));
                }
                ("linear_dissipation", _) => return Err(node.error("its data must be 0 or 1")),
                ("friction_passes", _) => {
                    return Err(node.error("its data must be a number of solves, 1 or more"));
                }
                ("tangential_springs", _) => {
                    return Err(node.error("its data must be a stiffness ratio and a relaxation time"));
                }
                ("friction_law", _) => {
                    let names = FrictionCalibration::NAMES.join(", ");
                    return Err(node.error(format!("its data must be the weights {names}")));
                }
                (other, _) => {
                    let message =
                        format!("stiction:{other} is not known and has no effect; check its spelling");
                    self.report.warn(node, "custom/numeric", message)?;
                }
            }
            let law = self.world.options.contact_law.unwrap_or_default();
            if let Some(problem) = law.problem() {
                return Err(node.error(problem));
            }
        }
        let sections = root.children_named("custom").flat_map(|s| &s.children);
        for node in sections.filter(|n| n.name == "text") {
            let Some(name) = node.attr("name").and_then(|n| n.strip_prefix(GEOM)) else { continue };
            let Some(&geom) = self.geom_indices.get(name) else {
                return Err(node.error(format!("there is no geom \"{name}\"; correct the name after {GEOM}")));
            };
            let geom = &mut self.world.geoms[geom];
            geom.contact = contact_from_words(node, &mut geom.shape)?;
        }
        Ok(())
    }
}

/// How the names of texts with contact properties begin.
pub const GEOM: &str = "stiction:geom:";

/// The numbers of contact properties, by name.
pub fn contact_numbers(contact: &mut ContactProperties) -> [(&'static str, &mut Option<f64>); 15] {
    [
        ("static_friction", &mut contact.static_friction),
        ("dynamic_friction", &mut contact.dynamic_friction),
        ("torsional_friction", &mut contact.torsional_friction),
        ("rolling_friction", &mut contact.rolling_friction),
        ("surface_radius", &mut contact.surface_radius),
        ("torsional_coefficient", &mut contact.torsional_coefficient),
        ("restitution", &mut contact.restitution),
        ("restitution_threshold", &mut contact.restitution_threshold),
        ("stiffness", &mut contact.stiffness),
        ("dissipation", &mut contact.dissipation),
        ("relaxation_time", &mut contact.relaxation_time),
        ("expansion_rate", &mut contact.expansion_rate),
        ("hydroelastic_modulus", &mut contact.hydroelastic_modulus),
        ("resolution_hint", &mut contact.resolution_hint),
        ("slab_thickness", &mut contact.slab_thickness),
    ]
}

fn contact_from_words(node: &Node, shape: &mut Shape) -> Read<ContactProperties> {
    let mut contact = ContactProperties::default();
    let mut words = node.attr("data").unwrap_or("").split_whitespace();
    while let Some(word) = words.next() {
        match (word, &mut *shape) {
            ("compliant", _) => contact.compliance = Compliance::Compliant,
            ("rigid", _) => contact.compliance = Compliance::Rigid,
            ("surface", Shape::Mesh { convex, .. }) => *convex = false,
            ("hull", Shape::Mesh { convex, .. }) => *convex = true,
            ("dimensions", _) => {
                let [number] = parse_numbers(node, "dimensions", words.next().unwrap_or(""))?[..] else {
                    return Err(node.error("dimensions needs one number after it"));
                };
                contact.dimensions = Some(dimensions(node, number as i32)?);
            }
            _ => {
                let slot = contact_numbers(&mut contact).into_iter().find(|(name, _)| *name == word);
                let Some((name, slot)) = slot else {
                    return Err(node.error(format!("\"{word}\" is no contact property of this geom")));
                };
                match parse_numbers(node, name, words.next().unwrap_or(""))?[..] {
                    [number] if number.is_finite() => *slot = Some(number),
                    _ => return Err(node.error(format!("{name} needs one finite number after it"))),
                }
            }
        }
    }
    Ok(contact)
}
