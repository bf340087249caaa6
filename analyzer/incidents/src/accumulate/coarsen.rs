//! What to group by when there are more groups than an organization may have in a partition: the network instead of the
//! address, then the source as a whole. Nothing is evicted, nothing is lost without a word.

use std::net::IpAddr;

use common::ids::OrganizationId;

use super::shares::Shares;

/// Networks that groups may fall to, before everything falls together.
const MOST_NETWORKS: usize = 10_000;

/// The word for the group that takes in what finds no other.
const ALL: &str = "*";

/// How many more groups an organization may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    fine: usize,
    networks: usize,
}

impl Room {
    /// What is left where there are so many, and `most` may be as fine as they come.
    pub(crate) fn of(fine: &Shares, coarse: &Shares, who: OrganizationId, most: usize) -> Self {
        Self { fine: fine.room_for(who, most), networks: coarse.room_for(who, MOST_NETWORKS) }
    }
}

/// The group for new values.
pub(crate) fn group(values: &[String], room: Room) -> Vec<String> {
    if room.fine > 0 {
        return values.to_vec();
    }
    if room.networks > 0 {
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
        assert_eq!(group(&values, Room { fine: 1, networks: 0 }), values);
        assert_eq!(group(&values, Room { fine: 0, networks: 1 }), ["203.0.113.0/24", "*"]);
        assert_eq!(group(&values, Room { fine: 0, networks: 0 }), ["*", "*"]);
        assert_eq!(network("2001:db8:1:2:3::9").unwrap(), "2001:db8:1:2::/64");
    }
}
