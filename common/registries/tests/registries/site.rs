//! A file server on loopback, and a client of registries that leads to it.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use outbound::{Outbound, Requester, Resolve};
use registries::{Access, Config, Registries, Registry};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

/// A file, or another reply.
#[derive(Clone)]
pub(crate) struct File {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    /// Bytes that are sent of the announced ones.
    pub(crate) sent: usize,
    /// Whether a request is noted and never answered, until the client closes the connection.
    pub(crate) is_held: bool,
}

impl File {
    pub(crate) fn of(body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let sent = body.len();
        Self { status: 200, headers: String::new(), body, sent, is_held: false }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self { status, ..Self::of("") }
    }

    pub(crate) fn held() -> Self {
        Self { is_held: true, ..Self::of("") }
    }

    pub(crate) fn redirect(to: &str) -> Self {
        Self { status: 302, headers: format!("location: {to}\r\n"), ..Self::of("") }
    }

    pub(crate) fn tagged(body: impl Into<Vec<u8>>, etag: &str) -> Self {
        Self { headers: format!("etag: {etag}\r\n"), ..Self::of(body) }
    }

    pub(crate) fn truncated(body: impl Into<Vec<u8>>) -> Self {
        let file = Self::of(body);
        Self { sent: file.body.len() / 2, ..file }
    }
}

/// The server.
pub(crate) struct Site {
    pub(crate) url: String,
    files: Arc<Mutex<HashMap<String, File>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Site {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let site = Self {
            url: format!("http://{}", listener.local_addr().unwrap()),
            files: Arc::default(),
            asked: Arc::default(),
        };
        let (files, asked) = (Arc::clone(&site.files), Arc::clone(&site.asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (files, asked) = (Arc::clone(&files), Arc::clone(&asked));
                tokio::spawn(async move {
                    let _: io::Result<()> = answer(stream, &files, &asked).await;
                });
            }
        });
        site
    }

    pub(crate) fn put(&self, path: &str, file: File) {
        self.files.lock().unwrap().insert(path.to_owned(), file);
    }

    /// Method, path and the answer to `If-None-Match` of each request so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// A client whose registries are all on this server.
    pub(crate) fn client(&self) -> Client {
        self.client_with(|_| {})
    }

    pub(crate) fn client_with(&self, change: impl FnOnce(&mut Config)) -> Client {
        let here = Registry::at(&self.url);
        let mut config = Config {
            npm: here.clone(),
            pypi: here.clone(),
            go: here.clone(),
            rubygems: here.clone(),
            crates_index: here.clone(),
            crates_api: here,
            ..Config::default()
        };
        change(&mut config);
        let clock = Arc::new(ManualClock::new(Timestamp(1_783_512_000_000_000_000)));
        let way = outbound::Config {
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            ..outbound::Config::default()
        };
        let outbound = Outbound::new(&way, Arc::new(Internal), clock.clone()).unwrap();
        Client { registries: Registries::new(config, Arc::new(outbound), clock.clone(), None), clock }
    }
}

/// A client and its clock.
pub(crate) struct Client {
    pub(crate) registries: Registries,
    clock: Arc<ManualClock>,
}

impl Client {
    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}

pub(crate) fn access() -> Access {
    Requester::background(OrganizationId(Uuid::from_u128(1))).into()
}

/// Every name leads to an address that is not public.
struct Internal;

#[async_trait]
impl Resolve for Internal {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec!["10.0.0.1".parse().unwrap()])
    }
}

async fn answer(
    mut stream: TcpStream,
    files: &Mutex<HashMap<String, File>>,
    asked: &Mutex<Vec<String>>,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let byte = stream.read_u8().await?;
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    // The go command escapes the mark of capital letters in paths, the client does not.
    let path = head.split(' ').nth(1).unwrap_or_default().replace("%21", "!");
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let accept = header("accept").unwrap_or_default();
    let found = {
        let files = files.lock().unwrap();
        files.get(&format!("{path} {accept}")).or_else(|| files.get(&path)).cloned()
    };
    let mut file = found.unwrap_or_else(|| File::status(404));
    let wanted = header("if-none-match");
    let is_current = wanted.is_some_and(|tag| file.headers.contains(&format!("etag: {tag}\r\n")));
    if is_current {
        file = File { status: 304, body: Vec::new(), sent: 0, ..file };
    }
    asked.lock().unwrap().push(format!("{path} {}", file.status));
    if file.is_held {
        return stream.read_u8().await.map(drop);
    }
    let length = if is_current { String::new() } else { format!("content-length: {}\r\n", file.body.len()) };
    let reply =
        format!("HTTP/1.1 {} Reply\r\n{}{length}connection: close\r\n\r\n", file.status, file.headers);
    stream.write_all(reply.as_bytes()).await?;
    stream.write_all(&file.body[..file.sent]).await?;
    stream.shutdown().await
}

/// Runs a program; `None`, with a line of output, where it is missing or fails.
pub(crate) fn run(command: &mut std::process::Command) -> Option<String> {
    match command.output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        other => {
            let cause = other.map_or_else(
                |error| error.to_string(),
                |output| String::from_utf8_lossy(&output.stderr).into_owned(),
            );
            println!("skipped: {command:?}: {cause}");
            None
        }
    }
}
