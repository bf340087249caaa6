//! Passwords that are handed to `chpasswd`: `echo 'root:…' | chpasswd`, `chpasswd <<< 'root:…'`.

use super::Secret;
use super::command::hides_nothing;
use super::text::Text;
use super::value::{self, Value, is_blank};
use super::windows::piped;
use crate::entity::EntityType;

/// Words such as `sudo` and the path of the program, before its name.
const LONGEST_PREFIX: usize = 48;
/// Options behind its name.
const LONGEST_OPTIONS: usize = 32;
/// The longest name of an account.
const LONGEST_ACCOUNT: usize = 64;

/// Examines the name of the program at `at`; hands out the password of each account.
pub(super) fn examine(text: &Text<'_>, at: usize, found: impl FnMut(Secret)) {
    let Some(value) = input(text, at) else { return };
    accounts(text, value, found);
}

/// Whether a pipe stands before the name of the program at `at`, or something redirected behind it.
pub(super) fn may_begin(text: &Text<'_>, at: usize) -> bool {
    input(text, at).is_some()
}

/// What the program reads: the argument before the pipe, or the redirected one.
fn input(text: &Text<'_>, at: usize) -> Option<Value> {
    let is_prefix = |byte: u8| {
        is_blank(byte) || byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.')
    };
    let command = text.run_back(at, LONGEST_PREFIX, is_prefix);
    if let Some(value) = piped(text, command) {
        return Some(value);
    }
    let end = at + b"chpasswd".len();
    let redirect = text.run_at_most(end, LONGEST_OPTIONS, |byte| {
        is_blank(byte) || byte == b'-' || byte.is_ascii_alphabetic()
    });
    let behind = text.run_at_most(redirect, 3, |byte| byte == b'<');
    let value = value::value(text, text.run_at_most(behind, 4, is_blank));
    (behind == redirect + 3 && value.end > value.start).then_some(value)
}

/// Each `account:password` of lines that are separated by line breaks, real or written as `\n`.
fn accounts(text: &Text<'_>, value: Value, mut found: impl FnMut(Secret)) {
    let mut at = value.start;
    while at < value.end {
        let is_account = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let colon = text.run_at_most(at, LONGEST_ACCOUNT, is_account);
        let start = colon + 1;
        if colon == at || text.at(colon) != b':' {
            return;
        }
        let end = line_end(text, start, value.end);
        let password = text.slice(start, end);
        if !password.is_empty() && !hides_nothing(password) {
            found(Secret { start, end, entity: EntityType::Password });
        }
        at = text.run_at_most(end, 4, |byte| matches!(byte, b'\\' | b'n' | b'\n')).max(start);
    }
}

fn line_end(text: &Text<'_>, start: usize, limit: usize) -> usize {
    let end = text.run(start, |byte| byte != b'\n' && byte != b'\\').min(limit);
    match text.at(end) {
        b'\\' if end < limit && text.at(end + 1) != b'n' => line_end(text, end + 1, limit),
        _ => end,
    }
}
