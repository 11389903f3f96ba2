//! A run recorded into one file that opens in a browser.

use stiction::{Model, Options, Simulation};
use stiction_examples::Outcome;
use stiction_viewer::{RecordOptions, Recorder};

fn main() -> Outcome {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, Into::into);
    let path = folder.join("stiction-clutter.html");
    let model = Model::from_scene("clutter")?;
    let mut simulation = Simulation::new(&model, Options { step: 2e-3, ..Options::default() })?;
    let mut recorder = Recorder::create(&simulation, "clutter", &[&path], &RecordOptions::default())?;
    for _ in 0..500 {
        simulation.step(1)?;
        recorder.observe(&simulation)?; // a copy, sixty times a simulated second
    }
    recorder.finish(Some(&simulation))?;
    println!("open {}", path.display());

    let recording = stiction_viewer::read::html(&std::fs::read_to_string(&path)?)?;
    assert_eq!(recording.frames.len(), 61);
    Ok(())
}
