//! Checks of MCP servers beside those of all repositories: tools against their handlers, orders about tools of other servers.

use std::collections::BTreeSet;

use super::reading::{Reading, Role};
use super::{foreign, handlers};
use crate::artifact::{Severity, ThreatType};
use crate::check::{Check, Threat};
use crate::engine::Engine;
use crate::weights::mcp as weights;

/// The checks, each once.
pub(super) fn checks(engine: &Engine, reading: &Reading) -> Vec<Check> {
    let declared =
        if reading.tools.is_empty() && !reading.texts.iter().any(|text| text.role == Role::Declared) {
            weights::TOOLS.not_possible("no declaration of a tool was found in the code")
        } else if reading.tools.iter().filter(|tool| tool.description.trim().is_empty()).count() * 2
            > reading.tools.len()
        {
            weights::TOOLS.failed("most tools have no description")
        } else {
            weights::TOOLS.passed()
        };
    vec![declared, shadowing(engine, reading), hidden(reading)]
}

fn shadowing(engine: &Engine, reading: &Reading) -> Check {
    let own: BTreeSet<String> = reading.tools.iter().map(|tool| tool.name.to_ascii_lowercase()).collect();
    let mut threats = Vec::new();
    for text in reading.texts.iter().filter(|text| text.role == Role::Declared) {
        let Some(order) = foreign::order(&text.text, &own) else { continue };
        // Without the names of all own tools it may be one of them.
        let is_known = order.is_clear && !own.is_empty() && !own.contains("");
        let severity = if is_known { Severity::High } else { Severity::Medium };
        let detail = format!(
            "gives an order about the tool {}, which this server does not have, {} line {}",
            order.name, text.path, text.line
        );
        let excerpt = text.text.get(order.part).map(|part| engine.excerpt(part));
        threats.push(Threat { kind: ThreatType::ToolShadowing, severity, detail, excerpt });
    }
    outcome(&weights::SHADOWING, threats)
}

fn hidden(reading: &Reading) -> Check {
    let service = handlers::service(&reading.tools);
    let found = reading.tools.iter().flat_map(|tool| handlers::hidden(tool, service.as_deref(), reading));
    let threats =
        found.map(|one| Threat { kind: one.threat, severity: one.severity, detail: one.says, excerpt: None });
    outcome(&weights::HIDDEN_EFFECT, threats.collect())
}

/// The check with these threats, which passes without any.
pub(super) fn outcome(spec: &'static crate::check::Spec, threats: Vec<Threat>) -> Check {
    let worst = threats.iter().max_by_key(|threat| threat.severity).map(|threat| threat.detail.clone());
    match worst {
        Some(reason) => spec.failed_with(threats, reason),
        None => spec.passed(),
    }
}
