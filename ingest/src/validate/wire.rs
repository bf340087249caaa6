//! Reading the protobuf wire format (protobuf.dev, Encoding) field by field, strictly and without
//! copying. What the fields mean is the walkers' business.

use super::rejection::Reason;
use super::schema::{FIXED32, FIXED64, Key, LENGTH, Message, VARINT};

/// The most bytes a varint takes: 64 bits in groups of seven.
const LONGEST_VARINT: usize = 10;

/// The fields of one message that have not been read yet.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of the message in `bytes`.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes not read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next field's key, or `None` at the message's end.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Option<Key>, Reason> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let key = Key::try_from(key).map_err(|_| Reason::FieldKey { found: key })?;
        match key & 7 {
            VARINT | FIXED64 | LENGTH | FIXED32 if key >> 3 != 0 => Ok(Some(key)),
            3 | 4 => Err(Reason::Group { number: key >> 3 }),
            _ => Err(Reason::FieldKey { found: u64::from(key) }),
        }
    }

    /// A varint. Longer encodings than needed are valid; more than 64 bits are not.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Reason> {
        match self.rest {
            [byte @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Reason> {
        let mut value = 0;
        for (index, byte) in self.rest.iter().take(LONGEST_VARINT).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if *byte >= 0x80 {
                continue;
            }
            if index + 1 == LONGEST_VARINT && *byte > 1 {
                return Err(Reason::VarintTooLong);
            }
            self.rest = &self.rest[index + 1..];
            return Ok(value);
        }
        if self.rest.len() < LONGEST_VARINT { Err(Reason::Truncated) } else { Err(Reason::VarintTooLong) }
    }

    /// Eight bytes as an integer.
    #[inline]
    pub(crate) fn fixed64(&mut self) -> Result<u64, Reason> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// Four bytes as an integer.
    #[inline]
    pub(crate) fn fixed32(&mut self) -> Result<u32, Reason> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// The content of a length-delimited field.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Reason> {
        let length = usize::try_from(self.varint()?).map_err(|_| Reason::Truncated)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Steps over a text field, which proto3 wants to be UTF-8.
    #[inline]
    pub(crate) fn check_text(&mut self) -> Result<(), Reason> {
        std::str::from_utf8(self.bytes()?).map(drop).map_err(|_| Reason::TextNotUtf8)
    }

    /// Steps over a field whose content does not matter.
    #[inline]
    pub(crate) fn skip(&mut self, key: Key) -> Result<(), Reason> {
        match key & 7 {
            VARINT => self.varint().map(drop),
            FIXED64 => self.fixed64().map(drop),
            FIXED32 => self.fixed32().map(drop),
            LENGTH => self.bytes().map(drop),
            _ => Err(Reason::FieldKey { found: u64::from(key) }),
        }
    }

    /// Steps over a field that `message` does not define. A field that it does define comes here
    /// only when its wire type is wrong, and is refused.
    #[cold]
    pub(crate) fn skip_unknown(&mut self, key: Key, message: &'static Message) -> Result<(), Reason> {
        let number = key >> 3;
        if let Some(field) = message.field(number) {
            let (expected, found) = (field.key & 7, key & 7);
            return Err(Reason::WireType { message: message.name, number, expected, found });
        }
        self.skip(key)
    }
}
