//! A compiled model: immutable, cheap to clone and to share between threads.
//!
//! | file | |
//! |---|---|
//! | `geoms.rs` | shapes and collision filters |
//! | `geom_id.rs` | the two numberings of geoms |
//! | `convex_parts.rs` | meshes cut into convex parts |
//! | `solids.rs` | tetrahedra and surfaces for patches |
//! | `mesh_cache.rs` | meshes on disk |
//! | `material.rs` | contact properties of a pair |
//! | `reference_lengths.rs` | lengths and forces at the reference positions |
//! | `lookup.rs` | indices by name |
//! | `names.rs` | suggestions for misspelt names |
//! | `dynamics.rs` | mass matrix, dynamics and energy at a state |
//! | `variation.rs` | variants of a model |
//! | `randomization.rs` | random variants |
//! | `scenes.rs` | the built-in scenes |
//! | `archive.rs` | models as bytes |

mod archive;
mod convex_parts;
mod dynamics;
pub(crate) mod geom_id;
pub(crate) mod geoms;
mod lookup;
pub mod material;
mod mesh_cache;
pub mod names;
pub mod randomization;
pub(crate) mod reference_lengths;
pub mod scenes;
pub(crate) mod solids;
pub mod variation;

pub use stiction_model::{
    Actuator, Body, Bushing, Camera, CollisionFilter, Compliance, ContactCalibration, ContactChoice,
    ContactCone, ContactField, ContactFields, ContactPair, ContactProperties, ContactReading, ContactsOf,
    ConvexParts, Dissipation, Dof, Dynamics, Equality, EqualityKind, FrameOf, FrictionCalibration,
    FrictionRule, Geom, GeomRole, GeomsOf, HeightField, ImmersedEllipsoid, Inertia, Joint, JointKind,
    Keyframe, Light, Material, Medium, Mesh, ModelError, Muscle, Options, PathStage, Pose, Sensor,
    SensorKind, Shape, Site, SizeLimits, SoftForce, Softness, Source, Tendon, TendonPath, Tetrahedra,
    Transmission, Vec3, Visual, Warning, World,
};

use crate::error::{InputError, LoadError};
use crate::forces::actuators::Drives;
use crate::forces::joint_limits::Limits;
use crate::forces::medium::ImmersedBodies;
use crate::forces::moments::Moments;
use crate::forces::tendons::Tendons;
use crate::model::convex_parts::cut_meshes;
pub use crate::model::geom_id::{CollidingGeomId, GeomId};
use crate::model::geom_id::{CollidingGeoms, GeomPair};
use crate::model::geoms::{compile_geoms, vary_geoms};
use crate::model::material::{GeomMaterial, PairOverride};
use crate::model::names::unknown_name;
use crate::model::variation::Variation;
use crate::sensing::sensors::Sensors;
use crate::state::{MocapState, State};
use std::sync::Arc;
use stiction_base::hash::fnv1a;
use stiction_formats::{Format, LoadOptions};
use stiction_geometry::GeomSet;
use stiction_geometry::patch::ContactSolid;
use stiction_geometry::solid::Solid;
use stiction_multibody::Multibody;

/// A compiled model. Cloning shares it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Compiled>,
}

pub(crate) struct Compiled {
    pub world: World,
    pub multibody: Arc<Multibody>,
    pub geoms: Arc<GeomSet>,
    /// Indices in the world of the geoms of `geoms`, which contains only the colliding geoms.
    pub colliding: CollidingGeoms,
    /// Material of each geom of `geoms`.
    pub materials: Vec<GeomMaterial>,
    /// Pairs of geoms of `geoms` with their own material, sorted.
    pub pair_materials: Vec<(GeomPair, PairOverride)>,
    /// Patch-contact geometry of each geom of `geoms`. Empty if no geom is compliant.
    pub solids: Vec<ContactSolid>,
    /// The body whose joints carry each body: itself, or the body to which it is welded; 0 for the world.
    pub carrier: Vec<usize>,
    /// For each body, the index of its mocap body or mocap ancestor in the state's list.
    pub base_mocap: Vec<Option<usize>>,
    pub tendons: Tendons,
    pub sensors: Arc<Sensors>,
    pub drives: Drives,
    pub limits: Limits,
    pub dry_friction: Vec<(usize, f64)>,
    pub immersed: ImmersedBodies,
    pub warnings: Vec<Warning>,
    pub fingerprint: u64,
    /// The fingerprint of the base model. Equal to its own fingerprint if it is not a variant.
    pub family: u64,
}

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Kinetic energy, including rotors and armature.
    pub kinetic: f64,
    /// Potential energy of gravity (zero at the world's origin) and of the springs of joints, tendons and bushings.
    pub potential: f64,
}

impl Energy {
    /// Their sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Model {
    /// Compiles a description.
    pub fn new(mut world: World) -> Result<Self, LoadError> {
        if stiction_base::mutation::is("gravity-double") {
            world.options.gravity *= 2.0;
        }
        world.validate()?;
        cut_meshes(&mut world)?;
        let bytes = postcard::to_allocvec(&world).expect("a description is plain data and always serialises");
        let fingerprint = fnv1a(&bytes);
        Self::compile(world, None, Identity { fingerprint, family: fingerprint })
    }

    /// A variant with a non-empty `variation`; see [`Model::varied`].
    pub(crate) fn vary(&self, variation: &Variation) -> Result<Self, LoadError> {
        let (mut world, mut warnings) = (self.world().clone(), Vec::new());
        variation.apply(&mut world, &mut warnings).map_err(LoadError::Variation)?;
        let mut bytes = self.fingerprint().to_le_bytes().to_vec();
        bytes.extend(postcard::to_allocvec(variation).expect("a variation is plain numbers"));
        let identity = Identity { fingerprint: fnv1a(&bytes), family: self.family() };
        let mut model = Self::compile(world, Some(&self.inner), identity)?;
        if let Some(compiled) = Arc::get_mut(&mut model.inner) {
            compiled.warnings.extend(warnings);
        }
        Ok(model)
    }

    /// Compiles a checked description. Parts that are unchanged from its base model `base` are shared.
    pub(crate) fn compile(
        world: World,
        base: Option<&Compiled>,
        identity: Identity,
    ) -> Result<Self, LoadError> {
        if base.is_none() {
            world.check_size()?;
        }
        let same_trees = |b: &&Compiled| {
            b.world.options.gravity == world.options.gravity && b.world.bodies == world.bodies
        };
        let multibody = match base.filter(same_trees) {
            Some(base) => base.multibody.clone(),
            None => Arc::new(Multibody::new(&world)?),
        };
        let carrier = carriers(&world);
        let mut warnings = world.warnings.clone();
        if let Err(error) = multibody.check_inertia() {
            let source = Source { element: world.name.clone(), ..Source::default() };
            let message = format!(
                "it has no accelerations, and no steps unless joint damping or springs resist: {error}"
            );
            warnings.push(Warning { source, message });
        }
        let shapes = match base {
            Some(base) => vary_geoms(&world, base)?,
            None => compile_geoms(&world, &carrier, &mut warnings)?,
        };
        let mut base_mocap = vec![None; world.bodies.len()];
        for (b, body) in world.bodies.iter().enumerate().skip(1) {
            let own = multibody.mocap_bodies().iter().position(|&m| m == b);
            base_mocap[b] = own.or(base_mocap[body.parent.unwrap_or(0)]);
        }
        let tendons = Tendons::new(&world, &multibody);
        let drives = Drives::new(&world, &multibody, &Moments::new(&tendons.pattern))?;
        warn_of_shared_limits(&world, &mut warnings);
        let limits = Limits::new(&multibody);
        let dofs = multibody.dofs().iter().enumerate();
        let dry_friction = dofs.filter(|(_, d)| d.friction > 0.0).map(|(v, d)| (v, d.friction)).collect();
        let immersed = ImmersedBodies::new(&world);
        let mut compiled = Compiled {
            fingerprint: identity.fingerprint,
            family: identity.family,
            geoms: shapes.geoms,
            colliding: shapes.colliding,
            materials: shapes.materials,
            pair_materials: shapes.pair_materials,
            solids: shapes.solids,
            world,
            multibody,
            carrier,
            base_mocap,
            tendons,
            sensors: shapes.sensors,
            drives,
            limits,
            dry_friction,
            immersed,
            // The warnings of the base model also apply to a variant.
            warnings: base.map_or(warnings, |base| base.warnings.clone()),
        };
        let mut state = compiled.default_state();
        compiled.measure(&mut state)?;
        let model = Self { inner: Arc::new(compiled) };
        model.check_negative_moments()?;
        Ok(model)
    }

    /// A negative principal moment is allowed as long as the mass matrix is positive definite.
    fn check_negative_moments(&self) -> Result<(), LoadError> {
        let bodies = &self.world().bodies;
        let Some((body, least)) = bodies.iter().find_map(|b| Some((b, b.inertia.negative_moment()?))) else {
            return Ok(());
        };
        let definite = self.mass_matrix(self.default_q()).is_ok_and(|m| m.cholesky().is_some());
        if definite {
            return Ok(());
        }
        let mut place = body.source.clone();
        if place.element.is_empty() {
            place.element = format!("body \"{}\"", body.name);
        }
        let what = format!(
            "its rotational inertia has a negative principal moment ({least:.6e} kg m²), and the mass matrix is not positive \
             definite; correct the inertia"
        );
        Err(LoadError::Model(ModelError { place, what }))
    }

    /// Reads and compiles a model file (MJCF `.xml`, `.urdf`).
    #[cfg(feature = "fs")]
    pub fn from_file(path: &std::path::Path, options: &LoadOptions) -> Result<Self, LoadError> {
        if !path.exists()
            && let Some(name) = path.to_str()
            && !name.contains(['/', '\\', '.'])
        {
            let known: Vec<&str> = scenes::all().iter().map(|s| s.name).collect();
            return Err(LoadError::UnknownScene { name: name.into(), known: known.join(", ") });
        }
        Self::new_strict(stiction_formats::load(path, options)?, options.strict)
    }

    /// Reads and compiles a model from text.
    pub fn from_string(text: &str, format: Format, options: &LoadOptions) -> Result<Self, LoadError> {
        Self::new_strict(stiction_formats::load_string(text, format, options)?, options.strict)
    }

    /// Compiles a description; if `strict`, the first unsupported feature is an error.
    fn new_strict(mut world: World, strict: bool) -> Result<Self, LoadError> {
        cut_meshes(&mut world)?; // its report is no complaint
        let read = world.warnings.len();
        let model = Self::new(world)?;
        match model.warnings().get(read) {
            Some(warning) if strict => Err(LoadError::Strict(warning.clone())),
            _ => Ok(model),
        }
    }

    /// Compiles a built-in scene.
    pub fn from_scene(name: &str) -> Result<Self, LoadError> {
        let Some(text) = scenes::text(name) else {
            let known: Vec<&str> = scenes::all().iter().map(|s| s.name).collect();
            return Err(LoadError::UnknownScene { name: name.into(), known: known.join(", ") });
        };
        Self::from_string(text, Format::Mjcf, &LoadOptions::default())
    }

    pub(crate) fn compiled(&self) -> &Compiled {
        &self.inner
    }

    /// The description it was compiled from.
    pub fn world(&self) -> &World {
        &self.inner.world
    }

    /// The trees of bodies, for direct use of the multibody algorithms.
    pub fn multibody(&self) -> &Multibody {
        &self.inner.multibody
    }

    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        self.inner.multibody.nq()
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        self.inner.multibody.nv()
    }

    /// Number of controls.
    pub fn nu(&self) -> usize {
        self.inner.drives.drives.len()
    }

    /// Number of activations.
    pub fn na(&self) -> usize {
        self.inner.world.na()
    }

    /// Mass of all bodies, kg.
    pub fn total_mass(&self) -> f64 {
        self.inner.multibody.total_mass()
    }

    /// The geom of the world that a saved contact spring calls `geom`.
    pub fn geom_id(&self, geom: CollidingGeomId) -> GeomId {
        self.inner.colliding.in_world(geom)
    }

    /// Tetrahedra and pressure field of a compliant geom, in the geom's frame. `None` for other geoms and for
    /// compliant half-spaces.
    pub fn solid(&self, geom: GeomId) -> Option<&Solid> {
        let colliding = self.inner.colliding.find(geom)?;
        match self.inner.solids.get(colliding.index())? {
            ContactSolid::Compliant(solid) => Some(solid),
            _ => None,
        }
    }

    /// Warnings about unsupported features.
    pub fn warnings(&self) -> &[Warning] {
        &self.inner.warnings
    }

    /// A number that changes whenever the description does.
    pub fn fingerprint(&self) -> u64 {
        self.inner.fingerprint
    }

    /// A number shared by a model and its variants ([`Model::varied`]). Their states are interchangeable.
    pub fn family(&self) -> u64 {
        self.inner.family
    }

    /// Positions at which every body has the pose of the description.
    pub fn default_q(&self) -> &[f64] {
        self.inner.multibody.default_q()
    }

    /// The default positions at rest at time 0, controls and activations at zero.
    pub fn default_state(&self) -> State {
        self.inner.default_state()
    }

    /// The state of a keyframe, by name or index.
    pub fn keyframe_state(&self, name: &str) -> Result<State, InputError> {
        let keys = &self.inner.world.keyframes;
        let by_name = keys.iter().find(|k| k.name == name);
        let Some(key) = by_name.or_else(|| name.parse::<usize>().ok().and_then(|i| keys.get(i))) else {
            return Err(unknown_name("keyframe", name, keys.iter().map(|k| k.name.as_str())));
        };
        let mut state = self.default_state();
        state.time = key.time;
        for (values, target) in [
            (&key.qpos, &mut state.q),
            (&key.qvel, &mut state.v),
            (&key.ctrl, &mut state.ctrl),
            (&key.activation, &mut state.activation),
        ] {
            if !values.is_empty() {
                target.clone_from(values);
            }
        }
        for (mocap, pose) in state.mocap.iter_mut().zip(&key.mocap) {
            mocap.pose = *pose;
        }
        Ok(state)
    }

    /// Checks that a state matches this model and is finite.
    pub fn check_state(&self, state: &State) -> Result<(), InputError> {
        check("qpos", &state.q, self.nq())?;
        check("qvel", &state.v, self.nv())?;
        check("ctrl", &state.ctrl, self.nu())?;
        check("activation", &state.activation, self.na())?;
        check("applied force", &state.applied, self.nv())?;
        check("time", &[state.time], 1)?;
        let (given, needed) = (state.mocap.len(), self.inner.multibody.mocap_bodies().len());
        if given != needed {
            return Err(InputError::Length { what: "mocap", given, needed });
        }
        Ok(())
    }

    /// Total number of sensor readings.
    pub fn sensor_count(&self) -> usize {
        self.inner.sensors.len()
    }

    /// Range of sensor `sensor` in the readings.
    pub fn sensor_range(&self, sensor: usize) -> std::ops::Range<usize> {
        self.inner.sensors.starts[sensor]..self.inner.sensors.starts[sensor + 1]
    }

    /// The name of the joint of a velocity coordinate.
    pub fn joint_of(&self, dof: usize) -> String {
        let joints = self.multibody().joints();
        joints.iter().find(|j| j.v.contains(&dof)).map_or(String::new(), |j| j.name.clone())
    }
}

/// Fingerprint that identifies a model.
#[derive(Clone, Copy)]
pub(crate) struct Identity {
    pub fingerprint: u64,
    pub family: u64,
}

impl Compiled {
    /// A colliding geom with its shape and body.
    pub fn geom(&self, geom: CollidingGeomId) -> &stiction_geometry::Geom {
        &self.geoms.geoms()[geom.index()]
    }

    /// The description of a colliding geom.
    pub fn described(&self, geom: CollidingGeomId) -> &Geom {
        &self.world.geoms[self.colliding.in_world(geom).0]
    }

    /// Patch-contact geometry of a colliding geom.
    pub fn solid(&self, geom: CollidingGeomId) -> &ContactSolid {
        &self.solids[geom.index()]
    }

    /// Material of a colliding geom.
    pub fn material(&self, geom: CollidingGeomId) -> &GeomMaterial {
        &self.materials[geom.index()]
    }

    fn default_state(&self) -> State {
        let mocap = self.multibody.mocap_bodies().iter();
        let pose = |&b: &usize| MocapState { pose: self.world.bodies[b].pose, twist: [0.0; 6] };
        let nv = self.multibody.nv();
        State {
            q: self.multibody.default_q().to_vec(),
            v: vec![0.0; nv],
            ctrl: vec![0.0; self.world.nu()],
            activation: vec![0.0; self.world.na()],
            applied: vec![0.0; nv],
            mocap: mocap.map(pose).collect(),
            ..State::empty(0.0)
        }
    }
}

/// A limit on the sum of several actuators' forces is applied to each of them.
fn warn_of_shared_limits(world: &World, warnings: &mut Vec<Warning>) {
    let target = |actuator: &Actuator| match actuator.transmission {
        Transmission::Joint { body, joint, gear } | Transmission::JointInParent { body, joint, gear } => {
            let limited = world.bodies[body].joints[joint].dofs[0].effort_limit.is_finite();
            (limited && gear[0] != 0.0).then_some((body, joint))
        }
        Transmission::Tendon { tendon, .. } => {
            world.tendons[tendon].actuator_force_range.map(|_| (usize::MAX, tendon))
        }
        _ => None,
    };
    let mut seen = std::collections::BTreeSet::new();
    let shared = world.actuators.iter().find(|a| target(a).is_some_and(|t| !seen.insert(t)));
    if let Some(actuator) = shared {
        let message = "several actuators drive one joint or tendon whose actuation force is limited: each of them is held \
                       to the limit, not their sum; merge them, or give each a forcerange"
            .into();
        warnings.push(Warning { source: actuator.source.clone(), message });
    }
}

pub(crate) fn check(what: &'static str, values: &[f64], needed: usize) -> Result<(), InputError> {
    if values.len() != needed {
        return Err(InputError::Length { what, given: values.len(), needed });
    }
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(InputError::NotFinite { what, index, value: values[index] }),
    }
}

/// For each body, the body whose joints carry it.
fn carriers(world: &World) -> Vec<usize> {
    let mut carrier = vec![0; world.bodies.len()];
    for (b, body) in world.bodies.iter().enumerate().skip(1) {
        let welded = body.joints.is_empty() && !body.mocap;
        carrier[b] = if welded { carrier[body.parent.unwrap_or(0)] } else { b };
    }
    carrier
}
