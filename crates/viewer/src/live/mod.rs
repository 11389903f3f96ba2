//! The live page: a small server, and a simulation that follows its commands.
//!
//! ```text
//! drive    steps the simulation at the pace asked for, obeys commands, publishes frames          one thread: the caller's
//! server   accepts connections; hands chunks to every page, commands back                        one thread
//! http     the head of a request: who asks, from where, for what
//! client   one page: a mailbox that forgets frames when it is full, a WebSocket                  one thread each
//! widget   sliders and buttons of the program's own
//! ```
//!
//! ```no_run
//! use stiction::{Model, Options, Simulation};
//! use stiction_viewer::{Live, LiveOptions};
//!
//! let mut simulation = Simulation::new(&Model::from_scene("arm")?, Options::default())?;
//! let mut live = Live::start(&simulation, &LiveOptions { name: "arm".into(), ..LiveOptions::default() })?;
//! println!("open {}", live.url());
//! loop {
//!     std::thread::sleep(live.tick(&mut simulation));
//! }
//! # #[allow(unreachable_code)]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The server knows no simulation and no files: it serves one page and one stream. It listens on 127.0.0.1 unless told
//! otherwise, answers only to addresses and `localhost` as host (so that no foreign name can be made to point at it), and
//! opens the stream only to its own page. Messages, clients and queues are bounded.

mod client;
mod drive;
mod http;
mod server;
mod widget;

pub use crate::message::{Command, parse};
pub use drive::{Live, LiveOptions};
pub use server::{MAX_CLIENTS, MAX_MESSAGE, Server, Status};
pub use widget::{MAX_WIDGETS, Widget};
