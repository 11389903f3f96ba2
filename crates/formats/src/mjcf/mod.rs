//! MJCF, MuJoCo's format.
//!
//! ```text
//! text ─ xml ─ include ─ schema check ─┐            everything unknown or without effect is reported
//!                                      ├─ compiler, defaults, asset    how to read the rest
//!                                      ├─ reader                       bodies, frames, copies, sites
//!                                      │    ├─ joint, geom, inertia
//!                                      └─ actuator, links              what refers to bodies and joints
//! ```
//!
//! Values mean what MuJoCo's compiler makes of them. Open [`reader`] first.

mod actuator;
mod asset;
mod compiler;
mod defaults;
mod geom;
mod hfield;
mod include;
mod inertia;
mod joint;
mod links;
mod pose;
mod reader;
mod reference;
mod schema;

pub use schema::RULES;

use crate::LoadOptions;
use crate::error::Read;
use crate::files::{Files, folder};
use crate::report::Report;
use crate::xml::Node;
use stiction_model::{FrictionRule, World};

/// Reads a document whose root is `mujoco`.
pub fn read(mut root: Node, file: &str, files: &dyn Files, options: &LoadOptions) -> Read<World> {
    include::Includes::new(files, file).expand(&mut root, 0)?;
    let mut report = Report::new(options.strict);
    crate::schema::check(RULES, "mujoco", &root, &mut report)?;
    let mut reader = reader::Reader::new(&root, files, folder(file), report)?;
    reader.world.options.friction_rule = FrictionRule::MaxWithPriority;
    reader.list_assets(&root)?;
    reader.bodies(&root)?;
    reader.masses()?;
    reader.spring_dampers(&root)?;
    reader.equalities(&root)?;
    reader.exclusions(&root)?;
    reader.actuators(&root)?;
    reader.keyframes(&root)?;
    reader.options(&root)?;
    let mut world = reader.world;
    world.warnings = reader.report.finish();
    Ok(world)
}
