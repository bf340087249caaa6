//! One rule for actions of agents.

use common::hexadecimal;
use common::words;
use sigma::document::RuleDocument;
use sigma::{Document, Level, RuleLogSource};
use thiserror::Error;

/// Product of the log source of rules for agents.
pub const PRODUCT: &str = "ai_agent";
/// Categories of the events of agents.
pub const CATEGORIES: [&str; 7] = [
    "process_creation",
    "file_access",
    "file_change",
    "network_connection",
    "mcp_call",
    "prompt",
    "tool_call",
];
/// Most characters of a reason: the agent shows it to its model with each blocked action.
pub const MAX_REASON: usize = 500;
/// Most characters of an id, which clients report with each matching action.
const MAX_ID: usize = 200;
/// Most YAML of an organization's own rules for agents together, in bytes: twice as much, which JSON may make of it, leaves room
/// for the built-in rules and those of the operator in a reply of 1 MiB.
pub const MAX_OWN_BYTES: usize = 384 * 1024;
/// Most YAML of the operator's rules for agents together, in bytes: twice the built-in ones.
pub const MAX_OPERATOR_BYTES: usize = 64 * 1024;
/// Bytes of the content hash that are a rule's version: enough to tell the revisions of one rule apart.
const VERSION_BYTES: usize = 8;

words!(
    /// Effect of a rule on a matching action.
    Response {
        /// The action runs and is reported.
        Alert = "alert",
        /// The action does not run, if the agent's mode is `enforce`.
        Block = "block",
    }
);

/// A rule for actions of agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentRule {
    /// The Sigma id.
    pub id: String,
    /// Changes with the content of the document, and not with its layout.
    pub version: String,
    /// Title.
    pub title: String,
    /// Severity of a match.
    pub level: Level,
    /// Effect on a matching action.
    pub response: Response,
    /// Text for the agent whose action was blocked: cause and safe alternative.
    pub reason: String,
    /// The document in YAML.
    pub yaml: String,
}

/// Fault of a rule for agents.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{key}: {cause}")]
pub struct AttributeFault {
    /// The attribute at fault.
    pub key: &'static str,
    /// The fault.
    pub cause: String,
}

/// Whether rules of a log source are for actions of agents.
#[must_use]
pub fn is_for_agents(log_source: &RuleLogSource) -> bool {
    log_source.product.as_deref().is_some_and(|product| product.eq_ignore_ascii_case(PRODUCT))
}

impl AgentRule {
    /// Reads a document; `None` where it is for logs.
    ///
    /// # Errors
    /// [`AttributeFault`] where a client could not use it.
    pub fn read(document: &RuleDocument) -> Result<Option<Self>, AttributeFault> {
        if !is_for_agents(&document.log_source) {
            return Ok(None);
        }
        check_log_source(&document.log_source)?;
        check_text(document)?;
        let info = &document.info;
        let length = info.id.chars().count();
        if length > MAX_ID {
            return Err(fault("id", format!("expected at most {MAX_ID} characters, found {length}")));
        }
        let response = response(document)?;
        let reason = match reason(document)? {
            Some(reason) => reason,
            None if response == Response::Block => {
                return Err(fault(
                    "reason",
                    "expected a reason with response `block`, which the agent receives",
                ));
            }
            None => info.title.clone(),
        };
        let hash = info.content_hash.get(..VERSION_BYTES).unwrap_or_default();
        Ok(Some(Self {
            id: info.id.clone(),
            version: hexadecimal::print(hash),
            title: info.title.clone(),
            level: info.level.unwrap_or(Level::Medium),
            response,
            reason,
            yaml: document.text().to_owned(),
        }))
    }
}

fn fault(key: &'static str, cause: impl Into<String>) -> AttributeFault {
    AttributeFault { key, cause: cause.into() }
}

fn check_log_source(log_source: &RuleLogSource) -> Result<(), AttributeFault> {
    let is_known = |category: &str| CATEGORIES.iter().any(|known| category.eq_ignore_ascii_case(known));
    let category = log_source.category.as_deref();
    if !category.is_some_and(is_known) {
        let (expected, found) = (CATEGORIES.join(", "), category.unwrap_or("none"));
        return Err(fault("logsource", format!("expected one of the categories {expected}, found {found}")));
    }
    match &log_source.service {
        Some(found) => Err(fault(
            "logsource",
            format!("expected no service, which events of agents lack, found {found}"),
        )),
        None => Ok(()),
    }
}

/// Clients get each document alone: it must be whole without the documents beside it.
fn check_text(document: &RuleDocument) -> Result<(), AttributeFault> {
    let alone = sigma::parse("rule", document.text());
    let is_whole = match alone.as_slice() {
        [Ok(Document::Rule(rule))] => rule.info.content_hash == document.info.content_hash,
        _ => false,
    };
    if is_whole { Ok(()) } else { Err(fault("action", "expected a document that is complete by itself")) }
}

fn response(document: &RuleDocument) -> Result<Response, AttributeFault> {
    match document.info.custom.get("response") {
        None => Ok(Response::Alert),
        Some(stated) => {
            let expected = || fault("response", format!("expected `alert` or `block`, found {stated}"));
            stated.as_str().and_then(Response::parse).ok_or_else(expected)
        }
    }
}

fn reason(document: &RuleDocument) -> Result<Option<String>, AttributeFault> {
    let Some(stated) = document.info.custom.get("reason") else { return Ok(None) };
    let expected = |found: String| {
        fault("reason", format!("expected a text of 1 to {MAX_REASON} characters, found {found}"))
    };
    let text = stated.as_str().ok_or_else(|| expected("another value".to_owned()))?.trim();
    match text.chars().count() {
        1..=MAX_REASON => Ok(Some(text.to_owned())),
        length => Err(expected(length.to_string())),
    }
}
