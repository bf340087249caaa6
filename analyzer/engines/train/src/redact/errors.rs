//! Values of a text and what was replaced to errors by kind.

use std::ops::Range;

/// Kind of a value of the development set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    /// Redacted by default, with the word of its kind.
    Default(&'static str),
    /// A title of courtesy.
    Courtesy,
    /// A job title.
    JobTitle,
    /// An organization.
    Company,
    /// A place.
    Place,
    /// Another kind of the set.
    Other,
}

/// A value of the development set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gold {
    pub(crate) of: Of,
    /// Its bytes.
    pub(crate) range: Range<usize>,
}

/// A part of a text that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// The word in its placeholder.
    pub(crate) word: &'static str,
    /// Its bytes.
    pub(crate) range: Range<usize>,
}

/// Kinds of errors, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Error {
    MissedName,
    MissedPhone,
    MissedAddress,
    /// A part of a value stays readable.
    Partial,
    /// Words beside the value are replaced as well.
    TooLong,
    OtherKind,
    CompanyAsPerson,
    PlaceAsPerson,
    CourtesyAsPerson,
    JobAsPerson,
    WordAsPerson,
    WordAsOther,
}

impl Error {
    /// Its name in the report.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::MissedName => "missed name",
            Self::MissedPhone => "missed telephone number",
            Self::MissedAddress => "missed address",
            Self::Partial => "value replaced in part",
            Self::TooLong => "words beside a value replaced",
            Self::OtherKind => "value replaced as another kind",
            Self::CompanyAsPerson => "company taken for a person",
            Self::PlaceAsPerson => "place taken for a person",
            Self::CourtesyAsPerson => "title of courtesy taken for a person",
            Self::JobAsPerson => "job title taken for a person",
            Self::WordAsPerson => "other word taken for a person",
            Self::WordAsOther => "other text taken for a value",
        }
    }
}

/// Whether two ranges have a byte in common.
pub(crate) fn meets(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The errors in one text with the bytes concerned, at most one of a value and one of a replaced part.
pub(crate) fn errors(gold: &[Gold], given: &[Given]) -> Vec<(Error, Range<usize>)> {
    let of_gold = gold.iter().filter_map(|one| Some((of_value(one, given)?, one.range.clone())));
    let of_given = given.iter().filter_map(|span| Some((of_span(span, gold)?, span.range.clone())));
    of_gold.chain(of_given).collect()
}

fn of_value(value: &Gold, given: &[Given]) -> Option<Error> {
    let Of::Default(word) = value.of else { return None };
    let on: Vec<&Given> = given.iter().filter(|span| meets(&span.range, &value.range)).collect();
    if on.is_empty() {
        return Some(match word {
            "PHONE" => Error::MissedPhone,
            "ADDRESS" => Error::MissedAddress,
            _ => Error::MissedName,
        });
    }
    if on.iter().all(|span| span.word != word) {
        return Some(Error::OtherKind);
    }
    let covered: usize = on
        .iter()
        .map(|span| span.range.end.min(value.range.end) - span.range.start.max(value.range.start))
        .sum();
    (covered < value.range.len()).then_some(Error::Partial)
}

fn of_span(span: &Given, gold: &[Gold]) -> Option<Error> {
    let on = || gold.iter().filter(|value| meets(&value.range, &span.range));
    if on().any(|value| matches!(value.of, Of::Default(_))) {
        let inside =
            |value: &Gold| value.range.start <= span.range.start && span.range.end <= value.range.end;
        let same = on().any(|value| value.of == Of::Default(span.word));
        return (same && !on().any(inside)).then_some(Error::TooLong);
    }
    if span.word != "NAME" {
        return Some(Error::WordAsOther);
    }
    Some(match on().next().map(|value| value.of) {
        Some(Of::Company) => Error::CompanyAsPerson,
        Some(Of::Place) => Error::PlaceAsPerson,
        Some(Of::Courtesy) => Error::CourtesyAsPerson,
        Some(Of::JobTitle) => Error::JobAsPerson,
        _ => Error::WordAsPerson,
    })
}

#[cfg(test)]
mod tests {
    use super::{Error, Given, Gold, Of, errors};

    fn of(gold: &[(Of, usize, usize)], given: &[(&'static str, usize, usize)]) -> Vec<Error> {
        let gold: Vec<Gold> =
            gold.iter().map(|(of, start, end)| Gold { of: *of, range: *start..*end }).collect();
        let given: Vec<Given> =
            given.iter().map(|(word, start, end)| Given { word, range: *start..*end }).collect();
        errors(&gold, &given).into_iter().map(|(error, _)| error).collect()
    }

    #[test]
    fn values_that_are_replaced_as_they_are_make_no_error() {
        let gold = [(Of::Default("NAME"), 0, 9), (Of::Company, 20, 30)];
        assert_eq!(of(&gold, &[("NAME", 0, 9)]), []);
        assert_eq!(of(&gold, &[("NAME", 0, 4), ("NAME", 4, 9)]), []);
    }

    #[test]
    fn each_kind_of_error_is_told_from_the_others() {
        let name = (Of::Default("NAME"), 10, 20);
        for (gold, given, expected) in [
            (vec![name], vec![], vec![Error::MissedName]),
            (vec![(Of::Default("PHONE"), 0, 9)], vec![], vec![Error::MissedPhone]),
            (vec![(Of::Default("ADDRESS"), 0, 9)], vec![], vec![Error::MissedAddress]),
            (vec![name], vec![("NAME", 10, 14)], vec![Error::Partial]),
            (vec![name], vec![("NAME", 5, 20)], vec![Error::TooLong]),
            (vec![name], vec![("PHONE", 10, 20)], vec![Error::OtherKind]),
            (vec![(Of::Company, 0, 9)], vec![("NAME", 0, 4)], vec![Error::CompanyAsPerson]),
            (vec![(Of::Place, 0, 9)], vec![("NAME", 0, 9)], vec![Error::PlaceAsPerson]),
            (vec![(Of::Courtesy, 0, 3)], vec![("NAME", 0, 3)], vec![Error::CourtesyAsPerson]),
            (vec![(Of::JobTitle, 0, 9)], vec![("NAME", 0, 9)], vec![Error::JobAsPerson]),
            (vec![], vec![("NAME", 0, 3)], vec![Error::WordAsPerson]),
            (vec![(Of::Other, 0, 3)], vec![("NAME", 0, 3)], vec![Error::WordAsPerson]),
            (vec![(Of::Company, 0, 9)], vec![("PHONE", 0, 9)], vec![Error::WordAsOther]),
        ] {
            assert_eq!(of(&gold, &given), expected, "{gold:?}, {given:?}");
        }
    }
}
