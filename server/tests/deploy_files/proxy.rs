//! The proxy of a distributed deployment: a real nginx with the file's own directives, between a client and two
//! listeners that stand for ingestion and the API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use crate::http::Request;
use crate::machine::{Daemon, free_port, or_skip, program};
use crate::text;

const LOGS: &str = "/api/v1/infrastructure/sources/67e55044-10b1-426f-9247-bb680e5fe0c8/v1/logs";
/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// nginx, and the listeners behind it.
struct Proxy {
    address: SocketAddr,
    /// Pieces of bodies that ingestion received, as they arrived.
    pieces: Receiver<Vec<u8>>,
    _daemon: Daemon,
    _directory: tempfile::TempDir,
}

impl Proxy {
    fn start(nginx: &std::path::Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (sender, pieces) = sync_channel(64);
        let ingest = serve("ingest", move |piece| sender.send(piece.to_vec()).unwrap());
        let api = serve("api", |_| {});
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let mut settings = text("deploy/compose/proxy/nginx.conf");
        for (ours, here) in [
            ("listen 8080;", format!("listen {address};")),
            ("ingest:8080;", format!("{ingest};")),
            ("api:8080;", format!("{api};")),
            (" /tmp/", format!(" {}/", directory.path().display())),
        ] {
            assert!(settings.contains(ours), "nginx.conf has no {ours}");
            settings = settings.replace(ours, &here);
        }
        let file = directory.path().join("nginx.conf");
        std::fs::write(&file, settings).unwrap();
        let words = ["-p", ".", "-g", "daemon off; master_process off;", "-c"].map(std::ffi::OsString::from);
        let arguments = words.into_iter().chain([file.into_os_string()]);
        let daemon = Daemon::start(nginx, arguments, &directory.path().join("error.log"));
        wait_until_it_listens(address);
        Self { address, pieces, _daemon: daemon, _directory: directory }
    }
}

fn wait_until_it_listens(address: SocketAddr) {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < PATIENCE, "nginx does not listen on {address}");
        // Polls another process, whose clock the test cannot control.
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Answers every request with a name; reports each piece of a body as it arrives.
fn serve(name: &'static str, told: impl Fn(&[u8]) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        // One connection at a time: the tests send one request after the other.
        for connection in listener.incoming() {
            let mut reader = BufReader::new(connection.unwrap());
            let (hosts, mut left) = hosts_and_body_length(&mut reader);
            assert_eq!(hosts, 1, "what Palisade answers 400 to");
            let mut buffer = [0; 64 * 1024];
            while left > 0 {
                let read = reader.read(&mut buffer).unwrap();
                assert!(read > 0, "the body ended early");
                told(&buffer[..read]);
                left -= read;
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{name}",
                name.len()
            );
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

fn hosts_and_body_length(reader: &mut impl BufRead) -> (usize, usize) {
    let (mut hosts, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            return (hosts, length);
        }
        hosts += usize::from(line.starts_with("host: "));
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
    }
}

#[test]
fn logs_go_to_ingestion_and_everything_else_to_the_api() {
    let Some(nginx) = or_skip("the proxy", program("nginx")) else { return };
    let proxy = Proxy::start(&nginx);
    for (method, path, expected) in [
        ("POST", LOGS, "ingest"),
        ("GET", LOGS, "ingest"),
        ("POST", "/api/v1/infrastructure/sources", "api"),
        ("GET", "/api/v1/infrastructure/sources/67e55044-10b1-426f-9247-bb680e5fe0c8", "api"),
        ("POST", "/api/v1/infrastructure/sources/a/b/v1/logs", "api"),
        ("GET", "/api/v1/incidents?q=/v1/logs", "api"),
        ("GET", "/readyz", "api"),
    ] {
        let response = Request::new(method, path).send(proxy.address);
        assert_eq!((response.status, response.text().as_str()), (200, expected), "{method} {path}");
    }
}

#[test]
fn a_client_of_http_1_0_need_not_name_its_host() {
    let Some(nginx) = or_skip("the proxy", program("nginx")) else { return };
    let proxy = Proxy::start(&nginx);
    let mut stream = TcpStream::connect(proxy.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(b"GET /readyz HTTP/1.0\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(" 200 OK") && answer.ends_with("api"), "{answer}");
}

#[test]
fn a_body_is_passed_on_while_it_arrives_however_large_it_is() {
    let Some(nginx) = or_skip("the proxy", program("nginx")) else { return };
    let proxy = Proxy::start(&nginx);
    let (first, rest) = (vec![b'a'; 32 * 1024], vec![b'b'; 6 * 1024 * 1024]);
    let mut stream = TcpStream::connect(proxy.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = first.len() + rest.len();
    let head =
        format!("POST {LOGS} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&first).unwrap();
    let mut received = proxy.pieces.recv_timeout(PATIENCE).unwrap();
    assert!(received.iter().all(|byte| *byte == b'a'), "the rest was not sent yet");
    let sending = std::thread::spawn(move || {
        stream.write_all(&rest).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    while received.len() < length {
        received.extend(proxy.pieces.recv_timeout(PATIENCE).unwrap());
    }
    assert!(sending.join().unwrap().ends_with("ingest"));
}
