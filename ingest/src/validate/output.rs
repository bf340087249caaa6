//! Writing protobuf into one buffer. A message of unknown length is opened with a guess of the bytes that
//! its length will take; closing it writes the length and moves the content only when the guess was wrong.
//! Lengths are as short as possible, except those of deeply nested messages.

use bytes::BytesMut;
use durable_log::disk::aligned::AlignedBuffer;
use durable_log::payload_buffer;

use super::json::Text;
use super::schema::{Key, any_value, key_value};

/// Bytes that `value` takes as a varint.
#[inline]
pub(super) fn varint_width(value: u64) -> usize {
    // Seven bits per byte; zero takes one byte too.
    ((value | 1).ilog2() as usize) / 7 + 1
}

/// Bytes of a length-delimited field with a one-byte key.
#[inline]
fn field_size(content: usize) -> usize {
    1 + varint_width(content as u64) + content
}

/// Nesting depth from which no message is moved to shorten its length, and a length that took more bytes than guessed is
/// the guess for those of equal depth: content in a hundred messages would be moved a hundred times. Objects in
/// attributes of logs are less deep; each takes three. Messages that hold no others are exempt: they are moved once, and
/// a number of one digit must not become twice as long.
const DEEP: usize = 24;

/// The protobuf being written.
pub(super) struct Output {
    /// In memory that the log need not copy.
    buffer: AlignedBuffer,
    /// Number of open messages.
    depth: usize,
    /// Bytes that the lengths of messages of each depth took, from [`DEEP`] on.
    widths: Vec<usize>,
    /// Number of bytes moved.
    #[cfg(test)]
    moved: usize,
}

/// A message that has been opened and not closed.
#[must_use = "an open message has no length yet"]
pub(super) struct Open {
    /// Start of the content.
    start: usize,
    /// Bytes left free before it for the length.
    width: usize,
    /// Whether the width is that of others of the same depth.
    is_deep: bool,
}

impl Output {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            buffer: payload_buffer(capacity),
            depth: 0,
            widths: Vec::new(),
            #[cfg(test)]
            moved: 0,
        }
    }

    pub(super) fn into_bytes(self) -> BytesMut {
        self.buffer.into_bytes()
    }

    /// Discards everything written, open messages included.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
        self.depth = 0;
    }

    /// The end of the output, for content that a field's length already announces.
    #[inline]
    pub(super) fn tail(&mut self) -> &mut Vec<u8> {
        self.buffer.tail()
    }

    #[inline]
    pub(super) fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.tail().push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.tail().push(value.to_le_bytes()[0]);
    }

    /// Every key of the schema takes one byte, as a test of the schema checks.
    #[inline]
    pub(super) fn key(&mut self, key: Key) {
        self.tail().push(key.to_le_bytes()[0]);
    }

    #[inline]
    pub(super) fn varint_field(&mut self, key: Key, value: u64) {
        self.key(key);
        self.varint(value);
    }

    pub(super) fn fixed32_field(&mut self, key: Key, value: u32) {
        self.key(key);
        self.tail().extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn fixed64_field(&mut self, key: Key, value: u64) {
        self.key(key);
        self.tail().extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub(super) fn bytes_field(&mut self, key: Key, value: &[u8]) {
        self.key(key);
        self.varint(value.len() as u64);
        self.tail().extend_from_slice(value);
    }

    /// A text field from a JSON string, its escapes resolved.
    #[inline]
    pub(super) fn text_field(&mut self, key: Key, text: Text<'_>) {
        if !text.is_escaped() {
            return self.bytes_field(key, text.raw);
        }
        let open = self.open(key, text.raw.len());
        text.decode_into(self.tail());
        self.close(open);
    }

    /// A key-value pair of a name and a text, both unescaped. Every length is known before anything is written.
    #[inline]
    pub(super) fn text_pair(&mut self, key: Key, name: &[u8], text: &[u8]) {
        let value = field_size(text.len());
        let pair = field_size(name.len()) + field_size(value);
        if pair < 0x80 {
            // Most pairs: each length is one byte.
            let [pair, name_length, value, length] = [pair, name.len(), value, text.len()].map(|n| n as u8);
            self.tail().extend_from_slice(&[key as u8, pair, key_value::KEY as u8, name_length]);
            self.tail().extend_from_slice(name);
            self.tail().extend_from_slice(&[
                key_value::VALUE as u8,
                value,
                any_value::STRING_VALUE as u8,
                length,
            ]);
            self.tail().extend_from_slice(text);
            return;
        }
        self.varint_field(key, pair as u64);
        self.bytes_field(key_value::KEY, name);
        self.varint_field(key_value::VALUE, value as u64);
        self.bytes_field(any_value::STRING_VALUE, text);
    }

    /// Begins a length-delimited field whose content will take about `expected` bytes.
    #[inline]
    pub(super) fn open(&mut self, key: Key, expected: usize) -> Open {
        let width = varint_width(expected as u64);
        self.open_wide(key, width, false)
    }

    /// As [`open`](Self::open), for fields that may hold messages in messages.
    #[inline]
    pub(super) fn open_container(&mut self, key: Key, expected: usize) -> Open {
        let mut width = varint_width(expected as u64);
        let is_deep = self.depth >= DEEP;
        if is_deep {
            width = width.max(self.widths.get(self.depth - DEEP).copied().unwrap_or(0));
        }
        self.open_wide(key, width, is_deep)
    }

    #[inline]
    fn open_wide(&mut self, key: Key, width: usize, is_deep: bool) -> Open {
        self.depth += 1;
        self.key(key);
        for _ in 0..width {
            self.tail().push(0);
        }
        Open { start: self.tail().len(), width, is_deep }
    }

    /// Ends the field that was opened last.
    #[inline]
    pub(super) fn close(&mut self, open: Open) {
        let length = self.tail().len() - open.start;
        let mut needed = varint_width(length as u64);
        self.depth = self.depth.saturating_sub(1);
        if open.is_deep {
            needed = self.width_of_deep(&open, needed);
        }
        if needed != open.width {
            self.move_content(&open, needed);
        }
        let mut rest = length;
        for at in 1..=needed {
            let more = if at < needed { 0x80 } else { 0 };
            self.tail()[open.start - open.width + at - 1] = (rest & 0x7f) as u8 | more;
            rest >>= 7;
        }
    }

    /// Number of bytes that the length of a deeply nested message gets.
    #[cold]
    fn width_of_deep(&mut self, open: &Open, needed: usize) -> usize {
        let place = self.depth - DEEP;
        if needed > open.width {
            self.widths.resize(self.widths.len().max(place + 1), 0);
            self.widths[place] = needed;
        }
        needed.max(open.width)
    }

    #[cold]
    fn move_content(&mut self, open: &Open, needed: usize) {
        let end = self.tail().len();
        #[cfg(test)]
        {
            self.moved += end - open.start;
        }
        let start = open.start - open.width + needed;
        if needed > open.width {
            self.tail().resize(end + needed - open.width, 0);
        }
        self.tail().copy_within(open.start..end, start);
        self.tail().truncate(end - open.start + start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::wire::Fields;

    #[test]
    fn widths_are_those_of_the_wire_format() {
        for (value, width) in
            [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX >> 1, 9), (u64::MAX, 10)]
        {
            assert_eq!(varint_width(value), width, "of {value}");
            let mut output = Output::with_capacity(0);
            output.varint(value);
            assert_eq!(output.into_bytes().len(), width, "of {value}");
        }
    }

    #[test]
    fn what_lies_deep_is_not_moved_for_each_message_around_it() {
        let mut output = Output::with_capacity(0);
        for content in [20_000, 10_000].repeat(50) {
            let opened: Vec<Open> = (0..192).map(|_| output.open_container(10, 1)).collect();
            output.tail().extend(std::iter::repeat_n(8, content));
            opened.into_iter().rev().for_each(|open| output.close(open));
        }
        let (moved, bytes) = (output.moved, output.into_bytes());
        assert!(moved < 30 * bytes.len(), "{moved} bytes for {}", bytes.len());
        let mut inside = Fields::of(&bytes);
        for content in [20_000, 10_000].repeat(50) {
            assert_eq!(inside.next_key(), Ok(Some(10)));
            let mut bytes = inside.bytes().unwrap();
            for _ in 1..192 {
                let mut fields = Fields::of(bytes);
                assert_eq!(fields.next_key(), Ok(Some(10)));
                bytes = fields.bytes().unwrap();
            }
            assert_eq!(bytes.len(), content, "lengths that are longer than need be are read");
        }
    }

    #[test]
    fn a_wrong_guess_gives_the_same_bytes() {
        for length in [0, 1, 127, 128, 300, 20_000] {
            let content: Vec<u8> = (0..length).map(|byte| (byte % 251) as u8).collect();
            let mut direct = Output::with_capacity(0);
            direct.bytes_field(10, &content);
            let direct = direct.into_bytes();
            for expected in [0, 200, 30_000, 3_000_000] {
                let mut output = Output::with_capacity(0);
                let open = output.open(10, expected);
                output.tail().extend_from_slice(&content);
                output.close(open);
                assert_eq!(output.into_bytes(), direct, "{length} bytes, guessed {expected}");
            }
        }
    }
}
