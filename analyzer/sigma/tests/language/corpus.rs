//! The public rules, where a copy is at hand: `PALISADE_SIGMA_CORPUS` names the folder. How many
//! compile is printed with a count for each cause of refusal; nothing may be refused for a reason
//! that is not a known gap.

#![expect(clippy::print_stdout, reason = "the counts are what the test is run for")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sigma::{Cause, Document, Event, NativeFields, Refusal, RuleSet, parse};

/// Modifiers that are not supported yet are refused by name; any other cause would be a misreading.
fn is_known_gap(cause: &Cause) -> bool {
    matches!(cause, Cause::UnsupportedModifier(_))
}

#[test]
fn public_rules_compile() {
    let Ok(folder) = std::env::var("PALISADE_SIGMA_CORPUS") else {
        let required = std::env::var("PALISADE_REQUIRE_CORPUS").is_ok_and(|value| value == "1");
        assert!(!required, "PALISADE_REQUIRE_CORPUS=1, but PALISADE_SIGMA_CORPUS names no folder");
        println!("skipped: PALISADE_SIGMA_CORPUS names no folder of Sigma rules");
        return;
    };
    let (mut documents, mut refusals) = (Vec::new(), Vec::new());
    read(Path::new(&folder), &mut documents, &mut refusals);
    let total = documents.len() + refusals.len();
    assert!(total > 0, "no documents in {folder}");
    let (set, refused) = RuleSet::compile(documents, &NativeFields);
    refusals.extend(refused);
    report(total, &set, &refusals);

    assert!(refusals.iter().all(|refusal| is_known_gap(&refusal.cause)), "refused beyond the known gaps");
    let mut found = Vec::new();
    set.matches(&Event::default(), &mut found);
    let idle: Vec<_> = found.iter().map(|rule| &set.rules()[*rule].info.title).collect();
    println!("{} rules match an event without fields: {idle:?}", idle.len());
    assert!(idle.len() * 100 < total, "more than a few rules match an event without fields");
}

fn read(folder: &Path, documents: &mut Vec<Document>, refusals: &mut Vec<Refusal>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, documents, refusals);
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            for document in parse(&path.display().to_string(), &fs::read_to_string(&path).unwrap()) {
                match document {
                    Ok(document) => documents.push(document),
                    Err(refusal) => refusals.push(refusal),
                }
            }
        }
    }
}

fn report(total: usize, set: &RuleSet, refusals: &[Refusal]) {
    println!("{total} documents: {} rules compile, {} refused", set.rules().len(), refusals.len());
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for refusal in refusals {
        let cause = match &refusal.cause {
            Cause::UnsupportedModifier(name) => format!("unsupported_modifier {name}"),
            other => other.kind().to_owned(),
        };
        *causes.entry(cause).or_default() += 1;
    }
    for (cause, count) in causes {
        println!("{count:6} {cause}");
    }
    for refusal in refusals.iter().filter(|refusal| !matches!(refusal.cause, Cause::UnsupportedModifier(_))) {
        println!("{refusal}");
    }
}
