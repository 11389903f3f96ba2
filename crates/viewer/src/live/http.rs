//! The head of a request: who asks, from where, for what.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

/// Longest head of a request, bytes.
const LONGEST_HEAD: usize = 16 * 1024;
/// Time a client has to say what it wants.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a request asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    /// The page.
    Page,
    /// The stream; with the key of the WebSocket's handshake.
    Stream(String),
    /// An icon, which there is none of.
    Icon,
    /// Something that is refused with this status and reason.
    Refused(&'static str, String),
}

/// Reads the head of a request. `None` if the client left or took too long.
pub(super) fn read_head(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let begin = Instant::now();
    let mut head = Vec::new();
    let mut part = [0; 1024];
    while head.len() < LONGEST_HEAD {
        let left = PATIENCE.checked_sub(begin.elapsed())?;
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1)))).ok()?;
        let count = stream.read(&mut part).ok().filter(|n| *n > 0)?;
        head.extend_from_slice(&part[..count]);
        if head.windows(4).any(|w| w == b"\r\n\r\n") {
            return Some(head);
        }
    }
    Some(head)
}

/// What the head of a request asks for, if it may.
pub(super) fn understand(head: &[u8]) -> Request {
    let refuse = |status, reason: &str| Request::Refused(status, reason.to_string());
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return refuse("400 Bad Request", "this is no request that is understood here"),
    }
    let header = |name: &str| {
        let mut all = request.headers.iter().filter(|h| h.name.eq_ignore_ascii_case(name));
        let first = all.next().and_then(|h| std::str::from_utf8(h.value).ok());
        // One that stands twice might be read differently by whoever checked it before.
        if all.next().is_some() { Some("") } else { first }
    };
    let host = header("host").unwrap_or("");
    if !is_address(host) {
        let reason =
            "open this page by its address (http://127.0.0.1:…) or as localhost, not by another name";
        return refuse("403 Forbidden", reason);
    }
    if request.method != Some("GET") {
        return refuse("405 Method Not Allowed", "only GET is answered");
    }
    let path = request.path.unwrap_or("").split('?').next().unwrap_or("");
    match path {
        "/" => Request::Page,
        "/favicon.ico" => Request::Icon,
        "/stream" => {
            // Browsers always say where a page is from; only our own may open the stream.
            let ours =
                |origin: &str| origin == format!("http://{host}") || origin == format!("https://{host}");
            if header("origin").is_some_and(|origin| !ours(origin)) {
                return refuse("403 Forbidden", "the stream is for the page of this server only");
            }
            let upgrade = header("upgrade").is_some_and(|u| u.eq_ignore_ascii_case("websocket"));
            match header("sec-websocket-key") {
                Some(key) if upgrade && header("sec-websocket-version") == Some("13") && key.len() == 24 => {
                    Request::Stream(key.to_string())
                }
                _ => refuse("426 Upgrade Required", "the stream is a WebSocket of version 13"),
            }
        }
        _ => refuse("404 Not Found", "there is only the page at /"),
    }
}

/// Whether a host is an address or `localhost`: no foreign name can be made to point at those.
fn is_address(host: &str) -> bool {
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (name, port) = match bracketed {
        Some((name, rest)) => (name, rest.strip_prefix(':').or(rest.is_empty().then_some(""))),
        None => host.split_once(':').map_or((host, Some("")), |(name, port)| (name, Some(port))),
    };
    let fine = port.is_some_and(|p| p.is_empty() || p.parse::<u16>().is_ok());
    fine && (name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok())
}

/// Who may show the page within a page: notebooks on this machine. Others could trick people into clicks.
const FRAMES: &str = "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:* vscode-webview:";

/// Answers and says that nothing follows.
pub(super) fn answer(stream: &mut TcpStream, status: &str, kind: &str, body: &[u8]) -> io::Result<()> {
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Security-Policy: {FRAMES}\r\nReferrer-Policy: no-referrer\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// Answers that the stream begins.
pub(super) fn switch(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(head.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn get(path: &str, headers: &str) -> Request {
        understand(format!("GET {path} HTTP/1.1\r\n{headers}\r\n").as_bytes())
    }

    const KEY: &str =
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

    #[test]
    fn the_page_and_the_stream_are_all_there_is() {
        assert_eq!(get("/", "Host: 127.0.0.1:8000\r\n"), Request::Page);
        assert_eq!(get("/?x=1", "Host: LOCALHOST\r\n"), Request::Page);
        assert_eq!(get("/", "Host: [::1]:8000\r\n"), Request::Page);
        assert!(matches!(get("/stream", &format!("Host: localhost:1\r\n{KEY}")), Request::Stream(_)));
        for path in ["/index.html", "/../etc/passwd", "//", "/stream/..", "/%2e%2e"] {
            assert!(
                matches!(get(path, "Host: localhost\r\n"), Request::Refused("404 Not Found", _)),
                "{path}"
            );
        }
        let post = understand(b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(matches!(post, Request::Refused("405 Method Not Allowed", _)));
    }

    #[test]
    fn names_that_could_be_rebound_are_refused() {
        for host in [
            "evil.example:8000",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example",
            "localhost:x",
            "[::1",
        ] {
            assert!(
                matches!(get("/", &format!("Host: {host}\r\n")), Request::Refused("403 Forbidden", _)),
                "{host}"
            );
        }
        assert!(matches!(get("/", ""), Request::Refused("403 Forbidden", _)));
        let twice = "Host: localhost\r\nHost: evil.example\r\n";
        assert!(matches!(get("/", twice), Request::Refused("403 Forbidden", _)));
    }

    #[test]
    fn other_pages_do_not_get_the_stream() {
        let from = |origin: &str| get("/stream", &format!("Host: 127.0.0.1:80\r\nOrigin: {origin}\r\n{KEY}"));
        assert!(matches!(from("http://127.0.0.1:80"), Request::Stream(_)));
        for origin in
            ["http://evil.example", "null", "http://127.0.0.1:81", "file://", "http://localhost:80", ""]
        {
            assert!(matches!(from(origin), Request::Refused("403 Forbidden", _)), "{origin}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn random_heads_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,60}") {
            understand(&bytes);
            get("/stream", &format!("Host: {text}\r\nOrigin: {text}\r\n{KEY}"));
        }
    }
}
