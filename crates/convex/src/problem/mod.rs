//! The problem of one step, as defined by its builder.
//!
//! ```text
//! min over v   ½ (v − v0)ᵀ A (v − v0) − pᵀ v + Σ ℓ_i(J_i v + b_i)
//! ```
//!
//! v0 is the previous velocity and p the impulse of all forces and momentum terms over the step, except constraints.
//! Without constraints v = v* = v0 + A⁻¹ p. (The builder provides p rather than v*, so A (v − v0) − p has the
//! accuracy of the change of momentum at any speed.)
//!
//! * A **clique** is a set of dofs coupled by A: a free body or a kinematic tree. Dofs are numbered globally, clique by
//!   clique in the order they are added.
//! * A **body** is the object on which constraints act: a free body, or a link of a tree with the 6×n Jacobian of
//!   its twist. A body that is fixed or has prescribed motion has no dofs. In a pair, it is represented by a missing
//!   body and a bias twist.
//! * A **pair** of bodies carries contacts and rows, all evaluated from its one relative twist.
//! * **Rows** are scalar laws along a direction of a pair's twist or along a combination of dofs.
//!
//! A problem is constant during a solve. [`Problem::clear`] keeps the memory for the next step.
//!
//! | file | |
//! |---|---|
//! | `entry.rs` | a contact as its builder describes it |
//! | `check.rs` | what a problem may not contain |
//! | `impact.rs` | the problem of an impact at an instant |

mod check;
mod entry;
mod impact;

pub use entry::{ContactEntry, TangentialSpring, frame_from_normal};
pub use impact::Bounce;

use crate::contact::ContactSettings;
use crate::correction::Held;
use crate::error::{ProblemError, require};
use crate::free_body::{self as free, Rotation};
use crate::friction::FrictionModel;
use crate::normal::NormalLaw;
use crate::scalar::RowLaw;
use crate::spatial::{V6, shift_twist, sub};
use check::{check_law, finite, length};
use entry::check_contact;
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

#[derive(Clone, Copy)]
pub(crate) struct Clique {
    pub n: usize,
    pub dof: usize,
    pub a: usize,
    /// R_wb of a free body.
    pub free: Option<Rotation>,
}

#[derive(Clone, Copy)]
pub(crate) struct Body {
    pub clique: usize,
    pub point: Vector3<f64>,
    /// Start of its Jacobian; not used by free bodies.
    pub jacobian: usize,
}

#[derive(Clone)]
pub(crate) struct Pair {
    pub a: Option<BodyId>,
    pub b: Option<BodyId>,
    pub point: Vector3<f64>,
    pub bias: Vector6<f64>,
    pub contacts: std::ops::Range<usize>,
}

#[derive(Clone)]
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
    /// Impulse of applied forces, A (v* − v0).
    pub(crate) applied: Vec<f64>,
    pub(crate) v0: Vec<f64>,
    /// Parent of each dof within its clique.
    pub(crate) parents: Vec<u32>,
    pub(crate) bodies: Vec<Body>,
    pub(crate) jacobians: Vec<f64>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) contacts: Vec<ContactEntry>,
    /// Given normal impulses for friction, one per contact.
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
            applied: Vec::new(),
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

    /// Clears the problem. Keeps its memory, step, settings and normal laws.
    pub fn clear(&mut self) {
        self.cliques.clear();
        self.a.clear();
        self.applied.clear();
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

    /// Changes step and contact settings. They also apply to contacts that were already added.
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

    /// Registers a normal law for contacts to refer to. [`Problem::clear`] keeps the laws.
    pub fn add_normal_law(&mut self, law: NormalLaw) -> Result<NormalLawId, ProblemError> {
        law.check()?;
        self.normal_laws.push(law);
        Ok(NormalLawId(self.normal_laws.len() as u32 - 1))
    }

    /// Makes a law the only one besides the linear law, for contacts added from now on to refer to.
    pub fn set_normal_law(&mut self, law: NormalLaw) -> Result<NormalLawId, ProblemError> {
        law.check()?;
        self.normal_laws.truncate(1);
        self.add_normal_law(law)
    }

    /// Adds a clique with `n = v0.len()` dofs: its block of A (n×n, symmetric, positive definite,
    /// column-major; only finite numbers), the impulse p of applied forces (N s, N m s) and the previous velocity v0.
    /// Returns its first global dof.
    pub fn add_clique(&mut self, a: &[f64], applied: &[f64], v0: &[f64]) -> Result<usize, ProblemError> {
        let n = v0.len();
        length("A", a.len(), n * n)?;
        length("the impulse of applied forces", applied.len(), n)?;
        finite("A", a)?;
        finite("the impulse of applied forces", applied)?;
        finite("v0", v0)?;
        for index in 0..n {
            let value = a[index + n * index];
            if value <= 0.0 {
                return Err(ProblemError::NotPositive { clique: self.cliques.len(), index, value });
            }
        }
        let dof = self.applied.len();
        self.cliques.push(Clique { n, dof, a: self.a.len(), free: None });
        self.a.extend_from_slice(a);
        self.applied.extend_from_slice(applied);
        self.v0.extend_from_slice(v0);
        // A chain, in which all dofs may be coupled.
        self.parents.extend((0..n as u32).map(|k| k.wrapping_sub(1)));
        Ok(dof)
    }

    /// The same for a clique whose A is sparse as that of a tree of joints: A_kj is zero unless one of k and j is an
    /// ancestor of the other in the forest `parents`, in which each dof comes after its parent (`u32::MAX` for
    /// none). Known branches make the solution of a large tree faster.
    pub fn add_tree(
        &mut self,
        a: &[f64],
        parents: &[u32],
        applied: &[f64],
        v0: &[f64],
    ) -> Result<usize, ProblemError> {
        length("parents", parents.len(), v0.len())?;
        for (k, &parent) in parents.iter().enumerate() {
            if parent != u32::MAX && parent as usize >= k {
                return Err(ProblemError::Index { what: "parent", index: parent as usize, count: k });
            }
        }
        let dof = self.add_clique(a, applied, v0)?;
        self.parents.truncate(dof);
        self.parents.extend_from_slice(parents);
        Ok(dof)
    }

    /// Adds a free body with velocities v = [linear velocity of its origin in world axes; angular velocity in body axes]:
    /// its 6×6 block of A, the impulse p of applied forces, the previous velocity v0, its orientation R_wb and the world position of its origin.
    ///
    /// Bodies welded to it move with it and need no separate entry.
    pub fn add_free_body(
        &mut self,
        a: &[f64],
        applied: &[f64],
        v0: &[f64],
        rotation: &Matrix3<f64>,
        origin: Vector3<f64>,
    ) -> Result<BodyId, ProblemError> {
        length("A of a free body", a.len(), 36)?;
        finite("orientation", rotation.as_slice())?;
        finite("reference point", origin.as_slice())?;
        let columns: [[f64; 3]; 3] = (*rotation).into();
        let skew = free::skewness(&columns);
        require(skew <= 1e-9, "R Rᵀ − I of an orientation", skew, "at most 1e-9")?;
        self.add_clique(a, applied, v0)?;
        let clique = self.cliques.len() - 1;
        self.cliques[clique].free = Some(columns);
        self.bodies.push(Body { clique, point: origin, jacobian: usize::MAX });
        Ok(BodyId(self.bodies.len() as u32 - 1))
    }

    /// Adds a link of clique number `clique`, a tree: the world position of its reference point and its 6×n Jacobian,
    /// column-major, rows [angular; linear velocity of the reference point] in world axes.
    pub fn add_link(
        &mut self,
        clique: usize,
        point: Vector3<f64>,
        jacobian: &[f64],
    ) -> Result<BodyId, ProblemError> {
        let count = self.cliques.len();
        let n =
            self.cliques.get(clique).ok_or(ProblemError::Index { what: "clique", index: clique, count })?.n;
        if self.cliques[clique].free.is_some() {
            return Err(ProblemError::LinkOfFreeBody(clique));
        }
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
    /// that of the previous state. If it is taken from the impulses of a previous solve, the friction of the next
    /// solve no longer lags.
    pub fn set_lagged_impulse(&mut self, contact: usize, impulse: f64) -> Result<(), ProblemError> {
        let count = self.lagged.len();
        let what = "contact";
        let slot = self.lagged.get_mut(contact).ok_or(ProblemError::Index { what, index: contact, count })?;
        require(impulse >= 0.0 && impulse.is_finite(), "lagged impulse", impulse, "at least 0 and finite")?;
        *slot = Some(impulse);
        Ok(())
    }

    fn contact_mut(&mut self, contact: usize) -> Result<&mut ContactEntry, ProblemError> {
        let count = self.contacts.len();
        let what = "contact";
        self.contacts.get_mut(contact).ok_or(ProblemError::Index { what, index: contact, count })
    }

    /// Adds a velocity (world axes, m/s) to the bias of a contact.
    pub fn add_bias(&mut self, contact: usize, velocity: Vector3<f64>) -> Result<(), ProblemError> {
        finite("contact bias", velocity.as_slice())?;
        self.contact_mut(contact)?.bias += velocity;
        Ok(())
    }

    /// Sets the stretch (m, in the contact frame) of a contact's tangential spring. A contact without one is unchanged.
    pub fn set_stretch(&mut self, contact: usize, stretch: Vector2<f64>) -> Result<(), ProblemError> {
        finite("tangential stretch", stretch.as_slice())?;
        if let Some(spring) = &mut self.contact_mut(contact)?.spring {
            spring.stretch = stretch;
        }
        Ok(())
    }

    /// Sets stiffness (N/m) and damping (N s/m) of a contact's tangential spring, in place of critical damping. A contact without one is unchanged.
    pub fn set_spring(&mut self, contact: usize, stiffness: f64, damping: f64) -> Result<(), ProblemError> {
        let least = |what, x: f64| require(x >= 0.0 && x.is_finite(), what, x, "at least 0 and finite");
        least("tangential stiffness", stiffness)?;
        least("tangential damping", damping)?;
        if let Some(spring) = &mut self.contact_mut(contact)?.spring {
            (spring.stiffness, spring.damping, spring.critical) = (stiffness, damping, 0.0);
        }
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
        let count = self.applied.len();
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

    /// Makes the next solve the second pass, which corrects the errors that equalities were held at in the first
    /// ([`crate::correction`]), from the velocities and impulses of all rows in the first.
    pub fn correct(&mut self, velocities: &[f64], impulses: &[f64]) {
        for (row, (&velocity, &impulse)) in self.rows.iter_mut().zip(velocities.iter().zip(impulses)) {
            if let RowLaw::Equality { held, .. } = &mut row.law {
                *held = Some(Held { velocity, impulse });
            }
        }
    }

    /// Makes the next solve a first pass again.
    pub fn hold(&mut self) {
        for row in &mut self.rows {
            if let RowLaw::Equality { held, .. } = &mut row.law {
                *held = None;
            }
        }
    }

    /// Number of dofs.
    pub fn dof_count(&self) -> usize {
        self.applied.len()
    }

    /// Number of cliques.
    pub fn clique_count(&self) -> usize {
        self.cliques.len()
    }

    /// Number of pairs.
    pub fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The law of a row.
    pub fn row_law(&self, row: usize) -> Option<&RowLaw> {
        self.rows.get(row).map(|row| &row.law)
    }

    /// Changes the law of a row.
    pub fn set_row_law(&mut self, row: usize, law: RowLaw) -> Result<(), ProblemError> {
        check_law(&law)?;
        let count = self.rows.len();
        let place = self.rows.get_mut(row).ok_or(ProblemError::Index { what: "row", index: row, count })?;
        place.law = law;
        Ok(())
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
            let twist = self.body_twist(body, v);
            let twist = Vector6::from(shift_twist(twist, sub(pair.point.into(), body.point.into())));
            sum += sign * twist;
        }
        sum
    }

    /// Twist of a body at its reference point for velocities `v` of all dofs.
    fn body_twist(&self, body: &Body, v: &[f64]) -> V6 {
        let clique = &self.cliques[body.clique];
        let v = &v[clique.dof..clique.dof + clique.n];
        if let Some(rotation) = &clique.free {
            return free::twist(rotation, v);
        }
        let mut twist = [0.0; 6];
        let jacobian = &self.jacobians[body.jacobian..body.jacobian + 6 * clique.n];
        for (column, v) in jacobian.chunks_exact(6).zip(v) {
            for i in 0..6 {
                twist[i] += column[i] * v;
            }
        }
        twist
    }

    /// Previous velocities v0.
    pub fn previous_velocities(&self) -> &[f64] {
        &self.v0
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
