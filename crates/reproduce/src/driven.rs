//! A rigid underside held in space over a soft plate that is moved under it: the motion is given, the friction is measured.
//!
//! The plate is a compliant half-space on a mocap body, p = slope · depth. The underside is a surface of revolution held by a
//! locked joint, so only the state of the tangential springs changes with time.

use crate::failure::Failure;
use nalgebra::{Matrix3, Vector3};
use stiction::continuous::{ContinuousOptions, TangentialCompliance, TractionFriction};
use stiction::model::{
    Body, Compliance, ContactProperties, Geom, Inertia, Joint, JointKind, Mesh, Shape, World,
};
use stiction::{Method, Model, Options, Simulation};

/// Slope of the plate's pressure, Pa/m.
pub const SLOPE: f64 = 1e8;

/// Friction coefficient.
pub const FRICTION: f64 = 0.5;

/// An underside: circles of points with their depths.
pub struct Underside {
    /// Radius and depth below the plate's surface of each circle, from inside out, m.
    pub circles: Vec<[f64; 2]>,
    /// Points on each circle.
    pub around: u32,
}

impl Underside {
    /// `rings` equal rings from radius `inner` to `outer`, of depth `depth(r)`.
    pub fn new(inner: f64, outer: f64, rings: u32, around: u32, depth: impl Fn(f64) -> f64) -> Self {
        let circle = |k: u32| {
            let r = inner + (outer - inner) * f64::from(k) / f64::from(rings);
            [r, depth(r)]
        };
        Self { circles: (0..=rings).map(circle).collect(), around }
    }

    fn mesh(&self) -> Mesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        // Polygons of the circles' areas.
        let step = std::f64::consts::TAU / f64::from(self.around);
        let scale = (step / step.sin()).sqrt();
        for [r, depth] in &self.circles {
            for i in 0..self.around {
                let (s, c) = (step * f64::from(i)).sin_cos();
                vertices.push(Vector3::new(scale * r * c, scale * r * s, -depth));
            }
        }
        for k in 0..self.circles.len() as u32 - 1 {
            for i in 0..self.around {
                let at = |k: u32, i: u32| k * self.around + i % self.around;
                // Seen from below, outside, counter-clockwise; a circle of no radius has no second triangle.
                triangles.push([at(k, i), at(k + 1, i + 1), at(k + 1, i)]);
                if self.circles[k as usize][0] > 0.0 {
                    triangles.push([at(k, i), at(k, i + 1), at(k + 1, i + 1)]);
                }
            }
        }
        Mesh { name: "underside".into(), vertices, triangles, ..Mesh::default() }
    }

    /// The underside over the plate, springs at rest.
    pub fn over_plate(&self, springs: TangentialCompliance, accuracy: f64) -> Result<Simulation, Failure> {
        let mut world = World::new("driven plate");
        let mut plate = Body::new("plate", 0);
        plate.mocap = true;
        world.bodies.push(plate);
        let mut block = Body::new("block", 0);
        let mut joint = Joint::new("held", JointKind::Slide { axis: Vector3::z() });
        joint.locked = true;
        block.joints.push(joint);
        block.inertia = Inertia { mass: 1.0, com: Vector3::zeros(), rotational: Matrix3::identity() };
        world.bodies.push(block);
        let rigid = ContactProperties {
            static_friction: Some(FRICTION),
            dynamic_friction: Some(FRICTION),
            dissipation: Some(0.0),
            compliance: Compliance::Rigid,
            ..ContactProperties::default()
        };
        let soft = ContactProperties {
            compliance: Compliance::Compliant,
            hydroelastic_modulus: Some(SLOPE),
            slab_thickness: Some(1.0),
            ..rigid
        };
        world.meshes.push(self.mesh().into());
        let mut geom = |name: &str, body: usize, shape: Shape, contact: ContactProperties| {
            let mut geom = Geom::new(name, body, shape);
            geom.contact = contact;
            world.geoms.push(geom);
        };
        geom("plate", 1, Shape::HalfSpace { size: [0.0; 2] }, soft);
        geom("underside", 2, Shape::Mesh { mesh: 0, convex: false }, rigid);
        let model = Model::new(world).map_err(Failure::work)?;
        let friction = TractionFriction::Springs(springs);
        let method = Method::Continuous(ContinuousOptions { friction, ..ContinuousOptions::default() });
        let options = Options { method, accuracy: Some(accuracy), max_step: 1e9, ..Options::default() };
        Simulation::new(&model, options).map_err(Failure::work)
    }
}

/// Moves the underside relative to the plate at a velocity (m/s) and a turning rate about z (rad/s): the plate moves the
/// other way.
pub fn drive(sim: &mut Simulation, velocity: Vector3<f64>, turn: f64) {
    sim.state_mut().mocap[0].twist = [0.0, 0.0, -turn, -velocity.x, -velocity.y, -velocity.z];
}

/// Friction on the underside now: force (N), and moment about z (N m).
pub fn friction(sim: &Simulation) -> (Vector3<f64>, f64) {
    let patches = sim.patches();
    let Some(patch) = patches.first() else { return (Vector3::zeros(), 0.0) };
    let moment = patch.moment + patch.centroid.cross(&patch.force);
    (Vector3::new(patch.force.x, patch.force.y, 0.0), moment.z)
}

/// Normal force on the underside, N.
pub fn normal_force(sim: &Simulation) -> f64 {
    sim.patches().first().map_or(0.0, |p| p.force.z)
}
