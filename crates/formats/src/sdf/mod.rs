//! SDFormat, the format of Gazebo, with Drake's extensions. Versions 1.4 to 1.12.
//!
//! ```text
//! include   other files take their place, with what the include overrides
//! graph     models, links, joints and frames by name; poses through relative_to
//! tree      which joints make the tree, which close loops
//! reader    bodies, joints and what couples them        link, joint    one of each
//! value     numbers and poses in the text of elements   schema         what is read
//! ```
//!
//! Links become bodies, depth first with children in the order of their joints. Every link that no
//! joint ties to the world is free unless its model is static or `fixed_base` is asked for. Names of
//! links in nested models, and of all links of a world, are joined as in `arm::hand`. Open [`reader`] first.
//!
//! | also here | |
//! |---|---|
//! | `coupling.rs` | loops, gearboxes, mimics, actuators, Drake's tags |

mod coupling;
mod graph;
mod include;
mod joint;
mod link;
mod reader;
mod schema;
mod tree;
mod value;

pub use schema::RULES;

use crate::LoadOptions;
use crate::error::Read;
use crate::files::Files;
use crate::report::Report;
use crate::xml::Node;
use stiction_model::{Site, World};

/// Reads a document whose root is `sdf`: the world, and the frames `__model__` of its models, which are no sites.
pub fn read(
    mut root: Node,
    file: &str,
    files: &dyn Files,
    options: &LoadOptions,
) -> Read<(World, Vec<Site>)> {
    let mut report = Report::new(options.strict);
    include::Includes::new(files, file, &options.package_paths).expand(&mut root, &mut report)?;
    crate::schema::check(RULES, "sdf", &root, &mut report)?;
    let graph = graph::Graph::read(&root, &mut report)?;
    let mut reader = reader::Reader::new(&graph, files, options, report);
    reader.document(&root)?;
    let frames = reader.model_frames();
    let mut world = reader.world;
    world.warnings = reader.report.finish();
    Ok((world, frames))
}
