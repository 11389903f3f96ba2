//! Assembly of the convex problem from kinematics, contacts and forces.
//!
//! Trees become cliques of A, manifolds entries of contact pairs ([`crate::contact::entries`]), and each force adds its rows
//! ([`crate::forces`]).

use crate::contact::calibration::StepCalibration;
use crate::contact::entries::{EntryPlace, Manifold, ManifoldEntries, find_manifolds};
use crate::contact::file_softness::FileSoftness;
use crate::contact::load::Loads;
use crate::contact::patch_springs::SprungPatch;
use crate::contact::query::Touching;
use crate::forces::joint_limits::{LimitedCoordinate, Limits};
use crate::forces::moments::Moments;
use crate::forces::{self, StepAt};
use crate::model::{Compiled, Model};
use crate::options::{Options, Sticking, TangentialSprings};
use crate::state::State;
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::{Kinematics, prescribed_twist};
use nalgebra::{Vector3, Vector6};
use stiction_convex::{
    BodyId, ContactSettings, NormalLaw, NormalLawId, PairId, Problem, ProblemError, RowCompliance, RowLaw,
};
use stiction_model::{ContactCalibration, JointKind};
use stiction_multibody::Tree;

/// A row of the problem that pushes body B along a direction [angular; linear] about a point, and A in the opposite
/// direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coupling {
    pub row: usize,
    pub bodies: (usize, usize),
    pub point: Vector3<f64>,
    pub direction: Vector6<f64>,
}

/// Meaning of the rows of a problem.
#[derive(Default)]
pub(crate) struct RowLog {
    /// Rows that act between bodies.
    pub couplings: Vec<Coupling>,
    /// Rows of joint limits and the velocity coordinates they act on.
    pub joint_limits: Vec<(usize, usize)>,
    /// Rows along tendons: (row, tendon, sign).
    pub tendons: Vec<(usize, usize, f64)>,
    /// Limit rows among them: (row, tendon).
    pub tendon_limits: Vec<(usize, usize)>,
    /// Errors of the equalities between bodies.
    pub equality_errors: Vec<EqualityError>,
    /// Coefficients of a row.
    pub scratch: Vec<(usize, f64)>,
    /// Ball joints, by their index among those with limits, and directions of the rows added because the solve turned them
    /// beyond their limits.
    pub turned: Vec<(usize, Vector3<f64>)>,
    /// Limits of coordinates without rows, which the step is not expected to reach.
    far: Vec<FarLimit>,
    /// Other such limits.
    left_out: Vec<LeftOut>,
    /// Their coefficients.
    left_out_arms: Vec<(usize, f64)>,
}

/// Error of an equality between bodies at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EqualityError {
    pub equality: usize,
    /// Distance from where its points or bodies should be, m.
    pub gap: f64,
    /// Angle between its frames, rad.
    pub angle: f64,
    /// Whether the error is larger than the step before can have made it.
    pub missed: bool,
}

/// Owner of a limit that is not one of a coordinate.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LimitOf {
    Ball,
    /// A tendon, and −1 at its upper end.
    Tendon(usize, f64),
    /// The spring of a tendon beyond its rest lengths, with the same sign.
    TendonSpring(usize, f64),
}

/// A limit of a coordinate without a row. Most limits of a robot are such, so it has only what the comparison needs.
#[derive(Clone, Copy, Debug)]
struct FarLimit {
    dof: usize,
    sign: f64,
    phi: f64,
    span: f64,
    /// Its place in [`crate::forces::joint_limits::Limits::coordinates`].
    limit: usize,
}

/// Another limit without a row.
#[derive(Clone, Copy, Debug)]
struct LeftOut {
    of: LimitOf,
    law: RowLaw,
    /// The law has an impulse below the velocity −φ/span.
    phi: f64,
    span: f64,
    bias: f64,
    arms: (usize, usize),
}

impl RowLog {
    fn clear(&mut self) {
        self.couplings.clear();
        self.joint_limits.clear();
        self.tendons.clear();
        self.tendon_limits.clear();
        self.turned.clear();
        self.equality_errors.clear();
        self.far.clear();
        self.left_out.clear();
        self.left_out_arms.clear();
    }

    /// Records the row of a limit.
    fn add_limit(&mut self, of: LimitOf, row: usize) {
        match of {
            LimitOf::Ball => {}
            LimitOf::TendonSpring(tendon, sign) => self.tendons.push((row, tendon, sign)),
            LimitOf::Tendon(tendon, sign) => {
                self.tendons.push((row, tendon, sign));
                self.tendon_limits.push((row, tendon));
            }
        }
    }
}

/// The problem's ids of bodies, created on first use.
struct BodyIds {
    ids: Vec<Option<BodyId>>,
    /// Whether each tree is a free body.
    free: Vec<bool>,
    used: Vec<usize>,
    jacobian: Vec<[f64; 6]>,
}

impl BodyIds {
    fn clear(&mut self) {
        self.used.drain(..).for_each(|body| self.ids[body] = None);
    }

    /// The problem's id of a body. `None` if it is not dynamic.
    fn get(
        &mut self,
        compiled: &Compiled,
        kinematics: &Kinematics,
        body: usize,
        problem: &mut Problem,
    ) -> Result<Option<BodyId>, ProblemError> {
        let multibody = &compiled.multibody;
        let Some(tree) = multibody.body_tree(body) else { return Ok(None) };
        // Bodies welded to a free body move with it.
        let body = if self.free[tree] { multibody.trees()[tree].root_body } else { body };
        if let Some(id) = self.ids[body] {
            return Ok(Some(id));
        }
        let range = multibody.trees()[tree].v.clone();
        let jacobian = &mut self.jacobian[..range.len()];
        let origin = multibody.origin(&kinematics.workspace, body);
        multibody.body_jacobian(&kinematics.workspace, body, &origin, jacobian);
        for (column, _) in jacobian.iter_mut().zip(&multibody.locked()[range]).filter(|(_, locked)| **locked)
        {
            *column = [0.0; 6];
        }
        let id = problem.add_link(tree, origin, jacobian.as_flattened())?;
        self.set(body, id);
        Ok(Some(id))
    }

    fn set(&mut self, body: usize, id: BodyId) {
        self.ids[body] = Some(id);
        self.used.push(body);
    }
}

/// Builder to which forces add their rows.
pub(crate) struct Rows<'a> {
    pub problem: &'a mut Problem,
    pub log: &'a mut RowLog,
    bodies: &'a mut BodyIds,
    dt: f64,
}

impl Rows<'_> {
    /// A pair of bodies about a world point, to which the rows and contacts added next belong.
    pub fn pair(
        &mut self,
        compiled: &Compiled,
        state: &State,
        kinematics: &Kinematics,
        (a, b): (usize, usize),
        point: Vector3<f64>,
    ) -> Result<PairId, ProblemError> {
        let id_a = self.bodies.get(compiled, kinematics, a, self.problem)?;
        let id_b = self.bodies.get(compiled, kinematics, b, self.problem)?;
        let prescribed =
            |body: usize| prescribed_twist(compiled, &state.mocap, body, &point).unwrap_or_default();
        let bias = prescribed(b) - prescribed(a);
        self.problem.add_pair(id_a, id_b, point, bias)
    }

    /// A row between bodies along a direction about a point.
    pub fn add_coupling(
        &mut self,
        pair: PairId,
        bodies: (usize, usize),
        point: Vector3<f64>,
        direction: Vector6<f64>,
        law: RowLaw,
    ) -> Result<(), ProblemError> {
        let row = self.problem.add_pair_row(pair, direction, law)?;
        self.log.couplings.push(Coupling { row, bodies, point, direction });
        Ok(())
    }

    /// A row on coordinates. A locked one takes no part: it stands still.
    pub fn add_row(
        &mut self,
        compiled: &Compiled,
        arms: &[(usize, f64)],
        law: RowLaw,
    ) -> Result<(), ProblemError> {
        let locked = compiled.multibody.locked();
        let mut free = std::mem::take(&mut self.log.scratch);
        free.clear();
        free.extend(arms.iter().filter(|(dof, _)| !locked[*dof]));
        let added = if free.is_empty() { Ok(()) } else { self.problem.add_row(&free, 0.0, law).map(|_| ()) };
        self.log.scratch = free;
        added
    }

    /// A limit φ ≥ 0 with the rate Σ arm · v + bias. It has a row from the beginning if φ is below `reach`; otherwise only if the
    /// solve turns out to reach it ([`Assembly::add_reached_limits`]).
    pub fn add_limit(
        &mut self,
        arms: &[(usize, f64)],
        bias: f64,
        (phi, compliance): (f64, RowCompliance),
        reach: f64,
        of: LimitOf,
    ) -> Result<(), ProblemError> {
        let law = RowLaw::Limit { phi, compliance };
        if phi < reach {
            let row = self.problem.add_row(arms, bias, law)?;
            self.log.add_limit(of, row);
        } else if phi.is_finite() {
            let first = self.log.left_out_arms.len();
            self.log.left_out_arms.extend_from_slice(arms);
            let arms = (first, self.log.left_out_arms.len());
            self.log.left_out.push(LeftOut { of, law, phi, span: compliance.span(self.dt), bias, arms });
        }
        Ok(())
    }

    /// The same for a limit of a coordinate, the `limit`th of its list, at the gap `phi` that grows with `sign` times its velocity;
    /// `span` is that of its compliance.
    pub fn add_coordinate_limit(
        &mut self,
        (limit, coordinate): (usize, &LimitedCoordinate),
        (phi, sign): (f64, f64),
        span: f64,
        reach: f64,
    ) -> Result<(), ProblemError> {
        let dof = coordinate.v;
        if phi < reach {
            let row = self.problem.add_row(&[(dof, sign)], 0.0, coordinate.law(phi, self.dt))?;
            self.log.joint_limits.push((row, dof));
        } else if phi.is_finite() {
            self.log.far.push(FarLimit { dof, sign, phi, span, limit });
        }
        Ok(())
    }

    /// A row along a tendon.
    pub fn add_tendon_row(&mut self, t: usize, moments: &Moments, law: RowLaw) -> Result<(), ProblemError> {
        let row = self.problem.add_row(moments.row(t), moments.biases[t], law)?;
        self.log.tendons.push((row, t, 1.0));
        Ok(())
    }
}

/// Inputs of the assembly.
pub(crate) struct Parts<'a> {
    pub model: &'a Model,
    pub options: &'a Options,
    /// The active calibrated contact.
    pub calibration: &'a ContactCalibration,
    /// For contact points as soft as MuJoCo makes them.
    pub softness: Option<&'a FileSoftness>,
    pub state: &'a State,
    pub kinematics: &'a Kinematics,
    pub touching: Touching<'a>,
    pub free: &'a FreeMotion,
    pub dt: f64,
}

/// The problem of a step, and the meaning of its entries and rows.
pub(crate) struct Assembly {
    pub problem: Problem,
    /// The normal law registered last.
    normal_law: (NormalLaw, NormalLawId),
    /// Contacts, sorted by body pair.
    pub manifolds: Vec<Manifold>,
    /// For each contact of the problem.
    pub places: Vec<EntryPlace>,
    /// For each contact of the problem, the part of its bias along the normal that stands for the travel of the contact over
    /// turning bodies, m/s ([`crate::step::travel`]).
    pub travel: Vec<f64>,
    loads: Loads,
    /// Springs of the patches.
    pub sprung: Vec<SprungPatch>,
    pub log: RowLog,
    bodies: BodyIds,
    block: Vec<f64>,
    /// Parent of each velocity coordinate, counted within its tree.
    parents: Vec<u32>,
}

impl Assembly {
    pub fn new(model: &Model) -> Self {
        let multibody = model.multibody();
        let mut parents = vec![u32::MAX; multibody.nv()];
        for tree in multibody.trees() {
            for dof in tree.v.clone() {
                parents[dof] =
                    multibody.parent_dof(dof).map_or(u32::MAX, |above| (above - tree.v.start) as u32);
            }
        }
        let largest = multibody.trees().iter().map(|t| t.v.len()).max().unwrap_or(0);
        let ids = vec![None; multibody.body_count()];
        let free = multibody.trees().iter().map(|tree| is_free_body(model, tree)).collect();
        Self {
            problem: Problem::new(1e-3, ContactSettings::default()).expect("a step that is allowed"),
            normal_law: Default::default(),
            manifolds: Vec::new(),
            places: Vec::new(),
            travel: Vec::new(),
            loads: Loads::new(model),
            sprung: Vec::new(),
            log: RowLog::default(),
            bodies: BodyIds { ids, free, used: Vec::new(), jacobian: vec![[0.0; 6]; largest] },
            block: vec![0.0; largest * largest],
            parents,
        }
    }

    /// Builds the problem of one step.
    pub fn build(&mut self, parts: &Parts) -> Result<&Problem, ProblemError> {
        self.begin(parts)?;
        self.cliques(parts)?;
        self.contacts(parts)?;
        self.travel.clear();
        self.travel.resize(self.places.len(), 0.0);
        self.rows(parts)?;
        Ok(&self.problem)
    }

    /// The load of a manifold of the problem.
    pub fn load(&self, model: &Model, options: &Options, manifold: &Manifold) -> f64 {
        self.loads.of(model, manifold, options)
    }

    /// Builds the problem of one step without its contacts.
    pub fn build_rows(&mut self, parts: &Parts) -> Result<&Problem, ProblemError> {
        self.begin(parts)?;
        self.cliques(parts)?;
        self.rows(parts)?;
        Ok(&self.problem)
    }

    /// The entries of one manifold only, about `reference`, for derivatives of the geometry.
    pub fn build_entries(
        &mut self,
        parts: &Parts,
        manifold: Manifold,
        reference: Vector3<f64>,
        load: f64,
    ) -> Result<&Problem, ProblemError> {
        self.begin(parts)?;
        self.problem.add_pair(None, None, reference, Vector6::zeros())?;
        // Derivatives support only contacts without calibration.
        let law = ContactCalibration::default();
        let calibration =
            StepCalibration { law: &law, softness: None, springs: parts.options.springs(), dt: parts.dt };
        let entries = ManifoldEntries {
            compiled: parts.model.compiled(),
            calibration: &calibration,
            state: parts.state,
            normal_law: &self.normal_law,
            x_wb: &parts.kinematics.x_wb,
            touching: parts.touching,
            manifold,
            reference,
            relative: None,
            options: parts.options,
            load,
        };
        entries.add(&mut self.places, &mut self.sprung, &mut self.problem)?;
        Ok(&self.problem)
    }

    /// Adds rows for the omitted limits that act at velocities `v`. Returns false if there are none. In that case
    /// `v` also solves the problem with all limits, because a row without an impulse changes nothing.
    pub fn add_reached_limits(&mut self, limits: &Limits, v: &[f64]) -> Result<bool, ProblemError> {
        let (mut k, mut added) = (0, false);
        while let Some(far) = self.log.far[k..].iter().position(|f| f.sign * v[f.dof] * f.span < -f.phi) {
            k += far;
            let FarLimit { dof, sign, phi, limit, .. } = self.log.far.remove(k);
            let law = limits.coordinates[limit].law(phi, self.problem.time_step());
            let row = self.problem.add_row(&[(dof, sign)], 0.0, law)?;
            self.log.joint_limits.push((row, dof));
            added = true;
        }
        k = 0;
        while k < self.log.left_out.len() {
            let limit = self.log.left_out[k];
            let arms = &self.log.left_out_arms[limit.arms.0..limit.arms.1];
            let rate = limit.bias + arms.iter().map(|&(i, arm)| arm * v[i]).sum::<f64>();
            if rate * limit.span >= -limit.phi {
                k += 1;
                continue;
            }
            let row = self.problem.add_row(arms, limit.bias, limit.law)?;
            self.log.add_limit(limit.of, row);
            self.log.left_out.remove(k);
            added = true;
        }
        Ok(added)
    }

    /// An empty problem.
    fn begin(&mut self, parts: &Parts) -> Result<(), ProblemError> {
        self.problem.clear();
        let settings = ContactSettings {
            model: parts.options.contact,
            stiction_tolerance: parts.options.stiction_tolerance,
            regularization: parts.options.regularization,
            stiffness_limit: parts.options.stiffness_limit(),
            spring_limit: parts.options.spring_limit(),
        };
        self.problem.set(parts.dt, settings)?;
        let law = &parts.options.normal_law;
        if self.normal_law.0 != *law {
            let id = if *law == NormalLaw::Linear {
                NormalLawId::default()
            } else {
                self.problem.set_normal_law(law.clone())?
            };
            self.normal_law = (law.clone(), id);
        }
        self.bodies.clear();
        self.places.clear();
        self.sprung.clear();
        self.log.clear();
        Ok(())
    }

    /// One clique per tree: A = M plus the contributions of damping, springs and servos.
    fn cliques(&mut self, parts: &Parts) -> Result<(), ProblemError> {
        let (multibody, free) = (parts.model.multibody(), parts.free);
        for (t, tree) in multibody.trees().iter().enumerate() {
            let n = tree.v.len();
            let lower = free.mass.lower_block(t);
            let a = &mut self.block[..n * n];
            for i in 0..n {
                for j in 0..i {
                    let x = lower[i * n + j];
                    a[i * n + j] = x;
                    a[j * n + i] = x;
                }
                a[i * n + i] = lower[i * n + i] + free.added[tree.v.start + i];
            }
            for (i, _) in multibody.locked()[tree.v.clone()].iter().enumerate().filter(|(_, locked)| **locked)
            {
                // A locked coordinate is decoupled: no coupling, zero velocity, no force.
                for j in 0..n {
                    a[i * n + j] = 0.0;
                    a[j * n + i] = 0.0;
                }
                a[i * n + i] = 1.0;
            }
            let (impulse, v0) = (&free.impulse[tree.v.clone()], &parts.kinematics.v[tree.v.clone()]);
            if self.bodies.free[t] {
                let x_wb = &parts.kinematics.x_wb[tree.root_body];
                let (rotation, origin) = (x_wb.rotation.to_rotation_matrix(), x_wb.translation.vector);
                let id = self.problem.add_free_body(a, impulse, v0, rotation.matrix(), origin)?;
                self.bodies.set(tree.root_body, id);
            } else {
                self.problem.add_tree(a, &self.parents[tree.v.clone()], impulse, v0)?;
            }
        }
        Ok(())
    }

    /// The contacts, pair by pair of bodies.
    fn contacts(&mut self, parts: &Parts) -> Result<(), ProblemError> {
        let Parts { model, options, kinematics, touching, state, .. } = *parts;
        let compiled = model.compiled();
        let law = parts.calibration;
        let (softness, springs) = (parts.softness, active_springs(options, law));
        let calibration = StepCalibration { law, softness, springs, dt: parts.dt };
        let Self { problem, log, bodies, manifolds, places, sprung, normal_law, loads, .. } = self;
        find_manifolds(compiled, touching, manifolds);
        if options.limit_stiffness {
            loads.find(model, manifolds);
        }
        let mut rows = Rows { problem, log, bodies, dt: parts.dt };
        for group in manifolds.chunk_by(|m, n| m.bodies == n.bodies) {
            let bodies = group[0].bodies;
            let number = group.iter().map(|m| m.range().len() as f64).sum::<f64>();
            let reference = group.iter().map(|m| m.sum_of_points(touching)).sum::<Vector3<f64>>() / number;
            let carriers = (bodies.0 as usize, bodies.1 as usize);
            rows.pair(compiled, state, kinematics, carriers, reference)?;
            let needed = calibration.reads_velocities()
                || calibration.springs.is_some() && group.iter().any(|manifold| manifold.patch);
            let relative = needed.then(|| kinematics.relative_twist(compiled, bodies));
            for &manifold in group {
                let x_wb = &kinematics.x_wb;
                let entries = ManifoldEntries {
                    compiled,
                    calibration: &calibration,
                    state,
                    normal_law,
                    x_wb,
                    touching,
                    manifold,
                    reference,
                    relative,
                    options,
                    load: loads.of(model, &manifold, options),
                };
                entries.add(places, sprung, rows.problem)?;
            }
        }
        Ok(())
    }

    /// All rows except contacts.
    fn rows(&mut self, parts: &Parts) -> Result<(), ProblemError> {
        let at = StepAt {
            compiled: parts.model.compiled(),
            options: parts.options,
            state: parts.state,
            kinematics: parts.kinematics,
            dt: parts.dt,
            servos: &parts.free.servos,
        };
        let Self { problem, log, bodies, .. } = self;
        let mut rows = Rows { problem, log, bodies, dt: parts.dt };
        forces::all().iter().try_for_each(|force| force.rows(&at, &mut rows))
    }
}

/// The tangential springs of the options, or those of a calibrated contact.
pub(crate) fn active_springs(options: &Options, law: &ContactCalibration) -> Option<TangentialSprings> {
    let calibrated = |[stiffness_ratio, relaxation_time]: [f64; 2]| TangentialSprings {
        stiffness_ratio,
        relaxation_time: Some(relaxation_time),
        ..TangentialSprings::default()
    };
    match options.tangential_springs {
        Sticking::Auto if *law != ContactCalibration::default() => law.springs.map(calibrated),
        _ => options.springs(),
    }
}

/// Whether a tree is a body with a free joint on the world, with the bodies welded to it.
fn is_free_body(model: &Model, tree: &Tree) -> bool {
    let joint = model.multibody().joints().iter().find(|j| j.v.start == tree.v.start);
    joint.is_some_and(|j| j.kind == JointKind::Free && j.v == tree.v && !j.locked)
        && model.compiled().base_mocap[tree.root_body].is_none()
}
