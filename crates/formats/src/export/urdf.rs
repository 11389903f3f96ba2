//! A world as URDF.
//!
//! Every body hangs on the link `world` by joints of its own, so that the order of coordinates stays.
//! A joint whose axis does not pass through the link's origin turns a frame on its axis, to which the
//! link is fixed. URDF has no reference positions: the origin is that of position zero.

use super::xml::{Attributes, Xml, a};
use super::{Export, ExportError, obj};
use crate::names::Names;
use nalgebra::{Translation3, Unit, UnitQuaternion};
use stiction_model::{
    Body, Compliance, EqualityKind, FrictionRule, Geom, GeomRole, Inertia, Joint, JointKind, Pose, Shape,
    Transmission, Vec3, World,
};

/// Writes the world.
pub fn write(world: &World) -> Result<Export, ExportError> {
    let mut out = Export::default();
    let mut xml = Xml::default();
    let meshes = obj::names(&world.meshes, |m| if m.tetrahedra.is_some() { "vtk" } else { "obj" });
    for (mesh, file) in world.meshes.iter().zip(&meshes) {
        let text = match crate::mesh::write_vtk(mesh) {
            Ok(text) if mesh.tetrahedra.is_some() => text,
            _ => obj::write(mesh),
        };
        out.files.push((file.clone(), text.into_bytes()));
    }
    losses(world, &mut out);
    xml.open("robot", a().text("name", &world.name).text("xmlns:drake", "http://drake.mit.edu"));
    for (b, body) in world.bodies.iter().enumerate() {
        link(world, b, body, &meshes, &mut xml, &mut out);
        if b > 0 {
            joints(world, b, body, &mut xml, &mut out)?;
        }
    }
    actuators(world, &mut xml, &mut out);
    for site in &world.sites {
        let attributes = a().text("name", &site.name).text("link", &world.bodies[site.body].name);
        xml.leaf("frame", origin_attributes(attributes, &site.pose));
    }
    bushings(world, &mut xml);
    out.text = xml.finish();
    Ok(out)
}

fn losses(world: &World, out: &mut Export) {
    if world.options.gravity != Vec3::new(0.0, 0.0, -9.81) {
        out.lose("URDF has no gravity; readers take their own");
    }
    if world.options.friction_rule != FrictionRule::HarmonicMean
        && world.geoms.iter().any(|g| g.role != GeomRole::Visual)
    {
        out.lose("URDF has no rule for combining friction; this model's, by the larger coefficient, is lost");
    }
    if world.options.contact_law.is_some() {
        out.lose("the contact law (friction that depends on the slip, tangential springs) has no word in URDF and is left out");
    }
    if world.joints().any(|(_, j)| j.limit_stiffness.is_some()) {
        out.lose("limits of finite stiffness have no word in URDF; they are written as plain limits");
    }
    let whole = |j: &Joint| matches!(j.kind, JointKind::Ball | JointKind::Free);
    let resists = |d: &stiction_model::Dof| d.damping != 0.0 || d.friction != 0.0;
    if world.joints().any(|(_, j)| whole(j) && j.dofs.iter().any(resists)) {
        out.lose("damping and friction of ball and free joints are left out");
    }
    if world.joints().any(|(_, j)| j.kind == JointKind::Ball && j.dofs.iter().any(|d| d.upper.is_finite())) {
        out.lose("limits of ball joints have no word in URDF and are left out");
    }
    for (what, any) in [
        ("tendons", !world.tendons.is_empty()),
        ("sensors", !world.sensors.is_empty()),
        ("keyframes", !world.keyframes.is_empty()),
        ("contact pairs", !world.pairs.is_empty()),
        ("pairs of bodies that never touch", !world.exclusions.is_empty()),
        ("bodies moved from outside (mocap)", world.bodies.iter().any(|b| b.mocap)),
        ("gravity compensation", world.bodies.iter().any(|b| b.gravity_compensation != 0.0)),
        ("springs of joints", world.joints().any(|(_, j)| j.dofs.iter().any(|d| d.stiffness > 0.0))),
    ] {
        if any {
            out.lose(format!("{what} have no word in URDF and are left out"));
        }
    }
    for equality in &world.equalities {
        let linear = matches!(equality.kind, EqualityKind::Joint { second: Some(_), coefficients: c, .. }
            if c[2..] == [0.0; 3]);
        if !linear || !equality.active || equality.stiffness.is_some() {
            out.lose(format!("the coupling \"{}\" cannot be said in URDF and is left out", equality.name));
        }
    }
}

/// Bushings by Drake's word for them, between links, frames that are there, or frames of their own.
fn bushings(world: &World, xml: &mut Xml) {
    let mut names = Names::new(world.sites.iter().map(|s| s.name.as_str()));
    for (k, bushing) in world.bushings.iter().enumerate() {
        let name = if bushing.name.is_empty() { format!("bushing_{k}") } else { bushing.name.clone() };
        let mut frame = |end: &str, body: usize, pose: &Pose| {
            let link = &world.bodies[body].name;
            if *pose == Pose::identity() {
                return link.clone();
            }
            if let Some(site) = world.sites.iter().find(|s| s.body == body && s.pose == *pose) {
                return site.name.clone();
            }
            let own = names.free(&format!("{name}_{end}"));
            xml.leaf("frame", origin_attributes(a().text("name", &own).text("link", link), pose));
            own
        };
        let frame_a = frame("A", bushing.body_a, &bushing.frame_a);
        let frame_c = frame("C", bushing.body_c, &bushing.frame_c);
        xml.open("drake:linear_bushing_rpy", a().text("name", &name));
        xml.leaf("drake:bushing_frameA", a().text("name", &frame_a));
        xml.leaf("drake:bushing_frameC", a().text("name", &frame_c));
        for (what, constants) in [
            ("torque_stiffness", &bushing.torque_stiffness),
            ("torque_damping", &bushing.torque_damping),
            ("force_stiffness", &bushing.force_stiffness),
            ("force_damping", &bushing.force_damping),
        ] {
            xml.leaf(&format!("drake:bushing_{what}"), a().numbers("value", constants.as_slice()));
        }
        xml.close();
    }
}

/// Roll, pitch and yaw about fixed axes, accurate also where pitch is a right angle: each angle is taken
/// from what the ones before it leave.
fn rpy(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let r = rotation.to_rotation_matrix();
    let yaw = if r[(0, 0)] == 0.0 && r[(1, 0)] == 0.0 { 0.0 } else { r[(1, 0)].atan2(r[(0, 0)]) };
    let (s, c) = yaw.sin_cos();
    // Rz(−yaw) R = Ry(pitch) Rx(roll).
    let rest = |k: usize| [c * r[(0, k)] + s * r[(1, k)], -s * r[(0, k)] + c * r[(1, k)]];
    let pitch = (-r[(2, 0)]).atan2(rest(0)[0]);
    let roll = (-rest(2)[1]).atan2(rest(1)[1]);
    [roll, pitch, yaw]
}

fn origin_attributes(attributes: Attributes, pose: &Pose) -> Attributes {
    attributes.numbers("xyz", pose.translation.vector.as_slice()).numbers("rpy", &rpy(&pose.rotation))
}

fn origin(xml: &mut Xml, pose: &Pose) {
    if *pose != Pose::identity() {
        xml.leaf("origin", origin_attributes(a(), pose));
    }
}

fn link(world: &World, b: usize, body: &Body, meshes: &[String], xml: &mut Xml, out: &mut Export) {
    xml.open("link", a().text("name", &body.name));
    if body.inertia != Inertia::zero() {
        xml.open("inertial", a());
        let com = &body.inertia.com;
        origin(xml, &Pose::translation(com.x, com.y, com.z));
        xml.leaf("mass", a().number("value", body.inertia.mass));
        let m = &body.inertia.rotational;
        let mut attributes = a();
        for (name, i, j) in
            [("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2)]
        {
            attributes = attributes.number(name, m[(i, j)]);
        }
        xml.leaf("inertia", attributes);
        xml.close();
    }
    for geom in world.geoms.iter().filter(|g| g.body == b) {
        for element in ["visual", "collision"] {
            let wanted = match geom.role {
                GeomRole::Both => true,
                GeomRole::Visual => element == "visual",
                GeomRole::Collision => element == "collision",
            };
            if wanted {
                write_geom(geom, element, meshes, xml, out);
            }
        }
    }
    xml.close();
}

fn write_geom(geom: &Geom, element: &str, meshes: &[String], xml: &mut Xml, out: &mut Export) {
    let (name, attributes) = match geom.shape {
        Shape::Box { half_extents } => ("box", a().numbers("size", (half_extents * 2.0).as_slice())),
        Shape::Sphere { radius } => ("sphere", a().number("radius", radius)),
        Shape::Cylinder { radius, half_length } => {
            ("cylinder", a().number("radius", radius).number("length", 2.0 * half_length))
        }
        Shape::Capsule { radius, half_length } => {
            ("capsule", a().number("radius", radius).number("length", 2.0 * half_length))
        }
        Shape::Ellipsoid { radii } => {
            ("drake:ellipsoid", a().number("a", radii.x).number("b", radii.y).number("c", radii.z))
        }
        Shape::Mesh { mesh, .. } => ("mesh", a().text("filename", &meshes[mesh])),
        Shape::HalfSpace { .. } => {
            out.lose(
                "a plane is not part of URDF proper; the element written for it is read here and by Bullet",
            );
            ("plane", a().text("normal", "0 0 1"))
        }
        Shape::HeightField { .. } => {
            out.lose("height fields have no word in URDF and are left out");
            return;
        }
    };
    let mut head = a();
    if !geom.name.is_empty() {
        head = head.text("name", &geom.name);
    }
    xml.open(element, head);
    origin(xml, &geom.pose);
    xml.open("geometry", a());
    match geom.shape {
        Shape::Mesh { convex: true, .. } if element == "collision" => {
            xml.open(name, attributes);
            xml.leaf("drake:declare_convex", a());
            xml.close();
        }
        _ => xml.leaf(name, attributes),
    }
    xml.close();
    if element == "visual" {
        let rgba: Vec<f64> = geom.color.iter().map(|c| *c as f64).collect();
        xml.open("material", a().text("name", &format!("{}_colour", geom.name)));
        xml.leaf("color", a().numbers("rgba", &rgba));
        xml.close();
    } else {
        proximity(geom, xml);
        if geom.filter != Default::default() {
            out.lose("collision bits (contype, conaffinity) have no word in URDF; every geom may touch every other there");
        }
        if geom.surface_velocity.is_some() {
            out.lose("moving surfaces (conveyor belts) have no word in URDF and stand still there");
        }
    }
    xml.close();
}

fn proximity(geom: &Geom, xml: &mut Xml) {
    let c = &geom.contact;
    let numbers = [
        ("drake:mu_static", c.static_friction),
        ("drake:mu_dynamic", c.dynamic_friction),
        ("drake:point_contact_stiffness", c.stiffness),
        ("drake:hunt_crossley_dissipation", c.dissipation),
        ("drake:relaxation_time", c.relaxation_time),
        ("stiction:expansion_rate", c.expansion_rate),
        ("drake:hydroelastic_modulus", c.hydroelastic_modulus),
        ("drake:mesh_resolution_hint", c.resolution_hint),
        ("drake:hydroelastic_slab_thickness", c.slab_thickness),
        ("drake:hydroelastic_margin", Some(geom.margin).filter(|m| *m != 0.0)),
    ];
    if numbers.iter().all(|(_, x)| x.is_none()) && c.compliance == Compliance::Unspecified {
        return;
    }
    xml.open("drake:proximity_properties", a());
    match c.compliance {
        Compliance::Rigid => xml.leaf("drake:rigid_hydroelastic", a()),
        Compliance::Compliant => xml.leaf("drake:compliant_hydroelastic", a()),
        Compliance::Unspecified => {}
    }
    for (name, value) in numbers {
        if let Some(value) = value {
            xml.leaf(name, a().number("value", value));
        }
    }
    xml.close();
}

/// Motion of a simple joint at position q, about or along an axis through the anchor.
fn motion(kind: &JointKind, anchor: &Vec3, q: f64) -> Pose {
    let shift = Translation3::from(*anchor);
    match kind {
        JointKind::Hinge { axis } => {
            let turn = UnitQuaternion::from_axis_angle(&Unit::new_normalize(*axis), q);
            shift * turn * shift.inverse()
        }
        JointKind::Slide { axis } => Pose::translation(axis.x * q, axis.y * q, axis.z * q),
        _ => Pose::identity(),
    }
}

/// The joints of a body as a chain of URDF joints, with frames between them.
fn joints(world: &World, b: usize, body: &Body, xml: &mut Xml, out: &mut Export) -> Result<(), ExportError> {
    let parent = &world.bodies[body.parent.unwrap_or(0)].name;
    if body.joints.is_empty() {
        let name = format!("{}_fixed", body.name);
        edge(xml, &name, "fixed", parent, &body.name, &body.pose);
        xml.close();
        return Ok(());
    }
    let mut on = parent.clone();
    let mut x = body.pose;
    let simple: Vec<(Joint, JointKind)> = body.joints.iter().flat_map(split).collect();
    let count = simple.len();
    for (k, (joint, kind)) in simple.iter().enumerate() {
        let anchor = if *kind == JointKind::Free { Vec3::zeros() } else { joint.anchor };
        let last = k + 1 == count;
        let reference = joint.reference.first().copied().unwrap_or(0.0);
        let at = x * motion(kind, &anchor, -reference) * Translation3::from(anchor);
        let through = anchor == Vec3::zeros();
        let child =
            if last && through { body.name.clone() } else { format!("{}_frame_{}", body.name, k + 1) };
        write_joint(joint, kind, &on, &child, &at, xml, out, mimic(world, b, body, joint));
        if child != body.name {
            xml.leaf("link", a().text("name", &child));
        }
        on = child;
        x = Pose::from_parts(Translation3::from(-anchor), UnitQuaternion::identity());
    }
    if on != body.name {
        edge(xml, &format!("{}_fixed", body.name), "fixed", &on, &body.name, &x);
        xml.close();
    }
    Ok(())
}

/// A joint of several coordinates as joints in sequence; those that URDF or Drake know stay whole.
fn split(joint: &Joint) -> Vec<(Joint, JointKind)> {
    let kinds = match joint.kind {
        JointKind::Cylindrical { axis } => vec![JointKind::Slide { axis }, JointKind::Hinge { axis }],
        JointKind::Universal { first, second } => {
            vec![JointKind::Hinge { axis: first }, JointKind::Hinge { axis: second }]
        }
        JointKind::Planar { x, y } => {
            vec![
                JointKind::Slide { axis: x },
                JointKind::Slide { axis: y },
                JointKind::Hinge { axis: x.cross(&y) },
            ]
        }
        JointKind::Hinge { .. }
        | JointKind::Slide { .. }
        | JointKind::Screw { .. }
        | JointKind::Ball
        | JointKind::Free => return vec![(joint.clone(), joint.kind)],
    };
    let make = |(k, kind): (usize, JointKind)| {
        let mut one = Joint::new(format!("{}_{}", joint.name, k + 1), kind);
        (one.anchor, one.dofs[0], one.reference[0]) = (joint.anchor, joint.dofs[k], joint.reference[k]);
        (one, kind)
    };
    kinds.into_iter().enumerate().map(make).collect()
}

fn edge(xml: &mut Xml, name: &str, kind: &str, parent: &str, child: &str, pose: &Pose) {
    let custom = matches!(kind, "ball" | "screw");
    xml.open(if custom { "drake:joint" } else { "joint" }, a().text("name", name).text("type", kind));
    xml.leaf("parent", a().text("link", parent));
    xml.leaf("child", a().text("link", child));
    origin(xml, pose);
}

/// Leader, multiplier and offset of a joint that follows another one.
fn mimic(world: &World, b: usize, body: &Body, joint: &Joint) -> Option<(String, f64, f64)> {
    let index = body.joints.iter().position(|j| j.name == joint.name)?;
    world.equalities.iter().filter(|e| e.active && e.stiffness.is_none()).find_map(|e| match e.kind {
        EqualityKind::Joint { first, second: Some(second), coefficients: c }
            if first == (b, index) && c[2..] == [0.0; 3] =>
        {
            let leader = &world.bodies[second.0].joints[second.1];
            // q₁ − r₁ = c₀ + c₁ (q₂ − r₂)
            let offset = c[0] + joint.reference.first()? - c[1] * leader.reference.first()?;
            Some((leader.name.clone(), c[1], offset))
        }
        _ => None,
    })
}

fn write_joint(
    joint: &Joint,
    kind: &JointKind,
    parent: &str,
    child: &str,
    pose: &Pose,
    xml: &mut Xml,
    out: &mut Export,
    mimic: Option<(String, f64, f64)>,
) {
    let dof = joint.dofs.first().copied().unwrap_or_default();
    let bounded = dof.lower.is_finite() || dof.upper.is_finite();
    let (word, axis) = match *kind {
        JointKind::Hinge { axis } => (if bounded { "revolute" } else { "continuous" }, Some(axis)),
        JointKind::Slide { axis } => ("prismatic", Some(axis)),
        JointKind::Screw { axis, .. } => ("screw", Some(axis)),
        JointKind::Free => ("floating", None),
        // Those of several coordinates are split.
        JointKind::Ball
        | JointKind::Cylindrical { .. }
        | JointKind::Universal { .. }
        | JointKind::Planar { .. } => ("ball", None),
    };
    if joint.locked {
        out.lose(format!("joint \"{}\" is held; URDF has no word for that, and it moves there", joint.name));
    }
    edge(xml, &joint.name, word, parent, child, pose);
    if let Some(axis) = axis {
        xml.leaf("axis", a().numbers("xyz", axis.as_slice()));
    }
    if let JointKind::Screw { pitch, .. } = kind {
        xml.leaf("drake:screw_thread_pitch", a().number("value", *pitch));
    }
    if (dof.damping != 0.0 || dof.friction != 0.0) && !matches!(word, "ball" | "floating") {
        xml.leaf("dynamics", a().number("damping", dof.damping).number("friction", dof.friction));
    }
    let limited = matches!(word, "revolute" | "prismatic" | "screw");
    if limited || dof.effort_limit.is_finite() || dof.velocity_limit.is_finite() {
        let mut limit = a();
        if limited {
            // A prismatic joint without limits must still say some.
            limit = limit.number("lower", dof.lower.max(-1e10)).number("upper", dof.upper.min(1e10));
        }
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        limit =
            limit.number("effort", finite(dof.effort_limit)).number("velocity", finite(dof.velocity_limit));
        if dof.acceleration_limit.is_finite() {
            limit = limit.number("drake:acceleration", dof.acceleration_limit);
        }
        xml.leaf("limit", limit);
    }
    if let Some((leader, multiplier, offset)) = mimic {
        xml.leaf(
            "mimic",
            a().text("joint", &leader).number("multiplier", multiplier).number("offset", offset),
        );
    }
    xml.close();
}

/// Motors and position servos on joints of one coordinate, with the inertia of their rotors.
fn actuators(world: &World, xml: &mut Xml, out: &mut Export) {
    let mut driven = Vec::new();
    for actuator in &world.actuators {
        let lost = format!(
            "the actuator \"{}\" is neither a motor nor a position servo on a joint; URDF has no word for it",
            actuator.name
        );
        let Transmission::Joint { body, joint, gear } = actuator.transmission else {
            out.lose(lost);
            continue;
        };
        let target = &world.bodies[body].joints[joint];
        let plain =
            target.kind.nq() == 1 && gear[0] == 1.0 && actuator.muscle.is_none() && !actuator.activates();
        let [kp, _, kv] = actuator.bias;
        let motor = actuator.gain == [1.0, 0.0, 0.0] && actuator.bias == [0.0; 3];
        let servo = actuator.gain == [-actuator.bias[1], 0.0, 0.0] && kp == 0.0 && actuator.gain[0] > 0.0;
        if !plain || !(motor || servo) {
            out.lose(lost);
            continue;
        }
        let limit = target.dofs[0].effort_limit;
        if actuator.control_range.is_some() || actuator.force_range.is_some_and(|r| r != [-limit, limit]) {
            out.lose(format!(
                "the ranges of actuator \"{}\" are left out; the joint's effort limit stays",
                actuator.name
            ));
        }
        driven.push((body, joint));
        xml.open("transmission", a().text("name", &format!("{}_transmission", actuator.name)));
        xml.leaf("joint", a().text("name", &target.name));
        xml.open("actuator", a().text("name", &actuator.name));
        let dof = &target.dofs[0];
        let inertia = dof.armature + dof.gear_ratio.powi(2) * dof.rotor_inertia;
        if inertia > 0.0 {
            xml.leaf("drake:rotor_inertia", a().number("value", inertia));
            xml.leaf("drake:gear_ratio", a().number("value", 1.0));
        }
        if servo {
            xml.leaf("drake:controller_gains", a().number("p", actuator.gain[0]).number("d", -kv));
        }
        xml.close();
        xml.close();
    }
    for (b, body) in world.bodies.iter().enumerate() {
        for (j, joint) in body.joints.iter().enumerate() {
            let inertia = |d: &stiction_model::Dof| d.armature + d.gear_ratio.powi(2) * d.rotor_inertia;
            if joint.dofs.iter().any(|d| inertia(d) > 0.0) && !driven.contains(&(b, j)) {
                out.lose(format!(
                    "the armature of joint \"{}\", which no motor drives, has no word in URDF and is left out",
                    joint.name
                ));
            }
        }
    }
}
