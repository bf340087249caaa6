//! JSON and YAML as one tree, bounded in nodes and depth. An alias of YAML counts as much as its value.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value};

/// Nodes of a document: the largest published descriptions have some hundred thousand.
const MOST_NODES: usize = 400_000;
/// Levels of nesting: schemas nest some twenty. Trees are dropped recursively, so that this also bounds the stack.
const MOST_DEPTH: usize = 64;

/// The tree of a document. `None` if it is neither JSON nor YAML, or exceeds a bound.
pub(super) fn read(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)).ok()?;
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    Builder::default().read(text)
}

/// A collection that is open.
struct Open {
    value: Value,
    key: Option<String>,
    anchor: usize,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    /// Values of anchors by the numbers of the parser.
    anchors: BTreeMap<usize, Value>,
    nodes: usize,
    root: Option<Value>,
}

impl Builder {
    fn read(mut self, text: &str) -> Option<Value> {
        for event in Parser::new_from_str(text) {
            match event.ok()?.0 {
                Event::Scalar(text, style, anchor, _) => {
                    self.count(1)?;
                    let value = scalar(&text, style);
                    self.close(value, anchor)?;
                }
                Event::SequenceStart(anchor, _) => self.open(Value::Array(Vec::new()), anchor)?,
                Event::MappingStart(anchor, _) => self.open(Value::Object(Map::new()), anchor)?,
                Event::SequenceEnd | Event::MappingEnd => {
                    let open = self.open.pop()?;
                    self.close(open.value, open.anchor)?;
                }
                Event::Alias(anchor) => {
                    let value = self.anchors.get(&anchor)?.clone();
                    self.count(nodes(&value))?;
                    // The copy may add its own levels at most to those that are open.
                    if self.open.len() + depth(&value) > MOST_DEPTH {
                        return None;
                    }
                    self.close(value, 0)?;
                }
                // Only the first document counts.
                Event::DocumentEnd => return self.root,
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
            }
        }
        self.root
    }

    fn count(&mut self, nodes: usize) -> Option<()> {
        self.nodes = self.nodes.saturating_add(nodes);
        (self.nodes <= MOST_NODES).then_some(())
    }

    fn open(&mut self, value: Value, anchor: usize) -> Option<()> {
        self.count(1)?;
        self.open.push(Open { value, key: None, anchor });
        (self.open.len() <= MOST_DEPTH).then_some(())
    }

    /// Adds a complete value to the collection that is open.
    fn close(&mut self, value: Value, anchor: usize) -> Option<()> {
        if anchor > 0 {
            // The copy counts: nested anchors would otherwise take quadratic memory.
            self.count(nodes(&value))?;
            self.anchors.insert(anchor, value.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(value);
            return Some(());
        };
        match (&mut open.value, open.key.take()) {
            (Value::Array(items), _) => items.push(value),
            (Value::Object(members), Some(key)) => {
                members.insert(key, value);
            }
            (Value::Object(_), None) => open.key = Some(key_text(value)),
            _ => return None,
        }
        Some(())
    }
}

/// A key as text: status codes are numbers in YAML.
fn key_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::from(text);
    }
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        // Numbers as in JSON; any other scalar is text.
        _ => serde_json::from_str(text).map_or_else(|_| Value::from(text), Value::Number),
    }
}

fn nodes(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(nodes).sum::<usize>(),
        _ => 1,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_and_yaml_give_the_same_tree() {
        let yaml =
            b"openapi: 3.0.0\npaths:\n  /a:\n    get: &g {tags: [x, 'y'], deprecated: true}\n    post: *g\n";
        let json = br#"{"openapi":"3.0.0","paths":{"/a":{"get":{"tags":["x","y"],"deprecated":true},
            "post":{"tags":["x","y"],"deprecated":true}}}}"#;
        assert_eq!(read(yaml), read(json));
        assert!(read(yaml).is_some());
    }

    #[test]
    fn numbers_are_numbers_in_both_forms() {
        assert_eq!(read(b"{\"a\": [1, 2.5, \"3\"]}"), read(b"a: [1, 2.5, '3']"));
    }

    #[test]
    fn multiplying_aliases_and_deep_nesting_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let inner = format!("*a{}", level - 1);
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![inner; 10].join(", ")));
        }
        assert_eq!(read(bomb.as_bytes()), None);
        assert_eq!(read("- ".repeat(MOST_DEPTH + 1).as_bytes()), None);
        assert_eq!(read(format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)).as_bytes()), None);
        assert_eq!(read("{\"a\":".repeat(100_000).as_bytes()), None);
        assert_eq!(read(b"a: [\n"), None);
        assert_eq!(read(b"*x"), None);
        assert_eq!(read(b"\xff"), None);
    }
}
