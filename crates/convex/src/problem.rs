//! The problem of one step, as its builder states it.
//!
//! ```text
//! min over v   ½ (v − v*)ᵀ A (v − v*) + Σ ℓ_i(J_i v + b_i)
//! ```
//!
//! * A **clique** is a set of dofs coupled by A: a kinematic tree. Dofs are numbered globally, clique by
//!   clique in the order they are added.
//! * A **body** is what constraints push on: a clique and the 6×n Jacobian of its twist.
//! * A **pair** of bodies carries contacts and rows, all evaluated from its one relative twist.
//! * **Rows** are scalar laws along a direction of a pair's twist or along a combination of dofs.
//!
//! A problem is constant during a solve. [`Problem::clear`] keeps the memory for the next step.

use crate::contact::ContactSettings;
use crate::error::{ProblemError, require};
use crate::friction::FrictionModel;
use crate::normal::NormalLaw;
use crate::scalar::RowLaw;
use nalgebra::{Matrix3, Vector2, Vector3, Vector6};

/// Index of a body of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyId(pub u32);

/// Index of a pair of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairId(pub u32);

/// Index of a normal law of a problem; the default is the linear law with Hunt & Crossley dissipation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NormalLawId(pub u32);

/// A tangential spring at a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TangentialSpring {
    /// k_t, N/m.
    pub stiffness: f64,
    /// c_t, N s/m.
    pub damping: f64,
    /// Stretch δ0 at the previous state in the contact frame's x and y, m.
    pub stretch: Vector2<f64>,
}

/// A contact point, or a face of a contact patch, of the pair it is added to.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactEntry {
    /// Point from the pair's reference point P, world axes, m.
    pub r: Vector3<f64>,
    /// R_wc: columns are the contact frame's axes in world; z is the normal from a into b.
    pub frame: Matrix3<f64>,
    /// Penetration x0, m (negative when apart). Used by laws other than the linear one.
    pub penetration: f64,
    /// Elastic force f0 at the previous state, N: k x0 for a point, area times pressure for a face.
    pub elastic_force: f64,
    /// Stiffness k, N/m (N/m^1.5 for Hertz).
    pub stiffness: f64,
    /// Hunt & Crossley dissipation d, s/m (Lagged and Similar).
    pub dissipation: f64,
    /// Relaxation time τ_d, s (SAP).
    pub relaxation_time: f64,
    /// Static friction coefficient.
    pub friction_static: f64,
    /// Dynamic friction coefficient.
    pub friction_dynamic: f64,
    /// Prescribed velocity added to that of b relative to a at the point, world axes, m/s.
    pub bias: Vector3<f64>,
    /// The normal law.
    pub normal_law: NormalLawId,
    /// A tangential spring in place of the model's friction.
    pub spring: Option<TangentialSpring>,
}

impl ContactEntry {
    /// A contact of penetration x0 and stiffness k at `r` with the given frame, one friction coefficient and
    /// no dissipation; set further fields by struct update.
    pub fn point(
        r: Vector3<f64>,
        frame: Matrix3<f64>,
        penetration: f64,
        stiffness: f64,
        friction: f64,
    ) -> Self {
        Self {
            r,
            frame,
            penetration,
            elastic_force: stiffness * penetration,
            stiffness,
            dissipation: 0.0,
            relaxation_time: 0.0,
            friction_static: friction,
            friction_dynamic: friction,
            bias: Vector3::zeros(),
            normal_law: NormalLawId::default(),
            spring: None,
        }
    }
}

impl ContactEntry {
    /// Whether there is no spring and every number is finite and, where it must be, at least 0: the quick look at what
    /// [`check_contact`] tells apart.
    #[inline]
    fn is_plain(&self) -> bool {
        let (r, b, f) = (&self.r, &self.bias, &self.frame);
        // Zero times a number is zero, unless the number is not finite.
        let zeros = [
            [r.x, r.y, r.z, b.x, b.y, b.z],
            [f.m11, f.m21, f.m31, f.m12, f.m22, f.m32],
            [f.m13, f.m23, f.m33, self.penetration, self.elastic_force, self.stiffness],
            [self.dissipation, self.relaxation_time, self.friction_static, self.friction_dynamic, 0.0, 0.0],
        ]
        .map(|row| row.iter().fold(0.0, |sum, x| 0.0f64.mul_add(*x, sum)));
        let at_least_0 = (self.stiffness >= 0.0)
            & (self.dissipation >= 0.0)
            & (self.relaxation_time >= 0.0)
            & (self.friction_static >= 0.0)
            & (self.friction_dynamic >= 0.0);
        self.spring.is_none() & at_least_0 & ((zeros[0] + zeros[1]) + (zeros[2] + zeros[3]) == 0.0)
    }
}

/// Says what is wrong with an entry, if anything is.
fn check_contact(entry: &ContactEntry) -> Result<(), ProblemError> {
    finite("contact point", entry.r.as_slice())?;
    finite("contact frame", entry.frame.as_slice())?;
    finite("contact bias", entry.bias.as_slice())?;
    let at_least_0 = |what, x: f64| require(x >= 0.0 && x.is_finite(), what, x, "at least 0 and finite");
    at_least_0("contact stiffness", entry.stiffness)?;
    at_least_0("dissipation", entry.dissipation)?;
    at_least_0("relaxation time", entry.relaxation_time)?;
    at_least_0("static friction", entry.friction_static)?;
    at_least_0("dynamic friction", entry.friction_dynamic)?;
    require(entry.penetration.is_finite(), "penetration", entry.penetration, "finite")?;
    require(entry.elastic_force.is_finite(), "elastic force", entry.elastic_force, "finite")?;
    if let Some(spring) = &entry.spring {
        at_least_0("tangential stiffness", spring.stiffness)?;
        at_least_0("tangential damping", spring.damping)?;
        finite("tangential stretch", spring.stretch.as_slice())?;
    }
    Ok(())
}

/// A frame R_wc whose z-axis is the given unit normal; a pure function of it.
pub fn frame_from_normal(normal: &Vector3<f64>) -> Matrix3<f64> {
    // Duff et al. 2017: continuous but for the sign flip of z.
    let (x, y, z) = (normal.x, normal.y, normal.z);
    let sign = 1.0_f64.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    let t1 = Vector3::new(1.0 + sign * x * x * a, sign * b, -sign * x);
    let t2 = Vector3::new(b, sign + y * y * a, -y);
    Matrix3::from_columns(&[t1, t2, *normal])
}

pub(crate) struct Clique {
    pub n: usize,
    pub dof: usize,
    pub a: usize,
}

pub(crate) struct Body {
    pub clique: usize,
    pub point: Vector3<f64>,
    pub jacobian: usize,
}

pub(crate) struct Pair {
    pub a: Option<BodyId>,
    pub b: Option<BodyId>,
    pub point: Vector3<f64>,
    pub bias: Vector6<f64>,
    pub contacts: std::ops::Range<usize>,
}

pub(crate) enum RowPlace {
    Pair { pair: usize, direction: Vector6<f64> },
    Coordinates { range: std::ops::Range<usize>, bias: f64 },
}

pub(crate) struct Row {
    pub place: RowPlace,
    pub law: RowLaw,
}

/// The strongly convex problem of one step.
pub struct Problem {
    pub(crate) dt: f64,
    pub(crate) settings: ContactSettings,
    pub(crate) cliques: Vec<Clique>,
    pub(crate) a: Vec<f64>,
    pub(crate) v_star: Vec<f64>,
    pub(crate) v0: Vec<f64>,
    /// Parent of each dof within its clique.
    pub(crate) parents: Vec<u32>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) jacobians: Vec<f64>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) contacts: Vec<ContactEntry>,
    /// Normal impulses given for friction, one a contact.
    pub(crate) lagged: Vec<Option<f64>>,
    pub(crate) rows: Vec<Row>,
    pub(crate) coordinates: Vec<(u32, f64)>,
    pub(crate) normal_laws: Vec<NormalLaw>,
}

impl Problem {
    /// An empty problem with step `dt` (s).
    pub fn new(dt: f64, settings: ContactSettings) -> Result<Self, ProblemError> {
        let mut problem = Self {
            dt: 1.0,
            settings: ContactSettings::default(),
            cliques: Vec::new(),
            a: Vec::new(),
            v_star: Vec::new(),
            v0: Vec::new(),
            parents: Vec::new(),
            bodies: Vec::new(),
            jacobians: Vec::new(),
            pairs: Vec::new(),
            contacts: Vec::new(),
            lagged: Vec::new(),
            rows: Vec::new(),
            coordinates: Vec::new(),
            normal_laws: vec![NormalLaw::Linear],
        };
        problem.set(dt, settings)?;
        Ok(problem)
    }

    /// Empties the problem and keeps its memory, step, settings and normal laws.
    pub fn clear(&mut self) {
        self.cliques.clear();
        self.a.clear();
        self.v_star.clear();
        self.v0.clear();
        self.parents.clear();
        self.bodies.clear();
        self.jacobians.clear();
        self.pairs.clear();
        self.contacts.clear();
        self.lagged.clear();
        self.rows.clear();
        self.coordinates.clear();
    }

    /// Changes step and contact settings. Contacts already added are taken with the new ones.
    pub fn set(&mut self, dt: f64, settings: ContactSettings) -> Result<(), ProblemError> {
        require(dt > 0.0 && dt.is_finite(), "time step", dt, "positive and finite")?;
        let v_s = settings.stiction_tolerance;
        require(v_s > 0.0 && v_s.is_finite(), "stiction tolerance", v_s, "positive and finite")?;
        let sigma = settings.regularization;
        require(sigma >= 0.0 && sigma.is_finite(), "regularization", sigma, "at least 0 and finite")?;
        if settings.model == FrictionModel::Sap {
            require(sigma > 0.0, "regularization", sigma, "positive for SAP (1e-3 is usual)")?;
            if let Some(entry) = self.contacts.iter().find(|c| c.normal_law.0 != 0) {
                let law = &self.normal_laws[entry.normal_law.0 as usize];
                return Err(ProblemError::LawNotForSap(law.name()));
            }
        }
        self.dt = dt;
        self.settings = settings;
        Ok(())
    }

    /// Registers a normal law for contacts to refer to. Laws outlive [`Problem::clear`].
    pub fn add_normal_law(&mut self, law: NormalLaw) -> Result<NormalLawId, ProblemError> {
        law.check()?;
        self.normal_laws.push(law);
        Ok(NormalLawId(self.normal_laws.len() as u32 - 1))
    }

    /// Adds a clique with `n = v_star.len()` dofs: its block of A (n×n, symmetric, positive definite,
    /// column-major; only finite numbers), v* and the previous velocity v0. Returns its first global dof.
    pub fn add_clique(&mut self, a: &[f64], v_star: &[f64], v0: &[f64]) -> Result<usize, ProblemError> {
        let n = v_star.len();
        length("A", a.len(), n * n)?;
        length("v0", v0.len(), n)?;
        finite("A", a)?;
        finite("v*", v_star)?;
        finite("v0", v0)?;
        for index in 0..n {
            let value = a[index + n * index];
            if value <= 0.0 {
                return Err(ProblemError::NotPositive { clique: self.cliques.len(), index, value });
            }
        }
        let dof = self.v_star.len();
        self.cliques.push(Clique { n, dof, a: self.a.len() });
        self.a.extend_from_slice(a);
        self.v_star.extend_from_slice(v_star);
        self.v0.extend_from_slice(v0);
        // A chain, in which everything may be coupled with everything.
        self.parents.extend((0..n as u32).map(|k| k.wrapping_sub(1)));
        Ok(dof)
    }

    /// The same for a clique whose A is sparse as that of a tree of joints: A_kj is zero unless one of k and j is an
    /// ancestor of the other in the forest `parents`, in which each dof comes after its parent (`u32::MAX` for none). A
    /// large tree is solved faster with its branches known.
    pub fn add_tree(
        &mut self,
        a: &[f64],
        parents: &[u32],
        v_star: &[f64],
        v0: &[f64],
    ) -> Result<usize, ProblemError> {
        length("parents", parents.len(), v_star.len())?;
        for (k, &parent) in parents.iter().enumerate() {
            if parent != u32::MAX && parent as usize >= k {
                return Err(ProblemError::Index { what: "parent", index: parent as usize, count: k });
            }
        }
        let dof = self.add_clique(a, v_star, v0)?;
        self.parents.truncate(dof);
        self.parents.extend_from_slice(parents);
        Ok(dof)
    }

    /// Adds a body of clique number `clique`: the world position of its reference point and its 6×n Jacobian,
    /// column-major, rows [angular; linear velocity of the reference point] in world axes.
    ///
    /// A free body is fastest with its origin as reference point: its Jacobian is then orthogonal.
    pub fn add_body(
        &mut self,
        clique: usize,
        point: Vector3<f64>,
        jacobian: &[f64],
    ) -> Result<BodyId, ProblemError> {
        let count = self.cliques.len();
        let n =
            self.cliques.get(clique).ok_or(ProblemError::Index { what: "clique", index: clique, count })?.n;
        length("Jacobian", jacobian.len(), 6 * n)?;
        finite("Jacobian", jacobian)?;
        finite("reference point", point.as_slice())?;
        self.bodies.push(Body { clique, point, jacobian: self.jacobians.len() });
        self.jacobians.extend_from_slice(jacobian);
        Ok(BodyId(self.bodies.len() as u32 - 1))
    }

    /// Adds a pair: bodies a and b (none for a fixed or prescribed one), a reference point P in world and the
    /// bias twist [angular; linear at P] of prescribed motion of b relative to a. The relative twist is
    /// V = V_b − V_a + bias at P.
    pub fn add_pair(
        &mut self,
        a: Option<BodyId>,
        b: Option<BodyId>,
        point: Vector3<f64>,
        bias: Vector6<f64>,
    ) -> Result<PairId, ProblemError> {
        for id in [a, b].into_iter().flatten() {
            let (index, count) = (id.0 as usize, self.bodies.len());
            if index >= count {
                return Err(ProblemError::Index { what: "body", index, count });
            }
        }
        finite("pair's point", point.as_slice())?;
        finite("pair's bias", bias.as_slice())?;
        let at = self.contacts.len();
        self.pairs.push(Pair { a, b, point, bias, contacts: at..at });
        Ok(PairId(self.pairs.len() as u32 - 1))
    }

    /// Adds a contact to the pair added last. Returns its index among all contacts.
    pub fn add_contact(&mut self, entry: ContactEntry) -> Result<usize, ProblemError> {
        let law = entry.normal_law.0 as usize;
        let count = self.normal_laws.len();
        if law >= count {
            return Err(ProblemError::Index { what: "normal law", index: law, count });
        }
        if law != 0 && self.settings.model == FrictionModel::Sap {
            return Err(ProblemError::LawNotForSap(self.normal_laws[law].name()));
        }
        if !entry.is_plain() {
            check_contact(&entry)?;
        }
        let pair = self.pairs.last_mut().ok_or(ProblemError::NoPair)?;
        self.contacts.push(entry);
        self.lagged.push(None);
        pair.contacts.end = self.contacts.len();
        Ok(self.contacts.len() - 1)
    }

    /// Gives the normal impulse (N s, at least 0) by which the Lagged model limits the friction of a contact, in place of
    /// that of the previous state. From the impulses of a solve, the next one has friction that no longer lags.
    pub fn set_lagged_impulse(&mut self, contact: usize, impulse: f64) -> Result<(), ProblemError> {
        let count = self.lagged.len();
        let what = "contact";
        let slot = self.lagged.get_mut(contact).ok_or(ProblemError::Index { what, index: contact, count })?;
        require(impulse >= 0.0 && impulse.is_finite(), "lagged impulse", impulse, "at least 0 and finite")?;
        *slot = Some(impulse);
        Ok(())
    }

    /// Adds a row on a pair's relative twist V: velocity w · V with w = [angular; linear] about P.
    /// Returns its index among all rows.
    pub fn add_pair_row(
        &mut self,
        pair: PairId,
        direction: Vector6<f64>,
        law: RowLaw,
    ) -> Result<usize, ProblemError> {
        let (index, count) = (pair.0 as usize, self.pairs.len());
        if index >= count {
            return Err(ProblemError::Index { what: "pair", index, count });
        }
        finite("row direction", direction.as_slice())?;
        check_law(&law)?;
        self.rows.push(Row { place: RowPlace::Pair { pair: index, direction }, law });
        Ok(self.rows.len() - 1)
    }

    /// Adds a row on dofs: velocity Σ coefficient · v + bias over (global dof, coefficient), which may
    /// belong to several cliques. Returns its index among all rows.
    pub fn add_row(
        &mut self,
        coefficients: &[(usize, f64)],
        bias: f64,
        law: RowLaw,
    ) -> Result<usize, ProblemError> {
        let count = self.v_star.len();
        for &(index, coefficient) in coefficients {
            if index >= count {
                return Err(ProblemError::Index { what: "dof", index, count });
            }
            require(coefficient.is_finite(), "row coefficient", coefficient, "finite")?;
        }
        require(bias.is_finite(), "row bias", bias, "finite")?;
        check_law(&law)?;
        let start = self.coordinates.len();
        self.coordinates.extend(coefficients.iter().map(|&(dof, c)| (dof as u32, c)));
        let place = RowPlace::Coordinates { range: start..self.coordinates.len(), bias };
        self.rows.push(Row { place, law });
        Ok(self.rows.len() - 1)
    }

    /// Number of dofs so far.
    pub fn dof_count(&self) -> usize {
        self.v_star.len()
    }

    /// Number of cliques so far.
    pub fn clique_count(&self) -> usize {
        self.cliques.len()
    }

    /// Number of pairs so far.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Number of contacts so far.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Number of rows so far.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The law of a row.
    pub fn row_law(&self, row: usize) -> Option<&RowLaw> {
        self.rows.get(row).map(|row| &row.law)
    }

    /// Velocity of a row for velocities `v` of all dofs, with its bias; 0 if there is no such row.
    pub fn row_velocity(&self, row: usize, v: &[f64]) -> f64 {
        match self.rows.get(row).map(|row| &row.place) {
            Some(RowPlace::Pair { pair, direction }) => direction.dot(&self.pair_twist(*pair, v)),
            Some(RowPlace::Coordinates { range, bias }) => {
                let terms = self.coordinates[range.clone()].iter();
                bias + terms.map(|&(dof, c)| c * v[dof as usize]).sum::<f64>()
            }
            None => 0.0,
        }
    }

    /// Relative twist of a pair at its point for velocities `v` of all dofs.
    fn pair_twist(&self, pair: usize, v: &[f64]) -> Vector6<f64> {
        let pair = &self.pairs[pair];
        let mut sum = pair.bias;
        for (id, sign) in [(pair.a, -1.0), (pair.b, 1.0)] {
            let Some(body) = id.map(|id| &self.bodies[id.0 as usize]) else { continue };
            let clique = &self.cliques[body.clique];
            let jacobian = &self.jacobians[body.jacobian..body.jacobian + 6 * clique.n];
            let mut twist = Vector6::zeros();
            for (column, v) in jacobian.chunks_exact(6).zip(&v[clique.dof..]) {
                twist += Vector6::from_column_slice(column) * *v;
            }
            let (angular, arm) = (twist.fixed_rows::<3>(0).into_owned(), pair.point - body.point);
            let carried = angular.cross(&arm);
            for k in 0..3 {
                twist[3 + k] += carried[k];
            }
            sum += sign * twist;
        }
        sum
    }

    /// Previous velocities v0.
    pub fn previous_velocities(&self) -> &[f64] {
        &self.v0
    }

    /// Free-motion velocities v*.
    pub fn free_velocities(&self) -> &[f64] {
        &self.v_star
    }

    /// Contacts, in the order they were added.
    pub fn contacts(&self) -> &[ContactEntry] {
        &self.contacts
    }

    /// Indices of a pair's contacts.
    pub fn contacts_of(&self, pair: PairId) -> std::ops::Range<usize> {
        self.pairs.get(pair.0 as usize).map_or(0..0, |p| p.contacts.clone())
    }

    /// Time step, s.
    pub fn time_step(&self) -> f64 {
        self.dt
    }

    /// Contact settings.
    pub fn settings(&self) -> &ContactSettings {
        &self.settings
    }
}

fn check_law(law: &RowLaw) -> Result<(), ProblemError> {
    let finite = |what, x: f64| require(x.is_finite(), what, x, "finite");
    let at_least_0 = |what, x: f64| require(x >= 0.0, what, x, "at least 0");
    match *law {
        RowLaw::Limit { phi, compliance } | RowLaw::Equality { phi, compliance } => {
            finite("constraint function", phi)?;
            match compliance {
                crate::scalar::Compliance::NearRigid { beta, bend } => {
                    require(beta > 0.0 && beta.is_finite(), "near-rigid beta", beta, "positive and finite")?;
                    require(bend >= 0.0, "bend of a near-rigid row", bend, "at least 0")
                }
                crate::scalar::Compliance::Spring { stiffness, relaxation_time, beta } => {
                    at_least_0("constraint stiffness", stiffness)?;
                    require(stiffness > 0.0, "constraint stiffness", stiffness, "positive")?;
                    require(
                        relaxation_time >= 0.0 && relaxation_time.is_finite(),
                        "relaxation time",
                        relaxation_time,
                        "at least 0 and finite",
                    )?;
                    require(
                        beta >= 0.0 && beta.is_finite(),
                        "near-rigid beta",
                        beta,
                        "at least 0 and finite",
                    )?;
                    require(
                        beta > 0.0 || stiffness.is_finite(),
                        "near-rigid beta",
                        beta,
                        "positive when the stiffness is infinite",
                    )
                }
            }
        }
        RowLaw::Pd {
            proportional,
            derivative,
            position_error,
            target_velocity,
            feed_forward,
            effort_limit,
        } => {
            finite("proportional gain", proportional)?;
            finite("derivative gain", derivative)?;
            at_least_0("proportional gain", proportional)?;
            at_least_0("derivative gain", derivative)?;
            finite("position error", position_error)?;
            finite("target velocity", target_velocity)?;
            finite("feed-forward effort", feed_forward)?;
            at_least_0("effort limit", effort_limit)
        }
        RowLaw::DryFriction { force, epsilon } => {
            require(force >= 0.0 && force.is_finite(), "dry friction", force, "at least 0 and finite")?;
            require(
                epsilon > 0.0 && epsilon.is_finite(),
                "dry friction's epsilon",
                epsilon,
                "positive and finite",
            )
        }
    }
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemError> {
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), ProblemError> {
    // Without a way out of the loop, many are tested at a time.
    let bad = values.iter().fold(0, |bad, x| bad | u64::from(!x.is_finite()));
    if bad == 0 {
        return Ok(());
    }
    let value = values.iter().copied().find(|x| !x.is_finite()).unwrap_or(f64::NAN);
    Err(ProblemError::Value { what, value, must: "finite" })
}
