//! Rules about traffic, seen by devices on its way.

use super::Table;

/// Packet filters.
pub(super) const FIREWALL: &Table = &[
    ("action", &["action", "event.action"]),
    ("src_ip", &["source.address", "client.address"]),
    ("src_port", &["source.port", "client.port"]),
    ("dst_ip", &["destination.address"]),
    ("dst_port", &["destination.port"]),
    ("protocol", &["network.transport"]),
    ("username", &["user.name"]),
];

/// Queries and answers.
pub(super) const DNS: &Table = &[
    ("query", &["dns.question.name", "QueryName"]),
    ("QueryName", &["dns.question.name"]),
    ("record_type", &["dns.question.type"]),
    ("answer", &["dns.answers.data", "dns.answers", "QueryResults"]),
    ("src_ip", &["source.address", "client.address"]),
    ("dst_ip", &["destination.address", "server.address"]),
];
