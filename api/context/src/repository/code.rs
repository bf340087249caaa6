//! Code → chains, effects of tools, texts.

use code_signals::{
    Capability, CapabilityKind, CodeText, Declarations, DeclaredKind, Reached, Report, Site, TextKind,
    Unread, UnreadReason,
};

use super::read::is_aside;
use super::reading::{Chain, Effect, Reading, Role, Text, Tool, Use};
use crate::score::Skipped;

/// Facts of a kind that are kept: more change no result.
const MOST_CHAINS: usize = 60;
const MOST_USES: usize = 2_000;
const MOST_TOOLS: usize = 400;

fn used(capability: &Capability) -> Option<Use> {
    let kind = match capability.kind {
        CapabilityKind::Fetch => Effect::Fetch,
        CapabilityKind::Send => Effect::Send,
        CapabilityKind::Process | CapabilityKind::Shell | CapabilityKind::DynamicExecution => {
            Effect::Execution
        }
        CapabilityKind::CredentialRead => Effect::CredentialRead,
        CapabilityKind::EnvironmentRead => Effect::EnvironmentRead,
        CapabilityKind::Capture => Effect::Capture,
        CapabilityKind::FileWrite => Effect::FileWrite,
        CapabilityKind::Persistence => Effect::Persistence,
        CapabilityKind::AgentConfiguration => Effect::AgentConfiguration,
        CapabilityKind::DropEndpoint => Effect::DropEndpoint,
        CapabilityKind::Destruction => Effect::Destruction,
        _ => return None,
    };
    let (path, line) = (capability.site.path.clone(), capability.site.line);
    Some(Use { kind, path, line, detail: capability.detail.clone() })
}

/// Adds the texts of code, its chains, and the tools with their effects.
pub(super) fn add_code(
    reading: &mut Reading,
    report: &Report,
    declarations: &Declarations,
    folders: &[String],
) {
    let is_aside = |path: &str| is_aside(path, folders);
    let outside_of_tests = report.capabilities.iter().filter(|one| !is_aside(&one.site.path));
    reading.uses = outside_of_tests.filter_map(used).collect();
    if reading.uses.len() > MOST_USES || report.capabilities.len() >= code_signals::MOST_CAPABILITIES {
        reading.uses.truncate(MOST_USES);
        let (what, reason) = ("effects of the code".to_owned(), "are more than the bound".to_owned());
        reading.skipped.push(Skipped { what, reason });
    }
    let reached = add_declarations(reading, declarations, &is_aside);
    for text in &declarations.texts {
        let role = match text.kind {
            _ if is_aside(&text.site.path) => Role::Aside,
            TextKind::Literal => Role::Literal,
            TextKind::Docstring | TextKind::Comment => Role::Comment,
        };
        reading.texts.push(text_of(text, role, ""));
    }
    for chain in report.chains.iter().take(MOST_CHAINS) {
        let tools = reached.iter().filter(|(_, parts)| parts.contains(&chain.sink));
        reading.chains.push(Chain {
            rule: chain.rule.to_owned(),
            severity: chain.severity.into(),
            threat: chain.threat.into(),
            path: chain.sink.path.clone(),
            line: chain.sink.line,
            says: chain.explanation.clone(),
            tools: tools.map(|(name, _)| name.clone()).collect(),
        });
    }
    let is_relevant = |unread: &&Unread| !is_aside(&unread.path) && unread.reason != UnreadReason::NotText;
    reading.skipped.extend(report.unread.iter().filter(is_relevant).map(|unread| Skipped {
        what: if unread.path.is_empty() { "the code".to_owned() } else { unread.path.clone() },
        reason: "its code was not read in full".to_owned(),
    }));
    if declarations.is_cut {
        let (what, reason) = ("texts in the code".to_owned(), "are more than the bound".to_owned());
        reading.skipped.push(Skipped { what, reason });
    }
}

/// Adds declarations; the tools with the parts of files that their handlers reach.
fn add_declarations(
    reading: &mut Reading,
    declarations: &Declarations,
    is_aside: &impl Fn(&str) -> bool,
) -> Vec<(String, Reached)> {
    let (mut reached, mut left_out) = (Vec::new(), 0_usize);
    for declared in declarations.declared.iter().filter(|declared| !is_aside(&declared.site.path)) {
        reading.texts.extend(declared.texts.iter().map(|text| text_of(text, Role::Declared, &declared.name)));
        if declared.kind != DeclaredKind::Tool {
            continue;
        }
        if reading.tools.len() >= MOST_TOOLS {
            left_out += 1;
            continue;
        }
        let parts = declarations.reached(declared);
        let texts: Vec<&str> = declared.texts.iter().map(|text| text.text.as_str()).collect();
        let is_reached = |one: &&Use| parts.contains(&Site { path: one.path.clone(), line: one.line });
        let uses = reading.uses.iter().filter(is_reached).cloned().collect();
        let (path, line) = (declared.site.path.clone(), declared.site.line);
        let (name, description) = (declared.name.clone(), texts.join("\n"));
        reading.tools.push(Tool { name, description, path, line, uses });
        reached.push((declared.name.clone(), parts));
    }
    if left_out > 0 {
        let reason = format!("more than {MOST_TOOLS} tools are declared");
        reading.skipped.push(Skipped { what: format!("the handlers of {left_out} tools"), reason });
    }
    reached
}

fn text_of(text: &CodeText, role: Role, tool: &str) -> Text {
    let (path, line) = (text.site.path.clone(), text.site.line);
    Text { role, path, line, tool: tool.to_owned(), text: text.text.clone(), hidden: Vec::new() }
}
