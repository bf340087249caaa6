//! Numbers of rules and events: one order over whole numbers, fractions and the texts that write them.

use std::cmp::Ordering;

use crate::event::Value;

/// A number, finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Int(i128),
    /// Any other.
    Double(f64),
}

impl Number {
    /// The number a value is or, as text, writes in decimal digits (`4625`, `-1.5`, `1e3`).
    #[must_use]
    pub fn of(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Int(value) => Some(Self::Int((*value).into())),
            Value::Double(value) => value.is_finite().then_some(Self::Double(*value)),
            Value::String(text) => Self::written(text),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Map(_) => None,
        }
    }

    fn written(text: &str) -> Option<Self> {
        // Keeps `inf` and `nan`, which also parse as numbers, out.
        if !text.ends_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let whole = text.parse().ok().map(Self::Int);
        whole.or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()).map(Self::Double))
    }

    /// The nearest double.
    #[expect(clippy::cast_precision_loss, reason = "the nearest number is intended")]
    pub(crate) fn to_double(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Double(value) => value,
        }
    }

    /// The order of two numbers, exact where both are whole.
    #[must_use]
    pub fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(own), Self::Int(other)) => Some(own.cmp(&other)),
            (Self::Double(own), Self::Double(other)) => own.partial_cmp(&other),
            (Self::Int(own), Self::Double(other)) => compare_mixed(own, other),
            (Self::Double(own), Self::Int(other)) => compare_mixed(other, own).map(Ordering::reverse),
        }
    }
}

/// Compares without rounding the whole number: 2^53 + 1 is not 2^53.
fn compare_mixed(whole: i128, other: f64) -> Option<Ordering> {
    if other.is_nan() {
        return None;
    }
    let floor = other.floor();
    // A cast saturates; nothing an event or rule holds comes near the ends of 128 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is taken off and compared below")]
    let ordering = whole.cmp(&(floor as i128));
    Some(ordering.then(if other > floor { Ordering::Less } else { Ordering::Equal }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_exactly() {
        let table = [
            (Number::Int(1), Number::Double(1.0), Ordering::Equal),
            (Number::Int(1), Number::Double(1.5), Ordering::Less),
            (Number::Int(-1), Number::Double(-1.5), Ordering::Greater),
            (Number::Int((1 << 53) + 1), Number::Double(9_007_199_254_740_992.0), Ordering::Greater),
            (Number::Int(i128::from(i64::MAX)), Number::Double(1e300), Ordering::Less),
        ];
        for (own, other, expected) in table {
            assert_eq!(own.compare(other), Some(expected), "{own:?} {other:?}");
            assert_eq!(other.compare(own), Some(expected.reverse()), "{other:?} {own:?}");
        }
    }

    #[test]
    fn text_that_writes_a_number() {
        let of = |text: &'static str| Number::of(&Value::String(text.into()));
        assert_eq!(of("4625"), Some(Number::Int(4625)));
        assert_eq!(of("-1.5"), Some(Number::Double(-1.5)));
        for text in ["", "4625 ", "0x10", "inf", "NaN", "1_0", "-"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
