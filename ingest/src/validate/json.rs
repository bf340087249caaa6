//! A pull cursor over JSON text (RFC 8259), strict about the grammar and free of copies. The text is
//! UTF-8, which the creator of the cursor has checked. The walkers interpret the values.
//!
//! One leniency, which the RFC leaves open (section 8.2): an escaped surrogate without its partner
//! is read as U+FFFD, because senders in JavaScript cut strings in the middle of pairs and their
//! other records should not be lost with it.

mod number;
mod text;

pub(super) use self::number::Number;
use self::text::hex4;
pub(super) use self::text::{Escapes, Text};
use super::marks::{Care, Marks};
use super::rejection::{Fault, Reason};

/// Nesting of a skipped value: unknown fields are ignored, and bounded because skipping recurses.
const DEEPEST_SKIPPED: u32 = 128;

/// A position in JSON text, after the part already read.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
    /// Ends of the plain parts of strings.
    marks: Marks<'a>,
    /// Whether the text ends, for now, at the end of a line.
    by_line: bool,
}

impl<'a> Cursor<'a> {
    /// A cursor that reads `text` to its end.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0, marks: Marks::new(text, Care::NotPlain), by_line: false }
    }

    /// A cursor that reads one line after the other, of which each is a text of its own.
    pub(super) fn of_lines(text: &'a [u8]) -> Self {
        Self { by_line: true, ..Self::new(text) }
    }

    /// Skips the end of a line that has been read to its end; false if no other follows.
    pub(super) fn next_line(&mut self) -> bool {
        self.at += 1;
        self.at < self.text.len()
    }

    /// Bytes read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Returns to a place that has been read already.
    pub(super) fn go_back(&mut self, at: usize) {
        self.at = at;
    }

    /// Bytes left to read.
    pub(super) fn remaining(&self) -> usize {
        self.text.len() - self.at
    }

    /// The text read since `start`.
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        &self.text[start..self.at]
    }

    /// The next byte that is not whitespace, which is not consumed.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            if byte == b'\n' && self.by_line {
                return None;
            }
            self.at += 1;
        }
    }

    /// The refusal of the next token.
    #[cold]
    pub(super) fn unexpected(&mut self, expected: &'static str) -> Fault {
        Box::new(match self.peek() {
            Some(found) => Reason::Unexpected { expected, found, at: self.at },
            None => Reason::UnexpectedEnd { expected },
        })
    }

    #[inline]
    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// Nothing but whitespace may follow.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        if self.peek().is_none() { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    /// Enters an object; [`next_name`](Self::next_name) then returns its members.
    #[inline]
    pub(super) fn begin_object(&mut self, expected: &'static str) -> Result<(), Fault> {
        self.expect(b'{', expected)
    }

    /// The next member's name, or `None` at the object's end. The member's value must be read next.
    #[inline]
    pub(super) fn next_name(&mut self, first: &mut bool) -> Result<Option<Text<'a>>, Fault> {
        let expected = if *first { "a field name or '}'" } else { "',' or '}'" };
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b',') if !*first => self.at += 1,
            Some(b'"') if *first => {}
            _ => return Err(self.unexpected(expected)),
        }
        *first = false;
        let name = self.string("a field name")?;
        self.expect(b':', "':'")?;
        Ok(Some(name))
    }

    /// The next member, where its name and its value are strings without escapes, a blank before each at most, and the name
    /// is not empty: as in most members of log objects. Otherwise the cursor is unchanged.
    #[inline]
    pub(super) fn plain_pair(&mut self, first: bool) -> Option<(&'a [u8], &'a [u8])> {
        let comma = if first { self.at } else { self.behind(self.at, b',')? };
        let name = self.behind(self.behind_blank(comma), b'"')?;
        let name_end = self.marks.next(name);
        let colon = self.behind(self.behind(name_end, b'"')?, b':')?;
        let value = self.behind(self.behind_blank(colon), b'"')?;
        let value_end = self.marks.next(value);
        let end = self.behind(value_end, b'"')?;
        let pair = (self.text.get(name..name_end)?, self.text.get(value..value_end)?);
        if name == name_end {
            return None;
        }
        self.at = end;
        Some(pair)
    }

    /// The position after `expected`, if it is at `at`.
    #[inline]
    fn behind(&self, at: usize, expected: u8) -> Option<usize> {
        (self.text.get(at) == Some(&expected)).then_some(at + 1)
    }

    /// The position after the blank at `at`, if there is one.
    #[inline]
    fn behind_blank(&self, at: usize) -> usize {
        self.behind(at, b' ').unwrap_or(at)
    }

    /// Whether the next member is `announced`: a name in its quotes and a colon, with no whitespace
    /// around. If so, its value must be read next; if not, the cursor is unchanged.
    #[inline]
    pub(super) fn next_name_is(&mut self, announced: &str, first: bool) -> bool {
        let comma = usize::from(!first);
        let rest = &self.text[self.at..];
        let follows = (first || rest.first() == Some(&b','))
            && rest.get(comma..).is_some_and(|rest| rest.starts_with(announced.as_bytes()));
        if follows {
            self.at += comma + announced.len();
        }
        follows
    }

    /// Steps into an array; [`next_element`](Self::next_element) then announces its elements.
    #[inline]
    pub(super) fn begin_array(&mut self, expected: &'static str) -> Result<(), Fault> {
        self.expect(b'[', expected)
    }

    /// Whether another element follows; it must be read next.
    #[inline]
    pub(super) fn next_element(&mut self, first: &mut bool) -> Result<bool, Fault> {
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                return Ok(false);
            }
            Some(b',') if !*first => self.at += 1,
            Some(_) if *first => {}
            _ => return Err(self.unexpected("',' or ']'")),
        }
        *first = false;
        Ok(true)
    }

    /// A string.
    #[inline]
    pub(super) fn string(&mut self, expected: &'static str) -> Result<Text<'a>, Fault> {
        self.expect(b'"', expected)?;
        let start = self.at;
        let mut escapes = Escapes::None;
        loop {
            let at = self.marks.next(self.at);
            match self.text.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(Text { raw: &self.text[start..at], escapes });
                }
                Some(b'\\') => {
                    escapes = Escapes::Some;
                    self.at = at + self.escape_length(at)?;
                }
                Some(b'\n') if self.by_line => {
                    return Err(Reason::UnexpectedEnd { expected: "the rest of a string" }.into());
                }
                Some(_) => return Err(Reason::ControlCharacter { at }.into()),
                None => return Err(Reason::UnexpectedEnd { expected: "the rest of a string" }.into()),
            }
        }
    }

    /// Whether `expected` comes next, to the byte. If so it has been read; if not, the cursor is unchanged.
    #[inline]
    pub(super) fn take<const LENGTH: usize>(&mut self, expected: &[u8; LENGTH]) -> bool {
        let found = self.text.get(self.at..).and_then(|rest| rest.first_chunk()) == Some(expected);
        if found {
            self.at += LENGTH;
        }
        found
    }

    /// The rest of a string, its quote included, if it has no escape and no error.
    #[inline]
    pub(super) fn rest_of_plain(&mut self) -> Option<&'a [u8]> {
        let (start, end) = (self.at, self.marks.next(self.at));
        if self.text.get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    /// Length of the escape whose backslash is at `at`.
    #[inline]
    fn escape_length(&self, at: usize) -> Result<usize, Fault> {
        match self.text.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') if hex4(&self.text[at + 2..]).is_some() => Ok(6),
            Some(b'u') if self.text.len() < at + 6 => {
                Err(Reason::UnexpectedEnd { expected: "the rest of an escape" }.into())
            }
            Some(_) => Err(Reason::Escape { at }.into()),
            None => Err(Reason::UnexpectedEnd { expected: "the rest of an escape" }.into()),
        }
    }

    /// `true`, `false` or `null`, if it is next.
    #[inline]
    fn word(&mut self, word: &'static str) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            return Err(Reason::UnexpectedEnd { expected: word }.into());
        }
        Err(self.unexpected(word))
    }

    /// Consumes a `null`, if it is next.
    #[inline]
    pub(super) fn null(&mut self) -> Result<bool, Fault> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.word("null")?;
        Ok(true)
    }

    /// A boolean.
    pub(super) fn boolean(&mut self) -> Result<bool, Fault> {
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.unexpected("true or false")),
        }
    }

    /// Steps over a value of any type.
    pub(super) fn skip_value(&mut self) -> Result<(), Fault> {
        self.skip_nested(DEEPEST_SKIPPED)
    }

    fn skip_nested(&mut self, levels: u32) -> Result<(), Fault> {
        let inner = levels.checked_sub(1).ok_or(Reason::TooDeep { allowed: DEEPEST_SKIPPED })?;
        match self.peek() {
            Some(b'{') => {
                self.at += 1;
                let mut first = true;
                while self.next_name(&mut first)?.is_some() {
                    self.skip_nested(inner)?;
                }
                Ok(())
            }
            Some(b'[') => {
                self.at += 1;
                let mut first = true;
                while self.next_element(&mut first)? {
                    self.skip_nested(inner)?;
                }
                Ok(())
            }
            Some(b'"') => self.string("a string").map(drop),
            Some(b't' | b'f') => self.boolean().map(drop),
            Some(b'n') => self.null().map(drop),
            _ => self.number("a JSON value").map(drop),
        }
    }
}
