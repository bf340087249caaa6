//! The protobuf wire format: one message's fields, one after the other. Knows no message type.

/// A field's value, by wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

/// Iterator over the fields of one message. Ends early, and remembers it, where the bytes do not
/// follow the format.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    broken: bool,
}

/// The length-delimited field that a message begins with, where that has this number (below 16), and what
/// follows it; `None` also for forms that are merely unusual. Most messages inside values are one such field
/// or two, and going through [`Fields`] costs more than reading them.
#[inline]
pub(super) fn first_message(message: &[u8], number: u32) -> Option<(&[u8], &[u8])> {
    let is_key = |tag: &u8| u64::from(*tag) == u64::from(number) << 3 | WIRE_BYTES;
    match message {
        [tag, length, rest @ ..] if is_key(tag) && *length < 0x80 => {
            rest.split_at_checked(usize::from(*length))
        }
        [tag, low, high, rest @ ..] if is_key(tag) && *high < 0x80 => {
            rest.split_at_checked(usize::from(*low & 0x7f) | usize::from(*high) << 7)
        }
        _ => None,
    }
}

/// Content of a message's only length-delimited field, whatever its number (below 16); `None` if there are
/// others, and for unusual forms.
#[inline]
pub(super) fn only_message(message: &[u8]) -> Option<&[u8]> {
    match first_message(message, u32::from(*message.first()?) >> 3) {
        Some((field, [])) => Some(field),
        _ => None,
    }
}

/// A copy of a message without the fields of some numbers. Ends where the message is broken.
pub(super) fn without(message: &[u8], numbers: &[u32]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(message.len());
    let mut fields = Fields::new(message);
    loop {
        let before = fields.rest;
        let Some((number, _)) = fields.next() else { return kept };
        let written = before.len() - fields.rest.len();
        if !numbers.contains(&number) {
            kept.extend_from_slice(&before[..written]);
        }
    }
}

const WIRE_VARINT: u64 = 0;
const WIRE_FIXED64: u64 = 1;
const WIRE_BYTES: u64 = 2;
const WIRE_GROUP_START: u64 = 3;
const WIRE_GROUP_END: u64 = 4;
const WIRE_FIXED32: u64 = 5;
/// Seven bits a byte: 64 bits take at most ten.
const MAX_VARINT_BYTES: usize = 10;

impl<'a> Fields<'a> {
    pub(super) fn new(message: &'a [u8]) -> Self {
        Self { rest: message, broken: false }
    }

    /// Bytes not yet walked.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips bytes that were read elsewhere: whole fields.
    pub(super) fn pass_over(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    /// Whether the walk ended before the message did.
    pub(super) fn is_broken(&self) -> bool {
        self.broken
    }

    /// The length-delimited field with this number that comes next, unless its form is unusual.
    #[inline]
    pub(super) fn leading_message(&mut self, number: u32) -> Option<&'a [u8]> {
        let (message, rest) = first_message(self.rest, number)?;
        self.rest = rest;
        Some(message)
    }

    /// The next length-delimited field with this number; others are passed over.
    #[inline]
    pub(super) fn next_message(&mut self, number: u32) -> Option<&'a [u8]> {
        match self.leading_message(number) {
            None if !self.rest.is_empty() => self.search_message(number),
            leading => leading,
        }
    }

    /// Passes over the length-delimited fields with this number that come next.
    #[inline]
    pub(super) fn pass_over_messages(&mut self, number: u32) {
        while let Some((_, rest)) = first_message(self.rest, number) {
            self.rest = rest;
        }
    }

    #[inline(never)]
    fn search_message(&mut self, number: u32) -> Option<&'a [u8]> {
        self.find_map(|field| match field {
            (found, Wire::Bytes(bytes)) if found == number => Some(bytes),
            _ => None,
        })
    }

    #[inline]
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    #[inline]
    fn varint(&mut self) -> Option<u64> {
        // Nearly all tags and most lengths are one byte.
        match self.rest {
            [byte, rest @ ..] if *byte < 0x80 => {
                self.rest = rest;
                Some(u64::from(*byte))
            }
            _ => self.long_varint(),
        }
    }

    fn long_varint(&mut self) -> Option<u64> {
        let mut word = 0_u64;
        for (position, byte) in self.rest.iter().take(MAX_VARINT_BYTES).enumerate() {
            word |= u64::from(byte & 0x7f) << (7 * position);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[position + 1..];
                return Some(word);
            }
        }
        None
    }

    #[inline]
    fn value(&mut self, wire_type: u64) -> Option<Wire<'a>> {
        match wire_type {
            WIRE_VARINT => self.varint().map(Wire::Varint),
            WIRE_FIXED64 => Some(Wire::Fixed64(u64::from_le_bytes(*self.take(8)?.first_chunk()?))),
            WIRE_FIXED32 => Some(Wire::Fixed32(u32::from_le_bytes(*self.take(4)?.first_chunk()?))),
            WIRE_BYTES => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length).map(Wire::Bytes)
            }
            _ => None,
        }
    }

    /// Passes over a group (deprecated, still legal in unknown fields) and all groups inside it.
    fn skip_group(&mut self) -> Option<()> {
        let mut open = 1_usize;
        while open > 0 {
            match self.varint()? & 7 {
                WIRE_GROUP_START => open += 1,
                WIRE_GROUP_END => open -= 1,
                wire_type => {
                    self.value(wire_type)?;
                }
            }
        }
        Some(())
    }

    /// One field; `Some(None)` for a group that was passed over.
    #[inline]
    fn field(&mut self) -> Option<Option<(u32, Wire<'a>)>> {
        let tag = self.varint()?;
        let wire_type = tag & 7;
        if wire_type == WIRE_GROUP_START {
            self.skip_group()?;
            return Some(None);
        }
        let number = u32::try_from(tag >> 3).ok()?;
        Some(Some((number, self.value(wire_type)?)))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, Wire<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            match self.field() {
                Some(Some(field)) => return Some(field),
                Some(None) => {}
                None => {
                    self.broken = true;
                    self.rest = &[];
                }
            }
        }
        None
    }
}
