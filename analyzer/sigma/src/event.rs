//! Input of rules: one flat event with canonical field names and the log source it was recognised as. Borrowed from its record
//! wherever possible.

use std::borrow::Cow;

/// Arrays and maps nested deeper than this are not searched: the limit of normalization is far below it, and without one here a
/// single record could exhaust the stack.
pub(crate) const MAX_DEPTH: usize = 128;

/// One log record as rules see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event<'a> {
    /// The log source of the record; its parts are `None` where they are not known.
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
    /// Present and empty: to all tests but `exists` the same as absent.
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
    /// The value of a field: the literal name first, else a path through maps.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value<'a>> {
        find(&self.fields, name, |value, rest| value.descend(rest, 0))
    }

    /// Appends the values that a test of a field reads: those at the literal name, else at the path through maps and arrays;
    /// arrays are flattened, nulls left out. A map is one value. Returns whether the field is present at all, be it null.
    pub fn values<'e>(&'e self, name: &str, out: &mut Vec<&'e Value<'a>>) -> bool {
        find(&self.fields, name, |value, rest| value.gather(rest, 0, out)).is_some()
    }

    /// Appends every single value of the event, however deep; nulls are left out.
    pub fn every_value<'e>(&'e self, out: &mut Vec<&'e Value<'a>>) {
        self.each_value(&mut |value| out.push(value));
    }

    /// Calls `each` with every single value of the event, however deep; nulls are left out.
    #[inline]
    pub(crate) fn each_value<'e>(&'e self, each: &mut impl FnMut(&'e Value<'a>)) {
        self.fields.iter().for_each(|(_, value)| value.each_single(0, each));
    }

    /// Adds a field.
    pub fn push(&mut self, name: impl Into<Cow<'a, str>>, value: Value<'a>) {
        self.fields.push((name.into(), value));
    }
}

/// Tries the entry whose name is the whole of `path`, else in order those whose name begins it, each with the rest of the path,
/// until one gives something.
fn find<'e, 'a, T>(
    entries: &'e [(Cow<'a, str>, Value<'a>)],
    path: &str,
    mut found: impl FnMut(&'e Value<'a>, &str) -> Option<T>,
) -> Option<T> {
    if let Some((_, value)) = entries.iter().find(|(own, _)| own == path) {
        return found(value, "");
    }
    entries.iter().find_map(|(own, value)| {
        let rest = path.strip_prefix(own.as_ref())?.strip_prefix('.')?;
        if rest.is_empty() { None } else { found(value, rest) }
    })
}

impl<'a> Value<'a> {
    /// The value at a path through maps below this one, as [`Event::field`] finds it below a field.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&Self> {
        self.descend(path, 0)
    }

    /// Follows `a.b` downwards from this value; arrays are not descended here.
    fn descend(&self, path: &str, depth: usize) -> Option<&Self> {
        if path.is_empty() {
            return Some(self);
        }
        let Self::Map(entries) = self else { return None };
        if depth >= MAX_DEPTH {
            return None;
        }
        find(entries, path, |value, rest| value.descend(rest, depth + 1))
    }

    /// Appends the values at `path` below this value; nothing where the path does not exist.
    fn gather<'e>(&'e self, path: &str, depth: usize, out: &mut Vec<&'e Self>) -> Option<()> {
        if depth >= MAX_DEPTH {
            return None;
        }
        match self {
            Self::Array(items) => items
                .iter()
                .map(|item| item.gather(path, depth + 1, out))
                .fold(path.is_empty().then_some(()), Option::or),
            Self::Null if path.is_empty() => Some(()),
            leaf if path.is_empty() => {
                out.push(leaf);
                Some(())
            }
            Self::Map(entries) => find(entries, path, |value, rest| value.gather(rest, depth + 1, out)),
            _ => None,
        }
    }

    /// Appends the value itself, or its items where it is an array, `depth` maps and arrays deep. Returns whether there is
    /// anything, be it null.
    pub(crate) fn values_from<'e>(&'e self, depth: usize, out: &mut Vec<&'e Self>) -> bool {
        self.gather("", depth, out).is_some()
    }

    #[inline]
    fn each_single<'e>(&'e self, depth: usize, each: &mut impl FnMut(&'e Self)) {
        match self {
            Self::Null => {}
            Self::Array(_) | Self::Map(_) => self.each_inside(depth + 1, each),
            single => each(single),
        }
    }

    fn each_inside<'e>(&'e self, depth: usize, each: &mut impl FnMut(&'e Self)) {
        if depth >= MAX_DEPTH {
            return;
        }
        match self {
            Self::Array(items) => items.iter().for_each(|item| item.each_single(depth, each)),
            Self::Map(entries) => entries.iter().for_each(|(_, value)| value.each_single(depth, each)),
            _ => {}
        }
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value as text, numbers in decimal; `None` for null, arrays and maps.
    #[must_use]
    pub fn to_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::String(text) => Some(Cow::Borrowed(text)),
            Self::Int(value) => Some(Cow::Owned(value.to_string())),
            Self::Double(value) => Some(Cow::Owned(value.to_string())),
            Self::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            Self::Null | Self::Array(_) | Self::Map(_) => None,
        }
    }
}
