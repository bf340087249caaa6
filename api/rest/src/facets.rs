//! Counts by value, as all lists with facets answer them.

use common::words::Word;
use serde::Serialize;
use utoipa::ToSchema;

/// Most values of a facet: the rest is found by its name.
const MOST_VALUES: usize = 50;

/// Resources by the values of one property.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Facet)]
pub struct FacetView {
    /// At most 50 values, most frequent first.
    values: Vec<ValueView>,
    /// Resources with other values.
    other: u64,
}

/// A value of a property.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FacetValue)]
struct ValueView {
    /// The value, in the form that the filter of the list takes.
    value: String,
    /// Display name; null where the value is its own name, or the named resource was deleted.
    #[schema(required)]
    name: Option<String>,
    /// Resources with the value.
    count: u64,
}

impl FacetView {
    /// Counts of values, most frequent first; `value` gives a value and its display name.
    pub fn of<T>(counts: &[(T, u64)], value: impl Fn(&T) -> (String, Option<String>)) -> Self {
        let (shown, others) = counts.split_at(counts.len().min(MOST_VALUES));
        let view = |(one, count): &(T, u64)| {
            let (value, name) = value(one);
            ValueView { value, name, count: *count }
        };
        Self { values: shown.iter().map(view).collect(), other: others.iter().map(|(_, count)| count).sum() }
    }

    /// Counts of words.
    #[must_use]
    pub fn words<W: Word>(counts: &[(W, u64)]) -> Self {
        Self::of(counts, |word| (word.word().to_owned(), None))
    }
}
