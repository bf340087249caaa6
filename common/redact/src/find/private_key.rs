//! Private keys in PEM armour (RFC 7468, PKCS #1, SEC 1, OpenSSH, OpenPGP): the whole block, line breaks
//! real or written as escape sequences, its end present or cut off.

mod body;

use super::listed::line_break;
use super::text::Text;
use super::{Examined, Secret};
use crate::entity::EntityType;

const BEGIN: &[u8] = b"-----BEGIN";
const DASHES: &[u8] = b"-----";
/// Spellings of the blanks within a label: as they are, or encoded for a form or a path.
const BLANKS: [&[u8]; 3] = [b" ", b"+", b"%20"];
/// The longest label that is read; `OPENSSH PRIVATE KEY` has 19 bytes.
const LONGEST_LABEL: usize = 64;

/// Examines a block whose word BEGIN may stand behind the dash at `dash`.
pub(super) fn examine(text: &Text<'_>, dash: usize) -> Option<Examined> {
    let start = dash.checked_sub(DASHES.len() - 1)?;
    let label_end = private_label_end(text, start)?;
    let body = label_end + DASHES.len();
    let body_end = body::end(text, body);
    let end = closing_end(text, body_end).unwrap_or_else(|| without_trailing_escape(text, body, body_end));
    // The dashes behind the label may be those before another one, too: all five, or those that follow with one more.
    // Text read twice then ends at its dashes.
    let shares_dashes = opening_end(text, label_end).is_some() || text.at(body) == b'-';
    let resume = if shares_dashes { body - 1 } else { end };
    Some(Examined { secret: Some(Secret { start, end, entity: EntityType::PrivateKey }), resume })
}

/// End of the label, if the opening line of a private key stands at `start`.
fn private_label_end(text: &Text<'_>, start: usize) -> Option<usize> {
    let label = opening_end(text, start)?;
    let end = label_end(text, label)?;
    is_private(text.slice(label, end)).then_some(end)
}

/// Whether a block may begin whose word BEGIN stands behind the dash at `dash`.
pub(super) fn may_begin(text: &Text<'_>, dash: usize) -> bool {
    dash.checked_sub(DASHES.len() - 1).is_some_and(|start| private_label_end(text, start).is_some())
}

/// Behind the word BEGIN and a blank.
fn opening_end(text: &Text<'_>, start: usize) -> Option<usize> {
    let word = start + BEGIN.len();
    let blank = BLANKS.iter().find(|blank| text.has(word, blank))?;
    text.has(start, BEGIN).then(|| word + blank.len())
}

/// End of a label of capitals, digits and blanks, if five dashes follow it.
fn label_end(text: &Text<'_>, label: usize) -> Option<usize> {
    let is_label =
        |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b' ' | b'+' | b'%');
    let end = text.run_at_most(label, LONGEST_LABEL, is_label);
    text.has(end, DASHES).then_some(end)
}

fn is_private(label: &[u8]) -> bool {
    let label = label.strip_suffix(b"BLOCK").map_or(label, without_blank);
    label.strip_suffix(b"KEY").is_some_and(|label| without_blank(label).ends_with(b"PRIVATE"))
}

/// A part of a label without the blank at its end.
fn without_blank(label: &[u8]) -> &[u8] {
    BLANKS.iter().find_map(|blank| label.strip_suffix(*blank)).unwrap_or_default()
}

fn closing_end(text: &Text<'_>, at: usize) -> Option<usize> {
    if !body::is_closing(text, at) {
        return None;
    }
    label_end(text, at + body::CLOSING.len()).map(|label_end| label_end + DASHES.len())
}

/// A backslash at the end may escape the quote behind it, and white space and line breaks there separate.
fn without_trailing_escape(text: &Text<'_>, body: usize, end: usize) -> usize {
    let mut end = end;
    loop {
        let blanks = text.run_back(end, end - body, |byte| byte == b'\\' || byte.is_ascii_whitespace());
        match before_line_break(text, blanks).filter(|shorter| *shorter >= body) {
            Some(shorter) => end = shorter,
            None => return blanks,
        }
    }
}

/// The lines of a private key in a file of PuTTY, behind the word at `at` that gives their number.
pub(super) fn examine_putty(text: &Text<'_>, at: usize) -> Option<Examined> {
    let digits = at + PUTTY.len();
    let count_end = text.run_at_most(digits, 4, |byte| byte.is_ascii_digit());
    let start = line_break(text, count_end)?;
    let is_key =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b'\r' | b'\n');
    let run = text.run(start, is_key);
    // The name of the checksum behind the key is no part of it.
    let named = text.at(run) == b'-'
        && run.checked_sub(PUTTY_MAC.len()).is_some_and(|word| text.has(word, PUTTY_MAC));
    let mut end = if named { run - PUTTY_MAC.len() } else { run };
    while let Some(shorter) = before_line_break(text, end).filter(|shorter| *shorter >= start) {
        end = shorter;
    }
    let counts = count_end > digits && start > count_end && end >= start + SHORTEST_LINE;
    counts.then_some(Examined {
        secret: Some(Secret { start, end, entity: EntityType::PrivateKey }),
        resume: end,
    })
}

/// Before a line break, real or as an escape sequence, that ends at `end`.
fn before_line_break(text: &Text<'_>, end: usize) -> Option<usize> {
    [&b"\n"[..], b"\r", b"\\n", b"\\r"]
        .iter()
        .find_map(|form| end.checked_sub(form.len()).filter(|at| text.has(*at, form)))
}

/// Whether a number stands behind the word at `at`.
pub(super) fn may_be_putty(text: &Text<'_>, at: usize) -> bool {
    text.at(at + PUTTY.len()).is_ascii_digit()
}

/// The word before the lines of a key, as the literals have it, and the word behind them.
pub(super) const PUTTY: &str = "private-lines: ";
const PUTTY_MAC: &[u8] = b"Private";
/// The shortest line of a key that counts.
const SHORTEST_LINE: usize = 16;
