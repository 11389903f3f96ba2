//! Sensor readings and the forces on each body during the last step, computed on demand.

use crate::contact::patch_view::SolvedPatches;
use crate::contact::result::Contact;
use crate::control::Touch;
use crate::control::senses::gather;
use crate::forces::tendon_path::pulls;
use crate::forces::transmission::Link;
use crate::model::Compiled;
use crate::sensing::contacts::SensedContact;
use crate::sensing::distances::Near;
use crate::sensing::sensors::{Loads, NormalForce};
use crate::state::State;
use crate::step::Stages;
use crate::step::assemble::{Coupling, RowLog};
use crate::step::free_motion::FreeMotion;
use crate::step::kinematics::Kinematics;
use nalgebra::{Vector3, Vector6};
use stiction_model::Pose;

/// Readings and their inputs.
#[derive(Default)]
pub(crate) struct Readings {
    /// Readings of all sensors, concatenated.
    pub values: Vec<f64>,
    wrenches: Vec<[f64; 6]>,
    normal_forces: Vec<NormalForce>,
    acceleration: Vec<f64>,
    actuator_forces: Vec<f64>,
    /// Forces of actuators along each velocity coordinate.
    pub joint_torques: Vec<f64>,
    /// Wrenches of the parents on the requested bodies, about the body's origin in its axes, [moment; force].
    pub transmitted: Vec<[f64; 6]>,
    tendon_forces: Vec<f64>,
    sensed: Vec<SensedContact>,
    touches: Vec<Touch>,
    chosen: Vec<(f64, usize, bool)>,
    joint_limits: Vec<f64>,
    tendon_limits: Vec<f64>,
    near: Near,
}

impl Readings {
    /// Mean acceleration over the last step that was read.
    pub fn acceleration(&self) -> &[f64] {
        &self.acceleration
    }

    /// Reads all sensors: positions and velocities of `state`, forces of the step that led to it with the results in `stages`;
    /// also the wrenches at `bodies`. A step with a learned law has no rows. Its velocities are given instead.
    pub fn read(
        &mut self,
        compiled: &Compiled,
        state: &State,
        now: &mut Kinematics,
        stages: &mut Stages,
        learned: Option<&[f64]>,
        bodies: &[usize],
    ) {
        now.at(compiled, state);
        self.clear(compiled, bodies.len());
        compiled.read_state(state, now, &mut self.near, &mut self.values);
        let Stages { contacts, results, kinematics, free, assembly, solver, .. } = stages;
        let dt = results.step;
        if dt > 0.0 {
            self.contacts(&results.contacts, results.patches(&contacts.patches), compiled);
            if learned.is_none() {
                self.rows(&assembly.log, solver.row_impulses(), dt);
            }
            self.forces(compiled, kinematics, free, learned.unwrap_or(solver.velocities()), dt, bodies);
        }
    }

    /// Sets all readings to zero, including those of `bodies` bodies.
    fn clear(&mut self, compiled: &Compiled, bodies: usize) {
        self.joint_torques.clear();
        self.joint_torques.resize(compiled.multibody.nv(), 0.0);
        self.transmitted.clear();
        self.transmitted.resize(bodies, [0.0; 6]);
        self.values.clear();
        self.values.resize(compiled.sensors.len(), 0.0);
        self.wrenches.clear();
        self.wrenches.resize(compiled.world.bodies.len(), [0.0; 6]);
        self.normal_forces.clear();
        self.sensed.clear();
        for (forces, count) in [
            (&mut self.tendon_forces, compiled.world.tendons.len()),
            (&mut self.tendon_limits, compiled.world.tendons.len()),
            (&mut self.joint_limits, compiled.multibody.nv()),
        ] {
            forces.clear();
            forces.resize(count, 0.0);
        }
    }

    /// A force on the second body at a point with a moment, and the opposite on the first.
    fn act(
        &mut self,
        bodies: (usize, usize),
        point: &Vector3<f64>,
        force: &Vector3<f64>,
        moment: &Vector3<f64>,
    ) {
        let about = point.cross(force) + moment;
        for (body, sign) in [(bodies.0, -1.0), (bodies.1, 1.0)] {
            for k in 0..3 {
                self.wrenches[body][k] += sign * about[k];
                self.wrenches[body][3 + k] += sign * force[k];
            }
        }
    }

    /// Forces of contact points and of faces of patches.
    fn contacts(&mut self, contacts: &[Contact], patches: SolvedPatches, compiled: &Compiled) {
        for contact in contacts {
            self.act((contact.body_a, contact.body_b), &contact.position, &contact.force, &contact.torque);
            self.normal_forces.push(NormalForce::of(contact));
        }
        if compiled.sensors.meets {
            self.sensed.extend(contacts.iter().filter_map(SensedContact::of_point));
            gather(&[], patches, compiled, &mut self.touches);
            self.sensed.extend(self.touches.iter().map(SensedContact::of_patch));
        }
        for found in &patches.found.patches {
            let bodies = (compiled.geom(found.geoms.0).body, compiled.geom(found.geoms.1).body);
            for index in found.patch.faces.clone() {
                let (face, result) = (&patches.found.faces.faces[index], &patches.results[index]);
                self.act(bodies, &face.centroid, &result.force, &result.moment);
                let force = result.force.dot(&face.normal);
                self.normal_forces.push(NormalForce {
                    bodies,
                    point: face.centroid,
                    normal: face.normal,
                    force,
                });
            }
        }
    }

    /// Forces of couplings between bodies, along tendons and of limits, from the impulses of their rows over a step of `dt`.
    fn rows(&mut self, log: &RowLog, impulses: &[f64], dt: f64) {
        for &Coupling { row, bodies, point, direction } in &log.couplings {
            let wrench = direction * (impulses[row] / dt);
            let (moment, force) = (wrench.fixed_rows::<3>(0).into(), wrench.fixed_rows::<3>(3).into());
            self.act(bodies, &point, &force, &moment);
        }
        for &(row, tendon, sign) in &log.tendons {
            self.tendon_forces[tendon] += sign * impulses[row] / dt;
        }
        log.joint_limits.iter().for_each(|&(row, dof)| self.joint_limits[dof] += impulses[row] / dt);
        log.tendon_limits.iter().for_each(|&(row, tendon)| self.tendon_limits[tendon] += impulses[row] / dt);
    }

    /// Reads the force sensors, and the wrenches on `bodies` from their parents, after a step of `dt` from
    /// `kinematics` to velocities `v`.
    fn forces(
        &mut self,
        compiled: &Compiled,
        kinematics: &mut Kinematics,
        free: &FreeMotion,
        v: &[f64],
        dt: f64,
        bodies: &[usize],
    ) {
        self.acceleration.clear();
        self.acceleration.extend(v.iter().zip(&kinematics.v).map(|(v, v0)| (v - v0) / dt));
        self.actuator_forces.clear();
        for (row, drive) in compiled.drives.drives.iter().enumerate() {
            let servo = &free.servos[row];
            let rate = if matches!(drive.link, Link::Adhesion { .. }) {
                0.0
            } else {
                kinematics.transmissions.rate(row, v)
            };
            let force = servo.force - (dt * servo.proportional + servo.derivative) * rate;
            let force = force.clamp(drive.force_range[0], drive.force_range[1]);
            self.actuator_forces.push(force);
            kinematics
                .transmissions
                .row(row)
                .iter()
                .for_each(|&(dof, arm)| self.joint_torques[dof] += arm * force);
        }
        add_actuated_tendons(
            compiled,
            &kinematics.x_wb,
            &self.actuator_forces,
            &mut self.tendon_forces,
            &mut self.wrenches,
        );
        let mut loads = Loads {
            x_wb: &kinematics.x_wb,
            workspace: &mut kinematics.workspace,
            acceleration: &self.acceleration,
            drives: &kinematics.transmissions,
            actuator_forces: &self.actuator_forces,
            wrenches: &self.wrenches,
            normal_forces: &self.normal_forces,
            sensed: &self.sensed,
            chosen: &mut self.chosen,
            limit_forces: (&self.joint_limits, &self.tendon_limits),
        };
        compiled.read_forces(&mut loads, &mut self.values);
        for (out, &body) in self.transmitted.iter_mut().zip(bodies) {
            let x_wb = &loads.x_wb[body];
            let (moment, force) = compiled.transmitted(&loads, body, &x_wb.translation.vector);
            let back = x_wb.rotation.inverse();
            out[..3].copy_from_slice((back * moment).as_slice());
            out[3..].copy_from_slice((back * force).as_slice());
        }
    }
}

/// Wrenches of spatial tendons on bodies, with actuator forces added to `tendon_forces`: [moment about the world's
/// origin; force].
pub(crate) fn add_actuated_tendons(
    compiled: &Compiled,
    x_wb: &[Pose],
    actuator_forces: &[f64],
    tendon_forces: &mut [f64],
    wrenches: &mut [[f64; 6]],
) {
    for (drive, force) in compiled.drives.drives.iter().zip(actuator_forces) {
        if let Link::Tendon { tendon, gear } = drive.link {
            tendon_forces[tendon] += gear * force;
        }
    }
    for (tendon, &force) in compiled.world.tendons.iter().zip(&*tendon_forces) {
        pulls(tendon, &compiled.world, x_wb, force, |body, point, f| {
            add_wrench(&mut wrenches[body], point, &Vector6::new(0.0, 0.0, 0.0, f.x, f.y, f.z));
        });
    }
}

/// Adds a wrench [moment; force] at a point to one about the world's origin.
pub(crate) fn add_wrench(sum: &mut [f64; 6], point: &Vector3<f64>, wrench: &Vector6<f64>) {
    let force: Vector3<f64> = wrench.fixed_rows::<3>(3).into();
    let moment = point.cross(&force) + wrench.fixed_rows::<3>(0);
    for k in 0..3 {
        sum[k] += moment[k];
        sum[3 + k] += force[k];
    }
}
