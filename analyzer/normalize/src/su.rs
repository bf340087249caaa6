//! Lines of su, in the wordings of util-linux, shadow and BSD.

use super::reading::{Outcome, Reading};

/// Reads one line. A line of unknown wording still is su's.
pub(super) fn read(line: &str) -> Reading<'_> {
    let mut reading = Reading::linux(Some("authentication"), Some("su"));
    let Some((outcome, user, target)) = util_linux(line).or_else(|| shadow(line)).or_else(|| bsd(line))
    else {
        return reading;
    };
    let action = if outcome == Outcome::Success { "su_succeeded" } else { "su_failed" };
    reading.action(action, Some(outcome));
    reading.text("user.name", user);
    reading.text("user.effective.name", target);
    reading
}

type Switch<'t> = (Outcome, &'t str, &'t str);

/// `(to root) alice on pts/0`, `FAILED SU (to root) alice on pts/0`.
fn util_linux(line: &str) -> Option<Switch<'_>> {
    let (outcome, rest) = match line.strip_prefix("FAILED SU ") {
        Some(rest) => (Outcome::Failure, rest),
        None => (Outcome::Success, line),
    };
    let (target, rest) = rest.strip_prefix("(to ")?.split_once(") ")?;
    let (user, _) = rest.split_once(" on ")?;
    Some((outcome, user, target))
}

/// `Successful su for root by alice`, `FAILED su for root by alice`, `+ /dev/pts/0 alice:root`.
fn shadow(line: &str) -> Option<Switch<'_>> {
    if let Some(rest) = line.strip_prefix("Successful su for ") {
        let (target, user) = rest.split_once(" by ")?;
        return Some((Outcome::Success, user, target));
    }
    if let Some(rest) = line.strip_prefix("FAILED su for ") {
        let (target, user) = rest.split_once(" by ")?;
        return Some((Outcome::Failure, user, target));
    }
    let (outcome, rest) = match line.strip_prefix("+ ") {
        Some(rest) => (Outcome::Success, rest),
        None => (Outcome::Failure, line.strip_prefix("- ")?),
    };
    let (user, target) = rest.split_once(' ')?.1.split_once(':')?;
    Some((outcome, user, target))
}

/// `BAD SU alice to root on /dev/pts/0`, `alice to root on /dev/pts/0`.
fn bsd(line: &str) -> Option<Switch<'_>> {
    let (outcome, rest) = match line.strip_prefix("BAD SU ") {
        Some(rest) => (Outcome::Failure, rest),
        None => (Outcome::Success, line),
    };
    let (user, rest) = rest.split_once(" to ")?;
    let (target, _) = rest.split_once(" on ")?;
    (!user.contains(' ')).then_some((outcome, user, target))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wording_says_who_became_whom() {
        for (line, outcome) in [
            ("(to root) alice on pts/0", "success"),
            ("Successful su for root by alice", "success"),
            ("+ /dev/pts/0 alice:root", "success"),
            ("alice to root on /dev/ttyp0", "success"),
            ("FAILED SU (to root) alice on pts/0", "failure"),
            ("FAILED su for root by alice", "failure"),
            ("- /dev/pts/0 alice:root", "failure"),
            ("BAD SU alice to root on /dev/ttyp0", "failure"),
        ] {
            let reading = read(line);
            let value = |name: &str| reading.fields.iter().find(|(own, _)| *own == name)?.1.as_str();
            assert_eq!(value("event.outcome"), Some(outcome), "{line}");
            assert_eq!(value("user.name"), Some("alice"), "{line}");
            assert_eq!(value("user.effective.name"), Some("root"), "{line}");
        }
    }

    #[test]
    fn other_lines_are_still_of_su() {
        for line in ["", "(to ", "FAILED SU ", "pts", "+ ", "- x", "notice: user moved to group on request"] {
            let reading = read(line);
            assert!(reading.is_empty(), "{line}");
            assert_eq!(reading.log_source.service.as_deref(), Some("su"));
        }
    }
}
