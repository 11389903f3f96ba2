//! Drake's tendon constraint, which URDF and SDFormat share: lower ≤ Σ aᵢ qᵢ + offset ≤ upper.
//!
//! It is a fixed tendon whose length Σ aᵢ qᵢ has the range [lower − offset, upper − offset], and whose limits have the
//! constraint's stiffness and the relaxation time damping/stiffness; without a stiffness they are near-rigid.

use crate::error::Read;
use crate::names::Names;
use crate::numbers::parse_numbers;
use crate::report::Report;
use crate::schema::Rule;
use crate::xml::Node;
use stiction_model::{Tendon, TendonPath, World};

/// The element.
pub const TAG: &str = "drake:tendon_constraint";

/// Its vocabulary.
pub const RULE: Rule = Rule {
    key: "tendon constraint",
    read: "name",
    children: &[
        ("drake:tendon_constraint_joint", JOINT_RULE.key),
        ("drake:tendon_constraint_offset", "any"),
        ("drake:tendon_constraint_lower_limit", "any"),
        ("drake:tendon_constraint_upper_limit", "any"),
        ("drake:tendon_constraint_stiffness", "any"),
        ("drake:tendon_constraint_damping", "any"),
    ],
    ..Rule::NONE
};

/// The vocabulary of a joint of it.
pub const JOINT_RULE: Rule = Rule { key: "tendon joint", read: "name a", ..Rule::NONE };

/// What it becomes.
pub const MAPPED: (&str, &str) =
    (TAG, "a fixed tendon over its joints whose limits have its stiffness and damping");

/// Reads the tendon constraints among the children of `parent`; `joint` finds joints of one coordinate by name.
pub fn read(
    parent: &Node,
    joint: &dyn Fn(&str) -> Option<(usize, usize)>,
    world: &mut World,
    report: &mut Report,
) -> Read<()> {
    let mut names = None;
    for node in parent.children_named(TAG) {
        let mut terms: Vec<((usize, usize), f64)> = Vec::new();
        for child in node.children_named("drake:tendon_constraint_joint") {
            let wanted = child.required("name")?;
            let place = joint(wanted).ok_or_else(|| {
                child.error(format!("there is no joint \"{wanted}\" with one coordinate; correct the name"))
            })?;
            let a = child.number("a")?.filter(|a| a.is_finite());
            let a = a.ok_or_else(|| child.error("it needs a=\"…\", a finite number"))?;
            match terms.iter_mut().find(|(other, _)| *other == place) {
                Some((_, sum)) => *sum += a,
                None => terms.push((place, a)),
            }
        }
        if terms.is_empty() {
            return Err(
                node.error("it needs a drake:tendon_constraint_joint element with name=\"…\" and a=\"…\"")
            );
        }
        let offset = number(node, "offset")?.unwrap_or(0.0);
        let lower = number(node, "lower_limit")?.unwrap_or(f64::NEG_INFINITY);
        let upper = number(node, "upper_limit")?.unwrap_or(f64::INFINITY);
        let stiffness = number(node, "stiffness")?.filter(|k| *k != f64::INFINITY);
        let damping = number(node, "damping")?.unwrap_or(0.0);
        if !offset.is_finite() || lower > upper {
            return Err(
                node.error("it needs a finite offset, and a lower limit that is not above the upper one")
            );
        }
        if stiffness.is_some_and(|k| k <= 0.0) || !(damping >= 0.0 && damping.is_finite()) {
            return Err(
                node.error("its stiffness must be positive (or inf), its damping finite and zero or more")
            );
        }
        if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
            let message = "this tendon constraint has no finite limit and holds nothing; give it one";
            report.warn(node, &format!("tendon constraint at line {}", node.source().line), message)?;
        }
        let wish = node.attr("name").unwrap_or("tendon_constraint");
        let names = names.get_or_insert_with(|| Names::new(world.tendons.iter().map(|t| t.name.as_str())));
        let name = names.free(wish);
        let mut tendon = Tendon::new(name, TendonPath::Fixed { terms });
        tendon.range = [lower - offset, upper - offset];
        tendon.limit_stiffness = stiffness;
        tendon.limit_relaxation_time = stiffness.map(|k| damping / k);
        tendon.source = node.source();
        world.tendons.push(tendon);
    }
    Ok(())
}

/// A number inside the element, which may be infinite.
fn number(node: &Node, what: &str) -> Read<Option<f64>> {
    let Some(child) = node.child(&format!("{TAG}_{what}")) else { return Ok(None) };
    let text = child.attr("value").unwrap_or(&child.text);
    match parse_numbers(child, &child.name, text)?[..] {
        [x] if !x.is_nan() => Ok(Some(x)),
        _ => Err(child.error("it needs one number, as text or in value=\"…\"")),
    }
}
