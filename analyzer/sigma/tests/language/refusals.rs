//! Refusals of documents: their messages and lines.

use crate::front_door::{load, refusal};

const RULE: &str = "\
title: a rule
id: rule-1
logsource:
  product: linux
detection:
  selection:
    Image|endswith: x
  condition: selection
";

#[test]
fn a_refusal_names_file_line_rule_field_and_cause() {
    let yaml = |modifier: &str| format!("# pack\n---\n{}", RULE.replace("endswith: x", modifier));
    let table = [
        ("dashes: x", "detection.selection.Image|dashes: unknown modifier `dashes`"),
        ("expand: '%admins%'", "detection.selection.Image|expand: placeholder `%admins%` is not defined"),
        ("re: '(x'", "detection.selection.Image|re: regular expression: unclosed group"),
        ("base64: 'x*'", "detection.selection.Image|base64: text with wildcards cannot be encoded in Base64"),
    ];
    for (modifier, words) in table {
        assert_eq!(refusal(&yaml(modifier)).to_string(), format!("pack.yml:9: rule \"rule-1\": {words}"));
    }
}

#[test]
fn what_is_found_when_documents_are_put_together_is_on_its_line_too() {
    let correlation = "title: c\ncorrelation:\n  type: event_count\n  rules:\n    - nobody\n  timespan: 5m\n  condition: {gte: 5}\n";
    let found = refusal(correlation);
    assert_eq!((found.origin.line, &*found.field), (4, "correlation.rules"), "{found}");
    let filter = "title: f\nlogsource: {product: linux}\nfilter:\n  rules: any\n  a:\n    b|expand: '%x%'\n  condition: a\n";
    let (set, refusals) = load(&format!("{RULE}---\n{filter}"));
    assert_eq!((set.rules().len(), set.filters().len()), (1, 0));
    assert_eq!((refusals[0].origin.line, &*refusals[0].field), (15, "filter.a.b|expand"), "{}", refusals[0]);
}

#[test]
fn unreadable_yaml_is_refused_on_its_line_in_the_file() {
    let yaml = format!("{}---\n# next\ntitle: x\nid: [a\nlevel: b\n", RULE);
    let (_, refusals) = load(&yaml);
    let [found] = &refusals[..] else { panic!("{refusals:?}") };
    assert_eq!((found.cause.kind(), found.origin.document), ("yaml", 2));
    assert!((12..=13).contains(&found.origin.line), "{found}");
    assert!(!found.to_string().contains("at line"), "{found}");
}

#[test]
fn documents_are_refused_for_what_would_change_their_meaning() {
    let table = [
        ("title: a rule", "title: ''", "title", "invalid", 1),
        ("title: a rule\n", "", "title", "missing", 1),
        ("title: a rule", "title: 5", "title", "invalid", 1),
        ("id: rule-1", "level: severe", "level", "invalid", 2),
        ("id: rule-1", "status: new", "status", "invalid", 2),
        ("id: rule-1", "id: [a]", "id", "invalid", 2),
        ("id: rule-1", "tags: {a: b}", "tags", "invalid", 2),
        ("id: rule-1", "taxonomy: ecs", "taxonomy", "unsupported", 2),
        ("id: rule-1", "related: [{id: x}]", "related.type", "missing", 2),
        ("  product: linux", "  definition: words", "logsource", "invalid", 3),
        ("  product: linux", "  product: [a]", "logsource.product", "invalid", 4),
        ("logsource:\n  product: linux\n", "", "logsource", "missing", 1),
        ("  condition: selection\n", "", "detection.condition", "missing", 4 + 1),
        ("id: rule-1", "correlation: {}", "", "invalid", 1),
        ("detection:", "detections:", "detection", "missing", 1),
    ];
    for (from, to, field, kind, line) in table {
        let found = refusal(&RULE.replace(from, to));
        assert_eq!((&*found.field, found.cause.kind()), (field, kind), "{to}: {found}");
        assert_eq!(found.origin.line, line, "{to}: {found}");
    }
}

#[test]
fn an_id_or_name_is_used_once() {
    let other = RULE.replace("title: a rule", "title: another");
    let (set, refusals) = load(&format!("{RULE}---\n{other}"));
    assert_eq!(set.rules()[0].info.title, "a rule");
    assert_eq!(
        refusals[0].to_string(),
        "pack.yml:11: rule \"rule-1\": id: `rule-1` is already used by pack.yml:1"
    );
    let named = |id: &str| RULE.replace("id: rule-1", &format!("id: {id}\nname: Same"));
    let (set, refusals) = load(&format!("{}---\n{}", named("x"), named("y").replace("Same", "same")));
    assert_eq!((set.rules().len(), refusals[0].cause.kind()), (1, "duplicate"));
    assert_eq!(&*refusals[0].field, "name");
}

#[test]
fn a_text_without_documents_is_empty() {
    for yaml in ["", "\n\n", "# only a comment\n", "%YAML 1.2\n---\n", "---\n---\n", "\u{feff}"] {
        let (set, refusals) = load(yaml);
        assert!(set.rules().is_empty() && refusals.is_empty(), "{yaml:?}");
    }
    for yaml in ["just text", "- a\n- b", "5", "title: a\n...\ntitle: b"] {
        assert!(matches!(refusal(yaml).cause.kind(), "invalid" | "yaml"), "{yaml:?}");
    }
}
