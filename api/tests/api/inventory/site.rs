//! A site on loopback that records its requests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};

/// Pages by path: content type and body, a status of an error, or no type and `Location`.
type Pages = BTreeMap<String, (&'static str, String)>;

/// A site, until dropped.
pub(crate) struct Site {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    pages: Mutex<Pages>,
    /// Head of every request.
    requests: Mutex<Vec<String>>,
    held: Mutex<Held>,
    released: Condvar,
    stop: AtomicBool,
}

/// A path whose requests wait.
#[derive(Default)]
struct Held {
    path: Option<String>,
    is_reached: bool,
}

impl Site {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (address, shared) = (listener.local_addr().unwrap(), Arc::new(Shared::default()));
        let serving = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.stop.load(Ordering::SeqCst) {
                    return;
                }
                answer(stream.unwrap(), &serving);
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn page(&self, path: &str, body: &str) -> &Self {
        self.put(path, "text/html", body)
    }

    pub(crate) fn put(&self, path: &str, kind: &'static str, body: &str) -> &Self {
        self.shared.pages.lock().unwrap().insert(path.to_owned(), (kind, body.to_owned()));
        self
    }

    pub(crate) fn redirect(&self, path: &str, target: &str) -> &Self {
        self.put(path, "", target)
    }

    /// Lets requests of a path wait until [`Site::release`].
    pub(crate) fn hold(&self, path: &str) {
        *self.shared.held.lock().unwrap() = Held { path: Some(path.to_owned()), is_reached: false };
    }

    /// Whether a request waits.
    pub(crate) fn is_held(&self) -> bool {
        self.shared.held.lock().unwrap().is_reached
    }

    pub(crate) fn release(&self) {
        *self.shared.held.lock().unwrap() = Held::default();
        self.shared.released.notify_all();
    }

    pub(crate) fn remove(&self, path: &str) {
        self.shared.pages.lock().unwrap().remove(path);
    }

    /// Heads of all requests so far; they are forgotten.
    pub(crate) fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.requests.lock().unwrap())
    }

    /// Paths of requests so far.
    pub(crate) fn requested(&self) -> BTreeSet<String> {
        let heads = self.requests();
        heads.iter().map(|head| head.split(' ').nth(1).unwrap().to_owned()).collect()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.release();
        self.shared.stop.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Answers one request of a connection and closes it.
fn answer(mut stream: TcpStream, shared: &Shared) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Ok(length @ 1..) = reader.read_line(&mut head) {
        if length <= 2 {
            break;
        }
    }
    let Some(path) = head.split(' ').nth(1).map(str::to_owned) else { return };
    let page = shared.pages.lock().unwrap().get(&path).cloned();
    shared.requests.lock().unwrap().push(head);
    let mut held = shared.held.lock().unwrap();
    while held.path.as_ref() == Some(&path) {
        held.is_reached = true;
        held = shared.released.wait(held).unwrap();
    }
    drop(held);
    let answer = match page {
        Some(("", target)) => format!("HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\n"),
        Some((status @ "503", _)) => format!("HTTP/1.1 {status} Unavailable\r\ncontent-length: 0\r\n"),
        Some((kind, body)) => {
            let length = body.len();
            format!(
                "HTTP/1.1 200 OK\r\nserver: nginx/1.25.3\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            )
        }
        None => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n".to_owned(),
    };
    let end = if answer.contains("\r\n\r\n") { "" } else { "connection: close\r\n\r\n" };
    // The client may have gone.
    let _ = stream.write_all(format!("{answer}{end}").as_bytes());
}
