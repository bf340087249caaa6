//! Request rate of client addresses, for routes that need no API key.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use common::clock::SharedClock;
use http::Extensions;

use crate::error::ApiError;
use crate::rate_limit::{Buckets, seconds_for};

/// Address of the client of a connection. The listener puts it into the extensions of each request.
#[derive(Clone, Copy, Debug)]
pub struct ClientAddress(pub SocketAddr);

/// Counts requests by client address: an address of version 4, or the network of 64 bits of one of version 6, which one client
/// may use as a whole. Requests whose address is not known count together.
pub struct AddressLimit {
    clock: SharedClock,
    per_minute: u32,
    buckets: Mutex<Buckets<Option<IpAddr>>>,
}

impl AddressLimit {
    /// A limit in requests per minute, at least 1.
    #[must_use]
    pub fn new(clock: SharedClock, per_minute: u32) -> Self {
        let per_minute = per_minute.max(1);
        Self { clock, per_minute, buckets: Mutex::new(Buckets::new(per_minute)) }
    }

    /// Counts a request by its extensions.
    ///
    /// # Errors
    /// `RateLimited` when its address made too many.
    pub fn take(&self, extensions: &Extensions) -> Result<(), ApiError> {
        let address = extensions.get::<ClientAddress>().map(|address| network(address.0.ip()));
        let now = self.clock.monotonic();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.at(address, now);
        if bucket.left < 1.0 {
            let retry_seconds = seconds_for(1.0 - bucket.left, self.per_minute).max(1);
            let message = "this address made too many requests";
            return Err(ApiError::RateLimited { message, retry_seconds });
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use common::clock::ManualClock;
    use common::timestamp::Timestamp;

    use super::*;

    fn from(address: &str) -> Extensions {
        let mut extensions = Extensions::new();
        extensions.insert(ClientAddress(address.parse().unwrap()));
        extensions
    }

    #[test]
    fn each_network_has_its_own_rate_and_the_port_does_not_matter() {
        let clock = Arc::new(ManualClock::new(Timestamp(0)));
        let limit = AddressLimit::new(clock.clone(), 2);
        let may = |address| limit.take(&from(address)).is_ok();
        assert!(may("192.0.2.1:1") && may("192.0.2.1:2") && !may("[::ffff:192.0.2.1]:3"));
        assert!(may("192.0.2.2:1"));
        assert!(may("[2001:db8::1]:1") && may("[2001:db8::2:1]:1") && !may("[2001:db8::3]:1"));
        assert!(may("[2001:db8:0:1::1]:1"));
        assert!(limit.take(&Extensions::new()).is_ok() && limit.take(&Extensions::new()).is_ok());
        let refused = limit.take(&Extensions::new()).unwrap_err();
        assert!(matches!(refused, ApiError::RateLimited { retry_seconds: 30, .. }), "{refused}");
        clock.advance(Duration::from_secs(30));
        assert!(may("192.0.2.1:1") && !may("192.0.2.1:1"));
    }
}
