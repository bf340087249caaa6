//! The kinds that a caller chooses.

use redact::identifiers::{EntitySet, phrases};

/// Which kinds are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    wanted: EntitySet,
    unknown: Vec<String>,
    chosen: bool,
}

impl Default for Choice {
    /// The kinds that are redacted unless the caller chooses.
    fn default() -> Self {
        Self { wanted: EntitySet::default(), unknown: Vec::new(), chosen: false }
    }
}

impl Choice {
    /// The kinds that phrases name, in place of the default ones: type names (`EMAIL`), aliases in ten languages, plural or
    /// with the adjective of a country (`UK passports`, `Steuernummern`), or a description (`project names`), whose values
    /// are found beside the noun. A phrase that is none of these is reported by [`Self::unknown`] and in the summary, and so
    /// is every phrase behind the first [`phrases::MOST_PHRASES`].
    #[must_use]
    pub fn of(phrases: &[String]) -> Self {
        let request = phrases::read(phrases);
        Self { wanted: request.wanted, unknown: request.unknown, chosen: true }
    }

    /// Phrases that were not understood, as given.
    #[must_use]
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    pub(crate) fn wanted(&self) -> &EntitySet {
        &self.wanted
    }

    /// Whether the caller chose, instead of the default.
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen
    }
}
