//! `stiction learn score`: how well a model as it is foretells recorded tosses.

use super::{DataArguments, ProtocolArguments};
use crate::failure::{Failure, print};
use crate::scene::contact;
use clap::Args;
use serde_json::json;
use stiction::Options;
use stiction_learn::Summary;
use stiction_learn::score::score_all;

/// Arguments of `stiction learn score`.
#[derive(Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    protocol: ProtocolArguments,
    /// Contact model: lagged, similar or sap; or a contact learned from data, as a file or by its name (cube)
    #[arg(long, default_value = "lagged")]
    contact: String,
    /// Print JSON: the summary and each toss
    #[arg(long)]
    json: bool,
}

/// Simulates every toss and prints the errors.
pub fn score(arguments: &ScoreArguments) -> Result<(), Failure> {
    let (model, dataset) = arguments.data.load()?;
    let protocol = arguments.protocol.protocol(&model)?;
    let options = Options { step: protocol.step, ..contact(&arguments.contact)? };
    options.check().map_err(Failure::input)?;
    let tosses: Vec<_> = dataset.tosses.iter().collect();
    let scores = score_all(&model, options, &tosses, &protocol).map_err(Failure::work)?;
    let summary = Summary::of(&scores);
    if arguments.json {
        let report = json!({ "summary": summary, "tosses": scores });
        return print(&(serde_json::to_string_pretty(&report).map_err(Failure::work)? + "\n"));
    }
    print(&format!("{summary}\n"))
}
