//! Elements that refer to others inside `replicate` are copied with them: one actuator for each copy of its joint.

use crate::error::Read;
use crate::xml::Node;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Sections whose elements refer to bodies, joints, sites and geoms by name.
const SECTIONS: [&str; 5] = ["contact", "equality", "tendon", "actuator", "sensor"];

/// Attributes that are no references, though their values may look like names.
const NO_REFERENCES: [&str; 4] = ["name", "class", "objtype", "reftype"];

/// Most elements that copying may make.
const MAX_COPIES: usize = 1_000_000;

/// Where a name stands: in the n-th outermost `replicate` of the document, copied with these suffixes.
#[derive(Clone)]
struct Copied {
    group: usize,
    suffixes: Rc<Vec<String>>,
}

/// Copies every element that refers to something replicated. As in MuJoCo, the copies follow what is not copied,
/// copy by copy.
pub fn expand(root: &mut Node) -> Read<()> {
    let mut names: BTreeMap<String, Copied> = BTreeMap::new();
    let mut groups = 0;
    for section in root.children_named("worldbody") {
        collect(section, None, &mut groups, &mut names)?;
    }
    if names.is_empty() {
        return Ok(());
    }
    let mut elements = 0usize;
    // A copied tendon or actuator is itself referred to: sections in this order see the copies before them.
    for key in SECTIONS {
        for section in root.children.iter_mut().filter(|c| c.name == key) {
            let (mut plain, mut copied) = (Vec::new(), Vec::new());
            for child in std::mem::take(&mut section.children) {
                let Some(place) = copied_with(&child, &names) else {
                    plain.push(child);
                    continue;
                };
                elements += place.suffixes.len().saturating_mul(child.count());
                if elements > MAX_COPIES {
                    return Err(child.error(format!("replication makes more than {MAX_COPIES} elements")));
                }
                for (number, suffix) in place.suffixes.iter().enumerate() {
                    copied.push((place.group, number, copy(&child, suffix, &names)));
                }
                if let Some(name) = child.attr("name") {
                    names.insert(name.to_string(), place);
                }
            }
            copied.sort_by_key(|(group, number, _)| (*group, *number));
            plain.extend(copied.into_iter().map(|(_, _, node)| node));
            section.children = plain;
        }
    }
    Ok(())
}

/// Names inside `replicate`, each with the suffixes of its copies. `around` is the place of the elements around.
fn collect(
    node: &Node,
    around: Option<&Copied>,
    groups: &mut usize,
    names: &mut BTreeMap<String, Copied>,
) -> Read<()> {
    for child in &node.children {
        if child.name == "replicate" {
            let outermost = Copied { group: *groups, suffixes: Rc::new(vec![String::new()]) };
            *groups += usize::from(around.is_none());
            let outer = around.unwrap_or(&outermost);
            let count = child.integer("count")?.unwrap_or(1).clamp(1, MAX_COPIES as i64) as usize;
            if count * outer.suffixes.len() > MAX_COPIES {
                return Err(child.error(format!("replication makes more than {MAX_COPIES} elements")));
            }
            let (separator, digits) = (child.attr("sep").unwrap_or(""), (count - 1).to_string().len());
            let mut suffixes = Vec::with_capacity(count * outer.suffixes.len());
            for suffix in outer.suffixes.iter() {
                suffixes.extend((0..count).map(|i| format!("{separator}{i:0digits$}{suffix}")));
            }
            let suffixes = Rc::new(suffixes);
            collect(child, Some(&Copied { group: outer.group, suffixes }), groups, names)?;
        } else {
            if let (Some(name), Some(place)) = (child.attr("name").filter(|n| !n.is_empty()), around) {
                names.insert(name.to_string(), place.clone());
            }
            collect(child, around, groups, names)?;
        }
    }
    Ok(())
}

/// The copies that an element needs: those of the most copied thing it refers to.
fn copied_with(node: &Node, names: &BTreeMap<String, Copied>) -> Option<Copied> {
    let own = node.attributes.iter().filter(|(key, _)| !NO_REFERENCES.contains(&key.as_str()));
    let own = own.filter_map(|(_, value)| names.get(value.as_str())).cloned();
    let below = node.children.iter().filter_map(|child| copied_with(child, names));
    own.chain(below).max_by_key(|place| place.suffixes.len())
}

/// The element with `suffix` on its name and on all references to replicated things.
fn copy(node: &Node, suffix: &str, names: &BTreeMap<String, Copied>) -> Node {
    let mut copied = node.clone();
    for (key, value) in &mut copied.attributes {
        let refers = !NO_REFERENCES.contains(&key.as_str()) && names.contains_key(value.as_str());
        if refers || (key == "name" && !value.is_empty()) {
            value.push_str(suffix);
        }
    }
    copied.children = node.children.iter().map(|child| copy(child, suffix, names)).collect();
    copied
}
