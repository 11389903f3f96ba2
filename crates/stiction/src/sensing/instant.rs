//! Sensors at a state with given accelerations, without a step.

use crate::error::InputError;
use crate::forces::{self, At};
use crate::model::{Model, check};
use crate::sensing::distances::Near;
use crate::sensing::readings::add_wrench;
use crate::sensing::sensors::Loads;
use crate::state::State;
use crate::step::kinematics::Kinematics;

impl Model {
    /// Readings of all sensors at a state with the accelerations `vdot`, without contacts and couplings.
    pub fn sensors(&self, state: &State, vdot: &[f64]) -> Result<Vec<f64>, InputError> {
        self.check_state(state)?;
        check("acceleration", vdot, self.nv())?;
        let compiled = self.compiled();
        let mut values = vec![0.0; self.sensor_count()];
        let mut kinematics = Kinematics::new(compiled);
        kinematics.at(compiled, state);
        compiled.read_state(state, &mut kinematics, &mut Near::default(), &mut values);
        let lengths = &kinematics.transmissions;
        let drives = compiled.drives.drives.iter().enumerate();
        let actuator_forces: Vec<f64> = drives
            .map(|(row, drive)| {
                let input = drive.input(state.ctrl[row], &state.activation, 0.0);
                drive.force(lengths.lengths[row], lengths.rate(row, &state.v), input)
            })
            .collect();
        let mut wrenches = vec![[0.0; 6]; self.world().bodies.len()];
        let at = At { compiled, state, q: &state.q, kinematics: &mut kinematics, stiction_tolerance: 0.0 };
        for force in forces::all() {
            force.check(compiled, at.kinematics)?;
            force.wrenches(&at, &mut |body, point, wrench| add_wrench(&mut wrenches[body], point, wrench));
        }
        crate::sensing::readings::add_actuated_tendons(
            compiled,
            &kinematics.x_wb,
            &actuator_forces,
            &mut vec![0.0; self.world().tendons.len()],
            &mut wrenches,
        );
        let mut loads = Loads {
            x_wb: &kinematics.x_wb,
            workspace: &mut kinematics.workspace,
            acceleration: vdot,
            drives: &kinematics.transmissions,
            actuator_forces: &actuator_forces,
            wrenches: &wrenches,
            pushes: &[],
            meetings: &[],
            chosen: &mut Vec::new(),
            limit_forces: (&vec![0.0; self.nv()], &vec![0.0; self.world().tendons.len()]),
        };
        compiled.read_forces(&mut loads, &mut values);
        Ok(values)
    }
}
