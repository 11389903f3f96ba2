//! `attach`: the bodies of another model, with everything that refers to them, under a prefix.
//!
//! The other document is read on its own, with its own compiler settings and defaults, into a world of its own. From that
//! world a subtree is taken over: bodies, joints, geoms, sites, cameras and lights at once, where the element stands;
//! tendons, actuators, sensors, couplings, pairs and exclusions later, after those of this document. Whatever refers
//! to something that is not taken over is left behind.

use super::include::Includes;
use super::reader::Reader;
use crate::LoadOptions;
use crate::error::Read;
use crate::files::{folder, join};
use crate::text::decode;
use crate::xml::{self, Node};
use nalgebra::Point3;
use std::collections::BTreeMap;
use std::ops::Range;
use stiction_model::{Actuator, ContactPair, Equality, Index, Indices, Light, Pose, Sensor, Tendon, World};

/// Most models inside one another.
const MAX_DEPTH: usize = 16;

/// Most models attached in all, those inside attached ones included.
const MAX_ATTACHED: usize = 10_000;

/// Items that refer to attached bodies, to be added after those of this document. Geoms and sites are numbered as they were read.
#[derive(Default)]
pub struct Attached {
    pub tendons: Vec<Tendon>,
    pub actuators: Vec<Actuator>,
    pub sensors: Vec<Sensor>,
    pub equalities: Vec<Equality>,
    pub pairs: Vec<ContactPair>,
}

/// The content of a named frame: ranges of the lists as they are read, nested elements included.
pub struct FrameContent {
    /// The body it is fixed to.
    body: usize,
    /// Pose in that body of the frame around it.
    around: Pose,
    /// Bodies, geoms, sites, cameras and lights.
    ranges: [Range<usize>; 5],
}

impl FrameContent {
    pub fn new(body: usize, around: Pose, before: [usize; 5], after: [usize; 5]) -> Self {
        Self { body, around, ranges: std::array::from_fn(|k| before[k]..after[k]) }
    }
}

/// The named frames of a model, with the places that its geoms and sites have got since they were read.
#[derive(Default)]
pub struct Frames {
    pub by_name: BTreeMap<String, FrameContent>,
    pub geoms: Vec<usize>,
    pub sites: Vec<usize>,
}

impl Frames {
    /// For each geom and each site whether a frame holds it.
    fn held(&self, content: &FrameContent) -> [Vec<bool>; 2] {
        let among = |places: &[usize], range: &Range<usize>| {
            let mut held = vec![false; places.len()];
            places[range.clone()].iter().for_each(|&new| held[new] = true);
            held
        };
        [among(&self.geoms, &content.ranges[1]), among(&self.sites, &content.ranges[2])]
    }
}

/// The part of a model that is attached.
enum Chosen<'f> {
    /// All that hangs on its world.
    All,
    /// A body with all below it.
    Body(usize),
    /// The content of a frame, and for each geom and each site whether it belongs to it.
    Frame(&'f FrameContent, [Vec<bool>; 2]),
}

/// Kinds of things that are fixed to bodies.
#[derive(Clone, Copy)]
enum Fixed {
    Geom,
    Site,
    Camera,
    Light,
}

impl Chosen<'_> {
    /// Whether body `b`, a child of `above`, hangs on the parent in the new model.
    fn is_root(&self, b: usize, above: usize) -> bool {
        match self {
            Self::All => above == 0,
            Self::Body(chosen) => b == *chosen,
            Self::Frame(content, _) => above == content.body && content.ranges[0].contains(&b),
        }
    }

    /// Whether something fixed to `body` is fixed to the parent in the new model.
    fn holds(&self, kind: Fixed, index: usize, body: usize) -> bool {
        match self {
            Self::All => body == 0,
            Self::Body(_) => false,
            Self::Frame(content, held) => {
                body == content.body
                    && match kind {
                        Fixed::Geom => held[0][index],
                        Fixed::Site => held[1][index],
                        Fixed::Camera => content.ranges[3].contains(&index),
                        Fixed::Light => content.ranges[4].contains(&index),
                    }
            }
        }
    }
}

/// New indices of the items of an attached world; `None` for those left behind.
#[derive(Default)]
struct NewIndices {
    bodies: Vec<Option<usize>>,
    geoms: Vec<Option<usize>>,
    sites: Vec<Option<usize>>,
    cameras: Vec<Option<usize>>,
    tendons: Vec<Option<usize>>,
    actuators: Vec<Option<usize>>,
    /// Of assets all are taken over: how many there were before.
    meshes: usize,
    fields: usize,
    materials: usize,
}

impl<'a> Reader<'a> {
    /// Reads an `attach` element of `parent`, in a frame at `x_bf`.
    pub fn attach(&mut self, node: &'a Node, parent: usize, x_bf: &Pose, suffix: &str) -> Read<()> {
        let Some(model) = node.attr("model") else {
            return Err(node.error("attaching a part of the model to itself is not read; give model=\"…\""));
        };
        let prefix = node.attr("prefix").unwrap_or("");
        let asset =
            *self.assets.models.get(model).ok_or_else(|| {
                node.error(format!("the model \"{model}\" does not exist; define it in asset"))
            })?;
        if self.depth >= MAX_DEPTH {
            return Err(
                node.error(format!("models are attached more than {MAX_DEPTH} deep; break the circle"))
            );
        }
        self.attachments.set(self.attachments.get() + 1);
        if self.attachments.get() > MAX_ATTACHED {
            return Err(
                node.error(format!("more than {MAX_ATTACHED} models are attached; put them together"))
            );
        }
        let file = asset.required("file")?;
        let mut path = join(self.model_dir, file);
        if !self.files.exists(&path) {
            path = join(folder(&asset.file), file);
        }
        let bytes = self.files.read(&path);
        let bytes = bytes.map_err(|reason| asset.error(format!("{path} {reason}; correct file=\"…\"")))?;
        let text = decode(bytes).map_err(|reason| asset.error(format!("{path} {reason}")))?;
        let mut root = xml::parse(&text, &path)?;
        if root.name != "mujoco" {
            return Err(asset.error(format!("{path} is no MJCF: its root element is {}", root.name)));
        }
        Includes::new(self.files, &path).expand(&mut root, 0)?;
        super::replicate::expand(&mut root)?;
        let limits = self.world.options.limits.clone();
        let options = LoadOptions { strict: self.report.strict(), limits, ..LoadOptions::default() };
        let (world, frames) =
            super::read_tree(&root, &path, self.files, &options, self.depth + 1, self.attachments)?;
        self.report.take(world.warnings.clone());
        let chosen = match (node.attr("body"), node.attr("frame")) {
            (None, None) => Chosen::All,
            (Some(name), None) => Chosen::Body(
                world
                    .body_index(name)
                    .filter(|b| *b != 0)
                    .ok_or_else(|| node.error(format!("the model \"{model}\" has no body \"{name}\"")))?,
            ),
            (None, Some(name)) => {
                let content = frames.by_name.get(name);
                let content = content
                    .ok_or_else(|| node.error(format!("the model \"{model}\" has no frame \"{name}\"")))?;
                Chosen::Frame(content, frames.held(content))
            }
            _ => return Err(node.error("give body or frame, not both")),
        };
        if !world.keyframes.is_empty() {
            let message = "keyframes of an attached model are left behind; write them in this one";
            self.report.warn(node, "attach keyframes", message)?;
        }
        for body in &world.bodies {
            self.count_items(node, 1 + body.joints.len())?;
        }
        self.count_items(node, world.geoms.len() + world.sites.len())?;
        let rename = |name: &str| format!("{prefix}{name}{suffix}");
        self.merge(world, chosen, parent, x_bf, &rename);
        Ok(())
    }

    /// Takes over what is chosen of another world.
    fn merge(
        &mut self,
        mut child: World,
        chosen: Chosen,
        parent: usize,
        x_bf: &Pose,
        rename: &dyn Fn(&str) -> String,
    ) {
        // Where the frame of the element lies seen from what the roots hung on. A frame brings its own pose along, but not
        // those of the frames around it.
        let x_bf = &match chosen {
            Chosen::Frame(content, _) => x_bf * content.around.inverse(),
            _ => *x_bf,
        };
        let mut new = NewIndices {
            bodies: self.merge_bodies(&child, &chosen, parent, x_bf, rename),
            meshes: self.world.meshes.len(),
            fields: self.world.height_fields.len(),
            materials: self.world.visual.materials.len(),
            ..NewIndices::default()
        };
        self.world.meshes.append(&mut child.meshes);
        self.world.height_fields.append(&mut child.height_fields);
        self.world.visual.materials.append(&mut child.visual.materials);
        self.merge_fixed(&mut child, &chosen, parent, x_bf, rename, &mut new);
        self.attached.merge(&mut child, rename, &mut new);
        for (a, b) in child.exclusions {
            self.world.exclusions.extend(new.bodies[a].zip(new.bodies[b]));
        }
    }

    /// Bodies with their joints; returns their new indices.
    fn merge_bodies(
        &mut self,
        child: &World,
        chosen: &Chosen,
        parent: usize,
        x_bf: &Pose,
        rename: &dyn Fn(&str) -> String,
    ) -> Vec<Option<usize>> {
        let mut bodies: Vec<Option<usize>> = vec![None; child.bodies.len()];
        if matches!(chosen, Chosen::All) {
            bodies[0] = Some(parent);
        }
        for (b, described) in child.bodies.iter().enumerate().skip(1) {
            let above = described.parent.unwrap_or(0);
            let root = chosen.is_root(b, above);
            let Some(to) = (if root { Some(parent) } else { bodies[above] }) else { continue };
            let mut body = described.clone();
            body.name = rename(&body.name);
            body.parent = Some(to);
            if root {
                body.pose = x_bf * body.pose;
            }
            body.joints.iter_mut().for_each(|j| j.name = rename(&j.name));
            bodies[b] = Some(self.world.bodies.len());
            self.settled.insert(self.world.bodies.len());
            self.world.bodies.push(body);
            self.geom_masses.push(Vec::new());
            self.explicit.push(None);
        }
        bodies
    }

    /// Geoms, sites, cameras and lights: what hung on the chosen root is fixed to the parent, with its pose from there.
    fn merge_fixed(
        &mut self,
        child: &mut World,
        chosen: &Chosen,
        parent: usize,
        x_bf: &Pose,
        rename: &dyn Fn(&str) -> String,
        new: &mut NewIndices,
    ) {
        let on_parent = |kind: Fixed, i: usize, body: usize| chosen.holds(kind, i, body).then_some(parent);
        let place = |pose: &Pose, on: Option<usize>| on.map_or(*pose, |_| x_bf * pose);
        for (i, mut geom) in child.geoms.drain(..).enumerate() {
            let on = on_parent(Fixed::Geom, i, geom.body);
            let taken = new.renumber_fixed(&mut geom, on).map(|()| self.world.geoms.len());
            new.geoms.push(taken);
            if taken.is_some() {
                (geom.pose, geom.name) = (place(&geom.pose, on), rename(&geom.name));
                self.world.geoms.push(geom);
            }
        }
        for (i, mut site) in child.sites.drain(..).enumerate() {
            let on = on_parent(Fixed::Site, i, site.body);
            let taken = new.renumber_fixed(&mut site, on).map(|()| self.world.sites.len());
            new.sites.push(taken);
            if taken.is_some() {
                (site.pose, site.name) = (place(&site.pose, on), rename(&site.name));
                self.world.sites.push(site);
            }
        }
        let visual = &mut self.world.visual;
        for (i, mut camera) in child.visual.cameras.drain(..).enumerate() {
            let on = on_parent(Fixed::Camera, i, camera.body);
            let taken = new.renumber_fixed(&mut camera, on).map(|()| visual.cameras.len());
            new.cameras.push(taken);
            if taken.is_some() {
                (camera.pose, camera.name) = (place(&camera.pose, on), rename(&camera.name));
                visual.cameras.push(camera);
            }
        }
        for (i, mut light) in child.visual.lights.drain(..).enumerate() {
            let on = on_parent(Fixed::Light, i, light.body);
            if new.renumber_fixed(&mut light, on).is_some() {
                let Light { position, direction, .. } = &mut light;
                if on.is_some() {
                    *position = (x_bf * Point3::from(*position)).coords;
                    *direction = x_bf.rotation * *direction;
                }
                visual.lights.push(light);
            }
        }
    }

    /// Attached tendons follow those of this document.
    pub fn take_attached_tendons(&mut self) {
        let waiting = &mut self.attached;
        let base = self.world.tendons.len();
        let new = NewIndices::shifted(&self.world, base, waiting.tendons.len(), 0, waiting.actuators.len());
        waiting.renumber(&new);
        self.world.tendons.append(&mut waiting.tendons);
        self.world.pairs.append(&mut waiting.pairs);
        self.world.equalities.append(&mut waiting.equalities);
    }

    /// Attached actuators follow those of this document.
    pub fn take_attached_actuators(&mut self) {
        let waiting = &mut self.attached;
        let (base, tendons) = (self.world.actuators.len(), self.world.tendons.len());
        let new = NewIndices::shifted(&self.world, 0, tendons, base, waiting.actuators.len());
        waiting.sensors.visit_indices(&mut |index| new.renumber(index));
        self.world.actuators.append(&mut waiting.actuators);
    }

    /// Attached sensors follow those of this document.
    pub fn take_attached_sensors(&mut self) {
        self.world.sensors.append(&mut self.attached.sensors);
    }

    /// Geoms and sites have been put into another order: `geoms[old]` is the new number.
    pub fn renumber_attached(&mut self, geoms: &[usize], sites: &[usize]) {
        let some = |numbers: &[usize]| -> Vec<Option<usize>> { numbers.iter().map(|&n| Some(n)).collect() };
        let same = |count: usize| -> Vec<Option<usize>> { (0..count).map(Some).collect() };
        let new = NewIndices {
            bodies: same(self.world.bodies.len()),
            geoms: some(geoms),
            sites: some(sites),
            cameras: same(self.world.visual.cameras.len()),
            tendons: same(self.attached.tendons.len()),
            actuators: same(self.attached.actuators.len()),
            ..NewIndices::default()
        };
        let waiting = &mut self.attached;
        waiting.tendons.visit_indices(&mut |index| new.renumber(index));
        waiting.pairs.visit_indices(&mut |index| new.renumber(index));
        waiting.renumber(&new);
    }
}

impl Attached {
    /// Adds everything that refers to attached bodies, unless it also refers to something left behind.
    fn merge(&mut self, child: &mut World, rename: &dyn Fn(&str) -> String, new: &mut NewIndices) {
        for mut tendon in child.tendons.drain(..) {
            let taken = tendon.visit_indices(&mut |i| new.renumber(i)).map(|()| self.tendons.len());
            new.tendons.push(taken);
            if taken.is_some() {
                tendon.name = rename(&tendon.name);
                self.tendons.push(tendon);
            }
        }
        for mut actuator in child.actuators.drain(..) {
            let taken = actuator.visit_indices(&mut |i| new.renumber(i)).map(|()| self.actuators.len());
            new.actuators.push(taken);
            if taken.is_some() {
                actuator.name = rename(&actuator.name);
                self.actuators.push(actuator);
            }
        }
        for mut sensor in child.sensors.drain(..) {
            if !sensor.kind.of_world() && sensor.visit_indices(&mut |i| new.renumber(i)).is_some() {
                sensor.name = rename(&sensor.name);
                self.sensors.push(sensor);
            }
        }
        for mut equality in child.equalities.drain(..) {
            if equality.visit_indices(&mut |i| new.renumber(i)).is_some() {
                if !equality.name.is_empty() {
                    equality.name = rename(&equality.name);
                }
                self.equalities.push(equality);
            }
        }
        for mut pair in child.pairs.drain(..) {
            if pair.visit_indices(&mut |i| new.renumber(i)).is_some() {
                self.pairs.push(pair);
            }
        }
    }

    /// Gives new indices to what actuators, sensors and couplings refer to. All of it exists.
    fn renumber(&mut self, new: &NewIndices) {
        self.actuators.visit_indices(&mut |index| new.renumber(index));
        self.sensors.visit_indices(&mut |index| new.renumber(index));
        self.equalities.visit_indices(&mut |index| new.renumber(index));
    }
}

impl NewIndices {
    /// Everything where it is, but tendons and actuators counted from a base.
    fn shifted(
        world: &World,
        tendon_base: usize,
        tendons: usize,
        actuator_base: usize,
        actuators: usize,
    ) -> Self {
        let from = |base: usize, count: usize| (base..base + count).map(Some).collect();
        Self {
            bodies: from(0, world.bodies.len()),
            geoms: from(0, world.geoms.len()),
            sites: from(0, world.sites.len()),
            cameras: from(0, world.visual.cameras.len()),
            tendons: from(tendon_base, tendons),
            actuators: from(actuator_base, actuators),
            ..Self::default()
        }
    }

    /// Gives an item fixed to a body its new indices; `on` is the body in place of its own.
    fn renumber_fixed(&self, item: &mut impl Indices, on: Option<usize>) -> Option<()> {
        item.visit_indices(&mut |index| match (index, on) {
            (Index::Body(body), Some(on)) => {
                *body = on;
                Some(())
            }
            (index, _) => self.renumber(index),
        })
    }

    /// Gives an index its new value; `None` if what it refers to was left behind.
    fn renumber(&self, index: Index) -> Option<()> {
        match index {
            Index::Body(b) | Index::Joint(b, _) => *b = self.bodies[*b]?,
            Index::Geom(g) => *g = self.geoms[*g]?,
            Index::Site(s) => *s = self.sites[*s]?,
            Index::Camera(c) => *c = self.cameras[*c]?,
            Index::Tendon(t) => *t = self.tendons[*t]?,
            Index::Actuator(a) => *a = self.actuators[*a]?,
            Index::Mesh(m) => *m += self.meshes,
            Index::HeightField(h) => *h += self.fields,
            Index::Material(m) => *m += self.materials,
        }
        Some(())
    }
}
