//! Numbers as written in JSON. The caller determines their value.

use super::super::rejection::{Fault, Reason};
use super::Cursor;

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::validate) struct Number<'a> {
    /// Its characters.
    pub(in crate::validate) text: &'a str,
    /// Whether it has neither fraction nor exponent.
    pub(in crate::validate) integer: bool,
}

impl<'a> Cursor<'a> {
    /// A number.
    pub(in crate::validate) fn number(&mut self, expected: &'static str) -> Result<Number<'a>, Fault> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.unexpected(expected));
        }
        let start = self.at;
        let mut integer = true;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        if self.text.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            if matches!(self.text.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = std::str::from_utf8(self.since(start)).unwrap_or_default();
        Ok(Number { text, integer })
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += length;
        match rest.first() {
            Some(_) if length > 0 => Ok(()),
            Some(found) => Err(Reason::Unexpected { expected: "a digit", found: *found, at: self.at }.into()),
            None => Err(Reason::UnexpectedEnd { expected: "a digit" }.into()),
        }
    }
}
