//! Which geoms a picture shows: visual and collision shapes told apart as MuJoCo, URDF and SDFormat mean them.
//!
//! URDF and SDFormat have elements for either. MJCF has groups: its viewer draws groups 0 to 2 and hides the others, and
//! models keep their collision shapes in group 3. Two cases remain. A colliding geom without a colour that visual geoms
//! of its body cover, or that is the same mesh at the same place, is the collision shape under the drawn one. An object
//! of which nothing would be drawn is drawn by its collision shapes.

use stiction::model::{Geom, GeomRole, Shape, Vec3, World};

/// The last group that MuJoCo's viewer draws.
const LAST_DRAWN_GROUP: i32 = 2;

/// What is drawn of a geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appearance {
    /// It collides and is drawn.
    Both,
    /// It collides; drawn on demand.
    Collision,
    /// It is only drawn.
    Visual,
    /// It does not collide and is drawn on demand.
    Hidden,
}

impl Appearance {
    /// Its word in a recording.
    pub fn word(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Collision => "collision",
            Self::Visual => "visual",
            Self::Hidden => "hidden",
        }
    }

    /// Whether a picture shows it.
    pub fn is_drawn(self) -> bool {
        matches!(self, Self::Both | Self::Visual)
    }
}

/// What is drawn of each geom.
pub fn appearances(world: &World) -> Vec<Appearance> {
    let mut list: Vec<Appearance> = world
        .geoms
        .iter()
        .map(|geom| match (geom.role, geom.group > LAST_DRAWN_GROUP) {
            (GeomRole::Both, false) => Appearance::Both,
            (GeomRole::Visual, false) => Appearance::Visual,
            (GeomRole::Visual, true) => Appearance::Hidden,
            (GeomRole::Collision, _) | (GeomRole::Both, true) => Appearance::Collision,
        })
        .collect();
    for i in 0..list.len() {
        if list[i] == Appearance::Both && is_underneath(world, i, &list) {
            list[i] = Appearance::Collision;
        }
    }
    draw_invisible_objects(world, &mut list);
    list
}

/// Whether visual geoms of its body are drawn in place of this one.
fn is_underneath(world: &World, index: usize, list: &[Appearance]) -> bool {
    let geom = &world.geoms[index];
    let siblings = || {
        let both = world.geoms.iter().zip(list);
        both.filter(|(g, a)| g.body == geom.body && **a == Appearance::Visual).map(|(g, _)| g)
    };
    if siblings().any(|g| g.shape == geom.shape && g.pose == geom.pose) {
        return true;
    }
    let painted = geom.material.is_some() || geom.color != Geom::new("", 0, geom.shape).color;
    if painted || siblings().next().is_none() {
        return false;
    }
    let Some((low, high)) = bounds(world, geom) else { return false };
    let boxes = siblings().filter_map(|g| bounds(world, g));
    let Some((cover_low, cover_high)) = boxes.reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1))) else {
        return false;
    };
    // Covered along each axis for the most part: a collision shape stands out a little, a decoration covers little.
    (0..3).all(|k| {
        let shared = high[k].min(cover_high[k]) - low[k].max(cover_low[k]);
        shared >= 0.7 * (high[k] - low[k])
    })
}

/// Box around a geom in its body's frame; `None` for a half-space.
fn bounds(world: &World, geom: &Geom) -> Option<(Vec3, Vec3)> {
    let rotation = geom.pose.rotation.to_rotation_matrix();
    let around = |half: Vec3| {
        let reach = rotation.matrix().abs() * half;
        Some((geom.pose.translation.vector - reach, geom.pose.translation.vector + reach))
    };
    match geom.shape {
        Shape::HalfSpace { .. } => None,
        Shape::Sphere { radius } => around(Vec3::repeat(radius)),
        Shape::Box { half_extents } => around(half_extents),
        Shape::Capsule { radius, half_length } => around(Vec3::new(radius, radius, radius + half_length)),
        Shape::Cylinder { radius, half_length } => around(Vec3::new(radius, radius, half_length)),
        Shape::Ellipsoid { radii } => around(radii),
        Shape::Mesh { mesh, .. } => {
            let points =
                world.meshes[mesh].vertices.iter().map(|v| geom.pose.transform_point(&(*v).into()).coords);
            points.map(|p| (p, p)).reduce(|a, b| (a.0.inf(&b.0), a.1.sup(&b.1)))
        }
        Shape::HeightField { field } => {
            let [x, y] = world.height_fields[field].half_extents;
            around(Vec3::new(
                x,
                y,
                world.height_fields[field].heights.iter().fold(0.0, |a, h| h.abs().max(a)),
            ))
        }
    }
}

/// Draws the collision shapes of kinematic trees of which nothing is drawn.
fn draw_invisible_objects(world: &World, list: &mut [Appearance]) {
    let mut tree: Vec<usize> = (0..world.bodies.len()).collect();
    for body in 1..world.bodies.len() {
        if let Some(parent) = world.bodies[body].parent.filter(|p| *p != 0) {
            tree[body] = tree[parent];
        }
    }
    let mut drawn = vec![false; world.bodies.len()];
    for (geom, appearance) in world.geoms.iter().zip(&*list) {
        drawn[tree[geom.body]] |= appearance.is_drawn();
    }
    // Of the world's own shapes, what is hidden stays hidden.
    drawn[0] = true;
    for (geom, appearance) in world.geoms.iter().zip(list) {
        if !drawn[tree[geom.body]] && *appearance == Appearance::Collision {
            *appearance = Appearance::Both;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::{Format, LoadOptions, Model};

    fn words(bodies: &str) -> Vec<&'static str> {
        let text = format!("<mujoco><worldbody>{bodies}</worldbody></mujoco>");
        let model = Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).unwrap();
        appearances(model.world()).into_iter().map(Appearance::word).collect()
    }

    const VISUAL: &str = r#"contype="0" conaffinity="0""#;

    #[test]
    fn groups_above_two_are_not_drawn_as_in_mujoco() {
        let seen = words(&format!(
            r#"<body><freejoint/>
                 <geom type="box" size=".1 .1 .1" group="2" rgba="1 0 0 1" {VISUAL}/>
                 <geom type="box" size=".1 .1 .1" group="3"/>
                 <geom type="sphere" size=".02" group="4" {VISUAL}/>
                 <geom type="sphere" size=".02" group="1" rgba="0 0 1 1"/>
               </body>"#
        ));
        assert_eq!(seen, ["visual", "collision", "hidden", "both"]);
    }

    #[test]
    fn an_unpainted_geom_under_a_visual_one_is_its_collision_shape() {
        let body = |visual: &str, collision: &str| {
            let geoms = format!(r#"<geom {visual} rgba="1 0 0 1" {VISUAL}/><geom {collision}/>"#);
            words(&format!("<body><freejoint/>{geoms}</body>"))[1]
        };
        let (large, small) = (r#"type="box" size=".1 .1 .1""#, r#"type="sphere" size=".01" pos="0 0 .1""#);
        assert_eq!(body(large, large), "collision");
        assert_eq!(body(large, r#"type="capsule" size=".1 .02""#), "collision");
        assert_eq!(body(small, large), "both", "a decoration covers nothing");
        assert_eq!(body(large, r#"type="sphere" size=".09" rgba="0 1 0 1""#), "both", "painted");
        assert_eq!(body(large, r#"type="box" size=".1 .1 .1" pos="1 0 0""#), "both", "beside it");
    }

    #[test]
    fn an_object_of_which_nothing_is_drawn_shows_its_collision_shapes() {
        let seen = words(
            r#"<geom type="plane" size="1 1 1" group="3"/>
               <body><freejoint/><geom type="box" size=".1 .1 .1" group="3"/>
                 <body pos="1 0 0"><joint/><geom type="box" size=".1 .1 .1" group="4"/></body></body>
               <body><freejoint/><geom type="box" size=".1 .1 .1" group="3"/>
                 <body pos="1 0 0"><joint/><geom type="box" size=".1 .1 .1"/></body></body>"#,
        );
        assert_eq!(seen, ["collision", "both", "both", "collision", "both"]);
    }
}
