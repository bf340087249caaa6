//! Lines of the service manager and of its login manager.

use super::reading::{Outcome, Reading, SYSTEM};

/// Reads a line of the service manager. A line of unknown wording still is its own.
pub(super) fn read(line: &str) -> Reading<'_> {
    let mut reading = Reading::linux(Some(SYSTEM), None);
    let line = line.trim_end();
    if let Some((unit, what)) = line.split_once(": ").filter(|(unit, _)| is_unit(unit)) {
        let (action, outcome) = if what.starts_with("Failed with result ") {
            ("service_failed", Some(Outcome::Failure))
        } else if what.starts_with("Main process exited") {
            ("service_process_exited", None)
        } else if what.starts_with("Scheduled restart job") {
            ("service_restart_scheduled", None)
        } else {
            reading.text("systemd.unit", unit);
            return reading;
        };
        reading.action(action, outcome);
        reading.text("systemd.unit", unit);
        return reading;
    }
    let found = [
        ("Started ", "service_started"),
        ("Stopped ", "service_stopped"),
        ("Reloaded ", "service_reloaded"),
        ("Failed to start ", "service_failed"),
        ("Created slice ", "slice_created"),
        ("Removed slice ", "slice_removed"),
    ]
    .iter()
    .find_map(|(opening, action)| Some((line.strip_prefix(opening)?, *action)));
    if let Some((what, action)) = found {
        reading.action(action, (action == "service_failed").then_some(Outcome::Failure));
        reading.text("systemd.unit", unit_of(what));
    }
    reading
}

/// `NAME - DESCRIPTION.` in newer versions, a description alone in older ones.
fn unit_of(what: &str) -> &str {
    let name = what.split(" - ").next().unwrap_or(what);
    if is_unit(name) { name } else { what.trim_end_matches(['.', '…']) }
}

fn is_unit(word: &str) -> bool {
    const KINDS: [&str; 8] = ["service", "socket", "timer", "mount", "slice", "scope", "target", "path"];
    !word.contains(' ') && word.rsplit_once('.').is_some_and(|(_, kind)| KINDS.contains(&kind))
}

/// Reads a line of the login manager: `New session 12 of user alice.`, `Removed session 12.`.
pub(super) fn read_login(line: &str) -> Reading<'_> {
    let mut reading = Reading::linux(Some(SYSTEM), None);
    let line = line.trim_end();
    if let Some((session, user)) =
        line.strip_prefix("New session ").and_then(|rest| rest.split_once(" of user "))
    {
        // Newer versions add the class and type of the session behind the name.
        let user = user.split(" with class ").next().unwrap_or(user);
        reading.action("session_opened", None);
        reading.text("user.name", user.trim_end_matches(['.', '\'']).trim_start_matches('\''));
        reading.text("session.id", session.trim_matches('\''));
    } else if let Some(session) = line.strip_prefix("Removed session ") {
        reading.action("session_closed", None);
        reading.text("session.id", session.trim_end_matches('.'));
    } else if let Some((session, _)) =
        line.strip_prefix("Session ").and_then(|rest| rest.split_once(" logged out"))
    {
        reading.action("session_logged_out", None);
        reading.text("session.id", session);
    }
    reading
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'t>(reading: &'t Reading<'_>, name: &str) -> Option<&'t str> {
        reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str()
    }

    #[test]
    fn services_come_and_go() {
        for (line, action, unit) in [
            ("Started nginx.service - A high performance web server.", "service_started", "nginx.service"),
            ("Started A high performance web server.", "service_started", "A high performance web server"),
            ("Stopped cron.service - Regular jobs.", "service_stopped", "cron.service"),
            ("Failed to start nginx.service - Web.", "service_failed", "nginx.service"),
            ("nginx.service: Failed with result 'exit-code'.", "service_failed", "nginx.service"),
            (
                "nginx.service: Main process exited, code=exited, status=1/FAILURE",
                "service_process_exited",
                "nginx.service",
            ),
            ("Created slice user-1000.slice - User Slice of UID 1000.", "slice_created", "user-1000.slice"),
        ] {
            let reading = read(line);
            assert_eq!(value(&reading, "event.action"), Some(action), "{line}");
            assert_eq!(value(&reading, "systemd.unit"), Some(unit), "{line}");
        }
        assert!(read("Reached target multi-user.target.").is_empty());
    }

    #[test]
    fn sessions_come_and_go() {
        for (line, action, user) in [
            ("New session 12 of user alice.", "session_opened", Some("alice")),
            (
                "New session '12' of user 'alice' with class 'user' and type 'tty'.",
                "session_opened",
                Some("alice"),
            ),
            ("Removed session 12.", "session_closed", None),
            ("Session 12 logged out. Waiting for processes to exit.", "session_logged_out", None),
        ] {
            let reading = read_login(line);
            assert_eq!(value(&reading, "event.action"), Some(action), "{line}");
            assert_eq!(value(&reading, "session.id"), Some("12"), "{line}");
            assert_eq!(value(&reading, "user.name"), user, "{line}");
        }
        for line in ["", "New session ", "Session ", "Watching system buttons on /dev/input/event0"] {
            assert!(read_login(line).is_empty(), "{line}");
        }
    }
}
