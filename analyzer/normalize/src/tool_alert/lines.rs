//! Alerts as lines: ClamAV's `FILE: SIGNATURE FOUND`, and the fast, full and syslog forms of Snort and Suricata,
//! `[**] [1:2024:3] TEXT [**] [Classification: …] [Priority: 2] {TCP} SOURCE -> DESTINATION`.

use std::borrow::Cow;

use sigma::event::Value;

use super::Alert;
use super::severity::{Scale, Severity, priority};
use super::subject::Subject;
use crate::reading::Reading;
use crate::split;

/// Reads a line of ClamAV without a program name: it must begin with a path, or with a date and an arrow.
pub(crate) fn read_malware(line: &str) -> Option<Reading<'_>> {
    let is_line = line.ends_with(" FOUND") && (line.starts_with('/') || line.contains(" -> /"));
    if is_line { clamav(line) } else { None }
}

/// The antivirus program whose lines are read.
pub(super) const CLAMAV: &str = "clamav";

/// A line of ClamAV's daemon or scanner.
pub(crate) fn clamav(line: &str) -> Option<Reading<'_>> {
    let found = line.strip_suffix(" FOUND")?;
    // A file's name may hold anything; a signature has neither colons nor spaces.
    let (file, signature) = split::at_last(found, ": ")?;
    if signature.is_empty() || signature.contains(' ') {
        return None;
    }
    let file = split::at_first(file, " -> ").map_or(file, |(_, file)| file);
    // Unwanted programs and suspicions, by the first part of the signature.
    let is_suspicion = ["PUA.", "Heuristics."].iter().any(|kind| signature.starts_with(kind));
    let mut reading = Reading::default();
    reading.text("file.path", file);
    Alert {
        tool: CLAMAV,
        signature: Some(Cow::Borrowed(signature)),
        id: None,
        severity: if is_suspicion { Severity::Medium } else { Severity::High },
        subject: Subject::own_host(),
        is_traffic: false,
        blocked: None,
    }
    .add_to(&mut reading);
    Some(reading)
}

/// A time, and the verdict of a Suricata that drops.
fn is_time(text: &str) -> bool {
    let text = text.trim_end();
    text.strip_suffix(" [Drop]")
        .unwrap_or(text)
        .trim_end()
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"/-:.".contains(&byte))
}

/// A line of Snort or Suricata. Everything in it is the signature's or the packet's; the signature's text is that of
/// the operator's rules.
pub(crate) fn intrusion(line: &str) -> Option<Reading<'_>> {
    let rest = match split::at_first(line, "[**] [") {
        // Only the time stands in front: a client can write the same stars into a line of an access log.
        Some((time, rest)) if is_time(time) => rest.strip_prefix("Drop] [**] [").unwrap_or(rest),
        Some(_) => return None,
        // In syslog there are no stars.
        None => line.strip_prefix('[')?,
    };
    let (id, rest) = split::at_first(rest, "] ")?;
    let is_id = id.split(':').count() == 3 && id.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    if !is_id {
        return None;
    }
    let end =
        [" [**]", " [Classification: ", " [Priority: "].iter().filter_map(|mark| rest.find(mark)).min()?;
    let (text, rest) = rest.split_at_checked(end)?;
    let stated = split::at_first(rest, "[Priority: ").and_then(|(_, rest)| split::at_byte(rest, b']'));
    let severity = stated.and_then(|(number, _)| number.parse().ok()).map_or(Severity::Low, priority);
    let source = addresses(rest)?;
    let mut reading = Reading::default();
    Alert {
        tool: "snort",
        signature: Some(Cow::Borrowed(text.trim_matches('"'))),
        id: Some(Cow::Borrowed(id)),
        severity,
        subject: Subject::address(source)?,
        is_traffic: true,
        blocked: None,
    }
    .add_to(&mut reading);
    Some(reading)
}

/// A threat that a firewall reports in a line of its own form.
pub(crate) struct Threat<'t> {
    pub(crate) tool: &'static str,
    pub(crate) signature: &'t str,
    pub(crate) id: &'t str,
    /// The firewall's word for how bad it is.
    pub(crate) severity: &'t str,
    pub(crate) attacker: &'t str,
    pub(crate) is_blocked: bool,
}

/// An alert about such a threat; `None` if nothing names the attacker.
pub(crate) fn threat(threat: Threat<'_>) -> Option<Reading<'_>> {
    let severity = Scale::Word.of(&Value::String(Cow::Borrowed(threat.severity)));
    let mut reading = Reading::default();
    Alert {
        tool: threat.tool,
        signature: Some(Cow::Borrowed(threat.signature)),
        id: Some(Cow::Borrowed(threat.id)),
        severity: severity.unwrap_or(Severity::Low),
        subject: Subject::address(threat.attacker)?,
        is_traffic: true,
        blocked: Some(threat.is_blocked),
    }
    .add_to(&mut reading);
    Some(reading)
}

/// `SOURCE -> DESTINATION`, each with a port or without: who sent it.
fn addresses(rest: &str) -> Option<&str> {
    let (before, _) = split::at_first(rest, " -> ")?;
    let source = before.rsplit([' ', '\n']).next()?;
    // A port behind an address of IPv6 stands behind one colon more.
    let alone = source.rsplit_once(':').map(|(address, _)| address);
    let is_dotted = alone.is_some_and(|address| address.contains('.'));
    Some(if is_dotted { alone.unwrap_or(source) } else { source })
}
