//! Parts of a text to spans.

use std::ops::Range;

use redact::identifiers::{Catalogue, EntitySet, Span};
use redact_names::NameModel;

use crate::Value;

/// Between parts: an end of a paragraph, over which no label and no address reaches.
const BETWEEN: &str = "\n\n";

/// Parts as one text, with the bytes of each.
pub(crate) struct Joined {
    pub(crate) text: String,
    pub(crate) parts: Vec<Range<usize>>,
}

pub(crate) fn joined(parts: &[&str]) -> Joined {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len() + BETWEEN.len()).sum());
    let ranges = parts.iter().enumerate().map(|(index, part)| {
        if index > 0 {
            text.push_str(BETWEEN);
        }
        let start = text.len();
        text.push_str(part);
        start..text.len()
    });
    let parts = ranges.collect();
    Joined { text, parts }
}

/// Everything that is wanted, sorted and apart, each span within one part.
///
/// The catalogue comes first, as its formats and checks are stronger evidence than the words of a name; the names take the
/// tokens that it left. An identifier that is not wanted keeps its text whole, so that no part of it becomes a name. Both
/// are linear.
pub(crate) fn spans(
    catalogue: &Catalogue,
    names: &NameModel<'_>,
    joined: &Joined,
    wanted: &EntitySet,
) -> Vec<Span> {
    let mut spans = catalogue.find_with_others(&joined.text, wanted);
    let named = names.find(&joined.text, &spans, wanted);
    spans.retain(|span| wanted.contains(span.entity));
    spans.extend(named);
    spans.sort_by_key(|span| span.range.start);
    spans.into_iter().flat_map(|span| within(&joined.parts, span)).collect()
}

/// A span cut to the parts that it lies in; most lie in one.
fn within(parts: &[Range<usize>], span: Span) -> impl Iterator<Item = Span> {
    let first = parts.partition_point(|part| part.end <= span.range.start);
    let touched = parts.iter().skip(first).take_while({
        let end = span.range.end;
        move |part| part.start < end
    });
    touched.filter_map(move |part| {
        let range = span.range.start.max(part.start)..span.range.end.min(part.end);
        (!range.is_empty()).then_some(Span { range, ..span.clone() })
    })
}

/// The spans as values of their parts.
pub(crate) fn values(joined: &Joined, spans: &[Span]) -> Vec<Value> {
    let place = |span: &Span| {
        let part = joined.parts.partition_point(|part| part.end <= span.range.start);
        let start = joined.parts.get(part)?.start;
        Some(Value { part, range: span.range.start - start..span.range.end - start, entity: span.entity })
    };
    spans.iter().filter_map(place).collect()
}
