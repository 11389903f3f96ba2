//! Ready controllers: `stiction.JointTracking`, `PoseTracking` and `GripForce`.

use super::measured::part;
use super::{JointPath, PosePath, check_period, chosen};
use crate::errors::{InputError, input_error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use stiction::Controller;
use stiction::control::{
    self, Gains, GripGains, GripTracking, IkSettings, JointControlLaw, JointLaw, Part, PoseServo,
};

/// What a ready controller is made from: kept to make it anew.
struct Recipe {
    joints: Vec<String>,
    law: String,
    stiffness: f64,
    damping: f64,
    period: f64,
}

impl Recipe {
    fn law(&self) -> PyResult<JointControlLaw> {
        let gains = vec![Gains { stiffness: self.stiffness, damping: self.damping }];
        match self.law.as_str() {
            "servo" => Ok(JointControlLaw::Servo),
            "servo-feed-forward" => Ok(JointControlLaw::ServoFeedForward),
            "pd" => Ok(JointControlLaw::Pd { gains, gravity: false }),
            "pd-gravity" => Ok(JointControlLaw::Pd { gains, gravity: true }),
            "inverse-dynamics" => Ok(JointControlLaw::InverseDynamics { gains }),
            other => Err(InputError::new_err(format!(
                "law = \"{other}\": choose servo, servo-feed-forward, pd, pd-gravity or inverse-dynamics"
            ))),
        }
    }
}

/// A controller for Simulation.add_controller: joints follow a stiction.JointPath. It runs without the interpreter.
///
/// Parameters
/// ----------
/// joints : list of str
///     Names of hinges and slides, in the order of the path's columns.
/// path : JointPath
///     The stiction.JointPath.
/// law : str, optional
///     Joint control law. "servo" sends positions to the model's position servos; "servo-feed-forward" adds the feed-forward
///     torques of the motion; "pd" and "pd-gravity" are motor torques with gains stiffness (N m/rad) and damping (N m s/rad),
///     without and with gravity compensation; "inverse-dynamics" are computed torques with gains in 1/s² and 1/s.
/// stiffness, damping : float, optional
///     Gains, in the units of the law.
/// period : float, optional
///     Time between samples, s; 0 for every step.
///
/// Raises
/// ------
/// ValueError
///     For an unknown law.
///
/// Notes
/// -----
/// It pickles.
#[pyclass(frozen, module = "stiction")]
pub struct JointTracking {
    path: Py<JointPath>,
    recipe: Recipe,
}

#[pymethods]
impl JointTracking {
    #[new]
    #[pyo3(signature = (joints, path, law="servo-feed-forward", stiffness=100.0, damping=20.0, period=0.0))]
    fn new(
        joints: Vec<String>,
        path: Py<JointPath>,
        law: &str,
        stiffness: f64,
        damping: f64,
        period: f64,
    ) -> PyResult<Self> {
        let recipe = Recipe { joints, law: law.into(), stiffness, damping, period };
        recipe.law()?;
        check_period(period)?;
        Ok(Self { path, recipe })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let r = &this.recipe;
        let arguments =
            (r.joints.clone(), this.path.clone_ref(py), r.law.clone(), r.stiffness, r.damping, r.period);
        Ok((slf.get_type().into_any(), arguments.into_pyobject(py)?))
    }
}

/// A controller for Simulation.add_controller: a site follows a stiction.PosePath by differential inverse kinematics. It runs
/// without the interpreter.
///
/// Parameters
/// ----------
/// joints : list of str
///     Names of the hinges and slides that move the site.
/// site : str
///     Name of the site.
/// path : PosePath
///     The stiction.PosePath.
/// law, stiffness, damping : str or float, optional
///     Joint control law and its gains, as for stiction.JointTracking.
/// period : float, optional
///     Time between samples, s.
/// speed_limits : list of float, optional
///     Largest speed of each joint, rad/s or m/s; those of the model if None.
///
/// Raises
/// ------
/// ValueError
///     For an unknown law.
///
/// Notes
/// -----
/// It pickles.
#[pyclass(frozen, module = "stiction")]
pub struct PoseTracking {
    site: String,
    path: Py<PosePath>,
    speed_limits: Option<Vec<f64>>,
    recipe: Recipe,
}

#[pymethods]
impl PoseTracking {
    #[new]
    #[pyo3(signature = (joints, site, path, law="servo-feed-forward", stiffness=100.0, damping=20.0, period=2e-3, speed_limits=None))]
    fn new(
        joints: Vec<String>,
        site: String,
        path: Py<PosePath>,
        law: &str,
        stiffness: f64,
        damping: f64,
        period: f64,
        speed_limits: Option<Vec<f64>>,
    ) -> PyResult<Self> {
        let recipe = Recipe { joints, law: law.into(), stiffness, damping, period };
        recipe.law()?;
        check_period(period)?;
        Ok(Self { site, path, speed_limits, recipe })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let r = &this.recipe;
        let arguments = (
            r.joints.clone(),
            this.site.clone(),
            this.path.clone_ref(py),
            r.law.clone(),
            r.stiffness,
            r.damping,
            r.period,
            this.speed_limits.clone(),
        );
        Ok((slf.get_type().into_any(), arguments.into_pyobject(py)?))
    }
}

/// A controller for Simulation.add_controller: a gripper closes to a force, measured at its pads. It runs without the interpreter.
///
/// Parameters
/// ----------
/// joint : str
///     Name of the slide that a motor drives.
/// pads : list of str
///     Names of the bodies or geoms whose contact counts: the fingers of one gripper.
/// force : float or JointPath
///     Force on each pad, N, zero or more; or a stiction.JointPath with one number per keyframe, for a force over time.
/// closing : float, optional
///     1 if the joint's position increases as the gripper closes, -1 if it decreases.
/// integral : float, optional
///     Integral gain of the force error, 1/s.
/// damping : float, optional
///     Of the finger, N s/m.
/// speed : float, optional
///     Of closing before contact, m/s.
/// period : float, optional
///     Time between samples, s.
///
/// Notes
/// -----
/// Its memory is the integral and the sum of the forces on the pads, N. It pickles.
#[pyclass(frozen, module = "stiction")]
pub struct GripForce {
    joint: String,
    pads: Vec<String>,
    force: Py<PyAny>,
    path: control::JointPath,
    closing: f64,
    gains: GripGains,
    period: f64,
}

#[pymethods]
impl GripForce {
    #[new]
    #[pyo3(signature = (joint, pads, force, closing=1.0, integral=10.0, damping=20.0, speed=0.1, period=2e-3))]
    fn new(
        joint: String,
        pads: Vec<String>,
        force: &Bound<'_, PyAny>,
        closing: f64,
        integral: f64,
        damping: f64,
        speed: f64,
        period: f64,
    ) -> PyResult<Self> {
        let path = match force.cast::<JointPath>() {
            Ok(path) => path.get().inner.clone(),
            Err(_) => {
                let number = force.extract::<f64>().ok().filter(|f| *f >= 0.0 && f.is_finite());
                let number = number.ok_or_else(|| {
                    InputError::new_err(format!(
                        "force = {force}: give a number of newtons, zero or more, or a stiction.JointPath"
                    ))
                })?;
                control::JointPath::minimum_jerk(&[0.0], &[vec![number]]).map_err(input_error)?
            }
        };
        check_period(period)?;
        let gains = GripGains { integral, damping, speed };
        Ok(Self { joint, pads, force: force.clone().unbind(), path, closing, gains, period })
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let g = self.gains;
        let force = self.force.clone_ref(py);
        (&self.joint, &self.pads, force, self.closing, g.integral, g.damping, g.speed, self.period)
            .into_pyobject(py)
    }
}

impl GripForce {
    fn controller(&self, model: &stiction::Model) -> PyResult<GripTracking> {
        let pads = self.pads.iter().map(|name| part(model, name)).collect::<PyResult<Vec<Part>>>()?;
        let grip = control::GripForce::new(model, &self.joint, self.closing, pads, self.gains);
        GripTracking::new(grip.map_err(input_error)?, self.path.clone(), self.period).map_err(input_error)
    }
}

/// The controller that an object stands for, if it is one of those above.
pub fn ready(object: &Bound<'_, PyAny>, model: &stiction::Model) -> PyResult<Option<Box<dyn Controller>>> {
    if let Ok(this) = object.cast::<JointTracking>() {
        let this = this.get();
        let joints = chosen(model, &this.recipe.joints, None)?;
        let law = JointLaw::new(model, joints, this.recipe.law()?).map_err(input_error)?;
        let path = this.path.get().inner.clone();
        let tracking = control::JointTracking::new(law, path, this.recipe.period).map_err(input_error)?;
        return Ok(Some(Box::new(tracking)));
    }
    if let Ok(this) = object.cast::<PoseTracking>() {
        let this = this.get();
        let joints = chosen(model, &this.recipe.joints, this.speed_limits.as_deref())?;
        let servo = PoseServo::new(model, &joints, &this.site, IkSettings::default(), this.recipe.law()?);
        let path = this.path.get().inner.clone();
        let tracking = control::PoseTracking::new(servo.map_err(input_error)?, path, this.recipe.period);
        return Ok(Some(Box::new(tracking.map_err(input_error)?)));
    }
    if let Ok(this) = object.cast::<GripForce>() {
        return Ok(Some(Box::new(this.get().controller(model)?)));
    }
    Ok(None)
}
