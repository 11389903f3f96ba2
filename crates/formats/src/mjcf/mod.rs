//! MJCF, MuJoCo's format.
//!
//! ```text
//! text ─ xml ─ include ─ schema check ─┐            everything unknown or without effect is reported
//!                                      ├─ compiler, defaults, asset    how to read the rest
//!                                      ├─ reader                       bodies, frames, copies, sites
//!                                      │    ├─ joint, geom, inertia
//!                                      ├─ tendon, actuator, sensor     what acts and what reads
//!                                      ├─ pair, links                  what else refers to bodies and joints
//!                                      └─ visual                       what only pictures show
//! ```
//!
//! Values mean what MuJoCo's compiler makes of them. Open [`reader`] first.
//!
//! | also here | |
//! |---|---|
//! | `attach.rs` | bodies of another model under a prefix |
//! | `axes.rs` | principal axes of inertia as MuJoCo chooses them |
//! | `custom.rs` | custom numbers `stiction:…` |
//! | `effects.rs` | test: every attribute that is honoured has an effect |
//! | `hfield.rs` | height fields |
//! | `pose.rs` | positions and orientations |
//! | `replicate.rs` | what refers to elements inside `replicate` |

mod actuator;
mod asset;
mod attach;
mod axes;
mod compiler;
mod custom;
mod defaults;
#[cfg(test)]
mod effects;
mod geom;
mod hfield;
mod include;
mod inertia;
mod joint;
mod links;
mod pair;
mod pose;
mod reader;
mod replicate;
mod schema;
mod sensor;
mod tendon;
mod visual;

pub use axes::principal_axes;
pub use custom::{GEOM, contact_numbers};
pub use schema::RULES;
pub use sensor::CONTACT_DATA;

use crate::LoadOptions;
use crate::error::Read;
use crate::files::{Files, folder};
use crate::report::Report;
use crate::xml::Node;
use std::cell::Cell;
use stiction_model::{FrictionRule, World};

/// Reads a document whose root is `mujoco`.
pub fn read(mut root: Node, file: &str, files: &dyn Files, options: &LoadOptions) -> Read<World> {
    include::Includes::new(files, file).expand(&mut root, 0)?;
    replicate::expand(&mut root)?;
    Ok(read_tree(&root, file, files, options, 0, &Cell::new(0))?.0)
}

/// Reads a document whose includes are expanded; `depth` models are attached around it, `attachments` in all.
fn read_tree(
    root: &Node,
    file: &str,
    files: &dyn Files,
    options: &LoadOptions,
    depth: usize,
    attachments: &Cell<usize>,
) -> Read<(World, attach::Frames)> {
    let mut report = Report::new(options.strict);
    crate::schema::check(RULES, "mujoco", root, &mut report)?;
    let mut reader = reader::Reader::new(root, files, folder(file), report, attachments)?;
    reader.depth = depth;
    reader.world.options.limits = options.limits.clone();
    reader.world.options.friction_rule = FrictionRule::MaxWithPriority;
    reader.list_assets(root)?;
    reader.bodies(root)?;
    reader.masses()?;
    reader.spring_dampers(root)?;
    reader.statistics(root)?;
    reader.tendons(root)?;
    reader.take_attached_tendons();
    reader.list_tendons();
    reader.equalities(root)?;
    reader.exclusions(root)?;
    reader.pairs(root)?;
    reader.actuators(root)?;
    reader.take_attached_actuators();
    reader.list_actuators();
    reader.sensors(root)?;
    reader.take_attached_sensors();
    reader.keyframes(root)?;
    reader.options(root)?;
    reader.custom(root)?;
    let mut world = reader.world;
    world.warnings = reader.report.finish();
    Ok((world, reader.frames))
}
