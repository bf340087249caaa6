//! A value of a JSON body as far as this family reads one. A value of another form is passed over without being kept, so that a body
//! of many small values needs no more memory than its bytes.

use std::fmt::{self, Formatter};

use rest::error::ApiError;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Elements of a list that are kept: one more than any property may have, which shows that there are too many.
const MOST_ELEMENTS: usize = 101;

/// A value of a property.
#[derive(Debug)]
pub(super) enum Shape {
    Null,
    Bool(bool),
    Text(String),
    /// The first elements of a list.
    List(Vec<Shape>),
    /// An object that is an element of a list.
    Source(Box<Source>),
    /// A number, or a list or an object where none is read.
    Other,
}

/// The properties of a source; others are ignored.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) content: Option<Shape>,
    pub(super) name: Option<Shape>,
    pub(super) url: Option<Shape>,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Place::Property.deserialize(deserializer)
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Property,
    Element,
    PropertyOfElement,
}

impl<'de> DeserializeSeed<'de> for Place {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place {
    type Value = Shape;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Shape, E> {
        Ok(Shape::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Shape, E> {
        Ok(Shape::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Shape, E> {
        Ok(Shape::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut elements = Vec::new();
        while self == Self::Property && elements.len() < MOST_ELEMENTS {
            match list.next_element_seed(Self::Element)? {
                Some(element) => elements.push(element),
                None => return Ok(Shape::List(elements)),
            }
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(if self == Self::Property { Shape::List(elements) } else { Shape::Other })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Shape, A::Error> {
        let mut source = Source::default();
        while let Some(key) = object.next_key::<String>()? {
            let property = match key.as_str() {
                "content" => &mut source.content,
                "name" => &mut source.name,
                "url" => &mut source.url,
                _ => {
                    object.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *property = Some(object.next_value_seed(Self::PropertyOfElement)?);
        }
        Ok(if self == Self::Element { Shape::Source(Box::new(source)) } else { Shape::Other })
    }
}

/// A property that is a string, or left out.
pub(super) fn string(
    value: Option<Shape>,
    refusal: impl Fn() -> ApiError,
) -> Result<Option<String>, ApiError> {
    match value {
        None | Some(Shape::Null) => Ok(None),
        Some(Shape::Text(text)) => Ok(Some(text)),
        Some(_) => Err(refusal()),
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    fn read(json: &str) -> Shape {
        serde_json::from_str(json).expect("the text is JSON")
    }

    #[test]
    fn values_of_other_forms_are_passed_over() {
        for json in ["1", "-1", "1.5", r#"{"content": "a"}"#] {
            assert!(matches!(read(json), Shape::Other), "{json}");
        }
        let Shape::List(elements) = read(r#"[[["a"]], 1, {"content": {"a": [1]}, "x": [2]}]"#) else {
            panic!("no list")
        };
        let [Shape::Other, Shape::Other, Shape::Source(source)] = elements.as_slice() else {
            panic!("{elements:?}")
        };
        assert!(matches!(source.content, Some(Shape::Other)));
    }

    #[test]
    fn elements_behind_the_most_of_all_properties_are_not_kept() {
        let long = format!("[{}0]", r#"{"":0},"#.repeat(100_000));
        let Shape::List(elements) = read(&long) else { panic!("no list") };
        assert_eq!(elements.len(), super::MOST_ELEMENTS);
    }
}
