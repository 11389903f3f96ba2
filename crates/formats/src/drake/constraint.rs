//! Drake's constraints and spring-dampers between two bodies, which URDF and SDFormat share.
//!
//! A ball constraint holds two points together, a distance constraint holds them apart, or yields where it has a
//! stiffness. A linear spring-damper, force = k (length − free length) + c · rate, is a tendon from point to point.

use super::value;
use crate::error::Read;
use crate::names::Names;
use crate::numbers::parse_numbers;
use crate::xml::Node;
use stiction_model::{Equality, EqualityKind, PathStage, Pose, Site, Tendon, TendonPath, Vec3, World};

/// The element that holds two points together.
pub const BALL: &str = "drake:ball_constraint";

/// The element that holds two points apart.
pub const DISTANCE: &str = "drake:distance_constraint";

/// The element of a spring and damper between two points.
pub const SPRING: &str = "drake:linear_spring_damper";

/// What that becomes.
pub const SPRING_MAPPED: (&str, &str) =
    (SPRING, "a tendon between its points with its stiffness, free length and damping");

/// The body and the pose in it of a link or frame of this name.
pub type Resolve<'r> = dyn Fn(&str) -> Option<(usize, Pose)> + 'r;

/// The name that a tag gives: in `name=`, `link=`, `value=` or as text.
pub fn name(node: &Node) -> &str {
    ["name", "link", "value"].iter().find_map(|a| node.attr(a)).unwrap_or(&node.text).trim()
}

/// Reads the constraint elements among the children of `parent`.
pub fn read(parent: &Node, resolve: &Resolve, world: &mut World) -> Read<()> {
    let mut names = None;
    for node in &parent.children {
        let kind = match node.name.strip_prefix("drake:") {
            Some(kind @ ("ball_constraint" | "distance_constraint" | "linear_spring_damper")) => kind,
            _ => continue,
        };
        let (body_a, point_a) = end(node, kind, "A", "p_AP", resolve)?;
        let (body_b, point_b) = end(node, kind, "B", "p_BQ", resolve)?;
        let number = |what: &str| node.child(&format!("drake:{kind}_{what}")).map(value).transpose();
        let needed = |what: &str| -> Read<f64> {
            number(what)?.ok_or_else(|| node.error(format!("it needs a drake:{kind}_{what} element")))
        };
        let length = |what: &str| -> Read<f64> {
            let length = needed(what)?;
            if length <= 0.0 {
                return Err(node.error(format!("its {what} is {length}; it must be positive")));
            }
            Ok(length)
        };
        let sound = |k: Option<f64>, c: f64| {
            if k.is_some_and(|k| k < 0.0) || c < 0.0 {
                return Err(node.error("stiffness and damping must be zero or more"));
            }
            Ok(())
        };
        let (mut stiffness, mut relaxation_time) = (None, 0.0);
        let coupling = match kind {
            "ball_constraint" => EqualityKind::Connect { body_a, body_b, point_a, point_b },
            "distance_constraint" => {
                let (distance, k, c) =
                    (length("distance")?, number("stiffness")?, number("damping")?.unwrap_or(0.0));
                sound(k, c)?;
                match k {
                    Some(0.0) if c == 0.0 => continue,
                    Some(0.0) => {
                        different(node, body_a, body_b)?;
                        spring(
                            node,
                            kind,
                            [(body_a, point_a), (body_b, point_b)],
                            [0.0, distance, c],
                            &mut names,
                            world,
                        );
                        continue;
                    }
                    Some(k) => (stiffness, relaxation_time) = (Some(k), c / k),
                    None => {}
                }
                EqualityKind::Distance { body_a, body_b, point_a, point_b, distance }
            }
            _ => {
                let (rest, k, c) = (length("free_length")?, needed("stiffness")?, needed("damping")?);
                sound(Some(k), c)?;
                different(node, body_a, body_b)?;
                spring(node, kind, [(body_a, point_a), (body_b, point_b)], [k, rest, c], &mut names, world);
                continue;
            }
        };
        different(node, body_a, body_b)?;
        let name =
            node.attr("name").map_or_else(|| format!("{kind}_{}", world.equalities.len()), String::from);
        let source = node.source();
        world.equalities.push(Equality {
            name,
            kind: coupling,
            active: true,
            stiffness,
            relaxation_time,
            source,
        });
    }
    Ok(())
}

fn different(node: &Node, body_a: usize, body_b: usize) -> Read<()> {
    if body_a == body_b {
        return Err(node.error("it ties a body to itself; name two bodies"));
    }
    Ok(())
}

/// A spring of stiffness, free length and damping from point to point: a tendon with sites at its ends.
fn spring(
    node: &Node,
    kind: &str,
    ends: [(usize, Vec3); 2],
    [stiffness, free_length, damping]: [f64; 3],
    names: &mut Option<[Names; 2]>,
    world: &mut World,
) {
    let [tendons, sites] = names.get_or_insert_with(|| {
        let tendons = world.tendons.iter().map(|t| t.name.as_str());
        [Names::new(tendons), Names::new(world.sites.iter().map(|s| s.name.as_str()))]
    });
    let name = tendons.free(node.attr("name").unwrap_or(kind));
    let mut stages = Vec::new();
    for ((body, p), end) in ends.into_iter().zip(["A", "B"]) {
        let site = sites.free(&format!("{name}_{end}"));
        stages.push(PathStage::Site { site: world.sites.len() });
        let pose = Pose::translation(p.x, p.y, p.z);
        world.sites.push(Site { pose, source: node.source(), ..Site::new(site, body) });
    }
    let mut tendon = Tendon::new(name, TendonPath::Spatial { stages });
    (tendon.stiffness, tendon.damping) = (stiffness, damping);
    tendon.rest = Some([free_length; 2]);
    tendon.source = node.source();
    world.tendons.push(tendon);
}

fn end(node: &Node, kind: &str, body: &str, point: &str, resolve: &Resolve) -> Read<(usize, Vec3)> {
    let tag = format!("drake:{kind}_body_{body}");
    let child = node.child(&tag).ok_or_else(|| node.error(format!("it needs a {tag} element")))?;
    let wanted = name(child);
    let (index, pose) = resolve(wanted).ok_or_else(|| {
        child.error(format!("there is no link or frame \"{wanted}\"; add it or correct the name"))
    })?;
    let tag = format!("drake:{kind}_{point}");
    let child = node.child(&tag).ok_or_else(|| node.error(format!("it needs a {tag} element")))?;
    let text = child.attr("value").unwrap_or(&child.text);
    let p = match parse_numbers(child, &child.name, text)?[..] {
        [x, y, z] => Vec3::new(x, y, z),
        _ => return Err(child.error("it needs three numbers")),
    };
    Ok((index, (pose * nalgebra::Point3::from(p)).coords))
}
