//! Controllers called at their own rate, and the samples they read.

use crate::Model;
use crate::control::senses::{Measured, Part, Senses, Touch};
use crate::error::InputError;
use crate::sensing::tactile::TactileImage;
use crate::state::{ControllerState, MocapState, State};
use nalgebra::Vector3;

/// Inputs of a controller; see the [rules](crate::control#what-is-read-when).
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// Time at the beginning of the step, s.
    pub time: f64,
    /// The model.
    pub model: &'a Model,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Mocap bodies.
    pub mocap: &'a [MocapState],
    pub(crate) measured: &'a Measured,
    pub(crate) senses: &'a Senses,
    pub(crate) first_skin: usize,
    pub(crate) others: &'a [ControllerState],
}

static NOTHING: Senses = Senses::nothing();

impl<'a> Sample<'a> {
    /// A sample of a state outside a simulation, for planning. It contains no measurements.
    pub fn of(model: &'a Model, state: &'a State) -> Self {
        Self {
            time: state.time,
            model,
            q: &state.q,
            v: &state.v,
            mocap: &state.mocap,
            measured: &state.measured,
            senses: &NOTHING,
            first_skin: 0,
            others: &state.controllers,
        }
    }

    /// Current memory of controller `k`. Empty before its first write.
    pub fn memory_of(&self, k: usize) -> &'a [f64] {
        self.others.get(k).map_or(&[], |other| &other.memory)
    }

    /// Readings of all sensors of the model, one after the other.
    pub fn sensors(&self) -> Result<&'a [f64], String> {
        self.asked(self.senses.sensors, "sensors")?;
        Ok(&self.measured.sensors)
    }

    /// Readings of one sensor.
    pub fn sensor(&self, name: &str) -> Result<&'a [f64], String> {
        let all = self.sensors()?;
        let index = self.model.sensor_index(name).map_err(|e| e.to_string())?;
        Ok(&all[self.model.sensor_range(index)])
    }

    /// Contacts of the last step: one entry for each pair of geoms with a contact force, ordered by pair.
    pub fn touches(&self) -> Result<&'a [Touch], String> {
        self.asked(self.senses.touches, "touches")?;
        Ok(&self.measured.touches)
    }

    /// The contacts between two parts, with `other` as A and `part` as B. Forces act on `part`.
    pub fn touches_between(
        &self,
        part: Part,
        other: Part,
    ) -> Result<impl Iterator<Item = Touch> + 'a, String> {
        Ok(self.touches()?.iter().filter_map(move |touch| touch.seen_from(part, other)))
    }

    /// Contact force on `part` from `other` in the last step, world axes, N.
    pub fn force_on(&self, part: Part, other: Part) -> Result<Vector3<f64>, String> {
        Ok(self.touches_between(part, other)?.map(|touch| touch.force).sum())
    }

    /// Sum of the normal contact forces between two parts in the last step, N.
    pub fn normal_force(&self, part: Part, other: Part) -> Result<f64, String> {
        Ok(self.touches_between(part, other)?.map(|touch| touch.normal_force).sum())
    }

    /// Contact area between two parts in the last step, m²; contact points have none.
    pub fn contact_area(&self, part: Part, other: Part) -> Result<f64, String> {
        Ok(self.touches_between(part, other)?.map(|touch| touch.area).sum())
    }

    /// Forces of all actuators along each velocity coordinate in the last step, N or N m, as joint torque sensors at
    /// the motors measure them.
    pub fn joint_torques(&self) -> Result<&'a [f64], String> {
        self.asked(self.senses.joint_torques, "joint_torques")?;
        Ok(&self.measured.joint_torques)
    }

    /// Moment and force that the parent of `body` exerted on it in the last step, about the body's origin in the body's
    /// axes, [moment N m; force N]: a force–torque sensor at its mount. It supports the weight and inertia of the
    /// body and its descendants, minus the part carried by contacts and couplings.
    pub fn wrench(&self, body: usize) -> Result<[f64; 6], String> {
        match self.measured.bodies.iter().position(|&b| b == body) {
            Some(k) if self.senses.bodies.contains(&body) => Ok(self.measured.wrenches[k]),
            _ => Err(format!("the wrench at body {body} is not measured: name it in Senses::bodies")),
        }
    }

    /// Reading of grid `k` of [`Senses::skins`] in the last step.
    pub fn skin(&self, k: usize) -> Result<&'a TactileImage, String> {
        let image = (k < self.senses.skins.len()).then(|| self.measured.skins.get(self.first_skin + k));
        image.flatten().ok_or_else(|| format!("there is no skin number {k}: add the grid to Senses::skins"))
    }

    fn asked(&self, asked: bool, what: &str) -> Result<(), String> {
        if asked {
            return Ok(());
        }
        Err(format!("this controller did not ask for {what}: return it from Controller::senses"))
    }
}

/// Sets the controls at a fixed rate.
pub trait Controller: Send {
    /// Time between samples, s; 0 means at every step.
    fn period(&self) -> f64;

    /// Name of the controller in error messages. The default is the name of its type.
    fn name(&self) -> String {
        let path = std::any::type_name::<Self>();
        let path = path.split('<').next().unwrap_or(path);
        path.rsplit("::").next().unwrap_or(path).into()
    }

    /// Measurements that it needs. Called once, when the controller is added to a simulation.
    fn senses(&self) -> Senses {
        Senses::nothing()
    }

    /// Writes the controls (`ctrl`, model order) from a sample. `memory` is stored in the state and is empty at
    /// first.
    ///
    /// An error aborts the step. The controls and memories of all controllers are then restored to their values
    /// before the step.
    fn control(&mut self, sample: &Sample<'_>, ctrl: &mut [f64], memory: &mut Vec<f64>)
    -> Result<(), String>;
}

/// A function called at a fixed period.
pub struct Sampled<F> {
    period: f64,
    senses: Senses,
    function: F,
}

impl<F> Sampled<F>
where
    F: FnMut(&Sample<'_>, &mut [f64]) -> Result<(), String> + Send,
{
    /// Calls `function` every `period` seconds (0: every step).
    pub fn new(period: f64, function: F) -> Self {
        Self { period, senses: Senses::nothing(), function }
    }

    /// Requests measurements for the function.
    pub fn sensing(self, senses: Senses) -> Self {
        Self { senses, ..self }
    }
}

impl<F> Controller for Sampled<F>
where
    F: FnMut(&Sample<'_>, &mut [f64]) -> Result<(), String> + Send,
{
    fn period(&self) -> f64 {
        self.period
    }

    fn senses(&self) -> Senses {
        self.senses.clone()
    }

    fn control(
        &mut self,
        sample: &Sample<'_>,
        ctrl: &mut [f64],
        _memory: &mut Vec<f64>,
    ) -> Result<(), String> {
        (self.function)(sample, ctrl)
    }
}

/// A period that a controller integrates over: it must be positive. `what` needs it.
pub(super) fn positive_period(period: f64, what: &str) -> Result<f64, InputError> {
    if period > 0.0 && period.is_finite() {
        return Ok(period);
    }
    Err(InputError::Control(format!("a period of {period} s: {what} needs a positive one")))
}
