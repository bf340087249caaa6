//! Number of open connections of each address, so that one that hoards them keeps fewer of them idle. Only
//! counts; the connection decides.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bits of an IPv6 address that identify a network: a single host has all addresses in it.
const NETWORK_BITS: u128 = !0 << 64;

/// The addresses that have connections. Never more than there are connections.
#[derive(Debug, Default)]
pub(super) struct Peers(Mutex<HashMap<IpAddr, usize>>);

/// A connection of a peer, counted until dropped.
#[derive(Debug)]
pub(super) struct Guest {
    peers: Arc<Peers>,
    network: IpAddr,
}

impl Peers {
    /// Counts a connection from an address.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Guest {
        let network = network(address);
        *self.lock().entry(network).or_default() += 1;
        Guest { peers: Arc::clone(self), network }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Guest {
    /// Number of connections of its peer, including this one.
    pub(super) fn connections(&self) -> usize {
        self.peers.lock().get(&self.network).copied().unwrap_or_default()
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut peers = self.peers.lock();
        if let Some(count) = peers.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                peers.remove(&self.network);
            }
        }
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & NETWORK_BITS).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_count_for_their_network_until_they_end() {
        let peers = Arc::new(Peers::default());
        let enter = |text: &str| peers.enter(text.parse().unwrap());
        let first = enter("192.0.2.1");
        let (mapped, other) = (enter("::ffff:192.0.2.1"), enter("192.0.2.2"));
        assert_eq!((first.connections(), other.connections()), (2, 1));
        drop(mapped);
        assert_eq!(first.connections(), 1);
        let (near, far) = (enter("2001:db8::1"), enter("2001:db8:0:1::1"));
        let neighbour = enter("2001:db8::ffff:2");
        assert_eq!((near.connections(), far.connections()), (2, 1));
        drop((first, other, near, far, neighbour));
        assert!(peers.lock().is_empty(), "nothing is kept of who has left");
    }
}
