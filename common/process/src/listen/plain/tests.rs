//! Whatever a client sends, it gets the responses that hyper alone would have given; and the particular
//! behaviour of plain requests.

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
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::Instant;

use super::{Answering, PlainBody, PlainHandler};
use crate::listen::ListenConfig;
use crate::listen::connection::{Connection, ConnectionError};
use crate::listen::stream::Stream;
use crate::shutdown::{Shutdown, Stage};

/// More than all input of a test.
const STREAM_BYTES: usize = 1 << 20;
const PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 1);

/// Records the requests it received, and the number of plain ones.
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

/// The content of the request, its body too, unless the path asks for the body to be left unread.
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

/// Output to a client that sends these pieces and then no more, and the number of plain requests.
async fn answers(pieces: &[&[u8]], with_plain: bool, config: ListenConfig) -> (String, usize) {
    let telling = Arc::new(Telling::default());
    let plain = with_plain.then(|| Arc::clone(&telling) as Arc<dyn PlainHandler>);
    let handler = |request: Request<Incoming>, _peer| tell(request);
    let connection = Connection::new(config, None, handler, plain, Shutdown::new());
    let (near, mut far) = tokio::io::duplex(STREAM_BYTES);
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
/// the connection without announcing it.
fn without_dates(said: &str) -> String {
    let is_broken = said.contains("broken");
    let left_out = |line: &&str| line.starts_with("date: ") || is_broken && *line == "connection: close";
    let mut lines: Vec<&str> = said.split("\r\n").filter(|line| !left_out(line)).collect();
    lines.sort_unstable();
    lines.join("\n")
}

const PLAIN: &str = "POST /batches/1 HTTP/1.1\r\nhost: palisade\r\ncontent-length: 3\r\n\r\nabc";

fn with(line: &str) -> String {
    PLAIN.replace("host: palisade\r\n", &format!("host: palisade\r\n{line}\r\n"))
}

fn head(line: &str) -> String {
    PLAIN.replace("POST /batches/1 HTTP/1.1", line)
}

fn length(value: &str) -> String {
    PLAIN.replace("content-length: 3", &format!("content-length: {value}"))
}

/// Input of a client, and whether its first request is a plain one.
fn shapes() -> Vec<(String, bool)> {
    let plain = plain_shapes().into_iter().map(|said| (said, true));
    plain.chain(other_shapes().into_iter().map(|said| (said, false))).collect()
}

fn plain_shapes() -> Vec<String> {
    vec![
        PLAIN.to_owned(),
        with("Content-Type: application/x-protobuf\r\nAuthorization: Bearer one two"),
        with("x-text: caf\u{e9}"),
        with("connection: keep-alive"),
        with("Connection: Keep-Alive"),
        with("x-empty:"),
        with("x-twice: one\r\nX-Twice: two"),
        length("0").replace("abc", ""),
        length("003"),
        format!("\r\n{PLAIN}"),
        PLAIN.replace("\r\n", "\n"),
        head("POST /batches/1#part HTTP/1.1"),
        head("POST /batches/1?query=/ HTTP/1.1"),
        head("POST /batches/?/last HTTP/1.1"),
        head("POST http://palisade/batches/1 HTTP/1.1"),
        head("POST /batches/unread HTTP/1.1"),
        PLAIN.replace("abc", "ab"),
        PLAIN.repeat(3),
        PLAIN.to_owned() + &PLAIN.replace("POST", "GET"),
        PLAIN.to_owned() + "nonsense\r\n\r\n",
        PLAIN.to_owned() + "POST /batches/1 HTTP/1.1\r\nhost",
    ]
}

fn other_shapes() -> Vec<String> {
    let others = [
        head("GET /batches/1 HTTP/1.1"),
        head("HEAD /batches/1 HTTP/1.1"),
        head("post /batches/1 HTTP/1.1"),
        head("POST /others/1 HTTP/1.1"),
        head("POST /others?/batches/1 HTTP/1.1"),
        head("POST /batches/1 HTTP/1.0"),
        head("POST /batches/1 HTTP/2.0"),
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
        PLAIN.replace("host: palisade\r\n", ""),
        PLAIN.replace("host: palisade", "host: a/b"),
        with("host: palisade"),
        "POST /batches/1 HTTP/1.1\r\nhost: pal".to_owned(),
        "\x16\x03\x01\x02\0".to_owned(),
        String::new(),
    ];
    let lengths = [
        "+3",
        "-3",
        "3, 3",
        "3 3",
        "0x3",
        "",
        "99999999999999999999999",
        "18446744073709551615",
        "18446744073709551614",
        "3;",
    ]
    .map(length);
    others.into_iter().chain(lengths).collect()
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
    let many = with(&vec!["x: 1"; 20].join("\r\n"));
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
    // It is random whether the rest of an unread body has arrived, and so whether the connection continues.
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
    // hyper parses a head that arrives in pieces once there is an empty line, and does not answer without one.
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

/// A client, and when its connection began.
struct Client {
    stream: DuplexStream,
    begun: Instant,
    shutdown: Shutdown,
}

impl Client {
    async fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// All output to it until the connection ends, and the time taken.
    async fn rest(mut self) -> (String, Duration) {
        let mut said = String::new();
        self.stream.read_to_string(&mut said).await.unwrap();
        (said, self.begun.elapsed())
    }
}

fn config() -> ListenConfig {
    ListenConfig { linger: Duration::ZERO, ..ListenConfig::default() }
}

/// Output to a client over a stream with this many bytes of buffer, and the end of the connection.
async fn converse<C: Future>(
    config: ListenConfig,
    stream_bytes: usize,
    client: impl FnOnce(Client) -> C,
) -> (C::Output, Result<(), ConnectionError>) {
    let shutdown = Shutdown::new();
    let handler = |request: Request<Incoming>, _peer| tell(request);
    let plain: Arc<dyn PlainHandler> = Arc::new(Telling::default());
    let connection = Connection::new(config, None, handler, Some(plain), shutdown.clone());
    let (near, stream) = tokio::io::duplex(stream_bytes);
    let client = client(Client { stream, begun: Instant::now(), shutdown });
    tokio::join!(client, connection.receive(near, PEER))
}

#[tokio::test(start_paused = true)]
async fn idle_connections_are_kept_as_long_as_others_whatever_they_begin() {
    let idle = config().idle;
    // With the last, the connection becomes hyper's late.
    for (later, kept) in
        [("", idle), ("POST /batches/1 HTTP/1.1\r\nhost: pal", idle), ("GET / HTTP/1.1\r\nhost: pal", idle)]
    {
        let client = |mut client: Client| async move {
            client.say(PLAIN).await;
            tokio::time::sleep(idle * 8 / 10).await;
            client.say(later).await;
            client.rest().await
        };
        let ((answers, lived), ended) = converse(config(), STREAM_BYTES, client).await;
        assert!(lived >= kept && lived < kept + kept / 5, "{later:?}: {lived:?}");
        assert!(ended.is_ok() && answers.starts_with("HTTP/1.1 200 OK\r\n"), "{ended:?} {answers}");
    }
    let crowded = ListenConfig { crowd: 0, ..config() };
    let client = |mut client: Client| async move {
        client.say(PLAIN).await;
        client.rest().await
    };
    let ((_, lived), _) = converse(crowded, STREAM_BYTES, client).await;
    assert!(lived < idle / 5, "one of a crowd: {lived:?}");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_byte_by_byte_has_the_time_of_a_first_request() {
    let first_request = config().first_request;
    let client = |mut client: Client| async move {
        for byte in PLAIN.chars() {
            let sent = client.stream.write_all(byte.to_string().as_bytes()).await;
            if sent.is_err() {
                break;
            }
            tokio::time::sleep(first_request / 20).await;
        }
        client.rest().await
    };
    let ((answers, lived), _) = converse(config(), STREAM_BYTES, client).await;
    assert_eq!(answers, "");
    assert!(lived >= first_request && lived < first_request * 11 / 10, "{lived:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_taken_byte_by_byte_is_given_up() {
    let write_stall = config().write_stall;
    for pause in [Duration::from_secs(1), write_stall * 2] {
        let client = |mut client: Client| async move {
            client.say(PLAIN).await;
            let mut taken = 0;
            while let Ok(1) = client.stream.read(&mut [0]).await {
                taken += 1;
                tokio::time::sleep(pause).await;
            }
            taken
        };
        let (taken, ended) = converse(config(), PLAIN.len(), client).await;
        let is_late = |error: &std::io::Error| error.kind() == std::io::ErrorKind::TimedOut;
        assert!(matches!(&ended, Err(ConnectionError::Broken(error)) if is_late(error)), "{ended:?}");
        assert!(taken < 200, "{taken}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_drain_ends_idle_connections_at_once_and_tells_senders_at_work() {
    let (before, moment) = (Duration::from_secs(1), Duration::from_millis(1));
    // Output before the drain, and after it.
    let half = &PLAIN[..20];
    for (said, later) in [(PLAIN, ""), (&PLAIN[..PLAIN.len() - 1], "c"), (half, &PLAIN[20..])] {
        let client = |mut client: Client| async move {
            client.say(said).await;
            tokio::time::sleep(before).await;
            client.shutdown.advance(Stage::Draining);
            client.say(later).await;
            client.rest().await
        };
        let linger = Duration::from_secs(2);
        let ((found, lived), ended) =
            converse(ListenConfig { linger, ..config() }, STREAM_BYTES, client).await;
        assert!(ended.is_ok(), "{said:?}: {ended:?}");
        assert_eq!(found.matches("HTTP/1.1 200 OK\r\n").count(), 1, "{said:?}: {found}");
        assert_eq!(found.contains("connection: close\r\n"), !later.is_empty(), "{said:?}: {found}");
        assert!(lived < before + moment, "{said:?}: {lived:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_given_back_comes_before_what_was_never_read() {
    let (mut far, near) = tokio::io::duplex(STREAM_BYTES);
    let second = Duration::from_secs(1);
    let mut stream = Stream::new(near, Bytes::from_static(b"cd"), None, second, second);
    stream.give_back(b"ab");
    far.write_all(b"ef").await.unwrap();
    let mut read = [0; 6];
    stream.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"abcdef");
}
