//! Arguments of a command as they stand in text: on a command line, in a JSON array (escaped or not), in a list of
//! Python or YAML, or as `a0="…" a1="…"` of the Linux audit log. Which of them are secret is decided in
//! [`super::command`].

use super::listed::line_break;
use super::text::Text;
use super::value::{self, Value, is_blank};

/// The most bytes between two arguments: blanks, a comma, the name of an argument.
const MOST_BETWEEN: usize = 16;

/// The most blanks at the start of a line that belongs to a command.
const MOST_INDENTED: usize = 32;

/// The argument behind text that ends at `end`: the closing quote of the one before, blanks or a comma, and the value.
/// None where the command ends.
pub(super) fn next(text: &Text<'_>, end: usize) -> Option<Value> {
    let at = next_start(text, end)?;
    let value = value::value(text, at);
    (value.end > value.start || value.quoted).then_some(value)
}

/// Start of the argument behind `end`, or of its quote.
pub(super) fn next_start(text: &Text<'_>, end: usize) -> Option<usize> {
    let closed = value::quote(text, end).map_or(end, |(closed, ..)| closed);
    let mut at = continued(text, text.run_at_most(closed, MOST_BETWEEN, is_blank));
    if text.at(at) == b',' {
        at = text.run_at_most(at + 1, MOST_BETWEEN, is_blank);
    }
    if at == closed {
        return None;
    }
    at = behind_audit_name(text, at);
    let ends =
        matches!(text.at(at), 0 | b'|' | b';' | b'&' | b'<' | b'>' | b')' | b']' | b'}' | b'\n' | b'\r');
    (!ends).then_some(at)
}

/// Continuation of a command in another line, behind a mark of continuation or as the next item of a YAML list.
fn continued(text: &Text<'_>, at: usize) -> usize {
    let is_marked = matches!(text.at(at), b'\\' | b'^' | b'`');
    let mark = if is_marked { at + 1 + usize::from(text.has(at, b"\\\\")) } else { at };
    let Some(line) = line_break(text, mark) else { return at };
    let start = text.run_at_most(line, MOST_INDENTED, is_blank);
    if is_marked {
        return start;
    }
    if text.at(start) == b'-' && is_blank(text.at(start + 1)) { start + 2 } else { at }
}

/// Behind `a12=` of the audit log.
fn behind_audit_name(text: &Text<'_>, at: usize) -> usize {
    if text.at(at) != b'a' {
        return at;
    }
    let digits = text.run_at_most(at + 1, 4, |byte| byte.is_ascii_digit());
    if digits > at + 1 && text.at(digits) == b'=' && value::quote(text, digits + 1).is_some() {
        digits + 1
    } else {
        at
    }
}

/// Whether a command's name may end at `end`: a separator of arguments follows. In a payload, where each
/// argument may be a text of its own, that is any control character.
pub(super) fn may_follow(text: &Text<'_>, end: usize) -> bool {
    let byte = text.at(end);
    byte <= b' ' || matches!(byte, b'"' | b'\'' | b'`' | b',' | b'\\')
}

/// Behind a name and its ending `.exe`.
pub(super) fn behind_extension(text: &Text<'_>, end: usize) -> usize {
    if text.has_ignoring_case(end, b".exe") { end + 4 } else { end }
}
