//! The public rules, where a copy is at hand: `PALISADE_SIGMA_CORPUS` names the folder. Every rule must compile but those with
//! undefined placeholders, and every rule must agree with the oracle on events made of its own values, those that match and
//! those that nearly do.

#![expect(clippy::print_stdout, reason = "the test is run for the counts")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use sigma::document::RuleDocument;
use sigma::{Author, Cause, Document, Event, NativeFields, Placeholders, Refusal, RuleSet, parse};

use crate::front_door::compile;
use crate::{oracle, samples};

/// Events of one rule that are also tried with all rules, and other rules that the oracle evaluates: evaluating all of them
/// takes an hour.
const TRIED_WITH_ALL: usize = 1;
const OTHERS_ASKED: usize = 12;

#[test]
fn public_rules_compile_and_agree_with_the_oracle() {
    let Ok(folder) = std::env::var("PALISADE_SIGMA_CORPUS") else {
        let required = std::env::var("PALISADE_REQUIRE_CORPUS").is_ok_and(|value| value == "1");
        assert!(!required, "PALISADE_REQUIRE_CORPUS=1, but PALISADE_SIGMA_CORPUS names no folder");
        // The macros print into the captured output, which is shown for tests that fail.
        let mut stream = std::io::stderr();
        writeln!(stream, "SKIPPED the public rules: PALISADE_SIGMA_CORPUS names no folder of Sigma rules")
            .unwrap();
        return;
    };
    let (mut documents, mut refusals) = (Vec::new(), Vec::new());
    read(Path::new(&folder), &mut documents, &mut refusals);
    let total = documents.len() + refusals.len();
    assert!(total > 0, "no documents in {folder}");
    let (set, refused) = RuleSet::compile(documents.clone(), &NativeFields);
    refusals.extend(refused);
    report(total, &set, &refusals);
    let is_undefined = |refusal: &Refusal| matches!(refusal.cause, Cause::UndefinedPlaceholder(_));
    assert!(refusals.iter().all(is_undefined), "refused for more than a placeholder");

    let mut placeholders = Placeholders::default();
    let is_refused = |document: &&Document| {
        refusals.iter().any(|refusal| refusal.rule.as_deref() == Some(document.info().id.as_str()))
    };
    let incomplete: Vec<Document> = documents.iter().filter(is_refused).cloned().collect();
    while let (_, refused) = compile(incomplete.clone(), &placeholders)
        && !refused.is_empty()
    {
        for refusal in refused {
            let Cause::UndefinedPlaceholder(name) = &refusal.cause else { panic!("{refusal}") };
            placeholders.define(name.to_string(), oracle::text::placeholder_values(name));
        }
    }
    few_match_nothing(&set, total);
    agree(documents, &placeholders);
}

fn few_match_nothing(set: &RuleSet, total: usize) {
    let mut found = Vec::new();
    set.matches(&Event::default(), &mut found);
    let idle: Vec<_> = found.iter().map(|rule| &set.rules()[*rule].info.title).collect();
    println!("{} rules match an event without fields: {idle:?}", idle.len());
    assert!(idle.len() * 100 < total, "more than a few rules match an event without fields");
}

fn agree(documents: Vec<Document>, placeholders: &Placeholders) {
    let rules: BTreeMap<String, RuleDocument> = documents
        .iter()
        .filter_map(|document| match document {
            Document::Rule(rule) => Some((rule.info.id.clone(), (**rule).clone())),
            _ => None,
        })
        .collect();
    let (set, refused) = compile(documents, placeholders);
    assert!(refused.is_empty());
    let (mut tried, mut hits, mut hit_rules, mut misses) = (0, 0, 0, 0);
    let mut refused_of_organizations = Vec::new();
    for (index, rule) in set.rules().iter().enumerate() {
        let document = &rules[&rule.info.id];
        let alone = Document::Rule(Box::new(document.clone()));
        let (metered, refused) = compile(vec![alone.clone().written_by(Author::Organization)], placeholders);
        refused_of_organizations.extend(refused);
        let alone = compile(vec![alone], placeholders).0;
        let events = samples::events(document);
        let mut any_hit = false;
        for (number, event) in events.iter().enumerate() {
            let mut found = Vec::new();
            alone.matches(event, &mut found);
            let matches = oracle::matches(&document.detection, event);
            assert_eq!(!found.is_empty(), matches, "{}: {event:?}", rule.info.title);
            if !metered.rules().is_empty() {
                metered.matches(event, &mut found);
                assert_eq!(!found.is_empty(), matches, "metered, {}: {event:?}", rule.info.title);
            }
            (tried, any_hit) = (tried + 1, any_hit | matches);
            if matches {
                hits += 1
            } else {
                misses += 1
            }
            if number < TRIED_WITH_ALL {
                agree_with_all(&set, &rules, index, event);
            }
        }
        hit_rules += usize::from(any_hit);
    }
    println!("{} rules are refused of organizations:", refused_of_organizations.len());
    refused_of_organizations.iter().for_each(|refusal| println!("{refusal}"));
    let is_regex = |refusal: &Refusal| matches!(refusal.cause, Cause::Regex(_));
    assert!(refused_of_organizations.iter().all(is_regex), "for more than an expression");
    assert!(refused_of_organizations.len() < 20, "too many rules are refused of organizations");
    println!("{tried} events: {hits} match the rule they were made of, {misses} do not");
    println!("{hit_rules} of {} rules match at least one of theirs", set.rules().len());
    assert!(hit_rules * 10 > set.rules().len() * 9, "too few rules were met by any event");
    assert!(misses * 4 > tried, "too few events miss");
}

/// Asks the oracle about every rule that all rules together find, and about some after the event's own.
fn agree_with_all(set: &RuleSet, rules: &BTreeMap<String, RuleDocument>, own: usize, event: &Event<'_>) {
    let mut found = Vec::new();
    set.matches(event, &mut found);
    let after = own..(own + OTHERS_ASKED).min(set.rules().len());
    for index in after.chain(found.iter().copied()) {
        let rule = &set.rules()[index];
        let accepts = rule.log_source.accepts(&event.log_source);
        let expected = accepts && oracle::matches(&rules[&rule.info.id].detection, event);
        assert_eq!(found.contains(&index), expected, "{}: {event:?}", rule.info.title);
    }
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
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for refusal in refusals {
        *causes.entry(refusal.cause.kind()).or_default() += 1;
    }
    for (cause, count) in causes {
        println!("{count:6} {cause}");
    }
    for refusal in refusals {
        println!("{refusal}");
    }
}
