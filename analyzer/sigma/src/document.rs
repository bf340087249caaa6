//! Sigma documents as they are written: YAML in, a typed tree out, or a refusal. Names are resolved
//! within one document only; what documents say about each other is the compiler's.
//!
//! The reader is our own, on the YAML crate the workspace already has. The MIT-licensed
//! `rsigma-parser` was looked at and not taken: it accepts syntax beyond the specification (array
//! quantifiers, `N of`), keeps no line numbers, and brings a PEG generator, a C build script and a
//! second YAML reader for a grammar of four operators.

mod condition;
mod correlation;
mod detection;
mod filter;
mod metadata;
mod modifiers;
mod pattern;

use std::sync::Arc;

use crate::refusal::{Cause, Fault, Origin, Refusal};
use crate::rule::{RuleInfo, RuleLogSource};
use crate::yaml::{self, Map, Node, Source};

pub use condition::{Condition, Quantifier, Subject};
pub use correlation::{Alias, CorrelationDocument, CorrelationKind};
pub use detection::{Detection, FieldTest, Selection, ValueTest};
pub use filter::{FilterDocument, FilterTarget};
pub use modifiers::Comparison;
pub use pattern::{Part, Pattern};

/// A rule pack in one file; the whole of the public rules has 12 MB.
const MAX_FILE_BYTES: usize = 32 << 20;

/// One Sigma document.
#[derive(Clone, Debug)]
pub enum Document {
    /// A rule over single events.
    Rule(Box<RuleDocument>),
    /// A correlation of rules.
    Correlation(Box<CorrelationDocument>),
    /// A filter that takes matches of rules away.
    Filter(Box<FilterDocument>),
}

/// A rule over single events.
#[derive(Clone, Debug)]
pub struct RuleDocument {
    /// Where it was read.
    pub origin: Origin,
    /// What it says about itself.
    pub info: RuleInfo,
    /// What it is written for.
    pub log_source: RuleLogSource,
    /// What it looks for.
    pub detection: Detection,
}

impl Document {
    /// Where it was read.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Rule(rule) => &rule.origin,
            Self::Correlation(correlation) => &correlation.origin,
            Self::Filter(filter) => &filter.origin,
        }
    }

    /// What it says about itself.
    #[must_use]
    pub fn info(&self) -> &RuleInfo {
        match self {
            Self::Rule(rule) => &rule.info,
            Self::Correlation(correlation) => &correlation.info,
            Self::Filter(filter) => &filter.info,
        }
    }
}

/// Reads every document of a text; `file` is only used to say where something was found. Documents
/// with `action: global`, `repeat` or `reset` shape those that follow and give none of their own.
#[must_use]
pub fn parse(file: &str, yaml: &str) -> Vec<Result<Document, Refusal>> {
    let file: Arc<str> = file.into();
    if yaml.len() > MAX_FILE_BYTES {
        let cause = Cause::TooLarge { what: "bytes in a file", limit: MAX_FILE_BYTES };
        return vec![Err(Fault::from(cause).refuse(Origin { file, document: 1, line: 1 }, None))];
    }
    let mut collection = Collection::default();
    let mut documents = Vec::new();
    for (source, number) in yaml::sources(yaml).into_iter().zip(1..) {
        let origin = Origin { file: Arc::clone(&file), document: number, line: source.line };
        documents.extend(collection.read(&source, origin).transpose());
    }
    documents
}

/// What the documents of a file pass on to those after them.
#[derive(Default)]
struct Collection {
    global: Map,
    /// What `repeat` repeats; nothing after a document that could not be read.
    previous: Option<Map>,
    /// A shaping document was refused: what follows would not be what its author meant.
    broken: bool,
}

impl Collection {
    fn read(&mut self, source: &Source<'_>, origin: Origin) -> Result<Option<Document>, Refusal> {
        let refuse = |fault: Fault, title: Option<&str>| {
            let line = yaml::line_of(source.text, source.line, &fault.path());
            fault.refuse(Origin { line, ..origin.clone() }, title)
        };
        let node = yaml::read(source.text).map_err(|fault| {
            self.previous = None;
            self.broken |= source.text.lines().any(|line| line.starts_with("action"));
            refuse(fault, None)
        })?;
        let Some(map) = self.shape(node).map_err(|fault| refuse(fault, None))? else { return Ok(None) };
        document(&map, &origin).map(Some).map_err(|fault| refuse(fault, title(&map)))
    }

    /// The document with what earlier ones add to it; nothing where it only shapes later ones.
    fn shape(&mut self, node: Node) -> Result<Option<Map>, Fault> {
        let Node::Map(mut map) = node else {
            return Err(Cause::invalid("a map", node.describe()).into());
        };
        let action = map.iter().position(|(key, _)| key == "action").map(|index| map.remove(index).1);
        let Some(action) = action else {
            self.check()?;
            let merged = merged(self.global.clone(), map);
            self.previous = Some(merged.clone());
            return Ok(Some(merged));
        };
        match action {
            Node::Text(word) if word == "global" => self.global = map,
            Node::Text(word) if word == "reset" => *self = Self::default(),
            Node::Text(word) if word == "repeat" => {
                self.check()?;
                let previous = self.previous.take().ok_or_else(|| {
                    let cause = Cause::invalid("a document before it to repeat", "none that could be read");
                    Fault::from(cause).within("action")
                })?;
                let merged = merged(previous, map);
                self.previous = Some(merged.clone());
                return Ok(Some(merged));
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

    fn check(&self) -> Result<(), Fault> {
        if self.broken {
            let cause = "a document after an `action` that was refused";
            return Err(Cause::Unsupported(cause.into()).into());
        }
        Ok(())
    }
}

/// `over` laid over `base`: maps are merged key by key, everything else is replaced.
fn merged(mut base: Map, over: Map) -> Map {
    for (key, node) in over {
        let Some(index) = base.iter().position(|(own, _)| *own == key) else {
            base.push((key, node));
            continue;
        };
        let slot = &mut base[index].1;
        *slot = match (std::mem::replace(slot, Node::Null), node) {
            (Node::Map(inner), Node::Map(above)) => Node::Map(merged(inner, above)),
            (_, node) => node,
        };
    }
    base
}

fn title(map: &Map) -> Option<&str> {
    ["id", "title"].into_iter().find_map(|key| yaml::get(map, key)?.as_text().ok())
}

fn document(map: &Map, origin: &Origin) -> Result<Document, Fault> {
    let kinds = ["detection", "correlation", "filter"];
    let stated: Vec<_> = kinds.into_iter().filter(|kind| yaml::get(map, kind).is_some()).collect();
    match stated[..] {
        ["detection"] => rule(map, origin).map(|rule| Document::Rule(Box::new(rule))),
        ["correlation"] => correlation::parse(map, origin).map(|read| Document::Correlation(Box::new(read))),
        ["filter"] => filter::parse(map, origin).map(|read| Document::Filter(Box::new(read))),
        [] => Err(Fault::from(Cause::Missing).within("detection")),
        _ => {
            let cause =
                Cause::invalid("one of `detection`, `correlation` and `filter`", stated.join(" and "));
            Err(cause.into())
        }
    }
}

fn rule(map: &Map, origin: &Origin) -> Result<RuleDocument, Fault> {
    Ok(RuleDocument {
        origin: origin.clone(),
        info: metadata::info(map, &["logsource", "detection"])?,
        log_source: metadata::log_source(map)?,
        detection: detection::parse(required(map, "detection")?)
            .map_err(|fault| fault.within("detection"))?,
    })
}

/// The value of a key that must be there.
fn required<'n>(map: &'n Map, key: &str) -> Result<&'n Node, Fault> {
    yaml::get(map, key).ok_or_else(|| Fault::from(Cause::Missing).within(key))
}
