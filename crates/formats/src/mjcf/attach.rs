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
use std::collections::BTreeMap;
use std::ops::Range;
use stiction_model::{
    Actuator, ContactPair, ContactsOf, Equality, EqualityKind, FrameOf, GeomsOf, PathStage, Pose, Sensor,
    SensorKind, Shape, Tendon, TendonPath, Transmission, World,
};

/// Most models inside one another.
const MAX_DEPTH: usize = 16;

/// Most models attached in all, those inside attached ones included.
const MAX_ATTACHED: usize = 10_000;

/// What refers to attached bodies, waiting for its turn. Geoms and sites are numbered as they were read.
#[derive(Default)]
pub struct Attached {
    pub tendons: Vec<Tendon>,
    pub actuators: Vec<Actuator>,
    pub sensors: Vec<Sensor>,
    pub equalities: Vec<Equality>,
    pub pairs: Vec<ContactPair>,
}

/// What a named frame holds: ranges of the lists as they are read, its elements in turn included.
pub struct FrameContent {
    /// The body it is fixed to.
    body: usize,
    /// Pose in that body of the frame around it.
    around: Pose,
    /// Bodies, geoms, sites and cameras.
    ranges: [Range<usize>; 4],
}

impl FrameContent {
    pub fn new(body: usize, around: Pose, before: [usize; 4], after: [usize; 4]) -> Self {
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

/// What of a model is attached.
enum Chosen<'f> {
    /// All that hangs on its world.
    All,
    /// A body with all below it.
    Body(usize),
    /// What a frame holds, and for each geom and each site whether it is among that.
    Frame(&'f FrameContent, [Vec<bool>; 2]),
}

/// Kinds of things that are fixed to bodies.
#[derive(Clone, Copy)]
enum Part {
    Geom,
    Site,
    Camera,
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
    fn holds(&self, part: Part, index: usize, body: usize) -> bool {
        match self {
            Self::All => body == 0,
            Self::Body(_) => false,
            Self::Frame(content, held) => {
                body == content.body
                    && match part {
                        Part::Geom => held[0][index],
                        Part::Site => held[1][index],
                        Part::Camera => content.ranges[3].contains(&index),
                    }
            }
        }
    }
}

/// Where the parts of the attached world went; `None` for what was left behind.
struct Places {
    bodies: Vec<Option<usize>>,
    geoms: Vec<Option<usize>>,
    sites: Vec<Option<usize>>,
    cameras: Vec<Option<usize>>,
    tendons: Vec<Option<usize>>,
    actuators: Vec<Option<usize>>,
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
        let options = LoadOptions { strict: self.report.strict(), ..LoadOptions::default() };
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
        child: World,
        chosen: Chosen,
        parent: usize,
        x_bf: &Pose,
        rename: &dyn Fn(&str) -> String,
    ) {
        let mut bodies: Vec<Option<usize>> = vec![None; child.bodies.len()];
        if matches!(chosen, Chosen::All) {
            bodies[0] = Some(parent);
        }
        // Where the frame of the element lies seen from what the roots hung on. A frame brings its own pose along, but not
        // those of the frames around it.
        let x_bf = &match chosen {
            Chosen::Frame(content, _) => x_bf * content.around.inverse(),
            _ => *x_bf,
        };
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
        let (meshes, fields) = (self.world.meshes.len(), self.world.height_fields.len());
        let materials = self.world.visual.materials.len();
        self.world.meshes.extend(child.meshes);
        self.world.height_fields.extend(child.height_fields);
        self.world.visual.materials.extend(child.visual.materials);
        let mut places = Places {
            geoms: vec![None; child.geoms.len()],
            sites: vec![None; child.sites.len()],
            cameras: vec![None; child.visual.cameras.len()],
            tendons: vec![None; child.tendons.len()],
            actuators: vec![None; child.actuators.len()],
            bodies,
        };
        for (i, mut geom) in child.geoms.into_iter().enumerate() {
            let direct = chosen.holds(Part::Geom, i, geom.body);
            let Some(body) = (if direct { Some(parent) } else { places.bodies[geom.body] }) else { continue };
            geom.pose = if direct { x_bf * geom.pose } else { geom.pose };
            (geom.body, geom.name) = (body, rename(&geom.name));
            geom.material = geom.material.map(|m| m + materials);
            match &mut geom.shape {
                Shape::Mesh { mesh, .. } => *mesh += meshes,
                Shape::HeightField { field } => *field += fields,
                _ => {}
            }
            places.geoms[i] = Some(self.world.geoms.len());
            self.world.geoms.push(geom);
        }
        for (i, mut site) in child.sites.into_iter().enumerate() {
            let direct = chosen.holds(Part::Site, i, site.body);
            let Some(body) = (if direct { Some(parent) } else { places.bodies[site.body] }) else { continue };
            site.pose = if direct { x_bf * site.pose } else { site.pose };
            (site.body, site.name) = (body, rename(&site.name));
            places.sites[i] = Some(self.world.sites.len());
            self.world.sites.push(site);
        }
        for (i, mut camera) in child.visual.cameras.into_iter().enumerate() {
            let direct = chosen.holds(Part::Camera, i, camera.body);
            let Some(body) = (if direct { Some(parent) } else { places.bodies[camera.body] }) else {
                continue;
            };
            camera.pose = if direct { x_bf * camera.pose } else { camera.pose };
            (camera.body, camera.name) = (body, rename(&camera.name));
            places.cameras[i] = Some(self.world.visual.cameras.len());
            self.world.visual.cameras.push(camera);
        }
        let waiting = &mut self.attached;
        for (i, mut tendon) in child.tendons.into_iter().enumerate() {
            if places.tendon(&mut tendon).is_some() {
                tendon.name = rename(&tendon.name);
                places.tendons[i] = Some(waiting.tendons.len());
                waiting.tendons.push(tendon);
            }
        }
        for (i, mut actuator) in child.actuators.into_iter().enumerate() {
            if let Some(transmission) = places.transmission(actuator.transmission) {
                (actuator.transmission, actuator.name) = (transmission, rename(&actuator.name));
                places.actuators[i] = Some(waiting.actuators.len());
                waiting.actuators.push(actuator);
            }
        }
        for mut sensor in child.sensors {
            if let Some(kind) = places.sensor(sensor.kind) {
                (sensor.kind, sensor.name) = (kind, rename(&sensor.name));
                waiting.sensors.push(sensor);
            }
        }
        for mut equality in child.equalities {
            if let Some(kind) = places.equality(equality.kind) {
                equality.kind = kind;
                if !equality.name.is_empty() {
                    equality.name = rename(&equality.name);
                }
                waiting.equalities.push(equality);
            }
        }
        for mut pair in child.pairs {
            if let (Some(a), Some(b)) = (places.geoms[pair.geom_a], places.geoms[pair.geom_b]) {
                (pair.geom_a, pair.geom_b) = (a, b);
                waiting.pairs.push(pair);
            }
        }
        for (a, b) in child.exclusions {
            self.world.exclusions.extend(places.bodies[a].zip(places.bodies[b]));
        }
    }

    /// Attached tendons follow those of this document.
    pub fn take_attached_tendons(&mut self) {
        let waiting = &mut self.attached;
        let base = self.world.tendons.len();
        let places = Places::shifted(&self.world, base, waiting.tendons.len(), 0, waiting.actuators.len());
        waiting.renumber(&places);
        self.world.tendons.append(&mut waiting.tendons);
        self.world.pairs.append(&mut waiting.pairs);
        self.world.equalities.append(&mut waiting.equalities);
    }

    /// Attached actuators follow those of this document.
    pub fn take_attached_actuators(&mut self) {
        let waiting = &mut self.attached;
        let (base, tendons) = (self.world.actuators.len(), self.world.tendons.len());
        let places = Places::shifted(&self.world, 0, tendons, base, waiting.actuators.len());
        for sensor in &mut waiting.sensors {
            sensor.kind = places.sensor(sensor.kind).unwrap_or(sensor.kind);
        }
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
        let places = Places {
            bodies: same(self.world.bodies.len()),
            geoms: some(geoms),
            sites: some(sites),
            cameras: same(self.world.visual.cameras.len()),
            tendons: same(self.attached.tendons.len()),
            actuators: same(self.attached.actuators.len()),
        };
        let waiting = &mut self.attached;
        waiting.tendons.retain_mut(|tendon| places.tendon(tendon).is_some());
        waiting.renumber(&places);
        for pair in &mut waiting.pairs {
            (pair.geom_a, pair.geom_b) = (geoms[pair.geom_a], geoms[pair.geom_b]);
        }
    }
}

impl Attached {
    /// Gives new numbers to what actuators, sensors and couplings refer to.
    fn renumber(&mut self, places: &Places) {
        for actuator in &mut self.actuators {
            actuator.transmission =
                places.transmission(actuator.transmission).unwrap_or(actuator.transmission);
        }
        for sensor in &mut self.sensors {
            sensor.kind = places.sensor(sensor.kind).unwrap_or(sensor.kind);
        }
        for equality in &mut self.equalities {
            equality.kind = places.equality(equality.kind).unwrap_or(equality.kind);
        }
    }
}

impl Places {
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
        }
    }

    fn joint(&self, (body, joint): (usize, usize)) -> Option<(usize, usize)> {
        Some((self.bodies[body]?, joint))
    }

    fn tendon(&self, tendon: &mut Tendon) -> Option<()> {
        match &mut tendon.path {
            TendonPath::Fixed { terms } => {
                for (joint, _) in terms {
                    *joint = self.joint(*joint)?;
                }
            }
            TendonPath::Spatial { stages } => {
                for stage in stages {
                    match stage {
                        PathStage::Site { site } => *site = self.sites[*site]?,
                        PathStage::Wrap { geom, side } => {
                            *geom = self.geoms[*geom]?;
                            if let Some(side) = side {
                                *side = self.sites[*side]?;
                            }
                        }
                        PathStage::Pulley { .. } => {}
                    }
                }
            }
        }
        Some(())
    }

    fn transmission(&self, transmission: Transmission) -> Option<Transmission> {
        use Transmission as T;
        Some(match transmission {
            T::Joint { body, joint, gear } => T::Joint { body: self.bodies[body]?, joint, gear },
            T::JointInParent { body, joint, gear } => {
                T::JointInParent { body: self.bodies[body]?, joint, gear }
            }
            T::Tendon { tendon, gear } => T::Tendon { tendon: self.tendons[tendon]?, gear },
            T::Site { site, reference, gear } => {
                let reference = match reference {
                    Some(r) => Some(self.sites[r]?),
                    None => None,
                };
                T::Site { site: self.sites[site]?, reference, gear }
            }
            T::SliderCrank { slider, crank, rod, gear } => {
                T::SliderCrank { slider: self.sites[slider]?, crank: self.sites[crank]?, rod, gear }
            }
            T::Body { body, gear } => T::Body { body: self.bodies[body]?, gear },
        })
    }

    fn frame(&self, frame: FrameOf) -> Option<FrameOf> {
        Some(match frame {
            FrameOf::Body(b) => FrameOf::Body(self.bodies[b]?),
            FrameOf::Inertial(b) => FrameOf::Inertial(self.bodies[b]?),
            FrameOf::Geom(g) => FrameOf::Geom(self.geoms[g]?),
            FrameOf::Site(s) => FrameOf::Site(self.sites[s]?),
            FrameOf::Camera(c) => FrameOf::Camera(self.cameras[c]?),
        })
    }

    fn sensor(&self, mut kind: SensorKind) -> Option<SensorKind> {
        use SensorKind as K;
        match &mut kind {
            K::Touch { site }
            | K::Accelerometer { site }
            | K::Velocimeter { site }
            | K::Gyro { site }
            | K::Force { site }
            | K::Torque { site }
            | K::Magnetometer { site }
            | K::Rangefinder { site } => *site = self.sites[*site]?,
            K::JointPosition { joint }
            | K::JointVelocity { joint }
            | K::JointActuatorForce { joint }
            | K::JointLimitPosition { joint }
            | K::JointLimitVelocity { joint }
            | K::JointLimitForce { joint }
            | K::BallOrientation { joint }
            | K::BallVelocity { joint } => *joint = self.joint(*joint)?,
            K::TendonPosition { tendon }
            | K::TendonVelocity { tendon }
            | K::TendonActuatorForce { tendon }
            | K::TendonLimitPosition { tendon }
            | K::TendonLimitVelocity { tendon }
            | K::TendonLimitForce { tendon } => *tendon = self.tendons[*tendon]?,
            K::ActuatorPosition { actuator }
            | K::ActuatorVelocity { actuator }
            | K::ActuatorForce { actuator } => *actuator = self.actuators[*actuator]?,
            K::FramePosition { frame, reference }
            | K::FrameOrientation { frame, reference }
            | K::FrameAxis { frame, reference, .. }
            | K::FrameLinearVelocity { frame, reference }
            | K::FrameAngularVelocity { frame, reference } => {
                *frame = self.frame(*frame)?;
                if let Some(reference) = reference {
                    *reference = self.frame(*reference)?;
                }
            }
            K::FrameLinearAcceleration { frame } | K::FrameAngularAcceleration { frame } => {
                *frame = self.frame(*frame)?;
            }
            K::SubtreeCenterOfMass { body }
            | K::SubtreeVelocity { body }
            | K::SubtreeAngularMomentum { body } => {
                *body = self.bodies[*body]?;
            }
            K::InsideSite { frame, site } => (*frame, *site) = (self.frame(*frame)?, self.sites[*site]?),
            K::Distance { first, second }
            | K::DistanceDirection { first, second }
            | K::DistancePoints { first, second } => {
                for side in [first, second] {
                    *side = match *side {
                        GeomsOf::Geom(g) => GeomsOf::Geom(self.geoms[g]?),
                        GeomsOf::Body(b) => GeomsOf::Body(self.bodies[b]?),
                    };
                }
            }
            K::Contact { contact } => {
                for side in [&mut contact.first, &mut contact.second] {
                    *side = match *side {
                        ContactsOf::Any => ContactsOf::Any,
                        ContactsOf::Geom(g) => ContactsOf::Geom(self.geoms[g]?),
                        ContactsOf::Body(b) => ContactsOf::Body(self.bodies[b]?),
                        ContactsOf::Subtree(b) => ContactsOf::Subtree(self.bodies[b]?),
                        ContactsOf::Site(s) => ContactsOf::Site(self.sites[s]?),
                    };
                }
            }
            K::CameraProjection { site, camera } => {
                (*site, *camera) = (self.sites[*site]?, self.cameras[*camera]?);
            }
            K::User { .. } => {}
            // Of the whole world there is one only.
            K::PotentialEnergy | K::KineticEnergy | K::Clock => return None,
        }
        Some(kind)
    }

    fn equality(&self, mut kind: EqualityKind) -> Option<EqualityKind> {
        match &mut kind {
            EqualityKind::Joint { first, second, .. } => {
                *first = self.joint(*first)?;
                if let Some(second) = second {
                    *second = self.joint(*second)?;
                }
            }
            EqualityKind::Tendon { first, second, .. } => {
                *first = self.tendons[*first]?;
                if let Some(second) = second {
                    *second = self.tendons[*second]?;
                }
            }
            EqualityKind::Connect { body_a, body_b, .. }
            | EqualityKind::Weld { body_a, body_b, .. }
            | EqualityKind::Distance { body_a, body_b, .. } => {
                (*body_a, *body_b) = (self.bodies[*body_a]?, self.bodies[*body_b]?);
            }
        }
        Some(kind)
    }
}
