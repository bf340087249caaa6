//! Cases in `cases/`: below `# name`, each line is `+` or `-`, a category and the fields of an action.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;
use sigma::Event;

use super::{compiled, event, matching};
use crate::{CATEGORIES, Response, built_in, pack};

const FILES: [&str; 5] = [
    include_str!("../../cases/data.txt"),
    include_str!("../../cases/destruction.txt"),
    include_str!("../../cases/execution.txt"),
    include_str!("../../cases/protection.txt"),
    include_str!("../../cases/supply.txt"),
];

struct Case {
    matches: bool,
    category: String,
    fields: Json,
}

fn cases() -> BTreeMap<String, Vec<Case>> {
    let mut cases: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for file in FILES {
        let mut name = "";
        for line in file.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(heading) = line.strip_prefix("# ") {
                name = heading;
                continue;
            }
            let mut parts = line.splitn(3, ' ');
            let matches = parts.next() == Some("+");
            let category = parts.next().unwrap().to_owned();
            let fields = parts.next().unwrap();
            let fields = serde_json::from_str(fields).unwrap_or_else(|error| panic!("{line}: {error}"));
            cases.entry(name.to_owned()).or_default().push(Case { matches, category, fields });
        }
    }
    cases
}

#[test]
fn each_rule_matches_its_positive_cases_and_none_of_its_negative_ones() {
    let (rules, cases) = (compiled(), cases());
    let names: BTreeSet<String> = rules.rules().iter().filter_map(|rule| rule.info.name.clone()).collect();
    assert_eq!(cases.keys().cloned().collect::<BTreeSet<_>>(), names);
    let mut wrong = Vec::new();
    for (name, cases) in &cases {
        for (expected, least) in [(true, 2), (false, 2)] {
            let count = cases.iter().filter(|case| case.matches == expected).count();
            assert!(count >= least, "{name}: {count} cases that match: {expected}");
        }
        for case in cases {
            assert!(CATEGORIES.contains(&case.category.as_str()), "{name}: {}", case.category);
            let found = matching(&rules, &event(&case.category, &case.fields));
            if found.contains(name) != case.matches {
                wrong.push(format!("{name}: expected {}: {}", case.matches, case.fields));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_record_of_a_log_never_matches_although_it_has_the_fields_of_an_action() {
    let rules = compiled();
    for case in cases().values().flatten().filter(|case| case.matches) {
        for product in [None, Some("linux")] {
            let action = event(&case.category, &case.fields);
            let mut record = Event { fields: action.fields, ..Event::default() };
            record.log_source.product = product.map(Into::into);
            assert_eq!(matching(&rules, &record), Vec::<String>::new(), "{}", case.fields);
            record.log_source.category = Some(case.category.as_str().into());
            assert_eq!(matching(&rules, &record), Vec::<String>::new(), "{}", case.fields);
        }
    }
}

#[test]
fn the_pack_covers_every_family_and_blocks_with_a_reason() {
    let rules = built_in().unwrap();
    assert!(rules.len() >= 20, "{}", rules.len());
    let families: BTreeSet<String> = pack::documents()
        .into_iter()
        .map(|document| document.unwrap().info().custom["family"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "agent_configuration",
        "decoded_execution",
        "destruction",
        "exfiltration",
        "fetched_injections",
        "history",
        "install_hooks",
        "mcp",
        "persistence",
        "privilege",
        "remote_execution",
        "secrets",
        "self_protection",
    ];
    assert_eq!(families.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert!(rules.iter().any(|rule| rule.response == Response::Alert));
    for rule in rules.iter().filter(|rule| rule.response == Response::Block) {
        assert!(rule.reason != rule.title && rule.reason.ends_with('.'), "{}", rule.title);
    }
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), rules.len());
}
