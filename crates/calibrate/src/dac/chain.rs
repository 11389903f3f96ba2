//! A planar chain of three links, pinned at its top, whose last link meets the floor (DAC 4.3).
//!
//! Angles θ_k are absolute, about +y from the x axis, so that link k points along e(θ) = (cos θ, 0, −sin θ) and turns at
//! θ̇_k. With J_k the Jacobian of link k's centre and a_k its acceleration at θ̈ = 0 (centripetal),
//!
//! ```text
//! M = Σ m_k J_kᵀ J_k + I_k        M θ̈ = Σ m_k J_kᵀ (g − a_k) + contact
//! ```
//!
//! Ground truth is one friction problem over the whole chain. The learned way is Algorithm 2: the last link by itself,
//! with the law trained on tosses of that link alone, and the upper two as the upstream system.

use super::body::{GRAVITY, Motion, TossBody};
use super::reference::Reference;
use super::stepper::Stepper;
use nalgebra::{DMatrix, DVector, Matrix3, UnitQuaternion, Vector2, Vector3, Vector6};
use stiction::rigid::contact::{FrictionProblem, FrictionShape, solve_friction};
use stiction_dac::{Chain as ChainInstant, ChainAnswer, Class, DacLaw, LawError, Outside, Upstream};

/// Number of links.
pub const LINKS: usize = 3;

/// The chain.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Height of the pin above the floor, m.
    pub pin: f64,
    /// Length of every link between its joints, m.
    pub length: f64,
    /// Mass and inertia about y of the upper links, kg and kg m².
    pub upper: (f64, f64),
    /// The last link; its x axis points away from its joint, which is half its length from its centre.
    pub last: TossBody,
    /// The floor.
    pub reference: Reference,
}

/// Angles and rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainState {
    /// θ, rad.
    pub angles: [f64; LINKS],
    /// θ̇, rad/s.
    pub rates: [f64; LINKS],
}

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChainTouch {
    /// Force impulse of the floor on the last link, N s.
    pub impulse: Vector3<f64>,
    /// Class, where something touched.
    pub class: Option<Class>,
    /// Evaluations of G (Algorithm 2).
    pub evaluations: usize,
    /// Whether Powell's method converged (or was not needed).
    pub converged: bool,
    /// Whether the law was outside its training range.
    pub outside: Option<Outside>,
}

fn along(angle: f64) -> Vector3<f64> {
    Vector3::new(angle.cos(), 0.0, -angle.sin())
}

impl Chain {
    /// The chain of the reproduction, with the last link of the case `link`.
    pub fn new(pin: f64, last: TossBody, reference: Reference) -> Self {
        let length = 0.3;
        Self { pin, length, upper: (0.5, 0.5 * length * length / 12.0), last, reference }
    }

    /// Horizontal, at rest.
    pub fn start(&self) -> ChainState {
        ChainState { angles: [0.0; LINKS], rates: [0.0; LINKS] }
    }

    fn arm(&self, link: usize, joint: usize) -> f64 {
        // Share of link `joint` that lies between the pin and the centre of `link`.
        if joint < link { self.length } else { 0.5 * self.length }
    }

    /// Centre of a link, m.
    pub fn centre(&self, s: &ChainState, link: usize) -> Vector3<f64> {
        (0..=link).fold(Vector3::z() * self.pin, |p, j| p + along(s.angles[j]) * self.arm(link, j))
    }

    /// The joint between link 2 and the last, m.
    pub fn last_joint(&self, s: &ChainState) -> Vector3<f64> {
        self.centre(s, 2) - along(s.angles[2]) * (0.5 * self.length)
    }

    /// ∂ centre / ∂θ_j.
    fn column(&self, s: &ChainState, link: usize, j: usize) -> Vector3<f64> {
        if j > link { Vector3::zeros() } else { Vector3::y().cross(&along(s.angles[j])) * self.arm(link, j) }
    }

    /// Acceleration of a centre at θ̈ = 0.
    fn convective(&self, s: &ChainState, link: usize) -> Vector3<f64> {
        (0..=link).map(|j| -along(s.angles[j]) * (self.arm(link, j) * s.rates[j] * s.rates[j])).sum()
    }

    fn mass(&self, link: usize) -> (f64, f64) {
        if link + 1 < LINKS { self.upper } else { (self.last.mass, self.last.inertia[(1, 1)]) }
    }

    /// Mass matrix and velocities after forces but contact acted for `h`, of the first `n` links by themselves.
    fn free(&self, s: &ChainState, n: usize, h: f64) -> Result<(DMatrix<f64>, DVector<f64>), LawError> {
        let mut mass = DMatrix::zeros(n, n);
        let mut force = DVector::zeros(n);
        for link in 0..n {
            let (m, inertia) = self.mass(link);
            let pull = Vector3::z() * -GRAVITY - self.convective(s, link);
            for i in 0..=link {
                let a = self.column(s, link, i);
                force[i] += m * a.dot(&pull);
                for j in 0..=link {
                    mass[(i, j)] += m * a.dot(&self.column(s, link, j));
                }
            }
            mass[(link, link)] += inertia;
        }
        let Some(factor) = mass.clone().cholesky() else { return Err(LawError::SingularMass) };
        let rates = DVector::from_fn(n, |i, _| s.rates[i]) + factor.solve(&force) * h;
        Ok((mass, rates))
    }

    /// The last link as a body: its pose, and its velocity at the rates.
    fn link_motion(&self, s: &ChainState) -> Motion {
        let linear = (0..LINKS).map(|j| self.column(s, 2, j) * s.rates[j]).sum();
        Motion {
            com: self.centre(s, 2),
            rotation: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), s.angles[2]),
            linear,
            spin: Vector3::y() * s.rates[2],
        }
    }

    fn touching(&self, s: &ChainState, touch: f64) -> (Vec<usize>, Vec<Vector3<f64>>) {
        let motion = self.link_motion(s);
        self.last.vertices_w(&motion).enumerate().filter(|(_, p)| p.z <= touch).unzip()
    }

    /// Rows x, y, z of a point of the last link.
    fn point_rows(&self, s: &ChainState, point: &Vector3<f64>) -> DMatrix<f64> {
        let centre = self.centre(s, 2);
        DMatrix::from_fn(3, LINKS, |r, j| {
            let mut column = self.column(s, 2, j);
            if j == 2 {
                column += Vector3::y().cross(&(point - centre));
            }
            column[r]
        })
    }

    /// One step of ground truth.
    pub fn reference_step(&self, s: &mut ChainState, stepper: &Stepper) -> Result<ChainTouch, LawError> {
        let (mass, mut rates) = self.free(s, LINKS, stepper.step)?;
        let (vertices, points) = self.touching(s, stepper.touch);
        let mut touch = ChainTouch { converged: true, ..ChainTouch::default() };
        let mut loads = Vec::new();
        if !points.is_empty() {
            let mut rows = DMatrix::zeros(3 * points.len(), LINKS);
            for (k, p) in points.iter().enumerate() {
                rows.view_mut((3 * k, 0), (3, LINKS)).copy_from(&self.point_rows(s, p));
            }
            let Some(factor) = mass.cholesky() else { return Err(LawError::SingularMass) };
            let response = factor.solve(&rows.transpose());
            let mut delassus = &rows * &response;
            let size = delassus.amax();
            for i in 0..delassus.nrows() {
                delassus[(i, i)] += 1e-6 * size;
            }
            let velocity = &rows * &rates;
            // Nothing moves along y.
            let friction = vec![Vector2::new(self.reference.friction[0], 0.0); points.len()];
            let shape = FrictionShape::Pyramid;
            let solution =
                solve_friction(&FrictionProblem { delassus, velocity, friction, cap: None, shape })?;
            rates += response * &solution.impulse;
            touch.impulse =
                (0..points.len()).map(|k| solution.impulse.fixed_rows::<3>(3 * k).into_owned()).sum();
            loads = (0..points.len()).map(|k| solution.impulse[3 * k + 2]).collect();
            let after = &rows * &rates;
            let stands = after.amax() <= 1e-4 * rates.amax();
            touch.class = Some(match touch.impulse.z > 0.0 {
                false => Class::Detach,
                true if stands => Class::Static,
                true => Class::Dynamic,
            });
        }
        self.advance(s, &rates, stepper.step, &vertices, &loads);
        Ok(touch)
    }

    /// One step by Algorithm 2.
    pub fn learned_step(
        &self,
        law: &DacLaw,
        s: &mut ChainState,
        stepper: &Stepper,
    ) -> Result<ChainTouch, LawError> {
        let (vertices, points) = self.touching(s, stepper.touch);
        let mut touch = ChainTouch { converged: true, ..ChainTouch::default() };
        if points.is_empty() {
            let (_, rates) = self.free(s, LINKS, stepper.step)?;
            self.advance(s, &rates, stepper.step, &[], &[]);
            return Ok(touch);
        }
        let (mass, velocity) = self.free(s, 2, stepper.step)?;
        let joint = self.last_joint(s);
        let motion = self.link_motion(s);
        let mut link = self.last.free(&motion, stepper.step);
        // The link's coordinates turn with the chain: its centripetal acceleration is not the joint's to give.
        let turned = self.convective(s, 2) * stepper.step;
        let mut linear = link.twist.fixed_rows_mut::<3>(3);
        linear -= turned;
        // The joint holds x and z.
        let lever = (joint - motion.com).cross_matrix();
        let row = |r: usize, j: usize| if j < 3 { -lever[(r, j)] } else { f64::from(j - 3 == r) };
        let jacobian = DMatrix::from_fn(2, 6, |k, j| row(2 * k, j));
        let upstream_row =
            |k: usize, j: usize| (Vector3::y().cross(&along(s.angles[j])) * self.length)[2 * k];
        let upstream = Upstream { mass, velocity, jacobian: DMatrix::from_fn(2, 2, upstream_row) };
        let frame = Matrix3::identity();
        let ChainAnswer { contact, twist, velocity, evaluations, converged, .. } =
            law.chain_contact(&ChainInstant { link, jacobian, upstream, frame, points })?;
        touch.impulse = contact.wrench.fixed_rows::<3>(3).into();
        touch.class = Some(contact.class);
        touch.outside = contact.outside;
        (touch.evaluations, touch.converged) = (evaluations, converged);
        let rates = DVector::from_vec(vec![velocity[0], velocity[1], spin_of(&twist)]);
        self.advance(s, &rates, stepper.step, &vertices, &contact.loads);
        Ok(touch)
    }

    /// θ += h θ̇⁺, then loaded vertices onto the floor and others out of it, by the least motion.
    fn advance(&self, s: &mut ChainState, rates: &DVector<f64>, h: f64, vertices: &[usize], loads: &[f64]) {
        for k in 0..LINKS {
            s.rates[k] = rates[k];
            s.angles[k] += h * rates[k];
        }
        let mut loaded = vec![false; self.last.vertices.len()];
        for (&v, &load) in vertices.iter().zip(loads) {
            loaded[v] = load > 0.0;
        }
        for _ in 0..20 {
            let motion = self.link_motion(s);
            let points: Vec<Vector3<f64>> = self.last.vertices_w(&motion).collect();
            let off = |k: usize, z: f64| if loaded[k] { z.abs() } else { (-z).max(0.0) };
            let worst =
                (0..points.len()).max_by(|a, b| off(*a, points[*a].z).total_cmp(&off(*b, points[*b].z)));
            let Some(worst) = worst.filter(|k| off(*k, points[*k].z) > 1e-9) else { return };
            let Ok((mass, _)) = self.free(s, LINKS, 0.0) else { return };
            let row = self.point_rows(s, &points[worst]).row(2).transpose();
            let Some(step) = mass.cholesky().map(|c| c.solve(&row)) else { return };
            let push = -points[worst].z / row.dot(&step);
            for k in 0..LINKS {
                s.angles[k] += step[k] * push;
            }
        }
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self, s: &ChainState) -> f64 {
        (0..LINKS)
            .map(|k| {
                let (m, inertia) = self.mass(k);
                let v: Vector3<f64> = (0..LINKS).map(|j| self.column(s, k, j) * s.rates[j]).sum();
                0.5 * m * v.norm_squared()
                    + 0.5 * inertia * s.rates[k] * s.rates[k]
                    + m * GRAVITY * self.centre(s, k).z
            })
            .sum()
    }
}

fn spin_of(twist: &Vector6<f64>) -> f64 {
    twist[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dac::cases::Case;

    fn chain(pin: f64) -> Chain {
        let case = Case::named("link").unwrap();
        Chain::new(pin, case.body, case.reference)
    }

    #[test]
    fn a_chain_that_swings_freely_keeps_its_energy() {
        let chain = chain(2.0);
        let mut s = chain.start();
        let before = chain.energy(&s);
        let stepper = Stepper { step: 1e-4, ..Stepper::default() };
        for _ in 0..4000 {
            chain.reference_step(&mut s, &stepper).unwrap();
        }
        let swing = before - (0..3).map(|k| chain.mass(k).0 * GRAVITY * chain.centre(&s, k).z).sum::<f64>();
        assert!(swing > 1.0);
        assert!((chain.energy(&s) - before).abs() < 2e-3 * swing, "{} of {swing}", chain.energy(&s) - before);
    }

    #[test]
    fn algorithm_2_with_coulomb_friction_is_the_whole_chain_at_once() {
        // In the plane the pyramid and the cone are the same, so Coulomb's law must give ground truth's impulses.
        let chain = chain(0.6);
        let law = DacLaw::coulomb(chain.reference.friction[0]);
        let stepper = Stepper::default();
        let mut s = chain.start();
        let (mut contacts, mut worst): (usize, f64) = (0, 0.0);
        for _ in 0..500 {
            let mut other = s;
            let ours = chain.learned_step(&law, &mut other, &stepper).unwrap();
            let truth = chain.reference_step(&mut s, &stepper).unwrap();
            if truth.impulse.norm() > 0.0 {
                contacts += 1;
                worst = worst.max((ours.impulse - truth.impulse).norm() / (0.01 + truth.impulse.norm()));
            }
        }
        assert!(contacts > 50, "{contacts}");
        assert!(worst < 1e-3, "{worst}");
    }
}
