//! The reader's state, and the walk over the tree of bodies.

use super::asset::Assets;
use super::attach::{Attached, FrameContent, Frames};
use super::compiler::Compiler;
use super::defaults::{Attrs, Defaults, MAIN};
use super::inertia::Lump;
use super::joint::SpringDamper;
use super::{joint, pose};
use crate::error::{FormatError, Read};
use crate::files::Files;
use crate::names::Names;
use crate::reference;
use crate::report::Report;
use crate::xml::Node;
use nalgebra::Translation3;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use stiction_model::{Body, Pose, Shape, Site, Source, Vec3, World};

/// Most bodies, joints, geoms and sites together.
const MAX_ITEMS: usize = 1_000_000;

/// The state of reading an MJCF document.
pub struct Reader<'a> {
    /// Where assets come from.
    pub files: &'a dyn Files,
    /// Folder of the model file.
    pub model_dir: &'a str,
    /// The compiler section.
    pub compiler: Compiler,
    /// Default classes.
    pub defaults: Defaults<'a>,
    /// Meshes, height fields, colours.
    pub assets: Assets<'a>,
    /// The world read so far.
    pub world: World,
    /// Warnings.
    pub report: Report,
    /// For each body, the masses of its geoms.
    pub geom_masses: Vec<Vec<Lump>>,
    /// For each body, the inertial element's content.
    pub explicit: Vec<Option<Lump>>,
    /// Meshes that are not convex but collide, with the first geom that uses each.
    pub hulls: BTreeMap<usize, Source>,
    /// Joints whose spring and damper follow from their inertia.
    springs: Vec<SpringDamper>,
    /// Sites by name.
    pub site_indices: BTreeMap<String, usize>,
    /// Geoms by name.
    pub geom_indices: BTreeMap<String, usize>,
    /// Contents of named frames, for models that attach one.
    pub frames: Frames,
    /// Attached bodies: their own model has settled their mass.
    pub settled: BTreeSet<usize>,
    /// Items that refer to attached bodies.
    pub attached: Attached,
    /// Bodies by name; of several with one name the first, which the model's check refuses.
    body_indices: BTreeMap<String, usize>,
    /// Joints by name: body, and place in its list.
    joint_indices: BTreeMap<String, (usize, usize)>,
    /// Tendons by name.
    pub tendon_indices: BTreeMap<String, usize>,
    /// Cameras that turn by themselves, by name.
    pub turning_cameras: BTreeSet<String>,
    /// Actuators by name.
    pub actuator_indices: BTreeMap<String, usize>,
    /// Mean colours of textures that were looked at, by name.
    pub texture_colors: BTreeMap<String, Option<[f64; 3]>>,
    /// How many models are attached so far, in all that are being read.
    pub attachments: &'a Cell<usize>,
    /// How many models this one is attached inside of.
    pub depth: usize,
    items: usize,
}

/// Where an element of a body stands.
#[derive(Clone)]
struct Scope<'a> {
    body: usize,
    /// Pose in the body of the frame around the element.
    x_bf: Pose,
    class: &'a str,
    /// Suffix that replication adds to names.
    suffix: String,
}

impl<'a> Reader<'a> {
    /// A reader before the first element.
    pub fn new(
        root: &'a Node,
        files: &'a dyn Files,
        model_dir: &'a str,
        report: Report,
        attachments: &'a Cell<usize>,
    ) -> Read<Self> {
        Ok(Self {
            files,
            model_dir,
            compiler: Compiler::read(root)?,
            defaults: Defaults::read(root)?,
            assets: Assets::default(),
            world: World::new(root.attr("model").unwrap_or("MuJoCo Model")),
            report,
            geom_masses: vec![Vec::new()],
            explicit: vec![None],
            hulls: BTreeMap::new(),
            springs: Vec::new(),
            site_indices: BTreeMap::new(),
            geom_indices: BTreeMap::new(),
            frames: Frames::default(),
            settled: BTreeSet::new(),
            attached: Attached::default(),
            body_indices: BTreeMap::new(),
            joint_indices: BTreeMap::new(),
            tendon_indices: BTreeMap::new(),
            turning_cameras: BTreeSet::new(),
            actuator_indices: BTreeMap::new(),
            texture_colors: BTreeMap::new(),
            attachments,
            depth: 0,
            items: 0,
        })
    }

    /// Reads every `worldbody`.
    pub fn bodies(&mut self, root: &'a Node) -> Read<()> {
        for section in root.children_named("worldbody") {
            let class = self.defaults.class_of(section, "childclass", MAIN)?;
            let scope = Scope { body: 0, x_bf: Pose::identity(), class, suffix: String::new() };
            self.children(section, &scope)?;
        }
        // MuJoCo numbers geoms and sites body by body.
        let geoms = sort_by_body(&mut self.world.geoms, |g| g.body);
        let sites = sort_by_body(&mut self.world.sites, |s| s.body);
        self.renumber_attached(&geoms, &sites);
        (self.frames.geoms, self.frames.sites) = (geoms, sites);
        self.no_name_twice()?;
        self.name_the_unnamed();
        let sites = self.world.sites.iter().enumerate();
        self.site_indices = sites.map(|(i, s)| (s.name.clone(), i)).collect();
        let geoms = self.world.geoms.iter().enumerate();
        self.geom_indices = geoms.map(|(i, g)| (g.name.clone(), i)).collect();
        for (b, body) in self.world.bodies.iter().enumerate() {
            self.body_indices.entry(body.name.clone()).or_insert(b);
            for (j, joint) in body.joints.iter().enumerate() {
                self.joint_indices.entry(joint.name.clone()).or_insert((b, j));
            }
        }
        self.report_hulls();
        Ok(())
    }

    /// Lists the tendons by name, once all are read.
    pub fn list_tendons(&mut self) {
        for (i, tendon) in self.world.tendons.iter().enumerate() {
            self.tendon_indices.entry(tendon.name.clone()).or_insert(i);
        }
    }

    /// Lists the actuators by name, once all are read.
    pub fn list_actuators(&mut self) {
        for (i, actuator) in self.world.actuators.iter().enumerate() {
            self.actuator_indices.entry(actuator.name.clone()).or_insert(i);
        }
    }

    /// How many bodies, geoms, sites, cameras and lights there are so far.
    fn counts(&self) -> [usize; 5] {
        let World { bodies, geoms, sites, visual, .. } = &self.world;
        [bodies.len(), geoms.len(), sites.len(), visual.cameras.len(), visual.lights.len()]
    }

    fn count(&mut self, node: &Node) -> Read<()> {
        self.count_items(node, 1)
    }

    /// Counts what is made, so that no small file makes a huge model.
    pub fn count_items(&mut self, node: &Node, more: usize) -> Read<()> {
        self.items += more;
        if self.items > MAX_ITEMS {
            return Err(
                node.error(format!("the model has more than {MAX_ITEMS} bodies, joints, geoms and sites"))
            );
        }
        Ok(())
    }

    fn children(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        for child in &node.children {
            match child.name.as_str() {
                "body" => self.body(child, scope)?,
                "frame" => {
                    let class = self.defaults.class_of(child, "childclass", scope.class)?;
                    let x_bf = scope.x_bf * pose::pose(&Attrs::plain(child), &self.compiler)?;
                    let before = self.counts();
                    self.children(child, &Scope { x_bf, class, ..scope.clone() })?;
                    if let Some(name) = child.attr("name").filter(|_| scope.suffix.is_empty()) {
                        let content = FrameContent::new(scope.body, scope.x_bf, before, self.counts());
                        self.frames.by_name.insert(name.to_string(), content);
                    }
                }
                "replicate" => self.replicate(child, scope)?,
                "attach" => self.attach(child, scope.body, &scope.x_bf, &scope.suffix)?,
                "joint" | "freejoint" => self.joint(child, scope)?,
                "geom" => self.add_geom(child, scope)?,
                "site" => self.site(child, scope)?,
                "camera" => {
                    self.count(child)?;
                    let attrs = self.defaults.apply(child, "camera", scope.class)?;
                    let mut camera = self.camera(&attrs, scope.body, &scope.x_bf)?;
                    suffix(&mut camera.name, scope);
                    if attrs.text("mode").is_some_and(|mode| mode != "fixed") {
                        self.turning_cameras.insert(camera.name.clone());
                    }
                    self.world.visual.cameras.push(camera);
                }
                "light" => {
                    self.count(child)?;
                    let attrs = self.defaults.apply(child, "light", scope.class)?;
                    let light = self.light(&attrs, scope.body, &scope.x_bf)?;
                    self.world.visual.lights.push(light);
                }
                "inertial" => {
                    self.explicit[scope.body] = Some(self.inertial(child, &scope.x_bf)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Not inlined: bodies nest deeply, and what is inlined into their walk is on the stack at every level.
    #[inline(never)]
    fn add_geom(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        self.count(node)?;
        let attrs = self.defaults.apply(node, "geom", scope.class)?;
        if let Some(mut read) = self.geom(&attrs, scope.body, &scope.x_bf)? {
            suffix(&mut read.geom.name, scope);
            self.geom_masses[scope.body].extend(read.mass);
            self.world.geoms.push(read.geom);
        }
        Ok(())
    }

    fn body(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        self.count(node)?;
        let mut body = Body::new(node.attr("name").unwrap_or(""), scope.body);
        suffix(&mut body.name, scope);
        body.source = node.source();
        body.pose = scope.x_bf * pose::pose(&Attrs::plain(node), &self.compiler)?;
        body.mocap = node.flag("mocap")?.unwrap_or(false);
        body.gravity_compensation = node.number("gravcomp")?.unwrap_or(0.0);
        let class = self.defaults.class_of(node, "childclass", scope.class)?;
        self.world.bodies.push(body);
        self.geom_masses.push(Vec::new());
        self.explicit.push(None);
        let body = self.world.bodies.len() - 1;
        self.children(node, &Scope { body, x_bf: Pose::identity(), class, suffix: scope.suffix.clone() })
    }

    fn joint(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        self.count(node)?;
        if scope.body == 0 {
            return Err(node.error("the world cannot have joints; put it into a body"));
        }
        // A freejoint takes no defaults.
        let attrs = if node.name == "freejoint" {
            Attrs::plain(node)
        } else {
            self.defaults.apply(node, "joint", scope.class)?
        };
        let mut joint = joint::read(&attrs, &scope.x_bf, &self.compiler, &mut self.report)?;
        suffix(&mut joint.name, scope);
        let joints = &mut self.world.bodies[scope.body].joints;
        self.springs.extend(joint::spring_damper(&attrs, scope.body, joints.len())?);
        joints.push(joint);
        Ok(())
    }

    fn site(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        self.count(node)?;
        let attrs = self.defaults.apply(node, "site", scope.class)?;
        let mut x_fs = pose::pose(&attrs, &self.compiler)?;
        let mut size = [0.005; 3];
        attrs.overlay("size", &mut size)?;
        let kind = attrs.text("type").unwrap_or("sphere");
        if let Some([a, b, c, d, e, f]) = attrs.array("fromto")? {
            let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            let half = (from - to).norm() / 2.0;
            match kind {
                "capsule" | "cylinder" => size[1] = half,
                _ => size = [size[0], size[0], half],
            }
            let rotation = crate::numbers::rotation_from_z(&(from - to))
                .ok_or_else(|| node.error("fromto has its two ends at the same point; move one"))?;
            x_fs = Pose::from_parts(Translation3::from((from + to) / 2.0), rotation);
        }
        let shape = match kind {
            "sphere" | "mesh" => Shape::Sphere { radius: size[0] },
            "capsule" => Shape::Capsule { radius: size[0], half_length: size[1] },
            "cylinder" => Shape::Cylinder { radius: size[0], half_length: size[1] },
            "box" => Shape::Box { half_extents: size.into() },
            "ellipsoid" => Shape::Ellipsoid { radii: size.into() },
            other => {
                return Err(node.error(format!(
                    "type is \"{other}\"; it must be sphere, capsule, ellipsoid, cylinder, box or mesh"
                )));
            }
        };
        let mut site = Site {
            shape,
            color: self.color(&attrs)?,
            group: attrs.integer("group")?.unwrap_or(0),
            name: node.attr("name").unwrap_or("").to_string(),
            body: scope.body,
            pose: scope.x_bf * x_fs,
            source: node.source(),
        };
        suffix(&mut site.name, scope);
        self.world.sites.push(site);
        Ok(())
    }

    /// Copies of the children, each moved by `offset` from the one before, in its axes. The angles of `euler` add up: the
    /// i-th copy is turned by i times each of them, which is not the i-th power of one turn unless it has one axis.
    fn replicate(&mut self, node: &'a Node, scope: &Scope<'a>) -> Read<()> {
        let count = node.integer("count")?.ok_or_else(|| node.error("replicate needs count=\"…\""))?;
        if !(1..=MAX_ITEMS as i64).contains(&count) {
            return Err(node.error(format!("count is {count}; it must be between 1 and {MAX_ITEMS}")));
        }
        let offset = node.vec3("offset")?.unwrap_or_default();
        if let Some(other) = ["quat", "axisangle", "xyaxes", "zaxis"].iter().find(|s| node.attr(s).is_some())
        {
            return Err(node.error(format!("replicate turns its copies by euler, not by {other}")));
        }
        let angles = node.vec3("euler")?.unwrap_or_default();
        let class = self.defaults.class_of(node, "childclass", scope.class)?;
        let separator = node.attr("sep").unwrap_or("");
        let digits = (count - 1).to_string().len();
        let mut position = Vec3::zeros();
        for i in 0..count {
            self.count(node)?;
            let rotation = pose::euler(&(angles * i as f64), &self.compiler);
            if !rotation.coords.iter().all(|c| c.is_finite()) {
                return Err(node.error("euler is too large: its sum over the copies is not finite"));
            }
            let x_bf = scope.x_bf * Pose::from_parts(Translation3::from(position), rotation);
            let suffix = format!("{separator}{i:0digits$}{}", scope.suffix);
            self.children(node, &Scope { body: scope.body, x_bf, class, suffix })?;
            position += rotation * offset;
        }
        Ok(())
    }

    /// Bodies and joints are checked by the model itself.
    fn no_name_twice(&self) -> Read<()> {
        let geoms = self.world.geoms.iter().map(|g| (&g.name, &g.source));
        let sites = self.world.sites.iter().map(|s| (&s.name, &s.source));
        unique(geoms, "geoms")?;
        unique(sites, "sites")
    }

    fn report_hulls(&mut self) {
        let Some((_, place)) = self.hulls.first_key_value() else { return };
        let names: Vec<_> =
            self.hulls.keys().map(|&mesh| format!("\"{}\"", self.world.meshes[mesh].name)).collect();
        let message = format!(
            "meshes that are not convex collide as their convex hull, as in MuJoCo: {}",
            names.join(", ")
        );
        self.report.note_at(place.clone(), "hull", message);
    }

    fn name_the_unnamed(&mut self) {
        let mut names = Names::new(self.world.bodies.iter().map(|b| b.name.as_str()));
        for (i, body) in self.world.bodies.iter_mut().enumerate() {
            if body.name.is_empty() {
                body.name = names.free(&format!("body_{i}"));
            }
        }
        let mut names =
            Names::new(self.world.joints().map(|(_, j)| j.name.as_str()).collect::<Vec<_>>().into_iter());
        for body in &mut self.world.bodies {
            for joint in body.joints.iter_mut().filter(|j| j.name.is_empty()) {
                joint.name = names.free(&format!("{}_joint", body.name));
            }
        }
        let mut names = Names::new(self.world.geoms.iter().map(|g| g.name.as_str()));
        for geom in self.world.geoms.iter_mut().filter(|g| g.name.is_empty()) {
            geom.name = names.free(&format!("{}_geom", self.world.bodies[geom.body].name));
        }
        let mut names = Names::new(self.world.sites.iter().map(|s| s.name.as_str()));
        for site in self.world.sites.iter_mut().filter(|s| s.name.is_empty()) {
            site.name = names.free(&format!("{}_site", self.world.bodies[site.body].name));
        }
    }

    /// Derives the springs and dampers given by time constants; masses must be known.
    pub fn spring_dampers(&mut self, root: &Node) -> Read<()> {
        for s in std::mem::take(&mut self.springs) {
            let Some(felt) = reference::felt_inertia(&self.world, s.body, s.joint) else {
                let message =
                    "stiffness and damping could not be derived from the time constant and are zero";
                self.report.warn(root, "springdamper", message)?;
                continue;
            };
            // Of several coordinates the mean of what they yield, as in MuJoCo.
            let inertia = felt.len() as f64 / felt.iter().map(|x| 1.0 / x).sum::<f64>();
            for dof in &mut self.world.bodies[s.body].joints[s.joint].dofs {
                dof.stiffness = inertia / (s.time * s.ratio).powi(2);
                dof.damping = 2.0 * inertia / s.time;
            }
        }
        Ok(())
    }

    /// Index of a body by name.
    pub fn body_named(&self, node: &Node, attribute: &str) -> Read<Option<usize>> {
        let Some(name) = node.attr(attribute) else { return Ok(None) };
        let found = self.body_indices.get(name).copied();
        found.map(Some).ok_or_else(|| node.error(format!("{attribute}: there is no body \"{name}\"")))
    }

    /// Body and index of a joint by name.
    pub fn joint_named(&self, node: &Node, attribute: &str) -> Read<Option<(usize, usize)>> {
        let Some(name) = node.attr(attribute) else { return Ok(None) };
        let found = self.joint_indices.get(name).copied();
        found.map(Some).ok_or_else(|| node.error(format!("{attribute}: there is no joint \"{name}\"")))
    }
}

/// Sorts by body, keeping the order within one; the new number of each.
fn sort_by_body<T>(items: &mut [T], body: impl Fn(&T) -> usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&i| body(&items[i]));
    let mut numbers = vec![0; items.len()];
    order.iter().enumerate().for_each(|(new, &old)| numbers[old] = new);
    items.sort_by_key(body);
    numbers
}

fn suffix(name: &mut String, scope: &Scope) {
    if !name.is_empty() {
        name.push_str(&scope.suffix);
    }
}

/// An error if two things that have names share one.
pub fn unique<'b>(items: impl Iterator<Item = (&'b String, &'b Source)>, kind: &str) -> Read<()> {
    let mut names = Names::default();
    for (name, source) in items.filter(|(name, _)| !name.is_empty()) {
        if !names.claim(name) {
            let message = format!("the name \"{name}\" is used by two {kind}; rename one");
            return Err(FormatError::Invalid { place: source.clone(), message });
        }
    }
    Ok(())
}
