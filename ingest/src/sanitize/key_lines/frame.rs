//! Text around the lines of a key: a log header, quotes, the rest of a JSON object. It is the same around each line but for
//! numbers, such as counters and times.

use std::ops::Range;

/// The longest text before a line, or after it.
const LONGEST: usize = 1024;

/// Text before and after a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    before: Range<usize>,
    behind: Range<usize>,
}

impl Frame {
    /// Text around `line` of a text, of which the last line counts. `None` if it is too long.
    pub(super) fn around(text: &[u8], line: Range<usize>) -> Option<Self> {
        let start = memchr::memrchr(b'\n', text.get(..line.start)?).map_or(0, |newline| newline + 1);
        let end = without_escapes(text, line.clone()).end;
        let fits = line.start - start <= LONGEST && text.len() - end <= LONGEST;
        fits.then_some(Self { before: start..line.start, behind: end..text.len() })
    }

    /// The same of a text at this position of a payload.
    pub(super) fn within(self, text: &Range<usize>) -> Self {
        let moved = |part: Range<usize>| text.start + part.start..text.start + part.end;
        Self { before: moved(self.before), behind: moved(self.behind) }
    }

    /// Text before the first line.
    pub(super) fn before<'p>(&self, payload: &'p [u8]) -> &'p [u8] {
        payload.get(self.before.clone()).unwrap_or_default()
    }

    /// Position of the line in a text with the same surroundings.
    pub(super) fn line_in(&self, payload: &[u8], text: &[u8]) -> Option<Range<usize>> {
        let behind = payload.get(self.behind.clone()).unwrap_or_default();
        let start = length_of_like(text, self.before(payload))?;
        let rest = text.get(start..)?;
        let behind = length_of(rest.iter().rev(), behind.iter().rev())?;
        Some(without_escapes(text, start..text.len() - behind))
    }
}

/// Length of the start of a text that resembles `model`: `None` if it differs by more than numbers and blanks.
pub(super) fn length_of_like(text: &[u8], model: &[u8]) -> Option<usize> {
    length_of(text.iter(), model.iter())
}

fn length_of<'t>(
    text: impl Iterator<Item = &'t u8> + Clone,
    model: impl Iterator<Item = &'t u8>,
) -> Option<usize> {
    let (mut text, mut model) = (text.peekable(), model.peekable());
    let mut length = 0;
    while let Some(byte) = model.next() {
        let class: fn(u8) -> bool = match byte {
            b'0'..=b'9' => |byte| byte.is_ascii_digit(),
            byte if byte.is_ascii_whitespace() => |byte| byte.is_ascii_whitespace(),
            _ => {
                text.next_if_eq(&byte)?;
                length += 1;
                continue;
            }
        };
        while model.next_if(|byte| class(**byte)).is_some() {}
        text.next_if(|byte| class(**byte))?;
        length += 1;
        while text.next_if(|byte| class(**byte)).is_some() {
            length += 1;
        }
    }
    Some(length)
}

/// The part of a text without the white space around it and the line breaks at its end that are written as escapes.
pub(super) fn without_escapes(text: &[u8], part: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (part.start, part.end);
    while text.get(start).is_some_and(u8::is_ascii_whitespace) && start < end {
        start += 1;
    }
    loop {
        let line = text.get(start..end).unwrap_or_default();
        let shorter = line.trim_ascii_end();
        let shorter = [&b"\\n"[..], b"\\r", b"\\"]
            .iter()
            .find_map(|escape| shorter.strip_suffix(*escape))
            .unwrap_or(shorter);
        if shorter.len() == line.len() {
            return start..end;
        }
        end = start + shorter.len();
    }
}

/// Start of the base64 at the end of a text, except for quotes and the like; a path is none.
pub(super) fn full_line_at_end(text: &[u8]) -> Option<Range<usize>> {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let is_closing = |byte: &u8| byte.is_ascii_whitespace() || b"\"',;+\\}])".contains(byte);
    let written = without_escapes(text, 0..text.len());
    let line = text.get(written.clone())?;
    let end = written.end - line.iter().rev().take_while(|byte| is_closing(byte)).count();
    let end = without_escapes(text, written.start..end).end;
    let length = text.get(..end)?.iter().rev().take_while(|byte| is_base64(byte)).count();
    let start = end - length;
    (text.get(start) != Some(&b'/')).then_some(start..end)
}
