//! One document into nodes, within bounds: hostile input (deep nesting, alias bombs, repeated keys)
//! ends here.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{Map, Node};
use crate::refusal::{Cause, Fault};

/// The largest public rule, a list of vulnerable drivers, has 300 kB.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Rules nest five or six levels; correlations and custom attributes a little more.
const MAX_DEPTH: usize = 32;
/// Nodes after aliases are expanded; the largest public rule has about four thousand.
const MAX_NODES: usize = 100_000;
/// Text after aliases are expanded, as a multiple of the document's length; values written out take
/// part in it at most once. Nodes are bounded by the length too: each takes a character at least.
const MAX_EXPANSION: usize = 8;
/// The YAML scanner does work for every open flow collection at every token, so that opening brackets
/// are counted before it runs. Public rules have at most 124, regular expressions included.
const MAX_OPENING_BRACKETS: usize = 1_000;

/// Reads one document.
pub(crate) fn read(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(Cause::TooLarge { what: "bytes in a document", limit: MAX_DOCUMENT_BYTES }.into());
    }
    if text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() > MAX_OPENING_BRACKETS {
        return Err(
            Cause::TooLarge { what: "opening brackets in a document", limit: MAX_OPENING_BRACKETS }.into()
        );
    }
    let budget = Budget::of(text);
    let seed = NodeSeed { budget: &budget, depth: 0 };
    seed.deserialize(serde_norway::Deserializer::from_str(text))
        .map_err(|error| budget.exceeded.take().map_or_else(|| unreadable(&error), Fault::from))
}

/// The reader's words without its positions, which count from the start of the document.
fn unreadable(error: &serde_norway::Error) -> Fault {
    let words = error.to_string();
    let cause = Cause::Yaml(words.split(" at line ").next().unwrap_or_default().into());
    let line = error.location().and_then(|location| u32::try_from(location.line()).ok());
    Fault::from(cause).on_line(line.unwrap_or(1))
}

/// What one document may still use up.
struct Budget {
    nodes: Cell<usize>,
    text: Cell<usize>,
    exceeded: Cell<Option<Cause>>,
}

impl Budget {
    fn of(document: &str) -> Self {
        Self {
            nodes: Cell::new(MAX_NODES.min(document.len() + 1)),
            text: Cell::new(document.len() * MAX_EXPANSION),
            exceeded: Cell::new(None),
        }
    }

    fn exceed<E: serde::de::Error>(&self, what: &'static str, limit: usize) -> E {
        self.exceeded.set(Some(Cause::TooLarge { what, limit }));
        E::custom(what)
    }

    fn node<E: serde::de::Error>(&self) -> Result<(), E> {
        let left = self.nodes.get().checked_sub(1);
        self.nodes.set(
            left.ok_or_else(|| self.exceed("values in a document, or as many as it has bytes", MAX_NODES))?,
        );
        Ok(())
    }

    fn text<E: serde::de::Error>(&self, length: usize) -> Result<(), E> {
        let left = self.text.get().checked_sub(length);
        self.text.set(left.ok_or_else(|| {
            self.exceed("times the document's length in text, aliases expanded", MAX_EXPANSION)
        })?);
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct NodeSeed<'b> {
    budget: &'b Budget,
    depth: usize,
}

impl NodeSeed<'_> {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth >= MAX_DEPTH {
            return Err(self.budget.exceed("levels of nesting", MAX_DEPTH));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        self.budget.node()?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value without a YAML tag")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Node, E> {
        i128::try_from(value).map(Node::Int).map_err(|_| E::custom("a number is too large"))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Node, E> {
        if !value.is_finite() {
            return Err(E::custom("expected a finite number"));
        }
        Ok(Node::Double(value))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Node, E> {
        self.budget.text(value.len())?;
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(inner)? {
            items.push(item);
        }
        Ok(Node::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut entries = Map::new();
        let mut seen = HashSet::new();
        while let Some(key) = access.next_key_seed(inner)? {
            let Node::Text(key) = key else {
                return Err(A::Error::custom(format_args!(
                    "expected text as a key, found {}",
                    key.describe()
                )));
            };
            if key == "<<" {
                return Err(A::Error::custom("merge keys (`<<`) are not supported"));
            }
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("key `{key}` occurs twice")));
            }
            entries.push((key, access.next_value_seed(inner)?));
        }
        Ok(Node::Map(entries))
    }
}
