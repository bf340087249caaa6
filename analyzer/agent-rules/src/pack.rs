//! The built-in rules: YAML in `pack/`, one file for each area.

use sigma::{Document, Refusal};
use thiserror::Error;

use crate::rule::{AgentRule, AttributeFault};

/// The files of the pack, by name.
const FILES: [(&str, &str); 5] = [
    ("pack/data.yml", include_str!("../pack/data.yml")),
    ("pack/destruction.yml", include_str!("../pack/destruction.yml")),
    ("pack/execution.yml", include_str!("../pack/execution.yml")),
    ("pack/protection.yml", include_str!("../pack/protection.yml")),
    ("pack/supply.yml", include_str!("../pack/supply.yml")),
];

/// A document of the pack cannot be used: the build is broken.
#[derive(Debug, Error)]
pub enum PackError {
    /// It is not read.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// An attribute is at fault.
    #[error("a built-in rule for agents cannot be used: {0}")]
    Attribute(#[from] AttributeFault),
    /// It is not a rule for agents.
    #[error("{0}: expected a rule for agents")]
    Other(String),
}

/// Documents of the pack.
pub(crate) fn documents() -> Vec<Result<Document, Refusal>> {
    FILES.iter().flat_map(|(name, yaml)| sigma::parse(name, yaml)).collect()
}

/// The built-in rules, by id.
///
/// # Errors
/// [`PackError`] for any document that cannot be used: half a pack would miss actions without a word.
pub fn built_in() -> Result<Vec<AgentRule>, PackError> {
    let mut rules = Vec::new();
    for document in documents() {
        let document = document?;
        let rule = match &document {
            Document::Rule(rule) => AgentRule::read(rule)?,
            Document::Correlation(_) | Document::Filter(_) => None,
        };
        rules.push(rule.ok_or_else(|| PackError::Other(document.info().id.clone()))?);
    }
    rules.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(rules)
}
