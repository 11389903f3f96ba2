//! Collision filter groups: members of a group do not touch members of the groups it ignores.

use super::constraint::name;
use crate::error::Read;
use crate::schema::Rule;
use crate::xml::Node;
use std::collections::{BTreeMap, BTreeSet};
use stiction_model::World;

/// The element.
pub const TAG: &str = "drake:collision_filter_group";

/// Its vocabulary.
pub const RULE: Rule = Rule {
    key: "filter group",
    read: "name",
    drawing: "ignore",
    children: &[
        ("drake:member", "any"),
        ("drake:member_group", "any"),
        ("drake:ignored_collision_filter_group", "any"),
    ],
    mapped: &[("drake:ignored_collision_filter_group", "pairs of bodies that never touch")],
    ..Rule::NONE
};

/// One group as a file states it.
#[derive(Debug, Default)]
pub struct Group {
    /// Bodies, by index.
    pub members: BTreeSet<usize>,
    /// Names of groups whose members belong to it too.
    pub member_groups: Vec<String>,
    /// Names of groups it does not touch, itself perhaps.
    pub ignored: Vec<String>,
}

/// Groups by name.
pub type Groups = BTreeMap<String, Group>;

/// Most pairs of bodies that groups may exclude.
const MAX_PAIRS: usize = 20_000_000;

/// Reads the `drake:collision_filter_group` children of `parent` into `groups`; `body` finds links by name.
pub fn read(parent: &Node, body: &dyn Fn(&str) -> Option<usize>, groups: &mut Groups) -> Read<()> {
    for node in parent.children_named(TAG) {
        if node.attr("ignore").is_some_and(|v| v == "true") {
            continue;
        }
        let group = groups.entry(node.required("name")?.to_string()).or_default();
        for child in &node.children {
            let wanted = name(child);
            match child.name.as_str() {
                "drake:member" => {
                    let index = body(wanted).ok_or_else(|| {
                        child.error(format!("there is no link \"{wanted}\"; add it or correct the name"))
                    })?;
                    group.members.insert(index);
                }
                "drake:member_group" => group.member_groups.push(wanted.to_string()),
                "drake:ignored_collision_filter_group" => group.ignored.push(wanted.to_string()),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Adds the excluded pairs to `world`; the error says what is wrong without a place.
pub fn apply(groups: &Groups, world: &mut World) -> Result<(), String> {
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (name, group) in groups {
        let own = all_members(groups, name)?;
        for other in &group.ignored {
            let others = all_members(groups, other)?;
            if pairs.len() + own.len() * others.len() > MAX_PAIRS {
                return Err(format!("the collision filter groups exclude more than {MAX_PAIRS} pairs"));
            }
            for &a in &own {
                pairs.extend(others.iter().filter(|&&b| b != a).map(|&b| (a.min(b), a.max(b))));
            }
        }
    }
    let known: BTreeSet<_> = world.exclusions.iter().copied().collect();
    world.exclusions.extend(pairs.difference(&known));
    Ok(())
}

/// Members of a group and of the groups inside it.
fn all_members(groups: &Groups, name: &str) -> Result<BTreeSet<usize>, String> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![name]);
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        let group = groups.get(name).ok_or_else(|| {
            format!("there is no collision filter group \"{name}\"; add it or correct the name")
        })?;
        found.extend(&group.members);
        open.extend(group.member_groups.iter().map(String::as_str));
    }
    Ok(found)
}
