//! URDF, the robot format of ROS, with Drake's extensions.
//!
//! Links become bodies, depth first with children in the order of their joints. A root link is free
//! unless it is called `world` or `fixed_base` is asked for. Open [`reader`] first.
//!
//! | also here | |
//! |---|---|
//! | `joint.rs` | joints |
//! | `schema.rs` | which elements and attributes are read |

mod joint;
mod link;
mod reader;
mod schema;

pub use schema::RULES;

use crate::LoadOptions;
use crate::error::Read;
use crate::files::{Files, folder};
use crate::mesh_assets::MeshAssets;
use crate::names::Names;
use crate::package::Finder;
use crate::report::Report;
use crate::xml::Node;
use std::collections::BTreeMap;
use stiction_model::World;

/// Reads a document whose root is `robot`.
pub fn read(root: &Node, file: &str, files: &dyn Files, options: &LoadOptions) -> Read<World> {
    let mut report = Report::new(options.strict);
    crate::schema::check(RULES, "robot", root, &mut report)?;
    let mut reader = reader::Reader {
        finder: Finder { files, model_dir: folder(file), package_paths: &options.package_paths },
        world: World::new(root.attr("name").unwrap_or("robot")),
        report,
        meshes: MeshAssets::default(),
        colors: BTreeMap::new(),
        geom_names: Names::default(),
        fixed_base: options.fixed_base,
        joint_indices: BTreeMap::new(),
    };
    reader.robot(root)?;
    let mut world = reader.world;
    world.warnings = reader.report.finish();
    Ok(world)
}
