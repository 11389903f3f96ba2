//! Items that refer to bodies and joints of an MJCF model: exclusions, couplings, tendons, actuators, keyframes.

use super::mjcf::joint_names;
use super::xml::{Attributes, Xml, a};
use super::{Export, ExportError, sensors};
use stiction_model::{
    Actuator, ContactProperties, Dynamics, EqualityKind, PathStage, Pose, Site, TendonPath, Transmission,
    World,
};

/// Sites that couplings need, since MJCF ties two points or frames exactly only by sites, and sensors on meshes.
pub fn extra_sites(world: &World) -> Vec<Site> {
    let mut sites = sensors::mesh_frames(world);
    for (k, equality) in world.equalities.iter().enumerate() {
        let at = |x: &nalgebra::Vector3<f64>| Pose::translation(x.x, x.y, x.z);
        let (body_a, pose_a, body_b, pose_b) = match equality.kind {
            EqualityKind::Connect { body_a, body_b, point_a, point_b } => {
                (body_a, at(&point_a), body_b, at(&point_b))
            }
            EqualityKind::Weld { body_a, body_b, pose_ab, point_b } => {
                (body_a, pose_ab * at(&point_b), body_b, at(&point_b))
            }
            _ => continue,
        };
        sites.push(Site { pose: pose_a, ..Site::new(format!("coupling_{k}_a"), body_a) });
        sites.push(Site { pose: pose_b, ..Site::new(format!("coupling_{k}_b"), body_b) });
    }
    sites
}

/// The MJCF name of a joint with one coordinate.
pub fn joint_name(world: &World, (body, joint): (usize, usize)) -> String {
    joint_names(&world.bodies[body].joints[joint]).swap_remove(0)
}

/// Writes everything after the tree.
pub fn write(world: &World, xml: &mut Xml, out: &mut Export) -> Result<(), ExportError> {
    contacts(world, xml, out);
    tendons(world, xml, out);
    equalities(world, xml, out);
    actuators(world, xml, out);
    sensors::write(world, xml, out);
    if !world.keyframes.is_empty() {
        xml.open("keyframe", a());
        for key in &world.keyframes {
            let mut attributes = a();
            if !key.name.is_empty() {
                attributes = attributes.text("name", &key.name);
            }
            attributes = attributes.unless(0.0, "time", key.time);
            for (name, values) in
                [("qpos", &key.qpos), ("qvel", &key.qvel), ("ctrl", &key.ctrl), ("act", &key.activation)]
            {
                if !values.is_empty() {
                    attributes = attributes.numbers(name, values);
                }
            }
            if !key.mocap.is_empty() {
                let p: Vec<f64> = key
                    .mocap
                    .iter()
                    .flat_map(|x| [x.translation.x, x.translation.y, x.translation.z])
                    .collect();
                let q: Vec<f64> = key
                    .mocap
                    .iter()
                    .flat_map(|x| [x.rotation.w, x.rotation.i, x.rotation.j, x.rotation.k])
                    .collect();
                attributes = attributes.numbers("mpos", &p).numbers("mquat", &q);
            }
            xml.leaf("key", attributes);
        }
        xml.close();
    }
    Ok(())
}

fn contacts(world: &World, xml: &mut Xml, out: &mut Export) {
    if world.exclusions.is_empty() && world.pairs.is_empty() {
        return;
    }
    xml.open("contact", a());
    for &(first, second) in &world.exclusions {
        let names = [first, second].map(|b| world.bodies[b].name.as_str());
        xml.leaf("exclude", a().text("body1", names[0]).text("body2", names[1]));
    }
    for pair in &world.pairs {
        let names = [pair.geom_a, pair.geom_b].map(|g| world.geoms[g].name.as_str());
        if names.contains(&"") {
            out.lose("a contact pair of geoms without names is left out");
            continue;
        }
        let mut attributes = a().text("geom1", names[0]).text("geom2", names[1]);
        let c = &pair.contact;
        let plain = ContactProperties {
            static_friction: c.dynamic_friction,
            dynamic_friction: c.dynamic_friction,
            stiffness: c.stiffness,
            relaxation_time: c.relaxation_time.filter(|_| c.stiffness.is_some()),
            torsional_friction: c.torsional_friction.filter(|_| c.dynamic_friction.is_some()),
            rolling_friction: c.rolling_friction.filter(|_| c.torsional_friction.is_some()),
            second_friction: c.second_friction,
            second_rolling_friction: c.second_rolling_friction.filter(|_| c.rolling_friction.is_some()),
            dimensions: c.dimensions,
            ..ContactProperties::default()
        };
        if *c != plain {
            out.lose(format!(
                "of the pair of \"{}\" and \"{}\" friction, stiffness and damping are written; the rest is left out",
                names[0], names[1]
            ));
        }
        if let Some(mu) = pair.contact.dynamic_friction.or(pair.contact.static_friction) {
            let mut friction = vec![mu, c.second_friction.unwrap_or(mu)];
            if let Some(torsion) = c.torsional_friction {
                friction.push(torsion);
                if let Some(rolling) = c.rolling_friction {
                    friction.extend([rolling, c.second_rolling_friction.unwrap_or(rolling)]);
                }
            }
            attributes = attributes.numbers("friction", &friction);
        }
        if let Some(dimensions) = c.dimensions {
            attributes = attributes.text("condim", &dimensions.to_string());
        }
        if let Some(k) = pair.contact.stiffness {
            attributes =
                attributes.numbers("solref", &[-k, -k * pair.contact.relaxation_time.unwrap_or(0.0)]);
        }
        xml.leaf("pair", attributes);
    }
    xml.close();
}

fn equalities(world: &World, xml: &mut Xml, out: &mut Export) {
    for bushing in &world.bushings {
        out.lose(format!("the bushing \"{}\" has no word in MJCF and is left out", bushing.name));
    }
    let locked: Vec<_> = world.joints().filter(|(_, j)| j.locked).map(|(_, j)| j).collect();
    if world.equalities.is_empty() && locked.is_empty() {
        return;
    }
    xml.open("equality", a());
    for joint in locked {
        out.lose(format!(
            "joint \"{}\" is held; in MJCF a coupling holds it at its reference position",
            joint.name
        ));
        for name in joint_names(joint) {
            if joint.reference.is_empty() {
                continue;
            }
            xml.leaf("joint", a().text("joint1", &name).numbers("polycoef", &[0.0; 5]));
        }
    }
    for (k, equality) in world.equalities.iter().enumerate() {
        if equality.stiffness.is_some() {
            out.lose(format!(
                "the stiffness of coupling \"{}\" has no SI words in MJCF; it is near-rigid there",
                equality.name
            ));
        }
        let mut attributes = a();
        if !equality.name.is_empty() {
            attributes = attributes.text("name", &equality.name);
        }
        if !equality.active {
            attributes = attributes.text("active", "false");
        }
        let sites = |attributes: Attributes| {
            attributes.text("site1", &format!("coupling_{k}_a")).text("site2", &format!("coupling_{k}_b"))
        };
        match equality.kind {
            EqualityKind::Joint { first, second, coefficients } => {
                attributes = attributes.text("joint1", &joint_name(world, first));
                if let Some(second) = second {
                    attributes = attributes.text("joint2", &joint_name(world, second));
                }
                xml.leaf("joint", attributes.numbers("polycoef", &coefficients));
            }
            EqualityKind::Tendon { first, second, coefficients } => {
                attributes = attributes.text("tendon1", &world.tendons[first].name);
                if let Some(second) = second {
                    attributes = attributes.text("tendon2", &world.tendons[second].name);
                }
                xml.leaf("tendon", attributes.numbers("polycoef", &coefficients));
            }
            EqualityKind::Connect { .. } => xml.leaf("connect", sites(attributes)),
            EqualityKind::Weld { .. } => xml.leaf("weld", sites(attributes)),
            EqualityKind::Distance { .. } => {
                out.lose(format!(
                    "the distance coupling \"{}\" has no word in MJCF and is left out",
                    equality.name
                ));
            }
        }
    }
    xml.close();
}

fn tendons(world: &World, xml: &mut Xml, out: &mut Export) {
    let shared: Vec<(usize, Vec<(String, f64)>)> =
        (0..world.actuators.len()).filter_map(|k| Some((k, driven_together(world, k)?))).collect();
    if world.tendons.is_empty() && shared.is_empty() {
        return;
    }
    xml.open("tendon", a());
    for (k, joints) in shared {
        let actuator = &world.actuators[k];
        xml.open("fixed", a().text("name", &shared_tendon(world, k)));
        for (joint, gear) in joints {
            xml.leaf("joint", a().text("joint", &joint).number("coef", gear));
        }
        xml.close();
        if actuator.gain[1] != 0.0 || actuator.bias[1] != 0.0 || actuator.muscle.is_some() {
            out.lose(format!(
                "actuator \"{}\" drives a joint of several coordinates, which has no length; as a tendon in MJCF it has one",
                actuator.name
            ));
        }
    }
    for tendon in &world.tendons {
        let mut attributes = a().text("name", &tendon.name);
        let [low, high] = tendon.range;
        if low.is_finite() || high.is_finite() {
            attributes =
                attributes.text("limited", "true").numbers("range", &[low.max(-1e10), high.min(1e10)]);
        }
        attributes = attributes
            .unless(0.0, "stiffness", tendon.stiffness)
            .unless(0.0, "damping", tendon.damping)
            .unless(0.0, "frictionloss", tendon.friction)
            .unless(0.0, "armature", tendon.armature);
        if let Some(rest) = tendon.rest {
            attributes = attributes.numbers("springlength", &rest);
        }
        if let Some(range) = tendon.actuator_force_range {
            attributes = attributes.text("actuatorfrclimited", "true").numbers("actuatorfrcrange", &range);
        }
        if tendon.limit_stiffness.is_some() {
            out.lose("limits of finite stiffness have no SI words in MJCF; they are written as plain limits");
        }
        match &tendon.path {
            TendonPath::Fixed { terms } => {
                xml.open("fixed", attributes);
                for (joint, coefficient) in terms {
                    xml.leaf(
                        "joint",
                        a().text("joint", &joint_name(world, *joint)).number("coef", *coefficient),
                    );
                }
            }
            TendonPath::Spatial { stages } => {
                xml.open("spatial", attributes);
                for stage in stages {
                    match *stage {
                        PathStage::Site { site } => {
                            xml.leaf("site", a().text("site", &world.sites[site].name))
                        }
                        PathStage::Wrap { geom, side } => {
                            let mut attributes = a().text("geom", &world.geoms[geom].name);
                            if let Some(side) = side {
                                attributes = attributes.text("sidesite", &world.sites[side].name);
                            }
                            xml.leaf("geom", attributes);
                        }
                        PathStage::Pulley { divisor } => xml.leaf("pulley", a().number("divisor", divisor)),
                    }
                }
            }
        }
        xml.close();
    }
    xml.close();
}

fn actuators(world: &World, xml: &mut Xml, out: &mut Export) {
    if world.actuators.is_empty() {
        return;
    }
    xml.open("actuator", a());
    for (k, actuator) in world.actuators.iter().enumerate() {
        let base = a().text("name", &actuator.name);
        let attributes = match driven_together(world, k) {
            Some(_) => base.text("tendon", &shared_tendon(world, k)),
            None => transmission(world, actuator, base),
        };
        xml.leaf("general", law(actuator, attributes, out));
    }
    xml.close();
}

/// The MJCF joints, with gears, that an actuator drives at once: those that stand for one joint of several coordinates.
/// `None` if it drives one of them, or no such joint.
fn driven_together(world: &World, actuator: usize) -> Option<Vec<(String, f64)>> {
    let (Transmission::Joint { body, joint, gear } | Transmission::JointInParent { body, joint, gear }) =
        world.actuators[actuator].transmission
    else {
        return None;
    };
    let names = joint_names(&world.bodies[body].joints[joint]);
    let driven: Vec<_> = names.into_iter().zip(gear).filter(|(_, g)| *g != 0.0).collect();
    (driven.len() > 1).then_some(driven)
}

/// A name that no other tendon has for the tendon of an actuator on several joints.
fn shared_tendon(world: &World, actuator: usize) -> String {
    let mut name = format!("{}_joints", world.actuators[actuator].name);
    while world.tendons.iter().any(|t| t.name == name) {
        name.push('_');
    }
    name
}

fn transmission(world: &World, actuator: &Actuator, attributes: Attributes) -> Attributes {
    let joint_gear = |body: usize, joint: usize, gear: &[f64; 6], word: &str, attributes: Attributes| {
        let names = joint_names(&world.bodies[body].joints[joint]);
        // Of joints in sequence it drives one at most, see `driven_together`.
        let k = (0..names.len()).find(|&k| gear[k] != 0.0).unwrap_or(0);
        let gear = if names.len() > 1 { [gear[k], 0.0, 0.0, 0.0, 0.0, 0.0] } else { *gear };
        attributes.text(word, &names[k]).numbers("gear", &gear)
    };
    match actuator.transmission {
        Transmission::Joint { body, joint, gear } => joint_gear(body, joint, &gear, "joint", attributes),
        Transmission::JointInParent { body, joint, gear } => {
            joint_gear(body, joint, &gear, "jointinparent", attributes)
        }
        Transmission::Tendon { tendon, gear } => {
            attributes.text("tendon", &world.tendons[tendon].name).number("gear", gear)
        }
        Transmission::Site { site, reference, gear } => {
            let attributes = attributes.text("site", &world.sites[site].name).numbers("gear", &gear);
            match reference {
                Some(reference) => attributes.text("refsite", &world.sites[reference].name),
                None => attributes,
            }
        }
        Transmission::SliderCrank { slider, crank, rod, gear } => attributes
            .text("slidersite", &world.sites[slider].name)
            .text("cranksite", &world.sites[crank].name)
            .number("cranklength", rod)
            .number("gear", gear),
        Transmission::Body { body, gear } => {
            attributes.text("body", &world.bodies[body].name).number("gear", gear)
        }
    }
}

fn law(actuator: &Actuator, attributes: Attributes, out: &mut Export) -> Attributes {
    let mut attributes = match &actuator.muscle {
        Some(m) => {
            let parameters = [
                m.range[0],
                m.range[1],
                m.force,
                m.scale,
                m.shortest,
                m.longest,
                m.fastest,
                m.passive,
                m.lengthening,
            ];
            let attributes = attributes.text("gaintype", "muscle").numbers("gainprm", &parameters);
            let attributes = attributes.text("biastype", "muscle").numbers("biasprm", &parameters);
            match m.length_range {
                Some(range) => attributes.numbers("lengthrange", &range),
                None => attributes,
            }
        }
        None => {
            // MuJoCo knows a servo, whose angles may turn round, by a fixed gain.
            let plain = actuator.gain[1..] == [0.0; 2];
            let [constant, length, rate] = actuator.bias;
            attributes
                .text("gaintype", if plain { "fixed" } else { "affine" })
                .numbers("gainprm", &actuator.gain)
                .text("biastype", "affine")
                // Its word for a damping ratio is a positive third number.
                .numbers("biasprm", &[constant, length, actuator.damping_ratio.unwrap_or(rate)])
        }
    };
    attributes = match actuator.dynamics {
        Dynamics::None => attributes,
        Dynamics::Integrator => attributes.text("dyntype", "integrator"),
        Dynamics::Filter { time } => attributes.text("dyntype", "filter").number("dynprm", time),
        Dynamics::ExactFilter { time } => attributes.text("dyntype", "filterexact").number("dynprm", time),
        Dynamics::Muscle { rise, fall, smoothing } => {
            attributes.text("dyntype", "muscle").numbers("dynprm", &[rise, fall, smoothing])
        }
    };
    if actuator.early {
        attributes = attributes.text("actearly", "true");
    }
    for (limited, name, range) in [
        ("ctrllimited", "ctrlrange", actuator.control_range),
        ("forcelimited", "forcerange", actuator.force_range),
        ("actlimited", "actrange", actuator.activation_range),
    ] {
        match range {
            Some(range) if range.iter().all(|x| x.is_finite()) && range[0] < range[1] => {
                attributes = attributes.text(limited, "true").numbers(name, &range);
            }
            Some(_) => out.lose(format!(
                "a {name} of actuator \"{}\" that is empty or unbounded is left out",
                actuator.name
            )),
            None => {}
        }
    }
    attributes
}
