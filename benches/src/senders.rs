//! Senders over loopback: each holds one connection and sends its next request when the last is
//! answered. Plain blocking sockets, so that next to nothing is spent beside the server that is measured.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::bodies::{Form, gzip};
use crate::records::records;

/// Most bytes of an answer: a redacted text of 64 KiB, escaped in JSON.
const MOST_ANSWER_BYTES: usize = 256 * 1024;

/// A request as it goes over the wire.
#[must_use]
pub fn post(target: &Target, media_type: &str, encoding: &str, body: &[u8]) -> Vec<u8> {
    let Target { address, path, key } = target;
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n\
         content-type: {media_type}\r\n{encoding}content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// Target and its API key.
#[derive(Clone, Debug)]
pub struct Target {
    /// The server.
    pub address: SocketAddr,
    /// The path of the requests.
    pub path: String,
    /// The API key.
    pub key: String,
}

/// Form of the bodies.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// The form of the records.
    pub form: Form,
    /// Whether bodies are compressed.
    pub is_gzip: bool,
    /// Records in a request.
    pub records: usize,
    /// Number of different bodies.
    pub bodies: u64,
    /// Connections, each with one request under way.
    pub connections: usize,
}

impl Load {
    /// The requests, head and body, as they go over the wire.
    #[must_use]
    pub fn requests(&self, target: &Target) -> Vec<Vec<u8>> {
        (0..self.bodies).map(|seed| self.request(target, seed)).collect()
    }

    fn request(&self, target: &Target, seed: u64) -> Vec<u8> {
        let body = self.form.body(&records(self.records, seed));
        let (body, encoding) =
            if self.is_gzip { (gzip(&body), "content-encoding: gzip\r\n") } else { (body, "") };
        post(target, self.form.media_type(), encoding, &body)
    }
}

/// Senders at work; they end when [`Senders::stop`] is called.
#[derive(Debug)]
pub struct Senders {
    shared: Arc<Shared>,
    threads: Vec<thread::JoinHandle<io::Result<()>>>,
}

#[derive(Debug, Default)]
struct Shared {
    accepted: AtomicU64,
    stop: AtomicBool,
}

impl Senders {
    /// Connects and begins to send requests, each connection from another one on.
    #[must_use]
    pub fn start(requests: Vec<Vec<u8>>, connections: usize, address: SocketAddr) -> Self {
        let requests = Arc::new(requests);
        let shared = Arc::new(Shared::default());
        let threads = (0..connections)
            .map(|first| {
                let (requests, shared) = (Arc::clone(&requests), Arc::clone(&shared));
                thread::spawn(move || send(address, &requests, first, &shared))
            })
            .collect();
        Self { shared, threads }
    }

    /// Requests answered with 200 so far.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.shared.accepted.load(Ordering::Relaxed)
    }

    /// Lets every sender finish its request.
    ///
    /// # Errors
    /// Reason why a sender ended early: a connection that broke, an answer other than 200.
    pub fn stop(self) -> io::Result<()> {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().map_err(|_| io::Error::other("a sender panicked"))??;
        }
        Ok(())
    }
}

fn send(address: SocketAddr, requests: &[Vec<u8>], first: usize, shared: &Shared) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut answer = Vec::with_capacity(MOST_ANSWER_BYTES);
    for request in requests.iter().cycle().skip(first % requests.len().max(1)) {
        if shared.stop.load(Ordering::Relaxed) {
            break;
        }
        stream.write_all(request)?;
        read_answer(&mut stream, &mut answer)?;
        if !answer.starts_with(b"HTTP/1.1 200 ") {
            let text = String::from_utf8_lossy(&answer).into_owned();
            return Err(io::Error::other(format!("expected 200, the answer is {text}")));
        }
        shared.accepted.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// Reads one answer, head and body.
fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<()> {
    answer.clear();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece)?;
        answer.extend_from_slice(piece.get(..count).unwrap_or_default());
        if count == 0 || answer.len() > MOST_ANSWER_BYTES {
            return Err(io::Error::other(format!("the answer breaks off after {} bytes", answer.len())));
        }
        if answer_bytes(answer).is_some_and(|expected| answer.len() >= expected) {
            return Ok(());
        }
    }
}

/// Length of the answer at the front, once its head is complete.
fn answer_bytes(answer: &[u8]) -> Option<usize> {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(answer.get(..head)?).ok()?;
    let length = text.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    Some(head + length.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_length_says() {
        assert_eq!(answer_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"), None);
        assert_eq!(answer_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), Some(40));
        assert_eq!(answer_bytes(b"HTTP/1.1 200 OK\r\n\r\n"), Some(19));
    }
}
