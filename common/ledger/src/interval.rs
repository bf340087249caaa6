//! Which keys a scan covers: prefix, continuation and direction resolved to one interval of byte
//! strings, so that every implementation draws the same borders.

use crate::Range;

/// Keys from `lower` up to, and without, `upper`. Never empty: there is at least one byte string in
/// it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interval<'a> {
    /// The lower border.
    pub(crate) lower: &'a [u8],
    /// Whether `lower` itself belongs to it.
    pub(crate) lower_included: bool,
    /// The upper border, excluded; `None` when there is none.
    pub(crate) upper: Option<Vec<u8>>,
}

impl<'a> Interval<'a> {
    /// The interval of `range`; `None` when no key can lie in it.
    pub(crate) fn of(range: &Range<'a>) -> Option<Self> {
        let whole =
            Self { lower: range.prefix, lower_included: true, upper: first_behind_prefix(range.prefix) };
        match range.after {
            None => Some(whole),
            Some(after) if range.backwards => whole.below(after),
            Some(after) => whole.above(after),
        }
    }

    fn above(self, after: &'a [u8]) -> Option<Self> {
        if after < self.lower {
            return Some(self);
        }
        if self.upper.as_deref().is_some_and(|upper| after >= upper) {
            return None;
        }
        Some(Self { lower: after, lower_included: false, upper: self.upper })
    }

    fn below(self, after: &[u8]) -> Option<Self> {
        if after <= self.lower {
            return None;
        }
        if self.upper.as_deref().is_some_and(|upper| after >= upper) {
            return Some(self);
        }
        Some(Self { upper: Some(after.to_vec()), ..self })
    }
}

/// The smallest byte string greater than all that begin with `prefix`; `None` when there is none.
fn first_behind_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut behind = prefix.get(..=last)?.to_vec();
    *behind.last_mut()? += 1;
    Some(behind)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Few distinct bytes, the extremes among them, so that borders are hit often.
    fn key() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop::sample::select(vec![0_u8, 1, 127, 128, 254, 255]), 0..4)
    }

    proptest! {
        #[test]
        fn covers_exactly_what_the_range_describes(
            prefix in key(), after in prop::option::of(key()), backwards: bool, candidate in key(),
        ) {
            let range = Range { prefix: &prefix, after: after.as_deref(), backwards };
            let expected = candidate.starts_with(&prefix)
                && after.as_deref().is_none_or(|after| {
                    if backwards { candidate.as_slice() < after } else { candidate.as_slice() > after }
                });
            let covered = Interval::of(&range).is_some_and(|interval| {
                let above = candidate.as_slice() > interval.lower
                    || (interval.lower_included && candidate == interval.lower);
                above && interval.upper.is_none_or(|upper| candidate < upper)
            });
            prop_assert_eq!(covered, expected);
        }
    }
}
