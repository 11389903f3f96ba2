//! The `compiler` section: how the rest of the file is to be understood.

use crate::error::Read;
use crate::files::join;
use crate::xml::Node;

/// Settings of the model compiler, with MuJoCo's defaults.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// Radians per unit of angle in the file.
    pub angle: f64,
    /// Whether a range alone makes a limit.
    pub autolimits: bool,
    /// Axes of euler angles: lower case turn with the frame, upper case stay.
    pub eulerseq: [u8; 3],
    /// Folder of meshes and height fields.
    pub meshdir: String,
    /// Folder of textures.
    pub texturedir: String,
    /// Whether folders in file names are dropped.
    pub strippath: bool,
    /// `Some(true)` always takes mass from geoms, `Some(false)` never, `None` if no inertial is given.
    pub inertia_from_geom: Option<bool>,
    /// Groups of geoms that count for mass.
    pub inertia_groups: [f64; 2],
    /// Least mass of a body.
    pub bound_mass: f64,
    /// Least principal moment of a body.
    pub bound_inertia: f64,
    /// Whether impossible moments are averaged.
    pub balance_inertia: bool,
    /// Total mass to scale to, if positive.
    pub total_mass: f64,
    /// Whether primitives are fitted to meshes by bounding box instead of inertia.
    pub fit_aabb: bool,
}

impl Compiler {
    /// Reads every `compiler` section; later ones win.
    pub fn read(root: &Node) -> Read<Self> {
        let mut c = Self {
            angle: 1f64.to_radians(),
            autolimits: true,
            eulerseq: *b"xyz",
            meshdir: String::new(),
            texturedir: String::new(),
            strippath: false,
            inertia_from_geom: None,
            inertia_groups: [0.0, 5.0],
            bound_mass: 0.0,
            bound_inertia: 0.0,
            balance_inertia: false,
            total_mass: -1.0,
            fit_aabb: false,
        };
        let sections: Vec<&Node> = root.children_named("compiler").collect();
        for &node in &sections {
            c.section(node)?;
        }
        // A mesh folder counts from the asset folder only if it says nothing else: meshdir wins.
        let last = |name: &str| sections.iter().rev().find_map(|n| n.attr(name));
        c.meshdir = last("meshdir").or(last("assetdir")).unwrap_or("").to_string();
        c.texturedir = last("texturedir").or(last("assetdir")).unwrap_or("").to_string();
        Ok(c)
    }

    fn section(&mut self, node: &Node) -> Read<()> {
        match node.attr("angle") {
            None => {}
            Some("degree") => self.angle = 1f64.to_radians(),
            Some("radian") => self.angle = 1.0,
            Some(other) => {
                return Err(node.error(format!("angle is \"{other}\"; it must be degree or radian")));
            }
        }
        match node.attr("coordinate") {
            None | Some("local") => {}
            Some(other) => {
                return Err(node.error(format!(
                    "coordinate=\"{other}\" is not supported (MuJoCo dropped it too); write poses relative to the parent body"
                )));
            }
        }
        if let Some(seq) = node.attr("eulerseq") {
            self.eulerseq = <[u8; 3]>::try_from(seq.as_bytes())
                .ok()
                .filter(|s| s.iter().all(|c| b"xyzXYZ".contains(c)))
                .ok_or_else(|| {
                    node.error("eulerseq must be three letters out of xyzXYZ, for instance xyz")
                })?;
        }
        match node.attr("inertiafromgeom") {
            None => {}
            Some("auto") => self.inertia_from_geom = None,
            Some(_) => self.inertia_from_geom = node.flag("inertiafromgeom")?,
        }
        if let Some(x) = node.array("inertiagrouprange")? {
            self.inertia_groups = x;
        }
        for (name, into) in [
            ("boundmass", &mut self.bound_mass),
            ("boundinertia", &mut self.bound_inertia),
            ("settotalmass", &mut self.total_mass),
        ] {
            if let Some(x) = node.number(name)? {
                *into = x;
            }
        }
        for (name, into) in [
            ("autolimits", &mut self.autolimits),
            ("strippath", &mut self.strippath),
            ("balanceinertia", &mut self.balance_inertia),
            ("fitaabb", &mut self.fit_aabb),
        ] {
            if let Some(x) = node.flag(name)? {
                *into = x;
            }
        }
        Ok(())
    }

    /// Path of a mesh or height field, relative to the model's folder.
    pub fn asset_path(&self, file: &str) -> String {
        let file = if self.strippath { crate::files::file_name(file) } else { file };
        join(&self.meshdir, file)
    }

    /// Path of a texture, relative to the model's folder.
    pub fn texture_path(&self, file: &str) -> String {
        let file = if self.strippath { crate::files::file_name(file) } else { file };
        join(&self.texturedir, file)
    }

    /// Whether a limit holds: said so, or (with `autolimits`) a range was given.
    pub fn limited(&self, node: &Node, said: Option<bool>, range: [f64; 2], name: &str) -> Read<bool> {
        match said {
            Some(yes) => Ok(yes),
            None if self.autolimits => Ok(range[0] < range[1]),
            None if range != [0.0; 2] => Err(node.error(format!(
                "it has a range, but autolimits is false and {name} does not say whether it counts; set {name}"
            ))),
            None => Ok(false),
        }
    }
}
