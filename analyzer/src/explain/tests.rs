//! Explanations of records by the built-in pack and by rules of our own.

use common::timestamp::Timestamp;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use sigma::explain::Observed;

use super::*;
use normalize::record::records;

const RECEIVED_AT: Timestamp = Timestamp(1_783_501_811_000_000_000);

fn payload(line: &str) -> Vec<u8> {
    let body = Some(AnyValue { value: Some(Value::StringValue(line.to_owned())) });
    let log_records = vec![LogRecord { body, ..LogRecord::default() }];
    let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
    let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
    ExportLogsServiceRequest { resource_logs }.encode_to_vec()
}

fn explainer(documents: Vec<Document>, least_held: usize) -> Explainer {
    let placeholders = Placeholders::default();
    let (rules, refusals) = pack::compile(documents.clone(), &placeholders);
    assert!(refusals.is_empty(), "{refusals:?}");
    Explainer::new(Arc::new(rules), &documents, &placeholders, least_held)
}

fn of_yaml(yaml: &str) -> Explainer {
    explainer(sigma::parse("own.yml", yaml).into_iter().map(Result::unwrap).collect(), 0)
}

fn built_in() -> Explainer {
    explainer(pack::documents().into_iter().map(Result::unwrap).collect(), 1)
}

fn explain(explainer: &Explainer, line: &str) -> Explanation {
    let payload = payload(line);
    explainer.explain(&records(&payload).next().unwrap(), RECEIVED_AT)
}

const FAILED: &str =
    "Jul  8 09:10:11 bastion sshd[7]: Failed password for root from 192.0.2.1 port 5022 ssh2";

#[test]
fn a_failed_login_tells_the_counts_that_it_is_part_of() {
    let explained = explain(&built_in(), FAILED);
    assert_eq!(explained.format, Some("OpenSSH"));
    assert_eq!(explained.log_source.service.as_deref(), Some("sshd"));
    let first = |place: usize| (&*explained.fields[place].name, &*explained.fields[place].value);
    assert_eq!(first(0), ("client.address", "192.0.2.1"));
    let counted: Vec<&CountedBy> = explained.matches.iter().flat_map(|found| &found.counted_by).collect();
    let by_address = counted.iter().find(|counted| counted.threshold.contains("for the same client.address"));
    let by_address = by_address.unwrap_or_else(|| panic!("{counted:?}"));
    assert!(
        by_address.threshold.starts_with("at least ") && by_address.timespan_seconds > 0,
        "{by_address:?}"
    );
    assert_eq!(by_address.group_by[0].value.as_deref(), Some("192.0.2.1"));
    assert_eq!(by_address.not_counted, None);
    assert!(
        explained.result.starts_with("no incident on its own: it counts towards"),
        "{}",
        explained.result
    );
}

#[test]
fn a_line_that_nobody_reads_is_said_not_to_be_recognised() {
    let explained = explain(&built_in(), "the kettle has been on for a while");
    assert_eq!((explained.format, explained.matches.len()), (None, 0));
    assert_eq!(explained.result, "no incident: the format was not recognised, and no rule matches");
}

const OWN: &str = "title: Failure of a service account
id: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e11
name: own
logsource: {product: linux, service: sshd}
detection:
  selection: {event.outcome: failure, user.name: backup}
  condition: selection
level: high
";

#[test]
fn a_rule_that_nearly_matches_names_the_field_the_value_and_the_one_found() {
    let explained = explain(&of_yaml(OWN), FAILED);
    assert!(explained.matches.is_empty());
    let near = &explained.near[0];
    assert_eq!(
        (near.title.as_str(), near.level, near.held),
        ("Failure of a service account", Some("high"), 1)
    );
    let miss = &near.misses[0];
    assert_eq!((miss.key.as_str(), &miss.values[..]), ("user.name", &["backup".to_owned()][..]));
    assert_eq!(miss.found, Observed::Values { values: vec!["root".into()], more: 0 });
}

#[test]
fn a_match_leads_to_an_incident_to_counts_or_nowhere() {
    let matching = OWN.replace("backup", "root");
    let explained = explain(&of_yaml(&matching), FAILED);
    assert_eq!(explained.matches[0].leads_to, Consequence::Incident);
    assert_eq!(explained.matches[0].entity.value, "192.0.2.1");
    assert!(explained.result.starts_with("incident: "), "{}", explained.result);

    let medium = explain(&of_yaml(&matching.replace("high", "medium")), FAILED);
    assert_eq!(medium.matches[0].leads_to, Consequence::Risk { points: 47 });

    let filter = "---\ntitle: Root may\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e12\nlogsource: {product: linux, service: sshd}\n\
                  filter: {rules: [own], who: {user.name: root}, condition: who}\n";
    let filtered = explain(&of_yaml(&format!("{matching}{filter}")), FAILED);
    assert_eq!(filtered.matches[0].leads_to, Consequence::Suppressed);
    assert_eq!(filtered.matches[0].suppressed_by.as_deref(), Some("Root may"));
    assert_eq!(filtered.result, "no incident: a filter excludes the match");
}

#[test]
fn a_correlation_that_cannot_count_the_record_says_why() {
    let correlation = "---\ntitle: Many\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3e13\nlevel: high\n\
                       correlation: {type: event_count, rules: [own], group-by: [cloud.account.id], timespan: 5m, \
                       condition: {gte: 3}}\n";
    let explained = explain(&of_yaml(&format!("{}{correlation}", OWN.replace("backup", "root"))), FAILED);
    let found = &explained.matches[0];
    assert_eq!(found.leads_to, Consequence::Counted);
    assert_eq!(found.counted_by[0].threshold, "at least 3 events within 5m for the same cloud.account.id");
    let reason = found.counted_by[0].not_counted.as_deref().unwrap();
    assert!(reason.contains("cloud.account.id") && explained.result.contains(reason), "{}", explained.result);
}

#[test]
fn correlations_of_a_match_are_told_up_to_a_bound() {
    let correlations: String = (10..10 + MOST_COUNTED_BY + 3)
        .map(|number| {
            format!(
                "---\ntitle: Many\nid: 5b0e8a52-8a44-4a0c-9d51-7a1f6d2c3f{number}\nlevel: high\ncorrelation: {{type: \
                 event_count, rules: [own], group-by: [user.name], timespan: 90s, condition: {{gte: {number}}}}}\n"
            )
        })
        .collect();
    let explained = explain(&of_yaml(&format!("{}{correlations}", OWN.replace("backup", "root"))), FAILED);
    let found = &explained.matches[0];
    assert_eq!((found.counted_by.len(), found.more_counted_by), (MOST_COUNTED_BY, 3));
    assert!(found.counted_by[0].threshold.ends_with(" events within 90s for the same user.name"));
}

/// Every reported match is one of the analyzer's matcher, and no near miss is.
#[test]
fn matches_are_those_of_the_matcher_over_lines_of_the_pack() {
    let explainer = built_in();
    let rules = Arc::clone(explainer.plan.rules());
    let (mut matching, mut near) = (0, 0);
    for line in [
        FAILED,
        "Jul  8 09:10:11 bastion sshd[7]: Accepted password for root from 192.0.2.1 port 5022 ssh2",
        "Jul  8 09:10:11 bastion sudo: alice : user NOT in sudoers ; TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/bin/sh",
        "192.0.2.9 - - [08/Jul/2026:09:10:11 +0000] \"GET /../../etc/passwd HTTP/1.1\" 200 1024 \"-\" \"curl/8\"",
        "192.0.2.9 - - [08/Jul/2026:09:10:11 +0000] \"POST /login HTTP/1.1\" 401 20 \"-\" \"Mozilla/5.0\"",
    ] {
        let payload = payload(line);
        let normalized = normalize(&records(&payload).next().unwrap(), RECEIVED_AT);
        let mut found = Vec::new();
        rules.matches(&normalized.event, &mut found);
        let wanted: Vec<&str> = found.iter().map(|rule| &*rules.rules()[*rule].info.id).collect();
        assert_eq!(explainer.near.holding(&normalized.event), found, "{line}");
        let explained = explain(&explainer, line);
        assert_eq!(
            explained.matches.iter().map(|found| &*found.rule_id).collect::<Vec<_>>(),
            wanted,
            "{line}"
        );
        assert!(explained.near.len() <= MOST_NEAR);
        assert!(
            explained.near.iter().all(|near| near.held > 0 && !wanted.contains(&&*near.rule_id)),
            "{line}"
        );
        (matching, near) = (matching + wanted.len(), near + explained.near.len());
    }
    assert!(matching >= 4 && near >= 4, "{matching} match, {near} nearly match");
}

#[test]
fn fields_are_told_canonical_ones_first_and_bounded() {
    let own: String = (0..90).map(|number| format!("\"own{number}\":{{\"deep\":{number}}},")).collect();
    let line = format!("{{{own}\"client_ip\":\"192.0.2.4\",\"long\":\"{}\"}}", "x".repeat(4_000));
    let explained = explain(&of_yaml(OWN), &line);
    assert_eq!((&*explained.fields[0].name, &*explained.fields[0].value), ("client.address", "192.0.2.4"));
    assert_eq!(explained.fields.len(), 64);
    assert!(explained.more_fields > 20);
    assert!(explained.fields.iter().any(|field| field.name == "own0.deep" && field.value == "0"));
    assert!(explained.fields.iter().all(|field| field.value.len() < 210));
}
