//! The live page over real sockets.

use proptest::prelude::*;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use stiction::{Model, Options, Simulation};
use stiction_viewer::live::{MAX_CLIENTS, Server, Status};
use stiction_viewer::read::{self, Frame};
use stiction_viewer::{Live, LiveOptions};
use tungstenite::{Message, WebSocket};

fn simulation(scene: &str) -> Simulation {
    let model = Model::from_scene(scene).unwrap();
    let step = model.world().options.step.unwrap_or(1e-3);
    Simulation::new(&model, Options { step, ..Options::default() }).unwrap()
}

type Socket = WebSocket<TcpStream>;

fn connect(address: SocketAddr) -> Socket {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    tungstenite::client(format!("ws://{address}/stream"), stream).unwrap().0
}

fn say(socket: &mut Socket, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

enum Got {
    Frame(Frame),
    Status(Value),
    Other(u8),
}

fn next(socket: &mut Socket) -> Got {
    loop {
        let Message::Binary(bytes) = socket.read().unwrap() else { continue };
        let mut chunks = read::split(&bytes);
        let (kind, payload) = chunks.next().unwrap().unwrap();
        assert!(chunks.next().is_none(), "one message is one chunk");
        return match kind {
            3 => Got::Frame(read::frame(payload).unwrap()),
            4 => Got::Status(serde_json::from_slice(payload).unwrap()),
            other => Got::Other(other),
        };
    }
}

/// Reads until a status fits.
fn status(socket: &mut Socket, fits: impl Fn(&Value) -> bool) -> Value {
    let begin = Instant::now();
    loop {
        if let Got::Status(status) = next(socket)
            && fits(&status)
        {
            return status;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no such status");
    }
}

/// Reads until a frame fits.
fn frame(socket: &mut Socket, fits: impl Fn(&Frame) -> bool) -> Frame {
    let begin = Instant::now();
    loop {
        if let Got::Frame(frame) = next(socket)
            && fits(&frame)
        {
            return frame;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no such frame");
    }
}

/// Serves a scene while `test` talks to it; returns the simulation as it ended.
fn serving(scene: &str, paused: bool, test: impl FnOnce(SocketAddr) + Send) -> Simulation {
    let mut sim = simulation(scene);
    let options = LiveOptions { name: scene.into(), paused, ..LiveOptions::default() };
    let mut live = Live::start(&sim, &options).unwrap();
    let address = live.server().address();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let tester = scope.spawn(|| {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(address)));
            done.store(true, Ordering::Relaxed);
            if let Err(panic) = outcome {
                std::panic::resume_unwind(panic);
            }
        });
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(live.tick(&mut sim));
        }
        tester.join().unwrap();
    });
    sim
}

#[test]
fn a_page_gets_the_scene_its_buffers_a_status_and_frames() {
    serving("gripper_soft", false, |address| {
        let mut socket = connect(address);
        let mut kinds = Vec::new();
        let first = loop {
            match next(&mut socket) {
                Got::Frame(frame) => break frame,
                Got::Status(status) => {
                    assert_eq!(
                        (&status["paused"], &status["clients"]),
                        (&Value::from(false), &Value::from(1))
                    );
                    kinds.push(4);
                }
                Got::Other(kind) => kinds.push(kind),
            }
        };
        assert_eq!(kinds[0], 1);
        assert!(kinds.contains(&2) && kinds.contains(&4), "{kinds:?}");
        assert!(frame(&mut socket, |f| f.time > first.time + 0.1).poses.len() > 1);
    });
}

#[test]
fn play_pause_step_reset_speed_and_controls_do_what_they_say() {
    let sim = serving("arm", true, |address| {
        let mut socket = connect(address);
        let status_of = |s: &mut Socket| status(s, |_| true);
        assert_eq!(status_of(&mut socket)["paused"], true);
        assert_eq!(frame(&mut socket, |_| true).time, 0.0);
        say(&mut socket, r#"{"type":"step","steps":7}"#);
        let after = frame(&mut socket, |f| f.time > 0.0065);
        assert!((after.time - 0.007).abs() < 1e-9, "{}", after.time);
        say(&mut socket, r#"{"type":"ctrl","actuator":1,"value":0.25}"#);
        let told = status(&mut socket, |s| s["ctrl"][1] == 0.25);
        assert_eq!(told["paused"], true);
        say(&mut socket, r#"{"type":"speed","value":0}"#);
        say(&mut socket, r#"{"type":"play"}"#);
        frame(&mut socket, |f| f.time > 0.5);
        assert_eq!(status_of(&mut socket)["speed"], 0.0);
        say(&mut socket, r#"{"type":"pause"}"#);
        status(&mut socket, |s| s["paused"] == true);
        say(&mut socket, r#"{"type":"reset"}"#);
        frame(&mut socket, |f| f.time == 0.0);
        // What is wrong is said, and nothing else happens.
        for wrong in [
            r#"{"type":"ctrl","actuator":99,"value":0}"#,
            r#"{"type":"push","body":0,"point":[0,0,0],"target":[0,0,1]}"#,
            "?",
        ] {
            say(&mut socket, wrong);
            let told = status(&mut socket, |s| s["message"].is_string());
            assert_eq!(told["time"], 0.0, "{told}");
            say(&mut socket, r#"{"type":"release"}"#);
            status(&mut socket, |s| s["message"].is_null());
        }
    });
    assert_eq!(sim.state().time, 0.0);
}

#[test]
fn real_time_passes_at_the_speed_asked_for() {
    serving("double_pendulum", false, |address| {
        let mut socket = connect(address);
        for speed in [1.0, 0.25] {
            say(&mut socket, &format!(r#"{{"type":"speed","value":{speed}}}"#));
            status(&mut socket, |s| s["speed"] == speed);
            let (begin, first) = (Instant::now(), frame(&mut socket, |_| true).time);
            let last = frame(&mut socket, |f| f.time > first + 0.5 * speed).time;
            let rate = (last - first) / begin.elapsed().as_secs_f64();
            // Frames may wait a little on a busy machine; time never runs faster.
            assert!(rate < 1.3 * speed && rate > 0.3 * speed, "{rate} for {speed}");
        }
    });
}

#[test]
fn a_push_pulls_the_body_to_its_target_and_leaves_no_force_behind() {
    // A body at the lower end of a stack of boxes or a single ball: the first body that moves.
    let sim = serving("rolling_ball", true, |address| {
        let mut socket = connect(address);
        let start = frame(&mut socket, |_| true);
        let body = start.poses.len() - 1;
        let [x, y, z] = [0, 1, 2].map(|k| start.poses[body][k]);
        let target = [x, y, z + 0.5];
        say(
            &mut socket,
            &format!(
                r#"{{"type":"push","body":{body},"point":[0,0,0],"target":[{},{},{}]}}"#,
                target[0], target[1], target[2]
            ),
        );
        say(&mut socket, r#"{"type":"speed","value":0}"#);
        say(&mut socket, r#"{"type":"play"}"#);
        let held = frame(&mut socket, |f| f.time > 3.0);
        let p = held.poses[body];
        // It hangs g/ω² below the target.
        assert!((p[2] - (target[2] - 9.81 / 400.0)).abs() < 1e-3, "{} {}", p[2], target[2]);
        say(&mut socket, r#"{"type":"release"}"#);
        frame(&mut socket, |f| f.poses[body][2] < z + 0.1);
    });
    assert!(sim.state().applied.iter().all(|f| *f == 0.0));
}

#[test]
fn many_pages_watch_and_a_page_too_many_is_refused() {
    serving("stack", false, |address| {
        let mut sockets: Vec<Socket> = (0..MAX_CLIENTS).map(|_| connect(address)).collect();
        for socket in &mut sockets {
            frame(socket, |f| f.time > 0.0);
        }
        let stream = TcpStream::connect(address).unwrap();
        assert!(tungstenite::client(format!("ws://{address}/stream"), stream).is_err());
        drop(sockets.split_off(1));
        let told = status(&mut sockets[0], |s| s["clients"] == 1);
        assert_eq!(told["dropped"].as_u64().map(|_| ()), Some(()));
    });
}

#[test]
fn a_page_that_reads_nothing_loses_frames_and_holds_up_nobody() {
    let server = Server::start([127, 0, 0, 1].into(), 0, Vec::new()).unwrap();
    server.status(Status::default());
    let mut slow = connect(server.address());
    let mut fast = connect(server.address());
    let begin = Instant::now();
    while server.clients() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1));
    }
    // Frames of a megabyte fill every buffer on the way; publishing them takes no time all the same.
    let publish = |k: usize| {
        let mut chunk = Vec::new();
        stiction_viewer::chunk::append(&mut chunk, stiction_viewer::chunk::Kind::Frame, |out| {
            out.extend_from_slice(&(k as f64).to_le_bytes());
            out.extend_from_slice(&[0; 16]);
            out.extend_from_slice(&vec![7; 1 << 20]);
        });
        server.frame(chunk);
    };
    let time = |bytes: &[u8]| f64::from_le_bytes(bytes[8..16].try_into().unwrap());
    for k in 0..100 {
        publish(k);
        loop {
            if let Message::Binary(bytes) = fast.read().unwrap()
                && bytes[4] == 3
                && time(&bytes) == k as f64
            {
                break;
            }
        }
    }
    server.status(Status::default());
    let mut seen = Vec::new();
    let dropped = loop {
        let Message::Binary(bytes) = slow.read().unwrap() else { continue };
        match bytes[4] {
            3 => seen.push(time(&bytes)),
            _ => {
                let told: Value =
                    serde_json::from_slice(read::split(&bytes).next().unwrap().unwrap().1).unwrap();
                if told["dropped"].as_u64() > Some(0) {
                    break told["dropped"].as_u64().unwrap();
                }
            }
        }
        server.status(Status::default());
    };
    assert!(dropped > 0 && seen.windows(2).all(|w| w[0] < w[1]), "{dropped} {seen:?}");
}

fn ask(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let _ = stream.write_all(request);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn the_page_is_served_to_addresses_and_to_nothing_else() {
    let server = Server::start([127, 0, 0, 1].into(), 0, Vec::new()).unwrap();
    let address = server.address();
    let page = ask(address, format!("GET / HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.starts_with("HTTP/1.1 200 OK") && page.contains("<meta name=\"stiction-live\" content=\"1\">")
    );
    for (request, answer) in [
        ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "403"),
        ("GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", "404"),
        ("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
        ("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n", "426"),
        ("hello\r\n\r\n", "400"),
    ] {
        let told = String::from_utf8(ask(address, request.as_bytes())).unwrap();
        assert!(told.starts_with(&format!("HTTP/1.1 {answer}")), "{request}: {told}");
    }
    let stream = TcpStream::connect(address).unwrap();
    let request = tungstenite::http::Request::builder()
        .uri(format!("ws://{address}/stream"))
        .header("Host", address.to_string())
        .header("Origin", "http://evil.example")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
        .body(())
        .unwrap();
    assert!(tungstenite::client(request, stream).is_err());
}

#[test]
fn a_message_too_long_ends_its_page_and_no_other() {
    serving("stack", true, |address| {
        let (mut one, mut other) = (connect(address), connect(address));
        let _ = one.send(Message::text("x".repeat(5000)));
        let closed = (0..10_000).any(|_| one.read().is_err());
        assert!(closed);
        say(&mut other, r#"{"type":"step","steps":1}"#);
        frame(&mut other, |f| f.time > 0.0);
    });
}

#[test]
fn random_bytes_and_messages_leave_the_server_standing() {
    let server = Server::start([127, 0, 0, 1].into(), 0, Vec::new()).unwrap();
    let address = server.address();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(64));
    let bytes = prop::collection::vec(any::<u8>(), 0..600);
    runner
        .run(&(bytes.clone(), bytes, any::<String>()), |(raw, frame, text)| {
            ask(address, &raw);
            // Raw bytes where WebSocket frames are expected.
            let mut stream = TcpStream::connect(address).unwrap();
            let head = format!(
                "GET /stream HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).unwrap();
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(&frame);
            drop(stream);
            // Proper frames with improper content.
            let mut socket = connect(address);
            let _ = socket.send(Message::text(text));
            let _ = socket.send(Message::binary(raw));
            status(&mut socket, |s| s["message"].is_string());
            Ok(())
        })
        .unwrap();
    assert!(server.commands().is_empty());
    assert!(ask(address, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").starts_with(b"HTTP/1.1 200"));
}

#[test]
fn a_browser_that_is_closed_in_the_middle_leaves_the_simulation_going_for_the_next_one() {
    let sim = serving("stack", false, |address| {
        let mut last = 0.0;
        for round in 0..4 {
            let mut socket = connect(address);
            let seen = frame(&mut socket, |frame| frame.time > last).time;
            assert!(seen > last, "time goes on");
            last = seen;
            match round {
                // The tab is closed, the browser is killed, the network is gone with data under way.
                0 => socket.close(None).unwrap(),
                1 => drop(socket),
                _ => {
                    let stream = socket.get_mut();
                    let _ = stream.write_all(&[0x81, 0xfe]);
                    stream.shutdown(std::net::Shutdown::Both).unwrap();
                }
            }
        }
        let mut socket = connect(address);
        frame(&mut socket, |frame| frame.time > last);
    });
    assert!(sim.state().time > 0.0);
}
