//! Allowed and refused additions to the built-in rules, with the messages, and the use of allowed ones.

mod agents;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::ids::{DetectionRuleId, KeyId, OrganizationId, SuppressionId};
use common::incident::{Actor, Evidence};
use common::severity::Severity;
use common::timestamp::Timestamp;
use directory::{
    Asked, Described, DetectionRule, DocumentCheck, DocumentFault, DocumentRefusal, OwnDetection,
    Suppression, TrialMatch,
};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::AnyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Text;
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use prost::Message;
use sigma::Placeholders;

use super::{Documents, MOST_COMPILED_BYTES};

const RULE: &str = "title: A shell from nowhere
id: 0d3a7c9e-0000-4000-8000-000000000001
name: own_shell
logsource: {product: linux, service: sshd}
detection:
  selection:
    message|contains: shell
  condition: selection
level: high
";

const CORRELATION: &str = "title: Many shells
id: 0d3a7c9e-0000-4000-8000-000000000002
correlation:
  type: event_count
  rules: [own_shell]
  group-by: [host.name]
  timespan: 5m
  condition: {gte: 3}
level: high
";

const FILTER: &str = "title: Our scanner
id: 0d3a7c9e-0000-4000-8000-000000000003
logsource: {product: linux, service: sshd}
filter:
  rules: [ssh_login_failed]
  ours:
    client.address: 192.0.2.7
  condition: ours
";

fn documents() -> Documents {
    Documents::new(Arc::new(crate::pack::built_in().unwrap()), Placeholders::default())
}

fn actor() -> Actor {
    Actor { key_id: KeyId::from_bytes([1; 16]), key_name: "ops".to_owned() }
}

fn rule(number: u8, yaml: &str, enabled: bool) -> DetectionRule {
    DetectionRule {
        id: DetectionRuleId::from_bytes([number; 16]),
        organization: OrganizationId::from_bytes([9; 16]),
        yaml: yaml.to_owned(),
        enabled,
        title: format!("rule {number}"),
        sigma_ids: Vec::new(),
        created_by: actor(),
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
        revision: 0,
    }
}

fn suppression(yaml: &str, expires_at: Option<Timestamp>) -> Suppression {
    Suppression {
        id: SuppressionId::from_bytes([8; 16]),
        organization: OrganizationId::from_bytes([9; 16]),
        yaml: yaml.to_owned(),
        title: "suppression".to_owned(),
        sigma_id: String::new(),
        reason: "ours".to_owned(),
        created_by: actor(),
        created_at: Timestamp(0),
        expires_at,
    }
}

fn own(rules: Vec<DetectionRule>, suppressions: Vec<Suppression>) -> OwnDetection {
    OwnDetection { organization: OrganizationId::from_bytes([9; 16]), version: 1, rules, suppressions }
}

fn nothing() -> OwnDetection {
    own(Vec::new(), Vec::new())
}

fn asked(own: &OwnDetection) -> Asked<'_> {
    Asked { own, give_up: &|| false }
}

fn faults(outcome: Result<Described, DocumentRefusal>) -> Vec<DocumentFault> {
    match outcome {
        Err(DocumentRefusal::Faulty(faults)) => faults,
        other => panic!("expected faults, found {other:?}"),
    }
}

fn needed(outcome: Result<impl std::fmt::Debug, DocumentRefusal>) -> Vec<String> {
    match outcome {
        Err(DocumentRefusal::Needed(dependents)) => dependents
            .into_iter()
            .map(|dependent| format!("{} {}", dependent.object, dependent.title))
            .collect(),
        other => panic!("expected dependents, found {other:?}"),
    }
}

#[test]
fn a_document_without_an_id_is_refused() {
    let own = OwnDetection {
        organization: OrganizationId::from_bytes([9; 16]),
        version: 0,
        rules: Vec::new(),
        suppressions: Vec::new(),
    };
    let yaml = RULE.replace("id: 0d3a7c9e-0000-4000-8000-000000000001\n", "");
    let Err(DocumentRefusal::Faulty(faults)) = documents().rule(asked(&own), None, &yaml, true) else {
        panic!("it was taken")
    };
    assert!(faults[0].cause.starts_with("id: expected one, found none"), "{faults:?}");
}

#[test]
fn a_rule_a_correlation_with_its_rules_and_a_filter_can_be_added() {
    let documents = documents();
    let described = documents.rule(asked(&nothing()), None, RULE, true).unwrap();
    assert_eq!(described.title, "A shell from nowhere");
    assert_eq!(described.sigma_ids, ["0d3a7c9e-0000-4000-8000-000000000001"]);
    let together = format!("{RULE}---\n{CORRELATION}");
    let described = documents.rule(asked(&nothing()), None, &together, true).unwrap();
    assert_eq!((described.title.as_str(), described.sigma_ids.len()), ("Many shells", 2));
    let of_shared = CORRELATION.replace("own_shell", "ssh_login_failed");
    documents.rule(asked(&nothing()), None, &of_shared, true).unwrap();
    let described = documents.suppression(asked(&nothing()), FILTER, false).unwrap();
    assert_eq!(described.sigma_ids, ["0d3a7c9e-0000-4000-8000-000000000003"]);
    let any = FILTER.replace("[ssh_login_failed]", "any");
    documents.suppression(asked(&nothing()), &any, false).unwrap();
}

#[test]
fn what_can_be_added_is_used() {
    let documents = documents();
    let everything = own(
        vec![rule(1, &format!("{RULE}---\n{CORRELATION}"), true)],
        vec![suppression(FILTER, Some(Timestamp(100)))],
    );
    let (before, refused) = documents.compile(&nothing(), Timestamp(0));
    assert_eq!(refused, []);
    let (rules, refused) = documents.compile(&everything, Timestamp(99));
    assert_eq!(refused, []);
    assert_eq!((rules.rules().len(), rules.correlations().len(), rules.filters().len()), (1, 1, 1));
    let (rules, _) = documents.compile(&everything, Timestamp(100));
    assert_eq!(rules.filters().len(), 0, "it has expired");
    let disabled = own(vec![rule(1, RULE, false)], Vec::new());
    let (rules, refused) = documents.compile(&disabled, Timestamp(0));
    assert_eq!((rules.version(), refused.len()), (before.version(), 0));
}

#[test]
fn another_revision_of_the_same_rule_and_another_suppression_with_the_same_filter_are_other_documents() {
    let documents = documents();
    let hashes = |own: &OwnDetection| {
        let (layer, refused) = documents.compile(own, Timestamp(0));
        assert_eq!(refused, []);
        (layer.version().to_owned(), layer.rules()[0].info.content_hash, layer.filters()[0].info.content_hash)
    };
    let first = own(vec![rule(1, RULE, true)], vec![suppression(FILTER, None)]);
    assert_eq!(hashes(&first), hashes(&first.clone()));
    let (version, of_rule, of_filter) = hashes(&first);
    let mut resumed = first.clone();
    resumed.rules[0].revision = 1;
    let (other_version, of_resumed, of_same_filter) = hashes(&resumed);
    assert!(other_version != version && of_resumed != of_rule && of_same_filter == of_filter);
    let mut created_again = first;
    created_again.suppressions[0].created_at = Timestamp(1);
    let (other_version, of_same_rule, of_other_filter) = hashes(&created_again);
    assert!(other_version != version && of_same_rule == of_rule && of_other_filter != of_filter);
}

#[test]
fn what_cannot_be_read_or_compiled_is_told_with_its_line() {
    let documents = documents();
    for (yaml, line, cause) in [
        ("", None, "found none"),
        ("title: [", Some(1), "not readable as YAML"),
        (&*RULE.replace("|contains", "|holds"), Some(7), "unknown modifier `holds`"),
        (&RULE.replace("condition: selection", "condition: other"), Some(8), "other"),
        (&RULE.replace("contains: shell", "re: '(?=x)'"), Some(7), "regular expression"),
        (&RULE.replace("contains: shell", "expand: '%admins%'"), Some(7), "placeholder `%admins%`"),
        (&RULE.replace("A shell from nowhere", &"x".repeat(257)), Some(1), "at most 256 characters"),
        (
            &format!("{}---\n{CORRELATION}", RULE.replace("from", "\u{202e}morf")),
            Some(1),
            "title: bidirectional controls are not allowed, found U+202E",
        ),
        (&RULE.replace("own_shell", "own\u{2066}_shell"), Some(3), "name: bidirectional controls"),
        (CORRELATION, Some(5), "refers to `own_shell`"),
        (&[RULE; 21].join("---\n"), Some(1), "at most 20 Sigma documents, found 21"),
        (FILTER, Some(4), "a filter is created as a suppression"),
        (
            &format!("{RULE}---\n{}", RULE.replace("01\n", "02\n").replace("own_shell", "two")),
            Some(1),
            "several",
        ),
        (&format!("{RULE}---\n{RULE}"), Some(1), "several"),
        (&RULE.replace("own_shell", "SSH_login_failed"), Some(3), "used by a shared rule"),
    ] {
        let faults = faults(documents.rule(asked(&nothing()), None, yaml, true));
        assert_eq!((faults.len(), faults[0].line), (1, line), "{yaml}: {faults:?}");
        assert!(faults[0].cause.contains(cause), "{faults:?}");
    }
    for (yaml, cause) in [
        (RULE, "found a rule or correlation"),
        (&*format!("{FILTER}---\n{FILTER}"), "found 2 documents"),
        (&FILTER.replace("ssh_login_failed", "no_such_rule"), "refers to `no_such_rule`"),
        (
            &FILTER.replace("service: sshd", "service: cron"),
            "has a log source that the filter does not apply to",
        ),
        (&FILTER.replace("sshd", "unheard-of").replace("[ssh_login_failed]", "any"), "no rule in force"),
        (&FILTER.replace("condition: ours", "condition: theirs"), "theirs"),
    ] {
        let faults = faults(documents.suppression(asked(&nothing()), yaml, false));
        assert!(faults[0].cause.contains(cause) && faults[0].line.is_some(), "{faults:?}");
    }
}

#[test]
fn ids_and_names_are_their_owners_even_while_disabled() {
    let documents = documents();
    let there = own(vec![rule(1, RULE, false)], Vec::new());
    let faults = faults(documents.rule(asked(&there), None, RULE, true));
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 2, "{told:?}");
    assert!(told[0].starts_with("line 2: id: `0d3a7c9e-") && told[0].contains("detection_rule 01010101-"));
    documents.rule(asked(&there), Some(there.rules[0].id), RULE, true).unwrap();
}

#[test]
fn what_others_need_stays() {
    let documents = documents();
    let there = own(
        vec![rule(1, RULE, true), rule(2, CORRELATION, true)],
        vec![suppression(&FILTER.replace("ssh_login_failed", "own_shell"), None)],
    );
    let both = ["detection_rule rule 2", "suppression suppression"];
    let id = there.rules[0].id;
    assert_eq!(needed(documents.removal(asked(&there), id)), both);
    assert_eq!(needed(documents.rule(asked(&there), Some(id), RULE, false)), both);
    let renamed = RULE.replace("own_shell", "own_door");
    assert_eq!(needed(documents.rule(asked(&there), Some(id), &renamed, true)), both);
    let moved = RULE.replace("service: sshd", "service: cron");
    assert_eq!(needed(documents.rule(asked(&there), Some(id), &moved, true)), ["suppression suppression"]);
    documents
        .rule(asked(&there), Some(id), &RULE.replace("contains: shell", "contains: shells"), true)
        .unwrap();
    documents.removal(asked(&there), there.rules[1].id).unwrap();

    // A document that was unusable before does not prevent any deletion.
    let broken =
        own(vec![rule(1, RULE, true), rule(2, &CORRELATION.replace("own_shell", "gone"), true)], vec![]);
    documents.removal(asked(&broken), id).unwrap();
}

#[test]
fn a_suppression_that_holds_without_any_field_is_refused_unless_it_is_meant() {
    let documents = documents();
    for (change, holds) in [
        (("condition: ours", "condition: not ours"), true),
        (("client.address: 192.0.2.7", "client.address: null"), true),
        (("client.address: 192.0.2.7", "client.address|exists: false"), true),
        (("client.address: 192.0.2.7", "client.address|neq: 192.0.2.7"), false),
        (("condition: ours", "condition: ours and not 1 of other*\n  other: {user.name: root}"), false),
    ] {
        for rules in ["[ssh_login_failed]", "any"] {
            let yaml = FILTER.replace(change.0, change.1).replace("[ssh_login_failed]", rules);
            let outcome = documents.suppression(asked(&nothing()), &yaml, false);
            documents.suppression(asked(&nothing()), &yaml, true).unwrap();
            if !holds {
                outcome.unwrap();
                continue;
            }
            let faults = faults(outcome);
            assert_eq!((faults.len(), faults[0].line), (1, Some(4)), "{yaml}");
            assert!(faults[0].cause.contains("set allow_match_without_fields to true"), "{faults:?}");
        }
    }
}

/// A rule of many values, a few kilobytes.
fn large(number: u32) -> String {
    let values: String = (0..4_000).map(|value| format!("      - value{number}x{value}\n")).collect();
    let id = format!("0d3a7c9e-0000-4000-8000-1000000{number:05}");
    format!(
        "title: Large\nid: {id}\nlogsource: {{product: linux}}\ndetection:\n  s:\n    message|contains:\n{values}  \
         condition: s\n"
    )
}

#[test]
fn what_would_take_too_much_memory_is_refused_with_limit_and_found() {
    let documents = documents();
    let mut there = nothing();
    for number in 0..20 {
        let Err(refusal) = documents.rule(asked(&there), None, &large(number.into()), true) else {
            there.rules.push(rule(number, &large(number.into()), true));
            continue;
        };
        let DocumentRefusal::Faulty(faults) = refusal else { panic!("expected faults, found {refusal:?}") };
        let limit = MOST_COMPILED_BYTES;
        let told = format!("expected at most {limit} bytes of compiled rules and suppressions");
        assert!(faults[0].cause.contains(&told) && faults[0].cause.contains("found 16"), "{faults:?}");
        assert!(number > 2, "there is room for a few");
        // There is room for a small one, and none for it once it is a part of the stored ones.
        documents.rule(asked(&there), None, RULE, true).unwrap();
        let (layer, refused) = documents.compile(&there, Timestamp(0));
        assert_eq!((layer.rules().len(), refused.len()), (there.rules.len(), 0));
        assert!(layer.compiled_bytes() <= limit);
        // Stored under other limits: documents beyond the room are left out, and nothing else.
        there.rules.push(rule(number, &large(number.into()), true));
        let (layer, refused) = documents.compile(&there, Timestamp(0));
        assert_eq!((layer.rules().len(), refused.len()), (there.rules.len() - 1, 1));
        documents.removal(asked(&there), there.rules[0].id).unwrap();
        return;
    }
    panic!("nothing was refused");
}

#[test]
fn a_check_ends_when_it_is_given_up() {
    let documents = documents();
    let asks = std::cell::Cell::new(0);
    let give_up = || {
        asks.set(asks.get() + 1);
        asks.get() > 100
    };
    let there = nothing();
    let asked = Asked { own: &there, give_up: &give_up };
    assert_eq!(documents.rule(asked, None, &large(1), true), Err(DocumentRefusal::GivenUp));
    assert!(asks.get() < 110, "asked {} times", asks.get());
}

fn evidence(rules: &[&str], address: &str) -> Evidence {
    Evidence {
        record_id: "00ff".to_owned(),
        event_time: Timestamp(0),
        time_inferred: false,
        received_at: Timestamp(0),
        severity: Severity::Medium,
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        message: "Failed password for root".to_owned(),
        fields: BTreeMap::from([("client.address".to_owned(), address.to_owned())]),
    }
}

#[test]
fn a_suppression_covers_incidents_all_of_whose_evidence_it_suppresses() {
    let documents = documents();
    let shared_rules = documents.shared_rules();
    let id = |name: &str| {
        let rules = shared_rules.rules().iter().map(|rule| &rule.info);
        let correlations = shared_rules.correlations().iter().map(|correlation| &correlation.info);
        let mut all = rules.chain(correlations);
        all.find(|info| info.name.as_deref() == Some(name)).unwrap().id.clone()
    };
    let (failed, guessed, other) = (id("ssh_login_failed"), id("ssh_password_guessing"), id("sudo_denied"));
    const OURS: &str = "192.0.2.7";
    let incidents = [
        (vec![evidence(&[&failed], OURS)], true),
        (vec![evidence(&[&guessed], OURS), evidence(&[&failed, &guessed], OURS)], true),
        (vec![evidence(&[&failed], OURS), evidence(&[&failed], "192.0.2.8")], false),
        (vec![evidence(&[&failed, &other], OURS)], false),
        (vec![evidence(&["no rule of this deployment"], OURS)], false),
        (vec![evidence(&[], OURS)], false),
        (Vec::new(), false),
    ];
    let (evidence, expected): (Vec<_>, Vec<_>) = incidents.into_iter().unzip();
    let covered = |own: &OwnDetection| documents.covered(asked(own), FILTER, &evidence).unwrap();
    assert_eq!(covered(&nothing()), expected);
    let stored = own(Vec::new(), vec![suppression(FILTER, None)]);
    assert_eq!(covered(&stored), expected, "stored already");
    let refused = documents.covered(asked(&nothing()), RULE, &evidence);
    assert!(matches!(refused, Err(DocumentRefusal::Faulty(_))), "{refused:?}");
}

#[test]
fn rules_are_tried_on_records_beside_what_there_is() {
    let documents = documents();
    let record = |text: &str| LogRecord {
        body: Some(AnyValue { value: Some(Text::StringValue(text.to_owned())) }),
        ..LogRecord::default()
    };
    let payload = |text: &str| {
        let log_records = vec![record(text), record("Jul  8 09:10:11 web-1 sshd[1]: nothing")];
        let scope_logs = vec![ScopeLogs { log_records, ..ScopeLogs::default() }];
        let resource_logs = vec![ResourceLogs { scope_logs, ..ResourceLogs::default() }];
        ExportLogsServiceRequest { resource_logs }.encode_to_vec()
    };
    let payloads = ["Jul  8 09:10:11 web-1 sshd[1]: a shell", "Jul  8 09:10:11 web-1 cron[1]: a shell"];
    let payloads = payloads.map(payload);
    let own_rule = TrialMatch {
        sigma_id: "0d3a7c9e-0000-4000-8000-000000000001".to_owned(),
        title: "A shell from nowhere".to_owned(),
        level: Some("high"),
    };
    let expected = [vec![own_rule], Vec::new()];
    let together = format!("{RULE}---\n{CORRELATION}");
    for (own, yaml) in [
        (nothing(), RULE),
        (nothing(), together.as_str()),
        (own(vec![rule(1, RULE, true)], vec![suppression(FILTER, None)]), RULE),
    ] {
        assert_eq!(documents.trial(asked(&own), yaml, &payloads, Timestamp(0)).unwrap(), expected);
    }
    let refused = documents.trial(asked(&nothing()), FILTER, &payloads, Timestamp(0));
    assert!(matches!(refused, Err(DocumentRefusal::Faulty(_))), "{refused:?}");
    let given_up = Asked { own: &nothing(), give_up: &|| true };
    let refused = documents.trial(given_up, RULE, &payloads, Timestamp(0));
    assert_eq!(refused, Err(DocumentRefusal::GivenUp));
}
