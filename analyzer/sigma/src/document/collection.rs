//! Documents that shape those after them: `action: global`, `repeat` and `reset`.

use std::collections::HashMap;

use super::MAX_FILE_BYTES;
use crate::refusal::{Cause, Fault};
use crate::yaml::{Map, Node};

/// Most bytes that documents may take over from a `global` or repeated one, all documents of a file together: without a bound a
/// file could become as large as the square of its length.
const MAX_SHARED_BYTES: usize = 4 * MAX_FILE_BYTES;

/// Content that the documents of a file pass on to those after them.
#[derive(Default)]
pub(super) struct Collection {
    global: Map,
    /// The document that `repeat` repeats; nothing after a document that could not be read.
    previous: Option<Map>,
    /// A shaping document was refused: the following ones would differ from their author's intent.
    broken: bool,
    /// Bytes taken over so far.
    shared: usize,
}

impl Collection {
    /// Forgets the repeatable document, and refuses the following ones if the document that could not be read may have been one
    /// that shapes others.
    pub(super) fn unreadable(&mut self, text: &str) {
        self.previous = None;
        self.broken |= text.lines().any(|line| line.starts_with("action"));
    }

    /// The document with the additions of earlier ones; nothing where it only shapes later ones.
    pub(super) fn shape(&mut self, node: Node) -> Result<Option<Map>, Fault> {
        let Node::Map(mut map) = node else {
            return Err(Cause::invalid("a map", node.describe()).into());
        };
        let action = map.iter().position(|(key, _)| key == "action").map(|index| map.remove(index).1);
        let Some(action) = action else {
            let global = Node::Map(self.global.clone());
            return self.shaped(global, map).map(Some);
        };
        match action {
            Node::Text(word) if word == "global" => self.global = map,
            Node::Text(word) if word == "reset" => *self = Self { shared: self.shared, ..Self::default() },
            Node::Text(word) if word == "repeat" => {
                let previous = self.previous.take().ok_or_else(|| {
                    let cause = Cause::invalid("a document before it to repeat", "none that could be read");
                    Fault::from(cause).within("action")
                })?;
                return self.shaped(Node::Map(previous), map).map(Some);
            }
            other => {
                self.broken = true;
                let found = if let Node::Text(word) = &other { word } else { other.describe() };
                let cause = Cause::invalid("`global`, `reset` or `repeat`", found);
                return Err(Fault::from(cause).within("action"));
            }
        }
        Ok(None)
    }

    /// A document merged over the content that it takes over.
    fn shaped(&mut self, base: Node, map: Map) -> Result<Map, Fault> {
        if self.broken {
            let cause = "a document after an `action` that was refused";
            return Err(Cause::Unsupported(cause.into()).into());
        }
        self.shared = self.shared.saturating_add(base.size());
        if self.shared > MAX_SHARED_BYTES {
            self.previous = None;
            let what = "bytes inherited from earlier documents";
            return Err(Cause::TooLarge { what, limit: MAX_SHARED_BYTES }.into());
        }
        let merged = if let Node::Map(base) = base { merged(base, map) } else { map };
        self.previous = Some(merged.clone());
        Ok(merged)
    }
}

/// `over` laid over `base`: maps are merged key by key, everything else is replaced.
fn merged(mut base: Map, over: Map) -> Map {
    let mut places: HashMap<String, usize> =
        base.iter().enumerate().map(|(index, (key, _))| (key.clone(), index)).collect();
    for (key, node) in over {
        let Some((_, slot)) = places.remove(&key).and_then(|index| base.get_mut(index)) else {
            base.push((key, node));
            continue;
        };
        *slot = match (std::mem::replace(slot, Node::Null), node) {
            (Node::Map(inner), Node::Map(above)) => Node::Map(merged(inner, above)),
            (_, node) => node,
        };
    }
    base
}
