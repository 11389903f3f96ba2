//! Lengths and forces computed at the model's reference positions: slack ranges of tendon springs, strength and
//! length range of muscles, and damping from damping ratios.

use crate::error::LoadError;
use crate::forces::muscle::CompiledMuscle;
use crate::model::Compiled;
use crate::state::State;
use crate::step::kinematics::Kinematics;
use nalgebra::DVector;
use stiction_model::Warning;
use stiction_multibody::{Factor, MassMatrix};

impl Compiled {
    /// Fills in the lengths of [`Kinematics`] at the reference positions.
    pub fn measure(&mut self, state: &mut State) -> Result<(), LoadError> {
        let felt = self.world.actuators.iter().any(|a| a.muscle.is_some() || a.damping_ratio.is_some());
        if self.world.tendons.is_empty() && !felt {
            return Ok(());
        }
        let mut kinematics = Kinematics::new(self);
        kinematics.lengths(self, &state.mocap, &state.q);
        self.tendons.default_length.copy_from_slice(&kinematics.tendons.lengths);
        if felt {
            self.measure_actuators(&mut kinematics, state)?;
        }
        // Joint springs are relaxed at their rest positions, which need not be the default ones.
        for joint in self.multibody.joints().iter().filter(|j| j.q.len() == 1) {
            state.q[joint.q.start] = self.multibody.dofs()[joint.v.start].rest;
        }
        kinematics.lengths(self, &state.mocap, &state.q);
        state.q.copy_from_slice(self.multibody.default_q());
        for (t, _) in self.world.tendons.iter().enumerate().filter(|(_, tendon)| tendon.rest.is_none()) {
            self.tendons.rest[t] = [kinematics.tendons.lengths[t]; 2];
        }
        Ok(())
    }

    /// Damping of servos from their ratio, strength and lengths of muscles.
    fn measure_actuators(&mut self, kinematics: &mut Kinematics, state: &mut State) -> Result<(), LoadError> {
        let default = kinematics.transmissions.clone();
        let response = self.unit_response(kinematics);
        for row in 0..self.world.actuators.len() {
            let actuator = &self.world.actuators[row];
            if actuator.muscle.is_none() && actuator.damping_ratio.is_none() {
                continue;
            }
            let acceleration = response(default.row(row));
            if let Some(ratio) = actuator.damping_ratio {
                // A unit force along the length causes the acceleration w = m M⁻¹ mᵀ, so the effective inertia is
                // 1/w.
                let w = acceleration
                    .as_ref()
                    .map(|a| default.row(row).iter().map(|&(i, arm)| arm * a[i]).sum::<f64>());
                match w {
                    Some(w) if w > 1e-15 => {
                        self.drives.drives[row].bias[2] =
                            -2.0 * ratio * (actuator.gain[0] / w).max(0.0).sqrt();
                    }
                    // An actuator that moves nothing, up to rounding, has no damping, as in MuJoCo.
                    Some(_) => {}
                    None => {
                        let message = format!(
                            "the mass matrix is singular, so the damping ratio of actuator \"{}\" means nothing and the servo has no \
                             damping; give kv",
                            actuator.name
                        );
                        let warning = Warning { source: actuator.source.clone(), message };
                        // The base model already has this warning.
                        if !self.warnings.contains(&warning) {
                            self.warnings.push(warning);
                        }
                    }
                }
            }
            let Some(law) = actuator.muscle else { continue };
            let felt = acceleration.map_or(0.0, |a| a.iter().map(|a| a * a).sum::<f64>().sqrt());
            let peak = if law.force < 0.0 { law.scale / felt.max(1e-15) } else { law.force };
            let lengths = law.length_range.unwrap_or_else(|| self.extremes(row, kinematics, state));
            if lengths[1] - lengths[0] < 1e-9 || !peak.is_finite() {
                let actuator = &self.world.actuators[row];
                return Err(LoadError::Shape {
                    place: format!("{}: actuator \"{}\"", actuator.source, actuator.name),
                    reason: "the length of this muscle does not change within the joints' limits; give lengthrange".into(),
                });
            }
            self.drives.drives[row].muscle = Some(CompiledMuscle { law, peak, lengths });
        }
        Ok(())
    }

    /// Accelerations caused by a unit force along given arms at the positions of `kinematics`, including the inertia
    /// of tendons. `None` if the mass matrix is singular.
    fn unit_response(
        &self,
        kinematics: &mut Kinematics,
    ) -> impl Fn(&[(usize, f64)]) -> Option<Vec<f64>> + use<> {
        let mut mass = MassMatrix::new(&self.multibody);
        self.multibody.mass_matrix(&mut kinematics.workspace, &mut mass);
        let nv = self.multibody.nv();
        // Tendons couple coordinates of different trees, so the full matrix is used.
        let whole = self.tendons.heavy.then(|| {
            let mut dense = mass.to_dense();
            self.tendons.add_inertia(&self.world, &kinematics.tendons, &mut dense);
            dense.cholesky()
        });
        let mut factor = Factor::new(&self.multibody);
        let solvable = factor.compute(&mass, &vec![0.0; nv]);
        move |arms| {
            let mut acceleration = vec![0.0; nv];
            arms.iter().for_each(|&(dof, arm)| acceleration[dof] = arm);
            match &whole {
                Some(factor) => {
                    let force = DVector::from_vec(acceleration);
                    Some(factor.as_ref()?.solve(&force).as_slice().to_vec())
                }
                None => solvable.then(|| {
                    factor.solve(&mut acceleration);
                    acceleration
                }),
            }
        }
    }

    /// Smallest and largest length of an actuator within the limits of the joints it acts on, searched along one
    /// coordinate after the other from the default positions. Joints without limits stay at their default positions.
    fn extremes(&self, row: usize, kinematics: &mut Kinematics, state: &mut State) -> [f64; 2] {
        const POINTS: usize = 20;
        let arms: Vec<usize> = kinematics.transmissions.row(row).iter().map(|&(dof, _)| dof).collect();
        let limits: Vec<_> = self
            .limits
            .coordinates
            .iter()
            .filter(|l| arms.contains(&l.v) && l.lower.is_finite() && l.upper.is_finite())
            .copied()
            .collect();
        let mut ends = [0.0; 2];
        for (end, sign) in ends.iter_mut().zip([-1.0, 1.0]) {
            state.q.copy_from_slice(self.multibody.default_q());
            let mut measure = |state: &State| {
                kinematics.lengths(self, &state.mocap, &state.q);
                sign * kinematics.transmissions.lengths[row]
            };
            let mut best = measure(state);
            for _sweep in 0..8 {
                let before = best;
                for limit in &limits {
                    let mut kept = state.q[limit.q];
                    for k in 0..=POINTS {
                        let share = k as f64 / POINTS as f64;
                        state.q[limit.q] = limit.lower + share * (limit.upper - limit.lower);
                        let length = measure(state);
                        if length > best {
                            (best, kept) = (length, state.q[limit.q]);
                        }
                    }
                    state.q[limit.q] = kept;
                }
                if best - before <= 1e-9 * best.abs() {
                    break;
                }
            }
            *end = sign * best;
        }
        state.q.copy_from_slice(self.multibody.default_q());
        ends
    }
}
