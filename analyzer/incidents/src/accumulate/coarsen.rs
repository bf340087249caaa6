//! Coarser groups where an organization has more groups than its share of a partition: the network instead of the
//! address, then the source as a whole. No group is evicted.

use std::net::IpAddr;

use common::ids::OrganizationId;

use super::shares::Shares;

/// Networks that groups may fall to, before everything falls together.
const MOST_NETWORKS: usize = 10_000;

/// The value of the group of a whole source.
const ALL: &str = "*";

/// Groups of each organization: those of their own values, and coarse ones, which take in the rest.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    fine: Shares,
    coarse: Shares,
}

impl Groups {
    /// Counts one more group of an organization.
    pub(crate) fn add(&mut self, who: OrganizationId, is_coarse: bool) {
        self.shares(is_coarse).change(who, 0, 1);
    }

    /// Counts one group less.
    pub(crate) fn remove(&mut self, who: OrganizationId, is_coarse: bool) {
        self.shares(is_coarse).change(who, 1, 0);
    }

    /// The group for new values of an organization, where `most` groups of all may have their own values.
    pub(crate) fn group(&self, who: OrganizationId, values: &[String], most: usize) -> Vec<String> {
        if self.fine.room_for(who, most) > 0 {
            return values.to_vec();
        }
        if self.coarse.room_for(who, MOST_NETWORKS) > 0 {
            return values.iter().map(|value| network(value).unwrap_or_else(|| ALL.to_owned())).collect();
        }
        together(values)
    }

    fn shares(&mut self, is_coarse: bool) -> &mut Shares {
        if is_coarse { &mut self.coarse } else { &mut self.fine }
    }
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
        let who = OrganizationId::from_bytes([1; 16]);
        let mut groups = Groups::default();
        assert_eq!(groups.group(who, &values, 100), values);
        assert_eq!(groups.group(who, &values, 0), ["203.0.113.0/24", "*"]);
        (0..MOST_NETWORKS).for_each(|_| groups.add(who, true));
        assert_eq!(groups.group(who, &values, 0), ["*", "*"]);
        assert_eq!(network("2001:db8:1:2:3::9").unwrap(), "2001:db8:1:2::/64");
    }
}
