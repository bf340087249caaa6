//! Runs of text as they are found.

use crate::document::{
    Active, ActiveKind, Document, Hiding, MOST_TEXT_BYTES, Position, Run, SAME_COLOUR, TextKind, Unread,
};
use crate::error::DocumentError;

/// Entries of active content at most. Documents with more links than that have no other kind of content.
const MOST_ACTIVE: usize = 5_000;
/// Size in points below which a text cannot be read.
const LEAST_SIZE: f32 = 2.0;

/// Form of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Look {
    /// Technique that hides it, whatever its form.
    pub(super) hiding: Option<Hiding>,
    /// Size in points, if it is set.
    pub(super) size: Option<f32>,
    /// Colour, if it is set and not that of a theme.
    pub(super) colour: Option<[u8; 3]>,
    /// Colour behind it; white if it is not set.
    pub(super) background: Option<[u8; 3]>,
}

impl Look {
    /// This form, with the parts that another one sets.
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            hiding: other.hiding.or(self.hiding),
            size: other.size.or(self.size),
            colour: other.colour.or(self.colour),
            background: other.background.or(self.background),
        }
    }

    pub(super) fn hiding(&self) -> Option<Hiding> {
        if self.hiding.is_some() {
            return self.hiding;
        }
        if self.size.is_some_and(|size| size < LEAST_SIZE) {
            return Some(Hiding::Tiny);
        }
        let behind = self.background.unwrap_or([255; 3]);
        let is_same = |colour: [u8; 3]| {
            colour.iter().zip(behind).all(|(one, other)| one.abs_diff(other) <= SAME_COLOUR)
        };
        self.colour.filter(|colour| is_same(*colour)).map(|_| Hiding::BackgroundColour)
    }
}

/// Six hexadecimal digits, or eight with the opacity before them.
pub(super) fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = if text.len() == 8 { text.get(2..)? } else { text };
    if digits.len() != 6 {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// A document that grows.
#[derive(Debug, Default)]
pub(super) struct Collector {
    pub(super) document: Document,
    /// Texts of the current paragraph by the technique that hides them.
    growing: Vec<(Option<Hiding>, String, u32)>,
    bytes: usize,
}

impl Collector {
    pub(super) fn begin_part(&mut self, path: &str) {
        self.end_paragraph(TextKind::Content);
        self.document.parts.push(path.to_owned());
    }

    /// Adds text of the current paragraph.
    pub(super) fn add(&mut self, text: &str, hiding: Option<Hiding>, offset: u32) {
        if self.bytes > MOST_TEXT_BYTES {
            return;
        }
        self.bytes += text.len();
        match self.growing.iter_mut().find(|(own, _, _)| *own == hiding) {
            Some((_, own, _)) => own.push_str(text),
            None => self.growing.push((hiding, text.to_owned(), offset)),
        }
    }

    /// A space or line break in every text of the paragraph.
    pub(super) fn separate(&mut self, sign: char) {
        for (_, text, _) in &mut self.growing {
            self.bytes += 1;
            text.push(sign);
        }
    }

    pub(super) fn end_paragraph(&mut self, kind: TextKind) {
        for (hiding, text, offset) in std::mem::take(&mut self.growing) {
            self.push(text.trim(), kind, hiding, offset);
        }
    }

    /// Adds a text that stands alone.
    pub(super) fn alone(&mut self, text: &str, kind: TextKind, hiding: Option<Hiding>, offset: u32) {
        self.bytes += text.len();
        if self.bytes <= MOST_TEXT_BYTES {
            self.push(text, kind, hiding, offset);
        }
    }

    fn push(&mut self, text: &str, kind: TextKind, hiding: Option<Hiding>, offset: u32) {
        if text.trim().is_empty() {
            return;
        }
        let part = self.document.parts.len().saturating_sub(1) as u32;
        // These files have one line.
        let position = Position::Source { part, offset, line: 1 };
        self.document.runs.push(Run { text: text.to_owned(), kind, position, hiding });
    }

    pub(super) fn active(&mut self, kind: ActiveKind, detail: &str) {
        let active = Active::new(kind, detail.to_owned());
        if self.document.active.len() >= MOST_ACTIVE {
            self.document.mark_unread(Unread::Structure);
        } else if !self.document.active.contains(&active) || self.document.active.len() > 100 {
            self.document.active.push(active);
        }
    }

    pub(super) fn damage_unless(&mut self, is_whole: bool) {
        if !is_whole {
            self.document.mark_unread(Unread::Damaged);
        }
    }

    pub(super) fn finish(mut self) -> Result<Document, DocumentError> {
        self.end_paragraph(TextKind::Content);
        if self.bytes > MOST_TEXT_BYTES { Err(DocumentError::TooMuchText) } else { Ok(self.document) }
    }
}
