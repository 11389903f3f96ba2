//! A world as MJCF.
//!
//! Joints of several coordinates become joints in sequence, which move the same way and keep the
//! layout of q. Inertias are written out in full; meshes and height fields are inside the file.

use super::links;
use super::xml::{Attributes, Xml, a, numbers};
use super::{Export, ExportError, obj};
use crate::mjcf::{GEOM, contact_numbers, principal_axes};
use nalgebra::{Matrix3, UnitQuaternion};
use stiction_model::{
    Body, Compliance, ContactCalibration, ContactProperties, Dissipation, Dof, FrictionRule, Geom, GeomRole,
    Inertia, Joint, JointKind, Shape, Site, Vec3, World,
};

/// Farthest limit that is written for a side without one.
const FAR: f64 = 1e10;

/// Writes the world.
pub fn write(world: &World) -> Result<Export, ExportError> {
    let mut out = Export::default();
    let mut xml = Xml::default();
    xml.open("mujoco", a().text("model", &world.name));
    let compiler = a().text("angle", "radian").text("autolimits", "false").text("inertiafromgeom", "false");
    xml.leaf("compiler", compiler.text("fusestatic", "false").text("alignfree", "false"));
    options(world, &mut xml, &mut out);
    own_words(world, &mut xml, &mut out);
    let meshes = assets(world, &mut xml, &mut out);
    let sites = links::extra_sites(world);
    bodies(world, &sites, &meshes, &mut xml, &mut out)?;
    links::write(world, &mut xml, &mut out)?;
    out.text = xml.finish();
    Ok(out)
}

/// What MJCF has no words for, in custom elements that this program reads and others pass over.
fn own_words(world: &World, xml: &mut Xml, out: &mut Export) {
    let collides = |g: &&Geom| g.role != GeomRole::Visual;
    let told: Vec<(&Geom, String)> =
        world.geoms.iter().filter(collides).filter_map(|g| Some((g, own_contact(g, out)?))).collect();
    let harmonic =
        world.options.friction_rule == FrictionRule::HarmonicMean && world.geoms.iter().any(|g| collides(&g));
    if world.options.contact_law.is_none() && told.is_empty() && !harmonic {
        return;
    }
    xml.open("custom", a());
    if let Some(law) = &world.options.contact_law {
        out.lose("the contact law (friction that depends on the slip, tangential springs) is kept in custom numbers, which others pass over");
        contact_law(law, xml);
    }
    if harmonic {
        out.lose("MuJoCo combines the friction of two geoms by the larger coefficient, not by the harmonic mean as this model does");
        xml.leaf("numeric", a().text("name", "stiction:harmonic_friction").number("data", 1.0));
    }
    for (geom, data) in told {
        xml.leaf("text", a().text("name", &format!("{GEOM}{}", geom.name)).text("data", &data));
    }
    xml.close();
}

/// The contact properties of a geom in our own words, if those of MJCF do not say all of them.
fn own_contact(geom: &Geom, out: &mut Export) -> Option<String> {
    let mut c = geom.contact;
    let plain_friction = c.dynamic_friction.is_some() && c.static_friction == c.dynamic_friction;
    let surface = matches!(geom.shape, Shape::Mesh { convex: false, .. });
    let plain = ContactProperties {
        static_friction: c.static_friction,
        dynamic_friction: c.dynamic_friction,
        torsional_friction: c.torsional_friction,
        rolling_friction: c.rolling_friction,
        dimensions: c.dimensions,
        ..ContactProperties::default()
    };
    if plain_friction && !surface && c == plain {
        return None;
    }
    if geom.name.is_empty() {
        out.lose("contact properties of geoms without names are left out where MJCF has no words for them");
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    match c.compliance {
        Compliance::Unspecified => {}
        Compliance::Rigid => words.push("rigid".into()),
        Compliance::Compliant => words.push("compliant".into()),
    }
    match geom.shape {
        Shape::Mesh { convex: false, .. } => words.push("surface".into()),
        Shape::Mesh { convex: true, .. } => words.push("hull".into()),
        _ => {}
    }
    words.extend(c.dimensions.map(|dimensions| format!("dimensions {dimensions}")));
    for (name, value) in contact_numbers(&mut c) {
        words.extend(value.map(|x| format!("{name} {}", numbers(&[x]))));
    }
    (!words.is_empty() || !plain_friction)
        .then(|| if words.is_empty() { " ".into() } else { words.join(" ") })
}

/// The contact law, as custom numbers.
fn contact_law(law: &ContactCalibration, xml: &mut Xml) {
    let mut numeric =
        |name: &str, data: &[f64]| xml.leaf("numeric", a().text("name", name).numbers("data", data));
    let linear = f64::from(u8::from(law.dissipation == Dissipation::Linear));
    numeric("stiction:linear_dissipation", &[linear]);
    numeric("stiction:friction_passes", &[f64::from(law.friction_passes)]);
    if let Some(springs) = law.springs {
        numeric("stiction:tangential_springs", &springs);
    }
    numeric("stiction:friction_law", &law.friction.weights());
}

fn options(world: &World, xml: &mut Xml, out: &mut Export) {
    let mut attributes = a().numbers("gravity", world.options.gravity.as_slice());
    if let Some(step) = world.options.step {
        attributes = attributes.number("timestep", step);
    }
    attributes = attributes.numbers("magnetic", world.options.magnetic_field.as_slice());
    if world.options.parent_child_collide {
        xml.open("option", attributes);
        xml.leaf("flag", a().text("filterparent", "disable"));
        xml.close();
    } else {
        xml.leaf("option", attributes);
    }
    let seen = &world.visual;
    if !(seen.materials.is_empty() && seen.lights.is_empty()) {
        out.lose("lights and materials are left out; geoms keep their colours");
    }
}

/// Writes meshes, height fields and materials; the names of the meshes.
fn assets(world: &World, xml: &mut Xml, out: &mut Export) -> Vec<String> {
    let files = obj::names(&world.meshes, |m| if m.tetrahedra.is_some() { "vtk" } else { "obj" });
    let names: Vec<String> = files.iter().map(|f| f.split('.').next().unwrap_or("").to_string()).collect();
    if world.meshes.is_empty() && world.height_fields.is_empty() {
        return names;
    }
    xml.open("asset", a());
    for ((mesh, file), name) in world.meshes.iter().zip(&files).zip(&names) {
        if mesh.tetrahedra.is_some()
            && let Ok(text) = crate::mesh::write_vtk(mesh)
        {
            out.lose(format!("the tetrahedra of mesh \"{name}\" are in {file}, which MuJoCo does not read"));
            out.files.push((file.clone(), text.into_bytes()));
            xml.leaf("mesh", a().text("name", name).text("file", file));
            continue;
        }
        let vertices: Vec<f64> = mesh.vertices.iter().flat_map(|v| [v.x, v.y, v.z]).collect();
        let faces: Vec<f64> = mesh.triangles.iter().flatten().map(|&i| i as f64).collect();
        // The masses are in the inertials: whether the surface is closed does not matter.
        let mut attributes = a().text("name", name).text("inertia", "shell").numbers("vertex", &vertices);
        if !faces.is_empty() {
            attributes = attributes.numbers("face", &faces);
        }
        xml.leaf("mesh", attributes);
    }
    for (k, field) in world.height_fields.iter().enumerate() {
        let (low, high) = range(&field.heights);
        let size = [
            field.half_extents[0],
            field.half_extents[1],
            (high - low).max(1e-9),
            (field.base + low).max(1e-6),
        ];
        let attributes = a()
            .text("name", &format!("field_{k}"))
            .number("nrow", field.rows as f64)
            .number("ncol", field.columns as f64)
            .numbers("size", &size)
            .numbers("elevation", &field.heights);
        xml.leaf("hfield", attributes);
    }
    xml.close();
    names
}

fn range(heights: &[f64]) -> (f64, f64) {
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low.is_finite() { (low, high) } else { (0.0, 0.0) }
}

/// Bodies as a tree, depth first without recursion: trees may be deep.
fn bodies(
    world: &World,
    sites: &[Site],
    meshes: &[String],
    xml: &mut Xml,
    out: &mut Export,
) -> Result<(), ExportError> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); world.bodies.len()];
    for (b, body) in world.bodies.iter().enumerate().skip(1) {
        children[body.parent.unwrap_or(0)].push(b);
    }
    let mut geoms_of: Vec<Vec<usize>> = vec![Vec::new(); world.bodies.len()];
    for (g, geom) in world.geoms.iter().enumerate() {
        geoms_of[geom.body].push(g);
    }
    enum Task {
        Open(usize),
        Close,
    }
    let mut tasks = vec![Task::Open(0)];
    while let Some(task) = tasks.pop() {
        let b = match task {
            Task::Open(b) => b,
            Task::Close => {
                xml.close();
                continue;
            }
        };
        let body = &world.bodies[b];
        if b == 0 {
            xml.open("worldbody", a());
        } else {
            open_body(body, xml, out)?;
        }
        for &g in &geoms_of[b] {
            geom(world, g, meshes, xml, out);
        }
        for site in world.sites.iter().chain(sites).filter(|s| s.body == b) {
            let (kind, size) = match site.shape {
                Shape::Box { half_extents: h } => ("box", vec![h.x, h.y, h.z]),
                Shape::Capsule { radius, half_length } => ("capsule", vec![radius, half_length]),
                Shape::Cylinder { radius, half_length } => ("cylinder", vec![radius, half_length]),
                Shape::Ellipsoid { radii } => ("ellipsoid", vec![radii.x, radii.y, radii.z]),
                Shape::Sphere { radius } => ("sphere", vec![radius]),
                _ => ("sphere", vec![0.005]),
            };
            let attributes = a().text("name", &site.name).text("type", kind).numbers("size", &size);
            xml.leaf("site", attributes.place(&site.pose));
        }
        for camera in world.visual.cameras.iter().filter(|c| c.body == b) {
            let [width, height] = camera.resolution.map(f64::from);
            let mut attributes = a().numbers("resolution", &[width, height]).place(&camera.pose);
            attributes = match camera.focal {
                // A focal length counts only beside a size of the sensor, which may be any.
                Some(focal) => attributes
                    .numbers("focalpixel", &focal)
                    .numbers("sensorsize", &[1e-5 * width.max(1.0), 1e-5 * height.max(1.0)]),
                None => attributes.number("fovy", camera.field_of_view.to_degrees()),
            };
            if !camera.name.is_empty() {
                attributes = attributes.text("name", &camera.name);
            }
            xml.leaf("camera", attributes);
        }
        tasks.push(Task::Close);
        tasks.extend(children[b].iter().rev().map(|&c| Task::Open(c)));
    }
    Ok(())
}

fn open_body(body: &Body, xml: &mut Xml, out: &mut Export) -> Result<(), ExportError> {
    let mut attributes = a().text("name", &body.name).place(&body.pose);
    if body.mocap {
        attributes = attributes.text("mocap", "true");
    }
    xml.open("body", attributes.unless(0.0, "gravcomp", body.gravity_compensation));
    for joint in &body.joints {
        write_joint(joint, xml, out)?;
    }
    let inertia = &body.inertia;
    if inertia.mass == 0.0 && inertia.rotational != nalgebra::Matrix3::zeros() {
        out.lose(format!(
            "body \"{}\" has rotational inertia and no mass; MuJoCo takes that only where the body does not move by itself",
            body.name
        ));
    }
    if *inertia != Inertia::zero() {
        if inertia.broken_triangle().is_some() {
            return Err(ExportError(format!(
                "body \"{}\" has principal moments that break the triangle inequality, which MJCF does not allow; correct its \
                 inertia, or write URDF",
                body.name
            )));
        }
        let m = &inertia.rotational;
        let attributes = a().numbers("pos", inertia.com.as_slice()).number("mass", inertia.mass);
        xml.leaf("inertial", rotational(m, &body.inertial_axes, attributes));
    }
    Ok(())
}

/// The rotational inertia and, where the numbers alone would not give them back, its axes.
fn rotational(m: &Matrix3<f64>, axes: &UnitQuaternion<f64>, attributes: Attributes) -> Attributes {
    let is_diagonal = |m: &Matrix3<f64>, tolerance: f64| {
        [m[(0, 1)], m[(0, 2)], m[(1, 2)]].iter().all(|x| x.abs() <= tolerance * m.abs().max())
    };
    let r = axes.to_rotation_matrix();
    let principal = r.transpose() * m * r;
    if is_diagonal(m, 0.0) && axes.angle() == 0.0 {
        attributes.numbers("diaginertia", m.diagonal().as_slice())
    } else if is_diagonal(&principal, 1e-12) && axes.angle_to(&principal_axes(m)) > 1e-9 {
        let q = axes.coords;
        attributes
            .numbers("quat", &[q.w, q.x, q.y, q.z])
            .numbers("diaginertia", principal.diagonal().as_slice())
    } else {
        let full = [m[(0, 0)], m[(1, 1)], m[(2, 2)], m[(0, 1)], m[(0, 2)], m[(1, 2)]];
        attributes.numbers("fullinertia", &full)
    }
}

/// Names of the MJCF joints that stand for one joint, in order.
pub fn joint_names(joint: &Joint) -> Vec<String> {
    match joint.kind {
        JointKind::Cylindrical { .. } | JointKind::Universal { .. } | JointKind::Planar { .. } => {
            (0..joint.kind.nv()).map(|k| format!("{}_{}", joint.name, k + 1)).collect()
        }
        JointKind::Hinge { .. }
        | JointKind::Slide { .. }
        | JointKind::Screw { .. }
        | JointKind::Ball
        | JointKind::Free => vec![joint.name.clone()],
    }
}

fn write_joint(joint: &Joint, xml: &mut Xml, out: &mut Export) -> Result<(), ExportError> {
    let simple: Vec<(&str, Option<Vec3>)> = match joint.kind {
        JointKind::Hinge { axis } => vec![("hinge", Some(axis))],
        JointKind::Slide { axis } => vec![("slide", Some(axis))],
        JointKind::Cylindrical { axis } => vec![("slide", Some(axis)), ("hinge", Some(axis))],
        JointKind::Universal { first, second } => vec![("hinge", Some(first)), ("hinge", Some(second))],
        JointKind::Planar { x, y } => {
            vec![("slide", Some(x)), ("slide", Some(y)), ("hinge", Some(x.cross(&y)))]
        }
        JointKind::Ball => vec![("ball", None)],
        JointKind::Free => vec![("free", None)],
        JointKind::Screw { .. } => {
            return Err(ExportError(format!(
                "joint \"{}\" is a screw, which MJCF has no joint for; write URDF, or use a hinge and a slide with an equality",
                joint.name
            )));
        }
    };
    for (k, ((kind, axis), name)) in simple.iter().zip(joint_names(joint)).enumerate() {
        let dof = joint.dofs.get(k).copied().unwrap_or_default();
        let mut attributes = a().text("name", &name).text("type", kind);
        if let Some(axis) = axis {
            attributes = attributes.numbers("axis", axis.as_slice());
        }
        if *kind != "free" && joint.anchor != Vec3::zeros() {
            attributes = attributes.numbers("pos", joint.anchor.as_slice());
        }
        if let Some(reference) = joint.reference.get(k) {
            attributes = attributes.unless(0.0, "ref", *reference);
        }
        xml.leaf("joint", dof_attributes(attributes, kind, &dof, &joint.name, out));
    }
    let alike = |d: &Dof| (d.damping, d.friction, d.armature + d.gear_ratio.powi(2) * d.rotor_inertia);
    let one = matches!(joint.kind, JointKind::Ball | JointKind::Free);
    if one && joint.dofs.iter().any(|d| alike(d) != alike(&joint.dofs[0])) {
        out.lose(format!(
            "joint \"{}\" has damping, friction or armature that differ by coordinate; MJCF takes those of the first",
            joint.name
        ));
    }
    if joint.limit_stiffness.is_some() {
        out.lose("limits of finite stiffness have no SI words in MJCF; they are written as plain limits");
    }
    Ok(())
}

fn dof_attributes(attributes: Attributes, kind: &str, dof: &Dof, name: &str, out: &mut Export) -> Attributes {
    let armature = dof.armature + dof.gear_ratio.powi(2) * dof.rotor_inertia;
    let mut attributes = attributes
        .unless(0.0, "damping", dof.damping)
        .unless(0.0, "stiffness", dof.stiffness)
        .unless(0.0, "springref", dof.rest)
        .unless(0.0, "armature", armature)
        .unless(0.0, "frictionloss", dof.friction);
    if kind != "free" && (dof.lower.is_finite() || dof.upper.is_finite()) {
        let lower = if kind == "ball" { 0.0 } else { dof.lower.max(-FAR) };
        attributes = attributes.text("limited", "true").numbers("range", &[lower, dof.upper.min(FAR)]);
    }
    if dof.effort_limit.is_finite() && matches!(kind, "hinge" | "slide") {
        if dof.effort_limit > 0.0 {
            let range = [-dof.effort_limit, dof.effort_limit];
            attributes = attributes.text("actuatorfrclimited", "true").numbers("actuatorfrcrange", &range);
        } else {
            out.lose(format!("the effort limit 0 of joint \"{name}\" cannot be said in MJCF"));
        }
    }
    attributes
}

fn geom(world: &World, g: usize, meshes: &[String], xml: &mut Xml, out: &mut Export) {
    let geom = &world.geoms[g];
    let mut pose = geom.pose;
    let mut attributes = a();
    if !geom.name.is_empty() {
        attributes = attributes.text("name", &geom.name);
    }
    let sized = |attributes: Attributes, kind: &str, size: &[f64]| {
        attributes.text("type", kind).numbers("size", size)
    };
    attributes = match geom.shape {
        Shape::HalfSpace { size } => sized(attributes, "plane", &[size[0], size[1], 0.1]),
        Shape::Sphere { radius } => sized(attributes, "sphere", &[radius]),
        Shape::Box { half_extents: h } => sized(attributes, "box", h.as_slice()),
        Shape::Capsule { radius, half_length } => sized(attributes, "capsule", &[radius, half_length]),
        Shape::Cylinder { radius, half_length } => sized(attributes, "cylinder", &[radius, half_length]),
        Shape::Ellipsoid { radii } => sized(attributes, "ellipsoid", radii.as_slice()),
        Shape::Mesh { mesh, convex } => {
            if !convex && geom.role != GeomRole::Visual {
                out.lose(format!(
                    "the mesh \"{}\" collides as its surface or as a solid; in MuJoCo it collides as its hull",
                    meshes[mesh]
                ));
            }
            attributes.text("type", "mesh").text("mesh", &meshes[mesh])
        }
        Shape::HeightField { field } => {
            let (low, _) = range(&world.height_fields[field].heights);
            pose *= nalgebra::Translation3::new(0.0, 0.0, low);
            attributes.text("type", "hfield").text("hfield", &format!("field_{field}"))
        }
    };
    attributes = attributes.place(&pose);
    let (kind, affinity) = match geom.role {
        GeomRole::Visual => (0, 0),
        _ => (geom.filter.group, geom.filter.mask),
    };
    if (kind, affinity) != (1, 1) {
        attributes = attributes.text("contype", &kind.to_string()).text("conaffinity", &affinity.to_string());
    }
    if geom.role != GeomRole::Visual {
        attributes = contact(geom, attributes, out);
    }
    if let Some([wx, wy, wz, x, y, z]) = geom.surface_velocity {
        let (angular, linear) = (Vec3::new(wx, wy, wz), Vec3::new(x, y, z));
        let back = geom.pose.rotation.inverse();
        let at = back * (linear + angular.cross(&geom.pose.translation.vector));
        let turn = back * angular;
        attributes = attributes.numbers("surfacevel", &[at.x, at.y, at.z, turn.x, turn.y, turn.z]);
    }
    let rgba: Vec<f64> = geom.color.iter().map(|c| *c as f64).collect();
    if geom.group != 0 {
        attributes = attributes.text("group", &geom.group.to_string());
    }
    xml.leaf("geom", attributes.text("rgba", &numbers(&rgba)));
}

fn contact(geom: &Geom, attributes: Attributes, out: &mut Export) -> Attributes {
    let c = &geom.contact;
    let mut attributes = attributes;
    let mu = c.dynamic_friction.or(c.static_friction);
    if mu.is_none() {
        out.lose("friction that the model does not give is this program's default here, 1 in MuJoCo");
    }
    if let Some(mu) = mu {
        let (torsion, rolling) =
            (c.torsional_friction.unwrap_or(0.005), c.rolling_friction.unwrap_or(0.0001));
        attributes = match c.torsional_friction.or(c.rolling_friction) {
            None => attributes.number("friction", mu),
            Some(_) => attributes.numbers("friction", &[mu, torsion, rolling]),
        };
        let given = match (c.rolling_friction.is_some(), c.torsional_friction.is_some()) {
            (true, _) => 6,
            (_, true) => 4,
            _ => 3,
        };
        attributes = match c.dimensions.unwrap_or(given) {
            3 => attributes,
            dimensions => attributes.text("condim", &dimensions.to_string()),
        };
        if c.restitution.is_some() {
            out.lose("restitution has no word in MJCF; it is kept in custom texts, which others pass over");
        }
        if c.surface_radius.is_some() {
            out.lose("torsional friction by the radius of a surface has no word in MJCF; it is kept in custom texts");
        }
        if c.static_friction.is_some_and(|s| s != mu) {
            out.lose(
                "static friction other than dynamic friction has no word in MJCF; it is kept in custom texts, and MuJoCo takes the dynamic one",
            );
        }
    }
    if let Some(k) = c.stiffness {
        let damping = k * c.relaxation_time.unwrap_or(0.0);
        attributes = attributes.numbers("solref", &[-k, -damping]);
    }
    if c.dissipation.is_some() || (c.stiffness.is_none() && c.relaxation_time.is_some()) {
        out.lose("dissipation of contacts (Hunt & Crossley, or a relaxation time alone) has no word in MJCF; it is kept in custom texts, which others pass over");
    }
    if c.compliance != Compliance::Unspecified {
        out.lose(
            "compliant and rigid hydroelastic geoms have no word in MJCF; they are kept in custom texts, and make point contacts in MuJoCo",
        );
    }
    if geom.priority != 0 {
        attributes = attributes.text("priority", &geom.priority.to_string());
    }
    attributes.unless(0.0, "margin", geom.margin)
}
