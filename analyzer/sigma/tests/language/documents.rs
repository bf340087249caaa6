//! Documents: attributes, collections, identity and versions.

use std::collections::BTreeSet;

use serde_json::json;
use sigma::{Level, NativeFields, RuleSet, Status, parse};

use crate::front_door::{load, rule_set};

const FULL: &str = "\
title: Many things
id: 0a1b2c3d-0000-4000-8000-000000000001
name: many_things
status: experimental
description: |
  Two
  lines
license: MIT
author: Somebody
references: [https://example.com/a, https://example.com/b]
date: 2026-01-02
modified: 2026-03-04
tags: [attack.initial-access, attack.t1110.001, attack.stealth, attack.T1078, attack.g0001, cve.2024-1, attack.s0154]
falsepositives: Rare
fields: [a]
scope: [server]
related:
  - {id: 0a1b2c3d-0000-4000-8000-000000000002, type: derived}
level: high
taxonomy: sigma
incident_family: brute-force
weights: {a: [1, 2.5, true, null]}
logsource: {product: linux, definition: with auditing, edition: 2}
detection: {a: {b: c}, condition: a}
";

#[test]
fn every_attribute_is_kept() {
    let set = rule_set(FULL);
    let rule = &set.rules()[0];
    let info = &rule.info;
    assert_eq!(info.id, "0a1b2c3d-0000-4000-8000-000000000001");
    assert_eq!(info.name.as_deref(), Some("many_things"));
    assert_eq!(
        (info.title.as_str(), info.level, info.status),
        ("Many things", Some(Level::High), Some(Status::Experimental))
    );
    assert_eq!(info.description.as_deref(), Some("Two\nlines\n"));
    assert_eq!((info.author.as_deref(), info.license.as_deref()), (Some("Somebody"), Some("MIT")));
    assert_eq!((info.date.as_deref(), info.modified.as_deref()), (Some("2026-01-02"), Some("2026-03-04")));
    assert_eq!(info.references.len(), 2);
    assert_eq!((&*info.false_positives[0], &*info.fields[0], &*info.scope[0]), ("Rare", "a", "server"));
    assert_eq!(info.related[0].kind, "derived");
    assert_eq!(info.tactics(), ["initial-access", "stealth"]);
    assert_eq!(info.techniques(), ["T1110.001", "T1078"]);
    let custom: BTreeSet<_> = info.custom.keys().map(String::as_str).collect();
    assert_eq!(custom, BTreeSet::from(["incident_family", "weights"]));
    assert_eq!(info.custom["weights"], json!({"a": [1, 2.5, true, null]}));
    assert_eq!(rule.log_source.definition.as_deref(), Some("with auditing"));
    assert_eq!(rule.log_source.custom["edition"], json!(2));
}

#[test]
fn identity_follows_content_and_not_layout() {
    let plain = "title: t\nlogsource: {product: p}\ndetection: {a: {b: c}, condition: a}\n";
    let moved = "# note\ndetection:\n  condition: a\n  a:\n    b: c\nlogsource:\n  product: p\ntitle: t\n";
    let hash = |yaml: &str| rule_set(yaml).rules()[0].info.content_hash;
    assert_eq!(hash(plain), hash(moved));
    assert_ne!(hash(plain), hash(&plain.replace("b: c", "b: d")));
    assert_ne!(hash(plain), hash(&plain.replace("b: c", "b: [c]")));
    let id = |yaml: &str| rule_set(yaml).rules()[0].info.id.clone();
    assert_eq!(id(plain), id(moved));
    assert_ne!(id(plain), id(&plain.replace("title: t", "title: u")));
    assert_eq!((id(plain).len(), &id(plain)[14..15]), (36, "8"));
}

#[test]
fn the_version_depends_on_content_only() {
    let rule = |title: &str| {
        format!("title: {title}\nlogsource: {{product: p}}\ndetection: {{a: {{b: c}}, condition: a}}\n")
    };
    let version = |files: &[(&str, String)]| {
        let documents = files.iter().flat_map(|(file, yaml)| parse(file, yaml)).map(Result::unwrap).collect();
        RuleSet::compile(documents, &NativeFields).0.version().to_owned()
    };
    let one = version(&[("1.yml", rule("x")), ("2.yml", rule("y"))]);
    assert_eq!(one.len(), 64);
    assert_eq!(one, version(&[("2.yml", rule("y")), ("1.yml", rule("x"))]));
    assert_eq!(one, version(&[("z.yml", format!("{}---\n{}", rule("y"), rule("x")))]));
    assert_ne!(one, version(&[("1.yml", rule("x"))]));
    assert_ne!(one, version(&[("1.yml", rule("x")), ("2.yml", rule("z"))]));
}

#[test]
fn the_order_of_files_decides_nothing() {
    let rule = |title: &str, id: &str| {
        format!(
            "title: {title}\nid: {id}\nlogsource: {{product: p}}\ndetection: {{a: {{b: c}}, condition: a}}\n"
        )
    };
    let titles = |files: &[(&str, String)]| {
        let documents = files.iter().flat_map(|(file, yaml)| parse(file, yaml)).map(Result::unwrap).collect();
        let (set, refusals) = RuleSet::compile(documents, &NativeFields);
        let titles: Vec<_> = set.rules().iter().map(|rule| rule.info.title.clone()).collect();
        (titles, refusals)
    };
    let files =
        [("a.yml", rule("first", "same")), ("b.yml", rule("second", "same")), ("c.yml", rule("third", "x"))];
    let forwards = titles(&files);
    assert_eq!(forwards.0, ["first", "third"]);
    assert_eq!(&*forwards.1[0].origin.file, "b.yml");
    let backwards: Vec<_> = files.into_iter().rev().collect();
    assert_eq!(forwards, titles(&backwards));
}

#[test]
fn collections_share_what_is_global_and_repeat() {
    let yaml = "\
action: global
title: shared
level: low
logsource: {product: windows}
---
id: one
detection: {a: {b: x}, condition: a}
---
action: repeat
id: two
level: high
detection: {a: {b: y}}
---
action: reset
---
title: alone
logsource: {product: linux}
detection: {a: {b: z}, condition: a}
";
    let set = rule_set(yaml);
    let seen: Vec<_> = set.rules().iter().map(|rule| (rule.info.title.as_str(), rule.info.level)).collect();
    assert_eq!(seen, [("shared", Some(Level::Low)), ("shared", Some(Level::High)), ("alone", None)]);
    let mut found = Vec::new();
    set.matches(&crate::front_door::event(r#"{"b": "y"}"#), &mut found);
    assert_eq!(found, [1]);
}

#[test]
fn a_refused_action_takes_what_it_shapes_with_it() {
    let rule = "title: t\nlogsource: {product: p}\ndetection: {a: {b: c}, condition: a}\n";
    let (set, refusals) = load(&format!("action: globel\nlevel: high\n---\n{rule}"));
    assert_eq!((set.rules().len(), refusals.len()), (0, 2));
    let (set, refusals) = load(&format!("action: global\nlevel: [high\n---\n{rule}"));
    assert_eq!((set.rules().len(), refusals.len()), (0, 2));
    let (set, refusals) = load(&format!("title: [\n---\naction: repeat\nid: x\n---\n{rule}"));
    assert_eq!((set.rules().len(), refusals.len()), (1, 2));
}

#[test]
fn one_broken_document_does_not_hide_the_others() {
    let rule = |id| {
        format!("title: t\nid: {id}\nlogsource: {{product: p}}\ndetection: {{a: {{b: c}}, condition: a}}\n")
    };
    let (set, refusals) = load(&format!("{}---\ntitle: [\n---\n{}", rule("1"), rule("b")));
    // The first is refused too: its id is a number.
    assert_eq!(set.rules().len(), 1);
    let places: Vec<_> =
        refusals.iter().map(|refusal| (refusal.origin.document, refusal.origin.line)).collect();
    assert_eq!(places, [(1, 2), (2, 6)]);
}
