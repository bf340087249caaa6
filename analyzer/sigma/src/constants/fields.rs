//! Fields as they are kept: names that events share, and values in one piece of text, in the words in which they are
//! written. Those of an event are kept for hours, by the thousand, and read seldom.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::values::{One, Values, ValuesRow, value_of, word_bytes, written_bytes};
use crate::event::Value;

/// What a word begins with that is one more value of the field before, which no value does.
const ALSO: char = '+';

/// Fields by name, each with its values.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Fields {
    /// In their order; most events of a log have the same.
    names: Arc<[Box<str>]>,
    /// The words, one behind another: for each name its values, or one that is empty where it has none.
    text: Box<str>,
    /// Where each word ends.
    ends: Box<[u16]>,
}

/// One field.
#[derive(Clone)]
pub(super) struct Field<'f> {
    pub(super) name: &'f str,
    of: &'f Fields,
    words: Range<usize>,
}

impl Fields {
    /// Those of an event.
    pub(super) fn of(values: &BTreeMap<String, Values>) -> Self {
        let mut fields = Writing::default();
        for (name, values) in values {
            fields.field(name, values.all().iter().map(One::written));
        }
        fields.done()
    }

    /// Fields that stand in the order of their names.
    pub(super) fn collect<'f>(ordered: impl IntoIterator<Item = Field<'f>>) -> Self {
        let mut fields = Writing::default();
        ordered.into_iter().for_each(|field| fields.field(field.name, field.words()));
        fields.done()
    }

    /// In the order of their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = Field<'_>> {
        let mut next = 0;
        self.names.iter().map(move |name| {
            let begin = next;
            let is_other = |word: &usize| self.word(*word).is_none_or(|word| !word.starts_with(ALSO));
            next = (begin + 1..self.ends.len()).find(is_other).unwrap_or(self.ends.len());
            let has_any = self.word(begin).is_some_and(|word| !word.is_empty());
            Field { name, of: self, words: if has_any { begin..next } else { begin..begin } }
        })
    }

    /// The field of a name.
    pub(super) fn get(&self, name: &str) -> Option<Field<'_>> {
        self.iter().find(|field| field.name == name)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// About how many bytes they take when they are written.
    pub(super) fn cost(&self) -> usize {
        let field = |field: Field<'_>| 8 + field.words().map(|word| word_bytes(word) + 4).sum::<usize>();
        self.iter().map(|one| written_bytes(one.name) + field(one)).sum()
    }

    /// Whether they have the same names as others.
    pub(super) fn are_named_like(&self, others: &Self) -> bool {
        self.names == others.names
    }

    /// The same, with names that are held already and are the same.
    pub(super) fn named_like(&self, others: &Self) -> Self {
        Self { names: Arc::clone(&others.names), ..self.clone() }
    }

    fn word(&self, word: usize) -> Option<&str> {
        let end = usize::from(*self.ends.get(word)?);
        let start =
            word.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| usize::from(*end));
        self.text.get(start..end)
    }
}

impl<'f> Field<'f> {
    /// What it has, as events have it.
    pub(super) fn value(&self) -> Value<'f> {
        match self.words.len() {
            0 => Value::Null,
            1 => self.words().find_map(value_of).unwrap_or(Value::Null),
            _ => Value::Array(self.words().filter_map(value_of).collect()),
        }
    }

    /// Whether it is there and has no value.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn words(&self) -> impl Iterator<Item = &'f str> + use<'f> {
        let of = self.of;
        self.words
            .clone()
            .filter_map(|word| of.word(word))
            .map(|word| word.strip_prefix(ALSO).unwrap_or(word))
    }
}

/// Two are equal that have the same name and the same values in the same order.
impl PartialEq for Field<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.words().eq(other.words())
    }
}

/// Fields that are being put together, in the order of their names.
#[derive(Default)]
struct Writing {
    names: Vec<Box<str>>,
    text: String,
    ends: Vec<u16>,
}

impl Writing {
    fn field(&mut self, name: &str, words: impl Iterator<Item = impl AsRef<str>>) {
        let before = self.ends.len();
        for word in words {
            if self.ends.len() > before {
                self.text.push(ALSO);
            }
            self.text.push_str(word.as_ref());
            self.end();
        }
        if self.ends.len() == before {
            self.end();
        }
        self.names.push(name.into());
    }

    fn end(&mut self) {
        // All that is kept of an event is a small part of this; what is read back is checked.
        self.ends.push(u16::try_from(self.text.len()).unwrap_or(u16::MAX));
    }

    fn fits(&self) -> bool {
        u16::try_from(self.text.len()).is_ok()
    }

    fn done(self) -> Fields {
        Fields { names: self.names.into(), text: self.text.into(), ends: self.ends.into() }
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|field| (field.name, field.value()))).finish()
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|field| (field.name, ValuesRow::of(field.words()))))
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = BTreeMap::<String, ValuesRow<String>>::deserialize(deserializer)?;
        let mut fields = Writing::default();
        for (name, row) in &rows {
            if !row.words().iter().all(|word| value_of(word).is_some()) {
                return Err(D::Error::custom("expected values that begin with one of s, i, d, t, f, m"));
            }
            fields.field(name, row.words().iter());
        }
        let fits = fields.fits().then(|| fields.done());
        fits.ok_or_else(|| D::Error::custom("expected less than 64 KiB of fields"))
    }
}
