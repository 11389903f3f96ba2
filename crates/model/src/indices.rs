//! Every index that one item of a world holds of another, in one place.
//!
//! Merging, reordering and checking worlds all need the same list: which fields are indices, and of what. Every type here
//! names all of its fields and variants, so that a new one does not compile until it is listed.

use crate::{
    Actuator, Body, Bushing, Camera, ContactPair, ContactReading, ContactsOf, Equality, EqualityKind,
    FrameOf, Geom, GeomsOf, Light, PathStage, Sensor, SensorKind, Shape, Site, Tendon, TendonPath,
    Transmission, Visual, World,
};

/// An index, by what it refers to.
#[derive(Debug)]
pub enum Index<'a> {
    /// Of a body.
    Body(&'a mut usize),
    /// Of a joint: its body, and its place in that body's list.
    Joint(&'a mut usize, &'a mut usize),
    /// Of a geom.
    Geom(&'a mut usize),
    /// Of a site.
    Site(&'a mut usize),
    /// Of a mesh.
    Mesh(&'a mut usize),
    /// Of a height field.
    HeightField(&'a mut usize),
    /// Of a tendon.
    Tendon(&'a mut usize),
    /// Of an actuator.
    Actuator(&'a mut usize),
    /// Of a material.
    Material(&'a mut usize),
    /// Of a camera.
    Camera(&'a mut usize),
}

/// Called with every index; `None` ends the visit.
pub type Visit<'v> = dyn FnMut(Index) -> Option<()> + 'v;

/// Something that holds indices.
pub trait Indices {
    /// Calls `visit` with every index, in the order of the fields, until it returns `None`; then that is the result.
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()>;
}

impl<T: Indices> Indices for [T] {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        self.iter_mut().try_for_each(|item| item.visit_indices(visit))
    }
}

impl Indices for World {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            options: _,
            bodies,
            geoms,
            sites,
            meshes: _,
            height_fields: _,
            actuators,
            tendons,
            sensors,
            equalities,
            bushings,
            pairs,
            exclusions,
            keyframes: _,
            visual: Visual { materials: _, cameras, lights, center: _, extent: _, azimuth: _, elevation: _ },
            warnings: _,
        } = self;
        bodies.visit_indices(visit)?;
        geoms.visit_indices(visit)?;
        sites.visit_indices(visit)?;
        actuators.visit_indices(visit)?;
        tendons.visit_indices(visit)?;
        sensors.visit_indices(visit)?;
        equalities.visit_indices(visit)?;
        bushings.visit_indices(visit)?;
        pairs.visit_indices(visit)?;
        for (a, b) in exclusions {
            visit(Index::Body(a))?;
            visit(Index::Body(b))?;
        }
        cameras.visit_indices(visit)?;
        lights.visit_indices(visit)
    }
}

impl Indices for Body {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            parent,
            pose: _,
            joints: _,
            inertia: _,
            inertial_axes: _,
            gravity_compensation: _,
            mocap: _,
            source: _,
        } = self;
        parent.iter_mut().try_for_each(|b| visit(Index::Body(b)))
    }
}

impl Indices for Geom {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            body,
            pose: _,
            shape,
            role: _,
            contact: _,
            filter: _,
            priority: _,
            margin: _,
            surface_velocity: _,
            convex_parts: _,
            immersed: _,
            color: _,
            material,
            group: _,
            source: _,
        } = self;
        visit(Index::Body(body))?;
        shape.visit_indices(visit)?;
        material.iter_mut().try_for_each(|m| visit(Index::Material(m)))
    }
}

impl Indices for Shape {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Mesh { mesh, convex: _ } => visit(Index::Mesh(mesh)),
            Self::HeightField { field } => visit(Index::HeightField(field)),
            Self::HalfSpace { size: _ }
            | Self::Sphere { radius: _ }
            | Self::Box { half_extents: _ }
            | Self::Capsule { radius: _, half_length: _ }
            | Self::Cylinder { radius: _, half_length: _ }
            | Self::Ellipsoid { radii: _ } => Some(()),
        }
    }
}

impl Indices for Site {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { name: _, body, pose: _, shape, color: _, group: _, source: _ } = self;
        visit(Index::Body(body))?;
        shape.visit_indices(visit)
    }
}

impl Indices for Camera {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { name: _, body, pose: _, field_of_view: _, resolution: _, focal: _, source: _ } = self;
        visit(Index::Body(body))
    }
}

impl Indices for Light {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { body, position: _, direction: _, directional: _, color: _ } = self;
        visit(Index::Body(body))
    }
}

impl Indices for Actuator {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            transmission,
            gain: _,
            bias: _,
            damping_ratio: _,
            muscle: _,
            dynamics: _,
            activation_range: _,
            early: _,
            control_range: _,
            force_range: _,
            source: _,
        } = self;
        transmission.visit_indices(visit)
    }
}

impl Indices for Transmission {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Joint { body, joint, gear: _ } | Self::JointInParent { body, joint, gear: _ } => {
                visit(Index::Joint(body, joint))
            }
            Self::Tendon { tendon, gear: _ } => visit(Index::Tendon(tendon)),
            Self::Site { site, reference, gear: _ } => {
                visit(Index::Site(site))?;
                reference.iter_mut().try_for_each(|s| visit(Index::Site(s)))
            }
            Self::SliderCrank { slider, crank, rod: _, gear: _ } => {
                visit(Index::Site(slider))?;
                visit(Index::Site(crank))
            }
            Self::Body { body, gear: _ } => visit(Index::Body(body)),
        }
    }
}

impl Indices for Tendon {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            path,
            range: _,
            limit_stiffness: _,
            limit_relaxation_time: _,
            stiffness: _,
            rest: _,
            damping: _,
            friction: _,
            armature: _,
            actuator_force_range: _,
            width: _,
            color: _,
            source: _,
        } = self;
        match path {
            TendonPath::Fixed { terms } => {
                terms.iter_mut().try_for_each(|((body, joint), _)| visit(Index::Joint(body, joint)))
            }
            TendonPath::Spatial { stages } => stages.iter_mut().try_for_each(|stage| match stage {
                PathStage::Site { site } => visit(Index::Site(site)),
                PathStage::Wrap { geom, side } => {
                    visit(Index::Geom(geom))?;
                    side.iter_mut().try_for_each(|s| visit(Index::Site(s)))
                }
                PathStage::Pulley { divisor: _ } => Some(()),
            }),
        }
    }
}

impl Indices for Equality {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { name: _, kind, active: _, stiffness: _, relaxation_time: _, source: _ } = self;
        match kind {
            EqualityKind::Joint { first, second, coefficients: _ } => {
                visit(Index::Joint(&mut first.0, &mut first.1))?;
                second.iter_mut().try_for_each(|(body, joint)| visit(Index::Joint(body, joint)))
            }
            EqualityKind::Tendon { first, second, coefficients: _ } => {
                visit(Index::Tendon(first))?;
                second.iter_mut().try_for_each(|t| visit(Index::Tendon(t)))
            }
            EqualityKind::Connect { body_a, body_b, point_a: _, point_b: _ }
            | EqualityKind::Weld { body_a, body_b, pose_ab: _, point_b: _ }
            | EqualityKind::Distance { body_a, body_b, point_a: _, point_b: _, distance: _ } => {
                visit(Index::Body(body_a))?;
                visit(Index::Body(body_b))
            }
        }
    }
}

impl Indices for Bushing {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self {
            name: _,
            body_a,
            frame_a: _,
            body_c,
            frame_c: _,
            torque_stiffness: _,
            torque_damping: _,
            force_stiffness: _,
            force_damping: _,
            source: _,
        } = self;
        visit(Index::Body(body_a))?;
        visit(Index::Body(body_c))
    }
}

impl Indices for ContactPair {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { geom_a, geom_b, contact: _, source: _ } = self;
        visit(Index::Geom(geom_a))?;
        visit(Index::Geom(geom_b))
    }
}

impl Indices for FrameOf {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Body(b) | Self::Inertial(b) => visit(Index::Body(b)),
            Self::Geom(g) => visit(Index::Geom(g)),
            Self::Site(s) => visit(Index::Site(s)),
            Self::Camera(c) => visit(Index::Camera(c)),
        }
    }
}

impl Indices for GeomsOf {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Geom(g) => visit(Index::Geom(g)),
            Self::Body(b) => visit(Index::Body(b)),
        }
    }
}

impl Indices for ContactsOf {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Any => Some(()),
            Self::Geom(g) => visit(Index::Geom(g)),
            Self::Body(b) | Self::Subtree(b) => visit(Index::Body(b)),
            Self::Site(s) => visit(Index::Site(s)),
        }
    }
}

impl Indices for Sensor {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        let Self { name: _, kind, cutoff: _, source: _ } = self;
        kind.visit_indices(visit)
    }
}

impl Indices for SensorKind {
    fn visit_indices(&mut self, visit: &mut Visit) -> Option<()> {
        match self {
            Self::Touch { site }
            | Self::Accelerometer { site }
            | Self::Velocimeter { site }
            | Self::Gyro { site }
            | Self::Force { site }
            | Self::Torque { site }
            | Self::Magnetometer { site }
            | Self::Rangefinder { site } => visit(Index::Site(site)),
            Self::JointPosition { joint }
            | Self::JointVelocity { joint }
            | Self::JointActuatorForce { joint }
            | Self::JointLimitPosition { joint }
            | Self::JointLimitVelocity { joint }
            | Self::JointLimitForce { joint }
            | Self::BallOrientation { joint }
            | Self::BallVelocity { joint } => visit(Index::Joint(&mut joint.0, &mut joint.1)),
            Self::TendonPosition { tendon }
            | Self::TendonVelocity { tendon }
            | Self::TendonActuatorForce { tendon }
            | Self::TendonLimitPosition { tendon }
            | Self::TendonLimitVelocity { tendon }
            | Self::TendonLimitForce { tendon } => visit(Index::Tendon(tendon)),
            Self::ActuatorPosition { actuator }
            | Self::ActuatorVelocity { actuator }
            | Self::ActuatorForce { actuator } => visit(Index::Actuator(actuator)),
            Self::FramePosition { frame, reference }
            | Self::FrameOrientation { frame, reference }
            | Self::FrameAxis { frame, axis: _, reference }
            | Self::FrameLinearVelocity { frame, reference }
            | Self::FrameAngularVelocity { frame, reference } => {
                frame.visit_indices(visit)?;
                reference.iter_mut().try_for_each(|f| f.visit_indices(visit))
            }
            Self::FrameLinearAcceleration { frame } | Self::FrameAngularAcceleration { frame } => {
                frame.visit_indices(visit)
            }
            Self::SubtreeCenterOfMass { body }
            | Self::SubtreeVelocity { body }
            | Self::SubtreeAngularMomentum { body } => visit(Index::Body(body)),
            Self::InsideSite { frame, site } => {
                frame.visit_indices(visit)?;
                visit(Index::Site(site))
            }
            Self::Distance { first, second }
            | Self::DistanceDirection { first, second }
            | Self::DistancePoints { first, second } => {
                first.visit_indices(visit)?;
                second.visit_indices(visit)
            }
            Self::Contact { contact: ContactReading { first, second, fields: _, choice: _, slots: _ } } => {
                first.visit_indices(visit)?;
                second.visit_indices(visit)
            }
            Self::CameraProjection { site, camera } => {
                visit(Index::Site(site))?;
                visit(Index::Camera(camera))
            }
            Self::User { size: _ } | Self::PotentialEnergy | Self::KineticEnergy | Self::Clock => Some(()),
        }
    }
}

impl World {
    /// Whether everything that an item refers to exists in this world.
    pub(crate) fn has_all(&self, item: &(impl Indices + Clone)) -> bool {
        let exists = |index: Index| {
            let exists = match index {
                Index::Body(b) => *b < self.bodies.len(),
                Index::Joint(b, j) => self.bodies.get(*b).is_some_and(|body| *j < body.joints.len()),
                Index::Geom(g) => *g < self.geoms.len(),
                Index::Site(s) => *s < self.sites.len(),
                Index::Mesh(m) => *m < self.meshes.len(),
                Index::HeightField(h) => *h < self.height_fields.len(),
                Index::Tendon(t) => *t < self.tendons.len(),
                Index::Actuator(a) => *a < self.actuators.len(),
                Index::Material(m) => *m < self.visual.materials.len(),
                Index::Camera(c) => *c < self.visual.cameras.len(),
            };
            exists.then_some(())
        };
        item.clone().visit_indices(&mut { exists }).is_some()
    }
}
