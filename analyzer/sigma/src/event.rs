//! What rules are matched against: one flat event with canonical field names and the log source it
//! was recognised as. Borrowed from the record it was made of wherever possible.

use std::borrow::Cow;

/// One log record as rules see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event<'a> {
    /// What wrote the record. `None` where it is not known.
    pub log_source: LogSource<'a>,
    /// Field name and value, in the order they were added; the first of a name counts. Names may be
    /// dotted; a literal dotted name wins over a path through maps.
    pub fields: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// The three dimensions of a Sigma log source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LogSource<'a> {
    /// For example `linux`, `nginx`, `windows`.
    pub product: Option<Cow<'a, str>>,
    /// For example `webserver`, `process_creation`.
    pub category: Option<Cow<'a, str>>,
    /// For example `sshd`, `sudo`, `security`.
    pub service: Option<Cow<'a, str>>,
}

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// Present and empty; rules treat it like an absent field.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// Text.
    String(Cow<'a, str>),
    /// Several values: a test holds when it holds for any of them.
    Array(Vec<Value<'a>>),
    /// A nested object, reached by dotted paths.
    Map(Vec<(Cow<'a, str>, Value<'a>)>),
}

impl<'a> Event<'a> {
    /// The value of a field: the literal name first, else a path through maps and arrays.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value<'a>> {
        let literal = self.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value);
        literal.or_else(|| {
            self.fields.iter().find_map(|(own, value)| value.descend(name.strip_prefix(own.as_ref())?))
        })
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<Cow<'a, str>>, value: Value<'a>) {
        self.fields.push((name.into(), value));
    }
}

impl<'a> Value<'a> {
    /// Follows `.a.b` downwards from this value; arrays are not descended here (a matcher tests
    /// each element).
    fn descend(&self, path: &str) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        let path = path.strip_prefix('.')?;
        let Self::Map(entries) = self else { return None };
        entries.iter().find_map(|(own, value)| value.descend(path.strip_prefix(own.as_ref())?))
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}
