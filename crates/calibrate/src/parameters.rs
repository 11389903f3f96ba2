//! What can be calibrated: names, where they stand in a world, and what they become.
//!
//! Contact parameters are those of the pair: every colliding geom gets what makes two of them combine to the value
//! (friction and dissipation the same, stiffness doubled, relaxation time halved).

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use stiction::model::{ContactCalibration, FrictionCalibration, Geom, GeomRole, Shape, World};

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Friction coefficient of pairs.
    Friction,
    /// Stiffness of pairs, N/m.
    Stiffness,
    /// Hunt & Crossley dissipation of pairs, s/m.
    Dissipation,
    /// Relaxation time of pairs, s; contacts then dissipate by it.
    RelaxationTime,
    /// Factor on the moments of inertia that the model states.
    Inertia,
    /// Factor on the moments of inertia about one axis of the bodies' frames.
    InertiaAbout(usize),
    /// Factor on the lengths that the model states, of everything that moves.
    Size,
    /// Slope of the table in the recording's frame along x or y: gravity is square to the table, the frame is not.
    Slope(usize),
    /// Height of the table in the recording's frame, m.
    Height,
    /// Acceleration of gravity, m/s².
    Gravity,
    /// Stiffness of tangential springs over that of the normal ones.
    SpringStiffness,
    /// Relaxation time of tangential springs, s.
    SpringTime,
    /// Friction in the hinges and slides of the model, N m or N.
    JointFriction,
    /// Damping in the hinges and slides of the model, N m s or N s/m.
    JointDamping,
    /// A weight of the friction law, by its place.
    Law(usize),
}

use Parameter::*;

const NAMED: [(&str, Parameter); 17] = [
    ("friction", Friction),
    ("stiffness", Stiffness),
    ("dissipation", Dissipation),
    ("relaxation_time", RelaxationTime),
    ("inertia", Inertia),
    ("inertia_x", InertiaAbout(0)),
    ("inertia_y", InertiaAbout(1)),
    ("inertia_z", InertiaAbout(2)),
    ("slope_x", Slope(0)),
    ("slope_y", Slope(1)),
    ("height", Height),
    ("size", Size),
    ("gravity", Gravity),
    ("spring_stiffness", SpringStiffness),
    ("spring_time", SpringTime),
    ("joint_friction", JointFriction),
    ("joint_damping", JointDamping),
];

impl Parameter {
    /// The parameter of a name; the error lists the names there are.
    pub fn from_name(name: &str) -> Result<Self, String> {
        let named = NAMED.iter().find(|(n, _)| *n == name).map(|(_, p)| *p);
        let law = FrictionCalibration::NAMES.iter().position(|n| *n == name).map(Law);
        named.or(law).ok_or_else(|| {
            let names: Vec<&str> = NAMED.iter().map(|(n, _)| *n).chain(FrictionCalibration::NAMES).collect();
            format!("there is no parameter \"{name}\": choose from {}", names.join(", "))
        })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Law(k) => FrictionCalibration::NAMES[*k],
            other => NAMED.iter().find(|(_, p)| p == other).map_or("", |(n, _)| n),
        }
    }

    /// Its unit.
    pub fn unit(&self) -> &'static str {
        match self {
            Stiffness => "N/m",
            Dissipation => "s/m",
            RelaxationTime | SpringTime => "s",
            Gravity => "m/s²",
            Height => "m",
            JointFriction => "N m",
            JointDamping => "N m s",
            _ => "",
        }
    }

    /// Whether it is searched by its logarithm; it is then positive.
    pub fn logarithmic(&self) -> bool {
        !matches!(self, Law(_) | Slope(_) | Height)
    }

    /// A reasonable step of it, or of its logarithm.
    pub fn scale(&self) -> f64 {
        match self {
            Friction | Inertia | InertiaAbout(_) | Law(_) => 0.1,
            Size | Gravity => 0.01,
            Slope(_) => 0.005,
            Height => 0.001,
            _ => 0.3,
        }
    }

    /// Its value in a world: what the model states, a default where it states nothing, 1 for factors.
    pub fn read(&self, world: &World) -> f64 {
        let law = world.options.contact_law.unwrap_or_default();
        let geom = world.geoms.iter().find(|g| g.body != 0 && g.role != GeomRole::Visual);
        let contact = geom.map(|g| g.contact).unwrap_or_default();
        let dof = world.joints().flat_map(|(_, j)| if j.kind.nv() == 1 { &j.dofs[..] } else { &[] }).next();
        match self {
            Friction => contact.dynamic_friction.or(contact.static_friction).unwrap_or(0.5),
            Stiffness => 0.5 * contact.stiffness.unwrap_or(stiction::material::DEFAULT_STIFFNESS),
            Dissipation => contact.dissipation.unwrap_or(stiction::material::DEFAULT_DISSIPATION),
            // The default of a geom is SAP's, far slower than an impact.
            RelaxationTime => contact.relaxation_time.map_or(0.005, |tau| 2.0 * tau),
            Inertia | InertiaAbout(_) | Size => 1.0,
            Slope(axis) => slopes(world)[*axis],
            Height => table(world).map_or(0.0, |g| g.pose.translation.z),
            Gravity => world.options.gravity.norm(),
            SpringStiffness => law.springs.map_or(0.8, |s| s[0]),
            SpringTime => law.springs.map_or(0.0, |s| s[1]).max(1e-4),
            JointFriction => dof.map_or(0.0, |d| d.friction).max(1e-4),
            JointDamping => dof.map_or(0.0, |d| d.damping).max(1e-5),
            Law(k) => law.friction.weights()[*k],
        }
    }

    /// Sets its value in a world that is as the model states it, but for other parameters.
    pub fn write(&self, world: &mut World, value: f64) {
        match self {
            Friction | Stiffness | Dissipation | RelaxationTime => {
                for geom in world.geoms.iter_mut().filter(|g| g.role != GeomRole::Visual) {
                    let contact = &mut geom.contact;
                    match self {
                        Friction => {
                            (contact.static_friction, contact.dynamic_friction) = (Some(value), Some(value));
                        }
                        Stiffness => contact.stiffness = Some(2.0 * value),
                        Dissipation => contact.dissipation = Some(value),
                        _ => contact.relaxation_time = Some(0.5 * value),
                    }
                }
                match self {
                    RelaxationTime => law(world).dissipation = stiction::model::Dissipation::Linear,
                    Dissipation => law(world).dissipation = stiction::model::Dissipation::HuntCrossley,
                    _ => {}
                }
            }
            Inertia => world.bodies.iter_mut().skip(1).for_each(|b| b.inertia.rotational *= value),
            InertiaAbout(axis) => {
                let factor = nalgebra::Matrix3::from_diagonal(&Vector3::from_fn(|i, _| {
                    if i == *axis { value.sqrt() } else { 1.0 }
                }));
                for body in world.bodies.iter_mut().skip(1) {
                    body.inertia.rotational = factor * body.inertia.rotational * factor;
                }
            }
            Size => resize(world, value),
            Slope(axis) => tilt(world, *axis, value),
            Height => tables(world).for_each(|g| g.pose.translation.z = value),
            Gravity => {
                let gravity = &mut world.options.gravity;
                let norm = gravity.norm();
                *gravity = if norm > 0.0 { *gravity * (value / norm) } else { *gravity };
            }
            SpringStiffness => springs(world)[0] = value,
            SpringTime => springs(world)[1] = value,
            JointFriction => hinges(world, |d| d.friction = value),
            JointDamping => hinges(world, |d| d.damping = value),
            Law(k) => {
                let law = law(world);
                let mut weights = law.friction.weights();
                weights[*k] = value;
                law.friction = FrictionCalibration::from_weights(weights);
            }
        }
    }
}

fn law(world: &mut World) -> &mut ContactCalibration {
    world.options.contact_law.get_or_insert_with(ContactCalibration::default)
}

fn springs(world: &mut World) -> &mut [f64; 2] {
    law(world).springs.get_or_insert([0.8, 1e-4])
}

fn hinges(world: &mut World, set: impl Fn(&mut stiction::model::Dof)) {
    let joints = world.bodies.iter_mut().flat_map(|b| &mut b.joints);
    joints.filter(|j| j.kind.nv() == 1).flat_map(|j| &mut j.dofs).for_each(set);
}

/// The planes that do not move.
fn tables(world: &mut World) -> impl Iterator<Item = &mut Geom> {
    world.geoms.iter_mut().filter(|g| g.body == 0 && matches!(g.shape, Shape::HalfSpace { .. }))
}

fn table(world: &World) -> Option<&Geom> {
    world.geoms.iter().find(|g| g.body == 0 && matches!(g.shape, Shape::HalfSpace { .. }))
}

/// Slopes dz/dx and dz/dy of the plane that gravity is square to.
fn slopes(world: &World) -> [f64; 2] {
    let g = world.options.gravity;
    if g.z == 0.0 { [0.0, 0.0] } else { [-g.x / g.z, -g.y / g.z] }
}

/// Turns gravity and the table so that its slope along an axis is `value`.
fn tilt(world: &mut World, axis: usize, value: f64) {
    let up = |slopes: [f64; 2]| Vector3::new(-slopes[0], -slopes[1], 1.0).normalize();
    let before = slopes(world);
    let mut after = before;
    after[axis] = value;
    // The quaternion between two directions a, b: (1 + a·b, a × b), which small angles leave exact.
    let (a, b) = (up(before), up(after));
    let turn = UnitQuaternion::from_quaternion(Quaternion::from_parts(1.0 + a.dot(&b), a.cross(&b)));
    world.options.gravity = turn * world.options.gravity;
    for table in tables(world) {
        table.pose.rotation = turn * table.pose.rotation;
    }
}

/// Scales the lengths of everything that moves; masses and moments of inertia stay.
fn resize(world: &mut World, factor: f64) {
    for body in world.bodies.iter_mut().skip(1) {
        if body.parent != Some(0) {
            body.pose.translation.vector *= factor;
        }
        body.inertia.com *= factor;
        body.joints.iter_mut().for_each(|j| j.anchor *= factor);
    }
    let mut meshes = std::collections::BTreeSet::new();
    for geom in world.geoms.iter_mut().filter(|g| g.body != 0) {
        geom.pose.translation.vector *= factor;
        match &mut geom.shape {
            Shape::Sphere { radius } => *radius *= factor,
            Shape::Box { half_extents } => *half_extents *= factor,
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                *radius *= factor;
                *half_length *= factor;
            }
            Shape::Ellipsoid { radii } => *radii *= factor,
            Shape::Mesh { mesh, .. } => {
                meshes.insert(*mesh);
            }
            Shape::HalfSpace { .. } | Shape::HeightField { .. } => {}
        }
    }
    for mesh in meshes {
        let mesh = std::sync::Arc::make_mut(&mut world.meshes[mesh]);
        mesh.vertices.iter_mut().for_each(|v| *v *= factor);
    }
}

/// Whether the dissipation that the world asks for can be found with these parameters: a relaxation time and Hunt &
/// Crossley's coefficient exclude each other.
pub fn contradiction(parameters: &[Parameter]) -> Option<&'static str> {
    let has = |p: Parameter| parameters.contains(&p);
    (has(Dissipation) && has(RelaxationTime))
        .then_some("dissipation and relaxation_time are two laws of one thing: choose one")
}

/// The pair's contact as a world states it, for a contact file.
pub fn contact_of(world: &World) -> ContactCalibration {
    let mut contact = world.options.contact_law.unwrap_or_default();
    let linear = contact.dissipation == stiction::model::Dissipation::Linear;
    let friction = Some(Friction.read(world));
    contact.material = stiction::model::ContactProperties {
        static_friction: friction,
        dynamic_friction: friction,
        stiffness: Some(Stiffness.read(world)),
        dissipation: (!linear).then(|| Dissipation.read(world)),
        relaxation_time: linear.then(|| RelaxationTime.read(world)),
        ..Default::default()
    };
    contact
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::Model;

    #[test]
    fn every_parameter_is_read_as_it_was_written() {
        let model = Model::from_scene("cube_toss").expect("it is built in");
        let all = NAMED.iter().map(|(_, p)| *p).chain((0..9).map(Law));
        for parameter in
            all.filter(|p| !matches!(p, Inertia | InertiaAbout(_) | Size | JointFriction | JointDamping))
        {
            let mut world = model.world().clone();
            let value = 1.25 * parameter.read(&world) + 0.01;
            parameter.write(&mut world, value);
            assert!((parameter.read(&world) - value).abs() < 1e-12 * value.abs(), "{}", parameter.name());
            assert_eq!(Parameter::from_name(parameter.name()), Ok(parameter));
        }
    }

    #[test]
    fn gravity_stays_square_to_a_table_that_slopes() {
        let model = Model::from_scene("elbow_toss").expect("it is built in");
        let mut world = model.world().clone();
        let strength = world.options.gravity.norm();
        Slope(0).write(&mut world, 0.03);
        Slope(1).write(&mut world, -0.02);
        assert!((Slope(0).read(&world) - 0.03).abs() < 1e-12 && (Slope(1).read(&world) + 0.02).abs() < 1e-12);
        let normal = table(&world).expect("there is one").pose.rotation * Vector3::z();
        assert!((normal * strength + world.options.gravity).norm() < 1e-12);
        assert!((normal - Vector3::new(-0.03, 0.02, 1.0).normalize()).norm() < 1e-12);
    }

    #[test]
    fn size_scales_lengths_and_inertia_scales_moments() {
        let model = Model::from_scene("cube_toss").expect("it is built in");
        let mut world = model.world().clone();
        Size.write(&mut world, 2.0);
        Inertia.write(&mut world, 3.0);
        let half = |w: &World| match w.geoms[1].shape {
            Shape::Box { half_extents } => half_extents.x,
            _ => panic!("the cube is a box"),
        };
        assert!((half(&world) / half(model.world()) - 2.0).abs() < 1e-12);
        let moment = |w: &World| w.bodies[1].inertia.rotational[(0, 0)];
        assert!((moment(&world) / moment(model.world()) - 3.0).abs() < 1e-12);
        assert_eq!(world.bodies[1].inertia.mass, model.world().bodies[1].inertia.mass);
    }
}
