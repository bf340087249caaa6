//! URLs that users name for something to be sent to: whatever is accepted leads, as HTTP clients read
//! it, to a public address by HTTPS, and stays as it is when it is read again. The first byte and the
//! sixteen behind it are an address, the rest is the URL.

#![no_main]

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_trait::async_trait;
use common::clock::ManualClock;
use common::ids::OrganizationId;
use common::timestamp::Timestamp;
use http::Uri;
use libfuzzer_sys::fuzz_target;
use outbound::{Config, Destination, Outbound, Requester, Resolve};
use tokio::runtime::{Builder, Runtime};

/// Address of every name.
static ADDRESS: Mutex<IpAddr> = Mutex::new(IpAddr::V4(Ipv4Addr::LOCALHOST));

struct AnyName;

#[async_trait]
impl Resolve for AnyName {
    async fn resolve(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(vec![*ADDRESS.lock().unwrap_or_else(PoisonError::into_inner)])
    }
}

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

static OUTBOUND: LazyLock<Outbound> = LazyLock::new(|| {
    let clock = Arc::new(ManualClock::new(Timestamp(1_783_512_000_000_000_000)));
    Outbound::new(&Config::default(), Arc::new(AnyName), clock).expect("the default settings")
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let Some((bytes, url)) = rest.split_first_chunk::<16>() else { return };
    let address = if choice % 2 == 0 {
        IpAddr::from(*bytes)
    } else {
        IpAddr::from([bytes[0], bytes[1], bytes[2], bytes[3]])
    };
    *ADDRESS.lock().unwrap_or_else(PoisonError::into_inner) = address;
    let is_accepted = check_address(address);
    let Ok(url) = std::str::from_utf8(url) else { return };
    if let Ok(destination) = OUTBOUND.destination(url) {
        check_url(&destination, is_accepted);
    }
});

/// An address is judged alike wherever it stands, and special ones are refused.
fn check_address(address: IpAddr) -> bool {
    let host = |address: IpAddr| match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let is_accepted = |host: String| OUTBOUND.destination(&format!("https://{host}/")).is_ok();
    let accepted = is_accepted(host(address));
    assert!(!accepted || !is_special(address), "{address} is not public");
    if let IpAddr::V4(address) = address {
        let mapped = IpAddr::V6(address.to_ipv6_mapped());
        assert_eq!(is_accepted(host(mapped)), accepted, "{address} is judged another way in IPv6 dress");
        assert_eq!(is_accepted(u32::from(address).to_string()), accepted, "{address} as one number");
    }
    accepted
}

fn check_url(destination: &Destination, resolved_is_accepted: bool) {
    let text = destination.as_str();
    let again = OUTBOUND.destination(text).expect("what was accepted is accepted again");
    assert_eq!(again.as_str(), text, "reading it again changes it");

    let uri: Uri = text.parse().expect("a client reads it");
    assert_eq!(uri.scheme_str(), Some("https"));
    let authority = uri.authority().expect("it has a host").as_str();
    assert!(!authority.contains('@'), "{authority} carries a name");
    let port = uri.port_u16().unwrap_or(443);
    assert!(port == 80 || port == 443 || port >= 1_024, "{port} is for other protocols");

    let host = uri.host().expect("it has a host");
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse() {
        Ok(literal) => assert!(!is_special(literal), "{literal} is not public"),
        Err(_) => {
            // Others would read it as an address.
            let last = host.strip_suffix('.').unwrap_or(host).rsplit('.').next().unwrap_or_default();
            let is_number = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
            assert!(!is_number, "{host} is half an address");
            let requester = Requester::interactive(OrganizationId::from_bytes([1; 16]));
            let reached = RUNTIME.block_on(OUTBOUND.check(requester, destination)).is_ok();
            assert_eq!(reached, resolved_is_accepted, "a name is judged otherwise than its address");
        }
    }
}

/// As in the standard library.
fn is_special(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_special_v4(address),
        IpAddr::V6(address) => is_special_v6(address),
    }
}

fn is_special_v4(address: Ipv4Addr) -> bool {
    address.is_unspecified()
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
}

fn is_special_v6(address: Ipv6Addr) -> bool {
    address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
}
