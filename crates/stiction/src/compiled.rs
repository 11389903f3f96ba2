//! A compiled model: immutable, cheap to clone and to share between threads.

use crate::actuation::{Drive, LimitedBall, LimitedCoordinate, compile_drives, compile_limits};
use crate::error::{InputError, LoadError};
use crate::material::GeomMaterial;
use crate::scenes;
use crate::shapes::compile_geoms;
use crate::state::{MocapState, State};
use nalgebra::DMatrix;
use std::sync::Arc;
use stiction_formats::{Format, LoadOptions};
use stiction_geometry::GeomSet;
use stiction_geometry::patch::ContactSolid;
use stiction_geometry::solid::Solid;
use stiction_model::{ModelError, Source, Warning, World};
use stiction_multibody::{MassMatrix, Multibody, Workspace};

/// A compiled model. Cloning shares it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Compiled>,
}

pub(crate) struct Compiled {
    pub world: World,
    pub multibody: Multibody,
    pub geoms: Arc<GeomSet>,
    /// World geom of each geom of `geoms`, which holds only those that collide.
    pub colliding: Vec<usize>,
    /// Material of each geom of `geoms`.
    pub materials: Vec<GeomMaterial>,
    /// What each geom of `geoms` is to patch contact; empty if nothing is compliant.
    pub solids: Vec<ContactSolid>,
    /// The body whose joints carry each body: itself, or what it is welded to; 0 for the world.
    pub carrier: Vec<usize>,
    /// For each body the number of the mocap body it is or hangs on, in the state's list.
    pub base_mocap: Vec<Option<usize>>,
    pub drives: Vec<Drive>,
    pub limits: Vec<LimitedCoordinate>,
    pub ball_limits: Vec<LimitedBall>,
    pub dry_friction: Vec<(usize, f64)>,
    pub warnings: Vec<Warning>,
    pub fingerprint: u64,
}

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion, rotors and armature included.
    pub kinetic: f64,
    /// Of gravity (zero at the world's origin) and joint springs.
    pub potential: f64,
}

impl Energy {
    /// Both together.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

impl Model {
    /// Compiles a description.
    pub fn new(world: World) -> Result<Self, LoadError> {
        world.validate()?;
        let multibody = Multibody::new(&world)?;
        let carrier = carriers(&world);
        let mut warnings = world.warnings.clone();
        if let Err(error) = multibody.check_inertia() {
            let source = Source { element: world.name.clone(), ..Source::default() };
            let message = format!("it cannot be stepped: {error}");
            warnings.push(Warning { source, message });
        }
        let shapes = compile_geoms(&world, &carrier, &mut warnings)?;
        let mut base_mocap = vec![None; world.bodies.len()];
        for (b, body) in world.bodies.iter().enumerate().skip(1) {
            let own = multibody.mocap_bodies().iter().position(|&m| m == b);
            base_mocap[b] = own.or(base_mocap[body.parent.unwrap_or(0)]);
        }
        let drives = compile_drives(&world, &multibody)?;
        let (limits, ball_limits) = compile_limits(&multibody);
        let dofs = multibody.dofs().iter().enumerate();
        let dry_friction = dofs.filter(|(_, d)| d.friction > 0.0).map(|(v, d)| (v, d.friction)).collect();
        let bytes = postcard::to_allocvec(&world).expect("a description is plain data and always serialises");
        let model = Self {
            inner: Arc::new(Compiled {
                fingerprint: fnv1a(&bytes),
                geoms: shapes.geoms,
                colliding: shapes.colliding,
                materials: shapes.materials,
                solids: shapes.solids,
                world,
                multibody,
                carrier,
                base_mocap,
                drives,
                limits,
                ball_limits,
                dry_friction,
                warnings,
            }),
        };
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

    /// Compiles a description; if `strict`, the first thing that compiling cannot honour is an error.
    fn new_strict(world: World, strict: bool) -> Result<Self, LoadError> {
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

    /// The trees of bodies, for those who want the algorithms themselves.
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
        self.inner.drives.len()
    }

    /// Mass of all bodies, kg.
    pub fn total_mass(&self) -> f64 {
        self.inner.multibody.total_mass()
    }

    /// Tetrahedra and pressure field of a compliant geom (by its index in the world's list), in the geom's frame. Others
    /// have none, nor has a compliant half-space.
    pub fn solid(&self, geom: usize) -> Option<&Solid> {
        let index = self.inner.colliding.iter().position(|&g| g == geom)?;
        match self.inner.solids.get(index)? {
            ContactSolid::Compliant(solid) => Some(solid),
            _ => None,
        }
    }

    /// What could not be honoured.
    pub fn warnings(&self) -> &[Warning] {
        &self.inner.warnings
    }

    /// A number that changes whenever the description does.
    pub fn fingerprint(&self) -> u64 {
        self.inner.fingerprint
    }

    /// Positions at which every body stands as described.
    pub fn default_q(&self) -> &[f64] {
        self.inner.multibody.default_q()
    }

    /// The default positions at rest at time 0, controls at zero.
    pub fn default_state(&self) -> State {
        let bodies = &self.inner.world.bodies;
        let mocap = self.inner.multibody.mocap_bodies().iter();
        State {
            time: 0.0,
            q: self.default_q().to_vec(),
            v: vec![0.0; self.nv()],
            ctrl: vec![0.0; self.nu()],
            applied: vec![0.0; self.nv()],
            mocap: mocap.map(|&b| MocapState { pose: bodies[b].pose, twist: [0.0; 6] }).collect(),
            stretches: Vec::new(),
            springs: Vec::new(),
            next_step: 0.0,
            next_sample: 0,
            controller: Vec::new(),
        }
    }

    /// The state of a keyframe, by name or by number.
    pub fn keyframe_state(&self, name: &str) -> Result<State, InputError> {
        let keys = &self.inner.world.keyframes;
        let by_name = keys.iter().find(|k| k.name == name);
        let Some(key) = by_name.or_else(|| name.parse::<usize>().ok().and_then(|i| keys.get(i))) else {
            let known: Vec<&str> = keys.iter().map(|k| k.name.as_str()).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(InputError::Name { kind: "keyframe", name: name.into(), known });
        };
        let mut state = self.default_state();
        state.time = key.time;
        for (values, target) in
            [(&key.qpos, &mut state.q), (&key.qvel, &mut state.v), (&key.ctrl, &mut state.ctrl)]
        {
            if !values.is_empty() {
                target.clone_from(values);
            }
        }
        Ok(state)
    }

    /// Checks that a state fits this model and is finite.
    pub fn check_state(&self, state: &State) -> Result<(), InputError> {
        check("qpos", &state.q, self.nq())?;
        check("qvel", &state.v, self.nv())?;
        check("ctrl", &state.ctrl, self.nu())?;
        check("applied force", &state.applied, self.nv())?;
        check("time", &[state.time], 1)?;
        let (given, needed) = (state.mocap.len(), self.inner.multibody.mocap_bodies().len());
        if given != needed {
            return Err(InputError::Length { what: "mocap", given, needed });
        }
        Ok(())
    }

    /// Mass matrix at positions `q`, armature and rotor inertia included.
    pub fn mass_matrix(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        let (multibody, mut workspace) = (self.multibody(), Workspace::new(self.multibody()));
        multibody.positions(q, &mut workspace);
        let mut mass = MassMatrix::new(multibody);
        multibody.mass_matrix(&mut workspace, &mut mass);
        Ok(mass.to_dense())
    }

    /// Coriolis, centrifugal and gravity forces, without springs, damping and actuation.
    pub fn bias(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, InputError> {
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().bias(&mut workspace, &mut out);
        Ok(out)
    }

    /// Joint forces that produce the accelerations `a`: M a + bias.
    pub fn inverse_dynamics(&self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Vec<f64>, InputError> {
        check("a", a, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().inverse_dynamics(&mut workspace, a, &mut out);
        Ok(out)
    }

    /// Accelerations under the joint forces `tau`: M⁻¹ (tau − bias).
    pub fn forward_dynamics(&self, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Vec<f64>, InputError> {
        check("tau", tau, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().forward_dynamics(&mut workspace, tau, &mut out);
        match out.iter().position(|x| !x.is_finite()) {
            None => Ok(out),
            Some(dof) => Err(InputError::Singular { dof, joint: self.joint_of(dof) }),
        }
    }

    /// Kinetic and potential energy at a state.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> Result<Energy, InputError> {
        let workspace = self.at(q, v)?;
        let multibody = self.multibody();
        let potential = multibody.potential_energy(&workspace) + multibody.spring_energy(q);
        Ok(Energy { kinetic: multibody.kinetic_energy(&workspace, v), potential })
    }

    /// A workspace at positions `q` and velocities `v`, mocap bodies at their default poses.
    pub fn at(&self, q: &[f64], v: &[f64]) -> Result<Workspace, InputError> {
        check("q", q, self.nq())?;
        check("v", v, self.nv())?;
        let mut workspace = Workspace::new(self.multibody());
        self.multibody().positions(q, &mut workspace);
        self.multibody().velocities(v, &mut workspace);
        Ok(workspace)
    }

    /// The name of the joint that has a velocity coordinate.
    pub fn joint_of(&self, dof: usize) -> String {
        let joints = self.multibody().joints();
        joints.iter().find(|j| j.v.contains(&dof)).map_or(String::new(), |j| j.name.clone())
    }
}

fn check(what: &'static str, values: &[f64], needed: usize) -> Result<(), InputError> {
    if values.len() != needed {
        return Err(InputError::Length { what, given: values.len(), needed });
    }
    match values.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(index) => Err(InputError::NotFinite { what, index, value: values[index] }),
    }
}

/// For each body the one whose joints carry it.
fn carriers(world: &World) -> Vec<usize> {
    let mut carrier = vec![0; world.bodies.len()];
    for (b, body) in world.bodies.iter().enumerate().skip(1) {
        let welded = body.joints.is_empty() && !body.mocap;
        carrier[b] = if welded { carrier[body.parent.unwrap_or(0)] } else { b };
    }
    carrier
}

/// FNV-1a: the same number on every machine and version.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
