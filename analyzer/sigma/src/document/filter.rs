//! Filter documents: exclusion of matches of other rules (Sigma global filters).

use super::detection::{self, Detection};
use super::{Author, metadata, required};
use crate::refusal::{Cause, Fault, Origin};
use crate::rule::{RuleInfo, RuleLogSource};
use crate::yaml::{Map, Node};

/// A filter: events that match it are no match of the rules it is for.
#[derive(Clone, Debug)]
pub struct FilterDocument {
    /// File and position of the document.
    pub origin: Origin,
    /// Author of the filter.
    pub author: Author,
    /// Metadata of the filter.
    pub info: RuleInfo,
    /// Only rules that state the same are filtered.
    pub log_source: RuleLogSource,
    /// The rules it is for.
    pub target: FilterTarget,
    /// Condition of the excluded events.
    pub detection: Detection,
    /// The document's text, for the line of a later refusal.
    pub(crate) text: std::sync::Arc<str>,
}

/// The rules a filter is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterTarget {
    /// Every rule of the log source.
    Any,
    /// Rules by id or name.
    Rules(Vec<String>),
}

/// Reads a filter document.
pub(super) fn parse(map: &Map, origin: &Origin, text: &str) -> Result<FilterDocument, Fault> {
    let info = metadata::info(map, &["logsource", "filter"])?;
    let log_source = metadata::log_source(map)?;
    let (target, detection) = body(required(map, "filter")?).map_err(|fault| fault.within("filter"))?;
    let (origin, author) = (origin.clone(), Author::default());
    Ok(FilterDocument { origin, author, info, log_source, target, detection, text: text.into() })
}

fn body(node: &Node) -> Result<(FilterTarget, Detection), Fault> {
    let map = node.as_map()?;
    let target = target(required(map, "rules")?).map_err(|fault| fault.within("rules"))?;
    Ok((target, detection::selections_and_condition(map, &["rules", "condition"])?))
}

fn target(node: &Node) -> Result<FilterTarget, Fault> {
    if node == &Node::Text("any".to_owned()) {
        return Ok(FilterTarget::Any);
    }
    let rules = node.as_texts()?;
    if rules.is_empty() {
        return Err(Cause::invalid("`any` or at least one rule", "none").into());
    }
    Ok(FilterTarget::Rules(rules))
}
