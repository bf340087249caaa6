//! Attributes of rules for agents.

use sigma::{Document, Level};

use crate::{AgentRule, AttributeFault, Response};

const RULE: &str = "title: Deployment by an agent
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001
logsource:
  product: ai_agent
  category: process_creation
detection:
  selection:
    CommandLine|contains: deploy.sh
  condition: selection
";

fn read(yaml: &str) -> Result<Option<AgentRule>, AttributeFault> {
    match sigma::parse("test", yaml).pop() {
        Some(Ok(Document::Rule(rule))) => AgentRule::read(&rule),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_rule_alerts_at_medium_level_unless_it_states_otherwise() {
    let rule = read(RULE).unwrap().unwrap();
    assert_eq!((rule.response, rule.level), (Response::Alert, Level::Medium));
    assert_eq!(rule.reason, rule.title);
    let stated = read(&format!("{RULE}level: high\nresponse: block\nreason: Open a merge request.\n"));
    let stated = stated.unwrap().unwrap();
    assert_eq!((stated.response, stated.level), (Response::Block, Level::High));
    assert_eq!(stated.reason, "Open a merge request.");
}

#[test]
fn a_version_changes_with_the_content_and_not_with_the_layout() {
    let version = |yaml: &str| read(yaml).unwrap().unwrap().version;
    assert_eq!(version(RULE).len(), 16);
    assert_eq!(version(RULE), version(&RULE.replace("  selection:", "  selection: # comment")));
    assert_ne!(version(RULE), version(&RULE.replace("deploy.sh", "release.sh")));
}

#[test]
fn faults_name_the_attribute() {
    let long = "x".repeat(501);
    for (yaml, key) in [
        (format!("{RULE}response: deny\nreason: a\n"), "response"),
        (format!("{RULE}response: [block]\n"), "response"),
        (format!("{RULE}response: block\n"), "reason"),
        (format!("{RULE}reason: {long}\n"), "reason"),
        (format!("{RULE}reason: ' '\n"), "reason"),
        (RULE.replace("process_creation", "dns"), "logsource"),
        (RULE.replace("  category: process_creation\n", ""), "logsource"),
        (RULE.replace("  category:", "  service: sshd\n  category:"), "logsource"),
        (format!("action: global\nlevel: high\n---\n{RULE}"), "action"),
    ] {
        assert_eq!(read(&yaml).unwrap_err().key, key, "{yaml}");
    }
}

#[test]
fn rules_for_logs_are_none_of_this() {
    assert_eq!(read(&RULE.replace("ai_agent", "linux")), Ok(None));
    assert_eq!(read(&RULE.replace("  product: ai_agent\n", "")), Ok(None));
}
