//! A name server on loopback for tests (RFC 1035): answers for a few names, denies others, and is silent for some.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Bytes in front of the question.
const HEADER_BYTES: usize = 12;
/// The question for IPv4 addresses.
const TYPE_A: [u8; 2] = [0, 1];
/// Delay in noticing the end of the test.
const TURN: Duration = Duration::from_millis(50);

/// A name server, until dropped.
pub(crate) struct NameServer {
    address: SocketAddr,
    silently: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NameServer {
    /// Answers questions for names that end in `receiver.test` with an address, is silent for names that end in
    /// `silent.test`, and denies all others.
    pub(crate) fn start(receiver: Ipv4Addr) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        socket.set_read_timeout(Some(TURN)).unwrap();
        let address = socket.local_addr().unwrap();
        let (stop, silently) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (stopping, counted) = (Arc::clone(&stop), Arc::clone(&silently));
        let thread = thread::spawn(move || {
            let mut buffer = [0; 512];
            while !stopping.load(Ordering::Relaxed) {
                let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
                let question = &buffer[..length];
                let name = name_of(question);
                if name.ends_with("silent.test.") {
                    counted.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                let known = name.ends_with("receiver.test.").then_some(receiver);
                let _ = socket.send_to(&answer(question, known), from);
            }
        });
        Self { address, silently, stop, thread: Some(thread) }
    }

    /// As the setting `outbound.name_servers` in the environment.
    pub(crate) fn setting(&self) -> String {
        format!(r#"["{}"]"#, self.address)
    }

    /// Number of questions without an answer.
    pub(crate) fn unanswered(&self) -> usize {
        self.silently.load(Ordering::Relaxed)
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The name of the question.
fn name_of(message: &[u8]) -> String {
    let (mut name, mut at) = (String::new(), HEADER_BYTES);
    while message[at] != 0 {
        let end = at + 1 + usize::from(message[at]);
        name.push_str(&String::from_utf8_lossy(&message[at + 1..end]).to_lowercase());
        name.push('.');
        at = end;
    }
    name
}

/// An address for a question for IPv4 addresses, no records for others, and "no such name" without an address.
fn answer(question: &[u8], address: Option<Ipv4Addr>) -> Vec<u8> {
    let end = HEADER_BYTES + name_of(question).len() + 1 + 4;
    let code = if address.is_some() { 0 } else { 3 };
    let address = address.filter(|_| question[end - 4..end - 2] == TYPE_A);
    let mut message = question[..2].to_vec();
    message.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
    message.extend(&question[HEADER_BYTES..end]);
    if let Some(address) = address {
        // The name of the question, type, class IN, 60 s, four bytes.
        message.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        message.extend(address.octets());
    }
    message
}
