//! Lines of PAM modules, whatever program they are linked into: `pam_unix(sshd:auth): …`.

use std::net::IpAddr;

use super::address::plain_address;
use super::reading::{Outcome, Reading};
use super::split;

const CATEGORY: &str = "authentication";

/// The service and text of a PAM line. `None` for lines of other shapes.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (module, rest) = line.strip_prefix("pam_")?.split_once('(')?;
    let (owner, text) = split::at_first(rest, "): ")?;
    let (service, kind) = owner.split_once(':')?;
    let is_word =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    (is_word(module) && is_word(service) && is_word(kind)).then_some((service, kind, text))
}

/// The service that a PAM line names.
pub(super) fn service(line: &str) -> Option<&str> {
    split(line).map(|(service, ..)| service)
}

/// Reads a PAM line of `program`; `None` for lines of other shapes.
pub(super) fn read<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let summary = line
        .strip_prefix("PAM ")
        .filter(|rest| rest.contains(" more authentication failure"))
        .or_else(|| old_module(line));
    let (text, kind) = match (summary, split(line)) {
        (Some(text), _) => (text, "auth"),
        (None, Some((_, kind, text))) => (text, kind),
        (None, None) => return None,
    };
    let mut reading = Reading::linux(Some(CATEGORY), log_service(program));
    if kind == "session" {
        session(text, &mut reading);
    } else if text.contains("authentication failure") {
        reading.action("pam_authentication_failed", Some(Outcome::Failure));
        failure(text, &mut reading);
    } else if text.starts_with("check pass; user unknown") {
        reading.action("pam_user_unknown", Some(Outcome::Failure));
    } else if kind == "account"
        && let Some(user) = expired(text).filter(|_| !is_scheduled(program))
    {
        reading.action("login_failed", Some(Outcome::Failure));
        reading.text("user.name", user);
    } else if let Some(rest) = text.strip_prefix("access denied for user `") {
        refused_by_address(rest, &mut reading);
    }
    Some(reading)
}

/// The account in `account dora has expired (account expired)`, whose password is right and no longer let in.
fn expired(text: &str) -> Option<&str> {
    let (user, reason) = split::at_last(text.strip_prefix("account ")?, " has expired")?;
    let is_end = reason.is_empty() || (reason.starts_with(" (") && reason.ends_with(')'));
    (is_end && !user.is_empty()).then_some(user)
}

/// Whether a program does not log users in: it starts jobs of accounts, and SSH reports the same in its own words.
fn is_scheduled(program: &str) -> bool {
    matches!(program, "cron" | "atd" | "systemd-user" | "systemd" | "sshd" | "su" | "sudo")
}

/// Reads a line of a PAM module under a name of its own: `sshd(pam_unix)[123]: …`, `PAM_unix[123]: …`.
pub(super) fn read_module<'t>(program: &str, line: &'t str) -> Option<Reading<'t>> {
    const OLD_NAMES: [&str; 3] = ["PAM_unix", "PAM_pwdb", "PAM_unix_auth"];
    let owner = match program.split_once('(') {
        Some((owner, module)) => (module.starts_with("pam_") && module.ends_with(')')).then_some(owner)?,
        None => OLD_NAMES.contains(&program).then_some("")?,
    };
    let mut reading = Reading::linux(Some(CATEGORY), log_service(owner).or_else(|| service_of(line)));
    if line.contains("authentication failure") {
        reading.action("pam_authentication_failed", Some(Outcome::Failure));
        failure(line, &mut reading);
    } else if line.starts_with("check pass; user unknown") {
        reading.action("pam_user_unknown", Some(Outcome::Failure));
    } else {
        session(line, &mut reading);
    }
    Some(reading)
}

/// The service that an old line names itself: `authentication failure; (uid=0) -> root for ssh service`, `tty=NODEVssh`.
fn service_of(line: &str) -> Option<&'static str> {
    const OF_SSH: [&str; 4] = [" for ssh service", " for sshd service", " tty=ssh ", " tty=NODEVssh "];
    OF_SSH.iter().any(|words| line.contains(words)).then_some("sshd")
}

/// The text behind the name of a module as programs wrote it before the service stood in parentheses: `(pam_unix) TEXT`.
fn old_module(line: &str) -> Option<&str> {
    let (module, text) = line.strip_prefix("(pam_")?.split_once(") ")?;
    module
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte.is_ascii_digit())
        .then_some(text)
}

fn log_service(program: &str) -> Option<&'static str> {
    match program {
        "sshd" => Some("sshd"),
        "sudo" => Some("sudo"),
        "su" => Some("su"),
        "cron" => Some("cron"),
        "vsftpd" => Some("vsftpd"),
        _ => None,
    }
}

/// `…; logname= uid=0 euid=0 tty=ssh ruser= rhost=198.51.100.7  user=root`. The remote user is of the
/// client's choice and, with some modules, so is the user: a name that occurs twice is not taken.
fn failure<'t>(text: &'t str, reading: &mut Reading<'t>) {
    if let Some(address) = only(text, " rhost=").and_then(|rest| rest.split(' ').next()) {
        let address = plain_address(address);
        let name = if address.parse::<IpAddr>().is_ok() { "client.address" } else { "client.domain" };
        reading.text(name, address);
    }
    if let Some((_, rest)) = text.split_once("; (uid=").filter(|(_, rest)| rest.ends_with(" service")) {
        // `(uid=0) -> root for sshd service`.
        let user = rest
            .split_once(" -> ")
            .and_then(|(_, rest)| rest.rsplit_once(" for "))
            .map_or("", |(user, _)| user);
        reading.text("user.name", user);
    }
    if let Some(user) = only(text, " user=").filter(|rest| !rest.contains(' ')) {
        reading.text("user.name", user);
    }
}

/// `USER' from `ADDRESS'`, of pam_access.
fn refused_by_address<'t>(text: &'t str, reading: &mut Reading<'t>) {
    reading.action("pam_authentication_failed", Some(Outcome::Failure));
    let Some((user, from)) = text.rsplit_once("' from `") else { return };
    let from = from.trim_end_matches('\'');
    let name = if from.parse::<IpAddr>().is_ok() { "client.address" } else { "client.domain" };
    reading.text(name, from);
    reading.text("user.name", user);
}

/// Text behind `name`, where `name` occurs once.
fn only<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(name)?;
    (!rest.contains(name)).then_some(rest)
}

/// `session opened for user root(uid=0) by alice(uid=1000)`.
fn session<'t>(text: &'t str, reading: &mut Reading<'t>) {
    let (rest, action) = if let Some(rest) = text.strip_prefix("session opened for user ") {
        (rest, "pam_session_opened")
    } else if let Some(rest) = text.strip_prefix("session closed for user ") {
        (rest, "pam_session_closed")
    } else {
        return;
    };
    reading.action(action, None);
    let (owner, by) = split::at_last(rest, " by ").unwrap_or((rest, ""));
    let name = |text: &'t str| text.split('(').next().unwrap_or_default();
    if name(by).is_empty() {
        reading.text("user.name", name(owner));
    } else {
        reading.text("user.name", name(by));
        reading.text("user.effective.name", name(owner));
    }
}

#[cfg(test)]
mod tests;
