//! Alerts of network intrusion detection. Their subject is the flow's source; of an answer, the client.

use super::formats::{Format, USUAL, gate, mark};
use super::severity::Scale;
use super::subject::Kind::Address;

/// Suricata's EVE records. A signature may say which end is its source (`target`).
pub(super) const SURICATA: Format = Format {
    tool: "suricata",
    gate: gate("event_type"),
    marks: &[mark("event_type", &["alert"]), mark("alert.signature", &[])],
    signature: &["alert.signature"],
    id: &["alert.signature_id"],
    severity: &["alert.severity"],
    scale: Scale::Priority,
    subjects: &[(Address, "alert.source.ip"), (Address, "src_ip"), (Address, "dest_ip")],
    answers: Some(("direction", "dest_ip")),
    is_traffic: true,
    ..USUAL
};

/// Snort 3, `alert_json` with addresses.
pub(super) const SNORT: Format = Format {
    tool: "snort",
    gate: gate("src_addr"),
    marks: &[mark("src_addr", &[]), mark("msg", &[]), mark("priority", &[])],
    signature: &["msg"],
    id: &["rule", "sid"],
    severity: &["priority"],
    subjects: &[(Address, "src_addr"), (Address, "dst_addr")],
    answers: None,
    ..SURICATA
};

/// Snort 3, `alert_json` with its default fields: address and port in one.
pub(super) const SNORT_PAIRS: Format = Format {
    gate: gate("src_ap"),
    marks: &[mark("src_ap", &[]), mark("msg", &[])],
    subjects: &[(Address, "src_ap"), (Address, "dst_ap")],
    ..SNORT
};

/// Zeek's `notice.log` as JSON.
pub(super) const ZEEK: Format = Format {
    tool: "zeek",
    gate: gate("note"),
    marks: &[mark("note", &[]), mark("msg", &[]), mark("actions", &[])],
    signature: &["note"],
    id: &["note"],
    severity: &["note"],
    scale: Scale::Notice,
    subjects: &[(Address, "src"), (Address, "id.orig_h"), (Address, "dst")],
    answers: None,
    ..SURICATA
};
