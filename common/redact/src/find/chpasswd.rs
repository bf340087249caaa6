//! Passwords that are handed to `chpasswd`: `echo 'root:…' | chpasswd`, `chpasswd <<< 'root:…'`.

use super::command::is_filled_in;
use super::listed::line_break;
use super::text::Text;
use super::value::{self, Value, is_blank};
use super::windows::{is_echoed, piped};
use super::{Examined, Secret};
use crate::entity::EntityType;

/// Words such as `sudo` and the path of the program, before its name.
const LONGEST_PREFIX: usize = 64;
/// Options behind its name.
const LONGEST_OPTIONS: usize = 32;
/// The longest here-document that is read.
const LONGEST_DOCUMENT: usize = 4096;
/// The longest name of an account.
const LONGEST_ACCOUNT: usize = 64;

/// Examines the name of the program at `at`; hands out the password of each account.
pub(super) fn examine(text: &Text<'_>, at: usize, found: impl FnMut(Secret)) -> Option<Examined> {
    let written = input_before(text, at).filter(|value| value.quoted || is_echoed(text, *value));
    let value = written.or_else(|| {
        let value =
            document_behind(text, at).or_else(|| Some(value::value(text, input_behind(text, at)?)))?;
        (value.end > value.start).then_some(value)
    })?;
    accounts(text, value, found);
    Some(Examined { secret: None, resume: value.end.max(at) })
}

/// Whether a pipe stands before the name of the program at `at`, or something redirected behind it.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    input_before(text, at).is_some() || input_behind(text, at).is_some() || document_start(text, at).is_some()
}

/// The argument whose output is piped to the program at `at`.
fn input_before(text: &Text<'_>, at: usize) -> Option<Value> {
    let is_prefix = |byte: u8| {
        is_blank(byte) || byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.')
    };
    let start = text.run_back(at, LONGEST_PREFIX, is_prefix);
    // Text searched for the program's name is no input of it.
    let is_searched = memchr::memmem::find(text.slice(start, at), b"grep ").is_some();
    if is_searched { None } else { piped(text, start) }
}

/// Start of the text that is redirected to the program at `at`, with its quote.
fn input_behind(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = at + b"chpasswd".len();
    let redirect = text.run_at_most(end, LONGEST_OPTIONS, |byte| {
        is_blank(byte) || byte == b'-' || byte.is_ascii_alphabetic()
    });
    let behind = text.run_at_most(redirect, 3, |byte| byte == b'<');
    (behind == redirect + 3).then(|| text.run_at_most(behind, 4, is_blank))
}

/// The lines of a here-document for the program at `at`, with the one that ends it.
fn document_behind(text: &Text<'_>, at: usize) -> Option<Value> {
    let start = document_start(text, at)?;
    let is_line = |byte: u8| !matches!(byte, b'"' | b'\'');
    Some(Value { start, end: text.run_at_most(start, LONGEST_DOCUMENT, is_line), quoted: true })
}

/// Start of a here-document for the program at `at`.
fn document_start(text: &Text<'_>, at: usize) -> Option<usize> {
    let end = at + b"chpasswd".len();
    let redirect = text.run_at_most(end, LONGEST_OPTIONS, |byte| {
        is_blank(byte) || byte == b'-' || byte.is_ascii_alphabetic()
    });
    if !text.has(redirect, b"<<") || text.has(redirect, b"<<<") {
        return None;
    }
    let is_word = |byte: u8| {
        is_blank(byte) || byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\'' | b'"')
    };
    line_break(text, text.run_at_most(redirect + 2, LONGEST_OPTIONS, is_word))
}

/// Each `account:password` of lines that are separated by line breaks, real or written as `\n`.
fn accounts(text: &Text<'_>, value: Value, mut found: impl FnMut(Secret)) {
    let is_literal = value.quoted && text.before(value.start) == b'\'';
    let mut at = value.start;
    while at < value.end {
        let is_account = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let colon = text.run_at_most(at, LONGEST_ACCOUNT, is_account);
        let start = colon + 1;
        if colon == at || text.at(colon) != b':' {
            return;
        }
        let end = line_end(text, start, value.end.max(start));
        let password = text.slice(start, end);
        if !password.is_empty() && !is_filled_in(password, is_literal) {
            found(Secret { start, end, entity: EntityType::Password });
        }
        at = text.run_at_most(end, 4, |byte| matches!(byte, b'\\' | b'n' | b'\n')).max(start);
    }
}

/// End of the line that begins at `start`: before a line break, real or written as `\n`, or at `limit`.
fn line_end(text: &Text<'_>, start: usize, limit: usize) -> usize {
    let mut end = start;
    loop {
        end = text.run_at_most(end, limit - end, |byte| byte != b'\n' && byte != b'\\');
        let is_other_escape = end < limit && text.at(end) == b'\\' && text.at(end + 1) != b'n';
        if !is_other_escape {
            return end;
        }
        end += 1;
    }
}
