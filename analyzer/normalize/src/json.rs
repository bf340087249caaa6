//! A JSON object in a text, read into event values that borrow from the text (RFC 8259). Read by hand:
//! strings without escapes are cut out of the text, and nothing is built but the values themselves.

mod string;

use std::borrow::Cow;

use sigma::event::Value;

use self::string::plain_end;
use super::reading::into_owned;
use crate::record::Entries;

/// Objects and arrays nested deeper than this make a text no JSON: the bound that others have, too.
const MAX_DEPTH: u8 = 127;

/// Appends the entries of the object that is the whole of `text` and returns whether there was one; if the
/// text is anything else nothing is appended. The first of two equal names counts, as everywhere in events.
#[expect(clippy::ptr_arg, reason = "what the text borrows lives longer than this reference to it")]
pub(super) fn object<'a>(text: &Cow<'a, str>, into: &mut Entries<'a>) -> bool {
    match text {
        Cow::Borrowed(text) => append(text, into),
        Cow::Owned(text) => {
            let mut found = Vec::new();
            let is_object = append(text, &mut found);
            let owned = |(name, value): (Cow<'_, str>, _)| (Cow::Owned(name.into_owned()), into_owned(value));
            into.extend(found.into_iter().map(owned));
            is_object
        }
    }
}

/// The entries of the object that is the whole of a text.
pub(super) fn entries(text: &str) -> Option<Entries<'_>> {
    let mut found = Vec::new();
    append(text, &mut found).then_some(found)
}

fn append<'t>(text: &'t str, into: &mut Entries<'t>) -> bool {
    // Most texts are no object by their first byte.
    if text.as_bytes().first().is_none_or(|first| first.is_ascii_graphic() && *first != b'{') {
        return false;
    }
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return false;
    }
    let before = into.len();
    let mut reader = Reader { text, at: 1 };
    let is_whole = reader.object(MAX_DEPTH, into).is_some() && reader.at == text.len();
    if !is_whole {
        into.truncate(before);
    }
    is_whole
}

/// A text, and how far it is read.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is no white space.
    #[inline]
    fn next_mark(&mut self) -> Option<u8> {
        loop {
            match self.peek()? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                mark => return Some(mark),
            }
        }
    }

    fn passes(&mut self, wanted: u8) -> Option<()> {
        (self.next_mark()? == wanted).then(|| self.at += 1)
    }

    /// Whether another member follows behind one, or the end, which is passed.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        let mark = self.next_mark()?;
        self.at += 1;
        if mark == end { Some(false) } else { (mark == b',').then_some(true) }
    }

    /// The members of an object, behind its bracket. `depth` is how deep it may still go, itself included.
    fn object(&mut self, depth: u8, into: &mut Entries<'t>) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        if self.next_mark()? == b'}' {
            self.at += 1;
            return Some(());
        }
        loop {
            self.passes(b'"')?;
            let name = self.string()?;
            self.passes(b':')?;
            let value = self.value(depth)?;
            into.push((name, value));
            if !self.goes_on(b'}')? {
                return Some(());
            }
        }
    }

    fn array(&mut self, depth: u8) -> Option<Vec<Value<'t>>> {
        let depth = depth.checked_sub(1)?;
        let mut values = Vec::new();
        if self.next_mark()? == b']' {
            self.at += 1;
            return Some(values);
        }
        loop {
            values.push(self.value(depth)?);
            if !self.goes_on(b']')? {
                return Some(values);
            }
        }
    }

    fn value(&mut self, depth: u8) -> Option<Value<'t>> {
        match self.next_mark()? {
            b'"' => {
                self.at += 1;
                self.string().map(Value::String)
            }
            b'{' => {
                self.at += 1;
                let mut entries = Vec::new();
                self.object(depth, &mut entries)?;
                Some(Value::Map(entries))
            }
            b'[' => {
                self.at += 1;
                self.array(depth).map(Value::Array)
            }
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value<'t>) -> Option<Value<'t>> {
        self.text.get(self.at..)?.starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    /// A string, behind its quote.
    #[inline]
    fn string(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at;
        let end = plain_end(self.text.as_bytes(), start)?;
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return self.text.get(start..end).map(Cow::Borrowed);
        }
        let (text, behind) = string::unescaped(self.text, start)?;
        self.at = behind;
        Some(Cow::Owned(text))
    }

    fn digits(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// A number: whole where it is written so and fits, else the nearest double. None is infinite.
    fn number(&mut self) -> Option<Value<'t>> {
        let start = self.at;
        self.at += usize::from(self.peek()? == b'-');
        let first = self.peek()?;
        let count = self.digits();
        if count == 0 || (first == b'0' && count > 1) {
            return None;
        }
        let whole_end = self.at;
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return None;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return None;
            }
        }
        let text = self.text.get(start..self.at)?;
        // There is no whole number minus zero.
        let whole = if self.at == whole_end && text != "-0" { text.parse().ok() } else { None };
        match whole {
            Some(number) => Some(Value::Int(number)),
            None => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Double),
        }
    }
}

#[cfg(test)]
mod tests;
