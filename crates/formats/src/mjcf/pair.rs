//! Pairs of geoms with contact properties of their own.

use super::defaults::MAIN;
use super::geom::dimensions;
use super::reader::Reader;
use crate::error::Read;
use crate::xml::Node;
use stiction_model::{ContactPair, ContactProperties};

impl<'a> Reader<'a> {
    /// Reads every contact pair.
    pub fn pairs(&mut self, root: &'a Node) -> Read<()> {
        for node in root.children_named("contact").flat_map(|s| &s.children).filter(|n| n.name == "pair") {
            let attrs = self.defaults.apply(node, "pair", MAIN)?;
            let geom = |name: &str| {
                self.geom_index(node, name)?.ok_or_else(|| node.error(format!("a pair needs {name}=\"…\"")))
            };
            let (geom_a, geom_b) = (geom("geom1")?, geom("geom2")?);
            let mut contact = ContactProperties::default();
            // Two sliding, one torsional, two rolling coefficients. MuJoCo has these defaults for what is not given, whatever
            // the geoms have.
            let mut friction = [1.0, 1.0, 0.005, 0.0001, 0.0001];
            attrs.overlay("friction", &mut friction)?;
            contact.static_friction = Some(friction[0]);
            contact.dynamic_friction = Some(friction[0]);
            contact.second_friction = (friction[1] != friction[0]).then_some(friction[1]);
            contact.torsional_friction = Some(friction[2]);
            contact.rolling_friction = Some(friction[3]);
            contact.second_rolling_friction = (friction[4] != friction[3]).then_some(friction[4]);
            contact.dimensions = Some(dimensions(node, attrs.integer("condim")?.unwrap_or(3))?);
            self.solref(&attrs, "pair", &mut contact)?;
            self.world.pairs.push(ContactPair { geom_a, geom_b, contact, source: node.source() });
        }
        Ok(())
    }
}
