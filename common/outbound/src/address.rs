//! Public addresses: reachable from anywhere, and so none that only we can reach. Judged by the
//! special-purpose registries of IANA (RFC 6890 and what was registered since).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Reason why an address is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason(&'static str);

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// IPv4 networks that are not public: first address, prefix, what they are for.
const SPECIAL_V4: [(Ipv4Addr, u8, &str); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by a carrier"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a relay to IPv6"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    // Multicast, reserved and broadcast: the upper eighth.
    (Ipv4Addr::new(224, 0, 0, 0), 3, "multicast or reserved"),
];

/// IPv6 networks within 2000::/3 that are not public. Everything outside of it is not public either.
const SPECIAL_V6: [(Ipv6Addr, u8, &str); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "a tunnel (Teredo)"),
    // Teredo, benchmarking, ORCHID and other assignments that are no hosts.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "protocol assignments"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "a tunnel (6to4)"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

/// Judges an address: public, or in one of the networks the operator allows.
///
/// # Errors
/// Refuses an address, with the reason.
pub(crate) fn judge(address: IpAddr, allowed: &[IpNet]) -> Result<(), Reason> {
    // An IPv4 address in IPv6 dress reaches the IPv4 host.
    let address = address.to_canonical();
    if is_allowed(address, allowed) {
        return Ok(());
    }
    match address {
        IpAddr::V4(address) => judge_v4(address),
        IpAddr::V6(address) => judge_v6(address),
    }
}

/// Whether the operator allows an address by name of its network.
pub(crate) fn is_allowed(address: IpAddr, allowed: &[IpNet]) -> bool {
    let address = address.to_canonical();
    allowed.iter().any(|network| network.contains(&address))
}

fn judge_v4(address: Ipv4Addr) -> Result<(), Reason> {
    let bits = u32::from(address);
    let within = |network: Ipv4Addr, prefix: u8| (bits ^ u32::from(network)) >> (32 - u32::from(prefix)) == 0;
    let special = SPECIAL_V4.iter().find(|(network, prefix, _)| within(*network, *prefix));
    special.map_or(Ok(()), |(_, _, what)| Err(Reason(what)))
}

fn judge_v6(address: Ipv6Addr) -> Result<(), Reason> {
    if address.is_loopback() {
        return Err(Reason("loopback"));
    }
    if address.segments()[0] & 0xe000 != 0x2000 {
        return Err(Reason("not a global unicast address"));
    }
    let bits = u128::from(address);
    let within =
        |network: Ipv6Addr, prefix: u8| (bits ^ u128::from(network)) >> (128 - u32::from(prefix)) == 0;
    let special = SPECIAL_V6.iter().find(|(network, prefix, _)| within(*network, *prefix));
    special.map_or(Ok(()), |(_, _, what)| Err(Reason(what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(address: &str) -> Option<&'static str> {
        judge(address.parse().unwrap(), &[]).err().map(|reason| reason.0)
    }

    #[test]
    fn every_special_range_is_refused_from_its_first_to_its_last_address() {
        for (network, prefix, what) in SPECIAL_V4 {
            let first = u32::from(network);
            let last = first | u32::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
            for address in [first, first + 1, last] {
                let address = Ipv4Addr::from(address);
                assert_eq!(judge_v4(address), Err(Reason(what)), "{address}");
                let mapped = IpAddr::V6(address.to_ipv6_mapped());
                assert_eq!(judge(mapped, &[]), Err(Reason(what)), "{mapped}");
            }
        }
    }

    #[test]
    fn neighbours_of_special_ranges_are_public() {
        let public = [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::1",
            "2001:db7::1",
            "2001:db9::1",
            "2003::1",
            "2606:4700::1111",
            "3ffe:ffff::1",
        ];
        for address in public {
            assert_eq!(refused(address), None, "{address}");
        }
    }

    #[test]
    fn ipv6_that_leads_elsewhere_is_refused() {
        let special = [
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
        ];
        for address in special {
            assert!(refused(address).is_some(), "{address}");
        }
    }

    #[test]
    fn the_operator_may_allow_a_network() {
        let allowed = ["10.1.0.0/16".parse().unwrap(), "::1/128".parse().unwrap()];
        for (address, fine) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("10.2.0.1", false),
            ("::1", true),
            ("127.0.0.1", false),
        ] {
            assert_eq!(judge(address.parse().unwrap(), &allowed).is_ok(), fine, "{address}");
        }
    }
}
