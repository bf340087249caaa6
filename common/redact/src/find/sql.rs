//! Passwords in statements of SQL: `IDENTIFIED BY '…'`, `WITH PASSWORD '…'`, `SET PASSWORD FOR x = '…'`.

use super::command::hides_nothing;
use super::listed::line_break;
use super::pair::Name;
use super::text::Text;
use super::value::{self, Value, is_blank};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// Longest text before its password searched for a statement.
const LONGEST_HEAD: usize = 384;
/// The longest name of an authentication plug-in, or of an account.
const LONGEST_WORD: usize = 96;
/// Words behind `BY` or `PASSWORD` that are no password.
const KEYWORDS: [&[u8]; 10] = [
    b"password",
    b"values",
    b"random",
    b"expire",
    b"null",
    b"externally",
    b"globally",
    b"require",
    b"history",
    b"by",
];

/// The value behind the word `identified` at `at`, and whether it is a password.
fn identified(text: &Text<'_>, at: usize) -> Option<(Value, bool)> {
    let start = at;
    let mut at = blanks(text, at + b"identified".len())?;
    let has_plugin = text.has_ignoring_case(at, b"with ");
    if has_plugin {
        at = blanks(text, word_end(text, at + b"with ".len()))?;
    }
    let has_hash = has_plugin && text.has_ignoring_case(at, b"as");
    if !has_hash && !text.has_ignoring_case(at, b"by") {
        return None;
    }
    let is_capital = text.has(at, b"BY") || text.has(at, b"AS");
    at = blanks(text, at + b"by".len())?;
    for keyword in [&b"password"[..], b"values"] {
        if text.has_ignoring_case(at, keyword) {
            at = blanks(text, at + keyword.len())?;
        }
    }
    let value = quoted(text, value::value(text, at));
    let is_keyword =
        KEYWORDS.iter().any(|word| text.slice(value.start, value.end).eq_ignore_ascii_case(word));
    // A password without quotes begins with a letter; prose may be identified by a number.
    let is_number = !value.quoted && text.at(value.start).is_ascii_digit();
    let is_statement = || {
        let head = head(text, start);
        match (is_capital, value.quoted) {
            (true, true) => true,
            (true, false) | (false, true) => changes_account(&head),
            (false, false) => names_account(&head),
        }
    };
    Some((value, !is_keyword && !is_number && is_statement()))
}

/// Examines the password behind the word `identified` at `at`.
pub(super) fn examine_identified(text: &Text<'_>, at: usize) -> Option<Examined> {
    let (value, counts) = identified(text, at)?;
    let hides = value.end > value.start && !hides_nothing(text, value);
    let secret = Secret { start: value.start, end: value.end, entity: EntityType::Password };
    Some(Examined { secret: (counts && hides).then_some(secret), resume: value.end })
}

/// Whether `by` or `with` stands behind the word `identified` at `at`.
pub(super) fn may_be_identified(text: &Text<'_>, at: usize) -> bool {
    blanks(text, at + b"identified".len())
        .is_some_and(|at| text.has_ignoring_case(at, b"by") || text.has_ignoring_case(at, b"with "))
}

/// The password in quotes behind the keyword `password`.
pub(super) fn password(text: &Text<'_>, name: Name) -> Option<Value> {
    let at = quoted_behind(text, name)?;
    if !is_set_for(text, name) && !changes_account(&head(text, name.start)) {
        return None;
    }
    let value = quoted(text, value::value(text, at));
    value.quoted.then_some(value)
}

/// Whether `SET` stands before the keyword and `FOR` behind it.
fn is_set_for(text: &Text<'_>, name: Name) -> bool {
    let is_set = name.start.checked_sub(4).is_some_and(|word| text.has_ignoring_case(word, b"set "));
    is_set && blanks(text, name.end).is_some_and(|at| text.has_ignoring_case(at, b"for "))
}

/// A value in quotes with the text behind doubled ones, which are one of its own.
fn quoted(text: &Text<'_>, value: Value) -> Value {
    let mark = text.before(value.start);
    let mut end = value.end;
    while value.quoted && text.at(end) == mark && text.at(end + 1) == mark && end > value.start {
        end = text.run(end + 2, |byte| byte != mark && !matches!(byte, b'\n' | b'\r' | b'\\'));
    }
    Value { end, ..value }
}

/// Whether a quote, or an account and then a quote, stands behind a keyword.
pub(super) fn may_follow(text: &Text<'_>, name: Name) -> bool {
    text.slice(name.start, name.end).eq_ignore_ascii_case(b"password") && quoted_behind(text, name).is_some()
}

/// Start of the password's quote: behind blanks, `(`, or `FOR account =`.
fn quoted_behind(text: &Text<'_>, name: Name) -> Option<usize> {
    let mut at = blanks(text, name.end).unwrap_or(name.end);
    if is_set_for(text, name) {
        at = text.run_at_most(at, LONGEST_WORD, |byte| byte != b'=' && byte >= b' ');
        if text.at(at) != b'=' {
            return None;
        }
        at = text.run_at_most(at + 1, 16, is_blank);
    }
    at = text.run_at_most(at, 2, |byte| byte == b'(');
    if matches!(text.at(at), b'N' | b'E') {
        at += 1;
    }
    (at > name.end && value::quote(text, at).is_some()).then_some(at)
}

/// The statement as far as it stands before `at`, in lower case.
fn head(text: &Text<'_>, at: usize) -> Vec<u8> {
    let start = text.run_back(at, LONGEST_HEAD, |byte| byte != b';');
    text.slice(start, at).to_ascii_lowercase()
}

fn holds(head: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| memchr::memmem::find(head, word).is_some())
}

/// Whether a statement creates or changes an account.
fn changes_account(head: &[u8]) -> bool {
    let is_grant = || holds(head, &[b"grant "]) && holds(head, &[b" to "]);
    // Behind the verb of a statement no message goes on.
    let is_prose = |verb: usize| head.get(verb..).is_some_and(|rest| holds(rest, &[b": "]));
    account_verb(head).is_some_and(|verb| !is_prose(verb)) || is_grant() || holds(head, &[b"set password"])
}

/// Offset of the verb of a statement that creates or changes an account, with its noun right behind it: `create` and
/// `user` by themselves may be prose.
fn account_verb(head: &[u8]) -> Option<usize> {
    let verbs = [&b"create "[..], b"alter ", b"create or replace ", b"alter current "];
    let nouns = [&b"user "[..], b"role ", b"login ", b"group ", b"database link ", b"public database link "];
    let verb = |verb: &[u8]| {
        memchr::memmem::find_iter(head, verb).find(|at| {
            head.get(at + verb.len()..).is_some_and(|rest| nouns.iter().any(|noun| rest.starts_with(noun)))
        })
    };
    verbs.into_iter().find_map(verb)
}

/// As [`changes_account`], in small letters and with a password without quotes: the statement begins with its verb.
fn names_account(head: &[u8]) -> bool {
    let begins = |verb: usize| {
        let before = head.get(..verb).unwrap_or_default().trim_ascii_end();
        before.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b',')
    };
    account_verb(head).is_some_and(begins)
        || (holds(head, &[b"grant "]) && holds(head, &[b" on "]) && holds(head, &[b" to "]))
}

/// Behind one blank or line break or more.
fn blanks(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = text.run_at_most(at, 16, |byte| byte.is_ascii_whitespace());
    let end = line_break(text, end).map_or(end, |behind| text.run_at_most(behind, 16, is_blank));
    (end > at).then_some(end)
}

/// Behind a word, in quotes or not.
fn word_end(text: &Text<'_>, at: usize) -> usize {
    text.run_at_most(at, LONGEST_WORD, |byte| byte > b' ')
}
