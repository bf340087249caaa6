//! Passwords whose name is ambiguous: `pass=`, `-passin pass:…`, `.netrc`, `auth` of a registry. The text
//! around or in the value decides.

use super::pair::{Name, name_around};
use super::text::Text;
use super::value::{self, Value, is_blank};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// Longest text before `pass` searched for an account.
const LONGEST_HEAD: usize = 96;
/// Longest text behind its value searched for counts.
const LONGEST_TAIL: usize = 48;
/// The shortest value of digits, or of letters, that counts beside an account.
const SHORTEST_BESIDE_ACCOUNT: usize = 4;
/// The shortest value of letters and digits that counts by itself.
const SHORTEST_ALONE: usize = 8;
/// Names of accounts that stand beside a number only where it is a password.
const NEAR_ACCOUNTS: [&[u8]; 7] =
    [b"user=", b"login=", b"username=", b"usr=", b"uid=", b"user\":", b"username\":"];
/// Names of counts, which stand beside other counts.
const COUNTS: [&[u8]; 8] = [b"fail", b"total", b"skip", b"error", b"warn", b"tests", b"count", b"blocked"];
/// Names of accounts, as words.
const ACCOUNTS: [&[u8]; 13] = [
    b"user",
    b"username",
    b"userid",
    b"user_id",
    b"user_name",
    b"uid",
    b"login",
    b"usr",
    b"mail",
    b"email",
    b"account",
    b"acct",
    b"log",
];
/// The one of them that is a word of other meaning, unless it begins a field of a query.
const LOG: &[u8] = b"log";
/// Words that tell how a test or a check ended.
const OUTCOMES: [&[u8]; 12] = [
    b"fail", b"failed", b"pass", b"passed", b"skip", b"skipped", b"okay", b"success", b"through", b"error",
    b"warn", b"done",
];

/// Whether the name is the word `pass` alone.
pub(super) fn is_pass(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"pass")
}

/// Whether the value of a name `pass` is a password rather than a count or an outcome.
pub(super) fn is_password(text: &Text<'_>, name: Name, value: Value, is_colon: bool) -> bool {
    if behind_option(text, name) {
        return true;
    }
    let written = value::trim_brackets(text.slice(value.start, value.end));
    let digits = written.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = written.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let beside_account = || beside_account(text, name);
    if is_outcome(written) || value::holds_mask(written) {
        return false;
    }
    if digits == written.len() {
        return written.len() >= SHORTEST_BESIDE_ACCOUNT && is_number_of_account(text, name, value);
    }
    if letters == written.len() {
        return written.len() >= SHORTEST_BESIDE_ACCOUNT && beside_account();
    }
    let is_measure =
        written.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'%' | b'/' | b','));
    let is_alone = written.len() >= SHORTEST_ALONE && (!is_colon || value.quoted) && is_no_word(written);
    !is_measure && (is_alone || beside_account())
}

/// The value without angle brackets, as mail servers write them around values.
pub(super) fn within_angles(text: &Text<'_>, value: Value) -> Value {
    match text.slice(value.start, value.end) {
        [b'<', .., b'>'] => Value { start: value.start + 1, end: value.end - 1, ..value },
        _ => value,
    }
}

fn is_outcome(written: &[u8]) -> bool {
    OUTCOMES.iter().any(|word| written.eq_ignore_ascii_case(word))
}

/// Whether a value is no word that bears a number: digits stand between its letters, or signs that no name has.
fn is_no_word(written: &[u8]) -> bool {
    let is_sign = |byte: &u8| b"!#$%&*?^~+".contains(byte);
    let between = || {
        let before = written.split(u8::is_ascii_digit).filter(|part| !part.is_empty());
        before.clone().count() > 1
            && written.windows(2).any(
                |pair| matches!(pair, [one, other] if one.is_ascii_alphabetic() && other.is_ascii_digit()),
            )
            && written.windows(2).any(
                |pair| matches!(pair, [one, other] if one.is_ascii_digit() && other.is_ascii_alphabetic()),
            )
            && !written.iter().any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/'))
    };
    let has = |class: fn(&u8) -> bool| written.iter().any(class);
    has(u8::is_ascii_alphabetic) && has(u8::is_ascii_digit) && (written.iter().any(is_sign) || between())
}

/// Whether an account is named shortly before.
fn beside_account(text: &Text<'_>, name: Name) -> bool {
    let head = head(text, name);
    ACCOUNTS.iter().any(|word| memchr::memmem::find_iter(&head, word).any(|at| is_account(&head, at, word)))
}

/// Whether the name of an account that stands there is a word of its own, with a value or a word behind it.
fn is_account(head: &[u8], at: usize, word: &[u8]) -> bool {
    let before = at.checked_sub(1).and_then(|before| head.get(before)).copied().unwrap_or(b' ');
    let behind = head.get(at + word.len()).copied().unwrap_or(b' ');
    if word == LOG {
        return behind == b'=' && matches!(before, b'?' | b'&');
    }
    !before.is_ascii_alphanumeric()
        && !behind.is_ascii_alphanumeric()
        && !matches!(behind, b'-' | b'_' | b'.' | b'/')
}

/// Whether a number is the password of an account that is named shortly before, and not one of several counts.
fn is_number_of_account(text: &Text<'_>, name: Name, value: Value) -> bool {
    let head = head(text, name);
    let tail_end = text.run_at_most(value.end, LONGEST_TAIL, is_in_line);
    let tail = text.slice(value.end, tail_end).to_ascii_lowercase();
    holds(&head, &NEAR_ACCOUNTS) && !holds(&head, &COUNTS) && !holds(&tail, &COUNTS)
}

/// The line shortly before a name, in lower case.
fn head(text: &Text<'_>, name: Name) -> Vec<u8> {
    let start = text.run_back(name.start, LONGEST_HEAD, is_in_line);
    text.slice(start, name.start).to_ascii_lowercase()
}

fn is_in_line(byte: u8) -> bool {
    !matches!(byte, b'\n' | b'\r')
}

fn holds(text: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| memchr::memmem::find(text, word).is_some())
}

/// Whether an option such as `-passin` of OpenSSL stands before the word `pass`.
fn behind_option(text: &Text<'_>, name: Name) -> bool {
    let is_between = |byte: u8| is_blank(byte) || matches!(byte, b'"' | b'\'' | b'\\' | b',' | b'=');
    let mut end = text.run_back(name.start, 16, is_between);
    // `a3=` of the audit log.
    let audit = text.run_back(end, 4, |byte| byte.is_ascii_digit());
    if end > audit && end < name.start && text.before(audit) == b'a' {
        end = text.run_back(audit - 1, 16, is_between);
    }
    let option = text.slice(text.run_back(end, 16, |byte| byte.is_ascii_alphabetic() || byte == b'-'), end);
    end < name.start && (option.starts_with(b"-pass") || option.starts_with(b"--pass"))
}

/// The password of an entry of `.netrc`: `machine … login … password …`, of which `login …` may be absent.
pub(super) fn netrc(text: &Text<'_>, name: Name) -> Option<Value> {
    let start = behind_blanks(text, name.end)?;
    if !is_entry(text, name) {
        return None;
    }
    let value = value::value(text, start);
    (value.end > value.start).then_some(value)
}

/// Whether the name is the word `password` of an entry of `.netrc`, as far as the word before the last one tells.
pub(super) fn may_be_netrc(text: &Text<'_>, name: Name) -> bool {
    const LONGEST_WORD: usize = 64;
    if !text.slice(name.start, name.end).eq_ignore_ascii_case(b"password") {
        return false;
    }
    let end = before_blanks(text, name.start);
    let end = text.run_back(end, LONGEST_WORD, |byte| byte > b' ');
    let end = before_blanks(text, end);
    [&b"login"[..], b"machine", b"account"]
        .iter()
        .any(|word| end.checked_sub(word.len()).is_some_and(|at| text.has(at, word)))
}

/// Before white space, and before a line break as an escape sequence.
fn before_blanks(text: &Text<'_>, at: usize) -> usize {
    let end = text.run_back(at, 16, |byte| byte.is_ascii_whitespace());
    if text.before(end) == b'n' && text.has(end.saturating_sub(2), b"\\n") { end - 2 } else { end }
}

fn is_entry(text: &Text<'_>, name: Name) -> bool {
    let Some((value, at)) = word_before(text, name.start) else { return false };
    let Some((key, at)) = word_before(text, at) else { return false };
    if key == b"machine" {
        return value.contains(&b'.');
    }
    if key == b"account" {
        return word_before(text, at)
            .and_then(|(_, at)| word_before(text, at))
            .is_some_and(|(key, _)| key == b"login");
    }
    let Some((host, at)) = word_before(text, at).filter(|_| key == b"login") else { return false };
    host.ends_with(b"default") || word_before(text, at).is_some_and(|(word, _)| word.ends_with(b"machine"))
}

/// The word before `at` and where it begins; between the two stands white space, escape sequences included.
fn word_before<'t>(text: &Text<'t>, at: usize) -> Option<(&'t [u8], usize)> {
    const LONGEST_WORD: usize = 64;
    let mut end = text.run_back(at, 16, |byte| byte.is_ascii_whitespace());
    if text.has(end.saturating_sub(2), b"\\n") {
        end = text.run_back(end - 2, 2, |byte| byte == b'r' || byte == b'\\');
    }
    let closed = if matches!(text.before(end), b'"' | b'\'') && end > 1 { end - 1 } else { end };
    let end = if closed < end { text.run_back(closed, 1, |byte| byte == b'\\') } else { end };
    let start = text.run_back(end, LONGEST_WORD, |byte| byte > b' ' && byte != b'\'' && byte != b'"');
    if closed < at && matches!(text.before(start), b'"' | b'\'') && text.at(closed) == text.before(start) {
        let before = text.run_back(start - 1, 1, |byte| byte == b'\\');
        return (start < end).then(|| (text.slice(start, end), before));
    }
    let start = if text.has(start, b"\\n") { start + 2 } else { start };
    (end < at && start < end).then(|| (text.slice(start, end), start))
}

fn behind_blanks(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.run_at_most(at, 16, |byte| byte.is_ascii_whitespace());
    (end > at).then_some(end)
}

/// Examines the name around `auth` at `at` and the value behind it.
pub(super) fn examine_registry(text: &Text<'_>, at: usize) -> Option<Examined> {
    let (value, counts) = registry(text, name_around(text, at)?)?;
    let secret = Secret { start: value.start, end: value.end, entity: EntityType::Password };
    Some(Examined { secret: counts.then_some(secret), resume: value.end })
}

/// The base64 behind the name `auth` or `_auth`, and whether it is the credential of a container registry:
/// `user:password`. Only the run of base64 is read, so a name within a longer value is still examined.
fn registry(text: &Text<'_>, name: Name) -> Option<(Value, bool)> {
    if !matches!(text.slice(name.start, name.end), b"auth" | b"_auth") {
        return None;
    }
    let place = value::separator(text, name.end)?;
    let quote = value::quote(text, place.at);
    let start = quote.map_or(place.at, |(start, ..)| start);
    let end = text.run(start, |byte| sextet(byte).is_some() || byte == b'=');
    let ends = !value::is_unquoted(text.at(end)) || text.at(end) == b'\\';
    let value = Value { start, end, quoted: quote.is_some() };
    Some((value, ends && is_basic(text.slice(start, end))))
}

/// Whether base64 stands for printable bytes with a colon among them, as the credentials of RFC 7617 do.
fn is_basic(written: &[u8]) -> bool {
    const SHORTEST: usize = 8;
    const MOST_READ: usize = 4096;
    if written.len() < SHORTEST || written.len() > MOST_READ {
        return false;
    }
    let digits = written.iter().take_while(|byte| sextet(**byte).is_some()).count();
    let padding = written.get(digits..).unwrap_or_default();
    if padding.len() > 2 || padding.iter().any(|byte| *byte != b'=') {
        return false;
    }
    let (mut word, mut colon) = (0_u32, false);
    for (index, value) in written.iter().take(digits).filter_map(|byte| sextet(*byte)).enumerate() {
        word = word << 6 | u32::from(value);
        if index % 4 == 0 {
            continue;
        }
        let byte = (word >> (6 - 2 * (index % 4))) as u8;
        if byte < b' ' || byte == 0x7f {
            return false;
        }
        colon |= byte == b':';
    }
    colon
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
