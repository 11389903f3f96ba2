//! Controllers of a simulation: scheduling, measurements, and rollback after a failed step.

use super::Simulation;
use crate::control::senses::gather;
use crate::control::{Controller, Measured, Sample, Senses};
use crate::error::{InputError, StepError};
use crate::sensing::tactile::TactileImage;
use crate::state::{ControllerState, State};

/// The controllers and their shared data.
#[derive(Default)]
pub(super) struct Controllers {
    attached: Vec<Attached>,
    /// Combined measurement requests of all controllers.
    senses: Senses,
    /// Controls written by the current controller.
    ctrl: Vec<f64>,
    before: Before,
}

impl Controllers {
    pub fn is_empty(&self) -> bool {
        self.attached.is_empty()
    }
}

/// A controller that belongs to a simulation.
struct Attached {
    controller: Box<dyn Controller>,
    senses: Senses,
    /// Index of its first skin among the skins of all controllers.
    first_skin: usize,
}

/// Backup of the data that controllers change, from before a step.
#[derive(Default)]
struct Before {
    ctrl: Vec<f64>,
    states: Vec<ControllerState>,
}

impl Simulation {
    /// Replaces all controllers by `controller`, which sets the controls at its own rate. Its memory is empty.
    pub fn set_controller(&mut self, controller: Box<dyn Controller>) {
        self.clear_controllers();
        self.add_controller(controller);
    }

    /// Adds `controller` after the existing ones. It sets controls at its own rate. Returns its index, which is also
    /// the index of its memory in [`State::controllers`].
    pub fn add_controller(&mut self, controller: Box<dyn Controller>) -> usize {
        let (number, senses) = (self.controllers.attached.len(), controller.senses());
        self.state.controllers.truncate(number);
        self.count_samples();
        let next_sample = samples_before(self.state.time, controller.period());
        self.state.controllers.push(ControllerState { next_sample, memory: Vec::new() });
        let first_skin = self.controllers.senses.skins.len();
        self.controllers.senses.add(&senses);
        self.controllers.attached.push(Attached { controller, senses, first_skin });
        self.measure();
        number
    }

    /// Number of controllers.
    pub fn controller_count(&self) -> usize {
        self.controllers.attached.len()
    }

    /// Removes a controller and its memory. The controls do not change. The indices of the controllers added after
    /// it decrease by one.
    pub fn remove_controller(&mut self, number: usize) -> Result<Box<dyn Controller>, InputError> {
        let count = self.controller_count();
        if number >= count {
            let there = match count {
                0 => "there are none".into(),
                n => format!("they go from 0 to {}", n - 1),
            };
            return Err(InputError::Control(format!("there is no controller {number}: {there}")));
        }
        self.count_samples();
        self.state.controllers.remove(number);
        let removed = self.controllers.attached.remove(number);
        let mut senses = Senses::nothing();
        for attached in &mut self.controllers.attached {
            attached.first_skin = senses.skins.len();
            senses.add(&attached.senses);
        }
        self.controllers.senses = senses;
        self.state.measured = Measured::default();
        self.measure();
        Ok(removed.controller)
    }

    /// Removes all controllers and their memories. The controls do not change.
    pub fn clear_controllers(&mut self) {
        self.controllers = Controllers::default();
        self.state.controllers.clear();
        self.state.measured = Measured::default();
    }

    /// Sets the time and recomputes the controllers' sample counts. The rest of the state does not change.
    pub fn set_time(&mut self, time: f64) {
        self.state.time = time;
        for (state, attached) in self.state.controllers.iter_mut().zip(&self.controllers.attached) {
            state.next_sample = samples_before(time, attached.controller.period());
        }
        if self.state.measured.time.is_some() {
            self.state.measured.time = Some(time);
        }
    }

    /// Calls the controllers that are due, in order.
    pub(super) fn sample_controllers(&mut self) -> Result<(), StepError> {
        let (time, slack) = (self.state.time, self.slack());
        for k in 0..self.controllers.attached.len() {
            if !self.is_due(k) {
                continue;
            }
            if self.controllers.attached[k].senses.any()
                && !self.state.measured.serves(&self.controllers.senses, time, self.model.compiled())
            {
                // A state without measurements, as after a jump. Forces of other steps must not be used.
                self.clear_results();
                self.measure();
            }
            let Self { model, state, controllers: Controllers { attached, ctrl, .. }, .. } = self;
            let Attached { controller, senses, first_skin } = &mut attached[k];
            ctrl.clone_from(&state.ctrl);
            let mut memory = std::mem::take(&mut state.controllers[k].memory);
            let sample = Sample {
                time,
                model,
                q: &state.q,
                v: &state.v,
                mocap: &state.mocap,
                measured: &state.measured,
                senses,
                first_skin: *first_skin,
                others: &state.controllers,
            };
            let outcome = controller.control(&sample, ctrl, &mut memory);
            state.controllers[k].memory = memory;
            let fails = |reason| StepError::Controller { number: k, name: controller.name(), time, reason };
            outcome.map_err(fails)?;
            if let Some(index) = ctrl.iter().position(|u| !u.is_finite()) {
                return Err(fails(format!("it set ctrl[{index}] to {}; give finite controls", ctrl[index])));
            }
            std::mem::swap(&mut state.ctrl, ctrl);
            state.controllers[k].next_sample = samples_before(time + slack, controller.period()) + 1;
        }
        Ok(())
    }

    /// Saves the data that controllers change, in reused buffers.
    pub(super) fn remember_controllers(&mut self) {
        self.count_samples();
        let (before, State { ctrl, controllers, .. }) = (&mut self.controllers.before, &self.state);
        before.ctrl.clone_from(ctrl);
        before.states.resize_with(controllers.len(), ControllerState::default);
        before.states.iter_mut().zip(controllers).for_each(|(kept, state)| copy(state, kept));
    }

    /// Restores the data that controllers changed.
    pub(super) fn restore_controllers(&mut self) {
        let (before, State { ctrl, controllers, .. }) = (&self.controllers.before, &mut self.state);
        ctrl.clone_from(&before.ctrl);
        before.states.iter().zip(controllers).for_each(|(kept, state)| copy(kept, state));
    }

    /// Whether controller `k` is due.
    fn is_due(&self, k: usize) -> bool {
        let period = self.controllers.attached[k].controller.period();
        self.state.controllers[k].next_sample as f64 * period <= self.state.time + self.slack()
    }

    /// Measures if a controller with measurement requests is called before the next step.
    pub(super) fn measure_if_due(&mut self) {
        let all = &self.controllers.attached;
        if self.controllers.senses.any() && (0..all.len()).any(|k| all[k].senses.any() && self.is_due(k)) {
            self.measure();
        }
    }

    /// Tolerance for the rounding of times, which are sums of steps, s.
    fn slack(&self) -> f64 {
        1e-9 * self.options().step
    }

    /// The next sample time, s; infinite if there is none.
    pub(super) fn next_sample(&self) -> f64 {
        let time = |(state, attached): (&ControllerState, &Attached)| {
            let period = attached.controller.period();
            if period > 0.0 { state.next_sample as f64 * period } else { f64::INFINITY }
        };
        let all = self.state.controllers.iter().zip(&self.controllers.attached);
        all.map(time).fold(f64::INFINITY, f64::min)
    }

    /// Initialises missing sample counts, as in a state from another simulation.
    fn count_samples(&mut self) {
        let all = &self.controllers.attached;
        for attached in &all[self.state.controllers.len().min(all.len())..] {
            let next_sample = samples_before(self.state.time, attached.controller.period());
            self.state.controllers.push(ControllerState { next_sample, memory: Vec::new() });
        }
    }

    /// Writes the requested measurements to the state.
    fn measure(&mut self) {
        if !self.controllers.senses.any() {
            return;
        }
        let senses = std::mem::take(&mut self.controllers.senses);
        let mut out = std::mem::take(&mut self.state.measured);
        out.time = Some(self.state.time);
        if senses.readings() {
            self.read_sensors(&senses.bodies);
            out.sensors.clone_from(&self.readings.values);
            out.joint_torques.clone_from(&self.readings.joint_torques);
            out.bodies.clone_from(&senses.bodies);
            out.wrenches.clone_from(&self.readings.transmitted);
        }
        let (patches, x_wb) = self.solved_patches();
        if senses.touches {
            gather(self.contacts(), patches, self.model.compiled(), &mut out.touches);
        }
        out.skins.resize_with(senses.skins.len(), TactileImage::default);
        for (grid, image) in senses.skins.iter().zip(&mut out.skins) {
            grid.feel(self.model.compiled(), patches, x_wb, image);
        }
        self.controllers.senses = senses;
        self.state.measured = out;
    }
}

fn copy(from: &ControllerState, to: &mut ControllerState) {
    to.next_sample = from.next_sample;
    to.memory.clone_from(&from.memory);
}

/// Index of the last sample at or before `time`.
fn samples_before(time: f64, period: f64) -> u64 {
    if period > 0.0 { (time / period).floor().max(0.0) as u64 } else { 0 }
}
