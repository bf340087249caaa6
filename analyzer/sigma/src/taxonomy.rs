//! Log source values that include several others in Sigma's taxonomy: an umbrella category covers the categories of its
//! members, so that a rule for every change of the registry is also for those that set a value. Records state members.

/// Values of rules, and the values of records that are among them. Members of members are listed as well.
type Umbrellas = [(&'static str, &'static [&'static str])];

/// Categories. Sysmon's events 12 to 14 are all `registry_event`; `dns` is every query, from any sensor; a record of
/// `malware_alert` is an alert of an antivirus program.
const CATEGORIES: &Umbrellas = &[
    ("registry_event", &["registry_add", "registry_delete", "registry_rename", "registry_set"]),
    ("dns", &["dns_query"]),
    ("alert", &["malware_alert"]),
    ("antivirus", &["malware_alert"]),
];

/// Services: lines of Linux programs in the files `auth.log` and `syslog`, by the programs that rules name.
const SERVICES: &Umbrellas = &[
    ("auth", &["sshd", "su", "sudo"]),
    ("syslog", &["clamav", "cron", "guacamole", "sshd", "su", "sudo", "vsftpd"]),
];

/// Products whose events always state them: their rules are not tried on a record of an unknown product. Actions of AI agents
/// have the fields of processes and files, which records of logs have as well.
const ALWAYS_STATED: [&str; 1] = ["ai_agent"];

/// The dimensions of log sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// For example `linux`.
    Product,
    /// For example `webserver`.
    Category,
    /// For example `sshd`.
    Service,
}

impl Dimension {
    /// All of them, in the order in which log sources are compared.
    pub(crate) const ALL: [Self; 3] = [Self::Product, Self::Category, Self::Service];

    /// The values that a value of a rule includes besides itself.
    pub(crate) fn members(self, stated: &str) -> &'static [&'static str] {
        let umbrellas = match self {
            Self::Product => return &[],
            Self::Category => CATEGORIES,
            Self::Service => SERVICES,
        };
        let known = umbrellas.iter().find(|(umbrella, _)| umbrella.eq_ignore_ascii_case(stated));
        known.map_or(&[], |(_, members)| members)
    }

    /// Whether a rule with this value accepts events that state nothing in the dimension.
    pub(crate) fn accepts_unstated(self, stated: &str) -> bool {
        self != Self::Product || !ALWAYS_STATED.iter().any(|product| product.eq_ignore_ascii_case(stated))
    }

    /// Whether a value of a rule covers this one.
    pub(crate) fn covers(self, stated: &str, other: &str) -> bool {
        stated.eq_ignore_ascii_case(other)
            || self.members(stated).iter().any(|member| member.eq_ignore_ascii_case(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn umbrellas_cover_their_members_and_no_member_covers_its_umbrella() {
        for (dimension, umbrellas) in [(Dimension::Category, CATEGORIES), (Dimension::Service, SERVICES)] {
            for (umbrella, members) in umbrellas {
                assert!(dimension.covers(umbrella, umbrella));
                for member in *members {
                    assert!(dimension.covers(umbrella, &member.to_uppercase()), "{umbrella} {member}");
                    assert!(!dimension.covers(member, umbrella), "{member} {umbrella}");
                    let nested = dimension.members(member);
                    assert!(nested.iter().all(|inner| members.contains(inner)), "{member}");
                }
            }
        }
        assert!(!Dimension::Category.covers("registry_event", "file_event"));
        assert!(!Dimension::Product.covers("registry_event", "registry_set"));
        assert!(!Dimension::Service.covers("auth", "cron"));
    }
}
