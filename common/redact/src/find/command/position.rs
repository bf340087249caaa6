//! Whether a program's name stands where a command begins: `mysql` is also the name of a host, a file, an account.

use crate::find::text::Text;
use crate::find::value::{is_blank, quote};

/// The longest path of a program, and the longest word before it.
const LONGEST_PATH: usize = 128;
const LONGEST_WORD: usize = 64;
/// Longest text before its name searched for its start.
const LONGEST_HEAD: usize = 128;
/// Words that a command may follow; the first one begins an item of a list.
const BEFORE_COMMANDS: [&[u8]; 23] = [
    b"-",
    b"sudo",
    b"doas",
    b"env",
    b"exec",
    b"time",
    b"nohup",
    b"nice",
    b"xargs",
    b"then",
    b"do",
    b"else",
    b"-c",
    b"/c",
    b"--",
    b"run:",
    b"executing",
    b"executed",
    b"running",
    b"command",
    b"cmd",
    b"spawn",
    b"invoking",
];
/// Words before a command with others between the two: `docker exec db mysql …`, `sudo -u app mysql …`.
const LEADERS: [&[u8]; 4] = [b"exec", b"sudo", b"ssh", b"env"];
/// Options of `sudo` without a value.
const OPTIONS_OF_SUDO: [&[u8]; 5] = [b"-E", b"-n", b"-S", b"-H", b"-i"];

/// Meaning of bytes before a program's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// A command begins there.
    Command,
    /// It is a word among others.
    Word,
    /// It is the value of an option.
    Operand,
}

impl Position {
    /// Of the program whose name begins at `at` and ends at `end`.
    pub(super) fn of(text: &Text<'_>, at: usize, end: usize) -> Self {
        let path = text.run_back(at, LONGEST_PATH, is_path);
        let (start, argument) = opening(text, path);
        // A quote around more than the name opens a command line.
        if (start < path && is_blank(text.at(end))) || argument == Some(0) {
            return Self::Command;
        }
        let before = text.run_back(start, 16, |byte| is_blank(byte) || byte == b',');
        if before == start || !is_word(text.before(before)) {
            let is_value = text.before(before) == b'=' && is_option(text, before - 1);
            return if is_value { Self::Operand } else { Self::Command };
        }
        Self::behind(text, before)
    }

    /// Behind a word or an argument that ends before `end`.
    fn behind(text: &Text<'_>, end: usize) -> Self {
        let closed = quote_before(text, end);
        let start = text.run_back(closed, LONGEST_WORD, is_word_or_equals);
        let word = text.slice(start, closed);
        let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
        let is_known = |known: &[u8]| word.eq_ignore_ascii_case(known) || name.eq_ignore_ascii_case(known);
        if BEFORE_COMMANDS.iter().any(|known| is_known(known)) {
            return Self::Command;
        }
        let head = text.slice(text.run_back(start, LONGEST_HEAD, is_in_command), start);
        let leads = |leader: &[u8]| words(head).any(|word| word == leader);
        if word.first() == Some(&b'-') {
            let is_flag = OPTIONS_OF_SUDO.contains(&word) && leads(b"sudo");
            return if is_flag { Self::Command } else { Self::Operand };
        }
        // The columns of `ps` and of a history end in numbers; variables are set before a command.
        let is_column =
            word.last().is_some_and(u8::is_ascii_digit) && !word.iter().any(u8::is_ascii_alphabetic);
        let is_variable = closed == end && word.contains(&b'=');
        if is_column || is_variable || LEADERS.iter().any(|leader| leads(leader)) {
            return Self::Command;
        }
        Self::Word
    }
}

/// Before the quote that opens the argument at `path`, and before its name in the audit log, with the number there.
fn opening(text: &Text<'_>, path: usize) -> (usize, Option<usize>) {
    let start = quote_before(text, path);
    if start == path || text.before(start) != b'=' {
        return (start, None);
    }
    let digits = text.run_back(start - 1, 4, |byte| byte.is_ascii_digit());
    if digits == start - 1 || text.before(digits) != b'a' {
        return (start, None);
    }
    let number =
        text.slice(digits, start - 1).iter().fold(0, |number, digit| 10 * number + usize::from(digit - b'0'));
    (digits - 1, Some(number))
}

/// Before the quote, with its backslashes, that ends before `at`.
fn quote_before(text: &Text<'_>, at: usize) -> usize {
    match at.checked_sub(1) {
        Some(mark) if quote(text, mark).is_some_and(|(end, ..)| end == at) => {
            text.run_back(mark, 7, |byte| byte == b'\\')
        }
        _ => at,
    }
}

/// Whether the word that ends before `end` is an option.
fn is_option(text: &Text<'_>, end: usize) -> bool {
    text.at(text.run_back(end, LONGEST_WORD, is_word)) == b'-'
}

/// The words of a command line or of an array.
fn words(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| !is_word(*byte) || matches!(byte, b'"' | b'\'')).filter(|word| !word.is_empty())
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'\\' | b'.' | b'_' | b'-' | b'~')
}

/// Whether a byte before the blanks before a name belongs to a word or to an argument.
fn is_word(byte: u8) -> bool {
    is_path(byte) || matches!(byte, b'"' | b'\'' | b'@' | b'%' | b'*' | b'?')
}

fn is_word_or_equals(byte: u8) -> bool {
    (is_word(byte) && !matches!(byte, b'"' | b'\'')) || matches!(byte, b'=' | b':')
}

fn is_in_command(byte: u8) -> bool {
    byte >= b' ' && !matches!(byte, b'|' | b';' | b'&' | b'(' | b'`')
}
