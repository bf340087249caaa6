//! YAML as a bounded tree: one text into its documents, one document into nodes. Hostile input (deep
//! nesting, alias bombs, repeated keys) ends here; what the nodes mean lies in `document`.

mod lines;

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use sha2::{Digest, Sha256};

use crate::refusal::{Cause, Fault};

pub(crate) use lines::{Source, line_of, sources};

/// The largest public rule, a list of vulnerable drivers, has 300 kB.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Rules nest five or six levels; correlations and custom attributes a little more.
const MAX_DEPTH: usize = 32;
/// Nodes after aliases are expanded; the largest public rule has about four thousand.
const MAX_NODES: usize = 100_000;
/// Text after aliases are expanded: a document that repeats itself may become twice as long.
const MAX_TEXT_BYTES: usize = 2 * MAX_DOCUMENT_BYTES;
/// The YAML scanner does work for every open flow collection at every token, so that opening brackets
/// are counted before it runs. Public rules have at most 124, regular expressions included.
const MAX_OPENING_BRACKETS: usize = 1_000;

/// One YAML value. Keys are text, in the order they were written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Int(i128),
    Double(f64),
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

/// The entries of a map, in the order they were written.
pub(crate) type Map = Vec<(String, Node)>;

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
    let budget = Budget::default();
    let seed = NodeSeed { budget: &budget, depth: 0 };
    seed.deserialize(serde_norway::Deserializer::from_str(text)).map_err(|error| {
        budget.exceeded.take().unwrap_or_else(|| Cause::Yaml(error.to_string().into())).into()
    })
}

impl Node {
    /// What kind of value this is, in words.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::Double(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// The entries of a map.
    pub(crate) fn as_map(&self) -> Result<&Map, Fault> {
        match self {
            Self::Map(entries) => Ok(entries),
            other => Err(Cause::invalid("a map", other.describe()).into()),
        }
    }

    /// Text that is not blank.
    pub(crate) fn as_text(&self) -> Result<&str, Fault> {
        match self {
            Self::Text(text) if !text.trim().is_empty() => Ok(text),
            Self::Text(_) => Err(Cause::invalid("text", "blank text").into()),
            other => Err(Cause::invalid("text", other.describe()).into()),
        }
    }

    /// True or false.
    pub(crate) fn as_bool(&self) -> Result<bool, Fault> {
        match self {
            Self::Bool(value) => Ok(*value),
            other => Err(Cause::invalid("true or false", other.describe()).into()),
        }
    }

    /// A list of texts; one text alone is a list of one, nothing is an empty list.
    pub(crate) fn as_texts(&self) -> Result<Vec<String>, Fault> {
        match self {
            Self::Null => Ok(Vec::new()),
            Self::Text(text) => Ok(vec![text.clone()]),
            Self::List(items) => items.iter().map(|item| item.as_text().map(str::to_owned)).collect(),
            other => Err(Cause::invalid("a list of texts", other.describe()).into()),
        }
    }

    /// The same value as JSON. Whole numbers beyond 64 bits become text.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Int(value) => i64::try_from(*value).map_or_else(|_| value.to_string().into(), Into::into),
            Self::Double(value) => (*value).into(),
            Self::Text(text) => text.as_str().into(),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(entries) => entries.iter().map(|(key, node)| (key.clone(), node.to_json())).collect(),
        }
    }

    /// SHA-256 over the content: the order of keys, comments and layout do not change it.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        self.feed(&mut hasher);
        hasher.finalize().into()
    }

    fn feed(&self, hasher: &mut Sha256) {
        match self {
            Self::Null => hasher.update(b"n"),
            Self::Bool(value) => hasher.update([b'b', u8::from(*value)]),
            Self::Int(value) => feed_bytes(hasher, b'i', &value.to_be_bytes()),
            Self::Double(value) => feed_bytes(hasher, b'd', &value.to_bits().to_be_bytes()),
            Self::Text(text) => feed_bytes(hasher, b't', text.as_bytes()),
            Self::List(items) => {
                feed_bytes(hasher, b'l', &items.len().to_be_bytes());
                items.iter().for_each(|item| item.feed(hasher));
            }
            Self::Map(entries) => {
                feed_bytes(hasher, b'm', &entries.len().to_be_bytes());
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by_key(|(key, _)| key);
                for (key, node) in sorted {
                    feed_bytes(hasher, b'k', key.as_bytes());
                    node.feed(hasher);
                }
            }
        }
    }
}

fn feed_bytes(hasher: &mut Sha256, tag: u8, bytes: &[u8]) {
    hasher.update([tag]);
    hasher.update((bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}

/// The value of a key.
pub(crate) fn get<'n>(map: &'n Map, key: &str) -> Option<&'n Node> {
    map.iter().find(|(own, _)| own == key).map(|(_, node)| node)
}

/// What one document may still use up.
struct Budget {
    nodes: Cell<usize>,
    text: Cell<usize>,
    exceeded: Cell<Option<Cause>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { nodes: Cell::new(MAX_NODES), text: Cell::new(MAX_TEXT_BYTES), exceeded: Cell::new(None) }
    }
}

impl Budget {
    fn exceed<E: serde::de::Error>(&self, what: &'static str, limit: usize) -> E {
        self.exceeded.set(Some(Cause::TooLarge { what, limit }));
        E::custom(what)
    }

    fn node<E: serde::de::Error>(&self) -> Result<(), E> {
        let left = self.nodes.get().checked_sub(1);
        self.nodes.set(left.ok_or_else(|| self.exceed("values in a document", MAX_NODES))?);
        Ok(())
    }

    fn text<E: serde::de::Error>(&self, length: usize) -> Result<(), E> {
        let left = self.text.get().checked_sub(length);
        self.text.set(left.ok_or_else(|| self.exceed("bytes of text in a document", MAX_TEXT_BYTES))?);
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
        let mut seen = std::collections::HashSet::new();
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
