//! Addresses of attackers: a separate address if there is one, and the next port for each connection.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpSocket, TcpStream};

/// Address of attackers, if the server is on 127.0.0.1: different from that of the well-behaved client,
/// which the server's measures against one address must not affect.
const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// If any port is requested, Linux searches longer the more are in use (0.2 ms each, averaged over 8,000), and nothing else
/// runs on that core meanwhile, not even the well-behaved client. Ports below 1,024 need a privilege.
const PORTS: RangeInclusive<u16> = 1_024..=65_535;

/// Connects from one port after the other.
#[derive(Debug, Default)]
pub(super) struct Attacker {
    ports_given: AtomicUsize,
}

impl Attacker {
    /// Connects to a server on 127.0.0.1 from the next free port of the attackers' address, to any other from the
    /// default address. A port may be in use, or its last connection to this server not be closed:
    /// each is tried once.
    pub(super) async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        if to.ip() != IpAddr::V4(Ipv4Addr::LOCALHOST) {
            return TcpStream::connect(to).await;
        }
        let mut tries = 1;
        loop {
            match connect(self.next_port(), to).await {
                Err(error) if is_taken(&error) && tries < PORTS.len() => tries += 1,
                connected => return connected,
            }
        }
    }

    fn next_port(&self) -> u16 {
        let nth = self.ports_given.fetch_add(1, Ordering::Relaxed) % PORTS.len();
        PORTS.start() + u16::try_from(nth).unwrap_or_default()
    }
}

async fn connect(from_port: u16, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    // Ports of closed connections are reused.
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((ADDRESS, from_port)))?;
    socket.connect(to).await
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AddrInUse | ErrorKind::AddrNotAvailable)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use tokio::net::TcpListener;

    use super::*;

    fn beginning_at(port: u16) -> Attacker {
        Attacker { ports_given: AtomicUsize::new(usize::from(port - PORTS.start())) }
    }

    #[tokio::test]
    async fn a_port_that_others_listen_on_is_passed_over() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let to = server.local_addr().unwrap();
        let other = TcpListener::bind((ADDRESS, 0)).await.unwrap();
        let taken = other.local_addr().unwrap().port();

        let (attacker, mut held) = (beginning_at(taken), Vec::new());
        for _ in 0..10 {
            held.push(attacker.connect(to).await.unwrap().local_addr().unwrap());
        }

        assert!(held.iter().all(|from| from.ip() == IpAddr::V4(ADDRESS)), "{held:?}");
        assert!(held.iter().all(|from| from.port() != taken), "{taken} in {held:?}");
    }

    #[tokio::test]
    async fn each_connection_has_a_port_of_its_own() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let to = server.local_addr().unwrap();
        let mut held = Vec::new();
        // The second begins where the first did: its ports are in use by connections to the same server.
        for attacker in [beginning_at(20_000), beginning_at(20_000)] {
            for _ in 0..50 {
                held.push(attacker.connect(to).await.unwrap());
            }
        }
        let ports: BTreeSet<u16> = held.iter().map(|stream| stream.local_addr().unwrap().port()).collect();
        assert_eq!(ports.len(), 100);
    }

    #[test]
    fn behind_the_last_port_is_the_first() {
        let attacker = beginning_at(*PORTS.end());
        assert_eq!([attacker.next_port(), attacker.next_port()], [65_535, 1_024]);
    }
}
