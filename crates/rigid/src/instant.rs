//! Masses, contact rows and velocities at one instant, and what follows from them.
//!
//! ```text
//! u = J v + b            contact velocities of B relative to A, [t1 t2 n] for each contact
//! v⁺ = v + M⁻¹ Jᵀ Λ      after the contact impulses Λ
//! u⁺ = u + W Λ           W = J M⁻¹ Jᵀ, the Delassus operator
//! ```
//!
//! b is the velocity of bodies that are moved from outside (MFI has b = 0).

use crate::contact::PointContact;
use crate::error::RigidError;
use crate::friction::{FrictionProblem, FrictionShape};
use nalgebra::{DMatrix, DVector, Vector2, Vector3};
use stiction_multibody::{Factor, MassMatrix, Multibody, Workspace};

/// Rigid contact at an instant.
#[derive(Clone, Debug)]
pub struct Instant {
    mass: DMatrix<f64>,
    jacobian: DMatrix<f64>,
    bias: DVector<f64>,
    /// M⁻¹ Jᵀ.
    response: DMatrix<f64>,
    delassus: DMatrix<f64>,
    friction: Vec<Vector2<f64>>,
    velocity: DVector<f64>,
}

impl Instant {
    /// The instant at the positions and base motions `ws` stands at, with joint velocities `v`.
    pub fn new(
        multibody: &Multibody,
        ws: &mut Workspace,
        v: &[f64],
        contacts: &[PointContact],
    ) -> Result<Self, RigidError> {
        let (nv, m) = (multibody.nv(), contacts.len());
        if v.len() != nv {
            return Err(RigidError::Shape { what: "the velocity", given: v.len(), needed: nv });
        }
        for (contact, c) in contacts.iter().enumerate() {
            for body in [c.body_a, c.body_b] {
                if body >= multibody.body_count() {
                    return Err(RigidError::Body { contact, body, bodies: multibody.body_count() });
                }
            }
            let off = (c.frame.transpose() * c.frame - nalgebra::Matrix3::identity()).norm();
            if off.is_nan() || off >= 1e-9 {
                return Err(RigidError::Frame { contact });
            }
        }
        let mut mass = MassMatrix::new(multibody);
        multibody.mass_matrix(ws, &mut mass);
        let mut factor = Factor::new(multibody);
        let sound = factor.compute(&mass, &[]);
        let mass = mass.to_dense();
        let locked = multibody.locked();
        if let Some(dof) = (0..nv).find(|&i| {
            let pivot = 1.0 / factor.inverse_diagonal()[i];
            !locked[i] && (!sound || pivot.is_nan() || pivot <= 1e-13 * mass[(i, i)])
        }) {
            return Err(RigidError::SingularMass { dof });
        }

        let mut jacobian = DMatrix::zeros(3 * m, nv);
        let mut bias = DVector::zeros(3 * m);
        let mut columns = Vec::new();
        // Velocities of bodies that hang on nothing but a base, at rest themselves.
        multibody.velocities(&vec![0.0; nv], ws);
        for (k, c) in contacts.iter().enumerate() {
            let mut drift = Vector3::zeros();
            for (body, sign) in [(c.body_b, 1.0), (c.body_a, -1.0)] {
                drift += sign * multibody.point_velocity(ws, body, &c.point);
                let Some(tree) = multibody.body_tree(body) else { continue };
                let range = multibody.trees()[tree].v.clone();
                columns.clear();
                columns.resize(range.len(), [0.0; 6]);
                multibody.body_jacobian(ws, body, &c.point, &mut columns);
                for (i, column) in range.zip(&columns) {
                    if locked[i] {
                        continue;
                    }
                    let linear = sign * Vector3::new(column[3], column[4], column[5]);
                    let rows = c.frame.tr_mul(&linear);
                    for r in 0..3 {
                        jacobian[(3 * k + r, i)] += rows[r];
                    }
                }
            }
            let rows = c.frame.tr_mul(&drift);
            bias.fixed_rows_mut::<3>(3 * k).copy_from(&rows);
        }
        multibody.velocities(v, ws);

        let mut response = DMatrix::zeros(nv, 3 * m);
        for c in 0..3 * m {
            let mut column: Vec<f64> = jacobian.row(c).iter().copied().collect();
            factor.solve(&mut column);
            response.column_mut(c).copy_from_slice(&column);
        }
        let friction = contacts.iter().map(|c| c.friction).collect();
        Self::assemble(mass, jacobian, bias, response, friction, DVector::from_column_slice(v))
    }

    /// The instant of given matrices: `mass` (nv × nv, symmetric positive definite), `jacobian` (three rows
    /// [t1 t2 n] a contact), friction along t1 and t2 of each contact, and the velocity.
    pub fn from_matrices(
        mass: DMatrix<f64>,
        jacobian: DMatrix<f64>,
        friction: Vec<Vector2<f64>>,
        velocity: DVector<f64>,
    ) -> Result<Self, RigidError> {
        let nv = velocity.len();
        let shape = |what, given, needed| Err(RigidError::Shape { what, given, needed });
        if mass.nrows() != nv || mass.ncols() != nv {
            return shape("the mass matrix's side", mass.nrows().max(mass.ncols()), nv);
        }
        if jacobian.ncols() != nv {
            return shape("a row of the Jacobian", jacobian.ncols(), nv);
        }
        if jacobian.nrows() != 3 * friction.len() {
            return shape("the Jacobian's height", jacobian.nrows(), 3 * friction.len());
        }
        if !mass.iter().all(|x| x.is_finite()) {
            return Err(RigidError::NotFinite { what: "the mass matrix" });
        }
        // Cholesky by hand, to tell where it fails: pivots that vanish beside their diagonal are none.
        let mut l = mass.clone();
        for i in 0..nv {
            for j in 0..=i {
                let sum = (0..j).fold(l[(i, j)], |s, k| s - l[(i, k)] * l[(j, k)]);
                if i == j {
                    if sum.is_nan() || sum <= 1e-13 * mass[(i, i)].abs() {
                        return Err(RigidError::SingularMass { dof: i });
                    }
                    l[(i, i)] = sum.sqrt();
                } else {
                    l[(i, j)] = sum / l[(j, j)];
                }
            }
        }
        let mut response = jacobian.transpose();
        l.solve_lower_triangular_mut(&mut response);
        l.tr_solve_lower_triangular_mut(&mut response);
        let bias = DVector::zeros(jacobian.nrows());
        Self::assemble(mass, jacobian, bias, response, friction, velocity)
    }

    fn assemble(
        mass: DMatrix<f64>,
        jacobian: DMatrix<f64>,
        bias: DVector<f64>,
        response: DMatrix<f64>,
        friction: Vec<Vector2<f64>>,
        velocity: DVector<f64>,
    ) -> Result<Self, RigidError> {
        for (contact, mu) in friction.iter().enumerate() {
            if let Some(&value) = mu.iter().find(|x| !(**x >= 0.0 && x.is_finite())) {
                return Err(RigidError::Friction { contact, value });
            }
        }
        if !jacobian.iter().chain(response.iter()).chain(bias.iter()).all(|x| x.is_finite()) {
            return Err(RigidError::NotFinite { what: "the contact Jacobian" });
        }
        if !velocity.iter().all(|x| x.is_finite()) {
            return Err(RigidError::NotFinite { what: "the velocity" });
        }
        let product = &jacobian * &response;
        let delassus = 0.5 * (&product + product.transpose());
        Ok(Self { mass, jacobian, bias, response, delassus, friction, velocity })
    }

    /// Adds frictionless unilateral rows of given velocity coordinates: a joint at a stop, `sign` +1 at its
    /// lower end and −1 at its upper. They become contacts with no tangent rows.
    pub fn with_stops(self, stops: &[(usize, f64)]) -> Result<Self, RigidError> {
        if stops.is_empty() {
            return Ok(self);
        }
        let (m, nv) = (self.friction.len(), self.velocity.len());
        let mut jacobian = self.jacobian.resize_vertically(3 * (m + stops.len()), 0.0);
        let mut friction = self.friction;
        let mut bias = self.bias.resize_vertically(3 * (m + stops.len()), 0.0);
        for (k, &(dof, sign)) in stops.iter().enumerate() {
            if dof >= nv {
                return Err(RigidError::Shape { what: "the velocity", given: nv, needed: dof + 1 });
            }
            jacobian[(3 * (m + k) + 2, dof)] = sign;
            friction.push(Vector2::zeros());
        }
        bias.rows_mut(3 * m, 3 * stops.len()).fill(0.0);
        let mut whole = Self::from_matrices(self.mass, jacobian, friction, self.velocity)?;
        whole.bias = bias;
        Ok(whole)
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// Number of velocity coordinates.
    pub fn nv(&self) -> usize {
        self.velocity.len()
    }

    /// Mass matrix M.
    pub fn mass(&self) -> &DMatrix<f64> {
        &self.mass
    }

    /// Contact Jacobian J, rows [t1 t2 n] for each contact.
    pub fn jacobian(&self) -> &DMatrix<f64> {
        &self.jacobian
    }

    /// M⁻¹ Jᵀ: what a unit of each impulse does to the velocities.
    pub fn response(&self) -> &DMatrix<f64> {
        &self.response
    }

    /// Delassus operator W = J M⁻¹ Jᵀ, 1/kg.
    pub fn delassus(&self) -> &DMatrix<f64> {
        &self.delassus
    }

    /// Friction along t1 and t2 of each contact.
    pub fn friction(&self) -> &[Vector2<f64>] {
        &self.friction
    }

    /// Contact velocity of bodies moved from outside, with all joints at rest, m/s.
    pub fn bias(&self) -> &DVector<f64> {
        &self.bias
    }

    /// Adds to the prescribed velocity of a contact, [t1 t2 n], m/s: a belt's surface.
    pub fn add_bias(&mut self, contact: usize, velocity: &Vector3<f64>) {
        let mut rows = self.bias.fixed_rows_mut::<3>(3 * contact);
        rows += velocity;
    }

    /// Joint velocities v.
    pub fn velocity(&self) -> &DVector<f64> {
        &self.velocity
    }

    /// The same instant with other joint velocities.
    pub fn with_velocity(mut self, velocity: DVector<f64>) -> Result<Self, RigidError> {
        if velocity.len() != self.nv() {
            return Err(RigidError::Shape { what: "the velocity", given: velocity.len(), needed: self.nv() });
        }
        if !velocity.iter().all(|x| x.is_finite()) {
            return Err(RigidError::NotFinite { what: "the velocity" });
        }
        self.velocity = velocity;
        Ok(self)
    }

    /// Contact velocities u = J v + b, m/s.
    pub fn contact_velocity(&self) -> DVector<f64> {
        &self.jacobian * &self.velocity + &self.bias
    }

    /// Joint velocities after contact impulses (three a contact, N s).
    pub fn velocity_after(&self, impulse: &DVector<f64>) -> DVector<f64> {
        &self.velocity + &self.response * impulse
    }

    /// Kinetic energy at velocities `v`, J.
    pub fn kinetic_energy(&self, v: &DVector<f64>) -> f64 {
        0.5 * v.dot(&(&self.mass * v))
    }

    /// The one-shot problem: impulses after which no contact approaches, under a friction cone of this shape.
    pub fn friction_problem(&self, shape: FrictionShape) -> FrictionProblem {
        FrictionProblem {
            delassus: self.delassus.clone(),
            velocity: self.contact_velocity(),
            friction: self.friction.clone(),
            cap: None,
            shape,
        }
    }
}
