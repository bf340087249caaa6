//! A private key that is sent line by line, each line a text of its own: the lines after the first one are meaningless
//! by themselves, so the walk remembers that a key is open.
//!
//! The lines of a key are in one batch, under the same key of a record or in bodies without any: records of containers
//! (`{"log":"MIIE…"}`), plain bodies, the elements of an array. Up to eight texts in a row that are no lines are
//! skipped. The first line after BEGIN must be a header or full base64; a short one is taken for the last line, and must
//! not resemble a word.
//!
//! Text around each line, such as a log header or the rest of a JSON object, is known from the first line
//! ([`frame`]).

mod frame;

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use redact::{EntityType, Match};

use frame::{Frame, length_of_like, without_escapes};

/// The most lines of a key: one of RSA with 16,384 bits has about 200.
const MOST_LINES: u32 = 512;
/// The most texts in a row that are skipped.
const MOST_PASSED: u32 = 8;
/// The most texts that are examined for one key, under any key of a record: the walk skips nothing meanwhile.
const MOST_LOOKED_AT: u32 = 8192;
/// Lines of base64 from this length on are no words. PEM has 64 bytes a line, OpenSSH 70, PGP up to 76.
const SHORTEST_FULL_LINE: usize = 32;
/// Most characters of a line of a key, with a margin: longer lines of base64 are something else.
const LONGEST_LINE: usize = 1024;

/// Bytes of the key above a line that are compared: its last ones.
const LONGEST_KEY: usize = 256;

const BEGIN: &[u8] = b"-----BEGIN";
const CLOSING: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The word before the number of a key's lines in a file of PuTTY, which have no other end.
const PUTTY: &[u8] = b"Private-Lines: ";
/// The search for it, which texts that may hold a secret are looked through with.
static FIND_PUTTY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PUTTY));
/// The longest text that is looked at for it.
const LONGEST_PUTTY: usize = 1024;
/// Replacement of a masked line of a key.
const MASK: &[u8] = b"***";
/// The headers of PEM (RFC 1421) and of OpenPGP (RFC 9580), which precede the first line.
const HEADERS: [&[u8]; 7] =
    [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:", b"MessageID:"];

/// Start of a key in a text that ends within it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    frame: Frame,
    /// Number of lines that follow, if the text states it.
    lines: Option<u32>,
}

/// A key whose end has not been reached yet.
#[derive(Clone, Debug)]
pub(super) struct OpenKey {
    /// Position of the key of a record that its lines are under; empty for bodies.
    under: Range<usize>,
    /// Text around its first line, as positions in the payload.
    frame: Frame,
    lines: u32,
    most_lines: u32,
    /// Whether a full line was seen, after which there are no headers.
    has_body: bool,
    /// Whether a short line was seen, which is usually the last one.
    has_last: bool,
    passed: u32,
    looked_at: u32,
}

/// Role of a text for an open key. Positions count from the start of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// No part of it.
    Foreign,
    /// A part of it there.
    Line(Range<usize>),
    /// The last one: a part of it there, if any.
    Last(Range<usize>),
}

/// Start of a private key in a text that ends within the key, given the findings in the text; `None` where the text
/// does not end within a key.
pub(super) fn opens(text: &[u8], matches: &[Match]) -> Option<Opening> {
    let Some(last) = matches.last().filter(|last| last.entity == EntityType::PrivateKey) else {
        return if matches.is_empty() { opens_putty(text) } else { None };
    };
    let key = text.get(last.start..last.end)?;
    let begin = memchr::memmem::rfind(key, BEGIN)?;
    goes_on(key.get(begin + BEGIN.len()..)?).then_some(())?;
    let frame = Frame::around(text, last.start + begin..last.end)?;
    Some(Opening { frame, lines: None })
}

/// As [`opens`], for a key of PuTTY.
fn opens_putty(text: &[u8]) -> Option<Opening> {
    if text.len() > LONGEST_PUTTY {
        return None;
    }
    let start = FIND_PUTTY.find(text)?;
    let digits = text.get(start + PUTTY.len()..)?;
    let length = digits.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let number = digits.get(..length)?.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'));
    let frame = Frame::around(text, start..start + PUTTY.len() + length)?;
    (number > 0).then_some(Opening { frame, lines: Some(number) })
}

/// Whether a key may continue in the next text, given its label and the text after it: it has no end. Prose there is
/// refused with the first line.
fn goes_on(labelled: &[u8]) -> bool {
    memchr::memmem::find(labelled, DASHES).is_some_and(|dashes| {
        let body = labelled.get(dashes + DASHES.len()..).unwrap_or_default();
        !body.starts_with(b" ") && memchr::memmem::find(body, CLOSING).is_none()
    })
}

/// The compared part of the key at `key`: a longer one may be above many texts.
fn end_of_key<'p>(payload: &'p [u8], key: &Range<usize>) -> Option<&'p [u8]> {
    payload.get(key.start.max(key.end.saturating_sub(LONGEST_KEY))..key.end)
}

impl OpenKey {
    /// A key that begins so in the text at `text`, under the key at `under`.
    pub(super) fn new(under: Range<usize>, opening: Opening, text: &Range<usize>) -> Self {
        Self {
            under,
            frame: opening.frame.within(text),
            lines: 0,
            most_lines: opening.lines.unwrap_or(MOST_LINES).min(MOST_LINES),
            has_body: false,
            has_last: false,
            passed: 0,
            looked_at: 0,
        }
    }

    /// Classifies the next text, which is under the key at `under`. The caller drops the key when it [is
    /// closed](Self::is_closed).
    pub(super) fn read(&mut self, payload: &[u8], under: &Range<usize>, text: &Range<usize>) -> Text {
        self.looked_at += 1;
        if *under != self.under && end_of_key(payload, under) != end_of_key(payload, &self.under) {
            return Text::Foreign;
        }
        let text = payload.get(text.clone()).unwrap_or_default();
        if let Some(closing) = memchr::memmem::find(text, CLOSING) {
            self.looked_at = MOST_LOOKED_AT;
            let before = text.get(..closing).unwrap_or_default();
            let start = length_of_like(before, self.frame.before(payload)).unwrap_or(0);
            let body = without_escapes(before, start..closing);
            let is_part = before.get(body.clone()).is_some_and(|body| self.longest_line(body).is_some());
            return Text::Last(if is_part { body } else { 0..0 });
        }
        let Some((line, longest)) = self.line_in(payload, text) else {
            // A line that was masked before counts as one.
            let is_masked = memchr::memmem::find(text, MASK).is_some();
            self.lines += u32::from(is_masked);
            self.passed = if is_masked { 0 } else { self.passed + 1 };
            return Text::Foreign;
        };
        let is_full = longest >= SHORTEST_FULL_LINE;
        self.lines += 1;
        self.has_last |= !is_full && self.has_body;
        self.has_body |= is_full;
        self.passed = if is_full { 0 } else { self.passed + 1 };
        Text::Line(line)
    }

    /// Position of the line of the key in a text, and its length, or that of the longest one where there are several.
    fn line_in(&self, payload: &[u8], text: &[u8]) -> Option<(Range<usize>, usize)> {
        let framed = self.frame.line_in(payload, text);
        let whole = without_escapes(text, 0..text.len());
        let read = |line: Range<usize>| {
            let longest = self.longest_line(text.get(line.clone())?)?;
            Some((line, longest))
        };
        framed.and_then(read).or_else(|| read(whole)).or_else(|| {
            let run = frame::full_line_at_end(text)?;
            let length = run.len();
            is_full_line(text.get(run.clone())?).then_some((run, length))
        })
    }

    /// Whether the key has ended, or is abandoned.
    pub(super) fn is_closed(&self) -> bool {
        self.lines >= self.most_lines || self.passed > MOST_PASSED || self.looked_at >= MOST_LOOKED_AT
    }

    /// The length of the longest line of a text in which every line is of a key; `None` if one is not.
    fn longest_line(&self, text: &[u8]) -> Option<usize> {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let (mut longest, mut has_body) = (0, self.has_body);
        for line in lines {
            let is_full = is_full_line(line);
            let is_header = || !has_body && HEADERS.iter().any(|header| line.starts_with(header));
            let is_last = || has_body && (is_checksum(line) || (!self.has_last && is_last_line(line)));
            let fits =
                line.is_empty() || is_full || (line.len() <= LONGEST_LINE && (is_header() || is_last()));
            if !fits {
                return None;
            }
            has_body |= is_full;
            longest = longest.max(if is_full { line.len() } else { line.len().min(SHORTEST_FULL_LINE - 1) });
        }
        (longest > 0).then_some(longest)
    }
}

/// Whether a line is base64 that is neither a word nor a hash: of mixed case and with a digit or a sign.
fn is_full_line(line: &[u8]) -> bool {
    (SHORTEST_FULL_LINE..=LONGEST_LINE).contains(&line.len()) && is_base64(line) && {
        let holds = |class: fn(&u8) -> bool| line.iter().any(class);
        holds(u8::is_ascii_uppercase)
            && holds(u8::is_ascii_lowercase)
            && holds(|byte| !byte.is_ascii_alphabetic())
    }
}

/// Whether a line is the checksum of OpenPGP, which follows the last one.
fn is_checksum(line: &[u8]) -> bool {
    line.len() == 5 && line.starts_with(b"=") && is_base64(line)
}

/// Whether a short line may be the rest of a key: base64 in groups of four that is no word.
fn is_last_line(line: &[u8]) -> bool {
    let is_group = line.len().is_multiple_of(4) && line.len() < SHORTEST_FULL_LINE;
    let is_word = line.iter().skip(1).all(u8::is_ascii_lowercase)
        || line.iter().all(u8::is_ascii_uppercase)
        || line.iter().all(u8::is_ascii_digit);
    is_base64(line) && is_group && !is_word
}

fn is_base64(line: &[u8]) -> bool {
    line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}
