//! The tree at its reference configuration: poses, and the inertia that each coordinate feels.
//!
//! Readers need them before there is a compiled model. MuJoCo derives some gains from the inertia (`dampratio`,
//! `springdamper`): M = Σ_b J_bᵀ I_b J_b, written out densely for one tree.

use nalgebra::{DMatrix, DVector};
use stiction_model::{JointKind, Pose, Vec3, World};

/// Trees with more velocities than this are not factored.
const MAX_VELOCITIES: usize = 3000;

/// Poses in the world of all bodies with every joint at its reference.
pub fn poses(world: &World) -> Vec<Pose> {
    let mut poses: Vec<Pose> = Vec::with_capacity(world.bodies.len());
    for body in &world.bodies {
        let parent = body.parent.map_or(Pose::identity(), |p| poses[p]);
        poses.push(parent * body.pose);
    }
    poses
}

/// The pose in the world of a body, with every joint at its reference.
pub fn pose(world: &World, mut body: usize) -> Pose {
    let mut pose = Pose::identity();
    while let Some(parent) = world.bodies[body].parent {
        pose = world.bodies[body].pose * pose;
        body = parent;
    }
    pose
}

/// Coordinates of all joints at the reference.
pub fn positions(world: &World) -> Vec<f64> {
    let mut q = Vec::with_capacity(world.nq());
    for body in &world.bodies {
        for joint in &body.joints {
            match joint.kind {
                JointKind::Free => {
                    q.extend(body.pose.translation.vector.iter());
                    let turn = body.pose.rotation.quaternion();
                    q.extend([turn.w, turn.i, turn.j, turn.k]);
                }
                JointKind::Ball => q.extend([1.0, 0.0, 0.0, 0.0]),
                _ => q.extend(&joint.reference[..joint.kind.nq()]),
            }
        }
    }
    q
}

/// A unit velocity: its twist at the world's origin.
struct Column {
    angular: Vec3,
    linear: Vec3,
    armature: f64,
}

/// For each coordinate of a joint, the inertia felt there while all other coordinates are free to
/// move: 1/(M⁻¹)ᵢᵢ. `None` if M cannot be inverted.
pub fn felt_inertia(world: &World, body: usize, joint: usize) -> Option<Vec<f64>> {
    let root = |mut b: usize| {
        while let Some(p) = world.bodies[b].parent.filter(|&p| p != 0) {
            b = p;
        }
        b
    };
    let tree = root(body);
    let x_w = poses(world);
    let mut columns: Vec<Column> = Vec::new();
    // For each body, the coordinates that move it.
    let mut chains: Vec<Vec<usize>> = vec![Vec::new(); world.bodies.len()];
    let mut wanted = 0..0;
    for b in (1..world.bodies.len()).filter(|&b| root(b) == tree) {
        let mut chain = world.bodies[b].parent.map_or(Vec::new(), |p| chains[p].clone());
        for (j, joint_b) in world.bodies[b].joints.iter().enumerate() {
            let start = columns.len();
            push_columns(&mut columns, joint_b, &x_w[b]);
            chain.extend(start..columns.len());
            if (b, j) == (body, joint) {
                wanted = start..columns.len();
            }
        }
        chains[b] = chain;
    }
    let n = columns.len();
    if n > MAX_VELOCITIES {
        return None;
    }
    let mut m = DMatrix::from_diagonal(&DVector::from_iterator(n, columns.iter().map(|c| c.armature)));
    for (b, chain) in chains.iter().enumerate().filter(|(_, chain)| !chain.is_empty()) {
        let inertia = &world.bodies[b].inertia;
        let com = x_w[b].transform_point(&inertia.com.into()).coords;
        let r = x_w[b].rotation.to_rotation_matrix();
        let rotational = r * inertia.rotational * r.transpose();
        for (k, &i) in chain.iter().enumerate() {
            let velocity = |c: &Column| c.linear + c.angular.cross(&com);
            let (force, torque) = (velocity(&columns[i]) * inertia.mass, rotational * columns[i].angular);
            for &j in &chain[..=k] {
                let value = force.dot(&velocity(&columns[j])) + torque.dot(&columns[j].angular);
                m[(i, j)] += value;
                if i != j {
                    m[(j, i)] += value;
                }
            }
        }
    }
    let factor = m.cholesky()?;
    let felt = wanted.map(|i| {
        let mut e = DVector::zeros(n);
        e[i] = 1.0;
        1.0 / factor.solve(&e)[i]
    });
    Some(felt.collect())
}

fn push_columns(columns: &mut Vec<Column>, joint: &stiction_model::Joint, x_wb: &Pose) {
    let anchor = x_wb.transform_point(&joint.anchor.into()).coords;
    let armature = |k: usize| joint.dofs.get(k).map_or(0.0, |d| d.armature);
    let turn = |axis: Vec3, k: usize| {
        let angular = x_wb.rotation * axis;
        Column { angular, linear: anchor.cross(&angular), armature: armature(k) }
    };
    let slide = |linear: Vec3, k: usize| Column { angular: Vec3::zeros(), linear, armature: armature(k) };
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    match joint.kind {
        JointKind::Hinge { axis } => columns.push(turn(axis, 0)),
        JointKind::Slide { axis } => columns.push(slide(x_wb.rotation * axis, 0)),
        JointKind::Ball => (0..3).for_each(|k| columns.push(turn(axes[k], k))),
        JointKind::Free => {
            (0..3).for_each(|k| columns.push(slide(axes[k], k)));
            (0..3).for_each(|k| columns.push(turn(axes[k], k + 3)));
        }
        // MJCF has no other joints.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_model::{Body, Inertia, Joint};

    /// A cart of mass M with a point-like pendulum: M₁₁ = M + m, M₁₂ = m l, M₂₂ = m l² + I.
    #[test]
    fn a_cart_feels_less_than_its_whole_load() {
        let (cart, bob, l, i) = (2.0, 0.5, 0.8, 0.01);
        let mut world = World::new("cart");
        let mut body = Body::new("cart", 0);
        body.inertia.mass = cart;
        body.joints.push(Joint::new("x", JointKind::Slide { axis: Vec3::x() }));
        world.bodies.push(body);
        let mut body = Body::new("bob", 1);
        body.inertia = Inertia {
            mass: bob,
            com: Vec3::new(0.0, 0.0, -l),
            rotational: nalgebra::Matrix3::identity() * i,
        };
        body.joints.push(Joint::new("pin", JointKind::Hinge { axis: Vec3::y() }));
        world.bodies.push(body);
        let (m11, m12, m22) = (cart + bob, bob * l, bob * l * l + i);
        let felt = felt_inertia(&world, 1, 0).unwrap()[0];
        assert!((felt - (m11 - m12 * m12 / m22)).abs() < 1e-12);
        let felt = felt_inertia(&world, 2, 0).unwrap()[0];
        assert!((felt - (m22 - m12 * m12 / m11)).abs() < 1e-12);
    }

    #[test]
    fn a_free_body_feels_its_mass_and_moments() {
        let mut world = World::new("brick");
        let mut body = Body::new("brick", 0);
        body.pose = Pose::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.3, 0.2, 0.1));
        let moments = Vec3::new(0.1, 0.2, 0.25);
        body.inertia =
            Inertia { mass: 3.0, com: Vec3::zeros(), rotational: nalgebra::Matrix3::from_diagonal(&moments) };
        body.joints.push(Joint::new("free", JointKind::Free));
        world.bodies.push(body);
        let felt = felt_inertia(&world, 1, 0).unwrap();
        for (have, want) in felt.iter().zip([3.0, 3.0, 3.0, 0.1, 0.2, 0.25]) {
            assert!((have - want).abs() < 1e-12);
        }
    }
}
