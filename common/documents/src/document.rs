//! A document that was read.

use serde::{Deserialize, Serialize};

/// Pages of a document at most. Longer ones are refused, because unread pages would be unjudged ones.
pub const MOST_PAGES: usize = 2_000;
/// Bytes of text of a document at most, hidden and attached text included.
pub const MOST_TEXT_BYTES: usize = 4 << 20;

/// Text of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Pages in their order.
    pub pages: Vec<Page>,
    /// Text outside of the pages' content.
    pub attached: Vec<Attached>,
    /// Whether there is a hidden layer whose text could not be read. A judgement of the document is incomplete then.
    pub has_unread_layers: bool,
}

/// A page. Units are points (1/72 inch); the origin is the upper left corner of the page as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Visible lines in reading order, then hidden ones in theirs.
    pub lines: Vec<Line>,
}

/// A line of text, or the part of a line that belongs to one column. It is either visible or hidden in one way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Its text, with one space where words are apart. Hyphens at its end are left as they are.
    pub text: String,
    /// Rectangle around it.
    pub place: Place,
    /// Size of the font as shown, of its first letter.
    pub size: f32,
    /// Technique that hides it; `None` when it is visible.
    pub hiding: Option<Hiding>,
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
}

/// Text outside of the pages' content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// Kind.
    pub kind: AttachedKind,
    /// Index of its page, where it has one.
    pub page: Option<u32>,
    /// The text.
    pub text: String,
}

/// Kind of [`Attached`] text. None of it is seen without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttachedKind {
    /// Comment of an annotation, or an entry of its dictionary.
    Annotation,
    /// Text that replaces or describes content for programs (`ActualText`, `Alt`).
    Alternative,
    /// Title in the outline.
    Outline,
    /// Entry of the document's information or XMP.
    Metadata,
    /// Name and description of an attached file. The file itself is not read.
    Attachment,
    /// Code that a viewer would run.
    Script,
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
    pub fn hidden(&self) -> impl Iterator<Item = (usize, &Line)> {
        let pages = self.pages.iter().enumerate();
        pages
            .flat_map(|(index, page)| page.lines.iter().map(move |line| (index, line)))
            .filter(|(_, line)| line.hiding.is_some())
    }

    /// Whether pages or annotations contain a letter or digit. Metadata alone is no content.
    pub(crate) fn has_text(&self) -> bool {
        let lines = self.pages.iter().flat_map(|page| &page.lines).map(|line| &line.text);
        let notes = self.attached.iter().filter(|attached| attached.kind == AttachedKind::Annotation);
        lines.chain(notes.map(|note| &note.text)).any(|text| text.chars().any(char::is_alphanumeric))
    }

    /// Whether the bounds hold and every number is one. A reply of the sandbox is trusted no further than this.
    pub(crate) fn is_within_bounds(&self) -> bool {
        let lines = || self.pages.iter().flat_map(|page| &page.lines);
        let attached = self.attached.iter().map(|attached| attached.text.len());
        let bytes: usize = lines().map(|line| line.text.len()).chain(attached).sum();
        let numbers = lines()
            .flat_map(|line| [line.place.x, line.place.y, line.place.width, line.place.height, line.size]);
        self.pages.len() <= MOST_PAGES
            && bytes <= MOST_TEXT_BYTES
            && numbers.chain(self.pages.iter().flat_map(|page| [page.width, page.height])).all(f32::is_finite)
    }
}
