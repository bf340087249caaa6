//! Rules of an organization for the actions of AI agents.

use common::timestamp::Timestamp;
use directory::DocumentCheck;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;

use super::{asked, documents, faults, nothing, own, rule};
use crate::documents::rules_for_agents;

const FILTER: &str = "title: Deployments are wanted
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a003
logsource:
  product: ai_agent
filter:
  rules: any
  selection:
    CommandLine|contains: staging
  condition: selection
";
const CORRELATION: &str = "title: Often
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a002
correlation: {type: event_count, rules: [own_deployment], group-by: [Image], timespan: 5m, condition: {gte: 3}}
level: high
";
const AGENT_RULE: &str = "title: Deployment by an agent
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001
name: own_deployment
logsource:
  product: ai_agent
  category: process_creation
detection:
  selection:
    CommandLine|contains: deploy.sh
  condition: selection
level: high
response: block
reason: Open a merge request.
";

/// A batch of one record.
fn payload(text: &str) -> Vec<u8> {
    let body = Some(AnyValue { value: Some(Value::StringValue(text.to_owned())) });
    let log_records = vec![LogRecord { body, ..LogRecord::default() }];
    let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

#[test]
fn a_rule_for_agents_is_checked_like_a_client_would_use_it() {
    let documents = documents();
    let described = documents.rule(asked(&nothing()), None, AGENT_RULE, true).unwrap();
    assert_eq!(described.title, "Deployment by an agent");
    for (yaml, line, cause) in [
        (
            AGENT_RULE.replace("response: block", "response: deny"),
            12,
            "response: expected `alert` or `block`, found \"deny\"",
        ),
        (AGENT_RULE.replace("reason: Open a merge request.\n", ""), 1, "reason: expected a reason"),
        (AGENT_RULE.replace("process_creation", "dns"), 4, "logsource: expected one of the categories"),
        (format!("{AGENT_RULE}---\n{CORRELATION}"), 4, "logsource: a rule for agents is one document"),
        (
            AGENT_RULE
                .replace("3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001", "7c1d52e4-93ab-4f60-8d2e-5b0a6f3c0001"),
            2,
            "already used by a built-in rule for agents",
        ),
    ] {
        let faults = faults(documents.rule(asked(&nothing()), None, &yaml, true));
        assert_eq!((faults.len(), faults[0].line), (1, Some(line)), "{faults:?}");
        assert!(faults[0].cause.contains(cause), "{faults:?}");
    }
}

#[test]
fn rules_for_agents_have_a_bound_together_and_match_no_record() {
    let documents = documents();
    let padded = |number: u8| {
        let id = format!("3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7b{number:03}");
        let yaml = AGENT_RULE.replace("3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001", &id);
        let yaml = yaml.replace("own_deployment", &format!("own_{number}"));
        rule(number, &format!("{yaml}description: {}\n", "x".repeat(60_000)), true)
    };
    let six = own((1..=6).map(padded).collect(), Vec::new());
    let refused = documents.rule(asked(&six), None, &padded(7).yaml, true);
    assert!(faults(refused)[0].cause.contains("may have 393216 bytes together"));
    let of_logs = padded(7).yaml.replace("product: ai_agent", "product: linux");
    documents.rule(asked(&six), None, &of_logs, true).unwrap();
    let payloads = [payload(r#"{"CommandLine": "sh deploy.sh", "process.command_line": "sh deploy.sh"}"#)];
    let matches =
        |yaml: &str| documents.trial(asked(&nothing()), yaml, &payloads, Timestamp(0)).unwrap()[0].len();
    assert_eq!(matches(AGENT_RULE), 0);
    assert_eq!(
        matches(&AGENT_RULE.replace("product: ai_agent", "service: x")),
        1,
        "the record has the fields"
    );
}

#[test]
fn suppressions_and_correlations_of_rules_for_agents_are_refused_since_they_have_no_effect() {
    let documents = documents();
    let with_rule = own(vec![rule(1, AGENT_RULE, true)], Vec::new());
    let of_rule = |name: &str| {
        let named = FILTER.replace("rules: any", &format!("rules: [{name}]"));
        named.replace("product: ai_agent", "category: process_creation")
    };
    for (yaml, cause) in [
        (FILTER.to_owned(), "logsource: actions of agents are neither suppressed"),
        (of_rule("OWN_deployment"), "rules: `OWN_deployment` is a rule for agents"),
        (of_rule("3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001"), "a001` is a rule for agents"),
        (of_rule("7c1d52e4-93ab-4f60-8d2e-5b0a6f3c0001"), "0001` is a rule for agents"),
    ] {
        let found = faults(documents.suppression(asked(&with_rule), &yaml, false));
        assert!(found.len() == 1 && found[0].cause.contains(cause), "{found:?}");
    }
    let own_product = AGENT_RULE.replace("product: ai_agent\n  category: process_creation", "product: own");
    let own_product = own_product.replace("a001", "a009").replace("own_", "log_");
    let other = own(vec![rule(1, &own_product, true), rule(2, AGENT_RULE, true)], Vec::new());
    let filter = FILTER.replace("product: ai_agent", "product: own");
    documents.suppression(asked(&other), &filter, false).unwrap();
    let refused = faults(documents.suppression(asked(&with_rule), &filter, false));
    assert!(refused[0].cause.contains("no rule in force is for this log source"), "{refused:?}");
    let refused = faults(documents.rule(asked(&with_rule), None, CORRELATION, true));
    assert_eq!((refused.len(), refused[0].line), (1, Some(1)), "{refused:?}");
    assert!(refused[0].cause.contains("`own_deployment` is a rule for agents"), "{refused:?}");
}

#[test]
fn rules_of_the_operator_for_agents_are_found_among_others_and_checked() {
    let of = |yaml: &str| {
        let documents: Vec<_> = sigma::parse("rules.yml", yaml).into_iter().map(Result::unwrap).collect();
        let (rules, refusals) = rules_for_agents(&documents);
        let ids: Vec<String> = rules.iter().map(|rule| rule.id.clone()).collect();
        (ids, refusals.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let of_logs = AGENT_RULE.replace("ai_agent", "linux").replace("a001", "a004").replace("own_", "log_");
    let id = "3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a001".to_owned();
    assert_eq!(of(&format!("{AGENT_RULE}---\n{of_logs}")), (vec![id.clone()], vec![]));
    let (rules, refusals) = of(&AGENT_RULE.replace("reason: Open a merge request.\n", ""));
    assert!(rules.is_empty() && refusals[0].contains("reason: expected a reason"), "{refusals:?}");
    let (rules, refusals) = of(&format!("{AGENT_RULE}---\n{CORRELATION}---\n{FILTER}"));
    assert_eq!((rules, refusals.len()), (vec![id], 2), "{refusals:?}");
    let long = format!("{AGENT_RULE}description: {}\n", "x".repeat(40_000));
    let second = long.replace("a001", "a005").replace("own_", "second_");
    let (rules, refusals) = of(&format!("{long}---\n{second}"));
    assert!(rules.len() == 1 && refusals[0].contains("more than 65536"), "{refusals:?}");
}
