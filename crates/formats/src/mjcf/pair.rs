//! Pairs of geoms with contact properties of their own.

use super::defaults::MAIN;
use super::reader::Reader;
use crate::error::Read;
use crate::xml::Node;
use stiction_model::{ContactPair, ContactProperties};

impl<'a> Reader<'a> {
    /// Reads every contact pair. What an attribute leaves open MuJoCo combines from the two geoms, and so do we.
    pub fn pairs(&mut self, root: &'a Node) -> Read<()> {
        for node in root.children_named("contact").flat_map(|s| &s.children).filter(|n| n.name == "pair") {
            let attrs = self.defaults.apply(node, "pair", MAIN)?;
            let geom = |name: &str| {
                self.geom_index(node, name)?.ok_or_else(|| node.error(format!("a pair needs {name}=\"…\"")))
            };
            let (geom_a, geom_b) = (geom("geom1")?, geom("geom2")?);
            let mut contact = ContactProperties::default();
            let mut friction = [1.0, 1.0, 0.005, 0.0001, 0.0001];
            let given = attrs.overlay("friction", &mut friction)?;
            if given > 0 {
                contact.static_friction = Some(friction[0]);
                contact.dynamic_friction = Some(friction[0]);
            }
            if given > 1 && friction[0] != friction[1] {
                let message = format!(
                    "friction differs in the two directions of the contact; the first, {}, acts in both",
                    friction[0]
                );
                self.report.warn(node, "pair@friction directions", message)?;
            }
            match attrs.integer("condim")? {
                Some(1) => (contact.static_friction, contact.dynamic_friction) = (Some(0.0), Some(0.0)),
                Some(4 | 6) => self.report.warn(
                    node,
                    "pair@condim",
                    "condim 4 or 6: torsional and rolling friction do not act; sliding friction does",
                )?,
                _ => {}
            }
            self.solref(&attrs, "pair", &mut contact)?;
            self.world.pairs.push(ContactPair { geom_a, geom_b, contact, source: node.source() });
        }
        Ok(())
    }
}
