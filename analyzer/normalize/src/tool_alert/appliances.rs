//! Threats that firewalls and gateways report as named values, after the vendors' message references: FortiOS (`subtype` of
//! UTM logs), SonicOS (message numbers), Check Point Log Exporter. Their subject is the session's source.

use super::formats::{Format, USUAL, gate, mark};
use super::severity::{Scale, Severity};
use super::subject::Kind::Address;

/// Words of FortiOS for traffic that it did not let through.
const FORTIGATE_BLOCKED: (&str, &[&str]) = (
    "action",
    &[
        "blocked",
        "dropped",
        "reset",
        "reset_client",
        "reset_server",
        "drop_session",
        "clear_session",
        "redirect",
    ],
);

/// Intrusion prevention, botnets and anomalies such as floods.
pub(super) const FORTIGATE_ATTACK: Format = Format {
    tool: "fortigate",
    gate: gate("attack"),
    marks: &[mark("subtype", &["ips", "anomaly"]), mark("attack", &[]), mark("logid", &[])],
    signature: &["attack"],
    id: &["attackid"],
    severity: &["severity", "crlevel"],
    scale: Scale::Word,
    unstated: Severity::Medium,
    subjects: &[(Address, "srcip")],
    blocked: Some(FORTIGATE_BLOCKED),
    is_traffic: true,
    ..USUAL
};

/// Malware in a file. Where the client's reputation is not counted, no severity is stated.
pub(super) const FORTIGATE_VIRUS: Format = Format {
    gate: gate("virus"),
    marks: &[mark("subtype", &["virus"]), mark("virus", &[]), mark("logid", &[])],
    signature: &["virus"],
    id: &["virusid"],
    severity: &["crlevel"],
    unstated: Severity::High,
    ..FORTIGATE_ATTACK
};

/// A name that the resolver knows as a botnet's.
pub(super) const FORTIGATE_BOTNET: Format = Format {
    gate: gate("botnetdomain"),
    marks: &[mark("subtype", &["dns"]), mark("botnetdomain", &[])],
    signature: &["botnetdomain"],
    id: &["logid"],
    severity: &["crlevel"],
    unstated: Severity::High,
    ..FORTIGATE_ATTACK
};

/// Pages of categories that are dangerous themselves. A user who meets one is no intruder.
pub(super) const FORTIGATE_WEB: Format = Format {
    gate: gate("catdesc"),
    marks: &[
        mark("subtype", &["webfilter"]),
        mark("catdesc", &["Malicious Websites", "Phishing", "Spam URLs", "Cryptomining"]),
    ],
    signature: &["catdesc"],
    id: &["cat"],
    severity: &[],
    unstated: Severity::Low,
    ..FORTIGATE_ATTACK
};

/// SonicOS, intrusion detection (608) and prevention (609), by the priority of the signature.
pub(super) const SONICWALL_ATTACK: Format = Format {
    tool: "sonicwall",
    gate: gate("ipspri"),
    marks: &[mark("ipspri", &[]), mark("m", &[]), mark("sn", &[])],
    signature: &["msg"],
    id: &["sid"],
    severity: &["ipspri"],
    scale: Scale::Priority,
    unstated: Severity::Medium,
    subjects: &[(Address, "src")],
    blocked: Some(("m", &["609", "790"])),
    ..FORTIGATE_ATTACK
};

/// SonicOS, spyware prevented (794) and detected (795).
pub(super) const SONICWALL_SPYWARE: Format = Format {
    gate: gate("spypri"),
    marks: &[mark("spypri", &[]), mark("m", &[]), mark("sn", &[])],
    severity: &["spypri"],
    blocked: Some(("m", &["794"])),
    ..SONICWALL_ATTACK
};

/// SonicOS, messages without a priority of their own: the antivirus of the gateway (809) and of downloads, which block.
pub(super) const SONICWALL_VIRUS: Format = Format {
    gate: gate("sn"),
    marks: &[mark("m", &["809", "761", "1461"]), mark("fw", &[])],
    severity: &[],
    unstated: Severity::High,
    blocked: Some(("m", &["809", "761", "1461"])),
    ..SONICWALL_ATTACK
};

/// SonicOS, port scans: possible (82) and probable (83), by flags (177 to 179), and floods.
pub(super) const SONICWALL_SCAN: Format = Format {
    gate: gate("sn"),
    marks: &[mark("m", &["83", "177", "178", "179", "860", "861", "864"]), mark("fw", &[])],
    severity: &[],
    unstated: Severity::Medium,
    blocked: None,
    ..SONICWALL_ATTACK
};

/// Check Point, blades that look for attacks and malware. The severity is a number from 0 on, or its word.
pub(super) const CHECK_POINT: Format = Format {
    tool: "check_point",
    gate: gate("protection_name"),
    marks: &[
        mark("protection_name", &[]),
        mark(
            "product",
            &[
                "SmartDefense",
                "IPS",
                "Anti-Bot",
                "Anti Bot",
                "Anti Malware",
                "Anti-Virus",
                "Anti Virus",
                "New Anti Virus",
                "Threat Emulation",
                "DDoS Protector",
            ],
        ),
    ],
    signature: &["protection_name", "attack"],
    id: &["protection_id"],
    severity: &["severity"],
    scale: Scale::Degree,
    unstated: Severity::Medium,
    subjects: &[(Address, "src")],
    blocked: Some(("action", &["Prevent", "Drop", "Reject", "Block"])),
    ..FORTIGATE_ATTACK
};
