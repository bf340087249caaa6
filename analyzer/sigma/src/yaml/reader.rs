//! Reads one document into a tree of nodes, within bounds: hostile input (deep nesting, alias bombs, repeated keys)
//! is refused here.

use std::collections::HashSet;

use super::events::{Events, MAX_DEPTH, Piece};
use super::{Map, Node};
use crate::refusal::{Cause, Fault};

/// The largest public rule, a list of vulnerable drivers, has 300 kB.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;
/// Nodes after aliases are expanded; the largest public rule has about four thousand.
const MAX_NODES: usize = 100_000;
/// Text after aliases are expanded, as a multiple of the document's length; values written out take
/// part in it at most once. Nodes are bounded by the length too: each takes a character at least.
const MAX_EXPANSION: usize = 8;
/// The scanner does work for every open flow collection, so that opening brackets are counted before it runs.
/// Public rules have at most 124, regular expressions included.
const MAX_OPENING_BRACKETS: usize = 1_000;

/// Reads one document.
pub(crate) fn read(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(too_large("bytes in a document", MAX_DOCUMENT_BYTES).into());
    }
    if text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count() > MAX_OPENING_BRACKETS {
        return Err(too_large("opening brackets in a document", MAX_OPENING_BRACKETS).into());
    }
    let events = Events::parse(text)?;
    let mut tree =
        Tree { events: &events, nodes: MAX_NODES.min(text.len() + 1), text: text.len() * MAX_EXPANSION };
    if events.len() == 0 {
        return Err(Cause::Yaml("no value".into()).into());
    }
    Ok(tree.node(0, 0)?.0)
}

fn too_large(what: &'static str, limit: usize) -> Cause {
    Cause::TooLarge { what, limit }
}

/// A tree under construction, and its remaining limits.
struct Tree<'e> {
    events: &'e Events,
    nodes: usize,
    text: usize,
}

impl Tree<'_> {
    /// The value that begins at an event, and the index of the event after it.
    fn node(&mut self, at: usize, depth: usize) -> Result<(Node, usize), Fault> {
        let Some((piece, line)) = self.events.get(at) else {
            return Err(Cause::Yaml("the document ends within a value".into()).into());
        };
        let on_line = |cause: Cause| Fault::from(cause).on_line(*line);
        self.charge_node().map_err(on_line)?;
        match piece {
            Piece::Scalar(Node::Text(text)) => {
                self.charge_text(text.len()).map_err(on_line)?;
                Ok((Node::Text(text.clone()), at + 1))
            }
            Piece::Scalar(value) => Ok((value.clone(), at + 1)),
            Piece::End => Err(on_line(Cause::Yaml("a value is missing".into()))),
            Piece::Alias(anchor) => {
                let anchored = self.events.anchored(*anchor).filter(|range| range.end <= at);
                let Some(anchored) = anchored else {
                    return Err(on_line(Cause::Yaml("an alias refers to the value that contains it".into())));
                };
                Ok((self.node(anchored.start, depth)?.0, at + 1))
            }
            Piece::ListStart | Piece::MapStart if depth >= MAX_DEPTH => {
                Err(on_line(too_large("levels of nesting", MAX_DEPTH)))
            }
            Piece::ListStart => self.list(at + 1, depth + 1),
            Piece::MapStart => self.map(at + 1, depth + 1),
        }
    }

    fn list(&mut self, mut at: usize, depth: usize) -> Result<(Node, usize), Fault> {
        let mut items = Vec::new();
        while !self.ends_at(at) {
            let (item, next) = self.node(at, depth)?;
            items.push(item);
            at = next;
        }
        Ok((Node::List(items), at + 1))
    }

    fn map(&mut self, mut at: usize, depth: usize) -> Result<(Node, usize), Fault> {
        let mut entries = Map::new();
        let mut seen = HashSet::new();
        while !self.ends_at(at) {
            let line = self.events.get(at).map_or(1, |(_, line)| *line);
            let (key, value_at) = self.node(at, depth)?;
            let key = key_text(key).map_err(|cause| Fault::from(cause).on_line(line))?;
            if !seen.insert(key.clone()) {
                return Err(
                    Fault::from(Cause::Yaml(format!("key `{key}` occurs twice").into())).on_line(line)
                );
            }
            let (value, next) = self.node(value_at, depth)?;
            entries.push((key, value));
            at = next;
        }
        Ok((Node::Map(entries), at + 1))
    }

    fn ends_at(&self, at: usize) -> bool {
        matches!(self.events.get(at), Some((Piece::End, _)))
    }

    fn charge_node(&mut self) -> Result<(), Cause> {
        let left = self.nodes.checked_sub(1);
        self.nodes =
            left.ok_or_else(|| too_large("values in a document, or as many as it has bytes", MAX_NODES))?;
        Ok(())
    }

    fn charge_text(&mut self, bytes: usize) -> Result<(), Cause> {
        let left = self.text.checked_sub(bytes);
        self.text = left.ok_or_else(|| {
            too_large("times the document's length in text, aliases expanded", MAX_EXPANSION)
        })?;
        Ok(())
    }
}

fn key_text(key: Node) -> Result<String, Cause> {
    match key {
        Node::Text(key) if key == "<<" => Err(Cause::Yaml("merge keys (`<<`) are not supported".into())),
        Node::Text(key) => Ok(key),
        other => Err(Cause::Yaml(format!("expected text as a key, found {}", other.describe()).into())),
    }
}
