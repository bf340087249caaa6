//! Rules of an organization for the actions of AI agents.

use common::timestamp::Timestamp;
use directory::DocumentCheck;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;

use super::{asked, documents, faults, nothing, own, rule};

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
    let correlation = "title: Often
id: 3f0c2c1e-7f5e-4a8e-9f4d-0a4d5be7a002
correlation: {type: event_count, rules: [own_deployment], group-by: [Image], timespan: 5m, condition: {gte: 3}}
level: high
";
    for (yaml, line, cause) in [
        (
            AGENT_RULE.replace("response: block", "response: deny"),
            12,
            "response: expected `alert` or `block`",
        ),
        (AGENT_RULE.replace("reason: Open a merge request.\n", ""), 1, "reason: expected a reason"),
        (AGENT_RULE.replace("process_creation", "dns"), 4, "logsource: expected one of the categories"),
        (format!("{AGENT_RULE}---\n{correlation}"), 4, "logsource: a rule for agents is one document"),
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
    let seven = own((1..=7).map(padded).collect(), Vec::new());
    let refused = documents.rule(asked(&seven), None, &padded(8).yaml, true);
    assert!(faults(refused)[0].cause.contains("may have 458752 bytes together"));
    let of_logs = padded(8).yaml.replace("product: ai_agent", "product: linux");
    documents.rule(asked(&seven), None, &of_logs, true).unwrap();
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
