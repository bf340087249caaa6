//! Bounds of a count or another measure of a window: an operator and a number, or two that make a range. Numbers are compared
//! exactly, in thousandths.

use std::fmt;

use crate::number::Number;

/// Comparison of a measure with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `lt`
    Less,
    /// `lte`
    LessOrEqual,
    /// `gt`
    Greater,
    /// `gte`
    GreaterOrEqual,
    /// `eq`
    Equal,
    /// `neq`
    NotEqual,
}

/// One operator, or one from below and one from above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Operators, and the thousandths they compare with; one or two.
    bounds: Vec<(Operator, i128)>,
}

/// A measure as a fraction of thousandths, so that averages are not rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    pub(crate) thousandths: i128,
    /// Divisor of the numbers, at least 1.
    pub(crate) divisor: i128,
}

impl Operator {
    /// The operator of a word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "lt" => Self::Less,
            "lte" => Self::LessOrEqual,
            "gt" => Self::Greater,
            "gte" => Self::GreaterOrEqual,
            "eq" => Self::Equal,
            "neq" => Self::NotEqual,
            _ => return None,
        })
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "=",
            Self::NotEqual => "!=",
        }
    }

    fn is_from_below(self) -> bool {
        matches!(self, Self::Greater | Self::GreaterOrEqual)
    }

    fn is_from_above(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual)
    }

    fn holds(self, measured: i128, bound: i128) -> bool {
        match self {
            Self::Less => measured < bound,
            Self::LessOrEqual => measured <= bound,
            Self::Greater => measured > bound,
            Self::GreaterOrEqual => measured >= bound,
            Self::Equal => measured == bound,
            Self::NotEqual => measured != bound,
        }
    }
}

impl Bounds {
    /// One operator, or two that make a range; nothing where they do neither.
    pub(crate) fn new(bounds: &[(Operator, Number)]) -> Option<Self> {
        let makes_sense = match bounds {
            [_] => true,
            [(one, _), (other, _)] => {
                one.is_from_below() && other.is_from_above() || one.is_from_above() && other.is_from_below()
            }
            _ => false,
        };
        let in_thousandths =
            |(operator, number): &(Operator, Number)| (*operator, number_in_thousandths(*number));
        makes_sense.then(|| Self { bounds: bounds.iter().map(in_thousandths).collect() })
    }

    /// At least so many.
    #[must_use]
    pub fn at_least(count: u64) -> Self {
        Self { bounds: vec![(Operator::GreaterOrEqual, i128::from(count) * 1_000)] }
    }

    /// Whether a count is within the bounds.
    #[must_use]
    pub fn hold(&self, count: u64) -> bool {
        self.hold_for(Measured { thousandths: i128::from(count) * 1_000, divisor: 1 })
    }

    pub(crate) fn hold_for(&self, measured: Measured) -> bool {
        let Measured { thousandths, divisor } = measured;
        self.bounds.iter().all(|(operator, bound)| operator.holds(thousandths, bound.saturating_mul(divisor)))
    }

    /// Whether more never leaves the bounds: nothing bounds from above.
    #[must_use]
    pub fn only_from_below(&self) -> bool {
        self.bounds.iter().all(|(operator, _)| operator.is_from_below())
    }

    /// The least count of one or more within the bounds, if any is.
    pub(crate) fn least_count(&self) -> Option<u64> {
        let near = |bound: i128| [bound.div_euclid(1_000), bound.div_euclid(1_000) + 1];
        let mut counts: Vec<u64> = self
            .bounds
            .iter()
            .flat_map(|(_, bound)| near(*bound))
            .filter_map(|count| u64::try_from(count).ok())
            .chain([1])
            .filter(|count| *count >= 1 && self.hold(*count))
            .collect();
        counts.sort_unstable();
        counts.first().copied()
    }

    /// The largest number in the bounds, thousandths.
    pub(crate) fn largest(&self) -> i128 {
        self.bounds.iter().map(|(_, bound)| *bound).max().unwrap_or(0)
    }

    /// Whether some number is within the bounds.
    pub(crate) fn can_hold(&self) -> bool {
        let near = |bound: i128| [bound.saturating_sub(1), bound, bound.saturating_add(1)];
        let mut candidates = self.bounds.iter().flat_map(|(_, bound)| near(*bound));
        candidates.any(|thousandths| self.hold_for(Measured { thousandths, divisor: 1 }))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (operator, thousandths)) in self.bounds.iter().enumerate() {
            let before = if index == 0 { "" } else { " and " };
            write!(formatter, "{before}{} {}", operator.sign(), Thousandths(*thousandths))?;
        }
        Ok(())
    }
}

/// Thousandths, written as a number.
struct Thousandths(i128);

impl fmt::Display for Thousandths {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, rest) = (self.0.unsigned_abs() / 1_000, self.0.unsigned_abs() % 1_000);
        if rest == 0 {
            return write!(formatter, "{sign}{whole}");
        }
        write!(formatter, "{sign}{whole}.{}", format!("{rest:03}").trim_end_matches('0'))
    }
}

fn number_in_thousandths(number: Number) -> i128 {
    match number {
        Number::Int(value) => value.saturating_mul(1_000),
        Number::Double(value) => in_thousandths(value),
    }
}

/// A number in thousandths, at most 10^18 of it either way: sums of 8,192 stay far below 128 bits, and
/// their order does not matter.
#[expect(clippy::cast_possible_truncation, reason = "the number is far below 2^127")]
pub(crate) fn in_thousandths(value: f64) -> i128 {
    let value = if value.is_nan() { 0.0 } else { value.clamp(-1e18, 1e18) };
    value.trunc() as i128 * 1_000 + (value.fract() * 1_000.0).round() as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(bounds: &[(Operator, i128)]) -> Option<Bounds> {
        let bounds: Vec<_> =
            bounds.iter().map(|(operator, value)| (*operator, Number::Int(*value))).collect();
        Bounds::new(&bounds)
    }

    #[test]
    fn ranges_have_two_ends() {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        let range = bounds(&[(Greater, 2), (LessOrEqual, 4)]).unwrap();
        assert_eq!((1..7).filter(|count| range.hold(*count)).collect::<Vec<_>>(), [3, 4]);
        assert_eq!((range.least_count(), range.only_from_below()), (Some(3), false));
        assert_eq!(bounds(&[(NotEqual, 1)]).unwrap().least_count(), Some(2));
        assert_eq!(bounds(&[(Less, 1)]).unwrap().least_count(), None);
        assert_eq!(bounds(&[(Equal, 0)]).unwrap().least_count(), None);
        assert!(!bounds(&[(Greater, 5), (Less, 5)]).unwrap().can_hold());
        assert_eq!(bounds(&[(Greater, 1), (GreaterOrEqual, 2)]), None);
        assert_eq!(bounds(&[(Equal, 1), (Less, 2)]), None);
        assert_eq!(bounds(&[]), None);
    }

    #[test]
    fn bounds_are_written_with_signs_and_numbers() {
        use Operator::{Greater, LessOrEqual, NotEqual};
        let range = bounds(&[(Greater, -2), (LessOrEqual, 4)]).unwrap();
        assert_eq!(range.to_string(), "> -2 and <= 4");
        let half = Bounds::new(&[(NotEqual, Number::Double(-1.25))]).unwrap();
        assert_eq!(half.to_string(), "!= -1.25");
    }

    #[test]
    fn thousandths_are_exact_where_numbers_are() {
        assert_eq!(in_thousandths(9_007_199_254_740_991.0), 9_007_199_254_740_991_000);
        assert_eq!((in_thousandths(-1.5), in_thousandths(0.0004)), (-1_500, 0));
        assert_eq!(in_thousandths(f64::MAX), 1_000_000_000_000_000_000_000);
    }
}
