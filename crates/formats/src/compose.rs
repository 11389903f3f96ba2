//! Putting worlds together: one added to another, bodies welded, bodies put in order.

use nalgebra::{Translation3, Unit, UnitQuaternion};
use stiction_model::{
    ContactsOf, EqualityKind, FrameOf, GeomsOf, JointKind, PathStage, Pose, SensorKind as S, Shape,
    TendonPath, Transmission, World,
};

/// Where the items of a world go in another one.
struct Map<'m> {
    body: &'m dyn Fn(usize) -> usize,
    geom: usize,
    site: usize,
    mesh: usize,
    field: usize,
    tendon: usize,
    actuator: usize,
    material: usize,
    camera: usize,
}

/// Adds everything in `other` to `world`, with `prefix` before its names; its world body becomes ours.
pub fn append(world: &mut World, mut other: World, prefix: &str) {
    let shift = world.bodies.len() - 1;
    let body = move |b: usize| if b == 0 { 0 } else { b + shift };
    let map = Map {
        body: &body,
        geom: world.geoms.len(),
        site: world.sites.len(),
        mesh: world.meshes.len(),
        field: world.height_fields.len(),
        tendon: world.tendons.len(),
        actuator: world.actuators.len(),
        material: world.visual.materials.len(),
        camera: world.visual.cameras.len(),
    };
    rename(&mut other, prefix);
    redirect(&mut other, &map);
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
fn redirect(world: &mut World, map: &Map) {
    let body = map.body;
    let joint = |(b, j): (usize, usize)| (body(b), j);
    for b in &mut world.bodies {
        b.parent = b.parent.map(body);
    }
    for geom in &mut world.geoms {
        geom.body = body(geom.body);
        geom.material = geom.material.map(|m| m + map.material);
        match &mut geom.shape {
            Shape::Mesh { mesh, .. } => *mesh += map.mesh,
            Shape::HeightField { field } => *field += map.field,
            _ => {}
        }
    }
    world.sites.iter_mut().for_each(|s| s.body = body(s.body));
    world.visual.cameras.iter_mut().for_each(|c| c.body = body(c.body));
    world.visual.lights.iter_mut().for_each(|l| l.body = body(l.body));
    for actuator in &mut world.actuators {
        match &mut actuator.transmission {
            Transmission::Joint { body: b, .. }
            | Transmission::JointInParent { body: b, .. }
            | Transmission::Body { body: b, .. } => *b = body(*b),
            Transmission::Tendon { tendon, .. } => *tendon += map.tendon,
            Transmission::Site { site, reference, .. } => {
                *site += map.site;
                *reference = reference.map(|r| r + map.site);
            }
            Transmission::SliderCrank { slider, crank, .. } => {
                *slider += map.site;
                *crank += map.site;
            }
        }
    }
    for tendon in &mut world.tendons {
        match &mut tendon.path {
            TendonPath::Fixed { terms } => terms.iter_mut().for_each(|(j, _)| *j = joint(*j)),
            TendonPath::Spatial { stages } => stages.iter_mut().for_each(|stage| match stage {
                PathStage::Site { site } => *site += map.site,
                PathStage::Wrap { geom, side } => {
                    *geom += map.geom;
                    *side = side.map(|s| s + map.site);
                }
                PathStage::Pulley { .. } => {}
            }),
        }
    }
    for equality in &mut world.equalities {
        match &mut equality.kind {
            EqualityKind::Joint { first, second, .. } => {
                *first = joint(*first);
                *second = second.map(joint);
            }
            EqualityKind::Tendon { first, second, .. } => {
                *first += map.tendon;
                *second = second.map(|t| t + map.tendon);
            }
            EqualityKind::Connect { body_a, body_b, .. }
            | EqualityKind::Weld { body_a, body_b, .. }
            | EqualityKind::Distance { body_a, body_b, .. } => {
                (*body_a, *body_b) = (body(*body_a), body(*body_b));
            }
        }
    }
    for bushing in &mut world.bushings {
        (bushing.body_a, bushing.body_c) = (body(bushing.body_a), body(bushing.body_c));
    }
    for pair in &mut world.pairs {
        pair.geom_a += map.geom;
        pair.geom_b += map.geom;
    }
    for pair in &mut world.exclusions {
        *pair = (body(pair.0), body(pair.1));
    }
    world.sensors.iter_mut().for_each(|s| redirect_sensor(&mut s.kind, map));
}

fn redirect_sensor(kind: &mut S, map: &Map) {
    let body = map.body;
    let frame = |f: &mut FrameOf| match f {
        FrameOf::Body(b) | FrameOf::Inertial(b) => *b = body(*b),
        FrameOf::Geom(g) => *g += map.geom,
        FrameOf::Site(s) => *s += map.site,
        FrameOf::Camera(c) => *c += map.camera,
    };
    match kind {
        S::Touch { site }
        | S::Accelerometer { site }
        | S::Velocimeter { site }
        | S::Gyro { site }
        | S::Force { site }
        | S::Torque { site }
        | S::Magnetometer { site }
        | S::Rangefinder { site } => *site += map.site,
        S::JointPosition { joint }
        | S::JointVelocity { joint }
        | S::JointActuatorForce { joint }
        | S::JointLimitPosition { joint }
        | S::JointLimitVelocity { joint }
        | S::JointLimitForce { joint }
        | S::BallOrientation { joint }
        | S::BallVelocity { joint } => joint.0 = body(joint.0),
        S::TendonPosition { tendon }
        | S::TendonVelocity { tendon }
        | S::TendonActuatorForce { tendon }
        | S::TendonLimitPosition { tendon }
        | S::TendonLimitVelocity { tendon }
        | S::TendonLimitForce { tendon } => *tendon += map.tendon,
        S::ActuatorPosition { actuator }
        | S::ActuatorVelocity { actuator }
        | S::ActuatorForce { actuator } => {
            *actuator += map.actuator;
        }
        S::FramePosition { frame: f, reference }
        | S::FrameOrientation { frame: f, reference }
        | S::FrameAxis { frame: f, reference, .. }
        | S::FrameLinearVelocity { frame: f, reference }
        | S::FrameAngularVelocity { frame: f, reference } => {
            frame(f);
            reference.iter_mut().for_each(frame);
        }
        S::FrameLinearAcceleration { frame: f } | S::FrameAngularAcceleration { frame: f } => frame(f),
        S::SubtreeCenterOfMass { body: b }
        | S::SubtreeVelocity { body: b }
        | S::SubtreeAngularMomentum { body: b } => {
            *b = body(*b);
        }
        S::InsideSite { frame: f, site } => {
            frame(f);
            *site += map.site;
        }
        S::Distance { first, second }
        | S::DistanceDirection { first, second }
        | S::DistancePoints { first, second } => {
            for side in [first, second] {
                match side {
                    GeomsOf::Geom(g) => *g += map.geom,
                    GeomsOf::Body(b) => *b = body(*b),
                }
            }
        }
        S::Contact { contact } => {
            for side in [&mut contact.first, &mut contact.second] {
                match side {
                    ContactsOf::Any => {}
                    ContactsOf::Geom(g) => *g += map.geom,
                    ContactsOf::Body(b) | ContactsOf::Subtree(b) => *b = body(*b),
                    ContactsOf::Site(s) => *s += map.site,
                }
            }
        }
        S::CameraProjection { site, camera } => {
            *site += map.site;
            *camera += map.camera;
        }
        S::User { .. } | S::PotentialEnergy | S::KineticEnergy | S::Clock => {}
    }
}

/// The body to which one is fixed, below the world, and a pose in it instead of in the first.
pub fn fixed_to(world: &World, (mut body, mut pose): (usize, Pose)) -> (usize, Pose) {
    while let (true, Some(parent @ 1..)) = (world.bodies[body].joints.is_empty(), world.bodies[body].parent) {
        pose = world.bodies[body].pose * pose;
        body = parent;
    }
    (body, pose)
}

/// Hangs a root body, or one that is fixed to it, on another one without joints; the error says why it cannot be.
pub fn weld(world: &mut World, parent: usize, child: usize, pose: Pose) -> Result<(), String> {
    let (child, fixed) = fixed_to(world, (child, Pose::identity()));
    let pose = pose * fixed.inverse();
    let body = &world.bodies[child];
    let free = body.joints.len() == 1 && body.joints[0].kind == JointKind::Free;
    if child == 0 || body.parent != Some(0) || !(free || body.joints.is_empty()) {
        let name = body.name.as_str();
        return Err(format!("\"{name}\" already hangs on something; weld the root of its model instead"));
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
fn sort(world: &mut World) {
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
    let body = |b: usize| place[b];
    let map = Map {
        body: &body,
        geom: 0,
        site: 0,
        mesh: 0,
        field: 0,
        tendon: 0,
        actuator: 0,
        material: 0,
        camera: 0,
    };
    redirect(world, &map);
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
