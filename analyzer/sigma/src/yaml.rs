//! YAML as a bounded tree: one text into its documents, one document into nodes. The meaning of the nodes is defined in
//! `document`.

mod events;
mod lines;
mod reader;
mod scalar;

use sha2::{Digest, Sha256};

use crate::refusal::{Cause, Fault};

pub(crate) use lines::{Source, line_of, sources};
pub(crate) use reader::read;

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

impl Node {
    /// The kind of this value, in words.
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

    /// Memory of the value, about, bytes.
    pub(crate) fn size(&self) -> usize {
        let own = size_of::<Self>();
        match self {
            Self::Text(text) => own + text.len(),
            Self::List(items) => own + items.iter().map(Self::size).sum::<usize>(),
            Self::Map(entries) => {
                own + entries.iter().map(|(key, node)| key.len() + node.size()).sum::<usize>()
            }
            _ => own,
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
