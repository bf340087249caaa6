//! Logs of PAN-OS as comma-separated values, by the field descriptions of its documentation: traffic, threats,
//! the system's own messages, GlobalProtect and authentication.

use super::{DESTINATION, SOURCE, between, end, login, of, traffic, word_after};
use crate::reading::{Outcome, Reading};
use crate::tool_alert::lines::{self, Threat};

/// Values behind these have no meaning here.
const MOST_VALUES: usize = 64;

/// Reads a line; `None` for lines of other shapes.
pub(crate) fn read(line: &str) -> Option<Reading<'_>> {
    // The fourth value names the log, the third is a serial number, or `unknown`.
    let mut opening = line.splitn(5, ',');
    let (_, time, _, kind) = (opening.next()?, opening.next()?, opening.next()?, opening.next()?);
    if !time.starts_with("20") {
        return None;
    }
    let is_known = matches!(
        kind,
        "TRAFFIC" | "THREAT" | "SYSTEM" | "GLOBALPROTECT" | "AUTHENTICATION" | "AUTH" | "CONFIG"
    );
    if !is_known {
        return None;
    }
    let values = Values(values(line));
    let mut reading = of("paloalto", None, "pan-os");
    reading.text("event.code", values.get(if matches!(kind, "SYSTEM" | "GLOBALPROTECT") { 8 } else { 4 }));
    let category = match kind {
        "TRAFFIC" => connection(&values, &mut reading)?,
        "THREAT" => threat(&values, &mut reading)?,
        "SYSTEM" => system(&values, &mut reading),
        "GLOBALPROTECT" => global_protect(&values, &mut reading),
        "CONFIG" => configuration(&values, &mut reading),
        _ => authentication(&values, &mut reading),
    };
    reading.log_source.category = category.map(Into::into);
    Some(reading)
}

struct Values<'t>(Vec<&'t str>);

impl<'t> Values<'t> {
    fn get(&self, at: usize) -> &'t str {
        self.0.get(at).copied().unwrap_or_default()
    }
}

/// Values with commas between them; those that hold one are in quotes.
fn values(line: &str) -> Vec<&str> {
    let mut found = Vec::with_capacity(MOST_VALUES);
    let mut rest = line;
    while found.len() < MOST_VALUES {
        let (value, behind) = match rest.strip_prefix('"') {
            Some(inside) => {
                let end = end_of_quoted(inside);
                let (value, behind) = inside.split_at_checked(end).unwrap_or((inside, ""));
                (value, behind.strip_prefix('"').unwrap_or(behind))
            }
            None => rest.split_at(memchr::memchr(b',', rest.as_bytes()).unwrap_or(rest.len())),
        };
        found.push(value);
        match behind.split_once(',') {
            Some((_, behind)) => rest = behind,
            None => break,
        }
    }
    found
}

/// A quote that another follows is one of the value.
fn end_of_quoted(text: &str) -> usize {
    let mut at = 0;
    while let Some(quote) = memchr::memchr(b'"', text.as_bytes().get(at..).unwrap_or_default()) {
        at += quote;
        if text.as_bytes().get(at + 1) != Some(&b'"') {
            return at;
        }
        at += 2;
    }
    text.len()
}

fn ends<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<()> {
    end(reading, SOURCE, values.get(7), values.get(24))?;
    end(reading, DESTINATION, values.get(8), values.get(25))?;
    end(reading, ["client.address", "client.port"], values.get(7), values.get(24))?;
    reading.text("user.name", values.get(12));
    reading.text("network.transport", values.get(29));
    reading.text("rule.name", values.get(11));
    Some(())
}

fn connection<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<Option<&'static str>> {
    ends(values, reading)?;
    traffic(reading, values.get(30) != "allow");
    Some(Some("firewall"))
}

fn threat<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<Option<&'static str>> {
    let blocked = !matches!(
        values.get(30),
        "alert" | "allow" | "syncookie-sent" | "forward" | "wildfire-upload-success"
    );
    let name = values.get(32);
    let (name, id) = name.rsplit_once('(').map_or((name, ""), |(name, id)| (name, id.trim_end_matches(')')));
    // Requests and files that a profile only records are no threats.
    let is_threat = !matches!(values.get(4), "url" | "file" | "data") || values.get(34) != "informational";
    if is_threat {
        let attacker = values.get(if values.get(35) == "server-to-client" { 8 } else { 7 });
        let severity = values.get(34);
        let alert = Threat { tool: "pan-os", signature: name, id, severity, attacker, is_blocked: blocked };
        reading.append(lines::threat(alert)?);
    }
    ends(values, reading)?;
    reading.text("event.action", values.get(30));
    reading.outcome(Some(if blocked { Outcome::Failure } else { Outcome::Success }));
    reading.text("threat.name", name);
    reading.text("event.severity", values.get(34));
    reading.text("event.category", values.get(33));
    let target = values.get(31);
    match values.get(4) {
        "url" | "vulnerability" => reading.text("url.original", target),
        "virus" | "wildfire" | "wildfire-virus" | "file" => reading.text("file.name", target),
        _ => {}
    }
    Some(Some(if is_threat { "alert" } else { "ids" }))
}

/// Its own messages: `failed authentication for user 'alice'. Reason: … From: 198.51.100.7.` and those of GlobalProtect.
fn system<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<&'static str> {
    let (event, text) = (values.get(8), values.get(14));
    reading.text("event.severity", values.get(13));
    let worked = match event {
        "auth-fail" => false,
        "auth-success" => true,
        _ if event.ends_with("-auth-fail") => false,
        _ if event.ends_with("-auth-succ") => true,
        "general" if text.starts_with("User ") && text.contains(" logged in via ") => {
            let user = between(text, "User ", " logged in via ")?;
            login(reading, true, user, word_after(text, " from ")?);
            return Some("authentication");
        }
        _ => return None,
    };
    let user = between(text, "for user '", "'")
        .or_else(|| between(text, "User name: ", ","))
        .or_else(|| between(text, "User: ", ","));
    // The reason may quote the server's words; the address follows it, or stands before the name.
    let address = text
        .rsplit_once("From: ")
        .map(|(_, address)| address)
        .or_else(|| between(text, "Login from: ", ","))
        .unwrap_or_default();
    login(reading, worked, user.unwrap_or_default(), address);
    Some("authentication")
}

fn global_protect<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<&'static str> {
    let address = if values.get(15) == "0.0.0.0" { values.get(16) } else { values.get(15) };
    let is_login = matches!(values.get(9), "login" | "before-login") && values.get(8).contains("auth");
    if is_login && matches!(values.get(28), "success" | "failure") {
        login(reading, values.get(28) == "success", values.get(12), address);
        reading.text("event.reason", values.get(25));
        return Some("authentication");
    }
    reading.text("user.name", values.get(12));
    end(reading, ["client.address", "client.port"], address, "");
    None
}

fn authentication<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<&'static str> {
    let event = values.get(20).to_ascii_lowercase();
    let failed = ["fail", "invalid", "denied", "reject"].iter().any(|word| event.contains(word));
    if failed || event.contains("success") {
        login(reading, !failed, values.get(9), values.get(8));
        reading.text("event.reason", values.get(18));
    }
    Some("authentication")
}

fn configuration<'t>(values: &Values<'t>, reading: &mut Reading<'t>) -> Option<&'static str> {
    let failed = matches!(values.get(12), "Failed" | "Unauthorized");
    reading.action("configuration_changed", Some(if failed { Outcome::Failure } else { Outcome::Success }));
    reading.text("user.name", values.get(10));
    end(reading, ["client.address", "client.port"], values.get(7), "");
    reading.text("process.command_line", values.get(9));
    Some("configuration")
}
