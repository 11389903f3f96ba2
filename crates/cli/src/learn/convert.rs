//! `stiction learn convert`: recordings to a dataset.

use super::DataArguments;
use crate::failure::{Failure, print};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `stiction learn convert`.
#[derive(Args)]
pub struct ConvertArguments {
    #[command(flatten)]
    data: DataArguments,
    /// The dataset to write (.npz)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Where the data come from, for the header
    #[arg(long, default_value = "")]
    source: String,
    /// Under which terms they may be used, for the header
    #[arg(long, default_value = "")]
    licence: String,
}

/// Reads and writes.
pub fn convert(arguments: &ConvertArguments) -> Result<(), Failure> {
    let (_, mut dataset) = arguments.data.load()?;
    if !arguments.source.is_empty() {
        dataset.header.source.clone_from(&arguments.source);
    }
    if !arguments.licence.is_empty() {
        dataset.header.licence.clone_from(&arguments.licence);
    }
    dataset.write(&arguments.out).map_err(Failure::work)?;
    let (tosses, samples) = (dataset.tosses.len(), dataset.samples());
    print(&format!("{}: {tosses} tosses, {samples} samples\n", arguments.out.display()))
}
