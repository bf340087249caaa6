//! Actions as observations: the finding of a rule and a class of targets.

use agent_rules::AgentRule;
use common::timestamp::Timestamp;
use engine::{Level, Limits, Observation};
use findings::{FindingKind, FindingSource, Run, Target};
use records::Actor;
use uuid::Uuid;

use crate::clients::Client;

/// Label of findings, and actor of their changes.
const LABEL: &str = "Agent monitoring";

/// The run that a commit's actions are.
pub(crate) fn run(client: &Client, id: Uuid, at: Timestamp) -> Run {
    Run {
        id,
        organization: client.organization,
        target: Target::Agent { id: client.agent },
        kind: FindingKind::AgentRuntime,
        source: FindingSource::AgentMonitoring,
        report: None,
        label: LABEL.to_owned(),
        actor: Actor::system(LABEL),
        at,
        announced: false,
    }
}

/// The finding of a rule and a class of targets, without evidence.
pub(crate) fn observation(rule: &AgentRule, target_class: &str) -> Observation {
    let (title, level) = (cut(&rule.title, Limits::TITLE), level(rule.level));
    Observation {
        check: format!("agent/{}", rule.id),
        check_version: rule.version.clone(),
        identity: vec![target_class.to_owned()],
        title,
        description: String::new(),
        severity: Some(level),
        risk: level,
        cwes: Vec::new(),
        cvss_vector: String::new(),
        advisory_url: None,
        locations: Vec::new(),
        further_locations: 0,
        trace: Vec::new(),
        evidence: Vec::new(),
        remedy: rule.reason.clone(),
        references: Vec::new(),
    }
}

fn cut(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

fn level(level: sigma::Level) -> Level {
    match level {
        sigma::Level::Informational => Level::Informational,
        sigma::Level::Low => Level::Low,
        sigma::Level::Medium => Level::Medium,
        sigma::Level::High => Level::High,
        sigma::Level::Critical => Level::Critical,
    }
}
