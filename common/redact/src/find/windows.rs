//! Passwords in commands of Windows: `net user NAME …`, `net use … …`, `ConvertTo-SecureString`.

use super::argument::{behind_extension, next};
use super::command::{hides_nothing, is_filled_in};
use super::text::Text;
use super::value::{self, Value, is_blank};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// The literals that announce `net` with arguments: alone, as a file, in an array and in the audit log; as an element
/// of its own in a payload, where the key of the next one follows.
pub(super) const NET: [&str; 11] = [
    "net user", "net use ", "net  us", "net.exe", "net1 us", "net1.exe", "net\" ", "net\",", "net\\\",",
    "net',", "net\n",
];
/// Arguments that are read of a command.
const MOST_ARGUMENTS: usize = 24;
/// The shortest password that counts without a switch beside it.
const SHORTEST_PASSWORD: usize = 5;
/// Between the value and the cmdlet that it is piped to.
const LONGEST_PIPE: usize = 4;
/// The longest value that is looked for before a pipe.
const LONGEST_PIPED: usize = 256;

/// Examines the command `net` at `at`.
pub(super) fn examine_net(text: &Text<'_>, at: usize) -> Option<Examined> {
    if !text.begins_word(at) || matches!(text.before(at), b'-' | b'_' | b'.' | b'@') {
        return None;
    }
    let stem = at + b"net".len();
    let end = behind_extension(text, if text.at(stem) == b'1' { stem + 1 } else { stem });
    let verb = next(text, end)?;
    let written = text.slice(verb.start, verb.end);
    let is_user = written.eq_ignore_ascii_case(b"user");
    if !is_user && !written.eq_ignore_ascii_case(b"use") {
        return None;
    }
    let (mut resume, mut operands) = (verb.end, 0);
    let (mut candidate, mut switches, mut has_device) = (None, 0, is_user);
    for _ in 0..MOST_ARGUMENTS {
        let Some(argument) = next(text, resume) else { break };
        let argument = whole(text, argument);
        resume = argument.end;
        if text.at(argument.start) == b'/' {
            switches += 1;
            continue;
        }
        operands += 1;
        let is_share = text.slice(argument.start, argument.end).starts_with(br"\\");
        let is_device = !is_user && (is_share || text.before(argument.end) == b':');
        has_device |= is_device;
        if operands > 1 && !is_device && candidate.is_none() {
            candidate = Some(argument);
        }
    }
    // Behind more operands than a name and a password stands prose.
    let is_command = operands <= if is_user { 2 } else { 3 };
    let value = candidate.filter(|value| {
        is_command && (has_device || switches > 0) && is_password(text, *value, switches > 0)
    });
    let secret =
        value.map(|value| Secret { start: value.start, end: value.end, entity: EntityType::Password });
    Some(Examined { secret, resume })
}

/// Whether `net` with an argument may begin at `at`.
pub(super) fn may_be_net(text: &Text<'_>, at: usize) -> bool {
    // Between two elements stand the keys and lengths of a list's value and of its text.
    let is_element = text.at(at + b"net".len()) == b'\n';
    text.has_ignoring_case(at, b"net")
        && (!is_element || text.has_ignoring_case(at + b"net....".len(), b"use"))
}

/// An argument up to the next blank or quote: paths and passwords hold ends of other values.
fn whole(text: &Text<'_>, argument: Value) -> Value {
    if argument.quoted {
        return argument;
    }
    let end = text.run(argument.start, |byte| byte > b' ' && !matches!(byte, b'"' | b'\'' | b'`'));
    let escape = matches!(text.at(end), b'"' | b'\'');
    let end = if escape { text.run_back(end, end - argument.start, |byte| byte == b'\\') } else { end };
    Value { end: end.max(argument.end), ..argument }
}

/// `*` asks for the password; without a switch, a word of letters alone or a number is prose.
fn is_password(text: &Text<'_>, value: Value, has_switch: bool) -> bool {
    let written = text.slice(value.start, value.end);
    // A variable of PowerShell is a name.
    let is_literal =
        written.iter().skip(1).any(|byte| !(byte.is_ascii_alphanumeric() || b"_:".contains(byte)));
    let is_word = written.iter().all(u8::is_ascii_lowercase)
        || !written.iter().any(u8::is_ascii_alphabetic)
        || written.len() < SHORTEST_PASSWORD;
    !(written == b"*" || is_filled_in(written, is_literal) || (is_word && !has_switch))
}

/// Examines the cmdlet `ConvertTo-SecureString` at `at`: its argument, or its piped input.
pub(super) fn examine_secure_string(text: &Text<'_>, at: usize) -> Option<Examined> {
    let mut end = at + b"convertto-securestring".len();
    let (mut value, mut is_plain) = (None, false);
    let bracket = text.run_at_most(end, LONGEST_PIPE, is_blank);
    if text.at(bracket) == b'(' && value::quote(text, bracket + 1).is_some() {
        let inner = value::value(text, bracket + 1);
        let closing = value::quote(text, inner.end).map_or(inner.end, |(behind, ..)| behind);
        end = if text.at(closing) == b')' { closing + 1 } else { closing };
        value = Some(inner);
    }
    for _ in 0..MOST_ARGUMENTS {
        let Some(argument) = next(text, end) else { break };
        end = argument.end;
        let written = text.slice(argument.start, argument.end);
        if written.first() == Some(&b'-') {
            is_plain |= is_plain_text(written);
        } else if value.is_none() {
            value = Some(argument);
        }
    }
    let value = value
        .or_else(|| piped(text, at).filter(|value| value.quoted || is_echoed(text, *value)))
        .filter(|value| is_plain && value.end > value.start);
    let hides = value.filter(|value| !hides_nothing(text, *value));
    let secret =
        hides.map(|value| Secret { start: value.start, end: value.end, entity: EntityType::Password });
    Some(Examined { secret, resume: end })
}

/// Whether a switch is `-AsPlainText`, abbreviated or with its value.
fn is_plain_text(switch: &[u8]) -> bool {
    const SWITCH: &[u8] = b"-asplaintext";
    let name = switch.split(|byte| *byte == b':').next().unwrap_or(switch);
    let beginning = SWITCH.get(..name.len());
    name.len() > b"-".len() && beginning.is_some_and(|beginning| name.eq_ignore_ascii_case(beginning))
}

/// Whether a word before a pipe is written by a command, not a command itself or one of its operands.
pub(super) fn is_echoed(text: &Text<'_>, value: Value) -> bool {
    const LONGEST_COMMAND: usize = 16;
    let end = text.run_back(value.start, LONGEST_PIPE, is_blank);
    let start = text.run_back(end, LONGEST_COMMAND, |byte| byte.is_ascii_alphabetic() || byte == b'-');
    let is_writer = |word: &[u8]| {
        [&b"echo"[..], b"printf", b"write-output"].iter().any(|own| own.eq_ignore_ascii_case(word))
    };
    if is_writer(text.slice(start, end)) {
        return true;
    }
    // Behind an option, `-n` or `-e`.
    let is_option = text.at(start) == b'-' && end - start <= 3;
    let end = text.run_back(start, LONGEST_PIPE, is_blank);
    let start = text.run_back(end, LONGEST_COMMAND, |byte| byte.is_ascii_alphabetic());
    is_option && is_writer(text.slice(start, end))
}

/// The value in quotes before the pipe that ends before `at`.
pub(super) fn piped(text: &Text<'_>, at: usize) -> Option<Value> {
    let pipe = text.run_back(at, LONGEST_PIPE, is_blank);
    if text.before(pipe) != b'|' {
        return None;
    }
    let closing = text.run_back(pipe - 1, LONGEST_PIPE, is_blank);
    let mark = text.before(closing);
    if !matches!(mark, b'"' | b'\'') {
        // A word without quotes.
        let start = text.run_back(closing, LONGEST_PIPED, value::is_unquoted);
        return (start < closing).then_some(Value { start, end: closing, quoted: false });
    }
    let end = text.run_back(closing - 1, 7, |byte| byte == b'\\');
    let start = text.run_back(end, LONGEST_PIPED, |byte| byte != mark && byte >= b' ');
    (text.before(start) == mark).then_some(Value { start, end, quoted: true })
}
