//! Putting worlds together: one added to another, bodies welded, bodies put in order.

use nalgebra::{Point3, Translation3, Unit, UnitQuaternion};
use stiction_model::{EqualityKind, Index, Indices, Joint, JointKind, Pose, World};

/// Adds everything in `other` to `world`, with `prefix` before its names; its world body becomes the body `base`. Named states
/// are left out.
pub fn append(world: &mut World, mut other: World, prefix: &str, base: usize) {
    let shift = world.bodies.len() - 1;
    let (geoms, sites, meshes, fields) =
        (world.geoms.len(), world.sites.len(), world.meshes.len(), world.height_fields.len());
    let (tendons, actuators) = (world.tendons.len(), world.actuators.len());
    let (materials, cameras) = (world.visual.materials.len(), world.visual.cameras.len());
    redirect(&mut other, |index| {
        let (item, shift) = match index {
            Index::Body(b) | Index::Joint(b, _) => {
                let shift = if *b == 0 { base } else { shift };
                (b, shift)
            }
            Index::Geom(g) => (g, geoms),
            Index::Site(s) => (s, sites),
            Index::Mesh(m) => (m, meshes),
            Index::HeightField(h) => (h, fields),
            Index::Tendon(t) => (t, tendons),
            Index::Actuator(a) => (a, actuators),
            Index::Material(m) => (m, materials),
            Index::Camera(c) => (c, cameras),
        };
        *item += shift;
    });
    rename(&mut other, prefix);
    // Every field is named, so that a new one cannot be forgotten.
    let World {
        name: _,
        options: _,
        bodies,
        geoms,
        sites,
        meshes,
        height_fields,
        actuators,
        tendons,
        sensors,
        equalities,
        bushings,
        pairs,
        exclusions,
        keyframes: _,
        visual,
        warnings,
    } = other;
    world.bodies.extend(bodies.into_iter().skip(1));
    world.geoms.extend(geoms);
    world.sites.extend(sites);
    world.meshes.extend(meshes);
    world.height_fields.extend(height_fields);
    world.actuators.extend(actuators);
    world.tendons.extend(tendons);
    world.sensors.extend(sensors);
    world.equalities.extend(equalities);
    world.bushings.extend(bushings);
    world.pairs.extend(pairs);
    world.exclusions.extend(exclusions);
    world.visual.materials.extend(visual.materials);
    world.visual.cameras.extend(visual.cameras);
    world.visual.lights.extend(visual.lights);
    world.warnings.extend(warnings);
}

fn rename(world: &mut World, prefix: &str) {
    let add = |name: &mut String| {
        if !name.is_empty() {
            name.insert_str(0, prefix);
        }
    };
    for body in world.bodies.iter_mut().skip(1) {
        add(&mut body.name);
        body.joints.iter_mut().for_each(|j| add(&mut j.name));
    }
    world.geoms.iter_mut().for_each(|x| add(&mut x.name));
    world.sites.iter_mut().for_each(|x| add(&mut x.name));
    world.actuators.iter_mut().for_each(|x| add(&mut x.name));
    world.tendons.iter_mut().for_each(|x| add(&mut x.name));
    world.sensors.iter_mut().for_each(|x| add(&mut x.name));
    world.equalities.iter_mut().for_each(|x| add(&mut x.name));
    world.bushings.iter_mut().for_each(|x| add(&mut x.name));
    world.visual.materials.iter_mut().for_each(|x| add(&mut x.name));
    world.visual.cameras.iter_mut().for_each(|x| add(&mut x.name));
}

/// Changes every index in `world`.
fn redirect(world: &mut World, mut change: impl FnMut(Index)) {
    let all = world.visit_indices(&mut |index| {
        change(index);
        Some(())
    });
    debug_assert!(all.is_some());
}

/// The body to which one is fixed, below the world, and a pose in it instead of in the first.
pub fn fixed_to(world: &World, (mut body, mut pose): (usize, Pose)) -> (usize, Pose) {
    while let (true, Some(parent @ 1..)) = (world.bodies[body].joints.is_empty(), world.bodies[body].parent) {
        pose = world.bodies[body].pose * pose;
        body = parent;
    }
    (body, pose)
}

/// Makes a body the root of the free tree that it is in: the joints between it and the old root turn round and keep
/// their coordinates. Bodies are out of order afterwards; the error says why it cannot be.
fn reroot(world: &mut World, body: usize) -> Result<(), String> {
    let mut path = vec![body];
    while let Some(above @ 1..) = world.bodies[path[path.len() - 1]].parent {
        path.push(above);
    }
    let root = path[path.len() - 1];
    if !matches!(&world.bodies[root].joints[..], [joint] if joint.kind == JointKind::Free) {
        return Err(format!(
            "\"{}\" already hangs on something; leave one of the two out",
            world.bodies[body].name
        ));
    }
    let x_wb = path.iter().fold(Pose::identity(), |x, &b| world.bodies[b].pose * x);
    let free = std::mem::take(&mut world.bodies[root].joints);
    let joints_of: Vec<usize> = world.bodies.iter().map(|b| b.joints.len()).collect();
    // From the old root down, so that every body still has the pose and joints that it gives to the one above.
    for step in path.windows(2).rev() {
        let (child, parent) = (step[0], step[1]);
        let pose = world.bodies[child].pose;
        let mut joints = std::mem::take(&mut world.bodies[child].joints);
        joints.reverse();
        joints.iter_mut().try_for_each(|joint| turn(joint, &pose))?;
        let above = &mut world.bodies[parent];
        (above.parent, above.pose, above.joints) = (Some(child), pose.inverse(), joints);
    }
    let top = &mut world.bodies[body];
    (top.parent, top.pose, top.joints) = (Some(0), x_wb, free);
    let place = |(b, j): (usize, usize)| match path.iter().position(|&p| p == b) {
        Some(last) if last + 1 == path.len() => (body, j),
        Some(k) => (path[k + 1], joints_of[b] - 1 - j),
        None => (b, j),
    };
    redirect(world, |index| {
        if let Index::Joint(b, j) = index {
            (*b, *j) = place((*b, *j));
        }
    });
    Ok(())
}

/// Lets a joint carry its parent instead of its child, which has this pose in the parent: X_CP(q) = X_PC⁻¹ · (X_PC M(q)⁻¹ X_PC⁻¹),
/// and M(q)⁻¹ is the same motion about the opposite axis.
fn turn(joint: &mut Joint, pose: &Pose) -> Result<(), String> {
    joint.anchor = (pose * Point3::from(joint.anchor)).coords;
    match &mut joint.kind {
        JointKind::Hinge { axis }
        | JointKind::Slide { axis }
        | JointKind::Screw { axis, .. }
        | JointKind::Cylindrical { axis } => *axis = -(pose.rotation * *axis),
        _ => {
            let name = joint.name.as_str();
            return Err(format!(
                "the joint \"{name}\" cannot be turned round; weld the root of its model instead"
            ));
        }
    }
    Ok(())
}

/// Hangs a free tree by one of its bodies on another body without joints; the error says why it cannot be.
pub fn weld(world: &mut World, parent: usize, child: usize, pose: Pose) -> Result<(), String> {
    let (child, fixed) = fixed_to(world, (child, Pose::identity()));
    let pose = pose * fixed.inverse();
    if matches!(world.bodies[child].parent, Some(1..)) {
        reroot(world, child)?;
    }
    let body = &world.bodies[child];
    let free = body.joints.len() == 1 && body.joints[0].kind == JointKind::Free;
    if child == 0 || body.parent != Some(0) || !(free || body.joints.is_empty()) {
        let name = body.name.as_str();
        return Err(format!("\"{name}\" already hangs on something; leave one of the two out"));
    }
    let mut above = parent;
    while let Some(next) = world.bodies[above].parent {
        if above == child {
            return Err(format!("\"{}\" would hang on itself", world.bodies[child].name));
        }
        above = next;
    }
    world.bodies[child].joints.clear();
    world.bodies[child].parent = Some(parent);
    world.bodies[child].pose = pose;
    // Actuators and sensors of the free joint have nothing left to act on; readers make none.
    sort(world);
    Ok(())
}

/// Puts bodies depth first, children in the order they stand in.
pub fn sort(world: &mut World) {
    let n = world.bodies.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
    for (b, body) in world.bodies.iter().enumerate().skip(1) {
        children[body.parent.unwrap_or(0)].push(b);
    }
    let mut place = vec![0; n];
    let (mut order, mut stack) = (Vec::with_capacity(n), vec![0]);
    while let Some(b) = stack.pop() {
        place[b] = order.len();
        order.push(b);
        stack.extend(children[b].iter().rev());
    }
    redirect(world, |index| {
        if let Index::Body(b) | Index::Joint(b, _) = index {
            *b = place[*b];
        }
    });
    let mut bodies: Vec<Option<_>> = std::mem::take(&mut world.bodies).into_iter().map(Some).collect();
    world.bodies = order.iter().filter_map(|&b| bodies[b].take()).collect();
}

/// Makes `q` the position at which a joint of one coordinate starts, without changing what positions
/// mean: the pose at which the body stands moves along. The error says why it cannot be.
pub fn start_at(world: &mut World, (b, j): (usize, usize), q: f64) -> Result<(), String> {
    let body = &mut world.bodies[b];
    if body.joints.len() != 1 {
        return Err("only a body with one joint can get a default position".into());
    }
    let joint = &mut body.joints[0];
    let step = q - joint.reference.first().copied().unwrap_or(0.0);
    let shift = Translation3::from(joint.anchor);
    let motion: Pose = match joint.kind {
        JointKind::Hinge { axis } => {
            shift * UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), step) * shift.inverse()
        }
        JointKind::Slide { axis } => Pose::translation(axis.x * step, axis.y * step, axis.z * step),
        JointKind::Screw { axis, pitch } => {
            let along = axis * (pitch * step / std::f64::consts::TAU);
            shift
                * Pose::from_parts(
                    Translation3::from(along),
                    UnitQuaternion::from_axis_angle(&Unit::new_normalize(axis), step),
                )
                * shift.inverse()
        }
        _ => return Err("only joints with one coordinate can get a default position".into()),
    };
    joint.reference[0] = q;
    body.pose *= motion;
    // Couplings count from the references: q₁ − r₁ = c₀ + c₁ (q₂ − r₂).
    for equality in &mut world.equalities {
        if let EqualityKind::Joint { first, second, coefficients: c } = &mut equality.kind {
            if *first == (b, j) {
                c[0] -= step;
            }
            if *second == Some((b, j)) {
                if c[2..] != [0.0; 3] {
                    return Err(
                        "a joint that leads a polynomial coupling cannot get a default position".into()
                    );
                }
                c[0] += c[1] * step;
            }
        }
    }
    Ok(())
}
