//! Drake's model directives (`.dmd.yaml`): models put together by welds and frames.
//!
//! `add_model`, `add_model_instance`, `add_frame`, `add_weld`, `add_collision_filter_group` and
//! `add_directives`. Every model's names get its own before them, as in `arm::link_1`. `yaml` reads
//! the text, `values` its numbers and poses, `compose.rs` puts worlds together.

mod values;
mod yaml;

use crate::compose;
use crate::composition::is_mesh;
use crate::drake::filter_group::{self, Groups};
use crate::error::{FormatError, Read};
use crate::files::{Files, extension, folder};
use crate::package::Finder;
use crate::reference;
use crate::report::Report;
use crate::{LoadOptions, load_with_frames};
use std::collections::BTreeMap;
use stiction_model::{JointKind, Pose, Site, Source, World};
use values::{entries, fail, inside, number, only, text, transform, words};
use yaml::{Value, Yaml};

/// Most directives in all files together.
const MAX_DIRECTIVES: usize = 10_000;

struct Reader<'a> {
    files: &'a dyn Files,
    options: &'a LoadOptions,
    world: World,
    report: Report,
    /// Collision filter groups by full name, with the names of their bodies: welds change the order of bodies.
    groups: Groups,
    members: Vec<(String, String)>,
    /// Where free bodies start; said in frames that may be welded to something only later.
    starts: Vec<Start>,
    /// Bodies and frames by full name: the body that carries them, and the pose in it.
    frames: BTreeMap<String, (String, Pose)>,
    instances: Vec<String>,
    open: Vec<String>,
    count: usize,
}

/// Where a free body starts.
struct Start {
    body: String,
    base: String,
    /// Of the body in the frame of `base`.
    pose: Pose,
}

/// Keys of a pose.
const POSE: [&str; 2] = ["translation", "rotation"];

/// Keys of a pose in a frame.
const POSE_IN: [&str; 3] = ["base_frame", "translation", "rotation"];

/// Reads model directives.
pub fn read(text: &str, file: &str, files: &dyn Files, options: &LoadOptions) -> Read<World> {
    let mut reader = Reader {
        files,
        options,
        world: World::new(crate::files::file_name(file).split('.').next().unwrap_or("directives")),
        report: Report::new(options.strict),
        groups: Groups::new(),
        members: Vec::new(),
        starts: Vec::new(),
        frames: BTreeMap::new(),
        instances: Vec::new(),
        open: vec![files.canonical(file)],
        count: 0,
    };
    reader.document(text, file, "")?;
    reader.place_free_bodies();
    for (group, body) in &reader.members {
        let index = reader.world.body_index(body).unwrap_or(0);
        reader.groups.entry(group.clone()).or_default().members.insert(index);
    }
    filter_group::apply(&reader.groups, &mut reader.world)
        .map_err(|reason| FormatError::File { path: file.into(), reason })?;
    let mut world = reader.world;
    world.warnings.extend(reader.report.finish());
    Ok(world)
}

impl Reader<'_> {
    fn document(&mut self, content: &str, file: &str, namespace: &str) -> Read<()> {
        let root = yaml::parse(content, file)?;
        let Some(Value::List(items)) = root.get("directives").map(|d| &d.value) else {
            return Err(fail(file, &root, "the file needs a list called `directives`"));
        };
        only(file, &root, &["directives"])?;
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
                    only(file, body, &["name"])?;
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
        only(file, at, &["name", "file", "default_joint_positions", "default_free_body_pose"])?;
        let name = format!("{namespace}{}", text(file, at, "name")?);
        if self.instances.contains(&name) {
            return Err(fail(file, at, format!("there is already a model called \"{name}\"; rename one")));
        }
        let (path, bytes) = self.find(file, at, text(file, at, "file")?)?;
        if matches!(extension(&path).as_str(), "yaml" | "yml") {
            return Err(fail(file, at, format!("{path} holds directives; use add_directives for it")));
        }
        if is_mesh(&path) {
            let remedy = "give a URDF, SDFormat or MJCF file that names it";
            return Err(fail(file, at, format!("{path} is a mesh, not a model; {remedy}")));
        }
        let content =
            crate::text::decode(bytes).map_err(|reason| fail(file, at, format!("{path} {reason}")))?;
        let (model, frames) = load_with_frames(&content, &path, None, self.files, self.options)?;
        self.instances.push(name.clone());
        let first = self.world.bodies.len();
        if first == 1 {
            self.world.options = model.options.clone();
        }
        if !model.keyframes.is_empty() {
            let place = Source::new(file, format!("add_model \"{name}\""), at.line);
            let lost = "its keyframes are left out: they say nothing of the other models".to_string();
            self.report.warn_at(place, &format!("keyframes of {name}"), lost)?;
        }
        for frame in model.sites.iter().chain(&frames).filter(|frame| !frame.name.is_empty()) {
            let body = match frame.body {
                0 => "world".into(),
                body => format!("{name}::{}", model.bodies[body].name),
            };
            self.frames.insert(format!("{name}::{}", frame.name), (body, frame.pose));
        }
        compose::append(&mut self.world, model, &format!("{name}::"), 0);
        for body in &self.world.bodies[first..] {
            self.frames.insert(body.name.clone(), (body.name.clone(), Pose::identity()));
        }
        for (joint, value) in entries(file, at, "default_joint_positions")? {
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
        for (link, value) in entries(file, at, "default_free_body_pose")? {
            self.add_start(file, value, namespace, &format!("{name}::{link}"))?;
        }
        Ok(())
    }

    /// Notes where the free body starts that carries `frame`.
    fn add_start(&mut self, file: &str, at: &Yaml, namespace: &str, frame: &str) -> Read<()> {
        let given = transform(file, Some(at), &POSE_IN)?;
        if !self.frames.contains_key(frame) {
            return Err(fail(
                file,
                at,
                format!("there is no link or frame \"{frame}\" in this model; correct the name"),
            ));
        }
        let place = self.frame(file, at, frame, "")?;
        let (body, in_body) = compose::fixed_to(&self.world, place);
        let root = &self.world.bodies[body];
        if body == 0 || !root.joints.first().is_some_and(|j| j.kind == JointKind::Free) {
            return Err(fail(
                file,
                at,
                format!("\"{frame}\" is on no free body; place the root of its model"),
            ));
        }
        let (base, in_base) = match at.get("base_frame") {
            None => (0, Pose::identity()),
            Some(_) => self.frame(file, at, text(file, at, "base_frame")?, namespace)?,
        };
        let start = Start {
            body: root.name.clone(),
            base: self.world.bodies[base].name.clone(),
            pose: in_base * given * in_body.inverse(),
        };
        self.starts.push(start);
        Ok(())
    }

    /// Moves free bodies to where they start, now that all bodies hang where they will.
    fn place_free_bodies(&mut self) {
        for start in &self.starts {
            let Some(body) = self.world.body_index(&start.body) else { continue };
            // One that was welded after all stands where it is welded.
            if !self.world.bodies[body].joints.first().is_some_and(|j| j.kind == JointKind::Free) {
                continue;
            }
            let base = self.world.body_index(&start.base).unwrap_or(0);
            self.world.bodies[body].pose = reference::pose(&self.world, base) * start.pose;
        }
    }

    /// Body and pose in it of a frame: by its full name, or by its last part alone where only one frame has that.
    fn frame(&self, file: &str, at: &Yaml, name: &str, namespace: &str) -> Read<(usize, Pose)> {
        if name == "world" {
            return Ok((0, Pose::identity()));
        }
        let exact = self.frames.get(&format!("{namespace}{name}")).or_else(|| self.frames.get(name));
        let ending = format!("::{name}");
        let fits = |full: &String| full.starts_with(namespace) && full.ends_with(&ending);
        let mut alike = self.frames.iter().filter(|(full, _)| exact.is_none() && fits(full));
        let found = match (exact, alike.next(), alike.next()) {
            (Some(place), ..) | (None, Some((_, place)), None) => place,
            (None, Some((first, _)), Some((second, _))) => {
                let message =
                    format!("\"{name}\" may be {first} or {second}; put the model's name before it");
                return Err(fail(file, at, message));
            }
            (None, None, _) => {
                let message =
                    format!("there is no link or frame \"{name}\"; names are model::link, or world");
                return Err(fail(file, at, message));
            }
        };
        Ok((self.world.body_index(&found.0).unwrap_or(0), found.1))
    }

    /// The model that a body was added in, with `::` behind it; nothing for the world.
    fn instance_of(&self, body: &str) -> String {
        let inside = |name: &&String| body.strip_prefix(name.as_str()).is_some_and(|r| r.starts_with("::"));
        let longest = self.instances.iter().filter(inside).max_by_key(|name| name.len());
        longest.map_or(String::new(), |name| format!("{name}::"))
    }

    fn add_frame(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        only(file, at, &["name", "X_PF"])?;
        let offset = at.get("X_PF").ok_or_else(|| fail(file, at, "it needs `X_PF: …`"))?;
        let (body, base) = self.frame(file, offset, text(file, offset, "base_frame")?, namespace)?;
        let pose = base * transform(file, Some(offset), &POSE_IN)?;
        let written = text(file, at, "name")?;
        let body_name = self.world.bodies[body].name.clone();
        // Without a model's name it belongs to the model of its base; as a site it keeps the short name where that is free.
        let short = format!("{namespace}{written}");
        let full = match self.instance_of(&body_name) {
            instance if !instance.is_empty() && !written.contains("::") => format!("{instance}{written}"),
            _ => short.clone(),
        };
        if self.frames.insert(full.clone(), (body_name, pose)).is_some() {
            return Err(fail(file, at, format!("there is already a frame called \"{full}\"; rename one")));
        }
        let name = if self.world.sites.iter().any(|site| site.name == short) { full } else { short };
        let source = Source::new(file, format!("add_frame \"{name}\""), at.line);
        self.world.sites.push(Site { pose, source, ..Site::new(name, body) });
        Ok(())
    }

    fn add_weld(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        only(file, at, &["parent", "child", "X_PC"])?;
        let (parent, x_pa) = self.frame(file, at, text(file, at, "parent")?, namespace)?;
        let (child, x_cb) = self.frame(file, at, text(file, at, "child")?, namespace)?;
        let x_ab = transform(file, at.get("X_PC"), &POSE)?;
        compose::weld(&mut self.world, parent, child, x_pa * x_ab * x_cb.inverse())
            .map_err(|reason| fail(file, at, reason))
    }

    fn add_group(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        let lists = ["members", "member_groups", "ignored_collision_filter_groups"];
        only(file, at, &["name", lists[0], lists[1], lists[2], "model_namespace"])?;
        let inner = inside(file, at, namespace)?;
        let name = format!("{inner}{}", text(file, at, "name")?);
        for member in words(file, at, "members")? {
            let body = self.frame(file, at, &member, &inner)?.0;
            self.members.push((name.clone(), self.world.bodies[body].name.clone()));
        }
        let scoped = |names: Vec<String>| names.into_iter().map(|n| format!("{inner}{n}"));
        let group = self.groups.entry(name).or_default();
        group.member_groups.extend(scoped(words(file, at, "member_groups")?));
        group.ignored.extend(scoped(words(file, at, "ignored_collision_filter_groups")?));
        Ok(())
    }

    fn add_directives(&mut self, file: &str, at: &Yaml, namespace: &str) -> Read<()> {
        only(file, at, &["file", "model_namespace"])?;
        let (path, bytes) = self.find(file, at, text(file, at, "file")?)?;
        let canonical = self.files.canonical(&path);
        if self.open.contains(&canonical) || self.open.len() > 32 {
            return Err(fail(file, at, format!("{path} adds itself; break the circle")));
        }
        let inner = inside(file, at, namespace)?;
        let content =
            crate::text::decode(bytes).map_err(|reason| fail(file, at, format!("{path} {reason}")))?;
        self.open.push(canonical);
        self.document(&content, &path, &inner)?;
        self.open.pop();
        Ok(())
    }
}
