//! Lines of sudo: `alice : [reason ; ]TTY=pts/0 ; PWD=/home/alice ; USER=root ; COMMAND=/bin/ls -l`.
//! The directory and the command's arguments are of the user's choice, so they may imitate the other
//! parts; a possible imitation is not taken.

use sigma::event::Value;

use super::reading::{Outcome, Reading, SYSTEM};
use super::split;

/// Reads one line. A line of unknown wording still is sudo's.
pub(super) fn read(line: &str) -> Reading<'_> {
    parse(line).unwrap_or_else(|| Reading::linux(Some(SYSTEM), Some("sudo")))
}

/// Whether a line without a program's name is certainly sudo's.
pub(super) fn is_unmistakable(line: &str) -> bool {
    let has = |mark| split::at_first(line, mark).is_some();
    has(" ; USER=") && has(" ; COMMAND=") && has(" : ") && parse(line).is_some()
}

fn parse(line: &str) -> Option<Reading<'_>> {
    let (user, rest) = line.trim_start().split_once(" : ")?;
    if user.is_empty() || user.contains([' ', ';', '=']) {
        return None;
    }
    let first = rest.split(" ; ").next().unwrap_or(rest);
    let (action, outcome) = if is_part(first) { ("sudo_command", Outcome::Success) } else { denial(first) };

    let category = if outcome == Outcome::Success { "process_creation" } else { "authentication" };
    let mut reading = Reading::linux(Some(category), Some("sudo"));
    reading.action(action, Some(outcome));
    reading.text("user.name", user);
    if let Some(count) = first.split_once(" incorrect password attempt").map(|(count, _)| count) {
        reading.number("sudo.attempts", count);
    }
    if !is_part(first) {
        reading.text("event.reason", first);
    }
    if let Some(terminal) = rest.split(" ; ").find_map(|part| part.strip_prefix("TTY=")) {
        reading.text("process.tty", terminal);
    }
    target(rest, &mut reading);
    Some(reading)
}

/// `NAME=`, as the parts behind the reason begin.
fn is_part(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase()))
}

fn denial(reason: &str) -> (&'static str, Outcome) {
    let action = if reason.contains("incorrect password attempt") || reason == "a password is required" {
        "sudo_login_failed"
    } else {
        "sudo_denied"
    };
    (action, Outcome::Failure)
}

/// Target user and command. If a part occurs twice one is an imitation: the
/// command is then everything behind the first, and user and program stay unsaid.
fn target<'t>(rest: &'t str, reading: &mut Reading<'t>) {
    const COMMAND: &str = " ; COMMAND=";
    const USER: &str = " ; USER=";
    let Some((before, command)) = rest.split_once(COMMAND) else { return };
    let is_plain = !command.contains(COMMAND) && rest.matches(USER).count() <= 1;
    reading.text("process.command_line", command);
    if !is_plain {
        return;
    }
    let program = command.split(' ').next().unwrap_or_default();
    if program.starts_with('/') {
        reading.text("process.executable.path", program);
    }
    if let Some((_, user)) = before.split_once(USER) {
        let user = user.split(" ; ").next().unwrap_or_default();
        reading.push("user.effective.name", Value::String(user.into()));
    }
}

#[cfg(test)]
mod tests;
