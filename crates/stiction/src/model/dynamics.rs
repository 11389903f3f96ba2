//! Dynamics at a state: mass matrix, inverse and forward dynamics, energy, and forces of tendons, actuators and
//! passive elements.

use super::{Energy, Model, check};
use crate::error::InputError;
use crate::forces::moments::Moments;
use crate::forces::{self, At};
use crate::state::State;
use crate::step::kinematics::{Kinematics, place};
use nalgebra::{DMatrix, DVector};
use stiction_multibody::{MassMatrix, Workspace};

impl Model {
    /// Mass matrix at positions `q`, including armature and rotor inertia.
    pub fn mass_matrix(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        let (multibody, mut workspace) = (self.multibody(), Workspace::new(self.multibody()));
        multibody.positions(q, &mut workspace);
        let mut mass = MassMatrix::new(multibody);
        multibody.mass_matrix(&mut workspace, &mut mass);
        let mut dense = mass.to_dense();
        if self.compiled().tendons.heavy {
            self.compiled().tendons.add_inertia(self.world(), &self.kinematics_at(q).tendons, &mut dense);
        }
        Ok(dense)
    }

    /// Whether tendons have inertia (armature), which couples coordinates of different trees in the mass matrix.
    pub fn has_tendon_inertia(&self) -> bool {
        self.compiled().tendons.heavy
    }

    /// Adds the forces that the inertia of tendons needs at velocities `v` and accelerations `a`.
    fn add_tendon_inertia(&self, q: &[f64], v: &[f64], a: Option<&[f64]>, out: &mut [f64]) {
        if !self.compiled().tendons.heavy {
            return;
        }
        let mut kinematics = self.kinematics_at(q);
        kinematics.velocities(self.compiled(), v);
        kinematics.drifts(self.compiled());
        let tendons = &kinematics.tendons;
        for (t, tendon) in self.world().tendons.iter().enumerate() {
            let along = a.map_or(0.0, |a| tendons.row(t).iter().map(|&(i, arm)| arm * a[i]).sum());
            let force = tendon.armature * (along + tendons.drifts[t]);
            tendons.row(t).iter().for_each(|&(i, arm)| out[i] += arm * force);
        }
    }

    /// Coriolis, centrifugal and gravity forces, without springs, damping and actuation.
    pub fn bias(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, InputError> {
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().bias(&mut workspace, &mut out);
        self.add_tendon_inertia(q, v, None, &mut out);
        Ok(out)
    }

    /// Joint forces that produce the accelerations `a`: M a + bias.
    pub fn inverse_dynamics(&self, q: &[f64], v: &[f64], a: &[f64]) -> Result<Vec<f64>, InputError> {
        check("a", a, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        self.multibody().inverse_dynamics(&mut workspace, a, &mut out);
        self.add_tendon_inertia(q, v, Some(a), &mut out);
        Ok(out)
    }

    /// Accelerations under the joint forces `tau`: M⁻¹ (tau − bias).
    pub fn forward_dynamics(&self, q: &[f64], v: &[f64], tau: &[f64]) -> Result<Vec<f64>, InputError> {
        check("tau", tau, self.nv())?;
        let mut workspace = self.at(q, v)?;
        let mut out = vec![0.0; self.nv()];
        if self.compiled().tendons.heavy {
            // Tendons couple coordinates of different trees, so the full matrix is used.
            let bias = self.bias(q, v)?;
            let rest = DVector::from_iterator(self.nv(), tau.iter().zip(&bias).map(|(t, b)| t - b));
            let solved = self.mass_matrix(q)?.cholesky().map(|factor| factor.solve(&rest));
            out.copy_from_slice(solved.unwrap_or_else(|| DVector::repeat(self.nv(), f64::NAN)).as_slice());
        } else {
            self.multibody().forward_dynamics(&mut workspace, tau, &mut out);
        }
        match out.iter().position(|x| !x.is_finite()) {
            None => Ok(out),
            Some(dof) => Err(InputError::Singular { dof, joint: self.joint_of(dof) }),
        }
    }

    /// Kinetic and potential energy at a state, J.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> Result<Energy, InputError> {
        self.evaluate(q, v, |at| forces::energy(at))
    }

    /// The range of lengths in which the spring of each tendon is slack, in the unit of its length.
    pub fn tendon_rest(&self) -> &[[f64; 2]] {
        &self.compiled().tendons.rest
    }

    /// Lengths of all tendons at positions `q`.
    pub fn tendon_lengths(&self, q: &[f64]) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(self.kinematics_at(q).tendons.lengths)
    }

    /// Moment arms of all tendons at positions `q`: the gradient of each length, one row per tendon.
    pub fn tendon_moments(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(dense(&self.kinematics_at(q).tendons, self.nv()))
    }

    /// Lengths of all actuators' transmissions at positions `q`.
    pub fn actuator_lengths(&self, q: &[f64]) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(self.kinematics_at(q).transmissions.lengths)
    }

    /// Moment arms of all actuators at positions `q`: joint forces per unit of actuator force, one row per actuator.
    /// Adhesion has no moment arms without contacts.
    pub fn actuator_moments(&self, q: &[f64]) -> Result<DMatrix<f64>, InputError> {
        check("q", q, self.nq())?;
        Ok(dense(&self.kinematics_at(q).transmissions, self.nv()))
    }

    /// Forces of all actuators along their lengths at positions `q`, velocities `v`, controls and activations.
    pub fn actuator_forces(
        &self,
        q: &[f64],
        v: &[f64],
        ctrl: &[f64],
        activation: &[f64],
    ) -> Result<Vec<f64>, InputError> {
        check("q", q, self.nq())?;
        check("v", v, self.nv())?;
        check("ctrl", ctrl, self.nu())?;
        check("activation", activation, self.na())?;
        let lengths = self.kinematics_at(q).transmissions;
        let drives = self.compiled().drives.drives.iter().enumerate();
        Ok(drives
            .map(|(row, drive)| {
                // An early activation is the activation at the end of a step, which does not exist here.
                let input = drive.input(ctrl[row], activation, 0.0);
                drive.force(lengths.lengths[row], lengths.rate(row, v), input)
            })
            .collect())
    }

    /// Forces of springs, damping and gravity compensation of joints, and of springs and damping of tendons and bushings, N or
    /// N m.
    pub fn passive_forces(&self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, InputError> {
        self.evaluate(q, v, |at| {
            let mut out = vec![0.0; self.nv()];
            for force in forces::all().into_iter().filter(|force| force.passive()) {
                force.check(at.compiled, at.kinematics)?;
                force.conservative(at, &mut out);
                force.other(at, &mut out);
            }
            Ok(out)
        })?
    }

    /// Evaluates forces at positions `q` and velocities `v`, with all other inputs from the default state.
    pub(crate) fn evaluate<T>(
        &self,
        q: &[f64],
        v: &[f64],
        value: impl FnOnce(&mut At) -> T,
    ) -> Result<T, InputError> {
        check("q", q, self.nq())?;
        check("v", v, self.nv())?;
        let (compiled, mut state) = (self.compiled(), self.default_state());
        state.q.copy_from_slice(q);
        state.v.copy_from_slice(v);
        let mut kinematics = Kinematics::new(compiled);
        kinematics.at(compiled, &state);
        let kinematics = &mut kinematics;
        Ok(value(&mut At { compiled, state: &state, q, kinematics, stiction_tolerance: 0.0 }))
    }

    /// Poses, lengths and moment arms at positions `q`, mocap bodies at their default poses.
    fn kinematics_at(&self, q: &[f64]) -> Kinematics {
        let mut kinematics = Kinematics::new(self.compiled());
        kinematics.lengths(self.compiled(), &self.default_state().mocap, q);
        kinematics
    }

    /// Puts the poses and twists of a state, with those of its mocap bodies, into a workspace for this model. Allocates nothing.
    pub fn place(&self, state: &State, workspace: &mut Workspace) {
        place(self.multibody(), &state.mocap, &state.q, workspace);
        self.multibody().velocities(&state.v, workspace);
    }

    /// A workspace at positions `q` and velocities `v`, mocap bodies at their default poses.
    pub fn at(&self, q: &[f64], v: &[f64]) -> Result<Workspace, InputError> {
        check("q", q, self.nq())?;
        check("v", v, self.nv())?;
        let mut workspace = Workspace::new(self.multibody());
        self.multibody().positions(q, &mut workspace);
        self.multibody().velocities(v, &mut workspace);
        Ok(workspace)
    }
}

fn dense(moments: &Moments, nv: usize) -> DMatrix<f64> {
    let mut out = DMatrix::zeros(moments.lengths.len(), nv);
    for row in 0..moments.lengths.len() {
        moments.row(row).iter().for_each(|&(dof, arm)| out[(row, dof)] = arm);
    }
    out
}
