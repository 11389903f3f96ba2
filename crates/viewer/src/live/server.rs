//! Accepts connections; hands chunks to every page, commands back.

use super::client::{self, Mailbox};
use super::http::{self, Request};
use super::widget::Widget;
use crate::message::Command;
use crate::page;
use serde::Serialize;
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Most pages that may watch at once.
pub const MAX_CLIENTS: usize = 32;
/// Longest message of a page, bytes.
pub const MAX_MESSAGE: usize = 4096;
/// Most connections at once, pages being loaded among them.
const MAX_CONNECTIONS: usize = 64;
/// Commands that may wait; a page that sends more than are obeyed loses the oldest.
const MAX_COMMANDS: usize = 1024;

/// What pages are told about the simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// Whether it stands still.
    pub paused: bool,
    /// Simulated over real time asked for; 0 for as fast as possible.
    pub speed: f64,
    /// Time, s.
    pub time: f64,
    /// Simulated over real time achieved.
    pub rate: f64,
    /// Controls.
    pub ctrl: Vec<f64>,
    /// Sliders and buttons of the program.
    pub widgets: Vec<Widget>,
    /// Something for the people at the pages.
    pub message: Option<String>,
}

/// What the threads share.
pub(super) struct Shared {
    page: String,
    scene: Mutex<Arc<Vec<u8>>>,
    status: Mutex<Status>,
    clients: Mutex<Vec<Arc<Mailbox>>>,
    commands: Mutex<VecDeque<Command>>,
    connections: AtomicUsize,
    closing: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    pub fn scene(&self) -> Arc<Vec<u8>> {
        lock(&self.scene).clone()
    }

    /// The status as JSON for one page.
    pub fn status(&self, dropped: u64, note: Option<String>) -> String {
        let status = lock(&self.status).clone();
        let clients = lock(&self.clients).len();
        let message = note.or(status.message);
        serde_json::json!({
            "paused": status.paused, "speed": status.speed, "time": status.time, "rate": status.rate,
            "ctrl": status.ctrl, "widgets": status.widgets, "clients": clients, "dropped": dropped, "message": message,
        })
        .to_string()
    }

    pub fn command(&self, command: Command) {
        let mut commands = lock(&self.commands);
        if commands.len() >= MAX_COMMANDS {
            commands.pop_front();
        }
        commands.push_back(command);
    }
}

/// Serves the page and the stream until it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on an address; port 0 takes a free one. `scene` is what every page gets first.
    pub fn start(address: IpAddr, port: u16, scene: Vec<u8>) -> io::Result<Self> {
        let listener = TcpListener::bind((address, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            page: page::with_meta("stiction-live", "1"),
            scene: Mutex::new(Arc::new(scene)),
            status: Mutex::default(),
            clients: Mutex::default(),
            commands: Mutex::default(),
            connections: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
        });
        let own = shared.clone();
        let builder = std::thread::Builder::new().name("stiction-server".into());
        let thread = builder.spawn(move || accept(&listener, &own))?;
        Ok(Self { shared, address, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Number of pages that watch.
    pub fn clients(&self) -> usize {
        lock(&self.shared.clients).len()
    }

    /// What pages asked for since the last call.
    pub fn commands(&self) -> Vec<Command> {
        lock(&self.shared.commands).drain(..).collect()
    }

    /// Hands a frame to every page; never waits for one.
    pub fn frame(&self, chunk: Vec<u8>) {
        let chunk = Arc::new(chunk);
        lock(&self.shared.clients).iter().for_each(|client| client.frame(chunk.clone()));
    }

    /// Tells every page how the simulation stands.
    pub fn status(&self, status: Status) {
        *lock(&self.shared.status) = status;
        lock(&self.shared.clients).iter().for_each(|client| client.status());
    }

    /// Gives every page another scene.
    pub fn scene(&self, chunks: Vec<u8>) {
        *lock(&self.shared.scene) = Arc::new(chunks);
        lock(&self.shared.clients).iter().for_each(|client| client.scene());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Relaxed);
        lock(&self.shared.clients).iter().for_each(|client| client.wake());
        // A connection of our own wakes the listener.
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from(std::net::Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        let timeout = std::time::Duration::from_secs(1);
        let woken = TcpStream::connect_timeout(&(ip, self.address.port()).into(), timeout).is_ok();
        if let (Some(thread), true) = (self.thread.take(), woken) {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closing() {
            return;
        }
        let Ok(mut stream) = stream else {
            // Out of sockets, most likely: let some go.
            std::thread::sleep(std::time::Duration::from_millis(50));
            continue;
        };
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            let _ =
                http::answer(&mut stream, "503 Service Unavailable", "text/plain", b"too many connections\n");
            continue;
        }
        let own = shared.clone();
        let builder = std::thread::Builder::new().name("stiction-page".into());
        let spawned = builder.spawn(move || {
            serve(stream, &own);
            own.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers one connection.
fn serve(mut stream: TcpStream, shared: &Shared) {
    let Some(head) = http::read_head(&mut stream) else { return };
    let plain = "text/plain; charset=utf-8";
    let _ = match http::understand(&head) {
        Request::Page => {
            http::answer(&mut stream, "200 OK", "text/html; charset=utf-8", shared.page.as_bytes())
        }
        Request::Icon => http::answer(&mut stream, "204 No Content", plain, b""),
        Request::Refused(status, reason) => {
            http::answer(&mut stream, status, plain, (reason + "\n").as_bytes())
        }
        Request::Stream(key) => {
            let mailbox = Arc::new(Mailbox::default());
            let mut clients = lock(&shared.clients);
            if clients.len() >= MAX_CLIENTS {
                drop(clients);
                http::answer(&mut stream, "503 Service Unavailable", plain, b"too many pages watch already\n")
            } else {
                clients.push(mailbox.clone());
                drop(clients);
                let switched = http::switch(&mut stream, &key);
                if switched.is_ok() {
                    client::serve(stream, &mailbox, shared);
                }
                lock(&shared.clients).retain(|client| !Arc::ptr_eq(client, &mailbox));
                switched
            }
        }
    };
}
