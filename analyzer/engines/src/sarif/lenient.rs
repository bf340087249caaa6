//! Parts of JSON that a hostile file could make large: arrays, objects and property bags of which only a beginning is kept.
//! `null` counts as absent everywhere, since tools write it for properties that they do not have.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The first `N` elements of an array; the others are only counted.
#[derive(Debug)]
pub(super) struct Capped<T, const N: usize> {
    /// The kept elements.
    pub(super) items: Vec<T>,
    /// Number of all elements.
    pub(super) count: usize,
}

impl<T, const N: usize> Default for Capped<T, N> {
    fn default() -> Self {
        Self { items: Vec::new(), count: 0 }
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for Capped<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CappedVisitor(PhantomData))
    }
}

struct CappedVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for CappedVisitor<T, N> {
    type Value = Capped<T, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Capped::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut capped = Capped::default();
        while capped.items.len() < N {
            let Some(item) = array.next_element()? else { break };
            capped.items.push(item);
        }
        capped.count = capped.items.len();
        while array.next_element::<IgnoredAny>()?.is_some() {
            capped.count += 1;
        }
        Ok(capped)
    }
}

/// The first `N` members of an object, in the order of their names.
#[derive(Debug)]
pub(super) struct CappedMap<T, const N: usize>(pub(super) BTreeMap<String, T>);

impl<T, const N: usize> Default for CappedMap<T, N> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Deserialize<'de> for CappedMap<T, N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MapVisitor(PhantomData))
    }
}

struct MapVisitor<T, const N: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for MapVisitor<T, N> {
    type Value = CappedMap<T, N>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(CappedMap::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut members = BTreeMap::new();
        while members.len() < N {
            let Some((name, value)) = object.next_entry()? else { break };
            members.insert(name, value);
        }
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(CappedMap(members))
    }
}

/// Most words of a value in a property bag: more than any tool's list of tags, few enough to be read for each of 5,000 results.
const MOST_WORDS: usize = 100;

/// The texts and numbers of a value in a property bag, which may have any type: itself, or the elements of an array.
#[derive(Debug, Default)]
pub(super) struct Words(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Words, E> {
        Ok(Words::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Words, E> {
        Ok(Words::default())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Words, E> {
        Ok(Words(vec![number.to_string()]))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Words, E> {
        Ok(Words(vec![number.to_string()]))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Words, E> {
        Ok(Words(vec![number.to_string()]))
    }

    fn visit_str<E>(self, text: &str) -> Result<Words, E> {
        Ok(Words(vec![text.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Words, A::Error> {
        let mut words = Vec::new();
        while words.len() < MOST_WORDS {
            // The depth is bounded by the recursion limit of the JSON reader.
            let Some(Words(some)) = array.next_element()? else { break };
            words.extend(some);
        }
        words.truncate(MOST_WORDS);
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Words(words))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Words, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Words::default())
    }
}

#[cfg(test)]
mod tests {
    use super::{Capped, CappedMap, Words};

    #[test]
    fn an_array_is_kept_to_its_bound_and_counted() {
        let capped: Capped<u8, 2> = serde_json::from_str("[1, 2, 3, \"four\"]").unwrap();
        assert_eq!((capped.items, capped.count), (vec![1, 2], 4));
        let absent: Capped<u8, 2> = serde_json::from_str("null").unwrap();
        assert_eq!(absent.count, 0);
        assert!(serde_json::from_str::<Capped<u8, 2>>("7").is_err());
    }

    #[test]
    fn an_object_is_kept_to_its_bound() {
        let capped: CappedMap<u8, 1> = serde_json::from_str(r#"{"a": 1, "b": [2]}"#).unwrap();
        assert_eq!(capped.0.into_iter().collect::<Vec<_>>(), [("a".to_owned(), 1)]);
    }

    #[test]
    fn words_are_read_from_any_value() {
        let words = |json: &str| serde_json::from_str::<Words>(json).unwrap().0;
        assert_eq!(words(r#"["a", 7, 7.5, null, true, {"b": 1}, ["c"]]"#), ["a", "7", "7.5", "c"]);
        assert_eq!(words("\"9.8\""), ["9.8"]);
        assert!(words("{\"a\": {}}").is_empty());
        assert_eq!(words(&format!("[{}0]", "0,".repeat(500))).len(), 100);
    }
}
