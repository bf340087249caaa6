//! Whom attacks come from: an address of their own where there is one, and the next port for each connection.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpSocket, TcpStream};

/// Whom attacks come from, where the server is on 127.0.0.1: somebody else than the well-behaved client, whom
/// what the server does against one address must not touch.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Asked for any port, Linux looks for one the longer the more are taken, 0.2 ms at 8,000, and serves nobody else on
/// that core meanwhile: neither the well-behaved client. The lowest are for whom the system trusts.
const PORTS: RangeInclusive<u16> = 1_024..=65_535;
/// Ports that are tried for a connection: others have some, and those of connections just over may be held.
const TRIES: usize = 64;

/// Connects from one port after the other.
#[derive(Debug, Default)]
pub(super) struct Attacker {
    connected: AtomicUsize,
}

impl Attacker {
    /// Connects.
    pub(super) async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        if to.ip() != IpAddr::V4(Ipv4Addr::LOCALHOST) {
            return TcpStream::connect(to).await;
        }
        let mut tried = 1;
        loop {
            match connect(self.next_port(), to).await {
                Err(error) if is_taken(&error) && tried < TRIES => tried += 1,
                connected => return connected,
            }
        }
    }

    fn next_port(&self) -> u16 {
        let nth = self.connected.fetch_add(1, Ordering::Relaxed) % PORTS.len();
        PORTS.start() + u16::try_from(nth).unwrap_or_default()
    }
}

async fn connect(from_port: u16, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    // Ports of connections that are over are taken again.
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((ADDRESS, from_port)))?;
    socket.connect(to).await
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn each_connection_has_a_port_of_its_own_and_those_that_are_taken_are_passed_over() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let to = server.local_addr().unwrap();
        let other = TcpListener::bind((ADDRESS, 0)).await.unwrap();
        let taken = other.local_addr().unwrap().port();
        let attacker = Attacker { connected: AtomicUsize::new(usize::from(taken - PORTS.start())) };

        let mut held = Vec::new();
        for _ in 0..100 {
            held.push(attacker.connect(to).await.unwrap());
        }

        let mut ports: Vec<u16> = held.iter().map(|stream| stream.local_addr().unwrap().port()).collect();
        assert!(held.iter().all(|stream| stream.local_addr().unwrap().ip() == IpAddr::V4(ADDRESS)));
        assert!(!ports.contains(&taken), "{taken} in {ports:?}");
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 100);
    }

    #[test]
    fn behind_the_last_port_is_the_first() {
        let attacker = Attacker { connected: AtomicUsize::new(PORTS.len() - 1) };
        assert_eq!([attacker.next_port(), attacker.next_port()], [65_535, 1_024]);
    }
}
