//! Documents to passages: content with its hidden parts, and texts outside of the content.

use documents::{Document, Page, Position, Run, TextKind};

use crate::text::Passage;

/// Passages of a document.
pub(super) fn passages(place: &str, document: Document) -> Vec<Passage> {
    let Document { pages, runs, .. } = document;
    let mut passages: Vec<Passage> =
        pages.iter().zip(1..).map(|(page, number)| of_page(place, page, number)).collect();
    let (placed, attached): (Vec<Run>, Vec<Run>) =
        runs.into_iter().partition(|run| matches!(run.position, Position::Source { .. }));
    let part = |run: &Run| match run.position {
        Position::Source { part, .. } => part,
        Position::Page { .. } | Position::Attached { .. } => 0,
    };
    for (runs, number) in placed.chunk_by(|one, other| part(one) == part(other)).zip(1_u32..) {
        let (content, asides) = of_runs(&format!("part {number} of {place}"), runs);
        passages.push(content);
        passages.extend(asides);
    }
    passages.extend(attached.into_iter().map(|run| aside(place, run.kind, run.text)));
    passages
}

fn of_page(place: &str, page: &Page, number: usize) -> Passage {
    let mut passage = Passage::visible(format!("page {number} of {place}"), "");
    page.lines.iter().for_each(|line| push(&mut passage, &line.text, line.hiding.is_some()));
    passage
}

/// Runs of a text: their content as one passage, and each text beside it.
pub(crate) fn of_runs(name: &str, runs: &[Run]) -> (Passage, Vec<Passage>) {
    let mut content = Passage::visible(name, "");
    let mut asides = Vec::new();
    for run in runs {
        match run.kind {
            TextKind::Content => push(&mut content, &run.text, run.hiding.is_some()),
            kind => asides.push(aside(name, kind, run.text.clone())),
        }
    }
    (content, asides)
}

/// Adds a line. Hidden lines that follow each other are one part.
pub(super) fn push(passage: &mut Passage, text: &str, is_hidden: bool) {
    let start = passage.text.len();
    passage.text.push_str(text);
    if is_hidden {
        match passage.hidden.last_mut() {
            Some(before) if before.end + 1 == start => before.end = passage.text.len(),
            _ => passage.hidden.push(start..passage.text.len()),
        }
    }
    passage.text.push('\n');
}

fn aside(place: &str, kind: TextKind, text: String) -> Passage {
    let kind = match kind {
        TextKind::Content => "content",
        TextKind::Annotation => "an annotation",
        TextKind::Alternative => "an alternative text",
        TextKind::Outline => "the outline",
        TextKind::Metadata => "the metadata",
        TextKind::Attachment => "the description of an attachment",
        TextKind::Comment => "a comment",
        TextKind::Script => "a script",
        TextKind::Data => "data",
    };
    Passage { is_aside: true, ..Passage::visible(format!("{kind} of {place}"), text) }
}
