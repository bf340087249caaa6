//! A file to lines without comments. A comment says what its author wants it to say.

use code_signals::Language;

/// Bytes of a line; longer ones, as minified code has them, are several pieces.
const LONGEST: usize = 600;

/// A piece of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'t> {
    /// Number of the line in the file, from 1.
    pub(crate) number: u32,
    pub(crate) text: &'t [u8],
}

/// Lines with code, in order.
pub(crate) fn lines(text: &[u8], language: Language) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut in_comment = false;
    for (number, line) in (1_u32..).zip(text.split(|byte| *byte == b'\n')) {
        let code = without_comment(line, language, &mut in_comment).trim_ascii();
        lines.extend(code.chunks(LONGEST).map(|text| Line { number, text }));
    }
    lines
}

/// The part of a line before its comment. A comment between code of one line ends the line.
fn without_comment<'t>(line: &'t [u8], language: Language, in_comment: &mut bool) -> &'t [u8] {
    let has_blocks = matches!(language, Language::JavaScript | Language::TypeScript | Language::Go);
    let mut start = 0;
    if *in_comment {
        let Some(end) = memchr::memmem::find(line, b"*/") else { return &[] };
        (*in_comment, start) = (false, end + 2);
    }
    let rest = line.get(start..).unwrap_or_default();
    let mut quote = None;
    let mut bytes = rest.iter().copied().enumerate().peekable();
    while let Some((place, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, byte)| *byte);
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'`') => quote = Some(byte),
            (None, b'/') if has_blocks && next == Some(b'/') => return rest.get(..place).unwrap_or_default(),
            (None, b'/') if has_blocks && next == Some(b'*') => {
                let tail = rest.get(place + 2..).unwrap_or_default();
                let end = memchr::memmem::find(tail, b"*/");
                *in_comment = end.is_none();
                let before = rest.get(..place).unwrap_or_default();
                // A comment of the licence or a type may precede code.
                if let (Some(end), true) = (end, before.trim_ascii().is_empty()) {
                    return without_comment(tail.get(end + 2..).unwrap_or_default(), language, in_comment);
                }
                return before;
            }
            (None, b'#') if !has_blocks && is_start(rest, place) => {
                return rest.get(..place).unwrap_or_default();
            }
            _ => {}
        }
    }
    rest
}

/// Whether a number sign begins a comment: at the start or behind a space.
fn is_start(line: &[u8], place: usize) -> bool {
    place.checked_sub(1).and_then(|before| line.get(before)).is_none_or(u8::is_ascii_whitespace)
}
