//! A receiver of webhooks on loopback: one thread that records every request and gives the configured answer.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::server::wait_for;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    /// The value of a header, which must be there.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        &found.unwrap_or_else(|| panic!("no {name} in {:?}", self.headers)).1
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Answer to requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Status(u16),
    /// None: the connection is closed once the request was read.
    Nothing,
}

/// See the module.
pub(crate) struct Receiver {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    answer: Answer,
    received: Vec<Received>,
}

impl Receiver {
    pub(crate) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State { answer, received: Vec::new() }));
        let receiving = Arc::clone(&state);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A killed sender breaks off; the next connection is served all the same.
                let _ = receive(stream, &receiving);
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn answer_with(&self, answer: Answer) {
        self.state.lock().unwrap().answer = answer;
    }

    /// All received requests, once there are `count`.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<Received> {
        wait_for(&format!("{count} requests"), || {
            let received = self.state.lock().unwrap().received.clone();
            (received.len() >= count).then_some(received)
        })
    }
}

fn receive(mut stream: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut bytes = Vec::new();
    let mut buffer = [0; 8_192];
    let (headers, body_at) = loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break (headers(&bytes[..end]), end + 4);
        }
    };
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    while bytes.len() < body_at + length {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    let received = Received { headers, body: bytes[body_at..].to_vec() };
    let answer = {
        let mut state = state.lock().unwrap();
        state.received.push(received);
        state.answer
    };
    match answer {
        Answer::Status(status) => {
            let reply = format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            stream.write_all(reply.as_bytes())
        }
        Answer::Nothing => Ok(()),
    }
}

fn headers(head: &[u8]) -> Vec<(String, String)> {
    let head = std::str::from_utf8(head).unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
    head.lines().skip(1).filter_map(pair).collect()
}
