//! Sigma documents as they are written: YAML in, a typed tree out, or a refusal. Names are resolved within one document only;
//! the compiler resolves references between documents.
//!
//! The reader is our own, on the YAML crate the workspace already has. The MIT-licensed
//! `rsigma-parser` was looked at and not taken: it accepts syntax beyond the specification (array
//! quantifiers, `N of`), keeps no line numbers, and brings a PEG generator, a C build script and a
//! second YAML reader for a grammar of four operators.

mod collection;
mod condition;
mod correlation;
mod detection;
mod filter;
mod metadata;
mod modifiers;

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::refusal::{Cause, Fault, Origin, Refusal};
use crate::rule::{RuleInfo, RuleLogSource};
use crate::yaml::{self, Map, Node, Source};

use collection::Collection;

pub use condition::{Condition, Quantifier, Subject};
pub use correlation::{Alias, CorrelationCondition, CorrelationDocument, CorrelationType};
pub use detection::{Detection, FieldTest, Scalar, Selection};
pub use filter::{FilterDocument, FilterTarget};
pub use modifiers::{Comparison, Encoding, Flags, Modifiers, Placement, Relation, TimePart};

/// A rule pack in one file; all public rules together have 6 MB in 4,000 documents.
const MAX_FILE_BYTES: usize = 16 << 20;
const MAX_DOCUMENTS: usize = 20_000;

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

/// Author of a document, which decides the resources it may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// The operator of the service, or the built-in pack: trusted.
    #[default]
    Operator,
    /// An organization: its expressions are smaller, and each record allows its documents a number of steps.
    Organization,
}

/// A rule over single events.
#[derive(Clone, Debug)]
pub struct RuleDocument {
    /// File and position of the document.
    pub origin: Origin,
    /// Author of the rule.
    pub author: Author,
    /// Metadata of the rule.
    pub info: RuleInfo,
    /// Log source that it is written for.
    pub log_source: RuleLogSource,
    /// Condition on an event.
    pub detection: Detection,
    /// The document's text, for the line of a later refusal.
    pub(crate) text: Arc<str>,
}

impl RuleDocument {
    /// The document as it was written, without those beside it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Document {
    /// File and position of the document.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        match self {
            Self::Rule(rule) => &rule.origin,
            Self::Correlation(correlation) => &correlation.origin,
            Self::Filter(filter) => &filter.origin,
        }
    }

    /// Metadata of the document.
    #[must_use]
    pub fn info(&self) -> &RuleInfo {
        match self {
            Self::Rule(rule) => &rule.info,
            Self::Correlation(correlation) => &correlation.info,
            Self::Filter(filter) => &filter.info,
        }
    }

    /// The same document, written by `author`. The default author is the operator.
    #[must_use]
    pub fn written_by(mut self, author: Author) -> Self {
        match &mut self {
            Self::Rule(rule) => rule.author = author,
            Self::Filter(filter) => filter.author = author,
            // It has no values that are matched.
            Self::Correlation(_) => {}
        }
        self
    }

    /// The same document in a revision: each but 0 has a content hash of its own, so that it counts as another document despite
    /// the same text.
    #[must_use]
    pub fn in_revision(mut self, revision: u64) -> Self {
        if revision == 0 {
            return self;
        }
        let info = match &mut self {
            Self::Rule(rule) => &mut rule.info,
            Self::Correlation(correlation) => &mut correlation.info,
            Self::Filter(filter) => &mut filter.info,
        };
        let hash = Sha256::new().chain_update(info.content_hash).chain_update(revision.to_be_bytes());
        info.content_hash = hash.finalize().into();
        self
    }

    /// The refusal of the document for a fault in it, on the line of the field where that is found.
    pub(crate) fn refuse(&self, fault: Fault) -> Refusal {
        let (origin, text) = match self {
            Self::Rule(rule) => (&rule.origin, &rule.text),
            Self::Correlation(correlation) => (&correlation.origin, &correlation.text),
            Self::Filter(filter) => (&filter.origin, &filter.text),
        };
        let line = yaml::line_of(text, origin.line, &fault.path());
        fault.refuse(Origin { line, ..origin.clone() }, Some(&self.info().id))
    }
}

/// Reads every document of a text; `file` is only used to report positions. Documents with `action: global`, `repeat` or
/// `reset` shape those that follow and give none of their own.
#[must_use]
pub fn parse(file: &str, yaml: &str) -> Vec<Result<Document, Refusal>> {
    let file: Arc<str> = file.into();
    let refuse_all = |what, limit| {
        let origin = Origin { file: Arc::clone(&file), document: 1, line: 1 };
        vec![Err(Fault::from(Cause::TooLarge { what, limit }).refuse(origin, None))]
    };
    if yaml.len() > MAX_FILE_BYTES {
        return refuse_all("bytes in a file", MAX_FILE_BYTES);
    }
    let sources = yaml::sources(yaml);
    if sources.len() > MAX_DOCUMENTS {
        return refuse_all("documents in a file", MAX_DOCUMENTS);
    }
    let mut collection = Collection::default();
    let mut documents = Vec::new();
    for (source, number) in sources.into_iter().zip(1..) {
        let origin = Origin { file: Arc::clone(&file), document: number, line: source.line };
        documents.extend(read(&mut collection, &source, origin).transpose());
    }
    documents
}

/// Reads one document; nothing where it only shapes later ones.
fn read(
    collection: &mut Collection,
    source: &Source<'_>,
    origin: Origin,
) -> Result<Option<Document>, Refusal> {
    let refuse = |fault: Fault, title: Option<&str>| {
        let line = match fault.line() {
            // An unclosed element is reported on the line after the last.
            Some(line) => source.line + (line.max(1) - 1).min(source.last_line()),
            None => yaml::line_of(source.text, source.line, &fault.path()),
        };
        fault.refuse(Origin { line, ..origin.clone() }, title)
    };
    let node = yaml::read(source.text).map_err(|fault| {
        collection.unreadable(source.text);
        refuse(fault, None)
    })?;
    let Some(map) = collection.shape(node).map_err(|fault| refuse(fault, None))? else { return Ok(None) };
    document(&map, &origin, source.text).map(Some).map_err(|fault| refuse(fault, title(&map)))
}

fn title(map: &Map) -> Option<&str> {
    ["id", "title"].into_iter().find_map(|key| yaml::get(map, key)?.as_text().ok())
}

fn document(map: &Map, origin: &Origin, text: &str) -> Result<Document, Fault> {
    let kinds = ["detection", "correlation", "filter"];
    let stated: Vec<_> = kinds.into_iter().filter(|kind| yaml::get(map, kind).is_some()).collect();
    match stated[..] {
        ["detection"] => rule(map, origin, text).map(|rule| Document::Rule(Box::new(rule))),
        ["correlation"] => {
            correlation::parse(map, origin, text).map(|read| Document::Correlation(Box::new(read)))
        }
        ["filter"] => filter::parse(map, origin, text).map(|read| Document::Filter(Box::new(read))),
        [] => Err(Fault::from(Cause::Missing).within("detection")),
        _ => {
            let cause =
                Cause::invalid("one of `detection`, `correlation` and `filter`", stated.join(" and "));
            Err(cause.into())
        }
    }
}

fn rule(map: &Map, origin: &Origin, text: &str) -> Result<RuleDocument, Fault> {
    Ok(RuleDocument {
        origin: origin.clone(),
        author: Author::default(),
        info: metadata::info(map, &["logsource", "detection"])?,
        log_source: metadata::log_source(map)?,
        detection: detection::parse(required(map, "detection")?)
            .map_err(|fault| fault.within("detection"))?,
        text: text.into(),
    })
}

/// The value of a key that must be there.
fn required<'n>(map: &'n Map, key: &str) -> Result<&'n Node, Fault> {
    yaml::get(map, key).ok_or_else(|| Fault::from(Cause::Missing).within(key))
}
