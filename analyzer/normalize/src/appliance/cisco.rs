//! Messages of Cisco's firewalls and routers: `%ASA-6-113005: …` (system log messages of the ASA and of Firepower) and
//! `%SEC_LOGIN-4-LOGIN_FAILED: …` (IOS, IOS XE, NX-OS). Logins, denied traffic and changes are read; others name their
//! mnemonic and severity.

use super::{DESTINATION, SOURCE, between, end, login, of, traffic, word_after};
use crate::reading::{Outcome, Reading};

/// The longest prefix that is searched for a mnemonic, in bytes.
const WINDOW: usize = 120;
/// Words for the severity in a mnemonic, worst first.
const SEVERITIES: [&str; 8] =
    ["emergency", "alert", "critical", "error", "warning", "notice", "informational", "debug"];

/// The text from a mnemonic on; `None` if there is none.
pub(crate) fn mnemonic(text: &str) -> Option<&str> {
    let window = text.as_bytes().get(..WINDOW).unwrap_or(text.as_bytes());
    let at = memchr::memchr(b'%', window)?;
    // In front of it stand a number and a time at most, which end with a colon.
    let before = text.get(..at)?.trim();
    if !(before.is_empty() || (before.ends_with(':') && !before.contains(['"', '\'', '[']))) {
        return None;
    }
    let rest = text.get(at..)?;
    let head = rest.get(..memchr::memchr(b':', rest.as_bytes().get(..64).unwrap_or(rest.as_bytes()))?)?;
    is_mnemonic(head).then_some(rest)
}

/// `%FACILITY-SEVERITY-NAME`, with parts of a facility in between.
fn is_mnemonic(head: &str) -> bool {
    let Some(inside) = head.strip_prefix('%') else { return false };
    let mut parts = inside.rsplit('-');
    let (Some(name), Some(severity), Some(facility)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    head.len() <= 64
        && is_word(name)
        && is_word(facility)
        && severity.len() == 1
        && matches!(severity.as_bytes(), [b'0'..=b'7'])
}

/// Reads from a mnemonic on.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let (head, message) = text.split_once(':')?;
    if !is_mnemonic(head) {
        return None;
    }
    let message = message.trim();
    let (rest, name) = head.rsplit_once('-')?;
    let (facility, severity) = rest.get(1..)?.rsplit_once('-')?;
    let is_firewall = matches!(facility, "ASA" | "FTD" | "PIX" | "FWSM");
    let program = if is_firewall { "cisco-asa" } else { "cisco-ios" };
    let mut reading = of("cisco", None, program);
    reading.text("event.code", name);
    let worst = severity.parse::<usize>().ok().and_then(|number| SEVERITIES.get(number));
    if let Some(severity) = worst {
        reading.text("severity_text", severity);
    }
    let known = if is_firewall {
        firewall(name, message, &mut reading)
    } else {
        router(facility, name, message, &mut reading)
    };
    if let Some(category) = known {
        reading.log_source.category = Some(category.into());
    }
    Some(reading)
}

fn firewall<'t>(number: &str, message: &'t str, reading: &mut Reading<'t>) -> Option<&'static str> {
    match number {
        // AAA user authentication Rejected : reason = … : server = … : user = … : user IP = …
        "113004" | "113005" | "113012" | "113015" => {
            let user =
                between(message, ": user = ", " :").or_else(|| Some(message.rsplit_once("user = ")?.1))?;
            let address = message.rsplit_once("user IP = ").map_or("", |(_, address)| address);
            login(reading, matches!(number, "113004" | "113012"), user, address);
            reading.text("event.reason", between(message, "reason = ", " :").unwrap_or_default().trim());
        }
        // Group <…> User <…> IP <…> …
        "113039" | "716001" | "716038" | "716039" | "722051" => {
            let user = between(message, "User ", " IP ")?;
            let address = word_after(message, " IP ")?;
            login(reading, number != "716039", user, address);
        }
        // Login denied from 198.51.100.7/50122 to outside:203.0.113.9/ssh for user "alice"
        "605004" | "605005" => {
            let from = between(message, " from ", " to ")?;
            let (address, port) = from.rsplit_once('/').unwrap_or((from, ""));
            let user = message.rsplit_once(" for user ").map_or("", |(_, user)| user);
            login(reading, number == "605005", user, address);
            reading.number("client.port", port);
        }
        // User authentication failed: IP address: 198.51.100.7, Uname: alice
        "611101" | "611102" => {
            let address = word_after(message, "IP address: ")?;
            let user = message.rsplit_once("Uname: ").map_or("", |(_, user)| user);
            login(reading, number == "611101", user, address);
        }
        "106001" | "106006" | "106007" | "106014" | "106015" | "106021" | "106023" | "106100" | "710003" => {
            return denied(message, reading);
        }
        // User 'alice', running 'CLI' from IP 198.51.100.7, executed 'no logging enable'
        "111008" | "111010" => {
            reading.action("configuration_command", Some(Outcome::Success));
            reading.text("user.name", between(message, "User '", "'").unwrap_or_default());
            if let Some(address) = word_after(message, "from IP ") {
                end(reading, ["client.address", "client.port"], address.trim_end_matches(','), "")?;
            }
            let command = message.split_once("executed ").map_or("", |(_, rest)| rest);
            let command =
                command.trim_start_matches("the ").trim_end_matches('.').trim_end_matches(" command");
            reading.text("process.command_line", command.trim_matches('\''));
            return Some("configuration");
        }
        _ => return None,
    }
    Some("authentication")
}

/// Refused traffic in the wordings of the firewall's and of the router's messages.
fn denied<'t>(message: &'t str, reading: &mut Reading<'t>) -> Option<&'static str> {
    // access-list outside denied tcp outside/198.51.100.7(50122) -> inside/203.0.113.9(22) …
    let (from, to) = if let Some((from, to)) = message.split_once(" -> ") {
        (from.rsplit(' ').next()?, to.split([' ', ',']).next()?)
    } else if let Some((from, to)) = message.split_once(" dst ") {
        // Deny tcp src outside:198.51.100.7/50122 dst inside:203.0.113.9/22 by access-group …
        (word_after(from, " src ")?, to.split(' ').next()?)
    } else {
        // Deny TCP (no connection) from 198.51.100.7/50122 to 203.0.113.9/22 flags …
        let from = word_after(message, " from ")?;
        (from, word_after(message.split_once(" from ")?.1, " to ")?)
    };
    let (from_address, from_port) = place(from);
    let (to_address, to_port) = place(to);
    end(reading, SOURCE, from_address, from_port)?;
    end(reading, DESTINATION, to_address, to_port)?;
    end(reading, ["client.address", "client.port"], from_address, from_port)?;
    let lower = message.get(..message.len().min(120)).unwrap_or_default().to_ascii_lowercase();
    let transport =
        ["tcp", "udp", "icmp"].into_iter().find(|name| lower.split([' ', '/']).any(|word| word == *name));
    reading.text("network.transport", transport.unwrap_or_default());
    let permitted = lower.contains(" permitted ") && !lower.contains("den");
    traffic(reading, !permitted);
    Some("firewall")
}

/// Address and port of `outside:198.51.100.7/50122`, `outside/198.51.100.7(50122)` and their like.
fn place(text: &str) -> (&str, &str) {
    let text = text.trim_end_matches([',', ')', '.']);
    if let Some((address, port)) = text.split_once('(') {
        let address = address.rsplit_once('/').map_or(address, |(_, address)| address);
        return (address, port);
    }
    let (address, port) = text.split_once('/').unwrap_or((text, ""));
    let behind_name =
        address.split_once(':').filter(|(name, _)| name.bytes().any(|byte| !byte.is_ascii_hexdigit()));
    (behind_name.map_or(address, |(_, address)| address), port)
}

fn router<'t>(
    facility: &str,
    name: &str,
    message: &'t str,
    reading: &mut Reading<'t>,
) -> Option<&'static str> {
    match (facility, name) {
        ("SEC_LOGIN", "LOGIN_FAILED" | "LOGIN_SUCCESS") => {
            let user = between(message, "[user: ", "]").unwrap_or_default();
            let address = between(message, "[Source: ", "]").unwrap_or_default();
            login(reading, name == "LOGIN_SUCCESS", user, address);
            reading.text("event.reason", between(message, "[Reason: ", "]").unwrap_or_default());
        }
        // User 'alice' authentication for SSH2 Session from 198.51.100.7 (tty = 0) using … Failed
        ("SSH", "SSH2_USERAUTH" | "SSH_USERAUTH") => {
            let user = between(message, "User '", "'")?;
            let address = word_after(message, "Session from ")?;
            login(reading, message.ends_with("Succeeded"), user, address);
        }
        // pam_aaa:Authentication failed for user alice from 198.51.100.7 - sshd[7]
        (_, "SYSTEM_MSG") if message.contains("uthentication failed for user ") => {
            let user = word_after(message, " for user ")?;
            let address = word_after(message, " from ").unwrap_or_default();
            login(reading, false, user, address);
        }
        ("SEC" | "IPV6_ACL", name) if name.contains("ACCESSLOG") => return denied(message, reading),
        // Configured from console by alice on vty0 (198.51.100.7)
        ("SYS", "CONFIG_I") => {
            reading.action("configuration_changed", Some(Outcome::Success));
            reading.text("user.name", word_after(message, " by ").unwrap_or_default());
            let address = message.rsplit_once('(').map_or("", |(_, address)| address.trim_end_matches(')'));
            end(reading, ["client.address", "client.port"], address, "");
            return Some("configuration");
        }
        _ => return None,
    }
    Some("authentication")
}
