//! The values of one field, and the words in which they are written: exactly what tests tell apart.

use serde::{Deserialize, Serialize};

use crate::event::Value;

/// Bytes of one field's values.
const VALUE_BYTES: usize = 256;
/// Values of one field.
const MOST_VALUES: usize = 16;

/// What an event has for a field: none where it is there and empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    One(One),
    /// None, or more than one.
    Several(Vec<One>),
}

/// One value; text is compared as text, numbers as numbers, a map as nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum One {
    Text(String),
    Int(i64),
    /// Its bits, so that it is read back as it was.
    Double(u64),
    Bool(bool),
    Map,
}

/// The values of a field as they are written: each a word that says by its first letter what it is; one stands for
/// itself.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum ValuesRow<W> {
    One(W),
    Several(Vec<W>),
}

impl Values {
    /// What was found; `None` where it is too much.
    pub(super) fn of(found: &[&Value<'_>]) -> Option<Self> {
        if found.len() > MOST_VALUES {
            return None;
        }
        let values = match found {
            [one] => Self::One(One::of(one)?),
            several => Self::Several(several.iter().map(|value| One::of(value)).collect::<Option<_>>()?),
        };
        let bytes: usize = values.all().iter().map(One::bytes).sum();
        (bytes <= VALUE_BYTES).then_some(values)
    }

    /// How many values that have no parts.
    pub(super) fn leaves(&self) -> usize {
        self.all().iter().filter(|value| **value != One::Map).count()
    }

    /// About how many bytes they take.
    pub(super) fn cost(&self) -> usize {
        8 + self.all().iter().map(|value| value.bytes() + 4).sum::<usize>()
    }

    pub(super) fn all(&self) -> &[One] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

impl One {
    fn of(value: &Value<'_>) -> Option<Self> {
        Some(match value {
            Value::String(text) if text.len() > VALUE_BYTES => return None,
            Value::String(text) => Self::Text(text.clone().into_owned()),
            Value::Int(number) => Self::Int(*number),
            Value::Double(number) => Self::Double(number.to_bits()),
            Value::Bool(truth) => Self::Bool(*truth),
            Value::Map(_) => Self::Map,
            // Neither is a value of its own.
            Value::Null | Value::Array(_) => return None,
        })
    }

    /// The word for it, which [`value_of`] reads.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => format!("s{text}"),
            Self::Int(number) => format!("i{number}"),
            Self::Double(bits) => format!("d{bits:x}"),
            Self::Bool(true) => "t".to_owned(),
            Self::Bool(false) => "f".to_owned(),
            Self::Map => "m".to_owned(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => written_bytes(text),
            Self::Int(_) | Self::Double(_) => NUMBER_BYTES,
            Self::Bool(_) | Self::Map => 1,
        }
    }
}

/// About how many bytes a number takes.
const NUMBER_BYTES: usize = 16;

/// The value that a word stands for, as events have it.
pub(super) fn value_of(word: &str) -> Option<Value<'_>> {
    let rest = word.get(1..)?;
    Some(match word.chars().next()? {
        's' => Value::String(rest.into()),
        'i' => Value::Int(rest.parse().ok()?),
        'd' => Value::Double(f64::from_bits(u64::from_str_radix(rest, 16).ok()?)),
        't' => Value::Bool(true),
        'f' => Value::Bool(false),
        'm' => Value::Map(Vec::new()),
        _ => return None,
    })
}

/// About how many bytes the value takes that a word stands for.
pub(super) fn word_bytes(word: &str) -> usize {
    match word.chars().next() {
        Some('s') => written_bytes(word) - 1,
        Some('i' | 'd') => NUMBER_BYTES,
        _ => 1,
    }
}

/// Bytes of a text as JSON writes it: who sends events chooses it, and a control character takes six.
pub(super) fn written_bytes(text: &str) -> usize {
    let more = |byte: u8| 5 * usize::from(byte < 0x20) + usize::from(matches!(byte, b'"' | b'\\'));
    text.len() + text.bytes().map(more).sum::<usize>()
}

impl<'w> ValuesRow<&'w str> {
    /// The row of a field's words.
    pub(super) fn of(words: impl Iterator<Item = &'w str>) -> Self {
        let words: Vec<&str> = words.collect();
        match words.as_slice() {
            [one] => Self::One(one),
            _ => Self::Several(words),
        }
    }
}

impl<W> ValuesRow<W> {
    /// A field's words.
    pub(super) fn words(&self) -> &[W] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}
