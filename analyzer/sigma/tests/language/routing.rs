//! Log sources and field names: the rules that apply to an event, and the names of its fields.

use sigma::{Event, FieldMapping, LogSource, RuleLogSource, RuleSet, Value, parse};

use crate::front_door::rule_set;

fn rule(title: &str, log_source: &str) -> String {
    format!("---\ntitle: {title}\nlogsource: {log_source}\ndetection: {{a: {{b: x}}, condition: a}}\n")
}

fn found(set: &RuleSet, product: Option<&str>, category: Option<&str>, service: Option<&str>) -> Vec<String> {
    let [product, category, service] =
        [product, category, service].map(|word| word.map(|word| word.to_owned().into()));
    let mut event = Event { log_source: LogSource { product, category, service }, fields: Vec::new() };
    event.push("b", Value::String("x".into()));
    let mut indexes = vec![usize::MAX];
    set.matches(&event, &mut indexes);
    assert!(indexes.is_sorted());
    indexes.into_iter().map(|index| set.rules()[index].info.title.clone()).collect()
}

#[test]
fn a_rule_is_skipped_only_where_both_sides_state_a_difference() {
    let rules = [
        rule("windows", "{product: windows}"),
        rule("linux sshd", "{product: linux, service: sshd}"),
        rule("web", "{category: webserver}"),
        rule("Linux again", "{product: Linux}"),
    ];
    let set = rule_set(&rules.concat());
    assert_eq!(found(&set, None, None, None).len(), 4);
    assert_eq!(found(&set, Some("linux"), None, None), ["linux sshd", "web", "Linux again"]);
    assert_eq!(found(&set, Some("linux"), None, Some("cron")), ["web", "Linux again"]);
    assert_eq!(found(&set, Some("windows"), Some("proxy"), None), ["windows"]);
    assert_eq!(found(&set, None, Some("WebServer"), None).len(), 4);
}

#[test]
fn a_rule_set_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&rule_set(&rule("any", "{product: linux}")));
}

struct Renamed;

impl FieldMapping for Renamed {
    fn canonical(&self, log_source: &RuleLogSource, field: &str) -> Vec<String> {
        match (log_source.category.as_deref(), field) {
            (Some("webserver"), "c-ip") => {
                vec!["client.address".to_owned(), "network.peer.address".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

#[test]
fn the_first_mapped_name_that_is_present_counts() {
    let text =
        "title: t\nlogsource: {category: webserver}\ndetection: {a: {c-ip: '1.1.1.1'}, condition: a}\n";
    let other = text.replace("webserver", "proxy").replace("title: t", "title: u");
    let documents = parse("x.yml", &format!("{text}---\n{other}")).into_iter().map(Result::unwrap).collect();
    let (set, refusals) = RuleSet::compile(documents, &Renamed);
    assert!(refusals.is_empty());
    let matches = |json: &str| {
        let mut found = Vec::new();
        set.matches(&crate::front_door::event(json), &mut found);
        found
    };
    assert_eq!(matches(r#"{"client.address": "1.1.1.1"}"#), [0]);
    assert_eq!(matches(r#"{"client.address": null, "network.peer.address": "1.1.1.1"}"#), [0]);
    assert!(matches(r#"{"client.address": "2.2.2.2", "network.peer.address": "1.1.1.1"}"#).is_empty());
    assert_eq!(matches(r#"{"c-ip": "1.1.1.1"}"#), [1]);
}
