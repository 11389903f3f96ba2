//! `stiction learn`: contact from data. Each subcommand is one module.
//!
//! | file | |
//! |---|---|
//! | `calibrate.rs` | contact parameters from recorded tosses |
//! | `collect.rs` | tosses by the rigid reference, as a dataset |
//! | `comparable.rs` | which tosses can be compared with a model |
//! | `convert.rs` | recordings to a dataset |
//! | `evaluate.rs` | a contact law against ground truth |
//! | `score.rs` | how well a model predicts recorded tosses |
//! | `train.rs` | a contact law from tosses |

mod calibrate;
mod collect;
mod comparable;
mod convert;
mod evaluate;
mod score;
mod train;

use crate::failure::Failure;
use crate::scene::ReadOptions;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use stiction::Model;
use stiction_calibrate::{Dataset, Protocol};

/// Arguments of `stiction learn`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub struct LearnArguments {
    #[command(subcommand)]
    command: LearnCommand,
}

#[derive(Subcommand)]
enum LearnCommand {
    /// Simulate tosses of a rigid body and write them as a dataset (.npz)
    Collect(collect::CollectArguments),
    /// Train a contact law on tosses
    Train(train::TrainArguments),
    /// Compare a contact law with ground truth
    Evaluate(evaluate::EvaluateArguments),
    /// Read recorded tosses (.csv, .npy, .npz) and write them as a dataset (.npz)
    Convert(convert::ConvertArguments),
    /// Find a model's contact parameters from recorded tosses, with uncertainties and held-out errors
    Calibrate(Box<calibrate::CalibrateArguments>),
    /// Compare a model with recorded tosses by the field's protocol
    Score(score::ScoreArguments),
}

/// Runs a subcommand.
pub fn learn(arguments: &LearnArguments) -> Result<(), Failure> {
    match &arguments.command {
        LearnCommand::Collect(arguments) => collect::collect(arguments),
        LearnCommand::Train(arguments) => train::train(arguments),
        LearnCommand::Evaluate(arguments) => evaluate::evaluate(arguments),
        LearnCommand::Calibrate(arguments) => calibrate::calibrate(arguments),
        LearnCommand::Convert(arguments) => convert::convert(arguments),
        LearnCommand::Score(arguments) => score::score(arguments),
    }
}

/// A model and tosses of it.
#[derive(Args)]
pub struct DataArguments {
    /// A model file or the name of a built-in scene: its first body, which is free, is tossed onto a table at z = 0
    pub model: String,
    /// Recorded tosses: a dataset (.npz), a table of toss, time, positions, velocities (.npy), or a CSV of poses
    pub data: PathBuf,
    #[command(flatten)]
    read: ReadOptions,
}

impl DataArguments {
    /// Reads the model and the tosses.
    pub fn load(&self) -> Result<(Model, Dataset), Failure> {
        let model = self.read.load(&self.model)?;
        for warning in model.warnings() {
            eprintln!("warning: {warning}");
        }
        let dataset = Dataset::read(&self.data, &model).map_err(Failure::input)?;
        Ok((model, dataset))
    }
}

/// Rejects a count of zero.
fn at_least_one(count: usize, option: &str) -> Result<(), Failure> {
    match count {
        0 => Err(Failure::input(format!("{option} 0 leaves nothing to do: give 1 or more"))),
        _ => Ok(()),
    }
}

/// Rejects a share outside of 0 to 1.
fn check_share(share: f64) -> Result<(), Failure> {
    match (0.0..=1.0).contains(&share) {
        true => Ok(()),
        false => Err(Failure::input(format!("--share {share} is not allowed: give a number from 0 to 1"))),
    }
}

/// Options of the protocol.
#[derive(Args)]
pub struct ProtocolArguments {
    /// Length by which position errors are divided, m [default: the side of the cube around the largest geom]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    width: Option<f64>,
    /// Height of the body's origin above the table at which it may first touch, m: a toss is simulated from three samples
    /// before it reaches that height [default: from balls around the model's geoms]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    touch_height: Option<f64>,
    /// Step of the simulation, s
    #[arg(long, default_value_t = 1.0 / 1480.0, allow_hyphen_values = true)]
    step: f64,
}

impl ProtocolArguments {
    /// The protocol for a model.
    pub fn protocol(&self, model: &Model) -> Result<Protocol, Failure> {
        let mut protocol = Protocol::of(model).map_err(Failure::input)?;
        for (name, value) in
            [("--width", self.width), ("--touch-height", self.touch_height), ("--step", Some(self.step))]
        {
            if let Some(x) = value.filter(|x| !(*x > 0.0 && x.is_finite())) {
                return Err(Failure::input(format!("{name} {x} is not allowed: give a positive number")));
            }
        }
        protocol.step = self.step;
        if let Some(width) = self.width {
            protocol.width = width;
        }
        if let Some(radius) = self.touch_height {
            protocol.balls =
                vec![stiction_calibrate::protocol::Ball { body: 1, centre: Default::default(), radius }];
        }
        Ok(protocol)
    }
}
