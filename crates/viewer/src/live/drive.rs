//! Steps a simulation at the pace asked for, obeys commands and publishes frames.

use super::server::{Server, Status};
use super::widget::Widget;
use crate::capture::Capture;
use crate::channels::{JointChoice, UserChannel};
use crate::error::{LiveError, RecordError};
use crate::message::Command;
use crate::push::Hand;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};
use stiction::Simulation;

/// How a live page is served.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveOptions {
    /// What the page calls the scene.
    pub name: String,
    /// Address to listen on. Whoever can reach it may watch and meddle.
    pub address: IpAddr,
    /// Port; 0 takes a free one.
    pub port: u16,
    /// Whether it waits for somebody to press play.
    pub paused: bool,
    /// Whether no step is taken before the first page is there.
    pub waits: bool,
    /// Most frames per second of real time.
    pub rate: f64,
    /// Joint positions among the channels.
    pub joints: JointChoice,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            name: String::new(),
            address: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            paused: false,
            waits: false,
            rate: 60.0,
            joints: JointChoice::default(),
        }
    }
}

/// Longest work of one [`Live::tick`].
const SLICE: Duration = Duration::from_millis(8);
/// Time between statuses when nothing happens.
const STATUS: Duration = Duration::from_millis(250);

/// A simulation on a live page. Call [`Live::tick`] again and again.
pub struct Live {
    server: Server,
    /// What the page calls the scene, and which joints it plots.
    name: String,
    joints: JointChoice,
    user: Vec<UserChannel>,
    widgets: Vec<Widget>,
    /// Numbers of the widgets that somebody used, for the program.
    used: Vec<usize>,
    capture: Capture,
    /// The state to go back to.
    begin: Vec<u8>,
    paused: bool,
    waits: bool,
    speed: f64,
    /// Steps still to take while paused.
    steps: u32,
    hand: Hand,
    /// Real and simulated time from which the pace is kept.
    anchor: (Instant, f64),
    /// Real and simulated time of the last status, and the rate since the one before.
    told: (Instant, f64),
    rate: f64,
    period: Duration,
    shown: Option<Instant>,
    /// Something to tell.
    news: bool,
    changed: bool,
    message: Option<String>,
}

impl Live {
    /// Starts the server; the simulation's present state is what a reset goes back to.
    pub fn start(simulation: &Simulation, options: &LiveOptions) -> Result<Self, LiveError> {
        if !(options.rate > 0.0 && options.rate <= 1000.0) {
            return Err(LiveError::Rate(options.rate));
        }
        let capture = Capture::new(simulation, &options.joints, &[])?;
        let mut scene = Vec::new();
        capture.scene(simulation, &options.name, &mut scene);
        let (address, port) = (options.address, options.port);
        let server = Server::start(address, port, scene);
        let server = server.map_err(|error| LiveError::Listen { address, port, error })?;
        let (now, time) = (Instant::now(), simulation.state().time);
        // For pages that are there before the first tick.
        let ctrl = simulation.state().ctrl.clone();
        let (paused, widgets) = (options.paused, Vec::new());
        server.status(Status { paused, speed: 1.0, time, rate: 0.0, ctrl, widgets, message: None });
        Ok(Self {
            server,
            name: options.name.clone(),
            joints: options.joints.clone(),
            user: Vec::new(),
            widgets: Vec::new(),
            used: Vec::new(),
            capture,
            begin: simulation.save_state(),
            paused: options.paused,
            waits: options.waits,
            speed: 1.0,
            steps: 0,
            hand: Hand::new(simulation.model()),
            anchor: (now, time),
            told: (now, time),
            rate: 0.0,
            period: Duration::from_secs_f64(1.0 / options.rate),
            shown: None,
            news: true,
            changed: true,
            message: None,
        })
    }

    /// The server, to ask who watches.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Where to point a browser.
    pub fn url(&self) -> String {
        let mut address = self.server.address();
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        format!("http://{address}/")
    }

    /// Obeys commands, takes the steps that are due and publishes; returns how long there is nothing to do. A step that
    /// fails pauses the simulation and is told to the pages.
    pub fn tick(&mut self, simulation: &mut Simulation) -> Duration {
        self.tick_watched(simulation, |_| {})
    }

    /// The same, with `watch` called after each step.
    pub fn tick_watched(
        &mut self,
        simulation: &mut Simulation,
        mut watch: impl FnMut(&Simulation),
    ) -> Duration {
        let begin = Instant::now();
        for command in self.server.commands() {
            self.news = true;
            self.message = None;
            if let Err(message) = self.obey(command, simulation) {
                self.message = Some(message);
            }
        }
        while self.due(simulation, begin) && begin.elapsed() < SLICE {
            if let Err(error) = self.step(simulation) {
                self.message = Some(error.to_string());
                (self.paused, self.steps, self.news) = (true, 0, true);
            }
            self.changed = true;
            watch(simulation);
        }
        self.publish(simulation);
        if self.paused && self.steps == 0 {
            Duration::from_millis(10)
        } else if self.due(simulation, Instant::now()) {
            Duration::ZERO
        } else {
            Duration::from_millis(1)
        }
    }

    /// Shows the present state to the pages, if it is time for a frame; for simulations that are stepped by others.
    pub fn publish(&mut self, simulation: &Simulation) {
        let now = Instant::now();
        if self.told.0.elapsed() >= STATUS || self.news {
            let time = simulation.state().time;
            let passed = now.duration_since(self.told.0).as_secs_f64();
            if passed > 0.1 {
                self.rate = ((time - self.told.1) / passed).max(0.0);
                self.told = (now, time);
            }
            self.news = false;
            self.server.status(Status {
                paused: self.paused,
                speed: self.speed,
                time,
                rate: self.rate,
                ctrl: simulation.state().ctrl.clone(),
                widgets: self.widgets.clone(),
                message: self.message.clone(),
            });
            // Pages that come while nothing moves need a frame, too.
            self.changed |= self.paused;
        }
        let early = self.shown.is_some_and(|shown| now.duration_since(shown) < self.period);
        if !self.changed || early || self.server.clients() == 0 {
            return;
        }
        let mut chunk = Vec::new();
        if self.capture.frame(simulation, &mut chunk).is_ok() {
            self.server.frame(chunk);
        }
        (self.shown, self.changed) = (Some(now), false);
    }

    /// Puts a slider or a button on the page; returns its number, or what is wrong with it.
    pub fn add_widget(&mut self, widget: Widget) -> Result<usize, String> {
        if let Some(problem) = widget.problem(&self.widgets) {
            return Err(problem);
        }
        self.widgets.push(widget);
        self.news = true;
        Ok(self.widgets.len() - 1)
    }

    /// A slider or a button, by its number.
    pub fn widget(&self, index: usize) -> Option<&Widget> {
        self.widgets.get(index)
    }

    /// Moves a slider; one that is not between its ends is put at the nearer one.
    pub fn set_widget(&mut self, index: usize, value: f64) {
        if let Some(widget @ Widget::Slider { .. }) = self.widgets.get_mut(index) {
            widget.act(value);
            self.news = true;
        }
    }

    /// The sliders and buttons that somebody used since the last call, by number, in order.
    pub fn used_widgets(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.used)
    }

    /// Sets the number of a channel that was added.
    pub fn log(&mut self, name: &str, value: f64) -> Result<(), RecordError> {
        self.capture.log().log(name, value)?;
        self.changed = true;
        Ok(())
    }

    /// Whether there is a channel of the user's own of this name.
    pub fn logs(&self, name: &str) -> bool {
        self.user.iter().any(|known| known.name == name)
    }

    /// Adds a channel of the user's own. The pages get it and begin their plots anew.
    pub fn add_channel(&mut self, simulation: &Simulation, channel: &UserChannel) -> Result<(), RecordError> {
        let mut user = self.user.clone();
        user.push(channel.clone());
        let capture = Capture::new(simulation, &self.joints, &user)?;
        for (known, value) in self.user.iter().zip(self.capture.log().all()) {
            capture.log().log(&known.name, value)?;
        }
        let mut scene = Vec::new();
        capture.scene(simulation, &self.name, &mut scene);
        self.server.scene(scene);
        (self.capture, self.user, self.changed) = (capture, user, true);
        Ok(())
    }

    /// Says that the state was changed by others.
    pub fn touch(&mut self) {
        self.changed = true;
    }

    /// Whether a step is due now.
    fn due(&mut self, simulation: &Simulation, now: Instant) -> bool {
        if self.paused {
            return self.steps > 0;
        }
        if self.waits {
            if self.server.clients() == 0 {
                return false;
            }
            (self.waits, self.anchor) = (false, (now, simulation.state().time));
        }
        if self.speed == 0.0 {
            return true;
        }
        let passed = now.duration_since(self.anchor.0).as_secs_f64();
        let lag = self.anchor.1 + self.speed * passed - simulation.state().time;
        // Who cannot keep up, or jumped, starts anew from here instead of hurrying after.
        if lag > 0.1 * self.speed.max(1.0) || lag < -0.5 {
            self.anchor = (now, simulation.state().time);
            return true;
        }
        lag > 0.0
    }

    fn step(&mut self, simulation: &mut Simulation) -> Result<(), stiction::StepError> {
        self.steps = self.steps.saturating_sub(u32::from(self.paused));
        self.hand.step(simulation)
    }

    fn obey(&mut self, command: Command, simulation: &mut Simulation) -> Result<(), String> {
        match command {
            Command::Play {} => {
                self.paused = false;
                self.anchor = (Instant::now(), simulation.state().time);
            }
            Command::Pause {} => (self.paused, self.steps) = (true, 0),
            Command::Step { steps } => (self.paused, self.steps) = (true, steps),
            Command::Reset {} => {
                simulation.load_state(&self.begin).map_err(|e| e.to_string())?;
                self.hand.release();
                self.anchor = (Instant::now(), simulation.state().time);
                self.told = self.anchor;
                self.changed = true;
            }
            Command::Speed { value } => {
                self.speed = value;
                self.anchor = (Instant::now(), simulation.state().time);
            }
            Command::Ctrl { actuator, value } => {
                let controls = simulation.state().ctrl.len();
                let control = simulation.state_mut().ctrl.get_mut(actuator);
                *control
                    .ok_or_else(|| format!("there is no actuator {actuator}: the model has {controls}"))? =
                    value;
            }
            Command::Widget { index, value } => {
                let count = self.widgets.len();
                let widget = self.widgets.get_mut(index);
                widget.ok_or_else(|| format!("there is no widget {index}: there are {count}"))?.act(value);
                self.used.push(index);
            }
            Command::Push { body, point, target } => {
                self.hand.push(simulation, body, point, target)?;
            }
            Command::Release {} => self.hand.release(),
        }
        Ok(())
    }
}
