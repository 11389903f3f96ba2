//! Drake's model directives (`.dmd.yaml`): models put together by welds and frames.
//!
//! `add_model`, `add_model_instance`, `add_frame`, `add_weld`, `add_collision_filter_group` and
//! `add_directives`. Every model's names get its own before them, as in `arm::link_1`. `yaml` reads
//! the text, `compose.rs` puts worlds together.

mod yaml;

use crate::compose;
use crate::drake::filter_group::{self, Groups};
use crate::error::{FormatError, Read};
use crate::files::{Files, extension, folder};
use crate::package::Finder;
use crate::report::Report;
use crate::{LoadOptions, load_unchecked};
use nalgebra::{Translation3, Unit, UnitQuaternion};
use std::collections::BTreeMap;
use stiction_model::{JointKind, Pose, Site, Source, Vec3, World};
use yaml::{Value, Yaml};

/// Most directives in all files together.
const MAX_DIRECTIVES: usize = 10_000;

struct Reader<'a> {
    files: &'a dyn Files,
    options: &'a LoadOptions,
    world: World,
    report: Report,
    groups: Groups,
    /// Bodies and frames by full name.
    frames: BTreeMap<String, (String, Pose)>,
    instances: Vec<String>,
    open: Vec<String>,
    count: usize,
}

/// Reads model directives.
pub fn read(text: &str, file: &str, files: &dyn Files, options: &LoadOptions) -> Read<World> {
    let mut reader = Reader {
        files,
        options,
        world: World::new(crate::files::file_name(file).split('.').next().unwrap_or("directives")),
        report: Report::new(options.strict),
        groups: Groups::new(),
        frames: BTreeMap::new(),
        instances: Vec::new(),
        open: vec![files.canonical(file)],
        count: 0,
    };
    reader.document(text, file, "")?;
    filter_group::apply(&reader.groups, &mut reader.world)
        .map_err(|reason| FormatError::File { path: file.into(), reason })?;
    let mut world = reader.world;
    world.warnings.extend(reader.report.finish());
    Ok(world)
}

/// An error at a value.
fn fail(file: &str, at: &Yaml, what: impl Into<String>) -> FormatError {
    let place = Source::new(file, "directive", at.line);
    FormatError::Invalid { place, message: what.into() }
}

fn text<'y>(file: &str, at: &'y Yaml, key: &str) -> Read<&'y str> {
    let value = at.get(key).ok_or_else(|| fail(file, at, format!("it needs `{key}: …`")))?;
    match &value.value {
        Value::Scalar(word) => Ok(word),
        _ => Err(fail(file, value, format!("{key} must be one word"))),
    }
}

fn number(file: &str, at: &Yaml) -> Read<f64> {
    let word = match &at.value {
        Value::Scalar(word) => word.as_str(),
        _ => "",
    };
    word.parse::<f64>()
        .ok()
        .filter(|x| x.is_finite())
        .ok_or_else(|| fail(file, at, format!("\"{word}\" is not a finite number")))
}

fn vector(file: &str, at: &Yaml) -> Read<Vec3> {
    match &at.value {
        Value::List(items) if items.len() == 3 && at.tag.is_none() => {
            Ok(Vec3::new(number(file, &items[0])?, number(file, &items[1])?, number(file, &items[2])?))
        }
        _ => Err(fail(file, at, "it needs three numbers as in [0, 0, 1]; random values are not drawn")),
    }
}

fn rotation(file: &str, at: &Yaml) -> Read<UnitQuaternion<f64>> {
    let part =
        |key: &str| at.get(key).ok_or_else(|| fail(file, at, format!("the rotation needs `{key}: …`")));
    match (at.tag.as_deref(), &at.value) {
        (None | Some("Identity"), Value::Null) => Ok(UnitQuaternion::identity()),
        (Some("Identity"), Value::Map(entries)) if entries.is_empty() => Ok(UnitQuaternion::identity()),
        (Some("Rpy"), _) => {
            let deg = vector(file, part("deg")?)?.map(f64::to_radians);
            // Roll about x, then pitch about y, then yaw about z, all of them fixed axes.
            Ok(UnitQuaternion::from_euler_angles(deg.x, deg.y, deg.z))
        }
        (Some("AngleAxis"), _) => {
            let angle = number(file, part("angle_deg")?)?.to_radians();
            let axis = part("axis")?;
            let unit = Unit::try_new(vector(file, axis)?, 1e-12).ok_or_else(|| {
                fail(file, axis, "the axis has no direction; give a vector that is not zero")
            })?;
            Ok(UnitQuaternion::from_axis_angle(&unit, angle))
        }
        (tag, _) => Err(fail(
            file,
            at,
            format!(
                "the rotation is !{}; it must be !Rpy, !AngleAxis or !Identity, without random values",
                tag.unwrap_or("")
            ),
        )),
    }
}

fn transform(file: &str, at: Option<&Yaml>) -> Read<Pose> {
    let Some(at) = at else { return Ok(Pose::identity()) };
    let p = at.get("translation").map_or(Ok(Vec3::zeros()), |t| vector(file, t))?;
    let r = at.get("rotation").map_or(Ok(UnitQuaternion::identity()), |r| rotation(file, r))?;
    Ok(Pose::from_parts(Translation3::from(p), r))
}

fn words(file: &str, at: &Yaml, key: &str) -> Read<Vec<String>> {
    match at.get(key).map(|v| &v.value) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::List(items)) => items
            .iter()
            .map(|item| match &item.value {
                Value::Scalar(word) => Ok(word.clone()),
                _ => Err(fail(file, item, format!("{key} must be a list of names"))),
            })
            .collect(),
        Some(_) => Err(fail(file, at, format!("{key} must be a list of names"))),
    }
}

impl Reader<'_> {
    fn document(&mut self, content: &str, file: &str, namespace: &str) -> Read<()> {
        let root = yaml::parse(content, file)?;
        let Some(Value::List(items)) = root.get("directives").map(|d| &d.value) else {
            return Err(fail(file, &root, "the file needs a list called `directives`"));
        };
        for item in items {
            self.count += 1;
            if self.count > MAX_DIRECTIVES {
                return Err(fail(file, item, format!("there are more than {MAX_DIRECTIVES} directives")));
            }
            let Value::Map(entries) = &item.value else {
                return Err(fail(file, item, "a directive is one of add_model, add_weld, add_frame, …"));
            };
            let [(name, body)] = &entries[..] else {
                return Err(fail(file, item, "each directive stands in a list item of its own"));
            };
            match name.as_str() {
                "add_model" => self.add_model(file, body, namespace)?,
                "add_model_instance" => {
                    let name = format!("{namespace}{}", text(file, body, "name")?);
                    self.instances.push(name);
                }
                "add_frame" => self.add_frame(file, body, namespace)?,
                "add_weld" => self.add_weld(file, body, namespace)?,
                "add_collision_filter_group" => self.add_group(file, body, namespace)?,
                "add_directives" => self.add_directives(file, body, namespace)?,
                other => {
                    return Err(fail(
                        file,
                        item,
                        format!(
                            "there is no directive {other}; it must be add_model, add_model_instance, add_frame, add_weld, \
                             add_collision_filter_group or add_directives"
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn find(&self, file: &str, at: &Yaml, uri: &str) -> Read<(String, Vec<u8>)> {
        let finder =
            Finder { files: self.files, model_dir: folder(file), package_paths: &self.options.package_paths };
        let path = finder.find(uri).map_err(|reason| fail(file, at, reason))?;
        let bytes = self.files.read(&path).map_err(|reason| {
            fail(file, at, format!("{path} {reason}; correct `file` or give package_paths (--package-path)"))
        })?;
        Ok((path, bytes))
    }

    fn add_model(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let name = format!("{namespace}{}", text(file, at, "name")?);
        if self.instances.contains(&name) {
            return Err(fail(file, at, format!("there is already a model called \"{name}\"; rename one")));
        }
        let (path, bytes) = self.find(file, at, text(file, at, "file")?)?;
        if matches!(extension(&path).as_str(), "yaml" | "yml") {
            return Err(fail(file, at, format!("{path} holds directives; use add_directives for it")));
        }
        let content =
            crate::text::decode(bytes).map_err(|reason| fail(file, at, format!("{path} {reason}")))?;
        let model = load_unchecked(&content, &path, None, self.files, self.options)?;
        self.instances.push(name.clone());
        let first = self.world.bodies.len();
        if first == 1 {
            self.world.options = model.options.clone();
        }
        compose::append(&mut self.world, model, &format!("{name}::"));
        for body in &self.world.bodies[first..] {
            self.frames.insert(body.name.clone(), (body.name.clone(), Pose::identity()));
        }
        for site in &self.world.sites {
            let body = self.world.bodies[site.body].name.clone();
            self.frames.entry(site.name.clone()).or_insert((body, site.pose));
        }
        if let Some(Value::Map(entries)) = at.get("default_joint_positions").map(|v| &v.value) {
            for (joint, value) in entries {
                let full = format!("{name}::{joint}");
                let bodies = self.world.bodies.iter().enumerate();
                let place = bodies
                    .into_iter()
                    .find_map(|(b, body)| Some((b, body.joints.iter().position(|j| j.name == full)?)))
                    .ok_or_else(|| {
                        fail(file, value, format!("there is no joint \"{joint}\" that moves in this model"))
                    })?;
                let q = match &value.value {
                    Value::List(items) if items.len() == 1 => number(file, &items[0])?,
                    _ => return Err(fail(file, value, "a default position needs one number as in [0.5]")),
                };
                compose::start_at(&mut self.world, place, q).map_err(|reason| fail(file, value, reason))?;
            }
        }
        if let Some(Value::Map(entries)) = at.get("default_free_body_pose").map(|v| &v.value) {
            for (link, value) in entries {
                let body = self.world.body_index(&format!("{name}::{link}"));
                let Some(body) = body.filter(|&b| {
                    self.world.bodies[b].joints.first().is_some_and(|j| j.kind == JointKind::Free)
                }) else {
                    return Err(fail(file, value, format!("there is no free body \"{link}\" in this model")));
                };
                let base = match value.get("base_frame") {
                    None => Pose::identity(),
                    Some(_) => {
                        let (on, pose) =
                            self.frame(file, value, text(file, value, "base_frame")?, namespace)?;
                        if on != 0 {
                            return Err(fail(file, value, "base_frame must be fixed to the world here"));
                        }
                        pose
                    }
                };
                self.world.bodies[body].pose = base * transform(file, Some(value))?;
            }
        }
        Ok(())
    }

    /// Body and pose in it of a frame.
    fn frame(&self, file: &str, at: &Yaml, name: &str, namespace: &str) -> Read<(usize, Pose)> {
        if name == "world" {
            return Ok((0, Pose::identity()));
        }
        let found = self.frames.get(&format!("{namespace}{name}")).or_else(|| self.frames.get(name));
        let place = found.and_then(|(body, pose)| {
            let index = if body == "world" { Some(0) } else { self.world.body_index(body) };
            Some((index?, *pose))
        });
        place.ok_or_else(|| {
            fail(file, at, format!("there is no link or frame \"{name}\"; names are model::link, or world"))
        })
    }

    fn add_frame(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let offset = at.get("X_PF").ok_or_else(|| fail(file, at, "it needs `X_PF: …`"))?;
        let (body, base) = self.frame(file, offset, text(file, offset, "base_frame")?, namespace)?;
        let pose = base * transform(file, Some(offset))?;
        let name = format!("{namespace}{}", text(file, at, "name")?);
        let body_name = self.world.bodies[body].name.clone();
        if self.frames.insert(name.clone(), (body_name, pose)).is_some() {
            return Err(fail(file, at, format!("there is already a frame called \"{name}\"; rename one")));
        }
        let source = Source::new(file, format!("add_frame \"{name}\""), at.line);
        self.world.sites.push(Site { pose, source, ..Site::new(name, body) });
        Ok(())
    }

    fn add_weld(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let (parent, x_pa) = self.frame(file, at, text(file, at, "parent")?, namespace)?;
        let (child, x_cb) = self.frame(file, at, text(file, at, "child")?, namespace)?;
        let x_ab = transform(file, at.get("X_PC"))?;
        compose::weld(&mut self.world, parent, child, x_pa * x_ab * x_cb.inverse())
            .map_err(|reason| fail(file, at, reason))
    }

    fn add_group(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let inner = match at.get("model_namespace") {
            Some(_) => format!("{namespace}{}::", text(file, at, "model_namespace")?),
            None => namespace.to_string(),
        };
        let mut members = Vec::new();
        for name in words(file, at, "members")? {
            members.push(self.frame(file, at, &name, &inner)?.0);
        }
        let scoped = |names: Vec<String>| names.into_iter().map(|n| format!("{inner}{n}"));
        let group = self.groups.entry(format!("{inner}{}", text(file, at, "name")?)).or_default();
        group.members.extend(members);
        group.member_groups.extend(scoped(words(file, at, "member_groups")?));
        group.ignored.extend(scoped(words(file, at, "ignored_collision_filter_groups")?));
        Ok(())
    }

    fn add_directives(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let (path, bytes) = self.find(file, at, text(file, at, "file")?)?;
        let canonical = self.files.canonical(&path);
        if self.open.contains(&canonical) || self.open.len() > 32 {
            return Err(fail(file, at, format!("{path} adds itself; break the circle")));
        }
        let inner = match at.get("model_namespace") {
            Some(_) => format!("{namespace}{}::", text(file, at, "model_namespace")?),
            None => namespace.to_string(),
        };
        let content =
            crate::text::decode(bytes).map_err(|reason| fail(file, at, format!("{path} {reason}")))?;
        self.open.push(canonical);
        self.document(&content, &path, &inner)?;
        self.open.pop();
        Ok(())
    }
}
