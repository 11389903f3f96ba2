//! A compiled model: immutable, cheap to clone and to share between threads.

mod archive;
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
    Actuator, Body, Bushing, Camera, CollisionFilter, Compliance, ContactChoice, ContactField, ContactFields,
    ContactLaw, ContactPair, ContactProperties, ContactReading, ContactsOf, Dissipation, Dof, Dynamics,
    Equality, EqualityKind, FrameOf, FrictionLaw, FrictionRule, Geom, GeomRole, GeomsOf, HeightField,
    Inertia, Joint, JointKind, Keyframe, Light, Material, Mesh, ModelError, Muscle, Options, PathStage, Pose,
    Sensor, SensorKind, Shape, Site, Source, Tendon, TendonPath, Tetrahedra, Transmission, Vec3, Visual,
    Warning, World,
};

use crate::error::{InputError, LoadError};
use crate::forces::actuators::{Drives, LimitedBall, LimitedCoordinate, compile_limits};
use crate::forces::moments::Moments;
use crate::forces::tendons::Tendons;
use crate::model::geoms::{compile_geoms, vary_geoms};
use crate::model::material::{GeomMaterial, PairOverride};
use crate::model::names::unknown_name;
use crate::model::reference_lengths::Gauge;
use crate::model::variation::Variation;
use crate::sensing::readings::add_tendon_wrenches;
use crate::sensing::sensors::{Loads, Sensors};
use crate::state::{MocapState, State};
use nalgebra::DMatrix;
use std::sync::Arc;
use stiction_base::hash::fnv1a;
use stiction_formats::{Format, LoadOptions};
use stiction_geometry::GeomSet;
use stiction_geometry::patch::ContactSolid;
use stiction_geometry::solid::Solid;
use stiction_multibody::{MassMatrix, Multibody, Workspace};

/// A compiled model. Cloning shares it.
#[derive(Clone)]
pub struct Model {
    inner: Arc<Compiled>,
}

pub(crate) struct Compiled {
    pub world: World,
    pub multibody: Arc<Multibody>,
    pub geoms: Arc<GeomSet>,
    /// World geom of each geom of `geoms`, which holds only those that collide.
    pub colliding: Vec<usize>,
    /// Material of each geom of `geoms`.
    pub materials: Vec<GeomMaterial>,
    /// Pairs of geoms of `geoms` with a material of their own, sorted.
    pub pair_materials: Vec<((u32, u32), PairOverride)>,
    /// What each geom of `geoms` is to patch contact; empty if nothing is compliant.
    pub solids: Vec<ContactSolid>,
    /// The body whose joints carry each body: itself, or what it is welded to; 0 for the world.
    pub carrier: Vec<usize>,
    /// For each body the number of the mocap body it is or hangs on, in the state's list.
    pub base_mocap: Vec<Option<usize>>,
    pub tendons: Tendons,
    pub sensors: Arc<Sensors>,
    pub drives: Drives,
    pub limits: Vec<LimitedCoordinate>,
    pub ball_limits: Vec<LimitedBall>,
    pub dry_friction: Vec<(usize, f64)>,
    pub warnings: Vec<Warning>,
    pub fingerprint: u64,
    /// The fingerprint of the model that this is a variant of; its own if it is none.
    pub family: u64,
}

/// Kinetic and potential energy, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// Of motion, rotors and armature included.
    pub kinetic: f64,
    /// Of gravity (zero at the world's origin) and of the springs of joints, tendons and bushings.
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
        let bytes = postcard::to_allocvec(&world).expect("a description is plain data and always serialises");
        let fingerprint = fnv1a(&bytes);
        Self::compile(world, None, Identity { fingerprint, family: fingerprint })
    }

    /// A variant, of which `variation` is not empty; see [`Model::varied`].
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

    /// Compiles a checked description; what is the same in `base`, which it is a variant of, is shared with it.
    pub(crate) fn compile(
        world: World,
        base: Option<&Compiled>,
        identity: Identity,
    ) -> Result<Self, LoadError> {
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
        let (limits, ball_limits) = compile_limits(&multibody);
        let dofs = multibody.dofs().iter().enumerate();
        let dry_friction = dofs.filter(|(_, d)| d.friction > 0.0).map(|(v, d)| (v, d.friction)).collect();
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
            ball_limits,
            dry_friction,
            // A variant has what its model was warned of.
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

    /// A number that a model and its variants ([`Model::varied`]) have in common: states of one fit the others.
    pub fn family(&self) -> u64 {
        self.inner.family
    }

    /// Positions at which every body stands as described.
    pub fn default_q(&self) -> &[f64] {
        self.inner.multibody.default_q()
    }

    /// The default positions at rest at time 0, controls and activations at zero.
    pub fn default_state(&self) -> State {
        self.inner.default_state()
    }

    /// The state of a keyframe, by name or by number.
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

    /// Checks that a state fits this model and is finite.
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

    /// Mass matrix at positions `q`, armature and rotor inertia included.
    pub fn mass_matrix(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        let (multibody, mut workspace) = (self.multibody(), Workspace::new(self.multibody()));
        multibody.positions(q, &mut workspace);
        let mut mass = MassMatrix::new(multibody);
        multibody.mass_matrix(&mut workspace, &mut mass);
        let mut dense = mass.to_dense();
        if self.inner.tendons.heavy {
            self.inner.tendons.add_inertia(self.world(), &self.gauge(q).tendons, &mut dense);
        }
        Ok(dense)
    }

    /// Whether tendons have inertia (armature), which couples coordinates of different trees in the mass matrix.
    pub fn has_tendon_inertia(&self) -> bool {
        self.inner.tendons.heavy
    }

    /// Adds the forces that the inertia of tendons needs at velocities `v` and accelerations `a`.
    fn add_tendon_inertia(&self, q: &[f64], v: &[f64], a: Option<&[f64]>, out: &mut [f64]) {
        if !self.inner.tendons.heavy {
            return;
        }
        let mut gauge = self.gauge(q);
        self.multibody().velocities(v, &mut gauge.workspace);
        let Gauge { x_wb, workspace, tendons, .. } = &mut gauge;
        self.inner.tendons.drifts(self.world(), self.multibody(), x_wb, workspace, tendons);
        for (t, tendon) in self.world().tendons.iter().enumerate() {
            let along = a.map_or(0.0, |a| tendons.row(t).iter().map(|&(i, arm)| arm * a[i]).sum());
            let force = tendon.armature * (along + tendons.drifts[t]);
            tendons.row(t).iter().for_each(|&(i, arm)| out[i] += arm * force);
        }
    }

    /// Coriolis, centrifugal and gravity forces, without springs, damping and actuation.
    pub fn bias(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, InputError> {
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().bias(&mut workspace, &mut out);
        self.add_tendon_inertia(q, v, None, &mut out);
        Ok(out)
    }

    /// Joint forces that produce the accelerations `a`: M a + bias.
    pub fn inverse_dynamics(&self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Vec<f64>, InputError> {
        check("a", a, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().inverse_dynamics(&mut workspace, a, &mut out);
        self.add_tendon_inertia(q, v, Some(a), &mut out);
        Ok(out)
    }

    /// Accelerations under the joint forces `tau`: M⁻¹ (tau − bias).
    pub fn forward_dynamics(&self, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Vec<f64>, InputError> {
        check("tau", tau, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        if self.inner.tendons.heavy {
            // Tendons couple coordinates of different trees: the whole matrix.
            let bias = self.bias(q, v)?;
            let rest = nalgebra::DVector::from_iterator(self.nv(), tau.iter().zip(&bias).map(|(t, b)| t - b));
            let solved = self.mass_matrix(q)?.cholesky().map(|factor| factor.solve(&rest));
            out.copy_from_slice(
                solved.unwrap_or_else(|| nalgebra::DVector::repeat(self.nv(), f64::NAN)).as_slice(),
            );
        } else {
            self.multibody().forward_dynamics(&mut workspace, tau, &mut out);
        }
        match out.iter().position(|x| !x.is_finite()) {
            None => Ok(out),
            Some(dof) => Err(InputError::Singular { dof, joint: self.joint_of(dof) }),
        }
    }

    /// Kinetic and potential energy at a state.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> Result<Energy, InputError> {
        let workspace = self.at(q, v)?;
        let multibody = self.multibody();
        let mut potential = multibody.potential_energy(&workspace) + multibody.spring_energy(q);
        let mut kinetic = multibody.kinetic_energy(&workspace, v);
        if !self.world().bushings.is_empty() {
            potential += crate::forces::bushings::energy(&self.inner, &self.gauge(q).x_wb);
        }
        if !self.world().tendons.is_empty() {
            let tendons = self.gauge(q).tendons;
            potential += self.inner.tendons.energy(self.world(), &tendons.lengths);
            kinetic += self.inner.tendons.kinetic_energy(self.world(), &tendons, v);
        }
        Ok(Energy { kinetic, potential })
    }

    /// The lengths between which the spring of each tendon is slack, in the unit of its length.
    pub fn tendon_rest(&self) -> &[[f64; 2]] {
        &self.inner.tendons.rest
    }

    /// Lengths of all tendons at positions `q`.
    pub fn tendon_lengths(&self, q: &[f64]) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(self.gauge(q).tendons.lengths)
    }

    /// Moment arms of all tendons at positions `q`: the gradient of each length, one row a tendon.
    pub fn tendon_moments(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(dense(&self.gauge(q).tendons, self.nv()))
    }

    /// Lengths of all actuators' transmissions at positions `q`.
    pub fn actuator_lengths(&self, q: &[f64]) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(self.gauge(q).drives.lengths)
    }

    /// Moment arms of all actuators at positions `q`: joint forces per unit of actuator force, one row an
    /// actuator. Adhesion has none without contacts.
    pub fn actuator_moments(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(dense(&self.gauge(q).drives, self.nv()))
    }

    /// Forces of all actuators along their lengths at positions `q`, velocities `v`, controls and activations.
    pub fn actuator_forces(
        &self,
        q: &[f64],
        v: &[f64],
        ctrl: &[f64],
        activation: &[f64],
    ) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        check("v", v, self.nv())?;
        check("ctrl", ctrl, self.nu())?;
        check("activation", activation, self.na())?;
        let (gauge, drives) = (self.gauge(q), self.inner.drives.drives.iter().enumerate());
        Ok(drives
            .map(|(row, drive)| {
                // An early activation is that of the end of a step; this instant has no step.
                let input = drive.input(ctrl[row], activation, 0.0);
                drive.force(gauge.drives.lengths[row], gauge.drives.rate(row, v), input)
            })
            .collect())
    }

    /// Forces of springs, damping and gravity compensation of joints, and of springs and damping of tendons and bushings.
    pub fn passive_forces(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, InputError> {
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().passive_forces(&mut workspace, q, v, &mut out);
        let gauge = self.gauge(q);
        if !self.world().bushings.is_empty() {
            crate::forces::bushings::check(&self.inner, &gauge.x_wb)?;
            let multibody = self.multibody();
            crate::forces::bushings::wrenches(
                &self.inner,
                multibody,
                &workspace,
                &gauge.x_wb,
                |b, point, wrench| {
                    multibody.add_wrench(&workspace, b.body_c, point, wrench, &mut out);
                    multibody.add_wrench(&workspace, b.body_a, point, &-wrench, &mut out);
                },
            );
        }
        let tendons = &gauge.tendons;
        for (t, tendon) in self.world().tendons.iter().enumerate() {
            let (length, rate) = (tendons.lengths[t], tendons.rate(t, v));
            let force = self.inner.tendons.passive_force(t, tendon, length, rate);
            tendons.row(t).iter().for_each(|&(dof, arm)| out[dof] += arm * force);
        }
        Ok(out)
    }

    /// How many numbers all sensors read.
    pub fn sensor_count(&self) -> usize {
        self.inner.sensors.len()
    }

    /// Where the numbers of sensor number `sensor` lie among the readings.
    pub fn sensor_range(&self, sensor: usize) -> std::ops::Range<usize> {
        self.inner.sensors.starts[sensor]..self.inner.sensors.starts[sensor + 1]
    }

    /// Readings of all sensors at a state with the accelerations `vdot`, without contacts and couplings.
    pub fn sensors(&self, state: &State, vdot: &[f64]) -> Result<Vec<f64>, InputError> {
        self.check_state(state)?;
        check("acceleration", vdot, self.nv())?;
        let mut values = vec![0.0; self.sensor_count()];
        let mut gauge = Gauge::new(&self.inner);
        gauge.update(&self.inner, state);
        self.multibody().velocities(&state.v, &mut gauge.workspace);
        self.inner.read_state(state, &mut gauge, &mut values);
        let drives = self.inner.drives.drives.iter().enumerate();
        let force = |(row, drive): (usize, &crate::forces::actuators::Drive)| {
            let input = drive.input(state.ctrl[row], &state.activation, 0.0);
            drive.force(gauge.drives.lengths[row], gauge.drives.rate(row, &state.v), input)
        };
        let actuator_forces: Vec<f64> = drives.map(force).collect();
        let passive = |(t, tendon): (usize, &stiction_model::Tendon)| {
            let (length, rate) = (gauge.tendons.lengths[t], gauge.tendons.rate(t, &state.v));
            self.inner.tendons.passive_force(t, tendon, length, rate)
        };
        let mut tendon_forces: Vec<f64> = self.world().tendons.iter().enumerate().map(passive).collect();
        let mut wrenches = vec![[0.0; 6]; self.world().bodies.len()];
        add_tendon_wrenches(&self.inner, &gauge.x_wb, &actuator_forces, &mut tendon_forces, &mut wrenches);
        crate::forces::bushings::check(&self.inner, &gauge.x_wb)?;
        crate::forces::bushings::wrenches(
            &self.inner,
            self.multibody(),
            &gauge.workspace,
            &gauge.x_wb,
            |b, point, wrench| {
                let force = wrench.fixed_rows::<3>(3);
                let moment = point.cross(&force) + wrench.fixed_rows::<3>(0);
                for (body, sign) in [(b.body_a, -1.0), (b.body_c, 1.0)] {
                    for k in 0..3 {
                        wrenches[body][k] += sign * moment[k];
                        wrenches[body][3 + k] += sign * force[k];
                    }
                }
            },
        );
        let mut loads = Loads {
            x_wb: &gauge.x_wb,
            workspace: &mut gauge.workspace,
            acceleration: vdot,
            drives: &gauge.drives,
            actuator_forces: &actuator_forces,
            wrenches: &wrenches,
            pushes: &[],
            meetings: &[],
            chosen: &mut Vec::new(),
            limit_forces: (&vec![0.0; self.nv()], &vec![0.0; self.world().tendons.len()]),
        };
        self.inner.read_forces(&mut loads, &mut values);
        Ok(values)
    }

    /// Lengths and moment arms at positions `q`, mocap bodies at their default poses.
    fn gauge(&self, q: &[f64]) -> Gauge {
        let mut state = self.default_state();
        state.q.copy_from_slice(q);
        let mut gauge = Gauge::new(&self.inner);
        gauge.update(&self.inner, &state);
        gauge
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

/// How a model is told from others.
#[derive(Clone, Copy)]
pub(crate) struct Identity {
    pub fingerprint: u64,
    pub family: u64,
}

impl Compiled {
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

fn dense(moments: &Moments, nv: usize) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(moments.lengths.len(), nv);
    for row in 0..moments.lengths.len() {
        moments.row(row).iter().for_each(|&(dof, arm)| out[(row, dof)] = arm);
    }
    out
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
