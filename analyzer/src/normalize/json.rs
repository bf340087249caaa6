//! A JSON object in a text, read into event values that borrow from the text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use sigma::event::Value;

use super::reading::into_owned;
use crate::record::Entries;

/// The entries of the object that is the whole of `text`; `None` where it is anything else. Nesting
/// is bounded by `serde_json` (128). The first of two equal names counts, as everywhere in events.
pub(super) fn object<'a>(text: &Cow<'a, str>) -> Option<Entries<'a>> {
    match text {
        Cow::Borrowed(text) => entries(text),
        Cow::Owned(text) => match into_owned(Value::Map(entries(text)?)) {
            Value::Map(entries) => Some(entries),
            _ => None,
        },
    }
}

/// The same, of a text that lives long enough.
pub(super) fn entries(text: &str) -> Option<Entries<'_>> {
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return None;
    }
    match serde_json::from_str(text).ok()? {
        Json(Value::Map(entries)) => Some(entries),
        Json(_) => None,
    }
}

struct Json<'t>(Value<'t>);

struct Name<'t>(Cow<'t, str>);

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(Json)
    }
}

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(NameVisitor).map(Name)
    }
}

struct NameVisitor;

impl<'de> Visitor<'de> for NameVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value<'de>, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value<'de>, E> {
        Ok(Value::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value<'de>, E> {
        Ok(Value::Int(number))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "JSON numbers above 2^63 are doubles to everybody else, too"
    )]
    fn visit_u64<E>(self, number: u64) -> Result<Value<'de>, E> {
        Ok(i64::try_from(number).map_or(Value::Double(number as f64), Value::Int))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value<'de>, E> {
        Ok(Value::Double(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Value<'de>, E> {
        Ok(Value::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value<'de>, E> {
        Ok(Value::String(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(Json(value)) = elements.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some((Name(name), Json(value))) = members.next_entry()? {
            entries.push((name, value));
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_no_unescaping_is_borrowed() {
        let text = Cow::Borrowed(r#" {"a":"b","c":[1,-2.5,true,null],"d\n":"e\"f"} "#);
        let entries = object(&text).unwrap();
        assert!(matches!(&entries[0], (Cow::Borrowed("a"), Value::String(Cow::Borrowed("b")))));
        let array = vec![Value::Int(1), Value::Double(-2.5), Value::Bool(true), Value::Null];
        assert_eq!(entries[1], ("c".into(), Value::Array(array)));
        assert_eq!(entries[2], ("d\n".into(), Value::String("e\"f".into())));
    }

    #[test]
    fn only_a_whole_object_counts() {
        for text in ["", "{", "{}x", "[{}]", "{\"a\":}", "{'a':1}", "line {\"a\":1}"] {
            assert_eq!(object(&Cow::Borrowed(text)), None, "{text}");
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(object(&Cow::Owned(deep)), None);
    }
}
