//! Free ports of this machine for the processes under test.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, TcpListener};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::process::ProcessError;

/// Port range, below the ephemeral ports: a client that tries to
/// connect while the server is down could otherwise be assigned the port that it connects to.
const PORTS: std::ops::Range<u16> = 20_000..30_000;
/// Ports tried until one is free.
const ATTEMPTS: usize = 100;

/// Free ports, without duplicates. Not drawn from the seed: two runs with the same seed may run concurrently.
pub struct Ports {
    listen: IpAddr,
    given: BTreeSet<u16>,
    chance: StdRng,
}

impl Ports {
    /// Ports of this address.
    #[must_use]
    pub fn of(listen: IpAddr) -> Self {
        Self { listen, given: BTreeSet::new(), chance: StdRng::from_rng(&mut rand::rng()) }
    }

    /// The address with another free port.
    pub fn another(&mut self) -> Result<SocketAddr, ProcessError> {
        for _ in 0..ATTEMPTS {
            let address = SocketAddr::new(self.listen, self.chance.random_range(PORTS));
            if TcpListener::bind(address).is_ok() && self.given.insert(address.port()) {
                return Ok(address);
            }
        }
        Err(ProcessError::NoPort { listen: self.listen, from: PORTS.start, to: PORTS.end })
    }
}
