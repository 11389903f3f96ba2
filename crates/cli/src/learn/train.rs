//! `stiction learn train`: train a contact law on tosses.

use super::collect::CaseArguments;
use super::{at_least_one, check_share};
use crate::failure::{Failure, print, print_json};
use crate::outlet;
use clap::Args;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use stiction_calibrate::Toss;
use stiction_calibrate::dac::train::{Device, Progress, TrainOptions, train as train_law};
use stiction_calibrate::dac::{Stepper, instances};
use stiction_calibrate::split::split;

/// Arguments of `stiction learn train`.
#[derive(Args)]
pub struct TrainArguments {
    #[command(flatten)]
    case: CaseArguments,
    /// The weights to write (.safetensors)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Recorded tosses of the same body (.npz, .npy, .csv) [default: tosses are simulated]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Share of the recorded tosses to train on; the rest is held out for `evaluate --data`
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    share: f64,
    /// Seed of that split
    #[arg(long, default_value_t = 0, allow_negative_numbers = true)]
    split_seed: u64,
    /// Speed below which a recorded patch counts as sticking, m/s: the uncertainty of the recorded velocities
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    noise: f64,
    /// Number of tosses to simulate
    #[arg(long, default_value_t = 4000, conflicts_with = "data", allow_negative_numbers = true)]
    tosses: usize,
    /// Height up to which a vertex counts as touching, m
    #[arg(long, default_value_t = 2e-4, allow_hyphen_values = true)]
    touch: f64,
    /// Count a vertex as touching if it would touch by the next sample: for recordings with a low sample rate
    #[arg(long)]
    ahead: bool,
    /// Maximum number of passes over the data
    #[arg(long, allow_negative_numbers = true)]
    epochs: Option<usize>,
    /// Sizes of the regressors' hidden layers, separated by commas
    #[arg(long, value_delimiter = ',', num_args = 1, value_name = "SIZES", default_value = "96,96")]
    hidden: Vec<usize>,
    /// Keep one in this many slow contacts, which are frequent and similar
    #[arg(long, default_value_t = 4, allow_negative_numbers = true)]
    thin: u64,
    /// Train on an NVIDIA GPU (needs a program built with --features gpu)
    #[arg(long)]
    gpu: bool,
    /// Seed of the tosses, the weights and the order of the data
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

fn device(arguments: &TrainArguments) -> Device {
    if arguments.gpu { Device::Gpu } else { Device::Cpu }
}

/// Checks the arguments before tosses are simulated.
fn check(arguments: &TrainArguments) -> Result<(), Failure> {
    device(arguments).check().map_err(Failure::input)?;
    check_share(arguments.share)?;
    at_least_one(arguments.tosses, "--tosses")?;
    if arguments.hidden.contains(&0) {
        return Err(Failure::input("--hidden 0 is not allowed: give sizes of 1 or more"));
    }
    let (touch, noise) = (arguments.touch, arguments.noise);
    if !(touch > 0.0 && touch.is_finite()) {
        return Err(Failure::input(format!(
            "--touch {touch} is not allowed: give a positive number of metres"
        )));
    }
    if !(noise >= 0.0 && noise.is_finite()) {
        return Err(Failure::input(format!(
            "--noise {noise} is not allowed: give a speed in m/s, zero or more"
        )));
    }
    Ok(())
}

/// Trains a law and writes its weights.
pub fn train(arguments: &TrainArguments) -> Result<(), Failure> {
    check(arguments)?;
    let case = arguments.case.load()?;
    let data: Vec<&Path> = arguments.data.iter().map(PathBuf::as_path).collect();
    outlet::not_an_input(&arguments.out, "--out", &data)?;
    outlet::file(&arguments.out, "--out")?;
    let begin = std::time::Instant::now();
    let dataset = match &arguments.data {
        Some(path) => {
            let mut dataset = arguments.case.recorded(path)?;
            dataset.header.source = format!("{} {}", dataset.header.source, path.display()).trim().into();
            let (nq, nv) = (dataset.header.nq, dataset.header.nv);
            if (nq, nv) != (7, 6) {
                let message = format!(
                    "{}: a sample has {nq} positions and {nv} velocities; a free body has 7 and 6: give recordings of one free body",
                    path.display()
                );
                return Err(Failure::input(message));
            }
            dataset
        }
        None => {
            eprintln!("simulating {} tosses of {}", arguments.tosses, case.summary);
            let steps = instances::STEPS;
            instances::collect(&case, &case.reference, arguments.tosses, steps, arguments.seed)
                .map_err(Failure::work)?
        }
    };
    let (tosses, _): (Vec<&Toss>, _) =
        split(&dataset.tosses, |t| t.number, arguments.share, arguments.split_seed);
    if tosses.is_empty() {
        return Err(Failure::input("--share leaves no toss to train on: give a larger one"));
    }
    let stepper = Stepper { touch: arguments.touch, ahead: arguments.ahead, ..Stepper::default() };
    let found = instances::instances(&case.body, &tosses, &stepper, arguments.thin, arguments.noise)
        .map_err(Failure::work)?;
    let seconds = begin.elapsed().as_secs_f64();
    eprintln!("{} contacts in {} tosses ({seconds:.0} s)", found.len(), tosses.len());

    let mut options = TrainOptions::new(case.symmetry, arguments.seed);
    options.regressor.hidden.clone_from(&arguments.hidden);
    options.device = device(arguments);
    if let Some(epochs) = arguments.epochs {
        options.classifier.epochs = epochs;
        options.regressor.epochs = epochs;
    }
    let command: Vec<String> = std::env::args().skip(1).collect();
    let provenance = serde_json::json!({
        "command": format!("stiction {}", command.join(" ")), "case": case.name, "summary": case.summary,
        "data": dataset.header.source, "tosses": tosses.len(), "contacts": found.len(), "seed": arguments.seed,
        "body": case.body, "ranges": case.ranges, "friction": case.reference.friction,
        "step": Stepper::default().step, "touch": arguments.touch, "program": env!("CARGO_PKG_VERSION"),
    });
    let bars = Bars::default();
    let (law, report) = train_law(&found, &options, provenance, &|p| bars.show(p)).map_err(Failure::input)?;
    bars.clear();
    let bytes = law.to_bytes().map_err(Failure::work)?;
    outlet::write(&arguments.out, &bytes, "--out")?;
    if arguments.json {
        return print_json(&serde_json::json!(report));
    }
    let mut text = format!(
        "{}: {} kB, plain friction {:.3}, trained in {:.0} s\n",
        arguments.out.display(),
        bytes.len() / 1000,
        report.friction,
        report.seconds
    );
    text += "  patch     static  dynamic  detach  classes right  friction error  of plain Coulomb  epochs\n";
    for k in &report.kinds {
        let [s, d, t] = k.instances;
        text += &format!(
            "  {:8}{s:8}{d:9}{t:8}{:13.2} %{:14.2} %{:16.2} %{:8}\n",
            k.kind,
            100.0 * k.accuracy,
            100.0 * k.friction_error,
            100.0 * k.coulomb_error,
            k.regressor.epochs
        );
    }
    print(&text)
}

/// A bar for each network; hidden where there is no terminal.
#[derive(Default)]
struct Bars {
    all: MultiProgress,
    each: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Bars {
    fn show(&self, progress: &Progress) {
        let Ok(mut each) = self.each.lock() else { return };
        let bar = each.entry(progress.network.to_string()).or_insert_with(|| {
            let bar = self.all.add(ProgressBar::new(progress.epochs as u64));
            if let Ok(style) = ProgressStyle::with_template("{prefix:18} {bar:30} {pos}/{len} loss {msg}") {
                bar.set_style(style);
            }
            bar.with_prefix(progress.network.to_string())
        });
        bar.set_position(progress.epoch as u64);
        bar.set_message(format!("{:.5}", progress.loss));
    }

    fn clear(&self) {
        let _ = self.all.clear();
    }
}
