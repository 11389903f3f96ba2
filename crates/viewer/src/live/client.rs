//! One page: what waits for it, and the thread that talks to it.
//!
//! The socket never blocks. What cannot be sent waits; frames that come meanwhile push out older ones, so a slow page
//! skips frames and holds up nobody.

use super::server::{MAX_MESSAGE, Shared};
use crate::chunk::{self, HEAD, Kind};
use crate::message::parse;
use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// Frames that may wait.
const FRAMES: usize = 4;
/// How often a page's messages are looked for.
const LOOK: Duration = Duration::from_millis(8);
/// How long a page may take nothing before it counts as gone.
const GONE: Duration = Duration::from_secs(30);
/// Messages read in one go, so that a flood does not keep frames from being sent.
const AT_ONCE: usize = 64;

/// What waits for a page.
#[derive(Default)]
pub(super) struct Mailbox {
    waiting: Mutex<Waiting>,
    wake: Condvar,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Arc<Vec<u8>>>,
    dropped: u64,
    /// Whether there is a new status.
    status: bool,
    /// Whether the scene is to be sent anew.
    scene: bool,
}

impl Mailbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves a frame; the oldest one goes if there are too many.
    pub fn frame(&self, chunk: Arc<Vec<u8>>) {
        let mut waiting = self.lock();
        if waiting.frames.len() >= FRAMES {
            waiting.frames.pop_front();
            waiting.dropped += 1;
        }
        waiting.frames.push_back(chunk);
        self.wake.notify_one();
    }

    /// Says that there is a new status.
    pub fn status(&self) {
        self.lock().status = true;
        self.wake.notify_one();
    }

    /// Says that there is a new scene.
    pub fn scene(&self) {
        let mut waiting = self.lock();
        waiting.frames.clear();
        waiting.scene = true;
        self.wake.notify_one();
    }

    pub fn wake(&self) {
        self.wake.notify_one();
    }
}

/// Talks to a page until one side ends it.
pub(super) fn serve(stream: TcpStream, mailbox: &Mailbox, shared: &Shared) {
    if stream.set_nonblocking(true).is_err() {
        return;
    }
    let _ = stream.set_nodelay(true);
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
        .read_buffer_size(MAX_MESSAGE);
    let mut page =
        Page { socket: WebSocket::from_raw_socket(stream, Role::Server, Some(config)), note: None };
    mailbox.lock().scene = true;
    let mut sent = Instant::now();
    while !shared.closing() {
        match page.listen(shared) {
            Listen::Quiet => {}
            Listen::Left => return,
        }
        match page.socket.flush() {
            Ok(()) => sent = Instant::now(),
            Err(error) if blocked(&error) => {
                if sent.elapsed() > GONE {
                    return;
                }
                std::thread::sleep(LOOK);
                continue;
            }
            Err(_) => return,
        }
        let mut waiting = mailbox.lock();
        if waiting.frames.is_empty() && !waiting.status && !waiting.scene && page.note.is_none() {
            let waited = mailbox.wake.wait_timeout(waiting, LOOK);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let (scene, status) = (std::mem::take(&mut waiting.scene), std::mem::take(&mut waiting.status));
        let (frames, dropped) = (std::mem::take(&mut waiting.frames), waiting.dropped);
        drop(waiting);
        if !page.tell(shared, scene, status, frames, dropped) {
            return;
        }
    }
    let _ = page.socket.close(None);
    let _ = page.socket.flush();
}

struct Page {
    socket: WebSocket<TcpStream>,
    /// What was wrong with its last messages.
    note: Option<String>,
}

enum Listen {
    Quiet,
    Left,
}

impl Page {
    fn listen(&mut self, shared: &Shared) -> Listen {
        for _ in 0..AT_ONCE {
            match self.socket.read() {
                Ok(Message::Text(text)) => match parse(text.as_str()) {
                    Ok(command) => shared.command(command),
                    Err(note) => self.note = Some(note),
                },
                Ok(Message::Binary(_)) => self.note = Some("a message was not text".into()),
                Ok(Message::Close(_)) => return Listen::Left,
                Ok(_) => {}
                Err(error) if blocked(&error) => return Listen::Quiet,
                Err(_) => return Listen::Left,
            }
        }
        Listen::Quiet
    }

    /// Sends what waited; false if the page has gone.
    fn tell(
        &mut self,
        shared: &Shared,
        scene: bool,
        status: bool,
        frames: VecDeque<Arc<Vec<u8>>>,
        dropped: u64,
    ) -> bool {
        if scene {
            let chunks = shared.scene();
            let mut rest = &chunks[..];
            while let Some((head, _)) = rest.split_at_checked(HEAD) {
                let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
                let (whole, after) = rest.split_at((HEAD + length.next_multiple_of(8)).min(rest.len()));
                if !self.send(whole.to_vec()) {
                    return false;
                }
                rest = after;
            }
        }
        if scene || status || self.note.is_some() {
            let text = shared.status(dropped, self.note.take());
            let mut bytes = Vec::new();
            chunk::append(&mut bytes, Kind::Status, |out| out.extend_from_slice(text.as_bytes()));
            if !self.send(bytes) {
                return false;
            }
        }
        frames.into_iter().all(|frame| self.send(frame.to_vec()))
    }

    /// Sends a chunk, or leaves it in the socket's buffer.
    fn send(&mut self, bytes: Vec<u8>) -> bool {
        match self.socket.write(Message::binary(bytes)) {
            Ok(()) => true,
            Err(error) => blocked(&error),
        }
    }
}

fn blocked(error: &Error) -> bool {
    matches!(error, Error::Io(e) if e.kind() == io::ErrorKind::WouldBlock)
}
