//! Random worlds and states for the tests.
#![allow(dead_code)]

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
pub use stiction_base::random::Random;
use stiction_model::{Body, Inertia, Joint, JointKind, Pose, Vec3, World};
use stiction_multibody::{MassMatrix, Multibody, Workspace};

/// Random vectors, poses and inertias.
pub trait RandomMechanics {
    fn vec(&mut self) -> Vec3;
    fn axis(&mut self) -> Vec3;
    fn rotation(&mut self) -> UnitQuaternion<f64>;
    fn pose(&mut self) -> Pose;
    /// A possible inertia: that of a random mass distribution.
    fn inertia(&mut self) -> Inertia;
    fn vector(&mut self, n: usize) -> Vec<f64>;
}

impl RandomMechanics for Random {
    fn vec(&mut self) -> Vec3 {
        Vector3::new(self.sym(), self.sym(), self.sym())
    }

    fn axis(&mut self) -> Vec3 {
        loop {
            let v = self.vec();
            if v.norm() > 0.1 {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = Quaternion::new(self.sym(), self.sym(), self.sym(), self.sym());
            if q.norm() > 0.1 {
                return UnitQuaternion::from_quaternion(q);
            }
        }
    }

    fn pose(&mut self) -> Pose {
        Pose::from_parts(self.vec().into(), self.rotation())
    }

    fn inertia(&mut self) -> Inertia {
        let spread = Matrix3::from_fn(|_, _| 0.3 * self.sym());
        let covariance = spread * spread.transpose() + Matrix3::identity() * 0.01;
        let mass = self.range(0.5, 2.0);
        let rotational = mass * (Matrix3::identity() * covariance.trace() - covariance);
        Inertia { mass, com: 0.3 * self.vec(), rotational: 0.5 * (rotational + rotational.transpose()) }
    }

    fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.sym()).collect()
    }
}

/// A sequence of joints whose coordinates are independent.
fn joints(r: &mut Random, on_world: bool) -> Vec<JointKind> {
    let hinge = |r: &mut Random| JointKind::Hinge { axis: r.axis() };
    let slide = |r: &mut Random| JointKind::Slide { axis: r.axis() };
    match r.modulo(if on_world { 14 } else { 12 }) {
        0 => vec![],
        1 => vec![hinge(r)],
        2 => vec![slide(r)],
        3 => vec![JointKind::Screw { axis: r.axis(), pitch: r.sym() }],
        4 => vec![JointKind::Cylindrical { axis: r.axis() }],
        5 => {
            let first = r.axis();
            let second = first.cross(&r.axis()).normalize();
            vec![JointKind::Universal { first, second }]
        }
        6 => {
            let x = r.axis();
            let y = x.cross(&r.axis()).normalize();
            vec![JointKind::Planar { x, y }]
        }
        7 => vec![JointKind::Ball],
        8 => vec![hinge(r), hinge(r)],
        9 => vec![slide(r), JointKind::Ball],
        10 => vec![slide(r), slide(r), hinge(r)],
        11 => vec![JointKind::Ball, slide(r)],
        _ => vec![JointKind::Free],
    }
}

/// A world of up to nine bodies in any number of trees, with every kind of joint, random anchors, axes,
/// references and inertias.
pub fn random_world(seed: u64) -> World {
    let r = &mut Random(seed);
    let mut world = World::new("random");
    world.options.gravity = 10.0 * r.vec();
    let count = 1 + r.modulo(8);
    for b in 1..=count {
        // Depth first: the parent is the previous body or one of its ancestors.
        let mut parent = b - 1;
        while parent != 0 && r.modulo(3) == 0 {
            parent = world.bodies[parent].parent.unwrap();
        }
        let mut body = Body::new(format!("b{b}"), parent);
        body.pose = r.pose();
        body.inertia = r.inertia();
        for (k, kind) in joints(r, parent == 0).into_iter().enumerate() {
            let mut joint = Joint::new(format!("j{b}.{k}"), kind);
            joint.anchor = r.vec();
            for reference in &mut joint.reference {
                *reference = r.sym();
            }
            if r.modulo(3) == 0 {
                for dof in &mut joint.dofs {
                    dof.armature = r.range(0.0, 0.2);
                    dof.rotor_inertia = r.range(0.0, 0.01);
                    dof.gear_ratio = 3.0 * r.sym();
                }
            }
            body.joints.push(joint);
        }
        world.bodies.push(body);
    }
    world
}

/// A compiled world in a random state.
pub struct Case {
    pub world: World,
    pub mb: Multibody,
    pub ws: Workspace,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub r: Random,
}

impl Case {
    pub fn new(seed: u64) -> Self {
        Self::of(random_world(seed), seed)
    }

    pub fn of(world: World, seed: u64) -> Self {
        let mb = Multibody::new(&world).unwrap();
        let mut r = Random(seed ^ 0x5eed);
        let q = random_q(&mb, &mut r);
        let v = r.vector(mb.nv());
        let mut ws = Workspace::new(&mb);
        mb.positions(&q, &mut ws);
        mb.velocities(&v, &mut ws);
        Self { world, mb, ws, q, v, r }
    }

    pub fn nv(&self) -> usize {
        self.mb.nv()
    }

    /// A workspace at another state.
    pub fn at(&self, q: &[f64], v: &[f64]) -> Workspace {
        let mut ws = self.ws.clone();
        self.mb.positions(q, &mut ws);
        self.mb.velocities(v, &mut ws);
        ws
    }

    /// q ⊕ h v by the exponential map.
    pub fn moved(&self, v: &[f64], h: f64) -> Vec<f64> {
        moved(&self.mb, &self.q, v, h)
    }

    pub fn mass(&mut self) -> MassMatrix {
        let mut m = MassMatrix::new(&self.mb);
        self.mb.mass_matrix(&mut self.ws, &mut m);
        m
    }

    pub fn rnea(&mut self, vdot: &[f64]) -> Vec<f64> {
        let mut tau = vec![0.0; self.nv()];
        self.mb.inverse_dynamics(&mut self.ws, vdot, &mut tau);
        tau
    }

    pub fn aba(&mut self, tau: &[f64]) -> Vec<f64> {
        let mut vdot = vec![0.0; self.nv()];
        self.mb.forward_dynamics(&mut self.ws, tau, &mut vdot);
        vdot
    }
}

pub fn moved(mb: &Multibody, q: &[f64], v: &[f64], h: f64) -> Vec<f64> {
    let mut out = vec![0.0; q.len()];
    mb.integrate(q, v, h, stiction_multibody::QuaternionStep::Exponential, &mut out);
    out
}

/// Random positions with unit quaternions.
pub fn random_q(mb: &Multibody, r: &mut Random) -> Vec<f64> {
    let mut q = vec![0.0; mb.nq()];
    for joint in mb.joints() {
        for i in joint.q.clone() {
            q[i] = 2.0 * r.sym();
        }
    }
    mb.normalize(&mut q);
    q
}

pub fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// Largest difference of two vectors over their scale (at least `floor`).
pub fn relative(a: &[f64], b: &[f64], floor: f64) -> f64 {
    assert_eq!(a.len(), b.len());
    let difference: Vec<f64> = a.iter().zip(b).map(|(x, y)| x - y).collect();
    max_abs(&difference) / max_abs(a).max(max_abs(b)).max(floor)
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Rate of ξ in q(t) = q₀ ⊕ ξ(t) at velocity v: v itself but for rotations, where it is
/// v + ½ ξ×v + (1/12) ξ×(ξ×v) up to terms of fourth order in ξ.
fn chart_rate(mb: &Multibody, xi: &[f64], v: &[f64]) -> Vec<f64> {
    let mut rate = v.to_vec();
    for joint in mb.joints() {
        let at = match joint.kind {
            JointKind::Ball => joint.v.start,
            JointKind::Free => joint.v.start + 3,
            _ => continue,
        };
        let xi = Vec3::from_column_slice(&xi[at..at + 3]);
        let w = Vec3::from_column_slice(&v[at..at + 3]);
        let turned = w + 0.5 * xi.cross(&w) + xi.cross(&xi.cross(&w)) / 12.0;
        rate[at..at + 3].copy_from_slice(turned.as_slice());
    }
    rate
}

/// Steps of methods of known order, with accelerations from forward dynamics under no joint forces.
pub struct Stepper<'a> {
    pub mb: &'a Multibody,
    pub ws: Workspace,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
}

impl Stepper<'_> {
    fn rate(&mut self, xi: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let q = moved(self.mb, &self.q, xi, 1.0);
        self.mb.positions(&q, &mut self.ws);
        self.mb.velocities(v, &mut self.ws);
        let mut vdot = vec![0.0; v.len()];
        self.mb.forward_dynamics(&mut self.ws, &vec![0.0; v.len()], &mut vdot);
        (chart_rate(self.mb, xi, v), vdot)
    }

    /// A Runge–Kutta step of order 1, 2 (midpoint) or 4 (classical).
    pub fn step(&mut self, h: f64, order: usize) {
        let add =
            |a: &[f64], s: f64, b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a + s * b).collect() };
        let (zero, v0) = (vec![0.0; self.v.len()], self.v.clone());
        let (x1, a1) = self.rate(&zero, &v0);
        let (dx, dv) = match order {
            1 => (x1, a1),
            2 => self.rate(&add(&zero, 0.5 * h, &x1), &add(&v0, 0.5 * h, &a1)),
            _ => {
                let (x2, a2) = self.rate(&add(&zero, 0.5 * h, &x1), &add(&v0, 0.5 * h, &a1));
                let (x3, a3) = self.rate(&add(&zero, 0.5 * h, &x2), &add(&v0, 0.5 * h, &a2));
                let (x4, a4) = self.rate(&add(&zero, h, &x3), &add(&v0, h, &a3));
                let mean = |a: &[f64], b: &[f64], c: &[f64], d: &[f64]| -> Vec<f64> {
                    (0..a.len()).map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0).collect()
                };
                (mean(&x1, &x2, &x3, &x4), mean(&a1, &a2, &a3, &a4))
            }
        };
        self.q = moved(self.mb, &self.q, &dx, h);
        self.v = add(&v0, h, &dv);
    }

    pub fn energy(&mut self) -> f64 {
        self.mb.positions(&self.q, &mut self.ws);
        self.mb.velocities(&self.v, &mut self.ws);
        self.mb.kinetic_energy(&self.ws, &self.v) + self.mb.potential_energy(&self.ws)
    }
}

/// A body with one joint at its origin.
pub fn jointed(name: &str, parent: usize, kind: JointKind, inertia: Inertia) -> Body {
    let mut body = Body::new(name, parent);
    body.inertia = inertia;
    body.joints.push(Joint::new(format!("{name} joint"), kind));
    body
}
