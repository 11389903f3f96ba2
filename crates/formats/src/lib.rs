//! Reading robot descriptions into [`stiction_model::World`].
//!
//! ```text
//! files    where bytes come from (disk, memory)      error    what went wrong, with the place
//! xml      elements with file and line               report   warnings, once each
//! schema   what a format's vocabulary means here     numbers  numbers and words in attributes
//! mjcf     MuJoCo's format                           urdf     the ROS format
//! sdf      Gazebo's format                           drake    tags shared by all formats
//! mesh     OBJ, STL, DAE, glTF, MSH, VTK             mass     mass properties of shapes
//! support  the support tables                        dmd      Drake's model directives
//! export   writing MJCF and URDF
//! composition  models and meshes put together        reference  the tree before it is compiled
//! ```
//!
//! [`load`] and [`load_string`] are the way in. What a reader cannot honour is reported in
//! [`World::warnings`], once for each kind of thing with its place and effect; with
//! [`LoadOptions::strict`] the first one is an error. Malformed input is an error, never a panic.
//!
//! ```
//! use stiction_formats::{Format, LoadOptions, load_string};
//!
//! let text = r#"<mujoco><worldbody>
//!   <body name="bob" pos="0 0 1"><joint axis="0 1 0"/><geom type="sphere" size="0.1" mass="2" wobble="3"/></body>
//! </worldbody></mujoco>"#;
//! let world = load_string(text, Format::Mjcf, &LoadOptions::default())?;
//! assert_eq!((world.nq(), world.bodies[1].inertia.mass), (1, 2.0));
//! assert!(world.warnings[0].to_string().starts_with("<text>:2: geom: the attribute wobble"));
//! # Ok::<(), stiction_formats::FormatError>(())
//! ```
//!
//! The support tables are in `docs/formats-*.md`. Open `mjcf/mod.rs` first.
//!
//! | also here | |
//! |---|---|
//! | `compose.rs` | one world added to another, bodies welded and ordered |
//! | `massless.rs` | joints that move no mass |
//! | `mesh_assets.rs` | mesh files that geoms name |
//! | `names.rs` | names for what a file leaves unnamed |
//! | `package.rs` | `file://`, `package://`, `model://` |

mod compose;
mod composition;
mod dmd;
mod drake;
mod error;
mod export;
pub mod files;
mod inertia;
pub mod mass;
mod massless;
pub mod mesh;
mod mesh_assets;
mod mjcf;
mod names;
mod numbers;
mod package;
mod reference;
mod report;
mod schema;
mod sdf;
mod support;
mod text;
mod urdf;
mod xml;

pub use composition::{Base, Composition, MeshObject, Placement, is_mesh};
pub use error::FormatError;
pub use export::{Export, ExportError, export};
pub use files::Files;
pub use support::support;

use error::Read;
use files::extension;
use stiction_model::{Site, SizeLimits, World};

/// The formats of robot descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MuJoCo's XML.
    Mjcf,
    /// The Unified Robot Description Format of ROS.
    Urdf,
    /// SDFormat.
    Sdf,
    /// Drake's model directives, in YAML.
    Dmd,
}

impl Format {
    /// The format whose documents have this root element.
    fn of_root(name: &str) -> Option<Self> {
        match name {
            "mujoco" | "mujocoinclude" => Some(Self::Mjcf),
            "robot" => Some(Self::Urdf),
            "sdf" => Some(Self::Sdf),
            _ => None,
        }
    }

    fn root(self) -> &'static str {
        match self {
            Self::Mjcf => "mujoco",
            Self::Urdf => "robot",
            Self::Sdf => "sdf",
            Self::Dmd => "directives",
        }
    }
}

/// How to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Pins a URDF or SDFormat root to the world instead of letting it fall.
    pub fixed_base: bool,
    /// Makes the first thing that is not honoured an error, unless it only changes pictures.
    pub strict: bool,
    /// Folders in which to look for `package://` files: each holds packages or is one.
    pub package_paths: Vec<String>,
    /// Cuts every collision mesh that is not convex into at most so many convex parts, which collide in its place.
    pub convex_parts: Option<u32>,
    /// The largest world that is read.
    pub limits: SizeLimits,
}

/// Loads a model file; its root element says which format it is.
#[cfg(feature = "fs")]
pub fn load(path: impl AsRef<std::path::Path>, options: &LoadOptions) -> Result<World, FormatError> {
    load_with(&path.as_ref().to_string_lossy(), &files::Disk, options)
}

/// Loads a model file through `files`, from which everything it refers to is taken too.
pub fn load_with(path: &str, files: &dyn Files, options: &LoadOptions) -> Result<World, FormatError> {
    if matches!(extension(path).as_str(), "stl" | "obj" | "dae" | "gltf" | "glb" | "msh" | "vtk" | "ply") {
        return Err(FormatError::File {
            path: path.into(),
            reason: "is a mesh, not a model; give the MJCF (.xml), URDF (.urdf) or SDFormat (.sdf) file that names it, or add it to a \
                     world (--ground, --add; World.add)"
                .into(),
        });
    }
    let bytes = files.read(path).map_err(|reason| FormatError::File {
        path: path.into(),
        reason: format!("{reason}; check the path"),
    })?;
    let text = text::decode(bytes).map_err(|reason| FormatError::File {
        path: path.into(),
        reason: format!(
            "{reason}; give an MJCF (.xml), URDF (.urdf) or SDFormat (.sdf) file, saved as UTF-8"
        ),
    })?;
    read_document(&text, path, None, files, options)
}

/// Loads a model from text. Meshes it refers to are looked for from the current folder.
pub fn load_string(text: &str, format: Format, options: &LoadOptions) -> Result<World, FormatError> {
    #[cfg(feature = "fs")]
    let files = files::Disk;
    #[cfg(not(feature = "fs"))]
    let files = files::Memory::default();
    read_document(text, "", Some(format), &files, options)
}

fn read_document(
    text: &str,
    path: &str,
    format: Option<Format>,
    files: &dyn Files,
    options: &LoadOptions,
) -> Read<World> {
    let (mut world, _) = load_with_frames(text, path, format, files, options)?;
    world.options.limits = options.limits.clone();
    world.check_size()?;
    if let Some(most) = options.convex_parts {
        let meshes = world.geoms.iter_mut().filter(|g| matches!(g.shape, stiction_model::Shape::Mesh { .. }));
        for geom in meshes.filter(|g| g.convex_parts.is_none()) {
            geom.convex_parts = Some(stiction_model::ConvexParts { most, ..Default::default() });
        }
    }
    world.validate()?;
    Ok(world)
}

/// Reads a document without checking the world as a whole; beside it are the frames that the format itself gives a
/// model: `__model__` in SDFormat.
pub(crate) fn load_with_frames(
    text: &str,
    path: &str,
    format: Option<Format>,
    files: &dyn Files,
    options: &LoadOptions,
) -> Read<(World, Vec<Site>)> {
    let yaml = matches!(extension(path).as_str(), "yaml" | "yml");
    if format == Some(Format::Dmd) || (format.is_none() && yaml) {
        let world = dmd::read(text, if path.is_empty() { "<text>" } else { path }, files, options)?;
        return Ok((world, Vec::new()));
    }
    let root = xml::parse(text, if path.is_empty() { "<text>" } else { path })?;
    let found = Format::of_root(&root.name);
    if format.is_some_and(|f| found != Some(f)) {
        let want = format.map_or("", Format::root);
        return Err(root.error(format!("the root element is {}, but {want} was expected", root.name)));
    }
    let world = match found {
        Some(Format::Mjcf) => {
            let world = mjcf::read(root, path, files, options)?;
            world.bodies.iter().try_for_each(inertia::refuse_body)?;
            world
        }
        Some(Format::Urdf) => urdf::read(&root, path, files, options)?,
        Some(Format::Sdf) => return sdf::read(root, path, files, options),
        Some(Format::Dmd) => return Err(root.error("model directives are YAML, not XML")),
        None => {
            let hint = if extension(path) == "xacro" { "; expand xacro files to URDF first" } else { "" };
            return Err(root.error(format!(
                "the root element is {}; it must be mujoco (MJCF), robot (URDF) or sdf (SDFormat){hint}",
                root.name
            )));
        }
    };
    Ok((world, Vec::new()))
}
