//! `stiction learn score`: how well a model predicts recorded tosses.

use super::comparable::comparable;
use super::{DataArguments, ProtocolArguments};
use crate::failure::{Failure, print, print_json};
use crate::scene::contact;
use clap::Args;
use serde_json::json;
use stiction::Options;
use stiction_calibrate::Summary;
use stiction_calibrate::score::{links_text, score_all, score_links};

/// Arguments of `stiction learn score`.
#[derive(Args)]
pub struct ScoreArguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten)]
    protocol: ProtocolArguments,
    /// Contact model: lagged, similar or sap; or a contact learned from data, as a file or a built-in name (cube)
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
    let (contact, law) = contact(&arguments.contact)?;
    if law.is_some() {
        let what =
            "this is a data-augmented law: score it with stiction learn evaluate --weights FILE --data DATA";
        return Err(Failure::input(what));
    }
    let options = Options { step: protocol.step, ..contact };
    options.check().map_err(Failure::input)?;
    let (tosses, left_out) =
        comparable(dataset.tosses.iter().collect(), &model, &protocol, &arguments.data.data)?;
    let scores = score_all(&model, &options, &tosses, &protocol).map_err(Failure::work)?;
    let summary = Summary::of(&scores);
    if arguments.json {
        return print_json(&json!({ "summary": summary, "left_out": left_out, "tosses": scores }));
    }
    let mut text = format!("{summary}\n");
    if model.world().bodies.len() > 2 {
        let links = score_links(&model, &options, &tosses, &protocol).map_err(Failure::work)?;
        text += &links_text(&model, &links);
    }
    print(&text)
}
