//! Metadata of every rule: identity, level, authorship, ATT&CK tags, log source. Its detection is in `document`, matching in
//! `matcher`.

use std::collections::BTreeMap;

use crate::event::LogSource;
use crate::taxonomy::Dimension;

/// Author, name and importance of a document. Common to rules, correlations and filters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleInfo {
    /// The `id`; a document without one is given one made of its content, so that it changes with it.
    pub id: String,
    /// Whether the document states its `id` itself.
    pub states_id: bool,
    /// The `name` correlations may refer to.
    pub name: Option<String>,
    /// The `title`, never blank.
    pub title: String,
    /// Severity of a match.
    pub level: Option<Level>,
    /// Maturity of the rule.
    pub status: Option<Status>,
    /// Description of its matches.
    pub description: Option<String>,
    /// Author of the document.
    pub author: Option<String>,
    /// Under which terms it may be used.
    pub license: Option<String>,
    /// When it was written, as written.
    pub date: Option<String>,
    /// When it was last changed, as written.
    pub modified: Option<String>,
    /// Addresses of its references.
    pub references: Vec<String>,
    /// Tags as written, for example `attack.t1110.001`.
    pub tags: Vec<String>,
    /// Other possible causes of a match.
    pub false_positives: Vec<String>,
    /// Fields worth showing with a match.
    pub fields: Vec<String>,
    /// Intended place of use of the rule.
    pub scope: Vec<String>,
    /// Rules it comes from or replaces.
    pub related: Vec<Related>,
    /// Every attribute that is not part of the language, for example `incident_family`.
    pub custom: BTreeMap<String, serde_json::Value>,
    /// SHA-256 over the document's content; layout, comments and the order of keys do not matter.
    pub content_hash: [u8; 32],
}

/// A rule that another one is related to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Id of the other rule.
    pub id: String,
    /// Kind of the relation, for example `derived` or `obsolete`.
    pub kind: String,
}

impl RuleInfo {
    /// The ATT&CK tactics among the tags, in their order, with hyphens (`initial-access`).
    #[must_use]
    pub fn tactics(&self) -> Vec<&str> {
        self.attack_tags().filter(|tag| !tag.contains(|c: char| c.is_ascii_digit() || c == '.')).collect()
    }

    /// The ATT&CK techniques among the tags, in their order, as MITRE writes them (`T1110.001`).
    #[must_use]
    pub fn techniques(&self) -> Vec<String> {
        self.attack_tags().filter(|tag| is_technique(tag)).map(str::to_ascii_uppercase).collect()
    }

    fn attack_tags(&self) -> impl Iterator<Item = &str> {
        self.tags.iter().filter_map(|tag| {
            let (namespace, name) = tag.split_once('.')?;
            (namespace.eq_ignore_ascii_case("attack") && !name.is_empty()).then_some(name)
        })
    }
}

/// `t1110` or `t1110.001`.
fn is_technique(tag: &str) -> bool {
    let Some(number) = tag.strip_prefix(['t', 'T']) else { return false };
    let (technique, sub) = number.split_once('.').unwrap_or((number, "000"));
    let digits = |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(technique, 4) && digits(sub, 3)
}

/// Severity of a match, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// For context only.
    Informational,
    /// Notable, rarely an incident on its own.
    Low,
    /// Relevant, to be reviewed.
    Medium,
    /// To be reviewed promptly.
    High,
    /// To be reviewed at once.
    Critical,
}

impl Level {
    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Informational => "informational",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Informational, Self::Low, Self::Medium, Self::High, Self::Critical]
            .into_iter()
            .find(|level| level.as_str() == text)
    }
}

/// Maturity of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Used in production.
    Stable,
    /// Mostly proven.
    Test,
    /// May be noisy.
    Experimental,
    /// Replaced by another.
    Deprecated,
    /// Needs a feature that no engine offers.
    Unsupported,
}

impl Status {
    /// The word of the language.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Test => "test",
            Self::Experimental => "experimental",
            Self::Deprecated => "deprecated",
            Self::Unsupported => "unsupported",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        [Self::Stable, Self::Test, Self::Experimental, Self::Deprecated, Self::Unsupported]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// Log source that a rule is written for. At least one of the three dimensions is stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleLogSource {
    /// For example `linux`, `windows`.
    pub product: Option<String>,
    /// For example `webserver`, `process_creation`.
    pub category: Option<String>,
    /// For example `sshd`, `security`.
    pub service: Option<String>,
    /// Configuration that is necessary for the records to exist, in words.
    pub definition: Option<String>,
    /// Attributes beyond the language.
    pub custom: BTreeMap<String, serde_json::Value>,
}

impl RuleLogSource {
    fn dimensions(&self) -> [Option<&str>; 3] {
        [self.product.as_deref(), self.category.as_deref(), self.service.as_deref()]
    }

    /// Whether records of `source` are for this rule: no dimension that both state differs, where an umbrella category or
    /// service includes its members. A dimension that a record does not state does not exclude it, except that rules of the
    /// product `ai_agent` are only for events that state it.
    #[must_use]
    pub fn accepts(&self, source: &LogSource<'_>) -> bool {
        let stated = [source.product.as_deref(), source.category.as_deref(), source.service.as_deref()];
        let differs =
            |(dimension, (own, other)): (Dimension, (Option<&str>, Option<&str>))| match (own, other) {
                (Some(own), Some(other)) => !dimension.covers(own, other),
                (Some(own), None) => !dimension.accepts_unstated(own),
                (None, _) => false,
            };
        !Dimension::ALL.into_iter().zip(self.dimensions().into_iter().zip(stated)).any(differs)
    }

    /// Whether `rule` states every dimension stated here, with the same value or a member of it. A filter is only for
    /// such rules: taking matches away needs agreement, not just the absence of disagreement.
    #[must_use]
    pub fn covers(&self, rule: &Self) -> bool {
        let same = |(dimension, (own, other)): (Dimension, (Option<&str>, Option<&str>))| {
            own.is_none_or(|own| other.is_some_and(|other| dimension.covers(own, other)))
        };
        let stated = self.dimensions().into_iter().zip(rule.dimensions());
        Dimension::ALL.into_iter().zip(stated).all(same)
    }
}
