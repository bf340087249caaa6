//! Listeners over real sockets: requests served, requests refused, and shutdown.

mod heads;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::connection::Connection;
use super::*;
use crate::shutdown::{Shutdown, Stage};

/// A listener at work, and the handle to end it.
struct Running {
    address: SocketAddr,
    certificates: Option<Certificates>,
    shutdown: Shutdown,
    /// `/wait` answers once this is notified.
    release: Arc<Notify>,
    /// Notified when a request for `/wait` has arrived.
    waiting: Arc<Notify>,
    served: JoinSet<Drained>,
}

/// Time limit of a drain where a test does not care.
const PATIENCE: Duration = Duration::from_secs(25);

fn config() -> ListenConfig {
    ListenConfig::at(SocketAddr::from(([127, 0, 0, 1], 0)))
}

async fn run(config: ListenConfig) -> Running {
    run_with_patience(config, PATIENCE).await
}

async fn run_with_patience(config: ListenConfig, patience: Duration) -> Running {
    let bound = Bound::bind(&config).await.unwrap();
    let (address, certificates) = (bound.address(), bound.certificates());
    let (shutdown, release, waiting) = (Shutdown::new(), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (held, arrived) = (release.clone(), waiting.clone());
    let handler = move |request: Request<Incoming>, _peer: SocketAddr| {
        let (held, arrived) = (held.clone(), arrived.clone());
        async move {
            if request.uri().path() == "/wait" {
                arrived.notify_one();
                held.notified().await;
            }
            let path = request.uri().path().to_owned();
            Response::new(Full::new(Bytes::from(path)))
        }
    };
    let mut served = JoinSet::new();
    served.spawn(bound.serve(handler, shutdown.clone(), patience));
    Running { address, certificates, shutdown, release, waiting, served }
}

impl Running {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn drained(mut self) -> Drained {
        self.shutdown.advance(Stage::Draining);
        self.served.join_next().await.unwrap().unwrap()
    }
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: palisade\r\n\r\n")
}

/// Everything until the peer closes.
async fn rest(mut stream: impl AsyncReadExt + Unpin) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

async fn read_through(stream: &mut (impl AsyncReadExt + Unpin), end: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(end) {
        text.push(char::from(stream.read_u8().await.unwrap()));
    }
    text
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order_even_after_a_half_close() {
    let running = run(config()).await;
    let mut stream = running.connect().await;
    stream.write_all((get("/one") + &get("/two")).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let text = rest(stream).await;
    let (one, two) = (text.find("/one").unwrap(), text.find("/two").unwrap());
    assert!(one < two && text.matches("HTTP/1.1 200").count() == 2, "{text}");
    assert_eq!(running.drained().await, Drained { cut: 0 });
}

#[tokio::test]
async fn http2_is_spoken_with_prior_knowledge() {
    let running = run(config()).await;
    let io = TokioIo::new(running.connect().await);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = Request::get("http://palisade/h2").body(Full::<Bytes>::default()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "/h2");
    // A goodbye, not a broken connection.
    assert_eq!(running.drained().await, Drained { cut: 0 });
    tasks.join_next().await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_head_is_answered_without_a_body_in_both_protocols() {
    let running = run(config()).await;
    let mut stream = running.connect().await;
    stream.write_all(b"HEAD /one HTTP/1.1\r\nhost: palisade\r\nconnection: close\r\n\r\n").await.unwrap();
    let text = rest(stream).await;
    assert!(text.contains("content-length: 4\r\n") && text.ends_with("\r\n\r\n"), "{text}");

    let io = TokioIo::new(running.connect().await);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = Request::head("http://palisade/two").body(Full::<Bytes>::default()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.headers()["content-length"], "4");
    // A body after it would be an error of the stream.
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "");
}

#[test]
fn settings_that_make_no_sense_are_named() {
    assert_eq!(config().check(), Ok(()));
    for (config, message) in [
        (
            ListenConfig { max_connections: 0, ..config() },
            "setting listen.max_connections (PALISADE__LISTEN__MAX_CONNECTIONS) is 0, expected 1 to 1000000",
        ),
        (
            ListenConfig { max_headers: usize::MAX, ..config() },
            "setting listen.max_headers (PALISADE__LISTEN__MAX_HEADERS) is 18446744073709551615, expected 10 to 1000",
        ),
        (
            ListenConfig { idle: Duration::ZERO, ..config() },
            "setting listen.idle_seconds (PALISADE__LISTEN__IDLE_SECONDS) is 0, expected more than 0",
        ),
    ] {
        assert_eq!(config.check().unwrap_err().to_string(), message);
    }
}

#[tokio::test]
async fn silent_and_dribbling_connections_are_closed() {
    let first_request = Duration::from_millis(30);
    let running = run(ListenConfig { first_request, linger: first_request, ..config() }).await;
    let silent = running.connect().await;
    let mut dribbling = running.connect().await;
    dribbling.write_all(b"GET / HTTP/1.1\r\nx-slow: ").await.unwrap();
    assert_eq!(rest(silent).await, "");
    let mut end = Vec::new();
    // A reset is as good as a close.
    let _closed = dribbling.read_to_end(&mut end).await;
    assert!(end.is_empty());
}

#[tokio::test]
async fn idle_connections_are_closed_and_busy_ones_are_not() {
    let idle = Duration::from_millis(30);
    let running = run(ListenConfig { idle, first_request: idle, linger: idle, ..config() }).await;
    let mut idling = running.connect().await;
    idling.write_all(get("/idle").as_bytes()).await.unwrap();
    let mut busy = running.connect().await;
    busy.write_all(get("/wait").as_bytes()).await.unwrap();
    running.waiting.notified().await;
    assert!(rest(idling).await.ends_with("/idle"));
    running.release.notify_one();
    assert!(rest(busy).await.ends_with("/wait"));
}

#[tokio::test]
async fn idle_connections_of_a_crowd_are_closed_sooner() {
    // One alone would be kept for half a minute, one of a crowd for a fifteenth of it.
    let first_request = Duration::from_millis(10);
    let running =
        run(ListenConfig { crowd: 1, idle: Duration::from_secs(15), first_request, ..config() }).await;
    let mut crowd = [running.connect().await, running.connect().await];
    for stream in &mut crowd {
        stream.write_all(get("/idle").as_bytes()).await.unwrap();
        read_through(stream, "/idle").await;
    }
    let [first, _] = crowd;
    let closed = tokio::time::timeout(Duration::from_secs(10), rest(first)).await;
    assert_eq!(closed.as_deref(), Ok(""));
}

#[tokio::test]
async fn silent_connections_of_a_crowd_are_closed_sooner() {
    let directory = tempfile::tempdir().unwrap();
    let tls = write_certificate(directory.path());
    // One alone would be kept for fifteen seconds, one of a crowd for three of them.
    let first_request = Duration::from_secs(15);
    for (tls, said) in [(Some(tls), ""), (None, ""), (None, "PRI"), (None, "GET / HTTP/1.1\r\nx-slow: ")] {
        let linger = Duration::from_millis(10);
        let running = run(ListenConfig { crowd: 1, first_request, linger, tls, ..config() }).await;
        let [mut one, mut other] = [running.connect().await, running.connect().await];
        one.write_all(said.as_bytes()).await.unwrap();
        other.write_all(said.as_bytes()).await.unwrap();
        // Whichever is checked first: without it, the other is no crowd. A reset is as good as a close.
        let (mut byte, mut another) = ([0], [0]);
        let either = async {
            tokio::select! {
                closed = one.read(&mut byte) => closed,
                closed = other.read(&mut another) => closed,
            }
        };
        let closed = tokio::time::timeout(Duration::from_secs(10), either).await;
        assert!(matches!(closed, Ok(Ok(0) | Err(_))), "{said:?}: {closed:?}");
    }
}

/// Lifetime of a connection with a slow client, over a stream in memory.
async fn kept<C: Future<Output = ()>>(
    config: ListenConfig,
    client: impl FnOnce(DuplexStream) -> C,
) -> Duration {
    let certificates = config.tls.as_ref().map(|files| Certificates::load(files).unwrap());
    let handler = |_request: Request<Incoming>, _peer| async { Response::new(Full::<Bytes>::default()) };
    let connection = Connection::new(config, certificates, handler, None, Shutdown::new());
    let (near, far) = tokio::io::duplex(4096);
    let begun = Instant::now();
    let serving = async {
        let _refused = connection.receive(near, SocketAddr::from(([192, 0, 2, 1], 1))).await;
        begun.elapsed()
    };
    tokio::join!(serving, client(far)).0
}

#[tokio::test(start_paused = true)]
async fn a_first_request_has_one_time_for_handshake_protocol_and_head() {
    let config = ListenConfig { linger: Duration::ZERO, ..config() };
    let most_of_it = config.first_request * 8 / 10;
    let first_request = config.first_request;
    // Prefix of an HTTP/2 preface, then a deviation.
    let plain = kept(config.clone(), |mut stream| async move {
        tokio::time::sleep(most_of_it).await;
        stream.write_all(b"PRI").await.unwrap();
        tokio::time::sleep(first_request / 10).await;
        stream.write_all(b"NT / HTTP/1.1\r\n").await.unwrap();
        rest(stream).await;
    });
    assert_eq!(plain.await.as_secs(), first_request.as_secs());

    let directory = tempfile::tempdir().unwrap();
    let files = write_certificate(directory.path());
    let encrypted = kept(ListenConfig { tls: Some(files.clone()), ..config }, |stream| async move {
        tokio::time::sleep(most_of_it).await;
        let mut stream = shake_hands(stream, &files, b"http/1.1").await.unwrap();
        // Closed with or without a goodbye.
        let _closed = stream.read(&mut [0]).await;
    });
    assert_eq!(encrypted.await.as_secs(), first_request.as_secs());
}

#[tokio::test]
async fn an_answer_that_an_http2_peer_opens_no_window_for_is_given_up() {
    /// An answer, counted as long as anybody holds it.
    struct Held(Arc<Vec<u8>>);
    impl AsRef<[u8]> for Held {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    let write_stall = Duration::from_millis(100);
    let bound = Bound::bind(&ListenConfig { write_stall, max_connections: 1, ..config() }).await.unwrap();
    let (address, held) = (bound.address(), Arc::new(vec![b'x'; 100]));
    let given = Arc::clone(&held);
    let handler = move |_request: Request<Incoming>, _peer| {
        let answer = Bytes::from_owner(Held(Arc::clone(&given)));
        async move { Response::new(Full::new(answer)) }
    };
    let mut served = JoinSet::new();
    served.spawn(bound.serve(handler, Shutdown::new(), PATIENCE));
    // None of an answer may be sent, or a byte, with which hyper hands the whole of it on.
    for window in [0, 1] {
        let mut stalled = TcpStream::connect(address).await.unwrap();
        let settings = frame(4, &[0, 4, 0, 0, 0, window]);
        let requests = [1, 3, 5].map(get_over_http2).concat();
        stalled.write_all(&[PREFACE, &settings, &requests].concat()).await.unwrap();
        let mut said = Vec::new();
        let closed = tokio::time::timeout(Duration::from_secs(20), stalled.read_to_end(&mut said)).await;
        assert!(closed.is_ok(), "the connection is kept with a window of {window}");
        assert!(said.windows(4).any(|head| head == [1, 4, 0, 0]), "no answer began: {said:?}");
        while Arc::strong_count(&held) > 2 {
            tokio::task::yield_now().await;
        }
    }
    // The only place is free again.
    let mut second = TcpStream::connect(address).await.unwrap();
    second.write_all(get("/").as_bytes()).await.unwrap();
    assert!(read_through(&mut second, "\r\n").await.starts_with("HTTP/1.1 200"));
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A frame of HTTP/2 on the connection itself.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    [&[0, 0, payload.len() as u8, kind, 0, 0, 0, 0, 0], payload].concat()
}

/// A GET of `/` over HTTP/2 (RFC 7541 appendix A), whole.
fn get_over_http2(stream: u8) -> Vec<u8> {
    [[0, 0, 3, 1, 5, 0, 0, 0, stream].as_slice(), &[0x82, 0x86, 0x84]].concat()
}

#[tokio::test]
async fn floods_of_frames_that_ask_for_nothing_end_their_connection() {
    let running = run(config()).await;
    let (settings, ping) = (frame(4, &[0, 4, 0, 0, 255, 255]), frame(6, &[7; 8]));
    // A permitted one, and a reset of a stream answered long ago.
    let (window, reset) = (frame(8, &[0, 0, 0, 1]), [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8].to_vec());
    for flood in [settings, ping, window, reset] {
        let (mut reading, mut writing) = running.connect().await.into_split();
        writing.write_all(&[PREFACE, &frame(4, &[]), &get_over_http2(1)].concat()).await.unwrap();
        // Answered or not, they end; writing may fail once the connection is closed.
        let flood = flood.repeat(30_000);
        let sending = writing.write_all(&flood);
        let mut answers = Vec::new();
        let both = async { tokio::join!(reading.read_to_end(&mut answers), sending) };
        let ended = tokio::time::timeout(Duration::from_secs(20), both).await;
        assert!(ended.is_ok(), "the connection is kept");
        assert!(answers.len() < 20_000, "{} bytes of answers", answers.len());
    }
    let mut stream = running.connect().await;
    stream.write_all(get("/others").as_bytes()).await.unwrap();
    read_through(&mut stream, "/others").await;
}

#[tokio::test]
async fn connections_above_the_cap_wait_for_their_turn() {
    let running = run(ListenConfig { max_connections: 1, ..config() }).await;
    let mut first = running.connect().await;
    first.write_all(get("/wait").as_bytes()).await.unwrap();
    running.waiting.notified().await;
    let mut second = running.connect().await;
    second.write_all(get("/second").as_bytes()).await.unwrap();
    running.release.notify_one();
    read_through(&mut first, "/wait").await;
    let early = tokio::time::timeout(Duration::from_millis(30), second.read_u8()).await;
    assert!(early.is_err(), "the second connection was served beside the first");
    drop(first);
    read_through(&mut second, "/second").await;
}

#[tokio::test]
async fn the_drain_lets_requests_finish_but_not_for_ever() {
    let running = run(config()).await;
    let mut stream = running.connect().await;
    stream.write_all(get("/wait").as_bytes()).await.unwrap();
    running.waiting.notified().await;
    running.shutdown.advance(Stage::Draining);
    running.release.notify_one();
    assert!(rest(stream).await.ends_with("/wait"));
    assert_eq!(running.drained().await, Drained { cut: 0 });

    let running = run_with_patience(config(), Duration::from_millis(30)).await;
    let mut stream = running.connect().await;
    stream.write_all(get("/wait").as_bytes()).await.unwrap();
    running.waiting.notified().await;
    assert_eq!(running.drained().await, Drained { cut: 1 });
}

#[tokio::test]
async fn a_handler_that_panics_ends_its_connection_only() {
    let bound = Bound::bind(&config()).await.unwrap();
    let (address, shutdown) = (bound.address(), Shutdown::new());
    let handler = |request: Request<Incoming>, _peer| async move {
        assert_ne!(request.uri().path(), "/panic", "as asked");
        Response::new(Full::<Bytes>::default())
    };
    let mut served = JoinSet::new();
    served.spawn(bound.serve(handler, shutdown.clone(), PATIENCE));
    let mut broken = TcpStream::connect(address).await.unwrap();
    broken.write_all(get("/panic").as_bytes()).await.unwrap();
    assert_eq!(rest(broken).await, "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(get("/").as_bytes()).await.unwrap();
    assert!(read_through(&mut stream, "\r\n").await.starts_with("HTTP/1.1 200"));
}

/// Writes a fresh certificate for `palisade.test` and its key.
fn write_certificate(directory: &Path) -> TlsConfig {
    let made = rcgen::generate_simple_self_signed(["palisade.test".to_owned()]).unwrap();
    let files = TlsConfig {
        certificate_file: directory.join("certificate.pem"),
        key_file: directory.join("key.pem"),
    };
    std::fs::write(&files.certificate_file, made.cert.pem()).unwrap();
    std::fs::write(&files.key_file, made.signing_key.serialize_pem()).unwrap();
    files
}

/// Shakes hands, trusting only the certificate currently in the file.
async fn shake_hands<T: AsyncRead + AsyncWrite + Unpin>(
    stream: T,
    files: &TlsConfig,
    protocol: &[u8],
) -> io::Result<tokio_rustls::client::TlsStream<T>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&files.certificate_file).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let name = ServerName::try_from("palisade.test").unwrap();
    tokio_rustls::TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

#[tokio::test]
async fn tls_serves_both_protocols_and_takes_a_new_certificate() {
    let directory = tempfile::tempdir().unwrap();
    let files = write_certificate(directory.path());
    let running = run(ListenConfig { tls: Some(files.clone()), ..config() }).await;

    let mut stream = shake_hands(running.connect().await, &files, b"http/1.1").await.unwrap();
    stream.write_all(get("/tls").as_bytes()).await.unwrap();
    read_through(&mut stream, "/tls").await;

    let stream = shake_hands(running.connect().await, &files, b"h2").await.unwrap();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { Ok::<_, Infallible>(connection.await.is_ok()) });
    let request = Request::get("https://palisade.test/h2").body(Full::<Bytes>::default()).unwrap();
    assert_eq!(sender.send_request(request).await.unwrap().status(), 200);

    write_certificate(directory.path());
    assert!(shake_hands(running.connect().await, &files, b"h2").await.is_err());
    let certificates = running.certificates.clone().unwrap();
    certificates.reload().unwrap();
    shake_hands(running.connect().await, &files, b"h2").await.unwrap();

    std::fs::write(&files.key_file, "not a key").unwrap();
    assert!(
        matches!(certificates.reload(), Err(CertificateError::Pem { path, .. }) if path == files.key_file)
    );
    shake_hands(running.connect().await, &files, b"h2").await.unwrap();
}

#[tokio::test]
async fn a_peer_that_reads_nothing_is_cut_off() {
    let write_stall = Duration::from_millis(30);
    let bound = Bound::bind(&ListenConfig { write_stall, max_connections: 1, ..config() }).await.unwrap();
    let (address, shutdown) = (bound.address(), Shutdown::new());
    let handler = |_request: Request<Incoming>, _peer| async {
        // More than any socket buffer on the way holds.
        Response::new(Full::new(Bytes::from(vec![b'x'; 64 * 1024 * 1024])))
    };
    let mut served = JoinSet::new();
    served.spawn(bound.serve(handler, shutdown.clone(), PATIENCE));
    let mut stalled = TcpStream::connect(address).await.unwrap();
    stalled.write_all(get("/").as_bytes()).await.unwrap();
    // The only place is free again once the first connection has been cut.
    let mut second = TcpStream::connect(address).await.unwrap();
    second.write_all(get("/").as_bytes()).await.unwrap();
    assert!(read_through(&mut second, "\r\n").await.starts_with("HTTP/1.1 200"));
    drop(stalled);
}
