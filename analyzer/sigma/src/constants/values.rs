//! The values of one field as they are kept and written: exactly what tests tell apart.

use serde::{Deserialize, Serialize};

use crate::event::Value;

/// Bytes of one field's values.
const VALUE_BYTES: usize = 256;
/// Values of one field.
const MOST_VALUES: usize = 16;

/// What an event has for a field: none where it is there and empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "ValuesRow", into = "ValuesRow")]
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

/// [`Values`] as they are written: each a word that says by its first letter what it is; one stands for itself.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ValuesRow {
    One(String),
    Several(Vec<String>),
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

    /// As events have it.
    pub(super) fn value(&self) -> Value<'_> {
        match self.all() {
            [] => Value::Null,
            [one] => one.value(),
            several => Value::Array(several.iter().map(One::value).collect()),
        }
    }

    /// Whether the field is there and has no value.
    pub(super) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    /// How many values that have no parts.
    pub(super) fn leaves(&self) -> usize {
        self.all().iter().filter(|value| **value != One::Map).count()
    }

    /// About how many bytes they take.
    pub(super) fn cost(&self) -> usize {
        8 + self.all().iter().map(|value| value.bytes() + 4).sum::<usize>()
    }

    fn all(&self) -> &[One] {
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

    fn value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::String(text.as_str().into()),
            Self::Int(number) => Value::Int(*number),
            Self::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Map => Value::Map(Vec::new()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => written_bytes(text),
            Self::Int(_) | Self::Double(_) => 16,
            Self::Bool(_) | Self::Map => 1,
        }
    }

    fn written(&self) -> String {
        match self {
            Self::Text(text) => format!("s{text}"),
            Self::Int(number) => format!("i{number}"),
            Self::Double(bits) => format!("d{bits:x}"),
            Self::Bool(true) => "t".to_owned(),
            Self::Bool(false) => "f".to_owned(),
            Self::Map => "m".to_owned(),
        }
    }

    fn read(word: &str) -> Option<Self> {
        let rest = word.get(1..)?;
        Some(match word.chars().next()? {
            's' => Self::Text(rest.to_owned()),
            'i' => Self::Int(rest.parse().ok()?),
            'd' => Self::Double(u64::from_str_radix(rest, 16).ok()?),
            't' => Self::Bool(true),
            'f' => Self::Bool(false),
            'm' => Self::Map,
            _ => return None,
        })
    }
}

/// Bytes of a text as JSON writes it: who sends events chooses it, and a control character takes six.
pub(super) fn written_bytes(text: &str) -> usize {
    let more = |byte: u8| 5 * usize::from(byte < 0x20) + usize::from(matches!(byte, b'"' | b'\\'));
    text.len() + text.bytes().map(more).sum::<usize>()
}

impl From<Values> for ValuesRow {
    fn from(values: Values) -> Self {
        match values {
            Values::One(one) => Self::One(one.written()),
            Values::Several(several) => Self::Several(several.iter().map(One::written).collect()),
        }
    }
}

impl TryFrom<ValuesRow> for Values {
    type Error = &'static str;

    fn try_from(row: ValuesRow) -> Result<Self, Self::Error> {
        let read = match row {
            ValuesRow::One(word) => One::read(&word).map(Self::One),
            ValuesRow::Several(words) => {
                words.iter().map(|word| One::read(word)).collect::<Option<_>>().map(Self::Several)
            }
        };
        read.ok_or("expected values that begin with one of s, i, d, t, f, m")
    }
}
