//! Texts of a block to runs: visible text continues across hidden pieces, as a reader sees it.

use super::tree::Tree;
use crate::document::{Document, Hiding, MOST_TEXT_BYTES, Position, Run, TextKind, Unread};

/// A run that grows.
#[derive(Debug)]
struct Growing {
    hiding: Option<Hiding>,
    text: String,
    offset: u32,
    /// Whether a space precedes the next letter.
    is_spaced: bool,
}

/// Runs of the current block, and the document they go to.
pub(super) struct Flow<'t> {
    pub(super) document: Document,
    /// Bytes of text that may follow.
    room: usize,
    block: u32,
    growing: Vec<Growing>,
    lines: Lines<'t>,
    part: u32,
}

impl<'t> Flow<'t> {
    pub(super) fn new(source: &'t str, part: u32) -> Self {
        Self {
            document: Document::default(),
            room: MOST_TEXT_BYTES,
            block: 0,
            growing: Vec::new(),
            lines: Lines { rest: source.as_bytes(), passed: 0, line: 1, source: source.as_bytes() },
            part,
        }
    }

    /// Adds text of a block.
    pub(super) fn add(
        &mut self,
        text: &str,
        block: u32,
        hiding: Option<Hiding>,
        offset: u32,
        keeps_space: bool,
    ) {
        if block != self.block {
            self.end_block();
            self.block = block;
        }
        let text = self.take(text);
        let at = self.growing.iter().position(|run| run.hiding == hiding);
        let at = at.unwrap_or_else(|| {
            self.growing.push(Growing { hiding, text: String::new(), offset, is_spaced: false });
            self.growing.len() - 1
        });
        let Some(run) = self.growing.get_mut(at) else { return };
        if run.text.is_empty() {
            let blank = text.len() - text.trim_start_matches(|sign: char| sign.is_ascii_whitespace()).len();
            run.offset = offset + blank as u32;
        }
        if keeps_space {
            run.text.push_str(text);
            return;
        }
        for piece in text.split_inclusive(|sign: char| sign.is_ascii_whitespace()) {
            let word = piece.trim_end_matches(|sign: char| sign.is_ascii_whitespace());
            if !word.is_empty() {
                if run.is_spaced && !run.text.is_empty() && !run.text.ends_with('\n') {
                    run.text.push(' ');
                }
                run.text.push_str(word);
                run.is_spaced = false;
            }
            run.is_spaced |= word.len() < piece.len();
        }
    }

    /// A line break within the block.
    pub(super) fn break_line(&mut self) {
        for run in self.growing.iter_mut().filter(|run| !run.text.is_empty()) {
            if self.room == 0 {
                return;
            }
            self.room -= 1;
            run.text.push('\n');
            run.is_spaced = false;
        }
    }

    /// Ends the current block.
    pub(super) fn end_block(&mut self) {
        let mut growing = std::mem::take(&mut self.growing);
        growing.retain(|run| !run.text.trim().is_empty());
        growing.sort_by_key(|run| run.offset);
        for run in growing {
            let text = run.text.trim_end().to_owned();
            self.push(text, TextKind::Content, run.hiding, run.offset);
        }
    }

    /// Adds a text that stands alone. Returns the index of its run.
    pub(super) fn alone(
        &mut self,
        text: &str,
        kind: TextKind,
        hiding: Option<Hiding>,
        offset: u32,
    ) -> Option<u32> {
        let text = self.take(text.trim());
        if text.is_empty() {
            return None;
        }
        let text = text.to_owned();
        Some(self.push(text, kind, hiding, offset))
    }

    fn push(&mut self, text: String, kind: TextKind, hiding: Option<Hiding>, offset: u32) -> u32 {
        let position = Position::Source { part: self.part, offset, line: self.lines.at(offset) };
        self.document.runs.push(Run { text, kind, position, hiding });
        (self.document.runs.len() - 1) as u32
    }

    /// As much of a text as there is room for.
    fn take<'s>(&mut self, text: &'s str) -> &'s str {
        // One byte more, for the space before it.
        let end = text.floor_char_boundary(self.room.saturating_sub(1));
        if end < text.len() {
            self.document.mark_unread(Unread::Bytes);
        }
        self.room = self.room.saturating_sub(end + 1);
        text.get(..end).unwrap_or_default()
    }

    pub(super) fn finish(mut self, tree: &Tree) -> Document {
        self.end_block();
        if tree.is_cut {
            self.document.mark_unread(Unread::Structure);
        }
        self.document
    }
}

/// Lines of places, which mostly follow each other.
struct Lines<'t> {
    source: &'t [u8],
    rest: &'t [u8],
    passed: u32,
    line: u32,
}

impl Lines<'_> {
    fn at(&mut self, offset: u32) -> u32 {
        if offset < self.passed {
            // Runs of one block are a few places back: their lines are counted from here.
            let back = self.source.get(offset as usize..self.passed as usize).unwrap_or_default();
            return self.line - memchr::memchr_iter(b'\n', back).count() as u32;
        }
        let step = ((offset - self.passed) as usize).min(self.rest.len());
        let (passed, rest) = self.rest.split_at(step);
        self.line += memchr::memchr_iter(b'\n', passed).count() as u32;
        self.rest = rest;
        self.passed = offset;
        self.line
    }
}
