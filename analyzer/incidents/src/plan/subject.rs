//! Attributes of a rule or correlation that incidents use.

use common::incident::MatchedRule;
use common::severity::Severity;
use sigma::{Level, RuleInfo, Status};

use super::defaults::Defaults;
use super::strings;
use crate::identity::hex;
use crate::note::bounded;

/// Tactics, and techniques, of a rule that are kept: each incident repeats them.
const MOST_TAGS: usize = 16;
/// Most bytes of each.
const TAG_BYTES: usize = 64;
/// Next steps of a rule that are kept, for the same reason.
const MOST_NEXT_STEPS: usize = 8;
/// Most bytes of each.
const NEXT_STEP_BYTES: usize = 400;
/// Most bytes of a family's name: it is part of ledger keys.
const FAMILY_BYTES: usize = 200;

/// Attributes of a rule or correlation.
#[derive(Debug)]
pub struct Subject {
    /// As it is shown.
    pub matched: MatchedRule,
    /// Hash of the rule's content: state of another content does not fit.
    pub content_hash: String,
    /// Its level, absent where it states none.
    pub level: Option<Severity>,
    /// Points it adds to an entity's risk.
    pub risk: u32,
    /// Family of incidents that its findings join.
    pub family: String,
    /// Family of incidents that the risk it is part of joins.
    pub risk_family: String,
    /// ATT&CK tactics, the first one being the main one.
    pub tactics: Vec<String>,
    /// ATT&CK techniques.
    pub techniques: Vec<String>,
    /// Whether it makes the incident that it joins one step more severe (success after failures).
    pub raises_severity: bool,
    /// Next steps.
    pub next_steps: Vec<String>,
}

impl Subject {
    /// Of a rule on one record: its family is the one that it states, else that of its log, else its first technique,
    /// else its id.
    pub(super) fn of_rule(info: &RuleInfo, defaults: Defaults) -> Self {
        let by_log = || defaults.family.map(str::to_owned);
        let family = stated_family(info).or_else(by_log).or_else(|| info.techniques().into_iter().next());
        let family = family.unwrap_or_else(|| bounded(&info.id, FAMILY_BYTES));
        Self::of(info, false, family, defaults.risk_family.to_owned())
    }

    /// Of a correlation: its family is the one that it states, else its id.
    pub(super) fn of_correlation(info: &RuleInfo, risk_family: String) -> Self {
        let family = stated_family(info).unwrap_or_else(|| bounded(&info.id, FAMILY_BYTES));
        Self::of(info, true, family, risk_family)
    }

    fn of(info: &RuleInfo, correlation: bool, family: String, risk_family: String) -> Self {
        let severity = info.level.map(severity_of);
        let experimental = info.status == Some(Status::Experimental);
        Self {
            matched: MatchedRule {
                id: info.id.clone(),
                title: info.title.clone(),
                severity: severity.unwrap_or(Severity::Unknown),
                correlation,
            },
            content_hash: hex(&info.content_hash),
            level: severity,
            risk: risk(info.level, experimental),
            family,
            risk_family,
            tactics: kept(info.tactics().into_iter()),
            techniques: kept(info.techniques().iter().map(String::as_str)),
            raises_severity: info
                .custom
                .get("raises_severity")
                .and_then(serde_json::Value::as_bool)
                .unwrap_or(false),
            next_steps: strings(info, "next_steps")
                .unwrap_or_default()
                .iter()
                .take(MOST_NEXT_STEPS)
                .map(|step| bounded(step, NEXT_STEP_BYTES))
                .collect(),
        }
    }
}

fn kept<'t>(tags: impl Iterator<Item = &'t str>) -> Vec<String> {
    tags.take(MOST_TAGS).map(|tag| bounded(tag, TAG_BYTES)).collect()
}

/// Points for an entity's risk (incident model, Qualification 4): an experimental rule counts half.
/// High and critical rules qualify by themselves; their points matter when they could not.
fn risk(level: Option<Level>, experimental: bool) -> u32 {
    let points = match level {
        Some(Level::Informational) => 0,
        None | Some(Level::Low) => 21,
        Some(Level::Medium) => 47,
        Some(Level::High | Level::Critical) => 100,
    };
    if experimental { points / 2 } else { points }
}

/// Incidents have no `informational`: where such a rule contributes to one, it counts as low.
fn severity_of(level: Level) -> Severity {
    match level {
        Level::Informational | Level::Low => Severity::Low,
        Level::Medium => Severity::Medium,
        Level::High => Severity::High,
        Level::Critical => Severity::Critical,
    }
}

/// The family that a document states.
fn stated_family(info: &RuleInfo) -> Option<String> {
    let family = info.custom.get("incident_family").and_then(serde_json::Value::as_str)?;
    Some(bounded(family, FAMILY_BYTES))
}
