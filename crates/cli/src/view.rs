//! `stiction view`: a scene live in the browser, or a recording.

use crate::failure::{Failure, print};
use crate::run::joint_choice;
use crate::scene::ReadArguments;
use crate::scene::contact;
use clap::Args;
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::{Command, Stdio};
use stiction::{Options, Simulation};
use stiction_viewer::{Live, LiveError, LiveOptions, read};

/// Arguments of `stiction view`.
#[derive(Args)]
pub struct ViewArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// Length of a step, s [default: that of the file (0.002 for an MJCF file without one), or 0.001]
    #[arg(long, allow_hyphen_values = true)]
    step: Option<f64>,
    /// Error allowed in a step, m and rad: error control chooses the length of each step
    #[arg(long, allow_hyphen_values = true, conflicts_with = "step")]
    accuracy: Option<f64>,
    /// Contact model: lagged, similar or sap; or a contact learned from data, as a file or a built-in name: cube, box,
    /// prism, box-2d, anisotropic or link
    #[arg(long, default_value = "lagged")]
    contact: String,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    keyframe: Option<String>,
    /// Joints whose positions are plotted, separated by commas [default: all, unless there are too many]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    joints: Vec<String>,
    /// Start paused, until play is pressed on the page
    #[arg(long)]
    paused: bool,
    /// Begin at once, not when the first page is there
    #[arg(long, conflicts_with = "paused")]
    no_wait: bool,
    /// Port to listen on [default: a free one]
    #[arg(long, default_value_t = 0, hide_default_value = true, allow_hyphen_values = true)]
    port: u16,
    /// Address to listen on; anyone who can reach it can watch and control the simulation
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// Serves a scene until it is interrupted, or opens a recording.
pub fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    let path = Path::new(&arguments.read.scene);
    match path.extension().map(|e| e.to_string_lossy().to_lowercase()).as_deref() {
        Some("html" | "htm") => return open_recording(arguments, path),
        Some("mcap") => {
            return Err(Failure::input(format!(
                "{}: MCAP is for robotics log tools; give the .html that was recorded with it",
                path.display()
            )));
        }
        _ => {}
    }
    let model = arguments.read.load()?;
    for warning in model.warnings() {
        eprintln!("warning: {warning}");
    }
    let (contact, law) = contact(&arguments.contact)?;
    let options = Options {
        step: arguments.step.or(model.world().options.step).unwrap_or(1e-3),
        accuracy: arguments.accuracy,
        ..contact
    };
    let mut simulation = Simulation::new(&model, options).map_err(Failure::input)?;
    simulation.set_contact_law(law).map_err(Failure::input)?;
    if let Some(keyframe) = &arguments.keyframe {
        simulation.reset_to_keyframe(keyframe).map_err(Failure::input)?;
    }
    let options = LiveOptions {
        name: arguments.read.name(),
        address: arguments.address,
        port: arguments.port,
        paused: arguments.paused,
        waits: !arguments.no_wait,
        joints: joint_choice(&arguments.joints),
        ..LiveOptions::default()
    };
    let mut live = Live::start(&simulation, &options).map_err(|error| match error {
        LiveError::Record(error) => Failure::input(error),
        other => Failure::work(other),
    })?;
    if !arguments.address.is_loopback() {
        eprintln!(
            "warning: anyone who can reach {} can watch and control this simulation",
            live.server().address()
        );
    }
    let url = live.url();
    print(&format!("{}: {url} (Ctrl-C ends it)\n", options.name))?;
    if !arguments.no_open {
        open(&url);
    }
    loop {
        std::thread::sleep(live.tick(&mut simulation));
    }
}

/// Opens a recording; nothing is served.
fn open_recording(arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let wrong = |what: String| {
        Failure::input(format!(
            "{what}; give a recording that `stiction run SCENE --out DIR` made, as DIR/SCENE.html"
        ))
    };
    let text = stiction_base::bounded_file::read_text(path)
        .map_err(|e| wrong(format!("cannot read {}: {e}", path.display())))?;
    let recording = read::html(&text).map_err(|e| wrong(format!("{}: {e}", path.display())))?;
    let path = std::path::absolute(path).map_err(Failure::work)?;
    let seconds = recording.frames.last().map_or(0.0, |f| f.time);
    let (name, frames) = (recording.scene["name"].as_str().unwrap_or(""), recording.frames.len());
    print(&format!("{name}: {frames} frames up to {seconds:.3} s, {}\n", path.display()))?;
    if !arguments.no_open {
        open(&path.to_string_lossy());
    }
    Ok(())
}

/// Asks the system to open an address or a file in the browser; without a browser, prints what to open.
pub fn open(what: &str) {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut shell = Command::new("cmd");
        shell.args(["/C", "start", ""]);
        shell
    } else {
        Command::new("xdg-open")
    };
    command.arg(what).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        eprintln!("no browser was found to open: open {what} yourself");
    }
}
