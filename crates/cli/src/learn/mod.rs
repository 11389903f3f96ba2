//! `stiction learn`: contact from data. Each subcommand has a file of its own.

mod calibrate;
mod collect;
mod convert;
mod evaluate;
mod score;
mod train;

use crate::failure::Failure;
use crate::scene::ReadOptions;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use stiction::Model;
use stiction_learn::{Dataset, Protocol};

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
    /// A model file or the name of a built-in scene; what is tossed is its first body, free, onto a table at z = 0
    pub model: String,
    /// Recorded tosses: a dataset (.npz), a table of toss, time, positions, velocities (.npy), or a CSV of poses
    pub data: PathBuf,
    #[command(flatten)]
    read: ReadOptions,
}

impl DataArguments {
    /// Reads both.
    pub fn load(&self) -> Result<(Model, Dataset), Failure> {
        let model = self.read.load(&self.model)?;
        for warning in model.warnings() {
            eprintln!("warning: {warning}");
        }
        let dataset = Dataset::read(&self.data, &model).map_err(Failure::input)?;
        Ok((model, dataset))
    }
}

/// What of the protocol can be chosen.
#[derive(Args)]
pub struct ProtocolArguments {
    /// Length that position errors are told in parts of, m [default: the side of the cube around the largest geom]
    #[arg(long, value_name = "M")]
    width: Option<f64>,
    /// A toss starts this many samples before a ball of this radius about the body's origin reaches the table, m
    /// [default: balls around the model's geoms]
    #[arg(long, value_name = "M")]
    touch_height: Option<f64>,
    /// Step of the simulation, s
    #[arg(long, default_value_t = 1.0 / 1480.0)]
    step: f64,
}

impl ProtocolArguments {
    /// The protocol for a model.
    pub fn protocol(&self, model: &Model) -> Result<Protocol, Failure> {
        let mut protocol = Protocol::of(model).map_err(Failure::input)?;
        for (name, value) in
            [("--width", self.width), ("--touch-height", self.touch_height), ("--step", Some(self.step))]
        {
            if value.is_some_and(|x| !(x > 0.0 && x.is_finite())) {
                return Err(Failure::input(format!("{name} is not allowed: give a positive number")));
            }
        }
        protocol.step = self.step;
        if let Some(width) = self.width {
            protocol.width = width;
        }
        if let Some(radius) = self.touch_height {
            protocol.balls =
                vec![stiction_learn::protocol::Ball { body: 1, centre: Default::default(), radius }];
        }
        Ok(protocol)
    }
}
