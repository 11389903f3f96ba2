//! Worlds composed of models and meshes of any format: robots, tools, objects, a ground.
//!
//! Each model is read on its own and then added with a pose, a prefix for its names, and what its base does: it stays as its
//! file says, is fixed, or is free. `keyframes.rs` carries named states along, `object.rs` makes bodies of meshes;
//! `compose.rs` renumbers.

mod keyframes;
mod object;

pub use object::MeshObject;

use crate::compose;
use crate::error::{FormatError, Read};
use crate::files::{Files, extension};
use crate::names::Names;
use crate::reference;
use crate::{LoadOptions, load_with};
use keyframes::Part;
use std::collections::BTreeMap;
use stiction_base::nearest::nearest;
use stiction_model::{Body, Geom, Index, Indices, Joint, JointKind, Pose, Shape, Source, Warning, World};

/// What holds a model that is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// What its file says; free roots of a model that is added to a body are fixed to the body.
    #[default]
    AsGiven,
    /// Its free roots are fixed where they are placed.
    Fixed,
    /// Its fixed roots become free.
    Free,
}

/// Where a model goes, and what it is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placement {
    /// Put before every name of the model, with a slash: "left" makes "left/elbow" of "elbow". Empty for none.
    pub name: String,
    /// Pose of the model's origin, or of `frame`, in `to`.
    pub pose: Pose,
    /// The body or site that the pose refers to and, unless the base is free, that carries the model; empty for the world.
    pub to: String,
    /// The body or site of the model that is placed, by its name in the file; empty for the model's origin.
    pub frame: String,
    /// What holds the model.
    pub base: Base,
}

/// A world that models and meshes are added to.
///
/// ```
/// use stiction_formats::{Composition, Format, LoadOptions, Placement, load_string};
///
/// let arm = load_string(
///     "<mujoco><worldbody><body name='arm'><joint name='elbow'/><geom size='0.1'/><site name='hand' pos='1 0 0'/></body>\
///      </worldbody></mujoco>",
///     Format::Mjcf,
///     &LoadOptions::default(),
/// )?;
/// let cup = load_string(
///     "<robot name='cup'><link name='cup'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>\
///      </robot>",
///     Format::Urdf,
///     &LoadOptions::default(),
/// )?;
/// let mut composition = Composition::new("scene");
/// composition.ground(0.0, None)?;
/// composition.add(arm.clone(), "arm.xml", &Placement { name: "left".into(), ..Placement::default() })?;
/// composition.add(arm, "arm.xml", &Placement { name: "right".into(), ..Placement::default() })?;
/// composition.add(cup, "cup.urdf", &Placement { to: "right/hand".into(), ..Placement::default() })?;
/// let world = composition.build()?;
/// assert!(world.body_index("left/arm").is_some() && world.nq() == 2);
/// # Ok::<(), stiction_formats::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Composition {
    world: World,
    /// Names by kind, and what brought each.
    names: BTreeMap<(&'static str, String), String>,
    parts: Vec<Part>,
    /// Whose options the world has.
    options_of: Option<String>,
}

impl Composition {
    /// A world with nothing in it.
    pub fn new(name: impl Into<String>) -> Self {
        Self { world: World::new(name), names: BTreeMap::new(), parts: Vec::new(), options_of: None }
    }

    /// The world composed so far; named states, and the order of bodies, come with [`Composition::build`].
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Adds a model file, or a mesh file as a free body with the density of water. A solid whose field is a pressure is compliant.
    pub fn add_file(
        &mut self,
        path: &str,
        files: &dyn Files,
        options: &LoadOptions,
        placement: &Placement,
    ) -> Read<()> {
        if is_mesh(path) {
            return self.add_mesh(path, files, &MeshObject::default(), placement);
        }
        self.add(load_with(path, files, options)?, path, placement)
    }

    /// Adds a mesh file as one body.
    pub fn add_mesh(
        &mut self,
        path: &str,
        files: &dyn Files,
        object: &MeshObject,
        placement: &Placement,
    ) -> Read<()> {
        let world = object.world(path, files, &placement.name)?;
        self.place(world, path, &Placement { name: String::new(), ..placement.clone() })
    }

    /// Adds a model; `label` names it in messages.
    ///
    /// The gravity, the rule by which friction coefficients combine and such are those of the first model; a warning names
    /// what differs in later ones. The step is the shortest that a model asks for.
    pub fn add(&mut self, model: World, label: &str, placement: &Placement) -> Read<()> {
        let mut options = self.world.options.clone();
        let mut differing = None;
        match &self.options_of {
            None => options = model.options.clone(),
            Some(first) => {
                let shorter = |a: f64| model.options.step.map_or(a, |b| a.min(b));
                options.step = options.step.map(shorter).or(model.options.step);
                differing = self.differing(&model, label, first);
            }
        }
        self.place(model, label, placement)?;
        self.world.options = options;
        self.options_of.get_or_insert_with(|| label.into());
        self.world.warnings.extend(differing);
        Ok(())
    }

    /// Adds a ground: a half-space below this height, m, called "ground".
    pub fn ground(&mut self, height: f64, friction: Option<f64>) -> Read<()> {
        let fail = |reason: String| Err(FormatError::File { path: "the ground".into(), reason });
        if !height.is_finite() {
            return fail(format!("its height is {height} m: give a finite number"));
        }
        if let Some(mu) = friction.filter(|mu| !(*mu >= 0.0 && mu.is_finite())) {
            return fail(format!("its friction is {mu}: give a finite number, 0 or more"));
        }
        let mut geom = Geom::new("ground", 0, Shape::HalfSpace { size: [0.0; 2] });
        geom.pose = Pose::translation(0.0, 0.0, height);
        (geom.contact.static_friction, geom.contact.dynamic_friction) = (friction, friction);
        geom.color = [0.55, 0.58, 0.6, 1.0];
        geom.source = Source { element: "ground".into(), ..Source::default() };
        self.claim([("geom", "ground".to_string())], "the ground", "a world has one ground")?;
        self.world.geoms.push(geom);
        Ok(())
    }

    /// The world, checked.
    pub fn build(mut self) -> Read<World> {
        compose::sort(&mut self.world);
        self.world.keyframes = keyframes::complete(&self.world, &self.parts);
        self.world.validate()?;
        Ok(self.world)
    }

    /// A warning about options of a later model that are not those of the first.
    fn differing(&self, model: &World, label: &str, first: &str) -> Option<Warning> {
        let (ours, theirs) = (&self.world.options, &model.options);
        let list = [
            ("gravity", ours.gravity != theirs.gravity),
            ("the rule by which friction coefficients combine", ours.friction_rule != theirs.friction_rule),
            (
                "whether bodies joined to each other collide",
                ours.parent_child_collide != theirs.parent_child_collide,
            ),
            ("the law of contact", ours.contact_law != theirs.contact_law),
            ("the magnetic field", ours.magnetic_field != theirs.magnetic_field),
        ];
        let differ: Vec<&str> =
            list.into_iter().filter_map(|(what, differs)| differs.then_some(what)).collect();
        if differ.is_empty() {
            return None;
        }
        let message = format!(
            "as in {first}, which was added first, and not as in this model: {}; add the model first whose options are wanted",
            differ.join(", ")
        );
        Some(Warning { source: Source { file: label.into(), ..Source::default() }, message })
    }

    fn place(&mut self, mut model: World, label: &str, placement: &Placement) -> Read<()> {
        let fail = |reason: String| FormatError::File { path: label.into(), reason };
        let (target, x_pt) = frame(&self.world, &placement.to, "the world so far").map_err(fail)?;
        let (framed, x_framed) = frame(&model, &placement.frame, "the model").map_err(fail)?;
        let starts = reference::poses(&model);
        // Of the model's origin in the body that carries it, and in the world.
        let x = x_pt * placement.pose * (starts[framed] * x_framed).inverse();
        let x_w = reference::pose(&self.world, target) * x;
        if !x.translation.vector.iter().chain(x.rotation.coords.iter()).all(|c| c.is_finite()) {
            return Err(fail("its pose must be made of finite numbers".into()));
        }
        let fixed = placement.base == Base::Fixed || (placement.base == Base::AsGiven && target != 0);
        // A free tree that is held by a body other than its root is turned round once it is added.
        let held = (fixed && framed != 0).then(|| compose::fixed_to(&model, (framed, Pose::identity())).0);
        let turned =
            held.filter(|&b| is_free(&model.bodies[root_of(&model, b)]) && !is_free(&model.bodies[b]));
        match placement.base {
            _ if fixed => {
                let except = turned.map(|b| root_of(&model, b));
                fix_roots(&mut model, except).map_err(fail)?;
            }
            Base::Free => free_roots(&mut model).map_err(fail)?,
            _ => {}
        }
        let prefix = if placement.name.is_empty() { String::new() } else { format!("{}/", placement.name) };
        let remedy = "give this one a name that goes before its names";
        self.claim(names(&model).map(|(kind, name)| (kind, format!("{prefix}{name}"))), label, remedy)?;
        self.parts.extend(keyframes::parts(&model, &prefix, &x_w, &self.world));
        let holder = self.holder(&mut model, placement, target, &x);
        let first = self.world.bodies.len();
        compose::append(&mut self.world, model, &prefix, holder.unwrap_or(0));
        for b in first..self.world.bodies.len() {
            let body = &mut self.world.bodies[b];
            if body.parent != Some(holder.unwrap_or(0)) {
                continue;
            }
            let of_world = body.mocap || is_free(body);
            match (of_world, holder) {
                (true, _) => (body.parent, body.pose) = (Some(0), x_w * body.pose),
                (false, Some(_)) => {}
                (false, None) => (body.parent, body.pose) = (Some(target), x * body.pose),
            }
        }
        if let Some(framed) = turned.map(|_| first + framed - 1) {
            let pose = x_pt * placement.pose * x_framed.inverse();
            compose::weld(&mut self.world, target, framed, pose).map_err(fail)?;
        }
        Ok(())
    }

    /// The body that stands for the world of a model that is not added to the world at its origin: what the model fixes to its
    /// world moves along with it. A model that only has bodies there needs none.
    fn holder(&mut self, model: &mut World, placement: &Placement, target: usize, x: &Pose) -> Option<usize> {
        let mut references = 0usize;
        model.visit_indices(&mut |index| {
            if let Index::Body(0) | Index::Joint(0, _) = index {
                references += 1;
            }
            Some(())
        });
        let roots = model.bodies.iter().filter(|b| b.parent == Some(0)).count();
        if (target == 0 && *x == Pose::identity()) || references == roots {
            return None;
        }
        let wish = if placement.name.is_empty() { &model.name } else { &placement.name };
        let wish = if wish.is_empty() { "base" } else { wish };
        let used = self.world.bodies.iter().chain(&model.bodies).map(|b| b.name.as_str());
        let name = Names::new(used).free(wish);
        self.names.insert(("body", name.clone()), name.clone());
        let body = Body { pose: *x, ..Body::new(name, target) };
        self.world.bodies.push(body);
        Some(self.world.bodies.len() - 1)
    }

    /// Takes names; the error says which is taken already. Nothing is taken then.
    fn claim(
        &mut self,
        names: impl IntoIterator<Item = (&'static str, String)>,
        label: &str,
        remedy: &str,
    ) -> Read<()> {
        let names: Vec<_> = names.into_iter().collect();
        if let Some(((kind, name), before)) = names.iter().find_map(|key| self.names.get_key_value(key)) {
            let reason = format!("there is already a {kind} called \"{name}\", from {before}; {remedy}");
            return Err(FormatError::File { path: label.into(), reason });
        }
        self.names.extend(names.into_iter().map(|key| (key, label.to_string())));
        Ok(())
    }
}

/// Whether a path names a mesh file that can be added as an object.
pub fn is_mesh(path: &str) -> bool {
    matches!(extension(path).as_str(), "stl" | "obj" | "dae" | "gltf" | "glb" | "msh" | "vtk")
}

fn is_free(body: &Body) -> bool {
    body.joints.first().is_some_and(|joint| joint.kind == JointKind::Free)
}

fn root_of(world: &World, mut body: usize) -> usize {
    while let Some(above @ 1..) = world.bodies[body].parent {
        body = above;
    }
    body
}

/// A body or site by name, as a body and a pose in it; the world for an empty name or "world".
fn frame(world: &World, name: &str, of: &str) -> Result<(usize, Pose), String> {
    if name.is_empty() || name == "world" {
        return Ok((0, Pose::identity()));
    }
    if let Some(body) = world.body_index(name) {
        return Ok((body, Pose::identity()));
    }
    if let Some(site) = world.sites.iter().find(|site| site.name == name) {
        return Ok((site.body, site.pose));
    }
    let bodies = world.bodies.iter().map(|b| b.name.as_str());
    let known = bodies.chain(world.sites.iter().map(|s| s.name.as_str()));
    let hint = nearest(name, known).map_or(String::new(), |n| format!(" (did you mean \"{n}\"?)"));
    Err(format!("{of} has no body or site called \"{name}\"{hint}; give the name of one"))
}

/// Removes the joints of free roots, except of the one that is turned round later.
fn fix_roots(model: &mut World, except: Option<usize>) -> Result<(), String> {
    for b in 1..model.bodies.len() {
        if except == Some(b) || !is_free(&model.bodies[b]) {
            continue;
        }
        let mut used = false;
        model.visit_indices(&mut |index| {
            used |= matches!(index, Index::Joint(body, _) if *body == b);
            Some(())
        });
        if used {
            return Err(format!(
                "\"{}\" cannot be fixed: an actuator or sensor acts on its free joint; remove that, or leave it free",
                model.bodies[b].name
            ));
        }
        model.bodies[b].joints.clear();
    }
    Ok(())
}

/// Gives free joints to roots without joints.
fn free_roots(model: &mut World) -> Result<(), String> {
    let mut joints = Names::new(model.bodies.iter().flat_map(|b| &b.joints).map(|j| j.name.as_str()));
    let mut any = false;
    for body in model.bodies.iter_mut().filter(|b| b.parent == Some(0) && !b.mocap) {
        if body.joints.is_empty() {
            let mut joint = Joint::new(joints.free(&format!("{}_free", body.name)), JointKind::Free);
            joint.source = body.source.clone();
            body.joints.push(joint);
        }
        any |= is_free(body);
    }
    if any { Ok(()) } else { Err("none of its bodies can be free: they hang on joints".into()) }
}

/// The names of a model, by kind.
fn names(model: &World) -> impl Iterator<Item = (&'static str, String)> {
    let bodies = model.bodies.iter().skip(1).map(|x| ("body", &x.name));
    let all = bodies
        .chain(model.joints().map(|(_, x)| ("joint", &x.name)))
        .chain(model.geoms.iter().map(|x| ("geom", &x.name)))
        .chain(model.sites.iter().map(|x| ("site", &x.name)))
        .chain(model.tendons.iter().map(|x| ("tendon", &x.name)))
        .chain(model.actuators.iter().map(|x| ("actuator", &x.name)))
        .chain(model.sensors.iter().map(|x| ("sensor", &x.name)))
        .chain(model.equalities.iter().map(|x| ("equality", &x.name)))
        .chain(model.keyframes.iter().map(|x| ("keyframe", &x.name)))
        .chain(model.visual.cameras.iter().map(|x| ("camera", &x.name)));
    all.filter(|(_, name)| !name.is_empty()).map(|(kind, name)| (kind, name.clone()))
}
