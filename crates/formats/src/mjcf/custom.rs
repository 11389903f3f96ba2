//! Custom numbers: those whose names begin with `stiction:` say how contact is computed. MuJoCo and others read the same
//! file and pass them over.
//!
//! | name | data |
//! |---|---|
//! | `stiction:linear_dissipation` | 1: contacts dissipate by their relaxation time instead of Hunt & Crossley's law |
//! | `stiction:friction_passes` | solves of a step |
//! | `stiction:tangential_springs` | tangential over normal stiffness, relaxation time in s |
//! | `stiction:friction_law` | the nine weights of [`FrictionLaw`] |

use super::reader::Reader;
use crate::error::Read;
use crate::numbers::parse_numbers;
use crate::xml::Node;
use stiction_model::{ContactLaw, Dissipation, FrictionLaw};

impl<'a> Reader<'a> {
    /// Reads the contact law, if the file has one.
    pub fn custom(&mut self, root: &'a Node) -> Read<()> {
        let sections = root.children_named("custom").flat_map(|s| &s.children);
        for node in sections.filter(|n| n.name == "numeric") {
            let Some(name) = node.attr("name").and_then(|n| n.strip_prefix("stiction:")) else { continue };
            let data = parse_numbers(node, "data", node.attr("data").unwrap_or(""))?;
            let law = self.world.options.contact_law.get_or_insert_with(ContactLaw::default);
            match (name, &data[..]) {
                ("linear_dissipation", &[0.0]) => law.dissipation = Dissipation::HuntCrossley,
                ("linear_dissipation", &[1.0]) => law.dissipation = Dissipation::Linear,
                ("friction_passes", &[n]) if n.fract() == 0.0 && (1.0..=100.0).contains(&n) => {
                    law.friction_passes = n as u32;
                }
                ("tangential_springs", &[ratio, time]) => law.springs = Some([ratio, time]),
                ("friction_law", weights) if weights.len() == FrictionLaw::NAMES.len() => {
                    law.friction = FrictionLaw::from_weights(std::array::from_fn(|i| weights[i]));
                }
                ("linear_dissipation", _) => return Err(node.error("its data must be 0 or 1")),
                ("friction_passes", _) => {
                    return Err(node.error("its data must be a number of solves, 1 or more"));
                }
                ("tangential_springs", _) => {
                    return Err(node.error("its data must be a stiffness ratio and a relaxation time"));
                }
                ("friction_law", _) => {
                    let names = FrictionLaw::NAMES.join(", ");
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
        Ok(())
    }
}
