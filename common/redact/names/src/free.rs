//! The parts of a text that no other finder took.

use std::ops::Range;

use redact::identifiers::{Entity, Span};

use crate::locator::{Locator, locators};
use crate::token::{Look, Token};

/// The parts of a text in which names are looked for.
pub(crate) struct Free<'a> {
    /// Found by the catalogue.
    known: &'a [Span],
    /// Of an earlier redaction.
    placeholders: Vec<Range<usize>>,
    /// Of which no part is a name.
    locators: Vec<Locator>,
}

impl<'a> Free<'a> {
    /// All of the text but the spans of the catalogue, which must be sorted, the placeholders and the locators.
    pub(crate) fn new(text: &str, known: &'a [Span]) -> Self {
        Self { known, placeholders: placeholders(text), locators: locators(text) }
    }

    /// The tokens of a name that lie in no other span, as runs: a name beside an address that begins within it is found up
    /// to there. Signs at the ends of a run are left out. A domain may be the name of an organization.
    pub(crate) fn runs<'t>(
        &self,
        tokens: &'t [Token<'_>],
        entity: Entity,
    ) -> impl Iterator<Item = Range<usize>> + use<'t, '_> {
        let is_free = move |token: &Token<'_>| !self.is_taken(&token.range(), entity);
        let runs = tokens.chunk_by(move |one, two| is_free(one) == is_free(two));
        runs.filter_map(move |run| {
            let is_word = |token: &&Token<'_>| !matches!(token.look, Look::Sign | Look::Line);
            let (first, last) = (run.iter().find(is_word)?, run.iter().rfind(is_word)?);
            (!self.is_taken(&first.range(), entity)).then(|| first.start..last.range().end)
        })
    }

    fn is_taken(&self, range: &Range<usize>, entity: Entity) -> bool {
        let locator = self.locators.partition_point(|locator| locator.range.end <= range.start);
        let whole = |locator: &Locator| entity == Entity::Organization && locator.is_domain;
        let known = self.known.partition_point(|span| span.range.end <= range.start);
        let hidden = self.placeholders.partition_point(|hidden| hidden.end <= range.start);
        self.known.get(known).is_some_and(|span| span.range.start < range.end)
            || self.placeholders.get(hidden).is_some_and(|hidden| hidden.start < range.end)
            || self
                .locators
                .get(locator)
                .is_some_and(|locator| locator.range.start < range.end && !whole(locator))
    }
}

/// Placeholders of an earlier redaction.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let ends = text.match_indices("_REDACTED>").filter_map(|(at, end)| {
        let word = text
            .get(at.saturating_sub(64)..at)
            .or_else(|| text.get(text.ceil_char_boundary(at.saturating_sub(64))..at))?;
        let length = word.bytes().rev().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
        let start = at.checked_sub(length + 1)?;
        (text.as_bytes().get(start) == Some(&b'<')).then_some(start..at + end.len())
    });
    ends.collect()
}
