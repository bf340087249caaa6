//! Whatever a client says, it gets the answers that hyper alone would have given; and what the path of plain
//! requests does by itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;

use super::{Answering, PlainBody, PlainHandler};
use crate::listen::ListenConfig;
use crate::listen::connection::{Connection, ConnectionError};
use crate::shutdown::{Shutdown, Stage};

const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 1);

/// Tells what it was asked, and how many requests were plain.
#[derive(Default)]
struct Telling(AtomicUsize);

impl PlainHandler for Telling {
    fn takes(&self, path: &str) -> bool {
        path.starts_with("/batches/")
    }

    fn answer<'a>(&'a self, request: Request<PlainBody<'a>>) -> Answering<'a> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(tell(request))
    }
}

/// What the request said, its body too, unless the path asks for the body to be left alone.
async fn tell<B: Body<Data = Bytes>>(request: Request<B>) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let mut headers: Vec<_> =
        head.headers.iter().map(|(name, value)| format!("{name}={:?}", value.as_bytes())).collect();
    headers.sort();
    let said = format!("{} {} {:?} {headers:?} {:?}", head.method, head.uri, head.version, body.size_hint());
    if head.uri.path().ends_with("/unread") {
        return Response::new(Full::new(said.into()));
    }
    let Ok(body) = body.collect().await else {
        let mut broken = Response::new(Full::new(Bytes::from_static(b"broken")));
        *broken.status_mut() = StatusCode::BAD_REQUEST;
        return broken;
    };
    Response::new(Full::new(format!("{said} {:?}", body.to_bytes()).into()))
}

/// What a client gets that says this in these pieces and then no more, and how many requests were plain.
async fn answers(pieces: &[&[u8]], with_plain: bool, config: ListenConfig) -> (String, usize) {
    let telling = Arc::new(Telling::default());
    let plain = with_plain.then(|| Arc::clone(&telling) as Arc<dyn PlainHandler>);
    let handler = |request: Request<Incoming>, _peer| tell(request);
    let connection = Connection::new(config, None, handler, plain, Shutdown::new());
    let (near, mut far) = tokio::io::duplex(1 << 20);
    let serving = async {
        let _ended = connection.receive(near, PEER).await;
    };
    let asking = async {
        for piece in pieces {
            // The other side may have closed already.
            let _sent = far.write_all(piece).await;
            tokio::task::yield_now().await;
        }
        let _closed = far.shutdown().await;
        let mut said = Vec::new();
        far.read_to_end(&mut said).await.unwrap();
        String::from_utf8(said).unwrap()
    };
    let said = tokio::join!(serving, asking).1;
    (without_dates(&said), telling.0.load(Ordering::Relaxed))
}

/// The answers without their dates, with the lines of each head in one order. Where a body breaks off, hyper closes
/// the connection without saying so.
fn without_dates(said: &str) -> String {
    let is_broken = said.contains("broken");
    let left_out = |line: &&str| line.starts_with("date: ") || is_broken && *line == "connection: close";
    let mut lines: Vec<&str> = said.split("\r\n").filter(|line| !left_out(line)).collect();
    lines.sort_unstable();
    lines.join("\n")
}

const PLAIN: &str = "POST /batches/1 HTTP/1.1\r\nhost: palisade\r\ncontent-length: 3\r\n\r\nabc";

/// What a client may say, and whether its first request is a plain one.
fn shapes() -> Vec<(String, bool)> {
    let with = |line: &str| PLAIN.replace("host: palisade\r\n", &format!("host: palisade\r\n{line}\r\n"));
    let head = |line: &str| PLAIN.replace("POST /batches/1 HTTP/1.1", line);
    let length = |value: &str| PLAIN.replace("content-length: 3", &format!("content-length: {value}"));
    let mut all = vec![
        (PLAIN.to_owned(), true),
        (with("Content-Type: application/x-protobuf\r\nAuthorization: Bearer one two"), true),
        (with("x-text: caf\u{e9}"), true),
        (with("connection: keep-alive"), true),
        (with("x-empty:"), true),
        (with("x-twice: one\r\nX-Twice: two"), true),
        (length("0").replace("abc", ""), true),
        (length("003"), true),
        (format!("\r\n{PLAIN}"), true),
        (PLAIN.replace("\r\n", "\n"), true),
        (head("POST /batches/unread HTTP/1.1"), true),
        (PLAIN.replace("abc", "ab"), true),
        (PLAIN.repeat(3), true),
        (PLAIN.to_owned() + &PLAIN.replace("POST", "GET"), true),
        (PLAIN.to_owned() + "nonsense\r\n\r\n", true),
        (PLAIN.to_owned() + "POST /batches/1 HTTP/1.1\r\nhost", true),
    ];
    let others = [
        head("GET /batches/1 HTTP/1.1"),
        head("HEAD /batches/1 HTTP/1.1"),
        head("post /batches/1 HTTP/1.1"),
        head("POST /others/1 HTTP/1.1"),
        head("POST /batches/1 HTTP/1.0"),
        head("POST /batches/1 HTTP/2.0"),
        head("POST http://palisade/batches/1 HTTP/1.1"),
        head("POST /batches/\u{7f} HTTP/1.1"),
        head("POST  /batches/1 HTTP/1.1"),
        head("POST /batches/1"),
        with("connection: close"),
        with("connection: keep-alive, upgrade\r\nupgrade: h2c"),
        with("transfer-encoding: chunked").replace("abc", "0\r\n\r\n"),
        with("transfer-encoding: chunked"),
        with("transfer-encoding: identity"),
        with("expect: 100-continue"),
        with("content-length: 3"),
        with("content-length: 4"),
        with("x-no-colon"),
        with("x-space : 1"),
        with(" folded: 1"),
        with("x-folded: 1\r\n more"),
        with("x-nul: \0"),
        with(": nameless"),
        with(&format!("x-long: {}", "x".repeat(9000))),
        with(&format!("x-long: {}", "x".repeat(40_000))),
        with(&"x-many: 1\r\n".repeat(50)),
        with(&"x-many: 1\r\n".repeat(150)),
        PLAIN.replace("content-length: 3\r\n", ""),
        "POST /batches/1 HTTP/1.1\r\nhost: pal".to_owned(),
        "\x16\x03\x01\x02\0".to_owned(),
        String::new(),
    ];
    let lengths = ["+3", "-3", "3, 3", "3 3", "0x3", "", "99999999999999999999999", "3;"].map(length);
    all.extend(others.into_iter().chain(lengths).map(|said| (said, false)));
    all
}

#[tokio::test(start_paused = true)]
async fn every_shape_is_answered_as_hyper_answers_it() {
    for (said, is_plain) in shapes() {
        // Behind one that is plain, too.
        for before in ["", PLAIN] {
            let said = format!("{before}{said}");
            let config = ListenConfig::default();
            let (expected, none) = answers(&[said.as_bytes()], false, config.clone()).await;
            let (found, plain) = answers(&[said.as_bytes()], true, config).await;
            assert_eq!(found, expected, "{said:?}");
            assert_eq!(none, 0);
            assert_eq!(plain > usize::from(!before.is_empty()), is_plain, "{said:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_bounds_of_a_listener_hold_for_plain_requests() {
    let long = PLAIN.replace("host: ", &format!("host: {}", "x".repeat(2000)));
    let many = PLAIN.replace("host: palisade", &"x: 1\r\n".repeat(20));
    for (said, config) in [
        (long, ListenConfig { max_head_bytes: 1024, ..ListenConfig::default() }),
        (many, ListenConfig { max_headers: 10, ..ListenConfig::default() }),
    ] {
        let (expected, _) = answers(&[said.as_bytes()], false, config.clone()).await;
        assert!(expected.contains("431"), "{expected}");
        assert_eq!(answers(&[said.as_bytes()], true, config).await, (expected, 0));
    }
}

/// Requests that are plain, or nearly.
fn said() -> impl Strategy<Value = Vec<u8>> {
    // Whether the rest of an unread body is there already is chance, and so is whether the connection goes on.
    let is_certain = |said: &String| said.len() < 300 && !said.contains("unread");
    let shapes: Vec<String> = shapes().into_iter().map(|(said, _)| said).filter(is_certain).collect();
    let one = (prop::sample::select(shapes), prop::option::of((any::<prop::sample::Index>(), any::<u8>())));
    let one = one.prop_map(|(said, change)| {
        let mut said = said.into_bytes();
        if let Some((at, byte)) = change.filter(|_| !said.is_empty()) {
            let at = at.index(said.len());
            said[at] = byte;
        }
        said
    });
    // hyper reads a head that comes in pieces once there is an empty line, and says nothing where there never is one.
    prop::collection::vec(one, 1..5).prop_map(|all| [&all.concat()[..], b"\r\n\r\n"].concat())
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_are_answered_as_hyper_answers_them(
        said in said(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(said.len() + 1)).collect();
        cuts.sort_unstable();
        let ends = cuts.iter().copied().chain([said.len()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let pieces: Vec<&[u8]> = starts.zip(ends).map(|(start, end)| &said[start..end]).collect();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let (expected, found) = runtime.block_on(async {
            let expected = answers(&pieces, false, ListenConfig::default()).await.0;
            (expected, answers(&pieces, true, ListenConfig::default()).await.0)
        });
        prop_assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(&said));
    }
}

/// How long a connection lives on which this is said and then nothing, and how it ends.
async fn kept(said: &str, drain_after: Option<Duration>) -> (Duration, Result<(), ConnectionError>, String) {
    let shutdown = Shutdown::new();
    let config = ListenConfig { linger: Duration::ZERO, ..ListenConfig::default() };
    let handler = |request: Request<Incoming>, _peer| tell(request);
    let plain: Arc<dyn PlainHandler> = Arc::new(Telling::default());
    let connection = Connection::new(config, None, handler, Some(plain), shutdown.clone());
    let (near, mut far) = tokio::io::duplex(1 << 20);
    let begun = Instant::now();
    let serving = async {
        let ended = connection.receive(near, PEER).await;
        (begun.elapsed(), ended)
    };
    let asking = async {
        far.write_all(said.as_bytes()).await.unwrap();
        if let Some(after) = drain_after {
            tokio::time::sleep(after).await;
            shutdown.advance(Stage::Draining);
        }
        let mut answers = String::new();
        far.read_to_string(&mut answers).await.unwrap();
        answers
    };
    let ((kept, ended), answers) = tokio::join!(serving, asking);
    (kept, ended, answers)
}

#[tokio::test(start_paused = true)]
async fn idle_connections_are_kept_as_long_as_others_even_with_half_a_head() {
    let idle = ListenConfig::default().idle;
    for half in ["", "POST /batches/1 HTTP/1.1\r\nhost: pal"] {
        let (kept, ended, answers) = kept(&format!("{PLAIN}{half}"), None).await;
        assert!(kept >= idle && kept < idle + idle / 5, "{kept:?}");
        assert!(ended.is_ok() && answers.starts_with("HTTP/1.1 200 OK\r\n"), "{ended:?} {answers}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_drain_ends_idle_connections_at_once_and_tells_senders_at_work() {
    let (after, moment) = (Duration::from_secs(1), Duration::from_millis(1));
    let (kept_idle, ended, _) = kept(PLAIN, Some(after)).await;
    assert!(kept_idle < after + moment && ended.is_ok(), "{kept_idle:?}");

    let shutdown = Shutdown::new();
    shutdown.advance(Stage::Leaving);
    let handler = |request: Request<Incoming>, _peer| tell(request);
    let plain: Arc<dyn PlainHandler> = Arc::new(Telling::default());
    let connection = Connection::new(ListenConfig::default(), None, handler, Some(plain), shutdown.clone());
    let (near, mut far) = tokio::io::duplex(1 << 20);
    let asking = async {
        far.write_all(&PLAIN.as_bytes()[..PLAIN.len() - 1]).await.unwrap();
        tokio::time::sleep(moment).await;
        shutdown.advance(Stage::Draining);
        far.write_all(b"c").await.unwrap();
        let mut answer = String::new();
        far.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("connection: close\r\n"), "{answer}");
    };
    let (ended, ()) = tokio::join!(connection.receive(near, PEER), asking);
    ended.unwrap();
}
