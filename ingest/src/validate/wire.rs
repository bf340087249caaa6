//! Reading the protobuf wire format (protobuf.dev, Encoding) field by field, strictly and without
//! copying. The walkers interpret the fields.

use super::rejection::{Fault, Reason};
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

    /// The next field's key, or `None` at the message's end. A key unknown to the schema is checked
    /// in [`skip_unknown`](Self::skip_unknown).
    #[inline(always)]
    pub(crate) fn next_key(&mut self) -> Result<Option<Key>, Fault> {
        match self.rest {
            [] => Ok(None),
            [byte @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(Some(Key::from(*byte)))
            }
            _ => self.long_key().map(Some),
        }
    }

    #[cold]
    fn long_key(&mut self) -> Result<Key, Fault> {
        let key = self.varint()?;
        Key::try_from(key).map_err(|_| Reason::FieldKey { found: key }.into())
    }

    /// A varint. Longer encodings than needed are valid; more than 64 bits are not.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, Fault> {
        match self.rest {
            [byte @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(*byte))
            }
            // Lengths of messages and records.
            [low, high @ ..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | u64::from(*high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0;
        for (index, byte) in self.rest.iter().take(LONGEST_VARINT).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if *byte >= 0x80 {
                continue;
            }
            if index + 1 == LONGEST_VARINT && *byte > 1 {
                return Err(Reason::VarintTooLong.into());
            }
            self.rest = &self.rest[index + 1..];
            return Ok(value);
        }
        if self.rest.len() < LONGEST_VARINT {
            Err(Reason::Truncated.into())
        } else {
            Err(Reason::VarintTooLong.into())
        }
    }

    /// Eight bytes as an integer.
    #[inline]
    pub(crate) fn fixed64(&mut self) -> Result<u64, Fault> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(u64::from_le_bytes(*bytes))
    }

    /// Four bytes as an integer.
    #[inline]
    pub(crate) fn fixed32(&mut self) -> Result<u32, Fault> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(u32::from_le_bytes(*bytes))
    }

    /// The content of a length-delimited field.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Fault> {
        let length = usize::try_from(self.varint()?).map_err(|_| Reason::Truncated)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Reason::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// Skips a field whose content does not matter.
    #[inline]
    pub(crate) fn skip(&mut self, key: Key) -> Result<(), Fault> {
        match key & 7 {
            _ if key >> 3 == 0 => Err(Reason::FieldKey { found: u64::from(key) }.into()),
            VARINT => self.varint().map(drop),
            FIXED64 => self.fixed64().map(drop),
            FIXED32 => self.fixed32().map(drop),
            LENGTH => self.bytes().map(drop),
            3 | 4 => Err(Reason::Group { number: key >> 3 }.into()),
            _ => Err(Reason::FieldKey { found: u64::from(key) }.into()),
        }
    }

    /// Skips a field that `message` does not define. A field that it does define arrives here only
    /// when its wire type is wrong, and is refused.
    #[cold]
    pub(crate) fn skip_unknown(&mut self, key: Key, message: &'static Message) -> Result<(), Fault> {
        let number = key >> 3;
        if let Some(field) = message.field(number) {
            let (expected, found) = (field.key & 7, key & 7);
            return Err(Reason::WireType { message: message.name, number, expected, found }.into());
        }
        self.skip(key)
    }
}
