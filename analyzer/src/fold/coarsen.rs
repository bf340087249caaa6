//! What to group by when there are more groups than a partition may hold: the network instead of the
//! address, then the source as a whole. Nothing is evicted, nothing is lost without a word.

use std::net::IpAddr;

/// Groups that one correlation (or the risk of entities) may have in one partition.
pub(crate) const MOST_GROUPS: usize = 100_000;
/// Room for networks beyond that, before everything falls together.
pub(crate) const MOST_COARSE_GROUPS: usize = MOST_GROUPS + 10_000;

/// The word for the group that takes in what finds no other.
const ALL: &str = "*";

/// The group for new values when there are `groups` already.
pub(crate) fn group(values: &[String], groups: usize) -> Vec<String> {
    if groups < MOST_GROUPS {
        return values.to_vec();
    }
    if groups < MOST_COARSE_GROUPS {
        return values.iter().map(|value| network(value).unwrap_or_else(|| ALL.to_owned())).collect();
    }
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
        assert_eq!(group(&values, 5), values);
        assert_eq!(group(&values, MOST_GROUPS), ["203.0.113.0/24", "*"]);
        assert_eq!(group(&values, MOST_COARSE_GROUPS), ["*", "*"]);
        assert_eq!(network("2001:db8:1:2:3::9").unwrap(), "2001:db8:1:2::/64");
    }
}
