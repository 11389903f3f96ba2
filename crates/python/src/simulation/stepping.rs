//! Steps, states and times, and continuous time between steps.

use super::Simulation;
use crate::errors::{InputError, input_error};
use crate::indices;
use crate::stepping::seconds;
use numpy::PyArray1;
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

    /// Takes steps, without holding the interpreter. Ctrl-C ends it after the current step.
    ///
    /// Parameters
    /// ----------
    /// n : int, optional
    ///     Number of steps.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a state that is not finite.
    /// SimulationError
    ///     For a step that cannot be completed, and any exception of a controller; the state is then the last good one.
    #[pyo3(signature = (n=1))]
    fn step(&self, py: Python<'_>, n: i64) -> PyResult<()> {
        if n < 0 {
            return Err(InputError::new_err(format!("n = {n}: give zero or more steps")));
        }
        let mut left = n;
        self.advance(py, move |simulation| {
            left -= 1;
            if left < 0 { Ok(false) } else { simulation.step(1).map(|()| true) }
        })
    }

    /// Steps until a time, as step does.
    ///
    /// Parameters
    /// ----------
    /// time : float
    ///     End, s. Steps of fixed length end at the one nearest to it; under error control the last step ends there exactly.
    ///
    /// Raises
    /// ------
    /// Error
    ///     What step raises.
    /// ValueError
    ///     For a time that is not finite.
    fn run_until(&self, py: Python<'_>, time: f64) -> PyResult<()> {
        let time = seconds(time)?;
        self.advance(py, move |simulation| simulation.step_towards(time))
    }

    /// Steps until everything is at rest, then sets the velocities to zero. In continuous time with tangential springs this finds
    /// static states; otherwise sticking contacts creep at up to the stiction tolerance.
    ///
    /// Parameters
    /// ----------
    /// speed : float, optional
    ///     Largest speed that counts as rest, m/s and rad/s; in continuous time, accelerations must also be below speed/0.1 s.
    /// time : float, optional
    ///     Most simulated time to wait, s.
    ///
    /// Returns
    /// -------
    /// bool
    ///     True at rest, False if something still moves after that time.
    ///
    /// Raises
    /// ------
    /// Error
    ///     What step raises.
    #[pyo3(signature = (speed=1e-4, time=10.0))]
    fn settle(&self, py: Python<'_>, speed: f64, time: f64) -> PyResult<bool> {
        for (what, value) in [("speed", speed), ("time", time)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(InputError::new_err(format!("{what} = {value}: give a positive number")));
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

    /// Returns to the default state at time 0, or to a keyframe. Controls and applied forces are set to zero or to the keyframe's
    /// values; controllers, options and statistics stay.
    ///
    /// Parameters
    /// ----------
    /// keyframe : str or int, optional
    ///     Name or number; None for the default state.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown keyframe.
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

    /// Restores a state that save_state returned.
    ///
    /// Parameters
    /// ----------
    /// state : bytes
    ///     Bytes from a simulation of the same model.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If it does not fit this model.
    pub(crate) fn load_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let mut inner = self.lock()?;
        inner.load_state(state).map_err(input_error)?;
        self.pull(py, &inner)
    }

    /// Positions and velocities within the last step of continuous time.
    ///
    /// Parameters
    /// ----------
    /// time : float
    ///     s, within the last step.
    ///
    /// Returns
    /// -------
    /// tuple of numpy.ndarray, numpy.ndarray
    ///     Positions, shape (nq,), m or rad, and velocities, shape (nv,), m/s or rad/s.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a time outside of the last step, or under another method.
    fn interpolate<'py>(
        &self,
        py: Python<'py>,
        time: f64,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let inner = self.lock()?;
        let Some((q, v)) = inner.interpolate(time) else {
            return Err(InputError::new_err(format!(
                "time = {time} s is not within the last step: take one with method=\"continuous\" and give a time from its \
                 beginning to {} s",
                inner.state().time
            )));
        };
        Ok((PyArray1::from_vec(py, q).into_any(), PyArray1::from_vec(py, v).into_any()))
    }

    /// Energy stored by contact in continuous time, J: in pressure fields and tangential springs. It visits every pair of
    /// elements: use it for energy balances, not in every step.
    #[getter]
    fn contact_energy(&self, py: Python<'_>) -> PyResult<f64> {
        self.with_state(py, |inner| Ok(inner.contact_energy()))
    }

    /// Derivatives of the step from the present state. The step is not taken; the simulation does not change.
    ///
    /// Parameters
    /// ----------
    /// parameters : list of tuple, optional
    ///     Contact parameters to differentiate by, pairs of a geom (name or id) and a property: "friction" (static and dynamic
    ///     together), "static_friction", "dynamic_friction", "stiffness" (N/m), "dissipation" (s/m), "relaxation_time" (s) or "modulus"
    ///     (Pa).
    ///
    /// Returns
    /// -------
    /// StepDerivatives
    ///     A stiction.StepDerivatives.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For steps whose derivative is not supported: with accuracy, in continuous time, with adhesion actuators.
    ///
    /// Notes
    /// -----
    /// A state has n = 2 nv + na numbers, [δq, δv, δact]: positions along the tangent, nv numbers as velocities have (rotations of ball
    /// and free joints about body axes), as MuJoCo's mjd_transitionFD has them.
    ///
    ///     d = sim.step_derivatives([("ball", "friction")])
    ///     d.state             # ∂state⁺/∂state, (n, n)
    ///     d.ctrl              # ∂state⁺/∂ctrl, (n, nu)
    ///     d.parameters        # ∂state⁺/∂parameter, (n, number of parameters)
    ///     d.qpos, d.qvel      # after the step
    ///
    /// The derivative of the discrete step is exact where it exists; at a kink (a contact about to touch or to leave) it is one-sided.
    /// Applied forces, mocap bodies and the stretches of tangential springs are held fixed. With tangential_springs="auto"
    /// it is the derivative of the step without springs, so that derivatives of several steps multiply.
    #[pyo3(signature = (parameters=None))]
    fn step_derivatives<'py>(
        &self,
        py: Python<'py>,
        parameters: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.with_state(py, |inner| crate::derivatives::compute(py, inner, parameters))
    }
}
