//! Lines of cron and crontab: `(alice) CMD (/usr/local/bin/backup)`, in the wordings of Vixie cron, its
//! successors and cronie.

use super::reading::{Outcome, Reading, SYSTEM};

/// Reads one line. A line of unknown wording still is cron's.
pub(super) fn read(line: &str) -> Reading<'_> {
    let mut reading = Reading::linux(Some(SYSTEM), Some("cron"));
    let Some((user, verb, argument)) = parts(line) else { return reading };
    let action = match verb {
        "CMD" => "cron_command",
        "REPLACE" => "crontab_replaced",
        "DELETE" => "crontab_deleted",
        "BEGIN EDIT" => "crontab_edit_begun",
        "END EDIT" => "crontab_edit_ended",
        "LIST" => "crontab_listed",
        "RELOAD" => "crontab_reloaded",
        "AUTH" => "crontab_denied",
        _ => return reading,
    };
    reading.action(action, (verb == "AUTH").then_some(Outcome::Failure));
    reading.text("user.name", user);
    match verb {
        "CMD" => {
            reading.log_source.category = Some("process_creation".into());
            reading.text("process.command_line", argument);
        }
        "RELOAD" => reading.text("file.path", argument),
        "AUTH" => {}
        // Whose table it is: root may change anybody's.
        _ => reading.text("user.target.name", argument),
    }
    reading
}

/// `(USER) VERB (ARGUMENT)`. The verb is in capitals and the user's name holds no bracket, so that a
/// command cannot imitate either.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    let (user, rest) = line.trim_end().strip_prefix('(')?.split_once(") ")?;
    let (verb, argument) = rest.split_once(" (")?;
    let argument = argument.strip_suffix(')').unwrap_or(argument);
    // Some builds begin the command with the job's process id: `([812] /bin/true)`.
    let command = argument.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let argument = match command {
        Some((id, command)) if verb == "CMD" && id.bytes().all(|byte| byte.is_ascii_digit()) => command,
        _ => argument,
    };
    (!user.contains('(')).then_some((user, verb, argument))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verb_says_who_did_what() {
        for (line, action, user, name, argument) in [
            (
                "(root) CMD (/usr/bin/a -x (b))",
                "cron_command",
                "root",
                "process.command_line",
                "/usr/bin/a -x (b)",
            ),
            ("(alice) CMD ([812] /bin/true)", "cron_command", "alice", "process.command_line", "/bin/true"),
            (
                "(alice) CMD (   cd / && run)",
                "cron_command",
                "alice",
                "process.command_line",
                "   cd / && run",
            ),
            ("(root) REPLACE (alice)", "crontab_replaced", "root", "user.target.name", "alice"),
            ("(alice) BEGIN EDIT (alice)", "crontab_edit_begun", "alice", "user.target.name", "alice"),
            ("(alice) LIST (alice)", "crontab_listed", "alice", "user.target.name", "alice"),
            ("(root) RELOAD (crontabs/root)", "crontab_reloaded", "root", "file.path", "crontabs/root"),
        ] {
            let reading = read(line);
            let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str();
            assert_eq!(value("event.action"), Some(action), "{line}");
            assert_eq!(value("user.name"), Some(user), "{line}");
            assert_eq!(value(name), Some(argument), "{line}");
        }
        let denied = read("(eve) AUTH (crontab command not allowed)");
        assert!(denied.fields.iter().any(|(_, value)| value.as_str() == Some("failure")));
    }

    #[test]
    fn other_lines_are_still_of_cron() {
        for line in [
            "",
            "(",
            "(root) ",
            "(root) CMD",
            "(a(b) CMD (x)",
            "INFO (Running @reboot jobs)",
            "(*system*) x (y)",
        ] {
            let reading = read(line);
            assert!(reading.is_empty(), "{line}");
            assert_eq!(reading.log_source.service.as_deref(), Some("cron"));
        }
    }
}
