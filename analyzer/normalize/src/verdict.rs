//! Verdict on a structured record of any product: a login that worked or did not, traffic that was let through
//! or not. Based on the fields of the action and its outcome; the names of the actions are those of
//! programs that have readers, so that one rule counts all of them.

mod words;

use std::borrow::Cow;

use sigma::event::Value;

use self::words::{Words, of_message, of_name, outcome_of, verdict_of};
use super::client;
use super::reading::{Outcome, Reading};
use super::roles::{Role, Roles};

/// A login of any program that was refused.
pub(super) const LOGIN_FAILED: &str = "login_failed";
/// A login of any program that succeeded.
pub(super) const LOGIN_SUCCEEDED: &str = "login_succeeded";
/// Traffic that a device did not let through.
pub(super) const DENIED: &str = "firewall_denied";
/// Traffic that a device let through.
pub(super) const ALLOWED: &str = "firewall_allowed";

/// Parts beside subject and action.
const DETAILS: [Role; 13] = [
    Role::DestinationAddress,
    Role::DestinationPort,
    Role::TargetUser,
    Role::Reason,
    Role::ProcessPath,
    Role::CommandLine,
    Role::FilePath,
    Role::Sha256,
    Role::Sha1,
    Role::Md5,
    Role::AnyHash,
    Role::ProcessName,
    Role::Transport,
];

/// Whether a record's message speaks of a login.
pub(super) fn speaks_of_login(roles: &Roles<'_, '_>) -> bool {
    roles.str(Role::Message).is_some_and(|message| of_message(message).login)
}

/// Actions of devices on traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Deny,
    Allow,
}

/// Adds the verdict of the fields, and its subject. Returns the resulting category of the record.
pub(super) fn read<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>) -> Option<&'static str> {
    let stated = stated_outcome(roles);
    let about_somebody = roles.has(Role::User)
        || roles.has(Role::TargetUser)
        || roles.has(Role::ClientAddress)
        || roles.has(Role::AnyAddress);
    let login = if about_somebody { login(roles, stated) } else { None };
    if let Some(outcome) = login {
        let action = if outcome == Outcome::Failure { LOGIN_FAILED } else { LOGIN_SUCCEEDED };
        reading.action(action, Some(outcome));
        people(roles, reading, true);
        return Some("authentication");
    }
    let is_traffic = roles.has(Role::ClientAddress)
        && roles.has(Role::DestinationAddress)
        && (roles.has(Role::DestinationPort) || roles.has(Role::Transport));
    let verdict = if is_traffic { traffic(roles) } else { None };
    match verdict {
        Some(Verdict::Deny) => reading.action(DENIED, Some(Outcome::Failure)),
        Some(Verdict::Allow) => reading.action(ALLOWED, Some(Outcome::Success)),
        None if roles.has(Role::ClientAddress) => {
            let of_device = || {
                Some(match traffic(roles)? {
                    Verdict::Deny => Outcome::Failure,
                    Verdict::Allow => Outcome::Success,
                })
            };
            reading.outcome(stated.or_else(of_device));
        }
        None => reading.outcome(stated),
    }
    people(roles, reading, false);
    verdict.map(|_| "firewall")
}

/// Adds the rest of the dictionary's fields: destination, object, reporting product.
pub(super) fn details<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>) {
    if !roles.has_any(&DETAILS) {
        return;
    }
    if let Some(address) = client::address_of(roles, Role::DestinationAddress) {
        reading.push("destination.address", Value::String(address));
    }
    if let Some(port) = roles.number(Role::DestinationPort) {
        reading.push("destination.port", Value::Int(port));
    }
    for (role, name) in [
        (Role::TargetUser, "user.target.name"),
        (Role::Reason, "event.reason"),
        (Role::ProcessPath, "process.executable.path"),
        (Role::CommandLine, "process.command_line"),
        (Role::FilePath, "file.path"),
        (Role::Sha256, "file.hash.sha256"),
        (Role::Sha1, "file.hash.sha1"),
        (Role::Md5, "file.hash.md5"),
        (Role::ProcessName, "process.name"),
    ] {
        if let Some(text) = roles.text(role) {
            reading.push(name, Value::String(text));
        }
    }
    if let Some(hash) = roles.text(Role::AnyHash) {
        let is_hash = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let name = match hash.len() {
            64 => Some("file.hash.sha256"),
            40 => Some("file.hash.sha1"),
            32 => Some("file.hash.md5"),
            _ => None,
        };
        if let Some(name) = name.filter(|_| is_hash) {
            reading.push(name, Value::String(hash));
        }
    }
    if let Some(transport) = roles.text(Role::Transport).and_then(transport) {
        reading.push("network.transport", Value::String(transport));
    }
}

/// Names the product as the program, so that counts for each program are counts for each product.
pub(super) fn product<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>) {
    if !roles.has(Role::ProcessName)
        && let Some(product) = roles.text(Role::Product)
    {
        reading.push("process.name", Value::String(product));
    }
}

/// Lower case, as OpenTelemetry has it, for the protocols that have ports or are asked for by name.
fn transport(name: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let known = match name.trim() {
        "6" => "tcp",
        "17" => "udp",
        "1" => "icmp",
        "58" => "ipv6-icmp",
        word => ["tcp", "udp", "icmp", "sctp"].into_iter().find(|known| known.eq_ignore_ascii_case(word))?,
    };
    Some(Cow::Borrowed(known))
}

/// Client and account where no field names them for certain: any address, and of logins the account.
fn people<'a>(roles: &Roles<'_, 'a>, reading: &mut Reading<'a>, is_login: bool) {
    let is_about_a_person = roles.has(Role::User) || roles.has(Role::TargetUser);
    if !roles.has(Role::ClientAddress)
        && (is_about_a_person || is_login)
        && let Some(address) = client::address_of(roles, Role::AnyAddress)
    {
        reading.push("client.address", Value::String(address));
    }
    if is_login
        && !roles.has(Role::User)
        && let Some(user) = roles.text(Role::TargetUser)
    {
        reading.push("user.name", Value::String(user));
    }
}

fn stated_outcome(roles: &Roles<'_, '_>) -> Option<Outcome> {
    if let Some(yes) = roles.get(Role::Succeeded).and_then(yes_or_no) {
        return Some(if yes { Outcome::Success } else { Outcome::Failure });
    }
    let status = || roles.str(Role::Status).and_then(outcome_of);
    roles.str(Role::Outcome).and_then(outcome_of).or_else(status)
}

fn yes_or_no(value: &Value<'_>) -> Option<bool> {
    match value {
        Value::Bool(yes) => Some(*yes),
        Value::Int(1) => Some(true),
        Value::Int(0) => Some(false),
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the record is about a login, and its outcome.
fn login(roles: &Roles<'_, '_>, stated: Option<Outcome>) -> Option<Outcome> {
    let (mut all, mut is_said) = (Words::default(), false);
    all.login = roles.names_login();
    for text in roles.activities() {
        let words = if text.len() <= words::LONGEST_NAME { of_name(text) } else { of_message(text) };
        // Vault writes a login as the update of a path.
        is_said |= text.starts_with("auth/") && words.login;
        is_said |= words.login && (words.failure || words.success) && !words.change;
        all.add(words);
    }
    let message = roles.str(Role::Message).map(of_message).unwrap_or_default();
    is_said |= message.login && message.failure && !message.change;
    let is_other = |words: Words| words.logout || words.change;
    if (is_other(all) || (is_other(message) && !all.login)) && !is_said {
        return None;
    }
    // Messages may hold text of the client's: their words count where they speak of a login themselves and no field states
    // the outcome.
    let is_told_to_fail = message.login && message.failure;
    all.login |= message.login;
    if !all.login {
        return None;
    }
    let reason = || {
        let reason = roles.str(Role::Reason)?;
        let words = of_name(reason);
        (!words.success || words.failure).then_some(Outcome::Failure)
    };
    if all.failure || stated == Some(Outcome::Failure) {
        return Some(Outcome::Failure);
    }
    if [Role::Status, Role::Outcome].iter().any(|role| matches!(roles.number(*role), Some(401 | 403))) {
        return Some(Outcome::Failure);
    }
    if stated.is_some() {
        return stated;
    }
    if is_told_to_fail {
        return Some(Outcome::Failure);
    }
    if all.success {
        return Some(Outcome::Success);
    }
    reason()
}

/// Action of a device on traffic.
fn traffic(roles: &Roles<'_, '_>) -> Option<Verdict> {
    let outcome = [Role::Action, Role::Outcome, Role::Status].map(|role| roles.str(role));
    let message = roles.str(Role::Message);
    outcome.into_iter().flatten().chain(roles.activities()).chain(message).find_map(verdict_of)
}

#[cfg(test)]
mod tests;
