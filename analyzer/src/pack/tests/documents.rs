//! Every document of the pack has the required metadata.

use std::collections::BTreeSet;

use sigma::RuleInfo;

use super::*;

fn documents(rules: &RuleSet) -> Vec<&RuleInfo> {
    let single = rules.rules().iter().map(|rule| &rule.info);
    single.chain(rules.correlations().iter().map(|correlation| &correlation.info)).collect()
}

fn family(info: &RuleInfo) -> Option<&str> {
    info.custom.get("incident_family")?.as_str()
}

#[test]
fn every_document_says_all_that_an_incident_needs() {
    let rules = built_in().unwrap();
    for info in documents(&rules) {
        let name = info.name.as_deref().unwrap_or_else(|| panic!("{} has no name", info.title));
        assert!(uuid::Uuid::parse_str(&info.id).is_ok(), "{name}: id");
        assert!(info.level.is_some(), "{name}: level");
        assert!(!info.techniques().is_empty(), "{name}: technique");
        assert!(!info.tactics().is_empty(), "{name}: tactic");
        assert!(!info.false_positives.is_empty(), "{name}: false positives");
        assert!(info.description.as_deref().is_some_and(|text| text.len() > 30), "{name}: description");
        assert!(family(info).is_some(), "{name}: incident_family");
        let entity = info.custom.get("incident_entity").and_then(|entity| entity.as_array());
        assert!(entity.is_some_and(|fields| !fields.is_empty()), "{name}: incident_entity");
        let is_worth_a_look = info.level >= Some(Level::Medium);
        assert!(!is_worth_a_look || info.custom.contains_key("next_steps"), "{name}: next_steps");
    }
}

#[test]
fn failed_logins_are_one_family_about_the_address() {
    let rules = built_in().unwrap();
    let guesses = |info: &&RuleInfo| info.techniques().iter().any(|technique| technique.starts_with("T1110"));
    for info in documents(&rules).into_iter().filter(guesses) {
        // About the account itself: tried from everywhere, or by a user who already is on the host.
        if matches!(family(info), Some("privilege_abuse" | "account_attack")) {
            continue;
        }
        assert_eq!(family(info), Some("authentication_attack"), "{}", info.title);
        assert_eq!(info.custom["incident_entity"], serde_json::json!(["client.address"]), "{}", info.title);
    }
}

#[test]
fn what_ends_an_attack_in_success_raises_severity() {
    let rules = built_in().unwrap();
    for correlation in rules.correlations() {
        let raises = correlation.info.custom.get("raises_severity").is_some_and(|value| value == true);
        assert_eq!(
            raises,
            correlation.kind == CorrelationKind::TemporalOrdered,
            "{}",
            correlation.info.title
        );
    }
}

/// A match that is an incident by itself must stay one even if a correlation counts it.
#[test]
fn nothing_of_medium_or_more_only_counts_for_others() {
    let rules = built_in().unwrap();
    let single =
        (0..rules.rules().len()).map(Reference::Rule).zip(rules.rules().iter().map(|rule| &rule.info));
    let counted = (0..rules.correlations().len())
        .map(Reference::Correlation)
        .zip(rules.correlations().iter().map(|correlation| &correlation.info));
    for (reference, info) in single.chain(counted) {
        let is_silent = rules.is_referenced(reference);
        assert!(!is_silent || info.level < Some(Level::Medium), "{} is silent", info.title);
    }
}

/// Excluded events are not visible: a filter states the origin of the activity, and never applies to all rules.
#[test]
fn every_filter_says_what_it_takes_away() {
    let rules = built_in().unwrap();
    assert!(!rules.filters().is_empty());
    for (index, filter) in rules.filters().iter().enumerate() {
        let title = &filter.info.title;
        assert!(
            filter.info.description.as_deref().is_some_and(|text| text.len() > 30),
            "{title}: description"
        );
        assert!(
            filter.log_source.service.is_some() && rules.filtered_by(index).next().is_some(),
            "{title}: scope"
        );
    }
}

#[test]
fn every_document_is_tested() {
    let rules = built_in().unwrap();
    let named: BTreeSet<_> = documents(&rules).into_iter().map(name_of).collect();
    let tested: BTreeSet<_> = lines::CASES
        .iter()
        .map(|case| case.rule.to_owned())
        .chain(correlations::tested())
        .chain(cases::tested())
        .collect();
    let untested: Vec<_> = named.difference(&tested).collect();
    let unknown: Vec<_> = tested.difference(&named).collect();
    assert!(untested.is_empty() && unknown.is_empty(), "untested: {untested:?}, unknown: {unknown:?}");
}
