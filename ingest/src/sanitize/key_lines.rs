//! A private key in PEM armour that is sent line by line, each line a text of its own: what follows on its first line
//! says nothing by itself, so the walk remembers that a key is open.
//!
//! Lines belong together that stand in one batch under the same key, or in bodies without any: records of
//! containers (`{"log":"MIIE…"}`), plain bodies, the elements of an array. Texts of other sources that came in
//! between are passed over. Words without blanks among these are taken for lines of the key: what they said is lost,
//! but no line is kept for it.
//!
//! A log header, such as that of syslog, may stand before each line. It is recognised by the first line, where it stands
//! before BEGIN: in the others it has as many words, of which the last is the same.

use std::ops::Range;

use redact::{EntityType, Match};

/// The most lines of a key: one of RSA with 16,384 bits has about 200.
const MOST_LINES: u32 = 512;
/// The most texts in a row that are passed over; short lines of base64 count as such, since they may be words.
const MOST_PASSED: u32 = 8;
/// The most texts that are looked at for one key, whatever they stand under: the walk skips nothing meanwhile.
const MOST_LOOKED_AT: u32 = 8192;
/// Lines of base64 from this length on are no words. PEM has 64 bytes a line, OpenSSH 70, PGP up to 76.
const SHORTEST_FULL_LINE: usize = 32;
/// What a line of a key has at most, with room: longer lines of base64 are something else.
const LONGEST_LINE: usize = 1024;

/// How much of the key above a line counts: its last bytes.
const LONGEST_KEY: usize = 256;

/// The longest log header that is read, in bytes: those of syslog with structured data are shorter as a rule.
const LONGEST_LOG_HEADER: usize = 256;

const OPENING: &[u8] = b"-----BEGIN ";
const CLOSING: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The headers of PEM (RFC 1421) and of OpenPGP (RFC 9580), which stand before the first line.
const HEADERS: [&[u8]; 7] =
    [b"Proc-Type:", b"DEK-Info:", b"Version:", b"Comment:", b"Hash:", b"Charset:", b"MessageID:"];

/// A key whose end has not come yet.
#[derive(Clone, Debug)]
pub(super) struct OpenKey {
    /// Where the key lies under which its lines stand; empty for bodies.
    under: Range<usize>,
    /// Where the log header of the first line lies; empty where it has none.
    log_header: Range<usize>,
    lines: u32,
    /// Whether a full line has come, behind which stands no header.
    has_body: bool,
    passed: u32,
    looked_at: u32,
}

/// What a text is to an open key. Places count from the start of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// No part of it.
    Foreign,
    /// A part of it there.
    Line(Range<usize>),
    /// The last one: a part of it there, if any.
    Last(Range<usize>),
}

/// Where the log header of a private key's first line lies in a text that ends within the key, given what was found in
/// the text; empty where it has none. `None` where the text does not end within a key.
pub(super) fn opens(text: &[u8], matches: &[Match]) -> Option<Range<usize>> {
    let last = matches.last().filter(|last| last.entity == EntityType::PrivateKey)?;
    let behind = text.get(last.end..).unwrap_or_default();
    let key = text.get(last.start..last.end).unwrap_or_default();
    let begin = memchr::memmem::rfind(key, OPENING)?;
    let opens = goes_on(key.get(begin + OPENING.len()..).unwrap_or_default())
        && behind.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b'\\');
    opens.then(|| log_header(text, last.start + begin))
}

/// Where the log header lies before BEGIN at `begin`.
fn log_header(text: &[u8], begin: usize) -> Range<usize> {
    let before = text.get(..begin).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let is_usual = begin - start <= LONGEST_LOG_HEADER && before.last().is_some_and(u8::is_ascii_whitespace);
    if is_usual { start..begin } else { begin..begin }
}

/// The words between blanks.
fn words(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// How long a log header like `model` is at the start of a text; 0 where there is none.
fn log_header_length(text: &[u8], model: &[u8]) -> usize {
    let Some(last) = words(model).next_back() else { return 0 };
    let mut rest = text.trim_ascii_start();
    for _ in 1..words(model).count() {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        rest = rest.get(end..).unwrap_or_default().trim_ascii_start();
    }
    match rest.strip_prefix(last) {
        Some(line) if line.first().is_none_or(u8::is_ascii_whitespace) => {
            text.len() - line.trim_ascii_start().len()
        }
        _ => 0,
    }
}

/// Whether a key may go on in the next text, given its label and what stands behind: there is no end, and the line
/// breaks behind the label. What reads on is prose about a key.
fn goes_on(labelled: &[u8]) -> bool {
    let Some(dashes) = memchr::memmem::find(labelled, DASHES) else { return false };
    let body = labelled.get(dashes + DASHES.len()..).unwrap_or_default();
    let blanks = body.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let breaks = body.get(blanks).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'\\'));
    breaks && memchr::memmem::find(body, CLOSING).is_none()
}

/// What counts of the key at `key`: a longer one may stand above many texts.
fn end_of_key<'p>(payload: &'p [u8], key: &Range<usize>) -> Option<&'p [u8]> {
    payload.get(key.start.max(key.end.saturating_sub(LONGEST_KEY))..key.end)
}

impl OpenKey {
    /// A key of which the first line has come in a text under the key at `under`, behind the log header there.
    pub(super) fn new(under: Range<usize>, log_header: Range<usize>) -> Self {
        Self { under, log_header, lines: 0, has_body: false, passed: 0, looked_at: 0 }
    }

    /// Says what the next text is, which stands under the key at `under`. The caller forgets the key when it
    /// [is closed](Self::is_closed).
    pub(super) fn read(&mut self, payload: &[u8], under: &Range<usize>, text: &Range<usize>) -> Text {
        self.looked_at += 1;
        if *under != self.under && end_of_key(payload, under) != end_of_key(payload, &self.under) {
            return Text::Foreign;
        }
        let text = payload.get(text.clone()).unwrap_or_default();
        let model = payload.get(self.log_header.clone()).unwrap_or_default();
        let start = log_header_length(text, model);
        let text = text.get(start..).unwrap_or_default();
        let closing = memchr::memmem::find(text, CLOSING);
        let body = text.get(..closing.unwrap_or(text.len())).unwrap_or_default();
        let longest = self.longest_line(body);
        if closing.is_some() {
            self.looked_at = MOST_LOOKED_AT;
            let length = longest.map_or(0, |_| body.trim_ascii_end().len());
            return Text::Last(start..start + length);
        }
        let Some(longest) = longest else {
            self.passed += 1;
            return Text::Foreign;
        };
        let is_full = longest >= SHORTEST_FULL_LINE;
        self.lines += 1;
        self.has_body |= is_full;
        self.passed = if is_full { 0 } else { self.passed + 1 };
        Text::Line(start..start + text.len())
    }

    /// Whether the key has ended, or is given up.
    pub(super) fn is_closed(&self) -> bool {
        self.lines >= MOST_LINES || self.passed > MOST_PASSED || self.looked_at >= MOST_LOOKED_AT
    }

    /// The length of the longest line of a text in which every line is of a key; `None` where one is not.
    fn longest_line(&self, text: &[u8]) -> Option<usize> {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        lines
            .map(|line| self.is_line(line).then_some(line.len()))
            .try_fold(0, |longest: usize, length| Some(longest.max(length?)))
    }

    fn is_line(&self, line: &[u8]) -> bool {
        let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let is_header = || HEADERS.iter().any(|header| line.starts_with(header));
        line.len() <= LONGEST_LINE && (line.iter().all(is_base64) || (!self.has_body && is_header()))
    }
}
