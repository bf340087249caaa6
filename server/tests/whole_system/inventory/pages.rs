//! A web server within the test, for scenarios that need no particular program.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::websites::Files;

/// Serves files and records the paths of requests, until dropped.
pub(crate) struct Pages {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Pages {
    pub(crate) fn start(files: Files) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (requested, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (recorded, stopping) = (Arc::clone(&requested), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopping.load(Ordering::SeqCst) {
                    return;
                }
                answer(stream.unwrap(), &files, &recorded);
            }
        });
        Self { address, requested, stop, thread: Some(thread) }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Paths of its requests, in order.
    pub(crate) fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap().clone()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Answers one request of a connection and closes it. The client may be killed at any moment.
fn answer(mut stream: TcpStream, files: &Files, requested: &Mutex<Vec<String>>) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Ok(length @ 1..) = reader.read_line(&mut head) {
        if length <= 2 {
            break;
        }
    }
    let Some(path) = head.split(' ').nth(1) else { return };
    requested.lock().unwrap().push(path.to_owned());
    let (status, body) = files.get(path).map_or(("404 Not Found", ""), |body| ("200 OK", body));
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/html\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}
