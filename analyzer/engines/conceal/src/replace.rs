//! Spans to placeholders or surrogates.

use std::collections::BTreeMap;
use std::ops::Range;

use redact::identifiers::{EntitySet, Span};
use redact_names::surrogate::Rewriter;

use crate::Form;
use crate::find::Joined;

/// Each part with its values replaced, and the bytes of each replacement in its part.
pub(crate) fn parts(
    joined: &Joined,
    spans: &[Span],
    wanted: &EntitySet,
    form: Form,
) -> (Vec<String>, Vec<Range<usize>>) {
    let text = &joined.text;
    let mut rewriter = match form {
        Form::Placeholders => None,
        Form::Surrogates => Some(Rewriter::new(text, spans, wanted)),
    };
    let mut waiting = spans.iter().peekable();
    let mut replaced = Vec::with_capacity(joined.parts.len());
    let mut replacements = Vec::with_capacity(spans.len());
    for part in &joined.parts {
        let mut written = String::with_capacity(part.len() + part.len() / 8);
        let mut at = part.start;
        while let Some(span) = waiting.next_if(|span| span.range.end <= part.end) {
            written.push_str(text.get(at..span.range.start).unwrap_or_default());
            let start = written.len();
            match &mut rewriter {
                None => written.push_str(&wanted.placeholder(span.entity)),
                Some(rewriter) => written.push_str(&rewriter.surrogate(span)),
            }
            replacements.push(start..written.len());
            at = span.range.end;
        }
        written.push_str(text.get(at..part.end).unwrap_or_default());
        replaced.push(written);
    }
    (replaced, replacements)
}

/// Values by the word of their kind.
pub(crate) fn counts(spans: &[Span], wanted: &EntitySet) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for span in spans {
        *counts.entry(wanted.word(span.entity)).or_insert(0) += 1;
    }
    counts.into_iter().map(|(word, count)| (word.to_owned(), count)).collect()
}
