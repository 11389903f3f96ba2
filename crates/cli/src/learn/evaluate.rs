//! `stiction learn evaluate`: compare a contact law with ground truth, toss by toss.

use super::collect::CaseArguments;
use super::comparable::comparable;
use super::{at_least_one, check_share};
use crate::failure::{Failure, print, print_json};
use clap::Args;
use std::path::{Path, PathBuf};
use stiction_calibrate::dac::evaluate::{Evaluation, compare, truth};
use stiction_calibrate::dac::models;
use stiction_calibrate::dac::score_law;
use stiction_calibrate::split::split;
use stiction_calibrate::{Summary, Toss};
use stiction_dac::DacLaw;

/// Arguments of `stiction learn evaluate`.
#[derive(Args)]
pub struct EvaluateArguments {
    #[command(flatten)]
    case: CaseArguments,
    /// The weights [default: those that ship for the case]
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Recorded tosses of a model: those held out are simulated and compared by the field's protocol
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Share of the recorded tosses that was used for training and is not compared
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    share: f64,
    /// Seed of that split
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    split_seed: u64,
    #[command(flatten)]
    protocol: super::ProtocolArguments,
    /// Number of tosses
    #[arg(long, default_value_t = 100, allow_negative_numbers = true)]
    tosses: usize,
    /// Number of 2 ms steps per toss
    #[arg(long, default_value_t = 800, allow_negative_numbers = true)]
    steps: usize,
    /// Seed of the initial states; give one that was not used for training
    #[arg(long, default_value_t = 999, allow_negative_numbers = true)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Simulates both and prints the errors.
pub fn evaluate(arguments: &EvaluateArguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.data {
        return recorded(arguments, path);
    }
    at_least_one(arguments.tosses, "--tosses")?;
    at_least_one(arguments.steps, "--steps")?;
    let case = arguments.case.load()?;
    let law = match &arguments.weights {
        Some(path) => load(path)?,
        None => match models::shipped(case.name) {
            Some(law) => law,
            None => return Err(Failure::input("no law ships for this case: give --weights FILE")),
        },
    };
    let steps = arguments.steps;
    let ground = truth(&case, arguments.tosses, steps, arguments.seed).map_err(Failure::work)?;
    if ground.iter().all(|toss| toss.first.is_none()) {
        return Err(Failure::input(format!(
            "no toss touches the floor within --steps {steps}: give more steps"
        )));
    }
    let (ours, each) = compare(&case, &law, &ground, steps);
    let (plain, _) = compare(&case, &DacLaw::coulomb(law.friction), &ground, steps);
    check_failed("the learned law", &ours)?;
    check_failed("the fitted μ", &plain)?;
    if arguments.json {
        return print_json(&serde_json::json!({ "law": ours, "coulomb": plain, "tosses": each }));
    }
    let mut text = format!(
        "{} tosses of {}; ground truth travels {:.3} m, turns {:.2} rad, first impulse {:.2} N s\n",
        ours.tosses, case.summary, ours.distance, ours.turned, ours.impulse
    );
    text += "                  position (m)      orientation (rad)   first impulse   same contacts   outside range\n";
    text += "                  mean    median    mean    median\n";
    let line = |name: &str, e: &Evaluation| {
        format!(
            "  {name:14}{:8.4}{:10.4}{:8.3}{:10.3}{:15.2} %{:13.0} %{:14.0} %\n",
            e.position,
            e.position_median,
            e.orientation,
            e.orientation_median,
            100.0 * e.first,
            100.0 * e.same_events,
            100.0 * e.outside
        )
    };
    text += &line("learned", &ours);
    text += &line("fitted μ", &plain);
    print(&text)
}

/// Reports how many tosses a law failed to simulate, which its means exclude; an error if it failed on all of them.
fn check_failed(law: &str, evaluation: &Evaluation) -> Result<(), Failure> {
    let (failed, all) = (evaluation.failed, evaluation.tosses);
    if failed == all {
        let what = "give --weights that were trained for this body and this friction";
        return Err(Failure::work(format!("{law} completes none of {all} tosses: {what}")));
    }
    if failed > 0 {
        eprintln!("note: {law} failed to complete {failed} of {all} tosses; they are excluded");
    }
    Ok(())
}

fn load(path: &Path) -> Result<DacLaw, Failure> {
    let file = path.display();
    let bytes = stiction_base::bounded_file::read(path).map_err(|e| {
        Failure::input(format!("{file}: {e}; --weights needs a file that stiction learn train wrote"))
    })?;
    DacLaw::from_bytes(&bytes).map_err(|e| Failure::input(format!("{file}: {e}")))
}

/// Scores the law, and plain Coulomb friction, on recorded tosses that were held out.
fn recorded(arguments: &EvaluateArguments, path: &Path) -> Result<(), Failure> {
    let Some(weights) = &arguments.weights else {
        return Err(Failure::input("recorded tosses need --weights FILE"));
    };
    check_share(arguments.share)?;
    let law = load(weights)?;
    let model = arguments.case.model()?;
    let dataset = arguments.case.recorded(path)?;
    let protocol = arguments.protocol.protocol(&model)?;
    let (_, kept): (_, Vec<&Toss>) =
        split(&dataset.tosses, |t| t.number, arguments.share, arguments.split_seed);
    if kept.is_empty() {
        return Err(Failure::input("--share leaves no toss to compare: give a smaller one"));
    }
    let (kept, left_out) = comparable(kept, &model, &protocol, path)?;
    let mut report = serde_json::Map::new();
    report.insert("left_out".into(), left_out.into());
    let mut text = String::new();
    for (name, law) in [("learned", law.clone()), ("fitted μ", DacLaw::coulomb(law.friction))] {
        let scores = score_law(&model, &std::sync::Arc::new(law), &kept, &protocol).map_err(Failure::work)?;
        let summary = Summary::of(&scores);
        text += &format!("  {name}: {summary}\n");
        report.insert(name.into(), serde_json::json!(summary));
    }
    if arguments.json {
        return print_json(&report.into());
    }
    print(&text)
}
