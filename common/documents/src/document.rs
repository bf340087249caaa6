//! A document that was read.

use serde::{Deserialize, Serialize};

mod active;

pub use active::{Active, ActiveKind, MOST_DETAIL_BYTES};

/// Pages of a document at most. Longer ones are refused, because unread pages would be unjudged ones.
pub const MOST_PAGES: usize = 2_000;
/// Bytes of text of a document at most, hidden and attached text included.
pub const MOST_TEXT_BYTES: usize = 4 << 20;

/// Opacity below which a text is hidden.
pub(crate) const FAINT: f32 = 0.1;
/// Difference of each colour component, of 255, up to which two colours look the same.
pub(crate) const SAME_COLOUR: u8 = 24;

/// Text of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Pages in their order, for formats that have them.
    pub pages: Vec<Page>,
    /// Text outside of the pages' content, and all text of formats without pages, in the order of the document.
    pub runs: Vec<Run>,
    /// Names of the parts that positions refer to: body parts of a mail, files of an Office document.
    pub parts: Vec<String>,
    /// Content that acts on its own or points elsewhere.
    pub active: Vec<Active>,
    /// Parts that were not read. A judgement of the document is incomplete unless this is empty.
    pub unread: Vec<Unread>,
}

/// A page. Units are points (1/72 inch); the origin is the upper left corner of the page as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Visible lines in reading order, then hidden ones in theirs. A line is text of one row and one column.
    pub lines: Vec<Run>,
}

/// Consecutive text of one kind, which is either visible or hidden in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its text, with one space where words are apart. Hyphens at the end of lines are left as they are.
    pub text: String,
    /// Kind of its place.
    pub kind: TextKind,
    /// Position.
    pub position: Position,
    /// Technique that hides it; `None` when it is visible, or as visible as its kind can be.
    pub hiding: Option<Hiding>,
}

/// Position of a text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    /// On the page that contains the line.
    Page {
        /// Rectangle around it.
        place: Place,
        /// Size of the font as shown, of its first letter.
        size: f32,
    },
    /// Outside of the content of pages.
    Attached {
        /// Index of its page, where it has one.
        page: Option<u32>,
    },
    /// In a source text.
    Source {
        /// Index in [`Document::parts`].
        part: u32,
        /// Bytes before it, counted in the part's text after its conversion to UTF-8.
        offset: u32,
        /// Line, from 1.
        line: u32,
    },
}

/// A rectangle on a page, in points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Left edge.
    pub x: f32,
    /// Upper edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

/// Reason why a text is invisible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hiding {
    /// Drawn with the render mode for invisible text. Scanned pages have their recognised text in it.
    RenderMode,
    /// Drawn with less than a tenth of the full opacity.
    Transparent,
    /// In the colour of what is behind it, or nearly.
    BackgroundColour,
    /// Smaller than two points.
    Tiny,
    /// Outside of the page.
    OffPage,
    /// Outside of the clipping path.
    Clipped,
    /// Painted over. Scanned pages may have their recognised text below the image.
    Covered,
    /// In a layer that is switched off.
    Layer,
    /// Not displayed (`display: none`, `mso-hide`, or the attribute `hidden`; in Office documents, the property "hidden").
    Display,
    /// Laid out but not drawn (`visibility`).
    Visibility,
    /// In an element that is not rendered, or rendered only where a feature is missing (`template`, `noscript`).
    NotRendered,
}

/// Kind of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextKind {
    /// Content of the document, which a reader sees unless it is hidden.
    Content,
    /// Comment of an annotation, or an entry of its dictionary; a reviewer's comment.
    Annotation,
    /// Text that replaces or describes content (`ActualText`, `alt`, `title`, `aria-label`, `placeholder`).
    Alternative,
    /// Title in the outline.
    Outline,
    /// Title, description or another property of the document.
    Metadata,
    /// Name and description of an attached file. The file itself is not read.
    Attachment,
    /// Comment in the source text.
    Comment,
    /// Code that a viewer would run.
    Script,
    /// Data for code: the content of a `script` element that is no script.
    Data,
}

/// Reason why a part was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    /// A hidden layer whose text could not be read.
    Layer,
    /// More bytes than are read.
    Bytes,
    /// More elements, or deeper nesting, than are read.
    Structure,
    /// More style rules than are applied: hidden text may count as visible.
    Styles,
    /// A part that needs a password.
    Encrypted,
    /// A part that cannot be decoded.
    Damaged,
}

impl Run {
    /// Rectangle around a line of a page and the size of its font, in points.
    #[must_use]
    pub const fn area(&self) -> Option<(Place, f32)> {
        match self.position {
            Position::Page { place, size } => Some((place, size)),
            Position::Attached { .. } | Position::Source { .. } => None,
        }
    }

    /// Whether a reader sees it without an action of theirs.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.hiding.is_none() && self.kind == TextKind::Content
    }
}

impl Document {
    /// Visible text in reading order: a line break after each line, an empty line between pages.
    #[must_use]
    pub fn visible_text(&self) -> String {
        let mut text = String::new();
        for page in &self.pages {
            if !text.is_empty() {
                text.push('\n');
            }
            for line in page.lines.iter().filter(|line| line.hiding.is_none()) {
                text.push_str(&line.text);
                text.push('\n');
            }
        }
        text
    }

    /// Hidden lines with the index of their page.
    pub fn hidden(&self) -> impl Iterator<Item = (usize, &Run)> {
        let pages = self.pages.iter().enumerate();
        pages
            .flat_map(|(index, page)| page.lines.iter().map(move |line| (index, line)))
            .filter(|(_, line)| line.hiding.is_some())
    }

    /// Every run, of pages and outside of them, with the index of its page if it has one.
    pub fn runs(&self) -> impl Iterator<Item = (Option<usize>, &Run)> {
        let pages = self.pages.iter().enumerate();
        let lines = pages.flat_map(|(index, page)| page.lines.iter().map(move |line| (Some(index), line)));
        lines.chain(self.runs.iter().map(|run| match run.position {
            Position::Attached { page } => (page.map(|page| page as usize), run),
            Position::Page { .. } | Position::Source { .. } => (None, run),
        }))
    }

    /// Records a part that was not read, once for each reason.
    pub(crate) fn mark_unread(&mut self, reason: Unread) {
        if !self.unread.contains(&reason) {
            self.unread.push(reason);
        }
    }

    /// Whether content or annotations contain a letter or digit. Metadata alone is no content.
    #[must_use]
    pub fn has_text(&self) -> bool {
        let content = |run: &Run| matches!(run.kind, TextKind::Content | TextKind::Annotation);
        self.runs().any(|(_, run)| content(run) && run.text.chars().any(char::is_alphanumeric))
    }

    /// Whether the bounds hold and every number is one. A reply of the sandbox is trusted no further than this.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let bytes: usize = self.runs().map(|(_, run)| run.text.len()).sum();
        let is_finite = |run: &Run| match run.position {
            Position::Page { place, size } => {
                [place.x, place.y, place.width, place.height, size].into_iter().all(f32::is_finite)
            }
            Position::Attached { .. } | Position::Source { .. } => true,
        };
        self.pages.len() <= MOST_PAGES
            && bytes <= MOST_TEXT_BYTES
            && self.active.iter().all(|active| active.detail.len() <= MOST_DETAIL_BYTES)
            && self.runs().all(|(_, run)| is_finite(run))
            && self.pages.iter().all(|page| page.width.is_finite() && page.height.is_finite())
    }
}
