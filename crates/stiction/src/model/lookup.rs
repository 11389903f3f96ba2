//! Lookup of indices by name.

use crate::error::InputError;
use crate::model::names::unknown_name;
use crate::model::{GeomId, Model};

impl Model {
    /// Index of the body of this name.
    pub fn body_index(&self, name: &str) -> Result<usize, InputError> {
        find("body", name, self.world().bodies.iter().map(|b| b.name.as_str()))
    }

    /// Index of the geom of this name.
    pub fn geom_index(&self, name: &str) -> Result<GeomId, InputError> {
        find("geom", name, self.world().geoms.iter().map(|g| g.name.as_str())).map(GeomId)
    }

    /// Index of the site of this name.
    pub fn site_index(&self, name: &str) -> Result<usize, InputError> {
        find("site", name, self.world().sites.iter().map(|s| s.name.as_str()))
    }

    /// Index of the joint of this name, in the order of coordinates.
    pub fn joint_index(&self, name: &str) -> Result<usize, InputError> {
        find("joint", name, self.multibody().joints().iter().map(|j| j.name.as_str()))
    }

    /// Index of the actuator of this name, which is also the index of its control.
    pub fn actuator_index(&self, name: &str) -> Result<usize, InputError> {
        find("actuator", name, self.world().actuators.iter().map(|a| a.name.as_str()))
    }

    /// Index of the sensor of this name.
    pub fn sensor_index(&self, name: &str) -> Result<usize, InputError> {
        find("sensor", name, self.world().sensors.iter().map(|s| s.name.as_str()))
    }
}

fn find<'a>(
    kind: &'static str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, InputError> {
    names.clone().position(|n| n == name).ok_or_else(|| unknown_name(kind, name, names))
}
