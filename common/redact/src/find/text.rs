//! The text under examination and the few ways to look at it. Every loop over bytes of a confirm step goes
//! through here, so that the work done can be counted and proven linear.

use std::cell::Cell;

/// Most bytes of the name in a placeholder; those of ours have fewer.
const LONGEST_PLACEHOLDER: usize = 32;

/// Bytes of text with a count of the bytes looked at one by one.
pub(crate) struct Text<'a> {
    bytes: &'a [u8],
    steps: Cell<u64>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, steps: Cell::new(0) }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Number of bytes looked at one by one so far.
    #[cfg(test)]
    pub(crate) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// The byte at `index`; NUL, which belongs to no class, outside of the text.
    pub(crate) fn at(&self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }

    /// The byte before `index`; NUL at the start.
    pub(crate) fn before(&self, index: usize) -> u8 {
        index.checked_sub(1).map_or(0, |previous| self.at(previous))
    }

    /// The bytes `start..end`, empty where that is not within the text.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// Whether `word` stands at `index`.
    pub(crate) fn has(&self, index: usize, word: &[u8]) -> bool {
        self.slice(index, index.saturating_add(word.len())) == word
    }

    /// Whether `word` stands at `index` in any case (ASCII).
    pub(crate) fn has_ignoring_case(&self, index: usize, word: &[u8]) -> bool {
        self.slice(index, index.saturating_add(word.len())).eq_ignore_ascii_case(word)
    }

    /// End of the run of bytes of `class` that begins at `start`.
    pub(crate) fn run(&self, start: usize, class: impl Fn(u8) -> bool) -> usize {
        self.run_at_most(start, usize::MAX, class)
    }

    /// End of the run of bytes of `class` that begins at `start`, looking at no more than `most` bytes.
    pub(crate) fn run_at_most(&self, start: usize, most: usize, class: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let window = rest.get(..most).unwrap_or(rest);
        let length = window.iter().position(|byte| !class(*byte)).unwrap_or(window.len());
        self.count(length);
        start + length
    }

    /// Start of the run of bytes of `class` that ends before `end`, looking at no more than `most` bytes.
    pub(crate) fn run_back(&self, end: usize, most: usize, class: impl Fn(u8) -> bool) -> usize {
        let head = self.bytes.get(..end).unwrap_or(self.bytes);
        let length = head.iter().rev().take(most).take_while(|byte| class(**byte)).count();
        self.count(length);
        end - length
    }

    /// Whether a word may begin at `index`: the byte before is no letter or digit, or ends an escape
    /// sequence (`\n`, `\u0020`, `%20`) that stands for such a byte.
    pub(crate) fn begins_word(&self, index: usize) -> bool {
        !self.before(index).is_ascii_alphanumeric() || self.ends_escape(index)
    }

    /// Whether a word may end before `index`.
    pub(crate) fn ends_word(&self, index: usize) -> bool {
        !self.at(index).is_ascii_alphanumeric()
    }

    /// Whether an escape sequence ends before `index`.
    pub(crate) fn ends_escape(&self, index: usize) -> bool {
        let hexadecimal = |length: usize| {
            index
                .checked_sub(length)
                .is_some_and(|start| self.slice(start, index).iter().all(u8::is_ascii_hexdigit))
        };
        let preceded_by = |length: usize, mark: &[u8]| {
            index.checked_sub(length + mark.len()).is_some_and(|start| self.has(start, mark))
        };
        let single = matches!(self.before(index), b'n' | b'r' | b't' | b'b' | b'f') && preceded_by(1, b"\\");
        single || (hexadecimal(2) && preceded_by(2, b"%")) || (hexadecimal(4) && preceded_by(4, b"\\u"))
    }

    /// Start of the word whose run of letters begins at `start`: behind the letter of an escape such as
    /// `\n` that ran into it.
    pub(crate) fn after_escape(&self, start: usize) -> usize {
        if self.before(start) == b'\\' && self.ends_escape(start + 1) { start + 1 } else { start }
    }

    /// Whether something masked begins at `index`. Rules that depend on the neighbours of a match take it
    /// for the text it hides, so that masking a neighbour never creates a match.
    pub(crate) fn masked_at(&self, index: usize) -> bool {
        self.at(index) == b'*' || self.placeholder_at(index)
    }

    /// Whether a placeholder, as [`EntityType::placeholder`](crate::EntityType::placeholder) has them, begins at `index`.
    pub(crate) fn placeholder_at(&self, index: usize) -> bool {
        if self.at(index) != b'<' {
            return false;
        }
        let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_';
        let name_end = self.run_at_most(index + 1, LONGEST_PLACEHOLDER, is_name);
        self.at(name_end) == b'>' && self.slice(index, name_end).ends_with(b"_REDACTED")
    }

    /// Whether something masked ends before `index`.
    pub(crate) fn masked_before(&self, index: usize) -> bool {
        const END: &[u8] = b"_REDACTED>";
        let placeholder = || index.checked_sub(END.len()).is_some_and(|start| self.has(start, END));
        self.before(index) == b'*' || placeholder()
    }

    /// Counts bytes examined in a copy of the text.
    pub(crate) fn count_as_well(&self, copy: &Text<'_>) {
        self.steps.set(self.steps.get() + copy.steps.get());
    }

    fn count(&self, bytes: usize) {
        self.steps.set(self.steps.get() + bytes as u64 + 1);
    }
}
