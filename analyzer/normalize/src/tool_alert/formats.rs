//! Formats of structured alerts, after the documentation of their vendors: marks of each, fields of
//! signature, severity and subject, the most specific first.

use super::lookup::{equals, find};
use super::severity::{Scale, Severity};
use super::subject::Kind;
use super::{appliances, cloud, endpoint, network};
use crate::presence::{Presence, hash};
use crate::record::Entries;

/// A format of alerts.
pub(super) struct Format {
    pub(super) tool: &'static str,
    /// The hash of a top-level name that each record of the format has.
    pub(super) gate: u32,
    /// Required fields, beside a root.
    pub(super) marks: &'static [Mark],
    /// The map that the alert stands in; empty if it is the record.
    pub(super) root: &'static str,
    pub(super) signature: &'static [&'static str],
    pub(super) id: &'static [&'static str],
    pub(super) severity: &'static [&'static str],
    pub(super) scale: Scale,
    /// The severity of alerts that state none.
    pub(super) unstated: Severity,
    pub(super) subjects: &'static [(Kind, &'static str)],
    /// The field of the direction, and the address that alerts about answers (`to_client`) are about.
    pub(super) answers: Option<(&'static str, &'static str)>,
    /// Values with which a finding is none any more.
    pub(super) closed: &'static [(&'static str, &'static [&'static str])],
    /// The field of the tool's action on the traffic, and its words for having stopped it.
    pub(super) blocked: Option<(&'static str, &'static [&'static str])>,
    pub(super) is_traffic: bool,
}

/// A field of the record that a format has, with one of some values where they are named.
pub(super) struct Mark {
    path: &'static str,
    values: &'static [&'static str],
    /// Hashes of the names that lead to it: its own, and those of the maps that it may lie in.
    leading: [u32; MOST_LEADING],
}

/// Names that lead to a field: one for each part of its path.
const MOST_LEADING: usize = 4;

pub(super) const fn mark(path: &'static str, values: &'static [&'static str]) -> Mark {
    let bytes = path.as_bytes();
    let mut leading = [hash(bytes); MOST_LEADING];
    let (mut end, mut dots) = (0, 0);
    while end < bytes.len() {
        if bytes[end] == b'.' {
            leading[dots] = hash(bytes.split_at(end).0);
            dots += 1;
        }
        end += 1;
    }
    assert!(dots < MOST_LEADING, "a path of more parts");
    Mark { path, values, leading }
}

impl Mark {
    pub(super) fn is_on(&self, fields: &Entries<'_>) -> bool {
        find(fields, self.path).is_some_and(|value| self.values.is_empty() || equals(value, self.values))
    }

    /// Whether a record with these names may have it.
    pub(super) fn may_be_on(&self, presence: &Presence) -> bool {
        self.leading.iter().any(|hash| presence.has_hash(*hash))
    }
}

/// Defaults of most formats.
pub(super) const USUAL: Format = Format {
    tool: "",
    gate: 0,
    marks: &[],
    root: "",
    signature: &["title"],
    id: &["id"],
    severity: &["severity"],
    scale: Scale::Word,
    unstated: Severity::Low,
    subjects: &[],
    answers: None,
    closed: &[],
    blocked: None,
    is_traffic: false,
};

pub(super) const fn gate(name: &str) -> u32 {
    hash(name.as_bytes())
}

/// All formats. The first that recognises a record reads it.
pub(super) const FORMATS: [Format; 31] = [
    cloud::GUARDDUTY,
    cloud::GUARDDUTY_EVENT,
    cloud::SECURITY_HUB,
    cloud::SECURITY_HUB_EVENT,
    cloud::GOOGLE,
    cloud::GOOGLE_LOG,
    cloud::OCSF,
    cloud::DEFENDER_FOR_CLOUD,
    cloud::SECURITY_ALERT,
    endpoint::GRAPH_SECURITY,
    endpoint::DEFENDER_FOR_ENDPOINT,
    endpoint::DEFENDER_EVIDENCE,
    endpoint::DEFENDER_ANTIVIRUS,
    endpoint::CROWDSTRIKE,
    endpoint::SENTINELONE,
    endpoint::FALCO,
    endpoint::WAZUH,
    endpoint::ELASTIC,
    network::SURICATA,
    network::SNORT,
    network::SNORT_PAIRS,
    network::ZEEK,
    appliances::FORTIGATE_ATTACK,
    appliances::FORTIGATE_VIRUS,
    appliances::FORTIGATE_BOTNET,
    appliances::FORTIGATE_WEB,
    appliances::SONICWALL_ATTACK,
    appliances::SONICWALL_SPYWARE,
    appliances::SONICWALL_VIRUS,
    appliances::SONICWALL_SCAN,
    appliances::CHECK_POINT,
];
