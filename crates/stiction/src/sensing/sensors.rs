//! Sensors: readings of a state, and of the step that led to it.
//!
//! Positions and velocities are those of the current state. Accelerations and forces exist only after a step. They
//! are the means over the last step, with the bodies at their initial poses,
//!
//! ```text
//! a = (v⁺ − v₀)/δt        force = impulse/δt
//! ```
//!
//! so they balance exactly like the momentum of the step. They are zero before the first step.
//!
//! The force between a body and its parent is the inertial force of the body and its descendants minus the other
//! forces on them: Σ m (a − g) − Σ f (Newton–Euler). Contacts, couplings between bodies and tendons along their
//! paths count as such f; actuators at sites, adhesion and gravity compensation do not, as in MuJoCo, so they are
//! part of the reading.
//!
//! Distances between geoms are in `distances.rs`, contacts in `contacts.rs`.

use crate::contact::result::Contact;
use crate::forces::moments::Moments;
use crate::forces::tendons::joint_at;
use crate::forces::transmission::Link;
use crate::forces::{self, At};
use crate::model::{Compiled, Energy};
use crate::sensing::contacts::SensedContact;
use crate::sensing::distances::{Near, geoms_of};
use crate::state::State;
use crate::step::kinematics::{Kinematics, acceleration_at, parts, twist_at};
use nalgebra::{UnitQuaternion, Vector3};
use stiction_geometry::Shape as Solid;
use stiction_model::{FrameOf, Pose, SensorKind, Shape, World};
use stiction_multibody::{Multibody, Workspace};

type V3 = Vector3<f64>;

/// Constant data of sensors.
#[derive(Default)]
pub(crate) struct Sensors {
    /// Start of each sensor's readings, followed by the total.
    pub starts: Vec<usize>,
    /// For each body, the end of the range of its descendants. The range begins with the body itself.
    pub subtree_end: Vec<usize>,
    /// Geoms visible to rangefinders, with their shapes. Empty without rangefinders.
    rays: Vec<(usize, Solid)>,
    /// Volumes of the sites; only those of touch sensors are filled.
    volumes: Vec<Option<Solid>>,
    /// Shapes of geoms whose distances are read; only those are filled.
    pub near: Vec<Option<Solid>>,
    /// Whether some sensor reads contacts.
    pub meets: bool,
}

impl Sensors {
    pub fn new(world: &World, mut shape: impl FnMut(&Shape) -> Option<Solid>) -> Self {
        let mut starts = vec![0];
        for sensor in &world.sensors {
            starts.push(starts[starts.len() - 1] + sensor.kind.size());
        }
        let mut subtree_end: Vec<usize> = (1..=world.bodies.len()).collect();
        for b in (1..world.bodies.len()).rev() {
            let parent = world.bodies[b].parent.unwrap_or(0);
            subtree_end[parent] = subtree_end[parent].max(subtree_end[b]);
        }
        let sees = world.sensors.iter().any(|s| matches!(s.kind, SensorKind::Rangefinder { .. }));
        let visible = |(_, g): &(usize, &stiction_model::Geom)| sees && g.color[3] > 0.0;
        let rays = world.geoms.iter().enumerate().filter(visible);
        let rays = rays.filter_map(|(i, g)| Some((i, shape(&g.shape)?))).collect();
        let mut volumes = vec![None; world.sites.len()];
        for sensor in &world.sensors {
            if let SensorKind::Touch { site } | SensorKind::InsideSite { site, .. } = sensor.kind {
                volumes[site] = shape(&world.sites[site].shape);
            }
        }
        let mut near = vec![None; world.geoms.len()];
        for sensor in &world.sensors {
            if let SensorKind::Distance { first, second }
            | SensorKind::DistanceDirection { first, second }
            | SensorKind::DistancePoints { first, second } = sensor.kind
            {
                for g in [first, second].into_iter().flat_map(|side| geoms_of(world, side)) {
                    if near[g].is_none() {
                        near[g] = shape(&world.geoms[g].shape);
                    }
                }
            }
        }
        let meets = world.sensors.iter().any(|s| matches!(s.kind, SensorKind::Contact { .. }));
        Self { starts, subtree_end, rays, volumes, near, meets }
    }

    /// Total number of sensor readings.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }
}

/// Forces during a step, for force sensors.
pub(crate) struct Loads<'a> {
    /// Bodies at the beginning of the step.
    pub x_wb: &'a [Pose],
    /// Their kinematics; accelerations are filled in here.
    pub workspace: &'a mut Workspace,
    pub acceleration: &'a [f64],
    pub drives: &'a Moments,
    pub actuator_forces: &'a [f64],
    /// External wrench on each body, except joint forces: [moment about the world's origin; force].
    pub wrenches: &'a [[f64; 6]],
    /// Points at which bodies are pushed along normals: those of contacts, and of faces of patches.
    pub normal_forces: &'a [NormalForce],
    /// Contact points and patches, if a sensor reads them.
    pub sensed: &'a [SensedContact],
    /// Contacts selected by a sensor; reused buffer.
    pub chosen: &'a mut Vec<(f64, usize, bool)>,
    /// Forces of limits on each velocity coordinate, and on each tendon.
    pub limit_forces: (&'a [f64], &'a [f64]),
}

/// A normal force between two bodies at a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormalForce {
    pub bodies: (usize, usize),
    pub point: V3,
    /// From the first body into the second.
    pub normal: V3,
    pub force: f64,
}

impl NormalForce {
    pub fn of(contact: &Contact) -> Self {
        let force = contact.force.dot(&contact.normal);
        Self {
            bodies: (contact.body_a, contact.body_b),
            point: contact.position,
            normal: contact.normal,
            force,
        }
    }
}

/// Motion of a frame at one instant, world axes.
struct Moving {
    pose: Pose,
    angular: V3,
    linear: V3,
}

fn moving(compiled: &Compiled, x_wb: &[Pose], workspace: &Workspace, frame: FrameOf) -> Moving {
    let (body, x_bf) = frame_in_body(&compiled.world, frame);
    let pose = x_wb[body] * x_bf;
    let (angular, linear) = parts(&twist_at(&compiled.multibody, workspace, body, &pose.translation.vector));
    Moving { linear, angular, pose }
}

/// The body that carries a frame, and the frame's pose in it.
fn frame_in_body(world: &World, frame: FrameOf) -> (usize, Pose) {
    match frame {
        FrameOf::Body(body) => (body, Pose::identity()),
        FrameOf::Inertial(body) => {
            let described = &world.bodies[body];
            (body, Pose::from_parts(described.inertia.com.into(), described.inertial_axes))
        }
        FrameOf::Geom(g) => {
            let geom = &world.geoms[g];
            match geom.shape {
                Shape::Mesh { mesh, .. } => (geom.body, geom.pose * world.meshes[mesh].frame),
                _ => (geom.body, geom.pose),
            }
        }
        FrameOf::Site(s) => (world.sites[s].body, world.sites[s].pose),
        FrameOf::Camera(c) => (world.visual.cameras[c].body, world.visual.cameras[c].pose),
    }
}

/// Mass, centre of mass, momentum and angular momentum about the world's origin of a range of bodies.
fn momentum(
    compiled: &Compiled,
    kinematics: &Kinematics,
    bodies: std::ops::Range<usize>,
) -> (f64, V3, V3, V3) {
    let (mut mass, mut moment, mut linear, mut angular) = (0.0, V3::zeros(), V3::zeros(), V3::zeros());
    for b in bodies {
        let inertia = &compiled.world.bodies[b].inertia;
        let x_wb = &kinematics.x_wb[b];
        let twist = compiled.multibody.twist(&kinematics.workspace, b);
        let (w, v) = parts(&twist);
        let arm = x_wb.rotation * inertia.com;
        let com = x_wb.translation.vector + arm;
        let p = inertia.mass * (v + w.cross(&arm));
        let spin = x_wb.rotation * (inertia.rotational * (x_wb.rotation.inverse() * w));
        mass += inertia.mass;
        moment += inertia.mass * com;
        linear += p;
        angular += spin + com.cross(&p);
    }
    (mass, moment, linear, angular)
}

impl Compiled {
    /// Reads the sensors that depend only on the state. `kinematics` must be evaluated at this state, including
    /// velocities.
    pub fn read_state(
        &self,
        state: &State,
        kinematics: &mut Kinematics,
        near: &mut Near,
        values: &mut [f64],
    ) {
        for (k, sensor) in self.world.sensors.iter().enumerate().filter(|(_, s)| !s.kind.reads_forces()) {
            let out = &mut values[self.sensors.starts[k]..self.sensors.starts[k + 1]];
            match sensor.kind {
                SensorKind::Distance { .. }
                | SensorKind::DistanceDirection { .. }
                | SensorKind::DistancePoints { .. } => self.read_distance(sensor, kinematics, near, out),
                SensorKind::PotentialEnergy => {
                    out[0] = self.energy(state, kinematics).potential + self.held_weight(kinematics)
                }
                SensorKind::KineticEnergy => out[0] = self.energy(state, kinematics).kinetic,
                _ => self.read_one(&sensor.kind, state, kinematics, out),
            }
            cut(&sensor.kind, sensor.cutoff, out);
        }
    }

    /// Kinetic and potential energy at `state`, whose kinematics are given.
    pub fn energy(&self, state: &State, kinematics: &mut Kinematics) -> Energy {
        let at = At { compiled: self, state, q: &state.q, kinematics, stiction_tolerance: 0.0 };
        forces::energy(&at)
    }

    /// Potential energy of static and mocap bodies, which MuJoCo also includes.
    fn held_weight(&self, kinematics: &Kinematics) -> f64 {
        let held = (0..self.world.bodies.len()).filter(|&b| self.multibody.body_tree(b).is_none());
        held.map(|b| {
            let inertia = &self.world.bodies[b].inertia;
            let com = kinematics.x_wb[b] * nalgebra::Point3::from(inertia.com);
            -inertia.mass * self.world.options.gravity.dot(&com.coords)
        })
        .sum()
    }

    fn read_one(&self, kind: &SensorKind, state: &State, kinematics: &Kinematics, out: &mut [f64]) {
        use SensorKind as K;
        let (world, multibody) = (&self.world, &self.multibody);
        let at = |frame: FrameOf| moving(self, &kinematics.x_wb, &kinematics.workspace, frame);
        let seen = |reference: Option<FrameOf>| reference.map(at);
        let joint = |joint: (usize, usize)| joint_at(multibody, joint);
        let vector = |out: &mut [f64], v: V3| out.copy_from_slice(v.as_slice());
        let turn = |out: &mut [f64], q: UnitQuaternion<f64>| out.copy_from_slice(&[q.w, q.i, q.j, q.k]);
        match *kind {
            K::Velocimeter { site } => {
                let m = at(FrameOf::Site(site));
                vector(out, m.pose.rotation.inverse() * m.linear);
            }
            K::Gyro { site } => {
                let m = at(FrameOf::Site(site));
                vector(out, m.pose.rotation.inverse() * m.angular);
            }
            K::Magnetometer { site } => {
                let rotation = at(FrameOf::Site(site)).pose.rotation;
                vector(out, rotation.inverse() * world.options.magnetic_field);
            }
            K::Rangefinder { site } => out[0] = self.range(site, kinematics),
            K::JointPosition { joint: j } => out[0] = state.q[joint(j).q.start],
            K::JointVelocity { joint: j } => out[0] = state.v[joint(j).v.start],
            K::JointLimitPosition { joint: j } => {
                let (q, dof) = (state.q[joint(j).q.start], multibody.dofs()[joint(j).v.start]);
                out[0] = (q - dof.lower).min(dof.upper - q).min(0.0);
            }
            K::BallOrientation { joint: j } => {
                let q = &state.q[joint(j).q.clone()];
                turn(out, UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3])));
            }
            K::BallVelocity { joint: j } => out.copy_from_slice(&state.v[joint(j).v.clone()]),
            K::TendonPosition { tendon } => out[0] = kinematics.tendons.lengths[tendon],
            K::TendonVelocity { tendon } => out[0] = kinematics.tendons.rate(tendon, &state.v),
            K::TendonLimitPosition { tendon } => {
                let (length, [low, high]) = (kinematics.tendons.lengths[tendon], world.tendons[tendon].range);
                out[0] = (length - low).min(high - length).min(0.0);
            }
            K::JointLimitVelocity { joint: j } => {
                let (q, v) = (state.q[joint(j).q.start], state.v[joint(j).v.start]);
                let dof = multibody.dofs()[joint(j).v.start];
                out[0] = leaving(q, v, [dof.lower, dof.upper]);
            }
            K::TendonLimitVelocity { tendon } => {
                let rate = kinematics.tendons.rate(tendon, &state.v);
                out[0] = leaving(kinematics.tendons.lengths[tendon], rate, world.tendons[tendon].range);
            }
            K::ActuatorPosition { actuator } => out[0] = kinematics.transmissions.lengths[actuator],
            K::ActuatorVelocity { actuator } => out[0] = kinematics.transmissions.rate(actuator, &state.v),
            K::FramePosition { frame, reference } => {
                let p = at(frame).pose.translation.vector;
                vector(out, seen(reference).map_or(p, |r| r.pose.inverse_transform_point(&p.into()).coords));
            }
            K::FrameOrientation { frame, reference } => {
                let q = at(frame).pose.rotation;
                turn(out, seen(reference).map_or(q, |r| r.pose.rotation.inverse() * q));
            }
            K::FrameAxis { frame, axis, reference } => {
                let mut unit = V3::zeros();
                unit[axis] = 1.0;
                let a = at(frame).pose.rotation * unit;
                vector(out, seen(reference).map_or(a, |r| r.pose.rotation.inverse() * a));
            }
            K::FrameLinearVelocity { frame, reference } => {
                let m = at(frame);
                let relative = |r: Moving| {
                    let arm = m.pose.translation.vector - r.pose.translation.vector;
                    r.pose.rotation.inverse() * (m.linear - r.linear - r.angular.cross(&arm))
                };
                vector(out, seen(reference).map_or(m.linear, relative));
            }
            K::FrameAngularVelocity { frame, reference } => {
                let w = at(frame).angular;
                vector(out, seen(reference).map_or(w, |r| r.pose.rotation.inverse() * (w - r.angular)));
            }
            K::SubtreeCenterOfMass { body }
            | K::SubtreeVelocity { body }
            | K::SubtreeAngularMomentum { body } => {
                let (mass, moment, linear, angular) =
                    momentum(self, kinematics, body..self.sensors.subtree_end[body]);
                let com = if mass > 0.0 { moment / mass } else { kinematics.x_wb[body].translation.vector };
                let value = match kind {
                    K::SubtreeCenterOfMass { .. } => com,
                    K::SubtreeVelocity { .. } if mass > 0.0 => linear / mass,
                    K::SubtreeVelocity { .. } => V3::zeros(),
                    _ => angular - com.cross(&linear),
                };
                vector(out, value);
            }
            K::InsideSite { frame, site } => {
                let (p, x_ws) = (at(frame).pose.translation.vector, at(FrameOf::Site(site)).pose);
                out[0] = f64::from(inside(
                    &world.sites[site].shape,
                    &x_ws.inverse_transform_point(&p.into()).coords,
                ));
            }
            K::CameraProjection { site, camera } => {
                let (p, x_wc) = (at(FrameOf::Site(site)).pose.translation, at(FrameOf::Camera(camera)).pose);
                let p_c = x_wc.inverse_transform_point(&p.vector.into()).coords;
                out.copy_from_slice(&world.visual.cameras[camera].project(&p_c));
            }
            K::User { .. } => out.fill(0.0),
            K::Clock => out[0] = state.time,
            // Read by `read_state` itself.
            K::Distance { .. }
            | K::DistanceDirection { .. }
            | K::DistancePoints { .. }
            | K::PotentialEnergy
            | K::KineticEnergy => {}
            // They need the forces of a step: `read_load` and `read_contacts`.
            K::Touch { .. }
            | K::Accelerometer { .. }
            | K::Force { .. }
            | K::Torque { .. }
            | K::FrameLinearAcceleration { .. }
            | K::FrameAngularAcceleration { .. }
            | K::JointActuatorForce { .. }
            | K::JointLimitForce { .. }
            | K::TendonActuatorForce { .. }
            | K::TendonLimitForce { .. }
            | K::ActuatorForce { .. }
            | K::Contact { .. } => {}
        }
    }

    /// Distance from a site along its z-axis to the first geom of another body; −1 if there is none.
    fn range(&self, site: usize, kinematics: &Kinematics) -> f64 {
        let body = self.world.sites[site].body;
        let x_ws = kinematics.x_wb[body] * self.world.sites[site].pose;
        let (origin, direction) = (x_ws.translation.vector, x_ws.rotation * V3::z());
        let mut nearest = f64::INFINITY;
        for (index, shape) in &self.sensors.rays {
            let geom = &self.world.geoms[*index];
            if geom.body == body {
                continue;
            }
            let x_wg = kinematics.x_wb[geom.body] * geom.pose;
            if let Shape::HeightField { field } = geom.shape {
                nearest = nearest.min(self.base_hit(field, &x_wg, &origin, &direction));
            }
            let Some(hit) = shape.cast_ray(&x_wg, &origin, &direction, nearest) else { continue };
            if let Shape::HalfSpace { size } = geom.shape {
                // A plane is visible only from above and within its drawn size.
                let p = x_wg.inverse_transform_point(&(origin + hit.distance * direction).into());
                let beyond = |k: usize| size[k] > 0.0 && p[k].abs() > size[k];
                if hit.normal_w.dot(&direction) >= 0.0 || beyond(0) || beyond(1) {
                    continue;
                }
            }
            nearest = hit.distance;
        }
        if nearest.is_finite() { nearest } else { -1.0 }
    }

    /// Distance along a ray to the block below a height field's lowest level, from outside it.
    fn base_hit(&self, field: usize, x_wg: &Pose, origin: &V3, direction: &V3) -> f64 {
        let field = &self.world.height_fields[field];
        let half = V3::new(field.half_extents[0], field.half_extents[1], 0.5 * field.base);
        let x_wc = x_wg * Pose::translation(0.0, 0.0, -half.z);
        if inside(&Shape::Box { half_extents: half }, &x_wc.inverse_transform_point(&(*origin).into()).coords)
        {
            return f64::INFINITY;
        }
        let block = Solid::cuboid(half).ok();
        let hit = block.and_then(|b| b.cast_ray(&x_wc, origin, direction, f64::INFINITY));
        hit.map_or(f64::INFINITY, |hit| hit.distance)
    }

    /// Reads the sensors of accelerations and forces.
    pub fn read_forces(&self, loads: &mut Loads, values: &mut [f64]) {
        self.multibody.accelerations(loads.acceleration, loads.workspace);
        for (k, sensor) in self.world.sensors.iter().enumerate().filter(|(_, s)| s.kind.reads_forces()) {
            let out = &mut values[self.sensors.starts[k]..self.sensors.starts[k + 1]];
            match sensor.kind {
                SensorKind::Contact { contact } => self.read_contacts(&contact, loads, out),
                _ => self.read_load(&sensor.kind, loads, out),
            }
            cut(&sensor.kind, sensor.cutoff, out);
        }
    }

    fn read_load(&self, kind: &SensorKind, loads: &Loads, out: &mut [f64]) {
        use SensorKind as K;
        let world = &self.world;
        let gravity = loads.workspace.gravity;
        let vector = |out: &mut [f64], v: V3| out.copy_from_slice(v.as_slice());
        match *kind {
            K::Accelerometer { site } => {
                let (pose, _, linear) = self.accelerating(loads, FrameOf::Site(site));
                vector(out, pose.rotation.inverse() * (linear - gravity));
            }
            K::FrameLinearAcceleration { frame } => vector(out, self.accelerating(loads, frame).2 - gravity),
            K::FrameAngularAcceleration { frame } => vector(out, self.accelerating(loads, frame).1),
            K::Force { site } | K::Torque { site } => {
                let (body, x_bs) = frame_in_body(world, FrameOf::Site(site));
                let x_ws = loads.x_wb[body] * x_bs;
                let point = x_ws.translation.vector;
                let (moment, force) = self.transmitted(loads, body, &point);
                let value = if matches!(kind, K::Force { .. }) { force } else { moment };
                vector(out, x_ws.rotation.inverse() * value);
            }
            K::Touch { site } => {
                let body = world.sites[site].body;
                let x_ws = loads.x_wb[body] * world.sites[site].pose;
                let Some(volume) = &self.sensors.volumes[site] else { return };
                out[0] = 0.0;
                for push in loads.normal_forces.iter().filter(|p| p.force > 0.0) {
                    // Out of the body, through the contact position.
                    let away = match push.bodies {
                        (a, _) if a == body => push.normal,
                        (_, b) if b == body => -push.normal,
                        _ => continue,
                    };
                    if volume.cast_ray(&x_ws, &push.point, &away, f64::INFINITY).is_some() {
                        out[0] += push.force;
                    }
                }
            }
            K::JointLimitForce { joint } => {
                out[0] = loads.limit_forces.0[joint_at(&self.multibody, joint).v.start];
            }
            K::TendonLimitForce { tendon } => out[0] = loads.limit_forces.1[tendon],
            K::ActuatorForce { actuator } => out[0] = loads.actuator_forces[actuator],
            K::JointActuatorForce { joint } => {
                let dof = joint_at(&self.multibody, joint).v.start;
                let arm = |row: usize| loads.drives.row(row).iter().find(|a| a.0 == dof).map_or(0.0, |a| a.1);
                out[0] = loads.actuator_forces.iter().enumerate().map(|(row, f)| arm(row) * f).sum();
            }
            K::TendonActuatorForce { tendon } => {
                // As in MuJoCo, the forces of the actuators themselves, before their gears.
                let pulls = |link: &Link| matches!(*link, Link::Tendon { tendon: t, .. } if t == tendon);
                let drives = self.drives.drives.iter().zip(loads.actuator_forces);
                out[0] = drives.filter(|(drive, _)| pulls(&drive.link)).map(|(_, f)| f).sum();
            }
            _ => {} // reads the state
        }
    }

    /// Pose, angular and linear acceleration of a frame, world axes.
    fn accelerating(&self, loads: &Loads, frame: FrameOf) -> (Pose, V3, V3) {
        let (body, x_bf) = frame_in_body(&self.world, frame);
        let pose = loads.x_wb[body] * x_bf;
        let (alpha, linear) = point_acceleration(&self.multibody, loads, body, &pose.translation.vector);
        (pose, alpha, linear)
    }

    /// Moment about `point` and force that a body's parent exerts on it, world axes.
    pub fn transmitted(&self, loads: &Loads, body: usize, point: &V3) -> (V3, V3) {
        let (mut moment, mut force) = (V3::zeros(), V3::zeros());
        for b in body..self.sensors.subtree_end[body] {
            let (f, m) = self.needed(loads, b, point);
            let [mx, my, mz, fx, fy, fz] = loads.wrenches[b];
            let (given, about) = (V3::new(fx, fy, fz), V3::new(mx, my, mz));
            force += f - given;
            moment += m - (about - point.cross(&given));
        }
        (moment, force)
    }

    /// Inertial force of a body minus gravity, and its moment about `point`.
    fn needed(&self, loads: &Loads, body: usize, point: &V3) -> (V3, V3) {
        let inertia = &self.world.bodies[body].inertia;
        if *inertia == stiction_model::Inertia::zero() {
            return (V3::zeros(), V3::zeros());
        }
        let x_wb = &loads.x_wb[body];
        let com = (x_wb * nalgebra::Point3::from(inertia.com)).coords;
        let (alpha, a) = point_acceleration(&self.multibody, loads, body, &com);
        let force = inertia.mass * (a - loads.workspace.gravity);
        let twist = self.multibody.twist(loads.workspace, body);
        let back = x_wb.rotation.inverse();
        let (w, alpha) = (back * V3::from(twist.fixed_rows::<3>(0)), back * alpha);
        let spin = inertia.rotational * alpha + w.cross(&(inertia.rotational * w));
        (force, x_wb.rotation * spin + (com - point).cross(&force))
    }
}

/// Angular acceleration of a body and acceleration of its point now at `point`, world axes.
fn point_acceleration(multibody: &Multibody, loads: &Loads, body: usize, point: &V3) -> (V3, V3) {
    let arm = point - loads.x_wb[body].translation.vector;
    acceleration_at(multibody, loads.workspace, body, &arm)
}

/// Rate at which a coordinate at or beyond a limit moves away from it; 0 within the limits.
fn leaving(at: f64, rate: f64, [low, high]: [f64; 2]) -> f64 {
    if at <= low {
        rate
    } else if at >= high {
        -rate
    } else {
        0.0
    }
}

/// Whether a point in a site's frame lies in its volume.
pub(crate) fn inside(shape: &Shape, p: &V3) -> bool {
    let flat = p.x.hypot(p.y);
    match *shape {
        Shape::Sphere { radius } => p.norm() <= radius,
        Shape::Box { half_extents } => p.iter().zip(half_extents.iter()).all(|(x, h)| x.abs() <= *h),
        Shape::Capsule { radius, half_length } => flat.hypot((p.z.abs() - half_length).max(0.0)) <= radius,
        Shape::Cylinder { radius, half_length } => flat <= radius && p.z.abs() <= half_length,
        Shape::Ellipsoid { radii } => p.component_div(&radii).norm() <= 1.0,
        _ => false,
    }
}

/// Clamps a reading to the sensor's cutoff. Orientations, axes, points and contacts have none.
fn cut(kind: &SensorKind, cutoff: Option<f64>, out: &mut [f64]) {
    let Some(cutoff) = cutoff else { return };
    if matches!(
        kind,
        SensorKind::FrameOrientation { .. }
            | SensorKind::FrameAxis { .. }
            | SensorKind::BallOrientation { .. }
            | SensorKind::DistanceDirection { .. }
            | SensorKind::DistancePoints { .. }
            | SensorKind::Contact { .. }
    ) {
        return;
    }
    out.iter_mut().for_each(|x| *x = x.clamp(-cutoff, cutoff));
}
