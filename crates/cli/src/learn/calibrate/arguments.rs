//! The arguments of `stiction learn calibrate`, and what they say.

use crate::failure::Failure;
use crate::learn::{DataArguments, ProtocolArguments};
use clap::Args;
use std::path::PathBuf;
use stiction_calibrate::calibrate::Settings;
use stiction_calibrate::parameters::{Parameter, contradiction};

/// Arguments of `stiction learn calibrate`.
#[derive(Args)]
pub struct CalibrateArguments {
    #[command(flatten)]
    pub data: DataArguments,
    #[command(flatten)]
    pub protocol: ProtocolArguments,
    /// Parameters to fit: friction, stiffness, dissipation or relaxation_time, inertia or inertia_x, inertia_y, inertia_z,
    /// size, gravity, slope_x, slope_y, height, spring_stiffness, spring_time, joint_friction, joint_damping, and weights of
    /// the friction law (edge, face, load, load_squared, slip, load_slip, approach, approach_load, face_slip)
    #[arg(long, value_delimiter = ',', default_value = "friction,stiffness,relaxation_time,inertia")]
    pub fit: Vec<String>,
    /// Initial values of parameters, which stay fixed if they are not fitted; NAME=VALUE, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// Solves per step; with more than one, friction does not lag in impacts
    #[arg(long, default_value_t = 2, allow_negative_numbers = true)]
    pub friction_passes: u32,
    /// Number of folds of the cross-validation: each fold is predicted by a fit to the others. 0 skips it
    #[arg(long, default_value_t = 5, allow_negative_numbers = true)]
    pub folds: usize,
    /// Share of the tosses to fit to. Below 1, the others are predicted instead of cross-validation, which is much faster
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    pub share: f64,
    /// Maximum number of simulations of all tosses in a fit
    #[arg(long, default_value_t = 300, allow_negative_numbers = true)]
    pub evaluations: usize,
    /// Number of simulations of all tosses for the uncertainties. 0 skips them
    #[arg(long, default_value_t = 120, allow_negative_numbers = true)]
    pub around: usize,
    /// Initial states of each toss: the first as recorded, the others drawn within the noise
    #[arg(long, default_value_t = 2, allow_negative_numbers = true)]
    starts: usize,
    /// Noise of the initial velocities, m/s and rad/s
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "V,W",
        default_value = "0.01,0.1",
        allow_hyphen_values = true
    )]
    noise: Vec<f64>,
    /// Errors with equal weight: position in % of the width, angle in degrees
    #[arg(
        long,
        value_delimiter = ',',
        num_args = 1,
        value_name = "P,A",
        default_value = "12,16",
        allow_hyphen_values = true
    )]
    targets: Vec<f64>,
    /// Seed of the split and of the search
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,
    /// Name of the contact and of its files
    #[arg(long, default_value = "calibrated")]
    pub name: String,
    /// Write the calibrated scene (.xml) and contact (.json) to this folder
    #[arg(long, value_name = "DIR", default_value = "out/calibrate")]
    pub out: PathBuf,
    /// Print JSON instead of a table
    #[arg(long)]
    pub json: bool,
}

/// The parameters to fit.
pub fn parse_parameters(names: &[String]) -> Result<Vec<Parameter>, Failure> {
    let mut parameters = Vec::new();
    for name in names {
        let parameter = Parameter::from_name(name.trim()).map_err(Failure::input)?;
        if !parameters.contains(&parameter) {
            parameters.push(parameter);
        }
    }
    match contradiction(&parameters) {
        Some(problem) => Err(Failure::input(problem)),
        None => Ok(parameters),
    }
}

/// A parameter and its value, from `NAME=VALUE`.
pub fn parse_setting(setting: &str) -> Result<(Parameter, f64), Failure> {
    let wrong = || {
        Failure::input(format!(
            "--set {setting} is not NAME=VALUE: give a parameter and a number, such as friction=0.3"
        ))
    };
    let (name, value) = setting.split_once('=').ok_or_else(wrong)?;
    let parameter = Parameter::from_name(name.trim()).map_err(Failure::input)?;
    let value: f64 = value.trim().parse().map_err(|_| wrong())?;
    if !(value.is_finite() && (value > 0.0 || !parameter.logarithmic())) {
        return Err(Failure::input(format!("--set {setting}: give a positive number")));
    }
    Ok((parameter, value))
}

/// Settings of the fit.
pub fn settings(arguments: &CalibrateArguments) -> Result<Settings, Failure> {
    let pair = |name: &str, values: &[f64]| match values {
        &[a, b] if a >= 0.0 && b >= 0.0 && a.is_finite() && b.is_finite() => Ok([a, b]),
        _ => Err(Failure::input(format!("{name} needs two numbers of zero or more, separated by a comma"))),
    };
    let noise = pair("--noise", &arguments.noise)?;
    let [position, angle] = pair("--targets", &arguments.targets)?;
    if position == 0.0 || angle == 0.0 {
        return Err(Failure::input("--targets must be positive"));
    }
    Ok(Settings {
        evaluations: arguments.evaluations,
        around: arguments.around,
        seed: arguments.seed,
        starts: arguments.starts,
        noise,
        targets: [0.01 * position, angle.to_radians(), angle.to_radians()],
    })
}
