//! What to group by when there are more groups than a partition may hold: the network instead of the
//! address, then the source as a whole. Nothing is evicted, nothing is lost without a word.

use std::net::IpAddr;

/// Room for networks beyond the bound on groups, before everything falls together.
const MOST_NETWORKS: usize = 10_000;

/// The word for the group that takes in what finds no other.
const ALL: &str = "*";

/// The group for new values when there are `groups` already, of which `most` may be as fine as they
/// come.
pub(crate) fn group(values: &[String], groups: usize, most: usize) -> Vec<String> {
    if groups < most {
        return values.to_vec();
    }
    if groups < most.saturating_add(MOST_NETWORKS) {
        return values.iter().map(|value| network(value).unwrap_or_else(|| ALL.to_owned())).collect();
    }
    together(values)
}

/// The group that takes in all that there is no room for.
pub(crate) fn together(values: &[String]) -> Vec<String> {
    values.iter().map(|_| ALL.to_owned()).collect()
}

/// The /24 of an IPv4 address, the /64 of an IPv6 address.
fn network(value: &str) -> Option<String> {
    Some(match value.parse().ok()? {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_become_coarser_as_they_become_many() {
        let values = ["203.0.113.9".to_owned(), "root".to_owned()];
        assert_eq!(group(&values, 5, 6), values);
        assert_eq!(group(&values, 6, 6), ["203.0.113.0/24", "*"]);
        assert_eq!(group(&values, 6 + MOST_NETWORKS, 6), ["*", "*"]);
        assert_eq!(network("2001:db8:1:2:3::9").unwrap(), "2001:db8:1:2::/64");
    }
}
