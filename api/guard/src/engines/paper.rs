//! Redacted texts as one text, and as pages of a PDF.

use std::borrow::Cow;

use crate::inputs::{Origin, Text};

/// Line before the text of a page without visible text. A scan has its recognised text below the image, so that leaving it out would
/// give an empty document.
const MARK: &str = "[Text that was not visible in the original file, such as the recognised text of a scan:]";

/// Part of an input that is redacted for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The text of the request.
    Text,
    /// Visible text of a page.
    Page,
    /// Hidden text of the page before it.
    Hidden,
    /// Text outside of the pages.
    Attached,
}

/// The parts of texts in their order.
pub(super) fn parts(texts: &[Text]) -> Vec<(Part, &str)> {
    let mut parts = Vec::with_capacity(texts.len());
    for one in texts {
        match one.origin {
            Origin::Text => parts.push((Part::Text, one.text.as_str())),
            Origin::Attached => parts.push((Part::Attached, one.text.as_str())),
            Origin::Page => {
                // The hidden lines of a page are behind its visible ones.
                let seen = one.hidden.first().map_or(one.text.len(), |first| first.start);
                let (visible, hidden) = one.text.split_at_checked(seen).unwrap_or((&one.text, ""));
                parts.push((Part::Page, visible));
                if !hidden.is_empty() {
                    parts.push((Part::Hidden, hidden));
                }
            }
        }
    }
    parts
}

/// All parts as one text, hidden ones and those outside of pages included, since programs that extract text see them.
pub(super) fn joined(parts: &[(Part, String)]) -> String {
    let mut whole = String::with_capacity(parts.iter().map(|(_, text)| text.len() + 1).sum());
    let mut after_page = false;
    for (part, text) in parts {
        if text.is_empty() {
            after_page = false;
            continue;
        }
        let continues = *part == Part::Hidden && after_page;
        if !whole.is_empty() && !continues {
            whole.push('\n');
        }
        whole.push_str(text);
        after_page = *part == Part::Page;
    }
    whole
}

/// Pages of a PDF, and what is not on them.
#[derive(Debug, Default)]
pub(super) struct Paper<'t> {
    pub(super) pages: Vec<Cow<'t, str>>,
    /// Pages whose hidden text stands below [`MARK`], because they have no other.
    marked: usize,
    /// Pages whose hidden text is left out.
    hidden: usize,
    /// Texts outside of pages, which are left out.
    attached: usize,
}

impl<'t> Paper<'t> {
    /// Pages of redacted parts, one for each page of the input.
    pub(super) fn of(parts: &'t [(Part, String)]) -> Self {
        let mut paper = Self::default();
        for (part, text) in parts {
            match part {
                Part::Text | Part::Page => paper.pages.push(Cow::Borrowed(text)),
                Part::Attached => paper.attached += 1,
                Part::Hidden => match paper.pages.last_mut() {
                    Some(page) if page.trim().is_empty() => {
                        *page = Cow::Owned(format!("{MARK}\n\n{text}"));
                        paper.marked += 1;
                    }
                    _ => paper.hidden += 1,
                },
            }
        }
        paper
    }

    /// Sentences about the file, for a document of which it is the redacted form.
    pub(super) fn sentences(&self) -> String {
        let mut text = "The PDF is a new file that has the redacted text of the pages only: layers, metadata, annotations, attachments, \
            scripts, forms and images of the original are not part of it."
            .to_owned();
        for (count, what) in [
            (self.hidden, "pages with hidden text, which is left out of the PDF"),
            (self.attached, "texts outside of the pages, which are left out of the PDF"),
            (self.marked, "pages without visible text, whose hidden text is marked as such in the PDF"),
        ] {
            if count > 0 {
                text.push_str(&format!(" Number of {what}: {count}."));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(origin: Origin, text: &str, hidden_from: Option<usize>) -> Text {
        let hidden = hidden_from.map(|start| start..text.len()).into_iter().collect();
        Text { name: String::new(), text: text.to_owned(), hidden, origin }
    }

    fn owned(texts: &[Text]) -> Vec<(Part, String)> {
        parts(texts).into_iter().map(|(part, text)| (part, text.to_owned())).collect()
    }

    #[test]
    fn hidden_text_is_part_of_the_text_and_of_no_page_with_visible_text() {
        let texts = [
            text(Origin::Text, "of the request", None),
            text(Origin::Page, "seen\nnot seen\n", Some(5)),
            text(Origin::Page, "", None),
            text(Origin::Page, "scanned\n", Some(0)),
            text(Origin::Attached, "a note", None),
        ];
        let parts = owned(&texts);
        assert_eq!(joined(&parts), "of the request\nseen\nnot seen\n\nscanned\n\na note");
        let paper = Paper::of(&parts);
        assert_eq!(paper.pages[..3], ["of the request", "seen\n", ""]);
        assert_eq!(paper.pages[3], format!("{MARK}\n\nscanned\n"));
        assert_eq!((paper.pages.len(), paper.hidden, paper.attached, paper.marked), (4, 1, 1, 1));
    }
}
