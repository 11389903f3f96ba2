//! Sensors of the distance between geoms, and of the nearest points.
//!
//! They read the two nearest points p₁, p₂ of two geoms or, in overlap, the points of the deepest contact, which
//! must move by |p₂ − p₁| for the geoms to separate. With several geoms, the pair with the smallest signed distance
//! is used, and the first of equal pairs.

use crate::model::Compiled;
use crate::step::kinematics::Kinematics;
use nalgebra::Vector3;
use stiction_geometry::ContactPoint;
use stiction_geometry::point::{Scratch, contact_pair};
use stiction_model::{GeomsOf, Sensor, SensorKind, World};

/// Buffers of the nearest-point query.
#[derive(Default)]
pub(crate) struct Near {
    scratch: Scratch,
    points: Vec<ContactPoint>,
}

/// The geoms of a side.
pub(crate) fn geoms_of(world: &World, side: GeomsOf) -> impl Iterator<Item = usize> + '_ {
    let there = move |g: &usize| match side {
        GeomsOf::Geom(geom) => *g == geom,
        GeomsOf::Body(body) => world.geoms[*g].body == body,
    };
    (0..world.geoms.len()).filter(there)
}

impl Compiled {
    /// Reads a sensor of distance, direction or points.
    pub fn read_distance(&self, sensor: &Sensor, kinematics: &Kinematics, near: &mut Near, out: &mut [f64]) {
        let (SensorKind::Distance { first, second }
        | SensorKind::DistanceDirection { first, second }
        | SensorKind::DistancePoints { first, second }) = sensor.kind
        else {
            return;
        };
        let reach = sensor.cutoff.unwrap_or(0.0);
        let nearest = self.nearest(first, second, reach, kinematics, near);
        match (sensor.kind, nearest) {
            (SensorKind::Distance { .. }, found) => out[0] = found.map_or(reach, |n| n.distance),
            (_, None) => out.fill(0.0),
            (SensorKind::DistanceDirection { .. }, Some(n)) => {
                // From the first point to the second: in overlap that is against the normal.
                let along = if n.distance < 0.0 { -n.normal_w } else { n.normal_w };
                out.copy_from_slice(along.as_slice());
            }
            (_, Some(n)) => {
                out[..3].copy_from_slice(n.p_wa.as_slice());
                out[3..].copy_from_slice(n.p_wb.as_slice());
            }
        }
    }

    /// The nearest or deepest pair of points of two sides. `None` if they are further apart than `reach`.
    fn nearest(
        &self,
        first: GeomsOf,
        second: GeomsOf,
        reach: f64,
        kinematics: &Kinematics,
        near: &mut Near,
    ) -> Option<ContactPoint> {
        let (world, shapes) = (&self.world, &self.sensors.near);
        let mut nearest: Option<ContactPoint> = None;
        let x_wb = &kinematics.x_wb;
        for a in geoms_of(world, first) {
            for b in geoms_of(world, second) {
                let (Some(shape_a), Some(shape_b)) = (&shapes[a], &shapes[b]) else { continue };
                let pose = |g: usize| x_wb[world.geoms[g].body] * world.geoms[g].pose;
                near.points.clear();
                let sides = ((shape_a, &pose(a)), (shape_b, &pose(b)));
                contact_pair(sides.0, sides.1, reach, &mut near.scratch, &mut near.points);
                for point in &near.points {
                    if nearest.as_ref().is_none_or(|n| point.distance < n.distance) {
                        nearest = Some(*point);
                    }
                }
            }
        }
        nearest.map(straight)
    }
}

/// The same points with the second one exactly opposite the first.
fn straight(point: ContactPoint) -> ContactPoint {
    let p_wb: Vector3<f64> = point.p_wa + point.distance * point.normal_w;
    ContactPoint { p_wb, ..point }
}
