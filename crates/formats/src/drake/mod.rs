//! The `drake:` tags, which the formats share: contact properties here, constraints, bushings and filter groups below.
//!
//! | file | |
//! |---|---|
//! | `bushing.rs` | `linear_bushing_rpy` |
//! | `constraint.rs` | constraints and spring-dampers between two bodies |
//! | `filter_group.rs` | collision filter groups |
//! | `tendon.rs` | the tendon constraint |

pub mod bushing;
pub mod constraint;
pub mod filter_group;
pub mod tendon;

use crate::error::Read;
use crate::numbers::parse_numbers;
use crate::report::Report;
use crate::xml::Node;
use stiction_model::{Compliance, ContactProperties};

/// The tag that holds the others inside a collision or geom.
pub const TAG: &str = "drake:proximity_properties";

/// Reads every `drake:proximity_properties` child of `parent` into `contact` and the geom's `margin`.
pub fn proximity(
    parent: &Node,
    contact: &mut ContactProperties,
    margin: &mut f64,
    report: &mut Report,
) -> Read<()> {
    for tag in parent.children_named(TAG) {
        for child in &tag.children {
            property(child, contact, margin, report)?;
        }
        for (name, _) in &tag.attributes {
            report.warn(tag, &format!("{TAG}@{name}"), format!("the attribute {name} has no effect here"))?;
        }
    }
    // Drake lets one coefficient stand for both, and refuses a dynamic one above the static one.
    let c = contact;
    if parent.child(TAG).is_some() {
        match (c.static_friction, c.dynamic_friction) {
            (Some(s), None) => c.dynamic_friction = Some(s),
            (None, Some(d)) => c.static_friction = Some(d),
            _ => {}
        }
    }
    Ok(())
}

fn property(node: &Node, contact: &mut ContactProperties, margin: &mut f64, report: &mut Report) -> Read<()> {
    let slot = match node.name.as_str() {
        "drake:mu_static" => &mut contact.static_friction,
        "drake:mu_dynamic" => &mut contact.dynamic_friction,
        "drake:point_contact_stiffness" => &mut contact.stiffness,
        "drake:hunt_crossley_dissipation" => &mut contact.dissipation,
        "drake:relaxation_time" => &mut contact.relaxation_time,
        // Not one of Drake's: the damping of PFC eq. 5.7.
        "stiction:expansion_rate" => &mut contact.expansion_rate,
        "drake:hydroelastic_modulus" => &mut contact.hydroelastic_modulus,
        "drake:mesh_resolution_hint" => &mut contact.resolution_hint,
        "drake:hydroelastic_slab_thickness" | "drake:slab_thickness" => &mut contact.slab_thickness,
        "drake:rigid_hydroelastic" => {
            contact.compliance = Compliance::Rigid;
            return Ok(());
        }
        "drake:compliant_hydroelastic" | "drake:soft_hydroelastic" => {
            contact.compliance = Compliance::Compliant;
            return Ok(());
        }
        "drake:hydroelastic_margin" => {
            *margin = value(node)?;
            return Ok(());
        }
        other => {
            let message =
                format!("{other} is not a known proximity property and has no effect; check its spelling");
            return report.warn(node, other, message);
        }
    };
    *slot = Some(value(node)?);
    Ok(())
}

/// The number of a tag, as text or in `value=`.
pub fn value(node: &Node) -> Read<f64> {
    let text = node.attr("value").unwrap_or(&node.text);
    match parse_numbers(node, &node.name, text)?[..] {
        [x] if x.is_finite() => Ok(x),
        _ => Err(node.error("it needs one finite number, as text or in value=\"…\"")),
    }
}
