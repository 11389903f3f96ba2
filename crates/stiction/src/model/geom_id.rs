//! The two numberings of geoms.
//!
//! A world lists all its geoms, also those that are only seen. Contact knows only those that collide, numbered in the same
//! order. [`GeomId`] and [`CollidingGeomId`] keep the two apart; [`CollidingGeoms`] translates.

use serde::{Deserialize, Serialize};
use stiction_geometry::ContactPoint;

/// Index of a geom in the list of its world, [`World::geoms`](crate::model::World::geoms).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GeomId(pub usize);

/// Index of a geom among those that collide. [`Model::geom_id`](crate::Model::geom_id) gives its index in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CollidingGeomId(u32);

/// Two geoms that may touch.
pub(crate) type GeomPair = (CollidingGeomId, CollidingGeomId);

impl CollidingGeomId {
    /// From the index that the geometry uses.
    pub(crate) fn new(index: usize) -> Self {
        Self(index as u32)
    }

    /// The index that the geometry uses.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The geoms of a contact point.
pub(crate) fn geoms_of(point: &ContactPoint) -> GeomPair {
    (CollidingGeomId::new(point.geom_a), CollidingGeomId::new(point.geom_b))
}

/// A pair from the indices that the geometry uses.
pub(crate) fn pair_of(&(a, b): &(u32, u32)) -> GeomPair {
    (CollidingGeomId(a), CollidingGeomId(b))
}

/// The geoms of a world that collide, in its order.
#[derive(Clone, Default)]
pub(crate) struct CollidingGeoms(Vec<GeomId>);

impl CollidingGeoms {
    /// Adds a geom after the last one in the world's order.
    pub fn push(&mut self, geom: GeomId) {
        debug_assert!(self.0.last().is_none_or(|last| *last < geom));
        self.0.push(geom);
    }

    /// Index in the world.
    pub fn in_world(&self, geom: CollidingGeomId) -> GeomId {
        self.0[geom.index()]
    }

    /// The colliding geom of an index in the world, if it collides.
    pub fn find(&self, geom: GeomId) -> Option<CollidingGeomId> {
        self.0.binary_search(&geom).ok().map(CollidingGeomId::new)
    }

    /// All of them, with their indices in the world.
    pub fn iter(&self) -> impl Iterator<Item = (CollidingGeomId, GeomId)> + '_ {
        self.0.iter().enumerate().map(|(k, &geom)| (CollidingGeomId::new(k), geom))
    }
}
