//! Steps, states and times, and what continuous time tells between them.

use super::Simulation;
use crate::errors::{input_error, step_error};
use crate::indices;
use crate::stepping::seconds;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[pymethods]
impl Simulation {
    /// Time, s. May be set.
    #[getter]
    fn time(&self) -> PyResult<f64> {
        Ok(self.lock()?.state().time)
    }

    #[setter]
    fn set_time(&self, time: f64) -> PyResult<()> {
        self.lock()?.set_time(seconds(time)?);
        Ok(())
    }

    /// Takes n steps, without holding the interpreter. Ctrl-C ends it after the step under way.
    ///
    /// Raises ValueError for a state that is not finite, SimulationError for a step that cannot be
    /// completed, and whatever the controller raises; the state is then the last good one.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<()> {
        if n < 0 {
            return Err(PyValueError::new_err(format!("n = {n}: give zero or more steps")));
        }
        let mut left = n;
        self.advance(py, move |simulation| {
            left -= 1;
            if left < 0 { Ok(false) } else { simulation.step(1).map(|()| true) }
        })
    }

    /// Steps until time (s), as step does. Steps of fixed length end at the one nearest to it; under error
    /// control the last step ends there exactly.
    fn run_until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        let time = seconds(time)?;
        self.advance(py, move |simulation| simulation.step_towards(time))
    }

    /// Steps until everything rests: until no speed exceeds speed (m/s, rad/s) and, in continuous time, no acceleration
    /// speed/0.1 s; then sets the velocities to zero and returns True. False if something still moves after time (s). In
    /// continuous time with tangential springs this finds static states; elsewhere what sticks creeps at up to the
    /// stiction tolerance.
    #[pyo3(signature = (speed=1e-4, time=10.0))]
    fn settle(&self, py: Python<'_>, speed: f64, time: f64) -> PyResult<bool> {
        for (what, value) in [("speed", speed), ("time", time)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(PyValueError::new_err(format!("{what} = {value}: give a positive number")));
            }
        }
        let end = self.time()? + time;
        let mut rests = false;
        self.advance(py, |simulation| {
            if !rests && simulation.step_towards(end)? {
                rests = simulation.rests(speed)?;
                return Ok(true);
            }
            if rests {
                simulation.state_mut().v.fill(0.0);
            }
            Ok(false)
        })?;
        Ok(rests)
    }

    /// Goes back to the default state at time 0, or to a keyframe by name or number. Controls and applied
    /// forces go to zero or to the keyframe's; the controller, the options and the statistics stay.
    #[pyo3(signature = (keyframe=None))]
    fn reset(&self, py: Python<'_>, keyframe: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        match keyframe {
            None => inner.reset(),
            Some(key) => inner.reset_to_keyframe(&indices::keyframe(key)?).map_err(input_error)?,
        }
        self.pull(py, &inner)
    }

    /// The state as bytes, from which load_state continues bit for bit.
    pub(super) fn save_state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut inner = self.lock()?;
        self.push(py, &mut inner)?;
        Ok(PyBytes::new(py, &inner.save_state()))
    }

    /// Goes to a state saved by save_state from the same model. Raises ValueError if it does not fit.
    pub(crate) fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.load_state(state).map_err(input_error)?;
        self.pull(py, &inner)
    }

    /// Positions, shape (nq,), and velocities, shape (nv,), at a time (s) within the last step of continuous time. Raises
    /// ValueError for a time outside of it, or under another method.
    fn interpolate<'py>(
        &self,
        py: Python<'py>,
        time: f64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let inner = self.lock()?;
        let Some((q, v)) = inner.interpolate(time) else {
            return Err(PyValueError::new_err(format!(
                "time = {time} s is not within the last step: take one with method=\"continuous\" and give a time from its \
                 beginning to {} s",
                inner.state().time
            )));
        };
        Ok((PyArray1::from_vec(py, q).into_any(), PyArray1::from_vec(py, v).into_any()))
    }

    /// Accelerations at the present state in continuous time, m/s² or rad/s², shape (nv,). Raises ValueError under another
    /// method, where velocities jump from step to step.
    #[getter]
    fn accelerations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.with_state(py, |inner| inner.accelerations().map_err(step_error))?;
        let found = found.ok_or_else(|| {
            PyValueError::new_err(
                "convex steps have no accelerations: choose method=\"continuous\", or difference qvel",
            )
        })?;
        Ok(PyArray1::from_vec(py, found).into_any())
    }

    /// Energy stored by contact in continuous time, J: in pressure fields and tangential springs. It looks at every pair of
    /// elements: for energy balances, not for every step.
    #[getter]
    fn contact_energy(&self, py: Python<'_>) -> PyResult<f64> {
        self.with_state(py, |inner| Ok(inner.contact_energy()))
    }

    /// Derivatives of the step from the present state, as a stiction.StepDerivatives; the step is not taken and
    /// nothing of the simulation changes.
    ///
    /// parameters: contact parameters to differentiate by, pairs of a geom (name or id) and a property: "friction"
    ///     (static and dynamic together), "static_friction", "dynamic_friction", "stiffness" (N/m), "dissipation" (s/m),
    ///     "relaxation_time" (s) or "modulus" (Pa).
    ///
    /// A state has n = 2 nv + na numbers, [δq, δv, δact]: positions along the tangent, nv numbers as velocities have
    /// (rotations of ball and free joints about body axes), as MuJoCo's mjd_transitionFD has them.
    ///
    ///     d = sim.step_derivatives([("ball", "friction")])
    ///     d.state             # ∂state⁺/∂state, (n, n)
    ///     d.ctrl              # ∂state⁺/∂ctrl, (n, nu)
    ///     d.parameters        # ∂state⁺/∂parameter, (n, number of parameters)
    ///     d.qpos, d.qvel      # after the step
    ///
    /// The derivative is that of the step as it is taken, exact where it has one; at a kink (a contact about to touch or to
    /// leave) it is that of one side. Applied forces, mocap bodies and the stretches of tangential springs are held fixed. Raises
    /// ValueError for steps without a derivative here: by accuracy, in continuous time, with adhesion actuators.
    #[pyo3(signature = (parameters=None))]
    fn step_derivatives<'py>(
        &self,
        py: Python<'py>,
        parameters: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.with_state(py, |inner| crate::derivatives::compute(py, inner, parameters))
    }
}
