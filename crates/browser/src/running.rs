//! A model and its simulation, as the page commands it.

use crate::settings::Settings;
use serde::Deserialize;
use serde_json::json;
use stiction::files::Memory;
use stiction::{LoadOptions, Model, Simulation, State, scenes};
use stiction_viewer::message::{Command, parse};
use stiction_viewer::push::Hand;
use stiction_viewer::{Capture, JointChoice};

/// What to load.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// A built-in scene.
    pub scene: Option<String>,
    /// Or the path of a model among the files.
    pub file: Option<String>,
    /// Keyframe to begin at, by name or number.
    pub keyframe: Option<String>,
    /// The sliders.
    pub settings: Settings,
}

/// A simulation that follows commands.
pub struct Running {
    name: String,
    /// As it was loaded: settings are of this one.
    base: Model,
    simulation: Simulation,
    capture: Capture,
    hand: Hand,
    /// What a reset goes back to.
    begin: State,
}

impl Running {
    /// Loads what is asked for; the error is for the person at the page.
    pub fn load(request: &Request, files: &Memory) -> Result<Self, String> {
        let (name, base) = match (&request.scene, &request.file) {
            (Some(scene), None) => (scene.clone(), Model::from_scene(scene).map_err(|e| e.to_string())?),
            (None, Some(path)) => {
                let world = stiction_formats::load_with(path, files, &LoadOptions::default());
                let base = Model::new(world.map_err(|e| e.to_string())?).map_err(|e| e.to_string())?;
                let file = path.rsplit('/').next().unwrap_or(path);
                (file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned(), base)
            }
            _ => return Err("ask for a scene or for a file, one of them".into()),
        };
        let (model, options) = (request.settings.variant(&base)?, request.settings.options(&base)?);
        let mut simulation = Simulation::new(&model, options).map_err(|e| e.to_string())?;
        if let Some(keyframe) = &request.keyframe {
            simulation.reset_to_keyframe(keyframe).map_err(|e| e.to_string())?;
        }
        let capture = Capture::new(&simulation, &JointChoice::default(), &[]).map_err(|e| e.to_string())?;
        let (hand, begin) = (Hand::new(&base), simulation.state().clone());
        Ok(Self { name, base, simulation, capture, hand, begin })
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// What the page shows beside the scene, as JSON: the step, keyframes, warnings.
    pub fn about(&self) -> String {
        let world = self.base.world();
        let warnings: Vec<String> = self.base.warnings().iter().map(ToString::to_string).collect();
        let keyframes: Vec<&str> = world.keyframes.iter().map(|k| k.name.as_str()).collect();
        let step = self.simulation.options().step;
        json!({ "name": self.name, "step": step, "keyframes": keyframes, "warnings": warnings }).to_string()
    }

    /// Changes the settings and goes on from the present state; on an error everything is as before.
    pub fn set(&mut self, settings: &Settings) -> Result<(), String> {
        let (model, options) = (settings.variant(&self.base)?, settings.options(&self.base)?);
        let before = self.simulation.options().clone();
        self.simulation.set_options(options).map_err(|e| e.to_string())?;
        if model.fingerprint() != self.simulation.model().fingerprint()
            && let Err(error) = self.simulation.set_model(&model)
        {
            self.simulation.set_options(before).map_err(|e| e.to_string())?;
            return Err(error.to_string());
        }
        Ok(())
    }

    /// Obeys a message of the live page that changes the simulation; when it steps, the worker says.
    pub fn obey(&mut self, message: &str) -> Result<(), String> {
        match parse(message)? {
            Command::Reset {} => {
                self.hand.release();
                self.simulation.reset_to(&self.begin).map_err(|e| e.to_string())
            }
            Command::Ctrl { actuator, value } => {
                let count = self.simulation.state().ctrl.len();
                let control = self.simulation.state_mut().ctrl.get_mut(actuator);
                *control
                    .ok_or_else(|| format!("there is no actuator {actuator}: the model has {count}"))? =
                    value;
                Ok(())
            }
            Command::Push { body, point, target } => self.hand.push(&self.simulation, body, point, target),
            Command::Release {} => {
                self.hand.release();
                Ok(())
            }
            other => Err(format!("{other:?} is for the worker, which keeps the time")),
        }
    }

    /// One step, with the push if there is one.
    pub fn step(&mut self) -> Result<(), String> {
        self.hand.step(&mut self.simulation).map_err(|e| e.to_string())
    }

    /// Appends the scene and its buffers.
    pub fn scene(&self, out: &mut Vec<u8>) {
        self.capture.scene(&self.simulation, &self.name, out);
    }

    /// Appends a frame.
    pub fn frame(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        self.capture.frame(&self.simulation, out).map_err(|e| e.to_string())
    }
}

/// The built-in scenes as JSON: name, first sentence about it, keyframes.
pub fn list_scenes() -> String {
    let list = scenes::all().iter().map(|scene| {
        let model = Model::from_scene(scene.name).ok();
        let keyframes: Vec<String> = model
            .iter()
            .flat_map(|m| &m.world().keyframes)
            .enumerate()
            .map(|(i, k)| if k.name.is_empty() { i.to_string() } else { k.name.clone() })
            .collect();
        json!({ "name": scene.name, "summary": scene.summary(), "keyframes": keyframes })
    });
    serde_json::Value::Array(list.collect()).to_string()
}
