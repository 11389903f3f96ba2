//! Loading a scene: a file, or a built-in one by name.

use crate::failure::{Failure, print};
use crate::hint::hint;
use crate::overrides::Overrides;
use clap::Args;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use stiction::contact_law::DacLaw;
use stiction::model::{Compliance, Pose, SizeLimits, Vec3};
use stiction::{
    Composition, ContactChange, Format, LearnedContact, LearnedContactError, LearnedLaw, LoadOptions, Model,
    Options, Placement, Variation, contact_model_from_name, files, scenes,
};
use stiction_formats::load_string;

/// A scene and how it is read.
#[derive(Args)]
pub struct ReadArguments {
    /// A model file (.xml MJCF, .urdf, .sdf, .dmd.yaml) or the name of a built-in scene (see `stiction scenes`)
    pub scene: String,
    #[command(flatten)]
    options: ReadOptions,
}

/// Options that say how a model is read.
#[derive(Args)]
pub struct ReadOptions {
    /// Fail at the first unsupported element or attribute of the file
    #[arg(long)]
    pub strict: bool,
    /// Fix the roots of a URDF or SDFormat model to the world (by default they are free)
    #[arg(long)]
    pub fixed_base: bool,
    /// Folder of a ROS package, or a folder that contains several, for package:// addresses; may be repeated
    #[arg(long = "package-path", value_name = "DIR")]
    pub package_paths: Vec<String>,
    /// Read a larger model than by default (may be repeated): NAME is bodies, geoms, tree-coordinates, field-points, hull-points or
    /// mesh-triangles
    #[arg(long = "limit", value_name = "NAME=NUMBER")]
    pub limits: Vec<String>,
    /// Cut every collision mesh that is not convex into at most N convex parts; how far they differ from it is reported
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub convex_parts: Option<u32>,
    /// Add a model or mesh file, placed in the world, m and rad (may be repeated): mug.obj@0.5,0,0.8 or
    /// left=arm.urdf@0,0.3,0,0,0,1.57, where NAME= goes before its names
    #[arg(long = "add", value_name = "[NAME=]FILE[@X,Y,Z[,ROLL,PITCH,YAW]]")]
    pub added: Vec<String>,
    /// Add a ground at height 0
    #[arg(long)]
    pub ground: bool,
    #[command(flatten)]
    overrides: Overrides,
}

impl ReadOptions {
    /// Loads a model file or built-in scene, and changes what the options say.
    pub fn load(&self, scene: &str) -> Result<Model, Failure> {
        self.overrides.apply(self.read(scene)?)
    }

    /// The limits with those that are given.
    fn limits(&self) -> Result<SizeLimits, Failure> {
        let mut limits = SizeLimits::default();
        for given in &self.limits {
            let (name, number) = given.split_once('=').unwrap_or((given, ""));
            match (limits.named(name), number.parse()) {
                (Some(limit), Ok(number)) => *limit = number,
                _ => {
                    let names = SizeLimits::NAMES.join(", ");
                    return Err(Failure::input(format!(
                        "--limit {given}: give NAME=NUMBER, where NAME is one of {names}"
                    )));
                }
            }
        }
        Ok(limits)
    }

    fn read(&self, scene: &str) -> Result<Model, Failure> {
        for path in &self.package_paths {
            if !Path::new(path).is_dir() {
                let remedy = "give the folder of a ROS package, or one that holds several";
                return Err(Failure::input(format!("--package-path {path} is not a folder: {remedy}")));
            }
        }
        let options = LoadOptions {
            strict: self.strict,
            fixed_base: self.fixed_base,
            package_paths: self.package_paths.clone(),
            convex_parts: self.convex_parts,
            limits: self.limits()?,
        };
        if self.ground || !self.added.is_empty() {
            return self.compose(scene, &options);
        }
        // A folder of that name, such as one of results, does not hide a built-in scene.
        if !Path::new(scene).is_file()
            && let Some(text) = scenes::text(scene)
        {
            return Model::from_string(text, Format::Mjcf, &options).map_err(Failure::input);
        }
        if !Path::new(scene).exists()
            && let Some(message) = unknown_scene(scene)
        {
            return Err(Failure::input(message));
        }
        Model::from_file(Path::new(scene), &options).map_err(Failure::input)
    }
}

impl ReadOptions {
    /// The scene with the ground and the files added to it.
    fn compose(&self, scene: &str, options: &LoadOptions) -> Result<Model, Failure> {
        let name = Path::new(scene).file_stem().map_or("scene".into(), |s| s.to_string_lossy().into_owned());
        let mut composition = Composition::new(name);
        match scenes::text(scene).filter(|_| !Path::new(scene).is_file()) {
            Some(text) => {
                let world = load_string(text, Format::Mjcf, options).map_err(Failure::input)?;
                composition.add(world, scene, &Placement::default()).map_err(Failure::input)?;
            }
            None => {
                if let Some(message) = unknown_scene(scene).filter(|_| !Path::new(scene).exists()) {
                    return Err(Failure::input(message));
                }
                let placement = Placement::default();
                composition.add_file(scene, &files::Disk, options, &placement).map_err(Failure::input)?;
            }
        }
        if self.ground {
            composition.ground(0.0, None).map_err(Failure::input)?;
        }
        for added in &self.added {
            let (file, placement) = placed(added)?;
            composition.add_file(&file, &files::Disk, options, &placement).map_err(Failure::input)?;
        }
        let world = composition.build().map_err(Failure::input)?;
        let read = world.warnings.len();
        let model = Model::new(world).map_err(Failure::input)?;
        match model.warnings().get(read) {
            Some(warning) if self.strict => Err(Failure::input(warning)),
            _ => Ok(model),
        }
    }
}

/// The model with this restitution for all geoms that have none and are not compliant.
pub fn with_restitution(model: &Model, restitution: f64) -> Result<Model, Failure> {
    let geoms = model.world().geoms.iter().enumerate();
    let without = geoms.filter(|(_, geom)| {
        geom.contact.restitution.is_none() && geom.contact.compliance != Compliance::Compliant
    });
    let change = ContactChange { restitution: Some(restitution), ..ContactChange::default() };
    let contacts: BTreeMap<usize, ContactChange> = without.map(|(geom, _)| (geom, change)).collect();
    if contacts.is_empty() {
        let what = "has no geom to act on: all are compliant or have a restitution in the file; leave it out";
        return Err(Failure::input(format!("--restitution {what}")));
    }
    let wrong = |error| Failure::input(format!("--restitution {restitution}: {error}"));
    model.varied(&Variation { contacts, ..Variation::default() }).map_err(wrong)
}

/// File and placement of `[NAME=]FILE[@X,Y,Z[,ROLL,PITCH,YAW]]`.
fn placed(added: &str) -> Result<(String, Placement), Failure> {
    let (name, rest) = added.split_once('=').unwrap_or(("", added));
    let (file, pose) = rest.rsplit_once('@').unwrap_or((rest, "0,0,0"));
    let numbers: Option<Vec<f64>> = pose.split(',').map(|x| x.trim().parse().ok()).collect();
    let pose = match numbers.as_deref() {
        Some(&[x, y, z]) => Pose::translation(x, y, z),
        Some(&[x, y, z, roll, pitch, yaw]) => {
            let turned = |angle: f64, axis: Vec3| Pose::rotation(angle * axis);
            let rotation = turned(yaw, Vec3::z()) * turned(pitch, Vec3::y()) * turned(roll, Vec3::x());
            Pose::translation(x, y, z) * rotation
        }
        _ => {
            return Err(Failure::input(format!(
                "--add {added}: give three numbers (x,y,z) or six (x,y,z,roll,pitch,yaw) after the @"
            )));
        }
    };
    Ok((file.to_string(), Placement { name: name.to_string(), pose, ..Placement::default() }))
}

/// The message for a scene that is neither a file nor built in; `None` if it looks like the path of a file.
pub fn unknown_scene(scene: &str) -> Option<String> {
    let stem = Path::new(scene).file_stem().map(|s| s.to_string_lossy());
    if let Some(name) = stem.filter(|name| name != scene && scenes::text(name).is_some()) {
        return Some(format!(
            "{scene}: there is no such file, but a built-in scene is called \"{name}\": give that name alone, or check \
             the path"
        ));
    }
    let names = || scenes::all().iter().map(|s| s.name);
    let plain = !scene.contains(['/', '\\', '.']);
    plain.then(|| {
        let (hint, known) = (hint(scene, names()), names().collect::<Vec<_>>().join(", "));
        format!("no file and no built-in scene is called \"{scene}\"{hint}; built-in scenes: {known}")
    })
}

/// Default options with a contact: the name of a contact model, or a contact learned from data. A data-augmented law is
/// returned separately.
pub fn contact(name: &str) -> Result<(Options, Option<Arc<DacLaw>>), Failure> {
    let options = Options::default();
    if let Ok(contact) = contact_model_from_name(name) {
        return Ok((Options { contact, ..options }, None));
    }
    match LearnedContact::load(name) {
        Ok(learned) => match &learned.law {
            LearnedLaw::Dac(law) => Ok((options, Some(law.clone()))),
            LearnedLaw::Calibrated(_) => Ok((learned.options(options), None)),
        },
        Err(LearnedContactError::Unknown(name, known)) => {
            let models = ["lagged", "similar", "sap"];
            let hint = hint(&name, LearnedContact::names().chain(models));
            Err(Failure::input(format!(
                "there is no contact \"{name}\"{hint}: give a file, or one of: {known}; or a contact model: {}",
                models.join(", ")
            )))
        }
        Err(error) => Err(Failure::input(error)),
    }
}

impl ReadArguments {
    /// Loads the model.
    pub fn load(&self) -> Result<Model, Failure> {
        self.options.load(&self.scene)
    }

    /// A short name for files and reports: the file's stem or the scene's name.
    pub fn name(&self) -> String {
        let stem = Path::new(&self.scene).file_stem().map(|s| s.to_string_lossy().into_owned());
        stem.unwrap_or_else(|| self.scene.clone())
    }
}

/// Prints the names and summaries of the built-in scenes.
pub fn list() -> Result<(), Failure> {
    let mut text = String::new();
    for scene in scenes::all() {
        text.push_str(&format!("{:<16} {}\n", scene.name, scene.summary()));
    }
    print(&text)?;
    eprintln!("demonstrations with robots that have a task: stiction demo");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_files_have_a_name_and_a_pose() {
        let (file, placement) = placed("left=a/b.urdf@1,2,3,0,0,1.5").unwrap();
        assert_eq!((file.as_str(), placement.name.as_str()), ("a/b.urdf", "left"));
        assert_eq!(placement.pose.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
        assert!((placement.pose.rotation.euler_angles().2 - 1.5).abs() < 1e-12);
        assert_eq!(placed("mug.obj").unwrap().1.pose, Pose::identity());
        for wrong in ["mug.obj@1,2", "mug.obj@1,2,up", "mug.obj@"] {
            assert!(placed(wrong).is_err(), "{wrong}");
        }
    }
}
